//! How likely something is: a method, a risk, and when to stop.

use std::{fmt, str::FromStr};

use super::{
    Interval, OutOfRange,
    anytime::{anytime, anytime_reaches},
    binomial::{
        clopper_pearson, clopper_pearson_reaches, hoeffding, okamoto_runs, radius, wilson_by,
    },
    functions::normal_quantile,
    inside_unit, percent,
};

/// How a count becomes an interval.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// [`clopper_pearson`], asked after each run: what UPPAAL does.
    #[default]
    ClopperPearson,
    /// [`hoeffding`], with a number of runs that is known before the first one.
    Okamoto,
    /// [`wilson`](super::wilson), asked after each run.
    Wilson,
    /// [`anytime`], asked after each run.
    Anytime,
}

impl Method {
    /// All methods, the default first.
    pub const ALL: [Self; 4] = [Self::ClopperPearson, Self::Okamoto, Self::Wilson, Self::Anytime];

    /// What the command line calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClopperPearson => "clopper-pearson",
            Self::Okamoto => "okamoto",
            Self::Wilson => "wilson",
            Self::Anytime => "anytime",
        }
    }
}

/// A name that no [`Method`] has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownMethod(pub String);

impl fmt::Display for UnknownMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Method::ALL.map(Method::name).join(", ");
        write!(f, "no estimator is called `{}`; there are {names}", self.0)
    }
}

impl std::error::Error for UnknownMethod {}

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        let found = Self::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

/// When there are enough runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Stop {
    /// When both bounds of the interval are this close to the share of successes.
    Within(f64),
    /// After this many runs, however wide the interval is then.
    After(u64),
}

/// Estimates a probability.
///
/// ```
/// use punctual_smc::statistics::{Estimator, Method, Stop};
///
/// let estimator = Estimator::new(Method::ClopperPearson, 0.05, Stop::Within(0.05))?;
/// let mut runs = 0;
/// while estimator.wants_more(runs, 0) {
///     runs += 1; // A run, without success.
/// }
/// assert_eq!(runs, 72);
/// assert!(estimator.interval(runs, 0).high < 0.05);
/// # Ok::<(), punctual_smc::statistics::OutOfRange>(())
/// ```
///
/// # Stopping by width
/// With [`Stop::Within`], the methods other than [`Method::Okamoto`] stop when the interval of the
/// moment is narrow enough. [`Method::Anytime`] allows for that. For [`Method::ClopperPearson`] and
/// [`Method::Wilson`] it is tradition: what they promise is for a number of runs that does not depend
/// on the runs. Coverage that remains, summed over all ways to stop (`it::coverage`):
/// - Clopper-Pearson: 95.0 % at worst over a fine grid of probabilities, with the default parameters;
///   94.95 % with `epsilon` 0.1. So nearly what it says, not exactly.
/// - Wilson: 93.9 % at worst between 0.01 and 0.99, and down to 88.5 % closer to 0 and 1.
///
/// DIFFERENCE(uppaal): its documentation has 72 runs for a probability close to 0, and up to 411 close to
/// 0.5, without the exact rule. Half of the width would be 0.05 after 36 runs without success; the
/// rule here gives the 72, and never more than 404. Test: `it::stopping::numbers_of_runs`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimator {
    method: Method,
    alpha: f64,
    stop: Stop,
    /// The normal quantile of `alpha`.
    z: f64,
}

impl Estimator {
    /// An estimator that takes the risk `alpha` of an interval without the true probability.
    ///
    /// # Errors
    /// If `alpha` or the tolerance is not strictly between 0 and 1.
    pub fn new(method: Method, alpha: f64, stop: Stop) -> Result<Self, OutOfRange> {
        inside_unit("alpha", alpha)?;
        if let Stop::Within(epsilon) = stop {
            inside_unit("epsilon", epsilon)?;
        }
        Ok(Self { method, alpha, stop, z: normal_quantile(alpha) })
    }

