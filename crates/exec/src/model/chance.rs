//! A network whose processes decide for themselves when they act, by chance.
//!
//! The race of `semantics::stochastic`, in whole nanoseconds: each process draws an instant that is even between the first at which
//! one of its steps is possible and the last that its own invariant allows, or exponential where there is no last. The
//! first of them acts. All draw anew in each state: what is left of an even delay is even on the rest.

use std::collections::BTreeMap;

use punctual_model::{Expr, Network, ProcessId, Sync};
use punctual_semantics::concrete::Concrete;
use punctual_semantics::program::Chance;

use super::Player;
use crate::SutError;

/// For each process that was asked, the network in which only its own invariant limits time.
#[derive(Default)]
pub(super) struct Alone(BTreeMap<ProcessId, Network>);

impl Alone {
    fn of(&mut self, network: &Network, process: ProcessId) -> &Network {
        self.0.entry(process).or_insert_with(|| {
            let mut alone = network.clone();
            let ids: Vec<ProcessId> = alone.processes.ids().filter(|it| *it != process).collect();
            for other in ids {
                for location in alone.processes[other].locations.iter_mut() {
                    location.invariant.clocks.clear();
                }
            }
            alone
        })
    }
}

impl Player {
    /// The instant at which the first process acts; none if none does.
    pub(super) fn race(&mut self) -> Result<Option<u64>, SutError> {
        self.winner = None;
        let mut alone = std::mem::take(&mut self.alone);
        let mut first: Option<(u64, ProcessId, u64)> = None;
        let ids: Vec<ProcessId> = self.open.network.processes.ids().collect();
        for process in ids {
            if !self.may_act(process) {
                continue;
            }
            let network = alone.of(&self.open.network, process);
            let Some(at_ns) = self.draw(network, process)? else { continue };
            // Of those that act at the same instant, each is as likely.
            let n_tied = match first {
                Some((earliest, _, n)) if earliest == at_ns => n + 1,
                _ => 1,
            };
            let is_first = match first {
                None => true,
                Some((earliest, ..)) if at_ns == earliest => self.below(n_tied) == 0,
                Some((earliest, ..)) => at_ns < earliest,
            };
            match (is_first, &mut first) {
                (true, _) => first = Some((at_ns, process, n_tied)),
                (false, Some((earliest, _, n))) if *earliest == at_ns => *n = n_tied,
                _ => {}
            }
        }
        self.alone = alone;
        let Some((at_ns, winner, _)) = first else { return Ok(None) };
        self.winner = Some(winner);
        Ok(Some(at_ns))
    }

    /// Whether a process has a step of its own where it is.
    fn may_act(&self, process: ProcessId) -> bool {
        let at = self.state.locations[punctual_model::Id::index(process)];
        let edges = self.open.network.processes[process].edges.iter();
        edges.into_iter().any(|edge| edge.source == at && !matches!(edge.sync, Sync::Receive(_)))
    }

    /// The instant at which a process acts if no other one does before; none if it never does.
    fn draw(&mut self, network: &Network, process: ProcessId) -> Result<Option<u64>, SutError> {
        let concrete = Concrete::new(network);
        let windows =
            self.windows(&concrete, |moves| moves.first().is_some_and(|it| it.process == process))?;
        let Some(first) = windows.first().map(|window| window.first) else { return Ok(None) };
        let limit = concrete.wait_limit(&self.state).map_err(|fault| self.error(fault))?;
        let delay_ns = match limit.0 {
            Some(last) => {
                let last = self.floor_ns(last).max(first);
                first + self.below(last - first + 1)
            }
            None => {
                let rate = self.rate(process)?;
                let units = -(1.0 - self.chance.unit()).ln() / rate;
                first.saturating_add((units * self.unit_ns as f64) as u64)
            }
        };
        Ok(Some(self.now_ns.saturating_add(delay_ns)))
    }

    /// The rate at which a process leaves a location that it may stay in for ever.
    fn rate(&self, process: ProcessId) -> Result<f64, SutError> {
        let at = self.state.locations[punctual_model::Id::index(process)];
        let location = &self.open.network.processes[process].locations[at];
        let Some(rate) = &location.exponential_rate else { return Ok(1.0) };
        let number = |expr: &Expr| match expr {
            Expr::Double(it) => Some(*it),
            Expr::ToDouble(it) => it.as_int().map(f64::from),
            other => other.as_int().map(f64::from),
        };
        let divisor = rate.divisor.as_ref().map_or(Some(1.0), number);
        match (number(&rate.value), divisor) {
            (Some(value), Some(divisor)) if value > 0.0 && divisor > 0.0 => Ok(value / divisor),
            _ => Err(self.error("a rate that is no constant can not be played")),
        }
    }
}
