//! What a solver says of a test that has more states than can be followed.

use punctual_model::lustre::Value;

use super::{Follower, Live, Node, Steerer};
use crate::steering::doubt::{Doubt, Obstacle};
use crate::steering::metric::is_match;
use crate::steering::oracle::LookAhead;
use crate::steering::outcome::Diagnosis;
use crate::steering::policy::Unheld;
use crate::steering::search::{Refuted, Silent, Whole};

impl Steerer<'_> {
    /// Asks a solver about all steps of a test of which limits kept something from being searched. Gives the test as it is
    /// explained, or as nothing explains it; None if that is not known.
    pub(super) fn ask_of_all(&mut self, follower: &mut Follower) -> Option<Follower> {
        let policy = &self.oracle.setup.policy;
        let is_narrow =
            policy.unheld == Unheld::Nothing || follower.look_ahead == LookAhead::Steps(0);
        if is_narrow || follower.doubt.has_obstacle() {
            return None;
        }
        let step = follower.stuck.as_ref()?.step;
        let outside = follower.outside;
        match self.searcher.whole(&follower.history, step) {
            Whole::Explained(changes) => {
                let mut explained = self.replayed(follower, &changes)?;
                explained.unheld = follower.unheld.or(Some(step));
                // There may be cheaper ones.
                explained.doubt.add(&follower.doubt);
                Some(explained)
            }
            Whole::Refuted(Refuted { step, why, changes, silent, .. }) => {
                let mut refuted = match changes {
                    Some(changes) if !self.oracle.setup.policy.goes_on => {
                        self.replayed(follower, &changes)?
                    }
                    _ => self.emptied(follower),
                };
                let end = silent.as_ref().map_or(step, |it| it.step.max(step));
                refuted.stuck = Some(Diagnosis { step: end, why });
                refuted.outside = outside;
                refuted.doubt = Doubt::default();
                // Whatever the model says nothing of is no fault, nor is what comes behind it.
                match silent {
                    Some(Silent { step, failure: Some(failure) }) => {
                        refuted.doubt = Doubt::obstacle(step, Obstacle::Model(failure));
                    }
                    Some(Silent { step, failure: None }) => {
                        refuted.outside = Some(outside.map_or(step, |it| it.min(step)));
                    }
                    None => {}
                }
                Some(refuted)
            }
            Whole::Open => None,
        }
    }

    /// The same follower; nothing is left of the other one.
    fn emptied(&self, follower: &mut Follower) -> Follower {
        std::mem::replace(follower, self.follow())
    }

    /// The test with these changes of its first steps, if they are allowed and match. What comes behind them is taken as it is,
    /// for one step.
    fn replayed(&mut self, of: &Follower, changes: &[Vec<(usize, Value)>]) -> Option<Follower> {
        let mut follower = self.follow();
        follower.history.clone_from(&of.history);
        follower.n_live_max = of.n_live_max;
        let mut live = follower.start.clone();
        for (step, observation) in follower.history.iter().enumerate().take(changes.len() + 1) {
            self.searcher.begin(&observation.inputs, &observation.system);
            let unsteered = self.searcher.unsteered(&live.state);
            let own = |at: usize| observation.inputs[self.oracle.steered_inputs[at]];
            let of_step = changes.get(step).into_iter().flatten();
            let changed: Vec<(usize, Value)> =
                of_step.filter(|(at, to)| *to != own(*at)).copied().collect();
            let leaf = match changed.is_empty() {
                true => unsteered.ok()?,
                false => self.searcher.steered(&live.state, &changed, &[])?,
            };
            if step < changes.len() && !is_match(leaf.cost.dissimilarity) {
                return None;
            }
            follower.nodes.push(Node { parent: Some(live.node), changes: changed });
            live = Live {
                node: follower.nodes.len() - 1,
                n_steered: live.n_steered + u32::from(!leaf.changes.is_empty()),
                cost: live.cost.plus(leaf.cost),
                state: leaf.after,
                ..live
            };
        }
        follower.n_taken = follower.history.len();
        follower.live = vec![live];
        Some(follower)
    }
}
