//! The messages of the JSON-lines protocol, from the tester's side: one object on each line.
//!
//! Version 2 has typed values, ports that are set, stepped and read, and time stamps of devices. A system
//! that answers hello without a version speaks version 1: integers of 32 bits, and signals only.
//!
//! `dialogue` has the rules of who says what when; the guide (`docs/guide/adapters.md`) has both for
//! those who write a system.

use punctual_lang::values;
use punctual_model::{
    Action, Carried, Direction, Port, PortRole, Signal, Value as Datum, ValueType,
};
use serde_json::{Map, Value, json};

use crate::{SutError, Timekeeping, error::shortened, signals::Signals};

/// The versions of the protocol that are spoken.
const PROTOCOLS: [u64; 2] = [1, 2];

/// What a system can do beside taking inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Can {
    /// Whether version 2 is spoken, and so values have types.
    pub(crate) typed: bool,
    pub(crate) set: bool,
    pub(crate) step: bool,
    pub(crate) read: bool,
}

/// A message of a system.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Message {
    /// It is in its initial state, after hello (0) or a reset (its number).
    Ready(u64, Can),
    /// It took an input, on the virtual clock.
    Done(u64),
    /// It did something; on the virtual clock it says when.
    Output { name: String, values: Vec<Value>, at_ns: Option<u64> },
    /// It took a step: its outputs, its inputs as it saw them, and the number of the step if it was asked
    /// for.
    Stepped {
        outputs: Map<String, Value>,
        inputs: Option<Map<String, Value>>,
        number: Option<u64>,
        at_ns: Option<u64>,
    },
    /// The ports that were read.
    Values { values: Map<String, Value>, at_ns: Option<u64> },
    /// Nothing happened up to this instant of the virtual clock.
    Quiet(u64),
    /// It can not go on.
    Error(String),
    /// Something for people.
    Log(String),
}

/// The keys that tell what a message is. `values` is one only if nothing else is.
const KINDS: [&str; 7] = ["ready", "done", "output", "stepped", "quiet", "error", "log"];

impl Message {
    /// Reads a line.
    pub(crate) fn parse(line: &str) -> Result<Self, SutError> {
        let malformed = |reason: String| SutError::Malformed { line: shortened(line), reason };
        let value: Value = serde_json::from_str(line)
            .map_err(|error| malformed(format!("not a JSON object on one line ({error})")))?;
        let Value::Object(fields) = value else {
            return Err(malformed("not a JSON object".into()));
        };
        Self::of_fields(fields).map_err(malformed)
    }

    fn of_fields(mut fields: Map<String, Value>) -> Result<Self, String> {
        let mut kinds = KINDS.iter().filter(|kind| fields.contains_key(**kind));
        let (kind, more) = (kinds.next(), kinds.next());
        let kind = match kind {
            Some(kind) => *kind,
            None if fields.contains_key("values") => "values",
            None => return Err(format!("none of the messages {}, values", KINDS.join(", "))),
        };
        if let Some(more) = more {
            return Err(format!("`{kind}` and `{more}` in one message"));
        }
        let what = fields.remove(kind).unwrap_or_default();
        let whole = |value: &Value, kind: &str| {
            value.as_u64().ok_or_else(|| format!("`{kind}` must be a whole number, not {value}"))
        };
        let number = |fields: &Map<String, Value>, key: &str| {
            fields.get(key).map(|value| whole(value, key)).transpose()
        };
        let object = |value: Value, kind: &str| match value {
            Value::Object(fields) => Ok(fields),
            other => Err(format!("`{kind}` must be an object of names and values, not {other}")),
        };
        let text = |value: Value| match value {
            Value::String(text) => Ok(text),
            _ => Err(format!("`{kind}` must be a text")),
        };
        Ok(match kind {
            "ready" => Self::Ready(whole(&what, kind)?, can(&fields)?),
            "done" => Self::Done(whole(&what, kind)?),
            "quiet" => Self::Quiet(whole(&what, kind)?),
            "error" => Self::Error(text(what)?),
            "log" => Self::Log(text(what)?),
            "stepped" => Self::Stepped {
                outputs: object(what, kind)?,
                inputs: fields.remove("inputs").map(|it| object(it, "inputs")).transpose()?,
                number: number(&fields, "step")?,
                at_ns: number(&fields, "at")?,
            },
            "values" => Self::Values { values: object(what, kind)?, at_ns: number(&fields, "at")? },
            _ => Self::Output {
                name: text(what)?,
                values: match fields.remove("values") {
                    None => Vec::new(),
                    Some(Value::Array(values)) => values,
                    Some(_) => return Err("`values` must be a list".into()),
                },
                at_ns: number(&fields, "at")?,
            },
        })
    }
}

