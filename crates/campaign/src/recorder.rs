//! Writes a run down while it goes on.

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_exec::online::Watcher;
use punctual_exec::{Note, Source};
use punctual_model as model;
use punctual_oracle::Sets;
use punctual_oracle::conformance::{Allowed, Instants, Possible};

use crate::exchanged;
use crate::store::{self, Delay, Event, Line, Said, Sending, StoreError, What, Window, Writer};

/// So many lines of what a system says besides are recorded of a run.
const LINES_MAX: usize = 10_000;
/// They have so many bytes at most.
const BYTES_MAX: usize = 10 << 20;

/// How much a system has said besides. One that never stops talking does not fill the disk.
#[derive(Default)]
pub(crate) struct Heard {
    n_lines: usize,
    n_bytes: usize,
    left_out: u64,
}

/// Writes lines of a record. After an error it asks for the end of the run.
pub(crate) struct Recorder<'r> {
    pub(crate) interface: &'r model::Interface,
    pub(crate) instants: Instants,
    pub(crate) writer: Option<Writer>,
    pub(crate) error: Option<StoreError>,
    pub(crate) stops: &'r AtomicBool,
    /// What was allowed when it was last written, so that it is not written again.
    pub(crate) allowed: Vec<Allowed>,
    /// What was recorded of what the system says besides.
    pub(crate) heard: Heard,
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

    /// Writes how much of what the system said besides is not there, if it was too much.
    pub(crate) fn line_of_what_is_left_out(&mut self) {
        if self.heard.left_out > 0 {
            let Heard { n_lines, left_out, .. } = self.heard;
            self.line(&Line::Note(format!(
                "{left_out} more lines of log and stderr are left out: a record has the first {n_lines}"
            )));
        }
    }
}

fn sets(sets: Sets) -> store::Sets {
    store::Sets { system: sets.system as u64, environment: sets.environment as u64 }
}

impl Watcher for Recorder<'_> {
    fn sending(&mut self, now_ns: u64, what: &model::Happening) {
        if self.writer.is_none() {
            return;
        }
        let (sending, (ports, values)) = match exchanged::told(self.interface, what) {
            What::Signal { name, values, .. } => (name, (Vec::new(), values)),
            What::Step { inputs, .. } => ("step".to_owned(), (Vec::new(), inputs)),
            What::Set(ports) | What::Reading(ports) => {
                ("set".to_owned(), ports.into_iter().unzip())
            }
        };
        self.line(&Line::Sending(Sending { sending, values, at_ns: now_ns, ports }));
        // Whatever the input does to the tester, it stands in the record.
        if let (Some(writer), None) = (&mut self.writer, &self.error)
            && let Err(error) = writer.flush()
        {
            self.error = Some(error);
        }
    }

    fn event(&mut self, event: &model::Event, after: Sets) {
        if self.writer.is_none() {
            return;
        }
        // An event ends all windows; those that are still open are written again.
        self.allowed.clear();
        self.line(&Line::Event(Event {
            what: exchanged::told(self.interface, &event.what),
            from_ns: event.from_ns,
            to_ns: event.to_ns,
            device_ns: event.device_ns,
            sets: sets(after),
        }));
    }

    fn delay(&mut self, now_ns: u64, after: Sets) {
        self.line(&Line::Delay(Delay { to_ns: now_ns, sets: sets(after) }));
    }

    fn windows(&mut self, now_ns: u64, allowed: &[Allowed]) {
        for it in allowed {
            let Possible::Signal(signal, values) = &it.what else { continue };
            // What has only begun to be over is known already.
            let known = self
                .allowed
                .iter()
                .any(|old| (&old.what, old.interval.to) == (&it.what, it.interval.to));
            if known {
                continue;
            }
            let (from, to) = (it.interval.from, it.interval.to);
            let values = values.clone().map(|values| {
                let action = model::Action { signal: *signal, values };
                exchanged::signal_values(self.interface, &action)
            });
            let instants = self.instants;
            self.line(&Line::Window(Window {
                signal: self.interface.signals[*signal].name.clone(),
                values,
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

    fn restart(&mut self, now_ns: u64) {
        self.allowed.clear();
        self.line(&Line::Restart(now_ns));
    }

    fn note(&mut self, now_ns: u64, note: &Note) {
        let heard = &mut self.heard;
        let n_bytes = heard.n_bytes + note.text.len();
        if heard.left_out > 0 || heard.n_lines >= LINES_MAX || n_bytes > BYTES_MAX {
            heard.left_out += 1;
            return;
        }
        (heard.n_lines, heard.n_bytes) = (heard.n_lines + 1, n_bytes);
        let source = match note.source {
            Source::Log => "log",
            Source::Stderr => "stderr",
        };
        let said = Said { said: note.text.clone(), source: source.to_owned(), at_ns: now_ns };
        self.line(&Line::Said(said));
    }

    fn stops(&mut self) -> bool {
        self.error.is_some() || self.stops.load(Ordering::Relaxed)
    }
}
