//! Runs that can not go on end with an error that says why, and models that chance can not run are
//! refused.

use punctual_semantics::stochastic::ProblemKind;
use punctual_semantics::{Fault, FaultKind};
use punctual_smc::RunError;

use super::*;

#[track_caller]
fn error(model: &Model, query: &str) -> RunError {
    match answer(model, query, &options()) {
        Answer::Error(error) => *error,
        other => panic!("{query}: {other:?}"),
    }
}

#[test]
fn runs_that_can_do_nothing_more_end() {
    let it = process("P").at("A").at("B").go("A", "B");
    let model_ = model("clock x; int n;", [it]);
    likely(&model_, "Pr[#<=2](<> false)", 0.0);
    likely(&model_, "Pr[#<=2](<> P.B)", 1.0);
    likely(&model_, "Pr[#<=2]([] n == 0)", 1.0);
    likely(&model_, "Pr[#<=2]([] P.A)", 0.0);
    // Time goes on after the last step.
    likely(&model_, "Pr[#<=2](<> x > 1000000)", 1.0);
    likely(&model_, "Pr[#<=2]([] x <= 1000000)", 0.0);
    let few = Options { runs: Some(3), ..options() };
    let Answer::Trajectories(found) = answer(&model_, "simulate[#<=9; 3]{P.B}", &few) else {
        panic!("an error")
    };
    assert_eq!(found.runs.len(), 3);
    assert_eq!(found.runs[0].values[0], [(0.0, 0.0), (1.0, 1.0)]);
    // A cost that does not grow.
    let it = process("P").at("A").invariant("c' == 0");
    likely(&model("clock c;", [it]), "Pr[c<=2](<> false)", 0.0);
    // A sender that tries for ever.
    let it = process("P").at("A").go("A", "A").sync("c!");
    let few = Options { runs: Some(1), ..options() };
    let Answer::Probability(found) = answer(&model("chan c;", [it]), "Pr[#<=2](<> false)", &few)
    else {
        panic!("an error")
    };
    assert_eq!(found.satisfied, 0);
}

/// The same without a bound on steps is no error: time passes.
#[test]
fn waiting_is_no_error_where_time_is_bounded() {
    let it = process("P").at("A").at("B").go("A", "B");
    likely(&model("", [it]), "Pr[<=20](<> false)", 0.0);
    // Millions of attempts in vain are not too many.
    let it = process("P").at("A").rate("1000").at("B").go("A", "B").sync("c!");
    let patient = process("Q").at("A").go("A", "A").guard("x >= 2000").sync("c?");
    let model = model("clock x; chan c;", [it, patient]);
    let few = Options { runs: Some(1), ..options() };
    let Answer::Probability(found) = answer(&model, "Pr[<=2001](<> P.B)", &few) else {
        panic!("an error")
    };
    assert_eq!(found.satisfied, 1);
}

#[test]
fn timelocks() {
    // Nothing can be done, in several ways.
    let none = process("P").at("A").invariant("x <= 3");
    let late = process("P").at("A").invariant("x <= 3").go("A", "A").guard("x >= 4");
    let over = process("P").at("A").invariant("x <= 3").go("A", "A").guard("x <= 2 && n > 0");
    let alone = process("P").at("A").invariant("x <= 3").go("A", "A").sync("c!");
    for it in [none, late, over, alone] {
        let model = model("clock x; int n; chan c;", [it]);
        let found = error(&model, "Pr[<=20](<> false)");
        let ProblemKind::Timelock { process } = found.problem.kind else { panic!("{found:?}") };
        assert_eq!(punctual_model::Id::index(process), 0);
        assert!((found.state.time - 3.0).abs() < 1e-9, "{found:?}");
        // It is only met if a run goes on for so long.
        likely(&model, "Pr[<=3](<> false)", 0.0);
        likely(&model, "Pr[<=20](<> x >= 3)", 1.0);
    }
}

#[test]
fn urgent_and_committed_locations_without_a_way_out() {
    for it in [process("P").at("A").at("B").urgent(), process("P").at("A").at("B").committed()] {
        let it = it.go("A", "B").go("B", "A").guard("n > 0");
        let found = error(&model("int n;", [it]), "Pr[<=99](<> false)");
        assert!(matches!(found.problem.kind, ProblemKind::Stuck { .. }), "{found:?}");
        assert_eq!(found.steps.len(), 1);
    }
}

#[test]
fn zeno_runs() {
    let circle = process("P").at("A").urgent().go("A", "A");
    let found = error(&model("", [circle]), "Pr[<=9](<> false)");
    assert!(matches!(found.problem.kind, ProblemKind::Zeno { .. }), "{found:?}");
    assert!(found.omitted > 1000 && !found.steps.is_empty());
    // Time gets ever shorter.
    let rest = process("P").at("A").invariant("x <= 1").go("A", "A");
    let found = error(&model("clock x;", [rest]), "Pr[<=9](<> false)");
    assert!(matches!(found.problem.kind, ProblemKind::Zeno { .. }), "{found:?}");
    // The same, but another process goes on: no time passes for it either.
    let rest = process("P").at("A").invariant("x <= 1").go("A", "A");
    let other = process("Q").at("A").rate("1").go("A", "A");
    let found = error(&model("clock x;", [rest, other]), "Pr[<=9](<> false)");
    assert!(matches!(found.problem.kind, ProblemKind::Zeno { .. }), "{found:?}");
}

