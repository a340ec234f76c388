//! Reads the record of a run, and writes and reads it again.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use punctual_campaign::store::{Line, Reader, Record, Run, Writer};
use punctual_campaign::summary::Digest;

/// Something to begin with: few inputs have a header of their own.
const HEADER: &[u8] = br#"{"record":1,"tool":"t","command":[],"model":{"file":"m","hash":""},"seed":1,"run":1,"clock":"virtual","unit_ns":1000,"resolution":1,"uncertainty":{},"signals":[]}
"#;

fn read(bytes: &[u8]) -> Option<Record> {
    Record::collect(Reader::new(bytes, Path::new("r")).ok()?).ok()
}

fuzz_target!(|bytes: &[u8]| {
    let mut whole = HEADER.to_vec();
    whole.extend(bytes);
    for bytes in [bytes, &whole] {
        let Some(record) = read(bytes) else { continue };
        let run = Run::at(Path::new("runs/0001"));
        let reader = Reader::new(bytes, Path::new("r")).expect("it was read before");
        Digest::collect(run, reader).expect("a gist needs less than the whole");
        // Whatever follows a verdict is read, but never written.
        let mut lines = record.lines.clone();
        lines.extend(record.coverage.clone().map(Line::Coverage));
        lines.extend(record.end.clone().map(Box::new).map(Line::End));
        let mut writer = Writer::begin(Vec::new(), Path::new("r"), &record.header).expect("memory");
        lines.iter().for_each(|line| writer.line(line).expect("memory"));
        let again = read(&writer.into_inner()).expect("what is written is read");
        assert_eq!(again, Record { is_cut: false, ..record });
    }
});
