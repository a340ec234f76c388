//! What is tested, and how.

use std::path::PathBuf;

use punctual_exec::online::{Budget, Options};
use punctual_exec::{Limits, SutError, Timekeeping};
use punctual_lang::testing::UnderTest;
use punctual_model::Network;
use punctual_oracle::conformance::Specification;
use punctual_testgen::{Guided, Random, RandomOptions, Script, Strategy};

use crate::connect;

/// A test that can be run.
pub struct Plan {
    /// What the system must conform to.
    pub specification: Specification,
    /// Where the system is.
    pub system: System,
    /// How inputs are chosen.
    pub choice: Choice,
    /// What all chance comes from.
    pub seed: u64,
    /// Which clock.
    pub timekeeping: Timekeeping,
    /// What ends a run.
    pub budget: Budget,
    /// How far ahead inputs are planned, in points of the grid.
    pub horizon: i64,
    /// On the real clock: how late the tester may look and still blame the system.
    pub lateness_ns: u64,
    /// How long to wait for a system.
    pub limits: Limits,
}

/// A system, and what reaching it needs.
pub struct System {
    /// Where it is.
    pub under_test: UnderTest,
    /// The folder that paths are relative to.
    pub folder: PathBuf,
    /// The network that is played, if one is.
    pub played: Option<Network>,
}

/// How inputs are chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// By chance.
    Random(RandomOptions),
    /// By chance, towards what was not covered yet.
    Guided,
    /// As written down before.
    Script(Script),
}

impl Plan {
    /// Reaches the system, for one run after the other.
    ///
    /// # Errors
    /// If that can not work.
    pub fn connect(&self, run: u64) -> Result<Box<dyn punctual_exec::Sut>, SutError> {
        connect::connect(self, run)
    }

    /// Who chooses the inputs of a run.
    #[must_use]
    pub fn strategy(&self, run: u64) -> Box<dyn Strategy> {
        match &self.choice {
            Choice::Random(options) => Box::new(Random::new(self.seed, run, *options)),
            Choice::Guided => Box::new(Guided::new(self.seed, run)),
            Choice::Script(script) => Box::new(script.clone()),
        }
    }

    /// How a run is made.
    #[must_use]
    pub fn options(&self, windows: bool) -> Options {
        Options {
            budget: self.budget,
            horizon: self.horizon,
            lateness_ns: self.lateness_ns,
            windows,
        }
    }

    /// Whether several runs can be made at once: each has a system of its own, and time does not
    /// matter.
    #[must_use]
    pub fn is_parallel(&self) -> bool {
        self.timekeeping == Timekeeping::Virtual
            && matches!(self.system.under_test, UnderTest::Command(_) | UnderTest::Model { .. })
    }
}
