//! Guided search: explores first what seems nearest to the goal, and looks at no more successors of
//! a state than it takes to get nearer. Finds goals in models that are far too large to be searched
//! through; if there is no goal, it visits all states like any other search.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use punctual_semantics::symbolic::{Explorer, Guide, Halt};
use punctual_zones::Zone;

use crate::extremum::Extremes;
use crate::goal::Goal;
use crate::passed::{NodeRef, Passed};
use crate::plan::Plan;
use crate::search::{End, Meter, Search, start};

/// How many steps from the start weigh as much as one that still seems to be missing.
const WEIGHT: u64 = 5;

/// How many states are stored between two counts of what they take.
const COUNT: u64 = 1 << 12;
/// How many successors are computed between two looks at the observer.
const LOOK: u64 = 1 << 8;

/// A state whose successors from one number on are not computed yet.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    /// What counts: how far it seems to be from the goal, and a little how far from the start.
    rank: u64,
    /// How far it seems to be from the goal.
    distance: u32,
    /// How far it is from the start.
    depth: u32,
    /// Among equals, those that were found last.
    number: Reverse<u64>,
    node: NodeRef,
    next: u32,
}

/// Searches what seems nearest first.
pub(crate) fn guided(plan: &Plan, goal: &Goal<'_>, guide: &Guide, mut meter: Meter<'_>) -> Search {
    let mut passed = Passed::new(plan);
    let mut extremes = Extremes::default();
    let end = match start(plan, goal, &mut passed, &mut extremes) {
        Err(end) => end,
        Ok(first) => run(plan, goal, guide, &mut meter, &mut passed, first, &mut extremes),
    };
    let statistics = meter.finish(passed.stored(), passed.bytes());
    Search { end, passed, statistics, extremes }
}

fn run(
    plan: &Plan,
    goal: &Goal<'_>,
    guide: &Guide,
    meter: &mut Meter<'_>,
    passed: &mut Passed,
    first: Vec<NodeRef>,
    extremes: &mut Extremes,
) -> End {
    let mut explorer = Explorer::new(&plan.symbolic);
    let mut judge = Explorer::new(&plan.symbolic);
    let mut state = vec![0; plan.symbolic.state_len()];
    let mut zone = Zone::zero(0);
    let mut number = 0;
    let start =
        |node| Waiting { rank: 0, distance: u32::MAX, depth: 0, number: Reverse(0), node, next: 0 };
    let mut waiting: BinaryHeap<Reverse<Waiting>> =
        first.into_iter().map(|node| Reverse(start(node))).collect();
    let mut looked = 0;
    while let Some(Reverse(Waiting { rank, distance, depth, node, next, .. })) = waiting.pop() {
        if !passed.load(plan, node, &mut state, &mut zone) {
            continue;
        }
        let trouble = |halt: Halt| End::of(halt, node, plan).expect("only successors are stopped");
        if next == 0 {
            meter.statistics.explored += 1;
            if goal.is_late() {
                match goal.is_met(&mut judge, &state, &zone, false, extremes) {
                    Ok(true) => return End::Goal { node, via: None },
                    Ok(false) => {}
                    Err(halt) => return trouble(halt),
                }
            }
        }
        let mut end = None;
        // The transition that led nearer: once all its parts are seen, the others wait.
        let (mut nearer, mut resume) = (None, None);
        let halted = explorer.successors_from(next, &state, &zone, &mut |successor| {
            let via = successor.ordinal;
            if nearer.is_some_and(|nearer| nearer < via) {
                resume = Some(via);
                return ControlFlow::Break(());
            }
            meter.statistics.transitions += 1;
            let mut look = || {
                if !goal.is_late() {
                    let (zone, diverges) = (&*successor.zone, successor.diverges);
                    if goal.is_met(&mut judge, successor.state, zone, diverges, extremes)? {
                        end = Some(End::Goal { node, via: Some(via) });
                    }
                }
                Ok(guide.distance(&mut judge, successor.state))
            };
            let far = match look() {
                Ok(far) => far,
                Err(halt) => {
                    end = Some(trouble(halt));
                    return ControlFlow::Break(());
                }
            };
            if end.is_some() {
                return ControlFlow::Break(());
            }
            plan.normalise(successor.zone, successor.clocks, |zone| {
                if let Some(node) = passed.insert(plan, successor.state, zone, node, via) {
                    number += 1;
                    let depth = depth + 1;
                    let rank = u64::from(far) * WEIGHT + u64::from(depth);
                    let number = Reverse(number);
                    let next = Waiting { rank, distance: far, depth, number, node, next: 0 };
                    waiting.push(Reverse(next));
                    if number.0.is_multiple_of(COUNT) {
                        let waiting = (waiting.len() * size_of::<Waiting>()) as u64;
                        meter.budget.hold(passed.bytes() + waiting);
                    }
                    if far < distance {
                        nearer = Some(via);
                    }
                }
            });
            ControlFlow::Continue(())
        });
        if let Some(end) = end {
            return end;
        }
        if let Some(end) = halted.err().and_then(|halt| End::of(halt, node, plan)) {
            return end;
        }
        if let Some(next) = resume {
            number += 1;
            let number = Reverse(number);
            waiting.push(Reverse(Waiting { rank, distance, depth, number, node, next }));
        }
        if meter.statistics.transitions >= looked + LOOK {
            looked = meter.statistics.transitions;
            let bytes = passed.bytes() + (waiting.len() * size_of::<Waiting>()) as u64;
            if let ControlFlow::Break(end) =
                meter.look(passed.stored(), waiting.len() as u64, bytes)
            {
                return end;
            }
        }
    }
    End::Exhausted
}
