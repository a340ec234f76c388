//! The symbolic engine does what the concrete semantics does: every concrete run lies inside of
//! symbolic states, every point of a symbolic state has a concrete run, and from a single point
//! both allow the same.

use std::collections::BTreeSet;

use punctual_model::{
    Binary, BinaryOp, Expr, Id, LocationId, LocationKind, Network, Process, Sync,
};
use punctual_semantics::{
    FaultKind, Move, Rational,
    bounds::Directions,
    concrete::{Concrete, Failure, State},
};

use crate::{
    discrete::{self, Step},
    random::{self, Features, Rng},
    walk::{Edge, Engine, Node, Shown, discrete, features, seeds},
};

/// Along a run, symbolic states are not followed beyond this many.
const N_NODES_MAX: usize = 60;

/// Every state of a concrete run is in a symbolic state that the same moves lead to; and there the
/// predicates say the same of it.
#[test]
fn concrete_runs_stay_inside_of_symbolic_states() {
    let (mut n_steps, mut n_deadlocks) = (0, 0);
    let seeds = seeds(300);
    for seed in seeds.clone() {
        let features = features(seed);
        let network = random::network(seed, &features);
        let _shown = Shown(seed, &network);
        let predicate = random::property(seed, &network);
        let engine = Engine::new(&network, &predicate, directions(seed));
        let concrete = Concrete::new(&network);
        let initial = engine.initial(true).expect("no faults");
        for run in discrete::runs(&network, seed, 8) {
            assert_eq!(run.failure, None, "seed {seed}");
            let mut nodes = initial.clone();
            let mut last = &run.start;
            let start = (Step::Delay(Rational::ZERO), run.start.clone());
            for (step, state) in std::iter::once(&start).chain(&run.steps) {
                if let Step::Moves(moves) = step {
                    nodes = after(&engine, &nodes, moves);
                }
                let homes: Vec<&Node> = nodes.iter().filter(|node| node.contains(state)).collect();
                assert!(!homes.is_empty(), "seed {seed}: {last:?} {step:?} {state:?}\n{nodes:?}");
                let holds = concrete.holds(state, &predicate).unwrap();
                // Where clocks stand still, zones are larger than what is reachable, and what
                // comes later is not exact either.
                let deadlocked =
                    (!features.stopwatches).then(|| concrete.deadlocked(state).expect("no faults"));
                for home in homes {
                    let point = home.point(&state.clocks);
                    let part = engine.part(home, &engine.predicate).expect("no faults");
                    assert_eq!(part.contains(&point), holds, "seed {seed}: {state:?} {home:?}");
                    if let Some(deadlocked) = deadlocked {
                        let part = engine.part(home, &engine.deadlock).expect("no faults");
                        let symbolic = part.contains(&point);
                        assert_eq!(symbolic, deadlocked, "seed {seed}: {state:?} {home:?}");
                        n_deadlocks += usize::from(deadlocked);
                    }
                }
                last = state;
                n_steps += 1;
                if nodes.len() > N_NODES_MAX {
                    break;
                }
            }
        }
    }
    let n = (seeds.end - seeds.start) as usize;
    assert!(n_steps > 15 * n && n_deadlocks > n / 2, "{n_steps} steps, {n_deadlocks} deadlocks");
}

fn directions(seed: u64) -> Directions {
    if seed.is_multiple_of(2) { Directions::Joined } else { Directions::Apart }
}

/// Where these moves lead from some nodes.
fn after(engine: &Engine, nodes: &[Node], moves: &[Move]) -> Vec<Node> {
    let mut next: Vec<Node> = Vec::new();
    for node in nodes {
        for edge in engine.successors(node, true).expect("no faults") {
            if edge.moves == moves && !next.contains(&edge.node) {
                next.push(edge.node);
            }
        }
    }
    next
}

