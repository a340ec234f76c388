//! What a place can be changed into, and the changed program.

use num_traits::{CheckedAdd, CheckedSub, One};
use punctual_model::lustre::{BinaryOp, Expr, Memory, Program, Rational, Type, UnaryOp, Value};
use punctual_model::{ExprId, Id};

use super::{
    Class, Mutant, order,
    sites::{Owner, Site, Sites},
};
use crate::lustre::{
    text::text,
    types::{operands, types},
};

/// In how many ways a place can be changed.
pub(super) fn count(program: &Program, sites: &Sites, site: &Site) -> usize {
    match (site.class, program.exprs[site.expr]) {
        // There may be very many.
        (Class::Variable, Expr::Var(var)) => {
            sites.vars.get(&program.vars[var].ty).map_or(0, |all| all.len().saturating_sub(1))
        }
        _ => changes(program, sites, site).len(),
    }
}

/// What is put in a place.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Something over expressions that are there.
    Expr(Expr),
    /// An operand of what is there.
    Operand(ExprId),
    /// What is there, in the step before.
    Previous(Type),
}

fn changes(program: &Program, sites: &Sites, site: &Site) -> Vec<Change> {
    let expr = program.exprs[site.expr];
    let mut found = Vec::new();
    match (site.class, expr) {
        (Class::Arithmetic, Expr::Unary(_, operand)) => found.push(Change::Operand(operand)),
        (Class::Arithmetic | Class::Relational | Class::BooleanOp, Expr::Binary(op, a, b)) => {
            let of = sites.types[a.index()].or(sites.types[b.index()]);
            let others = others(op, of).iter().filter(|other| **other != op);
            found.extend(others.map(|other| Change::Expr(Expr::Binary(*other, a, b))));
        }
        (Class::Negation, Expr::Unary(UnaryOp::Not, operand)) => {
            found.push(Change::Operand(operand));
        }
        (Class::Negation, _) => found.push(Change::Expr(Expr::Unary(UnaryOp::Not, site.expr))),
        (Class::Constant, Expr::Constant(value)) => {
            let values = constants(program, value, site.ty);
            found.extend(values.into_iter().map(|it| Change::Expr(Expr::Constant(it))));
        }
        (Class::Variable, Expr::Var(var)) => {
            let all = sites.vars.get(&program.vars[var].ty).into_iter().flatten();
            found.extend(all.filter(|it| **it != var).map(|it| Change::Expr(Expr::Var(*it))));
        }
        (Class::Variable, Expr::Memory(memory)) => {
            let old = &program.memory[memory];
            let all = sites.memory.get(&old.ty).into_iter().flatten();
            // Where the old one needs no initial value, a new one does not either.
            let good = |it: &&punctual_model::MemoryId| {
                **it != memory && (old.initial.is_none() || program.memory[**it].initial.is_some())
            };
            found.extend(all.filter(good).map(|it| Change::Expr(Expr::Memory(*it))));
        }
        (Class::PreviousValue, Expr::Var(var)) => {
            found.push(Change::Previous(program.vars[var].ty));
        }
        _ => {}
    }
    found
}

/// Operators of the same types. A division that was not there is none of them: it would make steps
/// without a result.
fn others(op: BinaryOp, of: Option<Type>) -> &'static [BinaryOp] {
    use BinaryOp::{
        Add, And, Div, Eq, Ge, Gt, Implies, IntDiv, Le, Lt, Mod, Mul, Ne, Or, Sub, Xor,
    };
    match (op, of) {
        (Add | Sub | Mul | Div, _) => &[Add, Sub, Mul],
        (IntDiv | Mod, _) => &[Add, Sub, Mul, IntDiv, Mod],
        (And | Or | Xor | Implies, _) => &[And, Or, Xor],
        (Eq | Ne | Lt | Le | Gt | Ge, Some(Type::Int | Type::Real)) => &[Eq, Ne, Lt, Le, Gt, Ge],
        (Eq | Ne | Lt | Le | Gt | Ge, _) => &[Eq, Ne],
    }
}

