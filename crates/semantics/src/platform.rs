//! When things happen on a platform: the instants at which the inputs of interactions should arrive.
//!
//! After section III-D of the Platform paper (You et al. 2016): all inputs of an interaction should arrive in the middle between two steps, so
//! that each has half a step to be early or late. Whoever schedules and whoever judges has a [`Timetable`] of its own and tells it of the
//! same steps, so that both know the same instants. Where the platform does not tell of its steps they are estimated (`steps.rs`), by both in the same way.
//!
//! Not here: what is sent, and what is seen.

mod drift;
mod regression;
mod steps;

use punctual_model::testing::platform::{Outside, Platform};
use punctual_model::{Event, Happening};

pub use drift::Drift;
pub use regression::Estimate;
pub use steps::Steps;

/// Plans one interaction for each step of the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Timetable {
    /// How long a step takes if nothing was measured, in nanoseconds.
    nominal: f64,
    /// The largest mean delay of an input, in nanoseconds.
    longest: f64,
    /// When the first step was done, and when the last.
    ends: Option<(u64, u64)>,
    n_steps: usize,
    /// How many steps ahead interactions are planned, once that is decided.
    ahead: Option<f64>,
    /// For each interaction that is planned, when its inputs should arrive, and how many steps were done then.
    planned: Vec<Planned>,
    /// Estimates steps that nobody tells of; none if the platform does.
    steps: Option<Steps>,
}

/// An interaction that is planned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Planned {
    /// When its inputs should arrive, in nanoseconds: in the middle between two steps.
    pub at_ns: f64,
    /// The number of the step that should read them, from 0.
    pub step: usize,
}

impl Timetable {
    /// Nothing is planned yet. Both are in nanoseconds.
    #[must_use]
    pub fn new(nominal: f64, longest: f64) -> Timetable {
        let planned = Vec::new();
        Timetable { nominal, longest, ends: None, n_steps: 0, ahead: None, planned, steps: None }
    }

    /// That of a platform, whose first interaction is planned so much earlier than by the paper's rule, in nanoseconds.
    #[must_use]
    pub fn of(platform: &Platform, lead: f64) -> Timetable {
        let longest = platform.longest() + lead;
        let steps = match platform.signal {
            Some(_) => None,
            None => Steps::new(platform, longest),
        };
        Timetable { steps, ..Timetable::new(platform.step_ns as f64, longest) }
    }

    /// Minds what happened, if it tells of a step. Whether the platform has told that one is done.
    pub fn heard(&mut self, event: &Event, outside: &Outside) -> bool {
        let Happening::Signal(action) = &event.what else { return false };
        if Some(action.signal) == outside.stepped {
            self.stepped(event.from_ns);
            return true;
        }
        if self.steps.is_some() {
            let lines = outside.outputs.iter().enumerate();
            for (line, _) in lines.filter(|(_, signal)| **signal == action.signal) {
                self.saw(line, event.from_ns);
            }
            self.mind(event.from_ns);
        }
        false
    }

    /// A value of a line of the outputs was seen; [`mind`](Timetable::mind) follows.
    pub fn saw(&mut self, line: usize, at_ns: u64) {
        if let Some(steps) = &mut self.steps {
            steps.saw(line, at_ns as f64);
        }
    }

    /// Minds what was seen up to now, if steps are estimated.
    pub fn mind(&mut self, now_ns: u64) {
        if let Some(steps) = &mut self.steps {
            steps.mind(now_ns as f64);
        }
    }

    /// What estimates steps, if the platform does not tell of them.
    #[must_use]
    pub fn steps(&self) -> Option<&Steps> {
        self.steps.as_ref()
    }

    /// All is seen that will be: steps that are estimated are known as exactly as possible.
    pub fn settle(&mut self) {
        if let Some(steps) = &mut self.steps {
            steps.settle();
        }
    }

    fn estimate(&self) -> Option<&Estimate> {
        self.steps.as_ref().and_then(Steps::estimate)
    }

