//! Estimates that are put somewhere else: a process at another location, the present at another instant.
//!
//! A test that proves where a system is asks what it would see if the system were elsewhere. A test that begins at any
//! instant of a period asks what may be then.

use std::ops::ControlFlow;

use punctual_zones::{Source, Zone};

use super::interval::End;
use super::set::{Entry, Estimate, Overflow};
use crate::symbolic::Active;

/// What is known of the clocks of a process that is somewhere else.
#[derive(Clone, Copy, Debug)]
pub enum Clocks<'c> {
    /// These clocks of the network may have any value that the invariants allow; the others are as they are.
    Any(&'c [bool]),
    /// The clocks of the network have these values, in points of the grid.
    At(&'c [i32]),
}

impl Estimate<'_> {
    /// A process of the component is at another location; its other states are as they are.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn displace(
        &mut self,
        process: usize,
        location: i32,
        clocks: Clocks<'_>,
    ) -> Result<(), Overflow> {
        let now = self.now;
        self.follow(End::at(now.at))?;
        let mut target = Active::new(self.estimator.symbolic.n_clocks());
        self.rebuild(|estimate, entry, zone| {
            let Estimate { estimator, active, work, origin, .. } = estimate;
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            work.assign(&entry.zone);
            if !work.constrain(time, 0, End::at(now.at).upper(*origin))
                || !work.constrain(0, time, now.lower(*origin))
            {
                return None;
            }
            let mut state = entry.state.clone();
            state[process] = location;
            target.set(&estimator.symbolic, &state);
            let mut free = Vec::new();
            let sources: Vec<Source> = (1..)
                .zip(target.clocks())
                .map(|(number, clock)| {
                    let old = active.number(*clock + 1).map(|it| Source::clock(it as u32));
                    match (old, clocks) {
                        (Some(old), _) if *clock == estimator.clock => old,
                        (_, Clocks::At(values)) => {
                            Source::constant(values.get(*clock as usize).copied().unwrap_or(0))
                        }
                        (Some(old), Clocks::Any(any)) if !any[*clock as usize] => old,
                        _ => {
                            free.push(number);
                            Source::constant(0)
                        }
                    }
                })
                .collect();
            zone.set_image(&*work, &sources);
            free.into_iter().for_each(|clock| zone.free(clock));
            Some(state)
        })
    }

    /// The component is in one of some states; its clocks have any values that the invariants allow. The present is called 0.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn put(&mut self, states: &[Vec<i32>]) -> Result<(), Overflow> {
        let mut all = Vec::new();
        for state in states {
            self.restart()?;
            let mut target = Active::new(self.estimator.symbolic.n_clocks());
            self.rebuild(|estimate, entry, zone| {
                let estimator = estimate.estimator;
                target.set(&estimator.symbolic, state);
                let sources: Vec<Source> =
                    target.clocks().iter().map(|_| Source::constant(0)).collect();
                zone.set_image(&entry.zone, &sources);
                let time = estimator.time(&target);
                (1..=sources.len()).filter(|it| *it != time).for_each(|clock| zone.free(clock));
                Some(state.clone())
            })?;
            all.append(&mut self.entries);
        }
        self.entries = all;
        Ok(())
    }

    /// The present is any instant from the start up to this one, and is called 0 from now on.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn begin_within(&mut self, until: i64) -> Result<(), Overflow> {
        self.follow(End::at(until))?;
        self.rebuild(|estimate, entry, zone| {
            let Estimate { estimator, active, work, origin, .. } = estimate;
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            work.assign(&entry.zone);
            if !work.constrain(time, 0, End::at(until).upper(*origin)) {
                return None;
            }
            let source = |number: usize| match number == time {
                true => Source::constant(0),
                false => Source::clock(number as u32),
            };
            let sources: Vec<Source> = (1..work.dim()).map(source).collect();
            zone.set_image(&*work, &sources);
            Some(entry.state.clone())
        })?;
        (self.origin, self.now) = (0, End::at(0));
        Ok(())
    }

    /// Keeps only states of which this holds.
    pub fn keep(&mut self, mut holds: impl FnMut(&[i32]) -> bool) {
        self.entries.retain(|entry| holds(&entry.state));
    }

    /// Replaces each state by another one; waiting follows.
    fn rebuild(
        &mut self,
        mut make: impl FnMut(&mut Self, &Entry, &mut Zone) -> Option<Vec<i32>>,
    ) -> Result<(), Overflow> {
        let old = std::mem::take(&mut self.entries);
        let mut next = std::mem::take(&mut self.next);
        let mut zone = Zone::zero(0);
        self.index.reset();
        for entry in &old {
            let Some(state) = make(self, entry, &mut zone) else { continue };
            let Self { explorer, estimator, spare, index, .. } = self;
            explorer.wait(&state, &zone, &mut |successor| {
                index.insert(estimator, &mut next, spare, successor, &entry.trail);
                ControlFlow::Continue(())
            })?;
        }
        self.spare.extend(old);
        self.entries.append(&mut next);
        self.next = next;
        self.bury();
        Ok(())
    }
}
