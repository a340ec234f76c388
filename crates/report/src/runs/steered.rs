//! What steering did to the tests of each system: how many pass as they are, how many by changes, by which, and what of
//! it is systematic.

use std::cmp::Ordering;
use std::fmt::Write as _;

use punctual_campaign::summary::{self, Account, Finding, Summary, Used};

use crate::text::one_line;
use crate::view::runs::{Pair, SteeredSystem, SystematicChange, UsedVariable};

use super::words::{self, amount, count, grouped};

/// What nearly nobody reads further than.
const LISTED_MAX: usize = 40;

/// The tests of each system that a steered model judged; none if nobody was.
pub(super) fn systems(summary: &Summary) -> Vec<SteeredSystem> {
    summary::accounts(summary).iter().map(SteeredSystem::of).collect()
}

impl SteeredSystem {
    /// What an account says.
    #[must_use]
    pub fn of(account: &Account) -> SteeredSystem {
        SteeredSystem {
            system: account.system.clone(),
            tests: account.tests(),
            as_is: account.as_is,
            by_changes: account.by_changes,
            failed: account.failed,
            inconclusive: account.inconclusive,
            variables: account.variables.iter().map(|(name, used)| variable(name, used)).collect(),
            systematic: account.findings().iter().map(SystematicChange::of).collect(),
        }
    }

    /// Its name, as texts have it.
    fn called(&self) -> String {
        match self.system.is_empty() {
            true => "the system".to_owned(),
            false => one_line(&self.system),
        }
    }
}

fn variable(name: &str, used: &Used) -> UsedVariable {
    let spread = used.changes.spread();
    let pair = |((from, to), n): (&(String, String), &u64)| Pair {
        from: from.clone(),
        to: to.clone(),
        n: *n,
    };
    UsedVariable {
        name: name.to_owned(),
        tests: used.tests(),
        shows: used.shows(),
        steps: used.changes.n,
        least: spread.map(|it| it[0]),
        median: spread.map(|it| it[1]),
        greatest: spread.map(|it| it[2]),
        share: used.changes.share,
        pairs: used.changes.pairs.iter().map(pair).collect(),
    }
}

impl SystematicChange {
    fn of(it: &Finding<'_>) -> SystematicChange {
        SystematicChange {
            variable: it.variable.to_owned(),
            what: if it.found.is_often { "often" } else { "one-sided" },
            expected: it.counted.expected,
            at_most: it.found.at_most,
            fails: it.found.is_failure,
            words: sentence(it),
        }
    }
}

/// A probability, as an upper bound.
fn bound(it: f64) -> String {
    match it {
        0.0 => "0".to_owned(),
        it if it < 0.001 => format!("{it:.0e}"),
        it => format!("{it:.3}"),
    }
}

fn sentence(it: &Finding<'_>) -> String {
    let Finding { counted, used: Used { changes, .. }, .. } = it;
    let name = one_line(it.variable);
    let mut text = format!(
        "`{name}` was changed in {} of the {}{}",
        grouped(counted.changed),
        count(counted.shows, "test that passes", "tests that pass"),
        if it.is_overall { "" } else { " in which that shows" },
    );
    match changes.direction() {
        Some(Ordering::Greater) => text += ", always upwards",
        Some(Ordering::Less) => text += ", always downwards",
        _ => {}
    }
    if let Some([least, median, greatest]) = changes.spread() {
        text += &match least == greatest {
            true => format!(", by {}", amount(least)),
            false => {
                let [least, median, greatest] = [least, median, greatest].map(amount);
                format!(", by {least} to {greatest}, {median} in the middle")
            }
        };
    }
    let at_most = bound(it.found.at_most);
    text += &match (it.found.is_often, counted.expected) {
        (true, Some(expected)) => format!(
            ". The cheapest explanation of a right system changes it in {expected} of these tests at most, as `expected` says; \
             then as much is seen with a probability of {at_most} at most: the system is not right."
        ),
        (true, None) => format!(
            ". If the cheapest explanation changed it in half of these tests, as much would be seen with a probability of \
             {at_most} at most. A fault that the tolerance hides looks like this: say in `[policy]` how often a right system \
             is explained so (`expected = {{ {name} = 0.1 }}`), and it becomes a verdict."
        ),
        (false, _) => format!(
            ". Its tolerance goes in both directions; noise that does, too, shows as much with a probability of {at_most} \
             at most. It may be an offset of the system, or a fault that the tolerance hides."
        ),
    };
    text
}

