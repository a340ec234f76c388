//! Steering beside the paper's rule: the same scheduled runs, judged by both.
//!
//! The model is steered as `punctual steer` does where nothing is said: it looks two steps ahead, and each input may be what it is meant to be
//! a step before or after. Outputs are brought back to steps as the paper's rule does, and must be equal. The search is bounded; what it
//! does not get to the end of is undecided.
//!
//! Steering compares the steps before the first interaction, too, since inputs may come early; where a test fails there, it is judged once more as if nothing
//! had been seen in them, as the paper's rule does.
//!
//! Of a mutant, a few tests are run that fail without delays, until both rules have found it by a test that the right pump passes.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;

use punctual_model::lustre::Program;
use punctual_model::testing::platform::Platform;
use punctual_model::{Value, VarId, Verdict};
use punctual_oracle::Judgement;
use punctual_oracle::steering::{
    Distance, Kind, Limits, LookAhead, Oracle, Policy, Setup, Steerer,
};
use punctual_semantics::lustre::{Machine, Reals};
use punctual_smc::parallel::in_order;
use punctual_testgen::mutation::lustre::{Choice, Mutant, mutants};
use punctual_testgen::platform::timetable;

use super::executed::{Pump, View};
use super::mutants::{DEVIATIONS, failing, first_step};
use super::neighbours::Neighbours;
use super::platforms::{Configuration, calibrated};
use crate::clock::Stopwatch;

/// What bounds the search of a test.
const LIMITS: Limits = Limits { candidates: 300, enumerated: 5_000, steps: 5_000, alternatives: 1 };

/// So many tests of a mutant are run at most, at each deviation.
const TESTS_MAX: usize = 5;

/// A platform and what is known about it.
struct Place {
    deviation: u32,
    truth: Arc<Platform>,
    known: View,
}

/// A run of a test, judged by both rules.
struct Judged {
    interactions: usize,
    /// Interactions that fail by the paper's rule.
    failed: usize,
    /// What steering says of the test, and the interactions that it does not explain.
    steered: Verdict,
    unexplained: usize,
    /// Whether each input that the program had was one that steering allows.
    is_allowed: bool,
    took_ms: f64,
}

impl Judged {
    /// The verdicts of the paper's rule and of steering.
    fn verdicts(&self) -> [Verdict; 2] {
        [if self.failed == 0 { Verdict::Pass } else { Verdict::Fail }, self.steered]
    }
}

/// What a rule makes of a mutant; the better, the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Found {
    /// All tests pass.
    Missed,
    /// Only tests do not pass that the right pump does not pass, either.
    InVain,
    /// No test fails that the right pump passes, and some of these are undecided.
    Undecided,
    /// A test fails that the right pump passes.
    ByTest,
}

/// The best that each rule makes of a mutant at each deviation, and the mutant's equation and change.
type Fate = ([[Found; 2]; 3], String);

pub(super) fn answer(
    pump: &Pump<'_>,
    n_mutants: usize,
    threads: usize,
    say: &dyn Fn(&str),
) -> Result<String, String> {
    let places: Vec<Place> = DEVIATIONS.iter().map(|it| place(pump, *it)).collect();
    let following = oracle(pump.program, true)?;
    let jobs = places.iter().flat_map(|it| (0..pump.tests.len()).map(move |test| (it, test)));
    let mut right: Vec<Judged> = Vec::new();
    let work = |steerer: &mut Steerer<'_>, (place, test): (&Place, usize)| {
        judge(pump, steerer, pump.program, place, test)
    };
    let take = |judged: Result<Judged, String>| match judged {
        Ok(judged) => {
            right.push(judged);
            ControlFlow::Continue(())
        }
        Err(error) => ControlFlow::Break(error),
    };
    if let Some(error) = in_order(threads, jobs, || Steerer::new(&following), work, take) {
        return Err(error);
    }
    let right: Vec<&[Judged]> = right.chunks(pump.tests.len().max(1)).collect();
    let mut text = alarms(&right);
    for (deviation, judged) in DEVIATIONS.iter().zip(&right) {
        let failed = judged.iter().filter(|it| it.steered == Verdict::Fail);
        let (n, allowed) = (failed.clone().count(), failed.filter(|it| it.is_allowed).count());
        let _ = writeln!(
            text,
            "\nAt {deviation} steering fails {n} tests; in {allowed} of them all inputs were such as it allows."
        );
    }
    say("the right pump is judged");
    eprintln!("{text}");
    if n_mutants > 0 {
        let oracle = oracle(pump.program, false)?;
        let all = mutants(pump.program, Choice::BySubsystem(n_mutants), pump.seed);
        let mut found: Vec<Fate> = Vec::new();
        let work = |steerer: &mut Steerer<'_>, mutant: &Mutant| {
            find(pump, steerer, mutant, &places, &right)
        };
        let take = |it: Result<Option<Fate>, String>| match it {
            Ok(it) => {
                found.extend(it);
                say(&format!("{} mutants", found.len()));
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        };
        if let Some(error) = in_order(threads, all.iter(), || Steerer::new(&oracle), work, take) {
            return Err(error);
        }
        text += &fates(&found);
    }
    Ok(text)
}

