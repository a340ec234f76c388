//! A run as a value change dump, for wave viewers.
//!
//! Each signal is an event variable, and the values it carries are variables beside it; for each output
//! a wire `….allowed` is 1 while it was allowed. Each port is a variable of its type; `….steered` is
//! the value of an input that explains the system, `….model` the value that the model has instead of
//! the system's, `….read` what was read. The sizes of the state sets are integers, and the verdict
//! is a text (an extension that GTKWave and others read). The time of the dump is in nanoseconds.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use punctual_campaign::store::{Direction, Line, Record, Sets, What};
use punctual_campaign::summary::number;
use serde_json::Value;

use crate::waves::{Kind, Sample, change};
use crate::{dump::Dump, text::one_line};

use super::ports::{self, Ports, Wave};
use super::shades::shades;
use super::words;

/// The dump.
#[must_use]
pub fn vcd(record: &Record) -> String {
    let mut dump = Dump::default();
    let mut out = String::new();
    let started = one_line(&record.header.started).replace('$', "");
    let tool = one_line(&record.header.tool).replace('$', "");
    let _ = writeln!(out, "$date {started} $end\n$version {tool} $end\n$timescale 1 ns $end");
    let _ = writeln!(out, "$scope module test $end");
    let signals = signals(record);
    let ports = Ports::of(record);
    let mut lanes = BTreeMap::new();
    let mut shown = Vec::new();
    for (scope, wanted) in [
        ("inputs", Some(Direction::Input)),
        ("outputs", Some(Direction::Output)),
        ("observed", None),
    ] {
        let role = scope.trim_end_matches('s');
        let mut waves = ports.waves.iter().filter(|wave| wave.role == role).peekable();
        if wanted.is_none() && waves.peek().is_none() {
            continue;
        }
        let _ = writeln!(out, "$scope module {scope} $end");
        for signal in signals.iter().filter(|it| Some(it.direction) == wanted) {
            lanes.insert((signal.name, signal.direction), Lane::new(&mut dump, &mut out, signal));
        }
        shown.extend(waves.map(|wave| Shown::new(&mut dump, &mut out, wave)));
        let _ = writeln!(out, "$upscope $end");
    }
    let system = dump.variable(&mut out, "integer", 32, "states_system");
    let environment = dump.variable(&mut out, "integer", 32, "states_environment");
    // What is done to ports happens at instants, too.
    let mut happenings = BTreeMap::new();
    for name in record.events().filter_map(|event| happening(&event.what)) {
        let declare = || dump.variable(&mut out, "event", 1, name);
        happenings.entry(name).or_insert_with(declare);
    }
    let restart = dump.variable(&mut out, "event", 1, "restart");
    let verdict = dump.variable(&mut out, "string", 1, "verdict");
    let _ = writeln!(out, "$upscope $end\n$enddefinitions $end");

    let sets = |dump: &mut Dump, at: u64, sets: Sets| {
        dump.add(at, binary(sets.system.into(), &system));
        dump.add(at, binary(sets.environment.into(), &environment));
    };
    for lane in lanes.values() {
        let integers = lane.values.iter().filter(|(kind, _)| *kind == Kind::Integer);
        integers.for_each(|(_, id)| dump.add(0, format!("bx {id}")));
        lane.allowed.iter().for_each(|id| dump.add(0, format!("0{id}")));
    }
    dump.add(0, format!("srunning {verdict}"));
    for line in &record.lines {
        match line {
            Line::Event(event) => {
                let at = event.from_ns;
                if let Some((direction, name, values)) = event.signal()
                    && let Some(lane) = lanes.get(&(name, direction))
                {
                    dump.add(at, format!("1{}", lane.event));
                    for ((kind, id), value) in lane.values.iter().zip(values) {
                        sample(*kind, value).iter().for_each(|it| dump.add(at, change(it, id)));
                    }
                }
                if let Some(id) = happening(&event.what).and_then(|name| happenings.get(name)) {
                    dump.add(at, format!("1{id}"));
                }
                sets(&mut dump, at, event.sets);
            }
            Line::Delay(delay) => sets(&mut dump, delay.to_ns, delay.sets),
            Line::Restart(at) => dump.add(*at, format!("1{restart}")),
            _ => {}
        }
    }
    shown.iter().for_each(|shown| shown.add(&mut dump));
    windows(&mut dump, record, &lanes);
    let last = record.last_ns();
    if let Some(end) = &record.end {
        dump.add(end.at_ns, format!("s{} {verdict}", words::verdict(Some(end.verdict))));
    }
    dump.finish(&mut out, last);
    out
}

