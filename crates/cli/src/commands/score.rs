//! `punctual score`: which faults a suite finds.

use std::path::PathBuf;

use clap::Args;
use punctual_campaign::load::{self, Environment};
use punctual_campaign::{play, score};
use punctual_lang::{Input, suite, testing};
use punctual_model::testing::suite::{Case, Suite};
use punctual_report::{fill, score as report, view};
use punctual_semantics::specification::Specification;
use punctual_testgen::mutation::automata::{Options, mutants};
use punctual_testgen::mutation::decide::{Decision, Limits, Outcome};
use punctual_testgen::timed::World;

use super::mutate::operators;
use crate::{FAIL, INCONCLUSIVE, PASS, Stop, input, print, progress, write_file};

/// Runs of a mutant and a case at most: all of them are planned before the first.
const PLAYED_MAX: u64 = 1_000_000;

/// Says which mutants of a model a suite finds: which it must fail, may fail, can not fail.
///
/// Nothing is run: all states that a mutant may be in are followed through each case. Each mutant is decided, too: it is
/// wrong (a trace shows what is forbidden), narrower (it does only what is allowed, but not all of it; no sound
/// suite fails it), equal, or unknown. For a wrong mutant that survives, the trace that would find it is shown.
///
/// With `--play` it is confirmed by runs: each mutant is played as the system, on the virtual clock, by each case that may
/// reach what it changed. What must fail has to fail in every run, what can not fail in none; otherwise the mutant,
/// the case and how it was played are told, and the command fails. How often something fails that may is counted.
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 every wrong mutant may fail; 1 some survive, or a run of --play \
    contradicts; 2 rejected input; 3 something is unknown\n\n\
    Examples:\n  \
    punctual score model.xml suite.toml --operators paper --offset 100\n  \
    punctual score model.xml suite.toml -o ordered.toml --reset 5s\n  \
    punctual score model.xml suite.toml --operators paper --offset 100 --play --runs 8\n  \
    punctual score model.xml suite.toml --kill -o better.toml"
)]
pub(crate) struct Score {
    /// The model
    model: PathBuf,
    /// The suite
    suite: PathBuf,
    /// The file that says what is exchanged with the system; `punctual.toml` beside the model if not given
    #[arg(long, short, value_name = "FILE")]
    interface: Option<PathBuf>,
    /// Names of operators with commas between them, `paper` (restrict, widen, shift, self-loop) or `all`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    operators: Vec<String>,
    /// How far clock bounds are moved, in time units of the model
    #[arg(long, value_name = "UNITS", default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..))]
    offset: i32,
    /// Situations that a decision about a mutant looks at, at most
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    situations: usize,
    /// Extend the suite until it finds every wrong mutant, and drop cases that are not needed for that
    #[arg(long, requires = "output")]
    kill: bool,
    /// Steps that a case of `--kill` has, at most
    #[arg(long, value_name = "STEPS", default_value_t = 60)]
    steps: usize,
    /// Write the suite to a file, in the order that finds wrong mutants soonest
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Bench time of a reset before each case, such as `2s`; counts for the order of cases
    #[arg(long, value_name = "TIME", default_value = "0s", requires = "output")]
    reset: String,
    /// Play each mutant as the system, to confirm what is said of it
    #[arg(long)]
    play: bool,
    /// Runs at random of each mutant and case that is played, beside the earliest and the latest one
    #[arg(long, value_name = "N", default_value_t = 2, requires = "play", value_parser = clap::value_parser!(u64).range(..=PLAYED_MAX))]
    runs: u64,
    /// The seed of the first run at random; the next has the next one
    #[arg(long, value_name = "N", default_value_t = 1, requires = "play")]
    seed: u64,
    /// Also write a row for each mutant to a file (CSV)
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Threads; the answer does not depend on it
    #[arg(long, value_name = "N", value_parser = crate::threads)]
    threads: Option<usize>,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
    /// Do not show how far it is
    #[arg(long, short)]
    quiet: bool,
}

