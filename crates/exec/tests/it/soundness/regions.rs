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

use punctual_model::testing::Place as Shown;
use punctual_model::{
    Action, AssignOp, AssignResult, Binary, BinaryOp, Branch, ChannelRef, Clock, Condition,
    Direction, Edge, Expr, Frame, Happening, Id, IdVec, Index, Indexed, Interface, Location,
    LocationId, LocationKind, Network, Number, Place, PortId, Process, ProcessId, Range, Reading,
    Storage, Sync, Wired,
};
use punctual_semantics::{
    Move, Rational,
    concrete::{Concrete, State},
    split::Side,
};

use super::generate::{Draft, LARGEST};

/// More states than this are not looked at.
const STATES_MAX: usize = 30_000;

/// Clocks above this are alike, unless there are larger constants: constants, and variables with something added.
const CAP: i64 = LARGEST as i64;

/// Some processes of a network, with somebody outside who sends and takes everything else.
pub(super) struct Regions<'d> {
    network: Network,
    wired: &'d Wired,
    /// The ports that show something of the processes.
    ports: Vec<PortId>,
    /// Who is outside, unless the network is closed.
    outside: Option<ProcessId>,
    /// Whether signals are sent, and whether they are received.
    uses: Vec<(bool, bool)>,
    offer: usize,
    /// Clocks that count.
    counts: Vec<bool>,
    /// Clocks above this are alike.
    cap: i64,
}

/// What was seen: a signal or a reading, from one instant of the grid to another.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Sighting {
    pub(super) what: Happening,
    pub(super) from: Instant,
    pub(super) to: Instant,
}

