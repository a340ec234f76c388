//! Inputs that some states take and others refuse.
//!
//! A component need not be able to receive a handshake at any time. If some of the states that it may be in take an
//! input and others do not, nobody knows whether the input was taken; the model does not say what a system does that
//! was in one of the others. An estimate goes on with the states that take the input, and tells of the others if it
//! was asked to ([`Estimate::mind_refusals`]). That is the line between *ioco* and *uioco* (van der Bijl, Rensink &
//! Tretmans 2003): only behind inputs that no state refuses does a specification bind a system.
//!
//! A state in which time stands still does not refuse anything: it is left before the input is taken.

use punctual_model::{
    Branch, ClockConstraint, ClockRef, Direction, Edge, EdgeId, Expr, Id, LocationId, Network,
    Process, Relation, SignalId, Sync, Wired,
};
use punctual_zones::Zone;

use super::estimator::Role;
use super::interval::{End, Interval, united};
use super::offers::Shown;
use super::set::{Estimate, Observation, Overflow, What};

/// So many states that refuse an input are told.
const TOLD_MAX: usize = 20;

/// A state that refuses an input which was observed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusing {
    /// The input.
    pub signal: SignalId,
    /// The values that went with it.
    pub values: Vec<i32>,
    /// When the input was observed.
    pub interval: Interval,
    /// The state.
    pub state: Shown,
}

impl Estimate<'_> {
    /// From now on, the states that refuse an input which others take are kept, to be asked for by
    /// [`take_refusing`](Self::take_refusing).
    pub fn mind_refusals(&mut self, minds: bool) {
        self.minds_refusals = minds;
        self.refusing.clear();
    }

    /// The states that have refused an input since this was asked last; some of them, if they are many.
    pub fn take_refusing(&mut self) -> Vec<Refusing> {
        std::mem::take(&mut self.refusing)
    }

    /// Keeps the present states that refuse an input at an instant at which it was observed.
    pub(super) fn note_refusals(&mut self, observation: &Observation<'_>) -> Result<(), Overflow> {
        let What::Signal { signal, values } = observation.what else { return Ok(()) };
        let estimator = self.estimator;
        let observed = &estimator.signals[signal];
        let lower = observation.interval.from.lower(self.origin);
        let upper = observation.end().upper(self.origin);
        let until = self.refusals_until.map(|end| end.upper(self.origin));
        for i in 0..self.entries.len() {
            if self.refusing.len() >= TOLD_MAX {
                return Ok(());
            }
            let Self { explorer, active, entries, work, sent, .. } = self;
            let entry = &entries[i];
            active.set(&estimator.symbolic, &entry.state);
            let time = estimator.time(active);
            work.assign(&entry.zone);
            if entry.is_dead() || !work.constrain(time, 0, upper) || !work.constrain(0, time, lower)
            {
                continue;
            }
            if until.is_some_and(|until| !work.constrain(time, 0, until)) {
                continue;
            }
            let rest = explorer.refusing_on(observed.channel, sent, &entry.state, &*work)?;
            if let Some(zone) = rest.zones().first() {
                let state = self.shown(i, zone);
                let (values, interval) = (values.to_vec(), observation.interval);
                self.refusing.push(Refusing { signal, values, interval, state });
            }
        }
        Ok(())
    }

    /// All instants, from the present up to a horizon, at which some state refuses an input with these values, if
    /// nothing is observed before: disjoint intervals, in their order. Changes nothing.
    ///
    /// # Errors
    /// If the model is in error, or there are too many states.
    pub fn refusal_windows(
        &mut self,
        signal: SignalId,
        values: &[i32],
        horizon: i64,
    ) -> Result<Vec<Interval>, Overflow> {
        let estimator = self.estimator;
        let observed = &estimator.signals[signal];
        if observed.role != Role::Receives || !observed.may_be_refused {
            return Ok(Vec::new());
        }
        if !self.send(observed, values) {
            return Ok(vec![Interval { from: self.now, to: None }]);
        }
        let mut found = Vec::new();
        self.ahead(horizon, &mut |estimate, within| {
            let Self { explorer, active, entries, sent, origin, .. } = estimate;
            for entry in entries.iter().filter(|it| !it.is_dead()) {
                let rest =
                    explorer.refusing_on(observed.channel, sent, &entry.state, &entry.zone)?;
                active.set(&estimator.symbolic, &entry.state);
                let instants = |zone: &Zone| {
                    let time = estimator.time(active);
                    let from = End::of_limit(zone.min(time), *origin);
                    let to = zone.max(time).map(|limit| End::of_limit(limit, *origin));
                    Interval { from, to }.meet(within)
                };
                found.extend(rest.zones().iter().map(instants).filter(|it| !it.is_empty()));
            }
            Ok(())
        })?;
        Ok(united(found))
    }
}

