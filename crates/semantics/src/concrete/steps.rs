//! The transitions that are possible at an instant.
//!
//! First every process lists its enabled *choices*: edges with selected values whose guard holds.
//! Then choices that go together make *synchronisations*. Each of them gives a transition for
//! every combination of branches, unless an invariant or a priority forbids it.

use std::collections::BTreeSet;

use punctual_model::{
    ChannelId, ChannelRef, EdgeId, EventId, Id, LocationKind, Network, Process, ProcessId,
    RangePolicy, Select, Sync, SyncVector,
};

use super::{
    Concrete, Failure, State,
    eval::{Machine, Reading},
};
use crate::{Fault, FaultKind, Move, Rational};

/// With whom an edge is taken, now that indices are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Label {
    Internal,
    Send(ChannelId),
    Receive(ChannelId),
    Csp(ChannelId),
    Event(EventId),
}

/// An edge that a process could take, as far as its guard is concerned.
#[derive(Clone, Debug)]
struct Choice {
    process: ProcessId,
    edge: EdgeId,
    selects: Vec<i32>,
    label: Label,
}

/// Choices that are taken together, in the order of their updates.
struct Synchronisation {
    /// What it goes over, if it is a channel.
    channel: Option<ChannelId>,
    choices: Vec<Choice>,
}

/// What comes of a transition: nothing if it is not possible.
type Outcome = Result<Option<State>, Fault>;

