//! Systems that run inside of the tester: called directly, on either clock.
//!
//! On the real clock, the system is let come to the present whenever the tester looks; between two
//! looks the tester sleeps until something is due, or half a millisecond if the system can not say
//! when that is. Outputs are stamped when they are seen.

use std::{collections::VecDeque, sync::Arc};

use punctual_lang::values;
use punctual_model::{Action, Interface, Port, PortId, Reading, Signal, Value, ValueType};
use punctual_sdk::{Output, Value as Datum};

use crate::{
    Clock, Handover, Limits, Note, Seen, SutError, Timekeeping, error::shortened, limits::Flood,
    signals::Signals,
};

/// How often a system is asked that does not know when something happens.
const POLL_NS: u64 = 500_000;

/// How many nanoseconds a second has.
pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// A [`punctual_sdk::System`] that can fail.
pub(crate) trait Stepped {
    fn reset(&mut self) -> Result<(), SutError>;
    fn input(&mut self, at_ns: u64, signal: &Signal, values: &[Value]) -> Result<(), SutError>;
    fn advance(&mut self, until_ns: u64) -> Result<Option<Output>, SutError>;
    fn next_ns(&self) -> Option<u64>;
    /// Sets an input port; false if the system has none of this name.
    fn set(&mut self, at_ns: u64, name: &str, value: &Datum) -> Result<bool, SutError> {
        let _ = (at_ns, name, value);
        Ok(false)
    }
    /// Takes a step; none if the system takes none.
    fn step(&mut self, at_ns: u64) -> Result<Option<Vec<(String, Datum)>>, SutError> {
        let _ = at_ns;
        Ok(None)
    }
    /// The value of a port; none if it can not be read.
    fn read(&mut self, at_ns: u64, name: &str) -> Result<Option<Datum>, SutError> {
        let _ = (at_ns, name);
        Ok(None)
    }
    /// What the system said for people since the last call.
    fn take_notes(&mut self) -> Vec<Note> {
        Vec::new()
    }
}

/// The value of the kits that a value is given as.
pub(crate) fn to_datum(ty: &ValueType, value: Value) -> Datum {
    match value {
        Value::Bool(it) => Datum::Bool(it),
        Value::Int(it) => Datum::Int(it),
        Value::Real(it) => {
            let text = values::real(it);
            let double = text.parse::<f64>().ok();
            match double.filter(|it| values::number(&it.to_string()) == values::number(&text)) {
                Some(double) => Datum::Real(double),
                None => Datum::Text(text),
            }
        }
        Value::Enum(_) => Datum::Text(ty.text(value)),
    }
}

