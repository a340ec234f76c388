//! What a process chooses: edges, values, branches, random numbers.

use super::*;

/// Three enabled edges of four: 1/3 each.
#[test]
fn enabled_edges_are_equally_likely() {
    let it = process("P").at("A").at("B").at("C").at("D").at("E");
    let it = it.go("A", "B").go("A", "C").go("A", "D").go("A", "E").guard("n > 0");
    let model = model("int n;", [it]);
    for location in ["B", "C", "D"] {
        likely(&model, &format!("Pr[#<=1](<> P.{location})"), 1.0 / 3.0);
    }
    likely(&model, "Pr[#<=1](<> P.E)", 0.0);
}

/// Values of selects are edges of their own: 4 of the 5 that the guard lets through, and one more
/// edge: 1/5 each.
#[test]
fn selected_values_are_equally_likely() {
    let it = process("P").at("A").at("B").at("C").go("A", "C");
    let it = it.go("A", "B").select("i : int[0,4]").guard("i != 2").assign("n = i");
    let one = model("int n = -1;", [it]);
    for value in [0, 1, 3, 4] {
        likely(&one, &format!("Pr[#<=1](<> n == {value})"), 0.2);
    }
    likely(&one, "Pr[#<=1](<> P.C)", 0.2);
    // Two dice: P(sum = 9) = 4 / 36. On average the greater is 161 / 36.
    let it = process("P").at("A").at("B").go("A", "B");
    let it = it.select("i : int[1,6], j : int[1,6]").assign("n = i + j, m = i > j ? i : j");
    let two = model("int n; int m;", [it]);
    likely(&two, "Pr[#<=1](<> n == 9)", 4.0 / 36.0);
    let square = (1..=6).map(|k| f64::from((2 * k - 1) * k * k) / 36.0).sum::<f64>();
    let mean = 161.0 / 36.0;
    expected(&two, "E[#<=1](max: m)", mean, (square - mean * mean).sqrt());
}

/// Weights, written in several ways: 2 : 3 : 5, one branch with weight 0.
#[test]
fn branches_by_weight() {
    for weights in
        [["2", "3", "5", "0"], ["w[0]", "w[0] + 1", "w[1]", "z"], ["0.2", "0.3", "h", "z"]]
    {
        let mut it = process("P").at("A").at("B0").at("B1").at("B2").at("B3").fork("A", "F");
        for (number, weight) in weights.iter().enumerate() {
            it = it.way("F", &format!("B{number}"), weight);
        }
        let model = model("int w[2] = {2, 5}; int z = 0; double h = 0.5;", [it]);
        for (number, probability) in [0.2, 0.3, 0.5, 0.0].into_iter().enumerate() {
            likely(&model, &format!("Pr[#<=1](<> P.B{number})"), probability);
        }
    }
}

/// Values that a branch selects are branches of their own: 1, 2 and 3 parts against one part. The
/// update of the edge comes before that of the branch.
#[test]
fn weights_of_selected_values() {
    let it = process("P").at("A").at("B").at("C").fork("A", "F").assign("n = 10");
    let it = it.way("F", "B", "i").select("i : int[1,3]").assign("n += i").way("F", "C", "1");
    let model = model("int n;", [it]);
    likely(&model, "Pr[#<=1](<> P.B)", 6.0 / 7.0);
    likely(&model, "Pr[#<=1](<> P.B && n == 13)", 3.0 / 7.0);
}

/// The number of tries is geometric: P(N <= k) = 1 - (1 - p)^k, E = 1 / p, variance (1 - p) / p^2.
#[test]
fn geometric_tries() {
    let it = process("P").at("A").urgent().at("B").fork("A", "F").assign("n++");
    let it = it.way("F", "B", "1").way("F", "A", "3");
    let model = model("int n;", [it]);
    likely(&model, "Pr[#<=3](<> P.B)", 1.0 - 0.421_875);
    likely(&model, "Pr[<=1](<> n == 3 && P.B)", 0.140_625);
    expected(&model, "E[<=1](max: n)", 4.0, 12_f64.sqrt());
}

/// The gambler with 2 coins, a fair game, and 5 to win: 2 / 5.
#[test]
fn gamblers_ruin() {
    let it = process("P").at("A").urgent().at("B").fork("A", "F").guard("n > 0 && n < 5");
    let it = it.way("F", "A", "1").assign("n++").way("F", "A", "1").assign("n--");
    let it = it.go("A", "B").guard("n == 0 || n == 5");
    likely(&model("int[0,5] n = 2;", [it]), "Pr[<=1](<> P.B && n == 5)", 0.4);
}

/// Two committed processes move first, in either order.
#[test]
fn committed_processes_are_equally_likely() {
    let one = |name: &str, number: u32| {
        let it = process(name).at("A").committed().at("B").go("A", "B");
        it.assign(&format!("first = first == 0 ? {number} : first"))
    };
    let eager = process("R").at("A").urgent().at("B").go("A", "B").assign("first = 3");
    let model = model("int first;", [one("P", 1), one("Q", 2), eager]);
    likely(&model, "Pr[#<=1](<> first == 1)", 0.5);
    likely(&model, "Pr[#<=1](<> first == 2)", 0.5);
    likely(&model, "Pr[#<=1](<> first == 3)", 0.0);
}

/// `random(x)` is uniform on [0, x); `random_normal(m, s)` is below m + s with (1 + erf(1/sqrt 2)) / 2.
#[test]
fn random_numbers() {
    let it = process("P").at("A").at("B").go("A", "B");
    let it = it.assign("u = random(4), g = random_normal(10, 2), v = random(2)");
    let model = model("double u; double v; double g;", [it]);
    likely(&model, "Pr[#<=1](<> u > 3)", 0.25);
    likely(&model, "Pr[#<=1](<> u >= 4 || u < 0)", 0.0);
    // Independent of each other: a triangle below v = u, of area 2 in 8.
    likely(&model, "Pr[#<=1](<> P.B && u < v)", 0.25);
    likely(&model, "Pr[#<=1](<> g > 12)", 0.158_655_253_931_457);
    likely(&model, "Pr[#<=1](<> P.B && g < 6)", 0.022_750_131_948_179);
    expected(&model, "E[#<=1](max: g)", 10.0, 2.0);
    expected(&model, "E[#<=1](min: 0.0 - u)", -2.0, 4.0 / 12_f64.sqrt());
}

/// A delay that depends on a random number: exponential with a rate that is U[1,2):
/// P(T <= 1) = 1 - int_1^2 e^-r dr = 1 - e^-1 + e^-2.
#[test]
fn a_random_rate() {
    let it = process("P").at("O").urgent().at("A").rate("r").at("B");
    let it = it.go("O", "A").assign("r = 1 + random(1)").go("A", "B");
    let truth = 1.0 - f64::exp(-1.0) + f64::exp(-2.0);
    likely(&model("double r;", [it]), "Pr[<=1](<> P.B)", truth);
}
