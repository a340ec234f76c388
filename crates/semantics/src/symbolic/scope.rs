//! Looking at some of the transitions only: those that are hidden from an observer, or those that
//! it sees.

use std::ops::ControlFlow;

use punctual_zones::ZoneRef;

use super::explorer::{Explorer, Halt, Successor};
use super::offers::Offer;

/// Which transitions are looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scope {
    All,
    /// Internal ones, and those over channels that are not observed.
    Hidden,
    /// Those over observed channels on which the network sends, and not somebody outside.
    Sent,
    /// Those over one channel.
    Channel(u32),
}

impl Scope {
    pub(crate) fn has_internal(self) -> bool {
        matches!(self, Scope::All | Scope::Hidden)
    }

    /// Drops the sends from a place on that are not in scope.
    #[inline]
    pub(crate) fn cut(self, sends: &mut Vec<Offer>, start: usize, observed: &[bool]) {
        let is_in = |offer: &Offer| match self {
            Scope::All => true,
            Scope::Hidden => !observed[offer.channel as usize],
            Scope::Sent => observed[offer.channel as usize],
            Scope::Channel(channel) => offer.channel == channel,
        };
        if matches!(self, Scope::All) {
            return;
        }
        let mut kept = start;
        for i in start..sends.len() {
            if is_in(&sends[i]) {
                sends.swap(kept, i);
                kept += 1;
            }
        }
        sends.truncate(kept);
    }
}

impl Explorer<'_> {
    /// Says which channels an observer sees, and on which of them the network sends.
    pub fn observe(&mut self, observed: &[bool], sent: &[bool]) {
        self.observed = observed.into();
        self.sent = sent.into();
    }

    /// Visits the successors by transitions that the observer does not see.
    ///
    /// # Errors
    /// If the model is in error, or the visitor stops.
    pub fn hidden_successors<'z>(
        &mut self,
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        self.within(Scope::Hidden, state, zone, visit)
    }

    /// Visits the successors by what the observer sees the network send. What somebody outside might send is not
    /// looked at: nobody knows its values, and it may be something that is never sent.
    ///
    /// # Errors
    /// If the model is in error, or the visitor stops.
    pub fn sent_successors<'z>(
        &mut self,
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        self.within(Scope::Sent, state, zone, visit)
    }

    /// Visits the successors over one channel. Before the updates, integers of the state get these
    /// values: what somebody outside of the network sends along.
    ///
    /// # Errors
    /// If the model is in error, or the visitor stops.
    pub fn successors_on<'z>(
        &mut self,
        channel: u32,
        sent: &[(u32, i32)],
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        self.pokes.extend_from_slice(sent);
        let done = self.within(Scope::Channel(channel), state, zone, visit);
        self.pokes.clear();
        done
    }

    fn within<'z>(
        &mut self,
        scope: Scope,
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        self.scope = scope;
        let done = self.successors(state, zone, visit);
        self.scope = Scope::All;
        done
    }
}
