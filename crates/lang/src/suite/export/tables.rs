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
                What::Input { name, values, .. } => {
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

/// The checks of a case that are about one requirement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checks<'s> {
    /// The requirement; empty if they name none.
    pub requirement: &'s str,
    /// The name of the case.
    pub case: &'s str,
    /// The checks, in the order of the case.
    pub checks: Vec<Checked>,
}

/// A check of a case, or an output that is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// What it is: `check` or `output`.
    pub kind: &'static str,
    /// Its number among those of its kind in the case, from 0.
    pub number: usize,
    /// The instant of the case at which it stands.
    pub at_ns: u64,
    /// The last instant of the case at which an output may be sent; none for a check.
    pub to_ns: Option<u64>,
}

/// Which requirement is checked where. Requirements are sorted; what names none comes last. Cases are in the
/// order of the suite.
#[must_use]
pub fn checks(suite: &Suite) -> Vec<Checks<'_>> {
    let mut found: BTreeMap<(bool, &str, usize), Checks<'_>> = BTreeMap::new();
    for (at, case) in suite.cases.iter().enumerate() {
        let Body::Timed(parts) = &case.body else { continue };
        let (mut now_ns, mut n_checks, mut n_outputs) = (0u64, 0, 0);
        for part in parts {
            let (kind, count, requirement, to_ns) = match part {
                Do::Send(_) => continue,
                Do::Wait(ns) => {
                    now_ns = now_ns.saturating_add(*ns);
                    continue;
                }
                Do::Check(check) => ("check", &mut n_checks, &check.requirement, None),
                Do::Expect(expect) => {
                    let to_ns = now_ns.saturating_add(expect.to_ns);
                    ("output", &mut n_outputs, &expect.requirement, Some(to_ns))
                }
            };
            let checked = Checked { kind, number: *count, at_ns: now_ns, to_ns };
            *count += 1;
            let requirement = requirement.as_deref().unwrap_or_default();
            let none = || Checks { requirement, case: &case.name, checks: Vec::new() };
            let key = (requirement.is_empty(), requirement, at);
            found.entry(key).or_insert_with(none).checks.push(checked);
        }
    }
    found.into_values().collect()
}

/// Which requirement is checked where, as CSV: a row for each check and each output that is expected, with its
/// case, its number there and its instant. Requirements are sorted; what names none comes last.
#[must_use]
pub fn matrix(suite: &Suite) -> String {
    let mut out = "requirement,case,check,at_ns\n".to_owned();
    for Checks { requirement, case, checks } in checks(suite) {
        for Checked { kind, number, at_ns, .. } in checks {
            let (requirement, case) = (field(requirement), field(case));
            out += &format!("{requirement},{case},{kind} {number},{at_ns}\n");
        }
    }
    out
}
