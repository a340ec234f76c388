//! Outputs that were sent and that nobody has seen.
//!
//! An output takes its time until it is seen. When a run ends, some may be on their way: they were sent after all outputs that were seen,
//! since these keep their order, and so late that they need not have arrived. Sending them is a hidden step of the component then, one
//! among its others, so nothing is left out and nothing is tried that the component can not do.

use super::interval::End;
use super::set::Estimate;

/// From when on a component may have sent what nobody has seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unseen {
    /// What was sent earlier has been seen; none if everything has.
    from: Option<End>,
    /// Whether all outputs that were seen are explained, so that others may follow.
    pub(super) is_open: bool,
}

impl Unseen {
    /// From when on outputs are hidden steps now; none if they are not.
    pub(super) fn now(self) -> Option<End> {
        self.from.filter(|_| self.is_open)
    }

    /// Whether some outputs may not have been seen.
    pub(super) fn is_asked(self) -> bool {
        self.from.is_some()
    }
}

impl Estimate<'_> {
    /// What the component sent from an instant on may not have been seen, if it comes after all outputs among the
    /// [queues](Self::observe_queues) that are observed next. None if everything is seen.
    pub fn unseen_from(&mut self, from: Option<End>) {
        self.unseen = Unseen { from, is_open: false };
    }

    /// All outputs that were seen are explained, or some are not. Whoever opens it follows the present states anew.
    pub(super) fn open_unseen(&mut self, is_open: bool) {
        if is_open && self.unseen.is_asked() && !self.unseen.is_open {
            self.entries.iter_mut().for_each(|entry| entry.followed = None);
        }
        self.unseen.is_open = is_open;
    }
}
