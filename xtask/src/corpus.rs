//! Every model of a folder: read, converted to each format, read back, compared.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use punctual_lang::{
    Model, Reading,
    convert::{self, Unsupported},
    json, tchecker,
    uppaal::{xml, xta},
};
use punctual_model::Network;

/// The formats that models are converted to.
const FORMATS: [&str; 4] = ["xml", "xta", "tck", "json"];

/// What came of a conversion.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Same,
    /// A construct that the format can not say.
    Refused(String),
    /// What was written reads back as something else, or not at all.
    Differs(String),
}

/// Prints a table of all models that are not read and converted without a difference.
pub(crate) fn run(folder: &Path, all: bool) -> ExitCode {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = 0;
    for path in &files {
        let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
        let Ok(bytes) = fs::read(path) else {
            println!("{name}: can not be read");
            wrong += 1;
            continue;
        };
        let Reading { model, diagnostics, .. } = punctual_lang::read(&name, &bytes);
        let Some(model) = model else {
            *counts.entry("rejected".into()).or_default() += 1;
            println!("{name}");
            for error in diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).take(3) {
                println!("  rejected   {}: {}", error.code, error.message);
            }
            continue;
        };
        *counts.entry("read".into()).or_default() += 1;
        let mut lines = Vec::new();
        for format in FORMATS {
            let outcome = round_trip(&model, format);
            let (word, line) = match &outcome {
                Outcome::Same => ("same", String::new()),
                Outcome::Refused(why) => ("refused", format!("  {format:<4} refused    {why}")),
                Outcome::Differs(why) => {
                    wrong += 1;
                    ("differs", format!("  {format:<4} DIFFERS    {why}"))
                }
            };
            *counts.entry(format!("{format} {word}")).or_default() += 1;
            if !line.is_empty() {
                lines.push(line);
            }
        }
        if all || !lines.is_empty() {
            println!("{name}");
            lines.iter().for_each(|line| println!("{line}"));
        }
    }
    println!("\n{} files", files.len());
    for (what, count) in counts {
        println!("{count:>6}  {what}");
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or("");
        if path.is_dir() {
            collect(&path, files);
        } else if matches!(suffix, "xml" | "xta" | "ta" | "tck") {
            files.push(path);
        }
    }
}

fn round_trip(model: &Model, format: &str) -> Outcome {
    let refused = |problem: &Unsupported| Outcome::Refused(problem.to_string());
    let first = |problems: Vec<Unsupported>| match problems.first() {
        Some(problem) => refused(problem),
        None => Outcome::Refused("no reason given".into()),
    };
    match format {
        "json" => compare(&model.network, &json::write(&model.network), "x.json"),
        "tck" => {
            let lowered = match convert::to_vectors(&model.network) {
                Ok(lowered) => lowered,
                Err(problems) => return first(problems),
            };
            match tchecker::write(&lowered) {
                Ok(text) => compare(&lowered, &text, "x.tck"),
                Err(problem) => refused(&problem),
            }
        }
        _ => {
            let (document, expected) = match &model.document {
                Some(document) => (document.clone(), model.network.clone()),
                None => match convert::to_channels(&model.network) {
                    Ok(lowered) => match convert::to_document(&lowered) {
                        Ok(document) => (document, without_labels(lowered)),
                        Err(problems) => return first(problems),
                    },
                    Err(problems) => return first(problems),
                },
            };
            match format {
                "xml" => compare(&expected, &xml::write(&document), "x.xml"),
                _ => match xta::write(&document) {
                    Ok(written) => compare(&expected, &written.text, "x.xta"),
                    Err(problem) => Outcome::Refused(problem.to_string()),
                },
            }
        }
    }
}

/// UPPAAL has no labels of locations: they become comments.
fn without_labels(mut network: Network) -> Network {
    let locations = network.processes.iter_mut().flat_map(|process| process.locations.iter_mut());
    locations.for_each(|location| location.labels.clear());
    network
}

fn compare(expected: &Network, text: &str, name: &str) -> Outcome {
    let reading = punctual_lang::read(name, text.as_bytes());
    match reading.model {
        Some(model) if model.network == *expected => Outcome::Same,
        Some(model) => Outcome::Differs(difference(expected, &model.network)),
        None => {
            let error = reading.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
            let why = error.map_or("no network".into(), |error| {
                let (line, column) = reading.file.line_column(error.span.start);
                format!("{line}:{column} {}: {}", error.code, error.message)
            });
            Outcome::Differs(format!("does not read back: {why}"))
        }
    }
}

/// The first part that differs, for people.
fn difference(left: &Network, right: &Network) -> String {
    let parts = [
        ("clocks", left.clocks == right.clocks),
        ("variables", left.variables == right.variables),
        ("channels", left.channels == right.channels),
        ("functions", left.functions == right.functions),
        ("constants", left.constants == right.constants),
        ("initial values", left.initial == right.initial),
        ("sync vectors", left.sync_vectors == right.sync_vectors),
    ];
    if let Some((part, _)) = parts.iter().find(|(_, same)| !same) {
        return format!("other {part}");
    }
    if left.processes.len() != right.processes.len() {
        return "another number of processes".into();
    }
    for (one, other) in left.processes.iter().zip(&right.processes) {
        if one == other {
            continue;
        }
        if one.name != other.name || one.template != other.template {
            return format!(
                "process {} of {} is {} of {}",
                one.name, one.template, other.name, other.template
            );
        }
        for (a, b) in one.locations.iter().zip(&other.locations) {
            if a != b {
                return format!("process {}: location {} differs: {a:?} / {b:?}", one.name, a.name);
            }
        }
        for (index, (a, b)) in one.edges.iter().zip(&other.edges).enumerate() {
            if a != b {
                return format!("process {}: edge {index} differs: {a:?} / {b:?}", one.name);
            }
        }
        return format!("process {} differs", one.name);
    }
    "something else".into()
}
