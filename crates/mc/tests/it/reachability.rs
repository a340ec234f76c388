//! Reachability: extrapolation neither adds nor loses anything, all ways to search agree, traces
//! are runs of the model, and where discrete time is enough, brute force says the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use punctual_mc::{
    Answer, Extrapolation, Observer, Options, Order, Outcome, Progress, Statistics, Trace, check,
};
use punctual_model::{BinaryOp, Expr, Network, Number, Property, StateExpr, UnaryOp};
use punctual_semantics::{
    Rational,
    bounds::Directions,
    concrete::{Concrete, State},
    symbolic::Active,
};
use punctual_zones::Zone;

use crate::{
    discrete,
    random::{self, Features},
    walk::{Engine, Node, Shown, deadlock, discrete as flat, features, seeds},
};

/// How zones are made coarser and compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Coarse {
    /// As they are; included in another.
    No,
    /// By the bounds of the engine, in pieces if differences of clocks are compared.
    Yes,
}

/// A zone graph: nodes, each with its parent and the transition from there.
struct Graph {
    nodes: Vec<(Node, Option<usize>, u32)>,
    complete: bool,
}

impl Graph {
    /// Explores breadth first, with at most so many nodes.
    fn new(engine: &Engine, coarse: Coarse, limit: usize) -> Graph {
        let mut graph = Graph { nodes: Vec::new(), complete: true };
        let mut stored: BTreeMap<Vec<i32>, Vec<usize>> = BTreeMap::new();
        for (i, node) in engine.initial(true).expect("no faults").into_iter().enumerate() {
            graph.insert(engine, coarse, &mut stored, (node, None, i as u32));
        }
        let mut next = 0;
        while next < graph.nodes.len() {
            if graph.nodes.len() > limit {
                graph.complete = false;
                break;
            }
            let node = graph.nodes[next].0.clone();
            for edge in engine.successors(&node, true).expect("no faults") {
                let node = (edge.node, Some(next), edge.ordinal);
                graph.insert(engine, coarse, &mut stored, node);
            }
            next += 1;
        }
        graph
    }

    fn insert(
        &mut self,
        engine: &Engine,
        coarse: Coarse,
        stored: &mut BTreeMap<Vec<i32>, Vec<usize>>,
        (node, parent, via): (Node, Option<usize>, u32),
    ) {
        let mut clocks = Active::new(engine.symbolic.n_clocks());
        clocks.set(&engine.symbolic, &node.state);
        let pieces: Vec<Zone> = match coarse {
            Coarse::No => vec![node.zone],
            Coarse::Yes if engine.symbolic.has_diagonals() => {
                engine.symbolic.extrapolated_pieces(&node.zone, &clocks)
            }
            Coarse::Yes => {
                let mut zone = node.zone;
                zone.extra_lu_plus(clocks.bounds());
                vec![zone]
            }
        };
        let simulates = coarse == Coarse::Yes && !engine.symbolic.has_diagonals();
        let others = stored.entry(node.state.clone()).or_default();
        for zone in pieces {
            let covered = others.iter().any(|&other| {
                let other = &self.nodes[other].0.zone;
                match simulates {
                    true => zone.is_simulated_by(other, clocks.bounds()),
                    false => zone.is_included_in(other),
                }
            });
            if !covered {
                others.push(self.nodes.len());
                let node = Node { state: node.state.clone(), zone, clocks: node.clocks.clone() };
                self.nodes.push((node, parent, via));
            }
        }
    }

    fn discrete(&self) -> BTreeSet<Vec<i32>> {
        self.nodes.iter().map(|(node, ..)| node.state.clone()).collect()
    }

    /// The path to a node as the numbers of its transitions.
    fn path(&self, mut node: usize) -> Vec<u32> {
        let mut path = Vec::new();
        loop {
            let (_, parent, via) = &self.nodes[node];
            path.push(*via);
            match parent {
                Some(parent) => node = *parent,
                None => break,
            }
        }
        path.reverse();
        path
    }
}

