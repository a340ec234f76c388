//! Tokens to syntax.
//!
//! A mistake is reported once; reading goes on with the next `context`.

use punctual_model::usecases::{Binary, Unary};

use super::{
    super::{DEPTH_MAX, sources::Reader},
    ast::{Ex, ExKind, Iteration, RawConstraint, Word},
    lexer::{Token, TokenKind, tokens},
};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

/// What was expected was not there; it was reported.
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Reads a file.
pub(in super::super) fn read(reader: &mut Reader) -> Vec<RawConstraint> {
    let text = reader.file.text.as_str();
    let diagnostics = &mut reader.diagnostics;
    let tokens = tokens(text, diagnostics);
    let mut parser = Parser { text, tokens, at: 0, depth: 0, diagnostics };
    let mut found = Vec::new();
    while parser.kind() != TokenKind::End {
        let before = parser.at;
        if parser.context(&mut found).is_err() {
            parser.recover(before);
        }
    }
    found
}

struct Parser<'p> {
    text: &'p str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    diagnostics: &'p mut Diagnostics,
}

/// Words that other parts of OCL begin with.
const REFUSED: [&str; 12] = [
    "if",
    "let",
    "pre",
    "post",
    "def",
    "init",
    "derive",
    "body",
    "package",
    "endpackage",
    "import",
    "Tuple",
];

