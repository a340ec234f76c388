//! A case as whoever executes it sees it: inputs and readings, each at its instant.
//!
//! Read from the case itself; nothing is shared with `testgen::uio::Script`.

use std::collections::BTreeSet;

use punctual_model::testing::Place;
use punctual_model::testing::suite::{Body, Case, Do};
use punctual_model::{ChannelId, Id, LocationId, PortId, Value};
use punctual_semantics::specification::Specification;

/// What a case does, in the order of time.
pub(super) struct Acts {
    /// Instants in nanoseconds after the begin of the case.
    pub(super) acts: Vec<(u64, Act)>,
    pub(super) readings: Vec<Reading>,
    /// How many acts, and how many readings, come before the ending.
    pub(super) before: (usize, usize),
    /// The instant at which the ending begins; the end of the case if there is none.
    pub(super) ending_ns: u64,
    pub(super) end_ns: u64,
}

/// Something that is done at an instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// An input is sent over a channel.
    Input(ChannelId),
    /// The ports of the reading with this number are read.
    Read(usize),
}

/// Ports that are read at once, and what they should show.
pub(super) struct Reading {
    pub(super) ports: Vec<(PortId, Place)>,
    /// What each port is expected to show.
    pub(super) expected: Vec<i32>,
    /// What else they may show: values of some of the ports, by their positions.
    allowed: Vec<Vec<(usize, i32)>>,
}

impl Reading {
    pub(super) fn is_expected(&self, seen: &[i32]) -> bool {
        self.expected == seen
    }

    pub(super) fn is_allowed(&self, seen: &[i32]) -> bool {
        let shows = |values: &Vec<(usize, i32)>| values.iter().all(|(at, it)| seen[*at] == *it);
        self.is_expected(seen) || self.allowed.iter().any(shows)
    }
}

/// What a port shows in a state.
pub(super) fn shown(place: Place, locations: &[LocationId], ints: &[i32]) -> i32 {
    match place {
        Place::Variable(slot) => ints[slot.slot as usize],
        Place::Location(process) => locations[process.index()].index() as i32,
    }
}

impl Acts {
    pub(super) fn new(specification: &Specification, case: &Case) -> Result<Acts, String> {
        let Body::Timed(parts) = &case.body else { return Err("no timed case".to_owned()) };
        let ending = case.chance.as_ref().and_then(|chance| chance.ending.as_ref());
        let from = ending.map_or(parts.len(), |ending| ending.from);
        let mut acts = Acts {
            acts: Vec::new(),
            readings: Vec::new(),
            before: (0, 0),
            ending_ns: 0,
            end_ns: 0,
        };
        for (at, part) in parts.iter().enumerate() {
            match part {
                Do::Wait(ns) => acts.end_ns += ns,
                Do::Send(action) if action.values.is_empty() => {
                    let channel = specification.wired.wires[action.signal].channel;
                    acts.acts.push((acts.end_ns, Act::Input(channel)));
                }
                Do::Check(check) => {
                    let reading = reading(specification, &check.expected, &check.allowed)?;
                    acts.acts.push((acts.end_ns, Act::Read(acts.readings.len())));
                    acts.readings.push(reading);
                }
                Do::Send(_) => return Err("an input that carries values".to_owned()),
                Do::Expect(_) => return Err("an output".to_owned()),
            }
            if at < from {
                acts.before = (acts.acts.len(), acts.readings.len());
                acts.ending_ns = acts.end_ns;
            }
        }
        Ok(acts)
    }

    /// The channels over which inputs are sent.
    pub(super) fn inputs(&self) -> BTreeSet<ChannelId> {
        let input = |(_, act): &(u64, Act)| match act {
            Act::Input(channel) => Some(*channel),
            Act::Read(_) => None,
        };
        self.acts.iter().filter_map(input).collect()
    }
}

fn reading(
    specification: &Specification,
    expected: &[(PortId, Value)],
    allowed: &[Vec<(PortId, Value)>],
) -> Result<Reading, String> {
    let slot = |value: &Value| value.as_slot().ok_or("a value that no variable has");
    let mut reading = Reading { ports: Vec::new(), expected: Vec::new(), allowed: Vec::new() };
    for (port, value) in expected {
        let place = specification.wired.places[*port].ok_or("a port that shows nothing")?;
        reading.ports.push((*port, place));
        reading.expected.push(slot(value)?);
    }
    for values in allowed {
        let mut known = Vec::new();
        for (port, value) in values {
            let at = expected.iter().position(|(it, _)| it == port);
            known.push((at.ok_or("what is allowed is not read")?, slot(value)?));
        }
        reading.allowed.push(known);
    }
    Ok(reading)
}
