//! For which other inputs a step does the same.
//!
//! While a step is taken, every register that depends on a followed input knows by how much it
//! changes with it, as long as it does so evenly. A comparison that would come out otherwise for
//! some inputs narrows the box of inputs to those for which it would not. So in the box that is
//! left the step takes the same way, and all that it computes is linear.
//!
//! DECISION(step-around): what is not linear (a product of two inputs, a real, two conditions at
//! once) narrows the inputs it depends on to their values. That is never wrong, only smaller.

use super::code::{Instr, Reg};
use super::node::{Binary, Unary};

/// Notices instructions before they are run.
pub(super) trait Observer {
    fn see(&mut self, instr: Instr, cells: &[i64]);
}

/// Notices nothing.
pub(super) struct Blind;

impl Observer for Blind {
    #[inline(always)]
    fn see(&mut self, _: Instr, _: &[i64]) {}
}

/// A box of followed inputs, and what a step does in it.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// The box: least and greatest value of each followed input.
    ranges: Vec<(i64, i64)>,
    /// The inputs with which the step is taken.
    point: Vec<i64>,
    /// The slope of each register, as a position in `slopes`; 0 if it depends on nothing.
    of: Vec<u32>,
    /// Where the terms of each slope begin and end.
    slopes: Vec<(u32, u32)>,
    /// Followed inputs, and by how much the value grows with them. In order, none is zero.
    terms: Vec<(u32, i64)>,
    /// Registers of what will be remembered.
    pub(in crate::lustre) after: (u32, u32),
}

impl Around {
    /// A box to begin with: least and greatest value of each followed input.
    pub fn start(&mut self, ranges: &[(i64, i64)]) {
        self.ranges.clear();
        self.ranges.extend_from_slice(ranges);
    }

    /// The box in which the last step does the same.
    #[must_use]
    pub fn ranges(&self) -> &[(i64, i64)] {
        &self.ranges
    }

    /// Prepares for a step with these inputs, which are in registers if they are cells.
    pub(in crate::lustre) fn prepare(
        &mut self,
        n_cells: usize,
        inputs: impl Iterator<Item = Option<Reg>>,
        cells: &[i64],
    ) {
        self.of.clear();
        self.of.resize(n_cells, 0);
        self.slopes.clear();
        self.slopes.push((0, 0));
        self.terms.clear();
        self.point.clear();
        for (position, register) in inputs.enumerate() {
            let range = &mut self.ranges[position];
            let Some(register) = register else {
                range.1 = range.0;
                self.point.push(range.0);
                continue;
            };
            let value = cells[register as usize];
            self.point.push(value);
            if range.0 == range.1 {
                continue;
            }
            let position = u32::try_from(position).expect("ids are of 32 bits");
            self.terms.push((position, 1));
            self.of[register as usize] = self.slope_since(self.terms.len() - 1);
        }
    }

    /// Forgets all but the point: nothing is known of other inputs.
    pub(in crate::lustre) fn close(&mut self) {
        for (range, value) in self.ranges.iter_mut().zip(&self.point) {
            *range = (*value, *value);
        }
        self.of.fill(0);
    }

    /// On what a register depends: followed inputs that are not narrowed to one value, and by how
    /// much it grows with them.
    pub(in crate::lustre) fn slope(&self, register: Reg) -> impl Iterator<Item = (usize, i64)> {
        let (from, to) = self.slopes[self.of[register as usize] as usize];
        let terms = &self.terms[from as usize..to as usize];
        terms.iter().map(|(input, by)| (*input as usize, *by)).filter(|(input, _)| {
            let (low, high) = self.ranges[*input];
            low < high
        })
    }

    /// The followed inputs on whose values in the box the state after the step depends.
    pub fn remembered(&self) -> impl Iterator<Item = usize> {
        (self.after.0..self.after.1).flat_map(|register| self.slope(register).map(|it| it.0))
    }

    /// Narrows the box so that a register is the same in all of it.
    pub(in crate::lustre) fn pin(&mut self, register: Reg) {
        let (from, to) = self.slopes[self.of[register as usize] as usize];
        for at in from..to {
            self.pin_input(self.terms[at as usize].0 as usize);
        }
    }

    fn pin_input(&mut self, input: usize) {
        self.ranges[input] = (self.point[input], self.point[input]);
    }

    /// The slope whose terms begin here.
    fn slope_since(&mut self, first: usize) -> u32 {
        let position = |at: usize| u32::try_from(at).expect("a step has few slopes");
        if first == self.terms.len() {
            return 0;
        }
        self.slopes.push((position(first), position(self.terms.len())));
        position(self.slopes.len() - 1)
    }

    fn depends(&self, register: Reg) -> bool {
        self.of[register as usize] != 0
    }

