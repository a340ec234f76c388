//! The four extrapolations, against the matrices of the textbook.

use proptest::prelude::*;
use punctual_zones::{LuBounds, NO_BOUND, Zone};

use crate::reference::{Matrix, Weight, tighter};
use crate::zones::zone;

/// A constant of a clock; `None` for one that is compared with nothing.
pub(crate) type Constants = Vec<Option<i64>>;

/// The constants as the library takes them, the reference first.
pub(crate) fn packed(constants: &Constants) -> Vec<i32> {
    let number = |it: &Option<i64>| it.map_or(NO_BOUND, |it| i32::try_from(it).expect("small"));
    constants.iter().map(number).collect()
}

/// Constants for the reference, which is 0, and some clocks.
pub(crate) fn constants(n_clocks: usize, max: i64) -> impl Strategy<Value = Constants> {
    prop::collection::vec(prop::option::weighted(0.85, 0..=max), n_clocks).prop_map(|clocks| {
        let mut all = vec![Some(0)];
        all.extend(clocks);
        all
    })
}

/// Whether the constant of a bound is greater than the constant of a clock.
fn exceeds(weight: Weight, constant: Option<i64>) -> bool {
    match (weight, constant) {
        (None, _) | (_, None) => true,
        (Some((value, _)), Some(constant)) => value > constant,
    }
}

/// Whether the negated constant of a bound is greater than the constant of a clock.
fn is_below(weight: Weight, constant: Option<i64>) -> bool {
    match (weight, constant) {
        (None, _) => false,
        (_, None) => true,
        (Some((value, _)), Some(constant)) => -value > constant,
    }
}

/// `< -constant`, or no bound if there is no constant.
fn less_than_minus(constant: Option<i64>) -> Weight {
    constant.map(|constant| (-constant, false))
}

/// The definition of Extra_LU: a matrix, which is then closed.
fn extra_lu(zone: &Zone, lower: &Constants, upper: &Constants) -> Matrix {
    finish(zone, |c, i, j| {
        if exceeds(c[i][j], lower[i]) {
            None
        } else if is_below(c[i][j], upper[j]) {
            less_than_minus(upper[j])
        } else {
            c[i][j]
        }
    })
}

/// The definition of Extra_LU+: a matrix, which is then closed.
fn extra_lu_plus(zone: &Zone, lower: &Constants, upper: &Constants) -> Matrix {
    finish(zone, |c, i, j| {
        if exceeds(c[i][j], lower[i]) || is_below(c[0][i], lower[i]) {
            None
        } else if is_below(c[0][j], upper[j]) {
            if i == 0 { less_than_minus(upper[j]) } else { None }
        } else {
            c[i][j]
        }
    })
}

/// Replaces each bound off the diagonal, keeps clocks from being negative, and closes.
fn finish(zone: &Zone, new: impl Fn(&[Vec<Weight>], usize, usize) -> Weight) -> Matrix {
    let old = Matrix::of(zone);
    let mut matrix = Matrix::universe(zone.dim());
    for i in 0..zone.dim() {
        for j in (0..zone.dim()).filter(|&j| j != i) {
            matrix.constrain(i, j, new(&old.0, i, j));
        }
    }
    matrix.closed().expect("an extrapolated zone contains the zone")
}

fn includes(large: &Matrix, small: &Matrix) -> bool {
    large.0.iter().flatten().zip(small.0.iter().flatten()).all(|(a, b)| !tighter(*a, *b))
}

type Case = (Zone, Constants, Constants);

/// Zones that reach beyond the constants, with few and with many clocks.
fn case() -> impl Strategy<Value = Case> {
    (2..9_usize).prop_flat_map(|n| {
        let one = (zone(n, 14), constants(n, 8), constants(n, 8));
        // Clocks that were reset one after the other, as in a search.
        let steps = prop::collection::vec((1..=n, 0..6_i32, 0..6_i32), 1..=2 * n);
        let run = (steps, constants(n, 8), constants(n, 8)).prop_map(move |(steps, l, u)| {
            let mut zone = Zone::zero(n);
            for (clock, least, more) in steps {
                use punctual_zones::Bound;
                zone.up();
                let other = clock % n + 1;
                let _ = zone.constrain(0, other, Bound::le(-least));
                let _ = zone.constrain(other, 0, Bound::lt(least + more));
                zone.reset(clock, 0);
            }
            zone.up();
            (zone, l, u)
        });
        prop_oneof![one, run]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Each operator is the closure of its definition, and they are ordered as they should be.
    #[test]
    fn extrapolations_are_those_of_the_textbook((zone, lower, upper) in case()) {
        let (packed_lower, packed_upper) = (packed(&lower), packed(&upper));
        let bounds = LuBounds::new(&packed_lower, &packed_upper);
        let apply = |operator: &dyn Fn(&mut Zone)| {
            let mut changed = zone.clone();
            operator(&mut changed);
            crate::reference::is_canonical(&changed).expect("canonical");
            assert!(changed.includes(&zone));
            Matrix::of(&changed)
        };
        let lu = apply(&|zone| zone.extra_lu(bounds));
        prop_assert_eq!(&lu, &extra_lu(&zone, &lower, &upper));
        let lu_plus = apply(&|zone| zone.extra_lu_plus(bounds));
        prop_assert_eq!(&lu_plus, &extra_lu_plus(&zone, &lower, &upper));
        let m = apply(&|zone| zone.extra_m(&packed_lower));
        prop_assert_eq!(&m, &extra_lu(&zone, &lower, &lower));
        let m_plus = apply(&|zone| zone.extra_m_plus(&packed_lower));
        prop_assert_eq!(&m_plus, &extra_lu_plus(&zone, &lower, &lower));
        prop_assert!(includes(&lu_plus, &lu) && includes(&m_plus, &m));
    }
}
