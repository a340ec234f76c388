//! Answers depend on the seed, and on nothing else.

use super::*;

/// Something of everything: a race, branches, random numbers, a broadcast, a cost.
fn busy(limit: u32) -> Model {
    let it = process("P").at("A").rate("2").at("B").invariant("x <= 3").fork("A", "F").sync("c!");
    let it = it.way("F", "B", "2").assign("x = 0, d = random(2)").way("F", "A", "1");
    let it = it.go("B", "A").assign("n++");
    let other = process("Q").at("A").rate("1").go("A", "A").assign("d += random_normal(0, 1)");
    let other = other.go("A", "A").select("i : int[0,3]").sync("c?").assign("m = i");
    let range = format!("clock x; broadcast chan c; int[0,{limit}] n; int m; double d;");
    model(&range, [it, other])
}

const QUERIES: [&str; 6] = [
    "Pr[<=4](<> n == 2 && d > 1)",
    "Pr[#<=20]([] m < 3 || d < 2)",
    "Pr[<=4](<> n == 2) >= 0.3",
    "Pr[<=4](<> n == 2) >= Pr[<=3](<> n == 2)",
    "E[<=5; 500](max: d)",
    "simulate[<=5; 20] {n, d, x}",
];

fn with(seed: u64, threads: usize, query: &str, model: &Model) -> Outcome {
    let options = Options { seed, threads, ..Options::default() };
    ask(&model.xml(), query, &options).expect("an answer")
}

#[test]
fn any_number_of_threads_gives_the_same_outcome() {
    let model = busy(100);
    for query in QUERIES {
        let one = with(7, 1, query, &model);
        assert!(one.spent.is_none() && one.runs > 0, "{one:?}");
        for threads in [2, 5] {
            assert_eq!(with(7, threads, query, &model), one, "{query}");
        }
        assert_ne!(with(8, 1, query, &model).transitions, one.transitions, "{query}");
    }
}

/// The error of a late run, with several threads: the first one in the order of numbers is shown, in
/// the same steps each time.
#[test]
fn any_number_of_threads_gives_the_same_error() {
    let model = busy(6);
    let query = "Pr[<=9; 5000](<> false)";
    let one = with(7, 1, query, &model);
    let Answer::Error(error) = &one.answer else { panic!("{one:?}") };
    assert!(error.run > 0 && !error.steps.is_empty() && !error.problem.moves.is_empty());
    assert_eq!(error.omitted + error.steps.len() as u64, u64::from(error.state.steps));
    let mut last = 0.0;
    for step in &error.steps {
        assert!(step.time >= last && !step.moves.is_empty());
        last = step.time;
    }
    // That many steps of P lead from B to A: n is at its limit.
    let is_back = |step: &&punctual_smc::Step| step.moves[0] == error.problem.moves[0];
    assert_eq!(error.steps.iter().filter(is_back).count(), 6);
    for threads in [1, 2, 5] {
        assert_eq!(with(7, threads, query, &model), one);
    }
    assert_ne!(with(8, 1, query, &model), one);
}
