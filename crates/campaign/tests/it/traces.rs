//! Traces of others: what is read, and what is said about what is not.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use punctual_campaign::store::Direction;
use punctual_campaign::traces::{self, Format, Options, Unit};
use punctual_model::{Interface, Trace};

use crate::sample::{event, lamp, lines, written};

/// The only caller of the readers here.
fn read(name: &str, bytes: &[u8], options: Options) -> Result<Vec<Trace>, String> {
    traces::read(name, bytes, &lamp(), options).map_err(|error| error.to_string())
}

fn shown(traces: &[Trace], interface: &Interface) -> String {
    let mut out = String::new();
    for trace in traces {
        for event in &trace.events {
            let name = &interface.signals[event.action.signal].name;
            let (from, to) = (event.from_ns, event.to_ns);
            let _ = match from == to {
                true => write!(out, "{from:>12} ns             "),
                false => write!(out, "{from:>12} to {to:>9} ns"),
            };
            let _ = writeln!(out, "  {name} {:?}", event.action.values);
        }
        let _ = writeln!(out, "{:>12} ns  end", trace.end_ns);
    }
    out
}

fn check(path: &Path) -> String {
    let name = path.file_name().unwrap().to_str().unwrap();
    let result = read(name, &fs::read(path).unwrap(), Options::default());
    let is_accepted = path.parent().unwrap().ends_with("accepted");
    assert_eq!(result.is_ok(), is_accepted, "{result:?}");
    result.map_or_else(|error| error, |traces| shown(&traces, &lamp()))
}

#[test]
fn accepted() {
    insta::glob!("../../test_data/accepted", "*.*", |path| insta::assert_snapshot!(check(path)));
}

#[test]
fn rejected() {
    let mut paths: Vec<_> =
        fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/test_data/rejected"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
    paths.sort();
    let all: Vec<String> = paths.iter().map(|path| check(path)).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn our_own_records() {
    let bytes = written(&lines());
    let traces = read("record.jsonl", &bytes, Options::default()).unwrap();
    insta::assert_snapshot!(shown(&traces, &lamp()));
    // A crash in the middle leaves the trace up to there.
    let half = read("record.jsonl", &bytes[..bytes.len() - 20], Options::default()).unwrap();
    assert_eq!(half[1].events, traces[1].events);
    let unknown = written(&[event(Direction::Output, "smoke", &[], 1)]);
    let error = read("record.jsonl", &unknown, Options::default()).unwrap_err();
    assert!(error.starts_with("record.jsonl:2: `smoke` is not a signal; expected"), "{error}");
}

#[test]
fn an_output_may_be_seen_while_an_input_is_handed_over() {
    let text = b"{\"from\":10,\"to\":20,\"input\":\"grasp\"}\n{\"at\":15,\"output\":\"level\",\"values\":[1]}\n";
    let options = Options { unit: Some(Unit::Nanoseconds), ..Options::default() };
    let traces = read("t.jsonl", text, options).unwrap();
    assert_eq!((traces[0].events[1].to_ns, traces[0].end_ns), (15, 20));
}

#[test]
fn the_caller_may_say_format_and_unit() {
    let options = Options { format: Some(Format::Csv), unit: Some(Unit::Model) };
    let traces = read("measured.txt", b"time,signal\n3,grasp\n", options).unwrap();
    assert_eq!(traces[0].end_ns, 3_000_000);
}