fn place(pump: &Pump<'_>, deviation: u32) -> Place {
    let truth = Configuration { max_mean: 500, deviation }.platform(pump.program, pump.seed);
    let known = pump.view(calibrated(&truth, pump.seed));
    Place { deviation, truth: Arc::new(truth), known }
}

/// The model, steered beyond the first step that is not explained or up to it.
fn oracle(pump: &Program, goes_on: bool) -> Result<Oracle, String> {
    let Neighbours { program, choices, tolerances } = Neighbours::new(pump);
    let compared: Vec<VarId> = pump.outputs().collect();
    let setup = Setup {
        metric: Distance::plain(Kind::Manhattan, compared.len()),
        columns: compared.clone(),
        compared,
        policy: Policy { exact_only: true, goes_on, ..Policy::plain(choices.len()) },
        steerable: choices,
        tolerances,
        look_ahead: LookAhead::DEFAULT,
        reals: Reals::Exact,
        limits: LIMITS,
        solver: Err("no solver is asked".to_owned()),
        solver_limits: Default::default(),
    };
    Oracle::new(&program, setup).map_err(|it| it.to_string())
}

/// Runs a test once and judges it by both rules.
fn judge(
    pump: &Pump<'_>,
    steerer: &mut Steerer<'_>,
    played: &Program,
    place: &Place,
    test: usize,
) -> Result<Judged, String> {
    let table = &pump.tests[test];
    let seed = pump.seed ^ (test as u64).rotate_left(24) ^ u64::from(place.deviation);
    let mut sut = pump.simulated(played, &place.truth, &place.known, seed)?;
    let (told, mut seen) = pump.observed(&mut sut, &place.known, table)?;
    let idle = seen.len().saturating_sub(table.steps.len());
    let initial = Configuration::initial(pump.program);
    let mut rows: Vec<&[Value]> = vec![&initial; idle];
    rows.extend(table.steps.iter().map(|it| &it.inputs[..]));
    let watch = Stopwatch::start();
    let mut outcome = steerer.judge(&Neighbours::observations(&rows, &seen));
    if matches!(&outcome.verdict, Judgement::Fail(at) if at.step < idle) {
        let zero = |var: VarId| Value::zero(pump.program.vars[var].ty);
        seen[..idle].fill(pump.program.outputs().map(zero).collect());
        outcome = steerer.judge(&Neighbours::observations(&rows, &seen));
    }
    let took_ms = watch.elapsed().as_secs_f64() * 1e3 / table.steps.len().max(1) as f64;
    let happened = sut.happened().iter().zip(0..rows.len());
    let is_allowed = happened.into_iter().all(|(row, step)| {
        let near = &rows[step.saturating_sub(1)..(step + 2).min(rows.len())];
        row.iter().enumerate().all(|(at, value)| near.iter().any(|it| it[at] == *value))
    });
    let unexplained = outcome.steps.iter().filter(|it| !it.differences.is_empty());
    Ok(Judged {
        interactions: table.steps.len(),
        failed: told.len(),
        steered: outcome.verdict.verdict(),
        unexplained: unexplained.filter(|it| it.step >= idle).count(),
        is_allowed,
        took_ms,
    })
}

/// The best that each rule makes of a mutant at each deviation; None if it does nothing wrong without delays.
fn find(
    pump: &Pump<'_>,
    steerer: &mut Steerer<'_>,
    mutant: &Mutant,
    places: &[Place],
    right: &[&[Judged]],
) -> Result<Option<Fate>, String> {
    let machine = Machine::new(&mutant.program, Reals::Exact).map_err(|it| it.to_string())?;
    let mut best = [[Found::Missed; 2]; 3];
    for ((place, right), best) in places.iter().zip(right).zip(&mut best) {
        let failing = failing(pump, &machine, first_step(timetable(&place.known.platform)));
        if failing.is_empty() {
            return Ok(None);
        }
        let apart = failing.len().div_ceil(TESTS_MAX);
        for (test, _) in failing.into_iter().step_by(apart) {
            let judged = judge(pump, steerer, &mutant.program, place, test)?;
            let both = judged.verdicts().into_iter().zip(right[test].verdicts());
            for (best, (verdict, right)) in best.iter_mut().zip(both) {
                let now = match (verdict, right) {
                    (Verdict::Pass, _) => Found::Missed,
                    (_, Verdict::Fail | Verdict::Inconclusive) => Found::InVain,
                    (Verdict::Inconclusive, Verdict::Pass) => Found::Undecided,
                    (Verdict::Fail, Verdict::Pass) => Found::ByTest,
                };
                *best = now.max(*best);
            }
            if *best == [Found::ByTest; 2] {
                break;
            }
        }
    }
    let name = format!("`{}`: `{}` is `{}`", mutant.equation, mutant.old, mutant.new);
    Ok(Some((best, name)))
}

