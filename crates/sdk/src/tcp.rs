//! Testers that come and go over TCP.

use std::{
    io::{self, BufReader},
    net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs},
    time::Duration,
};

use crate::{
    clock::{Stopwatch, pause},
    serve::ServeError,
};

/// How long to wait before a tester is tried again that does not listen.
const RETRY: Duration = Duration::from_millis(50);

/// Serves one connection; then it is closed, also for a thread that still reads from it.
pub(crate) fn serve(
    stream: &TcpStream,
    converse: impl FnOnce(BufReader<TcpStream>, TcpStream) -> Result<(), ServeError>,
) -> Result<(), ServeError> {
    stream.set_nodelay(true)?;
    let end = converse(BufReader::new(stream.try_clone()?), stream.try_clone()?);
    // It fails if the tester was faster.
    let _ = stream.shutdown(Shutdown::Both);
    end
}

/// Connects to a tester, and again whenever a connection has ended, until no tester listens for as long
/// as `patience`.
pub(crate) fn connect(
    address: impl ToSocketAddrs,
    patience: Duration,
    mut serve: impl FnMut(TcpStream) -> Result<(), ServeError>,
) -> Result<(), ServeError> {
    let mut served = false;
    loop {
        let waiting = Stopwatch::start();
        let stream = loop {
            match TcpStream::connect(&address).and_then(not_to_itself) {
                Ok(stream) => break stream,
                Err(error) if Duration::from_nanos(waiting.now_ns()) >= patience => {
                    return if served { Ok(()) } else { Err(error.into()) };
                }
                Err(_) => pause(RETRY.min(patience)),
            }
        };
        gone_is_fine(serve(stream))?;
        served = true;
    }
}

/// On one machine, a port that nobody listens on may be given to the very socket that connects to it.
fn not_to_itself(stream: TcpStream) -> io::Result<TcpStream> {
    match stream.local_addr()? == stream.peer_addr()? {
        true => Err(io::ErrorKind::ConnectionRefused.into()),
        false => Ok(stream),
    }
}

/// Serves testers one after the other, for ever.
pub(crate) fn listen(
    listener: &TcpListener,
    mut serve: impl FnMut(TcpStream) -> Result<(), ServeError>,
) -> Result<(), ServeError> {
    loop {
        let (stream, _) = listener.accept()?;
        if let Err(error) = gone_is_fine(serve(stream)) {
            eprintln!("{error}");
        }
    }
}

/// A tester that went away in the middle is no error: the next one may come.
fn gone_is_fine(end: Result<(), ServeError>) -> Result<(), ServeError> {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    match end {
        Err(ServeError::Io(error))
            if matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset) =>
        {
            Ok(())
        }
        end => end,
    }
}
