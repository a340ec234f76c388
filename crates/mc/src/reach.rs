//! Reachability: `E<> p` and `A[] p`.

use punctual_model::{Network, StateExpr};
use punctual_semantics::bounds::Directions;
use punctual_semantics::symbolic::{Guide, Predicate, Trouble};

use crate::breadth::breadth_first;
use crate::depth::depth_first;
use crate::fastest::fastest;
use crate::goal::Goal;
use crate::guided::guided;
use crate::passed::{NodeRef, Passed};
use crate::plan::Plan;
use crate::search::{End, Meter, Search};
use crate::walks::random_walks;
use crate::witness::Target;
use crate::{
    Answer, Approximation, Ending, ModelFault, Observer, Options, Order, Outcome, Refusal,
    TraceKind, Undecided, witness,
};

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
    let (plan, (predicate, guide)) =
        Plan::new(network, directions, options, &[expr], &[], |builder| {
            let predicate = match exists {
                true => Predicate::new(network, builder, expr)?,
                false => Predicate::negated(network, builder, expr)?,
            };
            let guide = match options.order {
                Order::Guided => Some(Guide::new(network, builder, expr, exists)?),
                _ => None,
            };
            Ok((predicate, guide))
        })?;
    let goal = Goal::State(&predicate);
    let meter = Meter::new(&mut *observer, &options.budget);
    let mut search = match &guide {
        Some(guide) if options.trace != TraceKind::Shortest => guided(&plan, &goal, guide, meter),
        _ => explore(&plan, &goal, options, meter),
    };
    let path = match &search.end {
        End::Goal { node, via } => search.passed.path(*node).into_iter().chain(*via).collect(),
        End::Trouble { node, .. } => search.passed.path(*node),
        End::Exhausted | End::Spent(_) => Vec::new(),
    };
    let wants_trace = options.trace != TraceKind::None;
    let mut trace = None;
    let answer = match search.end {
        // Where clocks stand still, states may seem to let something happen although they do not.
        End::Exhausted => match (exists, network.has_stopwatches() && mentions_deadlock(expr)) {
            (true, false) => Answer::NotSatisfied,
            (true, true) => Answer::MaybeNotSatisfied,
            (false, false) => Answer::Satisfied,
            (false, true) => Answer::MaybeSatisfied,
        },
        End::Goal { .. } => {
            let exact = !network.has_stopwatches();
            let hull = options.approximation == Approximation::ConvexHull;
            if wants_trace || hull {
                trace =
                    witness::trace(network, &plan, &path, Target::Part(&predicate), Ending::Goal);
            }
            if options.trace == TraceKind::Fastest && exact {
                trace = fastest(network, expr, exists, options, observer)?.or(trace);
            }
            // A path that exists in the model itself needs no approximation; one that does not
            // exist, although nothing was approximated, would be a fault of ours.
            let unseen = (wants_trace || hull) && trace.is_none();
            let spent = options.budget.spent();
            debug_assert!(
                hull || !exact || !unseen || spent.is_some(),
                "a goal that was found has a path"
            );
            match (exists, exact && !unseen) {
                // There was nothing left to make a trace with. Only of a hull does the answer depend on it.
                (_, false)
                    if unseen
                        && hull
                        && let Some(spent) = spent =>
                {
                    Answer::Undecided(spent.into())
                }
                (true, false) if exact && !hull && spent.is_some() => Answer::Satisfied,
                (false, false) if exact && !hull && spent.is_some() => Answer::NotSatisfied,
                (true, true) => Answer::Satisfied,
                (true, false) => Answer::MaybeSatisfied,
                (false, true) => Answer::NotSatisfied,
                (false, false) => Answer::MaybeNotSatisfied,
            }
        }
        End::Spent(spent) => Answer::Undecided(spent.into()),
        End::Trouble { .. } if is_spurious(network, &plan, options, &path) => {
            Answer::Undecided(Undecided::Approximation)
        }
        End::Trouble { node, trouble } => {
            error(network, &plan, &mut search.passed, node, &path, *trouble)
        }
    };
    let trace = trace.filter(|_| wants_trace);
    Ok(Outcome { answer, statistics: search.statistics, trace })
}

/// Whether a path may exist only in an over-approximation of the model.
fn is_spurious(network: &Network, plan: &Plan, options: &Options, path: &[u32]) -> bool {
    let hull = options.approximation == Approximation::ConvexHull;
    let replays = || witness::trace(network, plan, path, Target::Anywhere, Ending::Goal).is_some();
    network.has_stopwatches() || (hull && !replays())
}

/// An error of the model, with the way to it.
pub(crate) fn error(
    network: &Network,
    plan: &Plan,
    passed: &mut Passed,
    node: NodeRef,
    path: &[u32],
    trouble: Trouble,
) -> Answer {
    let trace = witness::trace(network, plan, path, Target::Anywhere, Ending::Goal);
    let state = match node {
        NodeRef::NONE => witness::first_state(network),
        node => witness::discrete(network, passed.discrete(plan, node), Vec::new()),
    };
    Answer::Error(Box::new(ModelFault {
        kind: trouble.fault.kind,
        moves: trouble.moves,
        state,
        trace,
    }))
}

/// Searches in the order that is asked for.
pub(crate) fn explore(plan: &Plan, goal: &Goal<'_>, options: &Options, meter: Meter<'_>) -> Search {
    match options.order {
        _ if options.trace == TraceKind::Shortest => {
            breadth_first(plan, goal, options.threads, meter)
        }
        Order::BreadthFirst | Order::Guided => breadth_first(plan, goal, options.threads, meter),
        Order::DepthFirst => depth_first(plan, goal, None, meter),
        Order::RandomWalk { seed } if matches!(goal, Goal::State(_)) => {
            random_walks(plan, goal, seed, meter)
        }
        Order::RandomWalk { seed } | Order::RandomDepthFirst { seed } => {
            depth_first(plan, goal, Some(seed), meter)
        }
    }
}

pub(crate) fn mentions_deadlock(expr: &StateExpr) -> bool {
    let mut found = false;
    expr.expr.walk(&mut |expr| found |= matches!(expr, punctual_model::Expr::Deadlock));
    found
}
