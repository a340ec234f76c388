//! Probabilities by many runs, where they can not be computed.

use punctual_model::testing::suite::{Body, Case, Check, Do};
use punctual_model::{PathFormula, Property, RunBound};
use punctual_semantics::specification::Specification;
use punctual_smc::statistics::{Interval, Method};
use punctual_smc::{Answer, Options, check};

use crate::timed::beside;

/// How a probability is sampled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampling {
    /// How many runs.
    pub runs: u64,
    /// The seed of the first.
    pub seed: u64,
    /// Threads; the answer does not depend on it.
    pub threads: usize,
    /// The risk that the interval misses the probability.
    pub alpha: f64,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { runs: 20_000, seed: 1, threads: 1, alpha: 0.001 }
    }
}

/// How probable it is that the checks of a case show what they expect: an interval by Clopper and Pearson. None if the
/// model can not be run so.
#[must_use]
pub fn sample(
    specification: &Specification,
    parts: &[Do],
    sampling: &Sampling,
) -> Option<Interval> {
    // What is only allowed counts as not seen.
    let strict = |part: &Do| match part {
        Do::Check(check) => Do::Check(Check { allowed: Vec::new(), ..check.clone() }),
        other => other.clone(),
    };
    let body = Body::Timed(parts.iter().map(strict).collect());
    let case = Case { name: String::new(), body, about: Default::default(), chance: None };
    let Specification { network, wired, split, .. } = specification;
    let beside = beside(network, wired, split, &case).ok()?;
    let Property::ExistsFinally(passed) = beside.may_pass() else { return None };
    let units = case.duration_ns() as f64 / wired.interface.time.unit_ns as f64;
    let bound = RunBound::Time((units + 1.0) * f64::from(beside.per_unit));
    let property = Property::Probability { bound, runs: None, path: PathFormula::Finally(passed) };
    let options = Options {
        seed: sampling.seed,
        threads: sampling.threads,
        method: Method::ClopperPearson,
        alpha: sampling.alpha,
        runs: Some(sampling.runs),
        ..Options::default()
    };
    match check(&beside.network, &property, &options, &mut ()).ok()?.answer {
        Answer::Probability(found) => Some(found.interval),
        _ => None,
    }
}
