//! `punctual test`: drive a running system from its model and judge what it does.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use punctual_campaign::plan::{Choice, Plan, System};
use punctual_campaign::run::{Finished, Recording, many};
use punctual_campaign::shrink::{Shrunk, shrink};
use punctual_campaign::store::{Clock, Header, Run, Store, Verdict};
use punctual_campaign::summary::Digest;
use punctual_campaign::traces;
use punctual_exec::online::Budget;
use punctual_exec::{Limits, Timekeeping};
use punctual_lang::testing::{self, UnderTest};
use punctual_oracle::conformance::Coverage;
use punctual_report::answers::grouped;
use punctual_report::runs;
use punctual_testgen::{RandomOptions, Script, Timing};
use serde_json::json;

use crate::specification::{Environment, Loaded, load};
use crate::{FAIL, INCONCLUSIVE, PASS, Stop, input, print_or_end, progress};

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
    punctual test model.xml --script runs/0042/record.jsonl\n  \
    punctual test model.xml --system './device --simulate' --clock real --time 60s\n\n\
    Exit codes: 0 all runs pass, 1 some fail, 2 rejected input or no system, 3 some are inconclusive.")]
pub(crate) struct Test {
    /// The model
    model: PathBuf,
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
    /// How many runs
    #[arg(long, short)]
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
    time_ns: u64,
    coverage: Coverage,
    /// The first fail, or else the first that is inconclusive.
    worst: Option<Finished>,
    stopped: bool,
    listed: Vec<serde_json::Value>,
}

