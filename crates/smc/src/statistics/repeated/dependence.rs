//! Whether outcomes of repeated executions depend on each other: a system that takes turns, or stays.
//!
//! If executions are independent, then all orders with the same counts are equally likely, whatever the probability
//! is; a rule only excludes those that would have ended it before. So, given the counts, the
//! number of executions that agree with the one `lag` before has a distribution that is known
//! exactly. Too many or too few agreements tell a system that takes turns (with a period that the lag divides, or
//! is half of) or whose state survives its reset. No approximation, no other assumption.
//!
//! Not seen: dependence that shows at none of the lags. Nothing can be seen if all outcomes are the same.

/// How outcomes depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// Outcomes agree too often with those before: they come in clusters, or in turns of this length.
    Repeats,
    /// Outcomes differ too often from those before: they take turns.
    Alternates,
}

/// A dependence that chance does not explain.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dependence {
    /// The number of executions from one outcome to the other.
    pub lag: usize,
    /// What happens too often.
    pub pattern: Pattern,
    /// How often as much, or more, would happen by chance.
    pub chance: f64,
}

/// The longest lag that is looked at.
pub(super) const LAGS: usize = 4;

/// The strongest dependence of these outcomes, if chance would give as strong a one with probability `rate`
/// at most. `goes_on` says for which counts (executions, successes) the rule went on.
///
/// **Guarantee:** independent executions are flagged with probability `rate` at most, given their
/// counts.
///
/// # Panics
/// If the rule would have ended before the outcomes do, or there are more than a thousand of them.
#[must_use]
pub fn dependence(
    outcomes: &[bool],
    rate: f64,
    goes_on: impl Fn(u64, u64) -> bool,
) -> Option<Dependence> {
    let lags = 1..=LAGS.min(outcomes.len().saturating_sub(1));
    // Each lag has two sides.
    let share = rate / (2 * lags.clone().count().max(1)) as f64;
    let found = lags.flat_map(|lag| {
        let agreements = (lag..outcomes.len()).filter(|&i| outcomes[i] == outcomes[i - lag]);
        let count = agreements.count();
        let chances = agreements_by_chance(outcomes, lag, &goes_on);
        let fewer: f64 = chances[..=count].iter().sum();
        let more: f64 = chances[count..].iter().sum();
        [(Pattern::Repeats, more), (Pattern::Alternates, fewer)]
            .map(|(pattern, chance)| Dependence { lag, pattern, chance })
    });
    let found = found.filter(|it| it.chance <= share);
    found.min_by(|one, other| one.chance.total_cmp(&other.chance))
}

/// The distribution of agreements at a lag, over all orders that end with the same counts as these outcomes and
/// that the rule did not end before.
fn agreements_by_chance(
    outcomes: &[bool],
    lag: usize,
    goes_on: impl Fn(u64, u64) -> bool,
) -> Vec<f64> {
    let n = outcomes.len();
    let successes = outcomes.iter().filter(|&&it| it).count();
    let failures = n - successes;
    // Weights of orders by their latest outcomes (as bits), then successes, then agreements.
    let histories = 1usize << lag;
    let block = (successes + 1) * n;
    let mut now = vec![0.0; histories * block];
    let mut next = now.clone();
    now[0] = 1.0;
    for i in 0..n {
        // Successes so far: the rest must still fit.
        let least = i.saturating_sub(failures);
        let most = successes.min(i);
        for history in 0..histories {
            for k in least..=most {
                let from = history * block + k * n;
                let row = from..from + i.max(1);
                if i > 0 && !goes_on(i as u64, k as u64) {
                    now[row].fill(0.0);
                    continue;
                }
                for success in [false, true] {
                    let to_k = k + usize::from(success);
                    if to_k > successes || i + 1 - to_k > failures {
                        continue;
                    }
                    let before = history >> (lag - 1) & 1 == 1;
                    let agrees = usize::from(i >= lag && before == success);
                    let latest = (history << 1 | usize::from(success)) & (histories - 1);
                    let to = latest * block + to_k * n + agrees;
                    let last = (n - agrees).min(i.max(1));
                    for a in 0..last {
                        next[to + a] += now[from + a] * 0.5;
                    }
                }
            }
        }
        std::mem::swap(&mut now, &mut next);
        next.fill(0.0);
    }
    let mut chances = vec![0.0; n];
    for history in 0..histories {
        let from = history * block + successes * n;
        chances.iter_mut().zip(&now[from..from + n]).for_each(|(sum, it)| *sum += it);
    }
    let all: f64 = chances.iter().sum();
    assert!(all > 0.0, "the rule would have ended before");
    chances.iter_mut().for_each(|it| *it /= all);
    chances
}
