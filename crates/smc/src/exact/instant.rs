//! Instants that are known, or known but for the one thing that is left to chance.

/// An instant in points of the grid. It is fixed, or it moves with the random variable of a piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Instant {
    /// Whether the random variable is added.
    pub moves: bool,
    /// The rest.
    pub at: i64,
}

impl Instant {
    pub(super) const fn fixed(at: i64) -> Instant {
        Instant { moves: false, at }
    }

    pub(super) const fn moving(at: i64) -> Instant {
        Instant { moves: true, at }
    }

    pub(super) fn plus(self, points: i64) -> Instant {
        Instant { at: self.at + points, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::Instant;

    #[test]
    fn what_is_added_keeps_the_kind() {
        assert_eq!(Instant::fixed(3).plus(4), Instant::fixed(7));
        assert_eq!(Instant::moving(3).plus(-4), Instant::moving(-1));
    }
}
