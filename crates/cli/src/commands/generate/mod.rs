//! `punctual generate`: tests of a model. What the file is decides how they are made.

mod as_model;
mod lustre;
mod testcode;
mod timed;

use std::path::{Path, PathBuf};

use clap::Args;

use super::usecases;
use crate::{INCONCLUSIVE, PASS, Stop, input, memory};

/// Tests are kept in memory until they are written: more steps than this are refused.
const STEPS_MAX: usize = 10_000_000;
/// A timed case is made in one go, in which nobody hears Ctrl-C: it must not take long.
const CASE_MAX: usize = 10_000;
/// The solver is told all steps of a covering test: more than this are refused.
const BOUND_MAX: usize = 10_000;

/// Makes tests of a model: such that cover it, by chance, or as diverse as a budget allows.
///
/// Of timed automata (UPPAAL, XTA, TChecker), a suite of timed cases: inputs, waits and checks of what the interface
/// observes. Covering cases come from searches in the parts of the model that matter for a goal; what can not be
/// reached is said with its reason. `--budget` fills the suite up and makes it diverse. `punctual test SUITE` runs it,
/// `punctual score MODEL SUITE` says which faults it finds. Of a folder of use cases, the timed model is derived first.
///
/// Of a Lustre program, tables of inputs. Covering tests come from an SMT solver, which looks for runs of up to
/// `--bound` steps; the interpreter confirms what each covers. What no run covers, however long, is proved by induction
/// where that closes. `cargo xtask solver` in the folder of the project brings the solver.
#[derive(Args)]
#[command(after_help = "Exit codes: 0 everything is covered, or proved to be infeasible; \
    2 rejected input; 3 something is open or undecided\n\n\
    Examples:\n  \
    punctual generate model.xml -o suite.toml --cover edges\n  \
    punctual generate model.xml -o suite.toml --cover edges,bounds --budget 50 --iterations 2000\n  \
    punctual generate model.xml -o suite.toml --purpose 'E<> Gate.Occupied' --budget 4h\n  \
    punctual generate model.xml --test-code tests --cover edges\n  \
    punctual generate examples/bodysense -o suite.toml --cover edges --export tests.txt\n  \
    punctual generate model.lus --random 100 --steps 30 -o tests.csv\n  \
    punctual generate model.lus --cover mcdc --bound 15 -o tests.csv")]
pub(crate) struct Generate {
    /// The model, or a folder of use cases (its model is derived and written beside the suite); `-` reads a Lustre program from standard input
    model: PathBuf,
    /// So many random tests
    #[arg(long, value_name = "TESTS")]
    random: Option<usize>,
    /// Steps of a random test; of timed automata, steps that a case has at most [default: 20, timed: 60]
    #[arg(long, value_name = "STEPS")]
    steps: Option<usize>,
    /// What tests cover. Lustre: `branch`, `condition` or `mcdc`. Timed: `locations`, `edges`, `pairs`, `timing`
    /// (what has clocks), `bounds` (clock constraints at their limits), with commas between
    #[arg(long, value_name = "CRITERIA", value_delimiter = ',')]
    cover: Vec<String>,
    /// Where chance starts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file of the tests (timed: TOML; Lustre: CSV, or JSON lines if it ends in `.jsonl`); standard output if not given
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print what was found as JSON; needs `--output` or `--test-code`
    #[arg(long)]
    json: bool,
    /// Do not show how far the search is
    #[arg(long, short)]
    quiet: bool,

    /// The file that says what is exchanged with the system; `punctual.toml` beside the model if not given
    #[arg(long, short, value_name = "FILE", help_heading = "Timed automata")]
    interface: Option<PathBuf>,
    /// A state that a case of its own reaches, such as `E<> Gate.Occupied`; may be given several times
    #[arg(long, value_name = "QUERY", help_heading = "Timed automata")]
    purpose: Vec<String>,
    /// Fill the suite up: a number of cases (at most 20,000), or bench time such as `4h`
    #[arg(long, value_name = "CASES|TIME", help_heading = "Timed automata")]
    budget: Option<String>,
    /// Bench time of a reset before each case, such as `2s`; counts for `--budget`
    #[arg(long, value_name = "TIME", help_heading = "Timed automata", default_value = "0s")]
    reset: String,
    /// New cases that are tried to make a suite with a budget more diverse
    #[arg(long, value_name = "N", help_heading = "Timed automata", default_value_t = 1000)]
    iterations: usize,
    /// How long a case waits for what the system decides about [default: behind, without an interface: start]
    #[arg(long, value_enum, help_heading = "Timed automata")]
    wait: Option<timed::Wait>,
    /// What checks ask for
    #[arg(long, value_enum, help_heading = "Timed automata", default_value_t)]
    checks: timed::Checks,
    /// Also write the suite in another language: a file whose suffix says which (`.py` pytest, `.robot`, `.h` C, `.csv`,
    /// `.json`, `.txt`), or as `--to` says; see `punctual convert`
    #[arg(long, value_name = "FILE", help_heading = "Timed automata")]
    export: Option<PathBuf>,
    /// The language of `--export`: `pytest`, `robot`, `c`, `csv`, `json`, `text`, `matrix` or `template`
    #[arg(long, value_name = "FORMAT", help_heading = "Timed automata", requires = "export")]
    to: Option<String>,
    #[command(flatten)]
    exporting: crate::export::Exporting,
    /// Stop when following the model takes this much memory (512M, 4G); 2G without it, and never more than 3/4 of the machine's
    #[arg(long, value_name = "SIZE", help_heading = "Timed automata", value_parser = memory::parse)]
    memory: Option<u64>,
    /// Symbolic states that one search stores at most
    #[arg(long, value_name = "N", help_heading = "Timed automata", default_value_t = 200_000)]
    states: u64,

