//! Several processes: who is first, and when.

use super::*;

/// A process that goes from `A` to `B` once, and notes itself in `first`.
fn racer(name: &str, number: u32, invariant: &str, guard: &str, rate: &str) -> builder::Process {
    let mut it = process(name).declare("clock x;").at("A");
    if !invariant.is_empty() {
        it = it.invariant(invariant);
    }
    if !rate.is_empty() {
        it = it.rate(rate);
    }
    it = it.at("B").go("A", "B").assign(&format!("first = first == 0 ? {number} : first"));
    if guard.is_empty() { it } else { it.guard(guard) }
}

fn uniform(name: &str, number: u32, from: u32, to: u32) -> builder::Process {
    racer(name, number, &format!("x <= {to}"), &format!("x >= {from}"), "")
}

fn exponential(name: &str, number: u32, rate: &str) -> builder::Process {
    racer(name, number, "", "", rate)
}

/// Exponential rates l1, l2 (, l3): the i-th wins with li / (sum of l), and the first comes at a
/// rate that is the sum.
#[test]
fn exponential_against_exponential() {
    let two = model("int first;", [exponential("P", 1, "1"), exponential("Q", 2, "3")]);
    likely(&two, "Pr[<=100](<> first == 1)", 0.25);
    likely(&two, "Pr[<=0.2](<> first != 0)", 1.0 - f64::exp(-0.8));
    let three = [exponential("P", 1, "1"), exponential("Q", 2, "3"), exponential("R", 3, "4")];
    let three = model("int first;", three);
    likely(&three, "Pr[<=100](<> first == 1)", 0.125);
    likely(&three, "Pr[<=100](<> first == 2)", 0.375);
    likely(&three, "Pr[<=100](<> first == 3)", 0.5);
    likely(&three, "Pr[<=0.1](<> first != 0)", 1.0 - f64::exp(-0.8));
}

/// The loser of a race goes on: without memory, all are there by t with the product of
/// 1 - e^(-li t).
#[test]
fn both_exponentials() {
    let model = model("int first;", [exponential("P", 1, "1"), exponential("Q", 2, "3")]);
    let both = (1.0 - f64::exp(-0.5)) * (1.0 - f64::exp(-1.5));
    likely(&model, "Pr[<=0.5](<> P.B && Q.B)", both);
}

/// U[0,a] against U[0,b] with a <= b: P(A first) = 1 - a / (2b). And U[1,3] against U[2,4]:
/// 1 - P(both in [2,3], the other first) = 1 - 1/2 * 1/2 * 1/2.
#[test]
fn uniform_against_uniform() {
    let wide = model("int first;", [uniform("P", 1, 0, 2), uniform("Q", 2, 0, 5)]);
    likely(&wide, "Pr[<=9](<> first == 1)", 0.8);
    let shifted = model("int first;", [uniform("P", 1, 1, 3), uniform("Q", 2, 2, 4)]);
    likely(&shifted, "Pr[<=9](<> first == 2)", 0.125);
    // The earlier of U[0,2] and U[0,5]: P(min <= 1) = 1 - 1/2 * 4/5.
    likely(&wide, "Pr[<=1](<> first != 0)", 0.6);
}

/// U[0,b] against an exponential of rate l: the uniform wins with (1 - e^-lb) / (lb).
#[test]
fn uniform_against_exponential() {
    let model = model("int first;", [uniform("P", 1, 0, 2), exponential("Q", 2, "1.5")]);
    likely(&model, "Pr[<=9](<> first == 1)", (1.0 - f64::exp(-3.0)) / 3.0);
}

/// Equal instants: each of three is first with 1/3.
#[test]
fn ties_are_broken_evenly() {
    let three = [uniform("P", 1, 2, 2), uniform("Q", 2, 2, 2), uniform("R", 3, 2, 2)];
    let model = model("int first;", three);
    for winner in 1..=3 {
        likely(&model, &format!("Pr[<=2](<> first == {winner})"), 1.0 / 3.0);
    }
}

/// A process draws anew whenever another one moves. Given that it did not move until then, what is
/// left of a uniform delay is uniform: nothing changes.
#[test]
fn drawing_anew_changes_nothing() {
    let busy = process("Busy").at("A").rate("7").go("A", "A");
    let regular = process("Regular").declare("clock y;").at("A").invariant("y <= 1");
    let regular = regular.go("A", "A").guard("y >= 1").assign("y = 0");
    let model = model("int first;", [uniform("P", 1, 2, 6), busy, regular]);
    for (until, probability) in [("2", 0.0), ("3", 0.25), ("4", 0.5), ("5.5", 0.875), ("6", 1.0)] {
        likely(&model, &format!("Pr[<={until}](<> P.B)"), probability);
    }
}

/// The bound of P is 8, and becomes 4 after U[0,2]. P draws U[0,8]; from the change at u on it is
/// U[u,4]. P(T <= 2) = P(T <= u) + P(T > u) P(U[u,4] <= 2)
/// = int_0^2 1/2 (u/8 + (1 - u/8) (2 - u)/(4 - u)) du.
/// The integrand: (8 - u)(2 - u) / (4 - u) = (4 - u) + 2 - 8 / (4 - u), so with ln 2 = L:
/// = 1/2 (1/4 + (6 + 4 - 8 L) / 8) = 3/4 - L/2.
#[test]
fn a_bound_that_another_process_changes() {
    let it = process("P").at("A").invariant("x <= b").at("B").go("A", "B");
    let other = process("Q").at("A").invariant("x <= 2").at("B").go("A", "B").assign("b = 4");
    let model = model("clock x; int b = 8;", [it, other]);
    likely(&model, "Pr[<=2](<> P.B)", 0.75 - 2_f64.ln() / 2.0);
    likely(&model, "Pr[<=4](<> P.B)", 1.0);
}
