//! The expectations of cases.

use punctual_model::testing::suite::{About, Body, Case, Check, Do, Table};
use punctual_model::{
    Event, Happening, Interface, Port, PortId, PortRole, Reading, Step, TimeScale, Value,
    ValueType, Verdict,
};
use punctual_oracle::expectations::Expectations;
use punctual_oracle::{Cause, Finding, Judgement, Oracle};

use crate::load::UNIT_NS;

/// Two ports that can be read, an input and two outputs of steps.
fn interface() -> Interface {
    let mut interface = Interface::new(TimeScale { unit_ns: UNIT_NS, resolution: 1 });
    let names = ["idle", "busy"].map(str::to_owned).to_vec();
    for (name, ty, role) in [
        ("n", ValueType::INT, PortRole::Observed),
        ("mode", ValueType::Enum(names), PortRole::Observed),
        ("a", ValueType::INT, PortRole::Input),
        ("x", ValueType::INT, PortRole::Output),
        ("y", ValueType::Bool, PortRole::Output),
    ] {
        interface.ports.push(Port { name: name.to_owned(), ty, role });
    }
    interface
}

fn values(interface: &Interface, n: i64, mode: u32) -> Vec<(PortId, Value)> {
    let ports = [("n", Value::Int(n)), ("mode", Value::Enum(mode))];
    ports.map(|(name, value)| (interface.port(name).unwrap(), value)).to_vec()
}

fn timed(checks: Vec<Check>) -> Case {
    let parts = checks.into_iter().flat_map(|check| [Do::Wait(UNIT_NS), Do::Check(check)]);
    Case { name: "case".to_owned(), body: Body::Timed(parts.collect()), about: About::default() }
}

/// What is said of a case whose checks read these values, one unit after the other: of each check, and of
/// the run.
fn judged(case: &Case, read: &[(i64, u32)]) -> (Vec<Verdict>, Judgement<Finding>, Vec<String>) {
    let interface = interface();
    let mut oracle = Expectations::new(&interface, case);
    // What came before a restart does not count.
    oracle.event(&Event::at(Happening::Reading(Reading { values: values(&interface, 99, 1) }), 0));
    oracle.restart();
    for (i, (n, mode)) in read.iter().enumerate() {
        let what = Happening::Reading(Reading { values: values(&interface, *n, *mode) });
        oracle.event(&Event::at(what, (i as u64 + 1) * UNIT_NS));
        assert_eq!(oracle.decided(), None, "the run goes on");
    }
    let interactions = oracle.interactions();
    for (i, it) in interactions.iter().enumerate() {
        assert_eq!((it.number, it.at_ns), (i, (i as u64 + 1) * UNIT_NS));
    }
    let verdict = oracle.finish(read.len() as u64 * UNIT_NS);
    let reasons = interactions.iter().map(|it| it.reason.clone()).collect();
    (interactions.into_iter().map(|it| it.verdict).collect(), verdict, reasons)
}

#[test]
fn only_what_is_expected_is_right_if_nothing_else_is_allowed() {
    let expected = values(&interface(), 3, 0);
    let case = timed(vec![Check { expected, allowed: Vec::new(), requirement: None }]);
    let (words, verdict, reasons) = judged(&case, &[(3, 0)]);
    assert_eq!(
        (words, verdict, reasons),
        (vec![Verdict::Pass], Judgement::Pass, vec![String::new()])
    );
    let (words, verdict, reasons) = judged(&case, &[(3, 1)]);
    assert_eq!((words, verdict.verdict()), (vec![Verdict::Fail], Verdict::Fail));
    let wrong = "Check 0: `n = 3, mode = idle` was expected, `n = 3, mode = busy` was seen.";
    assert_eq!(reasons, [wrong]);
    let Some(reason) = verdict.reason() else { panic!("a reason") };
    assert_eq!(reason.cause(), Cause::WrongValue);
}

