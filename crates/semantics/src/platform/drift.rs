//! Delays that change slowly while a test runs, followed by what the device tells.
//!
//! A sensor's delays are seen where the device tells that a value has arrived, an actuator's where it tells that a step is done and sends each value. The n-th arrival is taken
//! for that of the n-th value: where one overtakes another, the mean stays the same. Of each line a level and its trend are kept (Holt's method), so that a steady drift is
//! followed without lagging behind it. Whoever sends and whoever judges has a [`Drift`] of its own and tells it of the same events.
//!
//! Not here: how delays are distributed around their mean; that is taken to stay the same.

use std::collections::VecDeque;

use punctual_model::testing::platform::{Delay, Events, Line, Outside, Platform};
use punctual_model::{Event, Happening};

/// Which share of what is new counts, and which share of that is trend: a mean of a dozen delays that follows a steady drift.
const SHARES: (f64, f64) = (0.15, 0.012);

/// How exactly a level is known, in deviations of a delay: what the two shares leave of their noise.
const KNOWN: f64 = 0.35;

/// A drift that has just begun or changed is followed after so many steps.
const SETTLING: f64 = 4.0;

/// By how much the delays of a platform are longer than its file says.
#[derive(Clone, PartialEq, Debug)]
pub struct Drift {
    /// By which share of the means delays change at most, and by which in a nanosecond.
    by: (f64, f64),
    step: f64,
    inputs: Vec<Followed>,
    outputs: Vec<Followed>,
}

/// The delays of one line.
#[derive(Clone, PartialEq, Debug)]
struct Followed {
    mean: f64,
    deviation: f64,
    level: f64,
    trend: f64,
    /// By how much the mean may change in a nanosecond.
    rate: f64,
    /// When the last value began whose delay is known.
    last: f64,
    /// When values began whose delays are not known yet.
    under_way: VecDeque<f64>,
}

impl Drift {
    /// Before anything has happened; none if the delays of the platform stay as they are.
    #[must_use]
    pub fn of(platform: &Platform) -> Option<Drift> {
        let drift = platform.drift?;
        let by = (drift.by.abs(), drift.by.abs() / drift.over_ns.max(1) as f64);
        let followed = |it: &Line| Followed::new(it.mean(), &it.delay, by.1);
        // Values that are sent only when they are new do not tell which step they are of.
        let outputs = if platform.events == Events::All { &platform.outputs[..] } else { &[] };
        Some(Drift {
            by,
            step: platform.step_ns as f64,
            inputs: platform.inputs.iter().map(followed).collect(),
            outputs: outputs.iter().map(followed).collect(),
        })
    }

    /// Minds what has happened.
    pub fn heard(&mut self, event: &Event, outside: &Outside) {
        let at = event.from_ns as f64;
        match &event.what {
            Happening::Set(reading) if !outside.arrived.is_empty() => {
                for (line, port) in self.inputs.iter_mut().zip(&outside.inputs) {
                    if reading.values.iter().any(|(it, _)| it == port) {
                        line.under_way.push_back(at);
                    }
                }
            }
            Happening::Signal(action) if Some(action.signal) == outside.stepped => {
                self.outputs.iter_mut().for_each(|line| line.under_way.push_back(at));
            }
            Happening::Signal(action) => {
                let signals = outside.arrived.iter().zip(&mut self.inputs);
                let signals = signals.chain(outside.outputs.iter().zip(&mut self.outputs));
                for (_, line) in signals.filter(|(signal, _)| **signal == action.signal) {
                    line.ended(at);
                }
            }
            _ => {}
        }
    }

    /// By how much the delay of a line of the inputs is longer than the file says for a value that is sent next, in nanoseconds.
    #[must_use]
    pub fn input(&self, line: usize) -> f64 {
        self.inputs.get(line).map_or(0.0, Followed::shift)
    }

