//! Least values.
//!
//! Whole numbers are found by questions alone: first whether the least value that is possible at all
//! is reached, then by halving. A solver's own optimiser is many times slower on such questions, but
//! knows what to do with real numbers; its answer is checked.

use crate::{
    error::{Answer, Error, Reason},
    session::Session,
    term::{Sort, Term, Value},
};

/// Questions for one objective; enough to halve all 128 bits, after as many steps down.
const QUESTIONS_MAX: u32 = 300;

/// A number that is to be as small as possible.
#[derive(Clone, Copy, Debug)]
pub struct Objective {
    term: Term,
    at_least: Option<i128>,
}

impl Objective {
    /// A whole or real number.
    #[must_use]
    pub fn new(term: Term) -> Objective {
        Objective { term, at_least: None }
    }

    /// It is known to be no smaller than this (a distance is not negative).
    #[must_use]
    pub fn at_least(self, bound: i128) -> Objective {
        Objective { at_least: Some(bound), ..self }
    }
}

impl Session {
    /// The least values of objectives, of which earlier ones matter more, among all that satisfies
    /// what was claimed; and what `wanted` is there.
    ///
    /// [`Answer::Sat`] comes with the values of the objectives and of what is wanted, and with these
    /// values all is satisfied. Nothing is claimed afterwards that was not before.
    ///
    /// # Errors
    /// If a solver can not be started, or fails to say values.
    pub fn minimise(
        &mut self,
        objectives: &[Objective],
        wanted: &[Term],
    ) -> Result<(Answer, Vec<Value>, Vec<Value>), Error> {
        self.push();
        let found = self.descend(objectives, wanted);
        self.pop();
        match found {
            Ok((least, values)) => Ok((Answer::Sat, least, values)),
            Err(Stop::Answer(answer)) => Ok((answer, Vec::new(), Vec::new())),
            // A solver that fails while values are asked for is one that does not know.
            Err(Stop::Error(Error::Lost(reason))) => {
                Ok((Answer::Unknown(reason), Vec::new(), Vec::new()))
            }
            Err(Stop::Error(error)) => Err(error),
        }
    }

    fn descend(
        &mut self,
        objectives: &[Objective],
        wanted: &[Term],
    ) -> Result<(Vec<Value>, Vec<Value>), Stop> {
        // The values of all objectives, then of all that is wanted, where the best is so far.
        let mut seen: Vec<Term> = objectives.iter().map(|it| it.term).collect();
        seen.extend(wanted);
        let mut best = None;
        for (position, objective) in objectives.iter().enumerate() {
            match self.terms().sort(objective.term) {
                Sort::Int => self.least_int(position, *objective, &seen, &mut best)?,
                _ => self.least_real(objective.term, &seen, &mut best)?,
            }
            let value = best.as_ref().map(|best| best[position]);
            if let Some(value) = value {
                let value = self.terms().value(value);
                let reached = self.terms().eq(objective.term, value);
                self.assert(reached);
            }
        }
        let mut values = match best {
            Some(values) => values,
            None => self.satisfy(&[], &seen)?,
        };
        let wanted = values.split_off(objectives.len());
        Ok((values, wanted))
    }

    /// The values of `seen` where all is satisfied; a stop if that is not known to be possible.
    fn satisfy(&mut self, assumed: &[Term], seen: &[Term]) -> Result<Vec<Value>, Stop> {
        match self.check_assuming(assumed)? {
            Answer::Sat => Ok(self.values(seen)?),
            answer => Err(Stop::Answer(answer)),
        }
    }

    fn least_int(
        &mut self,
        position: usize,
        objective: Objective,
        seen: &[Term],
        best: &mut Option<Vec<Value>>,
    ) -> Result<(), Stop> {
        let value_in = |values: &[Value]| values[position].as_int().unwrap_or_default();
        // Nothing is less than `low`; `best` has it at `high`.
        let mut low = objective.at_least;
        if let Some(bound) = low {
            if best.as_ref().is_some_and(|values| value_in(values) <= bound) {
                return Ok(());
            }
            if let Some(values) = self.at_most(objective.term, bound, seen)? {
                *best = Some(values);
                return Ok(());
            }
            low = bound.checked_add(1);
        }
        let mut high = match best {
            Some(values) => value_in(values),
            None => value_in(best.insert(self.satisfy(&[], seen)?)),
        };
        let mut stride = 1_i128;
        for _ in 0..QUESTIONS_MAX {
            let target = match low {
                Some(low) if low >= high => return Ok(()),
                Some(low) => low + (high - low) / 2,
                None => match high.checked_sub(stride) {
                    Some(target) => target,
                    None => break,
                },
            };
            match self.at_most(objective.term, target, seen)? {
                Some(values) => {
                    high = value_in(&values);
                    *best = Some(values);
                    stride = stride.saturating_mul(2);
                }
                None => low = target.checked_add(1),
            }
        }
        Err(Stop::Answer(Answer::Unknown(Reason::NoLeast)))
    }

    /// The values of `seen` if an objective can be at most this; none if it can not.
    fn at_most(
        &mut self,
        objective: Term,
        bound: i128,
        seen: &[Term],
    ) -> Result<Option<Vec<Value>>, Stop> {
        let bound = self.terms().int(bound);
        let small = self.terms().le(objective, bound);
        match self.check_assuming(&[small])? {
            Answer::Sat => Ok(Some(self.values(seen)?)),
            Answer::Unsat => Ok(None),
            answer => Err(Stop::Answer(answer)),
        }
    }

    fn least_real(
        &mut self,
        objective: Term,
        seen: &[Term],
        best: &mut Option<Vec<Value>>,
    ) -> Result<(), Stop> {
        self.push();
        self.aim_at(objective);
        let found = self.satisfy(&[], seen);
        self.pop();
        let values = found?;
        // The solver's optimum may be one that is only approached, or no optimum.
        let at = seen.iter().position(|it| *it == objective).map(|position| values[position]);
        if let Some(value) = at {
            let value = self.terms().value(value);
            let better = self.terms().lt(objective, value);
            match self.check_assuming(&[better])? {
                Answer::Unsat => {}
                Answer::Sat => return Err(Stop::Answer(Answer::Unknown(Reason::NoLeast))),
                answer => return Err(Stop::Answer(answer)),
            }
        }
        *best = Some(values);
        Ok(())
    }
}

/// Why there is no optimum.
enum Stop {
    Answer(Answer),
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}
