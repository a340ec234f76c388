//! The steps of a component one by one, with what they ask of the clocks: for whoever computes with instants, not with
//! sets of them.
//!
//! Which steps there are depends on the locations and integers of a state alone; what they ask of the clocks is told
//! apart for each process, since each decides for itself when it acts.
//!
//! Not here: when a step is taken, and how probable that is.

use std::ops::ControlFlow;

use punctual_model::{EdgeId, Id, SignalId};
use punctual_zones::{Constraint, Zone};

use super::estimator::{Estimator, Role};
use crate::symbolic::{Active, Explorer, Halt, Successor};

/// A step that the locations and integers of a state allow.
#[derive(Clone, Debug)]
pub struct Possible {
    /// Who decides about it: the number of a process in the component.
    pub process: usize,
    /// What that process does, whoever goes along: its edge, its branch, and the values that they select.
    pub offer: (EdgeId, usize, Vec<i32>),
    /// The process and the edge of each that moves.
    pub edges: Vec<(u32, u32)>,
    /// The signal that it sends, if it sends any.
    pub sends: Option<SignalId>,
    /// The values that the signal carries.
    pub values: Vec<i32>,
    /// What the clocks must be then. Clocks are numbered from 1; 0 is the reference.
    pub guard: Vec<Constraint>,
    /// The clocks (numbered from 0) that it sets: each to a clock (0 is the reference) plus a constant.
    pub changes: Vec<(u32, (u32, i32))>,
    /// The locations and integers after it.
    pub state: Vec<i32>,
}

/// What holds while a component stays in a state.
#[derive(Clone, Debug, Default)]
pub struct Stay {
    /// What the invariant of each process asks of the clocks.
    pub invariants: Vec<Vec<Constraint>>,
    /// Whether a location lets no time pass.
    pub stands_still: bool,
    /// For each process, whether its location lets no time pass.
    pub stops: Vec<bool>,
    /// Whether a committed location has edges that receive.
    pub is_receptive: bool,
    /// The clocks (numbered from 0) that some test can still see, without the one that tells the time.
    pub clocks: Vec<u32>,
}

/// Why steps can not be told one by one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unlisted {
    /// The component has something that is not treated here.
    Construct(&'static str),
    /// The model is in error.
    Error,
}

/// Lists steps of a component.
pub struct Steps<'e> {
    estimator: &'e Estimator,
    explorer: Explorer<'e>,
    active: Active,
}

impl<'e> Steps<'e> {
    /// For a component.
    ///
    /// # Errors
    /// If the component has urgent channels, clocks that stop, or steps with weights.
    pub fn new(estimator: &'e Estimator) -> Result<Steps<'e>, Unlisted> {
        let symbolic = &estimator.symbolic;
        if symbolic.has_urgent_channels {
            return Err(Unlisted::Construct("an urgent channel"));
        }
        if symbolic.has_stopwatches {
            return Err(Unlisted::Construct("a clock that stops"));
        }
        if symbolic.has_priorities {
            return Err(Unlisted::Construct("priorities"));
        }
        let edges = symbolic.processes.iter().flat_map(|process| &process.edges);
        if edges.into_iter().any(|edge| edge.branches.len() > 1) {
            return Err(Unlisted::Construct("a step with several branches"));
        }
        let mut explorer = Explorer::new(symbolic);
        explorer.observe(&estimator.observed, &estimator.sent);
        Ok(Steps { estimator, explorer, active: Active::new(symbolic.n_clocks()) })
    }

    /// The state in which the component starts, and the values of its clocks; none if it may start in several, or can
    /// not start.
    #[must_use]
    pub fn start(&mut self) -> Option<(Vec<i32>, Vec<i32>)> {
        let mut found = Vec::new();
        let visit = &mut |successor: Successor<'_>| {
            found.push(successor.state.to_vec());
            ControlFlow::Continue(())
        };
        self.explorer.initial(visit).ok()?;
        match &found[..] {
            [state] => Some((state.clone(), self.estimator.symbolic.initial_clocks.clone())),
            _ => None,
        }
    }

