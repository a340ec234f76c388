//! The configuration of `punctual steer`.

use punctual_model::lustre::Rational;
use toml::{Spanned, de::DeValue};

use super::{
    Align, Config, LookAhead, Metric, Most, Named, Policy, Prices, SteeredSteps, Window,
    numbers::{number, range},
};
use crate::{
    SourceFile,
    diagnostic::{Diagnostic, Diagnostics},
    testing::{
        self, Steps,
        table::{Section, Word, kind, parse, span},
    },
};

pub(crate) const KEYS: [&str; 19] = [
    "model",
    "main",
    "tests",
    "traces",
    "labels",
    "tolerances",
    "tolerance",
    "filter",
    "steer",
    "compare",
    "within",
    "align",
    "metric",
    "policy",
    "look-ahead",
    "reals",
    "timeout-ms",
    "limits",
    "seed",
];
const METRIC: [&str; 3] = ["kind", "range", "weight"];
const POLICY: [&str; 11] = [
    "exact-only",
    "steady",
    "held",
    "steered-steps",
    "total-cost",
    "after-failure",
    "step",
    "unit",
    "fixed",
    "renewal",
    "expected",
];
const ALIGN: [&str; 5] = ["time", "tests", "within", "lost", "extra"];
const LIMITS: [&str; 4] = ["candidates", "enumerate", "steps", "alternatives"];

/// A test with more steps than this can not be looked through anyway.
const STEPS_MAX: u64 = 1_000_000;
/// The longest that a solver may take for one question: a day.
const TIMEOUT_MS_MAX: u64 = 86_400_000;

