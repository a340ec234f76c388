//! A network as tables that successors are computed from.

use std::sync::Arc;

use punctual_model::{self as model, Condition, Id, LocationKind, Network, RangePolicy};
use punctual_zones::{Bound, Constraint};
use rustc_hash::FxHashMap;

use super::{Refusal, constraint::Tests};
use crate::bounds::Bounds;
use crate::budget::Budget;
use crate::program::{Builder, Code, Program, Unsupported};
use crate::select::{self, Select};

/// About how many zones an explorer holds, and who uses it.
const ZONES: u64 = 16;

/// A network, compiled. Immutable, so threads share it.
pub struct Symbolic {
    pub(crate) program: Program,
    pub(crate) processes: Vec<Process>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) vectors: Vec<Vector>,
    /// Vectors that no single process decides about: all their participants are weak.
    pub(crate) weak_vectors: Vec<u32>,
    /// For each channel, how many processes synchronise over it without direction.
    pub(crate) csp_members: Vec<u32>,
    pub(crate) before_update: Code,
    pub(crate) after_update: Code,
    pub(crate) has_updates_around: bool,
    pub(crate) default_priority: i32,
    pub(crate) has_priorities: bool,
    pub(crate) has_urgent_channels: bool,
    pub(crate) has_stopwatches: bool,
    pub(crate) disable_on_range: bool,
    pub(crate) bounds: Bounds,
    /// Differences of clocks that something compares with a constant.
    pub(crate) diagonals: Vec<Constraint>,
    pub(crate) initial_ints: Vec<i32>,
    pub(crate) initial_clocks: Vec<i32>,
    pub(crate) n_clocks: usize,
    pub(crate) budget: Arc<Budget>,
}

pub(crate) struct Process {
    pub(crate) initial: Vec<u32>,
    pub(crate) locations: Vec<Location>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) priority: i32,
}

#[derive(Default)]
pub(crate) struct Location {
    pub(crate) committed: bool,
    /// Urgent or committed.
    pub(crate) stops_time: bool,
    pub(crate) data: Vec<Code>,
    pub(crate) clocks: Tests,
    /// Clocks and their rates.
    pub(crate) rates: Vec<(Code, Code)>,
    /// Outgoing edges by the way they synchronise.
    pub(crate) internal: Vec<u32>,
    pub(crate) sends: Vec<u32>,
    pub(crate) receives: Vec<u32>,
    pub(crate) csp: Vec<u32>,
    /// Outgoing edges by event, for those that synchronise by vectors.
    pub(crate) events: Vec<(u32, Vec<u32>)>,
    /// The vectors of which this process is the first strong participant, with an edge from here.
    pub(crate) vectors: Vec<u32>,
    pub(crate) has_urgent: bool,
}

impl Location {
    pub(crate) fn edges_of_event(&self, event: u32) -> &[u32] {
        let found = self.events.iter().find(|(other, _)| *other == event);
        found.map_or(&[], |(_, edges)| edges)
    }
}

pub(crate) struct Edge {
    pub(crate) selects: Vec<Select>,
    pub(crate) guard: Vec<Code>,
    pub(crate) clocks: Tests,
    /// The channel, for edges that have one.
    pub(crate) channel: Code,
    pub(crate) has_channel: bool,
    pub(crate) update: Code,
    pub(crate) branches: Vec<Branch>,
    pub(crate) from_committed: bool,
    /// There is one branch and nothing to choose.
    pub(crate) is_plain: bool,
}

pub(crate) struct Branch {
    pub(crate) selects: Vec<Select>,
    pub(crate) update: Code,
    pub(crate) target: i32,
}

pub(crate) struct Channel {
    pub(crate) broadcast: bool,
    pub(crate) urgent: bool,
    pub(crate) priority: i32,
}

pub(crate) struct Vector {
    pub(crate) participants: Vec<Participant>,
}

pub(crate) struct Participant {
    pub(crate) process: u32,
    pub(crate) event: u32,
    pub(crate) weak: bool,
}

