//! Tables of comma-separated values: the first line names the columns, quotes protect commas.

use std::collections::HashMap;

/// A line of a table, by column.
pub(crate) struct Row(HashMap<String, String>);

impl Row {
    /// What stands in a column; nothing where the table has none of this name.
    pub(crate) fn get(&self, column: &str) -> &str {
        self.0.get(column).map_or("", String::as_str)
    }
}

/// The lines below the first.
pub(crate) fn parse(text: &str) -> Vec<Row> {
    let mut records = records(text).into_iter();
    let Some(columns) = records.next() else { return Vec::new() };
    records.map(|fields| Row(columns.iter().cloned().zip(fields).collect())).collect()
}

fn records(text: &str) -> Vec<Vec<String>> {
    let mut records = vec![vec![String::new()]];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let record = records.last_mut().expect("there is always a record");
        let field = record.last_mut().expect("a record has a field");
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(String::new()),
            '\n' if !quoted => records.push(vec![String::new()]),
            '\r' if !quoted => {}
            c => field.push(c),
        }
    }
    records.retain(|record| record.len() > 1 || !record[0].is_empty());
    records
}

#[cfg(test)]
mod tests {
    #[test]
    fn quotes_protect_commas_and_quotes() {
        let rows = super::parse("a,b\n1,\"x, \"\"y\"\"\"\n\n2,z\n");
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].get("b"), "x, \"y\"");
        assert_eq!(rows[1].get("a"), "2");
        assert_eq!(rows[1].get("c"), "");
    }
}
