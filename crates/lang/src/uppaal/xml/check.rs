//! What a template's elements must say of each other: ids, references, kinds of labels.

use super::read::{Ids, Reader, title};
use crate::Span;
use crate::diagnostic::{Diagnostic, closest};
use crate::document::{Label, LabelKind, Location, Template};

/// The labels of locations and of edges.
const LOCATION_KINDS: [&str; 5] =
    ["invariant", "exponentialrate", "comments", "testcodeEnter", "testcodeExit"];
const EDGE_KINDS: [&str; 7] =
    ["select", "guard", "synchronisation", "assignment", "probability", "comments", "testcode"];

/// Checks a template that was read: it has a name, it starts somewhere, its edges lead somewhere.
pub(super) fn template(
    reader: &mut Reader<'_, '_>,
    template: &Template,
    ids: &Ids,
    start: Span,
    truncated: bool,
) {
    if template.name.is_blank() && !truncated {
        reader.report(
            Diagnostic::error("xml::no_template_name", start, "this template has no name")
                .help("give it one: `<name>…</name>`"),
        );
    }
    let mut n_unknown = 0;
    for edge in &template.edges {
        for (what, (id, span)) in [("source", &edge.source), ("target", &edge.target)] {
            // Finding a suggestion takes time; twenty show the pattern.
            if !id.is_empty() && !ids.contains_key(id) && !truncated && n_unknown < 20 {
                n_unknown += 1;
                unknown_id(reader, template, ids, what, id, *span);
            }
        }
    }
    match &template.init {
        _ if truncated => {}
        Some((id, span)) => match ids.get(id) {
            Some(definition) if definition.location.is_none() => reader.report(
                Diagnostic::error(
                    "xml::init_branchpoint",
                    *span,
                    "a template can not start in a branchpoint",
                )
                .also(definition.span, "the branchpoint")
                .help("start in a location"),
            ),
            Some(_) => {}
            None if id.is_empty() => {}
            None => unknown_id(reader, template, ids, "initial location", id, *span),
        },
        None if template.locations.is_empty() => reader.report(
            Diagnostic::warning(
                "xml::empty_template",
                start,
                "this template has no locations, so nothing can be made of it",
            )
            .help("draw a location, or delete the template"),
        ),
        None => {
            let first = &template.locations[0].id;
            reader.report(
                Diagnostic::error("xml::no_init", start, "this template has no initial location")
                    .help(format!("say where it starts, such as `<init ref=\"{first}\"/>`")),
            );
        }
    }
}

fn unknown_id(
    reader: &mut Reader<'_, '_>,
    template: &Template,
    ids: &Ids,
    what: &str,
    id: &str,
    span: Span,
) {
    let by_name = template.locations.iter().find(|location| location.name.text == id);
    // Sorted, so that the suggestion does not depend on a hash.
    let mut known: Vec<&str> = ids.keys().map(String::as_str).collect();
    known.sort_unstable();
    let near = closest(id, known.iter().copied());
    let help = match (by_name, near) {
        (Some(location), _) => {
            format!("`{id}` is the name of the location with id `{}`: use the id", location.id)
        }
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => "it must be the `id` of a location of the same template".to_owned(),
    };
    reader.report(
        Diagnostic::error(
            "xml::unknown_id",
            span,
            format!("the {what} `{id}` is not in this template"),
        )
        .help(help),
    );
}

pub(super) fn no_id(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error("xml::no_id", span, format!("this {what} has no id"))
        .help("edges refer to it by its id: add `id=\"…\"`")
}

pub(super) fn same_id(what: &str, id: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error("xml::same_id", span, format!("this {what} has an id that is in use: `{id}`"))
        .also(first, "first used here")
        .help("give it another id, and check which of the two its edges mean")
}

pub(super) fn no_end(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error("xml::no_end", span, format!("this edge has no {what}"))
        .help(format!("add `<{what} ref=\"…\"/>` with the id of a location"))
}

pub(super) fn urgent_and_committed(
    location: &Location,
    urgent: Span,
    committed: Span,
) -> Diagnostic {
    let name = title(location);
    Diagnostic::error(
        "xml::urgent_and_committed",
        committed,
        format!("location `{name}` can not be both urgent and committed"),
    )
    .label("committed")
    .also(urgent, "urgent")
    .help("`committed` implies that time stands still: drop `<urgent/>`")
}

/// A kind of label that the format does not know: kept, and pointed out if it looks misspelt.
pub(super) fn label_kind(reader: &mut Reader<'_, '_>, name: &str, span: Span) {
    let known = LOCATION_KINDS.into_iter().chain(EDGE_KINDS);
    let near = match name {
        "sync" | "synchronization" => Some("synchronisation"),
        "update" | "assign" => Some("assignment"),
        "comment" => Some("comments"),
        "weight" => Some("probability"),
        "rate" => Some("exponentialrate"),
        _ => closest(name, known),
    };
    if let Some(near) = near {
        reader.report(
            Diagnostic::warning(
                "xml::label_kind",
                span,
                format!("`{name}` is not a kind of label, so the label is ignored"),
            )
            .help(format!("did you mean `{near}`?")),
        );
    }
}

pub(super) fn location_label(
    reader: &mut Reader<'_, '_>,
    location: &Location,
    label: &Label,
    span: Span,
) {
    let place = || format!("location {}", title(location));
    misplaced(reader, label, span, "a location", &LOCATION_KINDS, &EDGE_KINDS);
    repeated(reader, &location.labels, label, span, place);
}

pub(super) fn edge_label(
    reader: &mut Reader<'_, '_>,
    others: &[Label],
    label: &Label,
    span: Span,
    place: impl Fn() -> String,
) {
    misplaced(reader, label, span, "an edge", &EDGE_KINDS, &LOCATION_KINDS);
    repeated(reader, others, label, span, place);
}

fn misplaced(
    reader: &mut Reader<'_, '_>,
    label: &Label,
    span: Span,
    what: &str,
    right: &[&str],
    wrong: &[&str],
) {
    let kind = label.kind.name();
    if !label.text.is_blank() && wrong.contains(&kind) && !right.contains(&kind) {
        reader.report(
            Diagnostic::warning(
                "xml::misplaced_label",
                span,
                format!("{what} has no `{kind}`, so the label is ignored"),
            )
            .help(format!("labels of {what} are `{}`", right.join("`, `"))),
        );
    }
}

fn repeated(
    reader: &mut Reader<'_, '_>,
    others: &[Label],
    label: &Label,
    span: Span,
    place: impl Fn() -> String,
) {
    let same = |other: &&Label| other.kind == label.kind && !other.text.is_blank();
    if label.text.is_blank() || label.kind == LabelKind::Comments {
        return;
    }
    if let Some(first) = others.iter().find(same) {
        let kind = label.kind.name();
        reader.report(
            Diagnostic::error(
                "xml::second_label",
                span,
                format!("there is a second `{kind}` label at {}", place()),
            )
            .also(first.text.span, "the first one")
            .help("make one label of the two"),
        );
    }
}
