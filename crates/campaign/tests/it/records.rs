//! Records: what is written is read back, whatever is in it and wherever it was cut off.

use std::io::{self, Write};
use std::path::Path;

use proptest::prelude::*;
use punctual_campaign::store::{
    Cause, Coverage, Delay, Diagnosis, Direction, EdgeCoverage, End, Event, Line, Reader, Record,
    Run, Sets, Statistics, UseCoverage, Verdict, What, Window, Writer,
};
use punctual_campaign::summary::Digest;

use crate::sample::{end, event, header, lines, read, written};

/// The promise to scripts: a change here is a change of the format.
#[test]
fn what_a_record_looks_like() {
    insta::assert_snapshot!(String::from_utf8(written(&lines())).unwrap());
}

/// Version 1: signals with integers, and a verdict without an ending.
#[test]
fn records_of_version_1_still_read() {
    let bytes = include_bytes!("../../test_data/version1.jsonl");
    let record = Record::collect(Reader::new(&bytes[..], Path::new("r")).unwrap()).unwrap();
    assert_eq!((record.header.record, record.events().count()), (1, 3));
    let last = record.events().last().and_then(|it| it.signal()).unwrap();
    assert_eq!(last, (Direction::Output, "level", &[serde_json::json!(-7)][..]));
    let end = record.end.unwrap();
    assert_eq!((end.verdict, end.ending, end.late_ns), (Verdict::Fail, None, None));
    assert_eq!(end.diagnosis.map(|it| it.kind), Some(Cause::WrongOutput));
}

/// Each file in `test_data/rejected` is wrong, and the message says where.
#[test]
fn records_that_are_wrong_are_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/rejected");
    let mut said = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        said.push(read(&std::fs::read(entry.unwrap().path()).unwrap()).unwrap_err());
    }
    said.sort();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_record_is_read_back() {
    assert_eq!(read(&written(&lines())), Ok((lines(), false)));
    let bytes = written(&lines());
    let record = Record::collect(Reader::new(&bytes[..], Path::new("r")).unwrap()).unwrap();
    assert_eq!(record.header, header());
    assert_eq!(record.events().count(), 6);
    assert_eq!(record.windows().count(), 2);
    assert_eq!(record.end, Some(end()));
    assert_eq!(record.last_ns(), 31_000_005);
    let run = Run::at(Path::new("runs/0001"));
    let reader = Reader::new(&bytes[..], Path::new("r")).unwrap();
    assert_eq!(Digest::of(run.clone(), &record), Digest::collect(run, reader).unwrap());
}

/// In a record, time begins anew after a restart; who draws it wants one line of time.
#[test]
fn a_run_with_restarts_is_laid_out() {
    let bytes = written(&lines());
    let record = Record::collect(Reader::new(&bytes[..], Path::new("r")).unwrap()).unwrap();
    let laid_out = record.clone().laid_out();
    let ends = |it: &Record| it.events().map(|event| event.to_ns).collect::<Vec<u64>>();
    let (before, after) = (ends(&record), ends(&laid_out));
    assert_eq!(before[..5], after[..5]);
    assert_eq!(after[5], before[5] + 30_000_000);
    let at = |it: &Record| it.end.as_ref().map(|end| end.at_ns);
    assert_eq!(at(&laid_out), at(&record).map(|at| at + 30_000_000));
    assert_eq!(laid_out.last_ns(), 61_000_005);
}

