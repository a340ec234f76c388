//! `punctual test`: drive a running system from its model and judge what it does.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use punctual_campaign::drive::{Manner, drive};
use punctual_campaign::load::{is_toml, load};
use punctual_campaign::measure::measure;
use punctual_campaign::platform::plan::expected;
use punctual_campaign::prepare::{Prepared, Wishes, prepare};
use punctual_campaign::run::Recording;
use punctual_campaign::store::Verdict;
use punctual_campaign::suites::of_suite;
use punctual_exec::Timekeeping;
use punctual_lang::testing::{self, UnderTest};
use punctual_report::{fill, view};

use super::replay::code;
use super::test_platform::OnPlatform;
use super::test_repeated::Repeating;
use crate::specification::Environment;
use crate::{INCONCLUSIVE, PASS, Stop, input, print, print_or_end, progress};

/// Tests a running system: sends inputs that the environment of the model may send, and judges every
/// output and every silence.
///
/// What is exchanged with the system, and where the system is, says `punctual.toml` beside the model
/// (or `--interface`). A suite in the place of the model runs its cases, judged by the model that it names and by
/// what it expects; so does `--suite`, for suites that name none. A Lustre program needs no
/// interface file: its inputs and outputs are what is exchanged, step by step. Each run leaves a record;
/// `punctual report` makes a page of it and `punctual replay` judges it again. Ctrl-C ends a run, which is
/// inconclusive then; a second Ctrl-C ends at once.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual test examples/coffee-machine/universal.xml\n  \
    punctual test model.xml --runs 100 --strategy guided\n  \
    punctual test suite.toml\n  \
    punctual test model.xml --suite suite.toml\n  \
    punctual test model.lus --suite tests.csv --system 'python3 device.py'\n  \
    punctual test model.xml --script runs/0042/record.jsonl\n  \
    punctual test tests.toml --platform platform.toml --system ./pump\n  \
    punctual test model.xml --system './device --simulate' --clock real --time 60s\n\n\
    Exit codes: 0 all runs pass, 1 some fail, 2 rejected input or no system, 3 some are inconclusive.")]
