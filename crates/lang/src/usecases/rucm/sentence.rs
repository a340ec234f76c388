//! What a step is, by its keywords.

use std::ops::Range;

use super::{
    super::{
        lints::{self, Lint},
        sources::{Context, Reader},
    },
    lines::lower_case,
};
use crate::{Span, Text, diagnostic::Diagnostic};

/// What a step says. Ranges are those of its text.
pub(super) enum Said {
    Abort,
    /// The step to go on with.
    Resume(Range<usize>),
    EndIf,
    Else,
    Do,
    Until(Range<usize>),
    If(Range<usize>),
    ElseIf(Range<usize>),
    Validate(Range<usize>),
    Act(Vec<Act>),
    /// It was reported that this is no step.
    Nothing,
}

/// What somebody does.
pub(super) struct Act {
    /// The whole sentence.
    pub(super) range: Range<usize>,
    pub(super) kind: ActSaid,
}

pub(super) enum ActSaid {
    /// The name of the use case.
    Include(Range<usize>),
    ExtendedBy(Range<usize>),
    /// `giver` gives `data` to `taker`: sent, or asked for.
    Exchange {
        giver: Range<usize>,
        data: Range<usize>,
        taker: Range<usize>,
    },
    Plain,
}

/// A word of a text, without punctuation around it.
#[derive(Clone)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) range: Range<usize>,
}

impl Word<'_> {
    pub(super) fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }
}

/// The words of a part of a text.
pub(super) fn words(text: &str, within: Range<usize>) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut at = within.start;
    for piece in text[within].split_inclusive(char::is_whitespace) {
        let start = at;
        at += piece.len();
        let is_around = |c: char| !c.is_alphanumeric();
        let core = piece.trim_matches(is_around);
        if !core.is_empty() {
            let from = start + (piece.len() - piece.trim_start_matches(is_around).len());
            found.push(Word { text: core, range: from..from + core.len() });
        }
    }
    found
}

/// A part of a text without spaces around it and without a full stop at its end.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let is_end = |c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':');
    let end = part.trim_end_matches(is_end).len();
    let start = part[..end].len() - part[..end].trim_start().len();
    range.start + start..range.start + end
}

/// The sentences of a text: they end with a full stop before a space.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        let is_end = bytes[at] == b'.' && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
        let is_short = || text[..at].ends_with("e.g") || text[..at].ends_with("i.e");
        if is_end && !is_short() {
            found.push(trimmed(text, start..at + 1));
            start = at + 1;
        }
    }
    found.push(trimmed(text, start..text.len()));
    found.retain(|range| !range.is_empty());
    found
}

pub(super) struct Classifier<'c> {
    pub(super) context: &'c Context,
    pub(super) reader: &'c mut Reader,
}

