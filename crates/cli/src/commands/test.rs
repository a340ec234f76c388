//! `punctual test`: drive a running system from its model and judge what it does.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use punctual_campaign::load::load;
use punctual_campaign::plan::Plan;
use punctual_campaign::prepare::{Prepared, Wishes, prepare};
use punctual_campaign::run::{Finished, Recording, Trouble, many};
use punctual_campaign::shrink::{Shrunk, shrink};
use punctual_campaign::store::{Run, Verdict};
use punctual_campaign::summary::Digest;
use punctual_exec::Timekeeping;
use punctual_lang::testing::{self, UnderTest};
use punctual_oracle::conformance::Coverage;
use punctual_report::answers::grouped;
use punctual_report::runs;
use punctual_testgen::Script;
use serde_json::json;

use crate::specification::Environment;
use crate::{FAIL, INCONCLUSIVE, PASS, REJECTED, Stop, input, print_or_end, progress};

/// Tests a running system: sends inputs that the environment of the model may send, and judges every
/// output and every silence.
///
/// What is exchanged with the system, and where the system is, says `punctual.toml` beside the model
/// (or `--interface`). Each run leaves a record; `punctual report` makes a page of it and
/// `punctual replay` repeats it.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual test examples/coffee-machine/universal.xml\n  \
    punctual test model.xml --runs 100 --strategy guided\n  \
    punctual test model.xml --suite suite.toml\n  \
    punctual test model.lus --suite tests.csv --system 'python3 device.py'\n  \
    punctual test model.xml --script runs/0042/record.jsonl\n  \
    punctual test model.xml --system './device --simulate' --clock real --time 60s\n\n\
    Exit codes: 0 all runs pass, 1 some fail, 2 rejected input or no system, 3 some are inconclusive.")]
