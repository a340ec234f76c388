//! Collects what the code of a network does to clocks: the constants that they are compared with,
//! and how edges copy and set them.
//!
//! Tests go to the table of the location where they are made, flows to the graph of the process.

use punctual_model::{
    ClockConstraint, Condition, Edge, Expr, FunctionBody, FunctionId, Id, Network, Process,
    Relation, StateExpr, Sync,
};
use punctual_zones::NO_BOUND;

use super::effects::{Effect, Effects};
use super::flow::{Flow, Graph, Table};
use super::intervals::{Intervals, for_each_expr, transitively};
use super::{TooLarge, check, children, location_place};

/// How many values of quantifiers around a clock constraint are looked at one by one.
const UNROLLED: u64 = 4096;

fn edge_place(process: &Process, edge: &Edge) -> String {
    let name = |id| process.locations.get(id).map_or("?", |location| location.name.as_str());
    let target = edge.branches.first().map_or("?", |branch| name(branch.target));
    format!("process {}, edge {} → {target}", process.name, name(edge.source))
}

type PlaceName<'a> = &'a dyn Fn() -> String;

/// Collects tests and flows.
pub(super) struct Collector<'n> {
    network: &'n Network,
    joined: bool,
    intervals: Intervals<'n>,
    effects: Effects<'n>,
    /// Whether a function contains clock constraints.
    tests: Vec<bool>,
    /// Whether a difference of clocks is constrained.
    pub(super) diagonals: bool,
    unrolled: u64,
}

impl<'n> Collector<'n> {
    /// For a network and, if there is one, a query about it. `joined`: lower and upper constants
    /// are the same everywhere.
    pub(super) fn new(network: &'n Network, joined: bool, query: Option<&StateExpr>) -> Self {
        Self {
            network,
            joined,
            intervals: Intervals::new(network, query),
            effects: Effects::new(network),
            tests: transitively(network, &|expr| matches!(expr, Expr::ClockConstraint(_))),
            diagonals: false,
            unrolled: 0,
        }
    }

    /// What a process tests, and where that flows.
    pub(super) fn process(&mut self, p: usize, process: &Process) -> Result<Graph, TooLarge> {
        let mut graph = Graph::new(process.locations.len());
        for (l, location) in process.locations.iter().enumerate() {
            let frame = self.intervals.location_frame(p, l);
            self.intervals.begin();
            let place = || location_place(process, location);
            let table = &mut graph.tables[l];
            self.condition(&location.invariant, frame, self.joined, table, &place)?;
        }
        for (e, edge) in process.edges.iter().enumerate() {
            let place = || edge_place(process, edge);
            let frame = self.intervals.edge_frame(p, e);
            self.intervals.begin();
            // Taken out for a while: the graph gets the flows.
            let source = edge.source.index();
            let table = &mut std::mem::take(&mut graph.tables[source]);
            let joined = self.joined || self.is_negated(edge, frame);
            if !self.condition(&edge.guard, frame, joined, table, &place)? {
                graph.tables[source] = std::mem::take(table);
                continue;
            }
            self.intervals.start_update(p, edge);
            for expr in &edge.update {
                self.scan(expr, frame, table, &place)?;
            }
            let mut effect = Effect::new();
            self.effects.update(&mut self.intervals, &edge.update, frame, &mut effect);
            for branch in &edge.branches {
                let scope = self.intervals.enter();
                self.intervals.start_branch(p);
                for expr in &branch.update {
                    self.scan(expr, frame, table, &place)?;
                }
                let mut effect = effect.clone();
                self.effects.update(&mut self.intervals, &branch.update, frame, &mut effect);
                self.intervals.leave(scope);
                let flow = Flow::new(source, &effect);
                // A clock must not become negative, and that is a test as well.
                for (source, offset) in flow.lowered() {
                    let constant = check(offset, place)?;
                    table.raise(source, constant, constant);
                }
                graph.push(branch.target.index(), flow);
            }
            graph.tables[source] = std::mem::take(table);
        }
        Ok(graph)
    }

    /// The updates of every transition: what they test counts everywhere.
    pub(super) fn hooks(&mut self, everywhere: &mut Table) -> Result<Vec<Flow>, TooLarge> {
        let network = self.network;
        let frame = self.intervals.hooks_frame();
        let place = || "updates of every transition".to_owned();
        let mut flows = Vec::new();
        for update in [&network.before_update, &network.after_update] {
            self.intervals.begin();
            for expr in update {
                self.scan(expr, frame, everywhere, &place)?;
            }
            let mut effect = Effect::new();
            self.effects.update(&mut self.intervals, update, frame, &mut effect);
            let flow = Flow::new(0, &effect);
            for (source, offset) in flow.lowered() {
                let constant = check(offset, place)?;
                everywhere.raise(source, constant, constant);
            }
            flows.push(flow);
        }
        Ok(flows)
    }

    /// What the query tests, which has to be the one that the collector was made for.
    pub(super) fn query(&mut self, query: &StateExpr) -> Result<Table, TooLarge> {
        let frame = self.intervals.query_frame();
        self.intervals.begin();
        let mut table = Table::default();
        self.scan(&query.expr, frame, &mut table, &|| "query".to_owned())?;
        Ok(table)
    }

