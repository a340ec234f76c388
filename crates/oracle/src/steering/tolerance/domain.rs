//! Which values a steerable variable may have in a step.

use num_traits::{Signed, Zero};
use punctual_model::lustre::{BinaryOp, Rational, Type, Value};

use crate::steering::exact;

/// Whole numbers (also truth and positions of enumerations) as ranges that are sorted, do not
/// touch, and include both ends. The ends of `i64` stand for "no bound".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::steering) struct Domain(Vec<(i64, i64)>);

impl Domain {
    /// Everything that a type and a declared range allow; `n_values` of an enumeration.
    pub(in crate::steering) fn of(ty: Type, range: Option<(i64, i64)>, n_values: usize) -> Domain {
        let last = i64::try_from(n_values).unwrap_or(i64::MAX).saturating_sub(1);
        Domain(vec![match ty {
            Type::Bool => (0, 1),
            Type::Enum(_) => (0, last),
            Type::Int | Type::Real => range.unwrap_or((i64::MIN, i64::MAX)),
        }])
    }

    /// The domain of all values.
    pub(super) fn all() -> Domain {
        Domain(vec![(i64::MIN, i64::MAX)])
    }

    /// The domain of no value.
    pub(super) fn none() -> Domain {
        Domain(Vec::new())
    }

    /// The whole numbers `x` with `scale * x + offset OP 0`.
    pub(super) fn solve(scale: Rational, op: BinaryOp, offset: Rational) -> Option<Domain> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        if scale.is_zero() {
            let holds = match op {
                Eq => offset.is_zero(),
                Ne => !offset.is_zero(),
                Lt => offset.is_negative(),
                Le => !offset.is_positive(),
                Gt => offset.is_positive(),
                Ge => !offset.is_negative(),
                _ => return None,
            };
            return Some(if holds { Domain::all() } else { Domain::none() });
        }
        use num_traits::CheckedDiv;
        // x OP bound, with the operator turned around if the scale is negative.
        let bound = Rational::zero() - offset.checked_div(&scale)?;
        let op = match (op, scale.is_negative()) {
            (Lt, true) => Gt,
            (Le, true) => Ge,
            (Gt, true) => Lt,
            (Ge, true) => Le,
            (op, _) => op,
        };
        let (floor, ceiling) = (exact::floor(bound), exact::ceiling(bound));
        Some(match op {
            Eq if bound.is_integer() => Domain::between(floor, floor),
            Eq => Domain::none(),
            Ne if bound.is_integer() => Domain::between(floor, floor).complement(),
            Ne => Domain::all(),
            Lt => Domain::between(i128::MIN, ceiling.saturating_sub(1)),
            Le => Domain::between(i128::MIN, floor),
            Gt => Domain::between(floor.saturating_add(1), i128::MAX),
            Ge => Domain::between(ceiling, i128::MAX),
            _ => return None,
        })
    }

    /// The numbers from one to another.
    pub(in crate::steering) fn between(low: i128, high: i128) -> Domain {
        let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
        if low > high || high < least || low > most {
            return Domain::none();
        }
        let cut = |it: i128| i64::try_from(it.clamp(least, most)).unwrap_or_default();
        Domain(vec![(cut(low), cut(high))])
    }

    /// The intersection of both.
    pub(in crate::steering) fn meet(&self, other: &Domain) -> Domain {
        let mut ranges = Vec::new();
        for (a, b) in &self.0 {
            for (c, d) in &other.0 {
                if a.max(c) <= b.min(d) {
                    ranges.push((*a.max(c), *b.min(d)));
                }
            }
        }
        Domain(ranges)
    }

    /// The union of both.
    pub(super) fn join(&self, other: &Domain) -> Domain {
        let mut ranges: Vec<(i64, i64)> = self.0.iter().chain(&other.0).copied().collect();
        ranges.sort_unstable();
        let mut joined: Vec<(i64, i64)> = Vec::new();
        for (low, high) in ranges {
            match joined.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        Domain(joined)
    }

    /// The complement.
    pub(super) fn complement(&self) -> Domain {
        let mut ranges = Vec::new();
        let mut next = Some(i64::MIN);
        for (low, high) in &self.0 {
            if let Some(from) = next.filter(|from| from < low) {
                ranges.push((from, low.saturating_sub(1)));
            }
            next = high.checked_add(1);
        }
        ranges.extend(next.map(|from| (from, i64::MAX)));
        Domain(ranges)
    }

    /// The ranges, in order.
    pub(in crate::steering) fn ranges(&self) -> &[(i64, i64)] {
        &self.0
    }

    /// The number of values, up to `most`.
    pub(in crate::steering) fn count(&self, most: u64) -> u64 {
        let mut n = 0_u128;
        for (low, high) in &self.0 {
            n += u128::from(low.abs_diff(*high)) + 1;
        }
        u64::try_from(n).unwrap_or(u64::MAX).min(most)
    }

    /// Whether the domain contains a value.
    pub(in crate::steering) fn contains(&self, value: i64) -> bool {
        self.0.iter().any(|(low, high)| (*low..=*high).contains(&value))
    }

    /// The values, those nearest to `original` first, the lesser of two that are equally near.
    pub(in crate::steering) fn nearest(&self, original: i64) -> Vec<i64> {
        let mut values: Vec<i64> = self.0.iter().flat_map(|(low, high)| *low..=*high).collect();
        values.sort_unstable_by_key(|it| (it.abs_diff(original), *it));
        values
    }

    /// The value that is nearest to `original`.
    pub(in crate::steering) fn closest(&self, original: i64) -> Option<i64> {
        let clamp = |&(low, high): &(i64, i64)| original.clamp(low, high);
        self.0.iter().map(clamp).min_by_key(|it| (it.abs_diff(original), *it))
    }
}

