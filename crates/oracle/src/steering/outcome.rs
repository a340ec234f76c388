//! What came out of a test.

use punctual_model::VarId;
use punctual_model::lustre::{Rational, Value};

use super::doubt::{Doubt, Limit, Obstacle};
use super::oracle::LookAhead;
use crate::{Cause, Judgement};

/// What steering made of a test.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// A pass only if the outputs of all steps are those of the system, after steering that was
    /// allowed.
    pub verdict: Judgement<Diagnosis>,
    /// How the model did without steering.
    pub before: Before,
    /// The steps that were steered or are not explained, in order.
    pub steps: Vec<StepReport>,
    /// How many steps were steered.
    pub n_steered: u32,
    /// The cost of all changes, by the prices of the policy.
    pub cost: Rational,
    /// The sum of all changes of inputs, in units.
    pub change: Rational,
    /// The dissimilarity that is left, over all steps that were followed.
    pub remaining: Rational,
    /// What the search left out: also of a test that passes, there may be cheaper explanations then.
    pub doubt: Doubt,
    /// Properties of the model that do not hold in the explanation, as positions in `Program::properties`, each with the
    /// first step: the system behaves like a model that breaks them.
    pub violated: Vec<(usize, usize)>,
    /// The steerable variables that could show: with another value that the tolerances allow, the outputs of the
    /// model would be other ones. Only of a test that passes.
    pub shows: Vec<VarId>,
    /// How much was searched.
    pub effort: Effort,
}

/// How the model does without steering.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Before {
    /// The first step whose outputs differ, from 0; None if all outputs are those of the system.
    pub first_mismatch: Option<usize>,
    /// How many steps have outputs that differ.
    pub n_mismatches: usize,
    /// The dissimilarity of all steps.
    pub dissimilarity: Rational,
    /// The first step that the model can not take with the inputs of the test, and why; None if it takes all. Nothing is
    /// known of what comes behind it.
    pub stopped: Option<Diagnosis>,
    /// The first step in which an assertion of the model does not hold; None if they hold.
    pub unassumed: Option<usize>,
    /// Properties of the model that do not hold, as positions in `Program::properties`, each with the first step.
    pub violated: Vec<(usize, usize)>,
}

impl Before {
    /// Whether all outputs are those of the system, without steering.
    #[must_use]
    pub fn is_match(&self) -> bool {
        self.first_mismatch.is_none() && self.stopped.is_none()
    }
}

/// A step that was steered or is not explained.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// The number of the step, from 0.
    pub step: usize,
    /// The dissimilarity if the step is not steered; None if the model can not take it then.
    pub before: Option<Rational>,
    /// The dissimilarity with the changes.
    pub after: Rational,
    /// The changed inputs, in the order of steerable variables.
    pub changes: Vec<Change>,
    /// The compared variables that differ nevertheless: value of the model, value of the system.
    pub differences: Vec<(VarId, Value, Value)>,
}

/// A changed input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The input.
    pub var: VarId,
    /// Its value in the test.
    pub from: Value,
    /// The value that explains the system.
    pub to: Value,
    /// The least value that the tolerances allow in this step; None if there is none, or it is not understood.
    pub low: Option<Value>,
    /// The greatest value that the tolerances allow in this step; None if there is none, or it is not understood.
    pub high: Option<Value>,
}

/// Why a verdict is not a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// The step, from 0.
    pub step: usize,
    /// What is wrong in that step.
    pub why: Why,
}

impl Diagnosis {
    /// The cause among those of all oracles.
    #[must_use]
    pub fn cause(&self) -> Cause {
        match &self.why {
            Why::Unexplained | Why::Unnamed | Why::Narrow(_) | Why::Stray { is_open: false } => {
                Cause::Unexplained
            }
            Why::OverBudget | Why::OverBudgetUnsteady => Cause::OverBudget,
            Why::Unsteady => Cause::Unsteady,
            Why::Unheld => Cause::NotHeld,
            // What the model shows in a step without a sample is not known.
            Why::Unassumed | Why::Stray { is_open: true } => Cause::OutsideEnvironment,
            Why::Limits(_) => Cause::SearchLimit,
            Why::Obstacle(Obstacle::Model(_)) => Cause::ModelError,
            Why::Obstacle(Obstacle::Solver(_)) => Cause::Solver,
            Why::Obstacle(Obstacle::Contradiction) => Cause::OracleError,
        }
    }

