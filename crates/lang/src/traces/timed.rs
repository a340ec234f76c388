//! Traces as tables.
//!
//! ```text
//! time_ms,signal,values,qc
//! 1.5,coin
//! 7.25,level,3
//! 8,,,5
//! 20,restart
//! 30,
//! ```
//! The first row names the columns. The first one is `time`, or `time_s`, `time_ms`, `time_us`,
//! `time_ns`, `time_units` to state the unit; or `delay`, likewise, for times since the row before. Others
//! are `signal`, names of ports, and any number of columns for the values of signals. Values may also
//! stand in one cell, apart by blanks or semicolons: `"3;4"`. Empty cells at the end, empty rows and rows
//! that begin with `#` are skipped.
//!
//! A row without a signal has ports: all inputs and outputs are a step, only inputs are set, others are
//! read. `step`, `set`, `read` and `restart` in place of a signal say so, unless the interface has a
//! signal of that name. A row without anything is an instant until which nothing more was seen.

use std::io::BufRead;

use punctual_model::{Happening, PortId, PortRole, Reading, Step, Value};

use super::{
    Unit,
    error::{Fault, TraceError, excerpt},
    table::Rows,
    timeline::{Instants, Timeline, Word},
};
use crate::diagnostic::Diagnostic;

/// A table with times.
pub(super) struct Timed<R: BufRead> {
    rows: Rows<R>,
    is_relative: bool,
    signal: Option<usize>,
    values: Vec<usize>,
    ports: Vec<(usize, PortId)>,
}

/// The unit that the name of a column of times states; nothing if it is no such column.
pub(super) fn time_column(name: &str) -> Option<(bool, Option<&str>)> {
    let (kind, unit) = match name.split_once('_') {
        Some((kind, unit)) => (kind, Some(unit)),
        None => (name, None),
    };
    match kind {
        "time" => Some((false, unit)),
        "delay" => Some((true, unit)),
        _ => None,
    }
}

impl<R: BufRead> Timed<R> {
    /// Reads the first row, which is the present one.
    pub(super) fn new(rows: Rows<R>, timeline: &mut Timeline<'_>) -> Result<Self, TraceError> {
        let mut table =
            Self { rows, is_relative: false, signal: None, values: Vec::new(), ports: Vec::new() };
        match table.header(timeline) {
            Ok(()) => Ok(table),
            Err(fault) => Err(table.rows.error(fault)),
        }
    }

    fn header(&mut self, timeline: &mut Timeline<'_>) -> Result<(), Fault> {
        let rows = &self.rows;
        let time = rows.cell(0).to_ascii_lowercase();
        let Some((is_relative, unit)) = time_column(&time) else {
            let found = excerpt(rows.text());
            let message = format!("expected a first row `time,signal,values`, found `{found}`");
            return wrong(rows, 0, message);
        };
        self.is_relative = is_relative;
        if let Some(name) = unit {
            let Some(unit) = Unit::named(name) else {
                let found = excerpt(&time);
                let message = format!("expected time_s, _ms, _us, _ns or _units, found `{found}`");
                return wrong(rows, 0, message);
            };
            timeline.unit = Some(unit);
        }
        for at in 1..rows.len() {
            let name = rows.cell(at);
            if let Some(port) = timeline.known_port(name) {
                if self.ports.iter().any(|(_, it)| *it == port) {
                    return wrong(rows, at, format!("`{name}` has two columns"));
                }
                self.ports.push((at, port));
            } else if name.eq_ignore_ascii_case("signal") && self.signal.is_none() {
                self.signal = Some(at);
            } else {
                self.values.push(at);
            }
        }
        if self.signal.is_none() && self.ports.is_empty() {
            let found = excerpt(rows.text());
            let message = format!("expected a first row `time,signal,values`, found `{found}`");
            return wrong(rows, 1, message);
        }
        Ok(())
    }

    /// Reads the next row; false at the end of the table.
    pub(super) fn advance(&mut self, timeline: &mut Timeline<'_>) -> Result<bool, TraceError> {
        let read = self.rows.advance().and_then(|found| {
            let is_empty = (0..self.rows.len()).all(|at| self.rows.cell(at).is_empty());
            if found && !is_empty {
                self.row(timeline)?;
            }
            Ok(found)
        });
        read.map_err(|fault| self.rows.error(fault))
    }

