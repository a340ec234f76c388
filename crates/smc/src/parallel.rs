//! Jobs on any number of threads, with results handed on in the order of the jobs, so that what is
//! concluded from them does not depend on the threads.
//!
//! **Invariant:** results come without gaps, in the order in which the jobs were taken, whoever did
//! them. **Invariant:** a panic of a job, of a thread's start or of the source of jobs ends all threads
//! and is passed on.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

/// The most runs that a thread makes before it hands them on. The first batches are smaller, so that
/// few runs are made in vain where few are needed; and so are the last ones, so that no thread waits
/// long for another.
const BATCH: u64 = 64;
const SMALLER: u64 = 16;
/// How many results a thread may be ahead of what was concluded: enough that none waits, few enough
/// that little is thrown away at the end.
const AHEAD: usize = 4;

/// Does jobs and hands their results on in order, until `take` breaks or there are no more jobs; what
/// it breaks with is returned. Each thread works with what `start` gives it.
///
/// A thread takes a job when it has nothing to do, so jobs may come from where they are not known in
/// advance: a file, or a channel that another thread fills. A source that ends early, because somebody
/// wants to stop, leaves no gap: all jobs that were taken are done and handed on. After a break no
/// further job is taken, and results that come later are dropped.
pub fn in_order<J, W, R: Send, B>(
    threads: usize,
    jobs: impl IntoIterator<Item = J, IntoIter: Send>,
    start: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, J) -> R + Sync,
    mut take: impl FnMut(R) -> ControlFlow<B>,
) -> Option<B> {
    let jobs = jobs.into_iter();
    if threads <= 1 {
        let mut worker = start();
        for job in jobs {
            if let ControlFlow::Break(end) = take(work(&mut worker, job)) {
                return Some(end);
            }
        }
        return None;
    }
    let jobs = Mutex::new(jobs.enumerate().fuse());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel::<(usize, R)>(threads * AHEAD);
        let mut helpers = Vec::new();
        for _ in 0..threads {
            let (sender, start, work, jobs, stop) = (sender.clone(), &start, &work, &jobs, &stop);
            let help = move || {
                let _guard = StopOnPanic(stop);
                let mut worker = start();
                // The lock is held for as long as it takes to find a job, not to do it.
                let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
                while !stop.load(Ordering::Relaxed)
                    && let Some((order, job)) = next()
                    && sender.send((order, work(&mut worker, job))).is_ok()
                {}
            };
            match std::thread::Builder::new().spawn_scoped(scope, help) {
                Ok(helper) => helpers.push(helper),
                // The machine gives no more threads: those that there are do the work.
                Err(_) => break,
            }
        }
        drop(sender);
        if helpers.is_empty() {
            let mut worker = start();
            let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some((_, job)) = next() {
                if let ControlFlow::Break(end) = take(work(&mut worker, job)) {
                    return Some(end);
                }
            }
            return None;
        }
        let end = conclude(&receiver, &mut take);
        stop.store(true, Ordering::Relaxed);
        drop(receiver);
        for helper in helpers {
            if let Err(panic) = helper.join() {
                resume_unwind(panic);
            }
        }
        end
    })
}

/// The others need not go on: what is missing never comes.
struct StopOnPanic<'s>(&'s AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

fn conclude<R, B>(
    receiver: &mpsc::Receiver<(usize, R)>,
    take: &mut impl FnMut(R) -> ControlFlow<B>,
) -> Option<B> {
    let mut early = BTreeMap::new();
    let mut due = 0;
    while let Ok((order, result)) = receiver.recv() {
        early.insert(order, result);
        while let Some(result) = early.remove(&due) {
            due += 1;
            if let ControlFlow::Break(end) = take(result) {
                return Some(end);
            }
        }
    }
    None
}

