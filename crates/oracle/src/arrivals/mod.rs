//! Which scenario happened on a platform, and whether a right system could have shown what was seen.
//!
//! Delays decide which step reads a value that was sent. The oracle keeps all states that the model may be in, with weights: a
//! hypothesis is a state, what is known of each input (`inputs.rs`), and how what was seen is divided among the steps
//! (`outputs.rs`). A step (`search.rs`) branches only over inputs that it *reads* and that may have several values. Hypotheses that are the same are
//! merged, and those of which nothing seen can come are dropped.
//!
//! An interaction *fails* if no hypothesis is left: nothing that the delays allow explains what was seen. Otherwise it passes, and how
//! probable it is that the intended scenario was exercised is told beside. So a late sensor costs coverage, not truth.
//!
//! A delay beyond what the platform's `risk` leaves is taken to be impossible: over a whole suite that happens with the
//! probability of the risk at most, and only then a right system fails.
//!
//! `DIFFERENCE(platform)`: the paper takes it for granted that each value is read by the step that it was sent for.

mod explain;
mod inputs;
mod merge;
mod outlook;
mod outputs;
mod search;
mod steps;

use punctual_model::lustre::Type;
use punctual_model::testing::platform::{self, Delay, Events, Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_model::{Event, Happening, VarId, Verdict};
use punctual_semantics::lustre::{Machine, Reaction, Reactions, StateNumber};
use punctual_semantics::platform::{Drift, Timetable};
use punctual_smc::delays;

use crate::excuses::{self, Account, Accounts, Excuse};
use crate::{Cadence, Cause, Finding, Interaction, Judgement, Oracle};
use inputs::{Input, Sent, Way};
use outputs::{Line, Lines};
use search::Hypothesis;
use steps::{Unsure, widened};

/// How far the search goes at each step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// So many hypotheses are followed further, the most probable ones.
    pub hypotheses: usize,
    /// If there are more than this, those with the same state become one, and what is known of their inputs is mixed. That allows more than
    /// what may have happened: it never fails a right system.
    pub apart: usize,
    /// So many steps of the model are tried.
    pub model_steps: usize,
    /// So many are tried for all steps of a run together.
    pub in_all: usize,
    /// What is left is given up when it is less probable than this, compared with what was found.
    pub floor: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            hypotheses: 5_000,
            apart: 100,
            model_steps: 200_000,
            in_all: usize::MAX,
            floor: 1e-4,
        }
    }
}

impl Limits {
    /// How far it goes if nothing explained a step at first: a fail is only one if nothing was left out. It takes half a minute at most.
    const FINE: Limits = Limits {
        hypotheses: 20_000,
        apart: 1_000,
        model_steps: 1_000_000,
        in_all: 4_000_000,
        floor: 0.0,
    };
}

/// What has this probability in a step, or less, is not followed, and counts as followed: that several sensors are at the far ends of
/// their delays at once. In a suite of a million steps a right system fails by this with a probability of a thousandth.
const NEGLIGIBLE: f64 = 1e-9;

/// What a run is judged by.
#[derive(Clone, Copy)]
pub struct Grounds<'m> {
    /// The model.
    pub machine: &'m Machine,
    /// What lies between.
    pub platform: &'m Platform,
    /// What is exchanged.
    pub outside: &'m Outside,
    /// The case.
    pub table: &'m Table,
    /// How many values are sent and seen in the whole suite: the risk is divided by it.
    pub n_events: usize,
    /// How much earlier than by the paper's rule the first interaction was planned, in nanoseconds.
    pub lead: f64,
    /// How far the search goes.
    pub limits: Limits,
}

/// Figures about a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Steps of the program that were explained.
    pub steps: usize,
    /// Steps of the model that this took.
    pub model_steps: usize,
    /// Steps at which hypotheses were left out although they were probable.
    pub cut: usize,
}

impl std::ops::Sub for Effort {
    type Output = Effort;

    fn sub(self, before: Effort) -> Effort {
        Effort {
            steps: self.steps - before.steps,
            model_steps: self.model_steps - before.model_steps,
            cut: self.cut - before.cut,
        }
    }
}

