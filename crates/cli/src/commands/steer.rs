//! `punctual steer`: systems judged by a model that is steered towards them.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use punctual_campaign::drive::Manner;
use punctual_campaign::steering::{self, Judged, Overrides, Plan};
use punctual_model::Verdict;
use punctual_oracle::steering::LookAhead;
use punctual_oracle::steering::learn::Options;

use super::library_host;
use super::test::{Named, Show};
use crate::clock::Stopwatch;
use crate::progress::{self, Watcher};
use crate::{FAIL, INCONCLUSIVE, PASS, Stop, print_or_end, write_file};
use punctual_report::{fill::steering as shown, view};

/// Judges systems by a Lustre model that may be steered, within tolerances, to the nearest behaviour
/// it could have shown.
///
/// The model runs beside each recorded test, or beside a running system (`--live`). Where outputs differ, its inputs are changed as little
/// as explains the system; what can not be explained is a failure. With labels, precision and recall
/// of the verdicts are told.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual steer pump.toml\n  \
    punctual steer pump.toml --trace new.csv --look-ahead all --json\n  \
    punctual steer pump.toml --learn tolerances.txt\n  \
    punctual steer pump.toml --live 'python3 pump.py'\n\n\
    Exit codes: 0 all tests pass, 1 some fail, 2 rejected input, 3 some are inconclusive and none fails.")]
pub(crate) struct Steer {
    /// What to steer, and how: model, tests, traces, tolerances
    config: PathBuf,
    /// Judge this trace instead of those that the configuration names
    #[arg(long, value_name = "FILE")]
    trace: Vec<PathBuf>,
    /// Change inputs so many steps before it shows (2 if nothing is said; 0 decides at once, as the
    /// thesis does), or accept any change in any step (`all`)
    #[arg(long, value_name = "K|all", value_parser = look_ahead)]
    look_ahead: Option<LookAhead>,
    /// Print one line of JSON for each test
    #[arg(long)]
    json: bool,
    /// Learn tolerances from the labelled tests, and write them to this file
    #[arg(long, value_name = "OUT")]
    learn: Option<PathBuf>,
    /// How many ranges each input's changes are cut into for learning
    #[arg(long, value_name = "N", default_value_t = 3, requires = "learn")]
    bands: usize,
    /// How many tests are judged at once; all cores if not said
    #[arg(long, value_name = "N", value_parser = crate::threads)]
    threads: Option<usize>,
    /// Judge a running system: the program to start, with its arguments. It is stepped over the protocol of
    /// `punctual test`
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["trace", "learn"])]
    live: Option<String>,
    /// Record each test as a run in this folder; runs of a live system are recorded in `runs` if not said
    #[arg(long, value_name = "FOLDER", conflicts_with = "learn")]
    record: Option<PathBuf>,
    /// Record nothing
    #[arg(long, conflicts_with = "record")]
    no_record: bool,
    /// How many tests that do not pass are shown in detail
    #[arg(long, value_name = "N", default_value_t = 10)]
    details: usize,
}

fn look_ahead(text: &str) -> Result<LookAhead, String> {
    match text {
        "all" => Ok(LookAhead::All),
        text => text
            .parse()
            .map(LookAhead::Steps)
            .map_err(|_| "expected a number of steps, or `all`".to_owned()),
    }
}

