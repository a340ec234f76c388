//! Where a system may be after a case, and where else it might be, followed through inputs and waits.
//!
//! A situation holds all states that the system may be in, and for each other location of the automaton all states that it might be
//! in instead: the rest alike, and the automaton's own clocks at any value that the invariant allows. A sequence is unique
//! when what it expects is possible from none of them (`unique.rs` looks for one).

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{Id, Network, PortId, ProcessId, SignalId};
use punctual_semantics::estimate::{
    Clocks, End, Estimate, Interval, Observation, Overflow, Present, Role, Snapshot, What,
};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;

use super::ground::Ground;
use crate::inputs::combinations;

/// An input with more combinations of values than this is not tried.
const VALUES_MAX: u64 = 64;

/// An element of a sequence, and what is expected behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// What is done.
    pub what: Done,
    /// What the ports of the part show then.
    pub expected: Vec<(PortId, i32)>,
    /// How many readings were possible then, given those before.
    pub n_possible: usize,
}

/// What an element of a sequence does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// Sends an input with values.
    Input(SignalId, Vec<i32>),
    /// Waits, in points of the grid.
    Wait(i64),
}

/// How far a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Elements of a sequence.
    pub length: usize,
    /// Situations of each length that are followed further; if there are more, those with fewest other locations left.
    pub width: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { length: 10, width: 200 }
    }
}

/// What is to be told apart.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The part of the system, by its position.
    pub part: usize,
    /// The number of the automaton in the part.
    pub process: usize,
    /// The location that is to be proved.
    pub location: i32,
    /// The values of the clocks of the network if the system is somewhere else; any, if not given.
    pub clocks: Option<&'q [i32]>,
    /// The other location; all others, if not given.
    pub against: Option<i32>,
}

/// For each other location, what the system might be in instead.
type Others = BTreeMap<i32, Snapshot>;

/// A situation: what the system may be in, and what else it might be in.
#[derive(Clone)]
pub(super) struct Situation {
    pub(super) ours: Snapshot,
    /// For each other location that is not told apart yet.
    pub(super) others: Others,
    /// What each part of the environment may be in.
    environment: Vec<Snapshot>,
    pub(super) sequence: Vec<Element>,
    at: i64,
}

/// What ports may show at an instant.
pub type Shown = BTreeSet<Vec<(PortId, i32)>>;

impl Situation {
    /// Whether an input may come next: two at one instant would race.
    fn may_send(&self) -> bool {
        self.sequence.last().is_none_or(|it| matches!(it.what, Done::Wait(_)))
    }

    /// What comes of the system first, and of each other location from which it is still possible; none if the system can not do
    /// so.
    fn each(
        &self,
        after: &mut dyn FnMut(&Snapshot) -> Result<Option<Snapshot>, Overflow>,
    ) -> Result<Option<(Snapshot, Others)>, Overflow> {
        let Some(ours) = after(&self.ours)? else { return Ok(None) };
        let mut others = BTreeMap::new();
        for (location, snapshot) in &self.others {
            if let Some(snapshot) = after(snapshot)? {
                others.insert(*location, snapshot);
            }
        }
        Ok(Some((ours, others)))
    }
}

/// What may be after a case.
#[derive(Clone, Debug)]
pub struct After {
    /// What the part of the system may be in.
    pub ours: Snapshot,
    /// What each part of the environment that sends to it may be in, in the order of [`Search::environment`].
    pub environment: Vec<Snapshot>,
    /// The instant.
    pub at: i64,
}

/// What tells two situations apart.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Known {
    pub(super) ours: Vec<Present>,
    pub(super) others: Vec<(i32, Vec<Present>)>,
    /// Whether an input may come next: two at one instant would race.
    may_send: bool,
}

/// Looks for unique sequences.
pub struct Search<'s> {
    specification: &'s Specification,
    part: usize,
    estimate: Estimate<'s>,
    /// The parts of the environment that send to it, by their positions.
    environment: Vec<(usize, Estimate<'s>)>,
    inputs: Vec<(SignalId, Vec<i32>)>,
    ports: Vec<(PortId, u32)>,
    /// What each clock is compared with, in points of the grid.
    constants: BTreeMap<usize, BTreeSet<i64>>,
}