pub(crate) struct Test {
    /// The model: timed automata, or a Lustre program (`.lus`)
    model: PathBuf,
    /// The cases to run: a suite (TOML), or a table of steps (CSV, JSON lines)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strategy", "script", "delays", "restart"])]
    suite: Option<PathBuf>,
    /// The time between two steps of a table, such as `100ms`; one time unit if not said
    #[arg(long, value_name = "TIME")]
    period: Option<String>,
    /// What is exchanged with the system: `punctual.toml`, or a `.trn` file of UPPAAL TRON
    #[arg(long, short, value_name = "FILE")]
    interface: Option<PathBuf>,
    /// The program to test, with its arguments; instead of what the interface file says
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["tcp", "listen", "tron", "library", "play"])]
    system: Option<String>,
    /// The system listens at this address
    #[arg(long, value_name = "HOST:PORT")]
    tcp: Option<String>,
    /// The system connects to this address
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// An adapter of UPPAAL TRON connects to this address
    #[arg(long, value_name = "HOST:PORT")]
    tron: Option<String>,
    /// Where TRON's clock service listens for the threads of its adapter (with `--clock virtual`)
    #[arg(long, value_name = "HOST:PORT", requires = "tron")]
    tron_clock: Option<String>,
    /// The system is a shared library
    #[arg(long, value_name = "FILE")]
    library: Option<String>,
    /// The system is another model, played
    #[arg(long, value_name = "MODEL")]
    play: Option<String>,
    /// When a played model acts, where it has a choice
    #[arg(long, value_enum, requires = "play")]
    policy: Option<Policy>,
    /// Who uses the system
    #[arg(long, short, value_enum, default_value_t)]
    environment: Environment,
    /// How many runs; all cases of a suite if not said
    #[arg(long, short, value_parser = clap::value_parser!(u64).range(1..))]
    runs: Option<u64>,
    /// How long a run is: in time units of the model, or with a unit (`10s`, `500ms`)
    #[arg(long, short, value_name = "TIME")]
    time: Option<String>,
    /// How many inputs and outputs a run has at most
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Who chooses inputs
    #[arg(long, value_enum)]
    strategy: Option<Strategy>,
    /// Send the inputs of a trace or a record again, at their instants, whatever comes back
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strategy", "delays", "restart"])]
    script: Option<PathBuf>,
    /// When inputs are sent: `random`, `eager`, `lazy`, or two delays in time units (`2,20`)
    #[arg(long, value_name = "DELAYS")]
    delays: Option<String>,
    /// The probability to reset the system before a step
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    restart: f64,
    /// What all chance comes from
    #[arg(long)]
    seed: Option<u64>,
    /// Which clock tells the time
    #[arg(long, value_enum)]
    clock: Option<ClockChoice>,
    /// On the real clock: how late the tester may look and still blame the system for lateness
    #[arg(long, value_name = "MS", default_value_t = 5)]
    lateness: u64,
    /// Runs at once; one if they share a system, or on the real clock
    #[arg(long)]
    threads: Option<usize>,
    /// The folder that runs are recorded in
    #[arg(long, value_name = "FOLDER", default_value = "runs")]
    record: PathBuf,
    /// Record nothing
    #[arg(long, conflicts_with = "record")]
    no_record: bool,
    /// Go on after a fail
    #[arg(long)]
    keep_going: bool,
    /// Look for a shorter run that fails as well (virtual clock)
    #[arg(long)]
    shrink: bool,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Print the verdict only
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Strategy {
    /// Chance
    Random,
    /// Chance, towards what was not covered yet and the ends of windows
    Guided,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ClockChoice {
    /// The clock of the machine
    Real,
    /// Tester and system agree when time passes
    Virtual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Policy {
    /// By chance
    Random,
    /// As soon as it can
    Earliest,
    /// As late as it can
    Latest,
    /// Always as soon as it can for the first time
    Fixed,
}

/// What all runs came to.
#[derive(Default)]
struct Totals {
    runs: u64,
    fails: u64,
    inconclusive: u64,
    inputs: u64,
    outputs: u64,
    steps: u64,
    time_ns: u64,
    coverage: Coverage,
    /// The first fail, or else the first that is inconclusive.
    worst: Option<Finished>,
    stopped: bool,
    listed: Vec<serde_json::Value>,
}

/// A system that the command line names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named<'c> {
    pub(crate) system: Option<&'c str>,
    pub(crate) tcp: Option<&'c str>,
    pub(crate) listen: Option<&'c str>,
    pub(crate) tron: Option<&'c str>,
    pub(crate) library: Option<&'c str>,
    pub(crate) play: Option<(&'c str, testing::Policy)>,
}

impl Named<'_> {
    /// Where the command line says the system is.
    pub(crate) fn under_test(&self) -> Result<Option<UnderTest>, Stop> {
        if let Some(command) = self.system {
            let words = testing::words(command)
                .map_err(|why| Stop::Message(format!("`--system {command}`: {why}")))?;
            if words.is_empty() {
                return Err(Stop::Message("the command of the system is empty".to_owned()));
            }
            return Ok(Some(UnderTest::Command(words)));
        }
        let owned = |it: Option<&str>| it.map(ToOwned::to_owned);
        let play = self.play.map(|(path, policy)| {
            let path = path.to_owned();
            UnderTest::Model { path, policy }
        });
        let named = owned(self.tcp).map(UnderTest::Tcp);
        let named = named.or_else(|| owned(self.listen).map(UnderTest::Listen));
        let named = named.or_else(|| owned(self.tron).map(UnderTest::Tron));
        Ok(named.or_else(|| owned(self.library).map(UnderTest::Library)).or(play))
    }
}

/// How runs are made and shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive {
    pub(crate) threads: Option<usize>,
    pub(crate) keep_going: bool,
    pub(crate) shrink: bool,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Test {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let loaded = load(&self.model, self.interface.as_deref(), self.environment.into())?;
        let prepared = prepare(loaded, &self.wishes()?)?;
        let recording = match self.no_record {
            true => None,
            false => Some(prepared.recording(&self.record, std::env::args().collect())?),
        };
        let drive = Drive {
            threads: self.threads,
            keep_going: self.keep_going || self.suite.is_some(),
            shrink: self.shrink,
            json: self.json,
            quiet: self.quiet,
        };
        drive.run(&prepared, recording.as_ref())
    }

    fn wishes(&self) -> Result<Wishes, Stop> {
        let policy = match self.policy.unwrap_or(Policy::Random) {
            Policy::Random => testing::Policy::Random,
            Policy::Earliest => testing::Policy::Earliest,
            Policy::Latest => testing::Policy::Latest,
            Policy::Fixed => testing::Policy::Fixed,
        };
        let named = Named {
            system: self.system.as_deref(),
            tcp: self.tcp.as_deref(),
            listen: self.listen.as_deref(),
            tron: self.tron.as_deref(),
            library: self.library.as_deref(),
            play: self.play.as_deref().map(|path| (path, policy)),
        };
        Ok(Wishes {
            system: named.under_test()?,
            tron_clock: self.tron_clock.clone(),
            library_host: super::library_host::command(),
            environment: self.environment.into(),
            suite: self.suite.clone(),
            period: self.period.clone(),
            runs: self.runs,
            time: self.time.clone(),
            events: self.steps,
            guided: self.strategy.map(|strategy| strategy == Strategy::Guided),
            script: self.script.clone(),
            delays: self.delays.clone(),
            restart: self.restart,
            seed: self.seed,
            clock: self.clock.map(|clock| match clock {
                ClockChoice::Real => Timekeeping::Real,
                ClockChoice::Virtual => Timekeeping::Virtual,
            }),
            lateness_ns: self.lateness.saturating_mul(1_000_000),
        })
    }
}