impl Symbolic {
    /// Compiles a network, and hands the builder to `also` so that queries are compiled with it.
    ///
    /// # Errors
    /// If the network has something that symbolic analysis can not treat.
    pub fn new<T>(
        network: &Network,
        bounds: Bounds,
        diagonals: Vec<Constraint>,
        also: impl FnOnce(&mut Builder<'_>) -> Result<T, Unsupported>,
    ) -> Result<(Symbolic, T), Refusal> {
        let mut builder = Builder::new(network);
        let nowhere = |error: Unsupported| Refusal { construct: error.construct, place: None };
        let before_update = builder.effects(&network.before_update).map_err(nowhere)?;
        let after_update = builder.effects(&network.after_update).map_err(nowhere)?;
        let mut processes = Vec::new();
        for process in &network.processes {
            processes.push(compile_process(network, &mut builder, process)?);
        }
        let (vectors, weak_vectors) = link_vectors(network, &mut processes);
        let also = also(&mut builder).map_err(nowhere)?;
        let channel = |channel: &model::Channel| Channel {
            broadcast: channel.broadcast,
            urgent: channel.urgent,
            priority: channel.priority,
        };
        let initial_clocks = network.clocks.iter().map(|clock| clock.initial as i32).collect();
        let symbolic = Symbolic {
            csp_members: csp_members(network),
            channels: network.channels.iter().map(channel).collect(),
            vectors,
            weak_vectors,
            before_update,
            after_update,
            has_updates_around: !(before_update.is_nothing() && after_update.is_nothing()),
            default_priority: network.default_priority,
            has_priorities: has_priorities(network),
            has_urgent_channels: network.channels.iter().any(|channel| channel.urgent),
            has_stopwatches: network.has_stopwatches(),
            disable_on_range: network.range_policy == RangePolicy::Disable,
            bounds,
            diagonals,
            initial_ints: network.initial.ints.clone(),
            initial_clocks,
            n_clocks: network.clocks.len(),
            budget: Arc::default(),
            processes,
            program: builder.finish(),
        };
        Ok((symbolic, also))
    }

    /// Whoever computes with the network looks at this budget. It is spent at once if the zones that a step needs do not fit.
    pub fn grant(&mut self, budget: &Arc<Budget>) {
        let most = |process: usize| {
            let locations = 0..self.processes[process].locations.len();
            locations.map(|it| self.bounds.at(process, it).len()).max().unwrap_or(0)
        };
        let clocks = (0..self.processes.len()).map(most).sum::<usize>();
        let dim = (clocks + self.bounds.everywhere().len()).min(self.n_clocks) as u64 + 1;
        let zone = dim.saturating_mul(dim).saturating_mul(size_of::<Bound>() as u64);
        budget.hold(zone.saturating_mul(ZONES));
        self.budget = Arc::clone(budget);
    }

    /// What computations with the network may use.
    #[must_use]
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// How many numbers a discrete state has: the locations, then the integers.
    #[must_use]
    pub fn state_len(&self) -> usize {
        self.processes.len() + self.initial_ints.len()
    }

    /// How many clocks the network has.
    #[must_use]
    pub fn n_clocks(&self) -> usize {
        self.n_clocks
    }

    /// The bounds of clocks.
    #[must_use]
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }
}

/// Whether some transition can take precedence over another.
pub(crate) fn has_priorities(network: &Network) -> bool {
    let default = network.default_priority;
    let mut processes = network.processes.iter().map(|process| process.priority);
    let first = processes.next();
    network.channels.iter().any(|channel| channel.priority != default)
        || processes.any(|priority| Some(priority) != first)
}

fn compile_process(
    network: &Network,
    builder: &mut Builder<'_>,
    process: &model::Process,
) -> Result<Process, Refusal> {
    let mut locations = Vec::new();
    for location in &process.locations {
        let refused = |error: Unsupported| Refusal {
            construct: error.construct,
            place: Some(format!("process {}, location {}", process.name, location.name)),
        };
        locations.push(compile_location(network, builder, location).map_err(refused)?);
    }
    let mut edges = Vec::new();
    for (id, edge) in process.edges.enumerate() {
        let refused = |error: Unsupported| {
            let name = |id| process.locations.get(id).map_or("?", |location| &location.name);
            let target = edge.branches.first().map_or("?", |branch| name(branch.target));
            let source = name(edge.source);
            Refusal {
                construct: error.construct,
                place: Some(format!("process {}, edge {source} → {target}", process.name)),
            }
        };
        let mut compiled = compile_edge(network, builder, edge).map_err(refused)?;
        let source = &mut locations[edge.source.index()];
        compiled.from_committed = source.committed;
        let number = id.index() as u32;
        match &edge.sync {
            model::Sync::Internal => source.internal.push(number),
            model::Sync::Send(_) => source.sends.push(number),
            model::Sync::Receive(_) => source.receives.push(number),
            model::Sync::Csp(_) => source.csp.push(number),
            model::Sync::Event(event) => {
                let event = event.index() as u32;
                match source.events.iter_mut().find(|(other, _)| *other == event) {
                    Some((_, edges)) => edges.push(number),
                    None => source.events.push((event, vec![number])),
                }
            }
        }
        if let Some(channel) = edge.sync.channel() {
            // An index may lead to any channel behind the first.
            let urgent = match channel.indices.is_empty() {
                true => network.channels[channel.base].urgent,
                false => network.channels.iter().any(|channel| channel.urgent),
            };
            source.has_urgent |= urgent;
        }
        edges.push(compiled);
    }
    let initial = process.initial.iter().map(|location| location.index() as u32).collect();
    Ok(Process { initial, locations, edges, priority: process.priority })
}

