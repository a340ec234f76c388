//! A transition: its updates, and what is different after it.

use super::choice::Member;
use super::compile::Location;
use super::limit::window_of;
use super::problem::Problem;
use super::simulator::{Simulator, context};
use crate::Fault;
use crate::program::Chance;
use crate::select::set_selects;

impl Simulator<'_> {
    /// The party moves; false, and nothing has changed, if an invariant forbids it.
    pub(crate) fn fire(&mut self, chance: &mut dyn Chance) -> Result<bool, Problem> {
        self.before.copy_from(&self.state);
        let done = match self.update(chance) {
            Ok(()) => self.settle(chance).map_err(|fault| self.blame(fault)),
            Err(problem) if self.disables(&problem) => Ok(false),
            Err(problem) => Err(problem),
        };
        match done {
            Ok(true) => self.move_on(),
            _ => {
                std::mem::swap(&mut self.state, &mut self.before);
                let back = self.settle_again(chance)?;
                debug_assert!(back, "the invariants held before");
            }
        }
        done
    }

    /// Evaluates the updates of the party, in order, and moves it.
    fn update(&mut self, chance: &mut dyn Chance) -> Result<(), Problem> {
        self.machine.begin();
        self.run_updates(chance).map_err(|fault| self.blame(fault))
    }

    fn run_updates(&mut self, chance: &mut dyn Chance) -> Result<(), Fault> {
        let model = self.model;
        if model.has_updates_around {
            self.context(chance).value(model.before_update)?;
        }
        for i in 0..self.party.len() {
            let member = self.party[i];
            let edge = &model.edges[member.edge as usize];
            let branch = &edge.branches[member.branch as usize];
            let values = self.choices.values(member.values, edge.selects.len());
            set_selects(&mut self.machine, &edge.selects, values);
            let values = self.choices.values(member.branch_values, branch.selects.len());
            set_selects(&mut self.machine, &branch.selects, values);
            let mut context = context!(self, chance);
            context.value(edge.update)?;
            context.value(branch.update)?;
            self.state.ints[edge.process as usize] = branch.target;
        }
        if model.has_updates_around {
            self.context(chance).value(model.after_update)?;
        }
        Ok(())
    }

    /// Finds the rates, and the deadlines of those whom the transition touches: those who move, and those
    /// who read what it wrote. Their draws are dropped. False if an invariant does not hold.
    fn settle(&mut self, chance: &mut dyn Chance) -> Result<bool, Fault> {
        let model = self.model;
        if model.has_rates {
            let changes = |it: &Member| {
                model.edges[it.edge as usize].branches[it.branch as usize].changes_rates
            };
            if (model.has_volatile_rates || self.party.iter().any(changes))
                && self.find_rates(chance)?
            {
                self.draws.forget();
                return self.find_deadlines(chance);
            }
        }
        for i in 0..self.party.len() {
            let member = self.party[i];
            let edge = &model.edges[member.edge as usize];
            if !self.touch(edge.process as usize, chance)? {
                return Ok(false);
            }
            let (begin, end) = edge.branches[member.branch as usize].touched;
            for touched in &model.touched[begin as usize..end as usize] {
                let p = touched.process as usize;
                if touched.is_at(self.state.ints[p], self.draws.sleeps[p])
                    && !self.touch(p, chance)?
                {
                    return Ok(false);
                }
            }
        }
        if model.has_volatile {
            for p in 0..model.first.len() {
                if self.location(p).volatile && !self.touch(p, chance)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    #[inline]
    fn touch(&mut self, p: usize, chance: &mut dyn Chance) -> Result<bool, Fault> {
        self.draws.drop(p);
        self.draws.is_late[p] = false;
        self.find_deadline(p, chance)
    }

    /// Finds the rates and deadlines of the state that was before a transition.
    #[cold]
    fn settle_again(&mut self, chance: &mut dyn Chance) -> Result<bool, Fault> {
        if self.model.has_rates {
            self.find_rates(chance)?;
        }
        self.find_deadlines(chance)
    }

    fn find_deadlines(&mut self, chance: &mut dyn Chance) -> Result<bool, Fault> {
        for p in 0..self.model.first.len() {
            if !self.find_deadline(p, chance)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The same for a state that nothing is known of.
    pub(crate) fn settle_all(&mut self, chance: &mut dyn Chance) -> Result<bool, Fault> {
        if self.model.has_rates {
            self.find_rates(chance)?;
        }
        (self.n_committed, self.n_receptive) = (0, 0);
        self.stopping.clear();
        for p in 0..self.model.first.len() {
            self.enter(p, self.location(p));
        }
        self.find_deadlines(chance)
    }

    /// Finds the rates of the clocks; whether one has changed.
    fn find_rates(&mut self, chance: &mut dyn Chance) -> Result<bool, Fault> {
        self.scratch.copy_from_slice(&self.rates);
        self.rates.fill(1.0);
        for p in 0..self.model.first.len() {
            for &(clock, rate) in &self.location(p).rates {
                let mut context = context!(self, chance);
                let clock = context.value(clock)?.unsigned_abs();
                let rate = context.real(rate)?;
                self.rates[clock as usize] = rate;
            }
        }
        Ok(self.scratch != self.rates)
    }

    /// Finds how long a process lets time pass; false if its invariant does not hold.
    #[inline]
    pub(crate) fn find_deadline(
        &mut self,
        p: usize,
        chance: &mut dyn Chance,
    ) -> Result<bool, Fault> {
        let location = self.location(p);
        if !location.has_invariant {
            self.deadlines[p] = f64::INFINITY;
            return Ok(true);
        }
        let mut context = context!(self, chance);
        if !context.all_hold(&location.data)? {
            return Ok(false);
        }
        let window = window_of(&location.limits, &mut context)?;
        self.deadlines[p] = window.to;
        Ok(window.from <= 0.0)
    }

    /// Counts the locations that the party has left and entered.
    fn move_on(&mut self) {
        let model = self.model;
        for i in 0..self.party.len() {
            let p = model.edges[self.party[i].edge as usize].process as usize;
            let from = &model.locations[(model.first[p] as i32 + self.before.ints[p]) as usize];
            if from.stops_time {
                self.stopping.retain(|it| *it != p as u32);
                self.n_committed -= u32::from(from.committed);
                self.n_receptive -= u32::from(from.committed && from.has_receives);
            }
            self.enter(p, self.location(p));
        }
    }

    #[inline]
    fn enter(&mut self, p: usize, location: &Location) {
        if location.stops_time {
            self.stopping.push(p as u32);
            self.n_committed += u32::from(location.committed);
            self.n_receptive += u32::from(location.committed && location.has_receives);
        }
    }
}
