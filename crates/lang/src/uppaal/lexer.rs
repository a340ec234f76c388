//! Tokens of UPPAAL's language.
//!
//! Every word is a [`TokenKind::Word`]: which words are keywords depends on where they stand, so
//! the parser decides. White space, comments and continued lines are gone. What can not be read
//! was reported: it is replaced by the token that was probably meant, or by
//! [`TokenKind::Unknown`], which tells the parser to stay silent about it.
//!
//! `[]` is two tokens, since `a[]` is not a path quantifier; `<>` is one, since nothing else is
//! spelt like it.

use std::fmt;
use std::ops::Range;

use logos::{FilterResult, Lexer, Logos};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::{Span, Text};

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// Where it stands in the text.
    pub range: Range<usize>,
    /// Where it stands in the file.
    pub span: Span,
}

impl Token {
    /// Its characters.
    pub fn text<'a>(&self, text: &'a Text) -> &'a str {
        &text.text[self.range.clone()]
    }
}

/// Kinds of tokens.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[logos(skip r"[ \t\r\n\x0B\x0C]+")]
#[logos(skip r"\\[ \t]*\r?\n")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[expect(missing_docs, reason = "the patterns say it")]
pub enum TokenKind {
    /// A name or a keyword.
    #[regex("[a-zA-Z_][a-zA-Z0-9_]*")]
    Word,
    /// A number without a fraction, at most 2147483648 unless an error says otherwise.
    #[regex("[0-9]+", priority = 3)]
    Int,
    /// A number with a fraction or an exponent.
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
    Double,
    /// A text in quotes, which belong to the range.
    #[token("\"", string)]
    Str,

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
    #[token(".")]
    Dot,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("?")]
    Question,
    #[token("'")]
    Apostrophe,
    #[token("#")]
    Hash,
    #[token("!")]
    Not,
    #[token("->")]
    Arrow,
    #[token("-u->")]
    UncontrollableArrow,
    #[token("-->")]
    LeadsTo,
    #[token("<>")]
    Diamond,

    /// `=` and `:=`
    #[token("=")]
    #[token(":=")]
    Assign,
    #[token("+=")]
    AssignPlus,
    #[token("-=")]
    AssignMinus,
    #[token("*=")]
    AssignTimes,
    #[token("/=")]
    AssignDivide,
    #[token("%=")]
    AssignRemainder,
    #[token("&=")]
    AssignAnd,
    #[token("|=")]
    AssignOr,
    #[token("^=")]
    AssignXor,
    #[token("<<=")]
    AssignShiftLeft,
    #[token(">>=")]
    AssignShiftRight,

    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Divide,
    #[token("%")]
    Remainder,
    #[token("**")]
    Power,
    #[token("++")]
    Increment,
    #[token("--")]
    Decrement,
    #[token("<?")]
    Minimum,
    #[token(">?")]
    Maximum,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("&")]
    BitAnd,
    #[token("|")]
    BitOr,
    #[token("^")]
    BitXor,
    #[token("&&")]
    And,
    #[token("||")]
    Or,
    #[token("<")]
    Less,
    /// `<=`, and the old spelling `=<` after an error.
    #[token("<=")]
    #[token("=<")]
    LessEqual,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    /// `>=`, and the old spelling `=>` after an error.
    #[token(">=")]
    #[token("=>")]
    GreaterEqual,
    #[token(">")]
    Greater,
    /// `/\` of MITL formulas.
    #[token("/\\")]
    MitlAnd,
    /// `\/` of MITL formulas.
    #[token("\\/")]
    MitlOr,

    /// Something that was reported.
    Unknown,
    /// The end of the text. Not in the list of [`tokens`].
    End,

    #[doc(hidden)]
    #[token("/*", block_comment)]
    Comment,
}

impl fmt::Display for TokenKind {
    /// As it is written, in backquotes, or what it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Word => return f.write_str("a name"),
            Self::Int | Self::Double => return f.write_str("a number"),
            Self::Str => return f.write_str("a text in quotes"),
            Self::Unknown => return f.write_str("something unreadable"),
            Self::End | Self::Comment => return f.write_str("the end"),
            Self::LeftParen => "(",
            Self::RightParen => ")",
            Self::LeftBracket => "[",
            Self::RightBracket => "]",
            Self::LeftBrace => "{",
            Self::RightBrace => "}",
            Self::Dot => ".",
            Self::Comma => ",",
            Self::Semicolon => ";",
            Self::Colon => ":",
            Self::Question => "?",
            Self::Apostrophe => "'",
            Self::Hash => "#",
            Self::Not => "!",
            Self::Arrow => "->",
            Self::UncontrollableArrow => "-u->",
            Self::LeadsTo => "-->",
            Self::Diamond => "<>",
            Self::Assign => "=",
            Self::AssignPlus => "+=",
            Self::AssignMinus => "-=",
            Self::AssignTimes => "*=",
            Self::AssignDivide => "/=",
            Self::AssignRemainder => "%=",
            Self::AssignAnd => "&=",
            Self::AssignOr => "|=",
            Self::AssignXor => "^=",
            Self::AssignShiftLeft => "<<=",
            Self::AssignShiftRight => ">>=",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Power => "**",
            Self::Increment => "++",
            Self::Decrement => "--",
            Self::Minimum => "<?",
            Self::Maximum => ">?",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::And => "&&",
            Self::Or => "||",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::GreaterEqual => ">=",
            Self::Greater => ">",
            Self::MitlAnd => "/\\",
            Self::MitlOr => "\\/",
        };
        write!(f, "`{text}`")
    }
}

