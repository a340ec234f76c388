//! Expressions to scalars.

use punctual_model::{
    ExprId,
    lustre::{BinaryOp, Expr, UnaryOp, Value},
};

use super::{Flattener, Frame, Row, clocks::ClockId};
use crate::lustre::{
    ast::{Binary, Cast, Ex, ExKind, Unary},
    check::Binding,
    literal,
    types::{Kind, Ty},
};

impl Flattener<'_, '_> {
    /// The value of an expression that is one scalar.
    pub(super) fn scalar(&mut self, frame: &mut Frame, clock: ClockId, ex: Ex) -> ExprId {
        let checked = self.checked;
        match checked.ast.kind(ex) {
            ExKind::Bool(it) => self.builder.truth(*it),
            ExKind::Int | ExKind::Decimal => {
                let text = &checked.text[checked.ast.span(ex).range()];
                let value = literal::value(text).unwrap_or(Value::Int(0));
                self.builder.constant(value)
            }
            ExKind::Unary(op, a) => self.unary(frame, clock, *op, *a),
            ExKind::Binary(op, a, b) => self.binary(frame, clock, (*op, *a, *b)),
            ExKind::Cast(cast, a) => self.cast(frame, clock, *cast, *a),
            ExKind::AtMostOne(items) => self.at_most_one(frame, clock, items),
            _ => match self.row(frame, clock, ex).first() {
                Some(scalar) => *scalar,
                None => self.builder.truth(true),
            },
        }
    }

    /// The scalars of an expression.
    pub(super) fn row(&mut self, frame: &mut Frame, clock: ClockId, ex: Ex) -> Row {
        let checked = self.checked;
        let ty = checked.ty(ex);
        match checked.ast.kind(ex) {
            ExKind::Name(_) => match checked.binding(ex) {
                Binding::Local(index) => {
                    if frame.clocks[index as usize] != clock {
                        self.wrong_clock(ex, "this is on another clock than what it is used in");
                    }
                    frame.rows[index as usize].clone()
                }
                Binding::Constant(index) => {
                    let values = checked.constant(index);
                    values.iter().map(|value| self.builder.constant(*value)).collect()
                }
                Binding::Enum(_, value) => vec![self.builder.constant(Value::Enum(value))],
                Binding::None => self.filler(ty),
            },
            ExKind::If(condition, a, b) => {
                let condition = self.scalar(frame, clock, *condition);
                self.zip(frame, clock, (*a, *b, ty), |this, a, b| {
                    this.builder.if_else(condition, a, b)
                })
            }
            ExKind::Arrow(a, b) => {
                let first = self.first(clock);
                self.zip(frame, clock, (*a, *b, ty), |this, a, b| this.builder.if_else(first, a, b))
            }
            ExKind::Fby(a, b) => {
                let first = self.first(clock);
                let start = self.row(frame, clock, *a);
                let before = self.before(frame, clock, ex, *b);
                (start.into_iter().zip(before))
                    .map(|(a, b)| self.builder.if_else(first, a, b))
                    .collect()
            }
            ExKind::Pre(a) => self.before(frame, clock, ex, *a),
            ExKind::Current(a) => self.current(frame, clock, ex, *a),
            ExKind::When(a, sampling) => self.when(frame, clock, ex, (*a, *sampling)),
            ExKind::Merge(on, arms) => self.merge(frame, clock, ex, (*on, arms)),
            ExKind::Call(name, args) => self.call(frame, clock, (*name, args)),
            ExKind::Activate(activation) => self.activate(frame, clock, ex, activation),
            ExKind::Tuple(items) | ExKind::Array(items) => {
                let mut row = Row::new();
                for item in items {
                    row.extend(self.row(frame, clock, *item));
                }
                row
            }
            ExKind::Repeat(item, _) => {
                let row = self.row(frame, clock, *item);
                row.iter().copied().cycle().take(checked.types.size(ty)).collect()
            }
            ExKind::Index(array, index) => self.index(frame, clock, *array, *index),
            ExKind::UpdateIndex(array, index, value) => {
                self.update_index(frame, clock, (*array, *index, *value))
            }
            ExKind::Record(_, fields) => self.record(frame, clock, ex, fields),
            ExKind::Field(record, field) => self.field(frame, clock, *record, *field),
            ExKind::UpdateField(record, field, value) => {
                self.update_field(frame, clock, (*record, *field, *value))
            }
            ExKind::Wrong => self.filler(ty),
            ExKind::Bool(_)
            | ExKind::Int
            | ExKind::Decimal
            | ExKind::Unary(..)
            | ExKind::Binary(..)
            | ExKind::Cast(..)
            | ExKind::AtMostOne(_) => vec![self.scalar(frame, clock, ex)],
        }
    }

    /// Combines the scalars of two expressions of a type.
    fn zip(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        (a, b, ty): (Ex, Ex, Ty),
        combine: impl Fn(&mut Self, ExprId, ExprId) -> ExprId,
    ) -> Row {
        let real = ty == Ty::REAL;
        if matches!(
            self.checked.types.kind(ty),
            Kind::Array(..) | Kind::Record(..) | Kind::Tuple(_)
        ) {
            let (a, b) = (self.row(frame, clock, a), self.row(frame, clock, b));
            return a.into_iter().zip(b).map(|(a, b)| combine(self, a, b)).collect();
        }
        let a = self.promoted(frame, clock, a, real);
        let b = self.promoted(frame, clock, b, real);
        vec![combine(self, a, b)]
    }

    /// A scalar, as a real number if that is wanted. Only where tolerances are read is it needed.
    fn promoted(&mut self, frame: &mut Frame, clock: ClockId, ex: Ex, real: bool) -> ExprId {
        let value = self.scalar(frame, clock, ex);
        match real && self.checked.ty(ex) == Ty::INT {
            true => self.builder.real(value),
            false => value,
        }
    }

