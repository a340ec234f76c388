//! What operators do to values.

use punctual_model::lustre::{BinaryOp, UnaryOp, Value};

use super::failure::FailureKind;
use super::real::Real;

/// A value whose reals are of some kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar<R> {
    Bool(bool),
    Int(i64),
    Real(R),
    Enum(u32),
}

impl<R: Real> Scalar<R> {
    pub(super) fn from_value(value: Value) -> Scalar<R> {
        match value {
            Value::Bool(it) => Scalar::Bool(it),
            Value::Int(it) => Scalar::Int(it),
            Value::Real(it) => Scalar::Real(R::from_rational(it)),
            Value::Enum(it) => Scalar::Enum(it),
        }
    }

    pub(super) fn to_value(self) -> Value {
        match self {
            Scalar::Bool(it) => Value::Bool(it),
            Scalar::Int(it) => Value::Int(it),
            Scalar::Real(it) => Value::Real(it.to_rational()),
            Scalar::Enum(it) => Value::Enum(it),
        }
    }

    fn less(self, other: Scalar<R>) -> bool {
        match (self, other) {
            (Scalar::Bool(a), Scalar::Bool(b)) => !a & b,
            (Scalar::Int(a), Scalar::Int(b)) => a < b,
            (Scalar::Real(a), Scalar::Real(b)) => a < b,
            (Scalar::Enum(a), Scalar::Enum(b)) => a < b,
            _ => unreachable!("types were checked"),
        }
    }
}

/// Applies an operator of one operand.
pub(super) fn unary<R: Real>(op: UnaryOp, it: Scalar<R>) -> Result<Scalar<R>, FailureKind> {
    let large = FailureKind::Overflow;
    Ok(match (op, it) {
        (UnaryOp::Not, Scalar::Bool(it)) => Scalar::Bool(!it),
        (UnaryOp::Neg, Scalar::Int(it)) => Scalar::Int(it.checked_neg().ok_or(large)?),
        (UnaryOp::Neg, Scalar::Real(it)) => Scalar::Real(it.neg().ok_or(large)?),
        (UnaryOp::ToReal, Scalar::Int(it)) => Scalar::Real(R::from_int(it)),
        (UnaryOp::Floor, Scalar::Real(it)) => Scalar::Int(it.floor().ok_or(large)?),
        (UnaryOp::Wrap { bits, signed }, Scalar::Int(it)) => {
            Scalar::Int(wrap(it, bits, signed).ok_or(large)?)
        }
        _ => unreachable!("types were checked"),
    })
}

/// An integer modulo 2^bits.
pub(super) fn wrap(it: i64, bits: u8, signed: bool) -> Option<i64> {
    let modulus = 1_i128 << bits;
    let low = i128::from(it).rem_euclid(modulus);
    let value = if signed && low >= modulus / 2 { low - modulus } else { low };
    i64::try_from(value).ok()
}

/// Applies an operator of two operands.
pub(super) fn binary<R: Real>(
    op: BinaryOp,
    left: Scalar<R>,
    right: Scalar<R>,
) -> Result<Scalar<R>, FailureKind> {
    use BinaryOp::{
        Add, And, Div, Eq, Ge, Gt, Implies, IntDiv, Le, Lt, Mod, Mul, Ne, Or, Sub, Xor,
    };
    use Scalar::{Bool, Int};
    let truth = |it| Ok(Bool(it));
    let int = |it: Option<i64>| it.map(Int).ok_or(FailureKind::Overflow);
    let real = |it: Option<R>| it.map(Scalar::Real).ok_or(FailureKind::Overflow);
    match (op, left, right) {
        (And, Bool(a), Bool(b)) => truth(a && b),
        (Or, Bool(a), Bool(b)) => truth(a || b),
        (Xor, Bool(a), Bool(b)) => truth(a != b),
        (Implies, Bool(a), Bool(b)) => truth(!a || b),
        (Eq, a, b) => truth(a == b),
        (Ne, a, b) => truth(a != b),
        (Lt, a, b) => truth(a.less(b)),
        (Le, a, b) => truth(!b.less(a)),
        (Gt, a, b) => truth(b.less(a)),
        (Ge, a, b) => truth(!a.less(b)),
        (Add, Int(a), Int(b)) => int(a.checked_add(b)),
        (Sub, Int(a), Int(b)) => int(a.checked_sub(b)),
        (Mul, Int(a), Int(b)) => int(a.checked_mul(b)),
        (IntDiv | Mod, Int(_), Int(0)) => Err(FailureKind::DivisionByZero),
        (IntDiv, Int(a), Int(b)) => int(a.checked_div_euclid(b)),
        (Mod, Int(a), Int(b)) => int(a.checked_rem_euclid(b)),
        (Add, Scalar::Real(a), Scalar::Real(b)) => real(a.add(b)),
        (Sub, Scalar::Real(a), Scalar::Real(b)) => real(a.sub(b)),
        (Mul, Scalar::Real(a), Scalar::Real(b)) => real(a.mul(b)),
        (Div, Scalar::Real(_), Scalar::Real(b)) if b.is_zero() => Err(FailureKind::DivisionByZero),
        (Div, Scalar::Real(a), Scalar::Real(b)) => real(a.div(b)),
        _ => unreachable!("types were checked"),
    }
}
