//! Cases as processes beside the system: a checker of models says of them what following the states of a mutant says.

use punctual_lang::{Input, convert, testing};
use punctual_mc::{Answer, check};
use punctual_model::testing::suite::Case;
use punctual_model::{Network, Property};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Named;
use punctual_testgen::mutation::automata::{self, Operator};
use punctual_testgen::mutation::decide::{Bench, Outcome};
use punctual_testgen::timed::{
    Beside, Criterion, Limits, Made, Options, Wait, World, beside, make,
};

/// A fault that is qualified when a signal stays, and healed when it stays away.
const FAULT: &str = "chan on, off; int[0,2] dtc = 0;
    process Fault() { clock x;
        state Idle, Pending { x <= 5 }, Qualified, Healing { x <= 3 };
        init Idle;
        trans Idle -> Pending { sync on?; assign x = 0; }, Pending -> Idle { sync off?; },
            Pending -> Qualified { guard x >= 4; assign dtc = 1; },
            Qualified -> Healing { sync off?; assign x = 0; }, Healing -> Qualified { sync on?; },
            Healing -> Idle { guard x == 3; assign dtc = 2; },
            Idle -> Idle { sync off?; }, Pending -> Pending { sync on?; }, Qualified -> Qualified { sync on?; },
            Healing -> Healing { sync off?; };
    }
    process Line() { clock g; state Low, High; init Low;
        trans Low -> High { guard g >= 1; sync on!; assign g = 0; },
            High -> Low { guard g >= 1; sync off!; assign g = 0; }; }
    system Fault, Line;";

const FAULT_SEEN: &str = "[interface]\noutputs = []\ninputs = [\"on\", \"off\"]\nobserve = [\"dtc\", \"Fault.location\"]\n\
    time-unit = \"1ms\"\nresolution = 2\n";

/// A counter whose input carries a value, and that forgets after a while.
const LEVEL: &str = "chan put; int[0,3] amount = 0; int[0,6] level = 0;
    process Tank() { clock x;
        state Still, Draining { x <= 4 };
        init Still;
        trans Still -> Draining { sync put?; assign level = amount, x = 0; },
            Draining -> Draining { sync put?; assign level = level + amount > 6 ? 6 : level + amount; },
            Draining -> Draining { guard x >= 2 && level > 0; assign level = level - 1, x = 0; },
            Draining -> Still { guard x >= 2 && level == 0; };
    }
    process User() { clock g; state Any; init Any;
        trans Any -> Any { select a : int[1,3]; guard g >= 3; sync put!; assign amount = a, g = 0; }; }
    system Tank, User;";

const LEVEL_SEEN: &str = "[interface]\noutputs = []\ninputs = [\"put(amount)\"]\nobserve = [\"level\"]\ntime-unit = \"1ms\"\n";

fn specification(model: &str, interface: &str) -> Specification {
    let network = crate::network("model.xta", model.as_bytes());
    let input = Input { name: "punctual.toml", bytes: interface.as_bytes() };
    let reading = testing::read(&network, input);
    let config = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    Specification::new(network, config.wired, &Named::default()).expect("it can be tested against")
}

fn suite(specification: &Specification, wait: Wait) -> Made {
    let world = World::new(specification).expect("a model of clocks and integers");
    let options = Options {
        criteria: vec![Criterion::Edges],
        purposes: Vec::new(),
        n_random: 3,
        limits: Limits { states: 10_000, length: 12 },
        wait,
        budget: None,
        iterations: 0,
        seed: 1,
    };
    make(&world, &options, &|_, _| None, &mut |_| true).expect("a suite")
}

fn is_true(network: &Network, property: &Property) -> bool {
    let outcome = check(network, property, &Default::default(), &mut ()).expect("it is supported");
    match outcome.answer {
        Answer::Satisfied => true,
        Answer::NotSatisfied => false,
        answer => panic!("{answer:?}"),
    }
}

