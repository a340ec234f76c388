//! `punctual.toml`.

use punctual_model::{
    Direction, Interface, Network, ProcessId, Signal, SignalId, TimeScale, Uncertainty, Wired,
};
use toml::de::DeValue;

use super::{
    Config, Delays, Strategy, TestOptions, Timing,
    declared::Declared,
    signals::{Signals, Signature, processes, signature},
    steps, system,
    table::{Section, Word, kind, not_a_choice, parse, span},
    units,
};
use crate::{
    SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
    steering,
};

/// The tables of a file.
pub(crate) const SECTIONS: [&str; 7] =
    ["interface", "uncertainty", "system", "steps", "steering", "platform", "test"];
const INTERFACE: [&str; 9] = [
    "inputs",
    "outputs",
    "observe",
    "assignments",
    "setup",
    "time-unit",
    "resolution",
    "environment",
    "system",
];
const TEST: [&str; 7] = ["seed", "runs", "steps", "duration", "strategy", "delays", "clock"];

/// A grid finer than this does not fit into the numbers of zones.
const RESOLUTION_MAX: u64 = 1_000_000;

/// Makes an interface of the names in a file.
pub(super) trait Collects {
    /// Adds a signal, or several that have one name.
    fn add(&mut self, signature: &Signature, direction: Direction, diagnostics: &mut Diagnostics);

    /// Adds something that can be read.
    fn observe(&mut self, word: &Word, diagnostics: &mut Diagnostics);

    /// The interface. Inputs come before outputs, whatever the order of the file.
    fn finish(self, time: TimeScale, uncertainty: Uncertainty) -> Wired;
}

/// Reads a file whose names are those of a network.
pub(super) fn read(
    network: &Network,
    file: &SourceFile,
    diagnostics: &mut Diagnostics,
) -> Option<Config> {
    collect(network, Signals::new(network), file, diagnostics)
}

