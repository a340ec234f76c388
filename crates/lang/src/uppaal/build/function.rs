//! Functions of the model: each is specialised for the places its references refer to.
//!
//! A reference to `a[i]` becomes a hidden parameter that receives `i`. A reference to a local of
//! the caller makes the callee run in the frame of its caller. So no network knows references.

use std::{borrow::Cow, rc::Rc};

use punctual_model::{
    AssignOp, AssignResult, Expr, Function, FunctionBody, FunctionId, Number, Param,
    Place as NumberPlace, Range, ReturnType, Statement, Storage,
};

use super::{
    Builder, FrameState, Role, constant,
    place::{Constant, Place},
    scope::{Entity, FunctionDecl, FunctionSource, ScopeId},
    typed::{Typed, Value},
    types::{Layout, SLOTS_MAX, Type},
};
use crate::{Span, diagnostic::Diagnostic, uppaal::ast};

/// What evaluating something does besides giving a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Effects {
    /// It assigns to a variable of the state or to a clock.
    pub(super) writes: bool,
    /// It draws random numbers.
    pub(super) random: bool,
    /// How deep the calls in it nest.
    pub(super) depth: u32,
}

impl Effects {
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            writes: self.writes || other.writes,
            random: self.random || other.random,
            depth: self.depth.max(other.depth),
        }
    }
}

/// Which function, for which references.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct FunctionKey {
    uid: u32,
    references: Vec<u32>,
}

/// What a parameter is bound to.
enum Binding {
    /// An argument that is copied.
    Value(Type),
    /// A place, whose indices become hidden parameters.
    Reference(Rc<Place>),
}

/// How deep calls may nest; a model that goes deeper is generated, and wrong.
const CALLS_MAX: usize = 200;

impl<'a> Builder<'a> {
    pub(super) fn call_function(
        &mut self,
        scope: ScopeId,
        function: &Rc<FunctionDecl<'a>>,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Typed {
        if arguments.len() != function.params.len() {
            let (wanted, found) = (function.params.len(), arguments.len());
            self.wrong_arity(function.short, wanted, found, span, Some(function.span));
            return Typed::error(span);
        }
        if self.calls.iter().any(|(uid, _)| *uid == function.uid) {
            let chain: Vec<&str> = self
                .calls
                .iter()
                .skip_while(|(uid, _)| *uid != function.uid)
                .map(|(_, name)| *name)
                .collect();
            let message = match chain.as_slice() {
                [name] => format!("`{name}` calls itself"),
                chain => format!("{} → {} is recursive", chain.join(" → "), function.short),
            };
            self.report(
                Diagnostic::error("function::recursion", span, message)
                    .label("recursion is not possible")
                    .also(function.span, "declared here")
                    .help("use a loop"),
            );
            return Typed::error(span);
        }
        if self.calls.len() >= CALLS_MAX {
            self.too_deep(span);
            return Typed::error(span);
        }
        let mut values = Vec::new();
        let mut bindings = Vec::new();
        for (param, argument) in function.params.iter().zip(arguments) {
            let ty = self
                .in_context(&function.context, |builder| builder.param_type(function.home, param));
            let Some(ty) = ty else { return Typed::error(span) };
            let what = format!("argument `{}` of `{}`", param.name.text, function.short);
            let typed = self.expr(scope, argument);
            if typed.is_error() {
                return Typed::error(span);
            }
            if by_reference(param, &ty) {
                let Some(place) = self.reference(&typed, &ty, param, &what) else {
                    return Typed::error(span);
                };
                values.extend(place.indices.iter().map(|index| index.value.clone()));
                bindings.push(Binding::Reference(place));
            } else {
                values.push(self.convert(typed, &ty, &what));
                bindings.push(Binding::Value(ty));
            }
        }
        let Some(id) = self.specialised(function, &bindings) else { return Typed::error(span) };
        let effects = self.function_effects[id];
        if effects.depth as usize >= CALLS_MAX {
            self.too_deep(span);
            return Typed::error(span);
        }
        if effects.writes && self.writer.is_none() {
            self.writer = Some((span, function.short));
        }
        self.effects = self.effects.and(Effects { depth: effects.depth + 1, ..effects });
        let expr = Expr::Call { function: id, arguments: values };
        Typed::number(function.returns.clone(), expr, span)
    }

    fn too_deep(&mut self, span: Span) {
        self.report(Diagnostic::error(
            "function::too_deep",
            span,
            format!("calls are nested more than {CALLS_MAX} deep"),
        ));
    }

