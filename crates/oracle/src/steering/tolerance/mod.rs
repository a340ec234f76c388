//! Tolerances: which changes of inputs are allowed.
//!
//! Conditions are compiled once. Those that restrict one steerable variable in a way that is
//! understood (`shape.rs`) give its values in a step (`domain.rs`), so that a search need not try
//! others; the rest is evaluated for each candidate. Whatever is chosen in the end is checked
//! against every condition as it was written, so a misunderstanding never becomes a verdict.

pub(super) mod domain;
mod shape;

use punctual_model::lustre::{
    BinaryOp, Equation, Program, Rational, Role, Seen, Tolerances, Type, Value, Var,
};
use punctual_model::{ExprId, VarId};
use punctual_semantics::lustre::{Machine, Reals, Refusal, State, Stepper};

use domain::{Domain, to_cell};
use shape::{Reader, Shape};

/// Conditions that nest deeper than this are not analysed, only evaluated.
const DEPTH_MAX: usize = 200;

/// Compiled tolerances.
#[derive(Debug)]
pub(super) struct Rules {
    /// The values that the conditions speak of.
    seen: Vec<Seen>,
    /// The expressions that the understood conditions compare new values with.
    facts: Formulas,
    /// The understood conditions, each with its input.
    understood: Vec<(VarId, Shape)>,
    /// Conditions on one real input each, which bound it; a solver or an evaluation decides by them.
    bounding: Vec<(VarId, Shape)>,
    /// The conditions that are not understood and must be evaluated for each candidate.
    residual: Formulas,
    /// The same as expressions of the tolerances.
    residual_exprs: Vec<ExprId>,
    /// Steerable variables that `residual` speaks of, by position.
    entangled: Vec<usize>,
    /// All conditions, as they were written.
    conditions: Formulas,
    /// Whether a condition speaks of what the unsteered model computes, not only of its inputs.
    pub(super) needs_original: bool,
}

/// Expressions over what is seen, as a program without memory.
#[derive(Debug)]
struct Formulas {
    machine: Machine,
    results: Vec<VarId>,
}

impl Formulas {
    fn new(program: &Program, from: &Tolerances, exprs: &[ExprId]) -> Result<Formulas, Refusal> {
        let mut formulas = Program { exprs: from.exprs.clone(), ..Program::default() };
        for seen in from.seen.iter() {
            let (Seen::New(var) | Seen::Original(var) | Seen::System(var)) = *seen;
            let ty = program.vars[var].ty;
            formulas.vars.push(Var { name: String::new(), ty, range: None, role: Role::Input });
        }
        let mut results = Vec::new();
        for expr in exprs {
            let ty = type_of(&formulas, *expr);
            let var = Var { name: String::new(), ty, range: None, role: Role::Output };
            let var = formulas.vars.push(var);
            formulas.equations.push(Equation { var, expr: *expr });
            results.push(var);
        }
        let machine = Machine::new(&formulas, Reals::Exact)?;
        Ok(Formulas { machine, results })
    }
}

/// The type of an expression of conditions.
fn type_of(formulas: &Program, id: ExprId) -> Type {
    use punctual_model::lustre::{Expr, UnaryOp};
    let mut id = id;
    loop {
        return match formulas.exprs[id] {
            Expr::Constant(Value::Bool(_)) | Expr::First => Type::Bool,
            Expr::Constant(Value::Int(_)) | Expr::Memory(_) => Type::Int,
            Expr::Constant(Value::Real(_)) => Type::Real,
            // Only its being an enumeration matters, not which.
            Expr::Constant(Value::Enum(_)) => Type::Int,
            Expr::Var(var) => formulas.vars[var].ty,
            Expr::Unary(op, operand) => match op {
                UnaryOp::Not => Type::Bool,
                UnaryOp::ToReal => Type::Real,
                UnaryOp::Floor | UnaryOp::Wrap { .. } => Type::Int,
                UnaryOp::Neg => {
                    id = operand;
                    continue;
                }
            },
            Expr::Binary(op, left, _) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                    id = left;
                    continue;
                }
                BinaryOp::Div => Type::Real,
                BinaryOp::IntDiv | BinaryOp::Mod => Type::Int,
                _ => Type::Bool,
            },
            Expr::If(_, yes, _) => {
                id = yes;
                continue;
            }
        };
    }
}

