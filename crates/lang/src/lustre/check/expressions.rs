//! The types of expressions.

use super::{
    super::{
        ast::{Binary, Cast, Ex, ExKind, Ident, SampledBy, Symbol, Unary},
        literal,
        types::{Kind, Ty},
    },
    Binding, Checker,
};
use crate::{Span, diagnostic::Diagnostic};

impl Checker<'_, '_> {
    /// The type of an expression; [`Ty::WRONG`] if it has none, which was reported.
    pub(in super::super) fn expr(&mut self, ex: Ex) -> Ty {
        let ty = self.type_of(ex);
        self.out.type_of[ex.index()] = ty;
        ty
    }

    fn type_of(&mut self, ex: Ex) -> Ty {
        let ast = self.out.ast;
        let span = ast.span(ex);
        match ast.kind(ex) {
            ExKind::Wrong => Ty::WRONG,
            ExKind::Bool(_) => Ty::BOOL,
            ExKind::Int => self.number(ex, Ty::INT),
            ExKind::Decimal => self.number(ex, Ty::REAL),
            ExKind::Name(name) => self.name_type(ex, Ident { name: *name, span }),
            ExKind::Unary(Unary::Not, a) => self.expect(*a, Ty::BOOL),
            ExKind::Unary(Unary::Neg, a) => {
                // The least integer can only be written with its sign.
                let minimum = matches!(ast.kind(*a), ExKind::Int)
                    && literal::negated(&self.out, *a).is_some();
                let ty = match minimum {
                    true => Ty::INT,
                    false => self.expr(*a),
                };
                self.out.type_of[a.index()] = ty;
                self.numeric(*a, ty, "-")
            }
            ExKind::Binary(op, a, b) => self.binary(*op, *a, *b, span),
            ExKind::If(condition, yes, no) => {
                self.expect(*condition, Ty::BOOL);
                self.same(*yes, *no, "the branches of `if`")
            }
            ExKind::Pre(a) => {
                self.remembers(span, "pre");
                let ty = self.expr(*a);
                self.out.types.plain(ty)
            }
            ExKind::Arrow(a, b) => {
                self.remembers(span, "->");
                self.same(*a, *b, "the sides of `->`")
            }
            ExKind::Fby(a, b) => {
                self.remembers(span, "fby");
                self.same(*a, *b, "the sides of `fby`")
            }
            ExKind::Current(a) => {
                self.remembers(span, "current");
                let ty = self.expr(*a);
                self.out.types.plain(ty)
            }
            ExKind::When(a, sampling) => {
                self.sampled(sampling.on, sampling.value);
                let ty = self.expr(*a);
                self.out.types.plain(ty)
            }
            ExKind::Merge(on, arms) => self.merge(*on, arms, span),
            ExKind::Call(node, args) => self.call(*node, args, span),
            ExKind::Activate(activation) => self.activation(activation, span),
            ExKind::Cast(cast, a) => self.cast(*cast, *a),
            ExKind::AtMostOne(items) => {
                for item in items {
                    self.expect(*item, Ty::BOOL);
                }
                Ty::BOOL
            }
            ExKind::Tuple(items) => {
                let mut parts = Vec::with_capacity(items.len());
                for item in items {
                    let ty = self.expr(*item);
                    if ty == Ty::WRONG {
                        return Ty::WRONG;
                    }
                    parts.push(self.out.types.plain(ty));
                }
                self.out.types.add(Kind::Tuple(parts))
            }
            ExKind::Array(items) => self.array(items, span),
            ExKind::Repeat(item, size) => {
                let ty = self.expr(*item);
                let Some(size) = self.static_size(*size) else { return Ty::WRONG };
                if ty == Ty::WRONG {
                    return Ty::WRONG;
                }
                let ty = self.out.types.plain(ty);
                let ty = self.out.types.add(Kind::Array(ty, size));
                self.of_bounded_size(ty, span)
            }
            ExKind::Index(array, index) => {
                let ty = self.expr(*array);
                self.element(*array, ty, *index)
            }
            ExKind::UpdateIndex(array, index, value) => {
                let ty = self.expr(*array);
                let element = self.element(*array, ty, *index);
                let found = self.expr(*value);
                if !self.fits(found, element) {
                    self.mismatch(*value, found, element);
                }
                ty
            }
            ExKind::Record(name, fields) => self.record_value(*name, fields, span),
            ExKind::Field(record, field) => {
                let ty = self.expr(*record);
                self.field(*record, ty, *field)
            }
            ExKind::UpdateField(record, field, value) => {
                let ty = self.expr(*record);
                let expected = self.field(*record, ty, *field);
                let found = self.expr(*value);
                if !self.fits(found, expected) {
                    self.mismatch(*value, found, expected);
                }
                ty
            }
        }
    }

