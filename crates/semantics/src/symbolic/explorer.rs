//! The working memory of one thread, and the way in.

use std::ops::ControlFlow;

use punctual_model::{EdgeId, Id, ProcessId};
use punctual_zones::{Constraint, Source, Zone, ZoneRef};

use super::constraint::{LARGEST, has_grown};
use super::offers::{Offer, Offers};
use super::scope::Scope;
use super::{Active, Record, Symbolic};
use crate::program::{Code, Machine};
use crate::{Fault, FaultKind, Move};

/// Computes successors of symbolic states, one after the other.
pub struct Explorer<'s> {
    pub(crate) symbolic: &'s Symbolic,
    pub(crate) machine: Machine,
    /// The state that is being left.
    pub(crate) source: Vec<i32>,
    pub(crate) source_zone: Zone,
    pub(crate) source_clocks: Active,
    /// Whether some process is in a committed location.
    pub(crate) committed: bool,
    pub(crate) offers: Offers,
    pub(crate) urgent_offers: Offers,
    /// Who moves, in the order of the updates.
    pub(crate) party: Vec<Offer>,
    /// The branch of each, and where its selected values begin in `branch_values`.
    pub(crate) branches: Vec<(u32, u32)>,
    pub(crate) branch_values: Vec<i32>,
    /// Receivers that must not be able to take part.
    pub(crate) refused: Vec<Offer>,
    /// What of the source zone allows the transition, if not all of it does.
    pub(crate) guarded: Zone,
    pub(crate) is_guarded: bool,
    pub(crate) tests: Vec<Constraint>,
    /// The state that is being entered.
    pub(crate) target: Vec<i32>,
    pub(crate) target_zone: Zone,
    /// Takes turns with `target_zone`, to be shown.
    pub(crate) shown_zone: Option<Zone>,
    pub(crate) target_clocks: Active,
    pub(crate) invariants: Vec<Constraint>,
    pub(crate) sources: Vec<Source>,
    pub(crate) stopped: Vec<usize>,
    /// Counts the transitions that the data of the source allow.
    pub(crate) ordinal: u32,
    /// Transitions with a smaller number are passed over.
    pub(crate) first: u32,
    /// Which transitions are looked at.
    pub(crate) scope: Scope,
    /// The channels that an observer sees.
    pub(crate) observed: Box<[bool]>,
    /// Those of them on which the network sends.
    pub(crate) sent: Box<[bool]>,
    /// Integers of the state that the first member of a party sets, and to what.
    pub(crate) pokes: Vec<(u32, i32)>,
    /// Whether successors wait, as far as they may.
    pub(crate) waits: bool,
    /// Whether time stands still in the state that is being entered.
    pub(crate) stands_still: bool,
    /// Whether transitions that are an error of the model are left out, and not told.
    forgives: bool,
    /// Whether one was left out since this was asked last.
    has_forgiven: bool,
}

/// A successor of a symbolic state.
pub struct Successor<'a> {
    /// The number of the transition among those that the data of the source allow. It does not
    /// depend on the zone: the same number is the same transition from any zone.
    pub ordinal: u32,
    /// The locations and integers.
    pub state: &'a [i32],
    /// The zone, after waiting if that was asked for; to be changed as you like.
    pub zone: &'a mut Zone,
    /// The clocks of the zone.
    pub clocks: &'a Active,
    /// Whether time passes without end in this state.
    pub diverges: bool,
    pub(crate) explorer: &'a Explorer<'a>,
}

impl Successor<'_> {
    /// Who moves, in the order of the updates; empty for an initial state.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        self.explorer.moves()
    }

    /// The process and the edge of each that moves, in the order of the updates.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.explorer.party.iter().map(|offer| (offer.process, offer.edge))
    }

    /// The channel of the transition; none if it is internal.
    #[must_use]
    pub fn channel(&self) -> Option<u32> {
        let offer = self.explorer.party.first()?;
        let process = &self.explorer.symbolic.processes[offer.process as usize];
        process.edges[offer.edge as usize].has_channel.then_some(offer.channel)
    }

    /// What the transition asks of the clocks, and does to them.
    #[must_use]
    pub fn record(&self) -> Record {
        self.explorer.record()
    }
}

/// An error of the model, and the moves that caused it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// The error.
    pub fault: Fault,
    /// Who was moving; empty if it was the start, or a query.
    pub moves: Vec<Move>,
}

/// Why successors were not all visited.
#[derive(Debug)]
pub enum Halt {
    /// The visitor has seen enough.
    Stop,
    /// The budget is spent.
    Spent,
    /// The model is in error.
    Trouble(Box<Trouble>),
}

