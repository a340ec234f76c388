//! Types, dimensions and parameters.

use crate::diagnostic::Diagnostic;
use crate::uppaal::ast::{Dimension, Expr, Param, Prefixes, Type, TypeKind, Variable};
use crate::uppaal::lexer::TokenKind;

use super::cursor::{Failed, Parsed, Parser};
use super::words;

impl Parser<'_> {
    /// Whether a type and then a name stand here.
    pub(super) fn starts_variable(&self) -> bool {
        let word = self.word();
        words::starts_type(word)
            || self.is_name_at(0)
                && (self.is_name_at(1)
                    || self.peek_at(1) == TokenKind::BitAnd && self.is_name_at(2))
    }

    /// Reads a type.
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.span();
        let prefixes = self.prefixes();
        let kind = match self.word() {
            "int" => {
                self.bump();
                TypeKind::Int(self.range()?.map(Box::new))
            }
            "bool" => self.simple_type(TypeKind::Bool),
            "double" => self.simple_type(TypeKind::Double),
            "string" => self.simple_type(TypeKind::Str),
            "clock" => self.simple_type(TypeKind::Clock),
            "chan" => self.simple_type(TypeKind::Chan),
            "void" => self.simple_type(TypeKind::Void),
            "scalar" => {
                self.bump();
                let open = self.expect(TokenKind::LeftBracket, "`[` and a size behind `scalar`")?;
                let size = self.nested(Self::expression)?;
                self.close(TokenKind::RightBracket, open, "an operator or ")?;
                TypeKind::Scalar(Box::new(size))
            }
            "struct" => self.nested(Self::structure)?,
            _ if self.is_name_at(0) => match self.untyped(prefixes) {
                Some(kind) => return Ok(Type { prefixes, kind, span: start.to(self.previous()) }),
                None => {
                    let name = self.word().to_owned();
                    self.bump();
                    TypeKind::Named(name)
                }
            },
            _ => {
                let help = (self.peek() == TokenKind::Int)
                    .then(|| "a range of numbers is written `int[0, 3]`".to_owned());
                return Err(self.expected_or("a type", help));
            }
        };
        Ok(Type { prefixes, kind, span: start.to(self.previous()) })
    }

    fn simple_type(&mut self, kind: TypeKind) -> TypeKind {
        self.bump();
        kind
    }

    fn prefixes(&mut self) -> Prefixes {
        let mut prefixes = Prefixes::default();
        loop {
            let word = self.word();
            let prefix = match word {
                "const" => &mut prefixes.constant,
                "meta" => &mut prefixes.meta,
                "urgent" => &mut prefixes.urgent,
                "broadcast" => &mut prefixes.broadcast,
                "hybrid" => &mut prefixes.hybrid,
                _ => return prefixes,
            };
            if std::mem::replace(prefix, true) {
                let error = Diagnostic::error(
                    "parse::repeated_prefix",
                    self.span(),
                    format!("`{word}` is said twice"),
                );
                self.report(error);
            }
            self.bump();
        }
    }

    /// A prefix and then a name: the type between them is missing, unless the name is its name.
    fn untyped(&mut self, prefixes: Prefixes) -> Option<TypeKind> {
        let named = matches!(
            self.peek_at(1),
            TokenKind::Word | TokenKind::BitAnd | TokenKind::RightBracket | TokenKind::RightParen
        );
        if named || prefixes == Prefixes::default() {
            return None;
        }
        let name = self.word();
        let (kind, prefix, written) = if prefixes.constant {
            (TypeKind::Int(None), "const", "const int")
        } else if prefixes.broadcast {
            (TypeKind::Chan, "broadcast", "broadcast chan")
        } else if prefixes.urgent {
            (TypeKind::Chan, "urgent", "urgent chan")
        } else if prefixes.hybrid {
            (TypeKind::Clock, "hybrid", "hybrid clock")
        } else {
            (TypeKind::Int(None), "meta", "meta int")
        };
        let value = if prefixes.constant { " = …" } else { "" };
        let error = Diagnostic::error(
            "parse::missing_type",
            self.span(),
            format!("expected a type between `{prefix}` and `{name}`"),
        )
        .label("the type is missing before this name")
        .help(format!("write `{written} {name}{value};`"));
        self.report(error);
        self.old_const = prefixes.constant;
        Some(kind)
    }

    /// Reads the bounds behind `int`, if there are any.
    fn range(&mut self) -> Parsed<Option<(Expr, Expr)>> {
        if self.peek() != TokenKind::LeftBracket {
            return Ok(None);
        }
        let open = self.bump();
        let low = self.nested(Self::expression)?;
        if self.peek() == TokenKind::RightBracket {
            let error = Diagnostic::error(
                "parse::range_with_one_bound",
                open.to(self.span()),
                "a range needs two bounds",
            )
            .label("expected `, upper bound`")
            .help("write a range as `int[0, 5]`, and an array as `int name[5]`");
            self.report(error);
            self.bump();
            return Ok(None);
        }
        if self.peek() == TokenKind::Dot && self.peek_at(1) == TokenKind::Dot {
            let help = "the bounds are separated by `,`: `int[0, 5]`".to_owned();
            return Err(self.expected_or("`,`", Some(help)));
        }
        self.expect(TokenKind::Comma, "`,` and the upper bound")?;
        let high = self.nested(Self::expression)?;
        self.close(TokenKind::RightBracket, open, "an operator or ")?;
        Ok(Some((low, high)))
    }

    fn structure(&mut self) -> Parsed<TypeKind> {
        self.bump();
        let tagged = self.is_name_at(0) && self.peek_at(1) == TokenKind::LeftBrace;
        if tagged {
            let name = self.word();
            let error = Diagnostic::error(
                "parse::struct_tag",
                self.span(),
                format!("expected `{{` behind `struct`, found `{name}`"),
            )
            .help(format!("name the type behind its fields: `typedef struct {{ … }} {name};`"));
            self.report(error);
            self.bump();
        }
        let open = self.expect(TokenKind::LeftBrace, "`{` behind `struct`")?;
        let mut fields = Vec::new();
        while !matches!(self.peek(), TokenKind::RightBrace | TokenKind::End) {
            let start = self.position();
            if self.fields(&mut fields).is_err() {
                self.skip_statement();
            }
            if self.position() == start {
                self.bump();
            }
        }
        self.close(TokenKind::RightBrace, open, "")?;
        if tagged {
            // A name is missing behind it, since it stands before it.
            self.silence();
        }
        Ok(TypeKind::Struct(fields))
    }

    fn fields(&mut self, fields: &mut Vec<Variable>) -> Parsed<()> {
        let ty = self.ty()?;
        loop {
            let name = self.name("the name of a field")?;
            let dimensions = self.dimensions()?;
            fields.push(Variable { ty: ty.clone(), name, dimensions, initial: None });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if self.peek() == TokenKind::Assign {
            let help = "give the value where a variable of this type is declared".to_owned();
            return Err(self.expected_or("`,` or `;`", Some(help)));
        }
        self.semicolon("`,` or ")
    }

    /// Reads sizes in brackets.
    pub(super) fn dimensions(&mut self) -> Parsed<Vec<Dimension>> {
        let mut dimensions = Vec::new();
        while self.peek() == TokenKind::LeftBracket {
            let open = self.bump();
            if self.peek() == TokenKind::RightBracket {
                let error = Diagnostic::error(
                    "parse::array_without_size",
                    open.to(self.span()),
                    "expected a size or a type between the brackets",
                )
                .help("write how many elements there are: `a[5]`");
                return Err(self.report(error));
            }
            let dimension = if words::starts_type(self.word()) {
                self.nested(Self::ty).map(Dimension::Type)
            } else {
                self.nested(Self::expression).map(Dimension::Size)
            };
            match dimension {
                Ok(dimension) => {
                    self.close(TokenKind::RightBracket, open, "an operator or ")?;
                    dimensions.push(dimension);
                }
                Err(_) if self.skip_to_close(TokenKind::RightBracket) => {
                    self.bump();
                }
                Err(failed) => return Err(failed),
            }
        }
        Ok(dimensions)
    }

    /// Reads parameters up to a `)` or the end.
    pub(super) fn parameter_list(&mut self) -> Parsed<Vec<Param>> {
        let mut params = Vec::new();
        if matches!(self.peek(), TokenKind::RightParen | TokenKind::End) {
            return Ok(params);
        }
        if self.word() == "void" && matches!(self.peek_at(1), TokenKind::RightParen) {
            let error = Diagnostic::error(
                "parse::void_parameter",
                self.span(),
                "`void` is not a parameter",
            )
            .help("leave the parentheses empty");
            self.report(error);
            self.bump();
            return Ok(params);
        }
        loop {
            params.push(self.parameter()?);
            if self.peek() == TokenKind::Semicolon && self.peek_at(1) != TokenKind::End {
                let error = Diagnostic::error(
                    "parse::parameter_separator",
                    self.span(),
                    "expected `,` between parameters, found `;`",
                )
                .help("each parameter has a type of its own: `int a, int b`");
                self.report(error);
                self.bump();
            } else if !self.eat(TokenKind::Comma) {
                return Ok(params);
            }
        }
    }

    fn parameter(&mut self) -> Parsed<Param> {
        let untyped = self.is_name_at(0)
            && matches!(
                self.peek_at(1),
                TokenKind::Comma
                    | TokenKind::RightParen
                    | TokenKind::LeftBracket
                    | TokenKind::End
                    | TokenKind::Semicolon
            );
        let ty = if untyped {
            let name = self.word();
            let error = Diagnostic::error(
                "parse::missing_type",
                self.span(),
                format!("the parameter `{name}` has no type"),
            )
            .label("expected a type before this name")
            .help(format!("write `int {name}`, or the type that you mean"));
            self.report(error);
            Type { prefixes: Prefixes::default(), kind: TypeKind::Error, span: self.span() }
        } else {
            self.ty()?
        };
        let reference = self.eat(TokenKind::BitAnd);
        let name = self.name("the name of a parameter")?;
        let dimensions = self.dimensions()?;
        if self.peek() == TokenKind::Assign {
            let help = "parameters have no default values".to_owned();
            return Err(self.expected_or("`,` or `)`", Some(help)));
        }
        Ok(Param { ty, reference, name, dimensions })
    }

    /// Reads parameters in parentheses; what is wrong inside stays inside.
    pub(super) fn parenthesised_parameters(&mut self) -> Parsed<Vec<Param>> {
        let open = self.expect(TokenKind::LeftParen, "`(` and parameters")?;
        match self.parameter_list() {
            Ok(params) => match self.close(TokenKind::RightParen, open, "`,` or ") {
                Ok(_) => Ok(params),
                Err(failed) => self.after_parameters(params, failed),
            },
            Err(failed) => self.after_parameters(Vec::new(), failed),
        }
    }

    fn after_parameters(&mut self, params: Vec<Param>, failed: Failed) -> Parsed<Vec<Param>> {
        if self.skip_to_close(TokenKind::RightParen) {
            self.bump();
            Ok(params)
        } else {
            Err(failed)
        }
    }
}