/// Every point of a symbolic state that a path leads to is reached by a concrete run with the same
/// moves; and predicates that hold in it do.
#[test]
fn points_of_symbolic_states_have_concrete_runs() {
    let mut n_runs = 0;
    let seeds = seeds(300);
    for seed in seeds.clone() {
        // Zones of networks whose clocks stand still are too large.
        let features = Features { stopwatches: false, ..features(seed) };
        let network = random::network(seed, &features);
        let _shown = Shown(seed, &network);
        let predicate = random::property(seed, &network);
        let engine = Engine::new(&network, &predicate, directions(seed));
        let mut rng = Rng::new(seed);
        for _ in 0..3 {
            let Some(path) = symbolic_path(&engine, &mut rng) else { continue };
            let node = &path.last().expect("a path has a start").node;
            let mut zones = vec![node.zone.clone()];
            for predicate in [&engine.predicate, &engine.deadlock] {
                let part = engine.part(node, predicate).expect("no faults");
                zones.extend(part.zones().iter().take(2).cloned());
            }
            for (i, zone) in zones.iter().enumerate() {
                let goal = node.sample(&network, zone, &mut rng);
                let run = concrete_run(&network, &engine, &path, &goal, &mut rng).unwrap_or_else(
                    |step| panic!("seed {seed}: no way to step {step} of {path:?} for {goal:?}"),
                );
                let end = replay(&network, &path, &run)
                    .unwrap_or_else(|error| panic!("seed {seed}: {error} in {run:?} of {path:?}"));
                assert!(node.contains(&end));
                assert_eq!(node.point(&end.clocks), node.point(&goal.clocks), "seed {seed}");
                if i > 0 {
                    let concrete = Concrete::new(&network);
                    let holds = concrete.holds(&end, &predicate).unwrap();
                    let deadlocked = || concrete.deadlocked(&end).unwrap();
                    assert!(holds || deadlocked(), "seed {seed}: {end:?}");
                }
                n_runs += 1;
            }
        }
    }
    let n = seeds.end - seeds.start;
    assert!(n_runs > 3 * n, "{n_runs} runs of {n} networks");
}

/// A random path of a few steps; the first is the start.
fn symbolic_path(engine: &Engine, rng: &mut Rng) -> Option<Vec<Edge>> {
    let initial = engine.initial(true).expect("no faults");
    if initial.is_empty() {
        return None;
    }
    let node = initial[rng.below(initial.len())].clone();
    let mut path = vec![Edge { ordinal: 0, moves: Vec::new(), node }];
    for _ in 0..rng.below(6) {
        let last = &path.last().expect("it has a start").node;
        let mut edges = engine.successors(last, true).expect("no faults");
        if edges.is_empty() {
            break;
        }
        path.push(edges.swap_remove(rng.below(edges.len())));
    }
    Some(path)
}

/// The delays in each state of the path, the last included, so that it ends in the goal. Found
/// backwards: one instant before each critical one, and one at each, stand for all others. If there
/// is none, gives the number of the step that could not be made.
fn concrete_run(
    network: &Network,
    engine: &Engine,
    path: &[Edge],
    goal: &State,
    rng: &mut Rng,
) -> Result<Vec<Rational>, usize> {
    let concrete = Concrete::new(network);
    let start = engine.initial(false).expect("no faults");
    let mut delays = Vec::new();
    let mut state = goal.clone();
    for (i, step) in path.iter().enumerate().rev() {
        // The states as they are entered; only to ask less often.
        let entered: Vec<Node> = match i {
            0 => start.clone(),
            i => {
                let edges = engine.successors(&path[i - 1].node, false).expect("no faults");
                let same = edges.into_iter().filter(|edge| edge.moves == step.moves);
                same.map(|edge| edge.node).collect()
            }
        };
        let mut found = None;
        for delay in delays_before(&step.node, &state, rng) {
            let mut before = state.clone();
            for &clock in &step.node.clocks {
                let value = &mut before.clocks[clock as usize];
                *value = *value + -delay;
            }
            if !entered.iter().any(|node| node.contains(&before))
                || concrete.may_wait(&before, delay) != Ok(true)
            {
                continue;
            }
            let Some(last) = i.checked_sub(1) else {
                found = Some((delay, before));
                break;
            };
            let last = &path[last].node;
            if let Some(source) = source(network, &concrete, last, step, &before, rng) {
                found = Some((delay, source));
                break;
            }
        }
        let (delay, before) = found.ok_or(i)?;
        delays.push(delay);
        state = before;
    }
    delays.reverse();
    Ok(delays)
}

/// Delays after which a state may have been reached, one for each way that clocks lie.
fn delays_before(node: &Node, state: &State, rng: &mut Rng) -> Vec<Rational> {
    let values: Vec<Rational> = node.clocks.iter().map(|&c| state.clocks[c as usize]).collect();
    let Some(&most) = values.iter().min() else { return vec![Rational::ZERO] };
    let mut instants: BTreeSet<Rational> = [Rational::ZERO, most].into();
    for value in values {
        let mut delay = fraction(value);
        while delay <= most {
            instants.insert(delay);
            delay = delay + Rational::from(1);
        }
    }
    shuffled(with_middles(&instants), rng)
}

