//! One query, answered in a process of its own.
//!
//! A process can be stopped where a search does not listen, its memory is nobody else's, and a
//! crash is only its own. [`Question::ask`] starts it; [`answer`] is what runs there. Question and
//! reply travel as JSON.

use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use punctual_lang::{Input, Reading, labels};
use punctual_mc as mc;
use punctual_model::{Expr, Frame, Network, Number, Property as Asked, StateExpr};
use punctual_semantics::budget::Budget;
use punctual_smc as smc;
use serde::{Deserialize, Serialize};

use crate::{chance::estimated, clock::Stopwatch};

/// How long a process may overrun its time, reading included, before it is ended.
const GRACE: Duration = Duration::from_secs(20);
/// How much more than its processor time a process may take: others use the machine as well.
const SHARED: f64 = 4.0;

/// What is asked about a model, and how to search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) model: PathBuf,
    pub(crate) what: What,
    pub(crate) order: Order,
    /// Whether a trace is wanted: it costs memory.
    pub(crate) trace: bool,
    pub(crate) threads: usize,
    /// Bytes that the search may hold.
    pub(crate) memory: u64,
    /// Seconds of processor time for each thread, reading included.
    pub(crate) seconds: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum What {
    /// A query of UPPAAL.
    Query(String),
    /// A state that has all of these labels; no state at all if there are none.
    Labels(Vec<String>),
}

impl What {
    /// Whether it plainly asks for nothing, in order to visit all states.
    pub(crate) fn is_nothing(&self) -> bool {
        match self {
            Self::Query(query) => query == "E<> false",
            Self::Labels(labels) => labels.is_empty(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    Bfs,
    Guided,
    Dfs,
    RandomWalk(u64),
}

impl std::fmt::Display for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bfs => f.write_str("bfs"),
            Self::Guided => f.write_str("guided"),
            Self::Dfs => f.write_str("dfs"),
            Self::RandomWalk(seed) => write!(f, "random-walk seed {seed}"),
        }
    }
}

/// What came of a question, and what it cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) said: Said,
    /// What the property is about, such as `E<>` or `sup`.
    pub(crate) kind: String,
    pub(crate) stored: u64,
    pub(crate) explored: u64,
    pub(crate) transitions: u64,
    /// Seconds to read the model.
    pub(crate) reading_s: f64,
    /// Seconds of search, by the clock on the wall.
    pub(crate) search_s: f64,
    /// Seconds of processor time of the process, reading included.
    pub(crate) cpu_s: f64,
    /// The most memory that the process had, as the system counts it.
    pub(crate) peak_mb: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Said {
    Satisfied,
    NotSatisfied,
    MaybeSatisfied,
    MaybeNotSatisfied,
    Values(Vec<Value>),
    OutOfTime,
    OutOfMemory,
    /// A clock grows and grows.
    Growing,
    /// The model does something that is not allowed.
    ModelError(String),
    /// Symbolic analysis does not treat this.
    Refused(String),
    /// Between these, very probably.
    Between(f64, f64),
    /// So many runs were recorded.
    Recorded(usize),
    /// Runs by chance can not have this.
    NoRuns(String),
    /// Neither exact nor statistical.
    Other,
    /// The query is wrong.
    QueryRejected(String),
    /// The model is wrong.
    ModelRejected(String),
    /// The process did not end as it should.
    Crashed(String),
    /// The process did not listen when it was to stop.
    Deaf,
}

