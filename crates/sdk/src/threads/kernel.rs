//! Who runs, and when time passes.
//!
//! One thread runs at a time: the one whose number is in `running`. It goes on until it waits;
//! then it hands over to the next itself, without a scheduler in between. The tester is number 0:
//! it gets its turn when everybody waits for an instant beyond the horizon, or when there is an
//! output to tell it of.

use std::{
    collections::VecDeque,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle, Thread},
};

use crate::{Output, Value};

/// The number of the tester.
const TESTER: usize = 0;

/// How often threads may be woken at one instant. Beyond that they wake each other for ever.
const TURNS_AT_ONE_INSTANT: u64 = 1_000_000;

/// What unwinds a thread of a program that ends.
struct Ended;

/// Virtual time, and the threads that live by it. A handle: clones are the same kernel.
///
/// Its methods are for its own threads, and for the program and its handler of inputs (see
/// [`Threads`](super::Threads)).
#[derive(Clone)]
pub struct Kernel {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Whose turn it is.
    running: AtomicUsize,
    /// Whether all threads are to end.
    ending: AtomicBool,
}

struct State {
    now_ns: u64,
    /// Time does not pass this instant.
    horizon_ns: u64,
    /// The tester, then the threads in the order in which they were started.
    slots: Vec<Slot>,
    /// Who can go on at once, in this order.
    ready: VecDeque<usize>,
    outputs: VecDeque<Output>,
    /// Whether the tester gets its turn as soon as there is an output.
    stop_at_output: bool,
    /// Why the program can not go on.
    problem: Option<String>,
    n_turns_now: u64,
    handles: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Slot {
    thread: Option<Thread>,
    waiting: bool,
    deadline_ns: Option<u64>,
    timed_out: bool,
}

impl Kernel {
    pub(super) fn new() -> Self {
        let state = State {
            now_ns: 0,
            horizon_ns: 0,
            slots: vec![Slot::default()],
            ready: VecDeque::new(),
            outputs: VecDeque::new(),
            stop_at_output: true,
            problem: None,
            n_turns_now: 0,
            handles: Vec::new(),
        };
        let shared = Shared {
            state: Mutex::new(state),
            running: AtomicUsize::new(TESTER),
            ending: AtomicBool::new(false),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The virtual time, in nanoseconds since the last reset.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.state().now_ns
    }

    /// Waits until an instant. If it is now or has been, everybody who can go on gets a turn first.
    pub fn sleep_until(&self, at_ns: u64) {
        self.wait(Some(at_ns));
    }

    /// Waits.
    pub fn sleep(&self, delay_ns: u64) {
        let at_ns = self.now_ns().saturating_add(delay_ns);
        self.sleep_until(at_ns);
    }

    /// Tells the tester of an output, now.
    pub fn output(&self, name: &str, values: &[Value]) {
        let mut state = self.state();
        let at_ns = state.now_ns;
        state.outputs.push_back(Output { at_ns, name: name.into(), values: values.into() });
    }

    /// Starts a thread. It gets its first turn when those who can go on before it wait.
    ///
    /// The thread must not wait for anything but the kernel: while it does, no other thread runs.
    ///
    /// # Panics
    /// If the machine has no more threads.
    pub fn spawn(&self, name: &str, run: impl FnOnce(Kernel) + Send + 'static) {
        let id = self.state().slots.len();
        let kernel = self.clone();
        let name = name.to_owned();
        let thread_name = name.clone();
        let body = move || {
            let turn = kernel.clone();
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                turn.take_turn(id);
                run(turn);
            }));
            kernel.leave(&name, outcome.err());
        };
        // The new thread takes no turn before its slot is there: whoever starts it is running.
        let handle = thread::Builder::new().name(thread_name).spawn(body);
        let handle = handle.expect("a thread could not be started");
        let mut state = self.state();
        state.slots.push(Slot { thread: Some(handle.thread().clone()), ..Slot::default() });
        state.handles.push(handle);
        state.ready.push_back(id);
    }

    /// Waits until somebody calls [`wake`](Self::wake), or until the deadline; whether it was the
    /// deadline.
    pub(super) fn wait(&self, deadline_ns: Option<u64>) -> bool {
        if self.shared.ending.load(Ordering::Acquire) {
            return self.end_here();
        }
        let me = self.running();
        assert!(
            me != TESTER,
            "what handles inputs must not wait: hand the input to a thread, for example by a `Queue`"
        );
        let mut state = self.state();
        let slot = &mut state.slots[me];
        (slot.waiting, slot.deadline_ns, slot.timed_out) = (true, deadline_ns, false);
        let next = state.next_turn();
        if next != me {
            self.hand_over(state, next);
            if self.take_turn(me) {
                return true;
            }
            state = self.state();
        }
        state.slots[me].timed_out
    }

    /// Lets a thread that waits go on. One whose deadline has just come counts as woken, too.
    pub(super) fn wake(&self, id: usize) {
        let mut state = self.state();
        let slot = &mut state.slots[id];
        slot.timed_out = false;
        if slot.waiting {
            slot.waiting = false;
            state.ready.push_back(id);
        }
    }

    /// Whose turn it is: the caller, if it is one of the kernel's threads.
    pub(super) fn running(&self) -> usize {
        self.shared.running.load(Ordering::Acquire)
    }

    pub(super) fn is_ending(&self) -> bool {
        self.shared.ending.load(Ordering::Acquire)
    }

    /// The tester waits until nothing can happen before an instant, or until there is an output.
    pub(super) fn settle(&self, until_ns: u64, stop_at_output: bool) -> Option<Output> {
        let mut state = self.state();
        if stop_at_output && let Some(output) = state.outputs.pop_front() {
            return Some(output);
        }
        state.horizon_ns = until_ns.max(state.now_ns);
        state.stop_at_output = stop_at_output;
        let next = state.next_turn();
        if next != TESTER {
            state.slots[TESTER].thread = Some(thread::current());
            self.hand_over(state, next);
            self.take_turn(TESTER);
            state = self.state();
        }
        if let Some(problem) = state.problem.take() {
            drop(state);
            panic!("{problem}");
        }
        let output = if stop_at_output { state.outputs.pop_front() } else { None };
        if output.is_none() && state.horizon_ns > state.now_ns {
            state.now_ns = state.horizon_ns;
            state.n_turns_now = 0;
        }
        output
    }

    /// The next instant at which something happens, unless an input comes first.
    pub(super) fn next_ns(&self) -> Option<u64> {
        let state = self.state();
        match state.ready.is_empty() && state.outputs.is_empty() {
            true => state.next_deadline(),
            false => Some(state.now_ns),
        }
    }

    /// Ends all threads and waits for that. Each unwinds from where it waits.
    pub(super) fn end(&self) {
        self.shared.ending.store(true, Ordering::Release);
        loop {
            let handles = std::mem::take(&mut self.state().handles);
            if handles.is_empty() {
                break;
            }
            for handle in &handles {
                handle.thread().unpark();
            }
            for handle in handles {
                // What a thread panicked with was kept; there is nothing else to learn here.
                let _ = handle.join();
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_over(&self, state: MutexGuard<'_, State>, next: usize) {
        let thread = state.slots[next].thread.clone();
        drop(state);
        self.shared.running.store(next, Ordering::Release);
        if let Some(thread) = thread {
            thread.unpark();
        }
    }

    /// Sleeps until it is this thread's turn. Unwinds if there are no more turns; says so instead
    /// where the thread unwinds already.
    fn take_turn(&self, me: usize) -> bool {
        while self.running() != me {
            if me != TESTER && self.is_ending() {
                return self.end_here();
            }
            thread::park();
        }
        false
    }

    fn end_here(&self) -> bool {
        if !thread::panicking() {
            // Unlike a panic, this prints nothing.
            panic::resume_unwind(Box::new(Ended));
        }
        true
    }

    /// The last turn of a thread.
    fn leave(&self, name: &str, payload: Option<Box<dyn std::any::Any + Send>>) {
        if self.is_ending() {
            return;
        }
        let mut state = self.state();
        if let Some(payload) = payload {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            state.problem = Some(format!("thread `{name}` panicked: {text}"));
        }
        let next = state.next_turn();
        self.hand_over(state, next);
    }
}

impl State {
    fn next_deadline(&self) -> Option<u64> {
        let waiting = self.slots.iter().filter(|slot| slot.waiting);
        waiting.filter_map(|slot| slot.deadline_ns).min()
    }

    /// Whose turn is next. Time passes if nobody can go on, to the least deadline, but not beyond
    /// the horizon.
    fn next_turn(&mut self) -> usize {
        self.n_turns_now += 1;
        if self.n_turns_now > TURNS_AT_ONE_INSTANT && self.problem.is_none() {
            let now_ns = self.now_ns;
            self.problem =
                Some(format!("threads wake each other without end at instant {now_ns} ns"));
        }
        loop {
            if self.problem.is_some() {
                return TESTER;
            }
            if let Some(next) = self.ready.pop_front() {
                return next;
            }
            if self.stop_at_output && !self.outputs.is_empty() {
                return TESTER;
            }
            match self.next_deadline() {
                Some(at_ns) if at_ns <= self.horizon_ns => self.pass_to(at_ns),
                _ => return TESTER,
            }
        }
    }

    fn pass_to(&mut self, at_ns: u64) {
        if at_ns > self.now_ns {
            self.now_ns = at_ns;
            self.n_turns_now = 0;
        }
        // Those with the least deadline; of equals, who was started first.
        for (id, slot) in self.slots.iter_mut().enumerate() {
            if slot.waiting && slot.deadline_ns == Some(at_ns) {
                (slot.waiting, slot.timed_out) = (false, true);
                self.ready.push_back(id);
            }
        }
    }
}
