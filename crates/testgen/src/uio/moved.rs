//! What is done with a system that shows everything later, or earlier, than the model, and what of it the model sees.
//!
//! The model stays as it is, and what is done with it moves: [`events`] of one part of the system, or all [`parts`] of a case.

use punctual_model::testing::suite::{Do, Expect};
use punctual_smc::exact::Event;

/// What something is that is done at an instant.
enum Kind<'k> {
    Input,
    Read,
    /// The end of a window in which an output should come, and its first instant.
    Output(&'k mut i64),
    Nothing,
}

/// The events of a part of the system that shows everything later, or earlier if the shift is negative.
pub(super) fn events(events: Vec<(i64, Event)>, shift: i64) -> Vec<(i64, Event)> {
    moved(events, shift, |event| match event {
        Event::Input(..) => Kind::Input,
        Event::Read(_) => Kind::Read,
        Event::Output { from, .. } => Kind::Output(from),
        Event::Mark => Kind::Nothing,
    })
}

/// The parts of a case that is executed with a system that shows everything later by so many nanoseconds, or earlier if they are negative. Windows
/// of outputs stand at the beginning. All inputs count, whatever part of the system they are for.
pub(super) fn parts(parts: &[Do], shift_ns: i64) -> Vec<Do> {
    let whole = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX / 4);
    let mut now: i64 = 0;
    // Of an output, also the first instant of its window.
    let mut timed: Vec<(i64, (Do, i64))> = Vec::new();
    for part in parts {
        match part {
            Do::Wait(ns) => now = now.saturating_add(whole(*ns)),
            Do::Expect(Expect { from_ns, to_ns, .. }) => {
                let after = |ns: &u64| now.saturating_add(whole(*ns));
                timed.push((after(to_ns), (part.clone(), after(from_ns))));
            }
            Do::Send(_) | Do::Check(_) => timed.push((now, (part.clone(), 0))),
        }
    }
    // What is done at the last instant of a window comes before its end.
    timed.sort_by_key(|(at, (part, _))| (*at, matches!(part, Do::Expect(_))));
    let timed = moved(timed, shift_ns, |(part, from)| match part {
        Do::Send(_) => Kind::Input,
        Do::Check(_) => Kind::Read,
        Do::Expect(_) => Kind::Output(from),
        Do::Wait(_) => Kind::Nothing,
    });
    let (mut windows, mut done, mut now) = (Vec::new(), Vec::new(), 0);
    for (at, (part, from)) in timed {
        match part {
            Do::Expect(expect) => {
                let ns = |at: i64| at.max(0).unsigned_abs();
                windows.push(Do::Expect(Expect { from_ns: ns(from), to_ns: ns(at), ..expect }));
            }
            other => {
                done.push(Do::Wait((at - now).unsigned_abs()));
                done.push(other);
                now = at;
            }
        }
    }
    windows.extend(done);
    windows
}

fn moved<E>(events: Vec<(i64, E)>, shift: i64, kind: impl Fn(&mut E) -> Kind<'_>) -> Vec<(i64, E)> {
    if shift >= 0 { later(events, shift, kind) } else { earlier(events, -shift, kind) }
}

/// A reading shows what was there before. One that comes after an input and shows that very instant shows what the input did. An output that
/// comes in its window was sent before.
fn later<E>(
    mut events: Vec<(i64, E)>,
    shift: i64,
    kind: impl Fn(&mut E) -> Kind<'_>,
) -> Vec<(i64, E)> {
    for (at, event) in &mut events {
        match kind(event) {
            Kind::Read => *at -= shift,
            Kind::Output(from) => {
                *at -= shift;
                // A window that is over before the case begins has no output.
                *from = if *at < 0 { i64::MAX / 4 } else { *from - shift };
            }
            Kind::Input | Kind::Nothing => {}
        }
    }
    // The order of what has the same instant stays. What was there before the case is what it begins with.
    events.sort_by_key(|(at, _)| *at);
    for (at, _) in &mut events {
        *at = (*at).max(0);
    }
    events
}

/// The system goes on by the shift after each input before anything else happens.
fn earlier<E>(
    mut events: Vec<(i64, E)>,
    shift: i64,
    kind: impl Fn(&mut E) -> Kind<'_>,
) -> Vec<(i64, E)> {
    let mut ahead = 0;
    // The system has not gone on yet since its start, or since the last input.
    let mut is_fresh = true;
    let mut last_input: Option<i64> = None;
    // Where the system went on by the shift.
    let mut jumps: Vec<i64> = Vec::new();
    for (at, event) in &mut events {
        let is_input = matches!(kind(event), Kind::Input);
        let goes_on = is_fresh && (!is_input || last_input.is_some_and(|last| last < *at));
        if goes_on {
            ahead += shift;
            is_fresh = false;
            jumps.push(last_input.unwrap_or(0));
        }
        if is_input {
            last_input = Some(*at);
            is_fresh = true;
        }
        if let Kind::Output(from) = kind(event) {
            // What the system did at a jump came at that instant.
            *from += shift * jumps.iter().filter(|jump| **jump < *from).count() as i64;
        }
        *at += ahead;
    }
    events
}
