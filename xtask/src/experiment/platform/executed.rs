//! The suite, executed once on a platform: directly and scheduled, judged in three ways.

use std::sync::Arc;

use punctual_campaign::platform::evidence::Evidence;
use punctual_campaign::platform::{outside, without_delays};
use punctual_exec::online::{Budget, Options, UPDATE_NS, run};
use punctual_exec::platform::{Settings, Simulated};
use punctual_exec::{Limits, PlayedProgram, Sut, Timekeeping};
use punctual_lang::testing;
use punctual_model::lustre::Program;
use punctual_model::testing::platform::{Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_model::{TimeScale, Value, VarId, Verdict};
use punctual_oracle::adjusted::{Adjusted, streams};
use punctual_oracle::arrivals::{Arrivals, Effort, Grounds};
use punctual_oracle::excuses::Excuse;
use punctual_oracle::{Interaction, Oracle};
use punctual_semantics::lustre::{Machine, Reactions};
use punctual_testgen::platform::{Aimed, Aims, Extent, Interactions, LEAD, Scheduled};

use super::platforms::{Configuration, JITTER_NS, calibrated, second};
use crate::clock::Stopwatch;

/// An interaction counts as exercised with this probability.
pub(super) const SURE: f64 = 0.99;

/// The pump and its suite.
#[derive(Clone, Copy)]
pub(super) struct Pump<'p> {
    pub(super) program: &'p Program,
    pub(super) machine: &'p Machine,
    pub(super) tests: &'p [Table],
    pub(super) seed: u64,
    /// A test is run so often at most.
    pub(super) tries: usize,
    /// So many executions are judged by all that may have happened.
    pub(super) beyond: u64,
    /// Each n-th output can be seen.
    pub(super) visible: usize,
    /// Whether it is the second platform.
    pub(super) is_second: bool,
}

/// What came of an execution of the suite.
#[derive(Clone, Debug, Default)]
pub(super) struct Executed {
    pub(super) n_tests: usize,
    pub(super) interactions: usize,
    /// Interactions that passed: by the paper's rule on scheduled and on direct executions.
    pub(super) scheduled: usize,
    pub(super) direct: usize,
    /// Interactions that failed by the arrivals oracle, and those that it could not decide.
    pub(super) failed: usize,
    pub(super) undecided: usize,
    /// Of each interaction, the probability that it was exercised: in the first run, in the second one if there was one, and in at least one of all tries.
    pub(super) first: Vec<f64>,
    pub(super) second: Vec<f64>,
    pub(super) exercised: Vec<f64>,
    /// Runs that this took.
    pub(super) n_tries: usize,
    /// For each interaction of each run, the probability that was stated, and whether it was exercised.
    pub(super) stated: Vec<(f64, bool)>,
    pub(super) effort: Effort,
    /// How inputs were explained.
    pub(super) evidence: Evidence,
    /// Whether late values explained too much.
    pub(super) is_worn: bool,
    /// Milliseconds that the arrivals oracle took for each interaction of a test, on average.
    pub(super) took_ms: Vec<f64>,
}

/// What came of one run of a test.
pub(super) struct Tried {
    pub(super) interactions: Vec<Interaction>,
    pub(super) exercised: Vec<f64>,
    pub(super) excuses: Vec<Excuse>,
    effort: Effort,
    first_step: Option<usize>,
    took_ms: f64,
}

/// Responses are waited for so long, in nanoseconds.
const PATIENCE_NS: u64 = 3_500_000_000;

/// What a tester thinks of a platform.
pub(super) struct View {
    pub(super) platform: Arc<Platform>,
    pub(super) outside: Arc<Outside>,
}

impl View {
    fn options(&self) -> Options {
        let time = self.outside.interface.time;
        let budget = Budget { time_ns: u64::MAX, events: u64::MAX };
        Options { budget, horizon: 1, lateness_ns: 0, update_ns: UPDATE_NS, windows: false, time }
    }
}

