//! The rules of the JSON-lines protocol: who says what when, on both clocks.
//!
//! A dialogue connects at the first reset, and again at the next reset after an error. Every answer
//! has a deadline on the machine's clock, so nothing here waits for ever. A system that is let go is told
//! why, if it still listens.

use std::{collections::VecDeque, io, sync::Arc, time::Duration, time::Instant};

use punctual_model::{Action, Interface, PortId, Reading, Step, Value};
use serde_json::{Map, Value as Json};

use crate::{
    Clock, Handover, Limits, Note, Seen, Source, SutError, Timekeeping, clock,
    direct::{SECOND_NS, flood},
    error::{cut, shortened},
    limits::Flood,
    process,
    protocol::{self, Can, Message, within},
    signals::Signals,
    wire::{self, Wire},
};

/// How often a system that says nothing is looked at, whether it still lives.
const LIVENESS: Duration = Duration::from_millis(50);

/// How long the last line of a system that has ended may take to arrive.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// How many answers to inputs may be owed at once. They must fit into what the operating system keeps for a reader.
const OWED_MAX: usize = 64;

/// How many log lines wait to be recorded; more are dropped.
const NOTES_MAX: usize = 10_000;

/// How many characters of a line for people are recorded.
pub(crate) const NOTE_CHARS: usize = 1_000;

/// How systems of one kind are reached.
pub(crate) trait Connector {
    /// The connection to a system of this kind.
    type Link: Link;
    /// Starts or reaches the system.
    fn connect(
        &mut self,
        limits: &Limits,
        timekeeping: Timekeeping,
    ) -> Result<Self::Link, SutError>;
    /// Whether the system ends at each reset, and is started again.
    fn restarts(&self) -> bool {
        false
    }
}

