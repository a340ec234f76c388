//! What a system says: one JSON object on each line, in the version of the protocol that was agreed on.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use crate::{Can, Value, message::Version};

pub(crate) struct Speaker<W> {
    writer: W,
    pub(crate) version: Version,
}

impl<W: Write> Speaker<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer, version: Version::One }
    }

    /// Answers hello. Version 1 does not ask what a system can do.
    pub(crate) fn welcome(&mut self, can: Can) -> io::Result<()> {
        if self.version == Version::One {
            return self.send(&json!({"ready": 0}));
        }
        let all = [("step", can.step), ("set", can.set), ("read", can.read)];
        let can: Vec<&str> = all.iter().filter(|(_, can)| *can).map(|(name, _)| *name).collect();
        self.send(&json!({"ready": 0, "protocol": 2, "can": can}))
    }

    pub(crate) fn send(&mut self, message: &Json) -> io::Result<()> {
        self.writer.write_all(format!("{message}\n").as_bytes())?;
        self.writer.flush()
    }

    /// An output as a message; what is wrong if the version can not say its values.
    pub(crate) fn output(
        &self,
        name: &str,
        values: &[Value],
        at_ns: Option<u64>,
    ) -> Result<Json, String> {
        let values: Result<Vec<Json>, String> =
            values.iter().map(|value| self.value(name, value)).collect();
        let mut message = json!({"output": name, "values": values?});
        if let Some(at_ns) = at_ns {
            message["at"] = at_ns.into();
        }
        Ok(message)
    }

    /// Ports with their values as an object.
    pub(crate) fn ports<N: AsRef<str>>(&self, ports: &[(N, Value)]) -> Result<Json, String> {
        let pair = |(name, value): &(N, Value)| {
            let name = name.as_ref();
            Ok((name.to_owned(), self.value(name, value)?))
        };
        let fields: Result<Map<String, Json>, String> = ports.iter().map(pair).collect();
        fields.map(Json::Object)
    }

    fn value(&self, name: &str, value: &Value) -> Result<Json, String> {
        match (self.version, value) {
            (Version::One, _) => {
                let number = value.as_int().and_then(|number| i32::try_from(number).ok());
                number.map(Json::from).ok_or_else(|| {
                    let value = value.to_json();
                    format!(
                        "`{name}` has the value {value}, and version 1 of the protocol has only \
                         integers of 32 bits"
                    )
                })
            }
            (Version::Two, Value::Real(number)) if !number.is_finite() => {
                Err(format!("`{name}` has the value {number}, which is no number"))
            }
            (Version::Two, _) => Ok(value.to_json()),
        }
    }
}
