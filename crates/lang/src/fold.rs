//! Making expressions of the network, with constants folded.
//!
//! Folding never changes meaning: what would be an error at run time (a division by zero, an
//! overflow) stays as it is and is found where it is evaluated.

use punctual_model::{Binary, BinaryOp, Expr, Number, UnaryOp};

/// An integer as a double.
pub(crate) fn to_double(expr: Expr) -> Expr {
    match expr {
        Expr::Int(value) => Expr::Double(f64::from(value)),
        expr => Expr::ToDouble(Box::new(expr)),
    }
}

/// A number as 0 or 1.
pub(crate) fn to_bool(expr: Expr) -> Expr {
    match expr {
        Expr::Int(value) => Expr::Int(i32::from(value != 0)),
        expr => binary(BinaryOp::NotEqual, Number::Int, expr, Expr::Int(0)),
    }
}

pub(crate) fn not(expr: Expr) -> Expr {
    match expr {
        Expr::Int(value) => Expr::Int(i32::from(value == 0)),
        expr => Expr::Unary(UnaryOp::Not, Number::Int, Box::new(expr)),
    }
}

pub(crate) fn negate(number: Number, expr: Expr) -> Expr {
    match expr {
        Expr::Int(value) if value != i32::MIN => Expr::Int(-value),
        Expr::Double(value) => Expr::Double(-value),
        expr => Expr::Unary(UnaryOp::Negate, number, Box::new(expr)),
    }
}

/// A binary operation over operands of one kind.
pub(crate) fn binary(op: BinaryOp, number: Number, left: Expr, right: Expr) -> Expr {
    use BinaryOp::{And, Imply, Or};
    let folded = match (&left, &right) {
        (Expr::Int(l), Expr::Int(r)) => ints(op, *l, *r).map(Expr::Int),
        (Expr::Double(l), Expr::Double(r)) => doubles(op, *l, *r),
        // What is decided by its left side alone.
        (Expr::Int(0), _) if op == And => Some(Expr::FALSE),
        (Expr::Int(0), _) if op == Imply => Some(Expr::TRUE),
        (Expr::Int(l), _) if op == Or && *l != 0 => Some(Expr::TRUE),
        _ => None,
    };
    folded.unwrap_or_else(|| Expr::Binary(Box::new(Binary { op, number, size: 1, left, right })))
}

/// The value of an operator on integers; none if it has none.
pub(crate) fn ints(op: BinaryOp, l: i32, r: i32) -> Option<i32> {
    let truth = |value: bool| Some(i32::from(value));
    match op {
        BinaryOp::Add => l.checked_add(r),
        BinaryOp::Subtract => l.checked_sub(r),
        BinaryOp::Multiply => l.checked_mul(r),
        BinaryOp::Divide => l.checked_div(r),
        BinaryOp::Remainder => l.checked_rem(r),
        BinaryOp::Power => u32::try_from(r).ok().and_then(|r| l.checked_pow(r)),
        BinaryOp::Minimum => Some(l.min(r)),
        BinaryOp::Maximum => Some(l.max(r)),
        BinaryOp::BitAnd => Some(l & r),
        BinaryOp::BitOr => Some(l | r),
        BinaryOp::BitXor => Some(l ^ r),
        BinaryOp::ShiftLeft => u32::try_from(r).ok().and_then(|r| l.checked_shl(r)),
        BinaryOp::ShiftRight => u32::try_from(r).ok().and_then(|r| l.checked_shr(r)),
        BinaryOp::Less => truth(l < r),
        BinaryOp::LessEqual => truth(l <= r),
        BinaryOp::Equal => truth(l == r),
        BinaryOp::NotEqual => truth(l != r),
        BinaryOp::GreaterEqual => truth(l >= r),
        BinaryOp::Greater => truth(l > r),
        BinaryOp::And => truth(l != 0 && r != 0),
        BinaryOp::Or => truth(l != 0 || r != 0),
        BinaryOp::Xor => truth((l != 0) != (r != 0)),
        BinaryOp::Imply => truth(l == 0 || r != 0),
    }
}

/// The value of an operator on doubles; none for operators of integers.
pub(crate) fn doubles(op: BinaryOp, l: f64, r: f64) -> Option<Expr> {
    let number = |value: f64| Some(Expr::Double(value));
    let truth = |value: bool| Some(Expr::Int(i32::from(value)));
    match op {
        BinaryOp::Add => number(l + r),
        BinaryOp::Subtract => number(l - r),
        BinaryOp::Multiply => number(l * r),
        BinaryOp::Divide if r != 0.0 => number(l / r),
        BinaryOp::Power => number(l.powf(r)),
        BinaryOp::Minimum => number(l.min(r)),
        BinaryOp::Maximum => number(l.max(r)),
        BinaryOp::Less => truth(l < r),
        BinaryOp::LessEqual => truth(l <= r),
        BinaryOp::Equal => truth(l == r),
        BinaryOp::NotEqual => truth(l != r),
        BinaryOp::GreaterEqual => truth(l >= r),
        BinaryOp::Greater => truth(l > r),
        _ => None,
    }
}
