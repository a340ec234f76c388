//! `punctual check`: what is true of a model.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use clap::{Args, ValueEnum};
use punctual_lang::{
    QueryEntry,
    diagnostic::{Diagnostic, Style},
    labels, lints, testing,
};
use punctual_mc as mc;
use punctual_model::{Analysis, Network, Property};
use punctual_report::{
    answers as report,
    fill::{
        answers::{self, Filler},
        estimates,
    },
    trace,
    view::{self as views, answers as view},
};
use punctual_smc as smc;

use crate::{
    INCONCLUSIVE, REJECTED, Stop, codes,
    estimation::Estimation,
    guard::Guard,
    input::{self, Queries, Source},
    memory, print_painted_or_end,
    progress::{self, Watcher},
    terminal_width, write_file,
};

/// Answers queries about a model: exactly, over all its states, or statistically, from runs.
///
/// Without options: all queries of the model, in their order. A query is `E<> p`, `E[] p`,
/// `A<> p`, `A[] p`, `p --> q`, `sup: e`, `inf: e` or `bounds: e`, as in UPPAAL; or
/// statistical: `Pr[<=T](<> p)`, `Pr[...] >= 0.9`, `Pr[...] >= Pr[...]`, `E[<=T; N](max: e)`,
/// `simulate[<=T; N]{e}`. Ctrl-C stops a search and tells how far it came; a second Ctrl-C ends at
/// once.
#[derive(Args)]
#[command(
    after_help = "`punctual check --help` has examples and explains orders and exit codes.",
    after_long_help = HELP
)]
pub(crate) struct Check {
    /// The model; `-` reads it from standard input
    model: PathBuf,

    /// Answer this query instead of those of the model; may be given several times
    #[arg(long, value_name = "TEXT", help_heading = "What to answer")]
    query: Vec<String>,
    /// Answer the queries of this file (one per line) instead of those of the model
    #[arg(
        long,
        short,
        value_name = "FILE",
        conflicts_with = "query",
        help_heading = "What to answer"
    )]
    queries: Option<PathBuf>,
    /// Is a state reachable that has all of these labels? For TChecker models
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        conflicts_with_all = ["query", "queries"],
        help_heading = "What to answer"
    )]
    labels: Vec<String>,

    /// Compare the answers with those that the comments of the queries expect: 0 if they agree
    #[arg(long, help_heading = "What to answer")]
    as_expected: bool,

    /// The order in which states are explored
    #[arg(long, value_enum, default_value_t, help_heading = "How to search")]
    order: Order,
    /// Where random numbers start: of statistical queries, `--order random-dfs` and `random-walk`;
    /// 1 without it
    #[arg(long, value_name = "N", help_heading = "How to search")]
    seed: Option<u64>,
    /// How zones are made coarser, so that there are finitely many
    #[arg(long, value_enum, default_value_t, help_heading = "How to search")]
    extrapolation: Extrapolation,
    /// Unite zones to their convex hull: less memory, but some answers become a `may be`
    #[arg(long, help_heading = "How to search")]
    over_approximate: bool,
    /// How many threads; all cores without it. Answers do not depend on it
    #[arg(long, value_name = "N", value_parser = crate::threads, help_heading = "How to search")]
    threads: Option<usize>,
    /// Stop when a search holds this much (512M, 4G); 3/4 of the machine's memory without it
    #[arg(long, value_name = "SIZE", value_parser = memory::parse, help_heading = "How to search")]
    memory: Option<u64>,
    /// Stop the search for an answer after this long (10s, 5min); never without it
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "How to search")]
    time: Option<Duration>,

    #[command(flatten)]
    estimation: Estimation,

    /// Print a run that shows why: a witness of E<> and E[], a counterexample of the others
    #[arg(long, value_enum, value_name = "KIND", help_heading = "What to show")]
    trace: Option<TraceKind>,
    /// Write the traces to a file
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    trace_file: Option<PathBuf>,
    /// What to write to the file; without it, as its suffix says: .txt, .json or .trace
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        requires = "trace_file",
        help_heading = "What to show"
    )]
    trace_format: Option<TraceFormat>,
    /// Print a JSON array, with an object for each query
    #[arg(long, help_heading = "What to show")]
    json: bool,
    /// Print one line for each query
    #[arg(long, conflicts_with = "json", help_heading = "What to show")]
    quiet: bool,
}

