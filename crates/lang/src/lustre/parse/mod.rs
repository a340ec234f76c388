//! Tokens to syntax.
//!
//! A mistake is reported once; reading goes on behind the equation, or at the next declaration.

mod body;
mod contract;
mod declarations;
mod expressions;

use rustc_hash::FxHashSet;

use super::{
    ast::{Ast, Ex, ExKind, Ident},
    lexer::{Token, TokenKind, tokens},
};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

/// How many expressions may be inside of each other.
pub(super) const DEPTH_MAX: u32 = 5_000;

/// What was expected was not there; it was reported.
#[derive(Debug)]
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

pub(super) struct Parser<'p> {
    text: &'p str,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    /// Whether a name before a parenthesis is a call.
    pub(super) with_calls: bool,
    /// Names with dots and brackets in them that were declared.
    compounds: FxHashSet<String>,
    pub(super) ast: Ast,
    pub(super) diagnostics: &'p mut Diagnostics,
}

/// Reads a whole file.
pub(super) fn file(text: &str, diagnostics: &mut Diagnostics) -> Ast {
    let mut parser = Parser::new(text, diagnostics);
    parser.file();
    parser.ast
}

impl<'p> Parser<'p> {
    pub(super) fn new(text: &'p str, diagnostics: &'p mut Diagnostics) -> Self {
        let tokens = tokens(text, diagnostics);
        Self {
            text,
            tokens,
            at: 0,
            depth: 0,
            with_calls: true,
            compounds: FxHashSet::default(),
            ast: Ast::default(),
            diagnostics,
        }
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    pub(super) fn kind_after(&self, n: usize) -> TokenKind {
        self.tokens.get(self.at + n).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Where the token before this one ends.
    pub(super) fn span_before(&self) -> Span {
        match self.at.checked_sub(1) {
            Some(before) => self.tokens[before].span,
            None => Span::first_of(self.text),
        }
    }

    pub(super) fn slice(&self, span: Span) -> &'p str {
        &self.text[span.range()]
    }

    /// Whether the next token is this word, which is no keyword elsewhere.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind() == TokenKind::Word && self.slice(self.span()) == word
    }

    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> Parsed<Span> {
        match self.kind() == kind {
            true => Ok(self.advance()),
            false => Err(self.expected(what)),
        }
    }

    /// Says that something else was expected here.
    pub(super) fn expected(&mut self, what: &str) -> Reported {
        self.expected_with(what, None)
    }

    pub(super) fn expected_with(&mut self, what: &str, help: Option<String>) -> Reported {
        let (kind, span) = (self.kind(), self.span());
        let (message, span) = match kind {
            TokenKind::Unknown => return Reported,
            TokenKind::End => (format!("{what} is missing at the end"), self.span_before()),
            _ => (format!("expected {what}, found `{}`", self.slice(span)), span),
        };
        self.diagnostics.push(Diagnostic::error("lustre::syntax", span, message).maybe_help(help));
        Reported
    }

    pub(super) fn ident(&mut self, what: &str) -> Parsed<Ident> {
        if self.kind() != TokenKind::Word {
            let help =
                keyword(self.kind()).then(|| format!("`{}` is a keyword", self.slice(self.span())));
            return Err(self.expected_with(what, help));
        }
        let span = self.advance();
        let text = self.slice(span);
        Ok(Ident { name: self.ast.names.symbol(text), span })
    }

    /// A name that is declared here. Tools write `a.b[2]` where they have split something.
    pub(super) fn declared_name(&mut self, what: &str) -> Parsed<Ident> {
        let mut name = self.ident(what)?;
        let mut text = self.slice(name.span).to_owned();
        while let Some(n_tokens) = self.extend(&mut text, 0) {
            (0..n_tokens).for_each(|_| _ = self.advance());
            name.span = name.span.to(self.span_before());
        }
        if text.contains(['.', '[']) {
            name.name = self.ast.names.symbol(&text);
            self.compounds.insert(text);
        }
        Ok(name)
    }

    /// Adds the next part to a name of several: `.b` or `[2]`. Gives how many tokens that is.
    fn extend(&self, text: &mut String, after: usize) -> Option<usize> {
        let part = |n: usize| self.slice(self.tokens[self.at + after + n].span);
        let kinds = [0, 1, 2].map(|n| self.kind_after(after + n));
        match kinds {
            [TokenKind::Dot, TokenKind::Word, _] => {
                *text += ".";
                *text += part(1);
                Some(2)
            }
            [TokenKind::LeftBracket, TokenKind::Int, TokenKind::RightBracket] => {
                *text += "[";
                *text += part(1);
                *text += "]";
                Some(3)
            }
            _ => None,
        }
    }

    /// The longest name of several parts that was declared and stands here, if any.
    pub(super) fn used_name(&mut self, what: &str) -> Parsed<Ident> {
        let mut name = self.ident(what)?;
        if self.compounds.is_empty() {
            return Ok(name);
        }
        let mut text = self.slice(name.span).to_owned();
        let mut after = 0;
        let mut longest = 0;
        while let Some(n_tokens) = self.extend(&mut text, after) {
            after += n_tokens;
            if self.compounds.contains(&text) {
                longest = after;
                name.name = self.ast.names.symbol(&text);
            }
        }
        if longest > 0 {
            (0..longest).for_each(|_| _ = self.advance());
            name.span = name.span.to(self.span_before());
        }
        Ok(name)
    }

    /// Things with commas between them, up to a closing token, which is eaten.
    pub(super) fn list<T>(
        &mut self,
        close: TokenKind,
        closing: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if !self.eat(TokenKind::Comma) {
                self.expect(close, &format!("`,` or {closing}"))?;
                return Ok(items);
            }
        }
    }

    /// Adds an expression, unless it is too deep for those who walk over it.
    pub(super) fn push(&mut self, kind: ExKind, span: Span) -> Ex {
        let ex = self.ast.push(kind, span);
        if self.ast.depth(ex) > DEPTH_MAX {
            self.too_deep(span);
            self.ast.spoil(ex);
        }
        ex
    }

    fn too_deep(&mut self, span: Span) {
        let message = format!("more than {DEPTH_MAX} expressions are inside of each other here");
        self.diagnostics.push(
            Diagnostic::error("lustre::too_deep", span, message)
                .help("give parts of it a name: make them local variables"),
        );
    }

    /// Runs a part of the parser that calls itself, unless that happened too often.
    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth > DEPTH_MAX {
            self.too_deep(self.span());
            return Err(Reported);
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        result
    }
}

fn keyword(kind: TokenKind) -> bool {
    use TokenKind as K;
    matches!(
        kind,
        K::Node
            | K::Function
            | K::Returns
            | K::Var
            | K::Const
            | K::Type
            | K::Let
            | K::Tel
            | K::Assert
            | K::If
            | K::Then
            | K::Else
            | K::Pre
            | K::Fby
            | K::Current
            | K::When
            | K::Merge
            | K::Not
            | K::And
            | K::Or
            | K::Nor
            | K::Xor
            | K::Div
            | K::Mod
            | K::True
            | K::False
    )
}
