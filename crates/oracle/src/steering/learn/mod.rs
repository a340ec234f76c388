//! Tolerances from labelled tests (sections 3.4, 5.5 and 6.5).
//!
//! Tests that people judged are steered without (or with loose) tolerances (`example.rs`). Treatment
//! learning then asks which ranges of changes go along with correct steering (`treatment.rs`, over
//! ranges made by `bands.rs`); what is incorrect more often is dropped, and every other input is
//! locked. `tune.rs` widens or shrinks the result against the labels.
//!
//! DIFFERENCE(gay15): differences of outputs before steering are not offered as attributes. A range
//! of them says nothing about which changes of inputs are acceptable, so it can not be written as a
//! tolerance. Test: `it::steering::learn`.

mod bands;
mod example;
mod treatment;
mod tune;

use punctual_model::VarId;

pub use example::{Class, Example, examples};
pub use treatment::{Options, Range, Treatment, treatments};
pub use tune::{Tuned, tune};

use super::window::Windows;
use bands::{Band, bands};

/// Tolerances that were learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// Treatments that go along with correct steering, the best first.
    pub good: Vec<Treatment>,
    /// Treatments that go along with incorrect steering, the best first.
    pub bad: Vec<Treatment>,
    /// The shares of the classes among all steps (Table 3.2): not changed, changed incorrectly, changed correctly.
    pub base: [f64; 3],
    /// The same among the steps that the best treatment keeps (Table 3.4); None if there is no treatment.
    pub best: Option<[f64; 3]>,
    /// Windows that follow: ranges of good treatments that are mostly correct. Other inputs are locked.
    pub windows: Windows,
}

/// Learns tolerances from examples. The same seed gives the same result.
///
/// DIFFERENCE(gay15): the thesis drops what is in good and in bad treatments. Its ten places are full
/// of variants of the best treatment, so that is rare; ours have room for all ranges. We drop what
/// is not more often correct than incorrect. Test: `what_is_mostly_correct_stays`.
///
/// DIFFERENCE(gay15): neighbouring ranges become one window. Nobody saw a change between them, and
/// nobody said that it would be wrong.
#[must_use]
pub fn learn(steerable: &[VarId], examples: &[Example], options: &Options) -> Learned {
    let good = treatments(examples, Class::ChangedCorrect, options);
    let bad = treatments(examples, Class::ChangedIncorrect, options);
    let mut windows = Windows::default();
    for (attribute, var) in steerable.iter().enumerate() {
        let bands = bands(examples, attribute, options.granularity);
        let is_kept = |band: &Band| {
            let range = Range { attribute, low: band.low, high: band.high };
            band.is_correct && good.iter().any(|it| it.ranges.contains(&range))
        };
        let joined = bands.chunk_by(|a, b| is_kept(a) && is_kept(b) && a.is_beside(b));
        let ranges: Vec<_> = joined
            .filter(|it| is_kept(&it[0]))
            .map(|it| (it[0].low, it[it.len() - 1].high))
            .collect();
        if !ranges.is_empty() {
            windows.ranges.push((*var, ranges));
        }
    }
    let base = shares(examples.iter());
    let best = good.first().map(|best| {
        let keeps = |it: &&Example| best.ranges.iter().all(|range| range.contains(it));
        shares(examples.iter().filter(keeps))
    });
    Learned { good, bad, base, best, windows }
}

