//! A step in which some values are open: of inputs, and of what was remembered.
//!
//! Who evaluates an output, or what will be remembered, is told its value, or the first open thing that it depends on. That is decided then, and
//! later taken back: [`Open`] keeps all that does not depend on it. So all values that are possible are enumerated without evaluating anything twice.
//!
//! What is open has few values. Expressions are evaluated with all of them, as if each operand were independent of the others: where that leaves one value
//! only, nothing needs to be decided.

use std::rc::Rc;

use punctual_model::lustre::{BinaryOp, Expr, Rational, Value};
use punctual_model::{ExprId, Id, VarId};

use super::machine::Machine;
use super::real::Reals;
use super::scalar::{Scalar, binary, unary};

/// Something whose value may be open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Look {
    /// An input, by its position among the inputs of the program.
    Input(usize),
    /// Something remembered, by its position in [`Open::start`].
    Memory(usize),
}

/// What is known of something that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asking {
    /// Its value.
    Value(Value),
    /// It depends on this, which is open.
    Looks(Look),
    /// It has no value.
    Stuck,
}

/// An expression with more values than this may have any.
const FEW: usize = 8;

/// The values that an expression may have.
#[derive(Clone, Debug)]
enum Few {
    One(Scalar<Rational>),
    Some(Vec<Scalar<Rational>>),
    /// It may have any value, or none.
    Any,
    /// It has no value.
    Stuck,
}

impl Few {
    /// Some values; not all of them are there if something has no value.
    fn of(mut values: Vec<Scalar<Rational>>, is_stuck: bool) -> Few {
        let mut found: Vec<Scalar<Rational>> = Vec::new();
        values.drain(..).for_each(|it| {
            if !found.contains(&it) {
                found.push(it)
            }
        });
        match (found.len(), is_stuck) {
            (0, _) => Few::Stuck,
            (1, false) => Few::One(found[0]),
            (n, false) if n <= FEW => Few::Some(found),
            _ => Few::Any,
        }
    }

    fn values(&self) -> Option<&[Scalar<Rational>]> {
        match self {
            Few::One(it) => Some(std::slice::from_ref(it)),
            Few::Some(all) => Some(all),
            Few::Any => None,
            Few::Stuck => Some(&[]),
        }
    }

    fn is(&self, truth: bool) -> bool {
        matches!(self, Few::One(Scalar::Bool(it)) if *it == truth)
    }

    /// Whether it is open which value it is.
    fn is_open(&self) -> bool {
        matches!(self, Few::Some(_) | Few::Any)
    }

    /// Whether it may have no value.
    fn may_be_stuck(&self) -> bool {
        matches!(self, Few::Any | Few::Stuck)
    }
}

/// How much was decided and evaluated at some moment.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    n_known: usize,
    n_decided: usize,
}

/// A step of a program with exact reals in which some values are open.
pub struct Open<'m> {
    machine: &'m Machine,
    is_first: bool,
    /// For each variable, its position among the inputs; for each memory, its position among what matters.
    inputs: Vec<Option<usize>>,
    memory: Vec<Option<usize>>,
    outputs: Vec<VarId>,
    /// Values that inputs and what was remembered may have.
    given: Vec<Rc<[Value]>>,
    remembered: Vec<Rc<[Value]>>,
    decided: Vec<(Look, Rc<[Value]>)>,
    /// What was evaluated, by expression: what has one value, in order, and what has several, which holds only until something is decided.
    known: Vec<Option<Few>>,
    order: Vec<ExprId>,
    open: Vec<ExprId>,
    stack: Vec<ExprId>,
}

impl<'m> Open<'m> {
    /// None if reals of the machine are not exact.
    #[must_use]
    pub fn new(machine: &'m Machine) -> Option<Open<'m>> {
        let program = &machine.program;
        let mut inputs = vec![None; program.vars.len()];
        program.inputs().enumerate().for_each(|(at, var)| inputs[var.index()] = Some(at));
        let mut memory = vec![None; program.memory.len()];
        machine.asked.memory.iter().enumerate().for_each(|(at, id)| memory[id.index()] = Some(at));
        (machine.reals == Reals::Exact).then(|| Open {
            machine,
            is_first: true,
            inputs,
            memory,
            outputs: program.outputs().collect(),
            given: program.inputs().map(|_| Rc::from([])).collect(),
            remembered: machine.asked.memory.iter().map(|_| Rc::from([])).collect(),
            decided: Vec::new(),
            known: vec![None; program.exprs.len()],
            order: Vec::new(),
            open: Vec::new(),
            stack: Vec::new(),
        })
    }

    /// What is remembered before the first step.
    #[must_use]
    pub fn start(&self) -> Vec<Value> {
        let program = &self.machine.program;
        let all = self.machine.asked.memory.iter().map(|id| &program.memory[*id]);
        all.map(|it| it.initial.unwrap_or(Value::zero(it.ty))).collect()
    }

    /// Begins a step with the values that inputs and what is remembered may have.
    pub fn begin(
        &mut self,
        is_first: bool,
        remembered: impl Iterator<Item = Rc<[Value]>>,
        given: impl Iterator<Item = Rc<[Value]>>,
    ) {
        self.undo(Mark { n_known: 0, n_decided: 0 });
        self.is_first = is_first;
        self.remembered.iter_mut().zip(remembered).for_each(|(it, value)| *it = value);
        self.given.iter_mut().zip(given).for_each(|(it, value)| *it = value);
    }

    /// What is decided and evaluated now.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark { n_known: self.order.len(), n_decided: self.decided.len() }
    }

