//! A suite as those see it who run it elsewhere: each step at its instant.

use punctual_model::{
    Action, Carried, Interface, PortId, PortRole, Value,
    testing::suite::{Body, Case, Check, Do, Expect, Suite, Table},
};
use rustc_hash::FxHashSet;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::values::to_json;

/// A suite.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Script {
    /// The file of the model, as the suite names it.
    pub model: Option<String>,
    /// The file of the interface, as the suite names it.
    pub interface: Option<String>,
    /// How long a time unit of the model takes, in nanoseconds.
    pub unit_ns: u64,
    /// The cases, in order.
    pub cases: Vec<ScriptCase>,
}

/// A case.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ScriptCase {
    /// Its name, for people.
    pub name: String,
    /// Its name as an identifier of any language, which no other case has.
    pub id: String,
    /// The path through the model that it exercises.
    pub path: Vec<String>,
    /// The locations that the path ends in.
    pub ends: Vec<String>,
    /// Whether the model allows something else than what is expected.
    pub uncertain: bool,
    /// What the tester sets up before the first step: for each name, the value that the case needs first.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub setup: Map<String, Json>,
    /// What is done, in order.
    pub steps: Vec<ScriptStep>,
    /// When it is over, in nanoseconds since its start; windows of outputs may close later.
    pub end_ns: u64,
}

/// A step of a case.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ScriptStep {
    /// When it is done, in nanoseconds since the start of the case.
    pub at_ns: u64,
    /// How long after the step before it, in nanoseconds.
    pub after_ns: u64,
    /// What is done.
    #[serde(flatten)]
    pub what: What,
}

/// What is done.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum What {
    /// An input is sent.
    Input {
        /// Its name.
        name: String,
        /// Its values.
        values: Vec<Json>,
        /// The names of its values, if it is told as assignments; empty otherwise. A value that is set up before, at the begin of the case or by an earlier input, has an empty name.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        names: Vec<String>,
    },
    /// Ports are read.
    Check {
        /// Its number among the checks of the case, from 0.
        number: usize,
        /// The ports that are read.
        ports: Vec<String>,
        /// What is expected; empty if anything is that is allowed.
        expected: Map<String, Json>,
        /// All that is not wrong.
        allowed: Vec<Map<String, Json>>,
        /// The requirement that it is about.
        requirement: Option<String>,
    },
    /// An output should come; what follows does not wait for it.
    Output {
        /// Its number among the outputs of the case, from 0.
        number: usize,
        /// Its name.
        name: String,
        /// Its values.
        values: Vec<Json>,
        /// The first instant at which it may be seen, in nanoseconds since the start of the case.
        from_ns: u64,
        /// The last instant at which it may be seen, in nanoseconds since the start of the case.
        to_ns: u64,
        /// The requirement that it is about.
        requirement: Option<String>,
    },
    /// A synchronous system takes a step.
    Step {
        /// Its number, from 0.
        number: usize,
        /// All inputs.
        inputs: Map<String, Json>,
        /// The outputs that are expected; empty if none are.
        outputs: Map<String, Json>,
    },
}

impl Script {
    /// A suite over an interface.
    #[must_use]
    pub fn of(interface: &Interface, suite: &Suite) -> Script {
        let mut cases: Vec<ScriptCase> = Vec::new();
        let mut ids: FxHashSet<String> = FxHashSet::default();
        for case in &suite.cases {
            let id = free(&identifier(&case.name), |id| ids.contains(id));
            ids.insert(id.clone());
            cases.push(scripted(interface, case, id));
        }
        Script {
            model: suite.model.clone(),
            interface: suite.interface.clone(),
            unit_ns: interface.time.unit_ns,
            cases,
        }
    }
}

/// Letters, digits and single underscores, without a digit first.
fn identifier(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let id = words.collect::<Vec<_>>().join("_").to_ascii_lowercase();
    match id.chars().next() {
        None => "case".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("case_{id}"),
        Some(_) => id,
    }
}

/// A name that is not taken.
fn free(id: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2u64..).map(|number| format!("{id}_{number}"));
    let mut names = std::iter::once(id.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_else(|| id.to_owned())
}

fn scripted(interface: &Interface, case: &Case, id: String) -> ScriptCase {
    let (mut steps, mut setup) = (Vec::new(), Map::new());
    let end_ns = match &case.body {
        Body::Timed(parts) => {
            setup = set_up(interface, parts);
            timed(interface, parts, &setup, &mut steps)
        }
        Body::Steps(table) => stepped(interface, table, &mut steps),
    };
    ScriptCase {
        name: case.name.clone(),
        id,
        path: case.about.path.clone(),
        ends: case.about.ends_in.clone(),
        uncertain: case.about.is_uncertain,
        setup,
        steps,
        end_ns,
    }
}

