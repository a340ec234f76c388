//! The operations that change a zone.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use punctual_zones::{Bound, Constraint, Zone};

use crate::grid::{self, EIGHTHS, QUARTERS, check, in_eighths, inside};
use crate::reference::{self, Matrix};
use crate::zones::{constraints, small, two, zone};

fn fail(error: String) -> TestCaseError {
    TestCaseError::fail(error)
}

/// Whether a point satisfies constraints, by arithmetic on the point alone.
fn satisfies(constraints: &[Constraint], point: &[i64], denominator: i64) -> bool {
    let value = |clock: u32| if clock == 0 { 0 } else { point[clock as usize - 1] };
    constraints.iter().all(|it| {
        let Some(constant) = it.bound.constant() else { return true };
        let limit = i64::from(constant) * denominator;
        let difference = value(it.x) - value(it.y);
        if it.bound.is_weak() { difference <= limit } else { difference < limit }
    })
}

/// Any value of clock `x` that puts the point into the zone.
fn some_value(zone: &Zone, x: usize, point: &[i64]) -> bool {
    let mut other = in_eighths(point);
    // If any value will do, one does that is not a unit further up than the bounds reach.
    let highest = other.iter().max().unwrap_or(&0) + (grid::largest(zone) + 1) * EIGHTHS;
    (0..=highest).any(|value| {
        other[x - 1] = value;
        inside(zone, &other, EIGHTHS)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A zone of constraints has the points that satisfy each of them; there is none if no point does.
    #[test]
    fn constraints_are_a_conjunction(
        (n, list) in prop_oneof![
            constraints(2, 4, 6).prop_map(|list| (2, list)),
            constraints(3, 2, 7).prop_map(|list| (3, list)),
        ]
    ) {
        // A path of bounds visits each clock once, so that is how large lower bounds get.
        let reach = if n == 2 { 2 * 4 + 1 } else { 3 * 2 + 1 };
        match Zone::from_constraints(n, list.iter().copied()) {
            Some(zone) => {
                check(&zone, &[], |point| satisfies(&list, point, QUARTERS)).map_err(fail)?;
            }
            None => {
                let points = grid::points(n, reach, QUARTERS);
                prop_assert!(!points.iter().any(|point| satisfies(&list, point, QUARTERS)));
            }
        }
    }

    /// A constraint that cannot be satisfied says so and changes nothing.
    #[test]
    fn constrain_fails_without_a_trace(zone in small(), list in constraints(2, 4, 4)) {
        let mut changed = zone.clone();
        for it in list {
            let before = changed.clone();
            // One path through the new constraint, which has constants up to 4.
            let points = grid::points(zone.dim() - 1, grid::side(&[&before]) + 4, QUARTERS);
            let possible = points.iter().any(|point| {
                inside(&before, point, QUARTERS) && satisfies(&[it], point, QUARTERS)
            });
            prop_assert_eq!(changed.constrain(it.x as usize, it.y as usize, it.bound), possible);
            if !possible {
                prop_assert_eq!(&changed, &before);
            }
            reference::is_canonical(&changed).map_err(fail)?;
        }
    }

    /// Any matrix becomes the zone of its constraints.
    #[test]
    fn from_matrix_closes(cells in prop::collection::vec((-3..9_i32, 0..5_u8), 25)) {
        let bound = |&(constant, kind): &(i32, u8)| match kind {
            0 => Bound::INFINITY,
            1 | 2 => Bound::lt(constant),
            _ => Bound::le(constant),
        };
        let cells: Vec<Bound> = cells.iter().map(bound).collect();
        let mut matrix = Matrix::universe(5);
        for (i, &bound) in cells.iter().enumerate() {
            matrix.constrain(i / 5, i % 5, reference::weight(bound));
        }
        let zone = Zone::from_matrix(cells);
        prop_assert_eq!(zone.as_ref().map(Matrix::of), matrix.closed());
    }

    /// Waiting leads to a point if, some delay earlier, it was in the zone.
    #[test]
    fn up_is_waiting(zone in small()) {
        let mut later = zone.clone();
        later.up();
        let definition = |point: &[i64]| {
            let point = in_eighths(point);
            let least = point.iter().copied().min().unwrap_or(0);
            (0..=least).any(|delay| {
                let before: Vec<i64> = point.iter().map(|value| value - delay).collect();
                inside(&zone, &before, EIGHTHS)
            })
        };
        check(&later, &[&zone], definition).map_err(fail)?;
    }

    /// A point is in the past if, some delay later, it is in the zone.
    #[test]
    fn down_is_having_waited(zone in small()) {
        let mut earlier = zone.clone();
        earlier.down();
        // Whoever gets into the zone at all gets there before all its lower bounds have passed.
        let longest = (grid::largest(&zone) + 1) * EIGHTHS;
        let definition = |point: &[i64]| {
            let point = in_eighths(point);
            (0..=longest).any(|delay| {
                let after: Vec<i64> = point.iter().map(|value| value + delay).collect();
                inside(&zone, &after, EIGHTHS)
            })
        };
        check(&earlier, &[&zone], definition).map_err(fail)?;
    }

    /// Resetting `x` keeps exactly the valuations that some `x` could have led to.
    #[test]
    fn reset_is_projection(zone in small(), x in 1..3_usize, value in 0..4_i32) {
        let mut after = zone.clone();
        after.reset(x, value);
        let definition = |point: &[i64]| {
            point[x - 1] == i64::from(value) * QUARTERS && some_value(&zone, x, point)
        };
        check(&after, &[&zone], definition).map_err(fail)?;
    }

    /// Freeing `x` keeps what the other clocks could be.
    #[test]
    fn free_forgets_one_clock(zone in small(), x in 1..3_usize) {
        let mut after = zone.clone();
        after.free(x);
        check(&after, &[&zone], |point| some_value(&zone, x, point)).map_err(fail)?;
    }

    /// After `x := y` both are equal, and some `x` could have led there.
    #[test]
    fn copy_is_assignment(zone in small(), x in 1..3_usize, y in 1..3_usize) {
        let mut after = zone.clone();
        after.copy(x, y);
        if x == y {
            prop_assert_eq!(&after, &zone);
        }
        let definition = |point: &[i64]| {
            if x == y {
                return inside(&zone, point, QUARTERS);
            }
            point[x - 1] == point[y - 1] && some_value(&zone, x, point)
        };
        check(&after, &[&zone], definition).map_err(fail)?;
    }

    /// A point is in the shifted zone if, shifted back, it is in the zone.
    #[test]
    fn shift_moves_one_clock(zone in small(), x in 1..3_usize, constant in -4..3_i32) {
        let mut after = zone.clone();
        let back = |point: &[i64]| {
            let mut before = point.to_vec();
            before[x - 1] -= i64::from(constant) * QUARTERS;
            before[x - 1] >= 0 && inside(&zone, &before, QUARTERS)
        };
        if after.shift(x, constant) {
            check(&after, &[&zone], back).map_err(fail)?;
        } else {
            prop_assert_eq!(&after, &zone);
            let points = grid::points(zone.dim() - 1, grid::side(&[&zone]), QUARTERS);
            prop_assert!(!points.iter().any(|point| back(point)));
        }
    }

    /// A point is in the blurred zone if one is in the zone that differs in one clock, by no more than the zone was blurred.
    #[test]
    fn blur_moves_one_clock_a_little(zone in small(), x in 1..3_usize, by in 0..3_i32) {
        let mut after = zone.clone();
        prop_assume!(after.shift(x, by));
        let shifted = after.clone();
        after.blur(x, by);
        let near = |point: &[i64]| {
            // What lies between points of the grid may be near to one of them.
            let finer = 8 * QUARTERS;
            let by = i64::from(by) * finer;
            (-by..=by).any(|off| {
                let mut before: Vec<i64> = point.iter().map(|it| 8 * it).collect();
                before[x - 1] += off;
                before[x - 1] >= 0 && inside(&shifted, &before, finer)
            })
        };
        check(&after, &[&shifted], near).map_err(fail)?;
    }

    /// The intersection has the points of both; if there are none, a copy of the other is left.
    #[test]
    fn intersect_keeps_common_points((zone, other) in two()) {
        let definition =
            |point: &[i64]| inside(&zone, point, QUARTERS) && inside(&other, point, QUARTERS);
        let mut both = zone.clone();
        let non_empty = both.intersect(&other);
        prop_assert_eq!(zone.intersects(&other), non_empty);
        if non_empty {
            check(&both, &[&zone, &other], definition).map_err(fail)?;
        } else {
            prop_assert_eq!(&both, &other);
            let points = grid::points(zone.dim() - 1, grid::side(&[&zone, &other]), QUARTERS);
            prop_assert!(!points.iter().any(|point| definition(point)));
        }
    }

    /// The hull contains both, and lies in every zone that does.
    #[test]
    fn hull_is_the_smallest_zone_around((zone, other) in two(), list in constraints(2, 5, 1)) {
        let mut hull = zone.clone();
        hull.hull(&other);
        reference::is_canonical(&hull).map_err(fail)?;
        prop_assert!(hull.includes(&zone) && hull.includes(&other));
        // Zones are intersections of half-spaces: it is enough to look at those around both.
        for it in list {
            let half = Zone::from_constraints(zone.dim() - 1, [it]);
            if half.is_some_and(|half| half.includes(&zone) && half.includes(&other)) {
                prop_assert!(hull.bound(it.x as usize, it.y as usize) <= it.bound);
            }
        }
        for x in 0..zone.dim() {
            for y in 0..zone.dim() {
                let bound = hull.bound(x, y);
                prop_assert!(bound == zone.bound(x, y) || bound == other.bound(x, y));
            }
        }
    }

    /// The limits of a difference are the least and the greatest value of the points.
    #[test]
    fn limits_are_attained_or_approached(zone in zone(2, 4), x in 0..3_usize, y in 0..3_usize) {
        // Wide enough that a difference without end exceeds every constant.
        let points = grid::points(2, 3 * grid::largest(&zone) + 3, QUARTERS);
        let value = |point: &[i64], clock: usize| if clock == 0 { 0 } else { point[clock - 1] };
        let differences = points
            .iter()
            .filter(|point| inside(&zone, point, QUARTERS))
            .map(|point| value(point, x) - value(point, y));
        let greatest = differences.max().expect("a zone is not empty");
        match zone.view().max_difference(x, y) {
            None => prop_assert!(greatest > (2 * grid::largest(&zone) + 1) * QUARTERS),
            Some(limit) if limit.attained => {
                prop_assert_eq!(greatest, i64::from(limit.value) * QUARTERS);
            }
            Some(limit) => {
                let below = i64::from(limit.value) * QUARTERS - greatest;
                prop_assert!(0 < below && below < QUARTERS, "{} quarters below", below);
            }
        }
        let least = zone.view().min_difference(y, x);
        let mirrored = zone.view().max_difference(x, y);
        prop_assert_eq!(least.map(|it| -it.value), mirrored.map(|it| it.value));
        prop_assert_eq!(zone.max(1), zone.view().max_difference(1, 0));
        prop_assert_eq!(Some(zone.min(1)), zone.view().min_difference(1, 0));
    }
}

#[test]
fn zero_and_universe_are_what_they_say() {
    for n_clocks in 0..4 {
        let (zero, universe) = (Zone::zero(n_clocks), Zone::universe(n_clocks));
        check(&zero, &[], |point| point.iter().all(|value| *value == 0)).unwrap();
        check(&universe, &[], |_| true).unwrap();
        let mut zone = universe.clone();
        zone.set_zero();
        assert_eq!(zone, zero);
        zone.set_universe();
        assert_eq!(zone, universe);
    }
}

#[test]
fn assign_reuses_or_replaces_the_buffer() {
    let mut zone = Zone::zero(2);
    zone.clone_from(&Zone::universe(2));
    assert_eq!(zone, Zone::universe(2));
    zone.assign(&Zone::zero(3));
    assert_eq!(zone, Zone::zero(3));
}
