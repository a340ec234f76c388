//! Small faults in the project's own traces and records, by chance but the same each time.

use std::fs;
use std::path::Path;

use punctual_campaign::store::{Reader, Record, Run};
use punctual_campaign::summary::Digest;
use punctual_campaign::traces::{self, Format, Options, Unit};

use crate::mutate::{Random, mutate};
use crate::sample::{lamp, lines, written};

const FORMATS: [Format; 4] = [Format::Record, Format::Jsonl, Format::Csv, Format::TronLog];

/// Reads bytes as everything they might be: a result or an error with its place, never a panic.
fn read_all(bytes: &[u8]) {
    let interface = lamp();
    for format in FORMATS {
        let options = Options { format: Some(format), unit: Some(Unit::Milliseconds) };
        match traces::read("t", bytes, &interface, options) {
            Err(error) => {
                assert!(error.line >= 1 && !error.message.is_empty());
                let n_lines = bytes.split(|byte| *byte == b'\n').count() as u64;
                assert!(error.line <= n_lines, "{error}");
            }
            Ok(traces) => {
                for trace in traces {
                    for event in trace.events {
                        assert!(event.from_ns <= event.to_ns && event.to_ns <= trace.end_ns);
                        let signal = &interface.signals[event.action.signal];
                        assert_eq!(event.action.values.len(), signal.values.len());
                    }
                }
            }
        }
    }
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
fn faults_in_traces_and_records() {
    let mut seeds = vec![written(&lines())];
    for folder in ["accepted", "rejected"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data").join(folder);
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        seeds.extend(paths.iter().map(|path| fs::read(path).unwrap()));
    }
    let mut random = Random::new(5);
    for _ in 0..4_000 {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        let other = seeds[random.below(seeds.len())].clone();
        mutate(&mut bytes, &other, &mut random);
        read_all(&bytes);
    }
}
