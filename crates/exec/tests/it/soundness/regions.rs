//! Whether a network has a run with given observations, by exhaustive search of its regions.
//!
//! Shares no code with zones and estimates: built on the textbook semantics of single states. Two
//! states whose clocks have the same whole parts, and fractions in the same order, do the same (Alur &
//! Dill 1994), so one of each region speaks for all, and the search is exact: with `k` different
//! fractions above zero, the state is moved to the one where these are `1/(k+1)`, `2/(k+1)`, … Time
//! goes from one region to the next: by half of `1/(k+1)` if a fraction is zero, else until the
//! greatest is whole. Clocks above all constants do not count. One more clock tells the time, so
//! instants on the grid (multiples of a part of a unit) are told from those in between.

use std::collections::HashSet;

use punctual_model::{
    Action, AssignOp, AssignResult, Binary, BinaryOp, Branch, ChannelRef, Clock, Condition,
    Direction, Edge, Expr, Frame, Id, IdVec, Index, Indexed, Interface, Location, LocationId,
    LocationKind, Network, Number, Place, Process, ProcessId, Range, Storage, Sync,
};
use punctual_semantics::{
    Move, Rational,
    concrete::{Concrete, State},
    split::Side,
};

use super::generate::{Draft, LARGEST};

/// More states than this are not looked at.
const STATES_MAX: usize = 30_000;

/// Clocks above this are alike: constants, and variables with something added.
const CAP: i64 = LARGEST as i64;

/// Some processes of a network, with somebody outside who sends and takes everything else.
pub(super) struct Regions<'d> {
    network: Network,
    interface: &'d Interface,
    /// Who is outside, unless the network is closed.
    outside: Option<ProcessId>,
    /// Whether signals are sent, and whether they are received.
    uses: Vec<(bool, bool)>,
    offer: usize,
    /// Clocks that count.
    counts: Vec<bool>,
}

/// What was seen: an action, from one instant of the grid to another.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Sighting {
    pub(super) action: Action,
    pub(super) from: Instant,
    pub(super) to: Instant,
}

/// Twice the point of the grid, or the odd number in between.
pub(super) type Instant = i64;

/// The instant of some nanoseconds.
pub(super) fn instant(interface: &Interface, ns: u64) -> Instant {
    let parts = ns * u64::from(interface.time.resolution);
    let unit = interface.time.unit_ns;
    (2 * (parts / unit) + u64::from(!parts.is_multiple_of(unit))) as Instant
}

/// What an exhaustive search says; nothing if it takes too long or the model is in error.
pub(super) type Explained = Option<bool>;

impl<'d> Regions<'d> {
    /// These processes, and somebody outside.
    pub(super) fn open(draft: &'d Draft, kept: &[ProcessId]) -> Regions<'d> {
        let mut network = draft.network.clone();
        for id in draft.network.processes.ids().filter(|id| !kept.contains(id)) {
            let process = &mut network.processes[id];
            process.edges.truncate(0);
            for location in process.locations.iter_mut() {
                location.kind = LocationKind::Normal;
                location.invariant = Condition::default();
            }
        }
        let offer = network.initial.ints.len();
        network.initial.ints.extend([0; 3]);
        // Nobody need receive a broadcast, but what it carries changes.
        let mut uses = uses(&network, &draft.interface);
        let side = draft.sides[kept[0]];
        for (signal, uses) in draft.interface.signals.iter().zip(&mut uses) {
            let sent_by = match signal.direction {
                Direction::Input => Side::Environment,
                Direction::Output => Side::System,
            };
            uses.1 |= sent_by != side && network.channels[signal.channel].broadcast;
        }
        let outside = outside(&draft.interface, &uses, offer as u32);
        let outside = network.processes.push(outside);
        Regions::new(network, &draft.interface, Some(outside), uses, offer)
    }

    /// All processes of a side.
    pub(super) fn side(draft: &'d Draft, side: Side) -> Regions<'d> {
        let kept = draft.sides.enumerate().filter(|(_, other)| **other == side);
        Regions::open(draft, &kept.map(|(id, _)| id).collect::<Vec<_>>())
    }

    /// The whole network.
    pub(super) fn closed(draft: &'d Draft) -> Regions<'d> {
        let uses = uses(&draft.network, &draft.interface);
        Regions::new(draft.network.clone(), &draft.interface, None, uses, 0)
    }

    fn new(
        mut network: Network,
        interface: &'d Interface,
        outside: Option<ProcessId>,
        uses: Vec<(bool, bool)>,
        offer: usize,
    ) -> Regions<'d> {
        let mut counts = vec![false; network.clocks.len()];
        for process in &network.processes {
            let invariants = process.locations.iter().map(|location| &location.invariant);
            let conditions = invariants.chain(process.edges.iter().map(|edge| &edge.guard));
            for constraint in conditions.flat_map(|condition| &condition.clocks) {
                for clock in constraint.clocks() {
                    counts[clock.base.index()] = true;
                }
            }
        }
        let name = "time".to_owned();
        network.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 });
        counts.push(true);
        Regions { network, interface, outside, uses, offer, counts }
    }

