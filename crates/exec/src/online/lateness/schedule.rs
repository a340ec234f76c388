//! For how long the threads of a process had to wait for a processor, as Linux tells it (`schedstat` and `stat` below `/proc/PID/task/TID`).
//!
//! Linux counts a wait when it is over. One that goes on is known by a thread that is ready to run, and was not running since the last look.
//! Other systems tell nothing, and then nothing is known.
//!
//! What a process does may go through several of its threads, each of which may have to wait. So waits of all threads add up, over a moment that
//! is longer than what hangs together usually takes ([`LOOKS`]).

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

/// How many looks are taken together.
const LOOKS: usize = 20;

/// What is known of the threads of a process.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    process: u32,
    /// How long all threads waited together between the last looks, in nanoseconds.
    recent: VecDeque<u64>,
    /// The threads, by their folders.
    threads: BTreeMap<PathBuf, Thread>,
}

/// What a thread did since it began, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Thread {
    ran_ns: u64,
    waited_ns: u64,
    /// For how long it waits now, as far as is known; 0 if it does not.
    waits_ns: u64,
}

impl Schedule {
    /// How long all threads of a process have waited together during the last looks, and the longest wait that goes on, in nanoseconds; 0 if nothing is
    /// known. The last look was so long ago.
    pub(super) fn look(&mut self, process: u32, elapsed_ns: u64) -> u64 {
        if process != self.process {
            *self = Schedule { process, ..Schedule::default() };
        }
        if process == 0 {
            return 0;
        }
        let is_first = self.threads.is_empty();
        let (mut sum_ns, mut waits_ns) = (0_u64, 0);
        let threads = std::fs::read_dir(format!("/proc/{process}/task"));
        for thread in threads.into_iter().flatten().flatten() {
            let folder = thread.path();
            let Some((mut now, is_ready)) = Thread::read(&folder) else { continue };
            // What a process waited before the first look is told by `waited_ns`; a thread that is new began behind it.
            let new = Thread { waited_ns: if is_first { now.waited_ns } else { 0 }, ..now };
            let before = self.threads.get(&folder).copied().unwrap_or(new);
            if is_ready && before.ran_ns == now.ran_ns {
                now.waits_ns = before.waits_ns.saturating_add(elapsed_ns);
            }
            sum_ns = sum_ns.saturating_add(now.waited_ns.saturating_sub(before.waited_ns));
            waits_ns = waits_ns.max(now.waits_ns);
            self.threads.insert(folder, now);
        }
        if self.recent.len() == LOOKS {
            self.recent.pop_front();
        }
        self.recent.push_back(sum_ns);
        self.recent.iter().fold(waits_ns, |sum, it| sum.saturating_add(*it))
    }
}

/// For how long all threads of a process have waited since they began, in nanoseconds; 0 if nothing is known.
pub(super) fn waited_ns(process: u32) -> u64 {
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    let folders = threads.into_iter().flatten().flatten();
    let known = folders.filter_map(|it| Thread::read(&it.path()));
    known.fold(0, |sum, (thread, _)| sum.saturating_add(thread.waited_ns))
}

impl Thread {
    /// What is known of a thread, and whether it runs or is ready to.
    fn read(folder: &Path) -> Option<(Thread, bool)> {
        let text = std::fs::read_to_string(folder.join("schedstat")).ok()?;
        let mut numbers = text.split_ascii_whitespace().map(|it| it.parse().ok());
        let (ran_ns, waited_ns) = (numbers.next()??, numbers.next()??);
        // Its name, which may be anything, is in parentheses; then comes its state.
        let state = std::fs::read_to_string(folder.join("stat")).ok()?;
        let is_ready = state.rsplit_once(')')?.1.trim_start().starts_with('R');
        Some((Thread { ran_ns, waited_ns, waits_ns: 0 }, is_ready))
    }
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
        assert_eq!((schedule.look(0, 0), schedule.look(std::process::id(), 0)), (0, 0));
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
            waited_ns = schedule.look(std::process::id(), 0).max(waited_ns);
            if waited_ns > 1_000_000 {
                break;
            }
        }
        ends.store(true, std::sync::atomic::Ordering::Relaxed);
        threads.into_iter().for_each(|it| it.join().unwrap());
        assert!(waited_ns > 1_000_000, "{waited_ns} ns");
    }
}
