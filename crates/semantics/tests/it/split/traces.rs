//! Observable traces, found by the textbook semantics.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use punctual_model::{Network, SignalId, Sync, Wired};
use punctual_semantics::{
    Move,
    concrete::{Concrete, State},
    split::{self, Split},
};

use super::build::Draft;

pub(super) type Action = (SignalId, Vec<i32>);
pub(super) type Traces = BTreeSet<Vec<Action>>;

/// The signal of a transition.
fn signal(network: &Network, wired: &Wired, moves: &[Move]) -> Option<SignalId> {
    let of = |taken: &Move| {
        let edge = &network.processes[taken.process].edges[taken.edge];
        let Sync::Send(channel) = &edge.sync else { return None };
        let mut wires = wired.wires.enumerate();
        wires.find(|(_, wire)| wire.channel == channel.base).map(|(id, _)| id)
    };
    moves.iter().find_map(of)
}

fn values(wired: &Wired, id: SignalId, state: &State) -> Vec<i32> {
    let values = wired.wires[id].values.iter();
    values.map(|at| state.ints[at.slot as usize]).collect()
}

/// What can happen next, and what comes of it.
type Steps<S> = Vec<(Option<Action>, S)>;

/// The traces up to a length of something that moves: silently, or with an action.
fn traces<S: Clone + Eq + Hash>(
    start: Vec<S>,
    depth: usize,
    next: &dyn Fn(&S) -> Steps<S>,
) -> Traces {
    let mut found = Traces::from([Vec::new()]);
    let mut frontier = vec![(Vec::new(), start)];
    for _ in 0..depth {
        let mut longer = Vec::new();
        for (trace, mut states) in frontier {
            let mut seen: HashSet<S> = states.iter().cloned().collect();
            let mut after: HashMap<Action, Vec<S>> = HashMap::new();
            while let Some(state) = states.pop() {
                for (action, state) in next(&state) {
                    match action {
                        Some(action) => after.entry(action).or_default().push(state),
                        None if seen.insert(state.clone()) => states.push(state),
                        None => {}
                    }
                }
            }
            for (action, states) in after {
                let mut trace: Vec<Action> = trace.clone();
                trace.push(action);
                found.insert(trace.clone());
                let states: HashSet<S> = states.into_iter().collect();
                longer.push((trace, states.into_iter().collect()));
            }
        }
        frontier = longer;
    }
    found
}

/// The traces of a network.
pub(super) fn of_network(network: &Network, wired: &Wired, depth: usize) -> Traces {
    let concrete = Concrete::new(network);
    traces(concrete.initial().unwrap(), depth, &|state| {
        let transitions = concrete.transitions(state).unwrap().into_iter();
        let action = |(moves, after): (Vec<Move>, State)| {
            let signal = signal(network, wired, &moves);
            (signal.map(|id| (id, values(wired, id, &after))), after)
        };
        transitions.map(action).collect()
    })
}

/// The traces of components that move alone, and together on signals: the one that sends says
/// which values go along, and the one that receives is told.
pub(super) fn of_components(draft: &Draft, split: &Split, depth: usize) -> Traces {
    let wired = &draft.wired;
    let components = split.components();
    let networks: Vec<Network> = components
        .iter()
        .map(|component| split::open(&draft.network, wired, component).unwrap())
        .collect();
    let concrete: Vec<Concrete<'_>> = networks.iter().map(Concrete::new).collect();
    let start = concrete.iter().map(|one| one.initial().unwrap().remove(0)).collect();
    traces(vec![start], depth, &|states: &Vec<State>| {
        let mut found = Vec::new();
        for (i, one) in concrete.iter().enumerate() {
            for (moves, after) in one.transitions(&states[i]).unwrap() {
                let replaced = |j: usize, state: State, states: &[State]| {
                    let mut states = states.to_vec();
                    states[j] = state;
                    states
                };
                let Some(id) = signal(&networks[i], wired, &moves) else {
                    found.push((None, replaced(i, after, states)));
                    continue;
                };
                // The outside is the last process; if it sends, another component will tell.
                let outside = networks[i].processes.len() - 1;
                let sender = moves.first().map(|taken| taken.process);
                if sender == networks[i].processes.ids().nth(outside) {
                    continue;
                }
                let values = values(wired, id, &after);
                let states = replaced(i, after, states);
                let receives = |j: &usize| {
                    let outside = networks[*j].processes.iter().last().unwrap();
                    let channel = wired.wires[id].channel;
                    *j != i
                        && outside.edges.iter().any(
                            |edge| matches!(&edge.sync, Sync::Send(sent) if sent.base == channel),
                        )
                };
                let receivers: Vec<usize> = (0..concrete.len()).filter(receives).collect();
                let is_broadcast = networks[i].channels[wired.wires[id].channel].broadcast;
                if receivers.is_empty() && !is_broadcast {
                    continue;
                }
                // Each receiver goes its own ways; together they go all combinations of these.
                let mut after_all = vec![states];
                for j in receivers {
                    let mut told = after_all[0][j].clone();
                    for (at, value) in wired.wires[id].values.iter().zip(&values) {
                        told.ints[at.slot as usize] = *value;
                    }
                    let ways = concrete[j].transitions(&told).unwrap().into_iter();
                    let ways: Vec<State> = ways
                        .filter(|(moves, _)| signal(&networks[j], wired, moves) == Some(id))
                        .map(|(_, after)| after)
                        .collect();
                    let longer = |states: &Vec<State>| {
                        ways.iter().map(|way| replaced(j, way.clone(), states)).collect::<Vec<_>>()
                    };
                    after_all = after_all.iter().flat_map(longer).collect();
                    if after_all.is_empty() {
                        break;
                    }
                }
                found.extend(after_all.into_iter().map(|it| (Some((id, values.clone())), it)));
            }
        }
        found
    })
}
