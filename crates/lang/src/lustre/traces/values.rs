//! Values in tables of steps.

use punctual_model::{Value, ValueType};

use crate::{Span, diagnostic::Diagnostic, values};

/// The value that a text is for a variable.
pub(super) fn read(
    name: &str,
    ty: &ValueType,
    text: &str,
    span: Span,
) -> Result<Value, Box<Diagnostic>> {
    values::read(ty, text).ok_or_else(|| {
        let found = match text {
            "" => "nothing".to_owned(),
            text => format!("`{text}`"),
        };
        let message = format!("`{name}` is {}, not {found}", values::expected(ty));
        Box::new(Diagnostic::error("table::value", span, message))
    })
}

/// A value as it stands in a table: truth is 0 or 1.
pub(super) fn write(ty: &ValueType, value: Value) -> String {
    match value {
        Value::Bool(it) => u8::from(it).to_string(),
        value => values::text(ty, value),
    }
}
