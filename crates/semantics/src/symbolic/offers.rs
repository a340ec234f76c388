//! Which edges the processes offer, as far as data decide: guards and the values of selects.

use super::compile::{Edge, Symbolic};
use super::scope::Scope;
use crate::program::Machine;
use crate::select::{next_selects, set_selects};
use crate::{Fault, FaultKind};

/// An edge that a process could take, with values for its selects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) process: u32,
    pub(crate) edge: u32,
    /// Where the selected values begin.
    pub(crate) values: u32,
    /// The channel, if the edge has one.
    pub(crate) channel: u32,
}

/// The offers of a state.
pub(crate) struct Offers {
    values: Vec<i32>,
    pub(crate) internal: Vec<Offer>,
    pub(crate) sends: Vec<Offer>,
    /// By channel, in the order of processes.
    pub(crate) receives: Vec<Vec<Offer>>,
    /// By channel: whether someone sends. Only then are receivers looked at.
    wanted: Vec<bool>,
    /// The channels on which someone sends.
    used: Vec<u32>,
    /// Choices of one transition, one group after the other.
    pub(crate) pool: Vec<Offer>,
    pub(crate) groups: Vec<Group>,
    /// Whether edges whose guards are an error of the model are left out, and not told.
    forgives: bool,
    has_forgiven: bool,
}

/// The offers that one participant chooses from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// It may also stay out, if the clocks allow none of its offers.
    pub(crate) may_stay_out: bool,
    /// What is chosen: an offer of the pool, or `end` for staying out.
    pub(crate) chosen: usize,
}

impl Offers {
    pub(crate) fn new(n_channels: usize) -> Offers {
        Offers {
            values: Vec::new(),
            internal: Vec::new(),
            sends: Vec::new(),
            receives: vec![Vec::new(); n_channels],
            wanted: vec![false; n_channels],
            used: Vec::new(),
            pool: Vec::new(),
            groups: Vec::new(),
            forgives: false,
            has_forgiven: false,
        }
    }

    /// Says whether edges whose guards are an error of the model are left out from now on.
    pub(crate) fn forgive(&mut self, forgives: bool) {
        (self.forgives, self.has_forgiven) = (forgives, false);
    }

    /// Whether such an edge was left out since this was asked last.
    pub(crate) fn take_forgiven(&mut self) -> bool {
        std::mem::take(&mut self.has_forgiven)
    }

    pub(crate) fn clear(&mut self) {
        for channel in self.used.drain(..) {
            self.receives[channel as usize].clear();
            self.wanted[channel as usize] = false;
        }
        self.values.clear();
        self.internal.clear();
        self.sends.clear();
        self.pool.clear();
        self.groups.clear();
    }

    /// How many bytes are held, with offers that were just found.
    fn bytes(&self, found: &[Offer]) -> u64 {
        (size_of_val(&self.values[..]) + size_of_val(found)) as u64
    }

    /// The values selected on the edge of an offer.
    pub(crate) fn values_of(&self, offer: &Offer, n_selects: usize) -> &[i32] {
        &self.values[offer.values as usize..][..n_selects]
    }

    /// Puts the selected values of an offer where its code finds them.
    #[inline]
    pub(crate) fn load(&self, offer: &Offer, edge: &Edge, machine: &mut Machine) {
        if !edge.selects.is_empty() {
            set_selects(machine, &edge.selects, &self.values[offer.values as usize..]);
        }
    }

    /// Collects internal edges, sends and, for those, receives. With `urgent`, only those over
    /// urgent channels; in any case only those in scope.
    pub(crate) fn collect(
        &mut self,
        symbolic: &Symbolic,
        state: &mut [i32],
        machine: &mut Machine,
        urgent: bool,
        (scope, observed): (Scope, &[bool]),
    ) -> Result<(), (Offer, Fault)> {
        self.clear();
        for process in 0..symbolic.processes.len() {
            let location = &symbolic.processes[process].locations[state[process] as usize];
            if !urgent && scope.has_internal() {
                let mut found = std::mem::take(&mut self.internal);
                self.instances(symbolic, state, machine, process, &location.internal, &mut found)?;
                self.internal = found;
            }
            if !location.sends.is_empty() && (location.has_urgent || !urgent) {
                let start = self.sends.len();
                let mut found = std::mem::take(&mut self.sends);
                self.instances(symbolic, state, machine, process, &location.sends, &mut found)?;
                self.sends = found;
                if urgent {
                    let channels = &symbolic.channels;
                    let mut kept = start;
                    for i in start..self.sends.len() {
                        if channels[self.sends[i].channel as usize].urgent {
                            self.sends.swap(kept, i);
                            kept += 1;
                        }
                    }
                    self.sends.truncate(kept);
                }
                scope.cut(&mut self.sends, start, observed);
                for send in &self.sends[start..] {
                    self.wanted[send.channel as usize] = true;
                    self.used.push(send.channel);
                }
            }
        }
        if self.sends.is_empty() {
            return Ok(());
        }
        for process in 0..symbolic.processes.len() {
            let location = &symbolic.processes[process].locations[state[process] as usize];
            if !location.receives.is_empty() {
                self.receives(symbolic, state, machine, process, &location.receives)?;
            }
        }
        Ok(())
    }

