//! What is to be said of a trace, by all runs of a system.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{Id, LocationKind, SignalId};
use punctual_oracle::Cause;
use punctual_semantics::Move;
use punctual_semantics::concrete::{Concrete, State};

use super::hindsight::{
    Signalled, Windows, carried, extended, parts, signal_windows, without_empty,
};
use super::regions::{Explained, Instant, Observed, Regions, Seen};

/// Sets of more signals are not looked for.
const TOGETHER_MAX: usize = 16;

/// What is to be said.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Said {
    Pass,
    /// The system says nothing about an input.
    Unspecified,
    /// A fault, if all inputs were taken; some state refuses one of them.
    Doubtful(Fault),
    Fail(Fault),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Fault {
    pub(super) cause: Cause,
    /// What is to blame.
    pub(super) guilty: BTreeSet<usize>,
    /// The smallest sets of outputs that let time pass beyond the last instant without any.
    pub(super) due: BTreeSet<Vec<Signalled>>,
    /// The last instant without any output, if nothing else was seen.
    pub(super) last: Instant,
    /// Whether no outputs at all let time pass: the system stops it by itself.
    pub(super) is_hopeless: bool,
    /// When which output was allowed, up to the horizon or the last instant.
    pub(super) windows: Windows<Signalled>,
}

/// A trace up to what is wrong with it.
pub(super) struct Search<'r> {
    regions: &'r Regions,
    states: Explained,
    carried: Windows<Signalled>,
    /// Whether some state has refused an input that others took.
    pub(super) has_doubt: bool,
}

