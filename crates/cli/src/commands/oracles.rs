//! `punctual oracles`: how often the cases of a suite should show what they expect.

use std::path::{Path, PathBuf};

use clap::Args;
use punctual_campaign::load::{self, Environment};
use punctual_lang::diagnostic::Diagnostic;
use punctual_lang::suite::{self, Placed};
use punctual_lang::{Input, testing};
use punctual_report::{fill, oracles as report, view};
use punctual_semantics::specification::Specification;
use punctual_smc::exact::Phase;
use punctual_testgen::uio::{Ground, Limits, Options, Sampling, Trouble, chance};

use crate::{INCONCLUSIVE, PASS, Stop, input, print, progress, write_file};

/// Says how often the cases of a suite should show what they expect, and adds to each an ending that proves where it ended.
///
/// Where a model leaves instants open, a right system shows what a case expects in some of its executions only. The
/// probability is computed from the model: delays are even between the first and the last instant that it allows. Behind
/// each case comes a sequence of inputs and waits whose outputs are seen from one location only, the one that the case
/// should end in. `punctual test` repeats such a suite until the evidence suffices.
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 done; 2 rejected input; 3 stopped by the user, or out of memory\n\n\
    Examples:\n  \
    punctual oracles model.xml suite.toml -o stochastic.toml\n  \
    punctual oracles model.xml suite.toml --phase 1700ms -o stochastic.toml\n  \
    punctual oracles model.xml suite.toml --loop 1700ms -o stochastic.toml"
)]
pub(crate) struct Oracles {
    /// The model
    model: PathBuf,
    /// The suite
    suite: PathBuf,
    /// The file of the suite with chances; standard output if not given
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The file that says what is exchanged with the system; `punctual.toml` beside the model if not given
    #[arg(long, short, value_name = "FILE")]
    interface: Option<PathBuf>,
    /// Inputs and waits of an ending, at most
    #[arg(long, value_name = "STEPS", default_value_t = 10)]
    length: usize,
    /// The location that all cases should end in, such as `Error.Qualified`; what each case says if not given
    #[arg(long, value_name = "NAME")]
    location: Option<String>,
    /// The tester waits a random time below this before each case: where the model has a loop of this period, that is all
    /// its chance. Also as a range, `0..1700` in time units of the model or `0ms..1700ms`, without its end
    #[arg(long, value_name = "TIME", conflicts_with = "loop_")]
    phase: Option<String>,
    /// The system has one loop of this period: all windows that are as long end when it comes round
    #[arg(long = "loop", id = "loop_", value_name = "TIME")]
    loop_: Option<String>,
    /// Runs of a probability that can not be computed
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of these runs
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Leave out cases that have no chance, with a warning, instead of rejecting the suite
    #[arg(long)]
    skip: bool,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
    /// Do not show how far it is
    #[arg(long, short)]
    quiet: bool,
}

impl Oracles {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let mut loaded = load::load(&self.model, self.interface.as_deref(), Environment::Model)?;
        loaded.judges.grant(progress::budget());
        let Some(specification) = &loaded.judges.specification else {
            return Err(Stop::Message("the model has no timed part".to_owned()));
        };
        let (phase, period_ns) = self.phase(specification)?;
        let Read { mut suite, places, file } = self.read(specification)?;
        progress::listen_to_the_user();
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let options = Options {
            limits: Limits { length: self.length, ..Limits::default() },
            phase,
            location: self.location.as_deref(),
            clocks: None,
            sampling: Sampling { runs: self.runs, seed: self.seed, threads, ..Sampling::default() },
            stops: Some(progress::stop()),
        };
        let ground = Ground::with_phase(specification, phase);
        let mut watcher = progress::Watcher::new(1, 1, !self.quiet);
        let n = suite.cases.len();
        let (mut told, mut kept, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_stopped = false;
        for (number, case) in suite.cases.iter().enumerate() {
            watcher.draw(|_| format!("{number} of {n} cases"));
            if progress::is_spent() {
                is_stopped = true;
                break;
            }
            match chance(&ground, case, &options) {
                // What a search has not found by then may be there all the same.
                _ if progress::is_spent() => {
                    is_stopped = true;
                    break;
                }
                Ok(made) => {
                    told.push(fill::oracles::oracle(&made.case, &made.warnings));
                    kept.push(made.case);
                    for case in made.more {
                        told.push(fill::oracles::oracle(&case, &[]));
                        kept.push(case);
                    }
                }
                Err(Trouble::Stopped) => {
                    is_stopped = true;
                    break;
                }
                Err(trouble) => {
                    let hint = hint(&trouble, phase);
                    let message =
                        format!("the case `{}` has no chance: {trouble}{hint}", case.name);
                    let say = if self.skip { Diagnostic::warning } else { Diagnostic::error };
                    wrong.push(say("suite::chance", places[number].name, message));
                }
            }
        }
        drop(watcher);
        progress::tell_of_memory(progress::budget());
        if !wrong.is_empty() {
            input::show(&wrong, &file);
        }
        if !wrong.is_empty() && !self.skip {
            return Err(Stop::Reported);
        }
        if kept.is_empty() && is_stopped {
            tell!("stopped before a case was done; nothing is written");
            return Ok(INCONCLUSIVE);
        }
        if kept.is_empty() {
            return Err(Stop::Message("no case of the suite has a chance".to_owned()));
        }
        suite.cases = kept;
        (suite.phase_ns, suite.loop_ns) = match phase {
            Phase::None => (None, None),
            Phase::OfScript(_) => (Some(period_ns), None),
            Phase::OfLoop(_) => (None, Some(period_ns)),
        };
        self.rename(&mut suite);
        let view = view::oracles::Oracles {
            cases: told,
            model: self.model.display().to_string(),
            suite: self.suite.display().to_string(),
        };
        let text = suite::write(specification.interface(), &suite);
        match (&self.output, self.json) {
            (Some(path), _) => write_file(path, &text)?,
            (None, true) => {}
            (None, false) => print(&text)?,
        }
        match (self.json, &self.output) {
            (true, _) => print(&view::json(&view))?,
            (false, Some(_)) => print(&report::text(&view))?,
            (false, None) => tell!("{}", report::text(&view).trim_end()),
        }
        Ok(if is_stopped { INCONCLUSIVE } else { PASS })
    }

