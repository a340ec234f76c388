//! Extreme inputs and surroundings: a message and the right exit code, never a panic, and nothing runs or is written that nobody named.

use std::fs;
use std::process::{Command, Stdio};

use crate::{folder, output, punctual};

const PANICKED: Option<i32> = Some(101);

fn lamp(test: &str) -> (std::path::PathBuf, String) {
    let folder = folder(test);
    let model = folder.join("lamp.xta");
    let text = "clock x; int n; process P() { state A { x <= 5 }; init A; trans A -> A { guard x >= 3; assign x = 0, n = (n + 1) % 5; }; } system P;";
    fs::write(&model, text).unwrap();
    let name = model.to_str().unwrap().to_owned();
    (folder, name)
}

#[test]
fn a_clock_that_starts_too_late_for_zones_is_refused_by_name() {
    let folder = folder("late-clock");
    let model = folder.join("late.xta");
    let late = "clock x = 600000000; process P() { state A; init A; trans A -> A { guard x > 3; assign x = 0; }; } system P;";
    fs::write(&model, late).unwrap();
    let model = model.to_str().unwrap();
    let (code, _, said) = output(&mut punctual(&["check", model, "--query", "E<> P.A"]));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("a clock that starts beyond 134217727 (clock x)"), "{said}");
    // Runs by chance know no such limit.
    let (code, ..) = output(&mut punctual(&["check", model, "--query", "Pr[<=10](<> P.A)"]));
    assert_eq!(code, Some(0));
    let json = folder.join("late.json");
    output(&mut punctual(&["convert", model, "-o", json.to_str().unwrap()]));
    let again = ["check", json.to_str().unwrap(), "--query", "E<> P.A"];
    let (code, _, said) = output(&mut punctual(&again));
    assert_eq!(code, Some(2), "{said}");
}

/// Runs by chance that end before their first state can be looked at.
#[test]
fn a_model_without_a_run_is_told_with_a_trace() {
    let folder = folder("no-run");
    let model = folder.join("norun.xta");
    fs::write(&model, "clock x; process P(){ state A{x<0}; init A; } system P;").unwrap();
    let model = model.to_str().unwrap();
    let file = folder.join("trace.json");
    for query in ["Pr[<=10](<> x>1)", "simulate[<=10;2]{x}", "E[<=10;3](max: x)"] {
        let (code, text, said) = output(&mut punctual(&["check", model, "--query", query]));
        assert_eq!(code, Some(2), "{text}{said}");
        for more in [["--trace", "any"], ["--trace-file", file.to_str().unwrap()]] {
            let arguments = ["check", model, "--query", query, more[0], more[1]];
            let (code, traced, said) = output(&mut punctual(&arguments));
            assert_eq!(code, Some(2), "{traced}{said}");
            let why = text.lines().find(|line| line.contains("the model is wrong"));
            assert!(why.is_some_and(|why| traced.contains(why)), "{text}{traced}");
        }
    }
}

#[test]
fn values_that_are_no_numbers_are_told() {
    let (_, model) = lamp("infinite");
    for (query, told) in [("E[<=1;2](max: 1e308*10)", "inf"), ("E[<=1;2](max: log(0))", "-inf")] {
        let (code, text, said) = output(&mut punctual(&["check", &model, "--query", query]));
        assert_eq!(code, Some(3), "{text}{said}");
        assert!(text.contains(told) && text.contains("no finite number"), "{text}");
        assert!(!text.contains("NaN"), "{text}");
    }
}

#[test]
fn nobody_needs_to_hear_what_is_said() {
    let (_, model) = lamp("unheard");
    for (query, code) in [("E<> n == 3", Some(0)), ("E<> nothing == 3", Some(2))] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
        command.args(["check", &model, "--query", query]).stdout(Stdio::null()).stderr(full);
        assert_eq!(command.status().unwrap().code(), code, "{query}");
    }
}

