//! Mutants of networks of timed automata.

use std::collections::{BTreeMap, BTreeSet};

use punctual_lang::{convert, uppaal};
use punctual_model::{Frame, FunctionBody, Id, IdVec, Network, ProcessId};
use punctual_semantics::split::Side;
use punctual_testgen::mutation::automata::{Mutant, Operator, Options, Place, mutants};

use super::network;

/// A lamp that answers in time, gets dark by itself, and a user of it.
const LAMP: &str = "chan press, hold; chan light, dark; clock g;
    int[0,9] n = 0; int wait[3] = { 2, 3, 5 };
    process Lamp(const int early, const int late) {
        clock x, y;
        state off, soon { x <= late }, on { y <= wait[n] }, dim { x < 1 };
        init off;
        trans off -> soon { guard n < 9; sync press?; assign x = 0, n = n + 1; },
            soon -> on { guard x >= early && x < 7; sync light!; assign y = 0; },
            on -> off { guard y == 2; sync dark!; },
            on -> dim { guard x - y > 3; sync hold?; assign x = 0; },
            dim -> off { sync dark!; },
            off -> off { guard n == 9 && x >= 4; assign n = 0; };
    }
    process User() { state idle; init idle;
        trans idle -> idle { guard g >= 2; sync press!; assign g = 0; },
            idle -> idle { guard g >= 0; sync hold!; }, idle -> idle { sync light?; }, idle -> idle { sync dark?; }; }
    L = Lamp(3, 5); U = User(); system L, U;";

fn lamp() -> (Network, IdVec<ProcessId, Side>) {
    let sides = [Side::System, Side::Environment].into_iter().collect();
    (network("lamp.xta", LAMP.as_bytes()), sides)
}

/// A model of an example; all of it counts as system.
fn example(path: &str) -> (Network, IdVec<ProcessId, Side>) {
    let path = format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"));
    let network = network(&path, &std::fs::read(&path).expect("an example"));
    let sides = network.processes.iter().map(|_| Side::System).collect();
    (network, sides)
}

const EXAMPLES: [&str; 7] = [
    "hod/model.xml",
    "hod/other-errors.xml",
    "train-gate/model.xml",
    "smart-lamp/model.xml",
    "oven/model.xml",
    "coffee-machine/model.xml",
    "cooling/model.xml",
];

fn with_environment() -> Options {
    Options { environment: true, ..Options::default() }
}

fn listed(all: &[Mutant]) -> String {
    all.iter().map(|it| format!("{:<32} {}\n", it.name, it.change)).collect()
}

fn only(operator: Operator, offset: i32) -> Vec<String> {
    let (network, sides) = lamp();
    let options = Options { operators: vec![operator], offset, environment: false };
    mutants(&network, &sides, &options).into_iter().map(|it| it.change).collect()
}

#[test]
fn all_mutants_of_a_lamp() {
    let (network, sides) = lamp();
    insta::assert_snapshot!(listed(&mutants(&network, &sides, &with_environment())));
}

#[test]
fn operators_have_names() {
    for operator in Operator::ALL {
        assert_eq!(Operator::named(operator.name()), Some(operator));
    }
    assert_eq!(Operator::named("tickle"), None);
    assert!(Operator::PAPER.iter().all(|it| Operator::ALL.contains(it)));
}

/// An end stops at 0; what would hold nowhere is no mutant.
#[test]
fn a_large_offset_leaves_something() {
    let restricted = only(Operator::Restrict, 100);
    assert!(restricted.contains(&"x >= 3 becomes x >= 103".to_owned()), "{restricted:?}");
    assert!(!restricted.iter().any(|it| it.starts_with("x <")), "{restricted:?}");
    let widened = only(Operator::Widen, 100);
    assert!(widened.contains(&"x >= 3 becomes x >= 0".to_owned()), "{widened:?}");
    assert!(widened.contains(&"x <= 5 becomes x <= 105".to_owned()), "{widened:?}");
    assert!(widened.contains(&"x - y > 3 becomes x - y > -97".to_owned()), "{widened:?}");
    let shifted = only(Operator::Shift, 100);
    assert!(shifted.iter().any(|it| it.contains("x >= 103")), "{shifted:?}");
    // Only a window without an upper end can be that early.
    let earlier: Vec<&String> = shifted.iter().filter(|it| !it.contains("10")).collect();
    assert_eq!(earlier, ["x >= 4 becomes x >= 0"], "{shifted:?}");
}

/// A selected value that is the index of a channel stays the index of the other channel.
#[test]
fn another_channel_keeps_the_index() {
    let (network, sides) = example("train-gate/model.xml");
    let options = Options { operators: vec![Operator::Action], ..Options::default() };
    let found = mutants(&network, &sides, &options);
    let change = |name: &str| found.iter().find(|it| it.name == name).map(|it| it.change.as_str());
    assert_eq!(change("action-Queue-e0"), Some("first[e]? becomes behind[e]?"));
    assert_eq!(change("action-Queue-e1"), Some("behind[e]? becomes rem?"));
    assert_eq!(change("action-Queue-e2"), None, "it sends nothing else");
    assert_eq!(change("action-Control_2-e5"), Some("go[2]! becomes first[2]!"));
}

