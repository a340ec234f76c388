//! A run as a value change dump, for wave viewers.
//!
//! Each signal is an event variable; the values it carries are integers; for each output a wire
//! `….allowed` is 1 while it was allowed. The sizes of the state sets are integers, and the verdict
//! is a text (an extension that GTKWave and others read). The time of the dump is in nanoseconds.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use punctual_campaign::store::{Direction, Line, Record, Sets};

use crate::{dump::Dump, text::one_line};

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
        let Some((direction, name, _)) = event.signal() else { continue };
        let key = (name, direction);
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
                if let Some((direction, name, values)) = event.signal()
                    && let Some(lane) = lanes.get(&(name, direction))
                {
                    dump.add(at, format!("1{}", lane.event));
                    for (id, value) in lane.values.iter().zip(values) {
                        let number = value.as_i64().or(value.as_bool().map(i64::from));
                        dump.add(at, binary(i128::from(number.unwrap_or(0)), id));
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
