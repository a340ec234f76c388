//! An object per step.
//!
//! Tests are paired by their order, so numbers that say something else are refused: a trace whose tests are in another order
//! than those that it belongs to would be judged by the inputs of others.

use punctual_model::lustre::{Program, Table, Test, Value};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::{ERRORS_MAX, Names, Unknown, values};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
    traces::{
        Fault,
        error::excerpt,
        lines::Lines,
        object::Object,
        steps::{STEP, TEST},
    },
};

pub(super) fn read(text: &str, names: &Names<'_>, diagnostics: &mut Diagnostics) -> Option<Table> {
    let mut lines = Lines::new("", text.as_bytes());
    let mut table: Option<Table> = None;
    let mut types = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut numbers = Numbers::default();
    loop {
        let found = lines.advance_to_text();
        let start = lines.start();
        let mut wrong = |mut fault: Fault| {
            fault.span = fault.span.behind(start);
            diagnostics.push(*fault);
        };
        match found {
            Ok(true) => {}
            Ok(false) => break,
            Err(fault) => {
                wrong(fault);
                return None;
            }
        }
        let object = Object::read(lines.text()).map_err(wrong).ok()?;
        let span = lines.whole().behind(start);
        let table = match &mut table {
            Some(table) => table,
            None => {
                let columns = columns(&object, names, start, span, diagnostics);
                if diagnostics.has_errors() {
                    return None;
                }
                types = names.types(&columns.columns);
                let names = types.iter().enumerate().map(|(at, (name, _))| (name.clone(), at));
                places = names.collect();
                table.insert(columns)
            }
        };
        let place =
            numbers.read(&object, names).and_then(|here| numbers.advance(&here, lines.whole()));
        let begins = place.unwrap_or_else(|mut fault| {
            fault.span = fault.span.behind(start);
            diagnostics.push(*fault);
            false
        });
        if begins || table.tests.is_empty() {
            table.tests.push(Test::default());
        }
        let mut row = vec![None; types.len()];
        for (key, word) in object.entries() {
            if let Some(at) = places.get(key.text) {
                let (name, ty) = &types[*at];
                // What is not right is told here, and is not missing.
                row[*at] = Some(match values::read(name, ty, &word.scalar(), word.span) {
                    Ok(value) => value,
                    Err(mut error) => {
                        error.span = error.span.behind(start);
                        diagnostics.push(*error);
                        Value::Bool(false)
                    }
                });
                continue;
            }
            let (name, span) = (key.text, key.span.behind(start));
            if !is_own(name, names) && names.column(name, span, diagnostics).is_some() {
                let message = format!("`{name}` is not in the first step");
                diagnostics.push(Diagnostic::error("table::row", span, message));
            }
        }
        for ((name, ty), _) in types.iter().zip(&row).filter(|(_, value)| value.is_none()) {
            if let Err(error) = values::read(name, ty, "", span) {
                diagnostics.push(*error);
            }
        }
        if let Some(test) = table.tests.last_mut() {
            test.steps.push(row.into_iter().flatten().collect());
        }
        if diagnostics.error_count() >= ERRORS_MAX {
            return None;
        }
    }
    if table.is_none() {
        let message = "this table is empty";
        diagnostics.push(Diagnostic::error("table::empty", Span::first_of(text), message));
    }
    table
}

/// A number of a line, and where it stands.
#[derive(Clone, Copy)]
struct Number {
    value: u64,
    span: Span,
}

/// What a line says of its place: of which test it is, and which step of that.
#[derive(Clone, Copy)]
struct Place {
    test: Option<Number>,
    step: Option<Number>,
}

/// Where the line before stands; none before the first.
#[derive(Default)]
struct Numbers {
    last: Option<Place>,
}

