//! TRON's virtual time: an adapter with two threads that live by the clock service.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::Duration,
};

use punctual_exec::{Endpoint, Seen, Sut, Tron};
use punctual_sdk::System;

use crate::{coffee::check, coffee_machine::Machine, support::*};

/// A thread's connection to the clock.
struct ClockThread(TcpStream);

impl ClockThread {
    fn register(address: SocketAddr, name: &str) -> io::Result<Self> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.write_all(&[&[name.len() as u8], name.as_bytes()].concat())?;
        let mut this = Self(stream);
        // When this is answered, the thread is known.
        this.now_ns()?;
        Ok(this)
    }

    fn call<const N: usize>(&mut self, request: &[i32]) -> io::Result<[i32; N]> {
        let bytes: Vec<u8> = request.iter().flat_map(|value| value.to_be_bytes()).collect();
        self.0.write_all(&bytes)?;
        let mut reply = [0; N];
        for value in &mut reply {
            *value = integer(&mut self.0)?;
        }
        Ok(reply)
    }

    fn ok(&mut self, request: &[i32]) -> io::Result<()> {
        let [code] = self.call(request)?;
        assert_eq!(code, 0, "{request:?}");
        Ok(())
    }

    fn now_ns(&mut self) -> io::Result<u64> {
        let [seconds, microseconds] = self.call(&[14])?;
        Ok((seconds as u64 * 1_000_000 + microseconds as u64) * 1000)
    }
}

fn integer(stream: &mut impl Read) -> io::Result<i32> {
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes)?;
    Ok(i32::from_be_bytes(bytes))
}

const OUTPUTS: [&str; 2] = ["weakCoffee", "strongCoffee"];

/// Names the four channels and starts; their numbers are 1 to 4.
fn configure(main: &mut TcpStream) -> io::Result<()> {
    for (code, name) in [(1, "coin"), (1, "req"), (2, OUTPUTS[0]), (2, OUTPUTS[1])] {
        main.write_all(&[&[code, name.len() as u8], name.as_bytes()].concat())?;
        assert!(integer(main)? > 0);
    }
    main.write_all(&[64])?;
    let mut started = [1];
    main.read_exact(&mut started)?;
    assert_eq!(started, [0]);
    Ok(())
}

/// One run of the adapter, until the tester closes the connection.
fn adapt(main: SocketAddr, clock: SocketAddr) -> io::Result<()> {
    let mut main = TcpStream::connect(main)?;
    main.set_nodelay(true)?;
    let mut reader = ClockThread::register(clock, "reader")?;
    let worker = ClockThread::register(clock, "worker")?;
    let [mutex] = reader.call(&[3])?;
    let [changed] = reader.call(&[7])?;
    let mut machine = Machine::new(40, 20);
    machine.reset();
    let machine = Arc::new(Mutex::new(machine));
    let (acknowledge, acknowledged) = mpsc::channel();
    configure(&mut main)?;
    let writer = main.try_clone()?;
    let brewing = Arc::clone(&machine);
    let worker = thread::spawn(move || {
        // It ends when its connection does.
        let _ = brew(worker, writer, &brewing, &acknowledged, (mutex, changed));
    });
    let end = listen(reader, main, &machine, &acknowledge, (mutex, changed));
    drop(acknowledge);
    worker.join().unwrap();
    end
}

/// Takes events and acknowledgements. While it waits for them, it is not active.
fn listen(
    mut clock: ClockThread,
    mut main: TcpStream,
    machine: &Mutex<Machine>,
    acknowledge: &Sender<()>,
    (mutex, changed): (i32, i32),
) -> io::Result<()> {
    loop {
        clock.ok(&[1])?;
        let channel = integer(&mut main)?;
        if channel < 0 {
            assert_eq!(channel, i32::MIN + 1);
            // The worker is active, so time stands still.
            let _ = acknowledge.send(());
            continue;
        }
        main.read_exact(&mut [0; 2])?;
        clock.ok(&[2])?;
        clock.ok(&[5, mutex])?;
        let at_ns = clock.now_ns()?;
        machine.lock().unwrap().input(at_ns, ["coin", "req"][channel as usize - 1], &[]);
        clock.call::<0>(&[12, changed])?;
        clock.ok(&[6, mutex])?;
        main.write_all(&[0x80, 0, 0, 1])?;
    }
}

