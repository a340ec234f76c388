//! The value of an index, where it is plain enough to be told without an engine.
//!
//! It serves to show `go[2]!` instead of `go[front()]!`. What is not understood has no value, and
//! is shown as the modeller wrote it.

use std::collections::BTreeMap;

use punctual_model::{BinaryOp, Expr, Index, Number, Place, Storage, UnaryOp};

/// What is known where an expression is evaluated.
pub(crate) struct Known<'k> {
    pub(crate) state: &'k [i32],
    pub(crate) constants: &'k [i32],
    /// Selected values by slot.
    pub(crate) locals: BTreeMap<u32, i32>,
}

impl Known<'_> {
    /// How far indices lead from the base.
    pub(crate) fn offset(&self, indices: &[Index]) -> Option<usize> {
        indices.iter().try_fold(0_usize, |offset, index| {
            let from_lo = self.value(&index.value)?.checked_sub(index.lo)?;
            let from_lo = u32::try_from(from_lo).ok().filter(|at| *at < index.len)?;
            offset.checked_add((from_lo as usize).checked_mul(index.stride as usize)?)
        })
    }

    fn value(&self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Int(value) => Some(*value),
            Expr::Load(place) => self.load(place),
            Expr::Unary(UnaryOp::Negate, Number::Int, inner) => self.value(inner)?.checked_neg(),
            Expr::Unary(UnaryOp::Not, Number::Int, inner) => Some((self.value(inner)? == 0).into()),
            Expr::Binary(binary) if binary.number == Number::Int && binary.size == 1 => {
                binary_value(binary.op, self.value(&binary.left)?, self.value(&binary.right)?)
            }
            Expr::Conditional(parts) => match self.value(&parts[0])? {
                0 => self.value(&parts[2]),
                _ => self.value(&parts[1]),
            },
            _ => None,
        }
    }

    fn load(&self, place: &Place) -> Option<i32> {
        if place.number != Number::Int || place.size != 1 {
            return None;
        }
        let slot = (place.base as usize).checked_add(self.offset(&place.indices)?)?;
        match place.storage {
            Storage::State => self.state.get(slot).copied(),
            Storage::Constant => self.constants.get(slot).copied(),
            Storage::Local => self.locals.get(&u32::try_from(slot).ok()?).copied(),
            Storage::Meta => None,
        }
    }
}

fn binary_value(op: BinaryOp, left: i32, right: i32) -> Option<i32> {
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Subtract => left.checked_sub(right),
        BinaryOp::Multiply => left.checked_mul(right),
        BinaryOp::Divide => left.checked_div(right),
        BinaryOp::Remainder => left.checked_rem(right),
        BinaryOp::Minimum => Some(left.min(right)),
        BinaryOp::Maximum => Some(left.max(right)),
        BinaryOp::Less => Some((left < right).into()),
        BinaryOp::LessEqual => Some((left <= right).into()),
        BinaryOp::Equal => Some((left == right).into()),
        BinaryOp::NotEqual => Some((left != right).into()),
        BinaryOp::GreaterEqual => Some((left >= right).into()),
        BinaryOp::Greater => Some((left > right).into()),
        _ => None,
    }
}
