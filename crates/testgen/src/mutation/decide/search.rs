//! All that a tester can do to tell two components apart, shortest first.

use std::collections::{BTreeSet, HashSet, VecDeque};

use punctual_model::SignalId;
use punctual_semantics::estimate::{End, Estimator, Interval, Overflow, ValueWindows, What};

use super::bench::Bench;
use super::joint::{Blocked, Joint, Key, Saved};
use super::{Seen, Step};

/// How far a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// A search looks at no more situations than this.
    pub situations: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { situations: 20_000 }
    }
}

/// What a search has found.
pub(super) enum Found {
    /// The left one shows what the right one does not.
    Difference(Vec<Step>),
    /// Time can not pass in the left one.
    Stop(Vec<Step>),
    /// The search has seen everything.
    Nothing,
    /// The search has not seen everything, for this reason.
    Unknown(&'static str),
}

/// A situation, and how it came about.
struct Node {
    saved: Option<Saved>,
    now: i64,
    parent: usize,
    step: Option<Step>,
}

/// What is compared.
#[derive(Clone, Copy)]
pub(super) struct Sides<'e> {
    /// The component that may show too much.
    pub(super) left: &'e Estimator,
    /// The component that says what is right.
    pub(super) right: &'e Estimator,
    /// Who sends to them; anybody may send anything if there is nobody.
    pub(super) environment: &'e [Estimator],
    /// The largest constant that a clock of them is compared with, in half points of the grid.
    pub(super) largest: i64,
}

/// What has happened before the search begins.
#[derive(Clone, Copy, Default)]
pub(super) struct Given<'g> {
    /// Inputs, with their instants in half points of the grid.
    pub(super) inputs: &'g [(i64, SignalId, Vec<i32>)],
    /// The instant at which the search begins.
    pub(super) from: i64,
}

/// Looks for something that the left component shows and the right one does not.
pub(super) fn differs(
    bench: &Bench<'_>,
    sides: Sides<'_>,
    given: Given<'_>,
    limits: Limits,
) -> Found {
    let Sides { left, right, environment, largest } = sides;
    let search = Joint::new(bench, left, right, environment).map(|joint| Search {
        bench,
        joint,
        nodes: Vec::new(),
        waiting: VecDeque::new(),
        known: HashSet::new(),
        largest,
        open: None,
    });
    let found = search.and_then(|mut search| search.run(limits, given));
    found.unwrap_or(Found::Unknown("a component may be in too many states"))
}

struct Search<'b> {
    bench: &'b Bench<'b>,
    joint: Joint<'b>,
    nodes: Vec<Node>,
    waiting: VecDeque<usize>,
    known: HashSet<Key>,
    largest: i64,
    /// Why nothing is proved, although nothing was found.
    open: Option<&'static str>,
}