/// The value of a type that a value of the kits stands for; its text, if it stands for none.
pub(crate) fn of_datum(ty: &ValueType, datum: &Datum) -> Result<Value, String> {
    let text = match datum {
        Datum::Bool(it) => it.to_string(),
        Datum::Int(it) => it.to_string(),
        Datum::Real(it) => it.to_string(),
        Datum::Text(it) => it.clone(),
    };
    let is_truth = matches!(datum, Datum::Bool(_));
    let text = match ty {
        ValueType::Int { .. } | ValueType::Real if is_truth => {
            text.replace("true", "1").replace("false", "0")
        }
        _ => text,
    };
    values::read(ty, &text).ok_or(text)
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
    /// What the system did before something was handed over or asked, in order.
    earlier: VecDeque<Seen>,
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
            earlier: VecDeque::new(),
            reached_ns: 0,
        }
    }

    pub(crate) fn reset(&mut self) -> Result<(), SutError> {
        self.is_reset = false;
        self.system.reset()?;
        self.flood = Flood::default();
        self.earlier.clear();
        self.reached_ns = 0;
        self.is_reset = true;
        self.clock = Clock::start(self.timekeeping);
        Ok(())
    }

    pub(crate) fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// It runs inside of the tester.
    pub(crate) fn process_id(&self) -> Option<u32> {
        None
    }

    pub(crate) fn is_virtual(&self) -> bool {
        self.timekeeping == Timekeeping::Virtual
    }

    pub(crate) fn input(&mut self, action: &Action) -> Result<Handover, SutError> {
        self.signals.input(action)?;
        self.guarded(|this| this.hand_over(action))
    }

    pub(crate) fn earlier(&mut self) -> Option<Seen> {
        self.earlier.pop_front()
    }

    pub(crate) fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        self.guarded(|this| this.wait_until(until_ns))
    }

    pub(crate) fn stop(&mut self) {
        self.is_reset = false;
    }

    pub(crate) fn set(&mut self, ports: &Reading) -> Result<Handover, SutError> {
        self.signals.may_set(ports)?;
        self.guarded(|this| {
            let from_ns = this.come_to_now()?;
            for (port, value) in &ports.values {
                this.set_port(from_ns, *port, *value)?;
            }
            Ok(Handover { from_ns, to_ns: this.clock.now_ns() })
        })
    }

    pub(crate) fn step(&mut self, inputs: &[Value]) -> Result<(Vec<Value>, Handover), SutError> {
        self.signals.may_step(inputs)?;
        self.guarded(|this| this.take_step(inputs))
    }

    pub(crate) fn read(&mut self, ports: &[PortId]) -> Result<(Reading, Handover), SutError> {
        self.guarded(|this| this.read_ports(ports))
    }

    /// Each call has its answer when it returns.
    #[expect(clippy::unused_self, reason = "systems over a wire do something here")]
    pub(crate) fn settle(&mut self) -> Result<(), SutError> {
        Ok(())
    }

    pub(crate) fn take_notes(&mut self) -> Vec<Note> {
        self.system.take_notes()
    }

    fn set_port(&mut self, at_ns: u64, id: PortId, value: Value) -> Result<(), SutError> {
        let port = &self.signals.interface().ports[id];
        let datum = to_datum(&port.ty, value);
        match self.system.set(self.reached_ns.max(at_ns), &port.name, &datum)? {
            true => Ok(()),
            false => Err(SutError::cannot(&format!("set `{}`", port.name))),
        }
    }

    fn take_step(&mut self, inputs: &[Value]) -> Result<(Vec<Value>, Handover), SutError> {
        let from_ns = self.come_to_now()?;
        for (i, value) in inputs.iter().enumerate() {
            self.set_port(from_ns, self.signals.input_ports()[i], *value)?;
        }
        let Some(outputs) = self.system.step(self.reached_ns.max(from_ns))? else {
            return Err(SutError::cannot("be stepped"));
        };
        let mut values = Vec::with_capacity(outputs.len());
        for (i, id) in self.signals.output_ports().iter().enumerate() {
            let port = &self.signals.interface().ports[*id];
            let is_it = |(name, _): &&(String, Datum)| *name == port.name;
            // Most systems have the order of the interface.
            let found = outputs.get(i).filter(is_it).or_else(|| outputs.iter().find(is_it));
            let Some((_, datum)) = found else {
                return Err(SutError::Protocol {
                    found: format!("a step gave no `{}`", port.name),
                    expected: "it had to give all outputs".into(),
                });
            };
            values.push(typed("a step", port, datum)?);
        }
        Ok((values, Handover { from_ns, to_ns: self.clock.now_ns() }))
    }

    fn read_ports(&mut self, ports: &[PortId]) -> Result<(Reading, Handover), SutError> {
        let from_ns = self.come_to_now()?;
        let mut reading = Reading::default();
        for id in ports {
            let port = &self.signals.interface().ports[*id];
            let Some(datum) = self.system.read(self.reached_ns.max(from_ns), &port.name)? else {
                return Err(SutError::cannot(&format!("be asked for `{}`", port.name)));
            };
            reading.values.push((*id, typed("a reading", port, &datum)?));
        }
        Ok((reading, Handover { from_ns, to_ns: self.clock.now_ns() }))
    }

    /// On the real clock, lets the system come to the present; what it does on the way is told later.
    fn come_to_now(&mut self) -> Result<u64, SutError> {
        let now_ns = self.clock.now_ns();
        if !self.clock.is_virtual() {
            while let Some(seen) = self.advance(now_ns)? {
                self.earlier.push_back(seen);
            }
        }
        Ok(now_ns)
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
        let from_ns = self.come_to_now()?;
        let signal = self.signals.input(action)?;
        self.system.input(self.reached_ns.max(from_ns), signal, &action.values)?;
        Ok(Handover { from_ns, to_ns: self.clock.now_ns() })
    }

    fn wait_until(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        if let Some(seen) = self.earlier.pop_front() {
            return Ok(seen);
        }
        loop {
            let now_ns = self.clock.now_ns();
            let until_ns = until_ns.max(self.reached_ns);
            let target_ns = if self.clock.is_virtual() { until_ns } else { now_ns.min(until_ns) };
            if let Some(seen) = self.advance(target_ns)? {
                self.clock_to(self.reached_ns);
                return Ok(seen);
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
    fn advance(&mut self, until_ns: u64) -> Result<Option<Seen>, SutError> {
        let until_ns = until_ns.max(self.reached_ns);
        let Some(output) = self.system.advance(until_ns)? else {
            self.reached_ns = until_ns;
            return Ok(None);
        };
        let Output { at_ns, name, values } = output;
        let action = self.signals.output(&name, values.len(), |i, ty| of_datum(ty, &values[i]));
        if !(self.reached_ns..=until_ns).contains(&at_ns) {
            return Err(SutError::Protocol {
                found: format!("`{name}` came at {at_ns} ns"),
                expected: format!("it had to be from {} to {until_ns} ns", self.reached_ns),
            });
        }
        self.reached_ns = at_ns;
        // Also what nobody understands has its instant.
        self.clock_to(at_ns);
        let action = action?;
        let (at_ns, window_ns, limit) = match self.timekeeping {
            Timekeeping::Virtual => (at_ns, 0, self.limits.outputs_at_one_instant),
            Timekeeping::Real => (self.clock.now_ns(), SECOND_NS, self.limits.outputs_per_second),
        };
        if self.flood.count(at_ns, window_ns, limit) {
            return Err(flood(limit, window_ns));
        }
        Ok(Some(Seen::Output { action, at_ns, device_ns: None }))
    }
}

/// The value that a system gave for a port; `what` says in what.
fn typed(what: &str, port: &Port, datum: &Datum) -> Result<Value, SutError> {
    of_datum(&port.ty, datum).map_err(|value| SutError::OutOfRange {
        name: what.to_owned(),
        variable: port.name.clone(),
        value: shortened(&value),
        expected: values::expected(&port.ty),
    })
}

/// The error of a system with more outputs than are tolerated in a window.
pub(crate) fn flood(limit: u64, window_ns: u64) -> SutError {
    let within = if window_ns == 0 { "at one instant" } else { "in a second" };
    SutError::Flood { limit, within: within.into() }
}
