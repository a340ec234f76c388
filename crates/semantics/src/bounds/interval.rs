//! Sets of consecutive integers, and what operators make of them.

use punctual_model::{BinaryOp, Range};

/// The integers from `lo` to `hi`; none if `lo` is above `hi`.
///
/// Values of a model have 32 bits, so no sum or product here leaves 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    pub(super) lo: i64,
    pub(super) hi: i64,
}

impl Interval {
    pub(super) const EMPTY: Self = Self { lo: i64::MAX, hi: i64::MIN };
    pub(super) const ALL: Self = Self { lo: i32::MIN as i64, hi: i32::MAX as i64 };
    pub(super) const BOOL: Self = Self { lo: 0, hi: 1 };

    pub(super) fn one(value: i64) -> Self {
        Self { lo: value, hi: value }
    }

    pub(super) fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    pub(super) fn join(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    pub(super) fn meet(self, other: Self) -> Self {
        let both = Self { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi) };
        if both.is_empty() { Self::EMPTY } else { both }
    }

    /// What is left when `value` is not possible.
    fn without(self, value: i64) -> Self {
        let lo = if self.lo == value { value + 1 } else { self.lo };
        let hi = if self.hi == value { value - 1 } else { self.hi };
        Self { lo, hi }.meet(Self { lo: i64::MIN, hi: i64::MAX })
    }

    pub(super) fn may_be_true(self) -> bool {
        !self.is_empty() && self != Self::one(0)
    }

    pub(super) fn may_be_false(self) -> bool {
        self.lo <= 0 && 0 <= self.hi
    }

    /// The truth values that the members can have.
    pub(super) fn truth(self) -> Self {
        match (self.may_be_false(), self.may_be_true()) {
            (true, true) => Self::BOOL,
            (true, false) => Self::one(0),
            (false, true) => Self::one(1),
            (false, false) => Self::EMPTY,
        }
    }

    pub(super) fn not(self) -> Self {
        let truth = self.truth();
        if truth.is_empty() { truth } else { Self { lo: 1 - truth.hi, hi: 1 - truth.lo } }
    }

    pub(super) fn negate(self) -> Self {
        if self.is_empty() { self } else { Self { lo: -self.hi, hi: -self.lo }.fit() }
    }

    pub(super) fn abs(self) -> Self {
        if self.lo >= 0 || self.is_empty() {
            return self;
        }
        let lo = if self.hi >= 0 { 0 } else { -self.hi };
        Self { lo, hi: self.hi.max(-self.lo) }.fit()
    }

    /// A result that does not fit 32 bits is an error of the model, so nothing goes on with it.
    fn fit(self) -> Self {
        self.meet(Self::ALL)
    }

    fn of(values: &[i64]) -> Self {
        values.iter().fold(Self::EMPTY, |all, value| all.join(Self::one(*value)))
    }