    /// Decides something that is open.
    pub fn decide(&mut self, look: Look, value: Value) {
        self.forget_open();
        let place = self.place(look);
        let before = std::mem::replace(place, Rc::new([value]));
        self.decided.push((look, before));
    }

    /// Takes back all that was decided since, and forgets what was evaluated since.
    pub fn undo(&mut self, mark: Mark) {
        self.forget_open();
        for expr in self.order.drain(mark.n_known..) {
            self.known[expr.index()] = None;
        }
        while self.decided.len() > mark.n_decided {
            let Some((look, before)) = self.decided.pop() else { break };
            *self.place(look) = before;
        }
    }

    /// What may still have several values is evaluated anew when something was decided.
    fn forget_open(&mut self) {
        for expr in self.open.drain(..) {
            self.known[expr.index()] = None;
        }
    }

    fn place(&mut self, look: Look) -> &mut Rc<[Value]> {
        match look {
            Look::Input(at) => &mut self.given[at],
            Look::Memory(at) => &mut self.remembered[at],
        }
    }

    /// The values that something may have.
    #[must_use]
    pub fn values(&self, look: Look) -> Rc<[Value]> {
        match look {
            Look::Input(at) => Rc::clone(&self.given[at]),
            Look::Memory(at) => Rc::clone(&self.remembered[at]),
        }
    }

    /// The value of an output, by its position among the outputs of the program.
    pub fn output(&mut self, at: usize) -> Asking {
        let var = self.outputs[at];
        match (self.machine.asked.defined[var.index()], self.inputs[var.index()]) {
            (Some(expr), _) => self.ask(expr),
            (None, Some(input)) => match &*self.given[input] {
                [value] => Asking::Value(*value),
                _ => Asking::Looks(Look::Input(input)),
            },
            (None, None) => Asking::Stuck,
        }
    }

    /// What will be remembered, by its position in [`start`](Self::start).
    pub fn next(&mut self, at: usize) -> Asking {
        let machine = self.machine;
        self.ask(machine.program.memory[machine.asked.memory[at]].next)
    }

    fn ask(&mut self, expr: ExprId) -> Asking {
        self.stack.clear();
        let mut wanted = expr;
        loop {
            if self.known[wanted.index()].is_none() {
                match self.attempt(wanted) {
                    Attempt::Values(values) => {
                        let list = if values.is_open() { &mut self.open } else { &mut self.order };
                        list.push(wanted);
                        self.known[wanted.index()] = Some(values);
                    }
                    Attempt::Needs(operand) => {
                        self.stack.push(wanted);
                        wanted = operand;
                        continue;
                    }
                }
            }
            match self.stack.pop() {
                Some(next) => wanted = next,
                None => break,
            }
        }
        match &self.known[expr.index()] {
            Some(Few::One(value)) => Asking::Value(value.to_value()),
            Some(Few::Some(_) | Few::Any) => {
                self.first_open(expr).map_or(Asking::Stuck, Asking::Looks)
            }
            Some(Few::Stuck) | None => Asking::Stuck,
        }
    }

    /// The first open thing that an expression with several values depends on.
    fn first_open(&self, expr: ExprId) -> Option<Look> {
        let is_open = |expr: ExprId| self.known[expr.index()].as_ref().is_some_and(Few::is_open);
        let mut at = expr;
        loop {
            at = match self.machine.program.exprs[at] {
                Expr::Constant(_) | Expr::First => return None,
                Expr::Var(var) => match self.machine.asked.defined[var.index()] {
                    Some(expr) => expr,
                    None => return self.inputs[var.index()].map(Look::Input),
                },
                Expr::Memory(memory) => return self.memory[memory.index()].map(Look::Memory),
                Expr::Unary(_, operand) => operand,
                Expr::Binary(_, left, right) => {
                    if is_open(left) {
                        left
                    } else {
                        right
                    }
                }
                Expr::If(condition, yes, no) => match &self.known[condition.index()] {
                    Some(it) if it.is_open() => condition,
                    Some(it) if it.is(true) => yes,
                    _ => no,
                },
            };
        }
    }

