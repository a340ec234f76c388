//! Clock constraints over time: after which delays they hold.

use punctual_model::{ClockConstraint, Expr, Number, Relation};

use super::simulator::Context;
use crate::Fault;
use crate::program::{Builder, Code, DoubleCode, Unsupported};

/// How much the sides of a comparison of clocks may differ and still count as equal, relative to the
/// bound where that is above 1.
pub const TOLERANCE: f64 = 1e-9;

/// A clock constraint, compiled.
#[derive(Debug)]
pub(crate) enum Limit {
    /// A clock compared with a constant.
    Fixed { clock: u32, relation: Relation, bound: f64 },
    /// Anything else.
    General {
        when: Option<Code>,
        left: Option<Code>,
        right: Option<Code>,
        relation: Relation,
        bound: DoubleCode,
    },
}

/// The delays after which something holds: all between two. Empty if `from > to`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Window {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Window {
    pub(crate) const ALWAYS: Window = Window { from: 0.0, to: f64::INFINITY };
    const NEVER: Window = Window { from: f64::INFINITY, to: f64::NEG_INFINITY };

    pub(crate) fn is_empty(self) -> bool {
        self.from > self.to
    }

    fn meet(&mut self, other: Window) {
        self.from = self.from.max(other.from);
        self.to = self.to.min(other.to);
    }
}

impl Limit {
    pub(crate) fn new(
        builder: &mut Builder<'_>,
        constraint: &ClockConstraint,
    ) -> Result<Limit, Unsupported> {
        let ClockConstraint { when, left, right, relation, number, bound } = constraint;
        let when = when.as_ref().map(|when| builder.value(when)).transpose()?;
        let left = left.as_ref().map(|clock| builder.element(clock)).transpose()?;
        let right = right.as_ref().map(|clock| builder.element(clock)).transpose()?;
        let bound = match number {
            Number::Double => builder.double(bound)?,
            Number::Int => builder.double(&Expr::ToDouble(Box::new(bound.clone())))?,
        };
        let relation = *relation;
        Ok(match (&when, left.and_then(Code::constant), &right, bound.constant()) {
            (None, Some(clock), None, Some(bound)) => {
                Limit::Fixed { clock: clock.unsigned_abs(), relation, bound }
            }
            _ => Limit::General { when, left, right, relation, bound },
        })
    }

    /// After which delays from now it holds.
    #[inline]
    pub(crate) fn window(&self, context: &mut Context<'_>) -> Result<Window, Fault> {
        match *self {
            Limit::Fixed { clock, relation, bound } => {
                let (value, rate) = context.clock(clock as usize);
                Ok(window(value, rate, relation, bound))
            }
            Limit::General { .. } => self.general(context),
        }
    }

    fn general(&self, context: &mut Context<'_>) -> Result<Window, Fault> {
        match self.difference(context)? {
            Some((value, rate, relation, bound)) => Ok(window(value, rate, relation, bound)),
            None => Ok(Window::ALWAYS),
        }
    }

    /// What is compared, how it changes, and with what; none if nothing is demanded.
    fn difference(
        &self,
        context: &mut Context<'_>,
    ) -> Result<Option<(f64, f64, Relation, f64)>, Fault> {
        match *self {
            Limit::Fixed { clock, relation, bound } => {
                let (value, rate) = context.clock(clock as usize);
                Ok(Some((value, rate, relation, bound)))
            }
            Limit::General { when, left, right, relation, bound } => {
                if let Some(when) = when
                    && context.value(when)? == 0
                {
                    return Ok(None);
                }
                let mut side = |clock: Option<Code>| -> Result<(f64, f64), Fault> {
                    let Some(clock) = clock else { return Ok((0.0, 0.0)) };
                    let clock = context.value(clock)?.unsigned_abs() as usize;
                    Ok(context.clock(clock))
                };
                let ((left, left_rate), (right, right_rate)) = (side(left)?, side(right)?);
                let bound = context.real(bound)?;
                Ok(Some((left - right, left_rate - right_rate, relation, bound)))
            }
        }
    }

    /// When the two sides are equal: ahead, or a moment ago (a negative delay).
    pub(crate) fn crossing(&self, context: &mut Context<'_>) -> Result<Option<Crossing>, Fault> {
        let Some((value, rate, _, bound)) = self.difference(context)? else { return Ok(None) };
        let delay = (bound - value) / rate;
        if !delay.is_finite() {
            return Ok(None);
        }
        let clock = match *self {
            Limit::Fixed { clock, .. } => Some((clock, bound)),
            Limit::General { left: Some(left), right: None, .. } => {
                Some((context.value(left)?.unsigned_abs(), bound))
            }
            Limit::General { left: None, right: Some(right), .. } => {
                Some((context.value(right)?.unsigned_abs(), -bound))
            }
            Limit::General { .. } => None,
        };
        Ok(Some(Crossing { delay, clock }))
    }
}

/// An instant at which the sides of a comparison are equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    pub(crate) delay: f64,
    /// If one clock is compared, its exact value then: computed from the delay it is rounded.
    pub(crate) clock: Option<(u32, f64)>,
}

/// The delays from now on for which all limits hold.
#[inline]
pub(crate) fn window_of(limits: &[Limit], context: &mut Context<'_>) -> Result<Window, Fault> {
    let mut all = Window::ALWAYS;
    for limit in limits {
        all.meet(limit.window(context)?);
        if all.is_empty() {
            break;
        }
    }
    Ok(all)
}

