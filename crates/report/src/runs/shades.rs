//! The windows of a record, as far as they were in force.
//!
//! A window is what was known at one instant. What is known later replaces it: it ends with the
//! next event, or when later windows are recorded. The windows that were in force when a run
//! stopped keep their whole length, also beyond the event that broke them.

use punctual_campaign::store::{Line, Record, Verdict, Window};

/// A window, and until when it was in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    // The windows from here on are in force.
    let mut first = 0;
    for (i, line) in record.lines.iter().enumerate() {
        match line {
            Line::Window(window) => {
                if shades.get(first).is_some_and(|it| it.window.as_of_ns != window.as_of_ns) {
                    first = end_at(&mut shades, first, window.as_of_ns);
                }
                shades.push(Shade { window, to_ns: window.to_ns });
            }
            Line::Event(_) if Some(i) == last_event && !is_pass => {}
            Line::Event(event) => first = end_at(&mut shades, first, event.to_ns),
            Line::Restart(at) => first = end_at(&mut shades, first, *at),
            _ => {}
        }
    }
    shades
}

/// Ends the windows in force at an instant, and forgets those that had not begun.
fn end_at(shades: &mut Vec<Shade<'_>>, first: usize, at_ns: u64) -> usize {
    let mut kept = first;
    for i in first..shades.len() {
        let mut shade = shades[i];
        shade.to_ns = Some(shade.to_ns.map_or(at_ns, |to| to.min(at_ns)));
        if shade.to_ns >= Some(shade.window.from_ns) {
            shades[kept] = shade;
            kept += 1;
        }
    }
    shades.truncate(kept);
    kept
}
