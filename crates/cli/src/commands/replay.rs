//! `punctual replay`: a recorded run, judged again or executed again.

use std::path::PathBuf;

use clap::Args;
use punctual_campaign::replay::{rejudge, trace};
use punctual_campaign::store::{File, Record, Run, Verdict};
use serde_json::json;

use crate::specification::{Environment, Loaded, load};
use crate::{FAIL, INCONCLUSIVE, PASS, REJECTED, Stop, print_or_end};

/// Judges a recorded run again, with the model that lies beside its record.
///
/// With `--model` another model judges it: what would have been the verdict then? Says so if the
/// verdict is not the recorded one. To send the same inputs to the system again, give the record to
/// `punctual test MODEL --script runs/0042/record.jsonl`.
#[derive(Args)]
#[command(after_help = "Examples:\n  punctual replay runs/0042\n  \
    punctual replay runs/0042 --model stricter.xml")]
pub(crate) struct Replay {
    /// The folder of the run, or its `record.jsonl`
    run: PathBuf,
    /// Another model to judge by
    #[arg(long, value_name = "MODEL")]
    model: Option<PathBuf>,
    /// Another interface file
    #[arg(long, short, value_name = "FILE")]
    interface: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

impl Replay {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let run = Run::at(&self.run);
        let record = run.record().map_err(|error| Stop::Message(error.to_string()))?;
        let loaded = self.load(&run, &record)?;
        let trace = trace(&loaded.specification, &record).map_err(Stop::Message)?;
        let (verdict, diagnosis, _) = rejudge(&loaded.specification, &trace);
        let recorded = record.end.as_ref().map(|end| end.verdict);
        let code = match verdict {
            Verdict::Pass => PASS,
            Verdict::Inconclusive => INCONCLUSIVE,
            Verdict::Fail => FAIL,
        };
        let text = match self.json {
            true => {
                let value = json!({
                    "run": run.name,
                    "verdict": verdict,
                    "recorded": recorded,
                    "diagnosis": diagnosis,
                    "seed": record.header.seed,
                });
                let text = serde_json::to_string_pretty(&value)
                    .map_err(|error| Stop::Message(format!("can not write JSON: {error}")))?;
                format!("{text}\n")
            }
            false => {
                let word = word(verdict);
                let why = diagnosis.as_ref().map(|it| it.explanation.clone());
                let why = why.unwrap_or_else(|| format!("{} events", trace.events.len()));
                let note = match recorded {
                    Some(recorded) if recorded != verdict => {
                        format!("      the record says {}\n", self::word(recorded))
                    }
                    None => "      the record has no verdict\n".to_owned(),
                    Some(_) => String::new(),
                };
                format!("{word}  {why}\n{note}")
            }
        };
        print_or_end(&text, code)?;
        Ok(code)
    }

    /// The model and the interface that the run was given, or others.
    fn load(&self, run: &Run, record: &Record) -> Result<Loaded, Stop> {
        let copy = |file: &File| {
            run.file_path(file).filter(|path| path.is_file()).ok_or_else(|| {
                Stop::Message(format!("`{}` does not lie beside the record any more", file.file))
            })
        };
        let model = match &self.model {
            Some(model) => model.clone(),
            None => copy(&record.header.model)?,
        };
        let interface = match (&self.interface, record.header.files.first()) {
            (Some(interface), _) => interface.clone(),
            (None, Some(file)) => copy(file)?,
            (None, None) => {
                return Err(Stop::Message("the record names no interface file".to_owned()));
            }
        };
        let environment = record.header.strategy.get("environment").and_then(|it| it.as_str());
        let environment = match environment {
            Some("universal") => Environment::Universal,
            Some("silent") => Environment::Silent,
            _ => Environment::Model,
        };
        load(&model, Some(&interface), environment)
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "PASS",
        Verdict::Inconclusive => "INCONCLUSIVE",
        Verdict::Fail => "FAIL",
    }
}

/// What the exit code of a verdict is; for a run without one, that of a rejected input.
pub(crate) fn code(verdict: Option<Verdict>) -> u8 {
    match verdict {
        Some(Verdict::Pass) => PASS,
        Some(Verdict::Inconclusive) => INCONCLUSIVE,
        Some(Verdict::Fail) => FAIL,
        None => REJECTED,
    }
}
