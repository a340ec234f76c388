//! Searches measured beside those of a peer.
//!
//! Each search runs in a process of its own, so that processor time and memory are what the system
//! says about it. Where `tck-reach` is on the path it runs beside; otherwise its figures are those
//! that were taken on a machine of two cores, in [`peers`]. `--chance` measures runs by chance
//! instead, `--lustre` steps of synchronous programs.

mod chance;
mod lustre;
mod models;
mod peers;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use clap::Args;

use crate::ask::{self, Order, Question, Reply, Said, What};
use peers::{Case, Figures};

/// Searches above this are also run with two threads.
const LONG_S: f64 = 10.0;
/// Searches below this are run several times, by both, and the one in the middle counts.
const SHORT_S: f64 = 2.0;
/// How often.
const REPETITIONS: usize = 3;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Read the models from this folder (`fischer_8.tck`) instead of generating them
    #[arg(long, value_name = "FOLDER")]
    models: Option<PathBuf>,
    /// Only models whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Tiny instances only: whether everything still runs and counts agree
    #[arg(long)]
    quick: bool,
    /// Measure how much memory a million symbolic states of Fischer's protocol take, and
    /// how much faster two threads are
    #[arg(long, conflicts_with = "quick")]
    million: bool,
    /// Measure runs by chance instead: millions of transitions per second and core, with one thread
    /// and with two
    #[arg(long, conflicts_with = "million")]
    chance: bool,
    /// Measure steps of a Lustre program instead
    #[arg(long, value_name = "MODEL", num_args = 0..=1, default_missing_value = lustre::MODEL,
        conflicts_with_all = ["million", "chance"])]
    lustre: Option<PathBuf>,
    /// Seconds of processor time for each search
    #[arg(long, value_name = "N", default_value_t = 600.0)]
    seconds: f64,
}

/// A measurement of one case.
struct Measured<'c> {
    case: &'c Case,
    ours: Reply,
    /// With two threads, where one thread takes long.
    parallel: Option<Reply>,
    /// The peer's, measured now.
    theirs: Option<Figures>,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    if let Some(model) = &arguments.lustre {
        return lustre::run(model, arguments.quick);
    }
    if arguments.chance {
        return chance::run(arguments.quick);
    }
    let folder = env::temp_dir().join(format!("punctual-bench-{}", std::process::id()));
    if let Err(error) = fs::create_dir_all(&folder) {
        eprintln!("{}: {error}", folder.display());
        return ExitCode::from(2);
    }
    let code = match arguments.million {
        true => million(arguments, &folder),
        false => table(arguments, &folder),
    };
    // Nothing depends on it: the next run makes a folder of its own.
    let _ = fs::remove_dir_all(&folder);
    code
}

