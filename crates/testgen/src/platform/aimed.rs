//! A case of steps on a platform, of which only that is sent which matters.
//!
//! Most steps read few of their inputs, and often another value makes no difference. A value is sent only if a step would do something else with the
//! one before it: look at other inputs, write something else, or come to another state. It may arrive at any time after the last step that would do something else
//! with the new one. So the time in which it may arrive is often longer than a step, and it is aimed at the middle of that time. `DIFFERENCE(platform)`: the paper sends a value of each variable in each interaction and aims at the middle
//! of one step; with delays that vary much, most of them miss.

use std::collections::BTreeMap;
use std::sync::Arc;

use punctual_model::testing::platform::{Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_model::{Event, PortId, Reading, Value, VarId};
use punctual_semantics::lustre::{Machine, Reaction, Reactions, StateNumber};
use punctual_semantics::platform::{Drift, Timetable};

use super::copies::{FAR, Shape, Span};
use super::{Impossible, silent_until};
use crate::situation::{Decision, Situation, Strategy};

/// The time in which a value may arrive is no longer than so many steps: nothing is gained by more.
const STEPS_MAX: usize = 4;

/// How much earlier than by the paper's rule the first interaction is planned, in steps: so that its inputs have time to arrive.
pub const LEAD: f64 = STEPS_MAX as f64 / 2.0;

/// A value that matters.
#[derive(Clone, PartialEq, Debug)]
struct Aim {
    line: usize,
    /// The value outside.
    value: Value,
    /// It must not arrive before the step of this interaction, counted from 1; 0 for the steps before the first. None if it may come as early
    /// as it likes.
    behind: Option<usize>,
    /// It must arrive before the step of this interaction, counted from 0.
    before: usize,
    /// Whether it makes a difference to the model.
    is_needed: bool,
    /// It is sent so often, to arrive so much before the end of its window on average, in nanoseconds; the earliest first.
    copies: Vec<f64>,
}

/// How much of a case is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Only what makes a difference to the model. That is exercised most easily.
    Needed,
    /// All values that change, but for those that would make a difference if they came a little early or late. A faulty system may mind what makes
    /// no difference to the model.
    Harmless,
}

impl Extent {
    /// How much is sent when a case is run for the n-th time, from 0: all that does no harm at first.
    #[must_use]
    pub fn of_try(number: u64) -> Extent {
        if number == 0 { Extent::Harmless } else { Extent::Needed }
    }
}

/// What matters of a case: values, and when they may arrive.
#[derive(Clone, PartialEq, Debug)]
pub struct Aims {
    aims: Vec<Aim>,
    n_interactions: usize,
    /// What the inputs hold at each step if all values arrive as they should, beginning with the last step before the test.
    rows: Vec<Vec<Value>>,
}

impl Aims {
    /// What the inputs hold at each step if all values arrive as they should, beginning with the last step before the test.
    pub(super) fn rows(&self) -> &[Vec<Value>] {
        &self.rows
    }

