//! Durations of the operations on zones, at 4, 10 and 20 clocks besides the reference.
//!
//! The zones are of the kind a search meets: some clocks were reset one after the other, some have
//! bounds. An operation that changes a zone is timed together with the copy it is done on.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use punctual_zones::{Bound, LuBounds, Zone};

const N_CLOCKS: [usize; 3] = [4, 10, 20];

/// Clocks that were reset one after the other, two to five units apart, now waiting.
fn staggered(n_clocks: usize) -> Zone {
    let mut zone = Zone::zero(n_clocks);
    for clock in 1..=n_clocks {
        zone.up();
        let since = if clock == 1 { n_clocks } else { clock - 1 };
        assert!(zone.constrain(0, since, Bound::le(-2)) && zone.constrain(since, 0, Bound::lt(5)));
        zone.reset(clock, 0);
    }
    zone.up();
    zone
}

/// The same, where all clocks also have an upper bound.
fn bounded(n_clocks: usize) -> Zone {
    staggered(n_clocks).constrained(n_clocks, 0, Bound::le(10)).expect("not empty")
}

/// Any numbers, always the same.
fn numbers(mut seed: u64) -> impl FnMut(u64) -> i32 {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i32::try_from((seed >> 33) % below).expect("small")
    }
}

/// Bounds on every clock and difference, such that the zone is not empty and little is canonical.
/// All of them contain one point; the seed says how loosely.
fn dense(n_clocks: usize, seed: u64) -> Vec<Bound> {
    let (dim, mut number, mut slack) = (n_clocks + 1, numbers(1), numbers(seed));
    let point: Vec<i32> = (0..dim).map(|i| if i == 0 { 0 } else { 50 + number(50) }).collect();
    let mut cells = vec![Bound::ZERO; dim * dim];
    for (i, row) in cells.chunks_exact_mut(dim).enumerate() {
        for (j, bound) in row.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            *bound = Bound::le(point[i] - point[j] + slack(40));
        }
    }
    cells
}

/// Times `change` on a copy of `zone`, the copy included.
fn on_copy(c: &mut Criterion, name: &str, zone: fn(usize) -> Zone, change: impl Fn(&mut Zone)) {
    let mut group = c.benchmark_group(format!("zones/{name}"));
    for n_clocks in N_CLOCKS {
        let zone = zone(n_clocks);
        let mut copy = zone.clone();
        group.bench_function(BenchmarkId::from_parameter(n_clocks), |b| {
            b.iter(|| {
                copy.clone_from(black_box(&zone));
                change(&mut copy);
                black_box(&copy);
            });
        });
    }
    group.finish();
}

/// What a search does to one zone in each step.
fn steps(c: &mut Criterion) {
    on_copy(c, "copy", staggered, |_| ());
    on_copy(c, "up", bounded, Zone::up);
    on_copy(c, "down", bounded, Zone::down);
    on_copy(c, "reset", staggered, |zone| {
        let middle = zone.dim() / 2;
        zone.reset(middle, black_box(0));
    });
    on_copy(c, "free", staggered, |zone| {
        let middle = zone.dim() / 2;
        zone.free(middle);
    });
    // An upper bound changes every row, a lower bound of a waiting zone only one.
    on_copy(c, "constrain/upper", staggered, |zone| {
        let last = zone.dim() - 1;
        black_box(zone.constrain(last, 0, black_box(Bound::le(7))));
    });
    on_copy(c, "constrain/lower", staggered, |zone| {
        let last = zone.dim() - 1;
        black_box(zone.constrain(0, last, black_box(Bound::le(-7))));
    });
    on_copy(
        c,
        "constrain/dense",
        |n| Zone::from_matrix(dense(n, 1)).expect("not empty"),
        |zone| {
            let (middle, bound) = (zone.dim() / 2, zone.bound(0, zone.dim() / 2));
            black_box(zone.constrain(
                middle,
                0,
                bound.complement().expect("finite") + Bound::le(1),
            ));
        },
    );
}

