//! Declarations: types, variables with their place in memory, functions, priorities.

use std::rc::Rc;

use punctual_model::{Channel, ChannelId, Clock, Expr, Id, Storage, Variable};

use super::{
    Builder, Role,
    initial::Values,
    place::{self, Place},
    scope::{Entity, FunctionDecl, FunctionSource, ScopeId},
    typed::Value,
    types::{Layout, Type},
};
use crate::{Span, diagnostic::Diagnostic, uppaal::ast};

impl<'a> Builder<'a> {
    pub(super) fn declarations(&mut self, scope: ScopeId, declarations: &'a [ast::Declaration]) {
        for declaration in declarations {
            self.declaration(scope, declaration);
        }
    }

    pub(super) fn declaration(&mut self, scope: ScopeId, declaration: &'a ast::Declaration) {
        match declaration {
            ast::Declaration::Variable(variable) => self.variable(scope, variable),
            ast::Declaration::Typedef(variable) => self.typedef(scope, variable),
            ast::Declaration::Function(function) => {
                let source = FunctionSource::Block(&function.body);
                let (name, params) = (&function.name, &function.params);
                self.function(scope, name, &function.returns, params, source);
            }
            ast::Declaration::Import { library, functions, .. } => {
                for function in functions {
                    let source = FunctionSource::External {
                        library: library.clone(),
                        symbol: function.symbol.clone(),
                    };
                    let (name, params) = (&function.name, &function.params);
                    self.function(scope, name, &function.returns, params, source);
                }
            }
            ast::Declaration::ChanPriority(groups, span) => {
                self.channel_priorities(scope, groups, *span);
            }
            ast::Declaration::BeforeUpdate(update) => {
                let exprs = self.global_update(scope, update);
                self.network.before_update.extend(exprs);
            }
            ast::Declaration::AfterUpdate(update) => {
                let exprs = self.global_update(scope, update);
                self.network.after_update.extend(exprs);
            }
            ast::Declaration::Dynamic(name, _) => {
                self.bind(scope, name, Entity::Dynamic);
                self.dynamic(name.span);
            }
        }
    }

    fn global_update(&mut self, scope: ScopeId, update: &'a [ast::Expr]) -> Vec<Expr> {
        // Both blocks share one frame: the slots of the second follow those of the first.
        let outer = (self.frame, self.role);
        self.frame.used = self.network.update_frame;
        self.frame.id = self.next_frame;
        self.next_frame += 1;
        self.role = Role::Update;
        let exprs = self.update(scope, update);
        self.network.update_frame = self.frame.used;
        (self.frame, self.role) = outer;
        exprs
    }

    fn function(
        &mut self,
        scope: ScopeId,
        name: &'a ast::Name,
        returns: &'a ast::Type,
        params: &'a [ast::Param],
        body: FunctionSource<'a>,
    ) {
        let returns = self.type_of(scope, returns).unwrap_or(Type::Error);
        let layout = returns.layout();
        if layout.clocks + layout.channels > 0 || (layout.ints > 0 && layout.doubles > 0) {
            self.report(Diagnostic::error(
                "function::return_type",
                name.span,
                format!("a function can not return a value of type `{returns}`"),
            ));
        }
        self.next_uid += 1;
        // The function sees itself, so that recursion is called by its name, and what is before.
        let home = self.scopes.open_here(scope);
        let function = FunctionDecl {
            uid: self.next_uid,
            short: &name.text,
            name: self.qualified(&name.text),
            home,
            returns,
            params,
            body,
            span: name.span,
            context: {
                let mut context = self.diagnostics.context().to_vec();
                context.push(format!("function {}", name.text).into());
                context
            },
        };
        self.bind(scope, name, Entity::Function(Rc::new(function)));
    }

    /// A name with the process it belongs to.
    pub(super) fn qualified(&self, name: &str) -> String {
        match self.owner {
            Some(process) => format!("{}.{name}", self.network.processes[process].name),
            None => name.to_owned(),
        }
    }

