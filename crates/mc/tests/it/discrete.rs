//! Networks explored by brute force: all states at whole instants, and random runs.
//!
//! [`explore`] moves in steps of one time unit and lets clocks grow to one above the largest
//! constant. Where no constraint is strict and nothing depends on a constraint being false, that
//! finds all reachable discrete states (Henzinger, Manna & Pnueli 1992); see
//! [`Features::digital`]. Otherwise it finds some.
//!
//! [`runs`] takes random delays and transitions, without limits to clocks. Every state it visits
//! is reachable.

use std::collections::{BTreeSet, HashSet, VecDeque};

use punctual_lang::{SourceFile, diagnostic::Diagnostics, json, tchecker};
use punctual_model::{BinaryOp, Expr, LocationId, Network, Number, StateExpr};
use punctual_semantics::{
    Move, Rational,
    concrete::{Concrete, Failure, State},
};

use crate::random::{self, Features, Rng};

/// Locations and integers.
pub(crate) type Discrete = (Vec<LocationId>, Vec<i32>);

/// What brute force found.
pub(crate) struct Explored {
    /// The states, with clocks up to [`cap`].
    pub(crate) states: HashSet<State>,
    /// Their locations and integers.
    pub(crate) discrete: BTreeSet<Discrete>,
    /// Whether the predicate holds in one of them.
    pub(crate) found: bool,
    /// The first error of the model. Transitions of a state where there is one are not followed.
    pub(crate) failure: Option<Failure>,
    /// Whether the limit did not end the search.
    pub(crate) complete: bool,
}

/// Explores all states at whole instants, at most so many.
pub(crate) fn explore(network: &Network, predicate: Option<&StateExpr>, limit: usize) -> Explored {
    assert!(!random::has_diagonals(network), "clocks with a cap have no differences");
    assert!(!subtracts(network), "a clock with a cap is not set back");
    let concrete = Concrete::new(network);
    let cap = cap(network, predicate);
    let mut explored = Explored {
        states: HashSet::new(),
        discrete: BTreeSet::new(),
        found: false,
        failure: None,
        complete: true,
    };
    let initial = concrete.initial().expect("random invariants are without faults");
    let mut waiting: VecDeque<State> = initial.into();
    while let Some(state) = waiting.pop_front() {
        let state = capped(&state, cap);
        if explored.states.contains(&state) {
            continue;
        }
        if explored.states.len() == limit {
            explored.complete = false;
            break;
        }
        if let Some(predicate) = predicate {
            explored.found |= concrete.holds(&state, predicate).expect("no faults in predicates");
        }
        explored.discrete.insert((state.locations.clone(), state.ints.clone()));
        match concrete.transitions(&state) {
            Ok(transitions) => waiting.extend(transitions.into_iter().map(|(_, after)| after)),
            Err(failure) => drop(explored.failure.get_or_insert(failure)),
        }
        let unit = Rational::from(1);
        if concrete.may_wait(&state, unit).unwrap_or(false) {
            waiting.push_back(concrete.waited(&state, unit));
        }
        explored.states.insert(state);
    }
    explored
}

/// Whether a state that satisfies the predicate is found; none if that is not known within the
/// limit of states.
#[expect(dead_code, reason = "for tests of the model checker")]
pub(crate) fn reachable(network: &Network, predicate: &StateExpr, limit: usize) -> Option<bool> {
    let explored = explore(network, Some(predicate), limit);
    (explored.found || explored.complete).then_some(explored.found)
}

/// Beyond this, the value of a clock makes no difference.
pub(crate) fn cap(network: &Network, predicate: Option<&StateExpr>) -> Rational {
    let mut largest = 0;
    for constraint in random::constraints(network) {
        largest = largest.max(random::magnitude(&constraint.bound));
    }
    if let Some(predicate) = predicate {
        predicate.expr.walk(&mut |expr| {
            if let Expr::ClockConstraint(constraint) = expr {
                largest = largest.max(random::magnitude(&constraint.bound));
            }
        });
    }
    Rational::from(largest + 1)
}

/// The state with no clock beyond the cap.
pub(crate) fn capped(state: &State, cap: Rational) -> State {
    let clocks = state.clocks.iter().map(|&value| value.min(cap)).collect();
    State { clocks, ..state.clone() }
}

fn subtracts(network: &Network) -> bool {
    let mut subtracts = false;
    for edge in network.processes.iter().flat_map(|process| &process.edges) {
        let branches = edge.branches.iter().flat_map(|branch| &branch.update);
        for expr in edge.update.iter().chain(branches) {
            expr.walk(&mut |expr| {
                subtracts |= matches!(expr, Expr::Binary(binary)
                    if binary.number == Number::Double && binary.op == BinaryOp::Subtract);
            });
        }
    }
    subtracts
}

/// A step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Time passes.
    Delay(Rational),
    /// Processes move.
    Moves(Vec<Move>),
}

/// A concrete run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Where it starts.
    pub(crate) start: State,
    /// Its steps, each with the state after it.
    pub(crate) steps: Vec<(Step, State)>,
    /// The error of the model that ended it.
    pub(crate) failure: Option<Failure>,
}