fn string(lexer: &mut Lexer<'_, TokenKind>) -> bool {
    let rest = lexer.remainder();
    let end = rest.find(['"', '\n']).unwrap_or(rest.len());
    let closed = rest[end..].starts_with('"');
    lexer.bump(end + usize::from(closed));
    closed
}

fn block_comment(lexer: &mut Lexer<'_, TokenKind>) -> FilterResult<(), ()> {
    match lexer.remainder().find("*/") {
        Some(at) => {
            lexer.bump(at + 2);
            FilterResult::Skip
        }
        None => {
            lexer.bump(lexer.remainder().len());
            FilterResult::Error(())
        }
    }
}

/// Longer texts are not read: each byte may be a token, and a token takes some 40 bytes of memory.
pub(crate) const TEXT_MAX: usize = 32 << 20;

/// A text is longer than [`TEXT_MAX`].
pub(crate) fn too_long() -> Diagnostic {
    let message = format!("a text of the language has at most {} MB", TEXT_MAX >> 20);
    Diagnostic::error("lex::too_long", Span::default(), message)
        .help("let parameters and arrays instead of copies make the instances")
}

/// The tokens of a text.
pub fn tokens(text: &Text, diagnostics: &mut Diagnostics) -> Vec<Token> {
    if text.text.len() > TEXT_MAX {
        diagnostics.push(too_long());
        return Vec::new();
    }
    let mut reader = Reader { text, diagnostics, tokens: Vec::new(), n_errors: 0 };
    let mut lexer = TokenKind::lexer(&text.text);
    while let Some(kind) = lexer.next() {
        match kind {
            Ok(kind) => reader.known(kind, lexer.span()),
            Err(()) => {
                let end = reader.unknown(lexer.span());
                lexer.bump(end.saturating_sub(lexer.span().end));
            }
        }
    }
    reader.tokens
}

/// More complaints than this about one text are of no use to anybody.
const MOST_ERRORS: usize = 100;

struct Reader<'a> {
    text: &'a Text,
    diagnostics: &'a mut Diagnostics,
    tokens: Vec<Token>,
    n_errors: usize,
}

