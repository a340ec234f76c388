//! Verdicts, instants and windows in words.

use punctual_campaign::store::{
    Allowed, Cause, Diagnosis, Direction, End, Event, Header, Verdict, What,
};
use punctual_campaign::summary::Digest;
use serde_json::{Map, Value};

pub(super) use crate::answers::{count, grouped};
use crate::text::one_line;

/// How many windows a headline names.
const WINDOWS_MAX: usize = 3;

/// What a run came to, in one line without the verdict itself.
///
/// ```text
/// granted! at 5.012 s; allowed until 5.000 s (Gate.Waiting, invariant x <= 5)
/// ```
#[must_use]
pub fn headline(digest: &Digest) -> String {
    let counts = format!(
        "{}, {} in {}",
        count(digest.inputs, "input", "inputs"),
        count(digest.outputs, "output", "outputs"),
        seconds(digest.duration_ns())
    );
    match &digest.end {
        None => format!("the record ends without a verdict after {counts}"),
        Some(end) => match &end.diagnosis {
            None if end.verdict == Verdict::Pass => counts,
            None => format!("at {}; no diagnosis was recorded", seconds(end.at_ns)),
            Some(diagnosis) => fault(diagnosis, end, &digest.header),
        },
    }
}

/// The headline in two parts: what happened, and what in the model it is about.
pub(super) fn split_headline(digest: &Digest) -> (String, String) {
    let headline = headline(digest);
    let place = digest.end.iter().flat_map(|end| &end.diagnosis).find_map(place);
    match place.and_then(|place| Some((headline.strip_suffix(&format!(" ({place})"))?, place))) {
        Some((what, place)) => (what.to_owned(), place),
        None => (headline, String::new()),
    }
}

/// What went wrong, in one line.
pub(super) fn fault(diagnosis: &Diagnosis, end: &End, header: &Header) -> String {
    // Of an interval, when it began.
    let at = diagnosis.at.trim_start_matches(['[', '(']).split(',').next().unwrap_or_default();
    let at = instant(at, header.unit_ns).unwrap_or_else(|| seconds(end.at_ns));
    let seen = one_line(&diagnosis.seen);
    let what = match diagnosis.kind {
        Cause::TooEarly
        | Cause::TooLate
        | Cause::WrongOutput
        | Cause::WrongValue
        | Cause::UnknownOutput => {
            format!("{}! at {at}", seen.trim_end_matches('!'))
        }
        Cause::Missing => format!("nothing came until {at}"),
        _ if seen.is_empty() => format!("{} at {at}", diagnosis.kind),
        Cause::TesterLate | Cause::OutsideEnvironment | Cause::ModelError => {
            format!("{}: {seen} at {at}", diagnosis.kind)
        }
        _ => format!("{seen} at {at}"),
    };
    let mut out = what;
    let is_about_outputs = matches!(
        diagnosis.kind,
        Cause::TooEarly | Cause::TooLate | Cause::Missing | Cause::WrongOutput | Cause::WrongValue
    );
    if is_about_outputs {
        out.push_str("; ");
        out.push_str(&allowed(diagnosis, header.unit_ns));
    }
    if let Some(place) = place(diagnosis) {
        out.push_str(&format!(" ({place})"));
    }
    out
}

/// `Gate.Waiting, invariant x <= 5`
fn place(diagnosis: &Diagnosis) -> Option<String> {
    let cut = diagnosis.cut_off.first()?;
    Some(one_line(&match (cut.process.as_str(), cut.source.as_str()) {
        ("", "") => cut.why.clone(),
        (process, "") => format!("{process}, {}", cut.why),
        (process, source) => format!("{process}.{source}, {}", cut.why),
    }))
}

/// What would have been allowed, in terms of what was seen.
fn allowed(diagnosis: &Diagnosis, unit_ns: u64) -> String {
    let seen = diagnosis.seen.trim_end_matches('!');
    let name = seen.split('(').next().unwrap_or(seen);
    let is_same = |it: &&Allowed| it.signal == seen || it.signal == name;
    let same: Vec<&Allowed> = diagnosis.allowed.iter().filter(is_same).collect();
    match (diagnosis.kind, &same[..]) {
        (Cause::TooLate, [.., last]) if last.to.is_some() => {
            format!("allowed {}", bounds(last, unit_ns, false))
        }
        (Cause::TooEarly, [first, ..]) => format!("allowed {}", bounds(first, unit_ns, true)),
        _ if diagnosis.allowed.is_empty() => "no output is allowed".to_owned(),
        (kind, same) => {
            let words = |it: &&Allowed| format!("{} {}", signal(it), bounds(it, unit_ns, true));
            // With another value it would have been right: other outputs do not matter then.
            let listed = match kind == Cause::WrongValue && !same.is_empty() {
                true => same.to_vec(),
                false => diagnosis.allowed.iter().collect(),
            };
            let mut all: Vec<String> = listed.iter().take(WINDOWS_MAX).map(words).collect();
            let more = listed.len().saturating_sub(WINDOWS_MAX);
            if more > 0 {
                all.push(format!("{more} more"));
            }
            let word = if diagnosis.kind == Cause::Missing { "expected" } else { "allowed:" };
            format!("{word} {}", all.join(", "))
        }
    }
}

/// `weakCoffee!`, `level(7)!`
pub(super) fn signal(allowed: &Allowed) -> String {
    let values = allowed.values.as_deref().unwrap_or_default();
    one_line(&format!("{}!", with_values(&allowed.signal, values)))
}

