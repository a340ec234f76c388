//! Why a verdict is not a pass, as data.

use punctual_model::{
    Action, ClockId, EdgeId, Happening, Id, Interface, LocationId, PortId, ProcessId, SignalId,
    Value,
};
use punctual_semantics::estimate::{Blocked, End, Estimate, Interval, Offer, Overflow, Role};
use punctual_semantics::split::Side;
use punctual_semantics::symbolic::Trouble;

use super::followed::Glimpse;
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
    /// What would have been allowed, and when.
    pub allowed: Vec<Allowed>,
    /// The last instant up to which nothing need have happened; none if nothing ever need have.
    pub latest: Option<End>,
    /// The last states that explain what was seen before.
    pub states: Vec<StateShown>,
    /// The edges of the system that an output could have taken, then or later.
    pub cut_off: Vec<CutOff>,
    /// The error of the model, if that is the cause.
    pub trouble: Option<Box<Trouble>>,
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

impl Possible {
    /// The signal, if it is one.
    #[must_use]
    pub fn signal(&self) -> Option<SignalId> {
        match self {
            Possible::Signal(signal, _) => Some(*signal),
            Possible::Reading(_) => None,
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
    /// The instants at which the edge could be taken.
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

/// A diagnosis shows at most so many states.
const STATES_SHOWN: usize = 20;

/// What a part was asked to explain.
pub(crate) struct Question<'q> {
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
        Question { interface: specification.interface(), part, seen, interval }
    }

    /// Why a part, left with its last good states, can not explain what was seen.
    ///
    /// `glimpse` says which ports of a reading the part knows.
    pub(crate) fn diagnose(
        &self,
        estimate: &mut Estimate<'_>,
        blocked: Blocked,
        glimpse: &Glimpse,
    ) -> Box<Diagnosis> {
        let offers = match estimate.offers() {
            Ok(offers) => offers,
            Err(overflow) => return self.overflow(overflow),
        };
        let ours = |offer: &&Offer| self.part.estimator.role(offer.signal) == Role::Sends;
        // Live runs look ahead; what is possible only later does not explain anything.
        let states = estimate.states(self.interval.to.unwrap_or(self.interval.from));
        let allowed = match self.seen {
            Some(Happening::Reading(_)) if blocked == Blocked::Signal => {
                self.readings(&states, glimpse)
            }
            _ => merged(self.interface, offers.iter().filter(ours)),
        };
        let cut_off = self.cut_off(offers.iter().filter(ours));
        Box::new(Diagnosis {
            cause: self.cause(&allowed, blocked),
            side: self.part.side,
            seen: self.seen.cloned(),
            interval: self.interval,
            allowed,
            latest: estimate.latest(),
            states: states.into_iter().take(STATES_SHOWN).map(|it| self.shown(it)).collect(),
            cut_off,
            trouble: None,
        })
    }

    /// An estimate could not be computed.
    pub(crate) fn overflow(&self, overflow: Overflow) -> Box<Diagnosis> {
        let (cause, trouble) = match overflow {
            Overflow::States(_) => (Cause::TooManyStates, None),
            Overflow::Span(_) => (Cause::TooLong, None),
            Overflow::Trouble(trouble) => (Cause::ModelError, Some(self.global(*trouble))),
        };
        Box::new(Diagnosis {
            cause,
            side: self.part.side,
            seen: self.seen.cloned(),
            interval: self.interval,
            allowed: Vec::new(),
            latest: None,
            states: Vec::new(),
            cut_off: Vec::new(),
            trouble,
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

    /// What the ports of a reading can show in the states that explain everything before it.
    fn readings(
        &self,
        states: &[punctual_semantics::estimate::Shown],
        glimpse: &Glimpse,
    ) -> Vec<Allowed> {
        let mut allowed: Vec<Allowed> = Vec::new();
        for shown in states {
            let value = |(port, (at, _)): (&PortId, &(u32, i32))| {
                (*port, self.interface.ports[*port].ty.of_int(shown.state[*at as usize]))
            };
            let values = glimpse.ports.iter().zip(&glimpse.seen).map(value);
            let what = Possible::Reading(values.collect());
            if !allowed.iter().any(|it| it.what == what) {
                allowed.push(Allowed { what, interval: self.interval });
            }
        }
        allowed.sort_by(|a, b| a.what.cmp(&b.what));
        allowed
    }

    fn cause(&self, allowed: &[Allowed], blocked: Blocked) -> Cause {
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
            (Side::System, Some(seen), Some(true)) => self.wrong(seen, allowed, blocked),
        }
    }

    /// What is wrong about an output.
    fn wrong(&self, seen: &Action, allowed: &[Allowed], blocked: Blocked) -> Cause {
        let same = |it: &&Allowed| it.what.signal() == Some(seen.signal);
        let values = |it: &&Allowed| match &it.what {
            Possible::Signal(_, values) => values.as_ref().is_none_or(|them| *them == seen.values),
            Possible::Reading(_) => false,
        };
        let is_now = |it: &Allowed| !it.interval.meet(self.interval).is_empty();
        let is_later = |it: &Allowed| self.interval.from.begins_before(it.interval.from);
        let mut exact = allowed.iter().filter(same).filter(values).peekable();
        if exact.peek().is_some() {
            return if exact.any(is_later) { Cause::TooEarly } else { Cause::TooLate };
        }
        if allowed.iter().filter(same).any(is_now) {
            return Cause::WrongValue;
        }
        match blocked {
            // Something else had to come before.
            Blocked::Time => Cause::Missing,
            Blocked::Signal => Cause::WrongOutput,
        }
    }

    fn shown(&self, shown: punctual_semantics::estimate::Shown) -> StateShown {
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

    fn cut_off<'o>(&self, offers: impl Iterator<Item = &'o Offer>) -> Vec<CutOff> {
        let mut cut_off: Vec<CutOff> = Vec::new();
        for offer in offers {
            for (process, edge) in self.part.edges(&offer.edges) {
                let known = cut_off.iter_mut().find(|it| (it.process, it.edge) == (process, edge));
                match known {
                    Some(known) => known.interval = known.interval.hull(offer.interval),
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
        let values = offer.values.as_ref().map(|ints| typed(interface, offer.signal, ints));
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
