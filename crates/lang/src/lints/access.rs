//! What the code of a network reads and writes, through the functions that it calls.

use std::collections::BTreeSet;

use punctual_model::{
    ClockId, ClockRef, Condition, Expr, FunctionBody, FunctionId, Id, Network, Number, Place,
    Statement, Storage,
};

/// What each function reads and writes by itself.
pub(super) struct Access {
    functions: Vec<Effects>,
}

/// What a piece of code does.
#[derive(Default)]
struct Effects {
    reads: BTreeSet<u32>,
    writes: BTreeSet<u32>,
    reads_clocks: BTreeSet<ClockId>,
    sets_clocks: BTreeSet<ClockId>,
    calls: BTreeSet<FunctionId>,
}

impl Access {
    pub(super) fn new(network: &Network) -> Access {
        let functions = network.functions.iter().map(|function| {
            let mut effects = Effects::default();
            if let FunctionBody::Statements(statements) = &function.body {
                effects.statements(statements);
            }
            effects
        });
        Access { functions: functions.collect() }
    }

    /// Adds what functions do that are called.
    fn whole(&self, mut effects: Effects) -> Effects {
        let mut waiting: Vec<FunctionId> = effects.calls.iter().copied().collect();
        while let Some(function) = waiting.pop() {
            let Some(called) = self.functions.get(function.index()) else { continue };
            effects.reads.extend(&called.reads);
            effects.writes.extend(&called.writes);
            effects.reads_clocks.extend(&called.reads_clocks);
            effects.sets_clocks.extend(&called.sets_clocks);
            waiting.extend(called.calls.iter().filter(|it| effects.calls.insert(**it)));
        }
        effects
    }

    fn of<'e>(&self, code: impl Iterator<Item = &'e Expr>) -> Effects {
        let mut effects = Effects::default();
        code.for_each(|expr| effects.expr(expr));
        self.whole(effects)
    }

    /// The integers of the state that code writes.
    pub(super) fn writes<'e>(&self, code: impl Iterator<Item = &'e Expr>) -> BTreeSet<u32> {
        self.of(code).writes
    }

    /// The clocks that code sets.
    pub(super) fn sets<'e>(&self, code: impl Iterator<Item = &'e Expr>) -> BTreeSet<ClockId> {
        self.of(code).sets_clocks
    }

    /// The integers of the state that a condition reads.
    pub(super) fn reads(&self, condition: &Condition) -> BTreeSet<u32> {
        self.of(condition.data.iter()).reads
    }

    /// All clocks that something reads.
    pub(super) fn read_clocks(&self, network: &Network) -> BTreeSet<ClockId> {
        let mut all = Effects::default();
        for process in &network.processes {
            for location in &process.locations {
                all.condition(&location.invariant);
                // Whoever stops a clock measures something with it, for a query.
                for rate in &location.rates {
                    all.reads_clocks.extend(clocks(&rate.clock));
                    all.expr(&rate.value);
                }
                if let Some(rate) = &location.exponential_rate {
                    all.expr(&rate.value);
                    rate.divisor.iter().for_each(|it| all.expr(it));
                }
            }
            for edge in &process.edges {
                all.condition(&edge.guard);
                edge.update.iter().for_each(|it| all.expr(it));
                for branch in &edge.branches {
                    branch.update.iter().chain(&branch.weight).for_each(|it| all.expr(it));
                }
            }
        }
        network.before_update.iter().chain(&network.after_update).for_each(|it| all.expr(it));
        self.whole(all).reads_clocks
    }
}

impl Effects {
    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Expr(expr) | Statement::Assert(expr) => self.expr(expr),
                Statement::Clear { .. } => {}
                Statement::If(condition, yes, no) => {
                    self.expr(condition);
                    self.statements(yes);
                    self.statements(no);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    self.expr(condition);
                    self.statements(body);
                }
                Statement::For { body, .. } => self.statements(body),
                Statement::Return(value) => value.iter().for_each(|it| self.expr(it)),
            }
        }
    }

    fn condition(&mut self, condition: &Condition) {
        condition.walk(&mut |expr| self.one(expr));
        for constraint in &condition.clocks {
            constraint.clocks().for_each(|it| self.reads_clocks.extend(clocks(it)));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        expr.walk(&mut |expr| self.one(expr));
    }

    fn one(&mut self, expr: &Expr) {
        match expr {
            Expr::Load(place) => self.reads.extend(slots(place)),
            Expr::Assign { target, .. } => self.writes.extend(slots(target)),
            Expr::Clock(clock) | Expr::ClockRate(clock) => self.reads_clocks.extend(clocks(clock)),
            Expr::SetClock { clock, .. } => self.sets_clocks.extend(clocks(clock)),
            Expr::ClockConstraint(constraint) => {
                constraint.clocks().for_each(|it| self.reads_clocks.extend(clocks(it)));
            }
            Expr::Call { function, .. } => {
                self.calls.insert(*function);
            }
            _ => {}
        }
    }
}

/// The integers of the state that a place may be.
fn slots(place: &Place) -> std::ops::Range<u32> {
    if place.storage != Storage::State || place.number != Number::Int {
        return 0..0;
    }
    let reach: u32 = place.indices.iter().map(|it| it.len.saturating_sub(1) * it.stride).sum();
    place.base..place.base + reach + place.size
}

/// The clocks that a reference may mean.
fn clocks(clock: &ClockRef) -> impl Iterator<Item = ClockId> {
    let reach: u32 = clock.indices.iter().map(|it| it.len.saturating_sub(1) * it.stride).sum();
    let base = clock.base.index();
    (base..=base + reach as usize).map(ClockId::from_index)
}
