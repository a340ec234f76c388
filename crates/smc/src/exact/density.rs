//! Measures of one random variable: a weight, or a polynomial over an interval.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// An exact number.
pub type Ratio = BigRational;

/// A whole number as an exact one.
pub(super) fn whole(number: i64) -> Ratio {
    Ratio::from_integer(BigInt::from(number))
}

/// A polynomial: coefficients, the constant first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Polynomial(Vec<Ratio>);

impl Polynomial {
    pub(super) fn constant(value: Ratio) -> Polynomial {
        Polynomial(vec![value])
    }

    pub(super) fn times(&self, factor: &Ratio) -> Polynomial {
        Polynomial(self.0.iter().map(|it| it * factor).collect())
    }

    fn minus(&self, other: &Polynomial) -> Polynomial {
        let n = self.0.len().max(other.0.len());
        let of = |it: &Polynomial, at: usize| it.0.get(at).cloned().unwrap_or_else(Ratio::zero);
        Polynomial((0..n).map(|at| of(self, at) - of(other, at)).collect())
    }

    fn at(&self, x: &Ratio) -> Ratio {
        self.0.iter().rev().fold(Ratio::zero(), |sum, it| sum * x + it)
    }

    /// The polynomial whose derivative it is, and which is 0 at 0.
    fn integral(&self) -> Polynomial {
        let mut coefficients = vec![Ratio::zero()];
        coefficients.extend((1..).zip(&self.0).map(|(power, it)| it / whole(power)));
        Polynomial(coefficients)
    }

    /// The polynomial in `x` of what this one is in `x - by`.
    fn shifted(&self, by: i64) -> Polynomial {
        let by = whole(-by);
        let mut result = vec![Ratio::zero(); self.0.len()];
        for (power, coefficient) in self.0.iter().enumerate() {
            // (x + by)^power, by Pascal's rule.
            let mut row = vec![Ratio::one()];
            for _ in 0..power {
                let mut next = vec![Ratio::zero(); row.len() + 1];
                for (at, it) in row.iter().enumerate() {
                    next[at] += it * &by;
                    next[at + 1] += it;
                }
                row = next;
            }
            for (at, it) in row.iter().enumerate() {
                result[at] += it * coefficient;
            }
        }
        Polynomial(result)
    }
}

/// How probable the values of a random variable are that lie in an interval.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Density {
    pub from: i64,
    pub to: i64,
    pub density: Polynomial,
}

impl Density {
    /// A weight that is spread evenly.
    pub(super) fn even(from: i64, to: i64, weight: &Ratio) -> Density {
        Density { from, to, density: Polynomial::constant(weight / whole(to - from)) }
    }

    /// The weight of the whole interval.
    pub(super) fn weight(&self) -> Ratio {
        let integral = self.density.integral();
        integral.at(&whole(self.to)) - integral.at(&whole(self.from))
    }

    /// The parts below and above a value within the interval.
    pub(super) fn split(&self, at: i64) -> (Density, Density) {
        debug_assert!(self.from < at && at < self.to);
        (Density { to: at, ..self.clone() }, Density { from: at, ..self.clone() })
    }

    /// The degree of its polynomial.
    pub(super) fn degree(&self) -> usize {
        self.density.0.len().saturating_sub(1)
    }

    /// The sum of this variable and an independent one that is even between two values.
    pub(super) fn plus_even(&self, least: i64, greatest: i64) -> Vec<Density> {
        let (a, b, length) = (self.from, self.to, greatest - least);
        let integral = self.density.integral();
        let low = Polynomial::constant(integral.at(&whole(a)));
        let high = Polynomial::constant(integral.at(&whole(b)));
        // Of a sum `x`, the first part lies between `x - greatest` and `x - least`, and between `a` and `b`.
        let (upper, lower) = (integral.shifted(least), integral.shifted(greatest));
        let mut cuts = [a + least, b + least, a + greatest, b + greatest];
        cuts.sort_unstable();
        let mut parts = Vec::new();
        for pair in cuts.windows(2).filter(|pair| pair[0] < pair[1]) {
            let upper = if pair[1] <= b + least { &upper } else { &high };
            let lower = if pair[0] >= a + greatest { &lower } else { &low };
            let density = upper.minus(lower).times(&Ratio::new(BigInt::one(), length.into()));
            parts.push(Density { from: pair[0], to: pair[1], density });
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> Ratio {
        Ratio::new(numerator.into(), denominator.into())
    }

    #[test]
    fn two_dice_without_corners() {
        let one = Density::even(0, 10, &Ratio::one());
        let sum = one.plus_even(0, 10);
        let total: Ratio = sum.iter().map(Density::weight).sum();
        assert_eq!(total, Ratio::one());
        // The sum is below 5 with probability 1/8.
        let (below, _) = sum[0].split(5);
        assert_eq!(below.weight(), ratio(1, 8));
        // Three of them: below 10 with probability 1/6.
        let three: Vec<Density> = sum.iter().flat_map(|it| it.plus_even(0, 10)).collect();
        let total: Ratio = three.iter().map(Density::weight).sum();
        assert_eq!(total, Ratio::one());
        let below: Ratio = three.iter().filter(|it| it.to <= 10).map(Density::weight).sum();
        assert_eq!(below, ratio(1, 6));
    }

    #[test]
    fn unequal_lengths() {
        let one = Density::even(3, 5, &Ratio::one());
        for (least, greatest) in [(1, 10), (0, 1), (4, 6)] {
            let sum = one.plus_even(least, greatest);
            let total: Ratio = sum.iter().map(Density::weight).sum();
            assert_eq!(total, Ratio::one(), "{least}, {greatest}");
            let mean: Ratio = sum
                .iter()
                .map(|it| {
                    let mut density = it.density.0.clone();
                    density.insert(0, Ratio::zero());
                    Density { density: Polynomial(density), ..it.clone() }.weight()
                })
                .sum();
            assert_eq!(mean, ratio(8 + least + greatest, 2));
        }
    }
}
