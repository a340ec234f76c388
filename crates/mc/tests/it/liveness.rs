//! `E[]`, `A<>` and `-->`: small models whose answers are plain to see, and random ones that are
//! decided by brute force.

use std::collections::HashMap;

use punctual_lang::Input;
use punctual_mc::{Answer, Options, check};
use punctual_model::{
    Binary, BinaryOp, Expr, Frame, Network, Number, Property, StateExpr, UnaryOp,
};
use punctual_semantics::{
    Rational,
    concrete::{Concrete, State},
};

use crate::discrete::{cap, capped};
use crate::random::{self, Features};
use crate::walk::seeds;

/// Checks a model, given as XTA, against queries and whether they hold.
fn holds(model: &str, expected: &[(&str, bool)]) {
    for &(query, expected) in expected {
        let answer = answer(model, query);
        let expected = if expected { Answer::Satisfied } else { Answer::NotSatisfied };
        assert_eq!(answer, expected, "{query}\n{model}");
    }
}

fn answer(model: &str, query: &str) -> Answer {
    let model = Input { name: "model.xta", bytes: model.as_bytes() };
    let queries = Input { name: "model.q", bytes: query.as_bytes() };
    let reading = punctual_lang::read_with_queries(model, Some(queries));
    let model = reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let property = model.queries[0].property.as_ref();
    let property = property.unwrap_or_else(|| panic!("{:?}", model.queries[0].diagnostics));
    check(&model.network, property, &Options::default(), &mut ()).expect("no refusal").answer
}

#[test]
fn time_may_pass_for_ever() {
    let model = "clock x; process P() { state A, B; init A; trans A -> B { guard x >= 2; }; }
                 system P;";
    holds(
        model,
        &[
            ("E[] P.A", true),
            ("A<> P.B", false),
            ("E[] P.B", false),
            ("E[] P.A && x <= 7", false),
            ("E[] P.A || x <= 7", true),
            ("E[] x <= 7", false),
            ("A<> x > 7", true),
            ("A<> x >= 7 && x <= 7", true),
            ("A<> P.B && x > 3", false),
            ("P.A --> P.B", false),
            ("P.B --> x >= 9", true),
            ("P.B && x < 9 --> x == 9", true),
            ("P.B && x <= 9 --> x == 9", true),
            ("P.B && x <= 10 --> x == 9", false),
        ],
    );
}

#[test]
fn invariants_force_progress() {
    let model = "clock x; process P() { state A {x <= 5}, B; init A;
                 trans A -> B { guard x >= 2; }; } system P;";
    holds(
        model,
        &[
            ("E[] P.A", false),
            ("A<> P.B", true),
            ("A<> P.A && x >= 2", true),
            ("A<> P.A && x > 2", false),
            ("A<> P.A && x >= 3", false),
            ("A<> P.B && x <= 5", true),
            ("A<> P.B && x < 5", false),
            ("A<> P.B && x > 2", true),
            ("P.A && x > 1 --> P.B", true),
            ("P.A && x > 4 --> P.B && x > 4 && x < 6", true),
            ("P.A && x >= 4 --> P.B && x > 5", true),
            ("P.A && x >= 4 --> P.A && x == 5", false),
        ],
    );
}

/// What can not move and may not wait is at its end, and waits as long as it may.
#[test]
fn timelocks_end_runs() {
    let model = "clock x; process P() { state A {x <= 5}, B; init A;
                 trans A -> B { guard x >= 6; }; } system P;";
    holds(
        model,
        &[
            ("E[] P.A", true),
            ("A<> P.B", false),
            ("A<> x >= 5", true),
            ("E[] x < 5", false),
            ("E[] x <= 5", true),
            ("P.A --> x == 5", true),
            ("P.A --> x > 5", false),
        ],
    );
    let open = "clock x; process P() { state A {x < 5}; init A; } system P;";
    holds(open, &[("A<> x >= 5", false), ("A<> x > 4", true), ("E[] x < 5", true)]);
}

