//! What can be told of an expression without compiling it.

use std::collections::HashSet;

use punctual_model::{
    Binary, BinaryOp, Builtin, Expr, FunctionBody, FunctionId, Id, Index, Network, Number,
    ReturnType, Statement, Storage, UnaryOp,
};

use super::op::Compare;

/// The kind of number (or block) that an expression is; `Int` if it has no value.
pub(super) fn number(network: &Network, expr: &Expr) -> Number {
    match expr {
        Expr::Int(_)
        | Expr::ClockConstraint(_)
        | Expr::InLocation(..)
        | Expr::Deadlock
        | Expr::Unary(UnaryOp::Not, ..) => Number::Int,
        Expr::Double(_)
        | Expr::Clock(_)
        | Expr::ClockRate(_)
        | Expr::ToDouble(_)
        | Expr::SetClock { .. } => Number::Double,
        Expr::Load(place) => place.number,
        Expr::Assign { target, .. } => target.number,
        Expr::Unary(UnaryOp::Negate, number, _) | Expr::Quantifier { number, .. } => *number,
        Expr::Binary(binary) if binary.op.is_truth() => Number::Int,
        Expr::Binary(binary) => binary.number,
        Expr::Conditional(parts) => number(network, &parts[1]),
        Expr::Sequence(parts) => number(network, &parts[1]),
        Expr::Call { function, .. } => match network.functions[*function].returns {
            ReturnType::Void | ReturnType::Int(_) => Number::Int,
            ReturnType::Double => Number::Double,
            ReturnType::Block(number, _) => number,
        },
        Expr::Builtin(builtin, _) => match builtin {
            Builtin::Abs
            | Builtin::Fint
            | Builtin::IsFinite
            | Builtin::IsInf
            | Builtin::IsNan
            | Builtin::IsNormal
            | Builtin::SignBit
            | Builtin::IsUnordered
            | Builtin::Ilogb => Number::Int,
            _ => Number::Double,
        },
    }
}

/// How many values an expression pushes, of its kind.
pub(super) fn size(network: &Network, expr: &Expr) -> u32 {
    match expr {
        Expr::Load(place) => place.size,
        Expr::Assign { target, .. } => target.size,
        Expr::Conditional(parts) => size(network, &parts[1]),
        Expr::Sequence(parts) => size(network, &parts[1]),
        Expr::Call { function, .. } => {
            returned(network, *function) + returned_reals(network, *function)
        }
        _ => 1,
    }
}

/// How many integers a function leaves on the stack.
pub(super) fn returned(network: &Network, function: FunctionId) -> u32 {
    match network.functions[function].returns {
        ReturnType::Int(_) => 1,
        ReturnType::Block(Number::Int, size) => size,
        ReturnType::Void | ReturnType::Double | ReturnType::Block(Number::Double, _) => 0,
    }
}

/// How many doubles a function leaves on their stack.
pub(super) fn returned_reals(network: &Network, function: FunctionId) -> u32 {
    match network.functions[function].returns {
        ReturnType::Double => 1,
        ReturnType::Block(Number::Double, size) => size,
        ReturnType::Void | ReturnType::Int(_) | ReturnType::Block(Number::Int, _) => 0,
    }
}

/// Why an expression is not an integer that can be computed.
pub(super) fn obstacle(expr: &Expr) -> &'static str {
    let mut obstacle = "a double";
    expr.walk(&mut |inner| match inner {
        Expr::Builtin(builtin, _) if builtin.is_random() => obstacle = "a random number",
        Expr::Clock(_) | Expr::ClockRate(_) | Expr::SetClock { .. } if obstacle == "a double" => {
            obstacle = "a clock used as a number";
        }
        _ => {}
    });
    obstacle
}

/// The value of an integer that is the same in all states.
pub(super) fn known(network: &Network, expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Int(value) => Some(*value),
        Expr::Load(place)
            if place.storage == Storage::Constant
                && place.number == Number::Int
                && place.size == 1 =>
        {
            let (at, rest) = resolve(network, place.base, &place.indices);
            rest.is_empty().then(|| network.constants.ints[at as usize])
        }
        _ => None,
    }
}

/// The value of a number that is the same in all states, as a double.
pub(super) fn known_real(network: &Network, expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Double(value) => Some(*value),
        Expr::ToDouble(inner) => known(network, inner).map(f64::from),
        Expr::Unary(UnaryOp::Negate, Number::Double, inner) => {
            known_real(network, inner).map(|value| -value)
        }
        Expr::Load(place)
            if place.storage == Storage::Constant
                && place.number == Number::Double
                && place.size == 1 =>
        {
            let (at, rest) = resolve(network, place.base, &place.indices);
            rest.is_empty().then(|| network.constants.doubles[at as usize])
        }
        expr => known(network, expr).map(f64::from),
    }
}

/// Adds what known indices contribute to a base; gives the indices that are left.
pub(super) fn resolve<'e>(
    network: &Network,
    base: u32,
    indices: &'e [Index],
) -> (u32, Vec<&'e Index>) {
    let mut at = base;
    let mut rest = Vec::new();
    for index in indices {
        let steps = known(network, &index.value)
            .and_then(|value| u32::try_from(i64::from(value) - i64::from(index.lo)).ok())
            .filter(|steps| *steps < index.len);
        match steps {
            Some(steps) => at += steps * index.stride,
            None => rest.push(index),
        }
    }
    (at, rest)
}

