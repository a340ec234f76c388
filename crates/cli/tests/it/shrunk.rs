//! Runs that were shrunk: they are saved, for every kind of fail, and are scripts like any other.

use std::path::{Path, PathBuf};

use super::{output, punctual, root};

const MODEL: &str = "
chan ring, ding;
process Bell() {
  clock x;
  state Idle, Rung { x <= 4 };
  init Idle;
  trans Idle -> Rung { sync ring?; assign x = 0; },
        Rung -> Rung { sync ring?; },
        Rung -> Idle { guard x >= 2; sync ding!; };
}
process User() {
  clock y;
  state Here;
  init Here;
  trans Here -> Here { guard y >= 1; sync ring!; assign y = 0; },
        Here -> Here { sync ding?; };
}
bell = Bell();
user = User();
system bell, user;
";

/// A bell that does something wrong when it was rung so often.
const SYSTEM: &str = r#"
import sys, time
import punctual

SECOND = 1_000_000_000
fault, delay = sys.argv[1], int(sys.argv[2])

class Bell(punctual.System):
    def reset(self):
        self.due, self.n = None, 0

    def input(self, at_ns, name, values):
        self.n += 1
        if self.n == 3 and fault == "crash":
            sys.exit(7)
        if self.n == 2 and fault == "hang":
            time.sleep(60)
        if self.due is None:
            self.due = at_ns + (6 if self.n == 3 and fault == "late" else delay) * SECOND

    def advance(self, until_ns):
        if self.due is not None and self.due <= until_ns:
            due, self.due = self.due, None
            if self.n == 2 and fault == "tick":
                sys.exit(8)
            return (due, "ding", [])

punctual.serve(Bell())
"#;

