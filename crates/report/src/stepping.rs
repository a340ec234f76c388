//! Tests of synchronous programs as text: what came of them, what they cover.

use std::fmt::Write as _;

use crate::view::{
    stepping::{Count, Difference, Failure, Findings, Property},
    suite::{Coverage, Mutant, Mutants, Obligation, Status},
};

/// More failures than this are counted, not shown.
const FAILURES_MAX: usize = 10;
/// More obligations than this are counted, not listed.
const OBLIGATIONS_MAX: usize = 20;

fn plural(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// What was found.
#[must_use]
pub fn findings(findings: &Findings) -> String {
    let mut out = String::new();
    let first = |count: &Count| {
        count.first.map_or(String::new(), |at| format!("test {}, step {}", at.test, at.step))
    };
    let speed = match findings.seconds > 0.0 {
        true => format!(" ({:.0} steps/s)", findings.steps as f64 / findings.seconds),
        false => String::new(),
    };
    let (tests, steps) = (plural(findings.tests, "test"), plural(findings.steps, "step"));
    let _ = writeln!(out, "{tests}, {steps}{speed}");
    for Property { name, violated } in &findings.properties {
        let _ = match violated.steps {
            0 => writeln!(out, "holds     {name}"),
            n => {
                let (n, first) = (plural(n, "step"), first(violated));
                writeln!(out, "VIOLATED  {name}: {n}, first in {first}")
            }
        };
    }
    let unassumed = &findings.unassumed;
    if unassumed.steps > 0 {
        let (n, first) = (plural(unassumed.steps, "step"), first(unassumed));
        let _ = match findings.is_random {
            true => writeln!(out, "cut       {n} that break an assertion end their tests"),
            false => writeln!(out, "ASSERTION broken in {n}, first in {first}"),
        };
    }
    for Difference { variable, differs, expected, got } in &findings.differences {
        let (n, first) = (plural(differs.steps, "step"), first(differs));
        let what = format!("{expected} expected, {got} computed");
        let _ = writeln!(out, "DIFFERS   {variable}: {n}, first in {first}: {what}");
    }
    for Failure { test, step, reason } in findings.failures.iter().take(FAILURES_MAX) {
        let _ = writeln!(out, "FAILED    test {test}, step {step}: {reason}");
    }
    if findings.failures.len() > FAILURES_MAX {
        let _ = writeln!(out, "… and {} more", findings.failures.len() - FAILURES_MAX);
    }
    out
}

/// `wrote 3 tests with 12 steps to tests.csv`
#[must_use]
pub fn written(tests: usize, steps: usize, place: Option<&str>) -> String {
    let place = place.map_or(String::new(), |place| format!(" to {place}"));
    format!("wrote {} with {}{place}\n", plural(tests, "test"), plural(steps, "step"))
}

/// How much is covered, and what is not.
#[must_use]
pub fn coverage(coverage: &Coverage) -> String {
    let n_all = coverage.obligations.len();
    let mut text =
        format!("{}: {} coverage, {n_all} obligations\n", coverage.model, coverage.criterion);
    // A reason that is the same for all is said once: there is no solver.
    let mut reasons: Vec<&str> = (coverage.obligations.iter())
        .filter(|it| it.status == Status::Undecided)
        .map(|it| it.reason.as_deref().unwrap_or("nobody asked"))
        .collect();
    reasons.dedup();
    let common = if let [reason] = reasons[..] { Some(reason) } else { None };
    for (name, status) in [
        ("covered", Status::Covered),
        ("infeasible", Status::Infeasible),
        ("beyond the bound", Status::Beyond),
        ("undecided", Status::Undecided),
    ] {
        let n = coverage.obligations.iter().filter(|it| it.status == status).count();
        if n > 0 {
            let percent = n as f64 * 100.0 / n_all as f64;
            let why = common.filter(|_| status == Status::Undecided);
            let why = why.map_or(String::new(), |why| format!("  ({why})"));
            let _ = writeln!(text, "  {name:<18}{n:>6}  {percent:>5.1}%{why}");
        }
    }
    let rest = coverage.obligations.iter().filter(|it| it.status != Status::Covered);
    let n_rest = rest.clone().count();
    if n_rest > 0 {
        text.push_str("not covered:\n");
    }
    for it in rest.take(OBLIGATIONS_MAX) {
        let Obligation { equation, condition, outcome, .. } = it;
        let told = match (it.status, common) {
            (Status::Undecided, Some(_)) => "undecided".to_owned(),
            _ => told(it),
        };
        let _ = writeln!(text, "  {equation}: {condition} is {outcome}: {told}");
    }
    if n_rest > OBLIGATIONS_MAX {
        let _ = writeln!(text, "  … and {} more", n_rest - OBLIGATIONS_MAX);
    }
    text
}

fn told(obligation: &Obligation) -> String {
    match obligation.status {
        Status::Covered => format!("covered by test {}", obligation.test.unwrap_or(0)),
        Status::Infeasible => match obligation.induction {
            None | Some(0) => "infeasible".to_owned(),
            Some(n) => format!("infeasible (by {n}-induction)"),
        },
        Status::Beyond => format!("not within {} steps", obligation.bound.unwrap_or(0)),
        Status::Undecided => {
            format!("undecided ({})", obligation.reason.as_deref().unwrap_or("nobody asked"))
        }
    }
}

/// Mutants as a table: `id;class;equation;old;new`.
#[must_use]
pub fn mutants(mutants: &Mutants) -> String {
    let mut rows = "id;class;equation;old;new\n".to_owned();
    for Mutant { id, class, equation, old, new } in &mutants.mutants {
        let _ = writeln!(rows, "{id};{class};{equation};{old};{new}");
    }
    rows
}