/// The name of the event variable for what is done to ports.
fn happening(what: &What) -> Option<&'static str> {
    match what {
        What::Signal { .. } => None,
        What::Set(_) => Some("set"),
        What::Step { .. } => Some("step"),
        What::Reading(_) => Some("reading"),
    }
}

/// A signal, and what the values are that it carries.
struct Signal<'r> {
    name: &'r str,
    direction: Direction,
    values: Vec<(&'r str, Kind)>,
}

/// The signals of the header, and whatever else was sent.
fn signals(record: &Record) -> Vec<Signal<'_>> {
    let mut signals: Vec<Signal<'_>> = Vec::new();
    let mut known: BTreeMap<(&str, Direction), usize> = BTreeMap::new();
    for signal in &record.header.signals {
        known.entry((&signal.name, signal.direction)).or_insert(signals.len());
        let values = signal.values.iter().map(|name| (name.as_str(), Kind::Integer)).collect();
        signals.push(Signal { name: &signal.name, direction: signal.direction, values });
    }
    for event in record.events() {
        let Some((direction, name, values)) = event.signal() else { continue };
        let at = *known.entry((name, direction)).or_insert(signals.len());
        if at == signals.len() {
            signals.push(Signal { name, direction, values: Vec::new() });
        }
        // The header does not say of what type values are.
        for ((_, kind), value) in signals[at].values.iter_mut().zip(values) {
            *kind = match (*kind, value) {
                (Kind::Text, _) => Kind::Text,
                (_, Value::String(_)) if number(value).is_none() => Kind::Text,
                (Kind::Real, _) => Kind::Real,
                (_, Value::Number(number)) if number.as_i64().is_none() => Kind::Real,
                (_, Value::String(_)) => Kind::Real,
                (kind, _) => kind,
            };
        }
    }
    signals
}

/// The variables of a signal.
struct Lane {
    event: String,
    values: Vec<(Kind, String)>,
    allowed: Option<String>,
}

impl Lane {
    fn new(dump: &mut Dump, out: &mut String, signal: &Signal<'_>) -> Self {
        let name = signal.name;
        let event = dump.variable(out, "event", 1, name);
        let mut variable = |(value, kind): &(&str, Kind)| {
            let (word, n_bits) = kind.declared();
            (*kind, dump.variable(out, word, n_bits, &format!("{name}.{value}")))
        };
        let values = signal.values.iter().map(&mut variable).collect();
        let allowed = (signal.direction == Direction::Output)
            .then(|| dump.variable(out, "wire", 1, &format!("{name}.allowed")));
        Self { event, values, allowed }
    }
}

/// The variables of a port.
struct Shown<'r> {
    wave: &'r Wave<'r>,
    kind: Kind,
    value: Option<String>,
    other: Option<String>,
    read: Option<String>,
}

impl<'r> Shown<'r> {
    fn new(dump: &mut Dump, out: &mut String, wave: &'r Wave<'r>) -> Self {
        let kind = match &wave.kind {
            ports::Kind::Truth => Kind::Truth,
            ports::Kind::Integer => Kind::Integer,
            ports::Kind::Real => Kind::Real,
            ports::Kind::Member(_) => Kind::Text,
        };
        let (word, n_bits) = kind.declared();
        let mut variable = |is_there: bool, suffix: &str| {
            let name = format!("{}{suffix}", wave.name);
            is_there.then(|| dump.variable(out, word, n_bits, &name))
        };
        let is_read = !wave.readings.is_empty();
        let is_only_read = is_read && wave.values.is_empty();
        Self {
            kind,
            value: variable(!is_only_read, ""),
            other: variable(
                !wave.others.is_empty(),
                if wave.is_input() { ".steered" } else { ".model" },
            ),
            read: variable(is_read, if is_only_read { "" } else { ".read" }),
            wave,
        }
    }

