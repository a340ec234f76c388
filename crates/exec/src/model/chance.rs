//! A network whose processes decide for themselves when they act, by chance.
//!
//! The race of `semantics::stochastic`, in whole nanoseconds: each process draws an instant that is even between the first at which
//! one of its steps is possible and the last that its own invariant allows, or exponential where there is no last. The
//! first of them acts. All draw anew in each state: what is left of an even delay is even on the rest.

use std::collections::BTreeMap;
use std::ops::Range;

use punctual_model::{ChannelRef, Edge, Expr, Id, Index, LocationKind, Network, ProcessId, Sync};
use punctual_semantics::Move;
use punctual_semantics::concrete::Concrete;
use punctual_semantics::program::Chance;

use super::{Player, Step};
use crate::SutError;

/// For each process that was asked, the network in which only its own invariant limits time, it does only what it starts
/// itself, and others only go along with that. So the cost of a draw depends on the process, not on the size of the
/// network.
#[derive(Default)]
pub(super) struct Alone(BTreeMap<ProcessId, Network>);

impl Alone {
    fn of(&mut self, network: &Network, process: ProcessId) -> &Network {
        self.0.entry(process).or_insert_with(|| {
            let mut alone = network.clone();
            let ours = &network.processes[process].edges;
            let sent: Vec<Range<usize>> = (ours.iter())
                .filter_map(|edge| match &edge.sync {
                    Sync::Send(channel) => Some(channels(channel)),
                    _ => None,
                })
                .collect();
            let goes_along = |edge: &&Edge| match &edge.sync {
                Sync::Receive(channel) => {
                    let heard = channels(channel);
                    sent.iter().any(|sent| sent.start < heard.end && heard.start < sent.end)
                }
                Sync::Csp(_) => true,
                _ => false,
            };
            let starts = |edge: &&Edge| !matches!(edge.sync, Sync::Receive(_));
            alone.processes[process].edges = ours.iter().filter(starts).cloned().collect();
            let ids: Vec<ProcessId> = alone.processes.ids().filter(|it| *it != process).collect();
            for other in ids {
                let other = &mut alone.processes[other];
                for location in other.locations.iter_mut() {
                    location.invariant.clocks.clear();
                }
                other.edges = other.edges.iter().filter(goes_along).cloned().collect();
            }
            alone
        })
    }
}

/// The numbers of the channels that a reference may mean.
fn channels(channel: &ChannelRef) -> Range<usize> {
    let last = |index: &Index| (index.len.saturating_sub(1) * index.stride) as usize;
    let base = channel.base.index();
    base..base + channel.indices.iter().map(last).sum::<usize>() + 1
}

impl Player {
    /// The instant at which the first process acts; none if none does.
    pub(super) fn race(&mut self) -> Result<Option<u64>, SutError> {
        self.winner = None;
        let mut alone = std::mem::take(&mut self.alone);
        let mut first: Option<(u64, ProcessId, u64)> = None;
        let ids: Vec<ProcessId> = self.open.network.processes.ids().collect();
        // Those that let no time pass go before the others.
        let (urgent, others): (Vec<ProcessId>, Vec<ProcessId>) =
            ids.into_iter().filter(|it| self.may_act(*it)).partition(|it| self.stops(*it));
        for process in urgent.into_iter().chain(others) {
            if first.is_some_and(|(_, winner, _)| self.stops(winner)) && !self.stops(process) {
                break;
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

    /// Keeps the steps in which the first process does one of the things it can do, each as likely: who goes along is chosen after
    /// that.
    pub(super) fn choose_offer(&mut self, steps: &mut Vec<Step>) {
        let mut offers: Vec<Move> = Vec::new();
        for first in steps.iter().filter_map(|(moves, _)| moves.first()) {
            if !offers.contains(first) {
                offers.push(first.clone());
            }
        }
        if offers.len() > 1 {
            let offer = offers.swap_remove(self.below(offers.len() as u64) as usize);
            steps.retain(|(moves, _)| moves.first() == Some(&offer));
        }
    }

    /// Whether a process has a step of its own where it is.
    fn may_act(&self, process: ProcessId) -> bool {
        let at = self.state.locations[punctual_model::Id::index(process)];
        let edges = self.open.network.processes[process].edges.iter();
        edges.into_iter().any(|edge| edge.source == at && !matches!(edge.sync, Sync::Receive(_)))
    }

    /// Whether the location of a process lets no time pass.
    fn stops(&self, process: ProcessId) -> bool {
        let at = self.state.locations[punctual_model::Id::index(process)];
        let location = &self.open.network.processes[process].locations[at];
        location.kind != LocationKind::Normal
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
