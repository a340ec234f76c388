//! The solvers of this process that run now, so that none outlives it.

use std::{
    collections::BTreeSet,
    io,
    process::{Child, Command},
    sync::{Mutex, MutexGuard, PoisonError},
};

static RUNNING: Mutex<Running> = Mutex::new(Running { groups: BTreeSet::new(), is_over: false });

struct Running {
    /// The process groups of the solvers that run now.
    groups: BTreeSet<u32>,
    /// True when no more solvers are started.
    is_over: bool,
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all solvers that run now, with everything that they started, and starts no more. Questions that wait for an answer, and all that are asked
/// later, are answered at once with [`Reason::Stopped`](crate::Reason::Stopped). For a program whose user wants no more.
pub fn end_all() {
    let mut running = running();
    running.is_over = true;
    running.groups.iter().for_each(|id| kill_group(*id));
}

/// Whether no more solvers are started.
pub(crate) fn is_over() -> bool {
    running().is_over
}

/// Starts a solver in a process group of its own. None if no more are started.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Option<Child>> {
    own_group(command);
    let mut running = running();
    if running.is_over {
        return Ok(None);
    }
    let child = command.spawn()?;
    running.groups.insert(child.id());
    Ok(Some(child))
}

/// Ends a solver and everything that it started.
pub(crate) fn end(child: &mut Child) {
    {
        // The number of a process that was waited for may soon be that of another one.
        let mut running = running();
        running.groups.remove(&child.id());
        kill_group(child.id());
    }
    // It may be gone already; then there is nothing to be killed.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

#[cfg(unix)]
fn kill_group(id: u32) {
    use nix::{
        sys::signal::{Signal, killpg},
        unistd::Pid,
    };
    if let Ok(group) = i32::try_from(id) {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}