    pub(super) fn typedef(&mut self, scope: ScopeId, variable: &'a ast::Variable) {
        let entity = match self.variable_type(scope, variable) {
            Some(ty) => Entity::Type(ty),
            None => Entity::Error,
        };
        self.bind(scope, &variable.name, entity);
    }

    fn variable(&mut self, scope: ScopeId, variable: &'a ast::Variable) {
        let entity = match self.variable_type(scope, variable) {
            Some(ty) => {
                let context = format!("declaration of {}", variable.name.text);
                self.diagnostics.enter(context);
                let entity = match variable.ty.prefixes.constant {
                    true => self.constant(scope, variable, ty),
                    false => self.allocate(scope, variable, ty),
                };
                self.diagnostics.leave();
                entity
            }
            None => Entity::Error,
        };
        self.bind(scope, &variable.name, entity);
    }

    fn constant(&mut self, scope: ScopeId, variable: &'a ast::Variable, ty: Type) -> Entity<'a> {
        if let Type::Str = ty {
            return Entity::Str;
        }
        let Some(initial) = &variable.initial else {
            self.constant_without_value(&variable.name);
            return Entity::Error;
        };
        let layout = ty.layout();
        if layout.clocks + layout.channels > 0 {
            self.report(Diagnostic::error(
                "declaration::constant_type",
                variable.name.span,
                format!("a value of type `{ty}` can not be constant"),
            ));
            return Entity::Error;
        }
        let mut values = Values::default();
        let errors = self.diagnostics.error_count();
        self.initial_value(scope, &ty, Some(initial), &mut values);
        if self.diagnostics.error_count() > errors {
            return Entity::Error;
        }
        match &ty {
            Type::Int(_) | Type::Bool | Type::Scalar(_) => {
                Entity::Value(ty, Expr::Int(values.ints[0]))
            }
            Type::Double => Entity::Value(ty, Expr::Double(values.doubles[0])),
            _ => Entity::Place(Rc::new(self.constant_table(&variable.name.text, ty, values))),
        }
    }

    pub(super) fn constant_without_value(&mut self, name: &ast::Name) {
        self.report(
            Diagnostic::error(
                "declaration::constant_without_value",
                name.span,
                format!("the constant `{}` has no value", name.text),
            )
            .help(format!("write `{} = …`", name.text)),
        );
    }

    /// A constant array or structure in memory, under its name.
    pub(super) fn constant_table(&mut self, name: &str, ty: Type, values: Values) -> Place {
        let name = self.qualified(name);
        let constants = &mut self.network.constants;
        let base = Layout {
            ints: constants.ints.len() as u32,
            doubles: constants.doubles.len() as u32,
            ..Layout::default()
        };
        constants.ints.extend(values.ints);
        constants.doubles.extend(values.doubles);
        if let Some(ty) = ty.to_model() {
            self.network.variables.push(Variable {
                name,
                owner: self.owner,
                ty,
                storage: Storage::Constant,
                ints: base.ints,
                doubles: base.doubles,
            });
        }
        Place {
            ty,
            storage: Storage::Constant,
            base,
            indices: Vec::new(),
            constant: Some(place::Constant::Declared),
        }
    }

    fn allocate(&mut self, scope: ScopeId, variable: &'a ast::Variable, ty: Type) -> Entity<'a> {
        if let Type::Str | Type::Void = ty {
            self.report(Diagnostic::error(
                "declaration::variable_type",
                variable.name.span,
                format!("a variable can not be of type `{ty}`"),
            ));
            return Entity::Error;
        }
        let layout = ty.layout();
        let used = Layout {
            ints: self.network.initial.ints.len().max(self.network.meta.ints.len()) as u32,
            doubles: self.network.initial.doubles.len().max(self.network.meta.doubles.len()) as u32,
            clocks: self.network.clocks.len() as u32,
            channels: self.network.channels.len() as u32,
        };
        if layout.plus(used).is_too_large() {
            let message = "the variables of this model need more memory than a model may have";
            self.report(
                Diagnostic::error("array::too_large", variable.name.span, message)
                    .label("this is one too many"),
            );
            return Entity::Error;
        }
        let mut values = Values::default();
        self.initial_value(scope, &ty, variable.initial.as_ref(), &mut values);
        let name = self.qualified(&variable.name.text);
        let storage = match variable.ty.prefixes.meta {
            true => Storage::Meta,
            false => Storage::State,
        };
        let memory = match storage {
            Storage::Meta => &mut self.network.meta,
            _ => &mut self.network.initial,
        };
        let base = Layout {
            ints: memory.ints.len() as u32,
            doubles: memory.doubles.len() as u32,
            clocks: self.network.clocks.len() as u32,
            channels: self.network.channels.len() as u32,
        };
        memory.ints.extend(values.ints);
        memory.doubles.extend(values.doubles);
        let mut clocks = values.clocks.into_iter();
        self.allocate_leaves(&ty, &name, &mut clocks);
        for _ in 0..layout.clocks {
            self.source_map.clocks.push(variable.name.span);
        }
        if layout.ints + layout.doubles > 0
            && let Some(ty) = ty.to_model()
        {
            let (ints, doubles) = (base.ints, base.doubles);
            let owner = self.owner;
            self.network.variables.push(Variable { name, owner, ty, storage, ints, doubles });
        }
        Entity::Place(Rc::new(Place { ty, storage, base, indices: Vec::new(), constant: None }))
    }

    /// Makes the clocks and channels of a variable, in the order of its layout.
    fn allocate_leaves(&mut self, ty: &Type, name: &str, initial: &mut dyn Iterator<Item = f64>) {
        match ty {
            Type::Clock { hybrid } => {
                self.network.clocks.push(Clock {
                    name: name.to_owned(),
                    owner: self.owner,
                    hybrid: *hybrid,
                    initial: initial.next().unwrap_or(0.0),
                });
            }
            Type::Channel { urgent, broadcast } => {
                self.network.channels.push(Channel {
                    name: name.to_owned(),
                    broadcast: *broadcast,
                    urgent: *urgent,
                    priority: 0,
                });
            }
            Type::Array(array) if array.stride.clocks + array.stride.channels > 0 => {
                for index in 0..array.len {
                    let index = i64::from(array.lo) + i64::from(index);
                    self.allocate_leaves(&array.element, &format!("{name}[{index}]"), initial);
                }
            }
            Type::Struct(fields) => {
                for (field, ty) in &fields.fields {
                    self.allocate_leaves(ty, &format!("{name}.{field}"), initial);
                }
            }
            _ => {}
        }
    }

    fn channel_priorities(
        &mut self,
        scope: ScopeId,
        groups: &'a [Vec<ast::ChanPriority>],
        span: Span,
    ) {
        if self.owner.is_some() {
            self.report(Diagnostic::error(
                "declaration::misplaced",
                span,
                "channel priorities belong to the global declarations",
            ));
            return;
        }
        for (priority, group) in groups.iter().enumerate() {
            for member in group {
                match member {
                    ast::ChanPriority::Default(_) => {
                        self.network.default_priority = priority as i32;
                        // Channels that no group names share it, see below.
                    }
                    ast::ChanPriority::Channel(expr) => {
                        let (typed, _) =
                            self.framed(Role::Constant, |builder| builder.expr(scope, expr));
                        let layout = typed.ty.layout();
                        let Value::Place(place) = &typed.value else { continue };
                        if layout.channels == 0 || !place.indices.is_empty() {
                            self.mismatch(
                                &typed,
                                &Type::Channel { urgent: false, broadcast: false },
                                "channel priority",
                            );
                            continue;
                        }
                        for offset in 0..layout.channels {
                            let id = (place.base.channels + offset) as usize;
                            self.prioritised.push((ChannelId::from_index(id), priority as i32));
                        }
                    }
                }
            }
        }
    }

    /// Gives every channel its priority, once all are declared.
    pub(super) fn settle_priorities(&mut self) {
        let default = self.network.default_priority;
        for channel in self.network.channels.iter_mut() {
            channel.priority = default;
        }
        for (channel, priority) in std::mem::take(&mut self.prioritised) {
            self.network.channels[channel].priority = priority;
        }
    }
}
