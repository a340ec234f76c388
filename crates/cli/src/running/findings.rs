//! What is worth telling about tests that ran.

use std::fmt::Write as _;

use punctual_model::{
    VarId,
    lustre::{Program, Value},
};
use punctual_semantics::lustre::Failure;
use serde::Serialize;

use super::reason;

/// A step of a test, both from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Place {
    test: usize,
    step: usize,
}

/// How often something happened, and where first.
#[derive(Clone, Debug, Default, Serialize)]
struct Count {
    steps: usize,
    first: Option<Place>,
}

impl Count {
    fn add(&mut self, at: Place) {
        self.steps += 1;
        self.first.get_or_insert(at);
    }
}

#[derive(Clone, Debug, Serialize)]
struct Property {
    name: String,
    violated: Count,
}

#[derive(Clone, Debug, Serialize)]
struct Difference {
    variable: String,
    differs: Count,
    expected: String,
    got: String,
}

#[derive(Clone, Debug, Serialize)]
struct Stuck {
    #[serde(flatten)]
    at: Place,
    reason: String,
}

/// All that was found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Findings {
    tests: usize,
    steps: usize,
    properties: Vec<Property>,
    /// Steps in which an assertion does not hold.
    unassumed: Count,
    /// Outputs that are not as the table says.
    differences: Vec<Difference>,
    /// Steps without a result; they end their tests.
    failures: Vec<Stuck>,
    #[serde(skip)]
    at: Option<Place>,
}

impl Findings {
    pub(super) fn new(program: &Program) -> Findings {
        let property =
            |(name, _): &(String, _)| Property { name: name.clone(), violated: Count::default() };
        Findings {
            tests: 0,
            steps: 0,
            properties: program.properties.iter().map(property).collect(),
            unassumed: Count::default(),
            differences: Vec::new(),
            failures: Vec::new(),
            at: None,
        }
    }

    pub(super) fn begin(&mut self) {
        self.at = Some(Place { test: self.tests, step: 0 });
        self.tests += 1;
    }

    pub(super) fn stepped(&mut self) {
        self.steps += 1;
        if let Some(at) = &mut self.at {
            at.step += 1;
        }
    }

    fn here(&self) -> Place {
        self.at.unwrap_or(Place { test: 0, step: 0 })
    }

    pub(super) fn violated(&mut self, property: usize) {
        let at = self.here();
        self.properties[property].violated.add(at);
    }

    pub(super) fn unassumed(&mut self) {
        let at = self.here();
        self.unassumed.add(at);
    }

    pub(super) fn failed(&mut self, program: &Program, failure: Failure, variable: Option<VarId>) {
        let reason = reason(program, failure, variable);
        self.failures.push(Stuck { at: self.here(), reason });
    }

    pub(super) fn differs(&mut self, program: &Program, var: VarId, expected: Value, got: Value) {
        let (at, name) = (self.here(), &program.vars[var].name);
        let known = self.differences.iter_mut().find(|it| it.variable == *name);
        if let Some(known) = known {
            return known.differs.add(at);
        }
        let mut differs = Count::default();
        differs.add(at);
        let (expected, got) = (expected.to_string(), got.to_string());
        self.differences.push(Difference { variable: name.clone(), differs, expected, got });
    }

    /// How many steps were taken.
    pub(crate) fn n_steps(&self) -> usize {
        self.steps
    }

    /// Whether all is as it should be. Where inputs are random, those that break an assertion are
    /// nobody's fault.
    pub(crate) fn is_well(&self, is_random: bool) -> bool {
        let hold = self.properties.iter().all(|it| it.violated.steps == 0);
        let assumed = is_random || self.unassumed.steps == 0;
        hold && assumed && self.differences.is_empty() && self.failures.is_empty()
    }

    pub(crate) fn text(&self, is_random: bool, seconds: f64) -> String {
        let mut out = String::new();
        let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let place = |at: &Option<Place>| {
            at.map_or(String::new(), |at| format!("test {}, step {}", at.test, at.step))
        };
        let speed = match seconds > 0.0 {
            true => format!(" ({:.0} steps/s)", self.steps as f64 / seconds),
            false => String::new(),
        };
        let (tests, steps) = (plural(self.tests, "test"), plural(self.steps, "step"));
        let _ = writeln!(out, "{tests}, {steps}{speed}");
        for Property { name, violated } in &self.properties {
            let _ = match violated.steps {
                0 => writeln!(out, "holds     {name}"),
                n => {
                    let (n, first) = (plural(n, "step"), place(&violated.first));
                    writeln!(out, "VIOLATED  {name}: {n}, first in {first}")
                }
            };
        }
        if self.unassumed.steps > 0 {
            let (n, first) = (plural(self.unassumed.steps, "step"), place(&self.unassumed.first));
            let _ = match is_random {
                true => writeln!(out, "cut       {n} that break an assertion end their tests"),
                false => writeln!(out, "ASSERTION broken in {n}, first in {first}"),
            };
        }
        for Difference { variable, differs, expected, got } in &self.differences {
            let (n, first) = (plural(differs.steps, "step"), place(&differs.first));
            let what = format!("{expected} expected, {got} computed");
            let _ = writeln!(out, "DIFFERS   {variable}: {n}, first in {first}: {what}");
        }
        for Stuck { at, reason } in self.failures.iter().take(SHOWN_MAX) {
            let at = place(&Some(*at));
            let _ = writeln!(out, "FAILED    {at}: {reason}");
        }
        if self.failures.len() > SHOWN_MAX {
            let _ = writeln!(out, "… and {} more", self.failures.len() - SHOWN_MAX);
        }
        out
    }
}

/// More failures than this are counted, not shown.
const SHOWN_MAX: usize = 10;
