//! Where a case should end.

use std::collections::BTreeMap;

use punctual_model::testing::suite::Case;
use punctual_semantics::specification::{Part, Specification};
use punctual_semantics::split::Side;
use punctual_smc::exact::Ratio;

use super::chance::{Options, Trouble};
use super::weigh::Ends;

/// A location of a process of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub part: usize,
    pub process: usize,
    pub location: i32,
}

/// Where a case should end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Chosen {
    pub place: Place,
    /// The location that the case names, if no run of it ends there.
    pub instead_of: Option<String>,
}

/// Where a case should end; none if nothing of the system took part.
pub(super) fn place(
    specification: &Specification,
    case: &Case,
    options: &Options<'_>,
    ends: &BTreeMap<usize, Ends>,
) -> Result<Option<Chosen>, Trouble> {
    let chosen = |place: Place| Chosen { place, instead_of: None };
    let about = &case.about;
    let only = match &about.ends_in[..] {
        [only] if about.path.is_empty() => Some(only.as_str()),
        _ => None,
    };
    if let Some(name) = options.location.or(only) {
        let place = find(specification, name).ok_or_else(|| Trouble::Unknown(name.to_owned()))?;
        return match is_there(place, ends) {
            true => Ok(Some(chosen(place))),
            false => Err(Trouble::Elsewhere(name.to_owned())),
        };
    }
    // The path names who moved last: `Error3: Pending -> Qualified`. Who receives is named behind who sends.
    let movers = about.path.iter().rev().flat_map(|step| step.rsplit(", "));
    for (process, _) in movers.filter_map(|mover| mover.split_once(": ")) {
        let is_its = |end: &&String| end.rsplit_once('.').is_some_and(|(it, _)| it == process);
        let Some(name) = about.ends_in.iter().find(is_its) else { continue };
        let Some(named) = find(specification, name) else { continue };
        let id = specification.parts[named.part].processes[named.process];
        // What has one location only, or is in several slices, is proved by nothing or by too much.
        if specification.network.processes[id].locations.len() < 2
            || everywhere(specification, named).len() > 1
        {
            continue;
        }
        if is_there(named, ends) {
            return Ok(Some(chosen(named)));
        }
        if let Some(place) = likely(named, ends) {
            return Ok(Some(Chosen { place, instead_of: Some(name.clone()) }));
        }
    }
    // The most probable location of the automaton with most locations, in the first part that leaves something to chance.
    let mut best: Option<(usize, Place)> = None;
    for part in ends.keys() {
        for (process, id) in specification.parts[*part].processes.iter().enumerate() {
            let n = specification.network.processes[*id].locations.len();
            let place = likely(Place { part: *part, process, location: 0 }, ends);
            if let (Some(place), true) = (place, best.is_none_or(|(most, _)| n > most)) {
                best = Some((n, place));
            }
        }
    }
    Ok(best.map(|(_, place)| chosen(place)))
}

/// A place in each of the parts that have its automaton: slices share some.
pub(super) fn everywhere(specification: &Specification, place: Place) -> Vec<Place> {
    let id = specification.parts[place.part].processes[place.process];
    let in_part = |(part, it): (usize, &Part)| {
        let process = it.processes.iter().position(|process| *process == id)?;
        Some(Place { part, process, ..place })
    };
    specification.side(Side::System).filter_map(in_part).collect()
}

/// Whether a case may end at a place; nothing speaks against it where the ends are not known.
fn is_there(place: Place, ends: &BTreeMap<usize, Ends>) -> bool {
    let is_it = |(state, _): &(Vec<i32>, Ratio)| state[place.process] == place.location;
    ends.get(&place.part).is_none_or(|ends| ends.iter().any(is_it))
}

/// The most probable location of the automaton of a place.
fn likely(place: Place, ends: &BTreeMap<usize, Ends>) -> Option<Place> {
    let mut sums: BTreeMap<i32, Ratio> = BTreeMap::new();
    for (state, probability) in ends.get(&place.part)? {
        let sum = sums.entry(state[place.process]).or_insert_with(|| Ratio::from_integer(0.into()));
        *sum += probability;
    }
    let likely = sums.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
    likely.map(|(location, _)| Place { location, ..place })
}

/// The place of a name such as `Error.Qualified`.
fn find(specification: &Specification, name: &str) -> Option<Place> {
    let (process, location) = name.rsplit_once('.')?;
    for (part, it) in specification.side(Side::System) {
        for (number, id) in it.processes.iter().enumerate() {
            let of = &specification.network.processes[*id];
            if of.name == process {
                let at = of.locations.iter().position(|it| it.name == location)?;
                return Some(Place { part, process: number, location: at as i32 });
            }
        }
    }
    None
}

/// The name of a place: `Error.Qualified`.
pub(super) fn name(specification: &Specification, place: Place) -> String {
    let id = specification.parts[place.part].processes[place.process];
    let process = &specification.network.processes[id];
    let location = process.locations.iter().nth(place.location.unsigned_abs() as usize);
    format!("{}.{}", process.name, location.map_or("?", |it| &it.name))
}
