//! Declarations of variables, types, functions and channels' priorities.

use crate::Span;
use crate::diagnostic::{Diagnostic, closest};
use crate::uppaal::ast::{
    ChanPriority, Declaration, Expr, ExternalFunction, Function, Initialiser, Type, Variable,
};
use crate::uppaal::lexer::TokenKind;

use super::cursor::{Failed, Parsed, Parser};
use super::words;

impl Parser<'_> {
    /// Reads declarations up to the end of the text.
    pub(super) fn declaration_list(&mut self) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        while !self.at_end() {
            let start = self.position();
            if self.declaration(&mut declarations).is_err() {
                self.skip_statement();
            }
            if self.position() == start {
                self.bump();
            }
        }
        declarations
    }

    /// Reads one declaration, which may declare several variables.
    pub(super) fn declaration(&mut self, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        match self.word() {
            "typedef" => return self.typedef(declarations),
            "chan" if self.word_at(1) == "priority" => {
                let priority = self.chan_priority()?;
                declarations.push(priority);
                return Ok(());
            }
            "before_update" => {
                let updates = self.updates_in_braces()?;
                declarations.push(Declaration::BeforeUpdate(updates));
                return Ok(());
            }
            "after_update" => {
                let updates = self.updates_in_braces()?;
                declarations.push(Declaration::AfterUpdate(updates));
                return Ok(());
            }
            "dynamic" => {
                self.bump();
                let name = self.name("the name of a template behind `dynamic`")?;
                let params = self.parenthesised_parameters()?;
                declarations.push(Declaration::Dynamic(name, params));
                return self.semicolon("");
            }
            "import" => {
                let import = self.import()?;
                declarations.push(import);
                return Ok(());
            }
            "IO" => return self.skip_io(),
            _ => {}
        }
        if self.starts_variable() {
            return self.variables_or_function(declarations);
        }
        match self.peek() {
            TokenKind::Semicolon => {
                self.stray_semicolon();
                Ok(())
            }
            TokenKind::RightBrace => {
                let error =
                    Diagnostic::error("parse::unopened", self.span(), "this `}` closes nothing")
                        .help("check the braces of the function before it");
                self.report(error);
                self.bump();
                Ok(())
            }
            TokenKind::Hash => {
                let help = "there is no preprocessor: use `const` and `typedef`".to_owned();
                self.expected_or("a declaration", Some(help));
                self.skip_line();
                Ok(())
            }
            _ => Err(self.no_declaration()),
        }
    }

    fn stray_semicolon(&mut self) {
        self.warn(
            Diagnostic::warning("parse::stray_semicolon", self.span(), "this `;` ends nothing")
                .help("remove it: other tools refuse it"),
        );
        self.bump();
    }

    fn no_declaration(&mut self) -> Failed {
        let word = self.word();
        let help = match self.peek() {
            TokenKind::Word => match word {
                "system" => "the system line belongs to the system declarations".to_owned(),
                "process" | "state" | "trans" | "init" => {
                    "templates of the XTA format can not stand inside declarations".to_owned()
                }
                "if" | "for" | "while" | "do" | "return" | "assert" | "else" => {
                    "statements are only allowed inside functions".to_owned()
                }
                _ if self.is_name_at(0) => match self.peek_at(1) {
                    TokenKind::Assign if self.peek_at(3) == TokenKind::LeftParen => {
                        "templates are instantiated in the system declarations".to_owned()
                    }
                    TokenKind::Assign
                    | TokenKind::AssignPlus
                    | TokenKind::AssignMinus
                    | TokenKind::Increment
                    | TokenKind::Decrement => {
                        "assignments belong to edges and functions; a declaration starts with a \
                         type"
                            .to_owned()
                    }
                    _ => match closest(word, words::DECLARATION_STARTS) {
                        Some(keyword) => format!("did you mean `{keyword}`?"),
                        None => "a declaration starts with a type: `int x;`".to_owned(),
                    },
                },
                _ => return self.expected("a declaration"),
            },
            _ => return self.expected("a declaration"),
        };
        self.expected_or("a declaration", Some(help))
    }

    fn typedef(&mut self, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        self.bump();
        let ty = self.ty()?;
        loop {
            let name = self.name("the name of the new type")?;
            let dimensions = self.dimensions()?;
            declarations.push(Declaration::Typedef(Variable {
                ty: ty.clone(),
                name,
                dimensions,
                initial: None,
            }));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.semicolon("`,` or ")
    }

    fn variables_or_function(&mut self, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        self.old_const = false;
        let ty = self.ty()?;
        let named = self.is_name_at(0);
        if named && self.peek_at(1) == TokenKind::LeftParen {
            let function = self.function(ty)?;
            declarations.push(Declaration::Function(function));
            return Ok(());
        }
        self.variables(ty, declarations)
    }

    /// Reads the variables behind their type.
    pub(super) fn variables(
        &mut self,
        ty: Type,
        declarations: &mut Vec<Declaration>,
    ) -> Parsed<()> {
        loop {
            let name = self.name("a name behind the type")?;
            let dimensions = self.dimensions()?;
            let initial = if self.eat(TokenKind::Assign) {
                Some(self.initialiser()?)
            } else if matches!(
                self.peek(),
                TokenKind::Int | TokenKind::Double | TokenKind::Minus | TokenKind::LeftBrace
            ) {
                if !self.old_const {
                    let help = format!("write `{} = …`", name.text);
                    self.expected_or("`=` before the value", Some(help));
                }
                Some(self.initialiser()?)
            } else {
                None
            };
            declarations.push(Declaration::Variable(Variable {
                ty: ty.clone(),
                name,
                dimensions,
                initial,
            }));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let behind_value = !matches!(
            declarations.last(),
            Some(Declaration::Variable(Variable { initial: None, .. }))
        );
        self.semicolon(if behind_value { "an operator, `,` or " } else { "`=`, `,` or " })
    }

    fn initialiser(&mut self) -> Parsed<Initialiser> {
        if self.peek() != TokenKind::LeftBrace {
            return Ok(Initialiser::Expr(self.nested(Self::expression)?));
        }
        let open = self.bump();
        let mut entries = Vec::new();
        while self.peek() != TokenKind::RightBrace {
            let field = if self.is_name_at(0) && self.peek_at(1) == TokenKind::Colon {
                let name = self.name("the name of a field")?;
                self.bump();
                Some(name)
            } else {
                None
            };
            entries.push((field, self.nested(Self::initialiser)?));
            if !self.eat(TokenKind::Comma) {
                break;
            }
            if self.peek() == TokenKind::RightBrace {
                self.expected_or("another value", Some("remove the last `,`".to_owned()));
            }
        }
        let end = self.close(TokenKind::RightBrace, open, "an operator, `,` or ")?;
        Ok(Initialiser::List(entries, open.to(end)))
    }

    /// Reads a function behind the type that it returns.
    pub(super) fn function(&mut self, returns: Type) -> Parsed<Function> {
        let name = self.name("the name of a function")?;
        let params = self.parenthesised_parameters()?;
        if self.peek() == TokenKind::Semicolon {
            let error = Diagnostic::error(
                "parse::function_without_body",
                self.span(),
                format!("expected the body of function `{}`, found `;`", name.text),
            )
            .help("there are no forward declarations: put functions before those that call them");
            return Err(self.report(error));
        }
        if self.peek() != TokenKind::LeftBrace {
            let what = format!("`{{` and the body of function `{}`", name.text);
            return Err(self.expected(&what));
        }
        let body = self.block()?;
        Ok(Function { returns, name, params, body })
    }

    fn updates_in_braces(&mut self) -> Parsed<Vec<Expr>> {
        let word = self.word();
        self.bump();
        let open = self.expect(TokenKind::LeftBrace, &format!("`{{` behind `{word}`"))?;
        let mut updates = Vec::new();
        while self.peek() != TokenKind::RightBrace {
            updates.push(self.expression()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(TokenKind::RightBrace, open, "an operator, `,` or ")?;
        Ok(updates)
    }

    fn chan_priority(&mut self) -> Parsed<Declaration> {
        let start = self.bump();
        self.bump();
        let mut groups = Vec::new();
        let mut group = Vec::new();
        loop {
            group.push(self.priority_channel()?);
            if self.eat(TokenKind::Less) {
                groups.push(std::mem::take(&mut group));
            } else if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        groups.push(group);
        let span = start.to(self.span());
        self.semicolon("`,`, `<` or ")?;
        Ok(Declaration::ChanPriority(groups, span))
    }

    fn priority_channel(&mut self) -> Parsed<ChanPriority> {
        if self.word() == "default" {
            return Ok(ChanPriority::Default(self.bump()));
        }
        if !self.is_name_at(0) {
            return Err(self.expected("a channel or `default`"));
        }
        // `<` separates groups here, so only names and indices belong to the channel.
        self.channel().map(ChanPriority::Channel)
    }

    fn import(&mut self) -> Parsed<Declaration> {
        let start = self.bump();
        if self.peek() != TokenKind::Str {
            return Err(self.expected("the name of a library in quotes"));
        }
        let library = self.slice().trim_matches('"').to_owned();
        self.bump();
        let mut functions = Vec::new();
        if self.peek() == TokenKind::LeftBrace {
            let open = self.bump();
            while !matches!(self.peek(), TokenKind::RightBrace | TokenKind::End) {
                functions.push(self.external_function()?);
                self.semicolon("")?;
            }
            self.close(TokenKind::RightBrace, open, "")?;
            self.semicolon("")?;
        } else {
            functions.push(self.external_function()?);
            self.semicolon("")?;
        }
        Ok(Declaration::Import { library, functions, span: start.to(self.previous()) })
    }

    fn external_function(&mut self) -> Parsed<ExternalFunction> {
        let alias = if self.is_name_at(0) && self.peek_at(1) == TokenKind::Assign {
            let name = self.name("a name")?;
            self.bump();
            Some(name)
        } else {
            None
        };
        let returns = self.ty()?;
        let name = self.name("the name of a function")?;
        let params = self.parenthesised_parameters()?;
        let symbol = name.text.clone();
        Ok(ExternalFunction { name: alias.unwrap_or(name), symbol, returns, params })
    }

    /// `IO P { a?, b! }`, several in a row: says which channels are inputs; nothing needs it.
    pub(super) fn skip_io(&mut self) -> Parsed<()> {
        let start = self.span();
        let mut end = start;
        while self.word() == "IO" {
            end = self.skip_one_io()?;
        }
        self.warn(
            Diagnostic::warning(
                "parse::io_ignored",
                start.to(end),
                "`IO` declarations are ignored",
            )
            .label("says which channels are inputs and which are outputs"),
        );
        Ok(())
    }

    fn skip_one_io(&mut self) -> Parsed<Span> {
        self.bump();
        self.name("the name of a process")?;
        if self.peek() == TokenKind::LeftParen {
            self.arguments()?;
        }
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        if !self.skip_to_close(TokenKind::RightBrace) {
            return self.close(TokenKind::RightBrace, open, "");
        }
        Ok(self.bump())
    }
}
