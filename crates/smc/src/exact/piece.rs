//! A part of all runs: those that did the same so far, and differ in one random variable at most.

use std::cmp::Ordering;

use super::Inexact;
use super::density::{Density, Ratio};
use super::instant::Instant;

/// How probable a piece is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Measure {
    /// Nothing is left to chance.
    Weight(Ratio),
    /// One variable is.
    Over(Density),
}

impl Measure {
    pub(super) fn weight(&self) -> Ratio {
        match self {
            Measure::Weight(weight) => weight.clone(),
            Measure::Over(density) => density.weight(),
        }
    }

    pub(super) fn times(&self, factor: &Ratio) -> Measure {
        match self {
            Measure::Weight(weight) => Measure::Weight(weight * factor),
            Measure::Over(it) => {
                Measure::Over(Density { density: it.density.times(factor), ..it.clone() })
            }
        }
    }
}

/// Runs that are in one state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub state: Vec<i32>,
    /// When each clock was 0.
    pub set_at: Vec<Instant>,
    /// Clocks whose instant was lost when a sum of random delays became one variable.
    pub lost: Vec<bool>,
    pub now: Instant,
    pub measure: Measure,
    /// When each process acts, if that was decided.
    pub plans: Vec<Option<Instant>>,
    /// How much of the script was followed.
    pub done: usize,
    /// For each output that the script expects, whether it came.
    pub came: Vec<bool>,
    /// How many delays were drawn.
    pub n_drawn: usize,
    /// How often one of several steps was chosen.
    pub n_chosen: usize,
}

/// Why a question about a piece has no answer.
pub(super) enum Stop {
    /// The answer depends on whether the random variable is below this value.
    Split(i64),
    /// It can not be computed.
    Inexact(Inexact),
}

impl From<Inexact> for Stop {
    fn from(why: Inexact) -> Stop {
        Stop::Inexact(why)
    }
}

impl Piece {
    /// The order of two instants.
    pub(super) fn order(&self, a: Instant, b: Instant) -> Result<Ordering, Stop> {
        if a.moves == b.moves {
            return Ok(a.at.cmp(&b.at));
        }
        if b.moves {
            return self.order(b, a).map(Ordering::reverse);
        }
        // `a` moves: it is earlier if the variable is below this.
        let value = b.at - a.at;
        let Measure::Over(it) = &self.measure else {
            return Err(Inexact::Internal.into());
        };
        if it.to <= value {
            return Ok(Ordering::Less);
        }
        if it.from >= value {
            return Ok(Ordering::Greater);
        }
        Err(Stop::Split(value))
    }

    pub(super) fn later(&self, a: Instant, b: Instant) -> Result<Instant, Stop> {
        Ok(if self.order(a, b)?.is_lt() { b } else { a })
    }

    pub(super) fn earlier(&self, a: Instant, b: Instant) -> Result<Instant, Stop> {
        Ok(if self.order(a, b)?.is_gt() { b } else { a })
    }

    /// The instant at which a clock (numbered from 1) was 0.
    pub(super) fn origin(&self, clock: u32) -> Result<Instant, Stop> {
        let at = clock as usize - 1;
        match self.lost[at] {
            true => Err(Inexact::TwoDelays.into()),
            false => Ok(self.set_at[at]),
        }
    }

    /// The parts in which the random variable is below and above a value.
    pub(super) fn split(self, at: i64) -> Option<(Piece, Piece)> {
        let Measure::Over(density) = &self.measure else { return None };
        let (below, above) = density.split(at);
        let below = Piece { measure: Measure::Over(below), ..self.clone() };
        Some((below, Piece { measure: Measure::Over(above), ..self }))
    }

    /// Whether anything that matters moves with the random variable.
    pub(super) fn depends(&self, clocks: &[u32]) -> bool {
        self.now.moves
            || clocks.iter().any(|clock| {
                let at = *clock as usize;
                self.set_at[at].moves && !self.lost[at]
            })
            || self.plans.iter().flatten().any(|plan| plan.moves)
    }
}
