//! A diagnosis in words.

use punctual_model::{Happening, LocationId, ProcessId, TimeScale};
use punctual_semantics::estimate::{End, Interval};

use super::Specification;
use super::diagnosis::{Allowed, Diagnosis, Possible, Refused};
use crate::Cause;

/// So many sets of signals that had to come are listed.
const SETS_MAX: usize = 6;

/// So many windows of what would have been allowed are told.
const OPTIONS_MAX: usize = 6;

/// So many places in which an input is refused are listed.
const PLACES_MAX: usize = 3;

/// A point of the grid as model time: a decimal number if it is one, else a fraction.
#[must_use]
pub fn instant_text(point: i64, scale: TimeScale) -> String {
    let resolution = i64::from(scale.resolution);
    let divisor = gcd(point.unsigned_abs(), resolution.unsigned_abs()).max(1);
    let divisor = i64::try_from(divisor).unwrap_or(1);
    let (mut numerator, mut denominator) = (point / divisor, resolution / divisor);
    let mut digits = 0;
    while denominator != 1 && digits < 18 {
        let (by, with) = match denominator {
            it if it % 10 == 0 => (1, 10),
            it if it % 5 == 0 => (2, 5),
            it if it % 2 == 0 => (5, 2),
            _ => break,
        };
        let Some(scaled) = numerator.checked_mul(by) else { break };
        (numerator, denominator) = (scaled, denominator / with);
        digits += 1;
    }
    match (denominator, digits) {
        (1, 0) => numerator.to_string(),
        (1, digits) => {
            let sign = if numerator < 0 { "-" } else { "" };
            let number = format!("{:0width$}", numerator.unsigned_abs(), width = digits + 1);
            let (whole, part) = number.split_at(number.len() - digits);
            format!("{sign}{whole}.{part}")
        }
        _ => format!("{}/{}", point / divisor, resolution / divisor),
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// An interval as model time: `[10, 30]`, `(4, 5)`, `[60, ∞)`; a single instant as `10`.
#[must_use]
pub fn interval_text(interval: Interval, scale: TimeScale) -> String {
    let Interval { from, to } = interval;
    let text = |end: End| instant_text(end.at, scale);
    match to {
        Some(to) if from == to => text(from),
        Some(to) => format!(
            "{}{}, {}{}",
            if from.open { '(' } else { '[' },
            text(from),
            text(to),
            if to.open { ')' } else { ']' }
        ),
        None => format!("{}{}, ∞)", if from.open { '(' } else { '[' }, text(from)),
    }
}

/// An interval of model time after a name: `at 10`, `in [10, 30]`, `from 60 on`, `after 60`.
fn window_text(interval: Interval, scale: TimeScale) -> String {
    match interval {
        Interval { from, to: None } => match from.open {
            true => format!("after {}", instant_text(from.at, scale)),
            false => format!("from {} on", instant_text(from.at, scale)),
        },
        Interval { from, to: Some(to) } if from == to => {
            format!("at {}", instant_text(to.at, scale))
        }
        it => format!("in {}", interval_text(it, scale)),
    }
}

/// An interval of model time in words: `at 5`, `between 5 and 6`.
fn when(interval: Interval, scale: TimeScale) -> String {
    let from = instant_text(interval.from.at, scale);
    match interval.to.map(|to| instant_text(to.at, scale)) {
        // Ends that differ by less than people are told are one instant.
        Some(to) if from == to => format!("at {to}"),
        Some(to) => format!("between {from} and {to}"),
        None => format!("after {from}"),
    }
}

fn name(specification: &Specification, what: &Possible) -> String {
    let interface = specification.interface();
    match what {
        Possible::Signal(signal, values) => {
            interface.signal_text(*signal, values.as_deref().unwrap_or_default())
        }
        Possible::Reading(values) => interface.ports_text(values),
    }
}

/// Windows, those of one signal together: `a` in [0, 5] or in [10, 15], `b` at 3.
fn options_text(specification: &Specification, options: &[&Allowed], kind: &str) -> String {
    let scale = specification.interface().time;
    let mut told: Vec<(&Possible, String)> = Vec::new();
    for allowed in options.iter().take(OPTIONS_MAX) {
        let window = window_text(allowed.interval, scale);
        match told.iter_mut().find(|(what, _)| *what == &allowed.what) {
            Some((_, text)) => text.push_str(&format!(" or {window}")),
            None => {
                let name = name(specification, &allowed.what);
                told.push((&allowed.what, format!("`{name}` {window}")));
            }
        }
    }
    let texts: Vec<String> = told.into_iter().map(|(_, text)| text).collect();
    match options.len().saturating_sub(OPTIONS_MAX) {
        0 if texts.is_empty() => format!("no {kind} at all"),
        0 => texts.join(", "),
        n => format!("{}, and {n} more", texts.join(", ")),
    }
}

/// What had to come, and when: `a` in [0, 5], or `b` at 3 and `c`.
fn missing_text(specification: &Specification, diagnosis: &Diagnosis) -> String {
    let scale = specification.interface().time;
    let one = |what: &Possible| {
        let same = diagnosis.allowed.iter().filter(|it| it.what == *what);
        let windows: Vec<String> = same.map(|it| window_text(it.interval, scale)).collect();
        // What may come only after something else has no window of its own.
        let windows = match windows.is_empty() {
            true => String::new(),
            false => format!(" {}", windows.join(" or ")),
        };
        format!("`{}`{windows}", name(specification, what))
    };
    let together = |set: &Vec<Possible>| set.iter().map(one).collect::<Vec<_>>().join(" and ");
    let mut sets: Vec<String> = diagnosis.missing.iter().take(SETS_MAX).map(together).collect();
    let rest = diagnosis.missing.iter().skip(SETS_MAX);
    if rest.len() == 1 {
        sets.extend(rest.map(together));
    } else if rest.len() > 1 {
        sets.push(format!("one of {} more", rest.len()));
    }
    sets.join(", or ")
}

/// A diagnosis as a paragraph: what was seen, and what would have been allowed.
#[must_use]
pub fn explain(specification: &Specification, diagnosis: &Diagnosis) -> String {
    if let Some(refused) = &diagnosis.refused {
        return refused_text(specification, diagnosis, refused);
    }
    let scale = specification.interface().time;
    let interface = specification.interface();
    let seen = diagnosis.seen.as_ref().map(|seen| interface.happening_text(seen));
    let seen = seen.as_deref().unwrap_or("nothing");
    let when = when(diagnosis.interval, scale);
    let mut options: Vec<&Allowed> = diagnosis.allowed.iter().collect();
    // What has the same name says most.
    let signal = match &diagnosis.seen {
        Some(Happening::Signal(action)) => Some(action.signal),
        _ => None,
    };
    let is_then = |it: &Allowed| !it.interval.meet(diagnosis.interval).is_empty();
    options.sort_by_key(|it| match signal {
        Some(_) => it.what.signal() != signal,
        None => diagnosis.seen.is_some() && !is_then(it),
    });
    // Windows that end before the first hidden step that was left out are whole, but others may begin behind it.
    let unknown = diagnosis.horizon.map_or_else(String::new, |horizon| {
        format!(" What comes after {} was not looked at.", instant_text(horizon, scale))
    });
    let kind = if diagnosis.cause == Cause::OutsideEnvironment { "input" } else { "output" };
    let options = options_text(specification, &options, kind);
    let until =
        diagnosis.latest.map_or_else(|| "then".to_owned(), |end| instant_text(end.at, scale));
    let next = match &diagnosis.seen {
        Some(_) => format!("The next that happened was `{seen}` {when}"),
        None => {
            format!("Nothing came until {}", instant_text(diagnosis.interval.from.at, scale))
        }
    };
    match diagnosis.cause {
        Cause::TooEarly => {
            let early = between(diagnosis, scale).unwrap_or_else(|| "too early".to_owned());
            format!("`{seen}` came {when}, {early}. Allowed was {options}.{unknown}")
        }
        Cause::TooLate => {
            let late = between(diagnosis, scale).unwrap_or_else(|| "too late".to_owned());
            format!(
                "`{seen}` came {when}, {late}. Allowed was {options}.{}{unknown}",
                beside(specification, diagnosis)
            )
        }
        Cause::ModelError if diagnosis.stops_time() => format!(
            "The model is in error: the specification lets no time pass after {until}, and no output of the system would \
             change that. {next}."
        ),
        Cause::Missing => match diagnosis.missing.is_empty() {
            true => format!(
                "The specification lets no time pass after {until}, and no output of the system would change \
                     that. {next}."
            ),
            false => format!(
                "{}: the system had to send {}. {next}.",
                match diagnosis.missing.iter().all(|set| set.len() > 1) {
                    true => "Outputs are missing",
                    false => "An output is missing",
                },
                missing_text(specification, diagnosis)
            ),
        },
        Cause::WrongValue if signal.is_none() => {
            format!("`{seen}` was read {when}, and can not be. Possible was {options}.")
        }
        Cause::WrongValue => {
            format!(
                "`{seen}` came {when} with a value that is not allowed. Allowed was {options}.{unknown}"
            )
        }
        Cause::WrongOutput => {
            format!(
                "`{seen}` came {when}, and is not allowed there. Allowed was {options}.{unknown}"
            )
        }
        Cause::NotSpecified => format!(
            "The specification does not say what follows the input `{seen}` {when}, so nothing that \
             came after it can be judged."
        ),
        Cause::OutsideEnvironment => format!(
            "The input `{seen}` {when} is not one that the environment model sends there, so what the \
             system does after it can not be judged. The environment allows {options}."
        ),
        Cause::NotAccepted => format!(
            "The environment model does not accept the output `{seen}` {when}, although the system may \
             send it. Add an edge that receives it."
        ),
        Cause::TesterLate => match diagnosis.missing.is_empty() {
            true => format!(
                "The environment model lets no time pass after {until}, and no input would change that; {when} \
                 nothing had come."
            ),
            false => format!(
                "The tester was late: the environment had to send {}, and {when} it had not.",
                missing_text(specification, diagnosis)
            ),
        },
        Cause::ModelError => match &diagnosis.trouble {
            Some(trouble) => format!("The model is in error {when}: {}", trouble.fault),
            None => format!("The model is in error {when}."),
        },
        Cause::TooLong => format!(
            "More time passes before what was seen {when} than can be followed. Are the times in the unit \
             that the interface says?"
        ),
        // What the other oracles say is not theirs to explain here.
        Cause::Violated
        | Cause::Refused
        | Cause::NotExpected
        | Cause::Unexplained
        | Cause::OverBudget
        | Cause::Unsteady
        | Cause::NotHeld
        | Cause::UnknownOutput
        | Cause::Crash
        | Cause::Hang
        | Cause::Flood
        | Cause::BrokenProtocol
        | Cause::Reported
        | Cause::SearchLimit
        | Cause::Solver
        | Cause::OracleError
        | Cause::Stopped
        | Cause::Left
        | Cause::Cut
        | Cause::Other => format!("{} {when}.", diagnosis.cause),
        Cause::TooSlow => format!(
            "It takes too long to say what the model may do {when}: the tester can not keep up with the system. Observe more, make \
             the model less free, or judge the record, which takes its time (`punctual replay`)."
        ),
        Cause::TooManyStates => format!(
            "The model may be in too many states {when} to be followed. Observe more, or make the \
             model less free."
        ),
    }
}

/// Which input may not have been taken, where, and what that excuses.
fn refused_text(specification: &Specification, diagnosis: &Diagnosis, refused: &Refused) -> String {
    let input = specification.interface().happening_text(&refused.input);
    let when = when(refused.interval, specification.interface().time);
    let network = &specification.network;
    let mut places: Vec<String> = Vec::new();
    for state in &refused.states {
        let place = |(process, location): &(ProcessId, LocationId)| {
            let process = &network.processes[*process];
            format!("{}.{}", process.name, process.locations[*location].name)
        };
        // Who is where it began is told only if everybody is.
        let has_moved = |(process, location): &&(ProcessId, LocationId)| {
            !network.processes[*process].initial.contains(location)
        };
        let mut moved: Vec<String> = state.locations.iter().filter(has_moved).map(place).collect();
        if moved.is_empty() {
            moved = state.locations.iter().map(place).collect();
        }
        let place = moved.join(", ");
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let more = places.len().saturating_sub(PLACES_MAX);
    places.truncate(PLACES_MAX);
    let more = if more > 0 { format!(", or in {more} more") } else { String::new() };
    let blamed = Diagnosis { cause: refused.otherwise, refused: None, ..diagnosis.clone() };
    format!(
        "The input `{input}` {when} may not have been taken: the system may have been in ({}){more}, where the \
         specification does not take it and does not say what follows. If it was taken: {}",
        places.join("), or in ("),
        explain(specification, &blamed)
    )
}

/// What came between two windows was too late for one, and too early for the other.
fn between(diagnosis: &Diagnosis, scale: TimeScale) -> Option<String> {
    let Some(Happening::Signal(seen)) = &diagnosis.seen else { return None };
    let windows = diagnosis.allowed.iter().filter(|it| it.what.is(seen)).map(|it| it.interval);
    let (from, to) = (diagnosis.interval.from, diagnosis.interval.to?);
    let is_over = |it: &Interval| it.to.is_some_and(|end| end.ends_before(End::at(from.at)));
    let before = windows.clone().filter(is_over).max_by_key(|it| it.from.at)?;
    let after = windows.filter(|it| to.begins_before(it.from)).min_by_key(|it| it.from.at)?;
    let (before, after) = (interval_text(before, scale), interval_text(after, scale));
    Some(format!("too late for {before} and too early for {after}"))
}

/// What else had to come with an output that was too late.
fn beside(specification: &Specification, diagnosis: &Diagnosis) -> String {
    let Some(Happening::Signal(seen)) = &diagnosis.seen else { return String::new() };
    let sets = diagnosis.missing.iter().filter(|set| set.iter().any(|it| it.is(seen)));
    let others = sets.map(|set| set.iter().filter(|it| !it.is(seen)).collect::<Vec<_>>());
    match others.min_by_key(Vec::len) {
        Some(others) if !others.is_empty() => {
            let names: Vec<String> =
                others.into_iter().map(|it| format!("`{}`", name(specification, it))).collect();
            format!(" By then {} had to come, too.", names.join(" and "))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_exact() {
        let text = |point, resolution| instant_text(point, TimeScale { unit_ns: 1, resolution });
        assert_eq!((text(30, 1).as_str(), text(5, 2).as_str()), ("30", "2.5"));
        assert_eq!((text(5012, 1000).as_str(), text(7, 3).as_str()), ("5.012", "7/3"));
        assert_eq!((text(1, 40).as_str(), text(-3, 4).as_str()), ("0.025", "-0.75"));
        assert_eq!(text(0, 1000), "0");
    }

    #[test]
    fn intervals_show_their_ends() {
        let scale = TimeScale { unit_ns: 1, resolution: 1 };
        assert_eq!(interval_text(Interval::point(3), scale), "3");
        assert_eq!(interval_text(Interval::new(End::open(3), End::at(4)), scale), "(3, 4]");
        assert_eq!(interval_text(Interval { from: End::at(3), to: None }, scale), "[3, ∞)");
    }
}
