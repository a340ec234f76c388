//! Shift and constants: an invariant and the guards below it change together.

use punctual_model::{ClockConstraint, ClockRef, Condition, Edge, EdgeId, LocationId};

use super::Place;
use super::bounds::{End, ends, on, shifted, single};
use super::maker::Maker;
use super::names::word;

/// Constraints that take the place of others, by their positions.
type New = Vec<(usize, ClockConstraint)>;

/// Each window is earlier, and is later.
pub(super) fn shift(maker: &mut Maker<'_>) {
    let process = maker.process;
    for (id, location) in process.locations.enumerate() {
        for clock in clocks(&location.invariant, End::Upper) {
            let is_guarded = |edge: &Edge| on(&edge.guard, clock).next().is_some();
            if !maker.leaving(id).any(|(_, edge)| is_guarded(edge)) {
                shift_invariant(maker, id, clock);
            }
        }
    }
    for (id, edge) in process.edges.enumerate() {
        for clock in clocks(&edge.guard, End::Lower) {
            shift_window(maker, id, edge, clock);
        }
    }
}

/// By how much windows are shifted, and what that is called.
fn ways(maker: &Maker<'_>) -> [(&'static str, i32); 2] {
    [("earlier", maker.offset.saturating_neg()), ("later", maker.offset)]
}

/// The clocks that have such an end in a condition, each once.
fn clocks(condition: &Condition, end: End) -> Vec<&ClockRef> {
    let mut found: Vec<&ClockRef> = Vec::new();
    for constraint in condition.clocks.iter().filter(|it| ends(it).contains(&end)) {
        if let Some(clock) = single(constraint)
            && !found.contains(&clock)
        {
            found.push(clock);
        }
    }
    found
}

/// The constraints on a clock that are moved; those that a move does not change are left out. None if nothing
/// would be left of a window.
fn moved(condition: &Condition, clock: &ClockRef, by: i32, is_invariant: bool) -> Option<New> {
    let mut found = Vec::new();
    for (at, constraint) in on(condition, clock) {
        let has_upper = ends(constraint).contains(&End::Upper);
        if is_invariant && !has_upper {
            continue;
        }
        match shifted(constraint, by) {
            Some(new) => found.push((at, new)),
            None if has_upper => return None,
            None => {}
        }
    }
    Some(found)
}

fn put(condition: &mut Condition, new: New) {
    for (at, constraint) in new {
        condition.clocks[at] = constraint;
    }
}

fn shift_invariant(maker: &mut Maker<'_>, id: LocationId, clock: &ClockRef) {
    let text = maker.text(None);
    for (way, by) in ways(maker) {
        let invariant = &maker.process.locations[id].invariant;
        let Some(new) = moved(invariant, clock, by, true).filter(|new| !new.is_empty()) else {
            continue;
        };
        let old: Vec<_> = new.iter().map(|(at, _)| invariant.clocks[*at].clone()).collect();
        let now: Vec<_> = new.iter().map(|(_, it)| it.clone()).collect();
        let change = format!("{} becomes {}", text.conjunction(&old), text.conjunction(&now));
        let detail = format!("{}-{way}", word(&text.clock(clock)));
        maker.add(Place::Location(id), &detail, change, |process| {
            put(&mut process.locations[id].invariant, new);
        });
    }
}

fn shift_window(maker: &mut Maker<'_>, id: EdgeId, edge: &Edge, clock: &ClockRef) {
    let text = maker.text(Some(&maker.process.edges[id]));
    let invariant = &maker.process.locations[edge.source].invariant;
    for (way, by) in ways(maker) {
        let guards = moved(&edge.guard, clock, by, false);
        let invariants = moved(invariant, clock, by, true);
        let (Some(guards), Some(invariants)) = (guards, invariants) else { continue };
        if guards.is_empty() && invariants.is_empty() {
            continue;
        }
        let pairs = guards.iter().map(|(at, new)| (&edge.guard.clocks[*at], new));
        let below = invariants.iter().map(|(at, new)| (&invariant.clocks[*at], new));
        let pairs: Vec<String> = pairs
            .map(|(old, new)| (String::new(), old, new))
            .chain(below.map(|(old, new)| ("invariant ".to_owned(), old, new)))
            .map(|(what, old, new)| {
                format!("{what}{} becomes {}", text.constraint(old), text.constraint(new))
            })
            .collect();
        let detail = format!("{}-{way}", word(&text.clock(clock)));
        maker.add(Place::Edge(id), &detail, pairs.join(", "), |process| {
            put(&mut process.edges[id].guard, guards);
            put(&mut process.locations[edge.source].invariant, invariants);
        });
    }
}

/// Each constant of an invariant changes places with each other constant of a guard that is about the same
/// clock.
pub(super) fn constants(maker: &mut Maker<'_>) {
    let process = maker.process;
    for (id, edge) in process.edges.enumerate() {
        let invariant = &process.locations[edge.source].invariant;
        let text = maker.text(Some(edge));
        for (at, guard) in edge.guard.clocks.iter().enumerate() {
            let Some(clock) = single(guard).filter(|_| !ends(guard).is_empty()) else { continue };
            for (below, other) in on(invariant, clock) {
                let Some((new_guard, new_other)) = swapped(guard, other) else { continue };
                let change = format!(
                    "{} becomes {}, invariant {} becomes {}",
                    text.constraint(guard),
                    text.constraint(&new_guard),
                    text.constraint(other),
                    text.constraint(&new_other)
                );
                let end = ends(guard).first().map_or("", |it| it.name());
                let detail = format!("{}-{end}", word(&text.clock(clock)));
                maker.add(Place::Edge(id), &detail, change, |process| {
                    process.edges[id].guard.clocks[at] = new_guard;
                    process.locations[edge.source].invariant.clocks[below] = new_other;
                });
            }
        }
    }
}

/// Two constraints with each other's constants; none if these are equal, or not constant.
fn swapped(
    first: &ClockConstraint,
    second: &ClockConstraint,
) -> Option<(ClockConstraint, ClockConstraint)> {
    // Of `-x <= -5`, 5 is the constant.
    let sign = |it: &ClockConstraint| if it.left.is_none() { -1 } else { 1 };
    let value = |it: &ClockConstraint| it.bound.as_int()?.checked_mul(sign(it));
    let (a, b) = (value(first)?, value(second)?);
    if a == b {
        return None;
    }
    let with = |it: &ClockConstraint, value: i32| {
        let bound = punctual_model::Expr::Int(value.checked_mul(sign(it))?);
        Some(ClockConstraint { bound, ..it.clone() })
    };
    Some((with(first, b)?, with(second, a)?))
}