/// Where random numbers start if nobody says.
const SEED: u64 = 1;

const HELP: &str = "\
Examples:
  punctual check examples/train-gate/model.xml
  punctual check model.xml --query 'A[] not deadlock' --trace shortest
  punctual check model.xml --query 'E<> Gate.Occ' --query 'sup: Gate.len'
  punctual check model.xml --queries model.q --quiet --as-expected
  punctual check model.tck --labels error
  punctual check model.xml --query 'Pr[<=100](<> Gate.Occ)' --plot occupied.svg
  punctual check model.xml --json | jq '.[] | {query, answer}'

Orders:
  Breadth first (bfs) explores near states first: it finds short traces and mostly stores the
  fewest states. Depth first (dfs) follows one run to its end: it may find a far state much sooner,
  with a long trace. Random depth first (random-dfs) is luckier where dfs always takes the wrong
  turn; try several seeds. Random walks (random-walk) start anew again and again, longer and longer:
  they find states of E<> and A[] that many runs lead to in models too large to be searched through.
  Guided (guided) explores first what seems nearest to the goal of E<> and
  A[]: it finds goals in models that are far too large to be searched through. An order changes
  when an answer is found, never the answer.

Exit codes:
  0  every query is satisfied (sup, inf and bounds: was answered)
  1  some query is not satisfied
  2  something was rejected: the model, a query, the usage; or the model does something that is
     not allowed, such as leaving the range of a variable; or no query was answered at all
  3  inconclusive: out of memory or time, stopped by the user, or a `may` or values of an approximation
Of several queries the most serious counts: 2 before 1 before 3 before 0. Queries of kinds
that are not supported are skipped and do not count; given with `--query` they are rejected (2).
With `--as-expected`, an answer that is expected counts as 0 and any other definite one as 1. What
is expected stands in the comment of a query: `expected: not satisfied`.";

#[derive(Clone, Copy, Default, ValueEnum)]
enum Order {
    /// Breadth first
    #[default]
    Bfs,
    /// What seems nearest to the goal first (E<> and A[])
    Guided,
    /// Depth first
    Dfs,
    /// Depth first, successors in random order
    RandomDfs,
    /// Random walks from the start, in turns with random-dfs (E<> and A[])
    RandomWalk,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Extrapolation {
    /// What is coarsest and sound for the query
    #[default]
    Auto,
    /// One constant per clock and location
    Maximum,
    /// Not at all; the search may not end
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TraceKind {
    /// No trace: saves memory
    None,
    /// Whichever is found first
    Any,
    /// One with the fewest steps
    Shortest,
    /// One that takes the least time
    Fastest,
}

/// What a trace file holds.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TraceFormat {
    /// As `--trace` prints it
    Text,
    /// As `--json` prints it
    Json,
    /// Lines as UPPAAL's tools print them: `State: …`, `Transition: …`
    Uppaal,
}

/// A query that is to be answered.
struct Asked<'q> {
    answered: view::Answered,
    /// What it asks; none if it is wrong or nothing that is answered here.
    property: Option<Cow<'q, Property>>,
}

