//! `punctual steer`: what a verdict of a recorded test is worth.

use std::path::Path;

use serde_json::Value as Json;

use super::{folder, output, punctual};

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The records of a run, and its exit code.
fn records(arguments: &[&str]) -> (Option<i32>, Vec<Json>) {
    let all: Vec<&str> = ["steer"].iter().chain(arguments).chain(&["--json"]).copied().collect();
    let (code, stdout, stderr) = output(&mut punctual(&all));
    assert_eq!(stderr, "");
    (code, stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn samples_are_tied_to_steps_by_their_times() {
    let folder = folder("steer_align");
    write(&folder, "m.lus", "node m(t: int) returns (x: int); let x = t; tel");
    write(&folder, "tests.csv", "t\n0\n10\n20\n30\n");
    // The sample of 10 is lost, one at 25 is too many, and the clock is not in step.
    write(&folder, "trace.csv", "stamp,x\n1.5,0\n21,20\n25,20\n32,30\n");
    let text = "model = \"m.lus\"\ntests = \"tests.csv\"\ntraces = [\"trace.csv\"]\nsteer = []\n";
    let align =
        |more: &str| format!("{text}[align]\ntime = \"stamp\"\ntests = \"t\"\nwithin = 3\n{more}");
    let of =
        |name: &str, text: &str| output(&mut punctual(&["steer", &write(&folder, name, text)]));
    let (code, stdout, stderr) = of("good.toml", &align("lost = 1\nextra = 1\n"));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("1 step has no sample of the system, and is"), "{stdout}");
    assert!(stdout.contains("1 sample of the system belongs to no step"), "{stdout}");
    for (more, said) in [
        ("extra = 1\n", "is 1 step without a sample, and `[align]` allows 0"),
        ("lost = 1\n", "is 1 sample without a step, and `[align]` allows 0"),
    ] {
        let (code, _, stderr) = of("few.toml", &align(more));
        assert_eq!(code, Some(2));
        assert!(stderr.contains(said), "{stderr}");
    }
    write(&folder, "trace.csv", "stamp,x\n1.5,0\n11,10\n21,99\n32,30\n");
    assert_eq!(of("wrong.toml", &align("")).0, Some(1), "a wrong value is one, when it was tied");
    // A sample too many is judged, too: it shows what neither 20 nor 30 shows.
    write(&folder, "trace.csv", "stamp,x\n1.5,0\n11,10\n21,20\n25,99\n32,30\n");
    let config = write(&folder, "extra.toml", &align("extra = 1\n"));
    let (code, told) = records(&[&config]);
    assert_eq!((code, &told[0]["failed_step"], &told[0]["extra"]), (Some(1), &2.into(), &1.into()));
    assert!(told[0]["why"].as_str().unwrap().contains("belongs to no step"), "{told:?}");
    // What the model shows in a step that was lost is not known.
    write(&folder, "trace.csv", "stamp,x\n1.5,0\n11,10\n25,99\n32,30\n");
    let (code, told) = records(&[&write(&folder, "lost.toml", &align("extra = 1\nlost = 1\n"))]);
    assert_eq!((code, &told[0]["cause"]), (Some(3), &"outside_environment".into()), "{told:?}");
    // Nothing says what the model shows before its first step.
    write(&folder, "trace.csv", "stamp,x\n-6,99\n1.5,0\n11,10\n21,20\n32,30\n");
    let (code, told) = records(&[&config]);
    let verdicts = (&told[0]["before"], &told[0]["after"], &told[0]["failed_step"]);
    assert_eq!(code, Some(3), "{told:?}");
    assert_eq!(verdicts, (&"inconclusive".into(), &"inconclusive".into(), &0.into()));
    assert!(told[0]["why"].as_str().unwrap().contains("is before the first step"), "{told:?}");
    write(&folder, "trace.csv", "stamp,x\n-6,0\n1.5,0\n11,10\n21,20\n32,30\n");
    assert_eq!(records(&[&config]).0, Some(0), "it shows what the first step shows");
    write(&folder, "trace.csv", "stamp,x\n1.5,0\n21,20\n11,10\n32,30\n");
    let (code, _, stderr) = of("unordered.toml", &align("extra = 1\nlost = 1\n"));
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("not in the order of their times") && stderr.contains("trace.csv:4"),
        "{stderr}"
    );
}