#[test]
fn a_deadlock_ends_a_run() {
    let model = "clock x; process P() { state A {x <= 5}, B; init A; urgent B;
                 trans A -> B { guard x >= 2; }; } system P;";
    holds(
        model,
        &[
            ("E[] P.A || P.B", true),
            ("A<> P.B", true),
            ("A<> x >= 2", true),
            ("A<> x > 2", false),
            ("E[] x <= 2", true),
            ("E[] x < 2", false),
            ("E[] not deadlock", false),
            ("A<> deadlock", true),
            ("P.A --> deadlock", true),
            ("deadlock --> P.A", false),
        ],
    );
}

/// A state where only time passes is a deadlock, whatever is ahead.
#[test]
fn deadlock_is_avoided() {
    let model = "clock x; process P() { state A, B {x <= 3}; init A;
                 trans A -> B { guard x <= 2; assign x = 0; }, B -> A { guard x <= 3; }; }
                 system P;";
    holds(model, &[("E[] not deadlock", true), ("A<> deadlock", false)]);
    let stuck =
        "clock x; process P() { state A; init A; trans A -> A { guard x <= 2; }; } system P;";
    holds(
        stuck,
        &[
            ("E[] not deadlock", true),
            ("E[] not deadlock && x > 1", false),
            ("x > 1 --> deadlock", false),
            ("x > 2 --> deadlock", true),
        ],
    );
}

#[test]
fn zeno_runs_are_infinite() {
    let model = "clock x; process P() { state A {x <= 1}, B; init A;
                 trans A -> A { }, A -> B { guard x >= 1; }; } system P;";
    holds(
        model,
        &[("E[] P.A", true), ("A<> P.B", false), ("E[] x < 1", true), ("A<> x >= 1", false)],
    );
}

#[test]
fn cycles_that_reset_clocks() {
    let model = "clock x, y; process P() { state A {x <= 3}, B {x <= 4}; init A;
                 trans A -> B { guard x >= 1; assign x = 0; }, B -> A { guard x >= 2; assign x = 0; };
                 } system P;";
    holds(
        model,
        &[
            ("E[] P.A || P.B", true),
            ("A<> P.B", true),
            ("P.A --> P.B", true),
            ("P.B --> P.A && x == 0", true),
            ("P.B --> P.A && x > 0", true),
            ("P.B --> P.A && x > 1", false),
            ("P.B --> P.A && x >= 1", true),
            ("A<> y > 9", true),
            ("E[] y < 9", false),
            ("E[] x < 2 || P.B", true),
            ("E[] x < 2", false),
            ("E[] x <= 2", true),
        ],
    );
}

/// The loop can be taken twice, not for ever, although its zones only shrink.
#[test]
fn a_loop_that_shrinks_is_no_cycle() {
    let model = "clock x, y; process P() { state A {y <= 2}, B; init A;
                 trans A -> A { guard x >= 1; assign x = 0; }, A -> B { guard y >= 2; }; } system P;";
    holds(model, &[("E[] P.A", false), ("A<> P.B", true)]);
}

#[test]
fn urgency_forces_progress() {
    let location =
        "clock x; process P() { state A, B; init A; urgent A; trans A -> B { }; } system P;";
    holds(location, &[("E[] P.A", false), ("A<> P.B", true), ("A<> P.B && x == 0", true)]);
    let channel = "clock x; urgent chan c;
                   process P() { state A, B; init A; trans A -> B { sync c!; }; }
                   process R() { state A, B; init A; trans A -> B { sync c?; }; }
                   system P, R;";
    holds(channel, &[("A<> P.B", true), ("E[] P.A", false), ("A<> P.B && x == 0", true)]);
    let alone = channel.replace("system P, R", "system P");
    holds(&alone, &[("A<> P.B", false), ("E[] P.A", true)]);
}

