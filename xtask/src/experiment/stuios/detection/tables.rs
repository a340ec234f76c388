//! The figures of the paper beside ours.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::Answer;
use super::judged::Judged;
use super::{Found, OFFSET};

pub(super) fn answer(found: &[Found]) -> Answer {
    let mut tables = main_table(found);
    let mut csv = String::from("system,version,operator,plain,paper,ours,differ,sampled,unknown\n");
    tables.push_str(&offsets(found));
    tables.push_str(&operators(found));
    tables.push_str(&executions(found));
    tables.push_str(&played(found));
    let mut problems = Vec::new();
    for of in found {
        for (at, (name, operator)) in of.versions.iter().enumerate() {
            let versions = of.suites.iter().map(|suite| &suite.found[at]);
            let n = of.suites.len().max(1) as f64;
            let mean = |way: usize| versions.clone().map(|it| it.found[way]).sum::<f64>() / n;
            let differ: usize = versions.clone().map(|it| it.differ.len()).sum();
            let unknown: usize = versions.clone().map(|it| it.n_unknown).sum();
            let sampled: usize = versions.clone().map(|it| it.n_sampled).sum();
            let _ = writeln!(
                csv,
                "{},{name},{operator},{:.4},{:.4},{:.4},{differ},{sampled},{unknown}",
                of.system.name,
                mean(0),
                mean(1),
                mean(2)
            );
        }
        for (number, suite) in of.suites.iter().enumerate() {
            if suite.alarms[0] > 0.0 {
                problems.push(format!(
                    "{}, suite {}: a plain suite fails the right system",
                    of.system.name,
                    number + 1
                ));
            }
            if suite.alarms[2] > 0.05 {
                problems.push(format!("{}: our rule alarms too often", of.system.name));
            }
            // A case may expect a step at the first instant of a window, which has probability 0.
            if suite.dropped.len() * 20 > suite.n_cases {
                problems.extend(suite.dropped.iter().cloned());
            }
        }
        if of.played.right.1 > 0 {
            problems.push(format!("{}: the right system failed when played", of.system.name));
        }
        let (seen, expected, spread) = against(of);
        if (seen - expected).abs() > 4.0 * spread + 1.0 {
            problems.push(format!(
                "{}: {seen} versions were found when played, {expected:.1} were expected",
                of.system.name
            ));
        }
    }
    Answer { tables, files: vec![("rq2.csv", csv)], problems }
}

/// The mean of something over suites, its least and its greatest value.
fn spread(values: impl Iterator<Item = f64> + Clone) -> (f64, f64, f64) {
    let n = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / n;
    let least = values.clone().fold(f64::INFINITY, f64::min);
    (mean, least, values.fold(f64::NEG_INFINITY, f64::max))
}

/// The share of versions that a suite finds, on average, in percent.
fn share(suite: &Judged, way: usize) -> f64 {
    let sum: f64 = suite.found.iter().map(|version| version.found[way]).sum();
    100.0 * sum / suite.found.len().max(1) as f64
}

fn percent(values: impl Iterator<Item = f64> + Clone) -> String {
    let (mean, least, most) = spread(values);
    format!("{mean:.2} ({least:.2} to {most:.2})")
}

fn main_table(found: &[Found]) -> String {
    let mut out = format!(
        "RQ2: of all versions, with clock bounds moved by {OFFSET} ms, the percentage that a suite finds on average: mean, least and most over all suites.\n\n\
         | system | suites | cases | versions | seen by no case | plain: paper | plain | with chances: paper | by the paper's rule | by ours |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for of in found {
        let unseen = (0..of.versions.len())
            .filter(|at| of.suites.iter().all(|it| it.found[*at].differ.is_empty()))
            .count();
        let of_way = |way: usize| percent(of.suites.iter().map(move |it| share(it, way)));
        let sizes = || of.suites.iter().map(|it| it.n_cases);
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        let n_cases = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let _ = writeln!(
            out,
            "| {} | {} | {n_cases} | {} | {unseen} | {} | {} | {} | {} | {} |",
            of.system.name,
            of.suites.len(),
            of.versions.len(),
            of.system.plain,
            of_way(0),
            of.system.stochastic,
            of_way(1),
            of_way(2),
        );
    }
    out.push_str(
        "\nThe chance that a suite fails on the right system, in percent.\n\n\
         | system | paper | plain | by the paper's rule | by ours |\n|---|---:|---:|---:|---:|\n",
    );
    for of in found {
        let of_way = |way: usize| percent(of.suites.iter().map(move |it| 100.0 * it.alarms[way]));
        let cells = [0, 1, 2].map(of_way).join(" | ");
        let _ = writeln!(out, "| {} | never seen | {cells} |", of.system.name);
    }
    out
}

