//! The race: who moves next, and when.

use punctual_model::{Id, ProcessId};

use super::choice::below;
use super::compile::{Edge, Exponential, Location};
use super::limit::{Window, window_of};
use super::problem::{Problem, ProblemKind};
use super::simulator::{Context, Simulator};
use crate::Fault;
use crate::program::Chance;
use crate::select::{next_selects, set_selects};

/// How a race ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Race {
    /// A process wins after a delay.
    Won {
        /// The process.
        winner: usize,
        /// The delay.
        delay: f64,
    },
    /// After this delay an invariant lets no more time pass, and nobody has anything to do: a
    /// timelock, if the run goes on for so long.
    Locked {
        /// The process with the invariant.
        process: ProcessId,
        /// The delay.
        delay: f64,
    },
    /// Nobody will ever do anything: time passes.
    Over,
}

/// When a process can do something.
struct Draw {
    delay: f64,
    /// It lets no time pass beyond this, for urgency.
    limit: f64,
}

impl Simulator<'_> {
    /// Runs the race of all processes from the present state.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn race(&mut self, chance: &mut dyn Chance) -> Result<Race, Problem> {
        if self.n_stopping > 0 {
            return self.standing(chance);
        }
        let mut shortest = f64::INFINITY;
        let mut winner = None;
        let mut ties = 1;
        let (mut deadline, mut strictest) = (f64::INFINITY, 0);
        for p in 0..self.model.processes.len() {
            let process = &self.model.processes[p];
            let location = &process.locations[self.state.ints[p] as usize];
            let mut limit = self.deadlines[p];
            if !location.outputs.is_empty() {
                let draw = self.draw(p, location, limit, chance)?;
                limit = limit.min(draw.limit);
                // Who could do nothing at this instant may try again later, not at once.
                let now = self.state.time;
                let in_vain = self.blocked[p] && now + draw.delay <= now;
                if draw.delay <= shortest && draw.delay < f64::INFINITY && !in_vain {
                    ties = if draw.delay < shortest { 1 } else { ties + 1 };
                    if ties == 1 || below(chance, ties) == 0 {
                        winner = Some(p);
                    }
                    shortest = draw.delay;
                }
            }
            if limit < deadline {
                (deadline, strictest) = (limit, p);
            }
        }
        let locked = Race::Locked { process: ProcessId::from_index(strictest), delay: deadline };
        Ok(match winner {
            // Both were computed from the same bounds, perhaps in different ways.
            Some(winner) if shortest <= deadline + super::TOLERANCE => {
                Race::Won { winner, delay: shortest.min(deadline) }
            }
            _ if deadline < f64::INFINITY => locked,
            _ => Race::Over,
        })
    }

    /// The race where no time passes.
    fn standing(&mut self, chance: &mut dyn Chance) -> Result<Race, Problem> {
        // Those that stop time go first, the others only if none of them can.
        for stopping in [true, false] {
            let (mut winner, mut n) = (None, 0);
            for p in 0..self.model.processes.len() {
                let location = &self.model.processes[p].locations[self.state.ints[p] as usize];
                if location.outputs.is_empty() || self.blocked[p] {
                    continue;
                }
                // A committed process moves by an output of another one as well.
                if location.stops_time != stopping && self.n_committed == 0 {
                    continue;
                }
                self.collect(p, chance)?;
                if !self.choices.is_empty() {
                    n += 1;
                    if n == 1 || below(chance, n) == 0 {
                        winner = Some(p);
                    }
                }
            }
            if let Some(winner) = winner {
                return Ok(Race::Won { winner, delay: 0.0 });
            }
            if self.n_committed > 0 {
                break;
            }
        }
        let stops =
            |p: &usize| self.model.processes[*p].locations[self.state.ints[*p] as usize].stops_time;
        let process = (0..self.model.processes.len()).find(stops).unwrap_or_default();
        Err(ProblemKind::Stuck { process: ProcessId::from_index(process) }.into())
    }

    /// The delay of one process.
    fn draw(
        &mut self,
        p: usize,
        location: &Location,
        deadline: f64,
        chance: &mut dyn Chance,
    ) -> Result<Draw, Problem> {
        let edges = &self.model.processes[p].edges;
        let mut earliest = f64::INFINITY;
        let mut urgent = f64::INFINITY;
        for &number in &location.outputs {
            let edge = &edges[number as usize];
            let mut current = std::mem::take(&mut self.scratch_values);
            let mut context = self.context(chance);
            let found = each_window(edge, &mut current, &mut context, &mut |window, _| {
                if window.from < earliest && window.from <= deadline {
                    earliest = window.from;
                }
                Ok(())
            });
            self.scratch_values = current;
            found?;
            if location.has_urgent {
                urgent = urgent.min(self.urgent_from(p, number, chance)?);
            }
        }
        if earliest == f64::INFINITY {
            return Ok(Draw { delay: f64::INFINITY, limit: f64::INFINITY });
        }
        let delay = match deadline < f64::INFINITY {
            true => earliest + (deadline - earliest).max(0.0) * chance.unit(),
            false => {
                let rate = self.exponential(p, location, chance)?;
                match rate > 0.0 {
                    // A unit is below 1, so the logarithm is finite.
                    true => earliest - (1.0 - chance.unit()).ln() / rate,
                    false => f64::INFINITY,
                }
            }
        };
        // Urgency only cuts it short.
        let delay = delay.min(urgent);
        Ok(Draw { delay, limit: urgent })
    }

    fn exponential(
        &mut self,
        p: usize,
        location: &Location,
        chance: &mut dyn Chance,
    ) -> Result<f64, Problem> {
        let rate = match location.exponential {
            Exponential::Fixed(rate) => rate,
            Exponential::General(value, divisor) => {
                let mut context = self.context(chance);
                let value = context.real(value)?;
                match divisor {
                    None => value,
                    Some(divisor) => value / context.real(divisor)?,
                }
            }
        };
        match rate >= 0.0 {
            true => Ok(rate),
            false => Err(ProblemKind::Rate { process: ProcessId::from_index(p) }.into()),
        }
    }

    /// The earliest delay after which an edge can be taken over an urgent channel.
    fn urgent_from(
        &mut self,
        p: usize,
        number: u32,
        chance: &mut dyn Chance,
    ) -> Result<f64, Problem> {
        let model = self.model;
        let edge = &model.processes[p].edges[number as usize];
        let Some(channel) = edge.channel else { return Ok(f64::INFINITY) };
        let mut current = std::mem::take(&mut self.scratch_values);
        let mut partner = std::mem::take(&mut self.scratch_partner);
        let mut locations = std::mem::take(&mut self.scratch_locations);
        locations.clear();
        locations.extend_from_slice(&self.state.ints[..model.processes.len()]);
        let mut from = f64::INFINITY;
        let mut context = self.context(chance);
        let found = each_window(edge, &mut current, &mut context, &mut |window, context| {
            let on = context.value(channel)?.unsigned_abs();
            let channel = &model.channels[on as usize];
            if !channel.urgent {
                return Ok(());
            }
            if channel.broadcast {
                from = from.min(window.from);
                return Ok(());
            }
            for &receiver in channel.receivers.iter().filter(|it| **it as usize != p) {
                let process = &model.processes[receiver as usize];
                let at = locations[receiver as usize] as usize;
                for &number in &process.locations[at].receives {
                    let edge = &process.edges[number as usize];
                    let Some(channel) = edge.channel else { continue };
                    each_window(edge, &mut partner, context, &mut |other, context| {
                        let start = window.from.max(other.from);
                        if context.value(channel)?.unsigned_abs() == on
                            && start <= window.to.min(other.to)
                        {
                            from = from.min(start);
                        }
                        Ok(())
                    })?;
                }
            }
            Ok(())
        });
        self.scratch_values = current;
        self.scratch_partner = partner;
        self.scratch_locations = locations;
        found?;
        Ok(from)
    }
}

/// Calls `found` for each combination of selected values with which the data allow an edge, with the
/// delays after which the clocks do.
#[inline]
fn each_window(
    edge: &Edge,
    current: &mut Vec<i32>,
    context: &mut Context<'_>,
    found: &mut impl FnMut(Window, &mut Context<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if edge.selects.iter().any(|select| select.lo > select.hi) {
        return Ok(());
    }
    current.clear();
    current.extend(edge.selects.iter().map(|select| select.lo));
    loop {
        set_selects(context.machine, &edge.selects, current);
        if context.all_hold(&edge.guard)? {
            let window = window_of(&edge.limits, context)?;
            if !window.is_empty() {
                found(window, context)?;
            }
        }
        if !next_selects(&edge.selects, current) {
            return Ok(());
        }
    }
}
