//! Suites of timed automata as text.

use std::fmt::Write as _;

use crate::view::suite::{Goal, Status, TimedSuite};

/// More goals than this are counted, not listed.
const LISTED_MAX: usize = 20;

fn plural(n: usize, word: &str) -> String {
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
    out
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