    /// The greatest absolute value; the interval is not empty.
    pub(super) fn magnitude(self) -> i64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// All that an integer operator can make of two members.
    pub(super) fn binary(op: BinaryOp, a: Self, b: Self) -> Self {
        if a.is_empty() || b.is_empty() {
            return Self::EMPTY;
        }
        match op {
            BinaryOp::Add => Self { lo: a.lo + b.lo, hi: a.hi + b.hi }.fit(),
            BinaryOp::Subtract => Self { lo: a.lo - b.hi, hi: a.hi - b.lo }.fit(),
            BinaryOp::Multiply => {
                Self::of(&[a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi]).fit()
            }
            BinaryOp::Divide => divide(a, b),
            BinaryOp::Remainder => remainder(a, b),
            BinaryOp::Power => power(a, b),
            BinaryOp::Minimum => Self { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi) },
            BinaryOp::Maximum => Self { lo: a.lo.max(b.lo), hi: a.hi.max(b.hi) },
            BinaryOp::BitAnd => match (a.lo >= 0, b.lo >= 0) {
                (true, true) => Self { lo: 0, hi: a.hi.min(b.hi) },
                (true, false) => Self { lo: 0, hi: a.hi },
                (false, true) => Self { lo: 0, hi: b.hi },
                (false, false) => Self::ALL,
            },
            BinaryOp::BitOr | BinaryOp::BitXor if a.lo >= 0 && b.lo >= 0 => {
                let bits = 64 - a.hi.max(b.hi).leading_zeros();
                Self { lo: 0, hi: (1 << bits) - 1 }
            }
            BinaryOp::BitOr | BinaryOp::BitXor => Self::ALL,
            BinaryOp::ShiftLeft => {
                let by = b.meet(Self { lo: 0, hi: 31 });
                if by.is_empty() {
                    return by;
                }
                let [least, most] = [by.lo, by.hi].map(|by| 1i64 << by);
                let shifted = Self::of(&[a.lo * least, a.lo * most, a.hi * least, a.hi * most]);
                // Bits that leave on the left may be lost instead of being an error.
                if shifted.fit() == shifted { shifted } else { Self::ALL }
            }
            BinaryOp::ShiftRight => {
                let by = b.meet(Self { lo: 0, hi: 31 });
                if by.is_empty() {
                    return by;
                }
                Self::of(&[a.lo >> by.lo, a.lo >> by.hi, a.hi >> by.lo, a.hi >> by.hi])
            }
            BinaryOp::Less => Self::known(a.hi < b.lo, a.lo >= b.hi),
            BinaryOp::LessEqual => Self::known(a.hi <= b.lo, a.lo > b.hi),
            BinaryOp::Greater => Self::known(a.lo > b.hi, a.hi <= b.lo),
            BinaryOp::GreaterEqual => Self::known(a.lo >= b.hi, a.hi < b.lo),
            BinaryOp::Equal => Self::known(a == b && a.lo == a.hi, a.meet(b).is_empty()),
            BinaryOp::NotEqual => Self::known(a.meet(b).is_empty(), a == b && a.lo == a.hi),
            BinaryOp::And => a.truth().min_with(b.truth()),
            BinaryOp::Or => a.truth().max_with(b.truth()),
            BinaryOp::Imply => a.not().max_with(b.truth()),
            BinaryOp::Xor => match (a.truth(), b.truth()) {
                (Self::BOOL, _) | (_, Self::BOOL) => Self::BOOL,
                (a, b) => Self::one(a.lo ^ b.lo),
            },
        }
    }

    fn min_with(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    fn max_with(self, other: Self) -> Self {
        Self { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }

    fn known(surely: bool, never: bool) -> Self {
        match (surely, never) {
            (true, _) => Self::one(1),
            (_, true) => Self::one(0),
            _ => Self::BOOL,
        }
    }

    /// The members that can stand in the relation `op` to some member of `other`.
    pub(super) fn related(self, op: BinaryOp, other: Self) -> Self {
        if other.is_empty() {
            return Self::EMPTY;
        }
        match op {
            BinaryOp::Less => self.meet(Self { lo: i64::MIN, hi: other.hi - 1 }),
            BinaryOp::LessEqual => self.meet(Self { lo: i64::MIN, hi: other.hi }),
            BinaryOp::Greater => self.meet(Self { lo: other.lo + 1, hi: i64::MAX }),
            BinaryOp::GreaterEqual => self.meet(Self { lo: other.lo, hi: i64::MAX }),
            BinaryOp::Equal => self.meet(other),
            BinaryOp::NotEqual if other.lo == other.hi => self.without(other.lo),
            _ => self,
        }
    }
}

impl From<Range> for Interval {
    fn from(range: Range) -> Self {
        Self { lo: range.lo.into(), hi: range.hi.into() }
    }
}

fn divide(a: Interval, b: Interval) -> Interval {
    let halves = [Interval { lo: b.lo, hi: b.hi.min(-1) }, Interval { lo: b.lo.max(1), hi: b.hi }];
    let halves = halves.into_iter().filter(|half| !half.is_empty());
    let corners = |b: Interval| Interval::of(&[a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi]);
    halves.map(corners).fold(Interval::EMPTY, Interval::join).fit()
}

fn remainder(a: Interval, b: Interval) -> Interval {
    if b == Interval::one(0) {
        return Interval::EMPTY;
    }
    if a.lo == a.hi && b.lo == b.hi {
        return Interval::one(a.lo % b.lo);
    }
    if a.lo >= 0 && a.hi < b.lo {
        return a;
    }
    // It has the sign of the dividend and is nearer to zero than either.
    let most = b.magnitude() - 1;
    Interval { lo: a.lo.min(0).max(-most), hi: a.hi.max(0).min(most) }
}

fn power(base: Interval, exponent: Interval) -> Interval {
    let exponent = exponent.meet(Interval { lo: 0, hi: i64::MAX });
    if exponent.is_empty() {
        return exponent;
    }
    let raise = |base: i64, by: i64| {
        // Beyond this, powers of anything but -1, 0 and 1 are too large anyway.
        let by = if by > 64 { 64 + by % 2 } else { by };
        base.saturating_pow(by as u32)
    };
    if exponent.lo == exponent.hi && base.lo == base.hi {
        return Interval::one(raise(base.lo, exponent.lo)).fit();
    }
    if base.lo >= 1 {
        return Interval { lo: raise(base.lo, exponent.lo), hi: raise(base.hi, exponent.hi) }.fit();
    }
    let most = raise(base.magnitude().max(1), exponent.hi);
    Interval { lo: if base.lo >= 0 { 0 } else { -most }, hi: most }.fit()
}
