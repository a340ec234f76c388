//! Depth-first search for a maximal run that avoids some states.
//!
//! A search state is a discrete state and a zone *as it is entered*, before time passes, without
//! the valuations that are to be avoided. From there time passes as long as nothing is met that is
//! to be avoided. There is a run
//! - if time can pass for ever so,
//! - if that leads to where nothing can happen and all further waiting is fine, too,
//! - if a state on the path is included in one that follows from it: every valuation of the later
//!   zone has one in the earlier that leads to it, so going back never ends; and since valuations
//!   that behave differently are finitely many, some of those repeat.
//!
//! A state that lies in one from which all successors are done is done, too. That a state lies in
//! one on the path says nothing.

use std::ops::ControlFlow;

use punctual_semantics::symbolic::{Active, Explorer, Halt, Predicate};
use punctual_zones::Zone;

use super::known::{Kept, Knowledge, Known};
use super::{LOOK, trouble};
use crate::Ending;
use crate::passed::NodeRef;
use crate::plan::Plan;
use crate::search::{End, Meter};

/// A search for runs that avoid some states. It remembers from where there are none.
pub(crate) struct Hunt<'p> {
    plan: &'p Plan,
    avoided: &'p Predicate,
    explorer: Explorer<'p>,
    judge: Explorer<'p>,
    known: Known,
    path: Vec<Entered>,
    /// Successors that are not looked at yet: those of the last state of the path are the last.
    pending: Vec<Pending>,
    /// Their packed discrete states.
    keys: Vec<u8>,
    state: Vec<i32>,
    zone: Zone,
    clocks: Active,
    /// Bytes that others hold.
    pub(crate) elsewhere: u64,
}

/// A state of the path.
struct Entered {
    via: u32,
    discrete: u32,
    zone: Kept,
    /// Where its successors begin among those that are pending, and their keys.
    pending: usize,
    keys: usize,
}

struct Pending {
    via: u32,
    key: usize,
    zone: Kept,
}

