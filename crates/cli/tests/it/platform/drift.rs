//! Delays that change while a test runs.

use super::{FAULTY, PLATFORM, PUMP, TESTS, WIDE, folder, json, read, write};

/// Delays become half as long again while a test runs. A tester who follows them exercises all steps and fails nobody; one who does not loses steps.
#[test]
fn delays_that_drift_are_followed() {
    let place = folder("platform-drift");
    let text = read(PLATFORM);
    let slow = text.replace("mean = \"20ms\"", "mean = \"900ms\"");
    assert_ne!(slow, text);
    let told = format!("arrived = \"at \"\n{slow}").replace("within = \"1s\"", "within = \"6s\"");
    let write = |name: &str, text: &str| write(&place, name, text);
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
    let (code, faulty) = tested(&drifting, FAULTY);
    assert_eq!(code, Some(1), "{faulty}");
    let (code, lost) = tested(&still, PUMP);
    assert_ne!((code, &lost["evidence"]["exercised"]), (Some(0), &lost["evidence"]["steps"]));
    // Delays that are often cut at 0, outputs that are sent when they are new, and delays that become twice as long while nobody sends anything.
    let wide = read(WIDE);
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
