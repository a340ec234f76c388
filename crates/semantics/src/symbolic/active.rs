//! The clocks that matter in a combination of locations, and their bounds.

use punctual_zones::{LuBounds, NO_BOUND};

use super::Symbolic;
use crate::bounds::ClockBound;

/// The clocks that some test can still see from given locations, numbered from 1 in an order that
/// only depends on the locations. Zones of states have just these clocks.
#[derive(Clone, Debug)]
pub struct Active {
    /// The clocks, without the reference.
    clocks: Vec<u32>,
    /// For each clock of the network, its number here; 0 if it does not matter.
    numbers: Vec<u32>,
    /// The bounds of each clock here; those of the reference come first.
    lower: Vec<i32>,
    upper: Vec<i32>,
}

impl Active {
    /// No clocks of this many.
    #[must_use]
    pub fn new(n_clocks: usize) -> Active {
        Active { clocks: Vec::new(), numbers: vec![0; n_clocks], lower: vec![0], upper: vec![0] }
    }

    /// Makes these the clocks that matter in the locations at the start of a state.
    pub fn set(&mut self, symbolic: &Symbolic, state: &[i32]) {
        self.clear();
        self.add(symbolic.bounds.everywhere());
        for (process, &location) in state[..symbolic.processes.len()].iter().enumerate() {
            self.add(symbolic.bounds.at(process, location as usize));
        }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        for &clock in &self.clocks {
            self.numbers[clock as usize] = 0;
        }
        self.clocks.clear();
        self.lower.truncate(1);
        self.upper.truncate(1);
    }

    #[inline]
    pub(crate) fn add(&mut self, bounds: &[ClockBound]) {
        for bound in bounds {
            let number = &mut self.numbers[bound.clock as usize];
            if *number == 0 {
                self.clocks.push(bound.clock);
                *number = self.clocks.len() as u32;
                self.lower.push(bound.lower);
                self.upper.push(bound.upper);
            } else {
                let number = *number as usize;
                self.lower[number] = self.lower[number].max(bound.lower);
                self.upper[number] = self.upper[number].max(bound.upper);
            }
        }
    }

    /// The clocks of the network that matter, in the order of their numbers.
    #[must_use]
    pub fn clocks(&self) -> &[u32] {
        &self.clocks
    }

    /// The number of a clock of the network, where 0 is the reference and `k + 1` is clock `k`;
    /// `None` if it does not matter.
    #[inline]
    #[must_use]
    pub fn number(&self, clock: u32) -> Option<usize> {
        match clock {
            0 => Some(0),
            clock => match self.numbers[clock as usize - 1] {
                0 => None,
                number => Some(number as usize),
            },
        }
    }

    /// The number of a clock that something tests, and that therefore matters.
    #[inline]
    pub(crate) fn tested(&self, clock: u32) -> usize {
        self.number(clock).expect("the analysis of bounds finds every clock that is tested")
    }

    /// The bounds to extrapolate with.
    #[inline]
    #[must_use]
    pub fn bounds(&self) -> LuBounds<'_> {
        LuBounds::new(&self.lower, &self.upper)
    }

    /// The lower and the upper bounds to extrapolate with if one of the clocks is left out.
    pub(crate) fn bounds_without(&self, number: usize) -> (Vec<i32>, Vec<i32>) {
        let rest = |bounds: &[i32]| {
            let kept = bounds.iter().enumerate().filter(|(i, _)| *i != number);
            kept.map(|(_, bound)| *bound).collect()
        };
        (rest(&self.lower), rest(&self.upper))
    }

    /// The largest constant of each clock, the reference first.
    pub(crate) fn maxima(&self) -> Vec<i32> {
        self.lower.iter().zip(&self.upper).map(|(a, b)| *a.max(b)).collect()
    }

    /// Whether there is any bound beyond the reference.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        debug_assert!(self.lower.iter().zip(&self.upper).all(|(a, b)| *a.max(b) != NO_BOUND));
        self.clocks.is_empty()
    }
}