/// The shares of the classes; none if there is no step.
fn shares<'e>(examples: impl Iterator<Item = &'e Example>) -> [f64; 3] {
    let mut counts = [0_u64; 3];
    examples.for_each(|it| counts[it.class as usize] += 1);
    let all = counts.iter().sum::<u64>().max(1) as f64;
    counts.map(|n| n as f64 / all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use punctual_model::IdVec;
    use punctual_model::lustre::Rational;

    use super::*;

    /// The windows of one variable, learned from how often each change is correct and is not.
    fn learned(counts: &[(i128, usize, usize)]) -> Vec<(i128, i128)> {
        let var = IdVec::<VarId, ()>::default().push(());
        let example = |by, class| Example { changes: vec![Rational::from_integer(by)], class };
        let mut examples = vec![example(0, Class::NotChanged); 1000];
        for (by, n_correct, n_incorrect) in counts {
            examples.extend(vec![example(*by, Class::ChangedCorrect); *n_correct]);
            examples.extend(vec![example(*by, Class::ChangedIncorrect); *n_incorrect]);
        }
        let learned = learn(&[var], &examples, &Options::default());
        let ranges = learned.windows.ranges.into_iter().flat_map(|(_, ranges)| ranges);
        ranges.map(|(low, high)| (low.to_integer(), high.to_integer())).collect()
    }

    #[test]
    fn a_window_ends_before_what_is_wrong() {
        assert_eq!(learned(&[(1, 25, 0), (2, 13, 0), (3, 0, 9), (4, 0, 4)]), [(1, 2)]);
        // Four milliseconds are rarer than one, and there is one step to five.
        let counts = [(1, 75, 0), (2, 59, 0), (3, 24, 0), (4, 18, 0), (5, 0, 15)];
        assert_eq!(learned(&counts), [(1, 4)]);
        assert_eq!(learned(&[(3, 0, 9)]), []);
    }

    /// Tables 3.2 and 3.4: nearly no step is changed; with the best treatment nearly all changes are correct.
    #[test]
    fn shares_of_classes_before_and_after_the_best_treatment() {
        let var = IdVec::<VarId, ()>::default().push(());
        let example = |by, class| Example { changes: vec![Rational::from_integer(by)], class };
        let mut examples = vec![example(0, Class::NotChanged); 96];
        examples.extend(vec![example(1, Class::ChangedCorrect); 3]);
        examples.extend(vec![example(5, Class::ChangedIncorrect); 1]);
        let learned = learn(&[var], &examples, &Options::default());
        assert_eq!(learned.base, [0.96, 0.01, 0.03]);
        assert_eq!(learned.best, Some([0.0, 0.0, 1.0]));
    }

    #[test]
    fn what_is_mostly_correct_stays() {
        assert_eq!(learned(&[(1, 25, 10), (2, 13, 9), (3, 0, 9)]), [(1, 2)]);
        assert_eq!(learned(&[(1, 25, 10), (2, 9, 9), (3, 0, 9)]), [(1, 1)]);
    }

    #[test]
    fn neighbours_become_one_window() {
        assert_eq!(learned(&[(1, 9, 0), (4, 9, 0), (7, 9, 0)]), [(1, 7)]);
        assert_eq!(learned(&[(1, 9, 0), (4, 0, 9), (7, 9, 0)]), [(1, 1), (7, 7)]);
        assert_eq!(learned(&[(-2, 9, 0), (2, 9, 0)]), [(-2, -2), (2, 2)]);
    }

    proptest! {
        /// What is not mostly correct is never allowed, and what is allowed lies between changes that are.
        #[test]
        fn windows_hold_what_is_mostly_correct(
            counts in prop::collection::btree_map(-8i128..=8, (0usize..9, 0usize..9), 0..12),
        ) {
            let counts: Vec<_> = counts.into_iter().map(|(by, (a, b))| (by, a, b)).collect();
            for (low, high) in learned(&counts) {
                for (by, n_correct, n_incorrect) in &counts {
                    let is_seen = *by != 0 && n_correct + n_incorrect > 0;
                    if is_seen && (low..=high).contains(by) {
                        prop_assert!(n_correct > n_incorrect, "{by} is in [{low}, {high}]");
                    }
                }
                let is_seen = |end| counts.iter().any(|it| it.0 == end && it.1 > it.2);
                prop_assert!(is_seen(low) && is_seen(high));
            }
        }
    }

    #[test]
    fn noise_is_not_learned() {
        assert_eq!(learned(&[(1, 60, 0), (2, 50, 0), (40, 1, 0)]), [(1, 2)]);
    }
}
