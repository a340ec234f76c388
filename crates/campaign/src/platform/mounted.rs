//! A platform that lies between: who sends, who judges, for how long responses are waited for, and what was too much for it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use punctual_exec::platform::{Hosted, Settings};
use punctual_exec::{InProcess, Limits, Sut, SutError, Timekeeping};
use punctual_model::lustre::Program;
use punctual_model::testing::platform::{Line, Outside, Platform};
use punctual_model::testing::suite::{Case, Table};
use punctual_oracle::adjusted::Adjusted;
use punctual_oracle::arrivals::{Arrivals, Grounds};
use punctual_oracle::conformance::Specification;
use punctual_oracle::deadlines::Deadlines;
use punctual_oracle::excuses::Excuse;
use punctual_oracle::synchronous::Streams;
use punctual_oracle::{All, Oracle};
use punctual_semantics::lustre::Machine;
use punctual_semantics::platform::{Drift, Timetable};
use punctual_smc::delays;
use punctual_testgen::Strategy;
use punctual_testgen::lustre::Criterion;
use punctual_testgen::platform::{Aimed, Aims, Extent, LEAD, Scheduled};

use super::evidence::Evidence;
use super::{Mode, interactions, simulated, table};

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
    pub(super) truth: Arc<Platform>,
    /// The automata that are requirements, ready to be followed.
    pub(super) automata: Vec<Specification>,
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

    /// Who judges a case. `stops` ends long searches.
    pub(crate) fn oracle<'j>(
        &'j self,
        machine: &'j Machine,
        table: &'j Table,
        stops: Option<&'j AtomicBool>,
    ) -> Box<dyn Oracle + 'j> {
        let (platform, outside) = (&*self.platform, &*self.outside);
        let judge: Box<dyn Oracle + 'j> = match self.mode {
            Mode::Explained => {
                let arrivals = Arrivals::new(Grounds {
                    machine,
                    platform,
                    outside,
                    table,
                    n_events: self.n_events,
                    lead: LEAD * platform.step_ns as f64,
                    limits: Default::default(),
                });
                Box::new(match stops {
                    Some(stops) => arrivals.stopped_by(stops),
                    None => arrivals,
                })
            }
            Mode::Scheduled | Mode::Direct => {
                Box::new(Adjusted::new((machine, &self.streams), (platform, outside), table))
            }
        };
        let mut all = vec![judge];
        if !platform.requirements.is_empty() {
            all.push(Box::new(Deadlines::new(platform, outside)));
        }
        all.extend(self.followed(machine.program()));
        match all.len() {
            1 => all.remove(0),
            _ => Box::new(All(all)),
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
        // What has to be seen in time is waited for, too.
        let within = self.platform.requirements.iter().map(|it| it.within_ns).max();
        let within = within.map_or(0, |within| within + self.platform.step_ns);
        ((outputs + software).ceil() as u64).max(within)
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