impl<'p> Parser<'p> {
    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    fn said(&self) -> &'p str {
        &self.text[self.span().range()]
    }

    fn said_after(&self, n: usize) -> &'p str {
        match self.tokens.get(self.at + n) {
            Some(token) if token.kind != TokenKind::Key => &self.text[token.span.range()],
            _ => "",
        }
    }

    fn is(&self, text: &str) -> bool {
        matches!(self.kind(), TokenKind::Word | TokenKind::Symbol) && self.said() == text
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.advance();
        }
        found
    }

    fn fail(&mut self, span: Span, message: String, help: Option<&str>) -> Reported {
        let wrong = Diagnostic::error("ocl::syntax", span, message);
        self.diagnostics.push(wrong.maybe_help(help.map(str::to_owned)));
        Reported
    }

    fn expected(&mut self, what: &str) -> Reported {
        let is_end = self.is_boundary() && self.at > 0;
        let span = if is_end { self.tokens[self.at - 1].span } else { self.span() };
        let word = self.said();
        if self.kind() == TokenKind::Word && REFUSED.contains(&word) {
            let message = format!("`{word}` is not supported");
            let help = match word {
                "if" => "write `(a implies b) and (not a implies c)`",
                "pre" | "post" => "key a constraint to a sentence instead: `-- \"sentence\"`",
                _ => "write the expression out",
            };
            self.diagnostics.push(Diagnostic::error("ocl::unsupported", span, message).help(help));
            return Reported;
        }
        let message = match self.kind() {
            TokenKind::Unknown => return Reported,
            _ if is_end => format!("{what} is missing at the end of a constraint"),
            _ => format!("expected {what}, found `{word}`"),
        };
        self.fail(span, message, None)
    }

    fn expect(&mut self, text: &str) -> Parsed<Span> {
        match self.is(text) {
            true => Ok(self.advance()),
            false => Err(self.expected(&format!("`{text}`"))),
        }
    }

    fn word(&mut self, what: &str) -> Parsed<Word> {
        match self.kind() {
            TokenKind::Word if !self.is("context") => {
                let text = self.said().to_owned();
                Ok(Word { text, span: self.advance() })
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Whether another constraint begins here, or nothing.
    fn is_boundary(&self) -> bool {
        matches!(self.kind(), TokenKind::End | TokenKind::Key) || self.is("context")
    }

    /// Goes to the next constraint; `before` is where the last one began.
    fn recover(&mut self, before: usize) {
        if self.at == before {
            self.advance();
        }
        while !self.is_boundary() {
            self.advance();
        }
    }

    fn keys(&mut self) -> Vec<Word> {
        let mut found = Vec::new();
        while self.kind() == TokenKind::Key {
            found.push(Word { text: self.said().to_owned(), span: self.span() });
            self.advance();
        }
        found
    }

    /// A context with all its constraints.
    fn context(&mut self, found: &mut Vec<RawConstraint>) -> Parsed<()> {
        let mut keys = self.keys();
        if let (TokenKind::End, Some(key)) = (self.kind(), keys.last()) {
            let message = "there is no constraint below this key".to_owned();
            let help = "write `context Class inv: condition` below it";
            return Err(self.fail(key.span, message, Some(help)));
        }
        self.expect("context")?;
        let mut variable = None;
        if self.said_after(1) == ":" && self.said_after(3) == "inv" {
            variable = Some(self.word("a name")?);
            self.advance();
        }
        if self.is("inv") {
            return Err(self.expected("the name of a class"));
        }
        let context = self.word("the name of a class")?;
        if self.is("::") {
            let span = context.span.to(self.span());
            let message = "constraints on operations are not supported".to_owned();
            let wrong = Diagnostic::error("ocl::unsupported", span, message);
            let help = "key a constraint to the sentence of the step: `-- \"sentence\"`";
            self.diagnostics.push(wrong.help(help));
            return Err(Reported);
        }
        loop {
            let is_invariant = self.eat("inv");
            let is_named = is_invariant && self.kind() == TokenKind::Word;
            let name = if is_named { self.word("a name")?.text } else { String::new() };
            self.expect(":")?;
            let body = self.expr(0)?;
            let body_span = body.span;
            // A key may stand before another constraint of the same context.
            let n_keys = (self.tokens[self.at..].iter())
                .take_while(|token| token.kind == TokenKind::Key)
                .count();
            let behind = self.tokens.get(self.at + n_keys);
            let is_more = behind.is_some_and(|token| &self.text[token.span.range()] == "inv");
            if !is_more && !self.is_boundary() {
                return Err(self.expected("an operator or the next `context`"));
            }
            found.push(RawConstraint {
                keys: std::mem::take(&mut keys),
                is_invariant,
                name,
                context: context.clone(),
                variable: variable.clone(),
                body,
                body_span,
            });
            if !is_more {
                return Ok(());
            }
            keys = self.keys();
        }
    }

    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH_MAX {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    fn too_deep(&mut self, span: Span) -> Reported {
        let message = format!("more than {DEPTH_MAX} expressions are inside of each other");
        let help = "make several constraints of it";
        self.diagnostics.push(Diagnostic::error("ocl::too_deep", span, message).help(help));
        Reported
    }

    fn ex(&mut self, kind: ExKind, span: Span) -> Parsed<Ex> {
        let depth = 1 + match &kind {
            ExKind::Dot(of, _) | ExKind::Call(of, _) | ExKind::Unary(_, of) => of.depth,
            ExKind::Arrow(of, _, iteration) => {
                of.depth.max(iteration.as_ref().map_or(0, |it| it.body.depth))
            }
            ExKind::Binary(_, left, right) => left.depth.max(right.depth),
            // A chain becomes a balanced tree.
            ExKind::Chain(_, parts) => {
                let deepest = parts.iter().map(|it| it.depth).max().unwrap_or(0);
                deepest + parts.len().ilog2() as usize
            }
            _ => 0,
        };
        match depth > DEPTH_MAX {
            true => Err(self.too_deep(span)),
            false => Ok(Ex { kind, span, depth, is_closed: false }),
        }
    }

    /// The operator that comes next, and how strong it binds.
    fn infix(&self) -> Option<(Binary, u8)> {
        if !matches!(self.kind(), TokenKind::Word | TokenKind::Symbol) {
            return None;
        }
        Some(match self.said() {
            "implies" => (Binary::Implies, 1),
            "xor" => (Binary::Xor, 2),
            "or" => (Binary::Or, 3),
            "and" => (Binary::And, 4),
            "=" => (Binary::Eq, 5),
            "<>" => (Binary::Ne, 5),
            "<" => (Binary::Lt, 6),
            "<=" => (Binary::Le, 6),
            ">" => (Binary::Gt, 6),
            ">=" => (Binary::Ge, 6),
            "+" => (Binary::Add, 7),
            "-" => (Binary::Sub, 7),
            "*" => (Binary::Mul, 8),
            "/" => (Binary::Div, 8),
            _ => return None,
        })
    }

    /// An expression of operators that bind stronger than `power`.
    fn expr(&mut self, power: u8) -> Parsed<Ex> {
        self.deeper(|parser| {
            let mut left = parser.prefix()?;
            while let Some((operator, own)) = parser.infix() {
                if own <= power {
                    break;
                }
                let at = parser.advance();
                let right = parser.expr(own)?;
                let span = left.span.to(right.span);
                let is_implies = |ex: &Ex| matches!(ex.kind, ExKind::Binary(Binary::Implies, ..));
                if operator == Binary::Implies && is_implies(&left) && !left.is_closed {
                    let help = "write parentheses: `a implies (b implies c)`, or the other way";
                    let message = "two `implies` without parentheses".to_owned();
                    return Err(parser.fail(at, message, Some(help)));
                }
                left = match (operator, left) {
                    (
                        Binary::And | Binary::Or,
                        Ex { kind: ExKind::Chain(of, mut parts), depth, is_closed: false, .. },
                    ) if of == operator => {
                        let levels = |parts: &[Ex]| 1 + parts.len().ilog2() as usize;
                        let deepest = (depth - levels(&parts)).max(right.depth);
                        parts.push(right);
                        let depth = deepest + levels(&parts);
                        if depth > DEPTH_MAX {
                            return Err(parser.too_deep(span));
                        }
                        Ex { kind: ExKind::Chain(of, parts), span, depth, is_closed: false }
                    }
                    (Binary::And | Binary::Or, left) => {
                        parser.ex(ExKind::Chain(operator, vec![left, right]), span)?
                    }
                    (_, left) => {
                        let kind = ExKind::Binary(operator, Box::new(left), Box::new(right));
                        parser.ex(kind, span)?
                    }
                };
            }
            Ok(left)
        })
    }

    fn prefix(&mut self) -> Parsed<Ex> {
        let start = self.span();
        let operator = match self.is("not") {
            true => Unary::Not,
            false if self.is("-") => Unary::Neg,
            false => return self.postfix(),
        };
        self.advance();
        let operand = self.deeper(Self::prefix)?;
        let span = start.to(operand.span);
        self.ex(ExKind::Unary(operator, Box::new(operand)), span)
    }

    fn postfix(&mut self) -> Parsed<Ex> {
        let mut left = self.primary()?;
        loop {
            let is_arrow = self.is("->");
            if !is_arrow && !self.is(".") {
                return Ok(left);
            }
            self.advance();
            let name = self.word("the name of a feature or an operation")?;
            let start = left.span;
            let kind = match (is_arrow, self.is("(")) {
                (true, true) => {
                    let iteration = self.iteration()?;
                    ExKind::Arrow(Box::new(left), name, iteration.map(Box::new))
                }
                (true, false) => return Err(self.expected("`(`")),
                (false, true) => {
                    self.advance();
                    if !self.is(")") {
                        // What is between is of no use: all operations with arguments are refused.
                        let message = format!("the operation `{}` is not supported", name.text);
                        let wrong = Diagnostic::error("ocl::unsupported", name.span, message);
                        self.diagnostics.push(wrong.maybe_help(replacement(&name.text)));
                        return Err(Reported);
                    }
                    self.advance();
                    ExKind::Call(Box::new(left), name)
                }
                (false, false) => ExKind::Dot(Box::new(left), name),
            };
            let end = self.tokens[self.at - 1].span;
            left = self.ex(kind, start.to(end))?;
        }
    }

    /// What stands between the parentheses of an operation on a set.
    fn iteration(&mut self) -> Parsed<Option<Iteration>> {
        self.expect("(")?;
        if self.eat(")") {
            return Ok(None);
        }
        let (mut variable, mut class) = (None, None);
        if self.kind() == TokenKind::Word {
            if self.said_after(1) == "|" {
                variable = Some(self.word("a variable")?);
                self.advance();
            } else if self.said_after(1) == ":" {
                variable = Some(self.word("a variable")?);
                self.advance();
                class = Some(self.word("the name of a class")?);
                if self.is(",") {
                    return Err(self.two_variables());
                }
                self.expect("|")?;
            } else if self.said_after(1) == "," {
                self.advance();
                return Err(self.two_variables());
            }
        }
        let body = self.expr(0)?;
        self.expect(")")?;
        Ok(Some(Iteration { variable, class, body }))
    }

    fn two_variables(&mut self) -> Reported {
        let message = "an iterator with two variables is not supported";
        let help = "write one iterator inside of another";
        let wrong = Diagnostic::error("ocl::unsupported", self.span(), message);
        self.diagnostics.push(wrong.help(help));
        Reported
    }

    fn primary(&mut self) -> Parsed<Ex> {
        let span = self.span();
        match self.kind() {
            TokenKind::Number => {
                let text = self.said().to_owned();
                self.advance();
                self.ex(ExKind::Number(text), span)
            }
            TokenKind::Symbol if self.is("(") => {
                self.advance();
                let inner = self.expr(0)?;
                let end = self.expect(")")?;
                Ok(Ex { span: span.to(end), is_closed: true, ..inner })
            }
            TokenKind::Word => {
                let word = self.said();
                let is_refused = REFUSED.contains(&word) || ["context", "inv"].contains(&word);
                if is_refused {
                    return Err(self.expected("an expression"));
                }
                self.advance();
                let kind = match word {
                    "true" => ExKind::Boolean(true),
                    "false" => ExKind::Boolean(false),
                    "self" => ExKind::Context,
                    "null" | "invalid" => {
                        let message = format!("`{word}` is not supported");
                        let help = "an end that may have no object is a set: `->size() = 0`";
                        let wrong = Diagnostic::error("ocl::unsupported", span, message);
                        self.diagnostics.push(wrong.help(help));
                        return Err(Reported);
                    }
                    _ if self.is("::") => {
                        self.advance();
                        let value = self.word("a value of the enumeration")?;
                        let of = Word { text: word.to_owned(), span };
                        let span = span.to(value.span);
                        return self.ex(ExKind::Path(of, value), span);
                    }
                    _ if self.is("{") || self.is("(") => {
                        let message = format!("`{word}{}` is not supported", self.said());
                        let help = "sets come from associations and `allInstances`";
                        let wrong = Diagnostic::error("ocl::unsupported", span, message);
                        self.diagnostics.push(wrong.help(help));
                        return Err(Reported);
                    }
                    _ => ExKind::Name(word.to_owned()),
                };
                self.ex(kind, span)
            }
            _ => Err(self.expected("an expression")),
        }
    }
}

/// What to write instead of an operation.
pub(super) fn replacement(operation: &str) -> Option<String> {
    let text = match operation {
        "isEmpty" => "write `->size() = 0`",
        "notEmpty" => "write `->size() > 0`",
        "reject" => "write `->select(x | not …)`",
        "one" => "write `->select(x | …)->size() = 1`",
        "includes" => "write `->exists(x | x = …)`",
        "excludes" => "write `->forAll(x | x <> …)`",
        "collect" => "ask for each object: `->forAll(x | …)` or `->exists(x | …)`",
        "oclIsKindOf" | "oclIsTypeOf" | "oclAsType" => "write a constraint on the subclass",
        "div" | "mod" | "abs" | "max" | "min" | "round" | "floor" => {
            "write it with comparisons: numbers have `+`, `-`, `*` and `/`"
        }
        _ => return None,
    };
    Some(text.to_owned())
}
