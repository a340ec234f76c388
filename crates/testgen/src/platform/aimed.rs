//! A case of steps on a platform, of which only that is sent which matters.
//!
//! Most steps read few of their inputs. A value that no step reads need not be sent, and one that is read may arrive at any time after the last step
//! that read the value before it. So the time in which it may arrive is often longer than a step, and it is aimed at the middle
//! of that time. `DIFFERENCE(platform)`: the paper sends a value of each variable in each interaction and aims at the middle
//! of one step; with delays that vary much, most of them miss.

use std::collections::BTreeMap;
use std::sync::Arc;

use punctual_model::testing::platform::{Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_model::{Event, Happening, PortId, Reading, Value, VarId};
use punctual_semantics::lustre::{Machine, Stepper};
use punctual_semantics::platform::Timetable;

use super::Impossible;
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
    /// It must not arrive before the step of this interaction, counted from 1; 0 for the steps before the first, none if nobody reads the
    /// input before.
    behind: Option<usize>,
    /// It must arrive before the step of this interaction, counted from 0.
    before: usize,
}

/// What matters of a case: values, and when they may arrive.
#[derive(Clone, PartialEq, Debug)]
pub struct Aims {
    aims: Vec<Aim>,
    n_interactions: usize,
}

impl Aims {
    /// What the intended scenario reads. The table has a column for each input of the program.
    ///
    /// # Errors
    /// If the platform can not have an interaction.
    pub fn new(
        machine: &Machine,
        platform: &Platform,
        outside: &Outside,
        table: &Table,
    ) -> Result<Aims, Impossible> {
        let inputs: Vec<VarId> = machine.program().inputs().collect();
        let reads = reads(machine, platform, &inputs, table);
        let mut aims: Vec<Aim> = Vec::new();
        for (column, input) in inputs.iter().enumerate() {
            let lines = platform.inputs.iter().enumerate();
            let lines: Vec<usize> =
                lines.filter(|(_, line)| line.variable == *input).map(|(at, _)| at).collect();
            let mut value = platform.initial.get(column).copied();
            // The last step that read it, counted as in `Aim::behind`.
            let mut behind = reads[0][column].then_some(0);
            for (number, step) in table.steps.iter().enumerate() {
                if !reads[number + 1][column] {
                    continue;
                }
                let wanted = step.inputs.get(column).copied();
                if wanted != value {
                    for line in &lines {
                        let value = wanted.and_then(|it| platform.inputs[*line].form.outside(it));
                        let value = value.ok_or(Impossible::NoValue(number, *line))?;
                        aims.push(Aim { line: *line, value, behind, before: number });
                    }
                    value = wanted;
                }
                behind = Some(number + 1);
            }
        }
        contradiction(outside, &aims)?;
        Ok(Aims { aims, n_interactions: table.steps.len() })
    }
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

/// For the last step before the first interaction, and for each interaction, which inputs it reads.
fn reads(
    machine: &Machine,
    platform: &Platform,
    inputs: &[VarId],
    table: &Table,
) -> Vec<Vec<bool>> {
    let mut stepper = Stepper::new(machine);
    let (mut state, mut after) = (machine.start(), machine.start());
    let mut found = Vec::new();
    // Two steps before: the very first one may read less.
    let rows = [&platform.initial; 2].into_iter().chain(table.steps.iter().map(|it| &it.inputs));
    for row in rows {
        for (var, value) in inputs.iter().zip(row) {
            stepper.set(*var, *value);
        }
        let has_result = stepper.step_lazily(&state, &mut after).is_ok();
        let looked_at = stepper.looked_at();
        found.push(inputs.iter().map(|var| !has_result || looked_at.contains(var)).collect());
        if has_result {
            std::mem::swap(&mut state, &mut after);
        }
    }
    found.remove(0);
    found
}

/// Sends what matters so that it arrives when it should.
#[derive(Clone, Debug)]
pub struct Aimed {
    platform: Arc<Platform>,
    outside: Arc<Outside>,
    aims: Vec<Aim>,
    n_interactions: usize,
    timetable: Timetable,
    /// When the last step was done, in nanoseconds.
    last: f64,
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
        let Aims { aims, n_interactions } = aims;
        let decided = Vec::new();
        let last = 0.0;
        Aimed { platform, outside, aims, n_interactions, timetable, last, decided, patience_ns }
    }

    /// When the step of an interaction reads its inputs, counted from 1; 0 is the step before the first.
    fn reading(&self, number: usize) -> Option<f64> {
        let first = self.timetable.planned(0)?.step;
        let ahead = (first + number) as f64 - self.timetable.n_steps() as f64;
        Some(self.last + ahead * self.timetable.step() - self.platform.software.mean())
    }

    /// When a value is to be sent.
    fn due(&self, aim: &Aim) -> Option<f64> {
        let until = self.reading(aim.before + 1)?;
        let steps = aim.behind.map_or(STEPS_MAX, |behind| aim.before + 1 - behind);
        let window = steps.min(STEPS_MAX) as f64 * self.timetable.step();
        Some(until - window / 2.0 - self.platform.inputs[aim.line].delay.mean())
    }
}

/// Plans interactions with some time for their inputs to arrive.
#[must_use]
pub fn timetable(platform: &Platform) -> Timetable {
    let step = platform.step_ns as f64;
    Timetable::new(step, platform.longest() + LEAD * step)
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
                Some(last) if self.timetable.n_steps() > 0 => {
                    let end = last + 2.0 * self.timetable.step();
                    Decision::End { at_ns: end.ceil() as u64 + self.patience_ns }
                }
                // The platform will tell of a step.
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
            self.aims.remove(number);
        }
    }

    fn heard(&mut self, event: &Event) {
        if let Happening::Signal(action) = &event.what
            && Some(action.signal) == self.outside.stepped
        {
            self.timetable.stepped(event.from_ns);
            self.last = event.from_ns as f64;
        }
    }
}
