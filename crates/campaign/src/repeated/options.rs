//! How suites with probabilities are judged.

/// How far a system may be from the model and still be right.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Tolerance {
    /// From the model's probability; at least 0 and below 1.
    Probability(f64),
    /// In time: everything that the system shows may come later or earlier by this, in nanoseconds.
    Time {
        /// Nanoseconds.
        ns: u64,
    },
}

/// How a suite is judged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// The rule of the STUIOS paper, instead of the sequential test.
    pub paper: bool,
    /// How far a system may be from the model.
    pub tolerance: Tolerance,
    /// The rate of false alarms.
    pub alpha: f64,
    /// The rate of misses.
    pub beta: f64,
    /// Whether the rates are those of each case; otherwise they hold for the whole suite.
    pub each: bool,
    /// Executions of a case, at most.
    pub executions: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            paper: false,
            tolerance: Tolerance::Probability(0.05),
            alpha: 0.05,
            beta: 0.05,
            each: false,
            executions: 400,
        }
    }
}

impl Options {
    /// The tolerance in milliseconds; none if it is a probability.
    #[must_use]
    pub fn tolerance_ms(&self) -> Option<f64> {
        match self.tolerance {
            Tolerance::Probability(_) => None,
            Tolerance::Time { ns } => Some(ns as f64 / 1e6),
        }
    }
}
