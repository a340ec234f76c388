//! What a network does by chance: one run, step by step.
//!
//! # The race
//! In every state each process draws a delay, independently of the others. Let `d` be the earliest
//! delay after which the clocks allow one of its *outputs* (internal and sending edges whose data
//! guards hold), and `D` the latest that its invariant allows. The delay is uniform between `d` and
//! `D`; where the invariant gives no bound, it is `d` plus an exponential delay with the rate of the
//! location (1 where none is given). A process without outputs draws none, but time must not
//! pass its `D`. An enabled output over an urgent channel waits for nothing.
//!
//! The shortest delay wins; of equal ones, each with the same chance. The winner takes one of its
//! outputs that are possible now, each with the same chance, values of selects counting as edges of
//! their own; branches are chosen by their weights. If none is possible, time has passed and the
//! race is run anew. A handshake needs a partner, each possible one with the same chance; of a
//! broadcast, every process that can receive does, choosing among its own edges in the same way.
//!
//! While a process is in an urgent or committed location no time passes: the processes that can
//! move (those in such locations before others) are equally likely.
//!
//! Draws that a transition does not touch are kept (`draw`), which leaves the distribution of runs as it is.
//!
//! # Numbers
//! Clocks are 64-bit floating-point numbers with constant rates between two transitions.
//! Comparisons of clocks in guards and invariants forgive [`TOLERANCE`], so that an instant that was
//! computed from a bound is one where the bound is met.
//!
//! # Errors of the model
//! A run that can not go on is a [`Problem`], never an endless loop: see there.
//!
//! Not here: where random numbers come from, queries, and how many runs there are.

mod choice;
mod compile;
mod depend;
mod draw;
mod expand;
mod fire;
mod limit;
mod link;
mod problem;
mod race;
mod roots;
mod simulator;
mod watch;

pub use compile::Stochastic;
pub use limit::TOLERANCE;
pub use problem::{Problem, ProblemKind};
pub use race::Race;
pub use simulator::{Simulator, State};
pub use watch::{Value, Watch};
