//! Syntax of expressions and statements: tokens, trees with spans, and their parser.
//!
//! What the grammar of TChecker says, and what is easy to miss:
//! - `!` binds weaker than comparisons: `!a == b` is `!(a == b)`;
//! - there is no `||`, and `!` can not stand before a conjunction;
//! - `1 <= x < 5` is the conjunction of both, with `<` and `<=` only;
//! - `(if c then a else b)` is a number, its parentheses are part of it.
//!
//! Trees are at most [`HEIGHT_MAX`] high and parentheses nest at most [`NESTING_MAX`] deep, so
//! whoever walks them needs no care.

use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

/// How deep parentheses, indices and statements may nest.
pub(crate) const NESTING_MAX: usize = 200;
/// How high a tree may be: a sum of this many terms.
pub(crate) const HEIGHT_MAX: usize = 1000;

/// Words that are no names in expressions and statements.
pub(crate) const WORDS: [&str; 8] = ["if", "then", "else", "end", "while", "do", "local", "nop"];

/// A tree and its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) tree: Tree,
    pub(super) span: Span,
    height: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// Up to 2³¹, which is only good below a minus sign.
    Int(i64),
    Name(String),
    Index(String, Span, Box<Node>),
    Negate(Box<Node>),
    Not(Box<Node>),
    Arithmetic(Arithmetic, Box<[Node; 2]>),
    /// Two or three operands with comparisons between them.
    Compare(Vec<Node>, Vec<Comparison>),
    And(Vec<Node>),
    If(Box<[Node; 3]>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    GreaterEqual,
    Greater,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Nop,
    Assign(Node, Node),
    If(Node, Vec<Statement>, Vec<Statement>),
    While(Node, Vec<Statement>),
    Local(String, Span, Option<Node>),
    LocalArray(String, Span, Node),
}

/// Parses an expression that fills the whole text.
pub(super) fn expression(text: &str, start: u32, diagnostics: &mut Diagnostics) -> Option<Node> {
    parse(text, start, diagnostics, |parser| {
        let node = parser.conjunction()?;
        parser.end("an operator or the end of the expression")?;
        Ok(node)
    })
}

