//! From sentences to checks, as a table of commas.

use crate::view::scenarios::Chain;

/// The table with a line of names. Fields with commas, quotes or line breaks stand in quotes.
#[must_use]
pub fn csv(chain: &[Chain]) -> String {
    let mut out = "file,line,sentence,scenario,edge,case,check\n".to_owned();
    for it in chain {
        let line = it.line.to_string();
        let fields = [&it.file, &line, &it.sentence, &it.scenario, &it.edge, &it.case, &it.check];
        let fields = fields.map(|field| quoted(field));
        out.push_str(&fields.join(","));
        out.push('\n');
    }
    out
}

fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, csv};

    #[test]
    fn commas_and_quotes_stay_in_their_field() {
        let row = Chain { sentence: "a, \"b\"".into(), line: 3, ..Chain::default() };
        assert_eq!(csv(&[row]).lines().nth(1), Some(",3,\"a, \"\"b\"\"\",,,,"));
    }
}
