//! The least and greatest values of expressions over the states of a model.

use punctual_model::{Expr, Network, StateExpr};
use punctual_semantics::program::{Builder, Code, Unsupported};
use punctual_semantics::symbolic::{Explorer, Halt, Predicate};
use punctual_zones::Zone;

use crate::{Extremum, Limit};

/// What is measured, and where.
pub(crate) struct Measure {
    within: Option<Predicate>,
    of: Vec<Quantity>,
}

enum Quantity {
    /// An integer.
    Data(Code),
    /// A clock; the code gives its number.
    Clock(Code),
}

/// The extreme values seen so far, one for each quantity.
#[derive(Clone, Default)]
pub(crate) struct Extremes {
    values: Vec<Extremum>,
}

impl Measure {
    pub(crate) fn new(
        network: &Network,
        builder: &mut Builder<'_>,
        within: Option<&StateExpr>,
        of: &[StateExpr],
    ) -> Result<Measure, Unsupported> {
        let within = within.map(|expr| Predicate::new(network, builder, expr)).transpose()?;
        let quantity = |it: &StateExpr| match &it.expr {
            Expr::Clock(clock) => Ok(Quantity::Clock(builder.element(clock)?)),
            expr => Ok(Quantity::Data(builder.value(expr)?)),
        };
        Ok(Measure { within, of: of.iter().map(quantity).collect::<Result<_, _>>()? })
    }

    /// Measures a state.
    pub(crate) fn observe(
        &self,
        judge: &mut Explorer<'_>,
        state: &[i32],
        zone: &Zone,
        extremes: &mut Extremes,
    ) -> Result<(), Halt> {
        let part = match &self.within {
            Some(within) if within.is_data() => match within.holds(judge, state)? {
                true => None,
                false => return Ok(()),
            },
            Some(within) => Some(within.part(judge, state, zone)?),
            None => None,
        };
        let zones = part.as_ref().map_or(std::slice::from_ref(zone), |part| part.zones());
        if zones.is_empty() {
            return Ok(());
        }
        let nothing = Extremum { reachable: false, least: None, greatest: None };
        extremes.values.resize(self.of.len(), nothing);
        for (quantity, extremum) in self.of.iter().zip(&mut extremes.values) {
            match quantity {
                Quantity::Data(code) => {
                    let value = Limit::Attained(judge.value(*code, state)?);
                    extremum.include(value, value);
                }
                Quantity::Clock(code) => {
                    let clock = judge.value(*code, state)?.unsigned_abs() + 1;
                    let number = judge.number_of(state, clock);
                    for zone in zones {
                        extremum.include(least(zone, number), greatest(zone, number));
                    }
                }
            }
        }
        Ok(())
    }
}

fn least(zone: &Zone, clock: usize) -> Limit {
    let limit = zone.min(clock);
    if limit.attained { Limit::Attained(limit.value) } else { Limit::Approached(limit.value) }
}

fn greatest(zone: &Zone, clock: usize) -> Limit {
    match zone.max(clock) {
        None => Limit::Infinite,
        Some(limit) if limit.attained => Limit::Attained(limit.value),
        Some(limit) => Limit::Approached(limit.value),
    }
}

impl Extremes {
    pub(crate) fn merge(&mut self, other: &Extremes) {
        if self.values.is_empty() {
            self.values.clone_from(&other.values);
            return;
        }
        for (ours, theirs) in self.values.iter_mut().zip(&other.values) {
            ours.reachable |= theirs.reachable;
            if let (Some(least), Some(greatest)) = (theirs.least, theirs.greatest) {
                ours.include(least, greatest);
            }
        }
    }

    /// The values of this many quantities.
    pub(crate) fn into_values(mut self, n: usize) -> Vec<Extremum> {
        self.values.resize(n, Extremum { reachable: false, least: None, greatest: None });
        self.values
    }
}

impl Extremum {
    fn include(&mut self, least: Limit, greatest: Limit) {
        self.reachable = true;
        let below = |a: Limit, b: Limit| from_below(a) < from_below(b);
        if self.least.is_none_or(|old| below(least, old)) {
            self.least = Some(least);
        }
        let above = |a: Limit, b: Limit| from_above(a) > from_above(b);
        if self.greatest.is_none_or(|old| above(greatest, old)) {
            self.greatest = Some(greatest);
        }
    }
}

/// The order of limits as infima: what is attained lies below what is only approached.
fn from_below(limit: Limit) -> (i64, bool) {
    match limit {
        Limit::Attained(value) => (i64::from(value), false),
        Limit::Approached(value) => (i64::from(value), true),
        Limit::Infinite => (i64::MIN, false),
    }
}

/// The order of limits as suprema: what is attained lies above what is only approached.
fn from_above(limit: Limit) -> (i64, bool) {
    match limit {
        Limit::Attained(value) => (i64::from(value), true),
        Limit::Approached(value) => (i64::from(value), false),
        Limit::Infinite => (i64::MAX, true),
    }
}
