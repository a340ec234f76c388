//! Traces as lines of JSON.
//!
//! ```text
//! {"unit":"ms"}
//! {"at":1.5,"input":"coin"}
//! {"from":7,"to":7.2,"output":"level","values":[3],"device":6.9}
//! {"at":8,"read":{"qc":3,"Error.location":"Idle"}}
//! {"at":9,"set":{"x":1}}
//! {"at":10,"step":{"x":1,"y":false}}
//! {"delay":5}
//! {"restart":20}
//! {"at":30}
//! ```
//! The unit may also come with the call. Each line is at an instant, or between two: a signal; a
//! reading of ports; ports that were set; a step, with all of its inputs and outputs; or, without any of
//! these, an instant until which nothing more was seen. `delay` is time since the line before, and what
//! follows it without a time happened then. `device` is the instant by the system's own clock.

use std::io::BufRead;

use punctual_model::{Direction, Happening, PortRole, Reading, Step};

use super::{
    Unit,
    error::{Fault, TraceError, excerpt},
    lines::Lines,
    object::Object,
    timeline::{Instants, Timeline, Word},
};
use crate::{
    Span,
    diagnostic::{Diagnostic, closest},
};

const KEYS: [&str; 13] = [
    "at", "from", "to", "delay", "restart", "unit", "input", "output", "values", "read", "set",
    "step", "device",
];

/// A file of such lines.
pub(super) struct Jsonl<R> {
    lines: Lines<R>,
    /// Whether the last line with a time was a delay.
    is_delayed: bool,
}

impl<R: BufRead> Jsonl<R> {
    pub(super) fn new(lines: Lines<R>) -> Self {
        Self { lines, is_delayed: false }
    }

    /// Reads the next line; false at the end of the file.
    pub(super) fn advance(&mut self, timeline: &mut Timeline<'_>) -> Result<bool, TraceError> {
        let read = self.lines.advance_to_text().and_then(|found| {
            if found {
                line(self.lines.text(), &mut self.is_delayed, timeline)?;
            }
            Ok(found)
        });
        read.map_err(|fault| self.lines.error(fault))
    }
}

fn wrong<T>(span: Span, message: impl Into<String>) -> Result<T, Fault> {
    Err(Box::new(Diagnostic::error("trace::line", span, message)))
}

fn line(text: &str, is_delayed: &mut bool, timeline: &mut Timeline<'_>) -> Result<(), Fault> {
    let object = Object::read(text)?;
    for (key, _) in object.entries() {
        if !KEYS.contains(&key.text) {
            let help = match closest(key.text, KEYS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    "a line is such as {\"at\":1.5,\"input\":\"coin\",\"values\":[]}".to_owned()
                }
            };
            let message = format!("a line of a trace has no `{}`", excerpt(key.text));
            let unknown = Diagnostic::error("trace::line", key.span, message);
            return Err(Box::new(unknown.help(help)));
        }
    }
    let whole = Span::new(0, text.len());
    if let Some(word) = object.get("unit") {
        if timeline.has_begun() {
            return wrong(word.span, "the unit is stated once, before any time");
        }
        let name = word.scalar();
        let Some(unit) = Unit::named(&name) else {
            let found = excerpt(&name);
            return wrong(word.span, format!("expected s, ms, us, ns or units, found `{found}`"));
        };
        timeline.unit = Some(unit);
    }
    let Some(instants) = instants(&object, is_delayed, timeline, whole)? else { return Ok(()) };
    let device_ns = match object.get("device") {
        // The clock of a system is no more exact than its last digit.
        Some(word) => Some(timeline.instant(word)?.0),
        None => None,
    };
    let kinds = ["input", "output", "read", "set", "step", "restart"];
    let mut found = kinds.iter().filter_map(|kind| Some((*kind, object.get(kind)?)));
    let (kind, word) = match (found.next(), found.next()) {
        (Some(found), None) => found,
        (Some((first, _)), Some((second, word))) => {
            return wrong(word.span, format!("a line has `{first}` or `{second}`, not both"));
        }
        (None, _) => {
            if let Some(word) = object.get("values") {
                return wrong(word.span, "expected `input` or `output` with these values");
            }
            if device_ns.is_some() {
                return wrong(whole, "`device` says when something happened, and nothing did");
            }
            return timeline.quiet(instants, whole);
        }
    };
    if kind == "restart" {
        return timeline.restart(instants, whole);
    }
    let what = match kind {
        "input" | "output" => {
            let direction = if kind == "input" { Direction::Input } else { Direction::Output };
            signal(&object, word, direction, timeline)?
        }
        _ => ports(kind, word, timeline)?,
    };
    timeline.event(what, instants, device_ns, whole)
}

