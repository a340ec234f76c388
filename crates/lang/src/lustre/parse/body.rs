//! Locals and equations of a node.

use super::{
    super::{
        ast::{Claim, Equation, Node},
        lexer::TokenKind,
    },
    Parsed, Parser,
};

impl Parser<'_> {
    pub(super) fn locals(&mut self, node: &mut Node) -> Parsed<()> {
        loop {
            if self.eat(TokenKind::Const) {
                node.constants.extend(self.constants()?);
            } else if self.eat(TokenKind::Var) {
                while !matches!(self.kind(), TokenKind::Let | TokenKind::Var | TokenKind::Const) {
                    self.declared(&mut node.locals)?;
                    self.expect(TokenKind::Semicolon, "`;`")?;
                }
            } else {
                return Ok(());
            }
        }
    }

    pub(super) fn body(&mut self, node: &mut Node) -> Parsed<()> {
        self.expect(TokenKind::Let, "`let`")?;
        loop {
            match self.kind() {
                TokenKind::Tel => break,
                TokenKind::End | TokenKind::Node | TokenKind::Function | TokenKind::Type => {
                    return Err(self.expected("`tel`"));
                }
                _ => {}
            }
            if self.item(node).is_err() {
                self.skip_item();
            }
        }
        self.advance();
        if !self.eat(TokenKind::Semicolon) {
            self.eat(TokenKind::Dot);
        }
        Ok(())
    }

    /// Goes behind the next `;`, but not out of the node.
    fn skip_item(&mut self) {
        use TokenKind as K;
        while !matches!(self.kind(), K::End | K::Tel | K::Node | K::Function | K::Type) {
            if self.eat(K::Semicolon) {
                return;
            }
            self.advance();
        }
    }

    fn item(&mut self, node: &mut Node) -> Parsed<()> {
        match self.kind() {
            TokenKind::Main => {
                node.main = Some(self.advance());
                self.eat(TokenKind::Colon);
                if self.is_word("true") {
                    self.advance();
                }
                self.eat(TokenKind::Semicolon);
                Ok(())
            }
            TokenKind::OtherMark => {
                self.skip_item();
                Ok(())
            }
            TokenKind::Semicolon => {
                self.advance();
                Ok(())
            }
            TokenKind::Property => {
                self.advance();
                self.eat(TokenKind::Colon);
                self.property(node)
            }
            TokenKind::Word if self.is_word("check") && self.kind_after(1) != TokenKind::Eq => {
                self.advance();
                self.property(node)
            }
            TokenKind::Assert => {
                self.advance();
                let expr = self.expr()?;
                self.end_of_item()?;
                node.assertions.push(expr);
                Ok(())
            }
            TokenKind::Word if self.is_word("automaton") => Err(self.unsupported(
                "automata are not read",
                "write the automaton as equations over a variable for its state",
            )),
            _ => self.equation(node),
        }
    }

    fn property(&mut self, node: &mut Node) -> Parsed<()> {
        let claim = self.claim()?;
        self.end_of_item()?;
        node.properties.push(claim);
        Ok(())
    }

    /// An expression, with a name before it if it has one.
    pub(super) fn claim(&mut self) -> Parsed<Claim> {
        let name = match self.kind() {
            TokenKind::Text => {
                let span = self.advance();
                Some(self.slice(span).trim_matches('"').to_owned())
            }
            _ => None,
        };
        Ok(Claim { name, expr: self.expr()? })
    }

    pub(super) fn end_of_item(&mut self) -> Parsed<()> {
        match self.kind() {
            // The last one may stand without.
            TokenKind::Tel => Ok(()),
            _ => self.expect(TokenKind::Semicolon, "`;`").map(|_| ()),
        }
    }

    fn equation(&mut self, node: &mut Node) -> Parsed<()> {
        let start = self.span();
        let left = match self.eat(TokenKind::LeftParen) {
            true => {
                let what = "the name of a variable";
                self.list(TokenKind::RightParen, "`)`", |parser| parser.used_name(what))?
            }
            false => {
                let mut left = vec![self.used_name("an equation, `assert` or `tel`")?];
                while self.eat(TokenKind::Comma) {
                    left.push(self.used_name("the name of a variable")?);
                }
                left
            }
        };
        if self.kind() == TokenKind::LeftBracket {
            return Err(self.unsupported(
                "elements of arrays are not defined one by one",
                "define the whole array: `a = [x, y, z];`",
            ));
        }
        self.expect(TokenKind::Eq, "`=`")?;
        let right = self.expr()?;
        let span = start.to(self.span_of(right));
        self.end_of_item()?;
        node.equations.push(Equation { left, right, span });
        Ok(())
    }
}
