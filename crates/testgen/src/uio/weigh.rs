//! How probable what a case expects is.

use std::collections::BTreeMap;

use punctual_model::testing::suite::{Do, Probability as Told};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;
use punctual_smc::exact::{Event, Inexact, Phase, Ratio, follow};

use super::chance::Trouble;
use super::script::Script;

/// How probable a script is, as far as the ports of the system tell.
pub(super) struct Weighed {
    pub probability: Ratio,
    /// For each part that was followed: its states at the end, each with its probability.
    pub ends: BTreeMap<usize, Vec<(Vec<i32>, Ratio)>>,
    /// How many random delays there are.
    pub n_random: usize,
}

/// How probable it is that the checks of a case show what they expect.
///
/// # Errors
/// If it can not be computed.
pub fn probability(
    specification: &Specification,
    parts: &[Do],
    phase: Phase,
) -> Result<Ratio, Trouble> {
    let script = Script::new(specification, parts).map_err(Trouble::NoScript)?;
    Ok(weigh(specification, &script, phase).map_err(Trouble::Inexact)?.probability)
}

/// How probable what a script expects is.
pub(super) fn weigh(
    specification: &Specification,
    script: &Script,
    phase: Phase,
) -> Result<Weighed, Inexact> {
    weigh_with(specification, script, phase, |events| events)
}

/// The same, where the events of each part are changed before they are played; they stay in the order of time.
pub(super) fn weigh_with(
    specification: &Specification,
    script: &Script,
    phase: Phase,
    change: impl Fn(Vec<(i64, Event)>) -> Vec<(i64, Event)>,
) -> Result<Weighed, Inexact> {
    let one = Ratio::from_integer(1.into());
    let mut weighed = Weighed { probability: one.clone(), ends: BTreeMap::new(), n_random: 0 };
    let mut phases: Option<Vec<(i64, i64)>> = None;
    for (number, part) in specification.side(Side::System) {
        let mut events = change(script.events(specification, number));
        let is_concerned = events.iter().any(|(_, event)| matches!(event, Event::Input(..)));
        if !is_concerned && !events.iter().any(|(_, event)| matches!(event, Event::Read(_))) {
            continue;
        }
        let last = events.last().map_or(0, |(at, _)| *at);
        events.push((script.end.max(last), Event::Mark));
        let marks = follow(&part.estimator, &events, phase)?;
        let shares = marks.into_iter().next_back().unwrap_or_default();
        let sum: Ratio = shares.iter().map(|share| share.probability.clone()).sum();
        weighed.n_random += shares.iter().map(|share| share.n_drawn).max().unwrap_or(0);
        match phase {
            Phase::None => weighed.probability *= &sum,
            _ => {
                let mut ours: Vec<(i64, i64)> =
                    shares.iter().flat_map(|share| share.phases.clone()).collect();
                ours.sort_unstable();
                phases = Some(phases.map_or(ours.clone(), |all| common(&all, &ours)));
            }
        }
        let ends = shares.into_iter().map(|share| (share.state, share.probability)).collect();
        weighed.ends.insert(number, ends);
    }
    if let (Phase::OfScript(period) | Phase::OfLoop(period), Some(phases)) = (phase, phases) {
        let length: i64 = phases.iter().map(|(from, to)| to - from).sum();
        weighed.probability = Ratio::new(length.into(), period.into());
    }
    Ok(weighed)
}

/// What two lists of intervals have in common; both are in order.
fn common(left: &[(i64, i64)], right: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut found = Vec::new();
    for (from, to) in left {
        let cut = right.iter().map(|(a, b)| (*from.max(a), *to.min(b)));
        found.extend(cut.filter(|(from, to)| from < to));
    }
    found
}

/// A probability as a suite tells it.
pub(super) fn told(probability: &Ratio) -> Told {
    let (above, below) = (probability.numer().to_string(), probability.denom().to_string());
    // A 64-bit number has room for 300 digits.
    let cut = below.len().saturating_sub(300);
    let number =
        |text: &str| text.get(..text.len().saturating_sub(cut)).and_then(|it| it.parse().ok());
    let value: f64 = number(&above).unwrap_or(0.0) / number(&below).unwrap_or(1.0);
    let exact = if below == "1" { above } else { format!("{above}/{below}") };
    Told { least: value, greatest: value, exact: Some(exact) }
}
