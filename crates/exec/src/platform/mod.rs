//! A platform that is simulated: sensors and actuators with delays around a program that takes steps.

mod simulated;

pub use simulated::{Settings, Simulated};
