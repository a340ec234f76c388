//! Walking over syntax trees.

use crate::uppaal::ast::{Expr, ExprKind};

/// Calls `visit` for an expression and everything inside it, in no particular order. Long chains
/// of operators take no stack.
pub(super) fn walk<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        visit(expr);
        match &expr.kind {
            ExprKind::Call(callee, arguments) => {
                pending.push(callee);
                pending.extend(arguments);
            }
            ExprKind::Spawn(_, arguments) => pending.extend(arguments),
            ExprKind::Index(left, right)
            | ExprKind::Binary(_, left, right)
            | ExprKind::Assign(_, left, right) => pending.extend([&**left, &**right]),
            ExprKind::Member(inner, _)
            | ExprKind::Rate(inner)
            | ExprKind::Unary(_, inner)
            | ExprKind::Step { target: inner, .. }
            | ExprKind::Quantifier(_, _, inner) => pending.push(inner),
            ExprKind::Conditional(a, b, c) => pending.extend([&**a, &**b, &**c]),
            ExprKind::Int(_)
            | ExprKind::Double(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::Deadlock
            | ExprKind::Exit
            | ExprKind::NumOf(_)
            | ExprKind::Error => {}
        }
    }
}