impl Check {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let trace_format = self.trace_format()?;
        self.estimation.check_plot()?;
        let mut options = self.options();
        let source = self.read()?;
        // Also a model without queries is looked at.
        if !self.quiet {
            let texts: Vec<&str> = source.model.queries.iter().map(|it| it.text.as_str()).collect();
            input::show(&lints::lints(source.model, &texts), source.file);
        }
        let asked = self.asked(&source)?;
        let is_chance = |asked: &Asked<'_>| asked.property.as_ref().map(|it| it.is_statistical());
        if asked.iter().any(|asked| is_chance(asked) == Some(false)) {
            refuse_obstacles(&self.model, &source.model.network)?;
        }
        self.check_seed(asked.iter().any(|asked| is_chance(asked) == Some(true)))?;
        progress::listen_to_the_user();
        let (answered, filed) = self.answer(&source, asked, &mut options)?;
        if self.json {
            print(&views::json(&answered))?;
        } else if !self.quiet {
            let summary = report::summary(&answered);
            if !summary.is_empty() {
                print(&format!("\n{summary}"))?;
            }
        }
        if let (Some(path), Some(format)) = (&self.trace_file, trace_format) {
            write_traces(path, format, &filed)?;
        }
        self.code(&answered)
    }

    fn read(&self) -> Result<Source, Stop> {
        // One query per line of a file that does not exist.
        let text: String = self
            .query
            .iter()
            .map(|query| query.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
            .collect();
        let queries = match &self.queries {
            Some(path) => Queries::File(path),
            None if self.query.is_empty() => Queries::None,
            None => Queries::Text { argument: "--query", text: &text },
        };
        input::read_model(&self.model, queries)
    }

    /// The queries to answer. What is wrong with them is shown at once, before any search.
    fn asked<'q>(&self, source: &'q Source) -> Result<Vec<Asked<'q>>, Stop> {
        let model = source.model;
        if !self.labels.is_empty() {
            let property =
                labels::reachable(&model.network, &self.labels).map_err(Stop::Message)?;
            let query = format!("reachable: labels {}", self.labels.join(", "));
            let answered = view::Answered { query, ..view::Answered::default() };
            return Ok(vec![Asked { answered, property: Some(Cow::Owned(property)) }]);
        }
        let own = self.query.is_empty() && self.queries.is_none();
        let entries: Vec<&QueryEntry> =
            model.queries.iter().filter(|entry| entry.from_query_file != own).collect();
        let Some(first) = entries.first() else {
            return Err(Stop::Message(self.no_queries(source)));
        };
        let diagnostics: Vec<Diagnostic> =
            entries.iter().flat_map(|entry| entry.diagnostics.clone()).collect();
        input::show(&diagnostics, source.file_of(first));
        Ok(entries.into_iter().map(asked).collect())
    }

    /// Why there is nothing to answer, and what to do about it.
    fn no_queries(&self, source: &Source) -> String {
        let (model, shown) = (source.model, self.model.display());
        let labels = labels::known(&model.network);
        let hint = match labels.is_empty() {
            true => String::new(),
            false => format!(
                "\n  `--labels` asks whether labels are reachable; there are: {}",
                labels::listed(&labels)
            ),
        };
        match (&self.queries, self.query.is_empty()) {
            (Some(path), _) => format!("`{}` has no queries", path.display()),
            (None, false) => "`--query` is empty; try `--query 'A[] not deadlock'`".to_owned(),
            (None, true) => format!(
                "`{shown}` has no queries{hint}\n  \
                 `--query 'A[] not deadlock'` asks one, `--queries FILE` those of a file"
            ),
        }
    }

    /// Answers one query after the other, and prints each answer when it is known.
    fn answer(
        &self,
        source: &Source,
        asked: Vec<Asked<'_>>,
        options: &mut mc::Options,
    ) -> Result<(Vec<view::Answered>, Vec<view::FiledTrace>), Stop> {
        let colour = input::style(&std::io::stdout());
        let style = report::Style { colour: colour == Style::Colour, width: terminal_width() };
        let excerpts = if self.json { Style::Plain } else { colour };
        let filler = Filler::new(source.file, source.model, excerpts, options.approximation);
        let shown = self.trace.is_some_and(|kind| kind != TraceKind::None);
        let with_trace = shown || self.trace_file.is_some();
        let mut chance = self.estimation.options(self.seed.unwrap_or(SEED), options.threads);
        let (mut done, mut filed, mut plots) = (Vec::new(), Vec::new(), Vec::new());
        let count = asked.len();
        for (index, Asked { mut answered, property }) in asked.into_iter().enumerate() {
            if let Some(property) = &property {
                if progress::stopped() {
                    answered.answer = view::Answer::Undecided;
                    answered.reason = Some("not run: stopped by the user".to_owned());
                } else {
                    let memory = self.memory.unwrap_or_else(memory::granted);
                    let guard = Guard::new(memory, self.time);
                    (options.budget, chance.budget) = (guard.budget(), guard.budget());
                    let mut watcher = Watcher::new(index + 1, count, !self.json && !self.quiet);
                    let network = &source.model.network;
                    let reason = match property.is_statistical() {
                        true => match smc::check(network, property, &chance, &mut watcher) {
                            Ok(outcome) => {
                                drop(watcher);
                                let seed = chance.seed;
                                estimates::fill(&mut answered, network, property, &outcome, seed);
                                if let smc::Answer::Error(error) = &outcome.answer {
                                    filler.fill_run(&mut answered, error, with_trace);
                                }
                                if self.estimation.wants_plots() {
                                    let alpha = chance.alpha;
                                    plots.extend(estimates::picture(
                                        &answered, property, &outcome, alpha,
                                    ));
                                }
                                None
                            }
                            Err(refusal) => Some(estimates::refused(&refusal)),
                        },
                        false => match mc::check(network, property, options, &mut watcher) {
                            Ok(outcome) => {
                                drop(watcher);
                                filler.fill(&mut answered, property, &outcome, with_trace);
                                None
                            }
                            Err(refusal) => Some(answers::refused(&refusal)),
                        },
                    };
                    if reason.is_some() {
                        answered.answer = view::Answer::Error;
                        answered.reason = reason;
                    }
                }
            }
            if let Some(trace) = answered.trace.as_ref().filter(|_| self.trace_file.is_some()) {
                filed.push(view::FiledTrace {
                    query: answered.query.clone(),
                    answer: answered.answer,
                    trace: trace.clone(),
                });
            }
            if !shown {
                answered.trace = None;
            }
            if self.quiet {
                print(&report::line(&answered, style))?;
            } else if !self.json {
                let gap = if index > 0 { "\n" } else { "" };
                print(&format!("{gap}{}", report::text(index + 1, &answered, style)))?;
            }
            done.push(answered);
        }
        self.estimation.write_plots(&self.model.display().to_string(), &plots)?;
        Ok((done, filed))
    }

    fn code(&self, answered: &[view::Answered]) -> Result<u8, Stop> {
        let skipped = |answered: &view::Answered| answered.answer == view::Answer::Skipped;
        if answered.iter().all(skipped) {
            return Err(Stop::Message("no query was answered".to_owned()));
        }
        if !self.query.is_empty() && answered.iter().any(skipped) {
            return Ok(REJECTED);
        }
        Ok(match self.as_expected {
            true => codes::code_as_expected(answered),
            false => codes::code(answered.iter().map(|answered| answered.answer)),
        })
    }

    /// A seed that changes nothing is a misunderstanding.
    fn check_seed(&self, any_chance: bool) -> Result<(), Stop> {
        let random = matches!(self.order, Order::RandomDfs | Order::RandomWalk);
        match self.seed.is_some() && !random && !any_chance {
            true => Err(Stop::Message(
                "`--seed` is for statistical queries, and for `--order random-dfs` and \
                 `random-walk`"
                    .to_owned(),
            )),
            false => Ok(()),
        }
    }

    fn options(&self) -> mc::Options {
        let seed = self.seed.unwrap_or(SEED);
        let order = match self.order {
            Order::RandomDfs => mc::Order::RandomDepthFirst { seed },
            Order::RandomWalk => mc::Order::RandomWalk { seed },
            Order::Bfs => mc::Order::BreadthFirst,
            Order::Guided => mc::Order::Guided,
            Order::Dfs => mc::Order::DepthFirst,
        };
        mc::Options {
            order,
            extrapolation: match self.extrapolation {
                Extrapolation::Auto => mc::Extrapolation::Automatic,
                Extrapolation::Maximum => mc::Extrapolation::Maximum,
                Extrapolation::None => mc::Extrapolation::None,
            },
            approximation: match self.over_approximate {
                true => mc::Approximation::ConvexHull,
                false => mc::Approximation::Exact,
            },
            trace: match self.trace {
                Some(TraceKind::None) => mc::TraceKind::None,
                // Nobody would hear of it.
                None if self.quiet && self.trace_file.is_none() => mc::TraceKind::None,
                Some(TraceKind::Any) | None => mc::TraceKind::Any,
                Some(TraceKind::Shortest) => mc::TraceKind::Shortest,
                Some(TraceKind::Fastest) => mc::TraceKind::Fastest,
            },
            threads: self.threads.unwrap_or_else(|| {
                std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
            }),
            budget: Arc::default(),
        }
    }

    /// What the trace file will hold; refused before a long search, not after it.
    fn trace_format(&self) -> Result<Option<TraceFormat>, Stop> {
        let Some(path) = &self.trace_file else { return Ok(None) };
        if self.trace == Some(TraceKind::None) {
            let message = "`--trace none` leaves nothing for `--trace-file`".to_owned();
            return Err(Stop::Message(message));
        }
        if self.trace_format.is_some() {
            return Ok(self.trace_format);
        }
        let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
        match suffix.to_ascii_lowercase().as_str() {
            "json" => Ok(Some(TraceFormat::Json)),
            "txt" => Ok(Some(TraceFormat::Text)),
            "trace" => Ok(Some(TraceFormat::Uppaal)),
            "xtr" => Err(Stop::Message(format!(
                "can not write `{}`: UPPAAL's .xtr refers to files that only UPPAAL makes; \
                 .trace has what its tools print of one",
                path.display()
            ))),
            _ => Err(Stop::Message(format!(
                "the suffix of `{}` does not tell a trace format; \
                 use .txt, .json or .trace, or `--trace-format`",
                path.display()
            ))),
        }
    }
}