impl Reader<'_> {
    fn push(&mut self, kind: TokenKind, range: Range<usize>) {
        let span = self.text.locate(range.clone());
        self.tokens.push(Token { kind, range, span });
    }

    fn error(&mut self, code: &'static str, range: Range<usize>, message: String, help: &str) {
        self.n_errors += 1;
        if self.n_errors <= MOST_ERRORS {
            let error = Diagnostic::error(code, self.text.locate(range), message);
            self.diagnostics.push(if help.is_empty() {
                error
            } else {
                error.help(help.to_owned())
            });
        }
    }

    /// The previous token, if it ends where this one starts.
    fn adjacent(&self, start: usize) -> Option<&Token> {
        self.tokens.last().filter(|token| token.range.end == start)
    }

    fn known(&mut self, kind: TokenKind, range: Range<usize>) {
        let slice = &self.text.text[range.clone()];
        match kind {
            TokenKind::Word => {
                let number = self
                    .adjacent(range.start)
                    .filter(|token| matches!(token.kind, TokenKind::Int | TokenKind::Double))
                    .cloned();
                if let Some(number) = number {
                    return self.number_with_letters(number, range);
                }
            }
            TokenKind::Int if slice.parse::<u64>().map_or(true, |value| value > 1 << 31) => self
                .error(
                    "lex::number_too_large",
                    range.clone(),
                    format!("the number {slice} is too large"),
                    "integers have 32 bits: the largest is 2147483647",
                ),
            TokenKind::LessEqual if slice == "=<" => self.error(
                "lex::old_comparison",
                range.clone(),
                "`=<` is not an operator".to_owned(),
                "write `<=`",
            ),
            TokenKind::GreaterEqual if slice == "=>" => self.error(
                "lex::old_comparison",
                range.clone(),
                "`=>` is not an operator".to_owned(),
                "write `>=` to compare, or `imply` for an implication",
            ),
            _ => {}
        }
        self.push(kind, range);
    }

    /// `0x1F`, `3rd`: one error, and one number.
    fn number_with_letters(&mut self, number: Token, word: Range<usize>) {
        let range = number.range.start..word.end;
        let slice = &self.text.text[range.clone()];
        let help = if slice.starts_with("0x") || slice.starts_with("0X") {
            "numbers are decimal; there is no hexadecimal notation"
        } else {
            "a name starts with a letter or `_`; between a number and a name stands an operator"
        };
        self.error(
            "lex::number_with_letters",
            range.clone(),
            format!("`{slice}` is neither a number nor a name"),
            help,
        );
        self.tokens.pop();
        self.push(TokenKind::Unknown, range);
    }

    /// Reports what does not start any token, and returns where to go on.
    fn unknown(&mut self, range: Range<usize>) -> usize {
        let rest = &self.text.text[range.start..];
        if rest.starts_with("/*") {
            self.error(
                "lex::unterminated_comment",
                range.start..range.start + 2,
                "this comment is never closed".to_owned(),
                "close it with `*/`",
            );
            // Nobody knows what it hides, so nobody should complain about what is missing.
            self.push(TokenKind::Unknown, range.clone());
            return range.end;
        }
        if rest.starts_with('"') {
            self.error(
                "lex::unterminated_string",
                range.clone(),
                "this text is never closed".to_owned(),
                "close it with `\"` on the same line",
            );
            self.push(TokenKind::Str, range.clone());
            return range.end;
        }
        let Some(first) = rest.chars().next() else { return range.end };
        if first.is_alphabetic() {
            return self.foreign_word(range.start);
        }
        if first.is_whitespace() || matches!(first, '\u{200B}'..='\u{200D}' | '\u{FEFF}') {
            return self.odd_space(range.start, first);
        }
        if let Some((kind, ascii)) = meant(first) {
            let end = range.start + first.len_utf8();
            // A doubled full-width sign means the doubled operator.
            let doubled = rest[first.len_utf8()..].starts_with(first);
            let (kind, ascii, end) = match kind {
                TokenKind::BitAnd if doubled => (TokenKind::And, "&&", end + first.len_utf8()),
                TokenKind::BitOr if doubled => (TokenKind::Or, "||", end + first.len_utf8()),
                TokenKind::Assign if doubled => (TokenKind::Equal, "==", end + first.len_utf8()),
                _ => (kind, ascii, end),
            };
            let slice = &self.text.text[range.start..end];
            self.error(
                "lex::strange_character",
                range.start..end,
                format!("`{slice}` is not part of the language"),
                &format!("write `{ascii}`"),
            );
            self.push(kind, range.start..end);
            return end;
        }
        let strange = |c: char| {
            !c.is_alphanumeric()
                && !c.is_whitespace()
                && meant(c).is_none()
                && (!c.is_ascii_graphic() || matches!(c, '@' | '$' | '`' | '~' | '\\'))
        };
        let width = rest.find(|c| !strange(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let end = range.start + width;
        let slice: String = rest[..width].chars().take(20).flat_map(visible).collect();
        let help = match first {
            '“' | '”' | '„' | '‘' | '’' | '«' | '»' => "write `\"`",
            '\\' => "a `\\` is only allowed at the end of a line, which it continues",
            '~' => "write `!` or `not` for a negation",
            _ => "",
        };
        self.error(
            "lex::strange_character",
            range.start..end,
            format!("`{slice}` is not part of the language"),
            help,
        );
        self.push(TokenKind::Unknown, range.start..end);
        end
    }

    /// A name with letters that UPPAAL does not know: reported, and kept as a name.
    fn foreign_word(&mut self, start: usize) -> usize {
        let rest = &self.text.text[start..];
        let end =
            start + rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let start = match self.adjacent(start) {
            Some(token) if token.kind == TokenKind::Word => token.range.start,
            _ => start,
        };
        if self.tokens.last().is_some_and(|token| token.range.start == start) {
            self.tokens.pop();
        }
        let word = &self.text.text[start..end];
        self.error(
            "lex::foreign_letter",
            start..end,
            format!("the name `{word}` has letters that are not allowed"),
            "names consist of the letters a-z and A-Z, digits and `_`",
        );
        self.push(TokenKind::Word, start..end);
        end
    }

    /// White space that editors insert and nobody sees: harmless here, an error in UPPAAL.
    fn odd_space(&mut self, start: usize, first: char) -> usize {
        let end = start + first.len_utf8();
        self.n_errors += 1;
        if self.n_errors <= MOST_ERRORS {
            let name = match first {
                '\u{A0}' => "a no-break space",
                '\u{FEFF}' => "a byte order mark",
                _ => "an unusual space",
            };
            self.diagnostics.push(
                Diagnostic::warning(
                    "lex::odd_space",
                    self.text.locate(start..end),
                    format!("{name} (U+{:04X}) is read as a space", first as u32),
                )
                .help("replace it with an ordinary space: other tools refuse it"),
            );
        }
        end
    }
}

/// A character so that one can see it in a message.
fn visible(c: char) -> Vec<char> {
    if c.is_control() { c.escape_default().collect() } else { vec![c] }
}

/// What the modeller probably meant by a sign that looks like an operator.
fn meant(c: char) -> Option<(TokenKind, &'static str)> {
    Some(match c {
        '≤' | '⩽' => (TokenKind::LessEqual, "<="),
        '≥' | '⩾' => (TokenKind::GreaterEqual, ">="),
        '≠' => (TokenKind::NotEqual, "!="),
        '∧' => (TokenKind::And, "&&"),
        '∨' => (TokenKind::Or, "||"),
        '¬' | '！' => (TokenKind::Not, "!"),
        '–' | '—' | '−' | '－' | '‐' | '‑' => (TokenKind::Minus, "-"),
        '＋' => (TokenKind::Plus, "+"),
        '×' | '·' | '⋅' | '∗' | '＊' => (TokenKind::Times, "*"),
        '÷' | '∕' | '／' => (TokenKind::Divide, "/"),
        '→' => (TokenKind::Arrow, "->"),
        '◇' | '⋄' | '♢' => (TokenKind::Diamond, "<>"),
        '＆' => (TokenKind::BitAnd, "&"),
        '｜' => (TokenKind::BitOr, "|"),
        '＝' => (TokenKind::Assign, "="),
        '＜' => (TokenKind::Less, "<"),
        '＞' => (TokenKind::Greater, ">"),
        '（' => (TokenKind::LeftParen, "("),
        '）' => (TokenKind::RightParen, ")"),
        '［' => (TokenKind::LeftBracket, "["),
        '］' => (TokenKind::RightBracket, "]"),
        '｛' => (TokenKind::LeftBrace, "{"),
        '｝' => (TokenKind::RightBrace, "}"),
        '，' | '、' => (TokenKind::Comma, ","),
        '；' => (TokenKind::Semicolon, ";"),
        '：' => (TokenKind::Colon, ":"),
        '？' => (TokenKind::Question, "?"),
        '．' => (TokenKind::Dot, "."),
        '′' | '´' | '‘' | '’' => (TokenKind::Apostrophe, "'"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, tokens};
    use crate::Text;
    use crate::diagnostic::Diagnostics;

    fn read(source: &str) -> (String, Vec<String>) {
        let text = Text::verbatim(source, 0);
        let mut diagnostics = Diagnostics::new();
        let tokens = tokens(&text, &mut diagnostics);
        let shown: Vec<_> = tokens
            .iter()
            .map(|token| match token.kind {
                TokenKind::Unknown => format!("?{}?", token.text(&text)),
                _ => token.text(&text).to_owned(),
            })
            .collect();
        (shown.join(" "), diagnostics.iter().map(|d| d.message.clone()).collect())
    }

    #[test]
    fn operators_are_as_long_as_possible() {
        let (shown, errors) = read("a<<=b>>c<?d>?e**f-->g->h-u->i--j:=k x' E<>p A[]q 1e-3 2.5 7");
        assert_eq!(
            shown,
            "a <<= b >> c <? d >? e ** f --> g -> h -u-> i -- j := k x ' E <> p A [ ] q 1e-3 2.5 7"
        );
        assert!(errors.is_empty(), "{errors:?}");
    }

    #[test]
    fn comments_and_continued_lines_are_white_space() {
        let (shown, errors) = read("a // b\n/* c\n ** */ d \\\n e /**/ f//");
        assert_eq!((shown.as_str(), errors.len()), ("a d e f", 0));
    }

    #[test]
    fn what_was_meant_is_read_after_an_error() {
        let (shown, errors) = read("x =< 5 ＆＆ größe ≥ 3 – 2 @@ $ 0x1F 4294967296 /* open");
        assert_eq!(shown, "x =< 5 ＆＆ größe ≥ 3 – 2 ?@@? ?$? ?0x1F? 4294967296 ?/* open?");
        assert_eq!(errors.len(), 10, "{errors:#?}");
    }

    #[test]
    fn strings_end_at_the_line() {
        let (shown, errors) = read("import \"lib.so\" x = \"open\n y");
        assert_eq!(shown, "import \"lib.so\" x = \"open y");
        assert_eq!(errors, ["this text is never closed"]);
    }

    #[test]
    fn a_megabyte_is_read_whole() {
        let text = Text::verbatim(&"int[0, 10] counter = 5; // what\n".repeat(33_000), 0);
        let mut diagnostics = Diagnostics::new();
        assert_eq!(tokens(&text, &mut diagnostics).len(), 10 * 33_000);
    }
}
