//! `[requirements.NAME]` with `automaton`: a timed automaton beside the platform's file, and what its channels stand for.
//!
//! What is set outside is an input of the automaton, so it must receive that (`press?`); what is seen is an output, so it must send that (`alarm!`). A channel
//! that it only has the other way round would be watched and never judged: that is refused.
//!
//! Not here: what the automaton means (`semantics`), whether anything keeps to it (`oracle`).

use punctual_model::testing::Wire;
use punctual_model::testing::platform::{Automaton, Line, Watched};
use punctual_model::{
    ChannelId, Direction, IdVec, Interface, Network, Signal, Sync, TimeScale, Wired,
};
use toml::de::DeValue;

use super::{Reader, Side};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, closest},
    testing::table::{Entry, Section, Word, kind, span},
};

/// How long a time unit of an automaton is if nothing is said: 1 ms.
const UNIT_NS: u64 = 1_000_000;

/// Constants of an automaton have at most so many points of the grid that instants are known on.
const POINTS_MAX: u64 = 100_000_000;

const HELP: &str =
    "such as `events = { press = { \"start button\" = true }, alarm = { siren = true } }`";

impl Reader<'_> {
    /// The automaton of a requirement whose table has a file for it.
    pub(super) fn automaton(
        &mut self,
        (name, section): (String, &Section<'_>),
        lines: (&[Line], &[Line]),
        diagnostics: &mut Diagnostics,
    ) -> Option<Automaton> {
        for other in ["when", "while", "then", "within"] {
            if let Some(place) = section.key(other) {
                let message = format!("`{other}` says nothing beside `automaton`");
                let help = "a requirement is a deadline, or an automaton with its `events`";
                diagnostics
                    .push(Diagnostic::error("platform::requirement", place, message).help(help));
            }
        }
        let unit_ns = section.duration("time-unit", 1, diagnostics);
        let unit_ns = unit_ns.or_else(|| section.key("time-unit").is_none().then_some(UNIT_NS));
        let word = section.text("automaton", diagnostics)?;
        let network = self.network(&word, diagnostics);
        let entries = section.entries("events", diagnostics);
        if entries.is_empty() {
            let message =
                format!("the requirement `{name}` names no `events` that its automaton is about");
            let place = section.key("events").unwrap_or(section.span);
            diagnostics.push(Diagnostic::error("platform::requirement", place, message).help(HELP));
        }
        let mut found: Vec<(Option<ChannelId>, Entry<'_>, Watched)> = Vec::new();
        for entry in entries {
            let channel = network.as_ref().and_then(|it| channel(it, entry, diagnostics));
            let Some(watched) = self.watched(entry, lines, diagnostics) else { continue };
            if let (Some(network), Some(channel)) = (&network, channel) {
                direction(network, channel, entry, watched, diagnostics);
            }
            if let Some((_, (earlier, _), _)) = found.iter().find(|(.., it)| *it == watched) {
                let message = format!("`{}` stands for the same", entry.0.get_ref());
                let wrong = Diagnostic::error("platform::twice", span(entry.0), message);
                diagnostics.push(wrong.also(span(*earlier), "first here"));
            }
            found.push((channel, entry, watched));
        }
        let (network, unit_ns) = (network?, unit_ns?);
        let mut interface = Interface::new(scale(&network, unit_ns));
        let (mut wires, mut watched) = (IdVec::new(), IdVec::new());
        for (channel, (key, _), it) in found {
            let (name, values) = (key.get_ref().to_string(), Vec::new());
            interface.signals.push(Signal { name, direction: it.direction(), values });
            wires.push(Wire { channel: channel?, values: Vec::new() });
            watched.push(it);
        }
        let wired = Wired { interface, wires, places: IdVec::new() };
        Some(Automaton { name, path: word.text, network, wired, watched })
    }

    fn network(&mut self, word: &Word, diagnostics: &mut Diagnostics) -> Option<Network> {
        (self.models)(&word.text)
            .map_err(|why| {
                let message = format!("`{}` can not be used: {why}", word.text);
                diagnostics.push(Diagnostic::error("platform::automaton", word.span, message));
            })
            .ok()
    }

    /// What a channel stands for: a variable on either side, and its value.
    fn watched(
        &self,
        (key, value): Entry<'_>,
        (inputs, outputs): (&[Line], &[Line]),
        diagnostics: &mut Diagnostics,
    ) -> Option<Watched> {
        let name = key.get_ref();
        let DeValue::Table(table) = value.get_ref() else {
            let message = format!("`{name}` must be a table, not {}", kind(value.get_ref()));
            diagnostics.push(Diagnostic::error("toml::type", span(value), message).help(HELP));
            return None;
        };
        let variable = table.iter().next().map_or("", |(key, _)| key.get_ref().as_ref());
        let has = |lines: &[Line]| lines.iter().any(|line| line.outside == variable);
        if table.len() == 1 && has(inputs) == has(outputs) {
            let message = match has(inputs) {
                true => format!("`{variable}` is monitored and controlled: which is meant?"),
                false => format!("there is no monitored or controlled variable `{variable}`"),
            };
            let names = inputs.iter().chain(outputs).map(|line| line.outside.as_str());
            let help = closest(variable, names).filter(|_| !has(inputs));
            let help = help.map(|it| format!("did you mean `{it}`?"));
            let wrong = Diagnostic::error("platform::unknown", span(value), message);
            diagnostics.push(wrong.maybe_help(help));
            return None;
        }
        if has(inputs) {
            let it = self.holds((name, value, HELP), (Side::Inputs, inputs), diagnostics);
            return it.map(|(line, value)| Watched::Set(line, value));
        }
        let it = self.holds((name, value, HELP), (Side::Outputs, outputs), diagnostics);
        it.map(|(line, value)| Watched::Seen(line, value))
    }
}

/// The channel of an event.
fn channel(
    network: &Network,
    (key, _): Entry<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<ChannelId> {
    let name = key.get_ref().as_ref();
    let found = network.channels.enumerate().find(|(_, it)| it.name == name).map(|(id, _)| id);
    if found.is_none() {
        let prefix = format!("{name}[");
        let element = network.channels.iter().find(|it| it.name.starts_with(&prefix));
        let (message, help) = match element {
            Some(it) => (
                format!("`{name}` is an array of channels"),
                Some(format!("name one of them, such as `\"{}\"`", it.name)),
            ),
            None => {
                let names = network.channels.iter().map(|it| it.name.as_str());
                let help = closest(name, names).map(|it| format!("did you mean `{it}`?"));
                (format!("the automaton has no channel `{name}`"), help)
            }
        };
        let wrong = Diagnostic::error("platform::channel", span(key), message);
        diagnostics.push(wrong.maybe_help(help));
    }
    found
}

/// Says what is wrong if nobody sends what is seen, or receives what is set.
fn direction(
    network: &Network,
    channel: ChannelId,
    (key, _): Entry<'_>,
    watched: Watched,
    diagnostics: &mut Diagnostics,
) {
    let array = |id: ChannelId| network.channels[id].name.split('[').next();
    let is_it = |sync: &Sync| match (sync, watched.direction()) {
        (Sync::Send(it), Direction::Output) | (Sync::Receive(it), Direction::Input) => {
            // An element that is chosen while the automaton runs may be this one.
            it.base == channel || (!it.indices.is_empty() && array(it.base) == array(channel))
        }
        _ => false,
    };
    let mut edges = network.processes.iter().flat_map(|process| &process.edges);
    if edges.any(|edge| is_it(&edge.sync)) {
        return;
    }
    let name = key.get_ref();
    let (message, help) = match watched.direction() {
        Direction::Input => (
            format!("`{name}` is set by the tester, and the automaton never receives it"),
            format!("write `{name}?` at its edges"),
        ),
        Direction::Output => (
            format!("`{name}` is what the system shows, and the automaton never sends it"),
            format!("write `{name}!` at its edges: they say when it may be seen"),
        ),
    };
    diagnostics.push(Diagnostic::error("platform::channel", span(key), message).help(help));
}

/// Instants are known to a microsecond, as long as constants of the automaton are no larger numbers than can be followed.
fn scale(network: &Network, unit_ns: u64) -> TimeScale {
    let mut largest = 1;
    for process in &network.processes {
        let invariants = process.locations.iter().map(|location| &location.invariant);
        let guards = process.edges.iter().map(|edge| &edge.guard);
        for constraint in invariants.chain(guards).flat_map(|condition| &condition.clocks) {
            let bound = constraint.bound.as_int().unwrap_or(1);
            largest = largest.max(u64::from(bound.unsigned_abs()));
        }
    }
    let points = (unit_ns / 1_000).clamp(1, (POINTS_MAX / largest).max(1));
    TimeScale { unit_ns, resolution: u32::try_from(points).unwrap_or(1) }
}