fn compile_location(
    network: &Network,
    builder: &mut Builder<'_>,
    location: &model::Location,
) -> Result<Location, Unsupported> {
    let mut rates = Vec::new();
    for rate in &location.rates {
        if !network.clocks[rate.clock.base].hybrid {
            rates.push((builder.element(&rate.clock)?, builder.value(&rate.value)?));
        }
    }
    Ok(Location {
        committed: location.kind == LocationKind::Committed,
        stops_time: location.kind != LocationKind::Normal,
        data: data(builder, &location.invariant)?,
        clocks: Tests::new(network, builder, &location.invariant.clocks)?,
        rates,
        ..Location::default()
    })
}

fn compile_edge(
    network: &Network,
    builder: &mut Builder<'_>,
    edge: &model::Edge,
) -> Result<Edge, Unsupported> {
    let mut branches = Vec::new();
    for branch in &edge.branches {
        branches.push(Branch {
            selects: select::compile(&branch.selects),
            update: builder.effects(&branch.update)?,
            target: branch.target.index() as i32,
        });
    }
    let channel = match edge.sync.channel() {
        Some(channel) => builder.element(channel)?,
        None => builder.effects(&[])?,
    };
    Ok(Edge {
        selects: select::compile(&edge.selects),
        guard: data(builder, &edge.guard)?,
        clocks: Tests::new(network, builder, &edge.guard.clocks)?,
        channel,
        has_channel: edge.sync.channel().is_some(),
        update: builder.effects(&edge.update)?,
        is_plain: branches.len() == 1 && branches[0].selects.is_empty(),
        branches,
        from_committed: false,
    })
}

/// The data part of a condition: all of it must hold.
fn data(builder: &mut Builder<'_>, condition: &Condition) -> Result<Vec<Code>, Unsupported> {
    let mut codes = Vec::new();
    for expr in &condition.data {
        let code = builder.value(expr)?;
        if code.constant().is_none_or(|value| value == 0) {
            codes.push(code);
        }
    }
    Ok(codes)
}

/// Tells each location which vectors start there, and makes edges with an event that is in no
/// vector of their process internal.
fn link_vectors(network: &Network, processes: &mut [Process]) -> (Vec<Vector>, Vec<u32>) {
    let mut vectors = Vec::new();
    let mut synchronised: FxHashMap<(u32, u32), ()> = FxHashMap::default();
    // An event that synchronises with no other happens alone.
    for vector in network.sync_vectors.iter().filter(|vector| vector.participants.len() > 1) {
        let participant = |it: &model::Participant| Participant {
            process: it.process.index() as u32,
            event: it.event.index() as u32,
            weak: it.weak,
        };
        let vector = Vector { participants: vector.participants.iter().map(participant).collect() };
        for it in &vector.participants {
            synchronised.insert((it.process, it.event), ());
        }
        vectors.push(vector);
    }
    let mut weak_vectors = Vec::new();
    for (number, vector) in vectors.iter().enumerate() {
        match vector.participants.iter().find(|it| !it.weak) {
            None => weak_vectors.push(number as u32),
            Some(first) => {
                for location in &mut processes[first.process as usize].locations {
                    if !location.edges_of_event(first.event).is_empty() {
                        location.vectors.push(number as u32);
                    }
                }
            }
        }
    }
    for (number, process) in processes.iter_mut().enumerate() {
        for location in &mut process.locations {
            for (event, edges) in &location.events {
                if !synchronised.contains_key(&(number as u32, *event)) {
                    location.internal.extend(edges);
                }
            }
        }
    }
    (vectors, weak_vectors)
}

/// How many processes know each channel of synchronisation without direction.
fn csp_members(network: &Network) -> Vec<u32> {
    let mut members = vec![0; network.channels.len()];
    for process in &network.processes {
        let mut known = vec![false; network.channels.len()];
        for edge in &process.edges {
            if let model::Sync::Csp(channel) = &edge.sync {
                let span: usize = channel
                    .indices
                    .iter()
                    .map(|it| (it.len as usize - 1) * it.stride as usize)
                    .sum();
                let base = channel.base.index();
                known[base..=(base + span).min(members.len() - 1)].fill(true);
            }
        }
        for (count, known) in members.iter_mut().zip(known) {
            *count += u32::from(known);
        }
    }
    members
}
