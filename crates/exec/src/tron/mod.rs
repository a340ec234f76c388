//! An adapter that was made for UPPAAL TRON, over that tool's socket protocol.
//!
//! The tester takes the place of TRON: it listens or connects; the adapter names its channels,
//! variables, time unit and time-out (`configure`); then events go both ways. On virtual time the
//! threads of the adapter live by a clock service (`service`, `time`), and each event is
//! acknowledged. As the protocol knows no reset, each reset closes the connection and opens a new one: an adapter
//! that listens must accept again, one that connects must connect again.
//!
//! Follows the manual of 2009, and the published Java client where the two differ (both forms of the
//! time unit are understood; a timed wait is call 10). `DIFFERENCE`: the test interface is the tester's; what the
//! adapter names must agree with it.
//!
//! Not here: TRON's C interface (shared libraries with `adapter_new`).

mod configure;
mod events;
mod service;
mod time;

use std::{
    io::{self, BufReader, Write},
    net::TcpListener,
    net::{Shutdown, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, TryRecvError},
    },
    thread,
    time::Instant,
};

use punctual_model::{Action, Id, Interface, SignalId};

use crate::{
    Clock, Endpoint, Handover, Limits, Seen, Sut, SutError, Timekeeping, clock,
    direct::{SECOND_NS, flood},
    limits::Flood,
    process::is_stopped,
    signals::Signals,
    wire::is_stuck,
};
use configure::{Configuration, Disagreement};
use events::{Patient, RawEvent, read_events};
use service::{Run, Service, Woken};

/// How many events may wait to be read.
const BACKLOG: usize = 4096;

/// What an adapter set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TronSettings {
    /// How long a time unit is, in microseconds.
    pub unit_us: Option<u64>,
    /// How long a test takes, in time units.
    pub timeout_units: Option<i32>,
}

/// A system behind a TRON adapter.
pub struct Tron {
    endpoint: Endpoint,
    signals: Signals,
    interface: Arc<Interface>,
    limits: Limits,
    clock: Clock,
    /// The clock of the adapter's threads, on virtual time.
    service: Option<Service>,
    /// None before the first reset and after an error.
    open: Option<Connection>,
    settings: TronSettings,
    flood: Flood,
    /// The last instant of which the tester knows all that happened.
    known_ns: u64,
}

struct Connection {
    stream: TcpStream,
    /// The reading thread writes acknowledgements.
    writer: Arc<Mutex<TcpStream>>,
    events: Receiver<(Instant, io::Result<RawEvent>)>,
    configuration: Configuration,
    /// On virtual time.
    run: Option<Arc<Run>>,
    n_inputs: u64,
}

impl Tron {
    /// The adapter behind an interface, on the real clock. It is reached by the first reset.
    #[must_use]
    pub fn new(endpoint: Endpoint, interface: Arc<Interface>, limits: Limits) -> Self {
        Self {
            endpoint,
            signals: Signals::new(Arc::clone(&interface)),
            interface,
            limits,
            clock: Clock::start(Timekeeping::Real),
            service: None,
            open: None,
            settings: TronSettings::default(),
            flood: Flood::default(),
            known_ns: 0,
        }
    }

    /// The same on virtual time: the adapter's threads find their clock at the listener, whose port
    /// is 6521 by custom.
    ///
    /// # Errors
    /// If the clock service can not be started.
    pub fn with_clock_service(mut self, listener: TcpListener) -> Result<Self, SutError> {
        let service = Service::start(listener).map_err(|error| SutError::NotStarted {
            what: "the clock service".into(),
            reason: error.to_string(),
        })?;
        self.service = Some(service);
        Ok(self)
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
            .map_err(|error| self.not_agreed(error).not_ready())?;
        stream.set_read_timeout(None).map_err(io)?;
        let (sender, events) = mpsc::sync_channel(BACKLOG);
        let reader = BufReader::new(stream.try_clone().map_err(io)?);
        let writer = Arc::new(Mutex::new(stream.try_clone().map_err(io)?));
        let run = self.service.as_ref().map(Service::run);
        let acknowledging = run.clone().map(|run| (run, Arc::clone(&writer)));
        let read = move || read_events(reader, &sender, acknowledging);
        thread::Builder::new().name("tron".into()).spawn(read).map_err(io)?;
        Ok(Connection { stream, writer, events, configuration, run, n_inputs: 0 })
    }

