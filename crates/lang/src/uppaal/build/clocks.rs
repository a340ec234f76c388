//! Arithmetic and comparisons over clocks.
//!
//! What compares a clock, or the difference of two, with something that no clock is in becomes a
//! [`ClockConstraint`]. Everything else that reads clocks stays a comparison of doubles, which
//! only stochastic analysis can evaluate.

use punctual_model::{BinaryOp, ClockConstraint, ClockRef, Expr, Number, Relation, UnaryOp};

use super::{Builder, Role, typed::Typed, types::Type};
use crate::{Span, diagnostic::Diagnostic, fold};

impl Builder<'_> {
    /// `x + e`, `x - y`, `2 * x`: the operands stay recognisable as integers.
    pub(super) fn clock_arithmetic(
        &mut self,
        op: BinaryOp,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Typed {
        let mut operand = |typed: Typed| {
            let number = typed.ty.number();
            let value = self.rvalue(typed);
            match number {
                Number::Int => Expr::ToDouble(Box::new(value)),
                Number::Double => value,
            }
        };
        let (left, right) = (operand(left), operand(right));
        let binary = punctual_model::Binary { op, number: Number::Double, size: 1, left, right };
        Typed::number(Type::ClockValue, Expr::Binary(Box::new(binary)), span)
    }

    pub(super) fn clock_comparison(
        &mut self,
        op: BinaryOp,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Typed {
        let fits = |ty: &Type| ty.is_number() || ty.is_clock_value();
        if !fits(&left.ty) || !fits(&right.ty) {
            self.incomparable(&left, &right, span);
            return Typed::error(span);
        }
        let relation = match op {
            BinaryOp::Less => Relation::Less,
            BinaryOp::LessEqual => Relation::LessEqual,
            BinaryOp::Equal => Relation::Equal,
            BinaryOp::NotEqual => Relation::NotEqual,
            BinaryOp::GreaterEqual => Relation::GreaterEqual,
            _ => Relation::Greater,
        };
        let (left_span, right_span) = (left.span, right.span);
        let culprit = if left.ty.is_clock_value() { right_span } else { left_span };
        let (left_number, right_number) = (left.ty.number(), right.ty.number());
        let (left, right) = (self.rvalue(left), self.rvalue(right));
        let mut linear = Linear::default();
        let plain = linear.add(&left, left_number, false) && linear.add(&right, right_number, true);
        linear.cancel();
        if plain && let Some(constraint) = linear.constraint(relation) {
            // `x - x < 3` is about no clock at all.
            if constraint.left.is_none() {
                let zero = match constraint.number {
                    Number::Int => Expr::Int(0),
                    Number::Double => Expr::Double(0.0),
                };
                let op = binary_op(constraint.relation);
                let expr = fold::binary(op, constraint.number, zero, constraint.bound);
                return Typed::number(Type::Bool, expr, span);
            }
            if constraint.number == Number::Double && !self.is_about_hybrid([&left, &right]) {
                self.warn_double_bound(culprit, span);
            }
            return Typed::number(Type::Formula, Expr::ClockConstraint(Box::new(constraint)), span);
        }
        if self.role != Role::Query && !self.is_about_hybrid([&left, &right]) {
            self.report(
                Diagnostic::warning(
                    "clock::not_a_bound",
                    span,
                    "only statistical analysis can evaluate this comparison of clocks",
                )
                .label("neither a clock nor a difference of two clocks, compared with a number")
                .help("for exact analysis write `x < e` or `x - y < e`, where no clock is in `e`"),
            );
        }
        let operand = |number: Number, value: Expr| match number {
            Number::Int => fold::to_double(value),
            Number::Double => value,
        };
        let (left, right) = (operand(left_number, left), operand(right_number, right));
        let binary = punctual_model::Binary { op, number: Number::Double, size: 1, left, right };
        Typed::number(Type::Bool, Expr::Binary(Box::new(binary)), span)
    }

    /// Whether a hybrid clock is read: symbolic analysis leaves those out, and says so elsewhere.
    fn is_about_hybrid(&self, sides: [&Expr; 2]) -> bool {
        let mut hybrid = false;
        for side in sides {
            side.walk(&mut |expr| {
                if let Expr::Clock(clock) = expr {
                    let clock = self.network.clocks.get(clock.base);
                    hybrid |= clock.is_some_and(|clock| clock.hybrid);
                }
            });
        }
        hybrid
    }

    fn warn_double_bound(&mut self, culprit: Span, span: Span) {
        if self.role == Role::Query {
            return;
        }
        self.report(
            Diagnostic::warning(
                "clock::double_bound",
                span,
                "a clock is compared with a double: only statistical analysis can use this",
            )
            .label("in this comparison")
            .also(culprit, "this is a double")
            .help("for exact analysis choose a finer time unit, so that all bounds are integers"),
        );
    }

    /// `x' == e`, outside of the top level of an invariant.
    pub(super) fn rate_comparison(
        &mut self,
        op: BinaryOp,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Typed {
        if self.role == Role::Query {
            let (left, right) = (self.double(left, "comparison"), self.double(right, "comparison"));
            return Typed::number(Type::Bool, fold::binary(op, Number::Double, left, right), span);
        }
        self.report(
            Diagnostic::error(
                "clock::rate_condition",
                span,
                "the rate of a clock can only be set by `x' == e`, joined to the rest by `&&`",
            )
            .label("a rate is not a condition"),
        );
        Typed::error(span)
    }
}

/// A sum of clocks and of numbers: `left - right`.
#[derive(Default)]
struct Linear {
    plus: Vec<ClockRef>,
    minus: Vec<ClockRef>,
    /// Terms without clocks: whether subtracted, the kind, the value.
    terms: Vec<(bool, Number, Expr)>,
}

impl Linear {
    /// Adds (or subtracts) an expression; false if it is not a plain sum.
    fn add(&mut self, expr: &Expr, number: Number, negative: bool) -> bool {
        if !expr.reads_clock() {
            let (number, expr) = match expr {
                Expr::ToDouble(inner) => (Number::Int, inner.as_ref().clone()),
                expr => (number, expr.clone()),
            };
            self.terms.push((negative, number, expr));
            return true;
        }
        match expr {
            Expr::Clock(clock) if negative => self.minus.push(clock.clone()),
            Expr::Clock(clock) => self.plus.push(clock.clone()),
            Expr::Unary(UnaryOp::Negate, _, inner) => return self.add(inner, number, !negative),
            Expr::Binary(binary) if binary.op == BinaryOp::Add => {
                return self.add(&binary.left, number, negative)
                    && self.add(&binary.right, number, negative);
            }
            Expr::Binary(binary) if binary.op == BinaryOp::Subtract => {
                return self.add(&binary.left, number, negative)
                    && self.add(&binary.right, number, !negative);
            }
            _ => return false,
        }
        true
    }

    /// Drops clocks that are both added and subtracted.
    fn cancel(&mut self) {
        let minus = &mut self.minus;
        self.plus.retain(|clock| match minus.iter().position(|other| other == clock) {
            Some(position) => {
                minus.swap_remove(position);
                false
            }
            None => true,
        });
    }

    /// `plus - minus + terms relation 0` as a constraint with the terms on the right.
    fn constraint(self, relation: Relation) -> Option<ClockConstraint> {
        if self.plus.len() > 1 || self.minus.len() > 1 {
            return None;
        }
        // `5 <= x` is better read as `x >= 5`.
        let mirrored = self.plus.is_empty();
        let (mut left, mut right) = (self.plus, self.minus);
        if mirrored {
            std::mem::swap(&mut left, &mut right);
        }
        let number = match self.terms.iter().all(|(_, number, _)| *number == Number::Int) {
            true => Number::Int,
            false => Number::Double,
        };
        // What stays on the clocks' side with a plus goes to the other side with a minus.
        let mut bound: Option<Expr> = None;
        let mut terms = self.terms;
        terms.sort_by_key(|(negative, _, _)| *negative == mirrored);
        for (negative, kind, term) in terms {
            let term = match (kind, number) {
                (Number::Int, Number::Double) => fold::to_double(term),
                _ => term,
            };
            let subtract = negative == mirrored;
            bound = Some(match bound {
                None if subtract => fold::negate(number, term),
                None => term,
                Some(sum) => {
                    let op = if subtract { BinaryOp::Subtract } else { BinaryOp::Add };
                    // A zero changes nothing, and would only clutter.
                    match (&term, &sum) {
                        (Expr::Int(0), _) => sum,
                        (_, Expr::Int(0)) if !subtract => term,
                        _ => fold::binary(op, number, sum, term),
                    }
                }
            });
        }
        let relation = match (mirrored, relation) {
            (true, Relation::Less) => Relation::Greater,
            (true, Relation::LessEqual) => Relation::GreaterEqual,
            (true, Relation::GreaterEqual) => Relation::LessEqual,
            (true, Relation::Greater) => Relation::Less,
            (_, relation) => relation,
        };
        Some(ClockConstraint {
            when: None,
            left: left.pop(),
            right: right.pop(),
            relation,
            number,
            bound: bound.unwrap_or(Expr::Int(0)),
        })
    }
}

fn binary_op(relation: Relation) -> BinaryOp {
    match relation {
        Relation::Less => BinaryOp::Less,
        Relation::LessEqual => BinaryOp::LessEqual,
        Relation::Equal => BinaryOp::Equal,
        Relation::NotEqual => BinaryOp::NotEqual,
        Relation::GreaterEqual => BinaryOp::GreaterEqual,
        Relation::Greater => BinaryOp::Greater,
    }
}
