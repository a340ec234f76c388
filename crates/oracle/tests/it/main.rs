//! Conformance, from models to verdicts.

mod coffee;
mod load;
mod regressions;
