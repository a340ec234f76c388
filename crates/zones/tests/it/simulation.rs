//! Inclusion up to simulation, against the definition of the simulation between valuations.

use proptest::prelude::*;
use punctual_zones::{Bound, LuBounds, Zone};

use crate::extrapolation::{Constants, constants, packed};
use crate::grid::{self, QUARTERS, inside};
use crate::reference::Matrix;
use crate::zones::zone;

/// Whether some valuation of the zone simulates the point, which is given in quarters.
///
/// For each clock the simulating value is equal; or smaller and above the lower constant; or greater,
/// the point's own value being above the upper constant. These are three intervals per clock, and for
/// each combination the reference implementation says, with all constants in quarters, whether the
/// zone has a point there.
fn is_simulated(point: &[i64], zone: &Zone, lower: &Constants, upper: &Constants) -> bool {
    let mut matrix = Matrix::of(zone);
    for (constant, _) in matrix.0.iter_mut().flatten().flatten() {
        *constant *= QUARTERS;
    }
    any_interval(1, point, &matrix, lower, upper)
}

fn any_interval(
    clock: usize,
    point: &[i64],
    matrix: &Matrix,
    lower: &Constants,
    upper: &Constants,
) -> bool {
    if clock > point.len() {
        return matrix.closed().is_some();
    }
    let value = point[clock - 1];
    let next = |above: Option<(i64, bool)>, below: Option<(i64, bool)>| {
        let mut matrix = matrix.clone();
        matrix.constrain(clock, 0, above);
        matrix.constrain(0, clock, below.map(|(value, weak)| (-value, weak)));
        any_interval(clock + 1, point, &matrix, lower, upper)
    };
    let above_upper = upper[clock].is_none_or(|upper| value > upper * QUARTERS);
    next(Some((value, true)), Some((value, true)))
        || next(Some((value, false)), lower[clock].map(|lower| (lower * QUARTERS, false)))
        || (above_upper && next(None, Some((value, false))))
}

/// The points of a zone that nothing in the other simulates.
fn escape(zone: &Zone, other: &Zone, lower: &Constants, upper: &Constants) -> Option<Vec<i64>> {
    // What is not simulated is cut out of the zone by constants of both and of the clocks.
    let largest = grid::largest(zone).max(grid::largest(other));
    let constants = lower.iter().chain(upper).flatten().copied().max().unwrap_or(0);
    let n_clocks = zone.dim() - 1;
    let points = grid::points(n_clocks, n_clocks as i64 * largest.max(constants) + 1, QUARTERS);
    points
        .into_iter()
        .filter(|point| inside(zone, point, QUARTERS))
        .find(|point| !is_simulated(point, other, lower, upper))
}

type Case = (Zone, Zone, Constants, Constants);

/// Two zones and constants. Independent zones nearly always have points that escape, far away, so
/// most of the time the second is what one more constraint leaves of the first.
fn case(n: usize, largest: i32, max: i64) -> impl Strategy<Value = Case> {
    let zones = (zone(n, largest), zone(n, largest));
    (zones, constants(n, max), constants(n, max), cut()).prop_map(
        |((mut zone, mut other), lower, upper, cut)| {
            cut.apply(&mut zone, &mut other, &lower);
            (zone, other, lower, upper)
        },
    )
}

/// How to make one zone from the other.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    kind: u8,
    clocks: (usize, usize),
    constant: i32,
    weak: bool,
}

pub(crate) fn cut() -> impl Strategy<Value = Cut> {
    (0..4_u8, (0..1000_usize, 0..1000_usize), -1..=1_i32, any::<bool>())
        .prop_map(|(kind, clocks, constant, weak)| Cut { kind, clocks, constant, weak })
}

impl Cut {
    /// Makes `other` a part of `zone`, most of the time, by a bound of `y - x` at which the answer
    /// is about to change: where `x` is least, `y` is at its lower constant.
    pub(crate) fn apply(&self, zone: &mut Zone, other: &mut Zone, lower: &Constants) {
        let (x, y) = (self.clocks.0 % zone.dim(), self.clocks.1 % zone.dim());
        if self.kind == 0 || x == y {
            return;
        }
        if self.kind > 1 && x != 0 {
            // A least value that is not attained.
            let least = zone.min(x).value;
            let _ = zone.constrain(0, x, Bound::lt(-least));
        }
        let least = zone.view().min_difference(x, 0).expect("not negative").value;
        let constant = i32::try_from(lower[y].unwrap_or(0)).expect("small") - least + self.constant;
        other.clone_from(zone);
        let _ = other.constrain(y, x, Bound::new(constant, self.weak).expect("small"));
    }
}

fn check((zone, other, lower, upper): &Case) -> Result<(), TestCaseError> {
    let (packed_lower, packed_upper) = (packed(lower), packed(upper));
    let bounds = LuBounds::new(&packed_lower, &packed_upper);
    let escape = escape(zone, other, lower, upper);
    prop_assert_eq!(
        zone.is_simulated_by(other, bounds),
        escape.is_none(),
        "{:?} in aLU of {:?} with {:?} {:?}: {:?}",
        zone,
        other,
        lower,
        upper,
        escape
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// The test on matrices agrees with the simulation of each point.
    #[test]
    fn simulation_is_that_of_the_points(case in case(2, 4, 3)) {
        check(&case)?;
    }

    /// Extrapolation adds only points that the zone simulates, so it is sound for reachability.
    #[test]
    fn extrapolation_is_simulated((zone, _, lower, upper) in case(2, 4, 3)) {
        let (packed_lower, packed_upper) = (packed(&lower), packed(&upper));
        let bounds = LuBounds::new(&packed_lower, &packed_upper);
        let mut coarse = zone.clone();
        coarse.extra_lu_plus(bounds);
        prop_assert!(coarse.is_simulated_by(&zone, bounds));
        prop_assert_eq!(escape(&coarse, &zone, &lower, &upper), None);
        let mut fine = zone.clone();
        fine.extra_m_plus(&packed_lower);
        prop_assert_eq!(escape(&fine, &zone, &lower, &lower), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The same with three clocks, of which two can meet in a difference.
    #[test]
    fn simulation_of_three_clocks(case in case(3, 2, 2)) {
        check(&case)?;
    }
}