    /// What the intended scenario reads. The table has a column for each input of the program.
    ///
    /// # Errors
    /// If the platform can not have an interaction.
    pub fn new(
        machine: &Machine,
        platform: &Platform,
        outside: &Outside,
        table: &Table,
        extent: Extent,
    ) -> Result<Aims, Impossible> {
        let mut scenario = Scenario::new(machine, platform, table);
        let mut aims: Vec<Aim> = Vec::new();
        let reach: Vec<usize> = scenario.inputs.iter().map(|it| reach(platform, *it)).collect();
        // What the inputs hold at each step, beginning with the last one before the test.
        let mut held: Vec<Vec<Value>> = vec![platform.initial.clone()];
        for (number, step) in table.steps.iter().enumerate() {
            let before = held[number].clone();
            let needed = scenario.least(number + 1, &before, &step.inputs);
            let mut row = needed.clone();
            if extent == Extent::Harmless {
                for (column, value) in step.inputs.iter().enumerate() {
                    let reach = reach[column];
                    if row[column] != *value
                        && scenario.is_harmless(number + 1, reach, column, *value)
                    {
                        row[column] = *value;
                    }
                }
            }
            for (column, (old, new)) in before.iter().zip(&row).enumerate() {
                if old == new {
                    continue;
                }
                let mut behind = number + 1;
                let is_needed = needed[column] != *old;
                let mut is_free = is_needed;
                // Steps that do the same with a new value that is needed do not mind if it comes early. One that is not needed is not sent
                // early: somebody may mind.
                while is_free && behind > 0 && number + 1 - behind < STEPS_MAX {
                    // The value before it has a step to arrive in, too.
                    let is_settled = held[behind.saturating_sub(2)][column] == *old;
                    let mut early = held[behind - 1].clone();
                    early[column] = *new;
                    if !is_settled || !scenario.is_same(behind - 1, &early) {
                        is_free = false;
                        break;
                    }
                    behind -= 1;
                }
                let variable = scenario.inputs[column];
                let lines = platform.inputs.iter().enumerate();
                for (line, of) in lines.filter(|(_, line)| line.variable == variable) {
                    let value = of.form.outside(*new).ok_or(Impossible::NoValue(number, line))?;
                    let behind = (!is_free).then(|| behind - 1);
                    let copies = Vec::new();
                    aims.push(Aim { line, value, behind, before: number, is_needed, copies });
                }
            }
            held.push(row);
        }
        contradiction(outside, &aims)?;
        repeat(platform, outside, &mut aims);
        Ok(Aims { aims, n_interactions: table.steps.len(), rows: held })
    }
}

/// A copy of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Copied {
    /// The line that it goes over.
    pub(super) line: usize,
    /// The interaction that needs it.
    pub(super) step: usize,
    /// It should arrive so much before that reads it, on average, in nanoseconds.
    pub(super) before_ns: f64,
}

impl Aims {
    /// All copies that are sent.
    pub(super) fn copies(&self) -> impl Iterator<Item = Copied> + '_ {
        self.aims.iter().flat_map(|aim| {
            let (line, step) = (aim.line, aim.before);
            aim.copies.iter().map(move |before_ns| Copied { line, step, before_ns: *before_ns })
        })
    }
}

impl Aim {
    /// For how many steps it may arrive.
    fn n_steps(&self) -> usize {
        self.behind.map_or(STEPS_MAX, |behind| self.before + 1 - behind).min(STEPS_MAX)
    }
}

/// Decides how often each value is sent, and when.
fn repeat(platform: &Platform, outside: &Outside, aims: &mut [Aim]) {
    let mut shapes: BTreeMap<usize, Shape> = BTreeMap::new();
    let mut known: BTreeMap<(usize, Span), Vec<f64>> = BTreeMap::new();
    for at in 0..aims.len() {
        let aim = &aims[at];
        if !aim.is_needed {
            aims[at].copies = vec![aim.n_steps() as f64 * platform.step_ns as f64 / 2.0];
            continue;
        }
        // Values of the same variable outside, or of the same input.
        let is_neighbour = |it: &&Aim| {
            it.before != aim.before
                && (outside.inputs[it.line] == outside.inputs[aim.line]
                    || platform.inputs[it.line].variable == platform.inputs[aim.line].variable)
        };
        let near = |other: &Aim| Some(other.before.abs_diff(aim.before)).filter(|it| *it <= FAR);
        let span = Span {
            long: aim.n_steps(),
            is_open: aim.behind.is_none(),
            before: aims[..at].iter().rfind(is_neighbour).and_then(near),
            after: aims[at + 1..].iter().find(is_neighbour).and_then(near),
        };
        let line = aim.line;
        let shape =
            shapes.entry(line).or_insert_with(|| Shape::new(platform, &platform.inputs[line]));
        let copies = known.entry((line, span)).or_insert_with(|| shape.copies(span));
        aims[at].copies = copies.clone();
    }
}