/// A system that was reached. Dropping it lets go of it at once.
pub(crate) trait Link {
    fn wire(&mut self) -> &mut Wire;
    /// The error of a system from which nothing more comes, when it had to do something.
    fn gone(&mut self, doing: &str) -> SutError;
    /// The last lines that the system wrote to standard error.
    fn stderr(&self) -> Vec<String>;
    /// The process that the system is, if it is one of this machine.
    fn process_id(&self) -> Option<u32> {
        None
    }
    /// Whether the system has ended, even if somebody else keeps its end of the connection open.
    fn has_ended(&mut self) -> bool {
        false
    }
    /// The lines that the system wrote to standard error since the last call.
    fn take_stderr(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// Ends the system, which has so much time to do so by itself.
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
    /// What the system said at hello that it can do.
    can: Can,
    /// What the system did before it answered a question, in order.
    earlier: VecDeque<Seen>,
    /// The values of the input ports as they were set last, in order.
    inputs: Vec<Value>,
    /// The answers that the system owes, in order: for what, and for which instant. On the virtual clock an input is answered, but nothing
    /// depends on the answer until something is waited for: both are on their way together, and the system wakes up once.
    owed: VecDeque<(&'static str, u64)>,
    /// The steps that the tester asked for since the reset.
    n_steps: u64,
    /// How many log lines were too many to wait for being recorded.
    n_dropped: u64,
    /// Log lines that were not recorded yet.
    notes: Vec<Note>,
}

impl<C: Connector> Dialogue<C> {
    pub(crate) fn new(
        connector: C,
        interface: Arc<Interface>,
        timekeeping: Timekeeping,
        limits: Limits,
    ) -> Self {
        let signals = Signals::new(interface);
        Self {
            connector,
            link: None,
            inputs: signals.initial_inputs(),
            signals,
            limits,
            timekeeping,
            clock: Clock::start(timekeeping),
            is_reset: false,
            n_resets: 0,
            flood: Flood::default(),
            known_ns: 0,
            can: Can::default(),
            earlier: VecDeque::new(),
            owed: VecDeque::new(),
            n_steps: 0,
            n_dropped: 0,
            notes: Vec::new(),
        }
    }

    pub(crate) fn reset(&mut self) -> Result<(), SutError> {
        if self.is_reset {
            self.settle()?;
        }
        self.is_reset = false;
        self.guarded(Self::restart)?;
        self.flood = Flood::default();
        self.known_ns = 0;
        self.earlier.clear();
        self.owed.clear();
        self.inputs = self.signals.initial_inputs();
        self.n_steps = 0;
        self.is_reset = true;
        self.clock = Clock::start(self.timekeeping);
        Ok(())
    }

    pub(crate) fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    pub(crate) fn process_id(&self) -> Option<u32> {
        self.link.as_ref().and_then(Link::process_id)
    }

    pub(crate) fn is_virtual(&self) -> bool {
        self.timekeeping == Timekeeping::Virtual
    }

    pub(crate) fn input(&mut self, action: &Action) -> Result<Handover, SutError> {
        self.signals.input(action)?;
        self.reset_guarded(|this| this.hand_over(action))
    }

    pub(crate) fn set(&mut self, ports: &Reading) -> Result<Handover, SutError> {
        self.signals.may_set(ports)?;
        self.reset_guarded(|this| this.set_ports(ports))
    }

    pub(crate) fn step(&mut self, inputs: &[Value]) -> Result<(Vec<Value>, Handover), SutError> {
        self.signals.may_step(inputs)?;
        self.reset_guarded(|this| this.take_step(inputs))
    }

    pub(crate) fn read(&mut self, ports: &[PortId]) -> Result<(Reading, Handover), SutError> {
        self.reset_guarded(|this| this.read_ports(ports))
    }

    pub(crate) fn take_notes(&mut self) -> Vec<Note> {
        let mut notes = std::mem::take(&mut self.notes);
        let n_dropped = std::mem::take(&mut self.n_dropped);
        if n_dropped > 0 {
            let text =
                format!("({n_dropped} more lines of the log came at once, and were not kept)");
            notes.push(Note { source: Source::Log, text });
        }
        let stderr = self.link.as_mut().map(Link::take_stderr).unwrap_or_default();
        notes.extend(stderr.into_iter().map(|text| Note { source: Source::Stderr, text }));
        notes
    }

    pub(crate) fn earlier(&mut self) -> Option<Seen> {
        self.earlier.pop_front()
    }

    pub(crate) fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        if self.is_reset
            && let Some(seen) = self.earlier.pop_front()
        {
            return Ok(seen);
        }
        self.reset_guarded(|this| match this.timekeeping {
            Timekeeping::Virtual => this.wait_virtual(until_ns.max(this.clock.now_ns())),
            Timekeeping::Real => this.wait_real(until_ns),
        })
    }

    /// Sees to it that the system took all that was handed over.
    pub(crate) fn settle(&mut self) -> Result<(), SutError> {
        self.reset_guarded(Self::settle_owed)
    }

    pub(crate) fn stop(&mut self) {
        self.is_reset = false;
        self.let_go("the test is over");
    }

    /// Ends the system, after it was told why.
    fn let_go(&mut self, reason: &str) {
        if let Some(mut link) = self.link.take() {
            // Who is gone, or does not read, need not be waited for.
            let is_told = link.wire().send(&protocol::stop(reason)).is_ok();
            link.end(if is_told { self.limits.stop } else { Duration::ZERO });
        }
    }

    /// After an error the system is let go.
    fn guarded<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, SutError>,
    ) -> Result<T, SutError> {
        let outcome = act(self);
        if let Err(error) = &outcome {
            self.is_reset = false;
            self.notes = self.take_notes();
            self.let_go(&error.to_string());
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
            self.link = Some(self.connector.connect(&self.limits, self.timekeeping)?);
            self.n_resets = 0;
            let hello = protocol::hello(&self.signals, self.timekeeping);
            let greeted = self
                .send(&hello, "read hello")
                .and_then(|()| self.await_ready("answer hello with ready", self.limits.start));
            self.can = greeted.map_err(SutError::not_ready)?;
        }
        self.n_resets += 1;
        let is_new = self.n_resets == 1;
        let reset = self
            .send(&protocol::reset(self.n_resets), "read a reset")
            .and_then(|()| self.await_ready("answer a reset with ready", self.limits.answer));
        match reset {
            Err(error) if is_new => Err(error.not_ready()),
            reset => reset.map(|_| ()),
        }
    }

