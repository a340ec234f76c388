//! The system's side: judges what a system does.

use std::collections::VecDeque;

use punctual_model::{Action, Direction, EdgeId, Event, Happening, Id, Interface, Uncertainty};
use punctual_semantics::estimate::{End, Estimate, Interval, Offer, Overflow, Refusing, Stand};
use punctual_semantics::split::Side;

use super::Specification;
use super::coverage::Coverage;
use super::diagnosis::{Diagnosis, Question, Refused};
use super::drift::{Drift, POINTS_MAX};
use super::emulator::Led;
use super::followed::{Followed, Past, Stuck, set_ints};
use super::known::Known;
use crate::Cause;

/// Follows the components of the system.
pub struct Monitor<'s> {
    pub(super) specification: &'s Specification,
    pub(super) followed: Followed<'s>,
    /// How long inputs and outputs may be on their way.
    pub(super) uncertainty: Uncertainty,
    /// How far the clock of the system may be off.
    pub(super) drift: Drift,
    /// What was seen and may still be overtaken by something that was not, in the order in which it may have begun. What travelled on
    /// one way is in its order.
    pub(super) pending: VecDeque<Pending>,
    /// The values of an input that is asked about, as the network has them.
    ints: Vec<i32>,
    /// How far the windows of outputs are looked for, in points of the grid.
    ahead: i64,
    /// How many inputs the run has had.
    pub(super) n_inputs: usize,
    /// The one that ended what could be followed, or was among it.
    pub(super) not_followed: Option<Happening>,
    /// Whether the run ended among things whose order is not known: states belong to several instants then.
    is_unordered: bool,
}

/// A signal or a reading, with the instants at which it may have happened at the system.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) what: Happening,
    pub(super) way: Way,
    /// How many inputs of the run came before it.
    pub(super) n_inputs: usize,
    /// The earliest instant at which it may have happened at the system.
    pub(super) from_ns: u64,
    /// The latest instant at which it may have happened at the system.
    pub(super) to_ns: u64,
}

/// Which way something travelled. What travels on one way keeps its order, and only that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Input,
    Output,
    Reading,
}

impl Pending {
    /// Whether it may have happened before something else that was over at an instant.
    fn is_before(&self, end_ns: u64, blurred: bool) -> bool {
        self.from_ns < end_ns || (blurred && self.from_ns == end_ns)
    }
}

