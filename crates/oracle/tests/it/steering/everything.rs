//! A verdict says what there is: a test passes if and only if some allowed change explains it, whatever is tried first.

use proptest::prelude::*;
use punctual_model::VarId;
use punctual_model::lustre::{Program, Type, Value};
use punctual_oracle::Judgement;
use punctual_oracle::steering::{
    Distance, Kind, Limits, LookAhead, Observation, Policy, Setup, Why,
};
use punctual_semantics::lustre::Reference;

use super::rows::{Story, arb_story, arb_text, told};
use super::{judge, program, row, setup, whole, windows};

/// What is allowed of a test.
#[derive(Clone, Debug)]
struct Allowed {
    a: (i64, i64),
    b: (i64, i64),
    /// Whether `c` may become true.
    c: bool,
    steps_max: Option<u32>,
    steps_of_a: Option<u32>,
    cost_max: Option<i64>,
    is_steady: bool,
    /// Whether only the truth is seen.
    is_blind: bool,
}

fn arb_allowed() -> impl Strategy<Value = Allowed> {
    let window = || (-2..=0_i64, 0..=2_i64);
    let some = |most: u32| prop::option::weighted(0.3, 0..=most);
    (
        window(),
        window(),
        any::<bool>(),
        some(3),
        some(2),
        prop::option::weighted(0.3, 0..5_i64),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(a, b, c, steps_max, steps_of_a, cost_max, is_steady, is_blind)| Allowed {
            a,
            b,
            c,
            steps_max,
            steps_of_a,
            cost_max,
            is_steady,
            is_blind,
        })
}

impl Allowed {
    fn setup(&self, program: &Program) -> Setup {
        let whole = |(low, high): (i64, i64)| (i128::from(low), i128::from(high));
        let (a, b) = (whole(self.a), whole(self.b));
        let c = (0, i128::from(self.c));
        let room = [("a", a.0, a.1), ("b", b.0, b.1), ("c", c.0, c.1)];
        let plain = setup(program, windows(program, &room).to_tolerances(program));
        let is_truth = |var: &VarId| program.vars[*var].ty == Type::Bool;
        let compared: Vec<VarId> =
            plain.compared.iter().copied().filter(|it| !self.is_blind || is_truth(it)).collect();
        Setup {
            metric: Distance::plain(Kind::Manhattan, compared.len()),
            policy: Policy {
                steps_max: self.steps_max,
                steps_of: match self.steps_of_a {
                    None => Vec::new(),
                    most => vec![most, None, None],
                },
                cost_max: self.cost_max.map(|it| super::whole(i128::from(it))),
                steady: self.is_steady,
                ..plain.policy.clone()
            },
            compared,
            ..plain
        }
    }

