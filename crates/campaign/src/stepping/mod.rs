//! Tests of a synchronous program, run on the program itself: what it computes, and what is worth
//! telling about it.
//!
//! A [`Folder`] records them as runs.
//!
//! Not here: where tests come from, other systems, and how findings are shown.

mod record;

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_model::lustre::{Expr, Program, Role, Table, Test, Value};
use punctual_model::{Cause, ExprId, Id, VarId};
use punctual_oracle::synchronous::Comparison;
use punctual_semantics::lustre::Machine;

pub use record::Folder;
pub(crate) use record::{CHOICE, judges};

/// A step of a test, both counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the test.
    pub test: usize,
    /// The number of the step in its test.
    pub step: usize,
}

/// In how many steps something happened, and in which first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How many steps.
    pub steps: usize,
    /// The first of them.
    pub first: Option<Place>,
}

impl Count {
    fn add(&mut self, at: Place) {
        self.steps += 1;
        self.first.get_or_insert(at);
    }
}

/// A variable that is not as a table says.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The variable.
    pub var: VarId,
    /// In which steps it differs.
    pub differs: Count,
    /// What the table says in the first of them.
    pub expected: Value,
    /// What was computed instead.
    pub got: Value,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Tests that were begun.
    pub tests: usize,
    /// Steps that have a result.
    pub steps: usize,
    /// For each property of the program, the steps in which it does not hold. Steps after a broken
    /// assertion do not count.
    pub violated: Vec<Count>,
    /// Steps in which an assertion does not hold.
    pub unassumed: Count,
    /// Variables that are not as the table says.
    pub differences: Vec<Difference>,
    /// Steps without a result, and why; they end their tests.
    pub failures: Vec<(Place, String)>,
    /// Whether the user wanted no more before all tests were over.
    pub is_stopped: bool,
}

impl Findings {
    /// Why it is no pass; nothing if it is one. Where inputs are random, those that break an assertion are
    /// nobody's fault.
    #[must_use]
    pub fn cause(&self, is_random: bool) -> Option<Cause> {
        let is_violated = self.violated.iter().any(|it| it.steps > 0);
        let causes = [
            (!self.failures.is_empty(), Cause::Reported),
            (!self.differences.is_empty(), Cause::WrongValue),
            (is_violated, Cause::Violated),
            (!is_random && self.unassumed.steps > 0, Cause::OutsideEnvironment),
            (self.is_stopped, Cause::Stopped),
        ];
        causes.into_iter().find(|(is_so, _)| *is_so).map(|(_, cause)| cause)
    }
}

/// Runs all tests of a table: gives what some variables were, and what was found.
///
/// Inputs are set from the columns; other columns are what is expected. With `is_random`, a test ends
/// where an assertion does not hold. With `stop`, no step is taken any more.
#[must_use]
pub fn run(
    machine: &Machine,
    table: &Table,
    recorded: &[VarId],
    is_random: bool,
    stop: &AtomicBool,
) -> (Table, Findings) {
    let program = machine.program();
    let mut comparison = Comparison::new(machine);
    let mut findings = Findings::default();
    findings.violated.resize(program.properties.len(), Count::default());
    let mut record = Table { columns: recorded.to_vec(), tests: Vec::new() };
    let columns = table.columns.iter().copied().enumerate();
    let (inputs, expected): (Vec<_>, Vec<_>) =
        columns.partition(|(_, var)| program.vars[*var].role == Role::Input);
    'tests: for (number, test) in table.tests.iter().enumerate() {
        findings.tests += 1;
        comparison.restart();
        let mut values = Test::default();
        let mut is_assumed = true;
        for (step, row) in test.steps.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                findings.is_stopped = true;
                record.tests.push(values);
                break 'tests;
            }
            let at = Place { test: number, step };
            let given = inputs.iter().map(|(column, var)| (*var, row[*column]));
            let told = expected.iter().map(|(column, var)| (*var, row[*column]));
            let compared = match comparison.step(given, told) {
                Ok(compared) => compared,
                Err(failure) => {
                    let holder = holder(program, failure.expr);
                    let place = holder
                        .map_or(String::new(), |var| format!(" in `{}`", program.vars[var].name));
                    findings.failures.push((at, format!("{}{place}", failure.kind)));
                    break;
                }
            };
            if compared.is_unassumed {
                is_assumed = false;
                findings.unassumed.add(at);
                if is_random {
                    break;
                }
            }
            // Of what follows inputs that it is not made for, a program claims nothing.
            for index in compared.violated.iter().filter(|_| is_assumed) {
                findings.violated[*index].add(at);
            }
            for it in &compared.differences {
                // What the table says was seen; what the program computes is what was got.
                findings.differs(at, it.var, it.seen, it.expected);
            }
            if !recorded.is_empty() {
                values.steps.push(recorded.iter().map(|var| comparison.value(*var)).collect());
            }
            findings.steps += 1;
        }
        record.tests.push(values);
    }
    (record, findings)
}

impl Findings {
    fn differs(&mut self, at: Place, var: VarId, expected: Value, got: Value) {
        match self.differences.iter_mut().find(|it| it.var == var) {
            Some(known) => known.differs.add(at),
            None => {
                let differs = Count { steps: 1, first: Some(at) };
                self.differences.push(Difference { var, differs, expected, got });
            }
        }
    }
}

/// The variable in whose equation an expression is.
fn holder(program: &Program, expr: ExprId) -> Option<VarId> {
    let mut seen = vec![false; program.exprs.len()];
    for equation in &program.equations {
        let mut todo = vec![equation.expr];
        while let Some(id) = todo.pop() {
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
