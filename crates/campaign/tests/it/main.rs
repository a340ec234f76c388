//! Tests of stores, records, summaries and traces of others.

#[path = "../../../lang/tests/it/random/mutate.rs"]
#[allow(dead_code, reason = "shared with other tests, which use more of it")]
mod mutate;
mod random;
mod records;
mod sample;
mod stores;
mod traces;
