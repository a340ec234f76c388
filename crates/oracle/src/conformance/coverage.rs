//! What of a model a run has been through.

use std::collections::BTreeMap;

use punctual_model::{EdgeId, Network, ProcessId};
use punctual_semantics::estimate::{Estimate, Hindsight, Interval, Observation, Role, Told, What};
use punctual_semantics::split::{Pair, Taken};

use super::uses::{UseCoverage, Uses};
use super::{Part, Specification};

/// How often observations went through an edge, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EdgeCoverage {
    /// Observations that some state explains by a path through the edge.
    pub possible: u64,
    /// Observations that all states explain by a path through the edge; 0 if nobody asks for it.
    pub certain: u64,
    /// Observations in the first third of the window in which the edge could send its signal.
    pub early: u64,
    /// Observations in the second third of the window, or after the first instant of a window without end.
    pub middle: u64,
    /// Observations in the last third of the window.
    pub late: u64,
}

/// The edges of a model that a run has taken.
///
/// Hidden steps are seen only through what follows them. An edge is covered *certainly* if every
/// explanation of an observation goes through it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Coverage {
    edges: BTreeMap<(ProcessId, EdgeId), EdgeCoverage>,
    /// Whether it is noted in which third of its window an edge was observed, and what all ways to a state have in common, which take
    /// time.
    positions: bool,
    /// Which definitions of variables were used; none if nobody asks for it.
    uses: Option<Uses>,
    trail: Vec<Taken>,
    /// Where in `trail` the way to each state ends.
    ends: Vec<usize>,
    /// Whether something that nobody has seen may have happened among what is observed: then nothing is certain.
    is_open: bool,
}

impl Coverage {
    /// The coverage of a run that has not begun. `positions` asks for thirds of windows and for what is certain, which takes time.
    #[must_use]
    pub fn new(positions: bool) -> Coverage {
        Coverage { positions, ..Coverage::default() }
    }

    /// The coverage of a run that has not begun, with thirds of windows and with uses of definitions.
    #[must_use]
    pub fn whole(specification: &Specification) -> Coverage {
        let uses = Some(Uses::new(&specification.split));
        Coverage { uses, ..Coverage::new(true) }
    }

    /// Whether all ways to a state are looked at.
    pub(super) fn keeps_ways(&self) -> bool {
        self.positions
    }

    /// The system begins anew: all variables have their initial values.
    pub(super) fn restart(&mut self) {
        self.uses.iter_mut().for_each(Uses::restart);
        self.is_open = false;
    }

    /// Outputs of the system may be on their way from now on, or not any more.
    pub(super) fn open(&mut self, is_open: bool) {
        self.is_open = is_open;
    }

    /// How often what one edge wrote was read by another one.
    #[must_use]
    pub fn uses(&self, pair: &Pair) -> UseCoverage {
        self.uses.as_ref().map(|uses| uses.pair(pair)).unwrap_or_default()
    }

    /// How often observations went through an edge; zeros if none did.
    #[must_use]
    pub fn edge(&self, process: ProcessId, edge: EdgeId) -> EdgeCoverage {
        self.edges.get(&(process, edge)).copied().unwrap_or_default()
    }

