//! Steps of a program as terms of a solver.
//!
//! State and inputs are terms: constants where they are known, symbols where they are not. Terms fold
//! while they are built and only what is asked for is built, so a step from a known state with few
//! unknown inputs is a small term.
//!
//! - `walk.rs`: expressions to terms. `unroll.rs`: many steps in a row.
//!
//! Whole numbers have no bounds here, and divisions by zero have some value, as SMT-LIB has it.
//! [`Step::defined`] says when the step has a result in the interpreter: nothing that is asked for
//! divides by zero, and no whole number overflows. The latter is looked at where operands are
//! constants, and everywhere by an encoder made [`Encoder::with_overflow`]. Numerators and
//! denominators that overflow are seen only where operands are constants.
//!
//! Values of an enumeration are whole numbers, their positions.

mod unroll;
mod walk;

use punctual_model::lustre::{Program, Role, Tolerances, Type, Value, Var};
use punctual_model::{ExprId, Id, IdVec, MemoryId, VarId};
use punctual_solver::{self as solver, Sort, Term, Terms};

use super::asked::Asked;
pub use unroll::{Unrolled, Unrolling};
use walk::{Binding, Coded, Walk};

/// Makes terms of the steps of a program.
#[derive(Clone, Debug)]
pub struct Encoder<'p> {
    program: &'p Program,
    /// Which memory something that is asked for ever needs.
    remembered: Vec<bool>,
    equations: Vec<Option<ExprId>>,
    is_whole: bool,
    minds_overflow: bool,
}

/// What a step starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Whether the step is the first one.
    pub first: Term,
    /// What is remembered.
    pub memory: IdVec<MemoryId, Term>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    vars: Vec<Option<Term>>,
    exprs: Vec<Option<Coded>>,
    /// What the next step starts from.
    pub next: State,
    /// What the environment is assumed to keep.
    pub assertions: Vec<Term>,
    /// What is claimed to hold.
    pub properties: Vec<Term>,
    /// Whether all that is asked for has a value.
    pub defined: Term,
}

impl Step {
    /// A variable in this step. Locals that nothing asked for needs have no term.
    #[must_use]
    pub fn var(&self, var: VarId) -> Option<Term> {
        self.vars[var.index()]
    }

    /// An expression in this step, if something that is asked for needs it.
    #[must_use]
    pub fn expr(&self, expr: ExprId) -> Option<Term> {
        self.exprs[expr.index()].map(|it| it.value)
    }

    /// Whether an expression has a value in this step.
    #[must_use]
    pub fn expr_defined(&self, expr: ExprId) -> Option<Term> {
        self.exprs[expr.index()].map(|it| it.defined)
    }
}

impl<'p> Encoder<'p> {
    /// Encodes what is asked for: outputs, assertions, properties, and the memory that they need.
    /// Other memory stays as it is.
    #[must_use]
    pub fn new(program: &'p Program) -> Encoder<'p> {
        let mut equations = vec![None; program.vars.len()];
        for equation in &program.equations {
            equations[equation.var.index()] = Some(equation.expr);
        }
        let mut remembered = vec![false; program.memory.len()];
        for memory in Asked::new(program, &[]).memory {
            remembered[memory.index()] = true;
        }
        Encoder { program, remembered, equations, is_whole: false, minds_overflow: false }
    }

    /// Encodes all equations, also parts that do not matter in a step.
    #[must_use]
    pub fn whole(self) -> Encoder<'p> {
        Encoder { is_whole: true, ..self }
    }

    /// Whole numbers that overflow are undefined everywhere, not only where they are constants.
    #[must_use]
    pub fn with_overflow(self) -> Encoder<'p> {
        Encoder { minds_overflow: true, ..self }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Before the first step.
    pub fn initial(&self, terms: &mut Terms) -> State {
        let mut memory = IdVec::new();
        for it in self.program.memory.iter() {
            memory.push(constant(terms, it.initial.unwrap_or(Value::zero(it.ty))));
        }
        State { first: terms.bool(true), memory }
    }

    /// A known state, with a value for each memory.
    pub fn state(&self, terms: &mut Terms, is_first: bool, values: &[Value]) -> State {
        let mut memory = IdVec::new();
        for value in values {
            memory.push(constant(terms, *value));
        }
        State { first: terms.bool(is_first), memory }
    }

    /// A state of which nothing is known.
    pub fn any_state(&self, terms: &mut Terms) -> State {
        let mut memory = IdVec::new();
        for it in self.program.memory.iter() {
            memory.push(terms.symbol(&it.name, sort(it.ty)));
        }
        State { first: terms.symbol("first", Sort::Bool), memory }
    }

    /// Symbols for all inputs, in order.
    pub fn any_inputs(&self, terms: &mut Terms) -> Vec<Term> {
        let vars = self.program.inputs().map(|var| &self.program.vars[var]);
        vars.map(|var| terms.symbol(&var.name, sort(var.ty))).collect()
    }

    /// Whether inputs are in the ranges of their types.
    pub fn in_ranges(&self, terms: &mut Terms, inputs: &[Term]) -> Term {
        let mut all = terms.bool(true);
        for (var, input) in self.program.inputs().zip(inputs) {
            let inside = in_range(terms, self.program, &self.program.vars[var], *input);
            all = terms.and(all, inside);
        }
        all
    }

