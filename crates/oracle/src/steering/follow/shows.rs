//! Which variables could show in a test: a change of which might have been seen.
//!
//! A test in which no bolus is given says nothing about whether boluses are late. So the tests in which a variable
//! was changed are counted among those in which a change of it could show. What is counted must not depend on what the
//! system did, and no disturbance may be left out that a right system could have: then tests without a change would be
//! missing where tests with one are counted, and a right system would be blamed. So a variable shows unless it is
//! *inert* in all steps of the model as it is: whatever the tolerances allow it to be, the step takes the same way, and neither
//! what is compared nor what is remembered depends on it. Then no change of it alone, in however many steps, is ever seen.

use punctual_model::VarId;

use super::{Observation, Steerer};

impl Steerer<'_> {
    /// The steerable variables that could show in a test.
    pub(super) fn shows(&mut self, test: &[Observation]) -> Vec<VarId> {
        let steerable = &self.oracle.setup.steerable;
        let mut shows = vec![false; steerable.len()];
        let mut state = self.oracle.machine.start();
        for Observation { inputs, system } in test {
            self.searcher.begin(inputs, system);
            let Ok(unsteered) = self.searcher.unsteered(&state) else { break };
            for (at, shows) in shows.iter_mut().enumerate() {
                *shows = *shows || !self.searcher.is_inert(&state, at);
            }
            state = unsteered.after;
        }
        let shown = steerable.iter().zip(shows).filter(|(_, shows)| *shows);
        shown.map(|(var, _)| *var).collect()
    }
}
