//! Long runs: the right controller does nothing wrong, the others do, and nothing is left behind.

use punctual_sdk::System;
use train_gate_controller::{Mutant, system};

use super::trains::run;

#[test]
fn m0_does_nothing_wrong() {
    for seed in 0..20 {
        for (n_trains, pause) in [(1, 10), (2, 100), (4, 200), (4, 20), (20, 300)] {
            let run = run(&mut system(Mutant::M0, n_trains, seed), n_trains, seed, pause, 5000);
            assert_eq!(run.wrong, None, "{n_trains} trains, seed {seed}");
            assert_eq!(run.duration, 5000);
            assert!(run.inputs > 50 && (n_trains == 1 || run.outputs > 10), "{run:?}");
        }
    }
}

#[test]
fn every_mutant_does_something_wrong() {
    for mutant in &Mutant::ALL[1..] {
        for seed in 0..20 {
            let run = run(&mut system(*mutant, 4, seed), 4, seed, 100, 100_000);
            assert!(run.wrong.is_some(), "{mutant}, seed {seed}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let go = |seed| run(&mut system(Mutant::M0, 4, seed), 4, 1, 50, 3000);
    let mut controller = system(Mutant::M0, 4, 7);
    let first = run(&mut controller, 4, 1, 50, 3000);
    assert_eq!(first, run(&mut controller, 4, 1, 50, 3000), "also after a reset");
    assert_eq!(first, go(7));
    assert!((0..5).any(|seed| go(seed) != first));
}

#[cfg(target_os = "linux")]
fn threads_of_this_process() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

#[cfg(target_os = "linux")]
#[test]
fn resets_leave_no_threads_behind() {
    let mut controller = system(Mutant::M4, 4, 0);
    for i in 0..3000 {
        controller.reset();
        // End in many situations: idle, delayed, waiting for a turn.
        controller.input(0, "appr[1]", &[]);
        controller.input(0, "appr[2]", &[]);
        controller.advance(i % 7 * 1_000_000);
    }
    // Other tests of this program have threads as well, but not thousands.
    assert!(threads_of_this_process() < 500, "{} threads", threads_of_this_process());
}
