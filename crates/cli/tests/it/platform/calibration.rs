//! Delays that are measured.

use super::{PUMP, TESTS, WIDE, folder, json, output, punctual, read, write};

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

/// A device that does not tell when a value has arrived is swept: means and deviations are as near as is told, and a right system passes with them.
#[test]
fn calibrations_without_stamps_are_safe() {
    let place = folder("platform-swept");
    let write = |name: &str, text: &str| write(&place, name, text);
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
    // Ten changes say little of how much a delay varies, and no right system fails by it.
    for seed in 1..=4 {
        let seed = seed.to_string();
        let on = ["calibrate", PUMP, "--platform", &guess, "--play", PUMP, "--simulate", WIDE];
        let few = ["-o", &file, "--seed", &seed, "--pulses", "10"];
        let (code, found) = json(&[&on[..], &few].concat());
        assert_eq!((code, &found["odd_responses"]), (Some(0), &0.into()), "{found}");
        for line in &found["lines"].as_array().expect("lines")[..2] {
            let deviation = line["deviation_ms"].as_f64().expect("a number");
            assert!(deviation > 5.0, "{line}");
            assert_ne!(line["shape"], "fixed", "{line}");
        }
        let on = ["test", TESTS, "--platform", &file, "--play", PUMP, "--simulate", WIDE];
        let more = ["--no-record", "--runs", "20", "--seed", &seed];
        let (code, printed, errors) = output(&mut punctual(&[&on[..], &more].concat()));
        assert_eq!(code, Some(0), "{printed}{errors}");
    }
    // A system that is another one: it counts two doses at once.
    let other = read(PUMP).replace("then 1 else 0", "then 2 else 0");
    let other = write("other.lus", &other.replace("flow = (start", "flow = not (start"));
    let on = ["calibrate", PUMP, "--platform", &guess, "--play", &other, "--simulate", WIDE];
    let (code, printed, errors) = output(&mut punctual(&[&on[..], &["--pulses", "10"]].concat()));
    let said = format!("{printed}{errors}");
    assert!(said.contains("the model does not"), "{code:?}: {said}");
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
