//! Suites of timed automata as text.

use std::fmt::Write as _;

use crate::view::suite::{Covered, Goal, Status, TestCode, TimedSuite};

/// More goals than this are counted, not listed.
const LISTED_MAX: usize = 20;

/// So many of something: `1 case`, `2 cases`.
#[must_use]
pub fn plural(n: usize, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// A suite that was made.
#[must_use]
pub fn timed(suite: &TimedSuite) -> String {
    let mut out = String::new();
    let seconds = suite.duration_ns as f64 / 1e9;
    let _ = writeln!(
        out,
        "{}, {}, {}; {seconds:.1} s of bench time without resets",
        plural(suite.cases, "case"),
        plural(suite.steps, "step"),
        plural(suite.inputs, "input"),
    );
    if suite.uncertain > 0 {
        let _ = writeln!(
            out,
            "{} may end otherwise than expected (uncertain)",
            plural(suite.uncertain, "case")
        );
    }
    if suite.replaced > 0 || suite.similarity_before != 0.0 {
        let _ = writeln!(
            out,
            "mean similarity {:.2}, was {:.2}; {} replaced",
            suite.similarity_after,
            suite.similarity_before,
            plural(suite.replaced, "case"),
        );
    }
    goals(&mut out, "goal", &suite.goals);
    goals(&mut out, "purpose", &suite.purposes);
    let _ = writeln!(out, "{} covered", covered(&suite.covered));
    if let Some(code) = &suite.test_code {
        test_code(&mut out, code);
    }
    out
}

fn covered(covered: &Covered) -> String {
    let Covered { edges, locations } = covered;
    format!(
        "{} of {}, {} of {}",
        locations.covered,
        plural(locations.of, "location"),
        edges.covered,
        plural(edges.of, "edge")
    )
}

fn test_code(out: &mut String, code: &TestCode) {
    let n_files = plural(code.files.len(), "file");
    let _ = writeln!(out, "wrote {n_files} of test code to {}", code.folder);
    for file in code.files.iter().take(LISTED_MAX) {
        let steps = plural(file.steps, "step");
        let _ = writeln!(out, "  {}  {steps}, {}", file.file, covered(&file.covered));
    }
    if code.files.len() > LISTED_MAX {
        let _ = writeln!(out, "  … and {} more", code.files.len() - LISTED_MAX);
    }
}

fn goals(out: &mut String, word: &str, goals: &[Goal]) {
    if goals.is_empty() {
        return;
    }
    let with = |status: Status| goals.iter().filter(move |goal| goal.status == status);
    let n_covered = with(Status::Covered).count();
    let _ = writeln!(out, "{n_covered} of {} covered", plural(goals.len(), word));
    for (status, text) in [(Status::Infeasible, "unreachable"), (Status::Undecided, "undecided")] {
        for goal in with(status).take(LISTED_MAX) {
            let why = goal.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            let _ = writeln!(out, "{text}  {}{why}", goal.goal);
        }
        let n = with(status).count();
        if n > LISTED_MAX {
            let _ = writeln!(out, "… and {} more", n - LISTED_MAX);
        }
    }
}
