//! The least and greatest values of expressions over the states of a model: `sup`, `inf`, `bounds`.
//!
//! States are measured before they are made coarser. What lies below the constant that a clock is
//! extrapolated with is exact; where a clock goes beyond, it either grows for ever in some state, or
//! the search is done again with a larger constant.

use punctual_model::{Expr, Id, Network, StateExpr};
use punctual_semantics::bounds::{ClockBound, Directions};
use punctual_semantics::program::{Builder, Code, Unsupported};
use punctual_semantics::symbolic::{Explorer, Halt, Predicate};
use punctual_zones::Zone;

use crate::goal::Goal;
use crate::plan::Plan;
use crate::reach::{error, explore, mentions_deadlock};
use crate::search::{End, Meter};
use crate::{Answer, Extremum, Limit, Observer, Options, Outcome, Refusal, Undecided};

/// How many times the largest constant of the model a limit of a clock is looked for.
const GROWTH: i32 = 64;

/// Which limits are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sides {
    Least,
    Greatest,
    Both,
}

/// The extreme values of some expressions over the reachable states that satisfy a condition.
pub(crate) fn measure(
    network: &Network,
    within: Option<&StateExpr>,
    of: &[StateExpr],
    sides: Sides,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    let mut queries: Vec<&StateExpr> = of.iter().collect();
    queries.extend(within);
    let directions = match within.is_some_and(mentions_deadlock) {
        true => Directions::Joined,
        false => Directions::Apart,
    };
    let clocks = measured_clocks(of);
    let (mut constant, mut grown) = (0, 0);
    let mut before = None;
    loop {
        let asked: Vec<ClockBound> = clocks
            .iter()
            .map(|&clock| ClockBound { clock, lower: constant, upper: constant })
            .collect();
        let (plan, measure) =
            Plan::new(network, directions, options, &queries, &asked, |builder| {
                Measure::new(network, builder, within, of)
            })?;
        let largest = plan.symbolic.bounds().largest().max(1);
        if constant < largest && !clocks.is_empty() {
            constant = largest;
            grown = largest.saturating_mul(GROWTH).clamp(1 << 12, 1 << 22).max(largest);
            continue;
        }
        let meter = Meter::new(&mut *observer, &options.budget);
        let mut search = explore(&plan, &Goal::Values(&measure), options, meter);
        search.statistics.add(before.take());
        let answer = match search.end {
            End::Spent(spent) => Answer::Undecided(spent.into()),
            End::Trouble { node, trouble } => {
                let path = search.passed.path(node);
                error(network, &plan, &mut search.passed, node, &path, *trouble)
            }
            End::Exhausted | End::Goal { .. } if !search.extremes.is_beyond(constant, sides) => {
                Answer::Values(search.extremes.into_values(of.len(), sides))
            }
            End::Exhausted | End::Goal { .. } if constant >= grown => {
                Answer::Undecided(Undecided::Growing { beyond: constant })
            }
            End::Exhausted | End::Goal { .. } => {
                constant = constant.saturating_mul(4).min(grown);
                before = Some(search.statistics);
                continue;
            }
        };
        return Ok(Outcome { answer, statistics: search.statistics, trace: None });
    }
}

/// The clocks among the expressions.
fn measured_clocks(of: &[StateExpr]) -> Vec<u32> {
    let mut clocks = Vec::new();
    for expr in of {
        if let Expr::Clock(clock) = &expr.expr {
            let span: u32 = clock.indices.iter().map(|it| (it.len - 1) * it.stride).sum();
            let base = clock.base.index() as u32;
            clocks.extend(base..=base + span);
        }
    }
    clocks
}

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
    /// Clocks are among the quantities.
    clocks: bool,
    /// For each quantity: whether it is a clock without a limit in a state that does not last for
    /// ever.
    grows: Vec<bool>,
}

const NOTHING: Extremum = Extremum { reachable: false, least: None, greatest: None };

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
        diverges: bool,
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
        extremes.values.resize(self.of.len(), NOTHING);
        extremes.grows.resize(self.of.len(), false);
        let Extremes { values, clocks, grows } = extremes;
        for ((quantity, extremum), grows) in self.of.iter().zip(values).zip(grows) {
            match quantity {
                Quantity::Data(code) => {
                    let value = Limit::Attained(judge.value(*code, state)?);
                    extremum.include(value, value);
                }
                Quantity::Clock(code) => {
                    let clock = judge.value(*code, state)?.unsigned_abs() + 1;
                    let number = judge.number_of(state, clock);
                    for zone in zones {
                        let (least, greatest) = (least(zone, number), greatest(zone, number));
                        // A part of a zone may have an end where the whole has none.
                        let endless = diverges && (part.is_none() || zone.view().is_unbounded());
                        let unsure = greatest == Limit::Infinite && !endless;
                        extremum.include(least, if unsure { least } else { greatest });
                        *clocks = true;
                        *grows |= unsure;
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
        self.clocks |= other.clocks;
        self.grows.resize(self.grows.len().max(other.grows.len()), false);
        for (ours, theirs) in self.grows.iter_mut().zip(&other.grows) {
            *ours |= theirs;
        }
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

    /// Whether a limit of a clock may lie beyond the constant it was extrapolated with.
    fn is_beyond(&self, constant: i32, sides: Sides) -> bool {
        let high = |it: &Extremum| match it.least {
            Some(Limit::Attained(value) | Limit::Approached(value)) => value >= constant,
            Some(Limit::Infinite) | None => false,
        };
        let least_unsure = self.clocks && self.values.iter().any(high);
        let mut greatest = self.values.iter().zip(&self.grows);
        let greatest_unsure = greatest.any(|(it, grows)| match it.greatest {
            Some(Limit::Infinite) | None => false,
            Some(Limit::Attained(value) | Limit::Approached(value)) => {
                *grows || (self.clocks && value > constant)
            }
        });
        (sides != Sides::Least && greatest_unsure) || (sides != Sides::Greatest && least_unsure)
    }

    /// The values of this many quantities.
    fn into_values(mut self, n: usize, sides: Sides) -> Vec<Extremum> {
        self.values.resize(n, NOTHING);
        for value in &mut self.values {
            match sides {
                Sides::Least => value.greatest = None,
                Sides::Greatest => value.least = None,
                Sides::Both => {}
            }
        }
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
