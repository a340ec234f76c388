//! A suite of steps on a platform: who schedules, who judges, and a platform that is simulated.
//!
//! [`mount`] puts a platform between the tester and the system of what was loaded. From then on the tester exchanges monitored
//! and controlled variables instead of inputs and outputs of steps.

pub mod calibrate;
pub mod evidence;
mod mounting;
pub mod objectives;
mod overtaken;
pub mod plan;
mod sweep;
mod visible;

use std::path::Path;
use std::sync::Arc;

use punctual_exec::platform::{Hosted, Settings, Simulated};
use punctual_exec::{InProcess, Limits, PlayedProgram, Sut, SutError, Timekeeping};
use punctual_lang::{Input, platform, testing};
use punctual_model::lustre::Program;
use punctual_model::testing::platform::{Delay, Line, Outside, Platform};
use punctual_model::testing::suite::{Body, Case, Table};
use punctual_model::{PortRole, TimeScale, VarId};
use punctual_oracle::adjusted::{Adjusted, streams};
use punctual_oracle::arrivals::{Arrivals, Grounds};
use punctual_oracle::deadlines::Deadlines;
use punctual_oracle::excuses::Excuse;
use punctual_oracle::synchronous::Streams;
use punctual_oracle::{All, Oracle};
use punctual_semantics::lustre::Machine;
use punctual_semantics::platform::{Drift, Steps, Timetable};
use punctual_smc::delays;
use punctual_testgen::Strategy;
use punctual_testgen::lustre::Criterion;
use punctual_testgen::platform::{Aimed, Aims, Extent, Impossible, Interactions, LEAD, Scheduled};

use crate::load::{Environment, Loaded, Read, load};
use crate::problem::{Problem, bytes};
use evidence::Evidence;
pub use mounting::{Between, Mode, Mounting, ROLE};
pub(crate) use mounting::{MODE, TRIES};

/// A platform between a tester and a system.
pub struct Mounted {
    /// What the tester takes it for.
    pub platform: Arc<Platform>,
    /// What the file says: it has delays also where they are not minded.
    pub told: Arc<Platform>,
    /// What is exchanged with it.
    pub outside: Arc<Outside>,
    /// How delays are minded.
    pub mode: Mode,
    /// How many values are sent and seen in the whole suite, if each variable has one in each step.
    pub n_events: usize,
    /// How often a case is run at most.
    pub tries: u64,
    /// Whether runs are made to their ends also when the steps that are still needed have become unlikely.
    pub stays: bool,
    /// What of the model is to be exercised, if that is of interest.
    pub objectives: Option<Criterion>,
    /// What a played model is put on.
    truth: Arc<Platform>,
    /// How its outputs are tied to those of the program.
    pub(crate) streams: Streams,
}

/// What should be known before anything runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Narrow {
    /// The variable outside.
    pub name: String,
    /// How much longer its window would have to be, in nanoseconds.
    pub by_ns: f64,
    /// The probability that a value does not arrive in its step, if it is sent for the middle.
    pub misses: f64,
}

