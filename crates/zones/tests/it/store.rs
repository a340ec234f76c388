//! Images under assignments, strict delays, stopped clocks and packed zones.

use proptest::prelude::*;
use punctual_zones::{Packing, Point, Relation, Source, Zone};

use crate::reference::is_canonical;
use crate::zones::{two, zone};

fn samples(zone: &Zone, seed: u64) -> Vec<Point> {
    let mut state = seed;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 20
    };
    (0..20).map(|_| zone.sample(2, 9, &mut next)).collect()
}

proptest! {
    #[test]
    fn image_has_the_image_of_each_point_and_no_more(
        zone in zone(3, 9),
        sources in proptest::collection::vec((0_u32..4, 0_i32..5), 0..5),
        seed in any::<u64>(),
    ) {
        let sources: Vec<Source> =
            sources.iter().map(|&(clock, offset)| Source { clock, offset }).collect();
        let mut image = Zone::zero(7);
        image.set_image(&zone, &sources);
        is_canonical(&image).map_err(TestCaseError::fail)?;
        for point in samples(&zone, seed) {
            let value = |source: &Source| {
                point.numerator(source.clock as usize)
                    + i64::from(source.offset) * point.denominator()
            };
            let values = sources.iter().map(value).collect();
            prop_assert!(image.contains(&Point::new(values, point.denominator())));
        }
        // A point of the image fixes its sources; together with the zone they must have a solution.
        for point in samples(&image, seed) {
            let scale = i32::try_from(point.denominator()).unwrap();
            let mut scaled = scaled(&zone, scale);
            let fits = sources.iter().enumerate().all(|(i, source)| {
                let value = point.numerator(i + 1) - i64::from(source.offset) * point.denominator();
                let value = i32::try_from(value).unwrap();
                scaled.constrain(source.clock as usize, 0, punctual_zones::Bound::le(value))
                    && scaled.constrain(0, source.clock as usize, punctual_zones::Bound::le(-value))
            });
            prop_assert!(fits, "{point} comes from nowhere");
        }
    }

    #[test]
    fn strict_delay_is_some_delay(zone in zone(3, 9), seed in any::<u64>()) {
        let mut later = zone.clone();
        later.up_strictly();
        is_canonical(&later).map_err(TestCaseError::fail)?;
        for point in samples(&zone, seed) {
            let values = point.numerators().iter().map(|n| n * 8 + 1).collect();
            prop_assert!(later.contains(&Point::new(values, point.denominator() * 8)));
        }
        for point in samples(&later, seed) {
            // Going back by steps finer than the grid of samples finds the zone.
            let d = point.denominator() * 16;
            let back = |k: i64| {
                let values: Vec<i64> = point.numerators().iter().map(|n| n * 16 - k).collect();
                values.iter().all(|&n| n >= 0) && zone.contains(&Point::new(values, d))
            };
            prop_assert!((1..=40 * d).any(back), "{point} is not later than any point");
        }
    }

    #[test]
    fn stopped_clocks_stand_still(
        zone in zone(3, 9),
        stopped in proptest::collection::btree_set(1_usize..4, 0..3),
        seed in any::<u64>(),
        delay in 0_i64..50,
    ) {
        let stopped: Vec<usize> = stopped.into_iter().collect();
        let mut later = zone.clone();
        later.up_except(&stopped);
        is_canonical(&later).map_err(TestCaseError::fail)?;
        for point in samples(&zone, seed) {
            let value = |(i, n): (usize, &i64)| if stopped.contains(&(i + 1)) { *n } else { n + delay };
            let values = point.numerators().iter().enumerate().map(value).collect();
            prop_assert!(later.contains(&Point::new(values, point.denominator())));
        }
    }

    #[test]
    fn packing_keeps_zones_and_their_relation((a, b) in two(), factor in prop::sample::select(vec![1, 200, 100_000])) {
        let (a, b) = (scaled(&a, factor), scaled(&b, factor));
        for packing in [Packing::Bytes, Packing::Halves, Packing::Words] {
            let (mut first, mut second) = (Vec::new(), vec![]);
            let mut restored = Zone::zero(0);
            if packing.pack(&a, &mut first) {
                packing.unpack_into(a.dim(), &first, &mut restored);
                prop_assert_eq!(&restored, &a);
                if packing.pack(&b, &mut second) {
                    prop_assert_eq!(packing.relation(&first, &second), a.relation(&b));
                    prop_assert_eq!(packing.is_included(&first, &second), a.is_included_in(&b));
                }
            } else {
                prop_assert!(first.is_empty());
                let largest = a.cells().iter().filter_map(|b| b.constant()).map(i32::abs).max();
                let limit = if packing == Packing::Bytes { 62 } else { 16382 };
                prop_assert!(packing != Packing::Words && largest > Some(limit));
            }
        }
    }
}

/// The same zone in a finer unit.
fn scaled(zone: &Zone, factor: i32) -> Zone {
    let cell = |bound: &punctual_zones::Bound| match bound.constant() {
        None => punctual_zones::Bound::INFINITY,
        Some(constant) => punctual_zones::Bound::new(constant * factor, bound.is_weak()).unwrap(),
    };
    Zone::from_matrix(zone.cells().iter().map(cell).collect()).unwrap()
}

#[test]
fn large_packed_zones_are_compared_to_the_end() {
    let (zero, mut almost) = (Zone::zero(6), Zone::zero(6));
    almost.free(6);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    assert!(Packing::Bytes.pack(&zero, &mut a) && Packing::Bytes.pack(&almost, &mut b));
    assert_eq!(Packing::Bytes.relation(&a, &b), Relation::Subset);
    assert_eq!(Packing::Bytes.relation(&b, &a), Relation::Superset);
    assert_eq!(Packing::Bytes.relation(&a, &a), Relation::Equal);
}
