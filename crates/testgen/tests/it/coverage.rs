//! Tests that cover a program.

use std::time::Duration;

use punctual_model::lustre::{Program, Value};
use punctual_semantics::lustre::Reference;
use punctual_solver::{Error, Limits, Missing, Session, Solver};
use punctual_testgen::lustre::{
    CoverOptions, Coverage, Criterion, Ranges, Status, cover, obligations,
};

use crate::{HEATER, program};

fn session() -> Session {
    let limits = Limits { timeout: Duration::from_secs(60), ..Limits::default() };
    Solver::find().and_then(|solver| solver.start(limits)).unwrap_or_else(|error| {
        panic!("{error}\nthis test needs the solver: `cargo xtask solver` brings it")
    })
}

fn options(criterion: Criterion, bound: usize) -> CoverOptions {
    CoverOptions { criterion, bound, ranges: Ranges::default(), n_random: 0, seed: 1 }
}

fn covered(program: &Program, criterion: Criterion, bound: usize) -> Coverage {
    cover(program, &options(criterion, bound), Ok(session()), &mut |_| true).unwrap()
}

/// `equation: condition is outcome`, with the status.
fn told(coverage: &Coverage) -> Vec<String> {
    let line = |(obligation, status): &(punctual_testgen::lustre::Obligation, Status)| {
        let status = match status {
            Status::Covered(_) => "covered".to_owned(),
            Status::Infeasible(steps) => format!("infeasible by {steps}-induction"),
            Status::Beyond(bound) => format!("not within {bound} steps"),
            Status::Undecided(reason) => format!("undecided: {reason}"),
        };
        format!("{}: {} is {}: {status}", obligation.equation, obligation.text, obligation.outcome)
    };
    coverage.obligations.iter().map(line).collect()
}

#[test]
fn the_heater_is_covered() {
    let program = program(HEATER);
    for criterion in [Criterion::Branch, Criterion::Condition, Criterion::Mcdc] {
        let coverage = covered(&program, criterion, 8);
        let n_open = coverage.count(|it| matches!(it, Status::Undecided(_) | Status::Beyond(_)));
        assert_eq!(n_open, 0, "{:#?}", told(&coverage));
        assert!(coverage.table.tests.len() <= coverage.n_found);
        // Few questions for many obligations.
        assert!(coverage.n_questions < 4 * coverage.obligations.len() as u64 + 40);
    }
}

/// The two truths of `a and b` need three tests for MC/DC; each of its rows is looked for here by the
/// definition: flipping the atom flips the decision.
#[test]
fn mcdc_shows_that_each_atom_matters() {
    let text =
        "node n(a: bool; b: bool; c: bool) returns (x: bool); let x = (a and b) or not c; tel";
    let program = program(text);
    let coverage = covered(&program, Criterion::Mcdc, 1);
    assert_eq!(coverage.obligations.len(), 6, "{:#?}", told(&coverage));
    assert_eq!(coverage.count(|it| matches!(it, Status::Covered(_))), 6);
    let decision = |step: &[bool]| (step[0] && step[1]) || !step[2];
    let rows: Vec<Vec<bool>> = coverage
        .table
        .tests
        .iter()
        .flat_map(|test| &test.steps)
        .map(|step| step.iter().map(|it| it.as_bool().unwrap()).collect())
        .collect();
    for atom in 0..3 {
        for truth in [false, true] {
            let shows = |row: &&Vec<bool>| {
                let mut flipped = row.to_vec();
                flipped[atom] = !flipped[atom];
                row[atom] == truth && decision(row) != decision(&flipped)
            };
            assert!(rows.iter().any(|row| shows(&row)), "atom {atom} being {truth}: {rows:?}");
        }
    }
    // Condition coverage asks for less.
    let n_tests = covered(&program, Criterion::Condition, 1).table.tests.len();
    assert!((2..=rows.len()).contains(&n_tests), "{n_tests}");
}

#[test]
fn what_can_not_be_covered_is_proved_or_said_to_be_open() {
    let program = program(
        "node n(a: bool; k: int) returns (x: int; y: int; z: int);
         var count, even: int;
         let
           count = 0 -> pre count + 1;
           even = 0 -> if a then pre even + 2 else pre even;
           x = if k > 3 and k < 3 then 1 else 0;
           y = if count >= 20 then 1 else 0;
           z = if even = 7 or even < 0 then 1 else 0;
         tel",
    );
    let told = told(&covered(&program, Criterion::Branch, 5));
    let expected = [
        "x: ((k > 3) and (k < 3)) is true: infeasible by 0-induction",
        "x: ((k > 3) and (k < 3)) is false: covered",
        // It happens in step 21.
        "y: (count >= 20) is true: not within 5 steps",
        "y: (count >= 20) is false: covered",
        "even: a is true: covered",
        "even: a is false: covered",
        // True of no run; but 5 leads to 7, and nothing says that 5 is not reached.
        "z: ((even = 7) or (even < 0)) is true: not within 5 steps",
        "z: ((even = 7) or (even < 0)) is false: covered",
    ];
    assert_eq!(told, expected);
}

