//! Suites as CSV: a row for each step, and the matrix of requirements.

use std::collections::BTreeMap;

use punctual_model::testing::suite::{Body, Do, Suite};
use serde_json::{Map, Value as Json};

use super::{
    script::{Script, What},
    text::text,
};
use crate::suite::write::cell;

/// A row for each step.
pub(super) fn steps(script: &Script) -> String {
    let mut out =
        "case,at_ns,do,name,values,expected,allowed,from_ns,to_ns,requirement\n".to_owned();
    for case in &script.cases {
        for step in &case.steps {
            let mut row = Row { case: &case.name, at_ns: step.at_ns, ..Row::default() };
            match &step.what {
                What::Input { name, values } => {
                    (row.what, row.name, row.values) = ("input", name, joined(values));
                }
                What::Check { ports, expected, allowed, requirement, .. } => {
                    row.what = "check";
                    row.values = ports.join(" ");
                    row.expected = pairs(expected);
                    row.allowed = allowed.iter().map(pairs).collect::<Vec<_>>().join(" | ");
                    row.requirement = requirement.as_deref().unwrap_or_default();
                }
                What::Output { name, values, from_ns, to_ns, requirement, .. } => {
                    (row.what, row.name, row.values) = ("output", name, joined(values));
                    row.window = Some((*from_ns, *to_ns));
                    row.requirement = requirement.as_deref().unwrap_or_default();
                }
                What::Step { inputs, outputs, .. } => {
                    row.what = "step";
                    (row.values, row.expected) = (pairs(inputs), pairs(outputs));
                }
            }
            out += &row.line();
        }
        let end = Row { case: &case.name, at_ns: case.end_ns, what: "end", ..Row::default() };
        out += &end.line();
    }
    out
}

#[derive(Default)]
struct Row<'r> {
    case: &'r str,
    at_ns: u64,
    what: &'r str,
    name: &'r str,
    values: String,
    expected: String,
    allowed: String,
    window: Option<(u64, u64)>,
    requirement: &'r str,
}

impl Row<'_> {
    fn line(&self) -> String {
        let (from, to) = self.window.unzip();
        let instant = |it: Option<u64>| it.map_or(String::new(), |ns| ns.to_string());
        let cells = [
            field(self.case),
            self.at_ns.to_string(),
            self.what.to_owned(),
            field(self.name),
            field(&self.values),
            field(&self.expected),
            field(&self.allowed),
            instant(from),
            instant(to),
            field(self.requirement),
        ];
        cells.join(",") + "\n"
    }
}

/// A cell; nothing if it is empty.
fn field(text: &str) -> String {
    if text.is_empty() { String::new() } else { cell(text) }
}

fn joined(values: &[Json]) -> String {
    values.iter().map(text).collect::<Vec<_>>().join(" ")
}

fn pairs(map: &Map<String, Json>) -> String {
    let pairs = map.iter().map(|(name, value)| format!("{name}={}", text(value)));
    pairs.collect::<Vec<_>>().join(" ")
}

/// Which requirement is checked where, as CSV: a row for each check and each output that is expected, with its
/// case, its number there and its instant. Requirements are sorted; what names none comes last.
#[must_use]
pub fn matrix(suite: &Suite) -> String {
    let mut rows: BTreeMap<(bool, &str), Vec<String>> = BTreeMap::new();
    for case in &suite.cases {
        let Body::Timed(parts) = &case.body else { continue };
        let (mut now_ns, mut n_checks, mut n_outputs) = (0u64, 0, 0);
        for part in parts {
            let (check, requirement) = match part {
                Do::Send(_) => continue,
                Do::Wait(ns) => {
                    now_ns = now_ns.saturating_add(*ns);
                    continue;
                }
                Do::Check(check) => {
                    n_checks += 1;
                    (format!("check {}", n_checks - 1), &check.requirement)
                }
                Do::Expect(expect) => {
                    n_outputs += 1;
                    (format!("output {}", n_outputs - 1), &expect.requirement)
                }
            };
            let name = requirement.as_deref().unwrap_or_default();
            let row = format!("{},{},{check},{now_ns}\n", field(name), field(&case.name));
            rows.entry((name.is_empty(), name)).or_default().push(row);
        }
    }
    let rows: String = rows.into_values().flatten().collect();
    format!("requirement,case,check,at_ns\n{rows}")
}
