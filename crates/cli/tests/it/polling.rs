//! Systems that poll: one loop for several windows, and a process over TCP in scaled real time (`examples/overheating`).

use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use serde_json::Value as Json;

use super::{folder, output, punctual, root};

const OVERHEATING: &str = "examples/overheating";

/// A suite of the example with chances, in a folder of its own, and what was printed.
fn overheating(
    folder: &Path,
    model: &str,
    suite: &str,
    more: &[&str],
) -> (PathBuf, String, String) {
    let [model, suite] = [model, suite].map(|name| format!("{OVERHEATING}/{name}"));
    let made = folder.join("stochastic.toml");
    let first = ["oracles", &model, &suite, "-o", made.to_str().unwrap()];
    let (code, stdout, stderr) = output(&mut punctual(&[&first[..], more].concat()));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    (made, stdout, stderr)
}

/// What a test by a suite with chances came to.
struct Tested {
    code: Option<i32>,
    verdicts: Vec<String>,
    json: Json,
    stderr: String,
}

fn tested(suite: &Path, more: &[&str]) -> Tested {
    let first = ["test", suite.to_str().unwrap(), "--no-record", "--json"];
    let (code, stdout, stderr) = output(&mut punctual(&[&first[..], more].concat()));
    let json: Json = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    let cases = json["cases"].as_array().unwrap().iter();
    let verdicts = cases.map(|it| it["verdict"].as_str().unwrap().to_owned()).collect();
    Tested { code, verdicts, json, stderr }
}