/// Puts a platform between the tester and the system.
///
/// # Errors
/// If the file is wrong, there is no synchronous model or no suite of steps, or the platform can not have an interaction of a case.
pub fn mount(loaded: &mut Loaded, path: &Path, mounting: &Mounting) -> Result<(), Problem> {
    let message = |text: String| Problem::Message(text);
    let Some(steps) = &loaded.judges.steps else {
        return Err(message("`--platform` is for synchronous models (`.lus`): a platform has a program that takes steps".to_owned()));
    };
    let program = steps.program().clone();
    let time = loaded.judges.interface.time;
    let (told, content) = read(&program, path)?;
    let truth = match &mounting.simulated {
        // What is simulated tells all that it is asked for.
        Some(path) => Platform {
            arrived: told.arrived.clone(),
            signal: told.signal.clone(),
            ..read(&program, path)?.0
        },
        None => told.clone(),
    };
    let by_file = Arc::new(told.clone());
    let told = if mounting.mode == Mode::Direct { without_delays(told) } else { told };
    if told.signal.is_none() && Steps::new(&by_file, 0.0).is_none() {
        return Err(message(format!(
            "`{}` names no `signal` that tells when a step is done. Without one steps are told from outputs, and those are sent only when they are new and vary by more than a tenth of a step",
            path.display()
        )));
    }
    if told.signal.is_none() && mounting.mode == Mode::Direct {
        return Err(message(format!(
            "`{}` names no `signal` that tells when a step is done. Without one steps are told from outputs and their delays, and `--direct` does not mind these",
            path.display()
        )));
    }
    let outside = outside(&program, &told, time);
    if self::outside(&program, &truth, time).interface != outside.interface {
        return Err(message(
            "the simulated platform has other variables than `--platform` says".to_owned(),
        ));
    }
    let Some(suite) = &loaded.judges.suite else {
        return Err(message(
            "a platform needs a suite of steps: name a table of inputs, or a suite".to_owned(),
        ));
    };
    let mut n_steps = 0;
    for case in &suite.cases {
        interactions(&program, &told, &outside, case).map_err(message)?;
        // Steps before and after a case are explained, too.
        let watched = if told.signal.is_none() { 16 } else { 0 };
        let around = 8 + watched + (told.longest() / told.step_ns as f64).ceil() as usize;
        n_steps += around + table(case).map_or(0, |table| table.steps.len());
    }
    let mounted = Mounted {
        mode: mounting.mode,
        tries: mounting.tries.max(1),
        stays: mounting.stays,
        objectives: mounting.objectives,
        n_events: usize::try_from(mounting.tries.max(1))
            .unwrap_or(usize::MAX)
            .saturating_mul(n_steps * (told.inputs.len() + told.outputs.len())),
        streams: streams(&program, &told),
        platform: Arc::new(told),
        told: by_file,
        truth: Arc::new(truth),
        outside: Arc::new(outside),
    };
    loaded.judges.interface = mounted.outside.interface.clone();
    if let Some(steps) = &mut loaded.judges.steps {
        steps.mount(mounted);
    }
    // The interface file is kept as such.
    if !loaded.files.iter().any(|it| it.path == path) {
        loaded.files.push(Read { role: ROLE, path: path.to_owned(), bytes: content });
    }
    Ok(())
}

fn read(program: &Program, path: &Path) -> Result<(Platform, Vec<u8>), Problem> {
    let content = bytes(path)?;
    let name = path.display().to_string();
    let reading = platform::read(program, Input { name: &name, bytes: &content });
    match reading.value {
        Some(platform) => Ok((platform, content)),
        None => Err(Problem::File(reading.file, reading.diagnostics)),
    }
}

/// A program on a simulated platform; `model` says what its variables are.
fn simulated(
    (played, model): (&Program, &Program),
    (platform, outside): (Arc<Platform>, Arc<Outside>),
    limits: Limits,
    settings: Settings,
) -> Result<Simulated<PlayedProgram>, SutError> {
    let interface = Arc::new(testing::interface_of(model, outside.interface.time));
    // The platform says when the program takes steps.
    let controller = PlayedProgram::new(played, interface, Timekeeping::Virtual, limits)?;
    Ok(Simulated::new(controller, model, (platform, outside), settings))
}

/// A platform with a program on it, which a tester reaches from outside.
///
/// # Errors
/// If a file is wrong, or the program can not be played.
pub fn hosted(
    model: &Path,
    path: &Path,
    settings: Settings,
) -> Result<Hosted<PlayedProgram>, Problem> {
    let loaded = load(model, None, Environment::Model)?;
    let Some(steps) = &loaded.judges.steps else {
        return Err(Problem::Message(
            "a platform has a program that takes steps: a synchronous model (`.lus`)".to_owned(),
        ));
    };
    let program = steps.program();
    let (platform, _) = read(program, path)?;
    let outside = outside(program, &platform, loaded.judges.interface.time);
    let interface = Arc::new(outside.interface.clone());
    let both = (Arc::new(platform), Arc::new(outside));
    let simulated = simulated((program, program), both, Limits::default(), settings)
        .map_err(|error| Problem::Message(error.to_string()))?;
    Ok(Hosted::new(simulated, interface))
}

