//! Suites that are run: who judges, and what is refused before anything runs.

use std::path::Path;

use serde_json::Value as Json;

use super::{folder, output, punctual, root};

const SUITE: &str = "examples/oven/suite.toml";

fn oven(fault: &str) -> String {
    let fault = if fault.is_empty() { String::new() } else { format!(" --fault {fault}") };
    format!("python3 {}{fault}", root().join("examples/oven/sut/oven.py").display())
}

/// The exit code, and verdict, cause and explanation of each case.
fn judged(suite: &str, more: &[&str]) -> (Option<i32>, Vec<(String, String, String)>) {
    let arguments = [&["test", suite, "--no-record", "--json"], more].concat();
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    let runs: Json = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    let text = |it: &Json| it.as_str().unwrap_or_default().to_owned();
    let run = |it: &Json| {
        (text(&it["verdict"]), text(&it["cause"]), text(&it["diagnosis"]["explanation"]))
    };
    let mut runs: Vec<Json> = runs["runs"].as_array().expect("runs").clone();
    runs.sort_by_key(|it| it["run"].as_u64());
    (code, runs.iter().map(run).collect())
}

#[test]
fn a_suite_names_the_model_that_judges() {
    let (code, cases) = judged(SUITE, &[]);
    assert_eq!((code, cases.len()), (Some(0), 3), "{cases:?}");
    // The model says so itself: the output is not only unexpected, but too late.
    let (code, cases) = judged(SUITE, &["--system", &oven("late")]);
    assert_eq!((code, cases[0].1.as_str()), (Some(1), "too_late"), "{cases:?}");
    // The form with the model first does the same.
    let arguments = ["test", "examples/oven/model.xml", "--suite", SUITE, "--no-record"];
    assert_eq!(output(&mut punctual(&arguments)).0, Some(0));
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// An oven without a model: the interface says what is exchanged, the suite what is right.
const ALONE: &str = r#"
[interface]
inputs = ["open", "close"]
outputs = ["alarm", "silence"]
observe = ["alarms: 0..100", "Door.location: Closed | Open | Alarming | Silencing"]
time-unit = "1ms"
"#;

const CASES: &str = r#"
interface = "oven.toml"

[[case]]
name = "alarm"
steps = [
    { wait = 3 },
    { input = "open" },
    { output = "alarm", within = ["30ms", "34ms"], requirement = "R1" },
    { wait = 50 },
    { check = { alarms = 1, Door.location = "Alarming" }, requirement = "R2" },
    { input = "close" },
    { output = "silence", within = [0, 4] },
]

[[case]]
name = "which way"
steps = [
    { check = { alarms = 1 }, allowed = [{ alarms = 0 }] },
    { input = "open" },
    { wait = 50 },
    { check = {}, allowed = [{ alarms = 1 }, { alarms = 2 }] },
]
"#;

#[test]
fn without_a_model_the_expectations_judge() {
    let folder = folder("suite_alone");
    write(&folder, "oven.toml", ALONE);
    let suite = write(&folder, "suite.toml", CASES);
    let said = |fault: &str| {
        let (code, cases) = judged(&suite, &["--system", &oven(fault)]);
        let causes: Vec<String> = cases.iter().map(|it| it.1.clone()).collect();
        (code, causes.join(" "), cases)
    };
    // The second case finds something that is allowed and not expected.
    let (code, causes, cases) = said("");
    assert_eq!((code, causes.as_str()), (Some(3), " not_expected"), "{cases:?}");
    let (code, causes, cases) = said("late");
    assert_eq!((code, causes.as_str()), (Some(1), "missing not_expected"));
    let late = "Output 0 (R1): `alarm` from 33 to 37 ms was expected, and did not come; `alarm` at 40 ms did.";
    assert_eq!(cases[0].2, late);
    let (code, causes, cases) = said("counter");
    assert_eq!((code, causes.as_str()), (Some(1), "wrong_value wrong_value"));
    assert!(cases[0].2.starts_with("Check 0 (R2): "), "{cases:?}");
    // The run waits for the last output, although nothing follows it.
    let (code, causes, _) = said("deaf");
    assert_eq!((code, causes.as_str()), (Some(1), "missing not_expected"));
}

/// What was recorded is judged again alike, with and without a model.
#[test]
fn recorded_cases_are_judged_again() {
    let folder = folder("suite_records");
    write(&folder, "oven.toml", ALONE);
    let alone = write(&folder, "suite.toml", CASES);
    for (name, suite, fault) in [("model", SUITE, "late"), ("alone", &alone, "late")] {
        let runs = folder.join(name).display().to_string();
        // One after the other, so that the first folder is the first case.
        let threads = ["--threads", "1"];
        let arguments = ["test", suite, "--system", &oven(fault), "--record", &runs];
        let arguments = [&arguments[..], &threads].concat();
        let (code, text, stderr) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(1), "{text}{stderr}");
        let run = format!("{runs}/0001");
        let (code, text, stderr) = output(&mut punctual(&["replay", &run]));
        assert_eq!(code, Some(1), "{text}{stderr}");
        let (code, ..) = output(&mut punctual(&["report", &runs]));
        assert_eq!(code, Some(1));
    }
}

