//! Building integer expressions, folding what is constant.
//!
//! Only what has a value is folded: an overflow or a division by zero stays in the expression,
//! where the analysis meets it (or never does).

use punctual_model::{Binary, BinaryOp, Expr, Number, Place, UnaryOp};

use crate::fold::ints;

/// An integer operation.
pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    if let (Some(l), Some(r)) = (left.as_int(), right.as_int())
        && let Some(value) = ints(op, l, r)
    {
        return Expr::Int(value);
    }
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

/// An integer operation with one operand.
pub(crate) fn unary(op: UnaryOp, inner: Expr) -> Expr {
    let folded = inner.as_int().and_then(|value| match op {
        UnaryOp::Negate => value.checked_neg(),
        UnaryOp::Not => Some(i32::from(value == 0)),
    });
    match folded {
        Some(value) => Expr::Int(value),
        None => Expr::Unary(op, Number::Int, Box::new(inner)),
    }
}

/// One of two values.
pub(crate) fn conditional(condition: Expr, yes: Expr, no: Expr) -> Expr {
    match condition.as_int() {
        Some(0) => no,
        Some(_) => yes,
        None => Expr::Conditional(Box::new([condition, yes, no])),
    }
}

/// The conjunction, grouped to the right; true if there is nothing.
pub(crate) fn conjunction(parts: Vec<Expr>) -> Expr {
    parts
        .into_iter()
        .rev()
        .filter(|part| !matches!(part, Expr::Int(value) if *value != 0))
        .reduce(|right, left| match left {
            Expr::Int(_) => left,
            _ => binary(BinaryOp::And, left, right),
        })
        .unwrap_or(Expr::TRUE)
}

/// Adds indices that are constant, and inside of their arrays, to the base of a place.
pub(crate) fn indices(place: &mut Place) {
    let Place { base, indices, .. } = place;
    indices.retain(|index| {
        let Expr::Int(value) = index.value else { return true };
        let position = i64::from(value) - i64::from(index.lo);
        match u32::try_from(position) {
            Ok(position) if position < index.len => {
                *base += position * index.stride;
                false
            }
            _ => true,
        }
    });
}