    /// The place that an argument by reference stands for.
    pub(super) fn reference(
        &mut self,
        typed: &Typed,
        ty: &Type,
        param: &ast::Param,
        what: &str,
    ) -> Option<Rc<Place>> {
        let Value::Place(place) = &typed.value else {
            self.report(
                Diagnostic::error(
                    "call::not_a_variable",
                    typed.span,
                    format!("{what} is passed by reference and needs a variable"),
                )
                .label("this is not a variable")
                .also(param.name.span, "declared as a reference here"),
            );
            return None;
        };
        if !ty.same_shape(&typed.ty) {
            self.mismatch(typed, ty, what);
            return None;
        }
        if place.constant.is_some() && !param.ty.prefixes.constant {
            self.report(
                Diagnostic::error(
                    "call::constant_reference",
                    typed.span,
                    format!("{what} could be changed, but a constant is given"),
                )
                .label("this can not change")
                .also(param.name.span, "a reference to a variable")
                .help("declare the parameter as `const`, or pass it by value"),
            );
            return None;
        }
        Some(place.clone())
    }

    fn specialised(
        &mut self,
        function: &Rc<FunctionDecl<'a>>,
        bindings: &[Binding],
    ) -> Option<FunctionId> {
        let shares = bindings.iter().any(
            |binding| matches!(binding, Binding::Reference(place) if place.storage == Storage::Local),
        );
        let mut references = Vec::new();
        for binding in bindings {
            if let Binding::Reference(place) = binding {
                references.extend([place.storage as u32, place.indices.len() as u32]);
                references.extend(slots(place.base));
                for index in &place.indices {
                    references.extend([index.lo as u32, index.len]);
                    references.extend(slots(index.stride));
                }
            }
        }
        if shares {
            references.push(self.frame.id);
        }
        let key = FunctionKey { uid: function.uid, references };
        if let Some(&id) = self.functions.get(&key) {
            return id;
        }
        self.specialised.insert(function.uid);
        let id = self.specialise(function, bindings, shares);
        if id.is_some() {
            self.function_keys.push(key.clone());
        }
        self.functions.insert(key, id);
        id
    }