    /// Whether it matters that the guard of an edge does not hold: receivers of a broadcast stay
    /// behind then, and urgent channels let time pass.
    fn is_negated(&mut self, edge: &Edge, frame: usize) -> bool {
        let Some(channel) = edge.sync.channel() else { return false };
        if edge.guard.clocks.is_empty() {
            return false;
        }
        let receives = !matches!(edge.sync, Sync::Send(_));
        let channels = self.intervals.indices(channel.base.index(), &channel.indices, frame);
        channels.into_iter().any(|channel| {
            let channel = self.network.channels.iter().nth(channel);
            channel.is_some_and(|channel| channel.urgent || (channel.broadcast && receives))
        })
    }

    /// The tests of a condition; `false` if it can not hold.
    fn condition(
        &mut self,
        condition: &Condition,
        frame: usize,
        joined: bool,
        table: &mut Table,
        place: PlaceName<'_>,
    ) -> Result<bool, TooLarge> {
        if !self.intervals.assume(condition, frame) {
            return Ok(false);
        }
        for expr in &condition.data {
            self.scan(expr, frame, table, place)?;
        }
        for constraint in &condition.clocks {
            self.test(constraint, frame, joined, table, place)?;
        }
        Ok(true)
    }

    /// Adds a clock constraint.
    fn test(
        &mut self,
        constraint: &ClockConstraint,
        frame: usize,
        joined: bool,
        table: &mut Table,
        place: PlaceName<'_>,
    ) -> Result<(), TooLarge> {
        let hybrid = |clock: u32| {
            self.network.clocks.iter().nth(clock as usize).is_some_and(|clock| clock.hybrid)
        };
        let bound = self.intervals.constraint(constraint, frame);
        if bound.is_empty() {
            return Ok(());
        }
        let mut sides = [Vec::new(), Vec::new()];
        for (side, clock) in sides.iter_mut().zip([&constraint.left, &constraint.right]) {
            if let Some(clock) = clock {
                *side = self.intervals.clocks(clock, frame);
                if side.iter().all(|clock| hybrid(*clock)) {
                    return Ok(());
                }
            }
        }
        let (constant, relation, both) = match (&constraint.left, &constraint.right) {
            (Some(_), Some(_)) => {
                self.diagonals = true;
                (bound.magnitude(), constraint.relation, true)
            }
            (Some(_), None) => (bound.hi, constraint.relation, false),
            // -x < c is x > -c.
            (None, _) => (-bound.lo, mirror(constraint.relation), false),
        };
        let constant = check(constant.max(0), place)?;
        let both = both || joined;
        let (lower, upper) = match relation {
            _ if both => (constant, constant),
            Relation::Less | Relation::LessEqual => (NO_BOUND, constant),
            Relation::Greater | Relation::GreaterEqual => (constant, NO_BOUND),
            Relation::Equal | Relation::NotEqual => (constant, constant),
        };
        for clock in sides.into_iter().flatten() {
            table.raise(clock, lower, upper);
        }
        Ok(())
    }

    /// Adds the clock constraints inside of an expression. They are truth values there, so both
    /// directions count.
    fn scan(
        &mut self,
        expr: &Expr,
        frame: usize,
        table: &mut Table,
        place: PlaceName<'_>,
    ) -> Result<(), TooLarge> {
        if !self.has_tests(expr) {
            return Ok(());
        }
        match expr {
            Expr::ClockConstraint(constraint) => self.test(constraint, frame, true, table, place),
            Expr::Call { function, arguments } => {
                for argument in arguments {
                    self.scan(argument, frame, table, place)?;
                }
                self.scan_function(*function, frame, table, place)
            }
            Expr::Quantifier { slot, range, body, .. } => {
                if self.unrolled + range.len() > UNROLLED {
                    return self.scan(body, frame, table, place);
                }
                self.unrolled += range.len();
                for value in range.lo..=range.hi {
                    let scope = self.intervals.enter();
                    self.intervals.bind(frame, *slot, value);
                    let scanned = self.scan(body, frame, table, place);
                    self.intervals.leave(scope);
                    scanned?;
                }
                self.unrolled -= range.len();
                Ok(())
            }
            _ => {
                children(expr).into_iter().try_for_each(|expr| self.scan(expr, frame, table, place))
            }
        }
    }

    fn scan_function(
        &mut self,
        id: FunctionId,
        caller: usize,
        table: &mut Table,
        place: PlaceName<'_>,
    ) -> Result<(), TooLarge> {
        let network = self.network;
        let FunctionBody::Statements(body) = &network.functions[id].body else { return Ok(()) };
        let frame = self.intervals.function_frame(id, caller);
        let scope = self.intervals.enter();
        self.intervals.forget();
        let mut result = Ok(());
        for_each_expr(body, &mut |expr| {
            if result.is_ok() {
                result = self.scan(expr, frame, table, place);
            }
        });
        self.intervals.leave(scope);
        result
    }

    fn has_tests(&self, expr: &Expr) -> bool {
        let mut tests = false;
        expr.walk(&mut |expr| match expr {
            Expr::ClockConstraint(_) => tests = true,
            Expr::Call { function, .. } => tests |= self.tests[function.index()],
            _ => {}
        });
        tests
    }
}

fn mirror(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::LessEqual => Relation::GreaterEqual,
        Relation::Equal => Relation::Equal,
        Relation::NotEqual => Relation::NotEqual,
        Relation::GreaterEqual => Relation::LessEqual,
        Relation::Greater => Relation::Less,
    }
}
