//! Systems that break the rules, at every point where they can: each gives its error, in bounded
//! time, and nothing is left behind.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use punctual_exec::{Endpoint, Process, Program, Seen, Sut, SutError, Tcp, Timekeeping};
use punctual_model::{Direction, Interface};

use crate::support::*;

const SECOND: Duration = Duration::from_secs(1);

/// One input and two outputs, of which one has a value from 0 to 10.
fn lamp() -> std::sync::Arc<Interface> {
    interface(&[
        ("touch", Direction::Input, &[]),
        ("level", Direction::Output, &["brightness"]),
        ("off", Direction::Output, &[]),
    ])
}

/// What the system does instead of the answer that it owes.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Close,
    Silence,
    Say(&'static [u8]),
    Repeat(&'static [u8]),
}
use Deed::*;

/// Drives a system until the first error, or for a while.
fn drive(sut: &mut dyn Sut) -> Result<(), SutError> {
    let touch = action(&lamp(), "touch", &[]);
    for _ in 0..3 {
        sut.reset()?;
        for i in 1..100 {
            sut.input(&touch)?;
            // Outputs are taken as they come, as a tester would.
            while let Seen::Output { .. } = sut.wait(i * 2 * MS)? {}
        }
    }
    Ok(())
}

/// Answers as it should, so many times; the next time it does the deed.
fn behave(stream: TcpStream, n_obeyed: usize, deed: Deed, is_virtual: bool) {
    let mut writer = stream.try_clone().unwrap();
    let mut n_left = n_obeyed;
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { return };
        let number = |key: &str| {
            let rest = line.split(&format!("\"{key}\":")).nth(1)?;
            rest.split([',', '}']).next().map(str::to_owned)
        };
        let answer = match (number("reset"), number("wait"), number("input")) {
            (Some(reset), ..) => format!("{{\"ready\":{reset}}}\n"),
            (_, Some(until), _) => format!("{{\"quiet\":{until}}}\n"),
            (_, _, Some(_)) if is_virtual => format!("{{\"done\":{}}}\n", number("at").unwrap()),
            (_, _, Some(_)) => String::new(),
            _ => "{\"ready\":0}\n".into(),
        };
        if n_left > 0 {
            n_left -= 1;
            writer.write_all(answer.as_bytes()).unwrap();
            continue;
        }
        match deed {
            Close => return,
            Silence => {}
            Say(bytes) => {
                // The tester may not want to hear all of it.
                let _ = writer.write_all(bytes);
            }
            Repeat(bytes) => while writer.write_all(bytes).is_ok() {},
        }
    }
}

/// The error that comes of a deed.
fn error_of(timekeeping: Timekeeping, n_obeyed: usize, deed: Deed) -> String {
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let address = endpoint.local_address().unwrap();
    let is_virtual = timekeeping == Timekeeping::Virtual;
    let system = thread::spawn(move || {
        behave(TcpStream::connect(address).unwrap(), n_obeyed, deed, is_virtual);
    });
    let mut sut = Tcp::new(endpoint, lamp(), timekeeping, limits());
    let start = now();
    let error = drive(&mut sut).expect_err("a nasty system is found");
    assert!(start.elapsed() < 4 * SECOND, "{deed:?} after {n_obeyed}: {:?}", start.elapsed());
    assert_eq!(sut.wait(0), Err(SutError::NotReset), "nothing is done after an error");
    drop(sut);
    system.join().unwrap();
    error.to_string()
}

#[expect(clippy::disallowed_methods, reason = "how long a test takes is what it is about")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Points of the conversation: what was owed when the deed was done.
const POINTS: [(usize, &str); 4] = [
    (0, "answer hello with ready"),
    (1, "answer a reset with ready"),
    (2, "answer an input with done"),
    (3, "answer a wait with quiet or an output"),
];

/// A system that never got ready is no verdict about it, and the message says so.
fn told(n_obeyed: usize, error: &str) -> String {
    let never = if n_obeyed < 2 { "the system never got ready: " } else { "" };
    format!("{never}{error}")
}

