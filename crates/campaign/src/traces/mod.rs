//! Traces that were recorded, by this tool or by another one.
//!
//! [`read`] knows four formats: records of this tool, lines of JSON, tables (CSV), and the driver
//! log of UPPAAL TRON. All give [`Trace`]s over an [`Interface`]: every signal is one of it, with
//! as many values as it carries; times never go back, and are exact. A time that lies between two
//! nanoseconds becomes the interval between them.
//!
//! Where a file says that the system was reset, a new trace begins, and its time with it.
//!
//! Not here: whether values are in their range, or anything else about the system; that is for an
//! oracle to judge. Every fault of a file is a [`TraceError`] with its line.

mod csv;
mod jsonl;
mod log;
mod recorded;
mod time;

use std::fmt;

use punctual_model::{Action, Direction, Event, Interface, SignalId, Trace};

pub use time::Unit;

/// How a trace is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A record of this tool, `record.jsonl`.
    Record,
    /// One JSON object on each line.
    Jsonl,
    /// A table: time, signal, values.
    Csv,
    /// The driver log of UPPAAL TRON.
    TronLog,
}

/// What a file may leave open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Its format; found out by name and content if `None`.
    pub format: Option<Format>,
    /// The unit of its times, if it does not say.
    pub unit: Option<Unit>,
}

/// What is wrong with a file of traces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceError {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: u64,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl std::error::Error for TraceError {}

/// Reads the traces in a file: one, and one more for each reset of the system.
///
/// # Errors
/// The first thing that is wrong with the file.
pub fn read(
    file: &str,
    bytes: &[u8],
    interface: &Interface,
    options: Options,
) -> Result<Vec<Trace>, TraceError> {
    let format = options.format.unwrap_or_else(|| detect(file, bytes));
    let mut reader = Builder::new(file, interface, options.unit);
    if format == Format::Record {
        recorded::read(&mut reader, bytes)?;
        return Ok(reader.finish());
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        reader.line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
        reader.error("this is not UTF-8")
    })?;
    match format {
        Format::Jsonl => jsonl::read(&mut reader, text)?,
        Format::Csv => csv::read(&mut reader, text)?,
        Format::TronLog | Format::Record => log::read(&mut reader, text)?,
    }
    Ok(reader.finish())
}

/// The format of a file, by its content first.
#[must_use]
pub fn detect(file: &str, bytes: &[u8]) -> Format {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = bytes.trim_ascii_start().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first);
    let suffix = file.rsplit_once('.').map(|(_, suffix)| suffix.to_ascii_lowercase());
    match suffix.as_deref() {
        _ if first.starts_with("{\"record\"") => Format::Record,
        _ if first.starts_with('{') => Format::Jsonl,
        Some("csv" | "tsv") => Format::Csv,
        _ if first.trim_start_matches('"').to_ascii_lowercase().starts_with("time") => Format::Csv,
        Some("jsonl" | "json" | "ndjson") => Format::Jsonl,
        _ => Format::TronLog,
    }
}

/// Collects what the readers find, and knows where they are.
struct Builder<'i> {
    file: String,
    interface: &'i Interface,
    unit: Option<Unit>,
    /// The line that is being read, counted from 1.
    line: u64,
    traces: Vec<Trace>,
    trace: Trace,
    /// When the system was last reset.
    start_ns: u64,
    /// Everything that follows ends at or after this instant. An output may be seen while an input
    /// is being handed over, so intervals may overlap.
    after_ns: u64,
    /// The latest instant of which something was said.
    last_ns: u64,
}

impl<'i> Builder<'i> {
    fn new(file: &str, interface: &'i Interface, unit: Option<Unit>) -> Self {
        Self {
            file: file.to_owned(),
            interface,
            unit,
            line: 1,
            traces: Vec::new(),
            trace: Trace::default(),
            start_ns: 0,
            after_ns: 0,
            last_ns: 0,
        }
    }

    fn error(&self, message: impl Into<String>) -> TraceError {
        TraceError { file: self.file.clone(), line: self.line, message: message.into() }
    }