/// What a suite gets wrong is shown where it stands, and nothing runs.
#[test]
fn suites_that_can_not_be_run() {
    let folder = folder("suite_refused");
    let model = root().join("examples/oven/model.xml");
    let interface = root().join("examples/oven/punctual.toml");
    let heading = format!("model = '{}'\ninterface = '{}'\n", model.display(), interface.display());
    let case = |steps: &str| format!("[[case]]\nname = \"c\"\nsteps = [\n{steps}]\n");
    // A program that would not start shows that none was.
    let refused = |text: &str, more: &[&str]| {
        let suite = write(&folder, "suite.toml", text);
        let system = ["test", &suite, "--system", "./no-such-program", "--no-record"];
        let (code, stdout, stderr) = output(&mut punctual(&[&system, more].concat()));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
        stderr.replace(&folder.display().to_string(), "…")
    };
    let early = case("    { wait = 3 },\n    { input = \"open\" },\n");
    let unknown = case("    { input = \"opn\" },\n    { check = { alarms = 101 } },\n");
    let shown = [
        refused(&format!("{heading}{early}"), &[]),
        refused(&format!("{heading}{unknown}"), &[]),
        refused(&format!("model = \"no.xml\"\ninterface = \"no.toml\"\n{early}"), &[]),
        refused(&early, &[]),
        refused(&heading, &[]).lines().last().unwrap_or_default().to_owned(),
        refused(&format!("{heading}{early}"), &["--delays", "eager"]),
        refused(ALONE, &[]),
    ];
    insta::assert_snapshot!(shown.join("\n---\n"));
    assert!(refused(&format!("{heading}{early}"), &["--unchecked"]).contains("no-such-program"));
    assert!(
        refused(&format!("{heading}{early}"), &["-e", "universal"]).contains("no-such-program")
    );
}

/// What the page of all runs says of the requirements of their suite: requirement, case and each check with its result.
fn requirements(store: &str, pages: &Path) -> Vec<String> {
    let to = pages.display().to_string();
    let (_, _, stderr) = output(&mut punctual(&["report", store, "--html", &to]));
    assert_eq!(stderr, "");
    let page = std::fs::read_to_string(pages.join("index.html")).unwrap();
    let Some((_, table)) = page.split_once("<table class=\"matrix\">") else { return Vec::new() };
    let (table, _) = table.split_once("</table>").unwrap();
    let told = |row: &str| {
        let cells: Vec<&str> = row.split("<td>").skip(1).collect();
        let text = |cell: &str| cell.split('<').next().unwrap_or_default().to_owned();
        let marks = cells[3].split("title=\"").skip(1);
        // The reason of what did not pass comes after a full stop.
        let marks = marks.map(|it| it.split(['"', '.']).next().unwrap_or_default());
        let marks: Vec<&str> = marks.collect();
        format!("{} | {} | {}", text(cells[0]), text(cells[1]), marks.join(", "))
    };
    table.split("<tr>").skip(2).map(told).collect()
}

