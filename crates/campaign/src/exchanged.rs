//! What was exchanged with a system, as a record has it and as an oracle is told it.

use punctual_lang::values;
use punctual_model as model;
use punctual_model::{Action, Happening, Interface, PortId, PortRole, Reading, Step, ValueType};
use serde_json::{Map, Value};

use crate::store::{Direction, Sending, What};

/// A happening in the words of a record.
pub(crate) fn told(interface: &Interface, happening: &Happening) -> What {
    match happening {
        Happening::Signal(action) => {
            let signal = &interface.signals[action.signal];
            What::Signal {
                direction: signal.direction.into(),
                name: signal.name.clone(),
                values: signal_values(interface, action),
            }
        }
        Happening::Set(reading) => What::Set(ports(interface, reading)),
        Happening::Reading(reading) => What::Reading(ports(interface, reading)),
        Happening::Step(step) => What::Step {
            inputs: port_values(interface, PortRole::Input, &step.inputs),
            outputs: port_values(interface, PortRole::Output, &step.outputs),
        },
    }
}

/// The values of a signal as JSON.
pub(crate) fn signal_values(interface: &Interface, action: &Action) -> Vec<Value> {
    let carried = interface.signals[action.signal].values.iter();
    carried.zip(&action.values).map(|(it, value)| values::to_json(&it.ty, *value)).collect()
}

fn ports(interface: &Interface, reading: &Reading) -> Map<String, Value> {
    let json = |(id, value): &(PortId, model::Value)| {
        let port = &interface.ports[*id];
        (port.name.clone(), values::to_json(&port.ty, *value))
    };
    reading.values.iter().map(json).collect()
}

fn port_values(interface: &Interface, role: PortRole, of: &[model::Value]) -> Vec<Value> {
    let ports = interface.ports_with(role).zip(of);
    ports.map(|(id, value)| values::to_json(&interface.ports[id].ty, *value)).collect()
}

fn typed(name: &str, ty: &ValueType, json: &Value) -> Result<model::Value, String> {
    values::from_json(ty, json).ok_or_else(|| {
        format!("`{name}` is {json}, and the interface says {}", values::expected(ty))
    })
}

/// The values of all ports with a role, in order.
fn row(interface: &Interface, role: PortRole, row: &[Value]) -> Result<Vec<model::Value>, String> {
    let ports: Vec<PortId> = interface.ports_with(role).collect();
    if ports.len() != row.len() {
        let (found, known) = (row.len(), ports.len());
        return Err(format!("a step has {found} values, and the interface {known} such ports"));
    }
    let of = |(id, json): (&PortId, &Value)| {
        let port = &interface.ports[*id];
        typed(&port.name, &port.ty, json)
    };
    ports.iter().zip(row).map(of).collect()
}

/// What was about to be sent. A step has no outputs.
///
/// # Errors
/// As [`heard`].
pub(crate) fn sent(interface: &Interface, sending: &Sending) -> Result<Happening, String> {
    let Sending { sending: name, values, ports, .. } = sending;
    if !ports.is_empty() {
        let set = ports.iter().cloned().zip(values.iter().cloned()).collect();
        return heard(interface, &What::Set(set));
    }
    if name == "step" && interface.signal(name).is_none() {
        return unanswered(interface, values);
    }
    let (direction, name, values) = (Direction::Input, name.clone(), values.clone());
    heard(interface, &What::Signal { direction, name, values })
}

/// A step of which no outputs were seen.
///
/// # Errors
/// As [`heard`].
pub(crate) fn unanswered(interface: &Interface, inputs: &[Value]) -> Result<Happening, String> {
    let inputs = row(interface, PortRole::Input, inputs)?;
    Ok(Happening::Step(Step { inputs, outputs: Vec::new() }))
}

/// The values of all output ports, as JSON and as they were.
pub(crate) fn outputs(interface: &Interface, values: &[model::Value]) -> Vec<Value> {
    port_values(interface, PortRole::Output, values)
}

/// # Errors
/// As [`heard`].
pub(crate) fn shown(interface: &Interface, values: &[Value]) -> Result<Vec<model::Value>, String> {
    row(interface, PortRole::Output, values)
}

/// A happening of a record, over an interface.
///
/// # Errors
/// What the interface does not have, in words.
pub(crate) fn heard(interface: &Interface, what: &What) -> Result<Happening, String> {
    let reading = |ports: &Map<String, Value>| -> Result<Reading, String> {
        let mut reading = Reading::default();
        for (name, json) in ports {
            let id = interface
                .port(name)
                .ok_or_else(|| format!("the interface has no port `{name}`"))?;
            reading.values.push((id, typed(name, &interface.ports[id].ty, json)?));
        }
        reading.values.sort_by_key(|(id, _)| *id);
        Ok(reading)
    };
    Ok(match what {
        What::Set(ports) => Happening::Set(reading(ports)?),
        What::Reading(ports) => Happening::Reading(reading(ports)?),
        What::Step { inputs, outputs } => Happening::Step(Step {
            inputs: row(interface, PortRole::Input, inputs)?,
            outputs: row(interface, PortRole::Output, outputs)?,
        }),
        What::Signal { direction, name, values } => {
            let Some(signal) = interface.signal(name) else {
                return Err(format!("the interface has no signal `{name}`"));
            };
            let declared = &interface.signals[signal];
            if Direction::from(declared.direction) != *direction {
                return Err(format!("`{name}` goes the other way in the interface"));
            }
            if declared.values.len() != values.len() {
                let (known, found) = (declared.values.len(), values.len());
                return Err(format!(
                    "`{name}` carries {known} values in the interface, not {found}"
                ));
            }
            let of = |(carried, json): (&model::Carried, &Value)| typed(name, &carried.ty, json);
            let values: Result<Vec<_>, _> = declared.values.iter().zip(values).map(of).collect();
            Happening::Signal(Action { signal, values: values? })
        }
    })
}
