//! Relations between classes: `A "1" *-- "errors 1..*" B : has`.

use punctual_model::usecases::Multiplicity;

use super::lines::{Line, Name, is_identifier};
use crate::diagnostic::Diagnostic;

/// A relation between two classes.
pub(in super::super) enum Relation {
    Inheritance { parent: Name, child: Name },
    Association { ends: [End; 2] },
}

/// One side of an association.
pub(in super::super) struct End {
    pub(super) class: Name,
    pub(super) role: Option<Name>,
    pub(super) multiplicity: Option<Multiplicity>,
    /// Whether objects at the other end reach those at this one.
    pub(super) is_navigable: bool,
}

/// What an arrow ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tip {
    None,
    /// `<|`, `|>` and `^`.
    Triangle,
    /// `<` and `>`.
    Open,
    /// `*`, `o`, `+`, `#`, `x`: the other side knows this one all the same.
    Other,
}

const TIPS: [(&str, Tip); 10] = [
    ("<|", Tip::Triangle),
    ("|>", Tip::Triangle),
    ("^", Tip::Triangle),
    ("<", Tip::Open),
    (">", Tip::Open),
    ("*", Tip::Other),
    ("o", Tip::Other),
    ("+", Tip::Other),
    ("#", Tip::Other),
    ("x", Tip::Other),
];

/// The relation of a line. `Ok(None)` is a relation that means nothing here, `Err(None)` none at all.
pub(super) fn read(line: Line<'_>) -> Result<Option<Relation>, Option<Box<Diagnostic>>> {
    let text = line.text;
    let mut at = identifier(text, 0).ok_or(None)?;
    let left = line.part(0, at);
    let (left_quote, next) = quote(line, at)?;
    at = next;
    let (left_tip, next) = tip(text, at);
    at = next;
    let Some((is_dotted, next)) = shaft(text, at) else { return Err(None) };
    at = next;
    let (right_tip, next) = tip(text, at);
    at = next;
    let (right_quote, next) = quote(line, at)?;
    at = skip(text, next);
    let end = identifier(text, at).ok_or_else(|| Some(Box::new(no_class(line))))?;
    let right = line.part(at, end);
    let label = line.part(end, text.len());
    let label = match label.text.strip_prefix(':') {
        Some(_) => label.part(1, label.text.len()),
        None if label.text.is_empty() => label,
        None => {
            let help = "write `A \"1\" -- \"role 0..*\" B : label`";
            let wrong = Diagnostic::error("puml::syntax", label.span(), "this is not understood");
            return Err(Some(Box::new(wrong.help(help))));
        }
    };
    if left_tip == Tip::Triangle || right_tip == Tip::Triangle {
        let (parent, child) = match left_tip {
            Tip::Triangle => (left, right),
            _ => (right, left),
        };
        return Ok(Some(Relation::Inheritance { parent: parent.name(), child: child.name() }));
    }
    if is_dotted {
        return Ok(None);
    }
    let (left_role, left_number) = role(left_quote)?;
    let (mut right_role, right_number) = role(right_quote)?;
    // An arrow with a tip goes one way; without one, or with a diamond, both ways.
    let is_open = [left_tip, right_tip].map(|tip| tip == Tip::Open);
    let is_both = !is_open[0] && !is_open[1];
    let (to_left, to_right) = (is_both || is_open[0], is_both || is_open[1]);
    // A label that is a name calls the end that an arrow goes to.
    let label = label.part(0, label.text.trim_end_matches(['<', '>', ' ']).len());
    let mut left_role = left_role;
    if is_identifier(label.text) {
        match (to_left, to_right) {
            (true, false) => left_role = left_role.or(Some(label.name())),
            (_, true) => right_role = right_role.or(Some(label.name())),
            (false, false) => {}
        }
    }
    let end = |class: Line<'_>, role, multiplicity, is_navigable| End {
        class: class.name(),
        role,
        multiplicity,
        is_navigable,
    };
    let left = end(left, left_role, left_number, to_left);
    let right = end(right, right_role, right_number, to_right);
    Ok(Some(Relation::Association { ends: [left, right] }))
}

fn no_class(line: Line<'_>) -> Diagnostic {
    let help = "write a class on each side of an arrow";
    Diagnostic::error("puml::syntax", line.span(), "a class is missing beside the arrow").help(help)
}

