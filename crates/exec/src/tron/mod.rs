//! An adapter that was made for UPPAAL TRON, over that tool's socket protocol.
//!
//! The tester takes the place of TRON: it listens or connects; the adapter names its channels,
//! variables, time unit and time-out (`configure`); then events go both ways, on the real clock. As
//! the protocol knows no reset, each reset closes the connection and opens a new one: an adapter
//! that listens must accept again, one that connects must connect again.
//!
//! Follows sections 7.2 of the manual of 2009 and its Java client where the two differ (both forms
//! of the time unit are understood). `DIFFERENCE`: the test interface is the tester's; what the
//! adapter names must agree with it.
//!
//! Not here: virtual time, which needs TRON's clock service (7.3). An adapter that insists on it
//! sends acknowledgements, and gets an error that says so.

mod configure;

use std::{
    io::{self, BufReader, ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    },
    thread,
    time::{Duration, Instant},
};

use punctual_model::{Action, Id, Interface, SignalId};

use crate::{
    Clock, Endpoint, Handover, Limits, Seen, Sut, SutError, Timekeeping, clock,
    direct::{SECOND_NS, flood},
    limits::Flood,
    signals::Signals,
    wire::is_stuck,
};
use configure::{Configuration, Disagreement, integer};

/// How many events may wait to be read.
const BACKLOG: usize = 4096;

/// How many values an event may have: more are not meant.
const VALUES_MAX: u16 = 1024;

/// What an adapter set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TronSettings {
    /// How long a time unit is, in microseconds.
    pub unit_us: Option<u64>,
    /// How long a test takes, in time units.
    pub timeout_units: Option<i32>,
}

/// A system behind a TRON adapter, on the real clock.
pub struct Tron {
    endpoint: Endpoint,
    signals: Signals,
    interface: Arc<Interface>,
    limits: Limits,
    clock: Clock,
    /// None before the first reset and after an error.
    open: Option<Connection>,
    settings: TronSettings,
    flood: Flood,
    /// The last instant of which the tester knows all that happened.
    known_ns: u64,
}

struct Connection {
    stream: TcpStream,
    events: Receiver<(Instant, io::Result<RawEvent>)>,
    configuration: Configuration,
}

#[derive(Debug)]
enum RawEvent {
    Event { channel: i32, values: Vec<i32> },
    TooLong { channel: i32, n_values: u16 },
    Acknowledgement,
}

impl Tron {
    /// The adapter behind an interface. It is reached by the first reset.
    #[must_use]
    pub fn new(endpoint: Endpoint, interface: Arc<Interface>, limits: Limits) -> Self {
        Self {
            endpoint,
            signals: Signals::new(Arc::clone(&interface)),
            interface,
            limits,
            clock: Clock::start(Timekeeping::Real),
            open: None,
            settings: TronSettings::default(),
            flood: Flood::default(),
            known_ns: 0,
        }
    }

    /// What the adapter set when it was reached last.
    #[must_use]
    pub fn settings(&self) -> TronSettings {
        self.settings
    }

    fn connect(&self) -> Result<Connection, SutError> {
        let stream = self.endpoint.stream(&self.limits)?;
        let io = |error: io::Error| SutError::Io {
            doing: "prepare the connection".into(),
            reason: error.to_string(),
        };
        let mut patient = Patient { stream: &stream, deadline: clock::within(self.limits.start) };
        let configuration = Configuration::agree(&self.interface, &mut patient)
            .map_err(|error| self.not_agreed(error))?;
        stream.set_read_timeout(None).map_err(io)?;
        let (sender, events) = mpsc::sync_channel(BACKLOG);
        let reader = BufReader::new(stream.try_clone().map_err(io)?);
        let read = move || read_events(reader, &sender);
        thread::Builder::new().name("tron".into()).spawn(read).map_err(io)?;
        Ok(Connection { stream, events, configuration })
    }

    fn not_agreed(&self, error: Disagreement) -> SutError {
        let doing = "name its channels and start";
        match error {
            Disagreement::Io(_, Some(told)) => SutError::Protocol {
                found: "the adapter gave up before the start".into(),
                expected: format!("it was told: {told}"),
            },
            Disagreement::Io(error, None) if is_stuck(&error) => SutError::Hung {
                doing: doing.into(),
                waited: self.limits.start,
                stderr: Vec::new(),
            },
            Disagreement::Io(..) => {
                SutError::Disconnected { doing: doing.into(), stderr: Vec::new() }
            }
            Disagreement::Unknown(request) => SutError::Protocol {
                found: format!("the adapter sent request {request} before the start"),
                expected: "requests are 1 to 6, 64 and 127".into(),
            },
            Disagreement::Start(reason) => SutError::Protocol {
                found: "the adapter asked to start too early".into(),
                expected: reason,
            },
        }
    }

