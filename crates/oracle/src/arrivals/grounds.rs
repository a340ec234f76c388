//! What a run is judged by, how far the search for an explanation goes, and what it took.

use punctual_model::testing::platform::{Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_semantics::lustre::Machine;

/// How far the search goes at each step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// So many hypotheses are followed further, the most probable ones.
    pub hypotheses: usize,
    /// If there are more than this, those with the same state become one, and what is known of their inputs is mixed. That allows more than
    /// what may have happened: it never fails a right system.
    pub apart: usize,
    /// So many steps of the model are tried.
    pub model_steps: usize,
    /// So many are tried if none of them explains the step: then something else will have to be found out, or the system is wrong.
    pub unexplained: usize,
    /// So many are tried for all steps of a run together.
    pub in_all: usize,
    /// What is left is given up when it is less probable than this, compared with what was found.
    pub floor: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            hypotheses: 5_000,
            apart: 100,
            model_steps: 200_000,
            unexplained: 10_000,
            in_all: usize::MAX,
            floor: 1e-4,
        }
    }
}

impl Limits {
    /// How far it goes if the first search did not find what explains a step.
    pub(super) const FINE: Limits = Limits {
        hypotheses: 20_000,
        apart: 1_000,
        model_steps: 20_000,
        unexplained: 20_000,
        in_all: 40_000,
        floor: 1e-9,
    };
}

/// What a run is judged by.
#[derive(Clone, Copy)]
pub struct Grounds<'m> {
    /// The model.
    pub machine: &'m Machine,
    /// What lies between.
    pub platform: &'m Platform,
    /// What is exchanged.
    pub outside: &'m Outside,
    /// The case.
    pub table: &'m Table,
    /// How many values are sent and seen in the whole suite: the risk is divided by it.
    pub n_events: usize,
    /// How much earlier than by the paper's rule the first interaction was planned, in nanoseconds.
    pub lead: f64,
    /// How far the search goes.
    pub limits: Limits,
}

/// Figures about a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Steps of the program that were explained.
    pub steps: usize,
    /// Steps of the model that this took.
    pub model_steps: usize,
    /// Steps at which hypotheses were left out although they were probable.
    pub cut: usize,
}

impl std::ops::Sub for Effort {
    type Output = Effort;

    fn sub(self, before: Effort) -> Effort {
        Effort {
            steps: self.steps - before.steps,
            model_steps: self.model_steps - before.model_steps,
            cut: self.cut - before.cut,
        }
    }
}