/// Reads the file.
pub(super) fn read(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Config> {
    let table = parse(file, diagnostics)?;
    match table.get_ref().iter().any(|(key, _)| key.get_ref() == "steering") {
        true => {
            let top = Section::top(file, table.get_ref(), &testing::SECTIONS, diagnostics);
            let steps = testing::steps(&top, None, diagnostics);
            let section = top.section("steering", &KEYS, diagnostics);
            of(&section, steps.as_ref(), diagnostics)
        }
        false => of(&Section::top(file, table.get_ref(), &KEYS, diagnostics), None, diagnostics),
    }
}

/// Reads a table. The model is that of the steps if it does not say.
pub(crate) fn of(
    top: &Section<'_>,
    steps: Option<&Steps>,
    diagnostics: &mut Diagnostics,
) -> Option<Config> {
    let own = file_name(top, "model", diagnostics);
    let model = own.clone().or_else(|| steps.map(|steps| steps.model.clone()));
    if model.is_none() && top.key("model").is_none() {
        let message = "`model` is missing";
        let help = "the Lustre file of the model, such as `model = \"pump.lus\"`";
        diagnostics.push(Diagnostic::error("toml::missing", top.span, message).help(help));
    }
    let main = top.text("main", diagnostics).map(named);
    // The node of another model would be another one.
    let main = main.or_else(|| steps.filter(|_| own.is_none()).and_then(|it| it.main.clone()));
    let limits = top.section("limits", &LIMITS, diagnostics);
    let reals = [("exact", false), ("float", true)];
    Some(Config {
        main,
        tests: file_name(top, "tests", diagnostics),
        traces: traces(top, diagnostics),
        labels: file_name(top, "labels", diagnostics),
        tolerances: file_name(top, "tolerances", diagnostics),
        filter: file_name(top, "filter", diagnostics),
        windows: windows(top, diagnostics),
        steer: names(top, "steer", diagnostics),
        compare: names(top, "compare", diagnostics),
        within: prices(top, "within", diagnostics),
        align: align(top, diagnostics),
        metric: metric(top, diagnostics),
        policy: policy(top, diagnostics),
        look_ahead: look_ahead(top, diagnostics),
        float: top.choice("reals", &reals, diagnostics).unwrap_or(false),
        timeout_ms: top.number("timeout-ms", 1, TIMEOUT_MS_MAX, diagnostics),
        candidates: limits.number("candidates", 1, 1_000_000, diagnostics),
        enumerate: limits.number("enumerate", 1, 100_000_000, diagnostics),
        steps: limits.number("steps", 1, 1_000_000_000, diagnostics),
        alternatives: limits.number("alternatives", 1, 1_000, diagnostics),
        seed: top.number("seed", 0, u64::MAX, diagnostics),
        model: model?,
    })
}

pub(crate) fn named(word: Word) -> Named {
    Named { text: word.text, span: word.span }
}

pub(crate) fn file_name(
    top: &Section<'_>,
    key: &'static str,
    diagnostics: &mut Diagnostics,
) -> Option<Named> {
    let word = top.text(key, diagnostics)?;
    if word.text.trim().is_empty() {
        let message = format!("`{key}` must name a file");
        diagnostics.push(Diagnostic::error("toml::path", word.span, message));
        return None;
    }
    Some(named(word))
}

/// A file, or several.
fn traces(top: &Section<'_>, diagnostics: &mut Diagnostics) -> Vec<Named> {
    match top.value("traces").map(Spanned::get_ref) {
        Some(DeValue::String(_)) => file_name(top, "traces", diagnostics).into_iter().collect(),
        _ => top.texts("traces", diagnostics).into_iter().map(named).collect(),
    }
}

fn names(top: &Section<'_>, key: &str, diagnostics: &mut Diagnostics) -> Option<Vec<Named>> {
    top.key(key)?;
    Some(top.texts(key, diagnostics).into_iter().map(named).collect())
}

fn windows(top: &Section<'_>, diagnostics: &mut Diagnostics) -> Vec<(Named, Window)> {
    let mut windows = Vec::new();
    for (key, value) in top.entries("tolerance", diagnostics) {
        let name = Named { text: key.get_ref().to_string(), span: span(key) };
        let window = match value.get_ref() {
            DeValue::String(text) if text == "free" => Some(Window::Free),
            DeValue::String(text) if text == "locked" => Some(Window::Locked),
            DeValue::Array(_) => {
                range(&name.text, value, diagnostics).map(|(low, high)| Window::Between(low, high))
            }
            other => {
                let message = format!(
                    "the tolerance of `{}` must be a range, `\"free\"` or `\"locked\"`, not {}",
                    name.text,
                    kind(other)
                );
                let help = format!("write `{} = [-1, 2]`", name.text);
                let error = Diagnostic::error("toml::window", span(value), message);
                diagnostics.push(error.help(help));
                None
            }
        };
        windows.extend(window.map(|window| (name, window)));
    }
    windows
}

/// How samples are tied to steps; none if there is one for each.
fn align(top: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<Align> {
    top.key("align")?;
    let section = top.section("align", &ALIGN, diagnostics);
    let time = section.text("time", diagnostics).map(named);
    if time.is_none() && section.key("time").is_none() {
        let message = "`time` of `[align]` is missing";
        let help = "the column of the traces that says when a sample was taken";
        diagnostics.push(Diagnostic::error("toml::missing", section.span, message).help(help));
    }
    let within = section.value("within");
    Some(Align {
        tests: section.text("tests", diagnostics).map(named),
        within: within
            .and_then(|it| number("within", it, Some(0), diagnostics))
            .unwrap_or_default(),
        lost: section.number("lost", 0, STEPS_MAX, diagnostics).unwrap_or(0),
        extra: section.number("extra", 0, STEPS_MAX, diagnostics).unwrap_or(0),
        time: time?,
    })
}

fn metric(top: &Section<'_>, diagnostics: &mut Diagnostics) -> Metric {
    let section = top.section("metric", &METRIC, diagnostics);
    let kinds = [("manhattan", false), ("squared-euclidean", true)];
    let mut metric = Metric {
        squared: section.choice("kind", &kinds, diagnostics).unwrap_or(false),
        ..Metric::default()
    };
    for (key, value) in section.entries("range", diagnostics) {
        let name = Named { text: key.get_ref().to_string(), span: span(key) };
        if let Some((low, high)) = range(&name.text, value, diagnostics) {
            if low == high {
                let message = format!("the range of `{}` is empty", name.text);
                diagnostics.push(Diagnostic::error("toml::range", span(value), message));
                continue;
            }
            metric.ranges.push((name, (low, high)));
        }
    }
    for (key, value) in section.entries("weight", diagnostics) {
        let name = Named { text: key.get_ref().to_string(), span: span(key) };
        let Some(weight) = number(&name.text, value, None, diagnostics) else { continue };
        if weight <= Rational::from_integer(0) {
            // A difference that weighs nothing would count as equal.
            let message = format!("the weight of `{}` must be positive", name.text);
            let help = "leave it out of `compare` if it does not matter";
            diagnostics.push(Diagnostic::error("toml::range", span(value), message).help(help));
            continue;
        }
        metric.weights.push((name, weight));
    }
    metric
}

fn policy(top: &Section<'_>, diagnostics: &mut Diagnostics) -> Policy {
    let section = top.section("policy", &POLICY, diagnostics);
    let after = [("stop", false), ("continue", true)];
    let mut amount = |key: &str| {
        let value = section.value(key)?;
        number(key, value, Some(0), diagnostics)
    };
    let (total_cost, step) = (amount("total-cost"), amount("step"));
    Policy {
        exact_only: section.truth("exact-only", diagnostics).unwrap_or(false),
        steady: section.truth("steady", diagnostics).unwrap_or(false),
        held: section.truth("held", diagnostics),
        steered_steps: steered_steps(&section, diagnostics),
        total_cost,
        goes_on: section.choice("after-failure", &after, diagnostics).unwrap_or(false),
        step,
        unit: prices(&section, "unit", diagnostics),
        fixed: prices(&section, "fixed", diagnostics),
        renewal: prices(&section, "renewal", diagnostics),
        expected: expected(&section, diagnostics),
    }
}

/// A number of steps for all variables together, or a table with one for each; `*` stands for the others.
fn steered_steps(section: &Section<'_>, diagnostics: &mut Diagnostics) -> SteeredSteps {
    let mut steps = SteeredSteps::default();
    let Some(value) = section.value("steered-steps") else { return steps };
    if !matches!(value.get_ref(), DeValue::Table(_)) {
        steps.together = most("steered-steps", value, diagnostics);
        return steps;
    }
    for (name, value) in section.entries("steered-steps", diagnostics) {
        let name = Named { text: name.get_ref().to_string(), span: span(name) };
        let most = most(&name.text, value, diagnostics);
        match name.text.as_str() {
            "*" => steps.others = most,
            _ => steps.named.extend(most.map(|most| (name, most))),
        }
    }
    steps
}

fn most(key: &str, value: &Spanned<DeValue<'_>>, diagnostics: &mut Diagnostics) -> Option<Most> {
    let steps = match value.get_ref() {
        DeValue::String(text) if text == "all" => return Some(Most::All),
        DeValue::Integer(it) => u64::from_str_radix(it.as_str(), it.radix()).ok(),
        _ => None,
    };
    let steps = steps.filter(|steps| *steps <= STEPS_MAX).map(Most::Steps);
    if steps.is_none() {
        let message = format!("`{key}` must be a number of steps up to {STEPS_MAX}, or `\"all\"`");
        diagnostics.push(Diagnostic::error("toml::range", span(value), message));
    }
    steps
}

/// How often a right system is explained by a change, for each variable, as a probability.
fn expected(section: &Section<'_>, diagnostics: &mut Diagnostics) -> Prices {
    let mut expected = prices(section, "expected", diagnostics);
    let is_one = |it: &Rational| *it <= Rational::from_integer(1);
    let named = expected.named.iter().all(|(_, it)| is_one(it));
    if let (Some(value), false) =
        (section.value("expected"), named && expected.others.iter().all(is_one))
    {
        let message = "`expected` has probabilities, from 0 to 1";
        diagnostics.push(Diagnostic::error("toml::range", span(value), message));
        expected = Prices::default();
    }
    expected
}

/// A price for all, or a table with prices for some; `*` stands for the others.
fn prices(section: &Section<'_>, key: &str, diagnostics: &mut Diagnostics) -> Prices {
    let mut prices = Prices::default();
    let Some(value) = section.value(key) else { return prices };
    if !matches!(value.get_ref(), DeValue::Table(_)) {
        prices.others = number(key, value, Some(0), diagnostics);
        return prices;
    }
    for (name, value) in section.entries(key, diagnostics) {
        let name = Named { text: name.get_ref().to_string(), span: span(name) };
        let price = number(&name.text, value, Some(0), diagnostics);
        match name.text.as_str() {
            "*" => prices.others = price,
            _ => prices.named.extend(price.map(|price| (name, price))),
        }
    }
    prices
}

fn look_ahead(top: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<LookAhead> {
    let value = top.value("look-ahead")?;
    match value.get_ref() {
        DeValue::String(text) if text == "all" => Some(LookAhead::All),
        DeValue::Integer(_) => {
            top.number("look-ahead", 0, STEPS_MAX, diagnostics).map(LookAhead::Steps)
        }
        _ => {
            let message = "`look-ahead` must be a number of steps, or `\"all\"`";
            diagnostics.push(Diagnostic::error("toml::type", span(value), message));
            None
        }
    }
}
