//! Paths made concrete: from the numbers of transitions to a timed run.
//!
//! The path is replayed with exact zones, without extrapolation. Rules that cut zones into pieces
//! give several zones for one path; the replay follows all of them until one reaches the goal. The
//! constraints on that way are then solved for the earliest instants (`timing`).

use std::ops::ControlFlow;

use punctual_model::{ChannelId, Id, LocationId, Network};
use punctual_semantics::concrete::{self, Concrete};
use punctual_semantics::symbolic::{
    Active, Explorer, Predicate, Record, Successor, constraints, has_grown,
};
use punctual_semantics::{Move, Rational};
use punctual_zones::{Constraint, Federation, Zone};

use crate::plan::Plan;
use crate::timing::Timing;
use crate::{Ending, State, Step, Trace};

/// A zone that a part of the path leads to.
struct Piece {
    state: Vec<i32>,
    zone: Zone,
    /// Its predecessor among the pieces one step earlier.
    parent: usize,
    moves: Vec<Move>,
    channel: Option<ChannelId>,
    record: Record,
}

impl Piece {
    /// The step to here, without times.
    fn step(&self, network: &Network) -> Step {
        let state = state(network, self, &[]);
        Step { delay: None, moves: self.moves.clone(), channel: self.channel, state }
    }
}