pub(crate) struct Test {
    /// The model: timed automata, or a Lustre program (`.lus`); or a suite (`.toml`), which names its model
    #[arg(value_name = "MODEL or SUITE")]
    model: PathBuf,
    /// The cases to run: a suite (TOML), or a table of steps (CSV, JSON lines)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strategy", "script", "delays", "restart"])]
    suite: Option<PathBuf>,
    /// Also run cases that the model can not follow
    #[arg(long)]
    unchecked: bool,
    /// The time between two steps of a table, such as `100ms`; one time unit if not said
    #[arg(long, value_name = "TIME")]
    period: Option<String>,
    /// What is exchanged with the system: `punctual.toml`, or a `.trn` file of UPPAAL TRON
    #[arg(long, short, value_name = "FILE")]
    interface: Option<PathBuf>,
    /// The program to test, with its arguments; instead of what the interface file says
    #[arg(long, value_name = "COMMAND", group = "place")]
    system: Option<String>,
    /// The system listens at this address
    #[arg(long, value_name = "HOST:PORT", group = "place")]
    tcp: Option<String>,
    /// The system connects to this address
    #[arg(long, value_name = "HOST:PORT", group = "place")]
    listen: Option<String>,
    /// An adapter of UPPAAL TRON connects to this address
    #[arg(long, value_name = "HOST:PORT", group = "place")]
    tron: Option<String>,
    /// Where TRON's clock service listens for the threads of its adapter (with `--clock virtual`)
    #[arg(long, value_name = "HOST:PORT", requires = "tron")]
    tron_clock: Option<String>,
    /// The system is a shared library, loaded in a process of its own
    #[arg(long, value_name = "FILE", group = "place")]
    library: Option<String>,
    /// The system is another model, played
    #[arg(long, value_name = "MODEL", group = "place")]
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
    /// How many inputs, outputs, steps and readings a run has at most
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Who chooses inputs
    #[arg(long, value_enum)]
    strategy: Option<Strategy>,
    /// Send the inputs of a trace, a record, or the traces of `punctual check --trace any --json` again, at their instants and with
    /// its resets, whatever comes back
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strategy", "delays", "restart"])]
    script: Option<PathBuf>,
    /// An input of the script that followed an output waits for that output, and comes as long after it as in the script
    #[arg(long, requires = "script")]
    adapt: bool,
    /// When inputs are sent: `mixed` (by turns, if not said), `random`, `eager`, `lazy`, or two
    /// delays in time units (`2,20`)
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
    /// On the real clock: how often a run is made again of which nothing can be said because the machine was late
    #[arg(long, value_name = "N", default_value_t = 2)]
    retry: u32,
    /// Judge nothing: make the runs on the real clock, measure how long signals take, and say what to put into `[uncertainty]`
    #[arg(long, conflicts_with_all = ["shrink", "record", "clock"])]
    measure: bool,
    /// Runs at once; one if they share a system, or on the real clock
    #[arg(long, visible_alias = "parallel", value_name = "N", value_parser = crate::threads)]
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
    #[command(flatten)]
    platform: OnPlatform,
    #[command(flatten)]
    repeating: Repeating,
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
    /// Towards edges of the model that no run has covered yet, through the model; chance otherwise
    Guided,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ClockChoice {
    /// The clock of the machine
    Real,
    /// Tester and system agree when time passes
    Virtual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Policy {
    /// By chance
    Random,
    /// Each process by chance, as the statistical semantics says
    Stochastic,
    /// As soon as it can
    Earliest,
    /// As late as it can
    Latest,
    /// Always as soon as it can for the first time
    Fixed,
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

/// On the real clock signals take time. If nothing says how long, a right system may be called wrong.
fn warn_of_delays(prepared: &Prepared) {
    let plan = &prepared.plan;
    let uncertainty = plan.judges.interface.uncertainty;
    let is_exact = uncertainty.input_ns.1 == 0 && uncertainty.output_ns.1 == 0;
    let is_outside = !matches!(plan.system.reach.under_test, UnderTest::Model { .. });
    if plan.timekeeping == Timekeeping::Real && is_exact && is_outside && plan.mounted().is_none() {
        tell!(
            "warning: nothing says how long signals take on the real clock, and a right system may be called late: put `[uncertainty]` with such as \
             `output = \"0..2ms\"` into the interface file; `punctual test --measure` finds out what"
        );
    }
}

/// How runs are made and shown.
#[derive(Clone, Debug)]
pub(crate) struct Show {
    pub(crate) manner: Manner,
    /// The command that makes a run again, up to its script.
    pub(crate) again: String,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Test {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let (interface, environment) = (self.interface.as_deref(), self.environment.into());
        let mut wishes = self.wishes()?;
        let mut loaded = match is_toml(&self.model) {
            false => load(&self.model, interface, environment)?,
            true => {
                self.may_be_a_suite()?;
                wishes.suite = Some(self.model.clone());
                of_suite(&self.model, interface, environment)?
            }
        };
        loaded.judges.grant(progress::budget());
        let is_suite = wishes.suite.is_some();
        let is_on_platform = wishes.between.file(&loaded).is_some();
        if self.repeating.plan && is_on_platform && wishes.system.is_none() {
            // Nothing is started for a plan.
            wishes.system = Some(UnderTest::Command(vec!["nothing".to_owned()]));
        }
        let mut prepared = prepare(loaded, &wishes)?;
        if self.measure {
            return self.measured(&prepared);
        }
        warn_of_delays(&prepared);
        self.platform.warn(&prepared)?;
        let suite = prepared.plan.judges.suite.as_ref();
        let is_repeated =
            suite.is_some_and(|suite| suite.cases.iter().any(|case| case.chance.is_some()));
        if let (true, Some(expected)) = (self.repeating.plan, expected(&prepared.plan)) {
            let shown = fill::expected::expected(&expected, self.repeating.reset_ns()?);
            print(&match self.json {
                true => view::json(&shown),
                false => punctual_report::expected::text(&shown),
            })?;
            return Ok(PASS);
        }
        match is_repeated {
            true => self.repeating.prepare(&mut prepared)?,
            false => self.repeating.is_not_for_others()?,
        }
        // Who only plans makes no runs.
        let is_silent = self.no_record || (is_repeated && self.repeating.plan);
        let mut recording = match is_silent {
            true => None,
            false => Some(prepared.recording(&self.record, crate::command_line())?),
        };
        if is_repeated {
            let show = (self.json, self.quiet);
            return self.repeating.run(&prepared, recording.as_mut(), self.threads, show);
        }
        if self.shrink && prepared.plan.timekeeping == Timekeeping::Real {
            tell!("note: a run on the real clock can not be repeated exactly, so it is not shrunk");
        }
        let manner = Manner {
            threads: self.threads,
            keep_going: self.keep_going || is_suite,
            shrinks: self.shrink,
        };
        let again = self.again();
        let show = Show { manner, again, json: self.json, quiet: self.quiet };
        show.run(&prepared, recording.as_ref())
    }

    /// The command that makes a run of this test again, up to its script: the same model, system and interface. The record knows the seed.
    fn again(&self) -> String {
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let name = |it: Option<clap::builder::PossibleValue>| it.map(|it| it.get_name().to_owned());
        let environment = self.environment.to_possible_value();
        let is_usual = Some(self.environment) == Some(Environment::default());
        let options = [
            ("--interface", self.interface.as_ref().map(path)),
            ("--system", self.system.clone()),
            ("--tcp", self.tcp.clone()),
            ("--listen", self.listen.clone()),
            ("--tron", self.tron.clone()),
            ("--tron-clock", self.tron_clock.clone()),
            ("--library", self.library.clone()),
            ("--play", self.play.clone()),
            ("--policy", name(self.policy.as_ref().and_then(ValueEnum::to_possible_value))),
            ("--environment", name(environment).filter(|_| !is_usual)),
            ("--clock", name(self.clock.as_ref().and_then(ValueEnum::to_possible_value))),
        ];
        let mut command =
            format!("punctual test {}", punctual_report::runs::quoted(&path(&self.model)));
        for (option, value) in options {
            if let Some(value) = value {
                command += &format!(" {option} {}", punctual_report::runs::quoted(&value));
            }
        }
        command
    }

    /// Measures how long signals take, and says it.
    fn measured(&self, prepared: &Prepared) -> Result<u8, Stop> {
        progress::listen_to_the_user();
        let measured = measure(&prepared.plan, prepared.n_runs, progress::stop())
            .map_err(|trouble| Stop::Message(trouble.to_string()))?;
        let shown = view::measured::Measured {
            runs: measured.n_runs,
            handed_over: measured.n_handed as u64,
            median_ns: measured.median_ns,
            most_ns: measured.most_ns,
            late_ns: measured.late_ns,
            output_ns: measured.output_ns(),
            drift: measured.drift_ppb().map(punctual_lang::testing::drift),
            rates_ppb: measured.stamps.and_then(|it| it.rates(measured.output_ns())),
        };
        print(&match self.json {
            true => view::json(&shown),
            false => shown.text(),
        })?;
        Ok(if measured.n_handed == 0 { INCONCLUSIVE } else { PASS })
    }

    /// Options that say how inputs are chosen are not for suites.
    fn may_be_a_suite(&self) -> Result<(), Stop> {
        let said = [
            ("--suite", self.suite.is_some()),
            ("--script", self.script.is_some()),
            ("--strategy", self.strategy.is_some()),
            ("--delays", self.delays.is_some()),
            ("--restart", self.restart != 0.0),
        ];
        match said.iter().find(|(_, is_said)| *is_said) {
            None => Ok(()),
            Some((option, _)) => Err(Stop::Message(format!(
                "`{}` is a suite, which says what is done: `{option}` does not go with it",
                self.model.display()
            ))),
        }
    }

    fn wishes(&self) -> Result<Wishes, Stop> {
        let policy = match self.policy.unwrap_or(Policy::Random) {
            Policy::Random => testing::Policy::Random,
            Policy::Stochastic => testing::Policy::Stochastic,
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
            unchecked: self.unchecked,
            period: self.period.clone(),
            runs: self.runs,
            time: self.time.clone(),
            events: self.steps,
            guided: self.strategy.map(|strategy| strategy == Strategy::Guided),
            script: self.script.clone(),
            adapts: self.adapt,
            delays: self.delays.clone(),
            restart: self.restart,
            seed: self.seed,
            clock: match (self.measure, self.clock) {
                (true, _) | (_, Some(ClockChoice::Real)) => Some(Timekeeping::Real),
                (_, Some(ClockChoice::Virtual)) => Some(Timekeeping::Virtual),
                (_, None) => None,
            },
            lateness_ns: match self.measure {
                true => 0,
                false => self.lateness.saturating_mul(1_000_000),
            },
            retries: self.retry,
            between: self.platform.between(),
            mounting: self.platform.mounting(),
        })
    }
}

impl Show {
    /// Makes all runs of a plan, and shows what came of them.
    pub(crate) fn run(
        self,
        prepared: &Prepared,
        recording: Option<&Recording>,
    ) -> Result<u8, Stop> {
        progress::listen_to_the_user();
        let mut watcher = progress::Watcher::new(1, 1, !self.quiet && !self.json);
        let n_runs = prepared.n_runs;
        let drove = drive(prepared, recording, self.manner, progress::stop(), |runs, fails| {
            watcher.draw(|_| match prepared.tries {
                1 => format!("{runs} of {n_runs} runs, {fails} failed"),
                tries => format!(
                    "{runs} runs, {fails} failed; {n_runs} cases, up to {tries} runs of each"
                ),
            });
        });
        drop(watcher);
        if let (Some(trouble), true) = (&drove.trouble, drove.summary.runs.is_empty()) {
            return Err(Stop::Message(trouble.to_string()));
        }
        let code = code(drove.verdict());
        let exercise = drove.exercise.as_ref();
        let evidence = fill::evidence::evidence(&prepared.plan, &drove.evidence, exercise);
        let interface = &prepared.plan.judges.interface;
        let shrunk = drove.shrunk.as_ref();
        let text = match self.json {
            true => {
                let mut runs = view::runs::Runs::of(&drove.summary);
                runs.verdict = drove.verdict().unwrap_or(Verdict::Inconclusive).name();
                runs.stopped = drove.stopped;
                runs.trouble = drove.trouble.as_ref().map(ToString::to_string);
                runs.shrunk = shrunk.map(|it| fill::runs::shrunk(interface, it));
                runs.evidence = evidence;
                view::json(&runs)
            }
            false => {
                let style = input::run_style();
                let mut text = match drove.verdict() {
                    Some(Verdict::Fail) if drove.summary.worst() != Some(Verdict::Fail) => {
                        let all = "no run failed by itself, but all of them together can not be explained";
                        let steering = view::runs::Runs::of(&drove.summary).steering;
                        let systems = steering.map(|it| it.systems).unwrap_or_default();
                        let steered = punctual_report::runs::steered_text(&systems);
                        format!("FAIL  {all}\n{steered}")
                    }
                    Some(Verdict::Inconclusive) if drove.summary.worst() == Some(Verdict::Pass) => {
                        "INCONCLUSIVE  no run failed, but not all were made\n".to_owned()
                    }
                    None => String::new(),
                    Some(_) => fill::runs::outcome(&drove.summary, style, self.quiet),
                };
                if let (Some(evidence), false) = (&evidence, self.quiet) {
                    text.push_str(&punctual_report::evidence::text(evidence));
                }
                if drove.stopped {
                    text.push_str("      stopped before all was done\n");
                }
                if drove.n_retries > 0 && !self.quiet {
                    text.push_str(&format!(
                        "      {} made again, since the machine was late\n",
                        if drove.n_retries == 1 {
                            "1 run was".to_owned()
                        } else {
                            format!("{} runs were", drove.n_retries)
                        }
                    ));
                }
                if drove.is_fickle {
                    text.push_str(
                        "      not shrunk: with the same inputs, the system did not fail again\n",
                    );
                }
                if let Some(shrunk) = shrunk {
                    text.push_str(&fill::runs::shrunk_text(interface, shrunk, &self.again));
                }
                text
            }
        };
        print_or_end(&text, code)?;
        // What was found before a system went away was told all the same.
        if let Some(trouble) = &drove.trouble {
            let n = drove.summary.runs.len();
            tell!("error: after {n} {}: {trouble}", if n == 1 { "run" } else { "runs" });
        }
        Ok(code)
    }
}