/// A state of a node from which the moves of a step lead to the given one.
fn source(
    network: &Network,
    concrete: &Concrete<'_>,
    node: &Node,
    step: &Edge,
    target: &State,
    rng: &mut Rng,
) -> Option<State> {
    let mut clocks: Vec<Option<Rational>> = vec![None; network.clocks.len()];
    let values = values_after(network, &step.moves);
    for &clock in &step.node.clocks {
        let value = target.clocks[clock as usize];
        match values[clock as usize] {
            (Some(from), offset) => {
                let before = value + -Rational::from(offset);
                if before < Rational::ZERO || clocks[from].is_some_and(|other| other != before) {
                    return None;
                }
                clocks[from] = Some(before);
            }
            (None, constant) if value == Rational::from(constant) => {}
            (None, _) => return None,
        }
    }
    let free = node.clocks.iter().map(|&clock| clock as usize);
    let free: Vec<usize> = free.filter(|&clock| clocks[clock].is_none()).collect();
    choose(network, node, &mut clocks, &free, rng, &mut |state| {
        let transitions = concrete.transitions(state).expect("no faults");
        transitions.iter().any(|(moves, after)| {
            let same = |&clock: &u32| after.clocks[clock as usize] == target.clocks[clock as usize];
            *moves == step.moves
                && discrete(after) == step.node.state
                && step.node.clocks.iter().all(same)
        })
    })
}

/// Tries values of the free clocks, one for each way that clocks lie within the node.
fn choose(
    network: &Network,
    node: &Node,
    clocks: &mut [Option<Rational>],
    free: &[usize],
    rng: &mut Rng,
    accept: &mut dyn FnMut(&State) -> bool,
) -> Option<State> {
    let Some((&clock, rest)) = free.split_first() else {
        let all = clocks.iter().map(|value| value.unwrap_or(Rational::ZERO)).collect();
        let state = node.with(network, all);
        return (node.contains(&state) && accept(&state)).then_some(state);
    };
    let number = |clock: usize| node.clocks.iter().position(|&c| c as usize == clock);
    let x = number(clock).expect("free clocks matter") + 1;
    let largest = clocks.iter().flatten().copied().max().unwrap_or(Rational::ZERO);
    let least = -i64::from(node.zone.bound(0, x).constant().expect("clocks are not negative"));
    let most = match node.zone.bound(x, 0).constant() {
        Some(most) => i64::from(most),
        None => least.max(largest.numerator() / largest.denominator()) + 10,
    };
    let mut fractions: BTreeSet<Rational> = [Rational::ZERO].into();
    fractions.extend(clocks.iter().flatten().map(|value| fraction(*value)));
    let mut values = BTreeSet::new();
    for whole in least..=most {
        let whole = Rational::new(whole, 1);
        values.extend(fractions.iter().map(|fraction| whole + *fraction));
    }
    for value in shuffled(with_middles(&values), rng) {
        clocks[clock] = Some(value);
        // What the zone says of the clocks so far saves most of the work.
        let mut fits = true;
        for (other, other_value) in clocks.iter().enumerate() {
            if let (Some(value2), Some(y)) = (other_value, number(other)) {
                let y = y + 1;
                let difference = value + -*value2;
                fits &= within(node.zone.bound(x, y), difference);
                fits &= within(node.zone.bound(y, x), -difference);
            }
        }
        if fits && let Some(state) = choose(network, node, clocks, rest, rng, accept) {
            return Some(state);
        }
    }
    clocks[clock] = None;
    None
}

fn within(bound: punctual_zones::Bound, difference: Rational) -> bool {
    let Some(constant) = bound.constant() else { return true };
    let constant = Rational::from(constant);
    difference < constant || (bound.is_weak() && difference == constant)
}

/// For each clock, what it is set to by some moves: an earlier clock, if any, plus a constant.
fn values_after(network: &Network, moves: &[Move]) -> Vec<(Option<usize>, i32)> {
    let mut values: Vec<_> = (0..network.clocks.len()).map(|clock| (Some(clock), 0)).collect();
    for taken in moves {
        let edge = &network.processes[taken.process].edges[taken.edge];
        for expr in edge.update.iter().chain(&edge.branches[taken.branch].update) {
            if let Expr::SetClock { clock, value } = expr {
                values[clock.base.index()] = sum(value, &values);
            }
        }
    }
    values
}

