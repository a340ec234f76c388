//! The concrete semantics of a network, asked once for each state without clocks and each truth of what clocks are compared with.
//!
//! `semantics::concrete` says which transitions are possible at an instant and what they lead to. That depends on clocks only by
//! comparisons with constants, so an answer is kept and serves for all values that compare alike. Time is counted in
//! ticks, of which a unit of the model has as many as whoever asks needs.
//!
//! What is not treated is refused: clocks that are compared with each other, strict bounds, clocks that are set to anything but 0, an
//! environment that moves by itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use punctual_model::{
    ChannelId, ChannelRef, ClockConstraint, ClockId, Condition, EdgeId, Frame, Id, LocationId,
    LocationKind, Network, Number, ProcessId, Relation, StateExpr, Sync,
};
use punctual_semantics::concrete::{Concrete, State};
use punctual_semantics::{Move, Rational};

/// A clock is compared with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    pub(super) clock: usize,
    /// In ticks.
    pub(super) bound: i64,
    /// Whether the clock must be at least the bound; at most, otherwise.
    is_lower: bool,
}

/// A process that can act without an input, by some of its edges.
pub(super) struct Actor {
    pub(super) process: ProcessId,
    pub(super) edges: Vec<(EdgeId, Vec<Bound>)>,
    /// The bounds of its invariant.
    pub(super) stays: Vec<Bound>,
}

/// A state without its clocks.
pub(super) struct Known {
    pub(super) locations: Vec<LocationId>,
    pub(super) ints: Vec<i32>,
    /// Whether time can not pass.
    pub(super) stands: bool,
    pub(super) actors: Vec<Actor>,
    /// The bounds of all invariants.
    pub(super) stays: Vec<Bound>,
    /// All that the clocks are compared with by what may happen next.
    pub(super) compared: Vec<Bound>,
    /// For each truth of these that was asked about, the number of the answer.
    asked: Vec<(u64, usize)>,
}

/// A transition.
pub(super) struct Step {
    pub(super) by: By,
    /// The state after.
    pub(super) next: usize,
    /// The clocks that are 0 after.
    resets: Vec<usize>,
}

/// Who decides about a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By {
    /// A process of the system, by an edge.
    Own(ProcessId, EdgeId),
    /// The environment, by an input.
    Input(ChannelId),
}

pub(super) struct Lookup<'n> {
    network: &'n Network,
    concrete: Concrete<'n>,
    is_system: Vec<bool>,
    ticks: i64,
    /// The clocks that something looks at; only these have values here.
    pub(super) clocks: Vec<ClockId>,
    /// For each of them all bounds, in ticks.
    pub(super) bounds: Vec<BTreeSet<i64>>,
    numbers: HashMap<(Vec<LocationId>, Vec<i32>), usize>,
    known: Vec<Known>,
    answers: Vec<Vec<Step>>,
}

