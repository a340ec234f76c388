//! All runs of a component, one state for each region.
//!
//! Built on the textbook semantics of single states (`concrete`). States whose clocks have the same whole
//! parts, and fractions in the same order, do the same (Alur & Dill 1994): with `k` different fractions
//! above zero, one state speaks for all, the one where these are `1/(k+1)`, `2/(k+1)`, … Clocks above all
//! constants do not count. One more clock tells the time, so that points of the grid and what is between
//! two of them are told apart.

use std::collections::HashSet;

use punctual_model::{
    AssignOp, AssignResult, BinaryOp, Branch, ChannelId, Clock, Condition, Edge, Expr, Frame, Id,
    IdVec, Indexed, Location, LocationId, LocationKind, Network, Process, Range, SignalId, Sync,
    Wired,
};
use punctual_semantics::{
    Move, Rational,
    concrete::{Concrete, State},
    estimate::Estimator,
};

use super::generate::{Draft, LARGEST, binary, place};

/// More states than this are not looked at.
const STATES_MAX: usize = 4_000;
/// Clocks above this are alike.
const CAP: i64 = LARGEST as i64;

/// Twice the point of the grid, or the odd number in between.
pub(super) type Instant = i64;

/// What was observed, from one instant to another.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Seen {
    pub(super) what: Observed,
    pub(super) from: Instant,
    pub(super) to: Instant,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Observed {
    Signal(SignalId, Vec<i32>),
    Reading(Vec<(Port, i32)>),
}

/// What can be read of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Port {
    Location(usize),
    Variable(usize),
}

impl Port {
    pub(super) fn of(self, state: &State) -> i32 {
        match self {
            Port::Location(process) => state.locations[process].index() as i32,
            Port::Variable(slot) => state.ints[slot],
        }
    }

    /// Where the value is in a state of an estimate.
    pub(super) fn position(self, estimator: &Estimator) -> u32 {
        match self {
            Port::Location(process) => estimator.position_of_process(process),
            Port::Variable(slot) => estimator.position_of_slot(slot as u32),
        }
    }
}

/// A component, with somebody outside who takes what is sent and sends what is offered.
pub(super) struct Regions {
    pub(super) network: Network,
    wired: Wired,
    /// For each signal, whether the component receives it, and whether it has to do with it at all.
    pub(super) uses: Vec<(bool, bool)>,
    /// Where the number of the offered signal is, and then the value that goes with it.
    offer: usize,
}

/// A signal with its values; none for a step that nobody sees.
type Action = Option<(SignalId, Vec<i32>)>;

/// A state, and how many of each queue it explains.
pub(super) type Explained = HashSet<(State, [usize; 3])>;

