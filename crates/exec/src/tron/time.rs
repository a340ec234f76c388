//! Virtual time as TRON's clock service gives it: mutexes, condition variables, and the rule that
//! time passes only while all active threads wait.
//!
//! The tester is one more thread: it waits for an instant, or until an event comes. Time stands
//! still while it does anything else.

use std::collections::{BTreeMap, VecDeque};

/// What calls return.
pub(super) const OK: i32 = 0;
pub(super) const ERROR: i32 = 64;
pub(super) const TIMED_OUT: i32 = 65;
pub(super) const INVALID: i32 = 68;

/// Everything about one run. All its methods return at once; who has to wait finds its answer later.
#[derive(Debug, Default)]
pub(super) struct Time {
    pub(super) now_ns: u64,
    threads: Vec<Thread>,
    mutexes: BTreeMap<i32, Mutex>,
    conditions: BTreeMap<i32, VecDeque<usize>>,
    next_id: i32,
    /// Until when the tester waits, if it does.
    tester_until_ns: Option<u64>,
    /// How often something was asked for since time passed last.
    pub(super) n_requests_now: u64,
    /// How often something was asked for at all.
    pub(super) n_requests: u64,
    /// How often something came for the tester.
    pub(super) n_interrupts: u64,
    /// How many events the adapter acknowledged.
    pub(super) n_acknowledged: u64,
    /// The run is over.
    pub(super) closed: bool,
}

#[derive(Debug)]
struct Thread {
    name: String,
    active: bool,
    waiting: Option<Waiting>,
    /// What the call that it waits in returns.
    answer: Option<i32>,
}

#[derive(Debug)]
struct Waiting {
    /// What it waits for; none if only for a mutex.
    condition: Option<i32>,
    /// The mutex that it will have.
    mutex: i32,
    deadline_ns: Option<u64>,
    /// What is returned when it has the mutex.
    code: i32,
}

#[derive(Debug, Default)]
struct Mutex {
    owner: Option<usize>,
    queue: VecDeque<usize>,
}

impl Time {
    /// A new thread, which is active.
    pub(super) fn register(&mut self, name: String) -> usize {
        self.threads.push(Thread { name, active: true, waiting: None, answer: None });
        self.threads.len() - 1
    }

    /// A thread is gone: nobody waits for it any more.
    pub(super) fn leave(&mut self, thread: usize) {
        self.threads[thread].active = false;
        self.threads[thread].waiting = None;
        self.conditions.values_mut().for_each(|line| line.retain(|id| *id != thread));
        self.mutexes.values_mut().for_each(|mutex| mutex.queue.retain(|id| *id != thread));
        let owned = self.mutexes.iter().filter(|(_, mutex)| mutex.owner == Some(thread));
        let owned: Vec<i32> = owned.map(|(id, _)| *id).collect();
        owned.into_iter().for_each(|id| self.release(id));
        self.pass();
    }

    pub(super) fn set_active(&mut self, thread: usize, active: bool) {
        self.threads[thread].active = active;
        self.pass();
    }

    /// The answer to the call that a thread waits in, once there is one.
    pub(super) fn take_answer(&mut self, thread: usize) -> Option<i32> {
        self.threads[thread].answer.take()
    }

    pub(super) fn new_mutex(&mut self) -> i32 {
        self.next_id += 1;
        self.mutexes.insert(self.next_id, Mutex::default());
        self.next_id
    }

    pub(super) fn new_condition(&mut self) -> i32 {
        self.next_id += 1;
        self.conditions.insert(self.next_id, VecDeque::new());
        self.next_id
    }

    /// Forgets a mutex or a condition that nobody uses.
    pub(super) fn destroy(&mut self, id: i32) {
        let free = |mutex: &Mutex| mutex.owner.is_none() && mutex.queue.is_empty();
        if self.mutexes.get(&id).is_some_and(free) {
            self.mutexes.remove(&id);
        }
        if self.conditions.get(&id).is_some_and(VecDeque::is_empty) {
            self.conditions.remove(&id);
        }
    }

    /// Takes a mutex, now or later.
    pub(super) fn lock(&mut self, thread: usize, mutex: i32) {
        match self.mutexes.get(&mutex) {
            None => self.threads[thread].answer = Some(INVALID),
            Some(held) if held.owner == Some(thread) => {
                self.threads[thread].answer = Some(INVALID);
            }
            Some(_) => {
                let waiting = Waiting { condition: None, mutex, deadline_ns: None, code: OK };
                self.threads[thread].waiting = Some(waiting);
                self.acquire(thread, mutex);
                self.pass();
            }
        }
    }

    pub(super) fn unlock(&mut self, thread: usize, mutex: i32) -> i32 {
        match self.mutexes.get(&mutex) {
            Some(held) if held.owner == Some(thread) => {
                self.release(mutex);
                OK
            }
            _ => INVALID,
        }
    }

