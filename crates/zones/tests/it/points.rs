//! Points: membership and sampling.

use proptest::prelude::*;
use punctual_zones::{Bound, Point, Zone};

use crate::grid::{self, EIGHTHS, QUARTERS, inside};
use crate::zones::{small, zone};

fn any_zone() -> impl Strategy<Value = Zone> {
    prop_oneof![zone(2, 4), zone(3, 5), zone(5, 9), zone(8, 30)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Membership is that of every bound.
    #[test]
    fn contains_checks_every_bound(zone in small()) {
        for denominator in [3, QUARTERS] {
            for point in grid::points(zone.dim() - 1, 5, denominator) {
                let expected = inside(&zone, &point, denominator);
                prop_assert_eq!(zone.contains(&Point::new(point, denominator)), expected);
            }
        }
    }

    /// The earliest point lies inside; if there is a point with all least values, it is that one,
    /// and otherwise no clock is a whole unit late.
    #[test]
    fn earliest_is_inside_and_early(zone in any_zone()) {
        let point = zone.earliest();
        prop_assert!(zone.contains(&point), "{} in {:?}", point, zone);
        let mut attained = true;
        for clock in 1..zone.dim() {
            let least = zone.min(clock);
            attained &= least.attained;
            let late = point.numerator(clock) - i64::from(least.value) * point.denominator();
            prop_assert!((0..point.denominator()).contains(&late));
        }
        if attained {
            let least: Vec<i64> = (1..zone.dim()).map(|x| i64::from(zone.min(x).value)).collect();
            prop_assert_eq!(point, Point::new(least, 1));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Whatever is drawn lies inside, and the same draws give the same point.
    #[test]
    fn samples_are_inside(zone in any_zone(), seed in any::<u64>(), resolution in 1..200_u32) {
        let draw = || {
            let mut state = seed;
            zone.sample(resolution, 10, move || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
                state >> 11
            })
        };
        let point = draw();
        prop_assert!(zone.contains(&point), "{} in {:?}", point, zone);
        prop_assert_eq!(draw(), point);
        for extreme in [0, u64::MAX] {
            prop_assert!(zone.contains(&zone.sample(resolution, 10, || extreme)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// With a fine grid every point of a coarser one can be drawn, so nothing is left out.
    #[test]
    fn every_point_can_be_chosen(zone in zone(2, 3)) {
        // The grid has steps of 1 / (3 * 8), and eighths are three of them. An eighth that lies
        // inside keeps a whole step from strict bounds.
        for wanted in grid::points(2, 4, EIGHTHS).iter().filter(|it| inside(&zone, it, EIGHTHS)) {
            let point = zone.view().sample_by(8, |clock, least, greatest| {
                let value = wanted[clock - 1] * 3;
                assert!(least <= value && greatest.is_none_or(|greatest| value <= greatest));
                value
            });
            prop_assert!(zone.contains(&point));
        }
    }
}

#[test]
fn a_chain_of_strict_bounds_has_room_on_the_grid() {
    // 0 < x1 < x2 < ... < x9 < 1, with the clocks in an order that does not help.
    let mut zone = Zone::universe(9);
    let order = [5, 9, 1, 7, 3, 8, 2, 6, 4];
    assert!(zone.constrain(0, order[0], Bound::lt(0)) && zone.constrain(order[8], 0, Bound::lt(1)));
    for pair in order.windows(2) {
        assert!(zone.constrain(pair[0], pair[1], Bound::lt(0)));
    }
    let point = zone.earliest();
    assert_eq!(point.denominator(), 10);
    assert!(zone.contains(&point));
    assert_eq!(point.numerator(5), 1);
    assert_eq!(point.numerator(4), 9);
}

#[test]
#[should_panic(expected = "lies outside the zone")]
fn a_choice_outside_is_refused() {
    let _ = Zone::zero(1).view().sample_by(1, |_, _, _| 1);
}
