//! Assignments.

use punctual_model::{self as model, AssignOp, AssignResult, BinaryOp, Expr, Number, Storage};

use super::{
    Builder, Role,
    place::{Constant, Place},
    scope::ScopeId,
    typed::{Typed, Value},
    types::Type,
};
use crate::{Span, diagnostic::Diagnostic, fold, uppaal::ast};

/// Arrays and structures of more elements are not assigned element by element: each is an assignment of its own.
const ELEMENTS_MAX: u32 = 1024;

impl<'a> Builder<'a> {
    /// `target = value`, `target op= value`.
    pub(super) fn assign(
        &mut self,
        scope: ScopeId,
        op: Option<BinaryOp>,
        target: &'a ast::Expr,
        value: &'a ast::Expr,
        span: Span,
    ) -> Typed {
        if !self.may_assign(op.is_none(), target.span.to(first_operand(value).span)) {
            return Typed::error(span);
        }
        let written = target;
        let target = self.expr(scope, target);
        let value = self.expr(scope, value);
        if !self.assignable(scope, written, &target) || value.is_error() {
            return Typed::error(span);
        }
        let Value::Place(place) = &target.value else { return Typed::error(span) };
        if target.ty.is_clock() {
            let value = match op {
                Some(op) => self.binary(op, target.clone(), value, span),
                None => value,
            };
            return self.set_clock(&target, value, span);
        }
        if place.storage != Storage::Local {
            self.effects.writes = true;
        }
        let what = "assignment";
        if op.is_none()
            && let Some(each) = self.assign_each(place, &value)
        {
            return Typed::number(Type::Void, each, span);
        }
        let (op, expr) = match op {
            None => (AssignOp::Set, self.convert(value, &target.ty, what)),
            Some(op) => {
                let fits = match target.ty.number() {
                    Number::Int => target.ty.is_integral() && value.ty.is_integral(),
                    Number::Double => matches!(target.ty, Type::Double) && value.ty.is_number(),
                };
                if !fits {
                    self.mismatch(&value, &target.ty, what);
                    return Typed::error(span);
                }
                let expr = self.as_number(value, target.ty.number());
                (AssignOp::Combine(op), expr)
            }
        };
        let expr = Expr::Assign {
            target: Box::new(place.to_number()),
            op,
            value: Box::new(expr),
            result: AssignResult::New,
        };
        Typed::number(target.ty.clone(), expr, span)
    }

    /// `x++`, `--x`.
    pub(super) fn step(
        &mut self,
        scope: ScopeId,
        target: &'a ast::Expr,
        increment: bool,
        prefix: bool,
        span: Span,
    ) -> Typed {
        if !self.may_assign(false, span) {
            return Typed::error(span);
        }
        let written = target;
        let target = self.expr(scope, target);
        if !self.assignable(scope, written, &target) {
            return Typed::error(span);
        }
        let Value::Place(place) = &target.value else { return Typed::error(span) };
        let value = match &target.ty {
            ty if ty.is_integral() => Expr::Int(1),
            Type::Double => Expr::Double(1.0),
            _ => {
                self.mismatch(&target, &Type::INT, "operand of `++` and `--`");
                return Typed::error(span);
            }
        };
        if place.storage != Storage::Local {
            self.effects.writes = true;
        }
        let op = if increment { BinaryOp::Add } else { BinaryOp::Subtract };
        let expr = Expr::Assign {
            target: Box::new(place.to_number()),
            op: AssignOp::Combine(op),
            value: Box::new(value),
            result: if prefix { AssignResult::New } else { AssignResult::Old },
        };
        Typed::number(target.ty.clone(), expr, span)
    }

