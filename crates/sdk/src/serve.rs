//! A [`System`] as a program of its own: the system's side of the JSON-lines protocol.
//!
//! The tester says hello and chooses the clock. On the virtual one, this answers each message. On
//! the real one, outputs are sent when they are due; they come from [`System::advance`] with the
//! time that has passed since the reset.
//!
//! The guide (`docs/guide/adapters.md`) has the messages. Fields that are not known are ignored;
//! a message that is not known, or not allowed yet, ends the service with an error, of which the
//! tester is told.

use std::{
    error, fmt,
    io::{self, BufRead, BufReader, Write},
    net::TcpStream,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use serde_json::{Value as Json, json};

use crate::{Output, System, Value, clock::Stopwatch};

/// How often a system is asked that does not know when something happens.
const POLL: Duration = Duration::from_micros(500);

/// Why a service ended early.
#[derive(Debug)]
pub enum ServeError {
    /// Reading or writing failed.
    Io(io::Error),
    /// The tester broke the rules of the protocol.
    Protocol(String),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Protocol(text) => write!(f, "the tester broke the protocol: {text}"),
        }
    }
}

impl error::Error for ServeError {}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Serves a tester on stdin and stdout, until it says stop or is gone. Nothing else may be written
/// to stdout; what is written to stderr is shown when something goes wrong.
///
/// # Errors
/// If the tester breaks the rules, or reading or writing fails.
pub fn stdio(system: impl System) -> Result<(), ServeError> {
    run(system, BufReader::new(io::stdin()), io::stdout())
}

/// Serves a tester over a connection, until it says stop or is gone.
///
/// # Errors
/// If the tester breaks the rules, or reading or writing fails.
pub fn tcp(system: impl System, stream: TcpStream) -> Result<(), ServeError> {
    stream.set_nodelay(true)?;
    run(system, BufReader::new(stream.try_clone()?), stream)
}

/// Serves a tester, until it says stop or is gone.
///
/// # Errors
/// If the tester breaks the rules, or reading or writing fails.
pub fn run(
    system: impl System,
    mut reader: impl BufRead + Send + 'static,
    writer: impl Write,
) -> Result<(), ServeError> {
    let mut service = Service { system, writer, watch: None, is_reset: false };
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(());
    }
    let virtual_clock = match Message::parse(&line) {
        Ok(Message::Hello { virtual_clock }) => virtual_clock,
        Ok(Message::Stop) => return Ok(()),
        Ok(_) => return service.refuse("the first message must be hello"),
        Err(text) => return service.refuse(&text),
    };
    service.send(&json!({"ready": 0}))?;
    if virtual_clock { service.on_virtual_clock(reader) } else { service.on_real_clock(reader) }
}

enum Message {
    Hello { virtual_clock: bool },
    Reset(u64),
    Input { name: String, values: Vec<Value>, at_ns: u64 },
    Wait(u64),
    Stop,
}

impl Message {
    fn parse(line: &str) -> Result<Self, String> {
        let value: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let instant = |value: &Json, what: &str| {
            value.as_u64().ok_or_else(|| format!("`{what}` must be a whole number of nanoseconds"))
        };
        if let Some(hello) = value.get("hello") {
            match hello.get("protocol").and_then(Json::as_u64) {
                Some(1) => {}
                _ => return Err("only protocol 1 is known here".into()),
            }
            match hello.get("clock").and_then(Json::as_str) {
                Some("virtual") => Ok(Self::Hello { virtual_clock: true }),
                Some("real") => Ok(Self::Hello { virtual_clock: false }),
                _ => Err("`clock` must be `real` or `virtual`".into()),
            }
        } else if let Some(number) = value.get("reset") {
            number.as_u64().map(Self::Reset).ok_or_else(|| "`reset` must be a number".into())
        } else if let Some(name) = value.get("input") {
            let name = name.as_str().ok_or("`input` must be a name")?.to_owned();
            let none = Vec::new();
            let values = value.get("values").and_then(Json::as_array).unwrap_or(&none);
            let values: Option<Vec<Value>> = values.iter().map(Value::of_json).collect();
            let values = values.ok_or("`values` must be numbers, truth values or texts")?;
            let at_ns = value.get("at").map_or(Ok(0), |at| instant(at, "at"))?;
            Ok(Self::Input { name, values, at_ns })
        } else if let Some(until) = value.get("wait") {
            Ok(Self::Wait(instant(until, "wait")?))
        } else if value.get("stop").is_some() {
            Ok(Self::Stop)
        } else {
            Err("a message that is not known".into())
        }
    }
}

