//! Suites in TOML.

use punctual_model::{
    Interface,
    testing::suite::{About, Body, Case, Suite, Table},
};
use rustc_hash::FxHashMap;
use toml::de::{DeTable, DeValue};

use super::{
    Heading, Load, Placed, Places, chances,
    tables::{self, Wrong, within},
};
use crate::{
    SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics},
    steering::Named,
    testing::{
        parse_phase,
        table::{Section, kind, parse, span},
    },
};

const TOP: [&str; 5] = ["model", "interface", "phase", "loop", "case"];
const CASE: [&str; 14] = [
    "name",
    "steps",
    "rows",
    "table",
    "period",
    "path",
    "ends",
    "uncertain",
    "probability",
    "proves",
    "ending",
    "joint",
    "note",
    "independent",
];

/// Reads what a suite says about itself, and nothing of its cases.
pub(super) fn heading(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Heading> {
    let table = parse(file, diagnostics)?;
    // Whoever reads the cases says what is wrong with other keys.
    let all: Vec<&str> = table.get_ref().keys().map(|key| key.get_ref().as_ref()).collect();
    let top = Section::top(file, table.get_ref(), &all, diagnostics);
    Some(names(&top, diagnostics))
}

fn names(top: &Section<'_>, diagnostics: &mut Diagnostics) -> Heading {
    let mut file = |key: &str| {
        let word = top.text(key, diagnostics)?;
        if word.text.trim().is_empty() {
            let message = format!("`{key}` names no file");
            diagnostics.push(Diagnostic::error("suite::missing", word.span, message));
        }
        Some(Named { text: word.text, span: word.span })
    };
    Heading { model: file("model"), interface: file("interface") }
}

/// Reads the file.
pub(super) fn suite(
    file: &SourceFile,
    interface: &Interface,
    period_ns: u64,
    load: &mut Load<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Placed> {
    let table = parse(file, diagnostics)?;
    let top = Section::top(file, table.get_ref(), &TOP, diagnostics);
    let heading = names(&top, diagnostics);
    let phase_ns = top.text("phase", diagnostics).and_then(|word| {
        let wrong = |message: String| {
            let help =
                "write how long the tester may wait before a case, such as `1700ms` or `0..1700`";
            diagnostics.push(Diagnostic::error("toml::duration", word.span, message).help(help));
        };
        parse_phase(&word.text, interface.time.unit_ns).map_err(wrong).ok()
    });
    let mut reader = Suites { file, interface, period_ns, load, diagnostics };
    let mut suite = Suite {
        model: heading.model.map(|it| it.text),
        interface: heading.interface.map(|it| it.text),
        phase_ns,
        loop_ns: top.duration("loop", 1, reader.diagnostics),
        cases: Vec::new(),
    };
    let mut places: Vec<Places> = Vec::new();
    // Where each name is first. Suites may have very many cases.
    let mut names: FxHashMap<String, usize> = FxHashMap::default();
    for (place, case) in reader.tables_of(&top, "case") {
        let section = Section::of("case", file, case, place, &CASE, reader.diagnostics);
        let (found, cases) = reader.case(&section);
        for case in cases {
            let named = (!case.name.is_empty()).then(|| names.entry(case.name.clone()));
            let at = named.map(|it| *it.or_insert(suite.cases.len()));
            if let Some(at) = at.filter(|at| *at < suite.cases.len()) {
                let message = format!("`{}` is there twice", case.name);
                let twice = Diagnostic::error("suite::twice", found.name, message);
                reader.diagnostics.push(twice.also(places[at].name, "first here"));
            }
            places.push(found.clone());
            suite.cases.push(case);
        }
    }
    Some(Placed { suite, places })
}

/// Reads cases over an interface.
pub(super) struct Suites<'s, 'l> {
    pub(super) file: &'s SourceFile,
    pub(super) interface: &'s Interface,
    period_ns: u64,
    load: &'s mut Load<'l>,
    pub(super) diagnostics: &'s mut Diagnostics,
}

impl<'s> Suites<'s, '_> {
    pub(super) fn wrong(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    /// The tables of a list of tables, with their places.
    pub(super) fn tables_of<'t>(
        &mut self,
        section: &Section<'t>,
        key: &str,
    ) -> Vec<(Span, &'t DeTable<'t>)> {
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

    /// The cases of a table, and where they stand.
    fn case(&mut self, section: &Section<'_>) -> (Places, Vec<Case>) {
        let name = section.text("name", self.diagnostics);
        let place = name.as_ref().map_or(section.span, |name| name.span);
        if section.key("name").is_none() {
            self.wrong("suite::missing", section.span, "this case has no `name`");
        }
        if name.as_ref().is_some_and(|name| name.text.trim().is_empty()) {
            self.wrong("suite::missing", place, "a case must have a name");
        }
        let name = name.map(|name| name.text).unwrap_or_default();
        let about = self.about(section);
        let mut places = Places { name: place, steps: Vec::new() };
        let keys = ["steps", "rows", "table"];
        let mut found = keys.into_iter().filter_map(|key| Some((key, section.key(key)?)));
        let key = match (found.next(), found.next()) {
            (Some((key, _)), None) => key,
            (None, _) => {
                let message = "this case does nothing: `steps`, `rows` or `table` is missing";
                self.wrong("suite::missing", section.span, message);
                return (places, Vec::new());
            }
            (Some((first, _)), Some((second, at))) => {
                let message = format!("a case has `{first}` or `{second}`, not both");
                self.wrong("suite::both", at, message);
                return (places, Vec::new());
            }
        };
        for key in chances::KEYS.iter().filter(|_| key != "steps") {
            if let Some(at) = section.key(key) {
                let message = format!("`{key}` is for cases with `steps`");
                self.wrong("suite::chance", at, message);
            }
        }
        if let (Some(at), "steps") = (section.key("period"), key) {
            let message = "`period` is for tables of steps; these steps say how long they wait";
            self.wrong("suite::period", at, message);
        }
        let period_ns = section.duration("period", 1, self.diagnostics).unwrap_or(self.period_ns);
        let cases = match key {
            "steps" => {
                let mut body = Vec::new();
                for (place, step) in self.tables_of(section, "steps") {
                    if let Some(step) = self.step(place, step) {
                        body.push(step);
                        places.steps.push(place);
                    }
                }
                let chance = self.chance(section, &mut body, &mut places.steps);
                vec![Case { name, body: Body::Timed(body), about, chance }]
            }
            "rows" => {
                let table = self.rows(section, period_ns).unwrap_or_default();
                let body = Body::Steps(Table { period_ns, ..table });
                vec![Case { name, body, about, chance: None }]
            }
            _ => match self.table(section, period_ns) {
                Some(tests) => tables::cases(&name, tests, &about).collect(),
                None => Vec::new(),
            },
        };
        (places, cases)
    }

    /// Where a case comes from.
    fn about(&mut self, section: &Section<'_>) -> About {
        let mut texts = |key: &str| {
            let words = section.texts(key, self.diagnostics);
            words.into_iter().map(|word| word.text).collect()
        };
        let (path, ends_in) = (texts("path"), texts("ends"));
        let is_uncertain = section.truth("uncertain", self.diagnostics).unwrap_or(false);
        About { path, ends_in, is_uncertain }
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
}
