//! `punctual judge`: the verdict of a trace that was recorded before.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use punctual_campaign::load::load;
use punctual_campaign::replay::{FileFormat, file as judge_file};
use punctual_campaign::store::{Run, Verdict};
use punctual_campaign::summary::{Digest, Summary};
use punctual_lang::traces::{Format, Unit};
use punctual_report::{runs, view};

use super::replay::code;
use crate::guard::Guard;
use crate::specification::Environment;
use crate::{Stop, input, memory, print_or_end, progress};

/// Judges a recorded trace: was what the system did allowed, and at the right time?
///
/// Reads records of `punctual test`, lines of JSON, CSV, driver logs of UPPAAL TRON and value change dumps;
/// the content tells which. The verdict is the one that a live test would have given. A Lustre model judges
/// traces of steps.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual judge model.xml trace.csv\n  \
    punctual judge model.xml driver.log --format tron-log --json")]
pub(crate) struct Judge {
    /// The model: timed automata, or a Lustre program (`.lus`)
    model: PathBuf,
    /// The trace
    trace: PathBuf,
    /// What is exchanged with the system; `punctual.toml` beside the model if not said
    #[arg(long, short, value_name = "FILE")]
    interface: Option<PathBuf>,
    /// Who uses the system
    #[arg(long, short, value_enum, default_value_t)]
    environment: Environment,
    /// How the trace is written down
    #[arg(long, value_enum)]
    format: Option<FormatChoice>,
    /// The unit of its times, if it does not say: `ns`, `us`, `ms`, `s`, or `units` for time units of the model
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
    /// Stop when following the model takes this much memory (512M, 4G); 2G without it, and never more than 3/4 of the machine's
    #[arg(long, value_name = "SIZE", value_parser = memory::parse)]
    memory: Option<u64>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatChoice {
    /// A record of `punctual test`
    Record,
    /// One JSON object on each line
    Jsonl,
    /// A table: time, signal, values; or steps
    Csv,
    /// The driver log of UPPAAL TRON
    TronLog,
    /// A value change dump
    Vcd,
}

impl Judge {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let mut loaded = load(&self.model, self.interface.as_deref(), self.environment.into())?;
        let guard = Guard::new(self.memory.unwrap_or_else(memory::followed), None);
        loaded.judges.grant(&guard.budget());
        let unit = match &self.unit {
            None => None,
            Some(text) => Some(Unit::named(text).ok_or_else(|| {
                Stop::Message(format!("`--unit {text}`: expected `ns`, `us`, `ms`, `s` or `units`"))
            })?),
        };
        let format = match self.format {
            None => FileFormat::Detect,
            Some(FormatChoice::Record) => FileFormat::Record,
            Some(FormatChoice::Jsonl) => FileFormat::Trace(Format::Jsonl),
            Some(FormatChoice::Csv) => FileFormat::Trace(Format::Csv),
            Some(FormatChoice::TronLog) => FileFormat::Trace(Format::TronLog),
            Some(FormatChoice::Vcd) => FileFormat::Trace(Format::Vcd),
        };
        progress::listen_to_the_user();
        let found = judge_file(&loaded.judges, &self.trace, format, unit, progress::stop());
        let found = found.map_err(|problem| progress::unless_stopped(problem.into()))?;
        let worst = found.iter().map(|it| it.verdict).max().unwrap_or(Verdict::Pass);
        let mut text = String::new();
        for (i, it) in found.iter().enumerate() {
            let which = match found.len() {
                1 => String::new(),
                _ => format!("trace {}: ", i + 1),
            };
            let why = match &it.diagnosis {
                None => match it.n_events() {
                    1 => "1 event".to_owned(),
                    n => format!("{n} events"),
                },
                Some(it) => it.explanation.clone(),
            };
            text.push_str(&format!("{}  {which}{why}\n", it.verdict.word()));
            if let Some(diagnosis) = &it.diagnosis {
                let unit_ns = loaded.judges.interface.time.unit_ns;
                text.push_str(&runs::details(diagnosis, unit_ns, input::run_style()));
            }
        }
        let code = code(Some(worst));
        if self.json {
            let digests = found.iter().enumerate().map(|(i, it)| {
                let name = format!("trace {}", i + 1);
                Digest::judged(&loaded.judges, Run { name, path: self.trace.clone() }, it)
            });
            text = view::json(&view::runs::Runs::of(&Summary::from_digests(digests.collect())));
        }
        progress::tell_of_memory(&guard.budget());
        print_or_end(&text, code)?;
        Ok(code)
    }
}
