//! Suites: what is read, what is said about what is not, and that what is written is read again.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use punctual_lang::{
    Input,
    diagnostic::{Style, render},
    suite::{self, Reading},
};
use punctual_model::{
    Action, Carried, Direction, Interface, Port, PortId, PortRole, Rational, Signal, Step,
    TimeScale, Value, ValueType,
    testing::suite::{About, Body, Case, Check, Do, Suite, Table},
};

use crate::random::mutate::{Random, mutate};

fn names(names: &[&str]) -> ValueType {
    ValueType::Enum(names.iter().map(|&name| name.to_owned()).collect())
}

/// A lamp that can be dimmed and read, and that takes steps.
fn interface() -> Interface {
    let mut interface = Interface::new(TimeScale { unit_ns: 1_000_000, resolution: 1 });
    let mut signal = |name: &str, direction, values: Vec<(&str, ValueType)>| {
        let carried = |(name, ty): (&str, ValueType)| Carried { name: name.to_owned(), ty };
        let values = values.into_iter().map(carried).collect();
        interface.signals.push(Signal { name: name.to_owned(), direction, values });
    };
    signal("grasp", Direction::Input, vec![]);
    let values = vec![
        ("level", ValueType::Int { least: 0, greatest: 10 }),
        ("slow", ValueType::Bool),
        ("how", names(&["Half", "#1"])),
        ("by", ValueType::Real),
    ];
    signal("dim", Direction::Input, values);
    signal("shine", Direction::Output, vec![]);
    let ports = [
        ("go", ValueType::Bool, PortRole::Input),
        ("n", ValueType::INT, PortRole::Input),
        ("y", ValueType::Real, PortRole::Output),
        ("mode", names(&["Off", "On"]), PortRole::Output),
        ("qc", ValueType::INT, PortRole::Observed),
        ("Lamp.location", names(&["Off", "On", "#2"]), PortRole::Observed),
        ("memory", ValueType::INT, PortRole::Observed),
    ];
    for (name, ty, role) in ports {
        interface.ports.push(Port { name: name.to_owned(), ty, role });
    }
    interface
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/suites")
}

/// The only caller of the reader here. Tables lie beside the folders.
fn read(name: &str, bytes: &[u8]) -> Reading<Suite> {
    let mut load = |path: &str| {
        let found = std::fs::read(folder().join(path));
        found.map_err(|_| "there is no such file".to_owned())
    };
    suite::read(Input { name, bytes }, &interface(), None, &mut load)
}

fn read_file(path: &Path) -> (Reading<Suite>, String) {
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let reading = read(name, &std::fs::read(path).expect("the file can be read"));
    let rendered = (reading.diagnostics.iter())
        .map(|it| render(it, &reading.file, Style::Plain).trim_end().to_owned());
    let messages = rendered.collect::<Vec<_>>().join("\n\n");
    (reading, messages)
}

/// What is written is read again; that is the golden.
#[test]
fn accepted() {
    insta::glob!("../../test_data/suites/accepted", "*.*", |path| {
        let (reading, messages) = read_file(path);
        assert_eq!(messages, "");
        let suite = reading.value.expect("accepted");
        let written = suite::write(&interface(), &suite);
        assert_eq!(read("again.toml", written.as_bytes()).value, Some(suite), "{written}");
        insta::assert_snapshot!(written);
    });
}

#[test]
fn rejected() {
    insta::glob!("../../test_data/suites/rejected", "*.*", |path| {
        let (reading, messages) = read_file(path);
        assert!(reading.value.is_none(), "the folder says that it is rejected");
        insta::assert_snapshot!(messages);
    });
}

fn value(ty: &ValueType, random: &mut Random) -> Value {
    match ty {
        ValueType::Bool => Value::Bool(random.below(2) == 0),
        ValueType::Int { least: 0, .. } => Value::Int(random.below(11) as i64),
        ValueType::Int { .. } => Value::Int(random.below(1 << 20) as i64 - (1 << 19)),
        ValueType::Real => {
            let (above, below) = (random.below(1 << 30) as i128, 1 + random.below(99) as i128);
            Value::Real(Rational::new(above - (1 << 29), below))
        }
        ValueType::Enum(names) => Value::Enum(random.below(names.len()) as u32),
    }
}

