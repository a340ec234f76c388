//! Dependence between outcomes, by the exact distribution of their orders.

use punctual_smc::statistics::repeated::{Pattern, Rule, Step, dependence};

use super::{follow, sequential};
use crate::Random;

fn always(_: u64, _: u64) -> bool {
    true
}

/// The chance of as many agreements or more, from all orders with the same counts.
#[test]
fn chances_are_those_of_all_orders() {
    // A rule that goes on while successes and failures are about as many.
    let by_rule = |n: u64, k: u64| (2 * k).abs_diff(n) < 3;
    let n = 12;
    let counts = |order: u32, lag: usize| {
        (lag..n).filter(|&i| order >> i & 1 == order >> (i - lag) & 1).count()
    };
    let possible = |order: u32, with_rule: bool| {
        let mut k = 0;
        (0..n).all(|i| {
            let fine = i == 0 || !with_rule || by_rule(i as u64, k);
            k += u64::from(order >> i & 1);
            fine
        })
    };
    let mut n_found = [0; 2];
    for with_rule in [false, true] {
        for order in (0..1u32 << n).step_by(7).filter(|&order| possible(order, with_rule)) {
            let outcomes: Vec<bool> = (0..n).map(|i| order >> i & 1 == 1).collect();
            let goes_on = |n, k| !with_rule || by_rule(n, k);
            let found = dependence(&outcomes, 0.5, goes_on);
            let same: Vec<u32> = (0..1u32 << n)
                .filter(|other| other.count_ones() == order.count_ones())
                .filter(|&other| possible(other, with_rule))
                .collect();
            let least = (1..=4)
                .flat_map(|lag| {
                    let mine = counts(order, lag);
                    let more = same.iter().filter(|&&it| counts(it, lag) >= mine).count();
                    let fewer = same.iter().filter(|&&it| counts(it, lag) <= mine).count();
                    [more, fewer]
                })
                .min()
                .unwrap() as f64
                / same.len() as f64;
            match found {
                Some(found) => {
                    n_found[usize::from(with_rule)] += 1;
                    assert!((found.chance - least).abs() < 1e-12, "{order:b}: {found:?} {least}");
                }
                None => assert!(least > 0.5 / 8.0, "{order:b}: {least}"),
            }
        }
    }
    assert!(n_found.iter().all(|&it| it > 10), "{n_found:?}");
}

/// Systems that take turns have the right share, so the rule passes them; their order tells.
#[test]
fn systems_that_take_turns_are_flagged() {
    for (p, turns, lag, pattern) in [
        (0.5, &[true, false][..], 1, Pattern::Alternates),
        (0.5, &[true, true, false, false], 2, Pattern::Alternates),
        (2.0 / 3.0, &[true, true, false], 3, Pattern::Repeats),
        (0.25, &[false, false, false, true], 4, Pattern::Repeats),
    ] {
        let rule = sequential(p, 0.05, 0.05, 100);
        let mut outcomes = Vec::new();
        let mut turn = turns.iter().copied().cycle();
        let (.., judgement) = follow(&rule, || {
            outcomes.push(turn.next().unwrap());
            *outcomes.last().unwrap()
        });
        assert!(judgement.passes);
        let goes_on = |n, k| rule.step(n, k) == Step::Continue;
        let found = dependence(&outcomes, 0.001, goes_on).expect("it takes turns");
        assert_eq!((found.lag, found.pattern), (lag, pattern), "{p}: {found:?}");
    }
    // A system that stays: its state survives the reset.
    let outcomes: Vec<bool> = (0..60).map(|i| i / 10 % 2 == 0).collect();
    let found = dependence(&outcomes, 0.001, always).unwrap();
    assert_eq!((found.lag, found.pattern), (1, Pattern::Repeats));
}

#[test]
fn outcomes_that_are_all_alike_say_nothing() {
    assert_eq!(dependence(&[true; 59], 0.5, always), None);
    assert_eq!(dependence(&[], 0.5, always), None);
    assert_eq!(dependence(&[false], 0.5, always), None);
}

/// Independent executions, ended by a rule, are flagged as rarely as stated.
#[test]
fn independent_executions_are_rarely_flagged() {
    let mut random = Random(5);
    let rule: Rule = sequential(0.5, 0.0, 0.05, 40);
    let n = 600;
    let flagged = (0..n).filter(|_| {
        let mut outcomes = Vec::new();
        follow(&rule, || {
            outcomes.push(random.chance(0.5));
            *outcomes.last().unwrap()
        });
        dependence(&outcomes, 0.1, |n, k| rule.step(n, k) == Step::Continue).is_some()
    });
    let share = flagged.count() as f64 / f64::from(n);
    let error = (0.1 * 0.9 / f64::from(n)).sqrt();
    assert!(share < 0.1 + 3.0 * error && share > 0.02, "{share}");
}
