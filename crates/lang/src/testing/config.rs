//! `punctual.toml`.

use punctual_model::{Direction, Network, ProcessId, TimeScale, Uncertainty};
use toml::de::{DeTable, DeValue};

use super::{
    Config, Delays, Policy, Strategy, TestOptions, Timing, UnderTest,
    signals::{Signals, processes, signature},
    table::{Section, Word, kind, not_a_choice, span},
    units,
};
use crate::{
    SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics},
};

const SECTIONS: [&str; 4] = ["interface", "uncertainty", "system", "test"];
const INTERFACE: [&str; 7] =
    ["inputs", "outputs", "observe", "time-unit", "resolution", "environment", "system"];
const PLACES: [&str; 6] = ["command", "tcp", "listen", "library", "tron", "model"];
const TEST: [&str; 7] = ["seed", "runs", "steps", "duration", "strategy", "delays", "clock"];

/// A grid finer than this does not fit into the numbers of zones.
const RESOLUTION_MAX: u64 = 1_000_000;

/// Reads the file.
pub(super) fn read(
    network: &Network,
    file: &SourceFile,
    diagnostics: &mut Diagnostics,
) -> Option<Config> {
    let (table, errors) = DeTable::parse_recoverable(&file.text);
    for error in errors {
        let span = match error.span() {
            Some(span) => Span::new(span.start, span.end),
            None => Span::first_of(&file.text),
        };
        diagnostics.push(Diagnostic::error("toml::syntax", span, error.message()));
    }
    if diagnostics.has_errors() {
        return None;
    }
    let top = Section::top(file, table.get_ref(), &SECTIONS, diagnostics);
    let interface = top.section("interface", &INTERFACE, diagnostics);
    if !interface.exists() {
        let message = "the table `[interface]` is missing";
        diagnostics
            .push(Diagnostic::error("toml::missing", top.span, message).help(
                "it says which channels are inputs and outputs, and how long a time unit is",
            ));
    }
    let time = time(&interface, diagnostics);
    let mut signals = Signals::new(network);
    for (key, direction) in [("inputs", Direction::Input), ("outputs", Direction::Output)] {
        if interface.exists() && interface.key(key).is_none() {
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
    let uncertainty = top.section("uncertainty", &["input", "output"], diagnostics);
    let uncertainty = Uncertainty {
        input_ns: uncertainty.window("input", diagnostics).unwrap_or_default(),
        output_ns: uncertainty.window("output", diagnostics).unwrap_or_default(),
    };
    let under_test = under_test(&top, diagnostics);
    let test = test(&top, time, diagnostics);
    let wired = signals.finish(time, uncertainty);
    Some(Config { wired, environment, system, under_test, test })
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

fn under_test(top: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<UnderTest> {
    let known: Vec<&str> = PLACES.into_iter().chain(["policy"]).collect();
    let section = top.section("system", &known, diagnostics);
    let places: Vec<_> = PLACES.iter().filter_map(|key| Some((*key, section.key(key)?))).collect();
    let policies = [
        ("random", Policy::Random),
        ("earliest", Policy::Earliest),
        ("latest", Policy::Latest),
        ("fixed", Policy::Fixed),
    ];
    let policy = section.choice("policy", &policies, diagnostics);
    if let (Some(at), None) = (section.key("policy"), section.key("model")) {
        let message = "`policy` says how a model is played, and there is no `model`";
        diagnostics.push(Diagnostic::error("toml::policy", at, message));
    }
    let key = match places[..] {
        [(key, _)] => key,
        [] => {
            if section.exists() {
                let message = "`[system]` does not say where the system is";
                let help = format!("one of {}", PLACES.join(", "));
                diagnostics
                    .push(Diagnostic::error("toml::missing", section.span, message).help(help));
            }
            return None;
        }
        [(first, place), (second, at), ..] => {
            let message = format!("the system can not be reached by `{first}` and by `{second}`");
            diagnostics
                .push(Diagnostic::error("toml::places", at, message).also(place, "first here"));
            return None;
        }
    };
    if key == "command" {
        let words = section.texts(key, diagnostics);
        if words.is_empty() {
            let message = "`command` must name a program and its arguments";
            diagnostics.push(
                Diagnostic::error("toml::command", section.key(key)?, message)
                    .help("such as `command = [\"python3\", \"machine.py\"]`"),
            );
        }
        return Some(UnderTest::Command(words.into_iter().map(|word| word.text).collect()));
    }
    let word = section.text(key, diagnostics)?;
    match key {
        "tcp" => Some(UnderTest::Tcp(address(&word, diagnostics)?)),
        "listen" => Some(UnderTest::Listen(address(&word, diagnostics)?)),
        "tron" => Some(UnderTest::Tron(address(&word, diagnostics)?)),
        "library" => Some(UnderTest::Library(path(key, word, diagnostics)?)),
        _ => {
            let path = path(key, word, diagnostics)?;
            Some(UnderTest::Model { path, policy: policy.unwrap_or_default() })
        }
    }
}

fn path(key: &str, word: Word, diagnostics: &mut Diagnostics) -> Option<String> {
    if word.text.trim().is_empty() {
        let message = format!("`{key}` must name a file");
        diagnostics.push(Diagnostic::error("toml::path", word.span, message));
        return None;
    }
    Some(word.text)
}

/// `host:port`.
fn address(word: &Word, diagnostics: &mut Diagnostics) -> Option<String> {
    let parts = word.text.rsplit_once(':');
    let is_address =
        parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    if !is_address {
        let message = format!("`{}` is not an address", word.text);
        diagnostics.push(
            Diagnostic::error("toml::address", word.span, message)
                .help("write a host and a port, such as `127.0.0.1:9999`"),
        );
    }
    is_address.then(|| word.text.clone())
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

/// `random`, `eager`, `lazy`, or two numbers of time units as in `5..100`.
fn delays(section: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<Delays> {
    let word = section.text("delays", diagnostics)?;
    match word.text.as_str() {
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
            let names = ["random", "eager", "lazy", "5..100"];
            diagnostics.push(not_a_choice("delays", &word, names.into_iter()));
            None
        }
    }
}
