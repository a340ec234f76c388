//! A [`System`] as a program of its own: the system's side of the JSON-lines protocol.
//!
//! The tester says hello and chooses the clock. On the virtual one, this answers each message. On
//! the real one, outputs are sent when they are due; they come from [`System::advance`] with the
//! time that has passed since the reset.
//!
//! The guide (`docs/guide/adapters.md`) has the messages. Version 2 is spoken with a tester that offers
//! it, version 1 with others. Fields that are not known are ignored; a message that is not known, not
//! allowed yet, or wrong ends the service with an error, of which the tester is told.

use std::{
    error, fmt,
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, TcpStream, ToSocketAddrs},
    sync::mpsc::{self, RecvTimeoutError},
    time::Duration,
};

use serde_json::{Value as Json, json};

use crate::{
    Note, System,
    clock::Stopwatch,
    lines::{self, Event},
    message::{Message, Ports, Version},
    speaker::Speaker,
    tcp,
};

/// How often a system is asked that does not know when something happens.
const POLL: Duration = Duration::from_micros(500);

/// How long a system that connects looks for the next tester, unless it is said otherwise.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// Why a service ended early.
#[derive(Debug)]
pub enum ServeError {
    /// Reading or writing failed.
    Io(io::Error),
    /// The tester broke the rules of the protocol.
    Protocol(String),
    /// The system can not go on, or gave a value that can not be sent.
    System(String),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Protocol(text) => write!(f, "the tester broke the protocol: {text}"),
            Self::System(text) => write!(f, "the system can not go on: {text}"),
        }
    }
}

impl error::Error for ServeError {}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl ServeError {
    /// Tells the tester, unless it is gone.
    pub(crate) fn tell<W: Write>(self, speaker: &mut Speaker<W>) -> Self {
        if let Self::Protocol(text) | Self::System(text) = &self {
            // What went wrong first is what is returned.
            let _ = speaker.send(&json!({"error": text}));
        }
        self
    }
}

/// A message of the tester that is wrong.
pub(crate) fn wrong<T>(text: impl Into<String>) -> Result<T, ServeError> {
    Err(ServeError::Protocol(text.into()))
}

/// Serves a tester on stdin and stdout, until it says stop or is gone. Nothing else may be written
/// to stdout; what is written to stderr goes into the record of the run.
///
/// # Errors
/// If the tester breaks the rules, the system can not go on, or reading or writing fails.
pub fn stdio(system: impl System) -> Result<(), ServeError> {
    run(system, BufReader::new(io::stdin()), io::stdout())
}

/// Serves a tester over a connection, until it says stop or is gone.
///
/// # Errors
/// If the tester breaks the rules, the system can not go on, or reading or writing fails.
pub fn tcp(system: impl System, stream: TcpStream) -> Result<(), ServeError> {
    tcp::serve(&stream, |reader, writer| run(system, reader, writer))
}

/// Connects to a tester that listens and serves it; then connects again, until no tester listens for
/// as long as `patience` ([`PATIENCE`] is usual). So a tester may make several runs over a connection
/// each.
///
/// # Errors
/// If no tester ever listened, a tester breaks the rules, the system can not go on, or reading or writing
/// fails (a tester that just goes away is no error).
pub fn connect(
    mut system: impl System,
    address: impl ToSocketAddrs,
    patience: Duration,
) -> Result<(), ServeError> {
    tcp::connect(address, patience, |stream| tcp(&mut system, stream))
}

/// Listens, and serves testers one after the other, for ever. What goes wrong with one of them is told on
/// stderr.
///
/// # Errors
/// If connections can not be accepted.
pub fn listen(mut system: impl System, listener: &TcpListener) -> Result<(), ServeError> {
    tcp::listen(listener, |stream| tcp(&mut system, stream))
}

/// Serves a tester, until it says stop or is gone.
///
/// # Errors
/// If the tester breaks the rules, the system can not go on, or reading or writing fails.
pub fn run(
    system: impl System,
    mut reader: impl BufRead + Send + 'static,
    writer: impl Write,
) -> Result<(), ServeError> {
    let mut service =
        Service { system, speaker: Speaker::new(writer), is_virtual: true, watch: None };
    let mut line = Vec::new();
    if reader.read_until(b'\n', &mut line)? == 0 {
        return Ok(());
    }
    let end = match service.greet(&line) {
        Ok(Then::Stop) => Ok(()),
        Ok(Then::GoOn) if service.is_virtual => service.on_virtual_clock(reader),
        Ok(Then::GoOn) => service.on_real_clock(reader),
        Err(error) => Err(error),
    };
    end.map_err(|error| error.tell(&mut service.speaker))
}

/// What follows after a message.
pub(crate) enum Then {
    GoOn,
    Stop,
}

struct Service<S, W> {
    system: S,
    speaker: Speaker<W>,
    is_virtual: bool,
    /// Runs since the last reset; none before the first one.
    watch: Option<Stopwatch>,
}

impl<S: System, W: Write> Service<S, W> {
    fn greet(&mut self, line: &[u8]) -> Result<Then, ServeError> {
        match Message::parse(line, Version::One).map_err(ServeError::Protocol)? {
            Message::Hello { version, virtual_clock } => {
                self.is_virtual = virtual_clock;
                self.speaker.version = version;
                self.speaker.welcome(self.system.can())?;
                Ok(Then::GoOn)
            }
            Message::Stop => Ok(Then::Stop),
            _ => wrong("the first message must be hello"),
        }
    }

