//! What ties an interface to a network.

use crate::{ChannelId, IdVec, Interface, PortId, ProcessId, Range, SignalId};

/// An interface, and where its signals and ports are in a network.
#[derive(Clone, PartialEq, Debug)]
pub struct Wired {
    /// What is exchanged.
    pub interface: Interface,
    /// The channel and the variables of each signal.
    pub wires: IdVec<SignalId, Wire>,
    /// What each port shows; none for ports that the network knows nothing of.
    pub places: IdVec<PortId, Option<Place>>,
}

/// Where a signal is in a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wire {
    /// The channel over which the processes synchronise.
    pub channel: ChannelId,
    /// The variables whose values, after the synchronisation, go with the signal.
    pub values: Vec<Slot>,
}

/// An integer of the state of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Its position among the integers of the state.
    pub slot: u32,
    /// The values it may have.
    pub range: Range,
}

/// What of the state of a network a port shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The value of a variable.
    Variable(Slot),
    /// The location that a process is in: its position among the locations of the process.
    Location(ProcessId),
}

impl Wired {
    /// Ties nothing: the interface of a system without a network.
    #[must_use]
    pub fn nowhere(interface: Interface) -> Wired {
        let places = interface.ports.iter().map(|_| None).collect();
        Wired { interface, wires: IdVec::new(), places }
    }
}