    /// The slope of `left * a + right * b`. Pins what has none.
    fn combined(&mut self, left: i64, a: Reg, right: i64, b: Reg) -> u32 {
        let (of_a, of_b) = (self.of[a as usize], self.of[b as usize]);
        if of_b == 0 && (left == 1 || of_a == 0) {
            return of_a;
        }
        if right == 1 && of_a == 0 {
            return of_b;
        }
        let first = self.terms.len();
        let ((mut i, i_end), (mut j, j_end)) =
            (self.slopes[of_a as usize], self.slopes[of_b as usize]);
        while i < i_end || j < j_end {
            let next = |at: u32, end: u32| (at < end).then(|| self.terms[at as usize]);
            let (one, two) = (next(i, i_end), next(j, j_end));
            let input = match (one, two) {
                (Some((one, _)), Some((two, _))) => one.min(two),
                (Some((it, _)), None) | (None, Some((it, _))) => it,
                (None, None) => break,
            };
            let by =
                |term: Option<(u32, i64)>| term.filter(|it| it.0 == input).map_or(0, |it| it.1);
            let (one, two) = (by(one), by(two));
            i += u32::from(one != 0);
            j += u32::from(two != 0);
            let sum = left.checked_mul(one).zip(right.checked_mul(two));
            match sum.and_then(|(one, two)| one.checked_add(two)) {
                Some(0) => {}
                Some(by) => self.terms.push((input, by)),
                None => self.pin_input(input as usize),
            }
        }
        self.slope_since(first)
    }

    /// Narrows the box so that `a` and `b` compare in all of it as they do now: they are equal, or
    /// the same one is less.
    fn compare(&mut self, a: Reg, b: Reg, cells: &[i64]) {
        if !self.depends(a) && !self.depends(b) {
            return;
        }
        let difference = i128::from(cells[a as usize]) - i128::from(cells[b as usize]);
        let slope = self.combined(1, a, -1, b);
        self.keep_order(slope, difference, difference.signum());
    }

    /// Narrows the box so that `a < b`, or `a <= b` if that is asked, stays as true as it is.
    fn bound(&mut self, a: Reg, b: Reg, is_strict: bool, cells: &[i64]) {
        if !self.depends(a) && !self.depends(b) {
            return;
        }
        let difference = i128::from(cells[a as usize]) - i128::from(cells[b as usize]);
        let slope = self.combined(1, a, -1, b);
        let holds = if is_strict { difference < 0 } else { difference <= 0 };
        match (holds, is_strict) {
            (true, true) => self.stay_below(slope, 1, difference, -1),
            (true, false) => self.stay_below(slope, 1, difference, 0),
            (false, true) => self.stay_below(slope, -1, -difference, 0),
            (false, false) => self.stay_below(slope, -1, -difference, -1),
        }
    }

    fn keep_order(&mut self, slope: u32, difference: i128, sign: i128) {
        match sign {
            0 => {
                self.stay_below(slope, 1, difference, 0);
                self.stay_below(slope, -1, -difference, 0);
            }
            1.. => self.stay_below(slope, -1, -difference, -1),
            _ => self.stay_below(slope, 1, difference, -1),
        }
    }

    /// Narrows the box so that `factor` times something with this slope, which is `now`, is at most
    /// `most` in all of it. The inputs that reach furthest are narrowed first.
    fn stay_below(&mut self, slope: u32, factor: i128, now: i128, most: i128) {
        let (from, to) = self.slopes[slope as usize];
        loop {
            let (mut total, mut furthest): (i128, Option<(i128, usize, i64, bool)>) = (now, None);
            for at in from..to {
                let (input, by) = self.terms[at as usize];
                let (low, high) = self.ranges[input as usize];
                let point = self.point[input as usize];
                let grows = (factor > 0) == (by > 0);
                let reach = if grows {
                    i128::from(high) - i128::from(point)
                } else {
                    i128::from(point) - i128::from(low)
                };
                let gain = reach.saturating_mul(i128::from(by.unsigned_abs()));
                total = total.saturating_add(gain);
                if gain > 0 && furthest.is_none_or(|(most, ..)| gain > most) {
                    furthest = Some((gain, input as usize, by, grows));
                }
            }
            if total <= most {
                return;
            }
            let Some((gain, input, by, grows)) = furthest else { return };
            // As much of its reach is left as the others leave room for, at least none.
            let left = gain.saturating_sub(total.saturating_sub(most)).max(0);
            let reach = left / i128::from(by.unsigned_abs());
            let point = i128::from(self.point[input]);
            let cut = |it: i128| i64::try_from(it).unwrap_or(self.point[input]);
            if grows {
                self.ranges[input].1 = cut(point + reach);
            } else {
                self.ranges[input].0 = cut(point - reach);
            }
        }
    }