/// `coin?`, `level(7)!`
pub(super) fn event(event: &Event) -> String {
    let ports = |ports: &Map<String, Value>| {
        let shown: Vec<String> =
            ports.iter().map(|(name, it)| format!("{name} = {}", value(it))).collect();
        shown.join(", ")
    };
    one_line(&match &event.what {
        What::Signal { direction: Direction::Input, name, values } => {
            format!("{}?", with_values(name, values))
        }
        What::Signal { direction: Direction::Output, name, values } => {
            format!("{}!", with_values(name, values))
        }
        What::Set(values) => format!("set {}", ports(values)),
        What::Reading(values) => format!("read {}", ports(values)),
        What::Step { inputs, outputs } => {
            let row = |values: &[Value]| values.iter().map(value).collect::<Vec<_>>().join(" ");
            format!("step {} → {}", row(inputs), row(outputs))
        }
    })
}

/// A value as people write it: texts without quotes.
pub(super) fn value(it: &Value) -> String {
    match it {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn with_values(name: &str, values: &[Value]) -> String {
    if values.is_empty() {
        return name.to_owned();
    }
    let values: Vec<String> = values.iter().map(value).collect();
    format!("{name}({})", values.join(", "))
}

/// `from 0.010 s until 0.030 s`; the beginning is left out where it does not matter.
fn bounds(allowed: &Allowed, unit_ns: u64, with_from: bool) -> String {
    let shown = |text: &str| instant(text, unit_ns).unwrap_or_else(|| one_line(text));
    let from = with_from.then(|| {
        let word = if allowed.from_open { "after" } else { "from" };
        format!("{word} {}", shown(&allowed.from))
    });
    let to = allowed.to.as_ref().map(|to| {
        let word = if allowed.to_open { "before" } else { "until" };
        format!("{word} {}", shown(to))
    });
    let parts: Vec<String> = [from, to].into_iter().flatten().collect();
    parts.join(" ")
}

/// An interval in units of the model: `[10, 30]`, `(7/3, ∞)`.
pub(super) fn interval(allowed: &Allowed) -> String {
    let open = if allowed.from_open { '(' } else { '[' };
    match &allowed.to {
        Some(to) => {
            let close = if allowed.to_open { ')' } else { ']' };
            one_line(&format!("{open}{}, {to}{close}", allowed.from))
        }
        None => one_line(&format!("{open}{}, ∞)", allowed.from)),
    }
}

/// An instant in model time, as seconds.
fn instant(text: &str, unit_ns: u64) -> Option<String> {
    nanoseconds(text, unit_ns).map(seconds)
}

/// An instant in model time, to the next nanosecond.
pub(super) fn nanoseconds(text: &str, unit_ns: u64) -> Option<u64> {
    let text = text.trim();
    let (number, divisor) = match (text.split_once('/'), text.split_once('.')) {
        (Some((number, divisor)), _) => {
            (number.trim().parse::<u128>().ok()?, divisor.trim().parse::<u128>().ok()?)
        }
        (None, Some((whole, fraction))) => {
            let fraction = fraction.get(..fraction.len().min(18))?;
            let divisor = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
            (format!("{whole}{fraction}").parse().ok()?, divisor)
        }
        (None, None) => (text.parse().ok()?, 1),
    };
    let product = number.checked_mul(u128::from(unit_ns))?.checked_add(divisor / 2)?;
    u64::try_from(product.checked_div(divisor)?).ok()
}

/// `5.012 s`: three decimals, and more where they are not zero.
pub(super) fn seconds(ns: u64) -> String {
    let (whole, fraction) = (ns / 1_000_000_000, ns % 1_000_000_000);
    let digits = format!("{fraction:09}");
    let kept = digits.trim_end_matches('0').len().max(3);
    format!("{whole}.{} s", &digits[..kept])
}

/// Nanoseconds in units of the model, with at most six decimals.
pub(super) fn units(ns: u64, unit_ns: u64) -> String {
    let unit = u128::from(unit_ns.max(1));
    let millionths = (u128::from(ns) * 1_000_000 + unit / 2) / unit;
    let (whole, fraction) = (millionths / 1_000_000, millionths % 1_000_000);
    let digits = format!("{fraction:06}");
    match digits.trim_end_matches('0') {
        "" => whole.to_string(),
        digits => format!("{whole}.{digits}"),
    }
}

/// The word for a verdict; there may be none.
pub(super) fn verdict(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Pass) => "pass",
        Some(Verdict::Fail) => "fail",
        Some(Verdict::Inconclusive) => "inconclusive",
        None => "unfinished",
    }
}

/// The command that repeats a run, and what identifies it.
pub(super) fn replay(digest: &Digest) -> (String, String) {
    let path = one_line(&digest.run.path.to_string_lossy());
    let quoted = match path.contains(|c: char| c.is_whitespace() || "'\"$`\\&;|<>*?()".contains(c))
    {
        true => format!("'{}'", path.replace('\'', "'\\''")),
        false => path,
    };
    let hash: String = digest.header.model.hash.chars().take(7).collect();
    let model = match hash.is_empty() {
        true => String::new(),
        false => format!(", model {}", one_line(&hash)),
    };
    (format!("punctual replay {quoted}"), format!("seed {}{model}", digest.header.seed))
}