fn test_of(specification: &Specification, network: &Network, case: &Case) -> Beside {
    beside(network, &specification.wired, &specification.split, case).expect("a timed case")
}

/// How many pairs of mutants and cases can not, may and must fail.
fn agrees(model: &str, interface: &str, wait: Wait) -> [usize; 3] {
    let specification = specification(model, interface);
    let made = suite(&specification, wait);
    assert!(made.suite.cases.len() > 1);
    let options =
        automata::Options { operators: Operator::ALL.to_vec(), offset: 1, environment: false };
    let mut counts = [0; 3];
    for mutant in automata::mutants(&specification.network, &specification.split.sides, &options) {
        let bench = Bench::new(&specification, mutant.process).expect("it can be seen");
        let Ok(mutated) = bench.mutated(&mutant.network) else { continue };
        for case in &made.suite.cases {
            let outcome = bench.outcome(&mutated, case);
            let (may_fail, may_pass) = match outcome {
                Outcome::Unknown => continue,
                Outcome::Cannot => (false, true),
                Outcome::May => (true, true),
                Outcome::Must => (true, false),
            };
            let place = format!("{} {}: {}", mutant.name, mutant.change, case.name);
            let beside = test_of(&specification, &mutant.network, case);
            assert_eq!(is_true(&beside.network, &beside.may_fail()), may_fail, "{place}");
            // Runs of a mutant that may fail, and refuses an input where it does not, may not end at all.
            if outcome != Outcome::May || is_true(&beside.network, &beside.must_end()) {
                assert_eq!(is_true(&beside.network, &beside.may_pass()), may_pass, "{place}");
            }
            counts[outcome as usize - usize::from(outcome > Outcome::Unknown)] += 1;
        }
    }
    counts
}

#[test]
fn failed_is_reached_where_a_mutant_may_fail() {
    let behind = agrees(FAULT, FAULT_SEEN, Wait::Behind);
    let end = agrees(FAULT, FAULT_SEEN, Wait::End);
    let values = agrees(LEVEL, LEVEL_SEEN, Wait::Behind);
    for counts in [behind, end, values] {
        assert!(counts.iter().all(|n| *n > 0), "{counts:?}: all outcomes are seen");
    }
}

#[test]
fn a_model_never_fails_its_own_cases_and_ends_them() {
    for (model, interface) in [(FAULT, FAULT_SEEN), (LEVEL, LEVEL_SEEN)] {
        let specification = specification(model, interface);
        for case in &suite(&specification, Wait::Behind).suite.cases {
            let beside = test_of(&specification, &specification.network, case);
            assert!(!is_true(&beside.network, &beside.may_fail()), "{}", case.name);
            assert!(is_true(&beside.network, &beside.must_end()), "{}", case.name);
        }
    }
}

/// The automaton of a case is a model of UPPAAL: it is written and read again, and says the same.
#[test]
fn a_case_is_a_model_that_can_be_written() {
    let specification = specification(FAULT, FAULT_SEEN);
    let made = suite(&specification, Wait::Behind);
    let beside = test_of(&specification, &specification.network, &made.suite.cases[0]);
    let model = punctual_lang::Model {
        format: punctual_lang::format::Format::UppaalXml,
        document: None,
        network: beside.network.clone(),
        source_map: Default::default(),
        queries: Vec::new(),
    };
    let (text, _) = convert::write(&model, model.format).expect("UPPAAL's format can say it");
    let queries = "E<> Test.Failed\nE<> Test.Passed\n";
    let input = |name, bytes| Input { name, bytes };
    let again = punctual_lang::read_with_queries(
        input("case.xml", text.as_bytes()),
        Some(input("case.q", queries.as_bytes())),
    );
    let again = again.model.unwrap_or_else(|| panic!("{:?}", again.diagnostics));
    let answers: Vec<bool> = (again.queries.iter())
        .map(|query| is_true(&again.network, query.property.as_ref().expect("a query")))
        .collect();
    assert_eq!(answers, [false, true]);
}
