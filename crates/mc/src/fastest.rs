//! Traces that take the least time.
//!
//! One more clock, which nothing resets or tests, tells the time. States are explored in the order
//! of the least time at which they can be reached. Only that least value counts, so the clock is
//! extrapolated as one that is compared from above alone: a state that is reached no later, and has
//! all valuations of another, covers it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use punctual_model::{Clock, Id, Network, StateExpr};
use punctual_semantics::bounds::{ClockBound, Directions};
use punctual_semantics::symbolic::{Active, Explorer, Predicate};
use punctual_zones::{Bound, NO_BOUND, Zone};

use crate::passed::{NodeRef, Passed};
use crate::plan::Plan;
use crate::reach::mentions_deadlock;
use crate::search::Meter;
use crate::witness::Target;
use crate::{Ending, Observer, Options, Refusal, Trace, witness};

/// How many states are stored between two counts of what they take.
const LOOK: u64 = 1 << 12;

/// A time and whether it is only approached.
type Time = (i32, bool);

/// A state that waits to be explored, or a goal that waits to be the earliest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    time: Time,
    /// Goals first, then those that were found first.
    is_state: bool,
    number: u64,
    node: NodeRef,
    via: Option<u32>,
}

/// A run to a state that satisfies (or breaks) a condition, in the least time. None if there is no
/// such run, or the search was stopped.
pub(crate) fn fastest(
    network: &Network,
    expr: &StateExpr,
    satisfies: bool,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Option<Trace>, Refusal> {
    let mut timed = network.clone();
    let initial = 0.0;
    let clock = Clock { name: "time".to_owned(), owner: None, hybrid: false, initial };
    let clock = timed.clocks.push(clock).index() as u32;
    let bound = ClockBound { clock, lower: NO_BOUND, upper: Bound::MAX_CONSTANT / 4 };
    let directions = match mentions_deadlock(expr) {
        true => Directions::Joined,
        false => Directions::Apart,
    };
    let (plan, predicate) =
        Plan::new(&timed, directions, options, &[expr], &[bound], |builder| match satisfies {
            true => Predicate::new(&timed, builder, expr),
            false => Predicate::negated(&timed, builder, expr),
        })?;
    let mut meter = Meter::new(observer, &options.budget);
    let Some(path) = search(&plan, &predicate, clock, &mut meter) else { return Ok(None) };
    let trace = witness::trace(&timed, &plan, &path, Target::Earliest(&predicate), Ending::Goal);
    Ok(trace.map(|mut trace| {
        let states = trace.steps.iter_mut().map(|step| &mut step.state);
        states.chain([&mut trace.start]).for_each(|state| state.clocks.truncate(clock as usize));
        trace
    }))
}

fn search(
    plan: &Plan,
    predicate: &Predicate,
    clock: u32,
    meter: &mut Meter<'_>,
) -> Option<Vec<u32>> {
    let mut explorer = Explorer::new(&plan.symbolic);
    let mut judge = Explorer::new(&plan.symbolic);
    let mut passed = Passed::new(plan);
    let mut waiting = BinaryHeap::new();
    let mut number = 0;
    let mut meet = |passed: &mut Passed,
                    waiting: &mut BinaryHeap<Reverse<Waiting>>,
                    successor: punctual_semantics::symbolic::Successor<'_>,
                    parent: NodeRef| {
        let (state, via) = (successor.state, successor.ordinal);
        let Ok(part) = predicate.part(&mut judge, state, &*successor.zone) else {
            return ControlFlow::Break(());
        };
        let goal = part.zones().iter().map(|zone| time(zone, successor.clocks, clock)).min();
        plan.normalise(successor.zone, successor.clocks, |zone| {
            if let Some(node) = passed.insert(plan, state, zone, parent, via) {
                number += 1;
                let time = time(zone, successor.clocks, clock);
                waiting.push(Reverse(Waiting { time, is_state: true, number, node, via: None }));
                if number.is_multiple_of(LOOK) {
                    plan.symbolic.budget().hold(passed.bytes());
                }
            }
        });
        if let Some(time) = goal {
            number += 1;
            let via = Some(via);
            waiting.push(Reverse(Waiting { time, is_state: false, number, node: parent, via }));
        }
        ControlFlow::Continue(())
    };
    let _ = explorer
        .initial(&mut |successor| meet(&mut passed, &mut waiting, successor, NodeRef::NONE));
    let mut state = vec![0; plan.symbolic.state_len()];
    let mut zone = Zone::zero(0);
    while let Some(Reverse(next)) = waiting.pop() {
        if !next.is_state {
            let mut path = passed.path(next.node);
            path.extend(next.via);
            return Some(path);
        }
        if !passed.load(plan, next.node, &mut state, &mut zone) {
            continue;
        }
        meter.statistics.explored += 1;
        let visit = &mut |successor: punctual_semantics::symbolic::Successor<'_>| {
            meet(&mut passed, &mut waiting, successor, next.node)
        };
        // What is in error ends the search for any trace, not this one: it goes another way.
        let _ = explorer.successors(&state, &zone, visit);
        if plan.symbolic.budget().is_spent() {
            return None;
        }
        if meter.statistics.explored.is_multiple_of(1024)
            && meter.look(passed.stored(), waiting.len() as u64, passed.bytes()).is_break()
        {
            return None;
        }
    }
    None
}

/// The least time in a zone.
fn time(zone: &Zone, clocks: &Active, clock: u32) -> Time {
    let number = clocks.number(clock + 1).expect("the time matters everywhere");
    let least = zone.min(number);
    (least.value, !least.attained)
}