/// A right system with one loop fails cases with several windows if each window is drawn on its own, which is warned about when the suite is made and
/// when it is run. It passes if the loop is declared.
#[test]
fn one_loop_and_windows_drawn_on_their_own() {
    let interface = format!("{OVERHEATING}/twice.toml");
    let interface = ["-i", interface.as_str()];
    let folder = folder("polling_twice");
    let (suite, told, _) = overheating(&folder, "twice.xml", "twice-suite.toml", &interface);
    let warning = "warning: its 2 random delays are drawn independently";
    assert_eq!(told.matches(warning).count(), 3, "{told}");
    assert_eq!(told.matches("1/4 = 0.2500; ").count(), 3, "{told}");
    let Tested { code, verdicts, json, stderr } = tested(&suite, &["--seed", "1"]);
    assert_eq!((code, verdicts), (Some(1), words(&["pass", "fail", "fail", "fail"])), "{json}");
    assert_eq!(json["cases"][3]["sequences"][0]["seen"], 0, "there and back: {json}");
    assert!(stderr.starts_with("warning: `two at once` and 2 other cases have "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    // A played model that draws each window on its own is right for this suite.
    let independent = format!("{OVERHEATING}/twice.xml");
    let play = ["--play", independent.as_str(), "--policy", "stochastic", "--seed", "1"];
    assert_eq!(tested(&suite, &play).code, Some(0));
    // With the loop declared, nobody is there and back so soon, and the other cases pass.
    let declared = [&interface[..], &["--loop", "1700ms", "--skip"]].concat();
    let (suite, told, warned) = overheating(&folder, "twice.xml", "twice-suite.toml", &declared);
    assert!(!told.contains("warning") && told.matches("1/2 = 0.5000; ").count() == 3, "{told}");
    assert!(warned.contains("the case `there and back` has no chance"), "{warned}");
    assert!(!warned.contains("--phase"), "that is for loops of the model: {warned}");
    let Tested { code, verdicts, json, stderr } = tested(&suite, &["--seed", "1"]);
    assert_eq!((code, verdicts), (Some(0), words(&["pass"; 3])), "{json}");
    assert_eq!(stderr, "");
    assert_eq!(tested(&suite, &play).code, Some(1));
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|it| (*it).to_owned()).collect()
}

/// Who only plans leaves no folder for records.
#[test]
fn a_plan_makes_no_folder() {
    let folder = folder("polling_plan");
    let interface = format!("{OVERHEATING}/twice.toml");
    let options = ["-i", interface.as_str()];
    let (suite, ..) = overheating(&folder, "twice.xml", "twice-suite.toml", &options);
    let records = folder.join("runs");
    let [suite, folder] = [&suite, &records].map(|it| it.to_str().unwrap());
    let (code, stdout, stderr) =
        output(&mut punctual(&["test", suite, "--plan", "--record", folder]));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(!records.exists());
}

/// A process that listens at a port, and ends with the test.
struct Listening {
    process: Child,
    address: String,
}

impl Listening {
    fn start(behaviour: &str, seed: &str, unit: &str) -> Listening {
        let script = root().join(OVERHEATING).join("sut/polling.py");
        let mut process = std::process::Command::new("python3")
            .arg(script)
            .args([behaviour, "--port", "0", "--seed", seed, "--seconds", "120"])
            .args(["--unit-us", unit, "--cycle-ms", "3400"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        std::io::BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().rsplit(' ').next().unwrap_or_default();
        let address = format!("127.0.0.1:{port}");
        Listening { process, address }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Tests a process over TCP until it comes to what it should, three times at most: a machine that lets the process or the tester wait for some tens of
/// milliseconds shifts what is seen, and nobody knows that it did. Where the tester knows that it was late itself,
/// the test is inconclusive and says nothing of the system. A millisecond of the model takes `unit` microseconds.
fn polled(
    (behaviour, seed, suite): (&str, &str, &str),
    (unit, late): (&str, &str),
    options: &[&str],
    is_right: impl Fn(&Tested) -> bool,
) {
    let folder = folder(&format!("polling_{behaviour}_{suite}"));
    let text = std::fs::read_to_string(root().join(OVERHEATING).join("tcp.toml")).unwrap();
    let interface = folder.join("tcp.toml");
    assert!(text.contains("\"0..5ms\"") && text.contains("\"50us\""), "{text}");
    let text = text.replace("0..5ms", late).replace("50us", &format!("{unit}us"));
    std::fs::write(&interface, text).unwrap();
    let made = [&["-i", interface.to_str().unwrap()], options].concat();
    let (suite, ..) = overheating(&folder, "model.xml", suite, &made);
    let mut told = Vec::new();
    for _ in 0..3 {
        let system = Listening::start(behaviour, seed, unit);
        let options = ["--tcp", system.address.as_str(), "--tolerance", "0.25", "--each"];
        let tested = tested(&suite, &options);
        if is_right(&tested) {
            return;
        }
        // A tester that could not do in time what it should blames nobody, however often.
        if tested.code != Some(3) {
            told.push(tested.json["cases"].to_string());
        }
    }
    assert!(told.is_empty(), "{behaviour}: {}", told.join("\n"));
}

/// A process over TCP, on the real clock: right, a loop that takes twice as long as it should, and one that takes turns. They sleep most of
/// the time, so they run at once: 9 s. Where nothing illegal is looked for, inputs may be late by 50 ms, a thousand units of the
/// model, so that the machine does not make a right process look illegal. The slow loop qualifies an error at least 387 ms after it was looked at: what a
/// busy machine does to a loop that is 5 % too slow is excused, and nobody could say what this test sees.
#[test]
fn a_process_that_polls() {
    let no_endings = ["--length", "0"];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let right = ("right", "98459", "tcp-suite.toml");
            polled(right, ("50", "0..50ms"), &no_endings, |it| it.code == Some(0));
        });
        scope.spawn(|| {
            polled(("slow", "1023", "tcp-long.toml"), ("250", "0..25ms"), &no_endings, |it| {
                let reason = it.json["cases"][0]["reasons"][0].as_str().unwrap();
                it.code == Some(1) && reason.contains("no run of the model")
            });
        });
        scope.spawn(|| {
            // It shows what it should as often as it should.
            polled(("turns", "0", "tcp-turns.toml"), ("50", "0..50ms"), &no_endings, |it| {
                it.code == Some(0) && it.json["cases"][0]["dependence"].is_string()
            });
        });
    });
}