    /// An array or a structure assigned element by element, each checked against its range when the model runs. None if all values
    /// fit anyway, or it can not be done so: the value is not stored anywhere, an index changes something or depends on what is
    /// assigned, or there are too many elements.
    fn assign_each(&mut self, target: &Place, value: &Typed) -> Option<Expr> {
        let Value::Place(source) = &value.value else { return None };
        let layout = target.ty.layout();
        let is_block = target.ty.is_composite() && layout.clocks + layout.channels == 0;
        if !is_block || !source.ty.same_shape(&target.ty) || target.ty.holds_all_of(&source.ty) {
            return None;
        }
        if layout.ints + layout.doubles > ELEMENTS_MAX {
            return None;
        }
        let changed = target.to_number();
        let mut indices = target.indices.iter().chain(&source.indices);
        if !indices.all(|it| is_steady(&it.value, &changed)) {
            return None;
        }
        let mut leaves = Vec::new();
        pairs(target, source, &mut leaves);
        let mut each = leaves.into_iter().map(|(target, source)| {
            let value = self.convert(Typed::place(source, value.span), &target.ty, "assignment");
            Expr::Assign {
                target: Box::new(target.to_number()),
                op: AssignOp::Set,
                value: Box::new(value),
                result: AssignResult::New,
            }
        });
        let first = each.next()?;
        Some(each.fold(first, |all, next| Expr::Sequence(Box::new([all, next]))))
    }

    fn set_clock(&mut self, target: &Typed, value: Typed, span: Span) -> Typed {
        self.effects.writes = true;
        let Value::Place(place) = &target.value else { return Typed::error(span) };
        let value_span = value.span;
        let expr = match &value.ty {
            ty if ty.is_number() || ty.is_clock_value() => self.rvalue(value),
            _ => {
                self.mismatch(&value, &Type::INT, "value of a clock");
                return Typed::error(span);
            }
        };
        // Statistical models use clocks as coordinates and set them to doubles of any sign.
        if let (Expr::Int(constant @ ..0), Type::Clock { hybrid: false }) = (&expr, &target.ty) {
            self.report_value(
                Diagnostic::error("clock::negative", value_span, "a clock can not be negative")
                    .label(format!("this is {constant}")),
            );
        }
        let expr = Expr::SetClock { clock: place.to_clock(), value: Box::new(expr) };
        Typed::number(target.ty.clone(), expr, span)
    }

    fn may_assign(&mut self, plain: bool, span: Span) -> bool {
        if matches!(self.role, Role::Update | Role::Function) {
            return true;
        }
        let name = self.role_name();
        let mut diagnostic = Diagnostic::error(
            "effect::assignment",
            span,
            format!("an assignment can not stand in a {name}"),
        );
        if plain {
            diagnostic = diagnostic.label("this assigns").help("use `==` to compare");
        } else {
            diagnostic = diagnostic.help("do this in the update of an edge");
        }
        self.report(diagnostic);
        false
    }

    fn assignable(&mut self, scope: ScopeId, written: &'a ast::Expr, target: &Typed) -> bool {
        if target.is_error() {
            return false;
        }
        let (message, help) = match &target.value {
            Value::Place(place) => match place.constant {
                None if place.ty.layout().channels > 0 => {
                    ("a channel can not be assigned to", "pass the channel as a parameter instead")
                }
                None => return true,
                Some(Constant::Declared) => (
                    "a constant can not be assigned to",
                    "remove `const` from its declaration, or assign to another variable",
                ),
                Some(Constant::Bound) => (
                    "a value chosen by a select, a quantifier or a range loop can not be assigned to",
                    "copy it to a variable first",
                ),
            },
            Value::Number(Expr::Int(_) | Expr::Double(_)) if self.is_parameter(scope, written) => (
                "a parameter by value can not be assigned to",
                "use a reference (`int &x`) to change a variable, or copy it to a local variable",
            ),
            Value::Number(Expr::Int(_) | Expr::Double(_)) => (
                "a constant can not be assigned to",
                "remove `const` from its declaration, or assign to another variable",
            ),
            Value::Number(_) => {
                ("only variables can be assigned to", "name a variable on the left side")
            }
        };
        self.report(
            Diagnostic::error("type::not_assignable", target.span, message)
                .label("this can not change")
                .help(help),
        );
        false
    }

    /// Whether an expression names a parameter of a template or instance.
    fn is_parameter(&self, scope: ScopeId, expr: &'a ast::Expr) -> bool {
        let ast::ExprKind::Name(name) = &expr.kind else { return false };
        let Some((_, declared)) = self.scopes.find(scope, name) else { return false };
        let templates = self.syntax.templates.iter().flat_map(|template| &template.params);
        templates.into_iter().any(|param| param.name.span == *declared)
    }

