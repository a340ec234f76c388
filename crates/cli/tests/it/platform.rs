//! Suites on platforms with delays (`examples/infusion`).

use super::{folder, output, punctual};

const TESTS: &str = "examples/infusion/tests.toml";
const PLATFORM: &str = "examples/infusion/platform.toml";
const PUMP: &str = "examples/infusion/pump.lus";

/// Each way to mind delays, recorded: a replay says what the run said, also where that is a fail.
#[test]
fn replays_have_the_verdicts_of_the_runs() {
    for (name, option, play, code) in [
        ("explained", None, PUMP, 0),
        ("faulty", None, "examples/infusion/faulty.lus", 1),
        ("scheduled", Some("--scheduled"), PUMP, 0),
        ("direct", Some("--direct"), PUMP, 1),
    ] {
        let runs = folder(&format!("platform-{name}"));
        let record = runs.to_str().expect("a name");
        let mut arguments =
            vec!["test", TESTS, "--platform", PLATFORM, "--play", play, "--record", record];
        arguments.extend(option);
        let (found, printed, errors) = output(&mut punctual(&arguments));
        assert_eq!(found, Some(code), "{name}: {printed}{errors}");
        for run in ["0001", "0002"] {
            let run = runs.join(run);
            let (found, printed, errors) =
                output(&mut punctual(&["replay", run.to_str().expect("a name")]));
            assert_eq!(found, Some(code), "{name}: {printed}{errors}");
        }
    }
}

/// What can not be done is said before anything runs.
#[test]
fn what_does_not_go_with_a_platform_is_refused() {
    let place = folder("platform-refused");
    let write = |name: &str, text: &str| {
        let path = place.join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_str().expect("a name").to_owned()
    };
    let text = std::fs::read_to_string(super::root().join(PLATFORM)).expect("a platform");
    let silent = write("silent.toml", &text.replace("signal = \"stepped\"", ""));
    let vague = text.replace("signal = \"stepped\"", "events = \"changes\"");
    let vague = vague.replace("deviation = \"5ms\"", "deviation = \"90ms\"");
    let vague = write("vague.toml", &vague.replace("deviation = \"20ms\"", "deviation = \"90ms\""));
    let narrow = write("narrow.toml", &text.replace("step = \"500ms\"", "step = \"100ms\""));
    let other = write("other.toml", &text.replace("motor", "engine"));
    let play = ["--play", PUMP, "--no-record"];
    for (arguments, why) in [
        (vec![TESTS, "--platform", &silent, "--direct"], "names no `signal`"),
        (vec![TESTS, "--platform", &vague], "vary by more than a tenth of a step"),
        (vec![TESTS, "--platform", &narrow, "--strict"], "`--strict` refuses that"),
        (vec![TESTS, "--platform", PLATFORM, "--simulate", &other], "other variables"),
        (vec![PUMP, "--platform", PLATFORM], "needs a suite"),
        (vec![TESTS, "--platform", "nowhere.toml"], "nowhere.toml"),
        (vec![TESTS, "--platform", PLATFORM, "--tries", "3", "--runs", "4"], "--runs"),
        (vec!["examples/oven/suite.toml", "--platform", PLATFORM], "no input `start`"),
    ] {
        let all = [&["test"][..], &arguments, &play].concat();
        let (code, printed, errors) = output(&mut punctual(&all));
        assert_eq!(code, Some(2), "{arguments:?}: {printed}{errors}");
        assert!(errors.contains(why), "{arguments:?}: {errors}");
    }
}

const WIDE: &str = "examples/infusion/wide.toml";
const LATE: &str = "examples/infusion/late.lus";

fn json(arguments: &[&str]) -> (Option<i32>, serde_json::Value) {
    let (code, printed, errors) = output(&mut punctual(&[arguments, &["--json"]].concat()));
    let value = serde_json::from_str(&printed);
    (code, value.unwrap_or_else(|why| panic!("{why}: {printed}{errors}")))
}

