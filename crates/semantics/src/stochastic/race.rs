//! The race: who moves next, and when.

use punctual_model::{Id, ProcessId};

use super::choice::below;
use super::draw::ROUNDING_MAX;
use super::problem::{Problem, ProblemKind};
use super::simulator::Simulator;
use crate::program::Chance;

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

impl Simulator<'_> {
    /// Runs the race of all processes from the present state.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn race(&mut self, chance: &mut dyn Chance) -> Result<Race, Problem> {
        if !self.stopping.is_empty() {
            return self.standing(chance);
        }
        self.redraw(chance)?;
        let shortest = least(&self.draws.left);
        let mut deadline = least(&self.deadlines);
        if self.model.has_urgent {
            deadline = deadline.min(least(&self.draws.urgent));
        }
        // Both were computed from the same bounds, perhaps in different ways.
        if shortest < f64::INFINITY && shortest <= deadline + super::TOLERANCE {
            let winner = self.foremost(shortest, chance);
            let delay = self.draws.left[winner].min(deadline).max(0.0);
            return Ok(Race::Won { winner, delay });
        }
        if deadline < f64::INFINITY {
            let limits = self.deadlines.iter().zip(&self.draws.urgent);
            let strictest = limits.map(|(a, b)| a.min(*b)).position(|limit| limit <= deadline);
            let process = ProcessId::from_index(strictest.unwrap_or_default());
            return Ok(Race::Locked { process, delay: deadline.max(0.0) });
        }
        Ok(Race::Over)
    }

    /// Who is first; each with the same chance if there are several.
    #[inline]
    fn foremost(&mut self, shortest: f64, chance: &mut dyn Chance) -> usize {
        let close = shortest + ROUNDING_MAX;
        let (mut n, mut first) = (0, 0);
        for (p, left) in self.draws.left.iter().enumerate() {
            if *left <= close {
                n += 1;
                first = p;
            }
        }
        if n == 1 { first } else { self.break_tie(shortest, chance) }
    }

    /// Chooses among those who are first up to rounding, where no chance made them so.
    fn break_tie(&mut self, shortest: f64, chance: &mut dyn Chance) -> usize {
        let (left, rounding) = (&self.draws.left, &self.draws.rounding);
        let at = left.iter().position(|it| *it == shortest).unwrap_or_default();
        let (mut winner, mut n) = (at, 0);
        for p in 0..left.len() {
            let is_tie = rounding[p] >= 0.0
                && rounding[at] >= 0.0
                && left[p] <= shortest + rounding[p].max(rounding[at]);
            if left[p] == shortest || is_tie {
                n += 1;
                if n == 1 || below(chance, n) == 0 {
                    winner = p;
                }
            }
        }
        winner
    }

    /// The race where no time passes: the first of those who can move, in an order by chance.
    fn standing(&mut self, chance: &mut dyn Chance) -> Result<Race, Problem> {
        let model = self.model;
        if let ([only], 0) = (&self.stopping[..], self.n_receptive) {
            let only = *only as usize;
            let (begin, end) = self.location(only).outputs;
            if begin < end && !self.blocked[only] && self.prepare(only, chance)? {
                return Ok(Race::Won { winner: only, delay: 0.0 });
            }
        }
        let mut runners = std::mem::take(&mut self.runners);
        runners.clear();
        // A committed process moves by an output of another one as well.
        let all = self.n_receptive > 0;
        match all {
            true => runners.extend(0..model.first.len() as u32),
            false => runners.extend_from_slice(&self.stopping),
        }
        let mut winner = self.first_runner(&mut runners, chance);
        if matches!(winner, Ok(None)) && !all && self.n_committed == 0 {
            // Those that stop time go first, the others only if none of them can.
            let others = (0..model.first.len()).filter(|p| !self.location(*p).stops_time);
            runners.extend(others.map(|p| p as u32));
            winner = self.first_runner(&mut runners, chance);
        }
        self.runners = runners;
        match winner? {
            Some(winner) => Ok(Race::Won { winner, delay: 0.0 }),
            None => {
                let process = self.stopping.iter().min().map_or(0, |p| *p as usize);
                Err(ProblemKind::Stuck { process: ProcessId::from_index(process) }.into())
            }
        }
    }

    fn first_runner(
        &mut self,
        runners: &mut Vec<u32>,
        chance: &mut dyn Chance,
    ) -> Result<Option<usize>, Problem> {
        loop {
            let next = match runners.len() {
                0 => return Ok(None),
                1 => 0,
                n => below(chance, n),
            };
            let p = runners.swap_remove(next) as usize;
            let (begin, end) = self.location(p).outputs;
            if begin < end && !self.blocked[p] && self.prepare(p, chance)? {
                return Ok(Some(p));
            }
        }
    }
}

/// The least of some numbers.
#[inline]
fn least(numbers: &[f64]) -> f64 {
    let min = |a: f64, b: f64| if b < a { b } else { a };
    let mut lanes = [f64::INFINITY; 4];
    let chunks = numbers.chunks_exact(4);
    let mut rest = f64::INFINITY;
    for number in chunks.remainder() {
        rest = min(rest, *number);
    }
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane = min(*lane, *number);
        }
    }
    min(min(min(lanes[0], lanes[1]), min(lanes[2], lanes[3])), rest)
}
