//! Numbers of executions that are planned.

use punctual_smc::statistics::repeated::{Design, Rule, least_limit};

#[test]
fn a_limit_suffices_and_hardly_less_does() {
    for (p, q) in [(0.5, 0.2), (0.5, 0.7), (1.0, 0.7), (0.9, 0.5)] {
        let design = Design::exact(p);
        let limit = least_limit(&design, q, 0.95, 400).unwrap().unwrap();
        let fails = |executions| {
            let rule = Design { executions, ..design }.rule().unwrap();
            Rule::from(rule).chart().at(q).fail
        };
        assert!(fails(limit) >= 0.95, "{p} {q}: {limit}");
        assert!(fails(limit * 4 / 5) < 0.95, "{p} {q}: {limit}");
    }
}

#[test]
fn what_is_tolerated_is_never_caught() {
    assert_eq!(least_limit(&Design::exact(0.5), 0.53, 0.95, 150), Ok(None));
}

/// Within a rule, the executions until a failure are known as well.
#[test]
fn failures_come_early_where_deviations_are_large() {
    let chart = Rule::from(Design::exact(0.5).rule().unwrap()).chart();
    let by = |q| chart.fails_with(0.95, q);
    assert!(by(0.0).unwrap() < by(0.2).unwrap());
    assert_eq!(by(0.45), None);
    assert!(chart.ends_within(0.95, 0.5) <= 100);
}