fn asked(entry: &QueryEntry) -> Asked<'_> {
    let answered = answers::unanswered(entry);
    let property = entry.property.as_ref().filter(|_| answered.reason.is_none());
    Asked { answered, property: property.map(Cow::Borrowed) }
}

/// A duration as users write it; a number without a unit is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let ns = testing::parse_duration(text, 1_000_000_000)?;
    match ns {
        0 => Err("give a duration above zero".to_owned()),
        ns => Ok(Duration::from_nanos(ns)),
    }
}

/// Answers that nobody reads are no pass.
fn print(text: &str) -> Result<(), Stop> {
    print_painted_or_end(text, INCONCLUSIVE)
}

/// A network that is nothing for symbolic analysis is refused by name.
fn refuse_obstacles(path: &Path, network: &Network) -> Result<(), Stop> {
    let obstacles = network.obstacles();
    let mut symbolic =
        obstacles.iter().filter(|obstacle| obstacle.analysis == Analysis::Symbolic).peekable();
    if symbolic.peek().is_none() {
        return Ok(());
    }
    let mut message = format!("`{}` can not be checked exactly; it has", path.display());
    for obstacle in symbolic {
        message += &format!("\n  {} ({})", obstacle.construct, obstacle.place);
    }
    Err(Stop::Message(message))
}

fn write_traces(path: &Path, format: TraceFormat, filed: &[view::FiledTrace]) -> Result<(), Stop> {
    if filed.is_empty() {
        tell!("note: no answer comes with a trace; `{}` is not written", path.display());
        return Ok(());
    }
    let text = match format {
        TraceFormat::Json => views::json(filed),
        TraceFormat::Text => trace::file(filed),
        TraceFormat::Uppaal => trace::uppaal_file(filed),
    };
    write_file(path, &text)
}
