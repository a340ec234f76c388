//! Devices: programs that live on the machine's clock by themselves.
//!
//! A [`Handler`] says what is done with messages of the tester, a [`Device`] is the way to the tester for
//! everybody else: clones of it may be used by any thread. Calls of the handler and of timers come one
//! at a time, from the thread that serves.
//!
//! Always holds: what is emitted while a reset runs belongs to the run before and is left out, unless the
//! handler itself emits it: that is sent after the tester was told that the device is ready. Timers end
//! with a reset. A handler that has threads of its own ends those of the run before in its reset.
//!
//! Not here: the virtual clock, which is for a [`System`](crate::System); a tester that asks for it is refused.
//!
//! ```no_run
//! use punctual_sdk::{Value, device::{self, Device, Handler}};
//!
//! /// A lamp that goes out by itself after a second.
//! struct Lamp;
//!
//! impl Handler for Lamp {
//!     fn reset(&mut self, _: &Device<Self>) {}
//!
//!     fn input(&mut self, device: &Device<Self>, _name: &str, _values: &[Value]) {
//!         device.emit("on", &[]);
//!         device.after(1_000_000_000, |_lamp, device| device.emit("off", &[]));
//!     }
//! }
//!
//! device::stdio(Lamp)?;
//! # Ok::<(), punctual_sdk::serve::ServeError>(())
//! ```

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, TcpStream, ToSocketAddrs},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, ThreadId},
    time::Duration,
};

use serde_json::{Value as Json, json};

use crate::{
    Can, Value,
    clock::Stopwatch,
    lines::{self, Event},
    message::{Message, Ports, Version},
    serve::{ServeError, Then, wrong},
    speaker::Speaker,
    tcp,
};

/// What a device does with messages of its tester.
pub trait Handler: Send + Sized + 'static {
    /// What the device can do beside taking inputs and giving outputs.
    fn can(&self) -> Can {
        Can::default()
    }

    /// Starts anew. Time is 0 until this returns.
    fn reset(&mut self, device: &Device<Self>);

    /// Takes an input.
    fn input(&mut self, device: &Device<Self>, name: &str, values: &[Value]);

    /// Sets an input port; false if there is no such port.
    fn set(&mut self, device: &Device<Self>, name: &str, value: &Value) -> bool {
        let _ = (device, name, value);
        false
    }

    /// Takes a step that the tester asked for: the outputs with their names. None if the device does not
    /// take steps, or only by itself.
    fn step(&mut self, device: &Device<Self>) -> Option<Vec<(String, Value)>> {
        let _ = device;
        None
    }

    /// The value of a variable now; none if it can not be read.
    fn read(&mut self, device: &Device<Self>, name: &str) -> Option<Value> {
        let _ = (device, name);
        None
    }
}

/// The way to the tester. A handle: clones are the same device. When the tester is gone, nothing is sent.
pub struct Device<H> {
    shared: Arc<Shared<H>>,
}

impl<H> Clone for Device<H> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

/// A timer that was started; see [`Device::cancel`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timer(u64);

struct Shared<H> {
    state: Mutex<State<H>>,
    /// Ends the wait of the thread that serves.
    events: Sender<Event>,
}

struct State<H> {
    speaker: Speaker<Box<dyn Write + Send>>,
    /// Runs since the last reset.
    watch: Option<Stopwatch>,
    /// The thread that handles a reset, while it does.
    resetting: Option<ThreadId>,
    /// What that thread has to say when the device is ready.
    held: Vec<Json>,
    /// By deadline, then by start.
    timers: BTreeMap<(u64, u64), Call<H>>,
    n_timers: u64,
    /// The repeated timer that is called at the moment, unless it was cancelled.
    called: Option<u64>,
    /// Why nothing can be sent any more.
    ended: Option<ServeError>,
}

type Once<H> = Box<dyn FnOnce(&mut H, &Device<H>) + Send>;
type Repeated<H> = Box<dyn FnMut(&mut H, &Device<H>) + Send>;

enum Call<H> {
    Once(Once<H>),
    Every(u64, Repeated<H>),
}

