//! The rules of the JSON-lines protocol: who says what when, on both clocks.
//!
//! A dialogue connects at the first reset, and again at the next reset after an error. Every answer
//! has a deadline on the machine's clock, so nothing here waits for ever.

use std::{io, sync::Arc, time::Duration, time::Instant};

use punctual_model::{Action, Interface};

use crate::{
    Clock, Handover, Limits, Seen, SutError, Timekeeping, clock,
    direct::{SECOND_NS, flood},
    error::shortened,
    limits::Flood,
    protocol::{self, Message},
    signals::Signals,
    wire::{self, Wire},
};

/// How systems of one kind are reached.
pub(crate) trait Connector {
    /// What is reached.
    type Link: Link;
    /// Starts or reaches the system.
    fn connect(&mut self, limits: &Limits) -> Result<Self::Link, SutError>;
    /// Whether the system ends at each reset, and is started again.
    fn restarts(&self) -> bool {
        false
    }
}

/// A system that was reached. Dropping it lets go of it at once.
pub(crate) trait Link {
    fn wire(&mut self) -> &mut Wire;
    /// Why nothing more comes from it.
    fn gone(&mut self, doing: &str) -> SutError;
    /// The last lines that it wrote for people.
    fn stderr(&self) -> Vec<String>;
    /// Ends it, after it was told to stop.
    fn end(&mut self, patience: Duration);
}

/// A conversation with a system.
pub(crate) struct Dialogue<C: Connector> {
    connector: C,
    /// None before the first reset and after an error.
    link: Option<C::Link>,
    signals: Signals,
    limits: Limits,
    timekeeping: Timekeeping,
    clock: Clock,
    is_reset: bool,
    n_resets: u64,
    flood: Flood,
    /// The last instant of which the tester knows all that happened.
    known_ns: u64,
}

impl<C: Connector> Dialogue<C> {
    pub(crate) fn new(
        connector: C,
        interface: Arc<Interface>,
        timekeeping: Timekeeping,
        limits: Limits,
    ) -> Self {
        Self {
            connector,
            link: None,
            signals: Signals::new(interface),
            limits,
            timekeeping,
            clock: Clock::start(timekeeping),
            is_reset: false,
            n_resets: 0,
            flood: Flood::default(),
            known_ns: 0,
        }
    }

    pub(crate) fn reset(&mut self) -> Result<(), SutError> {
        self.is_reset = false;
        self.guarded(Self::restart)?;
        self.flood = Flood::default();
        self.known_ns = 0;
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
        self.reset_guarded(|this| this.hand_over(action))
    }