struct Service<S, W> {
    system: S,
    writer: W,
    /// Runs since the last reset, on the real clock.
    watch: Option<Stopwatch>,
    is_reset: bool,
}

impl<S: System, W: Write> Service<S, W> {
    fn on_virtual_clock(mut self, mut reader: impl BufRead) -> Result<(), ServeError> {
        let mut line = String::new();
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            match Message::parse(&line) {
                Ok(Message::Reset(number)) => self.reset(number)?,
                Ok(Message::Stop) => return Ok(()),
                Ok(_) if !self.is_reset => return self.refuse("a reset must come first"),
                Ok(Message::Input { name, values, at_ns }) => {
                    self.system.input(at_ns, &name, &values);
                    self.send(&json!({"done": at_ns}))?;
                }
                Ok(Message::Wait(until_ns)) => match self.system.advance(until_ns) {
                    Some(output) => self.output(&output, true)?,
                    None => self.send(&json!({"quiet": until_ns}))?,
                },
                Ok(Message::Hello { .. }) => return self.refuse("hello came twice"),
                Err(text) => return self.refuse(&text),
            }
        }
    }

    fn on_real_clock(
        mut self,
        mut reader: impl BufRead + Send + 'static,
    ) -> Result<(), ServeError> {
        let (sender, lines) = mpsc::channel();
        // Ends with the connection, or with the program: nothing is left to be done for it.
        thread::spawn(move || {
            loop {
                let mut line = String::new();
                match reader.read_line(&mut line) {
                    Ok(0) => return,
                    read => {
                        let failed = read.is_err();
                        if sender.send(read.map(|_| line)).is_err() || failed {
                            return;
                        }
                    }
                }
            }
        });
        loop {
            let (now_ns, patience) = self.send_due_outputs()?;
            let line = match patience {
                Some(patience) => lines.recv_timeout(patience),
                None => lines.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let line = match line {
                Ok(line) => line?,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            match Message::parse(&line) {
                Ok(Message::Reset(number)) => self.reset(number)?,
                Ok(Message::Stop) => return Ok(()),
                Ok(_) if !self.is_reset => return self.refuse("a reset must come first"),
                Ok(Message::Input { name, values, .. }) => {
                    let now_ns = self.send_due_outputs()?.0.max(now_ns);
                    self.system.input(now_ns, &name, &values);
                }
                Ok(Message::Wait(_)) => {
                    return self.refuse("nobody waits by message on the real clock");
                }
                Ok(Message::Hello { .. }) => return self.refuse("hello came twice"),
                Err(text) => return self.refuse(&text),
            }
        }
    }

    /// Lets the system come to the present; the instant that it came to, and how long nothing
    /// will happen by itself.
    fn send_due_outputs(&mut self) -> Result<(u64, Option<Duration>), ServeError> {
        let Some(watch) = self.watch else { return Ok((0, None)) };
        loop {
            let now_ns = watch.now_ns();
            match self.system.advance(now_ns) {
                Some(output) => self.output(&output, false)?,
                None => {
                    let patience = self.system.next_ns().map(|at_ns| match at_ns {
                        0 => POLL,
                        _ => watch.until(at_ns),
                    });
                    return Ok((now_ns, patience));
                }
            }
        }
    }

    fn reset(&mut self, number: u64) -> Result<(), ServeError> {
        self.system.reset();
        self.is_reset = true;
        self.watch = Some(Stopwatch::start());
        self.send(&json!({"ready": number}))
    }

    fn output(&mut self, output: &Output, stamped: bool) -> Result<(), ServeError> {
        let Output { at_ns, name, values } = output;
        let values: Vec<Json> = values.iter().map(Value::to_json).collect();
        match stamped {
            true => self.send(&json!({"output": name, "values": values, "at": at_ns})),
            false => self.send(&json!({"output": name, "values": values})),
        }
    }

    fn send(&mut self, message: &Json) -> Result<(), ServeError> {
        self.writer.write_all(format!("{message}\n").as_bytes())?;
        Ok(self.writer.flush()?)
    }

    fn refuse(&mut self, text: &str) -> Result<(), ServeError> {
        self.send(&json!({"error": text}))?;
        Err(ServeError::Protocol(text.into()))
    }
}
