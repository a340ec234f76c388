//! Guards and invariants: conjunctions of data conditions, clock constraints and rates.

use punctual_model::{
    BinaryOp, ClockConstraint, Condition, Expr, Number, Quantifier, Rate, Relation, UnaryOp,
};

use super::{
    Builder, Role,
    scope::{Entity, ScopeId},
    typed::Value,
    types::Type,
    walk::walk,
};
use crate::{Span, diagnostic::Diagnostic, fold, uppaal::ast};

impl<'a> Builder<'a> {
    /// A guard. The role must be `Guard`.
    pub(super) fn guard(&mut self, scope: ScopeId, expr: &'a ast::Expr) -> Condition {
        let mut parts = Parts::default();
        self.conjuncts(scope, expr, &mut parts);
        self.refuse_effects(expr);
        parts.condition.shrunk()
    }

    /// An invariant with the rates it sets. The role must be `Invariant`.
    pub(super) fn invariant(
        &mut self,
        scope: ScopeId,
        expr: &'a ast::Expr,
    ) -> (Condition, Vec<Rate>) {
        let mut parts = Parts::default();
        self.conjuncts(scope, expr, &mut parts);
        self.refuse_effects(expr);
        (parts.condition.shrunk(), parts.rates)
    }

    /// Reports an expression that changes something but must not.
    pub(super) fn refuse_effects(&mut self, expr: &'a ast::Expr) {
        let effects = std::mem::take(&mut self.effects);
        let writer = self.writer.take();
        if effects.writes {
            let message = format!("this {} changes a variable or a clock", self.role_name());
            let (span, label) = match writer {
                Some((span, name)) => (span, format!("`{name}` assigns")),
                None => (expr.span, "this assigns".to_owned()),
            };
            self.report(
                Diagnostic::error("effect::not_allowed", span, message)
                    .label(label)
                    .help("do that in the update of an edge"),
            );
        }
    }

