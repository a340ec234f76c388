//! What a solver says of a test that has more states than can be followed.

use punctual_model::lustre::Value;

use super::{Follower, Live, Node, Observation, Steerer};
use crate::steering::doubt::{Doubt, Obstacle};
use crate::steering::metric::is_match;
use crate::steering::oracle::LookAhead;
use crate::steering::outcome::Diagnosis;
use crate::steering::policy::Unheld;
use crate::steering::search::{Held, Refuted, Silent, Whole};

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
                if !self.is_held(&follower.history, &changes) {
                    let is_open = self.oracle.setup.policy.unheld == Unheld::Open;
                    // An explanation that is held may be among those that were not searched.
                    if is_open && follower.unheld.is_none() {
                        return None;
                    }
                    explained.unheld = follower.unheld;
                }
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

    /// Whether these changes, which explain a test, are some that the look-ahead tries first.
    fn is_held(&mut self, test: &[Observation], changes: &[Vec<(usize, Value)>]) -> bool {
        let LookAhead::Steps(lag) = self.oracle.setup.look_ahead else { return true };
        let mut state = self.oracle.machine.start();
        let mut held: Held = None;
        for (step, (now, changes)) in test.iter().zip(changes).enumerate() {
            self.searcher.begin(&now.inputs, &now.system);
            let unsteered = self.searcher.unsteered(&state);
            let own = |at: usize| now.inputs[self.oracle.steered_inputs[at]];
            let is_new = |(at, to): &&(usize, Value)| *to != own(*at);
            let changed: Vec<(usize, Value)> = changes.iter().filter(is_new).copied().collect();
            let leaf = match changed.is_empty() {
                true => unsteered.as_ref().ok().cloned(),
                false => self.searcher.steered(&state, &changed, &[]),
            };
            let Some(leaf) = leaf.filter(|leaf| self.holds(&now.inputs, held, leaf)) else {
                return false;
            };
            let as_it_is = unsteered.ok().filter(|it| is_match(it.cost.dissimilarity));
            if let Some(as_it_is) = as_it_is {
                let rest = &test[step + 1..];
                let ahead = &rest[..lag.min(rest.len())];
                let begins = held.is_none() && !changed.is_empty();
                let leaves =
                    !begins || self.leaves_system(&as_it_is.after, ahead).unwrap_or_default();
                if changed.len() > 1 || !leaves {
                    return false;
                }
                held = self.held(&now.inputs, &leaf);
            } else {
                held = None;
            }
            state = leaf.after;
        }
        held.is_none()
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
