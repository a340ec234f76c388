//! Receivers whose guard reads what their signal carries: it is evaluated before the sender's update.
//!
//! The rule: a guard of a receiver reads an integer, a sender on that channel sets it without looking at it, and nobody but senders on the
//! channel sets it to anything for which the guard could hold. So the guard can only hold because of the value of an earlier signal (or
//! the initial one). Meant is, and not told:
//!
//! - a flag that is free, and that the sender takes (`busy == 0` and `busy = 1`): no sender makes the guard true;
//! - a counter, or whose turn it is: the sender computes the new value from the old one, or has asked for the old one in its guard;
//! - a variable that others may set so that the guard holds: who sends may mean to change it afterwards.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{ChannelId, Condition, Edge, Expr, Number, Place, Storage, Sync, UnaryOp};

use super::{
    At, Lint,
    access::{Values, updates},
    elements, warning,
};
use crate::{diagnostic::Diagnostic, fold};

/// An edge that writes an integer.
struct Writer {
    at: At,
    values: Values,
    /// It reads the integer, too.
    looks: bool,
}

/// Who sends and who writes.
struct Signals {
    senders: BTreeMap<ChannelId, BTreeSet<At>>,
    writers: BTreeMap<u32, Vec<Writer>>,
    /// Written at every transition.
    always: BTreeSet<u32>,
}

impl Lint<'_> {
    pub(super) fn old_values(&self, found: &mut Vec<Diagnostic>) {
        let signals = self.signals();
        let carried: BTreeMap<At, (u32, At)> = self
            .edges()
            .filter_map(|(at, edge)| Some((at, self.carried(&signals, at, edge)?)))
            .collect();
        for (at, (slot, sender)) in &carried {
            let (Some(span), Some(channel)) =
                (self.span(*at), self.network.processes[at.0].edges[at.1].sync.channel())
            else {
                continue;
            };
            if !self.in_all(*at, |at, _| carried.contains_key(&at)) {
                continue;
            }
            let stored = self.network.variables.iter().filter(|it| it.storage == Storage::State);
            let before = stored.filter(|it| it.ints <= *slot);
            let Some(variable) = before.max_by_key(|it| it.ints) else { continue };
            // Of an array, each process may mean another element.
            let full = &self.network.channels[channel.base].name;
            let channel = full.split('[').next().unwrap_or(full);
            let message = format!(
                "the guard reads `{}` before the sender on `{channel}` sets it",
                variable.name
            );
            let mut diagnostic = warning("lint::reads_old_value", span, message)
                .label("evaluated before the update of the sender")
                .help("guards are evaluated before all updates: receive the value first, and decide in a committed location");
            if let Some(sender) = self.span(*sender) {
                diagnostic = diagnostic.also(sender, "sets it here");
            }
            found.push(diagnostic);
        }
    }

    fn signals(&self) -> Signals {
        let network = self.network;
        let always = network.before_update.iter().chain(&network.after_update);
        let always = self.access.writes(always).into_keys().collect();
        let mut signals = Signals { senders: BTreeMap::new(), writers: BTreeMap::new(), always };
        for (at, edge) in self.edges() {
            if let Sync::Send(channel) = &edge.sync {
                for element in elements(channel) {
                    signals.senders.entry(element).or_default().insert(at);
                }
            }
            let writes = self.access.writes(updates(edge));
            if writes.is_empty() {
                continue;
            }
            let read = self.access.looks_at(edge);
            for (slot, values) in writes {
                let writer = Writer { at, values, looks: read.contains(&slot) };
                signals.writers.entry(slot).or_default().push(writer);
            }
        }
        signals
    }

    /// The integer that a guard reads too soon, and a sender that sets it.
    fn carried(&self, signals: &Signals, at: At, edge: &Edge) -> Option<(u32, At)> {
        let Sync::Receive(channel) = &edge.sync else { return None };
        let on: Vec<&BTreeSet<At>> =
            elements(channel).iter().filter_map(|it| signals.senders.get(it)).collect();
        let sends = |at: &At| on.iter().any(|senders| senders.contains(at));
        // Who takes part on both sides takes turns with its like.
        let first = (at.0, punctual_model::Id::from_index(0));
        if on.iter().any(|it| it.range(first..).next().is_some_and(|it| it.0 == at.0)) {
            return None;
        }
        self.access.reads(&edge.guard).into_iter().find_map(|slot| {
            let writers = signals.writers.get(&slot)?;
            if signals.always.contains(&slot) {
                return None;
            }
            let clears = |it: &Writer| it.values.iter().all(|it| excludes(&edge.guard, slot, *it));
            let (senders, others): (Vec<_>, Vec<_>) = writers.iter().partition(|it| sends(&it.at));
            let sets = senders.iter().find(|it| !it.looks && !clears(it))?;
            others.iter().all(|it| clears(it)).then_some((slot, sets.at))
        })
    }
}

/// Whether a guard does not hold, whatever else is the case, if an integer has a value; not if that is not known.
fn excludes(guard: &Condition, slot: u32, value: Option<i32>) -> bool {
    let is_false = |value| guard.data.iter().any(|it| evaluate(it, slot, value) == Some(0));
    value.is_some_and(is_false)
}

/// The value of an expression that reads nothing but this integer.
fn evaluate(expr: &Expr, slot: u32, value: i32) -> Option<i32> {
    match expr {
        Expr::Int(value) => Some(*value),
        Expr::Load(Place {
            storage: Storage::State,
            number: Number::Int,
            base,
            indices,
            size: 1,
            ..
        }) => (*base == slot && indices.is_empty()).then_some(value),
        Expr::Unary(UnaryOp::Not, _, of) => Some(i32::from(evaluate(of, slot, value)? == 0)),
        Expr::Unary(UnaryOp::Negate, Number::Int, of) => evaluate(of, slot, value)?.checked_neg(),
        Expr::Binary(binary) if binary.number == Number::Int && binary.size == 1 => {
            let left = evaluate(&binary.left, slot, value);
            let right = evaluate(&binary.right, slot, value);
            let decides = |side: i32| match binary.op {
                punctual_model::BinaryOp::And => (side == 0).then_some(0),
                punctual_model::BinaryOp::Or => (side != 0).then_some(1),
                _ => None,
            };
            let one = left.and_then(decides).or_else(|| right.and_then(decides));
            one.or_else(|| fold::ints(binary.op, left?, right?))
        }
        _ => None,
    }
}