impl Concrete<'_> {
    /// The transitions that are possible right now, without waiting: their moves in the order of
    /// the updates, and the state after.
    ///
    /// # Errors
    /// If a guard can not be evaluated, or if a transition that nothing forbids is an error.
    pub fn transitions(&self, state: &State) -> Result<Vec<(Vec<Move>, State)>, Failure> {
        self.transitions_at(state, &self.standing(), &mut BTreeSet::new())
    }

    pub(super) fn transitions_at(
        &self,
        state: &State,
        moving: &[bool],
        critical: &mut BTreeSet<Rational>,
    ) -> Result<Vec<(Vec<Move>, State)>, Failure> {
        let choices = self.choices(state, moving, critical)?;
        let mut found = Vec::new();
        for synchronisation in self.synchronisations(state, &choices) {
            if !self.respects_committed(state, &synchronisation) {
                continue;
            }
            let priority = self.priority(&synchronisation);
            for moves in self.moves(&synchronisation) {
                match self.apply(state, &moves, moving, critical) {
                    Ok(None) => {}
                    Ok(Some(after)) => found.push((priority, moves, Ok(after))),
                    Err(fault) => found.push((priority, moves, Err(fault))),
                }
            }
        }
        // An error counts like a transition: it forbids those of lower priority, and is no error
        // if one of higher priority forbids it.
        let highest = found.iter().map(|(priority, ..)| *priority).max();
        let mut transitions = Vec::new();
        for (priority, moves, outcome) in found {
            match outcome {
                _ if Some(priority) != highest => {}
                Ok(after) => transitions.push((moves, after)),
                Err(fault) => return Err(Failure { fault, moves }),
            }
        }
        Ok(transitions)
    }

    /// Whether a synchronisation over an urgent channel is enabled, as far as guards are
    /// concerned.
    pub(super) fn urgent_enabled(
        &self,
        state: &State,
        moving: &[bool],
        critical: &mut BTreeSet<Rational>,
    ) -> Result<bool, Fault> {
        if !self.network.channels.iter().any(|channel| channel.urgent) {
            return Ok(false);
        }
        let choices = self.choices(state, moving, critical)?;
        let synchronisations = self.synchronisations(state, &choices);
        let mut channels = synchronisations.iter().filter_map(|s| s.channel);
        Ok(channels.any(|channel| self.network.channels[channel].urgent))
    }

    /// For each process, the edges with selected values whose guards hold.
    fn choices(
        &self,
        state: &State,
        moving: &[bool],
        critical: &mut BTreeSet<Rational>,
    ) -> Result<Vec<Vec<Choice>>, Failure> {
        let mut choices = Vec::new();
        for (id, process) in self.network.processes.enumerate() {
            let mut enabled = Vec::new();
            for (edge, selects) in edges(state, id, process) {
                let choice = self.choice(state, (id, edge, &selects), moving, critical);
                let moves =
                    || vec![Move { process: id, edge, branch: 0, selects: selects.clone() }];
                match choice {
                    Ok(choice) => enabled.extend(choice),
                    Err(fault) => return Err(Failure { fault, moves: moves() }),
                }
            }
            choices.push(enabled);
        }
        Ok(choices)
    }

    /// The choice, if the guard of the edge holds. The index of a channel is evaluated where the
    /// data part of the guard holds, whatever the clocks say.
    fn choice(
        &self,
        state: &State,
        (process, id, selects): (ProcessId, EdgeId, &[i32]),
        moving: &[bool],
        critical: &mut BTreeSet<Rational>,
    ) -> Result<Option<Choice>, Fault> {
        let edge = &self.network.processes[process].edges[id];
        let mut machine = Machine::new(self.network, state, moving, critical);
        machine.enter(edge.frame);
        for (select, value) in edge.selects.iter().zip(selects) {
            machine.set_local(select.slot, *value);
        }
        if !machine.data_part(&edge.guard)? {
            return Ok(None);
        }
        let mut channel = |channel: &ChannelRef| {
            let offset = machine.offset(&channel.indices)?;
            Ok::<_, Fault>(ChannelId::from_index(channel.base.index() + offset))
        };
        let label = match &edge.sync {
            Sync::Internal => Label::Internal,
            Sync::Send(name) => Label::Send(channel(name)?),
            Sync::Receive(name) => Label::Receive(channel(name)?),
            Sync::Csp(name) => Label::Csp(channel(name)?),
            Sync::Event(event) => Label::Event(*event),
        };
        let choice = Choice { process, edge: id, selects: selects.to_vec(), label };
        Ok(machine.clock_part(&edge.guard)?.then_some(choice))
    }

    /// All ways to take choices together.
    fn synchronisations(&self, state: &State, choices: &[Vec<Choice>]) -> Vec<Synchronisation> {
        let mut found = Vec::new();
        for choice in choices.iter().flatten() {
            match choice.label {
                Label::Internal => {
                    found.push(Synchronisation { channel: None, choices: vec![choice.clone()] });
                }
                Label::Event(event) => {
                    if !self.synchronised.contains(&(choice.process, event)) {
                        let choices = vec![choice.clone()];
                        found.push(Synchronisation { channel: None, choices });
                    }
                }
                Label::Send(channel) => {
                    let broadcast = self.network.channels[channel].broadcast;
                    let receivers = receivers(choices, choice.process, channel);
                    let sets = if broadcast { product(&receivers) } else { singles(&receivers) };
                    for receivers in sets {
                        let choices = [vec![choice.clone()], receivers].concat();
                        found.push(Synchronisation { channel: Some(channel), choices });
                    }
                }
                // The sender, the first participant and the vector look for these.
                Label::Receive(_) | Label::Csp(_) => {}
            }
        }
        for channel in self.network.channels.ids() {
            let sets = self.with_all_who_know(channel, choices).into_iter();
            let channel = Some(channel);
            found.extend(sets.map(|choices| Synchronisation { channel, choices }));
        }
        for vector in self.network.sync_vectors.iter().filter(|v| v.participants.len() > 1) {
            let sets = self.vector(state, vector, choices).into_iter();
            found.extend(sets.map(|choices| Synchronisation { channel: None, choices }));
        }
        found
    }

    /// In the style of CSP: every process that knows the channel takes part.
    fn with_all_who_know(&self, channel: ChannelId, choices: &[Vec<Choice>]) -> Vec<Vec<Choice>> {
        let knowing = self.alphabets.iter().zip(choices);
        let knowing = knowing.filter(|(alphabet, _)| alphabet.contains(&channel));
        let sets: Vec<_> =
            knowing.map(|(_, choices)| labelled(choices, Label::Csp(channel))).collect();
        match sets.is_empty() {
            true => Vec::new(),
            false => product(&sets),
        }
    }

    /// Strong participants must take part. Weak ones must if they have an edge with their event,
    /// whatever its guard says. Somebody must.
    fn vector(
        &self,
        state: &State,
        vector: &SyncVector,
        choices: &[Vec<Choice>],
    ) -> Vec<Vec<Choice>> {
        let mut sets = Vec::new();
        for participant in &vector.participants {
            let process = &self.network.processes[participant.process];
            let at = state.locations[participant.process.index()];
            let sync = Sync::Event(participant.event);
            let has_edge = process.edges.iter().any(|edge| edge.source == at && edge.sync == sync);
            if !participant.weak || has_edge {
                let choices = &choices[participant.process.index()];
                sets.push(labelled(choices, Label::Event(participant.event)));
            }
        }
        match sets.is_empty() {
            true => Vec::new(),
            false => product(&sets),
        }
    }

    /// While some process is in a committed location, one of those must take part.
    fn respects_committed(&self, state: &State, synchronisation: &Synchronisation) -> bool {
        let committed: Vec<ProcessId> = self
            .locations(state)
            .filter(|(_, location)| location.kind == LocationKind::Committed)
            .map(|(process, _)| process)
            .collect();
        committed.is_empty()
            || synchronisation.choices.iter().any(|choice| committed.contains(&choice.process))
    }

    /// First that of the channel, then the highest of the processes that take part.
    fn priority(&self, synchronisation: &Synchronisation) -> (i32, Option<i32>) {
        let network = self.network;
        let channel = synchronisation.channel;
        let channel =
            channel.map_or(network.default_priority, |channel| network.channels[channel].priority);
        let processes = synchronisation.choices.iter();
        (channel, processes.map(|choice| network.processes[choice.process].priority).max())
    }

    /// Every participant takes one of the branches of its edge.
    fn moves(&self, synchronisation: &Synchronisation) -> Vec<Vec<Move>> {
        let mut sets = Vec::new();
        for choice in &synchronisation.choices {
            let &Choice { process, edge, .. } = choice;
            let mut moves = Vec::new();
            let branches = &self.network.processes[process].edges[edge].branches;
            for (branch, taken) in branches.iter().enumerate() {
                for selects in values(&taken.selects) {
                    let selects = [choice.selects.clone(), selects].concat();
                    moves.push(Move { process, edge, branch, selects });
                }
            }
            sets.push(moves);
        }
        product(&sets)
    }

    /// What a transition leads to.
    fn apply(
        &self,
        state: &State,
        moves: &[Move],
        moving: &[bool],
        critical: &mut BTreeSet<Rational>,
    ) -> Outcome {
        match self.apply_always(state, moves, moving, critical) {
            Err(Fault { kind: FaultKind::Range { .. } })
                if self.network.range_policy == RangePolicy::Disable =>
            {
                Ok(None)
            }
            outcome => outcome,
        }
    }

    fn apply_always(
        &self,
        state: &State,
        moves: &[Move],
        moving: &[bool],
        critical: &mut BTreeSet<Rational>,
    ) -> Outcome {
        let network = self.network;
        let mut machine = Machine::new(network, state, moving, critical);
        machine.enter(network.update_frame);
        machine.run(&network.before_update)?;
        let mut locations = state.locations.clone();
        for taken in moves {
            let edge = &network.processes[taken.process].edges[taken.edge];
            let branch = &edge.branches[taken.branch];
            machine.enter(edge.frame);
            let selects = edge.selects.iter().chain(&branch.selects);
            for (select, value) in selects.zip(&taken.selects) {
                machine.set_local(select.slot, *value);
            }
            machine.run(&edge.update)?;
            machine.run(&branch.update)?;
            locations[taken.process.index()] = branch.target;
        }
        machine.enter(network.update_frame);
        machine.run(&network.after_update)?;
        machine.locations = locations;
        machine.clear_meta();
        if !self.invariants(&mut machine)? {
            return Ok(None);
        }
        let clocks = machine.clocks.iter().map(|Reading { value, .. }| *value).collect();
        Ok(Some(State { locations: machine.locations, ints: machine.ints, clocks }))
    }
}

