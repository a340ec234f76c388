//! Traces that were recorded by others, one item after the other.
//!
//! A [`Reader`] knows lines of JSON, tables (CSV), tables of steps without times, the driver log of UPPAAL
//! TRON, and value change dumps. All give [`Item`]s over an [`Interface`]: every signal and every port is
//! one of it, a signal has as many values as it carries, a step has all of its ports; times never go back,
//! and are exact. A time that lies between two nanoseconds becomes the interval between them.
//!
//! Reading takes constant memory, however long the file is. It ends with the first thing that is wrong,
//! which is told with its line ([`TraceError`]).
//!
//! Not here: records of this tool (`campaign`); whether values are in their range, or anything else about
//! the system: that is for an oracle to judge.

pub mod answers;
pub(crate) mod error;
mod jsonl;
pub(crate) mod lines;
mod log;
pub(crate) mod object;
pub(crate) mod steps;
pub(crate) mod table;
mod time;
mod timed;
pub(crate) mod timeline;
pub mod vcd;
mod words;
mod write;

use std::io::BufRead;

use punctual_model::{Event, Interface, Trace};

pub(crate) use error::Fault;
pub use error::TraceError;
pub use time::Unit;
pub use write::Writer;

use lines::Lines;
use table::Rows;
use timeline::Timeline;

/// How a trace is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One JSON object on each line: with times, or a step on each.
    Jsonl,
    /// A table: time, signal, values; or the ports of a step in each row.
    Csv,
    /// The driver log of UPPAAL TRON.
    TronLog,
    /// A value change dump.
    Vcd,
}

impl Format {
    /// All formats, by their names.
    pub const ALL: [(&'static str, Format); 4] = [
        ("jsonl", Format::Jsonl),
        ("csv", Format::Csv),
        ("tron-log", Format::TronLog),
        ("vcd", Format::Vcd),
    ];
}

/// What a file may leave open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Its format; found out by its first line and by its name if `None`.
    pub format: Option<Format>,
    /// The unit of its times, if it does not say.
    pub unit: Option<Unit>,
    /// The time between two steps that have no times, in nanoseconds; one time unit if `None`. Steps of
    /// a value change dump are at every instant of it if `None`.
    pub period_ns: Option<u64>,
    /// Tables of steps may have no outputs: they say what to do, and not what was seen.
    pub outputs_may_be_missing: bool,
}

/// A piece of a file of traces. Instants are nanoseconds since the last reset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// Something happened.
    Event(Event),
    /// Nothing more was seen until this instant.
    Quiet(u64),
    /// The system was reset at this instant; what follows belongs to another trace, and its time
    /// begins at 0.
    Restart(u64),
    /// The file is over. The system was watched until this instant. Always the last item.
    End(u64),
}

/// Reads a file piece by piece.
pub struct Reader<'i, R: BufRead> {
    timeline: Timeline<'i>,
    source: Option<Source<R>>,
}

enum Source<R: BufRead> {
    Jsonl(jsonl::Jsonl<R>),
    Timed(timed::Timed<R>),
    Table(steps::Table<R>),
    Objects(steps::Objects<R>),
    Log(log::Log<R>),
    Vcd(Box<vcd::Dump<R>>),
}

