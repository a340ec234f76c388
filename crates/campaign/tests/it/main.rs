//! Tests of stores, records and summaries; of runs that are made, recorded and judged again.

mod connections;
mod counted;
mod learning;
#[path = "../../../lang/tests/it/random/mutate.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod mutate;
mod outputs;
mod plays;
mod random;
mod records;
mod repeated;
mod replays;
mod sample;
mod stores;
