//! What updates do to clocks: from which old clocks each new value can come.

use std::collections::BTreeMap;

use punctual_model::{
    BinaryOp, ClockRef, Expr, FunctionBody, FunctionId, Id, Network, Number, Statement,
};

use super::children;
use super::interval::Interval;
use super::intervals::{Intervals, transitively};

/// An offset below all that occur: something is subtracted again and again.
pub(super) const ENDLESS: i64 = i64::MIN / 4;
/// How often a loop is followed before its offsets are [`ENDLESS`].
const PATIENCE: u32 = 8;
/// How many iterations of loops are followed one by one.
const UNROLLED: u64 = 4096;

/// For each clock that an update may set, the old clocks whose value it can get, each with the
/// least number that is added. No old clock: it is set to a number. A clock that is not in here
/// keeps its value.
pub(super) type Effect = BTreeMap<u32, Sources>;
type Sources = BTreeMap<u32, i64>;

fn sources(effect: &Effect, clock: u32) -> Sources {
    effect.get(&clock).cloned().unwrap_or_else(|| Sources::from([(clock, 0)]))
}

fn add(sources: &mut Sources, clock: u32, offset: i64) {
    let least = sources.entry(clock).or_insert(offset);
    *least = offset.min(*least);
}

/// Either of two effects.
fn join(left: &Effect, right: &Effect) -> Effect {
    let clocks = left.keys().chain(right.keys());
    clocks
        .map(|clock| {
            let mut all = sources(left, *clock);
            for (source, offset) in sources(right, *clock) {
                add(&mut all, source, offset);
            }
            (*clock, all)
        })
        .collect()
}

fn join_all(effects: impl IntoIterator<Item = Effect>) -> Option<Effect> {
    effects.into_iter().reduce(|left, right| join(&left, &right))
}

/// The second after the first.
fn then(first: &Effect, second: &Effect) -> Effect {
    let mut all = first.clone();
    for (clock, from) in second {
        let mut composed = Sources::new();
        for (middle, offset) in from {
            for (source, before) in sources(first, *middle) {
                add(&mut composed, source, before.saturating_add(*offset).max(ENDLESS));
            }
        }
        all.insert(*clock, composed);
    }
    all
}

/// Follows code and says what it does to clocks.
pub(super) struct Effects<'n> {
    network: &'n Network,
    /// Whether a function sets clocks.
    sets: Vec<bool>,
    memo: Vec<Option<Effect>>,
    unrolled: u64,
}

