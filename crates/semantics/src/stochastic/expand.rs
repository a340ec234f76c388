//! Edges that select values, written out: one edge for each combination of values.
//!
//! Guards, channels and updates of the copies have the values in them, so that channels are known and
//! guards are short before any run begins. Values of selects count as edges of their own anyway.
//! An edge that would have too many copies, or whose values are read where they can not be replaced
//! (by a function in the same frame), stays as it is and selects while the model runs.
//!
//! Not here: selects of branches.

use punctual_model::{
    self as model, Binary, BinaryOp, ClockConstraint, Condition, Expr, Index, Indexed, Network,
    Number, Place, Storage, Sync, UnaryOp,
};

/// The most copies of an edge, and of all edges together.
const COPIES_MAX: usize = 256;
pub(super) const ALL_MAX: usize = 1 << 15;

/// An edge with values for its selects.
pub(super) struct Copy {
    pub(super) values: Vec<i32>,
    /// It selects nothing any more.
    pub(super) edge: model::Edge,
}

/// All copies of an edge that selects something; none if it has to stay as it is.
pub(super) fn copies(network: &Network, edge: &model::Edge) -> Option<Vec<Copy>> {
    let mut n = 1_usize;
    for select in &edge.selects {
        let values = i64::from(select.range.hi) - i64::from(select.range.lo) + 1;
        n = n.checked_mul(usize::try_from(values.max(0)).ok()?)?;
    }
    if n > COPIES_MAX || !can_replace(network, edge) {
        return None;
    }
    let mut all = Vec::new();
    let mut values: Vec<i32> = edge.selects.iter().map(|select| select.range.lo).collect();
    for _ in 0..n {
        let with: Vec<(u32, i32)> =
            edge.selects.iter().zip(&values).map(|(select, value)| (select.slot, *value)).collect();
        let copy = Replace(&with).edge(edge);
        if !is_never(&copy.guard) {
            all.push(Copy { values: values.clone(), edge: copy });
        }
        for (select, value) in edge.selects.iter().zip(&mut values) {
            if *value < select.range.hi {
                *value += 1;
                break;
            }
            *value = select.range.lo;
        }
    }
    Some(all)
}

/// Whether the selected values are only read, and in the edge itself.
fn can_replace(network: &Network, edge: &model::Edge) -> bool {
    let selected = |slot: u32| edge.selects.iter().any(|select| select.slot == slot);
    let mut can = true;
    let mut visit = |expr: &Expr| {
        can &= match expr {
            Expr::Call { function, .. } => !network.functions[*function].shares_frame,
            Expr::Quantifier { slot, .. } => !selected(*slot),
            Expr::Assign { target, .. } => {
                target.storage != Storage::Local || target.number != Number::Int
            }
            Expr::Load(place) if place.storage == Storage::Local && place.number == Number::Int => {
                place.size == 1 && place.indices.is_empty()
            }
            _ => true,
        };
    };
    edge.guard.walk(&mut |expr| visit(expr));
    if let Some(channel) = edge.sync.channel() {
        channel.indices.iter().for_each(|index| index.value.walk(&mut |expr| visit(expr)));
    }
    edge.update.iter().for_each(|expr| expr.walk(&mut |expr| visit(expr)));
    for branch in &edge.branches {
        branch.update.iter().for_each(|expr| expr.walk(&mut |expr| visit(expr)));
        branch.weight.iter().for_each(|expr| expr.walk(&mut |expr| visit(expr)));
    }
    let mut slots = edge.branches.iter().flat_map(|branch| &branch.selects);
    can && !slots.any(|select| selected(select.slot))
}

/// Whether a guard never holds, and finding that out can not fail.
fn is_never(guard: &Condition) -> bool {
    guard.data.iter().map_while(Expr::as_int).any(|value| value == 0)
}

/// Puts values in the place of slots of the frame.
struct Replace<'v>(&'v [(u32, i32)]);

