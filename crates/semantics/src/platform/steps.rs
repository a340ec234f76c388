//! Steps of a program that nobody tells of: phase and period, estimated from what is seen of its outputs.
//!
//! Each step writes its outputs, and each is seen after the delay of its line. So what is seen, less the mean delay, lies around multiples of a period. The
//! first value of each line is that of the first step. Where lines vary little, a value belongs to the nearest step; so values may be missing, or be sent only
//! when they are new. Where all lines vary much, the n-th value of each line counts as that of the n-th step: one that overtakes another leaves the mean as it is.
//!
//! A regression of the mean of each step over its number gives phase and period with their variances. Delays, how exactly their means are known, and what the steps
//! themselves vary by (*jitter*: as much as the rest allows) go into these. Wrong guesses make the uncertainty larger, and never hide.
//!
//! Whoever sends and whoever judges has [`Steps`] of its own and tells them of the same values, so that both number steps in the same way.
//!
//! Not here: what the values are.

use punctual_model::testing::platform::{Delay, Events, Platform};

use super::regression::{Estimate, PRIOR, UNSEEN_JITTER, fit};

/// A line is used to find the nearest step if its delay varies by less than this part of a step: then five deviations are half of a step.
const NARROW: f64 = 0.1;

/// Delays are known no more exactly than this, in nanoseconds.
const EXACT: f64 = 2e5;

/// The estimate is good enough to send something if six deviations of it are less than this part of a step.
const GOOD: f64 = 0.25;

/// After so many steps it has to do, however exact it is.
const ENOUGH: usize = 12;

/// A line of the outputs that steps are told from.
#[derive(Clone, PartialEq, Debug)]
struct Line {
    /// How long a value is on its way on average, and by how much that varies, in nanoseconds.
    mean: f64,
    deviation: f64,
    is_used: bool,
    /// When values were seen, less the mean delay.
    seen: Vec<f64>,
}

/// An estimate.
#[derive(Clone, PartialEq, Debug)]
struct Known {
    estimate: Estimate,
    /// By how many steps the first one is later than that of the anchor's first value.
    base: i64,
    /// Of how many values it was made.
    n_values: usize,
}

/// How a value finds its step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbering {
    /// It belongs to the step that is nearest.
    Nearest,
    /// The n-th value is that of the n-th step.
    Counted,
}

/// Estimates the steps of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Steps {
    nominal: f64,
    lines: Vec<Line>,
    numbering: Numbering,
    only_changes: bool,
    pulses: f64,
    /// The line that varies least; its first value is where numbers begin.
    anchor: usize,
    /// How many steps interactions are planned ahead.
    ahead: usize,
    n_values: usize,
    known: Option<Known>,
    /// Once there is enough: by how many steps the first one is later than that of the anchor's first value, and the step of the first interaction.
    begun: Option<(i64, usize)>,
}

impl Steps {
    /// Nothing was seen yet. Inputs take up to `longest` nanoseconds; none if the outputs of the platform do not tell of steps.
    #[must_use]
    pub fn new(platform: &Platform, longest: f64) -> Option<Steps> {
        let nominal = platform.step_ns as f64;
        let software = platform.software.deviation();
        let mut lines: Vec<Line> = (platform.outputs.iter())
            .map(|line| Line {
                mean: cut_mean(&line.delay),
                deviation: line.delay.deviation().hypot(software).hypot(EXACT),
                is_used: true,
                seen: Vec::new(),
            })
            .collect();
        let only_changes = platform.events == Events::Changes;
        let is_narrow = |line: &Line| line.deviation <= NARROW * nominal;
        let numbering = match lines.iter().any(is_narrow) {
            true => Numbering::Nearest,
            false if only_changes => return None,
            false => Numbering::Counted,
        };
        if numbering == Numbering::Nearest {
            lines.iter_mut().for_each(|line| line.is_used = is_narrow(line));
        }
        let by_deviation = |a: &usize, b: &usize| {
            lines[*a].deviation.total_cmp(&lines[*b].deviation).then_with(|| a.cmp(b))
        };
        let anchor = (0..lines.len()).min_by(by_deviation)?;
        Some(Steps {
            nominal,
            numbering,
            only_changes,
            pulses: f64::from(platform.pulses),
            anchor,
            // A step may just have begun.
            ahead: 2 + ((longest + nominal / 2.0) / nominal).ceil() as usize,
            n_values: 0,
            known: None,
            begun: None,
            lines,
        })
    }