fn constants(program: &Program, value: Value, ty: Option<Type>) -> Vec<Value> {
    match value {
        Value::Bool(it) => vec![Value::Bool(!it)],
        Value::Int(it) => {
            [it.checked_add(1), it.checked_sub(1)].into_iter().flatten().map(Value::Int).collect()
        }
        Value::Real(it) => {
            let one = Rational::one();
            let both = [it.checked_add(&one), it.checked_sub(&one)];
            both.into_iter().flatten().map(Value::Real).collect()
        }
        Value::Enum(it) => match ty {
            Some(Type::Enum(id)) => {
                let n_values = program.enums.get(id).map_or(0, |it| it.values.len());
                let all = (0..u32::try_from(n_values).unwrap_or(u32::MAX)).filter(|at| *at != it);
                all.map(Value::Enum).collect()
            }
            _ => Vec::new(),
        },
    }
}

/// The program with one of the changes of a place; none if an equation would depend on itself.
pub(super) fn mutant(
    program: &Program,
    sites: &Sites,
    site: &Site,
    number: usize,
) -> Option<Mutant> {
    let change = *changes(program, sites, site).get(number)?;
    let mut changed = program.clone();
    let new = match change {
        Change::Operand(operand) => operand,
        Change::Expr(expr) => changed.exprs.push(expr),
        Change::Previous(ty) => {
            let first = changed.exprs.push(Expr::First);
            let start = changed.exprs.push(Expr::Constant(Value::zero(ty)));
            let name = text(program, &sites.types, site.expr, Some(ty));
            let memory = Memory { name, ty, initial: None, next: site.expr };
            let memory = changed.memory.push(memory);
            let before = changed.exprs.push(Expr::Memory(memory));
            changed.exprs.push(Expr::If(first, start, before))
        }
    };
    let root = match site.owner {
        Owner::Equation(at) => program.equations[at].expr,
        Owner::Memory(id) => program.memory[id].next,
    };
    let new_root = put(&mut changed, root, &site.path, new)?;
    let equation = match site.owner {
        Owner::Equation(at) => {
            changed.equations[at].expr = new_root;
            program.vars[program.equations[at].var].name.clone()
        }
        Owner::Memory(id) => {
            changed.memory[id].next = new_root;
            format!("pre {}", program.memory[id].name)
        }
    };
    if site.class == Class::Variable {
        changed.equations = order::ordered(&changed)?;
    }
    Some(Mutant {
        class: site.class,
        equation,
        old: text(program, &sites.types, site.expr, site.ty),
        new: text(&changed, &types(&changed), new, site.ty),
        program: changed,
    })
}

/// The expression with another one at the end of a path. What is on the path is copied, since it may
/// stand elsewhere too.
fn put(program: &mut Program, root: ExprId, path: &[u8], new: ExprId) -> Option<ExprId> {
    let mut on_path = Vec::with_capacity(path.len());
    let mut at = root;
    for position in path {
        on_path.push((at, usize::from(*position)));
        at = operands(program.exprs[at]).nth(usize::from(*position))?;
    }
    let mut new = new;
    for (id, position) in on_path.into_iter().rev() {
        let expr = match (program.exprs[id], position) {
            (Expr::Unary(op, _), _) => Expr::Unary(op, new),
            (Expr::Binary(op, _, b), 0) => Expr::Binary(op, new, b),
            (Expr::Binary(op, a, _), _) => Expr::Binary(op, a, new),
            (Expr::If(_, b, c), 0) => Expr::If(new, b, c),
            (Expr::If(a, _, c), 1) => Expr::If(a, new, c),
            (Expr::If(a, b, _), _) => Expr::If(a, b, new),
            _ => return None,
        };
        new = program.exprs.push(expr);
    }
    Some(new)
}
