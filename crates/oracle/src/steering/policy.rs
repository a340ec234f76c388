//! What steering costs, and how much of it is allowed.

use punctual_model::lustre::{Rational, Value};

use super::exact;

/// When and how much to steer.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Policy {
    /// Steer only where the outputs then are exactly those of the system.
    pub exact_only: bool,
    /// How many steps of a test may be steered; None allows all.
    pub steps_max: Option<u32>,
    /// In how many steps of a test each steerable variable may be changed, in order; None allows all. Empty if there is
    /// no such limit.
    pub steps_of: Vec<Option<u32>>,
    /// What all changes of a test may cost together; None allows any cost.
    pub cost_max: Option<Rational>,
    /// What it costs to change each steerable variable, in order.
    pub prices: Vec<Price>,
    /// What it costs to steer a step, whatever is changed in it.
    pub step: Rational,
    /// Whether each number may be changed in one direction only within a test: a timer that runs late
    /// does not run early a moment later. Tests that people accept may need both directions.
    pub steady: bool,
    /// What an explanation is worth that the look-ahead does not try first: changes ahead of time that are not held until they show, or
    /// that begin before it.
    pub unheld: Unheld,
    /// Whether a test is followed beyond the first step that can not be explained.
    pub goes_on: bool,
}

/// What an explanation by changes is worth that are not held until they show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unheld {
    /// As much as any other.
    #[default]
    Explains,
    /// Nobody said: noise acts so through what a model remembers, and many faults look like that. It is told, and the test is inconclusive.
    Open,
    /// Nothing: it is not searched.
    Nothing,
}

/// What it costs to change a variable in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// The cost of each unit of the change; truth and enumerations change by one unit.
    pub unit: Rational,
    /// The cost of changing the variable, whatever the amount.
    pub fixed: Rational,
    /// The additional cost of changing the variable by another amount than the last time in the test.
    pub renewal: Rational,
}

impl Default for Price {
    fn default() -> Price {
        Price { unit: exact::one(), fixed: exact::zero(), renewal: exact::zero() }
    }
}

impl Policy {
    /// The policy in which each unit costs one and nothing is forbidden.
    #[must_use]
    pub fn plain(n_steerable: usize) -> Policy {
        Policy { prices: vec![Price::default(); n_steerable], ..Policy::default() }
    }

    /// Whether the number of steps in which a variable is changed matters.
    pub(super) fn counts(&self, steerable: usize) -> bool {
        self.steps_of.get(steerable).is_some_and(Option::is_some)
    }

    /// Whether changes of a test are limited at all.
    pub(super) fn has_budget(&self) -> bool {
        self.steps_max.is_some()
            || self.cost_max.is_some()
            || self.steps_of.iter().any(Option::is_some)
    }

    /// What a change by one unit costs at least; None if changes cost nothing.
    pub(super) fn least_change(&self) -> Option<Rational> {
        let price = |it: &Price| exact::sum(exact::sum(it.unit, it.fixed), self.step);
        self.prices.iter().map(price).filter(|it| *it > exact::zero()).min()
    }

    /// Whether each variable may have been changed so often.
    pub(super) fn allows_each(&self, counts: &[u32]) -> bool {
        self.steps_of.iter().zip(counts).all(|(most, n)| most.is_none_or(|most| *n <= most))
    }

    /// Whether the cost of a change depends on the changes before it.
    pub(super) fn remembers(&self) -> bool {
        self.prices.iter().any(|it| it.renewal > exact::zero())
    }

    /// What it costs to change one variable, given by how much it was last changed.
    pub(super) fn price(
        &self,
        steerable: usize,
        from: Value,
        to: Value,
        last: Option<Rational>,
    ) -> Rational {
        if from == to {
            return exact::zero();
        }
        let price = &self.prices[steerable];
        let cost = exact::sum(price.fixed, exact::product(price.unit, units(from, to)));
        match last == Some(adjustment(from, to)) {
            true => cost,
            false => exact::sum(cost, price.renewal),
        }
    }

    /// Whether a test may have been steered this often and at this cost.
    pub(super) fn allows(&self, n_steered: u32, cost: Rational) -> bool {
        self.steps_max.is_none_or(|most| n_steered <= most)
            && self.cost_max.is_none_or(|most| cost <= most)
    }
}

/// How many units lie between two values of a variable.
pub(super) fn units(from: Value, to: Value) -> Rational {
    match from {
        Value::Int(_) | Value::Real(_) => exact::distance(from.as_rational(), to.as_rational()),
        _ if from == to => exact::zero(),
        _ => exact::one(),
    }
}

/// By how much a variable was changed, with the direction.
pub(super) fn adjustment(from: Value, to: Value) -> Rational {
    exact::difference(to.as_rational(), from.as_rational())
}

/// What an explanation is worth: first it must be near, then it must be cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// How far the outputs are from those of the system, over all steps.
    pub dissimilarity: Rational,
    /// What the changes of inputs cost, over all steps.
    pub change: Rational,
}

impl Cost {
    /// The cost of a step that matches without changes.
    #[must_use]
    pub fn none() -> Cost {
        Cost { dissimilarity: exact::zero(), change: exact::zero() }
    }

    /// The cost of both together.
    #[must_use]
    pub fn plus(self, other: Cost) -> Cost {
        Cost {
            dissimilarity: exact::sum(self.dissimilarity, other.dissimilarity),
            change: exact::sum(self.change, other.change),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(it: i128) -> Rational {
        Rational::from_integer(it)
    }

    #[test]
    fn a_change_costs_its_units_and_a_fee() {
        let price = Price { unit: whole(2), fixed: whole(10), renewal: whole(100) };
        let policy = Policy { prices: vec![price], ..Policy::default() };
        let cost = |to, last| policy.price(0, Value::Int(5), Value::Int(to), last);
        assert_eq!(cost(5, None), whole(0));
        assert_eq!(cost(8, None), whole(116));
        assert_eq!(cost(8, Some(whole(3))), whole(16), "the same adjustment as before");
        assert_eq!(cost(2, Some(whole(3))), whole(116), "the other direction is another one");
        assert!(policy.remembers());
        assert!(!Policy::plain(3).remembers());
    }

    #[test]
    fn truth_changes_by_one_unit() {
        let policy = Policy::plain(1);
        assert_eq!(policy.price(0, Value::Bool(true), Value::Bool(false), None), whole(1));
        assert_eq!(policy.price(0, Value::Enum(0), Value::Enum(7), None), whole(1));
    }

    #[test]
    fn budgets_are_upper_bounds() {
        let policy = Policy { steps_max: Some(2), cost_max: Some(whole(5)), ..Policy::default() };
        assert!(policy.allows(2, whole(5)));
        assert!(!policy.allows(3, whole(5)));
        assert!(!policy.allows(2, whole(6)));
        let policy = Policy { steps_of: vec![None, Some(1)], ..policy };
        assert!(policy.allows_each(&[9, 1]) && !policy.allows_each(&[0, 2]));
        assert!(policy.counts(1) && !policy.counts(0) && !Policy::plain(2).counts(1));
    }

    #[test]
    fn near_comes_before_cheap() {
        let cost = |dissimilarity, change| Cost {
            dissimilarity: whole(dissimilarity),
            change: whole(change),
        };
        assert!(cost(0, 9) < cost(1, 0));
        assert!(cost(1, 2) < cost(1, 3));
    }
}
