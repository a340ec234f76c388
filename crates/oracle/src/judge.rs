//! What all oracles have in common.

use std::sync::Arc;

use punctual_model::{Action, Event, Verdict};
use punctual_semantics::budget::Budget;
use punctual_semantics::estimate::{Interval, Overflow, Stand};

use crate::conformance::{self, Allowed, Choices, Coverage, Instants, Led};
use crate::excuses::Excuse;
use crate::expectations::Kind;
use crate::{Cause, Judgement, expectations, steering, synchronous};

/// Watches a run and judges the system.
///
/// Instants are nanoseconds of the tester's clock since the last reset, and never decrease, but for
/// outputs that overlap with the handing over of an input.
pub trait Oracle {
    /// The system was reset: what follows is a new trace. What was covered is kept.
    fn restart(&mut self);

    /// Something was sent or seen.
    fn event(&mut self, event: &Event);

    /// Nothing more was sent up to `now_ns`, and nothing more was seen of what arrived up to `seen_ns`,
    /// which is at most `now_ns`.
    fn quiet(&mut self, now_ns: u64, seen_ns: u64) {
        let _ = (now_ns, seen_ns);
    }

    /// Time passes up to something that was seen and is told next. If it can not pass, that is left to
    /// be explained together with what was seen.
    fn approach(&mut self, now_ns: u64, seen_ns: u64) {
        let _ = (now_ns, seen_ns);
    }

    /// The verdict, once nothing that happens from now on makes it better; a verdict that is not a fail
    /// may still become one when the run is finished.
    fn decided(&self) -> Option<Verdict>;

    /// The run is made to see these interactions: a value for each, in order. The verdict does not depend on it.
    fn is_for(&mut self, interactions: &[bool]) {
        let _ = interactions;
    }

    /// Whether what the run is made for can not be expected to happen any more.
    fn is_pointless(&self) -> bool {
        false
    }

    /// Whether something that began has to be watched further, whatever the run is made for.
    fn is_waiting(&self) -> bool {
        false
    }

    /// The run is left before its end: what was not waited for is not missing. [`finish`](Oracle::finish) follows.
    fn leave(&mut self) {}

    /// The run is over; the system was watched until an instant.
    fn finish(&mut self, end_ns: u64) -> Judgement<Finding>;

    /// A run is about to be judged again, from a restart, as if instants were known less exactly than the
    /// interface says: everything may take so much longer. What it covers is not counted again.
    fn widen(&mut self, by_ns: u64) {
        let _ = by_ns;
    }

    /// The verdicts of single interactions, for oracles that judge a run step by step and go on after
    /// one that fails. Those that pass may be left out, so that memory does not grow with a long run.
    fn interactions(&self) -> Vec<Interaction> {
        Vec::new()
    }

    /// What steering made of the run that was finished last, for oracles that steer.
    fn outcome(&self) -> Option<&steering::Outcome> {
        None
    }

    /// For each interaction of the run that was finished last, the probability that it happened as the test intends, for oracles that know it.
    fn exercised(&self) -> &[f64] {
        &[]
    }

    /// How the inputs of the run that was finished last were explained, for oracles that explain them by delays.
    fn excuses(&self) -> &[Excuse] {
        &[]
    }

    /// How the system took its steps in the run that was finished last, for oracles that have to estimate that.
    fn cadence(&self) -> Option<Cadence> {
        None
    }

    /// What the environment may do next, for oracles that know one.
    fn environment(&mut self) -> Option<&mut dyn Environment> {
        None
    }
}

/// When a system takes its steps, as far as can be told from what is seen. All are in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cadence {
    /// From one step to the next.
    pub period: f64,
    /// How exactly that is known: one deviation.
    pub period_deviation: f64,
    /// How exactly the instants of steps are known, where they are known least: one deviation.
    pub phase_deviation: f64,
    /// By how much single steps come early or late beside that: a deviation, rather too large than too small.
    pub jitter: f64,
}

/// The verdict of one step or check of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Interaction {
    /// What it is: a check, a step, or an output that was expected.
    pub kind: Kind,
    /// Its number among those of its kind, from 0.
    pub number: usize,
    /// The instant at which it happened.
    pub at_ns: u64,
    /// What is said of it.
    pub verdict: Verdict,
    /// Why it is not a pass, in a sentence; empty if it is.
    pub reason: String,
}

/// What only a model of the environment knows: what may be sent next, and what was covered.
pub trait Environment {
    /// What the environment may do, if it is left alone for so many points of the grid.
    ///
    /// # Errors
    /// If the model is in error, or may be in too many states.
    fn choices(&mut self, horizon: i64) -> Result<Choices, Overflow>;

    /// Follows what the system may do unseen, up to an instant.
    ///
    /// # Errors
    /// If the model is in error, or may be in too many states.
    fn look_ahead(&mut self, to_ns: u64) -> Result<(), Overflow>;

    /// When the system is specified to accept an input from now on; everywhere if no part of it
    /// receives it.
    ///
    /// # Errors
    /// If the model is in error, or may be in too many states.
    fn accepts(&mut self, action: &Action) -> Result<Vec<Interval>, Overflow>;

    /// When the system may refuse an input, from now on up to a point of the grid, if nothing is seen before: it is in a
    /// state that does not take it, as far as anybody knows.
    fn refuses(&mut self, action: &Action, horizon: i64) -> Vec<Interval>;

    /// The edges that the system may take on an input and at once after it, each with the instants at which the input
    /// leads through it.
    ///
    /// # Errors
    /// If the model is in error, or may be in too many states.
    fn preview(&mut self, action: &Action) -> Result<Vec<Led>, Overflow>;

