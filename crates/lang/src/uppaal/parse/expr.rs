//! Expressions.
//!
//! Binary operators are joined with a stack of their own and chains to the right (`?:`,
//! assignments, prefixes) with a list, so only brackets and quantifiers recurse. Each subtree
//! carries its height: what would become higher than the parser allows is refused before it is
//! built, so no tree here is too high to be dropped.

use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::uppaal::ast::{BinaryOp, Binding, Expr, ExprKind, Name, Quantifier, UnaryOp};
use crate::uppaal::lexer::TokenKind;

use super::cursor::{Failed, HIGHEST_TREE, Mode, Parsed, Parser};
use super::words;

/// An expression while it is built.
pub(super) struct Built {
    pub(super) expr: Expr,
    /// With the parentheses around it.
    outer: Span,
    height: u32,
}

impl Built {
    fn leaf(kind: ExprKind, span: Span) -> Self {
        Self { expr: Expr { kind, span }, outer: span, height: 1 }
    }
}

/// A part of a chain that associates to the right.
enum Pending {
    Conditional(Built, Built),
    Assign(Option<BinaryOp>, Built),
}

enum Prefix {
    Unary(UnaryOp),
    Step { increment: bool },
}

impl Parser<'_> {
    /// Reads an expression, assignments included.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        Ok(self.built()?.expr)
    }

    /// Reads an expression that has neither `?:` nor assignments outside of brackets.
    pub(super) fn simple_expression(&mut self) -> Parsed<Expr> {
        Ok(self.operators()?.expr)
    }

    fn built(&mut self) -> Parsed<Built> {
        let mut pending = Vec::new();
        loop {
            let left = self.operators()?;
            if self.eat(TokenKind::Question) {
                let middle = self.nested(Self::built)?;
                self.conditional_colon()?;
                pending.push(Pending::Conditional(left, middle));
            } else if let Some(op) = assignment(self.peek()) {
                self.bump();
                pending.push(Pending::Assign(op, left));
            } else {
                return self.fold(pending, left);
            }
        }
    }

    fn conditional_colon(&mut self) -> Parsed<()> {
        if self.eat(TokenKind::Colon) {
            return Ok(());
        }
        let help = self.operator_help();
        Err(self.expected_or("an operator or the `:` of `?:`", help))
    }

    /// Joins a chain that associates to the right, from its end.
    fn fold(&mut self, mut pending: Vec<Pending>, last: Built) -> Parsed<Built> {
        let mut result = last;
        while let Some(part) = pending.pop() {
            result = match part {
                Pending::Conditional(condition, yes) => {
                    let span = condition.outer.to(result.outer);
                    let height = condition.height.max(yes.height).max(result.height);
                    let kind = ExprKind::Conditional(
                        Box::new(condition.expr),
                        Box::new(yes.expr),
                        Box::new(result.expr),
                    );
                    self.grown(kind, span, height)?
                }
                Pending::Assign(op, target) => {
                    let span = target.outer.to(result.outer);
                    let height = target.height.max(result.height);
                    let kind = ExprKind::Assign(op, Box::new(target.expr), Box::new(result.expr));
                    self.grown(kind, span, height)?
                }
            };
        }
        self.tallest = self.tallest.max(result.height);
        Ok(result)
    }

    /// A tree over trees of a height, unless it is too high.
    fn grown(&mut self, kind: ExprKind, span: Span, height: u32) -> Parsed<Built> {
        if height >= HIGHEST_TREE {
            return Err(self.too_deep(span, HIGHEST_TREE));
        }
        Ok(Built { expr: Expr { kind, span }, outer: span, height: height + 1 })
    }

    fn operators(&mut self) -> Parsed<Built> {
        let mut stack: Vec<(BinaryOp, u8, Built)> = Vec::new();
        let mut operand = self.prefixed()?;
        while let Some((op, power)) = self.binary_operator() {
            while stack.last().is_some_and(|(_, above, _)| *above >= power) {
                operand = self.join(stack.pop(), operand)?;
            }
            self.bump();
            stack.push((op, power, operand));
            operand = self.prefixed()?;
        }
        while !stack.is_empty() {
            operand = self.join(stack.pop(), operand)?;
        }
        Ok(operand)
    }

    fn join(&mut self, left: Option<(BinaryOp, u8, Built)>, right: Built) -> Parsed<Built> {
        let Some((op, _, left)) = left else { return Ok(right) };
        let span = left.outer.to(right.outer);
        let height = left.height.max(right.height);
        self.grown(ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr)), span, height)
    }

    fn binary_operator(&self) -> Option<(BinaryOp, u8)> {
        Some(match self.peek() {
            TokenKind::Or => (BinaryOp::Or, 1),
            TokenKind::Word => match self.word() {
                "or" => (BinaryOp::Or, 1),
                "xor" => (BinaryOp::Xor, 1),
                "imply" => (BinaryOp::Imply, 1),
                "and" => (BinaryOp::And, 2),
                _ => return None,
            },
            TokenKind::And => (BinaryOp::And, 2),
            TokenKind::BitOr => (BinaryOp::BitOr, 3),
            TokenKind::BitXor => (BinaryOp::BitXor, 4),
            TokenKind::BitAnd => (BinaryOp::BitAnd, 5),
            TokenKind::Equal => (BinaryOp::Equal, 6),
            TokenKind::NotEqual => (BinaryOp::NotEqual, 6),
            TokenKind::Less => (BinaryOp::Less, 7),
            TokenKind::LessEqual => (BinaryOp::LessEqual, 7),
            TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, 7),
            TokenKind::Greater => (BinaryOp::Greater, 7),
            TokenKind::Minimum => (BinaryOp::Minimum, 8),
            TokenKind::Maximum => (BinaryOp::Maximum, 8),
            TokenKind::ShiftLeft => (BinaryOp::ShiftLeft, 9),
            TokenKind::ShiftRight => (BinaryOp::ShiftRight, 9),
            TokenKind::Plus => (BinaryOp::Add, 10),
            TokenKind::Minus => (BinaryOp::Subtract, 10),
            TokenKind::Times => (BinaryOp::Multiply, 11),
            TokenKind::Divide => (BinaryOp::Divide, 11),
            TokenKind::Remainder => (BinaryOp::Remainder, 11),
            TokenKind::Power => (BinaryOp::Power, 12),
            _ => return None,
        })
    }

    fn prefixed(&mut self) -> Parsed<Built> {
        let mut prefixes = Vec::new();
        while let Some(prefix) = self.prefix() {
            prefixes.push((prefix, self.bump()));
        }
        let primary = self.primary()?;
        let operand = self.postfixed(primary)?;
        self.apply(prefixes, operand)
    }

    fn prefix(&self) -> Option<Prefix> {
        Some(match self.peek() {
            TokenKind::Minus if !self.is_least_int() => Prefix::Unary(UnaryOp::Negate),
            TokenKind::Plus => Prefix::Unary(UnaryOp::Plus),
            TokenKind::Not => Prefix::Unary(UnaryOp::Not),
            TokenKind::Word if self.word() == "not" => Prefix::Unary(UnaryOp::Not),
            TokenKind::Increment => Prefix::Step { increment: true },
            TokenKind::Decrement => Prefix::Step { increment: false },
            _ => return None,
        })
    }

    fn apply(&mut self, mut prefixes: Vec<(Prefix, Span)>, operand: Built) -> Parsed<Built> {
        let mut result = operand;
        while let Some((prefix, span)) = prefixes.pop() {
            let (span, height) = (span.to(result.outer), result.height);
            let inner = Box::new(result.expr);
            let kind = match prefix {
                Prefix::Unary(op) => ExprKind::Unary(op, inner),
                Prefix::Step { increment } => {
                    ExprKind::Step { target: inner, increment, prefix: true }
                }
            };
            result = self.grown(kind, span, height)?;
        }
        Ok(result)
    }

    fn is_least_int(&self) -> bool {
        self.peek_at(1) == TokenKind::Int && self.int_at(1) == 1 << 31
    }

    // Each of these is a function of its own because a frame of a debug build has room for all
    // the temporaries of all its arms, and these frames pile up where brackets are nested.

    fn postfixed(&mut self, primary: Built) -> Parsed<Built> {
        let mut result = primary;
        loop {
            result = match self.peek() {
                TokenKind::LeftParen => self.call(result)?,
                TokenKind::LeftBracket => self.index(result)?,
                TokenKind::Dot => self.member(result)?,
                TokenKind::Apostrophe => self.clock_rate(result)?,
                TokenKind::Increment => self.step(result, true)?,
                TokenKind::Decrement => self.step(result, false)?,
                _ => return Ok(result),
            };
        }
    }

    fn call(&mut self, callee: Built) -> Parsed<Built> {
        let (arguments, end, tallest) = self.arguments()?;
        let (span, height) = (callee.outer.to(end), callee.height.max(tallest));
        self.grown(ExprKind::Call(Box::new(callee.expr), arguments), span, height)
    }

    fn index(&mut self, array: Built) -> Parsed<Built> {
        let (index, end) = self.bracketed(TokenKind::RightBracket)?;
        self.indexed(array, index, end)
    }

    fn indexed(&mut self, array: Built, index: Built, end: Span) -> Parsed<Built> {
        let (span, height) = (array.outer.to(end), array.height.max(index.height));
        self.grown(ExprKind::Index(Box::new(array.expr), Box::new(index.expr)), span, height)
    }

    fn member(&mut self, of: Built) -> Parsed<Built> {
        self.bump();
        let text = self.word().to_owned();
        if text.is_empty() {
            return Err(self.expected("the name of a field or location behind `.`"));
        }
        let name = Name { text, span: self.bump() };
        let span = of.outer.to(name.span);
        self.grown(ExprKind::Member(Box::new(of.expr), name), span, of.height)
    }

    fn clock_rate(&mut self, clock: Built) -> Parsed<Built> {
        let span = clock.outer.to(self.bump());
        self.grown(ExprKind::Rate(Box::new(clock.expr)), span, clock.height)
    }

    fn step(&mut self, target: Built, increment: bool) -> Parsed<Built> {
        let span = target.outer.to(self.bump());
        let kind = ExprKind::Step { target: Box::new(target.expr), increment, prefix: false };
        self.grown(kind, span, target.height)
    }

    /// Reads an expression in brackets; what is wrong inside stays inside.
    fn bracketed(&mut self, close: TokenKind) -> Parsed<(Built, Span)> {
        let open = self.bump();
        let inner = self.nested(Self::built);
        self.bracketed_end(inner, open, close)
    }

    fn bracketed_end(
        &mut self,
        inner: Parsed<Built>,
        open: Span,
        close: TokenKind,
    ) -> Parsed<(Built, Span)> {
        let inner = inner.or_else(|failed| self.recover(close, failed))?;
        match self.close(close, open, "an operator or ") {
            Ok(end) => Ok((inner, open.to(end))),
            Err(_) if self.skip_to_close(close) => Ok((inner, open.to(self.bump()))),
            Err(failed) => Err(failed),
        }
    }

    fn recover(&mut self, close: TokenKind, failed: Failed) -> Parsed<Built> {
        if self.skip_to_close(close) {
            Ok(Built::leaf(ExprKind::Error, self.span()))
        } else {
            Err(failed)
        }
    }

    /// Reads arguments in parentheses; also where they end, and the height of the highest.
    pub(super) fn arguments(&mut self) -> Parsed<(Vec<Expr>, Span, u32)> {
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let mut arguments = Vec::new();
        let mut tallest = 0;
        while self.peek() != TokenKind::RightParen || !arguments.is_empty() {
            let argument = self.nested(Self::built);
            if !self.argument(argument, &mut arguments, &mut tallest)? {
                break;
            }
        }
        self.arguments_end(arguments, open, tallest)
    }

    /// Keeps an argument, and says whether another one follows.
    fn argument(
        &mut self,
        argument: Parsed<Built>,
        arguments: &mut Vec<Expr>,
        tallest: &mut u32,
    ) -> Parsed<bool> {
        let (argument, more) = match argument {
            Ok(argument) => (argument, self.eat(TokenKind::Comma)),
            Err(failed) => (self.recover(TokenKind::RightParen, failed)?, false),
        };
        *tallest = (*tallest).max(argument.height);
        arguments.push(argument.expr);
        Ok(more)
    }

    fn arguments_end(
        &mut self,
        arguments: Vec<Expr>,
        open: Span,
        tallest: u32,
    ) -> Parsed<(Vec<Expr>, Span, u32)> {
        match self.close(TokenKind::RightParen, open, "an operator, `,` or ") {
            Ok(end) => Ok((arguments, end, tallest)),
            Err(_) if self.skip_to_close(TokenKind::RightParen) => {
                Ok((arguments, self.bump(), tallest))
            }
            Err(failed) => Err(failed),
        }
    }

    /// Reads a number, a name, or an expression in parentheses, and nothing behind it.
    pub(super) fn primary(&mut self) -> Parsed<Built> {
        match self.peek() {
            TokenKind::LeftParen => {
                let (inner, outer) = self.bracketed(TokenKind::RightParen)?;
                Ok(Built { outer, ..inner })
            }
            TokenKind::Word => match self.word() {
                "forall" => self.quantified(Quantifier::Forall),
                "exists" => self.quantified(Quantifier::Exists),
                "sum" => self.quantified(Quantifier::Sum),
                _ => self.word_expression(),
            },
            _ => self.literal(),
        }
    }

    fn literal(&mut self) -> Parsed<Built> {
        let span = self.span();
        let kind = match self.peek() {
            TokenKind::Minus if self.is_least_int() => {
                self.bump();
                ExprKind::Int(i32::MIN)
            }
            TokenKind::Int => self.int(),
            // Every text of this form is a number; too large a one is infinite.
            TokenKind::Double => ExprKind::Double(self.slice().parse().unwrap_or(f64::INFINITY)),
            TokenKind::Str => ExprKind::Str(self.slice().trim_matches('"').to_owned()),
            _ => return Err(self.no_expression()),
        };
        let span = span.to(self.bump());
        Ok(Built::leaf(kind, span))
    }

    fn int_at(&self, ahead: usize) -> u64 {
        self.slice_at(ahead).parse().unwrap_or(u64::MAX)
    }

    fn int(&mut self) -> ExprKind {
        let value = self.int_at(0);
        if value == 1 << 31 {
            let error = Diagnostic::error(
                "parse::number_too_large",
                self.span(),
                "the number 2147483648 is only allowed behind a minus sign",
            )
            .help("integers have 32 bits: the largest is 2147483647");
            self.report(error);
        }
        ExprKind::Int(i32::try_from(value).unwrap_or(i32::MAX))
    }

    fn word_expression(&mut self) -> Parsed<Built> {
        let (word, span) = (self.word(), self.span());
        let query = self.mode == Mode::Query;
        let kind = match word {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "deadlock" if query => ExprKind::Deadlock,
            "foreach" if query && self.peek_at(1) == TokenKind::LeftParen => {
                self.unsupported
                    .get_or_insert(("`foreach` over the processes of a dynamic template", span));
                self.give_up();
                return Err(Failed);
            }
            "numOf" if query && self.peek_at(1) == TokenKind::LeftParen => {
                self.bump();
                let open = self.bump();
                let name = self.name("the name of a dynamic template")?;
                let end = self.close(TokenKind::RightParen, open, "")?;
                return Ok(Built::leaf(ExprKind::NumOf(name), span.to(end)));
            }
            "spawn" if !query => {
                self.bump();
                let name = self.name("the name of a dynamic template behind `spawn`")?;
                let (arguments, end, tallest) = self.arguments()?;
                return self.grown(ExprKind::Spawn(name, arguments), span.to(end), tallest);
            }
            "exit" if !query => {
                self.bump();
                let open = self.expect(TokenKind::LeftParen, "`(` behind `exit`")?;
                let end = self.close(TokenKind::RightParen, open, "")?;
                return Ok(Built::leaf(ExprKind::Exit, span.to(end)));
            }
            _ if words::reserved(word, self.mode) => return Err(self.no_expression()),
            _ => ExprKind::Name(word.to_owned()),
        };
        self.bump();
        Ok(Built::leaf(kind, span))
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Built> {
        let start = self.span();
        let before = std::mem::take(&mut self.tallest);
        let binding = self.quantified_binding();
        let tallest = self.tallest;
        self.tallest = tallest.max(before);
        let binding = binding?;
        let body = self.nested(Self::built)?;
        let (span, height) = (start.to(body.outer), tallest.max(body.height));
        let Some(binding) = binding else {
            return Ok(Built::leaf(ExprKind::Error, span));
        };
        let kind = ExprKind::Quantifier(quantifier, Box::new(binding), Box::new(body.expr));
        self.grown(kind, span, height)
    }

    /// Reads `forall (name : type)`; nothing if that was reported, and the body is still worth
    /// reading.
    fn quantified_binding(&mut self) -> Parsed<Option<Binding>> {
        let word = self.word();
        self.bump();
        let open = self.expect(TokenKind::LeftParen, &format!("`(` behind `{word}`"))?;
        match self.nested(Self::binding) {
            Ok(binding) => {
                self.close(TokenKind::RightParen, open, "")?;
                Ok(Some(binding))
            }
            Err(_) if self.skip_to_close(TokenKind::RightParen) => {
                self.bump();
                Ok(None)
            }
            Err(failed) => Err(failed),
        }
    }

    /// Reads `name : type`.
    pub(super) fn binding(&mut self) -> Parsed<Binding> {
        let type_first =
            words::starts_type(self.word()) || self.is_name_at(0) && self.is_name_at(1);
        if type_first {
            let help = "the name comes first: `i : int[0, 3]`".to_owned();
            return Err(self.expected_or("a name, `:` and a type", Some(help)));
        }
        let name = self.name("a name")?;
        self.expect(TokenKind::Colon, "`:` and a type behind the name")?;
        let ty = self.ty()?;
        Ok(Binding { name, ty })
    }

    fn no_expression(&mut self) -> Failed {
        let help = match self.peek() {
            TokenKind::Word => match self.word() {
                "if" => Some("write a choice between values as `condition ? a : b`"),
                word if words::starts_type(word) => {
                    Some("a type can not stand in an expression; there are no casts")
                }
                _ => None,
            },
            TokenKind::BitAnd if self.previous_kind() == TokenKind::BitAnd => {
                Some("write `&&` without a space in it")
            }
            TokenKind::BitOr if self.previous_kind() == TokenKind::BitOr => {
                Some("write `||` without a space in it")
            }
            TokenKind::Assign
                if matches!(self.previous_kind(), TokenKind::Assign | TokenKind::Equal) =>
            {
                Some("write `==` to compare")
            }
            TokenKind::Assign if self.previous_kind() == TokenKind::Less => Some("write `<=`"),
            TokenKind::Assign if self.previous_kind() == TokenKind::Greater => Some("write `>=`"),
            TokenKind::Assign if self.previous_kind() == TokenKind::Not => Some("write `!=`"),
            TokenKind::Dot if self.peek_at(1) == TokenKind::Int => {
                Some("a number starts with a digit: write `0.5` rather than `.5`")
            }
            TokenKind::LeftBrace => Some("lists in braces are only allowed as initial values"),
            _ => None,
        };
        self.expected_or("an expression", help.map(str::to_owned))
    }

    /// What to say where an operator could stand, but something else does.
    pub(super) fn operator_help(&self) -> Option<String> {
        Some(match self.peek() {
            TokenKind::Word => match words::meant_operator(self.word()) {
                Some(operator) => format!("write `{operator}`"),
                None => return None,
            },
            TokenKind::Diamond if matches!(self.previous_word(), "A" | "E") => {
                "a path quantifier can only stand at the start of a query".to_owned()
            }
            TokenKind::Diamond => "write `!=` to compare".to_owned(),
            TokenKind::LeadsTo if self.mode == Mode::Model => {
                "`-->` is for queries; write `-- >` to decrement and compare".to_owned()
            }
            TokenKind::Arrow if self.mode == Mode::Query => {
                "write `imply` for an implication; `p --> q` is a query of its own".to_owned()
            }
            TokenKind::Arrow => "write `.` for a member, or `imply` for an implication".to_owned(),
            _ => return None,
        })
    }
}

/// Which assignment a token is.
fn assignment(kind: TokenKind) -> Option<Option<BinaryOp>> {
    Some(match kind {
        TokenKind::Assign => None,
        TokenKind::AssignPlus => Some(BinaryOp::Add),
        TokenKind::AssignMinus => Some(BinaryOp::Subtract),
        TokenKind::AssignTimes => Some(BinaryOp::Multiply),
        TokenKind::AssignDivide => Some(BinaryOp::Divide),
        TokenKind::AssignRemainder => Some(BinaryOp::Remainder),
        TokenKind::AssignAnd => Some(BinaryOp::BitAnd),
        TokenKind::AssignOr => Some(BinaryOp::BitOr),
        TokenKind::AssignXor => Some(BinaryOp::BitXor),
        TokenKind::AssignShiftLeft => Some(BinaryOp::ShiftLeft),
        TokenKind::AssignShiftRight => Some(BinaryOp::ShiftRight),
        _ => return None,
    })
}