    /// All edges that some explanation of an observation goes through, in order.
    pub fn edges(&self) -> impl Iterator<Item = (ProcessId, EdgeId, EdgeCoverage)> + '_ {
        self.edges.iter().map(|(&(process, edge), coverage)| (process, edge, *coverage))
    }

    /// How many edges of a network some explanation of an observation goes through, and how many edges
    /// the network has.
    #[must_use]
    pub fn ratio(&self, network: &Network) -> (usize, usize) {
        let all = network.processes.iter().map(|process| process.edges.len()).sum();
        (self.edges.values().filter(|it| it.possible > 0).count(), all)
    }

    /// Adds what another run covered.
    pub fn add(&mut self, other: &Coverage) {
        for (key, more) in &other.edges {
            let edge = self.edges.entry(*key).or_default();
            edge.possible += more.possible;
            edge.certain += more.certain;
            edge.early += more.early;
            edge.middle += more.middle;
            edge.late += more.late;
        }
        match (&mut self.uses, &other.uses) {
            (Some(mine), Some(more)) => mine.add(more),
            (mine, more) => *mine = mine.take().or_else(|| more.clone()),
        }
    }

    /// Notes the edges on the ways to the states of an estimate, after an observation.
    pub(crate) fn note_trails(&mut self, part: &Part, estimate: &mut Estimate<'_>) {
        self.note_cluster(part, estimate, false);
    }

    /// Notes the edges on the ways to the states of an estimate, after several observations, among which the same signal may have been
    /// several times.
    pub(crate) fn note_cluster(
        &mut self,
        part: &Part,
        estimate: &mut Estimate<'_>,
        is_repeated: bool,
    ) {
        let Coverage { trail, ends, .. } = self;
        let told = estimate.take_trails(|edges| {
            trail.extend(part.edges(edges));
            ends.push(trail.len());
        });
        self.end_ways(told, is_repeated);
    }

    /// Notes the hidden steps since the last observation, at the end of a run.
    pub(crate) fn note_last(&mut self, part: &Part, estimate: &mut Estimate<'_>) {
        let Coverage { trail, ends, .. } = self;
        let told = estimate.take_present_trails(|edges| {
            trail.extend(part.edges(edges));
            ends.push(trail.len());
        });
        self.end_ways(told, false);
    }

    /// Counts what is on the ways that were collected, and forgets them. Where ways are missing, nothing is certain.
    fn end_ways(&mut self, told: Told, is_repeated: bool) {
        let Coverage { edges, uses, trail, ends, is_open, .. } = self;
        let are_all = told.are_all && !*is_open;
        let n = ends.len();
        if let Some(uses) = uses {
            let way =
                |at: usize| &trail[at.checked_sub(1).map_or(0, |before| ends[before])..ends[at]];
            let is_mixed = is_repeated || told.are_mixed;
            uses.note((0..ends.len()).map(way), is_mixed, are_all);
        }
        trail.sort_unstable();
        for same in trail.chunk_by(|a, b| a == b) {
            let coverage = edges.entry(same[0]).or_default();
            coverage.possible += 1;
            coverage.certain += u64::from(are_all && same.len() == n);
        }
        trail.clear();
        ends.clear();
    }

    /// Notes where in their windows the edges that send a signal are taken, before it is observed. A window is whole:
    /// it begins when the signal was allowed first, also if time has passed since. Whoever receives a signal does not
    /// choose when, and has no window.
    pub(crate) fn note_position(
        &mut self,
        part: &Part,
        estimate: &mut Estimate<'_>,
        hindsight: &mut Hindsight,
        observation: &Observation<'_>,
        ahead: i64,
    ) {
        let What::Signal { signal, values } = observation.what else { return };
        if !self.positions || part.estimator.role(signal) != Role::Sends {
            return;
        }
        // What can not be followed has no position.
        let Ok(offers) = hindsight.live(estimate, ahead) else { return };
        let mut noted: Vec<(ProcessId, EdgeId)> = Vec::new();
        for offer in offers {
            let same = offer.signal == signal && offer.values == values;
            let meets = !offer.interval.meet(observation.interval).is_empty();
            if !same || !meets {
                continue;
            }
            for (process, edge) in part.edges(&offer.edges) {
                if noted.contains(&(process, edge)) {
                    continue;
                }
                noted.push((process, edge));
                let coverage = self.edges.entry((process, edge)).or_default();
                match third(offer.interval, observation.interval) {
                    0 => coverage.early += 1,
                    1 => coverage.middle += 1,
                    _ => coverage.late += 1,
                }
            }
        }
    }
}

/// In which third of a window something happened.
fn third(window: Interval, happened: Interval) -> u32 {
    let Some(to) = window.to else {
        return u32::from(happened.from.at > window.from.at);
    };
    let (begin, width) = (window.from.at, to.at - window.from.at);
    let at = happened.from.at.clamp(begin, to.at) - begin;
    match (at * 3, width) {
        (_, 0) => 1,
        (at, width) if at < width => 0,
        (at, width) if at <= 2 * width => 1,
        _ => 2,
    }
}
