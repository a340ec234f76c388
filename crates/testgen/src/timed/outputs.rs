//! Outputs that every right system sends in the course of a run, and when.
//!
//! A run is one of many that the same inputs allow. An output of it is expected only if the system can send nothing else
//! before and has to send it in the end; its window is that of all systems. Where something else is possible, nothing
//! more is expected of that part.

use punctual_semantics::estimate::{End, Estimate, Interval, Observation, Overflow, Role, What};
use punctual_semantics::specification::Part;

use super::walk::Run;
use super::world::{Kind, World};

/// An output that has to come.
pub(super) struct Certain {
    /// The position of its step in the run.
    pub(super) step: usize,
    /// The first and the last instant at which it may come, in points of the grid.
    pub(super) window: (i64, i64),
}

/// The outputs of a part that a run has for certain. An input arrives between a least and a greatest delay.
pub(super) fn certain(
    world: &World<'_>,
    part: &Part,
    run: &Run,
    delay: (i64, i64),
) -> Result<Vec<Certain>, Overflow> {
    let mut found = alone(world, part, run, delay)?;
    // An output that has not come when an input arrives may not come any more.
    found.retain(|it| {
        let mut later = run.steps.iter().skip(it.step + 1);
        !later.any(|step| match step.kind {
            Kind::Input(signal) => {
                part.estimator.role(signal) != Role::None && step.at + delay.0 <= it.window.1
            }
            _ => false,
        })
    });
    Ok(found)
}

/// The outputs that come for certain if no input arrives before.
fn alone(
    world: &World<'_>,
    part: &Part,
    run: &Run,
    delay: (i64, i64),
) -> Result<Vec<Certain>, Overflow> {
    let role = |signal| part.estimator.role(signal);
    let mut estimate = Estimate::new(&part.estimator)?;
    let mut found: Vec<Certain> = Vec::new();
    for (number, taken) in run.steps.iter().enumerate() {
        let (signal, interval) = match taken.kind {
            Kind::Input(signal) if role(signal) != Role::None => {
                let (first, last) = ((taken.at + delay.0).max(0), taken.at + delay.1);
                let is_settled = found.last().is_none_or(|it| it.window.1 < first);
                if !is_settled || may_send(&mut estimate, last)? {
                    return Ok(found);
                }
                (signal, Interval::new(End::at(first), End::at(last)))
            }
            Kind::Output(signal) if role(signal) == Role::Sends => {
                let values = world.carried(signal, &taken.after.state);
                let horizon = taken.at + 2 * world.specification.largest_constant() + 1;
                estimate.look_ahead(horizon)?;
                let latest = estimate.latest().filter(|latest| latest.at < horizon);
                let offers = estimate.offers()?;
                let is_it =
                    offers.iter().all(|offer| offer.signal == signal && offer.values == values);
                let first = offers.iter().map(|offer| offer.interval.from.at).min();
                let (Some(first), Some(latest), true) = (first, latest, is_it) else {
                    return Ok(found);
                };
                found.push(Certain { step: number, window: (first, latest.at) });
                (signal, Interval::new(End::at(first), latest))
            }
            _ => continue,
        };
        let values = world.carried(signal, &taken.after.state);
        let what = What::Signal { signal, values: &values };
        if estimate.observe(&Observation { what, interval })?.is_err() {
            return Ok(found);
        }
    }
    Ok(found)
}

/// Whether an output may come up to an instant.
fn may_send(estimate: &mut Estimate<'_>, until: i64) -> Result<bool, Overflow> {
    estimate.look_ahead(until)?;
    Ok(estimate.offers()?.iter().any(|it| it.interval.from.at <= until))
}
