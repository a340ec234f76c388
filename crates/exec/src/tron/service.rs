//! The clock service: one connection for each thread of the adapter, one call at a time on each.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    configure::{integer, text},
    time::{ERROR, INVALID, OK, Time},
};
use crate::{clock, process::is_stopped};

/// How many calls there may be at one instant. Beyond that, time stands still for ever.
const REQUESTS_AT_ONE_INSTANT: u64 = 1_000_000;

/// How often the service looks for new threads.
const PAUSE: Duration = Duration::from_millis(2);

/// Virtual time for adapters. Dropping it ends it.
pub(super) struct Service {
    current: Arc<Mutex<Arc<Run>>>,
    ended: Arc<AtomicBool>,
}

/// The time of one run, and who lives by it.
#[derive(Default)]
pub(super) struct Run {
    time: Mutex<Time>,
    changed: Condvar,
    streams: Mutex<Vec<TcpStream>>,
}

/// Why the tester does not wait any more.
pub(super) enum Woken {
    /// It waited long enough, or something came.
    Active,
    /// Nothing moved for too long; who should have.
    Stuck(Vec<String>),
    /// Threads do something without end, and no time passes.
    Busy,
    /// The user wants no more.
    Stopped,
}

/// The user is heard at least this often while somebody is waited for.
const LIVENESS: Duration = Duration::from_millis(50);

impl Service {
    pub(super) fn start(listener: TcpListener) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let current = Arc::new(Mutex::new(Arc::new(Run::default())));
        let ended = Arc::new(AtomicBool::new(false));
        let service = Self { current: Arc::clone(&current), ended: Arc::clone(&ended) };
        let accept = move || {
            while !ended.load(Ordering::Acquire) {
                match listener.accept() {
                    Ok((stream, _)) => {
                        let run = Arc::clone(&locked(&current));
                        // A thread that can not be served sees its connection close.
                        let _ = thread::Builder::new().spawn(move || run.serve(stream));
                    }
                    Err(_) => clock::sleep_until(clock::within(PAUSE)),
                }
            }
        };
        thread::Builder::new().name("clock".into()).spawn(accept)?;
        Ok(service)
    }

    /// Starts anew, at instant 0; the threads of before are let go.
    pub(super) fn restart(&self) {
        let before = std::mem::take(&mut *locked(&self.current));
        before.close();
    }

    /// The present run.
    pub(super) fn run(&self) -> Arc<Run> {
        Arc::clone(&locked(&self.current))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        self.restart();
    }
}

impl Run {
    pub(super) fn now_ns(&self) -> u64 {
        locked(&self.time).now_ns
    }

    /// How often something came for the tester.
    pub(super) fn n_interrupts(&self) -> u64 {
        locked(&self.time).n_interrupts
    }

    /// Waits until an instant, or until something comes for the tester that is not among the
    /// interrupts it has seen.
    pub(super) fn wait(&self, until_ns: u64, n_interrupts: u64, patience: Duration) -> Woken {
        let mut time = locked(&self.time);
        if time.n_interrupts != n_interrupts || time.closed {
            return Woken::Active;
        }
        time.tester_waits(until_ns);
        self.changed.notify_all();
        let mut seen = time.n_requests;
        let mut deadline = clock::within(patience);
        while !time.tester_is_active() && !time.closed {
            if time.n_requests_now > REQUESTS_AT_ONE_INSTANT {
                time.interrupt();
                return Woken::Busy;
            }
            if time.n_requests != seen {
                (seen, deadline) = (time.n_requests, clock::within(patience));
            }
            if is_stopped() {
                time.interrupt();
                return Woken::Stopped;
            }
            if clock::until(deadline).is_zero() {
                time.interrupt();
                return Woken::Stuck(time.running().into_iter().map(str::to_owned).collect());
            }
            time = self.sleep(time, Some(deadline));
        }
        Woken::Active
    }

    /// Something came for the tester.
    pub(super) fn interrupt(&self) {
        locked(&self.time).interrupt();
        self.changed.notify_all();
    }

    pub(super) fn acknowledge(&self, n_events: u64) {
        locked(&self.time).n_acknowledged += n_events;
        self.changed.notify_all();
    }

    /// Waits until so many events were acknowledged in all; whether they were, in time, and before the user wanted no more.
    pub(super) fn await_acknowledgement(&self, n_events: u64, deadline: Instant) -> bool {
        let mut time = locked(&self.time);
        while time.n_acknowledged < n_events && !time.closed {
            if clock::until(deadline).is_zero() || is_stopped() {
                return false;
            }
            time = self.sleep(time, Some(deadline));
        }
        time.n_acknowledged >= n_events
    }

