//! The interface by name: what may be sent to a system, and what may come from it.

use std::{collections::HashMap, sync::Arc};

use punctual_lang::values;
use punctual_model::{
    Action, Direction, Interface, PortId, PortRole, Reading, Signal, SignalId, Step, Value,
    ValueType,
};
use serde_json::{Map, Value as Json};

use crate::{SutError, error::shortened};

/// The signals and ports of an interface.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    interface: Arc<Interface>,
    by_name: HashMap<String, SignalId>,
    ports: HashMap<String, PortId>,
    inputs: Vec<PortId>,
    outputs: Vec<PortId>,
}

impl Signals {
    pub(crate) fn new(interface: Arc<Interface>) -> Self {
        let by_name = interface.signals.enumerate().map(|(id, signal)| (signal.name.clone(), id));
        let ports = interface.ports.enumerate().map(|(id, port)| (port.name.clone(), id));
        Self {
            by_name: by_name.collect(),
            ports: ports.collect(),
            inputs: interface.ports_with(PortRole::Input).collect(),
            outputs: interface.ports_with(PortRole::Output).collect(),
            interface,
        }
    }

    pub(crate) fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The input ports, in order.
    pub(crate) fn input_ports(&self) -> &[PortId] {
        &self.inputs
    }

    /// The output ports, in order.
    pub(crate) fn output_ports(&self) -> &[PortId] {
        &self.outputs
    }

    pub(crate) fn with(&self, direction: Direction) -> impl Iterator<Item = &Signal> {
        self.interface.signals.iter().filter(move |signal| signal.direction == direction)
    }

    /// The signal of an input that the tester may send like this.
    pub(crate) fn input(&self, action: &Action) -> Result<&Signal, SutError> {
        let signal = &self.interface.signals[action.signal];
        let (name, n_values) = (&signal.name, signal.values.len());
        if signal.direction != Direction::Input {
            return Err(not_sent(format!(
                "`{name}` is an output: it can not be sent to the system"
            )));
        }
        if action.values.len() != n_values {
            let n_given = action.values.len();
            return Err(not_sent(format!("`{name}` has {n_values} values, not {n_given}")));
        }
        for (value, carried) in action.values.iter().zip(&signal.values) {
            fits(&carried.name, &carried.ty, *value)?;
        }
        Ok(signal)
    }

    /// The output that a system means by a name and some values.
    pub(crate) fn output(
        &self,
        name: &str,
        n_values: usize,
        value: impl Fn(usize, &ValueType) -> Result<Value, String>,
    ) -> Result<Action, SutError> {
        let Some(&id) = self.by_name.get(name) else {
            let outputs = || self.with(Direction::Output).map(|signal| &*signal.name);
            return Err(SutError::UnknownSignal {
                name: shortened(name),
                similar: closest(name, outputs()).map(str::to_owned),
                outputs: outputs().take(20).map(str::to_owned).collect(),
            });
        };
        let signal = &self.interface.signals[id];
        if signal.direction != Direction::Output {
            return Err(SutError::WrongDirection { name: name.into() });
        }
        if n_values != signal.values.len() {
            let expected = signal.values.iter().map(|carried| carried.name.clone()).collect();
            return Err(SutError::WrongValues { name: name.into(), expected, n_found: n_values });
        }
        let mut values = Vec::with_capacity(n_values);
        for (i, carried) in signal.values.iter().enumerate() {
            values.push(
                value(i, &carried.ty).map_err(|found| {
                    out_of_range(&signal.name, &carried.name, &carried.ty, &found)
                })?,
            );
        }
        Ok(Action { signal: id, values })
    }

    /// The output that a system means by a name and JSON values.
    pub(crate) fn output_of_json(&self, name: &str, json: &[Json]) -> Result<Action, SutError> {
        self.output(name, json.len(), |i, ty| {
            values::from_json(ty, &json[i]).ok_or_else(|| shortened(&json[i].to_string()))
        })
    }

    /// The output that a system means by a name and integers.
    pub(crate) fn output_of_ints(&self, name: &str, ints: &[i32]) -> Result<Action, SutError> {
        self.output(name, ints.len(), |i, ty| {
            let value = match ty {
                ValueType::Bool if !(0..=1).contains(&ints[i]) => None,
                ValueType::Enum(_) if ints[i] < 0 => None,
                _ => Some(ty.of_int(ints[i])).filter(|value| ty.contains(*value)),
            };
            value.ok_or_else(|| ints[i].to_string())
        })
    }

    /// The port with a name that a system used.
    fn port(&self, name: &str) -> Result<PortId, SutError> {
        self.ports.get(name).copied().ok_or_else(|| {
            // What a system sends is never an input.
            let sent = || self.interface.ports.iter().filter(|it| it.role != PortRole::Input);
            let names = || sent().map(|port| &*port.name);
            SutError::UnknownSignal {
                name: shortened(name),
                similar: closest(name, names()).map(str::to_owned),
                outputs: names().take(20).map(str::to_owned).collect(),
            }
        })
    }

