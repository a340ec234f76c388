//! Which of the values that were seen outside each step has written.
//!
//! Each step writes a value over each line, and one may overtake another. What was seen is divided among the steps: each
//! step has one value of its own, within the time that the line takes. What is known of a line is which values are taken, with weights.
//! Each such belief has a number, so that two hypotheses with the same one are the same.

use std::ops::Range;
use std::rc::Rc;

use punctual_model::Value;
use punctual_model::testing::platform::Delay;
use rustc_hash::FxHashMap;

use super::inputs::Way;

/// What is less probable than this, among the ways to divide what was seen, is left out.
const FLOOR: f64 = 1e-12;

/// So many ways to divide what was seen of a line are followed.
const WAYS_MAX: usize = 2_000;

/// A line, and what was seen of it.
pub(super) struct Line {
    way: Way,
    /// Whether only new values are sent.
    only_changes: bool,
    /// When something was seen, in nanoseconds, and what; in the order of instants.
    seen: Vec<(f64, Option<Value>)>,
    /// For each step, by how much the delay is longer than the platform says, in nanoseconds: delays drift. Empty if they do not.
    drifted: Vec<f64>,
    /// How long a value is on its way at most, however far delays drift.
    latest: f64,
    /// The number of the first one that a step has written.
    first: usize,
    beliefs: Vec<Belief>,
    numbers: FxHashMap<Key, u32>,
    known: FxHashMap<(u32, usize, Value), Option<(u32, f64)>>,
    /// Whether ways to divide what was seen have weights; else all that is possible is the same.
    weighs: bool,
    /// Whether a way that is possible was not followed.
    has_left_out: bool,
}

/// What is known of a line: the last value that was written, and which values are taken, with weights.
#[derive(Clone, Debug)]
struct Belief {
    last: Option<Value>,
    ways: Vec<(Taken, f64)>,
}

/// What tells beliefs apart: the last value, where it matters, and which values are taken, with the bits of weights.
type Key = (Option<Value>, Vec<(Taken, u64)>);

/// All that was seen up to a number is taken, and some behind it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Taken {
    all: u32,
    also: Vec<u32>,
}

impl Line {
    pub(super) fn new(way: Way, only_changes: bool) -> Line {
        let taken = Taken { all: 0, also: Vec::new() };
        let first = Belief { last: None, ways: vec![(taken, 1.0)] };
        let (numbers, known) = (FxHashMap::default(), FxHashMap::default());
        let (latest, drifted) = (way.most, Vec::new());
        Line {
            way,
            only_changes,
            seen: Vec::new(),
            drifted,
            latest,
            first: 0,
            beliefs: vec![first],
            numbers,
            known,
            weighs: true,
            has_left_out: false,
        }
    }

    /// Forgets how what was seen was divided, but not what was seen.
    fn begin_again(&mut self, weighs: bool) {
        self.beliefs.truncate(1);
        self.numbers.clear();
        self.known.clear();
        (self.weighs, self.has_left_out) = (weighs, false);
    }

    /// Delays may become so much longer, in nanoseconds.
    pub(super) fn drifting(&mut self, by: f64) {
        self.latest += by;
    }

    /// A step was done, whose value takes so much longer than the platform says, in nanoseconds.
    pub(super) fn drifted(&mut self, by: f64) {
        self.drifted.push(by);
    }

    /// When a step and the next one were done, as if delays did not drift.
    fn undrifted(&self, step: usize, (now, next): (f64, Option<f64>)) -> (f64, Option<f64>) {
        let by =
            |step: usize| self.drifted.get(step).or(self.drifted.last()).copied().unwrap_or(0.0);
        (now + by(step), next.map(|next| next + by(step + 1)))
    }

    /// A value was seen; none if nothing of the program stands for it.
    pub(super) fn saw(&mut self, at: f64, value: Option<Value>) {
        self.seen.push((at, value));
    }

    /// How long a value is on its way at most, in nanoseconds.
    pub(super) fn most(&self) -> f64 {
        self.latest
    }

