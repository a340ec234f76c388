//! Costs, distances and matches as terms.

use num_integer::Integer;
use num_traits::One;
use punctual_model::VarId;
use punctual_model::lustre::{Rational, Type, Value};
use punctual_semantics::lustre::encode::{self, Step};
use punctual_solver::{Sort, Term, Terms};

use super::Searcher;
use crate::steering::exact;
use crate::steering::metric::Kind;
use crate::steering::policy;

impl Searcher<'_> {
    /// Whether the outputs of a step are those of the system; None if a variable has no term.
    pub(super) fn matched(&self, terms: &mut Terms, step: &Step) -> Option<Term> {
        let oracle = self.oracle;
        let mut equal = Vec::new();
        let scales = &oracle.setup.metric.scales;
        for ((var, target), scale) in oracle.setup.compared.iter().zip(&self.target).zip(scales) {
            let system = encode::constant(terms, *target);
            let model = step.var(*var)?;
            let within = match target {
                Value::Int(_) => Some(terms.int(scale.within.to_integer())),
                Value::Real(_) => Some(terms.real(scale.within)),
                _ => None,
            };
            equal.push(match within.filter(|_| scale.within > zero()) {
                None => terms.eq(model, system),
                Some(within) => {
                    let by = terms.sub(model, system);
                    let by = terms.abs(by);
                    terms.le(by, within)
                }
            });
        }
        Some(terms.all(equal))
    }

    /// Whether unknown inputs are in the ranges of their types. What is given is as it is: the search takes it, too.
    pub(super) fn in_ranges(&self, terms: &mut Terms, unknown: &[(usize, Term)]) -> Term {
        let program = &self.oracle.opened.program;
        let inside = |(at, term): &(usize, Term)| {
            let var = &program.vars[self.oracle.opened.steered[*at]];
            encode::in_range(terms, program, var, *term)
        };
        let inside: Vec<Term> = unknown.iter().map(inside).collect();
        terms.all(inside)
    }

    /// What costs are multiplied with to be whole numbers, if the inputs are, and their sort.
    pub(super) fn cost_scale(&self, is_real: bool) -> (Rational, Sort) {
        let policy = &self.oracle.setup.policy;
        let prices = policy.prices.iter().flat_map(|it| [it.unit, it.fixed, it.renewal]);
        scale(prices.chain([policy.step]), is_real)
    }

    /// What changes of unknown inputs cost, multiplied with a scale, and how many units they are.
    pub(super) fn costs(
        &self,
        terms: &mut Terms,
        unknown: &[(usize, Term)],
        last: &[Option<Rational>],
        (scale, sort): (Rational, Sort),
    ) -> (Term, Term) {
        let policy = &self.oracle.setup.policy;
        let (mut cost, mut units) = (number(terms, sort, zero()), number(terms, sort, zero()));
        let mut is_plain = true;
        for (at, term) in unknown {
            let from = self.inputs[self.oracle.steered_inputs[*at]];
            let original = encode::constant(terms, from);
            let changed = terms.ne(*term, original);
            let none = number(terms, sort, zero());
            let by = match from {
                Value::Int(_) | Value::Real(_) => {
                    let by = terms.sub(*term, original);
                    let by = terms.abs(by);
                    if sort == Sort::Real && terms.sort(by) == Sort::Int {
                        terms.to_real(by)
                    } else {
                        by
                    }
                }
                _ => {
                    let one = number(terms, sort, Rational::one());
                    terms.ite(changed, one, none)
                }
            };
            units = terms.add(units, by);
            let price = policy.prices[*at];
            is_plain &=
                price.unit == Rational::one() && price.fixed == zero() && price.renewal == zero();
            let unit = number(terms, sort, exact::product(price.unit, scale));
            let variable = terms.mul(unit, by);
            cost = terms.add(cost, variable);
            let fixed = number(terms, sort, exact::product(price.fixed, scale));
            let mut fee = fixed;
            if price.renewal != zero() {
                let both = exact::sum(price.fixed, price.renewal);
                let renewed = number(terms, sort, exact::product(both, scale));
                fee = renewed;
                let last = last.get(*at).copied().flatten();
                let same = last.and_then(|by| shifted(from, by));
                if let Some(same) = same {
                    let same = encode::constant(terms, same);
                    let is_same = terms.eq(*term, same);
                    fee = terms.ite(is_same, fixed, renewed);
                }
            }
            let fee = terms.ite(changed, fee, none);
            cost = terms.add(cost, fee);
        }
        (if is_plain && scale == Rational::one() { units } else { cost }, units)
    }

    /// A factor that makes distances whole, and the sort of the products.
    pub(super) fn distance_scale(&self) -> (Rational, Sort) {
        let is_real = |var: &VarId| self.oracle.program().vars[*var].ty == Type::Real;
        let scales = self.oracle.setup.metric.scales.iter();
        let factors =
            scales.flat_map(|it| [it.weight, it.factor(), exact::quotient(it.factor(), it.width)]);
        scale(factors, self.oracle.setup.compared.iter().any(is_real))
    }

    /// How far the outputs are from the system's, multiplied to be whole if the outputs are.
    pub(super) fn distance(&self, terms: &mut Terms, step: &Step) -> Option<Term> {
        let metric = &self.oracle.setup.metric;
        let compared = &self.oracle.setup.compared;
        let (all, sort) = self.distance_scale();
        let mut total = number(terms, sort, zero());
        for ((var, target), scale) in compared.iter().zip(&self.target).zip(&metric.scales) {
            let model = step.var(*var)?;
            let system = encode::constant(terms, *target);
            let part = match target {
                Value::Int(_) | Value::Real(_) => {
                    let by = terms.sub(model, system);
                    let mut by = terms.abs(by);
                    if sort == Sort::Real && terms.sort(by) == Sort::Int {
                        by = terms.to_real(by);
                    }
                    let (by, factor) = match metric.kind {
                        Kind::Manhattan => (by, scale.factor()),
                        Kind::SquaredEuclidean => {
                            (terms.mul(by, by), exact::quotient(scale.factor(), scale.width))
                        }
                    };
                    let factor = number(terms, sort, exact::product(factor, all));
                    terms.mul(factor, by)
                }
                _ => {
                    let differs = terms.ne(model, system);
                    let weight = number(terms, sort, exact::product(scale.weight, all));
                    let none = number(terms, sort, zero());
                    terms.ite(differs, weight, none)
                }
            };
            total = terms.add(total, part);
        }
        Some(total)
    }
}