/// A platform whose delays are not minded.
#[must_use]
pub fn without_delays(mut platform: Platform) -> Platform {
    for line in platform.inputs.iter_mut().chain(&mut platform.outputs) {
        line.delay = Delay::NONE;
    }
    platform
}

/// What the tester of a platform exchanges with it.
#[must_use]
pub fn outside(program: &Program, platform: &Platform, time: TimeScale) -> Outside {
    platform.outside(|var| testing::port_of(program, var, PortRole::Observed).ty, time)
}

/// The interactions of a case, as they are set outside; a sentence if the platform can not have one of them.
///
/// # Errors
/// If the platform can not have an interaction.
pub fn interactions(
    program: &Program,
    platform: &Platform,
    outside: &Outside,
    case: &Case,
) -> Result<Interactions, String> {
    let Some(table) = table(case) else {
        return Err(format!("the case `{}` has no steps: a platform needs a table", case.name));
    };
    let inputs: Vec<VarId> = program.inputs().collect();
    let made = Interactions::new(platform, outside, &inputs, table);
    let name = |line: usize| &program.vars[platform.inputs[line].variable].name;
    made.map_err(|why| match why {
        Impossible::NoValue(step, line) => format!(
            "step {step} of the case `{}`: nothing outside stands for the value of `{}`",
            case.name,
            name(line)
        ),
        Impossible::Contradiction(step, [one, other]) => format!(
            "step {step} of the case `{}`: `{}` feeds `{}` and `{}`, which should have different values",
            case.name,
            platform.inputs[other].outside,
            name(one),
            name(other)
        ),
    })
}

/// The steps of a case, if it has some.
pub(crate) fn table(case: &Case) -> Option<&Table> {
    match &case.body {
        Body::Steps(table) => Some(table),
        Body::Timed(_) => None,
    }
}

impl Mounted {
    /// Who sends the interactions of a case, when it is run for the n-th time, from 0.
    pub(crate) fn strategy(
        &self,
        machine: &Machine,
        case: &Case,
        number: u64,
    ) -> Option<Box<dyn Strategy>> {
        let (platform, outside) = (Arc::clone(&self.platform), Arc::clone(&self.outside));
        if self.mode == Mode::Explained {
            let extent = Extent::of_try(number);
            let aims = Aims::new(machine, &platform, &outside, table(case)?, extent).ok()?;
            return Some(Box::new(Aimed::new(platform, outside, aims, self.patience_ns())));
        }
        let made = interactions(machine.program(), &platform, &outside, case).ok()?;
        Some(Box::new(Scheduled::new(platform, outside, made, self.patience_ns())))
    }

