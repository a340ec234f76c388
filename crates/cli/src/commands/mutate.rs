//! `punctual mutate`: a model with seeded faults.

mod automata;
mod lustre;

pub(super) use automata::operators;

use std::path::{Path, PathBuf};

use clap::Args;
use punctual_lang::format::{Format, detect};

use crate::{INCONCLUSIVE, Stop, input};

/// The table of mutants, in the folder of their files.
const TABLE: &str = "mutants.csv";

/// Writes mutants of a model: each has one fault.
///
/// A network of timed automata (UPPAAL XML or XTA, TChecker, JSON) is changed once at each place that an
/// operator fits, in the processes of the system under test: a clock bound is tighter (`restrict`) or looser
/// (`widen`), a window of time comes earlier or later (`shift`), an edge with clocks leads back to where
/// it starts (`self-loop`), to another location (`target`) or starts at one (`source`), another signal is sent or
/// awaited (`action`), a conjunct of a guard is negated (`negate`), a clock is set where it was not
/// (`reset-added`) or not any more (`reset-dropped`), the constants of an invariant and a guard change
/// places (`constants`).
///
/// In a Lustre program, a fault is another arithmetic, relational or boolean operator, a negation, another
/// constant, another variable of the same type, or the value of the step before, in something that outputs depend
/// on. Faults are drawn by chance. Types are kept, and no equation depends on itself.
///
/// A mutant may still be equivalent to the model; `--decide` says whether one of automata is.
#[derive(Args)]
#[command(after_help = "Automata: writes NAME.xml for each mutant and mutants.csv \
    (name;operator;side;process;place;change);\n\
    without `-o`, mutants are listed. Each process is a template of its own there. What\n\
    UPPAAL's format can not say is written as NAME.json.\n\
    Lustre: writes m01.lus, m02.lus, … and mutants.csv (id;class;equation;old;new)\n\n\
    Examples:\n  \
    punctual mutate model.xml --operators paper --offset 100\n  \
    punctual mutate model.xml --operators widen --decide\n  \
    punctual mutate model.xml --operators restrict,target --interface punctual.toml -o mutants\n  \
    punctual mutate model.lus --count 50 --seed 7 -o mutants\n  \
    punctual mutate model.lus --per-class 3 -o mutants")]
pub(crate) struct Mutate {
    /// The model; `-` reads standard input
    model: PathBuf,
    /// Automata: names of operators with commas between them, `paper` (restrict, widen, shift, self-loop) or `all`;
    /// all if nothing is said
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    operators: Vec<String>,
    /// Automata: how far clock bounds are moved, in time units of the model; 1 if nothing is said
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(i32).range(1..))]
    offset: Option<i32>,
    /// Automata: also change processes of the environment
    #[arg(long)]
    environment: bool,
    /// Automata: decide what each mutant is: wrong, narrower, equal, one in which time stops, or unknown
    #[arg(long)]
    decide: bool,
    /// Automata: the file that says what is system and what environment; `punctual.toml` beside the model if
    /// nothing is said. Without any, all processes are system
    #[arg(long, short, value_name = "FILE")]
    interface: Option<PathBuf>,
    /// Lustre: the main node, if it is not marked or the last one
    #[arg(long, value_name = "NODE")]
    main: Option<String>,
    /// Lustre: so many in all; each class has the same chance
    #[arg(long, value_name = "MUTANTS", conflicts_with = "per_class")]
    count: Option<usize>,
    /// Lustre: with `--count`, divide the mutants among the nodes that the main node calls, by how many each could have
    #[arg(long, requires = "count")]
    by_subsystem: bool,
    /// Lustre: so many of each class
    #[arg(long, value_name = "MUTANTS")]
    per_class: Option<usize>,
    /// Lustre: where chance starts; 1 if nothing is said
    #[arg(long)]
    seed: Option<u64>,
    /// The folder to write to; needed for Lustre
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Write into a folder that has mutants
    #[arg(long, short)]
    force: bool,
    /// Print what was made as JSON
    #[arg(long)]
    json: bool,
}

impl Mutate {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let file = input::named_bytes(&self.model)?;
        match is_network(&self.model, &file) {
            true => {
                let others = [
                    ("--main", self.main.is_some()),
                    ("--count", self.count.is_some()),
                    ("--by-subsystem", self.by_subsystem),
                    ("--per-class", self.per_class.is_some()),
                    ("--seed", self.seed.is_some()),
                ];
                refuse(&others, "Lustre programs, not for networks of automata")?;
                automata::run(&self, &file)
            }
            false => {
                let others = [
                    ("--operators", !self.operators.is_empty()),
                    ("--offset", self.offset.is_some()),
                    ("--environment", self.environment),
                    ("--decide", self.decide),
                    ("--interface", self.interface.is_some()),
                ];
                refuse(&others, "networks of automata, not for Lustre programs")?;
                lustre::run(&self, &file)
            }
        }
    }
}

/// Whether a file has a network of automata: its content decides, then its name. What is nothing else is taken for
/// a Lustre program.
fn is_network(path: &Path, (name, bytes): &(String, Vec<u8>)) -> bool {
    let format = detect(name, &String::from_utf8_lossy(bytes));
    !input::is_lustre(path) && format.is_some_and(|it| it != Format::Queries)
}

/// Refuses options that were given and are for models of the other kind.
fn refuse(options: &[(&str, bool)], what_for: &str) -> Result<(), Stop> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Stop::Message(format!("`{option}` is for {what_for}"))),
        None => Ok(()),
    }
}

/// Refuses to write into a folder that has mutants, unless that is wanted.
fn unused(folder: &Path, force: bool) -> Result<(), Stop> {
    let table = folder.join(TABLE);
    if table.exists() && !force {
        let message = format!("`{}` exists; `--force` replaces it", table.display());
        return Err(Stop::Message(message));
    }
    Ok(())
}

/// Tells that a folder has only some of the mutants, since the user wanted no more; the exit code.
fn cut_short(folder: &Path, n_written: usize, of: usize) -> u8 {
    tell!(
        "stopped by the user: {n_written} of {of} mutants are in {}, without their table",
        folder.display()
    );
    INCONCLUSIVE
}

fn make_folder(folder: &Path) -> Result<(), Stop> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Stop::Message(format!("can not make `{}`: {error}", folder.display())))
}
