//! Text to tokens.

use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Word,
    Number,
    /// A comment that is a sentence in quotes; the span is that of the sentence.
    Key,
    /// An operator or a bracket.
    Symbol,
    /// A character that was refused already.
    Unknown,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

const SYMBOLS: [&str; 21] = [
    "->", "::", "<>", "<=", ">=", "(", ")", "[", "]", "{", "}", ".", ",", ":", "|", "=", "<", ">",
    "+", "-", "*",
];

/// Cuts a text into tokens; the last one is the end.
pub(super) fn tokens(text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut push = |kind, length: usize| {
            found.push(Token { kind, span: Span::new(at, at + length) });
            at + length
        };
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if rest.starts_with("--") {
            let end = rest.find('\n').unwrap_or(rest.len());
            if let Some(span) = key(&rest[..end], at, diagnostics) {
                found.push(Token { kind: TokenKind::Key, span });
            }
            at += end;
        } else if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => at += end + 2,
                None => {
                    let span = Span::new(at, at + 2);
                    let message = "the comment does not end";
                    diagnostics.push(Diagnostic::error("ocl::syntax", span, message));
                    at = text.len();
                }
            }
        } else if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            at = push(TokenKind::Word, end.unwrap_or(rest.len()));
        } else if c.is_ascii_digit() {
            at = push(TokenKind::Number, number(rest));
        } else if let Some(symbol) = SYMBOLS.iter().find(|it| rest.starts_with(**it)) {
            at = push(TokenKind::Symbol, symbol.len());
        } else if c == '/' {
            at = push(TokenKind::Symbol, 1);
        } else if c == '\'' || c == '"' {
            let end = rest[1..].find(['\n', c]).map_or(rest.len(), |end| end + 1);
            let end = end + usize::from(rest[end..].starts_with(c));
            let help = "use an enumeration of the domain model";
            let message = "texts are not supported";
            let wrong = Diagnostic::error("ocl::unsupported", Span::new(at, at + end), message);
            diagnostics.push(wrong.help(help));
            at = push(TokenKind::Number, end);
        } else {
            let span = Span::new(at, at + c.len_utf8());
            let help = match c {
                '@' => Some("`@pre` is not supported: an effect says what holds after it"),
                '#' => Some("a value of an enumeration is `Enumeration::Value`"),
                '!' => Some("write `<>`, or `not`"),
                '&' => Some("write `and`"),
                _ => None,
            };
            let wrong = Diagnostic::error("ocl::syntax", span, format!("`{c}` is not understood"));
            diagnostics.push(wrong.maybe_help(help.map(str::to_owned)));
            at = push(TokenKind::Unknown, c.len_utf8());
        }
    }
    found.push(Token { kind: TokenKind::End, span: Span::new(text.len(), text.len()) });
    found
}

/// How many bytes of a text are a number: digits, perhaps a fraction and an exponent.
fn number(text: &str) -> usize {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    if text[end..].starts_with('.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

/// The place of the sentence that a comment has in quotes.
fn key(comment: &str, at: usize, diagnostics: &mut Diagnostics) -> Option<Span> {
    let body = comment.trim_start_matches('-').trim();
    let start = at + comment.len() - comment.trim_start_matches('-').trim_start().len();
    let quotes = [('"', '"'), ('“', '”')];
    let (open, close) = quotes.into_iter().find(|(open, _)| body.starts_with(*open))?;
    let inner = &body[open.len_utf8()..];
    let Some(sentence) = inner.strip_suffix(close) else {
        let message = "the quote around a sentence does not end";
        let span = Span::new(start, start + body.len());
        let help = "write `-- \"sentence\"`, and nothing behind it";
        diagnostics.push(Diagnostic::error("ocl::key", span, message).help(help));
        return None;
    };
    let from = start + open.len_utf8();
    Some(Span::new(from, from + sentence.len()))
}
