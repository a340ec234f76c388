//! Expressions with their types, and conversions between types.

use std::rc::Rc;

use punctual_model::{Expr, Number, Storage};

use super::{Builder, Role, place::Place, types::Type};
use crate::{
    Span,
    diagnostic::{Diagnostic, Severity},
    fold,
};

/// An expression after its names are resolved.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) ty: Type,
    pub(super) value: Value,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A number, a truth value, or a call.
    Number(Expr),
    /// Something stored, which can be assigned to or referred to.
    Place(Rc<Place>),
}

impl Typed {
    pub(super) fn number(ty: Type, expr: Expr, span: Span) -> Self {
        Self { ty, value: Value::Number(expr), span }
    }

    pub(super) fn place(place: Place, span: Span) -> Self {
        Self { ty: place.ty.clone(), value: Value::Place(Rc::new(place)), span }
    }

    /// What stands for an expression that was wrong.
    pub(super) fn error(span: Span) -> Self {
        Self::number(Type::Error, Expr::Int(0), span)
    }

    pub(super) fn is_error(&self) -> bool {
        self.ty.is_error()
    }
}

impl Builder<'_> {
    /// The value of an expression; whole arrays and structures are loaded as blocks.
    pub(super) fn rvalue(&mut self, typed: Typed) -> Expr {
        match typed.value {
            Value::Number(expr) => expr,
            Value::Place(place) => match &place.ty {
                Type::Clock { .. } => Expr::Clock(place.to_clock()),
                Type::Error => Expr::Int(0),
                Type::Channel { .. } => {
                    self.report(
                        Diagnostic::error(
                            "type::channel_value",
                            typed.span,
                            "a channel has no value",
                        )
                        .label("this is a channel")
                        .help("channels can only be used in synchronisations and as arguments"),
                    );
                    Expr::Int(0)
                }
                ty => {
                    let number = place.to_number();
                    if number.storage == Storage::Constant
                        && number.indices.is_empty()
                        && !ty.is_composite()
                    {
                        let at = number.base as usize;
                        let constants = &self.network.constants;
                        return match number.number {
                            Number::Int => Expr::Int(constants.ints[at]),
                            Number::Double => Expr::Double(constants.doubles[at]),
                        };
                    }
                    Expr::Load(number)
                }
            },
        }
    }

    /// A truth value over data and, if `Formula`, clocks. Reports anything else.
    pub(super) fn truth(&mut self, typed: Typed) -> Expr {
        if typed.ty.is_truth() {
            return self.rvalue(typed);
        }
        let help = match &typed.ty {
            Type::Clock { .. } | Type::ClockValue => Some("compare the clock with a number"),
            Type::Double => Some("compare the number, for example with `!= 0`"),
            Type::Channel { .. } => Some("synchronise on it in a synchronisation label"),
            _ => None,
        };
        self.report(
            Diagnostic::error(
                "type::not_a_truth_value",
                typed.span,
                format!("a truth value is expected here, not a value of type `{}`", typed.ty),
            )
            .label(format!("this is of type `{}`", typed.ty))
            .maybe_help(help.map(str::to_owned)),
        );
        Expr::Int(1)
    }

    /// An integer. Reports anything else.
    pub(super) fn integer(&mut self, typed: Typed, what: &str) -> Expr {
        if typed.ty.is_integral() || typed.is_error() {
            return self.rvalue(typed);
        }
        self.mismatch(&typed, &Type::INT, what);
        Expr::Int(0)
    }

    /// A double, from any number or clock. Reports anything else.
    pub(super) fn double(&mut self, typed: Typed, what: &str) -> Expr {
        match &typed.ty {
            Type::Double | Type::Clock { .. } | Type::ClockValue | Type::Rate => self.rvalue(typed),
            ty if ty.is_integral() => fold::to_double(self.rvalue(typed)),
            Type::Error => Expr::Double(0.0),
            _ => {
                self.mismatch(&typed, &Type::Double, what);
                Expr::Double(0.0)
            }
        }
    }

    /// The value as one of another type: for assignments, arguments, results, initial values.
    /// Clocks are not handled here.
    pub(super) fn convert(&mut self, typed: Typed, target: &Type, what: &str) -> Expr {
        let value = &typed.ty;
        let span = typed.span;
        match target {
            Type::Error => Expr::Int(0),
            _ if value.is_error() => match target.number() {
                Number::Int => Expr::Int(target.range().lo.max(0)),
                Number::Double => Expr::Double(0.0),
            },
            Type::Int(range) if value.is_integral() => {
                let expr = self.rvalue(typed);
                // Constants are checked when they are evaluated: not every part of them is.
                if let Expr::Int(constant) = expr
                    && !range.contains(constant)
                    && self.role != Role::Constant
                {
                    let diagnostic = outside(span, (constant, target), what);
                    self.report_value(diagnostic);
                }
                expr
            }
            Type::Bool if matches!(value, Type::Bool) => self.rvalue(typed),
            Type::Bool if value.is_integral() => fold::to_bool(self.rvalue(typed)),
            Type::Double
                if value.is_number() || (value.is_clock_value() && self.role != Role::Constant) =>
            {
                self.double(typed, what)
            }
            Type::Str if matches!(value, Type::Str) => {
                self.report(
                    Diagnostic::error(
                        "unsupported::strings",
                        typed.span,
                        format!("{what}: strings for external functions are not supported"),
                    )
                    .label("a string"),
                );
                Expr::Int(0)
            }
            Type::Scalar(a) if matches!(value, Type::Scalar(b) if a == b) => self.rvalue(typed),
            Type::Array(_) | Type::Struct(_) if value.same_shape(target) => {
                if !target.holds_all_of(value) {
                    self.report(
                        Diagnostic::error(
                            "type::composite_range",
                            typed.span,
                            format!("{what}: the elements have different ranges"),
                        )
                        .label(format!("this is of type `{value}`, expected `{target}`"))
                        .help("declare both with the same element type, or copy in a loop"),
                    );
                }
                self.refuse_mixed(&typed, "copied");
                self.rvalue(typed)
            }
            _ => {
                self.mismatch(&typed, target, what);
                match target.number() {
                    Number::Int => Expr::Int(0),
                    Number::Double => Expr::Double(0.0),
                }
            }
        }
    }

    /// Reports a whole array or structure that is not one block of numbers.
    pub(super) fn refuse_mixed(&mut self, typed: &Typed, done: &str) -> bool {
        let layout = typed.ty.layout();
        let message = if layout.clocks > 0 {
            format!("arrays and structures with clocks can not be {done} as a whole")
        } else if layout.channels > 0 {
            format!("arrays and structures with channels can not be {done} as a whole")
        } else if layout.ints > 0 && layout.doubles > 0 {
            format!(
                "structures with both integers and doubles can not be {done} as a whole, which is a limit of this tool"
            )
        } else {
            return false;
        };
        self.report(
            Diagnostic::error("type::mixed_block", typed.span, message)
                .label(format!("this is of type `{}`", typed.ty))
                .help("name its elements or fields one by one"),
        );
        true
    }

    /// The value of a constant that must lie in the range of its type.
    pub(super) fn evaluate_as(
        &mut self,
        expr: &Expr,
        ty: &Type,
        span: Span,
        what: &str,
    ) -> Option<super::constant::Constant> {
        let constant = self.evaluate(expr, span, what)?;
        if let super::constant::Constant::Int(value) = constant
            && !ty.is_composite()
            && !ty.range().contains(value)
        {
            let diagnostic = outside(span, (value, ty), what);
            self.report_value(Diagnostic { severity: Severity::Error, ..diagnostic });
            return None;
        }
        Some(constant)
    }

    pub(super) fn mismatch(&mut self, typed: &Typed, target: &Type, what: &str) {
        if typed.is_error() || target.is_error() {
            return;
        }
        let help = match (&typed.ty, target) {
            (Type::Double, Type::Int(_) | Type::Bool) => {
                Some("`fint(e)` turns a double into an integer")
            }
            (Type::Clock { .. } | Type::ClockValue, Type::Int(_) | Type::Bool) => Some(
                "a clock's value can not be stored in an integer; `fint(x)` reads it in statistical models",
            ),
            (Type::Formula, _) => {
                Some("clocks can only be compared in guards, invariants and queries")
            }
            (Type::Void, _) => Some("the function returns nothing"),
            _ => None,
        };
        self.report(
            Diagnostic::error(
                "type::mismatch",
                typed.span,
                format!("{what}: expected `{target}`, found `{}`", typed.ty),
            )
            .label(format!("this is of type `{}`", typed.ty))
            .maybe_help(help.map(str::to_owned)),
        );
    }
}

/// A value outside of the range of its type: suspicious where the model may never come to it.
fn outside(span: Span, (value, ty): (i32, &Type), what: &str) -> Diagnostic {
    let range = ty.range();
    Diagnostic::warning(
        "range::outside",
        span,
        format!("{what}: {value} is outside of the range of `{ty}`"),
    )
    .label(format!("this is {value}"))
    .help(format!("values from {} to {} are possible", range.lo, range.hi))
}
