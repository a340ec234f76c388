//! Signals at random instants: each command is interrupted once or twice, terminated, hung up on or killed, anywhere between its start
//! and a little after its usual end.
//!
//! - No command panics, and each ends within [`PATIENCE`] after the signal.
//! - Its exit code is the usual one only if it printed and wrote all that is usual, or found a fail before. Otherwise it is 3; after two
//!   interrupts also 130; or the command dies of the signal, because it did not listen (yet), and then it has said no verdict.
//! - No process of a system or solver is left, and no part of a file (unless the command was killed).
//! - Its records can be read: `replay`, `judge` and `report` never pass a run that was cut, and a suite that was cut can be resumed.
//!
//! In CI few instants of each command, always the same. `PUNCTUAL_SIGNALS` says how many, `PUNCTUAL_SIGNALS_SEED` which ones, and
//! `PUNCTUAL_BINARY` names another program than the one that was built.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::interrupted::is_hanging_up_ignored;
use super::{folder, root};
use coffee_machine::Machine;
use rng::Rng;
use rows::{GIVEN, Row, STUBBORN, is_possible, rows, words};

#[expect(unreachable_pub, reason = "an example of its own")]
#[path = "../../../sdk/examples/coffee_machine.rs"]
mod coffee_machine;
#[allow(clippy::duplicate_mod, reason = "`fuzzed` has one of its own")]
#[path = "../../../mc/tests/it/random/rng.rs"]
mod rng;
mod rows;

/// Instants of each command in CI.
const FEW: u64 = 2;
/// A command that goes on for longer after a signal is deaf.
const PATIENCE: Duration = Duration::from_secs(10);
/// What a command started is gone so long after its end.
const LAST_BREATH: Duration = Duration::from_secs(3);
/// After so many signals it is measured again how long a command takes: the machine may have more or less to do than before.
const AGAIN: u64 = 20;
/// So many faults of one command are told; the others are counted.
const TOLD: u64 = 5;
/// Two words are two signals, one soon after the other.
const SIGNALS: [&str; 5] = ["INT", "TERM", "HUP", "INT INT", "KILL"];
/// What all processes of one command have in their environment.
const MARK: &str = "PUNCTUAL_SIGNALLED";

#[expect(clippy::disallowed_methods, reason = "waits for another process")]
fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

#[expect(clippy::disallowed_methods, reason = "measures another process")]
fn now() -> Instant {
    Instant::now()
}

/// The first word of a text: the verdict, if it begins with one.
fn verdict(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// Where all commands run.
struct Bench {
    seed: u64,
    folder: PathBuf,
    program: OsString,
    address: String,
}

/// How a command ended, and what it said.
struct Done {
    status: Option<ExitStatus>,
    stdout: String,
    stderr: String,
}

impl Done {
    fn code(&self) -> Option<i32> {
        self.status.and_then(|it| it.code())
    }

    fn is_panic(&self) -> bool {
        self.code() == Some(101) || self.stderr.contains("panicked at")
    }
}

impl Bench {
    fn new(seed: u64) -> Bench {
        let built = || env!("CARGO_BIN_EXE_punctual").into();
        let program = std::env::var_os("PUNCTUAL_BINARY").unwrap_or_else(built);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(|| punctual_sdk::serve::tcp(Machine::new(40, 20), stream));
            }
        });
        let folder = folder(&format!("signalled-{seed}"));
        let bench = Bench { seed, folder, program, address };
        std::fs::create_dir(bench.given()).unwrap();
        std::fs::write(bench.given().join("stubborn.sh"), STUBBORN).unwrap();
        for arguments in GIVEN {
            let done = bench.run(arguments, "given");
            assert_eq!(done.code(), Some(0), "{arguments}: {}{}", done.stdout, done.stderr);
        }
        bench
    }

    fn given(&self) -> PathBuf {
        self.folder.join("given")
    }

    fn log(&self, name: &str, stream: &str) -> PathBuf {
        self.folder.join(format!("{name}.{stream}"))
    }

    /// Starts a command, the processes of which are known by a name.
    fn start(&self, arguments: &str, name: &str) -> Child {
        let text = |path: PathBuf| path.display().to_string();
        let program = text(PathBuf::from(&self.program));
        let filled = words(arguments).into_iter().map(|word| {
            let word = word.replace("{made}", &text(self.folder.join(name)));
            let word = word.replace("{given}", &text(self.given()));
            word.replace("{punctual}", &program).replace("{address}", &self.address)
        });
        let mut command = Command::new(&self.program);
        command.args(filled).current_dir(root()).env("NO_COLOR", "1");
        command.env(MARK, self.mark(name)).stdin(Stdio::null());
        command.stdout(File::create(self.log(name, "out")).unwrap());
        command.stderr(File::create(self.log(name, "err")).unwrap());
        command.spawn().unwrap()
    }

    fn mark(&self, name: &str) -> String {
        format!("{}-{}-{name}", std::process::id(), self.seed)
    }

    /// Waits for the end of a command; it has none if it goes on for too long.
    fn end(&self, mut child: Child, name: &str) -> Done {
        let begun = now();
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break Some(status),
                None if begun.elapsed() > PATIENCE => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
                None => pause(Duration::from_millis(1)),
            }
        };
        let read = |stream| {
            let text = std::fs::read(self.log(name, stream)).unwrap();
            String::from_utf8_lossy(&text).replace(&*self.folder.join(name).to_string_lossy(), "…")
        };
        Done { status, stdout: read("out"), stderr: read("err") }
    }

    fn run(&self, arguments: &str, name: &str) -> Done {
        self.end(self.start(arguments, name), name)
    }

    /// The processes of a command that are still there after a while, by their numbers.
    fn left(&self, name: &str) -> Vec<String> {
        let mark = format!("{MARK}={}", self.mark(name));
        let begun = now();
        loop {
            let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
            let of_it = processes.filter(|process| {
                let environment = std::fs::read(process.path().join("environ"));
                environment
                    .is_ok_and(|it| it.split(|byte| *byte == 0).any(|it| it == mark.as_bytes()))
            });
            let of_it: Vec<String> =
                of_it.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
            if of_it.is_empty() || begun.elapsed() > LAST_BREATH {
                return of_it;
            }
            pause(Duration::from_millis(10));
        }
    }
}

