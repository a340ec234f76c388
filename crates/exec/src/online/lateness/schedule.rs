//! For how long the threads of a process had to wait for a processor, as Linux tells it (`/proc/PID/task/TID/schedstat`).
//!
//! A wait is counted when it is over. Other systems tell nothing, and then nothing is known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is known of the threads of a process.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    process: u32,
    /// For each thread, by its folder, how long it has waited since it began, in nanoseconds.
    waited: BTreeMap<PathBuf, u64>,
}

impl Schedule {
    /// The longest that a thread of a process has waited since the last look, in nanoseconds; 0 if nothing is known of it.
    pub(super) fn look(&mut self, process: u32) -> u64 {
        if process != self.process {
            *self = Schedule { process, ..Schedule::default() };
        }
        if process == 0 {
            return 0;
        }
        let is_first = self.waited.is_empty();
        let mut worst_ns = 0;
        let threads = std::fs::read_dir(format!("/proc/{process}/task"));
        for thread in threads.into_iter().flatten().flatten() {
            let folder = thread.path();
            let Some(now_ns) = waited_ns(&folder) else { continue };
            // What a process waited before the run says nothing; a thread that is new began in it.
            let before_ns = self.waited.insert(folder, now_ns);
            let before_ns = before_ns.unwrap_or(if is_first { now_ns } else { 0 });
            worst_ns = worst_ns.max(now_ns.saturating_sub(before_ns));
        }
        worst_ns
    }
}

/// How long a thread has waited since it began: the second number of three.
fn waited_ns(thread: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(thread.join("schedstat")).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Two threads on one processor have to wait for each other.
    #[test]
    fn a_thread_that_waits_is_seen() {
        use nix::sched::{CpuSet, sched_setaffinity};
        use nix::unistd::Pid;
        let mut one = CpuSet::new();
        one.set(0).unwrap();
        let ends = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let mut schedule = Schedule::default();
        assert_eq!((schedule.look(0), schedule.look(std::process::id())), (0, 0));
        let busy = || {
            let ends = std::sync::Arc::clone(&ends);
            std::thread::spawn(move || {
                sched_setaffinity(Pid::from_raw(0), &one).unwrap();
                while !ends.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        let threads: Vec<_> = (0..3).map(|_| busy()).collect();
        let mut waited_ns = 0;
        // As long as it takes on a busy machine.
        for _ in 0..1_000 {
            crate::clock::sleep_until(crate::clock::within(std::time::Duration::from_millis(10)));
            waited_ns = schedule.look(std::process::id()).max(waited_ns);
            if waited_ns > 1_000_000 {
                break;
            }
        }
        ends.store(true, std::sync::atomic::Ordering::Relaxed);
        threads.into_iter().for_each(|it| it.join().unwrap());
        assert!(waited_ns > 1_000_000, "{waited_ns} ns");
    }
}
