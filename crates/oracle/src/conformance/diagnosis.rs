//! Why a verdict is not a pass, as data.

use punctual_model::{
    Action, ClockId, EdgeId, Happening, Id, Interface, LocationId, PortId, ProcessId, SignalId,
    Value,
};
use punctual_semantics::budget::Spent;
use punctual_semantics::estimate::{
    Blocked, End, Estimate, Interval, Offer, Overflow, Role, Sent, Windows,
};
use punctual_semantics::split::Side;
use punctual_semantics::symbolic::Trouble;

use super::followed::{Glimpse, Past};
use super::{Part, Specification};
use crate::Cause;

/// Why a verdict is not a pass.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnosis {
    /// The cause, from the list that all oracles share.
    pub cause: Cause,
    /// The side of the model that can not explain what was seen.
    pub side: Side,
    /// What was seen: a signal or a reading; nothing if that is the matter.
    pub seen: Option<Happening>,
    /// The instants at which that was seen, in points of the grid.
    pub interval: Interval,
    /// What would have been allowed since the last observation, and when: whole windows, also if they
    /// began before or are over.
    pub allowed: Vec<Allowed>,
    /// The instant up to which hidden steps were followed, in points of the grid; none if no hidden step
    /// was left out. What is allowed only after later ones is not known.
    pub horizon: Option<i64>,
    /// The last instant up to which nothing need have happened; none if nothing ever need have.
    pub latest: Option<End>,
    /// What had to come up to `latest` and did not: sets of signals, one of which had to come, each with all of
    /// its signals. Nothing if time could pass, or if no signal would have helped.
    pub missing: Vec<Vec<Possible>>,
    /// The last states that explain what was seen before.
    pub states: Vec<StateShown>,
    /// The edges of the system that an output could have taken, those of the seen signal first.
    pub cut_off: Vec<CutOff>,
    /// The error of the model, if that is the cause.
    pub trouble: Option<Box<Trouble>>,
    /// The input that may not have been taken, and what would be the cause if it was; if that is why nobody is blamed.
    pub refused: Option<Box<Refused>>,
}

/// An input that some states take and others refuse. A system that was in one of the others may do anything from then
/// on, as far as the model says.
#[derive(Clone, PartialEq, Debug)]
pub struct Refused {
    /// The input.
    pub input: Happening,
    /// Its number among the inputs of the run, from 0.
    pub number: usize,
    /// The instants at which it may have come, in points of the grid.
    pub interval: Interval,
    /// States that refuse it; some of them, if they are many.
    pub states: Vec<StateShown>,
    /// What would be the cause if the input was taken.
    pub otherwise: Cause,
}

/// Something that would have been allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allowed {
    /// What would have been allowed.
    pub what: Possible,
    /// The instants at which it would have been allowed.
    pub interval: Interval,
}

/// What a specification can allow.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Possible {
    /// A signal, with these values; with any values if there are none.
    Signal(SignalId, Option<Vec<Value>>),
    /// Ports that have these values.
    Reading(Vec<(PortId, Value)>),
}

impl Diagnosis {
    /// The signals that are to blame, each once: those that had to come if one is missing, or else the one that was
    /// seen. None if the reason is no signal.
    #[must_use]
    pub fn guilty(&self) -> Vec<SignalId> {
        if let Some(Happening::Signal(action)) = self.refused.as_ref().map(|it| &it.input) {
            return vec![action.signal];
        }
        let mut signals: Vec<SignalId> = match (self.cause, &self.seen) {
            _ if self.stops_time() => Vec::new(),
            (Cause::Missing | Cause::TesterLate, _) => {
                self.missing.iter().flatten().filter_map(Possible::signal).collect()
            }
            (_, Some(Happening::Signal(action))) => vec![action.signal],
            _ => Vec::new(),
        };
        signals.sort_unstable();
        signals.dedup();
        signals
    }