impl<'s> Search<'s> {
    /// For a part of the system.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn new(ground: &'s Ground<'s>, part: usize) -> Result<Search<'s>, Overflow> {
        let specification = ground.specification();
        let estimate = Estimate::new(ground.estimator(part))?;
        let interface = specification.interface();
        let ours = &specification.parts[part].estimator;
        let mut environment = Vec::new();
        for (number, other) in specification.side(Side::Environment) {
            let sends = |id| other.estimator.role(id) == Role::Sends;
            let mut signals = interface.signals.ids();
            if signals.any(|id| sends(id) && ours.role(id) == Role::Receives) {
                environment.push((number, Estimate::new(&other.estimator)?));
            }
        }
        let ports = interface.ports.ids().filter_map(|port| {
            let readers = specification.readers(port);
            readers.iter().find(|(it, _)| *it == part).map(|(_, at)| (port, *at))
        });
        Ok(Search {
            specification,
            part,
            estimate,
            environment,
            inputs: inputs(specification, part),
            ports: ports.collect(),
            constants: constants(
                &specification.network,
                &specification.parts[part].processes,
                interface.time.resolution,
            ),
        })
    }

    pub(super) fn specification(&self) -> &'s Specification {
        self.specification
    }

    /// The position of the part.
    pub(super) fn part(&self) -> usize {
        self.part
    }

    /// The parts of the environment that send to the part, by their positions in the specification.
    pub fn environment(&self) -> impl Iterator<Item = usize> {
        self.environment.iter().map(|(number, _)| *number)
    }

    /// Whether a sequence is unique, and each location from which its outputs are possible as well.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn rivals(
        &mut self,
        from: &After,
        question: Question<'_>,
        sequence: &[Element],
    ) -> Result<Option<Vec<i32>>, Overflow> {
        let Some(mut situation) = self.start(from, question)? else { return Ok(None) };
        for element in sequence {
            let Some(done) = self.does(&situation, &element.what)? else { return Ok(None) };
            match self.expects(&done, &element.expected)? {
                Some(next) => situation = next,
                None => return Ok(None),
            }
        }
        Ok(Some(situation.others.into_keys().collect()))
    }

    /// What the ports may show behind each element of a sequence, from the location itself and from each other one,
    /// whatever they showed before. Nothing where a system could not be.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn shown(
        &mut self,
        from: &After,
        question: Question<'_>,
        sequence: &[Done],
    ) -> Result<BTreeMap<i32, Vec<Shown>>, Overflow> {
        let Some(start) = self.start(from, question)? else { return Ok(BTreeMap::new()) };
        let mut starts = start.others.clone();
        starts.insert(question.location, start.ours.clone());
        let mut found = BTreeMap::new();
        for (location, ours) in starts {
            let (environment, at) = (from.environment.clone(), from.at);
            let others = BTreeMap::new();
            let alone = Situation { ours, others, environment, sequence: Vec::new(), at };
            let (mut now, mut rows) = (Some(alone), Vec::new());
            for what in sequence {
                now = match &now {
                    Some(situation) => self.does(situation, what)?,
                    None => None,
                };
                rows.push(match &now {
                    Some(situation) => self.readings(&situation.ours)?,
                    None => Shown::new(),
                });
            }
            found.insert(location, rows);
        }
        Ok(found)
    }

    /// All that the ports may show now.
    fn readings(&mut self, snapshot: &Snapshot) -> Result<Shown, Overflow> {
        self.estimate.restore(snapshot);
        let present = self.estimate.present()?;
        let read = |(state, _): &Present| -> Vec<(PortId, i32)> {
            self.ports.iter().map(|(port, at)| (*port, state[*at as usize])).collect()
        };
        Ok(present.iter().map(read).collect())
    }

    pub(super) fn start(
        &mut self,
        from: &After,
        question: Question<'_>,
    ) -> Result<Option<Situation>, Overflow> {
        let network = &self.specification.network;
        let process = self.specification.parts[self.part].processes[question.process];
        let at = from.at;
        let estimate = &mut self.estimate;
        estimate.restore(&from.ours);
        estimate.keep(|state| state[question.process] == question.location);
        if estimate.is_empty() || estimate.observe_any(&[Vec::new()], at)?.is_err() {
            return Ok(None);
        }
        let ours = estimate.save();
        let any: Vec<bool> =
            network.clocks.iter().map(|clock| clock.owner == Some(process)).collect();
        // The clock that tells the time comes last.
        let any: Vec<bool> = any.into_iter().chain([false]).collect();
        let clocks = question.clocks.map_or(Clocks::Any(&any), Clocks::At);
        let mut others = BTreeMap::new();
        for other in 0..network.processes[process].locations.len() as i32 {
            if other == question.location || question.against.is_some_and(|it| it != other) {
                continue;
            }
            estimate.restore(&ours);
            estimate.displace(question.process, other, clocks)?;
            if !estimate.is_empty() {
                others.insert(other, estimate.save());
            }
        }
        let environment = from.environment.clone();
        Ok(Some(Situation { ours, others, environment, sequence: Vec::new(), at }))
    }

    /// All situations after one more element.
    pub(super) fn successors(&mut self, situation: &Situation) -> Result<Vec<Situation>, Overflow> {
        let mut found = Vec::new();
        if situation.may_send() {
            for (signal, values) in self.inputs.clone() {
                // A model that is in error somewhere else says nothing of what would be seen there.
                if let Some(done) = usable(self.does(situation, &Done::Input(signal, values)))? {
                    found.extend(self.read(&done)?);
                }
            }
        }
        for wait in self.waits(situation)? {
            if let Some(done) = usable(self.does(situation, &Done::Wait(wait)))? {
                found.extend(self.read(&done)?);
            }
        }
        Ok(found)
    }

    /// A situation with each of the readings that are possible in it.
    fn read(&mut self, done: &Situation) -> Result<Vec<Situation>, Overflow> {
        let mut found = Vec::new();
        let Some(shown) = usable(self.readings(&done.ours).map(Some))? else { return Ok(found) };
        for expected in &shown {
            let mut after = usable(self.expects(done, expected))?;
            if let Some(last) = after.as_mut().and_then(|it| it.sequence.last_mut()) {
                last.n_possible = shown.len();
            }
            found.extend(after);
        }
        Ok(found)
    }

    /// Does something; none if the system can not be where it should then.
    fn does(&mut self, situation: &Situation, what: &Done) -> Result<Option<Situation>, Overflow> {
        let at = match what {
            Done::Input(..) => situation.at,
            Done::Wait(points) => situation.at + points,
        };
        let mut environment = Vec::new();
        for ((number, estimate), snapshot) in
            self.environment.iter_mut().zip(&situation.environment)
        {
            estimate.restore(snapshot);
            let of = &self.specification.parts[*number].estimator;
            let done = match what {
                Done::Input(signal, values) if of.role(*signal) == Role::Sends => {
                    let what = What::Signal { signal: *signal, values };
                    estimate.observe(&Observation { what, interval: Interval::point(at) })?
                }
                _ => estimate.advance(End::at(at))?,
            };
            // The environment would not do so.
            if done.is_err() {
                return Ok(None);
            }
            environment.push(estimate.save());
        }
        let mut is_ours = true;
        let mut after = |snapshot: &Snapshot| -> Result<Option<Snapshot>, Overflow> {
            let must_take = std::mem::take(&mut is_ours);
            self.estimate.restore(snapshot);
            let done = match what {
                Done::Wait(_) => self.estimate.advance(End::at(at))?.is_ok(),
                Done::Input(signal, values) => {
                    let what = What::Signal { signal: *signal, values };
                    let interval = Interval::point(at);
                    let is_taken = self.estimate.observe(&Observation { what, interval })?.is_ok();
                    // Elsewhere, an input that can not be taken may go by unseen.
                    is_taken || !must_take
                }
            };
            Ok(done.then(|| self.estimate.save()))
        };
        let Some((ours, others)) = situation.each(&mut after)? else { return Ok(None) };
        let mut sequence = situation.sequence.clone();
        sequence.push(Element { what: what.clone(), expected: Vec::new(), n_possible: 0 });
        Ok(Some(Situation { ours, others, environment, sequence, at }))
    }

    /// Reads the ports, and they show this; none if they can not.
    fn expects(
        &mut self,
        situation: &Situation,
        expected: &[(PortId, i32)],
    ) -> Result<Option<Situation>, Overflow> {
        let seen = super::script::positions(self.specification, self.part, expected);
        let mut after = |snapshot: &Snapshot| -> Result<Option<Snapshot>, Overflow> {
            self.estimate.restore(snapshot);
            let done = self.estimate.observe_any(std::slice::from_ref(&seen), situation.at)?;
            Ok(done.is_ok().then(|| self.estimate.save()))
        };
        let Some((ours, others)) = situation.each(&mut after)? else { return Ok(None) };
        let mut sequence = situation.sequence.clone();
        if let Some(last) = sequence.last_mut() {
            last.expected = expected.to_vec();
        }
        let (environment, at) = (situation.environment.clone(), situation.at);
        Ok(Some(Situation { ours, others, environment, sequence, at }))
    }

    /// How long it is worth to wait: until a clock has a value that something compares it with, and just behind.
    fn waits(&mut self, situation: &Situation) -> Result<BTreeSet<i64>, Overflow> {
        let mut found = BTreeSet::new();
        for snapshot in std::iter::once(&situation.ours).chain(situation.others.values()) {
            self.estimate.restore(snapshot);
            for (clock, set_at) in self.estimate.first_and_last_settings() {
                for constant in self.constants.get(&clock.index()).into_iter().flatten() {
                    let wait = set_at + constant - situation.at;
                    found.extend([wait, wait + 1].into_iter().filter(|it| *it > 0));
                }
            }
        }
        // Inputs do not follow each other at one instant, also where no clock says when.
        if found.is_empty() {
            found.insert(i64::from(self.specification.interface().time.resolution));
        }
        Ok(found)
    }

    pub(super) fn known(&mut self, situation: &Situation) -> Result<Known, Overflow> {
        self.estimate.restore(&situation.ours);
        let ours = self.estimate.present()?;
        let mut others = Vec::new();
        for (location, snapshot) in &situation.others {
            self.estimate.restore(snapshot);
            others.push((*location, self.estimate.present()?));
        }
        Ok(Known { ours, others, may_send: situation.may_send() })
    }
}

