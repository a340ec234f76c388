//! From models to verdicts: conformance, and steering.

mod coffee;
mod load;
mod regressions;
mod steering;
mod synchronous;