/// Serves a tester on stdin and stdout, until it says stop or is gone. Nothing else may be written
/// to stdout; what is written to stderr goes into the record of the run.
///
/// # Errors
/// If the tester breaks the rules, the device can not go on, or reading or writing fails.
pub fn stdio(mut handler: impl Handler) -> Result<(), ServeError> {
    run(&mut handler, BufReader::new(io::stdin()), io::stdout())
}

/// Serves a tester over a connection, until it says stop or is gone.
///
/// # Errors
/// If the tester breaks the rules, the device can not go on, or reading or writing fails.
pub fn tcp(handler: &mut impl Handler, stream: TcpStream) -> Result<(), ServeError> {
    tcp::serve(&stream, |reader, writer| run(handler, reader, writer))
}

/// Connects to testers that listen, one after the other, as [`serve::connect`](crate::serve::connect) does.
///
/// # Errors
/// As those of [`serve::connect`](crate::serve::connect).
pub fn connect(
    mut handler: impl Handler,
    address: impl ToSocketAddrs,
    patience: Duration,
) -> Result<(), ServeError> {
    tcp::connect(address, patience, |stream| tcp(&mut handler, stream))
}

/// Listens, and serves testers one after the other, as [`serve::listen`](crate::serve::listen) does.
///
/// # Errors
/// If connections can not be accepted.
pub fn listen(mut handler: impl Handler, listener: &TcpListener) -> Result<(), ServeError> {
    tcp::listen(listener, |stream| tcp(&mut handler, stream))
}

/// Serves a tester, until it says stop or is gone.
///
/// # Errors
/// If the tester breaks the rules, the device can not go on, or reading or writing fails.
pub fn run<H: Handler>(
    handler: &mut H,
    reader: impl BufRead + Send + 'static,
    writer: impl Write + Send + 'static,
) -> Result<(), ServeError> {
    let (sender, events) = mpsc::channel();
    lines::listen(reader, sender.clone());
    let state = State {
        speaker: Speaker::new(Box::new(writer) as Box<dyn Write + Send>),
        watch: None,
        resetting: None,
        held: Vec::new(),
        timers: BTreeMap::new(),
        n_timers: 0,
        called: None,
        ended: None,
    };
    let device = Device { shared: Arc::new(Shared { state: Mutex::new(state), events: sender }) };
    let end = converse(handler, &device, &events);
    let mut state = device.state();
    // Calls may own devices: without this, they would keep each other alive.
    let timers = std::mem::take(&mut state.timers);
    let end = end.map_err(|error| error.tell(&mut state.speaker));
    state.ended.get_or_insert(ServeError::Io(io::ErrorKind::NotConnected.into()));
    drop(state);
    drop(timers);
    end
}