/// The slot of the state that an integer expression reads, if it does only that.
pub(super) fn state_slot(network: &Network, expr: &Expr) -> Option<u32> {
    let Expr::Load(place) = expr else { return None };
    if place.storage != Storage::State || place.number != Number::Int || place.size != 1 {
        return None;
    }
    let (at, rest) = resolve(network, place.base, &place.indices);
    rest.is_empty().then_some(network.processes.len() as u32 + at)
}

/// The double of the state that an expression reads, if it does only that.
pub(super) fn real_slot(network: &Network, expr: &Expr) -> Option<u32> {
    let Expr::Load(place) = expr else { return None };
    if place.storage != Storage::State || place.number != Number::Double || place.size != 1 {
        return None;
    }
    let (at, rest) = resolve(network, place.base, &place.indices);
    rest.is_empty().then_some(at)
}

/// The clock that an expression reads, if it does only that.
pub(super) fn clock_slot(network: &Network, expr: &Expr) -> Option<u32> {
    let Expr::Clock(clock) = expr else { return None };
    let (at, rest) = resolve(network, clock.base.index() as u32, &clock.indices);
    rest.is_empty().then_some(at)
}

/// The comparison of a slot of the state with a constant that an expression is.
pub(super) fn comparison(network: &Network, expr: &Expr) -> Option<(Compare, u32, i32)> {
    match expr {
        Expr::InLocation(process, location) => {
            Some((Compare::EQUAL, process.index() as u32, location.index() as i32))
        }
        Expr::Unary(UnaryOp::Not, Number::Int, inner) => {
            let (compare, slot, value) = comparison(network, inner)?;
            Some((compare.negated(), slot, value))
        }
        Expr::Binary(binary) => {
            let Binary { op, number: Number::Int, size: 1, left, right } = binary.as_ref() else {
                return None;
            };
            let compare = Compare::of(*op)?;
            match (state_slot(network, left), known(network, right)) {
                (Some(slot), Some(value)) => Some((compare, slot, value)),
                _ => {
                    let (value, slot) = (known(network, left)?, state_slot(network, right)?);
                    Some((compare.mirrored(), slot, value))
                }
            }
        }
        _ => None,
    }
}

/// The comparison of a slot of the state with the sum of another one and a small constant that an
/// expression is, such as `i < n - 1`.
pub(super) fn comparison_of_sum(
    network: &Network,
    expr: &Expr,
) -> Option<(Compare, i16, [u32; 2])> {
    let Expr::Binary(binary) = expr else { return None };
    let Binary { op, number: Number::Int, size: 1, left, right } = binary.as_ref() else {
        return None;
    };
    let (compare, left) = (Compare::of(*op)?, state_slot(network, left)?);
    if let Some(right) = state_slot(network, right) {
        return Some((compare, 0, [left, right]));
    }
    let Expr::Binary(sum) = right else { return None };
    let Binary { op, number: Number::Int, size: 1, left: first, right: second } = sum.as_ref()
    else {
        return None;
    };
    let add = match op {
        BinaryOp::Add => known(network, second)?,
        BinaryOp::Subtract => known(network, second)?.checked_neg()?,
        _ => return None,
    };
    Some((compare, i16::try_from(add).ok()?, [left, state_slot(network, first)?]))
}

/// Whether evaluating an expression can do more than give a value. Assignments to doubles and
/// hybrid clocks do nothing here.
pub(super) fn has_effects(network: &Network, expr: &Expr) -> bool {
    let mut pending = Vec::new();
    let mut effects = expr_effects(network, expr, true, &mut pending);
    let mut seen = HashSet::new();
    while let Some(id) = pending.pop() {
        if effects {
            return true;
        }
        if !seen.insert(id) {
            continue;
        }
        let function = &network.functions[id];
        effects |= match &function.body {
            FunctionBody::External { .. } => true,
            FunctionBody::Statements(body) => {
                block_effects(network, body, function.shares_frame, &mut pending)
            }
        };
    }
    effects
}

/// The effects that an expression has itself; `locals` says whether setting locals is one.
fn expr_effects(network: &Network, expr: &Expr, locals: bool, calls: &mut Vec<FunctionId>) -> bool {
    let mut effects = false;
    expr.walk(&mut |inner| match inner {
        Expr::Assign { target, .. } => {
            effects |= target.number == Number::Int && (locals || target.storage != Storage::Local);
        }
        Expr::SetClock { clock, .. } => effects |= !network.clocks[clock.base].hybrid,
        Expr::Call { function, .. } => calls.push(*function),
        _ => {}
    });
    effects
}

fn block_effects(
    network: &Network,
    body: &[Statement],
    locals: bool,
    calls: &mut Vec<FunctionId>,
) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Expr(expr) | Statement::Return(Some(expr)) => {
            expr_effects(network, expr, locals, calls)
        }
        Statement::Clear { place, .. } => {
            place.number == Number::Int && place.storage != Storage::Local
        }
        Statement::Return(None) => false,
        Statement::If(condition, yes, no) => {
            expr_effects(network, condition, locals, calls)
                || block_effects(network, yes, locals, calls)
                || block_effects(network, no, locals, calls)
        }
        Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
            expr_effects(network, condition, locals, calls)
                || block_effects(network, body, locals, calls)
        }
        Statement::For { body, .. } => block_effects(network, body, locals, calls),
        Statement::Assert(_) => true,
    })
}

/// Whether an operator evaluates its right side only sometimes.
pub(super) fn short_circuits(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Imply)
}
