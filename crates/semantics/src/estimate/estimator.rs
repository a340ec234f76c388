//! A component of a model, ready to be followed.

use std::sync::Arc;

use punctual_model::{
    AssignOp, AssignResult, Clock, Direction, Expr, Frame, Id, IdVec, Network, Number, Place,
    Select, SignalId, Storage, Sync, Wired,
};
use punctual_zones::Bound;

use super::refusals::{may_be_refused, with_refusals};
use super::scale::scaled;
use crate::bounds::{Bounds, ClockBound, Directions, TooLarge};
use crate::budget::Budget;
use crate::symbolic::{Active, Refusal, Symbolic, diagonals, difference_bounds};

/// What a component has to do with a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The component sends the signal.
    Sends,
    /// The component receives the signal.
    Receives,
    /// The component has no part in the signal.
    None,
}

/// A component of a model, compiled. Immutable, so threads share it.
pub struct Estimator {
    pub(super) symbolic: Symbolic,
    /// The clock that tells the time, among those of the network.
    pub(super) clock: u32,
    /// The channels of signals.
    pub(super) observed: Vec<bool>,
    /// The channels of signals that the component sends.
    pub(super) sent: Vec<bool>,
    pub(super) signals: IdVec<SignalId, Observed>,
    /// The signal of each channel.
    pub(super) signal_of: Vec<Option<SignalId>>,
    n_processes: u32,
    /// The largest constant that a clock may be compared with, in points of the grid.
    largest: i32,
}

/// A signal, as a component sees it.
pub(super) struct Observed {
    pub(super) channel: u32,
    pub(super) role: Role,
    /// Whether no edge of the component has to do with it, and the component answers for it all the same.
    is_claimed: bool,
    /// Whether some state may not be able to receive it.
    pub(super) may_be_refused: bool,
    /// Where its values are in a state.
    pub(super) slots: Vec<u32>,
    /// What each may be.
    pub(super) ranges: Vec<punctual_model::Range>,
}

impl Estimator {
    /// Prepares a component: a network whose last process does the other half of every observed
    /// synchronisation, as `split::open` makes it. Its clocks count points of the grid.
    ///
    /// # Errors
    /// If the network has something that symbolic analysis can not treat.
    pub fn new(network: &Network, wired: &Wired) -> Result<Estimator, Refusal> {
        let mut network = scaled(network, wired.interface.time.resolution);
        let name = "time since the origin".to_owned();
        let clock = Clock { name, owner: None, hybrid: false, initial: 0.0 };
        let clock = network.clocks.push(clock).index() as u32;
        let largest = Bound::MAX_CONSTANT / 4;
        let time = ClockBound { clock, lower: largest, upper: largest };
        let mut told = told(&network, wired);
        with_refusals(&mut told, wired);
        let diagonals = diagonals(&told, &[])?;
        let mut asked = vec![time];
        asked.extend(difference_bounds(&told, &diagonals)?);
        let bounds = Bounds::new(&told, Directions::Apart, &asked).map_err(too_large)?;
        let largest = bounds.largest_of_locations();
        let (symbolic, ()) = Symbolic::new(&network, bounds, diagonals, |_| Ok(()))?;
        let mut observed = vec![false; network.channels.len()];
        let mut sent = observed.clone();
        let mut signal_of = vec![None; network.channels.len()];
        let mut signals = IdVec::new();
        for (id, wire) in wired.wires.enumerate() {
            observed[wire.channel.index()] = true;
            signal_of[wire.channel.index()] = Some(id);
            let role = role(&network, wire.channel.index());
            sent[wire.channel.index()] = role == Role::Sends;
            let is_input = wired.interface.signals[id].direction == Direction::Input;
            signals.push(Observed {
                channel: wire.channel.index() as u32,
                may_be_refused: is_input
                    && role == Role::Receives
                    && may_be_refused(&network, wire.channel.index()),
                ranges: wire.values.iter().map(|value| value.range).collect(),
                role,
                is_claimed: false,
                slots: wire
                    .values
                    .iter()
                    .map(|value| network.processes.len() as u32 + value.slot)
                    .collect(),
            });
        }
        let n_processes = network.processes.len() as u32;
        Ok(Estimator { symbolic, clock, observed, sent, signals, signal_of, n_processes, largest })
    }

