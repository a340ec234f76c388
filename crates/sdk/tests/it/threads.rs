//! Threads on virtual time.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use punctual_sdk::{
    Output, System, Value,
    threads::{Condvar, Handler, Kernel, Mutex, Queue, Threads, stay_on_core},
};

fn outputs(system: &mut dyn System, until_ns: u64) -> Vec<(u64, String)> {
    std::iter::from_fn(|| system.advance(until_ns)).map(|o| (o.at_ns, o.name)).collect()
}

fn system(program: impl FnMut(&Kernel) -> Handler + Send) -> impl System {
    let mut system = Threads::new(program);
    system.reset();
    system
}

fn deaf() -> Handler {
    Box::new(|_, _| {})
}

#[test]
fn sleepers_wake_by_deadline_then_by_start() {
    let mut system = system(|kernel| {
        for (name, delay_ns) in [("a", 30), ("b", 20), ("c", 30), ("d", 20)] {
            kernel.spawn(name, move |kernel| {
                kernel.sleep(delay_ns);
                kernel.output(name, &[]);
            });
        }
        deaf()
    });
    let expected = [(20, "b"), (20, "d"), (30, "a"), (30, "c")];
    let expected: Vec<_> = expected.map(|(at, name)| (at, name.to_owned())).into();
    assert_eq!(outputs(&mut system, 100), expected);
}

#[test]
fn time_does_not_pass_the_horizon() {
    let mut system = system(|kernel| {
        kernel.spawn("late", |kernel| {
            kernel.sleep_until(50);
            kernel.output("late", &[7.into()]);
        });
        deaf()
    });
    assert_eq!(system.advance(49), None);
    assert_eq!(system.next_ns(), Some(50));
    let late = Output { at_ns: 50, name: "late".into(), values: vec![Value::Int(7)] };
    assert_eq!(system.advance(50), Some(late));
    assert_eq!(system.advance(50), None);
    assert_eq!(system.next_ns(), None);
}

/// A notification at the instant of the deadline may go either way, but it is not lost and the
/// way is always the same.
#[test]
fn timed_waits_end_by_notification_or_deadline() {
    let mut system = system(|kernel| {
        let shared = Arc::new((Mutex::new(kernel, 0), Condvar::new(kernel)));
        let waiter = Arc::clone(&shared);
        kernel.spawn("waiter", move |kernel| {
            let (value, changed) = &*waiter;
            let mut guard = value.lock();
            for deadline_ns in [10, 20, 30] {
                let timed_out;
                (guard, timed_out) = changed.wait_until(guard, deadline_ns);
                kernel.output(if timed_out { "deadline" } else { "notified" }, &[(*guard).into()]);
            }
        });
        kernel.spawn("notifier", move |kernel| {
            kernel.sleep_until(5);
            *shared.0.lock() = 1;
            shared.1.notify_one();
            kernel.sleep_until(30);
            shared.1.notify_all();
        });
        deaf()
    });
    let found: Vec<_> = outputs(&mut system, 100);
    let expected = [(5, "notified"), (20, "deadline"), (30, "deadline")];
    assert_eq!(found, expected.map(|(at, name)| (at, name.to_owned())));
}

#[test]
fn a_mutex_held_while_sleeping_keeps_others_out() {
    let mut system = system(|kernel| {
        let mutex = Arc::new(Mutex::new(kernel, ()));
        for name in ["first", "second", "third"] {
            let mutex = Arc::clone(&mutex);
            kernel.spawn(name, move |kernel| {
                let _guard = mutex.lock();
                kernel.sleep(10);
                kernel.output(name, &[]);
            });
        }
        deaf()
    });
    let expected = [(10, "first"), (20, "second"), (30, "third")];
    assert_eq!(outputs(&mut system, 100), expected.map(|(at, name)| (at, name.to_owned())));
}

