//! What is sent, and how it is judged: verdicts, replays, the real clock, and what is refused.

use super::configured::configured;
use super::{FAULTY, PLATFORM, PUMP, TESTS, WIDE, folder, json, output, punctual, read, write};

/// Each way to mind delays, recorded: a replay says what the run said, also where that is a fail.
#[test]
fn replays_have_the_verdicts_of_the_runs() {
    for (name, option, play, code) in [
        ("explained", None, PUMP, 0),
        ("faulty", None, FAULTY, 1),
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
    let write = |name: &str, text: &str| write(&place, name, text);
    let text = read(PLATFORM);
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

/// A plain fault is called one though values are sent in several copies, and a step that nothing explains did not happen as intended.
#[test]
fn copies_leave_no_doubt_about_plain_faults() {
    let place = folder("platform-copies");
    let text = read(PUMP);
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
    for (model, wrong) in [(PUMP, 1), (FAULTY, 0)] {
        let system = format!("'{program}' platform-host {model} --platform '{fast}'");
        let on = ["test", TESTS, "--platform", fast, "--system", &system, "--clock", "real"];
        let (code, printed, errors) =
            output(&mut punctual(&[&on[..], &["--no-record", "--runs", "4"]].concat()));
        assert!(matches!(code, Some(0 | 1 | 3)), "{model}: {printed}{errors}");
        assert_ne!(code, Some(wrong), "{model}: {printed}{errors}");
    }
}