impl Drive {
    /// Makes all runs of a plan, and shows what came of them.
    pub(crate) fn run(self, prepared: &Prepared, recording: Option<&Recording>) -> Result<u8, Stop> {
        let (plan, n_runs) = (&prepared.plan, prepared.n_runs);
        let n_threads = match plan.is_parallel() {
            false => 1,
            true => self.threads.unwrap_or_else(|| {
                std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
            }),
        };
        progress::listen_to_the_user();
        let mut watcher = progress::Watcher::new(1, 1, !self.quiet && !self.json);
        let mut totals = Totals::default();
        let done = many(plan, 0..n_runs, n_threads, recording, progress::stop(), |it| {
            totals.add(it);
            watcher.draw(|_| {
                let (runs, fails) = (totals.runs, totals.fails);
                format!("{runs} of {n_runs} runs, {fails} failed")
            });
            totals.fails == 0 || self.keep_going
        });
        drop(watcher);
        totals.stopped |= progress::stopped();
        // What was found before a system went away is told all the same.
        let trouble = match done {
            Err(trouble) if totals.runs == 0 => return Err(Stop::Message(trouble.to_string())),
            Err(trouble) => Some(trouble),
            Ok(()) => None,
        };
        let shrunk = match (self.shrink && trouble.is_none(), totals.fails > 0) {
            (true, true) => self.shrink(plan, &totals)?,
            _ => None,
        };
        let code = totals.code(trouble.as_ref());
        match self.json {
            true => self.print_json(plan, &totals, shrunk.as_ref(), trouble.as_ref(), code)?,
            false => self.print_text(plan, &totals, shrunk.as_ref(), code)?,
        }
        if let (Some(trouble), false) = (&trouble, self.json) {
            eprintln!("error: after {} runs: {trouble}", totals.runs);
        }
        Ok(code)
    }

    fn shrink(self, plan: &Plan, totals: &Totals) -> Result<Option<Shrunk>, Stop> {
        let Some(worst) = &totals.worst else { return Ok(None) };
        if plan.timekeeping == Timekeeping::Real {
            eprintln!(
                "note: a run on the real clock can not be repeated exactly, so it is not shrunk"
            );
            return Ok(None);
        }
        let message = |trouble: Trouble| Stop::Message(trouble.to_string());
        let mut sut = plan.connect(worst.run).map_err(|error| Stop::Message(error.to_string()))?;
        let script = Script::of_trace(&worst.trace, &plan.judges.interface);
        shrink(plan, &mut *sut, &script, 2000, progress::stop()).map_err(message)
    }

    fn print_text(
        self,
        plan: &Plan,
        totals: &Totals,
        shrunk: Option<&Shrunk>,
        code: u8,
    ) -> Result<(), Stop> {
        let style = input::run_style();
        let mut text = String::new();
        match (&totals.worst, totals.fails + totals.inconclusive) {
            (Some(worst), 1..) if worst.folder.is_some() => {
                let folder = worst.folder.clone().unwrap_or_default();
                let run = Run::at(&folder);
                match Digest::read(&run) {
                    Ok(digest) => text.push_str(&runs::text(&digest, style)),
                    Err(error) => text.push_str(&format!("{error}\n")),
                }
            }
            (Some(worst), 1..) => {
                let why = worst.diagnosis.as_ref().map_or("", |it| it.explanation.as_str());
                text.push_str(&format!("{}  {why}\n", worst.verdict.word()));
            }
            _ => {
                let time = testing::duration(totals.time_ns);
                let steps = match totals.steps {
                    0 => String::new(),
                    n => format!("{} steps, ", grouped(n)),
                };
                text.push_str(&format!(
                    "{}  {} {}, {steps}{} inputs, {} outputs, {time} of {} time\n",
                    if code == PASS { "PASS" } else { "INCONCLUSIVE" },
                    grouped(totals.runs),
                    if totals.runs == 1 { "run" } else { "runs" },
                    grouped(totals.inputs),
                    grouped(totals.outputs),
                    match plan.timekeeping {
                        Timekeeping::Real => "real",
                        Timekeeping::Virtual => "virtual",
                    }
                ));
            }
        }
        if totals.stopped {
            text.push_str("      stopped before all was done\n");
        }
        if !self.quiet {
            if totals.runs > 1 && code != PASS {
                text.push_str(&format!(
                    "      {} of {} runs failed, {} inconclusive\n",
                    totals.fails, totals.runs, totals.inconclusive
                ));
            }
            if let Some(specification) = &plan.judges.specification {
                let (covered, edges) = totals.coverage.ratio(&specification.network);
                text.push_str(&format!("      {covered} of {edges} edges covered\n"));
            }
        }
        if let Some(shrunk) = shrunk {
            text.push_str(&shrunk_text(plan, shrunk));
        }
        print_or_end(&text, code)
    }

