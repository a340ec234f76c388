//! Liveness: `E[] p`, `A<> p` and `p --> q`.
//!
//! All three ask for a *maximal run* that avoids some states for ever: `¬p` for `E[] p`, `p` for
//! `A<> p`, and `q` for `p --> q`, there from a reachable state with `p`. A maximal run is infinite
//! (also if time does not get far), or ends where time can pass for ever and does, or ends where
//! nothing can happen any more; there all the time passes that may. What is avoided may not be met
//! at any instant of a delay.
//!
//! Zones are extrapolated with the same constants in both directions, so that every valuation of a
//! zone can do what some valuation that is really reached can do, and the other way round.

mod hunt;
mod known;

use std::collections::VecDeque;
use std::ops::ControlFlow;

use punctual_model::{Network, StateExpr};
use punctual_semantics::bounds::Directions;
use punctual_semantics::budget::Spent;
use punctual_semantics::symbolic::{Explorer, Predicate, Trouble};
use punctual_zones::Zone;

use crate::extremum::Extremes;
use crate::goal::Goal;
use crate::passed::{NodeRef, Passed};
use crate::plan::Plan;
use crate::search::{End, Expander, Meter, start};
use crate::witness::{self, Target};
use crate::{
    Answer, Ending, ModelFault, Observer, Options, Order, Outcome, Refusal, Statistics, Trace,
    TraceKind,
};
use hunt::{Hunt, Run};

/// A maximal run, as numbers of transitions; the first is that of the initial state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lasso {
    pub(crate) path: Vec<u32>,
    /// How many steps come before the part that avoids what is to be avoided.
    pub(crate) avoids_from: usize,
    pub(crate) ending: Ending,
}

/// Why a search ended before it knew.
#[derive(Debug)]
pub(crate) enum Break {
    /// The budget is spent.
    Spent(Spent),
    /// An error of the model, behind a path to a state; both are empty if it is at the start.
    Trouble { path: Vec<u32>, state: Vec<i32>, trouble: Box<Trouble> },
}

/// How many states are explored between two looks at the observer.
const LOOK: u64 = 1 << 10;

/// `E[] holds`.
pub(crate) fn exists_globally(
    network: &Network,
    holds: &StateExpr,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    let (plan, avoided) =
        Plan::new(network, Directions::Joined, options, &[holds], &[], |builder| {
            Predicate::negated(network, builder, holds)
        })?;
    let (found, statistics) = from_the_start(&plan, &avoided, options, observer);
    Ok(outcome(network, &plan, found, true, options, &[&avoided], statistics))
}

/// `A<> met`: no maximal run avoids it.
pub(crate) fn always_finally(
    network: &Network,
    met: &StateExpr,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    let (plan, avoided) =
        Plan::new(network, Directions::Joined, options, &[met], &[], |builder| {
            Predicate::new(network, builder, met)
        })?;
    let (found, statistics) = from_the_start(&plan, &avoided, options, observer);
    Ok(outcome(network, &plan, found, false, options, &[&avoided], statistics))
}

/// `first --> then`: no maximal run from a reachable state with `first` avoids `then`.
pub(crate) fn leads_to(
    network: &Network,
    first: &StateExpr,
    then: &StateExpr,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    let queries = [first, then];
    let (mut plan, (first, then)) =
        Plan::new(network, Directions::Joined, options, &queries, &[], |builder| {
            let first = Predicate::new(network, builder, first)?;
            Ok((first, Predicate::new(network, builder, then)?))
        })?;
    // A run from a state of a convex hull may be none. Zones are kept apart, also if it is allowed
    // not to, as they are in all other searches here.
    plan.unites = false;
    let (found, statistics) = from_everywhere(&plan, &first, &then, options, observer);
    Ok(outcome(network, &plan, found, false, options, &[&first, &then], statistics))
}

/// What a search found: a run, none, or why it ended.
type Found = Result<Option<Lasso>, Break>;

