//! Contracts of Kind 2.

use super::{
    super::{
        ast::{Constant, Declared, Equation, Import, Mode, Node},
        lexer::TokenKind,
    },
    Parsed, Parser,
};

impl Parser<'_> {
    /// The items of a contract, up to a token that is not eaten. Its variables are locals of the
    /// node.
    pub(super) fn contract_items(&mut self, node: &mut Node, close: TokenKind) -> Parsed<()> {
        while self.kind() != close {
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            if self.eat(TokenKind::Const) {
                node.constants.push(self.ghost_constant()?);
            } else if self.eat(TokenKind::Var) {
                self.ghost_variable(node)?;
            } else if self.eat_word("weakly") {
                // A weak assumption is an assumption for those who do not check realizability.
            } else if self.eat_word("assume") {
                let claim = self.claim()?;
                self.expect(TokenKind::Semicolon, "`;`")?;
                node.contract.assume.push(claim.expr);
            } else if self.eat_word("guarantee") {
                let claim = self.claim()?;
                self.expect(TokenKind::Semicolon, "`;`")?;
                node.contract.guarantee.push(claim);
            } else if self.eat_word("mode") {
                let mode = self.mode()?;
                node.contract.modes.push(mode);
            } else if self.eat_word("import") {
                let contract = self.ident("the name of a contract")?;
                self.expect(TokenKind::LeftParen, "`(`")?;
                let inputs = self.list(TokenKind::RightParen, "`)`", Self::expr)?;
                self.expect(TokenKind::Returns, "`returns`")?;
                self.expect(TokenKind::LeftParen, "`(`")?;
                let outputs = self.list(TokenKind::RightParen, "`)`", Self::expr)?;
                self.expect(TokenKind::Semicolon, "`;`")?;
                node.contract.imports.push(Import { contract, inputs, outputs });
            } else {
                return Err(self.expected("`assume`, `guarantee`, `mode`, `import` or `var`"));
            }
        }
        Ok(())
    }

    fn ghost_constant(&mut self) -> Parsed<Constant> {
        let name = self.ident("the name of a constant")?;
        let ty = match self.eat(TokenKind::Colon) {
            true => {
                let ty = self.type_text()?;
                self.ast.types.push(ty);
                Some(self.ast.types.len() - 1)
            }
            false => None,
        };
        self.expect(TokenKind::Eq, "`=`")?;
        let value = Some(self.expr()?);
        self.expect(TokenKind::Semicolon, "`;`")?;
        Ok(Constant { name, ty, value })
    }

    fn ghost_variable(&mut self, node: &mut Node) -> Parsed<()> {
        let name = self.ident("the name of a variable")?;
        self.expect(TokenKind::Colon, "`:` and a type")?;
        let ty = self.type_text()?;
        self.ast.types.push(ty);
        self.expect(TokenKind::Eq, "`=`")?;
        let right = self.expr()?;
        let span = name.span.to(self.span_of(right));
        self.expect(TokenKind::Semicolon, "`;`")?;
        node.locals.push(Declared { name, ty: self.ast.types.len() - 1, when: None });
        node.equations.push(Equation { left: vec![name], right, span });
        Ok(())
    }

    fn mode(&mut self) -> Parsed<Mode> {
        let name = self.ident("the name of a mode")?;
        let mut mode = Mode { name: self.slice(name.span).to_owned(), ..Mode::default() };
        self.expect(TokenKind::LeftParen, "`(`")?;
        while !self.eat(TokenKind::RightParen) {
            if self.eat_word("require") {
                let claim = self.claim()?;
                mode.require.push(claim.expr);
            } else if self.eat_word("ensure") {
                let claim = self.claim()?;
                mode.ensure.push(claim);
            } else {
                return Err(self.expected("`require`, `ensure` or `)`"));
            }
            self.expect(TokenKind::Semicolon, "`;`")?;
        }
        self.eat(TokenKind::Semicolon);
        Ok(mode)
    }
}
