//! Outcomes that are confirmed by playing.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_campaign::load::{self, Environment};
use punctual_campaign::play::{self, Cell, Claims, Options, Policy};
use punctual_campaign::{score, suites};
use punctual_model::testing::suite::{Body, Case, Do, Suite};
use punctual_model::testing::{Place, Slot, Wire};
use punctual_model::{
    Action, Direction, Id, IdVec, Interface, Port, PortRole, Range, Signal, SignalId, TimeScale,
    Uncertainty, ValueType, Wired,
};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Named;
use punctual_testgen::mutation::automata::{self, Mutant, Operator, mutants};
use punctual_testgen::mutation::decide::Outcome;

const OPTIONS: Options = Options { n_random: 2, seed: 1 };

fn tauc(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/tauc").join(file)
}

/// Two errors of a seat sensor, and a suite of them.
fn seat() -> (Specification, Suite) {
    let interface = tauc("small.toml");
    let loaded = load::load(&tauc("small.xml"), Some(&interface), Environment::Model);
    let specification = loaded.unwrap().judges.specification.unwrap();
    let (_, suite) = suites::suite_alone(&tauc("suite.toml"), None).unwrap();
    (specification, suite)
}

fn mutated(specification: &Specification, operators: &[Operator], offset: i32) -> Vec<Mutant> {
    let options = automata::Options { operators: operators.to_vec(), offset, environment: false };
    mutants(&specification.network, &specification.split.sides, &options)
}

/// Plays all mutants by all cases; `lie` changes what is said of them before.
fn played(
    specification: &Specification,
    suite: &Suite,
    mutants: &[Mutant],
    threads: usize,
    lie: fn(Outcome) -> Outcome,
) -> (Vec<Vec<Outcome>>, Vec<Vec<Cell>>) {
    let benches = score::benches(specification, mutants);
    let mut outcomes = score::score(&benches, mutants, suite, threads, &mut |_| true);
    outcomes.iter_mut().flatten().for_each(|it| *it = lie(*it));
    let claims = Claims { specification, benches: &benches, mutants, suite, outcomes: &outcomes };
    let cells = play::play(claims, OPTIONS, threads, &AtomicBool::new(false), &mut |_, _| {});
    let cells = cells.unwrap();
    (outcomes, cells)
}

/// What must fail, may fail and can not fail is seen to, whoever plays it.
#[test]
fn outcomes_are_confirmed_on_any_number_of_threads() {
    let (specification, suite) = seat();
    let mutants = mutated(&specification, &[Operator::Widen, Operator::SelfLoop], 100);
    let (outcomes, cells) = played(&specification, &suite, &mutants, 1, |it| it);
    assert_eq!(play::contradictions(&cells), []);
    let (mut runs, mut unreached) = ([(0, 0); 3], 0);
    for (outcome, cell) in outcomes.iter().flatten().zip(cells.iter().flatten()) {
        let at = match outcome {
            Outcome::Must => 0,
            Outcome::May => 1,
            Outcome::Cannot => 2,
            Outcome::Unknown => panic!("all of them are known"),
        };
        match cell {
            Cell::Played(plays) => {
                assert_eq!(plays.failed + plays.passed + plays.stuck, 4);
                runs[at].0 += plays.failed;
                runs[at].1 += plays.passed;
            }
            Cell::Unreached => {
                assert_eq!(*outcome, Outcome::Cannot);
                unreached += 1;
            }
            Cell::Open => panic!("nobody stopped it"),
        }
    }
    let [must, may, cannot] = runs;
    assert!(must.0 > 0 && must.1 == 0, "{must:?}");
    assert!(may.0 > 0 && may.1 > 0, "{may:?}");
    assert!(cannot.0 == 0 && cannot.1 > 0, "{cannot:?}");
    assert!(unreached > 0);
    for threads in [2, 3] {
        assert_eq!(played(&specification, &suite, &mutants, threads, |it| it).1, cells);
    }
}

/// What is said wrongly is contradicted, by each run that shows it.
#[test]
fn lies_are_contradicted() {
    let (specification, suite) = seat();
    let mutants = mutated(&specification, &[Operator::Widen], 100);
    let (_, cells) = played(&specification, &suite, &mutants, 2, |it| it);
    // Said to be impossible: each run that fails contradicts. Said to be sure: each run that does not.
    for (lie, fails) in [
        ((|_| Outcome::Cannot) as fn(Outcome) -> Outcome, true),
        ((|_| Outcome::Must) as fn(Outcome) -> Outcome, false),
    ] {
        let (_, lied) = played(&specification, &suite, &mutants, 2, lie);
        let found = play::contradictions(&lied);
        let mut n = 0;
        for (row, lied) in cells.iter().zip(&lied) {
            for (cell, lied) in row.iter().zip(lied) {
                let (Cell::Played(plays), Cell::Played(lied)) = (cell, lied) else { continue };
                assert_eq!((plays.failed, plays.passed), (lied.failed, lied.passed));
                let contrary = if fails { plays.failed } else { plays.passed };
                assert_eq!(lied.contradictions.len() as u64, contrary);
                n += contrary;
            }
        }
        assert!(n > 0 && found.len() as u64 >= n, "{found:?}");
        // A window that ends later is left by whoever acts as late as possible, one that begins earlier by whoever
        // acts as early as possible.
        for it in &found {
            let right = match mutants[it.mutant].name.ends_with("upper") {
                true => Policy::Earliest,
                false => Policy::Latest,
            };
            assert!(!fails || it.policy != right, "{}: {it:?}", mutants[it.mutant].name);
        }
        let has = |policy: Policy| found.iter().any(|it| it.policy == policy);
        assert!(has(Policy::Earliest) && has(Policy::Latest), "{found:?}");
    }
}