/// The oracle.
pub struct Arrivals<'m> {
    grounds: Grounds<'m>,
    vars: Vars,
    inputs: Vec<Input>,
    lines: Lines,
    ways: Vec<Way>,
    timetable: Timetable,
    /// How exactly the instants of steps are known.
    unsure: Unsure,
    /// What was sent and seen, if steps are estimated in the end.
    kept: Vec<Event>,
    /// When each step was done, in nanoseconds.
    ends: Vec<f64>,
    drift: Option<Drift>,
    n_explained: usize,
    hypotheses: Vec<Hypothesis>,
    /// For each interaction of the intended scenario, the state before it, and what it does.
    intended: Vec<(StateNumber, Reaction)>,
    reactions: Reactions<'m>,
    told: Vec<Interaction>,
    exercised: Vec<f64>,
    excuses: Vec<Excuse>,
    /// Whether hypotheses were left out, however improbable.
    has_left_out: bool,
    /// Steps of the model that were tried since the run was looked at from its beginning.
    n_tried: usize,
    /// Whether steps were missing in the end.
    is_silent: bool,
    /// For each interaction, whether the run is made for it; empty if it is made for the whole case.
    purpose: Vec<bool>,
    /// Whether none of these can be expected to happen any more.
    is_pointless: bool,
    /// Whether the run was left before its end.
    is_left: bool,
    limits: Limits,
    /// How much less exactly instants are known than the platform says, in nanoseconds.
    blur: f64,
    effort: Effort,
}

/// The variables of the program that matter.
struct Vars {
    /// For each line of the outputs, its variable, and whether it is a whole number.
    outputs: Vec<(VarId, bool)>,
    /// For each line of the outputs, the position of its variable among the outputs of the program.
    places: Vec<usize>,
    /// For each input, whether a line to it looks only so often, or its delays drift: then misses are not independent of each other, and no excuses are counted.
    sampled: Vec<bool>,
    /// For each line of the inputs, the position of its input, and whether it is a whole number.
    lines: Vec<(usize, bool)>,
}

