//! What the script of a page draws, as JSON. Lists of numbers, so that it stays small.

use std::collections::HashMap;

use punctual_campaign::store::{Cause, Direction, Line, Record, Verdict, What};
use serde_json::{Map, Value, json};

use crate::runs::ports::Ports;
use crate::runs::shades::shades;
use crate::runs::words;
use crate::text::one_line;

/// The data, safe inside of a script element.
pub(super) fn json(record: &Record, ports: &Ports<'_>) -> String {
    // In JSON, `<` occurs inside of texts only.
    data(record, ports).to_string().replace('<', "\\u003c")
}

fn data(record: &Record, ports: &Ports<'_>) -> Value {
    let mut lanes = Lanes::new(record);
    let (mut from, mut to, mut lane, mut values) = (vec![], vec![], vec![], vec![]);
    let (mut at, mut system, mut environment) = (vec![], vec![], vec![]);
    let (mut index_of_set, mut restarts, mut notes) = (vec![], vec![], vec![]);
    let (mut now, mut n_steps) = (0, 0_u64);
    for line in &record.lines {
        now = line.instant().unwrap_or(now);
        match line {
            Line::Event(event) => {
                from.push(event.from_ns);
                to.push(event.to_ns);
                index_of_set.push(at.len());
                let (of, carried) = match &event.what {
                    What::Signal { direction, name, values } => {
                        (lanes.of(name, *direction), values.clone())
                    }
                    What::Step { .. } => {
                        n_steps += 1;
                        (lanes.special("step"), vec![json!(n_steps - 1)])
                    }
                    What::Set(ports) => (lanes.special("set"), named(ports)),
                    What::Reading(ports) => (lanes.special("read"), named(ports)),
                };
                lane.push(of);
                values.push(if carried.is_empty() { json!(0) } else { json!(carried) });
            }
            Line::Restart(at) => {
                n_steps = 0;
                restarts.push(*at);
            }
            Line::Note(text) => notes.push(json!([now, one_line(text)])),
            _ => {}
        }
        if let Line::Event(punctual_campaign::store::Event { sets, to_ns, .. })
        | Line::Delay(punctual_campaign::store::Delay { sets, to_ns }) = line
        {
            at.push(*to_ns);
            system.push(sets.system);
            environment.push(sets.environment);
        }
    }
    let windows = windows(record, &mut lanes);
    let failure = failure(record, &mut lanes, ports, from.len());
    json!({
        "unit": record.header.unit_ns.max(1),
        "end": record.last_ns(),
        "lanes": lanes.list,
        "events": {"from": from, "to": to, "lane": lane, "values": values, "set": index_of_set},
        "sets": {"at": at, "system": system, "environment": environment},
        "windows": windows,
        "ports": ports.waves.iter().map(super::waves::port).collect::<Vec<Value>>(),
        "judged": super::waves::judged(record, ports),
        "restarts": restarts,
        "notes": notes,
        "failure": failure,
    })
}

/// Ports with their values, each as a text.
fn named(ports: &Map<String, Value>) -> Vec<Value> {
    let text = |(name, value): (&String, &Value)| {
        json!(one_line(&format!("{name} = {}", words::value(value))))
    };
    ports.iter().map(text).collect()
}

/// Windows in the order of their beginnings. An end of -1 is none.
fn windows(record: &Record, lanes: &mut Lanes) -> Value {
    let mut all = shades(record);
    all.sort_by_key(|shade| shade.window.from_ns);
    let (mut from, mut to, mut lane) = (vec![], vec![], vec![]);
    let (mut open, mut values, mut known, mut whole) = (vec![], vec![], vec![], vec![]);
    let end = |to: Option<u64>| to.map_or(json!(-1), |to| json!(to));
    for shade in all {
        let window = shade.window;
        from.push(window.from_ns);
        to.push(end(shade.to_ns));
        whole.push(end(window.to_ns));
        lane.push(lanes.of(&window.signal, Direction::Output));
        open.push(u8::from(window.from_open) + 2 * u8::from(window.to_open));
        let carried = window.values.as_ref().filter(|values| !values.is_empty());
        values.push(carried.map_or(json!(0), |values| json!(values)));
        known.push(window.as_of_ns);
    }
    json!({
        "from": from, "to": to, "whole": whole, "lane": lane, "open": open, "values": values,
        "known": known,
    })
}

