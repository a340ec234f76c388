//! Points: exact clock valuations, as rational numbers with one denominator.

use std::fmt;

/// A valuation of clocks: integer numerators over one common denominator.
///
/// ```
/// use punctual_zones::{Bound, Point, Zone};
/// let zone = Zone::universe(2).constrained(1, 2, Bound::lt(1)).unwrap(); // x - y < 1
/// assert!(zone.contains(&Point::new(vec![3, 1], 3))); // x = 1, y = 1/3
/// assert!(!zone.contains(&Point::new(vec![4, 1], 3))); // x = 4/3, y = 1/3
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Point {
    numerators: Vec<i64>,
    denominator: i64,
}

impl Point {
    /// The valuation in which clock `i` has the value `numerators[i - 1] / denominator`.
    ///
    /// # Panics
    /// If the denominator is not positive.
    #[must_use]
    pub fn new(numerators: Vec<i64>, denominator: i64) -> Point {
        assert!(denominator > 0, "the denominator of a point is positive");
        Point { numerators, denominator }
    }

    /// The number of clocks, without the reference.
    #[must_use]
    pub fn n_clocks(&self) -> usize {
        self.numerators.len()
    }

    /// The numerator of a clock's value; 0 for the reference, which is index 0.
    ///
    /// # Panics
    /// If the clock is not there.
    #[must_use]
    pub fn numerator(&self, clock: usize) -> i64 {
        if clock == 0 { 0 } else { self.numerators[clock - 1] }
    }

    /// The numerators of all clocks, without the reference.
    #[must_use]
    pub fn numerators(&self) -> &[i64] {
        &self.numerators
    }

    /// The denominator of all values.
    #[must_use]
    pub fn denominator(&self) -> i64 {
        self.denominator
    }
}

/// `(1, 1/3)`: each value in lowest terms.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, &numerator) in self.numerators.iter().enumerate() {
            let divisor = gcd(numerator.unsigned_abs(), self.denominator.unsigned_abs());
            let divisor = i64::try_from(divisor).expect("it divides the denominator");
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{}", numerator / divisor)?;
            if self.denominator != divisor {
                write!(f, "/{}", self.denominator / divisor)?;
            }
        }
        f.write_str(")")
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
