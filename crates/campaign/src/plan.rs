//! What is tested, and how.

use std::sync::Arc;

use punctual_exec::online::{Budget, Options};
use punctual_exec::{Limits, SutError, Timekeeping};
use punctual_lang::testing::{self, UnderTest};
use punctual_model::testing::suite::Table;
use punctual_model::{Interface, Network, PortId, lustre::Program};
use punctual_semantics::program::Chance;
use punctual_smc::Stream;
use punctual_testgen::{
    Acting, Aims, Alongside, Guided, Lessons, Random, RandomOptions, Script, Scripts, Strategy,
};

use crate::connect;
use crate::judges::Judges;
use crate::platform::Mounted;

/// A test that can be run.
pub struct Plan {
    /// Who judges.
    pub judges: Judges,
    /// Where the system is.
    pub system: System,
    /// How inputs are chosen.
    pub choice: Choice,
    /// Steps that are taken at a period while inputs are chosen; empty if there are none.
    pub steps: Table,
    /// The ports that are read after each input and step.
    pub reads: Vec<PortId>,
    /// What all chance comes from.
    pub seed: u64,
    /// Which clock tells the time.
    pub timekeeping: Timekeeping,
    /// What ends a run.
    pub budget: Budget,
    /// How far ahead inputs are planned, in points of the grid.
    pub horizon: i64,
    /// On the real clock: how late the tester may look and still blame the system.
    pub lateness_ns: u64,
    /// On the real clock: how often a run is made again of which nothing can be said because the machine was late.
    pub retries: u32,
    /// How long to wait for a system.
    pub limits: Limits,
}

/// A system, and what reaching it needs.
pub struct System {
    /// Where it is and how it is started; paths are relative to where the tester runs.
    pub reach: testing::System,
    /// The network that is played, if one is.
    pub played: Option<Network>,
    /// The synchronous program that is played, if one is.
    pub stepped: Option<Program>,
    /// A program that hosts a shared library, so that a library that crashes or exits does not end the
    /// tester. Inside of the tester if not said.
    pub library_host: Option<Vec<String>>,
    /// Where the clock service of UPPAAL TRON listens, on the virtual clock.
    pub tron_clock: Option<String>,
}

impl System {
    /// A system that is reached without anything special.
    #[must_use]
    pub fn new(reach: testing::System) -> System {
        System { reach, played: None, stepped: None, library_host: None, tron_clock: None }
    }
}

/// How inputs are chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// By chance.
    Random(RandomOptions),
    /// By chance, towards what was not covered yet.
    Guided,
    /// As written down before.
    Script(Scripts),
    /// As the cases of the suite say, one after the other.
    Suite,
}

/// What guided choice goes by, beside the situation of its run.
#[derive(Clone, Copy, Default)]
pub struct Guide<'p> {
    /// The model to aim through, if there is one.
    pub aims: Option<&'p Aims<'p>>,
    /// What earlier runs have taught, if there were any.
    pub lessons: Option<&'p Lessons>,
}

impl Plan {
    /// Reaches the system, for one run after the other.
    ///
    /// # Errors
    /// If that can not work.
    pub fn connect(&self, run: u64) -> Result<Box<dyn punctual_exec::Sut>, SutError> {
        connect::connect(self, run)
    }

    /// How many cases the suite has; none without a suite.
    #[must_use]
    pub fn n_cases(&self) -> usize {
        self.judges.suite.as_ref().map_or(0, |suite| suite.cases.len())
    }

    /// The platform between the tester and the system, if there is one.
    #[must_use]
    pub fn mounted(&self) -> Option<&Mounted> {
        self.judges.steps.as_ref().and_then(|steps| steps.mounted())
    }

    /// Whether what the system does is drawn from the number of the run: a model is played, or a platform simulated.
    pub(crate) fn draws(&self) -> bool {
        let steps = self.judges.steps.as_ref();
        let is_mounted = steps.is_some_and(|steps| steps.mounted().is_some());
        self.system.played.is_some() || (is_mounted && self.system.stepped.is_some())
    }

    /// What is exchanged with the system.
    pub(crate) fn interface(&self) -> Arc<Interface> {
        Arc::new(self.judges.interface.clone())
    }

