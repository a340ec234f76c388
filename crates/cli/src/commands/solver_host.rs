//! `punctual solver-host`: becomes a solver that does not outlive the command that started it.
//!
//! A command that is killed can not end its solver. On Linux the solver asks for it beforehand: see `punctual_solver::become_solver`.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use crate::Stop;

/// The program that runs, also if its file was replaced since.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// Becomes a solver that ends with the command that needs it; commands that use a solver use it.
#[derive(Args)]
#[command(hide = true)]
pub(crate) struct SolverHost {
    /// The process that the solver ends with
    parent: u32,
    /// The program of the solver
    program: OsString,
    /// Arguments for the solver
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// From now on, solvers are started by way of this command.
pub(crate) fn bind() {
    if Path::new(OWN_PROGRAM).exists() {
        punctual_solver::Solver::bind_by(vec![OWN_PROGRAM.into(), "solver-host".into()]);
    }
}

impl SolverHost {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let error = punctual_solver::become_solver(self.parent, &self.program, &self.arguments);
        Err(Stop::Message(format!(
            "`{}` can not be started: {error}",
            Path::new(&self.program).display()
        )))
    }
}
