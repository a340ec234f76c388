//! `punctual judge`: the verdict of a trace that was recorded before.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use punctual_campaign::load::load;
use punctual_campaign::replay::{FileFormat, file as judge_file};
use punctual_campaign::store::{Run, Verdict};
use punctual_campaign::summary::{Digest, Summary};
use punctual_lang::traces::{Format, Unit};
use punctual_report::view;

use super::replay::code;
use crate::specification::Environment;
use crate::{Stop, print_or_end, progress};

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
        loaded.judges.grant(progress::budget());
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
        let found = judge_file(&loaded.judges, &self.trace, format, unit, progress::stop())?;
        let worst = found.iter().map(|it| it.verdict).max().unwrap_or(Verdict::Pass);
        let mut text = String::new();
        for (i, it) in found.iter().enumerate() {
            let which = match found.len() {
                1 => String::new(),
                _ => format!("trace {}: ", i + 1),
            };
            let why = match &it.diagnosis {
                None => format!("{} events", it.n_events()),
                Some(it) => it.explanation.clone(),
            };
            text.push_str(&format!("{}  {which}{why}\n", it.verdict.word()));
            for state in it.diagnosis.iter().flat_map(|it| &it.states).take(5) {
                let mut parts = vec![state.locations.join(", ")];
                parts.extend((!state.clocks.is_empty()).then(|| state.clocks.join(", ")));
                text.push_str(&format!("      in {}\n", parts.join("; ")));
            }
            for edge in it.diagnosis.iter().flat_map(|it| &it.cut_off).take(5) {
                text.push_str(&format!(
                    "      not taken: {}.{} → {} ({}), {}\n",
                    edge.process, edge.source, edge.target, edge.label, edge.why
                ));
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
        print_or_end(&text, code)?;
        Ok(code)
    }
}