    fn receives(
        &mut self,
        symbolic: &Symbolic,
        state: &mut [i32],
        machine: &mut Machine,
        process: usize,
        edges: &[u32],
    ) -> Result<(), (Offer, Fault)> {
        let start = self.pool.len();
        let mut found = std::mem::take(&mut self.pool);
        self.instances_if(symbolic, state, machine, process, edges, &mut found, true)?;
        for offer in found.drain(start..) {
            self.receives[offer.channel as usize].push(offer);
        }
        self.pool = found;
        Ok(())
    }

    /// Appends the offers of some edges of a process.
    pub(crate) fn instances(
        &mut self,
        symbolic: &Symbolic,
        state: &mut [i32],
        machine: &mut Machine,
        process: usize,
        edges: &[u32],
        found: &mut Vec<Offer>,
    ) -> Result<(), (Offer, Fault)> {
        self.instances_if(symbolic, state, machine, process, edges, found, false)
    }

    #[expect(clippy::too_many_arguments, reason = "the inner loop of every step")]
    fn instances_if(
        &mut self,
        symbolic: &Symbolic,
        state: &mut [i32],
        machine: &mut Machine,
        process: usize,
        edges: &[u32],
        found: &mut Vec<Offer>,
        only_wanted: bool,
    ) -> Result<(), (Offer, Fault)> {
        let program = &symbolic.program;
        for &number in edges {
            let edge = &symbolic.processes[process].edges[number as usize];
            if edge.selects.iter().any(|select| select.lo > select.hi) {
                continue;
            }
            let start = self.values.len();
            self.values.extend(edge.selects.iter().map(|select| select.lo));
            loop {
                let mut offer = Offer {
                    process: process as u32,
                    edge: number,
                    values: start as u32,
                    channel: 0,
                };
                set_selects(machine, &edge.selects, &self.values[start..]);
                let mut holds = || -> Result<bool, Fault> {
                    // A channel that depends on nothing is cheap to look at; one that depends on
                    // data means something only where the guard holds.
                    if let Some(channel) = edge.channel.constant() {
                        offer.channel = channel.unsigned_abs();
                        if only_wanted && !self.wanted[offer.channel as usize] {
                            return Ok(false);
                        }
                    }
                    for &code in &edge.guard {
                        if program.run(code, state, machine)? == 0 {
                            return Ok(false);
                        }
                    }
                    if edge.channel.constant().is_none() {
                        offer.channel = program.run(edge.channel, state, machine)?.unsigned_abs();
                    }
                    Ok(!only_wanted || self.wanted[offer.channel as usize])
                };
                match holds() {
                    Err(fault) if self.forgives && fault.kind != FaultKind::Spent => {
                        self.has_forgiven = true;
                    }
                    Err(fault) => return Err((offer, fault)),
                    Ok(false) => {}
                    Ok(true) => {
                        // Keep these values; the search for others goes on with a copy.
                        if !edge.selects.is_empty() {
                            offer.values = self.values.len() as u32;
                            self.values.extend_from_within(start..start + edge.selects.len());
                        }
                        found.push(offer);
                    }
                }
                let values = &mut self.values[start..start + edge.selects.len()];
                if !next_selects(&edge.selects, values) {
                    break;
                }
                symbolic.budget.hold(self.bytes(found));
                if symbolic.budget.is_spent() {
                    return Err((offer, FaultKind::Spent.into()));
                }
            }
        }
        Ok(())
    }
}
