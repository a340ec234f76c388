//! Searches compared with trying everything by the reference semantics.

use proptest::prelude::*;
use punctual_model::lustre::{Program, Rational, Value};
use punctual_oracle::steering::{Limits, LookAhead, Observation, Outcome, Policy, Price, Setup};
use punctual_semantics::lustre::Reference;

use super::rows::{arb_story, arb_text, told};
use super::{judge, program, setup, whole, windows};

/// `a` may change by one, `b` may grow by one, `c` may become true.
const ROOM: [(&str, i128, i128); 3] = [("a", -1, 1), ("b", 0, 1), ("c", 0, 1)];

fn steered(program: &Program, test: &[Observation], change: impl FnOnce(&mut Setup)) -> Outcome {
    let tolerances = windows(program, &ROOM).to_tolerances(program);
    let mut setup = setup(program, tolerances);
    change(&mut setup);
    judge(program, setup, test)
}

/// All allowed inputs of a step, and what they cost.
fn allowed(inputs: &[Value]) -> Vec<(Vec<Value>, i128)> {
    let [Value::Int(a), Value::Int(b), Value::Bool(c)] = inputs else { panic!() };
    let mut all = Vec::new();
    for by_a in -1..=1_i64 {
        for by_b in 0..=1_i64 {
            for new_c in [*c, true] {
                let cost = by_a.abs() + by_b + i64::from(new_c != *c);
                let inputs = vec![Value::Int(a + by_a), Value::Int(b + by_b), Value::Bool(new_c)];
                all.push((inputs, i128::from(cost)));
            }
        }
    }
    all
}

/// How far the outputs are from the system's after these inputs, in the last step.
fn distance(program: &Program, inputs: &[Vec<Value>], system: &[Value]) -> Rational {
    let mut reference = Reference::new(program);
    for row in inputs {
        reference.step(row).unwrap();
    }
    let mut total = whole(0);
    for (var, system) in program.outputs().zip(system) {
        let model = reference.value(var).unwrap();
        total += match (model, *system) {
            (Value::Int(model), Value::Int(system)) => whole(i128::from((model - system).abs())),
            (model, system) => whole(i128::from(model != system)),
        };
    }
    total
}

/// The inputs that an outcome explains a test with.
fn explained(program: &Program, test: &[Observation], outcome: &Outcome) -> Vec<Vec<Value>> {
    let mut inputs: Vec<Vec<Value>> = test.iter().map(|it| it.inputs.clone()).collect();
    let vars: Vec<_> = program.inputs().collect();
    for step in &outcome.steps {
        for change in &step.changes {
            let at = vars.iter().position(|it| *it == change.var).unwrap();
            assert_eq!(inputs[step.step][at], change.from);
            inputs[step.step][at] = change.to;
        }
    }
    inputs
}

/// The least cost of inputs that explain all steps, found by trying all.
fn least(program: &Program, test: &[Observation], taken: &mut Vec<Vec<Value>>) -> Option<i128> {
    let Some(step) = test.get(taken.len()) else { return Some(0) };
    let mut best: Option<i128> = None;
    for (inputs, cost) in allowed(&step.inputs) {
        taken.push(inputs);
        if distance(program, taken, &step.system) == whole(0)
            && let Some(rest) = least(program, test, taken)
        {
            best = Some(best.map_or(cost + rest, |it| it.min(cost + rest)));
        }
        taken.pop();
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Deciding at once takes, in each step, the nearest and cheapest of all allowed inputs.
    #[test]
    fn enumerating_is_trying_everything(text in arb_text(), story in arb_story(4)) {
        let program = program(&text);
        let test = told(&program, &story);
        let outcome = steered(&program, &test, |setup| setup.policy.goes_on = true);
        let inputs = explained(&program, &test, &outcome);
        for (step, observation) in test.iter().enumerate() {
            let mut tried = inputs[..=step].to_vec();
            let mut cost_of = |row: &Vec<Value>| {
                tried[step] = row.clone();
                distance(&program, &tried, &observation.system)
            };
            let candidates = allowed(&observation.inputs);
            let best =
                candidates.iter().map(|(row, cost)| (cost_of(row), *cost)).min().unwrap();
            let taken = candidates.iter().find(|(row, _)| *row == inputs[step]).unwrap();
            prop_assert_eq!((cost_of(&taken.0), taken.1), best, "step {}\n{}", step, text);
        }
    }

    /// Looking ahead to the end finds the cheapest explanation of all, if there is one.
    #[test]
    fn looking_ahead_is_trying_all_runs(text in arb_text(), story in arb_story(3)) {
        let program = program(&text);
        let test = told(&program, &story);
        let outcome = steered(&program, &test, |setup| setup.look_ahead = LookAhead::All);
        let least = least(&program, &test, &mut Vec::new());
        prop_assert_eq!(outcome.verdict.is_pass(), least.is_some(), "{}", text);
        if let Some(least) = least {
            prop_assert_eq!(outcome.cost, whole(least), "{}", text);
        }
    }

    /// What is explained by deciding at once is explained at no more cost by looking ahead, also
    /// if old adjustments are cheaper than new ones.
    #[test]
    fn deciding_at_once_is_never_better(
        text in arb_text(),
        story in arb_story(5),
        fixed in 0..3_i128,
        renewal in 0..3_i128,
    ) {
        let program = program(&text);
        let test = told(&program, &story);
        let price = Price { unit: whole(1), fixed: whole(fixed), renewal: whole(renewal) };
        let policy = Policy { prices: vec![price; 3], ..Policy::default() };
        let at_once = steered(&program, &test, |setup| setup.policy = policy.clone());
        let ahead = steered(&program, &test, |setup| {
            setup.policy = policy.clone();
            setup.look_ahead = LookAhead::All;
        });
        if at_once.verdict.is_pass() {
            prop_assert!(ahead.verdict.is_pass(), "{}", text);
            prop_assert!(ahead.cost <= at_once.cost, "{}", text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// A solver finds steps that are as near and as cheap as those that are found by trying.
    #[test]
    fn solving_is_enumerating(
        text in arb_text(),
        story in arb_story(3),
        units in prop::collection::vec(1..4_i128, 3),
        fixed in 0..3_i128,
        renewal in 0..3_i128,
    ) {
        let program = program(&text);
        let test = told(&program, &story);
        let price =
            |unit: &i128| Price { unit: Rational::new(*unit, 2), fixed: whole(fixed), renewal: whole(renewal) };
        let policy =
            Policy { prices: units.iter().map(price).collect(), ..Policy::default() };
        let run = |enumerated| steered(&program, &test, |setup| {
            setup.policy = policy.clone();
            setup.limits = Limits { enumerated, ..Limits::default() };
        });
        let (tried, solved) = (run(u64::MAX / 2), run(0));
        prop_assert_eq!(solved.verdict, tried.verdict, "{}", &text);
        prop_assert_eq!(solved.cost, tried.cost, "{}", &text);
        prop_assert_eq!(solved.remaining, tried.remaining, "{}", &text);
        prop_assert_eq!(tried.effort.solved, 0);
    }
}
