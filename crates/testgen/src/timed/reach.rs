//! The shortest path from a point of a network to something that is not covered yet.
//!
//! The search looks at the processes that can influence the goal ([`Cone`]), not at the whole network, whose states
//! may be too many. A path of a slice is then taken by the whole network; where somebody outside of the slice has
//! to move before time can pass, it does. What is unreachable in a complete slice is unreachable.

use std::sync::Arc;

use punctual_mc::{Answer, Observer, Options, Progress, TraceKind, check};
use punctual_model::{Expr, Id, Network, ProcessId, Property, StateExpr, Storage, Variable};
use punctual_semantics::budget::Budget;
use punctual_semantics::split::{Cone, Reach, Side};

use super::goal::Goal;
use super::hush::hush;
use super::slice::Slice;
use super::walk::{Run, Wait};
use super::world::World;

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A search stores no more symbolic states than this.
    pub states: u64,
    /// A run has no more steps than this, unless one goal alone needs more.
    pub length: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 200_000, length: 60 }
    }
}

/// What a search has found.
#[derive(Clone, Debug)]
pub enum Found {
    /// A run that ends with a goal: the earlier run, and the steps to the goal.
    Run(Run),
    /// No run from there covers a goal.
    Unreachable,
    /// There is a path in a slice of the network, which the whole network can not follow. Nothing is known.
    Astray,
    /// Nothing is known, for this reason.
    Undecided(String),
}

/// What is looked for: any of some goals of one process, or a state.
#[derive(Clone, Copy, Debug)]
pub enum Target<'t> {
    /// Any of these goals; all are of one process.
    Goals(&'t [Goal]),
    /// A state in which something holds.
    State(&'t StateExpr),
}

/// Continues a run by the shortest path to the target.
pub fn extend(
    world: &World<'_>,
    run: &Run,
    target: Target<'_>,
    limits: Limits,
    wait: Wait,
    stops: &mut dyn FnMut() -> bool,
) -> Found {
    let network = &world.network;
    if let Target::State(expr) = target
        && reads_clocks(&expr.expr)
    {
        // Its constants are no points of the grid, and a run ends with a step, not with a delay.
        return Found::Undecided("a state that is told by its clocks is not looked for".to_owned());
    }
    let of = match target {
        Target::Goals(goals) => goals.iter().map(|goal| goal.process()).collect(),
        Target::State(expr) => mentioned(network, &expr.expr),
    };
    let mut known = Found::Undecided(String::new());
    let mut tried: Option<Cone> = None;
    for (reach, is_quiet) in [(Reach::Near, true), (Reach::Near, false), (Reach::Far, false)] {
        let cone = world.specification.split.cone(network, &of, reach);
        if !is_quiet && tried.as_ref() == Some(&cone) {
            continue;
        }
        let mut slice = Slice::new(world, &cone, run.last());
        if is_quiet {
            let sides = &world.specification.split.sides;
            let environment = (cone.processes.iter().enumerate())
                .filter(|(_, process)| sides[**process] == Side::Environment)
                .map(|(number, _)| ProcessId::from_index(number));
            if hush(&mut slice.network, &environment.collect::<Vec<_>>())
                && let found @ Found::Run(_) =
                    search(slice, world, run, target, limits, wait, stops)
            {
                return found;
            }
            continue;
        }
        match search(slice, world, run, target, limits, wait, stops) {
            Found::Unreachable if cone.is_complete => return Found::Unreachable,
            Found::Unreachable => {
                known = Found::Undecided("no path was found in a slice of the model".to_owned());
            }
            found @ Found::Run(_) => return found,
            found => known = found,
        }
        tried = Some(cone);
    }
    known
}

/// Looks for the target in a slice, and continues the run by the path to it.
fn search(
    mut slice: Slice<'_>,
    world: &World<'_>,
    run: &Run,
    target: Target<'_>,
    limits: Limits,
    wait: Wait,
    stops: &mut dyn FnMut() -> bool,
) -> Found {
    let property = match target {
        Target::Goals(goals) => {
            slice.forget(world);
            slice.flag(run, goals)
        }
        Target::State(expr) => slice.renumbered(expr),
    };
    // A search that has stored enough spends what it has, and others go on.
    let budget = Arc::new(Budget::part_of(world.specification.budget()));
    let options = Options { trace: TraceKind::Shortest, budget, ..Options::default() };
    let mut bounded = Bounded { states: limits.states, is_over: false, stops };
    let outcome = check(&slice.network, &Property::ExistsFinally(property), &options, &mut bounded);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(refusal) => {
            return Found::Undecided(format!("{} is not supported", refusal.construct));
        }
    };
    match (outcome.answer, outcome.trace) {
        (Answer::Satisfied, Some(trace)) => match slice.taken(world, run, &trace, wait) {
            Some(run) => Found::Run(run),
            None => Found::Astray,
        },
        (Answer::NotSatisfied, _) => Found::Unreachable,
        (Answer::Undecided(_), _) if bounded.is_over => {
            Found::Undecided(format!("the search ended after {} states", limits.states))
        }
        (Answer::Error(_), _) => Found::Undecided("the model is in error".to_owned()),
        _ => Found::Undecided("the search ended early".to_owned()),
    }
}

fn reads_clocks(expr: &Expr) -> bool {
    let mut reads = false;
    expr.walk(&mut |part| reads |= matches!(part, Expr::Clock(_) | Expr::ClockConstraint(_)));
    reads
}

/// The processes whose locations or variables an expression reads; all of them if it reads anything shared.
fn mentioned(network: &Network, expr: &Expr) -> Vec<ProcessId> {
    let mut found = Vec::new();
    let mut is_shared = false;
    expr.walk(&mut |part| match part {
        Expr::InLocation(process, _) => found.push(*process),
        Expr::Load(place) if place.storage == Storage::State => {
            let mut variables = network.variables.iter();
            let of = |it: &&Variable| it.storage == Storage::State && it.ints == place.base;
            match variables.find(of).and_then(|it| it.owner) {
                Some(owner) => found.push(owner),
                None => is_shared = true,
            }
        }
        Expr::Clock(_) | Expr::ClockConstraint(_) | Expr::Deadlock | Expr::Call { .. } => {
            is_shared = true;
        }
        _ => {}
    });
    match is_shared || found.is_empty() {
        true => network.processes.ids().collect(),
        false => found,
    }
}

/// Ends a search after so many states, or when the user wants.
struct Bounded<'b> {
    states: u64,
    is_over: bool,
    stops: &'b mut dyn FnMut() -> bool,
}

impl Observer for Bounded<'_> {
    fn elapsed(&mut self) -> std::time::Duration {
        std::time::Duration::ZERO
    }

    fn progress(&mut self, progress: &Progress) -> bool {
        self.is_over = progress.stored > self.states;
        !self.is_over && !(self.stops)()
    }
}
