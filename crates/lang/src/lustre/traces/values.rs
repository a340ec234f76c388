//! Values in tables.

use punctual_model::{
    VarId,
    lustre::{Program, Rational, Type, Value},
};

use crate::{Span, diagnostic::Diagnostic, lustre::literal, number::decimal};

/// The value that a text is for a variable.
pub(super) fn read(
    program: &Program,
    var: VarId,
    text: &str,
    span: Span,
) -> Result<Value, Box<Diagnostic>> {
    let declared = &program.vars[var];
    let value = match declared.ty {
        Type::Bool => match text {
            "0" | "false" | "False" | "FALSE" => Some(Value::Bool(false)),
            "1" | "true" | "True" | "TRUE" => Some(Value::Bool(true)),
            _ => None,
        },
        Type::Int => number(text)
            .filter(Rational::is_integer)
            .and_then(|it| i64::try_from(it.to_integer()).ok())
            .map(Value::Int),
        Type::Real => number(text).map(Value::Real),
        Type::Enum(id) => {
            let values = &program.enums[id].values;
            let named = values.iter().position(|value| value == text);
            let place = named.or_else(|| text.parse().ok().filter(|place| *place < values.len()));
            place.map(|place| Value::Enum(place as u32))
        }
    };
    value.ok_or_else(|| {
        let what = match declared.ty {
            Type::Bool => "0, 1, true or false".to_owned(),
            Type::Int => "a whole number of 64 bits".to_owned(),
            Type::Real => "a decimal number or a fraction".to_owned(),
            Type::Enum(id) => {
                let enumeration = &program.enums[id];
                format!("one of {}", enumeration.values.join(", "))
            }
        };
        let shown = match text {
            "" => "nothing".to_owned(),
            text => format!("`{text}`"),
        };
        let message = format!("`{}` is {what}, not {shown}", declared.name);
        Box::new(Diagnostic::error("table::value", span, message))
    })
}

/// A number with a sign, perhaps divided by another.
fn number(text: &str) -> Option<Rational> {
    if let Some((above, below)) = text.split_once('/') {
        let (above, below) = (decimal(above.trim())?, decimal(below.trim())?);
        if below == Rational::from_integer(0) {
            return None;
        }
        return (*above.numer())
            .checked_mul(*below.denom())
            .zip(above.denom().checked_mul(*below.numer()))
            .map(|(above, below)| Rational::new(above, below));
    }
    decimal(text)
}

/// A value as it stands in a table.
pub(super) fn write(program: &Program, var: VarId, value: Value) -> String {
    match (value, program.vars[var].ty) {
        (Value::Bool(it), _) => u8::from(it).to_string(),
        (Value::Int(it), _) => it.to_string(),
        (Value::Real(it), _) => real(it),
        (Value::Enum(it), Type::Enum(id)) => {
            let name = program.enums[id].values.get(it as usize);
            name.cloned().unwrap_or_else(|| it.to_string())
        }
        (Value::Enum(it), _) => it.to_string(),
    }
}

/// A real number: as a decimal if it is one, else as a fraction.
pub(super) fn real(value: Rational) -> String {
    literal::as_decimal(value).unwrap_or_else(|| format!("{}/{}", value.numer(), value.denom()))
}