    /// The ports of a reading that show what they can not show, each once: those whose value no allowed reading has, or
    /// all of them if each value alone is possible.
    #[must_use]
    pub fn guilty_ports(&self) -> Vec<PortId> {
        let (Some(Happening::Reading(reading)), Cause::WrongValue) = (&self.seen, self.cause)
        else {
            return Vec::new();
        };
        let is_then = |it: &&Allowed| !it.interval.meet(self.interval).is_empty();
        let then: Vec<&[(PortId, Value)]> = (self.allowed.iter().filter(is_then))
            .filter_map(|it| match &it.what {
                Possible::Reading(values) => Some(&values[..]),
                Possible::Signal(..) => None,
            })
            .collect();
        let known = reading.values.iter().filter(|(port, _)| {
            then.iter().any(|values| values.iter().any(|(other, _)| other == port))
        });
        let known: Vec<&(PortId, Value)> = known.collect();
        let wrong = known.iter().filter(|it| !then.iter().any(|values| values.contains(it)));
        let wrong: Vec<PortId> = wrong.map(|(port, _)| *port).collect();
        match wrong.is_empty() {
            true => known.into_iter().map(|(port, _)| *port).collect(),
            false => wrong,
        }
    }

    /// Whether the specification stops time by itself: an error of the model.
    #[must_use]
    pub fn stops_time(&self) -> bool {
        self.cause == Cause::ModelError && self.trouble.is_none() && self.latest.is_some()
    }

    /// Nobody is blamed, since an input may not have been taken.
    pub(super) fn excuse(&mut self, refused: &Refused) {
        if self.cause.is_failure() {
            self.refused = Some(Box::new(Refused { otherwise: self.cause, ..refused.clone() }));
            self.cause = Cause::Refused;
        }
    }

    /// Adds what another part of the same side had to send by the same instant.
    pub(super) fn join(&mut self, other: Diagnosis) {
        let is_due = |it: &Allowed| other.missing.iter().flatten().any(|due| *due == it.what);
        self.allowed.extend(other.allowed.into_iter().filter(is_due));
        let mut missing = Vec::new();
        for ours in &self.missing {
            for theirs in other.missing.iter().take(JOINED_MAX) {
                let mut both = [&ours[..], theirs].concat();
                both.sort_unstable();
                missing.push(both);
            }
        }
        // What came is one of the signals that had to come, if another part says so.
        if other.cause == Cause::TooLate {
            self.cause = Cause::TooLate;
        }
        if !missing.is_empty() {
            self.missing = missing;
        } else if self.missing.is_empty() {
            self.missing = other.missing;
        }
    }
}

impl Possible {
    /// The signal, if it is one.
    #[must_use]
    pub fn signal(&self) -> Option<SignalId> {
        match self {
            Possible::Signal(signal, _) => Some(*signal),
            Possible::Reading(_) => None,
        }
    }

    /// Whether it is a signal with its values, or with any.
    pub(super) fn is(&self, seen: &Action) -> bool {
        match self {
            Possible::Signal(signal, values) => {
                *signal == seen.signal && values.as_ref().is_none_or(|them| *them == seen.values)
            }
            Possible::Reading(_) => false,
        }
    }
}

/// An edge of the specification that was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutOff {
    /// The process that has the edge.
    pub process: ProcessId,
    /// The edge, as its process numbers it.
    pub edge: EdgeId,
    /// The instants at which the edge could be taken: the window that is nearest to what was seen.
    pub interval: Interval,
}

/// States of one component that differ in the values of clocks only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateShown {
    /// The location of each process of the component.
    pub locations: Vec<(ProcessId, LocationId)>,
    /// The values of the integers of the network, by slot.
    pub ints: Vec<i32>,
    /// The clocks that still matter, and between which values they are, in points of the grid.
    pub clocks: Vec<(ClockId, Interval)>,
}

/// So many sets of signals of one part are joined with those of another.
const JOINED_MAX: usize = 4;

/// A diagnosis shows at most so many states.
const STATES_SHOWN: usize = 20;

/// What a part was asked to explain.
pub(crate) struct Question<'q> {
    specification: &'q Specification,
    pub(crate) interface: &'q Interface,
    pub(crate) part: &'q Part,
    /// What was seen; nothing if time passed quietly.
    pub(crate) seen: Option<&'q Happening>,
    pub(crate) interval: Interval,
}