    /// A value of a line was seen.
    pub fn saw(&mut self, line: usize, at: f64) {
        let Some(line) = self.lines.get_mut(line).filter(|line| line.is_used) else { return };
        let at = at - line.mean;
        // Values come in the order of instants, but for rounding.
        let place = line.seen.partition_point(|it| *it <= at);
        line.seen.insert(place, at);
        self.n_values += 1;
    }

    /// Minds what was seen up to now. Whether interactions can be planned depends on values alone, and not on who asks how often.
    pub fn mind(&mut self, now: f64) {
        // Little more is known by one value among many.
        let is_due = self.known.as_ref().is_none_or(|known| {
            self.begun.is_none() || self.n_values > known.n_values + known.n_values / 20
        });
        if !is_due {
            return;
        }
        self.settle();
        let Some(Known { estimate, base, .. }) = &self.known else { return };
        if self.begun.is_none() && self.is_enough(estimate) {
            let step = ((now - estimate.phase) / estimate.period).floor().max(0.0) as usize;
            self.begun = Some((*base, step + self.ahead));
        }
    }

    /// Makes the estimate of all that was seen.
    pub fn settle(&mut self) {
        if let Some((estimate, base)) = self.estimated() {
            self.known = Some(Known { estimate, base, n_values: self.n_values });
        }
    }

    /// The estimate, once interactions are planned.
    #[must_use]
    pub fn estimate(&self) -> Option<&Estimate> {
        self.begun.and(self.known.as_ref()).map(|known| &known.estimate)
    }

    /// The step of the first interaction, once that is planned.
    #[must_use]
    pub fn first(&self) -> Option<usize> {
        self.begun.map(|(_, first)| first)
    }

    /// Whether the program sends only what is new: then it may have stopped, and nobody sees it.
    #[must_use]
    pub fn may_be_silent(&self) -> bool {
        self.only_changes
    }

    /// When something was last seen of the line that steps are told from, in nanoseconds; 0 if nothing was.
    #[must_use]
    pub fn last(&self) -> f64 {
        let Line { seen, mean, .. } = &self.lines[self.anchor];
        seen.last().map_or(0.0, |at| at + mean)
    }

    /// A line of which nothing was seen that has to be, if there is one.
    #[must_use]
    pub fn missing(&self) -> Option<usize> {
        let must = |at: &usize| *at == self.anchor || self.only_changes;
        let is_missing = |at: &usize| self.lines[*at].is_used && self.lines[*at].seen.is_empty();
        (0..self.lines.len()).filter(must).find(is_missing)
    }

    fn is_enough(&self, estimate: &Estimate) -> bool {
        if self.only_changes {
            return self.missing().is_none();
        }
        let n = estimate.n_seen;
        let is_good = 6.0 * estimate.deviation(n as f64) <= GOOD * self.nominal;
        n >= ENOUGH || n >= 3 && is_good
    }