/// Files below a folder by their paths in it, without what belongs to recorded runs.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true if entry.file_name() != "runs" => folders.push(path),
                true => {}
                false => {
                    let text = std::fs::read(&path).unwrap_or_default();
                    found.insert(path.strip_prefix(folder).unwrap().to_owned(), text);
                }
            }
        }
    }
    found
}

/// The records of a command, in order.
fn records(folder: &Path) -> Vec<PathBuf> {
    let runs = std::fs::read_dir(folder.join("runs")).into_iter().flatten().flatten();
    let mut records: Vec<PathBuf> = runs.map(|it| it.path().join("record.jsonl")).collect();
    records.retain(|it| it.is_file());
    records.sort();
    records
}

/// How far a record came.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Recorded {
    /// Not even its first line is whole.
    Nothing,
    /// It has no verdict.
    Cut,
    /// Its verdict, as an exit code.
    Verdict(i32),
}

fn recorded(record: &Path) -> Recorded {
    let text = String::from_utf8_lossy(&std::fs::read(record).unwrap()).into_owned();
    if !text.contains('\n') {
        return Recorded::Nothing;
    }
    let last = text.lines().last().unwrap_or_default();
    let last: serde_json::Value = serde_json::from_str(last).unwrap_or_default();
    match last["verdict"].as_str() {
        Some("pass") => Recorded::Verdict(0),
        Some("fail") => Recorded::Verdict(1),
        Some(_) => Recorded::Verdict(3),
        None => Recorded::Cut,
    }
}

/// What a command does when nobody disturbs it. Of what is not always the same, nothing is known.
struct Usual<'r> {
    row: &'r Row,
    duration_us: AtomicU64,
    lines: Vec<Option<String>>,
    verdict: String,
    files: BTreeMap<PathBuf, Option<Vec<u8>>>,
    n_records: usize,
}

/// A line without the numbers of a line that tells of seconds.
fn without_seconds(line: &str) -> String {
    match [" s", "/s", "µs", "ms"].iter().any(|unit| line.contains(unit)) {
        true => line.chars().filter(|it| !it.is_ascii_digit()).collect(),
        false => line.to_owned(),
    }
}

fn microseconds(duration: Duration) -> u64 {
    duration.as_micros().try_into().unwrap()
}

