//! What steering did to the tests of each system, and what of it is systematic.
//!
//! A test *passes as it is* if the model shows what the system showed without a change, and *by changes* otherwise. Only
//! tests that pass count for what was changed: of others it is not known what explains them.

use std::collections::BTreeMap;

use punctual_oracle::steering::systematic::{self, Systematic};
use serde_json::Value;

use super::{Changes, Digest, Steering, Summary};
use crate::store::Verdict;

/// A right system has something that is called systematic with this probability at most.
pub const RISK: f64 = 0.01;

/// With which probability the explanation of a right system changes a variable in a test, by its name; `*` stands for all that
/// are not named. Nothing is said of others.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expected(pub BTreeMap<String, f64>);

impl Expected {
    /// What the header of a record says.
    #[must_use]
    pub fn of(header: &Value) -> Expected {
        let table = header.get("expected").and_then(Value::as_object);
        let entries = table.into_iter().flatten();
        Expected(entries.filter_map(|(name, it)| Some((name.clone(), it.as_f64()?))).collect())
    }

    /// As a record has it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.0.iter().map(|(name, it)| (name.clone(), Value::from(*it))).collect()
    }

    fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).or_else(|| self.0.get("*")).copied()
    }
}

/// The tests of one system.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Account {
    /// The name of the system; empty if there is only one.
    pub system: String,
    /// Tests that pass without a change.
    pub as_is: u64,
    /// Tests that pass because inputs of the model were changed.
    pub by_changes: u64,
    /// Tests that fail.
    pub failed: u64,
    /// Tests of which nothing can be said.
    pub inconclusive: u64,
    /// Variables that were changed or could show in tests that pass, by name.
    pub variables: BTreeMap<String, Used>,
    /// Steps that were changed, of the test that passes and has most of them.
    pub steps_max: u64,
    expected: Expected,
    /// How many variables may be changed; 0 if that is not known.
    n_steerable: usize,
}

/// How the tests of a system that pass used a variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Used {
    /// How often and by how much it was changed.
    pub changes: Changes,
    /// Of the tests in which a change of it alone could show, those in which it was changed.
    pub alone: Systematic,
    /// The same of all tests that pass. Only other changes may have let it show, and nobody knows in which of the tests without a
    /// change they would have: so none of these is left out, which keeps the bets fair for a right system.
    pub overall: Systematic,
}

impl Used {
    /// After some tests that pass and in which it was not changed.
    fn new(expected: Option<f64>, n_before: u64) -> Used {
        let mut overall = Systematic::new(expected);
        (0..n_before).for_each(|_| overall.add(false, None));
        Used { changes: Changes::default(), alone: Systematic::new(expected), overall }
    }

    /// In how many tests it was changed.
    #[must_use]
    pub fn tests(&self) -> u64 {
        self.overall.changed
    }

    /// In how many tests a change of it could show, or was made.
    #[must_use]
    pub fn shows(&self) -> u64 {
        self.alone.shows + self.overall.changed - self.alone.changed
    }
}

/// Something systematic about the changes of a variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding<'a> {
    /// The system; empty if there is only one.
    pub system: &'a str,
    /// The variable.
    pub variable: &'a str,
    /// How it was used.
    pub used: &'a Used,
    /// The tests that show it: those in which a change of it alone could show, or all that pass.
    pub counted: &'a Systematic,
    /// Whether these are all that pass.
    pub is_overall: bool,
    /// What is systematic.
    pub found: systematic::Found,
}

impl Account {
    /// Before the first test.
    #[must_use]
    pub fn new(system: &str, expected: &Expected) -> Account {
        let (system, expected) = (system.to_owned(), expected.clone());
        Account { system, expected, ..Account::default() }
    }

    /// The same of a model in which so many variables may be changed.
    #[must_use]
    pub fn over(self, n_steerable: usize) -> Account {
        Account { n_steerable, ..self }
    }

    /// How many tests there are.
    #[must_use]
    pub fn tests(&self) -> u64 {
        self.as_is + self.by_changes + self.failed + self.inconclusive
    }