/// Where a path leads to.
#[derive(Clone, Copy)]
pub(crate) enum Target<'t> {
    /// Anywhere in its last state.
    Anywhere,
    /// To where a condition holds.
    Part(&'t Predicate),
    /// To where a condition holds first.
    Earliest(&'t Predicate),
    /// To where nothing can happen any more.
    Deadlock,
}

/// A path as a timed run. None if the path does not exist in the model (but in an
/// over-approximation of it).
pub(crate) fn trace(
    network: &Network,
    plan: &Plan,
    path: &[u32],
    target: Target<'_>,
    ending: Ending,
) -> Option<Trace> {
    let layers = replay(plan, path)?;
    let mut ends = reach(plan, layers.last()?, target);
    if !matches!(target, Target::Earliest(_)) {
        ends.truncate(1);
    }
    let (last, _) = *ends.first()?;
    let timed = match network.has_stopwatches() {
        true => None,
        false => ends
            .iter()
            .filter_map(|(last, wanted)| solve(network, &chain(&layers, *last), wanted))
            .min_by_key(duration),
    };
    let trace = timed.unwrap_or_else(|| untimed(network, &chain(&layers, last)));
    Some(Trace { ending, ..trace })
}

/// How long a run takes.
fn duration(trace: &Trace) -> Rational {
    let delays = trace.steps.iter().filter_map(|step| step.delay).chain(trace.rest);
    delays.fold(Rational::ZERO, |sum, delay| sum + delay)
}

/// A path as a run without delays: they would not show what the path is about.
pub(crate) fn untimed_trace(
    network: &Network,
    plan: &Plan,
    path: &[u32],
    ending: Ending,
) -> Option<Trace> {
    let layers = replay(plan, path)?;
    Some(Trace { ending, ..untimed(network, &chain(&layers, 0)) })
}

/// The exact zones of each step of a path.
fn replay(plan: &Plan, path: &[u32]) -> Option<Vec<Vec<Piece>>> {
    let mut explorer = Explorer::new(&plan.symbolic);
    let mut layers: Vec<Vec<Piece>> = Vec::new();
    for (step, &ordinal) in path.iter().enumerate() {
        let mut layer = Vec::new();
        let mut keep = |parent: usize, successor: &Successor<'_>| {
            if successor.ordinal == ordinal {
                let mut push = |zone: &mut Zone| {
                    layer.push(Piece {
                        state: successor.state.to_vec(),
                        zone: zone.clone(),
                        parent,
                        moves: successor.moves(),
                        channel: successor.channel().map(|at| ChannelId::from_index(at as usize)),
                        record: successor.record(),
                    });
                };
                // The instants are solved from all constraints of the path, so a zone may be made
                // coarser where a clock has grown too large.
                let mut zone = successor.zone.clone();
                match has_grown(zone.view()) {
                    true => plan.normalise(&mut zone, successor.clocks, push),
                    false => push(&mut zone),
                }
            }
            match successor.ordinal > ordinal {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        // Trouble can only come from other transitions than the one that is looked for.
        if step == 0 {
            let _ = explorer.initial(&mut |successor| keep(0, &successor));
        } else {
            for (parent, piece) in layers[step - 1].iter().enumerate() {
                let visit = &mut |successor: Successor<'_>| keep(parent, &successor);
                let _ = explorer.successors(&piece.state, &piece.zone, visit);
            }
        }
        if layer.is_empty() {
            return None;
        }
        layers.push(layer);
    }
    Some(layers)
}

/// The last pieces that reach the target, and what holds there.
fn reach(plan: &Plan, last: &[Piece], target: Target<'_>) -> Vec<(usize, Vec<Constraint>)> {
    let mut judge = Explorer::new(&plan.symbolic);
    let mut active = Active::new(plan.symbolic.n_clocks());
    let mut ends = Vec::new();
    for (number, piece) in last.iter().enumerate() {
        active.set(&plan.symbolic, &piece.state);
        let mut part = Federation::from(piece.zone.clone());
        match target {
            Target::Anywhere => {}
            Target::Part(goal) | Target::Earliest(goal) => {
                match goal.part(&mut judge, &piece.state, &piece.zone) {
                    Ok(reached) => part = reached,
                    Err(_) => continue,
                }
            }
            Target::Deadlock => match judge.live(&piece.state, &piece.zone) {
                Ok(live) => part.subtract_all(&live),
                Err(_) => continue,
            },
        }
        let wanted = |zone: &Zone| (number, constraints(zone.view(), &active));
        ends.extend(part.zones().iter().map(wanted));
    }
    ends
}

/// The pieces on the way to one of the last.
fn chain(layers: &[Vec<Piece>], last: usize) -> Vec<&Piece> {
    let mut number = last;
    let mut pieces = Vec::new();
    for layer in layers.iter().rev() {
        let piece = &layer[number];
        pieces.push(piece);
        number = piece.parent;
    }
    pieces.reverse();
    pieces
}

/// The earliest run through the pieces to a state where `wanted` holds.
fn solve(network: &Network, pieces: &[&Piece], wanted: &[Constraint]) -> Option<Trace> {
    let initial: Vec<i32> = network.clocks.iter().map(|clock| clock.initial as i32).collect();
    let mut timing = Timing::new(&initial);
    let mut still = false;
    for (step, piece) in pieces.iter().enumerate() {
        let Record { before, changes, after, stands_still } = &piece.record;
        if step > 0 {
            timing.wait(still);
            before.iter().for_each(|it| timing.require(*it));
            timing.assign(changes);
        }
        after.iter().for_each(|it| timing.require(*it));
        still = *stands_still;
    }
    timing.wait(still);
    wanted.iter().for_each(|it| timing.require(*it));
    let instants = timing.solve()?;
    let mut clocks: Vec<Rational> = initial.iter().map(|&value| value.into()).collect();
    let start = state(network, pieces[0], &clocks);
    let mut steps = Vec::new();
    for (piece, pair) in pieces[1..].iter().zip(instants.windows(2)) {
        let delay = pair[1] - pair[0];
        for clock in &mut clocks {
            *clock = *clock + delay;
        }
        let before = clocks.clone();
        for &(clock, (from, offset)) in &piece.record.changes {
            let from = if from == 0 { Rational::ZERO } else { before[from as usize - 1] };
            clocks[clock as usize] = from + Rational::from(offset);
        }
        let state = state(network, piece, &clocks);
        steps.push(Step { delay: Some(delay), state, ..piece.step(network) });
    }
    let rest = instants[instants.len() - 1] - instants[instants.len() - 2];
    let trace = Trace { start, steps, rest: Some(rest), ending: Ending::Goal };
    // Clock guards on urgent channels cut delays in a way that pieces do not remember.
    let unsure = network.channels.iter().any(|channel| channel.urgent);
    if unsure || cfg!(debug_assertions) {
        let is_run = is_run(network, &trace);
        assert!(is_run || unsure, "the delays of a trace satisfy every rule: {trace:?}");
        return is_run.then_some(trace);
    }
    Some(trace)
}

/// The path alone.
fn untimed(network: &Network, pieces: &[&Piece]) -> Trace {
    Trace {
        start: state(network, pieces[0], &[]),
        steps: pieces[1..].iter().map(|piece| piece.step(network)).collect(),
        rest: None,
        ending: Ending::Goal,
    }
}

fn state(network: &Network, piece: &Piece, clocks: &[Rational]) -> State {
    discrete(network, &piece.state, clocks.to_vec())
}

/// A discrete state with values of clocks.
pub(crate) fn discrete(network: &Network, state: &[i32], clocks: Vec<Rational>) -> State {
    let (locations, ints) = state.split_at(network.processes.len());
    let location = |&number: &i32| LocationId::from_index(number.unsigned_abs() as usize);
    State { locations: locations.iter().map(location).collect(), ints: ints.to_vec(), clocks }
}

/// The state in which the network starts; the first one, if there are several.
pub(crate) fn first_state(network: &Network) -> State {
    let processes = network.processes.iter();
    let locations = processes.filter_map(|process| process.initial.first().copied()).collect();
    State { locations, ints: network.initial.ints.clone(), clocks: Vec::new() }
}

/// Whether the concrete semantics, which knows nothing of zones, allows each step of a run.
fn is_run(network: &Network, trace: &Trace) -> bool {
    let concrete = Concrete::new(network);
    let of = |state: &State| concrete::State {
        locations: state.locations.clone(),
        ints: state.ints.clone(),
        clocks: state.clocks.clone(),
    };
    let waits = |state: &concrete::State, delay: Rational| {
        delay == Rational::ZERO || concrete.may_wait(state, delay).unwrap_or(false)
    };
    let mut at = of(&trace.start);
    for step in &trace.steps {
        let Some(delay) = step.delay else { return false };
        if !waits(&at, delay) {
            return false;
        }
        let after = of(&step.state);
        let waited = concrete.waited(&at, delay);
        let allowed = match concrete.transitions(&waited) {
            Ok(transitions) => {
                transitions.iter().any(|(moves, state)| *moves == step.moves && *state == after)
            }
            // Another transition is in error; this one may be fine.
            Err(_) => true,
        };
        if !allowed {
            return false;
        }
        at = after;
    }
    trace.rest.is_none_or(|rest| waits(&at, rest))
}
