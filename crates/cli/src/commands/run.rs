//! `punctual run`: takes the steps of a Lustre program.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use punctual_campaign::stepping;
use punctual_lang::{
    Input,
    lustre::{Reading, traces},
};
use punctual_model::{
    Cause, VarId, Verdict,
    lustre::{Program, Role, Table},
};
use punctual_report::{fill, stepping as report, view};
use punctual_semantics::lustre::{Machine, Reals};
use punctual_testgen::lustre::{Ranges, random_inputs};

use crate::{
    FAIL, INCONCLUSIVE, PASS, Stop, clock::Stopwatch, input, print_or_end, progress, write_file,
};

/// Numbers of which nothing else is known are drawn from here.
const RANGE: (i64, i64) = (0, 10);

/// All tests are drawn before the first one is run, so there is a limit to what they take.
const STEPS_MAX: usize = 10_000_000;

/// Runs a Lustre program: tests from a table, or random ones.
///
/// Says which properties were violated where, which assertions the inputs broke, and which steps
/// have no result. Columns of the table that are no inputs are compared with what is computed.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual run model.lus tests.csv\n  \
    punctual run model.lus tests.csv --out trace.csv\n  \
    punctual run model.lus --random 1000 --steps 50 --range speed=0..200\n  \
    punctual run model.lus tests.csv --record runs && punctual report runs\n\
    Exit codes: 0 pass, 1 a property is violated, an output differs or a step fails, 2 rejected input, \
    3 a test breaks an assertion, so that the program says nothing of it, or the user stopped.")]
pub(crate) struct Run {
    /// The program; `-` reads it from standard input
    model: PathBuf,
    /// The tests: CSV, or JSON lines if the name ends in `.jsonl`
    #[arg(required_unless_present = "random", conflicts_with = "random")]
    tests: Option<PathBuf>,
    /// Write inputs and outputs of all steps here: `.csv`, `.jsonl` or `.vcd`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write this variable
    #[arg(long, value_name = "NAME", requires = "out")]
    watch: Vec<String>,
    /// How many random tests to run instead
    #[arg(long, value_name = "N")]
    random: Option<usize>,
    /// How many steps a random test has
    #[arg(long, value_name = "N", default_value_t = 100)]
    steps: usize,
    /// What random inputs depend on
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Draw an input from these values; else from its subrange, or from 0..10
    #[arg(long, value_name = "NAME=LEAST..GREATEST", requires = "random")]
    range: Vec<String>,
    /// Record each test as a run in this folder
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// How reals are computed
    #[arg(long, value_enum, default_value_t = Arithmetic::Exact)]
    reals: Arithmetic,
    /// The node that is run; else the one marked `--%MAIN`, the one called `main`, or the last one
    #[arg(long, value_name = "NODE")]
    main: Option<String>,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Arithmetic {
    /// As fractions; nothing is rounded
    Exact,
    /// As doubles
    Float,
}

impl Run {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let out = self.out.as_deref().map(Format::of).transpose()?;
        let (name, program) = input::read_lustre(&self.model, self.main.as_deref())?;
        let watched = self.watched(&program)?;
        let reals = match self.reals {
            Arithmetic::Exact => Reals::Exact,
            Arithmetic::Float => Reals::Float,
        };
        let table = self.table(&program)?;
        let mut asked = watched.clone();
        asked.extend(table.columns.iter().filter(|var| program.vars[**var].role == Role::Local));
        let machine = Machine::watching(&program, reals, &asked, &[])
            .map_err(|refusal| Stop::Message(format!("{name}: {refusal}")))?;
        let mut recorded = Vec::new();
        if self.out.is_some() || self.record.is_some() {
            recorded.extend(program.inputs().chain(program.outputs()).chain(watched));
        }
        let is_random = self.random.is_some();
        let clock = Stopwatch::start();
        progress::listen_to_the_user();
        let (record, mut findings) =
            stepping::run(&machine, &table, &recorded, is_random, progress::stop());
        let seconds = clock.elapsed().as_secs_f64();
        if let Some(folder) = &self.record {
            let n_recorded = self.record(folder, &program, &table, &record, &findings)?;
            if progress::stopped() {
                findings.is_stopped = true;
                let folder = folder.display();
                tell!(
                    "stopped by the user: {n_recorded} of {} tests are in {folder}",
                    table.tests.len()
                );
            }
        }
        if let (Some(path), Some(format)) = (&self.out, out) {
            write_file(path, &format.written(&program, &record))?;
        }
        if findings.is_stopped && self.record.is_none() {
            tell!("stopped by the user in test {} of {}", findings.tests, table.tests.len());
        }
        let view = fill::stepping::findings(&program, &findings, is_random, seconds);
        let code = match findings.cause(is_random).map(Cause::verdict) {
            None | Some(Verdict::Pass) => PASS,
            Some(Verdict::Fail) => FAIL,
            Some(Verdict::Inconclusive) => INCONCLUSIVE,
        };
        let text = if self.json { view::json(&view) } else { report::findings(&view) };
        print_or_end(&text, code)?;
        Ok(code)
    }

