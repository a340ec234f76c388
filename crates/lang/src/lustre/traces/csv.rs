//! Rows of values between separators.

use punctual_model::lustre::{Program, Table, Test};

use super::{ERRORS_MAX, Names, values};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
    traces::{Fault, lines::Lines, steps::unquoted, table::Rows},
};

pub(super) fn read(text: &str, names: &Names<'_>, diagnostics: &mut Diagnostics) -> Option<Table> {
    let mut rows = match Rows::new(Lines::new("", text.as_bytes())) {
        Ok(rows) => rows,
        Err(error) => {
            diagnostics.push(*error.diagnostic);
            return None;
        }
    };
    if !advance(&mut rows, diagnostics)? {
        let message = "this table is empty: not even names are there";
        diagnostics.push(Diagnostic::error("table::empty", Span::first_of(text), message));
        return None;
    }
    let header = rows.text().to_owned();
    let mut table = Table::default();
    // For each cell of a row, whether it is a column of the table.
    let mut cells: Vec<bool> = Vec::new();
    let behind = rows.whole().end;
    let spans = rows.spans().chain(std::iter::repeat(Span { start: behind, end: behind }));
    for (at, span) in (0..rows.len()).zip(spans) {
        let (name, span) = (unquoted(rows.cell(at)), span.behind(rows.start()));
        let var = names.column(name, span, diagnostics);
        if let Some(var) = var
            && table.columns.contains(&var)
        {
            let message = format!("`{name}` has two columns");
            diagnostics.push(Diagnostic::error("table::twice", span, message));
        }
        cells.push(var.is_some());
        table.columns.extend(var);
    }
    names.complete(&table.columns, rows.whole().behind(rows.start()), diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let types = names.types(&table.columns);
    let mut test = Test::default();
    while advance(&mut rows, diagnostics)? {
        if rows.is_after_gap() && !test.steps.is_empty() {
            table.tests.push(std::mem::take(&mut test));
        }
        // Tables that were put behind each other repeat their names.
        if test.steps.is_empty() && rows.text() == header {
            continue;
        }
        let mut row = Vec::with_capacity(table.columns.len());
        let known = cells.iter().enumerate().filter(|(at, known)| **known && *at < rows.len());
        for ((at, _), (name, ty)) in known.zip(&types) {
            // Only what is wrong needs its place.
            match values::read(name, ty, unquoted(rows.cell(at)), Span::default()) {
                Ok(value) => row.push(value),
                Err(mut error) => {
                    error.span = rows.span(at).behind(rows.start());
                    diagnostics.push(*error);
                }
            }
        }
        if rows.len() != cells.len() {
            let span = rows.whole().behind(rows.start());
            let (found, expected) = (rows.len(), cells.len());
            let message = format!("this row has {found} cells, and there are {expected} names");
            diagnostics.push(Diagnostic::error("table::row", span, message));
        }
        if diagnostics.error_count() >= ERRORS_MAX {
            return None;
        }
        test.steps.push(row);
    }
    if !test.steps.is_empty() {
        table.tests.push(test);
    }
    Some(table)
}

/// Goes to the next row; none if the table can not be read on.
fn advance(rows: &mut Rows<&[u8]>, diagnostics: &mut Diagnostics) -> Option<bool> {
    rows.advance()
        .map_err(|mut fault: Fault| {
            fault.span = fault.span.behind(rows.start());
            diagnostics.push(*fault);
        })
        .ok()
}

/// Writes a table as CSV.
pub fn write_csv(program: &Program, table: &Table) -> String {
    let names: Vec<&str> =
        table.columns.iter().map(|var| program.vars[*var].name.as_str()).collect();
    let types = Names::new(program, super::Unknown::Refuse).types(&table.columns);
    let mut text = names.join(",");
    text.push('\n');
    for (index, test) in table.tests.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        for step in &test.steps {
            let cells = types.iter().zip(step);
            let cells: Vec<String> =
                cells.map(|((_, ty), value)| values::write(ty, *value)).collect();
            text += &cells.join(",");
            text.push('\n');
        }
    }
    text
}
