//! Runs on any number of threads, handed on in the order of their numbers, so that what is concluded
//! from them does not depend on the threads.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// The most runs that a thread makes before it hands them on. The first batches are smaller, so that
/// few runs are made in vain where few are needed; and so are the last ones, so that no thread waits
/// long for another.
const BATCH: u64 = 64;
const SMALLER: u64 = 16;
/// How many batches a thread may be ahead of what was concluded: enough that none waits, few enough
/// that little is thrown away at the end.
const AHEAD: usize = 4;

/// Makes runs and hands their results on in order, until `take` breaks or `n` are made. Each thread
/// works with what `start` gives it.
pub(crate) fn in_order<W, R: Send, B>(
    threads: usize,
    n: u64,
    start: impl Fn() -> W + Sync,
    make: impl Fn(&mut W, u64) -> R + Sync,
    mut take: impl FnMut(u64, R) -> ControlFlow<B>,
) -> Option<B> {
    if threads <= 1 {
        let mut worker = start();
        for run in 0..n {
            if let ControlFlow::Break(end) = take(run, make(&mut worker, run)) {
                return Some(end);
            }
        }
        return None;
    }
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel::<(u64, Vec<R>)>(threads * AHEAD);
        let mut helpers = Vec::new();
        for _ in 0..threads {
            let (sender, start, make, next, stop) = (sender.clone(), &start, &make, &next, &stop);
            helpers.push(scope.spawn(move || {
                let _guard = StopOnPanic(stop);
                let mut worker = start();
                while !stop.load(Ordering::Relaxed) {
                    let batch = |first: u64| {
                        let rest = n.saturating_sub(first) / (SMALLER * threads as u64);
                        first.saturating_add((first / SMALLER).min(rest).clamp(1, BATCH))
                    };
                    let first = next
                        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |first| {
                            Some(batch(first))
                        })
                        .unwrap_or(n);
                    if first >= n {
                        return;
                    }
                    let mut results = Vec::new();
                    for run in first..batch(first).min(n) {
                        if stop.load(Ordering::Relaxed) {
                            return;
                        }
                        results.push(make(&mut worker, run));
                    }
                    if sender.send((first, results)).is_err() {
                        return;
                    }
                }
            }));
        }
        drop(sender);
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
    receiver: &mpsc::Receiver<(u64, Vec<R>)>,
    take: &mut impl FnMut(u64, R) -> ControlFlow<B>,
) -> Option<B> {
    let mut early = BTreeMap::new();
    let mut expected = 0;
    while let Ok((first, results)) = receiver.recv() {
        early.insert(first, results);
        while let Some(results) = early.remove(&expected) {
            for result in results {
                if let ControlFlow::Break(end) = take(expected, result) {
                    return Some(end);
                }
                expected += 1;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(threads: usize, until: u64) -> (Option<u64>, Vec<u64>) {
        let mut seen = Vec::new();
        let end = in_order(
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

    #[test]
    #[should_panic(expected = "the third")]
    fn a_panic_of_a_thread_is_passed_on() {
        in_order(
            2,
            1000,
            || (),
            |(), run| assert!(run != 2, "the third"),
            |_, ()| ControlFlow::<()>::Continue(()),
        );
    }
}