/// An extreme value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Value {
    /// No state to be taken in.
    None,
    Attained(i32),
    Approached(i32),
    Infinite,
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Satisfied => f.write_str("satisfied"),
            Self::NotSatisfied => f.write_str("NOT satisfied"),
            Self::MaybeSatisfied => f.write_str("MAY be satisfied"),
            Self::MaybeNotSatisfied => f.write_str("may NOT be satisfied"),
            Self::Values(values) => {
                let texts: Vec<String> = values.iter().map(|value| format!("{value}")).collect();
                f.write_str(&texts.join(", "))
            }
            Self::OutOfTime => f.write_str("out of time"),
            Self::OutOfMemory => f.write_str("out of memory"),
            Self::Growing => f.write_str("a clock grows without a bound"),
            Self::ModelError(why) => write!(f, "error of the model: {why}"),
            Self::Refused(why) => write!(f, "refused: {why}"),
            Self::Between(low, high) => write!(f, "between {low:.5} and {high:.5}"),
            Self::Recorded(runs) => write!(f, "{runs} runs recorded"),
            Self::NoRuns(why) => write!(f, "no runs with {why}"),
            Self::Other => f.write_str("not supported"),
            Self::QueryRejected(why) => write!(f, "query rejected: {why}"),
            Self::ModelRejected(why) => write!(f, "model rejected: {why}"),
            Self::Crashed(why) => write!(f, "CRASHED: {why}"),
            Self::Deaf => f.write_str("out of time, and the search did not stop when told"),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Attained(value) => write!(f, "{value}"),
            Self::Approached(value) => write!(f, "{value} (approached)"),
            Self::Infinite => f.write_str("infinite"),
        }
    }
}

impl Reply {
    /// Nothing was searched, or nothing is known about the search.
    pub(crate) fn without_search(said: Said) -> Self {
        Self {
            said,
            kind: String::new(),
            stored: 0,
            explored: 0,
            transitions: 0,
            reading_s: 0.0,
            search_s: 0.0,
            cpu_s: 0.0,
            peak_mb: 0.0,
        }
    }
}

impl Said {
    /// Whether more time or memory might give an answer.
    pub(crate) fn is_undecided(&self) -> bool {
        matches!(self, Self::OutOfTime | Self::OutOfMemory | Self::Growing | Self::Deaf)
    }
}

impl Question {
    /// Asks in a process of its own.
    pub(crate) fn ask(&self) -> Reply {
        let started = Stopwatch::start();
        let failed = |said| Reply {
            search_s: started.elapsed().as_secs_f64(),
            ..Reply::without_search(said)
        };
        let text = serde_json::to_string(self).expect("a question can be written");
        let program = env::current_exe().expect("this program is somewhere");
        let limit = Duration::from_secs_f64(self.seconds * SHARED) + GRACE;
        let ended = match run(Command::new(program).arg("ask").arg(text), Some(limit)) {
            Ok(ended) => ended,
            Err(error) => return failed(Said::Crashed(error)),
        };
        let cpu_s = ended.cpu_s.unwrap_or_default();
        let Some(output) = ended.output else { return Reply { cpu_s, ..failed(Said::Deaf) } };
        match serde_json::from_str::<Reply>(&output) {
            Ok(reply) => Reply { cpu_s: ended.cpu_s.unwrap_or(reply.cpu_s), ..reply },
            Err(_) => {
                let why = ended.complaint.lines().take(3).collect::<Vec<_>>().join(" ");
                failed(Said::Crashed(format!("{} {why}", ended.status)))
            }
        }
    }
}

/// How a process ended.
pub(crate) struct Ended {
    /// What it printed; none if it had to be ended.
    pub(crate) output: Option<String>,
    /// What it printed to standard error.
    pub(crate) complaint: String,
    pub(crate) status: String,
    /// Processor time, where the system tells.
    pub(crate) cpu_s: Option<f64>,
}

