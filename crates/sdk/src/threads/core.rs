//! Keeping threads on one core.

/// Keeps the calling thread, and those that it starts from now on, on one of the cores that it may
/// use: the first for 0, the next for 1, again the first after the last. Whether that worked; only
/// Linux can do it.
///
/// Only one thread of a kernel runs at a time, so more cores are of no use to it, and waking a
/// thread on another core takes several times as long. Programs that make runs in parallel call
/// this once in each of their threads.
#[must_use]
pub fn stay_on_core(number: usize) -> bool {
    #[cfg(target_os = "linux")]
    {
        pin(number).is_ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = number;
        false
    }
}

#[cfg(target_os = "linux")]
fn pin(number: usize) -> nix::Result<()> {
    use nix::{
        sched::{CpuSet, sched_getaffinity, sched_setaffinity},
        unistd::Pid,
    };
    let this_thread = Pid::from_raw(0);
    let allowed = sched_getaffinity(this_thread)?;
    let cores: Vec<usize> =
        (0..CpuSet::count()).filter(|core| allowed.is_set(*core) == Ok(true)).collect();
    let core = cores.get(number % cores.len().max(1)).ok_or(nix::Error::EINVAL)?;
    let mut set = CpuSet::new();
    set.set(*core)?;
    sched_setaffinity(this_thread, &set)
}
