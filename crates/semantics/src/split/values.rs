//! What an expression accesses: which slots of which variables, which clocks, which channels.

use std::collections::BTreeSet;

use punctual_model::{
    AssignOp, AssignResult, ChannelId, ChannelRef, ClockConstraint, ClockId, ClockRef, Condition,
    Expr, FunctionBody, FunctionId, Id, IdVec, Index, Network, Place, Range, Select, Storage,
    VariableId,
};

use super::cells::{Layout, Size};
use crate::bounds::for_each_expr;

/// A variable with some of its slots (none: all of them), or a clock.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Target {
    Variable(VariableId, Option<Vec<u32>>),
    Clock(ClockId),
}

/// What is accessed, whether it is written, and the function that is called for it.
pub(super) type Found = BTreeSet<(Target, bool, Option<FunctionId>)>;

/// Reads the code of a network.
pub(super) struct Reader<'n> {
    network: &'n Network,
    pub(super) layout: Layout,
    /// What each function accesses, with all that it calls.
    functions: IdVec<FunctionId, BTreeSet<(Target, bool)>>,
}

impl<'n> Reader<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        let functions = network.functions.iter().map(|_| BTreeSet::new()).collect();
        let mut reader = Self { network, layout: Layout::new(network), functions };
        let mut calls: Vec<BTreeSet<FunctionId>> = Vec::new();
        for (id, function) in network.functions.enumerate() {
            let mut found = Found::new();
            let mut called = BTreeSet::new();
            if let FunctionBody::Statements(body) = &function.body {
                for_each_expr(body, &mut |expr| {
                    reader.expr(expr, &[], &mut found);
                    expr.walk(&mut |expr| {
                        if let Expr::Call { function, .. } = expr {
                            called.insert(*function);
                        }
                    });
                });
            }
            calls.push(called);
            reader.functions[id] =
                found.into_iter().map(|(target, writes, _)| (target, writes)).collect();
        }
        // Functions may be declared in any order, so all of them are followed to the end.
        let own = reader.functions.clone();
        for id in network.functions.ids() {
            let (mut todo, mut seen) = (vec![id], BTreeSet::from([id]));
            while let Some(function) = todo.pop() {
                for callee in &calls[function.index()] {
                    if seen.insert(*callee) {
                        reader.functions[id].extend(own[*callee].iter().cloned());
                        todo.push(*callee);
                    }
                }
            }
        }
        reader
    }

    /// What a condition reads.
    pub(super) fn condition(&self, condition: &Condition, selects: &[&Select], found: &mut Found) {
        for expr in &condition.data {
            self.expr(expr, selects, found);
        }
        for constraint in &condition.clocks {
            self.constraint(constraint, selects, found);
            constraint.walk(&mut |expr| self.one(expr, selects, found));
        }
    }

    /// What an expression accesses.
    pub(super) fn expr(&self, expr: &Expr, selects: &[&Select], found: &mut Found) {
        expr.walk(&mut |expr| self.one(expr, selects, found));
    }

    /// What an expression accesses by itself, without its parts.
    fn one(&self, expr: &Expr, selects: &[&Select], found: &mut Found) {
        match expr {
            Expr::Load(place) => self.place(place, false, selects, found),
            Expr::Assign { target, op, result, .. } => {
                self.place(target, true, selects, found);
                if *op != AssignOp::Set || *result == AssignResult::Old {
                    self.place(target, false, selects, found);
                }
            }
            Expr::Clock(clock) | Expr::ClockRate(clock) => {
                self.clock(clock, false, selects, found);
            }
            Expr::SetClock { clock, .. } => self.clock(clock, true, selects, found),
            Expr::ClockConstraint(constraint) => self.constraint(constraint, selects, found),
            Expr::Call { function, .. } => {
                let accesses = self.functions[*function].iter().cloned();
                found.extend(accesses.map(|(target, writes)| (target, writes, Some(*function))));
            }
            _ => {}
        }
    }

    fn constraint(&self, constraint: &ClockConstraint, selects: &[&Select], found: &mut Found) {
        for clock in constraint.clocks() {
            self.clock(clock, false, selects, found);
        }
    }

    /// Adds the clocks that a reference may mean.
    pub(super) fn clock(
        &self,
        clock: &ClockRef,
        writes: bool,
        selects: &[&Select],
        found: &mut Found,
    ) {
        for offset in offsets(&clock.indices, selects) {
            let id = ClockId::from_index(clock.base.index() + offset as usize);
            found.insert((Target::Clock(id), writes, None));
        }
    }

    fn place(&self, place: &Place, writes: bool, selects: &[&Select], found: &mut Found) {
        if matches!(place.storage, Storage::Local | Storage::Constant) {
            return;
        }
        let find = |slot| self.layout.find(self.network, place.storage, place.number, slot);
        // The base alone may lie before the variable if its indices start elsewhere.
        let offsets = offsets(&place.indices, selects);
        let slots: Vec<_> = offsets
            .iter()
            .flat_map(|offset| (0..place.size).map(move |i| place.base + offset + i))
            .filter_map(find)
            .collect();
        let Some((variable, _)) = slots.first().copied() else { return };
        let slots: BTreeSet<u32> = slots.into_iter().map(|(_, slot)| slot).collect();
        let whole = slots.len() == Size::of(&self.network.variables[variable].ty).slots() as usize;
        let slots = (!whole).then(|| slots.into_iter().collect());
        found.insert((Target::Variable(variable, slots), writes, None));
    }
}

/// The channels that an edge may synchronise over.
pub(super) fn channels(channel: &ChannelRef, selects: &[&Select]) -> Vec<ChannelId> {
    let offsets = offsets(&channel.indices, selects).into_iter();
    offsets.map(|offset| ChannelId::from_index(channel.base.index() + offset as usize)).collect()
}

/// All sums of what the indices add. An index that is a selected value runs through the range it
/// is selected from, any other one through all of the array.
fn offsets(indices: &[Index], selects: &[&Select]) -> Vec<u32> {
    let mut sums = vec![0];
    for index in indices {
        let (lo, last) = (i64::from(index.lo), i64::from(index.lo) + i64::from(index.len) - 1);
        let (from, to) = match known(&index.value, selects) {
            Some(range) => (lo.max(range.lo.into()), last.min(range.hi.into())),
            None => (lo, last),
        };
        let steps: Vec<u32> = (from..=to).map(|i| (i - lo) as u32 * index.stride).collect();
        sums = sums.iter().flat_map(|sum| steps.iter().map(move |step| sum + step)).collect();
    }
    sums
}

/// The values of an index, if they are plain to see.
fn known(index: &Expr, selects: &[&Select]) -> Option<Range> {
    match index {
        Expr::Int(value) => Some(Range { lo: *value, hi: *value }),
        Expr::Load(place) if place.storage == Storage::Local && place.indices.is_empty() => {
            selects.iter().find(|select| select.slot == place.base).map(|select| select.range)
        }
        _ => None,
    }
}
