//! The field Dependency, compared with what steps include and are extended by.
//!
//! Steps decide what happens; the field is for readers, so whatever is wrong with it is a warning. A use case without the field says nothing.

use std::ops::Range;

use punctual_model::{Id, UseCaseId};

use super::{
    super::{lints, names::normal},
    build::{Builder, is_said},
    lines::RawUseCase,
    sentence::{Word, sentences, trimmed, words},
};
use crate::{Span, Text};

/// A use case that a step names.
#[derive(Clone, Copy)]
pub(super) struct Reference {
    pub(super) to: UseCaseId,
    /// Where the name stands.
    pub(super) span: Span,
    /// True for `EXTENDED BY`.
    pub(super) is_extension: bool,
}

/// How a use case depends on another, as the field says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Includes,
    ExtendedBy,
    /// A step of the other one includes this one.
    IncludedBy,
    /// A step of the other one is extended by this one.
    Extends,
}

impl Builder<'_> {
    /// Says where the fields and the steps of use cases differ.
    pub(super) fn dependencies(&mut self, raws: &[(usize, RawUseCase)]) {
        for (at, (file, raw)) in raws.iter().enumerate() {
            let Some(field) = &raw.dependency else { continue };
            self.file = *file;
            self.reader().diagnostics.enter(format!("use case {}", raw.name.text));
            self.compare(UseCaseId::from_index(at), field, raws);
            self.reader().diagnostics.leave();
        }
    }

    fn compare(&mut self, id: UseCaseId, field: &Text, raws: &[(usize, RawUseCase)]) {
        let mut said = Vec::new();
        for (way, range) in items(&field.text) {
            let ranges = match self.names.contains_key(&normal(&field.text[range.clone()])) {
                true => vec![range],
                false => joined(&field.text, range),
            };
            for range in ranges {
                let (name, span) = (&field.text[range.clone()], field.locate(range));
                match self.names.get(&normal(name)).copied() {
                    Some(to) => {
                        said.push((way, to));
                        self.is_done(id, way, to, name, span);
                    }
                    None => {
                        let names = raws.iter().map(|(_, raw)| raw.name.text.as_str());
                        let help = self.context.hints.help(name, names);
                        let help =
                            help.unwrap_or_else(|| "no file of the folder has it".to_owned());
                        let message = format!("there is no use case `{name}`");
                        self.lint(&lints::DEPENDENCY, span, message, &help);
                    }
                }
            }
        }
        let mut told = Vec::new();
        for it in self.references[id.index()].clone() {
            let way = if it.is_extension { Way::ExtendedBy } else { Way::Includes };
            let is_said = said.iter().any(|(w, to)| *to == it.to && w.is_none_or(|w| w == way));
            if !is_said && !told.contains(&(it.to, it.is_extension)) {
                told.push((it.to, it.is_extension));
                let name = &raws[it.to.index()].1.name.text;
                let message = format!("the field Dependency does not name `{name}`");
                let help = format!("add `{} USE CASE {name}` to the field", keyword(way));
                self.lint(&lints::DEPENDENCY, it.span, message, &help);
            }
        }
    }

    /// Warns unless some step does what the field says.
    fn is_done(&mut self, id: UseCaseId, way: Option<Way>, to: UseCaseId, name: &str, span: Span) {
        let names = |from: UseCaseId, to: UseCaseId, is_extension: Option<bool>| {
            let fits =
                |it: &Reference| it.to == to && is_extension.is_none_or(|e| e == it.is_extension);
            self.references[from.index()].iter().any(fits)
        };
        let (is_done, message) = match way {
            None => (names(id, to, None), format!("no step names the use case `{name}`")),
            Some(Way::Includes) => {
                (names(id, to, Some(false)), format!("no step includes the use case `{name}`"))
            }
            Some(Way::ExtendedBy) => {
                (names(id, to, Some(true)), format!("no step is extended by the use case `{name}`"))
            }
            Some(Way::IncludedBy) => {
                (names(to, id, Some(false)), format!("no step of `{name}` includes this use case"))
            }
            Some(Way::Extends) => (
                names(to, id, Some(true)),
                format!("no step of `{name}` is extended by this use case"),
            ),
        };
        if !is_done {
            let keyword = keyword(way.unwrap_or(Way::Includes));
            let help = format!(
                "write `{keyword} USE CASE …` where it happens, or take it out of the field"
            );
            self.lint(&lints::DEPENDENCY, span, message, &help);
        }
    }
}

/// What steps say for a dependency.
fn keyword(way: Way) -> &'static str {
    match way {
        Way::Includes | Way::IncludedBy => "INCLUDE",
        Way::ExtendedBy | Way::Extends => "EXTENDED BY",
    }
}

/// The names of a field, each with the words before it; a name without such words has those of the name before.
fn items(text: &str) -> Vec<(Option<Way>, Range<usize>)> {
    let mut found = Vec::new();
    let mut way = None;
    for sentence in sentences(text) {
        let mut start = sentence.start;
        for piece in text[sentence.clone()].split_inclusive([',', ';', ':']) {
            let range = trimmed(text, start..start + piece.len());
            start += piece.len();
            if !is_said(&text[range.clone()]) {
                continue;
            }
            let all = words(text, range.clone());
            let (new, mut n) = begin(&all);
            way = new.or(way);
            if all.get(n).is_some_and(|it| it.is("use"))
                && all.get(n + 1).is_some_and(|it| it.is_any(&["case", "cases"]))
            {
                n += 2;
            }
            if let Some(first) = all.get(n) {
                found.push((way, first.range.start..range.end));
            }
        }
    }
    found
}

/// The way that words begin with, and how many words say it.
fn begin(all: &[Word<'_>]) -> (Option<Way>, usize) {
    let is_by = all.get(1).is_some_and(|it| it.is("by"));
    match all.first() {
        Some(it) if it.is_any(&["include", "includes"]) => (Some(Way::Includes), 1),
        Some(it) if it.is("included") && is_by => (Some(Way::IncludedBy), 2),
        Some(it) if it.is("extended") && is_by => (Some(Way::ExtendedBy), 2),
        Some(it) if it.is_any(&["extend", "extends"]) => (Some(Way::Extends), 1),
        _ => (None, 0),
    }
}

/// The parts of a range that `and` joins.
fn joined(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = range.start;
    for word in words(text, range.clone()).iter().filter(|word| word.is("and")) {
        found.push(trimmed(text, start..word.range.start));
        start = word.range.end;
    }
    found.push(trimmed(text, start..range.end));
    found.retain(|it| !it.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::{Way, items, joined};

    #[test]
    fn a_field_names_use_cases() {
        let text = "INCLUDE USE CASE Start, Stop; extended by use case Rinse. None";
        let found: Vec<_> = items(text).into_iter().map(|(way, at)| (way, &text[at])).collect();
        let expected = [
            (Some(Way::Includes), "Start"),
            (Some(Way::Includes), "Stop"),
            (Some(Way::ExtendedBy), "Rinse"),
        ];
        assert_eq!(found, expected);
        let text = "Start and Stop";
        let found: Vec<&str> =
            joined(text, 0..text.len()).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, ["Start", "Stop"]);
    }
}
