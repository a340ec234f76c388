//! Structured fuzzing of what is executed: random models that read, with `check`, `test` (each played against itself), `judge`
//! and `replay`, under small bounds.
//!
//! No command may panic or take long. A model that is played against itself never fails, whatever it chooses; and what a run says, its
//! record says again.
//!
//! In CI a few models, always the same. `PUNCTUAL_FUZZ_SECONDS` goes on for so long, from the seed `PUNCTUAL_FUZZ_SEED`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::folder;
use rng::Rng;

#[path = "../../../mc/tests/it/random/rng.rs"]
mod rng;

/// Models in CI.
const FEW: u64 = 12;
/// A command that takes longer hangs: all of them have bounds of a few seconds.
const PATIENCE: Duration = Duration::from_secs(60);

const INPUTS: [&str; 2] = ["i0", "i1"];
const OUTPUTS: [&str; 2] = ["o0", "o1"];

/// A process with random locations and edges. It receives and sends over these channels.
fn process(rng: &mut Rng, name: &str, clocks: &[&str], vars: &[&str], ways: &[String]) -> String {
    let n = 2 + rng.below(3);
    let mut states = Vec::new();
    for i in 0..n {
        let invariant = match rng.percent(45) {
            true => format!(" {{ {} <= {} }}", rng.pick(clocks), rng.within(2, 9)),
            false => String::new(),
        };
        states.push(format!("L{i}{invariant}"));
    }
    let mut edges = Vec::new();
    for _ in 0..n + rng.below(6) {
        let mut guard = Vec::new();
        if rng.percent(50) {
            let relation = rng.pick(&[">=", "<=", ">", "<", "=="]);
            guard.push(format!("{} {relation} {}", rng.pick(clocks), rng.within(0, 8)));
        }
        if rng.percent(30) {
            let relation = rng.pick(&["==", "!=", "<", ">="]);
            guard.push(format!("{} {relation} {}", rng.pick(vars), rng.within(0, 3)));
        }
        let mut update = Vec::new();
        if rng.percent(60) {
            update.push(format!("{} = 0", rng.pick(clocks)));
        }
        if rng.percent(40) {
            let variable = rng.pick(vars);
            let value = match rng.below(3) {
                0 => format!("{}", rng.within(0, 3)),
                1 => format!("({variable} + 1) % 4"),
                _ => "k".to_owned(),
            };
            update.push(format!("{variable} = {value}"));
        }
        let select = match update.iter().any(|it| it.ends_with("= k")) || rng.percent(10) {
            true => "select k : int[0,3]; ",
            false => "",
        };
        let sync = match rng.percent(70) {
            true => format!("sync {}; ", ways[rng.below(ways.len())]),
            false => String::new(),
        };
        let guard = match guard.is_empty() {
            true => String::new(),
            false => format!("guard {}; ", guard.join(" && ")),
        };
        let update = match update.is_empty() {
            true => String::new(),
            false => format!("assign {}; ", update.join(", ")),
        };
        let (from, to) = (rng.below(n), rng.below(n));
        edges.push(format!("L{from} -> L{to} {{ {select}{guard}{sync}{update}}}"));
    }
    let kinds = match rng.below(6) {
        0 => format!("  urgent L{};\n", rng.below(n)),
        1 => format!("  commit L{};\n", rng.below(n)),
        _ => String::new(),
    };
    // Committed locations stand before urgent ones, and both after the locations.
    format!(
        "process {name}() {{\n  state {};\n{kinds}  init L0;\n  trans\n    {};\n}}\n",
        states.join(", "),
        edges.join(",\n    ")
    )
}

/// A system, perhaps of two processes, and who uses it.
fn model(rng: &mut Rng) -> String {
    let ways = |receives: &[&str], sends: &[&str]| -> Vec<String> {
        let receives = receives.iter().map(|it| format!("{it}?"));
        receives.chain(sends.iter().map(|it| format!("{it}!"))).collect()
    };
    let kind = rng.pick(&["chan", "broadcast chan", "chan", "urgent chan"]);
    let mut text = format!(
        "{kind} {};\nchan h;\nclock x, y, z;\nint[0,3] n, m, e;\n",
        INPUTS.iter().chain(&OUTPUTS).copied().collect::<Vec<_>>().join(", ")
    );
    let two = rng.percent(40);
    let mut inner = ways(&INPUTS, &OUTPUTS);
    if two {
        inner.push("h!".to_owned());
    }
    text += &process(rng, "S", &["x", "y"], &["n", "m"], &inner);
    if two {
        let hidden = ["h?".to_owned(), "o1!".to_owned(), "h?".to_owned()];
        text += &process(rng, "T", &["y"], &["m"], &hidden);
    }
    text += &process(rng, "E", &["z"], &["e"], &ways(&OUTPUTS, &INPUTS));
    text + if two { "system S, T, E;\n" } else { "system S, E;\n" }
}

