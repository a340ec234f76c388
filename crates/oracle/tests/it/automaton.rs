//! Requirements that are timed automata, against what they say.

use punctual_lang::{Input, lustre, platform, testing};
use punctual_model::testing::platform::{Outside, Platform};
use punctual_model::{
    Action, Event, Happening, PortRole, Reading, TimeScale, Value, VarId, Verdict,
};
use punctual_oracle::automaton::{Automaton, Grounds};
use punctual_oracle::conformance::Specification;
use punctual_oracle::{Cause, Oracle};
use punctual_semantics::split::Named;

const MS: u64 = 1_000_000;

/// Who presses sees the lamp after 50 to 200 ms, and it is off again at some time before the next press is minded.
const LAMP: &str = "clock x;\nchan press, on, off;\n\
    process Lamp() {\n\
    state Dark, Due { x <= 200 }, Bright;\ninit Dark;\ntrans\n\
    Dark -> Due { sync press?; assign x = 0; },\n\
    Due -> Bright { guard x >= 50; sync on!; },\n\
    Bright -> Bright { sync press?; },\n\
    Bright -> Dark { sync off!; };\n}\nsystem Lamp;\n";

/// Inputs are `button`, true before anything is set, outputs are `lamp`.
fn both(unit: &str) -> (Platform, Outside, Vec<Option<Value>>) {
    let text = "node main(button: bool) returns (lamp: bool); let lamp = button; tel";
    let program = lustre::read(Input { name: "main.lus", bytes: text.as_bytes() }, None);
    let program = program.value.expect("a program");
    let text = format!(
        "step = \"50ms\"\n[delays]\ninputs = \"1ms\"\noutputs = \"1ms\"\n[inputs.button]\ninitial = true\n\
        [requirements.soon]\nautomaton = \"lamp.xta\"\ntime-unit = \"{unit}\"\n[requirements.soon.events]\n\
        press = {{ button = true }}\non = {{ lamp = true }}\noff = {{ lamp = false }}\n"
    );
    let mut model = |name: &str| {
        let model = punctual_lang::read(name, LAMP.as_bytes()).model;
        model.map(|it| it.network).ok_or_else(String::new)
    };
    let input = Input { name: "p.toml", bytes: text.as_bytes() };
    let platform = platform::read_with(&program, input, &mut model).value.expect("a platform");
    let ty = |var: VarId| testing::port_of(&program, var, PortRole::Observed).ty;
    let outside = platform.outside(ty, TimeScale { unit_ns: MS, resolution: 1 });
    let inputs: Vec<VarId> = program.inputs().collect();
    let initial = platform.initial_outside(&inputs);
    (platform, outside, initial)
}

/// What happens at an instant in microseconds.
#[derive(Clone, Copy)]
enum What {
    Press,
    /// Setting takes so many microseconds.
    SlowPress(u64),
    Release,
    Lamp(bool),
}

struct Judged {
    verdict: Verdict,
    cause: Option<Cause>,
    reason: String,
    /// After each event, whether something has to be seen.
    waited: Vec<bool>,
}

fn judged(unit: &str, happened: &[(u64, What)], end_us: u64, late_us: u64) -> Judged {
    let (platform, outside, initial) = both(unit);
    let automaton = &platform.automata[0];
    let (network, wired) = (automaton.network.clone(), automaton.wired.clone());
    let specification =
        Specification::new(network, wired, &Named::default()).expect("a specification");
    let (outside, specification) = (&outside, &specification);
    let mut oracle =
        Automaton::new(Grounds { outside, initial, automaton, specification, number: 3 });
    // What came before a reset says nothing.
    let set = |value: bool| {
        Happening::Set(Reading { values: vec![(outside.inputs[0], Value::Bool(value))] })
    };
    for (at, value) in [(1, false), (2, true)] {
        oracle.event(&Event { from_ns: at, to_ns: at, device_ns: None, what: set(value) });
    }
    oracle.restart();
    oracle.widen(late_us * 1_000);
    let mut waited = Vec::new();
    for (at, what) in happened {
        let from_ns = at * 1_000;
        let (what, takes) = match *what {
            What::Press => (set(true), 0),
            What::SlowPress(takes) => (set(true), takes * 1_000),
            What::Release => (set(false), 0),
            What::Lamp(value) => {
                let (signal, values) = (outside.outputs[0], vec![Value::Bool(value)]);
                (Happening::Signal(Action { signal, values }), 0)
            }
        };
        oracle.event(&Event { from_ns, to_ns: from_ns + takes, device_ns: None, what });
        waited.push(oracle.is_waiting());
    }
    let judgement = oracle.finish(end_us * 1_000);
    let told = oracle.interactions();
    assert_eq!(told.len(), usize::from(!judgement.is_pass()));
    let reason = told.first().map_or(String::new(), |it| {
        assert_eq!((it.number, it.verdict), (3, judgement.verdict()));
        it.reason.clone()
    });
    let cause = judgement.reason().map(punctual_oracle::Finding::cause);
    Judged { verdict: judgement.verdict(), cause, reason, waited }
}

