//! `punctual check`.

use super::{folder, output, punctual};

const GATE: &str = "examples/train-gate/model.xml";

/// Runs the command on a model of its own; gives the exit code and both outputs.
fn checked(test: &str, name: &str, model: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let path = folder(test).join(name);
    std::fs::write(&path, model).unwrap();
    let mut arguments = vec!["check", path.to_str().unwrap()];
    arguments.extend(options);
    output(&mut punctual(&arguments))
}

const PLAIN: &str = "clock x; process P() { state A, B; init A; trans A -> B { }; } system P;";

const LABELLED: &str = "system:s\nevent:e\nprocess:P\nlocation:P:a{initial: : labels: start}\n\
    location:P:b{labels: error}\nedge:P:a:b:e\n";

#[test]
fn the_help_teaches() {
    let (code, stdout, _) = output(&mut punctual(&["check", "--help"]));
    assert_eq!(code, Some(0));
    for text in
        ["Examples:", "Orders:", "Exit codes:", "2 before 1 before 3 before 0", "random-dfs"]
    {
        assert!(stdout.contains(text), "{text} is not in: {stdout}");
    }
    assert!(stdout.lines().all(|line| line.chars().count() <= 100), "{stdout}");
}

#[test]
fn wrong_usage_ends_with_code_two() {
    for (options, message) in [
        (vec!["--order", "zigzag"], "random-dfs"),
        (vec!["--seed", "7"], "`--seed` is for statistical queries"),
        (vec!["--memory", "lots"], "such as 512M or 4G"),
        (vec!["--threads", "0"], "from 1 to 1024"),
        (vec!["--trace", "long"], "shortest"),
        (vec!["--query", "E<> true", "--queries", "x.q"], "cannot be used with"),
        (vec!["--query", "E<> true", "--labels", "a"], "cannot be used with"),
        (vec!["--json", "--quiet"], "cannot be used with"),
        (vec!["--queries", "no.q"], "there is no such file"),
        (vec!["--query", "  "], "`--query` is empty"),
        (vec!["--trace-file", "run.xtr"], ".trace has what its tools print"),
        (vec!["--trace-format", "json"], "--trace-file"),
        (vec!["--trace-file", "run"], "does not tell a trace format"),
        (vec!["--trace-file", "run.txt", "--trace", "none"], "leaves nothing"),
    ] {
        let arguments: Vec<&str> = ["check", GATE].into_iter().chain(options).collect();
        let (code, stdout, stderr) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(2), "{arguments:?}");
        assert_eq!(stdout, "", "{arguments:?}");
        assert!(stderr.contains(message), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_model_without_queries() {
    let (code, stdout, stderr) = checked("no-queries", "m.xta", PLAIN, &[]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("has no queries"), "{stderr}");
    assert!(stderr.contains("--query 'A[] not deadlock'"), "{stderr}");
}

#[test]
fn a_model_with_labels_but_without_queries() {
    let (code, _, stderr) = checked("no-labels", "m.tck", LABELLED, &[]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("has no queries"), "{stderr}");
    assert!(stderr.contains("there are: error, start"), "{stderr}");

    let asked = |query| checked("no-labels", "m.tck", LABELLED, &["--query", query]);
    assert_eq!(asked("E<> false").0, Some(1));
    let (code, _, stderr) = asked("E<> P.nowhere");
    assert_eq!(code, Some(2));
    assert!(stderr.contains("nowhere"), "{stderr}");
}

/// Locations, variables, clocks and arrays of files that have no declarations of UPPAAL.
#[test]
fn queries_about_files_of_other_formats() {
    let model = "system:s\nevent:a\nint:1:0:9:2:n\nint:3:0:5:1:m\nclock:2:x\nclock:1:y\nprocess:P\n\
        location:P:l0{initial:}\nlocation:P:l1{invariant:x[1]<=7}\n\
        edge:P:l0:l1:a{provided:x[0]>=3 : do:n=n+1;m[2]=4;x[1]=0}\n";
    let answers = [
        ("E<> P.l1", 0),
        ("E<> P.l1 and n == 3 and m[2] == 4 and m[0] == 1", 0),
        ("E<> P.l1 and x[0] < 3", 1),
        ("A[] P.l1 imply x[1] <= 7", 0),
        ("A<> P.l1", 1),
        ("E<> exists (i : int[0,2]) m[i] == 4", 0),
        ("sup{P.l1}: x[1]", 0),
        ("A[] not deadlock", 1),
        ("E<> m[3] == 1", 2),
        ("E<> Q.l1", 2),
        ("E<> z > 1", 2),
    ];
    for (query, expected) in answers {
        let (code, stdout, stderr) = checked("other", "m.tck", model, &["--query", query]);
        assert_eq!(code, Some(expected), "{query}: {stdout}{stderr}");
    }
    // The same of what UPPAAL's format becomes as JSON: processes and clocks have arguments and indices.
    let folder = folder("other-json");
    let path = folder.join("m.json").display().to_string();
    output(&mut punctual(&["convert", "examples/train-gate/model.xml", "-o", &path]));
    let (code, stdout, stderr) = output(&mut punctual(&[
        "check",
        &path,
        "--quiet",
        "--query",
        "E<> Train(1).Cross and Train(2).Stop",
        "--query",
        "A[] forall (i : int[1,4]) Train(i).Cross imply Train(i).x <= 5",
    ]));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
}

#[test]
fn a_label_that_does_not_exist() {
    let (code, stdout, stderr) = checked("label", "m.tck", LABELLED, &["--labels", "start,eror"]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("no location has the label `eror`; did you mean `error`?"), "{stderr}");
}

#[test]
fn a_wrong_query_is_shown_where_it_stands() {
    let options = ["--query", "E<> P.B", "--query", "E<> P.C"];
    let (code, stdout, stderr) = checked("wrong", "m.xta", PLAIN, &options);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("--query:2:"), "{stderr}");
    assert!(stdout.contains("2  E<> P.C\n   error: the query is wrong: "), "{stdout}");

    let options = ["--json", "--query", "E<> Q.A"];
    let (code, stdout, _) = checked("wrong", "m.xta", PLAIN, &options);
    assert_eq!(code, Some(2));
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json[0]["query"], "E<> Q.A");
    assert_eq!(json[0]["answer"], "error");
    assert_eq!(json[0]["reason"], "the query is wrong: there is no process `Q`");
}

