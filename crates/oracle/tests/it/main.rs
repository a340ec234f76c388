//! From models to verdicts: conformance, the expectations of cases, synchronous models, steering, and
//! what all oracles have in common.

mod all;
mod arrivals;
mod automaton;
mod blame;
mod coffee;
mod comparison;
mod deadlines;
mod drift;
mod expectations;
mod guilty;
mod load;
mod readings;
mod referee;
mod regressions;
mod steering;
mod synchronous;
mod unseen;
mod uses;
mod windows;
