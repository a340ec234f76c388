//! An object per step.

use punctual_model::lustre::{Program, Table, Test, Value};
use serde_json::{Map, Value as Json};

use super::{ERRORS_MAX, Names, values};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

const TEST: &str = "test";
const STEP: &str = "step";

pub(super) fn read(text: &str, names: &Names<'_>, diagnostics: &mut Diagnostics) -> Option<Table> {
    let mut table: Option<Table> = None;
    let mut last: Option<(Option<u64>, Option<u64>)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let line = line.trim_end();
        if line.trim_start().is_empty() {
            continue;
        }
        let span = Span::new(at, at + line.len());
        let object: Map<String, Json> = match serde_json::from_str(line) {
            Ok(object) => object,
            Err(error) => {
                let column = (at + error.column().saturating_sub(1)).min(at + line.len());
                let message = format!("this is not an object of JSON: {}", plain(&error));
                let span = Span::new(column, column);
                diagnostics.push(Diagnostic::error("table::json", span, message));
                return None;
            }
        };
        let table = table.get_or_insert_with(|| columns(&object, names, span, diagnostics));
        if diagnostics.has_errors() {
            return None;
        }
        let number = |key: &str| object.get(key).and_then(Json::as_u64);
        let here = (number(TEST), number(STEP));
        let goes_on =
            last.is_some_and(|(test, step)| test == here.0 && (step < here.1 || here.1.is_none()));
        last = Some(here);
        if !goes_on {
            table.tests.push(Test::default());
        }
        let mut row = Vec::with_capacity(table.columns.len());
        for var in &table.columns {
            let name = names.program.vars[*var].name.as_str();
            let text = match object.get(name) {
                Some(Json::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            };
            match values::read(names.program, *var, &text, span) {
                Ok(value) => row.push(value),
                Err(error) => diagnostics.push(*error),
            }
        }
        for key in object.keys() {
            let known = names.vars.get(key.as_str()).is_some_and(|var| table.columns.contains(var));
            if !known && !is_own(key, names) && names.column(key, span, diagnostics).is_some() {
                let message = format!("`{key}` is not in the first step");
                diagnostics.push(Diagnostic::error("table::row", span, message));
            }
        }
        if let Some(test) = table.tests.last_mut() {
            test.steps.push(row);
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

/// Whether a key is about the step itself.
fn is_own(key: &str, names: &Names<'_>) -> bool {
    matches!(key, TEST | STEP) && !names.vars.contains_key(key)
}

/// A message without the place: it would count lines of the line.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn columns(
    object: &Map<String, Json>,
    names: &Names<'_>,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Table {
    let keys = object.keys().filter(|key| !is_own(key, names));
    let mut columns: Vec<_> = keys.filter_map(|key| names.column(key, span, diagnostics)).collect();
    columns.sort_unstable();
    names.complete(&columns, span, diagnostics);
    Table { columns, tests: Vec::new() }
}

/// Writes a table as JSON lines.
pub fn write_jsonl(program: &Program, table: &Table) -> String {
    let mut text = String::new();
    for (test_index, test) in table.tests.iter().enumerate() {
        for (step_index, step) in test.steps.iter().enumerate() {
            text += &format!("{{\"{TEST}\":{test_index},\"{STEP}\":{step_index}");
            for (var, value) in table.columns.iter().zip(step) {
                let name = Json::from(program.vars[*var].name.as_str());
                let shown = values::write(program, *var, *value);
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
