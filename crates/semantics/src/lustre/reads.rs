//! Which inputs a step read.

/// A set of followed inputs, by their position in the list that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reads {
    pub(super) words: Vec<u64>,
}

impl Reads {
    pub(super) fn new(n_followed: usize) -> Reads {
        Reads { words: vec![0; n_followed.div_ceil(64)] }
    }

    /// Whether the input at this position was read.
    #[must_use]
    pub fn contains(&self, position: usize) -> bool {
        self.words.get(position / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    /// Whether no input was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    pub(super) fn insert(&mut self, position: usize) {
        self.words[position / 64] |= 1 << (position % 64);
    }
}