/// A check that expects nothing took whatever it saw for right, whatever was allowed.
#[test]
fn all_that_is_allowed_is_right_and_nothing_else() {
    let interface = interface();
    let one = |n, mode| values(&interface, n, mode);
    let check = Check {
        expected: one(1, 0),
        allowed: vec![one(1, 0), one(2, 0), one(2, 1)],
        requirement: None,
    };
    let case = timed(vec![check]);
    for read in [(1, 0), (2, 0), (2, 1)] {
        assert_eq!(judged(&case, &[read]).1, Judgement::Pass, "{read:?}");
    }
    let (_, verdict, reasons) = judged(&case, &[(1, 1)]);
    assert!(verdict.is_fail());
    let wrong = "Check 0: `n = 1, mode = idle` or `n = 2, mode = idle` or `n = 2, mode = busy` was \
                 expected, `n = 1, mode = busy` was seen.";
    assert_eq!(reasons, [wrong]);
    let vague =
        timed(vec![Check { expected: Vec::new(), allowed: vec![one(2, 0)], requirement: None }]);
    assert!(judged(&vague, &[(2, 0)]).1.is_pass() && judged(&vague, &[(1, 0)]).1.is_fail());
}

#[test]
fn the_run_goes_on_after_a_fail_and_fails() {
    let interface = interface();
    let check =
        |n| Check { expected: values(&interface, n, 0), allowed: Vec::new(), requirement: None };
    let case = timed(vec![check(1), check(2), check(3)]);
    let (words, verdict, _) = judged(&case, &[(1, 0), (9, 0), (3, 0)]);
    assert_eq!(words, [Verdict::Pass, Verdict::Fail, Verdict::Pass]);
    match verdict {
        Judgement::Fail(Finding::Expectation(it)) => {
            assert_eq!(
                (it.number, it.at_ns, it.seen.as_deref()),
                (1, 2 * UNIT_NS, Some("n = 9, mode = idle"))
            );
        }
        other => panic!("{other:?}"),
    }
    // A fail is one also if the rest was not made.
    assert!(judged(&case, &[(9, 0)]).1.is_fail());
}

#[test]
fn a_check_that_was_not_made_is_no_pass() {
    let interface = interface();
    let check =
        |n| Check { expected: values(&interface, n, 0), allowed: Vec::new(), requirement: None };
    let case = timed(vec![check(1), check(2)]);
    match judged(&case, &[(1, 0)]).1 {
        Judgement::Inconclusive(Finding::Expectation(it)) => {
            assert_eq!(it.explain(), "Check 1 was not made: `n = 2, mode = idle` was expected.");
            assert!(!it.cause().is_failure());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn tables_compare_the_outputs_that_they_expect() {
    let interface = interface();
    let step = |x: i64, y: bool| Step {
        inputs: vec![Value::Int(0)],
        outputs: vec![Value::Int(x), Value::Bool(y)],
    };
    let free = Step { inputs: vec![Value::Int(0)], outputs: Vec::new() };
    let table = Table { period_ns: UNIT_NS, steps: vec![step(1, true), free, step(3, false)] };
    let case = Case { name: "table".to_owned(), body: Body::Steps(table), about: About::default() };
    let judged = |steps: &[Step]| {
        let mut oracle = Expectations::new(&interface, &case);
        for (i, step) in steps.iter().enumerate() {
            oracle.event(&Event::at(Happening::Step(step.clone()), i as u64 * UNIT_NS));
        }
        let reasons: Vec<String> = oracle.interactions().into_iter().map(|it| it.reason).collect();
        (oracle.finish(steps.len() as u64 * UNIT_NS), reasons)
    };
    let good = [step(1, true), step(7, true), step(3, false)];
    assert_eq!(judged(&good), (Judgement::Pass, vec![String::new(); 3]));
    let (verdict, reasons) = judged(&[step(1, true), step(7, true), step(4, false)]);
    assert!(verdict.is_fail());
    assert_eq!(reasons[2], "Step 2: `x = 3` was expected, `x = 4` was seen.");
    // More steps than the table has are of no interest; fewer are no pass.
    let more = [good.as_slice(), &[step(9, true)]].concat();
    assert!(judged(&more).0.is_pass());
    match judged(&good[..2]).0 {
        Judgement::Inconclusive(Finding::Expectation(it)) => {
            assert_eq!(it.explain(), "Step 2 was not taken.");
        }
        other => panic!("{other:?}"),
    }
}
