//! `punctual generate`: tests of a synchronous program.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use punctual_lang::lustre::traces;
use punctual_model::{
    VarId,
    lustre::{Program, Table, Value},
};
use punctual_semantics::lustre::Reference;
use punctual_solver::{Limits, Solver};
use punctual_testgen::lustre::{
    self, CoverOptions, Coverage, Criterion, Obligation, Phase, Progress, Ranges, Status,
};
use serde_json::json;

use crate::{INCONCLUSIVE, PASS, Stop, input, print, progress, write_file};

/// More obligations than this are counted, not listed.
const LISTED_MAX: usize = 20;

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
        let ranges = ranges(&program, &self.range)?;
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
        if self.json {
            let value = json!({
                "model": program.name, "seed": self.seed, "tests": found.table.tests.len(),
                "steps": n_steps(&found.table), "cut": found.n_cut,
            });
            print(&format!("{value:#}\n"))?;
        } else {
            self.say(&written(&found.table, self.output.as_deref()))?;
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
        if self.json {
            print(&format!("{:#}\n", as_json(program, &options, &coverage)))?;
        } else {
            let mut text = summary(program, criterion, &coverage);
            text += &written(&coverage.table, self.output.as_deref());
            self.say(&text)?;
        }
        Ok(if coverage.count(is_open) > 0 { INCONCLUSIVE } else { PASS })
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
        let with_outputs;
        let mut table = table;
        if self.outputs {
            with_outputs = add_outputs(program, table);
            table = &with_outputs;
        }
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

/// What inputs can be, as arguments say.
fn ranges(program: &Program, arguments: &[String]) -> Result<Ranges, Stop> {
    let mut ranges = Ranges::default();
    for argument in arguments {
        let wrong = |what: &str| Stop::Message(format!("`--range {argument}`: {what}"));
        let parts = argument.split_once('=').and_then(|(name, range)| {
            let (from, to) = range.split_once("..")?;
            Some((name.trim(), from.trim().parse().ok()?, to.trim().parse().ok()?))
        });
        let (name, from, to): (&str, i64, i64) =
            parts.ok_or_else(|| wrong("write `input=0..9`, with whole numbers"))?;
        let var = program.inputs().find(|var| program.vars[*var].name == name);
        let var = var.ok_or_else(|| wrong("there is no such input"))?;
        if from > to {
            return Err(wrong("it is empty"));
        }
        ranges.of.insert(var, (from, to));
    }
    Ok(ranges)
}

fn n_steps(table: &Table) -> usize {
    table.tests.iter().map(|test| test.steps.len()).sum()
}

/// `wrote 3 tests with 12 steps to tests.csv`
fn written(table: &Table, output: Option<&std::path::Path>) -> String {
    let place = output.map_or(String::new(), |path| format!(" to {}", path.display()));
    let plural = |n: usize, word: &str| match n {
        1 => format!("1 {word}"),
        n => format!("{n} {word}s"),
    };
    let (tests, steps) = (plural(table.tests.len(), "test"), plural(n_steps(table), "step"));
    format!("wrote {tests} with {steps}{place}\n")
}

/// The tests with the outputs that the program gives.
fn add_outputs(program: &Program, table: &Table) -> Table {
    let outputs: Vec<VarId> = program.outputs().collect();
    let mut added = table.clone();
    added.columns.extend(&outputs);
    for test in &mut added.tests {
        let mut reference = Reference::new(program);
        for step in &mut test.steps {
            // Each step has a result: the tests were run before.
            let done = reference.step(step).is_ok();
            step.extend(outputs.iter().map(|var| match reference.value(*var) {
                Ok(value) if done => value,
                _ => Value::zero(program.vars[*var].ty),
            }));
        }
    }
    added
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

/// How much is covered, and what is not.
fn summary(program: &Program, criterion: Criterion, coverage: &Coverage) -> String {
    let n_all = coverage.obligations.len();
    let mut text =
        format!("{}: {} coverage, {n_all} obligations\n", program.name, criterion.name());
    let rows = [
        ("covered", coverage.count(|it| matches!(it, Status::Covered(_)))),
        ("infeasible", coverage.count(|it| matches!(it, Status::Infeasible(_)))),
        ("beyond the bound", coverage.count(|it| matches!(it, Status::Beyond(_)))),
        ("undecided", coverage.count(|it| matches!(it, Status::Undecided(_)))),
    ];
    for (name, n) in rows.iter().filter(|(_, n)| *n > 0) {
        let percent = *n as f64 * 100.0 / n_all.max(1) as f64;
        text += &format!("  {name:<18}{n:>6}  {percent:>5.1}%\n");
    }
    let rest = |(_, status): &&(Obligation, Status)| !matches!(status, Status::Covered(_));
    let n_rest = coverage.obligations.iter().filter(rest).count();
    if n_rest > 0 {
        text += "not covered:\n";
    }
    for (obligation, status) in coverage.obligations.iter().filter(rest).take(LISTED_MAX) {
        let Obligation { equation, text: condition, outcome, .. } = obligation;
        text += &format!("  {equation}: {condition} is {outcome}: {}\n", told(status));
    }
    if n_rest > LISTED_MAX {
        text += &format!("  … and {} more\n", n_rest - LISTED_MAX);
    }
    text
}

fn told(status: &Status) -> String {
    match status {
        Status::Covered(test) => format!("covered by test {test}"),
        Status::Infeasible(0) => "infeasible".to_owned(),
        Status::Infeasible(n) => format!("infeasible (by {n}-induction)"),
        Status::Beyond(bound) => format!("not within {bound} steps"),
        Status::Undecided(reason) => format!("undecided ({reason})"),
    }
}

fn as_json(program: &Program, options: &CoverOptions, coverage: &Coverage) -> serde_json::Value {
    let obligation = |(obligation, status): &(Obligation, Status)| {
        let mut value = json!({
            "equation": obligation.equation, "condition": obligation.text,
            "outcome": obligation.outcome,
        });
        let (name, key, detail) = match status {
            Status::Covered(test) => ("covered", "test", json!(test)),
            Status::Infeasible(steps) => ("infeasible", "induction", json!(steps)),
            Status::Beyond(bound) => ("beyond", "bound", json!(bound)),
            Status::Undecided(reason) => ("undecided", "reason", json!(reason)),
        };
        value["status"] = json!(name);
        value[key] = detail;
        value
    };
    let obligations: Vec<_> = coverage.obligations.iter().map(obligation).collect();
    json!({
        "model": program.name, "criterion": options.criterion.name(), "bound": options.bound,
        "seed": options.seed, "tests": coverage.table.tests.len(),
        "steps": n_steps(&coverage.table), "obligations": obligations,
    })
}
