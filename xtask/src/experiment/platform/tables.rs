//! Table II of the paper beside ours, and what goes beyond.

use std::fmt::Write as _;

use super::executed::{Executed, SURE};
use super::platforms::Configuration;

/// What is written.
pub(super) struct Answer {
    pub(super) tables: String,
    pub(super) csv: String,
    pub(super) problems: Vec<String>,
}

/// Passed interactions of 1,048 in the paper: scheduled and direct.
const PAPER: [(u32, u32, u32, u32); 21] = [
    (0, 0, 1048, 1048),
    (250, 0, 1048, 884),
    (250, 25, 1048, 463),
    (250, 50, 1048, 682),
    (250, 100, 899, 177),
    (250, 200, 197, 68),
    (500, 0, 1048, 273),
    (500, 25, 1048, 6),
    (500, 50, 1048, 67),
    (500, 100, 840, 3),
    (500, 200, 161, 8),
    (1000, 0, 1048, 3),
    (1000, 25, 1048, 16),
    (1000, 50, 1048, 14),
    (1000, 100, 843, 4),
    (1000, 200, 117, 5),
    (2000, 0, 1048, 3),
    (2000, 25, 1048, 2),
    (2000, 50, 1048, 3),
    (2000, 100, 831, 2),
    (2000, 200, 134, 2),
];

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

pub(super) fn answer(found: &[(Configuration, Executed)]) -> Answer {
    let mut tables = String::from(
        "Table II: interactions that pass on a right system, in percent; medians of all executions. *Decrease*: of false alarms, in percentage points.\n\n\
         | max mean | deviation | scheduled: paper | ours | direct: paper | ours | decrease: paper | ours |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut beyond = String::from(
        "\nBeyond: only what matters is sent, and what was seen is judged by all that may have happened. *Exercised*: interactions that happened as intended with 0.99 or more, in one run, and in up to 20 runs of each test.\n\n\
         | max mean | deviation | failed | undecided | exercised in one run, % | in one of what matters only, % | in up to 20, % | runs per test | model steps per step | cut, % of steps | ms per interaction: median | p99 |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut csv = String::from(
        "max_mean,deviation,execution,interactions,scheduled,direct,failed,undecided,exercised\n",
    );
    let mut problems = Vec::new();
    for (max_mean, deviation, paper, paper_direct) in PAPER {
        let of: Vec<&Executed> = (found.iter())
            .filter(|(it, _)| it.max_mean == max_mean && it.deviation == deviation)
            .map(|(_, it)| it)
            .collect();
        let all = of.clone();
        let Some(first) = of.first() else { continue };
        let n = first.interactions as f64;
        let share = |of_one: &dyn Fn(&Executed) -> usize| {
            100.0 * median(of.iter().map(|it| of_one(it) as f64).collect()) / n
        };
        let (scheduled, direct) = (share(&|it| it.scheduled), share(&|it| it.direct));
        let theirs = |it: u32| 100.0 * f64::from(it) / 1048.0;
        let _ = writeln!(
            tables,
            "| {max_mean} | {deviation} | {:.2} | {scheduled:.2} | {:.2} | {direct:.2} | {:.2} | {:.2} |",
            theirs(paper),
            theirs(paper_direct),
            theirs(paper) - theirs(paper_direct),
            scheduled - direct
        );
        let of: Vec<&Executed> = of.into_iter().filter(|it| it.n_tries > 0).collect();
        let share = |of_one: &dyn Fn(&Executed) -> usize| {
            100.0 * median(of.iter().map(|it| of_one(it) as f64).collect()) / n
        };
        let failed: usize = of.iter().map(|it| it.failed).sum();
        let undecided: usize = of.iter().map(|it| it.undecided).sum();
        let sure = |it: &Executed| it.exercised.iter().filter(|p| **p >= SURE).count();
        let first = |it: &Executed| it.first.iter().filter(|p| **p >= SURE).count();
        // Only tests that were run again have a second run.
        let again = of.iter().flat_map(|it| &it.second);
        let second = 100.0 * again.clone().filter(|p| **p >= SURE).count() as f64
            / again.count().max(1) as f64;
        let n_tries: usize = of.iter().map(|it| it.n_tries).sum();
        let n_tests: usize = of.iter().map(|it| it.n_tests).sum();
        let steps: usize = of.iter().map(|it| it.effort.steps).sum();
        let model_steps: usize = of.iter().map(|it| it.effort.model_steps).sum();
        let cut: usize = of.iter().map(|it| it.effort.cut).sum();
        let mut took: Vec<f64> = of.iter().flat_map(|it| it.took_ms.iter().copied()).collect();
        took.sort_by(f64::total_cmp);
        let p99 = took.get((took.len() * 99).div_ceil(100).saturating_sub(1)).copied();
        let _ = writeln!(
            beyond,
            "| {max_mean} | {deviation} | {failed} | {undecided} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {:.3} | {:.2} | {:.2} |",
            share(&first),
            second,
            share(&sure),
            n_tries as f64 / n_tests.max(1) as f64,
            model_steps as f64 / steps.max(1) as f64,
            100.0 * cut as f64 / steps.max(1) as f64,
            median(took.clone()),
            p99.unwrap_or(0.0)
        );
        for (number, it) in all.iter().enumerate() {
            let _ = writeln!(
                csv,
                "{max_mean},{deviation},{},{},{},{},{},{},{}",
                number + 1,
                it.interactions,
                it.scheduled,
                it.direct,
                it.failed,
                it.undecided,
                sure(it)
            );
        }
        let worn = of.iter().filter(|it| it.is_worn).count();
        if worn > 0 {
            problems.push(format!(
                "{max_mean}/{deviation}: late values explained too much in {worn} executions"
            ));
        }
        if failed > 0 {
            problems.push(format!(
                "{max_mean}/{deviation}: a right system failed {failed} interactions"
            ));
        }
        if deviation <= 50 && scheduled < 100.0 {
            problems.push(format!(
                "{max_mean}/{deviation}: scheduled executions pass {scheduled:.2} % only"
            ));
        }
        if max_mean >= 1000 && direct > 2.0 {
            problems.push(format!("{max_mean}/{deviation}: direct executions pass {direct:.2} %"));
        }
    }
    tables.push_str(&beyond);
    let (stated, off) = deciles(found);
    tables.push_str(&stated);
    if off > 3.0 {
        problems.push(format!("stated probabilities are off by {off:.1} points"));
    }
    Answer { tables, csv, problems }
}

