//! The delays of a platform, as text and as pictures.

use std::fmt::Write as _;

use crate::plot::{Distribution, Plot, page};
use crate::view::calibration::Calibration;

/// A line for each variable.
#[must_use]
pub fn text(found: &Calibration) -> String {
    let mut out = String::new();
    let width = found.lines.iter().map(|it| it.name.chars().count()).max().unwrap_or(0).max(8);
    let _ = writeln!(
        out,
        "{:<width$}  {:<6}  {:>8}  {:>10}  {:>12}  shape",
        "variable", "side", "measured", "mean, ms", "deviation, ms"
    );
    for it in &found.lines {
        let drift = it
            .drift_ms_per_minute
            .map_or(String::new(), |drift| format!(", and it drifts by {drift:+.2} ms per minute"));
        let drift = match (it.mean_error_ms, it.deviation_error_ms) {
            (Some(mean), Some(_)) if it.shape == "no spread was seen" => {
                format!(
                    "; the mean is known to {mean:.2} ms, the deviation is what it may be at most"
                )
            }
            (Some(mean), Some(deviation)) => {
                format!("; the mean is known to {mean:.2} ms, the deviation to {deviation:.2} ms")
            }
            _ => drift,
        };
        let (shape, drift) = match it.measured {
            0 => ("not measured: it is left as it was", String::new()),
            _ => (it.shape, drift),
        };
        let _ = writeln!(
            out,
            "{:<width$}  {:<6}  {:>8}  {:>10.2}  {:>13.2}  {shape}{drift}",
            it.name, it.side, it.measured, it.mean_ms, it.deviation_ms
        );
    }
    let _ = writeln!(
        out,
        "a step takes {:.2} ms, and varies by {:.2} ms; measured for {:.1} s",
        found.step_ms,
        found.step_deviation_ms,
        found.took_ms / 1e3
    );
    if found.lines.iter().any(|it| it.mean_error_ms.is_some()) {
        let _ = writeln!(
            out,
            "when values arrived was not told, only between which steps: together that tells as much as {} delays of each variable (`pulses` of the file)",
            found.pulses
        );
    }
    if found.odd_responses > 0 {
        let _ = writeln!(
            out,
            "{} times the system did something after a change that the model does not: another model may run on the platform, or values are lost; these changes were left out",
            found.odd_responses
        );
    }
    out.push_str("how long the software takes from reading to writing (`software`) can not be measured from outside: it is left as it was\n");
    out
}

/// A page with the delays of each variable: their distribution, and a histogram.
#[must_use]
pub fn html(found: &Calibration) -> String {
    let measured = found.lines.iter().filter(|it| !it.delays_ms.is_empty());
    let plots: Vec<Plot> = measured
        .map(|it| {
            let title = format!(
                "{} `{}`: {:.2} ± {:.2} ms, {}",
                it.side, it.name, it.mean_ms, it.deviation_ms, it.shape
            );
            Plot::distribution(&Distribution {
                title: &title,
                x_label: "delay, ms",
                times: &it.delays_ms,
                runs: it.measured as u64,
                bound: f64::INFINITY,
                ..Distribution::default()
            })
        })
        .collect();
    page("Delays of a platform", &plots)
}
