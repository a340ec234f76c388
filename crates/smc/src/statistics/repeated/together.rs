//! Whether outcomes depend on those of the executions before, whatever case these were of.
//!
//! A system whose memory survives its reset takes turns by executions of any case. If many cases take turns, too, the executions of one
//! case are far from each other, and nothing of it is seen in them alone. So all executions are looked at in the order in which they were made.
//! Each is told by how far it is from what its case shows on average, in standard deviations of the case, and compared with those
//! up to a few executions before.
//!
//! If executions are independent, then within each case all orders with the same counts are equally likely, whatever the probabilities
//! are; a rule only excludes those that would have ended it before. Such orders are drawn, and the strongest dependence of the campaign is one of as many
//! as there are draws, each as likely to be the greatest as any other. No approximation, no other assumption.

use punctual_semantics::program::Chance;

use super::dependence::{Dependence, LAGS, Pattern};
use crate::Stream;

/// So many orders are drawn for each campaign that is flagged by chance among them.
const DRAWS_PER_ALARM: f64 = 10.0;

/// No more orders are drawn than this.
const DRAWS_MAX: usize = 10_000;

/// The seed of all draws: what is said of a campaign stays the same.
const SEED: u64 = 0x7043_11E5;

/// The executions of a case.
pub struct Executed<'e> {
    /// When each was made: their numbers among the executions of all cases, in order.
    pub numbers: &'e [u64],
    /// Whether each showed what the case expects.
    pub outcomes: &'e [bool],
    /// For which counts (executions, successes) the rule went on.
    pub goes_on: &'e dyn Fn(u64, u64) -> bool,
}