/// On when pressed, off when 50 are over.
const TIMER: &str = "node timer(press: bool; now: int) returns (light: bool); var since: int;\n\
    let light = press -> if press then true else (pre light and now - pre since < 50);\n\
    since = now -> if press then now else pre since; tel";

/// A number that is changed for one step, and remembered, explains what comes later.
#[test]
fn changes_act_through_what_is_remembered() {
    let folder = folder("steer_memory");
    write(&folder, "m.lus", TIMER);
    // It was pressed at 10; at 59 that is 49 ago, and 50 if 10 was read as 9.
    write(&folder, "trace.csv", "press,now,light\n0,0,0\n1,10,1\n0,20,1\n0,59,0\n0,70,0\n");
    let text =
        "model = \"m.lus\"\ntraces = [\"trace.csv\"]\n[tolerance]\nsince = [-1, 0]\n[policy]\n";
    let once = format!("{text}steered-steps = 1\n");
    let (code, told) = records(&[&write(&folder, "local.toml", &once)]);
    assert_eq!(
        (code, &told[0]["after"], &told[0]["steered_steps"]),
        (Some(0), &"pass".into(), &1.into())
    );
    let held = format!("{text}steered-steps = \"all\"\nheld = true\n");
    let (code, told) = records(&[&write(&folder, "held.toml", &held)]);
    assert_eq!(code, Some(1));
    assert!(told[0]["why"].as_str().unwrap().contains("`held = true`"), "{told:?}");
    // Without a budget, nobody said what such an explanation is worth: "all", or `held = false`, says it.
    let (code, told) = records(&[&write(&folder, "open.toml", text)]);
    assert_eq!(
        (code, &told[0]["cause"], &told[0]["failed_step"]),
        (Some(3), &"not_held".into(), &4.into())
    );
    for said in ["steered-steps = \"all\"\n", "held = false\n"] {
        let (code, told) = records(&[&write(&folder, "said.toml", &format!("{text}{said}"))]);
        assert_eq!((code, &told[0]["after"]), (Some(0), &"pass".into()), "{said}");
    }
    // At 58 it is 48 ago, and 50 only if it is changed twice.
    write(&folder, "trace.csv", "press,now,light\n0,0,0\n1,10,1\n0,20,1\n0,58,0\n0,70,0\n");
    let (code, told) = records(&[&write(&folder, "local.toml", &once)]);
    assert_eq!((code, &told[0]["failed_step"]), (Some(1), &3.into()));
}

/// A budget is learned from tests that tolerances were not learned from, and those that fail are not left out.
#[test]
fn budgets_are_learned_from_tests_kept_apart() {
    let folder = folder("steer_budget");
    write(&folder, "m.lus", "node m(a: int) returns (x: int); let x = a; tel");
    let config = "model = \"m.lus\"\ntraces = [\"sut_m.csv\"]\nlabels = \"labels.csv\"\n[tolerance]\na = [-2, 2]\n";
    let config = write(&folder, "config.toml", config);
    let learn = |n_right: i64, farther: Option<i64>| {
        let (mut rows, mut labels) = ("a,x\n".to_owned(), "sut,test,label\n".to_owned());
        for test in 0..n_right + 20 {
            let by = match test {
                _ if test >= n_right => 3,
                _ if farther == Some(test) => 2,
                _ => test / 2 % 2,
            };
            let label = ["pass", "timing-within-tolerance", "timing-within-tolerance", "fault"];
            rows += &format!("7,{}\n\n", 7 + by);
            labels += &format!("m,{test},{}\n", label[by as usize]);
        }
        write(&folder, "sut_m.csv", &rows);
        write(&folder, "labels.csv", &labels);
        let out = folder.join("learned.txt").display().to_string();
        let (code, stdout, stderr) = output(&mut punctual(&["steer", &config, "--learn", &out]));
        assert_eq!(code, Some(0), "{stderr}");
        stdout
    };
    let apart = learn(60, None);
    let learned = "for the learned tolerances, from 30 tests that should pass (a further one exceeds it with a probability of 0.0645 at most: 1/31 for each of 2 limits";
    assert!(apart.contains(learned), "{apart}");
    let given = "for the tolerances of the configuration, from 60 tests that should pass (a further one exceeds it with a probability of 0.0328 at most: 1/61 for each of 2 limits";
    assert!(apart.contains(given), "{apart}");
    // One of those kept apart needs more than what was learned allows.
    let failed = learn(60, Some(1));
    assert!(
        failed.contains(
            "WARNING  with the learned tolerances, 1 of 30 tests that should pass do not pass"
        ),
        "{failed}"
    );
    assert!(!failed.contains("0.0645"), "no probability is stated: {failed}");
    let few = learn(12, None);
    assert!(
        few.contains(
            "from 12 tests that should pass (the tolerances were learned from the same tests"
        ),
        "{few}"
    );
}

