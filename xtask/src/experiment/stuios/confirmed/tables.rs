//! What was confirmed, in tables.

use std::fmt::Write as _;

use super::super::Answer;
use super::Found;
use super::chances::{Compared, RISK, Statement};
use super::sequences::Confirmed;

pub(super) fn answer(found: &[Found], mut problems: Vec<String>) -> Answer {
    let n_statements = found.iter().map(|it| it.statements().len()).sum();
    let mut csv = String::from(
        "system,case,what,exact,runs,seen,low,high,inside,illegal,proves,contexts,possible,starts,rivals\n",
    );
    for one in found {
        problems.extend(wrong(one, n_statements));
        for statement in one.statements() {
            let _ = writeln!(csv, "{}", row(one, &statement, n_statements));
        }
    }
    let mut systems: Vec<&str> = found.iter().map(|it| it.system).collect();
    systems.dedup();
    let of = |system: &str| found.iter().filter(|it| it.system == system).collect::<Vec<_>>();
    let mut tables = format!(
        "Probabilities beside runs: intervals of {:.1} % for all {n_statements} statements together.\n\n\
         | system | cases | runs of each | probabilities | inside their intervals | widest interval | greatest deviation, in standard deviations | runs that show what is not allowed |\n\
         |---|---:|---:|---:|---:|---:|---|---:|\n",
        100.0 * (1.0 - RISK)
    );
    for system in &systems {
        tables.push_str(&chances(&of(system), n_statements));
    }
    tables.push_str(
        "\nEndings by brute force: possible from the location that they prove, and from no other one. Without its last step, an ending must be possible from another one.\n\n\
         | system | endings | tried | confirmed | not confirmed without the last step | contexts | possible from | starting points at other locations | possible from |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for system in &systems {
        tables.push_str(&endings(&of(system)));
    }
    Answer { tables, files: vec![("rq6.csv", csv)], problems }
}

/// What is not as it should be with a case.
fn wrong(one: &Found, n_statements: usize) -> Vec<String> {
    let mut problems = Vec::new();
    let mut wrong = |what: String| {
        problems.push(format!("{}, {}: {what}", one.system, one.case.name));
    };
    for statement in one.statements() {
        let Compared { low, high, is_inside, .. } = statement.compared(n_statements);
        match &statement.exact {
            None => wrong(format!("{}: no exact probability", statement.what)),
            Some(exact) if !is_inside => {
                wrong(format!("{}: {exact} is not in {low:.6} to {high:.6}", statement.what));
            }
            Some(_) => {}
        }
    }
    if one.counts.illegal > 0 {
        wrong(format!("{} runs show what is not allowed", one.counts.illegal));
    }
    if let Some(confirmed) = &one.confirmed {
        if confirmed.n_possible == 0 {
            wrong(format!("its ending is not possible from {}", confirmed.proves));
        }
        for rival in &confirmed.rivals {
            wrong(format!(
                "its ending should prove {}, and is possible from {rival}",
                confirmed.proves
            ));
        }
        if !confirmed.is_shortest {
            wrong("its ending would prove as much without its last step".to_owned());
        }
    }
    problems
}

fn row(one: &Found, statement: &Statement, n_statements: usize) -> String {
    let Compared { low, high, is_inside, .. } = statement.compared(n_statements);
    let exact = statement.exact.as_deref().unwrap_or("");
    let tried = match &one.confirmed {
        Some(it) => format!(
            "{},{},{},{},{}",
            it.proves,
            it.n_contexts,
            it.n_possible,
            it.n_starts,
            it.rivals.len()
        ),
        None => ",,,,".to_owned(),
    };
    format!(
        "{},{},{},{exact},{},{},{low:.6},{high:.6},{is_inside},{},{tried}",
        one.system,
        statement.case,
        statement.what,
        one.counts.runs,
        statement.seen,
        one.counts.illegal
    )
}

/// The row of a system in the table of probabilities.
fn chances(found: &[&Found], n_statements: usize) -> String {
    let statements: Vec<Statement> = found.iter().flat_map(|it| it.statements()).collect();
    let compared: Vec<Compared> = statements.iter().map(|it| it.compared(n_statements)).collect();
    let n_inside = compared.iter().filter(|it| it.is_inside).count();
    let widest = compared.iter().map(|it| it.high - it.low).fold(0.0, f64::max);
    let worst = statements.iter().zip(&compared);
    let worst = worst.max_by(|a, b| a.1.deviation.abs().total_cmp(&b.1.deviation.abs()));
    let worst = worst.map_or(String::new(), |(statement, compared)| {
        let Statement { case, what, exact, .. } = statement;
        let exact = exact.as_deref().unwrap_or("");
        format!("{:.2} ({case}, {what}: {exact})", compared.deviation)
    });
    let (system, n, runs) =
        (found[0].system, found.len(), found.iter().map(|it| it.counts.runs).min().unwrap_or(0));
    let n_illegal: u64 = found.iter().map(|it| it.counts.illegal).sum();
    format!(
        "| {system} | {n} | {runs} | {} | {n_inside} | {widest:.5} | {worst} | {n_illegal} |\n",
        statements.len()
    )
}

/// The row of a system in the table of endings.
fn endings(found: &[&Found]) -> String {
    let has_ending = |it: &&&Found| it.case.chance.as_ref().is_some_and(|it| it.ending.is_some());
    let tried: Vec<&Confirmed> = found.iter().filter_map(|it| it.confirmed.as_ref()).collect();
    let sum = |of: fn(&Confirmed) -> usize| tried.iter().map(|it| of(it)).sum::<usize>();
    let is_confirmed = |it: &Confirmed| usize::from(it.n_possible > 0 && it.rivals.is_empty());
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        found[0].system,
        found.iter().filter(has_ending).count(),
        tried.len(),
        sum(is_confirmed),
        sum(|it| usize::from(it.is_shortest)),
        sum(|it| it.n_contexts),
        sum(|it| it.n_possible),
        sum(|it| it.n_starts),
        sum(|it| it.rivals.len()),
    )
}