    /// The steps that the component takes by itself.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn own(&mut self, state: &[i32]) -> Result<Vec<Possible>, Unlisted> {
        let zone = self.anything(state);
        let estimator = self.estimator;
        let mut found = Vec::new();
        let mut visit = |successor: Successor<'_>| {
            let signal = successor.channel().and_then(|at| estimator.signal_of[at as usize]);
            let sends = signal.filter(|id| estimator.signals[*id].role == Role::Sends);
            let is_ours = signal.is_none_or(|id| estimator.signals[id].role == Role::Sends);
            if is_ours {
                let slots = sends.map_or(&[][..], |id| &estimator.signals[id].slots);
                let values = slots.iter().map(|slot| successor.state[*slot as usize]).collect();
                found.push(Possible { values, ..possible(&successor, sends) });
            }
            ControlFlow::Continue(())
        };
        self.explorer.successors(state, &zone, &mut visit).map_err(error)?;
        Ok(found)
    }

    /// The steps that an input makes the component take: none if it can not take the input, or if these values can not
    /// come.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn input(
        &mut self,
        state: &[i32],
        signal: SignalId,
        values: &[i32],
    ) -> Result<Vec<Possible>, Unlisted> {
        let observed = &self.estimator.signals[signal];
        let mut sent = Vec::new();
        for ((slot, range), value) in observed.slots.iter().zip(&observed.ranges).zip(values) {
            if !(range.lo..=range.hi).contains(value) {
                return Ok(Vec::new());
            }
            sent.push((*slot, *value));
        }
        let channel = observed.channel;
        let zone = self.anything(state);
        let mut found = Vec::new();
        let mut visit = |successor: Successor<'_>| {
            found.push(possible(&successor, None));
            ControlFlow::Continue(())
        };
        let done = self.explorer.successors_on(channel, &sent, state, &zone, &mut visit);
        done.map_err(error)?;
        Ok(found)
    }

    /// What holds while the component stays in a state.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn stay(&mut self, state: &[i32]) -> Result<Stay, Unlisted> {
        let symbolic = &self.estimator.symbolic;
        let mut stay = Stay::default();
        let mut machine = symbolic.program.machine();
        let mut values = state.to_vec();
        for (number, process) in symbolic.processes.iter().enumerate() {
            let location = &process.locations[state[number] as usize];
            stay.stands_still |= location.stops_time;
            stay.stops.push(location.stops_time);
            stay.is_receptive |= location.committed && !location.receives.is_empty();
            let mut invariant = Vec::new();
            let tests = &location.clocks;
            let done = tests.evaluate(&symbolic.program, &mut values, &mut machine, &mut invariant);
            done.map_err(|_| Unlisted::Error)?;
            stay.invariants.push(invariant);
        }
        self.active.set(symbolic, state);
        let time = self.estimator.clock;
        stay.clocks.extend(self.active.clocks().iter().filter(|clock| **clock != time));
        stay.clocks.sort_unstable();
        Ok(stay)
    }

    /// All values that clocks may have in a state.
    fn anything(&mut self, state: &[i32]) -> Zone {
        self.active.set(&self.estimator.symbolic, state);
        Zone::universe(self.active.clocks().len())
    }
}

fn possible(successor: &Successor<'_>, sends: Option<SignalId>) -> Possible {
    let record = successor.record();
    let edges: Vec<(u32, u32)> = successor.edges().collect();
    let is_said = |it: &Constraint| it.x != 0 || it.bound.constant() != Some(0);
    let first = successor.moves().into_iter().next();
    let offer = first.map(|it| (it.edge, it.branch, it.selects));
    Possible {
        offer: offer.unwrap_or((Id::from_index(0), 0, Vec::new())),
        process: edges.first().map_or(0, |(process, _)| *process as usize),
        edges,
        sends,
        values: Vec::new(),
        guard: record.before.into_iter().filter(is_said).collect(),
        changes: record.changes,
        state: successor.state.to_vec(),
    }
}

fn error(_: Halt) -> Unlisted {
    Unlisted::Error
}
