//! Systems that run inside of the tester: called directly, on either clock.
//!
//! On the real clock, the system is let come to the present whenever the tester looks; between two
//! looks the tester sleeps until something is due, or half a millisecond if the system can not say
//! when that is. Outputs are stamped when they are seen.

use std::{collections::VecDeque, sync::Arc};

use punctual_model::{Action, Interface};
use punctual_sdk::Output;

use crate::{
    Clock, Handover, Limits, Seen, SutError, Timekeeping, limits::Flood, signals::Signals,
};

/// How often a system is asked that does not know when something happens.
const POLL_NS: u64 = 500_000;

/// How many nanoseconds a second has.
pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// A [`punctual_sdk::System`] that can fail.
pub(crate) trait Stepped {
    fn reset(&mut self) -> Result<(), SutError>;
    fn input(&mut self, at_ns: u64, name: &str, values: &[i32]) -> Result<(), SutError>;
    fn advance(&mut self, until_ns: u64) -> Result<Option<Output>, SutError>;
    fn next_ns(&self) -> Option<u64>;
}

/// A system that is called directly.
pub(crate) struct Direct<S> {
    system: S,
    signals: Signals,
    limits: Limits,
    timekeeping: Timekeeping,
    clock: Clock,
    is_reset: bool,
    flood: Flood,
    /// Outputs that were seen while an input was handed over.
    pending: VecDeque<(Action, u64)>,
    /// The instant that the system came to.
    reached_ns: u64,
}

impl<S: Stepped> Direct<S> {
    pub(crate) fn new(
        system: S,
        interface: Arc<Interface>,
        timekeeping: Timekeeping,
        limits: Limits,
    ) -> Self {
        Self {
            system,
            signals: Signals::new(interface),
            limits,
            timekeeping,
            clock: Clock::start(timekeeping),
            is_reset: false,
            flood: Flood::default(),
            pending: VecDeque::new(),
            reached_ns: 0,
        }
    }

    pub(crate) fn reset(&mut self) -> Result<(), SutError> {
        self.is_reset = false;
        self.system.reset()?;
        self.flood = Flood::default();
        self.pending.clear();
        self.reached_ns = 0;
        self.is_reset = true;
        self.clock = Clock::start(self.timekeeping);
        Ok(())
    }

    pub(crate) fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    pub(crate) fn is_virtual(&self) -> bool {
        self.timekeeping == Timekeeping::Virtual
    }

    pub(crate) fn input(&mut self, action: &Action) -> Result<Handover, SutError> {
        self.signals.input(action)?;
        self.guarded(|this| this.hand_over(action))
    }

    pub(crate) fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        self.guarded(|this| this.wait_until(until_ns))
    }

    pub(crate) fn stop(&mut self) {
        self.is_reset = false;
    }

    /// After an error nothing more is done.
    fn guarded<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, SutError>,
    ) -> Result<T, SutError> {
        if !self.is_reset {
            return Err(SutError::NotReset);
        }
        let outcome = act(self);
        self.is_reset = outcome.is_ok();
        outcome
    }

    fn hand_over(&mut self, action: &Action) -> Result<Handover, SutError> {
        let from_ns = self.clock.now_ns();
        if !self.clock.is_virtual() {
            while let Some(output) = self.advance(from_ns)? {
                self.pending.push_back(output);
            }
        }
        let name = self.signals.input(action)?;
        self.system.input(self.reached_ns.max(from_ns), name, &action.values)?;
        Ok(Handover { from_ns, to_ns: self.clock.now_ns() })
    }

    fn wait_until(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        if let Some((action, at_ns)) = self.pending.pop_front() {
            return Ok(Seen::Output { action, at_ns });
        }
        loop {
            let now_ns = self.clock.now_ns();
            let until_ns = until_ns.max(self.reached_ns);
            let target_ns = if self.clock.is_virtual() { until_ns } else { now_ns.min(until_ns) };
            if let Some((action, at_ns)) = self.advance(target_ns)? {
                self.clock_to(at_ns);
                return Ok(Seen::Output { action, at_ns });
            }
            if target_ns >= until_ns {
                self.clock_to(until_ns);
                return Ok(Seen::Quiet);
            }
            let due_ns = match self.system.next_ns() {
                Some(0) => now_ns.saturating_add(POLL_NS),
                Some(due_ns) => due_ns,
                None => until_ns,
            };
            self.clock.sleep_until(due_ns.min(until_ns));
        }
    }

    fn clock_to(&mut self, at_ns: u64) {
        if self.clock.is_virtual() {
            self.clock.sleep_until(at_ns);
        }
    }

    /// Lets the system come to an instant, or to its next output.
    fn advance(&mut self, until_ns: u64) -> Result<Option<(Action, u64)>, SutError> {
        let until_ns = until_ns.max(self.reached_ns);
        let Some(output) = self.system.advance(until_ns)? else {
            self.reached_ns = until_ns;
            return Ok(None);
        };
        let Output { at_ns, name, values } = output;
        let action = self.signals.output(&name, values)?;
        if !(self.reached_ns..=until_ns).contains(&at_ns) {
            return Err(SutError::Protocol {
                found: format!("`{name}` came at {at_ns} ns"),
                expected: format!("it had to be from {} to {until_ns} ns", self.reached_ns),
            });
        }
        self.reached_ns = at_ns;
        let (at_ns, window_ns, limit) = match self.timekeeping {
            Timekeeping::Virtual => (at_ns, 0, self.limits.outputs_at_one_instant),
            Timekeeping::Real => (self.clock.now_ns(), SECOND_NS, self.limits.outputs_per_second),
        };
        if self.flood.count(at_ns, window_ns, limit) {
            return Err(flood(limit, window_ns));
        }
        Ok(Some((action, at_ns)))
    }
}

pub(crate) fn flood(limit: u64, window_ns: u64) -> SutError {
    let within = if window_ns == 0 { "at one instant" } else { "in a second" };
    SutError::Flood { limit, within: within.into() }
}