fn sum(expr: &Expr, values: &[(Option<usize>, i32)]) -> (Option<usize>, i32) {
    match expr {
        Expr::Int(value) => (None, *value),
        Expr::ToDouble(expr) => sum(expr, values),
        Expr::Clock(clock) => values[clock.base.index()],
        Expr::Binary(binary) => {
            let Binary { op, left, right, .. } = &**binary;
            let ((a, x), (b, y)) = (sum(left, values), sum(right, values));
            assert_eq!(*op, BinaryOp::Add, "random clocks are set to sums");
            (a.or(b), x + y)
        }
        expr => panic!("random clocks are not set to {expr:?}"),
    }
}

fn fraction(value: Rational) -> Rational {
    let whole = value.numerator().div_euclid(value.denominator());
    value + Rational::new(-whole, 1)
}

/// These, and one between each two.
fn with_middles(values: &BTreeSet<Rational>) -> Vec<Rational> {
    let mut all: Vec<Rational> = values.iter().copied().collect();
    for i in 1..all.len() {
        let sum = all[i - 1] + all[i];
        all.push(Rational::new(sum.numerator(), sum.denominator() * 2));
    }
    all
}

fn shuffled<T>(mut items: Vec<T>, rng: &mut Rng) -> Vec<T> {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.below(i + 1));
    }
    items
}

/// Takes the moves of a path after these delays, in the concrete semantics.
fn replay(network: &Network, path: &[Edge], delays: &[Rational]) -> Result<State, String> {
    let concrete = Concrete::new(network);
    let start = &path[0].node.state[..network.processes.len()];
    let here =
        |state: &State| state.locations.iter().map(|at| at.index() as i32).eq(start.to_vec());
    let mut states = concrete.initial().expect("no faults").into_iter();
    let mut state = states.find(here).ok_or("it does not start")?;
    for (i, (step, delay)) in path.iter().zip(delays).enumerate() {
        if i > 0 {
            let transitions = concrete.transitions(&state).expect("no faults");
            let mut taken = transitions.into_iter().filter(|(moves, _)| *moves == step.moves);
            (_, state) = taken.next().ok_or_else(|| format!("step {i} is not possible"))?;
        }
        if concrete.may_wait(&state, *delay) != Ok(true) {
            return Err(format!("time may not pass after step {i}"));
        }
        state = concrete.waited(&state, *delay);
    }
    Ok(state)
}

/// From a single point, symbolic and concrete semantics allow the same transitions to the same
/// states, let the same time pass, agree about predicates, and about errors of the model.
#[test]
fn steps_from_points_are_the_same() {
    let (mut n_transitions, mut n_failures) = (0, 0);
    let seeds = seeds(500);
    for seed in seeds.clone() {
        let faults = seed % 3 == 0;
        let features = Features { faults, ..features(seed) };
        let network = random::network(seed, &features);
        let _shown = Shown(seed, &network);
        let predicate = random::property(seed, &network);
        let Some(engine) = Engine::of_any(&network, &predicate, directions(seed)) else { continue };
        let concrete = Concrete::new(&network);
        if concrete.initial().is_err() {
            assert!(engine.initial(false).is_err(), "seed {seed}");
            continue;
        }
        same_start(&engine, &concrete, seed);
        let mut seen = Vec::new();
        for run in discrete::whole_runs(&network, seed, 8) {
            for state in run.states() {
                if seen.contains(state) {
                    continue;
                }
                seen.push(state.clone());
                let node = engine.at(state);
                let symbolic = engine.successors(&node, false);
                let context = || format!("seed {seed}: {state:?}");
                match (concrete.transitions(state), symbolic) {
                    (Ok(transitions), Ok(edges)) => {
                        n_transitions += transitions.len();
                        same_edges(&engine, &transitions, &edges, &context);
                        same_waiting(&engine, &concrete, &features, &node, &transitions, &context);
                    }
                    (Err(failure), _) if may_go_unseen(&network, state, &failure) => {}
                    (Err(failure), Err(trouble)) => {
                        n_failures += 1;
                        let kind = |kind| std::mem::discriminant::<FaultKind>(&kind);
                        let same = kind(failure.fault.kind) == kind(trouble.fault.kind);
                        assert!(same, "{}: {failure:?} {trouble:?}", context());
                    }
                    (transitions, edges) => {
                        panic!("{}: {transitions:?}\n{edges:?}", context());
                    }
                }
                let part = engine.part(&node, &engine.predicate).expect("no faults");
                let holds = concrete.holds(state, &predicate).unwrap();
                assert_eq!(!part.is_empty(), holds, "{}", context());
            }
        }
    }
    let n = (seeds.end - seeds.start) as usize;
    assert!(n_transitions > 5 * n, "{n_transitions} transitions");
    // About one in thirty, and not the same share from every first seed.
    assert!(n_failures > n / 60, "{n_failures} failures");
}

