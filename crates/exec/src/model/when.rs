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
    /// Whether it begins behind an instant at which the step is not possible, as `x > 3` does: there is no first instant in a model, only
    /// the first nanosecond.
    pub(super) is_open: bool,
}

impl Window {
    /// The delay at which a network acts that acts as soon as possible. If there is no first instant, that is half a time
    /// unit behind the bound, or the last before that: a nanosecond is nothing that a model knows of, and a loop that is possible
    /// at `x > 0` would be taken a thousand million times a second.
    fn soon(self, unit_ns: i64) -> u64 {
        let half_ns = (unit_ns.unsigned_abs() / 2).max(1) - 1;
        let soon = self.first.saturating_add(if self.is_open { half_ns } else { 0 });
        self.last.map_or(soon, |last| soon.min(last))
    }
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
            Policy::Earliest => windows.first().map(|window| window.soon(self.unit_ns)),
            Policy::Latest => windows.last().and_then(|window| window.last),
            Policy::Fixed { delay_ns } => {
                let first = |window: &Window| match delay_ns {
                    0 => window.soon(self.unit_ns),
                    _ => window.first.saturating_add(delay_ns),
                };
                windows.first().map(|window| nearest(&windows, first(window)))
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
                add(&mut windows, Window { first: at_ns, last: Some(at_ns), is_open: false });
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
                let is_open = self.whole_ns(point).is_some();
                add(&mut windows, Window { first, last, is_open });
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
        let window = |first, last, is_open| Window { first, last, is_open };
        add(&mut windows, window(3, Some(3), false));
        add(&mut windows, window(4, Some(9), true));
        add(&mut windows, window(11, None, true));
        let expected = [window(3, Some(9), false), window(11, None, true)];
        assert_eq!(windows, expected);
        let near = [1, 5, 10, 12].map(|delay_ns| nearest(&windows, delay_ns));
        assert_eq!(near, [3, 5, 11, 12]);
        assert_eq!(nearest(&windows[..1], 20), 9);
        assert_eq!([windows[0].soon(100), windows[1].soon(100), windows[1].soon(1)], [3, 60, 11]);
        assert_eq!(window(11, Some(20), true).soon(100), 20);
    }
}
