//! Verdicts about what a specification says nothing of, and about models that can not be followed: a wrong system does not pass, and a right one
//! does not fail.

use std::path::{Path, PathBuf};

use super::{folder, output, punctual};

/// A model beside its interface.
fn written(name: &str, model: &str, interface: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("model.xta"), model).unwrap();
    let interface = format!("[interface]\n{interface}\ntime-unit = \"1ms\"\n");
    std::fs::write(folder.join("punctual.toml"), interface).unwrap();
    folder
}

/// Judges a trace, a line each: the exit code, and what is said.
fn judged(folder: &Path, trace: &[&str]) -> (Option<i32>, String) {
    let path = |name: &str| folder.join(name).display().to_string();
    let text = format!("{{\"unit\":\"units\"}}\n{}\n", trace.join("\n"));
    std::fs::write(path("trace.jsonl"), text).unwrap();
    let (code, stdout, stderr) =
        output(&mut punctual(&["judge", &path("model.xta"), &path("trace.jsonl")]));
    (code, stdout + &stderr)
}

const LIFT: &str = "chan call; chan floor[4]; chan alarm;
process Lift() { clock x; state Idle, Moving { x <= 5 }; init Idle;
  trans Idle -> Moving { sync call?; assign x = 0; }, Moving -> Moving { sync call?; },
    Moving -> Idle { guard x >= 2; sync floor[0]!; }, Moving -> Idle { guard x >= 2; sync floor[1]!; }; }
process User() { clock y; state S; init S;
  trans S -> S { guard y >= 3; sync call!; assign y = 0; },
    S -> S { select i : int[0,3]; sync floor[i]?; }, S -> S { sync alarm?; }; }
system Lift, User;";

