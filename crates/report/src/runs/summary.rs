//! Many runs as a table, the worst first.

use punctual_campaign::store::{Clock, Coverage, Side, Verdict};
use punctual_campaign::summary::{Summary, Totals};

use crate::answers::{BOLD, Style};
use crate::table;
use crate::text::one_line;

use super::words::{self, count, grouped, seconds};
use super::{merged, steered};

/// How many runs are listed one by one.
const ROWS_MAX: usize = 50;

/// What the runs came to: a row for each (the first fifty), then all together.
#[must_use]
pub fn table(summary: &Summary, style: Style) -> String {
    // What no run has needs no column.
    let has_cases = summary.runs.iter().any(|digest| !digest.header.case.is_empty());
    let has_signals = summary.runs.iter().any(|it| it.inputs + it.outputs > 0);
    let has_steps = summary.runs.iter().any(|digest| digest.steps > 0);
    let mut shown = [true; 9];
    (shown[2], shown[7]) = (has_cases, has_steps);
    (shown[5], shown[6]) = (has_signals || !has_steps, has_signals || !has_steps);
    let picked = |row: [String; 9]| -> Vec<String> {
        row.into_iter().zip(shown).filter(|(_, shown)| *shown).map(|(cell, _)| cell).collect()
    };
    let head = [
        "verdict",
        "run",
        "case",
        "seed",
        "duration",
        "inputs",
        "outputs",
        "steps",
        "what happened",
    ];
    let mut rows = vec![picked(head.map(str::to_owned))];
    for (run, why) in summary.unreadable.iter().take(ROWS_MAX) {
        let mut row: [String; 9] = Default::default();
        (row[0], row[1], row[8]) = ("UNREADABLE".to_owned(), one_line(&run.name), one_line(why));
        rows.push(picked(row));
    }
    for digest in summary.runs.iter().take(ROWS_MAX) {
        let is_pass = digest.verdict() == Some(Verdict::Pass);
        rows.push(picked([
            words::verdict(digest.verdict()).to_uppercase(),
            one_line(&digest.run.name),
            one_line(&digest.header.case),
            digest.header.seed.to_string(),
            seconds(digest.duration_ns()),
            grouped(digest.inputs),
            grouped(digest.outputs),
            grouped(digest.steps),
            if is_pass { String::new() } else { words::headline(digest) },
        ]));
    }
    let width = style.width.map(|width| usize::from(width).saturating_sub(1).max(59));
    let mut out = String::new();
    for (at, line) in table::lines(&rows, width).iter().enumerate() {
        out += &match at {
            0 => format!(" {}\n", style.paint(BOLD, line)),
            _ => format!(" {line}\n"),
        };
    }
    let hidden = summary.runs.len().saturating_sub(ROWS_MAX);
    if hidden > 0 {
        out += &format!(" … and {hidden} more runs (`--json` lists all)\n");
    }
    out += &format!("\n{}\n", totals(&summary.totals()));
    out += &steered::steered_text(&steered::systems(summary));
    out
}

