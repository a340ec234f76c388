//! Platforms that do not tell when they take a step.

use super::{
    FAULTY, LATE, PLATFORM, PUMP, TESTS, WIDE, folder, json, output, punctual, read, write,
};

/// The platform of the example and another one without `signal`, beside them with it: files, and what is replaced in them.
fn unsignalled(name: &str, of: &str, changes: &[(&str, &str)]) -> [String; 2] {
    let place = folder(&format!("platform-steps-{name}"));
    let text = read(of);
    let text = changes.iter().fold(text, |text, (from, to)| text.replace(from, to));
    let write = |name: &str, text: &str| write(&place, name, text);
    let without: Vec<&str> = text.lines().filter(|line| !line.starts_with("signal")).collect();
    assert!(without.len() < text.lines().count());
    [write("with.toml", &text), write("without.toml", &without.join("\n"))]
}

/// Where nobody tells of steps they are estimated, and a suite has the verdict that it has with a step signal; a right system never fails.
#[test]
fn suites_have_the_same_verdicts_without_a_step_signal() {
    let changes = ("step = \"500ms\"", "step = \"500ms\"\nevents = \"changes\"");
    let exact = ("software = ", "# ");
    let coarse = ("deviation = ", "deviation = \"150ms\" } # ");
    let slow = ("mean = \"20ms\"", "mean = \"700ms\"");
    let strict = ("within = \"1s\"", "within = \"4s\"");
    for (name, of, replaced, runs) in [
        ("all", PLATFORM, &[][..], "200"),
        ("wide", WIDE, &[], "200"),
        ("changes", PLATFORM, &[changes], "100"),
        ("wide-changes", WIDE, &[changes], "100"),
        // All values overtake others.
        (
            "coarse",
            PLATFORM,
            &[exact, coarse, slow, strict, ("mean = \"40ms\"", "mean = \"700ms\"")],
            "100",
        ),
    ] {
        let files = unsignalled(name, of, replaced);
        for (play, runs) in [(PUMP, runs), (FAULTY, "40"), (LATE, "40")] {
            let tested = |platform: &str, simulated: &str| {
                let on = ["test", TESTS, "--platform", platform, "--play", play, "--no-record"];
                json(&[&on[..], &["--simulate", simulated, "--runs", runs]].concat())
            };
            let (code, with) = tested(&files[0], &files[0]);
            let (found, without) = tested(&files[1], &files[1]);
            assert_eq!(found, code, "{name}, {play}: {with} {without}");
            assert_eq!(code, Some(i32::from(play != PUMP)), "{name}, {play}: {with}");
            if play == PUMP {
                assert_eq!(without["totals"]["inconclusive"], 0, "{name}: {without}");
                assert_eq!(without["evidence"]["exercised"], with["evidence"]["exercised"]);
            }
            assert!(with["evidence"]["cadence"].is_null());
            let cadence = &without["evidence"]["cadence"];
            let period = cadence["period_ms"].as_f64().expect("a period");
            assert!((period - 500.0).abs() < 10.0, "{name}: {cadence}");
        }
    }
    // A step takes one in a hundred longer than anybody knows.
    let [_, without] = unsignalled("thinks", PLATFORM, &[]);
    let [truth, _] = unsignalled("truth", PLATFORM, &[("step = \"500ms\"", "step = \"505ms\"")]);
    for option in [&[][..], &["--scheduled"]] {
        for (play, code) in [(PUMP, 0), (FAULTY, 1), (LATE, 1)] {
            let on = ["test", TESTS, "--platform", &without, "--play", play, "--no-record"];
            let more = ["--simulate", &truth, "--runs", "20"];
            let (found, told) = json(&[&on[..], &more, option].concat());
            assert_eq!(found, Some(code), "{option:?} {play}: {told}");
        }
    }
}

/// What was recorded without a step signal has the verdict of the run, and a page with the steps that were estimated.
#[test]
fn runs_without_a_step_signal_are_replayed() {
    let [_, without] = unsignalled("replayed", PLATFORM, &[]);
    for (name, option, play, code) in [
        ("explained", None, PUMP, 0),
        ("faulty", None, FAULTY, 1),
        ("scheduled", Some("--scheduled"), PUMP, 0),
        ("late", Some("--scheduled"), LATE, 1),
    ] {
        let runs = folder(&format!("platform-steps-{name}"));
        let record = runs.to_str().expect("a name");
        let mut arguments =
            vec!["test", TESTS, "--platform", &without, "--play", play, "--record", record];
        arguments.extend(option);
        let (found, printed, errors) = output(&mut punctual(&arguments));
        assert_eq!(found, Some(code), "{name}: {printed}{errors}");
        for run in ["0001", "0002"] {
            let run = runs.join(run);
            let run = run.to_str().expect("a name");
            let (found, printed, errors) = output(&mut punctual(&["replay", run]));
            assert_eq!(found, Some(code), "{name}: {printed}{errors}");
            let page = runs.join("page.html");
            let page = page.to_str().expect("a name");
            let (found, printed, errors) = output(&mut punctual(&["report", run, "--html", page]));
            assert_eq!(found, Some(code), "{name}: {printed}{errors}");
        }
    }
}