impl<'m> Arrivals<'m> {
    /// Before anything has happened.
    #[must_use]
    pub fn new(grounds: Grounds<'m>) -> Arrivals<'m> {
        let Grounds { machine, platform, .. } = grounds;
        let program = machine.program();
        let inputs: Vec<VarId> = program.inputs().collect();
        let is_whole = |var: VarId| program.vars[var].ty == Type::Int;
        let at = |var: VarId| inputs.iter().position(|it| *it == var).unwrap_or(0);
        let lines = platform.inputs.iter().map(|it| (at(it.variable), is_whole(it.variable)));
        let written: Vec<VarId> = program.outputs().collect();
        let outputs = platform.outputs.iter().map(|it| (it.variable, is_whole(it.variable)));
        let place = |it: &platform::Line| written.iter().position(|var| *var == it.variable);
        let places = platform.outputs.iter().map(|it| place(it).unwrap_or(0)).collect();
        let is_sampled = |var: &VarId| {
            let mut lines = platform.inputs.iter().filter(|it| it.variable == *var);
            platform.drift.is_some() || lines.any(|it| it.sampling_ns.is_some())
        };
        let sampled = inputs.iter().map(is_sampled).collect();
        let (lines, outputs) = (lines.collect(), outputs.collect());
        let vars = Vars { sampled, lines, outputs, places };
        let mut oracle = Arrivals {
            ways: Vec::new(),
            lines: Lines::new(Vec::new()),
            inputs: Vec::new(),
            timetable: Timetable::of(platform, grounds.lead),
            unsure: Unsure::default(),
            kept: Vec::new(),
            ends: Vec::new(),
            drift: None,
            n_explained: 0,
            hypotheses: Vec::new(),
            intended: Vec::new(),
            reactions: Reactions::new(machine),
            told: Vec::new(),
            exercised: Vec::new(),
            excuses: Vec::new(),
            has_left_out: false,
            n_tried: 0,
            is_silent: false,
            purpose: Vec::new(),
            is_pointless: false,
            is_left: false,
            limits: grounds.limits,
            blur: 0.0,
            effort: Effort::default(),
            vars,
            grounds,
        };
        oracle.begin();
        oracle
    }

    fn begin(&mut self) {
        let platform = self.grounds.platform;
        let alpha = platform.risk_of_event(self.grounds.n_events);
        let unsure = self.unsure;
        let known = slack(&platform.software) + self.blur;
        let drift = Drift::of(platform);
        let bounds = |delay: &Delay, doubt: f64| {
            let (low, high) = delays::bounds(delay, alpha / 2.0, platform.pulses);
            let (before, after) = unsure.slack(delay, low);
            (low - doubt - known - before, high + doubt + known + after)
        };
        let varies = platform.software.deviation().hypot(unsure.deviation);
        let way = |line: &platform::Line| {
            let doubt = drift.as_ref().map_or(0.0, |it| it.doubt_of_input(&line.delay));
            let (least, most) = bounds(&line.delay, doubt);
            // When a sensor looks next is not known.
            let sampling = line.sampling_ns.unwrap_or(0) as f64;
            let (delay, shift) = blurred(&line.delay, varies, known + 6.0 * unsure.deviation);
            let slack = known + unsure.slack(&line.delay, 0.0).0;
            Way { delay, sampling, shift, varies, slack, least, most: most + sampling }
        };
        self.ways = platform.inputs.iter().map(way).collect();
        let is_latched = |at: usize| {
            let mut lines = platform.inputs.iter().zip(&self.vars.lines);
            lines.any(|(line, (input, _))| *input == at && line.is_latched)
        };
        let floor = if is_shared(platform, varies) { f64::MIN_POSITIVE } else { inputs::FLOOR };
        self.inputs = (platform.initial.iter().enumerate())
            .map(|(at, value)| {
                let (first, pulses) = ((*value, is_latched(at)), self.pulses(at));
                Input::new(first, floor, platform.step_ns, pulses)
            })
            .collect();
        let only_changes = platform.events == Events::Changes;
        let line = |delay: &Delay| {
            let doubt = drift.as_ref().map_or(0.0, |it| it.doubt_of_output(delay));
            let (least, most) = bounds(delay, doubt);
            let delay = widened(delay, unsure);
            Line::new(
                Way { delay, sampling: 0.0, shift: 0.0, varies: 0.0, slack: known, least, most },
                only_changes,
            )
        };
        self.lines = Lines::new(platform.outputs.iter().map(|it| line(&it.delay)).collect());
        let growth = platform.growth() - 1.0;
        for (line, it) in self.lines.all.iter_mut().zip(&platform.outputs) {
            line.drifting(growth * it.delay.mean());
        }
        // Only where one line leads to an input it is clear which value has arrived.
        for (at, input) in self.inputs.iter_mut().enumerate() {
            let n_lines = self.vars.lines.iter().filter(|(input, _)| *input == at).count();
            if n_lines == 1 && !self.grounds.outside.arrived.is_empty() {
                input.is_told();
            }
        }
        self.drift = drift;
        self.timetable = Timetable::of(platform, self.grounds.lead);
        self.ends.clear();
        self.limits = self.grounds.limits;
        self.begin_again();
    }

    /// Nothing is explained yet of what was sent and seen.
    fn begin_again(&mut self) {
        let machine = self.grounds.machine;
        self.n_explained = 0;
        self.intended.clear();
        self.told.clear();
        self.exercised = vec![0.0; self.grounds.table.steps.len()];
        self.excuses.clear();
        self.has_left_out = false;
        self.n_tried = 0;
        self.hypotheses = vec![Hypothesis {
            state: self.reactions.number(&machine.start()),
            inputs: vec![0; self.inputs.len()],
            outputs: self.lines.nothing(),
            weight: 1.0,
            accounts: Vec::new(),
            shares: Vec::new(),
        }];
    }

    /// The number of the step that the first interaction is planned for, once that is known.
    #[must_use]
    pub fn first_step(&self) -> Option<usize> {
        self.timetable.planned(0).map(|it| it.step)
    }

    /// Figures about all runs so far.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// The interaction that a step of the program is, if it is one.
    fn interaction(&self, step: usize) -> Option<usize> {
        let first = self.timetable.planned(0)?.step;
        step.checked_sub(first).filter(|it| *it < self.grounds.table.steps.len())
    }

    /// A value was sent, or seen.
    fn exchanged(&mut self, event: &Event) {
        let at = event.from_ns as f64;
        match &event.what {
            Happening::Set(reading) => {
                for (port, value) in &reading.values {
                    let lines = self.grounds.outside.inputs.iter().enumerate();
                    for (number, _) in lines.filter(|(_, it)| *it == port) {
                        let line = &self.grounds.platform.inputs[number];
                        let (input, is_whole) = self.vars.lines[number];
                        let Some(value) = line.form.inside(*value, is_whole) else { continue };
                        let drifted = self.drift.as_ref().map_or(0.0, |it| it.input(number));
                        self.inputs[input].sent(Sent { at, value, line: number, drifted });
                    }
                }
            }
            Happening::Signal(action) => {
                let arrived = self.grounds.outside.arrived.iter().zip(&self.vars.lines);
                for (_, (input, _)) in arrived.filter(|(it, _)| **it == action.signal) {
                    self.inputs[*input].arrived(at);
                }
                let lines = self.grounds.outside.outputs.iter().enumerate();
                for (number, _) in lines.filter(|(_, it)| **it == action.signal) {
                    let line = &self.grounds.platform.outputs[number];
                    let (_, is_whole) = self.vars.outputs[number];
                    let value = action.values.first();
                    let value = value.and_then(|it| line.form.inside(*it, is_whole));
                    self.lines.all[number].saw(at, value);
                }
            }
            Happening::Step(_) | Happening::Reading(_) => {}
        }
    }

    /// How probable it is that each interaction was exercised, by what is known in the end.
    fn conclude(&mut self) {
        let sum: f64 = self.hypotheses.iter().map(|it| it.weight).sum();
        for (number, exercised) in self.exercised.iter_mut().enumerate() {
            let share = |it: &Hypothesis| it.weight * it.shares.get(number).copied().unwrap_or(0.0);
            let mass: f64 = self.hypotheses.iter().map(share).sum();
            *exercised = if sum > 0.0 { mass / sum } else { 0.0 };
        }
        let mut accounts = Accounts::new();
        let mut so_far = 0.0;
        for it in self.hypotheses.iter().filter(|it| it.weight > 0.0) {
            so_far += it.weight;
            accounts = excuses::mixed(&accounts, &it.accounts, it.weight / so_far);
        }
        let inputs: Vec<VarId> = self.grounds.machine.program().inputs().collect();
        let excuse = |(input, account): &(u32, Account)| account.of(inputs[*input as usize]);
        self.excuses = accounts.iter().map(excuse).collect();
        // What nothing explains did not happen as intended, also if not all was followed.
        for it in self.told.iter().filter(|it| it.verdict != Verdict::Pass) {
            if let Some(exercised) = self.exercised.get_mut(it.number) {
                *exercised = 0.0;
            }
        }
    }
}

/// Whether the instants of steps vary nearly as much as delays do. Then all inputs of a step are early or late together.
fn is_shared(platform: &Platform, varies: f64) -> bool {
    const SMALL: f64 = 0.2;
    let least = platform.inputs.iter().map(|it| it.delay.deviation()).fold(f64::INFINITY, f64::min);
    varies > SMALL * least
}

/// The delay of an input up to an instant that varies, as the time does that the program takes.
/// Also, by how much it was made longer, so that nothing of it is cut at 0.
fn blurred(delay: &Delay, varies: f64, slack: f64) -> (Delay, f64) {
    match delay {
        Delay::Normal { mean, deviation } if varies > 0.0 => {
            let (mean, deviation) = (mean + slack, deviation.hypot(varies));
            (Delay::Normal { mean, deviation }, slack)
        }
        _ => (delay.clone(), 0.0),
    }
}

/// How exactly instants of steps are known: the time that the program takes varies.
fn slack(software: &Delay) -> f64 {
    const LEAST: f64 = 1e6;
    LEAST + 6.0 * software.deviation()
}

impl Oracle for Arrivals<'_> {
    fn restart(&mut self) {
        (self.is_pointless, self.is_left) = (false, false);
        self.blur = 0.0;
        self.unsure = Unsure::default();
        self.kept.clear();
        self.begin();
    }

