//! Long runs: the page has their first and their last events only, so that it opens at once.
//!
//! The verdict is at the end of a run, and so is what led to it; how a run begins says what it is about. All figures are of the whole run, and the record has
//! everything.

use punctual_campaign::store::{Line, Record, What};

/// How many events of the begin of a long run a page has, and how many of its end. One event takes about a hundred bytes, with its windows: a page has
/// two megabytes, which a browser shows at once. Nobody looks at more of them one by one.
const FIRST: usize = 2_000;
const LAST: usize = 18_000;

/// What a page leaves out of a long run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LeftOut {
    /// How many events come before.
    pub(super) after: usize,
    /// How many events are left out.
    pub(super) n_events: usize,
    /// The instants of the first and the last of them.
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
}

/// The begin and the end of a record, and what is left out between; nothing if the record is not long. Steps are known by their
/// numbers, so a run with steps stays whole.
pub(super) fn thinned(record: &Record) -> Option<(Record, LeftOut)> {
    thinned_to(record, FIRST, LAST)
}

fn thinned_to(record: &Record, first: usize, last: usize) -> Option<(Record, LeftOut)> {
    let n_events = record.events().count();
    let has_steps = record.events().any(|event| matches!(event.what, What::Step { .. }));
    if n_events <= first + last || has_steps {
        return None;
    }
    let n_left_out = n_events - first - last;
    let gap = || record.events().skip(first).take(n_left_out);
    let left_out = LeftOut {
        after: first,
        n_events: n_left_out,
        from_ns: gap().next().map_or(0, |it| it.from_ns),
        to_ns: gap().last().map_or(0, |it| it.to_ns),
    };
    let mut n_seen = 0;
    let is_kept = |line: &&Line| {
        let is_event = matches!(line, Line::Event(_));
        n_seen += usize::from(is_event);
        // What follows an event belongs to it.
        let is_there = n_seen <= first || n_seen > first + n_left_out;
        // Resets and words for people are few.
        is_there
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
    fn the_begin_and_the_end_of_a_long_run_stay() {
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
        assert!(thinned_to(&record, 1, 8).is_none());
        let (thin, left_out) = thinned_to(&record, 2, 4).unwrap();
        assert_eq!(left_out, LeftOut { after: 2, n_events: 3, from_ns: 3, to_ns: 5 });
        let instants: Vec<u64> = thin.events().map(|event| event.from_ns).collect();
        assert_eq!(instants, [1, 2, 6, 7, 8, 9]);
        assert_eq!(thin.last_ns(), record.last_ns());
    }
}
