//! What people say of tests, as CSV: the columns `sut`, `test` and `label`, others are ignored.

/// A line of such a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelLine {
    /// The line, from 1.
    pub line: usize,
    /// The system.
    pub system: String,
    /// The test, from 0.
    pub test: usize,
    /// What is said of it.
    pub label: String,
}

/// Reads labels.
///
/// # Errors
/// A sentence that says what is wrong, and in which line.
pub fn labels(text: &str) -> Result<Vec<LabelLine>, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let header = lines.next().map_or("", |(_, line)| line.trim_start_matches('\u{feff}'));
    let names: Vec<&str> = header.split(',').map(str::trim).collect();
    let column = |wanted: &[&str]| {
        let found = names.iter().position(|name| wanted.contains(name));
        found.ok_or_else(|| format!("line 1: there is no column `{}`", wanted[0]))
    };
    let (system, test, label) =
        (column(&["sut", "system"])?, column(&["test"])?, column(&["label"])?);
    let mut labels = Vec::new();
    for (number, line) in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let cell = |at: usize| {
            let found = cells.get(at).filter(|it| !it.is_empty());
            found.ok_or_else(|| format!("line {}: `{}` is missing", number + 1, names[at]))
        };
        let number_of = cell(test)?;
        let test = number_of.parse::<usize>().map_err(|_| {
            format!("line {}: `{number_of}` is not the number of a test", number + 1)
        })?;
        labels.push(LabelLine {
            line: number + 1,
            system: (*cell(system)?).to_owned(),
            test,
            label: (*cell(label)?).to_owned(),
        });
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_names() {
        let read = labels("test,sut,first,label\n\n3,pump,7, fault \n").unwrap();
        let expected = LabelLine { line: 3, system: "pump".into(), test: 3, label: "fault".into() };
        assert_eq!(read, [expected]);
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        let wrong = |text| labels(text).unwrap_err();
        assert_eq!(wrong("sut,test\n"), "line 1: there is no column `label`");
        assert_eq!(wrong("sut,test,label\na,x,pass\n"), "line 2: `x` is not the number of a test");
        assert_eq!(wrong("sut,test,label\na,1\n"), "line 2: `label` is missing");
    }
}
