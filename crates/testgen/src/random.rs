//! Algorithm 1: anything that is allowed, by chance.
//!
//! `DIFFERENCE(larsen04)`: the paper sends an input now or waits for a random time. Here an input is planned for a
//! point of its window, also a later one, and the ways to choose the point take turns (`waits.rs`): only so is an end
//! of a window met more often than by accident. Test: `experiments/t-uppaal`.

use punctual_semantics::program::Chance;
use punctual_smc::Stream;

use crate::situation::{Candidate, Decision, Situation, Strategy};
use crate::waits::Stretches;

/// When to send an input that was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Timing {
    /// At once, at any point of its window, at its ends or at the last point, in stretches by turns.
    #[default]
    Mixed,
    /// At any point of its window, each as probable as any other.
    Random,
    /// At the first point of its window.
    Eager,
    /// At the last point of its window.
    Lazy,
    /// At any point up to one of two delays (or the first possible one, if that is later).
    Bounded {
        /// The shorter delay, in points of the grid.
        short: i64,
        /// The longer delay, in points of the grid.
        long: i64,
    },
}

/// How [`Random`] chooses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RandomOptions {
    /// At which point of its window an input is sent.
    pub timing: Timing,
    /// The probability to wait although something could be sent.
    pub wait: f64,
    /// The probability to reset the system and start anew.
    pub restart: f64,
}

impl Default for RandomOptions {
    fn default() -> Self {
        RandomOptions { timing: Timing::Mixed, wait: 0.5, restart: 0.0 }
    }
}

/// Chooses by chance among all that is allowed.
#[derive(Clone, Debug)]
pub struct Random {
    options: RandomOptions,
    chance: Stream,
    stretches: Stretches,
}

impl Random {
    /// The choices of one run of a seed.
    #[must_use]
    pub fn new(seed: u64, run: u64, options: RandomOptions) -> Random {
        let chance = Stream::of_run(seed, run);
        Random { options, chance, stretches: Stretches::new(run) }
    }

    /// When an input is sent, if not by turns.
    fn point(&mut self, situation: &Situation<'_>, candidate: &Candidate) -> i64 {
        let (from, to) = situation.window(candidate);
        match self.options.timing {
            Timing::Mixed | Timing::Random => within(&mut self.chance, from, to),
            Timing::Eager => from,
            Timing::Lazy => to,
            Timing::Bounded { short, long } => {
                let delay = if below(&mut self.chance, 2) == 0 { short } else { long };
                let last = (situation.now + delay).clamp(from, to);
                within(&mut self.chance, from, last)
            }
        }
    }
}

impl Strategy for Random {
    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        if self.options.restart > 0.0 && self.chance.unit() < self.options.restart {
            return Decision::Restart { at_ns: situation.now_ns };
        }
        let way = match self.options.timing {
            Timing::Mixed => Some(self.stretches.next(&mut self.chance)),
            _ => None,
        };
        let is_preferred = |it: &Candidate| way.is_none_or(|way| way.prefers(situation, it));
        let is_in_time = |it: &Candidate| it.from <= situation.patience();
        let any = situation.candidates.iter().any(|it| is_in_time(it) && is_preferred(it));
        let reachable = |it: &&Candidate| is_in_time(it) && (!any || is_preferred(it));
        let n = situation.candidates.iter().filter(reachable).count();
        // A deadline is met by sending something, if there is something to send.
        let must_send = situation.deadline.is_some_and(|deadline| deadline <= situation.now);
        let wait_chance = way.map_or(self.options.wait, |way| way.wait(self.options.wait));
        if n == 0 || (!must_send && self.chance.unit() < wait_chance) {
            return wait(situation, &mut self.chance);
        }
        let chosen = below(&mut self.chance, n);
        let candidates = situation.candidates.iter().enumerate();
        let (candidate, it) =
            candidates.filter(|(_, it)| reachable(it)).nth(chosen).expect("fewer than there are");
        let at = match way {
            Some(way) => way.point(situation, it, &mut self.chance),
            None => self.point(situation, it),
        };
        Decision::Send { candidate, at }
    }
}

/// Waits for a while, as long as that is allowed. Who may not wait, and has nothing to send, waits all
/// the same: time has to go on.
pub(crate) fn wait(situation: &Situation<'_>, chance: &mut Stream) -> Decision {
    let next = situation.now + 1;
    Decision::Wait { until: within(chance, next, situation.patience().max(next)) }
}

/// A number below another, each with the same chance.
pub(crate) fn below(chance: &mut Stream, n: usize) -> usize {
    ((u128::from(chance.bits()) * n as u128) >> 64) as usize
}

/// A point of a window, each with the same chance.
pub(crate) fn within(chance: &mut Stream, from: i64, to: i64) -> i64 {
    let width = to.saturating_sub(from).max(0) as u128 + 1;
    from + ((u128::from(chance.bits()) * width) >> 64) as i64
}
