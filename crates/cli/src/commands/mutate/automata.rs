//! Mutants of a network of timed automata.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use punctual_campaign::{load, score};
use punctual_lang::{Model, SourceMap, convert, format::Format};
use punctual_model::{IdVec, Network, ProcessId};
use punctual_report::{fill, mutants as report, view};
use punctual_semantics::split::{Named, Side, split};
use punctual_testgen::mutation::automata::{Mutant, Operator, Options, mutants};
use punctual_testgen::mutation::decide::Limits;

use super::{Mutate, TABLE, cut_short, make_folder, unused};
use crate::{INCONCLUSIVE, PASS, Stop, input, print, progress, write_file};

pub(super) fn run(mutate: &Mutate, file: &(String, Vec<u8>)) -> Result<u8, Stop> {
    let options = Options {
        operators: operators(&mutate.operators)?,
        offset: mutate.offset.unwrap_or(1),
        environment: mutate.environment,
    };
    if let Some(folder) = &mutate.output {
        unused(folder, mutate.force)?;
    }
    let model = input::read_model_of(file, input::Queries::None)?.model;
    let sides = sides(mutate, &model.network)?;
    let found = mutants(&model.network, &sides, &options);
    let mut view = fill::mutants::mutants(&file.0, &model.network, &found, &options);
    if mutate.decide {
        decide(mutate, &found, &mut view)?;
    }
    if let Some(folder) = &mutate.output {
        progress::listen_to_the_user();
        // Who stopped the decisions wants the mutants that were decided.
        let was_stopped = progress::stopped();
        let n_written =
            write(folder, model.format, &found, || !was_stopped && progress::stopped())?;
        if n_written < found.len() {
            return Ok(cut_short(folder, n_written, found.len()));
        }
        write_file(&folder.join(TABLE), &report::table(&view))?;
    }
    match (mutate.json, &mutate.output) {
        (true, _) => print(&view::json(&view))?,
        (false, None) => print(&report::text(&view))?,
        (false, Some(folder)) => {
            let stopped = report::stopped(&view);
            print(&format!("wrote {} mutants to {}\n{stopped}", found.len(), folder.display()))?;
        }
    }
    Ok(if view.stopped_after.is_some() { INCONCLUSIVE } else { PASS })
}

/// Decides what each mutant is, and notes it.
fn decide(
    mutate: &Mutate,
    found: &[Mutant],
    view: &mut view::mutants::Mutants,
) -> Result<(), Stop> {
    let mut loaded =
        load::load(&mutate.model, mutate.interface.as_deref(), load::Environment::Model)?;
    loaded.judges.grant(progress::budget());
    let Some(specification) = &loaded.judges.specification else {
        return Err(Stop::Message("the model has no timed part".to_owned()));
    };
    progress::listen_to_the_user();
    let mut watcher = progress::Watcher::new(1, 1, true);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let benches = score::benches(specification, found);
    let (n, mut n_decided) = (found.len(), 0);
    let decisions = score::decide(&benches, found, Limits::default(), threads, &mut |done| {
        // What ended because of that says nothing of its mutant.
        if progress::is_spent() {
            return false;
        }
        n_decided = done;
        watcher.draw(|_| format!("{done} of {n} mutants decided"))
    });
    drop(watcher);
    progress::tell_of_memory(progress::budget());
    fill::mutants::decided(specification, &decisions, view);
    view.stopped_after = (n_decided < n).then_some(n_decided);
    Ok(())
}

/// The operators of `--operators`; all if there are none.
pub(in crate::commands) fn operators(names: &[String]) -> Result<Vec<Operator>, Stop> {
    let mut found = Vec::new();
    for name in names.iter().map(|it| it.trim()) {
        match name {
            "all" => found.extend(Operator::ALL),
            "paper" => found.extend(Operator::PAPER),
            name => found.push(Operator::named(name).ok_or_else(|| {
                let known: Vec<&str> = Operator::ALL.iter().map(|it| it.name()).collect();
                let known = known.join(", ");
                Stop::Message(format!(
                    "there is no operator `{name}`; there are {known}, and `paper` and `all`"
                ))
            })?),
        }
    }
    Ok(if names.is_empty() { Operator::ALL.to_vec() } else { found })
}

/// Who is system and who is environment, as an interface says.
fn sides(mutate: &Mutate, network: &Network) -> Result<IdVec<ProcessId, Side>, Stop> {
    let Some(path) = interface(mutate) else {
        tell!(
            "note: there is no `punctual.toml` beside the model, so all processes count as system; \
             `--interface FILE` says which do"
        );
        return Ok(network.processes.iter().map(|_| Side::System).collect());
    };
    let config = input::read_interface(&path, network)?;
    let named = Named { environment: config.environment, system: config.system };
    let split = split(network, &config.wired, &named)
        .map_err(|refusal| Stop::Message(refusal.to_string()))?;
    Ok(split.sides)
}

/// The interface that was named, or the one beside the model. Nothing is beside standard input.
fn interface(mutate: &Mutate) -> Option<PathBuf> {
    match &mutate.interface {
        Some(path) => Some(path.clone()),
        None if mutate.model.as_os_str() == "-" => None,
        None => load::interface_path(&mutate.model, None).ok(),
    }
}

/// Writes each mutant as a file of UPPAAL, or as JSON if such a file can not say something of it. Gives how many were written before somebody
/// wanted no more.
fn write(
    folder: &Path,
    format: Format,
    found: &[Mutant],
    stops: impl Fn() -> bool,
) -> Result<usize, Stop> {
    make_folder(folder)?;
    let mut notes = BTreeSet::new();
    let mut n_written = 0;
    for mutant in found {
        if stops() {
            break;
        }
        n_written += 1;
        let model = Model {
            format,
            // The network differs from the file that its author laid out.
            document: None,
            network: mutant.network.clone(),
            source_map: SourceMap::default(),
            queries: Vec::new(),
        };
        let as_xml = convert::write(&model, Format::UppaalXml).map(|it| ("xml", it));
        let written = as_xml.or_else(|problems| {
            let reasons = problems.into_iter().map(|it| format!("{it}: written as JSON"));
            notes.extend(reasons);
            convert::write(&model, Format::Json).map(|it| ("json", it))
        });
        let (suffix, (text, differences)) = written.map_err(|problems| {
            let problems = problems.join("\n  ");
            Stop::Message(format!("`{}` can not be written:\n  {problems}", mutant.name))
        })?;
        notes.extend(differences);
        write_file(&folder.join(format!("{}.{suffix}", mutant.name)), &text)?;
    }
    for note in notes {
        tell!("note: {note}");
    }
    Ok(n_written)
}
