//! What a rule will say of a system with a given probability: exact, by counting ways.
//!
//! All orders of `k` successes in `n` executions are equally likely, whatever the probability is. So a
//! rule has for each of its ends `(n, k)` a *share*: how many of the `n` over `k` orders come there
//! without having ended before. Shares do not depend on the probability; the chance of an end is its share
//! times the binomial chance of the counts. Shares follow from those of the execution before by
//!
//! ```text
//! share(n, k) = k/n share(n-1, k-1) + (n-k)/n share(n-1, k)
//! ```
//!
//! with the shares of ends left out, so there are no large numbers, no subtractions, and all digits but
//! the last few are right. Test: `it::repeated::chart` enumerates all orders.

use super::{Judgement, Step};

/// An end of a rule.
#[derive(Clone, Copy, Debug)]
struct End {
    n: u32,
    k: u32,
    judgement: Judgement,
    share: f64,
}

/// All ends of a rule.
#[derive(Clone, Debug)]
pub struct Chart {
    /// By the number of executions, then of successes.
    ends: Vec<End>,
    ln_factorials: Vec<f64>,
}

/// What a rule says of a system with a given probability.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Chances {
    /// The chance that the case passes, reliably or not.
    pub pass: f64,
    /// The chance that the case fails, reliably or not.
    pub fail: f64,
    /// The chance that the judgement is not reliable.
    pub unreliable: f64,
    /// The executions on average.
    pub executions: f64,
}

impl Chances {
    /// Adds a judgement after `n` executions that has this chance.
    pub(super) fn add(&mut self, judgement: Judgement, n: u64, chance: f64) {
        *(if judgement.passes { &mut self.pass } else { &mut self.fail }) += chance;
        if !judgement.reliable {
            self.unreliable += chance;
        }
        self.executions += chance * n as f64;
    }
}

impl Chart {
    /// All ends of a rule that stops after `limit` executions.
    ///
    /// # Panics
    /// If the rule does not stop at the limit.
    #[must_use]
    pub fn new(limit: u64, step: impl Fn(u64, u64) -> Step) -> Self {
        let limit = limit as usize;
        let mut ends = Vec::new();
        // Of the orders of this many executions with `k` successes, the share that goes on; 0
        // outside of `low..end`.
        let mut shares = vec![0.0; limit + 2];
        shares[0] = 1.0;
        let (mut low, mut end) = (0, 1);
        for n in 1..=limit {
            end += 1;
            let runs = n as f64;
            for k in (low..end).rev() {
                let from_success = if k > 0 { k as f64 / runs * shares[k - 1] } else { 0.0 };
                shares[k] = from_success + (n - k) as f64 / runs * shares[k];
            }
            for (k, share) in shares.iter_mut().enumerate().take(end).skip(low) {
                if *share == 0.0 {
                    continue;
                }
                if let Step::Stop(judgement) = step(n as u64, k as u64) {
                    ends.push(End { n: n as u32, k: k as u32, judgement, share: *share });
                    *share = 0.0;
                }
            }
            while low < end && shares[low] == 0.0 {
                low += 1;
            }
            while low < end && shares[end - 1] == 0.0 {
                end -= 1;
            }
            if low == end {
                return Self { ends, ln_factorials: ln_factorials(limit) };
            }
        }
        panic!("the rule goes on after {limit} executions");
    }

    /// What the rule says of a system that succeeds with probability `q`.
    #[must_use]
    pub fn at(&self, q: f64) -> Chances {
        let mut chances = Chances::default();
        for (end, chance) in self.chances(q) {
            chances.add(end.judgement, u64::from(end.n), chance);
        }
        chances
    }

    /// The chance that the case fails within `n` executions.
    #[must_use]
    pub fn fails_within(&self, n: u64, q: f64) -> f64 {
        let ends = self.chances(q).take_while(|(end, _)| u64::from(end.n) <= n);
        ends.filter(|(end, _)| !end.judgement.passes).map(|(_, chance)| chance).sum()
    }

    /// The executions within which the case is judged with this probability.
    ///
    /// # Panics
    /// If the share is above 1.
    #[must_use]
    pub fn ends_within(&self, share: f64, q: f64) -> u64 {
        assert!(share <= 1.0, "a share of {share}");
        let mut sum = 0.0;
        let mut most = 0;
        for (end, chance) in self.chances(q) {
            most = u64::from(end.n);
            sum += chance;
            if sum >= share {
                break;
            }
        }
        most
    }

    /// The executions within which the case fails with this probability; none if it never does.
    #[must_use]
    pub fn fails_with(&self, share: f64, q: f64) -> Option<u64> {
        let mut sum = 0.0;
        for (end, chance) in self.chances(q) {
            sum += if end.judgement.passes { 0.0 } else { chance };
            if sum >= share {
                return Some(u64::from(end.n));
            }
        }
        None
    }

    /// Each end with its chance.
    fn chances(&self, q: f64) -> impl Iterator<Item = (&End, f64)> {
        let (ln_success, ln_failure) = (q.ln(), (-q).ln_1p());
        self.ends.iter().map(move |end| {
            let (n, k) = (end.n as usize, end.k as usize);
            let mut ln = self.ln_factorials[n] - self.ln_factorials[k] - self.ln_factorials[n - k];
            // Nothing of what can not happen happened: not `0 × -∞`.
            if k > 0 {
                ln += k as f64 * ln_success;
            }
            if k < n {
                ln += (n - k) as f64 * ln_failure;
            }
            (end, end.share * ln.exp())
        })
    }
}

fn ln_factorials(limit: usize) -> Vec<f64> {
    (0..=limit).map(|n| libm::lgamma(n as f64 + 1.0)).collect()
}
