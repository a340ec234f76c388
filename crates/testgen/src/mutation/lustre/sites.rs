//! Where a program can be changed.

use std::collections::HashMap;

use punctual_model::lustre::{BinaryOp, Expr, Program, Role, Type, UnaryOp, Value};
use punctual_model::{ExprId, Id, MemoryId, VarId};

use super::{Class, change};
use crate::lustre::cone::Cone;
use crate::lustre::types::{expected_of, is_arithmetic, is_relational, operands, types};

/// Expressions are shared, and their places are not: one with more places than this has no further
/// ones.
const PLACES_MAX: usize = 50_000;

/// The part of a program that an expression belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The equation at this position.
    Equation(usize),
    /// What this memory is given at the end of a step.
    Memory(MemoryId),
}

/// A place, and how it can be changed.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) owner: Owner,
    /// The positions of the operands that lead from the expression of the owner to the place.
    pub(super) path: Vec<u8>,
    /// The expression that stands at the place.
    pub(super) expr: ExprId,
    pub(super) ty: Option<Type>,
    pub(super) class: Class,
    /// In how many ways a change of this class can be made at the place.
    pub(super) n_changes: usize,
}

/// All places of a program that can be changed.
pub(super) struct Sites {
    pub(super) all: Vec<Site>,
    pub(super) types: Vec<Option<Type>>,
    /// The variables of each type that can stand in place of another.
    pub(super) vars: HashMap<Type, Vec<VarId>>,
    /// The memory of each type that can stand in place of another.
    pub(super) memory: HashMap<Type, Vec<MemoryId>>,
}

impl Sites {
    pub(super) fn of(program: &Program) -> Sites {
        let mut vars: HashMap<Type, Vec<VarId>> = HashMap::new();
        for (id, var) in program.vars.enumerate().filter(|(_, var)| var.role != Role::Free) {
            vars.entry(var.ty).or_default().push(id);
        }
        let mut memory: HashMap<Type, Vec<MemoryId>> = HashMap::new();
        for (id, it) in program.memory.enumerate() {
            memory.entry(it.ty).or_default().push(id);
        }
        let mut sites = Sites { all: Vec::new(), types: types(program), vars, memory };
        let cone = Cone::of(program, []);
        for (at, equation) in program.equations.iter().enumerate() {
            if cone.vars[equation.var.index()] {
                let ty = program.vars[equation.var].ty;
                sites.walk(program, Owner::Equation(at), equation.expr, ty);
            }
        }
        for (id, memory) in program.memory.enumerate().filter(|(id, _)| cone.memory[id.index()]) {
            sites.walk(program, Owner::Memory(id), memory.next, memory.ty);
        }
        sites
    }

    /// Adds the places of one expression.
    fn walk(&mut self, program: &Program, owner: Owner, root: ExprId, ty: Type) {
        let mut stack = vec![(root, Vec::new(), Some(ty), false)];
        let mut n_places = 0;
        while let Some((id, path, ty, below_not)) = stack.pop() {
            n_places += 1;
            if n_places > PLACES_MAX {
                return;
            }
            let expr = program.exprs[id];
            for class in classes(expr, self.types[id.index()].or(ty), below_not) {
                let ty = self.types[id.index()].or(ty);
                let path = path.clone();
                let mut site = Site { owner, path, expr: id, ty, class, n_changes: 0 };
                site.n_changes = change::count(program, self, &site);
                self.all.push(site);
            }
            let is_not = matches!(expr, Expr::Unary(UnaryOp::Not, _));
            let mut inner: Vec<_> = operands(expr)
                .enumerate()
                // The first step is no condition that somebody wrote.
                .filter(|(_, operand)| program.exprs[*operand] != Expr::First)
                .map(|(position, operand)| {
                    let mut path = path.clone();
                    path.push(u8::try_from(position).unwrap_or(u8::MAX));
                    let ty = expected_of(&self.types, expr, position, ty);
                    (operand, path, ty, is_not)
                })
                .collect();
            inner.reverse();
            stack.extend(inner);
        }
    }
}

/// What can be done to an expression. The operand of a negation is not negated: that is the same as
/// taking the negation away.
fn classes(expr: Expr, ty: Option<Type>, below_not: bool) -> Vec<Class> {
    let mut classes = Vec::new();
    match expr {
        Expr::Binary(op, ..) if is_arithmetic(op) => classes.push(Class::Arithmetic),
        Expr::Unary(UnaryOp::Neg, _) => classes.push(Class::Arithmetic),
        Expr::Binary(op, ..) if is_relational(op) => classes.push(Class::Relational),
        Expr::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Implies, ..) => {
            classes.push(Class::BooleanOp);
        }
        Expr::Constant(_) => classes.push(Class::Constant),
        Expr::Var(_) => classes.extend([Class::Variable, Class::PreviousValue]),
        Expr::Memory(_) => classes.push(Class::Variable),
        _ => {}
    }
    let is_constant = matches!(expr, Expr::Constant(Value::Bool(_)) | Expr::First);
    if ty == Some(Type::Bool) && !below_not && !is_constant {
        classes.push(Class::Negation);
    }
    classes
}
