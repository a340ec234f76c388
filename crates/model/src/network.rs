//! The flat network: processes side by side, their clocks, variables and channels.

use crate::{
    ChannelId, ChannelRef, ClockConstraint, ClockId, ClockRef, EdgeId, EventId, Expr, Function,
    FunctionId, IdVec, LocationId, Number, ProcessId, Storage, Type, VariableId,
};

/// A network of timed automata.
#[derive(Clone, PartialEq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Network {
    /// The processes, in the order of the system line. That order counts: receivers of a
    /// broadcast update in it.
    pub processes: IdVec<ProcessId, Process>,
    /// All clocks.
    pub clocks: IdVec<ClockId, Clock>,
    /// All declared variables but clocks, channels and folded constants. Constant arrays and
    /// structures, which may be indexed while the model runs, are among them.
    pub variables: IdVec<VariableId, Variable>,
    /// All channels; the elements of an array are neighbours.
    pub channels: IdVec<ChannelId, Channel>,
    /// The events of [`Sync::Event`].
    pub events: IdVec<EventId, String>,
    /// Which events synchronise. An event of a process that is in no vector is internal.
    pub sync_vectors: Vec<SyncVector>,
    /// The functions that something calls.
    pub functions: IdVec<FunctionId, Function>,
    /// What constant tables hold.
    pub constants: Memory,
    /// The initial values of the variables of the state.
    pub initial: Memory,
    /// The initial values of meta variables.
    pub meta: Memory,
    /// Evaluated before the updates of every transition, in this order.
    pub before_update: Vec<Expr>,
    /// Evaluated after the updates of every transition, in this order.
    pub after_update: Vec<Expr>,
    /// The frame of `before_update` and `after_update`.
    pub update_frame: Frame,
    /// The priority of internal edges, relative to those of the channels.
    pub default_priority: i32,
    /// What happens when a value leaves its range.
    pub range_policy: RangePolicy,
    /// Measures that never (or rarely) decrease; a hint for searches.
    pub progress: Vec<Progress>,
}

/// What an assignment out of range does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RangePolicy {
    /// It is an error of the model (UPPAAL).
    #[default]
    Error,
    /// The transition is not possible (TChecker).
    Disable,
}

/// A process: one automaton of the network.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Process {
    /// Its name, such as `Gate` or `Train(3)`.
    pub name: String,
    /// The template it is an instance of; its own name where there are no templates.
    pub template: String,
    /// The locations.
    pub locations: IdVec<LocationId, Location>,
    /// Where it may start; exactly one in UPPAAL.
    pub initial: Vec<LocationId>,
    /// The edges.
    pub edges: IdVec<EdgeId, Edge>,
    /// Its priority; greater goes first.
    pub priority: i32,
}

/// A location.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Location {
    /// Its name; the reader makes one up where the modeller gave none.
    pub name: String,
    /// Normal, urgent or committed.
    pub kind: LocationKind,
    /// What must hold while a process is here.
    pub invariant: Condition,
    /// The rates of clocks while a process is here; 1 where nothing is said.
    pub rates: Vec<Rate>,
    /// How fast it is left where the invariant gives no bound.
    pub exponential_rate: Option<ExponentialRate>,
    /// Labels that queries can ask for (TChecker).
    pub labels: Vec<String>,
    /// The frame of its expressions.
    pub frame: Frame,
}

/// Whether time may pass in a location.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LocationKind {
    /// Time passes.
    #[default]
    Normal,
    /// Time stands still.
    Urgent,
    /// Time stands still, and the next transition leaves a committed location.
    Committed,
}

/// A conjunction over data and clocks. Empty means true.
#[derive(Clone, PartialEq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Condition {
    /// Integer expressions, all of which must not be zero.
    pub data: Vec<Expr>,
    /// Clock constraints, all of which must hold.
    pub clocks: Vec<ClockConstraint>,
}

/// The rate of a clock in a location.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rate {
    /// The clock.
    pub clock: ClockRef,
    /// The kind of the value.
    pub number: Number,
    /// The derivative of the clock by time.
    pub value: Expr,
}