impl Steer {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        progress::listen_to_the_user();
        let overrides = Overrides {
            traces: self.trace.clone(),
            look_ahead: self.look_ahead,
            is_free: self.learn.is_some(),
            is_live: self.live.is_some(),
            is_recorded: false,
        };
        let plan = steering::load(&self.config, &overrides)?;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let n_threads = self.threads.unwrap_or_else(cores).max(1);
        match (&self.learn, &self.live) {
            (Some(out), _) => self.learn(&plan, out, n_threads),
            (None, Some(command)) => self.live(&plan, command),
            (None, None) => self.judge(&plan, n_threads),
        }
    }

    /// Each test is a run of the system, made, recorded and shown like any other.
    fn live(&self, plan: &Plan, command: &str) -> Result<u8, Stop> {
        let named = Named { system: Some(command), ..Named::default() };
        let Some(system) = named.under_test()? else { return Ok(PASS) };
        let prepared = steering::live(plan, &self.config, system, library_host::command())?;
        let recording = match self.no_record {
            true => None,
            false => {
                let folder = self.record.clone().unwrap_or_else(|| "runs".into());
                Some(prepared.recording(&folder, crate::command_line())?)
            }
        };
        plan.warnings(None).iter().for_each(|it| tell!("warning: {it}"));
        let manner = Manner { threads: self.threads, keep_going: true, shrinks: false };
        Show { manner, again: String::new(), json: self.json, quiet: false }
            .run(&prepared, recording.as_ref())
    }

    fn judge(&self, plan: &Plan, n_threads: usize) -> Result<u8, Stop> {
        let oracle = plan.oracle()?;
        let filter = plan.filter()?;
        let stopwatch = Stopwatch::start();
        let (expected, n_steerable) = (plan.expected(), plan.steerable.len());
        let mut summary = shown::Summary::new(&plan.program, self.details, expected, n_steerable);
        let mut watcher = Watcher::new(1, 1, !self.json);
        let mut broken = None;
        let recording = match &self.record {
            None => None,
            Some(folder) => {
                let judges = steering::judges(plan, &plan.columns)?;
                let command = crate::command_line();
                let recording = steering::recording(plan, &judges, &self.config, folder, command)?;
                Some((recording, judges))
            }
        };
        let mut hand_on = |judged: Judged| {
            if let Some((recording, judges)) = &recording
                && let Err(error) = steering::record(recording, judges, &judged)
            {
                broken = Some(Stop::Message(error.to_string()));
                return ControlFlow::Break(());
            }
            if self.json {
                let line = view::json_line(&shown::test(&plan.program, &judged));
                if let Err(error) = print_or_end(&line, FAIL) {
                    broken = Some(error);
                    return ControlFlow::Break(());
                }
            }
            summary.add(&judged);
            watcher.draw(|_| summary.progress());
            ControlFlow::Continue(())
        };
        let stops = progress::stop();
        let is_whole =
            steering::run(plan, &oracle, filter.as_ref(), n_threads, stops, &mut hand_on)?;
        drop(watcher);
        if let Some(error) = broken {
            return Err(error);
        }
        let code = match summary.counts() {
            (_, 0, 0) if !is_whole => INCONCLUSIVE,
            (_, 0, 0) => PASS,
            (_, 0, _) => INCONCLUSIVE,
            _ => FAIL,
        };
        let code = if summary.is_systematic() { FAIL } else { code };
        let warnings = plan.warnings(summary.budget().as_deref());
        if self.json {
            let verdict = match code {
                PASS => Verdict::Pass,
                FAIL => Verdict::Fail,
                _ => Verdict::Inconclusive,
            };
            let systems = summary.systems();
            let all = view::steering::All { verdict: verdict.name(), systems, warnings };
            print_or_end(&view::json_line(&all), code)?;
        } else {
            let mut text = summary.render(stopwatch.elapsed(), n_threads);
            if !is_whole {
                text.push_str("stopped before all tests were judged\n");
            }
            if summary.is_systematic() && summary.counts().1 == 0 {
                text.push_str("FAIL  no test failed by itself, but all of them together can not be explained\n");
            }
            print_or_end(&text, code)?;
            warnings.iter().for_each(|it| tell!("warning: {it}"));
        }
        Ok(code)
    }

    fn learn(&self, plan: &Plan, out: &std::path::Path, n_threads: usize) -> Result<u8, Stop> {
        if plan.labels.is_empty() {
            let message = "learning needs `labels`: what people say of the tests";
            return Err(Stop::Message(message.to_owned()));
        }
        let options =
            Options { seed: plan.seed, granularity: self.bands.max(1), ..Options::default() };
        let lesson = steering::learn(plan, &options, n_threads, progress::stop())?;
        let Some(lesson) = lesson else {
            tell!("stopped before anything was learned; nothing is written");
            return Ok(INCONCLUSIVE);
        };
        let text = punctual_lang::steering::windows(&plan.program, &lesson.tuned.windows.ranges);
        write_file(out, &text)?;
        print_or_end(&shown::lesson(&plan.program, &plan.steerable, &lesson), PASS)?;
        Ok(PASS)
    }
}
