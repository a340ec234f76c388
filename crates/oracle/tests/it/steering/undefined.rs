//! Steps of which the model says nothing: that it can not take, or in which an assertion does not hold.

use punctual_model::lustre::Value;
use punctual_oracle::Cause;
use punctual_oracle::steering::{LookAhead, Observation, Outcome, Policy, Setup, Unheld};

use super::{judge, program, row, setup, windows};

/// The test of a model with one input `x` that may be changed by this window in one step of two.
fn judged(
    text: &str,
    window: (i128, i128),
    change: impl Fn(&mut Setup),
    rows: &[(i64, &[i64])],
) -> Outcome {
    let program = program(text);
    let plain =
        setup(&program, windows(&program, &[("x", window.0, window.1)]).to_conditions(&program));
    let policy = Policy { steps_max: Some(2), ..plain.policy.clone() };
    let mut setup = Setup { policy, look_ahead: LookAhead::Steps(2), ..plain };
    change(&mut setup);
    let numbers = |all: &[i64]| all.iter().map(|it| Value::Int(*it)).collect::<Vec<_>>();
    let test: Vec<Observation> =
        rows.iter().map(|(x, shown)| row(&[Value::Int(*x)], &numbers(shown))).collect();
    judge(&program, setup, &test)
}

fn told(outcome: &Outcome) -> Option<(usize, Cause)> {
    outcome.verdict.reason().map(|it| (it.step, it.cause()))
}

/// How a setup is changed for a way to search.
type Way = Box<dyn Fn(&mut Setup)>;

/// All ways to search: those that decide a step at once, hold changes, look ahead, and try all.
fn searches() -> Vec<(&'static str, Way)> {
    let ahead = |it: LookAhead| move |setup: &mut Setup| setup.look_ahead = it;
    vec![
        ("greedy", Box::new(ahead(LookAhead::Steps(0)))),
        ("held", Box::new(|setup| setup.policy.unheld = Unheld::Nothing)),
        ("ahead", Box::new(ahead(LookAhead::Steps(2)))),
        ("all", Box::new(ahead(LookAhead::All))),
    ]
}

/// What the system does in a step in which an assertion does not hold is no fault, nor is what it does behind it.
#[test]
fn a_mismatch_where_an_assertion_breaks_is_no_fault() {
    let at_once =
        "node m(x: int) returns (y: int); let assert x >= 0; y = if x < 0 then 0 else x; tel";
    let sum = "node m(x: int) returns (y: int); let assert x >= 0; y = (0 -> pre y) + x; tel";
    for (name, change) in searches() {
        let of = |text, rows: &[(i64, &[i64])]| told(&judged(text, (-1, 1), &change, rows));
        let outside = |step| Some((step, Cause::OutsideEnvironment));
        assert_eq!(of(at_once, &[(-1, &[7])]), outside(0), "{name}");
        assert_eq!(of(at_once, &[(-1, &[0]), (0, &[7])]), outside(0), "{name}");
        assert_eq!(of(sum, &[(0, &[0]), (-1, &[-1]), (1, &[9])]), outside(1), "{name}");
        // What was wrong before fails.
        let wrong = of(sum, &[(0, &[5]), (-1, &[-1])]);
        assert_eq!(wrong, Some((0, Cause::Unexplained)), "{name}");
    }
}

/// A step that the model can not take hides no fault before it, and an explanation that goes around it is one.
#[test]
fn a_step_that_the_model_can_not_take_hides_nothing() {
    let quotient = "node m(x: int) returns (y: int); let y = 12 div x; tel";
    let sum =
        "node m(x: int) returns (s, y: int); let s = (0 -> pre s) + x; y = 0 -> 12 div s; tel";
    let hidden = "node m(x: int) returns (y: int); var s: int; let s = (0 -> pre s) + x; y = 0 -> 12 div s; tel";
    for (name, change) in searches() {
        let of = |text, rows: &[(i64, &[i64])]| judged(text, (0, 1), &change, rows);
        let fault = of(quotient, &[(1, &[99]), (0, &[12])]);
        assert_eq!(told(&fault), Some((0, Cause::Unexplained)), "{name}");
        assert!(fault.verdict.is_fail(), "{name}");
        let around = of(sum, &[(0, &[1, 0]), (0, &[1, 12])]);
        assert!(around.verdict.is_pass() && around.n_steered == 1, "{name}: {around:?}");
        let in_it = of(quotient, &[(1, &[12]), (0, &[12])]);
        assert!(in_it.verdict.is_pass() && in_it.n_steered == 1, "{name}: {in_it:?}");
        assert!(!in_it.before.is_match() && in_it.steps[0].before.is_none(), "{name}");
        // Nothing explains what the model says nothing of.
        let open = of(quotient, &[(1, &[12]), (0, &[5])]);
        assert_eq!(told(&open), Some((1, Cause::ModelError)), "{name}");
        if name != "greedy" {
            let ahead = of(hidden, &[(0, &[0]), (0, &[12])]);
            assert!(ahead.verdict.is_pass(), "{name}: {ahead:?}");
        }
    }
}

/// A test in which no further step may be changed is not at fault where the model has no step.
#[test]
fn a_step_that_the_model_can_not_take_is_no_fault_beyond_the_budget() {
    let text = "node m(x: int) returns (o: int); let o = 6 div x + 0 * (0 -> pre x); tel";
    for (name, change) in searches() {
        let of = |most: Option<u32>, steps_of: Option<u32>| {
            let limited = |setup: &mut Setup| {
                change(setup);
                setup.policy.steps_max = most;
                setup.policy.steps_of = vec![steps_of];
            };
            judged(text, (0, 1), limited, &[(1, &[6]), (1, &[3]), (0, &[1])])
        };
        let open = Some((2, Cause::ModelError));
        for most in [0, 1, 2] {
            assert_eq!(
                told(&of(Some(most), None)).map(|it| it.1),
                told(&of(None, Some(most))).map(|it| it.1),
                "{name} {most}"
            );
        }
        assert_eq!(told(&of(Some(1), None)), open, "{name}");
    }
}
