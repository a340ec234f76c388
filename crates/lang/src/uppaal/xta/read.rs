//! The outline of a file: declarations, processes, the system, queries.

use std::ops::Range;

use super::check;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::{Document, Query};
use crate::uppaal::lexer::{self, Token, TokenKind};
use crate::{SourceFile, Span, Text};

/// Words that can not be part of a text.
pub(super) const BOUNDARIES: [&str; 7] =
    ["process", "system", "state", "branchpoint", "commit", "init", "trans"];

/// Reads a file. There is a document if the file has a process; whether it can be used, the
/// diagnostics say.
pub fn read(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Document> {
    if file.text.len() > lexer::TEXT_MAX {
        diagnostics.push(lexer::too_long());
        return None;
    }
    let text = normal_lines(&file.text);
    // The texts that are cut out are read again by the parser, which then reports what is wrong
    // in them; only what is wrong between them is reported here.
    let mut unread = Diagnostics::new();
    let tokens = lexer::tokens(&text, &mut unread);
    let mut reader = Reader::new(&text, &tokens, diagnostics);
    let document = reader.file();
    let mut covered = reader.covered;
    covered.sort_unstable();
    for diagnostic in unread.into_sorted() {
        let before = covered.partition_point(|span| span.start <= diagnostic.span.start);
        if before == 0 || covered[before - 1].end < diagnostic.span.end {
            diagnostics.push(diagnostic);
        }
    }
    document
}

/// The file with `\n` at the end of each line.
fn normal_lines(source: &str) -> Text {
    if !source.contains('\r') {
        return Text::verbatim(source, 0);
    }
    let mut text = Text::default();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        match line.strip_suffix("\r\n") {
            Some(body) => {
                text.push_run(body, at);
                text.push_char('\n', Span::new(at + body.len(), at + line.len()));
            }
            None => text.push_run(line, at),
        }
        at += line.len();
    }
    text
}

/// More errors about how a file is built are not reported.
const REPORTS_MAX: usize = 200;

/// The brackets that are open. A brace also ends what was not closed inside of it, so that a
/// forgotten parenthesis does not swallow the file.
#[derive(Default)]
pub(super) struct Brackets {
    open: Vec<TokenKind>,
    n_braces: usize,
}

impl Brackets {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether no brace is open.
    pub(super) fn no_braces(&self) -> bool {
        self.n_braces == 0
    }