impl<'s> Monitor<'s> {
    /// A monitor of a system that has just started.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn new(specification: &'s Specification) -> Result<Monitor<'s>, Box<Diagnosis>> {
        Ok(Monitor {
            specification,
            followed: Followed::new(specification, Side::System)?,
            uncertainty: specification.interface().uncertainty,
            drift: Drift::new(specification.interface().uncertainty),
            pending: VecDeque::new(),
            ints: Vec::new(),
            ahead: specification.ahead(),
            n_inputs: 0,
            not_followed: None,
            is_unordered: false,
        })
    }

    /// Instants are known less exactly than the interface says: everything may take so much longer, and the system, which has just started, may have set
    /// its clock so much sooner or later than the tester.
    pub fn widen(&mut self, by_ns: u64) {
        self.followed.drift(self.specification.instants.end(by_ns).at.min(POINTS_MAX));
        let Uncertainty { input_ns, output_ns, .. } = &mut self.uncertainty;
        input_ns.1 = input_ns.1.saturating_add(by_ns);
        output_ns.1 = output_ns.1.saturating_add(by_ns);
    }

    /// Forgets everything: the system has just started again.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn restart(&mut self) -> Result<(), Box<Diagnosis>> {
        self.pending.clear();
        (self.n_inputs, self.not_followed, self.is_unordered) = (0, None, false);
        self.followed.estimates.iter_mut().for_each(|it| it.unseen_from(None));
        self.drift = Drift::new(self.uncertainty);
        self.followed.restart()
    }

    /// How many symbolic states there are, over all parts.
    #[must_use]
    pub fn n_states(&self) -> usize {
        self.followed.n_states()
    }

    /// A signal was exchanged, or ports were read.
    ///
    /// # Errors
    /// If what was seen up to now can not be explained.
    pub fn event(&mut self, event: &Event, coverage: &mut Coverage) -> Result<(), Box<Diagnosis>> {
        let delays = self.uncertainty;
        let Some((way, from_ns, to_ns)) = happened(self.specification.interface(), delays, event)
        else {
            return Ok(());
        };
        let (what, n_inputs) = (event.what.clone(), self.n_inputs);
        self.n_inputs += usize::from(way == Way::Input);
        self.put(Pending { what, way, n_inputs, from_ns, to_ns });
        // An output may still be on its way, or have come while the input was handed over.
        let horizon_ns = event.from_ns.saturating_sub(delays.output_ns.1);
        self.settle(horizon_ns, coverage)
    }

    /// Something more is pending. It came after all that is pending on its way.
    fn put(&mut self, mut new: Pending) {
        let earlier = self.pending.iter().rev().find(|it| it.way == new.way);
        let from_ns = earlier.map_or(new.from_ns, |it| new.from_ns.max(it.from_ns));
        new.from_ns = from_ns.min(new.to_ns);
        let behind = self.pending.iter().rev().take_while(|it| it.from_ns > new.from_ns).count();
        self.pending.insert(self.pending.len() - behind, new);
    }

    /// Nothing more was seen up to an instant.
    ///
    /// # Errors
    /// If that can not be explained.
    pub fn quiet(&mut self, now_ns: u64, coverage: &mut Coverage) -> Result<(), Box<Diagnosis>> {
        let output_ns = self.uncertainty.output_ns.1;
        let horizon_ns = now_ns.saturating_sub(output_ns);
        self.settle(horizon_ns, coverage)?;
        let until = self.quiet_until(horizon_ns);
        self.followed.advance(until).map_err(|it| self.excused(it))
    }

    /// Time passes up to something that is told next. If it can not pass, that is left to be explained together with what is told.
    ///
    /// # Errors
    /// If what was seen up to now can not be explained, or the model can not be followed.
    pub fn approach(&mut self, now_ns: u64, coverage: &mut Coverage) -> Result<(), Box<Diagnosis>> {
        let horizon_ns = now_ns.saturating_sub(self.uncertainty.output_ns.1);
        self.settle(horizon_ns, coverage)?;
        let until = self.quiet_until(horizon_ns);
        self.followed.approach(until).map_err(|it| self.excused(it))
    }

    /// Up to when time can pass, if nothing that was not seen yet happened before an instant.
    fn quiet_until(&mut self, horizon_ns: u64) -> End {
        let pending_ns = self.pending.front().map(|it| it.from_ns);
        let until_ns = pending_ns.map_or(horizon_ns, |pending| pending.min(horizon_ns));
        let (from_ns, _) = self.pass(until_ns, until_ns);
        self.specification.instants.begin(from_ns)
    }

    /// Time passes, and the clock of the system may go off meanwhile. Gives the instants of the system's clock at which what happened between two
    /// instants of the tester's may have happened.
    fn pass(&mut self, from_ns: u64, to_ns: u64) -> (u64, u64) {
        let time = self.specification.instants.scale();
        let (points, from_ns, to_ns) = self.drift.pass(from_ns, to_ns, time);
        self.followed.drift(points);
        (from_ns, to_ns)
    }

    /// The first input that some states of the system refuse: nothing that came after it fails.
    #[must_use]
    pub fn refused(&self) -> Option<&Refused> {
        self.followed.refused()
    }

    /// The input that could not be followed, and its number among the inputs of the run.
    pub(super) fn not_followed(&self) -> Option<(usize, &Happening)> {
        self.not_followed.as_ref().map(|it| (self.followed.n_inputs, it))
    }

    /// A diagnosis that blames nobody if an input may not have been taken.
    pub(super) fn excused(&self, mut diagnosis: Box<Diagnosis>) -> Box<Diagnosis> {
        if let Some(refused) = self.followed.refused() {
            diagnosis.excuse(refused);
        }
        diagnosis
    }

    /// Explains what can not be overtaken by anything at or after the horizon.
    pub(super) fn settle(
        &mut self,
        horizon_ns: u64,
        coverage: &mut Coverage,
    ) -> Result<(), Box<Diagnosis>> {
        self.explain_until(horizon_ns, coverage).map_err(|it| self.excused(it))
    }

    pub(super) fn explain_until(
        &mut self,
        horizon_ns: u64,
        coverage: &mut Coverage,
    ) -> Result<(), Box<Diagnosis>> {
        let is_over =
            |end_ns: u64, blurred: bool| end_ns < horizon_ns || (!blurred && end_ns == horizon_ns);
        while let Some(first) = self.pending.front() {
            // All that overlaps, directly or through others.
            let blurred = self.is_blurred();
            let (mut n_overlapping, mut end_ns) = (0, first.to_ns);
            for it in &self.pending {
                if n_overlapping > 0 && !it.is_before(end_ns, blurred) {
                    break;
                }
                end_ns = end_ns.max(it.to_ns);
                n_overlapping += 1;
                if !is_over(end_ns, blurred) {
                    return Ok(());
                }
            }
            if n_overlapping == 1 {
                let only = self.pending.pop_front().expect("there is a first");
                let (from_ns, to_ns) = self.pass(only.from_ns, only.to_ns);
                let interval = self.specification.instants.interval(from_ns, to_ns);
                let is_input = only.way == Way::Input;
                if is_input {
                    self.followed.n_inputs = only.n_inputs;
                }
                let done = self.followed.observe(&only.what, interval, coverage);
                if done.is_err() && is_input {
                    self.not_followed = Some(only.what);
                }
                done?;
                continue;
            }
            let cluster = self.pending.drain(..n_overlapping).collect();
            self.explain_cluster(cluster, None, coverage)?;
        }
        Ok(())
    }

    /// Whether things that may have happened at one instant were perhaps seen in another order.
    fn is_blurred(&self) -> bool {
        let delays = self.uncertainty;
        delays.input_ns.1 > 0
            || delays.output_ns.1 > 0
            || self.pending.iter().any(|it| it.from_ns < it.to_ns)
    }

    /// Explains several things whose order is not known. What was sent from `unseen_ns` on need not have been seen.
    pub(super) fn explain_cluster(
        &mut self,
        mut cluster: Vec<Pending>,
        unseen_ns: Option<u64>,
        coverage: &mut Coverage,
    ) -> Result<(), Box<Diagnosis>> {
        let end_ns = cluster.iter().map(|it| it.to_ns).fold(0, u64::max);
        let begin_ns = cluster.iter().map(|it| it.from_ns).chain(unseen_ns).fold(end_ns, u64::min);
        let (_, to_ns) = self.pass(begin_ns, end_ns);
        // They keep their order, whatever the clock of the system says.
        let off_ns = to_ns - end_ns;
        for it in &mut cluster {
            it.from_ns = it.from_ns.saturating_sub(off_ns);
            it.to_ns = it.to_ns.saturating_add(off_ns);
        }
        let instants = self.specification.instants;
        let unseen = unseen_ns.map(|it| instants.begin(it.saturating_sub(off_ns)));
        self.followed.estimates.iter_mut().for_each(|it| it.unseen_from(unseen));
        self.is_unordered = true;
        // A part knows its own order. An input that one part does not take could excuse what another one did long before.
        let may_excuse = self.followed.parts.len() > 1
            && self.followed.refused().is_none()
            && cluster.iter().any(|it| it.way == Way::Input);
        let before = may_excuse.then(|| self.before(coverage));
        let mut done = self.explain_all(&cluster, unseen, coverage);
        let is_unknown = done.as_ref().is_err_and(|it| it.cause == Cause::NotSpecified);
        if let Some(before) = before
            && (is_unknown || self.followed.refused().is_some())
            && let Some(sooner) = self.wrong_sooner(&cluster, &before, unseen, coverage)
        {
            done = Err(sooner);
        }
        self.is_unordered = done.is_err();
        done
    }

    /// Explains several things whose order is not known.
    fn explain_all(
        &mut self,
        cluster: &[Pending],
        unseen: Option<End>,
        coverage: &mut Coverage,
    ) -> Result<(), Box<Diagnosis>> {
        if let Some(input) = cluster.iter().find(|it| it.way == Way::Input) {
            self.followed.n_inputs = input.n_inputs;
            self.not_followed = Some(input.what.clone());
        }
        (0..self.followed.parts.len())
            .try_for_each(|at| self.explain_part(at, cluster, unseen, coverage))
    }

    /// A part explains several things whose order is not known.
    pub(super) fn explain_part(
        &mut self,
        at: usize,
        cluster: &[Pending],
        unseen: Option<End>,
        coverage: &mut Coverage,
    ) -> Result<(), Box<Diagnosis>> {
        let (instants, specification) = (self.specification.instants, self.specification);
        let known = Known::of(specification, self.followed.number(at), cluster);
        let observed = known.observations(instants);
        let queues = observed.each_ref().map(|it| &it[..]);
        let (part, estimate) = (self.followed.parts[at], &mut self.followed.estimates[at]);
        let stuck = match estimate.observe_queues(queues) {
            Ok(Ok(())) => {
                coverage.note_cluster(part, estimate, has_several_signals(cluster));
                self.followed.hindsights[at].note_queues(estimate, queues);
                let refusing = estimate.take_refusing();
                if let Some(input) = refused_of(cluster, &refusing, instants) {
                    let interval = instants.interval(input.from_ns, input.to_ns);
                    self.followed.n_inputs = input.n_inputs;
                    // Others have not observed the cluster yet: of them nothing is known from its begin on.
                    let until = known_until(cluster, unseen, instants).unwrap_or(interval.from);
                    let seen = (&input.what, interval);
                    let done = self.followed.doubt(at, refusing, seen, until);
                    done.map_err(|stuck| stuck.diagnosis)?;
                }
                return Ok(());
            }
            Ok(Err(stuck)) => stuck,
            Err(overflow) => {
                let interval = instants.interval(cluster[0].from_ns, cluster[0].to_ns);
                let question = Question::new(specification, part, None, interval);
                return Err(question.overflow(overflow));
            }
        };
        let refusing = estimate.take_refusing();
        // A specification that says nothing about an input says nothing about what follows.
        let [input, output, reading] = known.next(&stuck);
        let next = known.not_specified(&stuck).or(output).or(reading).or(input);
        let (next, blocked) = next.expect("something was left");
        let interval = instants.interval(next.pending.from_ns, next.pending.to_ns);
        let question = Question::new(specification, part, Some(&next.pending.what), interval);
        let past = Past { hindsight: &self.followed.hindsights[at], stuck: queues };
        let diagnosis = question.diagnose(estimate, blocked, &next.glimpse, past);
        let stuck = Stuck { at, blocked: Some(blocked), diagnosis };
        // Of the others, nothing is known from the begin of the cluster on.
        let until = known_until(cluster, unseen, instants).unwrap_or(interval.from);
        let seen = (Some(&next.pending.what), interval);
        let diagnosis = self.followed.first(stuck, seen, until);
        // What was wrong before the cluster is wrong, whatever was taken in it.
        if !diagnosis.latest.is_some_and(|latest| latest.ends_before(until)) {
            self.note_refused(at, cluster, refusing);
            self.doubt_of_others(at + 1, cluster);
        }
        Err(diagnosis)
    }

    /// Some states of a part refuse an input whose place among others is not known.
    fn note_refused(&mut self, at: usize, cluster: &[Pending], refusing: Vec<Refusing>) {
        let instants = self.specification.instants;
        if let Some(input) = refused_of(cluster, &refusing, instants) {
            let interval = instants.interval(input.from_ns, input.to_ns);
            self.followed.n_inputs = input.n_inputs;
            self.followed.note_refused(at, refusing, (&input.what, interval));
        }
    }

    /// One part can not explain what happened in an order that is not known; an input among it may have come first, and
    /// not have been taken by another part.
    fn doubt_of_others(&mut self, from: usize, cluster: &[Pending]) {
        let (specification, instants) = (self.specification, self.specification.instants);
        for at in from..self.followed.parts.len() {
            let known = Known::of(specification, self.followed.number(at), cluster);
            let observed = known.observations(instants);
            let estimate = &mut self.followed.estimates[at];
            let _ = estimate.observe_queues(observed.each_ref().map(|it| &it[..]));
            let refusing = estimate.take_refusing();
            self.note_refused(at, cluster, refusing);
        }
    }

    /// Whether coverage is told all ways to a state, and not just one.
    pub(super) fn keep_ways(&mut self, keeps: bool) {
        self.followed.keep_ways(keeps);
    }

    /// Notes what the system may have done unseen since the last observation, at the end of a run.
    pub(super) fn note_last(&mut self, coverage: &mut Coverage) {
        self.followed.note_last(coverage);
    }

    /// Notes what the system has done unseen since the last observation, up to where it could not explain what came, or time could not
    /// pass. Where the order of what came is not known, nobody knows how far that is.
    pub(super) fn note_stuck(&mut self, diagnosis: &Diagnosis, coverage: &mut Coverage) {
        if self.is_unordered {
            return;
        }
        let deadline = diagnosis.latest.filter(|end| end.ends_before(diagnosis.interval.from));
        for estimate in &mut self.followed.estimates {
            // Who could not wait so long has been told as that.
            let _ = deadline.map(|end| estimate.advance(end.reached()));
        }
        self.followed.note_last(coverage);
    }

    /// Follows what the system may do unseen, up to an instant.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn look_ahead(&mut self, to_ns: u64) -> Result<(), Overflow> {
        let to = self.specification.instants.begin(to_ns).at;
        self.followed.estimates.iter_mut().try_for_each(|estimate| estimate.look_ahead(to))
    }

    /// When the system is specified to accept an input from now on; everywhere if no part of it
    /// receives it.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn accepts(&mut self, action: &Action) -> Result<Vec<Interval>, Overflow> {
        let mut accepted: Option<Vec<Interval>> = None;
        set_ints(&mut self.ints, action);
        for &i in &self.followed.concerned[action.signal] {
            let these = self.followed.estimates[i].intervals(action.signal, &self.ints)?;
            accepted = Some(match accepted {
                None => these,
                Some(them) => {
                    let these = &these;
                    let meet = |a: Interval| these.iter().map(move |b| a.meet(*b));
                    them.into_iter().flat_map(meet).filter(|it| !it.is_empty()).collect()
                }
            });
        }
        Ok(accepted.unwrap_or_else(|| vec![Interval { from: End::at(0), to: None }]))
    }

    /// When the system may refuse an input, from now on up to a point of the grid, if nothing is seen before; never if no part
    /// of it receives it.
    pub fn refuses(&mut self, action: &Action, horizon: i64) -> Vec<Interval> {
        let mut refused = Vec::new();
        set_ints(&mut self.ints, action);
        for &i in &self.followed.concerned[action.signal] {
            let estimate = &mut self.followed.estimates[i];
            let now = estimate.now();
            match estimate.refusal_windows(action.signal, &self.ints, horizon) {
                Ok(them) => refused.extend(them),
                // What can not be looked at may be refused.
                Err(_) => refused.push(Interval { from: now, to: None }),
            }
        }
        refused
    }

    /// The outputs that are allowed if nothing else is seen, each with its whole window: from its first
    /// instant, also if that is over, to its last one, through hidden steps.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn expected(&mut self) -> Result<Vec<super::Allowed>, Overflow> {
        let mut offers: Vec<Offer> = Vec::new();
        for (at, estimate) in self.followed.estimates.iter_mut().enumerate() {
            match self.followed.hindsights[at].live(estimate, self.ahead) {
                Ok(told) => offers.extend_from_slice(told),
                // What can not be followed that far is told as far as it is known.
                Err(_) => offers.extend(estimate.offers()?),
            }
        }
        Ok(super::diagnosis::merged(self.specification.interface(), offers.iter()))
    }

    /// The edges that the system may take on an input and at once after it, each with the instants at which the input
    /// leads through it.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn preview(&mut self, action: &Action) -> Result<Vec<Led>, Overflow> {
        let mut found = Vec::new();
        set_ints(&mut self.ints, action);
        for &i in &self.followed.concerned[action.signal] {
            let part = self.followed.parts[i];
            for ((process, edge), interval) in
                self.followed.estimates[i].preview(action.signal, &self.ints)?
            {
                if let Some(process) = part.process(process) {
                    let edge = EdgeId::from_index(edge as usize);
                    found.push(Led { process, edge, interval });
                }
            }
        }
        Ok(found)
    }

    /// Where the parts of the system may stand now, each by its number in the specification, with so many points at most.
    pub fn stands(&mut self, most: usize) -> Vec<(usize, Vec<Stand>)> {
        self.followed.stands(most)
    }

    /// Until when the system may be silent, at the latest; none if for ever, or for longer than can be
    /// seen.
    #[must_use]
    pub fn deadline(&mut self) -> Option<End> {
        let ends = self.followed.estimates.iter_mut().filter_map(Estimate::latest);
        ends.reduce(|a, b| if a.ends_before(b) { a } else { b })
    }
}

