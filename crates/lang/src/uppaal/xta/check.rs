//! What the sections of a process must say of each other.

use rustc_hash::FxHashMap;

use crate::Span;
use crate::diagnostic::{Diagnostic, Diagnostics, closest};
use crate::document::Template;

/// After so many errors, more would not help.
const ERRORS_MAX: usize = 400;

/// Checks that names are defined once, that each process starts somewhere, and that its edges
/// lead somewhere.
pub(super) fn templates(diagnostics: &mut Diagnostics, templates: &[Template]) {
    let mut n_empty = 0;
    for template in templates {
        n_empty += usize::from(template.locations.is_empty());
        if n_empty.max(diagnostics.error_count()) > ERRORS_MAX {
            return;
        }
        diagnostics.within(format!("process {}", template.name.text), |diagnostics| {
            check(diagnostics, template);
        });
    }
}

fn check(diagnostics: &mut Diagnostics, template: &Template) {
    let locations = template.locations.iter().map(|location| (&location.id, location.name.span));
    let branchpoints = template.branchpoints.iter().map(|point| (&point.id, point.span));
    let mut defined: FxHashMap<&str, Span> = FxHashMap::default();
    for (id, span) in locations.chain(branchpoints) {
        if let Some(first) = defined.get(id.as_str()) {
            if diagnostics.error_count() > ERRORS_MAX {
                break;
            }
            diagnostics.push(
                Diagnostic::error("xta::same_name", span, format!("`{id}` is defined twice"))
                    .also(*first, "first defined here")
                    .help("give it another name, and check which of the two its edges mean"),
            );
        } else {
            defined.insert(id, span);
        }
    }
    for location in template.locations.iter().filter(|l| l.urgent && l.committed) {
        diagnostics.push(
            Diagnostic::error(
                "xta::urgent_and_committed",
                location.name.span,
                format!("location `{}` can not be both urgent and committed", location.id),
            )
            .help("`commit` implies that time stands still: drop it from `urgent`"),
        );
    }
    let ends = template.edges.iter().flat_map(|edge| [&edge.source, &edge.target]);
    // Finding a suggestion takes time; twenty show the pattern.
    let unknown = ends.filter(|(id, _)| !defined.contains_key(id.as_str())).take(20);
    for (id, span) in unknown {
        unknown_location(diagnostics, template, id, *span);
    }
    match &template.init {
        Some((id, span)) if template.branchpoints.iter().any(|point| point.id == *id) => {
            diagnostics.push(
                Diagnostic::error(
                    "xta::init_branchpoint",
                    *span,
                    "a process can not start in a branchpoint",
                )
                .help("start in a location"),
            );
        }
        Some((id, span)) if !defined.contains_key(id.as_str()) => {
            unknown_location(diagnostics, template, id, *span);
        }
        Some(_) => {}
        None if template.locations.is_empty() => diagnostics.push(
            Diagnostic::warning(
                "xta::empty_process",
                template.name.span,
                "this process has no locations, so nothing can be made of it",
            )
            .help("add `state …;` and `init …;`, or delete the process"),
        ),
        None => diagnostics.push(
            Diagnostic::error(
                "xta::no_init",
                template.name.span,
                "this process has no initial location",
            )
            .help(format!("say where it starts, such as `init {};`", template.locations[0].id)),
        ),
    }
}

fn unknown_location(diagnostics: &mut Diagnostics, template: &Template, id: &str, span: Span) {
    let locations = template.locations.iter().map(|location| location.id.as_str());
    let branchpoints = template.branchpoints.iter().map(|point| point.id.as_str());
    let near = closest(id, locations.chain(branchpoints));
    diagnostics.push(
        Diagnostic::error(
            "xta::unknown_location",
            span,
            format!("the location `{id}` is not in this process"),
        )
        .help(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "list it in `state`".to_owned(),
        }),
    );
}