#[test]
fn inputs_reach_threads_at_their_instant() {
    let mut system = system(|kernel| {
        let queue = Queue::new(kernel);
        let inbox = queue.clone();
        kernel.spawn("echo", move |kernel| {
            loop {
                match inbox.pop_until(kernel.now_ns() + 40) {
                    Some(value) => kernel.output("echo", &[value]),
                    None => kernel.output("bored", &[]),
                }
            }
        });
        Box::new(move |_, values| queue.push(values[0].clone()))
    });
    assert_eq!(system.advance(15), None);
    system.input(15, "say", &[3.into()]);
    let echo = Output { at_ns: 15, name: "echo".into(), values: vec![Value::Int(3)] };
    assert_eq!(system.advance(15), Some(echo));
    assert_eq!(system.advance(54), None);
    assert_eq!(system.advance(60).map(|output| output.at_ns), Some(55));
}

/// On one core or on several, the outputs are the same.
#[test]
fn a_core_for_all() {
    let run = || {
        let mut system = system(|kernel| {
            for name in ["a", "b", "c"] {
                kernel.spawn(name, move |kernel| {
                    for _ in 0..100 {
                        kernel.sleep(7);
                        kernel.output(name, &[]);
                    }
                });
            }
            deaf()
        });
        outputs(&mut system, 1_000)
    };
    let pinned = std::thread::spawn(move || {
        let pinned = stay_on_core(1);
        assert_eq!(pinned, cfg!(target_os = "linux"));
        run()
    });
    assert_eq!(pinned.join().unwrap(), run());
}

/// Counts how many are alive.
struct Alive(Arc<AtomicUsize>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn reset_and_drop_end_all_threads() {
    let alive = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&alive);
    let mut system = Threads::new(move |kernel: &Kernel| {
        let mutex = Arc::new(Mutex::new(kernel, ()));
        for i in 0..8 {
            count.fetch_add(1, Ordering::SeqCst);
            let (mutex, alive) = (Arc::clone(&mutex), Alive(Arc::clone(&count)));
            kernel.spawn("sleeper", move |kernel| {
                let _alive = alive;
                let _guard = (i % 2 == 0).then(|| mutex.lock());
                kernel.sleep_until(u64::MAX);
            });
        }
        deaf()
    });
    for round in 0..50 {
        system.reset();
        if round % 2 == 0 {
            system.advance(100);
        }
        assert_eq!(alive.load(Ordering::SeqCst), 8);
    }
    drop(system);
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[test]
#[should_panic(expected = "thread `bad` panicked: out of beans")]
fn a_panic_of_a_thread_is_told() {
    let mut system = system(|kernel| {
        kernel.spawn("bad", |_| panic!("out of beans"));
        deaf()
    });
    system.advance(10);
}

#[test]
#[should_panic(expected = "threads wake each other without end at instant 3 ns")]
fn threads_that_stop_time_are_found() {
    let mut system = system(|kernel| {
        kernel.spawn("busy", |kernel| {
            kernel.sleep(3);
            loop {
                kernel.sleep(0);
            }
        });
        deaf()
    });
    system.advance(10);
}

#[test]
#[should_panic(expected = "what handles inputs must not wait")]
fn a_handler_that_waits_is_found() {
    let mut system = system(|kernel| {
        let kernel = kernel.clone();
        Box::new(move |_, _| kernel.sleep(1))
    });
    system.input(0, "in", &[]);
}

/// Threads that pass a number around: the order never depends on the machine.
#[test]
fn the_same_inputs_give_the_same_outputs() {
    let run = || {
        let mut system = system(|kernel| {
            let queues: Vec<Queue<i64>> = (0..6).map(|_| Queue::new(kernel)).collect();
            let first = queues[0].clone();
            for i in 0..6 {
                let (mine, next) = (queues[i].clone(), queues[(i + 5) % 6].clone());
                kernel.spawn("link", move |kernel| {
                    loop {
                        let value = mine.pop();
                        kernel.sleep((value as u64 * 7 + i as u64) % 3);
                        kernel.output("passed", &[(i as i64).into(), value.into()]);
                        if value < 40 {
                            next.push(value + 1);
                        }
                    }
                });
            }
            Box::new(move |_, values| first.push(values[0].as_int().unwrap()))
        });
        for value in [0, 1, 20] {
            system.input(0, "go", &[value.into()]);
        }
        std::iter::from_fn(move || system.advance(1000)).collect::<Vec<_>>()
    };
    let expected = run();
    assert_eq!(expected.len(), 41 + 40 + 21);
    for _ in 0..20 {
        assert_eq!(run(), expected);
    }
}