    /// Who judges a case.
    pub(crate) fn oracle<'j>(
        &'j self,
        machine: &'j Machine,
        table: &'j Table,
    ) -> Box<dyn Oracle + 'j> {
        let (platform, outside) = (&*self.platform, &*self.outside);
        let judge: Box<dyn Oracle + 'j> = match self.mode {
            Mode::Explained => Box::new(Arrivals::new(Grounds {
                machine,
                platform,
                outside,
                table,
                n_events: self.n_events,
                lead: LEAD * platform.step_ns as f64,
                limits: Default::default(),
            })),
            Mode::Scheduled | Mode::Direct => {
                Box::new(Adjusted::new((machine, &self.streams), (platform, outside), table))
            }
        };
        match platform.requirements.is_empty() {
            true => judge,
            false => Box::new(All(vec![judge, Box::new(Deadlines::new(platform, outside))])),
        }
    }

    /// Plans when interactions are due, as those do who send and who judge. No step is done yet.
    #[must_use]
    pub fn timetable(&self) -> Timetable {
        let step = self.platform.step_ns as f64;
        let lead = if self.mode == Mode::Explained { LEAD * step } else { 0.0 };
        Timetable::of(&self.platform, lead)
    }

    /// How many steps the program takes before the first interaction, if it begins at once.
    #[must_use]
    pub fn n_before(&self) -> usize {
        let mut timetable = self.timetable();
        timetable.stepped(self.platform.step_ns);
        timetable.planned(0).map_or(1, |it| it.step)
    }

    /// The probability that a delay is shorter than its bounds; that it is longer is as probable.
    #[must_use]
    pub fn risk_of_bound(&self) -> f64 {
        self.platform.risk_of_event(self.n_events) / 2.0
    }

    /// Between which the delay of a line lies, in nanoseconds, but for [`risk_of_bound`](Mounted::risk_of_bound) on either side. When a sensor looks next is
    /// not known.
    #[must_use]
    pub fn bounds(&self, line: &Line) -> (f64, f64) {
        let (low, high) = delays::bounds(&line.delay, self.risk_of_bound(), self.platform.pulses);
        (low, high + line.sampling_ns.unwrap_or(0) as f64)
    }

    /// How long after the last interaction responses may come.
    pub(crate) fn patience_ns(&self) -> u64 {
        let drift = Drift::of(&self.platform);
        let longest = |line: &Line| {
            // A delay that the oracle still allows has to be waited for.
            let (_, most) = self.bounds(line);
            let most = most.max(line.delay.mean() + 6.0 * line.delay.deviation());
            let doubt = drift.as_ref().map_or(0.0, |it| it.doubt_of_output(&line.delay));
            most + doubt + (self.platform.growth() - 1.0) * line.delay.mean()
        };
        let outputs = self.platform.outputs.iter().map(longest).fold(0.0, f64::max);
        let software = self.platform.software.mean() + 6.0 * self.platform.software.deviation();
        (outputs + software).ceil() as u64
    }

    /// A played program on the simulated platform.
    pub(crate) fn simulated(
        &self,
        played: &Program,
        model: &Program,
        timekeeping: Timekeeping,
        limits: Limits,
        seed: u64,
    ) -> Result<Box<dyn Sut>, SutError> {
        let interface = Arc::new(self.outside.interface.clone());
        let both = (Arc::clone(&self.truth), Arc::clone(&self.outside));
        let settings = Settings { seed, jitter_ns: 0 };
        let simulated = simulated((played, model), both, limits.clone(), settings)?;
        Ok(match timekeeping {
            Timekeeping::Virtual => Box::new(simulated),
            Timekeeping::Real => {
                let hosted = Box::new(Hosted::new(simulated, Arc::clone(&interface)));
                Box::new(InProcess::new(hosted, interface, timekeeping, limits))
            }
        })
    }

    /// The excuses that were used too often in all runs together.
    #[must_use]
    pub fn worn(&self, evidence: &Evidence) -> Vec<Excuse> {
        evidence.worn(self.platform.inputs.len(), self.platform.risk_of_excuses())
    }

    /// The inputs that do not fit into a step with the risk that is allowed, when so many events are sent in all.
    #[must_use]
    pub fn narrow(&self, n_events: usize) -> Vec<Narrow> {
        let alpha = self.platform.risk / n_events.max(1) as f64;
        let step = self.platform.step_ns as f64;
        let mut found = Vec::new();
        for line in &self.platform.inputs {
            let low = delays::quantile(&line.delay, alpha / 2.0);
            let high = delays::quantile(&line.delay, 1.0 - alpha / 2.0);
            if high - low > step {
                let mean = line.delay.mean();
                let inside = delays::below(&line.delay, mean + step / 2.0)
                    - delays::below(&line.delay, mean - step / 2.0);
                let name = line.outside.clone();
                found.push(Narrow { name, by_ns: high - low - step, misses: 1.0 - inside });
            }
        }
        found
    }
}
