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

use std::io::BufRead;

use punctual_model::Direction;

use super::{
    Unit,
    error::{Fault, TraceError, excerpt},
    lines::Lines,
    time,
    timeline::{Instants, Timeline, Word},
    words::{Marks, Words},
};
use crate::{Span, diagnostic::Diagnostic};

/// A log.
pub(super) struct Log<R> {
    words: Words<R>,
    instants: Instants,
    is_preamble: bool,
    is_empty: bool,
}

impl<R: BufRead> Log<R> {
    pub(super) fn new(lines: Lines<R>) -> Self {
        let words = Words::new(lines, Marks::Log);
        Self { words, instants: (0, 0), is_preamble: true, is_empty: true }
    }

    /// Reads the next declaration, delay or signal; false at the end of the file.
    pub(super) fn advance(&mut self, timeline: &mut Timeline<'_>) -> Result<bool, TraceError> {
        self.step(timeline).map_err(|fault| self.words.error(fault))
    }

    fn step(&mut self, timeline: &mut Timeline<'_>) -> Result<bool, Fault> {
        if !self.words.advance()? {
            return match self.is_empty {
                true => {
                    self.words.wrong("expected `delay 1000` or `signal(values)`, found nothing")
                }
                false => Ok(false),
            };
        }
        self.is_empty = false;
        match self.words.text() {
            ";" => {}
            "delay" => {
                self.is_preamble = false;
                self.words.expect("a time in microseconds")?;
                let unit = Unit::Microseconds.ns(timeline.interface.time);
                let found = time::nanoseconds(self.words.text(), unit);
                let span = self.words.span();
                self.instants =
                    found.map_err(|why| Box::new(Diagnostic::error("trace::time", span, why)))?;
                timeline.quiet(self.instants, span)?;
            }
            "input" | "output" if self.is_preamble => self.declarations(timeline)?,
            "precision" | "timeout" if self.is_preamble => {
                self.words.expect("a number")?;
                if self.words.text().parse::<i64>().is_err() {
                    let found = excerpt(self.words.text());
                    return self.words.wrong(format!("expected a number, found `{found}`"));
                }
            }
            word @ ("input" | "output") => {
                let direction = if word == "input" { Direction::Input } else { Direction::Output };
                self.words.expect("a signal")?;
                self.action(Some(direction), timeline)?;
            }
            _ => {
                self.is_preamble = false;
                self.action(None, timeline)?;
            }
        }
        Ok(true)
    }

    /// The present word with its place.
    fn word(&self) -> (String, Span) {
        (self.words.text().to_owned(), self.words.span())
    }

    /// `grasp(), release(strength);`
    fn declarations(&mut self, timeline: &Timeline<'_>) -> Result<(), Fault> {
        self.words.expect("a signal or `;`")?;
        while self.words.text() != ";" {
            timeline.signal(Word { text: self.words.text(), span: self.words.span() })?;
            self.arguments()?;
            self.words.expect("`,` or `;`")?;
            match self.words.text() {
                "," => self.words.expect("a signal")?,
                ";" => break,
                found => {
                    let found = excerpt(found);
                    return self.words.wrong(format!("expected `,` or `;`, found `{found}`"));
                }
            }
        }
        Ok(())
    }

    /// The rest of `level(3)`.
    fn action(
        &mut self,
        direction: Option<Direction>,
        timeline: &mut Timeline<'_>,
    ) -> Result<(), Fault> {
        let (name, span) = self.word();
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let found = excerpt(&name);
            let message = format!("expected `delay 1000` or `signal(values)`, found `{found}`");
            return self.words.wrong(message);
        }
        // A name that is not known says more than a parenthesis that is missing.
        let name = Word { text: &name, span };
        timeline.signal(name)?;
        let values = self.arguments()?;
        let values = values.iter().map(|(text, span)| Word { text, span: *span });
        let action = timeline.action(name, direction, values)?;
        timeline.event(action, self.instants, None, span)
    }

    /// `(3, 4)`
    fn arguments(&mut self) -> Result<Vec<(String, Span)>, Fault> {
        self.words.expect("`(`")?;
        if self.words.text() != "(" {
            let found = excerpt(self.words.text());
            return self.words.wrong(format!("expected `(`, found `{found}`"));
        }
        let mut values = Vec::new();
        loop {
            self.words.expect("a value or `)`")?;
            match self.words.text() {
                ")" if values.is_empty() => return Ok(values),
                found @ ("(" | ")" | "," | ";") => {
                    return self.words.wrong(format!("expected a value, found `{found}`"));
                }
                _ => values.push(self.word()),
            }
            self.words.expect("`,` or `)`")?;
            match self.words.text() {
                ")" => return Ok(values),
                "," => {}
                found => {
                    let found = excerpt(found);
                    return self.words.wrong(format!("expected `,` or `)`, found `{found}`"));
                }
            }
        }
    }
}