    /// An instant, as written in the unit of the file.
    fn instant(&self, text: &str) -> Result<(u64, u64), TraceError> {
        let unit = self.unit.ok_or_else(|| {
            self.error(
                "the unit of time is not known: state it in the file (`{\"unit\":\"ms\"}` as the \
                 first line of JSON, `time_ms` as the first column of a table) or with the call",
            )
        })?;
        time::nanoseconds(text, unit.ns(self.interface.time)).map_err(|why| self.error(why))
    }

    /// Time passes up to an instant, after all that was seen before.
    fn pass(&mut self, (from_ns, to_ns): (u64, u64)) -> Result<(), TraceError> {
        if to_ns < self.after_ns {
            let before = self.after_ns;
            return Err(self.error(format!(
                "time goes back: this is at {to_ns} ns, what stands before it at {before} ns"
            )));
        }
        if from_ns > to_ns {
            return Err(self.error(format!(
                "an interval begins at {from_ns} ns and ends before, at {to_ns} ns"
            )));
        }
        self.after_ns = self.after_ns.max(from_ns);
        self.last_ns = self.last_ns.max(to_ns);
        self.trace.end_ns = self.last_ns.saturating_sub(self.start_ns);
        Ok(())
    }

    /// Something happened between two instants.
    fn event(&mut self, action: Action, instants: (u64, u64)) -> Result<(), TraceError> {
        self.pass(instants)?;
        let from_ns = instants.0.saturating_sub(self.start_ns);
        let to_ns = instants.1.saturating_sub(self.start_ns);
        self.trace.events.push(Event::signal(action, from_ns, to_ns));
        Ok(())
    }

    /// The system is reset: what follows is another trace.
    fn restart(&mut self, instants: (u64, u64)) -> Result<(), TraceError> {
        self.pass(instants)?;
        self.traces.push(std::mem::take(&mut self.trace));
        (self.start_ns, self.after_ns) = (instants.1, instants.1);
        Ok(())
    }

    /// A signal with its values.
    fn action(
        &self,
        name: &str,
        direction: Option<Direction>,
        values: Vec<i32>,
    ) -> Result<Action, TraceError> {
        let signal = self.signal(name)?;
        let declared = &self.interface.signals[signal];
        if direction.is_some_and(|direction| direction != declared.direction) {
            let (is, is_not) = match declared.direction {
                Direction::Input => ("an input", "an output"),
                Direction::Output => ("an output", "an input"),
            };
            return Err(self.error(format!("`{name}` is {is}, not {is_not}")));
        }
        let expected = declared.values.len();
        if values.len() != expected {
            let names: Vec<&str> = declared.values.iter().map(|it| it.name.as_str()).collect();
            let found = values.len();
            return Err(self.error(match expected {
                0 => format!("`{name}` carries no values, found {found}"),
                _ => format!("`{name}` carries {expected} ({}), found {found}", names.join(", ")),
            }));
        }
        let values =
            declared.values.iter().zip(values).map(|(it, value)| it.ty.of_int(value)).collect();
        Ok(Action { signal, values })
    }

    fn signal(&self, name: &str) -> Result<SignalId, TraceError> {
        self.interface.signal(name).ok_or_else(|| {
            let names: Vec<String> =
                self.interface.signals.iter().map(|it| format!("`{}`", it.name)).collect();
            let known = match names.len() {
                0 => "the interface has none".to_owned(),
                1..=12 => format!("expected one of {}", names.join(", ")),
                n => format!(
                    "expected one of the {n} of the interface: {}, …",
                    names[..8].join(", ")
                ),
            };
            self.error(format!("`{}` is not a signal; {known}", excerpt(name)))
        })
    }

    /// A value, as written.
    fn value(&self, text: &str) -> Result<i32, TraceError> {
        text.trim().parse().map_err(|_| {
            self.error(format!("expected a whole number of 32 bits, found `{}`", excerpt(text)))
        })
    }

    fn finish(mut self) -> Vec<Trace> {
        self.traces.push(self.trace);
        self.traces
    }
}

/// The beginning of a text, for messages.
fn excerpt(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    let shown = |c: char| match c.is_control() {
        true => c.escape_debug().to_string(),
        false => c.to_string(),
    };
    let mut out: String = text.chars().take(CHARS_MAX).map(shown).collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        out.push('…');
    }
    out
}
