//! Delays: `"120ms"`, `{ mean = "120ms", deviation = "25ms" }`, `{ least = "1ms", greatest = "3ms" }`, `{ samples = ["1ms", "2ms"] }`; or a list of these, one for each variable outside.

use punctual_model::testing::platform::Delay;
use toml::{Spanned, de::DeValue};

use crate::{
    SourceFile,
    diagnostic::{Diagnostic, Diagnostics},
    testing::{
        table::{Section, kind, span},
        units,
    },
};

const HELP: &str = "a delay is a duration, or a table with `mean` and `deviation`, with `least` and `greatest`, or with `samples`";

/// One delay, or a list of some.
pub(super) fn read_all(
    name: &'static str,
    file: &SourceFile,
    value: &Spanned<DeValue<'_>>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Delay>> {
    match value.get_ref() {
        // All errors are told.
        DeValue::Array(all) => {
            let all: Vec<Option<Delay>> =
                all.iter().map(|it| read(name, file, it, diagnostics)).collect();
            all.into_iter().collect()
        }
        _ => read(name, file, value, diagnostics).map(|it| vec![it]),
    }
}

pub(super) fn read(
    name: &'static str,
    file: &SourceFile,
    value: &Spanned<DeValue<'_>>,
    diagnostics: &mut Diagnostics,
) -> Option<Delay> {
    let place = span(value);
    let mut wrong = |message: String| {
        diagnostics.push(Diagnostic::error("platform::delay", place, message).help(HELP));
    };
    let table = match value.get_ref() {
        DeValue::String(text) => match units::duration(text) {
            Ok(ns) => return Some(Delay::Normal { mean: ns as f64, deviation: 0.0 }),
            Err(message) => {
                wrong(message);
                return None;
            }
        },
        DeValue::Table(table) => table,
        other => {
            wrong(format!("`{name}` must be a duration or a table, not {}", kind(other)));
            return None;
        }
    };
    let known = ["mean", "deviation", "least", "greatest", "samples"];
    let section = Section::of(name, file, table, place, &known, diagnostics);
    let has = |key: &str| section.key(key).is_some();
    let mut ns = |key: &str| section.duration(key, 0, diagnostics).map(|it| it as f64);
    match (has("mean"), has("least") || has("greatest"), has("samples")) {
        (true, false, false) => {
            let deviation = if has("deviation") { ns("deviation")? } else { 0.0 };
            Some(Delay::Normal { mean: ns("mean")?, deviation })
        }
        (false, true, false) if has("least") && has("greatest") && !has("deviation") => {
            let (least, greatest) = (ns("least")?, ns("greatest")?);
            if least > greatest {
                let message = "`least` is greater than `greatest`".to_owned();
                diagnostics.push(Diagnostic::error("platform::delay", place, message));
                return None;
            }
            Some(Delay::Uniform { least, greatest })
        }
        (false, false, true) if !has("deviation") => {
            let words = section.texts("samples", diagnostics);
            let mut samples = Vec::new();
            for word in &words {
                match units::duration(&word.text) {
                    Ok(ns) => samples.push(ns as f64),
                    Err(message) => {
                        diagnostics.push(Diagnostic::error("toml::duration", word.span, message));
                    }
                }
            }
            if words.is_empty() {
                let message = "`samples` is empty".to_owned();
                diagnostics.push(Diagnostic::error("platform::delay", place, message).help(HELP));
            }
            samples.sort_by(f64::total_cmp);
            (!samples.is_empty()).then_some(Delay::Samples(samples))
        }
        _ => {
            let n = ["mean", "least", "greatest", "samples"].iter().filter(|key| has(key)).count();
            let message = match n {
                0 | 1 => "it does not say how long".to_owned(),
                _ => "it says how long in two ways".to_owned(),
            };
            diagnostics.push(Diagnostic::error("platform::delay", place, message).help(HELP));
            None
        }
    }
}

/// A number of TOML.
pub(super) fn number(value: &Spanned<DeValue<'_>>) -> Option<f64> {
    text(value)?.parse().ok().filter(|it: &f64| it.is_finite())
}

/// A value of TOML as it is written, in ten digits; none if it is a list or a table.
pub(super) fn text(value: &Spanned<DeValue<'_>>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(it) => Some(it.to_string()),
        DeValue::Integer(it) if it.radix() == 10 => Some(it.as_str().to_owned()),
        DeValue::Float(it) => Some(it.as_str().to_owned()),
        DeValue::Boolean(it) => Some(it.to_string()),
        _ => None,
    }
}
