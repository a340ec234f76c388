//! Sequences whose outputs are seen from one location only.
//!
//! Breadth first, the shortest that are unique. If there are none up to a length, sequences that each tell the location from
//! one more of the others are joined, after section 6.3 of the paper. Its sequences lead back to the location before the next
//! one begins; here each begins wherever the system is then, and a way back is a part of it where one is needed. What is
//! joined is unique for the same reason as any other sequence.
//!
//! Where all that can be seen from the location can be seen from another one, too, for ever, no sequence is unique. That is proved: the
//! states of the other one have those of the location among them, or a search through all that a tester can do sees
//! no difference (`mutation::decide`).

use std::collections::{BTreeSet, HashSet};

use punctual_semantics::estimate::{Overflow, Present};

use super::search::{After, Element, Known, Limits, Question, Search, Situation, usable};
use crate::mutation::decide::{Bench, Limits as Situations};

/// A proof looks at no more situations than this.
const PROOF: Situations = Situations { situations: 2_000 };

/// Joined sequences are looked for by no more searches than this.
const JOINS_MAX: usize = 40;

/// After each search for a sequence to be joined, so many of what it found are followed further.
const JOINED_FURTHER: usize = 4;

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub enum Sequences {
    /// The shortest unique sequences, or one that was joined.
    Unique(Vec<Vec<Element>>),
    /// None was found. Also, the other locations that no sequence told apart.
    None(Vec<i32>),
    /// There is none, of whatever length: from these other locations, the system can do all that it can do from the one
    /// that is to be proved.
    Never(Vec<i32>),
    /// The search was stopped before its end.
    Stopped,
}

/// Who looks on while sequences are looked for.
pub struct Watch<'w> {
    /// Whether to stop.
    pub stops: &'w dyn Fn() -> bool,
    /// Whether a unique sequence will do.
    pub accepts: &'w mut dyn FnMut(&[Element]) -> bool,
}

/// What a search breadth first came to.
enum Found {
    /// Sequences that tell the location from all that it was to be told from.
    All(Vec<Vec<Element>>),
    /// Those situations that have fewer locations left than the first one and came first, those with fewest left in front. Also, the locations that
    /// no sequence told apart.
    Some(Vec<Situation>, BTreeSet<i32>),
    Stopped,
}

impl Search<'_> {
    /// Unique sequences from the states that an estimate has at a location; none if it has no states there.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn unique(
        &mut self,
        from: &After,
        question: Question<'_>,
        limits: Limits,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Sequences>, Overflow> {
        let Some(start) = self.start(from, question)? else { return Ok(None) };
        if start.others.is_empty() {
            return Ok(Some(Sequences::Unique(vec![Vec::new()])));
        }
        if let Some(key) = usable(self.known(&start).map(Some))? {
            let mut never = covering(&key);
            if question.clocks.is_none() {
                never.extend(self.proved(&key, question.process));
                never.sort_unstable();
                never.dedup();
            }
            if !never.is_empty() {
                return Ok(Some(Sequences::Never(never)));
            }
        }
        Ok(Some(match self.breadth_first(&start, limits, false, watch)? {
            Found::All(found) => Sequences::Unique(found),
            Found::Stopped => Sequences::Stopped,
            Found::Some(_, left) => match self.joined(&start, limits, watch)? {
                Found::All(found) => Sequences::Unique(found),
                Found::Stopped => Sequences::Stopped,
                Found::Some(..) => Sequences::None(left.into_iter().collect()),
            },
        }))
    }

    /// Goes through sequences by their lengths, up to the first unique ones, or up to the first that tell the location from some others.
    fn breadth_first(
        &mut self,
        start: &Situation,
        limits: Limits,
        is_joining: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Found, Overflow> {
        let mut known: HashSet<Known> = HashSet::new();
        known.extend(usable(self.known(start).map(Some))?);
        let mut level = vec![start.clone()];
        let mut left: BTreeSet<i32> = start.others.keys().copied().collect();
        for _ in 0..limits.length {
            let mut next = Vec::new();
            let mut found: Vec<Vec<Element>> = Vec::new();
            for situation in &level {
                if (watch.stops)() {
                    return Ok(Found::Stopped);
                }
                for after in self.successors(situation)? {
                    left.retain(|it| after.others.contains_key(it));
                    if after.others.is_empty() {
                        if (watch.accepts)(&after.sequence) {
                            found.push(after.sequence);
                        }
                        continue;
                    }
                    if found.is_empty()
                        && let Some(key) = usable(self.known(&after).map(Some))?
                        && covering(&key).is_empty()
                        && known.insert(key)
                    {
                        next.push(after);
                    }
                }
            }
            if !found.is_empty() {
                return Ok(Found::All(found));
            }
            // The order is kept among those that have as many left.
            next.sort_by_key(|it| it.others.len());
            if is_joining && next.first().is_some_and(|it| it.others.len() < start.others.len()) {
                next.retain(|it| it.others.len() < start.others.len());
                return Ok(Found::Some(next, left));
            }
            if next.is_empty() {
                break;
            }
            next.truncate(limits.width);
            level = next;
        }
        Ok(Found::Some(Vec::new(), left))
    }

    /// Joins sequences that each tell the location from some of those that are left.
    fn joined(
        &mut self,
        start: &Situation,
        limits: Limits,
        watch: &mut Watch<'_>,
    ) -> Result<Found, Overflow> {
        let mut waiting = vec![start.clone()];
        for _ in 0..JOINS_MAX {
            // What has fewest left is followed first.
            let Some(situation) = waiting.pop() else { break };
            match self.breadth_first(&situation, limits, true, watch)? {
                Found::Some(mut further, _) => {
                    further.truncate(JOINED_FURTHER);
                    waiting.extend(further.into_iter().rev());
                }
                found => return Ok(found),
            }
        }
        Ok(Found::Some(Vec::new(), BTreeSet::new()))
    }

    /// The other locations from which all that can be read from the location can be read, too, whatever a tester does. The
    /// clocks of the automaton may have any values there, so it is enough if that is so for all values that they may have here; all clocks
    /// of the part have to be its own.
    fn proved(&self, Known { ours, others, .. }: &Known, process: usize) -> Vec<i32> {
        let specification = self.specification();
        let part = &specification.parts[self.part()];
        let process = part.processes[process];
        let Ok(bench) = Bench::new(specification, process) else { return Vec::new() };
        if !bench.has_clocks_of(process) {
            return Vec::new();
        }
        let states = |of: &[Present]| -> Vec<Vec<i32>> {
            let all: BTreeSet<Vec<i32>> = of.iter().map(|(state, _)| state.clone()).collect();
            all.into_iter().collect()
        };
        let ours = states(ours);
        let is_proved =
            |(_, other): &&(i32, Vec<Present>)| bench.reads_as_much(&ours, &states(other), PROOF);
        others.iter().filter(is_proved).map(|(location, _)| *location).collect()
    }
}

/// The other locations from which the system can do all that it can do from its own: their states have those of the system among
/// them. States of a zone that was extrapolated can do no more than those that were in it before.
fn covering(Known { ours, others, .. }: &Known) -> Vec<i32> {
    let holds = |other: &Vec<Present>, (state, zone): &Present| {
        other.iter().any(|(it, wider)| {
            it == state && zone.iter().zip(wider).all(|(bound, wider)| bound <= wider)
        })
    };
    let covers = |(_, other): &&(i32, Vec<Present>)| ours.iter().all(|it| holds(other, it));
    others.iter().filter(covers).map(|(location, _)| *location).collect()
}
