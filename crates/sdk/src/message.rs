//! What a tester says, and in which version of the protocol.

use serde_json::{Map, Value as Json};

use crate::Value;

/// A version of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Version {
    /// Signals with integers of 32 bits.
    One,
    /// Signals and ports with typed values, steps and readings.
    Two,
}

/// Values by the names of their ports.
pub(crate) type Ports = Vec<(String, Value)>;

/// A message of the tester. `at_ns` is absent where the real clock does without it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Message {
    Hello { version: Version, virtual_clock: bool },
    Reset(u64),
    Input { name: String, values: Vec<Value>, at_ns: Option<u64> },
    Set { ports: Ports, at_ns: Option<u64> },
    Step { number: u64, ports: Ports, at_ns: Option<u64> },
    Read { names: Vec<String>, at_ns: Option<u64> },
    Wait(u64),
    Stop,
}

type Fields = Map<String, Json>;

impl Message {
    /// Reads a line, by the version that was agreed on. The error says what is wrong with it.
    pub(crate) fn parse(line: &[u8], version: Version) -> Result<Self, String> {
        let json: Json =
            serde_json::from_slice(line).map_err(|error| format!("a line is no JSON: {error}"))?;
        let Json::Object(fields) = json else {
            return Err("a message must be a JSON object".into());
        };
        let has = |name: &str| fields.contains_key(name);
        if let Some(hello) = fields.get("hello") {
            hello_of(hello)
        } else if let Some(number) = fields.get("reset") {
            Ok(Self::Reset(whole(number, "reset")?))
        } else if let Some(name) = fields.get("input") {
            let name = name.as_str().ok_or_else(|| wrong("input", "a name", name))?.to_owned();
            let values = match fields.get("values") {
                Some(values) => values_of(values, version)?,
                None => Vec::new(),
            };
            Ok(Self::Input { name, values, at_ns: at(&fields)? })
        } else if let Some(until) = fields.get("wait") {
            Ok(Self::Wait(whole(until, "wait")?))
        } else if has("stop") {
            Ok(Self::Stop)
        } else if version == Version::One {
            let later = ["step", "set", "read"].into_iter().find(|name| has(name));
            Err(match later {
                Some(name) => format!("version 1 of the protocol has no message `{name}`"),
                None => "a message that is not known".into(),
            })
        } else if let Some(number) = fields.get("step") {
            let number = whole(number, "step")?;
            let ports = fields.get("set").map_or(Ok(Vec::new()), ports_of)?;
            Ok(Self::Step { number, ports, at_ns: at(&fields)? })
        } else if let Some(ports) = fields.get("set") {
            Ok(Self::Set { ports: ports_of(ports)?, at_ns: at(&fields)? })
        } else if let Some(names) = fields.get("read") {
            let listed = names.as_array().map(Vec::as_slice).unwrap_or_default();
            let texts: Option<Vec<String>> =
                listed.iter().map(|name| name.as_str().map(str::to_owned)).collect();
            let texts = texts.filter(|_| names.is_array());
            let names = texts.ok_or_else(|| wrong("read", "a list of names", names))?;
            Ok(Self::Read { names, at_ns: at(&fields)? })
        } else {
            Err("a message that is not known".into())
        }
    }
}

/// The best version that both sides know. A tester that offers no list speaks only the one it names.
fn hello_of(hello: &Json) -> Result<Message, String> {
    let named = hello.get("protocol").and_then(Json::as_u64);
    let offered: Vec<u64> = match hello.get("protocols").and_then(Json::as_array) {
        Some(list) => list.iter().filter_map(Json::as_u64).collect(),
        None => named.into_iter().collect(),
    };
    let version = match () {
        () if offered.contains(&2) => Version::Two,
        () if offered.contains(&1) => Version::One,
        () => return Err("only the versions 1 and 2 of the protocol are known here".into()),
    };
    match hello.get("clock").and_then(Json::as_str) {
        Some("virtual") => Ok(Message::Hello { version, virtual_clock: true }),
        Some("real") => Ok(Message::Hello { version, virtual_clock: false }),
        _ => Err("`clock` must be `real` or `virtual`".into()),
    }
}

fn values_of(values: &Json, version: Version) -> Result<Vec<Value>, String> {
    let listed = values.as_array().ok_or_else(|| wrong("values", "a list", values))?;
    let fits = |value: &Json| match version {
        Version::One => i32::try_from(value.as_i64()?).ok().map(Value::from),
        Version::Two => Value::of_json(value),
    };
    let expected = match version {
        Version::One => "a list of integers of 32 bits",
        Version::Two => "a list of numbers, truth values and texts",
    };
    let values: Option<Vec<Value>> = listed.iter().map(fits).collect();
    values.ok_or_else(|| wrong("values", expected, &Json::Array(listed.clone())))
}

fn ports_of(ports: &Json) -> Result<Ports, String> {
    let named = ports.as_object().ok_or_else(|| wrong("set", "an object of ports", ports))?;
    let port = |(name, value): (&String, &Json)| match Value::of_json(value) {
        Some(value) => Ok((name.clone(), value)),
        None => Err(wrong(name, "a number, a truth value or a text", value)),
    };
    named.iter().map(port).collect()
}

fn at(fields: &Fields) -> Result<Option<u64>, String> {
    fields.get("at").map(|at| whole(at, "at")).transpose()
}

fn whole(value: &Json, what: &str) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| wrong(what, "a whole number", value))
}

/// A complaint that shows what was found, not longer than a line of text.
fn wrong(what: &str, expected: &str, found: &Json) -> String {
    let found: String = found.to_string().chars().take(100).collect();
    format!("`{what}` must be {expected}, not {found}")
}
