//! `punctual replay`: a recorded run, judged again.

use std::path::PathBuf;

use clap::Args;
use punctual_campaign::load::beside;
use punctual_campaign::replay::record;
use punctual_campaign::store::{Run, Verdict};
use punctual_campaign::summary::Digest;
use punctual_report::view;

use crate::{FAIL, INCONCLUSIVE, PASS, REJECTED, Stop, print_or_end, progress};

/// Judges a recorded run again, with the files that lie beside its record.
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
        let reader = run.reader().map_err(|error| Stop::Message(error.to_string()))?;
        let mut judges =
            beside(&run, reader.header(), self.model.as_deref(), self.interface.as_deref())?;
        progress::listen_to_the_user();
        judges.grant(progress::budget());
        let found = record(&judges, reader, progress::stop());
        let found = found.map_err(|error| progress::unless_stopped(Stop::Message(error)))?;
        let code = code(Some(found.verdict));
        let text = match self.json {
            true => {
                let digest =
                    Digest::read(&run).map_err(|error| Stop::Message(error.to_string()))?;
                let digest = digest.rejudged(&judges, &found);
                view::json(&view::runs::Run::again(found.recorded, &digest))
            }
            false => {
                let why = found.diagnosis.as_ref().map(|it| it.explanation.clone());
                let why = why.unwrap_or_else(|| match found.n_events() {
                    1 => "1 event".to_owned(),
                    n => format!("{n} events"),
                });
                let note = match found.recorded {
                    Some(recorded) if recorded != found.verdict => {
                        format!("      the record says {}\n", recorded.word())
                    }
                    None => "      the record has no verdict\n".to_owned(),
                    Some(_) => String::new(),
                };
                format!("{}  {why}\n{note}", found.verdict.word())
            }
        };
        progress::tell_of_memory(progress::budget());
        print_or_end(&text, code)?;
        Ok(code)
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
