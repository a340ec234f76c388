//! A run as a value change dump, for wave viewers.
//!
//! Each signal is an event variable; the values it carries are integers; for each output a wire
//! `….allowed` is 1 while it was allowed. The sizes of the state sets are integers, and the verdict
//! is a text (an extension that GTKWave and others read). The time of the dump is in nanoseconds.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use punctual_campaign::store::{Direction, Line, Record, Sets};

use crate::text::one_line;

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
    let mut signals: Vec<(&str, Direction, Vec<&str>)> = Vec::new();
    for signal in &record.header.signals {
        let values = signal.values.iter().map(String::as_str).collect();
        signals.push((&signal.name, signal.direction, values));
    }
    // What the interface does not know may have been sent all the same.
    for event in record.events() {
        let key = (event.signal.as_str(), event.direction);
        if !signals.iter().any(|(name, direction, _)| (*name, *direction) == key) {
            signals.push((key.0, key.1, Vec::new()));
        }
    }
    let mut lanes = BTreeMap::new();
    for (scope, wanted) in [("inputs", Direction::Input), ("outputs", Direction::Output)] {
        let _ = writeln!(out, "$scope module {scope} $end");
        for (name, direction, values) in signals.iter().filter(|(_, it, _)| *it == wanted) {
            let event = dump.variable(&mut out, "event", 1, name);
            let values: Vec<String> = values
                .iter()
                .map(|value| dump.variable(&mut out, "integer", 32, &format!("{name}.{value}")))
                .collect();
            let allowed = (*direction == Direction::Output)
                .then(|| dump.variable(&mut out, "wire", 1, &format!("{name}.allowed")));
            lanes.insert((*name, *direction), Lane { event, values, allowed });
        }
        let _ = writeln!(out, "$upscope $end");
    }
    let system = dump.variable(&mut out, "integer", 32, "states_system");
    let environment = dump.variable(&mut out, "integer", 32, "states_environment");
    let restart = dump.variable(&mut out, "event", 1, "restart");
    let verdict = dump.variable(&mut out, "string", 1, "verdict");
    let _ = writeln!(out, "$upscope $end\n$enddefinitions $end");

    let sets = |dump: &mut Dump, at: u64, sets: Sets| {
        dump.add(at, binary(sets.system.into(), &system));
        dump.add(at, binary(sets.environment.into(), &environment));
    };
    for lane in lanes.values() {
        lane.values.iter().for_each(|id| dump.add(0, format!("bx {id}")));
        lane.allowed.iter().for_each(|id| dump.add(0, format!("0{id}")));
    }
    dump.add(0, format!("srunning {verdict}"));
    for line in &record.lines {
        match line {
            Line::Event(event) => {
                let at = event.from_ns;
                if let Some(lane) = lanes.get(&(event.signal.as_str(), event.direction)) {
                    dump.add(at, format!("1{}", lane.event));
                    for (id, value) in lane.values.iter().zip(&event.values) {
                        dump.add(at, binary(i128::from(*value), id));
                    }
                }
                sets(&mut dump, at, event.sets);
            }
            Line::Delay(delay) => sets(&mut dump, delay.to_ns, delay.sets),
            Line::Restart(at) => dump.add(*at, format!("1{restart}")),
            _ => {}
        }
    }
    windows(&mut dump, record, &lanes);
    let last = record.last_ns();
    if let Some(end) = &record.end {
        dump.add(end.at_ns, format!("s{} {verdict}", words::verdict(Some(end.verdict))));
    }
    dump.finish(&mut out, last);
    out
}

/// The variables of a signal.
struct Lane {
    event: String,
    values: Vec<String>,
    allowed: Option<String>,
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

/// Changes, to be put in the order of their instants.
#[derive(Default)]
struct Dump {
    n_variables: usize,
    names: Vec<String>,
    changes: Vec<(u64, String)>,
}

impl Dump {
    /// Declares a variable, and gives its identifier.
    fn variable(&mut self, out: &mut String, kind: &str, n_bits: u32, name: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_.$".contains(c) { c } else { '_' };
        let mut name: String = name.chars().map(plain).collect();
        // `stop[3].allowed` becomes `stop_3.allowed`.
        while name.contains("_.") {
            name = name.replace("_.", ".");
        }
        while name.ends_with('_') && name.len() > 1 {
            name.pop();
        }
        // A dollar sign would begin a keyword.
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, '_');
        }
        while self.names.contains(&name) {
            name.push('x');
        }
        self.names.push(name.clone());
        let mut id = String::new();
        let mut number = self.n_variables;
        loop {
            // Identifiers are of the printable characters `!` to `~`.
            id.push(char::from(b'!' + (number % 94) as u8));
            number /= 94;
            if number == 0 {
                break;
            }
        }
        self.n_variables += 1;
        let _ = writeln!(out, "$var {kind} {n_bits} {id} {name} $end");
        id
    }

    fn add(&mut self, at_ns: u64, change: String) {
        self.changes.push((at_ns, change));
    }

    fn interval(&mut self, interval: Option<(u64, Option<u64>)>, id: &str) {
        let Some((from, to)) = interval else { return };
        self.add(from, format!("1{id}"));
        if let Some(to) = to {
            // An instant is an interval too, and must be seen.
            self.add(to.max(from.saturating_add(1)), format!("0{id}"));
        }
    }

    fn finish(mut self, out: &mut String, last_ns: u64) {
        self.changes.sort_by_key(|(at, _)| *at);
        let mut now = None;
        // A number that stays the same is not written again; an event is.
        let mut numbers: BTreeMap<&str, &str> = BTreeMap::new();
        for (at, change) in &self.changes {
            if let Some((value, id)) = change.split_once(' ')
                && numbers.insert(id, value) == Some(value)
            {
                continue;
            }
            if now != Some(*at) {
                let _ = writeln!(out, "#{at}");
                now = Some(*at);
            }
            out.push_str(change);
            out.push('\n');
        }
        if now.is_none_or(|now| now < last_ns) {
            let _ = writeln!(out, "#{last_ns}");
        }
    }
}