    fn remembers(&mut self, span: Span, what: &str) {
        if self.tolerant {
            let message = format!("`{what}` can not be used here: only one step is looked at");
            self.error("lustre::one_step", span, message);
        }
    }

    fn number(&mut self, ex: Ex, ty: Ty) -> Ty {
        let span = self.out.ast.span(ex);
        if literal::value(&self.out.text[span.range()]).is_some() {
            return ty;
        }
        let message = match ty == Ty::INT {
            true => "this number does not fit into 64 bits",
            false => "this number has too many digits, or a too large exponent",
        };
        self.error("lustre::number", span, message.to_owned());
        Ty::WRONG
    }

    fn name_type(&mut self, ex: Ex, name: Ident) -> Ty {
        let binding = self.resolve(name.name);
        self.out.bindings[ex.index()] = binding;
        match binding {
            Binding::Local(index) => {
                let ty = self.scope.variables[index as usize].ty;
                self.out.types.plain(ty)
            }
            Binding::Constant(index) => match self.constant(index) {
                Some((ty, _)) => self.out.types.plain(ty),
                None => Ty::WRONG,
            },
            Binding::Enum(id, _) => self.out.types.add(Kind::Enum(id)),
            Binding::None => {
                self.unknown_name(name);
                Ty::WRONG
            }
        }
    }

    /// Whether a value of one type can be used where another is wanted.
    pub(super) fn fits(&mut self, found: Ty, expected: Ty) -> bool {
        let (found, expected) = (self.out.types.plain(found), self.out.types.plain(expected));
        found == expected
            || found == Ty::WRONG
            || expected == Ty::WRONG
            || (self.tolerant && found == Ty::INT && expected == Ty::REAL)
    }

    pub(super) fn mismatch(&mut self, ex: Ex, found: Ty, expected: Ty) {
        let message = format!(
            "expected a value of type `{}`, found one of type `{}`",
            self.type_text(expected),
            self.type_text(found)
        );
        let help = self.conversion(found, expected);
        self.diagnostics.push(
            Diagnostic::error("lustre::type", self.out.ast.span(ex), message).maybe_help(help),
        );
    }

    /// How to make one type of number from another.
    fn conversion(&self, found: Ty, expected: Ty) -> Option<String> {
        let number = |ty: Ty| {
            matches!(self.out.types.kind(ty), Kind::Int | Kind::Real | Kind::Machine { .. })
        };
        (number(found) && number(expected) && found != expected).then(|| {
            format!("nothing is converted by itself: write `{}(…)`", self.type_text(expected))
        })
    }

    /// Checks an expression that must be of a type.
    pub(in super::super) fn expect(&mut self, ex: Ex, expected: Ty) -> Ty {
        let found = self.expr(ex);
        if !self.fits(found, expected) {
            self.mismatch(ex, found, expected);
        }
        expected
    }

    /// The type of two expressions that must be of the same.
    fn same(&mut self, a: Ex, b: Ex, what: &str) -> Ty {
        let (left, right) = (self.expr(a), self.expr(b));
        let (left, right) = (self.out.types.plain(left), self.out.types.plain(right));
        self.join(a, left, b, right, what)
    }

    fn join(&mut self, a: Ex, left: Ty, b: Ex, right: Ty, what: &str) -> Ty {
        if left == Ty::WRONG || right == Ty::WRONG {
            return Ty::WRONG;
        }
        if left == right {
            return left;
        }
        let numbers = [left, right].iter().all(|ty| matches!(*ty, Ty::INT | Ty::REAL));
        if self.tolerant && numbers {
            return Ty::REAL;
        }
        let (left_text, right_text) = (self.type_text(left), self.type_text(right));
        let help = self.conversion(left, right).map(|_| {
            let wanted = if left == Ty::INT { &right_text } else { &left_text };
            format!("nothing is converted by itself: write `{wanted}(…)`")
        });
        let message = format!("{what} differ in type");
        self.diagnostics.push(
            Diagnostic::error("lustre::type", self.out.ast.span(b), message)
                .label(format!("this is `{right_text}`"))
                .also(self.out.ast.span(a), format!("this is `{left_text}`"))
                .maybe_help(help),
        );
        Ty::WRONG
    }

