//! A lamp, its interface, and records of its runs.

use std::path::{Path, PathBuf};

use punctual_campaign::store::{
    Allowed, Cause, Changed, Clock, Cost, Coverage, CutOff, Delay, Diagnosis, Direction,
    EdgeCoverage, End, Ending, Event, Extra, Header, Judged, Line, LocationCoverage, Reader, Said,
    Sending, Sets, Side, State, Statistics, Steered, UseCoverage, Verdict, What, Window, Writer,
};
use punctual_model::{
    self as model, Carried, Interface, Port, PortRole, Signal, TimeScale, Uncertainty, ValueType,
};
use serde_json::{Value, json};

/// One unit is a millisecond.
pub(crate) fn lamp() -> Interface {
    let mut interface = Interface::new(TimeScale { unit_ns: 1_000_000, resolution: 1 });
    interface.uncertainty = Uncertainty { input_ns: (0, 50), output_ns: (10, 200), drift_ppb: 0 };
    let mut signal = |name: &str, direction, values: &[&str]| {
        let ty = ValueType::Int { least: -10, greatest: 10 };
        let carried = |name: &&str| Carried { name: (*name).to_owned(), ty: ty.clone() };
        let values = values.iter().map(carried).collect();
        interface.signals.push(Signal { name: name.to_owned(), direction, values });
    };
    signal("grasp", model::Direction::Input, &[]);
    signal("release", model::Direction::Input, &[]);
    signal("level", model::Direction::Output, &["adapLevel"]);
    signal("say \"hi\"", model::Direction::Output, &["x", "y"]);
    let mut port = |name: &str, ty, role| {
        interface.ports.push(Port { name: name.to_owned(), ty, role });
    };
    port("ambient", ValueType::Real, PortRole::Input);
    port("dimmed", ValueType::Bool, PortRole::Output);
    let modes = ValueType::Enum(vec!["Off".to_owned(), "On".to_owned()]);
    port("mode", modes, PortRole::Observed);
    interface
}

pub(crate) fn header() -> Header {
    Header {
        command: vec!["punctual".into(), "test".into(), "lamp.xml".into()],
        seed: u64::MAX,
        run: 3,
        strategy: "random".into(),
        started: "2026-03-01T12:00:00Z".into(),
        ..Header::new(&lamp(), Clock::Virtual)
    }
}

pub(crate) fn event(direction: Direction, signal: &str, values: &[i32], at_ns: u64) -> Line {
    let values = values.iter().map(|value| Value::from(*value)).collect();
    exchanged(What::Signal { direction, name: signal.to_owned(), values }, at_ns)
}

fn exchanged(what: What, at_ns: u64) -> Line {
    let sets = Sets { system: 2, environment: 1 };
    Line::Event(Event { what, from_ns: at_ns, to_ns: at_ns + 5, device_ns: None, sets })
}

fn ports(json: Value) -> serde_json::Map<String, Value> {
    json.as_object().expect("an object").clone()
}