/// Two zones into one. `dense` zones tighten each other in many places.
fn intersect(c: &mut Criterion) {
    let mut group = c.benchmark_group("zones/intersect");
    for n_clocks in N_CLOCKS {
        let other = bounded(n_clocks);
        let zone = staggered(n_clocks).constrained(0, 1, Bound::lt(-9)).expect("not empty");
        let mut copy = zone.clone();
        group.bench_function(BenchmarkId::new("similar", n_clocks), |b| {
            b.iter(|| {
                copy.clone_from(black_box(&zone));
                black_box(copy.intersect(black_box(&other)));
            });
        });
        let zone = Zone::from_matrix(dense(n_clocks, 2)).expect("not empty");
        let other = Zone::from_matrix(dense(n_clocks, 3)).expect("not empty");
        group.bench_function(BenchmarkId::new("dense", n_clocks), |b| {
            b.iter(|| {
                copy.clone_from(black_box(&zone));
                black_box(copy.intersect(black_box(&other)));
            });
        });
    }
    group.finish();
}

/// A matrix of any bounds to a zone, with its allocation.
fn close(c: &mut Criterion) {
    let mut group = c.benchmark_group("zones/close");
    for n_clocks in N_CLOCKS {
        let cells = dense(n_clocks, 1);
        group.bench_function(BenchmarkId::from_parameter(n_clocks), |b| {
            b.iter(|| Zone::from_matrix(black_box(&cells).clone()));
        });
    }
    group.finish();
}

/// Is the new zone covered? The question asked most often. `copied` copies the zone first, as
/// figures of other libraries do.
fn inclusion(c: &mut Criterion) {
    let mut group = c.benchmark_group("zones/inclusion");
    for n_clocks in N_CLOCKS {
        let (small, large) = (bounded(n_clocks), staggered(n_clocks));
        group.bench_function(BenchmarkId::new("holds", n_clocks), |b| {
            b.iter(|| black_box(&small).is_included_in(black_box(&large)));
        });
        let mut copy = small.clone();
        group.bench_function(BenchmarkId::new("holds, copied", n_clocks), |b| {
            b.iter(|| {
                copy.clone_from(black_box(&small));
                black_box(&copy).is_included_in(black_box(&large))
            });
        });
        group.bench_function(BenchmarkId::new("fails", n_clocks), |b| {
            b.iter(|| black_box(&large).is_included_in(black_box(&small)));
        });
        group.bench_function(BenchmarkId::new("relation", n_clocks), |b| {
            b.iter(|| black_box(&small).relation(black_box(&large)));
        });
    }
    group.finish();
}

/// The coarsest extrapolation, where it forgets something, and inclusion up to simulation.
fn abstraction(c: &mut Criterion) {
    // Constants that some clocks are beyond, and constants that none is.
    let (mut near, mut far) = ([0; 21], [900; 21]);
    far[0] = 0;
    for (i, bound) in near.iter_mut().enumerate().skip(1) {
        *bound = [0, 3, 8, 20][i % 4];
    }
    on_copy(c, "extra_lu_plus/near", staggered, |zone| {
        zone.extra_lu_plus(LuBounds::both(&black_box(&near)[..zone.dim()]));
    });
    on_copy(c, "extra_lu_plus/far", staggered, |zone| {
        zone.extra_lu_plus(LuBounds::both(&black_box(&far)[..zone.dim()]));
    });
    let mut group = c.benchmark_group("zones/simulated");
    for n_clocks in N_CLOCKS {
        let (small, large) = (bounded(n_clocks), staggered(n_clocks));
        let near = LuBounds::both(&near[..=n_clocks]);
        let far = LuBounds::both(&far[..=n_clocks]);
        group.bench_function(BenchmarkId::new("holds", n_clocks), |b| {
            b.iter(|| black_box(&small).is_simulated_by(black_box(&large), black_box(near)));
        });
        group.bench_function(BenchmarkId::new("fails", n_clocks), |b| {
            b.iter(|| black_box(&large).is_simulated_by(black_box(&small), black_box(far)));
        });
    }
    group.finish();
}

criterion_group!(benches, steps, intersect, close, inclusion, abstraction);
criterion_main!(benches);
