//! Writes a run down while it goes on.

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_exec::online::{Sets, Watcher};
use punctual_model as model;
use punctual_oracle::conformance::{Allowed, Coverage, Specification};
use punctual_testgen::Decision;

use crate::store::{self, Delay, Event, Line, StoreError, Window, Writer};

/// Writes lines of a record. After an error it asks for the end of the run.
pub(crate) struct Recorder<'r> {
    pub(crate) specification: &'r Specification,
    pub(crate) writer: Option<Writer>,
    pub(crate) error: Option<StoreError>,
    pub(crate) stops: &'r AtomicBool,
    /// What was allowed when it was last written, so that it is not written again.
    pub(crate) allowed: Vec<Allowed>,
}

impl Recorder<'_> {
    pub(crate) fn line(&mut self, line: &Line) {
        if self.error.is_some() {
            return;
        }
        if let Some(writer) = &mut self.writer
            && let Err(error) = writer.line(line)
        {
            self.error = Some(error);
        }
    }
}

fn sets(sets: Sets) -> store::Sets {
    store::Sets { system: sets.system as u64, environment: sets.environment as u64 }
}

impl Watcher for Recorder<'_> {
    fn event(&mut self, event: &model::Event, after: Sets) {
        // An event ends all windows; those that are still open are written again.
        self.allowed.clear();
        let signal = &self.specification.interface.signals[event.action.signal];
        self.line(&Line::Event(Event {
            direction: signal.direction.into(),
            signal: signal.name.clone(),
            values: event.action.values.clone(),
            from_ns: event.from_ns,
            to_ns: event.to_ns,
            sets: sets(after),
        }));
    }

    fn delay(&mut self, now_ns: u64, after: Sets) {
        self.line(&Line::Delay(Delay { to_ns: now_ns, sets: sets(after) }));
    }

    fn windows(&mut self, now_ns: u64, allowed: &[Allowed]) {
        let instants = self.specification.instants;
        for it in allowed {
            // What has only begun to be over is known already.
            let known = self.allowed.iter().any(|old| {
                (old.signal, &old.values, old.interval.to)
                    == (it.signal, &it.values, it.interval.to)
            });
            if known {
                continue;
            }
            let (from, to) = (it.interval.from, it.interval.to);
            self.line(&Line::Window(Window {
                signal: self.specification.interface.signals[it.signal].name.clone(),
                values: it.values.clone(),
                from_ns: instants.ns(from.at),
                to_ns: to.map(|to| instants.ns(to.at)),
                from_open: from.open,
                to_open: to.is_some_and(|to| to.open),
                as_of_ns: now_ns,
            }));
        }
        self.allowed.clear();
        self.allowed.extend_from_slice(allowed);
    }

    fn decision(&mut self, _: u64, _: &Decision) {}

    fn restart(&mut self, now_ns: u64) {
        self.allowed.clear();
        self.line(&Line::Restart(now_ns));
    }

    fn stops(&mut self, _: &Coverage) -> bool {
        self.error.is_some() || self.stops.load(Ordering::Relaxed)
    }
}