/// Where an urgent synchronisation has two lower bounds, waiting before it is cut into pieces. From
/// one piece, it happens in the other.
#[test]
fn pieces_of_waiting_are_no_deadlocks() {
    let model = "clock x, y; urgent chan c;
                 process P() { state S {x <= 1}, A, B; init S;
                     trans S -> A { assign y = 0; }, A -> B { guard x >= 2 && y >= 2; sync c!; },
                           B -> B { }; }
                 process R() { state A; init A; trans A -> A { sync c?; }; }
                 system P, R;";
    holds(
        model,
        &[
            ("A[] not deadlock", true),
            ("E[] not deadlock", true),
            ("A<> deadlock", false),
            ("A<> P.B", true),
            ("A<> P.B && y == 2", true),
            ("A<> P.B && x < 3", false),
            ("A<> P.A && y == 2", true),
            ("A<> P.A && y > 2", false),
        ],
    );
}

#[test]
fn variables_and_several_processes() {
    let model = "int n; clock x;
                 process P() { state A {x <= 1}; init A;
                     trans A -> A { guard x == 1 && n < 3; assign x = 0, n = n + 1; },
                           A -> A { guard x == 1 && n >= 3; assign x = 0; }; }
                 process Q() { state A, B; init A; trans A -> B { guard n == 2; }; }
                 system P, Q;";
    holds(
        model,
        &[
            ("A<> n == 3", true),
            ("A<> n == 4", false),
            ("A<> Q.B", false),
            ("E[] n <= 2", false),
            ("n == 1 --> n == 3", true),
            ("n == 3 --> n == 2", false),
            ("Q.A && n == 2 --> Q.B", false),
        ],
    );
}

#[test]
fn differences_of_clocks() {
    let model = "clock x, y; process P() { state A {x <= 3}, B, C; init A;
                 trans A -> B { guard x >= 1; assign y = 0; }, B -> C { guard x - y >= 2; }; }
                 system P;";
    holds(
        model,
        &[
            ("A<> P.C", false),
            ("P.B && x - y >= 2 --> P.C", false),
            ("A<> x - y >= 1", true),
            ("A<> x - y > 1", false),
            ("P.B && x - y < 2 --> deadlock", true),
        ],
    );
}

/// With stopped clocks, zones are too large, and no answer is certain.
#[test]
fn stopwatches_leave_doubt() {
    let model = "clock x; process P() { state A {x <= 5 && x' == 0}, B; init A;
                 trans A -> B { guard x >= 2; }; } system P;";
    assert_eq!(answer(model, "E[] P.A"), Answer::MaybeSatisfied);
    assert_eq!(answer(model, "A<> P.B"), Answer::MaybeNotSatisfied);
}

#[test]
fn errors_of_the_model_are_answers() {
    let model =
        "int[0,3] n; process P() { state A; init A; urgent A; trans A -> A { assign n = n + 1; }; }
                 system P;";
    for query in ["E[] P.A", "A<> n > 7", "P.A --> n > 7"] {
        let answer = answer(model, query);
        let Answer::Error(fault) = answer else { panic!("{query}: {answer:?}") };
        assert_eq!(fault.state.ints, [3], "{query}");
        assert_eq!(fault.trace.map(|trace| trace.steps.len()), Some(3), "{query}");
    }
}

/// The states at instants of a grid, and which of them have a maximal run that avoids a condition.
///
/// Constants of clock constraints are integers, so between two neighbours of the grid nothing
/// changes: it is enough to look at the neighbours and in the middle. What is found here is a run.
/// The opposite is not true: some runs need more instants between two integers than the grid has.
struct Grid<'n> {
    concrete: Concrete<'n>,
    avoided: StateExpr,
    /// Whether deadlock has to be avoided, too.
    deadlock: bool,
    cap: Rational,
    unit: Rational,
    half: Rational,
    numbers: HashMap<State, usize>,
    states: Vec<State>,
}

impl<'n> Grid<'n> {
    fn new(
        network: &'n Network,
        avoided: &StateExpr,
        other: Option<&StateExpr>,
        fine: i64,
    ) -> Self {
        let (avoided, deadlock) = without_deadlock(avoided);
        Grid {
            concrete: Concrete::new(network),
            cap: cap(network, Some(&avoided)).max(cap(network, other)),
            avoided,
            deadlock,
            unit: Rational::new(1, fine),
            half: Rational::new(1, 2 * fine),
            numbers: HashMap::new(),
            states: Vec::new(),
        }
    }