#[test]
fn induction_needs_more_than_one_step_sometimes() {
    // One of three lamps goes round; that two are on is possible in no run.
    let program = program(
        "node n(go: bool) returns (bad: int);
         var a, b, c: bool;
         let
           a = true -> if go then pre c else pre a;
           b = false -> if go then pre a else pre b;
           c = false -> if go then pre b else pre c;
           bad = if (a and b) or (b and c) or (a and c) then 1 else 0;
         tel",
    );
    let told = told(&covered(&program, Criterion::Branch, 4));
    let last = told.iter().find(|it| it.starts_with("bad") && it.contains("is true")).unwrap();
    assert!(last.ends_with("infeasible by 1-induction"), "{told:#?}");
}

#[test]
fn tests_keep_to_assertions_and_ranges() {
    let program = program(
        "node n(a: int; b: subrange [2, 6] of int) returns (x: int);
         let x = if a > b then 1 else if a = 9 then 2 else if b = 7 then 3 else 0; assert a <= 3; tel",
    );
    let coverage = covered(&program, Criterion::Branch, 2);
    for step in coverage.table.tests.iter().flat_map(|test| &test.steps) {
        let [Value::Int(..=3), Value::Int(2..=6)] = step.as_slice() else { panic!("{step:?}") };
    }
    let told = told(&coverage);
    assert_eq!(told[0], "x: (a > b) is true: covered");
    assert_eq!(told[2], "x: (a = 9) is true: infeasible by 0-induction");
    assert_eq!(told[4], "x: (b = 7) is true: infeasible by 0-induction");
    for test in &coverage.table.tests {
        let mut reference = Reference::new(&program);
        test.steps.iter().for_each(|step| reference.step(step).unwrap());
    }
}

/// What the user says of inputs counts, for real numbers too.
#[test]
fn given_ranges_are_kept() {
    let program = program(
        "node n(level: real; k: int) returns (x: int);
         let x = if level > 3.0 then 1 else if level > 1.5 then 2 else if k = 8 then 3 else 0; tel",
    );
    let mut options = options(Criterion::Branch, 2);
    options.ranges.of.insert(program.var("level").unwrap(), (0.into(), 2.into()));
    options.ranges.of.insert(program.var("k").unwrap(), (0.into(), 7.into()));
    let coverage = cover(&program, &options, Ok(session()), &mut |_| true).unwrap();
    let told = told(&coverage);
    let infeasible: Vec<_> = told.iter().filter(|it| it.contains("infeasible")).collect();
    let expected = ["(level > 3.0)", "(k = 8)"]
        .map(|it| format!("x: {it} is true: infeasible by 0-induction"));
    assert_eq!(infeasible, expected.iter().collect::<Vec<_>>(), "{told:#?}");
    assert_eq!(coverage.count(|it| matches!(it, Status::Covered(_))), 4);
}

/// Nothing is taken for covered or impossible that nobody has shown.
#[test]
fn without_a_solver_what_is_left_is_undecided() {
    let program = program(HEATER);
    let mut options = options(Criterion::Branch, 5);
    let missing = || Err(Error::Missing(Missing::NotFound));
    let coverage = cover(&program, &options, missing(), &mut |_| true).unwrap();
    let is_undecided =
        |it: &Status| matches!(it, Status::Undecided(why) if why.contains("cargo xtask solver"));
    assert_eq!(coverage.count(is_undecided), coverage.obligations.len());
    // Random tests need none.
    options.n_random = 50;
    let coverage = cover(&program, &options, missing(), &mut |_| true).unwrap();
    assert!(coverage.count(|it| matches!(it, Status::Covered(_))) > 0);
    assert_eq!(coverage.count(|it| matches!(it, Status::Infeasible(_) | Status::Beyond(_))), 0);
}

/// A solver that says yes and knows nothing, one that never answers, one that dies.
#[cfg(unix)]
#[test]
fn a_broken_solver_covers_nothing() {
    let program = program(HEATER);
    let n_all = obligations(&program, Criterion::Branch).len();
    let echo = "*echo*) line=${line#*\\\"}; echo \"${line%\\\"*}\";;";
    for script in [
        format!(
            "while read -r line; do case \"$line\" in *check-sat*) echo sat;; {echo} esac; done"
        ),
        "exec sleep 100".to_owned(),
        "exit 1".to_owned(),
    ] {
        let solver = Solver::program("/bin/sh", vec!["-c".to_owned(), script.clone()]);
        let limits = Limits { timeout: Duration::from_millis(1), ..Limits::default() };
        let session = solver.start(limits);
        let coverage =
            cover(&program, &options(Criterion::Branch, 1), session, &mut |_| true).unwrap();
        let n_undecided = coverage.count(|it| matches!(it, Status::Undecided(_)));
        assert_eq!(n_undecided, n_all, "{script}: {:#?}", told(&coverage));
    }
}

#[test]
fn a_search_can_be_stopped() {
    let program = program(HEATER);
    let coverage =
        cover(&program, &options(Criterion::Mcdc, 8), Ok(session()), &mut |_| false).unwrap();
    assert_eq!(coverage.count(|it| !matches!(it, Status::Undecided(_))), 0);
}
