//! Points of a zone: the earliest one, and any other by choices that are handed in.
//!
//! With `n` clocks, every non-empty zone has points whose values are multiples of `1 / (n + 1)`:
//! replace each `< c` by `<= c - 1 / (n + 1)`. A cycle of bounds visits each clock and the reference
//! at most once, so it loses at most 1; its constants add up to 0 only if all of them are weak, and
//! to at least 1 otherwise. So no cycle gets below zero. On that grid all bounds are weak and whole
//! numbers, and any choice for some clocks can be completed: sampling never has to go back.

use crate::bound::Bound;
use crate::point::Point;
use crate::view::ZoneRef;
use crate::zone::Zone;

/// No bound, on the grid.
const NONE: i64 = i64::MAX;

impl ZoneRef<'_> {
    /// The point in which every clock has its least value; where a least value is not attained, the
    /// next point on a grid that is fine enough to find one.
    ///
    /// ```
    /// use punctual_zones::{Bound, Zone};
    /// let zone = Zone::universe(1).constrained(0, 1, Bound::le(-2)).unwrap(); // x >= 2
    /// assert_eq!(zone.earliest().to_string(), "(2)");
    /// let zone = Zone::universe(1).constrained(0, 1, Bound::lt(-2)).unwrap(); // x > 2
    /// assert_eq!(zone.earliest().to_string(), "(5/2)");
    /// ```
    #[must_use]
    pub fn earliest(self) -> Point {
        let lowest = &self.cells()[..self.dim()];
        if lowest.iter().all(|bound| bound.is_weak()) {
            let value = |bound: &Bound| -i64::from(bound.0 >> 1);
            return Point::new(lowest[1..].iter().map(value).collect(), 1);
        }
        // All bounds being weak on the grid, the least values belong to one point.
        self.sample_by(1, |_, least, _| least)
    }

    /// A point by chance. For each clock in turn, one value of the grid that the values before it
    /// still allow is taken, all alike; clocks without an upper bound stay within `horizon` of their
    /// least value. A finer `resolution` comes closer to strict bounds; 1 is the coarsest.
    ///
    /// ```
    /// use punctual_zones::Zone;
    /// let zone = Zone::universe(2);
    /// let mut seed = 7_u64;
    /// let point = zone.sample(10, 100, || {
    ///     seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    ///     seed >> 20
    /// });
    /// assert!(zone.contains(&point));
    /// ```
    ///
    /// # Panics
    /// If the resolution is 0 or so large that the grid is out of range.
    pub fn sample(self, resolution: u32, horizon: u32, mut source: impl FnMut() -> u64) -> Point {
        let reach = i64::from(horizon) * denominator(self.dim(), resolution);
        self.sample_by(resolution, |_, least, greatest| {
            let span = greatest.unwrap_or(least + reach) - least;
            let offset = source() % (span.unsigned_abs() + 1);
            least + i64::try_from(offset).expect("not more than the span")
        })
    }

    /// A point by choice. For each clock in turn, `choose` gets the clock, its least and its greatest
    /// value (`None` if there is none), given the values chosen before, and answers with one that is
    /// not outside. Values are numerators of the grid, whose denominator is the dimension times the
    /// resolution.
    ///
    /// # Panics
    /// If a choice lies outside, or the resolution is 0 or so large that the grid is out of range.
    pub fn sample_by(
        self,
        resolution: u32,
        mut choose: impl FnMut(usize, i64, Option<i64>) -> i64,
    ) -> Point {
        let dim = self.dim();
        let denominator = denominator(dim, resolution);
        let grid = shrink(self, denominator);
        let mut values = vec![0; dim];
        for x in 1..dim {
            let mut least = 0;
            let mut greatest = None;
            for (y, &value) in values.iter().enumerate().take(x) {
                let (above, below) = (grid[x * dim + y], grid[y * dim + x]);
                if below != NONE {
                    least = least.max(value - below);
                }
                if above != NONE {
                    let limit = value + above;
                    greatest = Some(greatest.map_or(limit, |old: i64| old.min(limit)));
                }
            }
            let value = choose(x, least, greatest);
            let inside = least <= value && greatest.is_none_or(|greatest| value <= greatest);
            assert!(inside, "the value chosen for clock {x} lies outside the zone");
            values[x] = value;
        }
        values.remove(0);
        Point::new(values, denominator)
    }
}

impl Zone {
    /// See [`ZoneRef::earliest`].
    #[must_use]
    pub fn earliest(&self) -> Point {
        self.view().earliest()
    }

    /// See [`ZoneRef::sample`].
    pub fn sample(&self, resolution: u32, horizon: u32, source: impl FnMut() -> u64) -> Point {
        self.view().sample(resolution, horizon, source)
    }
}

fn denominator(dim: usize, resolution: u32) -> i64 {
    assert!(resolution > 0, "a grid has a resolution");
    let denominator = u64::from(resolution) * dim as u64;
    // A path has at most 2^16 steps of 2^29 · 2^16 or a horizon of 2^32 · 2^16: far from 2^63.
    assert!(denominator < 1 << 16, "the grid of a sample is too fine");
    denominator.cast_signed()
}

/// The zone's bounds in steps of the grid, strict ones less one step, canonical.
fn shrink(zone: ZoneRef<'_>, denominator: i64) -> Vec<i64> {
    let dim = zone.dim();
    let steps = |bound: &Bound| match bound.constant() {
        None => NONE,
        Some(constant) => i64::from(constant) * denominator - i64::from(!bound.is_weak()),
    };
    let mut grid: Vec<i64> = zone.cells().iter().map(steps).collect();
    if zone.cells().iter().all(|bound| bound.is_weak() || bound.is_infinite()) {
        return grid;
    }
    for k in 0..dim {
        for i in 0..dim {
            for j in 0..dim {
                let (first, second) = (grid[i * dim + k], grid[k * dim + j]);
                if first != NONE && second != NONE {
                    grid[i * dim + j] = grid[i * dim + j].min(first + second);
                }
            }
        }
    }
    debug_assert!((0..dim).all(|i| grid[i * dim + i] == 0));
    grid
}
