//! Which clocks a process reads and sets.

use std::collections::BTreeSet;

use punctual_model::{
    ClockId, ClockRef, Condition, Edge, Expr, FunctionBody, FunctionId, Id, Indexed, Network,
    Process, Statement, Storage,
};

/// Whether a selected or quantified value says which element it is: it means something else elsewhere.
pub(super) fn reads_local<I>(indexed: &Indexed<I>) -> bool {
    let mut reads = false;
    for index in &indexed.indices {
        index.value.walk(&mut |expr| {
            reads |= matches!(expr, Expr::Load(place) if place.storage == Storage::Local);
        });
    }
    reads
}

/// All clocks that a reference can mean.
fn range(clock: &ClockRef) -> impl Iterator<Item = ClockId> + use<> {
    let reach = |len: u32, stride: u32| len.saturating_sub(1) as usize * stride as usize;
    let behind: usize = clock.indices.iter().map(|it| reach(it.len, it.stride)).sum();
    let first = clock.base.index();
    (first..=first + behind).map(ClockId::from_index)
}

/// Clocks that code reads and sets, also through functions. What an index chooses counts as all it can choose.
#[derive(Default)]
pub(super) struct Clocks {
    pub(super) read: BTreeSet<ClockId>,
    pub(super) set: BTreeSet<ClockId>,
    called: BTreeSet<FunctionId>,
}

impl Clocks {
    /// The clocks of all that an edge does, but for its guard.
    pub(super) fn of_update(network: &Network, edge: &Edge) -> Clocks {
        let mut clocks = Clocks::default();
        clocks.update(network, edge);
        clocks
    }

    /// The clocks of all code of a process.
    pub(super) fn of_process(network: &Network, process: &Process) -> Clocks {
        let mut clocks = Clocks::default();
        process.locations.iter().for_each(|it| clocks.condition(network, &it.invariant));
        for edge in &process.edges {
            clocks.condition(network, &edge.guard);
            clocks.update(network, edge);
        }
        clocks
    }

    /// The clocks that some guard or invariant of a network reads.
    pub(super) fn compared(network: &Network) -> BTreeSet<ClockId> {
        let mut clocks = Clocks::default();
        for process in &network.processes {
            process.locations.iter().for_each(|it| clocks.condition(network, &it.invariant));
            process.edges.iter().for_each(|it| clocks.condition(network, &it.guard));
        }
        clocks.read
    }

    fn condition(&mut self, network: &Network, condition: &Condition) {
        for constraint in &condition.clocks {
            self.read.extend(constraint.clocks().flat_map(range));
        }
        condition.data.iter().for_each(|expr| self.expr(network, expr));
    }

    fn update(&mut self, network: &Network, edge: &Edge) {
        let branches = edge.branches.iter().flat_map(|branch| &branch.update);
        edge.update.iter().chain(branches).for_each(|expr| self.expr(network, expr));
    }

    fn expr(&mut self, network: &Network, expr: &Expr) {
        let mut called = Vec::new();
        expr.walk(&mut |expr| match expr {
            Expr::Clock(clock) => self.read.extend(range(clock)),
            Expr::ClockConstraint(it) => self.read.extend(it.clocks().flat_map(range)),
            Expr::SetClock { clock, .. } => self.set.extend(range(clock)),
            Expr::Call { function, .. } => called.push(*function),
            _ => {}
        });
        for function in called {
            if self.called.insert(function)
                && let FunctionBody::Statements(body) = &network.functions[function].body
            {
                self.statements(network, body);
            }
        }
    }

    fn statements(&mut self, network: &Network, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Expr(expr) | Statement::Assert(expr) => self.expr(network, expr),
                Statement::Return(expr) => expr.iter().for_each(|it| self.expr(network, it)),
                Statement::Clear { .. } => {}
                Statement::If(condition, yes, no) => {
                    self.expr(network, condition);
                    self.statements(network, yes);
                    self.statements(network, no);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    self.expr(network, condition);
                    self.statements(network, body);
                }
                Statement::For { body, .. } => self.statements(network, body),
            }
        }
    }
}
