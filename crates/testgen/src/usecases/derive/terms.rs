//! Ground expressions as expressions of a network.
//!
//! A real number is a whole number of parts. A term knows how many parts a whole is, and between which integers its value lies, so that
//! nothing is rounded and nothing leaves 32 bits.

use punctual_model::{
    BinaryOp, Expr, Number, UnaryOp, Value,
    usecases::{Binary, Ground, Slot, Unary},
};

use super::build::{Var, binary};

/// An integer expression that stands for a number.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) expr: Expr,
    /// The number is the integer divided by this.
    pub(super) scale: i128,
    /// The least integer.
    pub(super) least: i128,
    /// The greatest integer.
    pub(super) greatest: i128,
}

/// Translates ground expressions.
pub(super) struct Terms<'a> {
    /// The variable of a slot, or why it has none.
    pub(super) var: &'a dyn Fn(Slot) -> Result<Var, String>,
}

impl Terms<'_> {
    /// A condition.
    pub(super) fn truth(&self, ground: &Ground) -> Result<Expr, String> {
        let both = |op: BinaryOp, left: &Ground, right: &Ground| {
            Ok(binary(op, self.truth(left)?, self.truth(right)?))
        };
        match ground {
            Ground::Constant(Value::Bool(it)) => Ok(Expr::Int((*it).into())),
            Ground::Slot(slot) => Ok(Expr::Load((self.var)(*slot)?.place)),
            Ground::Unary(Unary::Not, of) => {
                Ok(Expr::Unary(UnaryOp::Not, Number::Int, Box::new(self.truth(of)?)))
            }
            Ground::Binary(op, left, right) => match op {
                Binary::And => both(BinaryOp::And, left, right),
                Binary::Or => both(BinaryOp::Or, left, right),
                Binary::Xor => both(BinaryOp::NotEqual, left, right),
                Binary::Implies => both(BinaryOp::Imply, left, right),
                Binary::Eq => self.compare(BinaryOp::Equal, left, right),
                Binary::Ne => self.compare(BinaryOp::NotEqual, left, right),
                Binary::Lt => self.compare(BinaryOp::Less, left, right),
                Binary::Le => self.compare(BinaryOp::LessEqual, left, right),
                Binary::Gt => self.compare(BinaryOp::Greater, left, right),
                Binary::Ge => self.compare(BinaryOp::GreaterEqual, left, right),
                Binary::Add | Binary::Sub | Binary::Mul | Binary::Div => {
                    Err("a number stands where a condition should be".to_owned())
                }
            },
            Ground::All(parts) => self.joined(BinaryOp::And, parts, true),
            Ground::Any(parts) => self.joined(BinaryOp::Or, parts, false),
            Ground::If(parts) => {
                let [condition, yes, no] = [0, 1, 2].map(|at| self.truth(&parts[at]));
                Ok(Expr::Conditional(Box::new([condition?, yes?, no?])))
            }
            Ground::Constant(_) | Ground::Unary(..) => {
                Err("a number stands where a condition should be".to_owned())
            }
        }
    }

    fn joined(&self, op: BinaryOp, parts: &[Ground], empty: bool) -> Result<Expr, String> {
        let mut all: Option<Expr> = None;
        for part in parts {
            let part = self.truth(part)?;
            all = Some(match all {
                None => part,
                Some(before) => binary(op, before, part),
            });
        }
        Ok(all.unwrap_or(Expr::Int(empty.into())))
    }

    fn compare(&self, op: BinaryOp, left: &Ground, right: &Ground) -> Result<Expr, String> {
        let (left, right) = aligned(self.number(left)?, self.number(right)?)?;
        Ok(binary(op, left.expr, right.expr))
    }

    /// A number, a member of an enumeration, or a truth value as 0 or 1.
    pub(super) fn number(&self, ground: &Ground) -> Result<Term, String> {
        match ground {
            Ground::Constant(value) => constant(*value),
            Ground::Slot(slot) => {
                let var = (self.var)(*slot)?;
                let (least, greatest) = (var.place.range.lo.into(), var.place.range.hi.into());
                let scale = var.scale.into();
                Ok(Term { expr: Expr::Load(var.place), scale, least, greatest })
            }
            Ground::Unary(Unary::ToReal, of) => self.number(of),
            Ground::Unary(Unary::Neg, of) => negated(self.number(of)?),
            Ground::Binary(op, left, right) => match op {
                Binary::Add | Binary::Sub => {
                    let (left, right) = aligned(self.number(left)?, self.number(right)?)?;
                    let (op, least, greatest) = match op {
                        Binary::Add => {
                            let sums = (left.least + right.least, left.greatest + right.greatest);
                            (BinaryOp::Add, sums.0, sums.1)
                        }
                        _ => {
                            let least = left.least - right.greatest;
                            (BinaryOp::Subtract, least, left.greatest - right.least)
                        }
                    };
                    let expr = arithmetic(op, left.expr, right.expr);
                    checked(Term { expr, scale: left.scale, least, greatest })
                }
                Binary::Mul => product(self.number(left)?, self.number(right)?),
                Binary::Div => {
                    let (left, right) = (self.number(left)?, self.number(right)?);
                    let Some(by) = right.expr.as_int() else {
                        return Err("it divides by something that may change".to_owned());
                    };
                    if by == 0 {
                        return Err("it divides by zero".to_owned());
                    }
                    let left = times(left, right.scale)?;
                    let scale = left.scale * i128::from(by).abs();
                    let left = if by < 0 { negated(left)? } else { left };
                    checked(Term { scale, ..left })
                }
                _ => self.truth_as_number(ground),
            },
            Ground::Unary(Unary::Not, _) | Ground::All(_) | Ground::Any(_) => {
                self.truth_as_number(ground)
            }
            Ground::If(parts) => {
                let condition = self.truth(&parts[0])?;
                let (yes, no) = aligned(self.number(&parts[1])?, self.number(&parts[2])?)?;
                let (least, greatest) = (yes.least.min(no.least), yes.greatest.max(no.greatest));
                let scale = yes.scale;
                let expr = Expr::Conditional(Box::new([condition, yes.expr, no.expr]));
                Ok(Term { expr, scale, least, greatest })
            }
        }
    }

    fn truth_as_number(&self, ground: &Ground) -> Result<Term, String> {
        Ok(Term { expr: self.truth(ground)?, scale: 1, least: 0, greatest: 1 })
    }
}

