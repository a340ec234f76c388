//! `punctual generate`: tests of a synchronous program.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use punctual_lang::lustre::traces;
use punctual_model::lustre::{Program, Table};
use punctual_report::{fill, stepping, view};
use punctual_solver::{Limits, Solver};
use punctual_testgen::lustre::{
    self, CoverOptions, Criterion, Phase, Progress, Ranges, Status, with_outputs,
};

use crate::{INCONCLUSIVE, PASS, Stop, input, print, progress, write_file};

/// Makes tests of a Lustre program: by chance, or such that cover it.
///
/// Covering tests come from an SMT solver, which looks for runs of up to `--bound` steps; the
/// interpreter confirms what each covers. What no run covers, however long, is proved by induction
/// where that closes. `cargo xtask solver` in the folder of the project brings the solver.
#[derive(Args)]
#[command(after_help = "Exit codes: 0 everything is covered, or proved to be infeasible; \
    2 rejected input; 3 something is open or undecided\n\n\
    Examples:\n  \
    punctual generate model.lus --random 100 --steps 30 -o tests.csv\n  \
    punctual generate model.lus --cover mcdc --bound 15 -o tests.csv")]
pub(crate) struct Generate {
    /// The program; `-` reads standard input
    model: PathBuf,
    /// The main node, if it is not marked or the last one
    #[arg(long, value_name = "NODE")]
    main: Option<String>,
    /// So many random tests
    #[arg(long, value_name = "TESTS", required_unless_present = "cover", conflicts_with = "cover")]
    random: Option<usize>,
    /// Steps of a random test
    #[arg(long, value_name = "STEPS", default_value_t = 20)]
    steps: usize,
    /// Tests that cover the program
    #[arg(long, value_enum, value_name = "CRITERION")]
    cover: Option<Cover>,
    /// Steps of a covering test, at most
    #[arg(long, value_name = "STEPS", default_value_t = 10)]
    bound: usize,
    /// Random tests that are tried before the solver is asked for covering ones
    #[arg(long, value_name = "TESTS", default_value_t = 20)]
    first_random: usize,
    /// Where chance starts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What an input can be, such as `level=0..9`; may be given several times
    #[arg(long, value_name = "INPUT=FROM..TO")]
    range: Vec<String>,
    /// Seconds that the solver has for one question
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    timeout: f64,
    /// Also write what the outputs are
    #[arg(long)]
    outputs: bool,
    /// The file of the tests (CSV, or JSON lines if it ends in `.jsonl`); standard output if not given
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print what was found as JSON; needs `--output`
    #[arg(long, requires = "output")]
    json: bool,
    /// Do not show how far the search is
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Cover {
    /// Each `if` takes both branches
    Branch,
    /// Each atomic condition is true and false
    Condition,
    /// Each atomic condition is true and false where it decides (masking)
    Mcdc,
}

impl Generate {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let timeout = Duration::try_from_secs_f64(self.timeout)
            .map_err(|_| Stop::Message("`--timeout` must be a number of seconds".to_owned()))?;
        let program = input::read_program(&self.model, self.main.as_deref())?;
        let ranges = Ranges { of: input::ranges(&program, &self.range)?, ..Ranges::default() };
        progress::listen_to_the_user();
        match self.cover {
            None => self.by_chance(&program, &ranges),
            Some(cover) => self.covering(&program, ranges, cover, timeout),
        }
    }

    fn by_chance(&self, program: &Program, ranges: &Ranges) -> Result<u8, Stop> {
        let n_tests = self.random.unwrap_or(0);
        let found = lustre::random_tests(program, n_tests, self.steps, ranges, self.seed)
            .map_err(|refusal| Stop::Message(refusal.to_string()))?;
        if found.n_cut > 0 {
            eprintln!(
                "note: {} of the tests end early: no inputs were found that the assertions allow",
                found.n_cut
            );
        }
        self.write(program, &found.table)?;
        let view = fill::stepping::random_tests(program, &found, self.seed);
        match self.json {
            true => print(&view::json(&view))?,
            false => self.say(&self.written(view.tests, view.steps))?,
        }
        Ok(PASS)
    }

    fn covering(
        &self,
        program: &Program,
        ranges: Ranges,
        cover: Cover,
        timeout: Duration,
    ) -> Result<u8, Stop> {
        let criterion = match cover {
            Cover::Branch => Criterion::Branch,
            Cover::Condition => Criterion::Condition,
            Cover::Mcdc => Criterion::Mcdc,
        };
        let options = CoverOptions {
            criterion,
            bound: self.bound,
            ranges,
            n_random: self.first_random,
            seed: self.seed,
        };
        let limits = Limits { timeout, ..Limits::default() };
        let session = Solver::find().and_then(|solver| solver.start(limits));
        if let Err(error) = &session {
            eprintln!("warning: {error}");
        }
        let mut watcher = progress::Watcher::new(1, 1, !self.quiet);
        let coverage = lustre::cover(program, &options, session, &mut |it: &Progress| {
            watcher.draw(|_| line(it))
        });
        drop(watcher);
        let coverage = coverage.map_err(|refusal| Stop::Message(refusal.to_string()))?;
        self.write(program, &coverage.table)?;
        let is_open = |it: &Status| matches!(it, Status::Beyond(_) | Status::Undecided(_));
        let view = fill::stepping::coverage(program, &options, &coverage);
        match self.json {
            true => print(&view::json(&view))?,
            false => {
                let text = stepping::coverage(&view);
                self.say(&(text + &self.written(view.tests, view.steps)))?;
            }
        }
        Ok(if coverage.count(is_open) > 0 { INCONCLUSIVE } else { PASS })
    }

    fn written(&self, n_tests: usize, n_steps: usize) -> String {
        let place = self.output.as_ref().map(|path| path.display().to_string());
        stepping::written(n_tests, n_steps, place.as_deref())
    }

    /// Tests on standard output leave no place for anything else there.
    fn say(&self, text: &str) -> Result<(), Stop> {
        match self.output {
            Some(_) => print(text),
            None => {
                eprint!("{text}");
                Ok(())
            }
        }
    }

    fn write(&self, program: &Program, table: &Table) -> Result<(), Stop> {
        let extended = self.outputs.then(|| with_outputs(program, table));
        let table = extended.as_ref().unwrap_or(table);
        let is_jsonl = |path: &PathBuf| path.extension().is_some_and(|it| it == "jsonl");
        let text = match self.output.as_ref().is_some_and(is_jsonl) {
            true => traces::write_jsonl(program, table),
            false => traces::write_csv(program, table),
        };
        match &self.output {
            Some(path) => write_file(path, &text),
            None => print(&text),
        }
    }
}

fn line(progress: &Progress) -> String {
    let doing = match progress.phase {
        Phase::Random => "random tests".to_owned(),
        Phase::Depth(depth) => format!("runs of {depth} steps"),
        Phase::Induction(steps) => format!("induction over {steps} steps"),
    };
    format!(
        "{doing}, {} tests, {} of {} obligations left",
        progress.n_tests, progress.n_left, progress.n_obligations
    )
}
