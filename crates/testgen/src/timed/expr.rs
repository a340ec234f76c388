//! Expressions that are added to networks.

use punctual_model::{AssignOp, AssignResult, Binary, BinaryOp, Expr, Number, Place};

/// A place gets a value.
pub(super) fn set(place: &Place, value: Expr) -> Expr {
    Expr::Assign {
        target: Box::new(place.clone()),
        op: AssignOp::Set,
        value: Box::new(value),
        result: AssignResult::New,
    }
}

/// An expression has a value.
pub(super) fn equals(left: Expr, right: i32) -> Expr {
    let right = Expr::Int(right);
    Expr::Binary(Box::new(Binary {
        op: BinaryOp::Equal,
        number: Number::Int,
        size: 1,
        left,
        right,
    }))
}

/// One of two conditions holds.
pub(super) fn either(left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op: BinaryOp::Or, number: Number::Int, size: 1, left, right }))
}

/// Two conditions hold.
pub(super) fn both(left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op: BinaryOp::And, number: Number::Int, size: 1, left, right }))
}
