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
    let narrow = write("narrow.toml", &text.replace("step = \"500ms\"", "step = \"100ms\""));
    let other = write("other.toml", &text.replace("\"motor\"", "\"engine\""));
    let play = ["--play", PUMP, "--no-record"];
    for (arguments, why) in [
        (vec![TESTS, "--platform", &silent], "names no `signal`"),
        (vec![TESTS, "--platform", &narrow, "--strict"], "`--strict` refuses that"),
        (vec![TESTS, "--platform", PLATFORM, "--simulate", &other], "other variables"),
        (vec![PUMP, "--platform", PLATFORM], "needs a suite"),
        (vec![TESTS, "--platform", "nowhere.toml"], "nowhere.toml"),
        (vec![TESTS, "--platform", PLATFORM, "--clock", "real"], "virtual clock"),
        (vec!["examples/oven/suite.toml", "--platform", PLATFORM], "no input `start`"),
    ] {
        let all = [&["test"][..], &arguments, &play].concat();
        let (code, printed, errors) = output(&mut punctual(&all));
        assert_eq!(code, Some(2), "{arguments:?}: {printed}{errors}");
        assert!(errors.contains(why), "{arguments:?}: {errors}");
    }
}
