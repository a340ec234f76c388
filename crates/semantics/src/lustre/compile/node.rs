//! Operations on typed values, each with its operands.

use punctual_model::lustre::Rational;

use crate::lustre::real::Real;
use crate::lustre::scalar::wrap;

/// A position in a [`Graph`](super::graph::Graph); operands come earlier.
pub(super) type NodeId = u32;

/// What is computed. A *cell* is truth, an integer, an enumeration's position or the bits of a
/// double; exact reals are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A constant cell.
    Cell(i64),
    /// A constant exact real.
    Real(Rational),
    /// An input, by variable.
    Input(u32),
    /// What was remembered.
    Memory(u32),
    /// One operand.
    Unary(Unary, NodeId),
    /// Two operands, both needed.
    Binary(Binary, NodeId, NodeId),
    /// The right side is needed if the left one holds.
    And(NodeId, NodeId),
    /// The right side is needed if the left one does not hold.
    Or(NodeId, NodeId),
    /// Condition, then, else.
    If(NodeId, NodeId, NodeId),
}

impl Node {
    /// All operands, needed or not.
    pub(super) fn operands(self) -> impl Iterator<Item = NodeId> {
        let operands = match self {
            Node::Cell(_) | Node::Real(_) | Node::Input(_) | Node::Memory(_) => [None; 3],
            Node::Unary(_, it) => [Some(it), None, None],
            Node::Binary(_, a, b) | Node::And(a, b) | Node::Or(a, b) => [Some(a), Some(b), None],
            Node::If(condition, yes, no) => [Some(condition), Some(yes), Some(no)],
        };
        operands.into_iter().flatten()
    }
}

/// Operations of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unary {
    Not,
    Neg,
    Wrap { bits: u8, signed: bool },
    FloatNeg,
    FloatFromInt,
    FloatFloor,
    RealNeg,
    RealFromInt,
    RealFloor,
}

/// Operations of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Binary {
    Eq,
    Ne,
    Lt,
    Le,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    FloatLt,
    FloatLe,
    FloatAdd,
    FloatSub,
    FloatMul,
    FloatDiv,
    RealEq,
    RealNe,
    RealLt,
    RealLe,
    RealAdd,
    RealSub,
    RealMul,
    RealDiv,
}

impl Unary {
    /// Whether the result is an exact real.
    pub(super) fn is_real(self) -> bool {
        matches!(self, Unary::RealNeg | Unary::RealFromInt)
    }

    /// Whether the operand is one.
    pub(super) fn takes_reals(self) -> bool {
        matches!(self, Unary::RealNeg | Unary::RealFloor)
    }

    /// Whether it can have no value.
    pub(super) fn may_fail(self) -> bool {
        match self {
            Unary::Not | Unary::FloatNeg | Unary::FloatFromInt | Unary::RealFromInt => false,
            Unary::Wrap { bits, signed } => bits == 64 && !signed,
            Unary::Neg | Unary::FloatFloor | Unary::RealNeg | Unary::RealFloor => true,
        }
    }

    /// From cell to cell.
    pub(super) fn cell(self, it: i64) -> Option<i64> {
        match self {
            Unary::Not => Some(it ^ 1),
            Unary::Neg => it.checked_neg(),
            Unary::Wrap { bits, signed } => wrap(it, bits, signed),
            Unary::FloatNeg => Real::neg(double(it)).map(bits_of),
            Unary::FloatFromInt => Some(bits_of(f64::from_int(it))),
            Unary::FloatFloor => Real::floor(double(it)),
            Unary::RealNeg | Unary::RealFromInt | Unary::RealFloor => None,
        }
    }
}

impl Binary {
    /// Whether the result is an exact real.
    pub(super) fn is_real(self) -> bool {
        matches!(self, Binary::RealAdd | Binary::RealSub | Binary::RealMul | Binary::RealDiv)
    }

    /// Whether the operands are.
    pub(super) fn takes_reals(self) -> bool {
        use Binary::{RealEq, RealLe, RealLt, RealNe};
        self.is_real() || matches!(self, RealEq | RealNe | RealLt | RealLe)
    }

    /// Whether it can have no value.
    pub(super) fn may_fail(self) -> bool {
        use Binary::{Eq, FloatLe, FloatLt, Le, Lt, Ne, RealEq, RealLe, RealLt, RealNe};
        !matches!(self, Eq | Ne | Lt | Le | FloatLt | FloatLe | RealEq | RealNe | RealLt | RealLe)
    }

    /// From cells to a cell.
    #[inline]
    pub(super) fn cell(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Binary::Eq => Some(i64::from(a == b)),
            Binary::Ne => Some(i64::from(a != b)),
            Binary::Lt => Some(i64::from(a < b)),
            Binary::Le => Some(i64::from(a <= b)),
            Binary::Add => a.checked_add(b),
            Binary::Sub => a.checked_sub(b),
            Binary::Mul => a.checked_mul(b),
            Binary::Div => a.checked_div_euclid(b),
            Binary::Mod => a.checked_rem_euclid(b),
            Binary::FloatLt => Some(i64::from(double(a) < double(b))),
            Binary::FloatLe => Some(i64::from(double(a) <= double(b))),
            Binary::FloatAdd => Real::add(double(a), double(b)).map(bits_of),
            Binary::FloatSub => Real::sub(double(a), double(b)).map(bits_of),
            Binary::FloatMul => Real::mul(double(a), double(b)).map(bits_of),
            // Division by zero is not finite.
            Binary::FloatDiv => Real::div(double(a), double(b)).map(bits_of),
            _ => None,
        }
    }

    /// From exact reals to a cell.
    pub(super) fn compare(self, a: &Rational, b: &Rational) -> bool {
        match self {
            Binary::RealEq => a == b,
            Binary::RealNe => a != b,
            Binary::RealLt => a < b,
            _ => a <= b,
        }
    }

    /// From exact reals to one.
    pub(super) fn real(self, a: Rational, b: Rational) -> Option<Rational> {
        match self {
            Binary::RealAdd => Real::add(a, b),
            Binary::RealSub => Real::sub(a, b),
            Binary::RealMul => Real::mul(a, b),
            _ if Real::is_zero(b) => None,
            _ => Real::div(a, b),
        }
    }
}

fn double(cell: i64) -> f64 {
    f64::from_bits(cell.cast_unsigned())
}

fn bits_of(double: f64) -> i64 {
    double.to_bits().cast_signed()
}
