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
//! The first search keeps to what is probable. Where that explains nothing, a second look (`second.rs`) follows all that is possible, without weights (`product.rs`), and decides.
//!
//! `DIFFERENCE(platform)`: where nothing that was followed explains a step, the plan was to unroll the test in a solver, with each input one of few
//! constants. Here all that is possible is followed instead, as products of sets where it is too much: a *fail* is exact, and what is beyond the bounds of the search is
//! inconclusive.
//!
//! `DIFFERENCE(platform)`: the paper takes it for granted that each value is read by the step that it was sent for.

mod begin;
mod explain;
mod grounds;
mod inputs;
mod merge;
mod outlook;
mod outputs;
mod product;
mod search;
mod second;
mod steps;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_model::lustre::Type;
use punctual_model::testing::platform;
use punctual_model::{Event, Happening, Value, VarId, Verdict};
use punctual_semantics::lustre::{Reaction, Reactions, StateNumber};
use punctual_semantics::platform::{Drift, Timetable};

use crate::excuses::{self, Account, Accounts, Excuse};
use crate::{Cadence, Cause, Finding, Interaction, Judgement, Oracle};
use inputs::{Input, Sent, Way};
use outputs::{Line, Lines};
use search::Hypothesis;
use steps::Unsure;

pub use grounds::{Effort, Grounds, Limits};

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
    /// For steps that nothing explained, what the model most probably writes and nobody saw: the line, and the value.
    closest: BTreeMap<usize, (usize, Value)>,
    /// So many of them are steps before the first interaction.
    n_before: usize,
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
    /// Ends the search for explanations, if somebody sets it.
    stops: Option<&'m AtomicBool>,
    /// Whether a search was ended by that.
    is_stopped: bool,
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
    /// For each output of the program, the lines that it is written over.
    lines_of: Vec<Vec<usize>>,
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
        let places: Vec<usize> = platform.outputs.iter().map(|it| place(it).unwrap_or(0)).collect();
        let mut lines_of = vec![Vec::new(); written.len()];
        places.iter().enumerate().for_each(|(line, place)| lines_of[*place].push(line));
        let is_sampled = |var: &VarId| {
            let mut lines = platform.inputs.iter().filter(|it| it.variable == *var);
            platform.drift.is_some() || lines.any(|it| it.sampling_ns.is_some())
        };
        let sampled = inputs.iter().map(is_sampled).collect();
        let (lines, outputs) = (lines.collect(), outputs.collect());
        let vars = Vars { sampled, lines, outputs, places, lines_of };
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
            closest: BTreeMap::new(),
            n_before: 0,
            exercised: Vec::new(),
            excuses: Vec::new(),
            has_left_out: false,
            n_tried: 0,
            is_silent: false,
            purpose: Vec::new(),
            is_pointless: false,
            is_left: false,
            limits: grounds.limits,
            stops: None,
            is_stopped: false,
            blur: 0.0,
            effort: Effort::default(),
            vars,
            grounds,
        };
        oracle.begin();
        oracle
    }

    /// The same, whose searches end when somebody sets this: one step may take half a minute. What was not looked at then is inconclusive.
    #[must_use]
    pub fn stopped_by(self, stops: &'m AtomicBool) -> Arrivals<'m> {
        Arrivals { stops: Some(stops), ..self }
    }

    /// Whether somebody has stopped the search.
    fn stops(&mut self) -> bool {
        self.is_stopped |= self.stops.is_some_and(|it| it.load(Ordering::Relaxed));
        self.is_stopped
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

impl Oracle for Arrivals<'_> {
    fn restart(&mut self) {
        (self.is_pointless, self.is_left, self.is_stopped) = (false, false, false);
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
        self.look_again(end_ns as f64);
        if !self.is_stopped {
            self.mind_silence(end_ns);
        }
        self.mind_doubt();
        self.conclude();
        let is_failed = self.told.iter().any(|it| it.verdict == Verdict::Fail);
        if self.is_stopped && !is_failed {
            let words = "It was stopped while what was seen was being explained.".to_owned();
            return Finding::Ending(Cause::Stopped, words).judged();
        }
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