/// What the answer to hello says that a system can do.
fn can(fields: &Map<String, Value>) -> Result<Can, String> {
    match fields.get("protocol").map(Value::as_u64) {
        None | Some(Some(1)) => return Ok(Can::default()),
        Some(Some(version)) if PROTOCOLS.contains(&version) => {}
        Some(_) => return Err(format!("`protocol` must be one of {PROTOCOLS:?}")),
    }
    let listed = match fields.get("can") {
        None => &Vec::new(),
        Some(Value::Array(listed)) => listed,
        Some(_) => return Err("`can` must be a list of words".into()),
    };
    let has = |word: &str| listed.iter().any(|it| it.as_str() == Some(word));
    Ok(Can { typed: true, set: has("set"), step: has("step"), read: has("read") })
}

fn type_json(ty: &ValueType) -> Value {
    match ty {
        ValueType::Bool => json!({"type": "bool"}),
        ValueType::Int { least: i64::MIN, greatest: i64::MAX } => json!({"type": "int"}),
        ValueType::Int { least, greatest } => json!({"type": "int", "min": least, "max": greatest}),
        ValueType::Real => json!({"type": "real"}),
        ValueType::Enum(names) => json!({"type": "enum", "names": names}),
    }
}

/// The first message.
pub(crate) fn hello(signals: &Signals, timekeeping: Timekeeping) -> String {
    let signal = |signal: &Signal| {
        let values: Vec<_> = signal.values.iter().map(|carried| &*carried.name).collect();
        let types: Vec<_> = signal.values.iter().map(|carried| type_json(&carried.ty)).collect();
        json!({"name": signal.name, "values": values, "types": types})
    };
    let with = |direction| signals.with(direction).map(signal).collect::<Vec<_>>();
    let clock = match timekeeping {
        Timekeeping::Real => "real",
        Timekeeping::Virtual => "virtual",
    };
    let port = |port: &Port| {
        let role = match port.role {
            PortRole::Input => "input",
            PortRole::Output => "output",
            PortRole::Observed => "observed",
        };
        json!({"name": port.name, "role": role, "type": type_json(&port.ty)})
    };
    line(&json!({"hello": {
        "protocol": 1,
        "protocols": PROTOCOLS,
        "clock": clock,
        "unit_ns": signals.interface().time.unit_ns,
        "inputs": with(Direction::Input),
        "outputs": with(Direction::Output),
        "ports": signals.interface().ports.iter().map(port).collect::<Vec<_>>(),
    }}))
}

pub(crate) fn reset(number: u64) -> String {
    format!("{{\"reset\":{number}}}\n")
}

/// On the real clock, `at` is for the system's own records. Version 1 has integers only.
pub(crate) fn input(
    signal: &Signal,
    action: &Action,
    at_ns: u64,
    can: Can,
) -> Result<String, SutError> {
    let value = |(carried, value): (&Carried, &Datum)| match can.typed {
        true => Some(values::to_json(&carried.ty, *value)),
        false => value.as_slot().map(Value::from),
    };
    let values: Option<Vec<Value>> = signal.values.iter().zip(&action.values).map(value).collect();
    let Some(values) = values else {
        return Err(SutError::cannot(&format!(
            "take a value of `{}`: it speaks version 1 of the protocol, which has only integers of \
             32 bits",
            signal.name
        )));
    };
    Ok(line(&json!({"input": signal.name, "values": values, "at": at_ns})))
}