    fn await_ready(&mut self, doing: &str, patience: Duration) -> Result<Can, SutError> {
        let deadline = clock::within(patience);
        loop {
            match self.answer(doing, deadline, patience)?.1 {
                Message::Ready(number, can) if number == self.n_resets => return Ok(can),
                // What it did before it read the reset. On the virtual clock it could not.
                Message::Output { .. } | Message::Stepped { number: None, .. }
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
        let signal = self.signals.input(action)?;
        let from_ns = self.clock.now_ns();
        let line = protocol::input(signal, action, from_ns, self.can)?;
        self.send(&line, "read an input")?;
        self.owe_done("answer an input with done", from_ns)
    }

    /// On the virtual clock the system answers that it took what was handed over. It need not have done so when this returns.
    fn owe_done(&mut self, doing: &'static str, from_ns: u64) -> Result<Handover, SutError> {
        if self.clock.is_virtual() {
            self.owed.push_back((doing, from_ns));
            if self.owed.len() >= OWED_MAX {
                self.settle_owed()?;
            }
        }
        Ok(Handover { from_ns, to_ns: self.clock.now_ns() })
    }

    /// Waits until the system has answered everything that was handed over.
    fn settle_owed(&mut self) -> Result<(), SutError> {
        while let Some((doing, from_ns)) = self.owed.front().copied() {
            let patience = self.limits.answer;
            match self.answer(doing, clock::within(patience), patience)?.1 {
                Message::Done(at_ns) if at_ns == from_ns => {}
                other => return Err(self.unexpected(&other, doing)),
            }
            self.owed.pop_front();
        }
        Ok(())
    }

    fn set_ports(&mut self, ports: &Reading) -> Result<Handover, SutError> {
        if !self.can.set {
            return Err(SutError::cannot("set ports without a step"));
        }
        let from_ns = self.clock.now_ns();
        let json = self.signals.ports_json(ports.values.iter().copied());
        self.send(&protocol::set(json, from_ns), "read ports that are set")?;
        for (port, value) in &ports.values {
            if let Some(at) = self.signals.input_ports().iter().position(|it| it == port) {
                self.inputs[at] = *value;
            }
        }
        self.owe_done("answer ports that are set with done", from_ns)
    }

    fn take_step(&mut self, inputs: &[Value]) -> Result<(Vec<Value>, Handover), SutError> {
        if !self.can.step {
            return Err(SutError::cannot("be stepped"));
        }
        let from_ns = self.clock.now_ns();
        let ports = self.signals.input_ports().iter().copied().zip(inputs.iter().copied());
        let json = self.signals.ports_json(ports);
        self.inputs.copy_from_slice(inputs);
        self.n_steps += 1;
        self.send(&protocol::step(self.n_steps, json, from_ns), "read a step")?;
        let doing = "answer a step with stepped";
        let (outputs, to_ns) =
            self.await_answer(doing, from_ns, |this, message| match message {
                Message::Stepped { outputs, number: Some(number), at_ns, .. }
                    if *number == this.n_steps =>
                {
                    let ports = this.signals.output_ports();
                    let outputs = this.signals.values_of_json(ports, outputs, "its outputs");
                    Some(outputs.map(|it| (it, *at_ns)))
                }
                _ => None,
            })?;
        Ok((outputs, Handover { from_ns, to_ns }))
    }

    fn read_ports(&mut self, ports: &[PortId]) -> Result<(Reading, Handover), SutError> {
        if !self.can.read {
            return Err(SutError::cannot("be read"));
        }
        let from_ns = self.clock.now_ns();
        let interface = self.signals.interface();
        let names: Vec<&str> = ports.iter().map(|port| &*interface.ports[*port].name).collect();
        let line = protocol::read(&names, from_ns);
        self.send(&line, "read a question for values")?;
        let doing = "answer a question for values";
        let (found, to_ns) = self.await_answer(doing, from_ns, |this, message| match message {
            Message::Values { values, at_ns } => {
                let found = this.signals.values_of_json(ports, values, "what was asked for");
                Some(found.map(|it| (it, *at_ns)))
            }
            _ => None,
        })?;
        let values = ports.iter().copied().zip(found).collect();
        Ok((Reading { values }, Handover { from_ns, to_ns }))
    }

    /// The answer to a question that has one on both clocks. What the system does before it answers is
    /// kept (real clock), or breaks the rules (virtual clock).
    fn await_answer<T>(
        &mut self,
        doing: &str,
        from_ns: u64,
        answers: impl Fn(&Self, &Message) -> Option<Result<(T, Option<u64>), SutError>>,
    ) -> Result<(T, u64), SutError> {
        self.settle_owed()?;
        let patience = self.limits.answer;
        let deadline = clock::within(patience);
        loop {
            let (at, message) = self.answer(doing, deadline, patience)?;
            if let Some(answer) = answers(self, &message) {
                let (answer, at_ns) = answer?;
                return match (self.timekeeping, at_ns) {
                    (Timekeeping::Real, _) => Ok((answer, self.clock.now_ns())),
                    (Timekeeping::Virtual, Some(at_ns)) if at_ns == from_ns => {
                        Ok((answer, from_ns))
                    }
                    (Timekeeping::Virtual, at_ns) => {
                        let at = at_ns.map_or("without `at`".into(), |at| format!("for {at} ns"));
                        Err(SutError::Protocol {
                            found: format!("it answered {at}"),
                            expected: format!("it had to {doing} for {from_ns} ns"),
                        })
                    }
                };
            }
            match self.timekeeping {
                Timekeeping::Virtual => return Err(self.unexpected(&message, doing)),
                Timekeeping::Real if at > deadline => return Err(self.hung(doing, patience)),
                Timekeeping::Real => {
                    let seen = self.happened(at, message)?;
                    self.earlier.push_back(seen);
                }
            }
        }
    }

    /// Something that the system did by itself, on the real clock.
    fn happened(&mut self, at: Instant, message: Message) -> Result<Seen, SutError> {
        // It may have been read while the tester already said that nothing came.
        let at_ns = self.clock.at_ns(at).max(self.known_ns);
        let seen = match message {
            Message::Output { name, values, at_ns: device_ns } => {
                let action = self.signals.output_of_json(&name, &values)?;
                Seen::Output { action, at_ns, device_ns }
            }
            Message::Stepped { outputs, inputs, number: None, at_ns: device_ns } => {
                let step = self.stepped(&outputs, inputs.as_ref())?;
                Seen::Step { step, at_ns, device_ns }
            }
            other => return Err(self.unexpected(&other, "send nothing but outputs and steps")),
        };
        self.known_ns = at_ns;
        self.counted(seen, at_ns, SECOND_NS, self.limits.outputs_per_second)
    }

    /// A step that the system took by itself.
    fn stepped(
        &mut self,
        outputs: &Map<String, Json>,
        inputs: Option<&Map<String, Json>>,
    ) -> Result<Step, SutError> {
        let step = self.signals.step_of_json(outputs, inputs, &self.inputs)?;
        self.inputs.clone_from(&step.inputs);
        Ok(step)
    }

    fn wait_virtual(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        let doing = "answer a wait with quiet or an output";
        self.send(&protocol::wait(until_ns), "read a wait")?;
        self.settle_owed()?;
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
                let action = self.signals.output_of_json(&name, &values);
                let at_ns = within(now_ns, until_ns, &name, at_ns);
                // Also what nobody understands has its instant.
                if let Ok(at_ns) = at_ns {
                    self.clock.sleep_until(at_ns);
                }
                let (action, at_ns) = (action?, at_ns?);
                let seen = Seen::Output { action, at_ns, device_ns: None };
                self.counted(seen, at_ns, 0, self.limits.outputs_at_one_instant)
            }
            Message::Stepped { outputs, inputs, number: None, at_ns } => {
                let step = self.stepped(&outputs, inputs.as_ref())?;
                let at_ns = within(now_ns, until_ns, "a step", at_ns)?;
                self.clock.sleep_until(at_ns);
                let seen = Seen::Step { step, at_ns, device_ns: None };
                self.counted(seen, at_ns, 0, self.limits.outputs_at_one_instant)
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
            Some((at, message)) => self.happened(at, message),
        }
    }

    /// Something that the system did, unless that is one too many.
    fn counted(
        &mut self,
        seen: Seen,
        at_ns: u64,
        window_ns: u64,
        limit: u64,
    ) -> Result<Seen, SutError> {
        match self.flood.count(at_ns, window_ns, limit) {
            true => Err(flood(limit, window_ns)),
            false => Ok(seen),
        }
    }

    /// The next message but logs, which must come in time.
    fn answer(
        &mut self,
        doing: &str,
        deadline: Instant,
        waited: Duration,
    ) -> Result<(Instant, Message), SutError> {
        loop {
            // A user who wants no more does not wait for a system that hangs.
            let look = clock::within(LIVENESS).min(deadline);
            if let Some(answer) = self.receive(doing, look)? {
                return Ok(answer);
            }
            if clock::until(deadline).is_zero() {
                return Err(self.hung(doing, waited));
            }
            if process::is_stopped() {
                return Err(SutError::Stopped { doing: doing.into() });
            }
        }
    }

    /// The next message but logs, if one comes in time.
    fn receive(
        &mut self,
        doing: &str,
        deadline: Instant,
    ) -> Result<Option<(Instant, Message)>, SutError> {
        let mut has_ended = false;
        loop {
            let link = self.link.as_mut().ok_or(SutError::NotReset)?;
            let look = match has_ended {
                true => clock::within(LAST_WORDS),
                false => clock::within(LIVENESS).min(deadline),
            };
            let Some(arrived) = link.wire().receive(look) else {
                if has_ended {
                    return Err(link.gone(doing));
                }
                // Somebody whom it started may keep the connection of a dead system open.
                has_ended = link.has_ended();
                match has_ended || !clock::until(deadline).is_zero() {
                    true => continue,
                    false => return Ok(None),
                }
            };
            let line = match arrived.what {
                Ok(line) => line,
                Err(cut) => {
                    return Err(wire::unreadable(cut).unwrap_or_else(|| link.gone(doing)));
                }
            };
            match Message::parse(&line)? {
                Message::Log(text) => {
                    match self.notes.len() < NOTES_MAX {
                        true => {
                            let text = cut(&text, NOTE_CHARS);
                            self.notes.push(Note { source: Source::Log, text });
                        }
                        false => self.n_dropped += 1,
                    }
                    // What came before the deadline is still looked at, however late that is.
                    if arrived.at > deadline {
                        return Ok(None);
                    }
                }
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
        // It may have ended because of what it was sent before.
        if let Err(error) = self.settle_owed() {
            return error;
        }
        let deadline = clock::within(Duration::from_millis(100));
        loop {
            match self.receive(doing, deadline) {
                Ok(Some((at, _))) if at <= deadline => {}
                Ok(_) => break,
                Err(error) => return error,
            }
        }
        match (&mut self.link, wire::is_closed(error)) {
            (Some(link), true) => link.gone(doing),
            _ => SutError::Io { doing: "write to the system".into(), reason: error.to_string() },
        }
    }

    fn hung(&self, doing: &str, waited: Duration) -> SutError {
        let stderr = self.link.as_ref().map(Link::stderr).unwrap_or_default();
        SutError::Hung { doing: doing.into(), waited, stderr }
    }

    fn unexpected(&self, message: &Message, doing: &str) -> SutError {
        let found = match message {
            Message::Ready(number, _) => format!("it sent ready {number}"),
            Message::Stepped { number: Some(number), .. } => format!("it told of step {number}"),
            Message::Stepped { .. } => "it told of a step of its own".into(),
            Message::Values { .. } => "it sent values".into(),
            Message::Done(at_ns) => format!("it sent done {at_ns}"),
            Message::Quiet(at_ns) => format!("it sent quiet {at_ns}"),
            Message::Output { name, .. } => format!("it sent the output `{}`", shortened(name)),
            Message::Error(_) | Message::Log(_) => "it spoke for people".into(),
        };
        let expected = match doing {
            "answer a reset with ready" => format!("it had to {doing} {}", self.n_resets),
            "answer a step with stepped" => format!("it had to {doing} {}", self.n_steps),
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