/// The edges that leave the present location, with all values that can be selected.
fn edges(state: &State, id: ProcessId, process: &Process) -> Vec<(EdgeId, Vec<i32>)> {
    let at = state.locations[id.index()];
    let leaving = process.edges.enumerate().filter(|(_, edge)| edge.source == at);
    leaving
        .flat_map(|(id, edge)| values(&edge.selects).into_iter().map(move |values| (id, values)))
        .collect()
}

/// For each process other than the sender that can receive, how it can.
fn receivers(choices: &[Vec<Choice>], sender: ProcessId, channel: ChannelId) -> Vec<Vec<Choice>> {
    let others = choices.iter().enumerate().filter(|(process, _)| *process != sender.index());
    let sets = others.map(|(_, choices)| labelled(choices, Label::Receive(channel)));
    sets.filter(|set| !set.is_empty()).collect()
}

fn labelled(choices: &[Choice], label: Label) -> Vec<Choice> {
    choices.iter().filter(|choice| choice.label == label).cloned().collect()
}

/// Each element of each set alone.
fn singles<T: Clone>(sets: &[Vec<T>]) -> Vec<Vec<T>> {
    sets.iter().flatten().map(|element| vec![element.clone()]).collect()
}

/// All ways to take one element of each set; one way (none of nothing) if there are no sets.
pub(super) fn product<T: Clone>(sets: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut product = vec![Vec::new()];
    for set in sets {
        let longer = |tuple: &Vec<T>| {
            let tuple = tuple.clone();
            set.iter().map(move |element| [tuple.clone(), vec![element.clone()]].concat())
        };
        product = product.iter().flat_map(longer).collect();
    }
    product
}

fn values(selects: &[Select]) -> Vec<Vec<i32>> {
    let ranges = selects.iter().map(|select| (select.range.lo..=select.range.hi).collect());
    product(&ranges.collect::<Vec<_>>())
}

/// The channels that a process knows in the style of CSP: all elements that an index can reach.
pub(super) fn alphabet(process: &Process) -> BTreeSet<ChannelId> {
    let mut alphabet = BTreeSet::new();
    for edge in &process.edges {
        let Sync::Csp(channel) = &edge.sync else { continue };
        let offsets = channel
            .indices
            .iter()
            .map(|index| (0..index.len as usize).map(|i| i * index.stride as usize).collect());
        for offsets in product(&offsets.collect::<Vec<_>>()) {
            let offset: usize = offsets.iter().sum();
            alphabet.insert(ChannelId::from_index(channel.base.index() + offset));
        }
    }
    alphabet
}

/// The events of processes that happen only together with others.
pub(super) fn synchronised(network: &Network) -> BTreeSet<(ProcessId, EventId)> {
    let vectors = network.sync_vectors.iter().filter(|vector| vector.participants.len() > 1);
    let participants = vectors.flat_map(|vector| &vector.participants);
    participants.map(|participant| (participant.process, participant.event)).collect()
}
