//! Whether exact probabilities lie in the intervals that runs give.
//!
//! Intervals are those of Clopper and Pearson, each with its part of the risk (Bonferroni), so they hold all together whatever
//! the statements have to do with each other.

use punctual_model::testing::suite::Probability;
use punctual_smc::statistics::clopper_pearson;

use super::runs::Counts;

/// The risk that one of all intervals misses its probability, though all are right.
pub(super) const RISK: f64 = 0.001;

/// What the probability of a statement is of: what the case expects before its ending, or with it.
pub(super) const OUTPUTS: &str = "outputs";
pub(super) const JOINT: &str = "with ending";

/// A probability that was computed, and how many runs agreed.
pub(super) struct Statement {
    pub(super) case: String,
    pub(super) what: &'static str,
    /// As a fraction; none if it was not computed.
    pub(super) exact: Option<String>,
    p: f64,
    runs: u64,
    pub(super) seen: u64,
}

/// A statement beside its interval.
pub(super) struct Compared {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) is_inside: bool,
    /// How many standard deviations the share of runs is from the probability; 0 where there is nothing to deviate.
    pub(super) deviation: f64,
}

impl Statement {
    pub(super) fn new(
        case: &str,
        what: &'static str,
        told: &Probability,
        counts: Counts,
    ) -> Statement {
        Statement {
            case: case.to_owned(),
            what,
            exact: told.exact.clone(),
            p: told.middle(),
            runs: counts.runs,
            seen: if what == OUTPUTS { counts.outputs } else { counts.joint },
        }
    }

    /// Its interval, when there are so many statements.
    pub(super) fn compared(&self, n_statements: usize) -> Compared {
        let alpha = RISK / n_statements.max(1) as f64;
        let interval = clopper_pearson(self.runs, self.seen, alpha);
        let share = self.seen as f64 / self.runs.max(1) as f64;
        let spread = (self.p * (1.0 - self.p) / self.runs.max(1) as f64).sqrt();
        Compared {
            low: interval.low,
            high: interval.high,
            is_inside: interval.contains(self.p),
            deviation: if spread > 0.0 { (share - self.p) / spread } else { 0.0 },
        }
    }
}
