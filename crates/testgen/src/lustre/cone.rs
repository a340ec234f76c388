//! What matters.

use punctual_model::lustre::{Expr, Program};
use punctual_model::{ExprId, Id};

use super::types::operands;

/// What outputs depend on, now or later.
pub(crate) struct Cone {
    pub(crate) vars: Vec<bool>,
    pub(crate) memory: Vec<bool>,
}

impl Cone {
    /// Of outputs, and of further expressions.
    pub(crate) fn of(program: &Program, further: impl IntoIterator<Item = ExprId>) -> Cone {
        let mut equations = vec![None; program.vars.len()];
        for equation in &program.equations {
            equations[equation.var.index()] = Some(equation.expr);
        }
        let mut cone = Cone {
            vars: vec![false; program.vars.len()],
            memory: vec![false; program.memory.len()],
        };
        let mut seen = vec![false; program.exprs.len()];
        let mut stack: Vec<ExprId> = further.into_iter().collect();
        for var in program.outputs() {
            cone.vars[var.index()] = true;
            stack.extend(equations[var.index()]);
        }
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match program.exprs[id] {
                Expr::Var(var) => {
                    cone.vars[var.index()] = true;
                    stack.extend(equations[var.index()]);
                }
                Expr::Memory(memory) => {
                    cone.memory[memory.index()] = true;
                    stack.push(program.memory[memory].next);
                }
                expr => stack.extend(operands(expr)),
            }
        }
        cone
    }
}
