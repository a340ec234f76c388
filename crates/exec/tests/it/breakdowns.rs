//! Systems of version 2 that break the rules, programs that end in odd ways, and systems that never get
//! ready: each gives its error, in bounded time, and is told what was wrong.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicUsize, atomic::Ordering},
    time::Duration,
};

use punctual_exec::{Limits, Process, Program, Seen, Sut, SutError, Timekeeping, end_all};
use punctual_model::{Cause, Direction, Interface, PortRole, Reading, Value, ValueType};

use crate::{
    nasty::{now, runs},
    support::*,
    version2::{limited, system},
};

const SECOND: Duration = Duration::from_secs(1);
const CLOCKS: [Timekeeping; 2] = [Timekeeping::Virtual, Timekeeping::Real];

/// One input and one output signal, and ports of each role.
fn lamp() -> Interface {
    with_ports(
        &[("touch", Direction::Input, &[]), ("off", Direction::Output, &[])],
        &[
            ("x", PortRole::Input, SMALL),
            ("y", PortRole::Output, SMALL),
            ("z", PortRole::Output, ValueType::Bool),
            ("seen", PortRole::Observed, SMALL),
        ],
    )
}

/// A file that no other test has.
fn fresh_file() -> PathBuf {
    static N_FILES: AtomicUsize = AtomicUsize::new(0);
    let number = N_FILES.fetch_add(1, Ordering::Relaxed);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("told_{number}"));
    let _ = std::fs::remove_file(&file);
    file
}

/// What the tester asks for.
#[derive(Clone, Copy, Debug)]
enum Ask {
    Set,
    Step,
    Read,
    Wait,
}

fn ask(sut: &mut dyn Sut, ask: Ask) -> Result<(), SutError> {
    let interface = lamp();
    let port = |name: &str| interface.port(name).unwrap();
    match ask {
        Ask::Set => {
            let ports = Reading { values: vec![(port("x"), Value::Int(1))] };
            sut.set(&ports).and_then(|_| sut.settle())
        }
        Ask::Step => sut.step(&[Value::Int(1)]).map(drop),
        Ask::Read => sut.read(&[port("seen")]).map(drop),
        Ask::Wait => sut.wait(10_000 * MS).map(drop),
    }
}

/// The error that comes of an answer; the system must be told the same.
fn error_of(timekeeping: Timekeeping, question: Ask, answer: &str) -> SutError {
    let file = fresh_file();
    let body = format!(
        "start()\nif is_virtual or '{question:?}' != 'Wait':\n    hear()\nsay('{answer}')\n\
         open('{}', 'w').write(hear()['stop'])\n",
        file.display()
    );
    let mut sut = system(&body, lamp(), timekeeping);
    sut.reset().unwrap();
    let start = now();
    let error = ask(&mut sut, question).expect_err(answer);
    assert!(start.elapsed() < 4 * SECOND, "{answer}: {:?}", start.elapsed());
    let told = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(told, error.to_string(), "what the system was told, after {answer}");
    assert_eq!(sut.wait(0), Err(SutError::NotReset));
    error
}

