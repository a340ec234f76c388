//! A solver that ends with whoever started it, also if that one was killed and could not say so.
//!
//! On Linux a process can ask to be killed when its parent ends, but only for itself. So the solver is started by way of a small program that
//! asks and then becomes the solver. A program that starts solvers is its own small program: it names the arguments by which it is started as
//! that ([`Solver::bind_by`](crate::Solver::bind_by)), and calls [`become_solver`] then.
//!
//! To Linux the parent is the thread that started the solver, so `process` starts it in one that lives as long as the solver is needed.

use std::{
    ffi::{OsStr, OsString},
    io,
    process::Command,
    sync::OnceLock,
};

use crate::find::Solver;

/// The program that becomes a solver, and the arguments before those of the solver.
static BINDER: OnceLock<Vec<OsString>> = OnceLock::new();

impl Solver {
    /// From now on, solvers are started by way of this command. The process that they are bound to, the program of the solver and its arguments
    /// follow. Only the first one counts, and only where the operating system can bind processes.
    pub fn bind_by(command: Vec<OsString>) {
        let _ = BINDER.set(command);
    }
}

/// How a solver is started.
pub(crate) fn command(solver: &Solver) -> Command {
    let binder = BINDER.get().filter(|_| cfg!(target_os = "linux") && is_executable(solver));
    let mut command = match binder.and_then(|it| it.split_first()) {
        Some((program, arguments)) => {
            let mut command = Command::new(program);
            command.args(arguments).arg(std::process::id().to_string()).arg(solver.path());
            command
        }
        None => Command::new(solver.path()),
    };
    command.args(solver.arguments());
    command
}

/// Whether the solver can be started. If it can not, it is started without a way round, which tells why.
#[cfg(unix)]
fn is_executable(solver: &Solver) -> bool {
    use nix::unistd::{AccessFlags, access};
    solver.path().is_file() && access(solver.path(), AccessFlags::X_OK).is_ok()
}

#[cfg(not(unix))]
fn is_executable(_: &Solver) -> bool {
    false
}

/// Makes this process a solver that is killed when `parent`, which started it, ends. Gives why that failed; otherwise it does not come back.
#[cfg(target_os = "linux")]
#[must_use]
pub fn become_solver(parent: u32, program: &OsStr, arguments: &[OsString]) -> io::Error {
    use std::os::unix::process::{CommandExt, parent_id};
    if let Err(error) = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL) {
        return error.into();
    }
    // It may have ended before this was asked for.
    if parent_id() != parent {
        return io::Error::other("who started the solver is gone");
    }
    Command::new(program).args(arguments).exec()
}

/// Other operating systems can not bind processes.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn become_solver(_: u32, _: &OsStr, _: &[OsString]) -> io::Error {
    io::ErrorKind::Unsupported.into()
}
