//! Who takes part: events and vectors for the edges of all processes.

use punctual_model::{
    Branch, ChannelId, Edge, EventId, Expr, Frame, Function, FunctionBody, Id, LocationKind,
    Participant, ProcessId, ReturnType, Sync, SyncVector,
};
use rustc_hash::FxHashMap;

use super::{
    Lowerer,
    edges::{LoweredEdge, Role, complement},
    statements::Effect,
};
use crate::{
    convert::names::Mangler,
    tchecker::{RESERVED, function_name},
};

/// More loops than this for one location are not made.
const LOOPS_MAX: usize = 1000;

/// Names events when they are first needed.
struct Events {
    names: Mangler,
    known: FxHashMap<Role, EventId>,
}

impl Lowerer<'_> {
    /// Puts the edges into the new network, with events and vectors.
    pub(super) fn synchronise(&mut self, mut lowered: Vec<Vec<LoweredEdge>>) {
        let mut events =
            Events { names: Mangler::default().reserve(RESERVED), known: FxHashMap::default() };
        // Events of the old network come first and keep their vectors.
        for (id, event) in self.network.events.enumerate() {
            let new = self.new.events.push(events.names.name(event));
            events.known.insert(Role::Event(id), new);
        }
        self.new.sync_vectors = self.network.sync_vectors.clone();
        let mut vectors = Vec::new();
        for (channel, declared) in self.network.channels.enumerate() {
            let users = |role: Role| -> Vec<ProcessId> {
                let uses = |edges: &Vec<LoweredEdge>| edges.iter().any(|edge| edge.role == role);
                let all = lowered.iter().enumerate().filter(|(_, edges)| uses(edges));
                all.map(|(i, _)| ProcessId::from_index(i)).collect()
            };
            let senders = users(Role::Send(channel));
            let receivers = users(Role::Receive(channel));
            let everybody = users(Role::All(channel));
            if !everybody.is_empty() {
                vectors.push(everybody.iter().map(|p| (*p, Role::All(channel), false)).collect());
            }
            match declared.broadcast {
                true => self.broadcast(channel, &senders, &receivers, &mut lowered, &mut vectors),
                false => {
                    for sender in &senders {
                        for receiver in receivers.iter().filter(|receiver| *receiver != sender) {
                            vectors.push(vec![
                                (*sender, Role::Send(channel), false),
                                (*receiver, Role::Receive(channel), false),
                            ]);
                        }
                    }
                }
            }
        }
        // What synchronises with nobody would happen alone, though it never can.
        for (i, edges) in lowered.iter_mut().enumerate() {
            let process = ProcessId::from_index(i);
            edges.retain(|edge| match edge.role {
                Role::Internal | Role::Event(_) | Role::All(_) => true,
                Role::Send(channel) if self.network.channels[channel].broadcast => true,
                role => vectors.iter().flatten().any(|(p, r, _)| *p == process && *r == role),
            });
        }
        self.place_edges(lowered, &mut events);
        for vector in vectors {
            let participants: Option<Vec<Participant>> = vector
                .into_iter()
                .map(|(process, role, weak)| {
                    Some(Participant { process, event: *events.known.get(&role)?, weak })
                })
                .collect();
            // One process alone needs no vector.
            if let Some(participants) = participants.filter(|list| list.len() > 1) {
                self.new.sync_vectors.push(SyncVector { participants });
            }
        }
    }

    fn broadcast(
        &mut self,
        channel: ChannelId,
        senders: &[ProcessId],
        receivers: &[ProcessId],
        lowered: &mut [Vec<LoweredEdge>],
        vectors: &mut Vec<Vec<(ProcessId, Role, bool)>>,
    ) {
        let mut weak = FxHashMap::default();
        for receiver in receivers {
            let partners: Vec<ProcessId> =
                senders.iter().copied().filter(|sender| sender != receiver).collect();
            let edges = &lowered[receiver.index()];
            let guarded = edges
                .iter()
                .any(|edge| edge.role == Role::Receive(channel) && !edge.guard.is_true());
            weak.insert(*receiver, !guarded);
            if guarded && !partners.is_empty() {
                self.add_loops(channel, *receiver, &partners, lowered);
            }
        }
        for sender in senders {
            let mut vector = vec![(*sender, Role::Send(channel), false)];
            vector.extend(
                receivers
                    .iter()
                    .filter(|receiver| *receiver != sender)
                    .map(|receiver| (*receiver, Role::Receive(channel), weak[receiver])),
            );
            vectors.push(vector);
        }
    }

    /// Lets a process that takes part strongly stay where it is when it can not receive.
    fn add_loops(
        &mut self,
        channel: ChannelId,
        receiver: ProcessId,
        senders: &[ProcessId],
        lowered: &mut [Vec<LoweredEdge>],
    ) {
        let process = self.process(receiver);
        let role = Role::Receive(channel);
        let mut loops = Vec::new();
        let mut refused = Vec::new();
        for (location, declared) in process.locations.enumerate() {
            let guards: Vec<_> = lowered[receiver.index()]
                .iter()
                .filter(|edge| edge.role == role && edge.source == location)
                .map(|edge| &edge.guard)
                .collect();
            let place = super::location_place(process, location);
            let name = &self.network.channels[channel].name;
            let Some(stays) = complement(&guards, LOOPS_MAX) else {
                refused.push((format!("the many guards of broadcast `{name}`"), place));
                continue;
            };
            // Staying must not count as leaving a committed location.
            let mut sources = senders.iter().flat_map(|sender| {
                let edges = lowered[sender.index()].iter();
                let sends = edges.filter(|edge| edge.role == Role::Send(channel));
                sends.map(|edge| &self.process(*sender).locations[edge.source])
            });
            if declared.kind == LocationKind::Committed
                && !stays.is_empty()
                && sources.any(|source| source.kind != LocationKind::Committed)
            {
                let what = format!("a committed location of a process with guards on `{name}?`");
                refused.push((what, place));
                continue;
            }
            loops.extend(stays.into_iter().map(|guard| LoweredEdge {
                source: location,
                target: location,
                guard,
                role,
                effect: Effect::Update(Vec::new()),
            }));
        }
        lowered[receiver.index()].extend(loops);
        refused.into_iter().for_each(|(what, place)| self.refuse(what, place));
    }

    fn place_edges(&mut self, lowered: Vec<Vec<LoweredEdge>>, events: &mut Events) {
        for (i, edges) in lowered.into_iter().enumerate() {
            let process = ProcessId::from_index(i);
            for edge in edges {
                let event = self.event(edge.role, events);
                let id = self.new.processes[process].edges.next_id();
                let name = function_name(&self.new.processes[process].name, id);
                let update = match edge.effect {
                    Effect::Update(update) => update,
                    Effect::Body(body, frame) => {
                        let function = self.new.functions.push(Function {
                            name,
                            params: Vec::new(),
                            returns: ReturnType::Void,
                            frame,
                            shares_frame: false,
                            body: FunctionBody::Statements(body),
                        });
                        vec![Expr::Call { function, arguments: Vec::new() }]
                    }
                };
                let branch = Branch {
                    weight: None,
                    selects: Vec::new(),
                    update: Vec::new(),
                    target: edge.target,
                };
                self.new.processes[process].edges.push(Edge {
                    source: edge.source,
                    selects: Vec::new(),
                    guard: edge.guard,
                    sync: Sync::Event(event),
                    update,
                    branches: vec![branch],
                    // The format can not say who decides.
                    controllable: true,
                    frame: Frame::default(),
                });
            }
        }
    }

    fn event(&mut self, role: Role, events: &mut Events) -> EventId {
        if let Some(event) = events.known.get(&role) {
            return *event;
        }
        let channel = |id: ChannelId| self.network.channels[id].name.as_str();
        let name = match role {
            Role::Internal | Role::Event(_) => "tau".to_owned(),
            Role::Send(id) => format!("{}_send", channel(id)),
            Role::Receive(id) => format!("{}_recv", channel(id)),
            Role::All(id) => channel(id).to_owned(),
        };
        let event = self.new.events.push(events.names.name(&name));
        events.known.insert(role, event);
        event
    }
}
