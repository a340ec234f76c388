//! Types as they are written: bounds and sizes become numbers.

use std::rc::Rc;

use punctual_model::Range;

use super::{
    Builder,
    scope::{Entity, ScopeId},
    types::{ArrayType, LEAVES_MAX, PARTS_MAX, SLOTS_MAX, ScalarSet, StructType, Type},
};
use crate::{Span, diagnostic::Diagnostic, uppaal::ast};

impl<'a> Builder<'a> {
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
        let parts: u32 = found.iter().map(|(_, ty)| ty.parts()).sum();
        if let Some(first) = fields.first().filter(|_| parts > PARTS_MAX) {
            self.report(
                Diagnostic::error(
                    "struct::too_large",
                    first.name.span,
                    "this structure is too large",
                )
                .label(format!("with all that is nested in it, it has {parts} fields"))
                .help(format!(
                    "a structure can have {PARTS_MAX} fields in all; an array counts as one of its elements"
                )),
            );
            return None;
        }
        complete.then(|| Type::Struct(Rc::new(StructType { fields: found, parts })))
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
}
