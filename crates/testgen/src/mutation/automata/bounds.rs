//! The ends of clock constraints, and constraints whose ends are moved.

use punctual_model::{
    Binary, BinaryOp, ClockConstraint, ClockRef, Condition, Expr, Number, Relation,
};

use super::clocks::reads_local;

/// An end of what a constraint allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Lower,
    Upper,
}

impl End {
    /// Its name in names of mutants.
    pub(super) fn name(self) -> &'static str {
        match self {
            End::Lower => "lower",
            End::Upper => "upper",
        }
    }
}

/// The ends that a constraint has: both if it is an equality, none if it is not about integers.
pub(super) fn ends(constraint: &ClockConstraint) -> &'static [End] {
    if constraint.number != Number::Int {
        return &[];
    }
    match (constraint.relation, is_mirrored(constraint)) {
        (Relation::Less | Relation::LessEqual, false)
        | (Relation::Greater | Relation::GreaterEqual, true) => &[End::Upper],
        (Relation::Less | Relation::LessEqual, true)
        | (Relation::Greater | Relation::GreaterEqual, false) => &[End::Lower],
        (Relation::Equal, _) => &[End::Lower, End::Upper],
        (Relation::NotEqual, _) => &[],
    }
}

/// Whether the constraint is about a clock with a minus: `-x <= -5` is `x >= 5`.
fn is_mirrored(constraint: &ClockConstraint) -> bool {
    constraint.left.is_none()
}

/// The clock, if the constraint is about one alone and no selected value says which.
pub(super) fn single(constraint: &ClockConstraint) -> Option<&ClockRef> {
    match (&constraint.left, &constraint.right) {
        (Some(clock), None) | (None, Some(clock)) => Some(clock).filter(|it| !reads_local(it)),
        _ => None,
    }
}

/// The constraints of a condition on a clock alone, with their positions.
pub(super) fn on<'c>(
    condition: &'c Condition,
    clock: &'c ClockRef,
) -> impl Iterator<Item = (usize, &'c ClockConstraint)> {
    let all = condition.clocks.iter().enumerate();
    all.filter(move |(_, it)| single(it) == Some(clock) && !ends(it).is_empty())
}

/// The constraint with all its ends moved; none if it would be the same, or nothing would be left.
pub(super) fn shifted(constraint: &ClockConstraint, by: i32) -> Option<ClockConstraint> {
    let strict = matches!(constraint.relation, Relation::Less | Relation::Greater);
    let (by, sign) = if is_mirrored(constraint) { (by.checked_neg()?, -1) } else { (by, 1) };
    let bound = match constraint.bound.as_int() {
        None => plus(&constraint.bound, by),
        Some(old) => {
            let mut new = old.checked_add(by)?;
            if constraint.left.is_none() || constraint.right.is_none() {
                let value = new.checked_mul(sign)?;
                let has_upper = ends(constraint).contains(&End::Upper);
                if has_upper && (value < 0 || (value == 0 && strict)) {
                    return None;
                }
                new = value.max(0) * sign;
            }
            if new == old {
                return None;
            }
            Expr::Int(new)
        }
    };
    Some(ClockConstraint { bound, ..constraint.clone() })
}

/// What takes the place of a constraint whose one end is moved; none if nothing would change, or nothing would
/// be left.
pub(super) fn moved(
    constraint: &ClockConstraint,
    end: End,
    by: i32,
) -> Option<Vec<ClockConstraint>> {
    if constraint.relation != Relation::Equal {
        return shifted(constraint, by).map(|it| vec![it]);
    }
    let relations = match is_mirrored(constraint) {
        false => (Relation::GreaterEqual, Relation::LessEqual),
        true => (Relation::LessEqual, Relation::GreaterEqual),
    };
    let lower = ClockConstraint { relation: relations.0, ..constraint.clone() };
    let upper = ClockConstraint { relation: relations.1, ..constraint.clone() };
    match end {
        End::Lower => Some(vec![shifted(&lower, by)?, upper]),
        End::Upper => Some(vec![lower, shifted(&upper, by)?]),
    }
}

/// An integer expression and a number that is added, or subtracted if it is negative.
fn plus(expr: &Expr, by: i32) -> Expr {
    let op = if by < 0 { BinaryOp::Subtract } else { BinaryOp::Add };
    let right = Expr::Int(by.checked_abs().unwrap_or(i32::MAX));
    let left = expr.clone();
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

/// The constraint that holds exactly where this one does not; none if there is none.
pub(super) fn opposite(constraint: &ClockConstraint) -> Option<ClockConstraint> {
    let relation = match constraint.relation {
        Relation::Less => Relation::GreaterEqual,
        Relation::LessEqual => Relation::Greater,
        Relation::GreaterEqual => Relation::Less,
        Relation::Greater => Relation::LessEqual,
        Relation::Equal | Relation::NotEqual => return None,
    };
    Some(ClockConstraint { when: None, relation, ..constraint.clone() })
}
