//! Events and vectors to channels: what TChecker says, in the words of UPPAAL.
//!
//! - A vector of two strong participants becomes a handshake channel; the first sends, so that
//!   updates keep their order.
//! - A vector of one strong participant and weak ones becomes a broadcast channel. Edges of weak
//!   participants have no guards, so both formats agree about who takes part.
//! - An edge whose event is in several vectors becomes one edge for each of them; an edge whose
//!   event is in none becomes internal.
//! - Where values out of range disable transitions, guards say so ([`RangePolicy::Disable`]).
//! - A process with several initial locations gets a committed location before them. All these
//!   choices are made before anything else happens, as time stands still and nothing else may
//!   move; that holds only if no initial location is committed itself.
//! - `x == 3` in an invariant becomes two bounds, which UPPAAL accepts.
//! - Names become legal in UPPAAL.
//!
//! Refused: vectors of three strong participants or more, of weak ones only, and those whose
//! updates would happen in another order.

use punctual_model::{
    Branch, Channel, ChannelId, ChannelRef, ClockConstraint, Condition, Edge, Expr, Frame, IdVec,
    Location, LocationKind, Network, Participant, Place, Process, ProcessId, RangePolicy, Relation,
    Sync, SyncVector,
};

use super::{Unsupported, document::legal_names, ranges};
use crate::stack::with_stack;

/// Expresses a network by channels.
pub fn to_channels(network: &Network) -> Result<Network, Vec<Unsupported>> {
    with_stack(|| lower(network))
}

fn lower(network: &Network) -> Result<Network, Vec<Unsupported>> {
    let mut pass = Pass { old: network, new: network.clone(), errors: Vec::new() };
    pass.new.events = IdVec::new();
    pass.new.sync_vectors = Vec::new();
    let channels: Vec<Option<ChannelId>> =
        network.sync_vectors.iter().map(|vector| pass.channel(vector)).collect();
    for (id, process) in network.processes.enumerate() {
        pass.new.processes[id].edges = pass.edges(id, process, &channels);
    }
    if network.range_policy == RangePolicy::Disable {
        pass.guard_ranges();
        pass.new.range_policy = RangePolicy::Error;
    }
    pass.single_starts();
    pass.split_equalities();
    if !pass.errors.is_empty() {
        pass.errors.dedup();
        return Err(pass.errors);
    }
    legal_names(&mut pass.new);
    Ok(pass.new)
}

struct Pass<'a> {
    old: &'a Network,
    new: Network,
    errors: Vec<Unsupported>,
}

