//! What is asked of a run: bounds, formulas, and instants in the middle of a delay.

use super::*;

/// What happens at the very end of a run counts, however many transitions it takes.
#[test]
fn the_end_of_a_run_belongs_to_it() {
    let it = process("P").at("A").invariant("x <= 5").at("C").committed().at("D").urgent().at("B");
    let it = it.go("A", "C").guard("x >= 5").go("C", "D").go("D", "B");
    let exact = model("clock x;", [it]);
    likely(&exact, "Pr[<=5](<> P.B)", 1.0);
    likely(&exact, "Pr[x<=5](<> P.B)", 1.0);
    likely(&exact, "Pr[<=4.999](<> P.B)", 0.0);
    // Here 5 is the sum of many random delays.
    let it = process("P").at("A").invariant("x <= 5").at("B").go("A", "B").guard("x >= 5");
    let busy = process("Q").at("A").rate("7").go("A", "A");
    likely(&model("clock x;", [it, busy]), "Pr[<=5](<> P.B)", 1.0);
}

/// Conditions on clocks become true, and false again, while time passes. U[0,10] is left at T.
#[test]
fn instants_in_the_middle_of_a_delay() {
    let it = process("P").at("A").invariant("x <= 10").at("B").go("A", "B");
    let model = model("clock x;", [it]);
    // A is still there at 4: P(T > 4).
    likely(&model, "Pr[<=20](<> P.A && x > 4)", 0.6);
    likely(&model, "Pr[<=20](<> P.A && x >= 4 && x <= 4)", 0.6);
    likely(&model, "Pr[<=20](<> P.A && x == 4)", 0.6);
    likely(&model, "Pr[<=20](<> P.B && x < 4)", 0.4);
    likely(&model, "Pr[<=20](<> P.B && (x > 3 && x < 4 || x > 11))", 1.0);
    likely(&model, "Pr[<=11](<> P.B && (x > 3 && x < 4 || x > 11))", 0.4);
    likely(&model, "Pr[<=20]([] P.A || x >= 4)", 0.6);
    likely(&model, "Pr[<=20]([] P.A imply x <= 4)", 0.4);
    likely(&model, "Pr[<=20]([] x != 7)", 0.0);
    likely(&model, "Pr[<=7](<> x >= 7)", 1.0);
    likely(&model, "Pr[<=7](<> x > 7)", 0.0);
}

/// Deterministic instants that are sums of random delays: 5 is 5.
#[test]
fn instants_are_what_their_bounds_say() {
    let it = process("P").at("A").invariant("x <= 5").at("C").committed().at("B");
    let it = it.go("A", "C").guard("x >= 5").go("C", "B");
    let busy = process("Q").at("A").rate("7").go("A", "A");
    let fast = process("R").at("A").invariant("x' == 3");
    let plain = model("clock x;", [it.clone(), busy.clone()]);
    let fast = model("clock x;", [it, busy, fast]);
    for model in [plain, fast] {
        likely(&model, "Pr[<=9](<> P.C && x >= 5)", 1.0);
        likely(&model, "Pr[<=9](<> P.C && x == 5)", 1.0);
        likely(&model, "Pr[<=9](<> P.A && x >= 5)", 1.0);
        likely(&model, "Pr[<=9]([] P.C imply x <= 5)", 1.0);
        likely(&model, "Pr[<=9]([] P.A imply x <= 5)", 1.0);
        likely(&model, "Pr[<=9](<> P.A && x > 5)", 0.0);
    }
}

/// Three clocks below a quantifier; each is reset by its process after U[0,10]. All are still above 4
/// at some instant after 4 if none was reset before: 0.6^3. One is: 1 - 0.4^3.
#[test]
fn instants_below_quantifiers() {
    let one = |number: u32| {
        let it = process(&format!("P{number}")).declare("clock y;").at("A").invariant("y <= 10");
        it.at("B").go("A", "B").assign(&format!("y = 0, x[{number}] = 0"))
    };
    let model = model("clock x[3];", [one(0), one(1), one(2)]);
    likely(&model, "Pr[<=4](<> forall (i : int[0,2]) x[i] >= 4)", 0.216);
    likely(&model, "Pr[<=4](<> exists (i : int[0,2]) x[i] >= 4)", 1.0 - 0.064);
    likely(&model, "Pr[<=4]([] exists (i : int[0,2]) x[i] < 4)", 1.0 - 0.216);
}

