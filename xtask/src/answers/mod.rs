//! What the checker says of models whose answers are known.
//!
//! A corpus is a folder with models of others: `uppaal/` with the answers of `answers.csv`, and
//! `tchecker/` with those of `tchecker/expected.csv`. Every query is asked in a process of its
//! own. See `docs/guide/corpus.md`.

mod expected;
mod states;

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    process::{self, ExitCode},
};

use clap::Args;
use serde::Serialize;

use crate::{
    ask::{Order, Question, Reply, Said, What},
    csv,
};
use expected::Expected;

/// Breadth first answers most queries within this time.
const FIRST_S: f64 = 5.0;
/// Where breadth first does not, this much of the time is for each other order.
const LUCK: f64 = 0.25;
/// Where random walks start.
const SEED: u64 = 1;
/// Searches above this are listed.
const SLOW_S: f64 = 10.0;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder, with `answers.csv` or `tchecker/expected.csv`
    folder: PathBuf,
    /// Only models and queries whose text contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Seconds of processor time for each query
    #[arg(long, value_name = "N", default_value_t = 120.0)]
    seconds: f64,
    /// Bytes for each query, in MB
    #[arg(long, value_name = "MB", default_value_t = 8192)]
    memory: u64,
    /// Threads for each query
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Print a JSON array with an object for each query
    #[arg(long)]
    json: bool,
}

/// A query of the corpus, and what came of it.
#[derive(Serialize)]
struct Line {
    model: String,
    query: String,
    expected: String,
    result: Judgement,
    said: String,
    /// Which search order said it.
    order: String,
    /// Seconds of processor time, those of orders that did not answer included.
    seconds: f64,
    peak_mb: f64,
    stored: u64,
    transitions: u64,
    /// What a peer stored, by algorithm.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    peers_stored: BTreeMap<String, u64>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Judgement {
    Same,
    /// With what differs.
    Differs(String),
    Undecided,
    /// With the reason.
    Skipped(String),
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let mut lines = Vec::new();
    let tables = [arguments.folder.join("answers.csv"), states::table(&arguments.folder)];
    let [answers, counts] = tables.map(|path| fs::read_to_string(path).ok());
    if answers.is_none() && counts.is_none() {
        eprintln!("{}: no answers.csv, no tchecker/expected.csv", arguments.folder.display());
        return ExitCode::from(2);
    }
    for row in csv::parse(&answers.unwrap_or_default()) {
        let (model, query, text) = (row.get("model"), row.get("query"), row.get("expected"));
        if arguments.wants(model, query) {
            let line = arguments.judged(model, query, text);
            lines.push(shown(line));
        }
    }
    for group in states::groups(&csv::parse(&counts.unwrap_or_default())) {
        if arguments.wants(&group.model, &group.labels.join(",")) {
            lines.push(shown(states::judged(&group, arguments)));
        }
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&lines).expect("lines can be written"));
    } else {
        print(&lines);
    }
    let good = |line: &Line| matches!(line.result, Judgement::Same | Judgement::Skipped(_));
    if lines.iter().all(good) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Arguments {
    fn wants(&self, model: &str, query: &str) -> bool {
        self.only.as_ref().is_none_or(|text| model.contains(text) || query.contains(text))
    }

    fn question(&self, model: &Path, what: What) -> Question {
        Question {
            model: model.to_owned(),
            what,
            order: Order::Bfs,
            trace: true,
            threads: self.threads,
            memory: self.memory << 20,
            seconds: self.seconds,
        }
    }

    /// Asks about the model, or about all variants of it that the expectation is about.
    fn judged(&self, model: &str, query: &str, text: &str) -> Line {
        let path = self.folder.join("uppaal").join(model);
        let what = What::Query(query.to_owned());
        let variants = expected::variants(model, text);
        if variants.is_empty() {
            let asked = answered(&self.question(&path, what));
            return line(model, query, text, &expected::interpret(text), asked);
        }
        let mut lines = variants.iter().map(|variant| {
            let asked = match varied(&path, variant.changes) {
                Ok(copy) => {
                    let asked = answered(&self.question(&copy, what.clone()));
                    // Nothing depends on it.
                    let _ = fs::remove_file(copy);
                    asked
                }
                Err(why) => (Order::Bfs, 0.0, Reply::without_search(Said::ModelRejected(why))),
            };
            line(model, query, text, &variant.expected(), asked)
        });
        let first = lines.next().expect("there are variants");
        // One that differs speaks for all.
        lines.fold(first, |so_far, next| match so_far.result {
            Judgement::Same => next,
            _ => so_far,
        })
    }
}