    fn not_agreed(&self, error: Disagreement) -> SutError {
        let doing = "name its channels and start";
        match error {
            _ if is_stopped() => SutError::Stopped { doing: doing.into() },
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
            Disagreement::Wrong(n_wrong, told) => SutError::Protocol {
                found: format!("more than {n_wrong} requests of the adapter were wrong"),
                expected: format!("it was told: {told}"),
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
            self.close();
        }
        outcome
    }

    fn close(&mut self) {
        let was_open = self.open.take().is_some();
        if let (Some(service), true) = (&self.service, was_open) {
            service.restart();
        }
    }

    fn hand_over(&mut self, action: &Action) -> Result<Handover, SutError> {
        let open = self.open.as_mut().ok_or(SutError::NotReset)?;
        let ints: Option<Vec<i32>> = action.values.iter().map(|value| value.as_slot()).collect();
        let ints =
            ints.ok_or_else(|| SutError::cannot("take values that are no integers of 32 bits"))?;
        let values = open.configuration.to_wire(action.signal, &ints);
        let mut bytes = Configuration::number(action.signal).to_be_bytes().to_vec();
        let n_values = u16::try_from(values.len()).unwrap_or(u16::MAX);
        bytes.extend(n_values.to_be_bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_be_bytes()));
        let now_ns = |clock: &Clock, run: &Option<Arc<Run>>| match run {
            Some(run) => run.now_ns(),
            None => clock.now_ns(),
        };
        let from_ns = now_ns(&self.clock, &open.run);
        let hung = |doing: &str| SutError::Hung {
            doing: doing.into(),
            waited: self.limits.answer,
            stderr: Vec::new(),
        };
        let sent = open.writer.lock().unwrap_or_else(PoisonError::into_inner).write_all(&bytes);
        match sent {
            Ok(()) => {}
            Err(error) if is_stuck(&error) => return Err(hung("read an input")),
            Err(_) => return Err(gone("read an input")),
        }
        open.n_inputs += 1;
        if let Some(run) = &open.run {
            let deadline = clock::within(self.limits.answer);
            if !run.await_acknowledgement(open.n_inputs, deadline) {
                let doing = "acknowledge an input";
                return Err(match clock::until(deadline).is_zero() {
                    _ if is_stopped() => SutError::Stopped { doing: doing.into() },
                    true => hung(doing),
                    false => gone(doing),
                });
            }
        }
        Ok(Handover { from_ns, to_ns: now_ns(&self.clock, &open.run) })
    }

    fn wait_real(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        let open = self.open.as_mut().ok_or(SutError::NotReset)?;
        let deadline = self.clock.deadline(until_ns);
        let event = match open.events.recv_timeout(clock::until(deadline)) {
            Ok(event) => Some(event),
            // It may have come while this thread woke up.
            Err(RecvTimeoutError::Timeout) => open.events.try_recv().ok(),
            Err(RecvTimeoutError::Disconnected) => return Err(gone("wait for its next input")),
        };
        let Some((at, event)) = event else {
            self.known_ns = self.known_ns.max(until_ns);
            return Ok(Seen::Quiet);
        };
        let at_ns = self.clock.at_ns(at).max(self.known_ns);
        self.seen(event, at_ns, SECOND_NS, self.limits.outputs_per_second)
    }

