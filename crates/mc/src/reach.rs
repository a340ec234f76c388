//! Reachability: `E<> p` and `A[] p`.

use punctual_model::{Network, StateExpr};
use punctual_semantics::bounds::Directions;
use punctual_semantics::symbolic::Predicate;

use crate::breadth::breadth_first;
use crate::depth::depth_first;
use crate::goal::Goal;
use crate::plan::Plan;
use crate::search::{End, Meter, Search};
use crate::{Answer, Observer, Options, Order, Outcome, Refusal, Undecided};

/// `E<> goal`.
pub(crate) fn exists(
    network: &Network,
    goal: &StateExpr,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    reach(network, goal, true, options, observer)
}

/// `A[] safe`: no state is reachable that is not safe.
pub(crate) fn always(
    network: &Network,
    safe: &StateExpr,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    reach(network, safe, false, options, observer)
}

fn reach(
    network: &Network,
    expr: &StateExpr,
    exists: bool,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    let directions = match mentions_deadlock(expr) {
        true => Directions::Joined,
        false => Directions::Apart,
    };
    let (plan, predicate) =
        Plan::new(network, directions, options, &[expr], &[], |builder| match exists {
            true => Predicate::new(network, builder, expr),
            false => Predicate::negated(network, builder, expr),
        })?;
    let goal = Goal::State(&predicate);
    let meter = Meter::new(observer, options.memory);
    let search = explore(&plan, &goal, options, meter);
    let (met, unmet) = match exists {
        true => (Answer::Satisfied, Answer::NotSatisfied),
        false => (Answer::NotSatisfied, Answer::Satisfied),
    };
    let answer = match search.end {
        End::Exhausted => unmet,
        End::Goal { .. } => met,
        End::Memory => Answer::Undecided(Undecided::Memory),
        End::Stopped => Answer::Undecided(Undecided::Stopped),
        End::Trouble { trouble, .. } => panic!("{trouble:?}"),
    };
    Ok(Outcome { answer, statistics: search.statistics, trace: None })
}

/// Searches in the order that is asked for.
pub(crate) fn explore(plan: &Plan, goal: &Goal<'_>, options: &Options, meter: Meter<'_>) -> Search {
    match options.order {
        Order::BreadthFirst => breadth_first(plan, goal, options.threads, meter),
        Order::DepthFirst => depth_first(plan, goal, None, meter),
        Order::RandomDepthFirst { seed } => depth_first(plan, goal, Some(seed), meter),
    }
}

pub(crate) fn mentions_deadlock(expr: &StateExpr) -> bool {
    let mut found = false;
    expr.expr.walk(&mut |expr| found |= matches!(expr, punctual_model::Expr::Deadlock));
    found
}
