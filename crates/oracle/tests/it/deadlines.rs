//! Requirements between what is set and what is seen, against what they say.

use punctual_lang::{Input, lustre, platform, testing};
use punctual_model::testing::platform::Outside;
use punctual_model::testing::platform::Platform;
use punctual_model::{
    Action, Event, Happening, PortRole, Reading, TimeScale, Value, VarId, Verdict,
};
use punctual_oracle::Oracle;
use punctual_oracle::deadlines::Deadlines;

const MS: u64 = 1_000_000;

fn both() -> (Platform, Outside) {
    let text =
        "node main(air: bool) returns (flow, alarm: bool); let flow = not air; alarm = air; tel";
    let program = lustre::read(Input { name: "main.lus", bytes: text.as_bytes() }, None);
    let program = program.value.expect("a program");
    let text = "step = \"50ms\"\n[delays]\ninputs = \"1ms\"\noutputs = \"1ms\"\n\
        [requirements.alarm]\nwhen = { air = true }\nwhile = { flow = true }\n\
        then = { alarm = true }\nwithin = \"200ms\"\n";
    let platform = platform::read(&program, Input { name: "p.toml", bytes: text.as_bytes() });
    let platform = platform.value.expect("a platform");
    let ty = |var: VarId| testing::port_of(&program, var, PortRole::Observed).ty;
    let outside = platform.outside(ty, TimeScale { unit_ns: MS, resolution: 1 });
    (platform, outside)
}

/// What happens: the air is set, or something is seen, at an instant in milliseconds.
#[derive(Clone, Copy)]
enum What {
    Air(bool),
    /// Setting takes so many milliseconds.
    SlowAir(u64),
    Flow(bool),
    Alarm(bool),
}

fn verdict(happened: &[(u64, What)], end_ms: u64, late_ms: u64) -> Verdict {
    let (platform, outside) = both();
    let mut oracle = Deadlines::new(&platform, &outside);
    oracle.widen(late_ms * MS);
    for (at, what) in happened {
        let from_ns = at * MS;
        let seen = |line: usize, value: bool| {
            let signal = outside.outputs[line];
            Happening::Signal(Action { signal, values: vec![Value::Bool(value)] })
        };
        let set = |value: bool| {
            let values = vec![(outside.inputs[0], Value::Bool(value))];
            Happening::Set(Reading { values })
        };
        let (what, takes) = match *what {
            What::Air(value) => (set(value), 0),
            What::SlowAir(takes) => (set(true), takes * MS),
            What::Flow(value) => (seen(0, value), 0),
            What::Alarm(value) => (seen(1, value), 0),
        };
        oracle.event(&Event { from_ns, to_ns: from_ns + takes, device_ns: None, what });
    }
    oracle.finish(end_ms * MS).verdict()
}

#[test]
fn what_has_to_follow_follows_in_time() {
    use What::{Air, Alarm, Flow, SlowAir};
    let flow = (10, Flow(true));
    for (happened, late_ms, expected, why) in [
        (vec![flow, (100, Air(true)), (300, Alarm(true))], 0, Verdict::Pass, "at the last instant"),
        (vec![flow, (100, Air(true)), (320, Alarm(true))], 0, Verdict::Fail, "20 ms too late"),
        (vec![flow, (100, Air(true))], 0, Verdict::Fail, "never"),
        (
            vec![flow, (100, Air(true)), (320, Alarm(true))],
            30,
            Verdict::Inconclusive,
            "the tester may have been late",
        ),
        (vec![(100, Air(true))], 0, Verdict::Pass, "the pump does not run"),
        (
            vec![flow, (100, Air(true)), (150, Air(false))],
            0,
            Verdict::Fail,
            "a short one counts, too",
        ),
        (vec![flow, (50, Alarm(true)), (100, Air(true))], 0, Verdict::Pass, "it is there already"),
        (
            vec![flow, (100, SlowAir(30)), (320, Alarm(true))],
            0,
            Verdict::Inconclusive,
            "setting takes 30 ms",
        ),
        (vec![flow, (100, SlowAir(30)), (340, Alarm(true))], 0, Verdict::Fail, "too late anyway"),
    ] {
        assert_eq!(verdict(&happened, 1_000, late_ms), expected, "{why}");
    }
    // Before the deadline nothing is wrong yet, and nothing is right.
    assert_eq!(verdict(&[flow, (100, Air(true))], 250, 0), Verdict::Inconclusive);
    let answered = [flow, (100, Air(true)), (200, Alarm(true))];
    assert_eq!(verdict(&answered, 250, 0), Verdict::Pass);
}