    fn numeric(&mut self, ex: Ex, ty: Ty, operator: &str) -> Ty {
        let ty = self.out.types.plain(ty);
        match self.out.types.kind(ty) {
            Kind::Int | Kind::Real | Kind::Machine { .. } | Kind::Wrong => ty,
            _ => {
                let shown = self.type_text(ty);
                let message = format!("`{operator}` needs numbers, and this is `{shown}`");
                self.error("lustre::type", self.out.ast.span(ex), message);
                Ty::WRONG
            }
        }
    }

    fn binary(&mut self, op: Binary, a: Ex, b: Ex, span: Span) -> Ty {
        let text = op.text();
        match op {
            Binary::And | Binary::Or | Binary::Nor | Binary::Xor | Binary::Implies => {
                self.expect(a, Ty::BOOL);
                self.expect(b, Ty::BOOL)
            }
            Binary::Eq | Binary::Ne => {
                self.same(a, b, &format!("the sides of `{text}`"));
                Ty::BOOL
            }
            _ => {
                let (left, right) = (self.expr(a), self.expr(b));
                let (left, right) = (self.numeric(a, left, text), self.numeric(b, right, text));
                let ty = self.join(a, left, b, right, &format!("the sides of `{text}`"));
                match op {
                    Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => Ty::BOOL,
                    Binary::Div if ty == Ty::INT && self.tolerant => Ty::REAL,
                    Binary::Div if ty != Ty::REAL && ty != Ty::WRONG => {
                        self.diagnostics.push(
                            Diagnostic::error("lustre::type", span, "`/` divides real numbers")
                                .label(format!("both sides are `{}`", self.type_text(ty)))
                                .help("write `div` for integers, or `real(…)` around both sides"),
                        );
                        Ty::WRONG
                    }
                    Binary::IntDiv | Binary::Mod if ty == Ty::REAL => {
                        let message = format!("`{text}` divides integers, and these are `real`");
                        self.error("lustre::type", span, message);
                        Ty::WRONG
                    }
                    _ => ty,
                }
            }
        }
    }

    fn cast(&mut self, cast: Cast, a: Ex) -> Ty {
        let found = self.expr(a);
        let found = self.out.types.plain(found);
        let (to, fits) = match cast {
            Cast::Real => (Ty::REAL, true),
            Cast::Int => (Ty::INT, true),
            Cast::Floor => (Ty::INT, found == Ty::REAL || self.tolerant),
            Cast::Machine { bits, signed } => {
                (self.out.types.add(Kind::Machine { bits, signed }), found != Ty::REAL)
            }
        };
        let number =
            matches!(self.out.types.kind(found), Kind::Int | Kind::Real | Kind::Machine { .. });
        if found != Ty::WRONG && !(fits && number) {
            let name = if cast == Cast::Floor { "floor".to_owned() } else { self.type_text(to) };
            let shown = self.type_text(found);
            let message = format!("`{name}(…)` can not be made from a `{shown}`");
            self.error("lustre::type", self.out.ast.span(a), message);
        }
        to
    }

    fn array(&mut self, items: &[Ex], span: Span) -> Ty {
        let Some((first, rest)) = items.split_first() else {
            self.error("lustre::array_size", span, "an array needs an element".to_owned());
            return Ty::WRONG;
        };
        let ty = self.expr(*first);
        let mut ty = self.out.types.plain(ty);
        for item in rest {
            let found = self.expr(*item);
            let found = self.out.types.plain(found);
            ty = self.join(*first, ty, *item, found, "the elements of an array");
        }
        if ty == Ty::WRONG {
            return Ty::WRONG;
        }
        let ty = self.out.types.add(Kind::Array(ty, items.len() as u32));
        self.of_bounded_size(ty, span)
    }

    /// The type of an element of an array.
    fn element(&mut self, array: Ex, ty: Ty, index: Ex) -> Ty {
        self.expect(index, Ty::INT);
        match *self.out.types.kind(ty) {
            Kind::Array(element, size) => {
                let text = &self.out.text[self.out.ast.span(index).range()];
                if matches!(self.out.ast.kind(index), ExKind::Int)
                    && text.parse::<u32>().is_ok_and(|index| index >= size)
                {
                    let message = format!("this array has the elements 0 to {}", size - 1);
                    self.error("lustre::index", self.out.ast.span(index), message);
                }
                self.out.types.plain(element)
            }
            Kind::Wrong => Ty::WRONG,
            _ => {
                let message = format!("this is `{}`, not an array", self.type_text(ty));
                self.error("lustre::type", self.out.ast.span(array), message);
                Ty::WRONG
            }
        }
    }

