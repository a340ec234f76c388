//! The components of one side, each with the states that explain what was observed of it.

use punctual_model::{Action, Happening, IdVec, PortId, Reading, SignalId};
use punctual_semantics::estimate::{
    Blocked, End, Estimate, Hindsight, Interval, Observation, Queues, Refusing, Stand, What,
};
use punctual_semantics::split::Side;

use super::coverage::Coverage;
use super::diagnosis::{Diagnosis, Possible, Question, Refused, merged};
use super::{Part, Specification};
use crate::Cause;

/// The parts of a side, as one run has brought them so far.
pub(super) struct Followed<'s> {
    specification: &'s Specification,
    pub(super) parts: Vec<&'s Part>,
    pub(super) estimates: Vec<Estimate<'s>>,
    /// What each part has explained lately.
    pub(super) hindsights: Vec<Hindsight>,
    /// For each signal, the positions of the parts that take part in it.
    pub(super) concerned: IdVec<SignalId, Vec<usize>>,
    /// The position of each part of the specification in `parts`.
    position: Vec<Option<usize>>,
    /// The values of an observation, as the network has them.
    ints: Vec<i32>,
    /// How far windows are looked for, in points of the grid.
    ahead: i64,
    /// The number of the input that is observed next, among the inputs of the run.
    pub(super) n_inputs: usize,
    /// The first input that may not have been taken.
    refused: Option<Refused>,
}

/// The values of a signal as integers of the network. Interfaces check types before anything is judged;
/// a value that is none all the same is one that no variable has.
pub(super) fn set_ints(ints: &mut Vec<i32>, action: &Action) {
    ints.clear();
    ints.extend(action.values.iter().map(|value| value.as_slot().unwrap_or(i32::MIN)));
}

/// What a part sees of a reading.
#[derive(Debug, Default)]
pub(super) struct Glimpse {
    /// The ports that the part knows.
    pub(super) ports: Vec<PortId>,
    /// Where each is in a state of the part, and what was read.
    pub(super) seen: Vec<(u32, i32)>,
}

impl Glimpse {
    /// What a part, by its number in the specification, sees of a reading.
    pub(super) fn of(specification: &Specification, part: usize, reading: &Reading) -> Glimpse {
        let mut glimpse = Glimpse::default();
        for (port, value) in &reading.values {
            for (reader, position) in specification.readers(*port) {
                if *reader == part {
                    glimpse.ports.push(*port);
                    glimpse.seen.push((*position, value.as_slot().unwrap_or(i32::MIN)));
                }
            }
        }
        glimpse
    }
}

/// A part that could not explain something.
pub(super) struct Stuck {
    /// Its position among the parts of its side.
    pub(super) at: usize,
    /// What kept it; nothing if its states can not be followed.
    pub(super) blocked: Option<Blocked>,
    pub(super) diagnosis: Box<Diagnosis>,
}

impl Stuck {
    fn lost(at: usize, diagnosis: Box<Diagnosis>) -> Stuck {
        Stuck { at, blocked: None, diagnosis }
    }
}

/// What a part has explained before it could not go on.
#[derive(Clone, Copy)]
pub(super) struct Past<'p> {
    pub(super) hindsight: &'p Hindsight,
    /// Observations in an order that is not known, of which not all could be explained.
    pub(super) stuck: Queues<'p>,
}

impl<'p> Past<'p> {
    /// A part that could not explain a single observation, or that time passes.
    pub(super) fn of(hindsight: &'p Hindsight) -> Past<'p> {
        Past { hindsight, stuck: [&[]; 3] }
    }
}

impl<'s> Followed<'s> {
    /// The parts of a side that have just started.
    pub(super) fn new(
        specification: &'s Specification,
        side: Side,
    ) -> Result<Followed<'s>, Box<Diagnosis>> {
        Followed::of(specification, side, |_| true)
    }

