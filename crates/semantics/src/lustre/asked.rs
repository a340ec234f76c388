//! What a step has to compute.

use punctual_model::lustre::{Expr, Program, Role};
use punctual_model::{ExprId, Id, MemoryId, VarId};

/// What is asked for in every step, in the order in which failures are looked for.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// Outputs, then what else is watched.
    pub(super) vars: Vec<VarId>,
    /// Assertions, then properties.
    pub(super) exprs: Vec<ExprId>,
    /// The memory that the others need in some step, directly or through other memory.
    pub(super) memory: Vec<MemoryId>,
    /// The equation of each variable that has one.
    pub(super) defined: Vec<Option<ExprId>>,
    /// Variables that are needed and that nobody defines.
    pub(super) free: Vec<VarId>,
}

impl Asked {
    pub(super) fn new(program: &Program, watched: &[VarId]) -> Asked {
        let mut defined = vec![None; program.vars.len()];
        for equation in &program.equations {
            defined[equation.var.index()] = Some(equation.expr);
        }
        let mut vars: Vec<VarId> = program.outputs().collect();
        for var in watched {
            if !vars.contains(var) {
                vars.push(*var);
            }
        }
        let properties = program.properties.iter().map(|(_, expr)| *expr);
        let exprs: Vec<ExprId> = program.assertions.iter().copied().chain(properties).collect();
        let mut todo: Vec<ExprId> = vars.iter().filter_map(|var| defined[var.index()]).collect();
        todo.extend(&exprs);
        let (memory, free) = needed(program, &defined, todo);
        Asked { vars, exprs, memory, defined, free }
    }
}

/// The memory and the undefined variables that expressions need, now or later.
fn needed(
    program: &Program,
    defined: &[Option<ExprId>],
    mut todo: Vec<ExprId>,
) -> (Vec<MemoryId>, Vec<VarId>) {
    let mut free = Vec::new();
    let mut seen = vec![false; program.exprs.len()];
    let mut needed = vec![false; program.memory.len()];
    while let Some(id) = todo.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match program.exprs[id] {
            Expr::Constant(_) | Expr::First => {}
            Expr::Var(var) if program.vars[var].role == Role::Free && !free.contains(&var) => {
                free.push(var);
            }
            Expr::Var(var) => todo.extend(defined[var.index()]),
            Expr::Memory(memory) => {
                needed[memory.index()] = true;
                todo.push(program.memory[memory].next);
            }
            Expr::Unary(_, operand) => todo.push(operand),
            Expr::Binary(_, left, right) => todo.extend([left, right]),
            Expr::If(condition, yes, no) => todo.extend([condition, yes, no]),
        }
    }
    (program.memory.ids().filter(|it| needed[it.index()]).collect(), free)
}
