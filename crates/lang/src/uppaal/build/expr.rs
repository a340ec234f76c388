//! Expressions: names, members, operators.

use punctual_model::{BinaryOp, Expr, Number};

use super::{
    Builder, Role,
    scope::{Entity, ScopeId},
    typed::{Typed, Value},
    types::Type,
};
use crate::{Span, diagnostic::Diagnostic, fold, uppaal::ast};

impl<'a> Builder<'a> {
    /// Resolves and checks an expression.
    pub(super) fn expr(&mut self, scope: ScopeId, expr: &'a ast::Expr) -> Typed {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Int(value) => Typed::number(Type::INT, Expr::Int(*value), span),
            ast::ExprKind::Double(value) => Typed::number(Type::Double, Expr::Double(*value), span),
            ast::ExprKind::Bool(value) => {
                Typed::number(Type::Bool, Expr::Int(i32::from(*value)), span)
            }
            ast::ExprKind::Str(_) => Typed::number(Type::Str, Expr::Int(0), span),
            ast::ExprKind::Name(name) => self.name(scope, name, span),
            ast::ExprKind::Index(array, index) => self.index(scope, array, index, span),
            ast::ExprKind::Member(object, member) => self.member(scope, object, member, span),
            ast::ExprKind::Rate(clock) => self.rate(scope, clock, span),
            ast::ExprKind::Call(callee, arguments) => self.call(scope, callee, arguments, span),
            ast::ExprKind::Unary(op, operand) => self.unary(scope, *op, operand, span),
            ast::ExprKind::Binary(op, left, right) => {
                let left = self.expr(scope, left);
                let right = self.expr(scope, right);
                self.binary(*op, left, right, span)
            }
            ast::ExprKind::Conditional(condition, yes, no) => {
                self.conditional(scope, condition, yes, no, span)
            }
            ast::ExprKind::Assign(op, target, value) => {
                self.assign(scope, *op, target, value, span)
            }
            ast::ExprKind::Step { target, increment, prefix } => {
                self.step(scope, target, *increment, *prefix, span)
            }
            ast::ExprKind::Quantifier(quantifier, binding, body) => {
                self.quantifier(scope, *quantifier, binding, body, span)
            }
            ast::ExprKind::Deadlock => self.deadlock(span),
            ast::ExprKind::Spawn(..) | ast::ExprKind::Exit | ast::ExprKind::NumOf(_) => {
                self.dynamic(span)
            }
            ast::ExprKind::Error => Typed::error(span),
        }
    }

    fn name(&mut self, scope: ScopeId, name: &str, span: Span) -> Typed {
        match self.scopes.find(scope, name).map(|(entity, _)| entity.clone()) {
            Some(Entity::Value(ty, expr)) => Typed::number(ty, expr, span),
            Some(Entity::Place(place)) => {
                Typed { ty: place.ty.clone(), value: Value::Place(place), span }
            }
            Some(Entity::Str) => Typed::number(Type::Str, Expr::Int(0), span),
            Some(Entity::Error) => Typed::error(span),
            Some(entity) => {
                let help = match &entity {
                    Entity::Function(_) | Entity::Builtin(_) => {
                        let arguments = match &entity {
                            Entity::Function(function) if function.params.is_empty() => "",
                            _ => "…",
                        };
                        Some(format!("call it: `{name}({arguments})`"))
                    }
                    Entity::Processes(_) => {
                        Some(format!("name a location or variable of it: `{name}.…`"))
                    }
                    _ => None,
                };
                let what = entity.describe();
                self.report(
                    Diagnostic::error(
                        "name::not_a_value",
                        span,
                        format!("`{name}` is {what}, not a value"),
                    )
                    .label("a value is expected here")
                    .maybe_help(help),
                );
                Typed::error(span)
            }
            None if name == "deadlock" && self.role == Role::Query => self.deadlock(span),
            None => {
                self.unknown_name(scope, name, span, "variable");
                Typed::error(span)
            }
        }
    }

    fn index(
        &mut self,
        scope: ScopeId,
        array: &'a ast::Expr,
        index: &'a ast::Expr,
        span: Span,
    ) -> Typed {
        let array = self.expr(scope, array);
        let index = self.expr(scope, index);
        if array.is_error() || index.is_error() {
            return Typed::error(span);
        }
        let (Type::Array(ty), Value::Place(place)) = (&array.ty, &array.value) else {
            let diagnostic = match &array.ty {
                Type::Array(_) => Diagnostic::error(
                    "unsupported::index_of_call",
                    array.span,
                    "an array that a function returns can not be indexed directly",
                )
                .help("store it in a variable first"),
                ty => Diagnostic::error(
                    "type::not_an_array",
                    array.span,
                    format!("a value of type `{ty}` can not be indexed"),
                )
                .label("this is not an array"),
            };
            self.report(diagnostic);
            return Typed::error(span);
        };
        match (&ty.scalar, &index.ty) {
            (Some(wanted), Type::Scalar(found)) if wanted == found => {}
            (None, found) if found.is_integral() => {}
            (scalar, _) => {
                let wanted = scalar.map_or(Type::INT, Type::Scalar);
                self.mismatch(&index, &wanted, "index of an array");
                return Typed::error(span);
            }
        }
        let index_span = index.span;
        let value = self.rvalue(index);
        if let Expr::Int(constant) = value {
            let last = i64::from(ty.lo) + i64::from(ty.len) - 1;
            if i64::from(constant) < i64::from(ty.lo) || i64::from(constant) > last {
                // It may never come to that; where it does, it is a run-time error, or one of
                // evaluating a constant.
                if self.role != Role::Constant {
                    self.report_value(
                        Diagnostic::warning(
                            "array::index_outside",
                            index_span,
                            format!("the index {constant} is outside of the array"),
                        )
                        .label(format!("indices run from {} to {last}", ty.lo)),
                    );
                }
            }
        }
        match place.element(value) {
            Some(element) => Typed::place(element, span),
            None => Typed::error(span),
        }
    }

    fn member(
        &mut self,
        scope: ScopeId,
        object: &'a ast::Expr,
        member: &'a ast::Name,
        span: Span,
    ) -> Typed {
        if let Some(process) = self.process_named(scope, object) {
            return match process {
                Some(process) => self.process_member(process, member, span),
                None => Typed::error(span),
            };
        }
        let object = self.expr(scope, object);
        match (&object.ty, &object.value) {
            (Type::Error, _) => Typed::error(span),
            (Type::Struct(ty), Value::Place(place)) => match place.field(&member.text) {
                Some(field) => Typed::place(field, span),
                None => {
                    let fields = ty.fields.iter().map(|(name, _)| name.as_str());
                    let help = crate::diagnostic::closest(&member.text, fields)
                        .map(|field| format!("did you mean `{field}`?"));
                    self.report(
                        Diagnostic::error(
                            "name::unknown_field",
                            member.span,
                            format!("there is no field `{}`", member.text),
                        )
                        .label(format!("not a field of `{}`", object.ty))
                        .maybe_help(help),
                    );
                    Typed::error(span)
                }
            },
            (Type::Struct(_), Value::Number(_)) => {
                self.report(
                    Diagnostic::error(
                        "unsupported::field_of_call",
                        object.span,
                        "a field of a structure that a function returns can not be used directly",
                    )
                    .help("store it in a variable first"),
                );
                Typed::error(span)
            }
            (ty, _) => {
                self.report(
                    Diagnostic::error(
                        "type::not_a_structure",
                        object.span,
                        format!("a value of type `{ty}` has no field `{}`", member.text),
                    )
                    .label("this is not a structure"),
                );
                Typed::error(span)
            }
        }
    }

    fn rate(&mut self, scope: ScopeId, clock: &'a ast::Expr, span: Span) -> Typed {
        let clock = self.expr(scope, clock);
        match (&clock.ty, &clock.value) {
            (Type::Clock { .. }, Value::Place(place)) => {
                if !matches!(self.role, Role::Invariant | Role::Query) {
                    self.report(
                        Diagnostic::error(
                            "clock::rate_outside_invariant",
                            span,
                            "the rate of a clock can only be set in an invariant",
                        )
                        .help("write `x' == e` into the invariant of the location"),
                    );
                    return Typed::error(span);
                }
                Typed::number(Type::Rate, Expr::ClockRate(place.to_clock()), span)
            }
            (Type::Error, _) => Typed::error(span),
            _ => {
                self.mismatch(&clock, &Type::Clock { hybrid: false }, "rate");
                Typed::error(span)
            }
        }
    }

    fn unary(
        &mut self,
        scope: ScopeId,
        op: ast::UnaryOp,
        operand: &'a ast::Expr,
        span: Span,
    ) -> Typed {
        let operand = self.expr(scope, operand);
        if operand.is_error() {
            return Typed::error(span);
        }
        match op {
            ast::UnaryOp::Not => {
                let ty =
                    if matches!(operand.ty, Type::Formula) { Type::Formula } else { Type::Bool };
                let value = self.truth(operand);
                Typed::number(ty, fold::not(value), span)
            }
            ast::UnaryOp::Negate | ast::UnaryOp::Plus => {
                let ty = match &operand.ty {
                    ty if ty.is_integral() => Type::INT,
                    Type::Double => Type::Double,
                    ty if ty.is_clock_value() => Type::ClockValue,
                    _ => {
                        self.mismatch(&operand, &Type::INT, "operand of a sign");
                        return Typed::error(span);
                    }
                };
                let value = self.rvalue(operand);
                let value = match op {
                    ast::UnaryOp::Negate => fold::negate(ty.number(), value),
                    _ => value,
                };
                Typed::number(ty, value, span)
            }
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: Typed, right: Typed, span: Span) -> Typed {
        use BinaryOp as Op;
        if left.is_error() || right.is_error() {
            return Typed::error(span);
        }
        match op {
            Op::And | Op::Or | Op::Xor | Op::Imply => {
                let formula = [&left, &right].iter().any(|side| matches!(side.ty, Type::Formula));
                let ty = if formula { Type::Formula } else { Type::Bool };
                let (left, right) = (self.truth(left), self.truth(right));
                Typed::number(ty, fold::binary(op, Number::Int, left, right), span)
            }
            Op::Less
            | Op::LessEqual
            | Op::Equal
            | Op::NotEqual
            | Op::GreaterEqual
            | Op::Greater => self.comparison(op, left, right, span),
            _ => self.arithmetic(op, left, right, span),
        }
    }

    fn comparison(&mut self, op: BinaryOp, left: Typed, right: Typed, span: Span) -> Typed {
        if left.ty.is_clock_value() || right.ty.is_clock_value() {
            return self.clock_comparison(op, left, right, span);
        }
        if matches!(left.ty, Type::Rate) || matches!(right.ty, Type::Rate) {
            return self.rate_comparison(op, left, right, span);
        }
        let equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        let composite = left.ty.is_composite() && left.ty.same_shape(&right.ty);
        let scalar = matches!((&left.ty, &right.ty), (Type::Scalar(a), Type::Scalar(b)) if a == b);
        if left.ty.is_number() && right.ty.is_number() {
            let number = self.common_number(&left, &right);
            let (left, right) = (self.as_number(left, number), self.as_number(right, number));
            return Typed::number(Type::Bool, fold::binary(op, number, left, right), span);
        }
        if equality && (composite || scalar) {
            if self.refuse_mixed(&left, "compared") {
                return Typed::error(span);
            }
            let layout = left.ty.layout();
            let number = left.ty.number();
            let size = match number {
                Number::Int => layout.ints,
                Number::Double => layout.doubles,
            };
            let (left, right) = (self.rvalue(left), self.rvalue(right));
            let expr = match size {
                1 => fold::binary(op, number, left, right),
                _ => {
                    Expr::Binary(Box::new(punctual_model::Binary { op, number, size, left, right }))
                }
            };
            return Typed::number(Type::Bool, expr, span);
        }
        if matches!(left.ty, Type::Formula) || matches!(right.ty, Type::Formula) {
            // `(x < 3) == b`: only a formula of a query could say this.
            self.report(
                Diagnostic::error(
                    "clock::constraint_compared",
                    span,
                    "a clock constraint can not be compared",
                )
                .help("use `&&`, `||`, `!` and `imply` to combine constraints"),
            );
            return Typed::error(span);
        }
        self.incomparable(&left, &right, span);
        Typed::error(span)
    }

    pub(super) fn incomparable(&mut self, left: &Typed, right: &Typed, span: Span) {
        let message = match left.ty.same_shape(&right.ty) {
            true => format!("values of type `{}` can only be compared by `==` and `!=`", left.ty),
            false => format!("`{}` and `{}` can not be compared", left.ty, right.ty),
        };
        self.report(
            Diagnostic::error("type::incomparable", span, message)
                .also(left.span, format!("this is of type `{}`", left.ty))
                .also(right.span, format!("this is of type `{}`", right.ty)),
        );
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Typed, right: Typed, span: Span) -> Typed {
        use BinaryOp as Op;
        let fits = |ty: &Type| ty.is_number() || ty.is_clock_value() || matches!(ty, Type::Rate);
        for side in [&left, &right] {
            if !fits(&side.ty) {
                // In queries, a clock constraint may be counted like a number.
                if matches!(side.ty, Type::Formula) && self.role == Role::Query {
                    continue;
                }
                self.mismatch(side, &Type::INT, "operand of an arithmetic operator");
                return Typed::error(span);
            }
        }
        let integers_only = matches!(
            op,
            Op::Remainder | Op::BitAnd | Op::BitOr | Op::BitXor | Op::ShiftLeft | Op::ShiftRight
        );
        if left.ty.is_clock_value() || right.ty.is_clock_value() {
            if !integers_only {
                return self.clock_arithmetic(op, left, right, span);
            }
        } else if !integers_only || (left.ty.is_integral() && right.ty.is_integral()) {
            let number = self.common_number(&left, &right);
            let ty = match number {
                Number::Int => Type::INT,
                Number::Double => Type::Double,
            };
            // It may never come to that: `N > 0 && a / N > 2`. Where it does, it is a run-time
            // error, or one of evaluating a constant.
            if matches!(op, Op::Divide | Op::Remainder)
                && number == Number::Int
                && let Value::Number(Expr::Int(0)) = right.value
                && self.role != Role::Constant
            {
                self.report_value(
                    Diagnostic::warning("range::division_by_zero", span, "division by zero")
                        .label("the divisor is always 0"),
                );
            }
            let (left, right) = (self.as_number(left, number), self.as_number(right, number));
            return Typed::number(ty, fold::binary(op, number, left, right), span);
        }
        let culprit = if left.ty.is_integral() { &right } else { &left };
        self.mismatch(culprit, &Type::INT, "operand of an operator of integers");
        Typed::error(span)
    }

    fn common_number(&self, left: &Typed, right: &Typed) -> Number {
        match (left.ty.number(), right.ty.number()) {
            (Number::Int, Number::Int) => Number::Int,
            _ => Number::Double,
        }
    }

    pub(super) fn as_number(&mut self, typed: Typed, number: Number) -> Expr {
        let kind = typed.ty.number();
        let value = self.rvalue(typed);
        match (kind, number) {
            (Number::Int, Number::Double) => fold::to_double(value),
            _ => value,
        }
    }

    fn conditional(
        &mut self,
        scope: ScopeId,
        condition: &'a ast::Expr,
        yes: &'a ast::Expr,
        no: &'a ast::Expr,
        span: Span,
    ) -> Typed {
        let condition = self.expr(scope, condition);
        let yes = self.expr(scope, yes);
        let no = self.expr(scope, no);
        if condition.is_error() || yes.is_error() || no.is_error() {
            return Typed::error(span);
        }
        if matches!(condition.ty, Type::Formula) && self.role != Role::Query {
            self.report(
                Diagnostic::error(
                    "clock::condition",
                    condition.span,
                    "a choice can not depend on a clock",
                )
                .help("use two edges, one for each case"),
            );
            return Typed::error(span);
        }
        let formula = [&condition, &yes, &no].iter().any(|part| matches!(part.ty, Type::Formula));
        let test = self.truth(condition);
        let (ty, values) = if yes.ty.is_truth() && no.ty.is_truth() && formula {
            (Type::Formula, [self.truth(yes), self.truth(no)])
        } else if matches!((&yes.ty, &no.ty), (Type::Bool, Type::Bool)) {
            (Type::Bool, [self.rvalue(yes), self.rvalue(no)])
        } else if yes.ty.is_number() && no.ty.is_number() {
            let number = self.common_number(&yes, &no);
            let ty = if number == Number::Int { Type::INT } else { Type::Double };
            (ty, [self.as_number(yes, number), self.as_number(no, number)])
        } else if (yes.ty.is_number() || yes.ty.is_clock_value())
            && (no.ty.is_number() || no.ty.is_clock_value())
        {
            (Type::ClockValue, [self.double(yes, "choice"), self.double(no, "choice")])
        } else if matches!((&yes.ty, &no.ty), (Type::Void, Type::Void)) {
            (Type::Void, [self.rvalue(yes), self.rvalue(no)])
        } else if yes.ty.same_shape(&no.ty) {
            if self.refuse_mixed(&yes, "chosen") {
                return Typed::error(span);
            }
            (yes.ty.clone(), [self.rvalue(yes), self.rvalue(no)])
        } else {
            self.mismatch(&no, &yes.ty, "other side of the choice");
            return Typed::error(span);
        };
        let [yes, no] = values;
        let expr = match test {
            Expr::Int(0) => no,
            Expr::Int(_) => yes,
            test => Expr::Conditional(Box::new([test, yes, no])),
        };
        Typed::number(ty, expr, span)
    }

    fn deadlock(&mut self, span: Span) -> Typed {
        if self.role != Role::Query {
            self.report(Diagnostic::error(
                "query::deadlock_in_model",
                span,
                "`deadlock` can only be used in queries",
            ));
        }
        Typed::number(Type::Formula, Expr::Deadlock, span)
    }

    pub(super) fn dynamic(&mut self, span: Span) -> Typed {
        self.report(
            Diagnostic::error(
                "unsupported::dynamic_templates",
                span,
                "dynamic templates are not supported",
            )
            .label("processes that come and go")
            .help("instantiate as many processes as can exist, with a location for `not alive`"),
        );
        Typed::error(span)
    }
}