    /// Whether some change of the steps behind those that were taken explains the test, by trying all.
    fn explains(&self, program: &Program, test: &[Observation], taken: &mut Vec<[i64; 3]>) -> bool {
        let Some(now) = test.get(taken.len()) else { return true };
        let [Value::Int(_), Value::Int(_), Value::Bool(c)] = now.inputs[..] else { panic!() };
        let most_c = i64::from(self.c && !c);
        for a in self.a.0..=self.a.1 {
            for b in self.b.0..=self.b.1 {
                for c in 0..=most_c {
                    taken.push([a, b, c]);
                    let is_one = self.is_within_policy(taken)
                        && self.matches(program, test, taken)
                        && self.explains(program, test, taken);
                    taken.pop();
                    if is_one {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn is_within_policy(&self, taken: &[[i64; 3]]) -> bool {
        let count = |is: &dyn Fn(&[i64; 3]) -> bool| taken.iter().filter(|it| is(it)).count();
        let n_steered = count(&|it| *it != [0; 3]);
        let n_a = count(&|it| it[0] != 0);
        let cost: i64 = taken.iter().flatten().map(|it| it.abs()).sum();
        let is_steady = |at: usize| count(&|it| it[at] > 0) == 0 || count(&|it| it[at] < 0) == 0;
        self.steps_max.is_none_or(|most| n_steered <= most as usize)
            && self.steps_of_a.is_none_or(|most| n_a <= most as usize)
            && self.cost_max.is_none_or(|most| cost <= most)
            && (!self.is_steady || (is_steady(0) && is_steady(1)))
    }

    /// Whether the last of the steps that were taken shows what the system did.
    fn matches(&self, program: &Program, test: &[Observation], taken: &[[i64; 3]]) -> bool {
        let mut reference = Reference::new(program);
        for (observation, by) in test.iter().zip(taken) {
            let [Value::Int(a), Value::Int(b), Value::Bool(c)] = observation.inputs[..] else {
                panic!()
            };
            let inputs =
                [Value::Int(a + by[0]), Value::Int(b + by[1]), Value::Bool(c || by[2] != 0)];
            reference.step(&inputs).unwrap();
        }
        let system = &test[taken.len() - 1].system;
        program.outputs().zip(system).all(|(var, seen)| {
            let is_compared = !self.is_blind || program.vars[var].ty == Type::Bool;
            !is_compared || reference.value(var).is_ok_and(|it| it == *seen)
        })
    }
}

/// Whether each way to search says what trying everything says; what it leaves open is counted, if it may.
fn agrees(
    text: &str,
    story: &Story,
    allowed: &Allowed,
    is_limited: bool,
) -> Result<(), TestCaseError> {
    let program = program(text);
    let test = told(&program, story);
    let is_explained = allowed.explains(&program, &test, &mut Vec::new());
    for look_ahead in [LookAhead::Steps(1), LookAhead::Steps(2), LookAhead::All] {
        let mut setup = Setup { look_ahead, ..allowed.setup(&program) };
        if is_limited {
            setup.limits = Limits { candidates: 2, steps: 20, ..Limits::default() };
        }
        let has_solver = setup.solver.is_ok();
        let outcome = judge(&program, setup, &test);
        match &outcome.verdict {
            Judgement::Pass => prop_assert!(is_explained, "{look_ahead:?} passes\n{text}"),
            Judgement::Fail(why) => {
                prop_assert!(!is_explained, "{look_ahead:?} fails: {why:?}\n{text}");
                prop_assert!(!matches!(why.why, Why::Narrow(_)));
            }
            Judgement::Inconclusive(why) => {
                prop_assert!(is_limited, "{look_ahead:?} leaves it open: {why:?}\n{text}");
                prop_assert!(!has_solver, "the solver leaves it open: {why:?}\n{text}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    /// A test passes if and only if a change explains it that tolerances and budgets allow.
    #[test]
    fn a_verdict_is_what_trying_everything_says(
        text in arb_text(),
        story in arb_story(4),
        allowed in arb_allowed(),
    ) {
        agrees(&text, &story, &allowed, false)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Limits leave something open, but never make a verdict wrong; a solver decides the rest.
    #[test]
    fn limits_make_no_verdict_wrong(
        text in arb_text(),
        story in arb_story(4),
        allowed in arb_allowed(),
    ) {
        agrees(&text, &story, &allowed, true)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Where assertions may break, a solver blames nobody whom a search does not blame.
    #[test]
    fn limits_blame_nobody_behind_a_broken_assertion(
        text in arb_text(),
        story in arb_story(4),
        allowed in arb_allowed(),
        most in 0..4_i64,
    ) {
        let text = text.replace("; tel", &format!("; assert not (x > {most} and c); tel"));
        let program = program(&text);
        let test = told(&program, &story);
        let outcome = |limits: Limits| {
            let setup = allowed.setup(&program);
            judge(&program, Setup { look_ahead: LookAhead::Steps(2), limits, ..setup }, &test)
        };
        let all = outcome(Limits::default()).verdict;
        let limited = outcome(Limits { candidates: 2, steps: 20, ..Limits::default() }).verdict;
        prop_assert!(!limited.is_fail() || all.is_fail(), "{limited:?} {all:?}\n{text}");
        prop_assert!(!limited.is_pass() || !all.is_fail(), "{limited:?} {all:?}\n{text}");
    }
}

/// Only a threshold of a sum is seen.
const SUM: &str = "
    node h(a, b: int) returns (high: bool);
    var acc: int;
    let
      acc = a + b -> pre acc + a + b;
      high = acc > 600;
    tel";

/// Twenty steps of 30 each are 600, and that is not above the threshold; the system shows it in this step.
fn sum(at: i64) -> Vec<Observation> {
    (1..=25).map(|n| row(&[Value::Int(14), Value::Int(16)], &[Value::Bool(n >= at)])).collect()
}

#[test]
fn a_sum_of_small_changes_is_explained_however_many_there_are() {
    let program = program(SUM);
    for (by, at, passes) in
        [(5, 16, true), (5, 15, false), (20, 10, true), (100, 4, true), (100, 2, false)]
    {
        let tolerances =
            windows(&program, &[("a", -by, by), ("b", -by, by)]).to_tolerances(&program);
        let setup = Setup { look_ahead: LookAhead::DEFAULT, ..setup(&program, tolerances) };
        let has_solver = setup.solver.is_ok();
        let outcome = judge(&program, setup, &sum(at));
        match outcome.verdict {
            Judgement::Inconclusive(_) => assert!(!has_solver, "{by} {at} is left open"),
            verdict => assert_eq!(verdict.is_pass(), passes, "{by} {at} {verdict:?}"),
        }
        if passes && has_solver {
            // 20 steps are 600: what lacks is what was added. How near to that the explanation is depends on the solver's time.
            assert!(outcome.change >= whole(i128::from(601 - 30 * at)), "{by} {at}");
        }
    }
}
