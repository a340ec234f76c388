//! Text in drawings: what may be shown, how wide it is, and where it may be broken.
//!
//! Widths are estimates from a table of a wide sans-serif face, since a drawing is made without
//! knowing the fonts of the machine that shows it. Being too wide costs a little space; being too
//! narrow would let texts touch.

/// The height of a line of label text, as UPPAAL's editor spaces labels.
pub(crate) const LINE: f64 = 15.0;
/// The size of label text.
pub(crate) const SIZE: f64 = 12.0;
/// Where a label without a position is broken.
pub(crate) const COLUMNS: usize = 60;
/// Where a label with a position is broken: its author saw it unbroken, so only when it is absurd.
pub(crate) const COLUMNS_PLACED: usize = 120;
/// More lines than this are cut.
const LINES_MAX: usize = 60;

/// The lines to show for `text`, none longer than about `columns` characters.
///
/// Characters that XML forbids are dropped, blank lines around the text too.
pub(crate) fn lines(text: &str, columns: usize) -> Vec<String> {
    lines_up_to(text, columns, LINES_MAX)
}

/// Like [`lines`], with a limit on their number.
pub(crate) fn lines_up_to(text: &str, columns: usize, limit: usize) -> Vec<String> {
    let clean = clean(text);
    let mut lines: Vec<String> = Vec::new();
    let body = clean.trim_end();
    for line in body.lines().skip_while(|line| line.trim().is_empty()) {
        if lines.len() > limit {
            break;
        }
        wrap(line.trim_end(), columns, limit, &mut lines);
    }
    if lines.len() > limit {
        lines.truncate(limit);
        lines.push("…".to_string());
    }
    lines
}

/// The text on one line, whatever it was before.
pub(crate) fn one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Drops what XML 1.0 forbids and what reorders text for the reader's eye only.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\t' => out.push_str("    "),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Breaks one line near operators, commas or spaces; continued lines are indented.
fn wrap(line: &str, columns: usize, limit: usize, lines: &mut Vec<String>) {
    // What lies beyond the last line that can be shown need not be looked at.
    let chars: Vec<char> =
        line.chars().take(columns.saturating_mul(limit.saturating_add(2))).collect();
    let own_indent = chars.iter().take_while(|c| **c == ' ').count().min(columns / 3);
    let (mut rest, mut indent) = (&chars[..], 0);
    while rest.len() + indent > columns && lines.len() <= limit {
        let (head, tail) = rest.split_at(break_before(rest, columns - indent));
        push_line(head, indent, lines);
        let n_spaces = tail.iter().take_while(|c| **c == ' ').count();
        (rest, indent) = (&tail[n_spaces..], own_indent + 2);
    }
    push_line(rest, indent, lines);
}

fn push_line(chars: &[char], indent: usize, lines: &mut Vec<String>) {
    let line: String = std::iter::repeat_n(&' ', indent).chain(chars).collect();
    lines.push(line.trim_end().to_string());
}

/// The best place to break within the first `columns` characters; at least half of them are kept.
fn break_before(chars: &[char], columns: usize) -> usize {
    let mut best = (0, columns);
    for at in columns / 2..=columns.min(chars.len() - 1) {
        let (before, here) = (chars[at - 1], chars[at]);
        let next = chars.get(at + 1).copied().unwrap_or(' ');
        let quality = match (before, here) {
            (_, '&' | '|') if here == next => 4,
            (';', _) => 4,
            (',', _) => 3,
            (_, '?' | ':') if before == ' ' => 3,
            (' ', _) => 2,
            (a, b) if a.is_alphanumeric() != b.is_alphanumeric() && !is_opening(b) => 1,
            _ => 0,
        };
        if quality > 0 && quality >= best.0 {
            best = (quality, at);
        }
    }
    best.1
}

fn is_opening(c: char) -> bool {
    matches!(c, '(' | '[' | '.' | '_')
}

/// The estimated width of `text` at font size `size`.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(char_width).sum::<f64>() * size
}

/// `text`, cut to fit into `limit` at font size `size`; an ellipsis says that something is missing.
pub(crate) fn shortened(text: &str, size: f64, limit: f64) -> String {
    let (mut used, mut fits) = (0.0, 0);
    for (at, c) in text.char_indices() {
        // Accents have no width, but a thousand of them on one letter are too many.
        used += char_width(c).max(0.05) * size;
        if used > limit {
            let head = text[..fits].trim_end();
            return format!("{head}…");
        }
        if used + char_width('…') * size <= limit {
            fits = at + c.len_utf8();
        }
    }
    text.to_string()
}

/// The words of `text` on lines that fit into `limit` at font size `size`; at most `n_max` lines,
/// the last of them cut where that is not enough.
pub(crate) fn filled(text: &str, size: f64, limit: f64, n_max: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_last = lines.len() == n_max;
        match lines.last_mut() {
            Some(line) if is_last || width(line, size) + width(word, size) + size < limit => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
        if is_last && lines.last().is_some_and(|line| width(line, size) > limit) {
            break;
        }
    }
    lines.iter().map(|line| shortened(line, size, limit)).collect()
}

/// The widest of `lines` at label size.
pub(crate) fn widest(lines: &[String]) -> f64 {
    lines.iter().map(|line| width(line, SIZE)).fold(0.0, f64::max)
}

fn char_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 0.30,
        ' ' | '.' | ',' | ':' | ';' | '!' | 'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' => 0.40,
        '"' | '/' | '\\' | '-' => 0.45,
        'm' | 'M' | 'W' | '%' | '@' => 0.97,
        '=' | '<' | '>' | '+' | '~' | '^' | '#' | 'w' => 0.82,
        '&' => 0.78,
        'A'..='Z' => 0.70,
        'a'..='z' | '0'..='9' | '_' | '?' | '*' => 0.63,
        '\u{300}'..='\u{36f}' => 0.0,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' => 1.0,
        '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f000}'..='\u{1faff}' => 1.1,
        '\u{20000}'..='\u{3ffff}' => 1.0,
        _ => 0.75,
    }
}
