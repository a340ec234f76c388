//! An environment that keeps quiet: what nobody listens to is not sent.
//!
//! An environment that may send one of a hundred signals at each step has a hundred ways to go on, and a slice of the
//! model hears few of them. A path to a goal is looked for without the others first; whoever needs them is found in a
//! second search.

use std::collections::BTreeSet;

use punctual_model::{ChannelId, ChannelRef, Expr, Id, Network, ProcessId, Sync};

use super::expr::{either, equals};

/// Takes from some processes all broadcasts that no process of the network receives. False if there are none, or it is not
/// known who receives what.
pub(super) fn hush(network: &mut Network, who: &[ProcessId]) -> bool {
    let mut received: BTreeSet<ChannelId> = BTreeSet::new();
    for edge in network.processes.iter().flat_map(|process| process.edges.iter()) {
        if let Sync::Receive(channel) = &edge.sync {
            if !channel.indices.is_empty() {
                return false;
            }
            received.insert(channel.base);
        }
    }
    let mut is_less = false;
    for process in who {
        for edge in network.processes[*process].edges.iter_mut() {
            let Sync::Send(channel) = &edge.sync else { continue };
            if !network.channels[channel.base].broadcast {
                continue;
            }
            if let Some(condition) = heard(channel, &received) {
                edge.guard.data.push(condition);
                is_less = true;
            }
        }
    }
    is_less
}

/// When somebody hears a channel; none if always, or if that can not be said.
fn heard(channel: &ChannelRef, received: &BTreeSet<ChannelId>) -> Option<Expr> {
    match &channel.indices[..] {
        [] => (!received.contains(&channel.base)).then_some(Expr::FALSE),
        [index] => {
            let is_it = |at: u32| {
                let element = channel.base.index() + (at * index.stride) as usize;
                received.contains(&ChannelId::from_index(element))
            };
            let mut any = Expr::FALSE;
            for at in (0..index.len).filter(|at| is_it(*at)) {
                let equal = equals(index.value.clone(), index.lo + at as i32);
                any = if any == Expr::FALSE { equal } else { either(any, equal) };
            }
            Some(any)
        }
        _ => None,
    }
}