impl Rules {
    /// Compiles the conditions on these steerable inputs.
    pub(super) fn new(
        program: &Program,
        tolerances: &Tolerances,
        steerable: &[VarId],
    ) -> Result<Rules, Refusal> {
        let mut reader = Reader::new(tolerances);
        let (mut understood, mut residual, mut entangled) = (Vec::new(), Vec::new(), Vec::new());
        let mut bounding = Vec::new();
        for condition in &tolerances.conditions {
            for part in reader.conjuncts(*condition) {
                let shape = reader.shape(part, DEPTH_MAX);
                let var = shape.as_ref().and_then(Shape::var);
                let about = var.filter(|var| is_understood(program, *var, shape.as_ref()));
                match (about, shape) {
                    (Some(var), Some(shape)) => understood.push((var, shape)),
                    (_, shape) => {
                        bounding.extend(var.zip(shape));
                        let position = |var: &VarId| steerable.iter().position(|it| it == var);
                        entangled.extend(reader.new_values(part).iter().filter_map(position));
                        residual.push(part);
                    }
                }
            }
        }
        entangled.sort_unstable();
        entangled.dedup();
        let input = |var: VarId| program.vars[var].role == Role::Input;
        let needs_original =
            tolerances.seen.iter().any(|it| matches!(it, Seen::Original(var) if !input(*var)));
        Ok(Rules {
            seen: tolerances.seen.iter().copied().collect(),
            facts: Formulas::new(program, tolerances, &reader.facts)?,
            understood,
            bounding,
            residual: Formulas::new(program, tolerances, &residual)?,
            residual_exprs: residual,
            entangled,
            conditions: Formulas::new(program, tolerances, &tolerances.conditions)?,
            needs_original,
        })
    }

    /// The variables that must be watched in a step besides its outputs.
    pub(super) fn watched(tolerances: &Tolerances) -> Vec<VarId> {
        let mut vars: Vec<VarId> = Vec::new();
        for seen in tolerances.seen.iter() {
            if let Seen::New(var) | Seen::Original(var) = *seen
                && !vars.contains(&var)
            {
                vars.push(var);
            }
        }
        vars
    }

    /// The conditions that must be evaluated for each candidate.
    pub(super) fn residual(&self) -> &[ExprId] {
        &self.residual_exprs
    }

    /// Whether some condition must be evaluated for each candidate.
    pub(super) fn is_entangled(&self) -> bool {
        !self.residual.results.is_empty()
    }

    /// Steerable variables that every candidate must decide on, by position.
    pub(super) fn entangled(&self) -> &[usize] {
        &self.entangled
    }
}

/// Whether the values of a variable follow from a condition on it alone. Other reals than one
/// point are left to the solver, and what is not an input is known only after the step.
fn is_understood(program: &Program, var: VarId, shape: Option<&Shape>) -> bool {
    if program.vars[var].role != Role::Input {
        return false;
    }
    match (program.vars[var].ty, shape) {
        (Type::Real, Some(Shape::Compare(_, op))) => *op == BinaryOp::Eq,
        (Type::Real, _) => false,
        _ => true,
    }
}

/// The values that a steerable variable may have in a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Choice {
    /// One of these values, by their cells.
    Cells(Domain),
    /// This real number.
    Point(Rational),
    /// Any real number that the conditions accept.
    Wide,
}

/// The registers in which tolerances are evaluated.
pub(super) struct Bench<'r> {
    rules: &'r Rules,
    facts: Stepper<'r>,
    residual: Stepper<'r>,
    conditions: Stepper<'r>,
    /// Programs without memory have states all the same.
    scratch: [State; 3],
}

/// The values of a step that conditions may speak of.
#[derive(Clone, Copy)]
pub(super) struct Views<'v> {
    /// The values of the steered model.
    pub(super) new: &'v dyn Fn(VarId) -> Value,
    /// The values of the model before it was steered.
    pub(super) original: &'v dyn Fn(VarId) -> Value,
    /// The values of the system; None if it does not show the variable.
    pub(super) system: &'v dyn Fn(VarId) -> Option<Value>,
}