/// What a configuration comes to: its exit code, and what is said of it on either stream.
fn said(folder: &Path, config: &str) -> (Option<i32>, String) {
    let config = write(folder, "config.toml", config);
    let (code, stdout, stderr) = output(&mut punctual(&["steer", &config]));
    (code, stdout + &stderr)
}

/// Tests are paired by their order: a trace that says another one would be judged by the inputs of other tests.
#[test]
fn tests_of_json_lines_are_in_order() {
    let folder = folder("steer_numbers");
    write(&folder, "m.lus", "node m(x: int) returns (y: int); let y = x; tel");
    let tests = "{\"test\":0,\"step\":0,\"x\":0}\n{\"test\":1,\"step\":0,\"x\":3}\n";
    write(&folder, "t.jsonl", tests);
    let config = "model = \"m.lus\"\ntests = \"t.jsonl\"\ntraces = [\"sut_x.jsonl\"]\nsteer = []\n";
    let trace = |numbers: [(u32, u32); 2], y: [i32; 2]| {
        let line = |((test, step), y): ((u32, u32), i32)| {
            format!("{{\"test\":{test},\"step\":{step},\"y\":{y}}}\n")
        };
        let lines: String = numbers.into_iter().zip(y).map(line).collect();
        write(&folder, "sut_x.jsonl", &lines);
        said(&folder, config)
    };
    assert_eq!(trace([(0, 0), (1, 0)], [0, 3]).0, Some(0));
    for (numbers, message, line) in [
        ([(1, 0), (0, 0)], "this is test 1, and test 0 comes here", 1),
        ([(0, 0), (2, 0)], "this is test 2, and test 1 comes here", 2),
        ([(0, 1), (1, 0)], "this is step 1, and step 0 comes here", 1),
    ] {
        let (code, text) = trace(numbers, [0, 3]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(message), "{text}");
        assert!(text.contains(&format!("sut_x.jsonl:{line}:")), "{text}");
    }
}