/// Parses statements that fill the whole text.
pub(super) fn statements(
    text: &str,
    start: u32,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Statement>> {
    parse(text, start, diagnostics, |parser| {
        let list = parser.sequence()?;
        parser.end("`;` or the end of the statements")?;
        Ok(list)
    })
}

fn parse<T>(
    text: &str,
    start: u32,
    diagnostics: &mut Diagnostics,
    with: impl FnOnce(&mut Parser<'_>) -> Result<T, Box<Diagnostic>>,
) -> Option<T> {
    let result = tokens(text, start).and_then(|tokens| {
        let end = start + text.len() as u32;
        with(&mut Parser { tokens, at: 0, end: Span { start: end, end }, nesting: 0 })
    });
    result.map_err(|diagnostic| diagnostics.push(*diagnostic)).ok()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'a> {
    Word(&'a str),
    Int(i64),
    Sign(&'static str),
}

const SIGNS: [&str; 19] = [
    "&&", "==", "!=", "<=", ">=", "<", ">", "=", "(", ")", "[", "]", ";", "+", "-", "*", "/", "%",
    "!",
];

fn tokens(text: &str, start: u32) -> Result<Vec<(Token<'_>, Span)>, Box<Diagnostic>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let run = |accept: fn(&u8) -> bool| bytes[at..].iter().take_while(|b| accept(b)).count();
        let byte = bytes[at];
        let place = |length: usize| Span::new(start as usize + at, start as usize + at + length);
        if byte.is_ascii_whitespace() {
            at += 1;
        } else if byte.is_ascii_digit() {
            let length = run(u8::is_ascii_digit);
            let value = text[at..at + length].parse().unwrap_or(i64::MAX);
            if value > 1 << 31 {
                return Err(Box::new(
                    Diagnostic::error("tchecker::number", place(length), "number out of range")
                        .help("numbers have 32 bits: -2147483648 to 2147483647"),
                ));
            }
            tokens.push((Token::Int(value), place(length)));
            at += length;
        } else if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' {
            let length = run(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'));
            tokens.push((Token::Word(&text[at..at + length]), place(length)));
            at += length;
        } else if let Some(sign) = SIGNS.iter().find(|sign| text[at..].starts_with(**sign)) {
            tokens.push((Token::Sign(sign), place(sign.len())));
            at += sign.len();
        } else {
            let c = text[at..].chars().next().unwrap_or(' ');
            let diagnostic = Diagnostic::error(
                "tchecker::syntax",
                place(c.len_utf8()),
                format!("unexpected character `{}`", c.escape_default()),
            );
            return Err(Box::new(match c {
                '|' => diagnostic
                    .help("there is no disjunction; write two edges, or `(if a then 1 else (if b then 1 else 0))`"),
                '&' => diagnostic.help("a conjunction is written `&&`"),
                '?' => diagnostic.help("a choice is written `(if c then a else b)`"),
                _ => diagnostic,
            }));
        }
    }
    Ok(tokens)
}

struct Parser<'a> {
    tokens: Vec<(Token<'a>, Span)>,
    at: usize,
    end: Span,
    nesting: usize,
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|(token, _)| *token)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |(_, span)| *span)
    }

    fn last_span(&self) -> Span {
        self.at.checked_sub(1).map_or(self.end, |last| self.tokens[last].1)
    }

    fn is(&self, text: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(t)) if t == text)
            || matches!(self.peek(), Some(Token::Sign(t)) if t == text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str, why: &str) -> Parsed<()> {
        match self.eat(text) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{text}` {why}"))),
        }
    }

    fn end(&self, expected: &str) -> Parsed<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected(expected)),
        }
    }

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(Token::Word(word)) => format!("`{word}`"),
            Some(Token::Int(value)) => format!("`{value}`"),
            Some(Token::Sign(sign)) => format!("`{sign}`"),
        };
        let diagnostic = Diagnostic::error(
            "tchecker::syntax",
            self.span(),
            format!("expected {expected}, found {found}"),
        );
        Box::new(match self.peek() {
            Some(Token::Sign("=")) => {
                diagnostic.help("a comparison is written `==`; assignments belong to `do:`")
            }
            _ => diagnostic,
        })
    }

    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == NESTING_MAX {
            return Err(Box::new(
                Diagnostic::error("tchecker::nesting", self.span(), "nested too deeply")
                    .help(format!("at most {NESTING_MAX} levels are read")),
            ));
        }
        self.nesting += 1;
        let result = inside(self);
        self.nesting -= 1;
        result
    }

    fn node(&self, tree: Tree, start: Span) -> Parsed<Node> {
        let below = match &tree {
            Tree::Int(_) | Tree::Name(_) => 0,
            Tree::Index(_, _, inner) | Tree::Negate(inner) | Tree::Not(inner) => inner.height,
            Tree::Arithmetic(_, sides) => sides.iter().map(|side| side.height).max().unwrap_or(0),
            Tree::If(parts) => parts.iter().map(|part| part.height).max().unwrap_or(0),
            Tree::Compare(operands, _) => operands.iter().map(|o| o.height).max().unwrap_or(0),
            Tree::And(parts) => {
                parts.len() + parts.iter().map(|part| part.height).max().unwrap_or(0)
            }
        };
        let span = start.to(self.last_span());
        // Guards are split into their conjuncts, so only what is below one counts there.
        if below >= HEIGHT_MAX && !matches!(tree, Tree::And(_)) {
            return Err(Box::new(
                Diagnostic::error("tchecker::nesting", span, "expression too large")
                    .help(format!("at most {HEIGHT_MAX} operators in a row are read")),
            ));
        }
        Ok(Node { tree, span, height: below + 1 })
    }

    fn conjunction(&mut self) -> Parsed<Node> {
        let start = self.span();
        let first = self.atom()?;
        if !self.is("&&") {
            return Ok(first);
        }
        let mut parts = Vec::new();
        flatten(first, &mut parts);
        while self.eat("&&") {
            flatten(self.atom()?, &mut parts);
        }
        self.node(Tree::And(parts), start)
    }

    fn atom(&mut self) -> Parsed<Node> {
        let start = self.span();
        if self.eat("!") {
            let inner = self.nested(Self::atom)?;
            return self.node(Tree::Not(Box::new(inner)), start);
        }
        let first = self.sum()?;
        let mut operands = vec![first];
        let mut comparisons = Vec::new();
        while let Some(comparison) = self.comparison() {
            let sign = self.span();
            if comparisons.len() == 2 {
                return Err(self.unexpected("`&&` after a comparison of three"));
            }
            self.at += 1;
            comparisons.push(comparison);
            operands.push(self.sum()?);
            let plain = |c: &Comparison| matches!(c, Comparison::Less | Comparison::LessEqual);
            if comparisons.len() == 2 && !comparisons.iter().all(plain) {
                return Err(Box::new(
                    Diagnostic::error(
                        "tchecker::syntax",
                        sign,
                        "only `<` and `<=` can follow each other",
                    )
                    .help("join two comparisons with `&&`"),
                ));
            }
        }
        match comparisons.is_empty() {
            true => Ok(operands.swap_remove(0)),
            false => self.node(Tree::Compare(operands, comparisons), start),
        }
    }

    fn comparison(&self) -> Option<Comparison> {
        Some(match self.peek()? {
            Token::Sign("<") => Comparison::Less,
            Token::Sign("<=") => Comparison::LessEqual,
            Token::Sign("==") => Comparison::Equal,
            Token::Sign("!=") => Comparison::NotEqual,
            Token::Sign(">=") => Comparison::GreaterEqual,
            Token::Sign(">") => Comparison::Greater,
            _ => return None,
        })
    }

    fn sum(&mut self) -> Parsed<Node> {
        let start = self.span();
        let mut left = self.product()?;
        loop {
            let op = match self.peek() {
                Some(Token::Sign("+")) => Arithmetic::Add,
                Some(Token::Sign("-")) => Arithmetic::Subtract,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.product()?;
            left = self.node(Tree::Arithmetic(op, Box::new([left, right])), start)?;
        }
    }

    fn product(&mut self) -> Parsed<Node> {
        let start = self.span();
        let mut left = self.factor()?;
        loop {
            let op = match self.peek() {
                Some(Token::Sign("*")) => Arithmetic::Multiply,
                Some(Token::Sign("/")) => Arithmetic::Divide,
                Some(Token::Sign("%")) => Arithmetic::Remainder,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.factor()?;
            left = self.node(Tree::Arithmetic(op, Box::new([left, right])), start)?;
        }
    }

    fn factor(&mut self) -> Parsed<Node> {
        let start = self.span();
        if self.eat("-") {
            let inner = self.nested(Self::factor)?;
            return self.node(Tree::Negate(Box::new(inner)), start);
        }
        if self.eat("(") {
            let inner = self.nested(|parser| match parser.eat("if") {
                true => parser.choice(start),
                false => parser.conjunction(),
            })?;
            self.expect(")", "to close the parenthesis")?;
            return Ok(Node { span: start.to(self.last_span()), ..inner });
        }
        match self.peek() {
            Some(Token::Int(value)) => {
                self.at += 1;
                self.node(Tree::Int(value), start)
            }
            Some(Token::Word(name)) if !WORDS.contains(&name) => {
                self.at += 1;
                if !self.eat("[") {
                    return self.node(Tree::Name(name.to_owned()), start);
                }
                let index = self.nested(Self::sum)?;
                self.expect("]", "after the index")?;
                self.node(Tree::Index(name.to_owned(), start, Box::new(index)), start)
            }
            _ => Err(self.unexpected("a number, a variable or `(`")),
        }
    }

    /// `if` is read already, the closing parenthesis is left.
    fn choice(&mut self, start: Span) -> Parsed<Node> {
        let condition = self.conjunction()?;
        self.expect("then", "after the condition")?;
        let yes = self.sum()?;
        self.expect("else", "with the other value")?;
        let no = self.sum()?;
        self.node(Tree::If(Box::new([condition, yes, no])), start)
    }

    fn sequence(&mut self) -> Parsed<Vec<Statement>> {
        let mut list = Vec::new();
        loop {
            list.push(self.statement()?);
            let more = self.eat(";");
            if !more || matches!(self.peek(), None | Some(Token::Word("end" | "else"))) {
                return Ok(list);
            }
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let statement = if self.eat("nop") {
            Statement::Nop
        } else if self.eat("if") {
            let condition = self.conjunction()?;
            self.expect("then", "after the condition")?;
            let yes = self.nested(Self::sequence)?;
            let no = if self.eat("else") { self.nested(Self::sequence)? } else { Vec::new() };
            self.expect("end", "of the `if`")?;
            Statement::If(condition, yes, no)
        } else if self.eat("while") {
            let condition = self.conjunction()?;
            self.expect("do", "after the condition")?;
            let body = self.nested(Self::sequence)?;
            self.expect("end", "of the `while`")?;
            Statement::While(condition, body)
        } else if self.eat("local") {
            let at = self.span();
            let Some(Token::Word(name)) = self.peek().filter(|_| !self.is_word()) else {
                return Err(self.unexpected("the name of a local variable"));
            };
            self.at += 1;
            if self.eat("[") {
                let size = self.sum()?;
                self.expect("]", "after the size")?;
                Statement::LocalArray(name.to_owned(), at, size)
            } else {
                let value = if self.eat("=") { Some(self.sum()?) } else { None };
                Statement::Local(name.to_owned(), at, value)
            }
        } else {
            match self.peek() {
                Some(Token::Word(_)) if !self.is_word() => {}
                _ => return Err(self.unexpected("a statement")),
            }
            let target = self.factor()?;
            self.expect("=", "of an assignment")?;
            Statement::Assign(target, self.sum()?)
        };
        Ok(statement)
    }

    fn is_word(&self) -> bool {
        matches!(self.peek(), Some(Token::Word(word)) if WORDS.contains(&word))
    }
}

fn flatten(node: Node, parts: &mut Vec<Node>) {
    match node.tree {
        Tree::And(inner) => parts.extend(inner),
        _ => parts.push(node),
    }
}
