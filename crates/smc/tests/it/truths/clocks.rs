//! Clocks with rates, costs, and what they are on average.

use super::*;

fn uniform(invariant: &str) -> Model {
    let it = process("P").at("A").invariant(invariant).at("B").invariant("c' == 0").go("A", "B");
    model("clock x; clock c; int n = 2; double h = 0.5;", [it])
}

/// A clock at rate r is at its bound b after b / r: U[0, b / r].
#[test]
fn rates_change_how_long_a_bound_lasts() {
    likely(&uniform("x <= 10 && x' == 2"), "Pr[<=3](<> P.B)", 0.6);
    likely(&uniform("x <= 10 && x' == n"), "Pr[<=3](<> P.B)", 0.6);
    likely(&uniform("x <= 10 && x' == h"), "Pr[<=3](<> P.B)", 0.15);
    // A clock that stands still gives no bound: exponential with rate 1.
    likely(&uniform("x <= 10 && x' == 0"), "Pr[<=1](<> P.B)", 1.0 - f64::exp(-1.0));
    likely(&uniform("x <= 10 && x' == n - 2"), "Pr[<=1](<> P.B)", 1.0 - f64::exp(-1.0));
}

/// The cost runs at rate 3 in A, for U[0,10]: its end is U[0,30].
#[test]
fn costs_add_up() {
    let model = uniform("x <= 10 && c' == 3");
    let deviation = 30.0 / 12_f64.sqrt();
    expected(&model, "E[<=20](max: c)", 15.0, deviation);
    expected(&model, "E[<=20](min: c)", 0.0, 0.0);
    likely(&model, "Pr[<=20](<> c > 12)", 0.6);
    // Up to a cost of 12, in 4 time units: P(T <= 4).
    likely(&model, "Pr[<=4](<> P.B)", 0.4);
}

/// A bound on a cost: it runs at rate 2 and then, after an exponential delay of rate 1, at rate 6. The
/// bound of 4 is the time 2 in the first part, so P(B before it) = 1 - e^-2.
#[test]
fn runs_that_a_cost_bounds() {
    let it = process("P").at("A").invariant("c' == 2").rate("1").at("B").invariant("c' == 6");
    let it = it.go("A", "B").go("B", "B").guard("false");
    let model = model("clock c; clock t; int n;", [it]);
    likely(&model, "Pr[c<=4](<> P.B)", 1.0 - f64::exp(-2.0));
    // Whoever is in B at 4 spent T in A, and (4 - 2T) / 6 in B. Total time 2/3 + 2T/3 for T < 2, else 2.
    // P(total <= 1) = P(T <= 1/2).
    likely(&model, "Pr[c<=4]([] t <= 1)", 1.0 - f64::exp(-0.5));
    // E = 2/3 + 2/3 E min(T, 2) = 2/3 + 2/3 (1 - e^-2).
    let mean = 2.0 / 3.0 * (2.0 - f64::exp(-2.0));
    expected(&model, "E[c<=4](max: t)", mean, 2.0 / 3.0);
}

/// A stopwatch: stopped in every other location. Two exponential delays of rate 1, the first counts.
#[test]
fn stopwatches() {
    let it = process("P").at("A").rate("1").at("B").invariant("x' == 0").rate("1").at("C");
    let it = it.invariant("x' == 0").go("A", "B").go("B", "C");
    let model = model("clock x;", [it]);
    expected(&model, "E[<=100](max: x)", 1.0, 1.0);
    likely(&model, "Pr[<=100](<> P.C && x <= 0.5)", 1.0 - f64::exp(-0.5));
}

/// The rate depends on what another process did: 1 before it, 3 after it, which is U[0,4] at u. Up to
/// 4 the clock is u + 3 (4 - u): on average 8, deviation 2 * 4 / sqrt 12.
#[test]
fn a_rate_that_another_process_changes() {
    let it = process("P").at("A").invariant("x' == r");
    let other = process("Q").declare("clock y;").at("A").invariant("y <= 4").at("B");
    let model = model("clock x; int r = 1;", [it, other.go("A", "B").assign("r = 3")]);
    expected(&model, "E[<=4](max: x)", 8.0, 8.0 / 12_f64.sqrt());
}

/// Clocks are set to numbers and to each other: y = T at the end of U[0,10], and x goes on from 3.
#[test]
fn clocks_are_copied() {
    let it = process("P").at("A").invariant("x <= 10").at("B").invariant("y' == 0").go("A", "B");
    let model = model("clock x; clock y; double d;", [it.assign("y = x, d = x, x = 3")]);
    let deviation = 10.0 / 12_f64.sqrt();
    expected(&model, "E[<=10](max: y * P.B)", 5.0, deviation);
    expected(&model, "E[<=10](max: d)", 5.0, deviation);
    // x is 3 + 10 - T at the end, and T before: max(T, 13 - T).
    // E = (int_0^6.5 (13 - t) dt + int_6.5^10 t dt) / 10 = (63.375 + 28.875) / 10.
    expected(&model, "E[<=10](max: x)", 9.225, 2.0);
    // At time 20 x - y = 3 + 20 - T - T, which is above 15 if T < 4.
    likely(&model, "Pr[<=20](<> P.B && x - y > 15)", 0.4);
}

/// A clock that runs backwards to a lower bound: U[0,10].
#[test]
fn a_clock_that_falls() {
    let it = process("P").at("O").urgent().at("A").invariant("x' == -1 && x >= 0").at("B");
    let it = it.go("O", "A").assign("x = 10").go("A", "B");
    let model = model("clock x;", [it]);
    likely(&model, "Pr[<=3](<> P.B)", 0.3);
    likely(&model, "Pr[<=20](<> P.A && x < 4)", 0.4);
}

/// What is recorded of a run are the corners of its values: x falls to 0 with each step.
#[test]
fn recorded_runs() {
    let it = process("P").at("A").invariant("x <= 2").go("A", "A").guard("x >= 2");
    let model = model("clock x; int n;", [it.assign("x = 0, n++")]);
    let few = Options { runs: None, ..options() };
    let Answer::Trajectories(found) = answer(&model, "simulate[<=5; 3] {x, n}", &few) else {
        panic!("no runs")
    };
    assert_eq!(found.steps, [false, true]);
    assert_eq!(found.runs.len(), 3);
    let saw = [(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (4.0, 2.0), (4.0, 0.0), (5.0, 1.0)];
    assert_eq!(found.runs[2].values[0], saw);
    let last = found.runs[2].values[1].last();
    assert_eq!(last, Some(&(5.0, 2.0)));
    // Of U[0,10] only those that are there by 3, until there are two of them.
    let it = process("P").at("A").invariant("x <= 10").at("B").go("A", "B");
    let model = builder::model("clock x;", [it]);
    let query = "simulate[<=3; 1000] {x, P.B} : 2 : P.B";
    let Answer::Trajectories(found) = answer(&model, query, &few) else { panic!("no runs") };
    assert_eq!(found.runs.len(), 2);
    assert!(found.runs.iter().all(|run| run.values[1].last() == Some(&(3.0, 1.0))));
}
