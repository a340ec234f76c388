//! Verdicts of several methods on all tests of all systems.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use punctual_model::VarId;
use punctual_model::lustre::Value;
use punctual_oracle::Judgement;
use punctual_oracle::steering::{Effort, Filter, Label, Measure, Observation, Oracle, Steerer};

use super::suite::{Case, Subject, Suite, Trace};
use super::system::System;

/// A way to come to a verdict.
pub(super) enum Method {
    /// That of the oracle as it is.
    NoAdjustment,
    Filter(Box<Filter>, Counted),
    Steering(Box<Oracle>),
}

/// What is counted beside the outputs of a system: for how long its mode has been this one.
pub(super) struct Counted {
    /// Where the mode is among the outputs.
    pub(super) column: usize,
    pub(super) modes: Vec<(VarId, Value)>,
}

/// How many tests of each label pass and do not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distribution {
    counts: [[u64; 2]; 4],
    pub(super) effort: Effort,
}

impl Distribution {
    pub(super) fn add(&mut self, label: Label, passes: bool, n: u64) {
        self.counts[position(label)][usize::from(!passes)] += n;
    }

    /// Tests with a label that pass, or do not.
    pub(super) fn count(&self, label: Label, passes: bool) -> u64 {
        self.counts[position(label)][usize::from(!passes)]
    }

    pub(super) fn measure(&self) -> Measure {
        let mut measure = Measure::default();
        for (_, label) in Label::ALL {
            let [pass, fail] = self.counts[position(label)];
            match label.should_pass() {
                true => {
                    measure.true_negatives += pass;
                    measure.false_positives += fail;
                }
                false => {
                    measure.false_negatives += pass;
                    measure.true_positives += fail;
                }
            }
        }
        measure
    }

    fn plus(mut self, other: &Distribution) -> Distribution {
        for (mine, others) in self.counts.iter_mut().zip(&other.counts) {
            mine[0] += others[0];
            mine[1] += others[1];
        }
        self.effort = self.effort.plus(other.effort);
        self
    }
}

fn position(label: Label) -> usize {
    Label::ALL.iter().position(|(_, it)| *it == label).unwrap_or_default()
}

/// A verdict that is wrong, for people to look at.
pub(super) struct Wrong {
    pub(super) method: usize,
    pub(super) subject: usize,
    pub(super) test: usize,
    pub(super) label: Label,
}

/// What each method says.
pub(super) fn judge(
    suite: &Suite<'_>,
    subjects: &[Subject],
    methods: &[(String, Method)],
    n_threads: usize,
) -> Result<(Vec<Distribution>, Vec<Wrong>), String> {
    let next = AtomicUsize::new(0);
    let total = Mutex::new((vec![Distribution::default(); methods.len()], Vec::new()));
    let work = || -> Result<(), String> {
        let mut judges: Vec<Judge<'_>> =
            methods.iter().map(|(_, method)| Judge::new(method)).collect();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(subject) = subjects.get(at) else { return Ok(()) };
            let mut found = vec![Distribution::default(); methods.len()];
            let mut wrong = Vec::new();
            for case in suite.cases(subject)? {
                for (method, judge) in judges.iter_mut().enumerate() {
                    // A test that passes as it is passes however it is judged.
                    let passes = case.label == Label::Pass
                        || judge.passes(suite, &case, &mut found[method].effort)?;
                    found[method].add(case.label, passes, 1);
                    if passes != case.label.should_pass() {
                        let (test, label) = (case.test, case.label);
                        wrong.push(Wrong { method, subject: at, test, label });
                    }
                }
            }
            let mut total = total.lock().map_err(|_| "a thread died".to_owned())?;
            for (total, found) in total.0.iter_mut().zip(&found) {
                *total = total.plus(found);
            }
            total.1.append(&mut wrong);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|it| it.join().map_err(|_| "a thread died".to_owned())?)
    })?;
    let (total, mut wrong) = total.into_inner().map_err(|_| "a thread died".to_owned())?;
    wrong.sort_by_key(|it| (it.method, it.subject, it.test));
    Ok((total, wrong))
}