impl<'s> Explorer<'s> {
    /// An explorer whose successors wait as far as they may.
    #[must_use]
    pub fn new(symbolic: &'s Symbolic) -> Explorer<'s> {
        let n_clocks = symbolic.n_clocks;
        let len = symbolic.state_len();
        Explorer {
            symbolic,
            machine: symbolic.program.machine(),
            source: vec![0; len],
            source_zone: Zone::zero(0),
            source_clocks: Active::new(n_clocks),
            committed: false,
            offers: Offers::new(symbolic.channels.len()),
            urgent_offers: Offers::new(symbolic.channels.len()),
            party: Vec::new(),
            branches: Vec::new(),
            branch_values: Vec::new(),
            refused: Vec::new(),
            guarded: Zone::zero(0),
            is_guarded: false,
            tests: Vec::new(),
            target: vec![0; len],
            target_zone: Zone::zero(0),
            shown_zone: None,
            target_clocks: Active::new(n_clocks),
            invariants: Vec::new(),
            sources: Vec::new(),
            stopped: Vec::new(),
            ordinal: 0,
            first: 0,
            scope: Scope::All,
            observed: vec![false; symbolic.channels.len()].into(),
            sent: vec![false; symbolic.channels.len()].into(),
            pokes: Vec::new(),
            waits: true,
            stands_still: false,
            forgives: false,
            has_forgiven: false,
        }
    }

    /// Says whether transitions that are an error of the model are left out from now on: for whoever asks what may
    /// happen, and knows that most of it never will.
    pub fn forgive(&mut self, forgives: bool) {
        self.forgives = forgives;
        self.has_forgiven = false;
        self.offers.forgive(forgives);
        self.urgent_offers.forgive(forgives);
    }

    /// Whether a transition was left out since this was asked last, because it is an error of the model.
    pub fn take_forgiven(&mut self) -> bool {
        let offers = self.offers.take_forgiven() | self.urgent_offers.take_forgiven();
        std::mem::take(&mut self.has_forgiven) | offers
    }

    /// Whether errors of the model are left out.
    pub(crate) fn forgives(&self) -> bool {
        self.forgives
    }

    /// What was done with a transition, or the given value if it is an error of the model that is left out.
    pub(crate) fn forgiven<T>(&mut self, done: Result<T, Halt>, otherwise: T) -> Result<T, Halt> {
        match done {
            Err(Halt::Trouble(_)) if self.forgives => {
                self.has_forgiven = true;
                Ok(otherwise)
            }
            done => done,
        }
    }

    /// An explorer whose successors are as they are entered, before time passes.
    #[must_use]
    pub fn without_waiting(symbolic: &'s Symbolic) -> Explorer<'s> {
        Explorer { waits: false, ..Explorer::new(symbolic) }
    }

    /// The network.
    #[must_use]
    pub fn symbolic(&self) -> &'s Symbolic {
        self.symbolic
    }

    /// Visits the states the network may start in. Numbers count combinations of locations.
    ///
    /// # Errors
    /// If the model is in error, or the visitor stops.
    pub fn initial(
        &mut self,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        let symbolic = self.symbolic;
        let n = symbolic.processes.len();
        let mut choice = vec![0; n];
        self.party.clear();
        self.ordinal = 0;
        if symbolic.processes.iter().any(|process| process.initial.is_empty()) {
            return Ok(());
        }
        loop {
            self.look()?;
            for (p, process) in symbolic.processes.iter().enumerate() {
                self.target[p] = process.initial[choice[p]] as i32;
            }
            self.target[n..].copy_from_slice(&symbolic.initial_ints);
            self.machine.begin();
            if self.survey()? {
                self.sources.clear();
                for &clock in self.target_clocks.clocks() {
                    let value = symbolic.initial_clocks[clock as usize];
                    self.sources.push(Source::constant(value));
                }
                self.target_zone.set_image(&Zone::zero(0), &self.sources);
                self.enter(visit)?;
            }
            self.ordinal += 1;
            let next = (0..n).find(|&p| choice[p] + 1 < symbolic.processes[p].initial.len());
            let Some(next) = next else { return Ok(()) };
            choice[next] += 1;
            choice[..next].fill(0);
        }
    }

    /// Visits what comes of staying in a state: time passes from a zone of it, as far as it may.
    ///
    /// # Errors
    /// If the model is in error, or the visitor stops.
    pub fn wait<'z>(
        &mut self,
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        self.look()?;
        self.target.copy_from_slice(state);
        self.party.clear();
        self.ordinal = 0;
        self.machine.begin();
        if self.survey()? {
            self.target_zone.assign(zone);
            debug_assert_eq!(self.target_zone.dim(), self.target_clocks.clocks().len() + 1);
            self.enter(visit)?;
        }
        Ok(())
    }

