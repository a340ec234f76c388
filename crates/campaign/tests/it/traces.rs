//! Records of runs as traces; traces of others are `lang`'s.

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
