//! What a test covers, from the interpreter.

use std::collections::HashMap;

use punctual_model::lustre::{Equation, Program, Role, Test, Type, Value, Var};
use punctual_model::{ExprId, VarId};
use punctual_semantics::lustre::Reference;

use super::obligations::Obligation;

/// The program, with a variable for each condition that obligations speak of.
pub(super) struct Observed {
    program: Program,
    vars: HashMap<ExprId, VarId>,
}

impl Observed {
    pub(super) fn new(program: &Program, obligations: &[Obligation]) -> Observed {
        let mut observed = Observed { program: program.clone(), vars: HashMap::new() };
        for (expr, _) in obligations.iter().flat_map(|it| &it.truths) {
            let program = &mut observed.program;
            observed.vars.entry(*expr).or_insert_with(|| {
                let name = String::new();
                let var = Var { name, ty: Type::Bool, range: None, role: Role::Local };
                let var = program.vars.push(var);
                program.equations.push(Equation { var, expr: *expr });
                var
            });
        }
        observed
    }

    /// Which of these obligations a test covers, by their positions. A step that breaks an assertion,
    /// or has no result, ends it.
    pub(super) fn covered(
        &self,
        test: &Test,
        obligations: &[Obligation],
        among: &[usize],
    ) -> Vec<usize> {
        let mut reference = Reference::new(&self.program);
        let mut left = among.to_vec();
        let mut covered = Vec::new();
        for step in &test.steps {
            if reference.step(step).is_err() {
                break;
            }
            if (0..self.program.assertions.len()).any(|at| !reference.assertion(at)) {
                break;
            }
            left.retain(|at| {
                let mut truths = obligations[*at].truths.iter();
                let holds = truths.all(|(expr, truth)| {
                    self.vars.get(expr).map(|var| reference.value(*var))
                        == Some(Ok(Value::Bool(*truth)))
                });
                if holds {
                    covered.push(*at);
                }
                !holds
            });
        }
        covered
    }
}
