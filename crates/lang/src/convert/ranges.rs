//! Values that stay in range: from transitions that are disabled to guards that say so.
//!
//! Where an assignment out of range disables its transition (TChecker), UPPAAL reports an error.
//! [`guards`] finds what must hold before an update so that no value leaves its range. What can
//! be proved from the ranges of variables and from the guard needs no test.

use punctual_model::{
    AssignOp, BinaryOp, Expr, FunctionBody, Network, Number, Place, Range, Statement, Storage,
    UnaryOp,
};

use super::fold;

/// An interval of integers, wide enough not to overflow.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Interval {
    lo: i64,
    hi: i64,
}

impl Interval {
    const ALL: Self = Self { lo: i32::MIN as i64, hi: i32::MAX as i64 };

    fn of(range: Range) -> Self {
        Self { lo: range.lo.into(), hi: range.hi.into() }
    }

    fn join(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The corners of a monotone operation. Beyond 32 bits nothing is known.
    fn corners(self, other: Self, op: impl Fn(i64, i64) -> i64) -> Self {
        let corners = [
            op(self.lo, other.lo),
            op(self.lo, other.hi),
            op(self.hi, other.lo),
            op(self.hi, other.hi),
        ];
        let found = Self {
            lo: corners.into_iter().min().unwrap_or(i64::MIN),
            hi: corners.into_iter().max().unwrap_or(i64::MAX),
        };
        match found.lo < Self::ALL.lo || found.hi > Self::ALL.hi {
            true => Self::ALL,
            false => found,
        }
    }
}

/// What is known about places: the guard of the edge.
struct Facts(Vec<(Place, Interval)>);

impl Facts {
    fn of(guard: &[Expr]) -> Self {
        let mut facts = Self(Vec::new());
        for data in guard {
            let Expr::Binary(binary) = data else { continue };
            let (place, op, value) = match (&binary.left, &binary.right) {
                (Expr::Load(place), Expr::Int(value)) => (place, binary.op, *value),
                (Expr::Int(value), Expr::Load(place)) => (place, mirrored(binary.op), *value),
                _ => continue,
            };
            let value = i64::from(value);
            let mut known = facts.place(place);
            match op {
                BinaryOp::Less => known.hi = known.hi.min(value - 1),
                BinaryOp::LessEqual => known.hi = known.hi.min(value),
                BinaryOp::Greater => known.lo = known.lo.max(value + 1),
                BinaryOp::GreaterEqual => known.lo = known.lo.max(value),
                BinaryOp::Equal => known = Interval { lo: value, hi: value },
                BinaryOp::NotEqual if known.lo == value => known.lo += 1,
                BinaryOp::NotEqual if known.hi == value => known.hi -= 1,
                _ => continue,
            }
            facts.0.retain(|(other, _)| other != place);
            facts.0.push((place.clone(), known));
        }
        facts
    }

    fn place(&self, place: &Place) -> Interval {
        let known = self.0.iter().find(|(other, _)| other == place);
        known.map_or(Interval::of(place.range), |(_, interval)| *interval)
    }