/// A copy of a model with some of its text replaced.
fn varied(path: &Path, changes: &[(&str, &str)]) -> Result<PathBuf, String> {
    let mut text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    for (from, to) in changes {
        if !text.contains(from) {
            return Err(format!("`{from}` does not occur"));
        }
        text = text.replace(from, to);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let copy = env::temp_dir().join(format!("punctual-{}-{name}", process::id()));
    fs::write(&copy, text).map_err(|error| error.to_string())?;
    Ok(copy)
}

fn line(
    model: &str,
    query: &str,
    text: &str,
    expected: &Expected,
    (order, seconds, reply): (Order, f64, Reply),
) -> Line {
    Line {
        model: model.to_owned(),
        query: query.to_owned(),
        expected: text.to_owned(),
        result: expected::compare(expected, &reply.said),
        said: reply.said.to_string(),
        order: order.to_string(),
        seconds,
        peak_mb: reply.peak_mb,
        stored: reply.stored,
        transitions: reply.transitions,
        peers_stored: BTreeMap::new(),
    }
}

/// Asks breadth first, then by random walks, then what seems nearest first, then breadth first with
/// what time is left. A state that is deep in a huge model is found by luck, by a good guess, or not
/// at all.
fn answered(question: &Question) -> (Order, f64, Reply) {
    let all = question.seconds;
    let (mut cpu_s, mut spent) = (0.0, 0.0);
    let mut ask = |order, seconds| {
        spent += seconds;
        let reply = Question { order, seconds, ..question.clone() }.ask();
        cpu_s += reply.cpu_s;
        (reply.said.is_undecided(), all - spent, (order, reply))
    };
    let (mut undecided, mut left, mut answer) = ask(Order::Bfs, FIRST_S.min(all));
    let lucky = matches!(answer.1.kind.as_str(), "E<>" | "A[]" | "") && !question.what.is_nothing();
    for order in [Order::RandomWalk(SEED), Order::Guided] {
        if undecided && lucky && left > 0.0 {
            (undecided, left, answer) = ask(order, (all * LUCK).min(left));
        }
    }
    if undecided && left > 0.0 {
        (_, _, answer) = ask(Order::Bfs, left);
    }
    let (order, reply) = answer;
    (order, cpu_s, reply)
}

/// Tells that a query is done, where somebody is watching.
fn shown(line: Line) -> Line {
    if io::stderr().is_terminal() {
        let word = match &line.result {
            Judgement::Same => "same",
            Judgement::Differs(_) => "DIFFERS",
            Judgement::Undecided => "UNDECIDED",
            Judgement::Skipped(_) => "skipped",
        };
        eprintln!(
            "{word:<9} {:>7.2} s {:>10} stored  {}  {}",
            line.seconds, line.stored, line.model, line.query
        );
    }
    line
}

fn print(lines: &[Line]) {
    let place = |line: &Line| format!("{}  {}", line.model, line.query);
    section("Different", lines, |line| match &line.result {
        Judgement::Differs(why) => Some(format!(
            "{}\n    {why}\n    expected {}; said {} ({})",
            place(line),
            line.expected,
            line.said,
            line.order
        )),
        _ => None,
    });
    section("Undecided", lines, |line| {
        (line.result == Judgement::Undecided).then(|| {
            format!(
                "{}\n    {} ({}, {:.0} s, {} stored, {:.0} MB)",
                place(line),
                line.said,
                line.order,
                line.seconds,
                line.stored,
                line.peak_mb
            )
        })
    });
    section("Answered late, or not breadth first", lines, |line| {
        let done = matches!(line.result, Judgement::Same | Judgement::Differs(_));
        let odd = line.seconds > SLOW_S || line.order.starts_with("random");
        (done && odd).then(|| {
            format!(
                "{}\n    {} ({}, {:.1} s, {} stored, {:.0} MB)",
                place(line),
                line.said,
                line.order,
                line.seconds,
                line.stored,
                line.peak_mb
            )
        })
    });
    section("Stored, ours / theirs", lines, |line| {
        let theirs = &line.peers_stored;
        let peers: Vec<String> =
            theirs.iter().map(|(algorithm, stored)| format!("{stored} {algorithm}")).collect();
        (!peers.is_empty()).then(|| {
            format!("{} {}: {} / {}", place(line), line.order, line.stored, peers.join(", "))
        })
    });
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    section("Skipped", lines, |line| match &line.result {
        Judgement::Skipped(why) => {
            *skipped.entry(why.clone()).or_default() += 1;
            Some(format!("{}\n    {why}", place(line)))
        }
        _ => None,
    });
    let count =
        |wanted: fn(&Judgement) -> bool| lines.iter().filter(|line| wanted(&line.result)).count();
    println!("{:>6}  queries", lines.len());
    println!("{:>6}  same", count(|result| *result == Judgement::Same));
    println!("{:>6}  different", count(|result| matches!(result, Judgement::Differs(_))));
    println!("{:>6}  undecided", count(|result| *result == Judgement::Undecided));
    for (why, n) in skipped {
        println!("{n:>6}  skipped: {why}");
    }
}

/// A heading and the lines that belong below it; nothing if there are none.
fn section(heading: &str, lines: &[Line], mut text: impl FnMut(&Line) -> Option<String>) {
    let texts: Vec<String> = lines.iter().filter_map(&mut text).collect();
    if !texts.is_empty() {
        println!("{heading} ({})", texts.len());
        texts.iter().for_each(|text| println!("  {text}"));
        println!();
    }
}

/// Whether this was no answer at all, for a reason that is not ours to judge.
fn no_answer(said: &Said) -> Option<Judgement> {
    match said {
        said if said.is_undecided() => Some(Judgement::Undecided),
        Said::NoRuns(why) => Some(Judgement::Skipped(format!("runs by chance can not have {why}"))),
        Said::Other => Some(Judgement::Skipped("not supported".into())),
        _ => None,
    }
}
