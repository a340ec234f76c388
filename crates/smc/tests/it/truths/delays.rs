//! How long one process waits.

use super::*;

/// Uniform on [0, b]: P(T <= t) = t / b.
#[test]
fn uniform_from_zero() {
    let model = model("clock x;", [process("P").at("A").invariant("x <= 10").at("B").go("A", "B")]);
    likely(&model, "Pr[<=3](<> P.B)", 0.3);
    likely(&model, "Pr[<=10](<> P.B)", 1.0);
    // Mean b / 2, deviation b / sqrt(12).
    let mean = 5.0;
    expected(&model, "E[<=10](max: x * (1 - P.B))", mean, 10.0 / 12_f64.sqrt());
}

fn window(a: &str, b: &str) -> Model {
    let [guard, invariant] = [format!("x >= {a}"), format!("x <= {b}")];
    let it = process("P").at("A").invariant(&invariant).at("B").go("A", "B").guard(&guard);
    model("clock x; const int a = 2; int b = 6;", [it])
}

/// Uniform from the moment when the edge is enabled: P(T <= t) = (t - a) / (b - a).
#[test]
fn uniform_from_when_the_edge_is_enabled() {
    for model in [window("2", "6"), window("a", "b"), window("b - 4", "3 * a")] {
        likely(&model, "Pr[<=3](<> P.B)", 0.25);
        likely(&model, "Pr[<=5](<> P.B)", 0.75);
        likely(&model, "Pr[<=2](<> P.B)", 0.0);
    }
}

/// With two edges the earlier one counts, whichever is chosen then: uniform on [2, 6]; the later
/// one (from 4) is chosen in half of the cases where both are enabled, so 1/2 * 1/2.
#[test]
fn the_earliest_of_two_edges_counts() {
    let it = process("P").at("A").invariant("x <= 6").at("B").at("C");
    let it = it.go("A", "B").guard("x >= 2").go("A", "C").guard("x >= 4");
    let model = model("clock x;", [it]);
    likely(&model, "Pr[<=4](<> P.B)", 0.5);
    likely(&model, "Pr[<=9](<> P.B)", 0.75);
    likely(&model, "Pr[<=9](<> P.C)", 0.25);
}

fn waiting(rate: &str) -> Model {
    let it = process("P").at("A").rate(rate).at("B").go("A", "B");
    model("clock x; int l = 3; double r = 0.5; int q[2] = {3, 2};", [it])
}

/// Exponential: P(T <= t) = 1 - exp(-rate t).
#[test]
fn exponential_by_all_ways_to_write_a_rate() {
    let rates = [
        ("2", 2.0),
        ("1:4", 0.25),
        ("l", 3.0),
        ("r", 0.5),
        ("l:2", 1.5),
        ("q[0]:q[1]", 1.5),
        ("r * l", 1.5),
    ];
    for (text, rate) in rates {
        likely(&waiting(text), "Pr[<=1](<> P.B)", 1.0 - f64::exp(-rate));
    }
    // Rate 1 where none is given.
    let it = process("P").at("A").at("B").go("A", "B");
    likely(&model("", [it]), "Pr[<=1](<> P.B)", 1.0 - f64::exp(-1.0));
    // Rate 0: never.
    likely(&waiting("l - 3"), "Pr[<=100](<> P.B)", 0.0);
}

/// A guard shifts the exponential: P(T <= t) = 1 - exp(-rate (t - d)).
#[test]
fn exponential_from_when_the_edge_is_enabled() {
    let it = process("P").at("A").rate("2").at("B").go("A", "B").guard("x >= 3");
    let model = model("clock x;", [it]);
    likely(&model, "Pr[<=3](<> P.B)", 0.0);
    likely(&model, "Pr[<=3.5](<> P.B)", 1.0 - f64::exp(-1.0));
}

/// A sum of k exponentials of the same rate l (Erlang): P(T <= t) = 1 - sum of e^-lt (lt)^i / i! for
/// i < k.
#[test]
fn erlang() {
    let it = process("P").declare("int n;").at("A").rate("2").at("B");
    let it = it.go("A", "A").guard("n < 3").assign("n++").go("A", "B").guard("n == 3");
    let lt = 3.0_f64;
    let none = (-lt).exp() * (1.0 + lt + lt * lt / 2.0 + lt * lt * lt / 6.0);
    likely(&model("", [it]), "Pr[<=1.5](<> P.B)", 1.0 - none);
}

