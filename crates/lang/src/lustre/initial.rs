//! Values that are looked at before there are any.
//!
//! `pre x` has no value in the first step. That is fine as long as no output, assertion or property
//! depends on it: it may be behind `->`, in a branch that the first step does not take, or in a
//! variable that nobody asks for. Steps are followed with what is known of every value (nothing,
//! exactly which one, or that there is one) until nothing new is found.
//!
//! On a clock that is not always there, `pre` has no value until the clock has been there, which a
//! memory says; behind `->` on the same clock it has one.
//!
//! Outputs of calls that were never activated, and `current` of what never was, are taken to be
//! false or zero: whether that can happen is told by a warning.

use punctual_model::{
    ExprId, Id, IdVec, MemoryId,
    lustre::{BinaryOp, Expr, Program, Role, UnaryOp, Value},
};

use super::{flatten::Origin, order::Ordered};
use crate::diagnostic::{Diagnostic, Diagnostics};

/// How many steps are followed: what is undefined for longer than that is not found.
const STEPS_MAX: usize = 64;

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Known {
    /// It may be undefined, because this memory is.
    Undefined(MemoryId),
    /// The same, but only as long as the other memory is true.
    While(MemoryId, MemoryId),
    Defined,
    Exactly(Value),
}

impl Known {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Known::Undefined(_), _) => self,
            (_, Known::Undefined(_)) => other,
            (Known::While(_, a), Known::While(_, b)) if a == b => self,
            (Known::While(memory, _), Known::While(..)) => Known::Undefined(memory),
            (Known::While(..), _) => self,
            (_, Known::While(..)) => other,
            _ if self == other => self,
            _ => Known::Defined,
        }
    }

    fn is_undefined(self) -> bool {
        matches!(self, Known::Undefined(_) | Known::While(..))
    }

    fn truth(self) -> Option<bool> {
        match self {
            Known::Exactly(Value::Bool(it)) => Some(it),
            _ => None,
        }
    }

    /// Where a clock has been there before.
    fn after(self, started: MemoryId) -> Self {
        match self {
            Known::While(_, unstarted) if unstarted == started => Known::Defined,
            other => other,
        }
    }
}

/// Reports values that are used before there are any.
pub(super) fn check(ordered: &Ordered, diagnostics: &mut Diagnostics) {
    let has_held = ordered.memory_origins.iter().any(|(_, origin)| *origin == Origin::Held);
    if !follow(ordered, false, diagnostics) && has_held {
        follow(ordered, true, diagnostics);
    }
}

/// Follows the steps: for `pre`, or for what is held. Whether something was reported.
fn follow(ordered: &Ordered, held: bool, diagnostics: &mut Diagnostics) -> bool {
    let program = &ordered.program;
    let mut memory: IdVec<MemoryId, Known> = program
        .memory
        .enumerate()
        .map(|(id, it)| match (it.initial, ordered.memory_origins[id].1) {
            (Some(value), _) => Known::Exactly(value),
            (None, Origin::Held) if held => Known::Undefined(id),
            (None, Origin::Pre) if !held => Known::Undefined(id),
            (None, Origin::PreOn(unstarted)) if !held => Known::While(id, unstarted),
            (None, _) => Known::Defined,
        })
        .collect();
    for step in 0..STEPS_MAX {
        let values = evaluate(program, &memory, step == 0);
        if report(ordered, &values, step, diagnostics) {
            return true;
        }
        let mut next = IdVec::new();
        for (id, it) in program.memory.enumerate() {
            let value = match (ordered.memory_origins[id].1, &program.exprs[it.next]) {
                // What the clock's own step gives must have been defined.
                (Origin::PreOn(unstarted), Expr::If(_, given, _)) if !held => {
                    match values.exprs[given.index()] {
                        Known::While(cause, _) | Known::Undefined(cause) => Known::Undefined(cause),
                        _ => Known::While(id, unstarted),
                    }
                }
                _ => values.exprs[it.next.index()],
            };
            // From the second step on, what may be in some step may be in all of them.
            next.push(if step == 0 { value } else { memory[id].or(value) });
        }
        if step > 0 && next.iter().eq(memory.iter()) {
            return false;
        }
        memory = next;
    }
    false
}

struct Values {
    exprs: Vec<Known>,
    vars: Vec<Known>,
}

/// A step.
fn evaluate(program: &Program, memory: &IdVec<MemoryId, Known>, is_first: bool) -> Values {
    let mut equations = program.equations.iter().peekable();
    let mut vars = vec![Known::Defined; program.vars.len()];
    let mut exprs: Vec<Known> = Vec::with_capacity(program.exprs.len());
    for expr in program.exprs.iter() {
        let at = |id: &ExprId| exprs[id.index()];
        let value = match expr {
            Expr::Constant(value) => Known::Exactly(*value),
            Expr::First => Known::Exactly(Value::Bool(is_first)),
            Expr::Memory(id) => memory[*id],
            Expr::Var(var) => {
                // Expressions that name a variable come behind its equation's.
                while let Some(equation) =
                    equations.next_if(|equation| equation.expr.index() < exprs.len())
                {
                    vars[equation.var.index()] = exprs[equation.expr.index()];
                }
                vars[var.index()]
            }
            Expr::Unary(op, a) => match (op, at(a)) {
                (UnaryOp::Not, Known::Exactly(Value::Bool(it))) => Known::Exactly(Value::Bool(!it)),
                (_, it) if it.is_undefined() => it,
                _ => Known::Defined,
            },
            Expr::Binary(op, a, b) => binary(*op, at(a), at(b)),
            Expr::If(condition, yes, no) => match at(condition) {
                it if it.is_undefined() => it,
                it => match (it.truth(), unstarted(program, *condition)) {
                    (Some(true), _) => at(yes),
                    (Some(false), Some(unstarted)) => at(no).after(unstarted),
                    (Some(false), None) => at(no),
                    (None, Some(unstarted)) => at(yes).or(at(no).after(unstarted)),
                    (None, None) => at(yes).or(at(no)),
                },
            },
        };
        exprs.push(value);
    }
    for equation in equations {
        vars[equation.var.index()] = exprs[equation.expr.index()];
    }
    Values { exprs, vars }
}

