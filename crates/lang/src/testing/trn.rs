//! Preambles of UPPAAL TRON: what its files say of the interface.
//!
//! ```text
//! preamble  : inputs outputs precision timeout ;
//! inputs    : "input"  ( signature ("," signature)* )? ";" ;
//! outputs   : "output" ( signature ("," signature)* )? ";" ;
//! precision : "precision" INT ";" ;      microseconds of a time unit
//! timeout   : "timeout" INT ";" ;        time units of a test
//! signature : channel "(" ( variable ("," variable)* )? ")" ;
//! ```
//!
//! DIFFERENCE(tron): the parts may come in any order, brackets without content may be left out, and
//! channels and variables may be elements of arrays. What follows the preamble (a trace) is left
//! alone.

use punctual_model::{Direction, Network, TimeScale, Uncertainty};

use super::{
    Config, TestOptions,
    config::Collects,
    signals::{Signals, Signature},
    table::TEXT_MAX,
};
use crate::{
    SourceFile, Span,
    decode::is_too_long,
    diagnostic::{Diagnostic, Diagnostics, closest},
};

const WORDS: [&str; 4] = ["input", "output", "precision", "timeout"];

/// So many bytes of a file are looked at to know whether it is one of TRON's.
const BEGIN: usize = 1 << 16;

/// Whether a file is one of TRON's: by its name, or because no TOML begins like that.
pub(super) fn is_trn(file: &SourceFile) -> bool {
    let name = file.name.to_ascii_lowercase();
    if name.ends_with(".trn") || name.ends_with(".toml") {
        return name.ends_with(".trn");
    }
    // Two words say it.
    let begin = &file.text[..file.text.floor_char_boundary(BEGIN)];
    let tokens = tokens(begin, &mut Diagnostics::new());
    let mut tokens = tokens.iter().map(|token| token.text);
    WORDS.contains(&tokens.next().unwrap_or_default()) && tokens.next() != Some("=")
}

/// Reads the file.
pub(super) fn read(
    network: &Network,
    file: &SourceFile,
    diagnostics: &mut Diagnostics,
) -> Option<Config> {
    if is_too_long(&file.text, TEXT_MAX, diagnostics) {
        return None;
    }
    let tokens = tokens(&file.text, diagnostics);
    let end = Span::new(file.text.trim_end().len(), file.text.trim_end().len());
    let mut parser = Parser { tokens: &tokens, next: 0, end, diagnostics };
    let mut signals = Signals::new(network);
    let mut places = [None; WORDS.len()];
    let mut numbers = [None; WORDS.len()];
    while let Some(token) = parser.peek() {
        let Some(word) = WORDS.iter().position(|word| *word == token.text) else {
            // A command of a trace: the preamble is over.
            if places.iter().all(Option::is_some) {
                break;
            }
            parser.unknown(token);
            parser.skip();
            continue;
        };
        // The same words begin the commands of a trace.
        if let Some(first) = places[word] {
            if places.iter().all(Option::is_some) {
                break;
            }
            let message = format!("`{}` is there twice", token.text);
            let twice = Diagnostic::error("trn::twice", token.span, message);
            parser.diagnostics.push(twice.also(first, "first here"));
        }
        places[word] = Some(token.span);
        parser.next += 1;
        match word {
            0 | 1 => {
                let direction = if word == 0 { Direction::Input } else { Direction::Output };
                for signature in parser.signatures() {
                    signals.add(&signature, direction, parser.diagnostics);
                }
            }
            _ => numbers[word] = parser.number(WORDS[word]),
        }
    }
    for (word, place) in WORDS.iter().zip(places) {
        if place.is_none() {
            let message = format!("`{word}` is missing");
            let help = match *word {
                "precision" => "how many microseconds a time unit takes: `precision 1000;`",
                "timeout" => "how many time units a test takes: `timeout 1000;`",
                _ => "a list of channels: `input coin(), req(amount);`",
            };
            diagnostics.push(Diagnostic::error("trn::missing", end, message).help(help));
        }
    }
    let unit_ns = numbers[2].and_then(|us| us.checked_mul(1000)).unwrap_or(1_000_000);
    let duration_ns = numbers[3].map(|units| units.saturating_mul(unit_ns));
    let time = TimeScale { unit_ns, resolution: 1 };
    let uncertainty = Uncertainty::default();
    Some(Config {
        wired: signals.finish(time, uncertainty),
        environment: Vec::new(),
        system: Vec::new(),
        under_test: None,
        steps: None,
        steering: None,
        test: TestOptions { duration_ns, ..TestOptions::default() },
    })
}