    /// A step that was done at an instant has written a value. Gives what is known then and how well it fits; none if nothing that was seen
    /// fits. `next` is when the next step was done, if that is known.
    pub(super) fn wrote(
        &mut self,
        belief: u32,
        step: usize,
        value: Value,
        times: (f64, Option<f64>),
    ) -> Option<(u32, f64)> {
        let (now, next) = self.undrifted(step, times);
        if let Some(found) = self.known.get(&(belief, step, value)) {
            return *found;
        }
        let from = self.seen.partition_point(|(at, _)| *at < now + self.way.least);
        let until = self.seen.partition_point(|(at, _)| *at <= now + self.way.most);
        let measure = self.measure(step, now, from..until);
        let before = &self.beliefs[belief as usize];
        let is_sent = !(self.only_changes && before.last == Some(value));
        let mut after: FxHashMap<Taken, f64> = FxHashMap::default();
        // What was seen before any step could have written it was there from the start.
        let there = if step == 0 { from as u32 } else { 0 };
        for (taken, weight) in &before.ways {
            let taken = &Taken { all: taken.all.max(there), also: taken.also.clone() };
            if !is_sent {
                *after.entry(taken.clone()).or_default() += weight;
                continue;
            }
            for number in from.max(taken.all as usize)..until {
                let (at, seen) = self.seen[number];
                if seen != Some(value) || taken.also.contains(&(number as u32)) {
                    continue;
                }
                let fits = self.fits(at - now) / measure;
                *after.entry(taken.with(number as u32)).or_default() += weight * fits;
            }
        }
        // What no later step can have written must be taken.
        let over = next.map_or(0, |next| {
            self.seen.partition_point(|(at, _)| *at < next + self.way.least) as u32
        });
        let is_complete = |taken: &Taken| {
            taken.all >= over || (taken.all..over).all(|it| taken.also.contains(&it))
        };
        let mut ways: Vec<(Taken, f64)> =
            after.into_iter().filter(|(taken, _)| is_complete(taken)).collect();
        let sum: f64 = ways.iter().map(|(_, weight)| weight).sum();
        let found = (sum > 0.0).then(|| {
            let floor = if self.weighs { FLOOR * sum } else { 0.0 };
            ways.retain(|(_, weight)| *weight > floor);
            if ways.len() > WAYS_MAX {
                ways.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
                ways.truncate(WAYS_MAX);
                self.has_left_out = true;
            }
            let one = |weight: f64| if self.weighs { weight / sum } else { 1.0 };
            ways.iter_mut().for_each(|(_, weight)| *weight = one(*weight));
            ways.sort_by(|a, b| a.0.cmp(&b.0));
            (self.number(Belief { last: Some(value), ways }), sum)
        });
        self.known.insert((belief, step, value), found);
        found
    }

    /// What is known after a step that nothing explains: all that was seen before the next step could have written anything counts as explained.
    pub(super) fn gone(&mut self, step: usize, next: Option<f64>) -> u32 {
        let (_, next) = self.undrifted(step, (0.0, next));
        let all = match next {
            Some(next) => self.seen.partition_point(|(at, _)| *at < next + self.way.least),
            None => self.seen.len(),
        };
        let taken = Taken { all: all as u32, also: Vec::new() };
        self.number(Belief { last: None, ways: vec![(taken, 1.0)] })
    }

    /// What weights are compared with: how well that fits which comes first among what no other step has written, if nothing overtakes anything. It is
    /// the same for all hypotheses. So weights of steps that are explained stay near to what they were, and what is left to be
    /// tried can be compared with them.
    fn measure(&mut self, step: usize, now: f64, window: Range<usize>) -> f64 {
        if step == 0 {
            self.first = window.start;
        }
        let in_order = self.first + step;
        match !self.only_changes && window.contains(&in_order) {
            true => self.fits(self.seen[in_order].0 - now),
            false => {
                let all = self.seen[window].iter().map(|(at, _)| self.fits(at - now));
                all.fold(0.0, f64::max)
            }
        }
    }

    /// How well a delay fits, compared with the most probable one.
    fn fits(&self, delay: f64) -> f64 {
        match &self.way.delay {
            Delay::Normal { mean, deviation } if *deviation > 0.0 => {
                let z = (delay - mean) / deviation;
                (-0.5 * z * z).exp().max(1e-6)
            }
            _ => 1.0,
        }
    }

