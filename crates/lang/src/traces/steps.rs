//! Tables of steps of a synchronous system: a row or a line for each step, without times.
//!
//! - CSV: a row of names, then a row for each step; a blank line ends a test.
//! - JSON lines: an object for each step, `{"test": 0, "step": 0, "x": 1}`. `test` and `step` are
//!   numbers, and no ports unless the interface has them; a new test begins where `test` changes, or where
//!   `step` does not grow.
//!
//! Steps follow each other by the period; each test begins with a reset. A step has a value for each of
//! its ports; tables of tests may leave out all outputs. Ports that can be read may be there, too.

use std::io::BufRead;

use punctual_model::{Happening, Id, PortId, PortRole, Reading, Step, Value};

use super::{
    error::{Fault, TraceError, excerpt},
    lines::Lines,
    object::Object,
    table::Rows,
    timeline::{Timeline, Word, unknown},
};
use crate::{Span, diagnostic::Diagnostic};

/// When the steps are, and which test they belong to.
struct Clockwork {
    period_ns: u64,
    /// When the next step is, since the start of the file.
    next_ns: u64,
    has_steps: bool,
    outputs_may_be_missing: bool,
}

impl Clockwork {
    fn new(period_ns: u64, outputs_may_be_missing: bool) -> Self {
        Self { period_ns, next_ns: 0, has_steps: false, outputs_may_be_missing }
    }

    /// The system is reset, unless it just was.
    fn restart(&mut self, timeline: &mut Timeline<'_>, span: Span) -> Result<(), Fault> {
        if std::mem::take(&mut self.has_steps) {
            timeline.restart((self.next_ns, self.next_ns), span)?;
        }
        Ok(())
    }

    /// A step with the values of ports, in the order of the ports.
    fn step(
        &mut self,
        values: &[Option<Value>],
        timeline: &mut Timeline<'_>,
        span: Span,
    ) -> Result<(), Fault> {
        let at = (self.next_ns, self.next_ns);
        let (mut step, mut read) = (Step::default(), Vec::new());
        for ((id, port), value) in timeline.interface.ports.enumerate().zip(values) {
            let Some(value) = *value else { continue };
            match port.role {
                PortRole::Input => step.inputs.push(value),
                PortRole::Output => step.outputs.push(value),
                PortRole::Observed => read.push((id, value)),
            }
        }
        timeline.event(Happening::Step(step), at, None, span)?;
        if !read.is_empty() {
            let reading = Happening::Reading(Reading { values: read });
            timeline.event(reading, at, None, span)?;
        }
        self.has_steps = true;
        self.next_ns = self.next_ns.checked_add(self.period_ns).ok_or_else(|| {
            let message = "this step is beyond the 584 years that can be counted";
            Box::new(Diagnostic::error("trace::time", span, message))
        })?;
        Ok(())
    }

    /// The last step takes a period, too.
    fn finish(&self, timeline: &mut Timeline<'_>, span: Span) -> Result<(), Fault> {
        match self.has_steps {
            true => timeline.quiet((self.next_ns, self.next_ns), span),
            false => Ok(()),
        }
    }

    /// Whether a table or a line with these ports is complete.
    fn check(
        &self,
        has: impl Fn(PortId) -> bool,
        timeline: &Timeline<'_>,
        span: Span,
    ) -> Result<(), Fault> {
        let is_there = |role| timeline.interface.ports_with(role).any(&has);
        let optional = self.outputs_may_be_missing && !is_there(PortRole::Output);
        let may_be_missing =
            |port: PortId| optional && timeline.interface.ports[port].role == PortRole::Output;
        let mut ports = timeline.step_ports();
        let missing = ports.find(|port| !has(*port) && !may_be_missing(*port));
        let Some(port) = missing else { return Ok(()) };
        let name = &timeline.interface.ports[port].name;
        let message = format!("a step has a value for each of its ports: `{name}` is missing");
        Err(Box::new(Diagnostic::error("table::missing", span, message)))
    }
}

/// A table of steps in CSV.
pub(super) struct Table<R: BufRead> {
    rows: Rows<R>,
    clockwork: Clockwork,
    /// The first row.
    header: String,
    columns: Vec<PortId>,
}

impl<R: BufRead> Table<R> {
    /// Reads the first row, which is the present one.
    pub(super) fn new(
        rows: Rows<R>,
        period_ns: u64,
        outputs_may_be_missing: bool,
        timeline: &Timeline<'_>,
    ) -> Result<Self, TraceError> {
        let clockwork = Clockwork::new(period_ns, outputs_may_be_missing);
        let header = rows.text().to_owned();
        let mut table = Self { rows, clockwork, header, columns: Vec::new() };
        match table.names(timeline) {
            Ok(()) => Ok(table),
            Err(fault) => Err(table.rows.error(fault)),
        }
    }

    fn names(&mut self, timeline: &Timeline<'_>) -> Result<(), Fault> {
        for at in 0..self.rows.len() {
            let name = Word { text: unquoted(self.rows.cell(at)), span: self.rows.span(at) };
            let port = timeline.port(name)?;
            if self.columns.contains(&port) {
                let message = format!("`{}` has two columns", name.text);
                return Err(Box::new(Diagnostic::error("table::twice", name.span, message)));
            }
            self.columns.push(port);
        }
        let has = |port| self.columns.contains(&port);
        self.clockwork.check(has, timeline, self.rows.whole())
    }

