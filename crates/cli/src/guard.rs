//! Minds what a search may use: its time, the memory of the process, and the user who wants no more.
//!
//! A search counts what it holds and ends by itself. It can not know of a clock or of signals, and there is memory that it
//! does not count. So a thread looks after it, a few times a second, and spends its [`Budget`], at which searches look also in the middle
//! of a step.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use punctual_report::answers::bytes;
use punctual_semantics::budget::{Budget, Spent};

use crate::{INCONCLUSIVE, REJECTED, clock::Stopwatch, memory, progress};

/// How often the guard looks.
const PERIOD: Duration = Duration::from_millis(50);

/// Looks after one search, as long as it is there.
pub(crate) struct Guard {
    budget: Arc<Budget>,
    over: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Guard {
    /// Grants so much memory, and so much time from now on; without end if none.
    pub(crate) fn new(memory: u64, time: Option<Duration>) -> Guard {
        Guard::patient(memory, time, Duration::ZERO)
    }

    /// The same for what is worth being finished when the user wants no more: it has so much time for that.
    pub(crate) fn patient(memory: u64, time: Option<Duration>, grace: Duration) -> Guard {
        Guard::telling(memory, time, grace, |_| ())
    }

    /// Does what can not look at a budget, such as what libraries do with a text of the user's. If it takes more than it is granted, the
    /// program ends with an error.
    pub(crate) fn or_give_up<T>(
        what: String,
        (memory, time): (u64, Duration),
        work: impl FnOnce() -> T,
    ) -> T {
        let _guard = Guard::telling(memory, Some(time), Duration::ZERO, move |spent| {
            let (why, code) = match spent {
                Spent::Time => (format!("takes longer than {} s", time.as_secs()), REJECTED),
                Spent::Memory => (format!("takes more memory than {}", bytes(memory)), REJECTED),
                Spent::Stopped => ("was stopped".to_owned(), INCONCLUSIVE),
            };
            progress::give_up(&format!("{what} {why}"), code);
        });
        work()
    }

    /// Calls `tell` when something is spent.
    fn telling(
        memory: u64,
        time: Option<Duration>,
        grace: Duration,
        mut tell: impl FnMut(Spent) + Send + 'static,
    ) -> Guard {
        let budget = Arc::new(Budget::new(memory));
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        let (watched, ends) = (Arc::clone(&budget), Arc::clone(&over));
        let stopwatch = Stopwatch::start();
        // What a search holds is less than what the process has: there is the model, and memory that is about to be reused.
        let most = memory::resident()
            .map(|held| held.saturating_add(memory).saturating_add(memory / 2 + (64 << 20)));
        let mut asked: Option<Duration> = None;
        let look = move || {
            let mut is_over = ends.0.lock().unwrap_or_else(PoisonError::into_inner);
            let mut spend = |spent: Spent| {
                watched.spend(spent);
                tell(spent);
            };
            while !*is_over {
                if asked.is_none() && progress::stopped() {
                    asked = Some(stopwatch.elapsed());
                }
                if asked.is_some_and(|asked| stopwatch.elapsed() >= asked + grace) {
                    spend(Spent::Stopped);
                } else if time.is_some_and(|time| stopwatch.elapsed() >= time) {
                    spend(Spent::Time);
                } else if let (Some(held), Some(most)) = (memory::resident(), most)
                    && held > most
                {
                    spend(Spent::Memory);
                }
                let left = time.map_or(PERIOD, |time| time.saturating_sub(stopwatch.elapsed()));
                let wait = if left.is_zero() { PERIOD } else { left.min(PERIOD) };
                let waited = ends.1.wait_timeout(is_over, wait);
                is_over = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        // Without the thread, searches still count and look at the user's signals between states.
        let thread = std::thread::Builder::new().name("guard".to_owned()).spawn(look).ok();
        Guard { budget, over, thread }
    }

    /// What is granted.
    pub(crate) fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.budget)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        *self.over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.over.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
