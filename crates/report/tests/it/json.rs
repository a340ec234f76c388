//! What `--json` prints: a promise to scripts, so a change of a field must be seen.

use std::sync::atomic::AtomicBool;

use punctual_campaign::stepping;
use punctual_lang::{Input, lustre, testing};
use punctual_model::lustre::Program;
use punctual_report::{fill, view};
use punctual_semantics::{
    lustre::{Machine, Reals},
    split::Side,
};
use punctual_testgen::{
    lustre::{CoverOptions, Criterion, Ranges, cover, random_tests},
    mutation::{
        automata,
        lustre::{Choice, mutants},
    },
};

const LAMP: &str = "chan press; broadcast chan light; clock x; int[0,3] n = 1; bool list[2];
    process Lamp(const int late) { state off, on { x <= late }; commit off; init off;
        trans off -> on { select e : int[0,1]; guard n < 3; sync press?; assign x = 0, n = e; },
            on -> off { sync light!; }; }
    process User() { state idle; init idle; trans idle -> idle { sync press!; }, idle -> idle { sync light?; }; }
    L = Lamp(5); U = User(); system L, U;";

/// `b` must not be zero, and is not asked for when `a` is.
const RATIO: &str = "type side = enum { left, right };
    node ratio(a: subrange [0, 9] of int; b: int) returns (r: int; s: side);
    let
      r = 0 -> if a = 0 then pre r else a div b;
      s = if r > 2 then left else right;
      --%PROPERTY \"small\" r < 4;
      assert a <> 9;
    tel";

fn program() -> Program {
    let reading = lustre::read(Input { name: "ratio.lus", bytes: RATIO.as_bytes() }, None);
    reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

#[test]
fn the_outline_of_a_model() {
    let model = punctual_lang::read("lamp.xta", LAMP.as_bytes()).model.expect("a model");
    let detailed = fill::outline::processes(&model.network, &["L".to_owned()]).unwrap();
    insta::assert_snapshot!(view::json(&fill::outline::outline("lamp.xta", &model, &detailed)));
    let unknown = fill::outline::processes(&model.network, &["Lam".to_owned()]);
    assert_eq!(unknown, Err("there is no process `Lam`; did you mean `Lamp`?".to_owned()));
}

#[test]
fn the_interface_of_a_model() {
    let model = punctual_lang::read("lamp.xta", LAMP.as_bytes()).model.expect("a model");
    let text = "[interface]\ntime-unit = \"1ms\"\ninputs = [\"press\"]\noutputs = [\"light\"]\n";
    let reading = testing::read(&model.network, Input { name: "t.toml", bytes: text.as_bytes() });
    let config = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let view = fill::interface::interface(&model.network, &config, "lamp.xta", "t.toml");
    insta::assert_snapshot!(view::json(&view.expect("a split")));
}

#[test]
fn the_outline_of_a_program() {
    insta::assert_snapshot!(view::json(&fill::program::outline("ratio.lus", &program())));
}

/// A table with everything that can be found: a violation, a broken assertion, a difference and a step
/// without a result.
#[test]
fn findings_of_tests() {
    let program = program();
    let text = "a,b,r\n1,1,0\n8,2,4\n9,9,7\n\n1,1,0\n1,0,1\n1,1,1\n";
    let reading =
        lustre::traces::read_csv(Input { name: "t.csv", bytes: text.as_bytes() }, &program);
    let table = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let machine = Machine::new(&program, Reals::Exact).expect("a program that runs");
    let (record, findings) =
        stepping::run(&machine, &table, &table.columns, false, &AtomicBool::new(false));
    let lengths: Vec<usize> = record.tests.iter().map(|test| test.steps.len()).collect();
    assert_eq!(lengths, [3, 1]);
    let view = fill::stepping::findings(&program, &findings, false, 0.5);
    insta::assert_snapshot!(view::json(&view));
    insta::assert_snapshot!(punctual_report::stepping::findings(&view), @r"
    2 tests, 4 steps (8 steps/s)
    VIOLATED  small: 1 step, first in test 0, step 1
    ASSERTION broken in 1 step, first in test 0, step 2
    DIFFERS   r: 1 step, first in test 0, step 2: 7 expected, 1 computed
    FAILED    test 1, step 1: division by zero in `r`
    ");
    // Random inputs that break an assertion end their test.
    let (record, findings) =
        stepping::run(&machine, &table, &table.columns, true, &AtomicBool::new(false));
    assert_eq!(record.tests[0].steps.len(), 2);
    assert!(findings.differences.is_empty());
}

#[test]
fn random_tests_that_were_made() {
    let found = random_tests(&program(), 2, 3, &Ranges::default(), 7).expect("tests");
    insta::assert_snapshot!(view::json(&fill::stepping::random_tests(&program(), &found, 7)), @r#"
    {
      "cut": 0,
      "model": "ratio",
      "seed": 7,
      "steps": 6,
      "tests": 2
    }
    "#);
}

/// Without a solver there is no test beyond the random ones: what they miss is undecided.
#[test]
fn coverage_of_tests_that_were_made() {
    let (program, criterion) = (program(), Criterion::Branch);
    let options =
        CoverOptions { criterion, bound: 3, ranges: Ranges::default(), n_random: 1, seed: 2 };
    let missing = Err(punctual_solver::Error::NotStarted {
        program: "z3".into(),
        reason: "not here".to_owned(),
    });
    let coverage = cover(&program, &options, missing, &mut |_| true).expect("a program that runs");
    let view = fill::stepping::coverage(&program, &options, &coverage);
    insta::assert_snapshot!(view::json(&view));
    insta::assert_snapshot!(punctual_report::stepping::coverage(&view));
}

#[test]
fn mutants_that_were_made() {
    let program = program();
    let found = mutants(&program, Choice::InAll(1), 3);
    let view = fill::stepping::mutants(&program, &found, 3);
    insta::assert_snapshot!(view::json(&view));
    let view::suite::Mutant { class, equation, old, new, .. } = &view.mutants[0];
    let table = format!("id;class;equation;old;new\nm01;{class};{equation};{old};{new}\n");
    assert_eq!(punctual_report::stepping::mutants(&view), table);
}

#[test]
fn mutants_of_a_network_that_were_made() {
    let model = punctual_lang::read("lamp.xta", LAMP.as_bytes()).model.expect("a model");
    let sides = [Side::System, Side::Environment].into_iter().collect();
    let operators = vec![automata::Operator::Restrict, automata::Operator::ResetDropped];
    let options = automata::Options { operators, offset: 2, environment: true };
    let found = automata::mutants(&model.network, &sides, &options);
    let view = fill::mutants::mutants("lamp.xta", &model.network, &found, &options);
    insta::assert_snapshot!(view::json(&view));
    insta::assert_snapshot!(punctual_report::mutants::text(&view), @r"
    lamp.xta: 2 mutants, bounds are moved by 2
      restrict-L-on-x-upper  x <= 5 becomes x <= 3
      reset-dropped-L-e0-x   x = 0 is dropped
    operator          system  environment
    restrict               1            0
    reset-dropped          1            0
    ");
    insta::assert_snapshot!(punctual_report::mutants::table(&view), @r"
    name;operator;side;process;place;change
    restrict-L-on-x-upper;restrict;system;L;on;x <= 5 becomes x <= 3
    reset-dropped-L-e0-x;reset-dropped;system;L;e0: off → on;x = 0 is dropped
    ");
}