    /// Reads the next row; false at the end of the table.
    pub(super) fn advance(&mut self, timeline: &mut Timeline<'_>) -> Result<bool, TraceError> {
        self.row(timeline).map_err(|fault| self.rows.error(fault))
    }

    fn row(&mut self, timeline: &mut Timeline<'_>) -> Result<bool, Fault> {
        let rows = &mut self.rows;
        if !rows.advance()? {
            self.clockwork.finish(timeline, Span::default())?;
            return Ok(false);
        }
        if rows.is_after_gap() {
            self.clockwork.restart(timeline, rows.whole())?;
        }
        // Tables that were put behind each other repeat their names.
        if !self.clockwork.has_steps && rows.text() == self.header {
            return Ok(true);
        }
        if rows.len() != self.columns.len() {
            let (found, expected) = (rows.len(), self.columns.len());
            let message = format!("this row has {found} cells, and there are {expected} names");
            return Err(Box::new(Diagnostic::error("table::row", rows.whole(), message)));
        }
        let mut values = vec![None; timeline.interface.ports.len()];
        for (at, port) in self.columns.iter().enumerate() {
            let text = unquoted(rows.cell(at));
            // Only what is wrong needs its place.
            let value = timeline.port_value(*port, Word { text, span: Span::default() });
            values[port.index()] = Some(value.map_err(|mut fault| {
                fault.span = rows.span(at);
                fault
            })?);
        }
        let span = rows.whole();
        self.clockwork.step(&values, timeline, span)?;
        Ok(true)
    }
}

/// A cell without the quotes that stand behind blanks, where they are no quotes of the table.
pub(crate) fn unquoted(cell: &str) -> &str {
    let inner = cell.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
    inner.unwrap_or(cell)
}

/// Where tests end among lines of JSON.
#[derive(Default)]
struct Numbers {
    last: Option<(Option<u64>, Option<u64>)>,
}

/// The number of the test.
pub(crate) const TEST: &str = "test";
/// The number of the step.
pub(crate) const STEP: &str = "step";

impl Numbers {
    /// Whether a step with these numbers belongs to the test of the step before.
    fn goes_on(&mut self, object: &Object<'_>) -> bool {
        let number = |key: &str| object.get(key).and_then(|word| word.text.parse::<u64>().ok());
        let here = (number(TEST), number(STEP));
        let goes_on = self
            .last
            .is_some_and(|(test, step)| test == here.0 && (step < here.1 || here.1.is_none()));
        self.last = Some(here);
        goes_on
    }
}

/// Steps as lines of JSON.
pub(super) struct Objects<R> {
    lines: Lines<R>,
    clockwork: Clockwork,
    numbers: Numbers,
}

/// Whether a line of JSON is a step of a table: all of its keys are ports, or numbers of test and step.
pub(super) fn is_step(line: &str, timeline: &Timeline<'_>) -> bool {
    Object::read(line).is_ok_and(|object| {
        let is_own =
            |key: &str, value: &str| matches!(key, TEST | STEP) && value.parse::<u64>().is_ok();
        let mut keys = object.entries().peekable();
        keys.peek().is_some()
            && keys.all(|(key, value)| {
                timeline.known_port(key.text).is_some() || is_own(key.text, value.text)
            })
    })
}

impl<R: BufRead> Objects<R> {
    pub(super) fn new(lines: Lines<R>, period_ns: u64, outputs_may_be_missing: bool) -> Self {
        let clockwork = Clockwork::new(period_ns, outputs_may_be_missing);
        Self { lines, clockwork, numbers: Numbers::default() }
    }

    /// Reads the next line; false at the end of the file.
    pub(super) fn advance(&mut self, timeline: &mut Timeline<'_>) -> Result<bool, TraceError> {
        self.line(timeline).map_err(|fault| self.lines.error(fault))
    }

    fn line(&mut self, timeline: &mut Timeline<'_>) -> Result<bool, Fault> {
        if !self.lines.advance_to_text()? {
            self.clockwork.finish(timeline, self.lines.end())?;
            return Ok(false);
        }
        let object = Object::read(self.lines.text())?;
        let whole = self.lines.whole();
        let mut values = vec![None; timeline.interface.ports.len()];
        for (key, value) in object.entries() {
            let Some(port) = timeline.known_port(key.text) else {
                if matches!(key.text, TEST | STEP) {
                    if value.text.parse::<u64>().is_err() {
                        let found = excerpt(value.text);
                        let message = format!("`{}` is a number from 0, not `{found}`", key.text);
                        return Err(Box::new(Diagnostic::error("table::row", value.span, message)));
                    }
                    continue;
                }
                let names = timeline.interface.ports.iter().map(|it| it.name.as_str());
                return Err(Box::new(unknown("port", key, names)));
            };
            let text = value.scalar();
            let word = Word { text: &text, span: value.span };
            values[port.index()] = Some(timeline.port_value(port, word)?);
        }
        self.clockwork.check(|port| values[port.index()].is_some(), timeline, whole)?;
        if !self.numbers.goes_on(&object) {
            self.clockwork.restart(timeline, whole)?;
        }
        self.clockwork.step(&values, timeline, whole)?;
        Ok(true)
    }
}
