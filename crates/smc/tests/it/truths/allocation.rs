//! Making steps allocates nothing, once a simulator has made some.

#![expect(unsafe_code, reason = "an allocator that counts is one of the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use punctual_semantics::stochastic::{Race, Simulator};
use punctual_smc::Stream;

use super::kept::compile;
use super::{model, process};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is passed on to the allocator of the system; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may allocate after its counter is gone.
        let _ = ALLOCATIONS.try_with(|it| it.set(it.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|it| it.set(it.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Makes so many steps, in as many runs as it takes.
fn steps(simulator: &mut Simulator<'_>, runs: &mut u64, mut n: u32) {
    while n > 0 {
        let stream = &mut Stream::of_run(7, *runs);
        *runs += 1;
        simulator.start(stream).unwrap();
        while n > 0 && simulator.state().steps < 5_000 {
            match simulator.race(stream).unwrap() {
                Race::Won { winner, delay } => {
                    simulator.pass(delay);
                    n -= u32::from(simulator.act(winner, stream).unwrap());
                }
                Race::Locked { .. } | Race::Over => break,
            }
        }
    }
}

#[track_caller]
fn allocates_nothing(xml: &str) {
    let model = compile(xml);
    let mut simulator = Simulator::new(&model);
    let mut runs = 0;
    steps(&mut simulator, &mut runs, 10_000);
    let before = ALLOCATIONS.get();
    steps(&mut simulator, &mut runs, 10_000);
    assert_eq!(ALLOCATIONS.get() - before, 0);
}

fn example(path: &str) -> String {
    let path = format!("{}/../../examples/{path}/model.xml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn steps_allocate_nothing() {
    let before = ALLOCATIONS.get();
    drop(vec![1]);
    assert!(ALLOCATIONS.get() > before, "allocations are counted");
    let gate = example("train-gate");
    allocates_nothing(&gate);
    allocates_nothing(&gate.replace("const int N = 4;", "const int N = 12;"));
    allocates_nothing(&example("hod"));
    // Selects while it runs, branches, functions, doubles, rates, urgent channels, blocked tries.
    let sender = process("P").at("A").rate("1").go("A", "A").select("i : int[0,999]");
    let sender = sender.guard("i % 100 == n").sync("c!").assign("d = f(i), x = 0");
    let receiver = process("Q").at("A").invariant("x' == 1 + n").rate("1").at("B").rate("2");
    let receiver = receiver.go("A", "A").sync("c?").fork("A", "point");
    let receiver = receiver.way("point", "A", "1").way("point", "B", "2 + n");
    let receiver = receiver.go("B", "A").guard("x >= 1").sync("u!");
    let other = process("R").at("A").rate("3").at("B").go("A", "B").assign("n = 1 - n");
    let other = other.go("B", "A").sync("u?");
    let code = "chan c; urgent chan u; clock x; int n; double d;
        double f(int i) { double s = 0; for (k : int[0,3]) { s += i * k; } return s; }";
    allocates_nothing(&model(code, [sender, receiver, other]).xml());
}
