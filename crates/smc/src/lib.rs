//! Statistical model checking: what runs of a model say about probabilities.
//!
//! - [`check`] answers a query: it makes runs by chance, on all threads, and concludes from them in
//!   the order of their numbers. Each run has random numbers of its own, so an answer depends on
//!   the seed and not on the number of threads.
//! - [`judged`] makes runs for somebody who looks at each transition.
//! - [`parallel`] does jobs on several threads, in order: here runs, elsewhere tests.
//! - [`statistics`] turns counts of runs into intervals and decisions.
//!
//! Not here: how a model moves (that is `semantics`), symbolic states, clocks of the machine.

mod answer;
pub mod censored;
mod chance;
mod check;
pub mod delays;
pub mod exact;
pub mod fit;
pub mod judged;
mod options;
pub mod parallel;
mod record;
mod run;
pub mod statistics;

pub use answer::{
    Answer, Expectation, Hypothesis, Outcome, Probability, Refusal, RunError, Step, Trajectories,
    Trajectory,
};
pub use chance::Stream;
pub use check::check;
pub use options::{Observer, Options, Progress};
pub use punctual_semantics::stochastic::State;
