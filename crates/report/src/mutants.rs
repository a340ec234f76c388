//! Mutants of a network of timed automata as text, and as a table for scripts.

use std::fmt::Write as _;

use crate::view::mutants::{Mutant, Mutants};

/// That the user stopped the decisions, and how many there were; nothing if nobody did.
#[must_use]
pub fn stopped(mutants: &Mutants) -> String {
    let n = mutants.mutants.len();
    match mutants.stopped_after {
        Some(decided) => format!("stopped: {decided} of {n} mutants were decided\n"),
        None => String::new(),
    }
}

/// A line for each mutant, and how many there are of each operator and side.
#[must_use]
pub fn text(all: &Mutants) -> String {
    let Mutants { counts, model, mutants, offset, .. } = all;
    let n_all = mutants.len();
    let plural = if n_all == 1 { "" } else { "s" };
    let mut out = format!("{model}: {n_all} mutant{plural}, bounds are moved by {offset}\n");
    let width = mutants.iter().map(|it| it.name.chars().count()).max().unwrap_or(0);
    for Mutant { name, change, decision, evidence, .. } in mutants {
        let decision = decision.as_ref().map(|it| format!("{it:<10}")).unwrap_or_default();
        let _ = writeln!(out, "  {decision}{name:<width$}  {change}");
        if !evidence.is_empty() {
            let _ = writeln!(out, "            {}", evidence.join(", "));
        }
    }
    let _ = writeln!(out, "{:<16}{:>8}{:>13}", "operator", "system", "environment");
    for it in counts {
        let _ = writeln!(out, "{:<16}{:>8}{:>13}", it.operator, it.system, it.environment);
    }
    out + &stopped(all)
}

/// Mutants as a table: `name;operator;side;process;place;change`, and the decision if there is one.
#[must_use]
pub fn table(mutants: &Mutants) -> String {
    let is_decided = mutants.mutants.iter().any(|it| it.decision.is_some());
    let more = if is_decided { ";decision" } else { "" };
    let mut rows = format!("name;operator;side;process;place;change{more}\n");
    for Mutant { change, decision, name, operator, place, process, side, .. } in &mutants.mutants {
        let decision = decision.as_ref().map(|it| format!(";{it}")).unwrap_or_default();
        let _ = writeln!(rows, "{name};{operator};{side};{process};{place};{change}{decision}");
    }
    rows
}