    /// Adds a test: its verdict, what was changed, and which variables could show.
    pub fn add(&mut self, verdict: Verdict, steering: &Steering, shows: &[String]) {
        match verdict {
            Verdict::Fail => return self.failed += 1,
            Verdict::Inconclusive => return self.inconclusive += 1,
            Verdict::Pass if steering.steered == 0 => self.as_is += 1,
            Verdict::Pass => self.by_changes += 1,
        }
        self.steps_max = self.steps_max.max(steering.steered);
        let n_before = self.as_is + self.by_changes - 1;
        for name in steering.variables.keys().chain(shows) {
            if !self.variables.contains_key(name) {
                let used = Used::new(self.expected.get(name), n_before);
                self.variables.insert(name.clone(), used);
            }
        }
        for (name, used) in &mut self.variables {
            let changes = steering.variables.get(name);
            let direction = changes.filter(|it| it.is_two_sided).and_then(Changes::direction);
            if shows.contains(name) {
                used.alone.add(changes.is_some(), direction);
            }
            used.overall.add(changes.is_some(), direction);
            if let Some(changes) = changes {
                used.changes.merge(changes);
            }
        }
    }

    /// What is systematic, the most certain first.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding<'_>> {
        // Both ways to count share the risk, and so do all variables: also those of which nothing was seen until now.
        let n_counts = 2 * self.variables.len().max(self.n_steerable);
        let mut all: Vec<Finding<'_>> = (self.variables.iter())
            .filter_map(|(variable, used)| {
                let counts = [(&used.alone, false), (&used.overall, true)].into_iter();
                let found = counts.filter_map(|(counted, is_overall)| {
                    let found = counted.found(n_counts, RISK)?;
                    let system = &self.system;
                    Some(Finding { system, variable, used, counted, is_overall, found })
                });
                found.min_by_key(|it| (!it.found.is_failure, !it.found.is_often, it.is_overall))
            })
            .collect();
        all.sort_by(|a, b| a.found.at_most.total_cmp(&b.found.at_most));
        all
    }

    /// Whether something systematic contradicts what was stated of a right system.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.findings().iter().any(|it| it.found.is_failure)
    }
}

/// The accounts of all systems that a steered model judged; none if nobody was.
#[must_use]
pub fn accounts(summary: &Summary) -> Vec<Account> {
    let mut all: Vec<Account> = Vec::new();
    // Runs are sorted by their verdicts; systems are shown in the order of their runs.
    let mut runs: Vec<&Digest> = summary.runs.iter().filter(|it| is_steered(it)).collect();
    runs.sort_by(|a, b| a.run.name.cmp(&b.run.name));
    for digest in runs {
        let system = digest.header.strategy.get("system").and_then(Value::as_str).unwrap_or("");
        let at = all.iter().position(|it| it.system == system).unwrap_or_else(|| {
            let strategy = &digest.header.strategy;
            let n_steerable = strategy.get("steerable").and_then(Value::as_u64).unwrap_or(0);
            let n_steerable = usize::try_from(n_steerable).unwrap_or(usize::MAX / 2);
            all.push(Account::new(system, &Expected::of(strategy)).over(n_steerable));
            all.len() - 1
        });
        let verdict = digest.verdict().unwrap_or(Verdict::Inconclusive);
        let shows = digest.end.as_ref().map_or(&[][..], |end| &end.shows);
        all[at].add(verdict, &digest.steering, shows);
    }
    all
}

/// Whether a run was judged by a steered model: its header says how far that looked ahead.
fn is_steered(digest: &Digest) -> bool {
    digest.header.strategy.get("look_ahead").is_some()
}

