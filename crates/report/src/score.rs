//! What suites find, as text and as tables.

use std::fmt::Write as _;

use crate::view::score::{ByOperator, Score, Scored};

/// More mutants than this are counted, not listed.
const LISTED_MAX: usize = 20;

/// What a suite finds.
#[must_use]
pub fn text(score: &Score) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {} mutants, bounds are moved by {}; {}: {} cases",
        score.model,
        score.mutants.len(),
        score.offset,
        score.suite,
        score.cases.len()
    );
    let _ = writeln!(
        out,
        "{:<14}{:>7}{:>10}{:>7}{:>7}{:>9}{:>11}{:>11}",
        "operator", "wrong", "narrower", "equal", "stops", "unknown", "may fail", "must fail"
    );
    let mut all = ByOperator { operator: "all".to_owned(), ..ByOperator::default() };
    for it in &score.operators {
        line(&mut out, it);
        all.wrong += it.wrong;
        all.narrower += it.narrower;
        all.equal += it.equal;
        all.stops += it.stops;
        all.unknown += it.unknown;
        all.may += it.may;
        all.must += it.must;
        all.surviving += it.surviving;
    }
    line(&mut out, &all);
    let found = all.wrong - all.surviving;
    let share = 100.0 * found as f64 / (all.wrong.max(1)) as f64;
    let _ = writeln!(out, "{found} of {} wrong mutants may fail ({share:.1} %)", all.wrong);
    let survives =
        |it: &&Scored| it.decision == "wrong" && it.outcome != "may" && it.outcome != "must";
    for it in score.mutants.iter().filter(survives).take(LISTED_MAX) {
        let _ = writeln!(out, "survives  {}: {}", it.name, it.change);
        let _ = writeln!(out, "          would be found by: {}", it.evidence.join(", "));
    }
    if all.surviving > LISTED_MAX {
        let _ = writeln!(out, "… and {} more", all.surviving - LISTED_MAX);
    }
    out
}

fn line(out: &mut String, it: &ByOperator) {
    let _ = writeln!(
        out,
        "{:<14}{:>7}{:>10}{:>7}{:>7}{:>9}{:>11}{:>11}",
        it.operator, it.wrong, it.narrower, it.equal, it.stops, it.unknown, it.may, it.must
    );
}

/// A row for each mutant: `name;operator;decision;outcome;cases;change`.
#[must_use]
pub fn table(score: &Score) -> String {
    let mut rows = "name;operator;decision;outcome;cases;change\n".to_owned();
    for it in &score.mutants {
        let cases: Vec<String> = it.cases.iter().map(usize::to_string).collect();
        let _ = writeln!(
            rows,
            "{};{};{};{};{};{}",
            it.name,
            it.operator,
            it.decision,
            it.outcome,
            cases.join(" "),
            it.change
        );
    }
    rows
}
