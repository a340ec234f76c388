//! A record, judged again or executed again.

use std::sync::atomic::AtomicBool;

use punctual_exec::Sut;
use punctual_model::{Action, Event, Trace};
use punctual_oracle::conformance::{self, Coverage, Specification, judge};
use punctual_testgen::Script;

use crate::plan::Plan;
use crate::run::{Finished, Recording, Trouble, one};
use crate::store::{Diagnosis, Line, Record, Verdict};
use crate::told;

/// What was seen in a recorded run since its last restart.
///
/// # Errors
/// If the record has a signal that the specification does not have.
pub fn trace(specification: &Specification, record: &Record) -> Result<Trace, String> {
    let mut trace = Trace::default();
    for line in &record.lines {
        match line {
            Line::Event(event) => {
                let Some(signal) = specification.interface.signal(&event.signal) else {
                    return Err(format!("the interface has no signal `{}`", event.signal));
                };
                let action = Action { signal, values: event.values.clone() };
                trace.end_ns = trace.end_ns.max(event.to_ns);
                let (from_ns, to_ns) = (event.from_ns, event.to_ns);
                trace.events.push(Event { action, from_ns, to_ns });
            }
            Line::Delay(delay) => trace.end_ns = trace.end_ns.max(delay.to_ns),
            Line::Restart(_) => trace = Trace::default(),
            Line::Header(_)
            | Line::Window(_)
            | Line::Choice(_)
            | Line::Note(_)
            | Line::Coverage(_)
            | Line::End(_) => {}
        }
    }
    if let Some(end) = &record.end {
        // On the real clock the last moments do not count.
        let last_ns = trace.events.last().map_or(0, |event| event.to_ns);
        trace.end_ns = end.at_ns.max(last_ns);
    }
    Ok(trace)
}

/// The verdict of a trace, in the words of a record.
#[must_use]
pub fn rejudge(
    specification: &Specification,
    trace: &Trace,
) -> (Verdict, Option<Diagnosis>, Coverage) {
    let mut coverage = Coverage::new(true);
    let verdict = judge(specification, trace, &mut coverage);
    let told = |it: &conformance::Diagnosis| Some(told::diagnosis(specification, it));
    match verdict {
        conformance::Verdict::Pass => (Verdict::Pass, None, coverage),
        conformance::Verdict::Inconclusive(it) => (Verdict::Inconclusive, told(&it), coverage),
        conformance::Verdict::Fail(it) => (Verdict::Fail, told(&it), coverage),
    }
}

/// Sends the inputs of a trace to a system again.
///
/// # Errors
/// As [`one`].
pub fn execute(
    plan: &Plan,
    sut: &mut dyn Sut,
    script: &Script,
    recording: Option<&Recording>,
    stops: &AtomicBool,
) -> Result<Finished, Trouble> {
    one(plan, 0, sut, &mut script.clone(), recording, stops)
}
