//! What a system under test that is written in Rust needs.
//!
//! - [`System`]: a simulation, to which the tester says how far time goes.
//! - [`Stepwise`]: a synchronous system, which reads its inputs and writes its outputs in steps.
//! - [`serve`]: a system as a program of its own, which a tester reaches over stdin and stdout or
//!   TCP, on the virtual clock and on the real one.
//! - [`device`]: a program that lives on the machine's clock by itself.
//! - [`threads`]: virtual time for programs of several threads.
//!
//! Instants are nanoseconds since the last reset. A system that looks at nothing but what it is
//! handed gives the same outputs for the same inputs, as fast as the processor can.
//!
//! Not here: models, verdicts, and the tester's side of the protocol.

mod clock;
pub mod device;
mod lines;
mod message;
pub mod serve;
mod speaker;
mod stepwise;
mod system;
mod tcp;
pub mod threads;
mod value;

pub use stepwise::{Steps, Stepwise};
pub use system::{Can, Note, Output, System};
pub use value::Value;
