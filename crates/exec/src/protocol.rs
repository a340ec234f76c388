//! The messages of the JSON-lines protocol, from the tester's side: one object on each line.
//!
//! `dialogue` has the rules of who says what when; the guide (`docs/guide/adapters.md`) has both for
//! those who write a system.

use punctual_model::{Direction, Signal};
use serde_json::{Map, Value, json};

use crate::{SutError, Timekeeping, error::shortened, signals::Signals};

/// The version of the protocol.
const PROTOCOL: u32 = 1;

/// What a system says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Message {
    /// It is in its initial state, after hello (0) or a reset (its number).
    Ready(u64),
    /// It took an input, on the virtual clock.
    Done(u64),
    /// It did something; on the virtual clock it says when.
    Output { name: String, values: Vec<i32>, at_ns: Option<u64> },
    /// Nothing happened up to this instant of the virtual clock.
    Quiet(u64),
    /// It can not go on.
    Error(String),
    /// Something for people.
    Log(String),
}

/// What a message starts with.
const KINDS: [&str; 6] = ["ready", "done", "output", "quiet", "error", "log"];

impl Message {
    /// Reads a line.
    pub(crate) fn parse(line: &str) -> Result<Self, SutError> {
        let malformed = |reason: String| SutError::Malformed { line: shortened(line), reason };
        let value: Value = serde_json::from_str(line)
            .map_err(|error| malformed(format!("not a JSON object on one line ({error})")))?;
        let Value::Object(fields) = value else {
            return Err(malformed("not a JSON object".into()));
        };
        Self::of_fields(&fields).map_err(malformed)
    }

    fn of_fields(fields: &Map<String, Value>) -> Result<Self, String> {
        let mut kinds = KINDS.iter().filter(|kind| fields.contains_key(**kind));
        let (kind, more) = (kinds.next(), kinds.next());
        let Some(&kind) = kind else {
            return Err(format!("none of the messages {}", KINDS.join(", ")));
        };
        if let Some(more) = more {
            return Err(format!("`{kind}` and `{more}` in one message"));
        }
        let what = &fields[kind];
        let whole = |value: &Value, kind: &str| {
            value.as_u64().ok_or_else(|| format!("`{kind}` must be a whole number, not {value}"))
        };
        let text = |value: &Value| {
            value.as_str().map(str::to_owned).ok_or_else(|| format!("`{kind}` must be a text"))
        };
        Ok(match kind {
            "ready" => Self::Ready(whole(what, kind)?),
            "done" => Self::Done(whole(what, kind)?),
            "quiet" => Self::Quiet(whole(what, kind)?),
            "error" => Self::Error(text(what)?),
            "log" => Self::Log(text(what)?),
            _ => Self::Output {
                name: text(what)?,
                values: fields.get("values").map_or(Ok(Vec::new()), values)?,
                at_ns: fields.get("at").map(|at| whole(at, "at")).transpose()?,
            },
        })
    }
}

fn values(value: &Value) -> Result<Vec<i32>, String> {
    let values = value.as_array().ok_or("`values` must be a list")?;
    let value = |value: &Value| value.as_i64().and_then(|value| i32::try_from(value).ok());
    let values: Option<Vec<i32>> = values.iter().map(value).collect();
    values.ok_or_else(|| "`values` must be integers of 32 bits".into())
}

/// The first message.
pub(crate) fn hello(signals: &Signals, timekeeping: Timekeeping) -> String {
    let signal = |signal: &Signal| {
        let values: Vec<_> = signal.values.iter().map(|carried| &*carried.name).collect();
        json!({"name": signal.name, "values": values})
    };
    let with = |direction| signals.with(direction).map(signal).collect::<Vec<_>>();
    let clock = match timekeeping {
        Timekeeping::Real => "real",
        Timekeeping::Virtual => "virtual",
    };
    line(&json!({"hello": {
        "protocol": PROTOCOL,
        "clock": clock,
        "unit_ns": signals.interface().time.unit_ns,
        "inputs": with(Direction::Input),
        "outputs": with(Direction::Output),
    }}))
}

pub(crate) fn reset(number: u64) -> String {
    line(&json!({"reset": number}))
}

/// On the real clock, `at` is for the system's own records.
pub(crate) fn input(name: &str, values: &[i32], at_ns: u64) -> String {
    line(&json!({"input": name, "values": values, "at": at_ns}))
}

pub(crate) fn wait(until_ns: u64) -> String {
    line(&json!({"wait": until_ns}))
}

pub(crate) fn stop(reason: &str) -> String {
    line(&json!({"stop": reason}))
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_systems() {
        let parse = |line: &str| Message::parse(line).map_err(|error| error.to_string());
        assert_eq!(parse(r#"{"ready":0,"name":"x"}"#), Ok(Message::Ready(0)));
        let output = Message::Output { name: "level".into(), values: vec![-3, 4], at_ns: Some(12) };
        assert_eq!(parse(r#"{"values":[-3,4],"output":"level","at":12}"#), Ok(output));
        for (line, reason) in [
            ("", "EOF"),
            ("[1]", "not a JSON object:"),
            ("{\"ready\":0} {}", "trailing"),
            ("{\"Ready\":0}", "none of the messages ready, done,"),
            ("{\"ready\":0,\"quiet\":1}", "`ready` and `quiet` in one message"),
            ("{\"ready\":-1}", "`ready` must be a whole number, not -1"),
            ("{\"quiet\":1.5}", "`quiet` must be a whole number, not 1.5"),
            ("{\"output\":7}", "`output` must be a text"),
            ("{\"output\":\"a\",\"values\":3}", "`values` must be a list"),
            ("{\"output\":\"a\",\"values\":[3000000000]}", "integers of 32 bits"),
            ("{\"output\":\"a\",\"at\":\"now\"}", "`at` must be a whole number"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(reason), "{line}: {error}");
        }
        assert!(parse(&"[".repeat(100_000)).unwrap_err().len() < 1_000);
    }
}
