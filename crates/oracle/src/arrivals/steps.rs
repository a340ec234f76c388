//! Steps that the platform does not tell of: they are estimated when all is seen, and explained then. Also, steps that are missing.
//!
//! How exactly they are known makes all bounds wider: a step that was done a little earlier or later than it seems never fails a right system.

use punctual_model::testing::platform::Delay;
use punctual_model::{Happening, Verdict};
use punctual_semantics::platform::Steps;

use super::Arrivals;
use crate::expectations::Kind;
use crate::{Cadence, Interaction};

/// A platform that tells of no step for so many steps has stopped.
const OVERDUE: f64 = 5.0;

/// An instant that is estimated is off by less than so many of its deviations. That is more than the risk leaves of a delay.
const FAR: f64 = 6.0;

/// How exactly the instants of steps are known, in nanoseconds; all are 0 if the platform tells of them.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Unsure {
    /// One deviation.
    pub(super) deviation: f64,
    /// One deviation of what all of them are off by together.
    common: f64,
}

impl Unsure {
    /// By how much the bounds of a delay are wider on either side since the instants of steps are not known exactly. What varies independently adds up by
    /// squares, unless a delay has ends that it never passes: many may be exactly as long as these.
    pub(super) fn slack(self, delay: &Delay, low: f64) -> (f64, f64) {
        let most = FAR * self.deviation;
        match delay {
            Delay::Normal { deviation, .. } => {
                let less = FAR * (deviation.hypot(self.deviation) - deviation).max(0.0);
                (if low > 0.0 { less } else { most }, less)
            }
            Delay::Uniform { .. } | Delay::Samples(_) => (most, most),
        }
    }
}

impl Arrivals<'_> {
    /// All is seen: the steps are estimated, and all that was sent and seen is told again, as if they had been known.
    pub(super) fn estimate_steps(&mut self, end_ns: u64) {
        let mut timetable = self.timetable.clone();
        timetable.settle();
        let Some(estimate) = timetable.steps().and_then(Steps::estimate).cloned() else { return };
        let ends = estimate.ends(end_ns as f64);
        let common = estimate.worst(ends.len());
        self.unsure = Unsure { deviation: common.hypot(estimate.jitter), common };
        let kept = std::mem::take(&mut self.kept);
        self.begin();
        (self.timetable, self.ends) = (timetable, ends);
        kept.iter().for_each(|event| self.exchanged(event));
        self.kept = kept;
    }

    /// An interaction whose step was never told, or whose responses are not all there, is no pass.
    pub(super) fn mind_silence(&mut self, end_ns: u64) {
        let first = self.first_step();
        let n_wanted = first.unwrap_or(0) + self.grounds.table.steps.len();
        self.is_silent = first.is_none() || self.n_explained < n_wanted;
        // What was not waited for is not missing.
        self.is_silent &= !self.is_left;
        if !self.is_silent || self.grounds.table.steps.is_empty() {
            return;
        }
        let number = self.n_explained.saturating_sub(first.unwrap_or(0));
        let (last, _) = self.last_sign();
        let stops = || format!("Step {number}: the platform takes no more steps.");
        let (verdict, reason) = match self.is_overdue(end_ns) {
            true => (Verdict::Fail, self.unseen().unwrap_or_else(stops)),
            false => (
                Verdict::Inconclusive,
                format!("Step {number}: the run ended before all responses could be there."),
            ),
        };
        let at_ns = last.max(0.0) as u64;
        self.told.push(Interaction { kind: Kind::Step, number, at_ns, verdict, reason });
    }

    /// If it is not certain which step was the first, nothing that follows from that is a fail.
    pub(super) fn mind_doubt(&mut self) {
        let estimate = self.timetable.steps().and_then(Steps::estimate);
        if estimate.is_none_or(|it| !it.is_doubtful) {
            return;
        }
        for it in self.told.iter_mut().filter(|it| it.verdict == Verdict::Fail) {
            it.verdict = Verdict::Inconclusive;
            it.reason.push_str(" But which step was the first is in doubt: the first values of the outputs do not fit together.");
        }
    }

    /// When the platform last showed that it takes steps, and how much later than a step that may be, in nanoseconds.
    pub(super) fn last_sign(&self) -> (f64, f64) {
        match self.timetable.steps() {
            Some(_) => {
                let most = self.lines.all.iter().map(super::Line::most).fold(0.0, f64::max);
                (self.timetable.last(), most)
            }
            None => (self.ends.last().copied().unwrap_or(0.0), 0.0),
        }
    }

    /// Why no step could be told, as a sentence; none if some could.
    pub(super) fn unseen(&self) -> Option<String> {
        let steps = self.timetable.steps().filter(|it| it.first().is_none())?;
        let outputs = &self.grounds.platform.outputs;
        Some(match steps.missing().and_then(|line| outputs.get(line)) {
            Some(line) => format!(
                "Step 0: nothing was seen of `{}`, and without a `signal` that is what steps are told from.",
                line.outside
            ),
            None => "Step 0: too little was seen to tell when the platform takes steps.".to_owned(),
        })
    }

    /// As if so many delays of an input had been measured, since instants of steps are not known exactly.
    pub(super) fn pulses(&self, input: usize) -> u32 {
        let pulses = self.grounds.platform.pulses;
        if self.unsure.common <= 0.0 {
            return pulses;
        }
        let lines = self.grounds.platform.inputs.iter().zip(&self.vars.lines);
        let own = lines.filter(|(_, (at, _))| *at == input).map(|(line, _)| line.delay.deviation());
        let least = own.fold(f64::INFINITY, f64::min).max(1.0);
        let known = if pulses == 0 { 0.0 } else { 1.0 / f64::from(pulses) };
        // Delays are blurred by all of it already. What is common to a run counts once more: three standard errors are minded.
        let error = known + (self.unsure.common / least / 3.0).powi(2);
        (1.0 / error).clamp(1.0, 1e9) as u32
    }

    /// What was found out about steps that the platform does not tell of.
    pub(super) fn estimated_cadence(&self) -> Option<Cadence> {
        let estimate = self.timetable.steps().and_then(Steps::estimate)?;
        Some(Cadence {
            period: estimate.period,
            period_deviation: estimate.period_deviation(),
            phase_deviation: self.unsure.common,
            jitter: estimate.jitter,
        })
    }

    /// Whether the platform has shown for too long that it takes no steps. Where they are estimated, whatever is missing after the first ones was not
    /// explained already.
    pub(super) fn is_overdue(&self, end_ns: u64) -> bool {
        if self.timetable.steps().is_some_and(|it| it.first().is_some()) {
            return false;
        }
        let (last, late) = self.last_sign();
        end_ns as f64 - last > OVERDUE * self.timetable.step() + late + self.blur
    }

    /// Something was sent or seen, while steps are not known yet.
    pub(super) fn keep(&mut self, event: &punctual_model::Event) {
        self.timetable.heard(event, self.grounds.outside);
        if matches!(event.what, Happening::Set(_) | Happening::Signal(_)) {
            self.kept.push(event.clone());
        }
    }
}

/// A delay up to instants that are known only so exactly.
pub(super) fn widened(delay: &Delay, unsure: Unsure) -> Delay {
    match delay {
        Delay::Normal { mean, deviation } if unsure.deviation > 0.0 => {
            Delay::Normal { mean: *mean, deviation: deviation.hypot(unsure.deviation) }
        }
        other => other.clone(),
    }
}
