//! Whole runs with systems that are reached by the protocol: several with one process, several over one
//! connection, over one connection each, and what a run tells its oracle in which order.

use std::{
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use punctual_exec::online::{Budget, Options, Run, Watcher, run};
use punctual_exec::{
    Endpoint, Handover, Limits, ModelOptions, Note, Played, Policy, Process, Refusal, Seen, Sut,
    SutError, Tcp, Timekeeping,
};
use punctual_lang::{Input, testing};
use punctual_model::{Action, Event, Happening, Network, PortId, Verdict};
use punctual_oracle::conformance::{Coverage, Session, Specification};
use punctual_oracle::{Cause, Ending, Finding, Sets};
use punctual_sdk::serve;
use punctual_semantics::split::Named;
use punctual_testgen::{Decision, Random, RandomOptions, Situation, Strategy};

use crate::{
    coffee_machine::Machine,
    model::{example, network},
    support::*,
    version2::system,
};

fn specification(network: Network, toml: &str) -> Specification {
    let reading = testing::read(&network, Input { name: "punctual.toml", bytes: toml.as_bytes() });
    let config = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let named = Named { environment: config.environment, system: config.system };
    Specification::new(network, config.wired, &named).unwrap()
}

/// What coffee machines may do.
fn universal() -> Specification {
    let toml = std::fs::read_to_string(root().join("examples/coffee-machine/punctual.toml"));
    specification(example("coffee-machine/universal.xml"), &toml.unwrap())
}

fn options(specification: &Specification, time_ns: u64) -> Options {
    Options {
        budget: Budget { time_ns, events: 1_000 },
        horizon: specification.largest_constant(),
        lateness_ns: 0,
        update_ns: punctual_exec::online::UPDATE_NS,
        windows: false,
        time: specification.interface().time,
    }
}

/// The only caller of runs with coffee machines here.
fn make_run(specification: &Specification, sut: &mut dyn Sut, seed: u64) -> Result<Run, SutError> {
    let mut session = Session::new(specification, Coverage::new(false)).unwrap();
    let mut strategy = Random::new(seed, 0, RandomOptions { restart: 0.02, ..Default::default() });
    run(&mut session, sut, &mut strategy, &options(specification, 2_000 * MS), &mut ())
}

/// Runs pass, and have something to tell.
fn check(sut: &mut dyn Sut) {
    let specification = universal();
    for seed in 0..4 {
        let run = make_run(&specification, sut, seed).unwrap();
        assert!(run.judged.judgement.is_pass(), "{:?}", run.judged);
        assert!(run.statistics.outputs > 5, "{:?}", run.statistics);
    }
}

#[test]
fn several_runs_with_one_process() {
    let program = python("examples/coffee-machine/sut/machine.py", &["40", "20"]);
    let mut sut = Process::new(program, coffee(), Timekeeping::Virtual, Limits::default());
    check(&mut sut);
}

/// A Python kit that connects; it ends with the test.
struct Connecting(Child);

impl Connecting {
    fn start(endpoint: &Endpoint) -> Connecting {
        let port = endpoint.local_address().unwrap().port().to_string();
        let program = python("examples/coffee-machine/sut/machine.py", &[]);
        let mut command = Command::new(program.program);
        command.args(program.arguments).args(["40", "20", "connect", "127.0.0.1", &port]);
        Connecting(command.stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Connecting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn patient() -> Limits {
    Limits { start: std::time::Duration::from_secs(30), ..Limits::default() }
}

#[test]
fn several_runs_over_one_connection_of_the_python_kit() {
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let _machine = Connecting::start(&endpoint);
    check(&mut Tcp::new(endpoint, coffee(), Timekeeping::Virtual, patient()));
}

/// A tester that lets go of the connection after each run: the kit connects again.
#[test]
fn several_runs_over_connections_of_the_python_kit() {
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let _machine = Connecting::start(&endpoint);
    let mut sut = Tcp::new(endpoint, coffee(), Timekeeping::Virtual, patient());
    let specification = universal();
    for seed in 0..4 {
        let run = make_run(&specification, &mut sut, seed).unwrap();
        assert!(run.judged.judgement.is_pass(), "{:?}", run.judged);
        sut.stop();
    }
}

/// No run takes a connection of its own.
#[test]
fn runs_share_a_connection() {
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let address = endpoint.local_address().unwrap();
    let n_connections = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&n_connections);
    let system = thread::spawn(move || {
        while let Ok(stream) = TcpStream::connect(address) {
            counted.fetch_add(1, Ordering::Relaxed);
            let _ = serve::tcp(Machine::new(40, 20), stream);
        }
    });
    let mut sut = Tcp::new(endpoint, coffee(), Timekeeping::Virtual, patient());
    check(&mut sut);
    assert_eq!(n_connections.load(Ordering::Relaxed), 1);
    drop(sut);
    system.join().unwrap();
}

/// A run with a system that never got ready is none; a system that breaks down later fails.
#[test]
fn systems_that_never_ran_get_no_verdict() {
    let specification = universal();
    for (body, is_run) in [
        ("sys.exit(1)", false),
        ("say({'ready': 0})\nhear()\nsys.exit(1)", false),
        ("start()\nsay({'log': 'here'})\nhear()\nsys.exit(1)", true),
    ] {
        let mut sut = system(body, (*coffee()).clone(), Timekeeping::Virtual);
        match make_run(&specification, &mut sut, 0) {
            Err(error) => assert!(!is_run && matches!(error, SutError::NotReady(_)), "{error}"),
            Ok(run) => {
                assert!(is_run && run.judged.judgement.is_fail());
                assert_eq!(run.judged.judgement.reason().map(Finding::cause), Some(Cause::Crash));
                assert!(matches!(run.ending, Ending::Broken(Cause::Crash, _)));
                assert!(matches!(run.error, Some(SutError::Crashed { .. })));
            }
        }
    }
}

/// A light that goes on after a touch, and can be looked at.
const LIGHT: &str = "
    chan touch, on;
    process Light() {
        state Dark, Soon, Bright;
        init Dark;
        trans Dark -> Soon { sync touch?; }, Soon -> Bright { sync on!; };
    }
    process User() {
        state S;
        init S;
        trans S -> S { sync touch!; }, S -> S { sync on?; };
    }
    system Light, User;";

const LIGHT_INTERFACE: &str = "
    [interface]
    inputs = [\"touch\"]
    outputs = [\"on\"]
    observe = [\"Light.location\"]
    time-unit = \"1ms\"";

/// Touches, then looks.
struct Look {
    ports: Vec<PortId>,
    n_done: usize,
}

impl Look {
    fn new(specification: &Specification) -> Look {
        Look { ports: specification.interface().ports.ids().collect(), n_done: 0 }
    }
}

impl Strategy for Look {
    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        let at_ns = situation.now_ns;
        match (self.n_done, situation.candidates.is_empty()) {
            (0, false) => Decision::Send { candidate: 0, at: situation.now },
            (1, _) => Decision::Read { ports: self.ports.clone(), at_ns },
            _ => Decision::End { at_ns },
        }
    }

    fn sent(&mut self) {
        self.n_done += 1;
    }
}

/// Keeps what it sees.
#[derive(Default)]
struct Kept {
    events: Vec<Event>,
    notes: Vec<String>,
}

impl Watcher for Kept {
    fn event(&mut self, event: &Event, _: Sets) {
        self.events.push(event.clone());
    }

    fn note(&mut self, _: u64, note: &Note) {
        self.notes.push(note.text.clone());
    }
}

/// On the real clock, an output that was sent before the answer to a question was sent before it: that the
/// light is bright is explained by the output, not the other way round.
#[test]
fn what_came_before_an_answer_is_judged_before_it() {
    let body = r#"
start()
hear()
hear()
say({"output": "on", "at": 5})
say({"values": {"Light.location": "Bright"}, "at": 6})
hear()
"#;
    let light = specification(network("light.xta", LIGHT.as_bytes()), LIGHT_INTERFACE);
    let mut sut = system(body, light.interface().clone(), Timekeeping::Real);
    let mut session = Session::new(&light, Coverage::new(false)).unwrap();
    let (mut look, mut kept) = (Look::new(&light), Kept::default());
    let options = Options { lateness_ns: 1_000 * MS, ..options(&light, 60_000 * MS) };
    let run = run(&mut session, &mut sut, &mut look, &options, &mut kept).unwrap();
    let told: Vec<String> =
        kept.events.iter().map(|event| light.interface().happening_text(&event.what)).collect();
    assert_eq!(told, ["touch", "on", "Light.location = Bright"]);
    assert_eq!(kept.events[1].device_ns, Some(5));
    assert!(run.judged.judgement.is_pass(), "{:?}", run.judged);
}

/// What a system did before it broke down is part of the run.
#[test]
fn what_came_before_a_crash_is_told() {
    let body = r#"
start()
hear()
hear()
say({"output": "on", "at": 5})
say({"log": "good bye"})
sys.exit(3)
"#;
    let light = specification(network("light.xta", LIGHT.as_bytes()), LIGHT_INTERFACE);
    let mut sut = system(body, light.interface().clone(), Timekeeping::Real);
    let mut session = Session::new(&light, Coverage::new(false)).unwrap();
    let (mut look, mut kept) = (Look::new(&light), Kept::default());
    let options = options(&light, 60_000 * MS);
    let run = run(&mut session, &mut sut, &mut look, &options, &mut kept).unwrap();
    assert_eq!(run.judged.judgement.reason().map(Finding::cause), Some(Cause::Crash));
    let last = kept.events.last().map(|event| &event.what);
    let on = light.interface().signal("on");
    assert!(matches!(last, Some(Happening::Signal(action)) if Some(action.signal) == on));
    assert_eq!(kept.notes, ["good bye"]);
}

/// A system can be used again after a run that it broke.
#[test]
fn a_run_after_a_crash() {
    let body = "start()\nhear()\nsys.exit(1)";
    let mut sut = system(body, (*coffee()).clone(), Timekeeping::Virtual);
    for seed in 0..3 {
        let run = make_run(&universal(), &mut sut, seed).unwrap();
        assert!(run.judged.judgement.is_fail());
        assert_eq!(sut.wait(5), Err::<Seen, _>(SutError::NotReset));
    }
}

/// On the real clock, a missing output is a fail although the machine was late: the run goes on until lateness explains nothing
/// any more. A tester that may not be late at all always is.
#[test]
fn a_missing_output_is_decided_after_a_stall() {
    let model =
        LIGHT.replace("state Dark, Soon, Bright", "clock x; state Dark, Soon { x <= 20 }, Bright");
    let model = model.replace("sync touch?;", "sync touch?; assign x = 0;");
    let light = specification(network("light.xta", model.as_bytes()), LIGHT_INTERFACE);
    let body = "start()\nwhile True:\n    hear()\n";
    let touch = Action { signal: light.interface().signal("touch").unwrap(), values: Vec::new() };
    for run_number in 0..5 {
        let mut sut = system(body, light.interface().clone(), Timekeeping::Real);
        let mut session = Session::new(&light, Coverage::new(false)).unwrap();
        let acts = vec![(MS, Happening::Signal(touch.clone()))];
        let mut script = punctual_testgen::Script::new(acts, 60_000 * MS);
        let options = options(&light, 60_000 * MS);
        let run = run(&mut session, &mut sut, &mut script, &options, &mut ()).unwrap();
        assert!(run.late_ns.is_some(), "run {run_number}: {:?}", run.late_ns);
        let cause = run.judged.judgement.reason().map(Finding::cause);
        assert!(run.judged.judgement.is_fail(), "run {run_number}: {:?}", run.judged);
        assert_eq!(cause, Some(Cause::Missing));
    }
}

/// A model that may be in more and more states, which nobody sees: each of some processes goes round by itself.
const CROWD: &str = "
    chan go, out; int n;
    process Env() { state A; init A; trans A -> A { sync go!; }, A -> A { sync out?; }; }
    process P(const int i) {
        clock x; state A { x <= 9 }; init A;
        trans A -> A { guard x >= 2 + i; assign x = 0, n = (n + i) % 7; };
    }
    process Sys() { state A; init A; trans A -> A { sync go?; }, A -> A { guard n < 8; sync out!; }; }
    P1 = P(1); P2 = P(2); P3 = P(3); P4 = P(4);
    system Env, P1, P2, P3, P4, Sys;";

const CROWD_TOML: &str =
    "[interface]\ninputs = [\"go\"]\noutputs = [\"out\"]\ntime-unit = \"1ms\"\n";

/// Following a model must not take so long that the tester falls behind: the run is inconclusive then, and says why. The next run has time of its own.
#[test]
fn an_update_that_takes_too_long_is_given_up() {
    let network = network("crowd.xta", CROWD.as_bytes());
    let crowd = specification(network.clone(), CROWD_TOML);
    let interface = Arc::new(crowd.interface().clone());
    let play = || {
        let options =
            ModelOptions { policy: Policy::Latest, refusal: Refusal::Error, environment: None };
        Played::new(&network, interface.clone(), options, Timekeeping::Real, Limits::default())
            .unwrap()
    };
    for _ in 0..2 {
        let options = Options { update_ns: 20_000_000, ..options(&crowd, 60_000 * MS) };
        let mut session = Session::new(&crowd, Coverage::new(false)).unwrap();
        let mut strategy = Random::new(1, 0, RandomOptions::default());
        let run = run(&mut session, &mut play(), &mut strategy, &options, &mut ()).unwrap();
        assert_eq!(run.judged.judgement.verdict(), Verdict::Inconclusive, "{:?}", run.judged);
        assert_eq!(run.judged.cause(), Some(Cause::TooSlow));
        assert!(matches!(run.ending, Ending::Broken(Cause::TooSlow, _)), "{:?}", run.ending);
        assert!(run.statistics.duration_ns < 20_000 * MS, "{:?}", run.statistics);
    }
    assert!(!crowd.budget().is_spent());
}

/// A system that says nothing and dies some time after its reset, by a clock that goes on when somebody waits.
struct Dying {
    now_ns: u64,
    dies_ns: u64,
}

impl Sut for Dying {
    fn reset(&mut self) -> Result<(), SutError> {
        self.now_ns = 0;
        Ok(())
    }

    fn now_ns(&mut self) -> u64 {
        self.now_ns
    }

    fn input(&mut self, _: &Action) -> Result<Handover, SutError> {
        Ok(Handover { from_ns: self.now_ns, to_ns: self.now_ns })
    }

    fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        self.now_ns = self.now_ns.max(until_ns);
        match self.now_ns < self.dies_ns {
            true => Ok(Seen::Quiet),
            false => Err(SutError::Crashed {
                doing: "wait for its next input".into(),
                status: "signal 11".into(),
                stderr: vec!["out of coffee".into()],
            }),
        }
    }

    fn is_virtual(&self) -> bool {
        false
    }

    fn stop(&mut self) {}
}

/// A system that fails, and then dies while it is watched on, has done both: the crash is told beside the fail.
#[test]
fn a_crash_after_a_fail_is_told() {
    let text = "
        chan go, out;
        process Env() { state A; init A; trans A -> A { sync go!; }, A -> A { sync out?; }; }
        process Sys() { clock x; state A { x <= 10 }; init A; trans A -> A { sync go?; }, A -> A { sync out!; assign x = 0; }; }
        system Env, Sys;";
    let quick = specification(network("quick.xta", text.as_bytes()), CROWD_TOML);
    for (dies_ms, crashes) in [(105, true), (1_000_000, false)] {
        let mut sut = Dying { now_ns: 0, dies_ns: dies_ms * MS };
        let mut session = Session::new(&quick, Coverage::new(false)).unwrap();
        let mut strategy = Waits;
        let options = options(&quick, 60_000 * MS);
        let run = run(&mut session, &mut sut, &mut strategy, &options, &mut ()).unwrap();
        assert!(run.judged.judgement.is_fail() || run.judged.excused, "{:?}", run.judged);
        let ending = match &run.ending {
            Ending::Broken(Cause::Crash, words) => words.contains("out of coffee"),
            _ => false,
        };
        assert_eq!((ending, run.error.is_some()), (crashes, crashes), "{:?}", run.ending);
    }
}

/// Sends nothing.
struct Waits;

impl Strategy for Waits {
    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        Decision::Wait { until: situation.now + 1_000 }
    }
}