/// Rates a and b one after the other: P(T <= t) = 1 - (b e^-at - a e^-bt) / (b - a).
#[test]
fn hypoexponential() {
    let it = process("P").at("A").rate("1").at("B").rate("3").at("C").go("A", "B").go("B", "C");
    let rest = (3.0 * f64::exp(-2.0) - f64::exp(-6.0)) / 2.0;
    let model = model("", [it]);
    likely(&model, "Pr[<=2](<> P.C)", 1.0 - rest);
}

/// Two uniform delays on [0, 1], one after the other: P(T <= t) = t^2 / 2 up to 1, then
/// 1 - (2 - t)^2 / 2.
#[test]
fn sum_of_two_uniforms() {
    let it = process("P").at("A").invariant("x <= 1").at("B").invariant("x <= 1").at("C");
    let it = it.go("A", "B").assign("x = 0").go("B", "C");
    let model = model("clock x;", [it]);
    likely(&model, "Pr[<=0.6](<> P.C)", 0.18);
    likely(&model, "Pr[<=1.5](<> P.C)", 0.875);
}

/// An invariant without a reset: after a share u of the time, the second delay is uniform on what is
/// left. With s = t / b, P(T <= t) = int_0^s (s - u) / (1 - u) du = s + (1 - s) ln(1 - s).
#[test]
fn uniform_on_what_is_left() {
    let it = process("P").at("A").invariant("x <= 4").at("B").invariant("x <= 4").at("C");
    let model = model("clock x;", [it.go("A", "B").go("B", "C")]);
    let s = 0.5_f64;
    likely(&model, "Pr[<=2](<> P.C)", s + (1.0 - s) * (1.0 - s).ln());
}

/// Time stands still in urgent and committed locations: the chain takes as long as its ends.
#[test]
fn urgent_and_committed_locations_take_no_time() {
    let it = process("P").at("A").rate("1").at("B").urgent().at("C").committed().at("D");
    let it = it.go("A", "B").assign("x = 0").go("B", "C").go("C", "D").assign("y = x");
    let other = process("Q").at("A").rate("5").go("A", "A");
    let model = model("clock x; clock y;", [it, other]);
    likely(&model, "Pr[<=1](<> P.D)", 1.0 - f64::exp(-1.0));
    likely(&model, "Pr[<=9](<> (P.B || P.C) && x > 0)", 0.0);
}

/// A guard that ends: who is not through by then never is. P = 1 - e^-3 for all times from 3 on.
#[test]
fn exponential_until_the_edge_is_disabled() {
    let it = process("P").at("A").rate("1").at("B").go("A", "B").guard("x <= 3");
    let model = model("clock x;", [it]);
    likely(&model, "Pr[<=2](<> P.B)", 1.0 - f64::exp(-2.0));
    likely(&model, "Pr[<=20](<> P.B)", 1.0 - f64::exp(-3.0));
}

/// Bounds that are random doubles: at d = U[0,5) exactly.
#[test]
fn bounds_that_are_doubles() {
    let it = process("P").at("O").urgent().at("A").invariant("x <= d").at("B");
    let it = it.go("O", "A").assign("d = random(5)").go("A", "B").guard("x >= d");
    let busy = process("Q").at("A").rate("7").go("A", "A");
    let model = model("clock x; double d;", [it, busy]);
    likely(&model, "Pr[<=2](<> P.B)", 0.4);
    likely(&model, "Pr[<=5](<> P.B)", 1.0);
    likely(&model, "Pr[<=9](<> P.A && x > 2.5)", 0.5);
}

/// The guard becomes true by what another process does after u = U[0,4]; then U[u,5].
/// P(T <= 4) = int_0^4 1/4 (4 - u) / (5 - u) du = 1 - ln 5 / 4.
#[test]
fn an_edge_that_another_process_enables() {
    let it = process("P").at("A").invariant("x <= 5").at("B").go("A", "B").guard("n == 1");
    let other = process("Q").at("A").invariant("x <= 4").at("B").go("A", "B").assign("n = 1");
    let model = model("clock x; int n;", [it, other]);
    likely(&model, "Pr[<=4](<> P.B)", 1.0 - 5_f64.ln() / 4.0);
    likely(&model, "Pr[<=5](<> P.B)", 1.0);
}