    /// Likewise for a line of the outputs and a value that is written next.
    #[must_use]
    pub fn output(&self, line: usize) -> f64 {
        self.outputs.get(line).map_or(0.0, Followed::shift)
    }

    /// How far off what was followed of an input may be, in nanoseconds, for a line with this delay: values of inputs are sent rarely, so that all of the drift may be unseen.
    #[must_use]
    pub fn doubt_of_input(&self, delay: &Delay) -> f64 {
        3.0 * KNOWN * delay.deviation() + self.by.0 * delay.mean()
    }

    /// Likewise of an output: by chance, and since delays have changed while nothing could be seen of it.
    #[must_use]
    pub fn doubt_of_output(&self, delay: &Delay) -> f64 {
        if self.outputs.is_empty() {
            // Nothing is followed.
            return self.doubt_of_input(delay);
        }
        let unseen = delay.mean() * self.by.0 + delay.mean() + SETTLING * self.step;
        let changed = (self.by.1 * unseen).min(self.by.0) * delay.mean();
        3.0 * KNOWN * delay.deviation() + changed
    }
}

impl Followed {
    fn new(mean: f64, delay: &Delay, by: f64) -> Followed {
        let (level, trend, last) = (0.0, 0.0, 0.0);
        let (deviation, rate, under_way) = (delay.deviation(), by * mean, VecDeque::new());
        Followed { mean, deviation, level, trend, rate, last, under_way }
    }

    fn ended(&mut self, at: f64) {
        let Some(began) = self.under_way.pop_front() else { return };
        let expected = self.level + self.trend;
        // What was not seen for long may be quite another one: the less is known, the more of what is new counts.
        let changed = self.rate * (began - self.last).max(0.0);
        self.last = began;
        let known = (KNOWN * self.deviation).powi(2) + changed * changed;
        let share = known / (known + self.deviation * self.deviation).max(1.0);
        // One delay that is quite another does not move the level far.
        let most = 4.0 * self.deviation + changed + 0.05 * self.mean;
        let surprise = (at - began - self.mean - expected).clamp(-most, most);
        self.level = expected + share.max(SHARES.0) * surprise;
        self.trend += SHARES.1 * surprise;
    }

    fn shift(&self) -> f64 {
        // What is under way has drifted further than what was seen last.
        let ahead = 1.0 + self.under_way.len() as f64;
        (self.level + self.trend * ahead).max(-self.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delays without and with noise, drifting by half over 100 values.
    #[test]
    fn a_steady_drift_is_followed_without_lagging_behind() {
        for deviation in [0.0, 50.0] {
            let delay = Delay::Normal { mean: 1_000.0, deviation };
            let mut line = Followed::new(1_000.0, &delay, 0.0);
            let mut worst: f64 = 0.0;
            for number in 0..100_u32 {
                let real = 5.0 * f64::from(number);
                worst = worst.max((line.shift() - real).abs());
                // Numbers between -1.7 and 1.7 deviations, as good as random.
                let noise = f64::from(number * 7919 % 101) / 50.0 - 1.0;
                line.under_way.push_back(0.0);
                line.ended(1_000.0 + real + 1.7 * deviation * noise);
            }
            assert!(worst <= 30.0 + deviation, "{deviation}: {worst}");
        }
    }

    #[test]
    fn what_stays_the_same_is_hardly_moved_by_chance() {
        let delay = Delay::Normal { mean: 1_000.0, deviation: 100.0 };
        let mut line = Followed::new(1_000.0, &delay, 0.0);
        let mut squares = 0.0;
        for number in 0..1_000_u32 {
            let noise = f64::from(number * 7919 % 1013) / 506.5 - 1.0;
            line.under_way.push_back(0.0);
            line.ended(1_000.0 + 173.0 * noise);
            squares += line.shift() * line.shift();
        }
        assert!((squares / 1_000.0).sqrt() < 1.5 * KNOWN * 100.0, "{squares}");
    }
}