/// Looks for a maximal run from the initial states that avoids a condition.
fn from_the_start(
    plan: &Plan,
    avoided: &Predicate,
    options: &Options,
    observer: &mut dyn Observer,
) -> (Found, Statistics) {
    let mut meter = Meter::new(observer, &options.budget);
    let mut hunt = Hunt::new(plan, avoided);
    let found = match hunt.add_initial() {
        Err(end) => Err(end),
        Ok(()) => hunt.run(&mut meter, &Passed::new(plan)),
    };
    let found =
        found.map(|run| run.map(|Run { path, ending }| Lasso { path, avoids_from: 0, ending }));
    let statistics = meter.finish(hunt.stored(), hunt.bytes());
    (found, statistics)
}

/// Visits all reachable states, and looks for a maximal run from those that satisfy `first` that
/// avoids `then`.
fn from_everywhere(
    plan: &Plan,
    first: &Predicate,
    then: &Predicate,
    options: &Options,
    observer: &mut dyn Observer,
) -> (Found, Statistics) {
    let mut meter = Meter::new(observer, &options.budget);
    let mut passed = Passed::new(plan);
    let mut hunt = Hunt::new(plan, then);
    let found = visit(plan, first, options, &mut meter, &mut passed, &mut hunt);
    let stored = passed.stored() + hunt.stored();
    let statistics = meter.finish(stored, passed.bytes() + hunt.bytes());
    (found, statistics)
}

fn visit(
    plan: &Plan,
    first: &Predicate,
    options: &Options,
    meter: &mut Meter<'_>,
    passed: &mut Passed,
    hunt: &mut Hunt<'_>,
) -> Found {
    let mut extremes = Extremes::default();
    let mut waiting: VecDeque<NodeRef> = match start(plan, &Goal::Nothing, passed, &mut extremes) {
        Ok(nodes) => nodes.into(),
        Err(end) => return Err(ended(plan, passed, end)),
    };
    let mut expander = Expander::new(plan);
    let mut judge = Explorer::new(&plan.symbolic);
    loop {
        let next = match options.order {
            Order::BreadthFirst | Order::Guided => waiting.pop_front(),
            Order::DepthFirst | Order::RandomDepthFirst { .. } | Order::RandomWalk { .. } => {
                waiting.pop_back()
            }
        };
        let Some(node) = next else { return Ok(None) };
        if !passed.load(plan, node, &mut expander.state, &mut expander.zone) {
            passed.stores[node.store()].forget(node.node());
            continue;
        }
        let Expander { state, zone, .. } = &expander;
        let begun = match first.part(&mut judge, state, zone) {
            Ok(begins) => begins.zones().iter().try_for_each(|zone| hunt.add(0, state, zone)),
            Err(halt) => Err(halt),
        };
        if let Some(end) = begun.err().and_then(|halt| End::of(halt, node, plan)) {
            return Err(ended(plan, passed, end));
        }
        match hunt.run(meter, passed) {
            Ok(None) => {}
            Ok(Some(Run { path, ending })) => {
                return Ok(Some(Lasso::after(passed.path(node), &path, ending)));
            }
            Err(Break::Trouble { path: rest, state, trouble }) => {
                let mut path = passed.path(node);
                path.extend(&rest[1..]);
                return Err(Break::Trouble { path, state, trouble });
            }
            Err(end) => return Err(end),
        }
        meter.statistics.explored += 1;
        let give = &mut |via: u32, state: &[i32], zone: &Zone| {
            meter.statistics.transitions += 1;
            waiting.extend(passed.insert(plan, state, zone, node, via));
            if meter.statistics.transitions.is_multiple_of(LOOK) {
                meter.budget.hold(passed.bytes() + hunt.bytes() + waiting.len() as u64 * 4);
            }
        };
        if let Some(end) = expander.expand(plan, &Goal::Nothing, node, &mut extremes, give) {
            return Err(ended(plan, passed, end));
        }
        if meter.statistics.explored.is_multiple_of(LOOK) {
            let bytes = passed.bytes() + hunt.bytes() + waiting.len() as u64 * 4;
            let stored = passed.stored() + hunt.stored();
            if let ControlFlow::Break(end) = meter.look(stored, waiting.len() as u64, bytes) {
                return Err(ended(plan, passed, end));
            }
        }
    }
}

