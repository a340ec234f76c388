//! Declarations: types, variables with their place in memory, functions, priorities.

use std::rc::Rc;

use punctual_model::{Channel, ChannelId, Clock, Expr, Id, Range, Storage, Variable};

use super::{
    Builder, Role,
    constant::{self, Constant, Stuck},
    function::ListTarget,
    place::{self, Place},
    scope::{Entity, FunctionDecl, FunctionSource, ScopeId},
    typed::Value,
    types::{ArrayType, LEAVES_MAX, Layout, SLOTS_MAX, ScalarSet, StructType, Type},
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
            _ => Entity::Place(Rc::new(self.constant_table(ty, values))),
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

    /// A constant array or structure in memory.
    pub(super) fn constant_table(&mut self, ty: Type, values: Values) -> Place {
        let constants = &mut self.network.constants;
        let base = Layout {
            ints: constants.ints.len() as u32,
            doubles: constants.doubles.len() as u32,
            ..Layout::default()
        };
        constants.ints.extend(values.ints);
        constants.doubles.extend(values.doubles);
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

    /// The initial value of every leaf, in the order of the layout.
    pub(super) fn initial_value(
        &mut self,
        scope: ScopeId,
        ty: &Type,
        initial: Option<&'a ast::Initialiser>,
        values: &mut Values,
    ) {
        let start = values.layout();
        match initial {
            None => {
                defaults(ty, &mut values.ints);
                let layout = ty.layout();
                values.doubles.resize(values.doubles.len() + layout.doubles as usize, 0.0);
                values.clocks.resize(values.clocks.len() + layout.clocks as usize, 0.0);
            }
            Some(ast::Initialiser::Expr(expr)) => {
                self.evaluating(|builder| builder.initial_expr(scope, ty, expr, values));
            }
            Some(ast::Initialiser::List(items, span)) => {
                // Everything has its default first; the list overwrites what it names.
                self.initial_value(scope, ty, None, values);
                for (target, item) in self.list_targets(ty, items, *span) {
                    let (offset, part) = match (&target, ty) {
                        (ListTarget::Element(index), Type::Array(array)) => {
                            let position = (i64::from(*index) - i64::from(array.lo)) as u32;
                            (array.stride.times(position), &array.element)
                        }
                        (ListTarget::Field(name), ty) => match ty.field(name) {
                            Some(found) => found,
                            None => continue,
                        },
                        _ => continue,
                    };
                    let mut inner = Values::default();
                    self.initial_value(scope, part, Some(item), &mut inner);
                    values.overwrite(start.plus(offset), inner);
                }
            }
        }
    }

    fn initial_expr(
        &mut self,
        scope: ScopeId,
        ty: &Type,
        expr: &'a ast::Expr,
        values: &mut Values,
    ) {
        let outer = std::mem::replace(&mut self.role, Role::Constant);
        let typed = self.expr(scope, expr);
        let what = "initial value";
        let faulty = typed.is_error();
        let value = match ty {
            Type::Clock { .. } => self.double(typed, what),
            Type::Channel { .. } => {
                self.mismatch(&typed, ty, what);
                Expr::Int(0)
            }
            _ => self.convert(typed, ty, what),
        };
        self.role = outer;
        let constant = match faulty {
            true => None,
            false => self.evaluate_as(&value, ty, expr.span, what),
        };
        match (constant, ty) {
            (Some(Constant::Double(value)), Type::Clock { .. }) => values.clocks.push(value),
            (Some(Constant::Int(value)), _) if !ty.is_clock() => values.ints.push(value),
            (Some(Constant::Double(value)), _) => values.doubles.push(value),
            (Some(Constant::Ints(block)), _) => values.ints.extend(block),
            (Some(Constant::Doubles(block)), _) => values.doubles.extend(block),
            (_, ty) => self.initial_value(scope, ty, None, values),
        }
    }

    /// Where each item of a brace list goes; reports items that go nowhere or are missing.
    pub(super) fn list_targets(
        &mut self,
        ty: &Type,
        items: &'a [(Option<ast::Name>, ast::Initialiser)],
        span: Span,
    ) -> Vec<(ListTarget, &'a ast::Initialiser)> {
        let wanted = match ty {
            Type::Array(array) => array.len as usize,
            Type::Struct(fields) => fields.fields.len(),
            Type::Error => return Vec::new(),
            ty => {
                self.report(
                    Diagnostic::error(
                        "declaration::list_for_scalar",
                        span,
                        format!("a list can not initialise a value of type `{ty}`"),
                    )
                    .help("write a single value without braces"),
                );
                return Vec::new();
            }
        };
        if items.len() != wanted {
            self.report_value(
                Diagnostic::error(
                    "declaration::list_length",
                    span,
                    format!("`{ty}` takes {wanted} values, not {}", items.len()),
                )
                .label(match items.len() {
                    1 => "1 value given".to_owned(),
                    n => format!("{n} values given"),
                }),
            );
            return Vec::new();
        }
        let mut targets = Vec::with_capacity(items.len());
        for (position, (name, item)) in items.iter().enumerate() {
            let target = match (ty, name) {
                (Type::Array(array), None) => {
                    ListTarget::Element((i64::from(array.lo) + position as i64) as i32)
                }
                (Type::Struct(fields), None) => {
                    ListTarget::Field(fields.fields[position].0.clone())
                }
                (Type::Struct(_), Some(name)) if ty.field(&name.text).is_some() => {
                    ListTarget::Field(name.text.clone())
                }
                (_, Some(name)) => {
                    self.report(
                        Diagnostic::error(
                            "name::unknown_field",
                            name.span,
                            format!("there is no field `{}`", name.text),
                        )
                        .label(format!("not a field of `{ty}`"))
                        .maybe_help(suggested_field(ty, &name.text)),
                    );
                    continue;
                }
                _ => continue,
            };
            let again = |name: &&ast::Name| {
                let earlier = items[..position].iter().filter_map(|(name, _)| name.as_ref());
                earlier.into_iter().any(|other| other.text == name.text)
            };
            if let Some(name) = name.as_ref().filter(again) {
                self.report(
                    Diagnostic::error(
                        "declaration::field_twice",
                        name.span,
                        format!("the field `{}` has two values", name.text),
                    )
                    .label("again here"),
                );
            }
            targets.push((target, item));
        }
        targets
    }

    /// The value of an expression that must be known.
    pub(super) fn evaluate(&mut self, expr: &Expr, span: Span, what: &str) -> Option<Constant> {
        match constant::evaluate(&self.network, expr, &mut self.steps) {
            Ok(value) => Some(value),
            Err(Stuck::NotConstant) => {
                self.report(
                    Diagnostic::error(
                        "constant::expected",
                        span,
                        format!("{what} must be known before the model runs"),
                    )
                    .label("this depends on a variable, a clock or chance")
                    .help("use constants only"),
                );
                None
            }
            Err(Stuck::External) => {
                self.report(
                    Diagnostic::error(
                        "unsupported::external_functions",
                        span,
                        format!("{what} calls an external function, which is not supported"),
                    )
                    .label("needs the code of a shared library")
                    .help("write the value down as a constant"),
                );
                None
            }
            Err(Stuck::Failed(why)) => {
                self.report_value(
                    Diagnostic::error(
                        "constant::failed",
                        span,
                        format!("{what} can not be computed: {why}"),
                    )
                    .label("evaluated here"),
                );
                None
            }
        }
    }

    /// An integer that must be known.
    pub(super) fn constant_int(
        &mut self,
        scope: ScopeId,
        expr: &'a ast::Expr,
        what: &str,
    ) -> Option<i32> {
        self.evaluating(|builder| builder.constant_int_here(scope, expr, what))
    }

    fn constant_int_here(
        &mut self,
        scope: ScopeId,
        expr: &'a ast::Expr,
        what: &str,
    ) -> Option<i32> {
        // The frame stays the present one: slots of the expression must not be those of locals.
        let outer = (self.role, self.effects);
        self.role = Role::Constant;
        let typed = self.expr(scope, expr);
        let fits = typed.ty.is_integral();
        let value = self.integer(typed, what);
        (self.role, self.effects) = outer;
        if !fits {
            return None;
        }
        match self.evaluate(&value, expr.span, what)? {
            Constant::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The type of a declared variable with its dimensions.
    pub(super) fn variable_type(
        &mut self,
        scope: ScopeId,
        variable: &'a ast::Variable,
    ) -> Option<Type> {
        self.dimensioned(scope, &variable.ty, &variable.dimensions, variable.name.span)
    }

    pub(super) fn param_type(&mut self, scope: ScopeId, param: &'a ast::Param) -> Option<Type> {
        let ty = self.dimensioned(scope, &param.ty, &param.dimensions, param.name.span)?;
        if let Type::Void = ty {
            self.report(
                Diagnostic::error(
                    "declaration::parameter_type",
                    param.ty.span,
                    format!("the parameter `{}` can not be of type `void`", param.name.text),
                )
                .label("only functions can be `void`"),
            );
            return None;
        }
        Some(ty)
    }

    fn dimensioned(
        &mut self,
        scope: ScopeId,
        ty: &'a ast::Type,
        dimensions: &'a [ast::Dimension],
        span: Span,
    ) -> Option<Type> {
        let mut full = self.type_of(scope, ty)?;
        if let (Type::Void | Type::Str, false) = (&full, dimensions.is_empty()) {
            self.report(Diagnostic::error(
                "array::element_type",
                span,
                format!("there are no arrays of type `{full}`"),
            ));
            return None;
        }
        for dimension in dimensions.iter().rev() {
            let (lo, len, scalar) = self.dimension(scope, dimension)?;
            let stride = full.layout();
            if stride.times(len).is_too_large() {
                self.report(
                    Diagnostic::error("array::too_large", span, "this array is too large")
                        .label(format!("it would have {len} elements"))
                        .help(format!(
                            "a model can have {SLOTS_MAX} numbers, and {LEAVES_MAX} clocks or channels"
                        )),
                );
                return None;
            }
            full = Type::Array(Rc::new(ArrayType { lo, len, scalar, element: full, stride }));
        }
        Some(full)
    }

    fn dimension(
        &mut self,
        scope: ScopeId,
        dimension: &'a ast::Dimension,
    ) -> Option<(i32, u32, Option<ScalarSet>)> {
        let (ty, span) = match dimension {
            ast::Dimension::Type(ty) => (self.type_of(scope, ty)?, ty.span),
            ast::Dimension::Size(expr) => {
                let named = match &expr.kind {
                    ast::ExprKind::Name(name) => match self.scopes.find(scope, name) {
                        Some((Entity::Type(ty), _)) => Some(ty.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                match named {
                    Some(ty) => (ty, expr.span),
                    None => {
                        let size = self.constant_int(scope, expr, "the size of an array")?;
                        return match u32::try_from(size) {
                            Ok(size) if size > 0 => Some((0, size, None)),
                            _ => {
                                self.report_value(
                                    Diagnostic::error(
                                        "array::size",
                                        expr.span,
                                        format!("an array can not have {size} elements"),
                                    )
                                    .label(format!("this is {size}")),
                                );
                                None
                            }
                        };
                    }
                }
            }
        };
        if let Type::Scalar(set) = ty {
            return Some((0, set.size, Some(set)));
        }
        match ty.values() {
            Some(range) if range.len() <= u64::from(SLOTS_MAX) => {
                Some((range.lo, range.len() as u32, None))
            }
            Some(range) => {
                self.report_value(
                    Diagnostic::error("array::too_large", span, "this array is too large")
                        .label(format!("it would have {} elements", range.len())),
                );
                None
            }
            None if ty.is_error() => None,
            None => {
                self.report(
                    Diagnostic::error(
                        "array::index_type",
                        span,
                        format!("an array can not be indexed by `{ty}`"),
                    )
                    .help("use a bounded integer type such as `int[0, 5]`, or a scalar type"),
                );
                None
            }
        }
    }

    /// The type that a syntax tree names.
    pub(super) fn type_of(&mut self, scope: ScopeId, ty: &'a ast::Type) -> Option<Type> {
        let prefixes = ty.prefixes;
        let found = match &ty.kind {
            ast::TypeKind::Int(None) if prefixes.constant => Type::INT,
            ast::TypeKind::Int(None) => Type::Int(Range::INT),
            ast::TypeKind::Int(Some(bounds)) => {
                let lo = self.constant_int(scope, &bounds.0, "the lower bound of a range");
                let hi = self.constant_int(scope, &bounds.1, "the upper bound of a range");
                let (lo, hi) = (lo?, hi?);
                if lo > hi {
                    self.report_value(
                        Diagnostic::error(
                            "range::empty",
                            ty.span,
                            format!("the range from {lo} to {hi} is empty"),
                        )
                        .label("no value lies in it")
                        .help(format!("did you mean `int[{hi},{lo}]`?")),
                    );
                    return None;
                }
                Type::Int(Range { lo, hi })
            }
            ast::TypeKind::Bool => Type::Bool,
            ast::TypeKind::Double => Type::Double,
            ast::TypeKind::Str => Type::Str,
            ast::TypeKind::Clock => Type::Clock { hybrid: prefixes.hybrid },
            ast::TypeKind::Chan => {
                Type::Channel { urgent: prefixes.urgent, broadcast: prefixes.broadcast }
            }
            ast::TypeKind::Void => Type::Void,
            ast::TypeKind::Scalar(size) => {
                let count = self.constant_int(scope, size, "the size of a scalar set")?;
                if count < 1 || count as u32 > SLOTS_MAX {
                    self.report_value(Diagnostic::error(
                        "range::empty",
                        size.span,
                        format!("a scalar set can not have {count} elements"),
                    ));
                    return None;
                }
                self.scalar_sets += 1;
                Type::Scalar(ScalarSet { id: self.scalar_sets, size: count as u32 })
            }
            ast::TypeKind::Struct(fields) => self.structure(scope, fields)?,
            ast::TypeKind::Named(name) => self.named_type(scope, name, ty.span)?,
            ast::TypeKind::Error => return None,
        };
        let (channel, clock) = match found.leaf() {
            Type::Channel { .. } => (true, false),
            Type::Clock { .. } => (false, true),
            Type::Error => (true, true),
            _ => (false, false),
        };
        let misplaced = [
            ("urgent", prefixes.urgent && !channel, "channels", "chan c"),
            ("broadcast", prefixes.broadcast && !channel, "channels", "chan c"),
            ("hybrid", prefixes.hybrid && !clock, "clocks", "clock x"),
        ];
        for (word, _, owners, example) in misplaced.into_iter().filter(|entry| entry.1) {
            self.report(
                Diagnostic::error(
                    "declaration::prefix",
                    ty.span,
                    format!("`{word}` does not go with `{found}`"),
                )
                .label(format!("only {owners} can be {word}"))
                .help(format!("write `{word} {example};`, or leave out `{word}`")),
            );
        }
        Some(match prefixes.urgent || prefixes.broadcast || prefixes.hybrid {
            true => found.prefixed(prefixes),
            false => found,
        })
    }

    fn structure(&mut self, scope: ScopeId, fields: &'a [ast::Variable]) -> Option<Type> {
        let mut found: Vec<(String, Type)> = Vec::with_capacity(fields.len());
        let mut complete = true;
        for field in fields {
            if found.iter().any(|(name, _)| *name == field.name.text) {
                self.report(
                    Diagnostic::error(
                        "name::duplicate",
                        field.name.span,
                        format!("the field `{}` is declared twice", field.name.text),
                    )
                    .label("declared again here")
                    .help("rename one of them"),
                );
            }
            match self.variable_type(scope, field) {
                Some(ty) => found.push((field.name.text.clone(), ty)),
                None => complete = false,
            }
        }
        complete.then(|| Type::Struct(Rc::new(StructType { fields: found })))
    }

    fn named_type(&mut self, scope: ScopeId, name: &str, span: Span) -> Option<Type> {
        match self.scopes.find(scope, name).map(|(entity, _)| entity.clone()) {
            Some(Entity::Type(ty)) => Some(ty),
            Some(Entity::Error) => None,
            Some(entity) => {
                self.report(
                    Diagnostic::error(
                        "name::not_a_type",
                        span,
                        format!("`{name}` is {}, not a type", entity.describe()),
                    )
                    .label("a type is expected here"),
                );
                None
            }
            None => {
                let known = ["int", "bool", "clock", "chan", "double", "void", "scalar", "struct"];
                match crate::diagnostic::closest(name, known) {
                    Some(word)
                        if self
                            .scopes
                            .suggest(scope, name, |entity| matches!(entity, Entity::Type(_)))
                            .is_none() =>
                    {
                        self.report(
                            Diagnostic::error(
                                "name::unknown",
                                span,
                                format!("there is no type `{name}`"),
                            )
                            .label("not declared")
                            .help(format!("did you mean `{word}`?")),
                        )
                    }
                    _ => self.unknown_name(scope, name, span, "type"),
                }
                None
            }
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

/// The values of the leaves of a variable.
#[derive(Default)]
pub(super) struct Values {
    pub(super) ints: Vec<i32>,
    pub(super) doubles: Vec<f64>,
    pub(super) clocks: Vec<f64>,
}

impl Values {
    fn layout(&self) -> Layout {
        Layout {
            ints: self.ints.len() as u32,
            doubles: self.doubles.len() as u32,
            clocks: self.clocks.len() as u32,
            channels: 0,
        }
    }

    fn overwrite(&mut self, at: Layout, part: Self) {
        let start = at.ints as usize;
        if let Some(slots) = self.ints.get_mut(start..start + part.ints.len()) {
            slots.copy_from_slice(&part.ints);
        }
        let start = at.doubles as usize;
        if let Some(slots) = self.doubles.get_mut(start..start + part.doubles.len()) {
            slots.copy_from_slice(&part.doubles);
        }
        let start = at.clocks as usize;
        if let Some(slots) = self.clocks.get_mut(start..start + part.clocks.len()) {
            slots.copy_from_slice(&part.clocks);
        }
    }
}

/// The field that the modeller may have meant.
pub(super) fn suggested_field(ty: &Type, name: &str) -> Option<String> {
    let Type::Struct(fields) = ty else { return None };
    let fields = fields.fields.iter().map(|(name, _)| name.as_str());
    crate::diagnostic::closest(name, fields).map(|field| format!("did you mean `{field}`?"))
}

/// The default of every integer leaf: 0, or the value of the range that is closest to it.
pub(super) fn defaults(ty: &Type, ints: &mut Vec<i32>) {
    match ty {
        Type::Int(range) => ints.push(0.clamp(range.lo, range.hi)),
        Type::Bool | Type::Scalar(_) => ints.push(0),
        Type::Array(array) if array.stride.ints > 0 => {
            let start = ints.len();
            defaults(&array.element, ints);
            let element = ints[start..].to_vec();
            for _ in 1..array.len {
                ints.extend_from_slice(&element);
            }
        }
        Type::Struct(fields) => fields.fields.iter().for_each(|(_, ty)| defaults(ty, ints)),
        _ => {}
    }
}
