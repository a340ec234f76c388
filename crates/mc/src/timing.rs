//! Exact delays of a path: the earliest instants that satisfy all its constraints.
//!
//! The value of a clock is the present instant minus the instant at which it was set, plus a
//! constant. So every constraint of a path is a bound on the difference of two instants, and the
//! earliest solution is found by relaxing bounds until nothing changes (Bellman and Ford). Strict
//! bounds add an infinitely small amount, of which there are finitely many at the end: it becomes a
//! fraction that is small enough for all of them.
//!
//! Who decides when something happens may wish for other instants than the earliest
//! ([`Timing::schedule`]).

use punctual_semantics::Rational;
use punctual_zones::{Bound, Constraint, Zone};

/// When a step of a path should happen, if it can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// As early as possible.
    Early,
    /// As early as possible, but later than the step before by a unit.
    Behind,
    /// Halfway between the earliest and the latest instant.
    Middle,
    /// As late as possible; as early as possible if there is no latest instant.
    Late,
    /// At this instant, or not at all.
    At(i32),
}

/// The constraints of a path, in the order of time.
#[derive(Clone, Debug)]
pub struct Timing {
    /// For each clock: the instant from which it counts, and what it was then.
    clocks: Vec<(usize, i32)>,
    /// The present instant.
    now: usize,
    /// `later - earlier` is within the bound, for pairs of instants.
    bounds: Vec<(usize, usize, Bound)>,
}

/// An instant: whole units and infinitely small ones.
type Instant = (i64, i64);

impl Timing {
    /// A path that starts with these values of clocks.
    #[must_use]
    pub fn new(clocks: &[i32]) -> Timing {
        let clocks = clocks.iter().map(|&value| (0, value)).collect();
        Timing { clocks, now: 0, bounds: Vec::new() }
    }

    /// Time may pass, unless it stands still.
    pub fn wait(&mut self, stands_still: bool) {
        self.bounds.push((self.now, self.now + 1, Bound::ZERO));
        if stands_still {
            self.bounds.push((self.now + 1, self.now, Bound::ZERO));
        }
        self.now += 1;
    }

    /// A constraint must hold now; clocks are numbered from 1, and 0 is the reference.
    pub fn require(&mut self, constraint: Constraint) {
        let Some(constant) = constraint.bound.constant() else { return };
        let clock = |clock: u32| match clock {
            // The reference has the value zero, counted from now.
            0 => (self.now, 0),
            clock => self.clocks[clock as usize - 1],
        };
        let ((x, x_offset), (y, y_offset)) = (clock(constraint.x), clock(constraint.y));
        let bound = Bound::new(constant - x_offset + y_offset, constraint.bound.is_weak());
        self.bounds.push((y, x, bound.expect("constants are far from the limit")));
    }

    /// Sets clocks, all at once: each gets the value of another clock (0 is the reference) plus a
    /// constant.
    pub fn assign(&mut self, changes: &[(u32, (u32, i32))]) {
        let value = |&(clock, (from, offset)): &(u32, (u32, i32))| match from {
            0 => (clock, (self.now, offset)),
            from => {
                let (since, value) = self.clocks[from as usize - 1];
                (clock, (since, value + offset))
            }
        };
        let values: Vec<_> = changes.iter().map(value).collect();
        for (clock, value) in values {
            self.clocks[clock as usize] = value;
        }
    }

    /// The earliest instants, from 0 on; none if no times satisfy all constraints.
    #[must_use]
    pub fn solve(&self) -> Option<Vec<Rational>> {
        let n = self.now + 1;
        let mut instants: Vec<Instant> = vec![(0, 0); n];
        // Bounds by the instant that they push others from.
        let mut from: Vec<Vec<(usize, i64, i64)>> = vec![Vec::new(); n];
        for &(later, earlier, bound) in &self.bounds {
            let constant = i64::from(bound.constant().expect("only finite bounds are kept"));
            from[later].push((earlier, constant, i64::from(!bound.is_weak())));
        }
        let mut changed: std::collections::BTreeSet<usize> = (0..n).collect();
        let mut rounds = vec![0_usize; n];
        while let Some(later) = changed.pop_first() {
            rounds[later] += 1;
            if rounds[later] > n + 1 {
                return None;
            }
            let (whole, tiny) = instants[later];
            for &(earlier, constant, strict) in &from[later] {
                let least = (whole - constant, tiny + strict);
                if instants[earlier] < least {
                    if earlier == 0 {
                        return None;
                    }
                    instants[earlier] = least;
                    changed.insert(earlier);
                }
            }
        }
        let most = instants.iter().map(|&(_, tiny)| tiny).max().unwrap_or(0);
        let fraction =
            |&(whole, tiny): &Instant| Rational::from(whole) + Rational::new(tiny, most + 1);
        Some(instants.iter().map(fraction).collect())
    }
}

