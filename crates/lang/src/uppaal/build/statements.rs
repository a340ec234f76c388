//! The bodies of functions: blocks, locals, statements.

use std::rc::Rc;

use punctual_model::{
    AssignOp, AssignResult, Expr, Number, Place as NumberPlace, Range, Statement, Storage,
};

use super::{
    Builder, constant,
    initial::ListTarget,
    place::{Constant, Place},
    scope::{Entity, ScopeId},
    types::Type,
};
use crate::{Span, diagnostic::Diagnostic, uppaal::ast};

impl<'a> Builder<'a> {
    pub(super) fn block(
        &mut self,
        scope: ScopeId,
        block: &'a ast::Block,
        returns: &Type,
    ) -> Vec<Statement> {
        let scope = self.scopes.open(Some(scope));
        let mut statements = Vec::new();
        for declaration in &block.declarations {
            match declaration {
                ast::Declaration::Variable(variable) => {
                    self.local_variable(scope, variable, &mut statements);
                }
                ast::Declaration::Typedef(variable) => self.typedef(scope, variable),
                _ => self.report(Diagnostic::error(
                    "declaration::misplaced",
                    block.span,
                    "only variables and types can be declared in a function",
                )),
            }
        }
        for statement in &block.statements {
            self.statement(scope, statement, returns, &mut statements);
        }
        statements
    }

    fn local_variable(
        &mut self,
        scope: ScopeId,
        variable: &'a ast::Variable,
        statements: &mut Vec<Statement>,
    ) {
        let Some(ty) = self.variable_type(scope, variable) else {
            self.bind(scope, &variable.name, Entity::Error);
            return;
        };
        let layout = ty.layout();
        if layout.clocks + layout.channels > 0 {
            self.report(
                Diagnostic::error(
                    "declaration::local_clock",
                    variable.name.span,
                    format!("a function can not have a local of type `{ty}`"),
                )
                .help("declare it outside of the function"),
            );
            self.bind(scope, &variable.name, Entity::Error);
            return;
        }
        if variable.ty.prefixes.constant {
            match &variable.initial {
                Some(ast::Initialiser::Expr(expr)) if !ty.is_composite() => {
                    self.local_constant(scope, variable, ty, expr, statements);
                    return;
                }
                Some(_) => {}
                None => {
                    self.constant_without_value(&variable.name);
                    self.bind(scope, &variable.name, Entity::Error);
                    return;
                }
            }
        }
        let place = self.local(ty);
        // The initial value is read before the name is bound: `int x = x;` means the outer one.
        self.initialise_local(scope, &place, variable.initial.as_ref(), statements);
        let constant = variable.ty.prefixes.constant.then_some(Constant::Declared);
        self.bind(scope, &variable.name, Entity::Place(Rc::new(Place { constant, ..place })));
    }

    /// A constant of a function: known before the model runs, or at least from here on.
    fn local_constant(
        &mut self,
        scope: ScopeId,
        variable: &'a ast::Variable,
        ty: Type,
        initial: &'a ast::Expr,
        statements: &mut Vec<Statement>,
    ) {
        let typed = self.expr(scope, initial);
        let value = self.convert(typed, &ty, "initial value");
        let known = match constant::evaluate(&self.network, &value, &mut self.steps) {
            Ok(constant::Constant::Int(value)) => Some(Expr::Int(value)),
            Ok(constant::Constant::Double(value)) => Some(Expr::Double(value)),
            _ => None,
        };
        let entity = match known {
            Some(known) => Entity::Value(ty, known),
            None => {
                let place = self.local(ty);
                statements.push(set(place.to_number(), value));
                let constant = Some(Constant::Declared);
                Entity::Place(Rc::new(Place { constant, ..place }))
            }
        };
        self.bind(scope, &variable.name, entity);
    }

    fn initialise_local(
        &mut self,
        scope: ScopeId,
        place: &Place,
        initial: Option<&'a ast::Initialiser>,
        statements: &mut Vec<Statement>,
    ) {
        match initial {
            None => clear(place, statements),
            Some(ast::Initialiser::Expr(expr)) => {
                let value = self.expr(scope, expr);
                let value = self.convert(value, &place.ty, "initial value");
                statements.push(set(place.to_number(), value));
            }
            Some(ast::Initialiser::List(items, span)) => {
                clear(place, statements);
                for (target, item) in self.list_targets(&place.ty, items, *span) {
                    let part = match target {
                        ListTarget::Element(index) => place.element(Expr::Int(index)),
                        ListTarget::Field(name) => place.field(&name),
                    };
                    if let Some(part) = part {
                        self.initialise_local(scope, &part, Some(item), statements);
                    }
                }
            }
        }
    }