/// When a line happened; none if it only states the unit.
fn instants(
    object: &Object<'_>,
    is_delayed: &mut bool,
    timeline: &Timeline<'_>,
    whole: Span,
) -> Result<Option<Instants>, Fault> {
    let get = |key: &str| object.get(key);
    let times = ["at", "from", "delay", "restart"].iter().filter(|key| get(key).is_some()).count();
    if times > 1 || get("from").is_some() != get("to").is_some() {
        return wrong(whole, "expected `at`, or `from` and `to`, or `delay`, or `restart`");
    }
    if let Some(delay) = get("delay") {
        *is_delayed = true;
        return timeline.after(delay).map(Some);
    }
    if let Some(at) = get("at").or_else(|| get("restart")) {
        *is_delayed = false;
        return timeline.instant(at).map(Some);
    }
    if let (Some(from), Some(to)) = (get("from"), get("to")) {
        *is_delayed = false;
        return Ok(Some((timeline.instant(from)?.0, timeline.instant(to)?.1)));
    }
    match object.entries().all(|(key, _)| key.text == "unit") {
        true if get("unit").is_some() => Ok(None),
        false if *is_delayed => Ok(Some(timeline.now())),
        _ => wrong(whole, "expected `at`, or `from` and `to`"),
    }
}

fn signal(
    object: &Object<'_>,
    word: Word<'_>,
    direction: Direction,
    timeline: &Timeline<'_>,
) -> Result<Happening, Fault> {
    let values = match object.get("values").map(|word| (word, word.items())) {
        None => Vec::new(),
        Some((_, Some(items))) => items,
        Some((word, None)) => return wrong(word.span, "`values` must be a list"),
    };
    let texts: Vec<_> = values.iter().map(|word| (word.scalar(), word.span)).collect();
    let values = texts.iter().map(|(text, span)| Word { text, span: *span });
    let name = word.scalar();
    timeline.action(Word { text: &name, span: word.span }, Some(direction), values)
}

/// Ports with values: a reading, ports that are set, or a step.
fn ports(kind: &str, word: Word<'_>, timeline: &Timeline<'_>) -> Result<Happening, Fault> {
    let object = Object::of(word)?;
    let mut values = Vec::new();
    for (name, value) in object.entries() {
        let port = timeline.port(name)?;
        let role = timeline.interface.ports[port].role;
        match (kind, role) {
            ("set", PortRole::Output | PortRole::Observed) => {
                return wrong(name.span, format!("`{}` is not an input", name.text));
            }
            ("step", PortRole::Observed) => {
                return wrong(
                    name.span,
                    format!("`{}` can be read, and has no part in steps", name.text),
                );
            }
            _ => {}
        }
        let text = value.scalar();
        let value = timeline.port_value(port, Word { text: &text, span: value.span })?;
        values.push((port, value));
    }
    values.sort_unstable_by_key(|(port, _)| *port);
    if kind != "step" {
        if values.is_empty() {
            return wrong(word.span, format!("expected ports and values in `{kind}`"));
        }
        let reading = Reading { values };
        return Ok(match kind {
            "set" => Happening::Set(reading),
            _ => Happening::Reading(reading),
        });
    }
    let mut step = Step::default();
    for port in timeline.step_ports() {
        let Some((_, value)) = values.iter().find(|(it, _)| *it == port) else {
            let name = &timeline.interface.ports[port].name;
            return wrong(
                word.span,
                format!("a step has a value for each of its ports: `{name}` is missing"),
            );
        };
        match timeline.interface.ports[port].role {
            PortRole::Input => step.inputs.push(*value),
            _ => step.outputs.push(*value),
        }
    }
    Ok(Happening::Step(step))
}