fn push(steps: &mut Vec<ScriptStep>, at_ns: u64, what: What) {
    let before_ns = steps.last().map_or(0, |step| step.at_ns);
    steps.push(ScriptStep { at_ns, after_ns: at_ns - before_ns, what });
}

/// What is set up before a case begins. A rig that is reset between two inputs would forget the first one, so the set-up of all inputs comes before all of
/// them; only what an input needs otherwise than an earlier one stays at its place.
fn set_up(interface: &Interface, parts: &[Do]) -> Map<String, Json> {
    let mut setup = Map::new();
    for part in parts {
        let Do::Send(action) = part else { continue };
        if !interface.assignments.contains(&action.signal) {
            continue;
        }
        let (_, values) = signal(interface, action);
        for (carried, value) in interface.signals[action.signal].values.iter().zip(values) {
            if interface.setup.contains(&carried.name) && !setup.contains_key(&carried.name) {
                setup.insert(carried.name.clone(), value);
            }
        }
    }
    setup
}

fn timed(
    interface: &Interface,
    parts: &[Do],
    setup: &Map<String, Json>,
    steps: &mut Vec<ScriptStep>,
) -> u64 {
    let (mut now_ns, mut n_checks, mut n_outputs) = (0u64, 0, 0);
    let mut known = setup.clone();
    for part in parts {
        let what = match part {
            Do::Wait(ns) => {
                now_ns = now_ns.saturating_add(*ns);
                continue;
            }
            Do::Send(action) => {
                let (name, values) = signal(interface, action);
                let signal = &interface.signals[action.signal];
                let told = |(carried, value): (&Carried, &Json)| {
                    let name = &carried.name;
                    let is_known = interface.setup.contains(name)
                        && known.insert(name.clone(), value.clone()).as_ref() == Some(value);
                    if is_known { String::new() } else { name.clone() }
                };
                let names = match interface.assignments.contains(&action.signal) {
                    true => signal.values.iter().zip(&values).map(told).collect(),
                    false => Vec::new(),
                };
                What::Input { name, values, names }
            }
            Do::Check(it) => {
                n_checks += 1;
                check(interface, it, n_checks - 1)
            }
            Do::Expect(expect) => {
                n_outputs += 1;
                output(interface, expect, now_ns, n_outputs - 1)
            }
        };
        push(steps, now_ns, what);
    }
    now_ns
}

fn stepped(interface: &Interface, table: &Table, steps: &mut Vec<ScriptStep>) -> u64 {
    let mut now_ns = 0u64;
    for (number, step) in table.steps.iter().enumerate() {
        let of = |role, values: &[Value]| {
            let ports: Vec<(PortId, Value)> =
                interface.ports_with(role).zip(values.iter().copied()).collect();
            map(interface, &ports)
        };
        let inputs = of(PortRole::Input, &step.inputs);
        let outputs = of(PortRole::Output, &step.outputs);
        push(steps, now_ns, What::Step { number, inputs, outputs });
        now_ns = now_ns.saturating_add(table.period_ns);
    }
    now_ns
}

fn signal(interface: &Interface, action: &Action) -> (String, Vec<Json>) {
    let signal = &interface.signals[action.signal];
    let values = signal.values.iter().zip(&action.values);
    (signal.name.clone(), values.map(|(it, value)| to_json(&it.ty, *value)).collect())
}

fn map(interface: &Interface, values: &[(PortId, Value)]) -> Map<String, Json> {
    let entry = |(port, value): &(PortId, Value)| {
        let port = &interface.ports[*port];
        (port.name.clone(), to_json(&port.ty, *value))
    };
    values.iter().map(entry).collect()
}

fn check(interface: &Interface, check: &Check, number: usize) -> What {
    let expected = map(interface, &check.expected);
    let allowed = match check.allowed.is_empty() {
        true => vec![expected.clone()],
        false => check.allowed.iter().map(|it| map(interface, it)).collect(),
    };
    let mut ports: Vec<String> = expected.keys().cloned().collect();
    for name in allowed.iter().flat_map(Map::keys) {
        if !ports.contains(name) {
            ports.push(name.clone());
        }
    }
    What::Check { number, ports, expected, allowed, requirement: check.requirement.clone() }
}

fn output(interface: &Interface, expect: &Expect, now_ns: u64, number: usize) -> What {
    let delays = interface.uncertainty;
    let after = |parts: &[u64]| parts.iter().fold(now_ns, |a, b| a.saturating_add(*b));
    let (name, values) = signal(interface, &expect.action);
    let from_ns = after(&[expect.from_ns, delays.output_ns.0]);
    let to_ns = after(&[expect.to_ns, delays.input_ns.1, delays.output_ns.1]);
    What::Output {
        number,
        name,
        values,
        from_ns: from_ns.saturating_sub(delays.drift_ns(from_ns)),
        to_ns: to_ns.saturating_add(delays.late_ns(to_ns)),
        requirement: expect.requirement.clone(),
    }
}