impl Summary {
    /// The verdict of all runs together: the worst of them, or a fail if changes of a system are systematic although
    /// it was stated that they are rare.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        let worst = self.worst();
        match worst {
            Some(Verdict::Fail) | None => worst,
            _ if accounts(self).iter().any(Account::is_failure) => Some(Verdict::Fail),
            _ => worst,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::store::{Changed, Steered};

    fn late(by: i64) -> Steering {
        let mut steering = Steering::default();
        steering.add(&Steered {
            steered: 1,
            changes: vec![Changed {
                variable: "t".into(),
                from: json!(10),
                to: json!(10 + by),
                low: Some(json!(9)),
                high: Some(json!(14)),
            }],
            differences: Vec::new(),
        });
        steering
    }

    #[test]
    fn tests_that_pass_by_changes_are_told_apart() {
        let mut account = Account::new("pump", &Expected::default());
        let shows = ["t".to_owned(), "u".to_owned()];
        account.add(Verdict::Pass, &Steering::default(), &shows);
        account.add(Verdict::Pass, &late(2), &shows);
        account.add(Verdict::Pass, &late(4), &shows);
        account.add(Verdict::Fail, &late(-1), &[]);
        account.add(Verdict::Inconclusive, &late(-1), &[]);
        let counts = (account.as_is, account.by_changes, account.failed, account.inconclusive);
        assert_eq!((account.tests(), counts), (5, (1, 2, 1, 1)));
        let used = &account.variables["t"];
        assert_eq!((used.shows(), used.tests()), (3, 2));
        assert_eq!(used.changes.spread(), Some([2.0, 2.0, 4.0]));
        assert_eq!(used.changes.share, Some(1.0), "4 of 4");
        assert!(used.changes.is_two_sided);
        assert_eq!(account.variables["u"].tests(), 0);
    }

    #[test]
    fn what_nearly_every_test_needs_is_a_finding_and_a_failure_if_that_was_stated_to_be_rare() {
        for (expected, is_failure) in [(None, false), (Some(0.1), true)] {
            let stated = expected.map(|it| ("t".to_owned(), it)).into_iter().collect();
            let mut account = Account::new("", &Expected(stated));
            (0..30).for_each(|_| account.add(Verdict::Pass, &late(1), &["t".to_owned()]));
            let findings = account.findings();
            assert_eq!((findings.len(), findings[0].variable), (1, "t"));
            assert_eq!(
                (findings[0].found.is_failure, account.is_failure()),
                (is_failure, is_failure)
            );
        }
    }

    /// The risk is shared by all variables from the first test on: how many were seen until now says nothing of it.
    #[test]
    fn variables_of_which_nothing_was_seen_share_the_risk() {
        let tests = |n_steerable: usize| {
            let stated = Expected([("t".to_owned(), 0.1)].into());
            let mut account = Account::new("", &stated).over(n_steerable);
            (1..100).find(|_| {
                account.add(Verdict::Pass, &late(1), &["t".to_owned()]);
                account.is_failure()
            })
        };
        assert_eq!(tests(0), tests(1));
        assert!(tests(1) < tests(1000), "{:?} {:?}", tests(1), tests(1000));
    }

    /// A change that only another one lets show is told, and contradicts what was stated of it. What a right system rarely needs stays
    /// rare: tests in which it may have shown, and was not changed, are not left out.
    #[test]
    fn what_shows_only_with_other_changes_is_counted() {
        let stated = |expected: f64| Expected([("t".to_owned(), expected)].into());
        let mut account = Account::new("", &stated(0.2));
        account.add(Verdict::Pass, &Steering::default(), &[]);
        (0..30).for_each(|_| account.add(Verdict::Pass, &late(1), &[]));
        let used = &account.variables["t"];
        assert_eq!((used.tests(), used.shows(), used.overall.shows), (30, 30, 31));
        let findings = account.findings();
        assert!(findings[0].is_overall && account.is_failure(), "{findings:?}");
        let mut rare = Account::new("", &stated(0.2));
        for test in 0..300 {
            let steering = if test % 10 == 0 { late(1) } else { Steering::default() };
            rare.add(Verdict::Pass, &steering, &[]);
        }
        assert_eq!(rare.variables["t"].tests(), 30);
        assert!(!rare.is_failure(), "{:?}", rare.findings());
        let mut never = Account::new("", &stated(0.0));
        never.add(Verdict::Pass, &late(1), &[]);
        assert!(never.is_failure());
    }

    #[test]
    fn what_is_expected_survives_a_record() {
        let expected = Expected([("*".to_owned(), 0.1), ("t".to_owned(), 0.01)].into());
        assert_eq!(Expected::of(&json!({ "expected": expected.to_json() })), expected);
        assert_eq!((expected.get("t"), expected.get("u")), (Some(0.01), Some(0.1)));
    }
}
