//! The expectations of cases.

use punctual_model::testing::suite::{About, Body, Case, Check, Do, Expect, Table};
use punctual_model::{
    Action, Carried, Direction, Event, Happening, Interface, Port, PortId, PortRole, Reading,
    Signal, Step, TimeScale, Uncertainty, Value, ValueType, Verdict,
};
use punctual_oracle::expectations::Expectations;
use punctual_oracle::{Cause, Finding, Judgement, Oracle};

use crate::load::UNIT_NS;

/// Two ports that can be read, an input and two outputs of steps; a signal in, two out.
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
    for (name, direction, carries) in [
        ("coin", Direction::Input, false),
        ("coffee", Direction::Output, true),
        ("tea", Direction::Output, false),
    ] {
        let carried = Carried { name: "size".to_owned(), ty: ValueType::INT };
        let values = carries.then_some(carried).into_iter().collect();
        interface.signals.push(Signal { name: name.to_owned(), direction, values });
    }
    interface
}

fn values(interface: &Interface, n: i64, mode: u32) -> Vec<(PortId, Value)> {
    let ports = [("n", Value::Int(n)), ("mode", Value::Enum(mode))];
    ports.map(|(name, value)| (interface.port(name).unwrap(), value)).to_vec()
}

fn timed(checks: Vec<Check>) -> Case {
    let parts = checks.into_iter().flat_map(|check| [Do::Wait(UNIT_NS), Do::Check(check)]);
    Case {
        name: "case".to_owned(),
        body: Body::Timed(parts.collect()),
        about: About::default(),
        chance: None,
    }
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

/// What is allowed is no fail, but a pass only if it is expected. A check that expects nothing once took
/// whatever it saw for right, whatever was allowed.
#[test]
fn what_is_allowed_and_not_expected_is_inconclusive() {
    let interface = interface();
    let one = |n, mode| values(&interface, n, mode);
    let check = Check {
        expected: one(1, 0),
        allowed: vec![one(1, 0), one(2, 0), one(2, 1)],
        requirement: None,
    };
    let case = timed(vec![check]);
    assert_eq!(judged(&case, &[(1, 0)]).1, Judgement::Pass);
    for read in [(2, 0), (2, 1)] {
        let (words, verdict, _) = judged(&case, &[read]);
        assert_eq!(words, [Verdict::Inconclusive], "{read:?}");
        assert_eq!(verdict.verdict(), Verdict::Inconclusive);
        assert_eq!(verdict.reason().map(Finding::cause), Some(Cause::NotExpected));
    }
    let (_, _, reasons) = judged(&case, &[(2, 0)]);
    let allowed = "Check 0: `n = 1, mode = idle` was expected; `n = 2, mode = idle` was seen, which is \
                   allowed.";
    assert_eq!(reasons, [allowed]);
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

/// The run goes on where it is not expected to be, and is judged there.
#[test]
fn a_fail_after_something_that_was_not_expected_is_a_fail() {
    let interface = interface();
    let one = |n| values(&interface, n, 0);
    let check = |n| Check {
        expected: one(n),
        allowed: vec![one(n), one(n + 10)],
        requirement: Some("R7".to_owned()),
    };
    let case = timed(vec![check(1), check(2)]);
    let (words, verdict, reasons) = judged(&case, &[(11, 0), (3, 0)]);
    assert_eq!(words, [Verdict::Inconclusive, Verdict::Fail]);
    assert!(verdict.is_fail());
    assert!(reasons[1].starts_with("Check 1 (R7): "), "{reasons:?}");
    let (_, verdict, _) = judged(&case, &[(11, 0), (2, 0)]);
    assert_eq!(verdict.reason().map(Finding::cause), Some(Cause::NotExpected));
    // A check that was not made after it changes nothing.
    let (_, verdict, _) = judged(&case, &[(11, 0)]);
    assert_eq!(verdict.reason().map(Finding::cause), Some(Cause::NotExpected));
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
            assert_eq!(it.cause, Cause::Stopped);
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
    let case = Case {
        name: "table".to_owned(),
        body: Body::Steps(table),
        about: About::default(),
        chance: None,
    };
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

/// Coffee of a size, that should come so many units after it is asked for, which is at 2.
fn coffee(interface: &Interface, windows: &[(i64, u64, u64)]) -> Case {
    let coin = Action { signal: interface.signal("coin").unwrap(), values: Vec::new() };
    let mut parts = vec![Do::Wait(2 * UNIT_NS), Do::Send(coin)];
    for (size, from, to) in windows {
        parts.push(Do::Expect(Expect {
            action: output(interface, *size),
            from_ns: from * UNIT_NS,
            to_ns: to * UNIT_NS,
            requirement: None,
        }));
    }
    parts.push(Do::Wait(20 * UNIT_NS));
    Case {
        name: "coffee".to_owned(),
        body: Body::Timed(parts),
        about: About::default(),
        chance: None,
    }
}

/// Coffee of a size; tea if it has none.
fn output(interface: &Interface, size: i64) -> Action {
    match size {
        0 => Action { signal: interface.signal("tea").unwrap(), values: Vec::new() },
        _ => Action { signal: interface.signal("coffee").unwrap(), values: vec![Value::Int(size)] },
    }
}

/// What is said of outputs, with their sizes and when they come, that are watched until an instant; of the
/// run without and with a model beside, and why.
fn came(
    interface: &Interface,
    windows: &[(i64, u64, u64)],
    outputs: &[(i64, u64)],
    end: u64,
) -> (Option<Cause>, Option<Cause>, String) {
    let case = coffee(interface, windows);
    let judge = |mut oracle: Expectations<'_>| {
        oracle.restart();
        let coin = Action { signal: interface.signal("coin").unwrap(), values: Vec::new() };
        oracle.event(&Event::signal(coin, 2 * UNIT_NS, 2 * UNIT_NS));
        for (size, at) in outputs {
            let at_ns = at * UNIT_NS;
            oracle.quiet(at_ns, at_ns);
            oracle.event(&Event::signal(output(interface, *size), at_ns, at_ns));
        }
        oracle.quiet(end * UNIT_NS, end * UNIT_NS);
        let reasons: Vec<String> = oracle.interactions().into_iter().map(|it| it.reason).collect();
        let verdict = oracle.finish(end * UNIT_NS);
        (verdict.reason().map(Finding::cause), reasons.join(" "))
    };
    let (alone, reason) = judge(Expectations::new(interface, &case));
    let (beside, _) = judge(Expectations::new(interface, &case).beside_a_model());
    (alone, beside, reason)
}

#[test]
fn an_output_must_come_in_its_window() {
    let interface = interface();
    let window = [(3, 5, 7)];
    // The window counts from 2.
    for at in [7, 8, 9] {
        assert_eq!(came(&interface, &window, &[(3, at)], 22), (None, None, String::new()), "{at}");
    }
    for at in [6, 10] {
        let (alone, beside, _) = came(&interface, &window, &[(3, at)], 22);
        assert_eq!((alone, beside), (Some(Cause::Missing), Some(Cause::NotExpected)), "{at}");
    }
    let unit_ms = UNIT_NS as f64 / 1e6;
    let (from, to, at) = (7.0 * unit_ms, 9.0 * unit_ms, 8.0 * unit_ms);
    let (alone, _, reason) = came(&interface, &window, &[(4, 8)], 22);
    assert_eq!(alone, Some(Cause::Missing));
    assert_eq!(
        reason,
        format!(
            "Output 0: `coffee(3)` from {from} to {to} ms was expected, and did not come; `coffee(4)` at \
             {at} ms did."
        )
    );
    // What nobody expects is not judged here.
    assert_eq!(came(&interface, &window, &[(0, 3), (3, 8), (3, 8), (9, 30)], 40).0, None);
    // Nobody waited long enough to tell; at the end of its window one can.
    assert_eq!(came(&interface, &window, &[], 8).0, Some(Cause::Stopped));
    assert_eq!(came(&interface, &window, &[], 9).0, Some(Cause::Missing));
}

#[test]
fn an_output_satisfies_one_expectation_the_one_that_ends_first() {
    let interface = interface();
    // The wide window must not take the output that only the narrow one has.
    let windows = [(3, 0, 20), (3, 5, 7)];
    assert_eq!(came(&interface, &windows, &[(3, 8), (3, 15)], 30).0, None);
    assert_eq!(came(&interface, &windows, &[(3, 3), (3, 8)], 30).0, None);
    assert_eq!(came(&interface, &windows, &[(3, 8)], 30).0, Some(Cause::Missing));
}

#[test]
fn windows_are_as_wide_as_signals_are_uncertain() {
    let mut interface = interface();
    let units = |from: u64, to: u64| (from * UNIT_NS, to * UNIT_NS);
    interface.uncertainty =
        Uncertainty { input_ns: units(0, 1), output_ns: units(2, 4), drift_ppb: 0 };
    // Sent from 7 to 9, or to 10 if the coin was late; seen 2 to 4 later.
    for (at, is_right) in [(8, false), (9, true), (14, true), (15, false)] {
        let (alone, ..) = came(&interface, &[(3, 5, 7)], &[(3, at)], 40);
        assert_eq!(alone.is_none(), is_right, "{at}");
    }
}

/// Whether the tester was late is known in the end: a run that fails is judged again.
#[test]
fn a_late_tester_is_no_fail() {
    let interface = interface();
    let case = coffee(&interface, &[(3, 5, 7)]);
    let judge = |late: u64, sent: u64| {
        let mut oracle = Expectations::new(&interface, &case);
        oracle.restart();
        oracle.widen(late * UNIT_NS);
        let coin = Action { signal: interface.signal("coin").unwrap(), values: Vec::new() };
        oracle.event(&Event::signal(coin, 2 * UNIT_NS, sent * UNIT_NS));
        oracle.event(&Event::signal(output(&interface, 3), 11 * UNIT_NS, 11 * UNIT_NS));
        oracle.finish(22 * UNIT_NS).is_fail()
    };
    assert!(judge(0, 2) && judge(1, 2) && !judge(2, 2));
    // An input that took long to hand over is no different.
    assert!(judge(0, 3) && !judge(0, 4));
}
