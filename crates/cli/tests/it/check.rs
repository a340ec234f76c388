//! `punctual check`: what needs no search.

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
        (vec!["--seed", "7"], "`--seed` is for `--order random-dfs`"),
        (vec!["--memory", "lots"], "such as 512M or 4G"),
        (vec!["--threads", "0"], "at least 1"),
        (vec!["--trace", "long"], "shortest"),
        (vec!["--query", "E<> true", "--queries", "x.q"], "cannot be used with"),
        (vec!["--query", "E<> true", "--labels", "a"], "cannot be used with"),
        (vec!["--json", "--quiet"], "cannot be used with"),
        (vec!["--queries", "no.q"], "there is no such file"),
        (vec!["--query", "  "], "`--query` is empty"),
        (vec!["--trace-file", "run.xtr"], "UPPAAL's trace format is not supported"),
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

    let (code, _, stderr) = checked("no-labels", "m.tck", LABELLED, &["--query", "E<> P.b"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("queries about TChecker files can not be read"), "{stderr}");
    assert!(stderr.contains("punctual convert"), "{stderr}");
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
fn a_statistical_query_is_skipped() {
    let options = ["--query", "Pr[<=10](<> P.B)"];
    let (code, stdout, stderr) = checked("statistical", "m.xta", PLAIN, &options);
    assert_eq!(code, Some(2));
    assert!(stdout.contains("skipped: statistical: not answered yet"), "{stdout}");
    assert!(stderr.contains("no query was answered"), "{stderr}");

    let (_, stdout, _) =
        checked("statistical", "m.xta", PLAIN, &["--quiet", "--query", "Pr[<=10](<> P.B)"]);
    assert_eq!(stdout, "skipped: Pr[<=10](<> P.B)\n");
}

#[test]
fn what_exact_analysis_can_not_treat_is_named() {
    let model = "clock x; double d; process P() { state A; init A; \
                 trans A -> A { guard x > 0.5; }; } system P;";
    let (code, stdout, stderr) = checked("obstacle", "m.xta", model, &["--query", "E<> P.A"]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("a clock compared with a double (process P, edge A → A)"), "{stderr}");
}
