//! Events on the wire: reading them, and acknowledging them on virtual time.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::TcpStream,
    sync::{Arc, Mutex, PoisonError, mpsc::SyncSender},
    time::{Duration, Instant},
};

use super::{configure::integer, service::Run};
use crate::{clock, process::is_stopped, wire::is_stuck};

/// How many values an event may have: more are not meant.
const VALUES_MAX: u16 = 1024;

/// What acknowledges one event on virtual time.
const ACKNOWLEDGEMENT: [u8; 4] = [0x80, 0, 0, 1];

/// So often somebody who waits for bytes looks whether the user wants no more.
const LOOK: Duration = Duration::from_millis(100);

/// What comes over the wire after the start.
#[derive(Debug)]
pub(super) enum RawEvent {
    Event { channel: i32, values: Vec<i32> },
    TooLong { channel: i32, n_values: u16 },
    Acknowledgement { n_events: u64 },
}

/// A stream that gives up at a deadline.
pub(super) struct Patient<'s> {
    pub(super) stream: &'s TcpStream,
    pub(super) deadline: Instant,
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let patience = clock::until(self.deadline);
            if patience.is_zero() || is_stopped() {
                return Err(ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(patience.clamp(Duration::from_millis(1), LOOK)))?;
            match self.stream.read(buffer) {
                Err(error) if is_stuck(&error) => {}
                read => return read,
            }
        }
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Reads until the connection ends. On virtual time, the tester hears of an event (and time stands
/// still) before it is acknowledged.
pub(super) fn read_events(
    mut reader: impl Read,
    sender: &SyncSender<(Instant, io::Result<RawEvent>)>,
    acknowledging: Option<(Arc<Run>, Arc<Mutex<TcpStream>>)>,
) {
    loop {
        let event = read_event(&mut reader);
        if let (Some((run, _)), Ok(RawEvent::Acknowledgement { n_events })) =
            (&acknowledging, &event)
        {
            run.acknowledge(*n_events);
            continue;
        }
        let last = !matches!(event, Ok(RawEvent::Event { .. }));
        let heard = sender.send((clock::now(), event)).is_ok();
        if let Some((run, writer)) = &acknowledging {
            run.interrupt();
            if last {
                run.close();
            } else {
                let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
                // If the adapter is gone, reading will tell.
                let _ = writer.write_all(&ACKNOWLEDGEMENT);
            }
        }
        if last || !heard {
            return;
        }
    }
}

fn read_event(reader: &mut impl Read) -> io::Result<RawEvent> {
    let channel = integer(reader)?;
    // An acknowledgement has the uppermost bit set.
    if channel < 0 {
        let n_events = u64::from(channel.cast_unsigned() & 0x7fff_ffff);
        return Ok(RawEvent::Acknowledgement { n_events });
    }
    let mut n_values = [0; 2];
    reader.read_exact(&mut n_values)?;
    let n_values = u16::from_be_bytes(n_values);
    if n_values > VALUES_MAX {
        return Ok(RawEvent::TooLong { channel, n_values });
    }
    let values: io::Result<Vec<i32>> = (0..n_values).map(|_| integer(reader)).collect();
    Ok(RawEvent::Event { channel, values: values? })
}