    /// The value of an expression in the step before.
    fn before(&mut self, frame: &mut Frame, clock: ClockId, ex: Ex, inner: Ex) -> Row {
        let span = self.checked.ast.span(ex);
        let row = self.row(frame, clock, inner);
        let scalars = self.checked.types.scalars(self.checked.ty(inner), &self.checked.ast.names);
        (row.into_iter().zip(scalars))
            .map(|(value, scalar)| {
                let path = &frame.path;
                let name = |this: &Self| format!("{path}{}{}", this.snippet(inner), scalar.suffix);
                self.pre(clock, value, scalar.ty, name, span)
            })
            .collect()
    }

    fn unary(&mut self, frame: &mut Frame, clock: ClockId, op: Unary, a: Ex) -> ExprId {
        if op == Unary::Neg
            && let Some(value) = literal::negated(self.checked, a)
        {
            return self.builder.constant(value);
        }
        let value = self.scalar(frame, clock, a);
        match op {
            Unary::Not => self.builder.unary(UnaryOp::Not, value),
            Unary::Neg => {
                let value = self.builder.unary(UnaryOp::Neg, value);
                self.wrapped(value, self.checked.ty(a))
            }
        }
    }

    /// A result that stays a machine integer.
    fn wrapped(&mut self, value: ExprId, ty: Ty) -> ExprId {
        match *self.checked.types.kind(ty) {
            Kind::Machine { bits, signed } => {
                self.builder.unary(UnaryOp::Wrap { bits, signed }, value)
            }
            _ => value,
        }
    }

    fn binary(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        (op, a, b): (Binary, Ex, Ex),
    ) -> ExprId {
        let (left_ty, right_ty) = (self.checked.ty(a), self.checked.ty(b));
        let scalar = |ty| {
            !matches!(
                self.checked.types.kind(ty),
                Kind::Array(..) | Kind::Record(..) | Kind::Tuple(_)
            )
        };
        if matches!(op, Binary::Eq | Binary::Ne) && !scalar(left_ty) {
            let left = self.row(frame, clock, a);
            let right = self.row(frame, clock, b);
            return match op {
                Binary::Eq => self.equal(&left, &right),
                _ => self.different(&left, &right),
            };
        }
        let real = left_ty == Ty::REAL || right_ty == Ty::REAL || op == Binary::Div;
        let left = self.promoted(frame, clock, a, real);
        let right = self.promoted(frame, clock, b, real);
        let op = match op {
            Binary::And => BinaryOp::And,
            Binary::Or => BinaryOp::Or,
            Binary::Nor => {
                let either = self.builder.binary(BinaryOp::Or, left, right);
                return self.builder.unary(UnaryOp::Not, either);
            }
            Binary::Xor => BinaryOp::Xor,
            Binary::Implies => BinaryOp::Implies,
            Binary::Eq => BinaryOp::Eq,
            Binary::Ne => BinaryOp::Ne,
            Binary::Lt => BinaryOp::Lt,
            Binary::Le => BinaryOp::Le,
            Binary::Gt => BinaryOp::Gt,
            Binary::Ge => BinaryOp::Ge,
            Binary::Add => BinaryOp::Add,
            Binary::Sub => BinaryOp::Sub,
            Binary::Mul => BinaryOp::Mul,
            Binary::Div => {
                // A fraction is a number.
                if let (Expr::Constant(a), Expr::Constant(b)) =
                    (self.builder.exprs[left], self.builder.exprs[right])
                    && let Ok(value) =
                        literal::rational(Binary::Div, a.as_rational(), b.as_rational())
                {
                    return self.builder.constant(value);
                }
                BinaryOp::Div
            }
            Binary::IntDiv => BinaryOp::IntDiv,
            Binary::Mod => BinaryOp::Mod,
        };
        let value = self.builder.binary(op, left, right);
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::IntDiv => {
                self.wrapped(value, left_ty)
            }
            _ => value,
        }
    }

    fn cast(&mut self, frame: &mut Frame, clock: ClockId, cast: Cast, a: Ex) -> ExprId {
        let value = self.scalar(frame, clock, a);
        let is_real = self.checked.ty(a) == Ty::REAL;
        match cast {
            Cast::Real if is_real => value,
            Cast::Real => self.builder.real(value),
            Cast::Int | Cast::Floor if is_real => self.builder.unary(UnaryOp::Floor, value),
            Cast::Int | Cast::Floor => value,
            Cast::Machine { bits, signed } => match self.builder.exprs[value] {
                Expr::Constant(Value::Int(it))
                    if (0..1 << (bits - 1)).contains(&i128::from(it)) =>
                {
                    value
                }
                _ => self.builder.unary(UnaryOp::Wrap { bits, signed }, value),
            },
        }
    }

    /// `#(a, b, c)`: not two of them.
    fn at_most_one(&mut self, frame: &mut Frame, clock: ClockId, items: &[Ex]) -> ExprId {
        let mut so_far: Option<(ExprId, Option<ExprId>)> = None;
        for item in items {
            let item = self.scalar(frame, clock, *item);
            so_far = Some(match so_far {
                None => (item, None),
                Some((any, fine)) => {
                    let both = self.builder.binary(BinaryOp::And, any, item);
                    let not_both = self.builder.unary(UnaryOp::Not, both);
                    let fine = match fine {
                        Some(fine) => self.builder.binary(BinaryOp::And, fine, not_both),
                        None => not_both,
                    };
                    (self.builder.binary(BinaryOp::Or, any, item), Some(fine))
                }
            });
        }
        match so_far {
            Some((_, Some(fine))) => fine,
            _ => self.builder.truth(true),
        }
    }
}