    fn word(&self, at: usize) -> Word<'_> {
        Word { text: self.rows.cell(at), span: self.rows.span(at) }
    }

    fn row(&self, timeline: &mut Timeline<'_>) -> Result<(), Fault> {
        let rows = &self.rows;
        let instants = match self.is_relative {
            true => timeline.after(self.word(0))?,
            false => timeline.instant(self.word(0))?,
        };
        let name = self.signal.map_or("", |at| rows.cell(at));
        let given: Vec<(usize, PortId)> =
            self.ports.iter().copied().filter(|(at, _)| !rows.cell(*at).is_empty()).collect();
        let (cells, further) = self.value_cells();
        let is_own = matches!(name, "restart" | "step" | "set" | "read");
        if !name.is_empty() && (!is_own || timeline.has_signal(name)) {
            if let Some((at, _)) = given.first() {
                return wrong(rows, *at, "a row has a signal or ports, not both");
            }
            let values = self.values_in(&cells)?;
            let at = self.signal.unwrap_or(0);
            let action = timeline.action(self.word(at), None, values.into_iter())?;
            return timeline.event(action, instants, None, rows.whole());
        }
        if let Some(at) = cells.first().or(further.as_ref()) {
            return wrong(rows, *at, "expected a signal with these values");
        }
        match name {
            "restart" if given.is_empty() => timeline.restart(instants, rows.whole()),
            "restart" => wrong(rows, given[0].0, "a restart has no ports"),
            "" if given.is_empty() => timeline.quiet(instants, rows.whole()),
            _ => self.ports_row(name, &given, instants, timeline),
        }
    }

    /// The cells of values without empty ones at the end, and a cell beyond the columns that is not
    /// empty.
    fn value_cells(&self) -> (Vec<usize>, Option<usize>) {
        let rows = &self.rows;
        let n_columns =
            1 + usize::from(self.signal.is_some()) + self.values.len() + self.ports.len();
        // Without ports, values need no names.
        let mut cells = self.values.clone();
        let mut further = None;
        if self.ports.is_empty() {
            cells.extend(n_columns..rows.len());
        } else {
            further = (n_columns..rows.len()).find(|at| !rows.cell(*at).is_empty());
        }
        while cells.last().is_some_and(|at| rows.cell(*at).is_empty()) {
            cells.pop();
        }
        (cells, further)
    }

    fn values_in(&self, cells: &[usize]) -> Result<Vec<Word<'_>>, Fault> {
        let mut values = Vec::new();
        for at in cells {
            let Word { text, span } = self.word(*at);
            let parts = text.split(|c: char| c.is_whitespace() || c == ';');
            let before = values.len();
            values.extend(
                parts.filter(|part| !part.is_empty()).map(|part| Word { text: part, span }),
            );
            if values.len() == before {
                return wrong(
                    &self.rows,
                    *at,
                    "expected a value, found an empty cell before others",
                );
            }
        }
        Ok(values)
    }

    /// A step, ports that were set, or a reading.
    fn ports_row(
        &self,
        kind: &str,
        given: &[(usize, PortId)],
        instants: Instants,
        timeline: &mut Timeline<'_>,
    ) -> Result<(), Fault> {
        let rows = &self.rows;
        let role = |port: PortId| timeline.interface.ports[port].role;
        let mut values: Vec<(PortId, Value)> = Vec::new();
        for (at, port) in given {
            values.push((*port, timeline.port_value(*port, self.word(*at))?));
        }
        values.sort_unstable_by_key(|(port, _)| *port);
        let has = |wanted: PortRole| given.iter().any(|(_, port)| role(*port) == wanted);
        let kind = match kind {
            "" if has(PortRole::Output) => "step",
            "" if has(PortRole::Input) => "set",
            "" => "read",
            kind => kind,
        };
        let named = |port: PortId| &timeline.interface.ports[port].name;
        let mut rest = Vec::new();
        let mut events = Vec::new();
        match kind {
            "step" => {
                let mut step = Step::default();
                for port in timeline.step_ports() {
                    let Some((_, value)) = values.iter().find(|(it, _)| *it == port) else {
                        let name = named(port);
                        let message = format!(
                            "a step has a value for each of its ports: `{name}` is missing"
                        );
                        let at = self.ports.iter().find(|(_, it)| *it == port);
                        return wrong(rows, at.map_or(0, |(at, _)| *at), message);
                    };
                    match role(port) {
                        PortRole::Input => step.inputs.push(*value),
                        _ => step.outputs.push(*value),
                    }
                }
                events.push(Happening::Step(step));
                rest.extend(values.into_iter().filter(|(it, _)| role(*it) == PortRole::Observed));
            }
            "set" => {
                let (set, others): (Vec<_>, Vec<_>) =
                    values.into_iter().partition(|(it, _)| role(*it) == PortRole::Input);
                events.push(Happening::Set(Reading { values: set }));
                rest = others;
            }
            _ => rest = values,
        }
        if !rest.is_empty() {
            events.push(Happening::Reading(Reading { values: rest }));
        }
        for event in events {
            timeline.event(event, instants, None, rows.whole())?;
        }
        Ok(())
    }
}

fn wrong<T, R: BufRead>(rows: &Rows<R>, at: usize, message: impl Into<String>) -> Result<T, Fault> {
    Err(Box::new(Diagnostic::error("trace::row", rows.span(at), message)))
}
