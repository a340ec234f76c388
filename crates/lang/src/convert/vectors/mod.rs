//! Channels to events and vectors: what UPPAAL says, in the words of TChecker.
//!
//! - A handshake channel becomes two events, one to send and one to receive, and a vector for
//!   each pair of a sender and a receiver.
//! - A broadcast channel becomes a vector for each sender with all processes that can receive.
//!   A receiver without guards takes part weakly. TChecker does not look at guards to decide
//!   who takes part, so a process with guards on its receiving edges takes part strongly, and
//!   gets loops that do nothing for where it can not receive: from each location, for the
//!   opposite of its guards. (A staying process would count as a committed participant; where
//!   that could matter, the pass refuses.)
//! - Selected values, branches and indices of channels are enumerated: one edge for each.
//! - Structures, arrays of arrays and tables are taken apart, functions and quantifiers are
//!   evaluated or copied, disjunctions are written as choices.
//!
//! Refused: urgent channels, priorities, clock rates other than 1, floating-point numbers in
//! guards or updates, code before and after updates, disjunctions with clocks in invariants.
//! Dropped, with a note: weights, exponential rates, progress measures.
//!
//! The result can be written with [`tchecker::write`](crate::tchecker::write), unless an
//! expression became too deep, and reads back as the same network.

mod calls;
mod edges;
mod memory;
mod statements;
mod sync;
mod terms;

pub(super) use calls::walk;
use memory::{ClockMap, MemoryMap};
use punctual_model::{
    BinaryOp, Expr, Index, Network, Place, Process, ProcessId, RangePolicy, Statement, Storage,
};

use super::{Unsupported, edge_place, fold, location_place, names::Mangler};
use crate::{stack::with_stack, tchecker::RESERVED};

/// A network of events and vectors, and what it no longer says.
#[derive(Clone, PartialEq, Debug)]
pub struct Vectors {
    /// The network.
    pub network: Network,
    /// Differences that do not matter for reachability, or only for models with errors.
    pub notes: Vec<String>,
}

/// Expresses a network by events and vectors.
pub fn to_vectors(network: &Network) -> Result<Network, Vec<Unsupported>> {
    to_vectors_with_notes(network).map(|vectors| vectors.network)
}

/// Expresses a network by events and vectors, and says what was lost.
pub fn to_vectors_with_notes(network: &Network) -> Result<Vectors, Vec<Unsupported>> {
    with_stack(|| lower(network))
}

fn lower(network: &Network) -> Result<Vectors, Vec<Unsupported>> {
    let mut errors = check(network);
    let mut new = Network { range_policy: RangePolicy::Disable, ..Network::default() };
    let mut names = Mangler::default().reserve(RESERVED);
    let clocks = ClockMap::new(network, &mut new, &mut names);
    let mut problems = Vec::new();
    let memory = MemoryMap::new(network, &mut new, &mut names, &mut problems);
    errors.extend(problems.into_iter().map(|(what, place)| Unsupported::new(what, place)));
    let mut lowerer = Lowerer {
        network,
        memory,
        clocks,
        pure: vec![None; network.functions.len()],
        budget: 0,
        out: Vec::new(),
        locals: Vec::new(),
        can_hoist: false,
        errors,
        new,
    };
    lowerer.processes();
    match lowerer.errors.is_empty() {
        true => Ok(Vectors { notes: notes(network), network: lowerer.new }),
        false => {
            lowerer.errors.dedup();
            Err(lowerer.errors)
        }
    }
}

/// Work for one label of the model; beyond it, an expression has grown too large.
const BUDGET: usize = 200_000;

struct Lowerer<'a> {
    network: &'a Network,
    memory: MemoryMap,
    clocks: ClockMap,
    /// Whether functions have no effects, as far as that is known.
    pure: Vec<Option<bool>>,
    budget: usize,
    /// The statements of the present block.
    out: Vec<Statement>,
    /// The local variables of the present statements.
    locals: Vec<Place>,
    /// Whether statements can be put before the present expression.
    can_hoist: bool,
    errors: Vec<Unsupported>,
    new: Network,
}

