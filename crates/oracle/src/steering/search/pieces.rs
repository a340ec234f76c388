//! All changes of a step that make it match, cheapest first, however wide tolerances are.
//!
//! A step that is taken says in which box of inputs it does the same
//! ([`Around`](punctual_semantics::lustre::Around)). So the allowed inputs are cut into pieces: from each, the
//! cheapest inputs are tried, the box around them is cut out, and the rest are pieces again. In such
//! a box outputs are linear, so one either matches for certain values, or not at all; and of inputs
//! that do not show in the state after the step only the cheapest matter.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use punctual_model::lustre::{Rational, Value};
use punctual_semantics::lustre::State;

use super::enumerate::Found;
use super::{Need, Room, Searcher, Wanted, from_cell, type_of};
use crate::steering::doubt::{Doubt, Limit};
use crate::steering::exact;
use crate::steering::metric::is_match;
use crate::steering::policy;
use crate::steering::tolerance::domain::to_cell;

/// The number of pieces to begin with up to which a search by pieces is worth it.
const FIRST_MAX: usize = 64;

/// Inputs that may be chosen: a range for each steerable variable.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    /// The cost of the cheapest inputs of the piece.
    price: Rational,
    units: Rational,
    /// The number of pieces that were made before, so that the order does not depend on chance.
    order: u64,
    ranges: Vec<(i64, i64)>,
}

impl Ord for Piece {
    fn cmp(&self, other: &Piece) -> Ordering {
        let key = |it: &Piece| (it.price, it.units, it.order);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Piece) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The position of a search by pieces.
struct Hunt<'h> {
    state: &'h State,
    need: Need<'h>,
    room: &'h Room,
    /// The steerable inputs of the test.
    original: Vec<i64>,
    heap: BinaryHeap<Reverse<Piece>>,
    n_made: u64,
    /// Whether pieces were left out since they cost more than the bound of the search.
    is_cost_bounded: bool,
}

/// The prices and the units of changes. The price of steering a step is not included.
#[derive(Clone, Copy)]
struct Sum {
    price: Rational,
    units: Rational,
}