    /// The model as guided choice needs it. None if inputs are chosen otherwise, or it can not be aimed through.
    #[must_use]
    pub fn aims(&self) -> Option<Aims<'_>> {
        match self.choice {
            Choice::Guided => Aims::new(self.judges.specification.as_ref()?),
            Choice::Random(_) | Choice::Script(_) | Choice::Suite => None,
        }
    }

    /// Who chooses the inputs of a run. Guided choice aims through a model and knows what earlier runs have taught.
    #[must_use]
    pub fn strategy<'p>(&'p self, run: u64, guide: Guide<'p>) -> Box<dyn Strategy + 'p> {
        let inner: Box<dyn Strategy + 'p> = match &self.choice {
            Choice::Random(options) => Box::new(Random::new(self.seed, run, *options)),
            Choice::Guided => {
                let lessons = guide.lessons.cloned().unwrap_or_default();
                let guided = Guided::new(self.seed, run).after(lessons);
                Box::new(match guide.aims {
                    Some(aims) => guided.aiming(aims),
                    None => guided,
                })
            }
            Choice::Script(scripts) => {
                let scripts = Box::new(scripts.clone());
                return match self.reads.is_empty() {
                    true => scripts,
                    // Steps that a script has are its own.
                    false => {
                        Box::new(Alongside::new(scripts, Table::default(), self.reads.clone()))
                    }
                };
            }
            Choice::Suite => match self.judges.case(run) {
                Some(case) => {
                    let steps = self.judges.steps.as_ref();
                    let mounted = steps.and_then(|it| Some((it.machine(), it.mounted()?)));
                    if let Some((machine, mounted)) = mounted
                        && let Some(strategy) =
                            mounted.strategy(machine, case, run / self.n_cases().max(1) as u64)
                    {
                        return strategy;
                    }
                    let acting = Acting::new(case.clone()).begun_at(self.phase_ns(run));
                    let acting = acting.with_margin(self.margin_ns());
                    return Box::new(acting.with_drift(self.judges.interface.uncertainty));
                }
                None => Box::new(Script::new(Vec::new(), 0)),
            },
        };
        match self.steps.steps.is_empty() && self.reads.is_empty() {
            true => inner,
            false => Box::new(Alongside::new(inner, self.steps.clone(), self.reads.clone())),
        }
    }

    /// How long the tester waits before a case: a random time below the phase of the suite.
    fn phase_ns(&self, run: u64) -> u64 {
        let phase_ns = self.judges.suite.as_ref().and_then(|suite| suite.phase_ns);
        let Some(phase_ns) = phase_ns else { return 0 };
        // Chance of its own: where a case begins says nothing about other choices.
        let mut chance = Stream::of_run(self.seed ^ 0xA5A5_5A5A_0F0F_F0F0, run);
        ((u128::from(chance.bits()) * u128::from(phase_ns)) >> 64) as u64
    }

    /// How long after its window an output is waited for.
    fn margin_ns(&self) -> u64 {
        let Interface { uncertainty, time, .. } = self.judges.interface;
        // What arrived last may not have been looked at, and inputs take time to hand over.
        let slack_ns = match self.timekeeping {
            Timekeeping::Real => self.lateness_ns.saturating_mul(2),
            Timekeeping::Virtual => 0,
        };
        // One unit more: an output that comes at the last instant is in time.
        let parts = [uncertainty.input_ns.1, uncertainty.output_ns.1, slack_ns, time.unit_ns];
        parts.into_iter().fold(0, u64::saturating_add)
    }

    /// How a run is made.
    #[must_use]
    pub fn options(&self, windows: bool) -> Options {
        Options {
            budget: self.budget,
            horizon: self.horizon,
            lateness_ns: self.lateness_ns,
            update_ns: punctual_exec::online::UPDATE_NS,
            windows,
            time: self.judges.interface.time,
        }
    }

    /// Whether several runs can be made at once: each has a system of its own, and time does not
    /// matter.
    #[must_use]
    pub fn is_parallel(&self) -> bool {
        let under_test = &self.system.reach.under_test;
        let is_ours = matches!(under_test, UnderTest::Command(_) | UnderTest::Model { .. });
        self.timekeeping == Timekeeping::Virtual && is_ours
    }
}
