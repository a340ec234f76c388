//! Tolerances from labelled tests (sections 3.4, 5.5 and 6.5).
//!
//! Tests that people judged are steered without (or with loose) tolerances. Treatment learning then
//! asks which ranges of changes go along with correct steering (`treatment.rs`, over ranges made by
//! `bands.rs`); what goes along with incorrect steering as well is dropped, and every other input is
//! locked. `tune.rs` widens or shrinks the result against the labels.
//!
//! DIFFERENCE(gay15): differences of outputs before steering are not offered as attributes. A range
//! of them says nothing about which changes of inputs are acceptable, so it can not be written as a
//! tolerance. Test: `it::steering::learn`.

mod bands;
mod treatment;
mod tune;

use num_traits::Zero;
use punctual_model::VarId;
use punctual_model::lustre::{Program, Rational, Type};

pub use treatment::{Options, Range, Treatment, treatments};
pub use tune::{Tuned, tune};

use super::exact;
use super::measure::Label;
use super::metric::is_match;
use super::outcome::Outcome;
use super::policy;
use super::window::{Windows, merged};

/// What steering did in a step, and whether it was right.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// By how much each steerable variable was changed, in order.
    pub changes: Vec<Rational>,
    /// Whether it was right.
    pub class: Class,
}

/// Whether steering a step was right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It did not make the outputs match.
    NotChanged,
    /// It did, and the test should not pass.
    ChangedIncorrect,
    /// It did, and the test should pass.
    ChangedCorrect,
}

/// The examples of a test with this many steps.
#[must_use]
pub fn examples(
    steerable: &[VarId],
    n_steps: usize,
    outcome: &Outcome,
    label: Label,
) -> Vec<Example> {
    let nothing = || vec![Rational::zero(); steerable.len()];
    let mut examples = Vec::new();
    for report in &outcome.steps {
        let mut changes = nothing();
        for change in &report.changes {
            if let Some(at) = steerable.iter().position(|it| *it == change.var) {
                changes[at] = policy::adjustment(change.from, change.to);
            }
        }
        let has_changed = !is_match(report.before) && is_match(report.after);
        let class = match (has_changed, label.should_pass()) {
            (false, _) => Class::NotChanged,
            (true, false) => Class::ChangedIncorrect,
            (true, true) => Class::ChangedCorrect,
        };
        examples.push(Example { changes, class });
    }
    let rest = n_steps.saturating_sub(examples.len());
    examples
        .resize(examples.len() + rest, Example { changes: nothing(), class: Class::NotChanged });
    examples
}

/// What was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// What goes along with correct steering, the best first.
    pub good: Vec<Treatment>,
    /// What goes along with incorrect steering.
    pub bad: Vec<Treatment>,
    /// What follows: ranges of good treatments that are in no bad one. Other inputs are locked.
    pub windows: Windows,
}

/// Learns tolerances from examples. The same seed gives the same result.
#[must_use]
pub fn learn(
    program: &Program,
    steerable: &[VarId],
    examples: &[Example],
    options: &Options,
) -> Learned {
    let good = treatments(examples, Class::ChangedCorrect, options);
    let bad = treatments(examples, Class::ChangedIncorrect, options);
    let is_bad = |range: &Range| bad.iter().any(|it| it.ranges.contains(range));
    let mut windows = Windows::default();
    for (at, var) in steerable.iter().enumerate() {
        let of = good.iter().flat_map(|it| &it.ranges);
        let of = of.filter(|range| range.attribute == at && !is_bad(range));
        let ranges: Vec<(Rational, Rational)> = of.map(|range| (range.low, range.high)).collect();
        let is_whole = program.vars[*var].ty != Type::Real;
        let ranges = merged(ranges, is_whole);
        // A range of no change at all is a lock.
        let is_lock = ranges.iter().all(|range| *range == (exact::zero(), exact::zero()));
        if !is_lock {
            windows.ranges.push((*var, ranges));
        }
    }
    Learned { good, bad, windows }
}
