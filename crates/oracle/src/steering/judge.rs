//! Steering as an [`Oracle`](crate::Oracle) of a run: steps of a system are followed as they come.

use punctual_model::lustre::Value;
use punctual_model::{Event, Happening, Verdict as Word};

use super::{Diagnosis, Follower, Observation, Outcome, Steerer, Why};
use crate::{Cause, Finding, Oracle, Verdict};

impl Diagnosis {
    /// The cause, from the list that all oracles share.
    #[must_use]
    pub fn cause(&self) -> Cause {
        match &self.why {
            Why::Unexplained => Cause::Unexplained,
            Why::Budget => Cause::OverBudget,
            Why::Unsteady => Cause::Unsteady,
            Why::Limits => Cause::SearchLimit,
            Why::Model(_) => Cause::ModelError,
            Why::Solver(_) => Cause::NoSolver,
            Why::Contradiction => Cause::Other,
        }
    }

    /// What is wrong in the step, in words.
    #[must_use]
    pub fn explain(&self) -> String {
        match &self.why {
            Why::Unexplained => "no allowed change of inputs explains the outputs".to_owned(),
            Why::Budget => {
                "the outputs are explained only beyond the budget of the policy".to_owned()
            }
            Why::Unsteady => {
                "the outputs are explained only if an input that was raised is lowered, or \
                              the other way round; `steady = false` in `[policy]` allows it"
                    .to_owned()
            }
            Why::Limits => {
                "no change that was tried explains the outputs, but there are more than \
                            `[limits]` allow"
                    .to_owned()
            }
            Why::Model(failure) => format!("the model has no step: {}", failure.kind),
            Why::Solver(reason) => format!("the solver did not decide: {reason}"),
            Why::Contradiction => {
                "internal error: what was found is not what the model does".to_owned()
            }
        }
    }
}

/// Follows the steps of a run with a steered model.
pub struct Steered<'o> {
    steerer: Steerer<'o>,
    follower: Option<Follower>,
    /// The positions of the inputs of the model among the inputs of a step.
    inputs: Vec<usize>,
    /// The positions of what the model must see of the system among the outputs of a step.
    system: Vec<usize>,
    is_lost: bool,
    outcome: Option<Outcome>,
}

impl<'o> Steered<'o> {
    /// Follows steps whose inputs and outputs are at these positions: those of the inputs of the model,
    /// and those of the columns of the oracle.
    #[must_use]
    pub fn new(oracle: &'o super::Oracle, inputs: Vec<usize>, system: Vec<usize>) -> Steered<'o> {
        let steerer = Steerer::new(oracle);
        Steered { steerer, follower: None, inputs, system, is_lost: false, outcome: None }
    }
}

impl Oracle for Steered<'_> {
    fn restart(&mut self) {
        self.follower = None;
        self.is_lost = false;
    }

    fn event(&mut self, event: &Event) {
        let Happening::Step(step) = &event.what else { return };
        let pick = |row: &[Value], at: &[usize]| at.iter().map(|at| row[*at]).collect();
        let observation = Observation {
            inputs: pick(&step.inputs, &self.inputs),
            system: pick(&step.outputs, &self.system),
        };
        let mut follower = self.follower.take().unwrap_or_else(|| self.steerer.follow());
        self.is_lost = !self.steerer.step(&mut follower, observation);
        self.follower = Some(follower);
    }

    fn decided(&self) -> Option<Word> {
        self.is_lost.then_some(Word::Fail)
    }

    fn finish(&mut self, _: u64) -> Verdict<Finding> {
        let follower = self.follower.take().unwrap_or_else(|| self.steerer.follow());
        let outcome = self.steerer.finish(follower);
        let verdict = outcome.verdict.clone().map(Finding::Steering);
        self.outcome = Some(outcome);
        verdict
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }
}
