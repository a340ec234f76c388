//! The windows of a record, as far as they were in force.
//!
//! A window is what was known at one instant. The next event ends it: those that are still open
//! afterwards are recorded again. Between events, a window that is known later replaces those of
//! the same output that it overlaps. The windows that were in force when a run stopped keep their
//! whole length, also beyond the event that broke them.

use punctual_campaign::store::{Line, Record, Verdict, Window};

/// A window, and until when it was in force.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Shade<'r> {
    pub(super) window: &'r Window,
    /// Where it ends: by itself, or since something else was known; `None` if never.
    pub(super) to_ns: Option<u64>,
}

/// All windows that were in force for some time, in the order of the record.
pub(super) fn shades(record: &Record) -> Vec<Shade<'_>> {
    let is_pass = record.end.as_ref().is_some_and(|end| end.verdict == Verdict::Pass);
    let last_event = record.lines.iter().rposition(|line| matches!(line, Line::Event(_)));
    let mut shades: Vec<Shade<'_>> = Vec::new();
    // Those that are in force, by their indices.
    let mut open: Vec<usize> = Vec::new();
    for (i, line) in record.lines.iter().enumerate() {
        match line {
            Line::Window(window) => {
                open.retain(|&index| {
                    let is_replaced = is_replaced(&shades[index], window);
                    if is_replaced {
                        shades[index].end(window.as_of_ns);
                    }
                    !is_replaced
                });
                open.push(shades.len());
                shades.push(Shade { window, to_ns: window.to_ns });
            }
            Line::Event(_) if Some(i) == last_event && !is_pass => {}
            Line::Event(event) => {
                open.drain(..).for_each(|index| shades[index].end(event.to_ns));
            }
            Line::Restart(at) => open.drain(..).for_each(|index| shades[index].end(*at)),
            _ => {}
        }
    }
    // One that ended before it began was never in force.
    shades.retain(|shade| shade.to_ns.is_none_or(|to| to >= shade.window.from_ns));
    shades
}

/// Whether a window says something else about the same output and the same time.
fn is_replaced(shade: &Shade<'_>, by: &Window) -> bool {
    let old = shade.window;
    let is_same = old.signal == by.signal && old.values == by.values;
    let ends_before = |one: &Window, other: &Window| one.to_ns.is_some_and(|to| to < other.from_ns);
    is_same && old.as_of_ns != by.as_of_ns && !ends_before(old, by) && !ends_before(by, old)
}

impl Shade<'_> {
    fn end(&mut self, at_ns: u64) {
        self.to_ns = Some(self.to_ns.map_or(at_ns, |to| to.min(at_ns)));
    }
}

#[cfg(test)]
mod tests {
    use punctual_campaign::store::{Direction, Event, Header, Reader, Sets, What};

    use super::*;

    fn window(signal: &str, from_ns: u64, to_ns: u64, as_of_ns: u64) -> Line {
        let (from_open, to_open) = (false, false);
        let (signal, values, to_ns) = (signal.to_owned(), None, Some(to_ns));
        Line::Window(Window { signal, values, from_ns, to_ns, from_open, to_open, as_of_ns })
    }

    fn event(at: u64) -> Line {
        let (direction, name) = (Direction::Input, "a".to_owned());
        let what = What::Signal { direction, name, values: Vec::new() };
        let (device_ns, sets) = (None, Sets::default());
        Line::Event(Event { what, from_ns: at, to_ns: at, device_ns, sets })
    }

    /// The intervals in which something was allowed, according to these lines of an unfinished run.
    fn intervals(lines: Vec<Line>) -> Vec<(String, u64, u64)> {
        let header = concat!(
            r#"{"record":1,"tool":"t","command":[],"model":{"file":"m","hash":""},"seed":1,"run":1,"#,
            r#""clock":"virtual","unit_ns":1,"resolution":1,"uncertainty":{},"signals":[]}"#
        );
        let reader = Reader::new(header.as_bytes(), std::path::Path::new("r")).unwrap();
        let header: Header = reader.header().clone();
        let record = Record { header, lines, coverage: None, end: None, is_cut: false };
        let shown =
            |it: &Shade<'_>| (it.window.signal.clone(), it.window.from_ns, it.to_ns.unwrap());
        shades(&record).iter().map(shown).collect()
    }

    #[test]
    fn an_event_ends_what_is_not_said_again() {
        let lines = vec![
            window("x", 10, 30, 0),
            window("y", 10, 30, 0),
            event(20),
            window("x", 20, 30, 20),
        ];
        let expected = [("x", 10, 20), ("y", 10, 20), ("x", 20, 30)];
        let expected = expected.map(|(name, from, to)| (name.to_owned(), from, to));
        // The event is the last one of a run that did not pass, unless another follows.
        assert_eq!(intervals([lines, vec![event(40)]].concat()), expected);
    }

    #[test]
    fn between_events_only_the_same_is_replaced() {
        let lines = vec![
            window("x", 10, 20, 0),
            window("x", 30, 40, 0),
            window("y", 10, 40, 0),
            window("x", 30, 45, 5),
            event(50),
            event(60),
        ];
        let expected = [("x", 10, 20), ("y", 10, 40), ("x", 30, 45)];
        let expected = expected.map(|(name, from, to)| (name.to_owned(), from, to));
        assert_eq!(intervals(lines), expected);
    }

    #[test]
    fn what_was_broken_is_shown_whole() {
        assert_eq!(intervals(vec![window("x", 10, 30, 0), event(5)]), [("x".to_owned(), 10, 30)]);
    }
}
