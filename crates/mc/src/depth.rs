//! Depth-first search, with successors in their order or by chance. Uses one thread: what is
//! explored next depends on what was found last.

use std::ops::ControlFlow;

use crate::extremum::Extremes;
use crate::goal::Goal;
use crate::passed::Passed;
use crate::plan::Plan;
use crate::search::{End, Expander, Meter, Search, start};

/// How many successors are computed between two looks at the observer, about.
const LOOK: u64 = 1 << 12;

/// Searches depth first; with a seed, in random order.
pub(crate) fn depth_first(
    plan: &Plan,
    goal: &Goal<'_>,
    seed: Option<u64>,
    mut meter: Meter<'_>,
) -> Search {
    let mut passed = Passed::new(plan);
    let mut extremes = Extremes::default();
    let random = seed.map(Random);
    let end = dive(plan, goal, random, u64::MAX, &mut passed, &mut extremes, &mut meter)
        .expect("there is no limit");
    let statistics = meter.finish(passed.stored(), passed.bytes());
    Search { end, passed, statistics, extremes }
}

/// Searches depth first until so many successors are computed; none if that was not enough.
pub(crate) fn dive(
    plan: &Plan,
    goal: &Goal<'_>,
    mut random: Option<Random>,
    limit: u64,
    passed: &mut Passed,
    extremes: &mut Extremes,
    meter: &mut Meter<'_>,
) -> Option<End> {
    let mut stack = match start(plan, goal, passed, extremes) {
        Err(end) => return Some(end),
        Ok(first) => first,
    };
    let mut expander = Expander::new(plan);
    let mut looked = meter.statistics.transitions;
    let until = looked.saturating_add(limit);
    while let Some(node) = stack.pop() {
        if !passed.load(plan, node, &mut expander.state, &mut expander.zone) {
            passed.stores[node.store()].forget(node.node());
            continue;
        }
        if meter.statistics.transitions >= until {
            return None;
        }
        meter.statistics.explored += 1;
        let first = stack.len();
        let mut transitions: u64 = 0;
        let budget = meter.budget;
        let end = expander.expand(plan, goal, node, extremes, &mut |via, state, zone| {
            transitions += 1;
            stack.extend(passed.insert(plan, state, zone, node, via));
            if transitions.is_multiple_of(LOOK) {
                budget.hold(passed.bytes() + stack.len() as u64 * 4);
            }
        });
        meter.statistics.transitions += transitions;
        if end.is_some() {
            return end;
        }
        match &mut random {
            Some(random) => random.shuffle(&mut stack[first..]),
            // The first successor is explored first.
            None => stack[first..].reverse(),
        }
        if meter.statistics.transitions >= looked + LOOK {
            looked = meter.statistics.transitions;
            let bytes = passed.bytes() + stack.len() as u64 * 4;
            let look = meter.look(passed.stored(), stack.len() as u64, bytes);
            if let ControlFlow::Break(end) = look {
                return Some(end);
            }
        }
    }
    Some(End::Exhausted)
}

/// SplitMix64 (Steele, Lea & Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below this one.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