/// By how many whole steps two values of an input may come nearer to each other than they were sent, in one of thirty thousand pairs.
fn reach(platform: &Platform, input: VarId) -> usize {
    let lines = platform.inputs.iter().filter(|line| line.variable == input);
    let deviation = lines.map(|line| line.delay.deviation()).fold(0.0, f64::max);
    // The difference of two independent delays varies by so much more than one; four deviations of it.
    (4.0 * std::f64::consts::SQRT_2 * deviation / platform.step_ns as f64) as usize
}

/// A port that feeds two inputs can not be set to different values for the same interaction.
fn contradiction(outside: &Outside, aims: &[Aim]) -> Result<(), Impossible> {
    for (at, aim) in aims.iter().enumerate() {
        let is_rival = |it: &&Aim| {
            outside.inputs[it.line] == outside.inputs[aim.line]
                && it.before == aim.before
                && it.value != aim.value
        };
        if let Some(rival) = aims[..at].iter().find(is_rival) {
            return Err(Impossible::Contradiction(aim.before, [rival.line, aim.line]));
        }
    }
    Ok(())
}

/// What the model does in the intended scenario.
struct Scenario<'m> {
    reactions: Reactions<'m>,
    inputs: Vec<VarId>,
    /// For the last step before the test, and for each interaction: the state before it, and what it does; none if it has no result.
    steps: Vec<(StateNumber, Option<Reaction>)>,
    /// The inputs of each of them.
    rows: Vec<Vec<Value>>,
}

impl<'m> Scenario<'m> {
    fn new(machine: &'m Machine, platform: &Platform, table: &Table) -> Scenario<'m> {
        let mut reactions = Reactions::new(machine);
        let mut steps = Vec::new();
        // The very first step of a program is another one than those after it.
        let mut state = reactions.number(&machine.start());
        if let Some(does) = reactions.react(state, &platform.initial) {
            state = does.after;
        }
        let rows =
            std::iter::once(&platform.initial).chain(table.steps.iter().map(|it| &it.inputs));
        let rows: Vec<Vec<Value>> = rows.cloned().collect();
        for row in &rows {
            let does = reactions.react(state, row);
            steps.push((state, does));
            state = does.map_or(state, |does| does.after);
        }
        Scenario { reactions, inputs: machine.program().inputs().collect(), steps, rows }
    }

    /// Whether a step does what is intended with these inputs.
    fn is_same(&mut self, number: usize, row: &[Value]) -> bool {
        let (from, intended) = self.steps[number];
        let does = self.reactions.react(from, row);
        does.is_some() && does == intended
    }

    /// Whether a value of an input makes no difference around a step, if it comes so many steps early or stays so many longer.
    fn is_harmless(&mut self, number: usize, reach: usize, column: usize, value: Value) -> bool {
        let last = (number + reach).min(self.steps.len() - 1);
        (number.saturating_sub(reach)..=last).all(|at| {
            let mut row = self.rows[at].clone();
            row[column] = value;
            self.is_same(at, &row)
        })
    }

    /// Inputs with which a step does what is intended, and of which as few as possible are new.
    fn least(&mut self, number: usize, before: &[Value], wanted: &[Value]) -> Vec<Value> {
        if self.is_same(number, before) {
            return before.to_vec();
        }
        let looked_at = self.steps[number].1.map(|does| self.reactions.looked_at(does).to_vec());
        let mut row = wanted.to_vec();
        for column in 0..row.len() {
            let kept = std::mem::replace(&mut row[column], before[column]);
            let is_read = looked_at.as_ref().is_none_or(|them| them.contains(&column));
            // What is not looked at makes no difference.
            if is_read && kept != before[column] && !self.is_same(number, &row) {
                row[column] = kept;
            }
        }
        row
    }
}

/// Sends what matters so that it arrives when it should.
#[derive(Clone, Debug)]
pub struct Aimed {
    platform: Arc<Platform>,
    outside: Arc<Outside>,
    /// Values that are not sent yet. Of each, the copies that are left.
    aims: Vec<Aim>,
    n_interactions: usize,
    timetable: Timetable,
    drift: Option<Drift>,
    /// The positions of what was decided last.
    decided: Vec<usize>,
    patience_ns: u64,
}

impl Aimed {
    /// Nothing is sent before the platform tells of its first step.
    #[must_use]
    pub fn new(
        platform: Arc<Platform>,
        outside: Arc<Outside>,
        aims: Aims,
        patience_ns: u64,
    ) -> Aimed {
        let timetable = timetable(&platform);
        let Aims { aims, n_interactions, .. } = aims;
        let (decided, drift) = (Vec::new(), Drift::of(&platform));
        Aimed { drift, platform, outside, aims, n_interactions, timetable, decided, patience_ns }
    }

