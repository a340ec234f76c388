//! A network of which only some processes, and only some inputs, are left.
//!
//! The others keep their places but have no edges, so they stay where they start. Which processes have to do with each other
//! is what the specification says of its components.

use std::collections::BTreeSet;

use punctual_model::{ChannelId, ChannelRef, Edge, Id, Network, ProcessId, Sync};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;

/// The processes of a part and of the environment, with the edges that these inputs leave.
pub(super) fn reduced(
    specification: &Specification,
    part: usize,
    inputs: &BTreeSet<ChannelId>,
) -> Network {
    let mut network = specification.network.clone();
    let signals: BTreeSet<ChannelId> =
        specification.wired.wires.iter().map(|wire| wire.channel).collect();
    let environment: BTreeSet<ProcessId> =
        specification.split.processes(Side::Environment).collect();
    let ours = &specification.parts[part].processes;
    let ids: Vec<ProcessId> = network.processes.ids().collect();
    for id in ids {
        let takes_part = ours.contains(&id) || environment.contains(&id);
        let edges = network.processes[id].edges.iter();
        let is_left = |edge: &&Edge| match edge.sync.channel() {
            Some(channel) => !meets(channel, &signals) || meets(channel, inputs),
            None => true,
        };
        network.processes[id].edges =
            edges.filter(|_| takes_part).filter(is_left).cloned().collect();
    }
    network
}

/// Whether a process of a part receives an input.
pub(super) fn receives(specification: &Specification, part: usize, input: ChannelId) -> bool {
    let inputs = BTreeSet::from([input]);
    let mut processes = specification.parts[part].processes.iter();
    processes.any(|id| {
        let mut edges = specification.network.processes[*id].edges.iter();
        edges.any(|edge| matches!(&edge.sync, Sync::Receive(channel) if meets(channel, &inputs)))
    })
}

/// Whether an edge may go over one of these channels.
fn meets(channel: &ChannelRef, channels: &BTreeSet<ChannelId>) -> bool {
    let reach = |(len, stride): (u32, u32)| (len.saturating_sub(1) * stride) as usize;
    let sizes = channel.indices.iter().map(|index| reach((index.len, index.stride)));
    let last = channel.base.index() + sizes.sum::<usize>();
    channels.range(channel.base..=ChannelId::from_index(last)).next().is_some()
}
