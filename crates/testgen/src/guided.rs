//! Choices weighted towards what was not covered yet, and towards the ends of windows.

use punctual_model::{Action, EdgeId, ProcessId};
use punctual_semantics::program::Chance;
use punctual_smc::Stream;

use crate::random::{wait, within};
use crate::situation::{Candidate, Decision, Seen, Situation, Strategy};

/// How probable it is to wait although something could be sent.
const WAIT: f64 = 0.1;
/// Where nothing that could be sent is new, what is new may need things to calm down first: how probable
/// it is to do nothing for a while, and for how many decisions.
const CALM: f64 = 0.03;
const CALM_LENGTH: u32 = 12;
/// The begin of a window can be met only when it opens: how much rather an input is sent that could not be
/// sent before.
const OPENS: f64 = 5.0;
/// Two ways take turns, for so many decisions each: *bursts* of what can be sent at once, as windows open,
/// and *patience*, which lets things calm down and gets to what needs that.
const TURN: u64 = 40;
/// In a burst, how much less what can only be sent later is preferred.
const LATER: f64 = 0.1;
/// How probable it is to choose an end of a window.
const BOUNDARY: f64 = 0.7;

/// Prefers what is new. Everything that is allowed keeps a chance, so what random choice finds in the
/// end, this finds as well.
#[derive(Clone, Debug)]
pub struct Guided {
    chance: Stream,
    /// For so many decisions nothing is sent, unless it must be or is new.
    calm: u32,
    n_decisions: u64,
    /// What could be sent when it was last asked.
    before: Vec<Action>,
}

impl Guided {
    /// The choices of one run of a seed.
    #[must_use]
    pub fn new(seed: u64, run: u64) -> Guided {
        Guided { chance: Stream::of_run(seed, run), calm: 0, n_decisions: 0, before: Vec::new() }
    }

    /// A point of a window: often one of its ends, and rather in a third that was not tried.
    fn point(&mut self, from: i64, to: i64, ends: bool, thirds: [u64; 3]) -> i64 {
        let width = to - from;
        let novelty = thirds.map(|times| 1.0 / (1 + times) as f64);
        let total: f64 = novelty.iter().sum();
        let mut left = self.chance.unit() * total;
        let third = novelty.iter().position(|it| {
            left -= it;
            left < 0.0
        });
        let boundary = self.chance.unit() < BOUNDARY;
        match third.unwrap_or(0) {
            _ if boundary && !ends => from,
            // Far away is not where an end is.
            _ if !ends => within(&mut self.chance, from, from + width / 3),
            0 if boundary => from,
            0 => within(&mut self.chance, from, from + width / 3),
            1 => within(&mut self.chance, from + width / 3, to - width / 3),
            _ if boundary => to,
            _ => within(&mut self.chance, to - width / 3, to),
        }
    }
}

/// How much is new about a candidate.
fn novelty(situation: &Situation<'_>, candidate: &Candidate) -> (f64, [u64; 3]) {
    let mut weight = 0.02;
    let mut thirds = [0; 3];
    for &(process, edge) in &candidate.edges {
        let Seen { times, thirds: these } = situation.covered.seen(process, edge);
        weight += match times {
            0 => 1.0,
            times => 0.2 / times as f64,
        };
        for (all, this) in thirds.iter_mut().zip(these) {
            *all += this;
        }
    }
    (weight, thirds)
}

impl Strategy for Guided {
    fn looks_ahead(&self) -> bool {
        true
    }

    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        let patience = situation.patience();
        let before = std::mem::take(&mut self.before);
        let burst = (self.n_decisions / TURN).is_multiple_of(2);
        self.n_decisions += 1;
        let weigh = |(i, it): (usize, &Candidate)| {
            let (mut weight, thirds) = novelty(situation, it);
            if burst && it.from > situation.now {
                weight *= LATER;
            } else if !before.contains(&it.action) {
                weight *= OPENS;
            }
            (it.from <= patience).then_some((i, (weight, thirds)))
        };
        let weighed: Vec<(usize, (f64, [u64; 3]))> =
            situation.candidates.iter().enumerate().filter_map(weigh).collect();
        let total: f64 = weighed.iter().map(|(_, (weight, _))| weight).sum();
        let must_send = situation.deadline.is_some_and(|deadline| deadline <= situation.now);
        self.before = situation.candidates.iter().map(|it| it.action.clone()).collect();
        let unseen = |&(process, edge): &(ProcessId, EdgeId)| {
            situation.covered.seen(process, edge).times == 0
        };
        let is_new = situation.candidates.iter().any(|it| it.edges.iter().any(unseen));
        if is_new {
            self.calm = 0;
        } else if self.calm == 0 && !burst && self.chance.unit() < CALM {
            self.calm = CALM_LENGTH;
        }
        let calm = self.calm > 0;
        self.calm = self.calm.saturating_sub(1);
        if weighed.is_empty() || (!must_send && (calm || self.chance.unit() < WAIT)) {
            return wait(situation, &mut self.chance);
        }
        let mut left = self.chance.unit() * total;
        let chosen = weighed.iter().find(|(_, (weight, _))| {
            left -= weight;
            left < 0.0
        });
        let &(candidate, (_, thirds)) = chosen.unwrap_or(&weighed[weighed.len() - 1]);
        let it = &situation.candidates[candidate];
        let (from, to) = situation.window(it);
        Decision::Send { candidate, at: self.point(from, to, it.ends, thirds) }
    }
}