pub(super) fn zero() -> Rational {
    Rational::from_integer(0)
}

/// A number as a term; one of sort `Int` must be whole.
pub(super) fn number(terms: &mut Terms, sort: Sort, it: Rational) -> Term {
    match sort {
        Sort::Real => terms.real(it),
        _ => terms.int(it.to_integer()),
    }
}

/// The largest factor that makes numbers whole; beyond it the solver computes with reals.
const FACTOR_MAX: i128 = 1_000_000_000;

/// A factor that makes all numbers whole, and the sort of the products.
pub(super) fn scale(
    mut numbers: impl Iterator<Item = Rational>,
    is_real: bool,
) -> (Rational, Sort) {
    let all = numbers.try_fold(1_i128, |all, it| {
        let all = (*it.denom() <= FACTOR_MAX).then(|| all.lcm(it.denom()))?;
        (all <= FACTOR_MAX).then_some(all)
    });
    match all {
        Some(all) if !is_real => (Rational::from_integer(all), Sort::Int),
        _ => (Rational::one(), Sort::Real),
    }
}

/// A value that was changed by an amount.
pub(super) fn shifted(from: Value, by: Rational) -> Option<Value> {
    let to = exact::difference(from.as_rational(), -by);
    let value = match from {
        Value::Bool(_) => Value::Bool(to != zero()),
        Value::Int(_) => Value::Int(i64::try_from(to.to_integer()).ok()?),
        Value::Real(_) => Value::Real(to),
        Value::Enum(_) => Value::Enum(u32::try_from(to.to_integer()).ok()?),
    };
    (policy::adjustment(from, value) == by).then_some(value)
}
