//! Observations whose order is not known: queues, each in its order, that overlap in time.
//!
//! What reaches a system, what leaves it and what is read from it travel on ways of their own. If they take
//! their time, an input that was sent before an output arrived may have reached the system after that output
//! was sent. All orders that the intervals allow are followed, one set of states for each tuple of numbers
//! (how many of each queue have happened).

use super::interval::{End, Interval};
use super::set::{Blocked, Entry, Estimate, Observation, Overflow};

/// More pairs of numbers than this are too many to be followed.
const CELLS_MAX: usize = 40_000;

/// How many queues there are.
const QUEUES: usize = 3;

/// How far some states explain observations, if none explains all of them. The estimate is left with
/// states that got that far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// How many of each queue are explained.
    pub explained: [usize; QUEUES],
    /// What kept the states from going on with the first that is left of each queue; nothing if none was
    /// left.
    pub blocked: [Option<Blocked>; QUEUES],
}

impl Estimate<'_> {
    /// Queues of observations were made, in any order of one queue with respect to the others.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    ///
    /// # Panics
    /// As [`observe`](Self::observe).
    pub fn observe_queues(
        &mut self,
        queues: [&[Observation<'_>]; QUEUES],
    ) -> Result<Result<(), Stuck>, Overflow> {
        let all = || queues.iter().copied().flatten();
        let begin = all().map(|it| it.interval.from);
        let begin = begin.reduce(|a, b| if a.begins_before(b) { a } else { b });
        let Some(begin) = begin else { return Ok(Ok(())) };
        if let Err(blocked) = self.advance(begin)? {
            let blocked = [Some(blocked); QUEUES];
            return Ok(Err(Stuck { explained: [0; QUEUES], blocked }));
        }
        for observation in all() {
            self.mind_span(observation.end())?;
        }
        // The cell of some numbers is their sum, each times the stride of its queue.
        let mut strides = [1; QUEUES];
        for i in (1..QUEUES).rev() {
            strides[i - 1] = strides[i] * (queues[i].len() + 1);
        }
        let n_cells = strides[0] * (queues[0].len() + 1);
        if n_cells > CELLS_MAX {
            return Err(Overflow::States(CELLS_MAX));
        }
        let mut cells: Vec<Vec<Entry>> = Vec::new();
        cells.resize_with(n_cells, Vec::new);
        cells[0] = std::mem::take(&mut self.entries);
        let mut farthest = 0;
        let numbers = |cell: usize| {
            let mut at = [0; QUEUES];
            for i in 0..QUEUES {
                at[i] = cell / strides[i] % (queues[i].len() + 1);
            }
            at
        };
        let n_explained = |cell: usize| numbers(cell).iter().sum::<usize>();
        for here in 0..n_cells {
            if cells[here].is_empty() {
                continue;
            }
            if n_explained(here) > n_explained(farthest) {
                farthest = here;
            }
            self.entries = std::mem::take(&mut cells[here]);
            self.bury();
            let all_at = numbers(here);
            for (i, at) in all_at.into_iter().enumerate() {
                if let Some(step) = queues[i].get(at) {
                    self.follow(step.end())?;
                    // What comes next in another queue has not happened yet, so it is not later than that can be.
                    let others = (0..QUEUES).filter(|other| *other != i);
                    let ends =
                        others.filter_map(|it| queues[it].get(all_at[it])).map(|it| it.end());
                    self.refusals_until = ends.reduce(|a, b| if b.ends_before(a) { b } else { a });
                    let taken = self.take_part(step, &mut cells[here + strides[i]]);
                    self.refusals_until = None;
                    taken?;
                }
            }
            cells[here] = std::mem::take(&mut self.entries);
        }
        self.entries = std::mem::take(&mut cells[farthest]);
        for mut cell in cells {
            self.spare.append(&mut cell);
        }
        self.bury();
        if farthest + 1 == n_cells {
            let last = queues.iter().filter_map(|queue| queue.last()).map(|it| it.interval.from);
            let last = last.reduce(|a, b| if a.begins_before(b) { b } else { a });
            self.now = last.unwrap_or(self.now);
            return Ok(Ok(()));
        }
        let latest = self.latest();
        let reaches = |from: End| !Interval { from, to: latest }.is_empty();
        let explained = numbers(farthest);
        let mut blocked = [None; QUEUES];
        for i in 0..QUEUES {
            blocked[i] =
                queues[i].get(explained[i]).map(|next| match reaches(next.interval.from) {
                    true => Blocked::Signal,
                    false => Blocked::Time,
                });
        }
        Ok(Err(Stuck { explained, blocked }))
    }
}
