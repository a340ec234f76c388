//! Answers as text: for each query what it asks, what came of it, and what that cost.

use std::fmt;

use crate::{
    text::{clean, one_line},
    trace,
    view::answers::{Answer, Answered, Cost, Edge, Error, Estimate, Extremum, Limit},
};

/// How to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// Whether to colour, for terminals.
    pub colour: bool,
    /// Where to break lines.
    pub width: Option<u16>,
}

/// All that is known about the query with this number.
pub fn text(number: usize, answered: &Answered, style: Style) -> String {
    let mut out = format!("{number:<2} {}\n", style.paint(BOLD, &one_line(&answered.query)));
    for line in clean(&answered.comment).lines().map(str::trim) {
        // What is expected is told with the answer.
        let told = answered.expected.is_some() && is_expectation(line);
        if !line.is_empty() && !told {
            out += &format!("   {}\n", style.paint(DIM, line));
        }
    }
    // Values speak for themselves.
    let speaks = !answered.values.is_empty() || answered.estimate.is_some();
    if answered.answer != Answer::Values || !speaks {
        out += &format!("   {}\n", answer(answered, style));
    }
    for value in &answered.values {
        for line in extremum(value) {
            out += &format!("   {line}\n");
        }
    }
    if let Some(estimate) = &answered.estimate {
        for line in estimated(estimate) {
            out += &format!("   {line}\n");
        }
        if !estimate.guarantee.is_empty() {
            out += &format!("   {}\n", style.paint(DIM, &estimate.guarantee));
        }
    }
    if let Some(error) = &answered.error {
        out += &self::error(error, style);
    }
    if let Some(cost) = &answered.cost {
        out += &format!("   {}\n", style.paint(DIM, &self::cost(cost)));
    }
    if let Some(estimate) = &answered.estimate {
        out += &format!("   {}\n", style.paint(DIM, &runs(estimate)));
    }
    match (&answered.trace, answered.trace_steps) {
        (Some(trace), _) => out += &format!("\n{}", trace::text(trace, 3, style.width)),
        (None, Some(0)) => {
            out += "   a trace without steps shows it: `--trace any` prints it\n";
        }
        (None, Some(steps)) => {
            let steps = count(steps as u64, "step", "steps");
            out += &format!("   a trace of {steps} shows it: `--trace any` prints one\n");
        }
        (None, None) => {}
    }
    out
}

/// The answer and the query, on one line.
pub fn line(answered: &Answered, style: Style) -> String {
    let mut answer = style.paint(colour(answered.answer), &answered.answer.to_string());
    let mut values: Vec<String> = answered.values.iter().flat_map(extremum).collect();
    if let (Some(estimate), Answer::Values) = (&answered.estimate, answered.answer) {
        values.extend(estimated(estimate));
    }
    if !values.is_empty() {
        let about = if answered.answer == Answer::MayValues { "about " } else { "" };
        answer = format!("{about}{}", values.join(", "));
    }
    format!("{answer}: {}\n", one_line(&answered.query))
}

/// How many queries have which answer; empty for a single one.
pub fn summary(answered: &[Answered]) -> String {
    if answered.len() < 2 {
        return String::new();
    }
    let mut answers: Vec<Answer> = answered.iter().map(|answered| answered.answer).collect();
    answers.sort_unstable();
    let parts: Vec<String> = answers
        .chunk_by(PartialEq::eq)
        .map(|same| match same[0] {
            Answer::Error => count(same.len() as u64, "error", "errors"),
            Answer::Values => format!("{} answered by values", same.len()),
            Answer::MayValues => format!("{} answered by approximate values", same.len()),
            answer => format!("{} {answer}", same.len()),
        })
        .collect();
    format!("{} queries: {}\n", answered.len(), parts.join(", "))
}

/// What a search cost: `1,234 states stored, 2,000 explored, …`.
pub fn cost(cost: &Cost) -> String {
    format!(
        "{} stored, {} explored, {}, {}, {}",
        count(cost.stored, "state", "states"),
        grouped(cost.explored),
        count(cost.transitions, "transition", "transitions"),
        seconds(cost.seconds),
        bytes(cost.peak_memory),
    )
}

/// What runs say: `0.38 <= Pr <= 0.48, estimate 0.43`.
fn estimated(estimate: &Estimate) -> Vec<String> {
    let mut lines = Vec::new();
    let around = |name: &str, value: f64| match estimate.interval {
        Some([low, high]) => {
            format!("{} <= {name} <= {}, estimate {}", short(low), short(high), short(value))
        }
        None => format!("{name} is about {}", short(value)),
    };
    if let Some(probability) = estimate.probability {
        lines.push(around("Pr", probability));
    }
    if let Some(mean) = estimate.mean {
        lines.push(around("mean", mean));
    }
    // Values that are no numbers have no range.
    if let Some([least, greatest]) = estimate.range.filter(|[least, greatest]| least <= greatest) {
        lines.push(format!("values of runs from {} to {}", short(least), short(greatest)));
    }
    for trajectory in &estimate.trajectories {
        let values = || trajectory.runs.iter().flatten().map(|&(_, value)| value);
        let name = one_line(&trajectory.expression);
        let (least, greatest) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        lines.push(match least <= greatest {
            true => format!("{name}: from {} to {}", short(least), short(greatest)),
            false => format!("{name}: no run"),
        });
    }
    lines
}

