//! Inputs of a run that a right system may refuse, since some of the states that it may be in do not take them.
//!
//! Behind such an input nothing is known of the system, and so nothing can be checked. Runs avoid them where another instant will
//! do, and what they cover behind one is not told as covered.

use punctual_model::testing::suite::Do;
use punctual_model::{SignalId, Value};
use punctual_semantics::estimate::{End, Estimate, Interval, Observation, Overflow, Role, What};

use super::derive::arrival;
use super::walk::{Run, Taken};
use super::world::{Kind, World};

/// Follows runs and notices inputs that may be refused.
pub(super) struct Refused<'w> {
    world: &'w World<'w>,
    /// The pieces of the system that may refuse an input.
    pieces: Vec<Estimate<'w>>,
}

impl<'w> Refused<'w> {
    /// Nothing was sent yet.
    ///
    /// # Errors
    /// If the model is in error from the start.
    pub(super) fn new(world: &'w World<'w>) -> Result<Refused<'w>, Overflow> {
        let mut pieces = Vec::new();
        for piece in world.pieces.iter().filter(|it| it.minds_refusals) {
            let mut estimate = Estimate::new(&piece.estimator)?;
            estimate.mind_refusals(true);
            pieces.push(estimate);
        }
        Ok(Refused { world, pieces })
    }

    /// The model whose runs are followed.
    pub(super) fn world(&self) -> &'w World<'w> {
        self.world
    }

    /// The same; none if nothing is ever refused, or the model can not be followed.
    pub(super) fn of(world: &'w World<'w>) -> Option<Refused<'w>> {
        Refused::new(world).ok().filter(|it| !it.pieces.is_empty())
    }

    /// The position of the first input of a run that a right system may refuse; the number of steps if there is none.
    ///
    /// # Errors
    /// If the model is in error, or may be in too many states.
    pub(super) fn known(&mut self, run: &Run) -> Result<usize, Overflow> {
        let mut known = run.steps.len();
        for estimate in &mut self.pieces {
            known = followed(self.world, estimate, &run.steps[..known])?;
        }
        Ok(known)
    }

    /// A run up to the first input that a right system may refuse. What can not be followed is left as it is; of what nobody had the time
    /// to follow, nothing is sure.
    pub(super) fn sure(&mut self, run: &Run) -> Run {
        let known = match self.known(run) {
            Ok(known) => known,
            Err(Overflow::Spent) => 0,
            Err(_) => run.steps.len(),
        };
        Run { start: run.start.clone(), steps: run.steps[..known].to_vec() }
    }

    /// The first instant, from that of a step on, at which no state refuses its input after a run; none if there is none, or the run
    /// itself has an input that may be refused.
    ///
    /// # Errors
    /// If the model is in error, or may be in too many states.
    pub(super) fn certain(&mut self, run: &Run, step: &Taken) -> Result<Option<i64>, Overflow> {
        let Kind::Input(signal) = step.kind else { return Ok(Some(step.at)) };
        let values = self.world.carried(signal, &step.after.state);
        let (least, most) = delay(self.world, step.at);
        let horizon = step.at + most + self.world.horizon();
        // Windows that end there need not end at all.
        let looked = horizon + most + 1;
        let mut refusing: Vec<Interval> = Vec::new();
        for estimate in &mut self.pieces {
            if followed(self.world, estimate, &run.steps)? < run.steps.len() {
                return Ok(None);
            }
            if listens(estimate, signal) {
                refusing.extend(estimate.refusal_windows(signal, &values, looked)?);
            }
        }
        let is_free = |at: &i64| {
            let arrives = Interval::new(End::at(at + least), End::at(at + most));
            !refusing.iter().any(|it| !it.meet(arrives).is_empty())
        };
        let behind = refusing.iter().filter_map(|it| it.to).map(|to| to.at + i64::from(!to.open));
        let behind = behind.map(|at| at - least);
        let behind = behind.filter(|at| *at >= step.at && *at + most < horizon);
        let mut instants: Vec<i64> = std::iter::once(step.at).chain(behind).collect();
        instants.sort_unstable();
        Ok(instants.into_iter().find(is_free))
    }
}

/// How much a case does before the first input that a right system may refuse.
///
/// # Errors
/// If the model is in error, or may be in too many states.
pub fn known_parts(world: &World<'_>, parts: &[Do]) -> Result<usize, Overflow> {
    let mut refused = Refused::new(world)?;
    let mut known = parts.len();
    for estimate in &mut refused.pieces {
        estimate.restart()?;
        let mut now_ns = 0;
        for (at, part) in parts[..known].iter().enumerate() {
            match part {
                Do::Wait(ns) => now_ns += ns,
                Do::Send(action) => {
                    let slot = |it: &Value| it.as_slot().unwrap_or(i32::MIN);
                    let values: Vec<i32> = action.values.iter().map(slot).collect();
                    let sent = world.specification.instants.begin(now_ns).at;
                    if !is_taken(world, estimate, (action.signal, &values), sent)? {
                        known = at;
                        break;
                    }
                }
                Do::Check(_) | Do::Expect(_) => {}
            }
        }
    }
    Ok(known)
}

/// Observes an input that is sent at an instant. False if some state may refuse it.
fn is_taken(
    world: &World<'_>,
    estimate: &mut Estimate<'_>,
    (signal, values): (SignalId, &[i32]),
    sent: i64,
) -> Result<bool, Overflow> {
    if !listens(estimate, signal) {
        return Ok(true);
    }
    let interval = arrival(sent, delay(world, sent));
    let what = What::Signal { signal, values };
    let is_taken = estimate.observe(&Observation { what, interval })?.is_ok();
    Ok(is_taken & estimate.take_refusing().is_empty())
}

/// The least and the greatest delay of an input that is sent at an instant, in points of the grid. The clock of the system may be off.
fn delay(world: &World<'_>, sent: i64) -> (i64, i64) {
    let (least, most) = world.input_delay();
    let drift = world.drift(sent + most + 1);
    (least - drift, most + drift)
}

fn listens(estimate: &Estimate<'_>, signal: SignalId) -> bool {
    estimate.estimator().role(signal) != Role::None
}

/// How many steps a piece follows before one that it may refuse.
fn followed(
    world: &World<'_>,
    estimate: &mut Estimate<'_>,
    steps: &[Taken],
) -> Result<usize, Overflow> {
    estimate.restart()?;
    for (at, step) in steps.iter().enumerate() {
        let Kind::Input(signal) = step.kind else { continue };
        let values = world.carried(signal, &step.after.state);
        if !is_taken(world, estimate, (signal, &values), step.at)? {
            return Ok(at);
        }
    }
    Ok(steps.len())
}