    /// When the step of an interaction reads its inputs, counted from 1; 0 is the step before the first.
    fn reading(&self, number: usize) -> Option<f64> {
        let step = (self.timetable.planned(0)?.step + number).checked_sub(1)?;
        Some(self.timetable.end(step)? - self.platform.software.mean())
    }

    /// When the next copy of a value is to be sent.
    fn due(&self, aim: &Aim) -> Option<f64> {
        let until = self.reading(aim.before + 1)?;
        // Windows are as long as steps are in truth.
        let stretched = self.timetable.step() / self.platform.step_ns as f64;
        let before = aim.copies.first()? * stretched;
        let drifted = self.drift.as_ref().map_or(0.0, |it| it.input(aim.line));
        Some(until - before - self.platform.inputs[aim.line].mean() - drifted)
    }
}

/// Plans interactions with some time for their inputs to arrive.
#[must_use]
pub fn timetable(platform: &Platform) -> Timetable {
    Timetable::of(platform, LEAD * platform.step_ns as f64)
}

impl Strategy for Aimed {
    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        self.decided.clear();
        let now = situation.now_ns as f64;
        let mut first: Option<f64> = None;
        for aim in &self.aims {
            let Some(due) = self.due(aim) else { break };
            first = Some(first.map_or(due, |it| it.min(due)));
        }
        let Some(first) = first else {
            return match self.reading(self.n_interactions) {
                Some(last) => {
                    let end = last + super::behind(&self.timetable);
                    Decision::End { at_ns: end.ceil() as u64 + self.patience_ns }
                }
                // The platform will tell of a step, or has stopped.
                _ if now > silent_until(&self.timetable, &self.platform, self.patience_ns) => {
                    Decision::End { at_ns: situation.now_ns }
                }
                _ => {
                    let scale = situation.scale;
                    let points = u128::from(self.platform.step_ns) * u128::from(scale.resolution)
                        / u128::from(scale.unit_ns.max(1));
                    let points = i64::try_from(points).unwrap_or(i64::MAX / 4).max(1);
                    Decision::Wait { until: situation.now + points }
                }
            };
        };
        let at = first.max(now);
        let grouping = self.platform.grouping_ns as f64;
        let mut ports: BTreeMap<PortId, Value> = BTreeMap::new();
        for (number, aim) in self.aims.iter().enumerate() {
            let is_due = self.due(aim).is_some_and(|due| due <= at + grouping);
            let port = self.outside.inputs[aim.line];
            // Two values of one port are never sent together.
            if is_due && !ports.contains_key(&port) {
                ports.insert(port, aim.value);
                self.decided.push(number);
            }
        }
        let values = ports.into_iter().collect();
        Decision::Set { ports: Reading { values }, at_ns: at.ceil() as u64 }
    }

    fn sent(&mut self) {
        for number in std::mem::take(&mut self.decided).into_iter().rev() {
            self.aims[number].copies.remove(0);
            if self.aims[number].copies.is_empty() {
                self.aims.remove(number);
            }
        }
    }

    fn heard(&mut self, event: &Event) {
        self.timetable.heard(event, &self.outside);
        if let Some(drift) = &mut self.drift {
            drift.heard(event, &self.outside);
        }
    }
}
