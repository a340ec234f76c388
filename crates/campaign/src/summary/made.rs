//! The gist of what was not read from a record: runs that are just over, and records judged again.

use punctual_model::lustre::Program;
use punctual_oracle::Interaction;
use punctual_oracle::steering::Outcome;

use crate::judges::Judges;
use crate::replay::Rejudged;
use crate::run::Finished;
use crate::store::{Clock, End, Header, Run, Verdict};
use crate::told;

use super::{Digest, Steering, Verdicts};

impl Digest {
    /// A run of which nothing but its header is known.
    #[must_use]
    pub fn empty(run: Run, header: Header) -> Self {
        Self {
            run,
            header,
            end: None,
            coverage: None,
            is_cut: false,
            inputs: 0,
            outputs: 0,
            steps: 0,
            readings: 0,
            judged: Vec::new(),
            n_judged: 0,
            steering: Steering::default(),
            last_ns: 0,
            n_resets: 0,
            tail: Vec::new(),
        }
    }

    /// A run that is over, recorded or not; `header` is what all runs of its plan have in common.
    #[must_use]
    pub fn finished(judges: &Judges, header: &Header, finished: &Finished) -> Self {
        let run = match &finished.folder {
            Some(folder) => Run::at(folder),
            None => Run { name: String::new(), path: Default::default() },
        };
        let header = Header { run: finished.run, case: finished.case.clone(), ..header.clone() };
        let statistics = told::statistics(&finished.statistics);
        let verdicts = verdicts(&finished.interactions);
        let covered =
            judges.specification.as_ref().map(|it| told::coverage(it, &finished.coverage));
        Self {
            end: Some(End {
                verdict: finished.verdict,
                at_ns: finished.trace.end_ns,
                diagnosis: finished.diagnosis.clone(),
                ending: finished.ending.clone(),
                late_ns: finished.late_ns,
                statistics,
                shows: shows(judges, finished.outcome.as_ref()),
            }),
            coverage: covered,
            inputs: statistics.inputs,
            outputs: statistics.outputs,
            steps: statistics.steps,
            readings: statistics.readings,
            judged: verdicts.judged,
            n_judged: verdicts.n_judged,
            steering: steering(judges, finished.outcome.as_ref()),
            last_ns: finished.trace.end_ns,
            n_resets: finished.statistics.restarts,
            ..Self::empty(run, header)
        }
    }

    /// A trace of another tool that was judged.
    #[must_use]
    pub fn judged(judges: &Judges, run: Run, rejudged: &Rejudged) -> Self {
        let header = Header::new(&judges.interface, Clock::Virtual);
        Self::empty(run, header).rejudged(judges, rejudged)
    }

    /// The same run with the verdict that it gets now.
    #[must_use]
    pub fn rejudged(self, judges: &Judges, rejudged: &Rejudged) -> Self {
        let covered =
            judges.specification.as_ref().map(|it| told::coverage(it, &rejudged.coverage));
        let end = self.end.as_ref();
        let verdicts = verdicts(&rejudged.interactions);
        Self {
            end: Some(End {
                verdict: rejudged.verdict,
                at_ns: end.map_or(self.last_ns, |end| end.at_ns),
                diagnosis: rejudged.diagnosis.clone(),
                ending: end.and_then(|end| end.ending.clone()),
                late_ns: end.and_then(|end| end.late_ns),
                statistics: end.map_or(rejudged.statistics, |end| end.statistics),
                shows: shows(judges, rejudged.outcome.as_ref()),
            }),
            coverage: covered,
            inputs: rejudged.statistics.inputs,
            outputs: rejudged.statistics.outputs,
            steps: rejudged.statistics.steps,
            readings: rejudged.statistics.readings,
            judged: verdicts.judged,
            n_judged: verdicts.n_judged,
            steering: steering(judges, rejudged.outcome.as_ref()),
            n_resets: self.n_resets.max(rejudged.n_resets),
            ..self
        }
    }
}

/// What is said of single steps and checks.
fn verdicts(interactions: &[Interaction]) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for it in interactions.iter().filter(|it| it.verdict != Verdict::Pass) {
        verdicts.add(&told::interaction(it));
    }
    verdicts
}

fn shows(judges: &Judges, outcome: Option<&Outcome>) -> Vec<String> {
    match (outcome, &judges.steps) {
        (Some(outcome), Some(steps)) => told::shows(steps.program(), outcome),
        _ => Vec::new(),
    }
}

fn steering(judges: &Judges, outcome: Option<&Outcome>) -> Steering {
    match (outcome, &judges.steps) {
        (Some(outcome), Some(steps)) => Steering::of(steps.program(), outcome),
        _ => Steering::default(),
    }
}

impl Steering {
    /// What steering did in a test.
    #[must_use]
    pub fn of(program: &Program, outcome: &Outcome) -> Steering {
        let mut verdicts = Verdicts::default();
        told::steered(program, outcome).for_each(|line| verdicts.add(&line));
        verdicts.steering
    }
}