/// Runs a process to its end, or ends it after some time.
pub(crate) fn run(command: &mut Command, limit: Option<Duration>) -> Result<Ended, String> {
    let before = children_cpu_s();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let (output, complaint) = collect(&mut child, limit);
    if output.is_none() {
        child.kill().map_err(|error| error.to_string())?;
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    let cpu_s = before.zip(children_cpu_s()).map(|(before, after)| after - before);
    Ok(Ended { output, complaint, status: status.to_string(), cpu_s })
}

/// What a process prints until it ends; none if that takes longer than it may.
fn collect(child: &mut Child, limit: Option<Duration>) -> (Option<String>, String) {
    let (sender, receiver) = mpsc::channel();
    let mut stdout = child.stdout.take().expect("standard output is piped");
    let mut stderr = child.stderr.take().expect("standard error is piped");
    let complaints = thread::spawn(move || {
        let mut text = String::new();
        let _ = stderr.read_to_string(&mut text);
        text
    });
    thread::spawn(move || {
        let mut text = String::new();
        let _ = stdout.read_to_string(&mut text);
        let _ = sender.send(text);
    });
    let output = match limit {
        Some(limit) => receiver.recv_timeout(limit).ok(),
        None => receiver.recv().ok(),
    };
    // Without an output the process still runs, and its complaints would not end.
    let complaint = match output {
        Some(_) => complaints.join().unwrap_or_default(),
        None => String::new(),
    };
    (output, complaint)
}

/// Processor time of all child processes that have ended, in seconds.
fn children_cpu_s() -> Option<f64> {
    times_s(13)
}

/// Processor time of this process, in seconds.
fn own_cpu_s() -> Option<f64> {
    times_s(11)
}

/// User and system time together, from two fields of what the system says about this process.
fn times_s(field: usize) -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program stands in parentheses and may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut times = rest.split_whitespace().skip(field);
    let (user, system): (f64, f64) = (times.next()?.parse().ok()?, times.next()?.parse().ok()?);
    // The unit is 1/100 s on every system that has this file.
    Some((user + system) / 100.0)
}

/// The hidden command: answers a question and prints the reply.
pub(crate) fn answer(question: &str) -> ExitCode {
    let Ok(question) = serde_json::from_str::<Question>(question) else {
        eprintln!("not a question");
        return ExitCode::FAILURE;
    };
    let reply = answered(&question);
    println!("{}", serde_json::to_string(&reply).expect("a reply can be written"));
    ExitCode::SUCCESS
}

fn answered(question: &Question) -> Reply {
    let reading = Stopwatch::start();
    let mut reply = Reply::without_search(Said::Other);
    let (network, property) = match read(&question.model, &question.what) {
        Ok(read) => read,
        Err(said) => return Reply { said, ..reply },
    };
    reply.reading_s = reading.elapsed().as_secs_f64();
    reply.kind = kind(&property).to_owned();
    let limit_s = question.seconds * question.threads as f64;
    let mut watcher = Watcher { started: Stopwatch::start(), limit_s };
    if property.is_statistical() {
        let runs = estimated(&network, &property, question.threads, &mut watcher);
        (reply.said, reply.transitions) = runs;
        reply.search_s = watcher.started.elapsed().as_secs_f64();
        reply.peak_mb = peak_mb().unwrap_or_default();
        return reply;
    }
    if let Asked::Unsupported { .. } = property {
        return reply;
    }
    let options = mc::Options {
        order: match question.order {
            Order::Bfs => mc::Order::BreadthFirst,
            Order::Guided => mc::Order::Guided,
            Order::Dfs => mc::Order::DepthFirst,
            Order::RandomWalk(seed) => mc::Order::RandomWalk { seed },
        },
        trace: if question.trace { mc::TraceKind::Any } else { mc::TraceKind::None },
        threads: question.threads,
        budget: Arc::new(Budget::new(question.memory)),
        ..mc::Options::default()
    };
    let outcome = mc::check(&network, &property, &options, &mut watcher);
    reply.search_s = watcher.started.elapsed().as_secs_f64();
    reply.peak_mb = peak_mb().unwrap_or_default();
    match outcome {
        Ok(outcome) => {
            reply.said = said(&property, &outcome.answer);
            reply.stored = outcome.statistics.stored;
            reply.explored = outcome.statistics.explored;
            reply.transitions = outcome.statistics.transitions;
        }
        Err(refusal) => reply.said = Said::Refused(refusal.construct),
    }
    reply
}

struct Watcher {
    started: Stopwatch,
    limit_s: f64,
}

impl Watcher {
    fn has_time(&self) -> bool {
        own_cpu_s().unwrap_or_else(|| self.started.elapsed().as_secs_f64()) < self.limit_s
    }
}

impl mc::Observer for Watcher {
    fn elapsed(&mut self) -> Duration {
        self.started.elapsed()
    }

