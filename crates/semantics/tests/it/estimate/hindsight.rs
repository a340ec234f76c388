//! Windows by the definition: the instants at which all runs show something.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{Id, SignalId};
use punctual_semantics::concrete::Concrete;

use super::generate::RANGE;
use super::regions::{Explained, Instant, Regions};

/// All signals with all values that they can have.
pub(super) fn signals(regions: &Regions) -> Vec<(SignalId, Vec<i32>)> {
    let mut all = Vec::new();
    for (i, _) in regions.uses.iter().enumerate().filter(|(_, (_, used))| *used) {
        let signal = SignalId::from_index(i);
        match i.is_multiple_of(2) {
            true => all.extend((RANGE.lo..=RANGE.hi).map(|value| (signal, vec![value]))),
            false => all.push((signal, Vec::new())),
        }
    }
    all
}

/// A signal with its values.
pub(super) type Signalled = (SignalId, Vec<i32>);

pub(super) type Windows<K> = BTreeMap<K, BTreeSet<Instant>>;

/// When each signal may be seen, by the states of all runs.
pub(super) fn signal_windows(regions: &Regions, states: &Explained) -> Windows<Signalled> {
    let concrete = Concrete::new(&regions.network);
    let mut windows: Windows<Signalled> = Windows::new();
    for (state, _) in states {
        let instant = regions.instant(state);
        for (action, _) in regions.steps(&concrete, state) {
            if let Some(action) = action {
                windows.entry(action).or_default().insert(instant);
            }
        }
        for (signal, values) in signals(regions) {
            if regions.uses[signal.index()].0
                && !regions.given(&concrete, state, signal, &values).is_empty()
            {
                windows.entry((signal, values)).or_default().insert(instant);
            }
        }
    }
    windows
}

/// Instants that follow each other.
pub(super) fn parts(instants: &BTreeSet<Instant>) -> Vec<BTreeSet<Instant>> {
    let mut parts: Vec<BTreeSet<Instant>> = Vec::new();
    for at in instants {
        match parts.last_mut() {
            Some(last) if last.contains(&(at - 1)) => last.insert(*at),
            _ => {
                parts.push(BTreeSet::from([*at]));
                true
            }
        };
    }
    parts
}

/// Windows, each with those before it that it is one with.
pub(super) fn extended<K: Ord + Clone>(found: &Windows<K>, carried: &Windows<K>) -> Windows<K> {
    let mut extended = Windows::new();
    for (key, instants) in found {
        let mut whole: BTreeSet<Instant> = instants.clone();
        for part in carried.get(key).map(parts).unwrap_or_default() {
            let mut near = part.iter().flat_map(|at| at - 1..=at + 1);
            if near.any(|at| instants.contains(&at)) {
                whole.extend(part);
            }
        }
        extended.insert(key.clone(), whole);
    }
    extended
}

/// Windows after something was seen: those found before it, and those that were open before, also if what was seen
/// hid them because time stood still.
pub(super) fn carried<K: Ord + Clone>(
    found: &Windows<K>,
    before: &Windows<K>,
    begin: Instant,
) -> Windows<K> {
    let mut whole = extended(found, before);
    for (key, instants) in before {
        whole.entry(key.clone()).or_default().extend(instants);
    }
    reaching(whole, begin)
}

/// Windows without those that are over before an instant, and do not end just there.
fn reaching<K: Ord + Clone>(found: Windows<K>, begin: Instant) -> Windows<K> {
    let mut kept = Windows::new();
    for (key, instants) in found {
        let parts = parts(&instants).into_iter();
        let parts = parts.filter(|part| part.last().is_some_and(|last| last + 1 >= begin));
        kept.insert(key, parts.flatten().collect());
    }
    kept
}

pub(super) fn without_empty<K: Ord>(windows: Windows<K>) -> Windows<K> {
    windows.into_iter().filter(|(_, instants)| !instants.is_empty()).collect()
}