impl Classifier<'_> {
    /// Warns of keywords that are not in capital letters.
    fn keyword(&mut self, lint: &Lint, text: &Text, words: &[Word<'_>], keyword: &str) {
        if words.iter().any(|word| word.text.chars().any(char::is_lowercase)) {
            let span = span_of(text, words);
            lower_case(self.context, self.reader, lint, keyword, span);
        }
    }

    fn warn(&mut self, lint: &Lint, span: Span, message: &str, help: &str) {
        self.context.lint(&mut self.reader.diagnostics, lint, span, message, help);
    }

    fn error(&mut self, span: Span, message: impl Into<String>, help: &str) -> Said {
        let wrong = Diagnostic::error("rucm::keyword", span, message);
        self.reader.diagnostics.push(wrong.help(help));
        Said::Nothing
    }

    /// What a step says.
    pub(super) fn step(&mut self, text: &Text) -> Said {
        let all = words(&text.text, 0..text.text.len());
        let Some(first) = all.first() else {
            return self.error(text.span, "a step that says nothing", "write a sentence");
        };
        let end = text.text.len();
        let is_alone = all.len() == 1;
        let behind = |n: usize| trimmed(&text.text, all[n - 1].range.end..end);
        match first.text.to_ascii_uppercase().as_str() {
            "ABORT" if is_alone || first.text == "ABORT" => {
                self.keyword(&lints::R24, text, &all[..1], "ABORT");
                if !is_alone {
                    let help = "write `ABORT.` alone";
                    self.warn(&lints::R24, text.span, "words behind ABORT are not read", help);
                }
                Said::Abort
            }
            "ENDIF" if is_alone => {
                self.keyword(&lints::R20, text, &all[..1], "ENDIF");
                Said::EndIf
            }
            "END" if all.len() == 2 && all[1].is("IF") => {
                self.warn(&lints::R20, text.span, "ENDIF is one word", "write `ENDIF`");
                Said::EndIf
            }
            "ELSE" if is_alone => {
                self.keyword(&lints::R20, text, &all[..1], "ELSE");
                Said::Else
            }
            "ELSE" if all[1].is("IF") => {
                let span = span_of(text, &all[..2]);
                self.warn(&lints::R20, span, "ELSEIF is one word", "write `ELSEIF … THEN`");
                Said::ElseIf(self.condition(text, &all, 2))
            }
            "ELSE" if first.text == "ELSE" => {
                let span = text.locate(behind(1));
                let help = "write ELSE as a step of its own, and the action in the next one";
                self.error(span, "ELSE stands alone", help);
                Said::Else
            }
            "ELSEIF" => {
                self.keyword(&lints::R20, text, &all[..1], "ELSEIF");
                Said::ElseIf(self.condition(text, &all, 1))
            }
            "IF" => {
                self.keyword(&lints::R20, text, &all[..1], "IF");
                Said::If(self.condition(text, &all, 1))
            }
            "DO" if is_alone => {
                self.keyword(&lints::R23, text, &all[..1], "DO");
                Said::Do
            }
            "DO" if first.text == "DO" => {
                let span = text.locate(behind(1));
                let help = "write DO as a step of its own, and the action in the next one";
                self.error(span, "DO stands alone", help);
                Said::Do
            }
            "UNTIL" => {
                self.keyword(&lints::R23, text, &all[..1], "UNTIL");
                match behind(1) {
                    range if range.is_empty() => {
                        let help = "write `UNTIL condition`";
                        self.error(text.span, "UNTIL without a condition", help);
                        Said::Until(0..end)
                    }
                    range => Said::Until(range),
                }
            }
            "RESUME" => self.resume(text, &all),
            _ => self.action_step(text, &all),
        }
    }

    /// The condition between the first words and `THEN`. If something is wrong with it, that is told, and the block begins all the same.
    fn condition(&mut self, text: &Text, all: &[Word<'_>], n: usize) -> Range<usize> {
        let then = all.iter().position(|word| word.text == "THEN");
        let then = then.or_else(|| all.iter().rposition(|word| word.is("then")));
        let end = match then {
            Some(at) => {
                self.keyword(&lints::R20, text, &all[at..=at], "THEN");
                if at + 1 < all.len() {
                    let span = text.locate(all[at + 1].range.start..text.text.trim_end().len());
                    let help = "write what follows THEN as a step of its own";
                    self.error(span, "a step behind THEN in the same line", help);
                }
                all[at].range.start
            }
            None => {
                let message = "IF without THEN";
                self.warn(&lints::R20, text.span, message, "write `IF condition THEN`");
                text.text.len()
            }
        };
        let start = all[n - 1].range.end.min(end);
        let range = trimmed(&text.text, start..end);
        if range.is_empty() {
            self.error(text.span, "IF without a condition", "write `IF condition THEN`");
        }
        range
    }

    fn resume(&mut self, text: &Text, all: &[Word<'_>]) -> Said {
        let has_step = all.get(1).is_some_and(|word| word.is("STEP"));
        let n = if has_step { 2 } else { 1 };
        self.keyword(&lints::R25, text, &all[..n], "RESUME STEP");
        if !has_step {
            let span = span_of(text, &all[..1]);
            self.warn(&lints::R25, span, "RESUME without STEP", "write `RESUME STEP number`");
        }
        match trimmed(&text.text, all[n - 1].range.end..text.text.len()) {
            range if range.is_empty() => {
                let help = "write `RESUME STEP 3`, or `RESUME STEP SAFA-3` for a step of another alternative flow";
                self.error(text.span, "RESUME does not say where", help)
            }
            range => Said::Resume(range),
        }
    }

    /// A step without a control keyword at its begin.
    fn action_step(&mut self, text: &Text, all: &[Word<'_>]) -> Said {
        let meanwhile: Vec<usize> = (0..all.len()).filter(|at| all[*at].is("MEANWHILE")).collect();
        if meanwhile.is_empty() {
            if let Some((at, n)) = validates(all) {
                self.keyword(&lints::R22, text, &all[at..at + n], "VALIDATES THAT");
                if n == 1 {
                    let span = span_of(text, &all[at..=at]);
                    let help = "write `VALIDATES THAT condition`";
                    self.warn(&lints::R22, span, "VALIDATES without THAT", help);
                }
                return match trimmed(&text.text, all[at + n - 1].range.end..text.text.len()) {
                    range if range.is_empty() => {
                        let help = "write `VALIDATES THAT condition`";
                        self.error(text.span, "VALIDATES THAT without a condition", help)
                    }
                    range => Said::Validate(range),
                };
            }
            return self
                .act(text, trimmed(&text.text, 0..text.text.len()))
                .map_or(Said::Nothing, |act| Said::Act(vec![act]));
        }
        let mut acts = Vec::new();
        let mut from = 0;
        for at in meanwhile.into_iter().map(Some).chain([None]) {
            let to = at.map_or(text.text.len(), |at| all[at].range.start);
            if let Some(at) = at {
                self.keyword(&lints::R21, text, &all[at..=at], "MEANWHILE");
            }
            let part = trimmed(&text.text, from..to);
            from = at.map_or(to, |at| all[at].range.end);
            let inner = words(&text.text, part.clone());
            if part.is_empty() {
                let help = "write `action MEANWHILE action`";
                return self.error(text.span, "an action is missing beside MEANWHILE", help);
            }
            if let Some((at, n)) = validates(&inner) {
                let span = span_of(text, &inner[at..at + n]);
                let help = "write the condition as a step of its own";
                return self.error(span, "a condition beside MEANWHILE", help);
            }
            match self.act(text, part) {
                Some(act) => acts.push(act),
                None => return Said::Nothing,
            }
        }
        Said::Act(acts)
    }

    fn act(&mut self, text: &Text, range: Range<usize>) -> Option<Act> {
        let all = words(&text.text, range.clone());
        let at = |words: &[&str]| {
            (all.windows(words.len())).position(|it| it.iter().zip(words).all(|(a, b)| a.is(b)))
        };
        type Kind = fn(Range<usize>) -> ActSaid;
        let references: [(&[&str], &Lint, &str, Kind); 3] = [
            (&["INCLUDE", "USE", "CASE"], &lints::R17, "INCLUDE USE CASE", ActSaid::Include),
            (&["INCLUDES", "USE", "CASE"], &lints::R17, "INCLUDE USE CASE", ActSaid::Include),
            (
                &["EXTENDED", "BY", "USE", "CASE"],
                &lints::R18,
                "EXTENDED BY USE CASE",
                ActSaid::ExtendedBy,
            ),
        ];
        for (keyword, lint, name, kind) in references {
            let Some(at) = at(keyword) else { continue };
            self.keyword(lint, text, &all[at..at + keyword.len()], name);
            let of = trimmed(&text.text, all[at + keyword.len() - 1].range.end..range.end);
            if of.is_empty() {
                self.error(text.span, format!("{name} without a name"), "name the use case");
                return None;
            }
            return Some(Act { range, kind: kind(of) });
        }
        for (verb, link, lint) in [("SENDS", "TO", &lints::R27), ("REQUESTS", "FROM", &lints::R28)]
        {
            let exact = all.iter().position(|word| word.text == verb);
            let Some(at) = exact.or_else(|| all.iter().position(|word| word.is(verb))) else {
                continue;
            };
            let behind = at + 1..all.len();
            let other = behind.clone().find(|it| all[*it].text == link);
            let other = other.or_else(|| behind.rev().find(|it| all[*it].is(link)));
            let subject = trimmed(&text.text, range.start..all[at].range.start);
            let object =
                other.map(|it| trimmed(&text.text, all[it].range.end..range.end)).unwrap_or(0..0);
            // In small letters it may be a noun, as in "drops requests from the panel".
            let is_verb = [&subject, &object].iter().any(|it| is_system(&text.text[(*it).clone()]));
            if exact.is_none() && !is_verb {
                continue;
            }
            let Some(other) = other else {
                let message = format!("{verb} without {link}");
                let help = format!("write `X {verb} data {link} Y`");
                let span = span_of(text, &all[at..=at]);
                if exact.is_some() {
                    self.error(span, message, &help);
                    return None;
                }
                self.warn(&lints::R7, span, &message, &help);
                continue;
            };
            let name = format!("{verb} … {link}");
            let both = [all[at].clone(), all[other].clone()];
            self.keyword(lint, text, &both, &name);
            let data = trimmed(&text.text, all[at].range.end..all[other].range.start);
            let parts = [(&subject, "who"), (&data, "what"), (&object, "whom")];
            if let Some((_, what)) = parts.iter().find(|(part, _)| part.is_empty()) {
                let message = format!("{what} is missing beside {verb} … {link}");
                let help = format!("write `X {verb} data {link} Y`");
                self.error(text.span, message, &help);
                return None;
            }
            let (giver, taker) = match verb {
                "SENDS" => (subject, object),
                _ => (object, subject),
            };
            return Some(Act { range, kind: ActSaid::Exchange { giver, data, taker } });
        }
        Some(Act { range, kind: ActSaid::Plain })
    }
}

/// Where `VALIDATES THAT` stands, and how many words it has.
fn validates(all: &[Word<'_>]) -> Option<(usize, usize)> {
    let is_that = |at: usize| all.get(at + 1).is_some_and(|word| word.is("THAT"));
    let exact = all.iter().position(|word| word.text == "VALIDATES");
    let loose = || (0..all.len()).find(|at| all[*at].is("VALIDATES") && is_that(*at));
    let at = exact.or_else(loose)?;
    Some((at, if is_that(at) { 2 } else { 1 }))
}

/// The place of some neighbouring words.
pub(super) fn span_of(text: &Text, words: &[Word<'_>]) -> Span {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => text.locate(first.range.start..last.range.end),
        _ => text.span,
    }
}

/// Whether words name the system.
pub(super) fn is_system(text: &str) -> bool {
    let all = words(text, 0..text.len());
    match all.as_slice() {
        [one] => one.is("system"),
        [article, one] => article.is_any(&["the", "this", "a"]) && one.is("system"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_system, sentences, trimmed};

    #[test]
    fn sentences_end_with_a_full_stop_before_a_space() {
        let text = "A is 2.5 p. B is on, e.g. now.  C";
        let found: Vec<&str> = sentences(text).into_iter().map(|it| &text[it]).collect();
        assert_eq!(found, ["A is 2.5 p", "B is on, e.g. now", "C"]);
    }

    #[test]
    fn the_system_is_told_by_its_name() {
        assert!(is_system("The system") && is_system("system") && !is_system("the seat system"));
        assert_eq!(trimmed(" a b. ", 0..6), 1..4);
    }
}