impl<'n> Lookup<'n> {
    pub(super) fn new(
        network: &'n Network,
        is_system: impl Fn(ProcessId) -> bool,
        ticks: i64,
    ) -> Result<Lookup<'n>, String> {
        let mut lookup = Lookup {
            network,
            concrete: Concrete::new(network),
            is_system: network.processes.ids().map(is_system).collect(),
            ticks,
            clocks: Vec::new(),
            bounds: Vec::new(),
            numbers: HashMap::new(),
            known: Vec::new(),
            answers: Vec::new(),
        };
        let mut compared: BTreeMap<ClockId, BTreeSet<i64>> = BTreeMap::new();
        for process in &network.processes {
            // Without edges, a process stays where it is, and nothing looks at its clocks elsewhere.
            let is_here = |at| !process.edges.is_empty() || process.initial.contains(&at);
            let locations = process.locations.enumerate().filter(|(at, _)| is_here(*at));
            let invariants = locations.map(|(_, location)| &location.invariant);
            let guards = process.edges.iter().map(|edge| &edge.guard);
            for constraint in invariants.chain(guards).flat_map(|condition| &condition.clocks) {
                let (clock, bound, _) = read(constraint, ticks)?;
                compared.entry(clock).or_default().insert(bound);
            }
        }
        (lookup.clocks, lookup.bounds) = compared.into_iter().unzip();
        Ok(lookup)
    }

    /// The state that the network starts in, and its clocks.
    pub(super) fn start(&mut self) -> Result<(usize, Vec<i64>), String> {
        let starts = self.concrete.initial().map_err(|it| it.to_string())?;
        let [start] = &starts[..] else { return Err("several states to start in".to_owned()) };
        if start.clocks.iter().any(|clock| *clock != Rational::ZERO) {
            return Err("a clock that does not start at 0".to_owned());
        }
        let number = self.number(start.locations.clone(), start.ints.clone())?;
        Ok((number, vec![0; self.clocks.len()]))
    }

    pub(super) fn known(&self, state: usize) -> &Known {
        &self.known[state]
    }

    /// The same state with a process somewhere else.
    pub(super) fn displaced(
        &mut self,
        state: usize,
        process: ProcessId,
        location: LocationId,
    ) -> Result<usize, String> {
        let Known { locations, ints, .. } = &self.known[state];
        let (mut locations, ints) = (locations.clone(), ints.clone());
        locations[process.index()] = location;
        self.number(locations, ints)
    }

    /// The transitions that are possible after a delay; whether time may pass so is not asked.
    #[inline]
    pub(super) fn steps(
        &mut self,
        state: usize,
        clocks: &[i64],
        delay: i64,
    ) -> Result<usize, String> {
        let known = &self.known[state];
        let mut truth = 0;
        for bound in &known.compared {
            truth = truth << 1 | u64::from(bound.holds(clocks, delay));
        }
        if let Some((_, answer)) = known.asked.iter().find(|(it, _)| *it == truth) {
            return Ok(*answer);
        }
        let steps = self.ask(state, clocks, delay)?;
        self.answers.push(steps);
        let answer = self.answers.len() - 1;
        self.known[state].asked.push((truth, answer));
        Ok(answer)
    }

    pub(super) fn answer(&self, answer: usize) -> &[Step] {
        &self.answers[answer]
    }

    fn ask(&mut self, state: usize, clocks: &[i64], delay: i64) -> Result<Vec<Step>, String> {
        let known = &self.known[state];
        // A clock that is 0 gets a little more, so that it can be seen which are set to 0; and so do those that nothing looks at.
        let little = Rational::new(1, 7 * self.ticks);
        let mut before = State {
            locations: known.locations.clone(),
            ints: known.ints.clone(),
            clocks: vec![little; self.network.clocks.len()],
        };
        for (clock, value) in self.clocks.iter().zip(clocks) {
            if value + delay > 0 {
                before.clocks[clock.index()] = Rational::new(value + delay, self.ticks);
            }
        }
        let mut steps = Vec::new();
        let found = self.concrete.transitions(&before).map_err(|it| it.to_string())?;
        for (moves, after) in found {
            let by = self.by(&before, moves.first().ok_or("a transition of nobody")?)?;
            let mut resets = Vec::new();
            for (at, clock) in self.clocks.iter().enumerate() {
                let after = after.clocks[clock.index()];
                if after == Rational::ZERO {
                    resets.push(at);
                } else if after != before.clocks[clock.index()] {
                    return Err("a clock that is not set to 0".to_owned());
                }
            }
            let next = self.number(after.locations, after.ints)?;
            steps.push(Step { by, next, resets });
        }
        Ok(steps)
    }

    fn by(&self, state: &State, first: &Move) -> Result<By, String> {
        if self.is_system[first.process.index()] {
            return Ok(By::Own(first.process, first.edge));
        }
        let edge = &self.network.processes[first.process].edges[first.edge];
        let Sync::Send(channel) = &edge.sync else {
            return Err("an environment that moves by itself".to_owned());
        };
        self.channel(state, channel, edge.frame, &first.selects).map(By::Input)
    }

    fn channel(
        &self,
        state: &State,
        channel: &ChannelRef,
        frame: Frame,
        selects: &[i32],
    ) -> Result<ChannelId, String> {
        let mut at = channel.base.index();
        for index in &channel.indices {
            let expr = StateExpr { expr: index.value.clone(), number: Number::Int, frame };
            let value = self.concrete.value_with(state, &expr, selects);
            let steps = value.map_err(|it| it.to_string())? - index.lo;
            at += usize::try_from(steps).map_err(|_| "an index")? * index.stride as usize;
        }
        Ok(ChannelId::from_index(at))
    }

    fn number(&mut self, locations: Vec<LocationId>, ints: Vec<i32>) -> Result<usize, String> {
        let key = (locations, ints);
        if let Some(number) = self.numbers.get(&key) {
            return Ok(*number);
        }
        let known = self.describe(&key.0, &key.1)?;
        self.known.push(known);
        self.numbers.insert(key, self.known.len() - 1);
        Ok(self.known.len() - 1)
    }

    fn bounds(&self, condition: &Condition) -> Result<Vec<Bound>, String> {
        let bound = |constraint: &ClockConstraint| {
            let (clock, bound, is_lower) = read(constraint, self.ticks)?;
            let clock = self.clocks.iter().position(|it| *it == clock).ok_or("an unknown clock")?;
            Ok(Bound { clock, bound, is_lower })
        };
        condition.clocks.iter().map(bound).collect()
    }

    fn describe(&self, locations: &[LocationId], ints: &[i32]) -> Result<Known, String> {
        let mut known = Known {
            locations: locations.to_vec(),
            ints: ints.to_vec(),
            stands: false,
            actors: Vec::new(),
            stays: Vec::new(),
            compared: Vec::new(),
            asked: Vec::new(),
        };
        for ((id, process), at) in self.network.processes.enumerate().zip(locations) {
            let here = &process.locations[*at];
            known.stands |= here.kind != LocationKind::Normal;
            let stays = self.bounds(&here.invariant)?;
            known.stays.extend(&stays);
            let mut own = Vec::new();
            for (number, edge) in process.edges.enumerate().filter(|(_, it)| it.source == *at) {
                let guard = self.bounds(&edge.guard)?;
                known.compared.extend(&guard);
                for branch in &edge.branches {
                    let there = &process.locations[branch.target].invariant;
                    known.compared.extend(self.bounds(there)?);
                }
                if self.is_system[id.index()] && !matches!(edge.sync, Sync::Receive(_)) {
                    own.push((number, guard));
                }
            }
            if !own.is_empty() {
                known.actors.push(Actor { process: id, edges: own, stays });
            }
        }
        // Other invariants are asked, too, when a transition is made.
        known.compared.extend(known.stays.clone());
        let mut different: Vec<Bound> = Vec::new();
        for bound in known.compared {
            if !different.contains(&bound) {
                different.push(bound);
            }
        }
        known.compared = different;
        match known.compared.len() {
            0..=64 => Ok(known),
            _ => Err("too many comparisons of clocks".to_owned()),
        }
    }
}

