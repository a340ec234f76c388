//! The real clock, for a moment: I(8, 4), whose coffee is not long in coming.

use std::{net::TcpStream, thread};

use punctual_exec::{
    Endpoint, InProcess, Library, Limits, Process, Program, Seen, Sut, Tcp, Timekeeping,
};
use punctual_sdk::serve;

use crate::{coffee_machine::Machine, support::*};

/// The machine may be busy with other things, so only order and lower bounds are certain.
fn check(mut sut: impl Sut) {
    let interface = coffee();
    assert!(!sut.is_virtual());
    for _ in 0..2 {
        sut.reset().unwrap();
        assert_eq!(sut.wait(5 * MS), Ok(Seen::Quiet));
        assert!(sut.now_ns() >= 5 * MS);
        let coin = sut.input(&action(&interface, "coin", &[])).unwrap();
        assert!(5 * MS <= coin.from_ns && coin.from_ns <= coin.to_ns);
        let req = sut.input(&action(&interface, "req", &[])).unwrap();
        assert!(coin.to_ns <= req.from_ns);
        let Seen::Output { action, at_ns, .. } = sut.wait(req.to_ns + 5_000 * MS).unwrap() else {
            panic!("no coffee in five seconds")
        };
        assert_eq!(interface.signals[action.signal].name, "weakCoffee");
        assert!(at_ns >= req.from_ns + 4 * MS, "{at_ns} {req:?}");
        assert!(sut.now_ns() >= at_ns);
        let until_ns = sut.now_ns() + 5 * MS;
        assert_eq!(sut.wait(until_ns), Ok(Seen::Quiet));
        // The next round starts while coffee is being made.
        sut.input(&crate::support::action(&interface, "coin", &[])).unwrap();
        sut.input(&crate::support::action(&interface, "req", &[])).unwrap();
    }
    sut.stop();
}

#[test]
fn in_process() {
    let machine = Box::new(Machine::new(8, 4));
    check(InProcess::new(machine, coffee(), Timekeeping::Real, Limits::default()));
}

#[test]
fn c_library() {
    let arguments = ["8".to_owned(), "4".to_owned()];
    let limits = Limits::default();
    check(Library::open(&compiled().1, &arguments, coffee(), Timekeeping::Real, limits).unwrap());
}

#[test]
fn c_process() {
    let arguments = vec!["8".into(), "4".into()];
    let program = Program { program: compiled().0.clone(), arguments, ..Program::default() };
    check(Process::new(program, coffee(), Timekeeping::Real, Limits::default()));
}

#[test]
fn python_process() {
    let program = python("examples/coffee-machine/sut/machine.py", &["8", "4"]);
    check(Process::new(program, coffee(), Timekeeping::Real, Limits::default()));
}

#[test]
fn rust_over_tcp() {
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let address = endpoint.local_address().unwrap();
    let server =
        thread::spawn(move || serve::tcp(Machine::new(8, 4), TcpStream::connect(address).unwrap()));
    check(Tcp::new(endpoint, coffee(), Timekeeping::Real, Limits::default()));
    server.join().unwrap().unwrap();
}