#[test]
fn threads_are_bounded() {
    let (_, model) = lamp("threads");
    let with = |threads: &str| {
        output(&mut punctual(&["check", &model, "--query", "A[] n < 5", "--threads", threads]))
    };
    let (code, _, said) = with("18446744073709551615");
    assert_eq!(code, Some(2));
    assert!(said.contains("from 1 to 1024"), "{said}");
    assert_eq!(with("0").0, Some(2));
    assert_eq!(with("300").0, Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn paths_need_not_be_text() {
    use std::os::unix::ffi::OsStringExt;
    let mut place = folder("no-text").into_os_string();
    place.push(std::ffi::OsString::from_vec(b"/runs\xff\xfe".to_vec()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(["test", "examples/coffee-machine/implementation.xml", "--interface"]);
    command.args(["examples/coffee-machine/punctual.toml", "--runs", "1", "--steps", "3"]);
    command.args(["--clock", "virtual", "--record"]).arg(&place).current_dir(crate::root());
    let status = command.stdout(Stdio::null()).stderr(Stdio::piped()).output().unwrap();
    assert_ne!(status.status.code(), PANICKED, "{}", String::from_utf8_lossy(&status.stderr));
}

#[test]
fn escape_codes_of_others_do_not_reach_the_terminal() {
    let (folder, model) = lamp("escapes");
    let (code, text, said) = output(&mut punctual(&["show", "no\u{1b}[31m.xta"]));
    assert_eq!((code, text.as_str()), (Some(2), ""));
    assert!(!said.contains('\u{1b}'), "{said:?}");
    // The place of an error, and C1 controls, which are no ASCII.
    for (name, text) in [
        ("a\u{1b}[31m.xta", "process P() { state A; init B; } system P;"),
        ("c1.tck", "system:s\nprocess:P\u{9b}5m\nlocation:Q\u{9b}5m:a{initial:}\n"),
    ] {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        let (code, _, said) = output(&mut punctual(&["show", path.to_str().unwrap()]));
        assert_eq!(code, Some(2), "{said}");
        assert!(!said.contains(['\u{1b}', '\u{9b}']), "{said:?}");
    }
    let query = folder.join("q.q");
    fs::write(&query, "// \u{1b}[31mred\nE<> n == 3\n").unwrap();
    let (_, text, said) =
        output(&mut punctual(&["check", &model, "--queries", query.to_str().unwrap()]));
    assert!(!text.contains('\u{1b}') && !said.contains('\u{1b}'), "{text:?} {said:?}");
}

/// A model from elsewhere may come in a folder with a program that is called like the solver's.
#[test]
#[cfg(unix)]
fn a_solver_of_the_current_folder_is_not_started() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("foreign-solver");
    fs::create_dir_all(folder.join(".solver")).unwrap();
    let program = folder.join(".solver/z3");
    let trap = folder.join("started");
    fs::write(&program, format!("#!/bin/sh\ntouch {}\n", trap.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("m.lus"), "node m(x: bool) returns (y: bool) let y = x -> pre x; tel")
        .unwrap();
    let mut command = punctual(&["generate", "m.lus", "--cover", "branch", "-o", "t.csv"]);
    output(command.current_dir(&folder));
    assert!(!trap.exists(), "a program of the current folder was started");
    // Somebody who names it means it.
    let mut command =
        punctual(&["generate", "m.lus", "--cover", "mcdc", "--first-random", "0", "-o", "t.csv"]);
    output(command.args(["--solver", ".solver/z3"]).current_dir(&folder));
    assert!(trap.exists(), "the solver that was named was not started");
}

/// Who can guess the name of a file that is being written could put a link there.
#[test]
#[cfg(unix)]
fn files_are_not_written_through_links() {
    let (folder, model) = lamp("links");
    let victim = folder.join("victim");
    fs::write(&victim, "mine").unwrap();
    let program = env!("CARGO_BIN_EXE_punctual");
    // The number of the process is known here: `exec` keeps it.
    let line = format!(
        "ln -s victim out.xml.$$.part; ln -s victim out.xml.$$.0.part; exec {program} convert {model} -o out.xml"
    );
    let status = Command::new("sh").args(["-c", &line]).current_dir(&folder).status().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert!(fs::read_to_string(folder.join("out.xml")).unwrap().contains("<nta>"));
}

/// One state with 2^40 successors, one with 2^31, runs that take for ever: all end by `--time` and `--memory`.
#[test]
fn bounds_hold_inside_of_one_state_and_one_run() {
    let folder = folder("bombs");
    let receivers: String = (0..40).map(|i| format!("R{i} = R();\n")).collect();
    let names: Vec<String> = (0..40).map(|i| format!("R{i}")).collect();
    let crowd = format!(
        "broadcast chan c; clock x; process S() {{ state A {{ x <= 1 }}; init A; trans A -> A {{ sync c!; assign x = 0; }}; }}
         process R() {{ state A, B, C; init A; trans A -> B {{ sync c?; }}, A -> C {{ sync c?; }}; }}
         {receivers} system S, {};",
        names.join(", ")
    );
    let select = "int n; process P() { state A; init A; trans A -> A { select i : int[0,2147483647]; assign n = i; }; } system P;";
    let (_, lamp) = lamp("bombs-lamp");
    for (name, text) in [("crowd.xta", crowd.as_str()), ("select.xta", select)] {
        fs::write(folder.join(name), text).unwrap();
    }
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (crowd, select) = (path("crowd.xta"), path("select.xta"));
    for (model, query, option, told) in [
        (&crowd, "A[] not R0.B or not R0.C", ["--time", "300ms"], "the time is over"),
        (&crowd, "E[] not R0.B", ["--time", "300ms"], "the time is over"),
        (&crowd, "E<> R0.B and R0.C", ["--memory", "8M"], "the memory is used up"),
        (&select, "E<> n == -1", ["--memory", "8M"], "the memory is used up"),
        (&lamp, "Pr[<=2000000000](<> n == 7)", ["--time", "0.3"], "the time is over"),
        (&lamp, "simulate[<=2000000000;1]{n}", ["--memory", "8M"], "the memory is used up"),
    ] {
        let arguments = ["check", model, "--query", query, option[0], option[1]];
        let (code, text, said) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(3), "{query}: {text}{said}");
        assert!(text.contains(told), "{query}: {text}");
    }
    for wrong in ["0", "-1s", "soon"] {
        let time = format!("--time={wrong}");
        let (code, ..) = output(&mut punctual(&["check", &lamp, "--query", "E<> n == 1", &time]));
        assert_eq!(code, Some(2), "{wrong}");
    }
}

/// What is held beside the states of a search, and for runs that are recorded, counts: a broadcast to 40 receivers, and very many runs.
#[test]
#[cfg(target_os = "linux")]
fn memory_stays_near_what_was_granted() {
    let folder = folder("granted");
    let crowd = "broadcast chan go; clock x;
        process S() { state A { x <= 1 }; init A; trans A -> A { guard x >= 1; sync go!; assign x = 0; }; }
        process R(int[0,39] i) { state A, B, C; init A; trans A -> B { sync go?; }, A -> C { sync go?; }; }
        system S, R;";
    let crowded = folder.join("crowd.xta").to_str().unwrap().to_owned();
    fs::write(&crowded, crowd).unwrap();
    let (_, lamp) = lamp("granted-lamp");
    // A hidden step with as many values as an integer has.
    let values = "chan a; broadcast chan o; int[0,1000000] v;
        process E() { state A; init A; trans A -> A { sync a!; }, A -> A { sync o?; }; }
        process S() { state A, B, C; init A; trans A -> B { sync a?; },
            B -> C { select i : int[0,2147483647]; assign v = i % 1000; }, C -> A { sync o!; }; }
        system E, S;";
    let [many, interface, suite] =
        ["many.xta", "many.toml", "suite.toml"].map(|it| folder.join(it).display().to_string());
    fs::write(&many, values).unwrap();
    let signals = "[interface]\ninputs = [\"a\"]\noutputs = [\"o\"]\ntime-unit = \"1ms\"\n";
    fs::write(&interface, signals).unwrap();
    let check = |model, query| vec!["check", model, "--query", query];
    for command in [
        check(&crowded, "E[] true"),
        check(&crowded, "A[] not deadlock"),
        check(&lamp, "simulate[<=10;2000000000]{n}"),
        vec!["generate", &many, "-i", &interface, "--cover", "edges", "-o", &suite],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_punctual"))
            .args([&command[..], &["--memory", "64M"]].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut peak_kb: u64 = 0;
        let status = loop {
            let text = fs::read_to_string(format!("/proc/{}/status", child.id()));
            let text = text.unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let held = line.and_then(|it| it.trim().strip_suffix("kB")?.trim().parse().ok());
            peak_kb = peak_kb.max(held.unwrap_or(0));
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            std::thread::yield_now();
        };
        assert_eq!(status.code(), Some(3), "{command:?}");
        assert!(peak_kb < 192 << 10, "{command:?}: {peak_kb} kB");
    }
    // A table of a Lustre program is made by a solver, which has limits of its own.
    let pump = "examples/infusion/pump.lus";
    let table = ["generate", pump, "--random", "1", "--memory", "64M"];
    let (code, _, said) = output(&mut punctual(&table));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("`--memory` is for timed automata"), "{said}");
}

/// A file that never ends is too large, and is told so before memory is used up.
#[test]
#[cfg(target_os = "linux")]
fn files_without_end_are_too_large() {
    let text = ",".repeat((32 << 20) + 1);
    let long = folder("commas").join("commas.xta");
    fs::write(&long, &text).unwrap();
    let (code, _, said) = output(&mut punctual(&["show", long.to_str().unwrap()]));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("at most 32 MB"), "{said}");
    fs::remove_file(&long).unwrap();
    let toml = folder("commas_toml").join("commas.toml");
    fs::write(&toml, &text[..(16 << 20) + 1]).unwrap();
    let coffee = "examples/coffee-machine/model.xml";
    let (code, _, said) =
        output(&mut punctual(&["show", coffee, "--interface", toml.to_str().unwrap()]));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("at most 16 MB"), "{said}");
    fs::remove_file(&toml).unwrap();
}

/// Counts that nobody can wait for are refused, and Ctrl-C ends what takes long.
#[test]
fn huge_counts_of_tests_are_refused() {
    let (model, interface) = ("experiments/tauc/small.xml", "experiments/tauc/small.toml");
    let most = "18446744073709551615";
    for arguments in [
        ["generate", model, "-i", interface, "--random", most, "--steps", "5"],
        ["generate", model, "-i", interface, "--random", "1", "--steps", most],
        ["generate", model, "-i", interface, "--random", "1000", "--steps", "10001"],
        ["generate", model, "-i", interface, "--cover", "edges", "--budget", "20001"],
        [
            "generate",
            "examples/oven/loop.lus",
            "--cover",
            "mcdc",
            "--bound",
            "10001",
            "--seed",
            "1",
        ],
    ] {
        let (code, _, said) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains("at most"), "{said}");
    }
    let oven = "examples/oven/model.xml";
    let suite = "examples/oven/suite.toml";
    let machine = "examples/coffee-machine/universal.xml";
    for arguments in [
        &["run", "examples/oven/loop.lus", "--random", most][..],
        &["run", "examples/oven/loop.lus", "--random", "10000000000000", "--steps", "1"],
        &["run", "examples/oven/loop.lus", "--random", "1", "--steps", most],
        &["score", oven, suite, "--operators", "restrict", "--play", "--runs", most],
        &["test", machine, "--runs", most, "--no-record"],
    ] {
        let (code, _, said) = output(&mut punctual(arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
    }
    let program = "examples/infusion/pump.lus";
    let huge = ["generate", program, "--random", "1000000000000", "--steps", "5"];
    let (code, _, said) = output(&mut punctual(&huge));
    assert_eq!(code, Some(2), "{said}");
}

/// Files whose readers take much memory for each byte are refused before that.
#[test]
fn long_files_of_all_formats_are_refused() {
    let folder = folder("long-files");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let coffee = "examples/coffee-machine/model.xml";
    let (trn, queries, program) = (path("long.trn"), path("long.q"), path("long.lus"));
    let (short, long) = ("a,".repeat((16 << 20) / 2 + 1), "a,".repeat((32 << 20) / 2 + 1));
    for (file, text, arguments, most) in [
        (&trn, &short, &["show", coffee, "--interface", &trn][..], "at most 16 MB"),
        (&queries, &short, &["check", coffee, "--queries", &queries], "at most 16 MB"),
        (&program, &long, &["show", &program], "at most 32 MB"),
    ] {
        fs::write(file, text).unwrap();
        let (code, _, said) = output(&mut punctual(arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(most), "{arguments:?}: {said}");
        fs::remove_file(file).unwrap();
    }
}

/// A run that ended before anything was written passed, judged as a trace in which nothing happened.
#[test]
fn an_empty_record_is_refused() {
    let record = folder("empty-record").join("record.jsonl");
    fs::write(&record, "").unwrap();
    let trace = record.with_file_name("trace.csv");
    fs::write(&trace, "").unwrap();
    let (record, trace) = (record.to_str().unwrap(), trace.to_str().unwrap());
    let model = "examples/coffee-machine/model.xml";
    for arguments in [&["replay", record][..], &["judge", model, record], &["judge", model, trace]]
    {
        let (code, text, said) = output(&mut punctual(arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {text}{said}");
        assert!(said.contains("it is empty"), "{said}");
    }
}
