//! Quantifiers and other names that run through a range.

use std::rc::Rc;

use punctual_model::{BinaryOp, Expr, Number, Quantifier, Range, Storage};

use super::{
    Builder, Role,
    place::{Constant, Place},
    scope::{Entity, ScopeId},
    typed::{Typed, Value},
    types::{Layout, Type},
};
use crate::{Span, diagnostic::Diagnostic, uppaal::ast};

/// How often quantifiers of one model may be unrolled in all.
const UNROLL_MAX: usize = 1 << 20;

impl<'a> Builder<'a> {
    pub(super) fn quantifier(
        &mut self,
        scope: ScopeId,
        quantifier: Quantifier,
        binding: &'a ast::Binding,
        ast_body: &'a ast::Expr,
        span: Span,
    ) -> Typed {
        let Some((bound, range)) = self.binding_range(scope, binding) else {
            return Typed::error(span);
        };
        if self.role == Role::Query && self.mentions_process_set(scope, ast_body) {
            return self.unrolled(scope, quantifier, binding, (&bound, range), ast_body, span);
        }
        let slot = self.int_slot();
        let body = self.scoped(scope, |builder, scope| {
            builder.bind_slot(scope, &binding.name, bound.clone(), slot);
            builder.expr(scope, ast_body)
        });
        if body.is_error() {
            return Typed::error(span);
        }
        // Guards and invariants are conjunctions of constraints on clocks that are known.
        if matches!(body.ty, Type::Formula) && matches!(self.role, Role::Guard | Role::Invariant) {
            return self.unrolled(scope, quantifier, binding, (&bound, range), ast_body, span);
        }
        let counted = matches!(body.ty, Type::Formula) && self.role == Role::Query;
        let (ty, number, value) = match quantifier {
            Quantifier::Forall | Quantifier::Exists => {
                let formula = matches!(body.ty, Type::Formula);
                let value = self.truth(body);
                (if formula { Type::Formula } else { Type::Bool }, Number::Int, value)
            }
            Quantifier::Sum if body.ty.is_integral() || counted => {
                (Type::INT, Number::Int, self.rvalue(body))
            }
            Quantifier::Sum => {
                let ty = if body.ty.is_clock_value() { Type::ClockValue } else { Type::Double };
                (ty, Number::Double, self.double(body, "sum"))
            }
        };
        let body = Box::new(value);
        Typed::number(ty, Expr::Quantifier { quantifier, slot, range, number, body }, span)
    }

    /// A quantifier over processes: one copy of the body for each value, since processes are
    /// chosen before the model runs.
    fn unrolled(
        &mut self,
        scope: ScopeId,
        quantifier: Quantifier,
        binding: &'a ast::Binding,
        (ty, range): (&Type, Range),
        body: &'a ast::Expr,
        span: Span,
    ) -> Typed {
        let op = match quantifier {
            Quantifier::Forall => BinaryOp::And,
            Quantifier::Exists => BinaryOp::Or,
            Quantifier::Sum => BinaryOp::Add,
        };
        // The terms are combined as a balanced tree, so that no walk over it goes deep.
        let mut terms = Vec::new();
        for value in range.lo..=range.hi {
            if !self.may_unroll(span) {
                return Typed::error(span);
            }
            let term = self.scoped(scope, |builder, scope| {
                let entity = Entity::Value(ty.clone(), Expr::Int(value));
                builder.bind(scope, &binding.name, entity);
                builder.expr(scope, body)
            });
            if term.is_error() {
                return Typed::error(span);
            }
            let decided = match (&term.value, quantifier) {
                (Value::Number(Expr::Int(0)), Quantifier::Forall) => true,
                (Value::Number(Expr::Int(n)), Quantifier::Exists) => *n != 0,
                _ => false,
            };
            if decided {
                return term;
            }
            // A term that changes nothing is left out.
            let neutral = match (&term.value, quantifier) {
                (Value::Number(Expr::Int(n)), Quantifier::Forall) => *n != 0,
                (Value::Number(Expr::Int(0)), Quantifier::Exists | Quantifier::Sum) => true,
                _ => false,
            };
            if !neutral {
                terms.push(term);
            }
        }
        while terms.len() > 1 {
            let mut halves = Vec::with_capacity(terms.len().div_ceil(2));
            let mut rest = terms.into_iter();
            while let Some(left) = rest.next() {
                halves.push(match rest.next() {
                    Some(right) => self.binary(op, left, right, span),
                    None => left,
                });
            }
            terms = halves;
        }
        terms.pop().unwrap_or_else(|| match quantifier {
            Quantifier::Forall => Typed::number(Type::Bool, Expr::TRUE, span),
            Quantifier::Exists => Typed::number(Type::Bool, Expr::FALSE, span),
            Quantifier::Sum => Typed::number(Type::INT, Expr::Int(0), span),
        })
    }

    /// Counts one more case of a quantifier that is unrolled; false if there are too many.
    pub(super) fn may_unroll(&mut self, span: Span) -> bool {
        self.unrolled += 1;
        if self.unrolled > UNROLL_MAX {
            self.report(
                Diagnostic::error(
                    "range::too_many_cases",
                    span,
                    format!("the quantifiers over clocks and processes stand for more than {UNROLL_MAX} cases"),
                )
                .label("one case for each value"),
            );
        }
        self.unrolled <= UNROLL_MAX
    }

    /// Binds a name to an integer slot that must not be assigned to.
    pub(super) fn bind_slot(&mut self, scope: ScopeId, name: &'a ast::Name, ty: Type, slot: u32) {
        let place = Place {
            ty,
            storage: Storage::Local,
            base: Layout { ints: slot, ..Layout::default() },
            indices: Vec::new(),
            constant: Some(Constant::Bound),
        };
        self.bind(scope, name, Entity::Place(Rc::new(place)));
    }

    /// The type and the values of `name : type`.
    pub(super) fn binding_range(
        &mut self,
        scope: ScopeId,
        binding: &'a ast::Binding,
    ) -> Option<(Type, Range)> {
        if let ast::TypeKind::Named(name) = &binding.ty.kind
            && let Some((Entity::Dynamic, _)) = self.scopes.find(scope, name)
        {
            self.dynamic(binding.ty.span);
            return None;
        }
        let ty = self.type_of(scope, &binding.ty)?;
        match ty.values() {
            Some(range) => Some((ty, range)),
            None if ty.is_error() => None,
            None => {
                self.report(
                    Diagnostic::error(
                        "type::unbounded",
                        binding.ty.span,
                        format!("`{}` can not run through `{ty}`", binding.name.text),
                    )
                    .label("a bounded type is expected here")
                    .help("give bounds: `int[0, 5]`, or use a scalar type"),
                );
                None
            }
        }
    }
}