/// Whether some state may refuse a signal that a component receives: false if it can be seen that none does.
pub(super) fn may_be_refused(network: &Network, channel: usize) -> bool {
    let Some(found) = network.channels.iter().nth(channel) else { return true };
    let receives = |edge: &&Edge| match &edge.sync {
        Sync::Receive(at) => {
            let n_members: usize = at.indices.iter().map(|it| it.len as usize).product();
            (at.base.index()..at.base.index() + n_members).contains(&channel)
        }
        _ => false,
    };
    match found.broadcast {
        // Nobody need receive a broadcast, but who does must be allowed to be where it leads.
        true => network.processes.iter().any(|process| {
            let mut edges = process.edges.iter().filter(receives);
            edges.any(|edge| edge.branches.iter().any(|it| !may_always_enter(process, edge, it)))
        }),
        false => !network.processes.iter().any(|process| {
            let takes = |location: LocationId| {
                let mut edges = process.edges.iter().filter(receives);
                edges.any(|edge| {
                    let is_free = edge.guard.clocks.is_empty() && edge.guard.data.is_empty();
                    let is_certain =
                        edge.sync.channel().is_some_and(|it| it.indices.is_empty()) && is_free;
                    edge.source == location
                        && is_certain
                        && edge.branches.iter().any(|it| may_always_enter(process, edge, it))
                })
            };
            process.locations.ids().all(takes)
        }),
    }
}

/// Whether the invariant of where a branch leads holds whenever it is taken, as far as one can see.
fn may_always_enter(process: &Process, edge: &Edge, branch: &Branch) -> bool {
    let invariant = &process.locations[branch.target].invariant;
    let stays = branch.target == edge.source && edge.update.is_empty() && branch.update.is_empty();
    let is_reset = |clock: &ClockRef| {
        let mut updates = edge.update.iter().chain(&branch.update);
        updates.any(|it| {
            matches!(it, Expr::SetClock { clock: set, value } if set == clock && value.as_int() == Some(0))
        })
    };
    let holds_at_zero = |it: &ClockConstraint| {
        let is_bound = match it.relation {
            Relation::Less => it.bound.as_int().is_some_and(|bound| bound > 0),
            Relation::LessEqual => it.bound.as_int().is_some_and(|bound| bound >= 0),
            _ => false,
        };
        is_bound && it.right.is_none() && it.left.as_ref().is_some_and(is_reset)
    };
    stays || (invariant.data.is_empty() && invariant.clocks.iter().all(holds_at_zero))
}

/// Adds, for the analysis of bounds, an edge for each comparison that keeps an input from being taken: whether a state
/// refuses it is looked at, too, so that states are not taken for alike of which one refuses and the other does not.
pub(super) fn with_refusals(network: &mut Network, wired: &Wired) {
    let inputs: Vec<usize> = (wired.wires.enumerate())
        .filter(|(id, _)| wired.interface.signals[*id].direction == Direction::Input)
        .map(|(_, wire)| wire.channel.index())
        .filter(|channel| may_be_refused(network, *channel))
        .collect();
    let n_processes = network.processes.len();
    for process in network.processes.iter_mut().take(n_processes.saturating_sub(1)) {
        let mut more: Vec<Edge> = Vec::new();
        for edge in &process.edges {
            let Sync::Receive(channel) = &edge.sync else { continue };
            let n_members: usize = channel.indices.iter().map(|it| it.len as usize).product();
            let members = channel.base.index()..channel.base.index() + n_members.max(1);
            if !inputs.iter().any(|input| members.contains(input)) {
                continue;
            }
            let targets = edge.branches.iter().map(|it| &process.locations[it.target].invariant);
            let tested = targets.chain([&edge.guard]).flat_map(|it| &it.clocks);
            for constraint in tested.flat_map(negated) {
                let mut refusal = edge.clone();
                refusal.guard.clocks = vec![constraint];
                refusal.update.clear();
                refusal.branches.truncate(1);
                for branch in &mut refusal.branches {
                    branch.update.clear();
                    branch.target = edge.source;
                }
                more.push(refusal);
            }
        }
        for edge in more {
            let _: EdgeId = process.edges.push(edge);
        }
    }
}

/// What holds where a comparison does not.
fn negated(constraint: &ClockConstraint) -> Vec<ClockConstraint> {
    let relations: &[Relation] = match constraint.relation {
        Relation::Less => &[Relation::GreaterEqual],
        Relation::LessEqual => &[Relation::Greater],
        Relation::Equal => &[Relation::Less, Relation::Greater],
        Relation::NotEqual => &[Relation::Equal],
        Relation::GreaterEqual => &[Relation::Less],
        Relation::Greater => &[Relation::LessEqual],
    };
    relations
        .iter()
        .map(|relation| ClockConstraint { relation: *relation, ..constraint.clone() })
        .collect()
}
