//! Random walks from the start, over and over again. A walk goes to no state that it has covered,
//! and forgets everything when it ends: this finds goals that many ways lead to, in models that are
//! too large for a search that remembers where it was, and whose luck is out once it took a wrong
//! turn. Walks can not tell that there is no goal: between them searches take turns that can, with
//! ever more time for both.
//!
//! How long a walk should be is unknown: the lengths follow the sequence of Luby, Sinclair and
//! Zuckerman (1993), which is the best choice up to a logarithm whatever the right length is.

use std::ops::ControlFlow;

use punctual_semantics::symbolic::{Explorer, Halt, Successor};
use punctual_zones::Zone;

use crate::depth::{Random, dive};
use crate::extremum::Extremes;
use crate::goal::Goal;
use crate::passed::{NodeRef, Passed};
use crate::plan::Plan;
use crate::search::{End, Meter, Search, start};

/// The steps of the shortest walks.
const SHORTEST: u64 = 256;
/// How many steps the walks of the first turn have. Each turn has twice as many as the one before;
/// the search that follows computes a fraction as many successors.
const FIRST_TURN: u64 = 1 << 8;
const SEARCH_SHARE: u64 = 4;
/// How many steps are between two looks at the observer.
const LOOK: u64 = 1 << 12;

/// Walks by chance, in turns with depth-first searches in random order.
pub(crate) fn random_walks(
    plan: &Plan,
    goal: &Goal<'_>,
    seed: u64,
    mut meter: Meter<'_>,
) -> Search {
    let mut extremes = Extremes::default();
    let mut walker = Walker::new(plan, goal, seed);
    let mut number = 0;
    let mut turn = FIRST_TURN;
    let (end, passed) = 'turns: loop {
        let until = meter.statistics.explored + turn;
        while meter.statistics.explored < until {
            number += 1;
            let mut passed = Passed::new(plan);
            let steps = luby(number) * SHORTEST;
            if let Some(end) = walker.walk(steps, &mut passed, &mut extremes, &mut meter) {
                break 'turns (end, passed);
            }
        }
        let mut passed = Passed::new(plan);
        let random = Some(Random(walker.random.next()));
        let limit = turn / SEARCH_SHARE;
        let end = dive(plan, goal, random, limit, &mut passed, &mut extremes, &mut meter);
        if let Some(end) = end {
            break (end, passed);
        }
        turn *= 2;
    };
    let statistics = meter.finish(passed.stored(), passed.bytes());
    Search { end, passed, statistics, extremes }
}

/// The numbers 1, 1, 2, 1, 1, 2, 4, 1, …: a power of two follows twice all that came before it.
fn luby(number: u64) -> u64 {
    let power = (number + 1).next_power_of_two();
    match number + 1 == power {
        true => power / 2,
        false => luby(number + 1 - power / 2),
    }
}

/// The working memory of walks.
struct Walker<'p, 'g> {
    plan: &'p Plan,
    goal: &'g Goal<'g>,
    explorer: Explorer<'p>,
    judge: Explorer<'p>,
    random: Random,
    /// Where the walk stands, and where it goes next.
    here: (Vec<i32>, Zone),
    there: (Vec<i32>, Zone),
    /// Steps until the last look.
    looked: u64,
}

impl<'p, 'g> Walker<'p, 'g> {
    fn new(plan: &'p Plan, goal: &'g Goal<'g>, seed: u64) -> Walker<'p, 'g> {
        let place = || (vec![0; plan.symbolic.state_len()], Zone::zero(0));
        Walker {
            plan,
            goal,
            explorer: Explorer::new(&plan.symbolic),
            judge: Explorer::new(&plan.symbolic),
            random: Random(seed),
            here: place(),
            there: place(),
            looked: 0,
        }
    }

    /// One walk; what it came to, if the search ends there.
    fn walk(
        &mut self,
        steps: u64,
        passed: &mut Passed,
        extremes: &mut Extremes,
        meter: &mut Meter<'_>,
    ) -> Option<End> {
        let first = match start(self.plan, self.goal, passed, extremes) {
            Ok(nodes) if nodes.is_empty() => return Some(End::Exhausted),
            Ok(nodes) => nodes,
            Err(end) => return Some(end),
        };
        let mut node = first[self.random.below(first.len())];
        let (state, zone) = &mut self.here;
        passed.load(self.plan, node, state, zone);
        for _ in 0..steps {
            meter.statistics.explored += 1;
            node = match self.step(node, passed, extremes, &mut meter.statistics.transitions) {
                Ok(next) => next?,
                Err(end) => return Some(end),
            };
            if meter.statistics.explored >= self.looked + LOOK {
                self.looked = meter.statistics.explored;
                let look = meter.look(passed.stored(), 0, passed.bytes());
                if let ControlFlow::Break(end) = look {
                    return Some(end);
                }
            }
        }
        None
    }

    /// Goes on to a state that the walk has not covered; none if there is none. Begins with a
    /// transition by chance and takes the next one that is possible.
    fn step(
        &mut self,
        node: NodeRef,
        passed: &mut Passed,
        extremes: &mut Extremes,
        transitions: &mut u64,
    ) -> Result<Option<NodeRef>, End> {
        let Walker { plan, goal, explorer, judge, random, here: (state, zone), there, .. } = self;
        let plan = *plan;
        let in_trouble = |halt: Halt| End::of(halt, node, plan);
        let fail = |halt: Halt| in_trouble(halt).expect("nobody stops it");
        if goal.is_late() && goal.is_met(judge, state, zone, false, extremes).map_err(fail)? {
            return Err(End::Goal { node, via: None });
        }
        let count = explorer.count_transitions(state, &*zone).map_err(fail)?;
        if count == 0 {
            return Ok(None);
        }
        let begin = random.below(count as usize) as u32;
        for (from, to) in [(begin, u32::MAX), (0, begin)] {
            let (mut next, mut end) = (None, None);
            let done = explorer.successors_from(from, state, &*zone, &mut |successor| {
                let via = successor.ordinal;
                if via >= to {
                    return ControlFlow::Break(());
                }
                *transitions += 1;
                let Successor { state, zone, diverges, .. } = &successor;
                let is_met = match goal.is_late() {
                    true => Ok(false),
                    false => goal.is_met(judge, state, zone, *diverges, extremes),
                };
                match is_met {
                    Ok(true) => end = Some(End::Goal { node, via: Some(via) }),
                    Ok(false) => plan.normalise(successor.zone, successor.clocks, |zone| {
                        if next.is_none() {
                            next = passed.insert(plan, successor.state, zone, node, via);
                            there.0.copy_from_slice(successor.state);
                            there.1.clone_from(zone);
                        }
                    }),
                    Err(halt) => end = in_trouble(halt),
                }
                match end.is_some() || next.is_some() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            if let Some(end) = end.or(done.err().and_then(in_trouble)) {
                return Err(end);
            }
            if next.is_some() {
                std::mem::swap(&mut self.here, &mut self.there);
                return Ok(next);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn lengths_double_after_all_before_came_twice() {
        let first: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