    pub(super) fn role_name(&self) -> &'static str {
        match self.role {
            Role::Constant => "constant expression",
            Role::Guard => "guard",
            Role::Invariant => "invariant",
            Role::Sync => "synchronisation",
            Role::Update => "update",
            Role::Measure => "expression",
            Role::Function => "function",
            Role::Query => "query",
        }
    }

    fn conjuncts(&mut self, scope: ScopeId, expr: &'a ast::Expr, parts: &mut Parts) {
        match &expr.kind {
            // Long chains lean to the left: walk them with a list instead of the stack.
            ast::ExprKind::Binary(BinaryOp::And, ..) => {
                let mut chain = Vec::new();
                let mut at = expr;
                while let ast::ExprKind::Binary(BinaryOp::And, left, right) = &at.kind {
                    chain.push(right.as_ref());
                    at = left;
                }
                self.conjuncts(scope, at, parts);
                for part in chain.into_iter().rev() {
                    self.conjuncts(scope, part, parts);
                }
            }
            ast::ExprKind::Binary(BinaryOp::Equal, left, right) if self.role == Role::Invariant => {
                match (&left.kind, &right.kind) {
                    (ast::ExprKind::Rate(clock), _) => self.set_rate(scope, clock, right, parts),
                    (_, ast::ExprKind::Rate(clock)) => self.set_rate(scope, clock, left, parts),
                    _ => self.conjunct(scope, expr, parts),
                }
            }
            ast::ExprKind::Quantifier(Quantifier::Forall, binding, body) => {
                self.forall(scope, expr, binding, body, parts);
            }
            _ => self.conjunct(scope, expr, parts),
        }
    }

    /// A quantifier over data stays one; over clocks it is unrolled.
    fn forall(
        &mut self,
        scope: ScopeId,
        expr: &'a ast::Expr,
        binding: &'a ast::Binding,
        body: &'a ast::Expr,
        parts: &mut Parts,
    ) {
        if !self.mentions_clock(scope, body) {
            self.conjunct(scope, expr, parts);
            return;
        }
        let Some((ty, range)) = self.binding_range(scope, binding) else { return };
        let errors = self.diagnostics.error_count();
        for value in range.lo..=range.hi {
            if !self.may_unroll(expr.span) {
                return;
            }
            self.scoped(scope, |builder, scope| {
                let entity = Entity::Value(ty.clone(), Expr::Int(value));
                builder.bind(scope, &binding.name, entity);
                builder.conjuncts(scope, body, parts);
            });
            // The other values would repeat the error.
            if self.diagnostics.error_count() > errors {
                return;
            }
        }
    }

    /// Whether a clock is named in an expression.
    pub(super) fn mentions_clock(&self, scope: ScopeId, expr: &'a ast::Expr) -> bool {
        let mut found = false;
        walk(expr, &mut |expr| match &expr.kind {
            ast::ExprKind::Rate(_) => found = true,
            ast::ExprKind::Name(name) => {
                if let Some((Entity::Place(place), _)) = self.scopes.find(scope, name) {
                    found |= place.ty.layout().clocks > 0;
                }
            }
            _ => {}
        });
        found
    }

    fn conjunct(&mut self, scope: ScopeId, expr: &'a ast::Expr, parts: &mut Parts) {
        let typed = self.expr(scope, expr);
        if typed.is_error() {
            return;
        }
        let formula = matches!(typed.ty, Type::Formula);
        let value = self.truth(typed);
        if !formula {
            if !matches!(value, Expr::Int(n) if n != 0) {
                parts.condition.data.push(value);
            }
            return;
        }
        let mut split = Vec::new();
        match split_formula(value, None, false, &mut split) {
            Ok(()) => {
                for part in split {
                    match part {
                        Part::Data(expr) => parts.condition.data.push(expr),
                        Part::Clock(constraint) => {
                            if self.accept(&constraint, expr.span) {
                                parts.condition.clocks.push(constraint);
                            }
                        }
                    }
                }
            }
            Err(Disjunction) => self.report(
                Diagnostic::error(
                    "clock::disjunction",
                    expr.span,
                    format!("this {} is true for a union of clock values", self.role_name()),
                )
                .label("clock constraints can only be joined by `&&`")
                .help(match self.role {
                    Role::Guard => "use one edge for each case",
                    _ => "use one location for each case; `condition || x <= 5` with a condition without clocks is fine",
                }),
            ),
        }
    }

    /// What guards and invariants do not allow, although it is a conjunction.
    fn accept(&mut self, constraint: &ClockConstraint, span: Span) -> bool {
        match (self.role, constraint.relation) {
            (_, Relation::NotEqual) => {
                self.report(
                    Diagnostic::error(
                        "clock::not_equal",
                        span,
                        "a clock can not be compared with `!=` here",
                    )
                    .label("true for a union of clock values")
                    .help("use one edge with `<` and one with `>`"),
                );
                false
            }
            (Role::Invariant, Relation::Equal) => {
                self.report(
                    Diagnostic::error(
                        "clock::invariant_equality",
                        span,
                        "an invariant can not demand that a clock equals a value",
                    )
                    .label("time could never pass here")
                    .help("write `<=`, and put `==` or `>=` into the guards of the edges"),
                );
                false
            }
            (Role::Invariant, Relation::Greater | Relation::GreaterEqual)
                if constraint.right.is_none() =>
            {
                let strict = if constraint.relation == Relation::Greater { "strict " } else { "" };
                self.report(
                    Diagnostic::warning(
                        "clock::invariant_lower_bound",
                        span,
                        format!("a {strict}lower bound in an invariant"),
                    )
                    .label("the location can not be entered before, instead of left")
                    .help(
                        "to leave the location no earlier, put this into the guards of its edges",
                    ),
                );
                true
            }
            _ => true,
        }
    }

    fn set_rate(
        &mut self,
        scope: ScopeId,
        clock: &'a ast::Expr,
        value: &'a ast::Expr,
        parts: &mut Parts,
    ) {
        let clock = self.expr(scope, clock);
        let value = self.expr(scope, value);
        if clock.is_error() || value.is_error() {
            return;
        }
        let (Type::Clock { .. }, Value::Place(place)) = (&clock.ty, &clock.value) else {
            self.mismatch(&clock, &Type::Clock { hybrid: false }, "rate");
            return;
        };
        let (number, value) = match value.ty.is_integral() {
            true => (Number::Int, self.rvalue(value)),
            false => (Number::Double, self.double(value, "rate of a clock")),
        };
        parts.rates.push(Rate { clock: place.to_clock(), number, value });
    }
}

