//! Bounds: the right-hand side of `x - y < c` or `x - y <= c`, packed in one `i32`.
//!
//! The constant is shifted left by one and the lowest bit says "weak" (`<=`). The order of the
//! integers is then the order of the constraints: a smaller [`Bound`] is a tighter one, `< c` comes
//! just before `<= c`, and [`Bound::INFINITY`] (no constraint) is the largest.
//!
//! Constants lie in `-MAX_CONSTANT ..= MAX_CONSTANT`, which is `2^29 - 1`. Constructors check it.
//! Half of the range of the packed integer stays unused, so that the sum of two finite bounds always
//! fits an `i32`; a sum that leaves the range of constants panics and never wraps.

use std::fmt;
use std::ops::Add;

/// The raw value of [`Bound::INFINITY`].
pub(crate) const INF: i32 = i32::MAX;
/// The largest raw value of a finite bound.
pub(crate) const RAW_MAX: i32 = (1 << 30) - 1;
/// The smallest raw value of a finite bound.
pub(crate) const RAW_MIN: i32 = -(1 << 30) + 2;

/// The right-hand side of a constraint `x - y < c` or `x - y <= c`, or no constraint at all.
///
/// ```
/// use punctual_zones::Bound;
/// assert!(Bound::lt(3) < Bound::le(3) && Bound::le(3) < Bound::lt(4));
/// assert_eq!(Bound::lt(3) + Bound::le(4), Bound::lt(7));
/// assert_eq!(Bound::le(3) + Bound::INFINITY, Bound::INFINITY);
/// assert_eq!(Bound::new(1 << 30, true), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Bound(pub(crate) i32);

impl Bound {
    /// The largest absolute value of a constant.
    pub const MAX_CONSTANT: i32 = (1 << 29) - 1;
    /// No constraint.
    pub const INFINITY: Bound = Bound(INF);
    /// `<= 0`, the bound of a clock's difference with itself.
    pub const ZERO: Bound = Bound(1);

    /// `< constant`, or `<= constant` if `weak`; `None` if the constant is out of range.
    #[must_use]
    pub const fn new(constant: i32, weak: bool) -> Option<Bound> {
        if constant < -Self::MAX_CONSTANT || constant > Self::MAX_CONSTANT {
            return None;
        }
        Some(Bound((constant << 1) | weak as i32))
    }

    /// `<= constant`.
    ///
    /// # Panics
    /// If the absolute value of `constant` is larger than [`Bound::MAX_CONSTANT`].
    #[must_use]
    pub const fn le(constant: i32) -> Bound {
        match Self::new(constant, true) {
            Some(bound) => bound,
            None => panic!("the constant of a bound is out of range"),
        }
    }

    /// `< constant`.
    ///
    /// # Panics
    /// If the absolute value of `constant` is larger than [`Bound::MAX_CONSTANT`].
    #[must_use]
    pub const fn lt(constant: i32) -> Bound {
        match Self::new(constant, false) {
            Some(bound) => bound,
            None => panic!("the constant of a bound is out of range"),
        }
    }

    /// Whether this is no constraint at all.
    #[must_use]
    pub const fn is_infinite(self) -> bool {
        self.0 == INF
    }

    /// The constant; `None` for [`Bound::INFINITY`].
    #[must_use]
    pub const fn constant(self) -> Option<i32> {
        if self.is_infinite() { None } else { Some(self.0 >> 1) }
    }

    /// Whether the constant itself is allowed (`<=`). Infinity is not weak: it is never reached.
    #[must_use]
    pub const fn is_weak(self) -> bool {
        self.0 & 1 == 1 && !self.is_infinite()
    }

    /// The bound of `y - x` in the negation of `x - y` bounded by this; `None` for infinity, whose
    /// negation is empty.
    ///
    /// ```
    /// use punctual_zones::Bound;
    /// assert_eq!(Bound::le(3).complement(), Some(Bound::lt(-3)));
    /// assert_eq!(Bound::lt(3).complement(), Some(Bound::le(-3)));
    /// ```
    #[must_use]
    pub const fn complement(self) -> Option<Bound> {
        if self.is_infinite() { None } else { Some(Bound(1 - self.0)) }
    }

    /// The packed integer, for storage and for hashing.
    #[must_use]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// The bound of a packed integer made by [`Bound::raw`]; `None` if no bound packs to it.
    #[must_use]
    pub const fn from_raw(raw: i32) -> Option<Bound> {
        if raw == INF || (raw >= RAW_MIN && raw <= RAW_MAX) { Some(Bound(raw)) } else { None }
    }

    /// Whether `x - y` bounded by this and `y - x` bounded by `back` have a common solution.
    #[inline]
    #[must_use]
    pub const fn meets(self, back: Bound) -> bool {
        // The sum of two finite bounds fits, and one that is infinite excludes nothing.
        self.is_infinite()
            || back.is_infinite()
            || self.0 + back.0 - ((self.0 | back.0) & 1) >= Bound::ZERO.0
    }

    /// The sum as an integer that may lie outside the range of bounds.
    /// Both must be finite.
    #[inline]
    pub(crate) const fn raw_sum(self, other: Bound) -> i32 {
        self.0 + other.0 - ((self.0 | other.0) & 1)
    }
}

impl Add for Bound {
    type Output = Bound;

    /// The bound of `x - z` that follows from those of `x - y` and `y - z`: strict if one of them is.
    ///
    /// # Panics
    /// If the sum is out of range.
    #[inline]
    fn add(self, other: Bound) -> Bound {
        if self.is_infinite() || other.is_infinite() {
            return Bound::INFINITY;
        }
        let sum = self.raw_sum(other);
        if !(RAW_MIN..=RAW_MAX).contains(&sum) {
            out_of_range(i64::from(sum));
        }
        Bound(sum)
    }
}

#[cold]
#[inline(never)]
pub(crate) fn out_of_range(raw: i64) -> ! {
    panic!(
        "a clock bound of {} is out of range; zones hold constants up to {}",
        raw >> 1,
        Bound::MAX_CONSTANT
    )
}

/// `< 3`, `<= 3`, or `< inf`.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.constant() {
            None => f.write_str("< inf"),
            Some(constant) if self.is_weak() => write!(f, "<= {constant}"),
            Some(constant) => write!(f, "< {constant}"),
        }
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The constraint `x - y < c` or `x - y <= c`. Index 0 is the reference, whose value is always 0.
///
/// ```
/// use punctual_zones::{Bound, Constraint};
/// let at_most = Constraint::new(1, 0, Bound::le(5)); // clock 1 <= 5
/// let at_least = Constraint::new(0, 1, Bound::le(-2)); // clock 1 >= 2
/// assert_eq!(at_most.complement(), Some(Constraint::new(0, 1, Bound::lt(-5))));
/// # let _ = at_least;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Constraint {
    /// The clock that is bounded from above.
    pub x: u32,
    /// The clock that is subtracted.
    pub y: u32,
    /// The bound of `x - y`.
    pub bound: Bound,
}

impl Constraint {
    /// `x - y` bounded by `bound`.
    ///
    /// # Panics
    /// If an index does not fit 32 bits.
    #[must_use]
    pub fn new(x: usize, y: usize, bound: Bound) -> Constraint {
        let index = |clock| u32::try_from(clock).expect("a clock index fits 32 bits");
        Constraint { x: index(x), y: index(y), bound }
    }

    /// The constraint that holds exactly where this one does not; `None` if this one always holds.
    #[must_use]
    pub fn complement(self) -> Option<Constraint> {
        Some(Constraint { x: self.y, y: self.x, bound: self.bound.complement()? })
    }
}
