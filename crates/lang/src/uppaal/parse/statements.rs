//! Statements of functions.

use crate::Span;
use crate::diagnostic::{Diagnostic, closest};
use crate::uppaal::ast::{Block, Declaration, Expr, ExprKind, Statement};
use crate::uppaal::lexer::TokenKind;

use super::cursor::{Failed, Parsed, Parser};
use super::words;

/// How many `else if` may follow each other.
const MOST_ELSE_IFS: u32 = 2_000;

impl Parser<'_> {
    /// Reads a block with its braces.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.nested(Self::block_inside)
    }

    fn block_inside(&mut self) -> Parsed<Block> {
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        let mut block = Block::default();
        let mut first = None;
        while !matches!(self.peek(), TokenKind::RightBrace | TokenKind::End) {
            let (start, span) = (self.position(), self.span());
            let result = if self.starts_local() {
                self.local_declaration(&mut block, open, first)
            } else {
                first = first.or(Some(span));
                self.statement().map(|statement| block.statements.push(statement))
            };
            if result.is_err() {
                self.skip_statement();
            }
            if self.position() == start {
                self.bump();
            }
        }
        if self.at_end() {
            return Err(self.unclosed_block(open));
        }
        block.span = open.to(self.bump());
        Ok(block)
    }

    fn unclosed_block(&mut self, open: Span) -> Failed {
        let error = Diagnostic::error(
            "parse::unclosed",
            open,
            "expected `}`, but the text ends before this block does",
        )
        .label("this `{` is not closed");
        self.report(error)
    }

    fn starts_local(&self) -> bool {
        self.word() == "typedef"
            || self.starts_variable()
                && words::missing_statement(self.word()).is_none()
                && self.word() != "case"
    }

    fn local_declaration(
        &mut self,
        block: &mut Block,
        open: Span,
        first_statement: Option<Span>,
    ) -> Parsed<()> {
        let start = self.span();
        let mut declarations = Vec::new();
        let result = self.declaration(&mut declarations);
        let mut late = first_statement;
        for declaration in declarations {
            if let Declaration::Function(function) = declaration {
                let name = &function.name.text;
                let error = Diagnostic::error(
                    "parse::nested_function",
                    function.name.span,
                    format!("function `{name}` is declared inside a block"),
                )
                .also(open, "this block is not closed before it")
                .help("close the function before it with `}`, or move it out");
                self.report(error);
                late = None;
            } else {
                block.declarations.push(declaration);
            }
        }
        if let Some(statement) = late {
            let error = Diagnostic::error(
                "parse::late_declaration",
                start,
                "declarations come before the statements of a block",
            )
            .label("this declares something")
            .also(statement, "the first statement of the block")
            .help("move it up to the start of the block, or open a new block with `{`");
            self.report(error);
        }
        result
    }

    fn statement(&mut self) -> Parsed<Statement> {
        match self.peek() {
            TokenKind::Semicolon => {
                self.bump();
                return Ok(Statement::Empty);
            }
            TokenKind::LeftBrace => return self.block().map(Statement::Block),
            _ => {}
        }
        match self.word() {
            "if" => self.if_statement(),
            "while" => self.while_statement(),
            "do" => self.do_statement(),
            "for" => self.for_statement(),
            "return" => self.return_statement(),
            "assert" => {
                self.bump();
                let condition = self.expression()?;
                self.semicolon("an operator or ")?;
                Ok(Statement::Assert(condition))
            }
            "else" => self.lonely_else(),
            word if words::missing_statement(word).is_some()
                && matches!(
                    self.peek_at(1),
                    TokenKind::Semicolon | TokenKind::LeftParen | TokenKind::Word
                ) =>
            {
                self.missing_statement()
            }
            _ => self.expression_statement(),
        }
    }

    fn while_statement(&mut self) -> Parsed<Statement> {
        self.bump();
        let condition = self.condition("while")?;
        Ok(Statement::While(condition, Box::new(self.body()?)))
    }

    fn do_statement(&mut self) -> Parsed<Statement> {
        self.bump();
        let body = self.body()?;
        if !self.eat_word("while") {
            return Err(self.expected("`while` and the condition of `do`"));
        }
        let condition = self.condition("while")?;
        self.semicolon("")?;
        Ok(Statement::DoWhile(Box::new(body), condition))
    }

    fn return_statement(&mut self) -> Parsed<Statement> {
        let start = self.bump();
        if self.eat(TokenKind::Semicolon) {
            return Ok(Statement::Return(None, start));
        }
        let value = self.expression()?;
        let span = start.to(value.span);
        self.semicolon("an operator or ")?;
        Ok(Statement::Return(Some(value), span))
    }

    fn lonely_else(&mut self) -> Parsed<Statement> {
        let error = Diagnostic::error(
            "parse::else_without_if",
            self.span(),
            "this `else` belongs to no `if`",
        )
        .help(
            "between an `if` and its `else` stands one statement: put several into `{ … }`, and \
             no `;` behind the `}`",
        );
        self.report(error);
        self.bump();
        self.body()
    }

    fn expression_statement(&mut self) -> Parsed<Statement> {
        let expr = self.expression()?;
        match self.peek() {
            TokenKind::Comma => {
                let help = "statements end with `;`; only updates of edges are separated by `,`";
                Err(self.expected_or("an operator or `;`", Some(help.to_owned())))
            }
            TokenKind::LeftBrace => {
                let help = match &expr.kind {
                    ExprKind::Call(callee, _) => match &callee.kind {
                        ExprKind::Name(name) => closest(name, words::STATEMENT_STARTS),
                        _ => None,
                    },
                    _ => None,
                };
                let help = help.map(|keyword| format!("did you mean `{keyword}`?"));
                Err(self.expected_or("an operator or `;`", help))
            }
            _ => {
                self.semicolon("an operator or ")?;
                Ok(Statement::Expr(expr))
            }
        }
    }

    /// `break`, `switch` and the like of C.
    fn missing_statement(&mut self) -> Parsed<Statement> {
        let word = self.word();
        let help = words::missing_statement(word).unwrap_or_default();
        let error = Diagnostic::error(
            "parse::not_in_language",
            self.span(),
            format!("there is no `{word}` statement in this language"),
        )
        .help(help);
        self.report(error);
        self.skip_statement();
        Ok(Statement::Empty)
    }

    /// Reads the statement that another one controls; what is wrong inside stays inside.
    fn body(&mut self) -> Parsed<Statement> {
        if self.starts_local() {
            return Ok(self.lonely_declaration());
        }
        if matches!(self.peek(), TokenKind::RightBrace | TokenKind::End) {
            return Err(self.expected("a statement"));
        }
        let start = self.position();
        match self.nested(Self::statement) {
            Err(_) if !self.at_end() => {
                self.skip_statement();
                if self.position() == start { Err(Failed) } else { Ok(Statement::Empty) }
            }
            other => other,
        }
    }

    fn lonely_declaration(&mut self) -> Statement {
        let error = Diagnostic::error(
            "parse::late_declaration",
            self.span(),
            "a declaration can not stand here on its own",
        )
        .help("put it into a block `{ … }`");
        self.report(error);
        self.skip_statement();
        Statement::Empty
    }

    /// Reads a condition in parentheses.
    fn condition(&mut self, keyword: &str) -> Parsed<Expr> {
        let what = format!("`(` behind `{keyword}`");
        let open = self.expect(TokenKind::LeftParen, &what)?;
        let condition = match self.nested(Self::expression) {
            Ok(condition) => condition,
            Err(_) if self.skip_to_close(TokenKind::RightParen) => {
                Expr { kind: ExprKind::Error, span: self.span() }
            }
            Err(_) if self.skip_to_brace() => {
                return Ok(Expr { kind: ExprKind::Error, span: self.span() });
            }
            Err(failed) => return Err(failed),
        };
        if self.peek() == TokenKind::Comma {
            let help = "join conditions with `&&`".to_owned();
            self.expected_or("an operator or `)`", Some(help));
            self.skip_to_close(TokenKind::RightParen);
        }
        match self.close(TokenKind::RightParen, open, "an operator or ") {
            Err(_) if self.skip_to_close(TokenKind::RightParen) => {
                self.bump();
            }
            Err(_) if self.peek() == TokenKind::LeftBrace || self.skip_to_brace() => {}
            Err(failed) => return Err(failed),
            Ok(_) => {}
        }
        Ok(condition)
    }

    /// Skips to a `{`, if one comes before the statement ends.
    fn skip_to_brace(&mut self) -> bool {
        let mut ahead = 0;
        loop {
            match self.peek_at(ahead) {
                TokenKind::LeftBrace => break,
                TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::End => return false,
                _ => ahead += 1,
            }
        }
        for _ in 0..ahead {
            self.bump();
        }
        true
    }

    fn if_statement(&mut self) -> Parsed<Statement> {
        let before = self.n_else_ifs;
        let result = self.if_chain();
        self.n_else_ifs = before;
        result
    }

    fn if_chain(&mut self) -> Parsed<Statement> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let start = self.bump();
            let condition = self.condition("if")?;
            arms.push((condition, self.body()?));
            if !self.eat_word("else") {
                break;
            }
            if self.word() != "if" {
                otherwise = Some(Box::new(self.body()?));
                break;
            }
            self.n_else_ifs += 1;
            if self.n_else_ifs > MOST_ELSE_IFS {
                return Err(self.too_deep(start, MOST_ELSE_IFS));
            }
        }
        let mut result = None;
        while let Some((condition, then)) = arms.pop() {
            let statement = Statement::If(condition, Box::new(then), otherwise);
            otherwise = None;
            if arms.is_empty() {
                result = Some(statement);
            } else {
                otherwise = Some(Box::new(statement));
            }
        }
        Ok(result.unwrap_or(Statement::Empty))
    }

    fn for_statement(&mut self) -> Parsed<Statement> {
        let start = self.bump();
        let open = self.expect(TokenKind::LeftParen, "`(` behind `for`")?;
        if self.is_name_at(0) && self.peek_at(1) == TokenKind::Colon {
            let binding = match self.binding() {
                Ok(binding) => Some(binding),
                Err(_) if self.skip_to_close(TokenKind::RightParen) => None,
                Err(failed) => return Err(failed),
            };
            self.close(TokenKind::RightParen, open, "")?;
            let body = Box::new(self.body()?);
            return Ok(match binding {
                Some(binding) => Statement::ForRange(binding, body),
                None => Statement::Empty,
            });
        }
        match self.for_head(open) {
            Ok((init, condition, step)) => {
                let body = self.body()?;
                let span = start.to(self.previous());
                Ok(in_sequence(init, condition, step, body, span))
            }
            Err(failed) => {
                // The body is still worth reading.
                if self.skip_to_for_body() {
                    self.body()?;
                    Ok(Statement::Empty)
                } else {
                    Err(failed)
                }
            }
        }
    }

    fn for_head(&mut self, open: Span) -> Parsed<(Vec<Expr>, Expr, Vec<Expr>)> {
        if self.starts_variable() {
            let help = "declare the variable before the loop, or write `for (i : int[0, 9])`";
            return Err(self.expected_or("an expression", Some(help.to_owned())));
        }
        let init = self.expressions()?;
        self.expect(TokenKind::Semicolon, "`;` and the condition of the loop")?;
        let condition = self.nested(Self::expression)?;
        if self.peek() == TokenKind::Comma {
            let help = "join conditions with `&&`".to_owned();
            return Err(self.expected_or("an operator or `;`", Some(help)));
        }
        self.expect(TokenKind::Semicolon, "`;` and the step of the loop")?;
        let step = self.expressions()?;
        self.close(TokenKind::RightParen, open, "an operator, `,` or ")?;
        Ok((init, condition, step))
    }

    /// Skips behind the `)` of a `for`, over the `;` inside.
    fn skip_to_for_body(&mut self) -> bool {
        let mut n_open = 0_u32;
        let mut ahead = 0;
        loop {
            match self.peek_at(ahead) {
                TokenKind::LeftParen => n_open += 1,
                TokenKind::RightParen if n_open == 0 => break,
                TokenKind::RightParen => n_open -= 1,
                TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::End => return false,
                _ => {}
            }
            ahead += 1;
        }
        for _ in 0..=ahead {
            self.bump();
        }
        true
    }

    /// Reads expressions with `,` between them.
    pub(super) fn expressions(&mut self) -> Parsed<Vec<Expr>> {
        let mut expressions = Vec::new();
        loop {
            expressions.push(self.nested(Self::expression)?);
            if !self.eat(TokenKind::Comma) {
                return Ok(expressions);
            }
        }
    }
}

/// A `for` whose head has several initial expressions or steps, by one that has one of each:
/// nothing leaves a loop but its condition and `return`, so they may stand around the body.
fn in_sequence(
    mut init: Vec<Expr>,
    condition: Expr,
    mut step: Vec<Expr>,
    body: Statement,
    span: Span,
) -> Statement {
    let nothing = || Expr { kind: ExprKind::Error, span };
    let last_init = init.pop().unwrap_or_else(nothing);
    let last_step = step.pop().unwrap_or_else(nothing);
    let body = if step.is_empty() {
        body
    } else {
        let steps = step.into_iter().map(Statement::Expr);
        Statement::Block(Block {
            declarations: Vec::new(),
            statements: std::iter::once(body).chain(steps).collect(),
            span,
        })
    };
    let repeated = Statement::For(last_init, condition, last_step, Box::new(body));
    if init.is_empty() {
        return repeated;
    }
    let first = init.into_iter().map(Statement::Expr);
    Statement::Block(Block {
        declarations: Vec::new(),
        statements: first.chain(std::iter::once(repeated)).collect(),
        span,
    })
}