impl Pass<'_> {
    fn name(&self, process: ProcessId) -> &str {
        &self.old.processes[process].name
    }

    fn vector_place(&self, vector: &SyncVector) -> String {
        let parts = vector.participants.iter().map(|p| {
            let mark = if p.weak { "?" } else { "" };
            format!("{}@{}{mark}", self.name(p.process), self.old.events[p.event])
        });
        format!("sync {}", parts.collect::<Vec<_>>().join(":"))
    }

    /// The edges of a participant.
    fn edges_of(&self, participant: &Participant) -> impl Iterator<Item = &Edge> {
        let event = participant.event;
        let edges = self.old.processes[participant.process].edges.iter();
        edges.filter(move |edge| edge.sync == Sync::Event(event))
    }

    /// The channel of a vector; nothing for a vector of one.
    fn channel(&mut self, vector: &SyncVector) -> Option<ChannelId> {
        let participants = &vector.participants;
        if participants.len() < 2 {
            return None;
        }
        let place = self.vector_place(vector);
        let strong = participants.iter().filter(|p| !p.weak).count();
        let weak = participants.len() - strong;
        let refused = match (strong, weak) {
            (2, 0) => None,
            (1, _) => self.broadcast_problem(vector),
            (0, _) => Some("a synchronisation without a strong participant".to_owned()),
            (n, 0) => Some(format!("a synchronisation of {n} processes")),
            _ => Some("a synchronisation of two processes and further weak ones".to_owned()),
        };
        if let Some(construct) = refused {
            self.errors.push(Unsupported::new(construct, place));
            return None;
        }
        let first = participants[0];
        let same = |other: &&SyncVector| other.participants[0].event == first.event;
        let event = &self.old.events[first.event];
        let name = match self.old.sync_vectors.iter().filter(same).count() {
            1 => event.clone(),
            _ => {
                let others = participants.iter().map(|p| self.name(p.process));
                format!("{event}_{}", others.collect::<Vec<_>>().join("_"))
            }
        };
        let priority = self.old.default_priority;
        let channel = Channel { name, broadcast: strong == 1, urgent: false, priority };
        Some(self.new.channels.push(channel))
    }

    /// Why a vector of one strong participant is no broadcast, if it is none.
    fn broadcast_problem(&self, vector: &SyncVector) -> Option<String> {
        let weak = || vector.participants.iter().filter(|p| p.weak);
        if weak().any(|p| self.edges_of(p).any(|edge| !edge.guard.is_true())) {
            return Some("a guard of a weak participant".to_owned());
        }
        // UPPAAL's order: the sender, then the receivers as the system line lists them.
        let changes = |p: &&Participant| self.edges_of(p).any(|edge| !edge.update.is_empty());
        let order: Vec<&Participant> = vector.participants.iter().filter(changes).collect();
        let key = |p: &&Participant| (p.weak, p.process);
        (!order.is_sorted_by_key(key)).then(|| "this order of updates".to_owned())
    }

    fn edges(
        &self,
        id: ProcessId,
        process: &Process,
        channels: &[Option<ChannelId>],
    ) -> IdVec<punctual_model::EdgeId, Edge> {
        let mut edges = IdVec::new();
        for edge in &process.edges {
            let Sync::Event(event) = edge.sync else {
                edges.push(edge.clone());
                continue;
            };
            let mut alone = true;
            for (vector, channel) in self.old.sync_vectors.iter().zip(channels) {
                let role = vector
                    .participants
                    .iter()
                    .position(|p| p.process == id && p.event == event)
                    .filter(|_| vector.participants.len() > 1);
                let Some(role) = role else { continue };
                alone = false;
                let Some(channel) = channel else { continue };
                let channel_ref = ChannelRef::fixed(*channel);
                let sends = match self.new.channels[*channel].broadcast {
                    true => !vector.participants[role].weak,
                    false => role == 0,
                };
                let sync = if sends { Sync::Send(channel_ref) } else { Sync::Receive(channel_ref) };
                edges.push(Edge { sync, ..edge.clone() });
            }
            if alone {
                edges.push(Edge { sync: Sync::Internal, ..edge.clone() });
            }
        }
        edges
    }

    /// Adds guards that keep values in range.
    fn guard_ranges(&mut self) {
        let mut guards = Vec::new();
        for (id, process) in self.new.processes.enumerate() {
            for (edge_id, edge) in process.edges.enumerate() {
                let branches = edge.branches.iter().flat_map(|branch| &branch.update);
                let update: Vec<Expr> = edge.update.iter().chain(branches).cloned().collect();
                let needed = match edge.branches.len() {
                    2.. if !update.is_empty() => {
                        Err("a range check of an edge with branches".to_owned())
                    }
                    _ => ranges::guards(&self.new, &edge.guard.data, &update),
                };
                let place = super::edge_place(process, edge.source, edge.branches[0].target);
                let needed = needed.and_then(|needed| {
                    self.check_order(id, edge, &needed)?;
                    Ok(needed)
                });
                match needed {
                    Ok(needed) => guards.push((id, edge_id, needed)),
                    Err(what) => self.errors.push(Unsupported::new(what, place)),
                }
            }
        }
        for (process, edge, needed) in guards {
            self.new.processes[process].edges[edge].guard.data.extend(needed);
        }
    }

    /// Whether guards that are tested before the transition speak of what the edge finds: the
    /// update of a sender comes first.
    fn check_order(&self, id: ProcessId, edge: &Edge, needed: &[Expr]) -> Result<(), String> {
        let Sync::Receive(channel) = &edge.sync else { return Ok(()) };
        if needed.is_empty() {
            return Ok(());
        }
        if self.new.channels[channel.base].broadcast {
            return Err("a range check of a broadcast receiver".to_owned());
        }
        let mut read: Vec<&Place> = Vec::new();
        for expr in needed {
            expr.walk(&mut |expr| {
                if let Expr::Load(place) = expr {
                    read.push(place);
                }
            });
        }
        let others = self.new.processes.enumerate().filter(|(other, _)| *other != id);
        let sends = |other: &&Edge| other.sync == Sync::Send(channel.clone());
        for sender in others.flat_map(|(_, process)| process.edges.iter().filter(sends)) {
            for expr in &sender.update {
                let clash = match expr {
                    Expr::Assign { target, .. } => {
                        read.iter().any(|place| ranges::may_overlap(place, target))
                    }
                    Expr::SetClock { .. } => false,
                    _ => true,
                };
                if clash {
                    return Err("a range check of what the sender changes".to_owned());
                }
            }
        }
        Ok(())
    }

    /// UPPAAL's invariants have no `==`, but both bounds.
    fn split_equalities(&mut self) {
        for process in self.new.processes.iter_mut() {
            for location in process.locations.iter_mut() {
                let split = |constraint: ClockConstraint| match constraint.relation {
                    Relation::Equal => [Relation::LessEqual, Relation::GreaterEqual]
                        .map(|relation| ClockConstraint { relation, ..constraint.clone() })
                        .to_vec(),
                    _ => vec![constraint],
                };
                let clocks = std::mem::take(&mut location.invariant.clocks);
                location.invariant.clocks = clocks.into_iter().flat_map(split).collect();
            }
        }
    }

    /// Gives every process one initial location.
    fn single_starts(&mut self) {
        let several = self.new.processes.iter().any(|process| process.initial.len() > 1);
        if !several {
            return;
        }
        for process in self.new.processes.iter_mut() {
            let committed = |id: &&punctual_model::LocationId| {
                process.locations[**id].kind == LocationKind::Committed
            };
            if let Some(id) = process.initial.iter().find(committed) {
                let place =
                    format!("process {}, location {}", process.name, process.locations[*id].name);
                let what = "a committed initial location beside a choice of initial locations";
                self.errors.push(Unsupported::new(what, place));
                continue;
            }
            if process.initial.len() == 1 {
                continue;
            }
            let start = process.locations.push(Location {
                name: "start".to_owned(),
                kind: LocationKind::Committed,
                invariant: Condition::default(),
                rates: Vec::new(),
                exponential_rate: None,
                labels: Vec::new(),
                frame: Frame::default(),
            });
            for target in std::mem::replace(&mut process.initial, vec![start]) {
                process.edges.push(Edge {
                    source: start,
                    selects: Vec::new(),
                    guard: Condition::default(),
                    sync: Sync::Internal,
                    update: Vec::new(),
                    branches: vec![Branch {
                        weight: None,
                        selects: Vec::new(),
                        update: Vec::new(),
                        target,
                    }],
                    controllable: true,
                    frame: Frame::default(),
                });
            }
        }
    }
}