    /// Where the scalars of a field begin, and its type.
    pub(in super::super) fn field_place(&self, record: Ty, field: Symbol) -> Option<(usize, Ty)> {
        self.out.field_place(record, field)
    }

    fn field(&mut self, record: Ex, ty: Ty, field: Ident) -> Ty {
        if ty == Ty::WRONG {
            return Ty::WRONG;
        }
        if let Some((_, found)) = self.field_place(ty, field.name) {
            return self.out.types.plain(found);
        }
        let shown = self.type_text(ty);
        let name = self.name(field.name);
        match self.out.types.kind(ty) {
            Kind::Record(_, fields) => {
                let names = fields.iter().map(|(field, _)| self.out.ast.text(*field));
                let help = crate::diagnostic::closest(name, names);
                let help = help.map(|name| format!("did you mean `{name}`?"));
                let message = format!("`{shown}` has no field `{name}`");
                let error = Diagnostic::error("lustre::field", field.span, message);
                self.diagnostics.push(error.maybe_help(help));
            }
            _ => {
                let message = format!("this is `{shown}`, which has no fields");
                self.error("lustre::field", self.out.ast.span(record), message);
            }
        }
        Ty::WRONG
    }

    fn record_value(&mut self, name: Ident, fields: &[(Ident, Ex)], span: Span) -> Ty {
        let ty = match self.type_by_name.get(&name.name) {
            Some(index) => self.declared_type(*index),
            None => {
                let message = format!("there is no record type `{}`", self.name(name.name));
                self.error("lustre::unknown_type", name.span, message);
                Ty::WRONG
            }
        };
        for (at, (field, value)) in fields.iter().enumerate() {
            let expected = self.field(*value, ty, *field);
            let found = self.expr(*value);
            if !self.fits(found, expected) {
                self.mismatch(*value, found, expected);
            }
            if let Some(other) = fields[..at].iter().find(|other| other.0.name == field.name) {
                let message = format!("the field `{}` is given twice", self.name(field.name));
                self.diagnostics.push(
                    Diagnostic::error("lustre::field", field.span, message)
                        .also(other.0.span, "first here"),
                );
            }
        }
        if let Kind::Record(_, declared) = self.out.types.kind(ty).clone() {
            let missing: Vec<_> = (declared.iter())
                .filter(|(name, _)| !fields.iter().any(|field| field.0.name == *name))
                .map(|(name, _)| format!("`{}`", self.name(*name)))
                .collect();
            if !missing.is_empty() {
                let message = format!("no value for {}", missing.join(", "));
                self.error("lustre::field", span, message);
            }
        }
        ty
    }

    fn merge(&mut self, on: Ident, arms: &[(SampledBy, Ex)], span: Span) -> Ty {
        let mut values = Vec::new();
        let mut ty = None;
        for (value, arm) in arms {
            if let Some(when) = self.sampled(on, *value) {
                if values.contains(&when.value) {
                    let message = "this case of `merge` was there before".to_owned();
                    self.error("lustre::merge", self.out.ast.span(*arm), message);
                }
                values.push(when.value);
            }
            let found = self.expr(*arm);
            let found = self.out.types.plain(found);
            ty = Some(match ty {
                None => found,
                Some(ty) => self.join(arms[0].1, ty, *arm, found, "the cases of `merge`"),
            });
        }
        if let Binding::Local(index) = self.resolve(on.name) {
            let clock = self.scope.variables[index as usize].ty;
            let n_values = match self.out.types.kind(clock) {
                Kind::Bool => 2,
                Kind::Enum(id) => self.n_values(*id),
                _ => values.len(),
            };
            if values.len() < n_values && values.len() == arms.len() {
                let message = format!(
                    "`merge` needs a case for each of the {n_values} values of `{}`",
                    self.name(on.name)
                );
                self.error("lustre::merge", span, message);
            }
        }
        ty.unwrap_or(Ty::WRONG)
    }
}

impl super::Checked<'_> {
    /// Where the scalars of a field begin, and its type.
    pub(in super::super) fn field_place(&self, record: Ty, field: Symbol) -> Option<(usize, Ty)> {
        let Kind::Record(_, fields) = self.types.kind(record) else { return None };
        let mut start = 0;
        for (name, ty) in fields {
            if *name == field {
                return Some((start, *ty));
            }
            start += self.types.size(*ty);
        }
        None
    }
}