fn case(name: String, interface: &Interface, random: &mut Random) -> Case {
    let values = |role, random: &mut Random| -> Vec<Value> {
        let ports: Vec<PortId> = interface.ports_with(role).collect();
        ports.into_iter().map(|id| value(&interface.ports[id].ty, random)).collect()
    };
    if random.below(3) == 0 {
        let has_outputs = random.below(2) == 0;
        let mut step = || Step {
            inputs: values(PortRole::Input, random),
            outputs: if has_outputs { values(PortRole::Output, random) } else { Vec::new() },
        };
        let steps = (0..name.len() % 5).map(|_| step()).collect();
        let period_ns = 1 + random.below(1 << 30) as u64;
        return Case {
            name,
            body: Body::Steps(Table { period_ns, steps }),
            about: About::default(),
        };
    }
    let ports = |random: &mut Random| {
        let mut found = Vec::new();
        while found.is_empty() {
            for id in interface.ports.ids() {
                let port = &interface.ports[id];
                if port.role != PortRole::Input && random.below(3) == 0 {
                    found.push((id, value(&port.ty, random)));
                }
            }
        }
        found
    };
    let step = |random: &mut Random| match random.below(3) {
        0 => {
            let ids: Vec<_> = interface.signals.ids().take(2).collect();
            let signal = ids[random.below(2)];
            let carried = interface.signals[signal].values.iter();
            let values = carried.map(|it| value(&it.ty, random)).collect();
            Do::Send(Action { signal, values })
        }
        1 => Do::Wait(random.below(1 << 30) as u64),
        _ => {
            let expected = ports(random);
            let mut allowed: Vec<_> = (0..random.below(3)).map(|_| ports(random)).collect();
            if !allowed.is_empty() && !allowed.contains(&expected) {
                allowed.insert(random.below(allowed.len()), expected.clone());
            }
            Do::Check(Check { expected, allowed, requirement: None })
        }
    };
    let steps = (0..random.below(8)).map(|_| step(random)).collect();
    Case { name, body: Body::Timed(steps), about: About::default() }
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(seed in any::<u32>(), names in proptest::collection::hash_set(".*[a-z]", 0..5)) {
        let (interface, mut random) = (interface(), Random::new(seed));
        let cases = names.into_iter().map(|name| case(name, &interface, &mut random)).collect();
        let suite = Suite { cases, ..Suite::default() };
        let written = suite::write(&interface, &suite);
        let reading = read("suite.toml", written.as_bytes());
        prop_assert_eq!(reading.value, Some(suite), "{:?}\n{}", reading.diagnostics, written);
    }
}

/// Small faults by chance: no panic, a suite or an error, and every span in the file.
#[test]
fn any_file_can_be_read() {
    let mut texts = Vec::new();
    for part in ["accepted", "rejected"] {
        for entry in std::fs::read_dir(folder().join(part)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|it| it.to_str()).expect("a name").to_owned();
            texts.push((name, std::fs::read(path).expect("the file can be read")));
        }
    }
    texts.sort();
    for case in 0..3000 {
        let mut random = Random::new(case);
        let (name, text) = &texts[random.below(texts.len())];
        let (_, other) = &texts[random.below(texts.len())];
        let mut bytes = text.clone();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, other, &mut random);
        }
        let reading = read(name, &bytes);
        let errors = reading.diagnostics.iter().any(|diagnostic| diagnostic.is_error());
        assert_eq!(reading.value.is_none(), errors, "case {case}");
        for diagnostic in &reading.diagnostics {
            let span = diagnostic.span.range();
            assert!(reading.file.text.get(span.clone()).is_some(), "case {case}: {span:?}");
        }
        if let Some(suite) = reading.value {
            let written = suite::write(&interface(), &suite);
            let again = read("again.toml", written.as_bytes());
            assert_eq!(again.value, Some(suite), "case {case}: {written}");
        }
    }
}