    /// Runs `inside`, which evaluates something before the model runs, and forgets the functions
    /// that only it calls.
    pub(super) fn evaluating<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let kept = self.network.functions.len();
        let result = inside(self);
        self.network.functions.truncate(kept);
        self.function_effects.truncate(kept);
        for key in self.function_keys.drain(kept..) {
            self.functions.remove(&key);
        }
        result
    }

    fn specialise(
        &mut self,
        function: &Rc<FunctionDecl<'a>>,
        bindings: &[Binding],
        shares: bool,
    ) -> Option<FunctionId> {
        let outer = (self.frame, self.role, self.effects);
        if !shares {
            self.frame = FrameState { id: self.next_frame, used: Default::default() };
            self.next_frame += 1;
        }
        self.role = Role::Function;
        self.effects = Effects::default();
        self.calls.push((function.uid, function.short));
        let context = self.diagnostics.replace_context(function.context.clone());
        let errors = self.diagnostics.error_count();

        let scope = self.scopes.open(Some(function.home));
        let mut params = Vec::new();
        for (param, binding) in function.params.iter().zip(bindings) {
            let place = match binding {
                Binding::Value(ty) => {
                    let constant = param.ty.prefixes.constant.then_some(Constant::Declared);
                    let place = Place { constant, ..self.local(ty.clone()) };
                    let name = param.name.text.clone();
                    params.push(Param { name, place: place.to_number() });
                    Rc::new(place)
                }
                Binding::Reference(place) => {
                    let mut place = place.as_ref().clone();
                    if param.ty.prefixes.constant {
                        place.constant.get_or_insert(Constant::Declared);
                    }
                    for index in &mut place.indices {
                        let local = self.local(Type::INT).to_number();
                        index.value = Expr::Load(local.clone());
                        let name = format!("{}[]", param.name.text);
                        params.push(Param { name, place: local });
                    }
                    Rc::new(place)
                }
            };
            self.bind(scope, &param.name, Entity::Place(place));
        }
        let body = match &function.body {
            FunctionSource::Block(block) => {
                let statements = self.block(scope, block, &function.returns);
                if !matches!(function.returns, Type::Void | Type::Error) && !returns(&statements) {
                    self.report(
                        Diagnostic::warning(
                            "function::no_return",
                            function.span,
                            format!("`{}` may end without returning a value", function.short),
                        )
                        .help("end it with `return …;`"),
                    );
                }
                FunctionBody::Statements(statements)
            }
            FunctionSource::External { library, symbol } => {
                // Nothing is known about what it does, but that it sees only its arguments.
                let references = bindings.iter().any(|b| matches!(b, Binding::Reference(_)));
                self.effects = Effects { writes: references, random: true, depth: 0 };
                FunctionBody::External { library: library.clone(), symbol: symbol.clone() }
            }
        };
        let returns = match &function.returns {
            Type::Int(_) | Type::Bool | Type::Scalar(_) => {
                ReturnType::Int(function.returns.range())
            }
            Type::Double => ReturnType::Double,
            ty @ (Type::Array(_) | Type::Struct(_)) => match ty.number() {
                Number::Int => ReturnType::Block(Number::Int, ty.layout().ints),
                Number::Double => ReturnType::Block(Number::Double, ty.layout().doubles),
            },
            _ => ReturnType::Void,
        };
        let frame = if shares { Default::default() } else { self.frame.used };
        let effects = self.effects;
        let used = self.frame.used;
        if used.ints.max(used.doubles) > SLOTS_MAX {
            self.report(
                Diagnostic::error(
                    "function::too_large",
                    function.span,
                    format!("the locals of `{}` need too much memory", function.short),
                )
                .label(format!("more than {SLOTS_MAX} numbers")),
            );
        }
        self.calls.pop();
        self.diagnostics.replace_context(context);
        (self.frame, self.role, self.effects) = outer;
        if shares {
            self.frame.used = used;
        }
        if self.diagnostics.error_count() > errors {
            return None;
        }
        let name = function.name.clone();
        self.function_effects.push(effects);
        let function = Function { name, params, returns, frame, shares_frame: shares, body };
        Some(self.network.functions.push(function))
    }

    /// Builds a function that nothing calls, to find its errors.
    pub(super) fn rehearse_function(&mut self, function: &Rc<FunctionDecl<'a>>) {
        let mut bindings = Vec::new();
        let outer = self.frame;
        self.frame = FrameState { id: self.next_frame, used: Default::default() };
        self.next_frame += 1;
        for param in function.params {
            let ty = self
                .in_context(&function.context, |builder| builder.param_type(function.home, param));
            let Some(ty) = ty else {
                self.frame = outer;
                return;
            };
            bindings.push(match by_reference(param, &ty) {
                true => Binding::Reference(Rc::new(self.local(ty))),
                false => Binding::Value(ty),
            });
        }
        self.specialised(function, &bindings);
        self.frame = outer;
    }

    /// Runs `inside` with the context of a function, wherever it is called.
    fn in_context<T>(
        &mut self,
        context: &[Cow<'static, str>],
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = self.diagnostics.replace_context(context.to_vec());
        let result = inside(self);
        self.diagnostics.replace_context(outer);
        result
    }

    /// A new local of the present frame.
    pub(super) fn local(&mut self, ty: Type) -> Place {
        let used = self.frame.used;
        let layout = ty.layout();
        self.frame.used.ints = used.ints.saturating_add(layout.ints);
        self.frame.used.doubles = used.doubles.saturating_add(layout.doubles);
        let base = Layout { ints: used.ints, doubles: used.doubles, ..Layout::default() };
        Place { ty, storage: Storage::Local, base, indices: Vec::new(), constant: None }
    }

    fn block(&mut self, scope: ScopeId, block: &'a ast::Block, returns: &Type) -> Vec<Statement> {
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

/// Clocks and channels are always passed by reference.
pub(super) fn by_reference(param: &ast::Param, ty: &Type) -> bool {
    // A string is a value, whatever its parameter says.
    if let Type::Str = ty {
        return false;
    }
    let layout = ty.layout();
    param.reference || layout.clocks + layout.channels > 0
}

/// Where an item of a list goes.
pub(super) enum ListTarget {
    Element(i32),
    Field(String),
}

fn slots(layout: Layout) -> [u32; 4] {
    [layout.ints, layout.doubles, layout.clocks, layout.channels]
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
    super::declare::defaults(&place.ty, &mut ints);
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
fn returns(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Return(_) => true,
        Statement::If(_, then, otherwise) => returns(then) && returns(otherwise),
        Statement::DoWhile(body, _) => returns(body),
        Statement::While(Expr::Int(value), _) => *value != 0,
        _ => false,
    })
}
