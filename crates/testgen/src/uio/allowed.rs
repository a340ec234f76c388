//! All that a right system may show at the checks of a case.

use std::collections::BTreeSet;

use punctual_model::testing::suite::{Check, Do};
use punctual_model::{PortId, Value};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;
use punctual_smc::exact::Phase;

use super::chance::Trouble;
use super::ending::started;
use super::ground::Ground;
use super::outcome::{Atom, atoms, together};
use super::script::Script;

/// A check with more combinations of values than this can not be listed.
const COMBINATIONS_MAX: usize = 256;

/// The parts of a case in which each check without a list of what is allowed gets one: all that the model allows after the inputs,
/// whatever was seen before. What is allowed and not expected counts as not seen; without a list it would be wrong.
pub(super) fn completed(
    ground: &Ground<'_>,
    parts: &[Do],
    phase: Phase,
) -> Result<Vec<Do>, Trouble> {
    match phase {
        Phase::None => completed_by_states(ground, parts, phase),
        _ => completed_by_phase(ground.specification(), parts, phase),
    }
}

/// The same by the states that the model may be in, whatever is left to chance. Parts are taken to be independent, so more may be listed than
/// they show together.
pub(super) fn completed_by_states(
    ground: &Ground<'_>,
    parts: &[Do],
    phase: Phase,
) -> Result<Vec<Do>, Trouble> {
    let specification = ground.specification();
    let interface = specification.interface();
    let mut completed = parts.to_vec();
    for at in 0..parts.len() {
        let Do::Check(check) = &parts[at] else { continue };
        if !check.allowed.is_empty() {
            continue;
        }
        let script = Script::new(specification, &parts[..at]).map_err(Trouble::NoScript)?;
        let mut allowed: Vec<Vec<(PortId, Value)>> = vec![Vec::new()];
        for (number, _) in specification.side(Side::System) {
            let place = |(port, _): &(PortId, Value)| {
                let readers = specification.readers(*port);
                let (_, position) = readers.iter().find(|(part, _)| *part == number)?;
                Some((*port, *position))
            };
            let ports: Vec<(PortId, u32)> = check.expected.iter().filter_map(place).collect();
            let is_known = |port: &PortId| allowed[0].iter().any(|(it, _)| it == port);
            if ports.is_empty() || ports.iter().any(|(port, _)| is_known(port)) {
                continue;
            }
            let mut estimate = started(ground, number, phase)?;
            if script.follow(specification, number, &mut estimate, false)?.is_err() {
                return Err(Trouble::Impossible);
            }
            let mut shown: Vec<Vec<(PortId, Value)>> = Vec::new();
            for (state, _) in estimate.present()? {
                let value = |(port, at): &(PortId, u32)| {
                    (*port, interface.ports[*port].ty.of_int(state[*at as usize]))
                };
                let values: Vec<(PortId, Value)> = ports.iter().map(value).collect();
                if !shown.contains(&values) {
                    shown.push(values);
                }
            }
            let longer = |values: &Vec<(PortId, Value)>| -> Vec<Vec<(PortId, Value)>> {
                shown.iter().map(|it| [&values[..], it].concat()).collect()
            };
            allowed = allowed.iter().flat_map(longer).collect();
            if allowed.len() > COMBINATIONS_MAX {
                return Err(Trouble::Values);
            }
        }
        if let Do::Check(check) = &mut completed[at] {
            allow(check, allowed);
        }
    }
    Ok(completed)
}

/// The same where a phase is all that is left to chance: what is shown in each phase, and where a phase ends what is shown on
/// either side of it. There the system and the case act at the same instant, in an order that nobody knows.
fn completed_by_phase(
    specification: &Specification,
    parts: &[Do],
    phase: Phase,
) -> Result<Vec<Do>, Trouble> {
    let (Phase::OfScript(period) | Phase::OfLoop(period)) = phase else {
        return Ok(parts.to_vec());
    };
    let script = Script::new(specification, parts).map_err(Trouble::NoScript)?;
    let mut known: Vec<Vec<Atom>> = Vec::new();
    for (number, _) in specification.side(Side::System) {
        known.extend(atoms(specification, number, &script, phase).map_err(Trouble::Inexact)?);
    }
    let known: Vec<&[Atom]> = known.iter().map(Vec::as_slice).collect();
    let joint = together(&known, period);
    let ports = &specification.interface().ports;
    let mut completed = parts.to_vec();
    let checks = completed.iter_mut().filter_map(|part| match part {
        Do::Check(check) => Some(check),
        _ => None,
    });
    for (number, check) in checks.enumerate() {
        let mut shown: BTreeSet<Vec<(PortId, i32)>> = BTreeSet::new();
        for (_, _, here) in &joint {
            shown.insert(merged(here.iter().map(|atom| &atom.shown[number][..])));
        }
        if shown.len() > COMBINATIONS_MAX {
            return Err(Trouble::Values);
        }
        let ends = joint.iter().zip(joint.iter().skip(1).chain(&joint[..1]));
        for ((_, _, before), (_, _, after)) in ends {
            let mixed = mixed(before, after, number);
            // So many at once happen with probability 0, and are not listed.
            if shown.len() + mixed.len() <= COMBINATIONS_MAX {
                shown.extend(mixed);
            }
        }
        let value = |(port, it): &(PortId, i32)| (*port, ports[*port].ty.of_int(*it));
        // What is listed already was listed for a case that begins with the system.
        let mut allowed = std::mem::take(&mut check.allowed);
        for values in shown.iter().map(|values| values.iter().map(value).collect()) {
            if !allowed.contains(&values) {
                allowed.push(values);
            }
        }
        allow(check, allowed);
    }
    Ok(completed)
}

/// Lists what a check allows, if that is more than what it expects.
fn allow(check: &mut Check, mut allowed: Vec<Vec<(PortId, Value)>>) {
    for values in &mut allowed {
        values.sort_by_key(|(port, _)| *port);
    }
    let mut expected = check.expected.clone();
    expected.sort_by_key(|(port, _)| *port);
    allowed.retain(|values| *values != expected);
    if !allowed.is_empty() {
        allowed.insert(0, check.expected.clone());
        check.allowed = allowed;
    }
}

/// What several parts show, each port once.
fn merged<'a>(parts: impl Iterator<Item = &'a [(PortId, i32)]>) -> Vec<(PortId, i32)> {
    let mut all: Vec<(PortId, i32)> = parts.flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What is shown at a check if each part does what it does before or after the end of a phase.
fn mixed(before: &[&Atom], after: &[&Atom], number: usize) -> Vec<Vec<(PortId, i32)>> {
    /// With more parts that change at once there are too many.
    const CHANGED_MAX: u32 = 6;
    let mut fixed: Vec<&[(PortId, i32)]> = Vec::new();
    let mut changed: Vec<[&[(PortId, i32)]; 2]> = Vec::new();
    for (before, after) in before.iter().zip(after) {
        let both = [&before.shown[number][..], &after.shown[number][..]];
        if both[0] == both[1] { fixed.push(both[0]) } else { changed.push(both) }
    }
    let n = changed.len() as u32;
    if !(2..=CHANGED_MAX).contains(&n) {
        return Vec::new();
    }
    (0..1_usize << n)
        .map(|choice| {
            let chosen = changed.iter().enumerate().map(|(at, both)| both[choice >> at & 1]);
            merged(fixed.iter().copied().chain(chosen))
        })
        // What two parts show is shown by both alike.
        .filter(|values| values.windows(2).all(|pair| pair[0].0 != pair[1].0))
        .collect()
}