impl<'q> Question<'q> {
    pub(crate) fn new(
        specification: &'q Specification,
        part: &'q Part,
        seen: Option<&'q Happening>,
        interval: Interval,
    ) -> Question<'q> {
        Question { specification, interface: specification.interface(), part, seen, interval }
    }

    /// Why a part, left with its last good states, can not explain what was seen.
    ///
    /// `glimpse` says which ports of a reading the part knows.
    pub(crate) fn diagnose(
        &self,
        estimate: &mut Estimate<'_>,
        blocked: Blocked,
        glimpse: &Glimpse,
        past: Past<'_>,
    ) -> Box<Diagnosis> {
        // The run is decided, and must not be taken back because its explanation takes its time.
        self.specification.budget().take_time();
        let positions: Vec<u32> = glimpse.seen.iter().map(|(position, _)| *position).collect();
        let last = self.interval.to.unwrap_or(self.interval.from);
        let ahead = self.specification.ahead().saturating_mul(2);
        let horizon = last.at.saturating_add(ahead);
        // What was seen may be allowed later, behind many hidden steps.
        let sought = match self.seen {
            Some(Happening::Signal(action)) if blocked == Blocked::Signal => Some(action.signal),
            _ => None,
        };
        let sought = sought.filter(|it| self.part.estimator.role(*it) == Role::Sends);
        let windows = past.hindsight.windows(estimate, past.stuck, &positions, (horizon, sought));
        // What can not be followed again is told as far as it is known, as before.
        let windows = match windows.or_else(|_| self.present(estimate)) {
            Ok(windows) => windows,
            Err(overflow) => return self.overflow(overflow),
        };
        let latest = estimate.latest();
        // Where time could not pass, the last good states are those in which it could not.
        let at = match (blocked, latest) {
            (Blocked::Time, Some(deadline)) => deadline.reached(),
            _ => estimate.now(),
        };
        let at = if at.begins_before(estimate.now()) { estimate.now() } else { at };
        // Live runs look ahead; what is possible only later does not explain anything.
        let until = match blocked {
            Blocked::Time => latest.unwrap_or(last),
            Blocked::Signal => last,
        };
        let states = past.hindsight.states(estimate, past.stuck, (at, until), STATES_SHOWN);
        let allowed = match self.seen {
            Some(Happening::Reading(_)) if blocked == Blocked::Signal => {
                self.readings(&windows.readings, &states, glimpse)
            }
            _ => merged(self.interface, windows.offers.iter()),
        };
        let (missing, is_hopeless) = match (blocked, latest) {
            (Blocked::Time, Some(deadline)) => self.missing(estimate, past, deadline, &allowed),
            _ => (Vec::new(), false),
        };
        let cause = match self.cause(&allowed, &missing, blocked) {
            // Whatever the system had sent, the specification would have stopped time.
            Cause::Missing if is_hopeless => Cause::ModelError,
            cause => cause,
        };
        Box::new(Diagnosis {
            cause,
            side: self.part.side,
            seen: self.seen.cloned(),
            interval: self.interval,
            allowed,
            horizon: windows.cut,
            latest,
            missing,
            states: states.into_iter().take(STATES_SHOWN).map(|it| self.shown(it)).collect(),
            cut_off: self.cut_off(&windows.offers),
            trouble: None,
            refused: None,
        })
    }

    /// The windows from the present on, as far as hidden steps were followed.
    fn present(&self, estimate: &mut Estimate<'_>) -> Result<Windows, Overflow> {
        let offers = estimate.offers()?;
        Ok(Windows { offers, cut: Some(estimate.now().at), ..Windows::default() })
    }

    /// What had to come before a deadline that was not kept. What can not be followed again is told by the windows
    /// that end with it. Says also whether nothing that the system might have sent would have kept the deadline.
    fn missing(
        &self,
        estimate: &mut Estimate<'_>,
        past: Past<'_>,
        deadline: End,
        allowed: &[Allowed],
    ) -> (Vec<Vec<Possible>>, bool) {
        let possible = |(signal, ints): Sent| {
            Possible::Signal(signal, Some(typed(self.interface, signal, &ints)))
        };
        if let Ok(due) = past.hindsight.due(estimate, past.stuck, deadline) {
            let sets = due.sets.into_iter().map(|set| set.into_iter().map(possible).collect());
            return (sets.collect(), due.is_hopeless);
        }
        let ends_there = |it: &&Allowed| it.interval.to.is_none_or(|to| !to.ends_before(deadline));
        let mut last: Vec<Vec<Possible>> =
            allowed.iter().filter(ends_there).map(|it| vec![it.what.clone()]).collect();
        last.dedup();
        (last, false)
    }

    /// An estimate could not be computed.
    pub(crate) fn overflow(&self, overflow: Overflow) -> Box<Diagnosis> {
        let (cause, trouble) = match overflow {
            Overflow::States(_) => (Cause::TooManyStates, None),
            Overflow::Span(_) => (Cause::TooLong, None),
            Overflow::Spent if self.specification.budget().is_interrupted() => {
                (Cause::TooSlow, None)
            }
            // Following the states took more memory than was granted.
            Overflow::Spent if self.specification.budget().spent() == Some(Spent::Memory) => {
                (Cause::TooManyStates, None)
            }
            Overflow::Spent => (Cause::Stopped, None),
            Overflow::Trouble(trouble) => (Cause::ModelError, Some(self.global(*trouble))),
        };
        Box::new(Diagnosis {
            cause,
            side: self.part.side,
            seen: self.seen.cloned(),
            interval: self.interval,
            allowed: Vec::new(),
            horizon: None,
            latest: None,
            missing: Vec::new(),
            states: Vec::new(),
            cut_off: Vec::new(),
            trouble,
            refused: None,
        })
    }

    /// The moves of an error, with the processes of the network.
    fn global(&self, mut trouble: Trouble) -> Box<Trouble> {
        trouble.moves.retain_mut(|it| match self.part.process(it.process.index() as u32) {
            Some(process) => {
                it.process = process;
                true
            }
            None => false,
        });
        Box::new(trouble)
    }

    /// What the ports of a reading can show at its instants, and what was read if that is possible at
    /// others: each with its windows.
    fn readings(
        &self,
        windows: &[(Vec<i32>, Interval)],
        states: &[punctual_semantics::estimate::Shown],
        glimpse: &Glimpse,
    ) -> Vec<Allowed> {
        let at_once = states.iter().map(|shown| {
            let value = |(at, _): &(u32, i32)| shown.state[*at as usize];
            (glimpse.seen.iter().map(value).collect::<Vec<i32>>(), self.interval)
        });
        let is_read = |values: &[i32]| {
            values.iter().zip(&glimpse.seen).all(|(value, (_, seen))| value == seen)
        };
        let is_now = |interval: Interval| !interval.meet(self.interval).is_empty();
        let near = windows.iter().filter(|(values, it)| is_now(*it) || is_read(values));
        let mut near: Vec<(Vec<i32>, Interval)> = near.cloned().collect();
        for (values, interval) in at_once {
            if !near.iter().any(|(others, it)| *others == values && is_now(*it)) {
                near.push((values, interval));
            }
        }
        let allowed = |(values, interval): (Vec<i32>, Interval)| {
            let typed = |(port, value): (&PortId, i32)| {
                (*port, self.interface.ports[*port].ty.of_int(value))
            };
            let values = glimpse.ports.iter().zip(values).map(typed);
            Allowed { what: Possible::Reading(values.collect()), interval }
        };
        let mut allowed: Vec<Allowed> = near.into_iter().map(allowed).collect();
        allowed.sort_by(|a, b| (&a.what, a.interval.from.at).cmp(&(&b.what, b.interval.from.at)));
        allowed
    }

    fn cause(&self, allowed: &[Allowed], missing: &[Vec<Possible>], blocked: Blocked) -> Cause {
        let action = match self.seen {
            Some(Happening::Reading(_)) => {
                return match blocked {
                    Blocked::Time => Cause::Missing,
                    Blocked::Signal => Cause::WrongValue,
                };
            }
            Some(Happening::Signal(action)) => Some(action),
            _ => None,
        };
        let sends = action.map(|seen| self.part.estimator.role(seen.signal) == Role::Sends);
        match (self.part.side, action, sends) {
            (Side::Environment, _, None | Some(false)) if blocked == Blocked::Time => {
                Cause::TesterLate
            }
            (Side::Environment, _, Some(true)) => Cause::OutsideEnvironment,
            (Side::Environment, ..) => Cause::NotAccepted,
            (Side::System, _, None) | (Side::System, None, _) => Cause::Missing,
            (Side::System, _, Some(false)) => match blocked {
                Blocked::Time => Cause::Missing,
                Blocked::Signal => Cause::NotSpecified,
            },
            (Side::System, Some(seen), Some(true)) => match blocked {
                // It may have been due itself; or else something that was due did not come.
                Blocked::Time if missing.iter().flatten().any(|it| it.is(seen)) => Cause::TooLate,
                Blocked::Time => Cause::Missing,
                Blocked::Signal => self.wrong(seen, allowed),
            },
        }
    }

    /// What is wrong about an output.
    fn wrong(&self, seen: &Action, allowed: &[Allowed]) -> Cause {
        let exact = allowed.iter().filter(|it| it.what.is(seen));
        if let Some(nearest) = exact.min_by_key(|it| self.distance(it.interval)) {
            return match self.is_later(nearest.interval) {
                true => Cause::TooEarly,
                false => Cause::TooLate,
            };
        }
        let same = |it: &&Allowed| it.what.signal() == Some(seen.signal);
        if allowed.iter().filter(same).any(|it| !it.interval.meet(self.interval).is_empty()) {
            return Cause::WrongValue;
        }
        Cause::WrongOutput
    }

    /// Whether a window begins after what was seen.
    fn is_later(&self, window: Interval) -> bool {
        self.interval.from.begins_before(window.from)
    }

    /// How far a window is from what was seen, in points of the grid; of two that are as far, a later one
    /// counts as nearer.
    fn distance(&self, window: Interval) -> (i64, bool) {
        let end = |interval: Interval| interval.to.map_or(i64::MAX, |to| to.at);
        let before = self.interval.from.at.saturating_sub(end(window));
        let after = window.from.at.saturating_sub(end(self.interval));
        (before.max(after).max(0), !self.is_later(window))
    }

    pub(crate) fn shown(&self, shown: punctual_semantics::estimate::Shown) -> StateShown {
        let n = self.part.processes.len();
        let at = |(process, location): (&ProcessId, &i32)| {
            (*process, LocationId::from_index(location.unsigned_abs() as usize))
        };
        StateShown {
            locations: self.part.processes.iter().zip(&shown.state).map(at).collect(),
            // The process outside has a location too.
            ints: shown.state[n + 1..].to_vec(),
            clocks: shown.clocks,
        }
    }

    fn cut_off(&self, offers: &[Offer]) -> Vec<CutOff> {
        let signal = match self.seen {
            Some(Happening::Signal(action)) => Some(action.signal),
            _ => None,
        };
        let mut offers: Vec<&Offer> = offers.iter().collect();
        offers.sort_by_key(|it| (Some(it.signal) != signal, self.distance(it.interval)));
        let mut cut_off: Vec<CutOff> = Vec::new();
        for offer in offers {
            for (process, edge) in self.part.edges(&offer.edges) {
                let known = cut_off.iter_mut().find(|it| (it.process, it.edge) == (process, edge));
                match known {
                    Some(known) if known.interval.touches(offer.interval) => {
                        known.interval = known.interval.hull(offer.interval);
                    }
                    Some(_) => {}
                    None => cut_off.push(CutOff { process, edge, interval: offer.interval }),
                }
            }
        }
        cut_off
    }
}

/// The values of a signal that a network has as integers.
pub(crate) fn typed(interface: &Interface, signal: SignalId, ints: &[i32]) -> Vec<Value> {
    let carried = interface.signals[signal].values.iter();
    carried.zip(ints).map(|(carried, it)| carried.ty.of_int(*it)).collect()
}

/// Offers as what is allowed: intervals that touch become one.
pub(crate) fn merged<'o>(
    interface: &Interface,
    offers: impl Iterator<Item = &'o Offer>,
) -> Vec<Allowed> {
    let mut allowed: Vec<Allowed> = Vec::new();
    for offer in offers {
        let values = Some(typed(interface, offer.signal, &offer.values));
        let mut new =
            Allowed { what: Possible::Signal(offer.signal, values), interval: offer.interval };
        allowed.retain(|old| {
            let joins = old.what == new.what && old.interval.touches(new.interval);
            if joins {
                new.interval = new.interval.hull(old.interval);
            }
            !joins
        });
        allowed.push(new);
    }
    allowed.sort_by(|a, b| (&a.what, a.interval.from.at).cmp(&(&b.what, b.interval.from.at)));
    allowed
}
