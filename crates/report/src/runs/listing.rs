//! Runs as JSON, for scripts. The events are in the records, one JSON object each.

use punctual_campaign::store;
use punctual_campaign::summary::{self, Digest, Summary};

use crate::view::repeated::Repeated;
use crate::view::runs::{
    Amount, Coverage, Judged, Pair, Run, Runs, Share, Steered, Steering, Totals, Unreadable,
    VERSION, Variable,
};

use super::repeated::worst;
use super::{merged, steered, words};

/// All runs, the worst first, as one JSON document.
#[must_use]
pub fn json(summary: &Summary) -> String {
    json_with(summary, &[])
}

/// The same with suites that were repeated, whose verdicts stand for those of their runs.
#[must_use]
pub fn json_with(summary: &Summary, suites: &[Repeated]) -> String {
    let verdict = worst(summary, suites).map_or("", store::Verdict::name);
    let runs = Runs { verdict, repeated: suites.to_vec(), ..Runs::of(summary) };
    // A view has texts, numbers and lists only, which can always be written.
    serde_json::to_string_pretty(&runs).unwrap_or_else(|_| "null".to_owned())
}

impl Runs {
    /// All runs of a summary.
    #[must_use]
    pub fn of(summary: &Summary) -> Runs {
        let totals = summary.totals();
        let steering = merged::steering(summary);
        Runs {
            report: VERSION,
            verdict: summary.verdict().map_or("", store::Verdict::name),
            totals: Totals {
                passed: totals.passed,
                failed: totals.failed,
                inconclusive: totals.inconclusive,
                unfinished: totals.unfinished,
                unreadable: totals.unreadable,
                inputs: totals.inputs,
                outputs: totals.outputs,
                steps: totals.steps,
                duration_ns: totals.duration_ns,
            },
            coverage: match &merged::models(summary)[..] {
                [model] => model.coverage.as_ref().map(Coverage::of),
                _ => None,
            },
            steering: {
                let systems = steered::systems(summary);
                let changed = Steering::of(&steering);
                let judged = (!systems.is_empty()).then(Steering::default);
                changed.or(judged).map(|it| Steering { systems, ..it })
            },
            stopped: false,
            trouble: None,
            shrunk: None,
            repeated: Vec::new(),
            evidence: None,
            runs: summary.runs.iter().map(Run::of).collect(),
            unreadable: summary
                .unreadable
                .iter()
                .map(|(run, why)| Unreadable { name: run.name.clone(), why: why.clone() })
                .collect(),
        }
    }
}

impl Run {
    /// What the gist of a run says.
    #[must_use]
    pub fn of(digest: &Digest) -> Run {
        let header = &digest.header;
        let end = digest.end.as_ref();
        let diagnosis = end.and_then(|end| end.diagnosis.clone());
        let ending = end.and_then(|end| end.ending.clone());
        let cause = diagnosis.as_ref().map(|it| it.kind);
        // Beside a trace of another tool there is nothing to judge it by.
        let is_recorded = !digest.run.path.as_os_str().is_empty() && digest.is_recorded();
        Run {
            name: digest.run.name.clone(),
            path: digest.run.path.to_string_lossy().into_owned(),
            verdict: words::verdict(digest.verdict()),
            recorded: None,
            cause: cause.or(ending.as_ref().map(|it| it.cause)).map(store::Cause::name),
            headline: words::headline(digest),
            replay: if is_recorded { words::replay(digest).0 } else { String::new() },
            case: header.case.clone(),
            label: digest.label().map(str::to_owned),
            seed: header.seed,
            run: header.run,
            model: header.model.clone(),
            clock: Some(header.clock),
            unit_ns: header.unit_ns,
            started: header.started.clone(),
            duration_ns: digest.duration_ns(),
            inputs: digest.inputs,
            outputs: digest.outputs,
            steps: digest.steps,
            readings: digest.readings,
            is_cut: digest.is_cut,
            ending,
            late_ns: end.and_then(|end| end.late_ns),
            diagnosis,
            judged: digest.judged.iter().map(Judged::of).collect(),
            n_judged: digest.n_judged,
            steering: Steering::of(&digest.steering),
            statistics: end.map(|end| end.statistics),
            coverage: digest.coverage.as_ref().map(Coverage::of),
        }
    }

    /// A run that was judged again: what is said now, beside what its record says.
    #[must_use]
    pub fn again(recorded: Option<store::Verdict>, digest: &Digest) -> Run {
        Run { recorded: recorded.map(store::Verdict::name), ..Run::of(digest) }
    }
}

impl Judged {
    /// A line of a record.
    #[must_use]
    pub fn of(line: &store::Judged) -> Judged {
        Judged {
            number: line.judged,
            kind: line.kind.clone(),
            verdict: line.verdict.name(),
            at_ns: line.at_ns,
            reason: line.reason.clone(),
        }
    }
}

impl Steering {
    /// What was changed; nothing if nothing was.
    #[must_use]
    pub fn of(steering: &summary::Steering) -> Option<Steering> {
        let variable = |(name, changes): (&String, &summary::Changes)| Variable {
            name: name.clone(),
            n: changes.n,
            amounts: changes.amounts.iter().map(|&(by, n)| Amount { by, n }).collect(),
            pairs: changes
                .pairs
                .iter()
                .map(|((from, to), n)| Pair { from: from.clone(), to: to.clone(), n: *n })
                .collect(),
        };
        (!steering.is_empty()).then(|| Steering {
            steered: steering.steered,
            unexplained: steering.unexplained,
            variables: steering.variables.iter().map(variable).collect(),
            steps: Vec::new(),
            systems: Vec::new(),
        })
    }

    /// The same with its steps, one by one.
    #[must_use]
    pub fn with_steps<'l>(lines: impl IntoIterator<Item = &'l store::Steered>) -> Option<Steering> {
        let mut all = summary::Steering::default();
        let mut steps = Vec::new();
        for line in lines {
            all.add(line);
            steps.push(Steered {
                step: line.steered,
                changes: line.changes.clone(),
                differences: line.differences.clone(),
            });
        }
        Steering::of(&all).map(|steering| Steering { steps, ..steering })
    }
}

impl Coverage {
    /// The totals of what a record says.
    #[must_use]
    pub fn of(coverage: &store::Coverage) -> Coverage {
        let ((edges_taken, edges), (locations_visited, locations)) = coverage.totals();
        let share = |(taken, of)| Share { taken, of };
        let missed = |impossible: bool| -> Vec<String> {
            let edges = coverage.edges.iter();
            let missed = edges.filter(|it| it.taken() == 0 && it.impossible == impossible);
            missed.map(|edge| words::edge(edge, true)).collect()
        };
        let never_used = coverage.uses.iter().filter(|it| it.taken == 0);
        Coverage {
            edges_taken,
            edges,
            locations_visited,
            locations,
            system: share(coverage.edges_of(store::Side::System)),
            environment: share(coverage.edges_of(store::Side::Environment)),
            uses: share(coverage.uses_taken()),
            never_taken: missed(false),
            impossible: missed(true),
            never_used: never_used.map(|it| words::use_of(coverage, it)).collect(),
        }
    }
}
