//! What is known before anything runs.

use punctual_model::lustre::{Rational, Value};

use super::{
    super::{
        ast::{Binary, Cast, Ex, ExKind, Unary},
        literal,
        types::{Kind, Ty},
    },
    Binding, Checker, State,
};
use crate::diagnostic::Diagnostic;

/// Why something is no constant. `None`: it was reported.
type Evaluated<T> = Result<T, Option<(Ex, &'static str)>>;

impl Checker<'_, '_> {
    /// The type and the value of a constant.
    pub(super) fn constant(&mut self, index: u32) -> Option<(Ty, Vec<Value>)> {
        let info = &self.out.constants[index as usize];
        let (name, ty, value, node) = (info.name, info.ty, info.value, info.node);
        match &info.state {
            State::Done(ty, values) => return Some((*ty, values.clone())),
            State::Busy => {
                let message =
                    format!("the constant `{}` is defined by itself", self.name(name.name));
                self.error("lustre::constant_cycle", name.span, message);
                return None;
            }
            State::Waiting => {}
        }
        if self.nesting > 1000 {
            let message = "constants are defined by each other too often".to_owned();
            self.error("lustre::too_deep", name.span, message);
            return None;
        }
        self.out.constants[index as usize].state = State::Busy;
        self.nesting += 1;
        // A constant of the file can not see those of the node that asks for it.
        let hidden = match node == self.scope_node {
            true => None,
            false => Some(std::mem::take(&mut self.scope)),
        };
        let result = self.constant_value(name, ty, value);
        if let Some(scope) = hidden {
            self.scope = scope;
        }
        self.nesting -= 1;
        let (ty, values) = result.unwrap_or((Ty::WRONG, Vec::new()));
        self.out.constants[index as usize].state = State::Done(ty, values.clone());
        Some((ty, values))
    }

    fn constant_value(
        &mut self,
        name: super::Ident,
        ty: Option<usize>,
        value: Option<Ex>,
    ) -> Option<(Ty, Vec<Value>)> {
        let ast = self.out.ast;
        let declared = ty.map(|ty| self.ty(&ast.types[ty]));
        let Some(value) = value else {
            let message = format!("the constant `{}` has no value", self.name(name.name));
            self.diagnostics.push(
                Diagnostic::error("lustre::constant_value", name.span, message)
                    .help("give it one, or make it an input of the main node"),
            );
            return None;
        };
        let (found, values) = self.static_value(value)?;
        if let Some(declared) = declared
            && !self.fits(found, declared)
        {
            self.mismatch(value, found, declared);
        }
        Some((declared.unwrap_or(found), values))
    }

    /// Checks an expression and evaluates it; reports why that is not possible.
    pub(super) fn static_value(&mut self, ex: Ex) -> Option<(Ty, Vec<Value>)> {
        let errors = self.diagnostics.error_count();
        let with_variables = std::mem::replace(&mut self.with_variables, false);
        let ty = self.expr(ex);
        self.with_variables = with_variables;
        if self.diagnostics.error_count() > errors || ty == Ty::WRONG {
            return None;
        }
        match self.evaluate(ex) {
            Ok(values) => Some((ty, values)),
            Err(reason) => {
                if let Some((place, reason)) = reason {
                    let span = self.out.ast.span(place);
                    self.error("lustre::not_constant", span, format!("this {reason}"));
                }
                None
            }
        }
    }

    fn evaluate_one(&mut self, ex: Ex) -> Evaluated<Value> {
        match self.evaluate(ex)?.as_slice() {
            [value] => Ok(*value),
            _ => Err(Some((ex, "is not a single value"))),
        }
    }

    /// The value of an expression whose types were checked.
    fn evaluate(&mut self, ex: Ex) -> Evaluated<Vec<Value>> {
        let ast = self.out.ast;
        let value = match ast.kind(ex) {
            ExKind::Bool(it) => Value::Bool(*it),
            ExKind::Int | ExKind::Decimal => {
                literal::value(&self.out.text[ast.span(ex).range()]).ok_or(None)?
            }
            ExKind::Name(_) => match self.out.binding(ex) {
                Binding::Constant(index) => return Ok(self.constant(index).ok_or(None)?.1),
                Binding::Enum(_, value) => Value::Enum(value),
                _ => return Err(Some((ex, "is not a constant"))),
            },
            ExKind::Unary(Unary::Not, a) => {
                Value::Bool(!self.evaluate_one(*a)?.as_bool().ok_or(None)?)
            }
            ExKind::Unary(Unary::Neg, a) => match literal::negated(&self.out, *a) {
                Some(value) => value,
                None => match self.evaluate_one(*a)? {
                    Value::Int(a) => Value::Int(a.checked_neg().ok_or(Some((ex, TOO_LARGE)))?),
                    Value::Real(a) => Value::Real(-a),
                    _ => return Err(None),
                },
            },
            ExKind::Binary(op, a, b) => {
                let (left, right) = (self.evaluate_one(*a)?, self.evaluate_one(*b)?);
                let real = self.out.ty(*a) == Ty::REAL || self.out.ty(*b) == Ty::REAL;
                binary(*op, left, right, real).map_err(|reason| Some((ex, reason)))?
            }
            ExKind::If(condition, yes, no) => {
                let condition = self.evaluate_one(*condition)?;
                let taken = if condition == Value::Bool(true) { *yes } else { *no };
                return self.evaluate(taken);
            }
            ExKind::Cast(cast, a) => {
                let value = self.evaluate_one(*a)?;
                cast_value(*cast, value).ok_or(Some((ex, TOO_LARGE)))?
            }
            ExKind::Tuple(items) | ExKind::Array(items) => {
                let mut values = Vec::new();
                for item in items {
                    values.extend(self.evaluate(*item)?);
                }
                return Ok(values);
            }
            ExKind::Repeat(item, _) => {
                let values = self.evaluate(*item)?;
                let size = self.out.types.size(self.out.ty(ex));
                return Ok(values.iter().copied().cycle().take(size).collect());
            }
            ExKind::Record(_, fields) => {
                let Kind::Record(_, order) = self.out.types.kind(self.out.ty(ex)).clone() else {
                    return Err(None);
                };
                let mut values = Vec::new();
                for (name, _) in order {
                    let field = fields.iter().find(|field| field.0.name == name).ok_or(None)?;
                    values.extend(self.evaluate(field.1)?);
                }
                return Ok(values);
            }
            ExKind::Index(array, index) => {
                let values = self.evaluate(*array)?;
                let index = self.evaluate_one(*index)?;
                let size = self.out.types.size(self.out.ty(ex));
                let Value::Int(index) = index else { return Err(None) };
                let start = usize::try_from(index).ok().and_then(|it| it.checked_mul(size));
                let found = start.and_then(|start| values.get(start..start + size));
                return found.map(<[Value]>::to_vec).ok_or(Some((ex, "is outside of the array")));
            }
            ExKind::Field(record, field) => {
                let values = self.evaluate(*record)?;
                let ty = self.out.ty(*record);
                let (start, ty) = self.field_place(ty, field.name).ok_or(None)?;
                let end = start + self.out.types.size(ty);
                return values.get(start..end).map(<[Value]>::to_vec).ok_or(None);
            }
            _ => return Err(Some((ex, "is not a constant"))),
        };
        Ok(vec![value])
    }
}

const TOO_LARGE: &str = "is too large";

fn cast_value(cast: Cast, value: Value) -> Option<Value> {
    Some(match (cast, value) {
        (Cast::Real, Value::Int(it)) => Value::Real(Rational::from_integer(i128::from(it))),
        (Cast::Int | Cast::Floor, Value::Real(it)) => {
            Value::Int(i64::try_from(it.numer().div_euclid(*it.denom())).ok()?)
        }
        (Cast::Machine { bits, signed }, Value::Int(it)) => {
            let low = i128::from(it).rem_euclid(1 << bits);
            let half = 1_i128 << (bits - 1);
            let it = if signed && low >= half { low - 2 * half } else { low };
            Value::Int(i64::try_from(it).ok()?)
        }
        (_, value) => value,
    })
}

fn binary(op: Binary, left: Value, right: Value, real: bool) -> Result<Value, &'static str> {
    let truth = |it: bool| Ok(Value::Bool(it));
    let int = |it: Option<i64>| it.map(Value::Int).ok_or(TOO_LARGE);
    match (op, left, right) {
        (Binary::And, Value::Bool(a), Value::Bool(b)) => truth(a && b),
        (Binary::Or, Value::Bool(a), Value::Bool(b)) => truth(a || b),
        (Binary::Nor, Value::Bool(a), Value::Bool(b)) => truth(!(a || b)),
        (Binary::Xor, Value::Bool(a), Value::Bool(b)) => truth(a != b),
        (Binary::Implies, Value::Bool(a), Value::Bool(b)) => truth(!a || b),
        (Binary::Eq, a, b) => truth(a == b),
        (Binary::Ne, a, b) => truth(a != b),
        (Binary::Lt, a, b) => truth(a.as_rational() < b.as_rational()),
        (Binary::Le, a, b) => truth(a.as_rational() <= b.as_rational()),
        (Binary::Gt, a, b) => truth(a.as_rational() > b.as_rational()),
        (Binary::Ge, a, b) => truth(a.as_rational() >= b.as_rational()),
        (Binary::Add, Value::Int(a), Value::Int(b)) if !real => int(a.checked_add(b)),
        (Binary::Sub, Value::Int(a), Value::Int(b)) if !real => int(a.checked_sub(b)),
        (Binary::Mul, Value::Int(a), Value::Int(b)) if !real => int(a.checked_mul(b)),
        (Binary::IntDiv | Binary::Mod, Value::Int(_), Value::Int(0)) => Err("divides by zero"),
        (Binary::IntDiv, Value::Int(a), Value::Int(b)) => int(a.checked_div_euclid(b)),
        (Binary::Mod, Value::Int(a), Value::Int(b)) => int(a.checked_rem_euclid(b)),
        (op, a, b) => literal::rational(op, a.as_rational(), b.as_rational()),
    }
}