/// A discrete value as a number.
pub(in crate::steering) fn to_cell(value: Value) -> i64 {
    match value {
        Value::Bool(it) => i64::from(it),
        Value::Int(it) => it,
        Value::Enum(it) => i64::from(it),
        Value::Real(it) => i64::try_from(exact::floor(it)).unwrap_or_default(),
    }
}

/// A number as a value of a discrete type.
pub(in crate::steering) fn from_cell(ty: Type, cell: i64) -> Value {
    match ty {
        Type::Bool => Value::Bool(cell != 0),
        Type::Enum(_) => Value::Enum(u32::try_from(cell).unwrap_or_default()),
        Type::Int | Type::Real => Value::Int(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(it: i128) -> Rational {
        Rational::from_integer(it)
    }

    #[test]
    fn comparisons_become_ranges() {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let half = Rational::new(1, 2);
        let solve = |scale, op, offset| Domain::solve(scale, op, offset).unwrap();
        let near = |domain: Domain| domain.meet(&Domain(vec![(-3, 3)])).nearest(0);
        // 2x - 1 OP 0, and -x + 1/2 OP 0
        assert_eq!(near(solve(whole(2), Le, whole(-1))), [0, -1, -2, -3]);
        assert_eq!(near(solve(whole(2), Gt, whole(-1))), [1, 2, 3]);
        assert_eq!(near(solve(whole(-1), Gt, half)), [0, -1, -2, -3]);
        assert_eq!(near(solve(whole(-1), Le, half)), [1, 2, 3]);
        assert_eq!(near(solve(whole(1), Lt, whole(2))), [-3]);
        assert_eq!(near(solve(whole(1), Ge, whole(-3))), [3]);
        assert_eq!(near(solve(whole(1), Eq, whole(-2))), [2]);
        assert_eq!(near(solve(whole(1), Eq, half)), [] as [i64; 0]);
        assert_eq!(near(solve(whole(3), Ne, whole(-3))), [0, -1, -2, 2, -3, 3]);
        assert_eq!(near(solve(whole(0), Lt, whole(-3))).len(), 7);
        assert_eq!(near(solve(whole(0), Eq, whole(-3))).len(), 0);
    }

    #[test]
    fn sets_are_sets() {
        let a = Domain(vec![(0, 4)]);
        let b = Domain(vec![(3, 6), (9, 9)]);
        assert_eq!(a.meet(&b), Domain(vec![(3, 4)]));
        assert_eq!(a.join(&b), Domain(vec![(0, 6), (9, 9)]));
        assert_eq!(b.complement().complement(), b);
        assert_eq!(Domain::none().complement(), Domain::all());
        assert_eq!(Domain::all().complement(), Domain::none());
        assert_eq!(b.count(100), 5);
        assert_eq!(Domain::all().count(100), 100);
        assert_eq!(b.closest(7), Some(6));
        assert_eq!(b.closest(8), Some(9));
        assert!(b.contains(9) && !b.contains(8));
    }
}