pub(super) fn bell(test: &str) -> PathBuf {
    let folder = super::folder(test);
    let interface = "[interface]\ntime-unit = \"1s\"\ninputs = [\"ring\"]\noutputs = [\"ding\"]\n\n\
                     [system]\ncommand = [\"python3\", \"bell.py\", \"none\", \"3\"]\ntimeout = \"200ms\"\n";
    let kit = std::fs::read_to_string(root().join("sdk/python/punctual.py")).unwrap();
    for (name, text) in [
        ("model.xta", MODEL),
        ("punctual.toml", interface),
        ("bell.py", SYSTEM),
        ("punctual.py", &kit),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder
}

/// The bell with a fault and a delay, and the model and interface of it. A hang is noticed soon.
fn with_fault(folder: &Path, fault: &str, delay: u32) {
    let path = folder.join("punctual.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let command = text.lines().find(|it| it.starts_with("command")).unwrap();
    let new = format!("command = [\"python3\", \"bell.py\", \"{fault}\", \"{delay}\"]");
    std::fs::write(path, text.replace(command, &new)).unwrap();
}

pub(super) fn test(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let model = folder.join("model.xta").display().to_string();
    let (code, text, stderr) = output(&mut punctual(&[&["test", &model][..], arguments].concat()));
    (code, text + &stderr)
}

#[test]
fn shrunk_runs_are_saved_for_every_kind_of_fail() {
    let folder = bell("shrunk");
    for (fault, rings, cause) in [
        ("late", 3, "too late"),
        ("crash", 3, "ended (exit code 7)"),
        ("tick", 2, "ended (exit code 8)"),
        ("hang", 2, "did not answer"),
    ] {
        with_fault(&folder, fault, 3);
        let path = |name: &str| folder.join(name).display().to_string();
        let (store, shrunk) = (
            path(fault),
            folder.join(fault).join("0002").join("record.jsonl").display().to_string(),
        );
        let (code, text) = test(&folder, &["--shrink", "--delays", "random", "--record", &store]);
        assert_eq!(code, Some(1), "{fault}: {text}");
        let line =
            text.lines().find(|it| it.contains("shrunk to")).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(line.matches("ring").count(), rings, "{fault}: {line}");
        assert!(text.contains(&format!("--script {shrunk}")), "{fault}: {text}");
        // What is left is as the user of the model does it: not two rings at once.
        assert!(!line.contains("ring · ring"), "{fault}: {line}");
        // The record is a script: the same fault again, and none in a bell that is right.
        let (code, text) = test(&folder, &["--script", &shrunk, "--no-record"]);
        assert!(code == Some(1) && text.contains(cause), "{fault}: {text}");
        with_fault(&folder, "none", 3);
        let (code, text) = test(&folder, &["--script", &shrunk, "--no-record"]);
        assert_eq!(code, Some(0), "{fault}: {text}");
        // One test fails, not two: the short run explains it.
        let junit = path("junit.xml");
        assert_eq!(output(&mut punctual(&["report", &store, "--junit", &junit])).0, Some(1));
        let xml = std::fs::read_to_string(&junit).unwrap();
        assert_eq!(xml.matches("<testcase").count(), 1, "{xml}");
        assert!(xml.contains("The same, shrunk (run 0002):"), "{xml}");
        let (page, run) = (path("page.html"), format!("{store}/0002"));
        assert_eq!(output(&mut punctual(&["report", &run, "--html", &page])).0, Some(1));
        assert!(std::fs::read_to_string(&page).unwrap().contains("Shrunk from"), "{fault}");
    }
}

/// A script that adapts rings after the bell as it did before, although the bell takes longer now.
#[test]
fn a_script_adapts_to_when_outputs_come() {
    let folder = bell("adapts");
    let trace = folder.join("trace.jsonl");
    let lines = "{\"unit\":\"s\"}\n{\"at\":1,\"input\":\"ring\"}\n{\"at\":3,\"output\":\"ding\"}\n\
                 {\"at\":3.5,\"input\":\"ring\"}\n{\"at\":5.5,\"output\":\"ding\"}\n{\"at\":6}\n";
    std::fs::write(&trace, lines).unwrap();
    let trace = trace.display().to_string();
    let rings = |delay: u32, adapts: &[&str]| -> Vec<String> {
        with_fault(&folder, "none", delay);
        let store = folder.join(format!("runs{delay}{}", adapts.len()));
        let arguments = ["--script", &trace, "--record", &store.display().to_string()];
        let (code, text) = test(&folder, &[&arguments[..], adapts].concat());
        assert_eq!(code, Some(0), "{text}");
        let record = std::fs::read_to_string(store.join("0001/record.jsonl")).unwrap();
        let ours = record.lines().filter(|it| it.starts_with("{\"input\""));
        ours.map(|it| {
            it.split("\"from\":").nth(1).unwrap().split([',', '}']).next().unwrap().into()
        })
        .collect()
    };
    let s = |halves: u64| (halves * 500_000_000).to_string();
    assert_eq!(rings(2, &[]), [s(2), s(7)]);
    assert_eq!(rings(4, &[]), [s(2), s(7)]);
    assert_eq!(rings(2, &["--adapt"]), [s(2), s(7)]);
    assert_eq!(rings(4, &["--adapt"]), [s(2), s(11)]);
}

/// A run that the checker found is done to a system.
#[test]
fn a_run_of_the_checker_is_a_script() {
    let folder = bell("checked");
    let model = folder.join("model.xta").display().to_string();
    let query = "E<> bell.Rung && bell.x >= 3 && user.y >= 2";
    let arguments = ["check", &model, "--query", query, "--trace", "any", "--json"];
    let (code, json, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stderr}");
    let found = folder.join("found.json");
    std::fs::write(&found, &json).unwrap();
    let found = found.display().to_string();
    let store = folder.join("runs").display().to_string();
    let (code, text) = test(&folder, &["--script", &found, "--record", &store]);
    assert_eq!(code, Some(0), "{text}");
    let record = std::fs::read_to_string(folder.join("runs/0001/record.jsonl")).unwrap();
    assert!(record.lines().any(|it| it.starts_with("{\"input\":\"ring\"")), "{record}");
    // Answers without a run, and files that are no answers, are told.
    for (text, why) in [("[]", "no answer has a run"), ("[1,", "no list of answers as JSON")] {
        let path = folder.join("wrong.json");
        std::fs::write(&path, text).unwrap();
        let (code, text) = test(&folder, &["--script", &path.display().to_string(), "--no-record"]);
        assert!(code == Some(2) && text.contains(why), "{text}");
    }
}
