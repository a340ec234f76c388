//! Runs as JSON, for scripts. The events are in the records, one JSON object each.

use punctual_campaign::summary::{Digest, Summary};

use crate::view::runs;

use super::words;

/// All runs, the worst first, as one JSON document.
#[must_use]
pub fn json(summary: &Summary) -> String {
    let view = view(summary);
    // A view has texts, numbers and lists only, which can always be written.
    serde_json::to_string_pretty(&view).unwrap_or_else(|_| "null".to_owned())
}

fn view(summary: &Summary) -> runs::Runs {
    let totals = summary.totals();
    runs::Runs {
        report: 1,
        totals: runs::Totals {
            passed: totals.passed,
            failed: totals.failed,
            inconclusive: totals.inconclusive,
            unfinished: totals.unfinished,
            unreadable: totals.unreadable,
            inputs: totals.inputs,
            outputs: totals.outputs,
            duration_ns: totals.duration_ns,
        },
        runs: summary.runs.iter().map(run).collect(),
        unreadable: summary
            .unreadable
            .iter()
            .map(|(run, why)| runs::Unreadable { name: run.name.clone(), why: why.clone() })
            .collect(),
    }
}

fn run(digest: &Digest) -> runs::Run {
    let header = &digest.header;
    runs::Run {
        name: digest.run.name.clone(),
        path: digest.run.path.to_string_lossy().into_owned(),
        verdict: words::verdict(digest.verdict()),
        headline: words::headline(digest),
        replay: words::replay(digest).0,
        seed: header.seed,
        run: header.run,
        model: header.model.clone(),
        clock: header.clock,
        unit_ns: header.unit_ns,
        started: header.started.clone(),
        duration_ns: digest.duration_ns(),
        inputs: digest.inputs,
        outputs: digest.outputs,
        is_cut: digest.is_cut,
        diagnosis: digest.end.as_ref().and_then(|end| end.diagnosis.clone()),
        statistics: digest.end.as_ref().map(|end| end.statistics),
        coverage: digest.coverage.as_ref().map(|coverage| {
            let ((edges_taken, edges), (locations_visited, locations)) = coverage.totals();
            runs::Coverage { edges_taken, edges, locations_visited, locations }
        }),
    }
}
