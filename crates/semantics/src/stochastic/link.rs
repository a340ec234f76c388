//! Who has to do with whom: receivers of channels, and whom transitions touch.

use punctual_model::{self as model, Id, Network, Relation, Sync};
use std::borrow::Cow;

use super::compile::{COMPUTED, Channel, Edge, Receiver, Stochastic};
use super::depend::{Dependencies, Readers, Reads, Uses, meet};
use super::limit::Limit;

type Models<'n> = [Cow<'n, model::Edge>];

/// The channels, with those who may receive on them.
pub(super) fn channels(network: &Network, edges: &[Edge], models: &Models<'_>) -> Vec<Channel> {
    let n_channels = network.channels.len();
    // For each channel, processes, locations and edges.
    let mut receivers: Vec<Vec<(u32, i32, u32)>> = vec![Vec::new(); n_channels];
    for (number, (edge, model)) in edges.iter().zip(models).enumerate() {
        if let Sync::Receive(channel) = &model.sync {
            for channel in reach(channel, edge.channel, n_channels) {
                let location = model.source.index() as i32;
                receivers[channel].push((edge.process, location, number as u32));
            }
        }
    }
    let link = |(channel, mut all): (&model::Channel, Vec<(u32, i32, u32)>)| {
        all.sort_unstable();
        let same = all.chunk_by(|a, b| a.0 == b.0);
        let receivers = same.map(|edges| Receiver {
            process: edges[0].0,
            edges: edges.iter().map(|it| (it.1, it.2)).collect(),
        });
        Channel {
            broadcast: channel.broadcast,
            urgent: channel.urgent,
            receivers: receivers.collect(),
        }
    };
    network.channels.iter().zip(receivers).map(link).collect()
}

/// The channels that a reference may lead to.
fn reach(channel: &model::ChannelRef, fixed: u32, n_channels: usize) -> std::ops::Range<usize> {
    if fixed != COMPUTED {
        return fixed as usize..fixed as usize + 1;
    }
    let span: usize = channel
        .indices
        .iter()
        .map(|it| (it.len as usize).saturating_sub(1) * it.stride as usize)
        .sum();
    let base = channel.base.index();
    base..(base + span + 1).min(n_channels)
}

/// Finds out what each location reads and whom each branch touches.
pub(super) fn follow(network: &Network, models: &Models<'_>, to: &mut Stochastic) {
    let mut dependencies = Dependencies::new(network);
    let mut reads: Vec<Vec<Reads>> = Vec::new();
    let mut rates = Uses::default();
    for (p, process) in network.processes.iter().enumerate() {
        let mut of_process = Vec::new();
        for (l, location) in process.locations.iter().enumerate() {
            let flat = to.first[p] as usize + l;
            let mut uses = dependencies.of_condition(&location.invariant);
            if let Some(rate) = &location.exponential_rate {
                uses.add(&dependencies.of([&rate.value].into_iter().chain(&rate.divisor)));
            }
            for rate in &location.rates {
                rates.add(&dependencies.of([&rate.value]));
                rates.add(&dependencies.of_indices(&rate.clock.indices));
            }
            let (begin, end) = to.locations[flat].outputs;
            let outputs = begin as usize..end as usize;
            let needs_partner = |edge: &Edge| {
                let channel = to.channels.get(edge.channel as usize);
                channel.is_some_and(|it| !it.broadcast) && edge.selects.is_empty()
            };
            let mut partners = Uses::default();
            let mut sleeps = to.edges[outputs.clone()].iter().all(needs_partner);
            for edge in outputs {
                uses.add(&of_edge(&dependencies, &models[edge]));
                if let Sync::Send(channel) = &models[edge].sync {
                    for channel in reach(channel, to.edges[edge].channel, to.channels.len()) {
                        let urgent = to.channels[channel].urgent;
                        to.locations[flat].has_urgent |= urgent;
                        if urgent {
                            of_partners(&mut dependencies, models, to, channel, p, &mut uses);
                        } else if sleeps {
                            of_partners(&mut dependencies, models, to, channel, p, &mut partners);
                        }
                    }
                }
            }
            sleeps &= !partners.is_volatile();
            if !sleeps {
                partners = Uses::default();
            }
            to.locations[flat].sleeps = sleeps;
            to.locations[flat].volatile = uses.is_volatile();
            of_process.push(Reads { draw: uses, partners });
        }
        reads.push(of_process);
    }
    let (before, after) = (&network.before_update, &network.after_update);
    let around = dependencies.of(before.iter().chain(after));
    let writes = writes(&mut dependencies, models, to, &around);
    let mut readers = Readers::new(&reads, dependencies.n_slots());
    for ((edge, model), writes) in to.edges.iter_mut().zip(models).zip(writes) {
        let first = to.first[edge.process as usize] as usize;
        let has_rates = |location: usize| !to.locations[first + location].rates.is_empty();
        for (branch, writes) in edge.branches.iter_mut().zip(writes) {
            branch.touched = readers.touched(&writes);
            let source = model.source.index();
            let moves = source as i32 != branch.target;
            branch.changes_rates = meet(&writes, &rates.reads)
                || moves && (has_rates(source) || has_rates(branch.target as usize));
        }
    }
    to.touched = readers.finish();
    to.has_volatile_rates = to.has_rates && rates.is_volatile();
    to.has_volatile = to.locations.iter().any(|location| location.volatile);
    to.has_urgent = to.locations.iter().any(|location| location.has_urgent);
    to.has_closing = to.has_rates
        || to.locations.iter().any(|location| {
            let (begin, end) = location.outputs;
            let edges = &to.edges[begin as usize..end as usize];
            edges.iter().flat_map(|edge| &edge.limits).any(|limit| !stays(limit))
        });
}

