//! Draws that are kept against the definition, which draws anew after every transition: runs of both
//! kinds have the same distribution.
//!
//! Of each run its transitions, and the state and the times of some transitions on the way, are compared,
//! by means and (for what is not whole) by the distance of Kolmogorov and Smirnov.

use punctual_lang::{Input, Reading, read_with_queries};
use punctual_semantics::stochastic::{Race, Simulator, Stochastic};
use punctual_smc::Stream;

use super::builder::{Model, Process};
use super::{DEVIATIONS, SEED, model, process};

const RUNS: u64 = 6_000;
/// When a run is looked at: not where rounding would decide what has happened already.
const INSTANTS: [f64; 3] = [1.53, 4.37, 9.21];
const STEPS: [u32; 4] = [1, 2, 4, 7];

pub(super) fn compile(xml: &str) -> Stochastic {
    let file = Input { name: "model.xml", bytes: xml.as_bytes() };
    let Reading { model, diagnostics, .. } = read_with_queries(file, None);
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    Stochastic::new(&model.network, |_| Ok(())).unwrap_or_else(|refusal| panic!("{refusal:?}")).0
}

/// What is compared of a run.
fn run(simulator: &mut Simulator<'_>, stream: &mut Stream) -> Vec<f64> {
    let mut seen = Vec::new();
    let mut times = [0.0; STEPS.len()];
    let mut instants = INSTANTS.into_iter().peekable();
    simulator.start(stream).unwrap();
    while let Some(&end) = instants.peek() {
        let left = end - simulator.state().time;
        match simulator.race(stream).unwrap() {
            Race::Won { winner, delay } if delay <= left => {
                simulator.pass(delay);
                if simulator.act(winner, stream).unwrap()
                    && let Some(at) = STEPS.iter().position(|it| *it == simulator.state().steps)
                {
                    times[at] = simulator.state().time;
                }
            }
            _ => {
                simulator.pass(left);
                let state = simulator.state();
                seen.push(f64::from(state.steps));
                seen.extend(state.ints.iter().map(|it| f64::from(*it)));
                seen.extend(&state.clocks);
                seen.extend(&state.doubles);
                instants.next();
            }
        }
    }
    seen.extend(times);
    seen
}

/// For each thing that is compared, its values in all runs.
fn runs(model: &Stochastic, anew: bool) -> Vec<Vec<f64>> {
    let mut simulator = Simulator::new(model);
    simulator.draw_always_anew(anew);
    let mut all: Vec<Vec<f64>> = Vec::new();
    for number in 0..RUNS {
        let seed = SEED + u64::from(anew);
        let seen = run(&mut simulator, &mut Stream::of_run(seed, number));
        all.resize(seen.len(), Vec::new());
        all.iter_mut().zip(seen).for_each(|(values, value)| values.push(value));
    }
    all
}

fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / n)
}

/// The greatest distance of two empirical distributions.
fn distance(left: &[f64], right: &[f64]) -> f64 {
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    let (left, right) = (sorted(left), sorted(right));
    let share = |of: &[f64], at: f64| of.partition_point(|it| *it <= at) as f64 / of.len() as f64;
    // What differs by rounding is the same.
    let both = left.iter().chain(&right).map(|it| it + 1e-7);
    both.map(|at| (share(&left, at) - share(&right, at)).abs()).fold(0.0, f64::max)
}

#[track_caller]
fn same<const N: usize>(declarations: &str, processes: [Process; N]) {
    let model: Model = model(declarations, processes);
    let model = compile(&model.xml());
    let (kept, anew) = (runs(&model, false), runs(&model, true));
    for (i, (kept, anew)) in kept.iter().zip(&anew).enumerate() {
        let ((mean, variance), (other, other_variance)) = (moments(kept), moments(anew));
        let deviation = ((variance + other_variance) / RUNS as f64).sqrt();
        let off = (mean - other).abs();
        assert!(off <= DEVIATIONS * deviation + 1e-6, "{i}: kept {mean}, anew {other}");
        // About one in 10^7 is beyond this by chance.
        let limit = 2.9 / (RUNS as f64 / 2.0).sqrt();
        let distance = distance(kept, anew);
        assert!(distance <= limit, "{i}: distributions {distance} apart");
    }
}

/// A process that moves on its own, at a rate, and does something.
fn ticker(name: &str, rate: &str, update: &str) -> Process {
    process(name).at("A").rate(rate).go("A", "A").assign(update)
}