    /// Visits the successors of a state, in an order that only depends on the locations and
    /// integers.
    ///
    /// # Errors
    /// If the model is in error, or the visitor stops.
    pub fn successors<'z>(
        &mut self,
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        self.look()?;
        self.load(state, zone);
        if let Err(halt) = self.mind_growth() {
            return self.forgiven(Err(halt), ());
        }
        if self.symbolic.has_priorities {
            return self.fire_by_priority(visit);
        }
        self.each_transition(&mut |explorer| explorer.fire(visit))
    }

    /// Visits the successors of a state by transitions from this number on; those before are passed
    /// over at little cost.
    ///
    /// # Errors
    /// If the model is in error, or the visitor stops.
    pub fn successors_from<'z>(
        &mut self,
        first: u32,
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        self.first = first;
        let done = self.successors(state, zone, &mut |successor| match successor.ordinal < first {
            true => ControlFlow::Continue(()),
            false => visit(successor),
        });
        self.first = 0;
        done
    }

    /// How many transitions of a state have a number; many of them may not be possible. Costs little
    /// unless there are priorities.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn count_transitions<'z>(
        &mut self,
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
    ) -> Result<u32, Halt> {
        self.successors_from(u32::MAX, state, zone, &mut |_| ControlFlow::Continue(()))?;
        Ok(self.ordinal)
    }

    /// Makes this the state that is being left.
    pub(crate) fn load<'z>(&mut self, state: &[i32], zone: impl Into<ZoneRef<'z>>) {
        self.source.copy_from_slice(state);
        self.source_clocks.set(self.symbolic, state);
        self.source_zone.assign(zone);
        debug_assert_eq!(self.source_zone.dim(), self.source_clocks.clocks().len() + 1);
        self.ordinal = 0;
    }

    /// Zones hold sums of a few constants; a clock that grows from step to step must end before.
    pub(crate) fn mind_growth(&mut self) -> Result<(), Halt> {
        if has_grown(self.source_zone.view()) {
            self.party.clear();
            return Err(self.trouble(FaultKind::ClockGrown { beyond: LARGEST }.into()));
        }
        Ok(())
    }

    /// The value of code in a state.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn value(&mut self, code: Code, state: &[i32]) -> Result<i32, Halt> {
        self.target.copy_from_slice(state);
        self.machine.begin();
        self.party.clear();
        let Self { symbolic, target, machine, .. } = self;
        symbolic.program.run(code, target, machine).map_err(|fault| self.trouble(fault))
    }

    /// The number of a clock of the network (0 is the reference) in zones of a state. Something in
    /// the query must have asked for it.
    pub fn number_of(&mut self, state: &[i32], clock: u32) -> usize {
        self.target_clocks.set(self.symbolic, state);
        self.target_clocks.tested(clock)
    }

    /// The transition that is being visited, or that caused trouble.
    pub(crate) fn moves(&self) -> Vec<Move> {
        let chosen = |(i, offer): (usize, &Offer)| {
            let edge = &self.symbolic.processes[offer.process as usize].edges[offer.edge as usize];
            let mut selects = self.offers.values_of(offer, edge.selects.len()).to_vec();
            let (branch, values) = self.branches.get(i).copied().unwrap_or_default();
            if let Some(branch) = edge.branches.get(branch as usize) {
                let values = self.branch_values.get(values as usize..).unwrap_or_default();
                selects.extend(values.iter().take(branch.selects.len()));
            }
            Move {
                process: ProcessId::from_index(offer.process as usize),
                edge: EdgeId::from_index(offer.edge as usize),
                branch: branch as usize,
                selects,
            }
        };
        self.party.iter().enumerate().map(chosen).collect()
    }

    /// Looks at the budget.
    #[inline]
    pub(crate) fn look(&self) -> Result<(), Halt> {
        if self.symbolic.budget.is_spent() { Err(Halt::Spent) } else { Ok(()) }
    }

    /// The model is in error.
    #[cold]
    pub(crate) fn trouble(&self, fault: Fault) -> Halt {
        if fault.kind == FaultKind::Spent {
            return Halt::Spent;
        }
        Halt::Trouble(Box::new(Trouble { fault, moves: self.moves() }))
    }
}
