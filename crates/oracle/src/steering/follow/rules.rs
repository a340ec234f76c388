//! Which rule of the policy is in the way of an explanation, of a test that nothing allowed explains.

use std::cmp::Ordering;

use punctual_model::lustre::Rational;

use super::{FIRST_CHANGES, Follower, Steerer, WIDER};
use crate::steering::exact;
use crate::steering::outcome::Why;

impl Steerer<'_> {
    /// Says of a test that fails whether only a rule of the policy is in the way: changes of more steps, or a little more than the cost of
    /// the budget, or changes in both directions would explain the step that is not explained. What was rejected may have been a way that
    /// begins long before.
    pub(super) fn name_rules(&mut self, follower: &mut Follower) {
        let is_cut = follower.doubt.is_cost_bounded() || follower.is_over;
        let is_known = follower.doubt.has_limits() || follower.doubt.has_obstacle();
        let Some(stuck) = follower.stuck.clone() else { return };
        if stuck.why != Why::Unexplained || is_known {
            return;
        }
        let policy = &self.oracle.setup.policy;
        let (is_steady, has_budget) = (policy.steady, policy.has_budget());
        let rules = [
            (is_cut, (true, false), Why::OverBudget),
            (is_steady, (false, true), Why::Unsteady),
            (is_steady && has_budget, (true, true), Why::OverBudgetUnsteady),
        ];
        let mut is_open = false;
        for (_, (budget, steady), why) in rules.into_iter().filter(|(may, ..)| *may) {
            let beyond = self.without(follower, budget, steady);
            if beyond.stuck.is_none_or(|it| it.step > stuck.step) {
                return follower.name(why);
            }
            is_open |= beyond.doubt.has_limits() || beyond.doubt.has_obstacle();
        }
        if is_open {
            let why = self.searcher.forbidden(&follower.history[..=stuck.step]);
            follower.name(why);
        }
    }

    /// The same test with a little more than the budget, or with changes in both directions.
    fn without(&mut self, follower: &Follower, budget: bool, steady: bool) -> Follower {
        let mut beyond = Follower { is_lifted: budget, ..self.follow() };
        if let Some(most) = follower.budget.filter(|_| budget) {
            let least = self.oracle.setup.policy.least_change();
            let few =
                exact::product(least.unwrap_or_default(), Rational::from_integer(FIRST_CHANGES));
            let wider = exact::product(most, Rational::from_integer(WIDER));
            beyond.budget = Some(wider.max(few));
            beyond.bound = beyond.budget;
        }
        if steady {
            beyond.start.directions = Vec::<Ordering>::new();
            beyond.live = vec![beyond.start.clone()];
        }
        beyond.history.clone_from(&follower.history);
        self.catch_up(&mut beyond, 0);
        beyond
    }
}

impl Follower {
    /// Says why the first step that has no explanation has none.
    fn name(&mut self, why: Why) {
        if let Some(stuck) = &mut self.stuck {
            stuck.why = why;
        }
    }
}
