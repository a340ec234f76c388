//! What came out of a test.

use punctual_model::VarId;
use punctual_model::lustre::{Rational, Value};
use punctual_semantics::lustre::Failure;

use crate::Verdict;

/// What steering made of a test.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// A pass only if the outputs of all steps are those of the system, after steering that was
    /// allowed.
    pub verdict: Verdict<Diagnosis>,
    /// How the model did without steering.
    pub before: Before,
    /// The steps that were steered or are not explained, in order.
    pub steps: Vec<StepReport>,
    /// How many steps were steered.
    pub n_steered: u32,
    /// What all changes cost, by the policy.
    pub cost: Rational,
    /// How far inputs were changed, in units, over all steps.
    pub change: Rational,
    /// What is left of the dissimilarity, over all steps that were followed.
    pub remaining: Rational,
    /// How the search went.
    pub effort: Effort,
}

/// How the model does without steering.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Before {
    /// The first step whose outputs differ.
    pub first_mismatch: Option<usize>,
    /// How many steps differ.
    pub n_mismatches: usize,
    /// The dissimilarity of all steps.
    pub dissimilarity: Rational,
}

/// A step in which something was done, or had to be.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Its number, from 0.
    pub step: usize,
    /// The dissimilarity without steering this step.
    pub before: Rational,
    /// The dissimilarity in the end.
    pub after: Rational,
    /// What was changed.
    pub changes: Vec<Change>,
    /// Compared variables that still differ: of the model, of the system.
    pub differences: Vec<(VarId, Value, Value)>,
}

/// A changed input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Which.
    pub var: VarId,
    /// The value of the test.
    pub from: Value,
    /// The value that explains the system.
    pub to: Value,
}

/// Why a verdict is not a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// The step.
    pub step: usize,
    /// What is wrong there.
    pub why: Why,
}

/// What is wrong in a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// No change that the tolerances allow gives the outputs of the system.
    Unexplained,
    /// There is one, but it goes beyond a budget of the policy.
    Budget,
    /// There is one, but it changes a number in the other direction than before.
    Unsteady,
    /// There is none among those that were tried, but not all were.
    Limits,
    /// The model has no step.
    Model(Failure),
    /// The solver did not decide, or there is none.
    Solver(String),
    /// The solver, or the analysis of conditions, contradicts the model that was run.
    Contradiction,
}

/// How a search went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// How often allowed changes of a step were searched for.
    pub queries: u64,
    /// How many steps of the model were taken for that.
    pub steps: u64,
    /// How often a solver was asked for it.
    pub solved: u64,
    /// The most states that were followed at once.
    pub candidates: usize,
    /// Whether some candidates were left out, so that there may be another explanation, or one at
    /// all.
    pub is_bounded: bool,
}

impl Effort {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Effort) -> Effort {
        Effort {
            queries: self.queries + other.queries,
            steps: self.steps + other.steps,
            solved: self.solved + other.solved,
            candidates: self.candidates.max(other.candidates),
            is_bounded: self.is_bounded || other.is_bounded,
        }
    }
}
