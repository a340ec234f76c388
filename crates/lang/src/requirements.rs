//! Requirements: which sentence of a specification a part of a model stands for.
//!
//! The rule: `requirement: NAME` in a comment. The name ends at the next white space, comma or semicolon. An edge has the
//! requirement that its own comment names, else the one of the location that it enters, else the one of the location that
//! it leaves, else the one that a comment among the declarations of its template names. In XTA, the comment of an edge
//! stands inside of its braces, and locations have none.

use std::collections::BTreeMap;
use std::ops::Range;

use punctual_model::{EdgeId, Id, ProcessId};

use crate::{
    Model, Span,
    document::{Document, LabelKind, Location, Template},
};

/// The word before the name of a requirement.
const WORD: &str = "requirement:";

/// The requirement of each edge that has one.
pub type Requirements = BTreeMap<(ProcessId, EdgeId), String>;

/// The requirements of a model. Formats without comments have none.
#[must_use]
pub fn requirements(model: &Model) -> Requirements {
    let mut found = Requirements::new();
    let Some(document) = &model.document else { return found };
    for (id, process) in model.network.processes.enumerate() {
        let named = document.templates.iter().find(|it| it.name.text.trim() == process.template);
        let (Some(template), Some(spans)) = (named, model.source_map.processes.get(id)) else {
            continue;
        };
        let common = in_comments(&template.declarations.text);
        for (number, span) in spans.edges.iter().enumerate() {
            let requirement = of_edge(template, *span).or_else(|| common.clone());
            if let Some(requirement) = requirement {
                found.insert((id, EdgeId::from_index(number)), requirement);
            }
        }
    }
    found
}

/// All requirements that a document names, also those of edges that nothing takes.
#[must_use]
pub fn named(document: &Document) -> Vec<String> {
    let mut found = std::collections::BTreeSet::new();
    for template in &document.templates {
        let comment = |it: Option<&crate::Text>| it.and_then(|text| name_in(&text.text));
        let locations = template.locations.iter().map(|it| it.label(&LabelKind::Comments));
        let edges = template.edges.iter().map(|it| it.label(&LabelKind::Comments));
        found.extend(locations.chain(edges).filter_map(comment));
        found.extend(in_comments(&template.declarations.text));
    }
    found.into_iter().collect()
}

/// The requirement of the edge that stands at a place, without that of its template.
fn of_edge(template: &Template, span: Span) -> Option<String> {
    let edge = template.edges.iter().find(|edge| edge.span == span)?;
    let own = edge.label(&LabelKind::Comments).and_then(|text| name_in(&text.text));
    let of_location = |id: &str| {
        let location: Option<&Location> = template.locations.iter().find(|it| it.id == id);
        location.and_then(|it| it.label(&LabelKind::Comments)).and_then(|it| name_in(&it.text))
    };
    own.or_else(|| of_location(&edge.target.0)).or_else(|| of_location(&edge.source.0))
}

/// The name of the requirement in a comment.
fn name_in(comment: &str) -> Option<String> {
    let lower = comment.to_ascii_lowercase();
    let rest = comment[lower.find(WORD)? + WORD.len()..].trim_start_matches([' ', '\t']);
    let name = rest.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// The first requirement in comments of declarations.
fn in_comments(declarations: &str) -> Option<String> {
    name_in(&declarations[naming(declarations)?])
}

/// Where the inside of the first comment stands, in a text of the language, that names a requirement.
pub(crate) fn naming(text: &str) -> Option<Range<usize>> {
    comments(text).find(|inside| name_in(&text[inside.clone()]).is_some())
}

/// Where the insides of comments stand in a text of the language.
pub(crate) fn comments(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(slash) = text[at..].find('/') {
            let start = at + slash;
            let rest = &text[start..];
            let (end, close) = if rest.starts_with("//") {
                (rest.find('\n').unwrap_or(rest.len()), 0)
            } else if let Some(inside) = rest.strip_prefix("/*") {
                inside.find("*/").map_or((rest.len(), 0), |end| (end + 2, 2))
            } else {
                at = start + 1;
                continue;
            };
            at = start + end + close;
            return Some(start + 2..start + end);
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_at_white_space_or_a_comma() {
        let name = |text| name_in(text).unwrap_or_default();
        assert_eq!(name("switches on. Requirement: SRS-12, since 2019"), "SRS-12");
        assert_eq!(name("requirement:R3"), "R3");
        assert_eq!(name("requirement:\nR3"), "", "the name stands on the same line");
        assert_eq!(name("no requirements"), "");
    }

    #[test]
    fn declarations_count_in_comments_only() {
        let name = |text| in_comments(text).unwrap_or_default();
        assert_eq!(name("int a = 4 / 2; // requirement: R1\nint b;"), "R1");
        assert_eq!(name("/* nothing */ /* requirement: R2 */"), "R2");
        assert_eq!(name("/* requirement:R2*/ // requirement: R3"), "R2");
        assert_eq!(name("int a; /"), "");
        assert_eq!(name("int requirement;"), "");
    }
}
