//! Model checking: explores the zone graph of a network and answers queries about it.
//!
//! [`check`] takes a network and a property and gives an [`Outcome`]: an [`Answer`], what the
//! search cost, and a timed [`Trace`] that shows why, where there is one. While it runs it reports
//! to an [`Observer`], which can stop it.
//!
//! Not here: what a network does next (`semantics`), text, systems under test, verdicts.

mod answer;
mod breadth;
mod depth;
mod extremum;
mod fastest;
mod goal;
mod guided;
mod layout;
mod liveness;
mod options;
mod passed;
mod plan;
mod reach;
mod search;
mod store;
mod timing;
mod trace;
mod walks;
mod witness;

pub use answer::{Answer, Extremum, Limit, ModelFault, Outcome, Refusal, Statistics, Undecided};
pub use options::{Approximation, Extrapolation, Observer, Options, Order, Progress, TraceKind};
pub use punctual_semantics::Move;
pub use timing::{Timing, Wish};
pub use trace::{Ending, State, Step, Trace};

use extremum::{Sides, measure};
use punctual_model::{Network, Property};
use punctual_semantics::FaultKind;

/// Answers one query.
///
/// # Errors
/// If the property or the network is nothing that symbolic analysis can treat.
pub fn check(
    network: &Network,
    property: &Property,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    if let Some(fault) = initial_fault(network) {
        let statistics = Statistics::default();
        return Ok(Outcome { answer: Answer::Error(Box::new(fault)), statistics, trace: None });
    }
    match property {
        Property::ExistsFinally(goal) => reach::exists(network, goal, options, observer),
        Property::AlwaysGlobally(safe) => reach::always(network, safe, options, observer),
        Property::ExistsGlobally(holds) => {
            liveness::exists_globally(network, holds, options, observer)
        }
        Property::AlwaysFinally(met) => liveness::always_finally(network, met, options, observer),
        Property::LeadsTo(first, then) => {
            liveness::leads_to(network, first, then, options, observer)
        }
        Property::Supremum { within, of } => {
            measure(network, within.as_ref(), of, Sides::Greatest, options, observer)
        }
        Property::Infimum { within, of } => {
            measure(network, within.as_ref(), of, Sides::Least, options, observer)
        }
        Property::Bounds { within, of } => {
            measure(network, within.as_ref(), of, Sides::Both, options, observer)
        }
        Property::Unsupported { construct } => {
            Err(Refusal { construct: construct.clone(), place: None })
        }
        _ => Err(Refusal { construct: "this query".to_owned(), place: None }),
    }
}

/// A variable that starts outside of its range.
fn initial_fault(network: &Network) -> Option<ModelFault> {
    let ranges = layout::int_ranges(network);
    let mut values = network.initial.ints.iter().zip(ranges);
    let (&value, range) = values.find(|(value, range)| !range.contains(**value))?;
    Some(ModelFault {
        kind: FaultKind::Range { value, lo: range.lo, hi: range.hi },
        moves: Vec::new(),
        state: witness::first_state(network),
        trace: None,
    })
}
