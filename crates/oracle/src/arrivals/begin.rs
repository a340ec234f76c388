//! The beginning of a run: between which bounds delays lie, and what is known of inputs and outputs before anything was sent.

use punctual_model::testing::platform::{self, Delay, Events, Platform};
use punctual_semantics::platform::{Drift, Timetable};
use punctual_smc::delays;

use super::inputs::{self, Input, Way};
use super::outputs::{Line, Lines};
use super::search::Hypothesis;
use super::steps::widened;
use super::{Arrivals, Limits};

impl Arrivals<'_> {
    /// Nothing was sent or seen yet.
    pub(super) fn begin(&mut self) {
        let platform = self.grounds.platform;
        let alpha = platform.risk_of_event(self.grounds.n_events);
        let unsure = self.unsure;
        let known = slack(&platform.software) + self.blur;
        let drift = Drift::of(platform);
        let bounds = |delay: &Delay, doubt: f64| {
            let (low, high) = delays::bounds(delay, alpha / 2.0, platform.pulses);
            let (before, after) = unsure.slack(delay, low);
            (low - doubt - known - before, high + doubt + known + after)
        };
        let varies = platform.software.deviation().hypot(unsure.deviation);
        let way = |line: &platform::Line| {
            let doubt = drift.as_ref().map_or(0.0, |it| it.doubt_of_input(&line.delay));
            let (least, most) = bounds(&line.delay, doubt);
            // When a sensor looks next is not known.
            let sampling = line.sampling_ns.unwrap_or(0) as f64;
            let (delay, shift) = blurred(&line.delay, varies, known + 6.0 * unsure.deviation);
            let slack = known + unsure.slack(&line.delay, 0.0).0;
            Way { delay, sampling, shift, varies, slack, least, most: most + sampling }
        };
        self.ways = platform.inputs.iter().map(way).collect();
        let is_latched = |at: usize| {
            let mut lines = platform.inputs.iter().zip(&self.vars.lines);
            lines.any(|(line, (input, _))| *input == at && line.is_latched)
        };
        let floor = if is_shared(platform, varies) { f64::MIN_POSITIVE } else { inputs::FLOOR };
        self.inputs = (platform.initial.iter().enumerate())
            .map(|(at, value)| {
                let (first, pulses) = ((*value, is_latched(at)), self.pulses(at));
                Input::new(first, floor, platform.step_ns, pulses)
            })
            .collect();
        let only_changes = platform.events == Events::Changes;
        let line = |delay: &Delay| {
            let doubt = drift.as_ref().map_or(0.0, |it| it.doubt_of_output(delay));
            let (least, most) = bounds(delay, doubt);
            let delay = widened(delay, unsure);
            Line::new(
                Way { delay, sampling: 0.0, shift: 0.0, varies: 0.0, slack: known, least, most },
                only_changes,
            )
        };
        self.lines = Lines::new(platform.outputs.iter().map(|it| line(&it.delay)).collect());
        let growth = platform.growth() - 1.0;
        for (line, it) in self.lines.all.iter_mut().zip(&platform.outputs) {
            line.drifting(growth * it.delay.mean());
        }
        // Only where one line leads to an input it is clear which value has arrived.
        for (at, input) in self.inputs.iter_mut().enumerate() {
            let n_lines = self.vars.lines.iter().filter(|(input, _)| *input == at).count();
            if n_lines == 1 && !self.grounds.outside.arrived.is_empty() {
                input.is_told();
            }
        }
        self.drift = drift;
        self.timetable = Timetable::of(platform, self.grounds.lead);
        self.ends.clear();
        self.closest.clear();
        self.begin_again(self.grounds.limits);
    }

    /// Nothing is explained yet of what was sent and seen.
    pub(super) fn begin_again(&mut self, limits: Limits) {
        let machine = self.grounds.machine;
        self.limits = limits;
        self.inputs.iter_mut().for_each(|input| input.begin_again(true));
        self.lines.begin_again(true);
        self.n_explained = 0;
        self.intended.clear();
        self.told.clear();
        self.n_before = 0;
        self.exercised = vec![0.0; self.grounds.table.steps.len()];
        self.excuses.clear();
        self.has_left_out = false;
        self.n_tried = 0;
        self.hypotheses = vec![Hypothesis {
            state: self.reactions.number(&machine.start()),
            inputs: vec![0; self.inputs.len()],
            outputs: self.lines.nothing(),
            weight: 1.0,
            accounts: Vec::new(),
            shares: Vec::new(),
        }];
    }
}

/// Whether the instants of steps vary nearly as much as delays do. Then all inputs of a step are early or late together.
fn is_shared(platform: &Platform, varies: f64) -> bool {
    const SMALL: f64 = 0.2;
    let least = platform.inputs.iter().map(|it| it.delay.deviation()).fold(f64::INFINITY, f64::min);
    varies > SMALL * least
}

/// The delay of an input up to an instant that varies, as the time does that the program takes.
/// Also, by how much it was made longer, so that nothing of it is cut at 0.
fn blurred(delay: &Delay, varies: f64, slack: f64) -> (Delay, f64) {
    match delay {
        Delay::Normal { mean, deviation } if varies > 0.0 => {
            let (mean, deviation) = (mean + slack, deviation.hypot(varies));
            (Delay::Normal { mean, deviation }, slack)
        }
        _ => (delay.clone(), 0.0),
    }
}

/// How exactly instants of steps are known: the time that the program takes varies.
fn slack(software: &Delay) -> f64 {
    const LEAST: f64 = 1e6;
    LEAST + 6.0 * software.deviation()
}
