//! `punctual test --platform`: delays between the tester and the system.

use std::path::PathBuf;

use clap::Args;
use punctual_campaign::platform::{Mode, Mounting};
use punctual_campaign::prepare::Prepared;
use punctual_model::testing::suite::Body;

use crate::Stop;

/// Options for platforms.
#[derive(Args, Debug)]
#[command(next_help_heading = "Platforms")]
pub(crate) struct OnPlatform {
    /// What lies between the tester and a program that takes steps: sensors, actuators and their delays
    #[arg(long, value_name = "FILE")]
    platform: Option<PathBuf>,
    /// As the paper has it: send everything for the middle of its step, and bring responses back to the model's time
    #[arg(long, requires = "platform", conflicts_with_all = ["direct", "plan"])]
    scheduled: bool,
    /// Do not mind the delays: send inputs in the middle between two steps, and take responses as they come
    #[arg(long, requires = "platform", conflicts_with = "plan")]
    direct: bool,
    /// Run a case again until each of its steps has happened as intended, but no more often than this
    #[arg(long, value_name = "N", requires = "platform", conflicts_with_all = ["runs", "scheduled", "direct"], default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    tries: u64,
    /// Refuse to run if an input does not fit into a step
    #[arg(long, requires = "platform")]
    strict: bool,
    /// The delays of a platform that a played model is put on, if they are others than the tester thinks
    #[arg(long, value_name = "FILE", requires_all = ["platform", "play"])]
    simulate: Option<PathBuf>,
}

impl OnPlatform {
    /// The file, and how it is minded.
    pub(crate) fn wish(&self) -> Option<(PathBuf, Mounting)> {
        let path = self.platform.clone()?;
        let mode = match (self.direct, self.scheduled) {
            (true, _) => Mode::Direct,
            (_, true) => Mode::Scheduled,
            _ => Mode::Explained,
        };
        Some((path, Mounting { mode, simulated: self.simulate.clone(), tries: self.tries }))
    }

    /// Tells of inputs whose delays vary too much, before anything runs.
    pub(crate) fn warn(&self, prepared: &Prepared) -> Result<(), Stop> {
        let judges = &prepared.plan.judges;
        let mounted = judges.steps.as_ref().and_then(|steps| steps.mounted());
        let (Some(mounted), Some(suite)) = (mounted, &judges.suite) else { return Ok(()) };
        let steps = suite.cases.iter().map(|case| match &case.body {
            Body::Steps(table) => table.steps.len(),
            Body::Timed(_) => 0,
        });
        let n_events = steps.sum::<usize>() * mounted.platform.inputs.len();
        let narrow = mounted.narrow(n_events);
        for it in &narrow {
            let (ms, percent) = (it.by_ns / 1e6, 100.0 * it.misses);
            eprintln!(
                "warning: `{}` does not fit into a step: its delay varies by {ms:.0} ms too much for a risk of {}; sent for the middle, it misses its step with {percent:.2} %",
                it.name, mounted.platform.risk
            );
        }
        match self.strict && !narrow.is_empty() {
            false => Ok(()),
            true => Err(Stop::Message(format!(
                "{} of {} inputs do not fit into a step, and `--strict` refuses that",
                narrow.len(),
                mounted.platform.inputs.len()
            ))),
        }
    }
}
