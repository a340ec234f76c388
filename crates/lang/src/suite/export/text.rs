//! Cases as lines of an abstract test: `Input`, `Wait`, `Check`.
//!
//! ```text
//! Input TemperatureSensor.value = 76
//! Input CarInfo(Driving, Buckled)
//! Wait 4800
//! Check TemperatureError.isQualified = true
//! ```
//! An input that the interface tells as assignments has a line for each of its values, as the first one here. What the tester sets up comes first. Waits are in time units of the model. A check has a line for each port; one that allows several things has one
//! line, `CheckAny x = 1, y = 2 | x = 3`. An output that should come is `Expect alarm from 30 to 34`, counted from
//! there. A step of a table is `Set x = 1` for each input, then `Step`, then a `Check` for each output.

use punctual_model::Rational;
use serde_json::{Map, Value as Json};

use super::script::{Script, ScriptCase, What};
use crate::values::real;

/// All cases, with their names.
pub(super) fn all(script: &Script) -> String {
    let mut out = String::new();
    for case in &script.cases {
        if !out.is_empty() {
            out.push('\n');
        }
        out += &format!("# {}\n", case.name.replace(['\n', '\r'], " "));
        for line in lines(case, script.unit_ns) {
            out += &line;
            out.push('\n');
        }
    }
    out
}

/// The lines of a case.
pub(super) fn lines(case: &ScriptCase, unit_ns: u64) -> Vec<String> {
    let units = |ns: u64| {
        let number = Rational::new(ns.into(), unit_ns.max(1).into());
        if number.is_integer() { number.to_string() } else { real(number) }
    };
    let mut lines: Vec<String> = pairs(&case.setup).map(|it| format!("Input {it}")).collect();
    let mut now_ns = 0;
    for step in &case.steps {
        if step.at_ns > now_ns {
            lines.push(format!("Wait {}", units(step.at_ns - now_ns)));
            now_ns = step.at_ns;
        }
        match &step.what {
            What::Input { name, values, names } => match names.is_empty() {
                true => lines.push(format!("Input {}", signal(name, values))),
                false => lines.extend(
                    names
                        .iter()
                        .zip(values)
                        .filter(|(name, _)| !name.is_empty())
                        .map(|(name, it)| format!("Input {name} = {}", text(it))),
                ),
            },
            What::Check { expected, allowed, .. } => match &allowed[..] {
                [only] if only == expected => {
                    lines.extend(pairs(expected).map(|it| format!("Check {it}")));
                }
                several => {
                    let texts = several.iter().map(|it| pairs(it).collect::<Vec<_>>().join(", "));
                    let texts: Vec<String> = texts.collect();
                    lines.push(format!("CheckAny {}", texts.join(" | ")));
                }
            },
            What::Output { name, values, from_ns, to_ns, .. } => {
                let (from, to) = (units(from_ns - step.at_ns), units(to_ns - step.at_ns));
                lines.push(format!("Expect {} from {from} to {to}", signal(name, values)));
            }
            What::Step { inputs, outputs, .. } => {
                lines.extend(pairs(inputs).map(|it| format!("Set {it}")));
                lines.push("Step".to_owned());
                lines.extend(pairs(outputs).map(|it| format!("Check {it}")));
            }
        }
    }
    if case.end_ns > now_ns {
        lines.push(format!("Wait {}", units(case.end_ns - now_ns)));
    }
    lines
}

/// `open`, `level = 3` or `CarInfo(Driving, Buckled)`.
fn signal(name: &str, values: &[Json]) -> String {
    match values {
        [] => name.to_owned(),
        [value] => format!("{name} = {}", text(value)),
        values => {
            let values: Vec<String> = values.iter().map(text).collect();
            format!("{name}({})", values.join(", "))
        }
    }
}

fn pairs(map: &Map<String, Json>) -> impl Iterator<Item = String> + '_ {
    map.iter().map(|(name, value)| format!("{name} = {}", text(value)))
}

/// A value without quotes.
pub(super) fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
