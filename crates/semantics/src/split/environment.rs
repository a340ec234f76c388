//! Environments that are made up: one that does anything, and one that does nothing.

use punctual_model::{
    AssignOp, AssignResult, Direction, Expr, Frame, Indexed, Network, Number, Place, Select,
    Storage, Sync, Wired,
};

use super::{
    Refusal, Side, Split,
    open::{keep, looping, stub},
};

/// A carried variable may have at most this many values in a [`universal`] environment.
pub const SELECTED_MAX: u64 = 1000;

/// The name of the process that is the environment.
const NAME: &str = "Environment";

/// The network with an environment that sends any input, with any values, at any time, and
/// accepts every output.
///
/// # Errors
/// If a variable that an input carries has too many values to choose from.
pub fn universal(network: &Network, wired: &Wired, split: &Split) -> Result<Network, Refusal> {
    replace(network, wired, split, true)
}

/// The network with an environment that sends nothing and accepts every output.
///
/// # Errors
/// Never at present.
pub fn silent(network: &Network, wired: &Wired, split: &Split) -> Result<Network, Refusal> {
    replace(network, wired, split, false)
}

fn replace(
    network: &Network,
    wired: &Wired,
    split: &Split,
    sends: bool,
) -> Result<Network, Refusal> {
    let kept: Vec<_> = split.processes(Side::System).collect();
    let mut result = keep(network, &kept);
    let mut edges = Vec::new();
    for (id, signal) in wired.interface.signals.enumerate() {
        let wire = &wired.wires[id];
        let channel = Indexed::fixed(wire.channel);
        if signal.direction == Direction::Output {
            edges.push(looping(Sync::Receive(channel)));
            continue;
        }
        // A user who may press at any time is in no hurry.
        result.channels[wire.channel].urgent = false;
        if !sends {
            continue;
        }
        let mut edge = looping(Sync::Send(channel));
        for (slot, (carried, at)) in (0..).zip(signal.values.iter().zip(&wire.values)) {
            if at.range.len() > SELECTED_MAX {
                return Err(Refusal::Unsupported {
                    construct: "a choice between more than 1000 values",
                    place: format!("`{}`, carried by `{}`", carried.name, signal.name),
                });
            }
            edge.selects.push(Select { name: carried.name.clone(), slot, range: at.range });
            let place = |storage, base| Place {
                storage,
                number: Number::Int,
                base,
                indices: Vec::new(),
                size: 1,
                range: at.range,
            };
            edge.update.push(Expr::Assign {
                target: Box::new(place(Storage::State, at.slot)),
                op: AssignOp::Set,
                value: Box::new(Expr::Load(place(Storage::Local, slot))),
                result: AssignResult::New,
            });
            edge.frame = Frame { ints: slot + 1, doubles: 0 };
        }
        edges.push(edge);
    }
    let mut environment = stub(NAME, edges);
    environment.priority = kept.iter().map(|id| network.processes[*id].priority).min().unwrap_or(0);
    result.processes.push(environment);
    Ok(result)
}