    fn progress(&mut self, _: &mc::Progress) -> bool {
        self.has_time()
    }
}

impl smc::Observer for Watcher {
    fn elapsed(&mut self) -> Duration {
        self.started.elapsed()
    }

    fn progress(&mut self, progress: &smc::Progress) -> bool {
        // Asking the system takes longer than a short run.
        !progress.runs.is_multiple_of(64) || self.has_time()
    }
}

/// The network and what is asked about it.
fn read(path: &Path, what: &What) -> Result<(Network, Asked), Said> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| Said::ModelRejected(error.to_string()))?;
    let queries = match what {
        What::Query(text) => Some(Input { name: "query.q", bytes: text.as_bytes() }),
        What::Labels(_) => None,
    };
    let reading = punctual_lang::read_with_queries(Input { name: &name, bytes: &bytes }, queries);
    let Reading { model, diagnostics, query_diagnostics, .. } = reading;
    let first = |diagnostics: &[punctual_lang::diagnostic::Diagnostic]| {
        let error = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        error.map(|error| format!("{}: {}", error.code, error.message))
    };
    let Some(model) = model else {
        return Err(Said::ModelRejected(first(&diagnostics).unwrap_or_default()));
    };
    if let Some(error) = first(&query_diagnostics) {
        return Err(Said::QueryRejected(error));
    }
    let property = match what {
        // With no labels no state is asked for, so that the whole state space is explored.
        What::Labels(labels) if labels.is_empty() => Asked::ExistsFinally(StateExpr {
            expr: Expr::FALSE,
            number: Number::Int,
            frame: Frame::default(),
        }),
        What::Labels(labels) => {
            labels::reachable(&model.network, labels).map_err(Said::QueryRejected)?
        }
        What::Query(_) => {
            let entry = model.queries.into_iter().find(|query| query.from_query_file);
            let Some(entry) = entry else { return Err(Said::QueryRejected("no query".into())) };
            match entry.property {
                Some(property) => property,
                None => {
                    let error = first(&entry.diagnostics).unwrap_or_default();
                    return Err(Said::QueryRejected(error));
                }
            }
        }
    };
    Ok((model.network, property))
}

fn kind(property: &Asked) -> &'static str {
    match property {
        Asked::ExistsFinally(_) => "E<>",
        Asked::ExistsGlobally(_) => "E[]",
        Asked::AlwaysFinally(_) => "A<>",
        Asked::AlwaysGlobally(_) => "A[]",
        Asked::LeadsTo(..) => "-->",
        Asked::Supremum { .. } => "sup",
        Asked::Infimum { .. } => "inf",
        Asked::Bounds { .. } => "bounds",
        _ => "other",
    }
}

fn said(property: &Asked, answer: &mc::Answer) -> Said {
    match answer {
        mc::Answer::Satisfied => Said::Satisfied,
        mc::Answer::NotSatisfied => Said::NotSatisfied,
        mc::Answer::MaybeSatisfied => Said::MaybeSatisfied,
        mc::Answer::MaybeNotSatisfied => Said::MaybeNotSatisfied,
        mc::Answer::Undecided(mc::Undecided::Memory) => Said::OutOfMemory,
        mc::Answer::Undecided(mc::Undecided::Stopped | mc::Undecided::Time) => Said::OutOfTime,
        mc::Answer::Undecided(mc::Undecided::Growing { .. } | mc::Undecided::Approximation) => {
            Said::Growing
        }
        mc::Answer::Error(fault) => Said::ModelError(format!("{:?}", fault.kind)),
        mc::Answer::Values(extrema) => {
            let least = matches!(property, Asked::Infimum { .. });
            let side = |extremum: &mc::Extremum| match if least {
                extremum.least
            } else {
                extremum.greatest
            } {
                None => Value::None,
                Some(mc::Limit::Attained(value)) => Value::Attained(value),
                Some(mc::Limit::Approached(value)) => Value::Approached(value),
                Some(mc::Limit::Infinite) => Value::Infinite,
            };
            Said::Values(extrema.iter().map(side).collect())
        }
    }
}

/// The most memory that this process had.
fn peak_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
