//! The account of doubt: why a search may have missed an explanation.
//!
//! The search of a step returns what it found together with its [`Doubt`]; what follows a test adds
//! them up. [`Doubt::verdict`] is the only place where they become a verdict:
//!
//! - a *pass* was run: an explanation is one however it was found, so doubt does not matter;
//! - a *fail* was searched to its end: no limit was reached, and nothing was without an answer;
//! - what limits, a solver or the model kept from being searched is *inconclusive*.

use punctual_semantics::lustre::Failure;

use super::outcome::{Diagnosis, Why};
use crate::Judgement;

/// A limit of [`Limits`](super::Limits) that a search reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// More states explain the steps so far, or more changes explain a step, than are followed.
    Candidates,
    /// More steps would have to be tried from one state.
    Enumerated,
    /// More steps would have to be tried to follow all states over one step of a test.
    Steps,
    /// The solver may know more changes of a step than were taken from it.
    Alternatives,
}

impl Limit {
    /// All limits, each with its name in configurations.
    pub const ALL: [(&'static str, Limit); 4] = [
        ("candidates", Limit::Candidates),
        ("enumerate", Limit::Enumerated),
        ("steps", Limit::Steps),
        ("alternatives", Limit::Alternatives),
    ];

    /// The name of the limit in configurations.
    #[must_use]
    pub fn name(self) -> &'static str {
        Limit::ALL[self as usize].0
    }
}

/// Why it is not known which steps can be taken from a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// The model has no step with the inputs of the test.
    Model(Failure),
    /// The solver did not decide, or there is none; in its words.
    Solver(String),
    /// The solver, or the analysis of tolerances, says something else than the model that was run.
    Contradiction,
}

/// What a search left out; the default is the doubt of a search that is complete.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doubt {
    is_cost_bounded: bool,
    /// Whether each limit was reached, in the order of [`Limit::ALL`].
    limits: [bool; 4],
    /// The first step whose search has no answer, and why it has none.
    obstacle: Option<(usize, Obstacle)>,
}

impl Doubt {
    /// Explanations that cost more than the bound of the current round were left out. A later round
    /// searches them, unless they are beyond the budget of the policy: so this alone never makes a
    /// verdict doubtful.
    pub(super) fn cost_bound() -> Doubt {
        Doubt { is_cost_bounded: true, ..Doubt::default() }
    }

    /// A limit was reached.
    pub(super) fn limit(limit: Limit) -> Doubt {
        let mut doubt = Doubt::default();
        doubt.limits[limit as usize] = true;
        doubt
    }

    /// The search of a step has no answer.
    pub(super) fn obstacle(step: usize, obstacle: Obstacle) -> Doubt {
        Doubt { obstacle: Some((step, obstacle)), ..Doubt::default() }
    }

    /// Adds the doubt of another search. Of obstacles the first one is kept.
    pub fn add(&mut self, other: &Doubt) {
        self.is_cost_bounded |= other.is_cost_bounded;
        for (mine, others) in self.limits.iter_mut().zip(other.limits) {
            *mine |= others;
        }
        if self.obstacle.is_none() {
            self.obstacle.clone_from(&other.obstacle);
        }
    }

    /// The limits that were reached: explanations, or cheaper ones, may exist beyond them.
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        let reached = Limit::ALL.iter().zip(self.limits).filter(|(_, is_reached)| *is_reached);
        reached.map(|((_, limit), _)| *limit)
    }

    /// Whether a limit was reached.
    #[must_use]
    pub fn has_limits(&self) -> bool {
        self.limits().next().is_some()
    }

    /// Whether the search of a step has no answer.
    pub(super) fn has_obstacle(&self) -> bool {
        self.obstacle.is_some()
    }

    /// The part of it that no search can do anything about: the model has no step.
    pub(super) fn of_model(&self) -> Doubt {
        let is_model = |(_, it): &&(usize, Obstacle)| matches!(it, Obstacle::Model(_));
        Doubt { obstacle: self.obstacle.as_ref().filter(is_model).cloned(), ..Doubt::default() }
    }

    /// Whether explanations were left out because of the cost bound of the current round.
    pub(super) fn is_cost_bounded(&self) -> bool {
        self.is_cost_bounded
    }

    /// Whether nothing was left out.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        *self == Doubt::default()
    }

    /// The verdict of a search that left out this. `stuck` is the first step without an explanation;
    /// None if all steps have one.
    pub(super) fn verdict(&self, stuck: Option<Diagnosis>) -> Judgement<Diagnosis> {
        let Some(stuck) = stuck else { return Judgement::Pass };
        if let Some((step, obstacle)) = &self.obstacle {
            let why = Why::Obstacle(obstacle.clone());
            return Judgement::Inconclusive(Diagnosis { step: *step, why });
        }
        if self.has_limits() {
            let why = Why::Limits(self.limits().collect());
            return Judgement::Inconclusive(Diagnosis { why, ..stuck });
        }
        Judgement::Fail(stuck)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stuck() -> Diagnosis {
        Diagnosis { step: 3, why: Why::Unexplained }
    }

    fn solver(text: &str) -> Obstacle {
        Obstacle::Solver(text.to_owned())
    }

    #[test]
    fn what_was_searched_to_its_end_decides() {
        assert_eq!(Doubt::default().verdict(None), Judgement::Pass);
        assert_eq!(Doubt::default().verdict(Some(stuck())), Judgement::Fail(stuck()));
        assert_eq!(Doubt::cost_bound().verdict(Some(stuck())), Judgement::Fail(stuck()));
    }

    #[test]
    fn an_explanation_is_one_whatever_was_left_out() {
        for doubt in [Doubt::limit(Limit::Steps), Doubt::obstacle(0, Obstacle::Contradiction)] {
            assert_eq!(doubt.verdict(None), Judgement::Pass);
        }
    }

    #[test]
    fn what_was_left_out_is_inconclusive_and_says_why() {
        let mut doubt = Doubt::limit(Limit::Alternatives);
        doubt.add(&Doubt::limit(Limit::Candidates));
        let why = Why::Limits(vec![Limit::Candidates, Limit::Alternatives]);
        let expected = Diagnosis { step: 3, why };
        assert_eq!(doubt.verdict(Some(stuck())), Judgement::Inconclusive(expected));
        doubt.add(&Doubt::obstacle(1, solver("timeout")));
        doubt.add(&Doubt::obstacle(2, solver("gone")));
        let expected = Diagnosis { step: 1, why: Why::Obstacle(solver("timeout")) };
        assert_eq!(doubt.verdict(Some(stuck())), Judgement::Inconclusive(expected));
    }

    #[test]
    fn limits_have_the_names_of_configurations() {
        for (name, limit) in Limit::ALL {
            assert_eq!(limit.name(), name);
            assert_eq!(Doubt::limit(limit).limits().collect::<Vec<_>>(), [limit]);
        }
        assert!(Doubt::default().is_complete() && !Doubt::cost_bound().is_complete());
    }
}