impl Bound {
    fn holds(&self, clocks: &[i64], delay: i64) -> bool {
        let value = clocks[self.clock] + delay;
        if self.is_lower { value >= self.bound } else { value <= self.bound }
    }

    /// How long it takes until the clock is at the bound.
    fn left(&self, clocks: &[i64]) -> i64 {
        self.bound - clocks[self.clock]
    }
}

impl Known {
    /// How long the invariants allow to stay; none if for ever.
    pub(super) fn stay(&self, clocks: &[i64]) -> Option<i64> {
        stay(&self.stays, clocks)
    }

    /// The first delay above this one at which something is compared otherwise.
    pub(super) fn next_change(&self, clocks: &[i64], delay: i64) -> Option<i64> {
        // What is at most a bound is no more so just behind it.
        let change = |it: &Bound| it.left(clocks) + i64::from(!it.is_lower);
        self.compared.iter().map(change).filter(|it| *it > delay).min()
    }
}

impl Actor {
    pub(super) fn stay(&self, clocks: &[i64]) -> Option<i64> {
        stay(&self.stays, clocks)
    }
}

/// The first and the last delay at which the bounds of a guard hold; the last is none if there is none.
pub(super) fn window(guard: &[Bound], clocks: &[i64]) -> (i64, Option<i64>) {
    let lower = guard.iter().filter(|it| it.is_lower).map(|it| it.left(clocks));
    let upper = guard.iter().filter(|it| !it.is_lower).map(|it| it.left(clocks));
    (lower.max().unwrap_or(0).max(0), upper.min())
}

impl Step {
    pub(super) fn reset(&self, clocks: &mut [i64]) {
        self.resets.iter().for_each(|clock| clocks[*clock] = 0);
    }
}

fn stay(bounds: &[Bound], clocks: &[i64]) -> Option<i64> {
    bounds.iter().filter(|it| !it.is_lower).map(|it| it.left(clocks)).min()
}

/// A clock, what it is compared with in ticks, and whether it must be at least that.
fn read(constraint: &ClockConstraint, ticks: i64) -> Result<(ClockId, i64, bool), String> {
    let ClockConstraint { when: None, left: Some(clock), right: None, relation, bound, .. } =
        constraint
    else {
        return Err("a condition of clocks that is not treated".to_owned());
    };
    let is_lower = match relation {
        Relation::GreaterEqual => true,
        Relation::LessEqual => false,
        _ => return Err("a strict bound".to_owned()),
    };
    let bound = i64::from(bound.as_int().ok_or("a bound that is not constant")?) * ticks;
    if !clock.indices.is_empty() || bound < i64::from(!is_lower) {
        return Err("a bound that is not treated".to_owned());
    }
    Ok((clock.base, bound, is_lower))
}
