//! Walking over the tokens of a text: looking ahead, expecting, complaining, going on.
//!
//! A function that can not read what it should reports why and returns [`Failed`]. Lists
//! (declarations, statements, brackets) catch it, skip to a place where they can go on, and so
//! find further errors. There is at most one error per token, none about a token that was already
//! unreadable, and none behind the point where the parser gave up.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::uppaal::ast::Name;
use crate::uppaal::lexer::{self, Token, TokenKind};
use crate::{Span, Text};

use super::words;

/// It could not be read, and that was reported.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

/// Where a text stands: it decides which words are keywords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Model,
    Query,
}

/// How deep brackets, blocks and quantifiers may be nested. A debug build reads this much with a
/// stack of 2 MB.
pub(super) const MOST_NESTED: u32 = 180;

/// How high a tree may become by long chains of operators.
pub(super) const HIGHEST_TREE: u32 = 5_000;

/// More errors or warnings than this in one text are of no use to anybody.
const MOST_ERRORS: usize = 100;

pub(super) struct Parser<'a> {
    text: &'a Text,
    diagnostics: &'a mut Diagnostics,
    tokens: Vec<Token>,
    at: usize,
    pub(super) mode: Mode,
    nesting: u32,
    /// The token that the last error was about.
    last_error: Option<usize>,
    n_errors: usize,
    n_warnings: usize,
    gave_up: bool,
    /// The highest tree of an expression that was finished so far.
    pub(super) tallest: u32,
    /// How many `else if` lie between the outermost `if` and here.
    pub(super) n_else_ifs: u32,
    /// A `const` without a type was just reported, and the rest is read in the old syntax.
    pub(super) old_const: bool,
    /// A feature of queries that nothing can analyse was read.
    pub(super) unsupported: Option<(&'static str, Span)>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a Text, mode: Mode, diagnostics: &'a mut Diagnostics) -> Self {
        let tokens = lexer::tokens(text, diagnostics);
        Self {
            text,
            diagnostics,
            tokens,
            at: 0,
            mode,
            nesting: 0,
            last_error: None,
            n_errors: 0,
            n_warnings: 0,
            gave_up: false,
            tallest: 0,
            n_else_ifs: 0,
            old_const: false,
            unsupported: None,
        }
    }

    // Looking.

    pub(super) fn peek(&self) -> TokenKind {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// The index of the present token.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The word that stands here; empty if something else does.
    pub(super) fn word(&self) -> &'a str {
        self.word_at(0)
    }

    pub(super) fn word_at(&self, ahead: usize) -> &'a str {
        match self.tokens.get(self.at + ahead) {
            Some(token) if token.kind == TokenKind::Word => token.text(self.text),
            _ => "",
        }
    }

    /// Whether a word stands there that can be a name.
    pub(super) fn is_name_at(&self, ahead: usize) -> bool {
        let word = self.word_at(ahead);
        !word.is_empty() && !words::reserved(word, self.mode)
    }

    /// The characters of the present token.
    pub(super) fn slice(&self) -> &'a str {
        self.slice_at(0)
    }

    pub(super) fn slice_at(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text(self.text))
    }

    /// Where the present token stands; at the end, right behind the last one.
    pub(super) fn span(&self) -> Span {
        match self.tokens.get(self.at) {
            Some(token) => token.span,
            None => self.behind(),
        }
    }

    /// The place right behind the previous token.
    pub(super) fn behind(&self) -> Span {
        let end = match self.tokens.get(self.at.wrapping_sub(1)).or(self.tokens.last()) {
            Some(token) => token.span.end,
            None => self.text.locate(0..0).start,
        };
        Span { start: end, end }
    }

    /// Where the previous token stands.
    pub(super) fn previous(&self) -> Span {
        self.tokens.get(self.at.wrapping_sub(1)).map_or_else(|| self.behind(), |token| token.span)
    }

    /// The word before the present token; empty if it is something else.
    pub(super) fn previous_word(&self) -> &'a str {
        match self.tokens.get(self.at.wrapping_sub(1)) {
            Some(token) if token.kind == TokenKind::Word => token.text(self.text),
            _ => "",
        }
    }

    /// Where the last token of the text stands.
    pub(super) fn last_span(&self) -> Span {
        self.tokens.last().map_or_else(|| self.behind(), |token| token.span)
    }

    pub(super) fn previous_kind(&self) -> TokenKind {
        self.tokens.get(self.at.wrapping_sub(1)).map_or(TokenKind::End, |token| token.kind)
    }

    /// Whether the present token is the first of its line, or there is none.
    fn starts_line(&self) -> bool {
        match (self.tokens.get(self.at.wrapping_sub(1)), self.tokens.get(self.at)) {
            (Some(previous), Some(token)) => {
                self.text.text[previous.range.end..token.range.start].contains('\n')
            }
            _ => true,
        }
    }

    // Going on.

    pub(super) fn bump(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len());
        span
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind && !self.at_end();
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> Parsed<Span> {
        if self.peek() == kind { Ok(self.bump()) } else { Err(self.expected(what)) }
    }

    /// Expects the bracket that closes one that was opened at `open`.
    pub(super) fn close(&mut self, kind: TokenKind, open: Span, instead: &str) -> Parsed<Span> {
        if self.peek() == kind {
            return Ok(self.bump());
        }
        let opening = match kind {
            TokenKind::RightParen => TokenKind::LeftParen,
            TokenKind::RightBracket => TokenKind::LeftBracket,
            _ => TokenKind::LeftBrace,
        };
        let found = self.found();
        let (code, place) = match self.find_close(kind) {
            Some(_) => ("parse::expected", format!("behind this {opening}")),
            None => ("parse::unclosed", format!("this {opening} is not closed")),
        };
        let error =
            Diagnostic::error(code, self.span(), format!("expected {instead}{kind}, {found}"))
                .label(format!("expected {instead}{kind}"))
                .also(open, place)
                .maybe_help(self.operator_help());
        Err(self.report(error))
    }

    /// Expects the `;` behind something.
    pub(super) fn semicolon(&mut self, instead: &str) -> Parsed<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let found = self.found();
        if self.starts_line() || self.peek() == TokenKind::RightBrace {
            let error = Diagnostic::error(
                "parse::missing_semicolon",
                self.behind(),
                format!("expected {instead}`;`, {found}"),
            )
            .label("`;` is missing here");
            self.report(error);
            return Ok(());
        }
        let help = self.operator_help();
        Err(self.expected_or(&format!("{instead}`;`"), help))
    }

    /// Reads a name. A keyword in its place is reported, and taken as the name if what follows
    /// fits.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let text = self.word();
        if text.is_empty() {
            return Err(self.expected(what));
        }
        if words::reserved(text, self.mode) {
            let error = Diagnostic::error(
                "parse::keyword_as_name",
                self.span(),
                format!("expected {what}, found the keyword `{text}`"),
            )
            .label("this word has a meaning in the language")
            .help(format!("choose another name, such as `{text}_` or `my_{text}`"));
            let failed = self.report(error);
            let fits = matches!(
                self.peek_at(1),
                TokenKind::Assign
                    | TokenKind::Semicolon
                    | TokenKind::Comma
                    | TokenKind::LeftBracket
                    | TokenKind::RightParen
                    | TokenKind::Colon
                    | TokenKind::End
            );
            if !fits || words::starts_type(text) {
                return Err(failed);
            }
        }
        Ok(Name { text: text.to_owned(), span: self.bump() })
    }

    // Complaining.

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        let silent = self.gave_up
            || self.last_error == Some(self.at)
            || self.peek() == TokenKind::Unknown && !self.at_end();
        self.last_error = Some(self.at);
        if silent {
            return Failed;
        }
        self.n_errors += 1;
        let span = diagnostic.span;
        self.diagnostics.push(diagnostic);
        if self.n_errors == MOST_ERRORS {
            self.diagnostics.push(Diagnostic::error(
                "parse::too_many_errors",
                span,
                "there are too many errors: the rest of this text is not read",
            ));
            self.give_up();
        }
        Failed
    }

    /// Says nothing about the present token: the reason is known already.
    pub(super) fn silence(&mut self) {
        self.last_error = Some(self.at);
    }

    /// Reports something that does not stop the parser, whatever else was said about this token.
    pub(super) fn warn(&mut self, diagnostic: Diagnostic) {
        self.n_warnings += 1;
        if !self.gave_up && self.n_warnings <= MOST_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Ends the text here, silently.
    pub(super) fn give_up(&mut self) {
        self.gave_up = true;
        self.at = self.tokens.len();
    }

    /// What stands here, as the end of a message.
    pub(super) fn found(&self) -> String {
        match self.peek() {
            TokenKind::End => "but the text ends here".to_owned(),
            TokenKind::Word if words::reserved(self.word(), self.mode) => {
                format!("found the keyword `{}`", self.word())
            }
            _ => {
                let slice = self.slice();
                let short: String = slice.chars().take(40).collect();
                let dots = if short.len() < slice.len() { "…" } else { "" };
                format!("found `{short}{dots}`")
            }
        }
    }

    pub(super) fn expected(&mut self, what: &str) -> Failed {
        self.expected_or(what, None)
    }

    pub(super) fn expected_or(&mut self, what: &str, help: Option<String>) -> Failed {
        let error = Diagnostic::error(
            "parse::expected",
            self.span(),
            format!("expected {what}, {}", self.found()),
        )
        .label(format!("expected {what}"))
        .maybe_help(help);
        self.report(error)
    }

    // Bounds.

    /// Runs `inside` one level of nesting deeper, unless that is too deep.
    pub(super) fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MOST_NESTED {
            return Err(self.too_deep(self.span(), MOST_NESTED));
        }
        self.nesting += 1;
        let result = inside(self);
        self.nesting -= 1;
        result
    }

    /// Refuses to go deeper: reads nothing more of this text.
    pub(super) fn too_deep(&mut self, span: Span, most: u32) -> Failed {
        let error = Diagnostic::error(
            "parse::too_deep",
            span,
            format!("this is nested too deeply: {most} levels are the most"),
        )
        .help("split it into parts: into functions, or into several variables");
        self.report(error);
        self.give_up();
        Failed
    }

    // Skipping.

    /// Skips to the bracket that closes the innermost open one, without taking it. Stays where
    /// it is, and says so, if something of a larger structure comes first.
    pub(super) fn skip_to_close(&mut self, close: TokenKind) -> bool {
        let found = self.find_close(close);
        self.at = found.unwrap_or(self.at);
        found.is_some()
    }

    fn find_close(&self, close: TokenKind) -> Option<usize> {
        let mut open = Vec::new();
        for at in self.at..self.tokens.len() {
            let kind = self.tokens[at].kind;
            match kind {
                TokenKind::LeftParen => open.push(TokenKind::RightParen),
                TokenKind::LeftBracket => open.push(TokenKind::RightBracket),
                TokenKind::LeftBrace if close == TokenKind::RightBrace => {
                    open.push(TokenKind::RightBrace);
                }
                TokenKind::LeftBrace => return None,
                TokenKind::Semicolon if close != TokenKind::RightBrace => return None,
                _ if kind == close && open.is_empty() => return Some(at),
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    let expected = open.pop();
                    if expected != Some(kind) {
                        return None;
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Skips the rest of a statement: up to and including a `;` or a block, or to a `}` that
    /// closes what is around it.
    pub(super) fn skip_statement(&mut self) {
        let mut n_open = 0_u32;
        while !self.at_end() {
            match self.peek() {
                TokenKind::Semicolon if n_open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::LeftBrace => n_open += 1,
                TokenKind::RightBrace => {
                    if n_open == 0 {
                        return;
                    }
                    n_open -= 1;
                    if n_open == 0 && !matches!(self.peek_at(1), TokenKind::Comma) {
                        self.bump();
                        self.eat(TokenKind::Semicolon);
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips the rest of a line.
    pub(super) fn skip_line(&mut self) {
        self.bump();
        while !self.at_end() && !self.starts_line() {
            self.bump();
        }
    }

    /// What stands behind the parentheses that open some tokens ahead.
    pub(super) fn peek_behind_parentheses(&self, ahead: usize) -> TokenKind {
        let mut n_open = 0_u32;
        for ahead in ahead..self.tokens.len().saturating_sub(self.at) {
            match self.peek_at(ahead) {
                TokenKind::LeftParen => n_open += 1,
                TokenKind::RightParen => {
                    n_open = n_open.saturating_sub(1);
                    if n_open == 0 {
                        return self.peek_at(ahead + 1);
                    }
                }
                TokenKind::LeftBrace | TokenKind::Semicolon => break,
                _ => {}
            }
        }
        TokenKind::End
    }

    /// Whether one of the words stands before the `}` or the end that closes what is here.
    pub(super) fn word_ahead(&self, found: impl Fn(&Self, usize) -> bool) -> bool {
        let mut n_open = 0_usize;
        for ahead in 0..self.tokens.len().saturating_sub(self.at) {
            match self.peek_at(ahead) {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => n_open += 1,
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    if n_open == 0 {
                        return false;
                    }
                    n_open -= 1;
                }
                TokenKind::Word if n_open == 0 && found(self, ahead) => return true,
                _ => {}
            }
        }
        false
    }
}