impl Regions {
    pub(super) fn new(draft: &Draft) -> Regions {
        let mut network = draft.network.clone();
        let offer = network.initial.ints.len();
        network.initial.ints.extend([0; 2]);
        let uses: Vec<(bool, bool)> =
            draft.wired.wires.iter().map(|it| uses(&network, it.channel)).collect();
        let mut edges = IdVec::new();
        for (number, (wire, (receives, used))) in draft.wired.wires.iter().zip(&uses).enumerate() {
            if !used {
                continue;
            }
            let channel = Indexed::fixed(wire.channel);
            if !receives {
                edges.push(looping(Sync::Receive(channel)));
                continue;
            }
            // Somebody outside is in no hurry.
            network.channels[wire.channel].urgent = false;
            let mut edge = looping(Sync::Send(channel));
            let load = |slot: usize| Expr::Load(place(slot as u32, Range::ALL));
            edge.guard.data.push(binary(
                BinaryOp::Equal,
                load(offer),
                Expr::Int(number as i32 + 1),
            ));
            edge.update.extend(wire.values.iter().map(|at| Expr::Assign {
                target: Box::new(place(at.slot, at.range)),
                op: AssignOp::Set,
                value: Box::new(load(offer + 1)),
                result: AssignResult::New,
            }));
            edges.push(edge);
        }
        let mut locations = IdVec::new();
        locations.push(Location {
            name: "Any".to_owned(),
            kind: LocationKind::Normal,
            invariant: Condition::default(),
            rates: Vec::new(),
            exponential_rate: None,
            labels: Vec::new(),
            frame: Frame::default(),
        });
        let (name, template) = ("Outside".to_owned(), "Outside".to_owned());
        let initial = vec![LocationId::from_index(0)];
        network.processes.push(Process { name, template, locations, initial, edges, priority: 0 });
        let name = "time".to_owned();
        network.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 });
        Regions { network, wired: draft.wired.clone(), uses, offer }
    }

    /// The states in which the component starts.
    pub(super) fn initial(&self) -> Explained {
        let states = Concrete::new(&self.network).initial().unwrap();
        states.into_iter().map(|state| (self.canonical(state), [0; 3])).collect()
    }

    /// All that comes of some states up to an instant, if nothing happens but what is hidden and what is
    /// in the queues, each in its order. None if that are too many.
    pub(super) fn explore(
        &self,
        start: &Explained,
        queues: [&[Seen]; 3],
        until: Instant,
    ) -> Option<Explained> {
        let concrete = Concrete::new(&self.network);
        let mut known = start.clone();
        let mut todo: Vec<(State, [usize; 3])> = start.iter().cloned().collect();
        while let Some((state, done)) = todo.pop() {
            let now = self.instant(&state);
            let mut found: Vec<(State, [usize; 3])> = Vec::new();
            for (action, after) in self.steps(&concrete, &state) {
                match action {
                    None => found.push((after, done)),
                    Some((signal, values)) => {
                        let what = Observed::Signal(signal, values);
                        for i in 0..3 {
                            let next = queues[i].get(done[i]);
                            if next.is_some_and(|it| it.what == what && it.is_at(now)) {
                                found.push((after.clone(), plus_one(done, i)));
                            }
                        }
                    }
                }
            }
            for i in 0..3 {
                let Some(next) = queues[i].get(done[i]).filter(|it| it.is_at(now)) else {
                    continue;
                };
                match &next.what {
                    Observed::Reading(ports) => {
                        if ports.iter().all(|(port, value)| port.of(&state) == *value) {
                            found.push((state.clone(), plus_one(done, i)));
                        }
                    }
                    Observed::Signal(signal, values) if self.uses[signal.index()].0 => {
                        let after = self.given(&concrete, &state, *signal, values);
                        found.extend(after.into_iter().map(|it| (it, plus_one(done, i))));
                    }
                    Observed::Signal(..) => {}
                }
            }
            // Between two points of the grid there are several regions.
            if now <= until
                && let Some(later) = self.later(&concrete, &state)
                && self.instant(&later) <= until
            {
                found.push((later, done));
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
        Some(known)
    }

    /// The steps that the component takes by itself: hidden ones, and signals that it sends.
    pub(super) fn steps(&self, concrete: &Concrete<'_>, state: &State) -> Vec<(Action, State)> {
        let steps = self.steps_by(concrete, state).into_iter();
        steps.map(|(action, _, after)| (action, after)).collect()
    }

    /// The same, with the edges that are taken.
    pub(super) fn steps_by(
        &self,
        concrete: &Concrete<'_>,
        state: &State,
    ) -> Vec<(Action, Vec<Move>, State)> {
        let step = |(moves, after): (Vec<Move>, State)| {
            let signal = self.sent(&moves);
            let action = signal.map(|signal| {
                let values = self.wired.wires[signal].values.iter();
                (signal, values.map(|at| after.ints[at.slot as usize]).collect())
            });
            (action, moves, after)
        };
        concrete.transitions(state).unwrap().into_iter().map(step).collect()
    }

    /// What comes of a signal from outside.
    pub(super) fn given(
        &self,
        concrete: &Concrete<'_>,
        state: &State,
        signal: SignalId,
        values: &[i32],
    ) -> Vec<State> {
        let given = self.given_by(concrete, state, signal, values).into_iter();
        given.map(|(_, after)| after).collect()
    }

    /// The same, with the edges that are taken.
    pub(super) fn given_by(
        &self,
        concrete: &Concrete<'_>,
        state: &State,
        signal: SignalId,
        values: &[i32],
    ) -> Vec<(Vec<Move>, State)> {
        let mut offered = state.clone();
        offered.ints[self.offer] = signal.index() as i32 + 1;
        offered.ints[self.offer + 1] = values.first().copied().unwrap_or(0);
        let taken = concrete.transitions(&offered).unwrap().into_iter();
        let mine = taken.filter(|(moves, _)| self.sent(moves) == Some(signal));
        mine.map(|(moves, mut after)| {
            after.ints[self.offer..].fill(0);
            (moves, after)
        })
        .collect()
    }

    /// The signal that these moves send.
    fn sent(&self, moves: &[Move]) -> Option<SignalId> {
        moves.iter().find_map(|taken| {
            let edge = &self.network.processes[taken.process].edges[taken.edge];
            let Sync::Send(channel) = &edge.sync else { return None };
            let mut wires = self.wired.wires.enumerate();
            wires.find(|(_, wire)| wire.channel == channel.base).map(|(id, _)| id)
        })
    }

    /// The next region in time, if time may pass.
    pub(super) fn later(&self, concrete: &Concrete<'_>, state: &State) -> Option<State> {
        let fractions = self.fractions(state);
        let above = fractions.iter().filter(|it| **it != Rational::ZERO).count() as i64;
        let on_grid = if fractions.len() as i64 > above { 2 } else { 1 };
        let delay = Rational::new(1, (above + 1) * self.resolution() * on_grid);
        let waited = || self.canonical(concrete.waited(state, delay));
        concrete.may_wait(state, delay).unwrap().then(waited)
    }

    fn resolution(&self) -> i64 {
        self.wired.interface.time.resolution.into()
    }

    fn parts(&self, value: Rational) -> Rational {
        Rational::new(value.numerator() * self.resolution(), value.denominator())
    }

    /// The instant of a state.
    pub(super) fn instant(&self, state: &State) -> Instant {
        let time = self.parts(*state.clocks.last().expect("the clock that tells the time"));
        let (n, d) = (time.numerator(), time.denominator());
        2 * n.div_euclid(d) + i64::from(d != 1)
    }

    /// The fractions of the clocks that count, each once, in their order.
    fn fractions(&self, state: &State) -> Vec<Rational> {
        let last = state.clocks.len() - 1;
        let counting = state.clocks.iter().enumerate();
        let counting = counting.filter(|(i, value)| *i == last || **value <= Rational::from(CAP));
        let mut fractions: Vec<Rational> =
            counting.map(|(_, value)| fraction(self.parts(*value))).collect();
        fractions.sort_unstable();
        fractions.dedup();
        fractions
    }

    /// The state that speaks for its region.
    pub(super) fn canonical(&self, mut state: State) -> State {
        let fractions = self.fractions(&state);
        let above = fractions.iter().filter(|it| **it != Rational::ZERO).count() as i64;
        let zeros = fractions.len() as i64 - above;
        let last = state.clocks.len() - 1;
        for (i, value) in state.clocks.iter_mut().enumerate() {
            if i != last && *value > Rational::from(CAP) {
                *value = Rational::from(CAP + 1);
                continue;
            }
            let parts = self.parts(*value);
            let whole = parts.numerator().div_euclid(parts.denominator());
            let rank =
                fractions.binary_search(&fraction(parts)).expect("its own") as i64 + 1 - zeros;
            *value = Rational::new(whole * (above + 1) + rank, (above + 1) * self.resolution());
        }
        state
    }

    /// The locations and integers of a state, as an estimate has them.
    pub(super) fn discrete(&self, state: &State) -> Vec<i32> {
        let locations = state.locations.iter().map(|it| it.index() as i32);
        locations.chain(state.ints[..self.offer].iter().copied()).collect()
    }
}

impl Seen {
    fn is_at(&self, now: Instant) -> bool {
        (self.from..=self.to).contains(&now)
    }
}

fn plus_one(mut done: [usize; 3], i: usize) -> [usize; 3] {
    done[i] += 1;
    done
}

fn fraction(value: Rational) -> Rational {
    Rational::new(value.numerator().rem_euclid(value.denominator()), value.denominator())
}

/// Whether a process receives a signal, and whether one sends or receives it.
fn uses(network: &Network, channel: ChannelId) -> (bool, bool) {
    let edges = network.processes.iter().flat_map(|process| &process.edges);
    let over = |edge: &&Edge| edge.sync.channel().is_some_and(|it| it.base == channel);
    let mut uses = (false, false);
    for edge in edges.filter(over) {
        uses = (uses.0 | matches!(edge.sync, Sync::Receive(_)), true);
    }
    uses
}

fn looping(sync: Sync) -> Edge {
    let at = LocationId::from_index(0);
    Edge {
        source: at,
        selects: Vec::new(),
        guard: Condition::default(),
        sync,
        update: Vec::new(),
        branches: vec![Branch {
            weight: None,
            selects: Vec::new(),
            update: Vec::new(),
            target: at,
        }],
        controllable: true,
        frame: Frame::default(),
    }
}