/// Networks that synchronise by vectors have events instead of channels.
#[test]
fn events_are_actions() {
    let text = "system:pair\nclock:1:x\nevent:a\nevent:b\nprocess:P\nlocation:P:l{initial:}\n\
        location:P:m{invariant: x<=3}\nedge:P:l:m:a{do: x=0}\nedge:P:m:l:b{provided: 2<=x}\n\
        process:Q\nlocation:Q:l{initial:}\nedge:Q:l:l:a\nsync:P@a:Q@a\n";
    let network = network("pair.tck", text.as_bytes());
    let sides = network.processes.iter().map(|_| Side::System).collect();
    insta::assert_snapshot!(listed(&mutants(&network, &sides, &Options::default())));
}

/// The names of an operator's mutants do not depend on the other operators, or on the offset.
#[test]
fn names_are_unique_and_stable() {
    for (network, sides) in EXAMPLES.map(example).into_iter().chain([lamp()]) {
        let all = mutants(&network, &sides, &with_environment());
        let names: BTreeSet<String> = all.iter().map(|it| it.name.to_lowercase()).collect();
        assert_eq!(names.len(), all.len());
        for it in &all {
            let is_safe = |it: char| it.is_ascii_alphanumeric() || "-_".contains(it);
            assert!(it.name.chars().all(is_safe), "{}", it.name);
            assert!(it.name.starts_with(it.operator.name()), "{}", it.name);
        }
        let mut apart = Vec::new();
        for operator in Operator::ALL {
            let options = Options { operators: vec![operator], ..with_environment() };
            apart.extend(mutants(&network, &sides, &options));
        }
        assert_eq!(apart, all);
        let paper = Options { operators: Operator::PAPER.to_vec(), ..with_environment() };
        let paper = mutants(&network, &sides, &paper);
        assert!(!paper.is_empty() && paper.iter().all(|it| all.contains(it)));
    }
}

/// A mutant differs from the model and from the other mutants of its operator, in one process, and has
/// places as the model does.
#[test]
fn mutants_are_different() {
    for (network, sides) in EXAMPLES.map(example).into_iter().chain([lamp()]) {
        let all = mutants(&network, &sides, &with_environment());
        for (at, it) in all.iter().enumerate() {
            assert_ne!(it.network, network, "{}", it.name);
            let others = all[..at].iter().filter(|other| other.operator == it.operator);
            for other in others {
                assert_ne!(it.network, other.network, "{} and {}", it.name, other.name);
            }
            for (id, process) in network.processes.enumerate() {
                let changed = &it.network.processes[id];
                assert_eq!(*process != *changed, id == it.process, "{}", it.name);
                assert_eq!(process.locations.len(), changed.locations.len());
                assert_eq!(process.edges.len(), changed.edges.len());
                assert_eq!(process.initial, changed.initial);
            }
            assert!(it.change.contains(" becomes ") || it.change.contains(" is "), "{}", it.change);
            assert_eq!(it.side, sides[it.process]);
        }
    }
}

/// Without being asked for, the environment stays as it is.
#[test]
fn the_environment_is_left_alone() {
    let (network, sides) = lamp();
    let (system, all) = (
        mutants(&network, &sides, &Options::default()),
        mutants(&network, &sides, &with_environment()),
    );
    assert!(system.iter().all(|it| it.side == Side::System));
    assert!(all.iter().any(|it| it.side == Side::Environment && it.process.index() == 1));
    let also_system: Vec<&Mutant> = all.iter().filter(|it| it.side == Side::System).collect();
    assert_eq!(also_system, system.iter().collect::<Vec<_>>());
}

/// On a self loop, time goes on: the clocks that end the stay are set.
#[test]
fn self_loops_do_not_stop_time() {
    let (network, sides) = lamp();
    let options = Options { operators: vec![Operator::SelfLoop], ..Options::default() };
    for mutant in mutants(&network, &sides, &options) {
        let Place::Edge(id) = mutant.place else { panic!("a place of {}", mutant.name) };
        let process = &mutant.network.processes[mutant.process];
        let edge = &process.edges[id];
        assert!(edge.branches.iter().any(|it| it.target == edge.source), "{}", mutant.name);
        let n_bounded = process.locations[edge.source].invariant.clocks.len();
        assert!(edge.update.len() >= n_bounded, "{}", mutant.name);
    }
}

/// What a file does not keep: names of processes with parameters, and how functions number their locals.
fn nameless(mut network: Network) -> Network {
    for process in network.processes.iter_mut() {
        (process.name, process.template) = (String::new(), String::new());
    }
    network.clocks.iter_mut().for_each(|it| it.name.clear());
    network.variables.iter_mut().for_each(|it| it.name.clear());
    for function in network.functions.iter_mut() {
        (function.name, function.frame) = (String::new(), Frame::default());
        function.body = FunctionBody::Statements(Vec::new());
    }
    network
}

/// A mutant that is written as a file of UPPAAL is the same when it is read again.
#[test]
fn mutants_are_written_and_read_again() {
    let mut counts: BTreeMap<Operator, usize> = BTreeMap::new();
    for (network, sides) in EXAMPLES.map(example).into_iter().chain([lamp()]) {
        for mutant in mutants(&network, &sides, &with_environment()) {
            let document = convert::to_document(&mutant.network).expect("all of it can be said");
            let text = uppaal::xml::write(&document);
            let again = self::network(&mutant.name, text.as_bytes());
            let same = nameless(again) == nameless(mutant.network);
            assert!(same, "{}: {}\n{text}", mutant.name, mutant.change);
            *counts.entry(mutant.operator).or_default() += 1;
        }
    }
    assert_eq!(counts.len(), Operator::ALL.len(), "each operator is tried: {counts:?}");
}