    fn add(&self, dump: &mut Dump) {
        let list = |dump: &mut Dump, id: &Option<String>, values: &[(u64, &Value)]| {
            let Some(id) = id else { return };
            for (at, value) in values {
                sample(self.kind, value).iter().for_each(|it| dump.add(*at, change(it, id)));
            }
        };
        list(dump, &self.value, &self.wave.values);
        list(dump, &self.read, &self.wave.readings);
        list(dump, &self.other, &self.others());
    }

    /// The values in the model over the whole run: where nothing else is said, those of the system.
    fn others(&self) -> Vec<(u64, &Value)> {
        let wave = self.wave;
        let other_at = |at: u64| {
            let next = wave.others.partition_point(|it| it.from_ns <= at);
            let other = wave.others.get(next.checked_sub(1)?).filter(|it| at < it.to_ns)?;
            Some(wave.in_model(other))
        };
        let ends = wave.others.iter().flat_map(|it| [it.from_ns, it.to_ns]);
        let mut instants: Vec<u64> = wave.values.iter().map(|(at, _)| *at).chain(ends).collect();
        instants.sort_unstable();
        instants.dedup();
        let value = |at: u64| Some((at, other_at(at).or_else(|| wave.at(at))?));
        instants.into_iter().filter_map(value).collect()
    }
}

/// A value of a record as one of a dump; nothing if it is not of the type.
fn sample(kind: Kind, value: &Value) -> Option<Sample> {
    match kind {
        Kind::Truth => {
            let truth = value.as_bool().or_else(|| number(value).map(|number| number != 0.0));
            truth.map(Sample::Truth)
        }
        Kind::Integer => {
            let whole = value.as_i64().or(value.as_bool().map(i64::from));
            whole.or_else(|| number(value).map(|it| it as i64)).map(Sample::Integer)
        }
        Kind::Real => number(value).map(Sample::Real),
        Kind::Text => {
            let text = one_line(&words::value(value));
            Some(Sample::Text(if text.is_empty() { "_".to_owned() } else { text }))
        }
    }
}
/// When outputs were allowed: the union of their windows.
fn windows(dump: &mut Dump, record: &Record, lanes: &BTreeMap<(&str, Direction), Lane>) {
    let mut intervals: BTreeMap<&str, Vec<(u64, Option<u64>)>> = BTreeMap::new();
    for shade in shades(record) {
        let of = intervals.entry(&shade.window.signal).or_default();
        of.push((shade.window.from_ns, shade.to_ns));
    }
    for (signal, mut intervals) in intervals {
        let lane = lanes.get(&(signal, Direction::Output));
        let Some(id) = lane.and_then(|lane| lane.allowed.as_ref()) else { continue };
        intervals.sort_unstable();
        let mut open: Option<(u64, Option<u64>)> = None;
        for (from, to) in intervals {
            match &mut open {
                Some((_, None)) => break,
                Some((_, Some(end))) if from <= *end => {
                    let later = to.map(|to| to.max(*end));
                    open = open.map(|(from, _)| (from, later));
                }
                _ => {
                    dump.interval(open, id);
                    open = Some((from, to));
                }
            }
        }
        dump.interval(open, id);
    }
}

fn binary(value: i128, id: &str) -> String {
    // Integers have 32 bits, in two's complement.
    let bits = (value.clamp(i128::from(i32::MIN), i128::from(u32::MAX)) as u64) & 0xffff_ffff;
    format!("b{bits:b} {id}")
}
