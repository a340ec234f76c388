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

mod collect;
mod effects;
mod flow;
mod interval;
mod intervals;

pub(crate) use intervals::for_each_expr;
use std::fmt;

use punctual_model::{Expr, Index, Location, Network, Process, StateExpr};
use punctual_zones::Bound;

use collect::Collector;
use flow::Table;

/// The largest constant that is accepted: zones need room to add some of them.
const LIMIT: i64 = (Bound::MAX_CONSTANT / 4) as i64;

/// The largest constants a clock may be compared with from some location on, before the process
/// sets it. At least one of the two is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockBound {
    /// The position of the clock in [`Network::clocks`].
    pub clock: u32,
    /// The largest `c` of `x > c`, `x >= c` and `x == c`;
    /// [`punctual_zones::NO_BOUND`] if there is none.
    pub lower: i32,
    /// The largest `c` of `x < c`, `x <= c` and `x == c`;
    /// [`punctual_zones::NO_BOUND`] if there is none.
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
        let mut collector = Collector::new(network, joined, None);
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

    /// The largest of the bounds that locations demand, without those of the query; 0 if there are none.
    pub fn largest_of_locations(&self) -> i32 {
        self.entries.iter().map(|bound| bound.lower.max(bound.upper)).max().unwrap_or(0).max(0)
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
    let mut collector = Collector::new(network, true, Some(expr));
    let table = collector.query(expr)?;
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
