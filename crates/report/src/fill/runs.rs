//! Runs with the models that lie beside their records: pages, and runs that were shrunk.

use std::path::Path;

use punctual_campaign::shrink::Shrunk;
use punctual_campaign::store::{Run, StoreError};
use punctual_campaign::summary::{Digest, Summary};
use punctual_lang::values;
use punctual_model::{Happening, Interface, PortRole, Value};
use punctual_testgen::Script;

use super::{diagram, matrix, timeline};
use crate::runs::{self, Automaton, Campaign, Style};
use crate::view::{self as drawn, runs as view};

/// The page of a run, with the automata or the platform of what lies beside it.
///
/// # Errors
/// If its record can not be read.
pub fn page(run: &Run) -> Result<String, StoreError> {
    let record = run.record()?;
    let model = run.file_path(&record.header.model);
    let automata = model.as_deref().map(automata).unwrap_or_default();
    let platform = timeline::timeline(run, &record);
    Ok(runs::page_on(run, &record, &automata, platform.as_ref()))
}

/// The page of many runs, and of suites that were repeated among them, which links to `NAME.html` beside it for each of them.
#[must_use]
pub fn index(summary: &Summary, repeated: &[drawn::repeated::Repeated], title: &str) -> String {
    let link = |run: &Run| Some(format!("{}.html", run.name));
    let of = |digest: &Digest| {
        let model = digest.run.file_path(&digest.header.model);
        model.as_deref().map(automata).unwrap_or_default()
    };
    let matrices = matrix::matrices(summary, &link);
    let (automata, matrices, repeated) = (&of, &matrices[..], repeated);
    runs::index(summary, &Campaign { title, link: &link, automata, matrices, repeated })
}

/// What a command that made runs says in the end: the worst run in full, or that all passed.
#[must_use]
pub fn outcome(summary: &Summary, style: Style, is_quiet: bool) -> String {
    runs::outcome(summary, style, is_quiet, &duration(summary.totals().duration_ns))
}

/// `10s`, `13.157s`, `3.5ms`, `42ns`: with three decimals at most, since nobody reads nanoseconds of many seconds.
fn duration(ns: u64) -> String {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
    let Some((unit, of_ns)) = units.iter().find(|(_, of_ns)| ns >= *of_ns) else {
        return format!("{ns}ns");
    };
    let thousandths = format!("{:03}", ns % of_ns / (of_ns / 1_000));
    match thousandths.trim_end_matches('0') {
        "" => format!("{}{unit}", ns / of_ns),
        digits => format!("{}.{digits}{unit}", ns / of_ns),
    }
}

/// The drawings of a model; none if it is no network, or can not be read any more.
fn automata(path: &Path) -> Vec<Automaton> {
    let is_lustre = path.extension().is_some_and(|suffix| suffix == "lus");
    let Some((name, bytes)) = punctual_lang::load(path).ok().filter(|_| !is_lustre) else {
        return Vec::new();
    };
    let Some(model) = punctual_lang::read(&name, &bytes).model else { return Vec::new() };
    let is_flat = model.document.is_none();
    let mut automata = Vec::new();
    for diagram in diagram::sheet(&model, String::new()).diagrams {
        let of = |process: &&punctual_model::Process| match is_flat {
            true => process.name == diagram.name,
            false => process.template == diagram.name,
        };
        let processes = model.network.processes.iter().filter(of);
        let processes: Vec<String> = processes.map(|process| process.name.clone()).collect();
        if !processes.is_empty() {
            // An edge with branches is drawn as several lines; the first one leaves a location.
            let leaves = |(i, edge): (usize, &drawn::Edge)| {
                matches!(edge.source, drawn::End::Location(_)).then_some(i)
            };
            let edges = diagram.edges.iter().enumerate().filter_map(leaves).collect();
            automata.push(Automaton { diagram, processes, edges });
        }
    }
    automata
}

/// A shrunk run.
#[must_use]
pub fn shrunk(interface: &Interface, shrunk: &Shrunk) -> view::Shrunk {
    let sent = |at: &(u64, Happening)| {
        let (at_ns, act) = at;
        let port = |role: PortRole, of: &[Value]| {
            let ports = interface.ports_with(role).zip(of);
            ports.map(|(id, it)| values::to_json(&interface.ports[id].ty, *it)).collect()
        };
        let (input, values) = match act {
            Happening::Signal(action) => {
                let signal = &interface.signals[action.signal];
                let typed = signal.values.iter().zip(&action.values);
                let values = typed.map(|(carried, it)| values::to_json(&carried.ty, *it)).collect();
                (signal.name.clone(), values)
            }
            Happening::Step(step) => ("step".to_owned(), port(PortRole::Input, &step.inputs)),
            Happening::Set(_) => ("set".to_owned(), Vec::new()),
            Happening::Reading(_) => ("read".to_owned(), Vec::new()),
        };
        view::Sent { at_ns: *at_ns, input, values }
    };
    let part = |script: &Script| view::Part {
        inputs: script.acts().iter().map(sent).collect(),
        end_ns: script.end_ns(),
    };
    let (last, earlier) = match shrunk.parts.split_last() {
        Some((last, earlier)) => (part(last), earlier),
        None => (view::Part::default(), &[][..]),
    };
    view::Shrunk {
        earlier: earlier.iter().map(part).collect(),
        inputs: last.inputs,
        end_ns: last.end_ns,
        attempts: shrunk.n_attempts.into(),
        diagnosis: shrunk.finished.diagnosis.clone(),
        folder: shrunk.finished.folder.as_ref().map(|it| it.display().to_string()),
    }
}

/// A shrunk run as a line of delays, signals and resets; `again` is the command that makes it once more, up to its script.
#[must_use]
pub fn shrunk_text(interface: &Interface, shrunk: &Shrunk, again: &str) -> String {
    let unit_ns = interface.time.unit_ns as f64;
    let mut parts: Vec<String> = Vec::new();
    for trace in shrunk.finished.earlier.iter().chain([&shrunk.finished.trace]) {
        if !parts.is_empty() {
            parts.push("reset".to_owned());
        }
        let mut now_ns = 0;
        for event in &trace.events {
            if event.from_ns > now_ns {
                parts.push(((event.from_ns - now_ns) as f64 / unit_ns).to_string());
            }
            now_ns = event.from_ns;
            parts.push(interface.happening_text(&event.what));
        }
        let rest_ns = trace.end_ns.saturating_sub(now_ns);
        if rest_ns > 0 {
            parts.push((rest_ns as f64 / unit_ns).to_string());
        }
    }
    let why = shrunk.finished.diagnosis.as_ref().map_or("", |it| it.explanation.as_str());
    if let Some(what) = shrunk.finished.about.as_ref().and_then(|it| it.sending.as_ref()) {
        parts.push(interface.happening_text(what));
    }
    let (line, n) = (parts.join(" · "), shrunk.n_attempts);
    let saved = shrunk.finished.folder.as_ref().map(|folder| {
        let record = folder.join(punctual_campaign::store::RECORD);
        let record = runs::quoted(&record.to_string_lossy());
        format!("      saved; again: {again} --script {record}\n")
    });
    let saved = match saved {
        None if shrunk.is_fickle => {
            "      not saved: made once more, it did not fail, so the system does not depend on its inputs alone\n"
                .to_owned()
        }
        saved => saved.unwrap_or_default(),
    };
    let runs = if n == 1 { "run" } else { "runs" };
    format!("      shrunk to {line}\n      {why}\n      ({n} {runs})\n{saved}")
}