/// `base` plus what the indices contribute, where `stride_of` gives the new distance of
/// neighbours that had an old one. Nothing if it can not.
fn flat_index(
    base: i64,
    indices: &[Index],
    stride_of: impl Fn(u32) -> Option<i64>,
) -> Option<Expr> {
    let mut constant = base;
    let mut sum: Option<Expr> = None;
    for index in indices {
        if index.len == 1 {
            continue;
        }
        let stride = stride_of(index.stride)?;
        constant -= i64::from(index.lo) * stride;
        if let Some(value) = index.value.as_int() {
            constant += i64::from(value) * stride;
            continue;
        }
        let factor = Expr::Int(i32::try_from(stride).ok()?);
        let term = match stride {
            1 => index.value.clone(),
            _ => fold::binary(BinaryOp::Multiply, index.value.clone(), factor),
        };
        sum = Some(match sum {
            None => term,
            Some(sum) => fold::binary(BinaryOp::Add, sum, term),
        });
    }
    let constant = i32::try_from(constant).ok()?;
    Some(match (sum, constant) {
        (None, _) => Expr::Int(constant),
        (Some(sum), 0) => sum,
        (Some(sum), 1..) => fold::binary(BinaryOp::Add, sum, Expr::Int(constant)),
        (Some(sum), _) => fold::binary(BinaryOp::Subtract, sum, Expr::Int(constant.checked_neg()?)),
    })
}

/// What can be refused at once.
fn check(network: &Network) -> Vec<Unsupported> {
    let mut errors = Vec::new();
    let mut refuse = |construct: &str, place: String| {
        errors.push(Unsupported::new(construct, place));
    };
    for clock in &network.clocks {
        if clock.hybrid {
            refuse("a hybrid clock", format!("clock {}", clock.name));
        }
        if clock.initial != 0.0 {
            refuse("an initial value of a clock", format!("clock {}", clock.name));
        }
    }
    for channel in &network.channels {
        if channel.urgent {
            refuse("an urgent channel", format!("channel {}", channel.name));
        }
        if channel.priority != network.default_priority {
            refuse("a channel priority", format!("channel {}", channel.name));
        }
    }
    let priority = network.processes.iter().next().map(|process| process.priority);
    if network.processes.iter().any(|process| Some(process.priority) != priority) {
        refuse("process priorities", String::new());
    }
    if !network.before_update.is_empty() || !network.after_update.is_empty() {
        refuse("code before or after every update", String::new());
    }
    errors
}

fn notes(network: &Network) -> Vec<String> {
    let edges = || network.processes.iter().flat_map(|process| &process.edges);
    let locations = || network.processes.iter().flat_map(|process| &process.locations);
    let notes = [
        (
            network.range_policy == RangePolicy::Error && !network.variables.is_empty(),
            "a value out of range disables a transition instead of being an error",
        ),
        (edges().any(|edge| edge.branches.len() > 1), "probabilities of branches are left out"),
        (
            locations().any(|location| location.exponential_rate.is_some()),
            "exponential rates are left out",
        ),
        (!network.progress.is_empty(), "progress measures are left out"),
        (
            network.variables.iter().any(|variable| variable.storage == Storage::Meta),
            "meta variables are part of the state",
        ),
        (!network.initial.doubles.is_empty(), "floating-point variables are left out"),
    ];
    notes.into_iter().filter(|(holds, _)| *holds).map(|(_, note)| note.to_owned()).collect()
}

impl Lowerer<'_> {
    fn refuse(&mut self, construct: impl Into<String>, place: impl Into<String>) {
        let error = Unsupported::new(construct, place);
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// Lowers all processes, then joins their edges by vectors.
    fn processes(&mut self) {
        let mut names = Mangler::default().reserve(RESERVED);
        let mut lowered = Vec::new();
        for process in &self.network.processes {
            let locations = self.locations(process);
            self.new.processes.push(Process {
                name: names.name(&process.name),
                template: String::new(),
                locations,
                initial: process.initial.clone(),
                edges: punctual_model::IdVec::new(),
                priority: 0,
            });
            lowered.push(self.edges(process));
        }
        for process in self.new.processes.iter_mut() {
            process.template = process.name.clone();
        }
        self.synchronise(lowered);
    }

    fn process(&self, id: ProcessId) -> &Process {
        &self.network.processes[id]
    }
}