fn offsets(found: &[Found]) -> String {
    let mut out = String::from(
        "\nThe first suite with other offsets, in percent.\n\n\
         | system | offset | plain | by the paper's rule | by ours |\n|---|---:|---:|---:|---:|\n",
    );
    for of in found {
        let main = of.suites.first().map(|suite| (OFFSET, suite));
        let mut all: BTreeMap<i32, &Judged> = main.into_iter().collect();
        all.extend(of.others.iter().map(|(offset, suite)| (*offset, suite)));
        for (offset, suite) in all {
            let cells = [0, 1, 2].map(|way| format!("{:.2}", share(suite, way))).join(" | ");
            let _ = writeln!(out, "| {} | {offset} | {cells} |", of.system.name);
        }
    }
    out
}

fn operators(found: &[Found]) -> String {
    let mut out = String::from(
        "\nBy operator, in percent, on average over all suites.\n\n\
         | system | operator | versions | plain | by the paper's rule | by ours |\n\
         |---|---|---:|---:|---:|---:|\n",
    );
    for of in found {
        let mut sums: BTreeMap<&str, (f64, [f64; 3])> = BTreeMap::new();
        for suite in &of.suites {
            for ((_, operator), version) in of.versions.iter().zip(&suite.found) {
                let row = sums.entry(operator).or_default();
                row.0 += 1.0;
                row.1.iter_mut().zip(version.found).for_each(|(sum, it)| *sum += it);
            }
        }
        for (operator, (n, sums)) in sums {
            let cells = sums.map(|sum| format!("{:.2}", 100.0 * sum / n)).join(" | ");
            let n = n / of.suites.len().max(1) as f64;
            let _ = writeln!(out, "| {} | {operator} | {n} | {cells} |", of.system.name);
        }
    }
    out
}

fn executions(found: &[Found]) -> String {
    let mut out = String::from(
        "\nRQ3: executions of a case of the right system, and hours of model time for a suite without resets; means over all suites.\n\n\
         | system | cases left to chance | with an ending | executions: paper | by the paper's rule | by ours | hours: paper | by the paper's rule | by ours |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for of in found {
        let mean = |value: &dyn Fn(&Judged) -> f64| {
            of.suites.iter().map(value).sum::<f64>() / of.suites.len().max(1) as f64
        };
        let cell = |rule: usize| {
            let least = of.suites.iter().map(|it| it.executions[rule].least);
            let most = of.suites.iter().map(|it| it.executions[rule].most);
            format!(
                "{:.0} ({:.0} to {:.0})",
                mean(&|it| it.executions[rule].mean),
                least.fold(f64::INFINITY, f64::min),
                most.fold(0.0, f64::max)
            )
        };
        let _ = writeln!(
            out,
            "| {} | {:.0} | {:.0} | 57 (35 to 100) | {} | {} | {} | {:.1} | {:.1} |",
            of.system.name,
            mean(&|it| it.n_random as f64),
            mean(&|it| it.n_ended as f64),
            cell(0),
            cell(1),
            of.system.hours,
            mean(&|it| it.executions[0].hours),
            mean(&|it| it.executions[1].hours),
        );
    }
    out
}

/// Versions that were found when played, how many were expected, and the standard deviation of that.
fn against(of: &Found) -> (f64, f64, f64) {
    let Some(suite) = of.suites.first() else { return (0.0, 0.0, 0.0) };
    let (mut seen, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for (number, is_found) in &of.played.versions {
        let version = &suite.found[*number];
        // Some of its cases could find more than was computed.
        if version.n_unknown + version.n_sampled == 0 {
            let chance = version.differing;
            seen += f64::from(u8::from(*is_found));
            expected += chance;
            variance += chance * (1.0 - chance);
        }
    }
    (seen, expected, variance.sqrt())
}

fn played(found: &[Found]) -> String {
    let mut out = String::from(
        "\nThe first suite, executed: twelve cases on the right system by our rule, and one of 32 versions with the cases whose outcomes differ, by the paper's rule; *expected* is the sum of the exact chances. A run also fails by \
         what the lists of a case allow and the model does not, so more may be found.\n\n\
         | system | the right system, by our rule: executions | failed cases | versions | found | expected |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for of in found {
        let (executions, failed) = of.played.right;
        let (seen, expected, spread) = against(of);
        let _ = writeln!(
            out,
            "| {} | {executions} | {failed} | {} | {seen} | {expected:.1} ± {spread:.1} |",
            of.system.name,
            of.played.versions.len(),
        );
    }
    out
}
