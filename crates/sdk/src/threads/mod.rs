//! Virtual time for programs of several threads.
//!
//! The threads are real ones, but they wait for a [`Kernel`]: it lets one of them run at a time,
//! and lets time pass only when all of them wait, to the least deadline. Who can go on gets its
//! turn in the order in which it was woken; of those whose deadlines come at once, who was started
//! first. So the same inputs give the same outputs.
//!
//! Always holds: only one thread of a kernel runs; computing takes no time; a thread is
//! interrupted nowhere but where it waits (so an accidental race of the program stays hidden).
//!
//! Handing over within one core takes about 2 µs, across cores about 15: where many switches are
//! made, [`stay_on_core`] is worth its while.
//!
//! Not here: priorities, and time that computing takes. A thread that neither waits nor ends can
//! not be interrupted.
//!
//! ```
//! use punctual_sdk::{System, threads::{Queue, Threads}};
//!
//! /// Answers each `ping` by a `pong`, 5 ms later.
//! let mut system = Threads::new(|kernel| {
//!     let pings = Queue::new(kernel);
//!     let inbox = pings.clone();
//!     kernel.spawn("answer", move |kernel| loop {
//!         let at_ns: u64 = inbox.pop();
//!         kernel.sleep_until(at_ns + 5_000_000);
//!         kernel.output("pong", &[]);
//!     });
//!     let kernel = kernel.clone();
//!     Box::new(move |_name, _values| pings.push(kernel.now_ns()))
//! });
//! system.reset();
//! assert!(system.advance(1_000_000).is_none());
//! system.input(1_000_000, "ping", &[]);
//! assert_eq!(system.advance(9_000_000).unwrap().at_ns, 6_000_000);
//! ```

mod core;
mod kernel;
mod sync;

pub use self::core::stay_on_core;
pub use kernel::Kernel;
pub use sync::{Condvar, Guard, Mutex, Queue};

use crate::{Output, System, Value};

/// What is done with an input, given by name and values. It runs in between the turns of the
/// threads and must not wait: it may lock a mutex that no waiting thread holds, notify, push into
/// a [`Queue`], start threads, and make outputs.
pub type Handler = Box<dyn FnMut(&str, &[Value]) + Send>;

/// A program of several threads as a [`System`].
///
/// `reset` calls the program, which starts its first threads and says what is done with inputs. At
/// the next `reset`, or when this is dropped, the threads end: each unwinds from where it waits (or
/// would wait), so that what it owns is dropped.
///
/// # Panics
/// `advance` and `input` panic if one of the threads did, or if threads wake each other without
/// end while no time passes.
pub struct Threads<P> {
    program: P,
    run: Option<(Kernel, Handler)>,
}

impl<P: FnMut(&Kernel) -> Handler + Send> Threads<P> {
    /// The system. Nothing runs before the first `reset`.
    pub fn new(program: P) -> Self {
        Self { program, run: None }
    }
}

impl<P> Threads<P> {
    fn end(&mut self) {
        if let Some((kernel, handler)) = self.run.take() {
            kernel.end();
            drop(handler);
        }
    }
}

impl<P: FnMut(&Kernel) -> Handler + Send> System for Threads<P> {
    fn reset(&mut self) {
        self.end();
        let kernel = Kernel::new();
        let handler = (self.program)(&kernel);
        self.run = Some((kernel, handler));
    }

    fn input(&mut self, at_ns: u64, name: &str, values: &[Value]) {
        if let Some((kernel, handler)) = &mut self.run {
            if at_ns > kernel.now_ns() {
                kernel.settle(at_ns, false);
            }
            handler(name, values);
        }
    }

    fn advance(&mut self, until_ns: u64) -> Option<Output> {
        self.run.as_ref()?.0.settle(until_ns, true)
    }

    fn next_ns(&self) -> Option<u64> {
        self.run.as_ref()?.0.next_ns()
    }
}

impl<P> Drop for Threads<P> {
    fn drop(&mut self) {
        self.end();
    }
}
