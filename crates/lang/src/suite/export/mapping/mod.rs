//! Mapping tables: lines of an abstract test in the words of a rig, as in Table II of the TAUC paper.
//!
//! ```toml
//! before = ["Reset Time=INIT_TIME"]            # lines at the start of each case; `$case` is its name
//! after = []
//! each = true                                  # a file for each case
//! suffix = "tst"                               # how files end; `txt` if not said
//!
//! [[map]]                                      # the first that matches a whole line is taken
//! match = "Input TemperatureSensor.value = (*)"
//! to = "SetBus Pin=TEMPERATURE Value=$1"       # a line, or a list of lines; an empty list leaves it out
//!
//! [[map]]
//! regex = 'Input CarInfo\((\w+), (\w+)\)'
//! to = "SndMsg MsgID=3Ah D1=${1:velocity} D2=${2:belt}"
//!
//! [values.velocity]                            # what a captured value is there
//! Driving = 1
//! ```
//! `(*)` stands for any text, `$1` for the first such text. In `match`, spaces are as one likes them around `=` and
//! `,`.

mod read;

use std::{collections::BTreeMap, fmt};

use regex::{Captures, Regex};

use super::{File, script::Script, text};
use crate::{Input, diagnostic::closest, reading::Reading};

/// A mapping table.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    before: Vec<String>,
    after: Vec<String>,
    each: bool,
    suffix: String,
    rules: Vec<Rule>,
    values: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Clone, Debug)]
struct Rule {
    /// As it is written.
    pattern: String,
    regex: Regex,
    to: Vec<Vec<Piece>>,
}

/// A part of a line that is written.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    Text(String),
    /// The number of a captured text, and the table that says what it is there.
    Group(usize, Option<String>),
}

/// A line that can not be mapped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmatched {
    /// The name of the case.
    pub case: String,
    /// The line.
    pub line: String,
    /// What stands in the way.
    pub why: Why,
}

/// Why a line can not be mapped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// No pattern matches it; the one that comes closest, if there is one.
    NoPattern(Option<String>),
    /// A table of values does not have a value.
    NoValue {
        /// The name of the table.
        table: String,
        /// The value.
        value: String,
    },
}

/// Reads a mapping table.
pub fn read(input: Input<'_>) -> Reading<Mapping> {
    Reading::of(input, read::mapping)
}

/// More lines than this are counted, not shown.
const SHOWN_MAX: usize = 20;

/// Tells which lines can not be mapped, and why.
pub(super) fn tell(lines: &[Unmatched], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let plural = if lines.len() == 1 { "a line" } else { "lines" };
    write!(f, "the mapping has nothing for {plural} of the suite:")?;
    for Unmatched { case, line, why } in lines.iter().take(SHOWN_MAX) {
        write!(f, "\n  `{line}` in the case `{case}`")?;
        match why {
            Why::NoPattern(None) => {}
            Why::NoPattern(Some(near)) => write!(f, "; closest is `{near}`")?,
            Why::NoValue { table, value } => {
                write!(f, "; `{value}` is not in `[values.{table}]`")?;
            }
        }
    }
    match lines.len().saturating_sub(SHOWN_MAX) {
        0 => Ok(()),
        more => write!(f, "\n  … and {more} more"),
    }
}

impl Mapping {
    /// The files of a suite, or all lines that can not be mapped, each once.
    pub(super) fn apply(&self, name: &str, script: &Script) -> Result<Vec<File>, Vec<Unmatched>> {
        let (mut files, mut unmatched) = (Vec::new(), Vec::new());
        for case in &script.cases {
            let mut out: Vec<String> = Vec::new();
            let around = |lines: &[String]| -> Vec<String> {
                lines.iter().map(|line| line.replace("$case", &case.name)).collect()
            };
            out.extend(around(&self.before));
            for line in text::lines(case, script.unit_ns) {
                match self.line(&line) {
                    Ok(lines) => out.extend(lines),
                    Err(why) => {
                        let is_known = |it: &Unmatched| it.line == line && it.why == why;
                        if !unmatched.iter().any(is_known) {
                            unmatched.push(Unmatched { case: case.name.clone(), line, why });
                        }
                    }
                }
            }
            out.extend(around(&self.after));
            files.push((format!("{name}_{}.{}", case.id, self.suffix), out.join("\n") + "\n"));
        }
        if !unmatched.is_empty() {
            return Err(unmatched);
        }
        if self.each {
            return Ok(files);
        }
        let texts: Vec<String> = files.into_iter().map(|(_, text)| text).collect();
        Ok(vec![(format!("{name}.{}", self.suffix), texts.join("\n"))])
    }

    fn line(&self, line: &str) -> Result<Vec<String>, Why> {
        let mut matching =
            self.rules.iter().filter_map(|rule| Some((&rule.to, rule.regex.captures(line)?)));
        match matching.next() {
            Some((to, captures)) => to.iter().map(|it| self.filled(it, &captures)).collect(),
            None => Err(Why::NoPattern(self.closest(line))),
        }
    }

    fn filled(&self, pieces: &[Piece], captures: &Captures<'_>) -> Result<String, Why> {
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => out += text,
                Piece::Group(number, table) => {
                    let value = captures.get(*number).map_or("", |it| it.as_str()).trim();
                    out += match table {
                        None => value,
                        Some(table) => {
                            let found = self.values.get(table).and_then(|it| it.get(value));
                            found.ok_or_else(|| Why::NoValue {
                                table: table.clone(),
                                value: value.to_owned(),
                            })?
                        }
                    };
                }
            }
        }
        Ok(out)
    }

    /// The pattern that comes closest to a line: by few edits, or by how it begins.
    fn closest(&self, line: &str) -> Option<String> {
        /// Fewer characters in common say nothing: all lines begin with a word for what is done.
        const COMMON_MIN: usize = 7;
        let patterns = || self.rules.iter().map(|rule| rule.pattern.as_str());
        if let Some(near) = closest(line, patterns()) {
            return Some(near.to_owned());
        }
        let common = |pattern: &str| {
            line.chars().zip(pattern.chars()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
        };
        let best = patterns().max_by_key(|pattern| common(pattern))?;
        (common(best) >= COMMON_MIN).then(|| best.to_owned())
    }
}