    /// Evaluates an expression from operands that are known.
    fn attempt(&self, id: ExprId) -> Attempt {
        let known = |operand: ExprId| self.known[operand.index()].as_ref();
        let given = |values: &[Value]| {
            Attempt::Values(Few::of(
                values.iter().map(|it| Scalar::from_value(*it)).collect(),
                false,
            ))
        };
        Attempt::Values(match self.machine.program.exprs[id] {
            Expr::Constant(value) => Few::One(Scalar::from_value(value)),
            Expr::Var(var) => match self.machine.asked.defined[var.index()] {
                Some(expr) => match known(expr) {
                    None => return Attempt::Needs(expr),
                    Some(values) => values.clone(),
                },
                None => match self.inputs[var.index()] {
                    Some(at) => return given(&self.given[at]),
                    None => Few::Stuck,
                },
            },
            Expr::Memory(memory) => match self.memory[memory.index()] {
                Some(at) => return given(&self.remembered[at]),
                None => Few::Stuck,
            },
            Expr::First => Few::One(Scalar::Bool(self.is_first)),
            Expr::Unary(op, operand) => match known(operand) {
                None => return Attempt::Needs(operand),
                Some(values) => match values.values() {
                    None => Few::Any,
                    Some(values) => each(values.iter().map(|it| unary(op, *it))),
                },
            },
            Expr::Binary(op, left, right) => {
                let Some(a) = known(left) else { return Attempt::Needs(left) };
                match op {
                    _ if matches!(a, Few::Stuck) => Few::Stuck,
                    BinaryOp::And if a.is(false) => Few::One(Scalar::Bool(false)),
                    BinaryOp::Or if a.is(true) => Few::One(Scalar::Bool(true)),
                    BinaryOp::Implies if a.is(false) => Few::One(Scalar::Bool(true)),
                    _ => match known(right) {
                        None => return Attempt::Needs(right),
                        Some(b) => both(op, a, b),
                    },
                }
            }
            Expr::If(condition, yes, no) => match known(condition) {
                None => return Attempt::Needs(condition),
                Some(Few::Stuck) => Few::Stuck,
                Some(is) if !is.is_open() => {
                    let branch = if is.is(true) { yes } else { no };
                    match known(branch) {
                        None => return Attempt::Needs(branch),
                        Some(values) => values.clone(),
                    }
                }
                Some(is) => {
                    let (Some(a), Some(b)) = (known(yes), known(no)) else {
                        let needed = if known(yes).is_none() { yes } else { no };
                        return Attempt::Needs(needed);
                    };
                    let may_be_stuck = a.may_be_stuck() || b.may_be_stuck() || is.may_be_stuck();
                    match (a.values(), b.values(), may_be_stuck) {
                        (Some(a), Some(b), false) => Few::of([a, b].concat(), false),
                        _ => Few::Any,
                    }
                }
            },
        })
    }
}

/// The values of an operator, by those of its two operands.
fn both(op: BinaryOp, a: &Few, b: &Few) -> Few {
    // Truth that one operand decides, whatever the other one is.
    let decided = match op {
        BinaryOp::And if b.is(false) => Some(false),
        BinaryOp::Or | BinaryOp::Implies if b.is(true) => Some(true),
        _ => None,
    };
    if let (Some(truth), false) = (decided, a.may_be_stuck()) {
        return Few::One(Scalar::Bool(truth));
    }
    // The right operand is not needed for some values of the left one.
    let may_skip = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies) && a.is_open();
    match (a.values(), b.values()) {
        (Some(a), Some(b)) if !(may_skip && b.is_empty()) => {
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b)));
            each(pairs.map(|(a, b)| binary(op, a, b)))
        }
        _ => Few::Any,
    }
}

/// The values that some evaluations have.
fn each<E>(all: impl Iterator<Item = Result<Scalar<Rational>, E>>) -> Few {
    let mut is_stuck = false;
    let mut found = Vec::new();
    for it in all {
        match it {
            Ok(value) => found.push(value),
            Err(_) => is_stuck = true,
        }
    }
    Few::of(found, is_stuck)
}

/// What became of evaluating an expression.
enum Attempt {
    Values(Few),
    /// It has an operand that is not known yet.
    Needs(ExprId),
}
