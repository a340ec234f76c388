//! How long time may pass, and what can be done while it does.
//!
//! In one discrete state, everything that can be asked about an instant changes its answer only
//! at finitely many of them: where a comparison of clocks changes its truth. Between two of these
//! *critical* instants, one instant speaks for all.

use std::collections::{BTreeMap, BTreeSet};

use super::{Concrete, Failure, State, eval::Machine};
use crate::{Fault, FaultKind, Rational};

/// Looks at a state, and says by how much later or earlier it could have seen something else.
type Look<'l, T, E> = dyn FnMut(&State, &mut BTreeSet<Rational>) -> Result<T, E> + 'l;

/// Delays that are all alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Region {
    /// The delay itself for a point; what all delays exceed for an interval.
    start: Rational,
    /// Whether it is a single delay.
    point: bool,
    /// One of the delays.
    sample: Rational,
}

impl Concrete<'_> {
    /// Whether time may pass by this delay from here: every invariant holds all the way, the end
    /// included; no location is urgent or committed; and no urgent synchronisation is enabled at
    /// any instant before the end.
    ///
    /// # Errors
    /// If a condition or a rate can not be evaluated.
    pub fn may_wait(&self, state: &State, delay: Rational) -> Result<bool, Fault> {
        let (limit, attained) = self.limit_within(state, Some(delay))?;
        Ok(allowed(limit, attained, delay))
    }

    /// How long time may pass: the supremum (none: for ever), and whether it is allowed itself.
    /// A delay of zero is always allowed.
    ///
    /// # Errors
    /// If a condition or a rate can not be evaluated.
    pub fn wait_limit(&self, state: &State) -> Result<(Option<Rational>, bool), Fault> {
        self.limit_within(state, None)
    }

    /// The limit, if it is within the horizon; what is beyond that is not looked at.
    fn limit_within(
        &self,
        state: &State,
        horizon: Option<Rational>,
    ) -> Result<(Option<Rational>, bool), Fault> {
        if self.stands_still(state) {
            return Ok((Some(Rational::ZERO), true));
        }
        let moving = self.moving(state)?;
        // Only where the invariants hold it matters what the guards say.
        let regions = self.over_time(state, &moving, (horizon, true), &mut |state, critical| {
            let legal = self.legal(state, &moving, critical)?;
            let urgent = legal && self.urgent_enabled(state, &moving, critical)?;
            Ok::<_, Fault>((legal, urgent))
        })?;
        for (region, (legal, urgent)) in regions {
            if !legal {
                let attained = !region.point || region.start == Rational::ZERO;
                return Ok((Some(region.start), attained));
            }
            if urgent {
                return Ok((Some(region.start), true));
            }
        }
        Ok((None, false))
    }

    /// The state after a delay; whether the delay is allowed is not asked.
    ///
    /// # Panics
    /// If a rate can not be evaluated. [`wait_limit`](Self::wait_limit) reports that as a fault.
    pub fn waited(&self, state: &State, delay: Rational) -> State {
        let moving = self.moving(state).expect("rates that can be evaluated");
        later(state, &moving, delay)
    }

    /// The allowed delays, above zero, at which something changes: whether a transition is
    /// possible, whether time may pass. The greatest allowed delay is among them, if there is one.
    ///
    /// # Errors
    /// If something can not be evaluated at one of the instants.
    pub fn critical_delays(&self, state: &State) -> Result<Vec<Rational>, Failure> {
        let regions = self.transitions_over_time(state)?;
        let points = regions.iter().filter(|(region, _)| region.point);
        Ok(points.map(|(region, _)| region.start).filter(|start| *start > Rational::ZERO).collect())
    }

    /// Whether no transition is possible, now or after any allowed delay.
    ///
    /// # Errors
    /// If something can not be evaluated at one of the instants.
    pub fn deadlocked(&self, state: &State) -> Result<bool, Failure> {
        let regions = self.transitions_over_time(state)?;
        Ok(regions.iter().all(|(_, n_transitions)| *n_transitions == 0))
    }

    /// How many transitions are possible after each allowed delay.
    fn transitions_over_time(&self, state: &State) -> Result<Vec<(Region, usize)>, Failure> {
        let limit = self.wait_limit(state)?;
        let moving = match self.stands_still(state) {
            true => vec![false; state.clocks.len()],
            false => self.moving(state)?,
        };
        self.over_time(state, &moving, limit, &mut |state, critical| {
            Ok(self.transitions_at(state, &moving, critical)?.len())
        })
    }

    /// Looks at the state after each of the allowed delays, one of each region, in their order.
    fn over_time<T, E>(
        &self,
        state: &State,
        moving: &[bool],
        (limit, attained): (Option<Rational>, bool),
        look: &mut Look<'_, T, E>,
    ) -> Result<Vec<(Region, T)>, E> {
        let mut instants: BTreeSet<Rational> = limit.into_iter().collect();
        instants.insert(Rational::ZERO);
        let mut seen = BTreeMap::new();
        // What is compared can depend on other comparisons: go on until nothing is new.
        loop {
            let mut regions = regions(&instants);
            regions.retain(|region| allowed(limit, attained, region.sample));
            let n_instants = instants.len();
            for &Region { sample, .. } in &regions {
                if seen.contains_key(&sample) {
                    continue;
                }
                let mut critical = BTreeSet::new();
                seen.insert(sample, look(&later(state, moving, sample), &mut critical)?);
                let critical = critical.into_iter().map(|delay| sample + delay);
                instants.extend(critical.filter(|delay| *delay > Rational::ZERO));
            }
            if instants.len() == n_instants {
                let answer = |region: Region| {
                    let seen = seen.remove(&region.sample).expect("every region was looked at");
                    (region, seen)
                };
                return Ok(regions.into_iter().map(answer).collect());
            }
        }
    }

    /// For each clock, whether it moves with time here: no process is in a location that stops it.
    pub(super) fn moving(&self, state: &State) -> Result<Vec<bool>, Fault> {
        let mut moving: Vec<bool> = self.network.clocks.iter().map(|clock| !clock.hybrid).collect();
        let mut critical = BTreeSet::new();
        let standing = vec![false; moving.len()];
        let mut machine = Machine::new(self.network, state, &standing, &mut critical);
        for (_, location) in self.locations(state) {
            machine.enter(location.frame);
            for rate in &location.rates {
                let clock = machine.clock(&rate.clock)?;
                if self.network.clocks[clock].hybrid {
                    continue;
                }
                let value = machine.real(&rate.value)?.value;
                match (value.numerator(), value.denominator()) {
                    (0, 1) => moving[punctual_model::Id::index(clock)] = false,
                    (1, 1) => {}
                    (n, d) => {
                        let value = i32::try_from(n.div_euclid(d)).unwrap_or(i32::MAX);
                        Err(FaultKind::Rate { value })?;
                    }
                }
            }
        }
        Ok(moving)
    }
}

fn allowed(limit: Option<Rational>, attained: bool, delay: Rational) -> bool {
    delay == Rational::ZERO
        || limit.is_none_or(|limit| delay < limit || (attained && delay == limit))
}

fn later(state: &State, moving: &[bool], delay: Rational) -> State {
    let clocks = state.clocks.iter().zip(moving);
    let clocks = clocks.map(|(&value, &moves)| if moves { value + delay } else { value });
    State { clocks: clocks.collect(), ..state.clone() }
}

/// The instants and what is between them and after them, in this order.
fn regions(instants: &BTreeSet<Rational>) -> Vec<Region> {
    let instants: Vec<Rational> = instants.iter().copied().collect();
    let mut regions = Vec::new();
    for (i, &start) in instants.iter().enumerate() {
        regions.push(Region { start, point: true, sample: start });
        let sample = match instants.get(i + 1) {
            Some(&end) => middle(start, end),
            None => start + Rational::from(1),
        };
        regions.push(Region { start, point: false, sample });
    }
    regions
}

fn middle(a: Rational, b: Rational) -> Rational {
    let sum = a + b;
    Rational::new(sum.numerator(), sum.denominator() * 2)
}