impl Run {
    /// The states that it visits, in order.
    pub(crate) fn states(&self) -> impl Iterator<Item = &State> {
        std::iter::once(&self.start).chain(self.steps.iter().map(|(_, state)| state))
    }
}

/// How many runs a call gives, for a network that can start.
const N_RUNS: u64 = 4;

/// Denominators beyond this are not made finer.
const DENOMINATOR_MAX: i64 = 1 << 12;

/// Random runs. Delays are none, the longest, those at which something changes and between them,
/// and multiples of an eighth.
pub(crate) fn runs(network: &Network, seed: u64, n_steps: usize) -> Vec<Run> {
    sample(network, seed, n_steps, false)
}

/// Random runs with whole delays.
pub(crate) fn whole_runs(network: &Network, seed: u64, n_steps: usize) -> Vec<Run> {
    sample(network, seed, n_steps, true)
}

fn sample(network: &Network, seed: u64, n_steps: usize, whole: bool) -> Vec<Run> {
    let rng = Rng::new(seed ^ 0x0a17);
    let mut sampler = Sampler { concrete: Concrete::new(network), rng, whole };
    let initial = sampler.concrete.initial().expect("random invariants are without faults");
    if initial.is_empty() {
        return Vec::new();
    }
    (0..N_RUNS)
        .map(|_| {
            let start = initial[sampler.rng.below(initial.len())].clone();
            sampler.run(start, n_steps)
        })
        .collect()
}

struct Sampler<'n> {
    concrete: Concrete<'n>,
    rng: Rng,
    /// Only whole delays.
    whole: bool,
}

impl Sampler<'_> {
    fn run(&mut self, start: State, n_steps: usize) -> Run {
        let mut run = Run { start: start.clone(), steps: Vec::new(), failure: None };
        let mut state = start;
        // A few vain attempts are made, too: time may have to pass more than once.
        for _ in 0..2 * n_steps {
            if run.steps.len() >= n_steps {
                break;
            }
            if self.rng.percent(60) {
                let delays = match self.whole {
                    true => self.allowed(&state, (1..=5).map(Rational::from).collect()),
                    false => self.delays(&state),
                };
                if !delays.is_empty() {
                    let delay = delays[self.rng.below(delays.len())];
                    state = self.concrete.waited(&state, delay);
                    run.steps.push((Step::Delay(delay), state.clone()));
                }
            }
            match self.concrete.transitions(&state) {
                Ok(mut transitions) if !transitions.is_empty() => {
                    let (moves, after) = transitions.swap_remove(self.rng.below(transitions.len()));
                    state = after;
                    run.steps.push((Step::Moves(moves), state.clone()));
                }
                Ok(_) => {}
                Err(failure) => {
                    run.failure = Some(failure);
                    break;
                }
            }
        }
        run
    }

    /// Allowed delays above zero.
    fn delays(&mut self, state: &State) -> Vec<Rational> {
        // Where some later instant is a fault, the others are still worth a visit.
        let critical = self.concrete.critical_delays(state).unwrap_or_default();
        let mut delays = critical.clone();
        let mut last = Rational::ZERO;
        for delay in critical {
            delays.push(half(last + delay));
            last = delay;
        }
        delays.push(last + Rational::from(1));
        delays.push(Rational::new(self.rng.within(1, 48).into(), 8));
        if let Ok((Some(limit), _)) = self.concrete.wait_limit(state) {
            delays.push(limit);
            delays.push(half(limit));
        }
        let coarse = |delay: &Rational| {
            delay.denominator() <= DENOMINATOR_MAX
                && state.clocks.iter().all(|clock| clock.denominator() <= DENOMINATOR_MAX)
        };
        delays.retain(|delay| coarse(delay) || delay.denominator() == 1);
        self.allowed(state, delays)
    }

    fn allowed(&self, state: &State, mut delays: Vec<Rational>) -> Vec<Rational> {
        let allowed = |delay: Rational| self.concrete.may_wait(state, delay).unwrap_or(false);
        delays.retain(|&delay| delay > Rational::ZERO && allowed(delay));
        delays
    }
}

fn half(value: Rational) -> Rational {
    Rational::new(value.numerator(), value.denominator() * 2)
}

/// A limit that few random networks reach.
const N_STATES_MAX: usize = 3000;

/// What the networks of the tests here are made of.
fn families() -> Vec<(&'static str, Features)> {
    vec![
        ("plain", Features::default()),
        ("digital", Features::UPPAAL.digital()),
        ("uppaal", Features::UPPAAL),
        ("stopwatches", Features { stopwatches: true, ..Features::UPPAAL }),
        ("faults", Features { faults: true, ..Features::UPPAAL }),
        ("tchecker", Features::TCHECKER),
        ("tchecker faults", Features { faults: true, ..Features::TCHECKER }),
    ]
}

/// A network keeps what its types promise: what is written as JSON is validated when read.
#[test]
fn random_networks_are_valid() {
    for (name, features) in families() {
        for seed in 0..60 {
            let network = random::network(seed, &features.some(seed));
            assert_eq!(network, random::network(seed, &features.some(seed)));
            let text = json::write(&network);
            let file = SourceFile { name: "random.json".to_owned(), text };
            let mut diagnostics = Diagnostics::new();
            let read = json::read(&file, &mut diagnostics);
            assert!(read.is_some(), "{name} {seed}: {:?}", diagnostics.into_sorted());
        }
    }
}

