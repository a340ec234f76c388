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

use punctual_semantics::symbolic::{Active, Explorer, Halt, Predicate, Successor};
use punctual_zones::Zone;

use super::known::{Kept, Knowledge, Known};
use super::{Break, LOOK};
use crate::Ending;
use crate::passed::Passed;
use crate::plan::Plan;
use crate::search::{Meter, spent};

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
}

/// A run from one of the states that were added.
pub(crate) struct Run {
    /// Its transitions, with that to the state where it starts.
    pub(crate) path: Vec<u32>,
    pub(crate) ending: Ending,
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
        }
    }

    /// Adds the initial states.
    pub(crate) fn add_initial(&mut self) -> Result<(), Break> {
        let Hunt { plan, avoided, explorer, judge, pending, keys, .. } = self;
        let mut out = Out { plan, avoided, judge, pending, keys };
        out.add_all(|visit| explorer.initial(&mut |it| visit(it)))
            .map_err(|halt| broken(plan, halt, Vec::new, Vec::new))
    }

    /// Adds a state to start from, as far as it does not have to be avoided.
    pub(crate) fn add(&mut self, via: u32, state: &[i32], zone: &Zone) -> Result<(), Halt> {
        let Hunt { plan, avoided, judge, pending, keys, clocks, .. } = self;
        clocks.set(&plan.symbolic, state);
        let mut out = Out { plan, avoided, judge, pending, keys };
        out.add(via, state, &mut zone.clone(), clocks)
    }

    /// Looks for a run from the states that were added. For the observer, there are others.
    pub(crate) fn run(
        &mut self,
        meter: &mut Meter<'_>,
        others: &Passed,
    ) -> Result<Option<Run>, Break> {
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
                    let mut path = self.vias();
                    path.push(via);
                    return Ok(Some(Run { path, ending: Ending::Cycle { from } }));
                }
                Knowledge::New(discrete) => discrete,
            };
            self.plan.layout.unpack(key, &mut self.state);
            zone.unpack(&mut self.zone);
            self.known.open(discrete, self.path.len());
            let (pending, keys) = (self.pending.len(), self.keys.len());
            self.path.push(Entered { via, discrete, zone, pending, keys });

            meter.statistics.explored += 1;
            match self.expand() {
                Ok(None) => {}
                Ok(Some(ending)) => return Ok(Some(Run { path: self.vias(), ending })),
                Err(halt) => {
                    return Err(broken(self.plan, halt, || self.vias(), || self.state.clone()));
                }
            }
            meter.statistics.transitions += (self.pending.len() - pending) as u64;
            // The first successor is looked at first.
            self.pending[pending..].reverse();
            if meter.statistics.explored.is_multiple_of(LOOK) {
                let stored = others.stored() + self.stored();
                let waiting = self.pending.len() as u64;
                let bytes = others.bytes() + self.bytes();
                match meter.look(stored, waiting, bytes) {
                    ControlFlow::Continue(()) => {}
                    ControlFlow::Break(_) => return Err(Break::Spent(spent(self.plan))),
                }
            }
        }
    }

    /// The transitions of the path.
    fn vias(&self) -> Vec<u32> {
        self.path.iter().map(|entered| entered.via).collect()
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
            out.add_all(|visit| explorer.successors(state, zone, &mut |it| visit(it)))?;
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
    /// Adds all states that an explorer visits.
    fn add_all(
        &mut self,
        each: impl FnOnce(&mut dyn FnMut(Successor<'_>) -> ControlFlow<()>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let mut halted = None;
        let visited = each(&mut |successor| match self.add(
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
        halted.map_or(visited, Err)
    }

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
        if pending.len().is_multiple_of(LOOK as usize) {
            let zone = pending.last().map_or(0, |last| last.zone.bytes());
            let pending = pending.len() as u64 * (size_of::<Pending>() as u64 + zone);
            self.plan.symbolic.budget().hold(pending + self.keys.len() as u64);
        }
    }
}

/// Why a state was not expanded to its end.
fn broken(
    plan: &Plan,
    halt: Halt,
    path: impl FnOnce() -> Vec<u32>,
    state: impl FnOnce() -> Vec<i32>,
) -> Break {
    match halt {
        Halt::Trouble(trouble) => Break::Trouble { path: path(), state: state(), trouble },
        Halt::Spent => Break::Spent(spent(plan)),
        Halt::Stop => unreachable!("no visitor stops without trouble"),
    }
}
