//! What a network does from a single state: locations, integers, and clocks with exact values.
//!
//! This is the textbook semantics, written as plainly as possible and sharing no code with
//! `program` and `symbolic`, so that tests can play one against the other. It is slow.
//!
//! - `eval` evaluates expressions,
//! - `steps` finds the transitions that are possible at an instant,
//! - `time` finds how long time may pass, by looking at the finitely many instants that matter.
//!
//! Doubles and hybrid clocks are left out, as in symbolic analysis: assignments to them do
//! nothing, constraints on hybrid clocks hold, and hybrid clocks stay at zero.

mod eval;
mod steps;
mod time;

use std::{collections::BTreeSet, fmt};

use punctual_model::{
    ChannelId, EventId, Location, LocationId, LocationKind, Network, ProcessId, StateExpr,
};

use crate::{Fault, Move, Rational};
use eval::Machine;

/// A state of a network.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Where each process is.
    pub locations: Vec<LocationId>,
    /// The integers of the state.
    pub ints: Vec<i32>,
    /// The values of the clocks.
    pub clocks: Vec<Rational>,
}

/// An error of the model, and the moves that led to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Failure {
    /// What went wrong.
    pub fault: Fault,
    /// The moves that were being made. If a guard was at fault: the edge that it belongs to, as
    /// if its first branch were taken. Empty if no edge was at fault.
    pub moves: Vec<Move>,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self { fault, moves: Vec::new() }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        failure.fault
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

/// The semantics of one network.
pub struct Concrete<'n> {
    network: &'n Network,
    /// For each process, the channels that it knows by edges in the style of CSP.
    alphabets: Vec<BTreeSet<ChannelId>>,
    /// The events of processes that happen in vectors only.
    synchronised: BTreeSet<(ProcessId, EventId)>,
}

impl<'n> Concrete<'n> {
    /// The semantics of a network.
    pub fn new(network: &'n Network) -> Self {
        Self {
            network,
            alphabets: network.processes.iter().map(steps::alphabet).collect(),
            synchronised: steps::synchronised(network),
        }
    }

    /// The states in which the network can start: all combinations of initial locations whose
    /// invariants hold.
    ///
    /// # Errors
    /// If an invariant can not be evaluated.
    pub fn initial(&self) -> Result<Vec<State>, Fault> {
        let network = self.network;
        let choices: Vec<_> = network.processes.iter().map(|p| p.initial.clone()).collect();
        let mut states = Vec::new();
        for locations in steps::product(&choices) {
            let clocks = network.clocks.iter().map(|clock| match clock.hybrid {
                true => Rational::ZERO,
                false => eval::exact(clock.initial),
            });
            let clocks = clocks.collect();
            let state = State { locations, ints: network.initial.ints.clone(), clocks };
            if self.legal(&state, &self.standing(), &mut BTreeSet::new())? {
                states.push(state);
            }
        }
        Ok(states)
    }

    /// Whether a predicate holds now. It may look at clocks, but not at `deadlock`.
    ///
    /// # Errors
    /// If it can not be evaluated.
    pub fn holds(&self, state: &State, predicate: &StateExpr) -> Result<bool, Fault> {
        Ok(self.value(state, predicate)? != 0)
    }

    /// The value of an integer expression over states.
    ///
    /// # Errors
    /// If it can not be evaluated.
    pub fn value(&self, state: &State, expr: &StateExpr) -> Result<i32, Fault> {
        self.value_with(state, expr, &[])
    }

    /// The value of an integer expression whose first local integers are given, such as those that an edge selects.
    ///
    /// # Errors
    /// If it can not be evaluated.
    pub fn value_with(
        &self,
        state: &State,
        expr: &StateExpr,
        locals: &[i32],
    ) -> Result<i32, Fault> {
        let mut critical = BTreeSet::new();
        let mut machine = Machine::new(self.network, state, &self.standing(), &mut critical);
        machine.enter(expr.frame);
        for (slot, value) in (0..expr.frame.ints).zip(locals) {
            machine.set_local(slot, *value);
        }
        machine.int(&expr.expr)
    }

    /// Clocks whose values are looked at for one instant only.
    fn standing(&self) -> Vec<bool> {
        vec![false; self.network.clocks.len()]
    }

    fn locations(&self, state: &State) -> impl Iterator<Item = (ProcessId, &'n Location)> {
        let processes = self.network.processes.enumerate();
        processes.zip(state.locations.clone()).map(|((id, process), at)| {
            let location: &'n Location = &process.locations[at];
            (id, location)
        })
    }

    /// Whether a location keeps time from passing.
    fn stands_still(&self, state: &State) -> bool {
        self.locations(state).any(|(_, location)| location.kind != LocationKind::Normal)
    }

    /// Whether the invariants of all processes hold.
    fn legal(
        &self,
        state: &State,
        moving: &[bool],
        critical: &mut BTreeSet<Rational>,
    ) -> Result<bool, Fault> {
        let mut machine = Machine::new(self.network, state, moving, critical);
        self.invariants(&mut machine)
    }

    /// Whether the invariants of all processes hold in what a machine remembers. As in a guard,
    /// clock bounds are evaluated if all data parts hold, whatever the clocks say.
    fn invariants(&self, machine: &mut Machine<'_>) -> Result<bool, Fault> {
        let locations = machine.locations.clone();
        let locations = self.network.processes.iter().zip(&locations);
        let locations: Vec<_> = locations.map(|(process, at)| &process.locations[*at]).collect();
        for location in &locations {
            machine.enter(location.frame);
            if !machine.data_part(&location.invariant)? {
                return Ok(false);
            }
        }
        let mut hold = true;
        for location in &locations {
            machine.enter(location.frame);
            hold &= machine.clock_part(&location.invariant)?;
        }
        Ok(hold)
    }
}
