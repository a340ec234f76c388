//! Simulated suites: both rates are what was stated.

use punctual_smc::statistics::repeated::{Design, Rates, Rule, any};

use super::follow;
use crate::Random;

/// A suite of twelve cases whose rates hold together, at what the rule finds and where the system is right.
#[test]
fn suites_keep_their_rates() {
    let rates = Rates { alpha: 0.05, beta: 0.1 }.divided(12, 1).unwrap();
    let designs: Vec<Design> = (0..12)
        .map(|i| Design {
            alpha: rates.alpha,
            beta: rates.beta,
            ..Design::exact(0.1 + 0.07 * f64::from(i)).within(f64::from(i % 2) * 0.05)
        })
        .collect();
    let rules: Vec<_> = designs.iter().map(|design| design.rule().unwrap()).collect();
    let found: Vec<f64> =
        rules.iter().map(|it| it.found().into_iter().flatten().next().unwrap()).collect();
    let rules: Vec<Rule> = rules.into_iter().map(Rule::from).collect();
    let charts: Vec<_> = rules.iter().map(Rule::chart).collect();
    let right = |i: usize| designs[i].expected.low;
    let alarm = any((0..12).map(|i| charts[i].at(right(i)).fail));
    let miss = any((0..12).map(|i| charts[i].at(found[i]).pass));
    assert!(alarm <= 0.05 && miss <= 0.1, "{alarm} {miss}");
    let n = 2000;
    let mut random = Random(10);
    let (mut alarms, mut misses) = (0, 0);
    for _ in 0..n {
        let mut passes = |i: usize, q: f64| follow(&rules[i], || random.chance(q)).2.passes;
        alarms += u32::from((0..12).fold(false, |any, i| !passes(i, right(i)) | any));
        misses += u32::from((0..12).fold(false, |any, i| passes(i, found[i]) | any));
    }
    for (seen, stated) in [(alarms, alarm), (misses, miss)] {
        let share = f64::from(seen) / f64::from(n);
        let error = (stated * (1.0 - stated) / f64::from(n)).sqrt();
        assert!((share - stated).abs() < 3.0 * error, "{share}, stated {stated}");
    }
}
