//! A sequence of operations on zones of three clocks, each compared with a textbook matrix that is
//! closed from scratch, and on federations, compared point by point.
#![no_main]

use libfuzzer_sys::fuzz_target;
use punctual_zones::{
    Bound, Federation, LuBounds, MinimalZone, NO_BOUND, Point, Relation, Zone, ZoneArena,
};

const N_CLOCKS: usize = 3;
const DIM: usize = N_CLOCKS + 1;
/// Zones that are kept at a time.
const N_ZONES: usize = 4;
/// More zones than this are not put into a federation: operations on it may square their number.
const FEDERATION_MAX: usize = 12;

/// A constant and whether it is allowed; `None` if there is no bound.
type Weight = Option<(i64, bool)>;
type Matrix = [[Weight; DIM]; DIM];

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes(bytes.iter());
    let mut zones = vec![Zone::zero(N_CLOCKS); N_ZONES];
    let mut federation = Federation::empty(N_CLOCKS);
    for _ in 0..60 {
        let Some(operation) = bytes.next() else { break };
        let at = bytes.below(N_ZONES);
        match operation % 18 {
            operation @ 0..=8 => step(operation, &mut zones[at], &mut bytes),
            9 => {
                let other = zones[bytes.below(N_ZONES)].clone();
                combine(&mut zones[at], &other);
            }
            10 => {
                let other = zones[bytes.below(N_ZONES)].clone();
                let joined = greater(&matrix(&zones[at]), &matrix(&other));
                zones[at].hull(&other);
                assert_eq!(matrix(&zones[at]), joined);
            }
            11 => zones[at] = zones[bytes.below(N_ZONES)].clone(),
            12 => extrapolate(&mut zones[at], &mut bytes),
            13 => compare(&zones[at], &zones[bytes.below(N_ZONES)], &mut bytes),
            14 => other_forms(&zones[at], &mut bytes),
            _ => federate(&mut federation, &zones[at], &mut bytes),
        }
        check(&zones[at]);
    }
});

/// The input, with zeros behind its end.
struct Bytes<'b>(std::slice::Iter<'b, u8>);

impl Bytes<'_> {
    fn next(&mut self) -> Option<u8> {
        self.0.next().copied()
    }

    fn below(&mut self, end: usize) -> usize {
        usize::from(self.next().unwrap_or(0)) % end
    }

    fn clock(&mut self) -> usize {
        1 + self.below(N_CLOCKS)
    }

    fn bound(&mut self) -> Bound {
        let constant = self.below(17) as i32 - 8;
        if self.below(2) == 0 { Bound::le(constant) } else { Bound::lt(constant) }
    }

    fn bounds(&mut self) -> [i32; DIM] {
        std::array::from_fn(|clock| match (clock, self.below(10)) {
            (0, _) => 0,
            (_, 9) => NO_BOUND,
            (_, constant) => constant as i32,
        })
    }

    /// A point of the quarter grid, which has one in each region of three clocks.
    fn point(&mut self) -> Point {
        Point::new((0..N_CLOCKS).map(|_| self.below(80) as i64).collect(), 4)
    }
}

fn step(operation: u8, zone: &mut Zone, bytes: &mut Bytes<'_>) {
    let mut expected = matrix(zone);
    let x = bytes.clock();
    match operation {
        0 => {
            zone.up();
            (1..DIM).for_each(|i| expected[i][0] = None);
        }
        1 => {
            zone.down();
            (1..DIM).for_each(|i| expected[0][i] = Some((0, true)));
        }
        2 => {
            let value = bytes.below(9);
            zone.reset(x, value as i32);
            forget(&mut expected, x);
            expected = closed(expected).expect("a clock may have any value");
            expected[x][0] = Some((value as i64, true));
            expected[0][x] = Some((-(value as i64), true));
        }
        3 => {
            zone.free(x);
            forget(&mut expected, x);
        }
        4 => {
            let y = bytes.clock();
            zone.copy(x, y);
            if x != y {
                forget(&mut expected, x);
                expected[x][y] = Some((0, true));
                expected[y][x] = Some((0, true));
            }
        }
        5 => {
            // As long as clocks stay small, so that no sum is out of range.
            let constant = bytes.below(17) as i64 - 8;
            let (before, changed) = (zone.clone(), zone.shift(x, constant as i32));
            (0..DIM).filter(|&i| i != x).for_each(|i| {
                expected[x][i] = sum(expected[x][i], Some((constant, true)));
                expected[i][x] = sum(expected[i][x], Some((-constant, true)));
            });
            expected[0][x] = tightest(expected[0][x], Some((0, true)));
            return expect(zone, changed, &before, expected);
        }
        6 => {
            *zone =
                if bytes.below(2) == 0 { Zone::zero(N_CLOCKS) } else { Zone::universe(N_CLOCKS) };
            return;
        }
        _ => {
            let (x, y, bound) = (bytes.below(DIM), bytes.below(DIM), bytes.bound());
            let (before, changed) = (zone.clone(), zone.constrain(x, y, bound));
            expected[x][y] = tightest(expected[x][y], weight(bound));
            return expect(zone, changed, &before, expected);
        }
    }
    assert_eq!(Some(matrix(zone)), closed(expected));
}

