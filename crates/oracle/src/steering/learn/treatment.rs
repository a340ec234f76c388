//! Treatments: few ranges of attributes that raise the share of a wanted class (TAR3).
//!
//! Follows section 5.5: lift, hard rejection below a minimum best support, ranges drawn by the
//! cumulative distribution of their lifts, the end after futile rounds.
//!
//! DIFFERENCE(tar3): a treatment whose ranges are all in better ones is not kept. Tolerances follow from
//! the ranges, so it would add nothing; and there are so many of them that the best range, together
//! with others that always hold, would take all places.
//! Test: `variants_of_the_best_treatment_leave_room_for_others`.

use punctual_model::lustre::Rational;
use punctual_semantics::program::Chance;
use punctual_smc::Stream;

use super::bands::{Band, bands};
use super::{Class, Example};

/// How treatments are searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Into how many ranges neighbouring changes are cut at most.
    pub granularity: usize,
    /// How many treatments are wanted.
    pub wanted: usize,
    /// How many ranges a treatment has at most.
    pub size_max: usize,
    /// The least share of all examples of the wanted class that a treatment keeps.
    pub support_min: f64,
    /// How many treatments a round draws.
    pub trials: usize,
    /// The number of rounds without a better treatment after which the search ends.
    pub futile: usize,
    /// The seed of all random draws.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            granularity: 3,
            wanted: 10,
            size_max: 4,
            support_min: 0.2,
            trials: 100,
            futile: 5,
            seed: 1,
        }
    }
}

/// A range of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Range {
    /// The attribute, by position.
    pub attribute: usize,
    /// The least value.
    pub low: Rational,
    /// The greatest value.
    pub high: Rational,
}

impl Range {
    pub(super) fn contains(&self, example: &Example) -> bool {
        (self.low..=self.high).contains(&example.changes[self.attribute])
    }
}

/// Ranges that must all hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Treatment {
    /// The ranges, of different attributes, in order.
    pub ranges: Vec<Range>,
    /// How much better the classes of the examples in it are than those of all.
    pub lift: f64,
    /// The share of the wanted class that the ranges keep.
    pub support: f64,
}

impl Treatment {
    /// Better ones first: those of equal lift by what they keep, then by how small they are.
    fn rank(&self, other: &Treatment) -> std::cmp::Ordering {
        (other.lift.total_cmp(&self.lift))
            .then(other.support.total_cmp(&self.support))
            .then(self.ranges.len().cmp(&other.ranges.len()))
    }
}

/// The best treatments for a class, the best first.
#[must_use]
pub fn treatments(examples: &[Example], target: Class, options: &Options) -> Vec<Treatment> {
    let Some(data) = Data::new(examples, target) else { return Vec::new() };
    let n_attributes = examples.first().map_or(0, |it| it.changes.len());
    let mut ranges = Vec::new();
    for attribute in 0..n_attributes {
        for Band { low, high, .. } in bands(examples, attribute, options.granularity) {
            ranges.push(Range { attribute, low, high });
        }
    }
    let lottery = Lottery::new(&data, ranges);
    let mut stream = Stream::of_run(options.seed, target as u64);
    let mut best: Vec<Treatment> = Vec::new();
    let mut n_futile = 0;
    while n_futile < options.futile.max(1) {
        let mut is_futile = true;
        for _ in 0..options.trials.max(1) {
            let size = 1 + below(&mut stream, options.size_max.max(1));
            let Some(treatment) = lottery.draw(&data, size, &mut stream) else { continue };
            if treatment.support >= options.support_min && treatment.lift >= 1.0 {
                is_futile &= !keep(&mut best, treatment, options.wanted);
            }
        }
        n_futile = if is_futile { n_futile + 1 } else { 0 };
    }
    best
}

/// Adds a treatment at its place. Says whether it is among the best, and has a range that no better one
/// has.
fn keep(best: &mut Vec<Treatment>, treatment: Treatment, wanted: usize) -> bool {
    let at = best.partition_point(|it| it.rank(&treatment).is_le());
    let is_known = |range: &Range| best[..at].iter().any(|it| it.ranges.contains(range));
    if at >= wanted || treatment.ranges.iter().all(is_known) {
        return false;
    }
    best.insert(at, treatment);
    // Others may have nothing of their own any more.
    let mut known: Vec<Range> = Vec::new();
    best.retain(|it| {
        let is_new = it.ranges.iter().any(|range| !known.contains(range));
        known.extend(&it.ranges);
        is_new
    });
    best.truncate(wanted);
    true
}

