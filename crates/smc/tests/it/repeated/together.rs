//! Dependence between executions of any case, while cases take turns.

use punctual_smc::statistics::repeated::{
    Dependence, Executed, Pattern, Rule, Step, dependence, dependence_together,
};

use super::sequential;
use crate::Random;

/// What cases came to: the numbers of their executions among all, and their outcomes.
type Campaign = Vec<(Vec<u64>, Vec<bool>)>;

/// Cases with the same rule take turns until each is judged. The system is asked whether an execution of a case shows what is expected.
fn campaign(rule: &Rule, n_cases: usize, mut system: impl FnMut() -> bool) -> Campaign {
    let mut cases = vec![(Vec::new(), Vec::new()); n_cases];
    let mut number = 0;
    loop {
        let mut is_over = true;
        for (numbers, outcomes) in &mut cases {
            let k = outcomes.iter().filter(|it| **it).count();
            if rule.step(outcomes.len() as u64, k as u64) == Step::Continue {
                numbers.push(number);
                outcomes.push(system());
                number += 1;
                is_over = false;
            }
        }
        if is_over {
            return cases;
        }
    }
}

fn found(rule: &Rule, cases: &Campaign, rate: f64) -> Option<Dependence> {
    let goes_on = |n: u64, k: u64| rule.step(n, k) == Step::Continue;
    let executed =
        |(numbers, outcomes): &'_ (Vec<u64>, Vec<bool>)| (numbers.clone(), outcomes.clone());
    let cases: Vec<_> = cases.iter().map(executed).collect();
    let all: Vec<Executed<'_>> = (cases.iter())
        .map(|(numbers, outcomes)| Executed { numbers, outcomes, goes_on: &goes_on })
        .collect();
    dependence_together(&all, rate)
}

/// Each execution shows what the one before did, nine times of ten, whatever case that was. Of a case alone, every fortieth execution is seen.
#[test]
fn a_system_that_takes_turns_while_cases_do_was_not_flagged() {
    let rule = sequential(0.5, 0.05, 0.05, 60);
    for (stays, pattern) in [(0.9, Pattern::Repeats), (0.1, Pattern::Alternates)] {
        let mut random = Random(3);
        let mut last = true;
        let cases = campaign(&rule, 40, || {
            last ^= !random.chance(stays);
            last
        });
        let together = found(&rule, &cases, 0.025).expect("it remembers");
        assert_eq!((together.lag, together.pattern), (1, pattern), "{together:?}");
        let goes_on = |n: u64, k: u64| rule.step(n, k) == Step::Continue;
        let alone = |(_, outcomes): &&(Vec<u64>, Vec<bool>)| {
            dependence(outcomes, 0.025 / 40.0, goes_on).is_some()
        };
        assert_eq!(cases.iter().filter(alone).count(), 0);
    }
}

/// Turns of three executions while four cases take turns.
#[test]
fn turns_of_executions_of_any_case() {
    let rule = sequential(0.5, 0.2, 0.05, 60);
    let mut n = 0;
    let cases = campaign(&rule, 4, || {
        n += 1;
        n % 3 > 0
    });
    let together = found(&rule, &cases, 0.025).expect("it takes turns");
    assert_eq!((together.lag, together.pattern), (3, Pattern::Repeats), "{together:?}");
}

/// Independent executions, ended by a rule, are flagged as rarely as stated, and not never.
#[test]
fn independent_executions_are_rarely_flagged() {
    let mut random = Random(11);
    let rule = sequential(0.5, 0.0, 0.05, 40);
    let n = 400;
    let flagged = (0..n).filter(|at| {
        // Also where the cases are not what the model says.
        let p = [0.5, 0.3][at % 2];
        let cases = campaign(&rule, 5, || random.chance(p));
        found(&rule, &cases, 0.1).is_some()
    });
    let share = flagged.count() as f64 / n as f64;
    let error = (0.1 * 0.9 / n as f64).sqrt();
    assert!((share - 0.1).abs() < 3.5 * error, "{share}");
}

#[test]
fn outcomes_that_are_all_alike_say_nothing() {
    let rule = sequential(0.5, 0.0, 0.05, 40);
    let always = campaign(&rule, 3, || true);
    assert_eq!(found(&rule, &always, 0.5), None);
    assert_eq!(found(&rule, &Vec::new(), 0.5), None);
}
