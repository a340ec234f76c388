//! Observations whose order is not known: two queues, each in its order, that overlap in time.
//!
//! What reaches a system and what leaves it travels on ways of their own. If both take their time, an
//! input that was sent before an output arrived may have reached the system after that output was
//! sent. All orders that the intervals allow are followed, one set of states for each pair of numbers
//! (how many of either queue have happened).

use super::interval::{End, Interval};
use super::set::{Blocked, Entry, Estimate, Observation, Overflow};

/// More pairs of numbers than this are too many to be followed.
const CELLS_MAX: usize = 40_000;

/// How far some states explain observations, if none explains all of them. The estimate is left with
/// states that got that far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// How many of each queue.
    pub explained: (usize, usize),
    /// What kept them from going on with the first that is left of the first queue, and of the
    /// second; nothing if none was left.
    pub blocked: (Option<Blocked>, Option<Blocked>),
}

impl Estimate<'_> {
    /// Two queues of signals and readings were observed, in any order of one with respect to the other.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    ///
    /// # Panics
    /// As [`observe`](Self::observe).
    pub fn observe_queues(
        &mut self,
        first: &[Observation<'_>],
        second: &[Observation<'_>],
    ) -> Result<Result<(), Stuck>, Overflow> {
        let begin = first.iter().chain(second).map(|it| it.interval.from);
        let begin = begin.reduce(|a, b| if a.begins_before(b) { a } else { b });
        let Some(begin) = begin else { return Ok(Ok(())) };
        if let Err(blocked) = self.advance(begin)? {
            let blocked = (Some(blocked), Some(blocked));
            return Ok(Err(Stuck { explained: (0, 0), blocked }));
        }
        for observation in first.iter().chain(second) {
            self.mind_span(observation.end())?;
        }
        let width = second.len() + 1;
        if (first.len() + 1) * width > CELLS_MAX {
            return Err(Overflow::States(CELLS_MAX));
        }
        let mut cells: Vec<Vec<Entry>> = Vec::new();
        cells.resize_with((first.len() + 1) * width, Vec::new);
        cells[0] = std::mem::take(&mut self.entries);
        let mut farthest = (0, 0);
        for i in 0..=first.len() {
            for j in 0..width {
                let here = i * width + j;
                if cells[here].is_empty() {
                    continue;
                }
                if i + j > farthest.0 + farthest.1 {
                    farthest = (i, j);
                }
                self.entries = std::mem::take(&mut cells[here]);
                self.bury();
                for (step, there) in [(first.get(i), here + width), (second.get(j), here + 1)] {
                    if let Some(step) = step {
                        self.follow(step.end())?;
                        self.take_part(step, &mut cells[there])?;
                    }
                }
                cells[here] = std::mem::take(&mut self.entries);
            }
        }
        let (i, j) = farthest;
        self.entries = std::mem::take(&mut cells[i * width + j]);
        for mut cell in cells {
            self.spare.append(&mut cell);
        }
        let last = first.last().into_iter().chain(second.last()).map(|it| it.interval.from);
        self.bury();
        if (i, j) == (first.len(), second.len()) {
            let last = last.reduce(|a, b| if a.begins_before(b) { b } else { a });
            self.now = last.unwrap_or(self.now);
            return Ok(Ok(()));
        }
        let latest = self.latest();
        let reaches = |from: End| !Interval { from, to: latest }.is_empty();
        let why = |next: Option<&Observation<'_>>| {
            next.map(|next| match reaches(next.interval.from) {
                true => Blocked::Signal,
                false => Blocked::Time,
            })
        };
        let blocked = (why(first.get(i)), why(second.get(j)));
        Ok(Err(Stuck { explained: (i, j), blocked }))
    }
}
