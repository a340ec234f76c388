//! Where operators put the mutants of one process.

use std::collections::BTreeSet;

use punctual_model::{Edge, EdgeId, Id, LocationId, Network, Process, ProcessId};
use punctual_semantics::split::Side;

use super::names::{Names, unique};
use super::text::Text;
use super::{Mutant, Operator, Place};

/// Makes the mutants of one operator and one process.
pub(super) struct Maker<'n> {
    pub(super) network: &'n Network,
    pub(super) id: ProcessId,
    pub(super) process: &'n Process,
    /// How far bounds are moved, in time units.
    pub(super) offset: i32,
    pub(super) found: Vec<Mutant>,
    operator: Operator,
    side: Side,
    names: &'n Names,
    taken: BTreeSet<String>,
}

impl<'n> Maker<'n> {
    pub(super) fn new(
        network: &'n Network,
        names: &'n Names,
        operator: Operator,
        id: ProcessId,
        side: Side,
        offset: i32,
    ) -> Maker<'n> {
        let process = &network.processes[id];
        let (found, taken) = (Vec::new(), BTreeSet::new());
        Maker { network, id, process, offset, found, operator, side, names, taken }
    }

    /// Adds the network in which this process is edited. The detail tells mutants of one place apart; it may be
    /// empty.
    pub(super) fn add(
        &mut self,
        place: Place,
        detail: &str,
        change: String,
        edit: impl FnOnce(&mut Process),
    ) {
        let mut network = self.network.clone();
        edit(&mut network.processes[self.id]);
        let at = match place {
            Place::Location(id) => self.names.locations[self.id][id].clone(),
            Place::Edge(id) => format!("e{}", id.index()),
        };
        let mut name = format!("{}-{}-{at}", self.operator.name(), self.names.processes[self.id]);
        if !detail.is_empty() {
            name += &format!("-{detail}");
        }
        let name = unique(&mut self.taken, name, "-");
        let (operator, process, side) = (self.operator, self.id, self.side);
        self.found.push(Mutant { name, operator, process, side, place, change, network });
    }

    /// The edges of the process.
    pub(super) fn edges(&self) -> impl Iterator<Item = (EdgeId, &'n Edge)> + use<'n> {
        self.process.edges.enumerate()
    }

    /// The edges that leave a location.
    pub(super) fn leaving(
        &self,
        location: LocationId,
    ) -> impl Iterator<Item = (EdgeId, &'n Edge)> + use<'n> {
        self.edges().filter(move |(_, edge)| edge.source == location)
    }

    /// How pieces of an edge are written; none for those of a location.
    pub(super) fn text(&self, edge: Option<&'n Edge>) -> Text<'n> {
        Text::new(self.network, self.id, edge)
    }
}
