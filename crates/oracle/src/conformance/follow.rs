//! Whether a model can follow a case, before anything runs.
//!
//! Inputs of a case come at exact instants, whatever the system does. A component of the environment must be able
//! to send each input then, and may not have to send one that the case does not send; a component of the system
//! must say what follows it. What the system will do is not known yet. So all components are asked until the
//! system may have sent the first output, and after that only those that neither send nor receive an output:
//! what they do depends on the inputs alone. Nothing is called wrong that some system could make right.

use punctual_model::testing::suite::{Body, Case, Do};
use punctual_model::{Direction, Happening};
use punctual_semantics::split::Side;

use super::coverage::Coverage;
use super::followed::Followed;
use super::{Diagnosis, Part, Specification};

/// What a model can not follow.
#[derive(Clone, PartialEq, Debug)]
pub struct Unfollowed {
    /// The part of the case at which the model gets stuck; its last one if that is the end.
    pub part: usize,
    /// Why it gets stuck.
    pub diagnosis: Box<Diagnosis>,
}

/// What a model can not follow of a case; none if it can follow it, or nobody can tell before it is run.
///
/// A table of steps has no signals, so it can always be followed.
#[must_use]
pub fn follow(specification: &Specification, case: &Case) -> Option<Unfollowed> {
    let Body::Timed(parts) = &case.body else { return None };
    let knows_no_output = |part: &Part| {
        let signals = specification.interface().signals.enumerate();
        let mut outputs = signals.filter(|(_, it)| it.direction == Direction::Output);
        outputs.all(|(id, _)| !part.estimator.takes_part(id))
    };
    follow_while(specification, parts, |_| true, |system, to| !may_send(system, to))
        .and_then(|()| follow_while(specification, parts, knows_no_output, |_, _| true))
        .err()
}

/// Whether some part of the system may send an output up to a point of the grid; also if that is too hard to
/// tell.
fn may_send(system: &mut Followed<'_>, to: i64) -> bool {
    system.iter_mut().any(|(_, estimate)| {
        let offers = estimate.look_ahead(to).and_then(|()| estimate.offers());
        offers.map_or(true, |offers| offers.iter().any(|it| it.interval.from.at <= to))
    })
}

/// Follows a case with some components of both sides, as long as the system is known: up to a point of the grid.
fn follow_while(
    specification: &Specification,
    parts: &[Do],
    chosen: impl Fn(&Part) -> bool,
    is_known: impl Fn(&mut Followed<'_>, i64) -> bool,
) -> Result<(), Unfollowed> {
    let last = parts.len().saturating_sub(1);
    let stuck = |part: usize| move |diagnosis| Unfollowed { part, diagnosis };
    let side = |side| Followed::of(specification, side, &chosen).map_err(stuck(0));
    let (mut environment, mut system) = (side(Side::Environment)?, side(Side::System)?);
    let mut coverage = Coverage::new(false);
    let instants = specification.instants;
    let delay_ns = specification.interface().uncertainty.input_ns;
    let mut now_ns = 0u64;
    for (at, part) in parts.iter().enumerate() {
        match part {
            Do::Wait(ns) => now_ns = now_ns.saturating_add(*ns),
            Do::Check(_) | Do::Expect(_) => {}
            Do::Send(action) => {
                let happening = Happening::Signal(action.clone());
                // The environment acts where the tester is; an input reaches the system later.
                let from_ns = now_ns.saturating_add(delay_ns.0);
                let to_ns = now_ns.saturating_add(delay_ns.1);
                if !is_known(&mut system, instants.begin(to_ns).at + 1) {
                    return Ok(());
                }
                for (side, from_ns, to_ns) in
                    [(&mut environment, now_ns, now_ns), (&mut system, from_ns, to_ns)]
                {
                    side.advance(instants.begin(from_ns)).map_err(stuck(at))?;
                    let interval = instants.interval(from_ns, to_ns);
                    side.observe(&happening, interval, &mut coverage).map_err(stuck(at))?;
                }
            }
        }
    }
    match is_known(&mut system, instants.begin(now_ns).at + 1) {
        true => environment.advance(instants.begin(now_ns)).map_err(stuck(last)),
        false => Ok(()),
    }
}