    fn number(&mut self, state: &State) -> usize {
        let state = capped(state, self.cap);
        *self.numbers.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            self.states.len() - 1
        })
    }

    fn avoids(&self, state: &State) -> bool {
        let met = self.concrete.holds(state, &self.avoided).expect("no faults in predicates");
        let dead = || self.concrete.deadlocked(state).expect("no faults in transitions");
        !met && (!self.deadlock || !dead())
    }

    /// The state a little later, if time may pass, and whether all that is between avoids.
    fn next(&self, state: &State) -> (Option<State>, bool) {
        let wait = |delay| {
            let may = self.concrete.may_wait(state, delay).expect("no faults in waiting");
            may.then(|| self.concrete.waited(state, delay))
        };
        let fine = wait(self.half).is_none_or(|state| self.avoids(&state));
        (wait(self.unit), fine)
    }

    /// Whether a run can end in a state from which nothing but time happens.
    fn can_end(&self, state: &State) -> bool {
        if !self.concrete.deadlocked(state).expect("no faults in transitions") {
            return false;
        }
        let mut state = state.clone();
        loop {
            let (next, fine) = self.next(&state);
            if !(fine && self.avoids(&state)) {
                return false;
            }
            match next.map(|next| capped(&next, self.cap)) {
                Some(next) if next != state => state = next,
                _ => return true,
            }
        }
    }

    /// The initial states, and for each state whether there is a run; none beyond a limit.
    fn runs(&mut self, limit: usize) -> Option<(usize, Vec<bool>)> {
        let initial = self.concrete.initial().expect("no faults in invariants");
        for state in &initial {
            self.number(state);
        }
        let n_initial = self.states.len();
        let mut successors: Vec<Vec<usize>> = Vec::new();
        let mut lasting = Vec::new();
        while successors.len() < self.states.len() {
            if self.states.len() > limit {
                return None;
            }
            let state = self.states[successors.len()].clone();
            let avoids = self.avoids(&state);
            let mut after = Vec::new();
            for (_, next) in self.concrete.transitions(&state).expect("no faults in transitions") {
                after.push(self.number(&next));
            }
            let (next, fine) = self.next(&state);
            if let Some(next) = next {
                let next = self.number(&next);
                after.extend(fine.then_some(next));
            }
            lasting.push(avoids && self.can_end(&state));
            successors.push(if avoids { after } else { Vec::new() });
        }
        // Drops what leads nowhere until nothing changes: the rest leads on for ever.
        let mut predecessors = vec![Vec::new(); self.states.len()];
        for (state, after) in successors.iter().enumerate() {
            after.iter().for_each(|&next| predecessors[next].push(state));
        }
        let mut ways: Vec<usize> = successors.iter().map(Vec::len).collect();
        let mut runs = vec![true; self.states.len()];
        let mut lost: Vec<usize> =
            (0..runs.len()).filter(|&state| ways[state] == 0 && !lasting[state]).collect();
        while let Some(state) = lost.pop() {
            runs[state] = false;
            for &before in &predecessors[state] {
                ways[before] -= 1;
                if ways[before] == 0 && !lasting[before] {
                    lost.push(before);
                }
            }
        }
        Some((n_initial, runs))
    }
}

/// Whether brute force finds that a query is about a run that exists.
fn brute_force(network: &Network, property: &Property, fine: i64, limit: usize) -> Option<bool> {
    match property {
        Property::AlwaysFinally(met) => {
            let (n_initial, runs) = Grid::new(network, met, None, fine).runs(limit)?;
            Some(runs[..n_initial].contains(&true))
        }
        Property::ExistsGlobally(kept) => {
            let avoided = not(kept);
            let (n_initial, runs) = Grid::new(network, &avoided, None, fine).runs(limit)?;
            Some(runs[..n_initial].contains(&true))
        }
        Property::LeadsTo(first, then) => {
            let mut grid = Grid::new(network, then, Some(first), fine);
            let (_, runs) = grid.runs(limit)?;
            let mut states = grid.states.iter().zip(runs);
            Some(states.any(|(state, run)| {
                run && grid.concrete.holds(state, first).expect("no faults in predicates")
            }))
        }
        _ => unreachable!("only queries of liveness are asked"),
    }
}