#[test]
fn what_exact_analysis_can_not_treat_is_named() {
    let model = "clock x; double d; process P() { state A; init A; \
                 trans A -> A { guard x > 0.5; }; } system P;";
    let (code, stdout, stderr) = checked("obstacle", "m.xta", model, &["--query", "E<> P.A"]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("a clock compared with a double (process P, edge A → A)"), "{stderr}");
}

/// What a JSON output holds.
fn json(stdout: &str) -> serde_json::Value {
    serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
}

/// The JSON without what differs from run to run.
fn lasting(stdout: &str) -> serde_json::Value {
    let mut all = json(stdout);
    for answered in all.as_array_mut().expect("an array") {
        answered.as_object_mut().expect("an object").remove("seconds");
    }
    all
}

/// A lamp that is switched off after one to ten time units, and counts.
const LAMP: &str = "clock x; int[0,9] n;\n\
    process Lamp() { state Off, On { x <= 10 }; init Off;\n\
    trans Off -> On { assign x = 0; },\n\
    On -> Off { guard x > 1 && n < 3; assign n++; }; }\nsystem Lamp;\n";

#[test]
fn exit_codes() {
    for (queries, expected) in [
        (&["E<> Lamp.On"][..], 0),
        (&["E<> Lamp.On", "sup: n"], 0),
        (&["A[] Lamp.Off"], 1),
        (&["E<> Lamp.On", "A[] Lamp.Off", "E<> n == 4"], 1),
        (&["A[] Lamp.Off", "E<> Lamp.Broken"], 2),
    ] {
        let options: Vec<&str> = queries.iter().flat_map(|query| ["--query", query]).collect();
        let (code, stdout, _) = checked("codes", "m.xta", LAMP, &options);
        assert_eq!(code, Some(expected), "{queries:?}: {stdout}");
    }
}