/// An operation either gives the closure of `expected`, or there is none and nothing changes.
fn expect(zone: &Zone, changed: bool, before: &Zone, expected: Matrix) {
    match closed(expected) {
        Some(expected) => assert!(changed && matrix(zone) == expected, "{before:?}: {zone:?}"),
        None => assert!(!changed && zone == before, "{before:?}: {zone:?}"),
    }
}

fn combine(zone: &mut Zone, other: &Zone) {
    let (ours, theirs) = (matrix(zone), matrix(other));
    let expected =
        std::array::from_fn(|i| std::array::from_fn(|j| tightest(ours[i][j], theirs[i][j])));
    let (before, meets) = (zone.clone(), zone.intersects(other));
    let changed = zone.intersect(other);
    assert_eq!(meets, changed);
    match closed(expected) {
        Some(expected) => assert!(changed && matrix(zone) == expected, "{before:?}: {zone:?}"),
        None => assert!(!changed, "{before:?} and {other:?} have nothing in common"),
    }
    if !changed {
        *zone = before;
    }
}

fn extrapolate(zone: &mut Zone, bytes: &mut Bytes<'_>) {
    let (lower, upper) = (bytes.bounds(), bytes.bounds());
    let bounds = LuBounds::new(&lower, &upper);
    let (mut coarse, mut finer) = (zone.clone(), zone.clone());
    coarse.extra_lu_plus(bounds);
    finer.extra_lu(bounds);
    check(&coarse);
    check(&finer);
    assert!(zone.is_included_in(&finer) && finer.is_included_in(&coarse), "{zone:?}");
    assert!(coarse.is_simulated_by(&*zone, bounds), "{coarse:?} of {zone:?}");
    let both: [i32; DIM] = std::array::from_fn(|clock| lower[clock].max(upper[clock]));
    let (mut coarse_m, mut finer_m) = (zone.clone(), zone.clone());
    coarse_m.extra_m_plus(&both);
    finer_m.extra_m(&both);
    assert!(coarse_m.is_included_in(&coarse) && finer_m.is_included_in(&finer), "{zone:?}");
    let mut twice = coarse.clone();
    twice.extra_lu_plus(bounds);
    assert_eq!(twice, coarse);
    *zone = if bytes.below(2) == 0 { coarse } else { finer };
}

fn compare(one: &Zone, other: &Zone, bytes: &mut Bytes<'_>) {
    let (a, b) = (matrix(one), matrix(other));
    let within = |a: &Matrix, b: &Matrix| greater(a, b) == *b;
    let expected = match (within(&a, &b), within(&b, &a)) {
        (true, true) => Relation::Equal,
        (true, false) => Relation::Subset,
        (false, true) => Relation::Superset,
        (false, false) => Relation::Different,
    };
    assert_eq!(one.relation(other), expected, "{one:?} and {other:?}");
    assert_eq!(one.is_included_in(other), within(&a, &b));
    assert_eq!(one.includes(other), within(&b, &a));
    assert_eq!(one == other, a == b);
    let (lower, upper) = (bytes.bounds(), bytes.bounds());
    let bounds = LuBounds::new(&lower, &upper);
    assert!(!within(&a, &b) || one.is_simulated_by(other, bounds));
    let rest = one.subtract(other);
    assert_eq!(rest.is_empty(), within(&a, &b), "{one:?} without {other:?}");
    for _ in 0..8 {
        let point = bytes.point();
        let expected = one.contains(&point) && !other.contains(&point);
        assert_eq!(rest.contains(&point), expected, "{point} of {one:?} without {other:?}");
    }
}