fn converse<H: Handler>(
    handler: &mut H,
    device: &Device<H>,
    events: &Receiver<Event>,
) -> Result<(), ServeError> {
    let mut greeted = false;
    loop {
        let event = match device.patience()? {
            Some(patience) => events.recv_timeout(patience),
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match event {
            Ok(Event::Line(line)) if !greeted => {
                greeted = true;
                if let Then::Stop = device.greet(handler, &line)? {
                    return Ok(());
                }
            }
            Ok(Event::Line(line)) => {
                if let Then::Stop = device.take(handler, &line)? {
                    return Ok(());
                }
            }
            Ok(Event::End(end)) => return Ok(end?),
            Ok(Event::Wake) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        // One at a time, so that lines have their turn.
        device.call_timer(handler);
    }
}

impl<H> Device<H> {
    /// Nanoseconds since the last reset.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.state().now_ns()
    }

    /// Sends an output, with the present as its time stamp. For any thread.
    pub fn emit(&self, name: &str, values: &[Value]) {
        self.say(|speaker, at_ns| speaker.output(name, values, at_ns));
    }

    /// Sends a line for the record of the run. For any thread.
    pub fn log(&self, text: &str) {
        self.say(|_, _| Ok(json!({"log": text})));
    }

    /// Tells of a step that the device took by itself, with the inputs as it saw them. For any thread.
    pub fn stepped(&self, outputs: &[(&str, Value)], inputs: &[(&str, Value)]) {
        self.say(|speaker, at_ns| {
            let Some(at_ns) = at_ns else {
                return Err("version 1 of the protocol has no steps".into());
            };
            let (outputs, inputs) = (speaker.ports(outputs)?, speaker.ports(inputs)?);
            Ok(json!({"stepped": outputs, "inputs": inputs, "at": at_ns}))
        });
    }

    /// Tells the tester that the device can not go on; then the service ends. For any thread.
    pub fn fail(&self, text: &str) {
        self.say(|_, _| Err(text.to_owned()));
    }

    /// Calls something once, `delay_ns` from now. For any thread; the call comes from the one that serves.
    pub fn after(
        &self,
        delay_ns: u64,
        call: impl FnOnce(&mut H, &Device<H>) + Send + 'static,
    ) -> Timer {
        self.start(delay_ns, Call::Once(Box::new(call)))
    }

    /// Calls something `period_ns` from now and then again after each period, without drift. Instants
    /// that are over when their turn comes are left out. For any thread.
    ///
    /// # Panics
    /// If the period is 0.
    pub fn every(
        &self,
        period_ns: u64,
        call: impl FnMut(&mut H, &Device<H>) + Send + 'static,
    ) -> Timer {
        assert!(period_ns > 0, "the period of a timer must not be 0");
        self.start(period_ns, Call::Every(period_ns, Box::new(call)))
    }

    /// Ends a timer. Nothing happens if it was called or has ended already.
    pub fn cancel(&self, timer: Timer) {
        let mut state = self.state();
        state.timers.retain(|(_, id), _| *id != timer.0);
        state.called = state.called.filter(|id| *id != timer.0);
    }

    fn start(&self, delay_ns: u64, call: Call<H>) -> Timer {
        let mut state = self.state();
        let (at_ns, id) = (state.now_ns().saturating_add(delay_ns), state.n_timers);
        state.n_timers += 1;
        state.timers.insert((at_ns, id), call);
        drop(state);
        // If nobody serves any more, the timer is of no use.
        let _ = self.shared.events.send(Event::Wake);
        Timer(id)
    }

    fn state(&self) -> MutexGuard<'_, State<H>> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what is made of the time stamp (none in version 1), or keeps it while the device is reset.
    fn say(
        &self,
        message: impl FnOnce(&Speaker<Box<dyn Write + Send>>, Option<u64>) -> Result<Json, String>,
    ) {
        let mut state = self.state();
        let stamped = state.speaker.version == Version::Two;
        let at_ns = stamped.then(|| state.now_ns());
        let message = message(&state.speaker, at_ns);
        let is_log = matches!(&message, Ok(message) if message.get("log").is_some());
        if state.ended.is_some() {
            return;
        }
        match (message, state.resetting) {
            (Err(text), _) => state.ended = Some(ServeError::System(text)),
            (Ok(message), Some(thread)) if thread == thread::current().id() && !is_log => {
                state.held.push(message);
            }
            (Ok(_), Some(_)) if !is_log => {}
            (Ok(message), _) => {
                if let Err(error) = state.speaker.send(&message) {
                    state.ended = Some(error.into());
                }
            }
        }
        if state.ended.is_some() {
            let _ = self.shared.events.send(Event::Wake);
        }
    }

    /// How long nothing will happen by itself; why it is over, if it is.
    fn patience(&self) -> Result<Option<Duration>, ServeError> {
        let mut state = self.state();
        if let Some(error) = state.ended.take() {
            return Err(error);
        }
        let first = state.timers.first_key_value().map(|((at_ns, _), _)| *at_ns);
        Ok(first.zip(state.watch).map(|(at_ns, watch)| watch.until(at_ns)))
    }
}

impl<H: Handler> Device<H> {
    fn greet(&self, handler: &H, line: &[u8]) -> Result<Then, ServeError> {
        match Message::parse(line, Version::One).map_err(ServeError::Protocol)? {
            Message::Hello { virtual_clock: true, .. } => {
                wrong("this is a device, which knows the real clock only")
            }
            Message::Hello { version, .. } => {
                let mut state = self.state();
                state.speaker.version = version;
                state.speaker.welcome(handler.can())?;
                Ok(Then::GoOn)
            }
            Message::Stop => Ok(Then::Stop),
            _ => wrong("the first message must be hello"),
        }
    }

    /// Does what a line says, and answers it if it is a question.
    fn take(&self, handler: &mut H, line: &[u8]) -> Result<Then, ServeError> {
        let version = self.state().speaker.version;
        let message = Message::parse(line, version).map_err(ServeError::Protocol)?;
        let is_reset = self.state().watch.is_some();
        match message {
            Message::Stop => return Ok(Then::Stop),
            Message::Reset(number) => self.reset(handler, number)?,
            Message::Hello { .. } => return wrong("hello came twice"),
            _ if !is_reset => return wrong("a reset must come first"),
            Message::Wait(_) => return wrong("nobody waits by message on the real clock"),
            Message::Input { name, values, .. } => handler.input(self, &name, &values),
            Message::Set { ports, .. } => self.set(handler, &ports)?,
            Message::Step { number, ports, .. } => {
                self.set(handler, &ports)?;
                let Some(outputs) = handler.step(self) else {
                    return wrong("this device takes no steps when it is told to");
                };
                self.answer("stepped", &outputs, Some(number))?;
            }
            Message::Read { names, .. } => {
                let mut values = Vec::with_capacity(names.len());
                for name in names {
                    let Some(value) = handler.read(self, &name) else {
                        return wrong(format!("`{name}` can not be read"));
                    };
                    values.push((name, value));
                }
                self.answer("values", &values, None)?;
            }
        }
        Ok(Then::GoOn)
    }

    fn reset(&self, handler: &mut H, number: u64) -> Result<(), ServeError> {
        let mut state = self.state();
        state.resetting = Some(thread::current().id());
        let timers = std::mem::take(&mut state.timers);
        drop(state);
        drop(timers);
        handler.reset(self);
        let mut state = self.state();
        if let Some(error) = state.ended.take() {
            return Err(error);
        }
        state.watch = Some(Stopwatch::start());
        state.resetting = None;
        state.speaker.send(&json!({"ready": number}))?;
        for message in std::mem::take(&mut state.held) {
            state.speaker.send(&message)?;
        }
        Ok(())
    }

    fn set(&self, handler: &mut H, ports: &Ports) -> Result<(), ServeError> {
        for (name, value) in ports {
            if !handler.set(self, name, value) {
                return wrong(format!("there is no input port `{name}`"));
            }
        }
        Ok(())
    }

    fn answer(&self, kind: &str, ports: &Ports, step: Option<u64>) -> Result<(), ServeError> {
        let mut state = self.state();
        let ports = state.speaker.ports(ports).map_err(ServeError::System)?;
        let mut message = json!({kind: ports, "at": state.now_ns()});
        if let Some(step) = step {
            message["step"] = step.into();
        }
        Ok(state.speaker.send(&message)?)
    }

    /// Calls the first timer that is due, if there is one.
    fn call_timer(&self, handler: &mut H) {
        let mut state = self.state();
        let now_ns = state.now_ns();
        let Some(first) = state.timers.first_entry().filter(|first| first.key().0 <= now_ns) else {
            return;
        };
        let ((at_ns, id), call) = first.remove_entry();
        match call {
            Call::Once(call) => {
                drop(state);
                call(handler, self);
            }
            Call::Every(period_ns, mut call) => {
                state.called = Some(id);
                drop(state);
                call(handler, self);
                let mut state = self.state();
                if state.called.take() == Some(id) {
                    let n_over = (state.now_ns() - at_ns) / period_ns;
                    let at_ns = at_ns.saturating_add((n_over + 1).saturating_mul(period_ns));
                    state.timers.insert((at_ns, id), Call::Every(period_ns, call));
                }
            }
        }
    }
}

impl<H> State<H> {
    /// 0 until the first reset, and while the device is reset.
    fn now_ns(&self) -> u64 {
        match (self.resetting, self.watch) {
            (None, Some(watch)) => watch.now_ns(),
            _ => 0,
        }
    }
}
