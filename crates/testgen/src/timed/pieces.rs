//! Parts of the system in pieces, each as small as what is read of it allows.
//!
//! Processes that write nothing which others read (an error that waits to be qualified) do not matter to each other. What
//! may be read of one of them is found from that one and from all that influence it, and not from all of them at once:
//! their states would multiply. What is read of several such processes is checked apart.

use punctual_model::{Id, PortId, ProcessId};
use punctual_semantics::estimate::{Estimator, Role};
use punctual_semantics::specification::{Part, Specification};
use punctual_semantics::split::{Component, Side, open};
use punctual_semantics::symbolic::Refusal;

use crate::usecases::derive::hinders_nobody;

/// A piece of a part of the system, with outputs as hidden steps.
pub(super) struct Piece {
    pub(super) processes: Vec<ProcessId>,
    pub(super) estimator: Estimator,
    /// The ports that are read of it.
    pub(super) ports: Vec<PortId>,
    /// Where each port is in a state of the piece.
    pub(super) positions: Vec<u32>,
    /// Where each port is in a state of the network.
    pub(super) whole: Vec<usize>,
    /// Whether inputs that some states refuse are noticed in it.
    pub(super) minds_refusals: bool,
}

/// Where a port is.
#[derive(Clone, Copy)]
enum At {
    Location(ProcessId),
    Slot(u32),
}

/// The pieces of a part, by its number.
pub(super) fn pieces(
    specification: &Specification,
    number: usize,
    part: &Part,
) -> Result<Vec<Piece>, Refusal> {
    let interface = specification.interface();
    let component = Component { side: Side::System, processes: part.processes.clone() };
    let behind = |of: &[ProcessId]| specification.split.slice_behind(&component, of);
    let mut ports: Vec<(PortId, At, Vec<ProcessId>)> = Vec::new();
    for port in interface.ports.ids() {
        // Several parts may know a value; it is read once.
        let reader = specification.readers(port).first();
        let Some((_, position)) = reader.filter(|(reader, _)| *reader == number) else { continue };
        let at = match (*position as usize).checked_sub(part.processes.len() + 1) {
            Some(slot) => At::Slot(slot as u32),
            None => At::Location(part.processes[*position as usize]),
        };
        let of: Vec<ProcessId> = match at {
            At::Location(process) => vec![process],
            At::Slot(slot) => {
                let writes = |it: &ProcessId| specification.split.writes(*it, slot);
                part.processes.iter().copied().filter(writes).collect()
            }
        };
        ports.push((port, at, behind(&of)));
    }
    let refused: Vec<Vec<ProcessId>> = (interface.signals.ids())
        .filter(|it| part.estimator.role(*it) == Role::Receives)
        .filter(|it| part.estimator.may_be_refused(*it))
        .map(|it| {
            let ours = |it: &ProcessId| part.processes.contains(it);
            let of: Vec<ProcessId> =
                specification.split.receivers(it).into_iter().filter(ours).collect();
            behind(&of)
        })
        .collect();
    // The largest of them have all others inside.
    let all = || ports.iter().map(|(_, _, of)| of).chain(&refused);
    let mut largest: Vec<Vec<ProcessId>> = Vec::new();
    for of in all() {
        let is_in =
            |inner: &[ProcessId], outer: &[ProcessId]| inner.iter().all(|it| outer.contains(it));
        if !largest.iter().any(|it| is_in(of, it)) {
            largest.retain(|it| !is_in(it, of));
            largest.push(of.clone());
        }
    }
    let network = &specification.network;
    let is_safe = |of: &Vec<ProcessId>| {
        let mut others = part.processes.iter().filter(|it| !of.contains(it));
        others.all(|it| hinders_nobody(network, &network.processes[*it]))
    };
    if largest.iter().any(Vec::is_empty) || !largest.iter().all(is_safe) {
        largest = vec![part.processes.clone()];
    }
    let mut pieces = Vec::new();
    for processes in largest {
        let of = Component { side: Side::System, processes };
        let opened = open(network, &specification.wired, &of).expect("the part was opened before");
        let mut estimator = Estimator::new(&opened, &specification.wired)?.without_outputs();
        estimator.grant(specification.budget());
        pieces.push(Piece {
            processes: of.processes,
            estimator,
            ports: Vec::new(),
            positions: Vec::new(),
            whole: Vec::new(),
            minds_refusals: false,
        });
    }
    let contains =
        |piece: &Piece, of: &[ProcessId]| of.iter().all(|it| piece.processes.contains(it));
    for (port, at, of) in ports {
        // Of several pieces that know a value, the one with a process of its name tells it.
        let name = &interface.ports[port].name;
        let is_owner = |piece: &Piece| {
            let mut names = piece.processes.iter().map(|it| &network.processes[*it].name);
            names.any(|it| {
                let rest = name.strip_prefix(it.as_str());
                rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            })
        };
        let knows = |piece: &&Piece| contains(piece, &of);
        let found = pieces.iter().position(|it| knows(&it) && is_owner(it));
        let found = found.or_else(|| pieces.iter().position(|it| knows(&it)));
        let piece = &mut pieces[found.expect("some piece has all that it depends on")];
        piece.ports.push(port);
        let (position, whole) = match at {
            At::Location(process) => {
                let number = piece.processes.iter().position(|it| *it == process).unwrap_or(0);
                (piece.estimator.position_of_process(number), process.index())
            }
            At::Slot(slot) => {
                let whole = network.processes.len() + slot as usize;
                (piece.estimator.position_of_slot(slot), whole)
            }
        };
        piece.positions.push(position);
        piece.whole.push(whole);
    }
    for of in refused {
        if let Some(piece) = pieces.iter_mut().find(|it| contains(it, &of)) {
            piece.minds_refusals = true;
        }
    }
    Ok(pieces)
}
