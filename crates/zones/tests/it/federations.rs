//! Unions of zones, point by point.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use punctual_zones::{Bound, Federation, Point, Zone};

use crate::grid::{self, EIGHTHS, QUARTERS, in_eighths, inside};
use crate::zones::{two, zone};

/// Whether a point lies in one of the zones.
fn within(zones: &[Zone], point: &[i64], denominator: i64) -> bool {
    zones.iter().any(|zone| inside(zone, point, denominator))
}

fn federation(zones: &[Zone]) -> Federation {
    let mut federation = Federation::empty(2);
    for zone in zones {
        federation.insert(zone.clone());
    }
    federation
}

/// Compares on a grid that is wide enough for the operands and for what came out.
fn compare(
    federation: &Federation,
    operands: &[Zone],
    definition: impl Fn(&[i64]) -> bool,
) -> Result<(), TestCaseError> {
    for zone in federation.zones() {
        crate::reference::is_canonical(zone).map_err(TestCaseError::fail)?;
    }
    let all: Vec<&Zone> = operands.iter().chain(federation.zones()).collect();
    let set = |point: &[i64]| {
        let inside = within(federation.zones(), point, QUARTERS);
        assert_eq!(federation.contains(&Point::new(point.to_vec(), QUARTERS)), inside);
        inside
    };
    grid::compare(federation.dim() - 1, grid::side(&all), set, definition)
        .map_err(TestCaseError::fail)
}

fn zones() -> impl Strategy<Value = Vec<Zone>> {
    prop::collection::vec(zone(2, 4), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// What is left after subtraction are the points of the one that the other has not, each in one
    /// piece only.
    #[test]
    fn subtract_is_the_difference((zone, other) in two()) {
        let rest = zone.subtract(&other);
        let operands = [zone.clone(), other.clone()];
        compare(&rest, &operands, |point| {
            inside(&zone, point, QUARTERS) && !inside(&other, point, QUARTERS)
        })?;
        for point in grid::points(zone.dim() - 1, grid::side(&[&zone, &other]), QUARTERS) {
            let n_pieces = rest.zones().iter().filter(|it| inside(it, &point, QUARTERS)).count();
            prop_assert!(n_pieces <= 1);
        }
        prop_assert_eq!(rest.is_empty(), zone.is_included_in(&other));
    }

    /// Union, intersection and difference of federations are those of their points.
    #[test]
    fn federations_are_sets(a in zones(), b in zones()) {
        let (left, right) = (federation(&a), federation(&b));
        let operands = [a.as_slice(), &b].concat();
        let has = |zones: &[Zone], point: &[i64]| within(zones, point, QUARTERS);

        let mut union = left.clone();
        union.union(&right);
        compare(&union, &operands, |point| has(&a, point) || has(&b, point))?;
        let mut common = left.clone();
        common.intersect_all(&right);
        compare(&common, &operands, |point| has(&a, point) && has(&b, point))?;
        let mut rest = left.clone();
        rest.subtract_all(&right);
        compare(&rest, &operands, |point| has(&a, point) && !has(&b, point))?;

        for mut same in [union.clone(), union.clone()].into_iter().enumerate() {
            if same.0 == 0 { same.1.reduce() } else { same.1.merge() }
            let same = same.1;
            compare(&same, &operands, |point| has(&a, point) || has(&b, point))?;
            prop_assert!(same.same_set(&union));
            for i in 0..same.zones().len() {
                let mut others = same.zones().to_vec();
                let one = others.remove(i);
                prop_assert!(!federation(&others).includes(&one), "one is covered by the others");
            }
        }
    }

    /// Inclusion in a federation looks at all of its zones together.
    #[test]
    fn inclusion_is_that_of_the_points(a in zones(), b in zones(), c in zone(2, 4)) {
        // A zone cut in two is covered by its parts; independent zones seldom are.
        let mut parts = a.clone();
        parts.extend(c.clone().constrained(1, 2, Bound::lt(1)));
        parts.extend(c.clone().constrained(2, 1, Bound::le(-1)));
        prop_assert!(federation(&parts).includes(&c));

        let (left, right) = (federation(&a), federation(&b));
        let all: Vec<&Zone> = a.iter().chain(&b).chain([&c]).collect();
        let points = grid::points(2, grid::side(&all), QUARTERS);
        let covers = |large: &[Zone], small: &[Zone]| {
            !points.iter().any(|point| {
                within(small, point, QUARTERS) && !within(large, point, QUARTERS)
            })
        };
        prop_assert_eq!(left.includes(&c), covers(&a, std::slice::from_ref(&c)));
        prop_assert_eq!(left.includes_all(&right), covers(&a, &b));
        prop_assert_eq!(left.same_set(&right), covers(&a, &b) && covers(&b, &a));
    }

    /// What changes all zones changes the set.
    #[test]
    fn changes_are_those_of_each_zone(zones in zones(), other in zone(2, 4)) {
        let original = federation(&zones);
        let operands = [zones.as_slice(), std::slice::from_ref(&other)].concat();
        // A unit more than any constant.
        let longest = 5 * EIGHTHS;
        let delayed = |point: &[i64], mut delays: std::ops::RangeInclusive<i64>| {
            let point = in_eighths(point);
            delays.any(|delay| {
                let moved: Vec<i64> = point.iter().map(|value| value + delay).collect();
                moved.iter().all(|value| *value >= 0) && within(&zones, &moved, EIGHTHS)
            })
        };
        let mut later = original.clone();
        later.up();
        compare(&later, &operands, |p| delayed(p, -200..=0))?;
        let mut earlier = original.clone();
        earlier.down();
        compare(&earlier, &operands, |p| delayed(p, 0..=longest))?;
        let has = |point: &[i64]| within(&zones, point, QUARTERS);
        let mut cut = original.clone();
        cut.intersect(&other);
        compare(&cut, &operands, |point| has(point) && inside(&other, point, QUARTERS))?;
        let mut without = original.clone();
        without.subtract(&other);
        compare(&without, &operands, |point| has(point) && !inside(&other, point, QUARTERS))?;
        let mut guarded = original.clone();
        guarded.constrain(1, 2, Bound::lt(1));
        compare(&guarded, &operands, |point| has(point) && point[0] - point[1] < QUARTERS)?;
        let (mut reset, mut free) = (original.clone(), original.clone());
        reset.reset(1, 2);
        free.free(1);
        let some = |point: &[i64]| {
            let point = in_eighths(point);
            (0..=point[1] + longest).any(|value| within(&zones, &[value, point[1]], EIGHTHS))
        };
        compare(&free, &operands, some)?;
        compare(&reset, &operands, |point| point[0] == 2 * QUARTERS && some(point))?;
        match original.hull() {
            None => prop_assert!(zones.is_empty()),
            Some(hull) => prop_assert!(zones.iter().all(|zone| hull.includes(zone))),
        }
    }
}
