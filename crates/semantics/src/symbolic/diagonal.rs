//! The differences of clocks that something compares with a constant.

use punctual_model::{ClockConstraint, Expr, Id, Network, Relation, StateExpr};
use punctual_zones::Constraint;

use super::Refusal;
use super::constraint::constraints;

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
    Ok(found)
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