impl Searcher<'_> {
    /// Adds the steps that match, cheapest first. Gives the doubt whether those are all that are wanted;
    /// None if the allowed inputs can not be cut into pieces.
    pub(super) fn hunt(
        &mut self,
        state: &State,
        need: Need<'_>,
        room: &Room,
        found: &mut Found,
    ) -> Option<Doubt> {
        if !self.oracle.is_cut() || !need.last.is_empty() {
            return None;
        }
        let original = self.oracle.steered_inputs.iter().map(|at| to_cell(self.inputs[*at]));
        let original: Vec<i64> = original.collect();
        let mut hunt = Hunt {
            state,
            need,
            room,
            original,
            heap: BinaryHeap::new(),
            n_made: 0,
            is_cost_bounded: false,
        };
        for ranges in self.first_pieces(&hunt)? {
            let cost = self.cost(&hunt, &ranges);
            self.push(&mut hunt, ranges, cost);
        }
        self.restore();
        for (at, value) in room.base.iter().enumerate() {
            self.stepper.set(self.oracle.opened.steered[at], *value);
        }
        let limits = self.oracle.setup.limits;
        let (steps_max, steps_limit) = match need.steps_max < limits.enumerated {
            true => (need.steps_max, Limit::Steps),
            false => (limits.enumerated, Limit::Enumerated),
        };
        let mut n_steps = 0;
        let doubt = loop {
            let Some(Reverse(piece)) = hunt.heap.pop() else {
                break if hunt.is_cost_bounded { Doubt::cost_bound() } else { Doubt::default() };
            };
            if found.is_settled(piece.price, piece.units) {
                break Doubt::default();
            }
            if need.wanted != Wanted::Best && found.n_matches() >= limits.candidates {
                break Doubt::limit(Limit::Candidates);
            }
            n_steps += 1;
            if n_steps > steps_max {
                break Doubt::limit(steps_limit);
            }
            self.try_piece(&mut hunt, piece, found);
        };
        self.effort.steps += n_steps;
        Some(doubt)
    }

    /// The ranges of the pieces to begin with; None if they are too many or not of integers.
    fn first_pieces(&self, hunt: &Hunt<'_>) -> Option<Vec<Vec<(i64, i64)>>> {
        let mut choices: Vec<Vec<(i64, i64)>> = Vec::new();
        for at in 0..hunt.original.len() {
            let mut ranges = hunt.room.ranges[at].clone()?;
            let (mut low, mut high) = (i64::MIN, i64::MAX);
            let from = self.inputs[self.oracle.steered_inputs[at]];
            if is_real(from) {
                // There is one value; whether it keeps what is held is seen in the end.
                choices.push(ranges);
                continue;
            }
            match hunt.need.directions.get(at) {
                Some(Ordering::Greater) => low = hunt.original[at],
                Some(Ordering::Less) => high = hunt.original[at],
                _ => {}
            }
            if let Some((held, by)) = hunt.need.held
                && held == at
            {
                let bound = exact::sum(from.as_rational(), by);
                if by > exact::zero() {
                    low = low.max(i64::try_from(exact::ceiling(bound)).ok()?);
                } else {
                    high = high.min(i64::try_from(exact::floor(bound)).ok()?);
                }
            }
            ranges.retain_mut(|range| {
                *range = (range.0.max(low), range.1.min(high));
                range.0 <= range.1
            });
            choices.push(ranges);
        }
        match hunt.need.wanted {
            Wanted::Single => {
                // A real that must change is a change, too.
                let real = |(at, base): (usize, &Value)| {
                    is_real(*base) && *base != self.inputs[self.oracle.steered_inputs[at]]
                };
                let has_one = hunt.room.base.iter().enumerate().any(real);
                (!has_one).then(|| self.singles(hunt, &choices))
            }
            Wanted::Best | Wanted::Nearest => products(&choices),
        }
    }

    /// Pieces in which one variable is changed.
    fn singles(&self, hunt: &Hunt<'_>, choices: &[Vec<(i64, i64)>]) -> Vec<Vec<(i64, i64)>> {
        let base: Vec<(i64, i64)> = hunt.original.iter().map(|it| (*it, *it)).collect();
        let allows = |at: usize, value: i64| {
            choices[at].iter().any(|(low, high)| (*low..=*high).contains(&value))
        };
        let mut pieces = Vec::new();
        for (at, ranges) in choices.iter().enumerate() {
            if (0..choices.len()).any(|other| other != at && !allows(other, hunt.original[other])) {
                continue;
            }
            let own = hunt.original[at];
            for (low, high) in ranges {
                let below = own.checked_sub(1).map(|below| (*low, below.min(*high)));
                let above = own.checked_add(1).map(|above| (above.max(*low), *high));
                for part in [below, above].into_iter().flatten() {
                    if part.0 <= part.1 {
                        let mut piece = base.clone();
                        piece[at] = part;
                        pieces.push(piece);
                    }
                }
            }
        }
        pieces
    }

    /// The cost of the cheapest value of a range.
    fn cost_of(&self, hunt: &Hunt<'_>, at: usize, (low, high): (i64, i64)) -> Sum {
        let from = self.inputs[self.oracle.steered_inputs[at]];
        let to = match from {
            Value::Real(_) => hunt.room.base[at],
            // Most are not changed.
            _ if (low..=high).contains(&hunt.original[at]) => from,
            _ => from_cell(type_of(self.oracle, at), hunt.original[at].clamp(low, high)),
        };
        if from == to {
            return Sum { price: exact::zero(), units: exact::zero() };
        }
        let price = self.oracle.setup.policy.price(at, from, to, None);
        Sum { price, units: policy::units(from, to) }
    }

    /// The cost of the cheapest inputs of a piece.
    fn cost(&self, hunt: &Hunt<'_>, ranges: &[(i64, i64)]) -> Sum {
        let mut sum = Sum { price: exact::zero(), units: exact::zero() };
        for (at, range) in ranges.iter().enumerate() {
            let cost = self.cost_of(hunt, at, *range);
            sum.price = exact::sum(sum.price, cost.price);
            sum.units = exact::sum(sum.units, cost.units);
        }
        sum
    }

    /// Adds a piece of this cost, unless that is above the bound of the search.
    fn push(&self, hunt: &mut Hunt<'_>, ranges: Vec<(i64, i64)>, cost: Sum) {
        if let Some(price) = self.affordable(hunt, cost) {
            self.add(hunt, ranges, price, cost.units);
        }
    }

    fn add(&self, hunt: &mut Hunt<'_>, ranges: Vec<(i64, i64)>, price: Rational, units: Rational) {
        hunt.n_made += 1;
        hunt.heap.push(Reverse(Piece { price, units, order: hunt.n_made, ranges }));
    }

    /// The price with that of steering a step; None if it is above the bound of the search.
    fn affordable(&self, hunt: &mut Hunt<'_>, cost: Sum) -> Option<Rational> {
        let price = match cost.units > exact::zero() {
            true => exact::sum(cost.price, self.oracle.setup.policy.step),
            false => cost.price,
        };
        let is_dear = hunt.need.cost_max.is_some_and(|most| price > most);
        hunt.is_cost_bounded |= is_dear;
        (!is_dear).then_some(price)
    }

    /// Takes the step with the cheapest inputs of a piece.
    fn try_piece(&mut self, hunt: &mut Hunt<'_>, piece: Piece, found: &mut Found) {
        let mut point: Vec<i64> = Vec::with_capacity(piece.ranges.len());
        for (at, (low, high)) in piece.ranges.iter().enumerate() {
            let cell = hunt.original[at].clamp(*low, *high);
            point.push(cell);
            if !is_real(hunt.room.base[at]) {
                let value = from_cell(type_of(self.oracle, at), cell);
                self.stepper.set(self.oracle.opened.steered[at], value);
            }
        }
        self.around.start(&piece.ranges);
        let taken = self.stepper.step_around(hunt.state, &mut self.after, &mut self.around);
        let inner: Vec<(i64, i64)> = match taken {
            Ok(()) => self.around.ranges().to_vec(),
            Err(_) => point.iter().map(|it| (*it, *it)).collect(),
        };
        self.push_rest(hunt, &piece.ranges, &inner);
        if taken.is_err() || !self.stepper.is_assumed() {
            return;
        }
        if hunt.need.held.is_some_and(|(at, _)| !self.stepper.reads().contains(at)) {
            return;
        }
        let Some(chosen) = self.solve_outputs(hunt, &inner, &point) else { return };
        if hunt.need.wanted != Wanted::Best {
            self.push_other_states(hunt, &inner, &chosen);
        }
        let cell = |at: usize| chosen[at].unwrap_or(point[at]);
        if (0..point.len()).any(|at| cell(at) != point[at]) {
            // It costs more than this piece seemed to: later.
            let ranges: Vec<_> = (0..point.len()).map(|at| (cell(at), cell(at))).collect();
            let cost = self.cost(hunt, &ranges);
            self.push(hunt, ranges, cost);
            return;
        }
        let mut changes = Vec::new();
        for (at, cell) in point.iter().enumerate() {
            let from = self.inputs[self.oracle.steered_inputs[at]];
            let to = match from {
                Value::Real(_) => hunt.room.base[at],
                _ => from_cell(type_of(self.oracle, at), *cell),
            };
            if from != to {
                changes.push((at, to));
            }
        }
        // The unsteered step needs no permission, and is known.
        if !changes.is_empty() {
            let leaf = self.leaf(changes, &[]);
            if is_match(leaf.cost.dissimilarity) {
                found.add(leaf);
            }
        }
    }

    /// Adds what is left of a piece without a box in it. The cheapest inputs of both are the same.
    fn push_rest(&self, hunt: &mut Hunt<'_>, outer: &[(i64, i64)], inner: &[(i64, i64)]) {
        let all = self.cost(hunt, inner);
        let mut rest = outer.to_vec();
        for at in 0..outer.len() {
            let ((low, high), (from, to)) = (outer[at], inner[at]);
            let own = self.cost_of(hunt, at, inner[at]);
            let sides =
                [(low < from).then(|| (low, from - 1)), (to < high).then(|| (to + 1, high))];
            for side in sides.into_iter().flatten() {
                let new = self.cost_of(hunt, at, side);
                let cost = Sum {
                    price: exact::sum(exact::difference(all.price, own.price), new.price),
                    units: exact::sum(exact::difference(all.units, own.units), new.units),
                };
                if let Some(price) = self.affordable(hunt, cost) {
                    rest[at] = side;
                    self.add(hunt, rest.clone(), price, cost.units);
                }
            }
            rest[at] = inner[at];
        }
    }

    /// The values that variables must have in a box so that all outputs match, where they must have one.
    /// None if there are no such values.
    fn solve_outputs(
        &self,
        hunt: &mut Hunt<'_>,
        inner: &[(i64, i64)],
        point: &[i64],
    ) -> Option<Vec<Option<i64>>> {
        let mut chosen: Vec<Option<i64>> = vec![None; inner.len()];
        // What each output still lacks, and what it depends on.
        let mut open: Vec<(i128, Vec<(usize, i64)>)> = Vec::new();
        let mut inner = inner.to_vec();
        let scales = &self.oracle.setup.metric.scales;
        for ((var, target), scale) in
            self.oracle.setup.compared.iter().zip(&self.target).zip(scales)
        {
            let value = self.stepper.value(*var);
            let slope: Vec<(usize, i64)> = self.stepper.slope(&self.around, *var).collect();
            let is_exact = scale.within == exact::zero();
            if !is_exact {
                // Several values are near enough: this one now, and other values later.
                for (at, _) in slope {
                    let mut slice = inner.clone();
                    slice[at] = (point[at], point[at]);
                    self.push_rest(hunt, &inner, &slice);
                    inner = slice;
                    chosen[at] = Some(point[at]);
                }
                if !scale.is_equal(value, *target) {
                    return None;
                }
                continue;
            }
            if slope.is_empty() {
                if value != *target {
                    return None;
                }
                continue;
            }
            open.push((i128::from(to_cell(*target)) - i128::from(to_cell(value)), slope));
        }
        while !open.is_empty() {
            for (lack, slope) in &mut open {
                slope.retain(|(at, by)| match chosen[*at] {
                    Some(cell) => {
                        let moved = i128::from(cell) - i128::from(point[*at]);
                        *lack = lack.saturating_sub(moved.saturating_mul(i128::from(*by)));
                        false
                    }
                    None => true,
                });
            }
            if open.iter().any(|(lack, slope)| slope.is_empty() && *lack != 0) {
                return None;
            }
            open.retain(|(_, slope)| !slope.is_empty());
            // What lies beyond the box can not be reached by trying its values one by one.
            if open.iter().any(|(lack, slope)| !is_within_reach(*lack, slope, &inner, point)) {
                return None;
            }
            if let Some((lack, slope)) = open.iter().find(|(_, slope)| slope.len() == 1) {
                let (at, by) = slope[0];
                if lack % i128::from(by) != 0 {
                    return None;
                }
                let cell = i64::try_from(i128::from(point[at]) + lack / i128::from(by)).ok()?;
                if cell < inner[at].0 || cell > inner[at].1 {
                    return None;
                }
                chosen[at] = Some(cell);
                continue;
            }
            let Some((_, slope)) = open.first() else { break };
            // Several variables together: this one as it is, and other values of it later.
            let (at, _) = slope[0];
            let mut slice = inner.clone();
            slice[at] = (point[at], point[at]);
            self.push_rest(hunt, &inner, &slice);
            inner = slice;
            chosen[at] = Some(point[at]);
        }
        Some(chosen)
    }

    /// Adds other values of the variables that show in the state after the step.
    fn push_other_states(&self, hunt: &mut Hunt<'_>, inner: &[(i64, i64)], chosen: &[Option<i64>]) {
        let mut outer = inner.to_vec();
        for (at, cell) in chosen.iter().enumerate() {
            if let Some(cell) = cell {
                outer[at] = (*cell, *cell);
            }
        }
        let mut slice = outer.clone();
        for at in self.around.remembered() {
            let cell = hunt.original[at].clamp(outer[at].0, outer[at].1);
            slice[at] = (cell, cell);
        }
        self.push_rest(hunt, &outer, &slice);
    }
}

