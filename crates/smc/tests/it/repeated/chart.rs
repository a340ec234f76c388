//! Exact chances against all orders of outcomes.

use punctual_smc::statistics::repeated::{Chances, Chart, Judgement, Paper, Rule, Step};

use super::{arbitrary, follow, sequential};
use crate::Random;

/// By going through all orders of a few executions, in whole numbers: `q` is `tenths / 10`.
fn enumerated(rule: &Rule, tenths: u128) -> Chances {
    let limit = rule.limit() as u32;
    let all = 10u128.pow(limit);
    let (mut pass, mut fail, mut unreliable, mut executions) = (0, 0, 0, 0);
    for order in 0..1u32 << limit {
        let mut bits = (0..limit).map(|i| order >> i & 1 == 1);
        let (n, _, judgement) = follow(rule, || bits.next().unwrap());
        // The executions behind the end are weighed, too, so that each order counts once.
        let k = order.count_ones();
        let weight = tenths.pow(k) * (10 - tenths).pow(limit - k);
        *(if judgement.passes { &mut pass } else { &mut fail }) += weight;
        unreliable += if judgement.reliable { 0 } else { weight };
        executions += weight * u128::from(n);
    }
    let [pass, fail, unreliable, executions] =
        [pass, fail, unreliable, executions].map(|it| it as f64 / all as f64);
    Chances { pass, fail, unreliable, executions }
}

fn assert_close(left: Chances, right: Chances, place: &str) {
    let both = [
        (left.pass, right.pass),
        (left.fail, right.fail),
        (left.unreliable, right.unreliable),
        (left.executions, right.executions),
    ];
    for (one, other) in both {
        assert!((one - other).abs() < 1e-12, "{place}: {left:?} {right:?}");
    }
}

#[test]
fn charts_sum_over_all_orders() {
    let mut random = Random(16);
    for limit in [1, 2, 5, 11] {
        let mut rules: Vec<Rule> = vec![
            Paper::exact(0.4, 0.6, limit).unwrap().into(),
            sequential(0.3, 0.0, 0.2, limit),
            sequential(0.5, 0.1, 0.3, limit),
            sequential(1.0, 0.3, 0.1, limit),
        ];
        while rules.len() < 12 {
            let design = arbitrary(&mut random, limit);
            rules.extend(design.rule().ok().map(Rule::from));
        }
        for rule in &rules {
            for tenths in [0, 1, 3, 5, 8, 10] {
                let place = format!("{} at {tenths}", rule.guarantee());
                let chances = rule.chart().at(tenths as f64 / 10.0);
                assert_close(chances, enumerated(rule, tenths), &place);
            }
        }
    }
}

/// All ends together are certain, also after many executions.
#[test]
fn chances_add_up_to_one() {
    for rule in
        [Rule::from(Paper::exact(0.5, 0.95, 400).unwrap()), sequential(0.5, 0.02, 0.01, 400)]
    {
        let chart = rule.chart();
        for i in 0..=50 {
            let q = f64::from(i) / 50.0;
            let Chances { pass, fail, executions, .. } = chart.at(q);
            assert!((pass + fail - 1.0).abs() < 1e-11, "{q}: {pass} {fail}");
            assert!((1.0..=400.0 + 1e-9).contains(&executions));
            assert!((chart.fails_within(400, q) - fail).abs() < 1e-15);
        }
    }
}

/// "Fails at the first failure, at most five executions": closed forms.
#[test]
fn ends_by_number_of_executions() {
    let chart = Chart::new(5, |n, k| match () {
        () if k < n => Step::Stop(Judgement::FAIL),
        () if n == 5 => Step::Stop(Judgement::PASS),
        () => Step::Continue,
    });
    let q = 0.7f64;
    for n in 1..=5 {
        assert!((chart.fails_within(n, q) - (1.0 - q.powi(n as i32))).abs() < 1e-14);
    }
    assert_eq!(chart.fails_with(0.5, q), Some(2));
    assert_eq!(chart.fails_with(0.9, q), None);
    assert_eq!((chart.ends_within(0.5, q), chart.ends_within(1.0, 1.0)), (2, 5));
    let geometric = 1.0 + q + q.powi(2) + q.powi(3) + q.powi(4);
    assert!((chart.at(q).executions - geometric).abs() < 1e-14);
}