fn other_forms(zone: &Zone, bytes: &mut Bytes<'_>) {
    let minimal = MinimalZone::from(zone);
    assert_eq!(minimal.to_zone(), *zone);
    assert_eq!(
        Zone::from_constraints(N_CLOCKS, minimal.constraints().iter().copied()).as_ref(),
        Some(zone)
    );
    assert_eq!(Zone::from_matrix(zone.cells().to_vec()).as_ref(), Some(zone));
    let mut arena = ZoneArena::new(N_CLOCKS);
    let id = arena.insert(zone);
    assert!(arena.get(id) == *zone);
    assert!(zone.contains(&zone.earliest()), "{zone:?}");
    let point = zone.sample(1 + bytes.below(5) as u32, 20, || bytes.below(256) as u64);
    assert!(zone.contains(&point), "{point} of {zone:?}");
    assert!(!zone.display(&["x", "y", "z"]).to_string().is_empty());
}

fn federate(federation: &mut Federation, zone: &Zone, bytes: &mut Bytes<'_>) {
    if federation.zones().len() > FEDERATION_MAX {
        *federation = Federation::empty(N_CLOCKS);
    }
    let before = federation.clone();
    let operation = bytes.below(8);
    match operation {
        0 => federation.insert(zone.clone()),
        1 => federation.subtract(zone),
        2 => federation.intersect(zone),
        3 => federation.reduce(),
        4 => federation.merge(),
        5 => federation.up(),
        6 => federation.down(),
        _ => federation.union(&before.clone()),
    }
    let covers = before.includes(zone);
    for _ in 0..8 {
        let point = bytes.point();
        let (was, is) = (before.contains(&point), federation.contains(&point));
        let inside = zone.contains(&point);
        assert!(!covers || !inside || was, "{point}");
        match operation {
            0 => assert_eq!(is, was || inside, "{point}"),
            1 => assert_eq!(is, was && !inside, "{point}"),
            2 => assert_eq!(is, was && inside, "{point}"),
            5 | 6 => assert!(is || !was, "{point}"),
            _ => assert_eq!(is, was, "{point}"),
        }
    }
    if matches!(operation, 3 | 4 | 7) {
        assert!(federation.same_set(&before));
    }
    federation.zones().iter().for_each(check);
}

/// Between two calls a zone is canonical and not empty, and no clock is negative.
fn check(zone: &Zone) {
    let matrix = matrix(zone);
    assert_eq!(closed(matrix), Some(matrix), "{zone:?}");
    assert!(matrix[0].iter().all(|&weight| tightest(weight, Some((0, true))) == weight));
}

fn matrix(zone: &Zone) -> Matrix {
    std::array::from_fn(|x| std::array::from_fn(|y| weight(zone.bound(x, y))))
}

fn weight(bound: Bound) -> Weight {
    bound.constant().map(|constant| (i64::from(constant), bound.is_weak()))
}

fn forget(matrix: &mut Matrix, x: usize) {
    for i in (0..DIM).filter(|&i| i != x) {
        matrix[x][i] = None;
        matrix[i][x] = if i == 0 { Some((0, true)) } else { None };
    }
}

fn sum(a: Weight, b: Weight) -> Weight {
    let ((c, weak), (d, other)) = (a?, b?);
    Some((c + d, weak && other))
}

fn tightest(a: Weight, b: Weight) -> Weight {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

fn greater(a: &Matrix, b: &Matrix) -> Matrix {
    let loosest = |a: Weight, b: Weight| Some(a?.max(b?));
    std::array::from_fn(|i| std::array::from_fn(|j| loosest(a[i][j], b[i][j])))
}

/// The shortest paths of Floyd and Warshall; `None` if there is a cycle below zero.
fn closed(mut matrix: Matrix) -> Option<Matrix> {
    for k in 0..DIM {
        for i in 0..DIM {
            for j in 0..DIM {
                matrix[i][j] = tightest(matrix[i][j], sum(matrix[i][k], matrix[k][j]));
            }
        }
    }
    (0..DIM).all(|i| matrix[i][i] == Some((0, true))).then_some(matrix)
}