    /// The step from a state with inputs, in order.
    pub fn step(&self, terms: &mut Terms, state: &State, inputs: &[Term]) -> Step {
        let program = self.program;
        let mut bindings = Vec::with_capacity(program.vars.len());
        let mut given = inputs.iter();
        for (id, var) in program.vars.enumerate() {
            bindings.push(match (self.equations[id.index()], var.role, given.as_slice()) {
                (None, Role::Input, [input, ..]) => {
                    given.next();
                    Binding::Term(*input)
                }
                (Some(expr), ..) => Binding::Expr(expr),
                // Nobody says what it is.
                (None, ..) => Binding::Term(terms.symbol(&var.name, sort(var.ty))),
            });
        }
        let mut walk = Walk::new(&program.exprs, &bindings, Some(state));
        walk.is_eager = self.is_whole;
        walk.minds_overflow = self.minds_overflow;
        let mut defined = terms.bool(true);
        let mut ask = |walk: &mut Walk<'_>, terms: &mut Terms, expr: ExprId| {
            let coded = walk.expr(terms, expr);
            defined = terms.and(defined, coded.defined);
            coded.value
        };
        for var in program.outputs() {
            if let Some(expr) = self.equations[var.index()] {
                ask(&mut walk, terms, expr);
            }
        }
        let assertions = program.assertions.iter().map(|it| ask(&mut walk, terms, *it)).collect();
        let properties =
            program.properties.iter().map(|(_, it)| ask(&mut walk, terms, *it)).collect();
        let mut memory = IdVec::new();
        for (id, it) in program.memory.enumerate() {
            memory.push(match (self.remembered[id.index()], self.is_whole) {
                (true, _) => ask(&mut walk, terms, it.next),
                // Nothing that is asked for fails because of it.
                (false, true) => walk.expr(terms, it.next).value,
                (false, false) => state.memory[id],
            });
        }
        if self.is_whole {
            for equation in &program.equations {
                walk.expr(terms, equation.expr);
            }
        }
        let exprs = walk.finish();
        let vars = bindings.iter().map(|binding| match binding {
            Binding::Term(term) => Some(*term),
            Binding::Expr(expr) => exprs[expr.index()].map(|it| it.value),
        });
        let vars = vars.collect();
        let next = State { first: terms.bool(false), memory };
        Step { vars, exprs, next, assertions, properties, defined }
    }
}

/// The conditions of tolerances, with a term for each variable that they speak of. A condition that
/// has no value does not hold.
pub fn conditions(
    terms: &mut Terms,
    tolerances: &Tolerances,
    seen: &IdVec<VarId, Term>,
) -> Vec<Term> {
    let bindings: Vec<Binding> = seen.iter().map(|term| Binding::Term(*term)).collect();
    let mut walk = Walk::new(&tolerances.exprs, &bindings, None);
    let mut conditions = Vec::with_capacity(tolerances.conditions.len());
    for condition in &tolerances.conditions {
        let coded = walk.expr(terms, *condition);
        conditions.push(terms.and(coded.value, coded.defined));
    }
    conditions
}

/// The sort of terms of a type.
#[must_use]
pub fn sort(ty: Type) -> Sort {
    match ty {
        Type::Bool => Sort::Bool,
        Type::Int | Type::Enum(_) => Sort::Int,
        Type::Real => Sort::Real,
    }
}

/// A value as a term.
pub fn constant(terms: &mut Terms, value: Value) -> Term {
    match value {
        Value::Bool(it) => terms.bool(it),
        Value::Int(it) => terms.int(i128::from(it)),
        Value::Real(it) => terms.real(it),
        Value::Enum(it) => terms.int(i128::from(it)),
    }
}

/// What the solver says as a value of a type; none if it does not fit.
#[must_use]
pub fn value(said: solver::Value, ty: Type) -> Option<Value> {
    match (said, ty) {
        (solver::Value::Bool(it), Type::Bool) => Some(Value::Bool(it)),
        (solver::Value::Int(it), Type::Int) => i64::try_from(it).ok().map(Value::Int),
        (solver::Value::Int(it), Type::Enum(_)) => u32::try_from(it).ok().map(Value::Enum),
        (solver::Value::Real(it), Type::Real) => Some(Value::Real(it)),
        _ => None,
    }
}

/// Whether a term is in the range of a variable: that of its subrange or machine integer, or the
/// positions of its enumeration. Other whole numbers and reals can be anything.
pub fn in_range(terms: &mut Terms, program: &Program, var: &Var, term: Term) -> Term {
    let (low, high) = match (var.range, var.ty) {
        (Some((low, high)), _) => (i128::from(low), i128::from(high)),
        (None, Type::Enum(id)) => {
            let n_values = program.enums.get(id).map_or(1, |it| it.values.len());
            (0, n_values.max(1) as i128 - 1)
        }
        (None, _) => return terms.bool(true),
    };
    if terms.sort(term) != Sort::Int {
        return terms.bool(true);
    }
    let (low, high) = (terms.int(low), terms.int(high));
    let (above, below) = (terms.le(low, term), terms.le(term, high));
    terms.and(above, below)
}
