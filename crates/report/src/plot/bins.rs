//! Which bars a histogram has.

/// How many values lie in a part of the axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bin {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) count: u64,
    /// The values are whole, and the bin reaches half a unit beyond them on both sides.
    pub(crate) whole: bool,
}

/// Equal parts between the ends of `sorted`, at most `n_max`; every value is in exactly one.
///
/// Their width is 2 IQR / ∛n (Freedman & Diaconis 1981), so a few late values do not flatten the
/// rest. DIFFERENCE(freedman81): where half of the values are equal the rule gives no width, and
/// there are log₂ n + 1 bins; bins of whole values (steps, costs) contain equally many of them,
/// since otherwise every few bars one would be too high.
pub(crate) fn bins(sorted: &[f64], n_max: usize) -> Vec<Bin> {
    let (Some(low), Some(high)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let n = sorted.len() as f64;
    let span = high - low;
    let width = 2.0 * (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / n.cbrt();
    let wanted = if width > 0.0 { (span / width).ceil() } else { n.log2().ceil() + 1.0 };
    let wanted = if span > 0.0 { wanted.clamp(1.0, n_max.max(1) as f64) } else { 1.0 };

    let whole = sorted.iter().all(|value| value.fract() == 0.0 && value.abs() < 1e15);
    let (start, width, n_bins) = if whole {
        let step = ((span + 1.0) / wanted).ceil();
        (low - 0.5, step, ((span + 1.0) / step).ceil())
    } else {
        (*low, span / wanted, wanted)
    };
    let n_bins = n_bins as usize;
    let edge = |i: usize| start + i as f64 * width;
    let mut bins: Vec<Bin> =
        (0..n_bins).map(|i| Bin { low: edge(i), high: edge(i + 1), count: 0, whole }).collect();
    for value in sorted {
        // Without a width there is one bin, and the quotient does not matter.
        let index = ((value - start) / width) as usize;
        bins[index.min(n_bins - 1)].count += 1;
    }
    bins
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let index = (share * (sorted.len() - 1) as f64).round() as usize;
    sorted[index]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(sorted: &[f64]) -> Vec<u64> {
        bins(sorted, 50).iter().map(|bin| bin.count).collect()
    }

    #[test]
    fn few_values() {
        assert!(counts(&[]).is_empty());
        assert_eq!(counts(&[2.5]), [1]);
        assert_eq!(counts(&[2.5; 7]), [7]);
        assert_eq!(bins(&[3.0], 50), [Bin { low: 2.5, high: 3.5, count: 1, whole: true }]);
    }

    /// Ten values of each number from 0 to 99: bars of equal height.
    #[test]
    fn whole_values_are_not_unequal_by_rounding() {
        let sorted: Vec<f64> = (0..1_000).map(|i| f64::from(i / 10)).collect();
        let found = bins(&sorted, 50);
        assert!(found.iter().all(|bin| bin.count == found[0].count), "{found:?}");
        assert_eq!(found.len(), 10);
    }

    #[test]
    fn late_values_do_not_make_endless_bins() {
        let mut sorted: Vec<f64> = (0..1_000).map(|i| f64::from(i) / 999.5).collect();
        sorted.push(1e9 + 0.5);
        assert_eq!(bins(&sorted, 50).len(), 50);
    }

    proptest! {
        #[test]
        fn every_value_is_in_its_bin(
            mut values in proptest::collection::vec(-1e6..1e6_f64, 0..200), n_max in 0..60_usize,
        ) {
            values.sort_by(f64::total_cmp);
            let found = bins(&values, n_max);
            prop_assert!(found.len() <= n_max.max(1));
            prop_assert_eq!(found.iter().map(|bin| bin.count).sum::<u64>(), values.len() as u64);
            for bin in &found {
                let slack = 1e-6;
                let inside = |v: &&f64| **v > bin.low + slack && **v < bin.high - slack;
                prop_assert!(values.iter().filter(inside).count() as u64 <= bin.count);
            }
        }
    }
}