    /// Where the parts of the model may stand now, those of the environment first: the number of each part in the
    /// specification, with so many points at most.
    fn stands(&mut self, most: usize) -> Vec<(usize, Vec<Stand>)>;

    /// The outputs that are allowed from now on, and when.
    ///
    /// # Errors
    /// If the model is in error, or may be in too many states.
    fn expected(&mut self) -> Result<Vec<Allowed>, Overflow>;

    /// One of the questions above could not be answered, so the run can not go on: why, as a cause and in
    /// words.
    fn give_up(&mut self, now_ns: u64, overflow: Overflow) -> (Cause, String);

    /// What following the model may use; who watches that nothing takes too long may interrupt it.
    fn budget(&self) -> &Arc<Budget>;

    /// How many symbolic states there are on either side.
    fn sets(&self) -> Sets;

    /// What of the model was covered.
    fn coverage(&self) -> &Coverage;

    /// The conversion of instants.
    fn instants(&self) -> Instants;
}

/// How many symbolic states there are on either side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sets {
    /// The states of the system.
    pub system: usize,
    /// The states of the environment.
    pub environment: usize,
}

/// Why a verdict is not a pass, as the oracle that found it tells it.
#[derive(Clone, PartialEq, Debug)]
pub enum Finding {
    /// A network of timed automata can not have done what was seen.
    Conformance(Box<conformance::Diagnosis>),
    /// A check of a case, an output that it expects, or a step of its table, is not as it says.
    Expectation(expectations::Unexpected),
    /// A step is not that of the synchronous model.
    Step(synchronous::Mismatch),
    /// A step can not be explained by the steered model.
    Steering(steering::Diagnosis),
    /// What ended the run says something: a system that broke down, a user who stopped it, a record that
    /// was cut.
    Ending(Cause, String),
}

impl Finding {
    /// The cause, from the list that all oracles share.
    #[must_use]
    pub fn cause(&self) -> Cause {
        match self {
            Finding::Conformance(diagnosis) => diagnosis.cause,
            Finding::Expectation(unexpected) => unexpected.cause,
            Finding::Step(mismatch) => mismatch.cause(),
            Finding::Steering(diagnosis) => diagnosis.cause(),
            Finding::Ending(cause, _) => *cause,
        }
    }

    /// The verdict that follows from it.
    pub fn judged(self) -> Judgement<Finding> {
        match self.cause().is_failure() {
            true => Judgement::Fail(self),
            false => Judgement::Inconclusive(self),
        }
    }
}

/// Several oracles that watch one run. The worst verdict counts, and among equals that of the first.
pub struct All<'o>(pub Vec<Box<dyn Oracle + 'o>>);

impl Oracle for All<'_> {
    fn restart(&mut self) {
        self.0.iter_mut().for_each(|oracle| oracle.restart());
    }

    fn event(&mut self, event: &Event) {
        self.0.iter_mut().for_each(|oracle| oracle.event(event));
    }

    fn quiet(&mut self, now_ns: u64, seen_ns: u64) {
        self.0.iter_mut().for_each(|oracle| oracle.quiet(now_ns, seen_ns));
    }

    fn approach(&mut self, now_ns: u64, seen_ns: u64) {
        self.0.iter_mut().for_each(|oracle| oracle.approach(now_ns, seen_ns));
    }

    /// A fail of one is enough; otherwise all must have decided.
    fn decided(&self) -> Option<Verdict> {
        let decided = || self.0.iter().map(|oracle| oracle.decided());
        match decided().any(|it| it == Some(Verdict::Fail)) {
            true => Some(Verdict::Fail),
            false => decided().collect::<Option<Vec<Verdict>>>()?.into_iter().max(),
        }
    }

    fn is_for(&mut self, interactions: &[bool]) {
        self.0.iter_mut().for_each(|oracle| oracle.is_for(interactions));
    }

    fn is_pointless(&self) -> bool {
        self.0.iter().any(|oracle| oracle.is_pointless())
    }

    fn is_waiting(&self) -> bool {
        self.0.iter().any(|oracle| oracle.is_waiting())
    }

    fn leave(&mut self) {
        self.0.iter_mut().for_each(|oracle| oracle.leave());
    }

    fn finish(&mut self, end_ns: u64) -> Judgement<Finding> {
        let verdicts = self.0.iter_mut().map(|oracle| oracle.finish(end_ns));
        let worse = |a: Judgement<Finding>, b: Judgement<Finding>| {
            if b.verdict() > a.verdict() { b } else { a }
        };
        verdicts.reduce(worse).unwrap_or(Judgement::Pass)
    }

    fn widen(&mut self, by_ns: u64) {
        self.0.iter_mut().for_each(|oracle| oracle.widen(by_ns));
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.0.iter().flat_map(|oracle| oracle.interactions()).collect()
    }

    fn outcome(&self) -> Option<&steering::Outcome> {
        self.0.iter().find_map(|oracle| oracle.outcome())
    }

    fn exercised(&self) -> &[f64] {
        let all = self.0.iter().map(|oracle| oracle.exercised());
        all.max_by_key(|it| it.len()).unwrap_or(&[])
    }

    fn excuses(&self) -> &[Excuse] {
        let all = self.0.iter().map(|oracle| oracle.excuses());
        all.max_by_key(|it| it.len()).unwrap_or(&[])
    }

    fn cadence(&self) -> Option<Cadence> {
        self.0.iter().find_map(|oracle| oracle.cadence())
    }

    fn environment(&mut self) -> Option<&mut dyn Environment> {
        self.0.iter_mut().find_map(|oracle| oracle.environment())
    }
}