    /// The component answers for a signal that no component of its side sends or receives: as one that may send it and never does, or
    /// that has to receive it and never can. So somebody notices when the signal is seen all the same.
    pub(crate) fn answer_for(&mut self, signal: SignalId, role: Role) {
        let observed = &mut self.signals[signal];
        (observed.role, observed.is_claimed) = (role, true);
        observed.may_be_refused = role == Role::Receives;
    }

    /// Whether some edge of the component sends or receives a signal.
    #[must_use]
    pub fn takes_part(&self, signal: SignalId) -> bool {
        let observed = &self.signals[signal];
        observed.role != Role::None && !observed.is_claimed
    }

    /// Whoever follows the component looks at this budget.
    pub fn grant(&mut self, budget: &Arc<Budget>) {
        self.symbolic.grant(budget);
    }

    /// The component as somebody follows it who does not look at what it sends: its outputs are hidden steps.
    #[must_use]
    pub fn without_outputs(mut self) -> Estimator {
        for signal in self.signals.iter().filter(|it| it.role == Role::Sends) {
            self.observed[signal.channel as usize] = false;
            self.sent[signal.channel as usize] = false;
        }
        self
    }

    /// The channels of the signals that the component sends.
    pub(super) fn outputs(&self) -> impl Iterator<Item = u32> + '_ {
        self.signals.iter().filter(|it| it.role == Role::Sends).map(|it| it.channel)
    }

    /// The largest constant that a clock may be compared with, in points of the grid; one that depends on variables counts with
    /// its greatest value.
    #[must_use]
    pub fn largest_constant(&self) -> i32 {
        self.largest
    }

    /// What the component has to do with a signal.
    #[must_use]
    pub fn role(&self, signal: SignalId) -> Role {
        self.signals[signal].role
    }

    /// Whether some states may not be able to receive a signal that the component receives.
    #[must_use]
    pub fn may_be_refused(&self, signal: SignalId) -> bool {
        self.signals[signal].may_be_refused
    }

    /// Where an integer of the network is in a state.
    #[must_use]
    pub fn position_of_slot(&self, slot: u32) -> u32 {
        self.n_processes + slot
    }

    /// Where the location of a process is in a state, by its number in the component.
    #[must_use]
    pub fn position_of_process(&self, number: usize) -> u32 {
        number as u32
    }

    /// The number of the clock that tells the time in zones with these clocks.
    #[inline]
    pub(super) fn time(&self, clocks: &Active) -> usize {
        clocks.tested(self.clock + 1)
    }
}

/// The network in which what is outside sends all values that it may send. So the analysis of bounds
/// knows of them; they are set from outside while the network is followed.
fn told(network: &Network, wired: &Wired) -> Network {
    let mut network = network.clone();
    let Some(outside) = network.processes.iter_mut().last() else { return network };
    for edge in outside.edges.iter_mut() {
        let Sync::Send(channel) = &edge.sync else { continue };
        let found = wired.wires.enumerate().find(|(_, wire)| wire.channel == channel.base);
        let Some((id, wire)) = found else { continue };
        let carried = &wired.interface.signals[id].values;
        for (slot, (carried, at)) in (0..).zip(carried.iter().zip(&wire.values)) {
            let place = |storage, base| Place {
                storage,
                number: Number::Int,
                base,
                indices: Vec::new(),
                size: 1,
                range: at.range,
            };
            edge.selects.push(Select { name: carried.name.clone(), slot, range: at.range });
            edge.update.push(Expr::Assign {
                target: Box::new(place(Storage::State, at.slot)),
                op: AssignOp::Set,
                value: Box::new(Expr::Load(place(Storage::Local, slot))),
                result: AssignResult::New,
            });
            edge.frame = Frame { ints: slot + 1, doubles: 0 };
        }
    }
    network
}

/// The half of a synchronisation that the component has is the one that the last process has not.
fn role(network: &Network, channel: usize) -> Role {
    let Some(outside) = network.processes.iter().last() else { return Role::None };
    let on = |sync: &Sync| sync.channel().is_some_and(|it| it.base.index() == channel);
    match outside.edges.iter().find(|edge| on(&edge.sync)).map(|edge| &edge.sync) {
        Some(Sync::Send(_)) => Role::Receives,
        Some(Sync::Receive(_)) => Role::Sends,
        _ => Role::None,
    }
}

fn too_large(error: TooLarge) -> Refusal {
    let construct = "a clock compared with a constant that is too large, at this resolution";
    Refusal { construct, place: Some(error.place) }
}
