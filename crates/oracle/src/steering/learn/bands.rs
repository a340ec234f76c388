//! Changes of an attribute as few ranges: of one direction, of one class, and about equally full.
//!
//! DIFFERENCE(tar3): its bands are equally full over all values, and reach up to the next one.
//! - Most steps are not changed, and would fill all bands but one. We cut the changes only: no change
//!   is always allowed, so a range of it can not be written as a tolerance.
//! - A band that reaches from acceptable to unacceptable changes is of no use for either. We cut
//!   where the more common class changes, and what is in between into equally full bands.
//! - Ours end at values that were seen, so a tolerance allows nothing beyond what somebody judged.

use std::collections::BTreeMap;

use num_traits::{Signed, Zero};
use punctual_model::lustre::Rational;

use super::{Class, Example};

/// Neighbouring changes that are more often correct than not, or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Band {
    /// The least change.
    pub(super) low: Rational,
    /// The greatest one.
    pub(super) high: Rational,
    /// Whether most of them are correct.
    pub(super) is_correct: bool,
}

impl Band {
    /// Whether no change lies between this band and the next one: not even none.
    pub(super) fn is_beside(&self, next: &Band) -> bool {
        self.high.is_negative() == next.low.is_negative()
    }
}

/// The bands of an attribute, in order, without overlaps and without zero. Neighbours of one direction
/// and one class are cut into at most so many.
pub(super) fn bands(examples: &[Example], attribute: usize, granularity: usize) -> Vec<Band> {
    // How often each change is correct, and is not.
    let mut counts: BTreeMap<Rational, (usize, usize)> = BTreeMap::new();
    for example in examples {
        let change = example.changes[attribute];
        if change.is_zero() {
            continue;
        }
        let (correct, incorrect) = counts.entry(change).or_default();
        match example.class {
            Class::ChangedCorrect => *correct += 1,
            Class::ChangedIncorrect => *incorrect += 1,
            Class::NotChanged => {}
        }
    }
    let changes: Vec<Count> = (counts.into_iter())
        .map(|(change, (correct, incorrect))| Count {
            change,
            n: correct + incorrect,
            is_correct: correct > incorrect,
        })
        .collect();
    let is_alike = |a: &Count, b: &Count| {
        a.is_correct == b.is_correct && a.change.is_negative() == b.change.is_negative()
    };
    changes.chunk_by(is_alike).flat_map(|alike| cut(alike, granularity)).collect()
}

struct Count {
    change: Rational,
    n: usize,
    is_correct: bool,
}

/// Cuts changes of one kind; equal ones stay together. Each band is as near to its share of what is left as
/// that allows, so that the last one is no mere rest.
fn cut(alike: &[Count], granularity: usize) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    let mut n_left: usize = alike.iter().map(|it| it.n).sum();
    let mut bands_left = granularity.max(1);
    let mut alike = alike;
    while let [first, ..] = alike {
        let off = |n: usize| (n * bands_left).abs_diff(n_left);
        let (mut taken, mut n) = (1, first.n);
        while let Some(next) = alike.get(taken)
            && (bands_left == 1 || off(n + next.n) < off(n))
        {
            taken += 1;
            n += next.n;
        }
        let (band, rest) = alike.split_at(taken);
        let high = band[taken - 1].change;
        bands.push(Band { low: first.change, high, is_correct: first.is_correct });
        n_left -= n;
        bands_left = bands_left.saturating_sub(1).max(1);
        alike = rest;
    }
    bands
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn examples(changes: &[(i128, Class)]) -> Vec<Example> {
        let example = |(change, class): &(i128, Class)| Example {
            changes: vec![Rational::from_integer(*change)],
            class: *class,
        };
        changes.iter().map(example).collect()
    }

    fn banded(examples: &[Example], granularity: usize) -> Vec<(i128, i128)> {
        let whole = |it: Band| (it.low.to_integer(), it.high.to_integer());
        bands(examples, 0, granularity).into_iter().map(whole).collect()
    }

    /// All changes are correct.
    fn correct(changes: &[i128], granularity: usize) -> Vec<(i128, i128)> {
        let changes: Vec<_> = changes.iter().map(|it| (*it, Class::ChangedCorrect)).collect();
        banded(&examples(&changes), granularity)
    }

    #[test]
    fn bands_are_equally_full() {
        assert_eq!(correct(&[6, 5, 4, 3, 2, 1], 3), [(1, 2), (3, 4), (5, 6)]);
        assert_eq!(correct(&[7, 7, 7], 3), [(7, 7)]);
        assert_eq!(correct(&[7, 7, 7, 8], 3), [(7, 7), (8, 8)], "equal changes stay together");
        assert_eq!(correct(&[], 3), []);
        // Four is rarer than one, but not too rare for a band with three.
        let counts = [(1, 60), (2, 50), (3, 45), (4, 15)];
        let changes: Vec<i128> = counts.iter().flat_map(|(by, n)| vec![*by; *n]).collect();
        assert_eq!(correct(&changes, 3), [(1, 1), (2, 2), (3, 4)]);
    }

    #[test]
    fn what_is_not_changed_is_in_no_band() {
        // Whatever most steps do: each side of zero is cut on its own.
        let mut changes = vec![0; 1000];
        changes.extend([-4, -1, 1, 2, 3]);
        assert_eq!(correct(&changes, 1), [(-4, -1), (1, 3)]);
        assert_eq!(correct(&changes, 2), [(-4, -4), (-1, -1), (1, 1), (2, 3)]);
    }

    #[test]
    fn bands_end_where_the_class_changes() {
        let (right, wrong) = (Class::ChangedCorrect, Class::ChangedIncorrect);
        let found =
            examples(&[(1, right), (2, right), (2, wrong), (2, right), (3, wrong), (4, wrong)]);
        assert_eq!(banded(&found, 1), [(1, 2), (3, 4)]);
        let undecided = examples(&[(1, right), (2, right), (2, wrong)]);
        assert_eq!(banded(&undecided, 1), [(1, 1), (2, 2)], "not more often correct than not");
    }

    proptest! {
        /// Each change is in one band, none is in two, and a band is of one direction and one class.
        #[test]
        fn bands_partition_the_changes(
            changes in prop::collection::vec((-6i128..=6, prop::bool::ANY), 0..60),
            granularity in 1usize..6,
        ) {
            let class = |it| if it { Class::ChangedCorrect } else { Class::ChangedIncorrect };
            let changes: Vec<_> = changes.into_iter().map(|(by, it)| (by, class(it))).collect();
            let found = bands(&examples(&changes), 0, granularity);
            for (change, _) in &changes {
                let of = |class| changes.iter().filter(|it| **it == (*change, class)).count();
                let is_correct = of(Class::ChangedCorrect) > of(Class::ChangedIncorrect);
                let change = Rational::from_integer(*change);
                let holds = |it: &&Band| (it.low..=it.high).contains(&change);
                let holding: Vec<&Band> = found.iter().filter(holds).collect();
                prop_assert_eq!(holding.len(), usize::from(!change.is_zero()));
                prop_assert!(holding.iter().all(|it| it.is_correct == is_correct));
            }
            prop_assert!(found.windows(2).all(|it| it[0].high < it[1].low));
            prop_assert!(found.iter().all(|it| it.low.is_negative() == it.high.is_negative()));
        }

        #[test]
        fn there_are_not_more_bands_than_wanted(
            changes in prop::collection::vec(1i128..=20, 1..60),
            granularity in 1usize..6,
        ) {
            prop_assert!(correct(&changes, granularity).len() <= granularity);
        }
    }
}
