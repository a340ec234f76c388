//! Expressions, by binding power.
//!
//! From weak to strong, as Kind 2 and JKind have it: `when`; `->` and `fby`; `=>`; `or`, `xor`,
//! `nor`; `and`; comparisons; `+ -`; `* / div mod`; `^`; `pre`, `not`, `-`, casts; `.`, `[ ]`, `{ }`.
//! The branch behind `else` reaches as far as it can.

use super::{
    super::{
        ast::{Activation, Binary, Cast, Ex, ExKind, Ident, SampledBy, Sampling, Unary},
        lexer::TokenKind,
    },
    Parsed, Parser, Reported,
};
use crate::{Span, diagnostic::Diagnostic};

const WHEN: u8 = 1;
const ARROW: u8 = 2;
const IMPLIES: u8 = 3;
const PREFIX: u8 = 10;
const REPEAT: u8 = 9;

#[derive(Clone, Copy)]
enum Infix {
    Operator(Binary),
    Arrow,
    Fby,
    Repeat,
}

/// The operator that a token is, its power, and whether it groups to the right.
fn infix(kind: TokenKind) -> Option<(Infix, u8, bool)> {
    use TokenKind as K;
    let (operator, power) = match kind {
        K::Arrow => return Some((Infix::Arrow, ARROW, true)),
        K::Fby => return Some((Infix::Fby, ARROW, true)),
        K::Caret => return Some((Infix::Repeat, REPEAT, false)),
        K::Implies => return Some((Infix::Operator(Binary::Implies), IMPLIES, true)),
        K::Or => (Binary::Or, 4),
        K::Xor => (Binary::Xor, 4),
        K::Nor => (Binary::Nor, 4),
        K::And => (Binary::And, 5),
        K::Eq => (Binary::Eq, 6),
        K::Ne => (Binary::Ne, 6),
        K::Lt => (Binary::Lt, 6),
        K::Le => (Binary::Le, 6),
        K::Gt => (Binary::Gt, 6),
        K::Ge => (Binary::Ge, 6),
        K::Plus => (Binary::Add, 7),
        K::Minus => (Binary::Sub, 7),
        K::Times => (Binary::Mul, 8),
        K::Slash => (Binary::Div, 8),
        K::Div => (Binary::IntDiv, 8),
        K::Mod => (Binary::Mod, 8),
        _ => return None,
    };
    Some((Infix::Operator(operator), power, false))
}

/// The cast that a word is.
pub(in super::super) fn cast(word: &str) -> Option<Cast> {
    Some(match word {
        "int" => Cast::Int,
        "floor" => Cast::Floor,
        "real" => Cast::Real,
        _ => {
            let (bits, signed) = machine(word)?;
            Cast::Machine { bits, signed }
        }
    })
}

/// The machine integer that a word is.
pub(in super::super) fn machine(word: &str) -> Option<(u8, bool)> {
    let (signed, bits) = match word.strip_prefix('u') {
        Some(rest) => (false, rest.strip_prefix("int")?),
        None => (true, word.strip_prefix("int")?),
    };
    let bits = match bits {
        "8" => 8,
        "16" => 16,
        "32" => 32,
        "64" => 64,
        _ => return None,
    };
    Some((bits, signed))
}