fn skip(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// Where the identifier that begins here ends.
fn identifier(text: &str, at: usize) -> Option<usize> {
    let at = skip(text, at);
    let length = text[at..].find(|c: char| !c.is_alphanumeric() && c != '_');
    let end = length.map_or(text.len(), |length| at + length);
    is_identifier(&text[at..end]).then_some(end)
}

/// What stands between quotes, if there are some, and where what follows begins.
fn quote<'t>(
    line: Line<'t>,
    at: usize,
) -> Result<(Option<Line<'t>>, usize), Option<Box<Diagnostic>>> {
    let at = skip(line.text, at);
    if !line.text[at..].starts_with('"') {
        return Ok((None, at));
    }
    let Some(length) = line.text[at + 1..].find('"') else {
        let span = line.part(at, line.text.len()).span();
        let wrong = Diagnostic::error("puml::syntax", span, "the quote does not end");
        return Err(Some(Box::new(wrong)));
    };
    Ok((Some(line.part(at + 1, at + 1 + length)), at + length + 2))
}

fn tip(text: &str, at: usize) -> (Tip, usize) {
    let at = skip(text, at);
    let found = TIPS.iter().find(|(mark, _)| {
        let Some(rest) = text[at..].strip_prefix(mark) else { return false };
        // A letter is a tip only beside the shaft of an arrow.
        let is_letter = *mark == "o" || *mark == "x";
        let is_before = rest.starts_with(['-', '.']);
        let is_behind = at > 0 && text[..at].ends_with(['-', '.']);
        let is_end = rest.is_empty() || rest.starts_with([' ', '\t', '"']);
        !is_letter || is_before || is_behind && is_end
    });
    match found {
        Some((mark, tip)) => (*tip, at + mark.len()),
        None => (Tip::None, at),
    }
}

/// Whether the shaft of an arrow is dotted or hidden, and where it ends.
fn shaft(text: &str, at: usize) -> Option<(bool, usize)> {
    let at = skip(text, at);
    let mut rest = &text[at..];
    let mut is_dotted = rest.starts_with('.');
    if !rest.starts_with(['-', '.']) {
        return None;
    }
    loop {
        rest = rest.trim_start_matches(['-', '.']);
        if let Some(end) = rest.starts_with('[').then(|| rest.find(']')).flatten() {
            is_dotted |= rest[..end].contains("hidden");
            rest = &rest[end + 1..];
            continue;
        }
        let directions = ["left", "right", "up", "down", "le", "ri", "do", "l", "r", "u", "d"];
        let behind = directions
            .iter()
            .find_map(|it| rest.strip_prefix(it).filter(|rest| rest.starts_with(['-', '.'])));
        match behind {
            Some(behind) => rest = behind,
            None => return Some((is_dotted, text.len() - rest.len())),
        }
    }
}

/// The role and the multiplicity of an end.
#[expect(clippy::type_complexity, reason = "both parts, or what is wrong")]
fn role(
    quote: Option<Line<'_>>,
) -> Result<(Option<Name>, Option<Multiplicity>), Option<Box<Diagnostic>>> {
    let Some(quote) = quote else { return Ok((None, None)) };
    let (mut role, mut number) = (None, None);
    let mut start = 0;
    for word in quote.text.split_inclusive(char::is_whitespace) {
        let part = quote.part(start, start + word.len());
        start += word.len();
        let part = match part.text.strip_prefix(['+', '-', '#', '~']) {
            Some(_) => part.part(1, part.text.len()),
            None => part,
        };
        if part.text.is_empty() {
            continue;
        }
        let value = multiplicity(part.text);
        if let (Some(value), None) = (value, number) {
            number = Some(value);
        } else if is_identifier(part.text) && role.is_none() {
            role = Some(part.name());
        } else {
            let message = format!("`{}` is neither a role nor a multiplicity", part.text);
            let help = "write a role, a multiplicity such as `1`, `0..1` or `1..*`, or both: `\"errors 1..*\"`";
            let wrong = Diagnostic::error("puml::multiplicity", part.span(), message).help(help);
            return Err(Some(Box::new(wrong)));
        }
    }
    Ok((role, number))
}

/// Reads `1`, `*`, `0..1`, `1..*`.
pub(super) fn multiplicity(text: &str) -> Option<Multiplicity> {
    let text = text.trim();
    if text == "*" {
        return Some(Multiplicity::ANY);
    }
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let least: u32 = least.trim().parse().ok()?;
    let most = match most.trim() {
        "*" => None,
        most => Some(most.parse::<u32>().ok()?),
    };
    let is_order = most.is_none_or(|most| least <= most && most > 0);
    is_order.then_some(Multiplicity { least, most })
}

#[cfg(test)]
mod tests {
    use super::{Multiplicity, multiplicity};

    #[test]
    fn multiplicities() {
        let some = |least, most| Some(Multiplicity { least, most });
        assert_eq!(multiplicity("1"), some(1, Some(1)));
        assert_eq!(multiplicity("0..1"), some(0, Some(1)));
        assert_eq!(multiplicity(" 2 .. * "), some(2, None));
        assert_eq!(multiplicity("*"), some(0, None));
        for wrong in ["", "2..1", "0", "n", "1..", "-1", "99999999999"] {
            assert_eq!(multiplicity(wrong), None, "{wrong}");
        }
    }
}
