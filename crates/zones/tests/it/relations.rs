//! Comparing zones.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use proptest::prelude::*;
use punctual_zones::{Relation, Zone, ZoneArena, ZoneRef};

use crate::grid::{self, QUARTERS, inside};
use crate::zones::{constraints, two};

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The relation of two sets of points.
fn by_points(zone: &Zone, other: &Zone) -> Relation {
    let points = grid::points(zone.dim() - 1, grid::side(&[zone, other]), QUARTERS);
    let only = |a: &Zone, b: &Zone| {
        points.iter().any(|point| inside(a, point, QUARTERS) && !inside(b, point, QUARTERS))
    };
    match (only(zone, other), only(other, zone)) {
        (false, false) => Relation::Equal,
        (false, true) => Relation::Subset,
        (true, false) => Relation::Superset,
        (true, true) => Relation::Different,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// One pass over the bounds says the same as all points.
    #[test]
    fn relation_is_that_of_the_points(
        (zone, other) in two(), list in constraints(2, 3, 2), nested in any::<bool>()
    ) {
        let mut other = other;
        if nested {
            // Independent zones are seldom nested or equal.
            other.clone_from(&zone);
            let _ = other.constrain_all(list);
        }
        let expected = by_points(&zone, &other);
        prop_assert_eq!(zone.relation(&other), expected);
        let within = matches!(expected, Relation::Equal | Relation::Subset);
        prop_assert_eq!(zone.is_included_in(&other), within);
        prop_assert_eq!(other.includes(&zone), within);
        prop_assert_eq!(zone == other, expected == Relation::Equal);
        if zone == other {
            prop_assert_eq!(hash(&zone), hash(&other));
        }
    }

    /// The same constraints in another order make an equal zone with an equal hash.
    #[test]
    fn equality_does_not_know_the_way(list in constraints(3, 4, 6)) {
        let forth = Zone::from_constraints(3, list.iter().copied());
        let back = Zone::from_constraints(3, list.iter().rev().copied());
        prop_assert_eq!(forth.as_ref().map(hash), back.as_ref().map(hash));
        prop_assert_eq!(forth, back);
    }

    /// A stored zone is the zone, where it lies, also after places were used again.
    #[test]
    fn arena_keeps_zones((zone, other) in two()) {
        let mut arena = ZoneArena::new(zone.dim() - 1);
        let first = arena.insert(&zone);
        let second = arena.insert(&other);
        prop_assert_eq!(arena.get(first), zone.view());
        prop_assert_eq!(arena.get(second).relation(arena.get(first)), other.relation(&zone));
        arena.remove(first);
        prop_assert_eq!(arena.len(), 1);
        let third = arena.insert(&Zone::zero(zone.dim() - 1));
        prop_assert_eq!(third, first);
        prop_assert_eq!(arena.get(third).to_zone(), Zone::zero(zone.dim() - 1));
        prop_assert_eq!(arena.get(second), other.view());
        prop_assert_eq!(hash(arena.get(second)), hash(&other));
    }
}

#[test]
fn cells_from_elsewhere_are_checked() {
    let zone = Zone::universe(2);
    assert_eq!(ZoneRef::from_checked_cells(zone.cells()), Some(zone.view()));
    assert_eq!(ZoneRef::from_cells(3, zone.cells()), zone.view());
    let mut cells = zone.cells().to_vec();
    cells[3] = punctual_zones::Bound::le(5); // x <= 5, but x - y is not bounded
    assert_eq!(ZoneRef::from_checked_cells(&cells), None);
    cells[3] = punctual_zones::Bound::lt(0); // x < 0
    assert_eq!(ZoneRef::from_checked_cells(&cells), None);
    assert_eq!(ZoneRef::from_checked_cells(&cells[..8]), None);
    assert_eq!(ZoneRef::from_checked_cells(&[]), None);
}
