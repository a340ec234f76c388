//! What the code of a network reads and writes, through the functions that it calls.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    AssignOp, ClockId, ClockRef, Condition, Edge, Expr, FunctionBody, FunctionId, Id, Network,
    Number, Place, Rate, Statement, Storage,
};

/// The values that are written to an integer, where they are constants.
pub(super) type Values = BTreeSet<Option<i32>>;

/// What each function reads and writes by itself.
pub(super) struct Access {
    functions: Vec<Effects>,
}

/// What a piece of code does.
#[derive(Default)]
struct Effects {
    reads: BTreeSet<u32>,
    writes: BTreeMap<u32, Values>,
    reads_clocks: BTreeSet<ClockId>,
    sets_clocks: BTreeSet<ClockId>,
    /// The clocks that it may make negative, now or while time passes.
    signs_clocks: BTreeSet<ClockId>,
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
            for (slot, values) in &called.writes {
                effects.writes.entry(*slot).or_default().extend(values);
            }
            effects.reads_clocks.extend(&called.reads_clocks);
            effects.sets_clocks.extend(&called.sets_clocks);
            effects.signs_clocks.extend(&called.signs_clocks);
            waiting.extend(called.calls.iter().filter(|it| effects.calls.insert(**it)));
        }
        effects
    }

    fn of<'e>(&self, code: impl Iterator<Item = &'e Expr>) -> Effects {
        let mut effects = Effects::default();
        code.for_each(|expr| effects.expr(expr));
        self.whole(effects)
    }

    /// The integers of the state that code writes, and what it writes there.
    pub(super) fn writes<'e>(&self, code: impl Iterator<Item = &'e Expr>) -> BTreeMap<u32, Values> {
        self.of(code).writes
    }

    /// The integers of the state that an edge reads to decide whether it is taken and what it writes.
    pub(super) fn looks_at(&self, edge: &Edge) -> BTreeSet<u32> {
        let mut reads = self.of(updates(edge)).reads;
        reads.extend(self.reads(&edge.guard));
        reads
    }

    /// The clocks that code sets.
    pub(super) fn sets<'e>(&self, code: impl Iterator<Item = &'e Expr>) -> BTreeSet<ClockId> {
        self.of(code).sets_clocks
    }

    /// The integers of the state that a condition reads.
    pub(super) fn reads(&self, condition: &Condition) -> BTreeSet<u32> {
        self.of(condition.data.iter()).reads
    }

    /// All clocks that something reads, and those that may become negative.
    pub(super) fn of_clocks(&self, network: &Network) -> (BTreeSet<ClockId>, BTreeSet<ClockId>) {
        let mut all = Effects::default();
        for process in &network.processes {
            for location in &process.locations {
                all.condition(&location.invariant);
                // Whoever stops a clock measures something with it, for a query.
                for rate in &location.rates {
                    all.reads_clocks.extend(clocks(&rate.clock));
                    if falls(rate) {
                        all.signs_clocks.extend(clocks(&rate.clock));
                    }
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
        let below = network.clocks.enumerate().filter(|(_, clock)| clock.initial < 0.0);
        all.signs_clocks.extend(below.map(|(id, _)| id));
        let all = self.whole(all);
        (all.reads_clocks, all.signs_clocks)
    }
}

/// All that an edge does.
pub(super) fn updates(edge: &Edge) -> impl Iterator<Item = &Expr> {
    edge.update.iter().chain(edge.branches.iter().flat_map(|it| &it.update))
}

/// Whether a clock may go backwards.
fn falls(rate: &Rate) -> bool {
    match rate.value {
        Expr::Int(value) => value < 0,
        Expr::Double(value) => value < 0.0,
        _ => true,
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
            Expr::Assign { target, op, value, .. } => {
                let written = match (op, &**value) {
                    (AssignOp::Set, Expr::Int(value)) => Some(*value),
                    _ => None,
                };
                for slot in slots(target) {
                    self.writes.entry(slot).or_default().insert(written);
                }
                if *op != AssignOp::Set {
                    self.reads.extend(slots(target));
                }
            }
            Expr::Clock(clock) | Expr::ClockRate(clock) => self.reads_clocks.extend(clocks(clock)),
            Expr::SetClock { clock, value } => {
                self.sets_clocks.extend(clocks(clock));
                if !matches!(**value, Expr::Int(0..)) {
                    self.signs_clocks.extend(clocks(clock));
                }
            }
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
