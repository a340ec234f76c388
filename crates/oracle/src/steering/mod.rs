//! Steered models: a synchronous program as the oracle of a system that may be a little late.
//!
//! The model runs beside the system. Where their outputs differ, inputs of the model are changed,
//! within tolerances, to the nearest behaviour that it could have shown; what can not be explained
//! so is a failure. Follows Gay, *Steering Model-Based Oracles to Admit Real Program Behaviors*
//! (dissertation); departures are marked `DIFFERENCE`.
//!
//! - `oracle.rs`: an [`Oracle`] is a model and how it is steered, compiled.
//! - `follow/`: a [`Steerer`] follows tests, recorded or live, and keeps the states that explain them.
//! - `search/`: the allowed steps from one state, by enumeration or by a solver.
//! - `joined.rs`: the model with inputs for steered locals, and with conditions among its assertions.
//! - `tolerance/`: which changes are allowed. `metric.rs`: what is near. `policy.rs`: what it costs.
//! - `doubt.rs`: why a search is not complete, and what that makes of a verdict.
//! - `outcome.rs`: what is told in the end. `measure.rs`: how good verdicts are, where tests are labelled.
//! - `systematic.rs`: changes that nearly every test of a system needs. `filter.rs`: the baseline. `learn/`: tolerances from labelled tests; `window.rs`: what they are.
//!
//! **Invariant:** a pass was run: every step of the explanation is taken again by the compiled model,
//! under every condition as it was written, and its outputs are those of the system.
//! **Invariant:** a fail was searched to its end; what limits cut off is inconclusive ([`Doubt`]).
//! **Invariant:** decisions are exact; there is no floating point in them.
//!
//! Not here: files, processes, time.

mod doubt;
mod exact;
mod filter;
mod follow;
mod joined;
mod judge;
pub mod learn;
mod measure;
mod metric;
mod oracle;
mod outcome;
mod policy;
mod search;
pub mod systematic;
mod tolerance;
mod window;

pub use doubt::{Doubt, Limit, Obstacle};
pub use filter::Filter;
pub use follow::{Follower, Observation, Steerer};
pub use judge::Steered;
pub use measure::{Label, Measure};
pub use metric::{Distance, Kind, Scale};
pub use oracle::{Limits, LookAhead, Oracle, Setup, SetupError};
pub use outcome::{Before, Change, Diagnosis, Effort, Outcome, StepReport, Why};
pub use policy::{Cost, Policy, Price, Unheld};
pub use window::Windows;
