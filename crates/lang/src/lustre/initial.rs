//! Values that are looked at before there are any.
//!
//! `pre x` has no value in the first step. That is fine as long as no output, assertion or property
//! depends on it: it may be behind `->`, in a branch that the first step does not take, or in a
//! variable that nobody asks for. Steps are followed with what is known of every value (nothing,
//! exactly which one, or that there is one) until nothing new is found.

use punctual_model::{
    Id, IdVec, MemoryId,
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
    Defined,
    Exactly(Value),
}

impl Known {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Known::Undefined(_), _) => self,
            (_, Known::Undefined(_)) => other,
            _ if self == other => self,
            _ => Known::Defined,
        }
    }

    fn truth(self) -> Option<bool> {
        match self {
            Known::Exactly(Value::Bool(it)) => Some(it),
            _ => None,
        }
    }
}

/// Reports values that are used before there are any.
pub(super) fn check(ordered: &Ordered, diagnostics: &mut Diagnostics) {
    let program = &ordered.program;
    let mut memory: IdVec<MemoryId, Known> = program
        .memory
        .enumerate()
        .map(|(id, it)| it.initial.map_or(Known::Undefined(id), Known::Exactly))
        .collect();
    for step in 0..STEPS_MAX {
        let values = evaluate(program, &memory, step == 0);
        let before = diagnostics.error_count();
        report(ordered, &values, step, diagnostics);
        if diagnostics.error_count() > before {
            return;
        }
        let mut next = IdVec::new();
        for (id, it) in program.memory.enumerate() {
            let value = values.exprs[it.next.index()];
            // From the second step on, what may be in some step may be in all of them.
            next.push(if step == 0 { value } else { memory[id].or(value) });
        }
        if step > 0 && next.iter().eq(memory.iter()) {
            return;
        }
        memory = next;
    }
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
        let at = |id: &punctual_model::ExprId| exprs[id.index()];
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
                (_, it @ Known::Undefined(_)) => it,
                _ => Known::Defined,
            },
            Expr::Binary(op, a, b) => binary(*op, at(a), at(b)),
            Expr::If(condition, yes, no) => match at(condition) {
                it @ Known::Undefined(_) => it,
                it => match it.truth() {
                    Some(true) => at(yes),
                    Some(false) => at(no),
                    None => at(yes).or(at(no)),
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
        (_, it @ Known::Undefined(_), _) | (_, _, it @ Known::Undefined(_)) => it,
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

fn report(ordered: &Ordered, values: &Values, step: usize, diagnostics: &mut Diagnostics) {
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
        let Known::Undefined(memory) = value else { continue };
        let (span, origin) = ordered.memory_origins[memory];
        if reported.contains(&span) {
            continue;
        }
        reported.push(span);
        let when = match step {
            0 => "in the first step".to_owned(),
            _ => format!("in step {}", step + 1),
        };
        let (what, help) = match origin {
            Origin::Pre => {
                ("has no value yet", "say what it is in the first step: `… -> pre …`, or `… fby …`")
            }
            Origin::Held => (
                "may have no value yet",
                "say what it is before it first happens: defaults of `condact`, `initial default` \
                 of `activate`, or `if` its clock was never there",
            ),
        };
        let message = format!("{who} depends {when} on something that {what}");
        let mut error =
            Diagnostic::error("lustre::uninitialised", span, message).label(what).help(help);
        if let Some(place) = place.filter(|place| *place != span) {
            error = error.also(place, "needed here");
        }
        diagnostics.push(error);
    }
}
