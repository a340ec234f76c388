//! Which part of a network is the system under test, and which is its environment.
//!
//! An interface says only which channels are seen from outside. [`split`] finds the rest:
//!
//! 1. who sends an input or receives an output is environment, who receives an input or sends an
//!    output is system (or the user says what a process is);
//! 2. any other channel is internal, and belongs to the side of the processes that use it;
//! 3. a variable or clock that a process accesses *alone* belongs to the side of that process.
//!
//! Rules 2 and 3 work both ways, until nothing new follows. Alone means: not in the update of an
//! edge over an observable channel. There, both sides move together and values may pass from one
//! to the other, so such an access says nothing. A guard is decided before anybody moves, so it
//! counts as alone, unless the signal carries the variable.
//!
//! A variable that only signals touch belongs to the side that touches it if there is only one, and
//! otherwise to nobody: its value passes. What nothing ever changes belongs to nobody. Arrays are looked at element by element as far as
//! indices are constant. Every conclusion has a [`Reason`], and reasons lead back to the interface.
//!
//! [`components`](Split::components) cuts each side into parts that do not depend on each other,
//! and [`open`] makes a network of its own from such a part.
//!
//! After the partitioning of UPPAAL TRON. DIFFERENCE(tron): functions are followed, elements of
//! arrays are told apart, and what would be on both sides is refused instead of warned about.

mod access;
mod cells;
mod components;
mod cone;
mod environment;
mod explain;
mod flow;
mod forget;
mod open;
mod rules;
mod values;

use std::{collections::BTreeMap, fmt, sync::Arc};

use punctual_model::{ChannelId, ClockId, Id, IdVec, Network, ProcessId, SignalId, Sync, Wired};

pub use access::{Touch, Where};
pub use cells::{Cell, CellId};
pub use components::Component;
pub use cone::{Cone, Reach};
pub use environment::{SELECTED_MAX, silent, universal};
pub use flow::{Accessed, Flow, Pair, Taken, Written};
pub use open::{OUTSIDE, open};

/// One of the two sides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// The system under test.
    System,
    /// What it is exposed to.
    Environment,
}

impl Side {
    /// The opposite side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::System => Self::Environment,
            Self::Environment => Self::System,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "system",
            Self::Environment => "environment",
        })
    }
}

/// Processes of which the user says what they are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Named {
    /// Processes that the user puts on the side of the environment.
    pub environment: Vec<ProcessId>,
    /// Processes that the user puts on the side of the system.
    pub system: Vec<ProcessId>,
}

/// Something that belongs to a side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Item {
    /// A process.
    Process(ProcessId),
    /// A channel that is not observable.
    Channel(ChannelId),
    /// A variable, or an element of one.
    Cell(CellId),
    /// A clock.
    Clock(ClockId),
}

/// A reason of a [`Split`] or of its [`Conflict`]s.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ReasonId(u32);

impl Id for ReasonId {
    fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 reasons"))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why something is on a side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The process, variable or clock that has a side.
    pub item: Item,
    /// The side that the thing is on.
    pub side: Side,
    /// The rule that puts the thing on this side.
    pub rule: Rule,
    /// What that follows from; nothing if it follows from the interface.
    pub from: Option<ReasonId>,
}

/// The rules of the split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The user says so.
    Named,
    /// The process sends or receives a signal.
    Signal {
        /// The signal that the process takes part in.
        signal: SignalId,
        /// Whether it is the sender.
        sends: bool,
    },
    /// A process uses an internal channel.
    Uses {
        /// The process.
        process: ProcessId,
        /// The channel.
        channel: ChannelId,
        /// Whether it sends.
        sends: bool,
    },
    /// A process accesses a variable or a clock alone.
    Accesses {
        /// The process.
        process: ProcessId,
        /// The variable or clock.
        item: Item,
        /// Whether the process reads or writes, and in which part of the model.
        touch: Touch,
    },
    /// Only processes of one side access a variable or clock, and only during signals.
    Only {
        /// A process that accesses the variable or clock.
        process: ProcessId,
    },
    /// Nothing decides, so it is taken for system.
    Undecided,
}

