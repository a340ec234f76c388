//! Cases that were repeated, as text.

use std::fmt::Write as _;

use crate::view::repeated::{Plan, Planned, Repeated, Sequence};

/// A line for each case, why those that did not pass did not, and the verdict.
#[must_use]
pub fn text(suite: &Repeated) -> String {
    let mut out = String::new();
    let width = suite.cases.iter().map(|it| it.name.chars().count()).max().unwrap_or(0).max(4);
    let in_time = suite.tolerance_ms.is_some();
    let cell = |it: &Sequence| sequence(it, in_time);
    let first = suite.cases.iter().filter_map(|it| it.sequences.first());
    let seen = first.map(|it| cell(it).chars().count()).max().unwrap_or(0).max(26);
    let _ = writeln!(
        out,
        "{:<13} {:<width$}  {:>9}  {:<seen$}  with ending / model",
        "verdict", "case", "times", "seen / model"
    );
    for case in &suite.cases {
        let cells: Vec<String> = case.sequences.iter().map(cell).collect();
        let cell = |at: usize| cells.get(at).map_or("", String::as_str);
        let line = format!(
            "{:<13} {:<width$}  {:>9}  {:<seen$}  {:<26}",
            case.verdict.to_uppercase(),
            case.name,
            case.executions,
            cell(0),
            cell(1)
        );
        let _ = writeln!(out, "{}", line.trim_end());
        if case.verdict != "pass" {
            for reason in &case.reasons {
                let _ = writeln!(out, "{:<13} {reason}", "");
            }
        }
        if let Some(shift) = case.shift_ms {
            let _ = writeln!(out, "{:<13} As if everything came {}.", "", shifted(shift));
        }
        if let Some(dependence) = &case.dependence {
            let _ = writeln!(out, "{:<13} warning: {dependence}", "");
        }
    }
    let n = |verdict: &str| suite.cases.iter().filter(|it| it.verdict == verdict).count();
    let _ = writeln!(
        out,
        "{}  {} passed, {} failed, {} inconclusive; {} executions",
        suite.verdict.to_uppercase(),
        n("pass"),
        n("fail"),
        n("inconclusive"),
        suite.executions
    );
    if let Some(dependence) = &suite.dependence {
        let _ = writeln!(out, "warning: {dependence}");
    }
    if let Some(shift) = suite.shift_ms {
        let _ = writeln!(out, "All cases together: as if everything came {}.", shifted(shift));
    }
    if !suite.guarantee.is_empty() {
        let _ = writeln!(out, "{}", suite.guarantee);
    }
    if let Some(advice) = &suite.advice {
        let _ = writeln!(out, "{advice}");
    }
    if suite.stopped {
        out.push_str("stopped before all was done\n");
    }
    out
}

/// `31 of 64 = 0.484 / 0.500`; with the probabilities that a tolerance in time allows: `31 of 64 = 0.484 / 0.500 (0.450..0.550)`.
fn sequence(it: &Sequence, in_time: bool) -> String {
    let [least, greatest] = it.expected;
    let mut model = match least == greatest {
        true => format!("{least:.3}"),
        false => format!("{least:.3}..{greatest:.3}"),
    };
    if let (true, Some([least, greatest])) = (in_time, it.tolerated) {
        let _ = write!(model, " ({least:.3}..{greatest:.3})");
    }
    match it.executions {
        0 => format!("- / {model}"),
        n => format!("{} of {n} = {:.3} / {model}", it.seen, it.seen as f64 / n as f64),
    }
}

/// `1 case`, `2 cases`.
#[must_use]
pub fn n_cases(n: usize) -> String {
    format!("{n} {}", if n == 1 { "case" } else { "cases" })
}

/// `425 ms later`.
pub(crate) fn shifted(ms: f64) -> String {
    format!("{} ms {}", ms.abs(), if ms < 0.0 { "earlier" } else { "later" })
}

/// What repeating a suite would take: a line for each case, and all together.
#[must_use]
pub fn plan(plan: &Plan) -> String {
    let mut out = String::new();
    let width = plan.cases.iter().map(|it| it.name.chars().count()).max().unwrap_or(0).max(4);
    let _ = writeln!(
        out,
        "{:<width$}  {:>6}  {:>10}  {:>15}  {:<16}  tolerated",
        "case", "times", "bench time", "finds deviation", "finds a shift of"
    );
    for case in &plan.cases {
        let shift = match (case.least_shift_ms, &case.note) {
            (Some(ms), _) => shifted(ms),
            (None, Some(_)) => "not known".to_owned(),
            (None, None) => "none".to_owned(),
        };
        let deviation = case.least_deviation.map_or("none".to_owned(), |it| format!("{it:.3}"));
        let line = format!(
            "{:<width$}  {:>6.0}  {:>8.2} h  {deviation:>15}  {shift:<16}  {}",
            case.name,
            case.executions,
            case.hours,
            tolerated(case),
        );
        let _ = writeln!(out, "{}", line.trim_end());
        if let Some(note) = &case.note {
            let _ = writeln!(out, "{:<width$}  no shift in time: {note}", "");
        }
    }
    let _ = writeln!(
        out,
        "{}, about {:.0} executions of a right system, {:.2} h of its time",
        n_cases(plan.cases.len()),
        plan.executions,
        plan.hours
    );
    out
}

/// `0.450..0.550, with ending 0.428..0.572`.
fn tolerated(case: &Planned) -> String {
    let range = |[least, greatest]: &[f64; 2]| format!("{least:.3}..{greatest:.3}");
    let ranges: Vec<String> = case.tolerated.iter().map(range).collect();
    ranges.join(", with ending ")
}