fn table(arguments: &Arguments, folder: &Path) -> ExitCode {
    let cases: &[Case] = if arguments.quick { &peers::QUICK } else { &peers::CASES };
    let peer = on_path("tck-reach");
    println!("{HEADER}");
    let mut wrong = Vec::new();
    let mut smallest: Option<(f64, String)> = None;
    for case in cases {
        let name = case.name();
        if arguments.only.as_ref().is_some_and(|text| !name.contains(text)) {
            continue;
        }
        let path = match arguments.model(case, folder) {
            Ok(path) => path,
            Err(why) => {
                wrong.push(format!("{name}: {why}"));
                continue;
            }
        };
        let measured = measure(case, &path, peer.as_deref(), arguments.seconds);
        println!("{}", row(&measured));
        wrong.extend(problems(&measured).into_iter().map(|why| format!("{name}: {why}")));
        let theirs = measured.theirs.as_ref().unwrap_or(&case.peer);
        if let Some(ratio) = ratio(theirs.cpu_s, measured.ours.cpu_s)
            && smallest.as_ref().is_none_or(|(least, _)| ratio < *least)
        {
            smallest = Some((ratio, name));
        }
    }
    println!();
    if let (Some((ratio, name)), false) = (smallest, arguments.quick) {
        let when = if peer.is_some() { "measured beside" } else { "as recorded" };
        println!("The smallest ratio is {ratio:.1} ({name}); theirs {when}.");
    }
    wrong.iter().for_each(|why| println!("WRONG  {why}"));
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Arguments {
    /// The file of a model, generated if it must be.
    fn model(&self, case: &Case, folder: &Path) -> Result<PathBuf, String> {
        let file = format!("{}.tck", case.name().replace(' ', "_"));
        if let Some(models) = &self.models {
            let path = models.join(&file);
            if path.exists() {
                return Ok(path);
            }
        }
        let text = models::generate(case.model, case.parameters);
        let text = text.ok_or("not generated; give its folder with --models")?;
        let path = folder.join(file);
        fs::write(&path, text).map_err(|error| error.to_string())?;
        Ok(path)
    }
}

fn measure<'c>(case: &'c Case, path: &Path, peer: Option<&Path>, seconds: f64) -> Measured<'c> {
    let question = question(path, case.labels, case.order, seconds);
    let first = question.ask();
    let times = if first.cpu_s < SHORT_S { REPETITIONS } else { 1 };
    let rest = (1..times).map(|_| question.ask());
    let ours = middle(std::iter::once(first).chain(rest).collect(), |reply: &Reply| reply.cpu_s);
    let parallel = (ours.cpu_s > LONG_S).then(|| Question { threads: 2, ..question.clone() }.ask());
    let theirs = peer.and_then(|program| {
        let runs: Option<Vec<Figures>> = (0..times).map(|_| beside(program, case, path)).collect();
        Some(middle(runs?, |figures| figures.cpu_s))
    });
    Measured { case, ours, parallel, theirs }
}

/// The measurement in the middle.
fn middle<T>(mut measured: Vec<T>, seconds: impl Fn(&T) -> f64) -> T {
    measured.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    measured.swap_remove(measured.len() / 2)
}

/// A search with one thread and all memory, without a trace.
fn question(path: &Path, labels: &str, order: Order, seconds: f64) -> Question {
    let labels = labels.split(',').filter(|label| !label.is_empty());
    Question {
        model: path.to_owned(),
        what: What::Labels(labels.map(str::to_owned).collect()),
        order,
        trace: false,
        threads: 1,
        memory: u64::MAX,
        seconds,
    }
}

/// Runs the peer on the same file.
fn beside(program: &Path, case: &Case, path: &Path) -> Option<Figures> {
    let mut command = Command::new(program);
    command.args(["-a", case.algorithm, "-s", &case.order.to_string()]);
    if !case.labels.is_empty() {
        command.args(["-l", case.labels]);
    }
    let ended = ask::run(command.arg(path), None).ok()?;
    let output = ended.output?;
    let value = |key: &str| {
        output.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<f64>().ok())
    };
    let count = |key| value(key).map(|number| number as u64);
    Some(Figures {
        reachable: output.contains("REACHABLE true"),
        stored: count("STORED_STATES")?,
        visited: count("VISITED_STATES ")?,
        transitions: count("VISITED_TRANSITIONS")?,
        cpu_s: ended.cpu_s.or_else(|| value("RUNNING_TIME_SECONDS"))?,
        peak_mb: value("MEMORY_MAX_RSS")? / 1024.0,
    })
}

/// A program of this name on the path.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

const HEADER: &str = "\
| model | labels | order | answer | stored | theirs | transitions | theirs | CPU s | theirs | ratio \
| MB | theirs | 2 threads, wall s | speed-up |
|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

fn row(measured: &Measured<'_>) -> String {
    let Measured { case, ours, parallel, theirs } = measured;
    let theirs = theirs.as_ref().unwrap_or(&case.peer);
    let labels = if case.labels.is_empty() { "-" } else { case.labels };
    let ratio = ratio(theirs.cpu_s, ours.cpu_s).map_or("-".into(), |ratio| format!("{ratio:.1}"));
    let (wall, speed_up) = match parallel {
        Some(parallel) if parallel.search_s > 0.0 => (
            format!("{:.1}", parallel.search_s),
            format!("{:.2}", ours.search_s / parallel.search_s),
        ),
        _ => ("-".into(), "-".into()),
    };
    let algorithm = if case.algorithm == "covreach" { "" } else { " (theirs aLU)" };
    format!(
        "| {} | {labels} | {}{algorithm} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {ratio} \
         | {:.0} | {:.0} | {wall} | {speed_up} |",
        case.name(),
        case.order,
        ours.said,
        ours.stored,
        theirs.stored,
        ours.transitions,
        theirs.transitions,
        ours.cpu_s,
        theirs.cpu_s,
        ours.peak_mb,
        theirs.peak_mb,
    )
}

