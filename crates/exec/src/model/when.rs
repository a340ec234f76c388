//! When a network acts: at which instants it can, and which of them a policy chooses.

use punctual_semantics::{Move, Rational, concrete::Concrete};

use super::{Player, Policy};
use crate::SutError;

/// Delays in nanoseconds at which a step is possible: from the first to the last, which is none if
/// that goes on for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) first: u64,
    pub(super) last: Option<u64>,
}

impl Player {
    /// The instant at which the network takes its next step, unless an input comes before; none if
    /// it takes none.
    pub(super) fn decide(&mut self) -> Result<Option<u64>, SutError> {
        if let Policy::Stochastic { .. } = self.options.policy {
            return self.race();
        }
        let concrete = Concrete::new(&self.open.network);
        let windows = self.windows(&concrete, |_| true)?;
        let random_ns = match self.options.policy {
            Policy::Random { .. } => {
                let n_delays = windows.iter().map(|window| self.n_delays(*window)).sum::<u64>();
                if n_delays == 0 { 0 } else { self.below(n_delays) }
            }
            _ => 0,
        };
        let delay_ns = match self.options.policy {
            Policy::Earliest => windows.first().map(|window| window.first),
            Policy::Latest => windows.last().and_then(|window| window.last),
            Policy::Fixed { delay_ns } => {
                windows.first().map(|window| nearest(&windows, window.first + delay_ns))
            }
            Policy::Random { .. } | Policy::Stochastic { .. } => {
                let mut left = random_ns;
                windows.iter().find_map(|window| match left.checked_sub(self.n_delays(*window)) {
                    Some(rest) => {
                        left = rest;
                        None
                    }
                    None => Some(window.first + left),
                })
            }
        };
        Ok(delay_ns.map(|delay_ns| self.now_ns.saturating_add(delay_ns)))
    }

    /// How many delays are drawn from.
    fn n_delays(&self, window: Window) -> u64 {
        let unforced = || window.first.saturating_add(10 * self.unit_ns.cast_unsigned());
        // Sums of a few of these still fit.
        (window.last.unwrap_or_else(unforced) - window.first).min(u64::MAX >> 8) + 1
    }

    /// When a step that counts is possible, in the order of time.
    pub(super) fn windows(
        &self,
        concrete: &Concrete<'_>,
        counts: impl Fn(&[Move]) -> bool,
    ) -> Result<Vec<Window>, SutError> {
        let limit = concrete.wait_limit(&self.state).map_err(|fault| self.error(fault))?;
        let mut points = vec![Rational::ZERO];
        if limit != (Some(Rational::ZERO), true) {
            let critical = concrete.critical_delays(&self.state);
            points.extend(critical.map_err(|failure| self.error(failure))?);
        }
        let can_step = |delay: Rational| -> Result<bool, SutError> {
            let state = match delay == Rational::ZERO {
                true => self.state.clone(),
                false => concrete.waited(&self.state, delay),
            };
            let steps = concrete.transitions(&state).map_err(|failure| self.error(failure))?;
            Ok(steps.iter().any(|(moves, _)| counts(moves)))
        };
        let mut windows = Vec::new();
        for (i, &point) in points.iter().enumerate() {
            if let Some(at_ns) = self.whole_ns(point)
                && can_step(point)?
            {
                add(&mut windows, Window { first: at_ns, last: Some(at_ns) });
            }
            // What lies between this point and the next, or the limit.
            let end = match (points.get(i + 1), limit) {
                (Some(&next), _) => Some(next),
                (None, (None, _)) => None,
                (None, (Some(limit), _)) if limit > point => Some(limit),
                (None, _) => break,
            };
            let first = self.floor_ns(point) + 1;
            let last = end.map(|end| self.ceil_ns(end).saturating_sub(1));
            if last.is_some_and(|last| last < first) {
                continue;
            }
            let sample = self.units(first);
            if can_step(sample)? {
                add(&mut windows, Window { first, last });
            }
        }
        Ok(windows)
    }

    fn units(&self, ns: u64) -> Rational {
        Rational::new(i64::try_from(ns).unwrap_or(i64::MAX), self.unit_ns)
    }

    pub(super) fn floor_ns(&self, delay: Rational) -> u64 {
        let ns = i128::from(delay.numerator()) * i128::from(self.unit_ns);
        u64::try_from(ns.div_euclid(i128::from(delay.denominator()))).unwrap_or(0)
    }

    pub(super) fn ceil_ns(&self, delay: Rational) -> u64 {
        self.whole_ns(delay).unwrap_or_else(|| self.floor_ns(delay) + 1)
    }

    /// The delay, if it is a whole number of nanoseconds.
    fn whole_ns(&self, delay: Rational) -> Option<u64> {
        let ns = self.floor_ns(delay);
        (self.units(ns) == delay).then_some(ns)
    }
}

/// Adds a window that is later than the others.
fn add(windows: &mut Vec<Window>, window: Window) {
    match windows.last_mut() {
        Some(last) if last.last.is_some_and(|end| end + 1 == window.first) => {
            last.last = window.last;
        }
        _ => windows.push(window),
    }
}

/// The first delay from this one on at which a step is possible, or else the last before.
fn nearest(windows: &[Window], delay_ns: u64) -> u64 {
    for window in windows {
        if window.last.is_none_or(|last| delay_ns <= last) {
            return delay_ns.max(window.first);
        }
    }
    windows.last().and_then(|window| window.last).unwrap_or(delay_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_one_window() {
        let mut windows = Vec::new();
        add(&mut windows, Window { first: 3, last: Some(3) });
        add(&mut windows, Window { first: 4, last: Some(9) });
        add(&mut windows, Window { first: 11, last: None });
        let expected = [Window { first: 3, last: Some(9) }, Window { first: 11, last: None }];
        assert_eq!(windows, expected);
        let near = [1, 5, 10, 12].map(|delay_ns| nearest(&windows, delay_ns));
        assert_eq!(near, [3, 5, 11, 12]);
        assert_eq!(nearest(&windows[..1], 20), 9);
    }
}
