//! How late the machine lets the tester look, and lets the system run.
//!
//! A thread sleeps for a millisecond again and again and notes by how much it wakes up too late. An
//! output that arrived in such a gap was seen late although it may have been sent in time. Now and then it asks
//! the operating system for how long the threads of the tester and of the system were ready to run and had to wait (`schedule`). In all these cases the
//! system must not be blamed.
//!
//! Clocks are set at a reset, so it counts, too: the system may have set its clock before something made it or the tester wait.
//!
//! The same thread sees to it that no update of the state sets takes so long that the tester falls behind.

mod schedule;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use punctual_semantics::budget::Budget;

use crate::clock;
use schedule::Schedule;

/// How long an update of the state sets may take on the real clock, if nobody says otherwise. Most take microseconds. After two seconds the tester is far behind
/// the system: what it would send is late, whatever comes of it, and what it hears waits in a queue that has an end.
pub const UPDATE_NS: u64 = 2_000_000_000;

/// How often the machine is watched.
const TICK: Duration = Duration::from_millis(1);

/// After how many of these the system is looked at.
const LOOK: u32 = 10;

/// How long a system is watched after a fail, so that it shows if it is ready to run and has to wait.
pub(super) const SETTLED_NS: u64 = 25_000_000;

/// How often it is looked at meanwhile.
pub(super) const GLANCE_NS: u64 = 5_000_000;

/// Watches the machine until it is dropped.
pub(super) struct Lateness {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    ends: AtomicBool,
    /// By how much the tester was too late, at the worst.
    tester_ns: AtomicU64,
    /// For how long the system had to wait for a processor, at the worst.
    system_ns: AtomicU64,
    /// The process of the system; 0 if it has none that can be watched.
    process: AtomicU32,
    /// What the state sets are computed with, and for how long at most.
    budget: Option<(Arc<Budget>, Duration)>,
    /// When the update of the state sets began that goes on.
    begun: Mutex<Option<Instant>>,
    schedules: Mutex<Schedules>,
}

#[derive(Default)]
struct Schedules {
    tester: Schedule,
    system: Schedule,
    looked: Option<Instant>,
}

impl State {
    /// Asks the operating system for how long threads have waited.
    fn look(&self) {
        let mut them = self.schedules.lock().unwrap_or_else(PoisonError::into_inner);
        let Schedules { tester, system, looked } = &mut *them;
        let now = clock::now();
        let elapsed = looked.replace(now).map(|before| now.saturating_duration_since(before));
        let elapsed_ns = u64::try_from(elapsed.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX);
        let waited_ns = system.look(self.process.load(Ordering::Relaxed), elapsed_ns);
        self.system_ns.fetch_max(waited_ns, Ordering::Relaxed);
        let waited_ns = tester.look(std::process::id(), elapsed_ns);
        self.tester_ns.fetch_max(waited_ns, Ordering::Relaxed);
    }
}

impl State {
    /// Interrupts an update of the state sets that takes too long.
    fn mind_update(&self, now: Instant) {
        let begun = *self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some((budget, most)), Some(begun)) = (&self.budget, begun)
            && now.saturating_duration_since(begun) > *most
        {
            budget.interrupt();
        }
    }
}

/// An update of the state sets begins, or is over. Only on the real clock somebody watches that.
pub(super) fn updating(lateness: Option<&Lateness>, begun: Option<Instant>) {
    if let Some(Lateness { state, .. }) = lateness {
        *state.begun.lock().unwrap_or_else(PoisonError::into_inner) = begun;
    }
}

impl Lateness {
    /// Watches the machine, and interrupts updates of state sets that take longer than they may.
    pub(super) fn start(budget: Option<(Arc<Budget>, Duration)>) -> Lateness {
        let state = Arc::new(State { budget, ..State::default() });
        let shared = Arc::clone(&state);
        let watch = move || {
            let mut n_ticks = 0_u32;
            while !shared.ends.load(Ordering::Relaxed) {
                let due = clock::within(TICK);
                clock::sleep_until(due);
                let late = clock::now().saturating_duration_since(due);
                let late_ns = u64::try_from(late.as_nanos()).unwrap_or(u64::MAX);
                shared.tester_ns.fetch_max(late_ns, Ordering::Relaxed);
                shared.mind_update(clock::now());
                n_ticks = (n_ticks + 1) % LOOK;
                if n_ticks == 0 {
                    shared.look();
                }
            }
        };
        // Without it nothing is known of the machine, which is said as "very late".
        let thread = std::thread::Builder::new().name("lateness".to_owned()).spawn(watch).ok();
        if thread.is_none() {
            state.tester_ns.store(u64::MAX, Ordering::Relaxed);
        }
        Lateness { state, thread }
    }

    /// The system was reset, which took so long, and is this process from now on, if it is one. What a new process has waited by now, it may have waited
    /// after its clock had started.
    pub(super) fn reset(&self, process: Option<u32>, took: Duration) {
        let process = process.unwrap_or(0);
        if self.state.process.swap(process, Ordering::Relaxed) != process {
            let took_ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
            let waited_ns = schedule::waited_ns(process).min(took_ns);
            self.state.system_ns.fetch_max(waited_ns, Ordering::Relaxed);
        }
        self.state.look();
    }

    /// The worst up to now, if it is beyond a limit: an output may have been seen so much later than the system meant to send it.
    pub(super) fn beyond(&self, limit_ns: u64) -> Option<u64> {
        // The thread that watches may have to wait, too.
        self.state.look();
        let of = |ns: &AtomicU64| ns.load(Ordering::Relaxed);
        let worst_ns = of(&self.state.tester_ns).saturating_add(of(&self.state.system_ns));
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
