//! Running synchronous programs: tests in, findings out.
//!
//! - `draw.rs`: random inputs. `findings.rs`: what is worth telling, as text and JSON.

mod draw;
mod findings;

use punctual_model::{
    ExprId, VarId,
    lustre::{Expr, Program, Role, Table, Test, Value},
};
use punctual_semantics::lustre::{Failure, Machine, State, Stepper};

pub(crate) use draw::{Ranges, random};
pub(crate) use findings::Findings;

/// What runs tests of a program.
pub(crate) struct Runner<'m> {
    program: &'m Program,
    stepper: Stepper<'m>,
    machine: &'m Machine,
    /// What is recorded of each step.
    recorded: Vec<VarId>,
    /// Whether a test ends where an assertion does not hold, and that is no finding.
    is_random: bool,
    pub(crate) findings: Findings,
}

/// What became of a step.
enum Outcome {
    Done,
    /// The rest of the test says nothing.
    Ends,
}

impl<'m> Runner<'m> {
    pub(crate) fn new(machine: &'m Machine, recorded: Vec<VarId>, is_random: bool) -> Self {
        let program = machine.program();
        let findings = Findings::new(program);
        let stepper = Stepper::new(machine);
        Runner { program, stepper, machine, recorded, is_random, findings }
    }

    /// Runs all tests. Inputs are set from the columns; other columns are what is expected.
    pub(crate) fn run(&mut self, table: &Table) -> Table {
        let mut record = Table { columns: self.recorded.clone(), tests: Vec::new() };
        let is_input = |var: VarId| self.program.vars[var].role == Role::Input;
        let (mut inputs, mut expected) = (Vec::new(), Vec::new());
        for (column, var) in table.columns.iter().enumerate() {
            if is_input(*var) { &mut inputs } else { &mut expected }.push((column, *var));
        }
        let (mut before, mut after) = (self.machine.start(), self.machine.start());
        for test in &table.tests {
            self.findings.begin();
            before.clone_from(&self.machine.start());
            let mut recorded = Test::default();
            for step in &test.steps {
                for (column, var) in &inputs {
                    self.stepper.set(*var, step[*column]);
                }
                let outcome = self.step(&before, &mut after);
                if let Outcome::Ends = outcome {
                    break;
                }
                for (column, var) in &expected {
                    let (wanted, got) = (step[*column], self.stepper.value(*var));
                    if wanted != got {
                        self.findings.differs(self.program, *var, wanted, got);
                    }
                }
                if !self.recorded.is_empty() {
                    let value = |var: &VarId| self.stepper.value(*var);
                    recorded.steps.push(self.recorded.iter().map(value).collect::<Vec<Value>>());
                }
                self.findings.stepped();
                std::mem::swap(&mut before, &mut after);
            }
            record.tests.push(recorded);
        }
        record
    }

    fn step(&mut self, before: &State, after: &mut State) -> Outcome {
        if let Err(failure) = self.stepper.step(before, after) {
            let variable = holder(self.program, failure.expr);
            self.findings.failed(self.program, failure, variable);
            return Outcome::Ends;
        }
        if !self.stepper.is_assumed() {
            self.findings.unassumed();
            if self.is_random {
                return Outcome::Ends;
            }
        }
        for index in 0..self.program.properties.len() {
            if !self.stepper.property(index) {
                self.findings.violated(index);
            }
        }
        Outcome::Done
    }
}

/// The variable in whose equation an expression is.
fn holder(program: &Program, expr: ExprId) -> Option<VarId> {
    let mut seen = vec![false; program.exprs.len()];
    for equation in &program.equations {
        let mut todo = vec![equation.expr];
        while let Some(id) = todo.pop() {
            use punctual_model::Id as _;
            if id == expr {
                return Some(equation.var);
            }
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match program.exprs[id] {
                Expr::Constant(_) | Expr::Var(_) | Expr::Memory(_) | Expr::First => {}
                Expr::Unary(_, operand) => todo.push(operand),
                Expr::Binary(_, left, right) => todo.extend([left, right]),
                Expr::If(condition, yes, no) => todo.extend([condition, yes, no]),
            }
        }
    }
    None
}

/// Why a step has no result, for people.
fn reason(program: &Program, failure: Failure, variable: Option<VarId>) -> String {
    match variable {
        Some(var) => format!("{} in `{}`", failure.kind, program.vars[var].name),
        None => failure.kind.to_string(),
    }
}