impl<'r> Search<'r> {
    pub(super) fn new(regions: &'r Regions) -> Search<'r> {
        Search { regions, states: regions.initial(), carried: Windows::new(), has_doubt: false }
    }

    /// What is said of a signal at an instant. None if there are too many states.
    pub(super) fn observe(&mut self, seen: &Seen, horizon: Instant) -> Option<Said> {
        let Observed::Signal(signal, values) = &seen.what else { return Some(Said::Pass) };
        let queue = std::slice::from_ref(seen);
        let all = self.regions.explore(&self.states, [queue, &[], &[]], seen.to)?;
        let (before, next): (Explained, Explained) =
            all.into_iter().partition(|(_, done)| *done == [0; 3]);
        if next.is_empty() {
            let is_input = self.regions.uses[signal.index()].0;
            if before.iter().all(|it| self.regions.instant(&it.0) < seen.from) {
                let output = (!is_input).then_some((*signal, values.clone()));
                return self.overdue(&before, output.as_ref()).map(|it| self.blamed(it));
            }
            return match is_input {
                true => Some(Said::Unspecified),
                false => self
                    .wrong((*signal, values.clone()), seen.from, horizon)
                    .map(|it| self.blamed(it)),
            };
        }
        if self.regions.uses[signal.index()].0 {
            let then = before.iter().filter(|it| self.regions.instant(&it.0) >= seen.from);
            self.has_doubt |=
                then.into_iter().any(|(state, _)| self.refuses(state, *signal, values));
        }
        let by_its_end = |it: &(_, _)| self.regions.instant(&it.0) <= seen.to;
        let before: Explained = before.into_iter().filter(by_its_end).collect();
        let found = self.outputs(&before);
        self.carried = carried(&found, &self.carried, seen.from);
        self.carried.remove(&(*signal, values.clone()));
        self.states = next.into_iter().map(|(state, _)| (state, [0; 3])).collect();
        Some(Said::Pass)
    }

    /// What is said if nothing more is seen up to an instant.
    pub(super) fn end(&mut self, at: Instant) -> Option<Said> {
        let all = self.regions.explore(&self.states, [&[]; 3], at)?;
        if all.iter().any(|it| self.regions.instant(&it.0) >= at) {
            return Some(Said::Pass);
        }
        self.overdue(&all, None).map(|it| self.blamed(it))
    }

    fn blamed(&self, fault: Fault) -> Said {
        if self.has_doubt { Said::Doubtful(fault) } else { Said::Fail(fault) }
    }

    /// Whether a state can not take an input, and time may pass in it.
    fn refuses(&self, state: &State, signal: SignalId, values: &[i32]) -> bool {
        let network = &self.regions.network;
        let concrete = Concrete::new(network);
        if !self.regions.given(&concrete, state, signal, values).is_empty() {
            return false;
        }
        let places = network.processes.enumerate().zip(&state.locations);
        let mut kinds = places.map(|((_, process), at)| process.locations[*at].kind);
        let steps = concrete.transitions(state).unwrap();
        let is_urgent = |moves: &[Move]| {
            moves.iter().any(|it| {
                let sync = &network.processes[it.process].edges[it.edge].sync;
                sync.channel().is_some_and(|channel| network.channels[channel.base].urgent)
            })
        };
        let stands_still = kinds.any(|kind| kind != LocationKind::Normal)
            || steps.iter().any(|(moves, _)| is_urgent(moves));
        !stands_still
    }

    /// When outputs are possible, by some states.
    fn outputs(&self, states: &Explained) -> Windows<Signalled> {
        let mut found = signal_windows(self.regions, states);
        found.retain(|(signal, _), _| !self.regions.uses[signal.index()].0);
        found
    }

    fn last(&self, states: &Explained) -> Instant {
        states.iter().map(|it| self.regions.instant(&it.0)).max().unwrap_or(0)
    }

    /// Time could not pass: `silent` are all states without any output.
    fn overdue(&self, silent: &Explained, seen: Option<&Signalled>) -> Option<Fault> {
        let last = self.last(silent);
        let (due, is_hopeless) = self.due(silent, last)?;
        let is_late = seen.is_some_and(|seen| due.iter().flatten().any(|it| it == seen));
        let guilty = match (is_late, seen) {
            (true, Some((signal, _))) => BTreeSet::from([signal.index()]),
            _ => due.iter().flatten().map(|(signal, _)| signal.index()).collect(),
        };
        let cause = if is_late { Cause::TooLate } else { Cause::Missing };
        let windows = without_empty(extended(&self.outputs(silent), &self.carried));
        Some(Fault { cause, guilty, due, last, is_hopeless, windows })
    }

    fn due(&self, silent: &Explained, last: Instant) -> Option<(BTreeSet<Vec<Signalled>>, bool)> {
        let concrete = Concrete::new(&self.regions.network);
        let mut open: BTreeMap<Vec<Signalled>, Explained> =
            BTreeMap::from([(Vec::new(), silent.clone())]);
        let mut known = vec![silent.clone()];
        for _ in 0..TOGETHER_MAX {
            let mut next: BTreeMap<Vec<Signalled>, Explained> = BTreeMap::new();
            for (set, states) in &open {
                for (state, done) in states {
                    for (action, after) in self.regions.steps(&concrete, state) {
                        let Some(action) = action else { continue };
                        let mut set = set.clone();
                        set.push(action);
                        set.sort_unstable();
                        let after = (self.regions.canonical(after), *done);
                        next.entry(set).or_default().insert(after);
                    }
                }
            }
            let mut found = BTreeSet::new();
            for (set, states) in &mut next {
                *states = self.regions.explore(states, [&[]; 3], last + 1)?;
                if self.last(states) > last {
                    found.insert(set.clone());
                }
            }
            if !found.is_empty() {
                return Some((found, false));
            }
            // States that fewer signals lead to help no more than these.
            next.retain(|_, states| !known.contains(states));
            if next.is_empty() {
                return Some((BTreeSet::new(), true));
            }
            known.extend(next.values().cloned());
            open = next;
        }
        None
    }

    /// An output that was seen at an instant at which it is not possible.
    fn wrong(&self, seen: Signalled, at: Instant, horizon: Instant) -> Option<Fault> {
        let all = self.regions.explore(&self.states, [&[]; 3], horizon)?;
        let windows = without_empty(extended(&self.outputs(&all), &self.carried));
        let exact = windows.get(&seen).map(parts).unwrap_or_default();
        let has_other_value =
            windows.iter().any(|((signal, _), them)| *signal == seen.0 && them.contains(&at));
        let cause = match nearest(&exact, at) {
            Some(true) => Cause::TooEarly,
            Some(false) => Cause::TooLate,
            None if has_other_value => Cause::WrongValue,
            None => Cause::WrongOutput,
        };
        let guilty = BTreeSet::from([seen.0.index()]);
        let (due, last) = (BTreeSet::new(), self.last(&all));
        Some(Fault { cause, guilty, due, last, is_hopeless: false, windows })
    }
}

/// Whether the window that is nearest to an instant is later; of two that are as near, the later one counts. Points
/// of the grid are compared.
fn nearest(windows: &[BTreeSet<Instant>], at: Instant) -> Option<bool> {
    let from = at.div_euclid(2);
    let to = (at + 1).div_euclid(2);
    let distance = |window: &BTreeSet<Instant>| {
        let (first, last) = (*window.first()?, *window.last()?);
        let before = from - (last + 1).div_euclid(2);
        let after = first.div_euclid(2) - to;
        Some((before.max(after).max(0), first <= at))
    };
    windows.iter().filter_map(distance).min().map(|(_, is_earlier)| !is_earlier)
}

pub(super) fn number(signal: SignalId) -> usize {
    signal.index()
}