/// A number with six digits that count, and no more than it takes.
fn short(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs();
    if value != 0.0 && !(1e-4..1e9).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let digits = 6_i32.saturating_sub(magnitude.max(1.0).log10().floor() as i32 + 1).max(0);
    let text = format!("{value:.0$}", digits as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// What runs cost: `404 runs, 203 satisfied, …`.
fn runs(estimate: &Estimate) -> String {
    let satisfied = match estimate.satisfied_runs[..] {
        [] => String::new(),
        [one] => format!(" ({} satisfied)", grouped(one)),
        [left, right, ..] => {
            format!(" (satisfied: {} of the left, {} of the right)", grouped(left), grouped(right))
        }
    };
    format!(
        "{}{satisfied}, {}, seed {}, {}",
        count(estimate.runs, "run", "runs"),
        count(estimate.transitions, "transition", "transitions"),
        estimate.seed,
        seconds(estimate.seconds),
    )
}

/// A number with its thousands apart: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A duration: `0.01 s`, `12.3 s`, `345 s`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 100.0 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    }
}

/// A size of memory: `512 kB`, `31 MB`, `1.5 GB`.
pub fn bytes(bytes: u64) -> String {
    const KB: f64 = 1024.0;
    match bytes as f64 {
        b if b < KB * KB => format!("{:.0} kB", (b / KB).ceil()),
        b if b < KB * KB * KB => format!("{:.0} MB", b / KB / KB),
        b => format!("{:.1} GB", b / KB / KB / KB),
    }
}

pub(crate) fn count(n: u64, one: &str, many: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{} {many}", grouped(n)),
    }
}

fn is_expectation(line: &str) -> bool {
    let start = line.split(':').next().unwrap_or_default().trim();
    start.eq_ignore_ascii_case("expected") || start.eq_ignore_ascii_case("expect")
}

fn answer(answered: &Answered, style: Style) -> String {
    let mut out = style.paint(colour(answered.answer), &answered.answer.to_string());
    if let Some(reason) = &answered.reason {
        out += &format!(": {}", one_line(reason));
    }
    match answered.expected {
        Some(expected) if expected == answered.answer => out += ", as expected",
        Some(expected) if is_definite(answered.answer) => {
            out += &style.paint(YELLOW, &format!(", but its author expects: {expected}"));
        }
        _ => {}
    }
    out
}

/// Whether an answer can contradict what was expected.
fn is_definite(answer: Answer) -> bool {
    matches!(answer, Answer::Satisfied | Answer::NotSatisfied)
}

/// The lines about one expression.
fn extremum(value: &Extremum) -> Vec<String> {
    let name = one_line(&value.expression);
    if !value.reachable {
        return vec![format!("{name}: no reachable state satisfies the condition")];
    }
    match (value.least, value.greatest) {
        (
            Some(Limit { value: Some(low), attained: a }),
            Some(Limit { value: Some(high), attained: b }),
        ) => {
            let sign = |attained| if attained { "<=" } else { "<" };
            vec![format!("{low} {} {name} {} {high}", sign(a), sign(b))]
        }
        (least, greatest) => {
            let least = least.map(|limit| side(&name, limit, [">=", ">"], "lower"));
            let greatest = greatest.map(|limit| side(&name, limit, ["<=", "<"], "upper"));
            least.into_iter().chain(greatest).collect()
        }
    }
}

fn side(name: &str, limit: Limit, signs: [&str; 2], which: &str) -> String {
    match limit.value {
        Some(value) => format!("{name} {} {value}", signs[usize::from(!limit.attained)]),
        None => format!("{name} has no {which} bound"),
    }
}

fn error(error: &Error, style: Style) -> String {
    let mut out = String::new();
    match error.edges.as_slice() {
        [] => out += "   at the start of the model, while time passed, or in the query itself\n",
        edges => edges.iter().for_each(|edge| out += &format!("   {}\n", self::edge(edge))),
    }
    out += "   in the state\n";
    out += &trace::state_text(&error.state, 5, style.width);
    if !error.excerpt.is_empty() {
        out += &format!("\n{}\n\n", error.excerpt.trim_end());
    }
    out
}

fn edge(edge: &Edge) -> String {
    let text = match edge.text.as_str() {
        "" => String::new(),
        text => format!(": {text}"),
    };
    one_line(&format!("process {}, edge {} → {}{text}", edge.process, edge.source, edge.target))
}

pub(crate) const BOLD: &str = "1";
pub(crate) const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

fn colour(answer: Answer) -> &'static str {
    match answer {
        Answer::Satisfied | Answer::Values => GREEN,
        Answer::NotSatisfied | Answer::Error => RED,
        Answer::MaySatisfy | Answer::MayNotSatisfy | Answer::MayValues | Answer::Undecided => {
            YELLOW
        }
        Answer::Skipped => DIM,
    }
}

impl Style {
    pub(crate) fn paint(self, code: &str, text: &str) -> String {
        match self.colour {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Satisfied => "satisfied",
            Self::NotSatisfied => "not satisfied",
            Self::MaySatisfy => "may be satisfied",
            Self::MayNotSatisfy => "may not be satisfied",
            Self::Undecided => "undecided",
            Self::Values => "values",
            Self::MayValues => "approximate values",
            Self::Error => "error",
            Self::Skipped => "skipped",
        })
    }
}
