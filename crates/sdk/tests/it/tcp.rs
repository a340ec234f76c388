//! Testers over TCP, one after the other.

use std::{net::TcpListener, sync::mpsc, thread, time::Duration};

use punctual_sdk::{
    Output, System, Value,
    serve::{self, ServeError},
};
use serde_json::json;

use crate::support::Tester;

/// Says `pong` at once.
#[derive(Default)]
struct Echo(Option<u64>);

impl System for Echo {
    fn reset(&mut self) {
        self.0 = None;
    }

    fn input(&mut self, at_ns: u64, _: &str, _: &[Value]) {
        self.0 = Some(at_ns);
    }

    fn advance(&mut self, _: u64) -> Option<Output> {
        self.0.take().map(|at_ns| Output::new(at_ns, "pong"))
    }

    fn next_ns(&self) -> Option<u64> {
        self.0
    }
}

/// The next system that connects, within ten seconds.
fn tester(listener: &TcpListener) -> Tester {
    let (sender, accepted) = mpsc::channel();
    let listener = listener.try_clone().unwrap();
    thread::spawn(move || sender.send(listener.accept().unwrap().0));
    let stream = accepted.recv_timeout(Duration::from_secs(10)).expect("nobody connects");
    Tester::new(stream.try_clone().unwrap(), stream)
}

fn converse(tester: &mut Tester, clock: &str) {
    tester.greet(clock);
    for number in 1..3 {
        assert_eq!(tester.ask(&json!({"reset": number}).to_string()), json!({"ready": number}));
        tester.say(r#"{"input":"ping","at":0}"#);
        if clock == "virtual" {
            assert_eq!(tester.hear(), Some(json!({"done": 0})));
            tester.say(r#"{"wait":9}"#);
        }
        assert_eq!(tester.hear().unwrap()["output"], "pong");
    }
}

/// However a connection ended, there is a next one.
#[test]
fn a_system_connects_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let patience = Duration::from_millis(300);
    let system = thread::spawn(move || serve::connect(Echo::default(), address, patience));
    for clock in ["virtual", "real", "real", "virtual"] {
        let mut tester = tester(&listener);
        converse(&mut tester, clock);
        tester.say(r#"{"stop":"this run is over"}"#);
    }
    for clock in ["virtual", "real"] {
        converse(&mut tester(&listener), clock);
    }
    // It goes away without a word.
    drop(tester(&listener));
    drop(listener);
    system.join().unwrap().unwrap();
}

#[test]
fn a_tester_that_never_listened_is_an_error() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let end = serve::connect(Echo::default(), address, Duration::from_millis(100));
    assert!(matches!(end, Err(ServeError::Io(_))));
}

#[test]
fn a_tester_that_breaks_the_rules_ends_a_system_that_connects() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let system = thread::spawn(move || serve::connect(Echo::default(), address, serve::PATIENCE));
    let mut tester = tester(&listener);
    let error = json!({"error": "the first message must be hello"});
    assert_eq!(tester.ask(r#"{"reset":1}"#), error);
    assert!(matches!(system.join().unwrap(), Err(ServeError::Protocol(_))));
}