#[test]
fn what_is_seen_is_what_the_automaton_sends() {
    use What::{Lamp, Press, Release, SlowPress};
    let (pass, fail, open) = (Verdict::Pass, Verdict::Fail, Verdict::Inconclusive);
    let begin = (20_000, Release);
    let press = (100_000, Press);
    for (happened, late_us, expected, why) in [
        (vec![begin, press, (300_000, Lamp(true))], 0, pass, "at the last instant"),
        (vec![begin, press, (300_001, Lamp(true))], 0, fail, "a microsecond too late"),
        (vec![begin, press, (320_000, Lamp(true))], 0, fail, "20 ms too late"),
        (vec![begin, press], 0, fail, "never"),
        (vec![begin, press, (149_000, Lamp(true))], 0, fail, "too early"),
        (vec![begin, (100_000, Lamp(true))], 0, fail, "nobody pressed"),
        (vec![begin, press, (320_000, Lamp(true))], 30_000, pass, "the tester may be late"),
        (vec![begin, press, (320_000, Lamp(true))], 9_000, fail, "it is not as late as that"),
        (
            vec![begin, (100_000, SlowPress(30_000)), (320_000, Lamp(true))],
            0,
            open,
            "how long setting takes decides",
        ),
        (
            vec![begin, (100_000, SlowPress(30_000)), (340_000, Lamp(true))],
            0,
            fail,
            "too late anyway",
        ),
        (
            vec![begin, (100_000, SlowPress(30_000)), (290_000, Lamp(true))],
            0,
            pass,
            "in time anyway",
        ),
        (
            vec![begin, (100_000, SlowPress(70_000)), (160_000, Lamp(true))],
            0,
            open,
            "it may have been shown before it was set",
        ),
        (vec![(100_000, Press)], 0, pass, "the button is pressed already: that is no event"),
        (
            vec![begin, press, (150_000, Press), (300_000, Lamp(true))],
            0,
            pass,
            "it is still pressed",
        ),
        (
            vec![begin, press, (150_000, Release), (160_000, Press), (300_000, Lamp(true))],
            0,
            open,
            "nothing is said of a press while the lamp is due",
        ),
        (
            vec![
                begin,
                press,
                (200_000, Lamp(true)),
                (250_000, Lamp(true)),
                (260_000, Lamp(false)),
            ],
            0,
            pass,
            "a value that stays is no event",
        ),
        (vec![begin, (30_000, Lamp(false))], 0, fail, "the first value counts, too"),
    ] {
        let judged = judged("1ms", &happened, 1_000_000, late_us);
        assert_eq!(judged.verdict, expected, "{why}: {}", judged.reason);
    }
    // Before its time is over nothing is wrong yet, and nothing is right.
    assert_eq!(judged("1ms", &[begin, press], 299_000, 0).verdict, open);
    assert_eq!(judged("1ms", &[begin, press, (250_000, Lamp(true))], 299_000, 0).verdict, pass);
    assert_eq!(judged("1ms", &[begin], 299_000, 0).verdict, pass);
    // The unit counts.
    let at = [begin, press, (2_000_000, Lamp(true))];
    assert_eq!(judged("10ms", &at, 2_500_000, 0).verdict, pass);
    assert_eq!(judged("9ms", &at, 2_500_000, 0).verdict, fail);
}

#[test]
fn the_reason_says_which_requirement_is_broken_and_when() {
    use What::{Lamp, Press, Release};
    let happened =
        [(20_000, Release), (100_000, Press), (320_000, Lamp(true)), (400_000, Lamp(false))];
    let found = judged("1ms", &happened, 1_000_000, 0);
    assert_eq!(found.cause, Some(Cause::TooLate));
    assert!(found.reason.starts_with("`soon`: "), "{}", found.reason);
    assert!(found.reason.contains("on"), "{}", found.reason);
    assert!(found.reason.contains("300"), "{}", found.reason);
    // Only while the lamp is due something has to be watched.
    let happened = [(20_000, Release), (100_000, Press), (200_000, Lamp(true))];
    assert_eq!(judged("1ms", &happened, 1_000_000, 0).waited, [false, true, false]);
}