    fn expr(&self, expr: &Expr) -> Interval {
        match expr {
            Expr::Int(value) => Interval { lo: (*value).into(), hi: (*value).into() },
            Expr::Load(place) if place.number == Number::Int => self.place(place),
            Expr::Unary(UnaryOp::Negate, Number::Int, inner) => {
                let zero = Interval { lo: 0, hi: 0 };
                zero.corners(self.expr(inner), |l, r| l - r)
            }
            Expr::Unary(UnaryOp::Not, ..) => Interval { lo: 0, hi: 1 },
            Expr::Conditional(parts) => self.expr(&parts[1]).join(self.expr(&parts[2])),
            Expr::Binary(binary) if binary.number == Number::Int => {
                let (left, right) = (self.expr(&binary.left), self.expr(&binary.right));
                match binary.op {
                    BinaryOp::Add => left.corners(right, |l, r| l + r),
                    BinaryOp::Subtract => left.corners(right, |l, r| l - r),
                    BinaryOp::Multiply => left.corners(right, |l, r| l * r),
                    BinaryOp::Divide => {
                        let most = left.lo.abs().max(left.hi.abs());
                        Interval {
                            lo: if left.lo >= 0 && right.lo >= 0 { 0 } else { -most },
                            hi: most,
                        }
                    }
                    BinaryOp::Remainder => {
                        let most = (right.lo.abs().max(right.hi.abs()) - 1).max(0);
                        let most = most.min(left.lo.abs().max(left.hi.abs()));
                        Interval { lo: if left.lo >= 0 { 0 } else { -most }, hi: most }
                    }
                    BinaryOp::Minimum => {
                        Interval { lo: left.lo.min(right.lo), hi: left.hi.min(right.hi) }
                    }
                    BinaryOp::Maximum => {
                        Interval { lo: left.lo.max(right.lo), hi: left.hi.max(right.hi) }
                    }
                    op if op.is_truth() => Interval { lo: 0, hi: 1 },
                    _ => Interval::ALL,
                }
            }
            _ => Interval::ALL,
        }
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        BinaryOp::Greater => BinaryOp::Less,
        same => same,
    }
}

/// What must hold before the update so that all values stay in range. An error says what is in
/// the way of finding it.
pub(super) fn guards(
    network: &Network,
    guard: &[Expr],
    update: &[Expr],
) -> Result<Vec<Expr>, String> {
    let facts = Facts::of(guard);
    let mut needed: Vec<Expr> = Vec::new();
    // What earlier assignments of the same update made of places.
    let mut changed: Vec<(Place, Option<Expr>)> = Vec::new();
    for expr in update {
        match expr {
            Expr::Assign { target, op, value, .. }
                if target.number == Number::Int && target.size == 1 =>
            {
                let value = match op {
                    AssignOp::Set => (**value).clone(),
                    AssignOp::Combine(op) => {
                        fold::binary(*op, Expr::Load((**target).clone()), (**value).clone())
                    }
                };
                let now = before(&value, &changed);
                // Without earlier changes in it, the value itself may already fit.
                let fits = |value: &Expr| {
                    let found = facts.expr(value);
                    let range = Interval::of(target.range);
                    (range.lo <= found.lo, found.hi <= range.hi)
                };
                let (low, high) = match &now {
                    Ok(now) => fits(now),
                    // Unknown, but within the ranges of all that is read.
                    Err(_) => {
                        let found = Facts(Vec::new()).expr(&value);
                        let range = Interval::of(target.range);
                        (range.lo <= found.lo, found.hi <= range.hi)
                    }
                };
                if !low || !high {
                    let now = now.clone()?;
                    let mut test = |op, bound| {
                        let test = fold::binary(op, now.clone(), Expr::Int(bound));
                        if !needed.contains(&test) {
                            needed.push(test);
                        }
                    };
                    if !low {
                        test(BinaryOp::GreaterEqual, target.range.lo);
                    }
                    if !high {
                        test(BinaryOp::LessEqual, target.range.hi);
                    }
                }
                changed.push(((**target).clone(), now.ok()));
            }
            Expr::SetClock { .. } => {}
            Expr::Call { function, .. } if update.len() == 1 => {
                let FunctionBody::Statements(body) = &network.functions[*function].body else {
                    return Err("a function of a library".to_owned());
                };
                statements(body)?;
            }
            _ => return Err("an update that is no assignment".to_owned()),
        }
    }
    Ok(needed)
}

/// An expression as it is before earlier assignments.
fn before(expr: &Expr, changed: &[(Place, Option<Expr>)]) -> Result<Expr, String> {
    if changed.is_empty() {
        return Ok(expr.clone());
    }
    Ok(match expr {
        Expr::Load(place) => {
            for (other, value) in changed.iter().rev() {
                if let Some(value) = value
                    && other == place
                    && place.indices.is_empty()
                {
                    return Ok(value.clone());
                }
                if may_overlap(other, place) {
                    return Err("a range check of an element that may have changed".to_owned());
                }
            }
            let mut place = place.clone();
            for index in &mut place.indices {
                index.value = before(&index.value, changed)?;
            }
            fold::indices(&mut place);
            Expr::Load(place)
        }
        Expr::Int(_) => expr.clone(),
        Expr::Unary(op, Number::Int, inner) => fold::unary(*op, before(inner, changed)?),
        Expr::Binary(binary) if binary.number == Number::Int && binary.size == 1 => {
            fold::binary(binary.op, before(&binary.left, changed)?, before(&binary.right, changed)?)
        }
        Expr::Conditional(parts) => fold::conditional(
            before(&parts[0], changed)?,
            before(&parts[1], changed)?,
            before(&parts[2], changed)?,
        ),
        _ => return Err("a range check of this expression".to_owned()),
    })
}

/// Whether two places may share a slot.
pub(super) fn may_overlap(left: &Place, right: &Place) -> bool {
    let extent = |place: &Place| {
        let reach: u64 = place
            .indices
            .iter()
            .map(|index| u64::from(index.len.saturating_sub(1)) * u64::from(index.stride))
            .sum();
        (u64::from(place.base), u64::from(place.base) + reach + u64::from(place.size))
    };
    let ((a, b), (c, d)) = (extent(left), extent(right));
    left.storage == right.storage && left.number == right.number && a < d && c < b
}

/// Statements are only accepted if all their values are known to fit.
fn statements(body: &[Statement]) -> Result<(), String> {
    let nothing = Facts(Vec::new());
    for statement in body {
        match statement {
            Statement::Expr(Expr::Assign { target, op: AssignOp::Set, value, .. }) => {
                let found = nothing.expr(value);
                let range = Interval::of(target.range);
                let local = target.storage == Storage::Local;
                if !local && (found.lo < range.lo || found.hi > range.hi) {
                    return Err("a range check inside of statements".to_owned());
                }
            }
            Statement::Expr(Expr::SetClock { .. }) | Statement::Clear { .. } => {}
            Statement::If(_, yes, no) => {
                statements(yes)?;
                statements(no)?;
            }
            Statement::While(_, body)
            | Statement::DoWhile(body, _)
            | Statement::For { body, .. } => statements(body)?,
            _ => return Err("a range check inside of statements".to_owned()),
        }
    }
    Ok(())
}
