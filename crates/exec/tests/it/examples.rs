//! The systems of the examples, each over the way that it was made for.

use std::{
    net::TcpListener,
    process::{Child, Command},
    sync::Arc,
};

use punctual_exec::{Endpoint, Limits, Process, Seen, Sut, Timekeeping, Tron};
use punctual_model::{Direction, Interface};

use crate::support::*;

/// A program that ends with the test.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn lamp() -> Arc<Interface> {
    interface(&[
        ("grasp", Direction::Input, &[]),
        ("release", Direction::Input, &[]),
        ("level", Direction::Output, &["brightness"]),
    ])
}

/// The lamp, which connects to the tester again and again.
fn start_lamp(endpoint: &Endpoint, arguments: &[&str]) -> Started {
    let port = endpoint.local_address().unwrap().port().to_string();
    let mut all = vec!["--connect", &port, "--forever"];
    all.extend(arguments);
    let program = python("examples/smart-lamp/sut/lamp.py", &all);
    Started(Command::new(program.program).args(program.arguments).spawn().unwrap())
}

fn patient() -> Limits {
    Limits { start: std::time::Duration::from_secs(30), ..Limits::default() }
}

#[test]
fn the_lamp_on_virtual_time() {
    let clock = TcpListener::bind("127.0.0.1:0").unwrap();
    let clock_port = clock.local_addr().unwrap().port().to_string();
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let _lamp = start_lamp(&endpoint, &["--virtual", &clock_port]);
    let mut sut = Tron::new(endpoint, lamp(), patient()).with_clock_service(clock).unwrap();
    let held = "reset; wait 10; grasp; wait 1000; wait 1000; wait 1000; release; wait 400; grasp; \
                wait 430; release; wait 1000; wait 9000";
    let seen = "reset quiet@10 grasp@10 level(0)@62 level(1)@164 level(2)@266 release@266 \
                quiet@400 grasp@400 quiet@430 release@430 level(0)@430 quiet@9000";
    for _ in 0..3 {
        assert_eq!(play(&mut sut, &lamp(), held).as_deref(), Ok(seen));
    }
}

#[test]
fn the_lamp_on_the_real_clock() {
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let _lamp = start_lamp(&endpoint, &[]);
    let mut sut = Tron::new(endpoint, lamp(), patient());
    for _ in 0..2 {
        sut.reset().unwrap();
        let grasp = sut.input(&action(&lamp(), "grasp", &[])).unwrap();
        let mut earliest_ns = grasp.from_ns + 50 * MS;
        for level in 0..3 {
            let seen = sut.wait(grasp.to_ns + 20_000 * MS).unwrap();
            let Seen::Output { action, at_ns, .. } = seen else { panic!("no light") };
            assert_eq!(action.values, ints(&[level]));
            assert!(at_ns >= earliest_ns, "level {level} came {at_ns} ns after the start");
            earliest_ns += 100 * MS;
        }
    }
}

/// Here a second of the device takes a millisecond.
#[test]
fn the_cooling_controller() {
    let interface = interface(&[
        ("temperature", Direction::Input, &["room"]),
        ("startDefrost", Direction::Input, &[]),
        ("display", Direction::Output, &["shown"]),
        ("heaterOn", Direction::Output, &[]),
        ("heaterOff", Direction::Output, &[]),
    ]);
    let start = "reset; wait 33; startDefrost; wait 60; wait 100";
    for (resolution, end) in [("0", 73), ("5", 70)] {
        let program =
            python("examples/cooling/sut/adapter.py", &["--timer-resolution", resolution]);
        let clock = Timekeeping::Virtual;
        let mut sut = Process::new(program, Arc::clone(&interface), clock, patient());
        let seen = play(&mut sut, &interface, start).unwrap();
        let expected = "reset quiet@33 startDefrost@33 heaterOn@33 heaterOff@";
        let off = seen.strip_prefix(expected).unwrap_or_else(|| panic!("{seen}"));
        let off: u64 = off.parse().unwrap();
        assert!((end..=end + 1).contains(&off), "{seen}");
        // The sensor; a reset starts anew.
        sut.reset().unwrap();
        sut.input(&action(&interface, "temperature", &[0])).unwrap();
        let Ok(Seen::Output { action: shown, at_ns, .. }) = sut.wait(50 * MS) else {
            panic!("dark")
        };
        assert_eq!(
            (shown.signal, shown.values),
            (interface.signal("display").unwrap(), ints(&[4]))
        );
        assert!((10 * MS..=11 * MS).contains(&at_ns));
    }
}