    /// The run is over: nobody waits any more.
    pub(super) fn close(&self) {
        locked(&self.time).closed = true;
        self.changed.notify_all();
        for stream in locked(&self.streams).drain(..) {
            // It may be gone already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn sleep<'t>(
        &self,
        time: MutexGuard<'t, Time>,
        deadline: Option<Instant>,
    ) -> MutexGuard<'t, Time> {
        match deadline {
            None => self.changed.wait(time).unwrap_or_else(PoisonError::into_inner),
            Some(deadline) => {
                let patience = clock::until(deadline).min(LIVENESS);
                let woken = self.changed.wait_timeout(time, patience);
                woken.unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }

    /// Serves one thread until it quits or is gone.
    fn serve(&self, stream: TcpStream) {
        let Ok(mut stream) = prepared(stream) else { return };
        if let Ok(clone) = stream.try_clone() {
            locked(&self.streams).push(clone);
        }
        let Ok(name) = text(&mut stream) else { return };
        let thread = locked(&self.time).register(name);
        while let Ok(true) = self.call(thread, &mut stream) {}
        locked(&self.time).leave(thread);
        self.changed.notify_all();
        let _ = stream.shutdown(Shutdown::Both);
    }

    /// Does one call; whether the thread goes on.
    fn call(&self, thread: usize, stream: &mut (impl Read + Write)) -> io::Result<bool> {
        let operation = integer(stream)?;
        let n_arguments = match operation {
            4..=6 | 8 | 12 | 13 => 1,
            9 => 2,
            10 | 11 => 4,
            _ => 0,
        };
        let arguments: io::Result<Vec<i32>> = (0..n_arguments).map(|_| integer(stream)).collect();
        let arguments = arguments?;
        let mut time = locked(&self.time);
        if time.closed {
            return Ok(false);
        }
        time.n_requests += 1;
        time.n_requests_now += 1;
        let mut waits = false;
        let reply = match (operation, &*arguments) {
            (1 | 2, _) => {
                time.set_active(thread, operation == 2);
                vec![OK]
            }
            (3, _) => vec![time.new_mutex()],
            (7, _) => vec![time.new_condition()],
            (4 | 8, &[id]) => {
                time.destroy(id);
                Vec::new()
            }
            (5, &[mutex]) => {
                time.lock(thread, mutex);
                waits = true;
                Vec::new()
            }
            (6, &[mutex]) => vec![time.unlock(thread, mutex)],
            (9, &[condition, mutex]) => {
                time.wait(thread, condition, mutex, None);
                waits = true;
                Vec::new()
            }
            (10 | 11, &[condition, mutex, seconds, microseconds]) => {
                match nanoseconds(seconds, microseconds) {
                    Some(at_ns) => {
                        let start_ns = if operation == 11 { time.now_ns } else { 0 };
                        let deadline_ns = start_ns.saturating_add(at_ns);
                        time.wait(thread, condition, mutex, Some(deadline_ns));
                        waits = true;
                        Vec::new()
                    }
                    None => vec![INVALID],
                }
            }
            (12 | 13, &[condition]) => {
                time.signal(condition, operation == 13);
                Vec::new()
            }
            (14, _) => {
                let microseconds = time.now_ns / 1000;
                let seconds = i32::try_from(microseconds / 1_000_000).unwrap_or(i32::MAX);
                vec![seconds, (microseconds % 1_000_000) as i32]
            }
            (127, _) => return Ok(false),
            _ => {
                drop(time);
                stream.write_all(&ERROR.to_be_bytes())?;
                return Ok(false);
            }
        };
        self.changed.notify_all();
        let reply = match waits {
            false => reply,
            true => loop {
                if let Some(answer) = time.take_answer(thread) {
                    break vec![answer];
                }
                if time.closed {
                    return Ok(false);
                }
                time = self.sleep(time, None);
            },
        };
        drop(time);
        let bytes: Vec<u8> = reply.iter().flat_map(|value| value.to_be_bytes()).collect();
        stream.write_all(&bytes)?;
        Ok(true)
    }
}

fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn nanoseconds(seconds: i32, microseconds: i32) -> Option<u64> {
    let (seconds, microseconds) = (u64::try_from(seconds).ok()?, u64::try_from(microseconds).ok()?);
    Some((seconds * 1_000_000 + microseconds) * 1000)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
