//! A model as makers of suites see it: the whole network, and who decides about each of its steps.

use punctual_model::{ChannelId, Direction, EdgeId, Id, Network, ProcessId, SignalId};
use punctual_semantics::Move;
use punctual_semantics::bounds::{Bounds, Directions};
use punctual_semantics::estimate::scaled;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;
use punctual_semantics::symbolic::{Refusal, Symbolic, diagonals, difference_bounds};

use super::goal::limit;
use super::pieces::{Piece, pieces as pieces_of};

/// A model, compiled as a whole. Its clocks count points of the grid.
pub struct World<'s> {
    /// What is tested against.
    pub specification: &'s Specification,
    /// The network, with constants in points of the grid.
    pub network: Network,
    pub(super) symbolic: Symbolic,
    /// The signal of each channel.
    signals: Vec<Option<SignalId>>,
    /// The parts of the system in pieces, with outputs as hidden steps: a case reads a system that has sent something, or not.
    pub(super) pieces: Vec<Piece>,
}

/// Who decides when a step happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The tester: it sends an input.
    Input(SignalId),
    /// The system: it sends an output.
    Output(SignalId),
    /// The system, unseen.
    System,
    /// The environment, without a signal.
    Environment,
}

impl Kind {
    /// Whether the tester decides.
    #[must_use]
    pub fn is_ours(self) -> bool {
        matches!(self, Kind::Input(_) | Kind::Environment)
    }
}

/// A state at an instant: locations and integers, and what each clock is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// The location of each process, then the integers.
    pub state: Vec<i32>,
    /// The clocks, in points of the grid.
    pub clocks: Vec<i32>,
}

impl<'s> World<'s> {
    /// Compiles the network of a specification.
    ///
    /// # Errors
    /// If it has something that symbolic analysis can not treat.
    pub fn new(specification: &'s Specification) -> Result<World<'s>, Refusal> {
        let resolution = specification.interface().time.resolution;
        let network = scaled(&specification.network, resolution);
        let diagonals = diagonals(&network, &[])?;
        let asked = difference_bounds(&network, &diagonals)?;
        let bounds = Bounds::new(&network, Directions::Joined, &asked).map_err(|error| {
            let construct =
                "a clock compared with a constant that is too large, at this resolution";
            Refusal { construct, place: Some(error.place) }
        })?;
        let (mut symbolic, ()) = Symbolic::new(&network, bounds, diagonals, |_| Ok(()))?;
        symbolic.grant(specification.budget());
        let mut signals = vec![None; network.channels.len()];
        for (id, wire) in specification.wired.wires.enumerate() {
            signals[wire.channel.index()] = Some(id);
        }
        let mut pieces = Vec::new();
        for (number, part) in specification.side(Side::System) {
            pieces.append(&mut pieces_of(specification, number, part)?);
        }
        Ok(World { specification, network, symbolic, signals, pieces })
    }

    /// Where the network starts.
    #[must_use]
    pub fn start(&self) -> Point {
        let first =
            |process: &punctual_model::Process| process.initial.first().map(|at| at.index());
        let locations = self.network.processes.iter().map(|it| first(it).unwrap_or(0) as i32);
        let state = locations.chain(self.network.initial.ints.iter().copied()).collect();
        let clocks = self.network.clocks.iter().map(|clock| clock.initial as i32).collect();
        Point { state, clocks }
    }

    /// The least and the greatest delay of an input, in points of the grid.
    pub(super) fn input_delay(&self) -> (i64, i64) {
        let (least, most) = self.specification.interface().uncertainty.input_ns;
        (self.points(least, false), self.points(most, true))
    }

    /// By how many points of the grid the clock of the system may be off at an instant.
    pub(super) fn drift(&self, at: i64) -> i64 {
        match self.specification.interface().uncertainty.drift_ppb {
            0 => 0,
            ppb => (i128::from(at.max(0)) * i128::from(ppb) / 1_000_000_000 + 1) as i64,
        }
    }

    /// A duration in points of the grid, rounded up or down.
    pub(super) fn points(&self, ns: u64, up: bool) -> i64 {
        let time = self.specification.interface().time;
        let round = if up { time.unit_ns - 1 } else { 0 };
        let points = u128::from(ns) * u128::from(time.resolution) + u128::from(round);
        i64::try_from(points / u128::from(time.unit_ns)).unwrap_or(i64::MAX / 4)
    }

    /// Twice as many points as the largest constant that clocks are compared with: what waits for anything has happened by then.
    pub(super) fn horizon(&self) -> i64 {
        let of = |process: &punctual_model::Process| {
            let guards = process.edges.iter().map(|it| &it.guard);
            let all = guards.chain(process.locations.iter().map(|it| &it.invariant));
            let limits = all.flat_map(|it| &it.clocks).filter_map(limit);
            limits.map(|(_, bound)| i64::from(bound)).max().unwrap_or(0)
        };
        2 * self.network.processes.iter().map(of).max().unwrap_or(0) + 2
    }

    /// Who decides about a step.
    #[must_use]
    pub fn kind(&self, moves: &[Move], channel: Option<ChannelId>) -> Kind {
        if let Some(signal) = channel.and_then(|channel| self.signals[channel.index()]) {
            return match self.specification.interface().signals[signal].direction {
                Direction::Input => Kind::Input(signal),
                Direction::Output => Kind::Output(signal),
            };
        }
        match moves.first().map(|first| self.specification.split.sides[first.process]) {
            Some(Side::Environment) => Kind::Environment,
            _ => Kind::System,
        }
    }

    /// The values that go with a signal, in the state after it.
    #[must_use]
    pub fn carried(&self, signal: SignalId, state: &[i32]) -> Vec<i32> {
        let n_processes = self.network.processes.len();
        let wire = &self.specification.wired.wires[signal];
        wire.values.iter().map(|value| state[n_processes + value.slot as usize]).collect()
    }

    /// An edge for people: `Error3: Pending -> Qualified`.
    #[must_use]
    pub fn edge_name(&self, process: ProcessId, edge: EdgeId) -> String {
        let process = &self.network.processes[process];
        let edge = &process.edges[edge];
        let source = &process.locations[edge.source].name;
        let target = edge.branches.first().map_or("?", |it| &process.locations[it.target].name);
        format!("{}: {source} -> {target}", process.name)
    }
}
