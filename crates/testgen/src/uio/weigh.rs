//! How probable what a case expects is.

use std::collections::BTreeMap;

use punctual_model::testing::suite::{Do, Probability as Told};
use punctual_semantics::estimate::Role;
use punctual_semantics::specification::{Part, Specification};
use punctual_semantics::split::Side;
use punctual_smc::exact::{Event, Inexact, Phase, Ratio, Share, follow};

use super::chance::Trouble;
use super::script::Script;

/// How probable a script is, as far as the ports of the system tell.
pub(super) struct Weighed {
    pub probability: Ratio,
    /// For each part that was followed: its states at the end, each with its probability.
    pub ends: BTreeMap<usize, Ends>,
    /// How many random delays there are.
    pub n_random: usize,
    /// How many choices there are between steps that nothing decides about.
    pub n_chosen: usize,
    /// For each part that was followed, when it shows what is expected.
    weights: BTreeMap<usize, Weight>,
}

/// The states of a part, each with its probability.
pub(super) type Ends = Vec<(Vec<i32>, Ratio)>;

/// When a part shows what is expected of it.
#[derive(Clone, Debug)]
enum Weight {
    /// With this probability, whatever the others do.
    Chance(Ratio),
    /// In these phases, in order.
    Phases(Vec<(i64, i64)>),
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
    let mut weighed = Weighed {
        probability: Ratio::from_integer(1.into()),
        ends: BTreeMap::new(),
        n_random: 0,
        n_chosen: 0,
        weights: BTreeMap::new(),
    };
    if is_silent(specification, script)? {
        weighed.probability = Ratio::from_integer(0.into());
        return Ok(weighed);
    }
    for (number, _) in specification.side(Side::System) {
        let Some(shares) = shares(specification, number, script, phase, &change)? else { continue };
        weighed.n_random += shares.iter().map(|share| share.n_drawn).max().unwrap_or(0);
        weighed.n_chosen += shares.iter().map(|share| share.n_chosen).max().unwrap_or(0);
        weighed.weights.insert(number, Weight::new(&shares, phase));
        let ends = shares.into_iter().map(|share| (share.state, share.probability)).collect();
        weighed.ends.insert(number, ends);
    }
    weighed.probability = together(weighed.weights.values(), phase);
    Ok(weighed)
}

/// Whether nobody ever sends one of the outputs that a script expects. Which of several outputs is meant is only known to who sees all of
/// them, so one part must send them all.
fn is_silent(specification: &Specification, script: &Script) -> Result<bool, Inexact> {
    for output in &script.outputs {
        let sends = |part: &Part| part.estimator.role(output.signal) == Role::Sends;
        match specification.side(Side::System).filter(|(_, part)| sends(part)).count() {
            0 => return Ok(true),
            1 => {}
            _ => return Err(Inexact::Senders),
        }
    }
    Ok(false)
}

impl Weighed {
    /// How probable a longer script is that expects more of one part alone.
    pub(super) fn longer(
        &self,
        specification: &Specification,
        number: usize,
        script: &Script,
        phase: Phase,
    ) -> Result<Ratio, Inexact> {
        let Some(shares) = shares(specification, number, script, phase, |it| it)? else {
            return Ok(self.probability.clone());
        };
        let weight = Weight::new(&shares, phase);
        let others = self.weights.iter().filter(|(other, _)| **other != number);
        Ok(together(others.map(|(_, weight)| weight).chain([&weight]), phase))
    }
}

impl Weight {
    fn new(shares: &[Share], phase: Phase) -> Weight {
        if phase == Phase::None {
            return Weight::Chance(shares.iter().map(|share| share.probability.clone()).sum());
        }
        let mut phases: Vec<(i64, i64)> =
            shares.iter().flat_map(|share| share.phases.clone()).collect();
        phases.sort_unstable();
        Weight::Phases(phases)
    }
}

/// The states of a part after a script; none if the script does nothing with it.
fn shares(
    specification: &Specification,
    number: usize,
    script: &Script,
    phase: Phase,
    change: impl Fn(Vec<(i64, Event)>) -> Vec<(i64, Event)>,
) -> Result<Option<Vec<Share>>, Inexact> {
    let mut events = change(script.events(specification, number));
    let Some((last, _)) = events.last() else { return Ok(None) };
    events.push((script.end.max(*last), Event::Mark));
    let marks = follow(&specification.parts[number].estimator, &events, phase)?;
    Ok(Some(marks.into_iter().next_back().unwrap_or_default()))
}

/// How probable it is that all parts show what is expected of them.
fn together<'w>(weights: impl Iterator<Item = &'w Weight>, phase: Phase) -> Ratio {
    let mut probability = Ratio::from_integer(1.into());
    let mut phases: Option<Vec<(i64, i64)>> = None;
    for weight in weights {
        match weight {
            Weight::Chance(chance) => probability *= chance,
            Weight::Phases(ours) => {
                phases = Some(phases.map_or(ours.clone(), |all| common(&all, ours)));
            }
        }
    }
    if let (Phase::OfScript(period) | Phase::OfLoop(period), Some(phases)) = (phase, phases) {
        let length: i64 = phases.iter().map(|(from, to)| to - from).sum();
        probability *= Ratio::new(length.into(), period.into());
    }
    probability
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