impl<'n> Effects<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        let sets = transitively(network, &|expr| matches!(expr, Expr::SetClock { .. }));
        let memo = vec![None; network.functions.len()];
        Self { network, sets, memo, unrolled: 0 }
    }

    /// Adds what an update does to what was done before.
    pub(super) fn update(
        &mut self,
        intervals: &mut Intervals<'n>,
        update: &[Expr],
        frame: usize,
        effect: &mut Effect,
    ) {
        self.unrolled = 0;
        for expr in update {
            self.expr(intervals, expr, frame, effect);
        }
    }

    fn sets(&self, expr: &Expr) -> bool {
        let mut sets = false;
        expr.walk(&mut |expr| match expr {
            Expr::SetClock { .. } => sets = true,
            Expr::Call { function, .. } => sets |= self.sets[function.index()],
            _ => {}
        });
        sets
    }

    fn expr(
        &mut self,
        intervals: &mut Intervals<'n>,
        expr: &Expr,
        frame: usize,
        effect: &mut Effect,
    ) {
        if !self.sets(expr) {
            intervals.eval(expr, frame);
            return;
        }
        match expr {
            Expr::SetClock { clock, value } => {
                self.set(intervals, clock, value, frame, effect);
            }
            Expr::Call { function, arguments } => {
                for argument in arguments {
                    self.expr(intervals, argument, frame, effect);
                }
                let called = self.function(intervals, *function, frame);
                *effect = then(effect, &called);
                intervals.eval(expr, frame);
            }
            Expr::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                self.expr(intervals, condition, frame, effect);
                let mut ends = Vec::new();
                for (is, part) in [(true, yes), (false, no)] {
                    let scope = intervals.enter();
                    let mut end = effect.clone();
                    if intervals.refine(condition, is, frame) {
                        self.expr(intervals, part, frame, &mut end);
                        ends.push(end);
                    }
                    intervals.leave(scope);
                }
                *effect = join_all(ends).unwrap_or_default();
            }
            Expr::Binary(binary)
                if matches!(binary.op, BinaryOp::And | BinaryOp::Or | BinaryOp::Imply) =>
            {
                self.expr(intervals, &binary.left, frame, effect);
                let scope = intervals.enter();
                let mut end = effect.clone();
                self.expr(intervals, &binary.right, frame, &mut end);
                intervals.leave(scope);
                *effect = join(effect, &end);
            }
            Expr::Quantifier { slot, range, body, .. } => {
                let each = Each { frame, slot: *slot, values: (range.lo, range.hi) };
                self.each(intervals, each, effect, &mut |this, intervals, effect| {
                    this.expr(intervals, body, frame, effect);
                    true
                });
            }
            _ => {
                for child in children(expr) {
                    self.expr(intervals, child, frame, effect);
                }
                intervals.eval(expr, frame);
            }
        }
    }

    fn set(
        &mut self,
        intervals: &mut Intervals<'n>,
        clock: &ClockRef,
        value: &Expr,
        frame: usize,
        effect: &mut Effect,
    ) {
        if let Expr::Conditional(parts) = value
            && !self.sets(value)
        {
            let [condition, yes, no] = parts.as_ref();
            intervals.eval(condition, frame);
            let mut other = effect.clone();
            self.set(intervals, clock, yes, frame, effect);
            self.set(intervals, clock, no, frame, &mut other);
            *effect = join(effect, &other);
            return;
        }
        self.expr(intervals, value, frame, effect);
        let mut new = Sources::new();
        if let Some((from, offset)) = shifted(intervals, value, frame) {
            for from in intervals.clocks(from, frame) {
                for (source, before) in sources(effect, from) {
                    add(&mut new, source, before.saturating_add(offset).max(ENDLESS));
                }
            }
        }
        let targets = intervals.clocks(clock, frame);
        let surely = targets.len() == 1;
        for target in targets {
            let mut new = new.clone();
            if !surely {
                for (source, offset) in sources(effect, target) {
                    add(&mut new, source, offset);
                }
            }
            effect.insert(target, new);
        }
    }

    fn function(&mut self, intervals: &mut Intervals<'n>, id: FunctionId, caller: usize) -> Effect {
        if let Some(effect) = &self.memo[id.index()] {
            return effect.clone();
        }
        let function = &self.network.functions[id];
        let FunctionBody::Statements(body) = &function.body else { return Effect::new() };
        let frame = intervals.function_frame(id, caller);
        let scope = intervals.enter();
        intervals.forget();
        let mut exits = Vec::new();
        let end = self.statements(intervals, body, frame, Effect::new(), &mut exits);
        intervals.leave(scope);
        let effect = join_all(exits.into_iter().chain(end)).unwrap_or_default();
        if !function.shares_frame {
            self.memo[id.index()] = Some(effect.clone());
        }
        effect
    }

    /// What has been done at the end of the statements, if that is reached. What has been done
    /// where the function returns is added to `exits`.
    fn statements(
        &mut self,
        intervals: &mut Intervals<'n>,
        statements: &[Statement],
        frame: usize,
        mut effect: Effect,
        exits: &mut Vec<Effect>,
    ) -> Option<Effect> {
        for statement in statements {
            match statement {
                Statement::Expr(expr) | Statement::Assert(expr) => {
                    self.expr(intervals, expr, frame, &mut effect);
                }
                Statement::Clear { place, value } => intervals.clear(place, *value, frame),
                Statement::Return(value) => {
                    if let Some(value) = value {
                        self.expr(intervals, value, frame, &mut effect);
                    }
                    exits.push(effect);
                    return None;
                }
                Statement::If(condition, yes, no) => {
                    self.expr(intervals, condition, frame, &mut effect);
                    let mut ends = Vec::new();
                    for (is, part) in [(true, yes), (false, no)] {
                        let scope = intervals.enter();
                        if intervals.refine(condition, is, frame) {
                            let effect = effect.clone();
                            ends.extend(self.statements(intervals, part, frame, effect, exits));
                        }
                        intervals.leave(scope);
                    }
                    effect = join_all(ends)?;
                }
                Statement::While(condition, body) => {
                    self.repeat(intervals, &mut effect, &mut |this, intervals, effect| {
                        this.expr(intervals, condition, frame, effect);
                        intervals.refine(condition, true, frame);
                        this.enter(intervals, body, frame, effect, exits)
                    });
                    self.expr(intervals, condition, frame, &mut effect);
                }
                Statement::DoWhile(body, condition) => {
                    let mut turn =
                        |this: &mut Self, intervals: &mut Intervals<'n>, effect: &mut Effect| {
                            let ends = this.enter(intervals, body, frame, effect, exits);
                            this.expr(intervals, condition, frame, effect);
                            ends
                        };
                    self.repeat(intervals, &mut effect, &mut turn);
                    // At least once.
                    if !turn(self, intervals, &mut effect) {
                        return None;
                    }
                }
                Statement::For { slot, range, body } => {
                    let each = Each { frame, slot: *slot, values: (range.lo, range.hi) };
                    let mut turn =
                        |this: &mut Self, intervals: &mut Intervals<'n>, effect: &mut Effect| {
                            this.enter(intervals, body, frame, effect, exits)
                        };
                    if !self.each(intervals, each, &mut effect, &mut turn) {
                        return None;
                    }
                }
            }
        }
        Some(effect)
    }

    /// A block inside of a function; `false` if its end is not reached.
    fn enter(
        &mut self,
        intervals: &mut Intervals<'n>,
        body: &[Statement],
        frame: usize,
        effect: &mut Effect,
        exits: &mut Vec<Effect>,
    ) -> bool {
        match self.statements(intervals, body, frame, std::mem::take(effect), exits) {
            Some(end) => {
                *effect = end;
                true
            }
            None => false,
        }
    }

    /// What is done when something happens any number of times. It says whether it ends.
    fn repeat(
        &mut self,
        intervals: &mut Intervals<'n>,
        effect: &mut Effect,
        turn: &mut dyn FnMut(&mut Self, &mut Intervals<'n>, &mut Effect) -> bool,
    ) {
        for round in 0.. {
            let knowledge = intervals.knowledge();
            let scope = intervals.enter();
            let mut end = effect.clone();
            let mut all = effect.clone();
            if turn(self, intervals, &mut end) {
                all = join(effect, &end);
            }
            intervals.leave(scope);
            if round > PATIENCE {
                for (clock, from) in &mut all {
                    let before = sources(effect, *clock);
                    for (source, offset) in from {
                        if before.get(source).is_some_and(|before| *before > *offset) {
                            *offset = ENDLESS;
                        }
                    }
                }
            }
            let stable = all == *effect && intervals.knowledge() == knowledge;
            *effect = all;
            if stable {
                return;
            }
        }
    }

    /// What is done when something happens for each value of a slot; `false` if it never ends.
    fn each(
        &mut self,
        intervals: &mut Intervals<'n>,
        each: Each,
        effect: &mut Effect,
        turn: &mut dyn FnMut(&mut Self, &mut Intervals<'n>, &mut Effect) -> bool,
    ) -> bool {
        let Each { frame, slot, values: (lo, hi) } = each;
        if lo > hi {
            return true;
        }
        let turns = (i64::from(hi) - i64::from(lo) + 1) as u64;
        if self.unrolled + turns > UNROLLED {
            self.repeat(intervals, effect, turn);
            return turn(self, intervals, effect);
        }
        self.unrolled += turns;
        for value in lo..=hi {
            let scope = intervals.enter();
            intervals.bind(frame, slot, value);
            let ends = turn(self, intervals, effect);
            intervals.leave(scope);
            if !ends {
                return false;
            }
        }
        true
    }
}

/// A slot that runs through values.
#[derive(Clone, Copy)]
struct Each {
    frame: usize,
    slot: u32,
    values: (i32, i32),
}

/// The clock of `y`, `y + e`, `e + y` or `y - e`, and the least number that is added to it.
/// [`None`] for numbers, and for other uses of clocks, which symbolic analysis refuses.
fn shifted<'e>(
    intervals: &mut Intervals<'_>,
    value: &'e Expr,
    frame: usize,
) -> Option<(&'e ClockRef, i64)> {
    let mut offset = |expr: &Expr| match intervals.number(expr, frame) {
        Interval::EMPTY => None,
        offset => Some(offset),
    };
    match value {
        Expr::Clock(clock) => Some((clock, 0)),
        Expr::Binary(binary) if binary.number == Number::Double => {
            match (binary.op, &binary.left, &binary.right) {
                (BinaryOp::Add, Expr::Clock(clock), other)
                | (BinaryOp::Add, other, Expr::Clock(clock)) => Some((clock, offset(other)?.lo)),
                (BinaryOp::Subtract, Expr::Clock(clock), other) => {
                    Some((clock, -offset(other)?.hi))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