    pub(crate) fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        self.reset_guarded(|this| match this.timekeeping {
            Timekeeping::Virtual => this.wait_virtual(until_ns.max(this.clock.now_ns())),
            Timekeeping::Real => this.wait_real(until_ns),
        })
    }

    pub(crate) fn stop(&mut self) {
        self.is_reset = false;
        if let Some(mut link) = self.link.take() {
            // It may be gone already; then there is nothing to be said.
            let _ = link.wire().send(&protocol::stop("the test is over"));
            link.end(self.limits.stop);
        }
    }

    /// After an error the system is let go.
    fn guarded<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, SutError>,
    ) -> Result<T, SutError> {
        let outcome = act(self);
        if outcome.is_err() {
            self.is_reset = false;
            if let Some(mut link) = self.link.take() {
                link.end(Duration::ZERO);
            }
        }
        outcome
    }

    fn reset_guarded<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, SutError>,
    ) -> Result<T, SutError> {
        match self.is_reset {
            true => self.guarded(act),
            false => Err(SutError::NotReset),
        }
    }

    fn restart(&mut self) -> Result<(), SutError> {
        if self.connector.restarts() {
            self.stop();
        }
        if self.link.is_none() {
            self.link = Some(self.connector.connect(&self.limits)?);
            self.n_resets = 0;
            let hello = protocol::hello(&self.signals, self.timekeeping);
            self.send(&hello, "read hello")?;
            self.await_ready("answer hello with ready", self.limits.start)?;
        }
        self.n_resets += 1;
        self.send(&protocol::reset(self.n_resets), "read a reset")?;
        self.await_ready("answer a reset with ready", self.limits.answer)
    }

    fn await_ready(&mut self, doing: &str, patience: Duration) -> Result<(), SutError> {
        let deadline = clock::within(patience);
        loop {
            match self.answer(doing, deadline, patience)?.1 {
                Message::Ready(number) if number == self.n_resets => return Ok(()),
                // What it did before it read the reset. On the virtual clock it could not.
                Message::Output { .. }
                    if self.timekeeping == Timekeeping::Real && self.n_resets > 1 =>
                {
                    if clock::until(deadline).is_zero() {
                        return Err(self.hung(doing, patience));
                    }
                }
                other => return Err(self.unexpected(&other, doing)),
            }
        }
    }

    fn hand_over(&mut self, action: &Action) -> Result<Handover, SutError> {
        let name = self.signals.input(action)?;
        let from_ns = self.clock.now_ns();
        let line = protocol::input(name, &action.values, from_ns);
        self.send(&line, "read an input")?;
        if self.clock.is_virtual() {
            let doing = "answer an input with done";
            let patience = self.limits.answer;
            match self.answer(doing, clock::within(patience), patience)?.1 {
                Message::Done(at_ns) if at_ns == from_ns => {}
                other => return Err(self.unexpected(&other, doing)),
            }
        }
        Ok(Handover { from_ns, to_ns: self.clock.now_ns() })
    }

    fn wait_virtual(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        let doing = "answer a wait with quiet or an output";
        self.send(&protocol::wait(until_ns), "read a wait")?;
        let patience = self.limits.answer;
        let now_ns = self.clock.now_ns();
        match self.answer(doing, clock::within(patience), patience)?.1 {
            Message::Quiet(at_ns) if at_ns == until_ns => {
                self.clock.sleep_until(until_ns);
                Ok(Seen::Quiet)
            }
            Message::Quiet(at_ns) => Err(SutError::Protocol {
                found: format!("it was quiet until {at_ns} ns"),
                expected: format!("it had to be until {until_ns} ns"),
            }),
            Message::Output { name, values, at_ns } => {
                let action = self.signals.output(&name, values)?;
                let range = now_ns..=until_ns;
                let Some(at_ns) = at_ns.filter(|at_ns| range.contains(at_ns)) else {
                    let at = at_ns.map_or("without `at`".into(), |at| format!("at {at} ns"));
                    return Err(SutError::Protocol {
                        found: format!("`{name}` came {at}"),
                        expected: format!("it had to be from {now_ns} to {until_ns} ns"),
                    });
                };
                self.clock.sleep_until(at_ns);
                self.seen(action, at_ns, 0, self.limits.outputs_at_one_instant)
            }
            other => Err(self.unexpected(&other, doing)),
        }
    }

    fn wait_real(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        let doing = "wait for its next input";
        let deadline = self.clock.deadline(until_ns);
        match self.receive(doing, deadline)? {
            None => {
                self.known_ns = self.known_ns.max(until_ns);
                Ok(Seen::Quiet)
            }
            Some((at, Message::Output { name, values, .. })) => {
                let action = self.signals.output(&name, values)?;
                // It was read while the tester already said that nothing came.
                let at_ns = self.clock.at_ns(at).max(self.known_ns);
                self.known_ns = at_ns;
                self.seen(action, at_ns, SECOND_NS, self.limits.outputs_per_second)
            }
            Some((_, other)) => Err(self.unexpected(&other, "send nothing but outputs")),
        }
    }

    fn seen(
        &mut self,
        action: Action,
        at_ns: u64,
        window_ns: u64,
        limit: u64,
    ) -> Result<Seen, SutError> {
        match self.flood.count(at_ns, window_ns, limit) {
            true => Err(flood(limit, window_ns)),
            false => Ok(Seen::Output { action, at_ns }),
        }
    }

    /// The next message but logs, which must come in time.
    fn answer(
        &mut self,
        doing: &str,
        deadline: Instant,
        waited: Duration,
    ) -> Result<(Instant, Message), SutError> {
        self.receive(doing, deadline)?.ok_or_else(|| self.hung(doing, waited))
    }

    /// The next message but logs, if one comes in time.
    fn receive(
        &mut self,
        doing: &str,
        deadline: Instant,
    ) -> Result<Option<(Instant, Message)>, SutError> {
        loop {
            let link = self.link.as_mut().ok_or(SutError::NotReset)?;
            let Some(arrived) = link.wire().receive(deadline) else { return Ok(None) };
            let line = match arrived.what {
                Ok(line) => line,
                Err(cut) => {
                    return Err(wire::unreadable(cut).unwrap_or_else(|| link.gone(doing)));
                }
            };
            match Message::parse(&line)? {
                Message::Log(_) if clock::until(deadline).is_zero() => return Ok(None),
                Message::Log(_) => {}
                Message::Error(text) => {
                    return Err(SutError::Reported { text: shortened(&text) });
                }
                message => return Ok(Some((arrived.at, message))),
            }
        }
    }

    fn send(&mut self, line: &str, doing: &str) -> Result<(), SutError> {
        let link = self.link.as_mut().ok_or(SutError::NotReset)?;
        match link.wire().send(line) {
            Ok(()) => Ok(()),
            Err(error) if wire::is_stuck(&error) => Err(self.hung(doing, self.limits.answer)),
            Err(error) => Err(self.why_not_written(doing, &error)),
        }
    }

    /// What the system said last explains best why it reads no more.
    fn why_not_written(&mut self, doing: &str, error: &io::Error) -> SutError {
        let deadline = clock::within(Duration::from_millis(100));
        loop {
            match self.receive(doing, deadline) {
                Ok(Some(_)) => {}
                Ok(None) => {
                    let reason = error.to_string();
                    return SutError::Io { doing: "write to the system".into(), reason };
                }
                Err(error) => return error,
            }
        }
    }

    fn hung(&self, doing: &str, waited: Duration) -> SutError {
        let stderr = self.link.as_ref().map(Link::stderr).unwrap_or_default();
        SutError::Hung { doing: doing.into(), waited, stderr }
    }

    fn unexpected(&self, message: &Message, doing: &str) -> SutError {
        let found = match message {
            Message::Ready(number) => format!("it sent ready {number}"),
            Message::Done(at_ns) => format!("it sent done {at_ns}"),
            Message::Quiet(at_ns) => format!("it sent quiet {at_ns}"),
            Message::Output { name, .. } => format!("it sent the output `{}`", shortened(name)),
            Message::Error(_) | Message::Log(_) => "it spoke for people".into(),
        };
        let expected = match doing {
            "answer a reset with ready" => format!("it had to {doing} {}", self.n_resets),
            _ => format!("it had to {doing}"),
        };
        SutError::Protocol { found, expected }
    }
}

impl<C: Connector> Drop for Dialogue<C> {
    fn drop(&mut self) {
        self.stop();
    }
}
