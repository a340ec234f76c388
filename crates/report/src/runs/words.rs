//! Verdicts, instants and windows in words.

use punctual_campaign::store::{
    Allowed, Cause, Changed, Coverage, Diagnosis, Direction, EdgeCoverage, End, Ending, Event,
    Header, UseCoverage, Verdict, What,
};
use punctual_campaign::summary::{Changes, Digest};
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
    let exchanged = exchanged([digest.inputs, digest.outputs, digest.steps, digest.readings]);
    let counts = format!("{exchanged} in {}", seconds(digest.duration_ns()));
    match &digest.end {
        None => format!("the record ends without a verdict after {counts}"),
        Some(end) => match &end.diagnosis {
            None if end.verdict == Verdict::Pass => counts,
            None => format!("at {}; no diagnosis was recorded", seconds(end.at_ns)),
            Some(diagnosis) => fault(diagnosis, end, digest),
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

/// `3 inputs, 2 outputs`, with steps and readings where there are some.
pub(super) fn exchanged([inputs, outputs, steps, readings]: [u64; 4]) -> String {
    let mut parts = Vec::new();
    if inputs > 0 || outputs > 0 || steps == 0 {
        parts.push(count(inputs, "input", "inputs"));
        parts.push(count(outputs, "output", "outputs"));
    }
    if steps > 0 {
        parts.push(count(steps, "step", "steps"));
    }
    if readings > 0 {
        parts.push(count(readings, "reading", "readings"));
    }
    parts.join(", ")
}

/// What a diagnosis says of a breakdown that it does not describe.
const BROKE_DOWN: &str = "the system broke down";

/// What went wrong, in one line.
fn fault(diagnosis: &Diagnosis, end: &End, digest: &Digest) -> String {
    let header = &digest.header;
    if is_numbered(diagnosis) && !diagnosis.explanation.trim().is_empty() {
        return sentence_part(&diagnosis.explanation);
    }
    // Of an interval, when it began.
    let at = diagnosis.at.trim_start_matches(['[', '(']).split(',').next().unwrap_or_default();
    let at = instant(at, header.unit_ns).unwrap_or_else(|| seconds(end.at_ns));
    let since = if digest.n_resets > 0 { " after the last reset" } else { "" };
    let when = match (is_numbered(diagnosis), ends(&diagnosis.at, header.unit_ns)) {
        (true, _) => format!("in {}", one_line(&diagnosis.at)),
        (false, Some((from, to))) if from < to => {
            format!("between {} and {}{since}", seconds(from), seconds(to))
        }
        (false, _) => format!("at {at}{since}"),
    };
    let (kind, seen) = (diagnosis.kind, one_line(&diagnosis.seen));
    let is_about_outputs = matches!(
        kind,
        Cause::TooEarly | Cause::TooLate | Cause::Missing | Cause::WrongOutput | Cause::WrongValue
    );
    // A requirement says in words what was allowed.
    if is_about_outputs && seen == BROKE_DOWN && !diagnosis.explanation.trim().is_empty() {
        return sentence_part(&diagnosis.explanation);
    }
    let is_told = !["", "nothing", BROKE_DOWN].contains(&seen.as_str()) && seen != kind.to_string();
    let is_signal = !is_numbered(diagnosis) && !seen.contains(" = ");
    let mut out = match kind {
        Cause::TooEarly
        | Cause::TooLate
        | Cause::WrongOutput
        | Cause::WrongValue
        | Cause::UnknownOutput
            if is_told =>
        {
            let mark = if is_signal { "!" } else { "" };
            let name = seen.trim_end_matches('!');
            let seen_ns = seen_ns(diagnosis, header).filter(|_| is_about_outputs && is_signal);
            let seen = seen_ns.map(|ns| format!(" (seen at {})", seconds(ns))).unwrap_or_default();
            let why = match kind {
                Cause::UnknownOutput if !diagnosis.explanation.trim().is_empty() => {
                    format!(": {}", sentence_part(&diagnosis.explanation))
                }
                Cause::UnknownOutput => format!(": {kind}"),
                _ => String::new(),
            };
            format!("{name}{mark} {when}{seen}{why}")
        }
        Cause::Missing if is_numbered(diagnosis) => format!("nothing was seen {when}"),
        Cause::Missing => format!("nothing came until {at}{since}"),
        _ if !is_told => format!("{kind} {when}"),
        Cause::TesterLate
        | Cause::OutsideEnvironment
        | Cause::NotAccepted
        | Cause::NotSpecified
        | Cause::Refused
        | Cause::ModelError => {
            format!("{kind}: {seen} {when}")
        }
        _ => format!("{seen} {when}"),
    };
    if is_about_outputs && !is_numbered(diagnosis) {
        out.push_str("; ");
        out.push_str(&allowed(diagnosis, header.unit_ns));
    } else if !is_told && !diagnosis.explanation.trim().is_empty() {
        let why = sentence_part(&diagnosis.explanation);
        // The cause says it already.
        let said = ["the tester was late: ", "the model is in error: "];
        let why = said.iter().find_map(|it| why.strip_prefix(it)).unwrap_or(&why);
        out.push_str(&format!(": {why}"));
    }
    if let Some(place) = place(diagnosis) {
        out.push_str(&format!(" ({place})"));
    }
    out
}

/// Whether a diagnosis is about a step or check, by its number, and not about an instant.
pub(super) fn is_numbered(diagnosis: &Diagnosis) -> bool {
    number_of(&diagnosis.at).is_some()
}

/// Whether it is a step (or else a check), and its number.
pub(super) fn number_of(at: &str) -> Option<(bool, u64)> {
    let (word, number) = at.split_once(' ')?;
    let number = number.parse().ok()?;
    match word {
        "step" => Some((true, number)),
        "check" => Some((false, number)),
        _ => None,
    }
}

/// A sentence as a part of another one: `Step 3: x is 1.` becomes `step 3: x is 1`.
pub(super) fn sentence_part(sentence: &str) -> String {
    let line = one_line(sentence);
    let line = line.strip_suffix('.').unwrap_or(&line);
    match ["Step ", "Check ", "The "].iter().any(|word| line.starts_with(word)) {
        true => line[..1].to_lowercase() + &line[1..],
        false => line.to_owned(),
    }
}

/// Both ends of an interval in model time, in nanoseconds.
fn ends(text: &str, unit_ns: u64) -> Option<(u64, u64)> {
    let inner = text.trim().strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
    let (from, to) = inner.split_once(',')?;
    Some((nanoseconds(from, unit_ns)?, nanoseconds(to, unit_ns)?))
}

/// When an output was seen that came in an interval: the interval is what the uncertainty of outputs makes of that instant. None if it is something
/// else, such as what a clock that drifts or a stamp of the system makes of it.
fn seen_ns(diagnosis: &Diagnosis, header: &Header) -> Option<u64> {
    let (from, to) = ends(&diagnosis.at, header.unit_ns)?;
    let (least, most) = header.uncertainty.output_ns;
    let is_of_seen = header.uncertainty.drift_ppb == 0
        && least < most
        && to.checked_sub(from) == most.checked_sub(least);
    is_of_seen.then(|| from.saturating_add(most))
}

/// `Gate.Waiting, invariant x <= 5`: what in the model forbids an output, or what it lets come instead. It says nothing about an input.
fn place(diagnosis: &Diagnosis) -> Option<String> {
    let is_about_inputs = matches!(
        diagnosis.kind,
        Cause::NotSpecified | Cause::Refused | Cause::OutsideEnvironment | Cause::TesterLate
    );
    let cut = diagnosis.cut_off.first().filter(|_| !is_about_inputs)?;
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
            let is_guilty = |it: &&Allowed| diagnosis.guilty.contains(&it.signal);
            let missing: Vec<&Allowed> = diagnosis.allowed.iter().filter(is_guilty).collect();
            let listed = match kind {
                Cause::WrongValue if !same.is_empty() => same.to_vec(),
                // What might have come beside it does not matter either.
                Cause::Missing if !missing.is_empty() => missing,
                _ => diagnosis.allowed.iter().collect(),
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

/// `weakCoffee!`, `level(7)!`; of a reading, `qc = 3`.
pub(super) fn signal(allowed: &Allowed) -> String {
    let values = allowed.values.as_deref().unwrap_or_default();
    let mark = if allowed.signal.contains(" = ") { "" } else { "!" };
    one_line(&format!("{}{mark}", with_values(&allowed.signal, values)))
}

/// `x: 3 → 4`, with the tolerance of the step if it is known.
pub(super) fn changed(it: &Changed) -> String {
    let within = match (&it.low, &it.high) {
        (None, None) => String::new(),
        (low, high) => {
            let end = |end: &Option<Value>| end.as_ref().map_or("∞".to_owned(), value);
            let low = if low.is_none() { "−∞".to_owned() } else { end(low) };
            format!(" (allowed {low} to {})", end(high))
        }
    };
    one_line(&format!("{}: {} → {}{within}", it.variable, value(&it.from), value(&it.to)))
}

/// `y: 4 by the model, 5 by the system`
pub(super) fn differs(it: &Changed) -> String {
    let (model, system) = (value(&it.from), value(&it.to));
    one_line(&format!("{}: {model} by the model, {system} by the system", it.variable))
}

/// Why a run was over before everything was done.
pub(super) fn ending(ending: &Ending) -> String {
    let words = one_line(&ending.words);
    match (ending.cause, words.as_str()) {
        (Cause::Stopped, "") => "stopped by the user".to_owned(),
        (cause, "") => cause.to_string(),
        (cause, words) => format!("{cause}: {words}"),
    }
}

/// How a variable was changed: `3 times, by -0.5 to 2`, `2 times, Off → On`.
pub(super) fn changes(it: &Changes) -> String {
    let mut parts = vec![count(it.n, "time", "times")];
    parts.extend(amounts(it));
    let pairs = it.pairs.keys().take(WINDOWS_MAX);
    parts.extend(pairs.map(|(from, to)| one_line(&format!("{from} → {to}"))));
    parts.join(", ")
}

/// By how much a number was changed: `by −0.5 to +2`.
pub(super) fn amounts(it: &Changes) -> Option<String> {
    let ((least, _), (most, _)) = it.amounts.first().zip(it.amounts.last())?;
    Some(match least == most {
        true => format!("by {}", amount(*least)),
        false => format!("by {} to {}", amount(*least), amount(*most)),
    })
}

/// A change of a number, with its sign.
pub(super) fn amount(amount: f64) -> String {
    // Three digits, as amounts are counted.
    let amount: f64 = format!("{amount:.2e}").parse().unwrap_or(amount);
    match amount > 0.0 {
        true => format!("+{amount}"),
        false => format!("{amount}").replace('-', "−"),
    }
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
    let is_closed = !allowed.from_open && !allowed.to_open;
    if with_from && is_closed && allowed.to.as_ref() == Some(&allowed.from) {
        return format!("at {}", shown(&allowed.from));
    }
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

/// `5.012 s`, with three decimals and more where they are not zero; `9 us` and `9.5 us` below a millisecond, `9 ns` below a microsecond.
pub(super) fn seconds(ns: u64) -> String {
    match ns {
        1..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{} us", units(ns, 1_000)),
        _ => format!("{} s", decimal_seconds(ns)),
    }
}

/// Seconds with three decimals, and more where they are not zero.
pub(super) fn decimal_seconds(ns: u64) -> String {
    let (whole, fraction) = (ns / 1_000_000_000, ns % 1_000_000_000);
    let digits = format!("{fraction:09}");
    let kept = digits.trim_end_matches('0').len().max(3);
    format!("{whole}.{}", &digits[..kept])
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
    verdict.map_or("unfinished", Verdict::name)
}

/// The sign of a verdict.
pub(super) fn symbol(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Pass) => "✓",
        Some(Verdict::Fail) => "✕",
        Some(Verdict::Inconclusive) => "?",
        None => "…",
    }
}

/// A word of a command as a shell reads it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_special = |c: char| c.is_whitespace() || "'\"$`\\&;|<>*?()[]{}#!~".contains(c);
    match word.is_empty() || word.contains(is_special) {
        true => format!("'{}'", word.replace('\'', "'\\''")),
        false => word.to_owned(),
    }
}

/// A command as a shell reads it.
pub(super) fn command(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// The command that repeats a run, and what identifies it.
pub(super) fn replay(digest: &Digest) -> (String, String) {
    let path = one_line(&digest.run.path.to_string_lossy());
    let quoted = quoted(&path);
    let hash: String = digest.header.model.hash.chars().take(7).collect();
    let model = match hash.is_empty() {
        true => String::new(),
        false => format!(", model {}", one_line(&hash)),
    };
    let case = match digest.header.case.is_empty() {
        true => String::new(),
        false => format!(", case {}", one_line(&digest.header.case)),
    };
    (format!("punctual replay {quoted}"), format!("seed {}{model}{case}", digest.header.seed))
}

/// An edge, such as `Idle → Busy`, or `Machine.Idle → Busy (coin?)` with its process and its labels.
pub(super) fn edge(edge: &EdgeCoverage, is_whole: bool) -> String {
    let path = match (edge.source.as_str(), edge.target.as_str()) {
        ("", "") => format!("edge {}", edge.edge),
        (source, target) => format!("{source} → {target}"),
    };
    match (is_whole, edge.label.as_str()) {
        (false, _) => one_line(&path),
        (true, "") => one_line(&format!("{}.{path}", edge.process)),
        (true, label) => one_line(&format!("{}.{path} ({label})", edge.process)),
    }
}

/// Who gave the value that is used.
pub(super) fn writer(coverage: &Coverage, it: &UseCoverage) -> String {
    it.defined.map_or("the start".to_owned(), |defined| edge_at(coverage, defined))
}

/// Who uses the value.
pub(super) fn reader(coverage: &Coverage, it: &UseCoverage) -> String {
    edge_at(coverage, it.used)
}

/// `n of Train.Far → Near in Gate.Idle → Busy`.
pub(super) fn use_of(coverage: &Coverage, it: &UseCoverage) -> String {
    let (writer, reader) = (writer(coverage, it), reader(coverage, it));
    format!("{} of {writer} in {reader}", one_line(&it.variable))
}

fn edge_at(coverage: &Coverage, at: u32) -> String {
    coverage.edges.get(at as usize).map_or(format!("edge {at}"), |it| edge(it, true))
}
