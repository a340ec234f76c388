//! Scenarios that no state leads to: what they need never holds.
//!
//! Of a derived model, the processes that can influence a scenario are searched without their clocks. That allows more than the model does, as does a
//! partner that is left out and always agrees: a scenario that is not found there can not happen in the model. One that is found there may still be
//! impossible because of time, and so may one whose search was too large; nothing is said of these.

use punctual_mc::{Answer, Observer, Options, Progress, check};
use punctual_model::{
    Expr, Frame, IdVec, Network, Number, ProcessId, Property, ScenarioId, StateExpr, Sync, Wired,
};
use punctual_semantics::split::{Cone, Named, Reach, split};

/// A search stores no more states than this: a folder of 22 error conditions takes some seconds then.
const STATES_MAX: u64 = 5_000;

/// The scenarios whose first edge can never be taken.
pub(super) fn unreached(
    network: &Network,
    wired: &Wired,
    automata: &IdVec<ScenarioId, ProcessId>,
) -> Vec<ScenarioId> {
    // A model without two sides is told elsewhere.
    let Ok(split) = split(network, wired, &Named::default()) else { return Vec::new() };
    let is_lost = |process: ProcessId| {
        let cone = split.cone(network, &[process], Reach::Near);
        let Some(number) = cone.number(process) else { return false };
        let mut slice = untimed(network, &cone);
        split.forget(&mut slice, &cone.processes, &std::collections::BTreeSet::new());
        let Some(edge) = slice.processes[number].edges.iter().next() else { return false };
        let Some(branch) = edge.branches.first() else { return false };
        let expr = Expr::InLocation(number, branch.target);
        let expr = StateExpr { expr, number: Number::Int, frame: Frame::default() };
        let property = Property::ExistsFinally(expr);
        let outcome = check(&slice, &property, &Options::default(), &mut Bounded);
        outcome.is_ok_and(|it| matches!(it.answer, Answer::NotSatisfied))
    };
    let lost = automata.enumerate().filter(|(_, process)| is_lost(**process));
    lost.map(|(scenario, _)| scenario).collect()
}

/// The processes of a cone without their clocks, and with partners outside that always agree.
fn untimed(network: &Network, cone: &Cone) -> Network {
    let mut slice = cone.slice(network);
    for process in slice.processes.iter_mut() {
        for location in process.locations.iter_mut() {
            location.invariant.clocks.clear();
        }
        let mut more = Vec::new();
        for edge in process.edges.iter_mut() {
            let is_timed = !edge.guard.clocks.is_empty();
            edge.guard.clocks.clear();
            let mut copy = edge.clone();
            match &edge.sync {
                // The partner may be outside.
                Sync::Send(channel) if !network.channels[channel.base].broadcast => {
                    copy.sync = Sync::Internal;
                }
                // Who can receive a broadcast must. Time may have kept the process from it, so it may also stay where it is.
                Sync::Receive(channel) if is_timed && network.channels[channel.base].broadcast => {
                    copy.update.clear();
                    copy.branches.truncate(1);
                    for branch in &mut copy.branches {
                        branch.update.clear();
                        branch.target = edge.source;
                    }
                }
                _ => continue,
            }
            more.push(copy);
        }
        // A scenario's first edge stays the first one.
        for copy in more {
            process.edges.push(copy);
        }
    }
    slice
}

struct Bounded;

impl Observer for Bounded {
    fn elapsed(&mut self) -> std::time::Duration {
        std::time::Duration::ZERO
    }

    fn progress(&mut self, progress: &Progress) -> bool {
        progress.stored <= STATES_MAX
    }
}