impl Sighting {
    fn action(&self) -> Option<&Action> {
        match &self.what {
            Happening::Signal(action) => Some(action),
            _ => None,
        }
    }
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
        let mut uses = uses(&network, &draft.wired);
        let side = draft.sides[kept[0]];
        let signals = draft.interface().signals.iter().zip(&draft.wired.wires);
        for ((signal, wire), uses) in signals.zip(&mut uses) {
            let sent_by = match signal.direction {
                Direction::Input => Side::Environment,
                Direction::Output => Side::System,
            };
            uses.1 |= sent_by != side && network.channels[wire.channel].broadcast;
        }
        let outside = outside(&draft.wired, &uses, offer as u32);
        let outside = network.processes.push(outside);
        let shows = |place: &Option<Shown>| match place {
            Some(Shown::Location(process)) => kept.contains(process),
            Some(Shown::Variable(slot)) => {
                kept.iter().any(|id| writes(&draft.network.processes[*id], slot.slot))
            }
            None => false,
        };
        let ports = draft.wired.places.enumerate().filter(|(_, place)| shows(place));
        let ports = ports.map(|(id, _)| id).collect();
        Regions::new(network, (&draft.wired, ports), Some(outside), uses, offer)
    }

    /// All processes of a side. The system answers for all signals: an output that none of its processes sends is not explained, nor is
    /// an input that none of them receives.
    pub(super) fn side(draft: &'d Draft, side: Side) -> Regions<'d> {
        let kept = draft.sides.enumerate().filter(|(_, other)| **other == side);
        let mut regions = Regions::open(draft, &kept.map(|(id, _)| id).collect::<Vec<_>>());
        let signals = draft.interface().signals.iter();
        for (signal, uses) in signals.zip(&mut regions.uses).filter(|_| side == Side::System) {
            if *uses == (false, false) {
                let is_output = signal.direction == Direction::Output;
                *uses = (is_output, !is_output);
            }
        }
        regions
    }

    /// Whether some process sends each output of these sightings.
    pub(super) fn sends(&self, seen: &[Sighting]) -> bool {
        seen.iter().filter_map(Sighting::action).all(|action| {
            let is_output =
                self.wired.interface.signals[action.signal].direction == Direction::Output;
            !is_output || self.uses[action.signal.index()].0
        })
    }

    /// The whole network.
    pub(super) fn closed(draft: &'d Draft) -> Regions<'d> {
        let uses = uses(&draft.network, &draft.wired);
        let ports = draft.interface().ports.ids().collect();
        Regions::new(draft.network.clone(), (&draft.wired, ports), None, uses, 0)
    }

    fn new(
        mut network: Network,
        (wired, ports): (&'d Wired, Vec<PortId>),
        outside: Option<ProcessId>,
        uses: Vec<(bool, bool)>,
        offer: usize,
    ) -> Regions<'d> {
        let mut counts = vec![false; network.clocks.len()];
        let mut cap = CAP;
        for process in &network.processes {
            let invariants = process.locations.iter().map(|location| &location.invariant);
            let conditions = invariants.chain(process.edges.iter().map(|edge| &edge.guard));
            for constraint in conditions.flat_map(|condition| &condition.clocks) {
                cap = cap.max(constraint.bound.as_int().unwrap_or(0).into());
                for clock in constraint.clocks() {
                    counts[clock.base.index()] = true;
                }
            }
        }
        let name = "time".to_owned();
        network.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 });
        counts.push(true);
        Regions { network, wired, ports, outside, uses, offer, counts, cap }
    }

    /// Whether a run has these sightings, of either queue in its order, and lasts until the end.
    /// Sightings that have nothing to do with the processes are left out.
    pub(super) fn explain(
        &self,
        first: &[Sighting],
        second: &[Sighting],
        end: Instant,
    ) -> Explained {
        self.shows_then(first, second, end, &mut |_, _| true)
    }

    /// The same, if some state at or behind the end, after all sightings, is accepted.
    pub(super) fn shows_then(
        &self,
        first: &[Sighting],
        second: &[Sighting],
        end: Instant,
        accepts: &mut dyn FnMut(Instant, &State) -> bool,
    ) -> Explained {
        let used = |it: &&Sighting| match it.action() {
            Some(action) => self.uses[action.signal.index()] != (false, false),
            None => true,
        };
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
                if accepts(now, &state) {
                    return Some(true);
                }
                if now > end {
                    continue;
                }
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
                            if it.is_some_and(|it| it.action() == Some(&action) && it.from <= now) {
                                found.push((after.clone(), plus_one(done, i)));
                            }
                        }
                    }
                }
            }
            for (i, it) in next.iter().enumerate() {
                let Some(it) = it.filter(|it| it.from <= now) else { continue };
                if let Happening::Reading(reading) = &it.what {
                    if self.shows(&state, reading) {
                        found.push((state.clone(), plus_one(done, i)));
                    }
                    continue;
                }
                let Some(action) = it.action().filter(|action| self.is_offered(action)) else {
                    continue;
                };
                let offered = self.offered(&state, action);
                for (moves, mut after) in concrete.transitions(&offered).ok()? {
                    if moves.iter().any(|taken| Some(taken.process) == self.outside)
                        && self.sent(&moves) == Some(action.signal.index())
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
    fn is_offered(&self, action: &Action) -> bool {
        self.outside.is_some() && self.uses[action.signal.index()].1
    }

    /// Whether a state shows what was read, as far as these processes know of it.
    fn shows(&self, state: &State, reading: &Reading) -> bool {
        let known = reading.values.iter().filter(|(port, _)| self.ports.contains(port));
        known.into_iter().all(|(port, value)| {
            let shown = match self.wired.places[*port] {
                Some(Shown::Variable(slot)) => state.ints[slot.slot as usize],
                Some(Shown::Location(process)) => state.locations[process.index()].index() as i32,
                None => return true,
            };
            value.as_slot() == Some(shown)
        })
    }

    fn offered(&self, state: &State, action: &Action) -> State {
        let mut state = state.clone();
        state.ints[self.offer] = action.signal.index() as i32 + 1;
        for (place, value) in state.ints[self.offer + 1..].iter_mut().zip(&action.values) {
            *place = value.as_slot().expect("an integer");
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
            self.wired.wires.iter().position(|wire| wire.channel.index() == channel)
        })
    }

    /// What is seen of a transition.
    fn action(&self, moves: &[Move], after: &State) -> Option<Action> {
        let number = self.sent(moves)?;
        let (signal, wire) = self.wired.wires.enumerate().nth(number)?;
        let values = wire.values.iter().map(|slot| after.ints[slot.slot as usize].into());
        Some(Action { signal, values: values.collect() })
    }

    fn in_parts(&self, value: Rational) -> Rational {
        Rational::new(
            value.numerator() * i64::from(self.wired.interface.time.resolution),
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
            **counts && (*i == last || **value <= Rational::from(self.cap))
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
        let resolution = i64::from(self.wired.interface.time.resolution);
        for (i, value) in state.clocks.iter_mut().enumerate() {
            if !self.counts[i] || (i != last && *value > Rational::from(self.cap)) {
                *value = Rational::from(self.cap + 1);
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
        let resolution = i64::from(self.wired.interface.time.resolution);
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
fn uses(network: &Network, wired: &Wired) -> Vec<(bool, bool)> {
    let mut uses = vec![(false, false); wired.wires.len()];
    for edge in network.processes.iter().flat_map(|process| &process.edges) {
        let Some(channel) = edge.sync.channel() else { continue };
        for (wire, uses) in wired.wires.iter().zip(&mut uses) {
            if may_be(channel, wire.channel.index()) {
                match edge.sync {
                    Sync::Send(_) => uses.0 = true,
                    _ => uses.1 = true,
                }
            }
        }
    }
    uses
}

/// Whether a process may change an integer of the state.
fn writes(process: &Process, slot: u32) -> bool {
    let mut updates = process.edges.iter().flat_map(|edge| &edge.update);
    updates.any(|expr| matches!(expr, Expr::Assign { target, .. } if target.base == slot))
}

fn may_be(channel: &ChannelRef, at: usize) -> bool {
    let len: usize = channel.indices.iter().map(|index: &Index| index.len as usize).product();
    (channel.base.index()..channel.base.index() + len).contains(&at)
}

/// Takes whatever is sent, and sends what is offered.
fn outside(wired: &Wired, uses: &[(bool, bool)], offer: u32) -> Process {
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
    for (number, wire) in wired.wires.iter().enumerate() {
        let channel = Indexed::fixed(wire.channel);
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
            edge.update.extend(wire.values.iter().zip(offer + 1..).map(|(place, from)| {
                Expr::Assign {
                    target: Box::new(slot(place.slot)),
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
    let is_input = |it: &Sighting| {
        let action = it.action();
        action.is_some_and(|it| interface.signals[it.signal].direction == Direction::Input)
    };
    sightings.iter().cloned().partition(is_input)
}
