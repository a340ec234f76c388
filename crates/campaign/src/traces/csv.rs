//! Traces as tables.
//!
//! ```text
//! time_ms,signal,values
//! 1.5,coin
//! 7.25,level,3
//! 20,restart
//! 30,
//! ```
//! The first row names the columns: `time`, or `time_s`, `time_ms`, `time_us`, `time_ns`,
//! `time_units` to state the unit; `signal`; then any number of columns for values. Values may
//! also stand in one cell, apart by blanks or semicolons: `"3;4"`. A cell may be quoted, with
//! `""` for a quote. Commas, semicolons or tabs are between cells; the first row decides. Empty
//! cells at the end, empty rows and rows that begin with `#` are skipped. A row without a signal
//! is an instant until which nothing more was seen, and `restart` is a reset, unless the interface
//! has a signal of that name.

use super::{Builder, TraceError, Unit, excerpt};

pub(super) fn read(builder: &mut Builder<'_>, text: &str) -> Result<(), TraceError> {
    let mut rows = Rows { rest: text, line: 1, separator: None };
    let mut has_header = false;
    loop {
        builder.line = rows.line;
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => break,
            Err(message) => return Err(builder.error(message)),
        };
        let is_empty = row.iter().all(|cell| cell.trim().is_empty());
        if is_empty || row[0].starts_with('#') {
            continue;
        }
        if has_header {
            read_row(builder, &row)?;
        } else {
            read_header(builder, &row)?;
            has_header = true;
        }
    }
    match has_header {
        true => Ok(()),
        false => Err(builder.error("expected a first row `time,signal,values`, found nothing")),
    }
}

fn read_header(builder: &mut Builder<'_>, row: &[String]) -> Result<(), TraceError> {
    let name = |cell: &String| cell.trim().to_ascii_lowercase();
    let names: Vec<String> = row.iter().map(name).collect();
    let time = names[0].as_str();
    let is_header = (time == "time" || time.starts_with("time_"))
        && names.get(1).is_some_and(|name| name == "signal");
    if !is_header {
        let found = excerpt(&row.join(","));
        let message = format!("expected a first row `time,signal,values`, found `{found}`");
        return Err(builder.error(message));
    }
    if let Some(unit) = time.strip_prefix("time_") {
        let unit = Unit::named(unit).ok_or_else(|| {
            let unit = excerpt(unit);
            builder.error(format!("expected time_s, _ms, _us, _ns or _units, found `time_{unit}`"))
        })?;
        builder.unit = Some(unit);
    }
    Ok(())
}

fn read_row(builder: &mut Builder<'_>, row: &[String]) -> Result<(), TraceError> {
    let instants = builder.instant(&row[0])?;
    let name = row.get(1).map_or("", |cell| cell.trim());
    let cells = row.get(2..).unwrap_or_default();
    let n_cells = cells.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |at| at + 1);
    let mut values = Vec::new();
    for cell in &cells[..n_cells] {
        let parts =
            cell.split(|c: char| c.is_whitespace() || c == ';').filter(|part| !part.is_empty());
        let before = values.len();
        for part in parts {
            values.push(builder.value(part)?);
        }
        if values.len() == before {
            return Err(builder.error("expected a value, found an empty cell before others"));
        }
    }
    if name == "restart" && builder.interface.signal(name).is_none() {
        return builder.restart(instants);
    }
    if name.is_empty() {
        return match values.is_empty() {
            true => builder.pass(instants),
            false => Err(builder.error("expected a signal with these values")),
        };
    }
    let action = builder.action(name, None, values)?;
    builder.event(action, instants)
}

/// The rows of a table. A quoted cell may hold line ends, so a row can take several lines.
struct Rows<'t> {
    rest: &'t str,
    /// Where `rest` begins, counted from 1.
    line: u64,
    /// Known after the first row.
    separator: Option<char>,
}

impl Rows<'_> {
    fn next(&mut self) -> Result<Option<Vec<String>>, String> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let separator = *self.separator.get_or_insert_with(|| {
            let first = self.rest.lines().find(|line| line.contains("time")).unwrap_or_default();
            [',', ';', '\t'].into_iter().find(|c| first.contains(*c)).unwrap_or(',')
        });
        let mut row = Vec::new();
        loop {
            let (cell, end) = self.cell(separator)?;
            row.push(cell);
            if end != Some(separator) {
                return Ok(Some(row));
            }
        }
    }

    /// The next cell, and what stands after it: a separator, a line end, or nothing.
    fn cell(&mut self, separator: char) -> Result<(String, Option<char>), String> {
        let Some(quoted) = self.rest.strip_prefix('"') else {
            let end = self.rest.find([separator, '\n']).unwrap_or(self.rest.len());
            let cell = self.rest[..end].trim_end_matches('\r').to_owned();
            self.rest = &self.rest[end..];
            return Ok((cell, self.step()));
        };
        let (mut cell, mut rest) = (String::new(), quoted);
        loop {
            let Some(end) = rest.find('"') else {
                return Err("a quoted cell does not end; expected `\"`".to_owned());
            };
            cell.push_str(&rest[..end]);
            rest = &rest[end + 1..];
            match rest.strip_prefix('"') {
                Some(after) => {
                    cell.push('"');
                    rest = after;
                }
                None => break,
            }
        }
        self.line += cell.matches('\n').count() as u64;
        self.rest = rest.strip_prefix('\r').unwrap_or(rest);
        match self.rest.chars().next() {
            Some(c) if c != separator && c != '\n' => Err(format!(
                "expected `{}` or the end of the line after `\"`",
                separator.escape_debug()
            )),
            _ => Ok((cell, self.step())),
        }
    }

    fn step(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        self.line += u64::from(c == '\n');
        Some(c)
    }
}