impl<'r> Bench<'r> {
    pub(super) fn new(rules: &'r Rules) -> Bench<'r> {
        Bench {
            rules,
            facts: Stepper::new(&rules.facts.machine),
            residual: Stepper::new(&rules.residual.machine),
            conditions: Stepper::new(&rules.conditions.machine),
            scratch: [
                rules.facts.machine.start(),
                rules.residual.machine.start(),
                rules.conditions.machine.start(),
            ],
        }
    }

    /// The values of each steerable input, from those that its type allows. None if there is no
    /// allowed step at all: a condition on an input that is not steerable does not hold.
    pub(super) fn choices(
        &mut self,
        steerable: &[VarId],
        all: &[Choice],
        views: Views<'_>,
    ) -> Option<Vec<Choice>> {
        let mut choices = all.to_vec();
        set(&mut self.facts, &self.rules.seen, views, false);
        let [facts, ..] = &mut self.scratch;
        let before = self.rules.facts.machine.start();
        if self.facts.step(&before, facts).is_err() {
            // Some comparison has no value, so some condition has none; evaluating them decides.
            return Some(choices);
        }
        let results = &self.rules.facts.results;
        let facts: Vec<Value> = results.iter().map(|var| self.facts.value(*var)).collect();
        for (var, shape) in &self.rules.understood {
            let Some(domain) = shape.domain(&facts) else { continue };
            match steerable.iter().position(|it| it == var) {
                Some(at) => match &mut choices[at] {
                    Choice::Cells(cells) => *cells = cells.meet(&domain),
                    choice => {
                        if let Some(point) = shape.point(&facts) {
                            *choice = Choice::Point(point);
                        }
                    }
                },
                None => {
                    let value = (views.original)(*var);
                    let holds = match (value, shape.point(&facts)) {
                        (Value::Real(value), Some(point)) => value == point,
                        (Value::Real(_), None) => true,
                        _ => domain.contains(to_cell(value)),
                    };
                    if !holds {
                        return None;
                    }
                }
            }
        }
        Some(choices)
    }

    /// The least and the greatest value that the conditions on each steerable real leave to it, as far as they
    /// are understood; after [`choices`](Self::choices) of the same step.
    pub(super) fn hulls(
        &mut self,
        steerable: &[VarId],
        views: Views<'_>,
    ) -> Vec<(Option<Rational>, Option<Rational>)> {
        let mut hulls = vec![(None, None); steerable.len()];
        if self.rules.bounding.is_empty() {
            return hulls;
        }
        set(&mut self.facts, &self.rules.seen, views, false);
        let [facts, ..] = &mut self.scratch;
        if self.facts.step(&self.rules.facts.machine.start(), facts).is_err() {
            return hulls;
        }
        let results = &self.rules.facts.results;
        let facts: Vec<Value> = results.iter().map(|var| self.facts.value(*var)).collect();
        for (var, shape) in &self.rules.bounding {
            let Some(at) = steerable.iter().position(|it| it == var) else { continue };
            let (low, high) = shape.hull(&facts);
            let known = &mut hulls[at];
            known.0 = known.0.max(low);
            known.1 = match (known.1, high) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        hulls
    }

    /// Whether the conditions hold that are not part of [`choices`](Self::choices).
    pub(super) fn accepts(&mut self, views: Views<'_>) -> bool {
        let formulas = &self.rules.residual;
        if formulas.results.is_empty() {
            return true;
        }
        let [_, scratch, _] = &mut self.scratch;
        holds(&mut self.residual, formulas, &self.rules.seen, views, scratch)
    }

    /// Whether all conditions hold, as they were written.
    pub(super) fn holds(&mut self, views: Views<'_>) -> bool {
        let formulas = &self.rules.conditions;
        let [_, _, scratch] = &mut self.scratch;
        holds(&mut self.conditions, formulas, &self.rules.seen, views, scratch)
    }
}

/// Whether all formulas are true; one without a value is not.
fn holds(
    stepper: &mut Stepper<'_>,
    formulas: &Formulas,
    seen: &[Seen],
    views: Views<'_>,
    scratch: &mut State,
) -> bool {
    set(stepper, seen, views, true);
    let before = formulas.machine.start();
    stepper.step(&before, scratch).is_ok()
        && formulas.results.iter().all(|var| stepper.value(*var) == Value::Bool(true))
}

/// Gives everything that is seen its value. What the system does not show is false or zero: names
/// that it does not show were rejected before.
fn set(stepper: &mut Stepper<'_>, seen: &[Seen], views: Views<'_>, with_new: bool) {
    for (position, seen) in seen.iter().enumerate() {
        let value = match *seen {
            Seen::New(var) if with_new => (views.new)(var),
            Seen::New(_) => continue,
            Seen::Original(var) => (views.original)(var),
            Seen::System(var) => match (views.system)(var) {
                Some(value) => value,
                None => continue,
            },
        };
        stepper.set(punctual_model::Id::from_index(position), value);
    }
}
