//! What several tests need: interfaces, scripts, compiled systems.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, OnceLock},
    time::Duration,
};

use punctual_exec::{Limits, Program, Seen, Sut, SutError};
use punctual_model::{
    Action, Carried, Direction, Interface, Port, PortRole, Signal, TimeScale, Value, ValueType,
};

pub(crate) const MS: u64 = 1_000_000;

/// What values are, where nothing else is said.
pub(crate) const SMALL: ValueType = ValueType::Int { least: 0, greatest: 10 };

/// An interface with these signals, whose values are from 0 to 10, at 1 ms for a unit.
pub(crate) fn interface(signals: &[(&str, Direction, &[&str])]) -> Arc<Interface> {
    Arc::new(with_ports(signals, &[]))
}

/// An interface with these signals and ports.
pub(crate) fn with_ports(
    signals: &[(&str, Direction, &[&str])],
    ports: &[(&str, PortRole, ValueType)],
) -> Interface {
    let mut interface = Interface::new(TimeScale { unit_ns: MS, resolution: 1 });
    for (name, direction, values) in signals {
        let values = values.iter().map(|name| Carried { name: (*name).into(), ty: SMALL });
        let (name, direction, values) = ((*name).into(), *direction, values.collect());
        interface.signals.push(Signal { name, direction, values });
    }
    for (name, role, ty) in ports {
        interface.ports.push(Port { name: (*name).into(), ty: ty.clone(), role: *role });
    }
    interface
}

/// Inputs `coin` and `req`, outputs `weakCoffee` and `strongCoffee`.
pub(crate) fn coffee() -> Arc<Interface> {
    interface(&[
        ("coin", Direction::Input, &[]),
        ("req", Direction::Input, &[]),
        ("weakCoffee", Direction::Output, &[]),
        ("strongCoffee", Direction::Output, &[]),
    ])
}

pub(crate) fn action(interface: &Interface, name: &str, values: &[i32]) -> Action {
    Action { signal: interface.signal(name).unwrap(), values: ints(values) }
}

pub(crate) fn ints(values: &[i32]) -> Vec<Value> {
    values.iter().map(|value| Value::from(*value)).collect()
}

/// Little patience: tests of systems that hang wait for all of it.
pub(crate) fn limits() -> Limits {
    Limits {
        start: Duration::from_secs(5),
        answer: Duration::from_millis(1500),
        stop: Duration::from_millis(300),
        ..Limits::default()
    }
}

/// Plays a script: `reset`, `wait MS`, `wait-all MS` (outputs included), or the name of an input.
/// Instants are shown in milliseconds.
pub(crate) fn play(
    sut: &mut dyn Sut,
    interface: &Interface,
    script: &str,
) -> Result<String, SutError> {
    let mut shown = Vec::new();
    for command in script.split(';').map(str::trim) {
        match command.split_once(' ') {
            None if command == "reset" => {
                sut.reset()?;
                shown.push("reset".to_owned());
            }
            None => {
                let handover = sut.input(&action(interface, command, &[]))?;
                assert_eq!(handover.from_ns, handover.to_ns);
                shown.push(format!("{command}@{}", handover.from_ns / MS));
            }
            Some((_, until)) => {
                let until_ns = until.parse::<u64>().unwrap() * MS;
                match sut.wait(until_ns)? {
                    Seen::Quiet => shown.push(format!("quiet@{}", sut.now_ns() / MS)),
                    Seen::Output { action, at_ns, device_ns: None } => {
                        assert_eq!(sut.now_ns(), at_ns);
                        let name = interface.signal_text(action.signal, &action.values);
                        shown.push(format!("{name}@{}", at_ns / MS));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    Ok(shown.join(" "))
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn python(script: impl AsRef<Path>, arguments: &[&str]) -> Program {
    let script = root().join(script).display().to_string();
    let arguments = std::iter::once(&*script).chain(arguments.iter().copied());
    Program {
        program: "python3".into(),
        arguments: arguments.map(str::to_owned).collect(),
        ..Program::default()
    }
}

/// The coffee machine in C, as a program and as a shared library.
pub(crate) fn compiled() -> &'static (PathBuf, PathBuf) {
    static COMPILED: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (program, library) = (folder.join("machine"), folder.join("libmachine.so"));
        let machine = "examples/coffee-machine/sut/machine.c";
        compile(&[machine, "sdk/c/punctual.c"], &[], &program);
        compile(&[machine], &["-shared", "-fPIC", "-DPUNCTUAL_LIBRARY"], &library);
        (program, library)
    })
}

pub(crate) fn compile(sources: &[&str], options: &[&str], target: &Path) {
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I"]);
    command.arg(root().join("sdk/c")).args(options).arg("-o").arg(target);
    command.args(sources.iter().map(|source| root().join(source)));
    let output = command.output();
    let output = output.expect("this test needs a C compiler with the name `cc` in PATH");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the example does not compile:\n{errors}");
}
