//! Types of expressions: syntax to constraints over a domain model.

use punctual_model::{
    BinderId, ClassId, IdVec, OclId, Rational, Value,
    usecases::{
        AttributeType, Binary, Binder, Constraint, Domain, Expr, Feature, Node, Purpose, Type,
        Unary,
    },
};
use rustc_hash::FxHashMap;

use super::{
    super::{
        names::Lexicon,
        sources::{Context, Reader},
    },
    ast::{Ex, ExKind, RawConstraint, Word},
    operators::spelled,
    parse::replacement,
};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
    number::decimal,
};

/// A constraint with its types, and the sentences that it is keyed to.
pub(in super::super) struct Checked {
    pub(in super::super) constraint: Constraint,
    pub(in super::super) keys: Vec<Word>,
    pub(in super::super) file: usize,
}

/// Gives types to the constraints of a file.
pub(in super::super) fn check(
    reader: &mut Reader,
    context: &Context,
    file: usize,
    raws: Vec<RawConstraint>,
    (lexicon, domain): (&Lexicon, &Domain),
) -> Vec<Checked> {
    let mut enumerations: FxHashMap<&str, _> = FxHashMap::default();
    enumerations.extend(domain.enumerations.enumerate().map(|(id, it)| (it.name.as_str(), id)));
    let mut found = Vec::new();
    for raw in raws {
        let place = reader.place(raw.context.span);
        let text = written(&reader.file.text[raw.body_span.range()]);
        let diagnostics = &mut reader.diagnostics;
        if raw.keys.is_empty() && !raw.is_invariant {
            let message = "this constraint is neither an invariant nor keyed to a sentence";
            let help = "write `context C inv:`, or `-- \"sentence\"` above it";
            let wrong = Diagnostic::error("ocl::no_sentence", raw.context.span, message);
            diagnostics.push(wrong.help(help));
        }
        let Some(class) = lexicon.class(&raw.context.text) else {
            let name = &raw.context.text;
            let message = format!("the domain model has no class `{name}`");
            let help = context.hints.help(name, lexicon.class_names());
            let wrong = Diagnostic::error("ocl::name", raw.context.span, message);
            diagnostics.push(wrong.maybe_help(help));
            continue;
        };
        let mut checker = Checker {
            context,
            diagnostics,
            lexicon,
            domain,
            enumerations: &enumerations,
            class,
            other_self: raw.variable.as_ref().map(|it| it.text.as_str()),
            scopes: Vec::new(),
            nodes: IdVec::new(),
            binders: IdVec::new(),
        };
        let Ok(root) = checker.boolean(&raw.body, "a constraint") else { continue };
        let purpose = match raw.keys.is_empty() {
            true => Purpose::Invariant,
            false => Purpose::Sentences(Vec::new()),
        };
        let (nodes, binders) = (checker.nodes, checker.binders);
        let name = raw.name;
        let constraint =
            Constraint { purpose, name, context: class, nodes, binders, root, text, place };
        found.push(Checked { constraint, keys: raw.keys, file });
    }
    found
}

/// A text on one line, without comments.
fn written(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// Something is wrong; it was reported.
pub(super) struct Reported;

pub(super) type Checking<T> = Result<T, Reported>;

pub(super) struct Checker<'c> {
    context: &'c Context,
    diagnostics: &'c mut Diagnostics,
    pub(super) lexicon: &'c Lexicon,
    pub(super) domain: &'c Domain,
    enumerations: &'c FxHashMap<&'c str, punctual_model::EnumerationId>,
    class: ClassId,
    /// Another name for `self`.
    other_self: Option<&'c str>,
    /// The variables of iterators, innermost last; those without a name have an empty one.
    pub(super) scopes: Vec<BinderId>,
    nodes: IdVec<OclId, Node>,
    pub(super) binders: IdVec<BinderId, Binder>,
}

pub(super) type Typed = (OclId, Type);

