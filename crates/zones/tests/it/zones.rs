//! Any zones.

use proptest::prelude::*;
use punctual_zones::{Bound, Constraint, Zone};

use crate::grid::largest;

/// Constraints over clocks and the reference, not necessarily with a solution.
pub(crate) fn constraints(
    n_clocks: usize,
    largest: i32,
    n_max: usize,
) -> impl Strategy<Value = Vec<Constraint>> {
    let clocks = (0..=n_clocks, 1..=n_clocks);
    let one =
        (clocks, -largest..=largest, any::<bool>()).prop_map(move |((x, step), constant, weak)| {
            let y = (x + step) % (n_clocks + 1);
            Constraint::new(x, y, Bound::new(constant, weak).expect("small"))
        });
    prop::collection::vec(one, 0..=n_max)
}

/// Zones whose constants are at most `max`, by constraints and by waiting and resetting.
pub(crate) fn zone(n_clocks: usize, max: i32) -> impl Strategy<Value = Zone> {
    let step = (0..4_u8, 1..=n_clocks, 0..=max);
    let parts =
        (constraints(n_clocks, max, 5), prop::option::of(step), constraints(n_clocks, max, 3));
    parts.prop_filter_map("empty, or constants too large", move |(first, step, second)| {
        let mut zone = Zone::universe(n_clocks);
        for it in first {
            // One that cannot be satisfied is left out.
            let _ = zone.constrain(it.x as usize, it.y as usize, it.bound);
        }
        match step {
            Some((0, ..)) => zone.up(),
            Some((1, ..)) => zone.down(),
            Some((2, clock, value)) => zone.reset(clock, value),
            Some((_, clock, _)) => zone.free(clock),
            None => (),
        }
        for it in second {
            let _ = zone.constrain(it.x as usize, it.y as usize, it.bound);
        }
        (largest(&zone) <= i64::from(max)).then_some(zone)
    })
}

/// Zones of two or three clocks, small enough for exhaustive comparison.
pub(crate) fn small() -> impl Strategy<Value = Zone> {
    prop_oneof![zone(2, 4), zone(3, 2)]
}

/// Two such zones with the same clocks.
pub(crate) fn two() -> impl Strategy<Value = (Zone, Zone)> {
    prop_oneof![(zone(2, 4), zone(2, 4)), (zone(3, 2), zone(3, 2))]
}
