//! Systematic changes: one that nearly every test of a system needs is not noise, but an offset of that system, and perhaps a
//! fault that a tolerance hides.
//!
//! Each test that passes says of each variable that could show in it whether it was changed. Two questions are asked, each
//! with bets ([`Excuse`](crate::excuses::Excuse) has the same ones) that a right system wins against with a small probability at most,
//! whenever one looks:
//!
//! - *Often*: was it changed in more tests than a right system needs? What a right system needs is `expected`, a probability
//!   for each test in which the variable shows. If nobody states it, one half stands for it, and what is found
//!   is only a warning: more than half of these tests need the change, and nobody said whether that is right.
//! - *One-sided*: where the tolerance goes in both directions, was it changed in the same one? Noise around what the model says
//!   goes in each with probability one half. Nobody states that it is such noise, so this is only a warning, too.
//!
//! Both hold as far as tests are independent of each other. What is counted is the explanation that was taken, the cheapest one.

use crate::excuses::Account;

/// The probability of a change that stands for `expected` if nobody states it.
pub const UNSTATED: f64 = 0.5;

/// What the tests of one system say of one variable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Systematic {
    /// The probability with which a right system needs the change in a test in which it shows; None if nobody says.
    pub expected: Option<f64>,
    /// Tests that pass and in which the variable could show.
    pub shows: u64,
    /// Those of them in which it was changed.
    pub changed: u64,
    often: Account,
    rising: Account,
    falling: Account,
}

/// What is systematic about the changes of a variable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Found {
    /// Whether it was changed more often than is right, or stated; otherwise only its direction is systematic.
    pub is_often: bool,
    /// A system that needs the change as often as expected (with one half if nobody says), or in both directions alike, shows as much
    /// with this probability at most.
    pub at_most: f64,
    /// Whether that contradicts what was stated: then the system is not right, up to the risk.
    pub is_failure: bool,
}

impl Systematic {
    /// Before the first test.
    #[must_use]
    pub fn new(expected: Option<f64>) -> Systematic {
        let (often, rising, falling) = (Account::BLANK, Account::BLANK, Account::BLANK);
        Systematic { expected, shows: 0, changed: 0, often, rising, falling }
    }

    /// Adds a test in which the variable could show. `direction` is of the changes if they all go in one and the
    /// tolerance goes in both.
    pub fn add(&mut self, is_changed: bool, direction: Option<std::cmp::Ordering>) {
        self.shows += 1;
        self.changed += u64::from(is_changed);
        let expected = self.expected.unwrap_or(UNSTATED).clamp(0.0, 1.0);
        self.often.read(is_changed, expected);
        if let Some(direction) = direction {
            self.rising.read(direction.is_gt(), UNSTATED);
            self.falling.read(direction.is_lt(), UNSTATED);
        }
    }

    /// What is systematic; a right system has something of `n_variables` that is, with a probability of `risk` at most.
    #[must_use]
    pub fn found(&self, n_variables: usize, risk: f64) -> Option<Found> {
        // Three questions about each variable share the risk.
        let least = (3.0 * n_variables.max(1) as f64 / risk).ln();
        let at_most = |evidence: f64| (-evidence).exp().min(1.0);
        // What never happens to a right system needs no bets.
        let is_impossible = self.expected == Some(0.0) && self.changed > 0;
        let often = if is_impossible { f64::INFINITY } else { self.often.evidence() };
        if often >= least {
            let is_failure = self.expected.is_some();
            return Some(Found { is_often: true, at_most: at_most(often), is_failure });
        }
        let sided = self.rising.evidence().max(self.falling.evidence());
        let found = Found { is_often: false, at_most: at_most(sided), is_failure: false };
        (sided >= least).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use punctual_semantics::program::Chance;
    use punctual_smc::Stream;

    use super::*;

    fn of(expected: Option<f64>, n: u64, changed: u64) -> Option<Found> {
        let mut all = Systematic::new(expected);
        (0..n).for_each(|test| all.add(test < changed, None));
        all.found(5, 0.01)
    }

    #[test]
    fn what_nearly_every_test_needs_is_found() {
        let found = of(None, 40, 38).expect("38 of 40");
        assert!(found.is_often && !found.is_failure, "nobody said that it is wrong: {found:?}");
        assert!(found.at_most < 1e-3, "{found:?}");
        assert_eq!(of(None, 40, 20), None, "half of them is not most of them");
        assert_eq!(of(None, 4, 4), None, "four tests say little");
    }

    #[test]
    fn a_stated_probability_makes_it_a_failure() {
        let found = of(Some(0.1), 40, 16).expect("16 of 40 instead of 4");
        assert!(found.is_failure, "{found:?}");
        assert_eq!(of(Some(0.1), 40, 6), None);
        let never = of(Some(0.0), 3, 1).expect("what never happens happened");
        assert!(never.is_failure && never.at_most == 0.0, "{never:?}");
        assert_eq!(of(Some(1.0), 500, 500), None, "always is what was expected");
    }

    /// The guarantee: however often one looks, a right system is blamed with the stated risk at most.
    #[test]
    fn a_right_system_is_rarely_blamed() {
        let mut stream = Stream::of_run(3, 0);
        for expected in [0.02, 0.1, 0.5] {
            let mut blamed = 0;
            for _ in 0..2_000 {
                let mut all = Systematic::new(Some(expected));
                blamed += usize::from((0..100).any(|_| {
                    all.add(stream.unit() < expected, None);
                    all.found(1, 0.15).is_some()
                }));
            }
            // One of three questions is asked: its share of the risk is 0.05.
            assert!(blamed <= 100 + 30, "{expected}: {blamed}");
        }
    }

    #[test]
    fn one_direction_of_two_is_told() {
        let mut all = Systematic::new(None);
        for test in 0..60 {
            all.add(test % 3 == 0, (test % 3 == 0).then_some(Ordering::Greater));
        }
        let found = all.found(5, 0.01).expect("20 of 20 upwards");
        assert!(!found.is_often && !found.is_failure, "{found:?}");
        let mut both = Systematic::new(None);
        for test in 0..60 {
            let direction = if test % 2 == 0 { Ordering::Greater } else { Ordering::Less };
            both.add(test % 3 == 0, (test % 3 == 0).then_some(direction));
        }
        assert_eq!(both.found(5, 0.01), None);
    }
}