    fn event(&mut self, event: &Event) {
        if self.timetable.steps().is_some() {
            self.keep(event);
        } else if self.timetable.heard(event, self.grounds.outside) {
            let at = event.from_ns as f64;
            self.ends.push(at);
            if let Some(drift) = &self.drift {
                let lines = self.lines.all.iter_mut().enumerate();
                lines.for_each(|(number, line)| line.drifted(drift.output(number)));
            }
            self.explain(at);
            self.look_ahead();
        } else {
            self.exchanged(event);
        }
        if let Some(drift) = &mut self.drift {
            drift.heard(event, self.grounds.outside);
        }
    }

    fn decided(&self) -> Option<Verdict> {
        None
    }

    fn is_for(&mut self, interactions: &[bool]) {
        self.purpose = interactions.to_vec();
    }

    fn is_pointless(&self) -> bool {
        self.is_pointless
    }

    fn leave(&mut self) {
        self.is_left = true;
    }

    fn widen(&mut self, by_ns: u64) {
        self.blur = by_ns as f64;
        self.begin();
    }

    fn finish(&mut self, end_ns: u64) -> Judgement<Finding> {
        self.estimate_steps(end_ns);
        self.explain(end_ns as f64);
        let is_open = self.told.iter().any(|it| it.verdict != Verdict::Pass) && self.has_left_out;
        if is_open {
            // What was left out may explain it after all.
            self.limits = Limits::FINE;
            self.begin_again();
            self.explain(end_ns as f64);
        }
        self.mind_silence(end_ns);
        self.mind_doubt();
        self.conclude();
        let last = self.told.last().map_or(0, |it| it.number);
        let worst =
            self.told.iter().max_by(|a, b| a.verdict.cmp(&b.verdict).then(b.number.cmp(&a.number)));
        match worst {
            None => Judgement::Pass,
            Some(it) => {
                let cause = match (it.verdict, self.is_silent && it.number == last) {
                    (Verdict::Fail, true) => Cause::Missing,
                    (Verdict::Fail, false) => Cause::Unexplained,
                    (_, true) => Cause::NotExpected,
                    (_, false) => Cause::SearchLimit,
                };
                Finding::Ending(cause, it.reason.clone()).judged()
            }
        }
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.told.clone()
    }

    fn exercised(&self) -> &[f64] {
        &self.exercised
    }

    fn excuses(&self) -> &[Excuse] {
        &self.excuses
    }

    fn cadence(&self) -> Option<Cadence> {
        self.estimated_cadence()
    }
}