/// A change that shows only together with another one is told as well, and may be said to be none that a right system is explained by.
#[test]
fn changes_that_show_only_together_are_told() {
    let folder = folder("steer_together");
    let model = "node m(a, b: int) returns (y: bool); let y = if b > 5 then a > 5 else false; tel";
    write(&folder, "m.lus", model);
    write(&folder, "sut_x.csv", &format!("a,b,y\n{}", "5,5,1\n\n".repeat(30)));
    let text = "model = \"m.lus\"\ntraces = [\"sut_x.csv\"]\n[tolerance]\na = [-1, 1]\nb = [-1, 1]\n\
        [policy]\nsteered-steps = \"all\"\n";
    let (code, stdout, _) = output(&mut punctual(&["steer", &write(&folder, "plain.toml", text)]));
    assert_eq!(code, Some(0), "{stdout}");
    for name in ["a", "b"] {
        let row = format!("{name}           30  30     30");
        assert!(stdout.contains(&row), "{row}: {stdout}");
    }
    let config = write(&folder, "config.toml", &format!("{text}expected = {{ a = 0, b = 1 }}\n"));
    let (code, told) = records(&[&config]);
    assert_eq!((code, &told[30]["verdict"]), (Some(1), &"fail".into()));
    let system = &told[30]["systems"][0];
    let a = &system["variables"][0];
    assert_eq!((&a["name"], &a["tests"], &a["shows"]), (&"a".into(), &30.into(), &30.into()));
    let found = &system["systematic"][0];
    assert_eq!((&found["variable"], &found["fails"]), (&"a".into(), &true.into()), "{found}");
    let words = found["words"].as_str().unwrap();
    assert!(
        words.starts_with("`a` was changed in 30 of the 30 tests that pass, always"),
        "{words}"
    );
    // A report of the records has it, too.
    let store = folder.join("runs").display().to_string();
    assert_eq!(output(&mut punctual(&["steer", &config, "--record", &store])).0, Some(1));
    let (code, stdout, _) = output(&mut punctual(&["report", &store]));
    assert_eq!(code, Some(1), "{stdout}");
    assert!(stdout.contains("`a` was changed in 30 of the 30 tests that pass"), "{stdout}");
}

/// Two traces of one name would be one system, with each of its tests twice.
#[test]
fn traces_are_of_different_systems() {
    let folder = folder("steer_twice");
    write(&folder, "m.lus", "node m(a: int) returns (x: int); let x = a; tel");
    for name in ["one", "two"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    for name in ["one/sut_x.csv", "two/sut_x.csv", "sut_x.csv", "x.csv"] {
        write(&folder, name, "a,x\n1,1\n");
    }
    let of = |traces: &str| {
        said(&folder, &format!("model = \"m.lus\"\ntraces = [{traces}]\nsteer = []\n"))
    };
    for (traces, both) in [
        ("\"one/sut_x.csv\", \"two/sut_x.csv\"", ["one/sut_x.csv`", "two/sut_x.csv`"]),
        ("\"x.csv\", \"sut_*.csv\"", ["/x.csv`", "/sut_x.csv`"]),
        ("\"x.csv\", \"x.csv\"", ["/x.csv`", "is there twice"]),
    ] {
        let (code, text) = of(traces);
        assert_eq!(code, Some(2), "{text}");
        assert!(both.iter().all(|it| text.contains(it)), "{text}");
    }
    assert_eq!(of("\"x.csv\"").0, Some(0));
}

/// A label that is for nothing, or that contradicts another one, would make measures untrue in silence.
#[test]
fn labels_are_of_tests_that_are_there() {
    let folder = folder("steer_labels");
    write(&folder, "m.lus", "node m(a: int) returns (x: int); let x = a; tel");
    write(&folder, "sut_clock.csv", "a,x\n1,1\n\n2,2\n");
    write(&folder, "sut_slow.csv", "a,x\n1,1\n\n2,2\n");
    let config = |traces: &str| {
        format!("model = \"m.lus\"\ntraces = [\"{traces}\"]\nlabels = \"l.csv\"\nsteer = []\n")
    };
    let of = |labels: &str| {
        write(&folder, "l.csv", &format!("sut,test,label\nslow,0,pass\n{labels}\n"));
        said(&folder, &config("sut_*.csv"))
    };
    assert_eq!(of("clock,1,pass\nslow,0,pass").0, Some(0), "the same label twice");
    for (labels, reason) in [
        ("clok,0,pass", "l.csv: line 3: no trace is of the system `clok`: did you mean `clock`?"),
        ("clock,9,pass", "l.csv: line 3: `clock` has no test 9: it has 2, and they are counted"),
        ("slow,0,fault", "l.csv: line 3: test 0 of `slow` is `fault`, and in line 2 `pass`"),
    ] {
        let (code, text) = of(labels);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(reason), "{text}");
    }
    // Another trace is judged than those that have labels.
    of("clock,1,pass");
    write(&folder, "new.csv", "a,x\n1,1\n");
    let new = folder.join("new.csv").display().to_string();
    let config = write(&folder, "config.toml", &config("sut_*.csv"));
    assert_eq!(output(&mut punctual(&["steer", &config, "--trace", &new])).0, Some(0));
}

