//! Reads a file of queries about a small model.
#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
use punctual_lang::{Input, read_with_queries};

/// Something of everything that a query can speak of.
const MODEL: &str = "\
clock t; int[0,9] n; bool open; double d; meta int m; hybrid clock h; const int N = 3;
typedef int[0,N-1] id_t; typedef struct { int a; bool b[2]; } pair_t; pair_t pair; int list[id_t];
broadcast chan go; chan stop[N];
bool even(int k) { return k % 2 == 0; }
process Gate(const id_t id) {
    clock x; int local;
    state Free { x <= 5 }, Taken; init Free;
    trans Free -> Taken { select k : id_t; guard x > 2 && even(k); sync stop[id]!;
        assign local = k, x = 0; },
    Taken -> Free { sync go?; };
}
process User() { state A, B; init A; trans A -> B { sync go!; assign n = 1; },
    B -> A { select i : id_t; sync stop[i]?; }; }
One = User();
system Gate, One;
";

fuzz_target!(|bytes: &[u8]| {
    let model = Input { name: "model.xta", bytes: MODEL.as_bytes() };
    let reading = read_with_queries(model, Some(Input { name: "queries.q", bytes }));
    assert!(reading.model.is_some(), "the model does not depend on the queries");
    punctual_fuzz::check(&reading);
});
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    punctual_fuzz::mutate_text(data, size, max_size, seed)
});
fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    punctual_fuzz::cross_texts(one, other, out, seed)
});
