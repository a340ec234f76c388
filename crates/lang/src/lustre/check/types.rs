//! Types as written to types.

use punctual_model::lustre::{Enumeration, Value};

use super::{
    super::{
        ast::{Ex, Ident, TypeKind, TypeText},
        types::{Kind, SCALARS_MAX, Ty},
    },
    Checker,
};
use crate::diagnostic::{Diagnostic, closest};

impl Checker<'_, '_> {
    /// The values of enumerations are names of the whole file.
    pub(super) fn declare_enums(&mut self) {
        let ast = self.out.ast;
        for (index, (name, ty)) in ast.type_declarations.iter().enumerate() {
            let TypeKind::Enum(values) = &ast.types[*ty].kind else { continue };
            let texts: Vec<String> =
                values.iter().map(|value| self.name(value.name).to_owned()).collect();
            let name = self.name(name.name).to_owned();
            let id = self.out.types.enums.push(Enumeration { name, values: texts });
            let mut spans: Vec<Ident> = Vec::new();
            for (position, value) in values.iter().enumerate() {
                let known = self.enum_values.insert(value.name, (id, position as u32));
                if known.is_some() {
                    match spans.iter().find(|other| other.name == value.name) {
                        Some(other) => self.twice(*value, other.span),
                        None => {
                            let text = self.name(value.name);
                            let message = format!("`{text}` is a value of two enumerations");
                            self.error("lustre::declared_twice", value.span, message);
                        }
                    }
                }
                spans.push(*value);
            }
            if values.is_empty() {
                let message = "an enumeration needs a value".to_owned();
                self.error("lustre::type", ast.types[*ty].span, message);
            }
            self.declared_types[index] = Some(self.out.types.add(Kind::Enum(id)));
        }
    }

    /// The type of a declaration of the file.
    pub(super) fn declared_type(&mut self, index: usize) -> Ty {
        if let Some(ty) = self.declared_types[index] {
            return ty;
        }
        let ast = self.out.ast;
        let (name, text) = &ast.type_declarations[index];
        if self.busy_types[index] || self.nesting > 1000 {
            let message = format!("the type `{}` is made of itself", self.name(name.name));
            self.error("lustre::type_cycle", name.span, message);
            return Ty::WRONG;
        }
        self.busy_types[index] = true;
        self.nesting += 1;
        let ty = match &ast.types[*text].kind {
            TypeKind::Record(fields) => self.record(*name, fields),
            _ => self.ty(&ast.types[*text]),
        };
        self.nesting -= 1;
        self.declared_types[index] = Some(ty);
        ty
    }

    fn record(&mut self, name: Ident, fields: &[(Ident, TypeText)]) -> Ty {
        let mut list = Vec::with_capacity(fields.len());
        for (at, (field, ty)) in fields.iter().enumerate() {
            if let Some((other, _)) = fields[..at].iter().find(|it| it.0.name == field.name) {
                self.twice(*field, other.span);
            }
            list.push((field.name, self.ty(ty)));
        }
        let ty = self.out.types.add(Kind::Record(name.name, list));
        self.of_bounded_size(ty, name.span)
    }

    pub(super) fn of_bounded_size(&mut self, ty: Ty, span: crate::Span) -> Ty {
        let size = self.out.types.size(ty);
        if size <= SCALARS_MAX {
            return ty;
        }
        let message =
            format!("a value of this type has {size} parts; at most {SCALARS_MAX} can be");
        self.error("lustre::too_large", span, message);
        Ty::WRONG
    }

    /// The type of a piece of syntax.
    pub(super) fn ty(&mut self, text: &TypeText) -> Ty {
        match &text.kind {
            TypeKind::Bool => Ty::BOOL,
            TypeKind::Int => Ty::INT,
            TypeKind::Real => Ty::REAL,
            TypeKind::Machine { bits, signed } => {
                self.out.types.add(Kind::Machine { bits: *bits, signed: *signed })
            }
            TypeKind::Subrange(low, high) => {
                let bounds = (self.static_int(*low), self.static_int(*high));
                let (Some(low), Some(high)) = bounds else { return Ty::WRONG };
                if low > high {
                    let message = format!("there is no number from {low} to {high}");
                    self.error("lustre::empty_range", text.span, message);
                    return Ty::WRONG;
                }
                self.out.types.add(Kind::Subrange(low, high))
            }
            TypeKind::Array(element, size) => {
                let element = self.ty(element);
                let Some(size) = self.static_size(*size) else { return Ty::WRONG };
                let ty = self.out.types.add(Kind::Array(element, size));
                self.of_bounded_size(ty, text.span)
            }
            TypeKind::Named(name) => match self.type_by_name.get(name) {
                Some(index) => self.declared_type(*index),
                None => {
                    let shown = self.name(*name);
                    let mut names: Vec<&str> =
                        self.type_by_name.keys().map(|name| self.out.ast.text(*name)).collect();
                    names.extend(["bool", "int", "real"]);
                    names.sort_unstable();
                    let help = closest(shown, names).map(|it| format!("did you mean `{it}`?"));
                    let message = format!("there is no type `{shown}`");
                    self.diagnostics.push(
                        Diagnostic::error("lustre::unknown_type", text.span, message)
                            .maybe_help(help),
                    );
                    Ty::WRONG
                }
            },
            TypeKind::Enum(_) | TypeKind::Record(_) => {
                self.diagnostics.push(
                    Diagnostic::error("lustre::type", text.span, "this type needs a name")
                        .help("declare it outside of the nodes: `type name = …;`"),
                );
                Ty::WRONG
            }
        }
    }

    /// A number that is known before anything runs.
    pub(super) fn static_int(&mut self, ex: Ex) -> Option<i64> {
        let span = self.out.ast.span(ex);
        let (ty, values) = self.static_value(ex)?;
        match values.as_slice() {
            [Value::Int(value)] => Some(*value),
            _ => {
                let shown = self.type_text(ty);
                let message = format!("expected a constant of type `int`, not `{shown}`");
                self.error("lustre::type", span, message);
                None
            }
        }
    }

    /// How many elements an array has.
    pub(super) fn static_size(&mut self, ex: Ex) -> Option<u32> {
        let span = self.out.ast.span(ex);
        let size = self.static_int(ex)?;
        match u32::try_from(size) {
            Ok(size) if size > 0 && size as usize <= SCALARS_MAX => Some(size),
            _ => {
                let message = format!("an array has 1 to {SCALARS_MAX} elements, not {size}");
                self.error("lustre::array_size", span, message);
                None
            }
        }
    }
}
