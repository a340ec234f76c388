//! Cases that were repeated, as text.

use std::fmt::Write as _;

use crate::view::repeated::{Repeated, Sequence};

/// A line for each case, why those that did not pass did not, and the verdict.
#[must_use]
pub fn text(suite: &Repeated) -> String {
    let mut out = String::new();
    let width = suite.cases.iter().map(|it| it.name.chars().count()).max().unwrap_or(0).max(4);
    let _ = writeln!(
        out,
        "{:<13} {:<width$}  {:>9}  {:<26}  with ending / model",
        "verdict", "case", "times", "seen / model"
    );
    for case in &suite.cases {
        let cells: Vec<String> = case.sequences.iter().map(sequence).collect();
        let cell = |at: usize| cells.get(at).map_or("", String::as_str);
        let line = format!(
            "{:<13} {:<width$}  {:>9}  {:<26}  {:<26}",
            case.verdict.to_uppercase(),
            case.name,
            case.executions,
            cell(0),
            cell(1)
        );
        let _ = writeln!(out, "{}", line.trim_end());
        if case.verdict != "pass" {
            for reason in &case.reasons {
                let _ = writeln!(out, "{:<13} {reason}", "");
            }
        }
        if let Some(dependence) = &case.dependence {
            let _ = writeln!(out, "{:<13} warning: {dependence}", "");
        }
    }
    let n = |verdict: &str| suite.cases.iter().filter(|it| it.verdict == verdict).count();
    let _ = writeln!(
        out,
        "{}  {} passed, {} failed, {} inconclusive; {} executions",
        suite.verdict.to_uppercase(),
        n("pass"),
        n("fail"),
        n("inconclusive"),
        suite.executions
    );
    if !suite.guarantee.is_empty() {
        let _ = writeln!(out, "{}", suite.guarantee);
    }
    if suite.stopped {
        out.push_str("stopped before all was done\n");
    }
    out
}

/// `31 of 64 = 0.484 / 0.500`.
fn sequence(it: &Sequence) -> String {
    let [least, greatest] = it.expected;
    let model = match least == greatest {
        true => format!("{least:.3}"),
        false => format!("{least:.3}..{greatest:.3}"),
    };
    match it.executions {
        0 => format!("- / {model}"),
        n => format!("{} of {n} = {:.3} / {model}", it.seen, it.seen as f64 / n as f64),
    }
}
