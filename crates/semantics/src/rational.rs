//! Exact rational numbers: the delays and clock values of concrete runs.

use std::{cmp::Ordering, fmt, ops};

/// A rational number in lowest terms.
///
/// ```
/// use punctual_semantics::Rational;
/// let half = Rational::new(2, 4);
/// assert_eq!((half + Rational::from(1)).to_string(), "3/2");
/// assert!(half < Rational::from(1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: i64,
    denominator: i64,
}

impl Rational {
    /// The number zero.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// `numerator / denominator`.
    ///
    /// # Panics
    /// If the denominator is zero, or the result does not fit 64 bits in lowest terms.
    #[must_use]
    pub fn new(numerator: i64, denominator: i64) -> Self {
        Self::reduced(i128::from(numerator), i128::from(denominator))
    }

    fn reduced(numerator: i128, denominator: i128) -> Self {
        assert!(denominator != 0, "a rational number with denominator zero");
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).cast_signed();
        let divisor = if denominator < 0 { -divisor } else { divisor };
        let fit = |value: i128| i64::try_from(value / divisor).expect("a rational fits 64 bits");
        Self { numerator: fit(numerator), denominator: fit(denominator) }
    }

    /// The numerator in lowest terms.
    #[must_use]
    pub fn numerator(self) -> i64 {
        self.numerator
    }

    /// The denominator in lowest terms; positive.
    #[must_use]
    pub fn denominator(self) -> i64 {
        self.denominator
    }

    /// The nearest floating-point number.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl From<i32> for Rational {
    fn from(value: i32) -> Self {
        Self { numerator: i64::from(value), denominator: 1 }
    }
}

impl From<i64> for Rational {
    fn from(numerator: i64) -> Self {
        Self { numerator, denominator: 1 }
    }
}

impl ops::Add for Rational {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (a, b) = (i128::from(self.numerator), i128::from(self.denominator));
        let (c, d) = (i128::from(other.numerator), i128::from(other.denominator));
        Self::reduced(a * d + c * b, b * d)
    }
}

impl ops::Neg for Rational {
    type Output = Self;
    fn neg(self) -> Self {
        Self { numerator: -self.numerator, ..self }
    }
}

impl ops::Sub for Rational {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (i128::from(self.numerator), i128::from(self.denominator));
        let (c, d) = (i128::from(other.numerator), i128::from(other.denominator));
        (a * d).cmp(&(c * b))
    }
}

/// `3`, `-1/2`.
impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