/// Where the run went wrong: an instant, and the event or the lane that is to blame.
fn failure(record: &Record, lanes: &mut Lanes, ports: &Ports<'_>, n_events: usize) -> Value {
    let Some(end) = record.end.as_ref().filter(|end| end.verdict != Verdict::Pass) else {
        return Value::Null;
    };
    let kind = end.diagnosis.as_ref().map_or(Cause::Other, |diagnosis| diagnosis.kind);
    let word = match kind {
        Cause::Other => words::verdict(Some(end.verdict)).to_owned(),
        kind => kind.to_string(),
    };
    let numbered = end.diagnosis.as_ref().and_then(|it| words::number_of(&it.at));
    if let Some((is_step, number)) = numbered {
        let judged = record.lines.iter().find_map(|line| match line {
            Line::Judged(it) if it.judged == number => Some(it.at_ns),
            _ => None,
        });
        let step = ports.step(number).filter(|_| is_step).map(|(from, _)| from);
        let at = step.or(judged).unwrap_or(end.at_ns);
        let event =
            record.events().position(|event| event.from_ns == at && event.signal().is_none());
        return json!({"at": at, "event": event, "lane": null, "word": word});
    }
    // The event that was seen last is the one that was judged, unless something did not come.
    let seen = end.diagnosis.as_ref().map_or("", |diagnosis| diagnosis.seen.as_str());
    let name = seen.trim_end_matches(['!', '?']);
    let is_seen = |signal: &str| name == signal || name.split('(').next() == Some(signal);
    let last = record.events().last().and_then(|event| {
        let (direction, name, _) = event.signal()?;
        is_seen(name).then_some((event, name, direction))
    });
    let guilty = end.diagnosis.iter().flat_map(|diagnosis| &diagnosis.guilty);
    let allowed = end.diagnosis.iter().flat_map(|diagnosis| &diagnosis.allowed);
    let mut missing = guilty.chain(allowed.map(|allowed| &allowed.signal));
    let lane = match (last, kind) {
        (_, Cause::Missing) => missing.next().map(|name| lanes.of(name, Direction::Output)),
        (Some((_, name, direction)), _) => Some(lanes.of(name, direction)),
        _ => None,
    };
    json!({
        "at": last.map_or(end.at_ns, |(event, ..)| event.to_ns),
        "event": last.and_then(|_| n_events.checked_sub(1)),
        "lane": lane,
        "word": word,
    })
}

/// The lanes of the timeline: the signals of the interface, and whatever else occurs.
struct Lanes {
    list: Vec<Value>,
    known: HashMap<(String, Option<Direction>), usize>,
}

impl Lanes {
    fn new(record: &Record) -> Self {
        let mut lanes = Self { list: Vec::new(), known: HashMap::new() };
        for wanted in [Direction::Input, Direction::Output] {
            for signal in record.header.signals.iter().filter(|it| it.direction == wanted) {
                let names: Vec<String> = signal.values.iter().map(|name| one_line(name)).collect();
                lanes.add(&signal.name, wanted, names);
            }
        }
        lanes
    }

    fn of(&mut self, signal: &str, direction: Direction) -> usize {
        match self.known.get(&(signal.to_owned(), Some(direction))) {
            Some(index) => *index,
            None => self.add(signal, direction, Vec::new()),
        }
    }

    /// The lane for what is done to ports.
    fn special(&mut self, kind: &'static str) -> usize {
        // Signals have a direction, so the key is free.
        let key = (kind.to_owned(), None);
        if let Some(index) = self.known.get(&key) {
            return *index;
        }
        let index = self.list.len();
        self.known.insert(key, index);
        self.list.push(json!({
            "name": kind, "input": kind != "read", "values": [], "kind": kind,
        }));
        index
    }

    fn add(&mut self, signal: &str, direction: Direction, values: Vec<String>) -> usize {
        let index = self.list.len();
        self.known.insert((signal.to_owned(), Some(direction)), index);
        self.list.push(json!({
            "name": one_line(signal),
            "input": direction == Direction::Input,
            "values": values,
        }));
        index
    }
}
