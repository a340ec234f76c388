//! What threads share: a mutex, a condition variable, a queue.
//!
//! As only one thread of a kernel runs at a time, taking a free mutex costs what one of the
//! standard library costs. Whoever waits longest is woken first.

use std::{
    collections::VecDeque,
    ops::{Deref, DerefMut},
    sync::{self, Arc, PoisonError, TryLockError},
};

use super::Kernel;

/// The threads that wait for something, in the order in which they came.
#[derive(Default)]
struct Line {
    waiting: sync::Mutex<VecDeque<usize>>,
}

impl Line {
    fn ids(&self) -> sync::MutexGuard<'_, VecDeque<usize>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits in line; whether nobody called before the deadline.
    fn wait(&self, kernel: &Kernel, deadline_ns: Option<u64>) -> bool {
        let me = kernel.running();
        self.ids().push_back(me);
        let timed_out = kernel.wait(deadline_ns);
        if timed_out {
            self.ids().retain(|id| *id != me);
        }
        timed_out
    }

    fn wake_first(&self, kernel: &Kernel) {
        let first = self.ids().pop_front();
        if let Some(id) = first {
            kernel.wake(id);
        }
    }
}

/// A mutex of a kernel's threads.
pub struct Mutex<T> {
    kernel: Kernel,
    value: sync::Mutex<T>,
    line: Line,
}

/// A locked [`Mutex`]; dropping it unlocks.
pub struct Guard<'m, T> {
    mutex: &'m Mutex<T>,
    /// None only while it is dropped.
    value: Option<sync::MutexGuard<'m, T>>,
}

impl<T> Mutex<T> {
    /// A free mutex.
    pub fn new(kernel: &Kernel, value: T) -> Self {
        Self { kernel: kernel.clone(), value: sync::Mutex::new(value), line: Line::default() }
    }

    /// Waits until the mutex is free, and takes it.
    pub fn lock(&self) -> Guard<'_, T> {
        let value = loop {
            match self.value.try_lock() {
                Ok(value) => break value,
                Err(TryLockError::Poisoned(error)) => break error.into_inner(),
                // All threads unwind and free what they hold, not in turns.
                Err(TryLockError::WouldBlock) if self.kernel.is_ending() => {
                    break self.value.lock().unwrap_or_else(PoisonError::into_inner);
                }
                Err(TryLockError::WouldBlock) => {
                    self.line.wait(&self.kernel, None);
                }
            }
        };
        Guard { mutex: self, value: Some(value) }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("a guard holds its mutex until it is dropped")
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("a guard holds its mutex until it is dropped")
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.value = None;
        self.mutex.line.wake_first(&self.mutex.kernel);
    }
}

/// A condition variable of a kernel's threads. As with any, what was waited for must be looked at
/// again after waking.
pub struct Condvar {
    kernel: Kernel,
    line: Line,
}

impl Condvar {
    /// A condition variable that nobody waits for.
    pub fn new(kernel: &Kernel) -> Self {
        Self { kernel: kernel.clone(), line: Line::default() }
    }

    /// Unlocks, waits for a notification, and locks again.
    pub fn wait<'m, T>(&self, guard: Guard<'m, T>) -> Guard<'m, T> {
        let mutex = guard.mutex;
        drop(guard);
        self.line.wait(&self.kernel, None);
        mutex.lock()
    }

    /// Unlocks, waits for a notification or an instant, and locks again; whether it was the
    /// instant.
    pub fn wait_until<'m, T>(&self, guard: Guard<'m, T>, at_ns: u64) -> (Guard<'m, T>, bool) {
        let mutex = guard.mutex;
        drop(guard);
        let timed_out = self.line.wait(&self.kernel, Some(at_ns));
        (mutex.lock(), timed_out)
    }

    /// Wakes who waits longest.
    pub fn notify_one(&self) {
        self.line.wake_first(&self.kernel);
    }

    /// Wakes all, in the order in which they came.
    pub fn notify_all(&self) {
        let all = std::mem::take(&mut *self.line.ids());
        for id in all {
            self.kernel.wake(id);
        }
    }
}

/// A queue without bound, for example of inputs. A handle: clones are the same queue.
pub struct Queue<T> {
    shared: Arc<(Mutex<VecDeque<T>>, Condvar)>,
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<T> Queue<T> {
    /// An empty queue.
    pub fn new(kernel: &Kernel) -> Self {
        Self { shared: Arc::new((Mutex::new(kernel, VecDeque::new()), Condvar::new(kernel))) }
    }

    /// Adds an item. Never waits.
    pub fn push(&self, item: T) {
        let (items, arrived) = &*self.shared;
        items.lock().push_back(item);
        arrived.notify_one();
    }

    /// The oldest item, if there is one now.
    pub fn try_pop(&self) -> Option<T> {
        self.shared.0.lock().pop_front()
    }

    /// Waits for an item.
    pub fn pop(&self) -> T {
        let (items, arrived) = &*self.shared;
        let mut items = items.lock();
        loop {
            match items.pop_front() {
                Some(item) => return item,
                None => items = arrived.wait(items),
            }
        }
    }

    /// Waits for an item until an instant.
    pub fn pop_until(&self, at_ns: u64) -> Option<T> {
        let (items, arrived) = &*self.shared;
        let mut items = items.lock();
        let mut timed_out = false;
        loop {
            match items.pop_front() {
                Some(item) => return Some(item),
                None if timed_out => return None,
                None => (items, timed_out) = arrived.wait_until(items, at_ns),
            }
        }
    }
}
