//! Estimates and decisions from counted runs, each with the guarantee it gives.
//!
//! | question | type |
//! |---|---|
//! | how likely is it? | [`Estimator`], by one of the [`Method`]s |
//! | is it likelier than a number? | [`RatioTest`] |
//! | is this likelier than that? | [`Comparison`] |
//! | how large is it on average? | [`Mean`] |
//! | when does it happen? | [`Distribution`] |
//!
//! Everything is a function of what was counted, in the order of the runs: whoever draws runs in
//! parallel and hands them in by their number gets the same answer for any number of threads.
//! `guarantee` says in one sentence what an answer is worth, to be printed next to it.
//!
//! A parameter that makes no sense is an [`OutOfRange`], since a user typed it. Counts that make no
//! sense (more successes than runs) are our mistake, and panic.
//!
//! Not here: runs, random numbers, input and output.

mod anytime;
mod binomial;
mod comparison;
mod distribution;
mod estimator;
mod functions;
mod mean;
mod ratio;
pub mod repeated;

pub use anytime::{anytime, anytime_contains};
pub use binomial::{clopper_pearson, hoeffding, okamoto_runs, wilson};
pub use comparison::Comparison;
pub use distribution::{Bars, Distribution, Point};
pub use estimator::{Estimator, Method, Stop, UnknownMethod};
pub(crate) use functions::normal_quantile;
pub use mean::Mean;
pub use ratio::{Claim, Decision, RatioTest};

use std::fmt;

/// The risk that is taken unless the user says otherwise: 95 % confidence.
pub const ALPHA: f64 = 0.05;

/// How far a probability may be from its estimate unless the user says otherwise.
pub const EPSILON: f64 = 0.05;

/// All numbers between two bounds, which belong to it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Interval {
    /// Every probability: what is known before the first run.
    pub const UNIT: Self = Self { low: 0.0, high: 1.0 };

    /// Whether a number lies in it.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// From one bound to the other.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

/// A parameter that no estimate can be made with.
#[derive(Clone, PartialEq, Debug)]
pub struct OutOfRange {
    /// The name of the parameter.
    pub name: &'static str,
    /// The value that was given for the parameter.
    pub value: f64,
    /// The values that the parameter may have, in words.
    pub allowed: &'static str,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, allowed } = self;
        write!(f, "{name} is {value}, and must be {allowed}")
    }
}

impl std::error::Error for OutOfRange {}

/// A risk of being wrong, or a tolerance: strictly between 0 and 1.
fn inside_unit(name: &'static str, value: f64) -> Result<f64, OutOfRange> {
    if value > 0.0 && value < 1.0 {
        Ok(value)
    } else {
        Err(OutOfRange { name, value, allowed: "between 0 and 1" })
    }
}

/// A share as people write it: `0.95` is `95 %`, without the digits that rounding left.
fn percent(share: f64) -> String {
    format!("{} %", (share * 1e12).round() / 1e10)
}
