//! Tests of a synchronous program.

use std::{cell::Cell, path::PathBuf, time::Duration};

use punctual_lang::lustre::traces;
use punctual_model::lustre::{Program, Table, Test};
use punctual_report::{fill, stepping, view};
use punctual_solver::{Limits, Solver};
use punctual_testgen::lustre::{
    self, CoverOptions, Criterion, Phase, Progress, RandomTests, Ranges, Status, each_random_test,
    with_outputs,
};

use super::Generate;
use crate::{INCONCLUSIVE, PASS, Stop, input, print, progress, write_file};

impl Generate {
    pub(super) fn lustre(&self) -> Result<u8, Stop> {
        let timeout = Duration::try_from_secs_f64(self.timeout)
            .map_err(|_| Stop::Message("`--timeout` must be a number of seconds".to_owned()))?;
        let program = input::read_program(&self.model, self.main.as_deref())?;
        let ranges = Ranges { of: input::ranges(&program, &self.range)?, ..Ranges::default() };
        progress::listen_to_the_user();
        match &self.cover[..] {
            [] => self.by_chance(&program, &ranges),
            [criterion] => self.covering(&program, ranges, named(criterion)?, timeout),
            _ => Err(Stop::Message(
                "one criterion covers a Lustre program: `--cover mcdc`".to_owned(),
            )),
        }
    }

    fn by_chance(&self, program: &Program, ranges: &Ranges) -> Result<u8, Stop> {
        let n_tests = self.random.unwrap_or(0);
        let n_steps = self.steps.unwrap_or(20);
        let table = Table { columns: program.inputs().collect(), tests: Vec::new() };
        let mut found = RandomTests { table, n_cut: 0 };
        let mut watcher = progress::Watcher::new(1, 1, !self.quiet);
        let n_made = Cell::new(0);
        let mut go_on = || watcher.draw(|_| format!("{} of {n_tests} tests", n_made.get()));
        let mut take = |test: Test| {
            found.n_cut += usize::from(test.steps.len() < n_steps);
            found.table.tests.push(test);
            n_made.set(found.table.tests.len());
            true
        };
        each_random_test(program, (n_tests, n_steps), ranges, self.seed, &mut go_on, &mut take)
            .map_err(|refusal| Stop::Message(refusal.to_string()))?;
        drop(watcher);
        let is_cut = found.table.tests.len() < n_tests;
        if found.n_cut > 0 {
            tell!(
                "note: {} of the tests end early: no inputs were found that the assertions allow",
                found.n_cut
            );
        }
        self.write(program, &found.table)?;
        let mut view = fill::stepping::random_tests(program, &found, self.seed);
        view.stopped_after = is_cut.then_some(view.tests);
        if is_cut && !self.json {
            tell!("stopped by the user: {} of {n_tests} tests were made", view.tests);
        }
        match self.json {
            true => print(&view::json(&view))?,
            false => self.say(&self.written(view.tests, view.steps))?,
        }
        Ok(if is_cut { INCONCLUSIVE } else { PASS })
    }

    fn covering(
        &self,
        program: &Program,
        ranges: Ranges,
        criterion: Criterion,
        timeout: Duration,
    ) -> Result<u8, Stop> {
        let options = CoverOptions {
            criterion,
            bound: self.bound,
            ranges,
            n_random: self.first_random,
            seed: self.seed,
        };
        let limits = Limits { timeout, ..Limits::default() };
        let session = Solver::find().and_then(|solver| solver.start(limits));
        // The text says it with what is left undecided.
        if let (Err(error), true) = (&session, self.json || self.quiet) {
            tell!("warning: {error}");
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

    pub(super) fn written(&self, n_tests: usize, n_steps: usize) -> String {
        let place = self.output.as_ref().map(|path| path.display().to_string());
        stepping::written(n_tests, n_steps, place.as_deref())
    }

    /// Tests on standard output leave no place for anything else there.
    pub(super) fn say(&self, text: &str) -> Result<(), Stop> {
        match self.output.is_some() || self.test_code.is_some() {
            true => print(text),
            false => {
                tell!("{}", text.trim_end());
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

/// A criterion by its name.
fn named(name: &str) -> Result<Criterion, Stop> {
    match name {
        "branch" => Ok(Criterion::Branch),
        "condition" => Ok(Criterion::Condition),
        "mcdc" => Ok(Criterion::Mcdc),
        _ => Err(Stop::Message(format!(
            "`--cover {name}` is not known for Lustre programs; there are: branch, condition, mcdc"
        ))),
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
