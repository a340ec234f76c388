//! Records of this tool, as traces.

use std::path::Path;

use punctual_model::Direction;

use crate::store::{self, Line, Reader, StoreError};

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
                let direction = match event.direction {
                    store::Direction::Input => Direction::Input,
                    store::Direction::Output => Direction::Output,
                };
                let action = builder.action(&event.signal, Some(direction), event.values)?;
                builder.event(action, (event.from_ns, event.to_ns))?;
            }
            Line::Delay(delay) => builder.pass((delay.to_ns, delay.to_ns))?,
            Line::Restart(at) => builder.restart((at, at))?,
            // A verdict may be about an instant before the last event that arrived.
            Line::End(end) => builder.pass_to(end.at_ns.max(end.statistics.duration_ns))?,
            Line::Header(_)
            | Line::Window(_)
            | Line::Choice(_)
            | Line::Note(_)
            | Line::Coverage(_) => {}
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