/// What was played before the user stopped it is kept.
#[test]
fn what_is_stopped_is_open() {
    let (specification, suite) = seat();
    let mutants = mutated(&specification, &[Operator::Widen], 100);
    let (outcomes, all) = played(&specification, &suite, &mutants, 1, |it| it);
    let benches = score::benches(&specification, &mutants);
    let claims = Claims {
        specification: &specification,
        benches: &benches,
        mutants: &mutants,
        suite: &suite,
        outcomes: &outcomes,
    };
    let stops = AtomicBool::new(false);
    let mut told = Vec::new();
    let cells = play::play(claims, OPTIONS, 1, &stops, &mut |done, of| {
        told.push((done, of));
        stops.store(done == 5, Ordering::Relaxed);
    });
    let cells: Vec<Cell> = cells.unwrap().into_iter().flatten().collect();
    let all: Vec<Cell> = all.into_iter().flatten().collect();
    assert_eq!(told, (1..=5).map(|done| (done, all.len())).collect::<Vec<_>>());
    assert_eq!(cells.len(), all.len());
    assert_eq!(cells[..5], all[..5]);
    assert!(cells[5..].iter().all(|it| *it == Cell::Open));
}

/// An answer 3 to 5 units after a question, and a value to read.
const ANSWER: &str = "broadcast chan ask, answer; int[0,1] v = 0;
    process S() { clock x; state idle, wait { x <= 5 }; init idle;
        trans idle -> wait { sync ask?; assign x = 0; },
            wait -> idle { guard x >= 3; sync answer!; assign v = 1; }; }
    process E() { state e; init e; trans e -> e { sync ask!; }, e -> e { sync answer?; }; }
    S1 = S(); E1 = E(); system S1, E1;";

fn answer(uncertainty: Uncertainty) -> Specification {
    let reading = punctual_lang::read("answer.xta", ANSWER.as_bytes());
    let network = reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)).network;
    let mut interface = Interface::new(TimeScale { unit_ns: 1000, resolution: 1 });
    interface.uncertainty = uncertainty;
    let (mut wires, mut places) = (IdVec::new(), IdVec::new());
    for (channel, declared) in network.channels.enumerate() {
        let direction = match declared.name.as_str() {
            "ask" => Direction::Input,
            _ => Direction::Output,
        };
        interface.signals.push(Signal {
            name: declared.name.clone(),
            direction,
            values: Vec::new(),
        });
        wires.push(Wire { channel, values: Vec::new() });
    }
    let slot = network.variables.iter().find(|it| it.name == "v").unwrap().ints;
    let ty = ValueType::Int { least: 0, greatest: 1 };
    interface.ports.push(Port { name: "v".to_owned(), ty, role: PortRole::Observed });
    places.push(Some(Place::Variable(Slot { slot, range: Range { lo: 0, hi: 1 } })));
    let [system, environment] = [0, 1].map(|at| vec![Id::from_index(at)]);
    let wired = Wired { interface, wires, places };
    Specification::new(network, wired, &Named { system, environment }).unwrap()
}

/// Outcomes speak of signals that take no time, whatever the interface says, and so do plays.
#[test]
fn outputs_are_judged_as_outcomes_are_meant() {
    let question = Do::Send(Action { signal: SignalId::from_index(0), values: Vec::new() });
    let body = Body::Timed(vec![question, Do::Wait(20_000)]);
    let case =
        Case { name: "a question".to_owned(), body, about: Default::default(), chance: None };
    let suite = Suite { cases: vec![case], ..Suite::default() };
    let late = Uncertainty { input_ns: (0, 4000), output_ns: (0, 4000), drift_ppb: 0 };
    for uncertainty in [Uncertainty::default(), late] {
        let specification = answer(uncertainty);
        let mutants = mutated(&specification, &[Operator::Widen], 1);
        let (outcomes, cells) = played(&specification, &suite, &mutants, 1, |it| it);
        assert_eq!(play::contradictions(&cells), []);
        let told: Vec<String> = (mutants.iter().zip(&outcomes).zip(&cells))
            .map(|((mutant, outcomes), cells)| {
                let Cell::Played(plays) = &cells[0] else { panic!("it is reached") };
                let policies = [plays.failed > 0, plays.passed > 0];
                format!("{} {} {policies:?}", mutant.change, outcomes[0].name())
            })
            .collect();
        let expected =
            ["x <= 5 becomes x <= 6 may [true, true]", "x >= 3 becomes x >= 2 may [true, true]"];
        assert_eq!(told, expected);
    }
}
