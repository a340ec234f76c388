//! Files about platforms.

use std::path::Path;

use punctual_lang::diagnostic::{Style, render};
use punctual_lang::{Input, lustre, platform};
use punctual_model::lustre::Program;
use punctual_model::testing::platform::{Delay, Form, Platform, Watched};
use punctual_model::{Direction, Network, Rational, Value};

const ACCEPTED: &str = include_str!("../../test_data/platforms/accepted.toml");

fn program() -> Program {
    let bytes = include_bytes!("../../test_data/platforms/pump.lus");
    let reading = lustre::read(Input { name: "pump.lus", bytes }, None);
    reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

/// An automaton of the folder of the test data.
fn model(name: &str) -> Result<Network, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/platforms").join(name);
    let bytes = std::fs::read(path).map_err(|_| "there is no such file".to_owned())?;
    let model = punctual_lang::read(name, &bytes).model;
    model.map(|it| it.network).ok_or_else(|| "it is wrong".to_owned())
}

fn reading(name: &str, bytes: &[u8]) -> platform::Reading<Platform> {
    platform::read_with(&program(), Input { name, bytes }, &mut model)
}

fn read(text: &str) -> Platform {
    let reading = reading("platform.toml", text.as_bytes());
    reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

#[test]
fn rejected() {
    insta::glob!("../../test_data/platforms/rejected", "*.toml", |path| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let bytes = std::fs::read(path).expect("the file can be read");
        let reading = reading(name, &bytes);
        assert!(reading.value.is_none(), "the folder says that it is rejected");
        let said = reading.diagnostics.iter();
        let said = said.map(|it| render(it, &reading.file, Style::Plain).trim_end().to_owned());
        insta::assert_snapshot!(said.collect::<Vec<_>>().join("\n\n"));
    });
}

#[test]
fn what_is_written_is_read_again() {
    let platform = read(ACCEPTED);
    assert_eq!(read(&platform::print(&platform, &program())), platform);
}

#[test]
fn a_file_says_what_lies_between() {
    let (program, platform) = (program(), read(ACCEPTED));
    let input = |name: &str| {
        let var = program.var(name).expect("a variable");
        platform.inputs.iter().filter(|line| line.variable == var).collect::<Vec<_>>()
    };
    let [left, right] = input("start")[..] else { panic!("two buttons") };
    assert_eq!((left.outside.as_str(), right.outside.as_str()), ("left button", "right button"));
    assert!(left.is_latched && right.is_latched);
    let air = input("air")[0];
    assert_eq!(air.delay, Delay::Samples(vec![8e7, 8.5e7, 9e7]));
    assert_eq!(air.form.outside(Value::Bool(true)), Some(Value::Int(255)));
    assert_eq!(air.form.inside(Value::Int(0), false), Some(Value::Bool(false)));
    assert_eq!(air.form.inside(Value::Int(3), false), None);
    assert_eq!(air.outside, input("stop")[0].outside);
    let volume = input("volume")[0];
    assert_eq!(volume.form.outside(Value::Int(7)), Some(Value::Int(70)));
    assert_eq!(volume.form.inside(Value::Int(75), true), None);
    let pressure = input("pressure")[0];
    assert!(matches!(pressure.form, Form::Linear { is_whole: false, .. }));
    let volts = Value::Real(Rational::new(-5, 4));
    assert_eq!(pressure.form.outside(Value::Real(Rational::from_integer(1))), Some(volts));
    assert_eq!(pressure.sampling_ns, Some(20_000_000));
    // What is not told is connected one to one; its first value is the nearest to 0.
    let initial = [Value::Int(7), Value::Real(Rational::from_integer(0)), Value::Enum(1)];
    assert_eq!(platform.initial[3..], initial);
    assert_eq!(platform.outputs.len(), 5);
}

/// The same table under `[platform]` of a `punctual.toml` says the same, whatever stands beside it.
#[test]
fn a_platform_may_stand_in_punctual_toml() {
    let lines = ACCEPTED.lines().map(|line| match line.strip_prefix('[') {
        Some(name) => format!("[platform.{name}\n"),
        None => format!("{line}\n"),
    });
    let system = "[system]\ncommand = \"pump\"\n[platform]\n";
    let text = format!("{system}{}", lines.collect::<String>());
    assert_eq!(read(&text), read(ACCEPTED));
    let input = Input { name: "punctual.toml", bytes: text.as_bytes() };
    let reading = punctual_lang::testing::read_alone(input);
    assert!(reading.value.is_some_and(|it| it.under_test.is_some()), "{:?}", reading.diagnostics);
    for (text, is_in) in [
        (text.as_str(), true),
        ("platform = 1", true),
        ("platform.step = 1", true),
        (ACCEPTED, false),
        ("[steps]\nplatform = 1", false),
        ("input platform; output;", false),
    ] {
        assert_eq!(platform::is_in(text.as_bytes()), is_in, "{text}");
    }
}

/// Each of several variables outside may have a delay of its own, also when it is written.
#[test]
fn variables_of_one_input_have_their_delays() {
    let text = "step = '500ms'\ndelays = { inputs = '1ms', outputs = '1ms' }\n\
        [inputs.start]\nmonitored = ['left', 'right']\ndelay = ['7ms', { mean = '9ms', deviation = '2ms' }]\n";
    let platform = read(text);
    let [left, right] = [0, 1].map(|at| platform.inputs[at].delay.clone());
    assert_eq!(left, Delay::Normal { mean: 7e6, deviation: 0.0 });
    assert_eq!(right, Delay::Normal { mean: 9e6, deviation: 2e6 });
    assert_eq!(read(&platform::print(&platform, &program())), platform);
}

/// An automaton is read with what its channels stand for; instants are known to a microsecond, or less exactly if its constants are large.
#[test]
fn automata_are_requirements() {
    let text = format!("{ACCEPTED}\n{AUTOMATON}");
    let platform = read(&text);
    let [automaton] = &platform.automata[..] else { panic!("one automaton") };
    assert_eq!((automaton.name.as_str(), automaton.path.as_str()), ("soon", "alarm.xta"));
    let interface = &automaton.wired.interface;
    assert_eq!((interface.time.unit_ns, interface.time.resolution), (1_000_000, 1_000));
    let of = |name: &str| {
        let signal = interface.signal(name).expect("a signal");
        (interface.signals[signal].direction, automaton.watched[signal])
    };
    let outside = |line: usize| platform.inputs[line].outside.as_str();
    let (direction, Watched::Set(line, value)) = of("press") else { panic!("it is set") };
    assert_eq!(
        (direction, outside(line), value),
        (Direction::Input, "left button", Value::Bool(true))
    );
    let (direction, Watched::Seen(line, value)) = of("alarm") else { panic!("it is seen") };
    assert_eq!((direction, value), (Direction::Output, Value::Bool(true)));
    assert_eq!(platform.outputs[line].outside, "motor");
    assert_eq!(read(&platform::print(&platform, &program())), platform);
    let hours = read(&text.replace("\"1ms\"", "\"1h\""));
    assert_eq!(hours.automata[0].wired.interface.time.resolution, 500_000);
    // Who can not read other files says so.
    let reading = platform::read(&program(), Input { name: "p.toml", bytes: text.as_bytes() });
    assert!(reading.value.is_none());
}

const AUTOMATON: &str = "[requirements.soon]\nautomaton = \"alarm.xta\"\ntime-unit = \"1ms\"\n\
    events = { press = { \"left button\" = true }, alarm = { motor = true } }\n";