    /// Whether a run has these sightings, of either queue in its order, and lasts until the end.
    /// Sightings that have nothing to do with the processes are left out.
    pub(super) fn explain(
        &self,
        first: &[Sighting],
        second: &[Sighting],
        end: Instant,
    ) -> Explained {
        let used = |it: &&Sighting| self.uses[it.action.signal.index()] != (false, false);
        let queues: [Vec<&Sighting>; 2] =
            [first.iter().filter(used).collect(), second.iter().filter(used).collect()];
        let concrete = Concrete::new(&self.network);
        let mut todo: Vec<(State, [usize; 2])> = Vec::new();
        let mut known: HashSet<(State, [usize; 2])> = HashSet::new();
        for state in concrete.initial().ok()? {
            todo.push((self.canonical(state), [0, 0]));
        }
        known.extend(todo.iter().cloned());
        while let Some((state, done)) = todo.pop() {
            let now = self.instant(&state);
            let next = [queues[0].get(done[0]), queues[1].get(done[1])];
            if next == [None, None] && now >= end {
                return Some(true);
            }
            if next.iter().flatten().any(|it| it.to < now) {
                continue;
            }
            let mut found = Vec::new();
            for (moves, after) in concrete.transitions(&state).ok()? {
                match self.action(&moves, &after) {
                    None => found.push((after, done)),
                    Some(action) => {
                        for (i, it) in next.iter().enumerate() {
                            if it.is_some_and(|it| it.action == action && it.from <= now) {
                                found.push((after.clone(), plus_one(done, i)));
                            }
                        }
                    }
                }
            }
            for (i, it) in next.iter().enumerate() {
                let Some(it) = it.filter(|it| self.is_offered(it) && it.from <= now) else {
                    continue;
                };
                let offered = self.offered(&state, &it.action);
                for (moves, mut after) in concrete.transitions(&offered).ok()? {
                    if moves.iter().any(|taken| Some(taken.process) == self.outside)
                        && self.sent(&moves) == Some(it.action.signal.index())
                    {
                        after.ints[self.offer..].fill(0);
                        found.push((after, plus_one(done, i)));
                    }
                }
            }
            let delay = self.delay(&state);
            if concrete.may_wait(&state, delay).ok()? {
                found.push((concrete.waited(&state, delay), done));
            }
            for (state, done) in found {
                let found = (self.canonical(state), done);
                if known.insert(found.clone()) {
                    todo.push(found);
                }
            }
            if known.len() > STATES_MAX {
                return None;
            }
        }
        Some(false)
    }

    /// Whether somebody outside sends it.
    fn is_offered(&self, sighting: &Sighting) -> bool {
        self.outside.is_some() && self.uses[sighting.action.signal.index()].1
    }

    fn offered(&self, state: &State, action: &Action) -> State {
        let mut state = state.clone();
        state.ints[self.offer] = action.signal.index() as i32 + 1;
        for (place, value) in state.ints[self.offer + 1..].iter_mut().zip(&action.values) {
            *place = *value;
        }
        state
    }

    /// The number of the signal that is sent by these moves.
    fn sent(&self, moves: &[Move]) -> Option<usize> {
        moves.iter().find_map(|taken| {
            let edge = &self.network.processes[taken.process].edges[taken.edge];
            let Sync::Send(channel) = &edge.sync else { return None };
            // Selected values are the only indices.
            let offset = match channel.indices.is_empty() {
                true => 0,
                false => taken.selects[0] as usize,
            };
            let channel = channel.base.index() + offset;
            self.interface.signals.iter().position(|signal| signal.channel.index() == channel)
        })
    }

    /// What is seen of a transition.
    fn action(&self, moves: &[Move], after: &State) -> Option<Action> {
        let number = self.sent(moves)?;
        let (signal, it) = self.interface.signals.enumerate().nth(number)?;
        let values = it.values.iter().map(|carried| after.ints[carried.slot as usize]);
        Some(Action { signal, values: values.collect() })
    }

    fn in_parts(&self, value: Rational) -> Rational {
        Rational::new(
            value.numerator() * i64::from(self.interface.time.resolution),
            value.denominator(),
        )
    }

    fn instant(&self, state: &State) -> Instant {
        let time = self.in_parts(*state.clocks.last().expect("the clock that tells the time"));
        let (n, d) = (time.numerator(), time.denominator());
        2 * n.div_euclid(d) + i64::from(d != 1)
    }

    /// The fractions of the clocks that count, each once, in their order.
    fn fractions(&self, state: &State) -> Vec<Rational> {
        let counting = state.clocks.iter().zip(&self.counts).enumerate();
        let last = state.clocks.len() - 1;
        let counting = counting.filter(|(i, (value, counts))| {
            **counts && (*i == last || **value <= Rational::from(CAP))
        });
        let mut fractions: Vec<Rational> =
            counting.map(|(_, (value, _))| fraction(self.in_parts(*value))).collect();
        fractions.sort_unstable();
        fractions.dedup();
        fractions
    }