/// Whether a limit holds for ever once it does, where all clocks grow.
fn stays(limit: &Limit) -> bool {
    use Relation::{Greater, GreaterEqual};
    matches!(limit, Limit::Fixed { relation: Greater | GreaterEqual, .. })
}

/// What the guard and the channel of an edge use.
fn of_edge(dependencies: &Dependencies<'_>, edge: &model::Edge) -> Uses {
    let mut uses = dependencies.of_condition(&edge.guard);
    if let Some(channel) = edge.sync.channel() {
        uses.add(&dependencies.of_indices(&channel.indices));
    }
    uses
}

/// What decides whether somebody receives on a channel.
fn of_partners(
    dependencies: &mut Dependencies<'_>,
    models: &Models<'_>,
    to: &Stochastic,
    channel: usize,
    sender: usize,
    uses: &mut Uses,
) {
    if to.channels[channel].broadcast {
        return;
    }
    for receiver in &to.channels[channel].receivers {
        if receiver.process as usize == sender {
            continue;
        }
        uses.reads.push(dependencies.partner(channel as u32, receiver.process));
        for (_, edge) in &receiver.edges {
            uses.add(&of_edge(dependencies, &models[*edge as usize]));
        }
    }
}

/// What each branch of each edge writes.
fn writes(
    dependencies: &mut Dependencies<'_>,
    models: &Models<'_>,
    to: &Stochastic,
    around: &Uses,
) -> Vec<Vec<Vec<(u32, u32)>>> {
    // For each process, the channels on which it may be a partner, and where.
    let mut listens: Vec<Vec<(u32, &Receiver)>> = to.first.iter().map(|_| Vec::new()).collect();
    for (number, channel) in to.channels.iter().enumerate() {
        if !channel.broadcast {
            for receiver in &channel.receivers {
                listens[receiver.process as usize].push((number as u32, receiver));
            }
        }
    }
    let mut all = Vec::new();
    for (edge, model) in to.edges.iter().zip(models) {
        let common = dependencies.of(&model.update);
        let mut of_edge = Vec::new();
        for branch in &model.branches {
            let mut uses = dependencies.of(&branch.update);
            uses.add(&common);
            uses.add(around);
            let mut writes = uses.writes;
            let (source, target) = (model.source.index() as i32, branch.target.index() as i32);
            for (channel, receiver) in &listens[edge.process as usize] {
                let listens = |at: i32| receiver.at(at).next().is_some();
                if source != target && (listens(source) || listens(target)) {
                    writes.push(dependencies.partner(*channel, edge.process));
                }
            }
            of_edge.push(writes);
        }
        all.push(of_edge);
    }
    all
}