    /// Whether another run is needed after `n`, of which `k` succeeded.
    ///
    /// # Panics
    /// If there are more successes than runs.
    #[must_use]
    pub fn wants_more(&self, n: u64, k: u64) -> bool {
        assert!(k <= n, "{k} successes in {n} runs");
        let epsilon = match self.stop {
            Stop::After(runs) => return n < runs,
            Stop::Within(_) if n == 0 => return true,
            Stop::Within(epsilon) => epsilon,
        };
        match self.method {
            Method::Okamoto => n < okamoto_runs(self.alpha, epsilon),
            Method::ClopperPearson => clopper_pearson_reaches(n, k, self.alpha, epsilon),
            Method::Anytime => anytime_reaches(n, k, self.alpha, epsilon),
            Method::Wilson => {
                let share = k as f64 / n as f64;
                let interval = wilson_by(n, k, self.z);
                interval.high - share > epsilon || share - interval.low > epsilon
            }
        }
    }

    /// What `n` runs say of which `k` succeeded.
    ///
    /// # Panics
    /// If there are more successes than runs.
    #[must_use]
    pub fn interval(&self, n: u64, k: u64) -> Interval {
        match self.method {
            Method::ClopperPearson => clopper_pearson(n, k, self.alpha),
            Method::Okamoto => hoeffding(n, k, self.alpha),
            Method::Wilson => wilson_by(n, k, self.z),
            Method::Anytime => anytime(n, k, self.alpha),
        }
    }

    /// The most runs it will ask for, whatever they say, if that is known in advance.
    #[must_use]
    pub fn most_runs(&self) -> Option<u64> {
        match (self.stop, self.method) {
            (Stop::After(runs), _) => Some(runs),
            // By Hoeffding's inequality, the exact tail is below his bound.
            (Stop::Within(epsilon), Method::Okamoto | Method::ClopperPearson) => {
                Some(okamoto_runs(self.alpha, epsilon))
            }
            (Stop::Within(_), Method::Wilson | Method::Anytime) => None,
        }
    }

    /// What the interval is worth, in one sentence.
    #[must_use]
    pub fn guarantee(&self) -> String {
        let confidence = percent(1.0 - self.alpha);
        match (self.method, self.stop) {
            (Method::ClopperPearson, Stop::After(runs)) => format!(
                "Clopper-Pearson: with {runs} runs, the interval contains the true probability with \
                 at least {confidence} confidence."
            ),
            (Method::ClopperPearson, Stop::Within(epsilon)) => format!(
                "Clopper-Pearson, stopped when within {epsilon}: {confidence} confidence, nearly but \
                 not exactly, since the runs decided how many there are."
            ),
            (Method::Okamoto, Stop::After(runs)) => format!(
                "Okamoto: with {runs} runs, the estimate is within {:.4} of the true probability with \
                 at least {confidence} confidence.",
                radius(runs.max(1), self.alpha).min(1.0)
            ),
            (Method::Okamoto, Stop::Within(epsilon)) => format!(
                "Okamoto: after {} runs, fixed in advance, the estimate is within {epsilon} of the true \
                 probability with at least {confidence} confidence.",
                okamoto_runs(self.alpha, epsilon)
            ),
            (Method::Wilson, Stop::After(runs)) => format!(
                "Wilson: with {runs} runs, about {confidence} confidence on average over probabilities; \
                 less for some that are close to 0 or 1."
            ),
            (Method::Wilson, Stop::Within(epsilon)) => format!(
                "Wilson, stopped when within {epsilon}: about {confidence} confidence on average over \
                 probabilities; less for some that are close to 0 or 1."
            ),
            (Method::Anytime, _) => format!(
                "Anytime: with at least {confidence} confidence, the true probability is in this interval \
                 and in those after any other number of runs, however it was decided to stop."
            ),
        }
    }
}
