//! What stands outside of nodes, and the heads of nodes.

use super::{
    super::{
        ast::{Constant, Contract, Declared, Ident, Node, NodeKind, TypeKind, TypeText},
        lexer::TokenKind,
    },
    Parsed, Parser, Reported,
    expressions::machine,
};

impl Parser<'_> {
    pub(super) fn file(&mut self) {
        while self.kind() != TokenKind::End {
            let before = self.at;
            if self.declaration().is_err() {
                if self.at == before {
                    self.advance();
                }
                self.recover();
            }
        }
    }

    /// Goes to where the next declaration may begin.
    fn recover(&mut self) {
        use TokenKind as K;
        while !matches!(self.kind(), K::End | K::Node | K::Function | K::Type)
            && !self.is_word("contract")
        {
            self.advance();
        }
    }

    fn declaration(&mut self) -> Parsed<()> {
        match self.kind() {
            TokenKind::Type => self.type_declarations(),
            TokenKind::Const => {
                self.advance();
                let constants = self.constants()?;
                self.ast.constants.extend(constants);
                Ok(())
            }
            TokenKind::Node => self.node(NodeKind::Node),
            TokenKind::Function => self.node(NodeKind::Function),
            TokenKind::Semicolon => {
                self.advance();
                Ok(())
            }
            // A mark outside of a node is a comment.
            TokenKind::Main | TokenKind::OtherMark => {
                self.advance();
                Ok(())
            }
            TokenKind::Word if self.is_word("contract") => self.node(NodeKind::Contract),
            TokenKind::Word if self.is_word("include") => {
                Err(self.unsupported("other files are not included", "put all nodes in one file"))
            }
            _ => Err(self.expected("`node`, `function`, `type` or `const`")),
        }
    }

    fn type_declarations(&mut self) -> Parsed<()> {
        self.advance();
        loop {
            let name = self.ident("the name of a type")?;
            if self.kind() == TokenKind::Semicolon {
                return Err(self.unsupported(
                    "types without a definition are not read",
                    "say what its values are, such as `type t = int;`",
                ));
            }
            self.expect(TokenKind::Eq, "`=`")?;
            let ty = self.type_text()?;
            self.ast.types.push(ty);
            self.ast.type_declarations.push((name, self.ast.types.len() - 1));
            self.expect(TokenKind::Semicolon, "`;`")?;
            if !(self.kind() == TokenKind::Word && self.kind_after(1) == TokenKind::Eq) {
                return Ok(());
            }
        }
    }

    pub(super) fn type_text(&mut self) -> Parsed<TypeText> {
        self.deeper(|parser| {
            let mut ty = parser.type_without_size()?;
            loop {
                let size = match parser.kind() {
                    TokenKind::Caret => {
                        parser.advance();
                        // A size is one name or number, or an expression in parentheses.
                        parser.size()?
                    }
                    TokenKind::LeftBracket => {
                        parser.advance();
                        let size = parser.expr()?;
                        parser.expect(TokenKind::RightBracket, "`]`")?;
                        size
                    }
                    _ => return Ok(ty),
                };
                let span = ty.span.to(parser.span_before());
                ty = TypeText { kind: TypeKind::Array(Box::new(ty), size), span };
            }
        })
    }

    fn type_without_size(&mut self) -> Parsed<TypeText> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::LeftBrace => {
                self.advance();
                TypeKind::Record(self.record_fields()?)
            }
            TokenKind::LeftParen => {
                self.advance();
                let inner = self.type_text()?;
                self.expect(TokenKind::RightParen, "`)`")?;
                return Ok(inner);
            }
            TokenKind::LeftBracket => {
                return Err(self.unsupported(
                    "tuple types are not read",
                    "declare one variable per part, or a record",
                ));
            }
            _ => {
                let word = self.ident("a type")?;
                match self.slice(word.span) {
                    "bool" => TypeKind::Bool,
                    "int" => TypeKind::Int,
                    "real" => TypeKind::Real,
                    "subrange" => {
                        self.expect(TokenKind::LeftBracket, "`[`")?;
                        let low = self.expr()?;
                        self.expect(TokenKind::Comma, "`,`")?;
                        let high = self.expr()?;
                        self.expect(TokenKind::RightBracket, "`]`")?;
                        if !(self.eat_word("of") && self.eat_word("int")) {
                            return Err(self.expected("`of int`"));
                        }
                        TypeKind::Subrange(low, high)
                    }
                    "enum" => {
                        self.expect(TokenKind::LeftBrace, "`{`")?;
                        let values = self.list(TokenKind::RightBrace, "`}`", |parser| {
                            parser.ident("the name of a value")
                        })?;
                        TypeKind::Enum(values)
                    }
                    "struct" => {
                        self.expect(TokenKind::LeftBrace, "`{`")?;
                        TypeKind::Record(self.record_fields()?)
                    }
                    text => match machine(text) {
                        Some((bits, signed)) => TypeKind::Machine { bits, signed },
                        None => TypeKind::Named(word.name),
                    },
                }
            }
        };
        Ok(TypeText { kind, span: start.to(self.span_before()) })
    }

    fn record_fields(&mut self) -> Parsed<Vec<(Ident, TypeText)>> {
        let mut fields = Vec::new();
        while !self.eat(TokenKind::RightBrace) {
            let names = self.names("the name of a field")?;
            let ty = self.type_text()?;
            fields.extend(names.into_iter().map(|name| (name, ty.clone())));
            if !self.eat(TokenKind::Semicolon) && !self.eat(TokenKind::Comma) {
                self.expect(TokenKind::RightBrace, "`;` or `}`")?;
                break;
            }
        }
        Ok(fields)
    }

    /// `a, b, c:`.
    fn names(&mut self, what: &str) -> Parsed<Vec<Ident>> {
        let mut names = vec![self.declared_name(what)?];
        while self.eat(TokenKind::Comma) {
            names.push(self.declared_name(what)?);
        }
        self.expect(TokenKind::Colon, "`:` and a type")?;
        Ok(names)
    }

    /// Constants behind `const`, as long as declarations follow.
    pub(super) fn constants(&mut self) -> Parsed<Vec<Constant>> {
        let mut constants = Vec::new();
        loop {
            let name = self.ident("the name of a constant")?;
            let ty = match self.eat(TokenKind::Colon) {
                true => {
                    let ty = self.type_text()?;
                    self.ast.types.push(ty);
                    Some(self.ast.types.len() - 1)
                }
                false => None,
            };
            let value = match self.eat(TokenKind::Eq) {
                true => Some(self.expr()?),
                false => None,
            };
            self.expect(TokenKind::Semicolon, "`;`")?;
            constants.push(Constant { name, ty, value });
            let goes_on = matches!(self.kind_after(1), TokenKind::Eq | TokenKind::Colon);
            if !(self.kind() == TokenKind::Word && goes_on) {
                return Ok(constants);
            }
        }
    }

    /// `a, b: t when c`, and pushes them.
    pub(super) fn declared(&mut self, into: &mut Vec<Declared>) -> Parsed<()> {
        self.eat(TokenKind::Const);
        // `(a: t) when c` is how older dialects write it.
        let parenthesised = self.eat(TokenKind::LeftParen);
        let names = self.names("the name of a variable")?;
        let ty = self.type_text()?;
        self.ast.types.push(ty);
        if parenthesised {
            self.expect(TokenKind::RightParen, "`)`")?;
        }
        let when = match self.eat(TokenKind::When) {
            true => Some(self.sampling()?),
            false => None,
        };
        let ty = self.ast.types.len() - 1;
        into.extend(names.into_iter().map(|name| Declared { name, ty, when }));
        Ok(())
    }

    fn parameters(&mut self) -> Parsed<Vec<Declared>> {
        self.expect(TokenKind::LeftParen, "`(`")?;
        let mut declared = Vec::new();
        while !self.eat(TokenKind::RightParen) {
            self.declared(&mut declared)?;
            if !self.eat(TokenKind::Semicolon) {
                self.expect(TokenKind::RightParen, "`;` or `)`")?;
                break;
            }
        }
        Ok(declared)
    }

    fn node(&mut self, kind: NodeKind) -> Parsed<()> {
        self.advance();
        let says_imported = self.is_word("imported") && self.kind_after(1) == TokenKind::Word;
        if says_imported {
            self.advance();
        }
        let name = self.declared_name("a name")?;
        if self.kind() == TokenKind::Lt {
            return Err(self.unsupported(
                "nodes with type parameters are not read",
                "write the node out for each type",
            ));
        }
        let inputs = self.parameters()?;
        self.expect(TokenKind::Returns, "`returns`")?;
        let outputs = self.parameters()?;
        self.eat(TokenKind::Semicolon);
        let mut node = Node {
            kind,
            name,
            inputs,
            outputs,
            locals: Vec::new(),
            constants: Vec::new(),
            equations: Vec::new(),
            assertions: Vec::new(),
            properties: Vec::new(),
            contract: Contract::default(),
            main: None,
            imported: false,
        };
        while self.kind() == TokenKind::OpenContract {
            self.advance();
            let result = self.contract_items(&mut node, TokenKind::CloseContract);
            if let Err(Reported) = result {
                while !matches!(self.kind(), TokenKind::CloseContract | TokenKind::End) {
                    self.advance();
                }
            }
            self.expect(TokenKind::CloseContract, "the end of the contract")?;
            self.eat(TokenKind::Semicolon);
        }
        if kind == NodeKind::Contract {
            self.expect(TokenKind::Let, "`let`")?;
            self.contract_items(&mut node, TokenKind::Tel)?;
            self.expect(TokenKind::Tel, "`tel`")?;
            self.eat(TokenKind::Semicolon);
        } else {
            let may_follow =
                matches!(self.kind(), TokenKind::Let | TokenKind::Var | TokenKind::Const);
            // A constant of the file may follow a function that has no body.
            let has_body = may_follow && (kind == NodeKind::Node || self.body_follows());
            node.imported = says_imported || !has_body;
            if !node.imported {
                self.locals(&mut node)?;
                self.body(&mut node)?;
            } else if kind == NodeKind::Node && !says_imported {
                return Err(self.expected("`var` or `let`"));
            }
        }
        self.ast.nodes.push(node);
        Ok(())
    }

    /// Whether a `let` comes before the next declaration.
    fn body_follows(&self) -> bool {
        use TokenKind as K;
        self.tokens[self.at..]
            .iter()
            .find(|token| matches!(token.kind, K::Let | K::Node | K::Function | K::Type | K::End))
            .is_some_and(|token| token.kind == K::Let)
    }
}
