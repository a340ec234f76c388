//! What a system under test that is written in Rust needs.
//!
//! - [`System`]: a system to which the tester says how far time goes.
//! - [`serve`]: a system as a program of its own, which a tester reaches over stdin and stdout or
//!   TCP, on the virtual clock and on the real one.
//! - [`threads`]: virtual time for programs of several threads.
//!
//! Instants are nanoseconds since the last reset. A system that looks at nothing but what it is
//! handed gives the same outputs for the same inputs, as fast as the processor can.
//!
//! Not here: models, verdicts, and the tester's side of the protocol.

mod clock;
pub mod serve;
mod system;
pub mod threads;
mod value;

pub use system::{Output, System};
pub use value::Value;