    /// Some of the parts of a side, that have just started.
    pub(super) fn of(
        specification: &'s Specification,
        side: Side,
        chosen: impl Fn(&Part) -> bool,
    ) -> Result<Followed<'s>, Box<Diagnosis>> {
        let mut parts = Vec::new();
        let mut position = vec![None; specification.parts.len()];
        for (i, part) in specification.side(side).filter(|(_, part)| chosen(part)) {
            position[i] = Some(parts.len());
            parts.push(part);
        }
        let concerned = specification.concerned(&parts);
        let mut estimates = Vec::new();
        for &part in &parts {
            let question = Question::new(specification, part, None, Interval::point(0));
            let estimate = Estimate::new(&part.estimator);
            let mut estimate = estimate.map_err(|overflow| question.overflow(overflow))?;
            // The model is in error only if what was seen leads there.
            estimate.forgive_ahead(true);
            estimates.push(estimate);
        }
        let hindsights = estimates.iter().map(Hindsight::new).collect();
        // What an environment does not receive says nothing about the system.
        if side == Side::System {
            estimates.iter_mut().for_each(|it| it.mind_refusals(true));
        }
        let (ints, ahead) = (Vec::new(), specification.ahead());
        Ok(Followed {
            specification,
            parts,
            estimates,
            hindsights,
            concerned,
            position,
            ints,
            ahead,
            n_inputs: 0,
            refused: None,
        })
    }

    /// Forgets everything: all parts have just started again.
    pub(super) fn restart(&mut self) -> Result<(), Box<Diagnosis>> {
        let specification = self.specification;
        for (part, estimate) in self.iter_mut() {
            let question = Question::new(specification, part, None, Interval::point(0));
            estimate.restart().map_err(|overflow| question.overflow(overflow))?;
        }
        for (hindsight, estimate) in self.hindsights.iter_mut().zip(&self.estimates) {
            hindsight.restart(estimate);
        }
        (self.n_inputs, self.refused) = (0, None);
        let minds = self.parts.iter().map(|part| part.side == Side::System);
        self.estimates.iter_mut().zip(minds).for_each(|(it, minds)| it.mind_refusals(minds));
        Ok(())
    }

    /// The first input that may not have been taken, if there is one.
    pub(super) fn refused(&self) -> Option<&Refused> {
        self.refused.as_ref()
    }

    /// Goes back to where an input may have been refused, or to where none was.
    pub(super) fn set_refused(&mut self, refused: Option<Refused>) {
        let minds = refused.is_none();
        self.refused = refused;
        self.estimates.iter_mut().for_each(|it| it.mind_refusals(minds));
    }

    /// Some states of a part refuse an input: from now on nobody is blamed any more. Who was late before that is, as far as the others
    /// were observed (`until`).
    pub(super) fn doubt(
        &mut self,
        at: usize,
        refusing: Vec<Refusing>,
        (input, interval): (&Happening, Interval),
        until: End,
    ) -> Result<(), Stuck> {
        if refusing.is_empty() || self.refused.is_some() {
            return Ok(());
        }
        for other in (0..self.parts.len()).filter(|other| *other != at) {
            self.wait(other, until, (Some(input), interval))?;
        }
        self.note_refused(at, refusing, (input, interval));
        Ok(())
    }

    /// Notes that some states of a part refuse an input.
    pub(super) fn note_refused(
        &mut self,
        at: usize,
        refusing: Vec<Refusing>,
        (input, interval): (&Happening, Interval),
    ) {
        if refusing.is_empty() || self.refused.is_some() {
            return;
        }
        let question = Question::new(self.specification, self.parts[at], Some(input), interval);
        let states = refusing.into_iter().map(|it| question.shown(it.state)).collect();
        let (number, otherwise) = (self.n_inputs, Cause::Refused);
        self.refused = Some(Refused { input: input.clone(), number, interval, states, otherwise });
        // Once is enough, and it takes time.
        self.estimates.iter_mut().for_each(|it| it.mind_refusals(false));
    }

    /// Notes what may have been done unseen since the last observation, at the end of a run.
    pub(super) fn note_last(&mut self, coverage: &mut Coverage) {
        for (part, estimate) in self.iter_mut() {
            coverage.note_last(part, estimate);
        }
    }

    /// Whether all ways to a state are noted when they are asked for.
    pub(super) fn keep_ways(&mut self, keeps: bool) {
        self.estimates.iter_mut().for_each(|it| it.keep_ways(keeps));
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&'s Part, &mut Estimate<'s>)> {
        self.parts.iter().copied().zip(&mut self.estimates)
    }

    /// How many symbolic states there are, over all parts.
    pub(super) fn n_states(&self) -> usize {
        self.estimates.iter().map(Estimate::len).sum()
    }

    /// The clocks of all parts may have gained or lost so many points of the grid.
    pub(super) fn drift(&mut self, points: i64) {
        for (estimate, hindsight) in self.estimates.iter_mut().zip(&mut self.hindsights) {
            estimate.drift(points);
            hindsight.drift(points);
        }
    }

    /// Time passes up to an instant, and nothing is observed before it.
    pub(super) fn advance(&mut self, to: End) -> Result<(), Box<Diagnosis>> {
        let interval = Interval { from: to, to: Some(End::at(to.at)) };
        for at in 0..self.parts.len() {
            match self.estimates[at].advance(to) {
                Ok(Ok(())) => {}
                Ok(Err(blocked)) => {
                    let diagnosis = self.diagnose(at, blocked, (None, interval));
                    let stuck = Stuck { at, blocked: Some(blocked), diagnosis };
                    return Err(self.first(stuck, (None, interval), to));
                }
                Err(overflow) => {
                    let question =
                        Question::new(self.specification, self.parts[at], None, interval);
                    return Err(question.overflow(overflow));
                }
            }
        }
        Ok(())
    }

    /// Time passes up to something that is told next. Whoever can not wait so long is left as it is: that is explained together with what is
    /// told. That a part can not be followed is told only if all others can wait.
    pub(super) fn approach(&mut self, to: End) -> Result<(), Box<Diagnosis>> {
        let interval = Interval { from: to, to: Some(End::at(to.at)) };
        let mut lost = None;
        let mut is_blocked = false;
        for at in 0..self.parts.len() {
            match self.estimates[at].advance(to) {
                Ok(done) => is_blocked |= done.is_err(),
                Err(overflow) => lost = lost.or(Some((at, overflow))),
            }
        }
        match lost {
            Some((at, overflow)) if !is_blocked => {
                let part = self.parts[at];
                Err(Question::new(self.specification, part, None, interval).overflow(overflow))
            }
            _ => Ok(()),
        }
    }

    /// Those who take part in a signal, or know a port that was read, observe it.
    pub(super) fn observe(
        &mut self,
        happening: &Happening,
        interval: Interval,
        coverage: &mut Coverage,
    ) -> Result<(), Box<Diagnosis>> {
        let done = self.others_wait(happening, interval).and_then(|()| match happening {
            Happening::Signal(action) => self.exchange(happening, action, interval, coverage),
            Happening::Reading(reading) => self.read(happening, reading, interval, coverage),
            Happening::Set(_) | Happening::Step(_) => Ok(()),
        });
        done.map_err(|stuck| self.first(stuck, (Some(happening), interval), interval.from))
    }

    /// The parts of the system that take no part in a signal wait until it comes, so that what they have missed is known at
    /// once, and not when they are observed next.
    fn others_wait(&mut self, happening: &Happening, interval: Interval) -> Result<(), Stuck> {
        let Happening::Signal(action) = happening else { return Ok(()) };
        for at in 0..self.parts.len() {
            let is_system = self.parts[at].side == Side::System;
            if !is_system || self.concerned[action.signal].contains(&at) {
                continue;
            }
            self.wait(at, interval.from, (Some(happening), interval))?;
        }
        Ok(())
    }

    /// A part waits until an instant. That it can not be followed is left to whoever observes it next.
    pub(super) fn wait(
        &mut self,
        at: usize,
        until: End,
        seen: (Option<&Happening>, Interval),
    ) -> Result<(), Stuck> {
        match self.estimates[at].advance(until) {
            Ok(Err(blocked)) => {
                let diagnosis = self.diagnose(at, blocked, seen);
                Err(Stuck { at, blocked: Some(blocked), diagnosis })
            }
            _ => Ok(()),
        }
    }

    fn exchange(
        &mut self,
        happening: &Happening,
        action: &Action,
        interval: Interval,
        coverage: &mut Coverage,
    ) -> Result<(), Stuck> {
        for i in 0..self.concerned[action.signal].len() {
            let at = self.concerned[action.signal][i];
            set_ints(&mut self.ints, action);
            let what = What::Signal { signal: action.signal, values: &self.ints };
            let observation = Observation { what, interval };
            let (part, estimate) = (self.parts[at], &mut self.estimates[at]);
            let question = Question::new(self.specification, part, Some(happening), interval);
            let overflow = |overflow| Stuck::lost(at, question.overflow(overflow));
            let hindsight = &mut self.hindsights[at];
            coverage.note_position(part, estimate, hindsight, &observation, self.ahead);
            match estimate.observe(&observation).map_err(overflow)? {
                Ok(()) => {
                    coverage.note_trails(part, estimate);
                    hindsight.note(estimate, &observation);
                    let refusing = estimate.take_refusing();
                    self.doubt(at, refusing, (happening, interval), interval.from)?;
                }
                Err(blocked) => {
                    let (none, past) = (Glimpse::default(), Past::of(hindsight));
                    let diagnosis = question.diagnose(estimate, blocked, &none, past);
                    return Err(Stuck { at, blocked: Some(blocked), diagnosis });
                }
            }
        }
        Ok(())
    }

    fn read(
        &mut self,
        happening: &Happening,
        reading: &Reading,
        interval: Interval,
        coverage: &mut Coverage,
    ) -> Result<(), Stuck> {
        for (number, at) in self.position.iter().enumerate() {
            let Some(at) = *at else { continue };
            let glimpse = Glimpse::of(self.specification, number, reading);
            if glimpse.ports.is_empty() {
                continue;
            }
            let (part, estimate) = (self.parts[at], &mut self.estimates[at]);
            let question = Question::new(self.specification, part, Some(happening), interval);
            let overflow = |overflow| Stuck::lost(at, question.overflow(overflow));
            let observation = Observation { what: What::Reading(&glimpse.seen), interval };
            let hindsight = &mut self.hindsights[at];
            match estimate.observe(&observation).map_err(overflow)? {
                Ok(()) => {
                    coverage.note_trails(part, estimate);
                    hindsight.note(estimate, &observation);
                }
                Err(blocked) => {
                    let past = Past::of(hindsight);
                    let diagnosis = question.diagnose(estimate, blocked, &glimpse, past);
                    return Err(Stuck { at, blocked: Some(blocked), diagnosis });
                }
            }
        }
        Ok(())
    }

    /// Why a part can not wait, although nothing that it takes part in was seen.
    fn diagnose(
        &mut self,
        at: usize,
        blocked: Blocked,
        (seen, interval): (Option<&Happening>, Interval),
    ) -> Box<Diagnosis> {
        let question = Question::new(self.specification, self.parts[at], seen, interval);
        let past = Past::of(&self.hindsights[at]);
        question.diagnose(&mut self.estimates[at], blocked, &Glimpse::default(), past)
    }

    /// Why the first part got stuck, if one did for sure: the time of another part may have been over before what was
    /// seen in an interval, up to an instant at which all that was seen before is known, and nobody looked. The side is
    /// wrong in any case; this says only by whose fault.
    pub(super) fn first(
        &mut self,
        stuck: Stuck,
        (seen, interval): (Option<&Happening>, Interval),
        until: End,
    ) -> Box<Diagnosis> {
        let Stuck { at: known, blocked: Some(blocked), diagnosis: mut first } = stuck else {
            return stuck.diagnosis;
        };
        // An input about which nothing is specified excuses what comes after it, and not what should have come before.
        let is_excuse = first.cause == Cause::NotSpecified;
        let may_be_later =
            first.cause.is_failure() || first.cause == Cause::TesterLate || first.stops_time();
        if !is_excuse && !may_be_later {
            return first;
        }
        let mut deadline = match blocked {
            Blocked::Time => first.latest,
            Blocked::Signal => None,
        };
        let mut guilty = known;
        for at in (0..self.parts.len()).filter(|at| *at != known) {
            let estimate = &mut self.estimates[at];
            if !matches!(estimate.advance(until), Ok(Err(Blocked::Time))) {
                continue;
            }
            let Some(latest) = estimate.latest() else { continue };
            if deadline.is_none_or(|deadline| latest.ends_before(deadline)) {
                first = self.diagnose(at, Blocked::Time, (seen, interval));
                (deadline, guilty) = (Some(latest), at);
            } else if deadline == Some(latest) {
                let other = self.diagnose(at, Blocked::Time, (seen, interval));
                // Where one part stops time for good, nothing that another one sends would help.
                if other.stops_time() && !first.stops_time() {
                    (first, guilty) = (other, at);
                } else if !first.stops_time() {
                    first.join(*other);
                }
            }
        }
        // Behind a deadline that was not kept, nothing is allowed any more.
        if deadline.is_none() && !is_excuse {
            self.add_windows(&mut first, guilty);
        }
        first
    }

    /// Adds what the other parts of the side may send from what was seen on: they do not know of the guilty one, and may go on.
    fn add_windows(&mut self, diagnosis: &mut Diagnosis, guilty: usize) {
        // What may be sent is nothing that could have been read.
        if matches!(diagnosis.seen, Some(Happening::Reading(_)))
            && diagnosis.cause == Cause::WrongValue
        {
            return;
        }
        let begin = diagnosis.interval.from;
        for at in (0..self.parts.len()).filter(|at| *at != guilty) {
            let known: Vec<Possible> = diagnosis.allowed.iter().map(|it| it.what.clone()).collect();
            let estimate = &mut self.estimates[at];
            // What can not be followed is not told.
            let Ok(offers) = self.hindsights[at].live(estimate, self.ahead) else { continue };
            let offers = merged(self.specification.interface(), offers.iter());
            let cuts = [diagnosis.horizon, self.hindsights[at].live_cut()];
            diagnosis.horizon = cuts.into_iter().flatten().min();
            for allowed in offers {
                let is_over = allowed.interval.to.is_some_and(|to| to.ends_before(begin));
                if !is_over && !known.contains(&allowed.what) {
                    diagnosis.allowed.push(allowed);
                }
            }
        }
    }

    /// Where each part may stand now, by its number in the specification.
    pub(super) fn stands(&mut self, most: usize) -> Vec<(usize, Vec<Stand>)> {
        let mut found = Vec::new();
        for at in 0..self.parts.len() {
            found.push((self.number(at), self.estimates[at].stands(most)));
        }
        found
    }

    /// The number in the specification of a part of this side.
    pub(super) fn number(&self, at: usize) -> usize {
        let found = self.position.iter().position(|it| *it == Some(at));
        found.expect("every part has a number")
    }
}
