//! Answers as text: for each query what it asks, what came of it, and what that cost.

use std::fmt;

use crate::{
    text::{clean, one_line},
    trace,
    view::answers::{Answer, Answered, Cost, Edge, Error, Extremum, Limit},
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
    if answered.answer != Answer::Values || answered.values.is_empty() {
        out += &format!("   {}\n", answer(answered, style));
    }
    for value in &answered.values {
        for line in extremum(value) {
            out += &format!("   {line}\n");
        }
    }
    if let Some(error) = &answered.error {
        out += &self::error(error, style);
    }
    if let Some(cost) = &answered.cost {
        out += &format!("   {}\n", style.paint(DIM, &self::cost(cost)));
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
    let values: Vec<String> = answered.values.iter().flat_map(extremum).collect();
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

fn count(n: u64, one: &str, many: &str) -> String {
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
        [] => out += "   at the start of the model, or in the query itself\n",
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

const BOLD: &str = "1";
const DIM: &str = "2";
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
    fn paint(self, code: &str, text: &str) -> String {
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
