//! `usecases.toml`: names, values, period, what can be seen, lints.

use std::collections::BTreeMap;

use punctual_model::{
    AttributeId, Value, ValueType,
    usecases::{AttributeOf, AttributeSettings, AttributeType, Domain, Feature, Settings},
};
use toml::de::DeValue;

use super::{
    lints::LINTS,
    names::Lexicon,
    sources::{Context, Reader},
};
use crate::{
    Span,
    diagnostic::{Diagnostic, closest},
    testing::table::{self, Section, Word, span},
    values,
};

/// Settings whose names are not looked up yet.
pub(super) struct Raw {
    names: Vec<(String, Word)>,
    period: Option<u64>,
    unit_ns: Option<u64>,
    observable: Option<Vec<Word>>,
    attributes: Vec<RawAttribute>,
    lints_off: Vec<String>,
}

struct RawAttribute {
    name: Word,
    range: Option<([(String, Span); 2], Span)>,
    preferred: Vec<(String, Span)>,
    scale: Option<u64>,
    scale_span: Span,
}

/// Reads the file, and turns lints off.
pub(super) fn parse(reader: &mut Reader, context: &mut Context) -> Option<Raw> {
    let (file, diagnostics) = (&reader.file, &mut reader.diagnostics);
    let top = table::parse(file, diagnostics)?;
    let known = ["period", "time-unit", "observable", "names", "attributes", "lints"];
    let top = Section::top(file, top.get_ref(), &known, diagnostics);
    let lints = top.section("lints", &["off"], diagnostics);
    let mut lints_off = Vec::new();
    for word in lints.texts("off", diagnostics) {
        match LINTS.iter().find(|lint| lint.name.eq_ignore_ascii_case(&word.text)) {
            Some(lint) => lints_off.push(lint.name.to_owned()),
            None => {
                let names = LINTS.iter().map(|lint| lint.name);
                let help = match closest(&word.text, names.clone()) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => format!("lints: {}", names.collect::<Vec<_>>().join(", ")),
                };
                let message = format!("there is no lint `{}`", word.text);
                let wrong = Diagnostic::error("usecases::lint", word.span, message);
                diagnostics.push(wrong.help(help));
            }
        }
    }
    context.off.clone_from(&lints_off);
    let mut names = Vec::new();
    for (key, value) in top.entries("names", diagnostics) {
        let DeValue::String(meant) = value.get_ref() else {
            let message = format!("a name must be in quotes, not {}", table::kind(value.get_ref()));
            diagnostics.push(Diagnostic::error("toml::type", span(value), message));
            continue;
        };
        let meant = Word { text: meant.to_string(), span: span(value), verbatim: false };
        names.push((key.get_ref().to_string(), meant));
    }
    let observable =
        top.value("observable").is_some().then(|| top.texts("observable", diagnostics));
    let mut attributes = Vec::new();
    for (key, value) in top.entries("attributes", diagnostics) {
        let name = Word { text: key.get_ref().to_string(), span: span(key), verbatim: false };
        let DeValue::Table(table) = value.get_ref() else {
            let help = format!("write `[attributes.\"{}\"]` and its keys below", name.text);
            let message =
                format!("`{}` must be a table, not {}", name.text, table::kind(value.get_ref()));
            diagnostics.push(Diagnostic::error("toml::type", span(value), message).help(help));
            continue;
        };
        let known = ["range", "preferred", "scale"];
        let section = Section::of("attributes", file, table, name.span, &known, diagnostics);
        let mut raw = RawAttribute {
            scale: section.number("scale", 1, 1_000_000, diagnostics),
            scale_span: section.key("scale").unwrap_or(name.span),
            name,
            range: None,
            preferred: Vec::new(),
        };
        if let Some(value) = section.value("range") {
            let items = match value.get_ref() {
                DeValue::Array(items) => items
                    .iter()
                    .filter_map(|it| written(it.get_ref()).map(|text| (text, span(it))))
                    .collect(),
                _ => Vec::new(),
            };
            match <[_; 2]>::try_from(items) {
                Ok(both) => raw.range = Some((both, span(value))),
                Err(_) => {
                    let help = "write `range = [-40, 120]`";
                    let message = "`range` has a least and a greatest value";
                    let wrong = Diagnostic::error("usecases::range", span(value), message);
                    diagnostics.push(wrong.help(help));
                }
            }
        }
        if let Some(value) = section.value("preferred") {
            match value.get_ref() {
                DeValue::Array(items) => raw
                    .preferred
                    .extend(items.iter().filter_map(|it| Some((written(it.get_ref())?, span(it))))),
                other => raw.preferred.extend(written(other).map(|text| (text, span(value)))),
            }
        }
        attributes.push(raw);
    }
    let period = top.number("period", 1, 1 << 31, diagnostics);
    let unit_ns = top.duration("time-unit", 1, diagnostics);
    Some(Raw { names, period, unit_ns, observable, attributes, lints_off })
}