impl Checker<'_> {
    pub(super) fn fail<T>(
        &mut self,
        code: &'static str,
        span: Span,
        message: String,
        help: Option<String>,
    ) -> Checking<T> {
        self.diagnostics.push(Diagnostic::error(code, span, message).maybe_help(help));
        Err(Reported)
    }

    pub(super) fn push(&mut self, expr: Expr, ty: Type) -> Typed {
        (self.nodes.push(Node { expr, ty }), ty)
    }

    /// A type, in words.
    pub(super) fn told(&self, ty: Type) -> String {
        match ty {
            Type::Boolean => "Boolean".to_owned(),
            Type::Integer => "Integer".to_owned(),
            Type::Real => "Real".to_owned(),
            Type::Enumeration(id) => self.domain.enumerations[id].name.clone(),
            Type::Object(class) => self.domain.classes[class].name.clone(),
            Type::Set(class) => format!("Set({})", self.domain.classes[class].name),
        }
    }

    fn no_truth<T>(&mut self, span: Span, what: &str, ty: Type) -> Checking<T> {
        let message = format!("{what} is Boolean, and this is {}", self.told(ty));
        let help = match ty {
            Type::Object(_) | Type::Set(_) => "compare one of its attributes",
            _ => "compare it with something",
        };
        self.fail("ocl::type", span, message, Some(help.to_owned()))
    }

    pub(super) fn boolean(&mut self, ex: &Ex, what: &str) -> Checking<OclId> {
        match self.expr(ex)? {
            (id, Type::Boolean) => Ok(id),
            (_, ty) => self.no_truth(ex.span, what, ty),
        }
    }

    pub(super) fn number(&mut self, ex: &Ex, operator: &str) -> Checking<Typed> {
        match self.expr(ex)? {
            number @ (_, Type::Integer | Type::Real) => Ok(number),
            (_, ty) => {
                let ty = self.told(ty);
                let message = format!("an operand of `{operator}` is a number, and this is {ty}");
                let is_order = matches!(
                    ex.kind,
                    ExKind::Binary(Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge, ..)
                );
                let help = is_order.then(|| "write two comparisons: `a < b and b < c`".to_owned());
                self.fail("ocl::type", ex.span, message, help)
            }
        }
    }

    pub(super) fn real(&mut self, (id, ty): Typed) -> OclId {
        match ty {
            Type::Integer => self.push(Expr::Unary(Unary::ToReal, id), Type::Real).0,
            _ => id,
        }
    }

    pub(super) fn expr(&mut self, ex: &Ex) -> Checking<Typed> {
        match &ex.kind {
            ExKind::Boolean(it) => Ok(self.push(Expr::Constant(Value::Bool(*it)), Type::Boolean)),
            ExKind::Number(text) => self.literal(text, ex.span),
            ExKind::Context => Ok(self.push(Expr::Context, Type::Object(self.class))),
            ExKind::Name(name) => self.name(name, ex.span),
            ExKind::Path(of, value) => self.value(of, value),
            ExKind::Dot(source, name) => self.dot(source, name),
            ExKind::Call(source, name) => self.call(source, name),
            ExKind::Arrow(source, name, iteration) => {
                self.arrow(source, name, iteration.as_deref())
            }
            ExKind::Unary(Unary::Not, operand) => match self.expr(operand)? {
                (id, Type::Boolean) => Ok(self.push(Expr::Unary(Unary::Not, id), Type::Boolean)),
                (_, ty) => {
                    let ty = self.told(ty);
                    let message = format!("the operand of `not` is Boolean, and this is {ty}");
                    let help = "`not` binds stronger than comparisons: write `not (a > b)`";
                    self.fail("ocl::type", operand.span, message, Some(help.to_owned()))
                }
            },
            ExKind::Unary(operator, operand) => {
                let (operand, ty) = self.number(operand, "-")?;
                Ok(self.push(Expr::Unary(*operator, operand), ty))
            }
            ExKind::Binary(operator, left, right) => self.binary(*operator, left, right, ex.span),
            ExKind::Chain(operator, parts) => {
                let what = format!("an operand of `{}`", spelled(*operator));
                // All wrong parts are told, not just the first.
                let ids: Vec<Checking<OclId>> =
                    parts.iter().map(|part| self.boolean(part, &what)).collect();
                let mut ids = ids.into_iter().collect::<Checking<Vec<OclId>>>()?;
                // A balanced tree, so that nobody has to go deep.
                while ids.len() > 1 {
                    let pairs: Vec<Vec<OclId>> = ids.chunks(2).map(<[OclId]>::to_vec).collect();
                    ids.clear();
                    for pair in pairs {
                        ids.push(match pair[..] {
                            [left, right] => {
                                let both = Expr::Binary(*operator, left, right);
                                self.push(both, Type::Boolean).0
                            }
                            _ => pair[0],
                        });
                    }
                }
                Ok((ids[0], Type::Boolean))
            }
        }
    }

    fn literal(&mut self, text: &str, span: Span) -> Checking<Typed> {
        let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
        if is_whole && let Ok(number) = text.parse::<i64>() {
            return Ok(self.push(Expr::Constant(Value::Int(number)), Type::Integer));
        }
        let number: Option<Rational> = decimal(text).filter(|_| !is_whole);
        match number {
            Some(number) => Ok(self.push(Expr::Constant(Value::Real(number)), Type::Real)),
            // A text was refused when it was found.
            None if text.starts_with(['\'', '"']) => Err(Reported),
            None => {
                let message = format!("the number `{text}` is too large or too fine");
                self.fail("ocl::number", span, message, None)
            }
        }
    }

    /// A name that stands alone: a variable, or a feature of what is looked at.
    fn name(&mut self, name: &str, span: Span) -> Checking<Typed> {
        if self.other_self == Some(name) {
            return Ok(self.push(Expr::Context, Type::Object(self.class)));
        }
        for binder in self.scopes.clone().into_iter().rev() {
            let Binder { name: own, class } = self.binders[binder].clone();
            if own == name {
                return Ok(self.push(Expr::Binder(binder), Type::Object(class)));
            }
            if own.is_empty()
                && let Some(feature) = self.lexicon.feature(class, name)
            {
                let (object, _) = self.push(Expr::Binder(binder), Type::Object(class));
                return Ok(self.feature(object, feature));
            }
        }
        if let Some(feature) = self.lexicon.feature(self.class, name) {
            let (object, _) = self.push(Expr::Context, Type::Object(self.class));
            return Ok(self.feature(object, feature));
        }
        if self.lexicon.class(name).is_some() {
            let message = format!("the class `{name}` is no value");
            let help = format!("write `{name}.allInstances()` for its objects");
            return self.fail("ocl::type", span, message, Some(help));
        }
        if self.enumerations.contains_key(name) {
            let message = format!("the enumeration `{name}` is no value");
            let help = format!("write `{name}::Value`");
            return self.fail("ocl::type", span, message, Some(help));
        }
        let unnamed = self.scopes.iter().map(|it| &self.binders[*it]);
        let mut classes = unnamed.filter(|it| it.name.is_empty()).map(|it| it.class);
        if self.lexicon.is_wrong(self.class, name)
            || classes.any(|it| self.lexicon.is_wrong(it, name))
        {
            return Err(Reported);
        }
        let owner = (self.domain.enumerations.iter())
            .filter(|_| self.context.hints.allows())
            .find(|it| it.values.iter().any(|value| value == name))
            .map(|it| format!("write `{}::{name}`", it.name));
        let help = owner.or_else(|| self.likely(self.class, name));
        let message = format!("there is no variable or feature `{name}`");
        self.fail("ocl::name", span, message, help)
    }

    /// A help line with the likely feature of a class.
    fn likely(&self, class: ClassId, name: &str) -> Option<String> {
        let lineage = self.domain.lineage(class);
        let names = lineage.into_iter().flat_map(|it| self.domain.own_features(it));
        self.context.hints.help(name, names.map(|(name, _)| name))
    }

    fn feature(&mut self, object: OclId, feature: Feature) -> Typed {
        match feature {
            Feature::Attribute(id) => {
                let ty = match self.domain.attributes[id].ty {
                    AttributeType::Boolean => Type::Boolean,
                    AttributeType::Integer => Type::Integer,
                    AttributeType::Real => Type::Real,
                    AttributeType::Enumeration(id) => Type::Enumeration(id),
                };
                self.push(Expr::Attribute(object, id), ty)
            }
            Feature::End(at) => {
                let end = self.domain.end(at);
                let ty = match end.multiplicity.is_one() {
                    true => Type::Object(end.class),
                    false => Type::Set(end.class),
                };
                self.push(Expr::Navigate(object, at), ty)
            }
        }
    }

    /// A value of an enumeration.
    fn value(&mut self, of: &Word, value: &Word) -> Checking<Typed> {
        let Some(id) = self.enumerations.get(of.text.as_str()).copied() else {
            let message = format!("there is no enumeration `{}`", of.text);
            let help = self.context.hints.help(&of.text, self.enumerations.keys().copied());
            return self.fail("ocl::name", of.span, message, help);
        };
        let values = &self.domain.enumerations[id].values;
        match values.iter().position(|it| *it == value.text) {
            Some(at) => {
                let at = Value::Enum(at as u32);
                Ok(self.push(Expr::Constant(at), Type::Enumeration(id)))
            }
            None => {
                let help = self.context.hints.help(&value.text, values.iter().map(String::as_str));
                let message = format!("`{}` has no value `{}`", of.text, value.text);
                self.fail("ocl::name", value.span, message, help)
            }
        }
    }

    /// Whether a name is a variable or a feature here, and so hides classes and enumerations.
    fn is_bound(&self, name: &str) -> bool {
        let in_scope = self.scopes.iter().any(|binder| {
            let binder = &self.binders[*binder];
            binder.name == name
                || binder.name.is_empty() && self.lexicon.feature(binder.class, name).is_some()
        });
        in_scope
            || self.other_self == Some(name)
            || self.lexicon.feature(self.class, name).is_some()
    }

    fn dot(&mut self, source: &Ex, name: &Word) -> Checking<Typed> {
        if let ExKind::Name(of) = &source.kind
            && !self.is_bound(of)
        {
            if self.enumerations.contains_key(of.as_str()) {
                let of = Word { text: of.clone(), span: source.span };
                return self.value(&of, name);
            }
            if name.text == "allInstances"
                && let Some(class) = self.lexicon.class(of)
            {
                let message = "`allInstances` without parentheses";
                let wrong = Diagnostic::warning("ocl::parentheses", name.span, message);
                self.diagnostics.push(wrong.help("write `allInstances()`"));
                return Ok(self.push(Expr::AllInstances(class), Type::Set(class)));
            }
        }
        match self.expr(source)? {
            (object, Type::Object(class)) => match self.lexicon.feature(class, &name.text) {
                Some(feature) => Ok(self.feature(object, feature)),
                None if self.lexicon.is_wrong(class, &name.text) => Err(Reported),
                None => {
                    let class_name = &self.domain.classes[class].name;
                    let message = format!("`{class_name}` has no feature `{}`", name.text);
                    let help = self.likely(class, &name.text);
                    self.fail("ocl::name", name.span, message, help)
                }
            },
            (_, Type::Set(class)) => {
                let class = &self.domain.classes[class].name;
                let message = format!("`.{}` of a set of `{class}`", name.text);
                let help = format!(
                    "ask for each object: `->forAll(x | x.{} …)` or `->exists(x | x.{} …)`; an end is one object if its multiplicity is 1",
                    name.text, name.text
                );
                self.fail("ocl::type", name.span, message, Some(help))
            }
            (_, ty) => {
                let message = format!("{} has no feature `{}`", self.told(ty), name.text);
                self.fail("ocl::type", name.span, message, None)
            }
        }
    }

    /// An operation with a point before it and nothing between its parentheses.
    fn call(&mut self, source: &Ex, name: &Word) -> Checking<Typed> {
        if name.text == "allInstances" {
            let class = match &source.kind {
                ExKind::Name(of) if !self.is_bound(of) => self.lexicon.class(of),
                _ => None,
            };
            return match class {
                Some(class) => Ok(self.push(Expr::AllInstances(class), Type::Set(class))),
                None => {
                    let message = "`allInstances` needs the name of a class".to_owned();
                    let help = match &source.kind {
                        ExKind::Name(of) => self.context.hints.help(of, self.lexicon.class_names()),
                        _ => None,
                    };
                    self.fail("ocl::name", source.span, message, help)
                }
            };
        }
        let message = format!("the operation `{}` is not supported", name.text);
        let help = match name.text.as_str() {
            "size" | "forAll" | "exists" | "select" => {
                Some(format!("sets have `->` before operations: `->{}(…)`", name.text))
            }
            other => replacement(other),
        };
        self.fail("ocl::unsupported", name.span, message, help)
    }
}
