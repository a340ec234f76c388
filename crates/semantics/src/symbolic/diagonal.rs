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
use super::constraint::{LARGEST, constraints};
use crate::bounds::{ClockBound, for_each_expr};

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

/// Bounds for the clocks of all differences, everywhere. After `y = 5`, a test of `x - y <= 3` is one
/// of `x <= 8`, and before that nothing else may tell that the clocks matter.
///
/// # Errors
/// If a clock is set to something that is not constant.
pub fn difference_bounds(
    network: &Network,
    differences: &[Constraint],
) -> Result<Vec<ClockBound>, Refusal> {
    if differences.is_empty() {
        return Ok(Vec::new());
    }
    let construct = "differences of clocks together with clocks that are set to variables";
    let mut largest = Some(0);
    for_each_set(network, &mut |_, value| {
        let value = match value.reads_clock() {
            true => Some(0),
            false => value.as_int(),
        };
        largest = largest.zip(value).map(|(largest, value)| value.max(largest));
    });
    let largest = largest.ok_or(Refusal { construct, place: None })?;
    let initial = network.clocks.iter().map(|clock| clock.initial as i32).max().unwrap_or(0);
    let constant = differences.iter().filter_map(|it| it.bound.constant()).map(i32::abs).max();
    let bound = constant.unwrap_or(0).saturating_add(largest.max(initial)).min(LARGEST);
    let mut clocks: Vec<u32> = differences.iter().flat_map(|it| [it.x - 1, it.y - 1]).collect();
    clocks.sort_unstable();
    clocks.dedup();
    let both = |clock| ClockBound { clock, lower: bound, upper: bound };
    Ok(clocks.into_iter().map(both).collect())
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
    for_each_set(network, &mut |clock, value| {
        if value.reads_clock() {
            match (copy(clock, value), &mut found) {
                (Some(copy), Some(found)) => found.push(copy),
                _ => found = None,
            }
        }
    });
    found
}

/// Visits all assignments to clocks, with their values.
fn for_each_set(network: &Network, visit: &mut dyn FnMut(&ClockRef, &Expr)) {
    let mut look = |expr: &Expr| {
        expr.walk(&mut |expr| {
            if let Expr::SetClock { clock, value } = expr {
                visit(clock, value);
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
