//! What is said on standard error, beside the results.
//!
//! Nobody may be there to hear it: a closed or full standard error ends no command and changes no exit code.
//! Control characters, which a terminal would obey, come from files and are shown as `\u{fffd}`.

use std::io::Write as _;

/// Says a line on standard error.
macro_rules! tell {
    ($($text:tt)*) => { $crate::tell::line(&format!($($text)*)) };
}

/// Says a line.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", harmless(text));
}

/// Says a text that is painted already, as it is.
pub(crate) fn painted(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// The text without what a terminal would obey.
pub(crate) fn harmless(text: &str) -> String {
    let mut chars = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if chars.peek() == Some(&'\n') => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn escape_codes_are_shown_and_not_obeyed() {
        assert_eq!(
            harmless("a\u{1b}[31mb\u{9b}2J\u{7}\n\tc\r\n"),
            "a\u{fffd}[31mb\u{fffd}2J\u{fffd}\n\tc\r\n"
        );
    }
}