#[test]
fn answers_that_can_not_be() {
    use Ask::*;
    let y = r#"{"stepped":{"y":1,"z":true}"#;
    for (question, answer, virtually, really) in [
        (
            Read,
            r#"{"values":{"seen":11},"at":0}"#,
            "seen = 11, but the test interface declares",
            "",
        ),
        (Read, r#"{"values":{"seen":true},"at":0}"#, "seen = true, but the test interface", ""),
        (
            Read,
            r#"{"values":{"seen":1.5},"at":0}"#,
            "declares seen as a whole number from 0 to",
            "",
        ),
        (
            Read,
            r#"{"values":{"x":1},"at":0}"#,
            "`seen` is not in its answer; it had to say all",
            "",
        ),
        (
            Read,
            r#"{"values":{"seen":1,"sene":1},"at":0}"#,
            "sent `sene`, which is not in the test interface; did you mean `seen`?",
            "",
        ),
        (Read, r#"{"values":[1],"at":0}"#, "`values` must be an object of names and values", ""),
        (Read, r#"{"error":"no \\"beans\\""}"#, "reported an error: no \"beans\"", ""),
        (
            Read,
            r#"{"values":{"seen":1},"at":5}"#,
            "it answered for 5 ns; it had to answer a question for values for 0 ns",
            "none",
        ),
        (Read, r#"{"values":{"seen":1}}"#, "it answered without `at`; it had to", "none"),
        (
            Read,
            r#"{"done":0}"#,
            "it sent done 0; it had to answer a question for values",
            "it sent done 0; it had to send nothing but outputs and steps",
        ),
        (
            Read,
            r#"{"output":"off","at":0}"#,
            "it sent the output `off`; it had to answer a question for values",
            "did not answer a question for values within 1.5 s",
        ),
        (Step, r#"{"stepped":{"y":1},"step":1,"at":0}"#, "`z` is not in its answer", ""),
        (Step, r#"{"stepped":{"y":1,"z":2},"step":1,"at":0}"#, "declares z as true or false", ""),
        (Step, r#"{"stepped":[],"step":1,"at":0}"#, "`stepped` must be an object of names", ""),
        (
            Step,
            r#"{"stepped":{"y":1,"z":true},"step":2,"at":0}"#,
            "it told of step 2; it had to answer a step with stepped 1",
            "it told of step 2; it had to send nothing but outputs and steps",
        ),
        (
            Step,
            r#"{"stepped":{"y":1,"z":true},"at":0}"#,
            "it told of a step of its own; it had to answer a step with stepped 1",
            "did not answer a step with stepped within 1.5 s",
        ),
        (
            Step,
            r#"{"values":{"y":1},"at":0}"#,
            "it sent values; it had to answer a step",
            "nothing",
        ),
        (Set, r#"{"done":5}"#, "it sent done 5; it had to answer ports that are set", "none"),
        (Wait, r#"{"values":{"seen":1},"at":0}"#, "it sent values; it had to", "nothing but"),
        (
            Wait,
            &format!(r#"{y},"step":1,"at":5}}"#),
            "it told of step 1; it had to answer",
            "nothing",
        ),
        (
            Wait,
            &format!(r#"{y},"inputs":{{"z":true}},"at":5}}"#),
            "it told of `z` as an input; `z` is no input of the test interface",
            "",
        ),
        (Wait, &format!(r#"{y},"inputs":{{"x":11}},"at":5}}"#), "declares x as a whole", ""),
        (Wait, &format!("{y}}}"), "`a step` came without `at`; it had to be from 0 to", "none"),
    ] {
        let error = error_of(Timekeeping::Virtual, question, answer);
        assert!(error.to_string().contains(virtually), "{answer}: {error}");
        assert!(error.cause().is_some(), "{answer}");
        let really = if really.is_empty() { virtually } else { really };
        if really != "none" {
            let error = error_of(Timekeeping::Real, question, answer);
            assert!(error.to_string().contains(really), "{answer}: {error}");
        }
    }
}

#[test]
fn floods_of_steps_and_of_lines_for_people() {
    let step = r#"{"stepped":{"y":1,"z":true},"at":5}"#;
    let flood =
        format!("start()\nwhile True:\n    if is_virtual:\n        hear()\n    say('{step}')\n");
    let strict = Limits { outputs_per_second: 200, ..limits() };
    for (timekeeping, expected) in [
        (Timekeeping::Virtual, "the system sent more than 1000 outputs at one instant"),
        (Timekeeping::Real, "the system sent more than 200 outputs in a second"),
    ] {
        let mut sut = limited(&flood, lamp(), timekeeping, strict.clone());
        sut.reset().unwrap();
        let error = (0..100_000).find_map(|_| sut.wait(10_000 * MS).err()).unwrap();
        assert_eq!((error.to_string().as_str(), error.cause()), (expected, Some(Cause::Flood)));
    }
    // Before an answer, too.
    let mut sut = limited(&flood, lamp(), Timekeeping::Real, strict);
    sut.reset().unwrap();
    let error = ask(&mut sut, Ask::Read).unwrap_err();
    assert_eq!(error.cause(), Some(Cause::Flood), "{error}");
}

/// The shell as a system that gets ready and then does something.
fn shell(deed: &str, timekeeping: Timekeeping) -> Process {
    shell_with(
        &format!("read l; echo '{{\"ready\":0}}'; read l; echo '{{\"ready\":1}}'; {deed}"),
        timekeeping,
        limits(),
    )
}

fn shell_with(script: &str, timekeeping: Timekeeping, limits: Limits) -> Process {
    let program = Program {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        ..Program::default()
    };
    Process::new(program, Arc::new(lamp()), timekeeping, limits)
}

/// It reads no more, and never stops to talk: on the real clock nobody waits for an answer.
#[test]
fn a_flood_of_one_that_reads_no_more() {
    let mut sut = shell("exec <&-; yes '{\"output\":\"off\"}'", Timekeeping::Real);
    sut.reset().unwrap();
    let start = now();
    let touch = action(&lamp(), "touch", &[]);
    let error = (0..1_000_000).find_map(|_| sut.input(&touch).err()).unwrap();
    assert!(start.elapsed() < 4 * SECOND, "{:?}", start.elapsed());
    assert_eq!(error.cause(), Some(Cause::Crash), "{error}");
}

/// One that never reads is waited for once, not twice.
#[test]
fn one_that_never_reads() {
    let mut sut = shell("sleep 100", Timekeeping::Real);
    sut.reset().unwrap();
    let touch = action(&lamp(), "touch", &[]);
    let start = now();
    let error = (0..1_000_000).find_map(|_| sut.input(&touch).err()).unwrap();
    assert_eq!(error.cause(), Some(Cause::Hang), "{error}");
    assert!(start.elapsed() < Duration::from_millis(2800), "{:?}", start.elapsed());
}

/// A child that keeps the pipes of a dead program open does not make it alive.
#[test]
fn children_of_the_dead() {
    for timekeeping in CLOCKS {
        for ending in ["exit 3", "kill -SEGV $$"] {
            let script = format!("sleep 100 & read l; echo 'no beans' >&2; {ending}");
            let script =
                format!("read l; echo '{{\"ready\":0}}'; read l; echo '{{\"ready\":1}}'; {script}");
            // Nobody waits for an answer that long.
            let patient = Limits { answer: 60 * SECOND, ..limits() };
            let mut sut = shell_with(&script, timekeeping, patient);
            sut.reset().unwrap();
            let start = now();
            let touch = action(&lamp(), "touch", &[]);
            let error = sut.input(&touch).and_then(|_| sut.wait(60_000 * MS)).unwrap_err();
            assert_eq!(error.cause(), Some(Cause::Crash), "{error}");
            assert!(error.to_string().contains("no beans"), "{error}");
            // A second, and what a busy machine takes.
            assert!(start.elapsed() < 2 * SECOND, "{ending}: {:?}", start.elapsed());
        }
    }
}

/// What it says last counts, although it ends at once.
#[test]
fn last_words_of_one_whose_child_stays() {
    for timekeeping in CLOCKS {
        let deed = "sleep 100 & read l; echo '{\"error\":\"no beans\"}'; exit 3";
        let mut sut = shell(deed, timekeeping);
        sut.reset().unwrap();
        let touch = action(&lamp(), "touch", &[]);
        let error = sut.input(&touch).and_then(|_| sut.wait(60_000 * MS)).unwrap_err();
        assert_eq!(error, SutError::Reported { text: "no beans".into() });
    }
}

/// The memory of this program, in megabytes.
#[cfg(target_os = "linux")]
fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[cfg(target_os = "linux")]
#[test]
fn endless_lines_take_no_memory() {
    let before_mb = resident_mb();
    for timekeeping in CLOCKS {
        let mut sut = shell("exec tr '\\0' x < /dev/zero", timekeeping);
        sut.reset().unwrap();
        let error = sut.wait(60_000 * MS).unwrap_err().to_string();
        assert!(error.contains("the line is too long: `xxxxx"), "{error}");
        // The same on the way that nobody waits for.
        let mut sut = shell("tr '\\0' x < /dev/zero >&2", timekeeping);
        sut.reset().unwrap();
        assert!(sut.wait(300 * MS).is_ok_and(|seen| seen == Seen::Quiet) || sut.is_virtual());
        // Long lines for people, without end.
        let long = "x".repeat(60_000);
        let body = format!("start()\nwhile True:\n    say({{'log': '{long}'}})\n");
        let mut sut = system(&body, lamp(), timekeeping);
        sut.reset().unwrap();
        let _ = sut.wait(1_000 * MS);
        assert!(sut.take_notes().iter().all(|note| note.text.chars().count() <= 1001));
    }
    // All tests share this memory; a reader without bounds takes gigabytes.
    assert!(resident_mb() < before_mb + 700, "{before_mb} MB, then {} MB", resident_mb());
}

/// A system that never got ready says nothing about itself.
#[test]
fn systems_that_never_get_ready() {
    let never = |sut: &mut dyn Sut| {
        let start = now();
        let error = sut.reset().unwrap_err();
        assert!(start.elapsed() < 4 * SECOND, "{error}");
        assert!(matches!(error, SutError::NotReady(_)), "{error}");
        assert_eq!(error.cause(), None);
        error.to_string()
    };
    let program = Program {
        program: "python3".into(),
        arguments: vec!["-m".into(), "no_such_module_anywhere".into()],
        ..Program::default()
    };
    let mut sut = Process::new(program, Arc::new(lamp()), Timekeeping::Virtual, limits());
    let error = never(&mut sut);
    assert!(error.starts_with("the system never got ready: the system ended (exit code 1)"));
    assert!(error.contains("No module named no_such_module_anywhere"), "{error}");
    let ready = "read l; echo '{\"ready\":0}'; read l";
    let impatient = Limits { start: Duration::from_millis(300), ..limits() };
    let impatient = Limits { answer: Duration::from_millis(300), ..impatient };
    for (script, expected) in [
        ("sleep 100".to_owned(), "did not answer hello with ready within 300 ms"),
        ("read l; sleep 100".to_owned(), "did not answer hello with ready within 300 ms"),
        ("echo Welcome; read l".to_owned(), "can not be read"),
        ("echo '{\"ready\":1}'; read l".to_owned(), "it sent ready 1; it had to answer hello"),
        ("echo '{\"output\":\"off\"}'; read l".to_owned(), "it sent the output `off`; it had to"),
        ("echo '{\"ready\":0,\"protocol\":9}'; read l".to_owned(), "must be one of [1, 2]"),
        (format!("{ready}; sleep 100"), "did not answer a reset with ready within 300 ms"),
        (format!("{ready}; exit 4"), "ended (exit code 4) when it had to answer a reset"),
        (format!("{ready}; echo '{{\"ready\":7}}'"), "it sent ready 7; it had to answer a reset"),
        (format!("{ready}; echo '{{\"error\":\"no beans\"}}'"), "reported an error: no beans"),
    ] {
        for timekeeping in CLOCKS {
            let error = never(&mut shell_with(&script, timekeeping, impatient.clone()));
            assert!(error.contains(expected), "{script}: {error}");
        }
    }
}

/// Who sends something wrong instead of ready is told what.
#[test]
fn one_that_never_got_ready_is_told_why() {
    let file = fresh_file();
    let body =
        format!("say({{'ready': 5}})\nopen('{}', 'w').write(hear()['stop'])\n", file.display());
    let mut sut = system(&body, lamp(), Timekeeping::Virtual);
    let error = sut.reset().unwrap_err().to_string();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), error);
    assert!(error.ends_with("it sent ready 5; it had to answer hello with ready"), "{error}");
}

/// A process and a grandchild that left the shell that started it.
#[cfg(target_os = "linux")]
fn family(file: &Path) -> String {
    format!(
        "(sleep 100 & echo $! > {0}.child); echo $$ > {0}; mv {0}.child {0}.done; sleep 100",
        file.display()
    )
}

#[cfg(target_os = "linux")]
fn pids(file: &Path) -> Vec<u32> {
    let deadline = now() + 10 * SECOND;
    let done = PathBuf::from(format!("{}.done", file.display()));
    while !done.exists() {
        assert!(now() < deadline);
        std::thread::yield_now();
    }
    let read = |path: &Path| std::fs::read_to_string(path).unwrap().trim().parse().unwrap();
    vec![read(file), read(&done)]
}

#[cfg(target_os = "linux")]
fn await_end(pids: &[u32]) {
    let deadline = now() + 4 * SECOND;
    while pids.iter().any(|pid| runs(*pid)) {
        assert!(now() < deadline, "{pids:?} still run");
        std::thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn grandchildren_end_with_the_system() {
    for timekeeping in CLOCKS {
        let file = fresh_file();
        let _ = std::fs::remove_file(format!("{}.done", file.display()));
        let mut sut = shell(&family(&file), timekeeping);
        sut.reset().unwrap();
        let pids = pids(&file);
        assert!(pids.iter().all(|pid| runs(*pid)));
        drop(sut);
        await_end(&pids);
    }
}

/// Set in a process of its own, which ends all programs.
const ENDS_ALL: &str = "PUNCTUAL_TEST_ENDS_ALL";

/// A tester that ends without dropping what it holds leaves nobody behind, and starts nobody any more.
/// As that ends the programs of all tests, it is done in another process.
#[cfg(target_os = "linux")]
#[test]
fn all_programs_can_be_ended() {
    let Some(file) = std::env::var_os(ENDS_ALL) else {
        let file = fresh_file();
        let _ = std::fs::remove_file(format!("{}.done", file.display()));
        let mut tester = std::process::Command::new(std::env::current_exe().unwrap());
        tester.args(["breakdowns::all_programs_can_be_ended", "--exact", "--test-threads=1"]);
        let output = tester.env(ENDS_ALL, &file).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        await_end(&pids(&file));
        return;
    };
    let file = PathBuf::from(file);
    let mut sut = shell(&family(&file), Timekeeping::Virtual);
    sut.reset().unwrap();
    let pids = pids(&file);
    assert!(pids.iter().all(|pid| runs(*pid)));
    end_all();
    let deadline = now() + 4 * SECOND;
    while runs(pids[1]) {
        assert!(now() < deadline, "{pids:?} still run");
    }
    assert!(matches!(sut.wait(5), Err(SutError::Crashed { .. })));
    let error = sut.reset().unwrap_err().to_string();
    assert!(error.contains("the tester is about to end"), "{error}");
    std::mem::forget(sut);
}
