//! Rows of values between separators.

use punctual_model::lustre::{Program, Table, Test};

use super::{ERRORS_MAX, Names, values};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

pub(super) fn read(text: &str, names: &Names<'_>, diagnostics: &mut Diagnostics) -> Option<Table> {
    let mut lines = lines(text).skip_while(|(line, _)| line.trim().is_empty());
    let Some((header, start)) = lines.next() else {
        let message = "this table is empty: not even names are there";
        diagnostics.push(Diagnostic::error("table::empty", Span::first_of(text), message));
        return None;
    };
    let separator = [',', ';', '\t'].into_iter().find(|it| header.contains(*it)).unwrap_or(',');
    let mut table = Table::default();
    // For each cell of a row, which column of the table it is.
    let mut cells: Vec<Option<usize>> = Vec::new();
    for (name, span) in split(header, start, separator) {
        let var = names.column(name, span, diagnostics);
        if let Some(var) = var
            && table.columns.contains(&var)
        {
            let message = format!("`{name}` has two columns");
            diagnostics.push(Diagnostic::error("table::twice", span, message));
        }
        cells.push(var.map(|var| {
            table.columns.push(var);
            table.columns.len() - 1
        }));
    }
    let header_span = Span::new(start, start + header.len());
    names.complete(&table.columns, header_span, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let mut test = Test::default();
    for (line, start) in lines {
        if line.trim().is_empty() {
            if !test.steps.is_empty() {
                table.tests.push(std::mem::take(&mut test));
            }
            continue;
        }
        // Tables that were put behind each other repeat their names.
        if line == header && test.steps.is_empty() {
            continue;
        }
        let mut row = Vec::with_capacity(table.columns.len());
        let mut n_cells = 0;
        for (cell, span) in split(line, start, separator) {
            if let Some(Some(column)) = cells.get(n_cells) {
                match values::read(names.program, table.columns[*column], cell, span) {
                    Ok(value) => row.push(value),
                    Err(error) => diagnostics.push(*error),
                }
            }
            n_cells += 1;
        }
        if n_cells != cells.len() {
            let span = Span::new(start, start + line.len());
            let message =
                format!("this row has {n_cells} cells, and there are {} names", cells.len());
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

/// The lines of a text, and where they start.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (line.trim_end_matches(['\n', '\r']), at)
    })
}

/// The cells of a line, without blanks or quotes around them, and where they stand.
fn split(line: &str, start: usize, separator: char) -> impl Iterator<Item = (&str, Span)> {
    let mut at = start;
    line.split(separator).map(move |cell| {
        let lead = cell.len() - cell.trim_start().len();
        let trimmed = cell.trim();
        let from = at + lead;
        at += cell.len() + separator.len_utf8();
        let inner = trimmed.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
        (inner.unwrap_or(trimmed), Span::new(from, from + trimmed.len()))
    })
}

/// Writes a table as CSV.
pub fn write_csv(program: &Program, table: &Table) -> String {
    let names: Vec<&str> =
        table.columns.iter().map(|var| program.vars[*var].name.as_str()).collect();
    let mut text = names.join(",");
    text.push('\n');
    for (index, test) in table.tests.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        for step in &test.steps {
            let cells = table.columns.iter().zip(step);
            let cells: Vec<String> =
                cells.map(|(var, value)| values::write(program, *var, *value)).collect();
            text += &cells.join(",");
            text.push('\n');
        }
    }
    text
}
