//! Suites as TOML.

use std::fmt::Write;

use punctual_model::{
    Action, Interface, PortId, PortRole, Value, ValueType,
    testing::suite::{About, Body, Chance, Check, Do, Probability, Suite, Table},
};

use crate::{
    testing::{
        table::{key, quoted},
        units::written,
    },
    values,
};

/// Writes a suite. Reading it gives the same, if each check expects or allows something, what checks expect is
/// among what they allow, ports are in their order, and either all steps of a table have outputs or none has.
#[must_use]
pub fn write(interface: &Interface, suite: &Suite) -> String {
    let mut out = String::new();
    for (key, file) in [("model", &suite.model), ("interface", &suite.interface)] {
        if let Some(file) = file {
            _ = writeln!(out, "{key} = {}", quoted(file));
        }
    }
    for (key, ns) in [("phase", suite.phase_ns), ("loop", suite.loop_ns)] {
        if let Some(ns) = ns {
            _ = writeln!(out, "{key} = {}", quoted(&written(ns)));
        }
    }
    for case in &suite.cases {
        let gap = if out.is_empty() { "" } else { "\n" };
        _ = writeln!(out, "{gap}[[case]]\nname = {}", quoted(&case.name));
        about(&case.about, &mut out);
        match &case.body {
            Body::Timed(all) => {
                let ending = case.chance.as_ref().and_then(|it| it.ending.as_ref());
                let (first, last) = all.split_at(ending.map_or(all.len(), |it| it.from));
                steps(interface, "steps", first, &mut out);
                if let Some(chance) = &case.chance {
                    self::chance(interface, chance, last, &mut out);
                }
            }
            Body::Steps(table) => {
                _ = writeln!(out, "period = {}", quoted(&written(table.period_ns)));
                _ = writeln!(out, "rows = {}", quoted(&rows(interface, table)));
            }
        }
    }
    out
}

fn steps(interface: &Interface, key: &str, steps: &[Do], out: &mut String) {
    if steps.is_empty() {
        _ = writeln!(out, "{key} = []");
        return;
    }
    _ = writeln!(out, "{key} = [");
    for step in steps {
        _ = writeln!(out, "    {{ {} }},", self::step(interface, step));
    }
    out.push_str("]\n");
}

/// How often a case should show what it expects, and its ending.
fn chance(interface: &Interface, chance: &Chance, ending: &[Do], out: &mut String) {
    let probability = |it: &Probability| match &it.exact {
        Some(exact) => quoted(exact),
        None => format!("[{:?}, {:?}]", it.least, it.greatest),
    };
    _ = writeln!(out, "probability = {}", probability(&chance.outputs));
    if let Some(it) = &chance.ending {
        _ = writeln!(out, "proves = {}", quoted(&it.proves));
        steps(interface, "ending", ending, out);
        _ = writeln!(out, "joint = {}", probability(&it.joint));
    }
    if !chance.note.is_empty() {
        _ = writeln!(out, "note = {}", quoted(&chance.note));
    }
    if chance.independent > 0 {
        _ = writeln!(out, "independent = {}", chance.independent);
    }
}

/// Where a case comes from: a line for each step of its path, if there are several.
fn about(about: &About, out: &mut String) {
    for (key, texts) in [("path", &about.path), ("ends", &about.ends_in)] {
        let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
        match &texts[..] {
            [] => {}
            [text] => _ = writeln!(out, "{key} = [{text}]"),
            texts => _ = writeln!(out, "{key} = [\n    {},\n]", texts.join(",\n    ")),
        }
    }
    if about.is_uncertain {
        out.push_str("uncertain = true\n");
    }
}

fn step(interface: &Interface, step: &Do) -> String {
    let requirement = |name: &Option<String>| match name {
        Some(name) => format!(", requirement = {}", quoted(name)),
        None => String::new(),
    };
    match step {
        Do::Send(action) => format!("input = {}", self::action(interface, action)),
        Do::Expect(expect) => {
            let (from, to) = (quoted(&written(expect.from_ns)), quoted(&written(expect.to_ns)));
            let action = self::action(interface, &expect.action);
            let requirement = requirement(&expect.requirement);
            format!("output = {action}, within = [{from}, {to}]{requirement}")
        }
        Do::Wait(ns) => format!("wait = {}", quoted(&written(*ns))),
        Do::Check(Check { expected, allowed, requirement: name }) => {
            let check = format!("check = {}", ports(interface, expected));
            let requirement = requirement(name);
            if allowed.is_empty() {
                return format!("{check}{requirement}");
            }
            // What is expected need not be listed where reading would put it.
            let listed = match allowed.split_first() {
                Some((first, rest)) if first == expected && !rest.contains(expected) => rest,
                _ => &allowed[..],
            };
            let listed: Vec<String> = listed.iter().map(|it| ports(interface, it)).collect();
            format!("{check}, allowed = [{}]{requirement}", listed.join(", "))
        }
    }
}

/// The name of a signal in quotes, and its values.
fn action(interface: &Interface, action: &Action) -> String {
    let signal = &interface.signals[action.signal];
    let name = quoted(&signal.name);
    if action.values.is_empty() {
        return name;
    }
    let values = signal.values.iter().zip(&action.values);
    let values: Vec<String> =
        values.map(|(carried, value)| self::value(&carried.ty, *value)).collect();
    format!("{name}, values = [{}]", values.join(", "))
}

fn ports(interface: &Interface, values: &[(PortId, Value)]) -> String {
    let entry = |(port, value): &(PortId, Value)| {
        let port = &interface.ports[*port];
        format!("{} = {}", key(&port.name), self::value(&port.ty, *value))
    };
    let entries: Vec<String> = values.iter().map(entry).collect();
    if entries.is_empty() {
        return "{}".to_owned();
    }
    format!("{{ {} }}", entries.join(", "))
}

/// Numbers and truth as such, the rest in quotes.
fn value(ty: &ValueType, value: Value) -> String {
    let text = values::text(ty, value);
    match value {
        Value::Bool(_) | Value::Int(_) => text,
        Value::Real(_) if !text.contains('/') => text,
        Value::Real(_) | Value::Enum(_) => quoted(&text),
    }
}

/// A table of steps as CSV.
fn rows(interface: &Interface, table: &Table) -> String {
    let has_outputs = table.steps.iter().any(|step| !step.outputs.is_empty());
    let inputs = interface.ports_with(PortRole::Input);
    let outputs = interface.ports_with(PortRole::Output).filter(|_| has_outputs);
    let ports: Vec<PortId> = inputs.chain(outputs).collect();
    let names: Vec<String> = ports.iter().map(|port| cell(&interface.ports[*port].name)).collect();
    let mut out = names.join(",");
    out.push('\n');
    for step in &table.steps {
        let values = ports.iter().zip(step.inputs.iter().chain(&step.outputs));
        let text = |(port, value): (&PortId, &Value)| {
            cell(&values::text(&interface.ports[*port].ty, *value))
        };
        let cells: Vec<String> = values.map(text).collect();
        out += &cells.join(",");
        out.push('\n');
    }
    out
}

/// A cell, in quotes if it needs them.
pub(super) fn cell(text: &str) -> String {
    let is_plain = |c: char| !matches!(c, ',' | ';' | '\t' | '"' | '\n' | '\r' | '#');
    match !text.is_empty() && text.trim() == text && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("\"{}\"", text.replace('"', "\"\"")),
    }
}
