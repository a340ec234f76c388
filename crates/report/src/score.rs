//! What suites find, as text and as tables.

use std::fmt::Write as _;

use crate::view::score::{ByOperator, Confirmed, Played, Plays, Score, Scored, Stopped};

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
    // What was not looked at is neither found nor does it survive.
    let looked = score.stopped.map_or(score.mutants.len(), |it| it.scored);
    let looked_at = &score.mutants[..looked.min(score.mutants.len())];
    let wrong = looked_at.iter().filter(|it| it.decision == "wrong").count();
    let found = wrong - all.surviving.min(wrong);
    let share = 100.0 * found as f64 / (wrong.max(1)) as f64;
    if let Some(Stopped { decided, scored }) = score.stopped {
        let n = score.mutants.len();
        let _ = writeln!(
            out,
            "stopped: {decided} of {n} mutants were decided, the cases have looked at {scored}"
        );
    }
    match (score.stopped, wrong) {
        (Some(_), 0) => {
            let _ = writeln!(out, "no wrong mutant was looked at: nothing is known of the suite");
        }
        (Some(_), _) => {
            let _ = writeln!(
                out,
                "of the wrong mutants that were looked at, {found} of {wrong} may fail ({share:.1} %)"
            );
        }
        (None, _) => {
            let _ = writeln!(out, "{found} of {wrong} wrong mutants may fail ({share:.1} %)");
        }
    }
    let survives =
        |it: &&Scored| it.decision == "wrong" && it.outcome != "may" && it.outcome != "must";
    for it in looked_at.iter().filter(survives).take(LISTED_MAX) {
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

#[cfg(test)]
mod tests {
    use super::{ByOperator, Score, Scored, Stopped, text};

    /// Three wrong mutants, of which the last two were not looked at. They were told as if nothing had found them.
    #[test]
    fn what_was_not_looked_at_does_not_survive() {
        let mutant = |name: &str, outcome: &str| Scored {
            name: name.to_owned(),
            decision: "wrong".to_owned(),
            outcome: outcome.to_owned(),
            ..Scored::default()
        };
        let score = |stopped, outcome: &str| Score {
            mutants: vec![mutant("m1", outcome), mutant("m2", "unknown"), mutant("m3", "unknown")],
            operators: vec![ByOperator {
                wrong: 3,
                surviving: usize::from(outcome != "may"),
                ..ByOperator::default()
            }],
            stopped,
            ..Score::default()
        };
        let told = text(&score(Some(Stopped { decided: 3, scored: 1 }), "may"));
        assert!(told.contains("stopped: 3 of 3 mutants were decided"), "{told}");
        assert!(told.contains("that were looked at, 1 of 1 may fail (100.0 %)"), "{told}");
        assert!(!told.contains("survives"), "{told}");
        let told = text(&score(Some(Stopped { decided: 3, scored: 1 }), "can not"));
        assert!(told.contains("that were looked at, 0 of 1 may fail (0.0 %)"), "{told}");
        assert!(told.contains("survives  m1") && !told.contains("m2"), "{told}");
        let told = text(&score(Some(Stopped { decided: 3, scored: 0 }), "may"));
        assert!(told.contains("nothing is known of the suite"), "{told}");
    }
}