/// By how much a variable was changed, in the words of a table.
fn by(it: &UsedVariable) -> String {
    let mut parts = Vec::new();
    if let (Some(least), Some(median), Some(greatest)) = (it.least, it.median, it.greatest) {
        parts.push([least, median, greatest].map(amount).join(" / "));
    }
    for pair in it.pairs.iter().take(3) {
        parts.push(match pair.from == pair.to {
            // A local that stays although others would change it.
            true => one_line(&format!("stays {}", pair.to)),
            false => one_line(&format!("{} → {}", pair.from, pair.to)),
        });
    }
    parts.join(", ")
}

/// The share of a tolerance, in percent.
fn share(it: &UsedVariable) -> String {
    match it.share {
        Some(share) => format!("{:.0} %", share * 100.0),
        None if it.least.is_some() => "no bound".to_owned(),
        None => "-".to_owned(),
    }
}

/// The heads of [`rows`].
pub(super) const HEAD: [&str; 7] =
    ["system", "changed", "tests", "of", "steps", "least / middle / greatest", "of its tolerance"];

/// What was changed in tests that pass, a row for each variable of each system.
pub(super) fn rows(systems: &[SteeredSystem]) -> Vec<[String; 7]> {
    let mut rows = Vec::new();
    for system in systems {
        for it in system.variables.iter().filter(|it| it.tests > 0) {
            rows.push([
                system.called(),
                one_line(&it.name),
                grouped(it.tests),
                grouped(it.shows),
                grouped(it.steps),
                by(it),
                share(it),
            ]);
        }
    }
    rows
}

/// How many tests pass as they are, and how many by changes.
pub(super) fn counted(systems: &[SteeredSystem]) -> String {
    let sum = |of: fn(&SteeredSystem) -> u64| systems.iter().map(of).sum::<u64>();
    let (as_is, by_changes) = (sum(|it| it.as_is), sum(|it| it.by_changes));
    let passed = count(as_is + by_changes, "test passes", "tests pass");
    format!(
        "{passed}: {} without a change, {} because inputs of the model were changed.",
        grouped(as_is),
        grouped(by_changes)
    )
}

/// What is systematic, as lines with a word in front.
pub(super) fn findings(systems: &[SteeredSystem]) -> Vec<(bool, String)> {
    let mut all = Vec::new();
    for system in systems {
        for it in &system.systematic {
            all.push((it.fails, format!("{}: {}", system.called(), it.words)));
        }
    }
    all
}

/// What steering did, for people: counts, what was changed, and what is systematic.
#[must_use]
pub fn steered_text(systems: &[SteeredSystem]) -> String {
    let mut text = String::new();
    if systems.iter().all(|it| it.by_changes == 0) {
        return text;
    }
    let _ = writeln!(text, "{}", counted(systems));
    let mut lines = vec![HEAD.map(str::to_owned).to_vec()];
    let all = rows(systems);
    lines.extend(all.iter().take(LISTED_MAX).map(|row| row.to_vec()));
    if systems.len() == 1 {
        lines.iter_mut().for_each(|line| drop(line.remove(0)));
    }
    text.push_str(&crate::table::aligned(&lines));
    if all.len() > LISTED_MAX {
        let _ = writeln!(text, "… and {} more (`--json` lists all)", all.len() - LISTED_MAX);
    }
    let found = findings(systems);
    for (fails, line) in found.iter().take(LISTED_MAX) {
        let word = if *fails { "FAIL" } else { "WARNING" };
        let _ = writeln!(text, "{word}  systematic changes of {line}");
    }
    if found.len() > LISTED_MAX {
        let _ = writeln!(text, "… and {} more", found.len() - LISTED_MAX);
    }
    text
}

/// The word for what all tests together come to.
pub(super) fn verdict_word(fails: bool) -> &'static str {
    if fails { words::verdict(Some(punctual_campaign::store::Verdict::Fail)) } else { "warning" }
}