impl Search<'_> {
    fn run(&mut self, limits: Limits, given: Given<'_>) -> Result<Found, Overflow> {
        let mut now = 0;
        for (at, signal, values) in given.inputs {
            now = *at;
            if self.joint.see(&Seen::Input(*signal, values.clone()), now)?.is_err() {
                return Ok(Found::Unknown("an input is not possible"));
            }
        }
        let from = given.from.max(now);
        if self.joint.see(&Seen::Silence, from)?.is_err() {
            return Ok(Found::Unknown("time can not pass"));
        }
        self.arrive(usize::MAX, from, None)?;
        while let Some(at) = self.waiting.pop_front() {
            if self.nodes.len() > limits.situations {
                return Ok(Found::Unknown(
                    "the search ended after as many situations as it may look at",
                ));
            }
            if let Some(found) = self.look(at)? {
                return Ok(found);
            }
            // Nobody comes back here.
            self.nodes[at].saved = None;
        }
        Ok(match self.open {
            Some(why) => Found::Unknown(why),
            None if self.bench.n_clocks > 1 => Found::Unknown(
                "nothing was found at critical instants, and there are several clocks",
            ),
            None => Found::Nothing,
        })
    }

    /// A new situation, unless it is known.
    fn arrive(&mut self, parent: usize, now: i64, step: Option<Step>) -> Result<(), Overflow> {
        let key = self.joint.key()?;
        if self.known.insert(key) {
            self.waiting.push_back(self.nodes.len());
            let saved = Some(self.joint.save());
            self.nodes.push(Node { saved, now, parent, step });
        }
        Ok(())
    }

    /// The steps that led to a situation, and one more.
    fn trace(&self, mut at: usize, last: Step) -> Vec<Step> {
        let mut steps = vec![last];
        while let Some(node) = self.nodes.get(at) {
            steps.extend(node.step.clone());
            at = node.parent;
        }
        steps.reverse();
        steps
    }

    fn back_to(&mut self, at: usize) {
        if let Some(saved) = &self.nodes[at].saved {
            self.joint.restore(saved);
        }
    }

    /// Looks for a difference in a situation, then does all that a tester may do in it.
    fn look(&mut self, at: usize) -> Result<Option<Found>, Overflow> {
        let now = self.nodes[at].now;
        let horizon = now + 2 * self.largest + 4;
        self.back_to(at);
        let [left, right] = self.joint.readings(horizon)?;
        if let Some((values, when)) = unmatched(&left, &right) {
            let values = self.bench.ports.iter().copied().zip(values).collect();
            let what = Seen::Reading(values);
            return Ok(Some(Found::Difference(self.trace(at, Step { at: when, what }))));
        }
        let outputs = self.joint.outputs(horizon)?;
        for offer in &outputs {
            let what = What::Signal { signal: offer.signal, values: &offer.values };
            let allowed = self.joint.right.windows(what, horizon)?;
            if let Some(when) = outside(offer.interval, &allowed, horizon) {
                let what = Seen::Output(offer.signal, offer.values.clone());
                return Ok(Some(Found::Difference(self.trace(at, Step { at: when, what }))));
            }
        }
        if let Some(found) = self.silence(at, horizon, !outputs.is_empty())? {
            return Ok(Some(found));
        }
        let inputs = self.joint.inputs(horizon)?.unwrap_or_else(|| {
            self.open = Some("an input has too many values to try them all");
            Vec::new()
        });
        let mut critical: BTreeSet<i64> = BTreeSet::from([now]);
        let windows = left.iter().chain(&right).flat_map(|(_, them)| them.iter().copied());
        let offered = outputs.iter().chain(&inputs).map(|offer| offer.interval);
        for interval in windows.chain(offered) {
            let (from, to) = (interval.from.at, interval.to.map(|to| to.at));
            critical.extend([from - 1, from, from + 1]);
            critical.extend(to.into_iter().flat_map(|to| [to - 1, to, to + 1]));
        }
        critical.retain(|it| (now..horizon).contains(it));
        for offer in &inputs {
            for &when in critical.iter().filter(|when| contains(offer.interval, **when)) {
                let what = Seen::Input(offer.signal, offer.values.clone());
                self.go(at, Step { at: when, what })?;
            }
        }
        for offer in &outputs {
            for &when in critical.iter().filter(|when| contains(offer.interval, **when)) {
                let what = Seen::Output(offer.signal, offer.values.clone());
                self.go(at, Step { at: when, what })?;
            }
        }
        for &when in &critical {
            let possible: Vec<&ValueWindows> =
                left.iter().filter(|(_, them)| them.iter().any(|it| contains(*it, when))).collect();
            // A reading that can only be one teaches nothing.
            for (values, _) in possible.iter().filter(|_| possible.len() > 1) {
                let values = self.bench.ports.iter().copied().zip(values.iter().copied()).collect();
                self.go(at, Step { at: when, what: Seen::Reading(values) })?;
            }
        }
        self.wait(at, horizon)?;
        Ok(None)
    }

    /// Whether the left one may be silent for longer than the right one, or can not go on at all.
    fn silence(
        &mut self,
        at: usize,
        horizon: i64,
        has_outputs: bool,
    ) -> Result<Option<Found>, Overflow> {
        self.joint.left.look_ahead(horizon)?;
        self.joint.right.look_ahead(horizon)?;
        let (left, right) = (self.joint.left.latest(), self.joint.right.latest());
        let beyond = |end: End| end.at + i64::from(!end.open);
        let is_longer = match (left, right) {
            (None, Some(right)) => right.at < horizon,
            (Some(left), Some(right)) => right.ends_before(left) && right.at < horizon,
            (_, None) => false,
        };
        if let (true, Some(right)) = (is_longer, right) {
            let last = Step { at: beyond(right), what: Seen::Silence };
            return Ok(Some(Found::Difference(self.trace(at, last))));
        }
        match left.filter(|left| left.at < horizon && !has_outputs) {
            Some(left) => {
                let last = Step { at: beyond(left), what: Seen::Silence };
                Ok(Some(Found::Stop(self.trace(at, last))))
            }
            None => Ok(None),
        }
    }

    /// Does a step from a situation.
    fn go(&mut self, at: usize, step: Step) -> Result<(), Overflow> {
        self.back_to(at);
        match self.joint.see(&step.what, step.at)? {
            Ok(()) => self.arrive(at, step.at, Some(step)),
            // An input that the left one refuses can not be delivered; what would follow is not known.
            Err(Blocked::Left) => {
                if matches!(step.what, Seen::Input(..)) {
                    self.open = Some("the mutant refuses an input");
                }
                Ok(())
            }
            Err(Blocked::Right | Blocked::Environment) => Ok(()),
        }
    }

    /// Lets time pass.
    fn wait(&mut self, at: usize, until: i64) -> Result<(), Overflow> {
        self.back_to(at);
        match self.joint.see(&Seen::Silence, until)? {
            Ok(()) => self.arrive(at, until, None),
            Err(_) => Ok(()),
        }
    }
}

fn contains(interval: Interval, at: i64) -> bool {
    !interval.meet(Interval::point(at)).is_empty()
}

/// Values that may be read on the left at some instant and not on the right then.
fn unmatched(left: &[ValueWindows], right: &[ValueWindows]) -> Option<(Vec<i32>, i64)> {
    let nothing = Vec::new();
    let mut first: Option<(Vec<i32>, i64)> = None;
    for (values, windows) in left {
        let allowed = right.iter().find(|(other, _)| other == values);
        let allowed = allowed.map_or(&nothing, |(_, allowed)| allowed);
        for window in windows {
            if let Some(at) = outside(*window, allowed, i64::MAX / 4)
                && first.as_ref().is_none_or(|(_, earlier)| at < *earlier)
            {
                first = Some((values.clone(), at));
            }
        }
    }
    first
}

/// The first point of an interval that is in none of some others. They are disjoint and in their order.
fn outside(interval: Interval, others: &[Interval], horizon: i64) -> Option<i64> {
    let mut at = interval.from.at + i64::from(interval.from.open);
    for other in others {
        if contains(*other, at) {
            let to = other.to?;
            at = to.at + i64::from(!to.open);
        }
    }
    (at <= horizon && contains(interval, at)).then_some(at)
}
