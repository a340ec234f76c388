//! The delays of a platform.

use punctual_campaign::platform::calibrate::{Calibrated, Measured};
use punctual_model::testing::platform::Delay;

use crate::view::calibration as view;

/// What was measured.
#[must_use]
pub fn calibration(found: &Calibrated) -> view::Calibration {
    let line = |it: &Measured| {
        let delays: Vec<f64> = it.delays.iter().map(|(_, delay)| delay / 1e6).collect();
        let all = Delay::Samples(delays.clone());
        let n = delays.len();
        let (mean_ms, deviation_ms) = match n {
            0 => (0.0, 0.0),
            n => (all.mean(), all.deviation() * (n as f64 / (n as f64 - 1.0).max(1.0)).sqrt()),
        };
        let swept = it.swept.map(|(_, fitted)| fitted);
        let shape = match (it.shape, swept) {
            (Some(shape), _) => shape.name(),
            (None, Some(fitted)) if fitted.is_fixed => "no spread was seen",
            (None, Some(_)) => "taken to be normal",
            (None, None) => "",
        };
        view::Line {
            name: it.name.clone(),
            side: if it.is_input { "input" } else { "output" },
            measured: it.swept.map_or(n, |(n, _)| n),
            mean_ms: swept.map_or(mean_ms, |it| it.mean / 1e6),
            deviation_ms: swept.map_or(deviation_ms, |it| it.deviation / 1e6),
            shape,
            mean_error_ms: swept.map(|it| it.mean_error / 1e6),
            deviation_error_ms: swept.map(|it| it.deviation_error / 1e6),
            drift_ms_per_minute: it.drift.map(|it| it * 60.0 / 1e6),
            delays_ms: delays,
        }
    };
    view::Calibration {
        pulses: found.platform.pulses,
        step_ms: found.step.0 / 1e6,
        step_deviation_ms: found.step.1 / 1e6,
        took_ms: found.took_ns as f64 / 1e6,
        odd_responses: found.odd,
        lines: found.lines.iter().map(line).collect(),
    }
}