/// How many times longer the peer takes; none below what clocks can tell.
fn ratio(theirs: f64, ours: f64) -> Option<f64> {
    (ours >= 0.01 && theirs >= 0.01).then(|| theirs / ours)
}

/// What is wrong with a measurement.
fn problems(measured: &Measured<'_>) -> Vec<String> {
    let Measured { case, ours, parallel, theirs } = measured;
    let mut found = Vec::new();
    let expected = if case.peer.reachable { Said::Satisfied } else { Said::NotSatisfied };
    if ours.said != expected {
        found.push(format!("{}, expected {expected}", ours.said));
    }
    if ours.stored > case.peer.stored && case.order == Order::Bfs {
        found.push(format!("{} stored, theirs {}", ours.stored, case.peer.stored));
    }
    if let Some(parallel) = parallel
        && parallel.said != ours.said
    {
        found.push(format!("{} with two threads", parallel.said));
    }
    if let Some(theirs) = theirs {
        let recorded = &case.peer;
        let same = theirs.reachable == recorded.reachable
            && theirs.stored == recorded.stored
            && theirs.visited == recorded.visited
            && theirs.transitions == recorded.transitions;
        if !same {
            found.push(format!(
                "the peer counts {} stored, {} visited, {} transitions; recorded are {}, {}, {}",
                theirs.stored,
                theirs.visited,
                theirs.transitions,
                recorded.stored,
                recorded.visited,
                recorded.transitions
            ));
        }
    }
    found
}

/// How much memory a million symbolic states take: the smallest instance of Fischer's protocol that
/// has as many.
fn million(arguments: &Arguments, folder: &Path) -> ExitCode {
    const PROCESSES: u32 = 12;
    let path = folder.join("fischer.tck");
    let text = models::generate("fischer", &[PROCESSES]).expect("fischer is generated");
    if let Err(error) = fs::write(&path, text) {
        eprintln!("{}: {error}", path.display());
        return ExitCode::from(2);
    }
    let single = question(&path, "", Order::Bfs, arguments.seconds);
    let double = Question { threads: 2, ..single.clone() };
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    // In turns: what else happens on the machine should hit both.
    for _ in 0..REPETITIONS {
        let (ours, parallel) = (single.ask(), double.ask());
        println!(
            "fischer {PROCESSES}: one thread {:.1} s, two threads {:.1} s of wall time",
            ours.search_s, parallel.search_s
        );
        alone.push(ours);
        together.push(parallel);
    }
    let mut replies = alone.iter().chain(&together);
    let same = replies.all(|it| it.said == alone[0].said && it.stored == alone[0].stored);
    let ours = middle(alone, |reply| reply.search_s);
    let parallel = middle(together, |reply| reply.search_s);
    let bytes = ours.peak_mb * 1024.0 * 1024.0 / ours.stored.max(1) as f64;
    println!(
        "{}, {} stored, {} transitions, {:.1} s of processor time, {:.0} MB at most ({bytes:.0} \
         bytes for each stored state)",
        ours.said, ours.stored, ours.transitions, ours.cpu_s, ours.peak_mb,
    );
    println!(
        "two threads are {:.2} times faster (those in the middle: {:.1} s and {:.1} s)",
        ours.search_s / parallel.search_s.max(0.001),
        ours.search_s,
        parallel.search_s,
    );
    if !same {
        println!("WRONG  not all runs agree");
    }
    let enough = ours.said == Said::NotSatisfied && ours.stored >= 1_000_000;
    if enough && same { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