    /// What is wrong in the step, in words.
    #[must_use]
    pub fn explain(&self) -> String {
        match &self.why {
            Why::Unexplained => "no allowed change of inputs explains the outputs".to_owned(),
            Why::Narrow(LookAhead::Steps(steps)) if *steps > 0 => format!(
                "no allowed change that is held until it shows, and begins at most {steps} steps before, explains the \
                 outputs; other changes were not tried, since `held = true` in `[policy]` asks for that"
            ),
            Why::Narrow(_) => "no allowed change of this step explains the outputs; the steps before it were decided \
                               at once, and other changes of them were not tried, since `look-ahead = 0` asks for that"
                .to_owned(),
            Why::Unheld => "the outputs are explained only by changes that are not held until they show, or that begin before \
                            the look-ahead: noise may act so through what the model remembers, and so may faults; a budget in \
                            `[policy]` makes it a pass or a fail, and so does `held`"
                .to_owned(),
            Why::OverBudget => {
                "the outputs are explained only beyond the budget of the policy".to_owned()
            }
            Why::Unsteady => {
                "the outputs are explained only if an input that was raised is lowered, or the \
                              other way round, which `steady = true` in `[policy]` forbids"
                    .to_owned()
            }
            Why::OverBudgetUnsteady => "the outputs are explained only beyond the budget of the policy, and only if an input that was \
                                        raised is lowered, or the other way round, which `steady = true` in `[policy]` forbids"
                .to_owned(),
            Why::Unnamed => "no change of inputs that tolerances and policy allow explains the outputs; whether one does that only the \
                             policy forbids is not known, since the search for it reached a limit"
                .to_owned(),
            Why::Unassumed => {
                "an assertion of the model does not hold: it says nothing about such inputs"
                    .to_owned()
            }
            Why::Stray { is_open } => {
                let open = match is_open {
                    true => "; a step in between has no sample, so it is not known whether the model shows it there",
                    false => "",
                };
                format!(
                    "a sample behind it belongs to no step, and shows neither what this step nor what the next one \
                     shows{open}"
                )
            }
            Why::Limits(reached) => {
                let names: Vec<String> =
                    reached.iter().map(|it| format!("`{}`", it.name())).collect();
                format!(
                    "no change that was tried explains the outputs, but there are more than {} of \
                     `[limits]` allow",
                    names.join(", ")
                )
            }
            Why::Obstacle(Obstacle::Model(failure)) => {
                format!("the model has no step: {}", failure.kind)
            }
            Why::Obstacle(Obstacle::Solver(reason)) => {
                format!("the solver did not decide: {reason}")
            }
            Why::Obstacle(Obstacle::Contradiction) => {
                "internal error: what was found is not what the model does".to_owned()
            }
        }
    }
}

/// Why a step has no explanation.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// No change that the tolerances allow gives the outputs of the system.
    Unexplained,
    /// The same, but only some of the changes that the tolerances allow were tried, since this look-ahead was asked for: others may
    /// explain the test.
    Narrow(LookAhead),
    /// A change gives them, but it goes beyond a budget of the policy.
    OverBudget,
    /// It is explained only by changes that the look-ahead does not try first, and the policy does not say what these are worth.
    Unheld,
    /// A change gives them, but it changes a number in another direction than before.
    Unsteady,
    /// A change gives them, but it both goes beyond a budget of the policy and changes a number in another direction than before.
    OverBudgetUnsteady,
    /// No change that the tolerances and the policy allow gives them; whether one does that only the policy forbids is not known.
    Unnamed,
    /// A sample that belongs to no step shows what the model shows neither before nor behind it. If a step in between has no sample, that
    /// is not known.
    Stray {
        /// Whether there is such a step.
        is_open: bool,
    },
    /// An assertion of the model does not hold, so it says nothing about this step and those behind it.
    Unassumed,
    /// No change that was tried gives them, but these limits kept others from being tried.
    Limits(Vec<Limit>),
    /// No change that was tried gives them, but a search has no answer.
    Obstacle(Obstacle),
}

/// How much was searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// How often allowed changes of a step were searched for.
    pub queries: u64,
    /// How many steps of the model were taken for that.
    pub steps: u64,
    /// How often a solver was asked for it.
    pub solved: u64,
    /// The largest number of states that were followed at once.
    pub candidates: usize,
}

impl Effort {
    /// The effort of both together.
    #[must_use]
    pub fn plus(self, other: Effort) -> Effort {
        Effort {
            queries: self.queries + other.queries,
            steps: self.steps + other.steps,
            solved: self.solved + other.solved,
            candidates: self.candidates.max(other.candidates),
        }
    }
}