/// A fault that looks like a late sensor passes run by run, and fails as a suite; a right system does not.
#[test]
fn excuses_that_are_used_too_often_fail_a_suite() {
    let tested = |play: &str, runs: &str| {
        let on = ["test", TESTS, "--platform", WIDE, "--play", play, "--no-record", "--runs", runs];
        json(&on)
    };
    let (code, few) = tested(LATE, "2");
    assert_eq!((code, &few["verdict"]), (Some(0), &"pass".into()));
    let (code, many) = tested(LATE, "20");
    assert_eq!((code, &many["verdict"]), (Some(1), &"fail".into()));
    assert_eq!(many["totals"]["failed"], 0, "{many}");
    let worn: Vec<&str> = (many["evidence"]["excuses"].as_array().expect("excuses").iter())
        .filter(|it| it["worn"] == true)
        .filter_map(|it| it["input"].as_str())
        .collect();
    assert_eq!(worn, ["air"]);
    let (code, right) = tested(PUMP, "200");
    assert_eq!((code, &right["verdict"]), (Some(0), &"pass".into()), "{}", right["evidence"]);
    // How long a sensor waits until it looks is no excuse.
    let place = folder("platform-sampled");
    let text = std::fs::read_to_string(super::root().join(PLATFORM)).expect("a platform");
    let sampled = place.join("sampled.toml");
    let text = text.replace("[outputs.flow]", "sampling = \"450ms\"\n[outputs.flow]");
    std::fs::write(&sampled, text).expect("it can be written");
    let sampled = sampled.to_str().expect("a name");
    let on = ["test", TESTS, "--platform", sampled, "--play", PUMP, "--no-record"];
    let (code, found) = json(&[&on[..], &["--runs", "100"]].concat());
    assert_eq!((code, &found["verdict"]), (Some(0), &"pass".into()), "{}", found["evidence"]);
}

/// A case is run again until it has happened, and no longer. The plan says how often that is.
#[test]
fn cases_are_run_until_they_happened() {
    let on = ["test", TESTS, "--platform", WIDE, "--play", PUMP, "--no-record"];
    let (_, plan) = json(&[&on[..], &["--plan"]].concat());
    let tries = plan["cases"][1]["tries"].as_f64().expect("a number of runs");
    assert!((2.0..=4.0).contains(&tries), "{plan}");
    assert_eq!(plan["costs"][0]["name"], "air in line");
    let (mut n_runs, mut happened, mut n_first) = (0, 0.0, 0.0);
    for seed in 1..=60 {
        let seed = seed.to_string();
        let (code, found) = json(&[&on[..], &["--tries", "20", "--seed", &seed]].concat());
        assert_eq!(code, Some(0), "{found}");
        let evidence = &found["evidence"];
        assert_eq!(evidence["exercised"], evidence["steps"], "{evidence}");
        let runs = evidence["cases"][1]["runs"].as_u64().expect("a number");
        n_runs += runs;
        n_first += 1.0;
        happened += f64::from(u8::from(runs == 1));
    }
    assert!(n_runs > 60 && n_runs < 180, "{n_runs}");
    // The last step of a case happens in the first run as often as the plan says, or a little more often.
    let said = plan["cases"][1]["steps"].as_array().and_then(|it| it.last()?.as_f64());
    let said = said.expect("a probability");
    let share = happened / n_first;
    assert!(share > said - 0.2 && share < said + 0.3, "{share} {said}");
}

/// The plan says how often steps happen, also those after a step that did not: the model recovers.
#[test]
fn a_plan_says_what_happens() {
    let on = ["test", TESTS, "--platform", WIDE, "--play", PUMP, "--no-record"];
    let (_, plan) = json(&[&on[..], &["--plan"]].concat());
    let of = |it: &serde_json::Value| -> Vec<f64> {
        let steps = it["steps"].as_array().expect("steps").iter();
        steps.map(|it| it.as_f64().expect("a probability")).collect()
    };
    const N: usize = 150;
    let both = |cases: &serde_json::Value| [of(&cases[0]), of(&cases[1])].concat();
    let said = both(&plan["cases"]);
    let mut happened = vec![0.0; said.len()];
    for seed in 1..=N {
        let seed = seed.to_string();
        let (_, found) = json(&[&on[..], &["--seed", &seed, "--objectives", "none"]].concat());
        let found = both(&found["evidence"]["cases"]);
        happened.iter_mut().zip(found).for_each(|(sum, it)| *sum += it / N as f64);
    }
    for (said, happened) in said.iter().zip(&happened) {
        let spread = (said * (1.0 - said) * (1.0 / N as f64 + 1.0 / 500.0)).sqrt();
        assert!((said - happened).abs() < 0.01 + 3.0 * spread, "{said} {happened}");
    }
}