impl Lasso {
    /// A path that leads to a state, and then a run from there. The first number of the run has no
    /// meaning.
    fn after(mut path: Vec<u32>, rest: &[u32], ending: Ending) -> Lasso {
        let before = path.len() - 1;
        path.extend(&rest[1..]);
        let ending = match ending {
            Ending::Cycle { from } => Ending::Cycle { from: before + from },
            ending => ending,
        };
        Lasso { path, avoids_from: before, ending }
    }
}

/// Why a search of reachable states ended.
fn ended(plan: &Plan, passed: &mut Passed, end: End) -> Break {
    match end {
        End::Spent(spent) => Break::Spent(spent),
        End::Trouble { node: NodeRef::NONE, trouble } => {
            Break::Trouble { path: Vec::new(), state: Vec::new(), trouble }
        }
        End::Trouble { node, trouble } => {
            let state = passed.discrete(plan, node).to_vec();
            Break::Trouble { path: passed.path(node), state, trouble }
        }
        End::Exhausted | End::Goal { .. } => unreachable!("nothing is looked for"),
    }
}

/// The answer to a query that holds, or that does not, if there is a run.
fn outcome(
    network: &Network,
    plan: &Plan,
    found: Found,
    run_proves: bool,
    options: &Options,
    conditions: &[&Predicate],
    statistics: Statistics,
) -> Outcome {
    let trace = match &found {
        Ok(Some(lasso)) if options.trace != TraceKind::None => {
            shown(network, plan, lasso, conditions)
        }
        _ => None,
    };
    let answer = match found {
        Ok(lasso) => match (lasso.is_some() == run_proves, network.has_stopwatches()) {
            (true, false) => Answer::Satisfied,
            (false, false) => Answer::NotSatisfied,
            // Zones are too large where clocks stand still. So a run may be none; and since states
            // may seem to let something happen or to come to what is avoided where they do not, a
            // run that ends there may be overlooked. Neither answer is certain.
            (true, true) => Answer::MaybeSatisfied,
            (false, true) => Answer::MaybeNotSatisfied,
        },
        Err(Break::Spent(spent)) => Answer::Undecided(spent.into()),
        Err(Break::Trouble { path, state, trouble }) => Answer::Error(Box::new(ModelFault {
            kind: trouble.fault.kind,
            moves: trouble.moves,
            state: match state.is_empty() {
                true => witness::first_state(network),
                false => witness::discrete(network, &state, Vec::new()),
            },
            trace: witness::trace(network, plan, &path, Target::Anywhere, Ending::Goal),
        })),
    };
    Outcome { answer, statistics, trace }
}

/// A maximal run as a trace. Delays are known where they do not decide whether a condition holds.
fn shown(
    network: &Network,
    plan: &Plan,
    lasso: &Lasso,
    conditions: &[&Predicate],
) -> Option<Trace> {
    let Lasso { path, ending, .. } = lasso;
    if !conditions.iter().all(|condition| condition.is_data()) {
        return witness::untimed_trace(network, plan, path, *ending);
    }
    let target = match ending {
        Ending::Deadlock => Target::Deadlock,
        Ending::Goal | Ending::Divergence | Ending::Cycle { .. } => Target::Anywhere,
    };
    let trace = witness::trace(network, plan, path, target, *ending)?;
    Some(Trace { rest: trace.rest.filter(|_| *ending == Ending::Deadlock), ..trace })
}