    fn record(
        &self,
        folder: &Path,
        program: &Program,
        table: &Table,
        computed: &Table,
        findings: &stepping::Findings,
    ) -> Result<usize, Stop> {
        if let Arithmetic::Float = self.reals {
            let what = "runs are judged again exactly: `--record` does not go with `--reals float`";
            return Err(Stop::Message(what.to_owned()));
        }
        if self.model == Path::new("-") {
            let what = "a record keeps a copy of the model: `--record` needs a file, and not `-`";
            return Err(Stop::Message(what.to_owned()));
        }
        let file = input::named_bytes(&self.model)?.1;
        let seed = self.random.map(|_| self.seed);
        let command = crate::command_line();
        let named = (self.model.as_path(), file);
        stepping::Folder::create(folder, named, program, self.main.as_deref(), seed, command)
            .and_then(|mut folder| {
                folder.record(program, table, computed, findings, progress::stop())
            })
            .map_err(Stop::from)
    }

    fn watched(&self, program: &Program) -> Result<Vec<VarId>, Stop> {
        let mut watched = Vec::new();
        for name in &self.watch {
            let var = program.var(name);
            let var = var.ok_or_else(|| Stop::Message(format!("there is no variable `{name}`")))?;
            if program.vars[var].role == Role::Local && !watched.contains(&var) {
                watched.push(var);
            }
        }
        Ok(watched)
    }

    fn table(&self, program: &Program) -> Result<Table, Stop> {
        if let Some(n_tests) = self.random {
            if n_tests.max(1).saturating_mul(self.steps.max(1)) > STEPS_MAX {
                let message = format!(
                    "`--random` tests of `--steps` steps: at most {STEPS_MAX} steps in all"
                );
                return Err(Stop::Message(message));
            }
            let ranges = Ranges { of: input::ranges(program, &self.range)?, otherwise: RANGE };
            return Ok(random_inputs(program, (n_tests, self.steps), &ranges, self.seed));
        }
        let path = self.tests.as_deref().unwrap_or(Path::new("-"));
        let (name, bytes) = input::named_bytes(path)?;
        let input = Input { name: &name, bytes: &bytes };
        opened(match extension(path) {
            "jsonl" => traces::read_jsonl(input, program),
            _ => traces::read_csv(input, program),
        })
    }
}

/// What was read; what is wrong is shown.
fn opened<T>(reading: Reading<T>) -> Result<T, Stop> {
    input::show(&reading.diagnostics, &reading.file);
    reading.value.ok_or(Stop::Reported)
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|it| it.to_str()).unwrap_or("")
}

/// How a record is written.
#[derive(Clone, Copy)]
enum Format {
    Csv,
    Jsonl,
    Vcd,
}

impl Format {
    /// What the name of the file asks for.
    fn of(path: &Path) -> Result<Format, Stop> {
        match extension(path) {
            "csv" => Ok(Format::Csv),
            "jsonl" => Ok(Format::Jsonl),
            "vcd" => Ok(Format::Vcd),
            _ => {
                let shown = path.display();
                let what = "the name of a record ends in .csv, .jsonl or .vcd";
                Err(Stop::Message(format!("can not write `{shown}`: {what}")))
            }
        }
    }

    fn written(self, program: &Program, record: &Table) -> String {
        match self {
            Format::Csv => traces::write_csv(program, record),
            Format::Jsonl => traces::write_jsonl(program, record),
            Format::Vcd => fill::stepping::vcd(program, record),
        }
    }
}