    /// The state that speaks for its region.
    fn canonical(&self, mut state: State) -> State {
        let fractions = self.fractions(&state);
        let above = fractions.iter().filter(|it| **it != Rational::ZERO).count() as i64;
        let zeros = fractions.len() as i64 - above;
        let last = state.clocks.len() - 1;
        let resolution = i64::from(self.interface.time.resolution);
        for (i, value) in state.clocks.iter_mut().enumerate() {
            if !self.counts[i] || (i != last && *value > Rational::from(CAP)) {
                *value = Rational::from(CAP + 1);
                continue;
            }
            let parts = Rational::new(value.numerator() * resolution, value.denominator());
            let whole = parts.numerator().div_euclid(parts.denominator());
            let rank = fractions.binary_search(&fraction(parts)).expect("its own") as i64;
            let rank = rank + 1 - zeros;
            let parts = Rational::new(whole * (above + 1) + rank, above + 1);
            *value = Rational::new(parts.numerator(), parts.denominator() * resolution);
        }
        state
    }

    /// How long it takes to the next region, from a state that speaks for one.
    fn delay(&self, state: &State) -> Rational {
        let fractions = self.fractions(state);
        let above = fractions.iter().filter(|it| **it != Rational::ZERO).count() as i64;
        let resolution = i64::from(self.interface.time.resolution);
        let has_zero = fractions.len() as i64 > above;
        Rational::new(1, (above + 1) * resolution * if has_zero { 2 } else { 1 })
    }
}

fn plus_one(mut done: [usize; 2], i: usize) -> [usize; 2] {
    done[i] += 1;
    done
}

fn fraction(value: Rational) -> Rational {
    Rational::new(value.numerator().rem_euclid(value.denominator()), value.denominator())
}

/// For each signal, whether a process sends it, and whether one receives it.
fn uses(network: &Network, interface: &Interface) -> Vec<(bool, bool)> {
    let mut uses = vec![(false, false); interface.signals.len()];
    for edge in network.processes.iter().flat_map(|process| &process.edges) {
        let Some(channel) = edge.sync.channel() else { continue };
        for (signal, uses) in interface.signals.iter().zip(&mut uses) {
            if may_be(channel, signal.channel.index()) {
                match edge.sync {
                    Sync::Send(_) => uses.0 = true,
                    _ => uses.1 = true,
                }
            }
        }
    }
    uses
}

fn may_be(channel: &ChannelRef, at: usize) -> bool {
    let len: usize = channel.indices.iter().map(|index: &Index| index.len as usize).product();
    (channel.base.index()..channel.base.index() + len).contains(&at)
}

/// Takes whatever is sent, and sends what is offered.
fn outside(interface: &Interface, uses: &[(bool, bool)], offer: u32) -> Process {
    let mut locations = IdVec::new();
    let at: LocationId = locations.push(Location {
        name: "Any".to_owned(),
        kind: LocationKind::Normal,
        invariant: Condition::default(),
        rates: Vec::new(),
        exponential_rate: None,
        labels: Vec::new(),
        frame: Frame::default(),
    });
    let mut edges = IdVec::new();
    for (number, signal) in interface.signals.iter().enumerate() {
        let channel = Indexed::fixed(signal.channel);
        let mut edge = Edge {
            source: at,
            selects: Vec::new(),
            guard: Condition::default(),
            sync: Sync::Receive(channel.clone()),
            update: Vec::new(),
            branches: vec![Branch {
                weight: None,
                selects: Vec::new(),
                update: Vec::new(),
                target: at,
            }],
            controllable: true,
            frame: Frame::default(),
        };
        if uses[number].1 {
            edge.sync = Sync::Send(channel);
            edge.guard.data.push(Expr::Binary(Box::new(Binary {
                op: BinaryOp::Equal,
                number: Number::Int,
                size: 1,
                left: Expr::Load(slot(offer)),
                right: Expr::Int(number as i32 + 1),
            })));
            edge.update.extend(signal.values.iter().zip(offer + 1..).map(|(carried, from)| {
                Expr::Assign {
                    target: Box::new(slot(carried.slot)),
                    op: AssignOp::Set,
                    value: Box::new(Expr::Load(slot(from))),
                    result: AssignResult::New,
                }
            }));
        }
        edges.push(edge);
    }
    let (name, template) = ("Outside".to_owned(), "Outside".to_owned());
    Process { name, template, locations, initial: vec![at], edges, priority: 0 }
}

fn slot(base: u32) -> Place {
    let (storage, number, range) = (Storage::State, Number::Int, Range::ALL);
    Place { storage, number, base, indices: Vec::new(), size: 1, range }
}

/// What was seen, in the queues of inputs and outputs.
pub(super) fn queues(
    interface: &Interface,
    sightings: &[Sighting],
) -> (Vec<Sighting>, Vec<Sighting>) {
    let is_input =
        |it: &Sighting| interface.signals[it.action.signal].direction == Direction::Input;
    sightings.iter().cloned().partition(is_input)
}
