//! Guards and invariants: conjunctions of data conditions, clock constraints and rates.

use punctual_model::{
    BinaryOp, ClockConstraint, Condition, Expr, Number, Quantifier, Rate, Relation, UnaryOp,
};

use super::{
    Builder, Role, fold,
    scope::{Entity, ScopeId},
    typed::Value,
    types::Type,
};
use crate::{Span, diagnostic::Diagnostic, uppaal::ast};

/// How many conjuncts a quantified condition may stand for.
const CONJUNCTS_MAX: usize = 100_000;

impl<'a> Builder<'a> {
    /// A guard. The role must be `Guard`.
    pub(super) fn guard(&mut self, scope: ScopeId, expr: &'a ast::Expr) -> Condition {
        let mut parts = Parts::default();
        self.conjuncts(scope, expr, &mut parts);
        self.refuse_effects(expr);
        parts.condition
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
        (parts.condition, parts.rates)
    }

    /// Reports an expression that changes something but must not.
    pub(super) fn refuse_effects(&mut self, expr: &'a ast::Expr) {
        let effects = std::mem::take(&mut self.effects);
        if effects.writes {
            self.report(
                Diagnostic::error(
                    "effect::not_allowed",
                    expr.span,
                    format!("this {} changes a variable", self.role_name()),
                )
                .label("it calls a function that assigns to a variable or clock")
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
        let Some((ty, range)) = self.binding_range(scope, binding) else { return };
        // The first value tells whether clocks are involved.
        for value in range.lo..=range.hi {
            let before = (parts.condition.clocks.len(), parts.rates.len());
            let data = parts.condition.data.len();
            self.scoped(scope, |builder, scope| {
                let entity = Entity::Value(ty.clone(), Expr::Int(value));
                builder.bind(scope, &binding.name, entity);
                builder.conjuncts(scope, body, parts);
            });
            if value == range.lo && before == (parts.condition.clocks.len(), parts.rates.len()) {
                parts.condition.data.truncate(data);
                self.conjunct(scope, expr, parts);
                return;
            }
            if parts.condition.clocks.len() + parts.rates.len() > CONJUNCTS_MAX {
                self.report(Diagnostic::error(
                    "range::too_many_constraints",
                    expr.span,
                    format!("this stands for more than {CONJUNCTS_MAX} clock constraints"),
                ));
                return;
            }
        }
    }

    fn conjunct(&mut self, scope: ScopeId, expr: &'a ast::Expr, parts: &mut Parts) {
        let typed = self.expr(scope, expr);
        if typed.is_error() {
            return;
        }
        let value = self.truth(&typed);
        if !matches!(typed.ty, Type::Formula) {
            if !matches!(value, Expr::Int(n) if n != 0) {
                parts.condition.data.push(value);
            }
            return;
        }
        match split(value, None, false) {
            Ok(constraints) => {
                for part in constraints {
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
            true => (Number::Int, self.rvalue(&value)),
            false => (Number::Double, self.double(&value, "rate of a clock")),
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
fn split(expr: Expr, when: Option<&Expr>, negative: bool) -> Result<Vec<Part>, Disjunction> {
    if !expr.reads_clock() {
        let expr = if negative { fold::not(expr) } else { expr };
        let expr = match when {
            Some(when) => fold::binary(BinaryOp::Imply, Number::Int, when.clone(), expr),
            None => expr,
        };
        return Ok(vec![Part::Data(expr)]);
    }
    match expr {
        Expr::ClockConstraint(mut constraint) => {
            if negative {
                constraint.relation = opposite(constraint.relation);
            }
            constraint.when = when.cloned();
            Ok(vec![Part::Clock(*constraint)])
        }
        Expr::Unary(UnaryOp::Not, _, inner) => split(*inner, when, !negative),
        Expr::Binary(binary) => {
            let (left, right) = (binary.left, binary.right);
            // A disjunction of formulas: the side without clocks becomes the condition.
            let (left_negative, right_negative) = match (binary.op, negative) {
                (BinaryOp::And, false) | (BinaryOp::Or, true) => {
                    let mut parts = split(left, when, negative)?;
                    parts.extend(split(right, when, negative)?);
                    return Ok(parts);
                }
                (BinaryOp::Imply, true) => {
                    let mut parts = split(left, when, false)?;
                    parts.extend(split(right, when, true)?);
                    return Ok(parts);
                }
                (BinaryOp::Or, false) => (false, false),
                (BinaryOp::And, true) => (true, true),
                (BinaryOp::Imply, false) => (true, false),
                // A comparison of doubles that reads clocks: evaluated as it is.
                _ => {
                    let expr =
                        Expr::Binary(Box::new(punctual_model::Binary { left, right, ..*binary }));
                    return Ok(vec![Part::Data(if negative { fold::not(expr) } else { expr })]);
                }
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
            let when = match when {
                Some(when) => fold::binary(BinaryOp::And, Number::Int, when.clone(), escape),
                None => escape,
            };
            split(clock, Some(&when), clock_negative)
        }
        _ => Err(Disjunction),
    }
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
