//! Steps of which the model says nothing, behind an explanation of all that is before them.
//!
//! Where a test has such a step, the system may do anything from there on: that nothing explains what comes behind is no fault.

use punctual_model::lustre::Value;
use punctual_semantics::lustre::Failure;
use punctual_solver::{Sort, Value as Said};

use super::Searcher;
use super::solve::Asker;
use super::whole::{Changes, Rules};
use crate::steering::doubt::Obstacle;
use crate::steering::follow::Observation;
use crate::steering::metric::is_match;

/// A step that the model can not take with the inputs of the test, or in which it breaks an assertion.
pub(in crate::steering) struct Silent {
    pub(in crate::steering) step: usize,
    /// Why the model has no step; None if it breaks an assertion.
    pub(in crate::steering) failure: Option<Failure>,
}

impl Searcher<'_> {
    /// Asks for an explanation of some steps behind which is one of which the model says nothing with the inputs of the test.
    /// `Some(None)` if there is none, None if that is not known.
    pub(super) fn ask_silent(
        &mut self,
        asker: &mut Asker<'_>,
        test: &[Observation],
    ) -> Result<Option<Option<Silent>>, Obstacle> {
        let mut run = self.start_run(asker);
        let mut is_explained = asker.session.terms().bool(true);
        let mut ends = Vec::new();
        for observation in test {
            let before = run.state.clone();
            let coded = self.coded(asker, &mut run, observation)?;
            let Asker { session, encoder } = &mut *asker;
            let terms = session.terms();
            let step = encoder.step(terms, &before, &coded.given);
            let kept = terms.all(step.assertions);
            let said = terms.and(step.defined, kept);
            let is_silent = terms.not(said);
            let mut rules = Vec::new();
            if terms.constant(is_silent) != Some(Said::Bool(false)) {
                let end = terms.symbol("end", Sort::Bool);
                let both = terms.and(is_explained, is_silent);
                rules.push(terms.implies(end, both));
                ends.push(end);
            }
            let next = terms.symbol("explained", Sort::Bool);
            let claims = terms.all(coded.claims);
            let both = terms.and(is_explained, claims);
            rules.push(terms.implies(next, both));
            is_explained = next;
            rules.into_iter().for_each(|rule| session.assert(rule));
            self.define(asker, &run);
        }
        if ends.is_empty() {
            return Ok(Some(None));
        }
        let session = &mut asker.session;
        let is_one = session.terms().any(ends);
        session.assert(is_one);
        // What comes behind the end can be left as it is, which costs nothing.
        match self.check(asker, &run, Rules::All)? {
            None => Ok(None),
            Some(None) => Ok(Some(None)),
            Some(Some((changes, _))) => self.first_silent(test, &changes).map(|it| Some(Some(it))),
        }
    }

    /// The first step of a test, with these changes, of which the model says nothing as it is. What is before it must be explained.
    fn first_silent(
        &mut self,
        test: &[Observation],
        changes: &Changes,
    ) -> Result<Silent, Obstacle> {
        let mut state = self.oracle.machine.start();
        for (step, (observation, changes)) in test.iter().zip(changes).enumerate() {
            self.begin(&observation.inputs, &observation.system);
            let leaf = match self.unsteered(&state) {
                Err(Obstacle::Model(failure)) => {
                    return Ok(Silent { step, failure: Some(failure) });
                }
                Ok(leaf) if leaf.is_unassumed => return Ok(Silent { step, failure: None }),
                other => other?,
            };
            let own = |at: usize| observation.inputs[self.oracle.steered_inputs[at]];
            let is_new = |(at, to): &&(usize, Value)| *to != own(*at);
            let changed: Vec<(usize, Value)> = changes.iter().filter(is_new).copied().collect();
            let leaf = match changed.is_empty() {
                true => leaf,
                false => self.steered(&state, &changed, &[]).ok_or(Obstacle::Contradiction)?,
            };
            if !is_match(leaf.cost.dissimilarity) {
                break;
            }
            state = leaf.after;
        }
        Err(Obstacle::Contradiction)
    }
}
