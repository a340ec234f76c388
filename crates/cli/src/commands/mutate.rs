//! `punctual mutate`: a synchronous program with seeded faults.

use std::path::PathBuf;

use clap::Args;
use punctual_lang::lustre;
use punctual_report::{fill, stepping, view};
use punctual_testgen::mutation::lustre::{Choice, mutants};

use crate::{PASS, Stop, input, print, write_file};

/// The table of mutants, in the folder of their files.
const TABLE: &str = "mutants.csv";

/// Writes mutants of a Lustre program: each has one fault.
///
/// A fault is another arithmetic, relational or boolean operator, a negation, another constant, another
/// variable of the same type, or the value of the step before, in something that outputs depend on.
/// Types are kept, and no equation depends on itself. A mutant may still be equivalent to the program.
#[derive(Args)]
#[command(
    after_help = "Writes m01.lus, m02.lus, … and mutants.csv (id;class;equation;old;new)\n\n\
    Examples:\n  \
    punctual mutate model.lus --count 50 --seed 7 -o mutants\n  \
    punctual mutate model.lus --per-class 3 -o mutants"
)]
pub(crate) struct Mutate {
    /// The program; `-` reads standard input
    model: PathBuf,
    /// The main node, if it is not marked or the last one
    #[arg(long, value_name = "NODE")]
    main: Option<String>,
    /// So many in all; each class has the same chance
    #[arg(
        long,
        value_name = "MUTANTS",
        required_unless_present = "per_class",
        conflicts_with = "per_class"
    )]
    count: Option<usize>,
    /// So many of each class
    #[arg(long, value_name = "MUTANTS")]
    per_class: Option<usize>,
    /// Where chance starts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder to write to
    #[arg(long, short, value_name = "FOLDER")]
    output: PathBuf,
    /// Write into a folder that has mutants
    #[arg(long, short)]
    force: bool,
    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

impl Mutate {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let table = self.output.join(TABLE);
        if table.exists() && !self.force {
            return Err(Stop::Message(format!(
                "`{}` exists; `--force` replaces it",
                table.display()
            )));
        }
        let program = input::read_program(&self.model, self.main.as_deref())?;
        let choice = match (self.count, self.per_class) {
            (Some(n), _) => Choice::InAll(n),
            (None, n) => Choice::PerClass(n.unwrap_or(0)),
        };
        let found = mutants(&program, choice, self.seed);
        std::fs::create_dir_all(&self.output).map_err(|error| {
            Stop::Message(format!("can not make `{}`: {error}", self.output.display()))
        })?;
        let view = fill::stepping::mutants(&program, &found, self.seed);
        for (mutant, shown) in found.iter().zip(&view.mutants) {
            let file = self.output.join(format!("{}.lus", shown.id));
            write_file(&file, &lustre::write(&mutant.program))?;
        }
        write_file(&table, &stepping::mutants(&view))?;
        if let Choice::InAll(wanted) = choice
            && found.len() < wanted
        {
            eprintln!("note: there are no more than {}", found.len());
        }
        match self.json {
            true => print(&view::json(&view))?,
            false => {
                print(&format!("wrote {} mutants to {}\n", found.len(), self.output.display()))?;
            }
        }
        Ok(PASS)
    }
}
