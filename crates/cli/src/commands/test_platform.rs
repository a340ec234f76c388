//! `punctual test --platform`: delays between the tester and the system.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use punctual_campaign::platform::{Between, Mode, Mounting};
use punctual_campaign::prepare::Prepared;
use punctual_model::testing::suite::Body;
use punctual_testgen::lustre::Criterion;

use crate::Stop;

/// Options for platforms.
#[derive(Args, Debug)]
#[command(next_help_heading = "Platforms")]
pub(crate) struct OnPlatform {
    /// What lies between the tester and a program that takes steps: sensors, actuators and their delays. `[platform]` in `punctual.toml` beside the model if not said
    #[arg(long, value_name = "FILE")]
    platform: Option<PathBuf>,
    /// Nothing lies between, whatever `punctual.toml` says
    #[arg(long, conflicts_with_all = ["platform", "scheduled", "direct", "tries", "strict", "simulate", "objectives"])]
    no_platform: bool,
    /// As the paper has it: send everything for the middle of its step, and bring responses back to the model's time
    #[arg(long, conflicts_with_all = ["direct", "plan"])]
    scheduled: bool,
    /// Do not mind the delays: send inputs in the middle between two steps, and take responses as they come
    #[arg(long, conflicts_with = "plan")]
    direct: bool,
    /// Run a case again until each of its steps has happened as intended, but no more often than this
    #[arg(long, value_name = "N", conflicts_with_all = ["runs", "scheduled", "direct"], default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    tries: u64,
    /// With `--tries`: make each run to its end, also when the steps that are still needed have become unlikely
    #[arg(long, requires = "tries")]
    no_early: bool,
    /// Refuse to run if an input does not fit into a step
    #[arg(long)]
    strict: bool,
    /// The delays of a platform that a played model is put on, if they are others than the tester thinks
    #[arg(long, value_name = "FILE", requires = "play")]
    simulate: Option<PathBuf>,
    /// What of the model is to be exercised: how probable it is that each of these happened, and by which cases, is told in the end
    #[arg(long, value_enum, value_name = "CRITERION", default_value_t, conflicts_with = "plan")]
    objectives: Objectives,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Objectives {
    /// Each branch of each conditional
    #[default]
    Branch,
    /// Each atomic condition, true and false
    Condition,
    /// The same, where the condition alone decides
    Mcdc,
    /// Nothing of that
    None,
}

impl OnPlatform {
    /// What lies between.
    pub(crate) fn between(&self) -> Between {
        match (&self.platform, self.no_platform) {
            (Some(path), _) => Between::File(path.clone()),
            (None, true) => Between::Nothing,
            (None, false) => Between::Configured,
        }
    }

    /// How delays are minded.
    pub(crate) fn mounting(&self) -> Mounting {
        let mode = match (self.direct, self.scheduled) {
            (true, _) => Mode::Direct,
            (_, true) => Mode::Scheduled,
            _ => Mode::Explained,
        };
        let objectives = match self.objectives {
            Objectives::Branch => Some(Criterion::Branch),
            Objectives::Condition => Some(Criterion::Condition),
            Objectives::Mcdc => Some(Criterion::Mcdc),
            Objectives::None => None,
        };
        Mounting {
            mode,
            simulated: self.simulate.clone(),
            tries: self.tries,
            stays: self.no_early,
            objectives,
        }
    }

    /// Options for platforms are of no use without one.
    fn is_not_for_others(&self) -> Result<(), Stop> {
        let said = [
            ("--scheduled", self.scheduled),
            ("--direct", self.direct),
            ("--tries", self.tries > 1),
            ("--strict", self.strict),
            ("--simulate", self.simulate.is_some()),
        ];
        match said.iter().find(|(_, is_said)| *is_said) {
            None => Ok(()),
            Some((option, _)) => Err(Stop::Message(format!(
                "`{option}` is for platforms: name one with `--platform FILE`, or write `[platform]` into the `punctual.toml` beside a synchronous model"
            ))),
        }
    }

    /// Tells of inputs whose delays vary too much, before anything runs.
    pub(crate) fn warn(&self, prepared: &Prepared) -> Result<(), Stop> {
        let judges = &prepared.plan.judges;
        let mounted = judges.steps.as_ref().and_then(|steps| steps.mounted());
        let (Some(mounted), Some(suite)) = (mounted, &judges.suite) else {
            return self.is_not_for_others();
        };
        let (grouping_ns, step_ns) = (mounted.platform.grouping_ns, mounted.platform.step_ns);
        if grouping_ns > step_ns / 2 {
            tell!(
                "warning: `grouping` is longer than half a step: values are sent up to {} ms too early, and may be read by the step before theirs",
                grouping_ns / 1_000_000
            );
        }
        let steps = suite.cases.iter().map(|case| match &case.body {
            Body::Steps(table) => table.steps.len(),
            Body::Timed(_) => 0,
        });
        let n_events = steps.sum::<usize>() * mounted.platform.inputs.len();
        let narrow = mounted.narrow(n_events);
        for it in &narrow {
            let (ms, percent) = (it.by_ns / 1e6, 100.0 * it.misses);
            tell!(
                "warning: `{}` does not fit into a step: its delay varies by {ms:.0} ms too much for a risk of {}; sent for the middle, it misses its step with {percent:.2} %",
                it.name,
                mounted.platform.risk
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
