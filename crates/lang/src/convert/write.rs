//! Models as text, in any format.

use super::{Unsupported, to_document, to_vectors_with_notes};
use crate::{
    Model,
    document::Document,
    format::Format,
    json, tchecker,
    uppaal::{xml, xta},
};

/// The text of a model in a format, and what differs from the input.
///
/// # Errors
/// If the format can not say something: all of it.
pub fn write(model: &Model, format: Format) -> Result<(String, Vec<String>), Vec<String>> {
    let texts = |problems: Vec<Unsupported>| -> Vec<String> {
        problems.iter().map(ToString::to_string).collect()
    };
    match format {
        Format::UppaalXml => {
            let (document, notes) = document(model)?;
            Ok((xml::write(&document), notes))
        }
        Format::Xta => {
            let (document, mut notes) = document(model)?;
            let written = xta::write(&document).map_err(|problem| vec![problem.to_string()])?;
            if !written.dropped.is_empty() {
                let dropped: Vec<String> =
                    written.dropped.iter().map(ToString::to_string).collect();
                notes.push(format!(
                    "left out, since XTA has no place for it: {}",
                    dropped.join(", ")
                ));
            }
            for renamed in &written.renamed {
                notes.push(format!(
                    "location `{}` of template {} is now called `{}`",
                    renamed.from, renamed.template, renamed.to
                ));
            }
            Ok((written.text, notes))
        }
        Format::TChecker => {
            let lowered = to_vectors_with_notes(&model.network).map_err(texts)?;
            let text =
                tchecker::write(&lowered.network).map_err(|problem| vec![problem.to_string()])?;
            Ok((text, lowered.notes))
        }
        Format::Json | Format::Queries => Ok((json::write(&model.network), Vec::new())),
    }
}

fn document(model: &Model) -> Result<(Document, Vec<String>), Vec<String>> {
    match &model.document {
        Some(document) => Ok((document.clone(), Vec::new())),
        None => {
            let document = to_document(&model.network).map_err(
                |problems: Vec<Unsupported>| -> Vec<String> {
                    problems.iter().map(ToString::to_string).collect()
                },
            )?;
            let labelled = network_has_labels(model);
            let note = "UPPAAL has no labels of locations; they became comments".to_owned();
            Ok((document, labelled.then_some(note).into_iter().collect()))
        }
    }
}

fn network_has_labels(model: &Model) -> bool {
    let mut locations = model.network.processes.iter().flat_map(|process| &process.locations);
    locations.any(|location| !location.labels.is_empty())
}