/// Whether an output with this slope can change by this much within a box.
fn is_within_reach(
    lack: i128,
    slope: &[(usize, i64)],
    inner: &[(i64, i64)],
    point: &[i64],
) -> bool {
    let (mut least, mut most) = (0_i128, 0_i128);
    for (at, by) in slope {
        let moved =
            |to: i64| (i128::from(to) - i128::from(point[*at])).saturating_mul(i128::from(*by));
        let (one, other) = (moved(inner[*at].0), moved(inner[*at].1));
        least = least.saturating_add(one.min(other));
        most = most.saturating_add(one.max(other));
    }
    (least..=most).contains(&lack)
}

fn is_real(value: Value) -> bool {
    matches!(value, Value::Real(_))
}

/// All combinations; None if there are too many.
fn products(choices: &[Vec<(i64, i64)>]) -> Option<Vec<Vec<(i64, i64)>>> {
    let count = choices.iter().try_fold(1_usize, |n, it| n.checked_mul(it.len()))?;
    if count > FIRST_MAX {
        return None;
    }
    let mut all: Vec<Vec<(i64, i64)>> = vec![Vec::new()];
    for ranges in choices {
        all = all
            .iter()
            .flat_map(|piece| ranges.iter().map(|range| [&piece[..], &[*range]].concat()))
            .collect();
    }
    Some(all)
}