/// What a command that made runs says in the end: the worst run in full, or that all passed. `time` is the
/// time of all runs together, in words.
#[must_use]
pub fn outcome(summary: &Summary, style: Style, is_quiet: bool, time: &str) -> String {
    let totals = summary.totals();
    let n_runs = summary.runs.len();
    let mut out = match summary.runs.first() {
        // The whole story is told of what can be replayed.
        Some(worst) if summary.worst() != Some(Verdict::Pass) => {
            match is_quiet || worst.run.name.is_empty() {
                false => super::text(worst, style),
                true => {
                    let why = worst.end.as_ref().and_then(|end| end.diagnosis.as_ref());
                    let why = why.map_or("", |it| it.explanation.as_str());
                    format!("{}  {why}\n", words::verdict(worst.verdict()).to_uppercase())
                }
            }
        }
        // Nothing passed where nothing ran.
        None => "INCONCLUSIVE  nothing was run\n".to_owned(),
        Some(first) => {
            let clock = match first.header.clock {
                Clock::Real => "real",
                Clock::Virtual => "virtual",
            };
            let steps = match totals.steps {
                0 => String::new(),
                n => format!("{}, ", count(n, "step", "steps")),
            };
            format!(
                "PASS  {}, {steps}{}, {}, {time} of {clock} time\n",
                count(n_runs as u64, "run", "runs"),
                count(totals.inputs, "input", "inputs"),
                count(totals.outputs, "output", "outputs"),
            )
        }
    };
    let systems = steered::systems(summary);
    let steered = steered::steered_text(&systems);
    if is_quiet {
        // What is systematic is never silent.
        for (_, words) in steered::findings(&systems) {
            out += &format!("      systematic changes of {words}\n");
        }
    } else {
        steered.lines().for_each(|line| out += &format!("      {line}\n"));
        if n_runs > 1 && summary.worst() != Some(Verdict::Pass) {
            let (failed, inconclusive) = (totals.failed, totals.inconclusive);
            out +=
                &format!("      {failed} of {n_runs} runs failed, {inconclusive} inconclusive\n");
        }
        if let [model] = &merged::models(summary)[..]
            && let Some(coverage) = &model.coverage
        {
            covered(&mut out, coverage, summary.worst() != Some(Verdict::Fail));
        }
    }
    out
}

/// How many edges are named that no run went through; the page and `--json` name all.
const NAMED_MAX: usize = 3;

/// What the runs covered, each side apart, and with `names` the first edges that they did not take.
fn covered(out: &mut String, coverage: &Coverage, names: bool) {
    let ((taken, edges), _) = coverage.totals();
    *out += &format!("      {taken} of {edges} edges covered");
    let (system, environment) =
        (coverage.edges_of(Side::System), coverage.edges_of(Side::Environment));
    if system.1 > 0 && environment.1 > 0 && taken < edges {
        let of = |(taken, all): (usize, usize), side| format!("{taken} of {all} of the {side}");
        *out += &format!(": {}, {}", of(system, "system"), of(environment, "environment"));
    }
    let (used, uses) = coverage.uses_taken();
    if uses > 0 {
        *out += &format!("; {used} of {uses} uses of variables");
    }
    out.push('\n');
    if !names {
        return;
    }
    let missed = || coverage.edges.iter().filter(|edge| edge.taken() == 0);
    let impossible = missed().filter(|edge| edge.impossible).count();
    let mut missed = missed().filter(|edge| !edge.impossible);
    let first: Vec<String> =
        missed.by_ref().take(NAMED_MAX).map(|edge| words::edge(edge, true)).collect();
    let more = match missed.count() {
        0 => String::new(),
        n => format!("; {} more", grouped(n as u64)),
    };
    if !first.is_empty() {
        *out += &format!("      never taken: {}{more}\n", first.join("; "));
    }
    if impossible > 0 {
        let edges = count(impossible as u64, "edge", "edges");
        *out += &format!("      {edges} can not be taken: a guard that is never true\n");
    }
}

/// `12 runs: 1 failed, 11 passed; 2,345 inputs, 2,300 outputs in 120.000 s`
pub(super) fn totals(totals: &Totals) -> String {
    let parts = [
        (totals.failed, "failed"),
        (totals.unreadable, "unreadable"),
        (totals.unfinished, "without a verdict"),
        (totals.inconclusive, "inconclusive"),
        (totals.passed, "passed"),
    ];
    let n_runs: usize = parts.iter().map(|(n, _)| n).sum();
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let runs = count(n_runs as u64, "run", "runs");
    let verdicts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let exchanged = words::exchanged([totals.inputs, totals.outputs, totals.steps, 0]);
    format!("{runs}{verdicts}; {exchanged} in {}", seconds(totals.duration_ns))
}
