//! TRON's socket protocol, byte by byte. The tests are the adapter; the tester is in TRON's place.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use punctual_exec::{Endpoint, Limits, Seen, Sut, SutError, Tron, TronSettings};
use punctual_model::{Direction, Interface};

use crate::support::*;

/// `grasp` with two values, `release` and `level` with one.
fn lamp() -> Arc<Interface> {
    interface(&[
        ("grasp", Direction::Input, &["hand", "force"]),
        ("release", Direction::Input, &[]),
        ("level", Direction::Output, &["brightness"]),
    ])
}

/// An adapter that connects to the tester.
fn adapter<T: Send + 'static>(
    interface: Arc<Interface>,
    act: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> (Tron, JoinHandle<T>) {
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let address = endpoint.local_address().unwrap();
    let adapter = thread::spawn(move || act(TcpStream::connect(address).unwrap()));
    let limits = Limits { start: Duration::from_millis(1500), ..limits() };
    (Tron::new(endpoint, interface, limits), adapter)
}

/// Sends bytes and expects an answer.
fn exchange(stream: &mut TcpStream, request: &[u8], answer: &[u8]) {
    stream.write_all(request).unwrap();
    let mut got = vec![0; answer.len()];
    stream.read_exact(&mut got).unwrap();
    assert_eq!(got, answer, "to {request:?}");
}

/// Names everything; `force` comes before `hand`.
fn configure(stream: &mut TcpStream) {
    exchange(stream, b"\x01\x05grasp", &[0, 0, 0, 1]);
    exchange(stream, b"\x03\0\0\0\x01\x05force", &[0, 0, 0, 0]);
    exchange(stream, b"\x03\0\0\0\x01\x04hand", &[0, 0, 0, 0]);
    exchange(stream, b"\x01\x08release\0", &[0, 0, 0, 2]);
    exchange(stream, b"\x02\x05level", &[0, 0, 0, 3]);
    exchange(stream, b"\x04\0\0\0\x03\x0abrightness", &[0, 0, 0, 0]);
    exchange(stream, b"\x05\0\0\0\0\0\0\x03\xe8", &[0, 0, 0, 0]);
    exchange(stream, b"\x06\0\0\x27\x10", &[0, 0, 0, 0]);
    exchange(stream, b"\x40", &[0]);
}

#[test]
fn events_byte_by_byte() {
    let (mut sut, adapter) = adapter(lamp(), |mut stream| {
        configure(&mut stream);
        exchange(&mut stream, &[], b"\0\0\0\x01\0\x02\0\0\0\x07\0\0\0\x02");
        exchange(&mut stream, &[], b"\0\0\0\x02\0\0");
        stream.write_all(b"\0\0\0\x03\0\x01\0\0\0\x09").unwrap();
        // Until the tester closes the connection.
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    });
    sut.reset().unwrap();
    assert_eq!(sut.settings(), TronSettings { unit_us: Some(1000), timeout_units: Some(10_000) });
    assert_eq!(sut.wait(3 * MS), Ok(Seen::Quiet));
    let grasp = sut.input(&action(&lamp(), "grasp", &[2, 7])).unwrap();
    assert!(3 * MS <= grasp.from_ns && grasp.from_ns <= grasp.to_ns);
    let release = sut.input(&action(&lamp(), "release", &[])).unwrap();
    let Seen::Output { action, at_ns, .. } = sut.wait(release.to_ns + 5_000 * MS).unwrap() else {
        panic!("no light")
    };
    assert_eq!((action.signal, action.values), (lamp().signal("level").unwrap(), ints(&[9])));
    assert!(at_ns >= release.from_ns);
    sut.stop();
    adapter.join().unwrap();
}

#[test]
fn errors_have_texts() {
    let (mut sut, adapter) = adapter(lamp(), |mut stream| {
        let mut refused = |request: &[u8], code: i32, text: &str| {
            exchange(&mut stream, request, &code.to_be_bytes());
            let ask = [&[0x7f][..], &code.to_be_bytes()].concat();
            exchange(&mut stream, &ask, &[&[text.len() as u8], text.as_bytes()].concat());
        };
        refused(b"\x01\x04gras", -2, "the test interface has no signal `gras`");
        refused(b"\x01\x05level", -3, "in the test interface, `level` is an output");
        refused(b"\x02\x05grasp", -4, "in the test interface, `grasp` is an input");
        refused(b"\x03\0\0\0\x01\x04hand", -5, "no channel has the number 1");
        refused(b"\x03\xff\xff\xff\xff\x04hand", -6, "no channel has the number -1");
        exchange(&mut stream, b"\x01\x05grasp", &[0, 0, 0, 1]);
        let mut refused = |request: &[u8], code: i32, text: &str| {
            exchange(&mut stream, request, &code.to_be_bytes());
            let ask = [&[0x7f][..], &code.to_be_bytes()].concat();
            exchange(&mut stream, &ask, &[&[text.len() as u8], text.as_bytes()].concat());
        };
        refused(
            b"\x03\0\0\0\x01\x04foot",
            -7,
            "in the test interface, `grasp` has no value `foot`",
        );
        refused(b"\x04\0\0\0\x01\x04hand", -8, "`grasp` goes the other way");
        exchange(&mut stream, b"\x03\0\0\0\x01\x04hand", &[0; 4]);
        exchange(&mut stream, b"\x03\0\0\0\x01\x04hand", &(-9_i32).to_be_bytes());
        exchange(&mut stream, b"\x05\0\0\0\0\0\0\0\x01", &(-10_i32).to_be_bytes());
        exchange(&mut stream, b"\x06\0\0\0\0", &(-11_i32).to_be_bytes());
        exchange(&mut stream, b"\x7f\0\0\0\x05", b"\x18no error has this number");
        exchange(&mut stream, b"\x40", b"\x2bthe adapter did not bind `force` to `grasp`");
        assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    });
    let error = sut.reset().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the system never got ready: the system broke the protocol: the adapter asked to start too early; the adapter did not \
         bind `force` to `grasp`"
    );
    drop(sut);
    adapter.join().unwrap();
}

