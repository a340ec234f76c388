//! The differences of clocks that something compares with a constant.
//!
//! A clock that is set to another carries such a difference back: after `x = y + 2`, a test of
//! `x - z` was one of `y - z` before. So the set is closed under all copies of the model. There need
//! not be an end to that (with `x = x + 1` reachability is undecidable); then the model is refused.

use punctual_model::{
    BinaryOp, ClockConstraint, ClockRef, Expr, FunctionBody, Id, Network, Relation, StateExpr,
};
use punctual_zones::{Bound, Constraint};

use super::Refusal;
use super::constraint::constraints;
use crate::bounds::for_each_expr;

/// All differences of clocks in guards, invariants and queries, each once.
///
/// # Errors
/// If one is compared with something that is not constant.
pub fn diagonals(network: &Network, queries: &[&StateExpr]) -> Result<Vec<Constraint>, Refusal> {
    let mut found = Vec::new();
    for process in &network.processes {
        for location in &process.locations {
            for constraint in &location.invariant.clocks {
                add(constraint, &mut found, &|| {
                    format!("process {}, location {}", process.name, location.name)
                })?;
            }
        }
        for edge in &process.edges {
            for constraint in &edge.guard.clocks {
                add(constraint, &mut found, &|| {
                    let source = process.locations.get(edge.source);
                    let name = source.map_or("?", |location| &location.name);
                    format!("process {}, an edge from {name}", process.name)
                })?;
            }
        }
    }
    for query in queries {
        let mut refused = Ok(());
        query.expr.walk(&mut |expr| {
            if let Expr::ClockConstraint(constraint) = expr
                && refused.is_ok()
            {
                refused = add(constraint, &mut found, &|| "the query".to_owned());
            }
        });
        refused?;
    }
    found.sort_unstable();
    found.dedup();
    if !found.is_empty() {
        carry_back(network, &mut found)?;
    }
    Ok(found)
}

/// More differences than this would cut zones into too many pieces.
const MOST: usize = 256;

/// `clock = from + offset`.
struct Copy {
    clock: u32,
    from: u32,
    offset: i32,
}

/// Adds what the differences were before clocks were set to others.
fn carry_back(network: &Network, found: &mut Vec<Constraint>) -> Result<(), Refusal> {
    let construct = "differences of clocks together with clocks that are set to others";
    let refused = || Refusal { construct, place: None };
    let copies = copies(network).ok_or_else(refused)?;
    let mut next = 0;
    while let Some(&Constraint { x, y, bound }) = found.get(next) {
        next += 1;
        for Copy { clock, from, offset } in &copies {
            let constant = bound.constant().expect("a difference is compared with a number");
            let before = |x, y, constant| {
                let bound = Bound::new(constant, bound.is_weak());
                bound.map(|bound| Constraint { x, y, bound })
            };
            // Setting both clocks at once is setting one after the other.
            for change in [
                (x == *clock).then(|| before(*from, y, constant - offset)),
                (y == *clock).then(|| before(x, *from, constant + offset)),
            ] {
                let Some(change) = change else { continue };
                let change = change.ok_or_else(refused)?;
                if change.x != change.y && !found.contains(&change) {
                    found.push(change);
                }
            }
        }
        if found.len() > MOST {
            return Err(refused());
        }
    }
    Ok(())
}

/// All assignments of clocks to clocks; none if one of them depends on data.
fn copies(network: &Network) -> Option<Vec<Copy>> {
    let mut found = Some(Vec::new());
    let mut look = |expr: &Expr| {
        expr.walk(&mut |expr| {
            if let Expr::SetClock { clock, value } = expr
                && value.reads_clock()
            {
                match (copy(clock, value), &mut found) {
                    (Some(copy), Some(found)) => found.push(copy),
                    _ => found = None,
                }
            }
        });
    };
    for process in &network.processes {
        for edge in &process.edges {
            edge.update.iter().for_each(&mut look);
            edge.branches.iter().flat_map(|branch| &branch.update).for_each(&mut look);
        }
    }
    network.before_update.iter().chain(&network.after_update).for_each(&mut look);
    for function in &network.functions {
        if let FunctionBody::Statements(statements) = &function.body {
            for_each_expr(statements, &mut look);
        }
    }
    found
}

fn copy(clock: &ClockRef, value: &Expr) -> Option<Copy> {
    let fixed = |clock: &ClockRef| clock.indices.is_empty().then(|| clock.base.index() as u32 + 1);
    let offset = |expr: &Expr| match expr {
        Expr::Double(value) if value.fract() == 0.0 => Some(*value as i32),
        Expr::ToDouble(inner) => inner.as_int(),
        _ => None,
    };
    let clock = fixed(clock)?;
    let (from, offset) = match value {
        Expr::Clock(from) => (fixed(from)?, 0),
        Expr::Binary(binary) => match (binary.op, &binary.left, &binary.right) {
            (BinaryOp::Add, Expr::Clock(from), by) | (BinaryOp::Add, by, Expr::Clock(from)) => {
                (fixed(from)?, offset(by)?)
            }
            (BinaryOp::Subtract, Expr::Clock(from), by) => (fixed(from)?, -offset(by)?),
            _ => return None,
        },
        _ => return None,
    };
    Some(Copy { clock, from, offset })
}

fn add(
    constraint: &ClockConstraint,
    found: &mut Vec<Constraint>,
    place: &dyn Fn() -> String,
) -> Result<(), Refusal> {
    let (Some(left), Some(right)) = (&constraint.left, &constraint.right) else { return Ok(()) };
    let refused = |construct| Refusal { construct, place: Some(place()) };
    if !left.indices.is_empty() || !right.indices.is_empty() {
        return Err(refused("a difference of clocks that are chosen by an index"));
    }
    let Some(bound) = constraint.bound.as_int() else {
        return Err(refused("a difference of clocks compared with a variable"));
    };
    let number = |clock: &punctual_model::ClockRef| clock.base.index() as u32 + 1;
    let relation = match constraint.relation {
        Relation::NotEqual => Relation::Equal,
        relation => relation,
    };
    let too_large =
        |_| refused("a difference of clocks compared with a constant that is too large");
    let pair = constraints(number(left), number(right), relation, bound).map_err(too_large)?;
    found.extend(pair.into_iter().flatten());
    Ok(())
}