/// A value as a text that [`values::read`] takes.
fn written(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix())
            .ok()
            .map(|number| number.to_string()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(it) => Some(it.to_string()),
        _ => None,
    }
}

/// Looks names up.
pub(super) fn resolve(
    reader: &mut Reader,
    context: &Context,
    raw: Raw,
    (lexicon, domain): (&mut Lexicon, &Domain),
) -> Settings {
    let mut settings = Settings {
        period: raw.period,
        unit_ns: raw.unit_ns,
        lints_off: raw.lints_off,
        ..Settings::default()
    };
    for (said, meant) in raw.names {
        if !lexicon.knows(&meant.text) {
            let message = format!("the domain model has nothing called `{}`", meant.text);
            let help = context.hints.help(&meant.text, lexicon.class_names());
            let wrong = Diagnostic::error("usecases::name", meant.span, message);
            reader.diagnostics.push(wrong.maybe_help(help));
            continue;
        }
        lexicon.correct(&said, &meant.text);
        settings.names.insert(said, meant.text);
    }
    let attribute = |reader: &mut Reader, word: &Word| {
        let found = find(lexicon, &word.text);
        let is_told = word.text.split_once('.').is_some_and(|(class, name)| {
            let class = lexicon.class(class.trim());
            class.is_some_and(|it| lexicon.is_wrong(it, name.trim()))
        });
        if found.is_none() && !is_told {
            let names = domain.attributes.iter();
            let names: Vec<String> =
                names.map(|it| format!("{}.{}", domain.classes[it.class].name, it.name)).collect();
            let help = context.hints.help(&word.text, names.iter().map(String::as_str));
            let help = help.unwrap_or_else(|| "write `Class.attribute`".to_owned());
            let message = format!("the domain model has no attribute `{}`", word.text);
            let wrong = Diagnostic::error("usecases::attribute", word.span, message);
            reader.diagnostics.push(wrong.help(help));
        }
        found
    };
    if let Some(words) = raw.observable {
        let ids = words.iter().filter_map(|word| attribute(reader, word)).collect();
        settings.observable = Some(ids);
    }
    let mut attributes = BTreeMap::new();
    for raw in raw.attributes {
        let Some(id) = attribute(reader, &raw.name) else { continue };
        attributes.insert(id, about(reader, &raw, domain, id.attribute));
    }
    settings.attributes = attributes;
    settings
}

/// The attribute `Class.attribute`.
fn find(lexicon: &Lexicon, text: &str) -> Option<AttributeOf> {
    let (class, name) = text.split_once('.')?;
    let class = lexicon.class(class.trim())?;
    match lexicon.feature(class, name.trim())? {
        Feature::Attribute(attribute) => Some(AttributeOf { class, attribute }),
        Feature::End(_) => None,
    }
}

/// What is said of an attribute, as values of its type.
fn about(
    reader: &mut Reader,
    raw: &RawAttribute,
    domain: &Domain,
    id: AttributeId,
) -> AttributeSettings {
    let ty = match domain.attributes[id].ty {
        AttributeType::Boolean => ValueType::Bool,
        AttributeType::Integer => ValueType::INT,
        AttributeType::Real => ValueType::Real,
        AttributeType::Enumeration(id) => ValueType::Enum(domain.enumerations[id].values.clone()),
    };
    let mut value = |(text, span): &(String, Span)| -> Option<Value> {
        let value = values::read(&ty, text);
        if value.is_none() {
            let message = format!("`{text}` is no value of `{}`", raw.name.text);
            let help = match &ty {
                ValueType::Enum(names) => format!("values: {}", names.join(", ")),
                ValueType::Bool => "true or false".to_owned(),
                ValueType::Int { .. } => "a whole number".to_owned(),
                ValueType::Real => "a number".to_owned(),
            };
            let wrong = Diagnostic::error("usecases::value", *span, message).help(help);
            reader.diagnostics.push(wrong);
        }
        value
    };
    let preferred = raw.preferred.iter().filter_map(&mut value).collect();
    let mut range = None;
    if let Some((both, place)) = &raw.range {
        let [least, greatest] = [&both[0], &both[1]].map(&mut value);
        if let (Some(least), Some(greatest)) = (least, greatest) {
            let is_number = matches!(ty, ValueType::Int { .. } | ValueType::Real);
            if !is_number || least > greatest {
                let message = match is_number {
                    true => "the least value is greater than the greatest",
                    false => "only numbers have a range",
                };
                reader.diagnostics.push(Diagnostic::error("usecases::range", *place, message));
            } else {
                range = Some((least, greatest));
            }
        }
    }
    let scale = raw.scale.map(|scale| scale as u32);
    if scale.is_some() && ty != ValueType::Real {
        let message = format!("`{}` is not Real", raw.name.text);
        let help = "a scale is for real numbers that are kept as whole ones";
        let wrong = Diagnostic::error("usecases::scale", raw.scale_span, message).help(help);
        reader.diagnostics.push(wrong);
    }
    AttributeSettings { range, preferred, scale }
}
