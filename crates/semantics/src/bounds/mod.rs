//! The largest constants that clocks are compared with, for each location of each process.
//!
//! Extrapolation may forget how far a clock is beyond every constant it will be compared with
//! before it is set again. Here these constants are found: those of the tests at a location
//! (its invariant, the guards of its edges) and those of the locations that its edges lead to,
//! unless the edge surely sets the clock. Lower bounds (`x >= c`) and upper bounds (`x <= c`) are
//! kept apart where only they count. What holds for a state is the maximum over the locations of
//! all its processes, and [`Bounds::everywhere`].
//!
//! Only entries that exist are stored: the size is that of what processes test, not the product
//! of locations and clocks.
//!
//! A constant that depends on variables counts with its greatest value, which `intervals` finds.
//! Tests of hybrid clocks do not count: symbolic analysis leaves these clocks out.
//!
//! Follows Behrmann, Bouyer, Fleury & Larsen 2003, "Static guard analysis in timed automata
//! verification", and Behrmann, Bouyer, Larsen & Pelánek 2004/2006, "Lower and upper bounds in
//! zone-based abstractions of timed automata".
//!
//! `DIFFERENCE(behrmann03)`: the paper has one automaton. Here a process can copy a clock that
//! another one tests (`x := y + c`), so a copy also passes on what all others demand of `x`.
//! Test: `it::bounds::copies_serve_other_processes`.
//!
//! Not here: which extrapolation to use, and what to do about differences of clocks.

mod effects;
mod flow;
mod interval;
mod intervals;

use std::fmt;

use punctual_model::{
    ClockConstraint, Condition, Edge, Expr, FunctionBody, FunctionId, Id, Index, Location, Network,
    Process, Relation, StateExpr, Sync,
};
use punctual_zones::{Bound, NO_BOUND};

use effects::{Effect, Effects};
use flow::{Flow, Graph, Table};
use intervals::{Intervals, for_each_expr, transitively};

/// The largest constant that is accepted: zones need room to add some of them.
const LIMIT: i64 = (Bound::MAX_CONSTANT / 4) as i64;
/// How many values of quantifiers around a clock constraint are looked at one by one.
const UNROLLED: u64 = 4096;

/// The largest constants a clock may be compared with from some location on, before the process
/// sets it. At least one of the two is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockBound {
    /// The position of the clock in [`Network::clocks`].
    pub clock: u32,
    /// The largest `c` of `x > c`, `x >= c` and `x == c`; [`NO_BOUND`] if there is none.
    pub lower: i32,
    /// The largest `c` of `x < c`, `x <= c` and `x == c`; [`NO_BOUND`] if there is none.
    pub upper: i32,
}

/// Whether lower and upper constants may differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Directions {
    /// Lower and upper constants apart: enough for reachability.
    Apart,
    /// One constant for both: deadlock and liveness need the negations of guards too.
    Joined,
}

/// A constant that zones can not hold: an error of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// The constant, or the greatest value that it may have.
    pub value: i64,
    /// Where it is: `process Gate, location Free`.
    pub place: String,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, place } = self;
        write!(f, "{place}: a clock may be compared with {value}; the largest is {LIMIT}")
    }
}

impl std::error::Error for TooLarge {}

/// The bounds of all clocks, location by location.
#[derive(Clone, Debug)]
pub struct Bounds {
    entries: Vec<ClockBound>,
    /// Where the entries of each location begin; one more than there are locations.
    starts: Vec<usize>,
    /// Where the locations of each process begin in `starts`.
    processes: Vec<usize>,
    everywhere: Vec<ClockBound>,
    diagonals: bool,
    largest: i32,
}

impl Bounds {
    /// Finds the bounds for a query that compares clocks as in `query` (in any order).
    pub fn new(
        network: &Network,
        directions: Directions,
        query: &[ClockBound],
    ) -> Result<Self, TooLarge> {
        let mut everywhere = Table::default();
        let joined = directions == Directions::Joined || has_priorities(network);
        for bound in query {
            let both = bound.lower.max(bound.upper);
            let (lower, upper) = if joined { (both, both) } else { (bound.lower, bound.upper) };
            check(bound.lower.max(bound.upper).into(), || "query".to_owned())?;
            everywhere.raise(bound.clock, lower, upper);
        }
        let mut collector = Collector {
            network,
            joined,
            intervals: Intervals::new(network, None),
            effects: Effects::new(network),
            tests: transitively(network, &|expr| matches!(expr, Expr::ClockConstraint(_))),
            diagonals: false,
            unrolled: 0,
        };
        let mut graphs = Vec::with_capacity(network.processes.len());
        for (p, process) in network.processes.iter().enumerate() {
            graphs.push(collector.process(p, process)?);
        }
        let hooks = collector.hooks(&mut everywhere)?;
        flow::solve(network, &mut graphs, &mut everywhere, &hooks)?;

        let mut bounds = Self {
            entries: Vec::new(),
            starts: vec![0],
            processes: Vec::with_capacity(graphs.len()),
            everywhere: everywhere.entries,
            diagonals: collector.diagonals,
            largest: 0,
        };
        for graph in graphs {
            bounds.processes.push(bounds.starts.len() - 1);
            for table in graph.tables {
                bounds.entries.extend(table.entries);
                bounds.starts.push(bounds.entries.len());
            }
        }
        let all = bounds.entries.iter().chain(&bounds.everywhere);
        bounds.largest = all.map(|bound| bound.lower.max(bound.upper)).max().unwrap_or(0);
        Ok(bounds)
    }