/// The memory that must be false for a condition to be.
fn unstarted(program: &Program, condition: ExprId) -> Option<MemoryId> {
    match program.exprs[condition] {
        Expr::Memory(memory) => Some(memory),
        Expr::Binary(BinaryOp::Or, _, held) => match program.exprs[held] {
            Expr::Memory(memory) => Some(memory),
            _ => None,
        },
        _ => None,
    }
}

fn binary(op: BinaryOp, left: Known, right: Known) -> Known {
    let decided = |by: bool, as_: bool| {
        let decides = left.truth() == Some(by) || right.truth() == Some(by);
        decides.then_some(Known::Exactly(Value::Bool(as_)))
    };
    let early = match op {
        BinaryOp::And => decided(false, false),
        BinaryOp::Or => decided(true, true),
        BinaryOp::Implies if left.truth() == Some(false) || right.truth() == Some(true) => {
            Some(Known::Exactly(Value::Bool(true)))
        }
        _ => None,
    };
    if let Some(value) = early {
        return value;
    }
    let truth = |it| Known::Exactly(Value::Bool(it));
    match (op, left, right) {
        (_, left, right) if left.is_undefined() || right.is_undefined() => left.or(right),
        (BinaryOp::Eq, Known::Exactly(a), Known::Exactly(b)) => truth(a == b),
        (BinaryOp::Ne, Known::Exactly(a), Known::Exactly(b)) => truth(a != b),
        (BinaryOp::And | BinaryOp::Or, Known::Exactly(a), Known::Exactly(b)) => {
            // Not decided early: both are what the operator does not stop at.
            debug_assert_eq!(a, b);
            left
        }
        (BinaryOp::Lt, Known::Exactly(a), Known::Exactly(b)) => {
            truth(a.as_rational() < b.as_rational())
        }
        (BinaryOp::Le, Known::Exactly(a), Known::Exactly(b)) => {
            truth(a.as_rational() <= b.as_rational())
        }
        (BinaryOp::Gt, Known::Exactly(a), Known::Exactly(b)) => {
            truth(a.as_rational() > b.as_rational())
        }
        (BinaryOp::Ge, Known::Exactly(a), Known::Exactly(b)) => {
            truth(a.as_rational() >= b.as_rational())
        }
        _ => Known::Defined,
    }
}

/// Reports what is undefined and needed. Whether there was anything.
fn report(ordered: &Ordered, values: &Values, step: usize, diagnostics: &mut Diagnostics) -> bool {
    let program = &ordered.program;
    let outputs = program.vars.enumerate().filter(|(_, var)| var.role == Role::Output);
    let outputs = outputs
        .map(|(id, var)| (values.vars[id.index()], format!("the output `{}`", var.name), None));
    let assertions = program.assertions.iter().zip(&ordered.assertion_spans);
    let assertions = assertions
        .map(|(expr, span)| (values.exprs[expr.index()], "an assertion".to_owned(), Some(*span)));
    let properties = program.properties.iter().zip(&ordered.property_spans);
    let properties = properties.map(|((name, expr), span)| {
        (values.exprs[expr.index()], format!("the property `{name}`"), Some(*span))
    });
    let mut reported = Vec::new();
    for (value, who, place) in outputs.chain(assertions).chain(properties) {
        let (Known::Undefined(memory) | Known::While(memory, _)) = value else { continue };
        let (span, origin) = ordered.memory_origins[memory];
        if reported.contains(&span) {
            continue;
        }
        reported.push(span);
        let when = match step {
            0 => "in the first step".to_owned(),
            _ => format!("in step {}", step + 1),
        };
        let mut error = match origin {
            Origin::Pre | Origin::PreOn(_) => {
                let message = format!("{who} depends {when} on something that has no value yet");
                Diagnostic::error("lustre::uninitialised", span, message)
                    .label("has no value yet")
                    .help("say what it is in the first step: `… -> pre …`, or `… fby …`")
            }
            Origin::Held => {
                let message =
                    format!("{who} depends {when} on something that may not have happened");
                Diagnostic::warning("lustre::uninitialised", span, message)
                    .label("false or zero until it first happens")
                    .help("give defaults: `condact(…, d)`, or `initial default d` of `activate`")
            }
        };
        if let Some(place) = place.filter(|place| *place != span) {
            error = error.also(place, "needed here");
        }
        diagnostics.push(error);
    }
    !reported.is_empty()
}