/// A method at work.
enum Judge<'m> {
    NoAdjustment,
    Filter(&'m Filter, &'m Counted),
    Steering(Box<Steerer<'m>>),
}

impl<'m> Judge<'m> {
    fn new(method: &'m Method) -> Judge<'m> {
        match method {
            Method::NoAdjustment => Judge::NoAdjustment,
            Method::Filter(filter, counted) => Judge::Filter(filter, counted),
            Method::Steering(oracle) => Judge::Steering(Box::new(Steerer::new(oracle))),
        }
    }

    fn passes(
        &mut self,
        suite: &Suite<'_>,
        case: &Case,
        effort: &mut Effort,
    ) -> Result<bool, String> {
        match self {
            Judge::NoAdjustment => Ok(false),
            Judge::Filter(filter, counted) => {
                let mut seen = observations(suite, case);
                counted.add(&case.trace, &mut seen);
                let failure = filter.first_failure(&seen);
                Ok(failure.map_err(|failure| format!("{failure:?}"))?.is_none())
            }
            Judge::Steering(steerer) => {
                let outcome = steerer.judge(&observations(suite, case));
                *effort = effort.plus(outcome.effort);
                Ok(matches!(outcome.verdict, Judgement::Pass))
            }
        }
    }
}

/// A test as an oracle sees it.
pub(super) fn observations(suite: &Suite<'_>, case: &Case) -> Vec<Observation> {
    let of = suite.tests[case.test].iter().zip(&case.trace);
    of.map(|(inputs, system)| Observation { inputs: inputs.clone(), system: system.clone() })
        .collect()
}

impl Counted {
    /// What the filter of a system needs.
    pub(super) fn of(system: &System) -> Result<Counted, String> {
        let modes: Result<Vec<_>, String> = (system.counted())
            .map(|(name, mode)| Ok((system.var(name)?, Value::Int(mode))))
            .collect();
        let column = system.oracle.outputs().position(|it| system.oracle.vars[it].name == "mode");
        Ok(Counted { column: column.unwrap_or_default(), modes: modes? })
    }

    /// Adds a column for each mode.
    fn add(&self, trace: &Trace, seen: &mut [Observation]) {
        for (_, mode) in &self.modes {
            let mut steps = 0;
            for (outputs, seen) in trace.iter().zip(seen.iter_mut()) {
                steps = if outputs[self.column] == *mode { steps + 1 } else { 0 };
                seen.system.push(Value::Int(steps));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_is_measured_as_in_table_5_2() {
        let mut it = Distribution::default();
        // Table 6.3 and its line of table 6.5.
        it.add(Label::Pass, true, 11364);
        it.add(Label::TimingWithinTolerance, true, 1245);
        it.add(Label::TimingWithinTolerance, false, 152);
        it.add(Label::TimingNotInTolerance, false, 268);
        it.add(Label::Fault, true, 43);
        it.add(Label::Fault, false, 2186);
        let measure = it.measure();
        let rounded = |it: f64| (it * 100.0).round() / 100.0;
        assert_eq!(rounded(measure.precision()), 0.94);
        assert_eq!(rounded(measure.recall()), 0.98);
        assert_eq!(rounded(measure.f_measure()), 0.96);
        assert_eq!(it.count(Label::Fault, true), 43);
    }

    #[test]
    fn time_in_a_mode_is_counted() {
        let trace: Trace = [4, 4, 2, 4].map(|mode| vec![Value::Int(mode)]).to_vec();
        let mut seen: Vec<Observation> = (trace.iter())
            .map(|it| Observation { inputs: Vec::new(), system: it.clone() })
            .collect();
        let var = punctual_model::IdVec::<VarId, ()>::default().push(());
        let counted = Counted { column: 0, modes: vec![(var, Value::Int(4))] };
        counted.add(&trace, &mut seen);
        let column: Vec<Value> = seen.iter().map(|it| it.system[1]).collect();
        assert_eq!(column, [1, 2, 0, 1].map(Value::Int));
    }
}
