//! Equations in an order in which each uses only earlier ones.

use punctual_model::lustre::{Equation, Expr, Program};
use punctual_model::{ExprId, Id};

use crate::lustre::types::operands;

/// The equations, each after those that it uses, otherwise as they were; none if one depends on
/// itself.
pub(super) fn ordered(program: &Program) -> Option<Vec<Equation>> {
    let mut position = vec![None; program.vars.len()];
    for (at, equation) in program.equations.iter().enumerate() {
        position[equation.var.index()] = Some(at);
    }
    let uses = |at: usize| -> Vec<usize> {
        let mut used = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut stack: Vec<ExprId> = vec![program.equations[at].expr];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match program.exprs[id] {
                Expr::Var(var) => used.extend(position[var.index()]),
                expr => stack.extend(operands(expr)),
            }
        }
        used
    };
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; program.equations.len()];
    let mut order = Vec::with_capacity(program.equations.len());
    for start in 0..program.equations.len() {
        let mut stack = vec![(start, false)];
        while let Some((at, ready)) = stack.pop() {
            match (marks[at], ready) {
                (Mark::Done, _) => {}
                (Mark::Open, false) => return None,
                (_, true) => {
                    marks[at] = Mark::Done;
                    order.push(program.equations[at]);
                }
                (Mark::New, false) => {
                    marks[at] = Mark::Open;
                    stack.push((at, true));
                    for used in uses(at) {
                        match marks[used] {
                            Mark::Open => return None,
                            Mark::New => stack.push((used, false)),
                            Mark::Done => {}
                        }
                    }
                }
            }
        }
    }
    Some(order)
}
