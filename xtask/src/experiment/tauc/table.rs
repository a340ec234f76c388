//! The figures of the paper beside ours.

use std::fmt::Write as _;

use super::suites::Kind;
use super::{Found, Row};

pub(super) const BEGIN: &str =
    "<!-- tables: made by `cargo run --release -p xtask -- experiment tauc` -->";
pub(super) const END: &str = "<!-- end of tables -->";

/// Table III: percent of 323 mutants, by the number of cases.
const PAPER: [(usize, f64, f64); 5] =
    [(25, 85.0, 7.0), (50, 88.0, 12.0), (75, 91.0, 22.0), (100, 91.0, 30.0), (122, 91.0, 40.0)];

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
    (squares / (values.len().max(2) - 1) as f64).sqrt()
}

/// Percent of a total, mean and deviation over suites.
fn percent(row: &Row, which: usize, of: usize) -> String {
    let shares: Vec<f64> =
        row.suites.iter().map(|it| 100.0 * it[which] as f64 / of.max(1) as f64).collect();
    match row.suites.len() {
        1 => format!("{:.1}", mean(&shares)),
        _ => format!("{:.1} ± {:.2}", mean(&shares), deviation(&shares)),
    }
}

fn paper(row: &Row) -> String {
    let line = PAPER.iter().find(|(size, ..)| *size == row.size);
    match (row.kind, line) {
        (Kind::Tauc, Some((_, tauc, _))) => format!("{tauc:.0}"),
        (Kind::Random, Some((_, _, random))) => format!("{random:.0}"),
        _ => String::new(),
    }
}

/// All tables.
pub(super) fn tables(found: &[Found]) -> String {
    found.iter().map(of_offset).collect::<Vec<_>>().join("\n")
}

fn of_offset(found: &Found) -> String {
    let mut out = String::new();
    let sum = |which: usize| -> usize { found.operators.iter().map(|(_, it)| it[which]).sum() };
    let (n_wrong, n_narrower, n_other) = (sum(0), sum(1), sum(2));
    let n_all = n_wrong + n_narrower + n_other;
    let _ = writeln!(out, "### Bounds moved by {} ms\n", found.offset);
    let _ = writeln!(
        out,
        "| operator | mutants | wrong | narrower | else |\n|---|---:|---:|---:|---:|"
    );
    for (name, [wrong, narrower, other]) in &found.operators {
        let all = wrong + narrower + other;
        let _ = writeln!(out, "| {name} | {all} | {wrong} | {narrower} | {other} |");
    }
    let _ = writeln!(out, "| all | {n_all} | {n_wrong} | {n_narrower} | {n_other} |\n");
    let ceiling = 100.0 * n_wrong as f64 / n_all.max(1) as f64;
    let _ = writeln!(
        out,
        "Percent of mutants that a suite finds, mean and deviation over suites. No sound suite finds more than {ceiling:.1} % of all.\n"
    );
    let _ = writeln!(
        out,
        "| suite | cases | paper | may fail, of wrong | of all | must fail, of wrong | with locations: may, of wrong | must, of wrong |\n|---|---:|---:|---:|---:|---:|---:|---:|"
    );
    let mut rows: Vec<&Row> = found.rows.iter().filter(|row| !row.locations).collect();
    rows.sort_by_key(|row| (row.kind, row.size));
    for row in rows {
        let same = |it: &&Row| it.locations && (it.kind, it.size) == (row.kind, row.size);
        let located = found.rows.iter().find(same);
        let located = |which| located.map_or(String::new(), |it| percent(it, which, n_wrong));
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            row.kind.name(),
            row.size,
            paper(row),
            percent(row, 2, n_wrong),
            percent(row, 0, n_all),
            percent(row, 1, n_wrong),
            located(2),
            located(1),
        );
    }
    let (n_cases, n_killed, longest) = found.killed;
    let _ = writeln!(
        out,
        "\n`punctual score --kill` finds {n_killed} of {n_wrong} wrong mutants with {n_cases} cases of at most {longest} steps."
    );
    let _ = writeln!(
        out,
        "Mutants that the other suites find and some suite of TAUC with most cases does not: {}.",
        found.missed
    );
    match found.survivors.is_empty() {
        true => {
            let _ = writeln!(out, "No wrong mutant survives any suite of TAUC with most cases.");
        }
        false => {
            let n = found.survivors.len();
            let _ = writeln!(
                out,
                "\n{n} wrong mutants survive some suite of TAUC with most cases. Each would be found by its trace:\n"
            );
            for survivor in found.survivors.iter().take(12) {
                let _ = writeln!(out, "- {survivor}");
            }
            if n > 12 {
                let _ = writeln!(out, "- and {} more", n - 12);
            }
        }
    }
    out
}

/// Each suite in a row.
pub(super) fn csv(found: &[Found]) -> String {
    let mut out = "offset,suite,locations,cases,number,may,must,wrong\n".to_owned();
    for it in found {
        for row in &it.rows {
            for (number, [may, must, wrong]) in row.suites.iter().enumerate() {
                let (kind, locations, size) =
                    (row.kind.name().replace(',', ""), row.locations, row.size);
                let _ = writeln!(
                    out,
                    "{},{kind},{locations},{size},{number},{may},{must},{wrong}",
                    it.offset
                );
            }
        }
    }
    out
}
