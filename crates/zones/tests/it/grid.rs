//! Which points are enough to tell two sets apart.
//!
//! A set built from constraints with integer constants is a union of regions: it depends only on the
//! integer parts of the clocks and of their differences, and on the order of the fractions. With `n`
//! clocks there are at most `n` fractions that are not zero, so each region of up to three clocks has
//! a point on the quarter grid. That is why results are compared on quarters.
//!
//! If a definition says "there is a delay" or "there is a value", that number lies between limits
//! which are sums of quarters and integers, possibly open ones. So it is enough to try eighths.
//!
//! The grid must also be wide enough. Where two sets differ, some constraints of both, or negations
//! of them, cut out a zone that is not empty. Each of its lower bounds is the sum of constants along
//! a path that visits each clock at most once. So with `n` clocks and constants up to `c`, its
//! earliest point lies below `n * c + 1`.

use punctual_zones::Zone;

/// Quarters, in which results are compared.
pub(crate) const QUARTERS: i64 = 4;
/// Eighths, in which "there is" is tried.
pub(crate) const EIGHTHS: i64 = 8;

/// All points with values from 0 to `side`, in steps of 1 / `denominator`.
pub(crate) fn points(n_clocks: usize, side: i64, denominator: i64) -> Vec<Vec<i64>> {
    let mut points = vec![vec![]];
    for _ in 0..n_clocks {
        let longer = |point: &Vec<i64>| {
            let point = point.clone();
            (0..=side * denominator).map(move |value| [point.as_slice(), &[value]].concat())
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}

/// The largest constant of a zone.
pub(crate) fn largest(zone: &Zone) -> i64 {
    let constants = zone.cells().iter().filter_map(|bound| bound.constant());
    constants.map(|constant| i64::from(constant.abs())).max().unwrap_or(0)
}

/// How wide a grid tells sets made of these zones from any with constants no larger.
pub(crate) fn side(zones: &[&Zone]) -> i64 {
    let n_clocks = zones.iter().map(|zone| zone.dim() - 1).max().unwrap_or(0) as i64;
    n_clocks * zones.iter().map(|zone| largest(zone)).max().unwrap_or(0) + 1
}

/// Whether a point satisfies the bounds of a zone, one by one.
pub(crate) fn inside(zone: &Zone, point: &[i64], denominator: i64) -> bool {
    let value = |clock: usize| if clock == 0 { 0 } else { point[clock - 1] };
    (0..zone.dim()).all(|x| {
        (0..zone.dim()).all(|y| {
            let bound = zone.bound(x, y);
            let Some(constant) = bound.constant() else { return true };
            let excess = value(x) - value(y) - i64::from(constant) * denominator;
            excess < 0 || (excess == 0 && bound.is_weak())
        })
    })
}

/// The same point in units of 1 / 8 rather than 1 / 4.
pub(crate) fn in_eighths(point: &[i64]) -> Vec<i64> {
    point.iter().map(|value| value * 2).collect()
}

/// Compares a set with its definition on all quarters up to `side`.
pub(crate) fn compare(
    n_clocks: usize,
    side: i64,
    set: impl Fn(&[i64]) -> bool,
    definition: impl Fn(&[i64]) -> bool,
) -> Result<(), String> {
    for point in points(n_clocks, side, QUARTERS) {
        let (got, expected) = (set(&point), definition(&point));
        if got != expected {
            return Err(format!("at {point:?} / 4: {got}, by definition {expected}"));
        }
    }
    Ok(())
}

/// Compares a zone with its definition, and sees that it is canonical.
pub(crate) fn check(
    zone: &Zone,
    operands: &[&Zone],
    definition: impl Fn(&[i64]) -> bool,
) -> Result<(), String> {
    let n_clocks = zone.dim() - 1;
    crate::reference::is_canonical(zone)?;
    let side = side(&[operands, &[zone]].concat());
    compare(n_clocks, side, |point| inside(zone, point, QUARTERS), definition)
        .map_err(|error| format!("{zone:?} {error}"))
}
