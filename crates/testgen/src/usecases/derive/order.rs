//! Changes that happen at once, as assignments that happen one after the other.
//!
//! An assignment that reads a variable stands before the one that changes it. Where that goes round in a circle, an old value is kept in a variable of its own.

use punctual_model::{Expr, Place, Storage, Type};

use super::build::{Maker, Var, set};

/// A variable and what it becomes.
pub(super) struct Change {
    pub(super) var: Var,
    pub(super) to: Expr,
}

impl Maker<'_> {
    /// Assignments that come to the same as all changes at once.
    pub(super) fn at_once(&mut self, mut changes: Vec<Change>) -> Vec<Expr> {
        let (mut first, mut then, mut last) = (Vec::new(), Vec::new(), Vec::new());
        while !changes.is_empty() {
            let is_read = |at: usize| {
                let others = changes.iter().enumerate().filter(|(other, _)| *other != at);
                others.into_iter().any(|(_, it)| reads(&it.to, &changes[at].var.place))
            };
            if let Some(at) = (0..changes.len()).find(|at| !is_read(*at)) {
                let change = changes.remove(at);
                then.push(set(&change.var.place, change.to));
                continue;
            }
            let var = changes[0].var.clone();
            let old = self.old(&var);
            first.push(set(&old.place, Expr::Load(var.place.clone())));
            last.push(set(&old.place, Expr::Int(old.initial)));
            for change in &mut changes[1..] {
                replace(&mut change.to, &var.place, &old.place);
            }
        }
        [first, then, last].concat()
    }

    /// A variable for the old value of another.
    pub(super) fn old(&mut self, var: &Var) -> Var {
        let it = &self.network.variables[var.variable];
        let (name, ty): (String, Type) = (format!("old_{}", it.name), it.ty.clone());
        self.variable(&name, ty, var.initial, var.scale)
    }
}

pub(super) fn is_same(a: &Place, b: &Place) -> bool {
    a.storage == Storage::State && (a.storage, a.number, a.base) == (b.storage, b.number, b.base)
}

pub(super) fn reads(expr: &Expr, place: &Place) -> bool {
    let mut found = false;
    expr.walk(&mut |it| found |= matches!(it, Expr::Load(of) if is_same(of, place)));
    found
}

/// Loads from another place, within operators.
pub(super) fn replace(expr: &mut Expr, from: &Place, to: &Place) {
    match expr {
        Expr::Load(place) if is_same(place, from) => *place = to.clone(),
        Expr::Unary(_, _, inner) => replace(inner, from, to),
        Expr::Binary(both) => {
            replace(&mut both.left, from, to);
            replace(&mut both.right, from, to);
        }
        Expr::Conditional(parts) => parts.iter_mut().for_each(|it| replace(it, from, to)),
        _ => {}
    }
}