/// The strongest dependence of executions on those before, if chance would give as strong a one with probability `rate` at most.
///
/// **Guarantee:** independent executions are flagged with probability `rate` at most, given the counts of all cases.
///
/// # Panics
/// If a rule would have ended before the outcomes of its case do, there are more than a thousand of them, or there are not as many numbers as outcomes.
#[must_use]
pub fn dependence_together(cases: &[Executed<'_>], rate: f64) -> Option<Dependence> {
    let all: Vec<Case> = cases.iter().map(Case::new).collect();
    // Where each execution of each case is among all.
    let mut order: Vec<(u64, usize, usize)> = Vec::new();
    for (case, executed) in cases.iter().enumerate() {
        assert_eq!(executed.numbers.len(), executed.outcomes.len(), "an outcome for each number");
        let numbered = executed.numbers.iter().enumerate();
        order.extend(numbered.map(|(at, number)| (*number, case, at)));
    }
    order.sort_unstable();
    let mut places: Vec<Vec<usize>> = cases.iter().map(|it| vec![0; it.numbers.len()]).collect();
    for (place, (_, case, at)) in order.iter().enumerate() {
        places[*case][*at] = place;
    }
    let n_lags = LAGS.min(order.len().saturating_sub(1));
    if n_lags == 0 || all.iter().all(|case| case.values == [0.0; 2]) {
        return None;
    }
    let n_draws = ((DRAWS_PER_ALARM / rate.max(1e-9)).ceil() as usize).clamp(100, DRAWS_MAX);
    let mut residuals = vec![0.0; order.len()];
    // The campaign itself, and what could have been.
    let mut found: Vec<Vec<f64>> = Vec::with_capacity(n_draws + 1);
    let mut drawn = Vec::new();
    for draw in 0..=n_draws {
        let mut chance = Stream::of_run(SEED, draw as u64);
        for ((case, places), executed) in all.iter().zip(&places).zip(cases) {
            if case.values == [0.0; 2] {
                continue;
            }
            drawn.clear();
            match draw {
                0 => drawn.extend_from_slice(executed.outcomes),
                _ => case.draw(&mut chance, &mut drawn),
            }
            for (place, seen) in places.iter().zip(&drawn) {
                residuals[*place] = case.values[usize::from(*seen)];
            }
        }
        found.push((1..=n_lags).map(|lag| product(&residuals, lag)).collect());
    }
    strongest(&found, n_lags).filter(|it| it.chance <= rate)
}

/// The sum of all products of a number and that so many before.
fn product(numbers: &[f64], lag: usize) -> f64 {
    numbers.iter().zip(&numbers[lag..]).map(|(before, now)| before * now).sum()
}

/// The strongest dependence of the first of some campaigns, and how many of them have as strong a one.
fn strongest(found: &[Vec<f64>], n_lags: usize) -> Option<Dependence> {
    let n = found.len() as f64;
    let mut scales = Vec::new();
    for lag in 0..n_lags {
        let mean = found.iter().map(|it| it[lag]).sum::<f64>() / n;
        let variance = found.iter().map(|it| (it[lag] - mean).powi(2)).sum::<f64>() / n;
        scales.push((mean, variance.sqrt()));
    }
    // All campaigns have the same scales, so that each is as likely to be the greatest as any other.
    let deviation = |it: &[f64], lag: usize| match scales[lag] {
        (_, 0.0) => 0.0,
        (mean, spread) => (it[lag] - mean) / spread,
    };
    let most = |it: &[f64]| (0..n_lags).map(|lag| deviation(it, lag).abs()).fold(0.0, f64::max);
    let ours = most(&found[0]);
    // Sums of the same numbers in another order differ by rounding.
    let n_as_strong = found.iter().filter(|it| most(it) >= ours - 1e-9).count();
    let lag = (0..n_lags)
        .max_by(|a, b| deviation(&found[0], *a).abs().total_cmp(&deviation(&found[0], *b).abs()))?;
    let pattern = match deviation(&found[0], lag) > 0.0 {
        true => Pattern::Repeats,
        false => Pattern::Alternates,
    };
    Some(Dependence { lag: lag + 1, pattern, chance: n_as_strong as f64 / n })
}

/// A case whose orders are drawn.
struct Case {
    n: usize,
    k: usize,
    /// How far an execution is from the average of the case that did not show what is expected, and one that did; both 0 if all are the same.
    values: [f64; 2],
    /// For each number of executions and successes, how many orders go on from there to the counts of the case, but for a factor
    /// that depends on the executions alone.
    ways: Vec<f64>,
}

impl Case {
    fn new(executed: &Executed<'_>) -> Case {
        let n = executed.outcomes.len();
        assert!(n <= 1000, "too many executions");
        let k = executed.outcomes.iter().filter(|it| **it).count();
        if k == 0 || k == n {
            return Case { n, k, values: [0.0; 2], ways: Vec::new() };
        }
        let share = k as f64 / n as f64;
        let spread = (share * (1.0 - share)).sqrt();
        let values = [-share / spread, (1.0 - share) / spread];
        let mut case = Case { n, k, values, ways: vec![0.0; (n + 1) * (k + 2)] };
        let end = case.at(n, k);
        case.ways[end] = 1.0;
        for i in (0..n).rev() {
            for j in i.saturating_sub(n - k)..=k.min(i) {
                if i == 0 || (executed.goes_on)(i as u64, j as u64) {
                    let (fails, succeeds) = (case.at(i + 1, j), case.at(i + 1, j + 1));
                    let sum = case.ways[fails] + case.ways[succeeds];
                    let at = case.at(i, j);
                    case.ways[at] = 0.5 * sum;
                }
            }
        }
        assert!(case.ways[0] > 0.0, "the rule would have ended before");
        case
    }

    fn at(&self, executions: usize, successes: usize) -> usize {
        executions * (self.k + 2) + successes
    }

    /// Draws one of all orders, each as likely as any other.
    fn draw(&self, chance: &mut Stream, drawn: &mut Vec<bool>) {
        let mut successes = 0;
        for i in 0..self.n {
            let fails = self.ways[self.at(i + 1, successes)];
            let succeeds = self.ways[self.at(i + 1, successes + 1)];
            let even = (chance.bits() >> 11) as f64 / (1u64 << 53) as f64;
            let is_seen = even * (fails + succeeds) < succeeds;
            successes += usize::from(is_seen);
            drawn.push(is_seen);
        }
    }
}
