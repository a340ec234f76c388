//! Steps of timed cases, in TOML.

use punctual_model::{
    Action, Direction, PortId, PortRole, Rational, Signal, Value, ValueType,
    testing::suite::{Check, Do, Expect},
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::read::Suites;
use crate::{
    Span,
    diagnostic::{Diagnostic, closest},
    steering::numbers::number,
    testing::{
        table::{Section, kind, span},
        units,
    },
    values,
};

const STEP: [&str; 8] =
    ["input", "output", "values", "within", "wait", "check", "allowed", "requirement"];

/// What a step can be; it is one of these.
const KINDS: [&str; 4] = ["input", "output", "wait", "check"];

/// What goes with a step, and with which kinds of it.
const DETAILS: [(&str, &[&str]); 4] = [
    ("values", &["input", "output"]),
    ("within", &["output"]),
    ("allowed", &["check"]),
    ("requirement", &["check", "output"]),
];

impl Suites<'_, '_> {
    pub(super) fn step(&mut self, place: Span, table: &DeTable<'_>) -> Option<Do> {
        let section = Section::of("steps", self.file, table, place, &STEP, self.diagnostics);
        let mut found = KINDS.into_iter().filter_map(|key| Some((key, section.key(key)?)));
        let key = match (found.next(), found.next()) {
            (Some((key, _)), None) => key,
            (None, _) => {
                let message =
                    "this step does nothing: `input`, `output`, `wait` or `check` is missing";
                self.wrong("suite::step", place, message);
                return None;
            }
            (Some((first, _)), Some((second, at))) => {
                let message = format!("a step has `{first}` or `{second}`, not both");
                self.wrong("suite::step", at, message);
                return None;
            }
        };
        for (detail, of) in DETAILS {
            if let Some(at) = section.key(detail).filter(|_| !of.contains(&key)) {
                let message = format!("`{detail}` belongs to `{}`", of.join("` or `"));
                self.wrong("suite::step", at, message);
            }
        }
        match key {
            "input" => self.action(&section, Direction::Input).map(Do::Send),
            "output" => self.expect(&section).map(Do::Expect),
            "wait" => self.time("wait", section.value("wait")?).map(Do::Wait),
            _ => self.check(&section).map(Do::Check),
        }
    }

    /// A signal of a direction, with its values.
    fn action(&mut self, section: &Section<'_>, direction: Direction) -> Option<Action> {
        let key = match direction {
            Direction::Input => "input",
            Direction::Output => "output",
        };
        let name = section.text(key, self.diagnostics)?;
        let Some(signal) = self.interface.signal(&name.text) else {
            let names = self.interface.signals.iter();
            let names = names.filter(|it| it.direction == direction);
            let names: Vec<&str> = names.map(|it| it.name.as_str()).collect();
            let help = match (closest(&name.text, names.iter().copied()), names.is_empty()) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, true) => format!("the interface has no {key}s"),
                (None, false) => format!("{key}s: {}", names[..names.len().min(12)].join(", ")),
            };
            let message = format!("`{}` is not a signal of the interface", name.text);
            let unknown = Diagnostic::error("suite::unknown", name.span, message);
            self.diagnostics.push(unknown.help(help));
            return None;
        };
        let declared = &self.interface.signals[signal];
        if declared.direction != direction {
            let name_text = &name.text;
            let message = match declared.direction {
                Direction::Output => {
                    format!("`{name_text}` is an output; it is the system that sends it")
                }
                Direction::Input => {
                    format!("`{name_text}` is an input; it is the tester that sends it")
                }
            };
            self.wrong("suite::direction", name.span, message);
            return None;
        }
        let values = self.carried(section, declared, name.span)?;
        Some(Action { signal, values })
    }

    /// The values that go with a signal.
    fn carried(
        &mut self,
        section: &Section<'_>,
        declared: &Signal,
        place: Span,
    ) -> Option<Vec<Value>> {
        let items: &[Spanned<DeValue<'_>>] = match section.value("values") {
            None => &[],
            Some(value) => match value.get_ref() {
                DeValue::Array(items) => items,
                other => {
                    let message = format!("`values` must be a list, not {}", kind(other));
                    self.wrong("toml::type", span(value), message);
                    return None;
                }
            },
        };
        if items.len() != declared.values.len() {
            let names: Vec<&str> = declared.values.iter().map(|it| it.name.as_str()).collect();
            let (name, expected, found) = (&declared.name, names.len(), items.len());
            let message = match expected {
                0 => format!("`{name}` carries no values, found {found}"),
                _ => format!("`{name}` carries {expected} ({}), found {found}", names.join(", ")),
            };
            let place = section.value("values").map_or(place, span);
            self.wrong("suite::values", place, message);
            return None;
        }
        let carried = declared.values.iter().zip(items);
        let values: Vec<Option<Value>> =
            carried.map(|(carried, item)| self.value(&carried.name, &carried.ty, item)).collect();
        values.into_iter().collect()
    }

    /// An output that should come, and when.
    fn expect(&mut self, section: &Section<'_>) -> Option<Expect> {
        let action = self.action(section, Direction::Output);
        let requirement = section.text("requirement", self.diagnostics).map(|it| it.text);
        let Some(value) = section.value("within") else {
            let message = "nothing says when this output should come: `within` is missing";
            let missing = Diagnostic::error("suite::within", section.span, message);
            let help = "write `within = [\"10ms\", \"12ms\"]`: from and to, counted from here";
            self.diagnostics.push(missing.help(help));
            return None;
        };
        let items: &[Spanned<DeValue<'_>>] = match value.get_ref() {
            DeValue::Array(items) => items,
            _ => &[],
        };
        let [from, to] = items else {
            let message = "`within` is a list of two durations: from and to";
            self.wrong("suite::within", span(value), message);
            return None;
        };
        let (from_ns, to_ns) = (self.time("within", from), self.time("within", to));
        let (from_ns, to_ns) = (from_ns?, to_ns?);
        if from_ns > to_ns {
            let message = "this output could never come: `within` ends before it starts";
            self.wrong("suite::within", span(value), message);
            return None;
        }
        Some(Expect { action: action?, from_ns, to_ns, requirement })
    }

    /// A duration, or a number of time units, in nanoseconds.
    fn time(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<u64> {
        let place = span(value);
        if let DeValue::String(text) = value.get_ref() {
            return match units::duration(text) {
                Ok(ns) => Some(ns),
                Err(message) => {
                    let help = format!("a duration is {}", units::FORM);
                    let wrong = Diagnostic::error("toml::duration", place, message);
                    self.diagnostics.push(wrong.help(help));
                    None
                }
            };
        }
        let n_units = number(key, value, Some(0), self.diagnostics)?;
        let ns = n_units * Rational::from_integer(self.interface.time.unit_ns.into());
        let ns =
            Some(ns).filter(Rational::is_integer).and_then(|ns| u64::try_from(*ns.numer()).ok());
        if ns.is_none() {
            let message = "so many time units are no number of nanoseconds that can be counted";
            self.wrong("suite::wait", place, message);
        }
        ns
    }

    fn check(&mut self, section: &Section<'_>) -> Option<Check> {
        let requirement = section.text("requirement", self.diagnostics).map(|it| it.text);
        let value = section.value("check")?;
        // A check that expects nothing says what is right all the same.
        let says_nothing = matches!(value.get_ref(), DeValue::Table(table) if table.is_empty())
            && section.key("allowed").is_some();
        let expected = match says_nothing {
            true => Some(Vec::new()),
            false => self.ports("check", value),
        };
        let Some(list) = section.value("allowed") else {
            return Some(Check { expected: expected?, allowed: Vec::new(), requirement });
        };
        let DeValue::Array(items) = list.get_ref() else {
            let message =
                format!("`allowed` must be a list of tables, not {}", kind(list.get_ref()));
            self.wrong("toml::type", span(list), message);
            return None;
        };
        if says_nothing && items.is_empty() {
            let message = "this check reads nothing: nothing is expected, and nothing is allowed";
            self.wrong("suite::check", span(value), message);
            return None;
        }
        let listed: Vec<_> = items.iter().map(|item| self.ports("allowed", item)).collect();
        let mut allowed: Vec<Vec<(PortId, Value)>> = listed.into_iter().collect::<Option<_>>()?;
        let expected = expected?;
        // What is expected is right, whether it is listed or not.
        if !says_nothing && !allowed.contains(&expected) {
            allowed.insert(0, expected.clone());
        }
        Some(Check { expected, allowed, requirement })
    }

    /// Ports with values, in the order of the ports.
    fn ports(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<(PortId, Value)>> {
        let DeValue::Table(table) = value.get_ref() else {
            let message =
                format!("`{key}` must be a table of ports, not {}", kind(value.get_ref()));
            self.wrong("toml::type", span(value), message);
            return None;
        };
        let (mut found, mut is_wrong) = (Vec::new(), table.is_empty());
        if is_wrong {
            let message = format!("expected ports and values in `{key}`");
            self.wrong("suite::check", span(value), message);
        }
        let mut all = Vec::new();
        entries("", table, 0, &mut all);
        for (name, place, value) in all {
            let Some(port) = self.interface.port(&name) else {
                let names = self.interface.ports.iter().map(|it| it.name.as_str());
                let help = match (closest(&name, names), self.interface.ports.is_empty()) {
                    (Some(near), _) => Some(format!("did you mean `{near}`?")),
                    (None, true) => Some("`observe` names what can be read".to_owned()),
                    (None, false) => None,
                };
                let message = format!("`{name}` is not a port of the interface");
                let unknown = Diagnostic::error("suite::unknown", place, message);
                self.diagnostics.push(unknown.maybe_help(help));
                is_wrong = true;
                continue;
            };
            let declared = &self.interface.ports[port];
            if declared.role == PortRole::Input {
                let message = format!("`{name}` is an input; a check reads what the system shows");
                self.wrong("suite::check", place, message);
                is_wrong = true;
                continue;
            }
            match self.value(&declared.name, &declared.ty, value) {
                Some(value) => found.push((port, value)),
                None => is_wrong = true,
            }
        }
        found.sort_unstable_by_key(|(port, _)| *port);
        (!is_wrong).then_some(found)
    }

    fn value(&mut self, name: &str, ty: &ValueType, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        let text = match value.get_ref() {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(it) if it.radix() == 10 => Some(it.as_str().to_owned()),
            DeValue::Float(it) => Some(it.as_str().to_owned()),
            DeValue::Boolean(it) if *ty == ValueType::Bool => Some(it.to_string()),
            _ => None,
        };
        let found = text.as_ref().and_then(|text| values::read(ty, text));
        if found.is_none() {
            let found = match text {
                Some(text) => format!("`{text}`"),
                None => kind(value.get_ref()).to_owned(),
            };
            let message = format!("`{name}` is {}, not {found}", values::expected(ty));
            self.wrong("suite::value", span(value), message);
        }
        found
    }
}

/// A name with its place and its value.
type PortEntry<'t> = (String, Span, &'t Spanned<DeValue<'t>>);

/// The entries of a table; those of tables in it have names with points: `Error.location`.
fn entries<'t>(prefix: &str, table: &'t DeTable<'t>, depth: usize, found: &mut Vec<PortEntry<'t>>) {
    /// More points than any name has.
    const DEPTH_MAX: usize = 16;
    for (key, value) in table {
        let name = format!("{prefix}{}", key.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) if depth < DEPTH_MAX => {
                entries(&format!("{name}."), inner, depth + 1, found);
            }
            _ => found.push((name, span(key), value)),
        }
    }
}
