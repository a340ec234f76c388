//! Steering as an [`Oracle`](crate::Oracle) of a run: steps of a system are followed as they come.

use punctual_model::lustre::Value;
use punctual_model::{Event, Happening, Verdict};

use super::{Follower, Observation, Outcome, Steerer};
use crate::{Finding, Judgement, Oracle};

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
            // A sample that was lost has no outputs.
            system: if step.outputs.is_empty() {
                Vec::new()
            } else {
                pick(&step.outputs, &self.system)
            },
        };
        let mut follower = self.follower.take().unwrap_or_else(|| self.steerer.follow());
        self.is_lost = !self.steerer.step(&mut follower, observation);
        self.follower = Some(follower);
    }

    fn decided(&self) -> Option<Verdict> {
        self.is_lost.then_some(Verdict::Fail)
    }

    fn finish(&mut self, _: u64) -> Judgement<Finding> {
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
