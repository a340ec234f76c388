//! Command lines as words.

/// The words of a command line, as a POSIX shell splits it, but without expansions: `'…'` is taken as it
/// is, in `"…"` a backslash stands before `"`, `\`, `$` and `` ` ``, elsewhere it takes away the meaning of
/// what follows.
///
/// # Errors
/// A sentence that says what is wrong: a quote that does not end, or a character by which a shell would do
/// something.
///
/// ```
/// let words = punctual_lang::testing::words(r#"python3 'my machine.py' --name "a b" c\ d"#);
/// assert_eq!(words.unwrap(), ["python3", "my machine.py", "--name", "a b", "c d"]);
/// ```
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            c if c.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err("a quote `'` does not end".to_owned()),
                    }
                }
            }
            '"' => quoted(word.get_or_insert_default(), &mut rest)?,
            '\\' => match rest.next() {
                Some('\n') => {}
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err("nothing follows the backslash at the end".to_owned()),
            },
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '`' | '$' => return Err(shell(c)),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quoted(word: &mut String, rest: &mut std::str::Chars<'_>) -> Result<(), String> {
    let open = || "a quote `\"` does not end".to_owned();
    loop {
        match rest.next().ok_or_else(open)? {
            '"' => return Ok(()),
            '\\' => match rest.next().ok_or_else(open)? {
                c @ ('"' | '\\' | '$' | '`') => word.push(c),
                '\n' => {}
                c => word.extend(['\\', c]),
            },
            c @ ('$' | '`') => return Err(shell(c)),
            c => word.push(c),
        }
    }
}

fn shell(c: char) -> String {
    format!(
        "`{c}` would need a shell; quote it as `'{c}'` if it is meant as it is, or run `sh -c '…'`"
    )
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn quotes_and_backslashes() {
        let split = |text: &str| words(text).unwrap();
        assert_eq!(split(""), [""; 0]);
        assert_eq!(split("  a\t b\n"), ["a", "b"]);
        assert_eq!(split(r#"'a b'"c d"e\ f"#), ["a bc de f"]);
        assert_eq!(split(r#"'' "" x"#), ["", "", "x"]);
        assert_eq!(split(r#""a\"b\\c\d" '\' \'"#), [r#"a"b\c\d"#, "\\", "'"]);
        assert_eq!(split("a\\\nb"), ["ab"]);
        assert_eq!(split("é 'ü'"), ["é", "ü"]);
    }

    #[test]
    fn what_needs_a_shell_is_refused() {
        for text in
            ["'a", "\"a", "a\\", "\"a\\", "a | b", "a > f", "$HOME", "\"$HOME\"", "a; b", "`a`"]
        {
            assert!(words(text).is_err(), "{text}");
        }
        assert_eq!(words("'a | b' \\$x").unwrap(), ["a | b", "$x"]);
    }
}