#[derive(Clone, Copy, Debug)]
struct Token<'t> {
    text: &'t str,
    span: Span,
}

/// Names (with indices and points), numbers and single signs.
fn tokens<'t>(text: &'t str, diagnostics: &mut Diagnostics) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map(|end| end + 2);
            if end.is_none() {
                let span = Span::new(at, at + 2);
                let message = "this comment does not end";
                diagnostics.push(Diagnostic::error("trn::comment", span, message));
            }
            at += end.unwrap_or(rest.len());
            continue;
        } else if is_name(c) {
            rest.find(|c| !is_name(c)).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        tokens.push(Token { text: &rest[..length], span: Span::new(at, at + length) });
        at += length;
    }
    tokens
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']')
}

struct Parser<'t, 'd> {
    tokens: &'t [Token<'t>],
    next: usize,
    /// The end of the file.
    end: Span,
    diagnostics: &'d mut Diagnostics,
}

impl<'t> Parser<'t, '_> {
    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).copied()
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.text == text);
        self.next += usize::from(found);
        found
    }

    /// Behind the next semicolon.
    fn skip(&mut self) {
        while let Some(token) = self.peek() {
            self.next += 1;
            if token.text == ";" {
                break;
            }
        }
    }

    /// Says what was expected, and goes on behind the next semicolon.
    fn expected(&mut self, what: &str) {
        let (span, found) = match self.peek() {
            Some(token) => (token.span, format!("found `{}`", token.text)),
            None => (self.end, "the file ends".to_owned()),
        };
        let message = format!("expected {what}, {found}");
        self.diagnostics.push(Diagnostic::error("trn::syntax", span, message));
        self.skip();
    }

    fn unknown(&mut self, token: Token<'_>) {
        let message =
            format!("expected `input`, `output`, `precision` or `timeout`, found `{}`", token.text);
        let help = closest(token.text, WORDS).map(|word| format!("did you mean `{word}`?"));
        let unknown = Diagnostic::error("trn::syntax", token.span, message);
        self.diagnostics.push(unknown.maybe_help(help));
    }

    fn name(&mut self) -> Option<(String, Span)> {
        let token = self.peek().filter(|token| {
            token.text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
        })?;
        self.next += 1;
        Some((token.text.to_owned(), token.span))
    }

    fn signatures(&mut self) -> Vec<Signature> {
        let mut found = Vec::new();
        if self.accept(";") {
            return found;
        }
        loop {
            let Some(channel) = self.name() else {
                self.expected("the name of a channel");
                return found;
            };
            let mut values = Vec::new();
            if self.accept("(") && !self.accept(")") {
                loop {
                    let Some(value) = self.name() else {
                        self.expected("the name of a variable");
                        return found;
                    };
                    values.push(value);
                    if self.accept(")") {
                        break;
                    }
                    if !self.accept(",") {
                        self.expected("`,` or `)`");
                        return found;
                    }
                }
            }
            found.push(Signature { channel, values });
            if self.accept(";") {
                return found;
            }
            if !self.accept(",") {
                self.expected("`,` or `;`");
                return found;
            }
        }
    }

    /// A number above zero and a semicolon.
    fn number(&mut self, of: &str) -> Option<u64> {
        let number = self.peek().and_then(|token| token.text.parse::<u64>().ok());
        let Some(number) = number.filter(|number| (1..=u64::from(u32::MAX)).contains(number))
        else {
            self.expected(&format!("a number from 1 to {} for `{of}`", u32::MAX));
            return None;
        };
        self.next += 1;
        if !self.accept(";") {
            self.expected("`;`");
        }
        Some(number)
    }
}