#[derive(Default)]
struct Parts {
    condition: Condition,
    rates: Vec<Rate>,
}

enum Part {
    Data(Expr),
    Clock(ClockConstraint),
}

/// The condition is not a conjunction over clocks.
struct Disjunction;

/// Splits a formula into conjuncts. With `when`, each counts only where that holds; with
/// `negative`, the negation of the formula is meant.
fn split_formula(
    expr: Expr,
    when: Option<&Expr>,
    negative: bool,
    parts: &mut Vec<Part>,
) -> Result<(), Disjunction> {
    if !has_constraint(&expr) {
        let expr = if negative { fold::not(expr) } else { expr };
        let expr = match when {
            Some(when) => fold::binary(BinaryOp::Imply, Number::Int, when.clone(), expr),
            None => expr,
        };
        if !matches!(expr, Expr::Int(n) if n != 0) {
            parts.push(Part::Data(expr));
        }
        return Ok(());
    }
    match expr {
        Expr::ClockConstraint(mut constraint) => {
            if negative {
                constraint.relation = opposite(constraint.relation);
            }
            constraint.when = when.cloned();
            parts.push(Part::Clock(*constraint));
            Ok(())
        }
        Expr::Unary(UnaryOp::Not, _, inner) => split_formula(*inner, when, !negative, parts),
        Expr::Conditional(choice) => {
            let [test, yes, no] = *choice;
            if test.reads_clock() {
                return Err(Disjunction);
            }
            split_where(fold::not(test.clone()), no, when, negative, parts)?;
            split_where(test, yes, when, negative, parts)
        }
        Expr::Binary(binary) => {
            let (left, right) = (binary.left, binary.right);
            // A disjunction of formulas: the side without clocks becomes the condition.
            let (left_negative, right_negative) = match (binary.op, negative) {
                (BinaryOp::And, false) | (BinaryOp::Or, true) => {
                    split_formula(left, when, negative, parts)?;
                    return split_formula(right, when, negative, parts);
                }
                (BinaryOp::Imply, true) => {
                    split_formula(left, when, false, parts)?;
                    return split_formula(right, when, true, parts);
                }
                (BinaryOp::Or, false) => (false, false),
                (BinaryOp::And, true) => (true, true),
                (BinaryOp::Imply, false) => (true, false),
                _ => return Err(Disjunction),
            };
            let (data, data_negative, clock, clock_negative) = if !left.reads_clock() {
                (left, left_negative, right, right_negative)
            } else if !right.reads_clock() {
                (right, right_negative, left, left_negative)
            } else {
                return Err(Disjunction);
            };
            // `data || clock`: the clock part counts where the data part does not hold.
            let escape = if data_negative { data } else { fold::not(data) };
            split_where(escape, clock, when, clock_negative, parts)
        }
        _ => Err(Disjunction),
    }
}

/// Splits a formula that counts only where a further condition holds.
fn split_where(
    condition: Expr,
    formula: Expr,
    when: Option<&Expr>,
    negative: bool,
    parts: &mut Vec<Part>,
) -> Result<(), Disjunction> {
    match (condition, when) {
        (Expr::Int(0), _) => Ok(()),
        (Expr::Int(_), when) => split_formula(formula, when, negative, parts),
        (condition, None) => split_formula(formula, Some(&condition), negative, parts),
        (condition, Some(when)) => {
            let both = fold::binary(BinaryOp::And, Number::Int, when.clone(), condition);
            split_formula(formula, Some(&both), negative, parts)
        }
    }
}

fn has_constraint(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |expr| found |= matches!(expr, Expr::ClockConstraint(_)));
    found
}

fn opposite(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::GreaterEqual,
        Relation::LessEqual => Relation::Greater,
        Relation::Equal => Relation::NotEqual,
        Relation::NotEqual => Relation::Equal,
        Relation::GreaterEqual => Relation::Less,
        Relation::Greater => Relation::LessEqual,
    }
}
