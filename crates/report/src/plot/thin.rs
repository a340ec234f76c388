//! Fewer points for the same picture.
//!
//! Of all points in a column of pixels four are kept: the first, the last, the lowest and the
//! highest. What is drawn then covers the same pixels, and no extreme value disappears, as it
//! would if every tenth point were taken.

use crate::geometry::Pt;

/// The points to draw for `points`, which go from left to right, in columns that are `width` wide.
pub(crate) fn thinned(points: &[Pt], width: f64) -> Vec<Pt> {
    let column = |point: &Pt| (point.x / width).floor();
    let mut kept = Vec::new();
    for group in points.chunk_by(|a, b| column(a) == column(b)) {
        if group.len() <= 4 {
            kept.extend_from_slice(group);
            continue;
        }
        let (mut low, mut high) = (0, 0);
        for (i, point) in group.iter().enumerate() {
            if point.y < group[low].y {
                low = i;
            }
            if point.y > group[high].y {
                high = i;
            }
        }
        let mut chosen = [0, low.min(high), low.max(high), group.len() - 1].to_vec();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|i| group[i]));
    }
    kept
}

/// The corners of the step function through `points`: each value holds until the next point.
pub(crate) fn stairs(points: &[Pt]) -> Vec<Pt> {
    let mut corners: Vec<Pt> = Vec::with_capacity(2 * points.len());
    for (i, point) in points.iter().enumerate() {
        let level = corners.last().map_or(point.y, |corner| corner.y);
        let is_last = i + 1 == points.len();
        if level != point.y || is_last {
            corners.push(Pt::new(point.x, level));
        }
        if level != point.y || i == 0 {
            corners.push(*point);
        }
    }
    corners.dedup();
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points(values: &[(f64, f64)]) -> Vec<Pt> {
        values.iter().map(|(x, y)| Pt::new(*x, *y)).collect()
    }

    #[test]
    fn a_peak_survives() {
        let mut many: Vec<Pt> = (0..1_000).map(|i| Pt::new(f64::from(i) / 100.0, 0.0)).collect();
        many[345].y = 9.0;
        many[346].y = -9.0;
        let few = thinned(&many, 1.0);
        assert!(few.len() <= 40, "{}", few.len());
        assert!(few.contains(&many[345]) && few.contains(&many[346]));
    }

    #[test]
    fn few_points_stay_as_they_are() {
        let few = points(&[(0.0, 1.0), (0.1, 2.0), (5.0, 0.0)]);
        assert_eq!(thinned(&few, 1.0), few);
        assert_eq!(thinned(&[], 1.0), []);
    }

    #[test]
    fn values_hold_until_the_next_point() {
        let corners = stairs(&points(&[(0.0, 1.0), (2.0, 3.0), (4.0, 3.0), (5.0, 0.0)]));
        let expected = [(0.0, 1.0), (2.0, 1.0), (2.0, 3.0), (5.0, 3.0), (5.0, 0.0)];
        assert_eq!(corners, points(&expected));
        assert_eq!(stairs(&points(&[(1.0, 1.0)])), points(&[(1.0, 1.0)]));
        assert_eq!(stairs(&points(&[(0.0, 1.0), (2.0, 1.0)])), points(&[(0.0, 1.0), (2.0, 1.0)]));
    }

    proptest! {
        /// Compared with the definition: per column the same ends and extremes, in the same order.
        #[test]
        fn columns_keep_their_ends_and_extremes(
            mut values in proptest::collection::vec((0.0..20.0_f64, -9.0..9.0_f64), 0..200),
        ) {
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            let all = points(&values);
            let kept = thinned(&all, 2.0);
            prop_assert!(kept.windows(2).all(|pair| pair[0].x <= pair[1].x));
            for column in 0..10 {
                let within = |from: &[Pt]| -> Vec<Pt> {
                    from.iter().filter(|p| (p.x / 2.0) as i32 == column).copied().collect()
                };
                let (before, after) = (within(&all), within(&kept));
                let low = |of: &[Pt]| of.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
                let high = |of: &[Pt]| of.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
                prop_assert!(after.len() <= 4);
                prop_assert_eq!(before.first(), after.first());
                prop_assert_eq!(before.last(), after.last());
                prop_assert_eq!(low(&before), low(&after));
                prop_assert_eq!(high(&before), high(&after));
            }
        }
    }
}
