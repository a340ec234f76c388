//! Initial values and other expressions that must be known before the model runs.

use punctual_model::Expr;

use super::{
    Builder, Role,
    constant::{self, Constant, Stuck},
    scope::ScopeId,
    types::{Layout, Type},
};
use crate::{Span, diagnostic::Diagnostic, uppaal::ast};

/// Where an item of a list goes.
pub(super) enum ListTarget {
    Element(i32),
    Field(String),
}

impl<'a> Builder<'a> {
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