/// Different examples, with how often each occurs, and what they are worth.
struct Data<'e> {
    examples: Vec<(&'e Example, f64)>,
    target: Class,
    n_target: f64,
    /// The mean utility of all.
    baseline: f64,
}

impl<'e> Data<'e> {
    /// Counts examples; None if the wanted class does not occur.
    fn new(examples: &'e [Example], target: Class) -> Option<Data<'e>> {
        // Most steps are alike; to count them once makes all the difference.
        let mut distinct: std::collections::BTreeMap<(Class, &[Rational]), (&Example, u64)> =
            std::collections::BTreeMap::new();
        for example in examples {
            let key = (example.class, &example.changes[..]);
            distinct.entry(key).or_insert((example, 0)).1 += 1;
        }
        let examples: Vec<(&Example, f64)> =
            distinct.into_values().map(|(example, n)| (example, n as f64)).collect();
        let n_target: f64 =
            examples.iter().filter(|(it, _)| it.class == target).map(|(_, n)| n).sum();
        if n_target == 0.0 {
            return None;
        }
        let mut data = Data { examples, target, n_target, baseline: 1.0 };
        data.baseline = data.mean(|_| true)?;
        Some(data)
    }

    /// 2, 4 and 8: the wanted class is the best, not to change anything is the worst.
    fn utility(&self, class: Class) -> f64 {
        match class {
            Class::NotChanged => 2.0,
            class if class == self.target => 8.0,
            _ => 4.0,
        }
    }

    fn mean(&self, is_in: impl Fn(&Example) -> bool) -> Option<f64> {
        let (mut total, mut count) = (0.0, 0.0);
        for (example, n) in &self.examples {
            if is_in(example) {
                total += self.utility(example.class) * n;
                count += n;
            }
        }
        (count > 0.0).then(|| total / count)
    }

    /// The lift and the best support of ranges that must all hold.
    fn judge(&self, ranges: Vec<Range>) -> Option<Treatment> {
        let is_in = |it: &Example| ranges.iter().all(|range| range.contains(it));
        let lift = self.mean(is_in)? / self.baseline;
        let of = self.examples.iter().filter(|(it, _)| it.class == self.target && is_in(it));
        let kept: f64 = of.map(|(_, n)| n).sum();
        Some(Treatment { lift, support: kept / self.n_target, ranges })
    }
}

/// Ranges, of which those with a high lift are likely.
struct Lottery {
    ranges: Vec<Range>,
    /// Sums of lifts, up to each range.
    cumulative: Vec<f64>,
}

impl Lottery {
    fn new(data: &Data<'_>, ranges: Vec<Range>) -> Lottery {
        let lift = |range: Range| data.judge(vec![range]).map_or(0.0, |it| it.lift);
        let mut weighted: Vec<(f64, Range)> =
            ranges.into_iter().map(|range| (lift(range), range)).collect();
        weighted.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut sum = 0.0;
        let mut lottery = Lottery { ranges: Vec::new(), cumulative: Vec::new() };
        for (lift, range) in weighted {
            sum += lift;
            lottery.ranges.push(range);
            lottery.cumulative.push(sum);
        }
        lottery
    }

