//! All that a tester can do to tell two components apart, shortest first.

use std::collections::{BTreeSet, HashSet, VecDeque};

use punctual_model::{ClockId, SignalId};
use punctual_semantics::budget::Spent;
use punctual_semantics::estimate::{End, Estimator, Interval, Overflow, ValueWindows, What};

use super::bench::Bench;
use super::joint::{Blocked, Joint, Key, Offer, Saved};
use super::{STOPPED, Seen, Step};

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

/// What a search has to know of the two components besides what they do.
pub(super) struct Compared {
    /// The constants that clocks are compared with, in half points of the grid.
    pub(super) constants: Vec<(ClockId, i64)>,
    /// The largest constant, that of the environment included.
    pub(super) largest: i64,
    /// Whether the right one is the mutant.
    pub(super) is_reversed: bool,
    /// Why nothing is proved, even if the search has seen everything.
    pub(super) open: Option<&'static str>,
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
    /// What is known of them besides.
    pub(super) compared: &'e Compared,
}

/// What has happened before the search begins.
#[derive(Clone, Copy, Default)]
pub(super) struct Given<'g> {
    /// Inputs, with their instants in half points of the grid.
    pub(super) inputs: &'g [(i64, SignalId, Vec<i32>)],
    /// The instant at which the search begins.
    pub(super) from: i64,
    /// The states that each side may be in then, with any values of clocks; the first ones, if not given.
    pub(super) states: Option<[&'g [Vec<i32>]; 2]>,
}

/// A coarse search looks at no more situations than this.
const COARSE_MAX: usize = 3_000;

/// Looks for something that the left component shows and the right one does not: at few instants first, then at all that
/// may matter.
pub(super) fn differs(
    bench: &Bench<'_>,
    sides: Sides<'_>,
    given: Given<'_>,
    limits: Limits,
) -> Found {
    match coarsely(bench, sides, given, limits) {
        Some(found) => found,
        None => search(bench, sides, given, limits, false),
    }
}

/// Looks at few instants only; what is not found may be there all the same.
pub(super) fn coarsely(
    bench: &Bench<'_>,
    sides: Sides<'_>,
    given: Given<'_>,
    limits: Limits,
) -> Option<Found> {
    let limits = Limits { situations: limits.situations.min(COARSE_MAX) };
    let found = search(bench, sides, given, limits, true);
    matches!(found, Found::Difference(_) | Found::Stop(_)).then_some(found)
}

fn search(
    bench: &Bench<'_>,
    sides: Sides<'_>,
    given: Given<'_>,
    limits: Limits,
    is_coarse: bool,
) -> Found {
    let Sides { left, right, environment, compared } = sides;
    let search = Joint::new(bench, left, right, environment).map(|joint| Search {
        bench,
        joint,
        nodes: Vec::new(),
        waiting: VecDeque::new(),
        known: HashSet::new(),
        compared,
        is_coarse,
        open: compared.open,
    });
    let found = search.and_then(|mut search| search.run(limits, given));
    found.unwrap_or_else(|overflow| {
        Found::Unknown(match (overflow, bench.specification().budget().spent()) {
            (Overflow::Spent, Some(Spent::Memory)) => "there is not enough memory",
            (Overflow::Spent, _) => STOPPED,
            (Overflow::Trouble(_), _) => "the model is in error",
            (Overflow::Span(_), _) => "it takes longer than can be followed",
            (Overflow::States(_), _) => "a component may be in too many states",
        })
    })
}

struct Search<'b> {
    bench: &'b Bench<'b>,
    joint: Joint<'b>,
    nodes: Vec<Node>,
    waiting: VecDeque<usize>,
    known: HashSet<Key>,
    compared: &'b Compared,
    /// Whether only the begins of windows and the instants just behind their ends are tried: most differences show there.
    is_coarse: bool,
    /// Why nothing is proved, although nothing was found.
    open: Option<&'static str>,
}

