//! A lamp, its interface, and records of its runs.

use std::path::{Path, PathBuf};

use punctual_campaign::store::{
    Allowed, Clock, Cost, Coverage, CutOff, Delay, Diagnosis, Direction, EdgeCoverage, End, Event,
    Header, Kind, Line, LocationCoverage, Reader, Sets, State, Statistics, Verdict, Window, Writer,
};
use punctual_model::{
    self as model, Carried, ChannelId, Id, IdVec, Interface, Range, Signal, TimeScale, Uncertainty,
};

/// One unit is a millisecond.
pub(crate) fn lamp() -> Interface {
    let mut signals = IdVec::new();
    let mut signal = |name: &str, direction, values: &[&str]| {
        let carried = |name: &&str| Carried {
            name: (*name).to_owned(),
            slot: 0,
            range: Range { lo: 0, hi: 10 },
        };
        let channel = ChannelId::from_index(signals.len());
        let values = values.iter().map(carried).collect();
        signals.push(Signal { name: name.to_owned(), direction, channel, values });
    };
    signal("grasp", model::Direction::Input, &[]);
    signal("release", model::Direction::Input, &[]);
    signal("level", model::Direction::Output, &["adapLevel"]);
    signal("say \"hi\"", model::Direction::Output, &["x", "y"]);
    Interface {
        signals,
        time: TimeScale { unit_ns: 1_000_000, resolution: 1 },
        uncertainty: Uncertainty { input_ns: (0, 50), output_ns: (10, 200) },
    }
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
    let sets = Sets { system: 2, environment: 1 };
    let (signal, values) = (signal.to_owned(), values.to_vec());
    Line::Event(Event { direction, signal, values, from_ns: at_ns, to_ns: at_ns + 5, sets })
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
        event(Direction::Input, "grasp", &[], 10_000_000),
        Line::Window(window(Some(vec![3]), Some(40_000_000))),
        Line::Window(window(None, None)),
        event(Direction::Output, "level", &[3], 25_000_000),
        Line::Restart(30_000_000),
        Line::Note("after a reset, \"quietly\"\n</script>".into()),
        event(Direction::Output, "level", &[-7], 31_000_000),
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
            certain: true,
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
    }
}

pub(crate) fn end() -> End {
    let cost = Cost { n: 3, mean_states: 1.5, max_states: 2, mean_us: 0.25, max_us: 1.0 };
    End {
        verdict: Verdict::Fail,
        at_ns: 31_000_005,
        diagnosis: Some(Diagnosis {
            kind: Kind::WrongOutput,
            seen: "level(-7)".into(),
            at: "1".into(),
            allowed: vec![Allowed {
                signal: "level".into(),
                values: Some(vec![3]),
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
        statistics: Statistics {
            inputs: 1,
            outputs: 2,
            duration_ns: 31_000_005,
            after_action: cost,
            after_delay: Cost::default(),
        },
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
