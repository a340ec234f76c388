//! `punctual test --platform`: delays between the tester and the system.

use std::fmt::Write as _;
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
    #[arg(long, requires = "platform", conflicts_with = "direct")]
    scheduled: bool,
    /// Do not mind the delays: send inputs in the middle between two steps, and take responses as they come
    #[arg(long, requires = "platform")]
    direct: bool,
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
        Some((path, Mounting { mode, simulated: self.simulate.clone() }))
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

/// How much of all cases happened as they intend, in one run at least, in sentences; nothing where that is not known.
pub(crate) fn exercised(runs: &[(String, Vec<f64>)]) -> String {
    const SURE: f64 = 0.99;
    // For each case, in the order of the suite, the probability that no run was as intended, step by step.
    let mut cases: Vec<(&str, Vec<f64>)> = Vec::new();
    for (case, steps) in runs {
        match cases.iter_mut().find(|(name, _)| name == case) {
            Some((_, missed)) => missed.iter_mut().zip(steps).for_each(|(it, p)| *it *= 1.0 - p),
            None => cases.push((case, steps.iter().map(|p| 1.0 - p).collect())),
        }
    }
    let all = || cases.iter().flat_map(|(_, missed)| missed);
    let n = all().count();
    if n == 0 {
        return String::new();
    }
    let sure = all().filter(|it| 1.0 - **it >= SURE).count();
    let mut text = format!(
        "      {sure} of {n} steps happened as intended with a probability of {SURE} or more\n"
    );
    for (case, missed) in &cases {
        let missed: Vec<String> = (missed.iter().enumerate())
            .filter(|(_, it)| 1.0 - **it < SURE)
            .map(|(step, it)| format!("{step} ({:.2})", 1.0 - it))
            .collect();
        if !missed.is_empty() {
            let _ = writeln!(text, "        `{case}`: not step {}", missed.join(", "));
        }
    }
    text
}
