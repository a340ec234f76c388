//! The runs that `punctual check --trace … --json` prints, as traces over an interface.
//!
//! A run of a model has every step of every process. Here only the steps stay that go over a signal of the interface, with the
//! values that the signal carries after them. An instant between two nanoseconds becomes the interval between them.
//!
//! Such a trace was not seen of any system. It serves as a script: what the environment did in the model is done to a system.

use punctual_model::{Action, Event, Happening, Interface, Rational, Signal, Trace, Value};
use serde_json::Value as Json;

use crate::{
    number,
    values::{self, from_json},
};

/// Whether a file has the answers that `punctual check --json` prints, by how it begins: with a list, which no other trace does.
#[must_use]
pub fn are(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"[")
}

/// The runs of all answers that have one, in order.
///
/// # Errors
/// If the file is something else, or no answer has a run with delays.
pub fn read(name: &str, bytes: &[u8], interface: &Interface) -> Result<Vec<Trace>, String> {
    let wrong = |why: String| format!("`{name}`: {why}");
    let answers: Json = serde_json::from_slice(bytes)
        .map_err(|error| wrong(format!("this is no list of answers as JSON: {error}")))?;
    let mut traces = Vec::new();
    for (i, answer) in answers.as_array().into_iter().flatten().enumerate() {
        let Some(run) = answer.get("trace").filter(|it| !it.is_null()) else { continue };
        let trace = of_run(run, interface).map_err(|why| wrong(format!("answer {}: {why}", i + 1)));
        traces.push(trace?);
    }
    match traces.is_empty() {
        true => Err(wrong(
            "no answer has a run; make some with `punctual check MODEL --trace any --json`"
                .to_owned(),
        )),
        false => Ok(traces),
    }
}

fn of_run(run: &Json, interface: &Interface) -> Result<Trace, String> {
    let mut trace = Trace::default();
    let steps = run.get("steps").and_then(Json::as_array).ok_or("a run has no `steps`")?;
    for (i, step) in steps.iter().enumerate() {
        let time = step.get("time").ok_or_else(|| {
            format!("step {} has no `time`: ask for a run with delays (`--trace any`)", i + 1)
        })?;
        let (from_ns, to_ns) = nanoseconds(time, interface.time.unit_ns)
            .ok_or_else(|| format!("step {}: `time` is no instant that can be counted", i + 1))?;
        trace.end_ns = trace.end_ns.max(to_ns);
        let moves = step.get("moves").and_then(Json::as_array).into_iter().flatten();
        // The sender is the first. A receiver of a broadcast says the same.
        let sent = moves.filter_map(|it| it.get("sync")?.as_str()?.strip_suffix('!')).next();
        let Some(signal) = sent.and_then(|name| interface.signal(name)) else { continue };
        let values = carried(&interface.signals[signal], step)
            .map_err(|why| format!("step {}: {why}", i + 1))?;
        let what = Happening::Signal(Action { signal, values });
        trace.events.push(Event { what, from_ns, to_ns, device_ns: None });
    }
    let rest = run.get("duration").and_then(|it| nanoseconds(it, interface.time.unit_ns));
    trace.end_ns = trace.end_ns.max(rest.map_or(0, |(_, to_ns)| to_ns));
    Ok(trace)
}

/// The values that a signal carries: those of its variables after a step.
fn carried(signal: &Signal, step: &Json) -> Result<Vec<Value>, String> {
    let variables = step.get("state").and_then(|it| it.get("variables"));
    let value = |(name, ty): (&str, &punctual_model::ValueType)| {
        let json = variables.and_then(|it| it.get(name));
        json.and_then(|json| from_json(ty, json)).ok_or_else(|| {
            format!(
                "`{}` carries `{name}`, which is not {} there",
                signal.name,
                values::expected(ty)
            )
        })
    };
    signal.values.iter().map(|it| value((&it.name, &it.ty))).collect()
}

/// The nanoseconds before and after an instant, which is an exact number of time units: `7`, `7/2` or `3.5`.
fn nanoseconds(time: &Json, unit_ns: u64) -> Option<(u64, u64)> {
    let text = time.get("exact")?.as_str()?;
    let units = match text.split_once('/') {
        Some((above, below)) => {
            let below = below.trim().parse().ok().filter(|it| *it > 0)?;
            Rational::new(above.trim().parse().ok()?, below)
        }
        None => number::decimal(text)?,
    };
    let scaled = units.numer().checked_mul(i128::from(unit_ns))?;
    let below = *units.denom();
    let floor = u64::try_from(scaled.div_euclid(below)).ok()?;
    let is_between = scaled.rem_euclid(below) != 0;
    Some((floor, floor.checked_add(u64::from(is_between))?))
}
