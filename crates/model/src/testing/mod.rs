//! The vocabulary of tests: what can be exchanged with a system, what was, and what is said of it.
//!
//! - An [`Interface`] says what a system exchanges: *signals*, which happen, and *ports*, which have
//!   values. It needs no model: a network, a synchronous program and a file of another tool have one.
//!   What ties it to a network is a table beside it ([`Wired`]).
//! - A [`Trace`] is what was seen: [`Event`]s with the instants between which they happened, by the
//!   tester's clock. Everything after a trace can be computed from it again.
//! - A [`suite::Suite`] is what is to be done: named cases of inputs, waits and checks, or of steps.
//! - A [`platform::Platform`] lies between a tester and a program that takes steps, and delays what they exchange.
//! - A [`Verdict`] is what is said of a run, and its [`Cause`] is why.
//!
//! Not here: how a system is reached (`exec`), what a trace means (`oracle`), text (`lang`).

mod interface;
pub mod platform;
pub mod suite;
mod trace;
mod verdict;
mod wired;

pub use interface::{
    Carried, Direction, Interface, Port, PortRole, Signal, TimeScale, Uncertainty, Variables,
};
pub use trace::{Action, Event, Happening, Reading, Step, Trace};
pub use verdict::{Cause, Verdict};
pub use wired::{Place, Slot, Wire, Wired};