fn alarms(right: &[&[Judged]]) -> String {
    let mut text = "| deviation | tests that fail, %: paper's rule | steering | undecided | interactions that fail, %: paper's rule | not explained by steering | ms per interaction: median | p99 |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n".to_owned();
    for (deviation, judged) in DEVIATIONS.iter().zip(right) {
        let share = |it: usize, all: usize| 100.0 * it as f64 / all.max(1) as f64;
        let tests = |rule: usize, verdict: Verdict| {
            let n = judged.iter().filter(|it| it.verdicts()[rule] == verdict).count();
            share(n, judged.len())
        };
        let all = judged.iter().map(|it| it.interactions).sum();
        let sum = |of: fn(&Judged) -> usize| share(judged.iter().map(of).sum(), all);
        let mut took: Vec<f64> = judged.iter().map(|it| it.took_ms).collect();
        took.sort_by(f64::total_cmp);
        let quantile = |q: f64| took.get((took.len() as f64 * q) as usize).copied().unwrap_or(0.0);
        let _ = writeln!(
            text,
            "| {deviation} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} | {:.0} |",
            tests(0, Verdict::Fail),
            tests(1, Verdict::Fail),
            tests(1, Verdict::Inconclusive),
            sum(|it| it.failed),
            sum(|it| it.unexplained),
            quantile(0.5),
            quantile(0.99),
        );
    }
    text
}

fn fates(found: &[Fate]) -> String {
    let mut text = format!(
        "\n{} mutants fail without delays.\n\n| deviation | rule | found | undecided, but the right pump passes | only where the right pump does not pass | missed |\n|---:|---|---:|---:|---:|---:|\n",
        found.len()
    );
    for (at, deviation) in DEVIATIONS.iter().enumerate() {
        for (rule, name) in ["paper's", "steering"].iter().enumerate() {
            let n = |kind: Found| found.iter().filter(|it| it.0[at][rule] == kind).count();
            let [a, b, c, d] =
                [Found::ByTest, Found::Undecided, Found::InVain, Found::Missed].map(n);
            let _ = writeln!(text, "| {deviation} | {name} | {a} | {b} | {c} | {d} |");
        }
    }
    for (best, name) in found {
        for (at, deviation) in DEVIATIONS.iter().enumerate() {
            if best[at][1] == Found::Missed {
                let _ = writeln!(text, "\nMissed by steering at {deviation}: {name}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use punctual_lang::Input;

    use super::*;

    /// What steering says of a program that shows `n` where `b` is true, and else 0.
    fn verdict(shown: [i64; 4]) -> Verdict {
        let text = "node main(b: bool; n: int) returns (o: int); let o = if b then n else 0; tel";
        let input = Input { name: "test.lus", bytes: text.as_bytes() };
        let program = punctual_lang::lustre::read(input, None).value.expect("a program");
        let oracle = oracle(&program, false).expect("a model");
        let rows = [(false, 10), (true, 20), (true, 30), (false, 90)];
        let rows = rows.map(|(b, n)| [Value::Bool(b), Value::Int(n)]);
        let rows: Vec<&[Value]> = rows.iter().map(|it| &it[..]).collect();
        let seen = shown.map(|it| vec![Value::Int(it)]);
        let observations = Neighbours::observations(&rows, &seen);
        Steerer::new(&oracle).judge(&observations).verdict.verdict()
    }

    #[test]
    fn each_input_may_be_what_it_is_a_step_before_or_after() {
        assert_eq!(verdict([0, 20, 30, 0]), Verdict::Pass, "as intended");
        assert_eq!(verdict([0, 10, 90, 0]), Verdict::Pass, "n is late, then early");
        assert_eq!(verdict([20, 0, 0, 90]), Verdict::Pass, "b is early with n, late, early, late");
        assert_eq!(verdict([0, 20, 10, 0]), Verdict::Fail, "n is two steps late");
        assert_eq!(verdict([0, 25, 30, 0]), Verdict::Fail, "between two values is none of them");
    }
}
