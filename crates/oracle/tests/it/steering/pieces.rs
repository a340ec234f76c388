//! Wide tolerances, piece by piece, compared with trying every change.

use proptest::prelude::*;
use punctual_model::lustre::Program;
use punctual_oracle::steering::{Limits, LookAhead, Observation, Outcome, Policy, Price, Setup};

use super::rows::{arb_story, arb_text, told};
use super::{judge, program, setup, tolerances, whole};

/// Says nothing, but of two variables together: then every change is tried.
const TOGETHER: &str = "a + b < 1000";

fn around(name: &str, low: i64, high: i64) -> String {
    format!(
        "{name} >= concrete_oracle_{name} + {low} and {name} <= concrete_oracle_{name} + {high}\n"
    )
}

fn steered(
    program: &Program,
    conditions: &str,
    policy: &Policy,
    look_ahead: LookAhead,
    test: &[Observation],
) -> Outcome {
    let conditions = tolerances(program, conditions);
    let setup = Setup { look_ahead, policy: policy.clone(), ..setup(program, conditions) };
    judge(program, setup, test)
}

fn arb_look_ahead() -> impl Strategy<Value = LookAhead> {
    prop_oneof![
        Just(LookAhead::Steps(0)),
        Just(LookAhead::Steps(1)),
        Just(LookAhead::Steps(2)),
        Just(LookAhead::All),
    ]
}

fn arb_policy() -> impl Strategy<Value = Policy> {
    let price = (1..4_i128, 0..3_i128).prop_map(|(unit, fixed)| Price {
        unit: whole(unit),
        fixed: whole(fixed),
        renewal: whole(0),
    });
    (prop::collection::vec(price, 3), 0..2_i128, any::<bool>(), any::<bool>()).prop_map(
        |(prices, step, steady, exact_only)| Policy {
            prices,
            step: whole(step),
            steady,
            exact_only,
            ..Policy::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Pieces find what trying every change finds: the same verdict at the same cost, and if
    /// decisions are made at once, by the same changes.
    #[test]
    fn pieces_are_all_there_is(
        text in arb_text(),
        story in arb_story(4),
        policy in arb_policy(),
        look_ahead in arb_look_ahead(),
        (low, high, more) in (-3..=0_i64, 0..=3_i64, 0..=2_i64),
    ) {
        let program = program(&text);
        let test = told(&program, &story);
        let windows = around("a", low, high) + &around("b", 0, more);
        let run = |conditions: &str| steered(&program, conditions, &policy, look_ahead, &test);
        let (pieces, tried) = (run(&windows), run(&(windows.clone() + TOGETHER)));
        prop_assert_eq!(pieces.verdict.is_pass(), tried.verdict.is_pass(), "{}", &text);
        prop_assert_eq!(pieces.verdict.is_fail(), tried.verdict.is_fail(), "{}", &text);
        if pieces.verdict.is_pass() || look_ahead == LookAhead::Steps(0) {
            prop_assert_eq!(pieces.cost, tried.cost, "{}", &text);
            prop_assert_eq!(pieces.remaining, tried.remaining, "{}", &text);
        }
        if look_ahead == LookAhead::Steps(0) {
            prop_assert_eq!(&pieces.steps, &tried.steps, "{}", &text);
        }
    }

    /// What is explained within tolerances is explained within wider ones, at no more cost where the cheapest explanation is looked for: a look
    /// ahead of some steps takes the first that holds its changes.
    #[test]
    fn loosening_loses_no_explanation(
        text in arb_text(),
        story in arb_story(5),
        policy in arb_policy(),
        look_ahead in prop_oneof![Just(LookAhead::Steps(1)), Just(LookAhead::Steps(3)), Just(LookAhead::All)],
        (low, high, more) in (-2..=0_i64, 0..=2_i64, 0..=5_i64),
    ) {
        let program = program(&text);
        let test = told(&program, &story);
        let lock = "c = concrete_oracle_c\n";
        let strict = around("a", low, high) + &around("b", 0, 1) + lock;
        let wide = around("a", low - more, high + 2 * more) + &around("b", -more, 1 + more) + lock;
        let run = |conditions: &str| steered(&program, conditions, &policy, look_ahead, &test);
        let strict = run(&strict);
        if strict.verdict.is_pass() {
            for conditions in [wide.as_str(), lock, "a >= concrete_oracle_a - 50"] {
                let loose = run(conditions);
                prop_assert!(loose.verdict.is_pass(), "{}\n{:?}", &text, loose);
                let is_cheapest = look_ahead == LookAhead::All;
                prop_assert!(!is_cheapest || loose.cost <= strict.cost, "{}", &text);
            }
        }
    }

    /// Limits leave tests inconclusive; they never make a pass or a fail of another verdict.
    #[test]
    fn limits_never_decide(
        text in arb_text(),
        story in arb_story(6),
        policy in arb_policy(),
        look_ahead in prop_oneof![Just(LookAhead::Steps(1)), Just(LookAhead::Steps(2)), Just(LookAhead::All)],
        (candidates, enumerated, steps) in (1..4_usize, 1..30_u64, 1..30_u64),
    ) {
        let program = program(&text);
        let test = told(&program, &story);
        let conditions = around("a", -2, 2) + &around("b", 0, 2);
        let all = steered(&program, &conditions, &policy, look_ahead, &test).verdict;
        let conditions = tolerances(&program, &conditions);
        let limits = Limits { candidates, enumerated, steps, ..Limits::default() };
        let setup = Setup { look_ahead, policy, limits, ..setup(&program, conditions) };
        let some = judge(&program, setup, &test).verdict;
        if some.is_pass() || some.is_fail() {
            prop_assert_eq!(some.is_pass(), all.is_pass(), "{}\n{:?}", &text, some);
        }
    }
}
