//! A case of steps on a platform that delays inputs: each input is sent so early that the step which should read it does.
//!
//! After section III-D of the Platform paper: for each step that the platform tells of, one interaction is planned ([`Timetable`]); each
//! input of it is sent as much earlier as it takes on average. Where that is longer than a step, several interactions are under way at once.
//! What is due at nearly the same instant is sent together. With delays of 0 this is the direct execution of section III-C:
//! everything is sent in the middle between two steps. `aimed.rs` goes beyond: it sends only what matters.

mod aimed;
mod copies;
mod objectives;
mod trials;

use std::collections::BTreeMap;
use std::sync::Arc;

use punctual_model::testing::platform::{Events, Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_model::{Event, PortId, Reading, Value, VarId};
use punctual_semantics::platform::Timetable;

pub use aimed::{Aimed, Aims, Extent, LEAD, timetable};
pub use objectives::Objectives;
pub use trials::Trials;

use crate::situation::{Decision, Situation, Strategy};

/// A platform that tells of no step for so many steps is not waited for any longer.
const SILENCE: f64 = 20.0;

/// Until when a platform is waited for that tells of no further step, in nanoseconds. Where steps are estimated, what tells of them has its delay.
fn silent_until(timetable: &Timetable, platform: &Platform, patience_ns: u64) -> f64 {
    let patience = timetable.steps().map_or(0, |_| patience_ns);
    timetable.last() + SILENCE * platform.step_ns as f64 + patience as f64
}

/// How long after the last interaction steps are waited for, in nanoseconds: longer where their instants are not known exactly.
fn behind(timetable: &Timetable) -> f64 {
    let n_steps = if timetable.steps().is_some() { 4.0 } else { 2.0 };
    n_steps * timetable.step()
}

/// Interactions of a case, as they are set outside of a platform.
#[derive(Clone, PartialEq, Debug)]
pub struct Interactions {
    /// For each interaction, a value for each line of the inputs.
    values: Vec<Vec<Value>>,
}

/// An interaction that a platform can not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Impossible {
    /// An input has a value that nothing outside stands for: the number of the interaction, from 0, and the line.
    NoValue(usize, usize),
    /// Two lines begin at one variable outside and want different values of it.
    Contradiction(usize, [usize; 2]),
}