fn measured<'r>(bench: &Bench, row: &'r Row, number: usize) -> Usual<'r> {
    let once = |turn| {
        let name = format!("usual-{number}-{turn}");
        let made = bench.folder.join(&name);
        std::fs::create_dir(&made).unwrap();
        let begun = now();
        let done = bench.run(row.arguments, &name);
        let duration = begun.elapsed();
        let is_usual = done.code() == Some(row.code) || row.varies && done.code() == Some(3);
        assert!(is_usual, "{}: {:?}\n{}{}", row.name, done.status, done.stdout, done.stderr);
        (duration, done.stdout, files(&made), records(&made).len())
    };
    let (one, other) = (once(1), once(2));
    let lines = |text: &str| text.lines().map(without_seconds).collect::<Vec<_>>();
    let (these, those) = (lines(&one.1), lines(&other.1));
    let same = |(this, that): (String, &String)| Some(this).filter(|it| it == that);
    let lines = these.into_iter().zip(&those).map(same).collect();
    let files = one.2.into_iter().map(|(path, text)| {
        let is_same = other.2.get(&path) == Some(&text);
        (path, Some(text).filter(|_| is_same))
    });
    let files = files.collect();
    let verdict = verdict(&other.1).to_owned();
    let duration_us = AtomicU64::new(microseconds(other.0));
    Usual { row, duration_us, lines, verdict, files, n_records: other.3 }
}

/// What became of a command.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// It gave its answer.
    Answered,
    /// It said that there is no answer, or was killed.
    Cut,
    /// It died of a signal that it did not listen to.
    Died,
}

/// What is known of one command.
#[derive(Clone, Default)]
struct Tally {
    signals: u64,
    answered: u64,
    cut: u64,
    died: u64,
    faults: u64,
    longest: Duration,
}

struct Attempt<'b> {
    bench: &'b Bench,
    usual: &'b Usual<'b>,
    name: String,
    faults: Vec<String>,
}