/// Networks in the style of TChecker can be written in its format, and read again.
#[test]
fn tchecker_can_say_what_it_should() {
    for seed in 0..300 {
        let network = random::network(seed, &Features::TCHECKER.some(seed));
        let text = tchecker::write(&network).unwrap_or_else(|e| panic!("{seed}: {e:?}"));
        let file = SourceFile { name: "random.tck".to_owned(), text };
        let mut diagnostics = Diagnostics::new();
        let read = tchecker::read(&file, &mut diagnostics);
        assert!(read.is_some(), "{seed}: {}\n{:?}", file.text, diagnostics.into_sorted());
    }
}

/// Without faults asked for, there are none; and nothing panics.
#[test]
fn random_networks_run() {
    for (name, features) in families() {
        let (mut n_moves, mut n_delays, mut n_failures) = (0, 0, 0);
        for seed in 0..80 {
            let network = random::network(seed, &features.some(seed));
            let predicate = random::property(seed, &network);
            let concrete = Concrete::new(&network);
            for run in runs(&network, seed, 20) {
                for state in run.states() {
                    concrete.holds(state, &predicate).unwrap();
                }
                let is_delay = |step: &&(Step, State)| matches!(step.0, Step::Delay(_));
                n_delays += run.steps.iter().filter(is_delay).count();
                n_moves += run.steps.iter().filter(|step| !is_delay(step)).count();
                n_failures += usize::from(run.failure.is_some());
            }
        }
        assert!(n_moves > 800 && n_delays > 800, "{name}: {n_moves} moves, {n_delays} delays");
        assert_eq!(n_failures > 0, features.faults, "{name}: {n_failures} failures");
    }
}

/// Runs with whole delays stay inside of what brute force finds, whatever the features are.
#[test]
fn whole_runs_are_found_by_brute_force() {
    let mut n_complete = 0;
    for (name, features) in families() {
        for seed in 0..70 {
            let features = Features { diagonals: false, ..features.some(seed) };
            let network = random::network(seed, &features);
            if subtracts(&network) {
                continue;
            }
            let explored = explore(&network, None, N_STATES_MAX);
            if !explored.complete || explored.failure.is_some() {
                continue;
            }
            n_complete += 1;
            let cap = cap(&network, None);
            for run in whole_runs(&network, seed, 15) {
                for state in run.states() {
                    assert!(explored.states.contains(&capped(state, cap)), "{name} {seed}");
                }
                assert_eq!(run.failure, None);
            }
        }
    }
    assert!(n_complete > 300, "{n_complete} networks were explored");
}

/// Where discrete time is enough, runs with any delays stay inside of what brute force finds, as
/// far as locations, integers and a predicate are concerned.
#[test]
fn discrete_time_is_enough_for_closed_networks() {
    let mut n_complete = 0;
    for seed in 0..200 {
        let base = if seed % 3 == 0 { Features::TCHECKER } else { Features::UPPAAL };
        let network = random::network(seed, &base.some(seed).digital());
        let predicate = random::property(seed, &network);
        let explored = explore(&network, Some(&predicate), N_STATES_MAX);
        if !explored.complete {
            continue;
        }
        n_complete += 1;
        let concrete = Concrete::new(&network);
        for run in runs(&network, seed, 15) {
            for state in run.states() {
                let discrete = (state.locations.clone(), state.ints.clone());
                assert!(explored.discrete.contains(&discrete), "seed {seed}: {run:?}");
                let holds = concrete.holds(state, &predicate).unwrap();
                assert!(explored.found || !holds, "seed {seed}: {run:?}");
            }
        }
    }
    assert!(n_complete > 100, "{n_complete} networks were explored");
}

/// A state is deadlocked exactly if brute force finds no transition after any whole delay, where
/// discrete time is enough.
#[test]
fn deadlocks_of_closed_networks() {
    let (mut n_deadlocks, mut n_others) = (0, 0);
    for seed in 0..60 {
        let network = random::network(seed, &Features::UPPAAL.some(seed).digital());
        let concrete = Concrete::new(&network);
        let cap = cap(&network, None);
        for state in explore(&network, None, 200).states {
            let mut later = state.clone();
            let mut deadlocked = true;
            loop {
                deadlocked &= concrete.transitions(&later).unwrap().is_empty();
                let before = later.clone();
                if !concrete.may_wait(&later, Rational::from(1)).unwrap() {
                    break;
                }
                later = capped(&concrete.waited(&later, Rational::from(1)), cap);
                if later == before {
                    break;
                }
            }
            assert_eq!(concrete.deadlocked(&state), Ok(deadlocked), "seed {seed}: {state:?}");
            *if deadlocked { &mut n_deadlocks } else { &mut n_others } += 1;
        }
    }
    assert!(n_deadlocks > 100 && n_others > 100, "{n_deadlocks} and {n_others}");
}
