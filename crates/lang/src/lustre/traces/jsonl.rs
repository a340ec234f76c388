//! An object per step.

use punctual_model::lustre::{Program, Table, Test, Value};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::{ERRORS_MAX, Names, Unknown, values};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
    traces::{
        Fault,
        lines::Lines,
        object::Object,
        steps::{Numbers, STEP, TEST},
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
        if !numbers.goes_on(&object) {
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
