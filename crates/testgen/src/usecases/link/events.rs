//! Scenario events, and who dispatches them.

use punctual_model::{
    AssignOp, Binary, Edge, Expr, Network, Number, Place, ScenarioId, Storage, Sync,
    usecases::{
        Dispatch, EventEdge, Ground, Links, Nearest, NotLinked, Scenarios, Update, UseCases,
    },
};

use super::{about, sides::unsent};

/// The edges that wait for scenario events.
pub(super) fn events(
    all: &UseCases,
    scenarios: &Scenarios,
    network: &Network,
    links: &Links,
) -> Vec<EventEdge> {
    let unsent = unsent(network);
    let mut found = Vec::new();
    for (process, it) in network.processes.enumerate() {
        for (edge, it) in it.edges.enumerate() {
            let Sync::Receive(channel) = &it.sync else { continue };
            let channels = about::channels(channel);
            let Some(&first) = channels.first() else { continue };
            if !channels.iter().all(|it| unsent.contains(it)) {
                continue;
            }
            let (updates, mut why) = updates(network, links, it);
            if channels.len() > 1 {
                why = Some(NotLinked::SeveralChannels);
            } else if why.is_none() && updates.is_empty() {
                why = Some(NotLinked::NoUpdate);
            } else if why.is_none() && updates.iter().any(|it| it.state.is_none()) {
                why = Some(NotLinked::NoAttribute);
            }
            let by = dispatch(all, scenarios, links, &updates, why);
            found.push(EventEdge { channel: first, process, edge, updates, by });
        }
    }
    found
}

/// What an edge sets, and what stands in the way of knowing it.
fn updates(network: &Network, links: &Links, edge: &Edge) -> (Vec<Update>, Option<NotLinked>) {
    let mut found: Vec<Update> = Vec::new();
    let mut why = None;
    if edge.branches.len() > 1 && edge.branches.iter().any(|it| !it.update.is_empty()) {
        why = Some(NotLinked::NotComparable);
    }
    for part in parts(edge) {
        let (target, to) = match part {
            Expr::SetClock { .. } => continue,
            Expr::Assign { target, op, value, .. } if is_scalar(target) => {
                (target, assigned(target, *op, value))
            }
            _ => {
                why = Some(NotLinked::NotComparable);
                continue;
            }
        };
        let variable = about::variable(network, target);
        let state = variable.and_then(|it| links.kept_by(it));
        let name = match (state, variable) {
            (Some(at), _) => links.state[at].name.clone(),
            (None, Some(variable)) => network.variables[variable].name.clone(),
            (None, None) => element(network, target),
        };
        // The last of several constants counts.
        let before = found.iter().position(|it| it.name == name).map(|at| found.remove(at));
        let is_constant = to.as_int().is_some();
        if !is_plain(&to) || before.is_some_and(|it| !is_constant || it.to.as_int().is_none()) {
            why = Some(NotLinked::NotComparable);
        }
        found.push(Update { state: state.map(|at| at as u32), name, to });
    }
    (found, why)
}

/// The parts of an edge's updates, in order.
pub(in crate::usecases) fn parts(edge: &Edge) -> Vec<&Expr> {
    let by_branch = edge.branches.iter().flat_map(|it| &it.update);
    let mut rest: Vec<&Expr> = edge.update.iter().chain(by_branch).rev().collect();
    let mut found = Vec::new();
    while let Some(expr) = rest.pop() {
        match expr {
            Expr::Sequence(parts) => rest.extend(parts.iter().rev()),
            other => found.push(other),
        }
    }
    found
}

/// What an assignment makes of its target.
fn assigned(target: &Place, op: AssignOp, value: &Expr) -> Expr {
    match op {
        AssignOp::Set => value.clone(),
        AssignOp::Combine(op) => Expr::Binary(Box::new(Binary {
            op,
            number: Number::Int,
            size: 1,
            left: Expr::Load(target.clone()),
            right: value.clone(),
        })),
    }
}

/// Whether an expression has operators, constants and scalars only.
pub(in crate::usecases) fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Int(_) => true,
        Expr::Load(place) => place.indices.is_empty() && place.number == Number::Int,
        Expr::Unary(_, Number::Int, of) => is_plain(of),
        Expr::Binary(both) => {
            both.number == Number::Int && is_plain(&both.left) && is_plain(&both.right)
        }
        Expr::Conditional(parts) => parts.iter().all(is_plain),
        _ => false,
    }
}

fn is_scalar(place: &Place) -> bool {
    place.storage == Storage::State && place.indices.is_empty() && place.size == 1
}

/// The name of the array or structure that an element belongs to.
fn element(network: &Network, place: &Place) -> String {
    let first = |it: &punctual_model::Variable| match place.number {
        Number::Int => it.ints,
        Number::Double => it.doubles,
    };
    let variables = network.variables.iter().filter(|it| it.storage == place.storage);
    let before = variables.filter(|it| first(it) <= place.base);
    let of = before.max_by_key(|it| first(it)).map_or("", |it| it.name.as_str());
    format!("{of}[…{}]", place.base)
}

/// The scenarios that set all updates or may do so; otherwise the one that sets most.
fn dispatch(
    all: &UseCases,
    scenarios: &Scenarios,
    links: &Links,
    updates: &[Update],
    why: Option<NotLinked>,
) -> Dispatch {
    let mut by: Vec<ScenarioId> = Vec::new();
    let mut nearest: Option<Nearest> = None;
    for (id, scenario) in scenarios.scenarios.enumerate() {
        let makes = |update: &Update| {
            let Some(state) = update.state else { return false };
            let kept = &links.state[state as usize];
            let wanted = (kept.class, kept.number, kept.attribute);
            let scale = about::scale(all, kept.class, kept.attribute);
            let set = scenario.sets.iter().find(|it| about::key(scenario, it.slot) == wanted);
            set.is_some_and(|set| match (&set.to, update.to.as_int()) {
                (Ground::Constant(value), Some(constant)) => {
                    about::integer(*value, scale.unwrap_or(1)) == Some(constant)
                }
                // The edge compares the values when the scenario has ended.
                _ => true,
            })
        };
        let missing: Vec<u32> =
            (0..).zip(updates).filter(|(_, it)| !makes(it)).map(|(at, _)| at).collect();
        if missing.is_empty() && !updates.is_empty() {
            by.push(id);
        }
        let is_nearer = nearest.as_ref().is_none_or(|it| missing.len() < it.missing.len());
        if missing.len() < updates.len() && is_nearer {
            nearest = Some(Nearest { scenario: id, missing });
        }
    }
    match why {
        None if !by.is_empty() => Dispatch::Scenarios(by),
        why => Dispatch::Nobody { why: why.unwrap_or(NotLinked::NoScenario), nearest },
    }
}