/// A record with a line of each kind, which ends with a failure.
pub(crate) fn lines() -> Vec<Line> {
    let window = |values, to_ns| Window {
        signal: "level".into(),
        values,
        from_ns: 20_000_000,
        to_ns,
        from_open: true,
        to_open: false,
        as_of_ns: 10_000_000,
    };
    vec![
        Line::Choice(serde_json::json!({"delay": 10, "of": ["grasp", "release"]})),
        Line::Delay(Delay { to_ns: 10_000_000, sets: Sets { system: 1, environment: 1 } }),
        Line::Sending(Sending {
            sending: "grasp".into(),
            values: vec![],
            at_ns: 10_000_000,
            ports: vec![],
        }),
        event(Direction::Input, "grasp", &[], 10_000_000),
        Line::Window(window(Some(vec![json!(3)]), Some(40_000_000))),
        Line::Window(window(None, None)),
        event(Direction::Output, "level", &[3], 25_000_000),
        exchanged(What::Set(ports(json!({"ambient": 0.5}))), 26_000_000),
        exchanged(
            What::Step { inputs: vec![json!("1/3")], outputs: vec![json!(true)] },
            27_000_000,
        ),
        exchanged(What::Reading(ports(json!({"mode": "On"}))), 28_000_000),
        Line::Said(Said { said: "warm".into(), source: "stderr".into(), at_ns: 28_000_000 }),
        Line::Restart(30_000_000),
        Line::Note("after a reset, \"quietly\"\n</script>".into()),
        event(Direction::Output, "level", &[-7], 31_000_000),
        Line::Judged(Judged {
            judged: 4,
            kind: "step".into(),
            verdict: Verdict::Fail,
            at_ns: 27_000_000,
            reason: "dimmed is true".into(),
        }),
        Line::Steered(Steered {
            steered: 4,
            changes: vec![Changed {
                variable: "ambient".into(),
                from: json!(0.5),
                to: json!(0.25),
                low: Some(json!(0)),
                high: None,
            }],
            differences: vec![],
        }),
        Line::Extra(Extra { extra: vec![json!(true)], between: (Some(3), None), is_open: true }),
        Line::Coverage(coverage()),
        Line::End(Box::new(end())),
    ]
}

fn coverage() -> Coverage {
    Coverage {
        edges: vec![EdgeCoverage {
            process: "Lamp".into(),
            edge: 0,
            source: "off".into(),
            target: "on".into(),
            label: "grasp?".into(),
            side: Some(Side::System),
            certain: true,
            impossible: false,
            early: 1,
            middle: 0,
            late: 2,
        }],
        locations: vec![LocationCoverage {
            process: "Lamp".into(),
            location: 1,
            name: "on".into(),
            visited: true,
        }],
        uses: vec![UseCoverage {
            variable: "Lamp.level".into(),
            defined: Some(0),
            used: 0,
            taken: 2,
            certain: true,
        }],
    }
}

pub(crate) fn end() -> End {
    let cost = Cost { n: 3, mean_states: 1.5, max_states: 2, mean_us: 0.25, max_us: 1.0 };
    End {
        verdict: Verdict::Fail,
        at_ns: 31_000_005,
        diagnosis: Some(Diagnosis {
            kind: Cause::WrongOutput,
            seen: "level(-7)".into(),
            at: "1".into(),
            guilty: vec!["level".into()],
            allowed: vec![Allowed {
                signal: "level".into(),
                values: Some(vec![json!(3)]),
                from: "7/3".into(),
                to: None,
                from_open: false,
                to_open: true,
            }],
            states: vec![State {
                locations: vec!["Lamp.on".into()],
                variables: vec![("n".into(), "0".into())],
                clocks: vec!["x <= 3".into()],
            }],
            cut_off: vec![CutOff {
                process: "Lamp".into(),
                why: "guard".into(),
                ..CutOff::default()
            }],
            explanation: "The lamp is off.".into(),
        }),
        ending: Some(Ending::new(Cause::Stopped, "enough")),
        late_ns: Some(7),
        statistics: Statistics {
            inputs: 1,
            outputs: 2,
            steps: 1,
            readings: 1,
            duration_ns: 31_000_005,
            after_action: cost,
            after_delay: Cost::default(),
        },
        shows: Vec::new(),
    }
}

/// A record as it is on disk.
pub(crate) fn written(lines: &[Line]) -> Vec<u8> {
    let mut writer = Writer::begin(Vec::new(), Path::new("record.jsonl"), &header()).unwrap();
    lines.iter().for_each(|line| writer.line(line).unwrap());
    writer.into_inner()
}

/// What is read back, and whether the end was cut off.
pub(crate) fn read(bytes: &[u8]) -> Result<(Vec<Line>, bool), String> {
    let mut reader =
        Reader::new(bytes, Path::new("record.jsonl")).map_err(|error| error.to_string())?;
    let lines: Result<Vec<Line>, _> = reader.by_ref().collect();
    Ok((lines.map_err(|error| error.to_string())?, reader.is_cut()))
}

/// A folder that is removed in the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("punctual-campaign-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
