//! The ports of a record over time: what they were given, steered to, and read as.
//!
//! The steps of a record are numbered from its last restart on, as its lines number them; a step
//! lasts until the next one. What a record says of ports or steps that it does not have is left out.

use std::collections::HashMap;

use punctual_campaign::store::{Changed, Judged, Line, Port, Record, Steered, What};
use serde_json::Value;

/// What a port can be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Truth,
    Integer,
    Real,
    /// A member of an enumeration, by its names.
    Member(Vec<String>),
}

/// A port over time.
#[derive(Debug)]
pub(super) struct Wave<'r> {
    pub(super) name: String,
    /// `input`, `output` or `observed`.
    pub(super) role: String,
    pub(super) kind: Kind,
    /// From when on it had which value. Neighbours differ.
    pub(super) values: Vec<(u64, &'r Value)>,
    /// When it was read, and as what.
    pub(super) readings: Vec<(u64, &'r Value)>,
    /// Inputs: the values that explain the system, in the steps where they are not those of the test.
    /// Outputs: the values of the model, in the steps where they are not those of the system.
    pub(super) others: Vec<Other<'r>>,
    /// By how much an input may be changed in any step.
    pub(super) tolerances: Vec<(&'r Value, &'r Value)>,
}

/// A value that a port has in the model for the time of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Other<'r> {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) changed: &'r Changed,
}

/// A step that is spoken of, and when it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'r> {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) step: &'r Steered,
}

/// The ports of a record, and its steps.
#[derive(Debug, Default)]
pub(super) struct Ports<'r> {
    pub(super) waves: Vec<Wave<'r>>,
    /// When the steps since the last restart were.
    pub(super) steps: Vec<u64>,
    /// Steps that the model was steered in, or that are not explained.
    pub(super) steered: Vec<Told<'r>>,
    end_ns: u64,
}

impl<'r> Ports<'r> {
    pub(super) fn of(record: &'r Record) -> Self {
        let mut ports = Self { end_ns: record.last_ns(), ..Self::default() };
        let mut known: HashMap<&str, usize> = HashMap::new();
        for port in &record.header.ports {
            known.entry(&port.name).or_insert(ports.waves.len());
            ports.waves.push(Wave::new(port));
        }
        let with = |role: &str| -> Vec<usize> {
            let of = record.header.ports.iter().enumerate();
            of.filter(|(_, port)| port.role == role).map(|(i, _)| i).collect()
        };
        let (inputs, outputs) = (with("input"), with("output"));
        for tolerance in &record.header.tolerances {
            if let Some(at) = known.get(tolerance.variable.as_str()) {
                ports.waves[*at].tolerances.push((&tolerance.low, &tolerance.high));
            }
        }
        for line in &record.lines {
            match line {
                Line::Restart(_) => ports.steps.clear(),
                Line::Event(event) => match &event.what {
                    What::Signal { .. } => {}
                    What::Step { inputs: given, outputs: seen } => {
                        let at = event.from_ns;
                        ports.steps.push(at);
                        let rows = inputs.iter().zip(given).chain(outputs.iter().zip(seen));
                        rows.for_each(|(port, value)| ports.waves[*port].set(at, value));
                    }
                    What::Set(values) => {
                        for (name, value) in values {
                            let wave = ports.named(&mut known, name, "input");
                            wave.set(event.from_ns, value);
                        }
                    }
                    What::Reading(values) => {
                        for (name, value) in values {
                            let wave = ports.named(&mut known, name, "observed");
                            wave.readings.push((event.from_ns, value));
                        }
                    }
                },
                _ => {}
            }
        }
        // Steps are spoken of when all of them are known.
        for line in &record.lines {
            let Line::Steered(step) = line else { continue };
            let Some((from_ns, to_ns)) = ports.step(step.steered) else { continue };
            ports.steered.push(Told { from_ns, to_ns, step });
            for changed in step.changes.iter().chain(&step.differences) {
                if let Some(at) = known.get(changed.variable.as_str()) {
                    ports.waves[*at].others.push(Other { from_ns, to_ns, changed });
                }
            }
        }
        for wave in &mut ports.waves {
            wave.others.sort_by_key(|other| other.from_ns);
        }
        ports
    }

    /// A port by its name; one that the header does not have is added.
    fn named(
        &mut self,
        known: &mut HashMap<&'r str, usize>,
        name: &'r str,
        role: &str,
    ) -> &mut Wave<'r> {
        let next = self.waves.len();
        let at = *known.entry(name).or_insert(next);
        if at == next {
            let (name, role) = (name.to_owned(), role.to_owned());
            self.waves.push(Wave::new(&Port { name, role, ty: String::new() }));
        }
        &mut self.waves[at]
    }

    /// From when to when a step was. The last one lasts as long as the one before it.
    pub(super) fn step(&self, number: u64) -> Option<(u64, u64)> {
        let at = usize::try_from(number).ok()?;
        let from = *self.steps.get(at)?;
        let before = at.checked_sub(1).and_then(|at| self.steps.get(at)).copied();
        let as_before = before.map_or(1, |before| from.saturating_sub(before));
        let to = match self.steps.get(at + 1) {
            Some(next) => *next,
            None => self.end_ns.max(from.saturating_add(as_before)),
        };
        Some((from, to.max(from)))
    }

    /// From when to when a step or check was that has a verdict of its own.
    pub(super) fn judged(&self, judged: &Judged) -> (u64, u64) {
        let step = self.step(judged.judged).filter(|(from, _)| *from == judged.at_ns);
        step.unwrap_or((judged.at_ns, judged.at_ns))
    }
}

impl<'r> Wave<'r> {
    fn new(port: &Port) -> Self {
        let kind = match port.ty.as_str() {
            "bool" => Kind::Truth,
            "int" => Kind::Integer,
            "real" => Kind::Real,
            names => Kind::Member(
                names.split('|').filter(|it| !it.is_empty()).map(str::to_owned).collect(),
            ),
        };
        Self {
            name: port.name.clone(),
            role: port.role.clone(),
            kind,
            values: Vec::new(),
            readings: Vec::new(),
            others: Vec::new(),
            tolerances: Vec::new(),
        }
    }

    fn set(&mut self, at_ns: u64, value: &'r Value) {
        // Whoever searches for an instant relies on their order.
        let at_ns = self.values.last().map_or(at_ns, |(last, _)| at_ns.max(*last));
        if self.values.last().is_none_or(|(_, last)| *last != value) {
            self.values.push((at_ns, value));
        }
    }

    /// Whether the tester gives its values.
    pub(super) fn is_input(&self) -> bool {
        self.role == "input"
    }

    /// The value that the model has instead of the one of the run.
    pub(super) fn in_model(&self, other: &Other<'r>) -> &'r Value {
        if self.is_input() { &other.changed.to } else { &other.changed.from }
    }

    /// The value that the port has at an instant.
    pub(super) fn at(&self, at_ns: u64) -> Option<&'r Value> {
        let next = self.values.partition_point(|(from, _)| *from <= at_ns);
        self.values.get(next.checked_sub(1)?).map(|(_, value)| *value)
    }
}
