//! `punctual judge`: the verdict of a trace that was recorded before.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use punctual_campaign::replay::rejudge;
use punctual_campaign::store::Verdict;
use punctual_campaign::traces::{self, Format, Options, Unit};
use serde_json::json;

use crate::specification::{Environment, load};
use crate::{FAIL, INCONCLUSIVE, PASS, Stop, input, print_or_end};

/// Judges a recorded trace: was what the system did allowed, and at the right time?
///
/// Reads records of `punctual test`, lines of JSON, CSV, and driver logs of UPPAAL TRON; the content
/// tells which. The verdict is the one that a live test would have given.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual judge model.xml trace.csv\n  \
    punctual judge model.xml driver.log --format tron-log --json")]
pub(crate) struct Judge {
    /// The model
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
    /// A table: time, signal, values
    Csv,
    /// The driver log of UPPAAL TRON
    TronLog,
}

impl Judge {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let loaded = load(&self.model, self.interface.as_deref(), self.environment)?;
        let (name, bytes) = input::named_bytes(&self.trace)?;
        let format = self.format.map(|format| match format {
            FormatChoice::Record => Format::Record,
            FormatChoice::Jsonl => Format::Jsonl,
            FormatChoice::Csv => Format::Csv,
            FormatChoice::TronLog => Format::TronLog,
        });
        let unit = match &self.unit {
            None => None,
            Some(text) => Some(Unit::named(text).ok_or_else(|| {
                Stop::Message(format!("`--unit {text}`: expected `ns`, `us`, `ms`, `s` or `units`"))
            })?),
        };
        let interface = &loaded.specification.interface;
        let found = traces::read(&name, &bytes, interface, Options { format, unit })
            .map_err(|error| Stop::Message(error.to_string()))?;
        let mut worst = Verdict::Pass;
        let (mut text, mut listed) = (String::new(), Vec::new());
        let n_traces = found.len();
        for (i, trace) in found.iter().enumerate() {
            let (verdict, diagnosis, coverage) = rejudge(&loaded.specification, trace);
            worst = worst.max(verdict);
            let (covered, edges) = coverage.ratio(&loaded.specification.network);
            let word = match verdict {
                Verdict::Pass => "PASS",
                Verdict::Inconclusive => "INCONCLUSIVE",
                Verdict::Fail => "FAIL",
            };
            let which = if n_traces > 1 { format!("trace {}: ", i + 1) } else { String::new() };
            let why = match &diagnosis {
                None => format!("{} events", trace.events.len()),
                Some(it) => it.explanation.clone(),
            };
            text.push_str(&format!("{word}  {which}{why}\n"));
            for state in diagnosis.iter().flat_map(|it| &it.states).take(5) {
                let clocks = state.clocks.join(", ");
                text.push_str(&format!("      in {}; {clocks}\n", state.locations.join(", ")));
            }
            for edge in diagnosis.iter().flat_map(|it| &it.cut_off).take(5) {
                text.push_str(&format!(
                    "      not taken: {}.{} → {} ({}), {}\n",
                    edge.process, edge.source, edge.target, edge.label, edge.why
                ));
            }
            listed.push(json!({
                "verdict": verdict,
                "diagnosis": diagnosis,
                "events": trace.events.len(),
                "end_ns": trace.end_ns,
                "coverage": { "edges": covered, "of": edges },
            }));
        }
        let code = match worst {
            Verdict::Pass => PASS,
            Verdict::Inconclusive => INCONCLUSIVE,
            Verdict::Fail => FAIL,
        };
        if self.json {
            let value = json!({ "verdict": worst, "traces": listed });
            text = serde_json::to_string_pretty(&value)
                .map_err(|error| Stop::Message(format!("can not write JSON: {error}")))?;
            text.push('\n');
        }
        print_or_end(&text, code)?;
        Ok(code)
    }
}