/// A warning says what is not limited, and what it advises silences it.
#[test]
fn warnings_of_what_nothing_limits_are_true() {
    let folder = folder("steer_unlimited");
    write(&folder, "m.lus", "node m(t: int) returns (x: int); let x = t; tel");
    write(&folder, "sut_x.csv", "t,x\n7,9\n");
    write(&folder, "open.txt", "t >= concrete_oracle_t\n");
    write(&folder, "both.txt", "t >= concrete_oracle_t and t <= concrete_oracle_t + 4\n");
    let of = |rest: &str| {
        let config = format!("model = \"m.lus\"\ntraces = [\"sut_x.csv\"]\n{rest}");
        let config = write(&folder, "config.toml", &config);
        let (code, stdout, stderr) = output(&mut punctual(&["steer", &config]));
        assert_eq!(code, Some(0), "{stdout}{stderr}");
        stderr
    };
    let open = |policy: &str| of(&format!("tolerances = \"open.txt\"\n[policy]\n{policy}"));
    let free = |policy: &str| of(&format!("[tolerance]\nt = \"free\"\n[policy]\n{policy}"));
    for steps in ["steered-steps = 3", "steered-steps = \"all\""] {
        for (told, what) in
            [(open(steps), "`t` upwards by any amount"), (free(steps), "`t` by any")]
        {
            assert!(told.contains(what) && told.contains("Give a tolerance"), "{told}");
            assert!(!told.contains("steered-steps"), "it is there already: {told}");
        }
    }
    let silent = |told: String| assert_eq!(told, "");
    silent(of("tolerances = \"both.txt\"\n[policy]\nsteered-steps = 3\n"));
    silent(free("total-cost = 10\n"));
    silent(open("total-cost = 10\nunit = 1\n"));
    let told = free("");
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(told.contains("took no more than `total-cost = 2`, `steered-steps = 1`"), "{told}");
    let told = free("unit = 0\ntotal-cost = 10\n");
    assert!(told.contains("took no more than `steered-steps = 1`"), "{told}");
}

/// Nothing was steered, so steering can not have found it.
#[test]
fn samples_without_a_step_are_no_merit_of_steering() {
    let folder = folder("steer_stray");
    write(&folder, "m.lus", "node m(t: int) returns (x: int); let x = t; tel");
    write(&folder, "tests.csv", "t\n0\n10\n20\n");
    write(&folder, "sut_x.csv", "stamp,x\n0,0\n10,10\n15,99\n20,20\n");
    write(&folder, "labels.csv", "sut,test,label\nx,0,fault\n");
    write(&folder, "filter.txt", "x = concrete_sut_x\n");
    let text = "model = \"m.lus\"\ntests = \"tests.csv\"\ntraces = [\"sut_x.csv\"]\nlabels = \"labels.csv\"\n\
        filter = \"filter.txt\"\nsteer = []\n[align]\ntime = \"stamp\"\ntests = \"t\"\nwithin = 3\nextra = 1\n";
    let config = write(&folder, "config.toml", text);
    let (code, told) = records(&[&config]);
    assert_eq!(code, Some(1));
    for verdict in ["before", "after", "filter"] {
        assert_eq!(told[0][verdict], "fail", "{verdict}: {told:?}");
    }
    let store = folder.join("runs").display().to_string();
    let (_, stdout, _) = output(&mut punctual(&["steer", &config, "--record", &store]));
    for name in ["no adjustment", "filter", "steering"] {
        let line = stdout.lines().find(|it| it.starts_with(name)).expect("a measure");
        assert!(line.contains("1.000  1.000"), "{line}");
    }
    let (_, stdout, _) = output(&mut punctual(&["report", &store]));
    assert!(stdout.contains("a sample behind it belongs to no step"), "{stdout}");
}

