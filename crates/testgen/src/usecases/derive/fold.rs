//! Ground expressions with some slots put in, as small as they become.

use punctual_model::{
    Rational, Value,
    usecases::{Binary, Ground, Slot, Unary},
};

/// The expression with values in the place of slots that have one.
pub(super) fn put_in(ground: &Ground, value: &dyn Fn(Slot) -> Option<Value>) -> Ground {
    let inner = |it: &Ground| put_in(it, value);
    match ground {
        Ground::Constant(_) => ground.clone(),
        Ground::Slot(slot) => value(*slot).map_or_else(|| ground.clone(), Ground::Constant),
        Ground::Unary(op, of) => unary(*op, inner(of)),
        Ground::Binary(op, left, right) => binary(*op, inner(left), inner(right)),
        Ground::All(parts) => {
            let parts: Vec<Ground> = parts.iter().map(inner).collect();
            if parts.iter().any(|it| it.truth() == Some(false)) {
                return truth(false);
            }
            several(parts, true, Ground::All)
        }
        Ground::Any(parts) => {
            let parts: Vec<Ground> = parts.iter().map(inner).collect();
            if parts.iter().any(|it| it.truth() == Some(true)) {
                return truth(true);
            }
            several(parts, false, Ground::Any)
        }
        Ground::If(parts) => {
            let [condition, yes, no] = [0, 1, 2].map(|at| inner(&parts[at]));
            match condition.truth() {
                Some(true) => yes,
                Some(false) => no,
                None => Ground::If(Box::new([condition, yes, no])),
            }
        }
    }
}

fn truth(it: bool) -> Ground {
    Ground::Constant(Value::Bool(it))
}

/// What is left of a list whose neutral elements do not count.
fn several(parts: Vec<Ground>, neutral: bool, all: fn(Vec<Ground>) -> Ground) -> Ground {
    let mut parts: Vec<Ground> =
        parts.into_iter().filter(|it| it.truth() != Some(neutral)).collect();
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, None) => truth(neutral),
        (_, Some(last)) => {
            parts.push(last);
            all(parts)
        }
    }
}

fn unary(op: Unary, of: Ground) -> Ground {
    // What is put in may leave only the negation of a negation.
    let of = match (op, of) {
        (Unary::Not, Ground::Unary(Unary::Not, inner)) => return *inner,
        (_, of) => of,
    };
    let value = match (op, &of) {
        (Unary::Not, Ground::Constant(Value::Bool(it))) => Some(Value::Bool(!it)),
        (Unary::Neg, Ground::Constant(Value::Int(it))) => it.checked_neg().map(Value::Int),
        (Unary::Neg, Ground::Constant(Value::Real(it))) => Some(Value::Real(-*it)),
        (Unary::ToReal, Ground::Constant(it @ (Value::Int(_) | Value::Real(_)))) => {
            Some(Value::Real(it.as_rational()))
        }
        _ => None,
    };
    value.map_or_else(|| Ground::Unary(op, Box::new(of)), Ground::Constant)
}

fn binary(op: Binary, left: Ground, right: Ground) -> Ground {
    let known = match (op, left.truth(), right.truth()) {
        (Binary::And, Some(true), _) | (Binary::Or, Some(false), _) => Some(right.clone()),
        (Binary::And, _, Some(true)) | (Binary::Or, _, Some(false)) => Some(left.clone()),
        (Binary::Implies, Some(true), _) => Some(right.clone()),
        (Binary::And, Some(false), _) | (Binary::And, _, Some(false)) => Some(truth(false)),
        (Binary::Or, Some(true), _) | (Binary::Or, _, Some(true)) => Some(truth(true)),
        (Binary::Implies, Some(false), _) | (Binary::Implies, _, Some(true)) => Some(truth(true)),
        _ => None,
    };
    if let Some(known) = known {
        return known;
    }
    let (Ground::Constant(a), Ground::Constant(b)) = (&left, &right) else {
        return Ground::Binary(op, Box::new(left), Box::new(right));
    };
    let value = match op {
        Binary::And | Binary::Or | Binary::Implies => None,
        Binary::Xor | Binary::Ne => Some(Value::Bool(a.as_rational() != b.as_rational())),
        Binary::Eq => Some(Value::Bool(a.as_rational() == b.as_rational())),
        Binary::Lt => Some(Value::Bool(a.as_rational() < b.as_rational())),
        Binary::Le => Some(Value::Bool(a.as_rational() <= b.as_rational())),
        Binary::Gt => Some(Value::Bool(a.as_rational() > b.as_rational())),
        Binary::Ge => Some(Value::Bool(a.as_rational() >= b.as_rational())),
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Div => number(op, *a, *b),
    };
    value.map_or_else(|| Ground::Binary(op, Box::new(left), Box::new(right)), Ground::Constant)
}

/// The value of a sum, difference, product or quotient; none if it has none.
fn number(op: Binary, a: Value, b: Value) -> Option<Value> {
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        return match op {
            Binary::Add => a.checked_add(b).map(Value::Int),
            Binary::Sub => a.checked_sub(b).map(Value::Int),
            Binary::Mul => a.checked_mul(b).map(Value::Int),
            _ => None,
        };
    }
    let (a, b): (Rational, Rational) = (a.as_rational(), b.as_rational());
    let is_zero = b == Rational::from_integer(0);
    use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub};
    let value = match op {
        Binary::Add => a.checked_add(&b),
        Binary::Sub => a.checked_sub(&b),
        Binary::Mul => a.checked_mul(&b),
        Binary::Div if !is_zero => a.checked_div(&b),
        _ => None,
    };
    value.map(Value::Real)
}

#[cfg(test)]
mod tests {
    use punctual_model::{AttributeId, Id, ObjectId};

    use super::{Ground, Slot, Unary, Value, put_in};

    /// `not (setup and not x)` was told as `not not x` when the set-up was put in.
    #[test]
    fn two_negations_are_none() {
        let slot =
            |n| Slot { object: ObjectId::from_index(0), attribute: AttributeId::from_index(n) };
        let not = |it| Ground::Unary(Unary::Not, Box::new(it));
        let both = Ground::All(vec![Ground::Slot(slot(0)), not(Ground::Slot(slot(1)))]);
        let value = |it: Slot| (it == slot(0)).then_some(Value::Bool(true));
        assert_eq!(put_in(&not(both), &value), Ground::Slot(slot(1)));
    }
}
