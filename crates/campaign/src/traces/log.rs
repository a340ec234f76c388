//! The driver log of UPPAAL TRON (its option `-D`).
//!
//! ```text
//! input grasp(), release();
//! output level(adapLevel);
//! precision 1000;
//! timeout 1000;
//! delay 1225896
//! grasp()
//! delay 1804210
//! level(3)
//! ```
//! After the preamble, `delay` gives an instant in microseconds since the start, and what follows
//! happened then. Semicolons at the end of lines, blanks and comments (`//`, `/* */`) do not matter.
//! What the preamble declares must be in the interface; its `precision` and `timeout` belong to
//! the test and not to the trace. `input` or `output` before an action is checked, if it is there.

use punctual_model::Direction;

use super::{Builder, TraceError, Unit, excerpt, time};

pub(super) fn read(builder: &mut Builder<'_>, text: &str) -> Result<(), TraceError> {
    let mut words = Words { rest: text, line: 1 };
    let mut instants = (0, 0);
    let mut in_preamble = true;
    let mut has_anything = false;
    loop {
        let word = words.next();
        builder.line = words.line;
        let word = match word {
            Ok("") => break,
            Ok(";") => continue,
            Ok(word) => word,
            Err(message) => return Err(builder.error(message)),
        };
        has_anything = true;
        match word {
            "delay" => {
                in_preamble = false;
                let number = expect(builder, &mut words, "a time in microseconds")?;
                let unit = Unit::Microseconds.ns(builder.interface.time);
                let found = time::nanoseconds(number, unit);
                instants = found.map_err(|why| builder.error(why))?;
                builder.pass(instants)?;
            }
            "input" | "output" if in_preamble => declarations(builder, &mut words)?,
            "precision" | "timeout" if in_preamble => {
                let number = expect(builder, &mut words, "a number")?;
                if number.parse::<i64>().is_err() {
                    let found = excerpt(number);
                    return Err(builder.error(format!("expected a number, found `{found}`")));
                }
            }
            "input" | "output" => {
                let direction = if word == "input" { Direction::Input } else { Direction::Output };
                let name = expect(builder, &mut words, "a signal")?;
                action(builder, &mut words, name, Some(direction), instants)?;
            }
            name => {
                in_preamble = false;
                action(builder, &mut words, name, None, instants)?;
            }
        }
    }
    match has_anything {
        true => Ok(()),
        false => Err(builder.error("expected `delay 1000` or `signal(values)`, found nothing")),
    }
}

/// `grasp(), release(strength);`
fn declarations(builder: &mut Builder<'_>, words: &mut Words<'_>) -> Result<(), TraceError> {
    loop {
        let name = expect(builder, words, "a signal")?;
        builder.signal(name)?;
        arguments(builder, words)?;
        match expect(builder, words, "`,` or `;`")? {
            "," => {}
            ";" => return Ok(()),
            found => {
                let found = excerpt(found);
                return Err(builder.error(format!("expected `,` or `;`, found `{found}`")));
            }
        }
    }
}

/// The rest of `level(3)`.
fn action(
    builder: &mut Builder<'_>,
    words: &mut Words<'_>,
    name: &str,
    direction: Option<Direction>,
    instants: (u64, u64),
) -> Result<(), TraceError> {
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        let found = excerpt(name);
        let message = format!("expected `delay 1000` or `signal(values)`, found `{found}`");
        return Err(builder.error(message));
    }
    // A name that is not known says more than a parenthesis that is missing.
    builder.signal(name)?;
    let values = arguments(builder, words)?;
    let values: Result<Vec<i32>, _> = values.iter().map(|value| builder.value(value)).collect();
    let action = builder.action(name, direction, values?)?;
    builder.event(action, instants)
}

/// `(3, 4)`
fn arguments<'t>(
    builder: &mut Builder<'_>,
    words: &mut Words<'t>,
) -> Result<Vec<&'t str>, TraceError> {
    let wrong = |builder: &Builder<'_>, expected: &str, found: &str| {
        Err(builder.error(format!("expected {expected}, found `{}`", excerpt(found))))
    };
    match expect(builder, words, "`(`")? {
        "(" => {}
        found => return wrong(builder, "`(`", found),
    }
    let mut values = Vec::new();
    loop {
        match expect(builder, words, "a value or `)`")? {
            ")" if values.is_empty() => return Ok(values),
            found @ ("(" | ")" | "," | ";") => return wrong(builder, "a value", found),
            value => values.push(value),
        }
        match expect(builder, words, "`,` or `)`")? {
            ")" => return Ok(values),
            "," => {}
            found => return wrong(builder, "`,` or `)`", found),
        }
    }
}

fn expect<'t>(
    builder: &mut Builder<'_>,
    words: &mut Words<'t>,
    expected: &str,
) -> Result<&'t str, TraceError> {
    let word = words.next();
    builder.line = words.line;
    match word {
        Ok("") => Err(builder.error(format!("expected {expected}, found the end of the file"))),
        Ok(word) => Ok(word),
        Err(message) => Err(builder.error(message)),
    }
}

/// Words and punctuation of a log.
struct Words<'t> {
    rest: &'t str,
    line: u64,
}

impl<'t> Words<'t> {
    /// The next word, or nothing at the end.
    fn next(&mut self) -> Result<&'t str, &'static str> {
        self.skip()?;
        let Some(first) = self.rest.chars().next() else { return Ok("") };
        let is_mark = |c: char| matches!(c, '(' | ')' | ',' | ';');
        let end = match is_mark(first) {
            true => first.len_utf8(),
            false => {
                let ends = |c: char| c.is_whitespace() || is_mark(c);
                self.rest.find(ends).unwrap_or(self.rest.len())
            }
        };
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }

    /// Passes over blanks and comments.
    fn skip(&mut self) -> Result<(), &'static str> {
        loop {
            let rest = self.rest.trim_start();
            self.pass(self.rest.len() - rest.len());
            if rest.starts_with("//") {
                self.pass(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or("a comment does not end; expected `*/`")?;
                self.pass(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn pass(&mut self, n_bytes: usize) {
        let (passed, rest) = self.rest.split_at(n_bytes);
        self.line += passed.matches('\n').count() as u64;
        self.rest = rest;
    }
}