#[test]
fn clocks_of_one_process() {
    let it = |name: &str, lo: u32, hi: u32| {
        let it = process(name).declare("clock x;").at("A").invariant(&format!("x <= {hi}"));
        it.go("A", "A").guard(&format!("x >= {lo}")).assign("x = 0")
    };
    same("", [it("P", 1, 2), it("Q", 0, 3), ticker("R", "2", "")]);
}

#[test]
fn shared_clocks() {
    let it = process("P").at("A").invariant("x <= 3").go("A", "A").guard("x >= 1").assign("x = 0");
    let other = process("Q").at("A").invariant("x <= 4").at("B").rate("2");
    let other = other.go("A", "B").guard("x >= 2").go("B", "A").assign("x = 1");
    same("clock x;", [it, other, ticker("R", "0.7", "x = 0")]);
}

#[test]
fn rates_of_clocks() {
    let it = process("P").at("A").invariant("x <= 3").at("B").rate("1");
    let it = it.go("A", "B").guard("x >= 1").assign("x = 0").go("B", "A");
    let other = process("Q").at("A").invariant("x' == 0").rate("1").at("B").invariant("x' == 2");
    let other = other.rate("1").go("A", "B").go("B", "A");
    let third = process("R").at("A").invariant("y' == speed").rate("1").go("A", "A");
    let third = third.guard("y >= 1").assign("y = 0");
    let fourth = ticker("S", "1", "speed = 3 - speed");
    same("clock x, y; int speed = 1;", [it, other, third, fourth]);
}

#[test]
fn urgent_channels() {
    let sender = process("P").declare("clock z;").at("A").rate("0.1").at("B").rate("1");
    let sender = sender.go("A", "B").guard("n > 0 && z >= 1").sync("c!").assign("n--");
    let sender = sender.go("B", "A").assign("z = 0");
    let receiver = process("Q").at("A").rate("1").at("Ready").rate("0.5");
    let receiver = receiver.go("A", "Ready").go("Ready", "A").sync("c?").assign("y = 0");
    let receiver = receiver.go("Ready", "A").guard("y >= 4");
    same("urgent chan c; clock y; int n;", [sender, receiver, ticker("R", "1", "n = 1")]);
}

#[test]
fn broadcasts() {
    let sender = process("P").declare("clock x;").at("A").invariant("x <= 2");
    let sender = sender.go("A", "A").guard("x >= 1").sync("c!").assign("x = 0");
    let receiver = |name: &str| {
        let it = process(name).declare("clock x;").at("A").invariant("x <= 5").at("B").rate("1");
        let it = it.go("A", "B").go("A", "A").sync("c?").assign("n++, x = n");
        it.go("B", "A").guard("n > 2").assign("n = 0, x = 0").go("B", "B").sync("c?").assign("n++")
    };
    same("broadcast chan c; int n;", [sender, receiver("Q"), receiver("R")]);
}

#[test]
fn committed_and_urgent_locations() {
    let it = process("P").at("A").rate("1").at("B").committed().at("C").urgent();
    let it = it.go("A", "B").go("B", "C").sync("c!").go("B", "A").go("C", "A").assign("n++");
    let other = process("Q").declare("clock x;").at("A").invariant("x <= 3").at("B").rate("2");
    let other = other.go("A", "B").guard("x >= 2").go("A", "B").sync("c?").assign("n = 0");
    let other = other.go("B", "A").assign("x = 0");
    same("chan c; int n;", [it, other, ticker("R", "1", "n = 2")]);
}

#[test]
fn handshakes_without_partners() {
    let sender = process("P").declare("clock x;").at("A").invariant("x <= 6").at("B").rate("1");
    let sender = sender.go("A", "B").guard("x >= 1").sync("c!").go("B", "A").assign("x = 0");
    let other = process("Q").at("A").rate("2").at("B").go("A", "B").sync("c!").go("B", "A");
    let receiver = process("R").at("A").rate("1").at("B").rate("1").go("A", "B").go("B", "A");
    let receiver = receiver.go("B", "A").sync("c?").guard("n > 0 && y >= 1").assign("y = 0");
    let late = process("S").declare("clock z;").at("A").go("A", "A").guard("z >= 5");
    let late = late.sync("c?").assign("z = 2");
    let all = [sender, other, receiver, late, ticker("T", "1", "n = 1 - n")];
    same("chan c; clock y; int n;", all);
}

