//! Functions of the model: each is specialised for the places its references refer to.
//!
//! A reference to `a[i]` becomes a hidden parameter that receives `i`. A reference to a local of
//! the caller makes the callee run in the frame of its caller. So no network knows references.

use std::{borrow::Cow, rc::Rc};

use punctual_model::{
    Expr, Function, FunctionBody, FunctionId, Number, Param, ReturnType, Storage,
};

use super::{
    Builder, FrameState, Role,
    place::{Constant, Place},
    scope::{Entity, FunctionDecl, FunctionSource, ScopeId},
    statements::returns,
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

fn slots(layout: Layout) -> [u32; 4] {
    [layout.ints, layout.doubles, layout.clocks, layout.channels]
}
