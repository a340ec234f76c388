//! Operations with many clocks, whose inner loops work on blocks, against the slow implementation.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use punctual_zones::{Bound, LuBounds, Zone};

use crate::reference::{Matrix, tighter, weight};
use crate::zones::zone;

/// Something done to a zone; clocks and constants are taken modulo what there is.
#[derive(Clone, Debug)]
enum Step {
    Constrain(usize, usize, i32, bool),
    Up,
    Down,
    Reset(usize, i32),
    Free(usize),
    Copy(usize, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let clock = || 0..1000_usize;
    let step = prop_oneof![
        4 => (clock(), clock(), -9..15_i32, any::<bool>())
            .prop_map(|(x, y, c, weak)| Step::Constrain(x, y, c, weak)),
        1 => Just(Step::Up),
        1 => Just(Step::Down),
        2 => (clock(), 0..6_i32).prop_map(|(x, c)| Step::Reset(x, c)),
        1 => clock().prop_map(Step::Free),
        1 => (clock(), clock()).prop_map(|(x, y)| Step::Copy(x, y)),
    ];
    prop::collection::vec(step, 1..20)
}

/// Does a step to both; the slow one by constraints on the old clock and a new one, then closing.
fn apply(zone: &mut Zone, matrix: &mut Matrix, step: &Step) -> Result<(), TestCaseError> {
    let dim = zone.dim();
    let clock = |x: usize| 1 + x % (dim - 1);
    match *step {
        Step::Constrain(x, y, constant, weak) => {
            let (x, y) = (x % dim, y % dim);
            let bound = Bound::new(constant, weak).expect("small");
            let mut next = matrix.clone();
            next.constrain(x, y, weight(bound));
            let closed = next.closed();
            let before = zone.clone();
            prop_assert_eq!(zone.constrain(x, y, bound), closed.is_some());
            match closed {
                Some(closed) => *matrix = closed,
                None => prop_assert_eq!(&*zone, &before),
            }
        }
        Step::Up => {
            zone.up();
            for row in &mut matrix.0[1..] {
                row[0] = None;
            }
        }
        Step::Down => {
            zone.down();
            for y in 1..dim {
                matrix.0[0][y] = Some((0, true));
            }
        }
        Step::Reset(x, value) => {
            let x = clock(x);
            zone.reset(x, value);
            forget(matrix, x);
            matrix.0[x][0] = Some((i64::from(value), true));
            matrix.0[0][x] = Some((-i64::from(value), true));
        }
        Step::Free(x) => {
            zone.free(clock(x));
            forget(matrix, clock(x));
        }
        Step::Copy(x, y) => {
            let (x, y) = (clock(x), clock(y));
            zone.copy(x, y);
            if x != y {
                forget(matrix, x);
                matrix.0[x][y] = Some((0, true));
                matrix.0[y][x] = Some((0, true));
            }
        }
    }
    *matrix = matrix.closed().expect("not empty");
    prop_assert_eq!(&Matrix::of(zone), &*matrix);
    Ok(())
}

fn forget(matrix: &mut Matrix, x: usize) {
    for i in 0..matrix.dim() {
        matrix.0[x][i] = None;
        matrix.0[i][x] = None;
    }
    matrix.0[x][x] = Some((0, true));
    matrix.0[0][x] = Some((0, true));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Runs of any length, at every number of clocks around the sizes of blocks.
    #[test]
    fn runs_agree(n_clocks in 1..24_usize, list in steps(), wait in any::<bool>()) {
        let mut zone = if wait { Zone::universe(n_clocks) } else { Zone::zero(n_clocks) };
        let mut matrix = Matrix::of(&zone);
        for step in &list {
            apply(&mut zone, &mut matrix, step)?;
        }
    }

    /// Intersection, hull and comparisons, at every number of clocks around the sizes of blocks.
    #[test]
    fn pairs_agree(
        (a, b) in (1..20_usize).prop_flat_map(|n| (zone(n, 40), zone(n, 40))),
        nested in any::<bool>(),
    ) {
        let mut b = b;
        if nested {
            b.hull(&a);
        }
        let (left, right) = (Matrix::of(&a), Matrix::of(&b));
        let dim = a.dim();
        let mut common = left.clone();
        let mut hull = left.clone();
        let (mut looser, mut tight) = (false, false);
        for i in 0..dim {
            for j in 0..dim {
                let (ours, theirs) = (left.0[i][j], right.0[i][j]);
                common.constrain(i, j, theirs);
                hull.0[i][j] = if tighter(ours, theirs) { theirs } else { ours };
                looser |= tighter(theirs, ours);
                tight |= tighter(ours, theirs);
            }
        }
        let mut both = a.clone();
        let non_empty = both.intersect(&b);
        prop_assert_eq!(non_empty.then(|| Matrix::of(&both)), common.closed());
        prop_assert!(non_empty || both == b);
        let mut around = a.clone();
        around.hull(&b);
        prop_assert_eq!(Matrix::of(&around), hull);
        prop_assert_eq!(a.is_included_in(&b), !looser);
        prop_assert_eq!(a == b, !looser && !tight);
        use punctual_zones::Relation::{Different, Equal, Subset, Superset};
        let expected = [[Equal, Superset], [Subset, Different]];
        prop_assert_eq!(a.relation(&b), expected[usize::from(tight)][usize::from(looser)]);
    }

    /// The test for simulation in blocks is the one clock by clock, as in the paper.
    #[test]
    fn simulation_agrees(
        (a, b, lower, upper) in (1..20_usize).prop_flat_map(|n| (
            zone(n, 40),
            zone(n, 40),
            crate::extrapolation::constants(n, 20),
            crate::extrapolation::constants(n, 20),
        )),
        nested in any::<bool>(),
        cut in crate::simulation::cut(),
    ) {
        let (packed_lower, packed_upper) =
            (crate::extrapolation::packed(&lower), crate::extrapolation::packed(&upper));
        let bounds = LuBounds::new(&packed_lower, &packed_upper);
        let (mut a, mut b) = (a, b);
        // Independent zones nearly always have some pair of clocks that escapes.
        if nested {
            a.extra_lu_plus(bounds);
            b.hull(&a);
            b.down();
            b.up();
        } else {
            cut.apply(&mut a, &mut b, &lower);
        }
        let (left, right) = (Matrix::of(&a), Matrix::of(&b));
        let escapes = |x: usize, y: usize| {
            let (Some(upper), Some(lower)) = (upper[x], lower[y]) else { return false };
            let (ours, theirs) = (left.0[y][x], right.0[y][x]);
            let sum = theirs.map(|(constant, _)| (constant - lower, false));
            !tighter(left.0[0][x], Some((-upper, true)))
                && tighter(theirs, ours)
                && tighter(sum, left.0[0][x])
        };
        let escaped = (0..a.dim()).any(|x| (0..a.dim()).any(|y| escapes(x, y)));
        prop_assert_eq!(a.is_simulated_by(&b, bounds), !escaped);
    }
}

/// More clocks than the sets of touched clocks distinguish.
#[test]
fn very_many_clocks() {
    let n_clocks = 140;
    let mut zone = Zone::zero(n_clocks);
    for clock in 1..=n_clocks {
        zone.up();
        let other = clock % n_clocks + 1;
        let _ = zone.constrain(other, 0, Bound::lt(7)) && zone.constrain(0, other, Bound::le(-1));
        zone.reset(clock, 0);
    }
    zone.up();
    crate::reference::is_canonical(&zone).unwrap();

    let late = Zone::universe(n_clocks).constrained(0, 139, Bound::lt(-9)).unwrap();
    let late = late.constrained(135, 0, Bound::lt(30)).unwrap();
    let mut matrix = Matrix::of(&zone);
    for (x, y, bound) in [(0, 139, Bound::lt(-9)), (135, 0, Bound::lt(30))] {
        matrix.constrain(x, y, weight(bound));
    }
    let mut both = zone.clone();
    assert!(both.intersect(&late));
    assert_eq!(Some(Matrix::of(&both)), matrix.closed());

    let bounds: Vec<i32> = (0..=140).map(|i| if i == 0 { 0 } else { i % 12 * 3 }).collect();
    both.extra_lu_plus(LuBounds::both(&bounds));
    crate::reference::is_canonical(&both).unwrap();
    let mut fine = zone.clone();
    fine.extra_lu(LuBounds::both(&bounds));
    crate::reference::is_canonical(&fine).unwrap();
}