    fn used(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.is_used)
    }

    /// Phase and period of all that was seen, and by how many steps the first one is later than that of the anchor's first value; none before that.
    fn estimated(&self) -> Option<(Estimate, i64)> {
        let first = *self.lines[self.anchor].seen.first()?;
        let mut estimate = match self.numbering {
            Numbering::Counted => {
                let counted =
                    |line: &Line, of: usize| (of as i64, line.seen[of], line.deviation.powi(-2));
                let points = self.used().flat_map(|line| {
                    (0..line.seen.len()).map(move |of| counted(line, of)).collect::<Vec<_>>()
                });
                let mut found = fit(points.collect(), self.nominal);
                found.jitter = found.jitter.max(UNSEEN_JITTER * self.nominal);
                found
            }
            Numbering::Nearest => {
                let points = self.tracked(first);
                let rough = fit(points.clone(), self.nominal);
                let renumbered = points.into_iter().map(|(_, at, weight)| {
                    (((at - rough.phase) / rough.period).round() as i64, at, weight)
                });
                fit(renumbered.collect(), self.nominal)
            }
        };
        let n_seen = self.used().filter_map(|line| line.seen.last().map(|at| (line, at)));
        let n_seen = n_seen.map(|(line, at)| match self.numbering {
            Numbering::Counted => line.seen.len() as i64,
            Numbering::Nearest => ((at - estimate.phase) / estimate.period).round() as i64 + 1,
        });
        let n_seen = n_seen.max().unwrap_or(0);
        let base = self.begun.map_or_else(|| self.base(&estimate), |(base, _)| base);
        let is_doubtful = self.firsts(&estimate).any(|it| it != base);
        estimate.is_doubtful = is_doubtful;
        estimate.n_seen = usize::try_from(n_seen - base).unwrap_or(0);
        // Numbers begin with the first step.
        let [phase, both, period] = estimate.variance;
        let by = base as f64;
        estimate.phase += by * estimate.period;
        estimate.variance =
            [phase + 2.0 * by * both + by * by * period, both + by * period, period];
        // Means that were measured are as exact as that, in all steps together.
        if self.pulses > 0.0 {
            let information: f64 = self.used().map(|line| line.deviation.powi(-2)).sum();
            estimate.variance[0] += 1.0 / information / self.pulses;
        }
        Some((estimate, base))
    }

    /// The number of the first value of each line, as far as there is one.
    fn firsts<'a>(&'a self, estimate: &'a Estimate) -> impl Iterator<Item = i64> + 'a {
        let firsts = self.used().filter_map(|line| line.seen.first());
        firsts.map(|at| match self.numbering {
            Numbering::Counted => 0,
            Numbering::Nearest => ((at - estimate.phase) / estimate.period).round() as i64,
        })
    }

    /// The number of the first step: what most lines say, and the earlier one of two.
    fn base(&self, estimate: &Estimate) -> i64 {
        let firsts: Vec<i64> = self.firsts(estimate).collect();
        let votes = |it: &i64| firsts.iter().filter(|other| *other == it).count();
        firsts.iter().copied().max_by_key(|it| (votes(it), -it)).unwrap_or(0)
    }

    /// All values with the numbers of the steps that they are nearest to, beginning at one of them and following the period outwards.
    fn tracked(&self, first: f64) -> Vec<(i64, f64, f64)> {
        let mut all: Vec<(f64, f64)> = (self.used())
            .flat_map(|line| line.seen.iter().map(|at| (*at, line.deviation)))
            .collect();
        let far = |at: f64| (at - first).abs();
        all.sort_by(|a, b| far(a.0).total_cmp(&far(b.0)).then_with(|| a.0.total_cmp(&b.0)));
        // Steps vary a little, too.
        let loose = 0.01 * self.nominal;
        let (mut phase, mut period) = (first, self.nominal);
        let mut p = [
            self.lines[self.anchor].deviation.hypot(loose).powi(2),
            0.0,
            (PRIOR * self.nominal).powi(2),
        ];
        let mut points = Vec::with_capacity(all.len());
        for (at, deviation) in all {
            let number = ((at - phase) / period).round();
            points.push((number as i64, at, deviation.powi(-2)));
            let gains = [p[0] + number * p[1], p[1] + number * p[2]];
            let rest = at - phase - number * period;
            let varies = gains[0] + number * gains[1] + deviation.hypot(loose).powi(2);
            phase += gains[0] / varies * rest;
            period += gains[1] / varies * rest;
            p[0] -= gains[0] * gains[0] / varies;
            p[1] -= gains[0] * gains[1] / varies;
            p[2] -= gains[1] * gains[1] / varies;
        }
        points
    }
}

/// The mean of a delay that is cut at 0.
fn cut_mean(delay: &Delay) -> f64 {
    match delay {
        Delay::Normal { mean, deviation } if *deviation > 0.0 => {
            let z = mean / deviation;
            let above = 0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2);
            mean * above + deviation * (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()
        }
        other => other.mean(),
    }
}
