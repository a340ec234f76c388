//! Long runs: the page has their last events only, so that it opens at once.
//!
//! The verdict is at the end of a run, and so is what led to it. All figures are of the whole run, and the record has everything.

use punctual_campaign::store::{Line, Record, What};

/// How many events a page has at most. One event takes about a hundred bytes, with its windows.
const EVENTS_MAX: usize = 200_000;

/// The end of a record, and how many events it leaves out; nothing if the record is not long. Steps are known by their
/// numbers, so a run with steps stays whole.
pub(super) fn thinned(record: &Record) -> Option<(Record, usize)> {
    thinned_to(record, EVENTS_MAX)
}

fn thinned_to(record: &Record, most: usize) -> Option<(Record, usize)> {
    let n_events = record.events().count();
    let has_steps = record.events().any(|event| matches!(event.what, What::Step { .. }));
    if n_events <= most || has_steps {
        return None;
    }
    let left_out = n_events - most;
    let mut n_seen = 0;
    let is_kept = |line: &&Line| {
        let is_after = n_seen >= left_out;
        n_seen += usize::from(matches!(line, Line::Event(_)));
        // Resets and words for people are few.
        is_after
            || matches!(line, Line::Header(_) | Line::Restart(_) | Line::Note(_) | Line::Judged(_))
    };
    let lines = record.lines.iter().filter(is_kept).cloned().collect();
    let (header, end) = (record.header.clone(), record.end.clone());
    let coverage = record.coverage.clone();
    Some((Record { header, lines, coverage, end, is_cut: record.is_cut }, left_out))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_end_of_a_long_run_stays() {
        let header = concat!(
            r#"{"record":2,"tool":"t","command":[],"model":{"file":"m","hash":""},"seed":1,"run":1,"#,
            r#""clock":"virtual","unit_ns":1,"resolution":1,"uncertainty":{},"signals":[]}"#
        );
        let mut text = format!("{header}\n");
        for at in 1..=9 {
            text += &format!("{{\"output\":\"a\",\"values\":[],\"from\":{at},\"to\":{at}}}\n");
        }
        text += "{\"delay\":20}\n";
        let reader =
            punctual_campaign::store::Reader::new(text.as_bytes(), Path::new("r")).unwrap();
        let record = Record::collect(reader).unwrap();
        assert!(thinned_to(&record, 9).is_none());
        let (thin, left_out) = thinned_to(&record, 4).unwrap();
        assert_eq!(left_out, 5);
        let instants: Vec<u64> = thin.events().map(|event| event.from_ns).collect();
        assert_eq!(instants, [6, 7, 8, 9]);
        assert_eq!(thin.last_ns(), record.last_ns());
    }
}
