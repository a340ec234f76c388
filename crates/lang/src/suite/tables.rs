//! Tables of steps as cases.

use punctual_model::{
    Happening, Interface,
    testing::suite::{About, Body, Case, Suite, Table},
};

use crate::{
    SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics},
    traces::{Format, Item, Options, Reader, TraceError, detect},
};

/// Whether a file is a table and not TOML: by its name, or by how it begins.
pub(super) fn is_table(file: &SourceFile) -> bool {
    let suffix = file.name.rsplit_once('.').map(|(_, suffix)| suffix.to_ascii_lowercase());
    match suffix.as_deref() {
        Some("csv" | "tsv" | "jsonl" | "ndjson") => true,
        Some("toml") => false,
        _ => file.text.trim_start().starts_with('{'),
    }
}

/// Why a table has no tests.
pub(super) enum Wrong {
    /// A line is wrong.
    Line(TraceError),
    /// The table as a whole is.
    Whole(String),
}

/// The tests of a table.
pub(super) fn tests(
    name: &str,
    bytes: &[u8],
    interface: &Interface,
    period_ns: u64,
) -> Result<Vec<Table>, Wrong> {
    if !interface.has_steps() {
        return Err(Wrong::Whole("the interface has no steps".to_owned()));
    }
    let first_line = String::from_utf8_lossy(bytes.trim_ascii_start());
    let first_line = first_line.lines().next().unwrap_or_default();
    let format = match detect(name, first_line, interface) {
        Format::Jsonl => Format::Jsonl,
        _ => Format::Csv,
    };
    let options = Options {
        format: Some(format),
        period_ns: Some(period_ns),
        outputs_may_be_missing: true,
        ..Options::default()
    };
    let reader = Reader::new(name, bytes, interface, options).map_err(Wrong::Line)?;
    if !reader.is_table_of_steps() {
        return Err(Wrong::Whole("this is a trace with times, and no table of steps".to_owned()));
    }
    let mut tests = Vec::new();
    let mut test = Table { period_ns, steps: Vec::new() };
    for item in reader {
        match item.map_err(Wrong::Line)? {
            Item::Event(event) => match event.what {
                Happening::Step(step) => test.steps.push(step),
                other => {
                    let ports = interface.happening_text(&other);
                    let message = format!("steps have inputs and outputs, and not `{ports}`");
                    return Err(Wrong::Whole(message));
                }
            },
            Item::Quiet(_) => {}
            Item::Restart(_) => {
                let next = Table { period_ns, steps: Vec::new() };
                tests.push(std::mem::replace(&mut test, next));
            }
            Item::End(_) if test.steps.is_empty() => {}
            Item::End(_) => tests.push(std::mem::take(&mut test)),
        }
    }
    Ok(tests)
}

/// The tests of a table as cases with numbers.
pub(super) fn cases(name: &str, tests: Vec<Table>, about: &About) -> impl Iterator<Item = Case> {
    let case = move |(number, table)| Case {
        name: format!("{name} {number}"),
        body: Body::Steps(table),
        about: about.clone(),
        chance: None,
    };
    tests.into_iter().enumerate().map(case)
}

/// A file that is a table. Its cases have the name of the file, without its folder and its ending.
pub(super) fn suite(
    file: &SourceFile,
    interface: &Interface,
    period_ns: u64,
    diagnostics: &mut Diagnostics,
) -> Option<Suite> {
    let name = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(name, _)| name);
    match tests(&file.name, file.text.as_bytes(), interface, period_ns) {
        Ok(tests) => {
            let cases = cases(name, tests, &About::default()).collect();
            Some(Suite { cases, ..Suite::default() })
        }
        Err(wrong) => {
            diagnostics.push(within(wrong, &file.text, 0));
            None
        }
    }
}

/// What is wrong with a table that stands in a file from some byte on.
pub(super) fn within(wrong: Wrong, text: &str, start: usize) -> Diagnostic {
    match wrong {
        Wrong::Whole(message) => {
            let first = Span::first_of(text).behind(start as u64);
            Diagnostic::error("suite::table", first, message)
        }
        Wrong::Line(error) => {
            let before = usize::try_from(error.first_line).unwrap_or(usize::MAX) - 1;
            let lines = text.split_inclusive('\n').take(before).map(str::len).sum::<usize>();
            let mut diagnostic = *error.diagnostic;
            diagnostic.span = diagnostic.span.behind((start + lines) as u64);
            diagnostic
        }
    }
}
