//! Figures of a run.

use std::time::Duration;

use punctual_oracle::Sets;

/// What it took to follow a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Inputs sent.
    pub inputs: u64,
    /// Outputs seen.
    pub outputs: u64,
    /// Steps taken by the system.
    pub steps: u64,
    /// Readings of ports.
    pub readings: u64,
    /// Resets after the first.
    pub restarts: u64,
    /// Decisions of the strategy.
    pub decisions: u64,
    /// The time of the run, by its clock.
    pub duration_ns: u64,
    /// Updates of the state sets after inputs and outputs.
    pub after_action: Updates,
    /// Updates of the state sets after delays.
    pub after_delay: Updates,
}

/// Updates of state sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Updates {
    /// The number of updates.
    pub n: u64,
    /// The symbolic states of both sides, summed over the updates.
    pub states: u64,
    /// The most symbolic states that there were after an update.
    pub states_max: u64,
    /// The time that the updates took, in nanoseconds.
    pub ns: u64,
    /// The time that the longest update took, in nanoseconds.
    pub ns_max: u64,
}

impl Statistics {
    /// The number of inputs, outputs, steps and readings.
    pub(super) fn events(&self) -> u64 {
        self.inputs + self.outputs + self.steps + self.readings
    }
}

impl Updates {
    pub(super) fn add(&mut self, sets: Sets, took: Duration) {
        let states = (sets.system + sets.environment) as u64;
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.n += 1;
        self.states += states;
        self.states_max = self.states_max.max(states);
        self.ns += ns;
        self.ns_max = self.ns_max.max(ns);
    }

    /// Adds the updates of another run.
    pub fn merge(&mut self, other: &Updates) {
        self.n += other.n;
        self.states += other.states;
        self.states_max = self.states_max.max(other.states_max);
        self.ns += other.ns;
        self.ns_max = self.ns_max.max(other.ns_max);
    }

    /// The average number of symbolic states after an update.
    #[must_use]
    pub fn mean_states(&self) -> f64 {
        self.states as f64 / self.n.max(1) as f64
    }

    /// The time that an update took on average, in microseconds.
    #[must_use]
    pub fn mean_us(&self) -> f64 {
        self.ns as f64 / self.n.max(1) as f64 / 1000.0
    }
}