/// When a value that changes at a rate compares so with a bound.
#[inline]
fn window(value: f64, rate: f64, relation: Relation, bound: f64) -> Window {
    // What the general case comes to for the commonest comparisons.
    let missing = bound - value;
    let slack = TOLERANCE * if bound.abs() > 1.0 { bound.abs() } else { 1.0 };
    match relation {
        Relation::GreaterEqual if rate == 1.0 => {
            let from = if missing <= slack { 0.0 } else { missing };
            Window { from, to: f64::INFINITY }
        }
        Relation::LessEqual if rate == 1.0 && missing >= -slack => {
            Window { from: 0.0, to: if missing > 0.0 { missing } else { 0.0 } }
        }
        _ => any_window(value, rate, relation, bound),
    }
}

fn any_window(value: f64, rate: f64, relation: Relation, bound: f64) -> Window {
    let slack = TOLERANCE * bound.abs().max(1.0);
    let (below, above) = match relation {
        Relation::Less | Relation::LessEqual => (true, false),
        Relation::Equal => (true, true),
        Relation::GreaterEqual | Relation::Greater => (false, true),
        // Holds but for an instant, which is hit with probability zero; guards refuse it anyway.
        Relation::NotEqual => return Window::ALWAYS,
    };
    // A strict bound is met only beyond the slack, any other one also a little before.
    let room = match relation {
        Relation::Less | Relation::Greater => -slack,
        _ => slack,
    };
    let missing = bound - value;
    let mut window = Window::ALWAYS;
    if below && !(missing >= -room && rate <= 0.0) {
        window.meet(edge(missing, rate, room, 1.0));
    }
    if above && !(missing <= room && rate >= 0.0) {
        window.meet(edge(missing, rate, room, -1.0));
    }
    window
}

/// The delays for which `missing - rate * delay` is not below (`sign` 1) or not above (-1) zero.
fn edge(missing: f64, rate: f64, room: f64, sign: f64) -> Window {
    let (missing, rate) = (missing * sign, rate * sign);
    let holds_now = missing >= -room;
    if rate == 0.0 {
        return if holds_now { Window::ALWAYS } else { Window::NEVER };
    }
    let instant = missing / rate;
    match (rate > 0.0, holds_now) {
        (true, true) => Window { from: 0.0, to: instant.max(0.0) },
        (true, false) => Window::NEVER,
        (false, true) => Window::ALWAYS,
        (false, false) => Window { from: instant, to: f64::INFINITY },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64, rate: f64, relation: Relation) -> Option<(f64, f64)> {
        let window = window(value, rate, relation, 5.0);
        (!window.is_empty()).then_some((window.from, window.to))
    }

    #[test]
    fn common_windows_are_those_of_the_general_case() {
        for value in [-3.0, 0.0, 4.0, 5.0 - 1e-10, 5.0, 5.0 + 1e-10, 5.0 + 1e-8, 9.0] {
            for relation in [Relation::GreaterEqual, Relation::LessEqual] {
                for bound in [-2.0, 0.0, 0.5, 5.0] {
                    let general = any_window(value, 1.0, relation, bound);
                    assert_eq!(
                        window(value, 1.0, relation, bound),
                        general,
                        "{value} {relation:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn windows_of_rising_clocks() {
        let inf = f64::INFINITY;
        assert_eq!(of(2.0, 1.0, Relation::LessEqual), Some((0.0, 3.0)));
        assert_eq!(of(2.0, 2.0, Relation::Less), Some((0.0, 1.5)));
        assert_eq!(of(6.0, 1.0, Relation::LessEqual), None);
        assert_eq!(of(2.0, 1.0, Relation::GreaterEqual), Some((3.0, inf)));
        assert_eq!(of(6.0, 1.0, Relation::Greater), Some((0.0, inf)));
        assert_eq!(of(2.0, 1.0, Relation::Equal), Some((3.0, 3.0)));
        assert_eq!(of(5.0, 1.0, Relation::Equal), Some((0.0, 0.0)));
        assert_eq!(of(6.0, 1.0, Relation::Equal), None);
    }

    #[test]
    fn windows_of_clocks_that_stand_still_or_fall() {
        let inf = f64::INFINITY;
        assert_eq!(of(2.0, 0.0, Relation::GreaterEqual), None);
        assert_eq!(of(2.0, 0.0, Relation::LessEqual), Some((0.0, inf)));
        assert_eq!(of(5.0, 0.0, Relation::Equal), Some((0.0, inf)));
        assert_eq!(of(7.0, -1.0, Relation::LessEqual), Some((2.0, inf)));
        assert_eq!(of(7.0, -1.0, Relation::Greater), Some((0.0, 2.0)));
        assert_eq!(of(2.0, -1.0, Relation::GreaterEqual), None);
    }

    #[test]
    fn strict_bounds_do_not_hold_at_the_bound() {
        let inf = f64::INFINITY;
        assert_eq!(of(5.0, 1.0, Relation::LessEqual), Some((0.0, 0.0)));
        assert_eq!(of(5.0, 0.0, Relation::Less), None);
        assert_eq!(of(5.0, 0.0, Relation::Greater), None);
        assert_eq!(of(5.0, 0.0, Relation::GreaterEqual), Some((0.0, inf)));
    }
}