/// Waits for what is due, and makes outputs.
fn brew(
    mut clock: ClockThread,
    mut main: TcpStream,
    machine: &Mutex<Machine>,
    acknowledged: &Receiver<()>,
    (mutex, changed): (i32, i32),
) -> io::Result<()> {
    clock.ok(&[5, mutex])?;
    loop {
        let due = machine.lock().unwrap().next_ns();
        match due.map(|due_ns| due_ns / 1000) {
            None => clock.ok(&[9, changed, mutex])?,
            Some(due_us) => {
                let (seconds, microseconds) = (due_us / 1_000_000, due_us % 1_000_000);
                let request = [10, changed, mutex, seconds as i32, microseconds as i32];
                let [code] = clock.call(&request)?;
                assert!(code == 0 || code == 65);
            }
        }
        let now_ns = clock.now_ns()?;
        let output = machine.lock().unwrap().advance(now_ns);
        if let Some(output) = output {
            let number = OUTPUTS.iter().position(|name| *name == output.name).unwrap() as u8 + 3;
            main.write_all(&[0, 0, 0, number, 0, 0])?;
            if acknowledged.recv().is_err() {
                return Ok(());
            }
        }
    }
}

fn tester() -> (Tron, SocketAddr, SocketAddr) {
    let clock = TcpListener::bind("127.0.0.1:0").unwrap();
    let clock_address = clock.local_addr().unwrap();
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let address = endpoint.local_address().unwrap();
    let sut = Tron::new(endpoint, coffee(), limits()).with_clock_service(clock).unwrap();
    (sut, address, clock_address)
}

#[test]
fn coffee_on_virtual_time() {
    let (sut, address, clock_address) = tester();
    thread::spawn(move || {
        // It connects again when the tester has closed the connection, until there is no tester.
        while TcpStream::connect(clock_address).is_ok() {
            let _ = adapt(address, clock_address);
        }
    });
    check(sut);
}

#[test]
fn an_adapter_that_does_not_wait_stops_time() {
    let (mut sut, address, clock_address) = tester();
    let adapter = thread::spawn(move || {
        let mut main = TcpStream::connect(address).unwrap();
        let _busy = ClockThread::register(clock_address, "busy").unwrap();
        configure(&mut main).unwrap();
        assert_eq!(main.read(&mut [0]).unwrap(), 0);
    });
    sut.reset().unwrap();
    let error = sut.wait(5 * MS).unwrap_err().to_string();
    assert!(
        error.starts_with("the system did not let time pass (active: busy) within 1.5 s"),
        "{error}"
    );
    adapter.join().unwrap();
}

#[test]
fn inputs_that_are_not_acknowledged() {
    for closes in [false, true] {
        let (mut sut, address, _) = tester();
        let adapter = thread::spawn(move || {
            let mut main = TcpStream::connect(address).unwrap();
            configure(&mut main).unwrap();
            main.read_exact(&mut [0; 6]).unwrap();
            assert!(closes || main.read(&mut [0]).unwrap() == 0);
        });
        sut.reset().unwrap();
        // Nobody registered with the clock, so nobody keeps time from passing.
        assert_eq!(sut.wait(1000 * MS), Ok(Seen::Quiet));
        let error = sut.input(&action(&coffee(), "coin", &[])).unwrap_err().to_string();
        let expected = match closes {
            true => "the system closed the connection when it had to acknowledge an input",
            false => "the system did not acknowledge an input within 1.5 s",
        };
        assert!(error.starts_with(expected), "{error}");
        adapter.join().unwrap();
    }
}

#[test]
fn calls_that_can_not_be() {
    let (sut, _, clock_address) = tester();
    let mut thread = ClockThread::register(clock_address, "t").unwrap();
    let [mutex] = thread.call(&[3]).unwrap();
    let [condition] = thread.call(&[7]).unwrap();
    for (request, code) in [
        (&[5, 99][..], 68),
        (&[6, mutex], 68),
        (&[9, condition, mutex], 68),
        (&[10, condition, mutex, -1, 0], 68),
        (&[5, mutex], 0),
        (&[5, mutex], 68),
        (&[9, mutex, condition], 68),
        (&[6, mutex], 0),
    ] {
        assert_eq!(thread.call(request).unwrap(), [code], "{request:?}");
    }
    thread.call::<0>(&[4, mutex]).unwrap();
    assert_eq!(thread.call(&[5, mutex]).unwrap(), [68]);
    assert_eq!(thread.call(&[77]).unwrap(), [64]);
    assert!(thread.now_ns().is_err(), "the connection is closed");
    drop(sut);
    // The service ends with the tester.
    let gone = (0..1000).any(|_| {
        thread::park_timeout(Duration::from_millis(2));
        TcpStream::connect(clock_address).is_err()
    });
    assert!(gone);
}