impl Attempt<'_> {
    fn made(&self) -> PathBuf {
        self.bench.folder.join(&self.name)
    }

    fn fault(&mut self, is: bool, what: impl FnOnce() -> String) {
        if is {
            self.faults.push(what());
        }
    }

    /// Whether a command said all that it usually does.
    fn is_said(&self, done: &Done) -> bool {
        let usual = &self.usual.lines;
        let lines: Vec<String> = done.stdout.lines().map(without_seconds).collect();
        let is_same =
            |(is, was): (&String, &Option<String>)| was.as_ref().is_none_or(|it| it == is);
        lines.len() == usual.len() && lines.iter().zip(usual).all(is_same)
    }

    /// Whether a command said and wrote all that it usually does, and ended as usual.
    fn is_whole(&self, done: &Done, files: &BTreeMap<PathBuf, Vec<u8>>) -> bool {
        let Usual { row, verdict: usual, n_records, .. } = self.usual;
        let records = records(&self.made());
        if done.code() != Some(row.code) {
            return false;
        }
        if row.varies {
            // A run may have been made again, since the machine was late.
            let last = records.last().map(|it| recorded(it));
            return verdict(&done.stdout) == *usual
                && last.is_none_or(|it| it == Recorded::Verdict(row.code));
        }
        let is_written = self.usual.files.iter().all(|(path, was)| match (files.get(path), was) {
            (Some(is), Some(was)) => is == was,
            (is, _) => is.is_some(),
        });
        self.is_said(done) && is_written && records.len() == *n_records
    }

    /// How it ended, judged by its exit code.
    fn ended(&mut self, done: &Done, sent: &str, files: &BTreeMap<PathBuf, Vec<u8>>) -> End {
        let code = self.usual.row.code;
        if self.is_whole(done, files) {
            return End::Answered;
        }
        let signal = match sent.split(' ').next() {
            Some("INT") => 2,
            Some("TERM") => 15,
            Some("HUP") => 1,
            _ => 9,
        };
        let says_pass = done.stdout.starts_with("PASS") && !self.is_said(done);
        self.fault(says_pass && sent != "KILL", || "it says PASS".to_owned());
        match done.status.map(|it| (it.code(), it.signal())) {
            Some((Some(3), _)) => End::Cut,
            Some((Some(1), _)) if code == 1 => End::Cut,
            Some((Some(130), _)) if sent == "INT INT" => End::Cut,
            Some((_, Some(9))) if sent == "KILL" => End::Cut,
            Some((_, Some(died))) if died == signal => End::Died,
            Some(_) => {
                self.fault(true, || "its exit code is wrong".to_owned());
                End::Cut
            }
            None => {
                self.fault(true, || "it goes on".to_owned());
                End::Cut
            }
        }
    }

    /// Runs another command about what this one left; one of these exit codes is right.
    fn follow(&mut self, arguments: &str, codes: &[i32]) -> Done {
        let log = format!("{}-then", self.name);
        let arguments = arguments.replace("{made}", &self.made().display().to_string());
        let done = self.bench.run(&arguments, &log);
        let is_right = done.code().is_some_and(|code| codes.contains(&code)) && !done.is_panic();
        self.fault(!is_right, || {
            format!("{arguments}: {:?}, not {codes:?}\n{}{}", done.status, done.stdout, done.stderr)
        });
        done
    }

    fn read_records(&mut self, end: End) {
        let row = self.usual.row;
        let records = records(&self.made());
        let came: Vec<Recorded> = records.iter().map(|it| recorded(it)).collect();
        for (number, (record, came)) in records.iter().zip(&came).enumerate() {
            if matches!(came, Recorded::Verdict(_)) && number + 1 < records.len() {
                continue;
            }
            let codes: &[i32] = match came {
                Recorded::Nothing => &[2],
                // A fail that came with the signal may be in the record, and nobody judged it.
                Recorded::Cut | Recorded::Verdict(3) if row.code == 1 => &[1, 3],
                Recorded::Cut => &[3],
                Recorded::Verdict(code) => &[*code],
            };
            let path = record.display();
            let done = self.follow(&format!("replay '{path}'"), codes);
            let is_other = done.stdout.contains("the record says") && codes.len() == 1;
            self.fault(is_other, || format!("replay: {}", done.stdout));
            if let Some(model) = row.judges {
                self.follow(&format!("judge {model} '{path}'"), codes);
            }
        }
        if !records.is_empty() {
            let is_passed = came.iter().all(|it| *it == Recorded::Verdict(0));
            let mut codes = Vec::new();
            codes.extend((is_passed || end == End::Answered).then_some(0));
            codes.extend((row.code == 1).then_some(1));
            codes.extend((!is_passed || row.resumes.is_some()).then_some(3));
            codes.extend(came.contains(&Recorded::Nothing).then_some(2));
            self.follow("report {made}/runs", &codes);
        }
    }

    /// Lets it end by itself, and looks how long that takes.
    fn measure(&mut self) {
        std::fs::create_dir(self.made()).unwrap();
        let begun = now();
        let done = self.bench.run(self.usual.row.arguments, &self.name);
        self.usual.duration_us.store(microseconds(begun.elapsed()), Ordering::Relaxed);
        let is_whole = self.is_whole(&done, &files(&self.made()));
        self.fault(!is_whole && !self.usual.row.varies, || {
            format!("it is not always the same: {:?}\n{}{}", done.status, done.stdout, done.stderr)
        });
        std::fs::remove_dir_all(self.made()).unwrap();
    }

    fn run(&mut self, rng: &mut Rng) -> (String, End, Duration) {
        let row = self.usual.row;
        std::fs::create_dir(self.made()).unwrap();
        let mut sent = rng.pick(&SIGNALS);
        if sent == "HUP" && is_hanging_up_ignored() {
            sent = "TERM";
        }
        // Answers are given near the end, so there are more signals.
        let usual = self.usual.duration_us.load(Ordering::Relaxed) as usize;
        let (from, to) = if rng.percent(20) { (85, 105) } else { (0, 130) };
        let at = (usual * from + rng.below(usual * (to - from))) / 100;
        let mut child = self.bench.start(row.arguments, &self.name);
        pause(Duration::from_micros(at as u64));
        let mut told = format!("{sent} after {} ms", at / 1000);
        for (number, signal) in sent.split(' ').enumerate() {
            if number > 0 {
                let later = rng.within(0, 30);
                pause(Duration::from_millis(later.unsigned_abs().into()));
                let _ = write!(told, " and {later} ms");
            }
            // A process that nobody waited for keeps its number.
            if child.try_wait().unwrap().is_none() {
                let signal = format!("-{signal}");
                let id = child.id().to_string();
                assert!(Command::new("kill").args([&signal, &id]).status().unwrap().success());
            }
        }
        let begun = now();
        let done = self.bench.end(child, &self.name);
        let took = begun.elapsed();
        let left = self.bench.left(&self.name);
        for process in &left {
            let _ = Command::new("kill").args(["-KILL", process]).status();
        }
        let lives_on = row.outlives && sent == "KILL";
        let is_left = !left.is_empty() && !lives_on;
        self.fault(is_left, || format!("{} processes are left", left.len()));
        self.fault(done.is_panic(), || "it panics".to_owned());
        let files = files(&self.made());
        let end = self.ended(&done, sent, &files);
        let mut torn = files.iter().filter(|(path, text)| match self.usual.files.get(*path) {
            Some(Some(usual)) => text.last() != usual.last(),
            _ => sent != "KILL" && path.extension().is_some_and(|it| it == "part"),
        });
        let torn = torn.next().map(|(path, _)| path.display().to_string());
        self.fault(torn.is_some(), || format!("there is a part of a file: {torn:?}"));
        self.read_records(end);
        if let Some(reads) = row.reads {
            let file = words(reads).into_iter().find(|it| it.starts_with("{made}")).unwrap();
            if Path::new(&file.replace("{made}", &self.made().to_string_lossy())).is_file() {
                self.follow(reads, &[0]);
            }
        }
        if let (Some(resumes), true) = (row.resumes, end != End::Answered) {
            let again = format!("{} {resumes}", row.arguments);
            let again = self.follow(&again, &[row.code]);
            let is_same = verdict(&again.stdout) == self.usual.verdict;
            self.fault(!is_same, || format!("it is resumed with another end: {}", again.stdout));
        }
        told = format!("{}, {told}: {:?}\n{}{}", row.name, done.status, done.stdout, done.stderr);
        (told, end, took)
    }
}

