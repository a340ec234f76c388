//! From when to when a process may act, and what the clocks allow at an instant.

use punctual_semantics::estimate::{Constraint, Possible, Stay};

use super::Inexact;
use super::instant::Instant;
use super::piece::{Piece, Stop};

/// The last instant that the invariant of a process allows.
pub(super) fn deadline(
    piece: &Piece,
    stay: &Stay,
    process: usize,
) -> Result<Option<Instant>, Stop> {
    let mut last: Option<Instant> = None;
    for constraint in &stay.invariants[process] {
        if constraint.y != 0 {
            continue;
        }
        let Some(bound) = constraint.bound.constant() else { continue };
        let at = piece.origin(constraint.x)?.plus(i64::from(bound));
        last = Some(last.map_or(Ok(at), |it| piece.earlier(it, at))?);
    }
    Ok(last)
}

/// From when to when a process may act; none if it never will.
pub(super) fn window(
    piece: &Piece,
    (own, stay): (&[Possible], &Stay),
    process: usize,
) -> Result<Option<(Instant, Instant)>, Stop> {
    let last = deadline(piece, stay, process)?;
    let mut first: Option<Instant> = None;
    for step in own.iter().filter(|step| step.process == process) {
        let (mut from, mut to) = (piece.now, last);
        let mut is_possible = true;
        for constraint in &step.guard {
            let Some(bound) = constraint.bound.constant().map(i64::from) else { continue };
            match (constraint.x, constraint.y) {
                (0, y) => from = piece.later(from, piece.origin(y)?.plus(-bound))?,
                (x, 0) => {
                    let at = piece.origin(x)?.plus(bound);
                    to = Some(to.map_or(Ok(at), |it| piece.earlier(it, at))?);
                }
                _ => is_possible &= holds(piece, constraint, piece.now)?,
            }
        }
        if let Some(to) = to {
            is_possible &= piece.order(from, to)?.is_le();
        }
        if is_possible {
            first = Some(first.map_or(Ok(from), |it| piece.earlier(it, from))?);
        }
    }
    match (first, last) {
        (None, _) => Ok(None),
        (Some(_), None) => Err(Inexact::Endless.into()),
        (Some(first), Some(last)) => Ok(Some((first, last))),
    }
}

/// Whether the clocks satisfy a constraint at an instant.
pub(super) fn holds(piece: &Piece, constraint: &Constraint, now: Instant) -> Result<bool, Stop> {
    let Some(bound) = constraint.bound.constant().map(i64::from) else { return Ok(true) };
    // `x - y <= bound`, where a clock is what has passed since it was 0.
    let order = match (constraint.x, constraint.y) {
        (0, 0) => 0.cmp(&bound),
        (0, y) => piece.order(piece.origin(y)?.plus(-bound), now)?,
        (x, 0) => piece.order(now, piece.origin(x)?.plus(bound))?,
        (x, y) => piece.order(piece.origin(y)?, piece.origin(x)?.plus(bound))?,
    };
    Ok(order.is_lt() || (order.is_eq() && constraint.bound.is_weak()))
}