    /// Write the test code of the model along each case to a file in this folder; needs no interface
    #[arg(long, value_name = "FOLDER", help_heading = "Timed automata")]
    test_code: Option<PathBuf>,
    /// Write each case as a model into this folder: the system, and the case as a process beside it
    #[arg(long, value_name = "FOLDER", help_heading = "Timed automata")]
    as_model: Option<PathBuf>,

    /// The main node, if it is not marked or the last one
    #[arg(long, value_name = "NODE", help_heading = "Lustre programs")]
    main: Option<String>,
    /// Steps of a covering test, at most; up to 10,000
    #[arg(long, value_name = "STEPS", help_heading = "Lustre programs", default_value_t = 10)]
    bound: usize,
    /// Random tests that are tried before the solver is asked for covering ones
    #[arg(long, value_name = "TESTS", help_heading = "Lustre programs", default_value_t = 20)]
    first_random: usize,
    /// What an input can be, such as `level=0..9`; may be given several times
    #[arg(long, value_name = "INPUT=FROM..TO", help_heading = "Lustre programs")]
    range: Vec<String>,
    /// Seconds that the solver has for one question
    #[arg(long, value_name = "SECONDS", help_heading = "Lustre programs", default_value_t = 10.0)]
    timeout: f64,
    /// Also write what the outputs are
    #[arg(long, help_heading = "Lustre programs")]
    outputs: bool,
}

impl Generate {
    pub(crate) fn run(mut self) -> Result<u8, Stop> {
        let is_whole = if self.model.is_dir() { self.derive()? } else { true };
        let code = self.made()?;
        Ok(if code == PASS && !is_whole { INCONCLUSIVE } else { code })
    }

    /// Derives the model of a folder of use cases, and lets it be the model. It stays beside the suite, which names it. Gives whether nothing is
    /// left out of it.
    fn derive(&mut self) -> Result<bool, Stop> {
        let folder = self.model.display();
        let Some(output) = self.output.as_deref().filter(|_| self.interface.is_none()) else {
            let message = format!(
                "`{folder}` is a folder: of use cases, a suite is made with `-o SUITE.toml` and without `--interface`; the derived model is written beside it"
            );
            return Err(Stop::Message(message));
        };
        let refuse = |what: &str| Err(Stop::Message(format!("`{}`: {what}", output.display())));
        if output.as_os_str() == "-" {
            return refuse("the suite of a folder of use cases names its model, and needs a file");
        }
        let within = output.parent().filter(|it| !it.as_os_str().is_empty());
        let within = within.unwrap_or(Path::new(".")).canonicalize().ok();
        if within.is_some() && within == self.model.canonicalize().ok() {
            return refuse("the derived model would be read with the use cases: write elsewhere");
        }
        let stem = output.file_stem().unwrap_or_default().to_string_lossy();
        let model = output.with_file_name(format!("{stem}-model.xml"));
        // Who made the suite before wants both anew; a model alone is somebody else's.
        if model.exists() && !output.exists() {
            return refuse(&format!("`{}` is in the way of its model", model.display()));
        }
        let is_whole = usecases::derive(&self.model, &model, self.quiet || self.json)?;
        self.interface = Some(model.with_extension("toml"));
        self.model = model;
        Ok(is_whole)
    }

    fn made(self) -> Result<u8, Stop> {
        let is_lustre = input::is_lustre(&self.model) || self.model.as_os_str() == "-";
        if self.json && self.output.is_none() && self.test_code.is_none() {
            let message = "`--json` needs a file for the tests: `--output FILE`";
            return Err(Stop::Message(message.to_owned()));
        }
        let others = match is_lustre {
            true => vec![
                ("--interface", self.interface.is_some()),
                ("--purpose", !self.purpose.is_empty()),
                ("--budget", self.budget.is_some()),
                ("--memory", self.memory.is_some()),
                ("--test-code", self.test_code.is_some()),
                ("--as-model", self.as_model.is_some()),
            ],
            false => vec![
                ("--main", self.main.is_some()),
                ("--range", !self.range.is_empty()),
                ("--outputs", self.outputs),
            ],
        };
        if let Some((option, _)) = others.iter().find(|(_, is_given)| *is_given) {
            let kind = if is_lustre { "timed automata" } else { "Lustre programs" };
            return Err(Stop::Message(format!("`{option}` is for {kind}")));
        }
        if is_lustre && self.random.is_some() != self.cover.is_empty() {
            let message = "say what to make: `--random TESTS` or `--cover CRITERION`";
            return Err(Stop::Message(message.to_owned()));
        }
        let (n_tests, n_steps) = (self.random.unwrap_or(0), self.steps.unwrap_or(0));
        if n_tests.max(1).saturating_mul(n_steps.max(1)) > STEPS_MAX {
            let message =
                format!("`--random` tests of `--steps` steps: at most {STEPS_MAX} steps in all");
            return Err(Stop::Message(message));
        }
        if is_lustre && self.bound > BOUND_MAX {
            let message =
                format!("`--bound {}`: a covering test has at most {BOUND_MAX} steps", self.bound);
            return Err(Stop::Message(message));
        }
        if !is_lustre && n_steps > CASE_MAX {
            let message = format!("`--steps {n_steps}`: a timed case has at most {CASE_MAX} steps");
            return Err(Stop::Message(message));
        }
        if is_lustre { self.lustre() } else { self.timed() }
    }
}
