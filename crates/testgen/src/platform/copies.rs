//! When a value is sent, and how often.
//!
//! A value should be there when a step reads it, and not be there when the step before its window does. If it is sent several times at nearly the same instant, the first copy that
//! arrives brings it, and when that comes varies less than one delay does. Copies that come after another value has arrived set it back, until a copy
//! of that other value arrives. So the number of copies and their instants are chosen by two probabilities, which are computed from the delays: that of all copies which arrive before the step reads, of
//! this value and of its neighbours, the last one is of this value; and that it is not so at the step before the window. Neighbours are taken to be sent in the same way.
//! `DIFFERENCE(platform)`: the paper sends each value once, for the middle between two steps.
//!
//! Delays of copies are taken to be independent of each other, as those of all values are. A sensor that looks only so often, and a
//! platform on which only changes count, have no use for copies.

use punctual_model::testing::platform::{Events, Line, Platform};
use punctual_smc::delays;

/// A value is sent so often at most: more make little difference.
const COPIES_MAX: usize = 6;

/// A further copy, or another instant than the middle, has to make so many more values arrive in time.
const GAIN: f64 = 2e-3;

/// A step is divided into so many cells, in which instants are counted.
const CELLS: i64 = 64;

/// Delays are looked at up to so many cells from their mean.
const REACH: i64 = 12 * CELLS;

/// Neighbours that are farther away than so many steps do not matter.
pub(super) const FAR: usize = 4;

/// The time in which a value should arrive, and its neighbours. All are numbers of steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Span {
    /// How long the time is.
    pub(super) long: usize,
    /// Whether the value may also arrive before.
    pub(super) is_open: bool,
    /// How much earlier the window of the value before it ends; none if it is far away.
    pub(super) before: Option<usize>,
    /// How much later the window of the value after it ends; none if it is far away.
    pub(super) after: Option<usize>,
}

/// The delays of one line, in cells.
pub(super) struct Shape {
    /// The probability that a delay is at most so many cells longer than the mean, from the least on.
    below: Vec<f64>,
    /// How many cells lie between two copies; none if values are sent once.
    apart: Option<i64>,
    cell_ns: f64,
}

impl Shape {
    pub(super) fn new(platform: &Platform, line: &Line) -> Shape {
        let cell_ns = platform.step_ns as f64 / CELLS as f64;
        let deviation = line.delay.deviation();
        let n_lines = platform.inputs.iter().filter(|it| it.variable == line.variable).count();
        let is_once = platform.events == Events::Changes
            // Several sensors of an input are copies of each other.
            || n_lines > 1
            || line.sampling_ns.is_some()
            || deviation <= 0.0
            // Where nearly all values arrive in time, nothing can be won.
            || platform.step_ns as f64 > 8.0 * deviation;
        // Copies must not be sent together.
        let apart = (platform.grouping_ns as f64 / cell_ns).floor() as i64 + 1;
        let apart = (!is_once && apart <= CELLS / 8).then_some(apart);
        let below = |at: i64| delays::below(&line.delay, line.mean() + at as f64 * cell_ns);
        let cells = if apart.is_some() { REACH } else { 0 };
        Shape { below: (-cells..=cells).map(below).collect(), apart, cell_ns }
    }

    /// When the copies of a value should arrive on average: so much before the end of its window, in nanoseconds, the earliest first.
    pub(super) fn copies(&self, span: Span) -> Vec<f64> {
        let long = span.long as i64 * CELLS;
        let Some(apart) = self.apart else { return vec![long as f64 / 2.0 * self.cell_ns] };
        let mut best = (vec![long / 2], self.in_time(span, &[long / 2]));
        for n in 1..=COPIES_MAX as i64 {
            // From a window before the end to half a step after it.
            let instants = |last: i64| (0..n).rev().map(|it| last + it * apart).collect();
            let tried = (-CELLS / 2..=long).step_by(4).map(|last| {
                let instants: Vec<i64> = instants(last);
                let probability = self.in_time(span, &instants);
                (instants, probability)
            });
            let found = tried.reduce(|a, b| if b.1 > a.1 { b } else { a });
            match found {
                Some(found) if found.1 > best.1 + GAIN => best = found,
                _ if n > 1 => break,
                _ => {}
            }
        }
        best.0.iter().map(|it| *it as f64 * self.cell_ns).collect()
    }

    /// The probability that a step reads the value, and the step before its window does not. Instants are cells before the end of the window.
    fn in_time(&self, span: Span, instants: &[i64]) -> f64 {
        // Ends of windows, in cells after the end of this one.
        let before = span.before.map(|it| -(it as i64) * CELLS);
        let after = span.after.map(|it| it as i64 * CELLS);
        let neighbours = |at: i64| {
            let there = [before, after].into_iter().flatten();
            self.held(at, 0, there, instants)
        };
        let is_read = neighbours(0);
        if span.is_open {
            return is_read;
        }
        let begin = -(span.long as i64) * CELLS;
        let is_early = match before {
            // The value before it may set it back.
            Some(before) => 1.0 - self.held(begin, before, [0].into_iter(), instants),
            None => 1.0 - self.none(begin - REACH, begin, 0, instants),
        };
        is_read * (1.0 - is_early)
    }

