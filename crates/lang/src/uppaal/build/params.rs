//! Parameters of templates and instances.

use std::rc::Rc;

use punctual_model::{Expr, Storage};

use super::{
    Builder, Role,
    constant::Constant,
    function::by_reference,
    initial::Values,
    place::{self, Place},
    scope::{Entity, ScopeId},
    typed::{Typed, Value},
    types::Type,
};
use crate::{Span, diagnostic::Diagnostic, uppaal::ast};

impl<'a> Builder<'a> {
    /// Binds the parameters of a template or instance to arguments that stand in another scope.
    /// False if something is wrong.
    pub(super) fn bind_arguments(
        &mut self,
        (scope, params): (ScopeId, &'a [ast::Param]),
        (outer, arguments): (ScopeId, &'a [ast::Expr]),
        (name, span): (&'a ast::Name, Span),
    ) -> bool {
        let declared = self.scopes.find(outer, &name.text).map(|(_, declared)| *declared);
        let name = name.text.as_str();
        if params.len() != arguments.len() {
            self.wrong_arity(name, params.len(), arguments.len(), span, declared);
            return false;
        }
        let mut fine = true;
        for (param, argument) in params.iter().zip(arguments) {
            let entity =
                self.evaluating(|builder| builder.argument(scope, param, outer, argument, name));
            fine &= entity.is_some();
            self.bind_param(scope, &param.name, entity.unwrap_or(Entity::Error));
        }
        fine
    }

    fn argument(
        &mut self,
        scope: ScopeId,
        param: &'a ast::Param,
        outer: ScopeId,
        argument: &'a ast::Expr,
        name: &str,
    ) -> Option<Entity<'a>> {
        let ty = self.param_type(scope, param)?;
        let (typed, _) = self.framed(Role::Constant, |builder| builder.expr(outer, argument));
        if typed.is_error() {
            return None;
        }
        let what = format!("argument `{}` of `{name}`", param.name.text);
        if by_reference(param, &ty) {
            let place = self.reference(&typed, &ty, param, &what)?;
            if !place.indices.is_empty() {
                self.report(
                    Diagnostic::error(
                        "call::variable_index",
                        typed.span,
                        format!("{what} must be one variable, chosen before the model runs"),
                    )
                    .label("this index depends on a variable"),
                );
                return None;
            }
            let constant =
                param.ty.prefixes.constant.then_some(place::Constant::Declared).or(place.constant);
            return Some(Entity::Place(Rc::new(Place { constant, ..place.as_ref().clone() })));
        }
        // A table that is constant already needs no copy.
        if let Value::Place(place) = &typed.value
            && place.storage == Storage::Constant
            && place.indices.is_empty()
            && ty.is_composite()
            && typed.ty.same_shape(&ty)
            && ty.holds_all_of(&typed.ty)
        {
            return Some(Entity::Place(Rc::new(Place { ty, ..place.as_ref().clone() })));
        }
        let span = typed.span;
        let value = self.with_role(Role::Constant, |builder| builder.convert(typed, &ty, &what));
        let constant = self.evaluate_as(&value, &ty, span, &what)?;
        Some(match (constant, ty) {
            (Constant::Int(value), ty) if !ty.is_composite() => Entity::Value(ty, Expr::Int(value)),
            (Constant::Double(value), ty) if !ty.is_composite() => {
                Entity::Value(ty, Expr::Double(value))
            }
            (constant, ty) => {
                let mut values = Values::default();
                match constant {
                    Constant::Int(value) => values.ints.push(value),
                    Constant::Double(value) => values.doubles.push(value),
                    Constant::Ints(block) => values.ints = block,
                    Constant::Doubles(block) => values.doubles = block,
                }
                // Something of another type was given, which has been told.
                let layout = ty.layout();
                if (values.ints.len(), values.doubles.len())
                    != (layout.ints as usize, layout.doubles as usize)
                {
                    return None;
                }
                Entity::Place(Rc::new(self.constant_table(&param.name.text, ty, values)))
            }
        })
    }

    /// Binds stand-ins for the parameters of a template that is built only to find its errors.
    pub(super) fn bind_stand_ins(&mut self, scope: ScopeId, params: &'a [ast::Param]) -> bool {
        let mut fine = true;
        for param in params {
            let Some(ty) = self.param_type(scope, param) else {
                self.bind_param(scope, &param.name, Entity::Error);
                fine = false;
                continue;
            };
            let entity = match &ty {
                Type::Error => Entity::Error,
                Type::Int(_) | Type::Bool | Type::Scalar(_) if !param.reference => {
                    let value = 0.clamp(ty.range().lo, ty.range().hi);
                    Entity::Value(ty, Expr::Int(value))
                }
                Type::Double if !param.reference => Entity::Value(ty, Expr::Double(1.0)),
                Type::Str => Entity::Str,
                _ => {
                    let constant = (!by_reference(param, &ty) || param.ty.prefixes.constant)
                        .then_some(place::Constant::Declared);
                    let base = self.stand_in_base(&ty);
                    let storage = Storage::State;
                    let place = Place { ty, storage, base, indices: Vec::new(), constant };
                    Entity::Place(Rc::new(place))
                }
            };
            self.bind_param(scope, &param.name, entity);
        }
        fine
    }

    /// Memory at the end of each table; what is built there is thrown away.
    fn stand_in_base(&mut self, ty: &Type) -> super::types::Layout {
        let base = super::types::Layout {
            ints: self.network.initial.ints.len() as u32,
            doubles: self.network.initial.doubles.len() as u32,
            clocks: self.network.clocks.len() as u32,
            channels: self.network.channels.len() as u32,
        };
        let layout = ty.layout();
        let initial = &mut self.network.initial;
        initial.ints.resize(initial.ints.len() + layout.ints as usize, 0);
        initial.doubles.resize(initial.doubles.len() + layout.doubles as usize, 0.0);
        for _ in 0..layout.clocks {
            self.network.clocks.push(punctual_model::Clock {
                name: String::new(),
                owner: None,
                hybrid: false,
                initial: 0.0,
            });
        }
        for _ in 0..layout.channels {
            let (broadcast, urgent) = match ty.leaf() {
                Type::Channel { urgent, broadcast } => (*broadcast, *urgent),
                _ => (false, false),
            };
            let name = String::new();
            self.network.channels.push(punctual_model::Channel {
                name,
                broadcast,
                urgent,
                priority: 0,
            });
        }
        base
    }

    /// Whether an expression is a place of a channel; used by synchronisations.
    pub(super) fn channel_of(&mut self, typed: &Typed) -> Option<Rc<Place>> {
        match (&typed.ty, &typed.value) {
            (Type::Channel { .. }, Value::Place(place)) => Some(place.clone()),
            (Type::Error, _) => None,
            _ => {
                let help = match &typed.ty {
                    Type::Array(_) => Some("choose a channel of the array: `c[i]`".to_owned()),
                    _ => None,
                };
                self.report(
                    Diagnostic::error(
                        "sync::not_a_channel",
                        typed.span,
                        "only channels can synchronise",
                    )
                    .label(format!("this is of type `{}`", typed.ty))
                    .maybe_help(help),
                );
                None
            }
        }
    }
}
