//! Traces as lines of JSON.
//!
//! ```text
//! {"unit":"ms"}
//! {"at":1.5,"input":"coin"}
//! {"from":7,"to":7.2,"output":"level","values":[3]}
//! {"restart":20}
//! {"at":30}
//! ```
//! The unit may also come with the call. Each line is an event at an instant, or between two; a
//! reset; or, without a signal, an instant until which nothing more was seen.

use std::borrow::Cow;

use punctual_model::Direction;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Builder, TraceError, Unit, excerpt};

/// A line. Times are kept as they are written: a double would round them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'l> {
    #[serde(borrow)]
    at: Option<&'l RawValue>,
    #[serde(borrow)]
    from: Option<&'l RawValue>,
    #[serde(borrow)]
    to: Option<&'l RawValue>,
    #[serde(borrow)]
    restart: Option<&'l RawValue>,
    #[serde(borrow)]
    unit: Option<Cow<'l, str>>,
    #[serde(borrow)]
    input: Option<Cow<'l, str>>,
    #[serde(borrow)]
    output: Option<Cow<'l, str>>,
    values: Option<Vec<i32>>,
}

pub(super) fn read(builder: &mut Builder<'_>, text: &str) -> Result<(), TraceError> {
    for (number, line) in (1..).zip(text.lines()) {
        builder.line = number;
        if !line.trim().is_empty() {
            read_line(builder, line)?;
        }
    }
    Ok(())
}

fn read_line(builder: &mut Builder<'_>, text: &str) -> Result<(), TraceError> {
    let line: Line<'_> = serde_json::from_str(text).map_err(|error| {
        let why = error.to_string();
        let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
        let column = error.column();
        builder.error(format!(
            "{why}, at character {column}; expected {{\"at\":1.5,\"input\":\"coin\",\"values\":[]}}"
        ))
    })?;
    if let Some(name) = &line.unit {
        if builder.unit_is_used() {
            return Err(builder.error("the unit is stated once, before any time"));
        }
        let unit = Unit::named(name).ok_or_else(|| {
            builder.error(format!("expected s, ms, us, ns or units, found `{}`", excerpt(name)))
        })?;
        builder.unit = Some(unit);
    }
    if let Some(at) = line.restart {
        let instant = builder.instant(at.get())?;
        return builder.restart(instant);
    }
    let instants = match (line.at, line.from, line.to) {
        (Some(at), None, None) => builder.instant(at.get())?,
        (None, Some(from), Some(to)) => {
            (builder.instant(from.get())?.0, builder.instant(to.get())?.1)
        }
        (None, None, None) if line.unit.is_some() => return Ok(()),
        _ => return Err(builder.error("expected `at`, or `from` and `to`")),
    };
    let (name, direction) = match (&line.input, &line.output) {
        (Some(name), None) => (name, Direction::Input),
        (None, Some(name)) => (name, Direction::Output),
        (Some(_), Some(_)) => return Err(builder.error("expected `input` or `output`, found both")),
        (None, None) if line.values.is_some() => {
            return Err(builder.error("expected `input` or `output` with these values"));
        }
        (None, None) => return builder.pass(instants),
    };
    let action = builder.action(name, Some(direction), line.values.unwrap_or_default())?;
    builder.event(action, instants)
}

impl Builder<'_> {
    fn unit_is_used(&self) -> bool {
        self.last_ns > 0 || !self.trace.events.is_empty() || !self.traces.is_empty()
    }
}