    /// After an error the connection is closed.
    fn guarded<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, SutError>,
    ) -> Result<T, SutError> {
        let outcome = act(self);
        if outcome.is_err() {
            self.open = None;
        }
        outcome
    }

    fn hand_over(&mut self, action: &Action) -> Result<Handover, SutError> {
        let open = self.open.as_mut().ok_or(SutError::NotReset)?;
        let values = open.configuration.to_wire(action.signal, &action.values);
        let mut bytes = Configuration::number(action.signal).to_be_bytes().to_vec();
        let n_values = u16::try_from(values.len()).unwrap_or(u16::MAX);
        bytes.extend(n_values.to_be_bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_be_bytes()));
        let from_ns = self.clock.now_ns();
        match open.stream.write_all(&bytes) {
            Ok(()) => Ok(Handover { from_ns, to_ns: self.clock.now_ns() }),
            Err(error) if is_stuck(&error) => Err(SutError::Hung {
                doing: "read an input".into(),
                waited: self.limits.answer,
                stderr: Vec::new(),
            }),
            Err(_) => {
                Err(SutError::Disconnected { doing: "read an input".into(), stderr: Vec::new() })
            }
        }
    }

    fn wait_until(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        let open = self.open.as_mut().ok_or(SutError::NotReset)?;
        let deadline = self.clock.deadline(until_ns);
        let event = match open.events.recv_timeout(clock::until(deadline)) {
            Ok(event) => Some(event),
            // It may have come while this thread woke up.
            Err(RecvTimeoutError::Timeout) => open.events.try_recv().ok(),
            Err(RecvTimeoutError::Disconnected) => {
                Some((clock::now(), Err(ErrorKind::UnexpectedEof.into())))
            }
        };
        let Some((at, event)) = event else {
            self.known_ns = self.known_ns.max(until_ns);
            return Ok(Seen::Quiet);
        };
        let doing = || "wait for its next input".to_owned();
        let event =
            event.map_err(|_| SutError::Disconnected { doing: doing(), stderr: Vec::new() })?;
        let action = self.action(event)?;
        let at_ns = self.clock.at_ns(at).max(self.known_ns);
        self.known_ns = at_ns;
        let limit = self.limits.outputs_per_second;
        match self.flood.count(at_ns, SECOND_NS, limit) {
            true => Err(flood(limit, SECOND_NS)),
            false => Ok(Seen::Output { action, at_ns }),
        }
    }

    fn action(&self, event: RawEvent) -> Result<Action, SutError> {
        let (channel, values) = match event {
            RawEvent::Event { channel, values } => (channel, values),
            RawEvent::TooLong { channel, n_values } => {
                return Err(SutError::Protocol {
                    found: format!("an event of channel {channel} came with {n_values} values"),
                    expected: "is something else sent where an event should start?".into(),
                });
            }
            RawEvent::Acknowledgement => {
                return Err(SutError::Unsupported {
                    what: "the adapter acknowledges events, so it runs on virtual time".into(),
                    help: "only the real clock is supported for TRON adapters".into(),
                });
            }
        };
        let index = usize::try_from(channel).ok().and_then(|number| number.checked_sub(1));
        let id = index.filter(|index| *index < self.interface.signals.len());
        let Some(id) = id.map(SignalId::from_index) else {
            return Err(SutError::Protocol {
                found: format!("an event of channel {channel} came"),
                expected: "the adapter was not given that number".into(),
            });
        };
        let open = self.open.as_ref().ok_or(SutError::NotReset)?;
        let values = open.configuration.to_interface(id, values);
        self.signals.output(&self.interface.signals[id].name, values)
    }
}

impl Sut for Tron {
    fn reset(&mut self) -> Result<(), SutError> {
        self.open = None;
        let open = self.connect()?;
        self.settings = open.configuration.settings;
        self.open = Some(open);
        self.flood = Flood::default();
        self.known_ns = 0;
        self.clock = Clock::start(Timekeeping::Real);
        Ok(())
    }

    fn now_ns(&mut self) -> u64 {
        self.clock.now_ns()
    }

    fn input(&mut self, action: &Action) -> Result<Handover, SutError> {
        self.signals.input(action)?;
        self.guarded(|this| this.hand_over(action))
    }

    fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        self.guarded(|this| this.wait_until(until_ns))
    }

    fn is_virtual(&self) -> bool {
        false
    }

    fn stop(&mut self) {
        self.open = None;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The reading thread sees the end, too.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// A stream that gives up at a deadline.
struct Patient<'s> {
    stream: &'s TcpStream,
    deadline: Instant,
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let patience = clock::until(self.deadline);
        if patience.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(patience.max(Duration::from_millis(1))))?;
        self.stream.read(buffer)
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

fn read_events(mut reader: impl Read, sender: &SyncSender<(Instant, io::Result<RawEvent>)>) {
    loop {
        let event = read_event(&mut reader);
        let last = !matches!(event, Ok(RawEvent::Event { .. }));
        if sender.send((clock::now(), event)).is_err() || last {
            return;
        }
    }
}

fn read_event(reader: &mut impl Read) -> io::Result<RawEvent> {
    let channel = integer(reader)?;
    // An acknowledgement has the uppermost bit set.
    if channel < 0 {
        return Ok(RawEvent::Acknowledgement);
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