impl Numbers {
    /// The numbers of a line.
    fn read(&self, object: &Object<'_>, names: &Names<'_>) -> Result<Place, Fault> {
        let number = |key: &str| {
            let Some(word) = object.get(key).filter(|_| is_own(key, names)) else {
                return Ok(None);
            };
            let value = word.text.parse().map_err(|_| {
                let message = format!("`{key}` is a number from 0, not `{}`", excerpt(word.text));
                Box::new(Diagnostic::error("table::number", word.span, message))
            })?;
            Ok::<_, Fault>(Some(Number { value, span: word.span }))
        };
        Ok(Place { test: number(TEST)?, step: number(STEP)? })
    }

    /// Goes to the next line. Gives whether it begins a test, or what is wrong with its numbers; then they count as right, so
    /// that one fault is told once.
    fn advance(&mut self, here: &Place, whole: Span) -> Result<bool, Fault> {
        let last = self.last.replace(*here);
        for (key, now, before) in
            [(TEST, here.test, last.map(|it| it.test)), (STEP, here.step, last.map(|it| it.step))]
        {
            if before.is_some_and(|it| it.is_some() != now.is_some()) {
                let message = format!("`{key}` is in some steps, and not in others");
                return Err(Box::new(Diagnostic::error("table::number", whole, message)));
            }
        }
        let Some(last) = last else {
            next_is(TEST, here.test, 0)?;
            next_is(STEP, here.step, 0)?;
            return Ok(true);
        };
        let begins = match (last.test, here.test) {
            (Some(last), Some(here)) => last.value != here.value,
            // Without numbers of tests, steps that begin again say it.
            _ => here.step.is_some_and(|step| step.value == 0),
        };
        if begins {
            next_is(TEST, here.test, last.test.map_or(0, |it| it.value.saturating_add(1)))?;
            next_is(STEP, here.step, 0)?;
        } else {
            next_is(STEP, here.step, last.step.map_or(0, |it| it.value.saturating_add(1)))?;
        }
        Ok(begins)
    }
}

/// Refuses a number that is not the next one.
fn next_is(what: &str, number: Option<Number>, next: u64) -> Result<(), Fault> {
    match number {
        Some(Number { value, span }) if value != next => {
            let message = format!("this is {what} {value}, and {what} {next} comes here");
            let help = "tests are numbered 0, 1, 2 … in their order, and so are the steps of each";
            Err(Box::new(Diagnostic::error("table::number", span, message).help(help)))
        }
        _ => Ok(()),
    }
}

/// Whether a key is about the step itself.
fn is_own(key: &str, names: &Names<'_>) -> bool {
    matches!(key, TEST | STEP) && !names.vars.contains_key(key)
}

fn columns(
    object: &Object<'_>,
    names: &Names<'_>,
    start: u64,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Table {
    let mut columns = Vec::new();
    for (key, _) in object.entries().filter(|(key, _)| !is_own(key.text, names)) {
        columns.extend(names.column(key.text, key.span.behind(start), diagnostics));
    }
    columns.sort_unstable();
    names.complete(&columns, span, diagnostics);
    Table { columns, tests: Vec::new() }
}

/// Writes a table as JSON lines.
pub fn write_jsonl(program: &Program, table: &Table) -> String {
    let types = Names::new(program, Unknown::Refuse).types(&table.columns);
    let mut text = String::new();
    for (test_index, test) in table.tests.iter().enumerate() {
        for (step_index, step) in test.steps.iter().enumerate() {
            text += &format!("{{\"{TEST}\":{test_index},\"{STEP}\":{step_index}");
            for ((name, ty), value) in types.iter().zip(step) {
                let name = Json::from(name.as_str());
                let shown = values::write(ty, *value);
                let shown = match value {
                    Value::Bool(it) => it.to_string(),
                    Value::Int(_) => shown,
                    // Not every decimal survives being read as a floating point number.
                    Value::Real(_) | Value::Enum(_) => Json::from(shown).to_string(),
                };
                text += &format!(",{name}:{shown}");
            }
            text += "}\n";
        }
    }
    text
}
