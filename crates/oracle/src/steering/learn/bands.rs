//! Values of an attribute as few ranges that are about equally full.

use punctual_model::lustre::Rational;

/// The ranges of sorted values, both ends included; equal values are in one range.
///
/// DIFFERENCE(tar3): its bands are half open and reach up to the next one; ours end at values that
/// were seen, so that a tolerance never allows a change that nobody made.
pub(super) fn bands(mut values: Vec<Rational>, granularity: usize) -> Vec<(Rational, Rational)> {
    values.sort_unstable();
    let n_distinct = values.chunk_by(|a, b| a == b).count();
    // Few values need no cut: each is a band, however rare it is beside the most common one.
    let size = match n_distinct < granularity {
        true => 1,
        false => values.len() / granularity.clamp(1, n_distinct.max(1)),
    };
    let mut bands = Vec::new();
    let mut start = 0;
    while start < values.len() {
        let mut end = (start + size.max(1)).min(values.len());
        while end < values.len() && values[end] == values[end - 1] {
            end += 1;
        }
        bands.push((values[start], values[end - 1]));
        start = end;
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn banded(values: &[i128], granularity: usize) -> Vec<(i128, i128)> {
        let values = values.iter().map(|it| Rational::from_integer(*it)).collect();
        let whole = |(low, high): (Rational, Rational)| (low.to_integer(), high.to_integer());
        bands(values, granularity).into_iter().map(whole).collect()
    }

    #[test]
    fn bands_are_equally_full() {
        assert_eq!(banded(&[6, 5, 4, 3, 2, 1], 3), [(1, 2), (3, 4), (5, 6)]);
        assert_eq!(banded(&[7, 7, 7], 3), [(7, 7)]);
        assert_eq!(banded(&[], 3), []);
    }

    #[test]
    fn ties_stay_together() {
        // Most steps are not changed: the zeros join the band that they begin in.
        let changes = [-4, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2];
        assert_eq!(banded(&changes, 3), [(-4, 0), (1, 2)]);
        assert_eq!(banded(&changes, 9), [(-4, -4), (-1, -1), (0, 0), (1, 1), (2, 2)]);
    }
}
