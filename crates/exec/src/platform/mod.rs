//! A platform that is simulated: sensors and actuators with delays around a program that takes steps.

mod hosted;
mod simulated;

pub use hosted::Hosted;
pub use simulated::{Settings, Simulated};