#[test]
fn closing_and_silence_at_each_point_of_the_virtual_clock() {
    for (n_obeyed, owed) in POINTS {
        assert_eq!(
            error_of(Timekeeping::Virtual, n_obeyed, Close),
            told(
                n_obeyed,
                &format!(
                    "the system closed the connection when it had to {owed}; it must stay until it \
                     is told to stop; it wrote nothing to stderr"
                )
            )
        );
    }
    for (n_obeyed, owed) in &POINTS[1..] {
        assert_eq!(
            error_of(Timekeeping::Virtual, *n_obeyed, Silence),
            told(
                *n_obeyed,
                &format!(
                    "the system did not {owed} within 1.5 s; find out where it waits, or allow it \
                     more time; it wrote nothing to stderr"
                )
            )
        );
    }
}

#[test]
fn wrong_messages_at_each_point_of_the_virtual_clock() {
    for (n_obeyed, owed) in POINTS {
        for (deed, reason) in [
            (&b"Hello there!\n"[..], "can not be read: not a JSON object on one line"),
            (b"\xc3\x28\xff\n", "can not be read: not UTF-8"),
            (b"\0\0\0\0\n", "can not be read: not a JSON object on one line"),
            (b"[1,2]\n", "can not be read: not a JSON object"),
            (
                b"{\"raedy\":0}\n",
                "none of the messages ready, done, output, stepped, quiet, error, log",
            ),
            (b"{\"error\":\"no beans\"}\n", "the system reported an error: no beans"),
            (b"{\"log\":\"hm\"}\n{\"error\":\"no beans\"}\n", "reported an error: no beans"),
            (b"{\"ready\":77}\n", "the system broke the protocol: it sent ready 77; it had to "),
            (b"{\"done\":99}\n", "the system broke the protocol: it sent done 99; it had to "),
        ] {
            let error = error_of(Timekeeping::Virtual, n_obeyed, Say(deed));
            assert!(error.contains(reason), "{owed}: {error}");
        }
    }
}

#[test]
fn endless_and_unfinished_lines() {
    static HUGE: [u8; 100_000] = [b'x'; 100_000];
    for n_obeyed in 0..4 {
        for deed in [Say(&HUGE), Repeat(&HUGE)] {
            let error = error_of(Timekeeping::Virtual, n_obeyed, deed);
            assert!(error.contains("can not be read: the line is too long: `xxxxx"), "{error}");
            assert!(error.len() < 400, "{error}");
        }
    }
    // Half a line, and nothing more: no answer.
    let error = error_of(Timekeeping::Virtual, 1, Say(b"{\"ready\":"));
    assert!(error.contains("did not answer a reset with ready within"), "{error}");
}