    fn on_virtual_clock(&mut self, mut reader: impl BufRead) -> Result<(), ServeError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            if let Then::Stop = self.take(&line)? {
                return Ok(());
            }
        }
    }

    fn on_real_clock(&mut self, reader: impl BufRead + Send + 'static) -> Result<(), ServeError> {
        let (sender, events) = mpsc::channel();
        lines::listen(reader, sender);
        loop {
            self.send_due_outputs()?;
            let event = match self.patience() {
                Some(patience) => events.recv_timeout(patience),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Line(line)) => {
                    if let Then::Stop = self.take(&line)? {
                        return Ok(());
                    }
                }
                Ok(Event::End(end)) => return Ok(end?),
                Ok(Event::Wake) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    /// Does what a line says, and answers it.
    fn take(&mut self, line: &[u8]) -> Result<Then, ServeError> {
        let message = Message::parse(line, self.speaker.version).map_err(ServeError::Protocol)?;
        match message {
            Message::Stop => return Ok(Then::Stop),
            Message::Reset(number) => {
                self.system.reset();
                self.watch = Some(Stopwatch::start());
                self.answer(&json!({"ready": number}))?;
            }
            Message::Hello { .. } => return wrong("hello came twice"),
            _ if self.watch.is_none() => return wrong("a reset must come first"),
            Message::Wait(_) if !self.is_virtual => {
                return wrong("nobody waits by message on the real clock");
            }
            Message::Wait(until_ns) => match self.system.advance(until_ns) {
                Some(output) => {
                    let output =
                        self.speaker.output(&output.name, &output.values, Some(output.at_ns));
                    self.answer(&output.map_err(ServeError::System)?)?;
                }
                None => self.answer(&json!({"quiet": until_ns}))?,
            },
            Message::Input { name, values, at_ns } => {
                let at_ns = self.instant(at_ns)?;
                self.system.input(at_ns, &name, &values);
                self.done(at_ns)?;
            }
            Message::Set { ports, at_ns } => {
                let at_ns = self.instant(at_ns)?;
                self.set(at_ns, &ports)?;
                self.done(at_ns)?;
            }
            Message::Step { number, ports, at_ns } => {
                let at_ns = self.instant(at_ns)?;
                self.set(at_ns, &ports)?;
                let Some(outputs) = self.system.step(at_ns) else {
                    return self.refused("this system takes no steps");
                };
                let outputs = self.speaker.ports(&outputs).map_err(ServeError::System)?;
                self.answer(&json!({"stepped": outputs, "step": number, "at": at_ns}))?;
            }
            Message::Read { names, at_ns } => {
                let at_ns = self.instant(at_ns)?;
                let mut values = Vec::with_capacity(names.len());
                for name in names {
                    let Some(value) = self.system.read(at_ns, &name) else {
                        return self.refused(format!("`{name}` can not be read"));
                    };
                    values.push((name, value));
                }
                let values = self.speaker.ports(&values).map_err(ServeError::System)?;
                self.answer(&json!({"values": values, "at": at_ns}))?;
            }
        }
        Ok(Then::GoOn)
    }

    /// When a message is taken: on the virtual clock when it says, on the real one now, after what is due.
    fn instant(&mut self, at_ns: Option<u64>) -> Result<u64, ServeError> {
        match (self.is_virtual, at_ns) {
            (true, Some(at_ns)) => Ok(at_ns),
            (true, None) => wrong("`at` is missing, the instant of the virtual clock"),
            (false, _) => self.send_due_outputs(),
        }
    }

    fn set(&mut self, at_ns: u64, ports: &Ports) -> Result<(), ServeError> {
        for (name, value) in ports {
            if !self.system.set(at_ns, name, value) {
                return self.refused(format!("there is no input port `{name}`"));
            }
        }
        Ok(())
    }

    /// Lets the system come to the present; the instant that it came to.
    fn send_due_outputs(&mut self) -> Result<u64, ServeError> {
        let Some(watch) = self.watch else { return Ok(0) };
        loop {
            let now_ns = watch.now_ns();
            let Some(output) = self.system.advance(now_ns) else {
                self.send_notes()?;
                return Ok(now_ns);
            };
            // Version 1 has no time stamps on the real clock.
            let at_ns = (self.speaker.version == Version::Two).then_some(output.at_ns);
            let output = self.speaker.output(&output.name, &output.values, at_ns);
            self.answer(&output.map_err(ServeError::System)?)?;
        }
    }

    /// How long nothing will happen by itself.
    fn patience(&self) -> Option<Duration> {
        let watch = self.watch?;
        self.system.next_ns().map(|at_ns| match at_ns {
            0 => POLL,
            _ => watch.until(at_ns),
        })
    }

    /// On the real clock, only questions are answered.
    fn done(&mut self, at_ns: u64) -> Result<(), ServeError> {
        match self.is_virtual {
            true => self.answer(&json!({"done": at_ns})),
            false => self.send_notes(),
        }
    }

    /// The system did not do what it was asked for: for a reason of its own, or because it can not.
    fn refused<T>(&mut self, text: impl Into<String>) -> Result<T, ServeError> {
        self.send_notes()?;
        wrong(text)
    }

    fn answer(&mut self, message: &Json) -> Result<(), ServeError> {
        self.send_notes()?;
        Ok(self.speaker.send(message)?)
    }

    fn send_notes(&mut self) -> Result<(), ServeError> {
        while let Some(note) = self.system.note() {
            match note {
                Note::Log(text) => self.speaker.send(&json!({"log": text}))?,
                Note::Error(text) => return Err(ServeError::System(text)),
            }
        }
        Ok(())
    }
}
