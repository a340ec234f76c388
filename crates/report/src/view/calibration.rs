//! The delays of a platform, as they were measured.

use serde::Serialize;

/// A platform that was measured.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Calibration {
    /// How many delays of each line were wanted; fewer if only between which steps values arrived is known, which tells as much as so many delays.
    pub pulses: u32,
    /// How long a step takes on average, and how much that varies, in milliseconds.
    pub step_ms: f64,
    /// The deviation of it.
    pub step_deviation_ms: f64,
    /// How long it took by the clock of the run, in milliseconds.
    pub took_ms: f64,
    /// How often the system did something after a change that the model does not.
    pub odd_responses: usize,
    /// Sensors, then actuators.
    pub lines: Vec<Line>,
}

/// A sensor or an actuator.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Line {
    /// The variable outside.
    pub name: String,
    /// `input` or `output`.
    pub side: &'static str,
    /// How many delays were measured, or seen to be over between two steps; none leaves the delay as it was said.
    pub measured: usize,
    /// The mean, in milliseconds.
    pub mean_ms: f64,
    /// The deviation, in milliseconds.
    pub deviation_ms: f64,
    /// `fixed`, `normal`, `even` or `two humps`; if only between which steps values arrived is known, `taken to be normal`, or `no spread was seen`: then the
    /// deviation is the largest that may be. Empty if nothing was measured.
    pub shape: &'static str,
    /// How exactly the mean is known, in milliseconds, if only between which steps values arrived: one standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_error_ms: Option<f64>,
    /// Likewise, how exactly the deviation is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation_error_ms: Option<f64>,
    /// By how many milliseconds the delay grows per minute; null if it does not.
    pub drift_ms_per_minute: Option<f64>,
    /// The delays, in milliseconds.
    pub delays_ms: Vec<f64>,
}