/// Options that would change nothing are refused, and what is probably a mistake is said.
#[test]
fn what_changes_nothing_is_refused() {
    let plain = ["test", TESTS, "--play", PUMP, "--no-record"];
    let on = ["test", TESTS, "--platform", PLATFORM, "--play", PUMP, "--no-record"];
    for (arguments, why) in [
        ([&on[..], &["--reset", "2s"]].concat(), "`--reset` is for plans"),
        ([&plain[..], &["--reset", "2s"]].concat(), "`--reset` is for plans"),
        ([&plain[..], &["--plan"]].concat(), "`--plan` is for suites"),
    ] {
        let (code, printed, errors) = output(&mut punctual(&arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {printed}");
        assert!(errors.contains(why), "{errors}");
    }
    let hours = |reset: &str| {
        let (_, plan) = json(&[&on[..], &["--plan", "--reset", reset]].concat());
        plan["hours_once"].as_f64().expect("a time")
    };
    assert!((hours("1h") - hours("0s") - 2.0).abs() < 1e-6);
    let place = configured("platform-grouped", "[platform]", "[platform]\ngrouping = \"251ms\"");
    let suite = place.join("tests.toml").to_str().expect("a name").to_owned();
    let (_, _, errors) = output(&mut punctual(&["test", &suite, "--no-record"]));
    assert!(errors.contains("`grouping` is longer than half a step"), "{errors}");
    assert!(!output(&mut punctual(&on)).2.contains("grouping"));
}

/// What a calibration finds is near to what is simulated, and a right system passes with it.
#[test]
fn calibrated_delays_are_those_of_the_platform() {
    let place = folder("platform-calibrated");
    let file = place.join("platform.toml").to_str().expect("a name").to_owned();
    let guess = "examples/infusion/guess.toml";
    let on = ["calibrate", PUMP, "--platform", guess, "--play", PUMP, "--simulate", WIDE];
    let (code, found) = json(&[&on[..], &["-o", &file]].concat());
    assert_eq!(code, Some(0));
    for (line, (mean, deviation)) in found["lines"].as_array().expect("lines").iter().zip([
        (40.0, 10.0),
        (40.0, 10.0),
        (900.0, 200.0),
        (300.0, 20.0),
        (300.0, 20.0),
        (300.0, 20.0),
    ]) {
        let of = |key: &str| line[key].as_f64().expect("a number");
        let near = f64::max(2.0, deviation / 4.0);
        assert!((of("mean_ms") - mean).abs() <= near, "{line}");
        assert!((of("deviation_ms") - deviation).abs() <= near, "{line}");
        assert_eq!(line["shape"], "normal", "{line}");
        assert_eq!(line["drift_ms_per_minute"], serde_json::Value::Null);
    }
    let on = ["test", TESTS, "--platform", &file, "--play", PUMP, "--simulate", WIDE];
    let (code, printed, errors) =
        output(&mut punctual(&[&on[..], &["--no-record", "--runs", "40"]].concat()));
    assert_eq!(code, Some(0), "{printed}{errors}");
}

/// A platform in a process of its own, on the real clock: a right system never fails, and a faulty one never passes. A machine that is too slow
/// makes both inconclusive.
#[test]
fn platforms_are_served_on_the_real_clock() {
    let place = folder("platform-hosted");
    let fast = place.join("fast.toml");
    let text = "step = \"50ms\"\nsignal = \"stepped\"\ngrouping = \"2ms\"\n\
        [delays]\ninputs = { mean = \"40ms\", deviation = \"5ms\" }\n\
        outputs = { mean = \"40ms\", deviation = \"5ms\" }\n";
    std::fs::write(&fast, text).expect("it can be written");
    let fast = fast.to_str().expect("a name");
    let program = env!("CARGO_BIN_EXE_punctual");
    for (model, wrong) in [(PUMP, 1), ("examples/infusion/faulty.lus", 0)] {
        let system = format!("'{program}' platform-host {model} --platform '{fast}'");
        let on = ["test", TESTS, "--platform", fast, "--system", &system, "--clock", "real"];
        let (code, printed, errors) =
            output(&mut punctual(&[&on[..], &["--no-record", "--runs", "4"]].concat()));
        assert!(matches!(code, Some(0 | 1 | 3)), "{model}: {printed}{errors}");
        assert_ne!(code, Some(wrong), "{model}: {printed}{errors}");
    }
}

/// What has to be seen outside in time is judged beside the steps.
#[test]
fn requirements_between_outside_and_outside() {
    let place = folder("platform-requirements");
    let text = std::fs::read_to_string(super::root().join(PLATFORM)).expect("a platform");
    let short = place.join("short.toml");
    let text = text.replace("within = \"1s\"", "within = \"500ms\"");
    std::fs::write(&short, text).expect("it can be written");
    let short = short.to_str().expect("a name");
    for (platform, code) in [(PLATFORM, 0), (short, 1)] {
        let on = ["test", TESTS, "--platform", platform, "--play", PUMP, "--no-record"];
        let (found, printed, errors) = output(&mut punctual(&on));
        assert_eq!(found, Some(code), "{platform}: {printed}{errors}");
        let says = "`stops`: after `stop button` was set at";
        assert_eq!(printed.contains(says), code == 1, "{printed}");
    }
}

/// The platform of the example and another one without `signal`, beside them with it: files, and what is replaced in them.
fn unsignalled(name: &str, of: &str, changes: &[(&str, &str)]) -> [String; 2] {
    let place = folder(&format!("platform-steps-{name}"));
    let text = std::fs::read_to_string(super::root().join(of)).expect("a platform");
    let text = changes.iter().fold(text, |text, (from, to)| text.replace(from, to));
    let write = |name: &str, text: &str| {
        let path = place.join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_str().expect("a name").to_owned()
    };
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
        for (play, runs) in [(PUMP, runs), ("examples/infusion/faulty.lus", "40"), (LATE, "40")] {
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
        for (play, code) in [(PUMP, 0), ("examples/infusion/faulty.lus", 1), (LATE, 1)] {
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
        ("faulty", None, "examples/infusion/faulty.lus", 1),
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

/// A device that does not tell when a value has arrived is swept: means and deviations are as near as is told, and a right system passes with them.
#[test]
fn calibrations_without_stamps_are_safe() {
    let place = folder("platform-swept");
    let write = |name: &str, text: &str| {
        let path = place.join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_str().expect("a name").to_owned()
    };
    let read = |of: &str| std::fs::read_to_string(super::root().join(of)).expect("a file");
    let text = read("examples/infusion/guess.toml").replace("arrived = \"at \"", "");
    let guess = write("guess.toml", &text.replace("step =", "software = \"5ms\"\nstep ="));
    let file = place.join("platform.toml").to_str().expect("a name").to_owned();
    for seed in 1..=6 {
        let seed = seed.to_string();
        let on = ["calibrate", PUMP, "--platform", &guess, "--play", PUMP, "--simulate", WIDE];
        let (code, found) = json(&[&on[..], &["-o", &file, "--seed", &seed]].concat());
        assert_eq!(code, Some(0));
        for (line, (mean, deviation)) in found["lines"].as_array().expect("lines").iter().zip([
            (40.0, 10.0),
            (40.0, 10.0),
            (900.0, 200.0),
        ]) {
            let of = |key: &str| line[key].as_f64().expect("a number");
            let [off, error] = [of("mean_ms") - mean, of("mean_error_ms")];
            assert!(off.abs() <= 4.5 * error && error < 0.2 * deviation, "{line}");
            let [off, error] = [of("deviation_ms") - deviation, of("deviation_error_ms")];
            assert!(off.abs() <= 4.5 * error && error < 0.2 * deviation, "{line}");
            assert_eq!(line["shape"], "taken to be normal");
        }
        // As much is known as by fewer delays that were told.
        assert!((15..80).contains(&found["pulses"].as_u64().expect("a number")), "{found}");
        let on = ["test", TESTS, "--platform", &file, "--play", PUMP, "--simulate", WIDE];
        let more = ["--no-record", "--runs", "40", "--seed", &seed];
        let (code, printed, errors) = output(&mut punctual(&[&on[..], &more].concat()));
        assert_eq!(code, Some(0), "{printed}{errors}");
    }
    // An input that shows nowhere is named, and left as it was. One that is behind a threshold of a number is found.
    let model = "node boiler(heat: int; light, door: bool) returns (on: bool);
var seen: bool;
let
  seen = light and (false -> pre seen);
  on = heat > 40 and not door;
tel";
    let model = write("boiler.lus", model);
    let text = "step = \"100ms\"\nsignal = \"stepped\"\n[delays]\n\
        inputs = { mean = \"80ms\", deviation = \"15ms\" }\noutputs = { mean = \"30ms\", deviation = \"5ms\" }\n";
    let boiler = write("boiler.toml", text);
    let on = ["calibrate", &model, "--platform", &boiler, "--play", &model];
    let (code, printed, errors) = output(&mut punctual(&on));
    assert_eq!(code, Some(0), "{printed}{errors}");
    let of = |name: &str| printed.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(of("light").contains("not measured: it is left as it was"), "{printed}");
    assert!(of("heat").contains("taken to be normal"), "{printed}");
    assert!(of("door").contains("taken to be normal"), "{printed}");
    // What can not be told apart is refused, with a reason.
    let blind = write(
        "blind.lus",
        "node blind(a: bool) returns (n: int);\nlet\n  n = 0 -> pre n + 1;\ntel",
    );
    for (model, text, why) in [
        (&model, text.replace("signal = \"stepped\"\n", ""), "names no `signal`"),
        (&model, format!("events = \"changes\"\n{text}"), "only when they are new"),
        (&blind, text.to_owned(), "never settles"),
    ] {
        let file = write("refused.toml", &text);
        let on = ["calibrate", model, "--platform", &file, "--play", model];
        let (code, printed, errors) = output(&mut punctual(&on));
        assert_eq!(code, Some(2), "{printed}{errors}");
        assert!(errors.contains(why), "{errors}");
    }
}

/// Delays become half as long again while a test runs. A tester who follows them exercises all steps and fails nobody; one who does not loses steps.
#[test]
fn delays_that_drift_are_followed() {
    let place = folder("platform-drift");
    let text = std::fs::read_to_string(super::root().join(PLATFORM)).expect("a platform");
    let slow = text.replace("mean = \"20ms\"", "mean = \"900ms\"");
    assert_ne!(slow, text);
    let told = format!("arrived = \"at \"\n{slow}").replace("within = \"1s\"", "within = \"6s\"");
    let write = |name: &str, text: &str| {
        let path = place.join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_str().expect("a name").to_owned()
    };
    let still = write("still.toml", &told);
    let drifting = format!("drift = {{ by = 0.5, over = \"8s\" }}\n{told}");
    let drifting = write("drifting.toml", &drifting);
    let tested = |platform: &str, play: &str| {
        let on = ["test", TESTS, "--platform", platform, "--play", play, "--no-record"];
        json(&[&on[..], &["--simulate", &drifting, "--runs", "60"]].concat())
    };
    let (code, followed) = tested(&drifting, PUMP);
    assert_eq!(code, Some(0), "{followed}");
    assert_eq!(followed["evidence"]["exercised"], followed["evidence"]["steps"], "{followed}");
    let (code, faulty) = tested(&drifting, "examples/infusion/faulty.lus");
    assert_eq!(code, Some(1), "{faulty}");
    let (code, lost) = tested(&still, PUMP);
    assert_ne!((code, &lost["evidence"]["exercised"]), (Some(0), &lost["evidence"]["steps"]));
    // Delays that are often cut at 0, outputs that are sent when they are new, and delays that become twice as long while nobody sends anything.
    let wide = std::fs::read_to_string(super::root().join(WIDE)).expect("a platform");
    let short = wide
        .replace("mean = \"300ms\", deviation = \"20ms\"", "mean = \"40ms\", deviation = \"30ms\"")
        .replace("mean = \"900ms\", deviation = \"200ms\"", "mean = \"60ms\", deviation = \"5ms\"");
    let slow = wide.replace(
        "mean = \"300ms\", deviation = \"20ms\"",
        "mean = \"900ms\", deviation = \"60ms\"",
    );
    for (name, drift, text) in [
        ("short.toml", "{ by = 0.2, over = \"60s\" }", short.clone()),
        ("shorter.toml", "{ by = -0.3, over = \"60s\" }", short),
        ("new.toml", "{ by = 0.5, over = \"8s\" }\nevents = \"changes\"", wide),
        ("slow.toml", "{ by = 1.0, over = \"6s\" }", slow),
    ] {
        let file = write(name, &format!("arrived = \"at \"\ndrift = {drift}\n{text}"));
        let on = ["test", TESTS, "--platform", &file, "--play", PUMP, "--no-record"];
        let (code, found) = json(&[&on[..], &["--runs", "100"]].concat());
        assert_eq!(code, Some(0), "{name}: {found}");
    }
}

/// A plain fault is called one though values are sent in several copies, and a step that nothing explains did not happen as intended.
#[test]
fn copies_leave_no_doubt_about_plain_faults() {
    let place = folder("platform-copies");
    let text = std::fs::read_to_string(super::root().join(PUMP)).expect("a pump");
    let faulty = place.join("forgetful.lus");
    let forgets = text.replace("((false -> pre flow) or start)", "(false -> pre flow)");
    assert_ne!(forgets, text);
    std::fs::write(&faulty, forgets).expect("it can be written");
    let faulty = faulty.to_str().expect("a name");
    let on = ["test", TESTS, "--platform", WIDE, "--play", faulty, "--no-record", "--runs", "40"];
    let (code, found) = json(&on);
    assert_eq!(code, Some(1), "{found}");
    assert_eq!(found["totals"]["inconclusive"], 0, "{found}");
    assert!(found["totals"]["failed"].as_u64().is_some_and(|it| it >= 10), "{found}");
}

/// The folder of a pump whose `punctual.toml` has the platform, with another text in the place of one.
fn configured(name: &str, from: &str, to: &str) -> std::path::PathBuf {
    let place = folder(name);
    let read = |file: &str| std::fs::read_to_string(super::root().join(file)).expect("a file");
    let mut text = "[system]\nmodel = \"pump.lus\"\n\n[platform]\n".to_owned();
    for line in read(PLATFORM).lines() {
        let line = line.strip_prefix('[').map_or(line.to_owned(), |it| format!("[platform.{it}"));
        text.push_str(&(line + "\n"));
    }
    let text = text.replace(from, to);
    for (name, text) in
        [("punctual.toml", text), ("tests.toml", read(TESTS)), ("pump.lus", read(PUMP))]
    {
        std::fs::write(place.join(name), text).expect("it can be written");
    }
    place
}

/// `[platform]` beside the model is used, recorded and used again, unless somebody says otherwise.
#[test]
fn a_platform_stands_in_punctual_toml() {
    let place = configured("platform-configured", "", "");
    let path = |name: &str| place.join(name).to_str().expect("a name").to_owned();
    let (suite, runs) = (path("tests.toml"), path("runs"));
    let by_file = ["test", TESTS, "--platform", PLATFORM, "--play", PUMP, "--no-record", "--json"];
    let (_, by_file, _) = output(&mut punctual(&by_file));
    let by_file: serde_json::Value = serde_json::from_str(&by_file).expect("JSON");
    let (code, found) = json(&["test", &suite, "--record", &runs]);
    assert_eq!(code, Some(0), "{found}");
    assert_eq!(found["evidence"], by_file["evidence"]);
    assert_eq!(found["evidence"]["exercised"], 11);
    let names: Vec<_> = std::fs::read_dir(place.join("runs/0001")).expect("a run").collect();
    assert_eq!(names.len(), 4, "model, interface, suite and record: {names:?}");
    // Without its delays in mind a right pump fails, live and replayed.
    let direct = path("direct");
    let (code, printed, errors) =
        output(&mut punctual(&["test", &suite, "--direct", "--record", &direct]));
    assert_eq!(code, Some(1), "{printed}{errors}");
    for (runs, code) in [(&runs, 0), (&direct, 1)] {
        let run = format!("{runs}/0001");
        let (found, printed, errors) = output(&mut punctual(&["replay", &run]));
        assert_eq!(found, Some(code), "{printed}{errors}");
    }
    // Another file wins, and so does none at all: then steps are taken as the tester says.
    let (_, found) = json(&["test", &suite, "--platform", WIDE, "--no-record"]);
    assert_ne!(found["evidence"], by_file["evidence"]);
    let plain = path("plain");
    let (code, found) = json(&["test", &suite, "--no-platform", "--record", &plain]);
    assert_eq!((code, &found["evidence"]), (Some(0), &serde_json::Value::Null), "{found}");
    let (code, printed, errors) = output(&mut punctual(&["replay", &format!("{plain}/0001")]));
    assert_eq!(code, Some(0), "{printed}{errors}");
    // Nothing is started for a plan.
    let (code, plan) = json(&["test", &suite, "--plan"]);
    assert_eq!((code, &plan["steps"]), (Some(0), &11.into()), "{plan}");
}

/// What is wrong with a platform in `punctual.toml` is said at its place, and options for platforms need one.
#[test]
fn wrong_platforms_in_punctual_toml() {
    let place = configured("platform-misconfigured", "step = \"500ms\"", "step = \"0ms\"");
    let suite = place.join("tests.toml").to_str().expect("a name").to_owned();
    let (code, printed, errors) = output(&mut punctual(&["test", &suite, "--no-record"]));
    assert_eq!(code, Some(2), "{printed}");
    assert!(errors.contains("`step` must not be zero"), "{errors}");
    assert!(errors.contains("punctual.toml:6:"), "{errors}");
    let (code, printed, errors) =
        output(&mut punctual(&["test", &suite, "--no-platform", "--no-record"]));
    assert_eq!(code, Some(0), "{printed}{errors}");
    for option in [&["--scheduled"][..], &["--direct"], &["--tries", "3"], &["--strict"]] {
        let plain = [&["test", TESTS, "--play", PUMP, "--no-record"], option].concat();
        let (code, printed, errors) = output(&mut punctual(&plain));
        assert_eq!(code, Some(2), "{option:?}: {printed}");
        assert!(errors.contains("is for platforms"), "{errors}");
        let none = [&["test", &suite, "--no-platform", "--no-record"], option].concat();
        assert_eq!(output(&mut punctual(&none)).0, Some(2), "{option:?}");
    }
}

/// An objective counts only if a step that happened as intended must have had it: a value that makes no difference may be another one.
#[test]
fn objectives_are_exercised_by_steps_that_must_have_them() {
    let place = folder("platform-objectives");
    let write = |name: &str, text: &str| {
        let path = place.join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_str().expect("a name").to_owned()
    };
    let model = "node m(a, b: bool) returns (y: int);\n\
        let y = if a then (if b then 1 else 1) else 0; tel\n";
    write("m.lus", model);
    let rows = "rows = \"\"\"\na,b\n1,1\n0,0\n\"\"\"\n";
    let suite = write("t.toml", &format!("model = \"m.lus\"\n[[case]]\nname = \"both\"\n{rows}"));
    let platform = |inputs: &str| {
        format!(
            "[system]\nmodel = \"m.lus\"\n[platform]\nstep = \"100ms\"\nsignal = \"stepped\"\n\
            delays = {{ inputs = {inputs}, outputs = \"20ms\" }}\n"
        )
    };
    let tested = |inputs: &str, options: &[&str]| {
        write("punctual.toml", &platform(inputs));
        let (_, found) = json(&[&["test", &suite, "--no-record"], options].concat());
        let objectives = &found["evidence"]["objectives"];
        let all = objectives["all"].as_array().cloned().unwrap_or_default();
        let class = |it: &serde_json::Value| it["exercised"].as_str().map(str::to_owned);
        (objectives.clone(), all.iter().filter_map(class).collect::<Vec<_>>())
    };
    // `b` is sent in the first run and arrives in time for certain; that it is false while `a` is true is in no step.
    let (objectives, classes) = tested("\"20ms\"", &[]);
    assert_eq!(classes, ["surely", "surely", "surely", "not"], "{objectives}");
    assert_eq!(objectives["criterion"], "branch");
    assert_eq!((&objectives["surely"], &objectives["not"]), (&3.into(), &1.into()));
    assert_eq!(objectives["all"][0]["by"][0]["case"], "both");
    // Nobody would notice if `b` came late.
    let wide = "{ mean = \"100ms\", deviation = \"40ms\" }";
    let (objectives, _) = tested(wide, &["--seed", "3"]);
    let by = |at: usize| objectives["all"][at]["by"].as_array().map_or(0, Vec::len);
    assert_eq!((by(0), by(1), by(2), by(3)), (1, 1, 0, 0), "{objectives}");
    assert_eq!(tested("\"20ms\"", &["--objectives", "none"]).0, serde_json::Value::Null);
}

/// A run that can not show what is still needed is left: that takes less time, and is no verdict. Its replay agrees.
#[test]
fn runs_that_are_pointless_are_left() {
    let place = folder("platform-left");
    let (mut whole_ns, mut early_ns, mut n_left) = (0, 0, 0);
    for seed in 1..=30 {
        let runs = place.join(seed.to_string());
        let (seed, record) = (seed.to_string(), runs.to_str().expect("a name"));
        let on = ["test", TESTS, "--platform", WIDE, "--play", PUMP, "--tries", "20"];
        let on = [&on[..], &["--seed", &seed]].concat();
        let took = |found: &serde_json::Value| {
            assert_eq!(found["verdict"], "pass", "{found}");
            let evidence = &found["evidence"];
            assert_eq!(evidence["exercised"], evidence["steps"], "{evidence}");
            found["totals"]["duration_ns"].as_u64().expect("a time")
        };
        let (_, whole) = json(&[&on[..], &["--no-early", "--no-record"]].concat());
        let (_, early) = json(&[&on[..], &["--record", record]].concat());
        (whole_ns, early_ns) = (whole_ns + took(&whole), early_ns + took(&early));
        for run in early["runs"].as_array().expect("runs") {
            assert_eq!(run["verdict"], "pass", "{run}");
            if run["ending"]["cause"] == "left" {
                n_left += 1;
                let path = run["path"].as_str().expect("a folder");
                let (code, printed, errors) = output(&mut punctual(&["replay", path]));
                assert_eq!(code, Some(0), "{printed}{errors}");
            }
        }
    }
    assert!(n_left >= 10, "{n_left}");
    assert!(early_ns * 50 < whole_ns * 49, "{early_ns} {whole_ns}");
    // A run that is the only one of its case is made to its end, and what is wrong is looked at to the end, too.
    let faulty = "examples/infusion/faulty.lus";
    let on = ["test", TESTS, "--platform", WIDE, "--no-record", "--seed", "2", "--play"];
    let (_, once) = json(&[&on[..], &[PUMP]].concat());
    let (code, wrong) = json(&[&on[..], &[faulty, "--tries", "20"]].concat());
    assert_eq!(code, Some(1), "{wrong}");
    let failed = |it: &&serde_json::Value| it["verdict"] == "fail";
    let wrong = wrong["runs"].as_array().expect("runs").iter().filter(failed);
    for run in wrong.chain(once["runs"].as_array().expect("runs")) {
        assert_eq!(run["ending"], serde_json::Value::Null, "{run}");
    }
}