/// Where a path leads with exact zones.
fn follow(engine: &Engine, path: &[u32]) -> Vec<Node> {
    let initial = engine.initial(true).expect("no faults");
    let mut nodes = vec![initial[path[0] as usize].clone()];
    for &ordinal in &path[1..] {
        nodes = nodes.iter().flat_map(|node| engine.follow(node, ordinal)).collect();
    }
    nodes
}

/// Networks whose zones are exact. Where copies of clocks carry differences back without end, the
/// model is refused: such networks are made anew without copies.
fn network(seed: u64) -> Network {
    let features = Features { stopwatches: false, ..features(seed) };
    let network = random::network(seed, &features);
    let property = random::property(seed, &network);
    match punctual_semantics::symbolic::diagonals(&network, &[&property]) {
        Ok(_) => network,
        Err(_) => random::network(seed, &Features { clock_copies: false, ..features }),
    }
}

/// What extrapolation finds is what exact zones find, path by path.
#[test]
fn extrapolation_keeps_what_is_reachable() {
    let (mut n_complete, mut n_nodes) = (0, 0);
    let seeds = seeds(200);
    for seed in seeds.clone() {
        let network = network(seed);
        let _shown = Shown(seed, &network);
        let predicate = random::property(seed, &network);
        let mut found = Vec::new();
        for directions in [Directions::Apart, Directions::Joined] {
            let engine = Engine::new(&network, &predicate, directions);
            let coarse = Graph::new(&engine, Coarse::Yes, 300);
            for node in 0..coarse.nodes.len() {
                let exact = follow(&engine, &coarse.path(node));
                let state = &coarse.nodes[node].0.state;
                assert!(
                    exact.iter().any(|exact| exact.state == *state),
                    "seed {seed}, {directions:?}: no way to {:?}",
                    coarse.nodes[node].0
                );
                n_nodes += 1;
            }
            let exact = Graph::new(&engine, Coarse::No, 100);
            if coarse.complete {
                n_complete += 1;
                let (coarse, exact) = (coarse.discrete(), exact.discrete());
                let lost: Vec<_> = exact.difference(&coarse).collect();
                assert!(lost.is_empty(), "seed {seed}, {directions:?}: {lost:?}");
                for run in discrete::runs(&network, seed, 12) {
                    for state in run.states() {
                        let found = coarse.contains(&flat(state));
                        assert!(found, "seed {seed}, {directions:?}: {state:?} was lost");
                    }
                }
                found.push(coarse);
            }
        }
        if let [apart, joined] = &found[..] {
            assert_eq!(apart, joined, "seed {seed}");
        }
    }
    let n = seeds.end - seeds.start;
    assert!(n_complete > n && n_nodes > 20 * n, "{n_complete} searches, {n_nodes} nodes");
}

/// Where discrete time is enough, zones and brute force find the same discrete states.
#[test]
fn zones_find_what_brute_force_finds() {
    let mut n_complete = 0;
    let seeds = seeds(60);
    for seed in seeds.clone() {
        let network = random::network(seed, &features(seed).digital());
        let _shown = Shown(seed, &network);
        let explored = discrete::explore(&network, None, N_STATES_MAX);
        if !explored.complete {
            continue;
        }
        let predicate = random::property(seed, &network);
        let engine = Engine::new(&network, &predicate, Directions::Apart);
        let graph = Graph::new(&engine, Coarse::Yes, 2000);
        if graph.complete {
            n_complete += 1;
            let flat = |(locations, ints)| flat(&State { locations, ints, clocks: Vec::new() });
            let expected: BTreeSet<Vec<i32>> = explored.discrete.into_iter().map(flat).collect();
            assert_eq!(graph.discrete(), expected, "seed {seed}");
        }
    }
    let n = seeds.end - seeds.start;
    assert!(n_complete > n / 2, "{n_complete} networks");
}

/// A limit that few random networks reach.
const N_STATES_MAX: usize = 3000;

