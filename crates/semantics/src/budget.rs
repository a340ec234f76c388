//! What an analysis may use: memory, time, and the patience of the user.
//!
//! A [`Budget`] is shared by all threads of an analysis and whoever watches it. Everything that may take long looks at
//! it, also inside of one step: while the successors of one state are computed, and while one run is made. So a look must
//! cost next to nothing: it is one load of a byte.
//!
//! Whoever watches spends the budget: a signal of the user, a timer, an analysis that counts what it holds. Once it is
//! spent, it stays so, and the first reason counts. Only what is interrupted because it takes too long can go on with
//! something else ([`Budget::interrupt`], [`Budget::resume`]). A verdict that is known takes what time its explanation needs
//! ([`Budget::take_time`]).
//!
//! Not here: clocks and signals. Those who have them call [`Budget::spend`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The code of what can go on with something else.
const INTERRUPTED: u8 = 4;
/// Of the codes from here on, something is left.
const LEFT: u8 = 8;
/// The code of what nobody waits for.
const UNHURRIED: u8 = LEFT;

/// What an analysis may use. Shared by reference.
#[derive(Debug)]
pub struct Budget {
    /// Why there is nothing left; zero or [`UNHURRIED`] as long as there is something.
    spent: AtomicU8,
    memory: u64,
    /// What it is a part of.
    whole: Option<Arc<Budget>>,
}

/// Why there is nothing left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spent {
    /// The user wants no more.
    Stopped,
    /// The time that was granted is over.
    Time,
    /// The memory that was granted is used up.
    Memory,
}

impl Default for Budget {
    /// Without limits.
    fn default() -> Budget {
        Budget::new(u64::MAX)
    }
}

impl Budget {
    /// So many bytes may be held at a time.
    #[must_use]
    pub fn new(memory: u64) -> Budget {
        Budget { spent: AtomicU8::new(0), memory, whole: None }
    }

    /// A part of a budget, for one of several analyses: it is spent when the whole is, and who spends the part leaves the whole as it is.
    #[must_use]
    pub fn part_of(whole: &Arc<Budget>) -> Budget {
        Budget { whole: Some(Arc::clone(whole)), ..Budget::new(whole.memory) }
    }

    /// How many bytes may be held at a time.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Whether there is nothing left.
    #[inline]
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed) & (LEFT - 1) != 0
            || self.whole.as_ref().is_some_and(|whole| whole.is_spent())
    }

    /// Why there is nothing left; none as long as there is something.
    #[must_use]
    pub fn spent(&self) -> Option<Spent> {
        match self.spent.load(Ordering::Relaxed) {
            0 | UNHURRIED => self.whole.as_ref().and_then(|whole| whole.spent()),
            1 => Some(Spent::Stopped),
            2 | INTERRUPTED => Some(Spent::Time),
            _ => Some(Spent::Memory),
        }
    }

    /// Nothing is left from now on. The first reason counts.
    pub fn spend(&self, why: Spent) {
        let code = match why {
            Spent::Stopped => 1,
            Spent::Time => 2,
            Spent::Memory => 3,
        };
        // What is only interrupted would go on.
        let first = |before: u8| matches!(before, 0 | INTERRUPTED | UNHURRIED).then_some(code);
        let _ = self.spent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, first);
    }

    /// What is being computed takes too long: it ends as if nothing were left, until somebody goes on with something else. Without effect if
    /// nothing is left.
    pub fn interrupt(&self) {
        let _ = self.spent.compare_exchange(0, INTERRUPTED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether what was computed last took too long.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.spent.load(Ordering::Relaxed) == INTERRUPTED
    }

    /// What counts is known, and only has to be explained: nothing takes too long until somebody resumes.
    pub fn take_time(&self) {
        self.set(UNHURRIED);
    }

    /// Something else is computed from now on, which may take too long.
    pub fn resume(&self) {
        self.set(0);
    }

    /// Sets the code, unless nothing is left.
    fn set(&self, code: u8) {
        let next = |before: u8| matches!(before, 0 | INTERRUPTED | UNHURRIED).then_some(code);
        let _ = self.spent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    }

    /// Somebody holds so many bytes.
    #[inline]
    pub fn hold(&self, bytes: u64) {
        if bytes > self.memory {
            self.spend(Spent::Memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Budget, Spent};

    #[test]
    fn a_part_is_spent_with_the_whole_and_not_the_other_way() {
        let whole = Arc::new(Budget::new(10));
        let [one, other] = [Budget::part_of(&whole), Budget::part_of(&whole)];
        one.hold(11);
        assert_eq!((one.spent(), whole.is_spent()), (Some(Spent::Memory), false));
        whole.spend(Spent::Stopped);
        assert_eq!((one.spent(), other.spent()), (Some(Spent::Memory), Some(Spent::Stopped)));
        assert!(other.is_spent());
    }

    #[test]
    fn the_first_reason_counts() {
        let budget = Budget::new(10);
        budget.hold(10);
        assert_eq!((budget.is_spent(), budget.spent()), (false, None));
        budget.hold(11);
        budget.spend(Spent::Time);
        assert_eq!((budget.is_spent(), budget.spent()), (true, Some(Spent::Memory)));
    }

    #[test]
    fn explanations_are_not_interrupted() {
        let budget = Budget::default();
        budget.interrupt();
        budget.take_time();
        budget.interrupt();
        assert!(!budget.is_spent());
        budget.resume();
        budget.interrupt();
        assert!(budget.is_spent());
        budget.spend(Spent::Stopped);
        budget.take_time();
        assert_eq!(budget.spent(), Some(Spent::Stopped));
    }

    #[test]
    fn what_is_interrupted_goes_on_unless_nothing_is_left() {
        let budget = Budget::default();
        budget.interrupt();
        assert!(budget.is_spent() && budget.is_interrupted());
        budget.resume();
        assert!(!budget.is_spent());
        budget.interrupt();
        budget.spend(Spent::Stopped);
        budget.resume();
        budget.interrupt();
        assert_eq!((budget.is_interrupted(), budget.spent()), (false, Some(Spent::Stopped)));
    }
}
