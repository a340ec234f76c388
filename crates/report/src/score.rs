//! What suites find, as text and as tables.

use std::fmt::Write as _;

use crate::view::score::{ByOperator, Confirmed, Played, Plays, Score, Scored};

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
    if let Some(it) = &score.played {
        played(&mut out, it);
    }
    out
}

/// What playing the mutants has shown.
fn played(out: &mut String, it: &Played) {
    let Played { must, may, cannot, unknown, .. } = it;
    let all = [must, may, cannot, unknown];
    let pairs: usize = all.iter().map(|it| it.pairs).sum();
    let runs: u64 = all.iter().map(|it| it.failed + it.passed + it.stuck).sum();
    let stuck: u64 = all.iter().map(|it| it.stuck).sum();
    let _ = writeln!(
        out,
        "played: {runs} runs of {pairs} pairs of a mutant and a case, each earliest, latest and {} times at random; \
         {} pairs are out of reach",
        it.random, it.unreached
    );
    let mut line = |said: &str, of: &Confirmed, seen: usize, how: &str| {
        if of.pairs > 0 {
            let runs = of.failed + of.passed;
            let _ = writeln!(
                out,
                "  {said}: {seen} of {} pairs {how}; {} of {runs} runs",
                of.pairs, of.failed
            );
        }
    };
    line("must fail", must, must.failed_always, "failed in every run");
    line("may fail", may, may.failed_once, "failed in some run");
    line("can not fail", cannot, cannot.failed_once, "failed in some run");
    line("unknown", unknown, unknown.failed_once, "failed in some run");
    if stuck > 0 {
        let _ = writeln!(
            out,
            "  {stuck} runs say nothing: the mutant refused an input, or time stopped"
        );
    }
    if it.open > 0 {
        let _ = writeln!(out, "  {} pairs were not played", it.open);
    }
    for it in it.contradictions.iter().take(LISTED_MAX) {
        let (said, seen) = match it.outcome.as_str() {
            "must" => ("must fail", "did not"),
            _ => ("can not fail", "did"),
        };
        let _ = writeln!(
            out,
            "FAIL  {} {said} the case `{}`, and {seen} when it was played ({}): this is a fault of punctual, please \
             report it",
            it.mutant, it.case, it.policy
        );
    }
    if it.contradictions.len() > LISTED_MAX {
        let _ = writeln!(out, "… and {} more", it.contradictions.len() - LISTED_MAX);
    }
}

fn line(out: &mut String, it: &ByOperator) {
    let _ = writeln!(
        out,
        "{:<14}{:>7}{:>10}{:>7}{:>7}{:>9}{:>11}{:>11}",
        it.operator, it.wrong, it.narrower, it.equal, it.stops, it.unknown, it.may, it.must
    );
}

/// A row for each mutant: `name;operator;decision;outcome;cases;change`, and `failed;passed;stuck` (runs over all cases) if
/// mutants were played.
#[must_use]
pub fn table(score: &Score) -> String {
    let mut rows = "name;operator;decision;outcome;cases;change".to_owned();
    rows.push_str(if score.played.is_some() { ";failed;passed;stuck\n" } else { "\n" });
    for it in &score.mutants {
        let cases: Vec<String> = it.cases.iter().map(usize::to_string).collect();
        let _ = write!(
            rows,
            "{};{};{};{};{};{}",
            it.name,
            it.operator,
            it.decision,
            it.outcome,
            cases.join(" "),
            it.change
        );
        if let Some(plays) = &it.plays {
            let sum = |of: fn(&Plays) -> u64| plays.iter().map(of).sum::<u64>();
            let (failed, passed) = (sum(|it| it.failed), sum(|it| it.passed));
            let _ = write!(rows, ";{failed};{passed};{}", sum(|it| it.stuck));
        }
        rows.push('\n');
    }
    rows
}
