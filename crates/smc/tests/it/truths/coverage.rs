//! Promises about many answers: intervals hold the truth as often as they say, tests of hypotheses
//! are wrong no more often than they may be. Each repetition has a seed of its own.

use punctual_lang::Model as Read;
use punctual_smc::statistics::{Decision, Method};

use super::*;

const REPETITIONS: u64 = 1000;

fn read(model: &Model, query: &str) -> Read {
    let xml = model.xml();
    let file = Input { name: "model.xml", bytes: xml.as_bytes() };
    let queries = Input { name: "model.q", bytes: query.as_bytes() };
    read_with_queries(file, Some(queries)).model.expect("a model")
}

/// The answers to a query for many seeds.
fn answers<'r>(read: &'r Read, options: &'r Options) -> impl Iterator<Item = Answer> + 'r {
    let property = read.queries[0].property.as_ref().expect("a property");
    (0..REPETITIONS).map(move |seed| {
        let options = Options { seed, ..options.clone() };
        check(&read.network, property, &options, &mut ()).expect("an answer").answer
    })
}

/// U[0,10], left with `share` in ten by that time.
fn uniform(share: f64) -> (Model, String) {
    let it = process("P").at("A").invariant("x <= 10").at("B").go("A", "B");
    (model("clock x;", [it]), format!("Pr[<={}](<> P.B)", 10.0 * share))
}

/// How often the interval holds the truth.
fn coverage(model: &Model, query: &str, truth: f64, method: Method) -> f64 {
    let options = Options { method, epsilon: 0.1, ..Options::default() };
    let read = read(model, query);
    let hits = answers(&read, &options).filter(|answer| match answer {
        Answer::Probability(found) => found.interval.contains(truth),
        other => panic!("{other:?}"),
    });
    hits.count() as f64 / REPETITIONS as f64
}

/// 95 % are promised, and with 1000 repetitions 93 % are within three deviations of that.
#[test]
fn intervals_hold_the_truth() {
    let race = |name: &str, rate: &str| process(name).at("A").rate(rate).at("B").go("A", "B");
    let race = model("", [race("P", "1"), race("Q", "3")]);
    let (half, halfway) = uniform(0.5);
    let (rare, early) = uniform(0.05);
    let mut all = String::new();
    for method in Method::ALL {
        for (model, query, truth) in [
            (&half, halfway.as_str(), 0.5),
            (&rare, early.as_str(), 0.05),
            (&race, "Pr[#<=1](<> P.B)", 0.25),
        ] {
            let coverage = coverage(model, query, truth, method);
            all += &format!("{} {truth}: {coverage}\n", method.name());
            assert!((0.93..=1.0).contains(&coverage), "{all}");
        }
    }
    println!("{all}");
}

/// Means of U[0,10], 100 runs each: 95 % of the intervals hold 5.
#[test]
fn intervals_of_means_hold_the_truth() {
    let it = process("P").at("A").invariant("x <= 10").at("B").invariant("x' == 0").go("A", "B");
    let read = read(&model("clock x;", [it]), "E[<=10; 100](max: x)");
    let options = Options::default();
    let hits = answers(&read, &options).filter(|answer| match answer {
        Answer::Expectation(found) => found.interval.expect("runs").contains(5.0),
        other => panic!("{other:?}"),
    });
    let coverage = hits.count() as f64 / REPETITIONS as f64;
    println!("mean: {coverage}");
    assert!((0.93..=0.97).contains(&coverage), "{coverage}");
}

/// At the edges of the indifference region the wrong decision comes with 5 % at most (and three
/// deviations of chance).
#[test]
fn hypotheses_are_wrong_as_rarely_as_promised() {
    let options = Options { delta: 0.1, ..Options::default() };
    for (truth, wrong) in [(0.6, Decision::Fails), (0.4, Decision::Holds)] {
        let (model, query) = uniform(truth);
        for (sign, wrong) in [(">=", wrong), ("<=", opposite(wrong))] {
            let read = read(&model, &format!("{query} {sign} 0.5"));
            let errors = answers(&read, &options).filter(|answer| match answer {
                Answer::Hypothesis(found) => found.decision == wrong,
                other => panic!("{other:?}"),
            });
            let share = errors.count() as f64 / REPETITIONS as f64;
            println!("{truth} {sign} 0.5: wrong in {share}");
            assert!(share <= 0.05 + 3.0 * 0.0069, "{truth} {sign} 0.5: {share}");
        }
    }
}

fn opposite(decision: Decision) -> Decision {
    match decision {
        Decision::Holds => Decision::Fails,
        Decision::Fails => Decision::Holds,
        Decision::Undecided => Decision::Undecided,
    }
}
