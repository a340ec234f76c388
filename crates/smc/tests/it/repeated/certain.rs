//! Cases whose outcome the model is certain of.

use punctual_smc::statistics::repeated::{Design, Judgement, Rule, Step, runs_without_contrary};

use super::sequential;

/// 59 executions at 5 % and 5 %, where the paper's 35 leave a miss of 17 %.
#[test]
fn it_takes_59_executions_to_show_five_percent() {
    for (p, successes) in [(1.0, (|n| n) as fn(u64) -> u64), (0.0, |_| 0)] {
        let rule = sequential(p, 0.05, 0.05, 100);
        let n = (1..).find(|&n| rule.step(n, successes(n)) != Step::Continue).unwrap();
        assert_eq!(n, 59);
        assert_eq!(rule.step(n, successes(n)), Step::Stop(Judgement::PASS));
    }
    assert_eq!(runs_without_contrary(0.05, 0.05), 59);
    assert!((0.95f64.powi(35) - 0.166).abs() < 1e-3);
}

#[test]
fn runs_are_the_least_that_suffice() {
    for tolerance in [0.001, 0.02, 0.05, 0.3, 0.5, 0.9] {
        for beta in [0.5, 0.25, 0.05, 0.001] {
            let runs = runs_without_contrary(tolerance, beta) as i32;
            let miss = |runs| (1.0 - tolerance).powi(runs);
            assert!(miss(runs) <= beta * (1.0 + 1e-9) && (runs == 1 || miss(runs - 1) > beta));
        }
    }
}

/// A contrary outcome is no failure yet: nothing is said until it is rare, or too common.
#[test]
fn one_contrary_outcome_takes_more_executions() {
    let rule = sequential(1.0, 0.05, 0.05, 400);
    let first = |contrary: u64| {
        let judged = |n: u64| rule.step(n, n - contrary) != Step::Continue;
        (contrary + 1..).find(|&n| n > 30 && judged(n)).unwrap()
    };
    assert_eq!((first(0), rule.step(59, 59)), (59, Step::Stop(Judgement::PASS)));
    assert_eq!(rule.step(first(1), first(1) - 1), Step::Stop(Judgement::PASS));
    assert!(first(1) > 93, "{}", first(1));
    assert_eq!(rule.step(2, 1), Step::Continue);
    assert!((1..10).any(|n| rule.step(n, 0) == Step::Stop(Judgement::FAIL)));
}

/// Reliable passes of systems whose contrary outcomes are not rarer than the tolerance: `beta` at most.
#[test]
fn both_rates_are_kept() {
    for (tolerance, beta, alpha) in [(0.05, 0.05, 0.05), (0.1, 0.01, 0.05), (0.02, 0.2, 0.001)] {
        let design = Design::exact(1.0).within(tolerance);
        let design = Design { alpha, beta, executions: 300, ..design };
        let chart = Rule::from(design.rule().unwrap()).chart();
        for i in 0..=20 {
            let q = (1.0 - tolerance) * (1.0 - 0.3 * f64::from(i) / 20.0);
            let chances = chart.at(q);
            assert!(chances.pass - chances.unreliable <= beta + 1e-12, "{design:?} at {q}");
            let q = 1.0 - tolerance * f64::from(i) / 20.0;
            assert!(chart.at(q).fail <= alpha + 1e-12, "{design:?} at {q}");
        }
        assert_eq!(chart.at(1.0).unreliable, 0.0);
    }
}

/// Too few executions to show it: a pass that is not reliable.
#[test]
fn the_limit_ends_without_proof() {
    let rule = sequential(1.0, 0.05, 0.05, 40);
    assert_eq!(rule.step(40, 40), Step::Stop(Judgement { passes: true, reliable: false }));
    assert_eq!(
        rule.reason(40, 40),
        "40 of 40 executions (0.912 to 1.000 with 95 % confidence): too few executions to show that the \
         contrary is rarer than 5 %."
    );
}