impl Interactions {
    /// The interactions of a table whose columns are these inputs.
    ///
    /// # Errors
    /// If the platform can not have one of them.
    pub fn new(
        platform: &Platform,
        outside: &Outside,
        inputs: &[VarId],
        table: &Table,
    ) -> Result<Interactions, Impossible> {
        let column = |var: VarId| inputs.iter().position(|it| *it == var);
        let columns: Vec<Option<usize>> =
            platform.inputs.iter().map(|line| column(line.variable)).collect();
        let mut values = Vec::new();
        for (number, step) in table.steps.iter().enumerate() {
            let mut row: Vec<Value> = Vec::new();
            for (at, (line, column)) in platform.inputs.iter().zip(&columns).enumerate() {
                let inside = column.and_then(|column| step.inputs.get(column));
                let value = inside.and_then(|value| line.form.outside(*value));
                let value = value.ok_or(Impossible::NoValue(number, at))?;
                let port = outside.inputs[at];
                let rival = outside.inputs[..at].iter().position(|it| *it == port);
                if let Some(rival) = rival.filter(|rival| row[*rival] != value) {
                    return Err(Impossible::Contradiction(number, [rival, at]));
                }
                row.push(value);
            }
            values.push(row);
        }
        Ok(Interactions { values })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// Sends the interactions of a case at the instants that the platform's delays ask for.
#[derive(Clone, Debug)]
pub struct Scheduled {
    platform: Arc<Platform>,
    outside: Arc<Outside>,
    interactions: Interactions,
    timetable: Timetable,
    /// How many interactions are scheduled.
    n_scheduled: usize,
    /// What is to be sent, by its instant: the line and the interaction.
    waiting: BTreeMap<u64, Vec<(usize, usize)>>,
    /// The instants of what was decided last.
    decided: Vec<u64>,
    /// How long after the last interaction responses may come, in nanoseconds.
    patience_ns: u64,
}

impl Scheduled {
    /// Nothing is sent before the platform tells of its first step.
    #[must_use]
    pub fn new(
        platform: Arc<Platform>,
        outside: Arc<Outside>,
        interactions: Interactions,
        patience_ns: u64,
    ) -> Scheduled {
        let timetable = Timetable::of(&platform, 0.0);
        Scheduled {
            platform,
            outside,
            interactions,
            timetable,
            n_scheduled: 0,
            waiting: BTreeMap::new(),
            decided: Vec::new(),
            patience_ns,
        }
    }

    /// Schedules the interaction that was planned last.
    fn schedule(&mut self) {
        let number = self.n_scheduled;
        let (Some(planned), Some(values)) =
            (self.timetable.planned(number), self.interactions.values.get(number))
        else {
            return;
        };
        self.n_scheduled += 1;
        let before = number.checked_sub(1).map(|it| &self.interactions.values[it]);
        for (at, line) in self.platform.inputs.iter().enumerate() {
            let is_same = before.is_some_and(|before| before[at] == values[at]);
            if is_same && self.platform.events == Events::Changes {
                continue;
            }
            let due = (planned.at_ns - line.delay.mean()).max(0.0);
            self.waiting.entry(due.round() as u64).or_default().push((at, number));
        }
    }

    /// Schedules interactions of which something is due before the next step, if steps are estimated: later ones may become known more exactly.
    fn schedule_estimated(&mut self, now: f64) {
        if self.timetable.steps().is_none() {
            return;
        }
        let ahead = self.platform.longest() + self.timetable.step();
        while self.n_scheduled < self.interactions.len()
            && (self.timetable.planned(self.n_scheduled))
                .is_some_and(|planned| planned.at_ns - ahead <= now)
        {
            self.schedule();
        }
    }

    /// When the last interaction is over and all responses are there.
    fn end_ns(&self) -> u64 {
        let last = self.interactions.len().checked_sub(1);
        let at_ns = last.and_then(|last| self.timetable.planned(last)).map_or(0.0, |it| it.at_ns);
        (at_ns + behind(&self.timetable)).ceil() as u64 + self.patience_ns
    }
}

impl Strategy for Scheduled {
    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        self.decided.clear();
        let now = situation.now_ns as f64;
        self.schedule_estimated(now);
        let Some((&at_ns, _)) = self.waiting.first_key_value() else {
            if self.n_scheduled == self.interactions.len() {
                return Decision::End { at_ns: self.end_ns() };
            }
            if self.timetable.planned(self.n_scheduled).is_none()
                && now > silent_until(&self.timetable, &self.platform, self.patience_ns)
            {
                return Decision::End { at_ns: situation.now_ns };
            }
            // The platform will tell of a step, or show enough to estimate some.
            let points = u128::from(self.platform.step_ns) * u128::from(situation.scale.resolution)
                / u128::from(situation.scale.unit_ns.max(1));
            let points = i64::try_from(points).unwrap_or(i64::MAX / 4).max(1);
            return Decision::Wait { until: situation.now + points };
        };
        // The last value of a port counts.
        let mut ports: BTreeMap<PortId, Value> = BTreeMap::new();
        for (due_ns, lines) in self.waiting.range(..=at_ns + self.platform.grouping_ns) {
            self.decided.push(*due_ns);
            for (line, number) in lines {
                ports.insert(self.outside.inputs[*line], self.interactions.values[*number][*line]);
            }
        }
        Decision::Set { ports: Reading { values: ports.into_iter().collect() }, at_ns }
    }

    fn sent(&mut self) {
        for due_ns in self.decided.drain(..) {
            self.waiting.remove(&due_ns);
        }
    }

    fn heard(&mut self, event: &Event) {
        if self.timetable.heard(event, &self.outside) {
            self.schedule();
        }
    }
}
