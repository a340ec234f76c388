//! Lines of the tester, read by a thread of their own, for those who must not wait for the next one.

use std::{
    io::{self, BufRead},
    sync::mpsc::Sender,
    thread,
};

/// What may end a wait.
pub(crate) enum Event {
    /// The tester said something.
    Line(Vec<u8>),
    /// The tester is gone, or reading failed.
    End(io::Result<()>),
    /// There is something new to wait for.
    Wake,
}

/// Hands lines on as they come. The thread ends with the connection, or with the program: nothing is
/// left to be done for it.
pub(crate) fn listen(mut reader: impl BufRead + Send + 'static, events: Sender<Event>) {
    thread::spawn(move || {
        loop {
            let mut line = Vec::new();
            let event = match reader.read_until(b'\n', &mut line) {
                Ok(0) => Event::End(Ok(())),
                Ok(_) => Event::Line(line),
                Err(error) => Event::End(Err(error)),
            };
            let ended = matches!(event, Event::End(_));
            if events.send(event).is_err() || ended {
                return;
            }
        }
    });
}
