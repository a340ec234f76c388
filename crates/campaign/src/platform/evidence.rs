//! What all runs of a suite on a platform come to together: how much of each case happened as it intends, and which excuses were used too often.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::VarId;
use punctual_oracle::Cadence;
use punctual_oracle::excuses::Excuse;

/// A step counts as exercised with this probability.
pub const SURE: f64 = 0.99;

/// What is known after some runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evidence {
    /// The cases that were run, in the order of their first runs.
    pub cases: Vec<Exercised>,
    /// The cases that failed.
    pub failed: BTreeSet<String>,
    /// How each input was explained, over all runs.
    excuses: BTreeMap<VarId, Excuse>,
    /// When steps were taken that nobody told of, in the run in which that is known least exactly.
    pub cadence: Option<Cadence>,
}

/// A case, and how much of it happened.
#[derive(Clone, PartialEq, Debug)]
pub struct Exercised {
    /// Its name.
    pub case: String,
    /// How often it was run.
    pub runs: u64,
    /// For each step, the probability that at least one run had it as the case intends.
    pub steps: Vec<f64>,
}

impl Exercised {
    /// Whether each step happened as intended, as good as certainly.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.steps.iter().all(|it| *it >= SURE)
    }
}

impl Evidence {
    /// Adds a run of a case.
    pub fn add(&mut self, case: &str, steps: &[f64], excuses: &[Excuse]) {
        match self.cases.iter_mut().find(|it| it.case == case) {
            None => {
                self.cases.push(Exercised { case: case.to_owned(), runs: 1, steps: steps.to_vec() })
            }
            Some(known) => {
                known.runs += 1;
                // Runs are independent of each other.
                for (known, now) in known.steps.iter_mut().zip(steps) {
                    *known = 1.0 - (1.0 - *known) * (1.0 - now);
                }
            }
        }
        self.explain(excuses);
    }

    /// Adds when a run took its steps, if nobody told of them.
    pub fn stepped(&mut self, cadence: Cadence) {
        let is_worse = |known: Cadence| cadence.phase_deviation > known.phase_deviation;
        if self.cadence.is_none_or(is_worse) {
            self.cadence = Some(cadence);
        }
    }

    /// Adds how a run explained its inputs.
    pub fn explain(&mut self, excuses: &[Excuse]) {
        for excuse in excuses {
            match self.excuses.get_mut(&excuse.input) {
                Some(known) => known.add(excuse),
                None => drop(self.excuses.insert(excuse.input, *excuse)),
            }
        }
    }

    /// Whether a case needs no further run.
    #[must_use]
    pub fn is_complete(&self, case: &str) -> bool {
        self.cases.iter().any(|it| it.case == case && it.is_complete())
    }

    /// How each input was explained, over all runs; those whose values were never open are left out.
    pub fn excuses(&self) -> impl Iterator<Item = &Excuse> {
        self.excuses.values()
    }

    /// The excuses that were used too often. A right system has one with a probability of `risk` at most.
    #[must_use]
    pub fn worn(&self, n_inputs: usize, risk: f64) -> Vec<Excuse> {
        self.excuses().filter(|it| it.is_worn(n_inputs, risk)).copied().collect()
    }
}