    /// An object of names and values for ports.
    pub(crate) fn ports_json(
        &self,
        values: impl Iterator<Item = (PortId, Value)>,
    ) -> Map<String, Json> {
        let json = |(id, value)| {
            let port = &self.interface.ports[id];
            (port.name.clone(), values::to_json(&port.ty, value))
        };
        values.map(json).collect()
    }

    /// The values of these ports in an object of names and values, which has all of them. `what` says
    /// what they are, for messages.
    pub(crate) fn values_of_json(
        &self,
        ports: &[PortId],
        json: &Map<String, Json>,
        what: &str,
    ) -> Result<Vec<Value>, SutError> {
        let mut found = Vec::with_capacity(ports.len());
        for id in ports {
            let port = &self.interface.ports[*id];
            let Some(value) = json.get(&port.name) else {
                return Err(SutError::Protocol {
                    found: format!("`{}` is not in its answer", port.name),
                    expected: format!("it had to say all of {what}"),
                });
            };
            let value = values::from_json(&port.ty, value).ok_or_else(|| {
                out_of_range(what, &port.name, &port.ty, &shortened(&value.to_string()))
            })?;
            found.push(value);
        }
        for name in json.keys() {
            self.port(name)?;
        }
        Ok(found)
    }

    /// A step that a device tells of. Inputs that it does not tell are those of `last`.
    pub(crate) fn step_of_json(
        &self,
        outputs: &Map<String, Json>,
        inputs: Option<&Map<String, Json>>,
        last: &[Value],
    ) -> Result<Step, SutError> {
        let outputs = self.values_of_json(&self.outputs, outputs, "its outputs")?;
        let mut seen = last.to_vec();
        for (name, json) in inputs.into_iter().flatten() {
            let id = self.port(name)?;
            let port = &self.interface.ports[id];
            let value = values::from_json(&port.ty, json).ok_or_else(|| {
                out_of_range("its inputs", name, &port.ty, &shortened(&json.to_string()))
            })?;
            let at = self.inputs.iter().position(|it| *it == id);
            let at = at.ok_or_else(|| SutError::Protocol {
                found: format!("it told of `{name}` as an input"),
                expected: format!("`{name}` is no input of the test interface"),
            })?;
            seen[at] = value;
        }
        Ok(Step { inputs: seen, outputs })
    }

    /// The values of the input ports before anybody set them: false, zero (or what is nearest to it), or
    /// the first member.
    pub(crate) fn initial_inputs(&self) -> Vec<Value> {
        let first = |id: &PortId| match &self.interface.ports[*id].ty {
            ValueType::Int { least, greatest } => Value::Int(0.min(*greatest).max(*least)),
            ty => ty.of_int(0),
        };
        self.inputs.iter().map(first).collect()
    }

    /// Whether the tester may set ports like this.
    pub(crate) fn may_set(&self, ports: &Reading) -> Result<(), SutError> {
        for (id, value) in &ports.values {
            let port = &self.interface.ports[*id];
            if port.role != PortRole::Input {
                return Err(not_sent(format!("`{}` is no input: it can not be set", port.name)));
            }
            fits(&port.name, &port.ty, *value)?;
        }
        Ok(())
    }

    /// Whether a step may have these inputs.
    pub(crate) fn may_step(&self, inputs: &[Value]) -> Result<(), SutError> {
        let (n_inputs, n_given) = (self.inputs.len(), inputs.len());
        if n_inputs != n_given {
            return Err(not_sent(format!("a step has {n_inputs} inputs, not {n_given}")));
        }
        for (id, value) in self.inputs.iter().zip(inputs) {
            let port = &self.interface.ports[*id];
            fits(&port.name, &port.ty, *value)?;
        }
        Ok(())
    }
}

fn not_sent(reason: String) -> SutError {
    SutError::NotSent { reason }
}

/// Whether a value that the tester is about to send is of its type.
fn fits(name: &str, ty: &ValueType, value: Value) -> Result<(), SutError> {
    match ty.contains(value) {
        true => Ok(()),
        false => Err(not_sent(format!(
            "{name} = {} can not be sent: the test interface declares {name} as {}",
            ty.text(value),
            values::expected(ty)
        ))),
    }
}

fn out_of_range(name: &str, variable: &str, ty: &ValueType, value: &str) -> SutError {
    SutError::OutOfRange {
        name: name.to_owned(),
        variable: variable.to_owned(),
        value: value.to_owned(),
        expected: values::expected(ty),
    }
}

/// The name that differs least, if it is likely that it was meant.
fn closest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = name.chars().count().div_ceil(3).min(3);
    let near = names.map(|other| (distance(name, other), other));
    near.filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|n| n.1)
}

/// How many characters have to be inserted, deleted or replaced; case does not count.
fn distance(left: &str, right: &str) -> usize {
    let letters =
        |text: &str| -> Vec<char> { text.chars().take(64).flat_map(char::to_lowercase).collect() };
    let (left, right) = (letters(left), letters(right));
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replace = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn likely_names_are_suggested() {
        let names = || ["weakCoffee", "strongCoffee"].into_iter();
        assert_eq!(closest("weakcofee", names()), Some("weakCoffee"));
        assert_eq!(closest("tea", names()), None);
    }
}