/// A cost that stands still, or starts anew again and again.
#[test]
fn endless_runs() {
    let stopped = process("P").at("A").invariant("c' == 0").rate("1").go("A", "A");
    let anew = process("P").at("A").invariant("c <= 1").go("A", "A").guard("c >= 1");
    for it in [stopped, anew.assign("c = 0")] {
        let found = error(&model("clock c;", [it]), "Pr[c<=2](<> false)");
        assert!(matches!(found.problem.kind, ProblemKind::Endless { .. }), "{found:?}");
    }
}

#[test]
fn weights_and_rates_that_are_none() {
    let weigh = |weights: [&str; 2]| {
        let it = process("P").at("A").at("B").fork("A", "F");
        let it = it.way("F", "B", weights[0]).way("F", "A", weights[1]);
        error(&model("int n = -1; double z = 0.0;", [it]), "Pr[<=99](<> false)")
    };
    for weights in [["1", "n"], ["n", "3"], ["z", "z"], ["z / z", "1"]] {
        let found = weigh(weights);
        assert!(matches!(found.problem.kind, ProblemKind::Weight { .. }), "{found:?}");
        // It says which edge.
        assert_eq!(found.problem.moves.len(), 1, "{found:?}");
    }
    let it = process("P").at("A").rate("n").at("B").go("A", "B");
    let found = error(&model("int n = -1;", [it]), "Pr[<=99](<> false)");
    assert!(matches!(found.problem.kind, ProblemKind::Rate { .. }), "{found:?}");
}

#[test]
fn invariants_that_do_not_hold_at_the_start() {
    let it = process("P").at("A").invariant("n > 0").at("B").go("A", "B");
    let found = error(&model("int n;", [it]), "Pr[<=9](<> false)");
    assert_eq!(found.problem.kind, ProblemKind::NoStart);
}

/// The third step leaves the range. The state is the one before it, the moves are those of it.
#[test]
fn a_range_error_inside_of_a_run() {
    let it = process("P").at("A").go("A", "A").assign("m++, n++");
    let found = error(&model("int[0,2] n; int m;", [it]), "Pr[<=99](<> false)");
    let fault = FaultKind::Range { value: 3, lo: 0, hi: 2 };
    assert!(matches!(&found.problem.kind, ProblemKind::Fault(Fault { kind }) if *kind == fault));
    assert_eq!(found.steps.len(), 2);
    assert_eq!(found.problem.moves, found.steps[0].moves);
    let mut values = found.state.ints.clone();
    values.sort_unstable();
    assert_eq!(values, [0, 2, 2], "{found:?}");
    // An error in a guard.
    let it = process("P").at("A").go("A", "A").assign("n++").go("A", "A").guard("a[n] > 0");
    let found = error(&model("int a[2]; int n;", [it]), "Pr[<=99](<> false)");
    let fault = FaultKind::Index { value: 2, lo: 0, len: 2 };
    assert!(matches!(&found.problem.kind, ProblemKind::Fault(Fault { kind }) if *kind == fault));
    assert_eq!(found.steps.len(), 2);
}

/// An error in the query ends a run where it is, not at the bound.
#[test]
fn an_error_in_the_query() {
    let it = process("P").at("A").rate("1").go("A", "A").assign("n++");
    let model = model("int n;", [it]);
    for query in ["Pr[#<=99](<> 10 / (3 - n) == 100)", "E[#<=99](max: 10 / (3 - n))"] {
        let found = error(&model, query);
        let fault = FaultKind::DivisionByZero;
        assert!(
            matches!(&found.problem.kind, ProblemKind::Fault(Fault { kind }) if *kind == fault)
        );
        assert_eq!((found.steps.len(), found.state.steps), (3, 3), "{query}");
    }
}

#[track_caller]
fn refused(model: &Model, query: &str) -> Refusal {
    ask(&model.xml(), query, &options()).expect_err("a refusal")
}

#[test]
fn models_that_chance_can_not_run() {
    let it = || process("P").at("A").at("B").go("A", "B").sync("c!");
    let construct = |refusal| match refusal {
        Refusal::Model(refusal) => (refusal.construct, refusal.place),
        other => panic!("{other:?}"),
    };
    let priority = model("broadcast chan c, d; chan priority c < d;", [it()]);
    assert_eq!(construct(refused(&priority, "Pr[<=1](<> P.B)")).0, "a priority");
    let equation = process("P").at("A").invariant("x' == -x");
    let equation = model("clock x;", [equation]);
    let (what, place) = construct(refused(&equation, "Pr[<=1](<> P.A)"));
    assert!(what.starts_with("a differential equation"), "{what}");
    assert_eq!(place.as_deref(), Some("process P, location A"));
    // Queries that are none of chance, and parameters that make no sense.
    let fine = model("broadcast chan c;", [it()]);
    assert_eq!(refused(&fine, "E<> P.B"), Refusal::NotStatistical);
    let bad = Options { alpha: 1.5, ..options() };
    let refusal = ask(&fine.xml(), "Pr[<=1](<> P.B)", &bad).expect_err("a refusal");
    assert!(matches!(refusal, Refusal::Parameter(_)), "{refusal:?}");
    assert!(matches!(refused(&fine, "Pr[<=1](<> deadlock)"), Refusal::Model(_)));
}