#[test]
fn cut_at_any_byte() {
    let (bytes, all) = (written(&lines()), lines());
    let header_end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    for n_bytes in 0..bytes.len() {
        let whole = bytes[..n_bytes].iter().filter(|byte| **byte == b'\n').count();
        match read(&bytes[..n_bytes]) {
            Err(error) => {
                assert!(n_bytes < header_end, "cut at {n_bytes}: {error}");
                assert!(error.contains("empty") || error.contains("cut off") || n_bytes < 10);
            }
            Ok((lines, is_cut)) => {
                let n_lines = lines.len();
                assert_eq!(lines, all[..n_lines]);
                // A line that lacks nothing but its end counts.
                assert!(n_lines + 1 == whole || (n_lines == whole && !is_cut), "cut at {n_bytes}");
            }
        }
        if n_bytes > header_end {
            let reader = Reader::new(&bytes[..n_bytes], Path::new("r")).unwrap();
            let run = Run::at(Path::new("runs/0001"));
            let digest = Digest::collect(run, reader).unwrap();
            assert_eq!(digest.end.is_some(), n_bytes == bytes.len() - 1);
        }
    }
}

#[test]
fn a_broken_line_in_the_middle_is_an_error() {
    let lines = lines();
    let mut bytes = written(&lines[..lines.len() - 1]);
    bytes.extend(b"{\"input\":\"grasp\",\"from\":1}\n{\"note\":\"more\"}\n");
    let expected = "record.jsonl:20: missing field `to`, at character 26";
    assert_eq!(read(&bytes), Err(expected.to_owned()));
}

#[test]
fn lines_of_later_versions_are_skipped_and_keys_may_be_sorted() {
    let mut bytes = written(&[]);
    bytes
        .extend(b"{\"weather\":\"fine\"}\n{\"from\":1,\"input\":\"grasp\",\"later\":2,\"to\":6}\n");
    let (lines, is_cut) = read(&bytes).unwrap();
    assert!(!is_cut);
    let [Line::Event(event)] = &lines[..] else { panic!("{lines:?}") };
    let name = event.signal().map(|(_, name, _)| name);
    assert_eq!((name, event.from_ns, event.to_ns), (Some("grasp"), 1, 6));
}

#[test]
fn coverage_adds_up() {
    let edge = |edge, early| EdgeCoverage { edge, early, ..EdgeCoverage::default() };
    let used = |used, taken| UseCoverage { used, taken, ..UseCoverage::default() };
    let coverage = |edges, uses| Coverage { edges, uses, ..Coverage::default() };
    let mut one = coverage(vec![edge(0, 1), edge(1, 0)], vec![used(0, 1), used(1, 0)]);
    one.merge(&coverage(vec![edge(1, 2), edge(2, 0)], vec![used(1, 3), used(2, 0)]));
    assert_eq!(one.edges, [edge(0, 1), edge(1, 2), edge(2, 0)]);
    assert_eq!(one.uses, [used(0, 1), used(1, 3), used(2, 0)]);
    assert_eq!(one.uses_taken(), (2, 3));
    assert_eq!(one.totals(), ((2, 3), (0, 0)));
}

