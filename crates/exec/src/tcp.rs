//! A program somewhere, over a connection.
//!
//! The tester connects, with retries while the system may still be starting, or listens. A system
//! whose connection broke is reached again at the next reset; nobody starts it from here.

use std::{
    io,
    net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs},
    sync::Arc,
    time::Duration,
};

use punctual_model::Interface;

use crate::{
    Limits, SutError, Timekeeping, clock,
    dialogue::{Connector, Dialogue, Link},
    process::is_stopped,
    wire::Wire,
};

/// One try to connect takes no longer than this, so that the user is heard in between.
const TRY: Duration = Duration::from_secs(1);

/// How the tester and the system come together.
#[derive(Debug)]
pub enum Endpoint {
    /// The system listens there (`host:port`); the tester connects.
    Connect(String),
    /// The tester listens; the system connects.
    Listen(TcpListener),
}

impl Endpoint {
    /// Listens at an address; port 0 lets the machine choose one (see
    /// [`local_address`](Self::local_address)).
    ///
    /// # Errors
    /// If nobody can listen at the address.
    pub fn listen(address: &str) -> Result<Self, SutError> {
        let listener = TcpListener::bind(address);
        listener.map(Self::Listen).map_err(|error| SutError::NotStarted {
            what: format!("listening at {address}"),
            reason: error.to_string(),
        })
    }

    /// Where the tester listens.
    #[must_use]
    pub fn local_address(&self) -> Option<SocketAddr> {
        match self {
            Self::Connect(_) => None,
            Self::Listen(listener) => listener.local_addr().ok(),
        }
    }

    /// A connection, without delays by the machine, and with bounded writing.
    pub(crate) fn stream(&self, limits: &Limits) -> Result<TcpStream, SutError> {
        let stream = match self {
            Self::Connect(address) => connect(address, limits.start)?,
            Self::Listen(listener) => accept(listener, limits.start)?,
        };
        let prepare = || {
            stream.set_nonblocking(false)?;
            stream.set_nodelay(true)?;
            stream.set_write_timeout(Some(limits.answer.max(Duration::from_millis(1))))
        };
        prepare().map_err(|error: io::Error| SutError::Io {
            doing: "prepare the connection".into(),
            reason: error.to_string(),
        })?;
        Ok(stream)
    }
}

fn connect(address: &str, patience: Duration) -> Result<TcpStream, SutError> {
    let not_reached = |reason: String| SutError::NotStarted {
        what: format!("the connection to {address}"),
        reason: format!("{reason}; is the system running, and does it listen there?"),
    };
    let deadline = clock::within(patience);
    let mut last = "it has no address".to_owned();
    let stream = clock::poll(deadline, || {
        if is_stopped() {
            return Some(Err(stopped()));
        }
        match address.to_socket_addrs() {
            Err(error) => {
                last = error.to_string();
                None
            }
            Ok(mut addresses) => addresses.find_map(|address| {
                let patience = clock::until(deadline).clamp(Duration::from_millis(1), TRY);
                TcpStream::connect_timeout(&address, patience)
                    .map_err(|error| last = error.to_string())
                    .ok()
                    .map(Ok)
            }),
        }
    });
    stream.unwrap_or_else(|| Err(not_reached(last)))
}

/// The user wants no more, so nobody is waited for.
fn stopped() -> SutError {
    SutError::Stopped { doing: "connect".into() }
}

fn accept(listener: &TcpListener, patience: Duration) -> Result<TcpStream, SutError> {
    let io = |error: io::Error| SutError::Io {
        doing: "listen for the system".into(),
        reason: error.to_string(),
    };
    listener.set_nonblocking(true).map_err(io)?;
    let accepted = clock::poll(clock::within(patience), || match listener.accept() {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            is_stopped().then(|| Err(stopped()))
        }
        accepted => Some(accepted.map_err(io)),
    });
    match accepted {
        Some(accepted) => accepted.map(|(stream, _)| stream),
        None => Err(SutError::NotStarted {
            what: match listener.local_addr() {
                Ok(address) => format!("the connection to {address}"),
                Err(_) => "the connection".into(),
            },
            reason: format!("the system did not connect within {patience:?}"),
        }),
    }
}

/// A system over TCP that speaks the JSON-lines protocol.
pub struct Tcp {
    dialogue: Dialogue<Endpoint>,
}

impl Tcp {
    /// The system behind an interface, on a clock. It is reached by the first reset.
    #[must_use]
    pub fn new(
        endpoint: Endpoint,
        interface: Arc<Interface>,
        timekeeping: Timekeeping,
        limits: Limits,
    ) -> Self {
        Self { dialogue: Dialogue::new(endpoint, interface, timekeeping, limits) }
    }
}

crate::sut::sut_by!(dialogue, Tcp);

impl Connector for Endpoint {
    type Link = Connection;

    fn connect(
        &mut self,
        limits: &Limits,
        timekeeping: Timekeeping,
    ) -> Result<Connection, SutError> {
        let stream = self.stream(limits)?;
        let wire = || {
            let (reader, writer) = (stream.try_clone()?, stream.try_clone()?);
            Wire::new(reader, writer, limits.line_bytes, timekeeping)
        };
        match wire() {
            Ok(wire) => Ok(Connection { stream, wire }),
            Err(error) => Err(SutError::Io {
                doing: "prepare the connection".into(),
                reason: error.to_string(),
            }),
        }
    }
}

/// A connection that is open. Dropping it closes it.
pub(crate) struct Connection {
    stream: TcpStream,
    wire: Wire,
}

impl Link for Connection {
    fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    fn gone(&mut self, doing: &str) -> SutError {
        SutError::Disconnected { doing: doing.into(), stderr: Vec::new() }
    }

    fn stderr(&self) -> Vec<String> {
        Vec::new()
    }

    fn end(&mut self, _: Duration) {
        // The other side sees the end; this side's reading thread, too.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}