    /// The expressions of an update label.
    pub(super) fn update(&mut self, scope: ScopeId, update: &'a [ast::Expr]) -> Vec<Expr> {
        let mut exprs = Vec::with_capacity(update.len());
        for expr in update {
            let before = std::mem::take(&mut self.effects);
            let typed = self.expr(scope, expr);
            let faulty = typed.is_error();
            let value = self.rvalue(typed);
            let effects = self.effects;
            if !faulty && !effects.writes && !effects.random {
                let help = match &expr.kind {
                    ast::ExprKind::Binary(BinaryOp::Equal, ..) => {
                        Some("use `=` to assign".to_owned())
                    }
                    _ => None,
                };
                if !matches!(value, Expr::Int(_)) || help.is_some() {
                    self.report(
                        Diagnostic::warning(
                            "effect::none",
                            expr.span,
                            "this part of the update changes nothing",
                        )
                        .maybe_help(help),
                    );
                }
            }
            // What an update does concerns no other label of its edge.
            self.effects = before;
            self.writer = None;
            exprs.push(value);
        }
        // Truth values alone do nothing: `true` is a common placeholder.
        exprs.retain(|expr| !matches!(expr, Expr::Int(_)));
        exprs
    }

    /// A truth value as 0 or 1, for measures.
    pub(super) fn measure(&mut self, scope: ScopeId, expr: &'a ast::Expr, what: &str) -> Expr {
        let typed = self.expr(scope, expr);
        let value = self.double(typed, what);
        self.refuse_effects(expr);
        match value {
            Expr::Int(value) => fold::to_double(Expr::Int(value)),
            value => value,
        }
    }
}

/// The leftmost operand: in `a = 3 && b`, what was meant to be compared with `a`.
fn first_operand(expr: &ast::Expr) -> &ast::Expr {
    let mut at = expr;
    while let ast::ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Imply, left, _) =
        &at.kind
    {
        at = left;
    }
    at
}

/// The elements of two places of the same shape, side by side.
fn pairs(target: &Place, source: &Place, to: &mut Vec<(Place, Place)>) {
    match (&target.ty, &source.ty) {
        (Type::Array(ours), Type::Array(theirs)) => {
            for i in 0..ours.len as i32 {
                let target = target.element(Expr::Int(ours.lo + i));
                let source = source.element(Expr::Int(theirs.lo + i));
                if let (Some(target), Some(source)) = (target, source) {
                    pairs(&target, &source, to);
                }
            }
        }
        (Type::Struct(ours), Type::Struct(_)) => {
            for (name, _) in &ours.fields {
                if let (Some(target), Some(source)) = (target.field(name), source.field(name)) {
                    pairs(&target, &source, to);
                }
            }
        }
        _ => to.push((target.clone(), source.clone())),
    }
}

/// Whether an index is the same before and after each element is assigned: it changes nothing, and reads nothing that lies where
/// elements are assigned.
fn is_steady(index: &Expr, target: &model::Place) -> bool {
    match index {
        Expr::Int(_) => true,
        Expr::Load(place) => {
            let (ours, theirs) = (slots(target), slots(place));
            let is_apart = place.storage != target.storage
                || place.number != target.number
                || ours.end <= theirs.start
                || theirs.end <= ours.start;
            is_apart && place.indices.iter().all(|it| is_steady(&it.value, target))
        }
        Expr::Unary(_, _, of) => is_steady(of, target),
        Expr::Binary(it) => is_steady(&it.left, target) && is_steady(&it.right, target),
        _ => false,
    }
}

/// All slots that a place may be at.
fn slots(place: &model::Place) -> std::ops::Range<u64> {
    let reach = |it: &model::Index| u64::from(it.len.saturating_sub(1)) * u64::from(it.stride);
    let start = u64::from(place.base);
    start..start + place.indices.iter().map(reach).sum::<u64>() + u64::from(place.size)
}
