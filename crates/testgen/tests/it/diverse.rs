//! Suites that get more diverse.

use std::collections::BTreeSet;

use punctual_model::{Expr, Frame, Id, Number, StateExpr};
use punctual_smc::Stream;
use punctual_testgen::timed::{
    Budget, Criterion, Diverse, Goal, Limits, Options, Run, Similarity, Status, Wait, World, cover,
    covered, goals, make,
};

use super::decide::{network, specification};

/// Two ways to be on, and values that come with an input.
const SYSTEM: &str =
    "process S() { clock x; state off, soon { x <= 3 }, on { x <= 6 }, dim; init off;
    trans off -> soon { sync a?; assign x = 0; },
        off -> dim { sync d?; assign v = k; },
        soon -> on { guard x >= 2; assign v = 1, x = 0; },
        soon -> off { sync b?; },
        on -> dim { guard x >= 4; assign v = 2; },
        on -> off { sync b?; assign v = 0; },
        dim -> off { sync a?; assign v = 0; },
        dim -> dim { sync d?; assign v = k; }; }";

/// Sends anything with a pause.
const USER: &str = "process E() { clock e; state s; init s;
    trans s -> s { guard e >= 1; sync a!; assign e = 0; },
        s -> s { guard e >= 2; sync b!; assign e = 0; },
        s -> s { select i : int[0,2]; guard e >= 1; sync d!; assign k = i, e = 0; }; }";

/// The mean similarity of all pairs, from scratch.
fn mean(world: &World<'_>, runs: &[&Run]) -> f64 {
    let mut similarity = Similarity::new(world);
    let all: Vec<_> = runs.iter().map(|run| similarity.sequence(world, run)).collect();
    let mut pairs = Vec::new();
    for (at, left) in all.iter().enumerate() {
        pairs.extend(all[..at].iter().map(|right| i64::from(similarity.of(left, right))));
    }
    similarity.score(pairs.iter().sum()) / pairs.len().max(1) as f64
}

/// The mean never rises, coverage never falls, and the mean is what it is.
#[test]
fn suites_get_more_diverse() {
    let specification = specification(network(SYSTEM, USER), 1);
    let world = World::new(&specification).expect("a world");
    let criteria = [Criterion::Edges, Criterion::Pairs, Criterion::Bounds];
    let goals = goals(&specification, &criteria);
    let limits = Limits { states: 20_000, length: 12 };
    for wait in [Wait::Behind, Wait::End, Wait::Middle, Wait::Start] {
        let covering = cover(&world, &goals, limits, wait, &mut |_| true);
        let found = covering.goals.iter();
        let found = found.filter(|(_, status)| matches!(status, Status::Covered(_)));
        let wanted: BTreeSet<Goal> = found.map(|(goal, _)| *goal).collect();
        assert!(wanted.len() > 20, "{wait:?}: {:?}", covering.goals);
        let mut diverse = Diverse::new(&world, wait, covering.runs, &wanted, None);
        let mut chance = Stream::of_run(3, 0);
        for _ in 0..20 {
            diverse.grow(&mut chance);
        }
        let (first, mut n_replaced) = (diverse.mean(), 0);
        for _ in 0..150 {
            let before = diverse.mean();
            let is_replaced = diverse.improve(&mut chance);
            n_replaced += usize::from(is_replaced);
            let runs: Vec<&Run> = diverse.runs().collect();
            assert!((diverse.mean() - mean(&world, &runs)).abs() < 1e-9, "{wait:?}");
            assert!(diverse.mean() < before || (!is_replaced && diverse.mean() == before));
            let seen: BTreeSet<Goal> = runs
                .iter()
                .flat_map(|run| covered(&world.network, run).goals().collect::<Vec<_>>())
                .collect();
            assert!(wanted.is_subset(&seen), "{wait:?}: something is not covered any more");
        }
        assert!(n_replaced > 10 && diverse.mean() < first, "{wait:?}: {n_replaced}");
    }
}

/// A budget is kept, in cases and in time, beside cases that reach a state.
#[test]
fn budgets_are_kept() {
    let specification = specification(network(SYSTEM, USER), 1);
    let world = World::new(&specification).expect("a world");
    let expr = Expr::InLocation(Id::from_index(0), Id::from_index(3));
    let state = StateExpr { expr, number: Number::Int, frame: Frame::default() };
    let limits = Limits { states: 20_000, length: 12 };
    let reset_ns = 5_000_000;
    for (budget, purposes) in [
        (Budget::Cases(20), vec![]),
        (Budget::Cases(20), vec![("dim".to_owned(), state.clone())]),
        (Budget::Time { all_ns: 1_000_000_000, reset_ns }, vec![]),
        (Budget::Time { all_ns: 1_000_000_000, reset_ns }, vec![("dim".to_owned(), state)]),
    ] {
        let n_purposes = purposes.len();
        let options = Options {
            criteria: vec![Criterion::Edges],
            purposes,
            budget: Some(budget),
            iterations: 300,
            limits,
            n_random: 0,
            wait: Wait::Behind,
            seed: 1,
        };
        let made = make(&world, &options, &|_, _| None, &mut |_| true).expect("a suite");
        let n = made.suite.cases.len();
        assert_eq!(made.runs.len(), n);
        assert!(made.n_replaced > 0 && made.similarity.1 < made.similarity.0);
        match budget {
            Budget::Cases(of) => assert_eq!(n, of),
            Budget::Time { all_ns, .. } => {
                let used = made.duration_ns + n as u64 * reset_ns;
                assert!(used <= all_ns && used > all_ns * 9 / 10, "{used} of {all_ns} ns");
            }
        }
        let named = made.suite.cases.iter().filter(|case| case.name == "dim").count();
        assert_eq!(named, n_purposes);
    }
}