fn not(predicate: &StateExpr) -> StateExpr {
    let expr = Expr::Unary(UnaryOp::Not, Number::Int, Box::new(predicate.expr.clone()));
    StateExpr { expr, number: Number::Int, frame: Frame::default() }
}

/// `p or deadlock`.
fn or_deadlock(p: StateExpr) -> StateExpr {
    let (op, number, left, right) = (BinaryOp::Or, Number::Int, p.expr, Expr::Deadlock);
    let expr = Expr::Binary(Box::new(Binary { op, number, size: 1, left, right }));
    StateExpr { expr, ..p }
}

/// What `or_deadlock` was made of, and whether this was.
fn without_deadlock(p: &StateExpr) -> (StateExpr, bool) {
    match &p.expr {
        Expr::Binary(or) if or.right == Expr::Deadlock => {
            (StateExpr { expr: or.left.clone(), ..p.clone() }, true)
        }
        _ => (p.clone(), false),
    }
}

/// A limit that few random networks reach.
const N_STATES_MAX: usize = 1500;

/// Compares with brute force. What that finds on a coarse grid must be found by zones; what zones
/// find and the coarse grid does not must be found on a finer one.
fn compare(name: &str, features: Features, seeds: std::ops::Range<u64>) -> [usize; 4] {
    let (mut with, mut without, mut finer, mut open) = (0, 0, 0, 0);
    for seed in seeds {
        let features = Features { diagonals: false, ..features.some(seed) };
        let network = random::network(seed, &features);
        let (p, q) = (random::property(seed, &network), random::property(seed + 7919, &network));
        let property = match seed % 7 {
            0 => Property::AlwaysFinally(p),
            1 => Property::AlwaysFinally(not(&p)),
            2 => Property::ExistsGlobally(p),
            3 => Property::LeadsTo(p, q),
            4 => Property::LeadsTo(p, not(&q)),
            5 => Property::AlwaysFinally(or_deadlock(p)),
            _ => Property::LeadsTo(p, or_deadlock(q)),
        };
        let answer = check(&network, &property, &Options::default(), &mut ()).expect("no refusal");
        let found = match (&property, answer.answer) {
            (Property::ExistsGlobally(_), Answer::Satisfied) => true,
            (Property::ExistsGlobally(_), Answer::NotSatisfied) => false,
            (_, Answer::NotSatisfied) => true,
            (_, Answer::Satisfied) => false,
            (_, answer) => panic!("{name} {seed}: {answer:?}"),
        };
        let Some(expected) = brute_force(&network, &property, 1, N_STATES_MAX) else { continue };
        if found && !expected {
            let fine = |fine| brute_force(&network, &property, fine, 10 * N_STATES_MAX);
            let mut grids = [2, 3, 4, 6].into_iter().map(fine);
            match grids.find(|found| *found != Some(false)) {
                Some(Some(_)) => finer += 1,
                Some(None) => open += 1,
                None => panic!("{name} {seed}: no run for {property:?}"),
            }
            continue;
        }
        assert_eq!(found, expected, "{name} {seed}: {property:?}");
        *if found { &mut with } else { &mut without } += 1;
    }
    [with, without, finer, open]
}

fn agree(name: &str, features: Features) {
    // 4000 of each family were tried.
    let seeds = seeds(100);
    let enough = (seeds.end - seeds.start) as usize / 5;
    let [with, without, finer, open] = compare(name, features, seeds);
    assert!(with > enough && without > enough, "{name}: {with} with a run, {without} without");
    assert!(finer <= enough / 10 && open == 0, "{name}: {finer} on finer grids, {open} not at all");
}

#[test]
fn brute_force_agrees_on_plain_networks() {
    agree("plain", Features::default());
}

#[test]
fn brute_force_agrees_on_closed_networks() {
    agree("digital", Features::UPPAAL.digital());
}

#[test]
fn brute_force_agrees_on_networks_of_uppaal() {
    agree("uppaal", Features::UPPAAL);
}

#[test]
fn brute_force_agrees_on_networks_of_tchecker() {
    agree("tchecker", Features::TCHECKER);
}