impl<'i, R: BufRead> Reader<'i, R> {
    /// Finds out the format, and reads as much as it takes to know it.
    ///
    /// # Errors
    /// What is wrong at the beginning of the file, such as names of columns.
    pub fn new(
        name: &str,
        source: R,
        interface: &'i Interface,
        options: Options,
    ) -> Result<Self, TraceError> {
        let mut timeline = Timeline::new(interface, options.unit);
        let mut lines = Lines::new(name, source);
        let found = match lines.advance_to_text() {
            Ok(found) => found,
            Err(fault) => return Err(lines.error(fault)),
        };
        let format = options.format.unwrap_or_else(|| detect(name, lines.text(), interface));
        let is_step = found && steps::is_step(lines.text(), &timeline);
        lines.unread();
        let period_ns = options.period_ns.unwrap_or(interface.time.unit_ns);
        let loose = options.outputs_may_be_missing;
        let source = match format {
            Format::Jsonl if is_step => {
                Source::Objects(steps::Objects::new(lines, period_ns, loose))
            }
            Format::Jsonl => Source::Jsonl(jsonl::Jsonl::new(lines)),
            Format::Csv => {
                let mut rows = Rows::new(lines)?;
                match rows.advance() {
                    Ok(true) => {}
                    Ok(false) => {
                        let message = "this table is empty: not even names are there";
                        return Err(rows.error(nothing(message)));
                    }
                    Err(fault) => return Err(rows.error(fault)),
                }
                let first = steps::unquoted(rows.cell(0));
                let is_port = interface.port(first).is_some();
                let is_time = timed::time_column(&first.to_ascii_lowercase()).is_some();
                match interface.has_steps() && (is_port || !is_time) {
                    true => Source::Table(steps::Table::new(rows, period_ns, loose, &timeline)?),
                    false => Source::Timed(timed::Timed::new(rows, &mut timeline)?),
                }
            }
            Format::TronLog => Source::Log(log::Log::new(lines)),
            Format::Vcd => {
                Source::Vcd(Box::new(vcd::Dump::new(lines, &timeline, options.period_ns)?))
            }
        };
        Ok(Self { timeline, source: Some(source) })
    }
}

impl<R: BufRead> Reader<'_, R> {
    /// Whether the file is a table of steps without times.
    pub(crate) fn is_table_of_steps(&self) -> bool {
        matches!(self.source, Some(Source::Table(_) | Source::Objects(_)))
    }
}

fn nothing(message: &str) -> Fault {
    Box::new(crate::diagnostic::Diagnostic::error("trace::empty", crate::Span::default(), message))
}

impl<R: BufRead> Iterator for Reader<'_, R> {
    type Item = Result<Item, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.timeline.take() {
                return Some(Ok(item));
            }
            let timeline = &mut self.timeline;
            let more = match self.source.as_mut()? {
                Source::Jsonl(it) => it.advance(timeline),
                Source::Timed(it) => it.advance(timeline),
                Source::Table(it) => it.advance(timeline),
                Source::Objects(it) => it.advance(timeline),
                Source::Log(it) => it.advance(timeline),
                Source::Vcd(it) => it.advance(timeline),
            };
            match more {
                Ok(true) => {}
                Ok(false) => {
                    self.source = None;
                    self.timeline.finish();
                }
                Err(error) => {
                    self.source = None;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// Reads the traces in a file: one, and one more for each reset of the system.
///
/// # Errors
/// The first thing that is wrong with the file.
pub fn read_all(
    name: &str,
    bytes: &[u8],
    interface: &Interface,
    options: Options,
) -> Result<Vec<Trace>, TraceError> {
    let mut traces = vec![Trace::default()];
    for item in Reader::new(name, bytes, interface, options)? {
        let trace = traces.last_mut().expect("there is one from the start");
        match item? {
            Item::Event(event) => trace.events.push(event),
            Item::Quiet(_) => {}
            Item::Restart(at_ns) => {
                trace.end_ns = at_ns;
                traces.push(Trace::default());
            }
            Item::End(at_ns) => trace.end_ns = at_ns,
        }
    }
    Ok(traces)
}

/// The format of a file, by its first line that is not blank, and by its name.
#[must_use]
pub fn detect(name: &str, first_line: &str, interface: &Interface) -> Format {
    let first = first_line.trim_start();
    let suffix = name.rsplit_once('.').map(|(_, suffix)| suffix.to_ascii_lowercase());
    let cell = first.split([',', ';', '\t']).next().unwrap_or_default();
    let cell = steps::unquoted(cell.trim());
    match suffix.as_deref() {
        _ if first.starts_with('$') => Format::Vcd,
        _ if first.starts_with('{') => Format::Jsonl,
        Some("vcd") => Format::Vcd,
        Some("csv" | "tsv") => Format::Csv,
        _ if timed::time_column(&cell.to_ascii_lowercase()).is_some() => Format::Csv,
        _ if interface.port(cell).is_some() => Format::Csv,
        Some("jsonl" | "json" | "ndjson") => Format::Jsonl,
        _ => Format::TronLog,
    }
}
