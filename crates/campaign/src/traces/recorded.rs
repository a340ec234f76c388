//! Records of this tool, as traces.

use std::path::Path;

use crate::store::{Line, Reader, StoreError};

use super::{Builder, TraceError};

pub(super) fn read(builder: &mut Builder<'_>, bytes: &[u8]) -> Result<(), TraceError> {
    let wrong = |error: StoreError, file: &str| match error {
        StoreError::Line { line, message, .. } => {
            TraceError { file: file.to_owned(), line, message }
        }
        StoreError::Header { message, .. } => TraceError {
            file: file.to_owned(),
            line: 1,
            message: format!("this is not a record of a run: {message}"),
        },
        error => TraceError { file: file.to_owned(), line: 1, message: error.to_string() },
    };
    let file = builder.file.clone();
    let mut reader = Reader::new(bytes, Path::new(&file)).map_err(|it| wrong(it, &file))?;
    while let Some(line) = reader.next() {
        let line = line.map_err(|error| wrong(error, &file))?;
        builder.line = reader.line_number();
        match line {
            Line::Event(event) => {
                let happening = crate::exchanged::heard(builder.interface, &event.what)
                    .map_err(|message| builder.error(message))?;
                builder.pass((event.from_ns, event.to_ns))?;
                let from_ns = event.from_ns.saturating_sub(builder.start_ns);
                let to_ns = event.to_ns.saturating_sub(builder.start_ns);
                let event = punctual_model::Event {
                    what: happening,
                    from_ns,
                    to_ns,
                    device_ns: event.device_ns,
                };
                builder.trace.events.push(event);
            }
            Line::Delay(delay) => builder.pass((delay.to_ns, delay.to_ns))?,
            Line::Restart(at) => builder.restart((at, at))?,
            // A verdict may be about an instant before the last event that arrived.
            Line::End(end) => builder.pass_to(end.at_ns.max(end.statistics.duration_ns))?,
            _ => {}
        }
    }
    Ok(())
}

impl Builder<'_> {
    /// Time passed up to an instant, unless more has passed already.
    fn pass_to(&mut self, to_ns: u64) -> Result<(), TraceError> {
        let to_ns = to_ns.max(self.last_ns);
        self.pass((to_ns, to_ns))
    }
}
