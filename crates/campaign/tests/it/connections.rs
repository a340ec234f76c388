//! Systems over a connection that are executed again and again: one connection for all rounds, and resets that are refused.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use punctual_campaign::load::Environment;
use punctual_campaign::prepare::{Wishes, prepare as plan};
use punctual_campaign::repeated::{Options, Repeated, prepare, repeat};
use punctual_campaign::run::Trouble;
use punctual_campaign::store::Verdict;
use punctual_campaign::suites::of_suite;
use punctual_lang::testing::UnderTest;

use crate::repeated::model;
use crate::sample::Folder;

/// A unit of the model takes a microsecond.
const INTERFACE: &str = "[interface]\ninputs = [\"out\", \"in\"]\noutputs = []\nobserve = [\"q\"]\ntime-unit = \"1us\"\n[test]\nclock = \"real\"\n";

const SUITE: &str = r#"
model = "model.xta"
interface = "punctual.toml"
[[case]]
name = "long"
steps = [{ input = "out" }, { wait = "9ms" }, { check = { q = true } }]
probability = "1"
[[case]]
name = "short"
steps = [{ input = "out" }, { wait = "4250us" }, { check = { q = true }, allowed = [{ q = true }, { q = false }] }]
probability = "1/2"
"#;

/// What a system was asked for.
#[derive(Default)]
struct Asked {
    connections: u64,
    resets: u64,
}

/// Answers as a system that is qualified at once; refuses resets from this number on.
fn serve(stream: &TcpStream, asked: &Mutex<Asked>, refused: u64) -> Option<()> {
    let mut writer = stream.try_clone().ok()?;
    for line in BufReader::new(stream).lines() {
        let message: serde_json::Value = serde_json::from_str(&line.ok()?).ok()?;
        let answer = if message.get("hello").is_some() {
            r#"{"ready":0,"protocol":2,"can":["read"]}"#.to_owned()
        } else if let Some(number) = message.get("reset") {
            let mut asked = asked.lock().unwrap();
            asked.resets += 1;
            match asked.resets < refused {
                true => format!(r#"{{"ready":{number}}}"#),
                false => r#"{"error":"not again"}"#.to_owned(),
            }
        } else if message.get("read").is_some() {
            r#"{"values":{"q":true}}"#.to_owned()
        } else if message.get("stop").is_some() {
            return Some(());
        } else {
            continue;
        };
        writeln!(writer, "{answer}").ok()?;
    }
    Some(())
}

/// Repeats the suite with a system that refuses resets from this number on.
fn made(name: &str, refused: u64) -> (Vec<Repeated>, Result<(), Trouble>, Asked) {
    let files = Folder::new(name);
    let write = |name: &str, text: &str| std::fs::write(files.0.join(name), text).unwrap();
    write("model.xta", &model([3400, 5100]));
    write("punctual.toml", INTERFACE);
    write("suite.toml", SUITE);
    let suite = files.0.join("suite.toml");
    let loaded = of_suite(&suite, None, Environment::Model).expect("a suite");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let system = Some(UnderTest::Tcp(listener.local_addr().unwrap().to_string()));
    let wishes = Wishes { suite: Some(suite), system, seed: Some(5), ..Wishes::default() };
    let prepared = plan(loaded, &wishes).expect("a plan");
    let asked = Arc::new(Mutex::new(Asked::default()));
    let shared = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            shared.lock().unwrap().connections += 1;
            serve(&stream, &shared, refused);
        }
    });
    let options = Options { executions: 60, each: true, ..Options::default() };
    let given = &prepared.plan.judges.suite.as_ref().expect("a suite").cases;
    let mut cases = prepare(given, &options, None).expect("cases");
    let stops = AtomicBool::new(false);
    let known = (None, &BTreeMap::new());
    let done = repeat(&prepared.plan, &mut cases, &options, 1, known, &stops, |_, _| ());
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    (cases, done, asked)
}

/// All rounds of a suite have one connection.
#[test]
fn a_connection_stays_from_round_to_round() {
    let (cases, done, asked) = made("connections-stay", u64::MAX);
    assert!(done.is_ok(), "{done:?}");
    let n: u64 = cases.iter().map(|case| case.executions).sum();
    assert!(n > 10, "there are several rounds, not {n} executions");
    assert_eq!((asked.connections, asked.resets), (1, n));
    // It shows too often what it should show in every second execution.
    let verdicts: Vec<Verdict> = cases.iter().map(Repeated::verdict).collect();
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Fail]);
}

/// A reset that is refused is no execution and no illegal output, wherever it comes.
#[test]
fn a_refused_reset_is_no_fail() {
    for refused in 1..5 {
        let (cases, done, _) = made(&format!("connections-refused-{refused}"), refused);
        let trouble = done.expect_err("it can not go on").to_string();
        assert!(trouble.ends_with("the system reported an error: not again"), "{trouble}");
        let n: u64 = cases.iter().map(|case| case.executions).sum();
        assert_eq!(n, refused - 1, "{trouble}");
        assert!(cases.iter().all(|case| case.illegal.is_none()), "{trouble}");
        assert!(cases.iter().all(|case| case.verdict() == Verdict::Inconclusive), "{trouble}");
    }
}