/// The rate of an exponentially distributed stay: `value`, or `value : divisor`.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExponentialRate {
    /// The rate (its numerator), a double.
    pub value: Expr,
    /// Its denominator, a double.
    pub divisor: Option<Expr>,
}

/// An edge. Selected values are chosen first, then guard and synchronisation are decided, then
/// the update is evaluated, then one branch is taken.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Edge {
    /// Where it starts.
    pub source: LocationId,
    /// Values chosen without restriction.
    pub selects: Vec<Select>,
    /// When it may be taken.
    pub guard: Condition,
    /// With whom it is taken.
    pub sync: Sync,
    /// What it changes, in this order.
    pub update: Vec<Expr>,
    /// Where it leads: one branch, or several with weights.
    pub branches: Vec<Branch>,
    /// Whether the tester (and not the system) decides about it in a game.
    pub controllable: bool,
    /// The frame of its expressions, those of its branches included.
    pub frame: Frame,
}

/// A branch of an edge.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Branch {
    /// Its probability relative to the other branches, a double; none means 1.
    pub weight: Option<Expr>,
    /// Values chosen without restriction.
    pub selects: Vec<Select>,
    /// What it changes after the update of the edge.
    pub update: Vec<Expr>,
    /// Where it leads.
    pub target: LocationId,
}

/// A value chosen from a range.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Select {
    /// Its name, for people.
    pub name: String,
    /// The integer slot of the edge's frame that holds it.
    pub slot: u32,
    /// What it is chosen from.
    pub range: crate::Range,
}

/// How an edge synchronises.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sync {
    /// Not at all.
    Internal,
    /// `c!`
    Send(ChannelRef),
    /// `c?`
    Receive(ChannelRef),
    /// `c`: all processes that know the channel take part.
    Csp(ChannelRef),
    /// As the sync vectors of the network say.
    Event(EventId),
}

/// Processes that move together (TChecker).
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SyncVector {
    /// Who takes part; each process at most once.
    pub participants: Vec<Participant>,
}

/// A process in a sync vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Participant {
    /// The process.
    pub process: ProcessId,
    /// The event of its edge.
    pub event: EventId,
    /// Whether the others may go without it where it has no such edge.
    pub weak: bool,
}

/// A clock.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clock {
    /// Its name, qualified by its process (`Train(3).x`), with its indices (`x[2]`).
    pub name: String,
    /// The process that declares it.
    pub owner: Option<ProcessId>,
    /// Symbolic analysis leaves it out.
    pub hybrid: bool,
    /// Its value at the start.
    #[cfg_attr(feature = "serde", serde(with = "crate::float"))]
    pub initial: f64,
}

/// A declared variable.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Variable {
    /// Its name, qualified by its process (`Gate.list`).
    pub name: String,
    /// The process that declares it.
    pub owner: Option<ProcessId>,
    /// Its type.
    pub ty: Type,
    /// The memory it lives in.
    pub storage: Storage,
    /// Its first integer slot.
    pub ints: u32,
    /// Its first double slot.
    pub doubles: u32,
}

/// A channel.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Channel {
    /// Its name, with its indices (`go[2]`).
    pub name: String,
    /// One sender, any number of receivers.
    pub broadcast: bool,
    /// Time stands still while it can be used.
    pub urgent: bool,
    /// Its priority; greater goes first.
    pub priority: i32,
}

/// How much local memory some expressions need.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Frame {
    /// Integer slots.
    pub ints: u32,
    /// Double slots.
    pub doubles: u32,
}

/// The contents of a memory.
#[derive(Clone, PartialEq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Memory {
    /// Integer slots.
    pub ints: Vec<i32>,
    /// Double slots.
    #[cfg_attr(feature = "serde", serde(with = "crate::float::list"))]
    pub doubles: Vec<f64>,
}

/// A progress measure.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Progress {
    /// Counts only where this holds.
    pub guard: Option<Expr>,
    /// The measure, an integer.
    pub measure: Expr,
    /// The frame of both.
    pub frame: Frame,
}
