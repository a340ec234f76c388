//! Suites for pytest; the file also runs by itself, without pytest.

use std::fmt::Write;

use punctual_model::{Direction, Interface, PortRole, ValueType};
use serde_json::{Map, Value as Json, json};

use super::{
    File,
    script::{Script, ScriptCase, What},
};

pub(super) const CASE: &str = include_str!("assets/case.py");
const MAIN: &str = include_str!("assets/main.py");
const RIG: &str = include_str!("assets/rig.py");
const CONFTEST: &str = include_str!("assets/conftest.py");

/// The tests, and an example of how the system is reached.
pub(super) fn files(name: &str, interface: &Interface, script: &Script) -> Vec<File> {
    let is_found = name.starts_with("test_") || name.ends_with("_test");
    let file = if is_found { format!("{name}.py") } else { format!("test_{name}.py") };
    vec![
        (file, tests(name, script)),
        ("conftest.py".to_owned(), CONFTEST.to_owned()),
        ("rig.py".to_owned(), rig(interface)),
    ]
}

fn tests(name: &str, script: &Script) -> String {
    let mut out = format!(
        "\"\"\"The cases of `{}`, for pytest; `python3` runs them, too.\n\n\
         `rig.py` says how the system is reached. Made by `punctual convert`.\n\"\"\"\n\n{CASE}",
        one_line(name).replace(['"', '\\'], "_")
    );
    for case in &script.cases {
        _ = write!(out, "\n\ndef test_{}(rig):\n", case.id);
        body(case, &mut out);
    }
    out += "\n\nCASES = [\n";
    for case in &script.cases {
        _ = writeln!(out, "    ({}, test_{}),", Json::from(case.name.as_str()), case.id);
    }
    out += "]\n";
    out + MAIN
}

fn body(case: &ScriptCase, out: &mut String) {
    _ = writeln!(out, "    # {}", one_line(&case.name));
    for step in &case.path {
        _ = writeln!(out, "    #   {}", one_line(step));
    }
    out.push_str("    case = Case(rig)\n");
    for step in &case.steps {
        let at = seconds(step.at_ns);
        let call = match &step.what {
            What::Input { name, values, .. } => {
                format!("send({at}, {}{})", text(name), listed(values))
            }
            What::Check { ports, expected, allowed, requirement, .. } => {
                let ports: Vec<Json> = ports.iter().map(|it| Json::from(it.as_str())).collect();
                let allowed: Vec<String> = allowed.iter().map(dictionary).collect();
                format!(
                    "check({at}, {}, {}, [{}]{})",
                    list(&ports),
                    dictionary(expected),
                    allowed.join(", "),
                    about(requirement.as_deref())
                )
            }
            What::Output { name, values, from_ns, to_ns, requirement, .. } => {
                let (from, to) = (seconds(*from_ns), seconds(*to_ns));
                let about = about(requirement.as_deref());
                format!("expect({from}, {to}, {}{}{about})", text(name), listed(values))
            }
            What::Step { number, inputs, outputs } => {
                format!("step({at}, {number}, {}, {})", dictionary(inputs), dictionary(outputs))
            }
        };
        _ = writeln!(out, "    case.{call}");
    }
    _ = writeln!(out, "    case.end({})", seconds(case.end_ns));
}

/// An instant in seconds, exactly.
pub(super) fn seconds(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(super) fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control() || c == '\u{2028}' || c == '\u{2029}', " ")
}

fn text(name: &str) -> String {
    Json::from(name).to_string()
}

fn listed(values: &[Json]) -> String {
    if values.is_empty() { String::new() } else { format!(", {}", list(values)) }
}

fn about(requirement: Option<&str>) -> String {
    requirement.map_or(String::new(), |name| format!(", requirement={}", text(name)))
}

fn list(values: &[Json]) -> String {
    format!("[{}]", values.iter().map(literal).collect::<Vec<_>>().join(", "))
}

fn dictionary(map: &Map<String, Json>) -> String {
    let entries = map.iter().map(|(name, value)| format!("{}: {}", text(name), literal(value)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
}

/// A value as Python writes it. Texts of JSON are texts of Python.
fn literal(value: &Json) -> String {
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Array(values) => list(values),
        Json::Object(map) => dictionary(map),
        Json::Number(_) | Json::String(_) => value.to_string(),
    }
}

/// The example of a rig, which greets the system with what is exchanged.
pub(super) fn rig(interface: &Interface) -> String {
    let hello = serde_json::to_string_pretty(&hello(interface)).unwrap_or_default();
    // There is neither truth nor nothing in it, so it is a dictionary of Python.
    RIG.replace("@HELLO@", &hello)
}

/// The first message of the protocol.
fn hello(interface: &Interface) -> Json {
    let signals = |direction: Direction| -> Vec<Json> {
        let of = interface.signals.iter().filter(|it| it.direction == direction);
        of.map(|it| {
            let names: Vec<&str> = it.values.iter().map(|it| it.name.as_str()).collect();
            let types: Vec<Json> = it.values.iter().map(|it| type_json(&it.ty)).collect();
            json!({ "name": it.name, "values": names, "types": types })
        })
        .collect()
    };
    let port = |it: &punctual_model::Port| {
        let role = match it.role {
            PortRole::Input => "input",
            PortRole::Output => "output",
            PortRole::Observed => "observed",
        };
        json!({ "name": it.name, "role": role, "type": type_json(&it.ty) })
    };
    json!({
        "protocol": 1,
        "protocols": [1, 2],
        "clock": "real",
        "unit_ns": interface.time.unit_ns,
        "inputs": signals(Direction::Input),
        "outputs": signals(Direction::Output),
        "ports": interface.ports.iter().map(port).collect::<Vec<_>>(),
    })
}

fn type_json(ty: &ValueType) -> Json {
    match ty {
        ValueType::Bool => json!({ "type": "bool" }),
        ValueType::Int { least: i64::MIN, greatest: i64::MAX } => json!({ "type": "int" }),
        ValueType::Int { least, greatest } => {
            json!({ "type": "int", "min": least, "max": greatest })
        }
        ValueType::Real => json!({ "type": "real" }),
        ValueType::Enum(names) => json!({ "type": "enum", "names": names }),
    }
}