    /// What a process demands at a location, sorted by clock. Clocks that none of its tests can
    /// see from here are absent.
    pub fn at(&self, process: usize, location: usize) -> &[ClockBound] {
        let at = self.processes[process] + location;
        &self.entries[self.starts[at]..self.starts[at + 1]]
    }

    /// What is demanded in every state, sorted by clock: what the query compares, and what updates
    /// of every transition copy.
    pub fn everywhere(&self) -> &[ClockBound] {
        &self.everywhere
    }

    /// Whether a guard or an invariant constrains a difference of clocks. LU extrapolation is
    /// unsound then. (Copies of clocks are no reason: their constants are passed on.)
    pub fn has_diagonals(&self) -> bool {
        self.diagonals
    }

    /// The largest of all bounds; 0 if there are none.
    pub fn largest(&self) -> i32 {
        self.largest
    }

    /// How many bounds are stored for locations.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no location demands anything.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// The clock constraints of a query as bounds, sorted by clock, both directions joined; and
/// whether it constrains a difference of clocks.
pub fn query_bounds(
    network: &Network,
    expr: &StateExpr,
) -> Result<(Vec<ClockBound>, bool), TooLarge> {
    let mut collector = Collector {
        network,
        joined: true,
        intervals: Intervals::new(network, Some(expr)),
        effects: Effects::new(network),
        tests: transitively(network, &|expr| matches!(expr, Expr::ClockConstraint(_))),
        diagonals: false,
        unrolled: 0,
    };
    let frame = collector.intervals.query_frame();
    collector.intervals.begin();
    let mut table = Table::default();
    collector.scan(&expr.expr, frame, &mut table, &|| "query".to_owned())?;
    Ok((table.entries, collector.diagonals))
}

fn check(value: i64, place: impl FnOnce() -> String) -> Result<i32, TooLarge> {
    if value > LIMIT {
        return Err(TooLarge { value, place: place() });
    }
    Ok(value as i32)
}

/// Whether transitions can be kept from happening by others that go first.
fn has_priorities(network: &Network) -> bool {
    let mut processes = network.processes.iter().map(|process| process.priority);
    let first = processes.next();
    processes.any(|priority| Some(priority) != first)
        || network.channels.iter().any(|channel| channel.priority != network.default_priority)
}

fn location_place(process: &Process, location: &Location) -> String {
    format!("process {}, location {}", process.name, location.name)
}

fn edge_place(process: &Process, edge: &Edge) -> String {
    let name = |id| process.locations.get(id).map_or("?", |location| location.name.as_str());
    let target = edge.branches.first().map_or("?", |branch| name(branch.target));
    format!("process {}, edge {} → {target}", process.name, name(edge.source))
}

type PlaceName<'a> = &'a dyn Fn() -> String;

/// Collects tests and flows.
struct Collector<'n> {
    network: &'n Network,
    joined: bool,
    intervals: Intervals<'n>,
    effects: Effects<'n>,
    /// Whether a function contains clock constraints.
    tests: Vec<bool>,
    diagonals: bool,
    unrolled: u64,
}

impl<'n> Collector<'n> {
    fn process(&mut self, p: usize, process: &Process) -> Result<Graph, TooLarge> {
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
    fn hooks(&mut self, everywhere: &mut Table) -> Result<Vec<Flow>, TooLarge> {
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

/// The expressions directly inside of an expression, in the order of evaluation.
fn children(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Int(_) | Expr::Double(_) | Expr::InLocation(..) | Expr::Deadlock => Vec::new(),
        Expr::Load(place) => index_values(&place.indices),
        Expr::Clock(clock) | Expr::ClockRate(clock) => index_values(&clock.indices),
        Expr::ToDouble(inner) | Expr::Unary(_, _, inner) => vec![inner],
        Expr::Binary(binary) => vec![&binary.left, &binary.right],
        Expr::Conditional(parts) => parts.iter().collect(),
        Expr::Sequence(parts) => parts.iter().collect(),
        Expr::Assign { target, value, .. } => {
            let mut all = index_values(&target.indices);
            all.push(value);
            all
        }
        Expr::SetClock { clock, value } => {
            let mut all = index_values(&clock.indices);
            all.push(value);
            all
        }
        Expr::Call { arguments, .. } | Expr::Builtin(_, arguments) => arguments.iter().collect(),
        Expr::Quantifier { body, .. } => vec![body],
        Expr::ClockConstraint(constraint) => {
            let clocks = constraint.clocks().flat_map(|clock| index_values(&clock.indices));
            constraint.when.iter().chain(clocks).chain([&constraint.bound]).collect()
        }
    }
}

fn index_values(indices: &[Index]) -> Vec<&Expr> {
    indices.iter().map(|index| &index.value).collect()
}