impl Score {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let operators = operators(&self.operators)?;
        let reset_ns = testing::parse_duration(&self.reset, 1_000_000_000)
            .map_err(|why| Stop::Message(format!("`--reset {}`: {why}", self.reset)))?;
        let mut loaded = load::load(&self.model, self.interface.as_deref(), Environment::Model)?;
        loaded.judges.grant(progress::budget());
        let Some(specification) = &loaded.judges.specification else {
            return Err(Stop::Message("the model has no timed part".to_owned()));
        };
        let mut suite = self.read(specification)?;
        let options = Options { operators, offset: self.offset, environment: false };
        let mutants = mutants(&specification.network, &specification.split.sides, &options);
        progress::listen_to_the_user();
        let threads = self.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        let limits = Limits { situations: self.situations };
        let mut watcher = progress::Watcher::new(1, 1, !self.quiet);
        let n = mutants.len();
        let benches = score::benches(specification, &mutants);
        let (mut n_decided, mut n_scored) = (0, 0);
        let decisions = score::decide(&benches, &mutants, limits, threads, &mut |done| {
            // What ended because of that says nothing of its mutant.
            if progress::is_spent() {
                return false;
            }
            n_decided = done;
            watcher.draw(|_| format!("{done} of {n} mutants decided"))
        });
        let mut outcomes = score::score(&benches, &mutants, &suite, threads, &mut |done| {
            if progress::is_spent() {
                return false;
            }
            n_scored = done;
            watcher.draw(|_| format!("{done} of {n} mutants scored"))
        });
        if self.kill && !progress::is_spent() {
            let survivors = survivors(&decisions, &outcomes);
            let world = World::new(specification).map_err(|refusal| {
                Stop::Message(format!("{} is not supported", refusal.construct))
            })?;
            let requirements = |_, _| None;
            let limits = Limits { situations: self.situations.min(2_000) };
            let extension =
                score::Extension { limits, length: self.steps, requirements: &requirements };
            let new =
                score::extend(&world, &benches, &mutants, &survivors, &extension, &mut |it| {
                    watcher.draw(|_| format!("{} of {} survivors found", it.n_found, it.of))
                        && !progress::is_spent()
                });
            let new = match new {
                Err(trouble) if trouble.is_spent() => Vec::new(),
                new => new.map_err(|trouble| Stop::Message(trouble.to_string()))?,
            };
            let mut longer = suite.clone();
            longer.cases.extend(new);
            let found =
                score::score(&benches, &mutants, &longer, threads, &mut |_| !progress::is_spent());
            // Cases of which nobody knows what they find would all be dropped.
            if !progress::is_spent() {
                (suite, outcomes) = (longer, found);
                let kept = score::needed(&outcomes, suite.cases.len());
                pick(&mut suite, &mut outcomes, &kept);
            }
        }
        if let Some(path) = self.output.as_ref().filter(|_| progress::is_spent()) {
            tell!("stopped: `{}` is not written", path.display());
        } else if let Some(path) = &self.output {
            let cost = |case: &Case| case.duration_ns().saturating_add(reset_ns);
            let cost_ns: Vec<u64> = suite.cases.iter().map(cost).collect();
            let order = score::soonest(&outcomes, &cost_ns);
            pick(&mut suite, &mut outcomes, &order);
            write_file(path, &suite::write(specification.interface(), &suite))?;
        }
        let options = play::Options { n_random: self.runs, seed: self.seed };
        let claims = play::Claims {
            specification,
            benches: &benches,
            mutants: &mutants,
            suite: &suite,
            outcomes: &outcomes,
        };
        let cells = match self.play {
            false => None,
            true => {
                let cells =
                    play::play(claims, options, threads, progress::stop(), &mut |done, of| {
                        watcher.draw(|_| format!("{done} of {of} mutants and cases played"));
                    });
                Some(cells.map_err(|trouble| Stop::Message(trouble.to_string()))?)
            }
        };
        drop(watcher);
        progress::tell_of_memory(progress::budget());
        let is_whole = n_decided == n && n_scored == n;
        let stopped =
            (!is_whole).then_some(view::score::Stopped { decided: n_decided, scored: n_scored });
        self.tell(claims, &decisions, stopped, cells.as_deref().map(|cells| (options, cells)))
    }

    fn tell(
        &self,
        claims: play::Claims<'_>,
        decisions: &[Decision],
        stopped: Option<view::score::Stopped>,
        played: Option<(play::Options, &[Vec<play::Cell>])>,
    ) -> Result<u8, Stop> {
        let play::Claims { specification, mutants, suite, outcomes, .. } = claims;
        let cases = suite.cases.iter().map(|case| case.name.clone()).collect();
        let found = fill::score::Found {
            specification,
            mutants,
            decisions,
            outcomes,
            cases,
            stopped,
            played,
        };
        let (model, file) = (self.model.display().to_string(), self.suite.display().to_string());
        let view = fill::score::score(&found, &model, &file, self.offset);
        if let Some(path) = &self.table {
            write_file(path, &report::table(&view))?;
        }
        match self.json {
            true => print(&view::json(&view))?,
            false => print(&report::text(&view))?,
        }
        let is_unknown = decisions.iter().any(|it| matches!(it, Decision::Unknown(_)));
        let is_contrary = played.is_some_and(|(_, cells)| !play::contradictions(cells).is_empty());
        Ok(match survivors(decisions, outcomes).is_empty() {
            _ if is_contrary => FAIL,
            _ if progress::is_spent() => INCONCLUSIVE,
            false => FAIL,
            true if is_unknown => INCONCLUSIVE,
            true => PASS,
        })
    }

    fn read(&self, specification: &Specification) -> Result<Suite, Stop> {
        let (name, bytes) = input::named_bytes(&self.suite)?;
        let folder = self.suite.parent().unwrap_or(std::path::Path::new("")).to_owned();
        let mut load = |file: &str| punctual_lang::load(&folder.join(file)).map(|(_, bytes)| bytes);
        let reading = suite::read(
            Input { name: &name, bytes: &bytes },
            specification.interface(),
            None,
            &mut load,
        );
        input::show(&reading.diagnostics, &reading.file);
        reading.value.ok_or(Stop::Reported)
    }
}

/// Keeps some cases, in this order.
fn pick(suite: &mut Suite, outcomes: &mut [Vec<Outcome>], kept: &[usize]) {
    suite.cases = kept.iter().map(|at| suite.cases[*at].clone()).collect();
    for row in outcomes {
        *row = kept.iter().map(|at| row[*at]).collect();
    }
}

/// The positions of wrong mutants that no case may fail.
fn survivors(decisions: &[Decision], outcomes: &[Vec<Outcome>]) -> Vec<usize> {
    let survives = |at: &usize| {
        let is_found = outcomes[*at].iter().any(|it| *it >= Outcome::May);
        matches!(decisions[*at], Decision::Wrong(_)) && !is_found
    };
    (0..decisions.len()).filter(survives).collect()
}
