//! How values are written outside of a program: `scale`, `offset`, `whole`, `coding`.

use std::collections::BTreeSet;

use punctual_model::testing::platform::Form;
use punctual_model::{Rational, Value, ValueType};
use toml::de::DeValue;

use crate::{
    diagnostic::{Diagnostic, Diagnostics, closest},
    steering::numbers::number,
    testing::table::{Section, span},
    values,
};

pub(super) fn read(
    section: &Section<'_>,
    ty: &ValueType,
    diagnostics: &mut Diagnostics,
) -> Option<Form> {
    let is_linear = ["scale", "offset", "whole"].iter().find_map(|key| section.key(key));
    match (is_linear, section.key("coding")) {
        (None, None) => Some(Form::Same),
        (Some(_), None) => linear(section, ty, diagnostics),
        (None, Some(_)) => coded(section, ty, diagnostics),
        (Some(place), Some(other)) => {
            let message = "a number is scaled, or coded by a list, not both";
            let wrong = Diagnostic::error("platform::form", other, message);
            diagnostics.push(wrong.also(place, "it is scaled here"));
            None
        }
    }
}

fn linear(section: &Section<'_>, ty: &ValueType, diagnostics: &mut Diagnostics) -> Option<Form> {
    if !matches!(ty, ValueType::Int { .. } | ValueType::Real) {
        let place = section.key("scale").or(section.key("offset")).unwrap_or(section.span);
        let message = "only numbers have a scale and an offset";
        let help =
            "use `coding` for truth and enumerations, such as `coding = { Idle = 0, Busy = 3 }`";
        diagnostics.push(Diagnostic::error("platform::form", place, message).help(help));
        return None;
    }
    let mut given = |key: &str, usual: i128| match section.value(key) {
        Some(value) => number(key, value, None, diagnostics),
        None => Some(Rational::from_integer(usual)),
    };
    let (by, plus) = (given("scale", 1), given("offset", 0));
    if by == Some(Rational::from_integer(0)) {
        let place = section.key("scale").unwrap_or(section.span);
        let message = "`scale` must not be 0: all values would be the same outside";
        diagnostics.push(Diagnostic::error("platform::form", place, message));
        return None;
    }
    let is_whole = section.truth("whole", diagnostics);
    let (by, plus) = (by?, plus?);
    // Whole numbers stay whole if nothing else is said and they can.
    let stays = matches!(ty, ValueType::Int { .. }) && by.is_integer() && plus.is_integer();
    Some(Form::Linear { by, plus, is_whole: is_whole.unwrap_or(stays) })
}

fn coded(section: &Section<'_>, ty: &ValueType, diagnostics: &mut Diagnostics) -> Option<Form> {
    let names: Vec<String> = match ty {
        ValueType::Bool => vec!["false".to_owned(), "true".to_owned()],
        ValueType::Enum(names) => names.clone(),
        ValueType::Int { least, greatest } if greatest.saturating_sub(*least) < 1_000 => {
            (*least..=*greatest).map(|it| it.to_string()).collect()
        }
        _ => {
            let place = section.key("coding").unwrap_or(section.span);
            let message = "only truth, enumerations and small ranges are coded by a list";
            let help = "use `scale` and `offset` for other numbers";
            diagnostics.push(Diagnostic::error("platform::form", place, message).help(help));
            return None;
        }
    };
    let mut list: Vec<(Value, i64)> = Vec::new();
    let mut is_right = true;
    for (key, value) in section.entries("coding", diagnostics) {
        let name = key.get_ref().as_ref();
        let Some(inside) = values::read(ty, name).filter(|_| names.iter().any(|it| it == name))
        else {
            let message = format!("`{name}` is no value of the variable");
            let help = closest(name, names.iter().map(String::as_str))
                .map(|it| format!("did you mean `{it}`?"));
            diagnostics
                .push(Diagnostic::error("platform::form", span(key), message).maybe_help(help));
            is_right = false;
            continue;
        };
        let code = match value.get_ref() {
            DeValue::Integer(it) => i64::from_str_radix(it.as_str(), it.radix()).ok(),
            _ => None,
        };
        match code {
            Some(code) if list.iter().all(|(_, it)| *it != code) => list.push((inside, code)),
            Some(code) => {
                let message = format!("{code} stands for two values");
                diagnostics.push(Diagnostic::error("platform::form", span(value), message));
                is_right = false;
            }
            None => {
                let message = "a code is a whole number".to_owned();
                diagnostics.push(Diagnostic::error("platform::form", span(value), message));
                is_right = false;
            }
        }
    }
    let coded: BTreeSet<Value> = list.iter().map(|(inside, _)| *inside).collect();
    let missing = names
        .iter()
        .find(|name| values::read(ty, name).is_none_or(|value| !coded.contains(&value)));
    if let Some(name) = missing.filter(|_| is_right) {
        let place = section.key("coding").unwrap_or(section.span);
        let message = format!("`coding` has no number for `{name}`");
        diagnostics.push(Diagnostic::error("platform::form", place, message));
        is_right = false;
    }
    is_right.then_some(Form::Coded(list))
}