/// A network in two parts. Where there is no side, something belongs to nobody: observable
/// channels, values that pass between the sides, what never changes, what nobody uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Split {
    /// The sides of the processes.
    pub sides: IdVec<ProcessId, Side>,
    /// The sides of the channels.
    pub channels: IdVec<ChannelId, Option<Side>>,
    /// The variables, taken apart where their elements are used apart.
    pub variables: IdVec<CellId, Cell>,
    /// The sides of the clocks.
    pub clocks: IdVec<ClockId, Option<Side>>,
    /// The signal of each observable channel.
    pub signals: IdVec<ChannelId, Option<SignalId>>,
    /// Why things are on their sides, in the order of the conclusions.
    pub reasons: IdVec<ReasonId, Reason>,
    /// Places of the model that are suspicious, although they can be split.
    pub warnings: Vec<Warning>,
    /// The reason of each thing that has a side.
    known: BTreeMap<Item, ReasonId>,
    /// What each process accesses and uses.
    facts: access::Facts,
}

/// Something that would be on both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The process, variable or clock that would be on both sides.
    pub item: Item,
    /// The name of the thing, as in the model.
    pub name: String,
    /// Why it is system, from the interface on, one sentence each.
    pub system: Vec<String>,
    /// Why it is environment.
    pub environment: Vec<String>,
}

/// Why a network was not split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The network has something that is not understood here.
    Unsupported {
        /// What, such as `synchronisation by vectors`.
        construct: &'static str,
        /// The first place where that is.
        place: String,
    },
    /// Some things would be on both sides.
    Conflicts {
        /// What would be on both sides, and why.
        conflicts: Vec<Conflict>,
        /// Everything that was concluded, for pictures.
        partial: Box<Split>,
    },
}

/// Something suspicious about an interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Warning {
    /// No process sends a signal.
    NobodySends(SignalId),
    /// No process receives a signal.
    NobodyReceives(SignalId),
    /// Nothing decides about a process.
    Undecided(ProcessId),
    /// A value passes from one side to the other, and no signal carries it.
    Unseen {
        /// The variable.
        variable: CellId,
        /// Who writes it.
        writer: ProcessId,
        /// Who reads it.
        reader: ProcessId,
    },
    /// Who receives a signal changes what it carries, and the value after that goes along.
    Overwritten {
        /// The variable.
        variable: CellId,
        /// Who receives the signal.
        receiver: ProcessId,
        /// The signal.
        signal: SignalId,
    },
}

/// Splits a network.
///
/// # Errors
/// If something would be on both sides, or if the network synchronises in a way that has no two
/// sides.
pub fn split(network: &Network, wired: &Wired, named: &Named) -> Result<Split, Refusal> {
    supported(network)?;
    let facts = access::Facts::new(network, wired);
    rules::conclude(network, wired, named, facts)
}

fn supported(network: &Network) -> Result<(), Refusal> {
    let refuse = |construct, place| Err(Refusal::Unsupported { construct, place });
    if !network.sync_vectors.is_empty() {
        return refuse("synchronisation by vectors", "the synchronisations of the model".into());
    }
    if !network.before_update.is_empty() || !network.after_update.is_empty() {
        let place = "the declarations of the model".to_owned();
        return refuse("updates before or after every transition", place);
    }
    for process in &network.processes {
        for edge in &process.edges {
            let construct = match edge.sync {
                Sync::Csp(_) => "synchronisation in the style of CSP",
                Sync::Event(_) => "synchronisation by vectors",
                Sync::Internal | Sync::Send(_) | Sync::Receive(_) => continue,
            };
            return refuse(construct, format!("process {}", process.name));
        }
    }
    Ok(())
}

impl Split {
    /// Which edge reads what which edge writes.
    #[must_use]
    pub fn flow(&self) -> &Arc<Flow> {
        &self.facts.flow
    }

    /// The processes of a side.
    pub fn processes(&self, side: Side) -> impl Iterator<Item = ProcessId> + '_ {
        self.sides.enumerate().filter(move |(_, other)| **other == side).map(|(id, _)| id)
    }

    /// The side of something, if it belongs to one.
    #[must_use]
    pub fn side(&self, item: Item) -> Option<Side> {
        match item {
            Item::Process(id) => Some(self.sides[id]),
            Item::Channel(id) => self.channels[id],
            Item::Cell(id) => self.variables[id].side,
            Item::Clock(id) => self.clocks[id],
        }
    }

    /// Why something is where it is.
    #[must_use]
    pub fn reason(&self, item: Item) -> Option<ReasonId> {
        self.known.get(&item).copied()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { construct, place } => {
                write!(f, "{construct} can not be split into system and environment ({place})")
            }
            Self::Conflicts { conflicts, .. } => {
                for (i, conflict) in conflicts.iter().enumerate() {
                    if i > 0 {
                        writeln!(f)?;
                    }
                    write!(f, "{conflict}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Refusal {}
