//! What a program remembers between two steps.

use punctual_model::lustre::Rational;

/// The memory of a program that matters. Two states of one machine are equal if and only if all
/// that is remembered is.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub(super) is_first: bool,
    /// Truth, integers, positions of enumerations, and the bits of doubles.
    pub(super) cells: Vec<i64>,
    /// Exact reals.
    pub(super) reals: Vec<Rational>,
}

impl State {
    /// Whether no step was taken.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.is_first
    }
}

impl Clone for State {
    fn clone(&self) -> State {
        State { is_first: self.is_first, cells: self.cells.clone(), reals: self.reals.clone() }
    }

    /// Does not allocate between states of one machine.
    fn clone_from(&mut self, source: &State) {
        self.is_first = source.is_first;
        self.cells.clone_from(&source.cells);
        self.reals.clone_from(&source.reals);
    }
}
