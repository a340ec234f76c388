//! Runs with the models that lie beside their records: pages, and runs that were shrunk.

use std::path::Path;

use punctual_campaign::shrink::Shrunk;
use punctual_campaign::store::{Run, StoreError};
use punctual_campaign::summary::{Digest, Summary};
use punctual_lang::values;
use punctual_model::{Happening, Interface, PortRole, Value};

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
    // Nobody reads nanoseconds of many seconds.
    let ns = summary.totals().duration_ns;
    let ns = if ns > 1_000_000_000 { ns / 1_000_000 * 1_000_000 } else { ns };
    let time = punctual_lang::testing::duration(ns);
    runs::outcome(summary, style, is_quiet, &time)
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
    let sent = |(at_ns, act): &(u64, Happening)| {
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
    view::Shrunk {
        inputs: shrunk.script.acts().iter().map(sent).collect(),
        end_ns: shrunk.script.end_ns(),
        attempts: shrunk.n_attempts.into(),
        diagnosis: shrunk.finished.diagnosis.clone(),
        folder: shrunk.finished.folder.as_ref().map(|it| it.display().to_string()),
    }
}

/// A shrunk run as a line of delays and signals.
#[must_use]
pub fn shrunk_text(interface: &Interface, shrunk: &Shrunk) -> String {
    let unit_ns = interface.time.unit_ns as f64;
    let mut parts: Vec<String> = Vec::new();
    let mut now_ns = 0;
    for event in &shrunk.finished.trace.events {
        if event.from_ns > now_ns {
            parts.push(((event.from_ns - now_ns) as f64 / unit_ns).to_string());
        }
        now_ns = event.from_ns;
        parts.push(interface.happening_text(&event.what));
    }
    let rest_ns = shrunk.finished.trace.end_ns.saturating_sub(now_ns);
    if rest_ns > 0 {
        parts.push((rest_ns as f64 / unit_ns).to_string());
    }
    let why = shrunk.finished.diagnosis.as_ref().map_or("", |it| it.explanation.as_str());
    if let Some(what) = shrunk.finished.about.as_ref().and_then(|it| it.sending.as_ref()) {
        parts.push(interface.happening_text(what));
    }
    let (line, n) = (parts.join(" · "), shrunk.n_attempts);
    let saved = shrunk.finished.folder.as_ref().map(|folder| {
        let record = folder.join(punctual_campaign::store::RECORD);
        format!("      saved; again: punctual test MODEL --script {}\n", record.display())
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