impl Test {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let loaded = load(&self.model, self.interface.as_deref(), self.environment)?;
        let recording = self.recording(&loaded)?;
        let plan = self.plan(loaded)?;
        let n_runs = self.runs.unwrap_or(1);
        let n_threads = match plan.is_parallel() {
            false => 1,
            true => self.threads.unwrap_or_else(|| {
                std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
            }),
        };
        progress::listen_to_the_user();
        let mut watcher = progress::Watcher::new(1, 1, !self.quiet && !self.json);
        let mut totals = Totals::default();
        let done = many(&plan, 0..n_runs, n_threads, recording.as_ref(), progress::stop(), |it| {
            totals.add(it);
            watcher.draw(|_| {
                let (runs, fails) = (totals.runs, totals.fails);
                format!("{runs} of {n_runs} runs, {fails} failed")
            });
            totals.fails == 0 || self.keep_going
        });
        drop(watcher);
        if let Err(trouble) = done {
            return Err(Stop::Message(trouble.to_string()));
        }
        let shrunk = match (self.shrink, totals.fails > 0) {
            (true, true) => self.shrink(&plan, &totals)?,
            _ => None,
        };
        let code = totals.code();
        match self.json {
            true => self.print_json(&plan, &totals, shrunk.as_ref(), code)?,
            false => self.print_text(&plan, &totals, shrunk.as_ref(), code)?,
        }
        Ok(code)
    }

    fn recording(&self, loaded: &Loaded) -> Result<Option<Recording>, Stop> {
        if self.no_record {
            return Ok(None);
        }
        let store =
            Store::create(&self.record).map_err(|error| Stop::Message(error.to_string()))?;
        let clock = match self.timekeeping(&loaded.config) {
            Timekeeping::Real => Clock::Real,
            Timekeeping::Virtual => Clock::Virtual,
        };
        let mut header = Header::new(&loaded.config.interface, clock);
        header.command = std::env::args().collect();
        header.seed = self.seed(&loaded.config);
        header.strategy = json!({
            "choice": match self.choice(&loaded.config)? {
                Choice::Guided => "guided".to_owned(),
                Choice::Random(options) => format!("random, {:?}", options.timing).to_lowercase(),
                Choice::Script(_) => "script".to_owned(),
            },
            "environment": format!("{:?}", self.environment).to_lowercase(),
        });
        Ok(Some(Recording {
            store,
            header,
            model: loaded.model.clone(),
            files: vec![loaded.interface.clone()],
        }))
    }

    fn plan(&self, loaded: Loaded) -> Result<Plan, Stop> {
        let Loaded { specification, config, interface, .. } = loaded;
        let under_test = match self.under_test()? {
            Some(under_test) => under_test,
            None => config.under_test.clone().ok_or_else(|| {
                Stop::Message(
                    "nothing says where the system is: add a section `[system]` to the interface \
                     file, or use `--system`, `--tcp`, `--listen`, `--library`, `--tron` or `--play`"
                        .to_owned(),
                )
            })?,
        };
        // What the command line names is relative to where the user is.
        let folder = match self.names_system() {
            true => PathBuf::new(),
            false => interface.0.parent().map_or_else(PathBuf::new, ToOwned::to_owned),
        };
        let played = match &under_test {
            UnderTest::Model { path, .. } => {
                let source = input::read_model(&folder.join(path), input::Queries::None)?;
                Some(source.model.network.clone())
            }
            _ => None,
        };
        let budget = Budget {
            time_ns: self.time_ns(&config)?,
            events: self.steps.or(config.test.steps).unwrap_or(u64::MAX),
        };
        Ok(Plan {
            choice: self.choice(&config)?,
            seed: self.seed(&config),
            timekeeping: self.timekeeping(&config),
            budget,
            horizon: 2 * specification.largest_constant(),
            lateness_ns: self.lateness * 1_000_000,
            limits: Limits::default(),
            system: System { under_test, folder, played },
            specification,
        })
    }

    fn names_system(&self) -> bool {
        self.system.is_some()
            || self.tcp.is_some()
            || self.listen.is_some()
            || self.tron.is_some()
            || self.library.is_some()
            || self.play.is_some()
    }

    /// Where the command line says the system is.
    fn under_test(&self) -> Result<Option<UnderTest>, Stop> {
        if let Some(command) = &self.system {
            let words: Vec<String> = command.split_whitespace().map(ToOwned::to_owned).collect();
            if words.is_empty() {
                return Err(Stop::Message("the command of the system is empty".to_owned()));
            }
            return Ok(Some(UnderTest::Command(words)));
        }
        let policy = match self.policy.unwrap_or(Policy::Random) {
            Policy::Random => testing::Policy::Random,
            Policy::Earliest => testing::Policy::Earliest,
            Policy::Latest => testing::Policy::Latest,
            Policy::Fixed => testing::Policy::Fixed,
        };
        let play = self.play.clone().map(|path| UnderTest::Model { path, policy });
        let named = self.tcp.clone().map(UnderTest::Tcp);
        let named = named.or_else(|| self.listen.clone().map(UnderTest::Listen));
        let named = named.or_else(|| self.tron.clone().map(UnderTest::Tron));
        Ok(named.or_else(|| self.library.clone().map(UnderTest::Library)).or(play))
    }

    fn seed(&self, config: &testing::Config) -> u64 {
        self.seed.or(config.test.seed).unwrap_or(1)
    }

    fn timekeeping(&self, config: &testing::Config) -> Timekeeping {
        match (self.clock, config.test.clock) {
            (Some(ClockChoice::Real), _) | (None, Some(testing::Timing::Real)) => Timekeeping::Real,
            _ => Timekeeping::Virtual,
        }
    }

    fn choice(&self, config: &testing::Config) -> Result<Choice, Stop> {
        if let Some(path) = &self.script {
            let (name, bytes) = input::named_bytes(path)?;
            let options = traces::Options::default();
            let found = traces::read(&name, &bytes, &config.interface, options)
                .map_err(|error| Stop::Message(error.to_string()))?;
            let [trace] = &found[..] else {
                let n = found.len();
                return Err(Stop::Message(format!("`{name}` has {n} traces; a script is one")));
            };
            return Ok(Choice::Script(Script::of_trace(trace, &config.interface)));
        }
        let guided = match self.strategy {
            Some(strategy) => strategy == Strategy::Guided,
            None => config.test.strategy == Some(testing::Strategy::Guided),
        };
        if guided {
            return Ok(Choice::Guided);
        }
        let resolution = i64::from(config.interface.time.resolution);
        let between = |short: u32, long: u32| Timing::Bounded {
            short: i64::from(short) * resolution,
            long: i64::from(long) * resolution,
        };
        let timing = match (self.delays.as_deref(), config.test.delays) {
            (Some("random"), _) => Timing::Random,
            (Some("eager"), _) => Timing::Eager,
            (Some("lazy"), _) => Timing::Lazy,
            (Some(text), _) => {
                let two = text.split_once(',');
                let number = |it: &str| it.trim().parse::<u32>().ok();
                match two.and_then(|(a, b)| Some((number(a)?, number(b)?))) {
                    Some((short, long)) => between(short, long),
                    None => {
                        return Err(Stop::Message(format!(
                            "`--delays {text}`: expected `random`, `eager`, `lazy` or two numbers \
                             such as `2,20`"
                        )));
                    }
                }
            }
            (None, Some(testing::Delays::Eager)) => Timing::Eager,
            (None, Some(testing::Delays::Lazy)) => Timing::Lazy,
            (None, Some(testing::Delays::Between(short, long))) => between(short, long),
            (None, Some(testing::Delays::Random) | None) => Timing::Random,
        };
        if !(0.0..=1.0).contains(&self.restart) {
            return Err(Stop::Message("`--restart` is a probability, from 0 to 1".to_owned()));
        }
        let restart = self.restart;
        Ok(Choice::Random(RandomOptions { timing, restart, ..RandomOptions::default() }))
    }

    fn time_ns(&self, config: &testing::Config) -> Result<u64, Stop> {
        let unit_ns = config.interface.time.unit_ns;
        let Some(text) = &self.time else {
            return Ok(config.test.duration_ns.unwrap_or(10_000_u64.saturating_mul(unit_ns)));
        };
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let factor = match &text[digits.len()..] {
            "" => Some(unit_ns),
            "ns" => Some(1),
            "us" => Some(1_000),
            "ms" => Some(1_000_000),
            "s" => Some(1_000_000_000),
            "min" => Some(60_000_000_000),
            "h" => Some(3_600_000_000_000),
            _ => None,
        };
        let number: Option<f64> = digits.trim().parse().ok();
        match (number, factor) {
            (Some(number), Some(factor)) if number >= 0.0 && number.is_finite() => {
                Ok((number * factor as f64) as u64)
            }
            _ => Err(Stop::Message(format!(
                "`--time {text}`: expected a number of time units, or a time such as `10s` or `500ms`"
            ))),
        }
    }

    fn shrink(&self, plan: &Plan, totals: &Totals) -> Result<Option<Shrunk>, Stop> {
        let Some(worst) = &totals.worst else { return Ok(None) };
        if plan.timekeeping == Timekeeping::Real {
            eprintln!(
                "note: a run on the real clock can not be repeated exactly, so it is not shrunk"
            );
            return Ok(None);
        }
        let message = |trouble: punctual_campaign::run::Trouble| Stop::Message(trouble.to_string());
        let mut sut = plan.connect(worst.run).map_err(|error| Stop::Message(error.to_string()))?;
        let script = Script::of_trace(&worst.trace, &plan.specification.interface);
        shrink(plan, &mut *sut, &script, 2000, progress::stop()).map_err(message)
    }

    fn print_text(
        &self,
        plan: &Plan,
        totals: &Totals,
        shrunk: Option<&Shrunk>,
        code: u8,
    ) -> Result<(), Stop> {
        let style = input::run_style();
        let mut text = String::new();
        let network = &plan.specification.network;
        let (covered, edges) = totals.coverage.ratio(network);
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
                let word = if worst.verdict == Verdict::Fail { "FAIL" } else { "INCONCLUSIVE" };
                let why = worst.diagnosis.as_ref().map_or("", |it| it.explanation.as_str());
                text.push_str(&format!("{word}  {why}\n"));
            }
            _ => {
                let time = testing::duration(totals.time_ns);
                text.push_str(&format!(
                    "PASS  {} {}, {} inputs, {} outputs, {time} of {} time\n",
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
            text.push_str("      stopped before the time was over\n");
        }
        if !self.quiet {
            if totals.runs > 1 && code != PASS {
                text.push_str(&format!(
                    "      {} of {} runs failed, {} inconclusive\n",
                    totals.fails, totals.runs, totals.inconclusive
                ));
            }
            text.push_str(&format!("      {covered} of {edges} edges covered\n"));
        }
        if let Some(shrunk) = shrunk {
            text.push_str(&shrunk_text(plan, shrunk));
        }
        print_or_end(&text, code)
    }

    fn print_json(
        &self,
        plan: &Plan,
        totals: &Totals,
        shrunk: Option<&Shrunk>,
        code: u8,
    ) -> Result<(), Stop> {
        let (covered, edges) = totals.coverage.ratio(&plan.specification.network);
        let value = json!({
            "verdict": match code { FAIL => "fail", INCONCLUSIVE => "inconclusive", _ => "pass" },
            "runs": totals.listed,
            "failed": totals.fails,
            "inconclusive": totals.inconclusive,
            "inputs": totals.inputs,
            "outputs": totals.outputs,
            "duration_ns": totals.time_ns,
            "seed": plan.seed,
            "coverage": { "edges": covered, "of": edges },
            "stopped": totals.stopped,
            "shrunk": shrunk.map(|it| json!({
                "inputs": it.script.inputs().iter().map(|(at_ns, action)| json!({
                    "at_ns": at_ns,
                    "input": plan.specification.interface.signals[action.signal].name,
                    "values": action.values,
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
    let unit_ns = plan.specification.interface.time.unit_ns as f64;
    let mut line = String::new();
    let mut now_ns = 0;
    for event in &shrunk.finished.trace.events {
        if event.from_ns > now_ns {
            line.push_str(&format!("{} · ", (event.from_ns - now_ns) as f64 / unit_ns));
        }
        now_ns = event.from_ns;
        line.push_str(&format!("{} · ", plan.specification.action_text(&event.action)));
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
        self.time_ns = self.time_ns.saturating_add(finished.statistics.duration_ns);
        self.coverage.add(&finished.coverage);
        self.stopped |= finished.stopped;
        self.listed.push(json!({
            "run": finished.run,
            "verdict": finished.verdict,
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

    fn code(&self) -> u8 {
        match (self.fails, self.inconclusive) {
            (1.., _) => FAIL,
            (0, 1..) => INCONCLUSIVE,
            _ if self.stopped || self.runs == 0 => INCONCLUSIVE,
            _ => PASS,
        }
    }
}