    /// What is left to chance beside the delays of the model, and its period in nanoseconds.
    fn phase(&self, specification: &Specification) -> Result<(Phase, u64), Stop> {
        let (option, text) = match (&self.phase, &self.loop_) {
            (Some(text), _) => ("--phase", text),
            (None, Some(text)) => ("--loop", text),
            (None, None) => return Ok((Phase::None, 0)),
        };
        let wrong = |why: &str| Stop::Message(format!("`{option} {text}`: {why}"));
        let unit_ns = specification.interface().time.unit_ns;
        let ns = match option {
            "--phase" => testing::parse_phase(text, unit_ns),
            _ => testing::parse_duration(text, unit_ns),
        };
        let ns = ns.map_err(|why| wrong(&why))?;
        let at = specification.instants.begin(ns);
        if at.open || at.at <= 0 {
            return Err(wrong("it must be a whole number of points of the model's grid"));
        }
        Ok(match option {
            "--phase" => (Phase::OfScript(at.at), ns),
            _ => (Phase::OfLoop(at.at), ns),
        })
    }

    /// Names the files relative to the new suite.
    fn rename(&self, suite: &mut punctual_model::testing::suite::Suite) {
        let output = self.output.as_deref();
        let folder = self.suite.parent().unwrap_or(Path::new(""));
        suite.model = Some(input::relative(output, &self.model));
        let interface = self.interface.clone().or_else(|| {
            suite.interface.as_ref().map(|named| folder.join(named)).filter(|it| it.is_file())
        });
        suite.interface = interface.map(|path| input::relative(output, &path));
    }

    fn read(&self, specification: &Specification) -> Result<Read, Stop> {
        let (name, bytes) = input::named_bytes(&self.suite)?;
        let folder = self.suite.parent().unwrap_or(Path::new("")).to_owned();
        let mut load = |file: &str| punctual_lang::load(&folder.join(file)).map(|(_, bytes)| bytes);
        let interface = specification.interface();
        let input = Input { name: &name, bytes: &bytes };
        let reading = suite::read_placed(input, interface, None, &mut load);
        input::show(&reading.diagnostics, &reading.file);
        let Placed { suite, places } = reading.value.ok_or(Stop::Reported)?;
        Ok(Read { suite, places, file: reading.file })
    }
}

/// What a user may do about a case without a chance.
fn hint(trouble: &Trouble, phase: Phase) -> &'static str {
    match (trouble, phase) {
        (Trouble::Impossible, Phase::None) => {
            " (where the model has a loop, `--phase` lets a case begin anywhere in its period)"
        }
        (Trouble::Impossible, Phase::OfLoop(_)) => {
            " (where one loop ends all windows of its period; without `--loop` each ends on its own)"
        }
        _ => "",
    }
}

/// A suite, and where its cases stand.
struct Read {
    suite: punctual_model::testing::suite::Suite,
    places: Vec<punctual_lang::suite::Places>,
    file: punctual_lang::SourceFile,
}