#[test]
fn what_is_expected_passes() {
    let gate = ["check", "examples/train-gate/broken.xml", "--quiet"];
    let (code, _, _) = output(&mut punctual(&gate));
    assert_eq!(code, Some(1));
    let (code, _, _) = output(&mut punctual(&[&gate[..], &["--as-expected"]].concat()));
    assert_eq!(code, Some(0));
    let right = "examples/train-gate/model.xml";
    let wrong = "examples/train-gate/broken.q";
    let arguments = ["check", right, "--queries", wrong, "--as-expected"];
    let (code, stdout, _) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(1));
    assert!(stdout.contains("   satisfied, but its author expects: not satisfied\n"), "{stdout}");
}

#[test]
fn a_failing_query_with_its_shortest_trace() {
    let options = ["--query", "A[] not (Lamp.On && n == 1 && x > 9)", "--trace", "shortest"];
    let (code, stdout, stderr) = checked("shortest", "m.xta", LAMP, &options);
    assert_eq!((code, stderr.as_str()), (Some(1), ""));
    let (start, rest) = stdout.split_once("\n   start\n").expect("a trace");
    assert!(start.contains("   not satisfied\n"), "{start}");
    insta::assert_snapshot!(rest, @r"
               Lamp.Off
               n = 0
               x = 0
           1   at once, at time 0
               Lamp: Off → On
           2   after 4/3, at time 4/3
               Lamp: On → Off
               n: 0 → 1
               x = 4/3
           3   at once, at time 4/3
               Lamp: Off → On
               x = 0
           end after another 28/3, at time 32/3
               this state decides the query
    ");
}

#[test]
fn json_with_a_trace() {
    let options = ["--query", "E<> n == 1", "--query", "bounds: n, x", "--json", "--trace", "any"];
    let (code, stdout, _) = checked("json", "m.xta", LAMP, &options);
    assert_eq!(code, Some(0));
    let all = json(&stdout);
    let first = &all[0];
    assert_eq!(first["query"], "E<> n == 1");
    assert_eq!(first["answer"], "satisfied");
    for field in ["stored", "explored", "transitions", "peak_memory"] {
        assert!(first[field].is_u64(), "{field}: {first}");
    }
    assert!(first["seconds"].is_f64(), "{first}");
    assert_eq!(first["trace_steps"], 2);
    let trace = &first["trace"];
    assert_eq!(trace["start"]["locations"]["Lamp"], "Off");
    assert_eq!(trace["start"]["variables"]["n"], 0);
    assert_eq!(trace["start"]["clocks"]["x"]["exact"], "0");
    assert_eq!(trace["steps"].as_array().map(Vec::len), Some(2));
    let step = &trace["steps"][1];
    assert_eq!(step["delay"]["exact"], "3/2");
    assert_eq!(step["time"]["value"], 1.5);
    assert_eq!(step["moves"][0]["source"], "On");
    assert_eq!(step["moves"][0]["guard"], "n < 3 && x > 1");
    assert_eq!(step["moves"][0]["update"], "n++");
    assert_eq!(step["changes"][0]["after"], 1);
    assert_eq!(trace["ending"], "goal");
    let second = &all[1];
    assert_eq!(second["answer"], "values");
    assert!(second.get("trace").is_none(), "{second}");
    let (n, x) = (&second["values"][0], &second["values"][1]);
    assert_eq!((&n["least"]["value"], &n["greatest"]["value"]), (&0.into(), &3.into()));
    assert_eq!((&x["expression"], &x["greatest"]["value"]), (&"x".into(), &().into()));
}

#[test]
fn extreme_values() {
    let queries = ["sup{Lamp.On}: x, n", "inf{Lamp.Off && n > 0}: x", "sup{n > 5}: x"];
    let options: Vec<&str> = queries.iter().flat_map(|query| ["--query", query]).collect();
    let (code, stdout, _) =
        checked("values", "m.xta", LAMP, &[&options[..], &["--quiet"]].concat());
    assert_eq!(code, Some(0));
    assert_eq!(
        stdout,
        "x <= 10, n <= 3: sup{Lamp.On}: x, n\n\
         x > 1: inf{Lamp.Off && n > 0}: x\n\
         x: no reachable state satisfies the condition: sup{n > 5}: x\n"
    );
}

#[test]
fn orders_and_threads_agree() {
    let queries = ["--queries", "examples/coffee-machine/queries.q", "--json"];
    let answers = |options: &[&str]| {
        let mut arguments = vec!["check", "examples/coffee-machine/model.xml"];
        arguments.extend(queries.iter().chain(options));
        let (code, stdout, stderr) = output(&mut punctual(&arguments));
        assert_eq!((code, stderr.as_str()), (Some(1), ""), "{options:?}");
        lasting(&stdout)
    };
    let answer = |all: &serde_json::Value| -> Vec<String> {
        all.as_array().unwrap().iter().map(|answered| answered["answer"].to_string()).collect()
    };
    let one = answers(&["--threads", "1", "--trace", "any"]);
    let two = answers(&["--threads", "2", "--trace", "any"]);
    assert_eq!(one, two, "counts and traces do not depend on threads");
    for options in [
        &["--order", "dfs"][..],
        &["--order", "guided"],
        &["--order", "random-dfs"],
        &["--order", "random-dfs", "--seed", "7"],
        &["--order", "random-walk"],
        &["--order", "random-walk", "--seed", "7"],
        &["--extrapolation", "maximum"],
    ] {
        assert_eq!(answer(&answers(options)), answer(&one), "{options:?}");
    }
}

/// Ten clocks that run independently: more states than anybody visits.
const LARGE: &str = "process P(const int[1,10] id) { clock x; state A { x <= 10 + id }, B { x <= 20 };\n\
    init A; trans A -> B { guard x >= id; assign x = 0; }, B -> A { guard x >= 2; assign x = 0; }; }\n\
    system P;\n";

#[test]
fn too_little_memory() {
    let options = ["--memory", "1M", "--query", "A[] not deadlock"];
    let (code, stdout, _) = checked("memory", "m.xta", LARGE, &options);
    assert_eq!(code, Some(3), "{stdout}");
    assert!(stdout.contains("   undecided: the memory is used up; `--memory`"), "{stdout}");
    let explored = stdout.lines().find(|line| line.contains(" explored")).expect("the cost");
    assert!(!explored.contains(" 0 explored"), "{explored}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_search() {
    use std::io::{BufRead, Read};
    let path = folder("ctrl-c").join("m.xta");
    std::fs::write(&path, LARGE).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_punctual"))
        .args(["check", path.to_str().unwrap(), "--memory", "8G", "--query", "E<> P(1).B"])
        .args(["--query", "A[] not deadlock", "--query", "E<> P(2).B"])
        .env("NO_COLOR", "1")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    // With the first answer the program listens, and soon after it the long search has begun.
    let mut text = String::new();
    while !text.contains("satisfied") {
        assert_ne!(stdout.read_line(&mut text).unwrap(), 0, "{text}");
    }
    let script = format!("sleep 0.5; kill -INT {}", child.id());
    let kill = std::process::Command::new("sh").args(["-c", &script]).status();
    assert!(kill.unwrap().success());
    stdout.read_to_string(&mut text).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(3), "{text}");
    assert!(text.contains("2  A[] not deadlock\n   undecided: stopped by the user\n"), "{text}");
    assert!(text.contains("undecided: not run: stopped by the user"), "{text}");
    assert!(text.contains("3 queries: 1 satisfied, 2 undecided"), "{text}");
}

#[test]
fn an_error_of_the_model_names_edge_and_state() {
    let model = LAMP.replace("n < 3", "true");
    let (code, stdout, _) = checked("fault", "m.xta", &model, &["--query", "E<> n > 9"]);
    assert_eq!(code, Some(2));
    for text in [
        "error: the model is wrong: the value 10 is out of range: allowed is 0 to 9\n",
        "process Lamp, edge On → Off: when x > 1; do n++\n",
        "     Lamp.On\n     n = 9\n",
        "m.xta:4:1\n",
        "a trace of 19 steps",
    ] {
        assert!(stdout.contains(text), "{text:?} is not in: {stdout}");
    }
    let options = ["--query", "E<> n > 9", "--json"];
    let (_, stdout, _) = checked("fault", "m.xta", &model, &options);
    let error = &json(&stdout)[0]["error"];
    assert_eq!(error["edges"][0]["line"], 4);
    assert_eq!(error["state"]["variables"]["n"], 9);
}

#[test]
fn labels_of_a_tchecker_model() {
    let model = "system:lamp\nclock:1:x\nevent:press\nprocess:Lamp\n\
        location:Lamp:off{initial:}\n\
        location:Lamp:on{labels: lit : invariant: x<=10}\n\
        location:Lamp:burnt{labels: lit, broken}\n\
        edge:Lamp:off:on:press{do: x=0}\n\
        edge:Lamp:on:off:press{provided: x>=1}\n\
        edge:Lamp:on:burnt:press{provided: x>10}\n";
    for (labels, expected) in [("lit", 0), ("broken", 1), ("lit,broken", 1)] {
        let options = ["--labels", labels, "--quiet"];
        let (code, stdout, _) = checked("labels", "m.tck", model, &options);
        assert_eq!(code, Some(expected), "{labels}: {stdout}");
        let answer = if expected == 0 { "satisfied" } else { "not satisfied" };
        let labels = labels.replace(',', ", ");
        assert_eq!(stdout, format!("{answer}: reachable: labels {labels}\n"));
    }
}

/// In `B` the difference of the clocks is 1 or 4, and by a convex hull anything between.
const APART: &str = "clock x, y; process P() { state A, B, C; init A;\n\
    trans A -> B { guard x == 1; assign y = 0; }, A -> B { guard x == 4; assign y = 0; },\n\
    B -> C { guard x == 3 && y == 0; }; } system P;\n";

#[test]
fn an_over_approximation_says_may() {
    for (query, exact, answer) in [
        ("E<> P.C", "not satisfied", "may be satisfied"),
        ("A[] not P.C", "satisfied", "may not be satisfied"),
    ] {
        let (_, stdout, _) = checked("hull", "m.xta", APART, &["--query", query]);
        assert!(stdout.contains(&format!("   {exact}\n")), "{stdout}");
        let options = ["--query", query, "--over-approximate"];
        let (code, stdout, _) = checked("hull", "m.xta", APART, &options);
        assert_eq!(code, Some(3), "{stdout}");
        assert!(stdout.contains(&format!("   {answer}: the approximation by convex")), "{stdout}");
    }
    let options = ["--query", "inf{P.C}: x", "--over-approximate"];
    let (code, stdout, _) = checked("hull", "m.xta", APART, &options);
    assert_eq!(code, Some(3), "{stdout}");
    assert!(
        stdout.contains("   approximate values: ") && stdout.contains("\n   x >= 3\n"),
        "{stdout}"
    );
    // What is found in the model itself stays certain.
    let options = ["--query", "E<> P.B", "--over-approximate"];
    let (code, stdout, _) = checked("hull", "m.xta", APART, &options);
    assert_eq!(code, Some(0), "{stdout}");
}

#[test]
fn a_clock_that_stands_still_says_may() {
    let model = "clock x, y; process P() { state A { x' == 0 }, B, C; init A;\n\
        trans A -> B { guard y == 2; }, B -> C { guard x == 3; }; } system P;\n";
    let (code, stdout, _) = checked("stopwatch", "m.xta", model, &["--query", "E<> P.C"]);
    assert_eq!(code, Some(3), "{stdout}");
    assert!(stdout.contains("may be satisfied: clocks that stand still are only"), "{stdout}");
    let (code, _, _) = checked("stopwatch", "m.xta", model, &["--query", "E<> P.B && y < 2"]);
    assert_eq!(code, Some(1));
}

/// A query that is refused is not merely skipped: the others do not speak for it.
#[test]
fn a_query_that_is_refused_is_an_error() {
    let model = "clock x, y; int n = 3; process P() { state A, B; init A;\n\
        trans A -> B { guard x - y > n; }, A -> A { assign y = 0; }; } system P;\n";
    let (code, stdout, _) = checked("refused", "m.xta", model, &["--query", "E<> P.B"]);
    assert_eq!(code, Some(2));
    let text =
        "error: exact analysis can not treat a difference of clocks compared with a variable";
    assert!(stdout.contains(text), "{stdout}");
}

#[test]
fn trace_files() {
    let folder = folder("trace-files");
    let write = |name: &str, more: &[&str]| {
        let path = folder.join(name);
        let mut options = vec!["--query", "E<> n == 1", "--trace-file", path.to_str().unwrap()];
        options.extend(more);
        let (code, stdout, stderr) = checked("trace-model", "m.xta", LAMP, &options);
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        assert!(stdout.contains("a trace of 2 steps shows it"), "{stdout}");
        std::fs::read_to_string(path).unwrap()
    };
    let text = write("run.txt", &[]);
    assert!(text.starts_with("satisfied: E<> n == 1\n\nstart\n    Lamp.Off\n"), "{text}");
    let filed = json(&write("run.json", &[]));
    assert_eq!(filed[0]["query"], "E<> n == 1");
    assert_eq!(filed[0]["trace"]["steps"][0]["moves"][0]["target"], "On");
    let uppaal = write("run.trace", &[]);
    insta::assert_snapshot!(uppaal, @r"
    # satisfied: E<> n == 1

    State: Lamp.Off n=0 #t(0)-x<=0 x-#t(0)<=0

    Transition: Lamp.Off -> Lamp.On {1; 0; x = 0;}

    State: Lamp.On n=0 #t(0)-x<=0 x-#t(0)<=0

    Delay: 3/2

    Transition: Lamp.On -> Lamp.Off {n < 3 && x > 1; 0; n++;}

    State: Lamp.Off n=1 #t(0)-x<=-3/2 x-#t(0)<=3/2

    # this state decides the query
    ");
    assert_eq!(write("run", &["--trace-format", "uppaal"]), uppaal);
}

#[test]
fn no_trace_no_file() {
    let path = folder("no-trace").join("run.json");
    let options = ["--query", "A[] n < 9", "--trace-file", path.to_str().unwrap()];
    let (code, _, stderr) = checked("no-trace-model", "m.xta", LAMP, &options);
    assert_eq!(code, Some(0));
    assert!(stderr.contains("no answer comes with a trace"), "{stderr}");
    assert!(!path.exists());
}

/// What is suspicious is told of a model that nobody asks anything about, too.
#[test]
fn lints_need_no_query() {
    let model = "chan go; process P() { state A; init A; trans A -> A { sync go?; }; } system P;";
    let (code, _, stderr) = checked("lints-need-no-query", "lonely.xta", model, &[]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("lint::never_sent"), "{stderr}");
    assert!(stderr.contains("has no queries"), "{stderr}");
    // Whoever looks at a model is told, too.
    let path = super::folder("lints-shown").join("lonely.xta");
    std::fs::write(&path, model).unwrap();
    let (code, _, stderr) = output(&mut punctual(&["show", path.to_str().unwrap()]));
    assert_eq!(code, Some(0));
    assert!(stderr.contains("lint::never_sent"), "{stderr}");
}