/// `p U q`: p holds until q does, and q does.
#[test]
fn until() {
    let one = |name: &str, rate: &str| process(name).at("A").rate(rate).at("B").go("A", "B");
    let model = model("clock x;", [one("P", "1"), one("Q", "3")]);
    // Q first: 3 / 4. Within 0.5: times 1 - e^(-4 t).
    likely(&model, "Pr[<=99](P.A U Q.B)", 0.75);
    likely(&model, "Pr[<=0.5](P.A U Q.B)", 0.75 * (1.0 - f64::exp(-2.0)));
    // A clock ends the first part: P(T <= 0.2) at rate 3.
    likely(&model, "Pr[<=99](x <= 0.2 U Q.B)", 1.0 - f64::exp(-0.6));
    // A clock is the goal: P is still in A after 1.
    likely(&model, "Pr[<=99](P.A U x >= 1)", f64::exp(-1.0));
}

/// `[] p` over time, and over steps: each step is P's with 1/4.
#[test]
fn always_and_steps() {
    let one = |name: &str, rate: &str| {
        process(name)
            .declare("int n;")
            .at("A")
            .rate(rate)
            .go("A", "A")
            .guard("n < 1000")
            .assign("n++")
    };
    let model = model("", [one("P", "1"), one("Q", "3")]);
    likely(&model, "Pr[<=0.5]([] P.n == 0)", f64::exp(-0.5));
    likely(&model, "Pr[#<=3]([] P.n == 0)", 0.421_875);
    likely(&model, "Pr[#<=3](<> P.n == 3)", 1.0 / 64.0);
    likely(&model, "Pr[#<=3](<> P.n + Q.n > 3)", 0.0);
    likely(&model, "Pr[#<=3](<> P.n + Q.n >= 3)", 1.0);
    // Binomial: mean 20 / 4, variance 20 * 3 / 16.
    expected(&model, "E[#<=20](max: P.n)", 5.0, 3.75_f64.sqrt());
    // Poisson: mean 6, variance 6.
    expected(&model, "E[<=2](max: Q.n)", 6.0, 6_f64.sqrt());
}

/// A test of a hypothesis decides as the truth says where it is beyond the indifference region.
#[test]
fn hypotheses_and_comparisons() {
    use punctual_smc::statistics::Decision;
    let it = process("P").at("A").invariant("x <= 10").at("B").go("A", "B");
    let model = model("clock x;", [it]);
    let queries = [
        ("Pr[<=3](<> P.B) >= 0.25", Decision::Holds),
        ("Pr[<=3](<> P.B) >= 0.35", Decision::Fails),
        ("Pr[<=3](<> P.B) <= 0.35", Decision::Holds),
        ("Pr[<=3](<> P.B) <= 0.25", Decision::Fails),
        ("Pr[<=3](<> P.B) >= Pr[<=2](<> P.B)", Decision::Holds),
        ("Pr[<=2](<> P.B) >= Pr[<=3](<> P.B)", Decision::Fails),
        ("Pr[<=2](<> P.B) <= Pr[<=3](<> P.B)", Decision::Holds),
    ];
    for (query, decision) in queries {
        match answer(&model, query, &options()) {
            Answer::Hypothesis(it) | Answer::Comparison(it) => {
                assert_eq!(it.decision, decision, "{query}");
            }
            other => panic!("{query}: {other:?}"),
        }
    }
}

/// Nothing happens after the only step. Runs that have shown enough by then are no deadlocks, nor are
/// those that do once time has passed.
#[test]
fn a_goal_in_the_last_state_of_a_run_with_a_step_bound() {
    let it = process("P").at("A").at("B").at("C").go("A", "B").assign("x = 0").go("A", "C");
    let model = model("clock x;", [it]);
    likely(&model, "Pr[#<=9](<> P.B || P.C)", 1.0);
    likely(&model, "Pr[#<=9](<> (P.B || P.C) && x > 100)", 1.0);
    likely(&model, "Pr[#<=9]([] P.A)", 0.0);
    // Time stands still there for ever, but the goal is reached.
    let it = process("P").at("A").at("B").urgent().go("A", "B");
    likely(&builder::model("", [it]), "Pr[<=99](<> P.B)", 1.0 - f64::exp(-99.0));
}

/// Conditions on what is computed from clocks, in the middle of a delay. U[0,10] is left at T.
#[test]
fn instants_of_computed_values() {
    let it = process("P").at("A").invariant("x <= 10").at("B").go("A", "B");
    let model = model("clock x; clock y; double d = 8.0;", [it]);
    likely(&model, "Pr[<=20](<> P.A && 2 * x > d)", 0.6);
    likely(&model, "Pr[<=20](<> P.A && x + y >= 8)", 0.6);
    likely(&model, "Pr[<=20]([] P.A imply x + y <= 8)", 0.4);
    likely(&model, "Pr[<=20](<> P.A && x * x > 16)", 0.6);
    // Nowhere but between 3 and 5.
    likely(&model, "Pr[<=20](<> P.A && fabs(x - 4.0) < 1.0)", 0.7);
    likely(&model, "Pr[<=20](<> P.A && exists (i : int[2,5]) 2 * x > 2 * i + d)", 0.4);
}