    /// The probability that of all copies that arrive before an instant, the last one is of the value whose window ends at `own`; `others` are the ends of
    /// other values' windows.
    fn held(
        &self,
        at: i64,
        own: i64,
        others: impl Iterator<Item = i64> + Clone,
        instants: &[i64],
    ) -> f64 {
        const PIECE: i64 = CELLS / 8;
        // The probability that the last copy of the value came before a cell, and that none of the others came after it.
        let mut sum = 0.0;
        let mut from = at;
        let mut own_none = 1.0;
        while from > at - REACH / 2 && own_none > 1e-6 {
            let next = from - PIECE;
            let own_next = self.none(next, at, own, instants);
            let middle = next + PIECE / 2;
            let others: f64 =
                others.clone().map(|end| self.none(middle, at, end, instants)).product();
            sum += (own_none - own_next) * others;
            (from, own_none) = (next, own_next);
        }
        sum
    }

    /// The probability that no copy of a value arrives between two instants; its window ends at `end`.
    fn none(&self, from: i64, until: i64, end: i64, instants: &[i64]) -> f64 {
        let below = |at: i64| self.below[(at.clamp(-REACH, REACH) + REACH) as usize];
        let none = |before: &i64| {
            let sent_for = end - before;
            1.0 - (below(until - sent_for) - below(from - sent_for))
        };
        instants.iter().map(none).product()
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::testing::platform::{Delay, Form};
    use punctual_model::{Id, VarId};
    use punctual_smc::Stream;

    use super::*;

    const STEP: f64 = 500e6;

    fn line(mean: f64, deviation: f64) -> Line {
        Line {
            variable: VarId::from_index(0),
            outside: String::new(),
            form: Form::Same,
            delay: Delay::Normal { mean, deviation },
            sampling_ns: None,
            is_latched: false,
        }
    }

    fn platform() -> Platform {
        Platform {
            step_ns: STEP as u64,
            inputs: Vec::new(),
            outputs: Vec::new(),
            software: Delay::NONE,
            signal: None,
            arrived: None,
            grouping_ns: 10_000_000,
            risk: 0.01,
            pulses: 0,
            events: Events::All,
            initial: Vec::new(),
            drift: None,
            requirements: Vec::new(),
            automata: Vec::new(),
        }
    }

    const ALONE: Span = Span { long: 1, is_open: false, before: None, after: None };

    #[test]
    fn what_is_certain_is_sent_once_for_the_middle() {
        for line in [line(700e6, 40e6), line(700e6, 0.0)] {
            assert_eq!(Shape::new(&platform(), &line).copies(ALONE), [STEP / 2.0]);
        }
        let shape = Shape::new(&platform(), &line(1700e6, 200e6));
        let open = Span { long: 4, is_open: true, ..ALONE };
        assert_eq!(shape.copies(open), [2.0 * STEP]);
        let changes = Platform { events: Events::Changes, ..platform() };
        assert_eq!(Shape::new(&changes, &line(700e6, 200e6)).copies(ALONE), [STEP / 2.0]);
    }

    /// Delays that are drawn say what the formula does, and copies are worth it.
    #[test]
    fn copies_are_more_often_in_time() {
        let line = line(1700e6, 200e6);
        let shape = Shape::new(&platform(), &line);
        for before in [None, Some(1), Some(2)] {
            for after in [None, Some(1), Some(2)] {
                let span = Span { before, after, ..ALONE };
                let instants = shape.copies(span);
                assert!(instants.len() > 1 && instants.is_sorted_by(|a, b| a > b), "{instants:?}");
                let seen = read_in_time(&line, span, &instants);
                let cells: Vec<i64> =
                    instants.iter().map(|it| (it / shape.cell_ns).round() as i64).collect();
                let said = shape.in_time(span, &cells);
                // Being early and being read are not quite independent.
                assert!((said - seen).abs() < 0.02, "{span:?}: {said} {seen}");
                let once = read_in_time(&line, span, &[STEP / 2.0]);
                assert!(1.0 - seen < 0.75 * (1.0 - once), "{span:?}: {seen} {once}");
            }
        }
    }

    /// How often a value is read in time if it and its neighbours are sent at these instants.
    fn read_in_time(line: &Line, span: Span, instants: &[f64]) -> f64 {
        const DRAWS: u32 = 20_000;
        let mut stream = Stream::of_run(5, 0);
        let ends: Vec<(i32, f64)> = [(0, Some(0.0))]
            .into_iter()
            .chain([(-1, span.before.map(|it| -(it as f64) * STEP))])
            .chain([(1, span.after.map(|it| it as f64 * STEP))])
            .filter_map(|(name, end)| Some((name, end?)))
            .collect();
        let mut n_good = 0;
        for _ in 0..DRAWS {
            let mut arrived: Vec<(f64, i32)> = Vec::new();
            for (name, end) in &ends {
                for before in instants {
                    let late = delays::draw(&line.delay, &mut stream) - line.mean();
                    arrived.push((end - before + late, *name));
                }
            }
            arrived.sort_by(|a, b| a.0.total_cmp(&b.0));
            let held = |at: f64| arrived.iter().rev().find(|it| it.0 <= at).map(|it| it.1);
            let is_early = match span.before {
                None => held(-STEP).is_some(),
                Some(_) => held(-STEP) != Some(-1),
            };
            n_good += u32::from(held(0.0) == Some(0) && !is_early);
        }
        f64::from(n_good) / f64::from(DRAWS)
    }
}
