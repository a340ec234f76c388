//! How far the outputs of the model are from those of the system.

use num_traits::Zero;
use punctual_model::lustre::{Rational, Value};

use super::exact;

/// How far two rows of compared variables are apart: a sum over the variables (section 5.3).
///
/// It is zero if and only if the rows are equal, up to the tolerances of outputs: a verdict asks for zero and nothing else, so a
/// metric decides which explanation is taken, never what counts as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Distance {
    /// How the difference of a number counts.
    pub kind: Kind,
    /// The scales of the compared variables, in their order.
    pub scales: Vec<Scale>,
}

/// How the difference of a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Kind {
    /// The absolute difference (city block).
    #[default]
    Manhattan,
    /// The square of the difference.
    SquaredEuclidean,
}

/// What a difference of one variable is multiplied with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// How much the variable matters; positive.
    pub weight: Rational,
    /// The difference of numbers that counts as 1; positive. Truth and enumerations have none.
    pub width: Rational,
    /// Numbers that differ by no more than this count as equal.
    pub within: Rational,
}

impl Default for Scale {
    fn default() -> Scale {
        Scale { weight: exact::one(), width: exact::one(), within: exact::zero() }
    }
}

impl Scale {
    /// Whether a value of the model counts as that of the system.
    #[must_use]
    pub fn is_equal(&self, model: Value, system: Value) -> bool {
        match (model, system) {
            (Value::Int(_) | Value::Real(_), _) if self.within > exact::zero() => {
                exact::distance(model.as_rational(), system.as_rational()) <= self.within
            }
            _ => model == system,
        }
    }

    /// What a difference of numbers is multiplied with.
    pub(super) fn factor(&self) -> Rational {
        exact::quotient(self.weight, self.width)
    }
}

impl Distance {
    /// The sum of unscaled differences.
    #[must_use]
    pub fn plain(kind: Kind, n_compared: usize) -> Distance {
        Distance { kind, scales: vec![Scale::default(); n_compared] }
    }

    /// The dissimilarity of the compared variables of the model and of the system, in their order.
    #[must_use]
    pub fn dissimilarity(&self, model: &[Value], system: &[Value]) -> Rational {
        let mut total = exact::zero();
        for ((scale, model), system) in self.scales.iter().zip(model).zip(system) {
            if scale.is_equal(*model, *system) {
                continue;
            }
            let by = match (model, system) {
                (Value::Int(_) | Value::Real(_), _) => {
                    let by = exact::distance(model.as_rational(), system.as_rational());
                    let by = exact::quotient(by, scale.width);
                    match self.kind {
                        Kind::Manhattan => by,
                        Kind::SquaredEuclidean => exact::product(by, by),
                    }
                }
                // Values without an order are equal or one apart.
                _ => exact::one(),
            };
            total = exact::sum(total, exact::product(by, scale.weight));
        }
        total
    }
}

/// Whether two rows of this dissimilarity are equal.
pub(super) fn is_match(dissimilarity: Rational) -> bool {
    dissimilarity.is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(it: i128) -> Rational {
        Rational::from_integer(it)
    }

    const MODEL: [Value; 3] = [Value::Int(10), Value::Bool(true), Value::Enum(0)];
    const SYSTEM: [Value; 3] = [Value::Int(7), Value::Bool(false), Value::Enum(4)];

    #[test]
    fn values_without_an_order_differ_by_one() {
        let plain = |kind| Distance::plain(kind, 3).dissimilarity(&MODEL, &SYSTEM);
        assert_eq!(plain(Kind::Manhattan), whole(5));
        assert_eq!(plain(Kind::SquaredEuclidean), whole(11));
    }

    #[test]
    fn numbers_are_scaled_and_everything_is_weighted() {
        let scale = |weight, width| Scale {
            weight: whole(weight),
            width: whole(width),
            ..Scale::default()
        };
        let scales = vec![scale(2, 6), scale(5, 100), scale(1, 100)];
        let metric = Distance { kind: Kind::Manhattan, scales: scales.clone() };
        assert_eq!(metric.dissimilarity(&MODEL, &SYSTEM), whole(7));
        let metric = Distance { kind: Kind::SquaredEuclidean, scales };
        assert_eq!(metric.dissimilarity(&MODEL, &SYSTEM), Rational::new(13, 2));
    }

    #[test]
    fn numbers_that_are_near_enough_are_equal() {
        let near = |within| Scale { within: whole(within), ..Scale::default() };
        let metric = |within| Distance { kind: Kind::Manhattan, scales: vec![near(within); 3] };
        assert_eq!(metric(3).dissimilarity(&MODEL, &SYSTEM), whole(2), "truth has no tolerance");
        assert_eq!(metric(2).dissimilarity(&MODEL, &SYSTEM), whole(5));
    }

    #[test]
    fn equal_rows_are_not_apart() {
        let metric = Distance::plain(Kind::Manhattan, 3);
        assert!(is_match(metric.dissimilarity(&MODEL, &MODEL)));
    }
}
