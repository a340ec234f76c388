//! The model with more inputs than it was written with: for locals that are steered, and for conditions that are
//! looked at while it takes a step.
//!
//! A local is steered by an input that is added to it, which is zero in every test (section 3.1 of the thesis makes inputs of
//! internal variables likewise). A condition on several variables becomes an assertion: so the box in which a step does the same
//! ([`Around`](punctual_semantics::lustre::Around)) is one in which the condition does not change, either.
//!
//! **Invariant:** variables that the model was written with keep their ids.

use punctual_model::lustre::{BinaryOp, Expr, Program, Role, Seen, Tolerances, Type, UnaryOp, Var};
use punctual_model::{ExprId, Id, VarId};

/// A program in which locals can be changed.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) program: Program,
    /// For each steerable variable the input that changes it: itself, or what is added to a local.
    pub(super) steered: Vec<VarId>,
}

impl Opened {
    /// Gives each steerable local an input.
    ///
    /// # Errors
    /// A variable that can not be steered: an output, or one that is neither a number nor truth.
    pub(super) fn new(program: &Program, steerable: &[VarId]) -> Result<Opened, VarId> {
        let mut opened = Opened { program: program.clone(), steered: Vec::new() };
        for var in steerable {
            let Var { name, ty, role, .. } = program.vars[*var].clone();
            let op = match (role, ty) {
                (Role::Input, _) => {
                    opened.steered.push(*var);
                    continue;
                }
                (Role::Local, Type::Int | Type::Real) => BinaryOp::Add,
                (Role::Local, Type::Bool) => BinaryOp::Xor,
                _ => return Err(*var),
            };
            let program = &mut opened.program;
            let name = format!("{name}~change");
            let change = program.vars.push(Var { name, ty, range: None, role: Role::Input });
            let by = program.exprs.push(Expr::Var(change));
            let equation = program.equations.iter_mut().find(|it| it.var == *var).ok_or(*var)?;
            equation.expr = program.exprs.push(Expr::Binary(op, equation.expr, by));
            opened.steered.push(change);
        }
        Ok(opened)
    }

    /// For each steerable variable whether it is a local that follows another one in the same step: what it would be without a change
    /// of its own is known only when the others are.
    pub(super) fn following(&self, steerable: &[VarId]) -> Vec<bool> {
        let of = |(own, var): (&VarId, &VarId)| {
            let others: Vec<VarId> =
                self.steered.iter().copied().filter(|other| other != own).collect();
            own != var && follows(&self.program, *var, &others)
        };
        self.steered.iter().zip(steerable).map(of).collect()
    }
}

/// Whether the value of a variable in a step may depend on that of some others in the same step.
fn follows(program: &Program, var: VarId, others: &[VarId]) -> bool {
    let mut is_touched = vec![false; program.vars.len()];
    others.iter().for_each(|other| is_touched[other.index()] = true);
    loop {
        // Operands come before what they are operands of.
        let mut exprs: Vec<bool> = Vec::with_capacity(program.exprs.len());
        for expr in program.exprs.iter() {
            let at = |id: ExprId| exprs[id.index()];
            exprs.push(match *expr {
                Expr::Var(var) => is_touched[var.index()],
                Expr::Unary(_, a) => at(a),
                Expr::Binary(_, a, b) => at(a) || at(b),
                Expr::If(a, b, c) => at(a) || at(b) || at(c),
                Expr::Constant(_) | Expr::Memory(_) | Expr::First => false,
            });
        }
        let mut is_new = false;
        for equation in program.equations.iter() {
            if exprs[equation.expr.index()] && !is_touched[equation.var.index()] {
                is_touched[equation.var.index()] = true;
                is_new = true;
            }
        }
        if is_touched[var.index()] || !is_new {
            return is_touched[var.index()];
        }
    }
}

/// A program with conditions among its assertions.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) program: Program,
    /// Inputs that the conditions need beside the variables of the program, and what each is.
    pub(super) seen: Vec<(VarId, Seen)>,
}

impl Joined {
    /// Adds these conditions. None if there are none, or if one may have no value, which would leave steps without one.
    pub(super) fn new(
        program: &Program,
        tolerances: &Tolerances,
        conditions: &[ExprId],
    ) -> Option<Joined> {
        if conditions.is_empty() || !tolerances.exprs.iter().all(has_a_value) {
            return None;
        }
        let mut joined = Joined { program: program.clone(), seen: Vec::new() };
        let mut vars = Vec::new();
        for seen in tolerances.seen.iter() {
            let (Seen::New(var) | Seen::Original(var) | Seen::System(var)) = *seen;
            vars.push(match seen {
                Seen::New(var) => *var,
                Seen::Original(_) | Seen::System(_) => {
                    let Var { name, ty, .. } = program.vars[var].clone();
                    let (name, role) = (format!("{name}~seen"), Role::Input);
                    let input = joined.program.vars.push(Var { name, ty, range: None, role });
                    joined.seen.push((input, *seen));
                    input
                }
            });
        }
        let mut ids: Vec<ExprId> = Vec::with_capacity(tolerances.exprs.len());
        for expr in tolerances.exprs.iter() {
            let id = |operand: ExprId| ids[operand.index()];
            let expr = match *expr {
                Expr::Var(var) => Expr::Var(vars[var.index()]),
                Expr::Unary(op, a) => Expr::Unary(op, id(a)),
                Expr::Binary(op, a, b) => Expr::Binary(op, id(a), id(b)),
                Expr::If(a, b, c) => Expr::If(id(a), id(b), id(c)),
                other => other,
            };
            ids.push(joined.program.exprs.push(expr));
        }
        joined.program.assertions.extend(conditions.iter().map(|id| ids[id.index()]));
        Some(joined)
    }
}

/// Whether an operator always has a value, as far as numbers are not too large.
fn has_a_value(expr: &Expr) -> bool {
    !matches!(
        expr,
        Expr::Binary(BinaryOp::Div | BinaryOp::IntDiv | BinaryOp::Mod, ..)
            | Expr::Unary(UnaryOp::Floor, _)
    )
}
