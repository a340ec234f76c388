//! Whether time passes in a state, and how far.

use std::ops::ControlFlow;

use punctual_zones::{Constraint, Zone};

use super::avoid::{Barrier, wait_between};
use super::explorer::{Explorer, Halt, Successor};
use super::scope::Scope;
use crate::{Fault, FaultKind};

/// What keeps time from passing in a state.
pub(crate) enum Urgency {
    /// Nothing but invariants.
    None,
    /// Time stands still.
    Stopped,
    /// Time stands still from where one of these zones begins.
    From(Vec<Zone>),
}

impl Urgency {
    /// Where time stops.
    fn barriers(&self) -> Vec<Barrier> {
        match self {
            Urgency::None | Urgency::Stopped => Vec::new(),
            Urgency::From(begins) => begins.iter().map(Barrier::stop).collect(),
        }
    }
}

impl Explorer<'_> {
    /// Looks at the locations of `target`: which clocks matter, what the invariants say. False if
    /// the data of an invariant do not hold.
    pub(crate) fn survey(&mut self) -> Result<bool, Halt> {
        let Self { symbolic, machine, target, target_clocks, invariants, .. } = self;
        let program = &symbolic.program;
        target_clocks.clear();
        target_clocks.add(symbolic.bounds.everywhere());
        invariants.clear();
        for (p, process) in symbolic.processes.iter().enumerate() {
            let number = target[p] as usize;
            target_clocks.add(symbolic.bounds.at(p, number));
            let location = &process.locations[number];
            for &code in &location.data {
                match program.run(code, target, machine) {
                    Ok(0) => return Ok(false),
                    Ok(_) => {}
                    Err(fault) => return Err(self.trouble(fault)),
                }
            }
            if !location.clocks.is_empty() {
                let done = location.clocks.evaluate(program, target, machine, invariants);
                if let Err(fault) = done {
                    return Err(self.trouble(fault));
                }
            }
        }
        for constraint in invariants.iter_mut() {
            constraint.x = target_clocks.tested(constraint.x) as u32;
            constraint.y = target_clocks.tested(constraint.y) as u32;
        }
        Ok(true)
    }

    /// Cuts a zone of a state to where the invariants hold; false if that is nowhere.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn cut_to_invariants(&mut self, state: &[i32], zone: &mut Zone) -> Result<bool, Halt> {
        self.target.copy_from_slice(state);
        self.party.clear();
        self.machine.begin();
        Ok(self.survey()? && zone.constrain_all(self.invariants.iter().copied()))
    }

    /// Enters the state of `target` with the clocks of `target_zone`: its invariants must hold, and
    /// then time passes, if it may and if that is asked for.
    pub(crate) fn enter(
        &mut self,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        if !self.target_zone.constrain_all(self.invariants.iter().copied()) {
            return Ok(());
        }
        let mut diverges = false;
        self.stands_still = false;
        if self.waits {
            match self.urgency()? {
                Urgency::Stopped => self.stands_still = true,
                Urgency::None => {
                    self.stopped_clocks().map_err(|fault| self.trouble(fault))?;
                    self.target_zone.up_except(&self.stopped);
                    let holds = self.target_zone.constrain_all(self.invariants.iter().copied());
                    assert!(holds, "the state before waiting is still there");
                    diverges = self.runs_for_ever();
                }
                urgency @ Urgency::From(_) => {
                    self.stopped_clocks().map_err(|fault| self.trouble(fault))?;
                    let later = self.later(&self.target_zone, &urgency);
                    let barriers = urgency.barriers();
                    let pieces = wait_between(&self.target_zone, &later, &self.stopped, &barriers);
                    for piece in pieces.zones() {
                        self.target_zone.assign(piece);
                        self.show(false, visit)?;
                    }
                    return Ok(());
                }
            }
        }
        self.show(diverges, visit)
    }

    /// Whether no clock that runs has an upper bound.
    fn runs_for_ever(&self) -> bool {
        let zone = &self.target_zone;
        let bounded = |clock: &usize| !zone.bound(*clock, 0).is_infinite();
        (1..zone.dim()).filter(bounded).all(|clock| self.stopped.binary_search(&clock).is_ok())
    }

    fn show(
        &mut self,
        diverges: bool,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        // The zone may be changed while the rest is looked at.
        let mut zone = self.shown_zone.take().unwrap_or_else(|| Zone::zero(0));
        std::mem::swap(&mut zone, &mut self.target_zone);
        let successor = Successor {
            ordinal: self.ordinal,
            state: &self.target,
            zone: &mut zone,
            clocks: &self.target_clocks,
            diverges,
            explorer: self,
        };
        let flow = visit(successor);
        self.shown_zone = Some(zone);
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Halt::Stop),
        }
    }

    /// What keeps time from passing in the state of `target`.
    pub(crate) fn urgency(&mut self) -> Result<Urgency, Halt> {
        let symbolic = self.symbolic;
        let at = |p: usize| &symbolic.processes[p].locations[self.target[p] as usize];
        let mut has_urgent = false;
        for p in 0..symbolic.processes.len() {
            let location = at(p);
            if location.stops_time {
                return Ok(Urgency::Stopped);
            }
            has_urgent |= location.has_urgent;
        }
        if !symbolic.has_urgent_channels || !has_urgent {
            return Ok(Urgency::None);
        }
        self.urgent_channels()
    }

    /// Whether a synchronisation over an urgent channel is possible, as far as guards say.
    fn urgent_channels(&mut self) -> Result<Urgency, Halt> {
        let symbolic = self.symbolic;
        let Self { urgent_offers: offers, target, machine, .. } = self;
        if let Err((offer, fault)) =
            offers.collect(symbolic, target, machine, true, (Scope::All, &[]))
        {
            // The values that the offer selects are among these.
            std::mem::swap(&mut self.offers, &mut self.urgent_offers);
            self.party.clear();
            self.party.push(offer);
            self.branches.clear();
            return Err(self.trouble(fault));
        }
        let mut begins = Vec::new();
        for i in 0..self.urgent_offers.sends.len() {
            let send = self.urgent_offers.sends[i];
            let channel = send.channel as usize;
            if symbolic.channels[channel].broadcast {
                match self.urgent_zone(&[send])? {
                    None => return Ok(Urgency::Stopped),
                    Some(zone) => begins.extend(zone),
                }
                continue;
            }
            for j in 0..self.urgent_offers.receives[channel].len() {
                let receive = self.urgent_offers.receives[channel][j];
                if receive.process != send.process {
                    match self.urgent_zone(&[send, receive])? {
                        None => return Ok(Urgency::Stopped),
                        Some(zone) => begins.extend(zone),
                    }
                }
            }
        }
        Ok(if begins.is_empty() { Urgency::None } else { Urgency::From(begins) })
    }

    /// Where the clocks allow an urgent synchronisation: everywhere (none), or in this zone, if any.
    fn urgent_zone(
        &mut self,
        party: &[super::offers::Offer],
    ) -> Result<Option<Option<Zone>>, Halt> {
        let symbolic = self.symbolic;
        let mut tests = Vec::new();
        for offer in party {
            let Self { machine, target, urgent_offers, .. } = self;
            let edge = &symbolic.processes[offer.process as usize].edges[offer.edge as usize];
            urgent_offers.load(offer, edge, machine);
            let done = edge.clocks.evaluate(&symbolic.program, target, machine, &mut tests);
            done.map_err(|fault| self.trouble(fault))?;
        }
        if tests.is_empty() {
            return Ok(None);
        }
        let clocks = &self.target_clocks;
        let local =
            |it: Constraint| Constraint::new(clocks.tested(it.x), clocks.tested(it.y), it.bound);
        let n_clocks = clocks.clocks().len();
        Ok(Some(Zone::from_constraints(n_clocks, tests.into_iter().map(local))))
    }

    /// The clocks that stand still in the state of `target`, in ascending order.
    pub(crate) fn stopped_clocks(&mut self) -> Result<(), Fault> {
        self.stopped.clear();
        if !self.symbolic.has_stopwatches {
            return Ok(());
        }
        let Self { symbolic, machine, target, target_clocks, stopped, .. } = self;
        let program = &symbolic.program;
        for (p, process) in symbolic.processes.iter().enumerate() {
            for &(clock, rate) in &process.locations[target[p] as usize].rates {
                let clock = program.run(clock, target, machine)?.unsigned_abs();
                match program.run(rate, target, machine)? {
                    0 => stopped.extend(target_clocks.number(clock + 1)),
                    1 => {}
                    value => return Err(FaultKind::Rate { value }.into()),
                }
            }
        }
        stopped.sort_unstable();
        stopped.dedup();
        Ok(())
    }
}