    fn number(&mut self, belief: Belief) -> u32 {
        let ways = belief.ways.iter().map(|(taken, weight)| (taken.clone(), weight.to_bits()));
        // The last value matters only where it is not sent again.
        let key = (belief.last.filter(|_| self.only_changes), ways.collect());
        let number = self.beliefs.len() as u32;
        *self.numbers.entry(key).or_insert_with(|| {
            self.beliefs.push(belief);
            number
        })
    }
}

/// What is known of all lines after a step and how well it fits, or the first line on which nothing that was seen does.
type Explained = Result<(u32, f64), usize>;

/// All lines. What is known of all of them together has a number, too.
pub(super) struct Lines {
    pub(super) all: Vec<Line>,
    beliefs: Vec<Rc<[u32]>>,
    numbers: FxHashMap<Rc<[u32]>, u32>,
    /// What becomes of it at a step that has written values.
    known: FxHashMap<(u32, usize, Rc<Vec<Value>>), Explained>,
}

impl Lines {
    pub(super) fn new(all: Vec<Line>) -> Lines {
        let (numbers, known) = (FxHashMap::default(), FxHashMap::default());
        Lines { all, beliefs: Vec::new(), numbers, known }
    }

    /// What is known before anything was seen.
    pub(super) fn nothing(&mut self) -> u32 {
        self.number(vec![0; self.all.len()].into())
    }

    /// Forgets how what was seen was divided, but not what was seen. From now on ways to do that have weights, or not.
    pub(super) fn begin_again(&mut self, weighs: bool) {
        self.all.iter_mut().for_each(|line| line.begin_again(weighs));
        self.beliefs.clear();
        self.numbers.clear();
        self.known.clear();
    }

    /// Whether a way to divide what was seen was not followed.
    pub(super) fn has_left_out(&self) -> bool {
        self.all.iter().any(|line| line.has_left_out)
    }

    /// Whether a step may have written a value over a line, by what was seen of that line.
    pub(super) fn may_write(
        &mut self,
        belief: u32,
        (line, value): (usize, Value),
        step: usize,
        times: (f64, Option<f64>),
    ) -> bool {
        let belief = self.beliefs[belief as usize][line];
        self.all[line].wrote(belief, step, value, times).is_some()
    }

    /// A step has written values, of which each line has one at a place.
    pub(super) fn wrote(
        &mut self,
        belief: u32,
        step: usize,
        (values, places): (&Rc<Vec<Value>>, &[usize]),
        times: (f64, Option<f64>),
    ) -> Explained {
        let key = (belief, step, Rc::clone(values));
        if let Some(found) = self.known.get(&key) {
            return *found;
        }
        let before = Rc::clone(&self.beliefs[belief as usize]);
        let (mut after, mut fits) = (Vec::with_capacity(before.len()), 1.0);
        let mut missing = None;
        for (at, (line, belief)) in self.all.iter_mut().zip(before.iter()).enumerate() {
            match line.wrote(*belief, step, values[places[at]], times) {
                Some((belief, here)) => {
                    after.push(belief);
                    fits *= here;
                }
                None => {
                    missing = Some(at);
                    break;
                }
            }
        }
        let found = match missing {
            Some(line) => Err(line),
            None => Ok((self.number(after.into()), fits)),
        };
        self.known.insert(key, found);
        found
    }

    /// What is known after a step that nothing explains.
    pub(super) fn gone(&mut self, step: usize, next: Option<f64>) -> u32 {
        let all: Vec<u32> = self.all.iter_mut().map(|line| line.gone(step, next)).collect();
        self.number(all.into())
    }

    fn number(&mut self, beliefs: Rc<[u32]>) -> u32 {
        let number = self.beliefs.len() as u32;
        *self.numbers.entry(Rc::clone(&beliefs)).or_insert_with(|| {
            self.beliefs.push(beliefs);
            number
        })
    }
}

impl Taken {
    fn with(&self, number: u32) -> Taken {
        let mut next = self.clone();
        let place = next.also.partition_point(|it| *it < number);
        next.also.insert(place, number);
        while next.also.first() == Some(&next.all) {
            next.also.remove(0);
            next.all += 1;
        }
        next
    }
}