    /// When a step is done, as far as can be told, in nanoseconds; they are counted from 0. None if nothing is planned.
    #[must_use]
    pub fn end(&self, step: usize) -> Option<f64> {
        if let Some(estimate) = self.estimate() {
            return Some(estimate.end(step as f64));
        }
        let (_, last) = self.ends?;
        let ahead = (step + 1) as f64 - self.n_steps as f64;
        Some(last as f64 + ahead * self.step())
    }

    /// When the platform last showed that it takes steps, in nanoseconds; 0 if it did not.
    #[must_use]
    pub fn last(&self) -> f64 {
        match &self.steps {
            Some(steps) => steps.last(),
            None => self.ends.map_or(0.0, |(_, last)| last as f64),
        }
    }

    /// A step of the program was done; one more interaction is planned.
    pub fn stepped(&mut self, at_ns: u64) {
        let (first, _) = *self.ends.get_or_insert((at_ns, at_ns));
        self.ends = Some((first, at_ns));
        self.n_steps += 1;
        let step = self.step();
        // So many steps lie between the present one and the one that reads the inputs. It is decided once: a mean that changes a little must
        // not plan two interactions for one step, or none.
        let ahead = ((self.longest + step / 2.0) / step).ceil();
        let ahead = *self.ahead.get_or_insert(ahead);
        let at_ns = at_ns as f64 - step / 2.0 + ahead * step;
        self.planned.push(Planned { at_ns, step: self.n_steps - 1 + ahead as usize });
    }

    /// How long a step takes: the mean of those that were seen.
    #[must_use]
    pub fn step(&self) -> f64 {
        if let Some(estimate) = self.estimate() {
            return estimate.period;
        }
        match self.ends {
            Some((first, last)) if self.n_steps > 1 && last > first => {
                (last - first) as f64 / (self.n_steps - 1) as f64
            }
            _ => self.nominal,
        }
    }

    /// An interaction, if it is planned already. If steps are estimated, all of them are as soon as one is.
    #[must_use]
    pub fn planned(&self, interaction: usize) -> Option<Planned> {
        let Some(steps) = &self.steps else { return self.planned.get(interaction).copied() };
        let (estimate, step) = (steps.estimate()?, steps.first()? + interaction);
        Some(Planned { at_ns: estimate.end(step as f64 - 0.5), step })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_arrive_in_the_middle_between_two_steps() {
        // The longest delay fits into half a step.
        let mut table = Timetable::new(500.0, 250.0);
        table.stepped(1_000);
        assert_eq!(table.planned(0), Some(Planned { at_ns: 1_250.0, step: 1 }));
        // A little more, and the next step is too early.
        let mut table = Timetable::new(500.0, 251.0);
        table.stepped(1_000);
        assert_eq!(table.planned(0), Some(Planned { at_ns: 1_750.0, step: 2 }));
        table.stepped(1_500);
        assert_eq!(table.planned(1), Some(Planned { at_ns: 2_250.0, step: 3 }));
        assert_eq!(table.planned(2), None);
    }

    /// Where the longest delay is just half a step, a step that is a little shorter would leave one out.
    #[test]
    fn each_step_has_one_interaction() {
        let mut table = Timetable::new(500.0, 249.9);
        [1_000, 1_499, 2_000, 2_498].into_iter().for_each(|at| table.stepped(at));
        let steps: Vec<usize> = (0..4).filter_map(|it| Some(table.planned(it)?.step)).collect();
        assert_eq!(steps, [1, 2, 3, 4]);
    }

    #[test]
    fn a_step_takes_as_long_as_those_that_were_seen() {
        let mut table = Timetable::new(500.0, 0.0);
        [0, 520, 1_040, 1_560].into_iter().for_each(|at| table.stepped(at));
        assert_eq!(table.step(), 520.0);
        assert_eq!(table.planned(3), Some(Planned { at_ns: 1_820.0, step: 4 }));
    }
}