/// A disk with room for so many bytes.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n_bytes = bytes.len().min(self.0);
        self.0 -= n_bytes;
        match n_bytes {
            0 => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(n_bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_and_stays_one() {
    let mut writer =
        Writer::begin(Disk(1_000), Path::new("runs/0001/record.jsonl"), &header()).unwrap();
    let line = event(Direction::Input, "grasp", &[], 1);
    let first = (0..100).find_map(|_| writer.line(&line).err()).expect("the disk is full");
    let expected = "can not write runs/0001/record.jsonl: no storage space; what was recorded before \
                    is safe";
    assert_eq!(first.to_string(), expected);
    let again = writer.line(&line).unwrap_err().to_string();
    assert!(again.ends_with("an earlier line could not be written"), "{again}");
}

#[test]
fn lines_may_wait_but_not_for_ever() {
    let mut disk = Vec::new();
    let line = event(Direction::Input, "grasp", &[], 1);
    {
        let mut writer = Writer::begin(&mut disk, Path::new("r"), &header()).unwrap();
        writer.hold(1 << 16);
        (0..10).for_each(|_| writer.line(&line).unwrap());
    }
    assert_eq!(read(&disk), Ok((vec![line.clone(); 10], false)), "also without a verdict");
    let mut writer = Writer::begin(Disk(1_000), Path::new("r"), &header()).unwrap();
    writer.hold(1 << 16);
    (0..20).for_each(|_| writer.line(&line).unwrap());
    let end = Line::End(Box::new(end()));
    assert!(writer.line(&end).is_err(), "a verdict that is not on disk was not given");
    assert!(!writer.has_ended() && writer.line(&end).is_err());
}

fn arb_text() -> impl Strategy<Value = String> {
    let char = prop_oneof![any::<char>(), proptest::char::range('\0', '\u{7f}')];
    proptest::collection::vec(char, 0..12).prop_map(String::from_iter)
}

fn arb_sets() -> impl Strategy<Value = Sets> {
    (any::<u64>(), 0..9_u64).prop_map(|(system, environment)| Sets { system, environment })
}

fn arb_line() -> impl Strategy<Value = Line> {
    let values = || proptest::collection::vec(any::<i32>().prop_map(serde_json::Value::from), 0..4);
    let event = (any::<bool>(), arb_text(), values(), any::<u64>(), any::<u64>(), arb_sets())
        .prop_map(|(is_input, signal, values, one, other, sets)| {
            let direction = if is_input { Direction::Input } else { Direction::Output };
            let (from_ns, to_ns) = (one.min(other), one.max(other));
            let what = What::Signal { direction, name: signal, values };
            let device_ns = is_input.then_some(one);
            Line::Event(Event { what, from_ns, to_ns, device_ns, sets })
        });
    let window =
        (arb_text(), proptest::option::of(values()), any::<[u64; 2]>(), any::<[bool; 3]>())
            .prop_map(|(signal, values, [from_ns, to], [from_open, to_open, ends])| {
                let to_ns = ends.then_some(to);
                let as_of_ns = to / 2;
                Line::Window(Window {
                    signal,
                    values,
                    from_ns,
                    to_ns,
                    from_open,
                    to_open,
                    as_of_ns,
                })
            });
    let end = (arb_text(), any::<u64>()).prop_map(|(explanation, at_ns)| {
        let diagnosis = Diagnosis { kind: Cause::Crash, explanation, ..Diagnosis::default() };
        let statistics = Statistics { inputs: at_ns, ..Statistics::default() };
        let verdict = Verdict::Inconclusive;
        let (diagnosis, ending, late_ns) = (Some(diagnosis), None, Some(at_ns));
        Line::End(Box::new(End {
            verdict,
            at_ns,
            diagnosis,
            ending,
            late_ns,
            statistics,
            shows: Vec::new(),
        }))
    });
    prop_oneof![
        4 => event,
        2 => window,
        1 => (any::<u64>(), arb_sets()).prop_map(|(to_ns, sets)| Line::Delay(Delay { to_ns, sets })),
        1 => any::<u64>().prop_map(Line::Restart),
        1 => arb_text().prop_map(Line::Note),
        1 => arb_text().prop_map(|text| Line::Choice(serde_json::json!({ "text": text }))),
        1 => end,
    ]
}

proptest! {
    #[test]
    fn any_record_is_read_back(
        mut lines in proptest::collection::vec(arb_line(), 0..12),
        cut in any::<proptest::sample::Index>(),
    ) {
        if let Some(at) = lines.iter().position(|line| matches!(line, Line::End(_))) {
            lines.truncate(at + 1);
        }
        let bytes = written(&lines);
        prop_assert_eq!(read(&bytes), Ok((lines.clone(), false)));
        let header_end = written(&[]).len();
        let n_bytes = header_end + cut.index(bytes.len() - header_end + 1);
        let (found, _) = read(&bytes[..n_bytes]).unwrap();
        prop_assert_eq!(&found[..], &lines[..found.len()]);
        let whole = bytes[..n_bytes].iter().filter(|byte| **byte == b'\n').count() - 1;
        prop_assert!(found.len() >= whole);
    }
}
