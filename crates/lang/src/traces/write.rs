//! Traces as lines of JSON, which a `Reader` reads back.

use std::io::{self, Write};

use punctual_model::{Direction, Happening, Interface, PortId, PortRole, Value};
use serde_json::{Map, Value as Json, json};

use super::Item;
use crate::values;

/// Writes items one by one; times are in nanoseconds.
pub struct Writer<'i, W> {
    interface: &'i Interface,
    out: W,
    /// When the system was last reset, since the start of the file.
    start_ns: u64,
}

impl<'i, W: Write> Writer<'i, W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Those of writing.
    pub fn new(interface: &'i Interface, mut out: W) -> io::Result<Self> {
        writeln!(out, "{{\"unit\":\"ns\"}}")?;
        Ok(Self { interface, out, start_ns: 0 })
    }

    /// Writes what comes next. Instants whose sum is beyond 584 years are written as that.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write(&mut self, item: &Item) -> io::Result<()> {
        let at = |ns: u64| self.start_ns.saturating_add(ns);
        let line = match item {
            Item::Event(event) => {
                let mut line = Map::new();
                match event.from_ns == event.to_ns {
                    true => _ = line.insert("at".to_owned(), at(event.from_ns).into()),
                    false => {
                        line.insert("from".to_owned(), at(event.from_ns).into());
                        line.insert("to".to_owned(), at(event.to_ns).into());
                    }
                }
                if let Some(device_ns) = event.device_ns {
                    line.insert("device".to_owned(), device_ns.into());
                }
                self.happening(&event.what, &mut line);
                Json::Object(line)
            }
            Item::Quiet(until_ns) | Item::End(until_ns) => json!({ "at": at(*until_ns) }),
            Item::Restart(at_ns) => {
                self.start_ns = at(*at_ns);
                json!({ "restart": self.start_ns })
            }
        };
        writeln!(self.out, "{line}")
    }

    fn happening(&self, what: &Happening, line: &mut Map<String, Json>) {
        let (key, ports) = match what {
            Happening::Signal(action) => {
                let signal = &self.interface.signals[action.signal];
                let key = match signal.direction {
                    Direction::Input => "input",
                    Direction::Output => "output",
                };
                line.insert(key.to_owned(), signal.name.as_str().into());
                let values = signal.values.iter().zip(&action.values);
                let values = values.map(|(carried, value)| values::to_json(&carried.ty, *value));
                line.insert("values".to_owned(), values.collect());
                return;
            }
            Happening::Set(reading) => ("set", self.ports(reading.values.iter().copied())),
            Happening::Reading(reading) => ("read", self.ports(reading.values.iter().copied())),
            Happening::Step(step) => {
                let inputs = self.interface.ports_with(PortRole::Input);
                let outputs = self.interface.ports_with(PortRole::Output);
                let values = inputs.zip(step.inputs.iter().copied());
                let values = values.chain(outputs.zip(step.outputs.iter().copied()));
                ("step", self.ports(values))
            }
        };
        line.insert(key.to_owned(), ports);
    }

    fn ports(&self, values: impl Iterator<Item = (PortId, Value)>) -> Json {
        let entry = |(port, value): (PortId, Value)| {
            let port = &self.interface.ports[port];
            (port.name.clone(), values::to_json(&port.ty, value))
        };
        values.map(entry).collect()
    }
}