/// What came of a step; nothing if the model is in error there.
pub(super) fn usable<T>(found: Result<Option<T>, Overflow>) -> Result<Option<T>, Overflow> {
    match found {
        Err(Overflow::Trouble(_)) => Ok(None),
        found => found,
    }
}

/// The inputs of a part with all values that they may carry, as long as these are few.
fn inputs(specification: &Specification, part: usize) -> Vec<(SignalId, Vec<i32>)> {
    let estimator = &specification.parts[part].estimator;
    let mut found = Vec::new();
    for (id, wire) in specification.wired.wires.enumerate() {
        if estimator.role(id) == Role::Receives {
            let values = combinations(wire, VALUES_MAX).unwrap_or_default();
            found.extend(values.into_iter().map(|values| (id, values)));
        }
    }
    found
}

/// The constants that clocks are compared with in some processes, in points of the grid.
fn constants(
    network: &Network,
    processes: &[ProcessId],
    resolution: u32,
) -> BTreeMap<usize, BTreeSet<i64>> {
    let mut found: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
    for process in processes {
        let process = &network.processes[*process];
        let invariants = process.locations.iter().map(|location| &location.invariant);
        let guards = process.edges.iter().map(|edge| &edge.guard);
        for constraint in invariants.chain(guards).flat_map(|condition| &condition.clocks) {
            let Some(bound) = constraint.bound.as_int() else { continue };
            for clock in constraint.clocks() {
                let values = found.entry(clock.base.index()).or_default();
                values.insert(i64::from(bound) * i64::from(resolution));
            }
        }
    }
    found
}