impl Term {
    /// The same number in other parts.
    pub(super) fn in_parts(self, scale: u32) -> Result<Term, String> {
        let scale = i128::from(scale);
        if let Some(value) = self.expr.as_int()
            && (i128::from(value) * scale) % self.scale == 0
        {
            let value = i128::from(value) * scale / self.scale;
            return checked(Term { expr: integer(value)?, scale, least: value, greatest: value });
        }
        if scale % self.scale != 0 {
            return Err(format!(
                "its value is no whole number of parts; a `scale` of {} would do",
                lcm(scale, self.scale)
            ));
        }
        let by = scale / self.scale;
        times(self, by).map(|it| Term { scale, ..it })
    }
}

fn constant(value: Value) -> Result<Term, String> {
    let number = value.as_rational();
    let (value, scale) = (*number.numer(), *number.denom());
    checked(Term { expr: integer(value)?, scale, least: value, greatest: value })
}

fn integer(value: i128) -> Result<Expr, String> {
    i32::try_from(value).map(Expr::Int).map_err(|_| too_large())
}

fn too_large() -> String {
    "its numbers need more than 32 bits".to_owned()
}

/// The term, if its integers and its scale have 32 bits.
fn checked(term: Term) -> Result<Term, String> {
    let fits = |it: i128| i32::try_from(it).is_ok();
    match fits(term.least) && fits(term.greatest) && fits(term.scale) {
        true => Ok(term),
        false => Err(too_large()),
    }
}

fn negated(term: Term) -> Result<Term, String> {
    let expr = match term.expr {
        Expr::Int(value) => integer(-i128::from(value))?,
        other => Expr::Unary(UnaryOp::Negate, Number::Int, Box::new(other)),
    };
    checked(Term { expr, scale: term.scale, least: -term.greatest, greatest: -term.least })
}

/// The integer of a term times a positive number; its scale stays.
fn times(term: Term, by: i128) -> Result<Term, String> {
    if by == 1 {
        return Ok(term);
    }
    let (least, greatest) = (term.least * by, term.greatest * by);
    let term = checked(Term { least, greatest, ..term })?;
    let expr = arithmetic(BinaryOp::Multiply, term.expr, integer(by)?);
    Ok(Term { expr, ..term })
}

fn product(left: Term, right: Term) -> Result<Term, String> {
    let ends = [left.least * right.least, left.least * right.greatest];
    let ends = [ends[0], ends[1], left.greatest * right.least, left.greatest * right.greatest];
    let least = ends.into_iter().min().unwrap_or(0);
    let greatest = ends.into_iter().max().unwrap_or(0);
    let scale = left.scale * right.scale;
    let expr = arithmetic(BinaryOp::Multiply, left.expr, right.expr);
    checked(Term { expr, scale, least, greatest })
}

/// Both in the same parts.
fn aligned(left: Term, right: Term) -> Result<(Term, Term), String> {
    let scale = lcm(left.scale, right.scale);
    let to = |term: Term| {
        let by = scale / term.scale;
        checked(Term { scale, ..times(term, by)? })
    };
    Ok((to(left)?, to(right)?))
}

fn lcm(a: i128, b: i128) -> i128 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

/// Sums, differences and products; those of constants are constants.
fn arithmetic(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let both = (left.as_int(), right.as_int());
    let value = match (op, both) {
        (BinaryOp::Add, (Some(a), Some(b))) => a.checked_add(b),
        (BinaryOp::Subtract, (Some(a), Some(b))) => a.checked_sub(b),
        (BinaryOp::Multiply, (Some(a), Some(b))) => a.checked_mul(b),
        _ => None,
    };
    value.map_or_else(|| binary(op, left, right), Expr::Int)
}
