//! Reads a folder of use cases with fuzzed class diagrams.
#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};

fuzz_target!(|bytes: &[u8]| punctual_fuzz::read_requirements(".puml", bytes));
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    punctual_fuzz::mutate_text(data, size, max_size, seed)
});
fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    punctual_fuzz::cross_texts(one, other, out, seed)
});
