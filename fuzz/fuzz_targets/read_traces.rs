//! Reads traces of others; the first byte chooses the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use punctual_campaign::traces::{Format, Options, Unit, read};
use punctual_model::{
    Carried, ChannelId, Direction, Id, IdVec, Interface, Range, Signal, TimeScale, Uncertainty,
};

/// A lamp that is touched and shines.
fn interface() -> Interface {
    let mut signals = IdVec::new();
    for (name, direction, n_values) in [
        ("grasp", Direction::Input, 0),
        ("release", Direction::Input, 0),
        ("level", Direction::Output, 1),
    ] {
        let carried = |slot| Carried { name: "v".into(), slot, range: Range { lo: 0, hi: 10 } };
        let values = (0..n_values).map(carried).collect();
        let channel = ChannelId::from_index(signals.len());
        signals.push(Signal { name: name.into(), direction, channel, values });
    }
    let time = TimeScale { unit_ns: 1_000_000, resolution: 1 };
    Interface { signals, time, uncertainty: Uncertainty::default() }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let formats =
        [None, Some(Format::Record), Some(Format::Jsonl), Some(Format::Csv), Some(Format::TronLog)];
    let format = formats[usize::from(*first) % formats.len()];
    let interface = interface();
    match read("trace", bytes, &interface, Options { format, unit: Some(Unit::Milliseconds) }) {
        Err(error) => {
            let n_lines = bytes.split(|byte| *byte == b'\n').count() as u64;
            assert!((1..=n_lines).contains(&error.line) && !error.message.is_empty(), "{error}");
        }
        Ok(traces) => {
            for event in traces.iter().flat_map(|trace| &trace.events) {
                let signal = &interface.signals[event.action.signal];
                assert_eq!(event.action.values.len(), signal.values.len());
                assert!(event.from_ns <= event.to_ns);
            }
        }
    }
});
