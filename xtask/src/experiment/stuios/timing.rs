//! RQ1: are faults of timing found by how often a case shows what it expects?
//!
//! Each case looks in the middle of a window. The versions of the paper restrict and widen the window of its error. Nothing is
//! run: the probability of each case and version is exact, and so is what a rule says of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use punctual_campaign::load::{Environment, load};
use punctual_lang::{Input, suite};
use punctual_model::ProcessId;
use punctual_model::testing::suite::Body;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Named, Side};
use punctual_smc::exact::{Phase, Ratio};
use punctual_smc::statistics::repeated::{Chart, Design, Paper, Rule};
use punctual_testgen::mutation::automata::{Operator, Options, mutants};
use punctual_testgen::uio::probability;

use super::Answer;

const OFFSETS: [i32; 4] = [100, 400, 850, 1700];

/// A system of the paper: its name, its files, and its phase in points of the grid.
const SYSTEMS: [(&str, &str, &str, Phase); 2] = [
    ("HOD", "hod", "rq1-hod.toml", Phase::None),
    ("BodySense", "bodysense", "rq1-bodysense.toml", Phase::OfScript(1700)),
];

/// The rules that are compared: their names, and what they say of a probability.
fn rules(expected: f64) -> Result<[(&'static str, Chart); 3], String> {
    let wrong = |it: punctual_smc::statistics::OutOfRange| it.to_string();
    let paper: Rule = Paper::exact(expected, 0.95, 100).map_err(wrong)?.into();
    let ours = |tolerance: f64| -> Result<Chart, String> {
        let mut design = Design::exact(expected).within(tolerance);
        design.executions = 400;
        let rule: Rule = design.rule().map_err(wrong)?.into();
        Ok(rule.chart())
    };
    Ok([
        ("paper's rule, 100 executions", paper.chart()),
        ("ours, tolerance 0.05, 400", ours(0.05)?),
        ("ours, tolerance 0, 400", ours(0.0)?),
    ])
}

pub(super) fn number(ratio: &Ratio) -> f64 {
    let digits = |it: String| it.parse::<f64>().unwrap_or(f64::NAN);
    digits(ratio.numer().to_string()) / digits(ratio.denom().to_string())
}

pub(super) fn answer(folder: &Path, say: impl Fn(&str)) -> Result<Answer, String> {
    let mut tables = String::from(
        "| system | window | offset | versions | probability | paper's rule fails | ours, tolerance 0.05 | ours, tolerance 0 |\n\
         |---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut csv =
        String::from("system,operator,offset,case,mutant,probability,paper,ours05,ours0\n");
    let mut problems = Vec::new();
    for (name, model, cases, phase) in SYSTEMS {
        system(folder, (name, model, cases, phase), &mut tables, &mut csv, &mut problems)?;
        say(&format!("{name} is done"));
    }
    let mut all = summary(&csv);
    all.push('\n');
    all.push_str(&tables);
    Ok(Answer { tables: all, files: vec![("rq1.csv", csv)], problems })
}

fn system(
    folder: &Path,
    (name, model, cases, phase): (&str, &str, &str, Phase),
    tables: &mut String,
    csv: &mut String,
    problems: &mut Vec<String>,
) -> Result<(), String> {
    let interface = folder.join(format!("{model}.toml"));
    let loaded = load(&folder.join(format!("{model}.xml")), Some(&interface), Environment::Model)
        .map_err(|problem| problem.to_string())?;
    let specification = loaded.judges.specification.as_ref().ok_or("no timed model")?;
    let bytes = std::fs::read(folder.join(cases)).map_err(|error| format!("{cases}: {error}"))?;
    let input = Input { name: cases, bytes: &bytes };
    let mut none = |_: &str| Err("there are no tables".to_owned());
    let suite = suite::read(input, specification.interface(), None, &mut none).value;
    let suite = suite.ok_or_else(|| format!("{cases} can not be read"))?;
    let side = |side| specification.split.processes(side).collect::<Vec<ProcessId>>();
    let named = Named { system: side(Side::System), environment: side(Side::Environment) };
    let process = |case: &str| {
        // `error 07` is about the automaton `Error7`.
        let number: u32 = case.strip_prefix("error ")?.parse().ok()?;
        let wanted = format!("Error{number}");
        let mut ids = specification.network.processes.enumerate();
        ids.find(|(_, it)| it.name == wanted).map(|(id, _)| id)
    };
    let mut rows: BTreeMap<(&str, i32, String), (usize, [f64; 3])> = BTreeMap::new();
    let mut known: BTreeMap<String, [(&'static str, Chart); 3]> = BTreeMap::new();
    for case in &suite.cases {
        let Body::Timed(parts) = &case.body else { continue };
        let expected = probability(specification, parts, phase);
        let expected = expected.map_err(|why| format!("{name}, {}: {why}", case.name))?;
        if expected == Ratio::from_integer(1.into()) {
            continue;
        }
        if expected != Ratio::new(1.into(), 2.into()) {
            problems.push(format!("{name}, {}: {expected} instead of 1/2", case.name));
        }
        let key = expected.to_string();
        if !known.contains_key(&key) {
            known.insert(key.clone(), rules(number(&expected))?);
        }
        let charts = &known[&key];
        let fails = |q: f64| [0, 1, 2].map(|at| charts[at].1.at(q).fail);
        let mut add = |operator: &'static str, offset: i32, mutant: &str, q: &Ratio| {
            let fails = fails(number(q));
            let row = rows.entry((operator, offset, q.to_string())).or_insert((0, fails));
            row.0 += 1;
            let [paper, ours, exact] = fails;
            let _ = writeln!(
                csv,
                "{name},{operator},{offset},{},{mutant},{q},{paper:.6},{ours:.6},{exact:.6}",
                case.name
            );
        };
        add("right", 0, "", &expected);
        let Some(process) = process(&case.name) else {
            problems.push(format!("{name}: no automaton for `{}`", case.name));
            continue;
        };
        for offset in OFFSETS {
            let operators = vec![Operator::Restrict, Operator::Widen];
            let options = Options { operators, offset, environment: false };
            let all = mutants(&specification.network, &specification.split.sides, &options);
            for mutant in all.iter().filter(|it| it.process == process) {
                let wired = specification.wired.clone();
                let Ok(mutated) = Specification::new(mutant.network.clone(), wired, &named) else {
                    continue;
                };
                // A version whose window does not concern the case, or is empty, is none of the paper's.
                let Ok(q) = probability(&mutated, parts, phase) else { continue };
                if q != expected {
                    add(mutant.operator.name(), offset, &mutant.name, &q);
                }
            }
        }
    }
    for ((operator, offset, q), (n, [paper, ours, exact])) in rows {
        let _ = writeln!(
            tables,
            "| {name} | {operator} | {offset} | {n} | {q} | {paper:.4} | {ours:.4} | {exact:.4} |"
        );
    }
    Ok(())
}

/// Precision and recall of each rule on all cases of both systems: what is expected of one execution of the experiment.
fn summary(csv: &str) -> String {
    let mut sums: BTreeMap<i32, (f64, [f64; 3])> = BTreeMap::new();
    for line in csv.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let Some(offset) = cells.get(2).and_then(|it| it.parse().ok()) else { continue };
        let row = sums.entry(offset).or_default();
        row.0 += 1.0;
        for (sum, cell) in row.1.iter_mut().zip(&cells[cells.len() - 3..]) {
            *sum += cell.parse::<f64>().unwrap_or(f64::NAN);
        }
    }
    let (_, alarms) = sums.get(&0).copied().unwrap_or_default();
    let mut out = String::from(
        "| offset | versions | paper: precision, recall | paper's rule | ours, tolerance 0.05 | ours, tolerance 0 |\n\
         |---:|---:|---:|---:|---:|---:|\n",
    );
    for (offset, (n, found)) in sums.iter().filter(|(offset, _)| **offset > 0) {
        let cell = |at: usize| {
            format!("{:.3}, {:.3}", found[at] / (found[at] + alarms[at]), found[at] / n)
        };
        let _ =
            writeln!(out, "| {offset} | {n} | 1, 1 | {} | {} | {} |", cell(0), cell(1), cell(2));
    }
    out
}