#[test]
fn variables_in_invariants_guards_and_rates() {
    let it = process("P").declare("clock x;").at("A").invariant("x <= 4 + n").go("A", "A");
    let it = it.guard("x >= n").assign("x = 0");
    let other = process("Q").at("A").rate("1 + n").go("A", "A").assign("m++");
    let third = process("R").declare("clock x;").at("A").invariant("x <= 9").at("B").rate("1");
    let third = third.go("A", "B").guard("a[n] > 0").go("B", "A").assign("x = 0, a[n] = 0");
    let fourth = process("S").at("A").rate("2").go("A", "A").select("i : int[0,2]");
    let fourth = fourth.assign("n = i, a[i] = 1");
    same("int n, m, a[3];", [it, other, third, fourth]);
}

#[test]
fn outputs_that_are_possible_for_a_while() {
    let it = process("P").declare("clock x;").at("A").invariant("x <= 6").at("B").rate("1");
    let it = it.go("A", "B").guard("x <= 2 && n > 0").go("A", "B").guard("x >= 4");
    let it = it.go("B", "A").assign("x = 0");
    let early = process("Q").declare("clock x;").at("A").rate("0.4").at("B").rate("1");
    let early = early.go("A", "B").guard("x <= 1").go("A", "B").guard("x >= 3");
    let early = early.go("B", "A").assign("x = 0");
    same("int n;", [it, early, ticker("R", "1", "n = 1 - n")]);
}

#[test]
fn functions_meta_variables_and_chance() {
    let it = process("P").declare("clock x;").at("A").invariant("x <= 5").go("A", "A");
    let it = it.guard("f(1) > 0").assign("x = 0, g()");
    let other = process("Q").at("A").rate("h()").go("A", "A").assign("d = random(2)");
    let third = process("R").declare("clock x;").at("A").rate("1 + x").go("A", "A").assign("x = 0");
    let code = "int n = 1, a[2] = {1, 1}; double d = 1; meta int m;
        int f(int i) { return n + a[i] > 0; } void g() { a[1] = 1 - a[1]; }
        double h() { return d + 0.5; }";
    same(code, [it, other, third, ticker("S", "1.5", "n = 1 - n, m = 2")]);
}

#[test]
fn selected_channels() {
    let sender = process("P").declare("clock x;").at("A").invariant("x <= 3").go("A", "A");
    let sender = sender.select("i : int[0,2]").guard("i != n").sync("c[i]!").assign("x = 0");
    let receiver = process("Q").at("A").go("A", "A").select("i : int[0,1]").sync("c[i]?");
    let receiver = receiver.guard("i + m != 1").assign("k = i");
    let other = process("R").at("A").go("A", "A").sync("c[m]?").assign("k = 5");
    let tickers = [ticker("S", "1", "n = 2 - n"), ticker("T", "1", "m = 1 - m")];
    let [first, second] = tickers;
    same("broadcast chan c[3]; int n, m, k;", [sender, receiver, other, first, second]);
}

/// Equal instants that no chance made: each of the three is first with the same chance, however late.
#[test]
fn ties_of_instants() {
    let it = |name: &str, number: u32| {
        let it = process(name).declare("clock x;").at("A").invariant("x <= 1");
        let it = it.go("A", "A").guard("x >= 1 && n < 30").assign("x = 0, n++");
        let it = it.at("B").go("A", "B").guard("x >= 1 && n >= 30");
        it.assign(&format!("f = f == 0 ? {number} : f"))
    };
    let all = [it("P", 1), it("Q", 2), it("R", 3), ticker("S", "3", "k = 0")];
    let one = model("int n, f, k;", all.clone());
    for first in 1..=3 {
        super::likely(&one, &format!("Pr[<=20](<> f == {first})"), 1.0 / 3.0);
    }
    same("int n, f, k;", all);
}

/// A step that is possible at one instant only is not lost by rounding, whenever its process looks again. (The relay of the cooling example waits
/// for a partner, and may move after 120 exactly.)
#[test]
fn windows_of_one_instant() {
    let path = format!("{}/../../examples/cooling/model.xml", env!("CARGO_MANIFEST_DIR"));
    let xml = std::fs::read_to_string(path).unwrap();
    let options = punctual_smc::Options { runs: Some(300), ..super::options() };
    let outcome = super::ask(&xml, "Pr[<=100](<> AlarmRelay.Closed)", &options).unwrap();
    assert!(matches!(outcome.answer, punctual_smc::Answer::Probability(_)), "{outcome:?}");
}
