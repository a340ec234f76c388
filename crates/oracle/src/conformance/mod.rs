//! Conformance of a running system to timed automata, relative to an environment (rtioco).
//!
//! A model has two sides. The *monitor* follows the components of the system and judges them; the
//! *emulator* follows those of the environment and knows what a tester may do next. Both see the same
//! signals, each from its own place: inputs reach the system a little later than they are sent, outputs
//! leave it a little before they arrive ([`Uncertainty`](punctual_model::Uncertainty)). Where that leaves
//! the order of inputs and outputs open, the monitor follows all orders.
//!
//! - `followed.rs`: the parts of a side, and what they may be in; `monitor.rs`, `emulator.rs`: the two sides.
//! - `drift.rs`: how far the clock of the system may be off the tester's.
//! - `session.rs`: both together, event by event.
//! - `diagnosis.rs`, `explain.rs`, `names.rs`: why a verdict is what it is, as data and in words.
//! - `coverage.rs`: what of the model a run has been through; `uses.rs`: which definitions of variables it has used.
//! - `follow.rs`: whether a model can follow a case, before anything runs.
//!
//! What is tested against is a [`Specification`] (`semantics`), whose components are followed.
//!
//! Follows Larsen, Mikucionis & Nielsen 2004. `DIFFERENCE(larsen04)`: an empty state set is a fail there;
//! here only if the environment's side can explain the trace, since otherwise nobody can tell.

mod coverage;
mod diagnosis;
mod drift;
mod emulator;
mod explain;
mod follow;
mod followed;
mod known;
mod monitor;
mod names;
mod session;
mod sooner;
mod unseen;
mod uses;

pub use coverage::{Coverage, EdgeCoverage};
pub use diagnosis::{Allowed, CutOff, Diagnosis, Possible, Refused, StateShown};
pub use emulator::{Choices, Emulator, InputChoice, Led};
pub use explain::{explain, instant_text, interval_text};
pub use follow::{Unfollowed, follow};
pub use monitor::Monitor;
pub use names::variables_of;
pub use punctual_semantics::estimate::Instants;
pub use punctual_semantics::specification::{Part, Rejection, Specification};
pub use session::{Session, judge};
pub use uses::UseCoverage;

/// What conformance says of a run, with a diagnosis if it is not a pass.
pub type Judgement = crate::Judgement<Box<Diagnosis>>;