/// What a command did: its exit code, and what it said.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begun = now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return (None, "it hangs".to_owned());
        }
        pause();
    }
    let done = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout) + &text(&done.stderr))
}

#[expect(clippy::disallowed_methods, reason = "waits for another process")]
fn pause() {
    std::thread::sleep(Duration::from_millis(2));
}

#[expect(clippy::disallowed_methods, reason = "measures another process")]
fn now() -> Instant {
    Instant::now()
}

/// How many models came to what.
#[derive(Default, Debug)]
struct Counts {
    models: u64,
    rejected: u64,
    checks: u64,
    undecided: u64,
    passed: u64,
    inconclusive: u64,
    judged: u64,
}

const QUERIES: [&str; 8] = [
    "E<> S.L1 and n == 2",
    "A[] not deadlock",
    "A<> S.L1",
    "E[] not S.L1",
    "S.L0 --> S.L1",
    "sup: n",
    "Pr[<=20](<> S.L1)",
    "simulate[#<=20; 3]{n, x}",
];

/// What went wrong, if anything did.
fn attempt(seed: u64, folder: &Path, counts: &mut Counts) -> Option<String> {
    let rng = &mut Rng::new(seed);
    let text = model(rng);
    let path = |name: &str| folder.join(name).display().to_string();
    let (file, interface, runs) = (path("m.xta"), path("m.toml"), path("runs"));
    std::fs::write(&file, &text).unwrap();
    let declared =
        "[interface]\ninputs = [\"i0\", \"i1\"]\noutputs = [\"o0\", \"o1\"]\ntime-unit = \"1ms\"\n";
    std::fs::write(&interface, declared).unwrap();
    let _ = std::fs::remove_dir_all(&runs);
    counts.models += 1;
    let wrong = |what: &str, (code, said): &(Option<i32>, String)| {
        Some(format!("seed {seed}: {what} ended with {code:?}:\n{said}\n{text}"))
    };
    let query = rng.pick(&QUERIES);
    let order = rng.pick(&["bfs", "dfs", "guided", "random-walk"]);
    let checked = run(&[
        "check",
        &file,
        "--query",
        query,
        "--order",
        order,
        "--time",
        "2s",
        "--memory",
        "256M",
        "--trace",
        "any",
        "--threads",
        "1",
    ]);
    match checked.0 {
        Some(0..=2) => counts.checks += 1,
        Some(3) => counts.undecided += 1,
        _ => return wrong(&format!("check --query '{query}' --order {order}"), &checked),
    }
    let policy = rng.pick(&["random", "earliest", "latest", "fixed", "stochastic"]);
    let strategy = rng.pick(&["random", "guided"]);
    let number = (seed % 1000).to_string();
    let tested = run(&[
        "test",
        &file,
        "--interface",
        &interface,
        "--play",
        &file,
        "--policy",
        policy,
        "--strategy",
        strategy,
        "--runs",
        "2",
        "--time",
        "60",
        "--steps",
        "40",
        "--seed",
        &number,
        "--record",
        &runs,
    ]);
    match tested.0 {
        Some(0) => counts.passed += 1,
        Some(3) => counts.inconclusive += 1,
        Some(2) => {
            counts.rejected += 1;
            return None;
        }
        _ => return wrong(&format!("test --policy {policy} --strategy {strategy}"), &tested),
    }
    for run_folder in ["0001", "0002"] {
        let record = folder.join("runs").join(run_folder);
        if !record.exists() {
            continue;
        }
        let record = record.display().to_string();
        let replayed = run(&["replay", &record]);
        if replayed.1.contains("the record says") || !matches!(replayed.0, Some(0 | 3)) {
            return wrong(&format!("replay of run {run_folder}"), &replayed);
        }
        let trace = format!("{record}/record.jsonl");
        let judged = run(&["judge", &file, &trace, "--interface", &interface]);
        if judged.0 != replayed.0 {
            return wrong(&format!("judge of run {run_folder}"), &judged);
        }
        counts.judged += 1;
    }
    None
}

#[test]
fn models_are_checked_tested_and_judged() {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let seconds = number("PUNCTUAL_FUZZ_SECONDS");
    let first = number("PUNCTUAL_FUZZ_SEED").unwrap_or(1);
    let folder = folder(&format!("fuzzed-{first}"));
    let begun = now();
    let mut counts = Counts::default();
    let mut found = Vec::new();
    for seed in first.. {
        let is_over = match seconds {
            Some(seconds) => begun.elapsed() >= Duration::from_secs(seconds),
            None => seed - first >= FEW,
        };
        if is_over || found.len() >= 20 {
            break;
        }
        found.extend(attempt(seed, &folder, &mut counts));
    }
    if seconds.is_some() {
        println!("{counts:?}, {} found", found.len());
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
    assert!(counts.passed + counts.inconclusive > 0, "no model is tested: {counts:?}");
}