/// Errors that the symbolic engine does not look for: a clock below zero that is set again before it
/// matters, and what is wrong with the guard of an edge that can not be taken whatever it says: a
/// receiver while nobody sends, any while another process is in a committed location.
fn may_go_unseen(network: &Network, state: &State, failure: &Failure) -> bool {
    let committed = |(process, at): (&Process, &LocationId)| {
        process.locations[*at].kind == LocationKind::Committed
    };
    let is_committed = network.processes.iter().zip(&state.locations).any(committed);
    let idle = |taken: &Move| {
        let process = &network.processes[taken.process];
        let edge = &process.edges[taken.edge];
        let receives = matches!(edge.sync, Sync::Receive(_));
        receives || (is_committed && !committed((process, &edge.source)))
    };
    matches!(failure.fault.kind, FaultKind::NegativeClock { .. })
        || (failure.moves.len() == 1 && idle(&failure.moves[0]))
}

fn same_start(engine: &Engine, concrete: &Concrete<'_>, seed: u64) {
    let states = concrete.initial().unwrap();
    let nodes = engine.initial(false).unwrap();
    assert_eq!(states.len(), nodes.len(), "seed {seed}");
    for state in &states {
        assert!(nodes.contains(&engine.at(state)), "seed {seed}: {state:?}");
    }
}

fn same_edges(
    engine: &Engine,
    transitions: &[(Vec<Move>, State)],
    edges: &[Edge],
    context: &dyn Fn() -> String,
) {
    for (moves, after) in transitions {
        let after = engine.at(after);
        let same = |edge: &&Edge| edge.moves == *moves && edge.node == after;
        let n = edges.iter().filter(same).count();
        // Two vectors may say the same.
        let expected = transitions.iter().filter(|(other, _)| other == moves).count();
        assert_eq!(n, expected, "{}: {moves:?} {after:?}", context());
    }
    assert_eq!(transitions.len(), edges.len(), "{}: {transitions:?} {edges:?}", context());
}

/// How far time passes after the transitions of a point.
fn same_waiting(
    engine: &Engine,
    concrete: &Concrete<'_>,
    features: &Features,
    node: &Node,
    transitions: &[(Vec<Move>, State)],
    context: &dyn Fn() -> String,
) {
    let Ok(edges) = engine.successors(node, true) else {
        // An edge that could be taken later, or synchronise over an urgent channel, is at fault.
        assert!(features.faults, "{}", context());
        return;
    };
    for (moves, state) in transitions {
        let homes = edges.iter().filter(|edge| edge.moves == *moves).map(|edge| &edge.node);
        let homes: Vec<&Node> = homes.collect();
        let Ok((limit, _)) = concrete.wait_limit(state) else { continue };
        let limit = limit.unwrap_or(Rational::from(40));
        let mut delays = vec![Rational::ZERO, limit, limit + Rational::new(1, 3)];
        delays.push(Rational::new(limit.numerator(), limit.denominator() * 2));
        delays.push(Rational::new(1, 2));
        delays.extend((1..4).map(Rational::from));
        for delay in delays {
            let later = concrete.waited(state, delay);
            let may = concrete.may_wait(state, delay).unwrap();
            // A delay shows only where some clock that matters has moved. Where clocks stand still,
            // zones may be too large.
            let shows = homes.iter().any(|home| {
                let at = |state: &State| home.point(&state.clocks);
                at(&later) != at(state) && !features.stopwatches
            });
            if may || shows {
                let inside = homes.iter().any(|home| home.contains(&later));
                assert_eq!(inside, may, "{}: {moves:?} {delay} {homes:?}", context());
            }
        }
        if !features.stopwatches
            && let Ok(deadlocked) = concrete.deadlocked(state)
        {
            for home in homes.iter().filter(|home| home.contains(state)) {
                let Ok(part) = engine.part(home, &engine.deadlock) else { continue };
                let symbolic = part.contains(&home.point(&state.clocks));
                assert_eq!(symbolic, deadlocked, "{}: {moves:?} {home:?}", context());
            }
        }
    }
}
