//! What the readers find, in the order of time and in the words of an interface.

use std::collections::VecDeque;

use punctual_model::{
    Action, Direction, Event, Happening, Interface, PortId, PortRole, SignalId, Value, ValueType,
};
use rustc_hash::FxHashMap;

use super::{
    Item, Unit,
    error::{Fault, excerpt},
    time,
};
use crate::{
    Span,
    diagnostic::{Diagnostic, closest},
    values,
};

/// The earliest and the latest nanosecond of an instant, since the start of the file.
pub(super) type Instants = (u64, u64);

/// A text of a file with its place in the present line or row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    pub(crate) span: Span,
}

/// Keeps what was read in the order of time, until somebody takes it.
pub(super) struct Timeline<'i> {
    pub(super) interface: &'i Interface,
    pub(super) unit: Option<Unit>,
    signals: FxHashMap<&'i str, SignalId>,
    ports: FxHashMap<&'i str, PortId>,
    found: VecDeque<Item>,
    /// When the system was last reset.
    start_ns: u64,
    /// Everything that follows ends at or after this instant. An output may be seen while an input
    /// is being handed over, so intervals may overlap.
    after_ns: u64,
    /// The latest instant of which something was said.
    last_ns: u64,
    /// The instant of what was read last.
    now: Instants,
    /// Whether anything was read that has a time.
    has_begun: bool,
}

impl<'i> Timeline<'i> {
    pub(super) fn new(interface: &'i Interface, unit: Option<Unit>) -> Self {
        Self {
            interface,
            unit,
            signals: interface.signals.enumerate().map(|(id, it)| (it.name.as_str(), id)).collect(),
            ports: interface.ports.enumerate().map(|(id, it)| (it.name.as_str(), id)).collect(),
            found: VecDeque::new(),
            start_ns: 0,
            after_ns: 0,
            last_ns: 0,
            now: (0, 0),
            has_begun: false,
        }
    }

    /// The file is over.
    pub(super) fn finish(&mut self) {
        self.found.push_back(Item::End(self.end_ns()));
    }

    /// What was found first and not taken yet.
    pub(super) fn take(&mut self) -> Option<Item> {
        self.found.pop_front()
    }

    /// Until when the system was watched, since the last reset.
    pub(super) fn end_ns(&self) -> u64 {
        self.last_ns.saturating_sub(self.start_ns)
    }

    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// The instant of what was read last.
    pub(super) fn now(&self) -> Instants {
        self.now
    }

    /// An instant, as written in the unit of the file.
    pub(super) fn instant(&self, word: Word<'_>) -> Result<Instants, Fault> {
        let unit = self.unit.ok_or_else(|| {
            Box::new(
                Diagnostic::error("trace::unit", word.span, "the unit of time is not known").help(
                    "state it in the file (`{\"unit\":\"ms\"}` as the first line of JSON, `time_ms` \
                     as the first column of a table) or with the call",
                ),
            )
        })?;
        let found = time::nanoseconds(word.text, unit.ns(self.interface.time));
        found.map_err(|why| Box::new(Diagnostic::error("trace::time", word.span, why)))
    }

    /// The instant at the end of a delay, which is written in the unit of the file.
    pub(super) fn after(&self, delay: Word<'_>) -> Result<Instants, Fault> {
        let (least, most) = self.instant(delay)?;
        let sum = self.now.0.checked_add(least).zip(self.now.1.checked_add(most));
        sum.ok_or_else(|| {
            let message = "this is beyond the 584 years that can be counted";
            Box::new(Diagnostic::error("trace::time", delay.span, message))
        })
    }

    /// Time passes up to an instant, after all that was seen before.
    fn pass(&mut self, instants: Instants, span: Span) -> Result<(), Fault> {
        let (from_ns, to_ns) = instants;
        let before = self.after_ns;
        let wrong =
            |message: String| Err(Box::new(Diagnostic::error("trace::time", span, message)));
        if to_ns < before {
            return wrong(format!(
                "time goes back: this is at {to_ns} ns, what stands before it at {before} ns"
            ));
        }
        if from_ns > to_ns {
            return wrong(format!(
                "an interval begins at {from_ns} ns and ends before, at {to_ns} ns"
            ));
        }
        self.has_begun = true;
        self.now = instants;
        self.after_ns = self.after_ns.max(from_ns);
        self.last_ns = self.last_ns.max(to_ns);
        Ok(())
    }

    /// Nothing more was seen up to an instant. One between two nanoseconds counts as the earlier one:
    /// of the rest of the nanosecond nothing is known.
    pub(super) fn quiet(&mut self, instants: Instants, span: Span) -> Result<(), Fault> {
        let last_ns = self.last_ns.max(instants.0);
        self.pass(instants, span)?;
        self.last_ns = last_ns;
        self.found.push_back(Item::Quiet(self.end_ns()));
        Ok(())
    }

