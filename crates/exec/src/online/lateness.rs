//! How late the machine lets the tester look.
//!
//! A thread sleeps for a millisecond again and again and notes by how much it wakes up too late. An
//! output that arrived in such a gap was seen late although it may have been sent in time, so the
//! system must not be blamed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::clock;

/// How often the machine is watched.
const TICK: Duration = Duration::from_millis(1);

/// Watches the machine until it is dropped.
pub(super) struct Lateness {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    ends: AtomicBool,
    worst_ns: AtomicU64,
}

impl Lateness {
    pub(super) fn start() -> Lateness {
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let watch = move || {
            while !shared.ends.load(Ordering::Relaxed) {
                let due = clock::within(TICK);
                clock::sleep_until(due);
                let late = clock::now().saturating_duration_since(due);
                let late_ns = u64::try_from(late.as_nanos()).unwrap_or(u64::MAX);
                shared.worst_ns.fetch_max(late_ns, Ordering::Relaxed);
            }
        };
        // Without it nothing is known of the machine, which is said as "very late".
        let thread = std::thread::Builder::new().name("lateness".to_owned()).spawn(watch).ok();
        if thread.is_none() {
            state.worst_ns.store(u64::MAX, Ordering::Relaxed);
        }
        Lateness { state, thread }
    }

    /// The worst, if it is beyond a limit.
    pub(super) fn beyond(self, limit_ns: u64) -> Option<u64> {
        let worst_ns = self.state.worst_ns.load(Ordering::Relaxed);
        (worst_ns > limit_ns).then_some(worst_ns)
    }
}

impl Drop for Lateness {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