    fn print_json(
        self,
        plan: &Plan,
        totals: &Totals,
        shrunk: Option<&Shrunk>,
        trouble: Option<&Trouble>,
        code: u8,
    ) -> Result<(), Stop> {
        let specification = plan.judges.specification.as_ref();
        let coverage = specification.map(|it| totals.coverage.ratio(&it.network));
        let value = json!({
            "verdict": match code { FAIL => "fail", PASS => "pass", _ => "inconclusive" },
            "runs": totals.listed,
            "failed": totals.fails,
            "inconclusive": totals.inconclusive,
            "inputs": totals.inputs,
            "outputs": totals.outputs,
            "steps": totals.steps,
            "duration_ns": totals.time_ns,
            "seed": plan.seed,
            "coverage": coverage.map(|(covered, edges)| json!({ "edges": covered, "of": edges })),
            "stopped": totals.stopped,
            "trouble": trouble.map(ToString::to_string),
            "shrunk": shrunk.map(|it| json!({
                "inputs": it.script.acts().iter().map(|(at_ns, act)| json!({
                    "at_ns": at_ns,
                    "input": plan.judges.interface.happening_text(act),
                })).collect::<Vec<_>>(),
                "end_ns": it.script.end_ns(),
                "attempts": it.n_attempts,
                "diagnosis": it.finished.diagnosis,
            })),
        });
        let text = serde_json::to_string_pretty(&value)
            .map_err(|error| Stop::Message(format!("can not write JSON: {error}")))?;
        print_or_end(&format!("{text}\n"), code)
    }
}

/// A shrunk run as a line of delays and signals.
fn shrunk_text(plan: &Plan, shrunk: &Shrunk) -> String {
    let unit_ns = plan.judges.interface.time.unit_ns as f64;
    let mut line = String::new();
    let mut now_ns = 0;
    for event in &shrunk.finished.trace.events {
        if event.from_ns > now_ns {
            line.push_str(&format!("{} · ", (event.from_ns - now_ns) as f64 / unit_ns));
        }
        now_ns = event.from_ns;
        line.push_str(&format!("{} · ", plan.judges.interface.happening_text(&event.what)));
    }
    let rest_ns = shrunk.finished.trace.end_ns.saturating_sub(now_ns);
    if rest_ns > 0 {
        line.push_str(&format!("{} · ", rest_ns as f64 / unit_ns));
    }
    let line = line.trim_end_matches(" · ");
    let why = shrunk.finished.diagnosis.as_ref().map_or("", |it| it.explanation.as_str());
    format!("      shrunk to {line}\n      {why}\n      ({} runs)\n", shrunk.n_attempts)
}

impl Totals {
    fn add(&mut self, finished: Finished) {
        self.runs += 1;
        self.inputs += finished.statistics.inputs;
        self.outputs += finished.statistics.outputs;
        self.steps += finished.statistics.steps;
        self.time_ns = self.time_ns.saturating_add(finished.statistics.duration_ns);
        self.coverage.add(&finished.coverage);
        self.stopped |= finished.stopped;
        self.listed.push(json!({
            "run": finished.run,
            "case": finished.case,
            "verdict": finished.verdict.name(),
            "folder": finished.folder,
            "inputs": finished.statistics.inputs,
            "outputs": finished.statistics.outputs,
            "duration_ns": finished.statistics.duration_ns,
            "diagnosis": finished.diagnosis,
        }));
        match finished.verdict {
            Verdict::Pass => {}
            Verdict::Inconclusive => self.inconclusive += 1,
            Verdict::Fail => self.fails += 1,
        }
        let worse = self.worst.as_ref().is_none_or(|worst| finished.verdict > worst.verdict);
        if finished.verdict != Verdict::Pass && worse {
            self.worst = Some(finished);
        }
    }

    /// A fail is one, whatever happened after it; a system that went away leaves the rest open.
    fn code(&self, trouble: Option<&Trouble>) -> u8 {
        match (self.fails, self.inconclusive) {
            (1.., _) => FAIL,
            _ if trouble.is_some() => REJECTED,
            (0, 1..) => INCONCLUSIVE,
            _ if self.stopped || self.runs == 0 => INCONCLUSIVE,
            _ => PASS,
        }
    }
}
