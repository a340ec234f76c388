//! What a test covers, from the interpreter.

use std::collections::HashMap;

use punctual_model::lustre::{Equation, Program, Role, Test, Type, Value, Var};
use punctual_model::{ExprId, VarId};
use punctual_semantics::lustre::Reference;

use super::obligations::Obligation;

/// The program, with a variable for each condition that obligations speak of.
pub(crate) struct Observed {
    program: Program,
    vars: HashMap<ExprId, VarId>,
}

impl Observed {
    pub(crate) fn new(program: &Program, obligations: &[Obligation]) -> Observed {
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
            if !self.is_allowed(&mut reference) {
                break;
            }
            let now = self.holding(&mut reference, obligations, &left);
            left.retain(|at| !now.contains(at));
            covered.extend(now);
        }
        covered
    }

    /// The program with the further variables.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// Whether the last step broke no assertion.
    pub(crate) fn is_allowed(&self, reference: &mut Reference<'_>) -> bool {
        (0..self.program.assertions.len()).all(|at| reference.assertion(at))
    }

    /// Which of these obligations the last step meets, by their positions.
    pub(crate) fn holding(
        &self,
        reference: &mut Reference<'_>,
        obligations: &[Obligation],
        among: &[usize],
    ) -> Vec<usize> {
        let mut holds = |expr: &ExprId, truth: bool| {
            let value = self.vars.get(expr).map(|var| reference.value(*var));
            value == Some(Ok(Value::Bool(truth)))
        };
        let mut is_met = |at: &usize| {
            let mut truths = obligations[*at].truths.iter();
            truths.all(|(expr, truth)| holds(expr, *truth))
        };
        among.iter().copied().filter(|at| is_met(at)).collect()
    }
}
