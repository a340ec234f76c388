//! Inputs of a run that a right system may refuse, since some of the states that it may be in do not take them.
//!
//! Behind such an input nothing is known of the system, and so nothing can be checked. Runs avoid them where another instant will
//! do, and what they cover behind one is not told as covered.

use punctual_model::SignalId;
use punctual_semantics::estimate::{End, Estimate, Interval, Observation, Overflow, Role, What};

use super::walk::{Run, Taken};
use super::world::{Kind, World};

/// Follows runs and notices inputs that may be refused.
pub(super) struct Refused<'w> {
    world: &'w World<'w>,
    /// The pieces of the system that may refuse an input.
    pieces: Vec<Estimate<'w>>,
    /// The least and the greatest delay of an input, in points of the grid.
    input: (i64, i64),
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
        Ok(Refused { world, pieces, input: world.input_delay() })
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
            known = followed(self.world, self.input, estimate, &run.steps[..known])?;
        }
        Ok(known)
    }

    /// A run up to the first input that a right system may refuse. What can not be followed is left as it is.
    pub(super) fn sure(&mut self, run: &Run) -> Run {
        let known = self.known(run).unwrap_or(run.steps.len());
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
        let (least, most) = self.input;
        let horizon = step.at + most + self.world.horizon();
        let mut refusing: Vec<Interval> = Vec::new();
        for estimate in &mut self.pieces {
            if followed(self.world, self.input, estimate, &run.steps)? < run.steps.len() {
                return Ok(None);
            }
            if listens(estimate, signal) {
                refusing.extend(estimate.refusal_windows(signal, &values, horizon)?);
            }
        }
        let is_free = |at: &i64| {
            let arrives = Interval::new(End::at(at + least), End::at(at + most));
            !refusing.iter().any(|it| !it.meet(arrives).is_empty())
        };
        let behind = refusing.iter().filter_map(|it| it.to).map(|to| to.at + i64::from(!to.open));
        let behind = behind.map(|at| at - least).filter(|at| (step.at..horizon).contains(at));
        let mut instants: Vec<i64> = std::iter::once(step.at).chain(behind).collect();
        instants.sort_unstable();
        Ok(instants.into_iter().find(is_free))
    }
}

fn listens(estimate: &Estimate<'_>, signal: SignalId) -> bool {
    estimate.estimator().role(signal) != Role::None
}

/// How many steps a piece follows before one that it may refuse.
fn followed(
    world: &World<'_>,
    (least, most): (i64, i64),
    estimate: &mut Estimate<'_>,
    steps: &[Taken],
) -> Result<usize, Overflow> {
    estimate.restart()?;
    for (at, step) in steps.iter().enumerate() {
        let Kind::Input(signal) = step.kind else { continue };
        if !listens(estimate, signal) {
            continue;
        }
        let values = world.carried(signal, &step.after.state);
        let interval = Interval::new(End::at(step.at + least), End::at(step.at + most));
        let what = What::Signal { signal, values: &values };
        let taken = estimate.observe(&Observation { what, interval })?;
        let is_refused = !estimate.take_refusing().is_empty();
        if taken.is_err() || is_refused {
            return Ok(at);
        }
    }
    Ok(steps.len())
}