impl<'p> Hunt<'p> {
    pub(crate) fn new(plan: &'p Plan, avoided: &'p Predicate) -> Hunt<'p> {
        Hunt {
            plan,
            avoided,
            explorer: Explorer::without_waiting(&plan.symbolic),
            judge: Explorer::without_waiting(&plan.symbolic),
            known: Known::default(),
            path: Vec::new(),
            pending: Vec::new(),
            keys: Vec::new(),
            state: vec![0; plan.symbolic.state_len()],
            zone: Zone::zero(0),
            clocks: Active::new(plan.symbolic.n_clocks()),
            elsewhere: 0,
        }
    }

    /// Adds a state to start from, as far as it does not have to be avoided.
    pub(crate) fn add_in_state(&mut self, state: &[i32], zone: &Zone) -> Result<(), End> {
        let mut clocks = std::mem::replace(&mut self.clocks, Active::new(0));
        clocks.set(&self.plan.symbolic, state);
        let added = self.add(0, state, &mut zone.clone(), &clocks);
        self.clocks = clocks;
        added
    }

    /// Adds a state to start from, as far as it does not have to be avoided.
    pub(crate) fn add(
        &mut self,
        via: u32,
        state: &[i32],
        zone: &mut Zone,
        clocks: &Active,
    ) -> Result<(), End> {
        let Hunt { plan, avoided, judge, pending, keys, .. } = self;
        let mut out = Out { plan, avoided, judge, pending, keys };
        out.add(via, state, zone, clocks).map_err(|halt| trouble(NodeRef::NONE, halt))
    }

    /// Looks for a run from the states that were added; gives its transitions, with that to the
    /// first state, and its end.
    pub(crate) fn run(
        &mut self,
        meter: &mut Meter<'_>,
        stored_elsewhere: u64,
    ) -> Result<Option<(Vec<u32>, Ending)>, End> {
        loop {
            let (first, keys) = self.path.last().map_or((0, 0), |last| (last.pending, last.keys));
            if self.pending.len() == first {
                self.keys.truncate(keys);
                let Some(Entered { discrete, zone, .. }) = self.path.pop() else { return Ok(None) };
                self.known.close(discrete, zone);
                continue;
            }
            let Some(Pending { via, key, zone }) = self.pending.pop() else { unreachable!() };
            let key = &self.keys[key..][..self.plan.layout.bytes()];
            let discrete = match self.known.of(key, &zone, |at| &self.path[at].zone) {
                Knowledge::Done => continue,
                Knowledge::Repeats(from) => {
                    return Ok(Some((self.path_with(via), Ending::Cycle { from })));
                }
                Knowledge::New(discrete) => discrete,
            };
            self.plan.layout.unpack(key, &mut self.state);
            zone.unpack(&mut self.zone);
            self.known.open(discrete, self.path.len());
            let (pending, keys) = (self.pending.len(), self.keys.len());
            self.path.push(Entered { via, discrete, zone, pending, keys });

            meter.statistics.explored += 1;
            let ending = self.expand().map_err(|halt| trouble(NodeRef::NONE, halt))?;
            if let Some(ending) = ending {
                let path = self.path.iter().map(|entered| entered.via).collect();
                return Ok(Some((path, ending)));
            }
            meter.statistics.transitions += (self.pending.len() - pending) as u64;
            // The first successor is looked at first.
            self.pending[pending..].reverse();
            if meter.statistics.explored % LOOK == 0 {
                let stored = stored_elsewhere + self.stored();
                let waiting = self.pending.len() as u64;
                let bytes = self.elsewhere + self.bytes();
                if let ControlFlow::Break(end) = meter.look(stored, waiting, bytes) {
                    return Err(end);
                }
            }
        }
    }

    fn path_with(&self, via: u32) -> Vec<u32> {
        self.path.iter().map(|entered| entered.via).chain([via]).collect()
    }

    /// Computes the successors of `state` and `zone`, unless a run can end there.
    fn expand(&mut self) -> Result<Option<Ending>, Halt> {
        let Hunt { plan, avoided, explorer, judge, pending, keys, state, zone, .. } = self;
        let wait = judge.wait_avoiding(avoided, state, zone)?;
        if !wait.endless.is_empty() {
            return Ok(Some(Ending::Divergence));
        }
        if !wait.dead.is_empty() {
            return Ok(Some(Ending::Deadlock));
        }
        let mut out = Out { plan, avoided, judge, pending, keys };
        for zone in wait.reached.zones() {
            let mut halted = None;
            let visited = explorer.successors(state, zone, &mut |successor| match out.add(
                successor.ordinal,
                successor.state,
                successor.zone,
                successor.clocks,
            ) {
                Ok(()) => ControlFlow::Continue(()),
                Err(halt) => {
                    halted = Some(halt);
                    ControlFlow::Break(())
                }
            });
            match (halted, visited) {
                (Some(halt), _) | (None, Err(halt)) => return Err(halt),
                (None, Ok(())) => {}
            }
        }
        Ok(None)
    }

    /// How many states are stored.
    pub(crate) fn stored(&self) -> u64 {
        self.known.stored() + self.path.len() as u64
    }

    /// About how many bytes this holds.
    pub(crate) fn bytes(&self) -> u64 {
        let zones: u64 = self.path.last().map_or(0, |last| last.zone.bytes());
        let path = self.path.len() as u64 * (size_of::<Entered>() as u64 + zones);
        let pending = self.pending.len() as u64 * (size_of::<Pending>() as u64 + zones);
        self.known.bytes() + path + pending + self.keys.len() as u64
    }
}

/// Where states go that are to be looked at.
struct Out<'h, 'p> {
    plan: &'p Plan,
    avoided: &'p Predicate,
    judge: &'h mut Explorer<'p>,
    pending: &'h mut Vec<Pending>,
    keys: &'h mut Vec<u8>,
}

impl Out<'_, '_> {
    fn add(
        &mut self,
        via: u32,
        state: &[i32],
        zone: &mut Zone,
        clocks: &Active,
    ) -> Result<(), Halt> {
        if self.avoided.is_data() {
            if !self.avoided.holds(self.judge, state)? {
                self.push(via, state, zone, clocks);
            }
            return Ok(());
        }
        for piece in self.judge.outside(self.avoided, state, zone)?.zones() {
            self.push(via, state, &mut piece.clone(), clocks);
        }
        Ok(())
    }

    fn push(&mut self, via: u32, state: &[i32], zone: &mut Zone, clocks: &Active) {
        let key = self.keys.len();
        self.plan.layout.pack(state, self.keys);
        let pending = &mut *self.pending;
        self.plan.normalise(zone, clocks, |zone| {
            pending.push(Pending { via, key, zone: Kept::new(zone) });
        });
    }
}
