//! The default rule keeps its rates, everywhere.

use punctual_smc::statistics::{
    Interval,
    repeated::{Design, Judgement, Rule, Step},
};

use super::{arbitrary, sequential};
use crate::Random;

/// Any probability that is tolerated fails at most as often as `alpha`; ends and inside.
#[test]
fn false_alarms_are_kept() {
    let mut random = Random(1);
    let mut n_tight = 0;
    for _ in 0..150 {
        let design = arbitrary(&mut random, 120);
        let Ok(rule) = design.rule() else { continue };
        let stated = rule.false_alarm();
        assert!(stated <= design.alpha, "{design:?}: {stated}");
        n_tight += u32::from(stated > 0.5 * design.alpha);
        let chart = Rule::from(rule).chart();
        let Interval { low, high } = design.tolerated;
        for i in 0..=12 {
            let q = low + (high - low) * f64::from(i) / 12.0;
            let fail = chart.at(q).fail;
            assert!(fail <= stated + 1e-12, "{design:?} at {q}: {fail}, stated {stated}");
        }
    }
    assert!(n_tight > 60, "{n_tight}: the rates are used");
}

/// What is said to be found is found, there and everywhere beyond; just within it is not.
#[test]
fn deviations_are_found_as_stated() {
    let mut random = Random(2);
    for _ in 0..100 {
        let design = arbitrary(&mut random, 150);
        let Ok(rule) = design.rule() else { continue };
        let found = rule.found();
        let chart = Rule::from(rule).chart();
        for (edge, end) in found.into_iter().zip([0.0, 1.0]) {
            let Some(edge) = edge else { continue };
            for i in 0..=10 {
                let q = (edge + (end - edge) * f64::from(i) / 10.0).clamp(0.0, 1.0);
                let fail = chart.at(q).fail;
                assert!(fail >= 1.0 - design.beta - 1e-9, "{design:?} at {q}: {fail}");
            }
            let Interval { low, high } = design.tolerated;
            let inside = edge + if end == 0.0 { 0.01 } else { -0.01 };
            if design.beta <= 0.05 && design.alpha <= 0.05 && (inside < low || inside > high) {
                assert!(chart.at(inside).fail < 1.0 - design.beta + 1e-9, "{design:?} {inside}");
            }
        }
    }
}

/// Successes and failures can trade names.
#[test]
fn rules_are_symmetric() {
    for (p, tolerance) in [(0.2, 0.0), (0.35, 0.05), (0.5, 0.02), (0.0, 0.05)] {
        let (one, other) =
            (sequential(p, tolerance, 0.05, 60), sequential(1.0 - p, tolerance, 0.05, 60));
        let (one, other) = (one.chart(), other.chart());
        for i in 0..=20 {
            let q = f64::from(i) / 20.0;
            let (left, right) = (one.at(q), other.at(1.0 - q));
            assert!((left.fail - right.fail).abs() < 0.01, "{p} ± {tolerance} at {q}");
            assert!((left.executions - right.executions).abs() < 1.0, "{p} ± {tolerance} at {q}");
        }
    }
}

/// More tolerance fails less; more executions and more false alarms find more.
#[test]
fn parameters_do_what_they_say() {
    let least = |design: Design| design.rule().unwrap().least_deviation().unwrap();
    let base = Design::exact(0.4).within(0.02);
    assert!(least(base.within(0.1)) > least(base) + 0.05);
    assert!(least(Design { executions: 300, ..base }) < least(base) - 0.05);
    assert!(least(Design { alpha: 0.001, ..base }) > least(base) + 0.02);
    let thrifty = Design { thrift: 0.5, ..base };
    assert!(least(thrifty) > least(base));
    let executions = |design: Design| Rule::from(design.rule().unwrap()).chart().at(0.4).executions;
    assert!(executions(thrifty) < 0.7 * executions(base));
}

/// A sampled probability tolerates what any probability in its interval would.
#[test]
fn sampled_probabilities_are_intervals() {
    let design = Design::sampled(Interval { low: 0.45, high: 0.55 });
    let chart = Rule::from(design.rule().unwrap()).chart();
    for q in [0.4, 0.45, 0.5, 0.55, 0.6] {
        assert!(chart.at(q).fail <= 0.05);
    }
}

/// What can not happen by the model fails at once if nothing is tolerated.
#[test]
fn impossible_outcomes_fail_at_once_without_tolerance() {
    let rule = sequential(1.0, 0.0, 0.05, 100);
    for n in 1..=20 {
        assert_eq!(rule.step(n, n - 1), Step::Stop(Judgement::FAIL));
    }
    assert_eq!(rule.chart().at(1.0).fail, 0.0);
}

/// A tolerance in time is seldom the same on both sides.
#[test]
fn tolerances_may_differ_by_side() {
    let tolerated = Interval { low: 0.3, high: 0.55 };
    let rule = Design { tolerated, ..Design::exact(0.5) }.rule().unwrap();
    let [below, above] = rule.found().map(Option::unwrap);
    assert!(below < 0.2 && above < 0.75, "{below} {above}");
    assert!(rule.guarantee().contains("test of 0.3 to 0.55:"), "{}", rule.guarantee());
    let chart = Rule::from(rule).chart();
    assert!(chart.at(0.3).fail <= 0.05 && chart.at(0.55).fail <= 0.05);
}

/// Where nothing can be found, a pass is worth nothing, and that is said.
#[test]
fn too_few_executions_are_not_reliable() {
    let rule = Design { executions: 3, alpha: 0.001, ..Design::exact(0.5) }.rule().unwrap();
    assert_eq!(rule.found(), [None, None]);
    let n = (1..=3).find(|&n| rule.step(n, 1) != Step::Continue).unwrap();
    assert_eq!(rule.step(n, 1), Step::Stop(Judgement { passes: true, reliable: false }));
    assert!(rule.guarantee().contains("nothing is found"), "{}", rule.guarantee());
}

#[test]
fn sentences_name_what_they_depend_on() {
    let rule = Design::exact(0.5).rule().unwrap();
    let n = (1..).find(|&n| rule.step(n, 0) != Step::Continue).unwrap();
    assert_eq!(
        (n, rule.reason(n, 0).as_str()),
        (
            12,
            "0 of 12 executions (0.000 to 0.242 with 95 % confidence): too few for 0.5 ± 0.05, \
             which has at least 1."
        )
    );
    assert_eq!(
        rule.guarantee(),
        "Sequential test of 0.5 ± 0.05: a system within it fails with at most 5 % probability; 0.287 and \
         less, or 0.713 and more, is found with at least 95 %; at most 100 executions."
    );
}

#[test]
fn parameters_out_of_range_are_named() {
    let name = |design: Design| design.rule().unwrap_err().name;
    let base = Design::exact(0.5);
    assert_eq!(name(Design::exact(-0.1)), "the expected probability");
    assert_eq!(name(Design::exact(f64::NAN)), "the expected probability");
    assert_eq!(name(base.within(-0.1)), "the tolerance");
    assert_eq!(name(base.within(0.5)), "the tolerance");
    assert_eq!(name(base.within(f64::NAN)), "the tolerance");
    assert_eq!(
        name(Design { tolerated: Interval { low: 0.4, high: 1.2 }, ..base }),
        "the tolerance"
    );
    assert_eq!(name(Design { alpha: 0.0, ..base }), "alpha");
    assert_eq!(name(Design { beta: 1.0, ..base }), "beta");
    assert_eq!(name(Design { executions: 2001, ..base }), "the number of executions");
    assert_eq!(name(Design { thrift: 2.0, ..base }), "the thrift");
}
