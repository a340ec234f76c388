//! A folder of use cases as text: what is there, and what is still to be written. What was derived of it is in modules of its own, as
//! text ([`derived`]), as a page ([`page`]), and as a table ([`chain`]).

pub mod chain;
pub mod derived;
pub mod page;

pub use crate::suites::plural;

use crate::{
    outline::{Rows, section},
    view::usecases::{Flow, Folder},
};

/// The summary of a folder. Lines are broken at `width` columns, if given.
pub fn text(folder: &Folder, width: Option<u16>) -> String {
    let totals = &folder.totals;
    let count = |n: usize, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let flows = [
        (totals.basic, "basic"),
        (totals.specific, "specific"),
        (totals.bounded, "bounded"),
        (totals.global, "global"),
    ];
    let n_flows: usize = flows.iter().map(|(n, _)| n).sum();
    let flows: Vec<String> =
        (flows.iter()).filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} {kind}")).collect();
    let first = [
        count(totals.use_cases, "use case", "use cases"),
        format!("{} ({})", count(n_flows, "flow", "flows"), flows.join(", ")),
        count(totals.steps, "step", "steps"),
    ];
    let second = [
        count(totals.classes, "class", "classes"),
        count(totals.attributes, "attribute", "attributes"),
        count(totals.enumerations, "enumeration", "enumerations"),
        count(totals.associations, "association", "associations"),
        format!(
            "{} ({})",
            count(totals.constraints, "constraint", "constraints"),
            count(totals.invariants, "invariant", "invariants")
        ),
    ];
    let mut out = format!("{}: {}\n{}\n", folder.folder, first.join(", "), second.join(", "));
    // Files of the folder are told by their names alone.
    let prefix = format!("{}/", folder.folder.trim_end_matches('/'));
    let place = |file: &str, line: u32| {
        format!("{}:{line}", file.strip_prefix(prefix.as_str()).unwrap_or(file))
    };
    for use_case in &folder.use_cases {
        let title = format!("{} ({})", use_case.name, place(&use_case.file, use_case.line));
        let rows = use_case.flows.iter().map(flow).collect();
        section(&mut out, &title, &Rows::plain(rows), width);
    }
    let classes = folder.classes.iter().map(|it| {
        let of = match it.parents.is_empty() {
            true => String::new(),
            false => format!("is {}", it.parents.join(", ")),
        };
        let of = if it.is_abstract { format!("abstract {of}").trim().to_owned() } else { of };
        vec![it.name.clone(), of, it.attributes.join(", ")]
    });
    section(&mut out, "Classes", &Rows::plain(classes.collect()), width);
    let enumerations = folder.enumerations.iter();
    let enumerations = enumerations.map(|it| vec![it.name.clone(), it.values.join(", ")]);
    section(&mut out, "Enumerations", &Rows::plain(enumerations.collect()), width);
    let associations = folder.associations.iter().map(|it| vec![it.clone()]);
    section(&mut out, "Associations", &Rows::plain(associations.collect()), width);
    let constraints = folder.constraints.iter().map(|it| {
        let of = match it.invariant {
            true => "always".to_owned(),
            false => it.sentences.join(" / "),
        };
        vec![it.class.clone(), it.text.clone(), of]
    });
    section(&mut out, "Constraints", &Rows::plain(constraints.collect()), width);
    let (entities, sentences): (Vec<_>, Vec<_>) =
        folder.open.iter().partition(|it| it.kind == "entity");
    let row = |it: &&crate::view::usecases::Open| {
        let place = place(&it.file, it.line);
        let more = if it.count > 1 { format!("{} times", it.count) } else { String::new() };
        vec![it.kind.clone(), it.text.clone(), place, more]
    };
    let entities: Vec<Vec<String>> = entities.iter().map(|it| row(it)[1..].to_vec()).collect();
    let title = "Open: names that the domain model lacks";
    section(&mut out, title, &Rows::plain(entities), width);
    let title = "Open: sentences without a constraint";
    section(&mut out, title, &Rows::plain(sentences.iter().map(row).collect()), width);
    if folder.open.is_empty() {
        out.push_str("\nNothing is open.\n");
    }
    out
}

fn flow(flow: &Flow) -> Vec<String> {
    let at = match (flow.kind.as_str(), flow.at.as_slice()) {
        ("basic", _) => String::new(),
        ("global", _) => "at any step".to_owned(),
        (_, [one]) => format!("at step {one}"),
        (_, several) => format!("at steps {}", several.join(", ")),
    };
    let steps = match flow.steps.len() {
        1 => "1 step".to_owned(),
        n => format!("{n} steps"),
    };
    vec![flow.title.clone(), at, steps, flow.postconditions.join("; ")]
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::view::usecases::Folder;

    #[test]
    fn an_empty_folder_can_be_shown() {
        assert!(text(&Folder::default(), Some(20)).contains("0 use cases"));
    }
}
