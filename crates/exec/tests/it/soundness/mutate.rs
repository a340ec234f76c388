//! Networks with a few things changed.

use punctual_model::{
    ChannelId, Direction, EdgeId, Expr, Id, Indexed, LocationId, Network, ProcessId, Sync,
};
use punctual_semantics::split::Side;

use super::generate::{Draft, LARGEST};
use super::rng::Rng;

/// The draft with a few things of its system changed, perhaps without effect.
pub(super) fn mutated(draft: &Draft, seed: u64) -> Network {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut network = draft.network.clone();
    let system = draft.sides.enumerate().filter(|(_, side)| **side == Side::System);
    let system: Vec<ProcessId> = system.map(|(id, _)| id).collect();
    for _ in 0..rng.within(1, 5) {
        let process = &mut network.processes[rng.pick(&system)];
        let n = process.locations.len();
        let edge = EdgeId::from_index(rng.below(process.edges.len()));
        let edge = &mut process.edges[edge];
        match rng.below(6) {
            0 => {
                if let Some(constraint) = edge.guard.clocks.first_mut() {
                    constraint.bound = Expr::Int(rng.within(0, LARGEST));
                }
            }
            // What goes round still takes time.
            1 => {
                let least = edge.source.index().min(edge.branches[0].target.index());
                let target = rng.within(least as i32, n as i32 - 1);
                edge.branches[0].target = LocationId::from_index(target as usize);
            }
            2 if edge.branches[0].target > edge.source => {
                edge.update.retain(|expr| !matches!(expr, Expr::SetClock { .. }));
            }
            3 => {
                let signals = draft.interface().signals.iter().zip(&draft.wired.wires);
                let outputs = signals.filter(|(it, _)| it.direction == Direction::Output);
                let outputs: Vec<ChannelId> = outputs.map(|(_, wire)| wire.channel).collect();
                if matches!(edge.sync, Sync::Internal | Sync::Send(_)) {
                    edge.sync = Sync::Send(Indexed::fixed(rng.pick(&outputs)));
                }
            }
            4 => {
                for expr in &mut edge.update {
                    if let Expr::Assign { value, target, .. } = expr {
                        **value = Expr::Int(rng.within(target.range.lo, target.range.hi));
                    }
                }
            }
            _ => {
                for location in process.locations.iter_mut() {
                    for constraint in &mut location.invariant.clocks {
                        constraint.bound = Expr::Int(rng.within(1, LARGEST + 2));
                    }
                }
            }
        }
    }
    network
}
