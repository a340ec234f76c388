//! Cases that are judged by two sequences.

use punctual_smc::statistics::repeated::{
    Case, Chances, Judgement, Paper, Rule, Step, nested, nested_beside, single_beside,
};

use super::{follow, sequential};

/// By all orders of "both", "only the first" and "neither".
fn enumerated(rules: [&Rule; 2], first: f64, second: f64) -> Chances {
    let limit = rules[0].limit().max(rules[1].limit()) as u32;
    let mut sum = Chances::default();
    for order in 0..3u32.pow(limit) {
        let mut case = Case::new(rules.map(Clone::clone));
        let mut weight = 1.0;
        for i in 0..limit {
            match order / 3u32.pow(i) % 3 {
                0 => {
                    weight *= second;
                    case.observe(&[true, true]);
                }
                1 => {
                    weight *= first - second;
                    case.observe(&[true, false]);
                }
                _ => {
                    weight *= 1.0 - first;
                    case.observe(&[false, false]);
                }
            }
        }
        let Step::Stop(judgement) = case.step() else { panic!("not judged at the limit") };
        *(if judgement.passes { &mut sum.pass } else { &mut sum.fail }) += weight;
        sum.unreliable += if judgement.reliable { 0.0 } else { weight };
        sum.executions += weight * case.executions() as f64;
    }
    sum
}

/// By all orders of seen, not seen, and illegal.
fn enumerated_beside(rule: &Rule, q: f64, illegal: f64) -> Chances {
    let limit = rule.limit() as u32;
    let mut sum = Chances::default();
    for order in 0..3u32.pow(limit) {
        let mut case = Case::new([rule.clone()]);
        let mut weight = 1.0;
        let mut is_illegal = false;
        let mut executions = 0;
        for i in 0..limit {
            let goes_on = !is_illegal && case.step() == Step::Continue;
            executions += u64::from(goes_on);
            let (chance, seen) = match order / 3u32.pow(i) % 3 {
                0 => (q, true),
                1 => (1.0 - q - illegal, false),
                _ => {
                    is_illegal |= goes_on;
                    (illegal, false)
                }
            };
            weight *= chance;
            if goes_on && !is_illegal {
                case.observe(&[seen]);
            }
        }
        let judgement = match case.step() {
            Step::Stop(judgement) if !is_illegal => judgement,
            _ => Judgement::FAIL,
        };
        *(if judgement.passes { &mut sum.pass } else { &mut sum.fail }) += weight;
        sum.unreliable += if judgement.reliable { 0.0 } else { weight };
        sum.executions += weight * executions as f64;
    }
    sum
}

/// What is illegal ends a case at once; a case whose second sequence is always seen with the first has one rule.
#[test]
fn what_is_illegal_fails_at_once() {
    let close = |one: Chances, other: Chances| {
        let pairs = [
            (one.pass, other.pass),
            (one.fail, other.fail),
            (one.unreliable, other.unreliable),
            (one.executions, other.executions),
        ];
        pairs.into_iter().all(|(one, other)| (one - other).abs() < 1e-12)
    };
    for rule in [sequential(0.7, 0.0, 0.2, 8), Rule::from(Paper::exact(0.7, 0.6, 8).unwrap())] {
        for (q, illegal) in [(0.7, 0.1), (0.2, 0.5), (0.9, 0.1), (0.0, 0.3), (0.5, 0.0)] {
            let expected = enumerated_beside(&rule, q, illegal);
            let (one, two) =
                (single_beside(&rule, q, illegal), nested_beside([&rule, &rule], q, q, illegal));
            assert!(close(one, expected), "{q} {illegal}: {one:?} {expected:?}");
            assert!(close(two, expected), "{q} {illegal}: {two:?} {expected:?}");
        }
    }
}

#[test]
fn pairs_of_counts_sum_over_all_orders() {
    let paper = |p| Rule::from(Paper::exact(p, 0.6, 8).unwrap());
    let pairs = [
        (paper(0.7), paper(0.4)),
        (sequential(0.7, 0.0, 0.2, 8), sequential(0.4, 0.05, 0.2, 8)),
        (sequential(1.0, 0.3, 0.2, 8), sequential(0.5, 0.1, 0.3, 5)),
        (sequential(0.9, 0.0, 0.3, 4), sequential(0.3, 0.0, 0.3, 8)),
    ];
    for (one, other) in &pairs {
        for (first, second) in [(0.7, 0.4), (0.9, 0.1), (1.0, 0.5), (0.3, 0.3), (0.5, 0.0)] {
            let (left, right) =
                (nested([one, other], first, second), enumerated([one, other], first, second));
            let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
            assert!(
                close(left.pass, right.pass)
                    && close(left.fail, right.fail)
                    && close(left.unreliable, right.unreliable)
                    && close(left.executions, right.executions),
                "{first} {second}: {left:?} {right:?}"
            );
        }
    }
}

/// A case fails no more often than its two sequences together, and no less often than either.
#[test]
fn two_sequences_fail_at_most_as_often_as_both_apart() {
    let rules = [sequential(0.8, 0.0, 0.025, 100), sequential(0.4, 0.0, 0.025, 100)];
    let [first, second] = rules.each_ref().map(Rule::chart);
    for (q, r) in [(0.8, 0.4), (0.8, 0.3), (0.7, 0.4), (0.9, 0.6)] {
        let together = nested(rules.each_ref(), q, r);
        let (one, other) = (first.at(q), second.at(r));
        assert!(together.fail <= one.fail + other.fail + 1e-12);
        assert!(together.fail >= one.fail.max(other.fail) - 1e-12);
    }
    assert!(nested(rules.each_ref(), 0.8, 0.4).fail <= 0.05);
}

#[test]
fn a_case_with_one_sequence_is_its_rule() {
    let rule = sequential(0.5, 0.05, 0.05, 50);
    for pattern in [[true, true, false], [true, false, false], [true, true, true]] {
        let mut outcomes = pattern.into_iter().cycle();
        let (n, k, judgement) = follow(&rule, || outcomes.next().unwrap());
        let mut case = Case::new([rule.clone()]);
        for seen in pattern.into_iter().cycle().take(60) {
            case.observe(&[seen]);
        }
        assert_eq!(case.step(), Step::Stop(judgement));
        assert_eq!((case.executions(), case.counts().next()), (n, Some((n, k))));
    }
}

/// The sequence fails although the outputs of the case are right (T3 of section 5.4).
#[test]
fn either_sequence_can_fail_a_case() {
    let rules = [Paper::exact(1.0, 0.95, 400).unwrap(), Paper::exact(0.95, 0.95, 400).unwrap()];
    let mut case = Case::new(rules.map(Rule::from));
    for i in 0..400 {
        case.observe(&[true, i % 5 != 0]);
    }
    assert_eq!(case.step(), Step::Stop(Judgement::FAIL));
    let steps: Vec<Step> = case.steps().collect();
    assert_eq!(steps, [Step::Stop(Judgement::PASS), Step::Stop(Judgement::FAIL)]);
    assert!(case.executions() > 35, "the first sequence was narrow long before");
    assert!(case.reasons().nth(1).unwrap().contains("does not overlap"));
}