impl Replace<'_> {
    fn edge(&self, edge: &model::Edge) -> model::Edge {
        let exprs = |exprs: &[Expr]| exprs.iter().map(|expr| self.expr(expr)).collect();
        model::Edge {
            selects: Vec::new(),
            guard: Condition {
                data: exprs(&edge.guard.data),
                clocks: edge.guard.clocks.iter().map(|it| self.constraint(it)).collect(),
            },
            sync: match &edge.sync {
                Sync::Send(channel) => Sync::Send(self.indexed(channel)),
                Sync::Receive(channel) => Sync::Receive(self.indexed(channel)),
                other => other.clone(),
            },
            update: exprs(&edge.update),
            branches: edge
                .branches
                .iter()
                .map(|branch| model::Branch {
                    weight: branch.weight.as_ref().map(|weight| self.expr(weight)),
                    update: exprs(&branch.update),
                    ..branch.clone()
                })
                .collect(),
            ..edge.clone()
        }
    }

    fn index(&self, index: &Index) -> Index {
        Index { value: self.expr(&index.value), ..index.clone() }
    }

    fn indexed<I: std::marker::Copy>(&self, it: &Indexed<I>) -> Indexed<I> {
        Indexed { base: it.base, indices: it.indices.iter().map(|it| self.index(it)).collect() }
    }

    fn place(&self, place: &Place) -> Place {
        let indices = place.indices.iter().map(|index| self.index(index)).collect();
        Place { indices, ..place.clone() }
    }

    fn constraint(&self, it: &ClockConstraint) -> ClockConstraint {
        ClockConstraint {
            when: it.when.as_ref().map(|when| self.expr(when)),
            left: it.left.as_ref().map(|clock| self.indexed(clock)),
            right: it.right.as_ref().map(|clock| self.indexed(clock)),
            bound: self.expr(&it.bound),
            ..it.clone()
        }
    }

    fn boxed(&self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn expr(&self, expr: &Expr) -> Expr {
        let all = |exprs: &[Expr]| exprs.iter().map(|expr| self.expr(expr)).collect();
        let replaced = match expr {
            Expr::Load(place) if place.storage == Storage::Local && place.number == Number::Int => {
                match self.0.iter().find(|(slot, _)| *slot == place.base) {
                    Some((_, value)) => Expr::Int(*value),
                    None => expr.clone(),
                }
            }
            Expr::Load(place) => Expr::Load(self.place(place)),
            Expr::Clock(clock) => Expr::Clock(self.indexed(clock)),
            Expr::ClockRate(clock) => Expr::ClockRate(self.indexed(clock)),
            Expr::ToDouble(inner) => Expr::ToDouble(self.boxed(inner)),
            Expr::Unary(op, number, inner) => Expr::Unary(*op, *number, self.boxed(inner)),
            Expr::Binary(it) => Expr::Binary(Box::new(Binary {
                left: self.expr(&it.left),
                right: self.expr(&it.right),
                ..it.as_ref().clone()
            })),
            Expr::Conditional(parts) => {
                Expr::Conditional(Box::new(parts.each_ref().map(|part| self.expr(part))))
            }
            Expr::Assign { target, op, value, result } => Expr::Assign {
                target: Box::new(self.place(target)),
                op: *op,
                value: self.boxed(value),
                result: *result,
            },
            Expr::SetClock { clock, value } => {
                Expr::SetClock { clock: self.indexed(clock), value: self.boxed(value) }
            }
            Expr::Sequence(parts) => {
                Expr::Sequence(Box::new(parts.each_ref().map(|part| self.expr(part))))
            }
            Expr::Call { function, arguments } => {
                Expr::Call { function: *function, arguments: all(arguments) }
            }
            Expr::Builtin(builtin, arguments) => Expr::Builtin(*builtin, all(arguments)),
            Expr::Quantifier { quantifier, slot, range, number, body } => Expr::Quantifier {
                quantifier: *quantifier,
                slot: *slot,
                range: *range,
                number: *number,
                body: self.boxed(body),
            },
            Expr::ClockConstraint(it) => Expr::ClockConstraint(Box::new(self.constraint(it))),
            Expr::Int(_) | Expr::Double(_) | Expr::InLocation(..) | Expr::Deadlock => expr.clone(),
        };
        fold(&replaced).map_or(replaced, Expr::Int)
    }
}

/// The value of an operator on known integers, if it has one.
fn fold(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::Unary(UnaryOp::Negate, Number::Int, inner) => inner.as_int()?.checked_neg(),
        Expr::Unary(UnaryOp::Not, Number::Int, inner) => Some(i32::from(inner.as_int()? == 0)),
        Expr::Binary(it) if it.number == Number::Int && it.size == 1 => {
            let (left, right) = (it.left.as_int()?, it.right.as_int()?);
            match it.op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Subtract => left.checked_sub(right),
                BinaryOp::Multiply => left.checked_mul(right),
                BinaryOp::Less => Some((left < right).into()),
                BinaryOp::LessEqual => Some((left <= right).into()),
                BinaryOp::Equal => Some((left == right).into()),
                BinaryOp::NotEqual => Some((left != right).into()),
                BinaryOp::GreaterEqual => Some((left >= right).into()),
                BinaryOp::Greater => Some((left > right).into()),
                _ => None,
            }
        }
        _ => None,
    }
}