/// A test with samples that belong to steps by their times: the model, its tests, what the system showed, and the rest of the configuration.
fn tied(folder: &Path, [model, tests, trace]: [&str; 3], rest: &str) -> String {
    write(folder, "m.lus", model);
    write(folder, "tests.csv", tests);
    write(folder, "sut_a.csv", trace);
    let text = "model = \"m.lus\"\ntests = \"tests.csv\"\ntraces = [\"sut_a.csv\"]\n";
    let align = "[align]\ntime = \"t\"\nwithin = 0.1\nlost = 1\nextra = 1\n";
    write(folder, "config.toml", &format!("{text}{rest}{align}"));
    folder.join("config.toml").display().to_string()
}

/// A sample that belongs to no step and shows what the system shows nowhere near is wrong, whatever is not known of the test.
#[test]
fn a_stray_sample_fails_a_test_that_steering_leaves_open() {
    let folder = folder("steer_stray_open");
    let judged = |files: [&str; 3], rest: &str| {
        let (code, told) = records(&[&tied(&folder, files, rest)]);
        (code, told[0]["cause"].clone(), told[0]["failed_step"].clone())
    };
    // Only a change that is remembered, and not held, explains the last step.
    let late = "node m(b: bool) returns (o: bool); var m: bool; c: int;\n\
        let m = b or (false -> pre m); c = 0 -> pre c + 1;\n\
        o = c > 5 and (false -> pre (false -> pre (false -> pre m))); tel";
    let tests = format!("b\n{}", "0\n".repeat(7));
    let shown = |extra: &str| format!("t,o\n0,0\n{extra}1,0\n2,0\n3,0\n4,0\n5,0\n6,1\n");
    let free = "[tolerance]\nb = \"free\"\n";
    let open = judged([late, &tests, &shown("")], free);
    assert_eq!(open, (Some(3), "not_held".into(), 6.into()));
    let stray = judged([late, &tests, &shown("0.5,1\n")], free);
    assert_eq!(stray, (Some(1), "unexplained".into(), 0.into()));
    // From the step on in which an assertion breaks, the system may show anything, and so it may a little before that step.
    let small = "node m(x: int) returns (o: int); let o = x; assert x < 3; tel";
    let locked = "[tolerance]\nx = \"locked\"\n";
    for (extra, expected) in [
        ("0.5", (Some(1), "unexplained".into(), 0.into())),
        ("1.5", (Some(3), "outside_environment".into(), 2.into())),
        ("2.5", (Some(3), "outside_environment".into(), 2.into())),
    ] {
        let mut rows = [("0", 1), ("1", 2), ("2", 5), (extra, 9)];
        rows.sort_by(|a, b| a.0.cmp(b.0));
        let rows: String = rows.iter().map(|(t, o)| format!("{t},{o}\n")).collect();
        let found = judged([small, "x\n1\n2\n3\n", &format!("t,o\n{rows}")], locked);
        assert_eq!(found, expected, "{extra}");
    }
}

/// A record of a test with samples that were lost, or too many, gets the verdict that the test got.
#[test]
fn records_of_tests_with_lost_and_extra_samples_are_replayed() {
    let folder = folder("steer_extra_replayed");
    let model = "node m(x: int) returns (o: int); let o = x; tel";
    let rest = "[tolerance]\nx = [0, 1]\n[policy]\nsteered-steps = 1\n";
    for (name, trace, code) in [
        ("stray", "t,o\n0,1\n0.5,9\n1,2\n2,3\n", 1),
        ("early", "t,o\n-0.5,9\n0,1\n1,2\n2,3\n", 3),
        ("right", "t,o\n0,1\n0.5,2\n1,2\n2,3\n", 0),
        ("lost", "t,o\n0,1\n2,4\n", 0),
        ("wrong", "t,o\n0,1\n2,5\n", 1),
        ("open", "t,o\n0,1\n0.5,9\n2,3\n", 3),
    ] {
        let config = tied(&folder, [model, "x\n1\n2\n3\n", trace], rest);
        let store = folder.join(name).display().to_string();
        let (steered, told) = records(&[&config, "--record", &store]);
        assert_eq!(steered, Some(code), "{name}: {told:?}");
        let (again, stdout, stderr) = output(&mut punctual(&["replay", &format!("{store}/0001")]));
        assert_eq!(again, Some(code), "{name}: {stdout}{stderr}");
        assert!(!stdout.contains("the record says"), "{name}: {stdout}");
        if let Some(why) = told[0]["why"].as_str() {
            assert!(stdout.contains(why), "{name}: {stdout}");
        }
    }
}

