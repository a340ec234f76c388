//! The faults of the paper.

use std::{fmt, str::FromStr};

/// The controller without a fault, or with one of those of the paper.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Mutant {
    /// No fault.
    #[default]
    M0,
    /// `stop[3]` comes 1 time unit too late.
    M1,
    /// `stop[1]` comes instead of `stop[3]`.
    M2,
    /// `stop[3]` never comes.
    M3,
    /// The queue holds three trains; a fourth takes the place of the third.
    M4,
    /// Of the trains that wait, the last to come is the first to go.
    M5,
    /// `appr[3]` is ignored less than 2 time units after the track became free.
    M6,
}

impl Mutant {
    /// All of them, the right one first.
    pub const ALL: [Self; 7] =
        [Self::M0, Self::M1, Self::M2, Self::M3, Self::M4, Self::M5, Self::M6];
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl FromStr for Mutant {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let number = name.strip_prefix(['M', 'm']).unwrap_or(name);
        let index: Option<usize> = number.parse().ok().filter(|index| *index < Self::ALL.len());
        index.map(|index| Self::ALL[index]).ok_or_else(|| "a mutant is one of M0 to M6".into())
    }
}
