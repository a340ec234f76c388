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
import os, signal, sys, time
import punctual

SECOND = 1_000_000_000
fault, delay = sys.argv[1], int(sys.argv[2])
# The user wants no more when the bell is started so often.
stop = int(fault[4:]) if fault.startswith("stop") else 0
if stop:
    fault = "late"
    with open("starts", "a") as starts:
        starts.write("x")
    stops_now = len(open("starts").read()) == stop

class Bell(punctual.System):
    n, before = 0, 0

    def reset(self):
        self.before += self.n
        self.due, self.n = None, 0

    def input(self, at_ns, name, values):
        self.n += 1
        if self.n == 3 and fault == "crash":
            sys.exit(7)
        if self.n == 2 and fault == "hang":
            time.sleep(60)
        if stop and stops_now:
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(0.5)
        if self.due is None:
            is_late = fault == "late" and self.n == 3 or fault == "worn" and self.before > 0
            self.due = at_ns + (6 if is_late else delay) * SECOND

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

/// A bell that remembers what was done to it before it was reset fails again only with all that. What is left says so, and is a script.
#[test]
fn what_a_reset_does_not_undo_is_shrunk_with_its_reset() {
    let folder = bell("worn");
    with_fault(&folder, "worn", 3);
    let store = folder.join("runs").display().to_string();
    let options = ["--shrink", "--restart", "0.3", "--seed", "5", "--record", &store];
    let (code, text) = test(&folder, &options);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("Times count from the last reset."), "{text}");
    let line = text.lines().find(|it| it.contains("shrunk to")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("shrunk to 1 · ring · reset · 1 · ring"), "{line}");
    // The command is complete.
    let again = text.lines().find_map(|it| it.split_once("again: punctual ")).unwrap().1;
    let again: Vec<&str> = again.split(' ').chain(["--no-record"]).collect();
    let (code, stdout, stderr) = output(&mut punctual(&again));
    assert_eq!(code, Some(1), "{stdout}{stderr}");
    // The reset is among what happened last, and the first line says from where it counts.
    let run = folder.join("runs/0002").display().to_string();
    let (_, text, _) = output(&mut punctual(&["report", &run]));
    assert!(text.contains("reset; time begins anew"), "{text}");
    assert!(text.lines().next().unwrap().contains("s after the last reset; "), "{text}");
}

/// Whoever wants no more while a run is shrunk, or made once more to be recorded, is told so. The system is not to blame.
#[cfg(unix)]
#[test]
fn shrinking_can_be_stopped() {
    let folder = bell("stopped");
    for (start, is_shrunk) in [(2, false), (3, true)] {
        with_fault(&folder, &format!("stop{start}"), 3);
        let _ = std::fs::remove_file(folder.join("starts"));
        let store = folder.join(format!("runs{start}")).display().to_string();
        let options = ["--shrink", "--delays", "random", "--record", &store];
        let (code, text) = test(&folder, &options);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("stopped before all was done"), "{text}");
        assert!(!text.contains("error:") && !text.contains("not s"), "{text}");
        assert_eq!(text.contains("shrunk to"), is_shrunk, "{text}");
    }
}

/// The command that makes a shrunk run again names the model that is played, and how.
#[test]
fn the_command_of_a_shrunk_run_is_complete() {
    let folder = bell("again");
    let hasty = folder.join("hasty bell.xta");
    std::fs::write(&hasty, MODEL.replace("guard x >= 2;", "guard x >= 1;")).unwrap();
    let (hasty, store) = (hasty.display().to_string(), folder.join("runs").display().to_string());
    let played = ["--shrink", "--play", &hasty, "--policy", "earliest", "--record", &store];
    let (code, text) = test(&folder, &played);
    assert_eq!(code, Some(1), "{text}");
    let model = folder.join("model.xta").display().to_string();
    let record = folder.join("runs/0002/record.jsonl").display().to_string();
    let again = format!(
        "again: punctual test {model} --play '{hasty}' --policy earliest --script {record}\n"
    );
    assert!(text.contains(&again), "{text}");
}

/// An edge that a parameter makes impossible is told apart from those that no run took.
#[test]
fn an_edge_that_can_not_be_taken_is_told_apart() {
    let folder = bell("impossible");
    let model = MODEL
        .replace("process Bell() {", "process Bell(const bool loud) {")
        .replace("bell = Bell();", "bell = Bell(false);")
        .replace(
            "        Rung -> Rung {",
            "        Rung -> Idle { guard loud; sync ding!; },\n        Rung -> Rung {",
        );
    std::fs::write(folder.join("model.xta"), model).unwrap();
    let (code, text) = test(&folder, &["--no-record", "--delays", "2,4", "--time", "20"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1 edge can not be taken: a guard that is never true"), "{text}");
    assert!(!text.contains("(0") && !text.contains("(false"), "{text}");
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
