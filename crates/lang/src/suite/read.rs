//! Suites in TOML.

use punctual_model::{
    Action, Direction, Interface, PortId, PortRole, Rational, Value, ValueType,
    testing::suite::{About, Body, Case, Check, Do, Suite, Table},
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Load,
    tables::{self, Wrong, within},
};
use crate::{
    SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
    steering::numbers::number,
    testing::{
        table::{Section, kind, parse, span},
        units,
    },
    values,
};

const CASE: [&str; 5] = ["name", "steps", "rows", "table", "period"];
const STEP: [&str; 5] = ["input", "values", "wait", "check", "allowed"];

/// Reads the file.
pub(super) fn suite(
    file: &SourceFile,
    interface: &Interface,
    period_ns: u64,
    load: &mut Load<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Suite> {
    let table = parse(file, diagnostics)?;
    let top = Section::top(file, table.get_ref(), &["case"], diagnostics);
    let mut reader = Suites { file, interface, period_ns, load, diagnostics };
    let mut suite = Suite::default();
    let mut places: Vec<Span> = Vec::new();
    for (place, case) in reader.tables_of(&top, "case") {
        let section = Section::of("case", file, case, place, &CASE, reader.diagnostics);
        let (name, cases) = reader.case(&section);
        for case in cases {
            let mut earlier = suite.cases.iter();
            let first = earlier.position(|it| it.name == case.name && !it.name.is_empty());
            if let Some(at) = first {
                let message = format!("`{}` is there twice", case.name);
                let twice = Diagnostic::error("suite::twice", name, message);
                reader.diagnostics.push(twice.also(places[at], "first here"));
            }
            places.push(name);
            suite.cases.push(case);
        }
    }
    Some(suite)
}

struct Suites<'s, 'l> {
    file: &'s SourceFile,
    interface: &'s Interface,
    period_ns: u64,
    load: &'s mut Load<'l>,
    diagnostics: &'s mut Diagnostics,
}

impl<'s> Suites<'s, '_> {
    fn wrong(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    /// The tables of a list of tables, with their places.
    fn tables_of<'t>(&mut self, section: &Section<'t>, key: &str) -> Vec<(Span, &'t DeTable<'t>)> {
        let Some(value) = section.value(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            let message =
                format!("`{key}` must be a list of tables, not {}", kind(value.get_ref()));
            self.wrong("toml::type", span(value), message);
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                DeValue::Table(table) => tables.push((span(item), table)),
                other => {
                    let message = format!("`{key}` must list tables, not {}", kind(other));
                    self.wrong("toml::type", span(item), message);
                }
            }
        }
        tables
    }

    /// The cases of a table, and where their name stands.
    fn case(&mut self, section: &Section<'_>) -> (Span, Vec<Case>) {
        let name = section.text("name", self.diagnostics);
        let place = name.as_ref().map_or(section.span, |name| name.span);
        if section.key("name").is_none() {
            self.wrong("suite::missing", section.span, "this case has no `name`");
        }
        if name.as_ref().is_some_and(|name| name.text.trim().is_empty()) {
            self.wrong("suite::missing", place, "a case must have a name");
        }
        let name = name.map(|name| name.text).unwrap_or_default();
        let keys = ["steps", "rows", "table"];
        let mut found = keys.into_iter().filter_map(|key| Some((key, section.key(key)?)));
        let key = match (found.next(), found.next()) {
            (Some((key, _)), None) => key,
            (None, _) => {
                let message = "this case does nothing: `steps`, `rows` or `table` is missing";
                self.wrong("suite::missing", section.span, message);
                return (place, Vec::new());
            }
            (Some((first, _)), Some((second, at))) => {
                let message = format!("a case has `{first}` or `{second}`, not both");
                self.wrong("suite::both", at, message);
                return (place, Vec::new());
            }
        };
        if let (Some(at), "steps") = (section.key("period"), key) {
            let message = "`period` is for tables of steps; these steps say how long they wait";
            self.wrong("suite::period", at, message);
        }
        let period_ns = section.duration("period", 1, self.diagnostics).unwrap_or(self.period_ns);
        let cases = match key {
            "steps" => {
                let steps = self.tables_of(section, "steps");
                let body = steps.into_iter().filter_map(|(place, step)| self.step(place, step));
                vec![Case { name, body: Body::Timed(body.collect()), about: About::default() }]
            }
            "rows" => {
                let table = self.rows(section, period_ns).unwrap_or_default();
                let body = Body::Steps(Table { period_ns, ..table });
                vec![Case { name, body, about: About::default() }]
            }
            _ => match self.table(section, period_ns) {
                Some(tests) => tables::cases(&name, tests).collect(),
                None => Vec::new(),
            },
        };
        (place, cases)
    }

    /// A table that stands in the suite: one test.
    fn rows(&mut self, section: &Section<'_>, period_ns: u64) -> Option<Table> {
        let word = section.text("rows", self.diagnostics)?;
        let tests = tables::tests("rows.csv", word.text.as_bytes(), self.interface, period_ns);
        match tests {
            Ok(tests) if tests.len() > 1 => {
                let message = "these rows are several tests; a case is one";
                self.wrong("suite::rows", word.span, message);
                None
            }
            Ok(tests) => tests.into_iter().next(),
            Err(wrong) if word.verbatim => {
                let start = word.span.start as usize;
                let mut diagnostic = within(wrong, &word.text, start);
                diagnostic.span.end = diagnostic.span.end.min(word.span.end);
                diagnostic.span.start = diagnostic.span.start.min(diagnostic.span.end);
                self.diagnostics.push(diagnostic);
                None
            }
            Err(wrong) => {
                let mut diagnostic = within(wrong, &word.text, 0);
                diagnostic.span = word.span;
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }

    /// A table in a file of its own.
    fn table(&mut self, section: &Section<'_>, period_ns: u64) -> Option<Vec<Table>> {
        let word = section.text("table", self.diagnostics)?;
        let name = &word.text;
        let message = match (self.load)(name) {
            Err(why) => format!("can not read `{name}`: {why}"),
            Ok(bytes) => match tables::tests(name, &bytes, self.interface, period_ns) {
                Ok(tests) => return Some(tests),
                Err(Wrong::Line(error)) => error.to_string(),
                Err(Wrong::Whole(message)) => format!("{name}: {message}"),
            },
        };
        self.wrong("suite::table", word.span, message);
        None
    }

    fn step(&mut self, place: Span, table: &DeTable<'_>) -> Option<Do> {
        let section = Section::of("steps", self.file, table, place, &STEP, self.diagnostics);
        let mut found =
            ["input", "wait", "check"].into_iter().filter_map(|key| Some((key, section.key(key)?)));
        let key = match (found.next(), found.next()) {
            (Some((key, _)), None) => key,
            (None, _) => {
                let message = "this step does nothing: `input`, `wait` or `check` is missing";
                self.wrong("suite::step", place, message);
                return None;
            }
            (Some((first, _)), Some((second, at))) => {
                let message = format!("a step has `{first}` or `{second}`, not both");
                self.wrong("suite::step", at, message);
                return None;
            }
        };
        for (other, of) in [("values", "input"), ("allowed", "check")] {
            if let Some(at) = section.key(other).filter(|_| of != key) {
                let message = format!("`{other}` belongs to `{of}`");
                self.wrong("suite::step", at, message);
            }
        }
        match key {
            "input" => self.send(&section).map(Do::Send),
            "wait" => self.wait(section.value("wait")?).map(Do::Wait),
            _ => self.check(&section).map(Do::Check),
        }
    }

    fn send(&mut self, section: &Section<'_>) -> Option<Action> {
        let name = section.text("input", self.diagnostics)?;
        let Some(signal) = self.interface.signal(&name.text) else {
            let names = self.interface.signals.iter();
            let names = names.filter(|it| it.direction == Direction::Input);
            let names: Vec<&str> = names.map(|it| it.name.as_str()).collect();
            let help = match (closest(&name.text, names.iter().copied()), names.is_empty()) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, true) => "the interface has no inputs".to_owned(),
                (None, false) => format!("inputs: {}", names[..names.len().min(12)].join(", ")),
            };
            let message = format!("`{}` is not a signal of the interface", name.text);
            let unknown = Diagnostic::error("suite::unknown", name.span, message);
            self.diagnostics.push(unknown.help(help));
            return None;
        };
        let declared = &self.interface.signals[signal];
        if declared.direction == Direction::Output {
            let message = format!("`{}` is an output; it is the system that sends it", name.text);
            self.wrong("suite::direction", name.span, message);
            return None;
        }
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
            let (expected, found) = (names.len(), items.len());
            let message = match expected {
                0 => format!("`{}` carries no values, found {found}", name.text),
                _ => format!(
                    "`{}` carries {expected} ({}), found {found}",
                    name.text,
                    names.join(", ")
                ),
            };
            let place = section.value("values").map_or(name.span, span);
            self.wrong("suite::values", place, message);
            return None;
        }
        let carried = declared.values.iter().zip(items);
        let values: Vec<Option<Value>> =
            carried.map(|(carried, item)| self.value(&carried.name, &carried.ty, item)).collect();
        Some(Action { signal, values: values.into_iter().collect::<Option<_>>()? })
    }

    /// A duration, or a number of time units, in nanoseconds.
    fn wait(&mut self, value: &Spanned<DeValue<'_>>) -> Option<u64> {
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
        let n_units = number("wait", value, Some(0), self.diagnostics)?;
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
        let expected = self.ports("check", section.value("check")?)?;
        let Some(value) = section.value("allowed") else {
            return Some(Check { expected, allowed: Vec::new(), requirement: None });
        };
        let DeValue::Array(items) = value.get_ref() else {
            let message =
                format!("`allowed` must be a list of tables, not {}", kind(value.get_ref()));
            self.wrong("toml::type", span(value), message);
            return None;
        };
        let listed: Vec<_> = items.iter().map(|item| self.ports("allowed", item)).collect();
        let mut allowed: Vec<Vec<(PortId, Value)>> = listed.into_iter().collect::<Option<_>>()?;
        // What is expected is right, whether it is listed or not.
        if !allowed.contains(&expected) {
            allowed.insert(0, expected.clone());
        }
        Some(Check { expected, allowed, requirement: None })
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
