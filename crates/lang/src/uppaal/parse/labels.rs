//! Labels of locations and edges, and the parameters of templates.

use crate::diagnostic::Diagnostic;
use crate::uppaal::ast::{Binding, Direction, ExponentialRate, Expr, ExprKind, Param, Sync};
use crate::uppaal::lexer::TokenKind;

use super::cursor::{Parsed, Parser};

impl Parser<'_> {
    /// Reports what stands behind the end of something.
    pub(super) fn nothing_more(&mut self, what: &str, help: Option<&str>) {
        if self.at_end() {
            return;
        }
        let help = match self.peek() {
            TokenKind::Semicolon if self.peek_at(1) == TokenKind::End => {
                Some("remove it: only declarations and statements end with `;`".to_owned())
            }
            _ => self.operator_help().or(help.map(str::to_owned)),
        };
        let error = Diagnostic::error(
            "parse::trailing",
            self.span(),
            format!("expected {what}, {}", self.found()),
        )
        .label("this does not belong to what stands before it")
        .maybe_help(help);
        self.report(error);
        self.give_up();
    }

    pub(super) fn parameters(&mut self) -> Vec<Param> {
        match self.parameter_list() {
            Ok(params) => {
                self.nothing_more("`,` or the end of the parameters", None);
                params
            }
            Err(_) => Vec::new(),
        }
    }

    pub(super) fn only_expression(&mut self) -> Option<Expr> {
        if self.at_end() {
            return None;
        }
        let start = self.span();
        match self.expression() {
            Ok(expr) => {
                let list = matches!(self.peek(), TokenKind::Comma | TokenKind::Semicolon);
                let help = list.then_some("join conditions with `&&`");
                self.nothing_more("an operator or the end", help);
                Some(expr)
            }
            Err(_) => Some(Expr { kind: ExprKind::Error, span: start.to(self.behind()) }),
        }
    }

    pub(super) fn updates(&mut self) -> Vec<Expr> {
        let mut updates = Vec::new();
        while !self.at_end() {
            if self.update_keyword().is_err() {
                break;
            }
            match self.expression() {
                Ok(update) => updates.push(update),
                Err(_) => {
                    if !self.skip_behind_comma() {
                        break;
                    }
                    continue;
                }
            }
            match self.peek() {
                TokenKind::Comma => {
                    self.bump();
                    if self.at_end() {
                        let help = "remove the last `,`".to_owned();
                        self.expected_or("another update", Some(help));
                    }
                }
                TokenKind::Semicolon => {
                    let error = Diagnostic::error(
                        "parse::update_separator",
                        self.span(),
                        "expected `,` between updates, found `;`",
                    )
                    .help("updates are separated by `,`, and nothing ends the last one");
                    self.report(error);
                    self.bump();
                }
                _ => {
                    self.nothing_more("an operator, `,` or the end", None);
                    break;
                }
            }
        }
        updates
    }

    fn update_keyword(&mut self) -> Parsed<()> {
        match self.word() {
            word @ ("if" | "for" | "while" | "do" | "return") => {
                let help = if word == "if" {
                    "write `x = condition ? a : b`, or call a function"
                } else {
                    "put it into a function, and call that"
                };
                let help = Some(help.to_owned());
                Err(self.expected_or("an update such as `x = 0` or `f()`", help))
            }
            _ => Ok(()),
        }
    }

    /// Skips behind the next `,` outside of brackets.
    fn skip_behind_comma(&mut self) -> bool {
        let mut n_open = 0_u32;
        while !self.at_end() {
            match self.peek() {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => n_open += 1,
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    n_open = n_open.saturating_sub(1);
                }
                TokenKind::Comma if n_open == 0 => {
                    self.bump();
                    return true;
                }
                _ => {}
            }
            self.bump();
        }
        false
    }

    pub(super) fn selects(&mut self) -> Vec<Binding> {
        let mut bindings = Vec::new();
        while !self.at_end() {
            match self.binding() {
                Ok(binding) => bindings.push(binding),
                Err(_) => {
                    if !self.skip_behind_comma() {
                        break;
                    }
                    continue;
                }
            }
            if self.eat(TokenKind::Comma) {
                if self.at_end() {
                    self.expected("another name and type");
                }
            } else {
                self.nothing_more("`,` or the end of the select", None);
                break;
            }
        }
        bindings.shrink_to_fit();
        bindings
    }

    pub(super) fn synchronisation(&mut self) -> Option<Sync> {
        if self.at_end() {
            return None;
        }
        if matches!(self.peek(), TokenKind::Not | TokenKind::Question) {
            let help = "write the channel first: `c!` to send, `c?` to receive".to_owned();
            self.expected_or("a channel", Some(help));
            return None;
        }
        let channel = self.simple_expression().ok()?;
        let direction = match self.peek() {
            TokenKind::Not => Direction::Send,
            TokenKind::Question => Direction::Receive,
            _ => Direction::Csp,
        };
        if direction != Direction::Csp {
            self.bump();
        }
        match direction {
            Direction::Csp => self.nothing_more("`!` or `?`", None),
            _ => {
                let help = Some("an edge synchronises on one channel");
                self.nothing_more("the end of the synchronisation", help);
            }
        }
        Some(Sync { channel, direction })
    }

    pub(super) fn rate(&mut self) -> Option<ExponentialRate> {
        if self.at_end() {
            return None;
        }
        let value = self.expression().ok()?;
        let divisor = if self.eat(TokenKind::Colon) { Some(self.expression().ok()?) } else { None };
        self.nothing_more("an operator, `:` or the end", None);
        Some(ExponentialRate { value, divisor })
    }

    /// Reads a channel: a name with indices.
    pub(super) fn channel(&mut self) -> Parsed<Expr> {
        let name = self.name("a channel")?;
        let mut channel = Expr { kind: ExprKind::Name(name.text), span: name.span };
        let mut n_indices = 0;
        while self.peek() == TokenKind::LeftBracket {
            let open = self.bump();
            let index = self.nested(Self::expression)?;
            let end = self.close(TokenKind::RightBracket, open, "an operator or ")?;
            n_indices += 1;
            if n_indices > super::cursor::MOST_NESTED {
                return Err(self.too_deep(open, super::cursor::MOST_NESTED));
            }
            let span = channel.span.to(end);
            let kind = ExprKind::Index(Box::new(channel), Box::new(index));
            channel = Expr { kind, span };
        }
        Ok(channel)
    }
}
