//! Sessions with the real solver, and with programs that only pretend to be one.

mod fakes;
mod laws;
mod optimum;
mod session;

use std::time::Duration;

use punctual_solver::{Limits, Session, Solver};

/// A session with the solver of this machine.
fn session() -> Session {
    let limits = Limits { timeout: Duration::from_secs(60), ..Limits::default() };
    Solver::find().and_then(|solver| solver.start(limits)).unwrap_or_else(|error| {
        panic!("{error}\nthis test needs the solver: `cargo xtask solver` brings it")
    })
}