    /// A treatment of this size; smaller if chance draws the same attribute again and again.
    fn draw(&self, data: &Data<'_>, size: usize, stream: &mut Stream) -> Option<Treatment> {
        let total = *self.cumulative.last()?;
        let mut ranges: Vec<Range> = Vec::new();
        for _ in 0..4 * size {
            if ranges.len() == size {
                break;
            }
            let drawn = stream.unit() * total;
            let at = self.cumulative.partition_point(|it| *it <= drawn);
            let Some(range) = self.ranges.get(at) else { continue };
            if ranges.iter().all(|it| it.attribute != range.attribute) {
                ranges.push(*range);
            }
        }
        ranges.sort_by_key(|it| it.attribute);
        data.judge(ranges)
    }
}

/// A number less than `most`.
fn below(stream: &mut Stream, most: usize) -> usize {
    ((stream.unit() * most as f64) as usize).min(most - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(it: i128) -> Rational {
        Rational::from_integer(it)
    }

    /// The second variable explains correct steering, the third incorrect steering.
    fn data() -> Vec<Example> {
        let example =
            |changes: [i128; 3], class| Example { changes: changes.map(whole).to_vec(), class };
        let mut examples = vec![example([0, 0, 0], Class::NotChanged); 960];
        for i in 0..20 {
            examples.push(example([i % 2, 1 + i % 2, 0], Class::ChangedCorrect));
        }
        for i in 0..10 {
            examples.push(example([i % 2, 0, 5], Class::ChangedIncorrect));
        }
        examples
    }

    #[test]
    fn the_range_that_explains_a_class_is_found() {
        let examples = data();
        let range = |attribute, low, high| Range { attribute, low: whole(low), high: whole(high) };
        let one = Options { granularity: 1, ..Options::default() };
        let good = treatments(&examples, Class::ChangedCorrect, &one);
        assert!(good[0].ranges.contains(&range(1, 1, 2)), "{good:?}");
        assert!((good[0].support - 1.0).abs() < 1e-9);
        let bad = treatments(&examples, Class::ChangedIncorrect, &Options::default());
        assert!(bad[0].ranges.contains(&range(2, 5, 5)), "{bad:?}");
        assert!(good.len() <= 10 && bad.len() <= 10);
    }

    /// Five other variables are often changed together with the first. There are more than ten
    /// conjunctions of them that hold more often than that the first is changed by two.
    #[test]
    fn variants_of_the_best_treatment_leave_room_for_others() {
        let mut examples = Vec::new();
        let mut add = |first: i128, class, n: usize| {
            for i in 0..n {
                let mut changes = vec![whole(0); 6];
                changes[0] = whole(first);
                for (at, change) in changes.iter_mut().enumerate().skip(1) {
                    *change = whole(i128::from(first == 1 && at % 3 != i % 3));
                }
                examples.push(Example { changes, class });
            }
        };
        add(0, Class::NotChanged, 2000);
        add(1, Class::ChangedCorrect, 60);
        add(2, Class::ChangedCorrect, 30);
        let good = treatments(&examples, Class::ChangedCorrect, &Options::default());
        let two = Range { attribute: 0, low: whole(2), high: whole(2) };
        assert!(good.iter().any(|it| it.ranges.contains(&two)), "{good:?}");
        assert!(good.len() <= 10);
        for (at, it) in good.iter().enumerate() {
            let is_known = |range: &Range| good[..at].iter().any(|it| it.ranges.contains(range));
            assert!(!it.ranges.iter().all(is_known), "adds nothing: {it:?}");
        }
    }

    #[test]
    fn rare_treatments_are_rejected_however_good_they_are() {
        let mut examples = data();
        for example in &mut examples {
            example.changes[0] = whole(0);
        }
        // One correct example of many, in a range of its own.
        let lonely =
            Example { changes: vec![whole(9), whole(1), whole(0)], class: Class::ChangedCorrect };
        examples.push(lonely);
        let options = Options::default();
        let nine = Range { attribute: 0, low: whole(9), high: whole(9) };
        let good = treatments(&examples, Class::ChangedCorrect, &options);
        assert!(!good.is_empty());
        assert!(good.iter().all(|it| !it.ranges.contains(&nine)), "{good:?}");
        let options = Options { support_min: 0.0, ..options };
        let good = treatments(&examples, Class::ChangedCorrect, &options);
        assert!(good.iter().any(|it| it.ranges.contains(&nine)), "{good:?}");
    }

    #[test]
    fn chance_comes_from_the_seed() {
        let examples = data();
        let learn = |seed| {
            treatments(&examples, Class::ChangedCorrect, &Options { seed, ..Options::default() })
        };
        assert_eq!(learn(3), learn(3));
    }

    #[test]
    fn nothing_is_learned_from_nothing() {
        assert_eq!(treatments(&[], Class::ChangedCorrect, &Options::default()), []);
        let only_bad: Vec<Example> =
            data().into_iter().filter(|it| it.class != Class::ChangedCorrect).collect();
        assert_eq!(treatments(&only_bad, Class::ChangedCorrect, &Options::default()), []);
    }
}