/// Stated probabilities beside how often it was so, by deciles; also, the greatest difference in points.
fn deciles(found: &[(Configuration, Executed)]) -> (String, f64) {
    let mut out = String::from(
        "\nStated probabilities that an interaction was exercised, beside how often it really was, over all runs.\n\n\
         | stated, % | interactions | mean of the stated, % | exercised, % |\n|---|---:|---:|---:|\n",
    );
    let mut off = 0.0_f64;
    for decile in 0..10 {
        let (from, to) = (f64::from(decile) / 10.0, f64::from(decile + 1) / 10.0);
        let holds = |p: f64| p >= from && (p < to || decile == 9);
        let all: Vec<(f64, bool)> = (found.iter())
            .flat_map(|(_, it)| it.stated.iter().copied())
            .filter(|(p, _)| holds(*p))
            .collect();
        let n = all.len().max(1) as f64;
        let stated = 100.0 * all.iter().map(|(p, _)| p).sum::<f64>() / n;
        let so = 100.0 * all.iter().filter(|(_, is_so)| *is_so).count() as f64 / n;
        // Few interactions say little.
        if all.len() >= 1_000 {
            off = off.max((stated - so).abs());
        }
        let _ = writeln!(
            out,
            "| {:.0} to {:.0} | {} | {stated:.2} | {so:.2} |",
            100.0 * from,
            100.0 * to,
            all.len()
        );
    }
    (out, off)
}
