//! Why a verdict is not a pass, as data.

use punctual_model::{Action, ClockId, EdgeId, Id, LocationId, ProcessId, SignalId};
use punctual_semantics::estimate::{Blocked, End, Estimate, Interval, Offer, Overflow, Role};
use punctual_semantics::split::Side;
use punctual_semantics::symbolic::Trouble;

use super::specification::Part;
use crate::Cause;

/// Why a verdict is not a pass.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnosis {
    /// In a word.
    pub cause: Cause,
    /// The side that got stuck.
    pub side: Side,
    /// What was seen; nothing if that is the matter.
    pub seen: Option<Action>,
    /// When, in points of the grid.
    pub interval: Interval,
    /// What would have been allowed, and when.
    pub allowed: Vec<Allowed>,
    /// Until when nothing need have happened; none if for ever.
    pub latest: Option<End>,
    /// The last states that explain what was seen before.
    pub states: Vec<StateShown>,
    /// The edges that were possible, or would have become so.
    pub cut_off: Vec<CutOff>,
    /// An error of the model.
    pub trouble: Option<Box<Trouble>>,
}

/// Something that would have been allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allowed {
    /// The signal.
    pub signal: SignalId,
    /// Its values; none if any of them are.
    pub values: Option<Vec<i32>>,
    /// When.
    pub interval: Interval,
}

/// An edge of the specification that was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutOff {
    /// The process.
    pub process: ProcessId,
    /// Its edge.
    pub edge: EdgeId,
    /// When it was possible.
    pub interval: Interval,
}

/// Some states of one part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateShown {
    /// Where its processes are.
    pub locations: Vec<(ProcessId, LocationId)>,
    /// The integers of the network.
    pub ints: Vec<i32>,
    /// The clocks that matter, and between which values they are.
    pub clocks: Vec<(ClockId, Interval)>,
}

/// So many states are shown.
const STATES_SHOWN: usize = 20;

/// What a part was asked to explain.
pub(crate) struct Question<'q> {
    pub(crate) part: &'q Part,
    /// What was seen; nothing if time passed quietly.
    pub(crate) seen: Option<&'q Action>,
    pub(crate) interval: Interval,
}

impl<'q> Question<'q> {
    pub(crate) fn new(
        part: &'q Part,
        seen: Option<&'q Action>,
        interval: Interval,
    ) -> Question<'q> {
        Question { part, seen, interval }
    }

    /// Why a part, left with its last good states, can not explain what was seen.
    pub(crate) fn diagnose(&self, estimate: &mut Estimate<'_>, blocked: Blocked) -> Box<Diagnosis> {
        let offers = match estimate.offers() {
            Ok(offers) => offers,
            Err(overflow) => return self.overflow(overflow),
        };
        let ours = |offer: &&Offer| self.part.estimator.role(offer.signal) == Role::Sends;
        let allowed = merged(offers.iter().filter(ours));
        let states = estimate.states();
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

    fn cause(&self, allowed: &[Allowed], blocked: Blocked) -> Cause {
        let sends = self.seen.map(|seen| self.part.estimator.role(seen.signal) == Role::Sends);
        match (self.part.side, self.seen, sends) {
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
        let same = |it: &&Allowed| it.signal == seen.signal;
        let values = |it: &&Allowed| it.values.as_ref().is_none_or(|them| *them == seen.values);
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

/// Offers as what is allowed: intervals that touch become one.
pub(crate) fn merged<'o>(offers: impl Iterator<Item = &'o Offer>) -> Vec<Allowed> {
    let mut allowed: Vec<Allowed> = Vec::new();
    for offer in offers {
        let mut new = Allowed {
            signal: offer.signal,
            values: offer.values.clone(),
            interval: offer.interval,
        };
        allowed.retain(|old| {
            let joins = (old.signal, &old.values) == (new.signal, &new.values)
                && old.interval.touches(new.interval);
            if joins {
                new.interval = new.interval.hull(old.interval);
            }
            !joins
        });
        allowed.push(new);
    }
    allowed.sort_by_key(|it| (it.signal, it.values.clone(), it.interval.from.at));
    allowed
}
