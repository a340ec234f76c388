//! An implementation, a specification and their environment, followed together.

use punctual_model::{ClockId, SignalId};
use punctual_semantics::estimate::{
    self, End, Estimate, Estimator, Interval, Observation, Overflow, Present, Role, Snapshot,
    ValueWindows, What,
};

use super::Seen;
use super::bench::Bench;

/// The three, at one instant.
pub(super) struct Joint<'e> {
    bench: &'e Bench<'e>,
    pub(super) left: Estimate<'e>,
    pub(super) right: Estimate<'e>,
    /// Empty if anybody may send anything at any time.
    environment: Vec<Estimate<'e>>,
}

/// The three, set aside.
pub(super) struct Saved {
    left: Snapshot,
    right: Snapshot,
    environment: Vec<Snapshot>,
}

/// What the three are in, without the instant.
pub(super) type Key = Vec<Vec<Present>>;

/// Why something can not be seen next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Blocked {
    /// The implementation does not do it.
    Left,
    /// The specification does not say what follows, or forbids it.
    Right,
    /// The environment does not do it.
    Environment,
    /// Somebody has to do something else before.
    Late,
}

/// A signal that may be seen next.
pub(super) struct Offer {
    pub(super) signal: SignalId,
    pub(super) values: Vec<i32>,
    pub(super) interval: Interval,
}

impl<'e> Joint<'e> {
    /// All three have just started.
    pub(super) fn new(
        bench: &'e Bench<'e>,
        left: &'e Estimator,
        right: &'e Estimator,
        environment: &'e [Estimator],
    ) -> Result<Joint<'e>, Overflow> {
        let environment = environment.iter().map(Estimate::new).collect::<Result<_, _>>()?;
        let (mut left, mut right) = (Estimate::new(left)?, Estimate::new(right)?);
        left.mind_refusals(true);
        right.mind_refusals(true);
        Ok(Joint { bench, left, right, environment })
    }

    pub(super) fn save(&self) -> Saved {
        let environment = self.environment.iter().map(Estimate::save).collect();
        Saved { left: self.left.save(), right: self.right.save(), environment }
    }

    pub(super) fn restore(&mut self, saved: &Saved) {
        self.left.restore(&saved.left);
        self.right.restore(&saved.right);
        for (ours, saved) in self.environment.iter_mut().zip(&saved.environment) {
            ours.restore(saved);
        }
    }

    pub(super) fn key(&mut self) -> Result<Key, Overflow> {
        let mut key = vec![self.left.present()?, self.right.present()?];
        for part in &mut self.environment {
            key.push(part.present()?);
        }
        Ok(key)
    }

    /// What may be read of the implementation and of the specification, up to a horizon.
    pub(super) fn readings(&mut self, horizon: i64) -> Result<[Vec<ValueWindows>; 2], Overflow> {
        let positions = &self.bench.positions;
        if positions.is_empty() {
            return Ok([Vec::new(), Vec::new()]);
        }
        let left = self.left.reading_windows(positions, horizon)?;
        let right = self.right.reading_windows(positions, horizon)?;
        Ok([left, right])
    }

    /// The inputs that the environment may send, up to a horizon; none if there are too many.
    pub(super) fn inputs(&mut self, horizon: i64) -> Result<Option<Vec<Offer>>, Overflow> {
        if self.environment.is_empty() {
            let interval = Interval { from: self.left.now(), to: None };
            let offer = |(signal, values)| Offer { signal, values, interval };
            return Ok(self.bench.inputs().map(|all| all.into_iter().map(offer).collect()));
        }
        let mut found = Vec::new();
        for part in &mut self.environment {
            offers(part, horizon, &mut found)?;
        }
        let ours = &self.bench.ours;
        found.retain(|offer| ours.role(offer.signal) == Role::Receives);
        Ok(Some(found))
    }

    /// Until when the environment may send nothing; none if for ever, as far as a horizon shows.
    pub(super) fn patience(&mut self, horizon: i64) -> Result<Option<End>, Overflow> {
        let mut patience: Option<End> = None;
        for part in &mut self.environment {
            part.look_ahead(horizon)?;
            let latest = part.latest().filter(|it| it.at < horizon);
            patience = match (patience, latest) {
                (Some(a), Some(b)) => Some(if a.ends_before(b) { a } else { b }),
                (a, b) => a.or(b),
            };
        }
        Ok(patience)
    }

    /// The instants between which clocks of the implementation and of the specification were set to 0.
    pub(super) fn settings(&mut self) -> Vec<(ClockId, i64)> {
        let mut found = self.left.settings();
        found.extend(self.right.settings());
        found
    }

    /// The outputs that the implementation may send, up to a horizon.
    pub(super) fn outputs(&mut self, horizon: i64) -> Result<Vec<Offer>, Overflow> {
        let mut found = Vec::new();
        offers(&mut self.left, horizon, &mut found)?;
        Ok(found)
    }

    /// Whether some states of the implementation, and of the specification, refused an input since this was asked last.
    pub(super) fn take_refused(&mut self) -> [bool; 2] {
        [&mut self.left, &mut self.right].map(|it| !it.take_refusing().is_empty())
    }

    /// The next thing is seen at an instant.
    pub(super) fn see(&mut self, seen: &Seen, at: i64) -> Result<Result<(), Blocked>, Overflow> {
        let interval = Interval::point(at);
        let positions = &self.bench.positions;
        let read: Vec<(u32, i32)> = match seen {
            Seen::Reading(values) => {
                positions.iter().zip(values).map(|(at, (_, value))| (*at, *value)).collect()
            }
            _ => Vec::new(),
        };
        let tell = |part: &mut Estimate<'_>, is_system: bool| {
            let what = match seen {
                Seen::Input(signal, values) | Seen::Output(signal, values)
                    if part.estimator().role(*signal) != Role::None =>
                {
                    What::Signal { signal: *signal, values }
                }
                Seen::Reading(_) if is_system => What::Reading(&read),
                _ => return part.advance(End::at(at)),
            };
            part.observe(&Observation { what, interval })
        };
        for part in &mut self.environment {
            if tell(part, false)?.is_err() {
                return Ok(Err(Blocked::Environment));
            }
        }
        let because = |why: estimate::Blocked, who: Blocked| match why {
            estimate::Blocked::Time => Blocked::Late,
            estimate::Blocked::Signal => who,
        };
        if let Err(why) = tell(&mut self.left, true)? {
            return Ok(Err(because(why, Blocked::Left)));
        }
        Ok(tell(&mut self.right, true)?.map_err(|why| because(why, Blocked::Right)))
    }
}

/// What a part sends, up to a horizon.
fn offers(part: &mut Estimate<'_>, horizon: i64, found: &mut Vec<Offer>) -> Result<(), Overflow> {
    part.look_ahead(horizon)?;
    for estimate::Offer { signal, values, interval, .. } in part.offers()? {
        found.push(Offer { signal, values, interval });
    }
    Ok(())
}
