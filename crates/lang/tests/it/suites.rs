//! Suites: what is read, what is said about what is not, and that what is written is read again.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use punctual_lang::{
    Input,
    diagnostic::{Style, render},
    suite::{
        self, Reading,
        export::{Format, Options, Script, export},
    },
};
use punctual_model::{
    Action, Carried, Direction, Interface, Port, PortId, PortRole, Rational, Signal, Step,
    TimeScale, Value, ValueType,
    testing::suite::{
        About, Body, Case, Chance, Check, Do, Ending, Expect, Probability, Suite, Table,
    },
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
    signal("glow", Direction::Output, vec![("level", ValueType::Int { least: 0, greatest: 10 })]);
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

fn text(random: &mut Random) -> String {
    ["R3", "", "a \"b\"", "x = 1\n", "{#}", "Error.Idle -> Error.Detected"][random.below(6)]
        .to_owned()
}

fn about(random: &mut Random) -> About {
    About {
        path: (0..random.below(3)).map(|_| text(random)).collect(),
        ends_in: (0..random.below(3)).map(|_| text(random)).collect(),
        is_uncertain: random.below(2) == 0,
    }
}

fn chance(n_steps: usize, random: &mut Random) -> Chance {
    let probability = |random: &mut Random| match random.below(2) {
        0 => Probability { least: 0.25, greatest: 0.25, exact: Some("1/4".to_owned()) },
        _ => {
            let least = random.below(1000) as f64 / 4000.0;
            Probability { least, greatest: 0.25 + least, exact: None }
        }
    };
    let mut outputs = probability(random);
    let from = random.below(n_steps + 1);
    let ending = (random.below(2) == 0).then(|| {
        outputs = Probability { least: 0.5, greatest: 1.0, exact: None };
        Ending { from, proves: text(random), joint: probability(random) }
    });
    let independent = random.below(3);
    Chance { outputs, ending, note: text(random), independent }
}

fn case(name: String, interface: &Interface, random: &mut Random) -> Case {
    let about = about(random);
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
        return Case { name, body: Body::Steps(Table { period_ns, steps }), about, chance: None };
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
    let action = |direction, random: &mut Random| {
        let ids = interface.signals.enumerate();
        let ids = ids.filter(|(_, it)| it.direction == direction).map(|(id, _)| id);
        let ids: Vec<_> = ids.collect();
        let signal = ids[random.below(ids.len())];
        let carried = interface.signals[signal].values.iter();
        let values = carried.map(|it| value(&it.ty, random)).collect();
        Action { signal, values }
    };
    let requirement = |random: &mut Random| (random.below(2) == 0).then(|| text(random));
    let step = |random: &mut Random| match random.below(4) {
        0 => Do::Send(action(Direction::Input, random)),
        1 => Do::Wait(random.below(1 << 30) as u64),
        2 => {
            let from_ns = random.below(1 << 30) as u64;
            let to_ns = from_ns + random.below(1 << 30) as u64;
            let action = action(Direction::Output, random);
            Do::Expect(Expect { action, from_ns, to_ns, requirement: requirement(random) })
        }
        _ => {
            let mut expected = ports(random);
            let mut allowed: Vec<_> = (0..random.below(3)).map(|_| ports(random)).collect();
            if !allowed.is_empty() && random.below(3) == 0 {
                expected.clear();
            } else if !allowed.is_empty() && !allowed.contains(&expected) {
                allowed.insert(random.below(allowed.len()), expected.clone());
            }
            Do::Check(Check { expected, allowed, requirement: requirement(random) })
        }
    };
    let steps: Vec<Do> = (0..random.below(8)).map(|_| step(random)).collect();
    let chance = (random.below(3) == 0).then(|| chance(steps.len(), random));
    Case { name, body: Body::Timed(steps), about, chance }
}

/// The names of files are read without the interface, whatever the cases say.
#[test]
fn a_heading_needs_no_interface() {
    let text = "model = \"m.xml\"\n[[case]]\nname = 3\nsteps = [{ input = \"nobody\" }]\n";
    let heading = |text: &str| {
        let reading = suite::heading(Input { name: "suite.toml", bytes: text.as_bytes() });
        (reading.value, reading.diagnostics)
    };
    let (value, diagnostics) = heading(text);
    assert!(diagnostics.is_empty());
    let value = value.expect("a heading");
    let model = value.model.expect("a model");
    assert_eq!((model.text.as_str(), &text[model.span.range()]), ("m.xml", "m.xml"));
    assert_eq!(value.interface, None);
    for wrong in ["model = 3", "interface = { }", "model = \" \"", "model ="] {
        let (value, diagnostics) = heading(wrong);
        assert!(value.is_none() && diagnostics.len() == 1, "{wrong}: {diagnostics:?}");
    }
    let table = suite::heading(Input { name: "tests.csv", bytes: b"go,n\n1,2\n" });
    assert_eq!(table.value, Some(suite::Heading::default()));
}

/// Each step has a place, which is its own.
#[test]
fn steps_have_places() {
    let text = "[[case]]\nname = \"a\"\nsteps = [{ wait = 1 }, { input = \"grasp\" }]\n";
    let mut load = |_: &str| Err(String::new());
    let input = Input { name: "suite.toml", bytes: text.as_bytes() };
    let placed = suite::read_placed(input, &interface(), None, &mut load).value.expect("a suite");
    let [places] = &placed.places[..] else { panic!("{placed:?}") };
    let steps: Vec<&str> = places.steps.iter().map(|span| &text[span.range()]).collect();
    assert_eq!(steps, ["{ wait = 1 }", "{ input = \"grasp\" }"]);
    assert_eq!(&text[places.name.range()], "a");
}

/// Any suite can be written in any language, and steps are where the waits before them put them.
fn exported(interface: &Interface, suite: &Suite) {
    for (name, format) in Format::ALL.into_iter().filter(|(_, it)| *it != Format::Template) {
        let files = export(interface, suite, format, &Options::default());
        assert!(files.is_ok_and(|files| !files.is_empty()), "{name}");
    }
    for (case, script) in suite.cases.iter().zip(Script::of(interface, suite).cases) {
        let Body::Timed(parts) = &case.body else { continue };
        let mut steps = script.steps.iter();
        let mut now_ns = 0;
        for part in parts {
            match part {
                Do::Wait(ns) => now_ns += ns,
                _ => assert_eq!(steps.next().map(|it| it.at_ns), Some(now_ns)),
            }
        }
        assert_eq!((steps.next(), script.end_ns), (None, now_ns));
        let total_ns: u64 = script.steps.iter().map(|it| it.after_ns).sum();
        assert_eq!(total_ns, script.steps.last().map_or(0, |it| it.at_ns));
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(seed in any::<u32>(), names in proptest::collection::hash_set(".*[a-z]", 0..5)) {
        let (interface, mut random) = (interface(), Random::new(seed));
        let cases = names.into_iter().map(|name| case(name, &interface, &mut random)).collect();
        let mut period = || (random.below(2) == 0).then(|| 1 + random.below(1 << 30) as u64);
        let (phase_ns, loop_ns) = (period(), period());
        let mut file = || (random.below(2) == 0).then(|| format!("../{}.toml", random.below(9)));
        let suite = Suite { model: file(), interface: file(), phase_ns, loop_ns, cases };
        let written = suite::write(&interface, &suite);
        let reading = read("suite.toml", written.as_bytes());
        let heading = suite::heading(Input { name: "suite.toml", bytes: written.as_bytes() });
        let heading = heading.value.expect("what is written has a heading");
        prop_assert_eq!(&heading.model.map(|it| it.text), &suite.model);
        prop_assert_eq!(&heading.interface.map(|it| it.text), &suite.interface);
        exported(&interface, &suite);
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

/// The phase is a duration, or a range from 0 without its end; bare numbers are time units of the model.
#[test]
fn phases() {
    let of = |phase: &str| {
        let reading = read("suite.toml", format!("phase = \"{phase}\"").as_bytes());
        reading.value.map(|suite| suite.phase_ns)
    };
    let unit_ns = interface().time.unit_ns;
    assert_eq!(of("1700ms"), Some(Some(1_700_000_000)));
    assert_eq!(of("0ms..1700ms"), of("1700ms"));
    assert_eq!(of("0..1700"), Some(Some(1700 * unit_ns)));
    for wrong in ["100ms..1700ms", "0..0", "0s", "0..", "..5", "soon"] {
        assert_eq!(of(wrong), None, "{wrong}");
    }
}
