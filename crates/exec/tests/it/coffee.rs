//! The coffee machine I(40, 20), reached in every way: always the same trace.

use std::{net::TcpStream, thread};

use punctual_exec::{
    Endpoint, InProcess, Library, Limits, Process, Program, Sut, SutError, Tcp, Timekeeping,
};
use punctual_sdk::serve;

use crate::{
    coffee_machine::Machine,
    model::{POLICIES, example, played},
    support::*,
};

const SCRIPT: &str = "reset; coin; wait 30; req; wait 30; wait 200; wait 100; coin; coin; wait 141; \
    req; req; wait 181; wait 181; wait 500; coin; reset; req; wait 60; coin; wait 60; req; wait 70";

const EXPECTED: &str = "reset coin@0 quiet@30 req@30 quiet@30 weakCoffee@50 quiet@100 coin@100 \
    coin@100 quiet@141 req@141 req@141 strongCoffee@181 quiet@181 quiet@500 coin@500 reset req@0 \
    quiet@60 coin@60 quiet@60 req@60 quiet@70";

/// The only caller of adapters here: plays the script twice.
pub(crate) fn check(mut sut: impl Sut) {
    assert!(sut.is_virtual());
    let interface = coffee();
    assert_eq!(play(&mut sut, &interface, "wait 1"), Err(SutError::NotReset));
    for _ in 0..2 {
        assert_eq!(play(&mut sut, &interface, SCRIPT).unwrap(), EXPECTED);
    }
    sut.stop();
    assert_eq!(play(&mut sut, &interface, "coin"), Err(SutError::NotReset));
    assert_eq!(play(&mut sut, &interface, SCRIPT).unwrap(), EXPECTED);
}

#[test]
fn in_process() {
    let machine = Box::new(Machine::new(40, 20));
    check(InProcess::new(machine, coffee(), Timekeeping::Virtual, Limits::default()));
}

/// The model of the same machine, for every policy: it leaves no choice.
#[test]
fn model() {
    let implementation = example("coffee-machine/implementation.xml");
    for policy in POLICIES {
        check(played(&implementation, coffee(), policy).unwrap());
    }
}

#[test]
fn python_process() {
    let program = python("examples/coffee-machine/sut/machine.py", &["40", "20"]);
    check(Process::new(program, coffee(), Timekeeping::Virtual, Limits::default()));
}

#[test]
fn c_process() {
    let program = Program {
        program: compiled().0.clone(),
        arguments: vec!["40".into(), "20".into()],
        ..Program::default()
    };
    check(Process::new(program, coffee(), Timekeeping::Virtual, Limits::default()));
}

#[test]
fn c_library() {
    let arguments = ["40".to_owned(), "20".to_owned()];
    let library = &compiled().1;
    let open = |arguments: &[String]| {
        Library::open(library, arguments, coffee(), Timekeeping::Virtual, Limits::default())
    };
    // Two systems of one library do not know of each other.
    let other = open(&arguments);
    check(open(&arguments).unwrap());
    drop(other);
    let error = open(&[]).err().unwrap().to_string();
    assert!(error.ends_with("could not be started: usage: machine DS DW"), "{error}");
}

#[test]
fn rust_over_tcp_system_connects() {
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let address = endpoint.local_address().unwrap();
    // It connects again when the tester stopped it.
    thread::spawn(move || {
        while let Ok(stream) = TcpStream::connect(address) {
            let _ = serve::tcp(Machine::new(40, 20), stream);
        }
    });
    check(Tcp::new(endpoint, coffee(), Timekeeping::Virtual, Limits::default()));
}

#[test]
fn python_over_tcp_tester_connects() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let program = python("examples/coffee-machine/sut/machine.py", &[]);
    let mut child = std::process::Command::new(program.program)
        .args(program.arguments)
        .args(["40", "20", "listen", &port.to_string()])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let endpoint = Endpoint::Connect(format!("127.0.0.1:{port}"));
    check(Tcp::new(endpoint, coffee(), Timekeeping::Virtual, Limits::default()));
    child.kill().unwrap();
    child.wait().unwrap();
}