/// Up to when everything that any part did is known: the begin of a cluster, or from when on something may be on its way.
pub(super) fn known_until(
    cluster: &[Pending],
    unseen: Option<End>,
    instants: super::Instants,
) -> Option<End> {
    let ends = begin_of(cluster, instants).into_iter().chain(unseen);
    ends.reduce(|a, b| if b.begins_before(a) { b } else { a })
}

/// The earliest instant at which something of a cluster may have happened.
fn begin_of(cluster: &[Pending], instants: super::Instants) -> Option<End> {
    let begin = cluster.iter().map(|it| instants.begin(it.from_ns));
    begin.reduce(|a, b| if b.begins_before(a) { b } else { a })
}

/// Whether there are several signals, so that edges may have been taken again between them.
fn has_several_signals(cluster: &[Pending]) -> bool {
    cluster.iter().filter(|it| matches!(it.what, Happening::Signal(_))).count() > 1
}

/// The first input of some that a state refuses.
pub(super) fn refused_of<'p>(
    cluster: &'p [Pending],
    refusing: &[Refusing],
    instants: super::Instants,
) -> Option<&'p Pending> {
    let mut ints = Vec::new();
    cluster.iter().find(|it| match &it.what {
        Happening::Signal(action) => {
            set_ints(&mut ints, action);
            // The same input may have come several times, and only one of them may be refused.
            let interval = instants.interval(it.from_ns, it.to_ns);
            let is_it = |it: &Refusing| {
                it.signal == action.signal && it.values == ints && it.interval == interval
            };
            refusing.iter().any(is_it)
        }
        _ => false,
    })
}

/// Which way an event travelled, and when it happened at the system; none if the network knows nothing
/// of it.
fn happened(interface: &Interface, delays: Uncertainty, event: &Event) -> Option<(Way, u64, u64)> {
    let (input, output) = (delays.input_ns, delays.output_ns);
    match &event.what {
        Happening::Set(_) | Happening::Step(_) => None,
        // It was read after it was asked for and before it was answered. The stated delays are those of
        // signals: on the virtual clock, a reading takes no time.
        Happening::Reading(_) => Some((Way::Reading, event.from_ns, event.to_ns)),
        Happening::Signal(action) => Some(match interface.signals[action.signal].direction {
            Direction::Input => (
                Way::Input,
                event.from_ns.saturating_add(input.0),
                event.to_ns.saturating_add(input.1),
            ),
            Direction::Output => (
                Way::Output,
                event.from_ns.saturating_sub(output.1),
                event.to_ns.saturating_sub(output.0),
            ),
        }),
    }
}
