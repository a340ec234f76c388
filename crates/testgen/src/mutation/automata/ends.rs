//! Restrict and widen: one end of a constraint moves.

use punctual_model::{ClockConstraint, Condition, Relation};

use super::Place;
use super::bounds::{End, ends, moved};
use super::maker::Maker;
use super::names::word;
use super::text::Text;

/// Each end is tighter.
pub(super) fn restrict(maker: &mut Maker<'_>) {
    let offset = maker.offset;
    each(maker, |constraint, end| match (constraint.relation, end) {
        // A tighter equality holds nowhere.
        (Relation::Equal, _) => None,
        (_, End::Lower) => moved(constraint, end, offset),
        (_, End::Upper) => moved(constraint, end, offset.checked_neg()?),
    });
}

/// Each end is looser.
pub(super) fn widen(maker: &mut Maker<'_>) {
    let offset = maker.offset;
    each(maker, |constraint, end| match end {
        End::Lower => moved(constraint, end, offset.checked_neg()?),
        End::Upper => moved(constraint, end, offset),
    });
}

/// What takes the place of a constraint.
type New = Option<Vec<ClockConstraint>>;

/// Changes each end of each constraint of invariants and guards.
fn each(maker: &mut Maker<'_>, change: impl Fn(&ClockConstraint, End) -> New) {
    let process = maker.process;
    for (id, location) in process.locations.enumerate() {
        for it in changes(&location.invariant, &maker.text(None), &change) {
            maker.add(Place::Location(id), &it.detail, it.text, |process| {
                let clocks = &mut process.locations[id].invariant.clocks;
                clocks.splice(it.at..=it.at, it.new);
            });
        }
    }
    for (id, edge) in process.edges.enumerate() {
        for it in changes(&edge.guard, &maker.text(Some(edge)), &change) {
            maker.add(Place::Edge(id), &it.detail, it.text, |process| {
                process.edges[id].guard.clocks.splice(it.at..=it.at, it.new);
            });
        }
    }
}

/// A change of one constraint of a condition.
struct Change {
    /// The position of the constraint.
    at: usize,
    new: Vec<ClockConstraint>,
    detail: String,
    text: String,
}

fn changes(
    condition: &Condition,
    text: &Text<'_>,
    change: impl Fn(&ClockConstraint, End) -> New,
) -> Vec<Change> {
    let mut found = Vec::new();
    for (at, constraint) in condition.clocks.iter().enumerate() {
        for end in ends(constraint) {
            let Some(new) = change(constraint, *end) else { continue };
            let detail = format!("{}-{}", word(&text.clocks(constraint)), end.name());
            let both = (text.constraint(constraint), text.conjunction(&new));
            let text = format!("{} becomes {}", both.0, both.1);
            found.push(Change { at, new, detail, text });
        }
    }
    found
}
