//! Splitting networks, and what is left of their behaviour.

mod build;
mod traces;

use proptest::prelude::*;
use punctual_model::{Direction, Id, IdVec, ProcessId, Sync};
use punctual_semantics::{
    concrete::Concrete,
    split::{self, Named, Refusal, Side, Split, Warning},
};

use build::{Draft, draft};

fn split(draft: &Draft) -> Result<Split, Refusal> {
    split::split(&draft.network, &draft.wired, &Named::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Who was drawn as environment is environment, unless nothing decides.
    #[test]
    fn the_split_is_the_one_that_was_drawn(draft in draft()) {
        let split = split(&draft).unwrap();
        for (process, side) in split.sides.enumerate() {
            if !split.warnings.contains(&Warning::Undecided(process)) {
                prop_assert_eq!(*side, draft.sides[process.index()]);
            }
        }
    }

    /// Components that move alone, and together on signals, do what the network does.
    #[test]
    fn open_components_have_the_traces_of_the_network(draft in draft()) {
        let split = split(&draft).unwrap();
        let unseen = |warning: &Warning| matches!(warning, Warning::Unseen { .. });
        prop_assume!(!split.warnings.iter().any(unseen));
        let whole = traces::of_network(&draft.network, &draft.wired, 4);
        let parts = traces::of_components(&draft, &split, 4);
        prop_assert_eq!(whole, parts);
    }

    /// A universal environment can do whatever the drawn one does.
    #[test]
    fn a_universal_environment_allows_every_trace(draft in draft()) {
        let split = split(&draft).unwrap();
        let unseen = |warning: &Warning| matches!(warning, Warning::Unseen { .. });
        prop_assume!(!split.warnings.iter().any(unseen));
        let universal = split::universal(&draft.network, &draft.wired, &split).unwrap();
        let all = traces::of_network(&universal, &draft.wired, 3);
        let drawn = traces::of_network(&draft.network, &draft.wired, 3);
        prop_assert!(drawn.is_subset(&all));
    }

    /// A silent environment sends nothing.
    #[test]
    fn a_silent_environment_allows_outputs_only(draft in draft()) {
        let split = split(&draft).unwrap();
        let silent = split::silent(&draft.network, &draft.wired, &split).unwrap();
        for trace in traces::of_network(&silent, &draft.wired, 2) {
            for (signal, _) in trace {
                let signal = &draft.wired.interface.signals[signal];
                prop_assert_eq!(signal.direction, Direction::Output);
            }
        }
    }
}

#[test]
fn components_keep_ids_and_slots() {
    let draft = Draft::ping_pong();
    let split = split(&draft).unwrap();
    let components = split.components();
    let sides: Vec<Side> = components.iter().map(|component| component.side).collect();
    assert_eq!(sides, [Side::System, Side::Environment]);
    for component in &components {
        let open = split::open(&draft.network, &draft.wired, component).unwrap();
        assert_eq!(open.channels.len(), draft.network.channels.len());
        assert_eq!(open.initial, draft.network.initial);
        let names: Vec<_> = open.processes.iter().map(|process| process.name.as_str()).collect();
        let kept = &draft.network.processes[component.processes[0]].name;
        assert_eq!(names, [kept.as_str(), split::OUTSIDE]);
        assert_eq!(Concrete::new(&open).initial().unwrap().len(), 1);
    }
}

/// An urgent input hurries the environment, not the system that waits for it.
#[test]
fn urgency_stays_with_the_sender() {
    let mut draft = Draft::ping_pong();
    for channel in draft.network.channels.iter_mut() {
        channel.urgent = true;
    }
    let split = split(&draft).unwrap();
    for component in split.components() {
        let open = split::open(&draft.network, &draft.wired, &component).unwrap();
        for (id, signal) in draft.wired.interface.signals.enumerate() {
            if signal.values.is_empty() {
                continue;
            }
            let sent_by = match signal.direction {
                Direction::Input => Side::Environment,
                Direction::Output => Side::System,
            };
            let urgent = open.channels[draft.wired.wires[id].channel].urgent;
            assert_eq!(urgent, sent_by == component.side, "{}", signal.name);
        }
    }
}

#[test]
fn what_has_no_two_sides_is_refused_by_name() {
    let refused = |draft: &Draft| split(draft).unwrap_err().to_string();
    let mut draft = Draft::ping_pong();
    let first = ProcessId::from_index(0);
    let edges: IdVec<_, _> = draft.network.processes[first]
        .edges
        .iter()
        .cloned()
        .map(|mut edge| {
            if let Sync::Send(channel) | Sync::Receive(channel) = edge.sync.clone() {
                edge.sync = Sync::Csp(channel);
            }
            edge
        })
        .collect();
    draft.network.processes[first].edges = edges;
    assert_eq!(
        refused(&draft),
        "synchronisation in the style of CSP can not be split into system and environment \
         (process P0)"
    );
    let mut draft = Draft::ping_pong();
    draft.network.after_update.push(punctual_model::Expr::Int(1));
    assert!(refused(&draft).starts_with("updates before or after every transition"));
}

#[test]
fn priorities_of_signals_keep_a_component_closed() {
    let mut draft = Draft::ping_pong();
    let observable = draft.wired.wires.iter().next().unwrap().channel;
    let split = split(&draft).unwrap();
    draft.network.channels[observable].priority = 1;
    let component = &split.components()[0];
    let refusal = split::open(&draft.network, &draft.wired, component).unwrap_err();
    assert!(refusal.to_string().starts_with("the priority of an observable channel"));
}

#[test]
fn too_many_values_are_not_chosen_from() {
    let mut draft = Draft::ping_pong();
    let split = split(&draft).unwrap();
    let input = draft.wired.interface.signal("in0").unwrap();
    draft.wired.wires[input].values[0].range = punctual_model::Range::INT;
    assert!(split::universal(&draft.network, &draft.wired, &split).is_err());
    assert!(split::silent(&draft.network, &draft.wired, &split).is_ok());
}