fn table(usual: &[Usual<'_>], tallies: &[Tally]) -> String {
    let mut text = format!(
        "{:<24}{:>8}{:>9}{:>9}{:>8}{:>8}{:>8}{:>13}\n",
        "command", "usual ms", "signals", "answered", "cut", "died", "faults", "longest ms"
    );
    for (usual, it) in usual.iter().zip(tallies) {
        let _ = writeln!(
            text,
            "{:<24}{:>8}{:>9}{:>9}{:>8}{:>8}{:>8}{:>13}",
            usual.row.name,
            usual.duration_us.load(Ordering::Relaxed) / 1000,
            it.signals,
            it.answered,
            it.cut,
            it.died,
            it.faults,
            it.longest.as_millis()
        );
    }
    text
}

/// Does so many things, several at once, and in order as far as that goes.
fn at_once<T: Send>(n: u64, doing: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    if turn >= n {
                        break;
                    }
                    let it = doing(turn);
                    done.lock().unwrap().push((turn, it));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(turn, _)| *turn);
    done.into_iter().map(|(_, it)| it).collect()
}

#[test]
fn no_command_is_hurt_by_a_signal() {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let asked = number("PUNCTUAL_SIGNALS");
    let seed = number("PUNCTUAL_SIGNALS_SEED").unwrap_or(1);
    let bench = Bench::new(seed);
    let mut rows = rows();
    rows.retain(is_possible);
    let n_rows = rows.len() as u64;
    let usual = at_once(n_rows, |turn| measured(&bench, &rows[turn as usize], turn as usize));
    let tallies = Mutex::new(vec![Tally::default(); rows.len()]);
    let told = Mutex::new(Vec::new());
    at_once(n_rows * asked.unwrap_or(FEW), |turn| {
        let number = (turn % n_rows) as usize;
        let rng = &mut Rng::new(seed.wrapping_mul(1 << 32).wrapping_add(turn));
        let name = format!("at-{turn}");
        let mut attempt = Attempt {
            bench: &bench,
            usual: &usual[number],
            name: name.clone(),
            faults: Vec::new(),
        };
        if turn / n_rows % AGAIN == AGAIN - 1 {
            attempt.measure();
        }
        let (what, end, took) = attempt.run(rng);
        let mut tallies = tallies.lock().unwrap();
        let tally = &mut tallies[number];
        tally.signals += 1;
        match end {
            End::Answered => tally.answered += 1,
            End::Cut => tally.cut += 1,
            End::Died => tally.died += 1,
        }
        tally.longest = tally.longest.max(took);
        if !attempt.faults.is_empty() {
            tally.faults += 1;
            if tally.faults <= TOLD {
                let text = format!("{name}, {what}{}\n", attempt.faults.join("\n"));
                println!("{text}");
                told.lock().unwrap().push(text);
                return;
            }
        }
        if asked.is_some() && (turn + 1) % (n_rows * 50) == 0 {
            println!("{}", table(&usual, &tallies));
        }
        drop(tallies);
        std::fs::remove_dir_all(bench.folder.join(&name)).unwrap();
        for stream in ["out", "err"] {
            let _ = std::fs::remove_file(bench.log(&name, stream));
            let _ = std::fs::remove_file(bench.log(&format!("{name}-then"), stream));
        }
    });
    let tallies = tallies.into_inner().unwrap();
    if asked.is_some() {
        println!("{}", table(&usual, &tallies));
    }
    let told = told.into_inner().unwrap();
    assert!(told.is_empty(), "{}", told.join("\n"));
    assert!(tallies.iter().any(|it| it.cut > 0), "no command is cut");
}
