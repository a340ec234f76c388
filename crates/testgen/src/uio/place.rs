//! Where a case should end.

use std::collections::BTreeMap;

use punctual_model::testing::suite::Case;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;
use punctual_smc::exact::Ratio;

use super::chance::{Options, Trouble};
use super::weigh::Weighed;

/// A location of a process of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub part: usize,
    pub process: usize,
    pub location: i32,
}

/// Where a case should end; none if nothing of the system took part.
pub(super) fn place(
    specification: &Specification,
    case: &Case,
    options: &Options<'_>,
    weighed: &Weighed,
) -> Result<Option<Place>, Trouble> {
    let about = &case.about;
    // The path names who moved last: `Error3: Pending -> Qualified`.
    let moved = about.path.iter().rev().find_map(|step| {
        let (process, _) = step.split_once(": ")?;
        about.ends_in.iter().find(|end| end.rsplit_once('.').is_some_and(|(it, _)| it == process))
    });
    let named = options.location.or(moved.map(String::as_str)).or(match &about.ends_in[..] {
        [only] => Some(only),
        _ => None,
    });
    if let Some(name) = named {
        let place = find(specification, name).ok_or_else(|| Trouble::Unknown(name.to_owned()))?;
        let Some(ends) = weighed.ends.get(&place.part) else { return Ok(Some(place)) };
        let is_there = ends.iter().any(|(state, _)| state[place.process] == place.location);
        return match is_there {
            true => Ok(Some(place)),
            false => Err(Trouble::Elsewhere(name.to_owned())),
        };
    }
    // The most probable location of the automaton with most locations, in the first part that leaves something to chance.
    let zero = Ratio::from_integer(0.into());
    let mut best: Option<(usize, Place)> = None;
    for (part, ends) in &weighed.ends {
        for (number, process) in specification.parts[*part].processes.iter().enumerate() {
            let mut sums: BTreeMap<i32, Ratio> = BTreeMap::new();
            for (state, probability) in ends {
                *sums.entry(state[number]).or_insert_with(|| zero.clone()) += probability;
            }
            let likely = sums.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
            let Some((location, _)) = likely else { continue };
            let n = specification.network.processes[*process].locations.len();
            if best.is_none_or(|(most, _)| n > most) {
                best = Some((n, Place { part: *part, process: number, location }));
            }
        }
    }
    Ok(best.map(|(_, place)| place))
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