/// Ends searches that go on for long.
struct Limit(u64);

impl Observer for Limit {
    fn elapsed(&mut self) -> Duration {
        Duration::ZERO
    }

    fn progress(&mut self, progress: &Progress) -> bool {
        progress.stored < self.0 && progress.explored < 4 * self.0
    }
}

const ORDERS: [Order; 4] = [
    Order::BreadthFirst,
    Order::DepthFirst,
    Order::RandomDepthFirst { seed: 7 },
    Order::RandomWalk { seed: 7 },
];

/// All ways to search, the first one first.
fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for extrapolation in [Extrapolation::Automatic, Extrapolation::Maximum, Extrapolation::None] {
        for order in ORDERS {
            ways.push(Options { order, extrapolation, ..Options::default() });
            if order == Order::BreadthFirst {
                ways.push(Options { order, extrapolation, threads: 2, ..Options::default() });
            }
        }
    }
    ways
}

fn counts(statistics: &Statistics) -> (u64, u64, u64) {
    (statistics.stored, statistics.explored, statistics.transitions)
}

fn not(expr: StateExpr) -> StateExpr {
    let inner = Box::new(expr.expr);
    StateExpr { expr: Expr::Unary(UnaryOp::Not, Number::Int, inner), ..expr }
}

/// A predicate, `deadlock`, or both.
fn goal(seed: u64, network: &Network) -> StateExpr {
    let predicate = random::property(seed, network);
    match seed % 4 {
        0 => deadlock(),
        1 => {
            let expr = random::binary(BinaryOp::And, Expr::Deadlock, predicate.expr);
            StateExpr { expr, ..predicate }
        }
        _ => predicate,
    }
}

/// All ways to search give the same answer, and traces that are runs. Gives the answer, if it is
/// found within a limit.
fn answer(network: &Network, goal: &StateExpr, seed: u64) -> Option<bool> {
    let mut answer = None;
    let mut breadth: Option<(Extrapolation, Outcome)> = None;
    for options in ways() {
        for exists in [true, false] {
            let property = match exists {
                true => Property::ExistsFinally(goal.clone()),
                false => Property::AlwaysGlobally(not(goal.clone())),
            };
            let outcome = check(network, &property, &options, &mut Limit(2000)).unwrap();
            let context = || format!("seed {seed}: {options:?} {exists} {outcome:?}");
            let reachable = match &outcome.answer {
                Answer::Satisfied => exists,
                Answer::NotSatisfied => !exists,
                Answer::Undecided(_) => continue,
                other => panic!("{}: {other:?}", context()),
            };
            assert_eq!(reachable, *answer.get_or_insert(reachable), "{}", context());
            assert_eq!(outcome.trace.is_some(), reachable, "{}", context());
            if let Some(trace) = &outcome.trace {
                is_run(network, trace, goal, &context);
            }
            if options.order == Order::BreadthFirst && exists {
                match &breadth {
                    Some((extrapolation, other)) if *extrapolation == options.extrapolation => {
                        assert_eq!(
                            counts(&outcome.statistics),
                            counts(&other.statistics),
                            "{}",
                            context()
                        );
                        assert_eq!(outcome.trace, other.trace, "{}", context());
                    }
                    _ => breadth = Some((options.extrapolation, outcome)),
                }
            }
        }
    }
    answer
}

/// How many traces had no delays so far, in all tests.
static N_UNTIMED: AtomicUsize = AtomicUsize::new(0);
/// As many as one or two networks have, searched in all ways.
const N_UNTIMED_MAX: usize = 64;