/// A budget that was learned can be put into the configuration as it is printed.
#[test]
fn learned_budgets_can_be_pasted() {
    let folder = folder("steer_pasted");
    write(&folder, "labels.csv", "sut,test,label\na,0,pass\n");
    let parts = "type P = struct { f: int; g: bool };\n\
        node m(p: P; a: int^2) returns (o: int); let o = p.f + a[0]; tel";
    let thirds = "node m(x: real) returns (o: real); let o = x; tel";
    for (name, model, tests, trace, tolerance, expected) in [
        (
            "parts",
            parts,
            "p.f,p.g,a[0],a[1]\n1,0,1,1\n2,0,1,1\n",
            "o\n3\n4\n",
            "\"p.f\" = [0, 1]\n\"a[0]\" = [0, 1]\n",
            "{ \"*\" = 0, \"a[0]\" = 2 }",
        ),
        ("thirds", thirds, "x\n1\n1\n", "o\n4/3\n4/3\n", "x = [0, 1]\n", "total-cost = 0.666667"),
    ] {
        write(&folder, "m.lus", model);
        write(&folder, "tests.csv", tests);
        write(&folder, "sut_a.csv", trace);
        let text = format!(
            "model = \"m.lus\"\ntests = \"tests.csv\"\ntraces = [\"sut_a.csv\"]\nlabels = \"labels.csv\"\n\
             [tolerance]\n{tolerance}"
        );
        let config = write(&folder, "config.toml", &text);
        let out = folder.join("learned.txt").display().to_string();
        let (code, stdout, stderr) = output(&mut punctual(&["steer", &config, "--learn", &out]));
        assert_eq!(code, Some(0), "{name}: {stderr}");
        let given =
            stdout.split("for the tolerances of the configuration").nth(1).expect("a budget");
        let budget: String =
            given.lines().filter(|it| it.starts_with("  ")).map(|it| format!("{it}\n")).collect();
        assert!(budget.contains(expected), "{name}: {budget}");
        let config = write(&folder, "config.toml", &format!("{text}{budget}"));
        let (code, stdout, stderr) = output(&mut punctual(&["steer", &config]));
        assert_eq!(code, Some(0), "{name}: {stdout}{stderr}");
    }
}

/// What a system does where the model says nothing of the test is no fault without steering, either.
#[test]
fn the_model_as_it_is_says_nothing_behind_a_broken_assertion() {
    let folder = folder("steer_before");
    write(&folder, "m.lus", "node m(x: int) returns (o: int); let o = x; assert x < 3; tel");
    let text = "model = \"m.lus\"\ntraces = [\"sut_a.csv\"]\n[tolerance]\nx = [0, 1]\n";
    let config = write(&folder, "config.toml", text);
    for (rows, before, after) in [
        ("3,3\n1,9\n", "inconclusive", "inconclusive"),
        ("1,9\n3,3\n", "fail", "fail"),
        ("2,2\n3,9\n", "inconclusive", "inconclusive"),
    ] {
        write(&folder, "sut_a.csv", &format!("x,o\n{rows}"));
        let (_, told) = records(&[&config]);
        assert_eq!(
            (&told[0]["before"], &told[0]["after"]),
            (&before.into(), &after.into()),
            "{rows}"
        );
    }
}
