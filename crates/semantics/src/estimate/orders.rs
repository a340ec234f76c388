//! Observations whose order is not known: queues, each in its order, that overlap in time.
//!
//! What reaches a system, what leaves it and what is read from it travel on ways of their own. If they take
//! their time, an input that was sent before an output arrived may have reached the system after that output
//! was sent. All orders that the intervals allow are followed, one set of states for each tuple of numbers
//! (how many of each queue have happened).

use std::collections::BTreeMap;

use super::interval::{End, Interval};
use super::set::{Blocked, Estimate, Observation, Overflow};

/// States are followed for so many tuples of numbers at most. Most tuples of a long chain have no states.
const CELLS_MAX: usize = 40_000;

/// How many queues there are.
const QUEUES: usize = 3;
/// The queue of what the component sent.
const OUTPUTS: usize = 1;

/// How far some states explain observations, if none explains all of them. The estimate is left with
/// states that got that far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// How many of each queue are explained.
    pub explained: [usize; QUEUES],
    /// What kept the states from going on with the first that is left of each queue; nothing if none was
    /// left, or if it comes after the next one of another queue for sure.
    pub blocked: [Option<Blocked>; QUEUES],
}

impl Estimate<'_> {
    /// Queues of observations were made, in any order of one queue with respect to the others: what the component was given, what it
    /// sent, and what was read.
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
        self.follow_queues(queues, None)
    }

    /// Whether time can pass to an instant if queues of observations are made: those that are over before it for sure have happened by then, others
    /// may have. The states are of no use afterwards.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    ///
    /// # Panics
    /// As [`observe`](Self::observe).
    pub fn reaches(
        &mut self,
        queues: [&[Observation<'_>]; QUEUES],
        goal: End,
    ) -> Result<bool, Overflow> {
        Ok(self.follow_queues(queues, Some(goal))?.is_ok())
    }

    /// Observes queues, up to where time can pass to a goal if there is one.
    fn follow_queues(
        &mut self,
        queues: [&[Observation<'_>]; QUEUES],
        goal: Option<End>,
    ) -> Result<Result<(), Stuck>, Overflow> {
        let all = || queues.iter().copied().flatten();
        let begin = all().map(|it| it.interval.from).chain(goal);
        let begin = begin.reduce(|a, b| if a.begins_before(b) { a } else { b });
        let Some(begin) = begin else { return Ok(Ok(())) };
        let n_before_goal = goal.map(|goal| n_before(&queues, goal));
        self.open_unseen(queues[OUTPUTS].is_empty());
        if let Err(blocked) = self.advance(begin)? {
            let blocked = [Some(blocked); QUEUES];
            return Ok(Err(Stuck { explained: [0; QUEUES], blocked }));
        }
        for end in all().map(Observation::end).chain(goal) {
            self.mind_span(end)?;
        }
        // The cell of some numbers is their sum, each times the stride of its queue.
        let mut strides = [1; QUEUES];
        for i in (1..QUEUES).rev() {
            strides[i - 1] = strides[i] * (queues[i].len() + 1);
        }
        let n_cells = strides[0] * (queues[0].len() + 1);
        // What follows a cell has a greater number.
        let mut cells = BTreeMap::from([(0, std::mem::take(&mut self.entries))]);
        let (mut farthest, mut at_farthest) = (0, Vec::new());
        let mut n_followed = 0;
        let numbers = |cell: usize| {
            let mut at = [0; QUEUES];
            for i in 0..QUEUES {
                at[i] = cell / strides[i] % (queues[i].len() + 1);
            }
            at
        };
        let n_explained = |cell: usize| numbers(cell).iter().sum::<usize>();
        while let Some((here, entries)) = cells.pop_first() {
            if entries.is_empty() {
                continue;
            }
            n_followed += 1;
            if n_followed > CELLS_MAX {
                return Err(Overflow::States(CELLS_MAX));
            }
            self.entries = entries;
            self.bury();
            let all_at = numbers(here);
            self.open_unseen(all_at[OUTPUTS] == queues[OUTPUTS].len());
            if let Some((goal, n_before)) = goal.zip(n_before_goal)
                && (0..QUEUES).all(|i| all_at[i] >= n_before[i])
            {
                self.follow(End::at(goal.at))?;
                if !(Interval { from: goal, to: self.latest() }).is_empty() {
                    return Ok(Ok(()));
                }
            }
            for (i, at) in all_at.into_iter().enumerate() {
                if let Some(step) = queues[i].get(at) {
                    // What comes next in another queue has not happened yet, so this is not later than that can be.
                    let others = next_end(&queues, all_at, i);
                    let step = step.until(others);
                    if step.interval.is_empty() {
                        continue;
                    }
                    self.follow(step.end())?;
                    self.refusals_until = others;
                    let n_refusing = self.refusing.len();
                    let behind = cells.entry(here + strides[i]).or_default();
                    let taken = self.take_part(&step, behind);
                    self.refusals_until = None;
                    taken?;
                    // Whoever asks which input was refused knows it by when it was observed.
                    for refusing in &mut self.refusing[n_refusing..] {
                        refusing.interval = queues[i][at].interval;
                    }
                }
            }
            if n_explained(here) > n_explained(farthest) || here == 0 {
                farthest = here;
                std::mem::swap(&mut self.entries, &mut at_farthest);
            }
            self.spare.append(&mut self.entries);
        }
        self.entries = at_farthest;
        self.bury();
        self.open_unseen(numbers(farthest)[OUTPUTS] == queues[OUTPUTS].len());
        if farthest + 1 == n_cells && goal.is_none() {
            let last = queues.iter().filter_map(|queue| queue.last()).map(|it| it.interval.from);
            let last = last.reduce(|a, b| if a.begins_before(b) { b } else { a });
            self.now = last.unwrap_or(self.now);
            let ends = all().map(|it| it.end());
            if let Some(end) = ends.reduce(|a, b| if a.ends_before(b) { b } else { a }) {
                self.note_end(end);
            }
            return Ok(Ok(()));
        }
        let latest = self.latest();
        let explained = numbers(farthest);
        let mut blocked = [None; QUEUES];
        for i in 0..QUEUES {
            // What has to wait for another queue is not what keeps the states.
            blocked[i] = queues[i].get(explained[i]).and_then(|next| {
                let next = next.until(next_end(&queues, explained, i));
                let reaches = !Interval { from: next.interval.from, to: latest }.is_empty();
                (!next.interval.is_empty()).then_some(match reaches {
                    true => Blocked::Signal,
                    false => Blocked::Time,
                })
            });
        }
        Ok(Err(Stuck { explained, blocked }))
    }
}

/// How many of each queue are over before an instant for sure: what comes later in a queue is no sooner.
fn n_before(queues: &[&[Observation<'_>]; QUEUES], goal: End) -> [usize; QUEUES] {
    let is_over = |it: &Observation<'_>| Interval { from: goal, to: it.interval.to }.is_empty();
    queues.map(|queue| queue.iter().rposition(is_over).map_or(0, |last| last + 1))
}

/// When the first of those that come next in the other queues is over.
fn next_end(
    queues: &[&[Observation<'_>]; QUEUES],
    explained: [usize; QUEUES],
    but: usize,
) -> Option<End> {
    let others = (0..QUEUES).filter(|other| *other != but);
    let ends = others.filter_map(|it| queues[it].get(explained[it])).map(|it| it.end());
    ends.reduce(|a, b| if b.ends_before(a) { b } else { a })
}
