//! Tokens of Lustre.
//!
//! Comments are gone, except those that tools give a meaning: `--%PROPERTY`, `--%MAIN` and the like
//! are tokens, and what follows them is read as usual; `(*@contract` opens a contract that `*)`
//! closes. Every word is a [`TokenKind::Word`] unless it can never be a name.

use logos::{FilterResult, Lexer, Logos};

use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Bad {
    #[default]
    Character,
    OpenComment,
    OpenText,
}

/// Kinds of tokens.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[logos(error = Bad)]
#[logos(skip r"[ \t\r\n\x0B\x0C]+")]
pub(super) enum TokenKind {
    /// A name, or a word with a meaning only in some places. `~` is in names of inlined calls.
    #[regex(r"[a-zA-Z_][a-zA-Z0-9_~']*")]
    Word,
    #[regex("[0-9]+", priority = 3)]
    Int,
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?")]
    Decimal,
    #[token("\"", text)]
    Text,

    #[token("node")]
    Node,
    #[token("function")]
    Function,
    #[token("returns")]
    Returns,
    #[token("var")]
    Var,
    #[token("const")]
    Const,
    #[token("type")]
    Type,
    #[token("let")]
    Let,
    #[token("tel")]
    Tel,
    #[token("assert")]
    Assert,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("pre")]
    Pre,
    #[token("fby")]
    Fby,
    #[token("current")]
    Current,
    #[token("when")]
    When,
    #[token("merge")]
    Merge,
    #[token("not")]
    Not,
    #[token("and")]
    #[token("&&")]
    And,
    #[token("or")]
    #[token("||")]
    Or,
    #[token("nor")]
    Nor,
    #[token("xor")]
    Xor,
    #[token("div")]
    Div,
    #[token("mod")]
    #[token("%")]
    Mod,
    #[token("true")]
    True,
    #[token("false")]
    False,

    #[token("--%PROPERTY")]
    #[token("--!PROPERTY")]
    Property,
    #[token("--%MAIN")]
    #[token("--!MAIN")]
    Main,
    /// Marks of other tools, which say nothing about what the program does.
    #[token("--%IVC")]
    #[token("--%REALIZABLE")]
    OtherMark,
    #[token("(*@contract")]
    #[token("/*@contract")]
    #[token("(*@")]
    #[token("/*@")]
    OpenContract,
    #[token("*)")]
    #[token("*/")]
    CloseContract,
    /// Never seen from outside.
    #[token("--", line_comment)]
    #[token("(*", star_comment)]
    #[token("/*", slash_comment)]
    Comment,

    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token("::")]
    Path,
    #[token(":")]
    Colon,
    #[token(":=")]
    Assign,
    #[token(".")]
    Dot,
    #[token("^")]
    Caret,
    #[token("|")]
    Bar,
    #[token("#")]
    Hash,
    #[token("->")]
    Arrow,
    #[token("=>")]
    #[token("==>")]
    Implies,
    #[token("=")]
    Eq,
    #[token("<>")]
    #[token("!=")]
    Ne,
    #[token("<=")]
    Le,
    #[token("<")]
    Lt,
    #[token(">=")]
    Ge,
    #[token(">")]
    Gt,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Slash,

    /// Something that was reported already.
    Unknown,
    /// Behind the last one.
    End,
}

fn text(lexer: &mut Lexer<'_, TokenKind>) -> Result<(), Bad> {
    match lexer.remainder().find(['"', '\n']) {
        Some(end) if lexer.remainder().as_bytes()[end] == b'"' => {
            lexer.bump(end + 1);
            Ok(())
        }
        end => {
            lexer.bump(end.unwrap_or(lexer.remainder().len()));
            Err(Bad::OpenText)
        }
    }
}

fn line_comment(lexer: &mut Lexer<'_, TokenKind>) -> FilterResult<(), Bad> {
    let length = lexer.remainder().find('\n').unwrap_or(lexer.remainder().len());
    lexer.bump(length);
    FilterResult::Skip
}

fn star_comment(lexer: &mut Lexer<'_, TokenKind>) -> FilterResult<(), Bad> {
    comment(lexer, "*)")
}

fn slash_comment(lexer: &mut Lexer<'_, TokenKind>) -> FilterResult<(), Bad> {
    comment(lexer, "*/")
}

fn comment(lexer: &mut Lexer<'_, TokenKind>, close: &str) -> FilterResult<(), Bad> {
    match lexer.remainder().find(close) {
        Some(length) => {
            lexer.bump(length + close.len());
            FilterResult::Skip
        }
        None => {
            lexer.bump(lexer.remainder().len());
            FilterResult::Error(Bad::OpenComment)
        }
    }
}

/// All tokens of a text, with [`TokenKind::End`] behind them.
pub(super) fn tokens(text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    for (kind, range) in TokenKind::lexer(text).spanned() {
        let span = Span::new(range.start, range.end);
        let kind = kind.unwrap_or_else(|bad| {
            diagnostics.push(complaint(&bad, &text[range], span));
            TokenKind::Unknown
        });
        tokens.push(Token { kind, span });
    }
    tokens.push(Token { kind: TokenKind::End, span: Span::new(text.len(), text.len()) });
    tokens
}

fn complaint(bad: &Bad, text: &str, span: Span) -> Diagnostic {
    match bad {
        Bad::OpenComment => {
            let (open, close) = if text.starts_with('(') { ("(*", "*)") } else { ("/*", "*/") };
            let span = Span::new(span.start as usize, span.start as usize + 2);
            Diagnostic::error("lustre::open_comment", span, "this comment has no end")
                .help(format!("a comment that starts with `{open}` ends with `{close}`"))
        }
        Bad::OpenText => {
            Diagnostic::error("lustre::open_text", span, "this text has no end in its line")
                .help("put `\"` behind it")
        }
        Bad::Character => {
            let shown = text.escape_debug();
            let message = format!("`{shown}` has no meaning in Lustre");
            let help = match text {
                "!" => Some("write `not` for a negation, `<>` for \"different\"".to_owned()),
                "&" => Some("write `and`".to_owned()),
                _ => None,
            };
            Diagnostic::error("lustre::character", span, message).maybe_help(help)
        }
    }
}