    /// The quotient by a constant is the same in a box that is small enough.
    fn divide(&mut self, a: Reg, by: i64, cells: &[i64]) -> bool {
        let value = i128::from(cells[a as usize]);
        let by = i128::from(by);
        if by <= 0 {
            return false;
        }
        let rest = value.rem_euclid(by);
        let slope = self.of[a as usize];
        self.stay_below(slope, 1, rest, by - 1);
        self.stay_below(slope, -1, -rest, 0);
        true
    }

    fn unary(&mut self, op: Unary, d: Reg, a: Reg) {
        self.of[d as usize] = match op {
            Unary::Neg | Unary::Not => self.combined(-1, a, 0, a),
            _ => {
                self.pin(a);
                0
            }
        };
    }

    fn binary(&mut self, op: Binary, d: Reg, a: Reg, b: Reg, cells: &[i64]) {
        let (of_a, of_b) = (self.depends(a), self.depends(b));
        if !of_a && !of_b {
            self.of[d as usize] = 0;
            return;
        }
        let slope = match op {
            Binary::Add => self.combined(1, a, 1, b),
            Binary::Sub => self.combined(1, a, -1, b),
            Binary::Mul if !of_b => self.combined(cells[b as usize], a, 0, a),
            Binary::Mul if !of_a => self.combined(cells[a as usize], b, 0, b),
            Binary::Div if !of_b && self.divide(a, cells[b as usize], cells) => 0,
            Binary::Mod if !of_b && self.divide(a, cells[b as usize], cells) => self.of[a as usize],
            Binary::Eq | Binary::Ne => {
                self.compare(a, b, cells);
                0
            }
            Binary::Lt | Binary::Le => {
                self.bound(a, b, op == Binary::Lt, cells);
                0
            }
            _ => {
                self.pin(a);
                self.pin(b);
                0
            }
        };
        self.of[d as usize] = slope;
    }

    /// Truth of which one side is known depends on the other, or on nothing.
    fn junction(&mut self, d: Reg, a: Reg, b: Reg, neutral: i64, cells: &[i64]) {
        let slope = match (self.depends(a), self.depends(b)) {
            (false, false) => 0,
            (true, false) if cells[b as usize] == neutral => self.of[a as usize],
            (false, true) if cells[a as usize] == neutral => self.of[b as usize],
            (true, true) => {
                self.pin(a);
                self.pin(b);
                0
            }
            _ => 0,
        };
        self.of[d as usize] = slope;
    }
}

impl Observer for Around {
    fn see(&mut self, instr: Instr, cells: &[i64]) {
        match instr {
            Instr::Move(d, a) => self.of[d as usize] = self.of[a as usize],
            Instr::MoveIf(d, c, a) => {
                self.pin(c);
                if cells[c as usize] != 0 {
                    self.of[d as usize] = self.of[a as usize];
                }
            }
            Instr::Not(d, a) => self.unary(Unary::Not, d, a),
            Instr::And(d, a, b) => self.junction(d, a, b, 1, cells),
            Instr::Or(d, a, b) => self.junction(d, a, b, 0, cells),
            Instr::Eq(d, a, b) | Instr::Ne(d, a, b) => self.binary(Binary::Eq, d, a, b, cells),
            Instr::Lt(d, a, b) => self.binary(Binary::Lt, d, a, b, cells),
            Instr::Le(d, a, b) => self.binary(Binary::Le, d, a, b, cells),
            Instr::Add(d, a, b) => self.binary(Binary::Add, d, a, b, cells),
            Instr::Sub(d, a, b) => self.binary(Binary::Sub, d, a, b, cells),
            Instr::Unary(op, d, a) => self.unary(op, d, a),
            Instr::Binary(op, d, a, b) => self.binary(op, d, a, b, cells),
            Instr::RealMoveIf(_, c, _) => self.pin(c),
            Instr::RealFromInt(_, a) => self.pin(a),
            Instr::RealFloor(d, _) | Instr::RealCompare(_, d, _, _) => self.of[d as usize] = 0,
            Instr::JumpIf(a, _) | Instr::JumpUnless(a, _) => self.pin(a),
            Instr::JumpEq(a, b, _) | Instr::JumpNe(a, b, _) => self.compare(a, b, cells),
            Instr::JumpLt(a, b, _) => self.bound(a, b, true, cells),
            Instr::JumpLe(a, b, _) => self.bound(a, b, false, cells),
            Instr::RealMove(..) | Instr::RealNeg(..) | Instr::RealBinary(..) => {}
            Instr::Jump(_) | Instr::Read(..) | Instr::End => {}
        }
    }
}