    fn wait_virtual(&mut self, run: &Run, until_ns: u64) -> Result<Seen, SutError> {
        let until_ns = until_ns.max(run.now_ns());
        let mut waited = false;
        loop {
            let open = self.open.as_mut().ok_or(SutError::NotReset)?;
            let n_interrupts = run.n_interrupts();
            match open.events.try_recv() {
                Ok((_, event)) => {
                    let limit = self.limits.outputs_at_one_instant;
                    return self.seen(event, run.now_ns(), 0, limit);
                }
                Err(TryRecvError::Disconnected) => return Err(gone("let time pass")),
                Err(TryRecvError::Empty) if waited && run.now_ns() >= until_ns => {
                    return Ok(Seen::Quiet);
                }
                Err(TryRecvError::Empty) => {}
            }
            match run.wait(until_ns, n_interrupts, self.limits.answer) {
                Woken::Active => waited = run.n_interrupts() == n_interrupts,
                Woken::Stuck(threads) => {
                    return Err(SutError::Hung {
                        doing: format!("let time pass (active: {})", threads.join(", ")),
                        waited: self.limits.answer,
                        stderr: Vec::new(),
                    });
                }
                Woken::Stopped => return Err(SutError::Stopped { doing: "let time pass".into() }),
                Woken::Busy => {
                    return Err(SutError::Protocol {
                        found: "threads call the clock service without end at one instant".into(),
                        expected: "time must pass".into(),
                    });
                }
            }
        }
    }

    fn seen(
        &mut self,
        event: io::Result<RawEvent>,
        at_ns: u64,
        window_ns: u64,
        limit: u64,
    ) -> Result<Seen, SutError> {
        let event = event.map_err(|_| gone("wait for its next input"))?;
        let action = self.action(event)?;
        self.known_ns = at_ns;
        match self.flood.count(at_ns, window_ns, limit) {
            true => Err(flood(limit, window_ns)),
            false => Ok(Seen::Output { action, at_ns, device_ns: None }),
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
            RawEvent::Acknowledgement { .. } => {
                return Err(SutError::Unsupported {
                    what: "the adapter acknowledges events, so it runs on virtual time".into(),
                    help: "give it a clock service, or let it run on the real clock".into(),
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
        self.signals.output_of_ints(&self.interface.signals[id].name, &values)
    }
}

impl Sut for Tron {
    fn reset(&mut self) -> Result<(), SutError> {
        self.close();
        let open = match self.connect() {
            // An adapter may have come while nobody tested, and gone since: the next one counts.
            Err(SutError::NotReady(gone))
                if matches!(*gone, SutError::Disconnected { .. })
                    && matches!(self.endpoint, Endpoint::Listen(_)) =>
            {
                self.connect().map_err(|error| match error {
                    stopped @ SutError::Stopped { .. } => stopped,
                    _ => gone.not_ready(),
                })?
            }
            opened => opened?,
        };
        self.settings = open.configuration.settings;
        self.open = Some(open);
        self.flood = Flood::default();
        self.known_ns = 0;
        self.clock = Clock::start(Timekeeping::Real);
        Ok(())
    }

    fn now_ns(&mut self) -> u64 {
        match &self.service {
            Some(service) => service.run().now_ns(),
            None => self.clock.now_ns(),
        }
    }

    fn input(&mut self, action: &Action) -> Result<Handover, SutError> {
        self.signals.input(action)?;
        self.guarded(|this| this.hand_over(action))
    }

    fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        self.guarded(|this| {
            let open = this.open.as_ref().ok_or(SutError::NotReset)?;
            match open.run.clone() {
                Some(run) => this.wait_virtual(&run, until_ns),
                None => this.wait_real(until_ns),
            }
        })
    }

    fn is_virtual(&self) -> bool {
        self.service.is_some()
    }

    fn stop(&mut self) {
        self.close();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The reading thread sees the end, too.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

fn gone(doing: &str) -> SutError {
    SutError::Disconnected { doing: doing.into(), stderr: Vec::new() }
}