    /// Goes over a token. It says no if the token closes a bracket that is not open.
    pub(super) fn pass(&mut self, kind: TokenKind) -> bool {
        let opening = match kind {
            TokenKind::LeftBrace => {
                self.n_braces += 1;
                self.open.push(kind);
                return true;
            }
            TokenKind::LeftParen | TokenKind::LeftBracket => {
                self.open.push(kind);
                return true;
            }
            TokenKind::RightBrace if self.n_braces == 0 => return false,
            TokenKind::RightBrace => {
                while self.open.pop().is_some_and(|open| open != TokenKind::LeftBrace) {}
                self.n_braces -= 1;
                return true;
            }
            TokenKind::RightParen => TokenKind::LeftParen,
            TokenKind::RightBracket => TokenKind::LeftBracket,
            _ => return true,
        };
        match self.open.last() {
            None => false,
            Some(open) if *open == opening => {
                self.open.pop();
                true
            }
            // A mismatch inside of a text: its parser will say so.
            Some(_) => true,
        }
    }
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a Text,
    tokens: &'a [Token],
    pub(super) at: usize,
    n_reported: usize,
    /// Whether a bracket was found to be open since the present process started.
    pub(super) is_unclosed: bool,
    /// The token that starts the last process.
    last_process: usize,
    pub(super) diagnostics: &'a mut Diagnostics,
    /// The texts that were cut out.
    covered: Vec<Span>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a Text, tokens: &'a [Token], diagnostics: &'a mut Diagnostics) -> Self {
        let is_process =
            |token: &Token| token.kind == TokenKind::Word && token.text(text) == "process";
        let last_process = tokens.iter().rposition(is_process).unwrap_or(0);
        Self {
            text,
            tokens,
            at: 0,
            n_reported: 0,
            is_unclosed: false,
            last_process,
            diagnostics,
            covered: Vec::new(),
        }
    }

    /// The kind of a token ahead.
    pub(super) fn kind(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    /// The word ahead; empty if there is something else.
    pub(super) fn word(&self) -> &'a str {
        match self.tokens.get(self.at) {
            Some(token) if token.kind == TokenKind::Word => token.text(self.text),
            _ => "",
        }
    }

    /// Whether a word is ahead that can not be part of a text: whatever was not closed before it
    /// was forgotten.
    pub(super) fn is_boundary(&self) -> bool {
        BOUNDARIES.contains(&self.word())
    }

    pub(super) fn is_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Where the token ahead starts in the text.
    pub(super) fn start(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.text.len(), |token| token.range.start)
    }

    /// Where the token before ends in the text.
    pub(super) fn end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |before| self.tokens[before].range.end)
    }

    /// The place of the token ahead in the file.
    pub(super) fn span(&self) -> Span {
        match self.tokens.get(self.at) {
            Some(token) => token.span,
            None => {
                let end = self.text.text.trim_end().len();
                self.text.locate(end..end)
            }
        }
    }

    /// Takes the token ahead if it is of a kind.
    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let is_next = self.kind(0) == kind;
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes the token ahead, or says that it is missing.
    pub(super) fn expect(&mut self, kind: TokenKind, after: &str) -> bool {
        if !self.eat(kind) {
            self.expected(&kind.to_string(), after);
            return false;
        }
        true
    }

    /// Says that something else than what is ahead was expected.
    pub(super) fn expected(&mut self, what: &str, after: &str) {
        let found = match self.kind(0) {
            // The lexer has already complained, or the text just read has.
            TokenKind::Unknown => return,
            _ if self.is_unclosed => return,
            TokenKind::End => "the file ends".to_owned(),
            _ => format!("found `{}`", self.tokens[self.at].text(self.text)),
        };
        // What ends something is missed where that ends, not where the next thing starts.
        let span = match what {
            "`;`" => self.text.locate(self.end()..self.end()),
            _ => self.span(),
        };
        self.report(Diagnostic::error(
            "xta::expected",
            span,
            format!("expected {what} {after}, {found}"),
        ));
    }

    /// Reports something. After some errors the rest is not worth reading.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.n_reported += 1;
        if self.n_reported <= REPORTS_MAX {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Says that a bracket is still open here, unless that was said of one inside of it.
    pub(super) fn unclosed(&mut self, what: &str, opened: Span, inside: &str) {
        if !std::mem::replace(&mut self.is_unclosed, true) {
            self.report(
                Diagnostic::error("xta::not_closed", self.span(), format!("{what} is not closed"))
                    .label(if self.is_end() { "the file ends here" } else { "" })
                    .also(opened, inside)
                    .help("close it with `}`"),
            );
        }
    }

    /// Goes to the next token, at the present level of brackets, for which `stop` holds, or to
    /// the bracket that ends the level.
    pub(super) fn skip_until(&mut self, stop: impl Fn(TokenKind) -> bool) {
        let mut brackets = Brackets::default();
        while !self.is_end() && !self.is_boundary() {
            let kind = self.kind(0);
            if (brackets.is_empty() && stop(kind)) || !brackets.pass(kind) {
                return;
            }
            self.at += 1;
        }
    }

    /// Cuts a text out of the file.
    pub(super) fn cut(&mut self, range: Range<usize>) -> Text {
        let text = self.text.slice(range);
        if !text.text.is_empty() {
            self.covered.push(text.span);
        }
        text
    }

    fn file(&mut self) -> Option<Document> {
        let mut document = Document::default();
        let mut instances = Text::default();
        let mut from = 0;
        while !self.is_end() {
            match self.word() {
                "process" => {
                    let start = self.start();
                    let piece = self.cut(from..start);
                    document.declarations.append(&piece);
                    let template = self.process();
                    document.templates.push(template);
                    from = self.end();
                }
                "system" => break,
                _ if self.at < self.last_process && self.is_instance() => {
                    // A process that is instantiated before the next one is defined.
                    let start = self.start();
                    let piece = self.cut(from..start);
                    document.declarations.append(&piece);
                    self.item();
                    from = self.end();
                    let piece = self.cut(start..from);
                    instances.append(&piece);
                }
                _ => self.item(),
            }
        }
        self.system(from, instances, &mut document);
        if document.templates.is_empty() {
            self.report(
                Diagnostic::error(
                    "xta::no_process",
                    Span { start: self.text.span.start, end: self.text.span.start },
                    "the file defines no process",
                )
                .help("a model has at least one `process Name() { state …; init …; }`"),
            );
            return None;
        }
        check::templates(self.diagnostics, &document.templates);
        Some(document)
    }

    /// Whether an instantiation such as `P1(int i) = P(i, 3);` is ahead.
    fn is_instance(&self) -> bool {
        if self.kind(0) != TokenKind::Word {
            return false;
        }
        let mut ahead = 1;
        if self.kind(1) == TokenKind::LeftParen {
            while !matches!(self.kind(ahead), TokenKind::RightParen | TokenKind::End) {
                ahead += 1;
            }
            ahead += 1;
        }
        self.kind(ahead) == TokenKind::Assign
            && self.kind(ahead + 1) == TokenKind::Word
            && self.kind(ahead + 2) == TokenKind::LeftParen
    }

    /// Goes behind a declaration: behind its semicolon, or the brace that ends a function.
    fn item(&mut self) {
        let mut is_value = false;
        while !self.is_end() {
            let kind = self.kind(0);
            is_value |= kind == TokenKind::Assign || matches!(self.word(), "struct" | "import");
            // A semicolon may be missing; a process starts one all the same.
            if matches!(self.word(), "process" | "system") {
                return;
            }
            self.at += 1;
            match kind {
                TokenKind::Semicolon => return,
                TokenKind::LeftBrace | TokenKind::LeftParen | TokenKind::LeftBracket => {
                    self.skip_until(|_| false);
                    self.at += usize::from(!self.is_end() && !self.is_boundary());
                    if kind == TokenKind::LeftBrace && !is_value {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// Reads what stands behind the processes.
    fn system(&mut self, from: usize, instances: Text, document: &mut Document) {
        let has_system = self.word() == "system";
        while !self.is_end() && !self.is_query() {
            if self.word() == "process" {
                let span = self.span();
                self.report(
                    Diagnostic::error(
                        "xta::late_process",
                        span,
                        "a process is defined behind the system line",
                    )
                    .help("move the process before `system`"),
                );
                self.process();
            } else {
                self.at += 1;
            }
        }
        let end = self.start().max(from);
        document.system = instances;
        let tail = self.cut(from..end);
        document.system.append(&tail);
        if !has_system && !document.templates.is_empty() {
            let end = self.text.text.trim_end().len();
            self.report(
                Diagnostic::error(
                    "xta::no_system",
                    self.text.locate(end..end),
                    "the model has no `system` line",
                )
                .help("end the file with the processes of the system, such as `system P, Q;`"),
            );
        }
        while !self.is_end() {
            if self.is_query() {
                let query = self.query();
                document.queries.push(query);
            } else {
                self.expected("`query {`", "behind a query");
                self.at += 1;
                while !self.is_end() && !self.is_query() {
                    self.at += 1;
                }
            }
        }
    }

    fn is_query(&self) -> bool {
        self.word() == "query" && self.kind(1) == TokenKind::LeftBrace
    }

    /// Reads `query { formula }`. A comment in front of the formula is the query's.
    fn query(&mut self) -> Query {
        let opened = self.span();
        self.at += 2;
        let from = self.end();
        self.skip_until(|_| false);
        let mut formula = self.cut(from..self.start()).trimmed();
        self.is_unclosed = false;
        if !self.eat(TokenKind::RightBrace) {
            self.unclosed("this query", opened, "it starts here");
            self.at += usize::from(!self.is_end());
        }
        let mut comment = Text::default();
        if formula.text.starts_with("/*")
            && let Some(end) = formula.text.find("*/")
        {
            comment = formula.slice(2..end.max(2)).trimmed();
            formula = formula.slice(end + 2..formula.text.len()).trimmed();
        }
        Query { formula, comment, ..Query::default() }
    }
}
