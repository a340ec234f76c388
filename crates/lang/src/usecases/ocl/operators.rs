//! Types of operators and of operations on sets.

use punctual_model::usecases::{Binary, Binder, Expr, Iterator as Iterating, Type};

use super::{
    ast::{Ex, Iteration, Word},
    check::{Checker, Checking, Typed},
    parse::replacement,
};
use crate::Span;

impl Checker<'_> {
    pub(super) fn arrow(
        &mut self,
        source: &Ex,
        name: &Word,
        iteration: Option<&Iteration>,
    ) -> Checking<Typed> {
        let iterator = match name.text.as_str() {
            "forAll" => Some(Iterating::ForAll),
            "exists" => Some(Iterating::Exists),
            "select" => Some(Iterating::Select),
            "size" => None,
            other => {
                let message = format!("the operation `{other}` is not supported");
                return self.fail("ocl::unsupported", name.span, message, replacement(other));
            }
        };
        let (set, class) = match self.expr(source)? {
            (set, Type::Set(class)) => (set, class),
            (_, ty) => {
                let message =
                    format!("`->{}` needs a set, and this is {}", name.text, self.told(ty));
                let help = "one object has `.` before its features";
                return self.fail("ocl::type", source.span, message, Some(help.to_owned()));
            }
        };
        let (iterator, iteration) = match (iterator, iteration) {
            (None, None) => return Ok(self.push(Expr::Size(set), Type::Integer)),
            (None, Some(iteration)) => {
                let message = "`size` has no arguments".to_owned();
                return self.fail("ocl::type", iteration.body.span, message, None);
            }
            (Some(_), None) => {
                let message = format!("`{}` needs a condition", name.text);
                let help = format!("write `->{}(x | …)`", name.text);
                return self.fail("ocl::type", name.span, message, Some(help));
            }
            (Some(iterator), Some(iteration)) => (iterator, iteration),
        };
        if let Some(written) = &iteration.class {
            let known = self.lexicon.class(&written.text);
            if known.is_none_or(|it| !self.lexicon.conforms(class, it)) {
                let class = self.domain.classes[class].name.clone();
                let message = format!("the objects of this set are of class `{class}`");
                let help = format!("write `{class}`, or nothing");
                return self.fail("ocl::type", written.span, message, Some(help));
            }
        }
        let own = iteration.variable.as_ref().map_or(String::new(), |it| it.text.clone());
        let binder = self.binders.push(Binder { name: own, class });
        self.scopes.push(binder);
        let what = format!("what stands behind `->{}`", name.text);
        let body = self.boolean(&iteration.body, &what);
        self.scopes.pop();
        let body = body?;
        let ty = match iterator {
            Iterating::Select => Type::Set(class),
            _ => Type::Boolean,
        };
        Ok(self.push(Expr::Iterate { iterator, source: set, binder, body }, ty))
    }

    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: &Ex,
        right: &Ex,
        span: Span,
    ) -> Checking<Typed> {
        use Binary::{Add, And, Div, Eq, Ge, Gt, Implies, Le, Lt, Mul, Ne, Or, Sub, Xor};
        let sign = spelled(operator);
        match operator {
            And | Or | Xor | Implies => {
                let what = format!("an operand of `{sign}`");
                let (left, right) = (self.boolean(left, &what), self.boolean(right, &what));
                Ok(self.push(Expr::Binary(operator, left?, right?), Type::Boolean))
            }
            Lt | Le | Gt | Ge | Add | Sub | Mul | Div => {
                let (left, right) = (self.number(left, sign), self.number(right, sign));
                let (mut left, mut right) = (left?, right?);
                let mut ty = left.1;
                if left.1 != right.1 || operator == Div {
                    ty = Type::Real;
                    left = (self.real(left), ty);
                    right = (self.real(right), ty);
                }
                let is_order = matches!(operator, Lt | Le | Gt | Ge);
                let ty = if is_order { Type::Boolean } else { ty };
                Ok(self.push(Expr::Binary(operator, left.0, right.0), ty))
            }
            Eq | Ne => {
                let (left, right) = (self.expr(left), self.expr(right));
                let (left, right) = (left?, right?);
                let pair = match (left.1, right.1) {
                    (Type::Set(_), _) | (_, Type::Set(_)) => {
                        let message = "sets can not be compared".to_owned();
                        let help = "compare their sizes, or ask for each object";
                        return self.fail("ocl::type", span, message, Some(help.to_owned()));
                    }
                    (Type::Object(a), Type::Object(b)) => {
                        let is_related = self.lexicon.conforms(a, b) || self.lexicon.conforms(b, a);
                        is_related.then_some((left.0, right.0))
                    }
                    (a, b) if a == b => Some((left.0, right.0)),
                    (Type::Integer | Type::Real, Type::Integer | Type::Real) => {
                        Some((self.real(left), self.real(right)))
                    }
                    _ => None,
                };
                let Some((left_id, right_id)) = pair else {
                    let (left, right) = (self.told(left.1), self.told(right.1));
                    let message = format!("{left} and {right} can not be compared");
                    return self.fail("ocl::type", span, message, None);
                };
                Ok(self.push(Expr::Binary(operator, left_id, right_id), Type::Boolean))
            }
        }
    }
}

/// How an operator is written.
pub(super) fn spelled(operator: Binary) -> &'static str {
    match operator {
        Binary::And => "and",
        Binary::Or => "or",
        Binary::Xor => "xor",
        Binary::Implies => "implies",
        Binary::Eq => "=",
        Binary::Ne => "<>",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
    }
}