/// The page of a campaign shows requirement, case and check, and what came of each.
#[test]
fn requirements_are_on_the_page() {
    let folder = folder("suite_requirements");
    write(&folder, "oven.toml", ALONE);
    let suite = write(&folder, "suite.toml", CASES);
    let tested = |suite: &str, fault: &str| {
        let store = folder.join(format!("runs{fault}")).display().to_string();
        let system = oven(fault);
        let arguments = ["test", suite, "--system", &system, "--record", &store];
        let (code, _, stderr) = output(&mut punctual(&arguments));
        assert!(matches!(code, Some(1 | 3)), "{stderr}");
        store
    };
    let pages = folder.join("pages");
    let told = requirements(&tested(&suite, ""), &pages);
    let right = [
        "R1 | alarm | output 0 at 3: passed",
        "R2 | alarm | check 0 at 53: passed",
        "none named | alarm | output 1 at 53: passed",
        "none named | which way | check 0 at 0: inconclusive, check 1 at 50: passed",
    ];
    assert_eq!(told, right);
    let store = tested(&suite, "late");
    let told = requirements(&store, &pages);
    assert_eq!(told[0], "R1 | alarm | output 0 at 3: failed");
    assert_eq!(told[1..], right[1..]);
    // Records of earlier versions do not say whether a line is about a check or an output.
    for run in ["0001", "0002"] {
        let path = Path::new(&store).join(run).join("record.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let older = text.replace("\"kind\":\"output\",", "").replace("\"kind\":\"check\",", "");
        assert_ne!(text, older);
        std::fs::write(&path, older).unwrap();
    }
    assert_eq!(requirements(&store, &pages), told);
    // Without the copies of the suite there is a page, but nothing is known of requirements.
    for run in ["0001", "0002"] {
        std::fs::remove_file(Path::new(&store).join(run).join("suite.toml")).unwrap();
    }
    assert_eq!(requirements(&store, &pages), Vec::<String>::new());
    let told = requirements(&tested(&suite, "deaf"), &pages);
    assert_eq!(told[2], "none named | alarm | output 1 at 53: failed");
}

/// A model ends a run early: it says itself that the output is late, and what comes after was not reached.
#[test]
fn what_was_not_reached_is_said() {
    let folder = folder("suite_not_reached");
    let store = folder.join("runs").display().to_string();
    let system = oven("late");
    let arguments = ["test", SUITE, "--system", &system, "--record", &store];
    assert_eq!(output(&mut punctual(&arguments)).0, Some(1));
    let told = requirements(&store, &folder.join("pages"));
    assert!(
        told.contains(&"alarm in time | alarm | output 0 at 5: inconclusive".to_owned()),
        "{told:?}"
    );
    let checks = "none named | alarm | check 0 at 45: not reached, check 1 at 55: not reached";
    assert!(told.contains(&checks.to_owned()), "{told:?}");
    assert!(
        told.contains(&"none named | short visit | check 0 at 65: passed".to_owned()),
        "{told:?}"
    );
}

/// A record has a gist of a hundred verdicts; what came of later checks is not known, and not called passed.
#[test]
fn what_is_not_known_is_said() {
    let folder = folder("suite_not_known");
    write(&folder, "oven.toml", ALONE);
    let checks = "    { check = { alarms = 5 }, requirement = \"R9\" },\n".repeat(103);
    let text =
        format!("interface = \"oven.toml\"\n[[case]]\nname = \"many\"\nsteps = [\n{checks}]\n");
    let suite = write(&folder, "suite.toml", &text);
    let store = folder.join("runs").display().to_string();
    let system = oven("");
    let arguments = ["test", &suite, "--system", &system, "--record", &store];
    assert_eq!(output(&mut punctual(&arguments)).0, Some(1));
    let told = requirements(&store, &folder.join("pages"));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].matches(": failed").count(), 100);
    assert!(told[0].ends_with(
        "check 100 at 0: not known, check 101 at 0: not known, check 102 at 0: not known"
    ));
}

/// The lines of all records of a store; those of others than an output if `older`, which wrote none at the end.
fn lines(store: &str, older: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for run in ["0001", "0002"] {
        let path = Path::new(store).join(run).join("record.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let is_kept = |it: &&str| !older || !it.contains("\"kind\":\"output\"");
        let kept: Vec<String> = text.lines().filter(is_kept).map(str::to_owned).collect();
        std::fs::write(&path, kept.join("\n") + "\n").unwrap();
        lines.extend(kept);
    }
    lines
}

/// The run ends with the window: only then is it known that the output is missing. Earlier versions wrote no line
/// about that; the diagnosis has it.
#[test]
fn what_is_known_at_the_end_is_recorded() {
    let folder = folder("suite_end");
    write(&folder, "oven.toml", ALONE);
    let suite = write(&folder, "suite.toml", CASES);
    let store = folder.join("runs").display().to_string();
    let system = oven("late");
    let arguments = ["test", &suite, "--system", &system, "--time", "37ms", "--record", &store];
    assert_eq!(output(&mut punctual(&arguments)).0, Some(1));
    let is_output = |it: &String| it.starts_with("{\"judged\":0,\"kind\":\"output\"");
    assert_eq!(lines(&store, false).iter().filter(|it| is_output(it)).count(), 1);
    let told = requirements(&store, &folder.join("pages"));
    assert_eq!(told[0], "R1 | alarm | output 0 at 3: failed");
    assert_eq!(told[1], "R2 | alarm | check 0 at 53: not reached");
    assert!(!lines(&store, true).iter().any(is_output));
    assert_eq!(requirements(&store, &folder.join("pages")), told);
}
