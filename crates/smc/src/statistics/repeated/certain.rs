//! When it is shown that a contrary outcome is rarer than the tolerance.
//!
//! If the model is certain of an outcome, what is of interest is how rare the contrary is. A system whose
//! contrary outcomes are as common as the tolerance, or more, gets a reliable pass with probability `beta`
//! at most: without any contrary outcome it takes 59 executions at a tolerance of 5 % and `beta` 5 %.
//! What `beta` leaves is given to one contrary outcome, then to two: each takes many more executions.
//! Test: `it::repeated::certain`.

/// After how many executions a number of contrary outcomes is few enough.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Shown {
    /// By the number of executions: fewer contrary outcomes than this are few enough.
    few: Vec<u32>,
}

impl Shown {
    pub(super) fn new(tolerance: f64, beta: f64, limit: usize) -> Self {
        let mut few = vec![0; limit + 1];
        // The chances of numbers of contrary outcomes without a pass, where each is as likely as
        // the tolerance. Failures would only make passes rarer.
        let mut chances = vec![0.0; limit + 2];
        chances[0] = 1.0;
        let (mut left, mut enough) = (beta, 0);
        for (n, few) in few.iter_mut().enumerate().skip(1) {
            for j in (0..=n).rev() {
                let from_contrary = if j > 0 { chances[j - 1] * tolerance } else { 0.0 };
                chances[j] = chances[j] * (1.0 - tolerance) + from_contrary;
            }
            // More contrary outcomes are only few enough if fewer are.
            while enough < n && chances[enough] <= left {
                left -= std::mem::take(&mut chances[enough]);
                enough += 1;
            }
            *few = enough as u32;
        }
        Self { few }
    }

    /// Whether so many contrary outcomes of `n` executions show it.
    pub(super) fn after(&self, n: usize, contrary: usize) -> bool {
        contrary < self.few[n] as usize
    }
}