    /// Gives a mutex back and waits for a condition, until a deadline if there is one.
    pub(super) fn wait(
        &mut self,
        thread: usize,
        condition: i32,
        mutex: i32,
        deadline_ns: Option<u64>,
    ) {
        let owned = self.mutexes.get(&mutex).is_some_and(|held| held.owner == Some(thread));
        let Some(line) = self.conditions.get_mut(&condition).filter(|_| owned) else {
            self.threads[thread].answer = Some(INVALID);
            return;
        };
        line.push_back(thread);
        let waiting = Waiting { condition: Some(condition), mutex, deadline_ns, code: OK };
        self.threads[thread].waiting = Some(waiting);
        self.release(mutex);
        self.pass();
    }

    pub(super) fn signal(&mut self, condition: i32, all: bool) {
        while let Some(thread) = self.conditions.get_mut(&condition).and_then(VecDeque::pop_front) {
            self.wake(thread, OK);
            if !all {
                break;
            }
        }
    }

    /// The tester lets time pass.
    pub(super) fn tester_waits(&mut self, until_ns: u64) {
        self.tester_until_ns = Some(until_ns.max(self.now_ns));
        self.pass();
    }

    /// Whether the tester is through with waiting.
    pub(super) fn tester_is_active(&self) -> bool {
        self.tester_until_ns.is_none()
    }

    /// Something came for the tester: time stands still.
    pub(super) fn interrupt(&mut self) {
        self.tester_until_ns = None;
        self.n_interrupts += 1;
    }

    /// Who keeps time from passing.
    pub(super) fn running(&self) -> Vec<&str> {
        let running = self.threads.iter().filter(|thread| thread.is_running());
        running.map(|thread| &*thread.name).collect()
    }

    /// A thread is done with its condition, and needs its mutex to go on.
    fn wake(&mut self, thread: usize, code: i32) {
        let Some(waiting) = &mut self.threads[thread].waiting else { return };
        (waiting.condition, waiting.deadline_ns, waiting.code) = (None, None, code);
        let mutex = waiting.mutex;
        self.acquire(thread, mutex);
    }

    fn acquire(&mut self, thread: usize, mutex: i32) {
        let Some(held) = self.mutexes.get_mut(&mutex) else { return };
        if held.owner.is_some() {
            held.queue.push_back(thread);
            return;
        }
        held.owner = Some(thread);
        let slot = &mut self.threads[thread];
        slot.answer = slot.waiting.take().map(|waiting| waiting.code);
    }

    fn release(&mut self, mutex: i32) {
        let Some(held) = self.mutexes.get_mut(&mutex) else { return };
        held.owner = None;
        if let Some(next) = held.queue.pop_front() {
            self.acquire(next, mutex);
        }
    }

    /// Lets time pass as long as everybody waits.
    fn pass(&mut self) {
        while let Some(until_ns) = self.tester_until_ns
            && !self.threads.iter().any(Thread::is_running)
        {
            let waiting = self.threads.iter().filter_map(|thread| thread.waiting.as_ref());
            let next_ns = waiting.filter_map(|waiting| waiting.deadline_ns).min();
            let at_ns = next_ns.map_or(until_ns, |next_ns| next_ns.min(until_ns)).max(self.now_ns);
            if at_ns > self.now_ns {
                (self.now_ns, self.n_requests_now) = (at_ns, 0);
            }
            // Deadlines of this instant come before the tester's.
            let due = |thread: &Thread| {
                let waiting = thread.waiting.as_ref();
                waiting.and_then(|waiting| waiting.deadline_ns).is_some_and(|due| due <= at_ns)
            };
            let due: Vec<usize> =
                (0..self.threads.len()).filter(|id| due(&self.threads[*id])).collect();
            if due.is_empty() {
                self.tester_until_ns = None;
            }
            for thread in due {
                self.conditions.values_mut().for_each(|line| line.retain(|id| *id != thread));
                self.wake(thread, TIMED_OUT);
            }
        }
    }
}

impl Thread {
    fn is_running(&self) -> bool {
        self.active && self.waiting.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_while_all_wait() {
        let mut time = Time::default();
        let (a, b) = (time.register("a".into()), time.register("b".into()));
        let (mutex, condition) = (time.new_mutex(), time.new_condition());
        time.lock(a, mutex);
        assert_eq!(time.take_answer(a), Some(OK));
        time.lock(b, mutex);
        assert_eq!(time.take_answer(b), None);
        time.tester_waits(100);
        assert_eq!((time.now_ns, time.running()), (0, vec!["a"]));
        time.wait(a, condition, mutex, Some(30));
        // The other has the mutex now, and is not waiting.
        assert_eq!((time.now_ns, time.take_answer(b)), (0, Some(OK)));
        time.wait(b, condition, mutex, Some(20));
        assert_eq!((time.now_ns, time.take_answer(b)), (20, Some(TIMED_OUT)));
        time.signal(condition, false);
        assert_eq!(time.take_answer(a), None, "it waits for the mutex");
        assert_eq!(time.unlock(b, mutex), OK);
        assert_eq!(time.take_answer(a), Some(OK));
        assert_eq!(time.unlock(b, mutex), INVALID);
        time.leave(b);
        assert!(!time.tester_is_active());
        time.set_active(a, false);
        assert!(time.tester_is_active());
        assert_eq!(time.now_ns, 100);
    }
}
