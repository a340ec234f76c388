//! Which automata say what the system must do, and which say what it is exposed to.

use std::collections::BTreeSet;

use punctual_model::{
    ChannelId, Edge, Network, Process, ProcessId, Sync,
    usecases::{Automaton, AutomatonSide, Keeper, Kept, Scenarios},
};

use super::{about, owners::Owner};

/// The channels that nobody sends.
pub(super) fn unsent(network: &Network) -> BTreeSet<ChannelId> {
    let mut unsent: BTreeSet<ChannelId> = network.channels.ids().collect();
    for channel in network.processes.iter().flat_map(sent) {
        unsent.remove(&channel);
    }
    unsent
}

/// The channels that a process sends.
pub(in crate::usecases) fn sent(process: &Process) -> Vec<ChannelId> {
    let sends = |edge: &Edge| match &edge.sync {
        Sync::Send(channel) | Sync::Csp(channel) => about::channels(channel),
        _ => Vec::new(),
    };
    process.edges.iter().flat_map(sends).collect()
}

/// The channels that a process receives.
pub(in crate::usecases) fn received(process: &Process) -> Vec<ChannelId> {
    let receives = |edge: &Edge| match &edge.sync {
        Sync::Receive(channel) | Sync::Csp(channel) => about::channels(channel),
        _ => Vec::new(),
    };
    process.edges.iter().flat_map(receives).collect()
}

/// The automata with their sides.
pub(super) fn sides(
    network: &Network,
    owners: Vec<Owner>,
    state: &[Kept],
    scenarios: &Scenarios,
) -> Vec<Automaton> {
    let unsent = unsent(network);
    let mut spoken = BTreeSet::new();
    for scenario in &scenarios.scenarios {
        let needed = scenario.needs.iter().flat_map(|it| it.condition.slots());
        let changed = scenario.sets.iter().map(|it| it.slot);
        spoken.extend(needed.chain(changed).map(|slot| about::key(scenario, slot)));
    }
    let keeps = |process: ProcessId| {
        state.iter().any(|it| {
            let is_own = matches!(it.keeper, Keeper::Automaton(of, _) if of == process);
            is_own && spoken.contains(&(it.class, it.number, it.attribute))
        })
    };
    let waits = |process: &Process| received(process).iter().any(|it| unsent.contains(it));
    let is_seed = |id: ProcessId, it: &Process| waits(it) || keeps(id);
    let seeds: BTreeSet<ProcessId> = (network.processes.enumerate())
        .filter(|(id, it)| is_seed(*id, it))
        .map(|it| it.0)
        .collect();
    let others = network.processes.enumerate().filter(|(id, _)| !seeds.contains(id));
    let by_others: BTreeSet<ChannelId> = others.flat_map(|(_, it)| sent(it)).collect();
    let side = |id: ProcessId| {
        let process = &network.processes[id];
        let is_sender = !seeds.contains(&id)
            && !sent(process).is_empty()
            && !received(process).iter().any(|it| by_others.contains(it));
        if is_sender { AutomatonSide::Environment } else { AutomatonSide::Requirement }
    };
    let automaton = |it: Owner| Automaton {
        process: it.process,
        class: it.class,
        side: side(it.process),
        variables: it.variables,
    };
    owners.into_iter().map(automaton).collect()
}