/// A trace is a run of the concrete semantics that ends where the goal holds. Clock guards on urgent
/// channels cut delays in a way that traces do not remember: then they may be without delays, which
/// is rare.
fn is_run(network: &Network, trace: &Trace, goal: &StateExpr, context: &dyn Fn() -> String) {
    if trace.rest.is_none() && network.channels.iter().any(|channel| channel.urgent) {
        let n_untimed = N_UNTIMED.fetch_add(1, Ordering::Relaxed);
        assert!(n_untimed < N_UNTIMED_MAX, "{}", context());
        return;
    }
    let concrete = Concrete::new(network);
    let same = |state: &punctual_mc::State| State {
        locations: state.locations.clone(),
        ints: state.ints.clone(),
        clocks: state.clocks.clone(),
    };
    let mut state = same(&trace.start);
    assert!(concrete.initial().unwrap().contains(&state), "{}", context());
    let wait = |state: &State, delay: Option<Rational>| {
        let delay = delay.expect("delays are known");
        assert_eq!(concrete.may_wait(state, delay), Ok(true), "{}", context());
        concrete.waited(state, delay)
    };
    for step in &trace.steps {
        let before = wait(&state, step.delay);
        state = same(&step.state);
        let transitions = concrete.transitions(&before).unwrap();
        let taken = (step.moves.clone(), state.clone());
        assert!(transitions.contains(&taken), "{}", context());
    }
    let end = wait(&state, trace.rest);
    assert!(holds(&concrete, &end, &goal.expr, goal), "{}: {end:?}", context());
}

/// Whether a goal holds, which may speak of `deadlock` in a conjunction.
fn holds(concrete: &Concrete<'_>, state: &State, expr: &Expr, goal: &StateExpr) -> bool {
    match expr {
        Expr::Deadlock => concrete.deadlocked(state).unwrap(),
        Expr::Binary(binary) if binary.op == BinaryOp::And => {
            holds(concrete, state, &binary.left, goal)
                && holds(concrete, state, &binary.right, goal)
        }
        expr => concrete.holds(state, &StateExpr { expr: expr.clone(), ..goal.clone() }).unwrap(),
    }
}

/// All ways to search agree, whatever the network has; and if the states of a random run satisfy
/// the goal, it is reachable.
#[test]
fn all_searches_agree() {
    let mut n_answers = [0, 0];
    let seeds = seeds(60);
    for seed in seeds.clone() {
        let network = network(seed);
        let _shown = Shown(seed, &network);
        let goal = goal(seed, &network);
        let Some(reachable) = answer(&network, &goal, seed) else { continue };
        n_answers[usize::from(reachable)] += 1;
        if !reachable {
            let concrete = Concrete::new(&network);
            for run in discrete::runs(&network, seed, 10) {
                for state in run.states() {
                    let holds = holds(&concrete, state, &goal.expr, &goal);
                    assert!(!holds, "seed {seed}: {state:?} was missed");
                }
            }
        }
    }
    let n = seeds.end - seeds.start;
    assert!(n_answers.iter().all(|&answers| answers > n / 6), "{n_answers:?} of {n}");
}

/// Where discrete time is enough, the answers are those of brute force. A deadlock can lie between
/// whole instants only, so brute force is a witness for deadlocks and not against them.
#[test]
fn answers_are_those_of_brute_force() {
    let mut n_answers = [0, 0];
    let seeds = seeds(60);
    for seed in seeds.clone() {
        let network = random::network(seed, &features(seed).digital());
        let _shown = Shown(seed, &network);
        let predicate = random::property(seed, &network);
        let explored = discrete::explore(&network, Some(&predicate), N_STATES_MAX);
        if !explored.complete {
            continue;
        }
        let reachable = answer(&network, &predicate, seed).expect("a small network");
        assert_eq!(reachable, explored.found, "seed {seed}");
        n_answers[usize::from(reachable)] += 1;
        let concrete = Concrete::new(&network);
        if explored.states.iter().any(|state| concrete.deadlocked(state).unwrap()) {
            let reachable = answer(&network, &deadlock(), seed);
            assert_eq!(reachable, Some(true), "seed {seed}: no deadlock was found");
        }
    }
    let n = seeds.end - seeds.start;
    assert!(n_answers.iter().all(|&answers| answers > n / 8), "{n_answers:?} of {n}");
}