    /// Something happened between two instants, at one of them by the system's own clock.
    pub(super) fn event(
        &mut self,
        what: Happening,
        instants: Instants,
        device_ns: Option<u64>,
        span: Span,
    ) -> Result<(), Fault> {
        self.pass(instants, span)?;
        let from_ns = instants.0.saturating_sub(self.start_ns);
        let to_ns = instants.1.saturating_sub(self.start_ns);
        self.found.push_back(Item::Event(Event { what, from_ns, to_ns, device_ns }));
        Ok(())
    }

    /// The system is reset: what follows is another trace.
    pub(super) fn restart(&mut self, instants: Instants, span: Span) -> Result<(), Fault> {
        self.pass(instants, span)?;
        self.found.push_back(Item::Restart(self.end_ns()));
        (self.start_ns, self.after_ns) = (instants.1, instants.1);
        self.last_ns = instants.1;
        Ok(())
    }

    /// A signal with its values.
    pub(super) fn action<'t>(
        &self,
        name: Word<'_>,
        direction: Option<Direction>,
        values: impl ExactSizeIterator<Item = Word<'t>>,
    ) -> Result<Happening, Fault> {
        let signal = self.signal(name)?;
        let declared = &self.interface.signals[signal];
        let wrong = |code, message| Err(Box::new(Diagnostic::error(code, name.span, message)));
        if direction.is_some_and(|direction| direction != declared.direction) {
            let (is, is_not) = match declared.direction {
                Direction::Input => ("an input", "an output"),
                Direction::Output => ("an output", "an input"),
            };
            let message = format!("`{}` is {is}, not {is_not}", declared.name);
            return wrong("trace::direction", message);
        }
        let (expected, found) = (declared.values.len(), values.len());
        if found != expected {
            let names: Vec<&str> = declared.values.iter().map(|it| it.name.as_str()).collect();
            let name = &declared.name;
            let message = match expected {
                0 => format!("`{name}` carries no values, found {found}"),
                _ => format!("`{name}` carries {expected} ({}), found {found}", names.join(", ")),
            };
            return wrong("trace::values", message);
        }
        let values = declared.values.iter().zip(values);
        let values = values.map(|(carried, word)| value(&carried.name, &carried.ty, word));
        Ok(Happening::Signal(Action { signal, values: values.collect::<Result<_, _>>()? }))
    }

    /// The signal of a name.
    pub(super) fn signal(&self, name: Word<'_>) -> Result<SignalId, Fault> {
        self.signals.get(name.text).copied().ok_or_else(|| {
            let names = self.interface.signals.iter().map(|it| it.name.as_str());
            Box::new(unknown("signal", name, names))
        })
    }

    /// Whether a word stands for a signal and for nothing else.
    pub(super) fn has_signal(&self, name: &str) -> bool {
        self.signals.contains_key(name)
    }

    /// The port of a name, if there is one.
    pub(super) fn known_port(&self, name: &str) -> Option<PortId> {
        self.ports.get(name).copied()
    }

    /// The port of a name.
    pub(super) fn port(&self, name: Word<'_>) -> Result<PortId, Fault> {
        self.known_port(name.text).ok_or_else(|| {
            let names = self.interface.ports.iter().map(|it| it.name.as_str());
            Box::new(unknown("port", name, names))
        })
    }

    /// The value of a port.
    pub(super) fn port_value(&self, port: PortId, word: Word<'_>) -> Result<Value, Fault> {
        let port = &self.interface.ports[port];
        value(&port.name, &port.ty, word)
    }

    /// The ports of steps: inputs, then outputs.
    pub(super) fn step_ports(&self) -> impl Iterator<Item = PortId> + '_ {
        let roles = [PortRole::Input, PortRole::Output].into_iter();
        roles.flat_map(|role| self.interface.ports_with(role))
    }
}

/// A value as it was seen. Whether it is in its range is for an oracle to judge.
pub(super) fn value(name: &str, ty: &ValueType, word: Word<'_>) -> Result<Value, Fault> {
    let ty = match ty {
        ValueType::Int { .. } => &ValueType::INT,
        other => other,
    };
    values::read(ty, word.text).ok_or_else(|| {
        let found = match word.text.trim() {
            "" => "nothing".to_owned(),
            text => format!("`{}`", excerpt(text)),
        };
        let message = format!("`{name}` is {}, not {found}", values::expected(ty));
        Box::new(Diagnostic::error("trace::value", word.span, message))
    })
}

/// Says that a name stands for nothing of the interface.
pub(super) fn unknown<'a>(
    what: &str,
    name: Word<'_>,
    names: impl ExactSizeIterator<Item = &'a str> + Clone,
) -> Diagnostic {
    const SHOWN_MAX: usize = 12;
    let help = match (closest(name.text, names.clone()), names.len()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, 0) => format!("the interface has no {what}s"),
        (None, n) => {
            let shown: Vec<String> = names.take(SHOWN_MAX).map(|it| format!("`{it}`")).collect();
            let more = if n > SHOWN_MAX { ", …" } else { "" };
            format!("the interface has {}{more}", shown.join(", "))
        }
    };
    let message = format!("`{}` is not a {what} of the interface", excerpt(name.text));
    Diagnostic::error("trace::unknown", name.span, message).help(help)
}