/// Makes runs with the numbers up to `n` and hands them on in order, until `take` breaks. Runs are so
/// short that threads make several before they hand them on.
pub(crate) fn numbered<W, R: Send, B>(
    threads: usize,
    n: u64,
    start: impl Fn() -> W + Sync,
    make: impl Fn(&mut W, u64) -> R + Sync,
    mut take: impl FnMut(u64, R) -> ControlFlow<B>,
) -> Option<B> {
    if threads <= 1 {
        let make = |worker: &mut W, run| (run, make(worker, run));
        return in_order(1, 0..n, start, make, |(run, result)| take(run, result));
    }
    let is_over = AtomicBool::new(false);
    let mut first = 0;
    let batches = std::iter::from_fn(|| {
        let rest = n.saturating_sub(first) / (SMALLER * threads as u64);
        let end = first.saturating_add((first / SMALLER).min(rest).clamp(1, BATCH)).min(n);
        let batch = first..end;
        first = end;
        (!batch.is_empty()).then_some(batch)
    });
    let make = |worker: &mut W, batch: std::ops::Range<u64>| {
        let wanted = batch.take_while(|_| !is_over.load(Ordering::Relaxed));
        wanted.map(|run| (run, make(worker, run))).collect::<Vec<_>>()
    };
    in_order(threads, batches, start, make, |results| {
        let taken = results.into_iter().try_for_each(|(run, result)| take(run, result));
        is_over.store(taken.is_break(), Ordering::Relaxed);
        taken
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(threads: usize, until: u64) -> (Option<u64>, Vec<u64>) {
        let mut seen = Vec::new();
        let end = numbered(
            threads,
            1000,
            || (),
            |(), run| run * run,
            |run, square| {
                assert_eq!(square, run * run);
                seen.push(run);
                if run == until { ControlFlow::Break(square) } else { ControlFlow::Continue(()) }
            },
        );
        (end, seen)
    }

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for threads in [1, 2, 5] {
            assert_eq!(sum(threads, 700), (Some(490_000), (0..=700).collect()));
            assert_eq!(sum(threads, 5000), (None, (0..1000).collect()));
        }
    }

    /// Each thread has a state of its own, made once; a source that ends leaves no gap.
    #[test]
    fn jobs_are_taken_from_where_they_come() {
        for threads in [1, 3] {
            let (sender, jobs) = mpsc::sync_channel(2);
            let reader = std::thread::spawn(move || {
                (0..200).for_each(|job| sender.send(format!("{job}")).unwrap());
            });
            let (n_started, mut seen) = (Mutex::new(0), Vec::new());
            let start = || *n_started.lock().unwrap() += 1;
            let end = in_order(
                threads,
                jobs,
                start,
                |(), job| job,
                |job| {
                    seen.push(job);
                    ControlFlow::<()>::Continue(())
                },
            );
            reader.join().unwrap();
            assert_eq!((end, *n_started.lock().unwrap()), (None, threads));
            assert_eq!(seen, (0..200).map(|job| job.to_string()).collect::<Vec<_>>());
        }
    }

    /// The first error by the order of the jobs is told, also if a later one comes sooner.
    #[test]
    fn the_first_break_counts() {
        for _ in 0..20 {
            let work = |(): &mut (), job: u32| {
                if job == 5 {
                    std::thread::yield_now();
                }
                if job >= 5 { Err(job) } else { Ok(job) }
            };
            let mut n_taken = 0;
            let end = in_order(
                4,
                0..,
                || (),
                work,
                |result| match result {
                    Ok(_) => {
                        n_taken += 1;
                        ControlFlow::Continue(())
                    }
                    Err(job) => ControlFlow::Break(job),
                },
            );
            assert_eq!((end, n_taken), (Some(5), 5));
        }
    }

    #[test]
    #[should_panic(expected = "the third")]
    fn a_panic_of_a_thread_is_passed_on() {
        numbered(
            2,
            1000,
            || (),
            |(), run| assert!(run != 2, "the third"),
            |_, ()| ControlFlow::<()>::Continue(()),
        );
    }

    #[test]
    #[should_panic(expected = "no more")]
    fn a_panic_of_the_source_is_passed_on() {
        let jobs = (0..).inspect(|job| assert!(*job < 10, "no more"));
        in_order(2, jobs, || (), |(), job: u32| job, |_| ControlFlow::<()>::Continue(()));
    }
}
