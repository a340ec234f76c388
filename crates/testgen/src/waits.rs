//! Ways to wait, in turns.
//!
//! A fault may need inputs that come as soon as they may, at the last instant, at an end of a window, or anywhere in
//! it. Nobody knows which before, so each has its stretch of decisions. A way lasts for a while because some faults
//! need several inputs of one kind in a row. Which way is the first depends on the number of the run, so a few runs
//! begin with all of them: what a system does when it has just started can be met at a begin only.

use punctual_smc::Stream;

use crate::random::{below, within};
use crate::situation::{Candidate, Situation};

/// How probable it is to wait in an eager stretch although something could be sent at once. Not 0: time has to
/// pass where something can always be sent.
const EAGER_WAIT: f64 = 0.1;

/// A way to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// What can be sent now is sent now.
    Eager,
    /// At any point of a window.
    Anywhere,
    /// At one of the two ends of a window.
    Ends,
    /// At the last point of a window.
    Lazy,
}

/// The turns. Every second stretch is eager, since that costs least time: so any other way, too, begins where inputs
/// came in quick succession.
const TURNS: [Way; 6] = [Way::Eager, Way::Anywhere, Way::Eager, Way::Ends, Way::Eager, Way::Lazy];

/// The stretches of one run.
#[derive(Clone, Debug)]
pub(crate) struct Stretches {
    way: Way,
    /// How many decisions the present stretch still has.
    left: usize,
    /// The turn after it.
    turn: usize,
}

impl Stretches {
    /// Those of a run, by its number.
    pub(crate) fn new(run: u64) -> Stretches {
        let turn = (run % TURNS.len() as u64) as usize;
        Stretches { way: TURNS[turn], left: 0, turn }
    }

    /// The way to wait of the next decision.
    pub(crate) fn next(&mut self, chance: &mut Stream) -> Way {
        if self.left == 0 {
            self.way = TURNS[self.turn];
            self.turn = (self.turn + 1) % TURNS.len();
            self.left = 1 + below(chance, self.way.stretch_max());
        }
        self.left -= 1;
        self.way
    }
}

impl Way {
    /// How many decisions a stretch has at most; it has one at least. An instant in the middle of a window can only be met
    /// by trying all of it, so those stretches are longer than the others; ends are few.
    fn stretch_max(self) -> usize {
        match self {
            Way::Eager => 16,
            Way::Anywhere => 32,
            Way::Ends | Way::Lazy => 8,
        }
    }

    /// How probable it is to wait although something could be sent, if it is so probable otherwise.
    pub(crate) fn wait(self, otherwise: f64) -> f64 {
        match self {
            Way::Eager => otherwise.min(EAGER_WAIT),
            Way::Anywhere | Way::Ends | Way::Lazy => otherwise,
        }
    }

    /// Whether a candidate is looked at, if there are such that can be sent now.
    pub(crate) fn prefers(self, situation: &Situation<'_>, candidate: &Candidate) -> bool {
        self != Way::Eager || candidate.from <= situation.now
    }

    /// When a candidate is sent.
    pub(crate) fn point(
        self,
        situation: &Situation<'_>,
        candidate: &Candidate,
        chance: &mut Stream,
    ) -> i64 {
        let (from, to) = situation.window(candidate);
        match self {
            Way::Eager => from,
            Way::Lazy => to,
            Way::Anywhere => within(chance, from, to),
            // Where a window does not end, the last point that is looked at means nothing.
            Way::Ends if candidate.ends && below(chance, 2) == 0 => to,
            Way::Ends => from,
        }
    }
}