impl Search<'_> {
    fn run(&mut self, limits: Limits, given: Given<'_>) -> Result<Found, Overflow> {
        let mut now = 0;
        if let Some([left, right]) = given.states {
            self.joint.left.put(left)?;
            self.joint.right.put(right)?;
        }
        for (at, signal, values) in given.inputs {
            now = *at;
            if self.joint.see(&Seen::Input(*signal, values.clone()), now)?.is_err() {
                return Ok(Found::Unknown("an input is not possible"));
            }
            let [_, is_refused] = self.joint.take_refused();
            if is_refused {
                return Ok(Found::Unknown("an input may be refused"));
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
        let horizon = now + 2 * self.compared.largest + 4;
        self.back_to(at);
        let patience = self.joint.patience(horizon)?;
        // What would be seen later is not, since the environment sends something before.
        let until = Interval { from: End::at(now), to: Some(patience.unwrap_or(End::at(horizon))) };
        let [left, right] = self.joint.readings(horizon)?;
        if let Some((values, when)) = self.unmatched(&left, &right, until) {
            let values = self.bench.ports.iter().copied().zip(values).collect();
            let what = Seen::Reading(values);
            return Ok(Some(Found::Difference(self.trace(at, Step { at: when, what }))));
        }
        let outputs = self.joint.outputs(horizon)?;
        for offer in &outputs {
            let what = What::Signal { signal: offer.signal, values: &offer.values };
            let allowed = self.joint.right.windows(what, horizon)?;
            if let Some(when) = self.outside(offer.interval.meet(until), &allowed) {
                let what = Seen::Output(offer.signal, offer.values.clone());
                return Ok(Some(Found::Difference(self.trace(at, Step { at: when, what }))));
            }
        }
        if let Some(found) = self.silence(at, horizon, patience, &outputs)? {
            return Ok(Some(found));
        }
        let inputs = self.joint.inputs(horizon)?.unwrap_or_else(|| {
            self.open = Some("an input has too many values to try them all");
            Vec::new()
        });
        let critical = self.critical(now, horizon, [&left, &right], [&outputs, &inputs]);
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

    /// The instants at which it may matter whether something is done before, then or after: ends of windows, and when a
    /// clock reaches a constant, with those just before and just behind.
    fn critical(
        &mut self,
        now: i64,
        horizon: i64,
        readings: [&[ValueWindows]; 2],
        offers: [&[Offer]; 2],
    ) -> BTreeSet<i64> {
        let mut critical: BTreeSet<i64> = BTreeSet::from([now]);
        if self.is_coarse {
            let windows = readings.iter().flat_map(|it| it.iter());
            let windows = windows.flat_map(|(_, them)| them.iter().copied());
            let offered = offers.iter().flat_map(|it| it.iter()).map(|offer| offer.interval);
            for interval in windows.chain(offered) {
                critical.insert(interval.from.at);
                critical.extend(interval.to.map(|to| to.at + 1));
            }
            critical.retain(|it| (now..horizon).contains(it));
            return critical;
        }
        let mut add = |at: i64| critical.extend([at - 1, at, at + 1]);
        let windows = readings.iter().flat_map(|it| it.iter());
        let windows = windows.flat_map(|(_, them)| them.iter().copied());
        let offered = offers.iter().flat_map(|it| it.iter()).map(|offer| offer.interval);
        for interval in windows.chain(offered) {
            add(interval.from.at);
            interval.to.into_iter().for_each(|to| add(to.at));
        }
        for (clock, set) in self.joint.settings() {
            let constants = self.compared.constants.iter().filter(|(of, _)| *of == clock);
            constants.for_each(|(_, constant)| add(set + constant));
        }
        critical.retain(|it| (now..horizon).contains(it));
        critical
    }

    /// Whether the left one may be silent for longer than the right one, or can not go on at all.
    fn silence(
        &mut self,
        at: usize,
        horizon: i64,
        patience: Option<End>,
        outputs: &[Offer],
    ) -> Result<Option<Found>, Overflow> {
        self.joint.left.look_ahead(horizon)?;
        self.joint.right.look_ahead(horizon)?;
        let near = |end: Option<End>| end.filter(|it| it.at < horizon);
        let (left, right) = (near(self.joint.left.latest()), near(self.joint.right.latest()));
        let beyond = |end: End| end.at + i64::from(!end.open);
        // The environment, too, has to be silent for so long.
        let longest = match (left, patience) {
            (Some(a), Some(b)) => Some(if a.ends_before(b) { a } else { b }),
            (a, b) => a.or(b),
        };
        if let Some(right) = right
            && longest.is_none_or(|it| right.ends_before(it))
        {
            let last = Step { at: beyond(right), what: Seen::Silence };
            if longest.is_none_or(|it| !it.ends_before(End::at(last.at))) {
                return Ok(Some(Found::Difference(self.trace(at, last))));
            }
            self.open = Some(BETWEEN);
        }
        let Some(left) = left else { return Ok(None) };
        let is_last = |it: &Offer| it.interval.to.is_none_or(|to| !to.ends_before(left));
        let is_ours = patience.is_none_or(|it| left.ends_before(it));
        if is_ours && !outputs.iter().any(is_last) {
            let last = Step { at: beyond(left), what: Seen::Silence };
            return Ok(Some(Found::Stop(self.trace(at, last))));
        }
        Ok(None)
    }

    /// Does a step from a situation.
    fn go(&mut self, at: usize, step: Step) -> Result<(), Overflow> {
        self.back_to(at);
        let seen = self.joint.see(&step.what, step.at)?;
        let [left, right] = self.joint.take_refused();
        let (mutant, specification) =
            if self.compared.is_reversed { (right, left) } else { (left, right) };
        match seen {
            Ok(()) => {
                if mutant && !specification {
                    self.open = Some("the mutant refuses an input");
                }
                // Behind an input that some states of the specification refuse, it binds nobody.
                if specification { Ok(()) } else { self.arrive(at, step.at, Some(step)) }
            }
            // An input that the left one refuses can not be delivered; what would follow is not known.
            Err(Blocked::Left) => {
                if !self.compared.is_reversed && matches!(step.what, Seen::Input(..)) {
                    self.open = Some("the mutant refuses an input");
                }
                Ok(())
            }
            Err(Blocked::Right) => {
                if self.compared.is_reversed && matches!(step.what, Seen::Input(..)) {
                    self.open = Some("the mutant refuses an input");
                }
                Ok(())
            }
            Err(Blocked::Environment | Blocked::Late) => Ok(()),
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

/// Why a difference has no trace: it lies between two instants at which a tester may act.
const BETWEEN: &str = "a difference lies between half points of the grid";

impl Search<'_> {
    /// Values that may be read on the left at some instant of an interval and not on the right then.
    fn unmatched(
        &mut self,
        left: &[ValueWindows],
        right: &[ValueWindows],
        until: Interval,
    ) -> Option<(Vec<i32>, i64)> {
        let nothing = Vec::new();
        let mut first: Option<(Vec<i32>, i64)> = None;
        for (values, windows) in left {
            let allowed = right.iter().find(|(other, _)| other == values);
            let allowed = allowed.map_or(&nothing, |(_, allowed)| allowed);
            for window in windows {
                if let Some(at) = self.outside(window.meet(until), allowed)
                    && first.as_ref().is_none_or(|(_, earlier)| at < *earlier)
                {
                    first = Some((values.clone(), at));
                }
            }
        }
        first
    }

    /// The first point of an interval that is in none of some others. They are disjoint and in their order.
    fn outside(&mut self, interval: Interval, others: &[Interval]) -> Option<i64> {
        let mut rest = interval;
        for other in others {
            let before = End { at: other.from.at, open: !other.from.open };
            let gap = rest.meet(Interval { from: rest.from, to: Some(before) });
            if let Some(at) = self.point(gap) {
                return Some(at);
            }
            let to = other.to?;
            rest = rest.meet(Interval { from: End { at: to.at, open: !to.open }, to: None });
        }
        self.point(rest)
    }

    /// The first point of an interval.
    fn point(&mut self, interval: Interval) -> Option<i64> {
        if interval.is_empty() {
            return None;
        }
        let at = interval.from.at + i64::from(interval.from.open);
        match contains(interval, at) {
            true => Some(at),
            false => {
                self.open = Some(BETWEEN);
                None
            }
        }
    }
}

fn contains(interval: Interval, at: i64) -> bool {
    !interval.meet(Interval::point(at)).is_empty()
}
