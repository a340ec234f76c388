//! What holds for all traces: they are read as they were written, whole or piece by piece.

use proptest::prelude::*;
use punctual_lang::traces::{Item, Options, Reader, Writer};
use punctual_model::{
    Action, Event, Happening, Interface, PortId, PortRole, Rational, Reading, Step, Value,
    ValueType,
};

use super::{lamp, plant};
use crate::random::mutate::{Random, mutate};

/// Signals of a lamp and ports of a plant.
fn both() -> Interface {
    let (mut lamp, plant) = (lamp(), plant());
    for port in &plant.ports {
        lamp.ports.push(port.clone());
    }
    lamp
}

fn value(ty: &ValueType, random: &mut Random) -> Value {
    match ty {
        ValueType::Bool => Value::Bool(random.below(2) == 0),
        ValueType::Int { .. } => Value::Int(random.below(1 << 20) as i64 - (1 << 19)),
        ValueType::Real => {
            let (above, below) = (random.below(1 << 30) as i128, 1 + random.below(99) as i128);
            Value::Real(Rational::new(above - (1 << 29), below))
        }
        ValueType::Enum(names) => Value::Enum(random.below(names.len()) as u32),
    }
}

fn happening(interface: &Interface, random: &mut Random) -> Happening {
    let of = |role, random: &mut Random| -> Vec<(PortId, Value)> {
        let ports: Vec<PortId> = interface.ports_with(role).collect();
        ports.into_iter().map(|id| (id, value(&interface.ports[id].ty, random))).collect()
    };
    let values = |ports: Vec<(PortId, Value)>| ports.into_iter().map(|(_, value)| value).collect();
    match random.below(4) {
        0 => Happening::Set(Reading { values: of(PortRole::Input, random) }),
        1 => Happening::Reading(Reading { values: of(PortRole::Observed, random) }),
        2 => Happening::Step(Step {
            inputs: values(of(PortRole::Input, random)),
            outputs: values(of(PortRole::Output, random)),
        }),
        _ => {
            let ids: Vec<_> = interface.signals.ids().collect();
            let signal = ids[random.below(ids.len())];
            let carried = interface.signals[signal].values.iter();
            Happening::Signal(Action {
                signal,
                values: carried.map(|it| value(&it.ty, random)).collect(),
            })
        }
    }
}

/// Items in the order of time.
fn items(interface: &Interface, random: &mut Random) -> Vec<Item> {
    let (mut items, mut now) = (Vec::new(), 0);
    for _ in 0..random.below(30) {
        now += random.below(3) as u64 * random.below(1 << 20) as u64;
        match random.below(8) {
            0 => {
                items.push(Item::Restart(now));
                now = 0;
            }
            1 => items.push(Item::Quiet(now)),
            _ => {
                let to_ns = now + random.below(2) as u64 * random.below(100) as u64;
                let device_ns = (random.below(3) == 0).then(|| random.below(1 << 30) as u64);
                let what = happening(interface, random);
                items.push(Item::Event(Event { what, from_ns: now, to_ns, device_ns }));
                now = to_ns;
            }
        }
    }
    items.push(Item::End(now));
    items
}

fn read(bytes: &[u8], interface: &Interface) -> Vec<Item> {
    let reader = Reader::new("t.jsonl", bytes, interface, Options::default()).unwrap();
    reader.collect::<Result<_, _>>().unwrap()
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(seed in any::<u32>()) {
        let interface = both();
        let items = items(&interface, &mut Random::new(seed));
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&interface, &mut bytes).unwrap();
        // The end is an instant until which nothing more was seen.
        items.iter().for_each(|item| writer.write(item).unwrap());
        let mut again = read(&bytes, &interface);
        let last = again.pop();
        prop_assert_eq!(last.as_ref(), items.last());
        prop_assert!(matches!(again.pop(), Some(Item::Quiet(_))));
        prop_assert_eq!(&again[..], &items[..items.len() - 1]);
    }
}

/// Small faults by chance: no panic, items in order and an end, or an error with a place.
#[test]
fn any_file_can_be_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/traces");
    let mut texts = Vec::new();
    for part in ["accepted", "rejected", "steps_accepted", "steps_rejected"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            texts.push((part.starts_with("steps"), name, std::fs::read(path).unwrap()));
        }
    }
    texts.sort();
    let (lamp, plant) = (lamp(), plant());
    for case in 0..5000 {
        let mut random = Random::new(case);
        let (is_steps, name, text) = &texts[random.below(texts.len())];
        let (_, _, other) = &texts[random.below(texts.len())];
        let mut bytes = text.clone();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, other, &mut random);
        }
        let interface = if *is_steps { &plant } else { &lamp };
        // A file may end behind any byte.
        let period_ns = (random.below(4) == 0).then_some(1_000_000);
        let options = Options { period_ns, ..Options::default() };
        let result = super::read(name, &bytes, interface, options);
        match result {
            Ok(traces) => {
                for trace in &traces {
                    let ordered = trace
                        .events
                        .iter()
                        .all(|event| event.from_ns <= event.to_ns && event.to_ns <= trace.end_ns);
                    assert!(ordered, "case {case}");
                }
            }
            Err(error) => {
                let n_lines = bytes.split(|byte| *byte == b'\n').count() as u64;
                assert!((1..=n_lines).contains(&error.line()), "case {case}: {error}");
                let span = error.diagnostic.span.range();
                assert!(error.excerpt.text.get(span).is_some(), "case {case}: {error}");
            }
        }
    }
}

/// A file that is made while it is read: no part of it is kept.
struct Endless {
    rows: u64,
    n_rows: u64,
    line: Vec<u8>,
    at: usize,
}

impl std::io::Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.line.len() {
            self.line = match self.rows {
                0 => b"time_us,signal,values\n".to_vec(),
                row if row > self.n_rows => Vec::new(),
                row if row % 2 == 0 => format!("{row},grasp\n").into_bytes(),
                row => format!("{row},level,{}\n", row % 10).into_bytes(),
            };
            self.rows += 1;
            self.at = 0;
        }
        let n_bytes = out.len().min(self.line.len() - self.at);
        out[..n_bytes].copy_from_slice(&self.line[self.at..self.at + n_bytes]);
        self.at += n_bytes;
        Ok(n_bytes)
    }
}

/// Nothing is kept of what was read, so that ten million events would take as much memory.
#[test]
fn long_files_are_read_piece_by_piece() {
    let n_rows = 100_000;
    let source = Endless { rows: 0, n_rows, line: Vec::new(), at: 0 };
    let interface = lamp();
    let source = std::io::BufReader::new(source);
    let reader = Reader::new("t.csv", source, &interface, Options::default()).unwrap();
    let mut n_events = 0;
    for item in reader {
        n_events += u64::from(matches!(item.unwrap(), Item::Event(_)));
    }
    assert_eq!(n_events, n_rows);
}