/// An output that only the environment knows was judged by nobody, and so passed.
#[test]
fn an_output_that_nobody_sends_is_wrong() {
    let interface = "inputs = [\"call\"]\noutputs = [\"floor\", \"alarm\"]";
    for (name, delays) in [("exact", ""), ("uncertain", "[uncertainty]\noutput = \"0..1ms\"\n")] {
        let folder = written(&format!("nobody-sends-{name}"), LIFT, interface);
        let path = folder.join("punctual.toml");
        let text = std::fs::read_to_string(&path).unwrap() + delays;
        std::fs::write(&path, text).unwrap();
        let call = r#"{"at":10,"input":"call"}"#;
        let floor = r#"{"at":13,"output":"floor[1]"}"#;
        for wrong in ["alarm", "floor[3]"] {
            let wrong = format!(r#"{{"at":12.5,"output":"{wrong}"}}"#);
            let (code, text) = judged(&folder, &[call, &wrong, floor, r#"{"at":30}"#]);
            assert_eq!(code, Some(1), "{wrong}: {text}");
            assert!(text.contains("not allowed"), "{wrong}: {text}");
        }
        let (code, text) = judged(&folder, &[call, floor, r#"{"at":30}"#]);
        assert_eq!(code, Some(0), "{text}");
    }
}

/// The specification says nothing about an input that none of its processes receives.
#[test]
fn an_input_that_nobody_receives_excuses_what_follows() {
    let model = |chan: &str| {
        format!(
            "{chan} button[2]; chan o;
process M() {{ clock x; state I, W {{ x <= 5 }}; init I;
  trans I -> W {{ sync button[0]?; assign x = 0; }}, W -> W {{ sync button[0]?; }}, W -> I {{ sync o!; }}; }}
process U() {{ state S; init S; trans S -> S {{ sync button[0]!; }}, S -> S {{ sync button[1]!; }}, S -> S {{ sync o?; }}; }}
system M, U;"
        )
    };
    let interface = "inputs = [\"button\"]\noutputs = [\"o\"]";
    let trace = [r#"{"at":5,"input":"button[1]"}"#, r#"{"at":7,"output":"o"}"#, r#"{"at":30}"#];
    let folder = written("nobody-receives", &model("chan"), interface);
    let (code, text) = judged(&folder, &trace);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("does not say what follows the input `button[1]`"), "{text}");
    // Nothing comes of a broadcast that nobody hears.
    let folder = written("nobody-hears", &model("broadcast chan"), interface);
    assert_eq!(judged(&folder, &trace).0, Some(1));
}

/// What stops a search in the middle of a state was forgotten by the next observation, which saw half of the states.
#[test]
fn a_model_that_can_not_be_followed_blames_nobody() {
    let user = "process Env() { state E, F; init E; trans E -> F { sync a!; }, F -> E { sync o?; }; }\nsystem S, Env;";
    let drawn = format!(
        "chan a, o; int[0,999] n = 0; int[0,499] m = 0;
process S() {{ clock x; state I, D {{ x <= 5 }}, W {{ x <= 10 }}; init I;
  trans I -> D {{ sync a?; assign x = 0; }},
    D -> W {{ select i : int[0,999], j : int[0,499]; guard x >= 5; assign n = i, m = j; }},
    W -> I {{ guard x >= 8; sync o!; }}; }}
{user}"
    );
    let folder = written("too-many-drawn", &drawn, "inputs = [\"a\"]\noutputs = [\"o(n, m)\"]");
    let sent = r#"{"at":10,"input":"a"}"#;
    let answer = r#"{"at":19,"output":"o","values":[999,499]}"#;
    let (code, text) = judged(&folder, &[sent, answer, r#"{"at":30}"#]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("too many states"), "{text}");

    for (name, edges) in [
        ("bad-last", ["", "assign n = n + 1;"]),
        ("bad-first", ["assign n = n + 1;", ""]),
        ("bad-only", ["assign n = n + 1;", "guard n == 0;"]),
    ] {
        let [first, second] = edges.map(|it| match it.starts_with("guard") {
            true => "D -> W { guard x >= 5 && n == 0; }".to_owned(),
            false => format!("D -> W {{ guard x >= 5; {it} }}"),
        });
        let model = format!(
            "chan a, o; int[0,1] n = 1;
process S() {{ clock x; state I, D {{ x <= 5 }}, W {{ x <= 10 }}; init I;
  trans I -> D {{ sync a?; assign x = 0; }}, {first}, {second}, W -> I {{ guard x >= 8; sync o!; }}; }}
{user}"
        );
        let folder = written(name, &model, "inputs = [\"a\"]\noutputs = [\"o\"]");
        let answer = r#"{"at":19,"output":"o"}"#;
        let (code, text) = judged(&folder, &[sent, answer, r#"{"at":30}"#]);
        assert_eq!(code, Some(3), "{name}: {text}");
        assert!(text.contains("the value 2 is out of range"), "{name}: {text}");
    }
}

/// A system whose clock is slow by all that is allowed does what it must at the last instant of its own clock.
#[test]
fn a_slow_clock_is_in_time_for_a_suite() {
    let folder = folder("slow-clock-suite");
    let path = |name: &str| folder.join(name).display().to_string();
    let interface = "[interface]\ninputs = [\"go\"]\noutputs = [\"one\"]\ntime-unit = \"1ms\"\n[uncertainty]\ndrift = \"5%\"\n";
    std::fs::write(path("punctual.toml"), interface).unwrap();
    let suite = "interface = \"punctual.toml\"\n[[case]]\nname = \"case\"\nsteps = [{ input = \"go\" }, { wait = \"10000ms\" }, { output = \"one\", within = [\"0ms\", \"0ms\"] }, { wait = \"2000ms\" }]\n";
    std::fs::write(path("suite.toml"), suite).unwrap();
    let system = "import json, sys
due = int(float(sys.argv[1]) * 1e6)
for line in sys.stdin:
    it = json.loads(line)
    if 'hello' in it: said = {'ready': 0}
    elif 'reset' in it: said, sent = {'ready': it['reset']}, False
    elif 'input' in it: said = {'done': it['at']}
    elif 'stop' in it: break
    elif not sent and due <= it['wait']: said, sent = {'output': 'one', 'at': due}, True
    else: said = {'quiet': it['wait']}
    print(json.dumps(said), flush=True)
";
    std::fs::write(path("system.py"), system).unwrap();
    for (seen_ms, code) in [(10_526.3, 0), (10_527.0, 1), (9_523.9, 0), (9_499.0, 1)] {
        let command = format!("python3 {} {seen_ms}", path("system.py"));
        let arguments = ["test", &path("suite.toml"), "--system", &command, "--no-record"];
        let (found, stdout, stderr) = output(&mut punctual(&arguments));
        assert_eq!(found, Some(code), "{seen_ms} ms: {stdout}{stderr}");
    }
}

/// The same input came twice, and only the second one may be refused: that one is named.
#[test]
fn the_input_that_may_be_refused_is_named() {
    let model = "chan a, o;
process A() { clock x; state I, J { x <= 3 }, K, L { x <= 2 }; init I;
  trans I -> J { sync a?; assign x = 0; }, J -> K { guard x >= 1; }, J -> L { sync a?; assign x = 0; }, L -> K { sync o!; }; }
process E() { state S; init S; trans S -> S { sync a!; }, S -> S { sync o?; }; }
system A, E;";
    let interface = "inputs = [\"a\"]\noutputs = [\"o\"]";
    let folder = written("refused-second", model, interface);
    let path = folder.join("punctual.toml");
    let text = std::fs::read_to_string(&path).unwrap() + "[uncertainty]\ninput = \"0..4ms\"\n";
    std::fs::write(&path, text).unwrap();
    let trace = [r#"{"at":10,"input":"a"}"#, r#"{"at":12,"input":"a"}"#, r#"{"at":40}"#];
    let (code, text) = judged(&folder, &trace);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("between 12 and 16"), "{text}");
}

/// Several inputs whose instants overlap keep their order: what the last one wrote is what is read, and not only what some other wrote.
#[test]
fn a_use_behind_a_signal_that_came_twice_is_not_left_out() {
    let model = "chan a, b, r, o;
process Sys() { int n = 0; int m = 0; state L; init L;
  trans L -> L { sync a?; assign n = 1; }, L -> L { sync b?; assign n = 2; }, L -> L { sync r?; assign m = n; }; }
process Env() { state S; init S; trans S -> S { sync a!; }, S -> S { sync b!; }, S -> S { sync r!; }, S -> S { sync o?; }; }
process Out() { state Q; init Q; trans Q -> Q { guard false; sync o!; }; }
system Sys, Env, Out;";
    let interface = "inputs = [\"a\", \"b\", \"r\"]\noutputs = [\"o\"]\nobserve = [\"Sys.m\"]";
    let trace = [
        r#"{"at":10,"input":"a"}"#,
        r#"{"at":11,"input":"b"}"#,
        r#"{"at":12,"input":"a"}"#,
        r#"{"at":13,"input":"r"}"#,
        r#"{"at":40}"#,
    ];
    for (name, delays) in [("exact", ""), ("delayed", "[uncertainty]\ninput = \"0..5ms\"\n")] {
        let folder = written(&format!("used-twice-{name}"), model, interface);
        let path = folder.join("punctual.toml");
        let text = std::fs::read_to_string(&path).unwrap() + delays;
        std::fs::write(&path, text).unwrap();
        assert_eq!(judged(&folder, &trace).0, Some(0));
        let file = |name: &str| folder.join(name).display().to_string();
        let arguments = ["judge", &file("model.xta"), &file("trace.jsonl"), "--json"];
        let (_, stdout, _) = output(&mut punctual(&arguments));
        let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let coverage = &json["runs"][0]["coverage"];
        let never = coverage["never_used"].to_string();
        assert!(!never.contains("a?"), "{name}: {coverage:#}");
    }
}

/// A step that nobody sees, and that must have been taken when the run ended, is covered. One that lies ahead is not.
#[test]
fn what_happened_unseen_before_the_end_is_covered() {
    let model = "chan a, o;
process A() { clock x; state I { x <= 20 }, J; init I; trans I -> J { guard x >= 10; }, J -> J { sync a?; }, J -> J { sync o!; }; }
process Env() { state S; init S; trans S -> S { sync a!; }, S -> S { sync o?; }; }
system A, Env;";
    let folder = written("unseen-before-the-end", model, "inputs = [\"a\"]\noutputs = [\"o\"]");
    for (end, is_covered) in [(r#"{"at":21}"#, true), (r#"{"at":9}"#, false)] {
        assert_eq!(judged(&folder, &[end]).0, Some(0));
        let file = |name: &str| folder.join(name).display().to_string();
        let arguments = ["judge", &file("model.xta"), &file("trace.jsonl"), "--json"];
        let (_, stdout, _) = output(&mut punctual(&arguments));
        let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let never = json["runs"][0]["coverage"]["never_taken"].to_string();
        assert_eq!(never.contains("x >= 10"), !is_covered, "{end}: {json:#}");
    }
}