pub(crate) fn set(ports: Map<String, Value>, at_ns: u64) -> String {
    line(&json!({"set": ports, "at": at_ns}))
}

pub(crate) fn step(number: u64, ports: Map<String, Value>, at_ns: u64) -> String {
    line(&json!({"step": number, "set": ports, "at": at_ns}))
}

pub(crate) fn read(names: &[&str], at_ns: u64) -> String {
    line(&json!({"read": names, "at": at_ns}))
}

pub(crate) fn wait(until_ns: u64) -> String {
    format!("{{\"wait\":{until_ns}}}\n")
}

pub(crate) fn stop(reason: &str) -> String {
    line(&json!({"stop": reason}))
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

/// The instant of something that happened on the virtual clock, which must be between two others.
pub(crate) fn within(
    now_ns: u64,
    until_ns: u64,
    what: &str,
    at_ns: Option<u64>,
) -> Result<u64, SutError> {
    at_ns.filter(|at_ns| (now_ns..=until_ns).contains(at_ns)).ok_or_else(|| {
        let at = at_ns.map_or("without `at`".into(), |at| format!("at {at} ns"));
        SutError::Protocol {
            found: format!("`{}` came {at}", shortened(what)),
            expected: format!("it had to be from {now_ns} to {until_ns} ns"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_systems() {
        let parse = |line: &str| Message::parse(line).map_err(|error| error.to_string());
        assert_eq!(parse(r#"{"ready":0,"name":"x"}"#), Ok(Message::Ready(0, Can::default())));
        let can = Can { typed: true, set: false, step: true, read: true };
        let ready = r#"{"ready":3,"protocol":2,"can":["read","step","fly"]}"#;
        assert_eq!(parse(ready), Ok(Message::Ready(3, can)));
        let values = vec![json!(-3), json!(true), json!(0.5)];
        let output = Message::Output { name: "level".into(), values, at_ns: Some(12) };
        assert_eq!(parse(r#"{"values":[-3,true,0.5],"output":"level","at":12}"#), Ok(output));
        assert!(matches!(
            parse(r#"{"stepped":{"y":1},"step":4,"at":7}"#),
            Ok(Message::Stepped { number: Some(4), at_ns: Some(7), inputs: None, .. })
        ));
        assert!(matches!(parse(r#"{"values":{"y":1}}"#), Ok(Message::Values { .. })));
        for (line, reason) in [
            ("", "EOF"),
            ("[1]", "not a JSON object:"),
            ("{\"ready\":0} {}", "trailing"),
            ("{\"Ready\":0}", "none of the messages ready, done,"),
            ("{\"ready\":0,\"quiet\":1}", "`ready` and `quiet` in one message"),
            ("{\"ready\":-1}", "`ready` must be a whole number, not -1"),
            ("{\"ready\":0,\"protocol\":3}", "`protocol` must be one of [1, 2]"),
            ("{\"quiet\":1.5}", "`quiet` must be a whole number, not 1.5"),
            ("{\"output\":7}", "`output` must be a text"),
            ("{\"output\":\"a\",\"values\":3}", "`values` must be a list"),
            ("{\"output\":\"a\",\"at\":\"now\"}", "`at` must be a whole number"),
            ("{\"stepped\":3}", "`stepped` must be an object"),
            ("{\"values\":[3]}", "`values` must be an object"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(reason), "{line}: {error}");
        }
        assert!(parse(&"[".repeat(100_000)).unwrap_err().len() < 1_000);
    }
}