#[test]
fn answers_to_waiting_that_can_not_be() {
    for (deed, expected) in [
        (&b"{\"quiet\":1}\n"[..], "it was quiet until 1 ns; it had to be until 2000000 ns"),
        (b"{\"output\":\"off\"}\n", "`off` came without `at`; it had to be from 0 to 2000000 ns"),
        (
            b"{\"output\":\"off\",\"at\":2000001}\n",
            "`off` came at 2000001 ns; it had to be from 0 to 2000000 ns",
        ),
        (
            b"{\"output\":\"of\",\"at\":1}\n",
            "sent `of`, which is not in the test interface; did you mean `off`?",
        ),
        (
            b"{\"output\":\"explode\",\"at\":1}\n",
            "`explode`, which is not in the test interface; its outputs are level, off",
        ),
        (b"{\"output\":\"touch\",\"at\":1}\n", "sent `touch`, which is an input"),
        (
            b"{\"output\":\"level\",\"at\":1}\n",
            "`level` came with 0 values, but it has 1 (brightness)",
        ),
        (b"{\"output\":\"off\",\"values\":[1],\"at\":1}\n", "came with 1 values, but it has 0"),
        (
            b"{\"output\":\"level\",\"values\":[11],\"at\":1}\n",
            "`level` came with brightness = 11, but the test interface declares brightness as a \
             whole number from 0 to 10",
        ),
    ] {
        let error = error_of(Timekeeping::Virtual, 3, Say(deed));
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn floods() {
    let error = error_of(Timekeeping::Virtual, 3, Repeat(b"{\"output\":\"off\",\"at\":1}\n"));
    assert_eq!(error, "the system sent more than 1000 outputs at one instant");
    let error = error_of(Timekeeping::Real, 2, Repeat(b"{\"output\":\"off\"}\n"));
    assert_eq!(error, "the system sent more than 20000 outputs in a second");
    // Logs are for people; they do not count as an answer.
    let error = error_of(Timekeeping::Virtual, 3, Repeat(b"{\"log\":\"la la la\"}\n"));
    assert!(error.contains("did not answer a wait with quiet or an output within"), "{error}");
    let error = error_of(Timekeeping::Virtual, 1, Repeat(b"\n"));
    assert!(error.contains("can not be read"), "{error}");
}

#[test]
fn rules_of_the_real_clock() {
    for (n_obeyed, deed, expected) in [
        (0, Close, "closed the connection when it had to answer hello with ready"),
        (1, Close, "closed the connection when it had to answer a reset with ready"),
        (2, Close, "the system closed the connection when it had to "),
        (3, Close, "the system closed the connection when it had to "),
        (1, Silence, "did not answer a reset with ready within 1.5 s"),
        (
            2,
            Say(b"{\"quiet\":5}\n"),
            "it sent quiet 5; it had to send nothing but outputs and steps",
        ),
        (2, Say(b"{\"done\":5}\n"), "it sent done 5; it had to send nothing but outputs and steps"),
        (
            2,
            Say(b"{\"ready\":1}\n"),
            "it sent ready 1; it had to send nothing but outputs and steps",
        ),
        (2, Say(b"noise\n"), "can not be read"),
        (2, Say(b"{\"output\":\"on\"}\n"), "which is not in the test interface"),
        (
            1,
            Repeat(b"{\"output\":\"off\"}\n"),
            "it sent the output `off`; it had to answer a reset",
        ),
    ] {
        let error = error_of(Timekeeping::Real, n_obeyed, deed);
        assert!(error.contains(expected), "{deed:?} after {n_obeyed}: {error}");
    }
}

/// A line that ends in the middle, because the system ends.
#[test]
fn half_a_line() {
    let mut sut = shell("read l; printf '{\"ready\":0}\\n'; read l; printf '{\"rea'");
    let error = drive(&mut sut).unwrap_err().to_string();
    assert!(error.contains("it ended in the middle of a line: `{\"rea`"), "{error}");
}

#[test]
fn nobody_connects_and_nobody_listens() {
    let mut limits = limits();
    limits.start = Duration::from_millis(200);
    let endpoint = Endpoint::listen("127.0.0.1:0").unwrap();
    let address = endpoint.local_address().unwrap();
    let mut sut = Tcp::new(endpoint, lamp(), Timekeeping::Virtual, limits.clone());
    let error = sut.reset().unwrap_err().to_string();
    assert!(error.contains("the system did not connect within 200ms"), "{error}");
    drop(sut);
    let endpoint = Endpoint::Connect(address.to_string());
    let mut sut = Tcp::new(endpoint, lamp(), Timekeeping::Virtual, limits.clone());
    let error = sut.reset().unwrap_err().to_string();
    assert!(error.contains("is the system running, and does it listen there?"), "{error}");
    let endpoint = Endpoint::Connect("no such place".into());
    let mut sut = Tcp::new(endpoint, lamp(), Timekeeping::Virtual, limits);
    assert!(matches!(sut.reset(), Err(SutError::NotStarted { .. })));
}

/// A program that the shell is.
fn shell(script: &str) -> Process {
    shell_on(script, Timekeeping::Virtual)
}

fn shell_on(script: &str, timekeeping: Timekeeping) -> Process {
    let program = Program {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        ..Program::default()
    };
    Process::new(program, lamp(), timekeeping, limits())
}

#[test]
fn programs_that_can_not_be_started() {
    let mut program = Program { program: "no-such-program".into(), ..Program::default() };
    let mut sut = Process::new(program.clone(), lamp(), Timekeeping::Virtual, limits());
    let error = sut.reset().unwrap_err().to_string();
    assert_eq!(
        error,
        "`no-such-program` could not be started: there is no such program (or folder)"
    );
    program.program = root().join("sdk/c/punctual.h");
    let mut sut = Process::new(program, lamp(), Timekeeping::Virtual, limits());
    assert!(sut.reset().unwrap_err().to_string().ends_with("it may not be executed"));
}

#[test]
fn programs_that_crash_at_each_point() {
    let answers = ["{\"ready\":0}", "{\"ready\":1}", "{\"done\":0}"];
    for (n_obeyed, owed) in POINTS {
        let obey: String =
            answers[..n_obeyed].iter().map(|answer| format!("read l; echo '{answer}'; ")).collect();
        let error = |deed: &str| {
            let mut sut = shell(&format!("{obey} read l; {deed}"));
            drive(&mut sut).unwrap_err().to_string()
        };
        assert_eq!(
            error("echo 'out of beans' >&2; exit 3"),
            told(
                n_obeyed,
                &format!(
                    "the system ended (exit code 3) when it had to {owed}; the end of its \
                     stderr:\n  out of beans"
                )
            )
        );
        let killed = error("kill -SEGV $$");
        let expected = told(n_obeyed, "the system ended (killed by SIGSEGV) when it");
        assert!(killed.starts_with(&expected), "{killed}");
        let closed = error("exec >&-; sleep 100");
        let expected = told(n_obeyed, "the system closed the connection when it had to");
        assert!(closed.starts_with(&expected), "{closed}");
    }
    let mut sut = shell("exit 0");
    let error = drive(&mut sut).unwrap_err().to_string();
    let expected = "the system never got ready: the system ended (exit code 0) when it had to";
    assert!(error.starts_with(expected), "{error}");
}

/// A system that was let go after an error starts anew at the next reset.
#[test]
fn a_crashed_program_can_be_reset() {
    let script = "while read l; do case $l in \
        *hello*) echo '{\"ready\":0}';; *reset*) echo '{\"ready\":1}';; *) exit 1;; esac; done";
    let mut sut = shell(script);
    for _ in 0..3 {
        sut.reset().unwrap();
        assert!(matches!(sut.wait(5), Err(SutError::Crashed { .. })));
    }
}

/// A program that can be reset only once is started again each time.
#[test]
fn a_program_that_can_not_be_reset_is_restarted() {
    let script = "read l; echo '{\"ready\":0}'; read l; echo '{\"ready\":1}'; read l; \
        echo '{\"quiet\":5}'; read l; exit 0";
    let mut program = Program {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        ..Program::default()
    };
    program.restart = true;
    let mut sut = Process::new(program.clone(), lamp(), Timekeeping::Virtual, limits());
    for _ in 0..3 {
        sut.reset().unwrap();
        assert_eq!(sut.wait(5), Ok(Seen::Quiet));
    }
    program.restart = false;
    let mut sut = Process::new(program, lamp(), Timekeeping::Virtual, limits());
    sut.reset().unwrap();
    assert_eq!(sut.wait(5), Ok(Seen::Quiet));
    assert!(matches!(sut.reset(), Err(SutError::Crashed { .. })));
}

#[test]
fn a_program_that_does_not_read_is_found() {
    let script = "read l; echo '{\"ready\":0}'; read l; echo '{\"ready\":1}'; sleep 100";
    let mut sut = shell_on(script, Timekeeping::Real);
    sut.reset().unwrap();
    let touch = action(&lamp(), "touch", &[]);
    let error = (0..1_000_000).find_map(|_| sut.input(&touch).err()).unwrap().to_string();
    assert!(error.starts_with("the system did not read an input within 1.5 s"), "{error}");
}

/// Whether a process runs (and is more than an entry that nobody has asked about).
#[cfg(target_os = "linux")]
pub(crate) fn runs(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z" && state != "X")
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_behind() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("children");
    let path = file.display();
    // It has a child, and wants to stay.
    let script = format!(
        "trap '' TERM INT HUP; sleep 100 & echo $! $$ > {path}; read l; echo '{{\"ready\":0}}'; \
         read l; echo '{{\"ready\":1}}'; while true; do sleep 1; done"
    );
    let mut sut = shell(&script);
    sut.reset().unwrap();
    let pids = std::fs::read_to_string(&file).unwrap();
    let pids: Vec<u32> = pids.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
    assert!(pids.iter().all(|pid| runs(*pid)));
    let start = now();
    drop(sut);
    assert!(start.elapsed() < 2 * SECOND);
    while pids.iter().any(|pid| runs(*pid)) {
        assert!(start.elapsed() < 4 * SECOND, "{pids:?} still run");
        thread::yield_now();
    }
    // The system itself is not a zombie, either.
    assert!(!std::path::Path::new(&format!("/proc/{}", pids[1])).exists());
}
