//! How a system under test is touched: inputs, outputs, and time.
//!
//! Everything is a [`Sut`]; who drives it does not see what is behind. There is one file for each
//! way to reach a system:
//!
//! - `process`: a program of its own, over its stdin and stdout.
//! - `tcp`: a program somewhere, over a connection. Both speak lines of JSON (`protocol`), by the
//!   rules that `dialogue` keeps.
//! - `tron`: an adapter that was made for UPPAAL TRON, over that tool's socket protocol.
//! - `library`: a shared library with the entry points of `sdk/c/punctual.h`.
//! - `in_process`: a [`punctual_sdk::System`].
//! - `model`: a network, played as if it were the implementation.
//! - [`platform`]: sensors and actuators with delays around another system.
//!
//! Always holds: a system that crashes, hangs, floods, disconnects or breaks the rules gives a
//! [`SutError`] in bounded time, and leaves no process behind. (What runs inside of the tester, a
//! library or a Rust system, can hang or crash it; see there.) Instants are nanoseconds since the
//! last reset and never decrease, but for one case that [`Sut::wait`] tells of.
//!
//! [`online`] drives a system by a strategy while an oracle watches.
//!
//! Not here: which inputs are chosen, what outputs mean, what is stored.

mod clock;
mod dialogue;
mod direct;
mod error;
mod in_process;
#[expect(unsafe_code, reason = "calls functions of a library that others wrote")]
mod library;
mod limits;
mod model;
pub mod online;
pub mod platform;
mod process;
mod protocol;
mod signals;
mod sut;
mod tcp;
mod tron;
mod wire;

pub use clock::{Clock, Timekeeping, calendar};
pub use error::SutError;
pub use in_process::InProcess;
pub use library::{Library, hosted, own_stdout};
pub use limits::Limits;
pub use model::{ModelOptions, Played, PlayedProgram, Policy, Refusal};
pub use process::{Process, Program, end_all, stop_waiting};
pub use sut::{Handover, Note, Seen, Source, Sut};
pub use tcp::{Endpoint, Tcp};
pub use tron::{Tron, TronSettings};