/// The error that comes of an adapter, in its configuration or later.
fn error_of(act: impl FnOnce(TcpStream) + Send + 'static) -> String {
    let (mut sut, adapter) = adapter(lamp(), act);
    let mut run = || {
        sut.reset()?;
        loop {
            sut.input(&action(&lamp(), "release", &[]))?;
            let until_ns = sut.now_ns() + 5 * MS;
            sut.wait(until_ns)?;
        }
    };
    let error: Result<(), SutError> = run();
    assert_eq!(sut.wait(0), Err(SutError::NotReset));
    drop(sut);
    adapter.join().unwrap();
    error.unwrap_err().to_string()
}

fn until_closed(mut stream: TcpStream) {
    while stream.read(&mut [0; 100]).is_ok_and(|n| n > 0) {}
}

#[test]
fn adapters_that_break_the_rules() {
    assert!(
        error_of(drop).contains("ready: the system closed the connection when it had to name its")
    );
    let error = error_of(until_closed);
    assert!(error.contains("ready: the system did not name its channels and start within 1.5 s"));
    let error = error_of(|mut stream| {
        exchange(&mut stream, b"\x63", b"\xff\xff\xff\xff\x17request 99 is not known");
        until_closed(stream);
    });
    assert!(error.contains("sent request 99 before the start; requests are 1 to 6"), "{error}");
    // A flood of wrong requests is not answered for ever: each answer is kept.
    let error = error_of(|mut stream| {
        while stream.write_all(b"\x01\x01x").is_ok() && matches!(stream.read(&mut [0; 4]), Ok(1..))
        {
        }
    });
    assert!(error.contains("more than 1000 requests of the adapter were wrong"), "{error}");
    let error = error_of(|mut stream| exchange(&mut stream, b"\x01\x01x", b"\xff\xff\xff\xfe"));
    assert!(
        error.ends_with(
            "gave up before the start; it was told: the test interface has no signal `x`"
        ),
        "{error}"
    );
    // Half a request, and nothing more.
    let error = error_of(|mut stream| {
        stream.write_all(b"\x01\x10gra").unwrap();
        until_closed(stream);
    });
    assert!(error.contains("did not name its channels and start"), "{error}");
    for (bytes, expected) in [
        (&b""[..], "the system closed the connection when it had to"),
        (b"\0\0\0\x03\0\x01\0\0", "the system closed the connection when it had to"),
        (b"\0\0\0\x63\0\0", "an event of channel 99 came; the adapter was not given that number"),
        (b"\0\0\0\0\0\0", "an event of channel 0 came; the adapter was not given that number"),
        (b"\0\0\0\x02\0\0", "sent `release`, which is an input"),
        (b"\0\0\0\x03\0\0", "`level` came with 0 values, but it has 1 (brightness)"),
        (b"\0\0\0\x03\0\x01\0\0\0\x0b", "declares brightness as a whole number from 0 to 10"),
        (b"GET / HTTP/1.1\r\n", "came with 12064 values; is something else sent"),
        (b"\x80\0\0\x01", "so it runs on virtual time; give it a clock service"),
    ] {
        let error = error_of(move |mut stream| {
            configure(&mut stream);
            stream.write_all(bytes).unwrap();
            if !bytes.is_empty() && bytes != b"\0\0\0\x03\0\x01\0\0" {
                until_closed(stream);
            }
        });
        assert!(error.contains(expected), "{bytes:?}: {error}");
    }
    let error = error_of(|mut stream| {
        configure(&mut stream);
        while stream.write_all(b"\0\0\0\x03\0\x01\0\0\0\x05").is_ok() {}
    });
    assert_eq!(error, "the system sent more than 20000 outputs in a second");
}

/// The tester connects; each reset is a new connection.
#[test]
fn adapters_that_listen() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let adapter = thread::spawn(move || {
        for _ in 0..3 {
            let (mut stream, _) = listener.accept().unwrap();
            configure(&mut stream);
            until_closed(stream);
        }
    });
    let mut sut = Tron::new(Endpoint::Connect(address), lamp(), limits());
    for _ in 0..3 {
        sut.reset().unwrap();
        assert_eq!(sut.wait(MS), Ok(Seen::Quiet));
    }
    sut.stop();
    adapter.join().unwrap();
}
