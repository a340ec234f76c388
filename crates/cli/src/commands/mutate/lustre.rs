//! Mutants of a synchronous program.

use punctual_lang::lustre;
use punctual_report::{fill, stepping, view};
use punctual_testgen::mutation::lustre::{Choice, mutants};

use super::{Mutate, TABLE, cut_short, make_folder, unused};
use crate::{PASS, Stop, input, print, progress, write_file};

pub(super) fn run(mutate: &Mutate, file: &(String, Vec<u8>)) -> Result<u8, Stop> {
    let Some(folder) = &mutate.output else {
        let message = "mutants of a Lustre program are files: `-o FOLDER` says where they go";
        return Err(Stop::Message(message.to_owned()));
    };
    let choice = match (mutate.count, mutate.per_class) {
        (Some(n), _) if mutate.by_subsystem => Choice::BySubsystem(n),
        (Some(n), _) => Choice::InAll(n),
        (None, Some(n)) => Choice::PerClass(n),
        (None, None) => {
            let message =
                "`--count N` or `--per-class N` says how many mutants of a Lustre program";
            return Err(Stop::Message(message.to_owned()));
        }
    };
    unused(folder, mutate.force)?;
    let program = input::read_program_of(file, mutate.main.as_deref())?;
    let seed = mutate.seed.unwrap_or(1);
    let found = mutants(&program, choice, seed);
    make_folder(folder)?;
    let view = fill::stepping::mutants(&program, &found, seed);
    progress::listen_to_the_user();
    for (number, (mutant, shown)) in found.iter().zip(&view.mutants).enumerate() {
        if progress::stopped() {
            return Ok(cut_short(folder, number, found.len()));
        }
        let file = folder.join(format!("{}.lus", shown.id));
        write_file(&file, &lustre::write(&mutant.program))?;
    }
    write_file(&folder.join(TABLE), &stepping::mutants(&view))?;
    if let Choice::InAll(wanted) | Choice::BySubsystem(wanted) = choice
        && found.len() < wanted
    {
        tell!("note: there are no more than {}", found.len());
    }
    match mutate.json {
        true => print(&view::json(&view))?,
        false => print(&format!("wrote {} mutants to {}\n", found.len(), folder.display()))?,
    }
    Ok(PASS)
}