/// Reads a file that says itself what is exchanged.
pub(super) fn read_declared(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Config> {
    collect(&Network::default(), Declared::default(), file, diagnostics)
}

fn collect(
    network: &Network,
    mut signals: impl Collects,
    file: &SourceFile,
    diagnostics: &mut Diagnostics,
) -> Option<Config> {
    let table = parse(file, diagnostics)?;
    let top = Section::top(file, table.get_ref(), &SECTIONS, diagnostics);
    let interface = top.section("interface", &INTERFACE, diagnostics);
    // Synchronous programs have an interface of their own.
    let is_stepped = ["steps", "steering", "platform"].iter().any(|it| top.key(it).is_some());
    if !interface.exists() && !is_stepped {
        let message = "the table `[interface]` is missing";
        diagnostics
            .push(Diagnostic::error("toml::missing", top.span, message).help(
                "it says which channels are inputs and outputs, and how long a time unit is",
            ));
    }
    let time = time(&interface, diagnostics);
    for (key, direction) in [("inputs", Direction::Input), ("outputs", Direction::Output)] {
        if interface.exists() && !is_stepped && interface.key(key).is_none() {
            diagnostics.push(missing(&interface, key, "an empty list `[]` if there are none"));
        }
        for word in interface.texts(key, diagnostics) {
            if let Some(signature) = signature(&word, diagnostics) {
                signals.add(&signature, direction, diagnostics);
            }
        }
    }
    for word in interface.texts("observe", diagnostics) {
        signals.observe(&word, diagnostics);
    }
    let (environment, system) = named(network, &interface, diagnostics);
    let uncertainty = top.section("uncertainty", &["input", "output", "drift"], diagnostics);
    let uncertainty = Uncertainty {
        input_ns: uncertainty.window("input", diagnostics).unwrap_or_default(),
        output_ns: uncertainty.window("output", diagnostics).unwrap_or_default(),
        drift_ppb: uncertainty.drift("drift", diagnostics).unwrap_or_default(),
    };
    let under_test = system::read(&top, diagnostics);
    let steps = steps(&top, Some(time), diagnostics);
    let steering = top.section("steering", &steering::KEYS, diagnostics);
    let steering = match steering.exists() {
        true => steering::of_section(&steering, steps.as_ref(), diagnostics),
        false => None,
    };
    let test = test(&top, time, diagnostics);
    let mut wired = signals.finish(time, uncertainty);
    for word in interface.texts("assignments", diagnostics) {
        assignments(&mut wired.interface, &word, diagnostics);
    }
    for word in interface.texts("setup", diagnostics) {
        setup(&mut wired.interface, &word, diagnostics);
    }
    Some(Config { wired, environment, system, under_test, steps, steering, test })
}

fn missing(section: &Section<'_>, key: &str, help: &str) -> Diagnostic {
    let message = format!("`{key}` is missing in `[{}]`", section.name);
    Diagnostic::error("toml::missing", section.span, message).help(help)
}

fn time(interface: &Section<'_>, diagnostics: &mut Diagnostics) -> TimeScale {
    if interface.exists() && interface.key("time-unit").is_none() {
        let help = "how long one time unit of the model takes, such as `time-unit = \"1ms\"`";
        diagnostics.push(missing(interface, "time-unit", help));
    }
    let unit_ns = interface.duration("time-unit", 1, diagnostics).unwrap_or(1_000_000);
    let resolution = interface.number("resolution", 1, RESOLUTION_MAX, diagnostics).unwrap_or(1);
    TimeScale { unit_ns, resolution: u32::try_from(resolution).unwrap_or(1) }
}

/// Inputs that are told as assignments: a signal, or all elements of an array.
fn assignments(interface: &mut Interface, word: &Word, diagnostics: &mut Diagnostics) {
    let wanted: String = word.text.split_whitespace().collect();
    let prefix = format!("{wanted}[");
    let is_it = |it: &Signal| it.name == wanted || it.name.starts_with(&prefix);
    let found: Vec<SignalId> =
        interface.signals.enumerate().filter(|(_, it)| is_it(it)).map(|(id, _)| id).collect();
    let inputs = interface.signals.iter().filter(|it| it.direction == Direction::Input);
    let code = "interface::assignments";
    if found.is_empty() {
        let help = closest(&wanted, inputs.map(|it| it.name.as_str()));
        let help = help.map(|name| format!("did you mean `{name}`?"));
        let message = format!("there is no input `{wanted}`");
        diagnostics.push(Diagnostic::error(code, word.span, message).maybe_help(help));
    }
    for id in found {
        if interface.signals[id].direction == Direction::Output {
            let message = format!("`{wanted}` is an output; only inputs are told as assignments");
            diagnostics.push(Diagnostic::error(code, word.span, message));
            break;
        }
        if interface.assignments.contains(&id) {
            let message = format!("`{wanted}` is there twice");
            diagnostics.push(Diagnostic::error("interface::twice", word.span, message));
            break;
        }
        interface.assignments.push(id);
    }
    interface.assignments.sort_unstable();
}

/// Values that stay as they are once they were given.
fn setup(interface: &mut Interface, word: &Word, diagnostics: &mut Diagnostics) {
    let carried = interface
        .assignments
        .iter()
        .flat_map(|id| &interface.signals[*id].values)
        .map(|it| &it.name);
    if carried.clone().any(|it| *it == word.text) {
        interface.setup.push(word.text.clone());
        return;
    }
    let help = closest(&word.text, carried.map(String::as_str));
    let help = help.map(|name| format!("did you mean `{name}`?"));
    let message = format!("no input of `assignments` carries `{}`", word.text);
    diagnostics.push(Diagnostic::error("interface::setup", word.span, message).maybe_help(help));
}

/// The processes that are said to be environment and system.
fn named(
    network: &Network,
    interface: &Section<'_>,
    diagnostics: &mut Diagnostics,
) -> (Vec<ProcessId>, Vec<ProcessId>) {
    let mut found: Vec<(ProcessId, Span, bool)> = Vec::new();
    for (key, environment) in [("environment", true), ("system", false)] {
        for word in interface.texts(key, diagnostics) {
            for process in processes(network, &word, diagnostics) {
                let before = found.iter().find(|(id, ..)| *id == process);
                match before {
                    None => found.push((process, word.span, environment)),
                    Some((_, _, side)) if *side == environment => {}
                    Some((_, place, _)) => {
                        let name = &network.processes[process].name;
                        let message = format!("`{name}` is named as environment and as system");
                        diagnostics.push(
                            Diagnostic::error("interface::both", word.span, message)
                                .also(*place, "as environment here"),
                        );
                    }
                }
            }
        }
    }
    let side = |environment: bool| {
        let of = found.iter().filter(|(_, _, side)| *side == environment);
        of.map(|(id, ..)| *id).collect()
    };
    (side(true), side(false))
}

fn test(top: &Section<'_>, time: TimeScale, diagnostics: &mut Diagnostics) -> TestOptions {
    let section = top.section("test", &TEST, diagnostics);
    let strategies = [("random", Strategy::Random), ("guided", Strategy::Guided)];
    let clocks = [("real", Timing::Real), ("virtual", Timing::Virtual)];
    let runs = section.number("runs", 1, u32::MAX.into(), diagnostics);
    TestOptions {
        seed: section.number("seed", 0, u64::MAX, diagnostics),
        runs: runs.and_then(|runs| u32::try_from(runs).ok()),
        steps: section.number("steps", 1, u64::MAX, diagnostics),
        duration_ns: length(&section, time, diagnostics),
        strategy: section.choice("strategy", &strategies, diagnostics),
        delays: delays(&section, diagnostics),
        clock: section.choice("clock", &clocks, diagnostics),
    }
}

/// A duration, or a number of time units.
fn length(section: &Section<'_>, time: TimeScale, diagnostics: &mut Diagnostics) -> Option<u64> {
    let value = section.value("duration")?;
    match value.get_ref() {
        DeValue::String(_) => section.duration("duration", 1, diagnostics),
        DeValue::Integer(_) => section
            .number("duration", 1, u64::MAX / time.unit_ns, diagnostics)
            .map(|units| units * time.unit_ns),
        other => {
            let message = format!("`duration` must be a duration, not {}", kind(other));
            let help = format!("write {} in quotes, or a whole number of time units", units::FORM);
            diagnostics.push(Diagnostic::error("toml::type", span(value), message).help(help));
            None
        }
    }
}

/// `mixed`, `random`, `eager`, `lazy`, or two numbers of time units as in `5..100`.
fn delays(section: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<Delays> {
    let word = section.text("delays", diagnostics)?;
    match word.text.as_str() {
        "mixed" => return Some(Delays::Mixed),
        "random" => return Some(Delays::Random),
        "eager" => return Some(Delays::Eager),
        "lazy" => return Some(Delays::Lazy),
        _ => {}
    }
    let bounds = word.text.split_once("..").and_then(|(least, most)| {
        Some((least.trim().parse::<u32>().ok()?, most.trim().parse::<u32>().ok()?))
    });
    match bounds {
        Some((least, most)) if least <= most => Some(Delays::Between(least, most)),
        _ => {
            let names = ["mixed", "random", "eager", "lazy", "5..100"];
            diagnostics.push(not_a_choice("delays", &word, names.into_iter()));
            None
        }
    }
}
