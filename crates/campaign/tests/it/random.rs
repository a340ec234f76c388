//! Small faults in the project's own records, by chance but the same each time.

use std::path::Path;

use punctual_campaign::store::{Reader, Record, Run};
use punctual_campaign::summary::Digest;

use crate::mutate::{Random, mutate};
use crate::sample::{lines, written};

/// Reads bytes as a record: a result or an error, never a panic.
fn read_all(bytes: &[u8]) {
    let path = Path::new("t");
    if let Ok(reader) = Reader::new(bytes, path) {
        let record = Record::collect(reader);
        let reader = Reader::new(bytes, path).expect("it was read before");
        let digest = Digest::collect(Run::at(path), reader);
        // A digest passes over lines that it does not need, so it reads at least as much.
        assert!(record.is_err() || digest.is_ok());
    }
}

#[test]
fn faults_in_records() {
    let seed = written(&lines());
    let mut random = Random::new(5);
    for _ in 0..4_000 {
        let mut bytes = seed.clone();
        mutate(&mut bytes, &seed, &mut random);
        read_all(&bytes);
    }
}
