//! All that a network can do on a grid of time, by trying each delay and each step.
//!
//! A [`Spot`] is a state with the values of its clocks, in ticks. A clock that is above all that it is ever compared with is put just
//! behind that: it compares the same for ever. Steps come from the concrete semantics ([`Lookup`]). The tester may act before,
//! between and after the steps of one instant, as far as the network lets it.

use std::collections::{BTreeSet, HashSet};

use punctual_model::testing::Place;

use super::acts::shown;
use super::lookup::{By, Lookup};
use punctual_model::ChannelId;

/// A state, and its clocks in ticks.
pub(super) type Spot = (usize, Vec<i64>);

pub(super) struct Grid<'n> {
    pub(super) lookup: Lookup<'n>,
    /// How many ticks after the last call of [`watch`](Grid::watch) something was done, and since when that is counted.
    watched: Option<BTreeSet<i64>>,
    elapsed: i64,
}

impl<'n> Grid<'n> {
    pub(super) fn new(lookup: Lookup<'n>) -> Grid<'n> {
        Grid { lookup, watched: None, elapsed: 0 }
    }

    /// Notes when something is done from now on.
    pub(super) fn watch(&mut self) {
        (self.watched, self.elapsed) = (Some(BTreeSet::from([0])), 0);
    }

    /// Stops noting; when something was done.
    pub(super) fn watched(&mut self) -> BTreeSet<i64> {
        self.watched.take().unwrap_or_default()
    }

    /// Where a network may be when it is in one of these spots and time passes.
    pub(super) fn wait(
        &mut self,
        from: &HashSet<Spot>,
        duration: i64,
    ) -> Result<HashSet<Spot>, String> {
        let mut reached = HashSet::new();
        let mut met: HashSet<(i64, Spot)> = from.iter().map(|it| (0, it.clone())).collect();
        let mut open: Vec<(i64, Spot)> = met.iter().cloned().collect();
        let greatest = self.greatest();
        let mut next = (0, (0, vec![0; greatest.len()]));
        while let Some((since, spot)) = open.pop() {
            let left = duration - since;
            let known = self.lookup.known(spot.0);
            let stay = if known.stands { Some(0) } else { known.stay(&spot.1) };
            let last = stay.map_or(left, |stay| stay.min(left));
            if stay.is_none_or(|stay| left <= stay) {
                let mut clocks = vec![0; greatest.len()];
                later(&spot.1, left, &greatest, &mut clocks);
                reached.insert((spot.0, clocks));
            }
            let mut delay = 0;
            while delay <= last {
                let answer = self.lookup.steps(spot.0, &spot.1, delay)?;
                let is_own = |at: &usize| matches!(self.lookup.answer(answer)[*at].by, By::Own(..));
                let own: Vec<usize> =
                    (0..self.lookup.answer(answer).len()).filter(is_own).collect();
                let change = self.lookup.known(spot.0).next_change(&spot.1, delay);
                let change = change.unwrap_or(last + 1).min(last + 1);
                // The answer is the same until something changes.
                for delay in if own.is_empty() { 0..0 } else { delay..change } {
                    for at in &own {
                        let step = &self.lookup.answer(answer)[*at];
                        (next.0, next.1.0) = (since + delay, step.next);
                        later(&spot.1, delay, &greatest, &mut next.1.1);
                        step.reset(&mut next.1.1);
                        if !met.contains(&next) {
                            met.insert(next.clone());
                            open.push(next.clone());
                        }
                    }
                    if let Some(watched) = &mut self.watched {
                        watched.insert(self.elapsed + since + delay);
                    }
                }
                delay = change;
            }
        }
        self.elapsed += duration;
        if let Some(watched) = &mut self.watched {
            watched.insert(self.elapsed);
        }
        Ok(reached)
    }

    /// Where a network may be after an input.
    pub(super) fn input(
        &mut self,
        from: &HashSet<Spot>,
        channel: ChannelId,
    ) -> Result<HashSet<Spot>, String> {
        let mut reached = HashSet::new();
        for spot in from {
            let answer = self.lookup.steps(spot.0, &spot.1, 0)?;
            let mut is_taken = false;
            for step in self.lookup.answer(answer) {
                if step.by == By::Input(channel) {
                    let mut clocks = spot.1.clone();
                    step.reset(&mut clocks);
                    reached.insert((step.next, clocks));
                    is_taken = true;
                }
            }
            // In the middle of steps that can not be interrupted, the input comes before or after.
            if !is_taken && !self.lookup.known(spot.0).stands {
                return Err("an input that is refused".to_owned());
            }
        }
        Ok(reached)
    }

    /// The spots in which places show these values.
    pub(super) fn read(&self, mut from: HashSet<Spot>, shows: &[(Place, i32)]) -> HashSet<Spot> {
        from.retain(|(state, _)| {
            let known = self.lookup.known(*state);
            let mut shows = shows.iter();
            shows.all(|(place, value)| shown(*place, &known.locations, &known.ints) == *value)
        });
        from
    }

    /// For each clock, what it is put to when it is above all bounds.
    fn greatest(&self) -> Vec<i64> {
        self.lookup.bounds.iter().map(|bounds| bounds.last().map_or(0, |it| it + 1)).collect()
    }
}

/// The clocks after a delay.
fn later(clocks: &[i64], delay: i64, greatest: &[i64], after: &mut [i64]) {
    for ((after, value), greatest) in after.iter_mut().zip(clocks).zip(greatest) {
        *after = (value + delay).min(*greatest);
    }
}