impl Parser<'_> {
    pub(in super::super) fn expr(&mut self) -> Parsed<Ex> {
        self.expr_above(0)
    }

    /// The size of an array type, behind `^`.
    pub(super) fn size(&mut self) -> Parsed<Ex> {
        self.expr_above(REPEAT)
    }

    /// An expression of operators that bind stronger than `power`.
    fn expr_above(&mut self, power: u8) -> Parsed<Ex> {
        self.deeper(|parser| {
            let mut left = parser.prefix()?;
            loop {
                if parser.kind() == TokenKind::When && WHEN > power {
                    parser.advance();
                    let sampling = parser.sampling()?;
                    let span = parser.ast.span(left).to(parser.span_before());
                    left = parser.push(ExKind::When(left, sampling), span);
                    continue;
                }
                let Some((operator, own, to_right)) = infix(parser.kind()) else { return Ok(left) };
                if own <= power {
                    return Ok(left);
                }
                parser.advance();
                let right = parser.expr_above(if to_right { own - 1 } else { own })?;
                let span = parser.ast.span(left).to(parser.ast.span(right));
                let kind = match operator {
                    Infix::Operator(operator) => ExKind::Binary(operator, left, right),
                    Infix::Arrow => ExKind::Arrow(left, right),
                    Infix::Fby => ExKind::Fby(left, right),
                    Infix::Repeat => ExKind::Repeat(left, right),
                };
                left = parser.push(kind, span);
            }
        })
    }

    fn prefix(&mut self) -> Parsed<Ex> {
        let start = self.span();
        let kind: fn(Ex) -> ExKind = match self.kind() {
            TokenKind::Pre => ExKind::Pre,
            TokenKind::Current => ExKind::Current,
            TokenKind::Not => |operand| ExKind::Unary(Unary::Not, operand),
            TokenKind::Minus => |operand| ExKind::Unary(Unary::Neg, operand),
            TokenKind::If => return self.conditional(),
            TokenKind::Word => {
                if let Some(cast) = cast(self.slice(start)) {
                    self.advance();
                    let operand = self.expr_above(PREFIX)?;
                    let span = start.to(self.ast.span(operand));
                    return Ok(self.push(ExKind::Cast(cast, operand), span));
                }
                return self.postfix();
            }
            _ => return self.postfix(),
        };
        self.advance();
        let operand = self.expr_above(PREFIX)?;
        let span = start.to(self.ast.span(operand));
        Ok(self.push(kind(operand), span))
    }

    fn conditional(&mut self) -> Parsed<Ex> {
        let start = self.advance();
        let condition = self.expr()?;
        self.expect(TokenKind::Then, "`then`")?;
        let yes = self.expr()?;
        if self.kind() != TokenKind::Else {
            let help = "every `if` has an `else`: it gives a value".to_owned();
            return Err(self.expected_with("`else`", Some(help)));
        }
        self.advance();
        let no = self.expr_above(WHEN)?;
        let span = start.to(self.ast.span(no));
        Ok(self.push(ExKind::If(condition, yes, no), span))
    }

    /// `c`, `not c`, `c(true)`, `Value(c)`.
    pub(super) fn sampling(&mut self) -> Parsed<Sampling> {
        if self.eat(TokenKind::LeftParen) {
            let sampling = self.sampling()?;
            self.expect(TokenKind::RightParen, "`)`")?;
            return Ok(sampling);
        }
        if self.eat(TokenKind::Not) {
            let on = match self.eat(TokenKind::LeftParen) {
                true => {
                    let on = self.ident("the name of a clock")?;
                    self.expect(TokenKind::RightParen, "`)`")?;
                    on
                }
                false => self.ident("the name of a clock")?,
            };
            return Ok(Sampling { on, value: SampledBy::Truth(false) });
        }
        if matches!(self.kind(), TokenKind::True | TokenKind::False) {
            let truth = self.kind() == TokenKind::True;
            self.advance();
            self.expect(TokenKind::LeftParen, "`(`")?;
            let on = self.ident("the name of a clock")?;
            self.expect(TokenKind::RightParen, "`)`")?;
            return Ok(Sampling { on, value: SampledBy::Truth(truth) });
        }
        let on = self.ident("the name of a clock")?;
        if self.kind() == TokenKind::LeftParen {
            self.advance();
            let clock = self.ident("the name of a clock")?;
            self.expect(TokenKind::RightParen, "`)`")?;
            return Ok(Sampling { on: clock, value: SampledBy::Value(on) });
        }
        Ok(Sampling { on, value: SampledBy::Truth(true) })
    }

    fn postfix(&mut self) -> Parsed<Ex> {
        let mut ex = self.primary()?;
        loop {
            let start = self.ast.span(ex);
            match self.kind() {
                TokenKind::Dot => {
                    self.advance();
                    let field = self.ident("the name of a field")?;
                    ex = self.push(ExKind::Field(ex, field), start.to(field.span));
                }
                TokenKind::LeftBracket if self.continues() => {
                    self.advance();
                    let index = self.expr()?;
                    let value = match self.eat(TokenKind::Assign) {
                        true => Some(self.expr()?),
                        false => None,
                    };
                    let end = self.expect(TokenKind::RightBracket, "`]`")?;
                    let kind = match value {
                        Some(value) => ExKind::UpdateIndex(ex, index, value),
                        None => ExKind::Index(ex, index),
                    };
                    ex = self.push(kind, start.to(end));
                }
                TokenKind::LeftBrace => {
                    self.advance();
                    let field = self.ident("the name of a field")?;
                    self.expect(TokenKind::Assign, "`:=`")?;
                    let value = self.expr()?;
                    let end = self.expect(TokenKind::RightBrace, "`}`")?;
                    ex = self.push(ExKind::UpdateField(ex, field, value), start.to(end));
                }
                _ => return Ok(ex),
            }
        }
    }

    /// Whether `[` belongs to what stands before it: in a file of tolerances it may begin the
    /// next line.
    fn continues(&self) -> bool {
        self.with_calls || self.span_before().end == self.span().start
    }

    fn primary(&mut self) -> Parsed<Ex> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Int => ExKind::Int,
            TokenKind::Decimal => ExKind::Decimal,
            TokenKind::True => ExKind::Bool(true),
            TokenKind::False => ExKind::Bool(false),
            TokenKind::LeftParen => return self.parenthesised(),
            TokenKind::LeftBracket => {
                self.advance();
                let items = self.list(TokenKind::RightBracket, "`]`", Self::expr)?;
                let span = start.to(self.span_before());
                return Ok(self.push(ExKind::Array(items), span));
            }
            TokenKind::Hash => {
                self.advance();
                self.expect(TokenKind::LeftParen, "`(`")?;
                let items = self.list(TokenKind::RightParen, "`)`", Self::expr)?;
                let span = start.to(self.span_before());
                return Ok(self.push(ExKind::AtMostOne(items), span));
            }
            TokenKind::Merge => return self.merge(),
            TokenKind::Word => return self.named(),
            _ => return Err(self.expected("an expression")),
        };
        self.advance();
        Ok(self.push(kind, start))
    }

    /// `(e)`, a tuple, or an activation in parentheses with its arguments behind it.
    fn parenthesised(&mut self) -> Parsed<Ex> {
        let start = self.advance();
        if matches!(self.kind(), TokenKind::Word)
            && (self.is_word("activate") || self.is_word("restart"))
            && self.kind_after(1) == TokenKind::Word
        {
            let mut activation = self.activation()?;
            self.expect(TokenKind::RightParen, "`)`")?;
            activation.args = self.arguments()?;
            let span = start.to(self.span_before());
            return Ok(self.push(ExKind::Activate(Box::new(activation)), span));
        }
        let mut items = self.list(TokenKind::RightParen, "`)`", Self::expr)?;
        let span = start.to(self.span_before());
        if items.len() == 1
            && let Some(item) = items.pop()
        {
            // The text of an atom is taken from its place.
            if !matches!(
                self.ast.kind(item),
                ExKind::Int | ExKind::Decimal | ExKind::Bool(_) | ExKind::Name(_)
            ) {
                self.ast.widen(item, span);
            }
            return Ok(item);
        }
        Ok(self.push(ExKind::Tuple(items), span))
    }

    fn arguments(&mut self) -> Parsed<Vec<Ex>> {
        self.expect(TokenKind::LeftParen, "`(`")?;
        self.list(TokenKind::RightParen, "`)`", Self::expr)
    }

    fn named(&mut self) -> Parsed<Ex> {
        if self.is_word("condact") && self.kind_after(1) == TokenKind::LeftParen {
            return self.condact();
        }
        if (self.is_word("activate") || self.is_word("restart"))
            && self.kind_after(1) == TokenKind::Word
        {
            let start = self.span();
            let mut activation = self.activation()?;
            activation.args = self.arguments()?;
            let span = start.to(self.span_before());
            return Ok(self.push(ExKind::Activate(Box::new(activation)), span));
        }
        if self.is_word("forall") || self.is_word("exists") {
            return Err(self.unsupported("quantifiers are not read", "write the cases out"));
        }
        let name = self.used_name("an expression")?;
        match self.kind() {
            TokenKind::LeftParen if self.with_calls => {
                self.advance();
                let args = self.list(TokenKind::RightParen, "`)`", Self::expr)?;
                let span = name.span.to(self.span_before());
                Ok(self.push(ExKind::Call(name, args), span))
            }
            TokenKind::LeftBrace if self.kind_after(2) != TokenKind::Assign => {
                self.advance();
                let fields = self.fields()?;
                let span = name.span.to(self.span_before());
                Ok(self.push(ExKind::Record(name, fields), span))
            }
            TokenKind::Path => Err(self.unsupported(
                "references to modes of contracts are not read",
                "repeat the condition of the mode",
            )),
            _ => Ok(self.push(ExKind::Name(name.name), name.span)),
        }
    }

    pub(super) fn unsupported(&mut self, what: &str, help: &str) -> Reported {
        let diagnostic = Diagnostic::error("lustre::unsupported", self.span(), what).help(help);
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// The fields of a record, up to `}`.
    fn fields(&mut self) -> Parsed<Vec<(Ident, Ex)>> {
        let mut fields = Vec::new();
        while !self.eat(TokenKind::RightBrace) {
            let field = self.ident("the name of a field")?;
            if !self.eat(TokenKind::Assign) {
                self.expect(TokenKind::Eq, "`=`")?;
            }
            fields.push((field, self.expr()?));
            if !self.eat(TokenKind::Semicolon) && !self.eat(TokenKind::Comma) {
                self.expect(TokenKind::RightBrace, "`;` or `}`")?;
                break;
            }
        }
        Ok(fields)
    }

    fn merge(&mut self) -> Parsed<Ex> {
        let start = self.advance();
        let clock = match self.eat(TokenKind::LeftParen) {
            true => {
                let clock = self.ident("the name of a clock")?;
                self.expect(TokenKind::RightParen, "`)`")?;
                clock
            }
            false => self.ident("the name of a clock")?,
        };
        let mut arms = Vec::new();
        if self.kind() == TokenKind::Semicolon {
            // Kind 2 also writes `merge(c; a; b)`.
            return Err(self.expected("`(` and a value of the clock"));
        }
        while self.eat(TokenKind::LeftParen) {
            let value = match self.kind() {
                TokenKind::True | TokenKind::False => {
                    let truth = self.kind() == TokenKind::True;
                    self.advance();
                    SampledBy::Truth(truth)
                }
                _ => SampledBy::Value(self.ident("a value of the clock")?),
            };
            self.expect(TokenKind::Arrow, "`->`")?;
            arms.push((value, self.expr()?));
            self.expect(TokenKind::RightParen, "`)`")?;
        }
        if arms.is_empty() {
            return Err(self.expected("`(true -> …)` or `(Value -> …)`"));
        }
        let span = start.to(self.span_before());
        Ok(self.push(ExKind::Merge(clock, arms), span))
    }

    /// `condact(c, N(x), d1, d2)`.
    fn condact(&mut self) -> Parsed<Ex> {
        let start = self.advance();
        self.advance();
        let every = self.expr()?;
        self.expect(TokenKind::Comma, "`,`")?;
        let restart = None;
        let node = self.ident("the name of a node")?;
        let args = self.arguments()?;
        let initial = match self.eat(TokenKind::Comma) {
            true => Some(self.list(TokenKind::RightParen, "`)`", Self::expr)?),
            false => {
                self.expect(TokenKind::RightParen, "`,` or `)`")?;
                None
            }
        };
        let span = start.to(self.span_before());
        let activation = Activation { node, args, every: Some(every), restart, initial };
        Ok(self.push(ExKind::Activate(Box::new(activation)), span))
    }

    /// `activate N every c`, `restart N every r`, with what may follow; without arguments.
    fn activation(&mut self) -> Parsed<Activation> {
        let restarts = self.is_word("restart");
        self.advance();
        let node = self.ident("the name of a node")?;
        let mut activation =
            Activation { node, args: Vec::new(), every: None, restart: None, initial: None };
        if !self.eat_word("every") {
            return Err(self.expected("`every`"));
        }
        let condition = self.expr()?;
        if restarts {
            activation.restart = Some(condition);
            return Ok(activation);
        }
        activation.every = Some(condition);
        loop {
            if self.eat_word("initial") {
                self.eat_word("default");
                let initial = match self.eat(TokenKind::LeftParen) {
                    true => self.list(TokenKind::RightParen, "`)`", Self::expr)?,
                    false => vec![self.expr()?],
                };
                activation.initial = Some(initial);
            } else if self.eat_word("restart") {
                if !self.eat_word("every") {
                    return Err(self.expected("`every`"));
                }
                activation.restart = Some(self.expr()?);
            } else {
                return Ok(activation);
            }
        }
    }

    /// The place of an expression, for those who already have it.
    pub(super) fn span_of(&self, ex: Ex) -> Span {
        self.ast.span(ex)
    }
}