impl Pump<'_> {
    pub(super) fn execute(
        &self,
        configuration: Configuration,
        execution: u64,
    ) -> Result<Executed, String> {
        let mut truth = configuration.platform(self.program, self.seed);
        if self.is_second {
            truth = second(truth);
        }
        truth.outputs = truth.outputs.into_iter().step_by(self.visible).collect();
        let known = self.view(calibrated(&truth, self.seed + execution));
        let naive = self.view(without_delays((*known.platform).clone()));
        let truth = Arc::new(truth);
        let mut found = Executed::default();
        let seed = self.seed ^ execution.rotate_left(20) ^ u64::from(configuration.max_mean);
        let n_events = self.n_events();
        let mut platform = self.simulated(self.program, &truth, &known, seed)?;
        let mut other = self.simulated(self.program, &truth, &known, !seed)?;
        let mut aimed = self.simulated(self.program, &truth, &known, seed ^ 0xA13E_D000)?;
        for table in self.tests {
            found.n_tests += 1;
            found.interactions += table.steps.len();
            let told = self.adjusted(&mut platform, &known, table)?;
            found.scheduled += table.steps.len() - told.len();
            let told = self.adjusted(&mut other, &naive, table)?;
            found.direct += table.steps.len() - told.len();
            if execution < self.beyond {
                self.tries(&mut aimed, &known, table, n_events, &mut found)?;
            }
        }
        found.is_worn = self.is_worn(&known, &found.evidence);
        Ok(found)
    }

    /// How many values are sent and seen at most.
    pub(super) fn n_events(&self) -> usize {
        let n_steps: usize = self.tests.iter().map(|it| it.steps.len()).sum();
        let n_lines = self.program.inputs().count() + self.program.outputs().count();
        self.tries * n_steps * n_lines
    }

    /// Whether late values explain too much.
    pub(super) fn is_worn(&self, view: &View, evidence: &Evidence) -> bool {
        let platform = &view.platform;
        !evidence.worn(platform.inputs.len(), platform.risk_of_excuses()).is_empty()
    }

    pub(super) fn view(&self, platform: Platform) -> View {
        let time = TimeScale { unit_ns: 1_000_000, resolution: 1 };
        let outside = Arc::new(outside(self.program, &platform, time));
        View { platform: Arc::new(platform), outside }
    }

    pub(super) fn simulated(
        &self,
        played: &Program,
        truth: &Arc<Platform>,
        view: &View,
        seed: u64,
    ) -> Result<Simulated<PlayedProgram>, String> {
        let time = view.outside.interface.time;
        let interface = Arc::new(testing::interface_of(self.program, time));
        let limits = Limits::default();
        let controller = PlayedProgram::new(played, interface, Timekeeping::Virtual, limits);
        let controller = controller.map_err(|error| error.to_string())?;
        let both = (Arc::clone(truth), Arc::clone(&view.outside));
        let settings = Settings { seed, jitter_ns: if self.is_second { JITTER_NS } else { 0 } };
        Ok(Simulated::new(controller, self.program, both, settings))
    }

    /// Runs a test and judges it by the paper's rule: the interactions that did not pass.
    pub(super) fn adjusted(
        &self,
        sut: &mut dyn Sut,
        view: &View,
        table: &Table,
    ) -> Result<Vec<Interaction>, String> {
        self.observed(sut, view, table).map(|(told, _)| told)
    }

    /// The same, and what the outputs were in each step, brought back to the model's time.
    pub(super) fn observed(
        &self,
        sut: &mut dyn Sut,
        view: &View,
        table: &Table,
    ) -> Result<(Vec<Interaction>, Vec<Vec<Value>>), String> {
        let inputs: Vec<VarId> = self.program.inputs().collect();
        let interactions = Interactions::new(&view.platform, &view.outside, &inputs, table)
            .map_err(|why| format!("{why:?}"))?;
        let (platform, outside) = (Arc::clone(&view.platform), Arc::clone(&view.outside));
        let mut strategy = Scheduled::new(platform, outside, interactions, PATIENCE_NS);
        let streams = streams(self.program, &view.platform);
        let mut oracle =
            Adjusted::new((self.machine, &streams), (&view.platform, &view.outside), table);
        let done = run(&mut oracle, sut, &mut strategy, &view.options(), &mut ());
        let done = done.map_err(|error| error.to_string())?;
        Ok((done.interactions, oracle.seen().to_vec()))
    }

    /// Runs a test until each of its interactions was exercised, and judges it by all that may have happened.
    fn tries(
        &self,
        sut: &mut Simulated<PlayedProgram>,
        view: &View,
        table: &Table,
        n_events: usize,
        found: &mut Executed,
    ) -> Result<(), String> {
        let mut oracle = self.arrivals(view, table, n_events);
        // The probability that no run so far has exercised an interaction.
        let mut missed = vec![1.0_f64; table.steps.len()];
        for number in 0..self.tries {
            let tried = self.explained(sut, view, &mut oracle, table, number as u64)?;
            let of = |verdict| tried.interactions.iter().filter(|it| it.verdict == verdict).count();
            found.failed += of(Verdict::Fail);
            found.undecided += of(Verdict::Inconclusive);
            found.effort.steps += tried.effort.steps;
            found.effort.model_steps += tried.effort.model_steps;
            found.effort.cut += tried.effort.cut;
            found.took_ms.push(tried.took_ms);
            found.evidence.explain(&tried.excuses);
            match number {
                0 => found.first.extend_from_slice(&tried.exercised),
                1 => found.second.extend_from_slice(&tried.exercised),
                _ => {}
            }
            found.n_tries += 1;
            let truth = self.truth(sut.happened(), tried.first_step, table);
            found.stated.extend(tried.exercised.iter().copied().zip(truth));
            for (missed, now) in missed.iter_mut().zip(&tried.exercised) {
                *missed *= 1.0 - now;
            }
            if missed.iter().all(|it| 1.0 - it >= SURE) {
                break;
            }
        }
        found.exercised.extend(missed.iter().map(|it| 1.0 - it));
        Ok(())
    }

    /// Judges a test by all that may have happened.
    pub(super) fn arrivals<'a>(
        &'a self,
        view: &'a View,
        table: &'a Table,
        n_events: usize,
    ) -> Arrivals<'a> {
        Arrivals::new(Grounds {
            machine: self.machine,
            platform: &view.platform,
            outside: &view.outside,
            table,
            n_events,
            lead: LEAD * view.platform.step_ns as f64,
            limits: Default::default(),
        })
    }

    /// Runs a test once, for the n-th time, and judges it by all that may have happened.
    pub(super) fn explained(
        &self,
        sut: &mut Simulated<PlayedProgram>,
        view: &View,
        oracle: &mut Arrivals<'_>,
        table: &Table,
        number: u64,
    ) -> Result<Tried, String> {
        let extent = Extent::of_try(number);
        let aims = Aims::new(self.machine, &view.platform, &view.outside, table, extent);
        let aims = aims.map_err(|why| format!("{why:?}"))?;
        let (platform, outside) = (Arc::clone(&view.platform), Arc::clone(&view.outside));
        let mut strategy = Aimed::new(platform, outside, aims, PATIENCE_NS);
        oracle.restart();
        let before = oracle.effort();
        let watch = Stopwatch::start();
        let done = run(oracle, sut, &mut strategy, &view.options(), &mut ());
        let done = done.map_err(|error| error.to_string())?;
        let took_ms = watch.elapsed().as_secs_f64() * 1e3 / table.steps.len().max(1) as f64;
        Ok(Tried {
            interactions: done.interactions,
            exercised: oracle.exercised().to_vec(),
            excuses: oracle.excuses().to_vec(),
            effort: oracle.effort() - before,
            first_step: oracle.first_step(),
            took_ms,
        })
    }

    /// For each interaction of a run, whether the program did what is intended: looked at the same inputs, wrote the same, and came to the same state.
    fn truth(&self, read: &[Vec<Value>], first: Option<usize>, table: &Table) -> Vec<bool> {
        let mut found = vec![false; table.steps.len()];
        let Some(first) = first.filter(|first| *first <= read.len()) else { return found };
        let mut reactions = Reactions::new(self.machine);
        let start = reactions.number(&self.machine.start());
        let (mut real, mut intended) = (start, start);
        let initial = Configuration::initial(self.program);
        for row in &read[..first] {
            let both = (reactions.react(real, row), reactions.react(intended, &initial));
            let (Some(a), Some(b)) = both else { return found };
            (real, intended) = (a.after, b.after);
        }
        for (number, (wanted, row)) in table.steps.iter().zip(&read[first..]).enumerate() {
            let both = (reactions.react(real, row), reactions.react(intended, &wanted.inputs));
            let (Some(a), Some(b)) = both else { return found };
            found[number] = real == intended && a == b;
            (real, intended) = (a.after, b.after);
        }
        found
    }
}
