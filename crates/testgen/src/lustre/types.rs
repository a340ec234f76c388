//! Types of expressions.

use punctual_model::lustre::{BinaryOp, Expr, Program, Type, UnaryOp, Value};
use punctual_model::{ExprId, Id};

/// The type of each expression. That of a constant of some enumeration is not known from it alone.
pub(crate) fn types(program: &Program) -> Vec<Option<Type>> {
    let mut types: Vec<Option<Type>> = Vec::with_capacity(program.exprs.len());
    for expr in program.exprs.iter() {
        let of = |id: ExprId| types[id.index()];
        types.push(match expr {
            Expr::Constant(Value::Bool(_)) | Expr::First => Some(Type::Bool),
            Expr::Constant(Value::Int(_)) => Some(Type::Int),
            Expr::Constant(Value::Real(_)) => Some(Type::Real),
            Expr::Constant(Value::Enum(_)) => None,
            Expr::Var(var) => Some(program.vars[*var].ty),
            Expr::Memory(memory) => Some(program.memory[*memory].ty),
            Expr::Unary(UnaryOp::ToReal, _) => Some(Type::Real),
            Expr::Unary(UnaryOp::Floor | UnaryOp::Wrap { .. }, _) => Some(Type::Int),
            Expr::Unary(UnaryOp::Not | UnaryOp::Neg, a) => of(*a),
            Expr::Binary(op, a, b) if is_arithmetic(*op) => of(*a).or(of(*b)),
            Expr::Binary(..) => Some(Type::Bool),
            Expr::If(_, a, b) => of(*a).or(of(*b)),
        });
    }
    types
}

pub(crate) fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, IntDiv, Mod, Mul, Sub};
    matches!(op, Add | Sub | Mul | Div | IntDiv | Mod)
}

pub(crate) fn is_relational(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// The operands of an expression.
pub(crate) fn operands(expr: Expr) -> impl Iterator<Item = ExprId> {
    let (a, b, c) = match expr {
        Expr::Constant(_) | Expr::Var(_) | Expr::Memory(_) | Expr::First => (None, None, None),
        Expr::Unary(_, a) => (Some(a), None, None),
        Expr::Binary(_, a, b) => (Some(a), Some(b), None),
        Expr::If(a, b, c) => (Some(a), Some(b), Some(c)),
    };
    [a, b, c].into_iter().flatten()
}

/// The type that an operand has to have, if the expression around it has one of `expected`.
pub(crate) fn expected_of(
    types: &[Option<Type>],
    expr: Expr,
    position: usize,
    expected: Option<Type>,
) -> Option<Type> {
    match expr {
        Expr::If(_, a, b) if position > 0 => expected.or(types[a.index()]).or(types[b.index()]),
        Expr::If(..) => Some(Type::Bool),
        Expr::Binary(_, a, b) => types[a.index()].or(types[b.index()]),
        _ => operands(expr).nth(position).and_then(|it| types[it.index()]),
    }
}