    fn statement(
        &mut self,
        scope: ScopeId,
        statement: &'a ast::Statement,
        returns: &Type,
        statements: &mut Vec<Statement>,
    ) {
        match statement {
            ast::Statement::Empty => {}
            ast::Statement::Block(block) => statements.extend(self.block(scope, block, returns)),
            ast::Statement::Expr(expr) => {
                let typed = self.expr(scope, expr);
                statements.push(Statement::Expr(self.rvalue(typed)));
            }
            ast::Statement::If(condition, yes, no) => {
                let condition = self.condition(scope, condition);
                let (mut then, mut otherwise) = (Vec::new(), Vec::new());
                self.statement(scope, yes, returns, &mut then);
                if let Some(no) = no {
                    self.statement(scope, no, returns, &mut otherwise);
                }
                statements.push(Statement::If(condition, then, otherwise));
            }
            ast::Statement::While(condition, body) => {
                let condition = self.condition(scope, condition);
                let mut inner = Vec::new();
                self.statement(scope, body, returns, &mut inner);
                statements.push(Statement::While(condition, inner));
            }
            ast::Statement::DoWhile(body, condition) => {
                let mut inner = Vec::new();
                self.statement(scope, body, returns, &mut inner);
                let condition = self.condition(scope, condition);
                statements.push(Statement::DoWhile(inner, condition));
            }
            ast::Statement::For(first, condition, step, body) => {
                let first = self.expr(scope, first);
                statements.push(Statement::Expr(self.rvalue(first)));
                let condition = self.condition(scope, condition);
                let mut inner = Vec::new();
                self.statement(scope, body, returns, &mut inner);
                let step = self.expr(scope, step);
                inner.push(Statement::Expr(self.rvalue(step)));
                statements.push(Statement::While(condition, inner));
            }
            ast::Statement::ForRange(binding, body) => {
                let Some((ty, range)) = self.binding_range(scope, binding) else { return };
                let slot = self.int_slot();
                let scope = self.scopes.open(Some(scope));
                self.bind_slot(scope, &binding.name, ty, slot);
                let mut inner = Vec::new();
                self.statement(scope, body, returns, &mut inner);
                statements.push(Statement::For { slot, range, body: inner });
            }
            ast::Statement::Return(value, span) => {
                self.return_statement(scope, value.as_ref(), *span, returns, statements);
            }
            ast::Statement::Assert(expr) => {
                let condition = self.condition(scope, expr);
                statements.push(Statement::Assert(condition));
            }
        }
    }

    fn return_statement(
        &mut self,
        scope: ScopeId,
        value: Option<&'a ast::Expr>,
        span: Span,
        returns: &Type,
        statements: &mut Vec<Statement>,
    ) {
        let value = match (value, returns) {
            (None, Type::Void | Type::Error) => None,
            (None, ty) => {
                self.report(
                    Diagnostic::error(
                        "function::missing_value",
                        span,
                        format!("a value of type `{ty}` must be returned"),
                    )
                    .label("nothing is returned here"),
                );
                None
            }
            (Some(value), Type::Void) => {
                let typed = self.expr(scope, value);
                // `return f();` of a function that returns nothing is harmless.
                if !matches!(typed.ty, Type::Void | Type::Error) {
                    self.report(
                        Diagnostic::error(
                            "function::unexpected_value",
                            typed.span,
                            "a function of type `void` can not return a value",
                        )
                        .help("change the type of the function, or write `return;`"),
                    );
                }
                let value = self.rvalue(typed);
                statements.push(Statement::Expr(value));
                None
            }
            (Some(value), ty) => {
                let typed = self.expr(scope, value);
                Some(self.convert(typed, ty, "returned value"))
            }
        };
        statements.push(Statement::Return(value));
    }

    fn condition(&mut self, scope: ScopeId, expr: &'a ast::Expr) -> Expr {
        if let ast::ExprKind::Assign(None, ..) = expr.kind {
            self.report(
                Diagnostic::warning(
                    "effect::assignment_as_condition",
                    expr.span,
                    "this condition is an assignment",
                )
                .help("use `==` to compare"),
            );
        }
        let typed = self.expr(scope, expr);
        if matches!(typed.ty, Type::Formula) {
            self.report(
                Diagnostic::error(
                    "clock::condition",
                    expr.span,
                    "a function can not decide by a clock",
                )
                .label("this depends on the value of a clock")
                .help("compare clocks in guards"),
            );
            return Expr::FALSE;
        }
        self.truth(typed)
    }
}

fn set(target: NumberPlace, value: Expr) -> Statement {
    Statement::Expr(Expr::Assign {
        target: Box::new(target),
        op: AssignOp::Set,
        value: Box::new(value),
        result: AssignResult::New,
    })
}

/// Sets a place to the defaults of its type, in as few statements as the defaults allow.
fn clear(place: &Place, statements: &mut Vec<Statement>) {
    let mut ints = Vec::new();
    super::initial::defaults(&place.ty, &mut ints);
    let mut start = 0;
    while start < ints.len() {
        let value = ints[start];
        let len = ints[start..].iter().take_while(|&&other| other == value).count();
        let place = NumberPlace {
            storage: Storage::Local,
            number: Number::Int,
            base: place.base.ints + start as u32,
            indices: Vec::new(),
            size: len as u32,
            range: Range::ALL,
        };
        statements.push(Statement::Clear { place, value });
        start += len;
    }
    let doubles = place.ty.layout().doubles;
    if doubles > 0 {
        let place = NumberPlace {
            storage: Storage::Local,
            number: Number::Double,
            base: place.base.doubles,
            indices: Vec::new(),
            size: doubles,
            range: Range::ALL,
        };
        statements.push(Statement::Clear { place, value: 0 });
    }
}

/// Whether a list of statements always ends in a return.
pub(super) fn returns(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Return(_) => true,
        Statement::If(_, then, otherwise) => returns(then) && returns(otherwise),
        Statement::DoWhile(body, _) => returns(body),
        Statement::While(Expr::Int(value), _) => *value != 0,
        _ => false,
    })
}