impl Timing {
    /// Whole instants that satisfy all constraints, the first being 0: each as its wish says, the earlier ones first.
    /// There is a wish for each instant but the first. None if no whole instants satisfy the constraints.
    ///
    /// # Panics
    /// If there are not as many wishes as instants.
    #[must_use]
    pub fn schedule(&self, wishes: &[Wish]) -> Option<Vec<i64>> {
        assert_eq!(wishes.len(), self.now, "a wish for each instant");
        // Many steps ask the same of the same instants: the tightest bound of each pair is enough.
        let n = self.now + 1;
        let mut cells = vec![Bound::INFINITY; n * n];
        for at in 0..n {
            cells[at] = Bound::ZERO;
            cells[at * n + at] = Bound::ZERO;
        }
        for &(later, earlier, bound) in &self.bounds {
            let cell = &mut cells[later * n + earlier];
            *cell = bound.min(*cell);
        }
        let mut zone = Zone::from_matrix(cells)?;
        let mut instants = vec![0_i64];
        for (at, wish) in (1..).zip(wishes) {
            let (least, most) = (zone.min(at), zone.max(at));
            let least = least.value + i32::from(!least.attained);
            let most = most.map(|most| most.value - i32::from(!most.attained));
            let before = i32::try_from(instants[at - 1]).ok()?;
            let chosen = match (wish, most) {
                (Wish::Early, _) | (Wish::Middle | Wish::Late, None) => least,
                (Wish::Behind, most) => most.map_or(before + 1, |it| it.min(before + 1)).max(least),
                (Wish::Middle, Some(most)) => least + (most - least) / 2,
                (Wish::Late, Some(most)) => most,
                (Wish::At(at), most) => {
                    let is_possible = *at >= least && most.is_none_or(|most| *at <= most);
                    is_possible.then_some(*at)?
                }
            };
            let fixed = zone.constrain(at, 0, Bound::new(chosen, true)?)
                && zone.constrain(0, at, Bound::new(-chosen, true)?);
            if !fixed {
                return None;
            }
            instants.push(i64::from(chosen));
        }
        Some(instants)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_granted_in_turn() {
        let mut timing = Timing::new(&[0, 0]);
        timing.wait(false);
        timing.require(Constraint::new(0, 1, Bound::le(-3))); // x >= 3
        timing.require(Constraint::new(1, 0, Bound::le(9))); // x <= 9
        timing.assign(&[(1, (0, 0))]); // y = 0
        timing.wait(false);
        timing.require(Constraint::new(2, 0, Bound::le(4))); // y <= 4
        assert_eq!(timing.schedule(&[Wish::Late, Wish::Behind]), Some(vec![0, 9, 10]));
        assert_eq!(timing.schedule(&[Wish::Early, Wish::Late]), Some(vec![0, 3, 7]));
        assert_eq!(timing.schedule(&[Wish::Middle, Wish::Early]), Some(vec![0, 6, 6]));
        timing.require(Constraint::new(1, 0, Bound::lt(8))); // x < 8
        assert_eq!(timing.schedule(&[Wish::Late, Wish::Behind]), Some(vec![0, 7, 7]));
        timing.require(Constraint::new(0, 1, Bound::lt(-7))); // x > 7
        assert_eq!(timing.schedule(&[Wish::Early, Wish::Early]), None);
    }

    fn shown(timing: &Timing) -> Option<String> {
        let instants = timing.solve()?;
        Some(instants.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn the_earliest_instants() {
        let mut timing = Timing::new(&[0, 0]);
        timing.wait(false);
        timing.require(Constraint::new(0, 1, Bound::le(-3))); // x >= 3
        timing.assign(&[(1, (0, 0))]); // y = 0
        timing.wait(false);
        timing.require(Constraint::new(0, 2, Bound::lt(-1))); // y > 1
        timing.require(Constraint::new(1, 0, Bound::lt(5))); // x < 5
        assert_eq!(shown(&timing).unwrap(), "0 3 9/2");
    }

    #[test]
    fn an_upper_bound_pulls_earlier_instants_later() {
        let mut timing = Timing::new(&[0, 0]);
        timing.wait(false);
        timing.assign(&[(1, (0, 0))]); // y = 0
        timing.wait(false);
        timing.require(Constraint::new(0, 1, Bound::le(-10))); // x >= 10
        timing.require(Constraint::new(2, 0, Bound::le(2))); // y <= 2
        assert_eq!(shown(&timing).unwrap(), "0 8 10");
    }

    #[test]
    fn no_time_satisfies_a_contradiction() {
        let mut timing = Timing::new(&[0]);
        timing.wait(false);
        timing.require(Constraint::new(0, 1, Bound::lt(-3)));
        timing.require(Constraint::new(1, 0, Bound::le(3)));
        assert_eq!(timing.solve(), None);
    }

    #[test]
    fn clocks_keep_what_they_were_given() {
        let mut timing = Timing::new(&[2, 0]);
        timing.assign(&[(1, (1, 5))]); // y = x + 5
        timing.wait(false);
        timing.require(Constraint::new(0, 2, Bound::le(-9))); // y >= 9
        assert_eq!(shown(&timing).unwrap(), "0 2");
        timing.require(Constraint::new(1, 2, Bound::lt(-5))); // x - y < -5
        assert_eq!(timing.solve(), None);
    }

    #[test]
    fn no_time_passes_where_it_stands_still() {
        let mut timing = Timing::new(&[0]);
        timing.wait(false);
        timing.wait(true);
        timing.require(Constraint::new(0, 1, Bound::le(-3))); // x >= 3
        assert_eq!(shown(&timing).unwrap(), "0 3 3");
    }
}
